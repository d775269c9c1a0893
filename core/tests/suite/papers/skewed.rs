//! Publishing skewed sensitive microdata (l-dichotomy): the worked examples, what they come to for
//! somebody who computes, the Zipf series of Section 6.2 and the samples of Adult of Section 6.1.

use super::real_data::adult_arx;
use dashu_ratio::RBig;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sfumato::data::Column;
use sfumato::skew::{KINDS, PossibleDraw, PublishedCounts, Ranked, Skewed, Suppression, find};

/// T of Figure 1.
const FIGURE: [u64; 5] = [10, 4, 2, 1, 1];
const EVERYTHING: u64 = u64::MAX;

fn member(name: &str) -> Box<dyn Suppression> {
    (find(name).unwrap().build)(&Default::default())
}

fn skewed(frequencies: &[u64], l: u64) -> Skewed {
    Skewed::new(frequencies, l).unwrap()
}

fn figure() -> Skewed {
    skewed(&FIGURE, 3)
}

fn part(numerator: i64, denominator: u64) -> RBig {
    RBig::from_parts(numerator.into(), denominator.into())
}

fn seen(counts: &[u64], records: u64, l: u64) -> PublishedCounts {
    PublishedCounts { counts: counts.to_vec(), records, l }
}

/// Everything that R-suppression makes of a table.
fn random(frequencies: &[u64], l: u64) -> Vec<PossibleDraw> {
    member("r-suppression").outcomes(&skewed(frequencies, l), EVERYTHING).unwrap()
}

/// With which chance R-suppression keeps so many of each value, by rank.
fn chance(frequencies: &[u64], l: u64, kept: &[u64]) -> RBig {
    random(frequencies, l).into_iter().find(|one| one.kept == kept).map_or(RBig::ZERO, |one| one.chance)
}

/// What is left by a way that leaves nothing to chance.
fn certain(name: &str, table: &Skewed) -> Vec<u64> {
    let outcomes = member(name).outcomes(table, EVERYTHING).unwrap();
    assert_eq!((outcomes.len(), &outcomes[0].chance), (1, &RBig::ONE), "{name}");
    outcomes[0].kept.clone()
}

fn rounded(number: &RBig) -> f64 {
    (number.to_f64().value() * 1e4).round() / 1e4
}

// The worked examples.

#[test]
fn examples_1_and_3_the_fewest_records_that_can_be_withheld() {
    let not_yet = seen(&[6, 4, 2, 1, 1], 18, 3);
    assert!(!not_yet.is_eligible() && !not_yet.has_candidates());
    let after_five = seen(&[5, 4, 2, 1, 1], 18, 3);
    assert!(!after_five.is_eligible() && after_five.has_candidates());
    let after_six = seen(&[4, 4, 2, 1, 1], 18, 3);
    assert!(after_six.is_eligible() && after_six.has_candidates());

    assert_eq!(certain("unsafe-d", &figure()), after_six.counts);
    assert_eq!(member("unsafe-d").expected(&figure()), part(6, 1));
    // Corollary 1: five values could have been too frequent, and yet it is one of two.
    let beliefs = member("unsafe-d").beliefs(&after_six).unwrap();
    assert_eq!(beliefs, [part(1, 2), part(1, 2), RBig::ZERO, RBig::ZERO, RBig::ZERO]);
}

#[test]
fn example_2_of_equally_frequent_values_the_lowest_ranked_goes_first() {
    // S1 and S2 have three each after one record; the second is one of S2.
    assert_eq!(certain("unsafe-d", &skewed(&[4, 3, 2, 2], 3)), [3, 2, 2, 2]);
}

#[test]
fn example_3_three_values_share_the_top() {
    assert_eq!(certain("safe-d", &figure()), [2, 2, 2, 1, 1]);
    assert_eq!(member("safe-d").expected(&figure()), part(10, 1));
    let beliefs = member("safe-d").beliefs(&seen(&[2, 2, 2, 1, 1], 18, 3)).unwrap();
    assert_eq!(beliefs, [part(1, 3), part(1, 3), part(1, 3), RBig::ZERO, RBig::ZERO]);
}

#[test]
fn example_4_everything_that_random_suppression_does() {
    let expected = [
        // h = 1 and any level; h = 2 and level 4.
        ([4, 4, 2, 1, 1], part(4, 9)),
        // The paper's choice, h = 2 and level 3.
        ([3, 3, 2, 1, 1], part(1, 9)),
        // h = 2 or 3, level 2.
        ([2, 3, 2, 1, 1], part(5, 18)),
        // h = 3, level 1.
        ([1, 2, 2, 1, 1], part(1, 6)),
    ];
    assert_eq!(random(&FIGURE, 3).len(), expected.len());
    for (kept, likely) in &expected {
        assert_eq!(chance(&FIGURE, 3, kept), *likely, "{kept:?}");
    }
    assert_eq!(member("r-suppression").expected(&figure()), part(71, 9));
    assert_eq!(rounded(&part(71, 9)), 7.8889);
}

#[test]
fn example_5_each_of_three_values_may_have_been_the_frequent_one() {
    // Every level that h = 1 allows is lowered to 3 in the end, and so are some of other h.
    assert!(chance(&[11, 3, 2, 1, 1], 3, &[3, 3, 2, 1, 1]) >= part(1, 3));
    assert!(chance(&[10, 3, 3, 1, 1], 3, &[2, 3, 3, 1, 1]) > RBig::ZERO);
    let beliefs = member("r-suppression").beliefs(&seen(&[3, 3, 2, 1, 1], 18, 3)).unwrap();
    // The paper has 1/3 for each of the three, "without further information"; the method's chances
    // are some.
    assert_eq!(beliefs, [part(137, 414), part(137, 414), part(140, 414), RBig::ZERO, RBig::ZERO]);
}

// What the proof of Theorem 3 leaves out.

#[test]
fn who_computes_believes_more_than_the_limit() {
    let beliefs = |counts: &[u64]| -> Vec<f64> {
        member("r-suppression").beliefs(&seen(counts, 18, 3)).unwrap().iter().map(rounded).collect()
    };
    // It comes out of the figure's table with chance 4/9.
    assert_eq!(beliefs(&[4, 4, 2, 1, 1]), [0.461, 0.461, 0.078, 0.0, 0.0]);
    assert_eq!(beliefs(&[3, 2, 2, 1, 1]), [0.1216, 0.4392, 0.4392, 0.0, 0.0]);
    // The last of the four keeps to 1/3: all five values may be S1.
    assert_eq!(beliefs(&[2, 2, 1, 1, 1]), [0.1388, 0.1388, 0.2408, 0.2408, 0.2408]);
}

#[test]
fn calibrated_suppression_keeps_to_the_limit_and_withholds_less_than_safe_d() {
    let calibrated = member("calibrated");
    assert_eq!(calibrated.expected(&figure()), part(9, 1));
    let outcomes = calibrated.outcomes(&figure(), EVERYTHING).unwrap();
    assert_eq!(outcomes.len(), 3);
    assert!(outcomes.iter().all(|outcome| outcome.seen() == [3, 2, 2, 1, 1] && outcome.chance == part(1, 3)));
    let places: Vec<u64> = outcomes.iter().map(|outcome| outcome.kept[0]).collect();
    assert_eq!(places, [3, 2, 2], "S1 stands at each of three places");
    let beliefs = calibrated.beliefs(&seen(&[3, 2, 2, 1, 1], 18, 3)).unwrap();
    assert_eq!(beliefs, [part(1, 3), part(1, 3), part(1, 3), RBig::ZERO, RBig::ZERO]);
}

// Section 6.2: Zipf's law.

/// F_i = 1000/i^alpha, twenty values; a half is rounded to the even number, which is what the
/// figures below are for.
fn zipf(alpha: f64) -> Vec<u64> {
    (1..=20).map(|rank| (1000.0 / f64::from(rank).powf(alpha)).round_ties_even() as u64).collect()
}

/// The shares of records that all ways withhold, in the order of the family's list.
fn rates(table: &Skewed) -> [f64; KINDS.len()] {
    KINDS.map(|kind| ((kind.build)(&Default::default()).expected(table) / RBig::from(table.records())).to_f64().value())
}

/// The same in units of the fourth digit.
fn four_digits(table: &Skewed) -> [u64; KINDS.len()] {
    rates(table).map(|rate| (rate * 1e4).round() as u64)
}

#[test]
fn figure_8b_by_l() {
    assert_eq!(KINDS.map(|kind| kind.name), ["unsafe-d", "r-suppression", "calibrated", "safe-d"]);
    let of = |l: u64| four_digits(&skewed(&zipf(1.0), l));
    assert_eq!(of(4), [1807, 1935, 2084, 3010]);
    assert_eq!(of(5), [1445, 1893, 2223, 3566]);
    assert_eq!(of(6), [1337, 2022, 2446, 4024]);
    assert_eq!(of(10), [2993, 3286, 3594, 5361]);
    // Candidacy asks for less as l grows, until eligibility is what matters.
    let bound: Vec<u64> = (4..=10).map(|l| of(l)[0]).collect();
    assert!(bound[..3].is_sorted_by(|a, b| a > b) && bound[2..].is_sorted_by(|a, b| a < b), "{bound:?}");
}

#[test]
fn figure_8a_by_alpha() {
    for tenths in 1..=7u32 {
        assert!(Ranked::new(&zipf(f64::from(tenths) / 10.0)).is_eligible(5), "alpha = 0.{tenths}");
    }
    let printed = |alpha: f64| {
        let [bound, random, _, safe] = four_digits(&skewed(&zipf(alpha), 5));
        [bound, random, safe]
    };
    assert_eq!(printed(0.8), [1414, 1460, 2580]);
    assert_eq!(printed(1.0), [1445, 1893, 3566]);
    assert_eq!(printed(2.0), [6412, 6747, 7923]);
    let series: Vec<[f64; KINDS.len()]> =
        (8..=20).map(|tenths| rates(&skewed(&zipf(f64::from(tenths) / 10.0), 5))).collect();
    assert!(series.is_sorted_by(|a, b| a[0] < b[0] && a[3] < b[3]), "more skew needs more suppression");
    assert!(
        series
            .iter()
            .all(|[bound, random, calibrated, safe]| bound < random && random < calibrated && calibrated < safe)
    );
}

// Section 6.1: samples of Adult.

const SAMPLES: usize = 100;

/// What suppression takes from many samples of a column.
struct Sampled {
    violating: usize,
    /// Sums of the shares that each way withholds from violating samples.
    withheld: [f64; KINDS.len()],
}

impl Sampled {
    /// Draws so many records, a hundred times, without replacement.
    fn new(column: &Column, records: usize, l: u64, seed: u64) -> Sampled {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let mut sampled = Sampled { violating: 0, withheld: [0.0; KINDS.len()] };
        for _ in 0..SAMPLES {
            let mut counts = vec![0; column.domain().len()];
            let drawn = rand::seq::index::sample(&mut generator, column.codes().len(), records);
            drawn.into_iter().for_each(|row| counts[column.codes()[row] as usize] += 1);
            sampled.add(&Ranked::new(&counts), l);
        }
        sampled
    }

    fn add(&mut self, ranked: &Ranked, l: u64) {
        if !ranked.is_eligible(l) {
            let rates = rates(&skewed(&ranked.frequencies, l));
            self.violating += 1;
            self.withheld.iter_mut().zip(rates).for_each(|(sum, rate)| *sum += rate);
        }
    }

    /// The paper's averaged suppression rate: over all samples, of which most need none.
    fn averaged(&self) -> [f64; KINDS.len()] {
        self.withheld.map(|sum| sum / SAMPLES as f64)
    }

    /// The mean over the samples that need it.
    fn of_violating(&self) -> [f64; KINDS.len()] {
        self.withheld.map(|sum| sum / self.violating as f64)
    }
}

/// What people do, in Adult's training part.
fn occupations() -> Option<Column> {
    let (table, _) = adult_arx()?;
    let column = table.column("occupation").expect("a column").clone();
    let whole = Ranked::new(&column.counts());
    assert_eq!((whole.records(), whole.codes.len()), (30_162, 14));
    assert!(whole.is_eligible(7), "the largest of 14 shares is 13.4 %");
    Some(column)
}

/// Samples of 0.5 %, l = 6. The paper prints 40 violating samples of 100, less than 3 % withheld by
/// R-suppression, nearly as little by the bound, and more than 10 % by Safe D.
///
/// Over 40 seeds: 26 to 49 violating samples, in the mean 33.7; 2.9 % (bound), 3.2 % (R), 3.6 %
/// (calibrated) and 8.3 % (Safe D) of all samples; 8.7, 9.6, 10.7 and 24.7 % of the violating ones.
/// So both printed rates are within what a hundred samples may give, but not at once: Safe D takes
/// 2.4 to 2.8 times what R-suppression does, and the paper has more than 3.3 times.
#[test]
fn samples_of_adult_at_l_6() {
    let Some(column) = occupations() else { return };
    let runs: Vec<Sampled> = (0..10).map(|seed| Sampled::new(&column, 150, 6, seed)).collect();
    for run in &runs {
        assert!((25..=50).contains(&run.violating), "{} violating samples", run.violating);
        let [bound, random, calibrated, safe] = run.averaged();
        assert!(0.02 < bound && bound < random && random < calibrated && calibrated < safe && safe < 0.14);
        assert!(random < bound + 0.006, "R-suppression is nearly as little as can be: {bound} and {random}");
        assert!(safe > 2.2 * random && safe < 3.2 * random, "{safe} and {random}");
        assert!(random > 0.03 || safe < 0.1, "the printed rates do not come together: {random} and {safe}");
    }
    let violating = runs.iter().map(|run| run.violating).sum::<usize>() as f64;
    assert_between(violating / 1000.0, 0.30, 0.41);
    let mean_of = |rates: fn(&Sampled) -> [f64; KINDS.len()], way: usize| {
        runs.iter().map(|run| rates(run)[way]).sum::<f64>() / runs.len() as f64
    };
    let expected = [(0.029, 0.087), (0.032, 0.096), (0.036, 0.107), (0.083, 0.247)];
    for (way, (of_all, of_violating)) in expected.into_iter().enumerate() {
        assert_between(mean_of(Sampled::averaged, way), 0.85 * of_all, 1.15 * of_all);
        assert_between(mean_of(Sampled::of_violating, way), 0.95 * of_violating, 1.05 * of_violating);
    }
}

fn assert_between(found: f64, least: f64, most: f64) {
    assert!(least <= found && found <= most, "{found} is not in {least}..{most}");
}

/// Figures 5, 6 and 7.
#[test]
fn smaller_samples_and_larger_l_are_violated_more_often_and_cost_more() {
    let Some(column) = occupations() else { return };
    let of_sizes = |l: u64| [150, 301, 603].map(|records| Sampled::new(&column, records, l, 1));
    let by_l: Vec<[Sampled; 3]> = (2..=7).map(of_sizes).collect();
    let violating: Vec<[usize; 3]> =
        by_l.iter().map(|sizes| sizes.each_ref().map(|sampled| sampled.violating)).collect();
    assert_eq!(violating[..3], [[0; 3]; 3], "no sample has a value with a quarter");
    for (l, counts) in (2..).zip(&violating) {
        assert!(counts.is_sorted_by(|small, large| small >= large), "l = {l}: {counts:?} by size");
    }
    for size in 0..3 {
        assert!(violating.is_sorted_by(|less, more| less[size] <= more[size]), "{violating:?} by l");
        assert!(by_l.is_sorted_by(|less, more| costs_no_more(&less[size], &more[size])), "cost by l");
    }
    assert!(violating[5][0] > 85 && violating[5][2] > 50, "l = 7 is close to the largest share: {violating:?}");
    for sizes in &by_l {
        assert!(sizes.is_sorted_by(|small, large| costs_no_more(large, small)), "cost by size");
    }
}

fn costs_no_more(less: &Sampled, more: &Sampled) -> bool {
    less.averaged().iter().zip(more.averaged()).all(|(less, more)| *less <= more)
}
