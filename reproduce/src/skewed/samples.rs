//! Figures 5 to 7: samples of Adult, how many of them are not eligible, and what each way to
//! suppress then costs.

use super::{RANDOM, RANK, SAFE, UNSAFE, WAYS, rates};
use crate::Setting;
use crate::adult::Adult;
use crate::page::{Cell, Chart, Column, Section, Source, Table, Unit};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use sfumato::Result;
use sfumato::data::Column as Values;
use sfumato::report::grouped;
use sfumato::skew::{Ranked, Skewed};

/// How many samples are drawn at a time, as in the paper.
const SAMPLES: usize = 100;
/// How many records the paper's population has; samples are shares of it.
const POPULATION: f64 = 30_162.0;
/// Sizes of samples, as shares of the population. The paper names 0.5 % alone.
const SIZES: [f64; 8] = [0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.05];
/// Among how many values the most frequent one hides.
const LS: [u64; 5] = [3, 4, 5, 6, 7];
/// The setting that the text speaks of.
pub const NAMED: (f64, u64) = (0.005, 6);

const SUPPRESS_ALL: &str = "Suppress-All";

/// The records that samples are drawn of.
pub struct Population {
    pub column: Values,
    pub source: Source,
}

impl Population {
    /// Occupations of Adult's training part.
    pub fn load(setting: &Setting<'_>) -> Result<Population> {
        let adult = Adult::load(setting)?;
        let table = adult.training();
        let name = format!("{}; of them the training part, {} records", adult.source.name, grouped(table.rows()));
        let column = table.column("occupation")?.clone();
        Ok(Population { column, source: Source { name, ..adult.source } })
    }

    fn largest_share(&self) -> f64 {
        let ranked = Ranked::new(&self.column.counts());
        ranked.frequencies.first().copied().unwrap_or(0) as f64 / ranked.records().max(1) as f64
    }
}

/// Samples of one size, by hundreds.
pub struct Drawn {
    pub size: f64,
    pub records: usize,
    /// How often each value occurs in each sample of each hundred, most frequent first.
    pub hundreds: Vec<Vec<Ranked>>,
    /// What comes of it for each of the l.
    by_l: Vec<Vec<Hundred>>,
}

/// What suppression takes from a hundred samples.
#[derive(Clone, Copy, Default)]
struct Hundred {
    violating: f64,
    /// The paper's averaged suppression rate: over all samples, of which some need none.
    withheld: [f64; 4],
}

impl Hundred {
    fn new(samples: &[Ranked], l: u64) -> Hundred {
        let mut sum = Hundred::default();
        for ranked in samples.iter().filter(|ranked| !ranked.is_eligible(l)) {
            // With fewer than l values no part is eligible: everything is withheld.
            let rates = Skewed::new(&ranked.frequencies, l).map_or([1.0; 4], |table| rates(&table));
            sum.violating += 1.0;
            sum.withheld.iter_mut().zip(rates).for_each(|(sum, rate)| *sum += rate);
        }
        let samples = samples.len() as f64;
        Hundred { violating: sum.violating / samples, withheld: sum.withheld.map(|sum| sum / samples) }
    }
}

/// Draws every size, by hundreds, without replacement.
pub fn draw(setting: &Setting<'_>, population: &Population) -> Vec<Drawn> {
    setting.now("samples of Adult");
    let hundreds = setting.pick(5, 40);
    let of_size = |(at, size): (u64, f64)| {
        let records = (size * POPULATION) as usize;
        let one = |seed: u64| hundred(&population.column, records, 1000 * at + seed);
        let hundreds: Vec<Vec<Ranked>> = (0..hundreds).into_par_iter().map(one).collect();
        let of_l = |l: u64| hundreds.par_iter().map(|samples| Hundred::new(samples, l)).collect();
        Drawn { size, records, by_l: LS.map(of_l).into(), hundreds }
    };
    (0..).zip(SIZES).map(of_size).collect()
}

fn hundred(column: &Values, records: usize, seed: u64) -> Vec<Ranked> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let codes = column.codes();
    let one = |_| {
        let mut counts = vec![0; column.domain().len()];
        let drawn = rand::seq::index::sample(&mut generator, codes.len(), records.min(codes.len()));
        drawn.into_iter().for_each(|row| counts[codes[row] as usize] += 1);
        Ranked::new(&counts)
    };
    (0..SAMPLES).map(one).collect()
}

impl Drawn {
    fn of(&self, l: u64) -> &[Hundred] {
        let at = LS.iter().position(|&known| known == l).expect("one of the l");
        &self.by_l[at]
    }

    fn mean(&self, l: u64, of: impl Fn(&Hundred) -> f64) -> f64 {
        self.of(l).iter().map(of).sum::<f64>() / self.of(l).len() as f64
    }

    /// The rates of all ways, then of withholding everything, in the mean.
    fn rates(&self, l: u64) -> [f64; 5] {
        std::array::from_fn(|at| match at {
            4 => self.mean(l, |hundred| hundred.violating),
            way => self.mean(l, |hundred| hundred.withheld[way]),
        })
    }
}

/// The size that the text names.
pub fn named(drawn: &[Drawn]) -> &Drawn {
    drawn.iter().find(|drawn| drawn.size == NAMED.0).expect("one of the sizes")
}

/// The three figures.
pub fn sections(population: &Population, drawn: &[Drawn]) -> Vec<Section> {
    vec![figure_5(population, drawn), figure_6(population, drawn), figure_7(population, drawn)]
}

fn section(id: &str, title: &str, population: &Population, drawn: &[Drawn]) -> Section {
    Section::new(id, title, population.source.clone()).words(format!(
        "Samples of as many records as are p of 30,162, drawn without replacement from {}; the sensitive value is the occupation. {} times a hundred samples of each size, of which the mean is shown; the paper draws one hundred. Which sizes and l \
         it draws is in its pictures alone, but for p = 0.5 % and l = 6.",
        grouped(population.column.codes().len()),
        drawn[0].hundreds.len()
    ))
}

fn first_columns() -> [Column; 2] {
    [Column::share("p", 2), Column::count("records in a sample")]
}

fn figure_5(population: &Population, drawn: &[Drawn]) -> Section {
    let name = |l: &u64| format!("l = {l}");
    let columns = first_columns().into_iter().chain(LS.iter().map(|l| Column::number(name(l), 1)));
    let chart = Chart::lines("Samples that are not eligible", "p", "of 100", LS.iter().map(name));
    let mut table = Table::new("Violating samples of 100", columns).chart(chart);
    let violating = |drawn: &Drawn, l: u64| drawn.mean(l, |hundred| hundred.violating) * SAMPLES as f64;
    for one in drawn {
        let cells = LS.iter().map(|&l| Cell::from(violating(one, l)));
        table.row([one.size.into(), one.records.into()].into_iter().chain(cells));
    }
    let section = section("figure-5", "Figure 5: samples that violate l-eligibility", population, drawn).table(table);
    let (l, named) = (NAMED.1, named(drawn));
    let shares: Vec<f64> = named.of(l).iter().map(|hundred| hundred.violating).collect();
    let (least, most) = range(&shares);
    // Fewer by more than one in a hundred: less is the noise of drawing.
    let falls = |easier: f64, harder: f64| usize::from(harder < easier - 1.0);
    let by_p =
        |l: u64| drawn.windows(2).map(|pair| falls(violating(&pair[1], l), violating(&pair[0], l))).sum::<usize>();
    let smaller_p = LS.into_iter().map(by_p).sum::<usize>();
    let share = population.largest_share();
    section
        .compare(
            format!("violating samples at p = 0.5 %, l = 6: mean of hundreds that have {} to {}", percent(least), percent(most)),
            (violating(named, l) / SAMPLES as f64, Unit::Share(1)),
            "“as high as 40%”",
            least <= 0.4 && 0.4 <= most,
            "the paper drew one hundred samples: a hundred differs from the next by several, but none of ours by so much",
        )
        .compare(
            "steps to a smaller p with fewer violating samples, by more than one of 100",
            (smaller_p as f64, Unit::Count),
            "“with a small sample size p … there are more violating samples”",
            smaller_p == 0,
            "1/l of a small sample is seldom a whole number of records, and how much room that leaves changes from size \
             to size",
        )
        .compare(
            "the highest frequency in the whole",
            (share, Unit::Share(1)),
            "13.4 %",
            (share * 1000.0).round() == 134.0,
            "this is not the population of the paper, but a part of it, or one that was made up",
        )
}

fn figure_6(population: &Population, drawn: &[Drawn]) -> Section {
    let rows = drawn.iter().map(|one| (one.size, one.rates(NAMED.1)));
    let table = rate_table("Suppression by p, l = 6", Column::share("p", 2), rows);
    let section = section("figure-6", "Figure 6: suppression rate by p", population, drawn)
        .words(format!("l = 6. {AVERAGED}"))
        .table(table);
    let section = rates_named(section, population, named(drawn));
    let rates: Vec<[f64; 5]> = drawn.iter().map(|one| one.rates(NAMED.1)).collect();
    let falls = rates.windows(2).filter(|pair| pair[0][SAFE] < pair[1][SAFE]).count();
    orders(section, &rates, "a smaller p", falls)
}

fn figure_7(population: &Population, drawn: &[Drawn]) -> Section {
    let named = named(drawn);
    let rows = LS.iter().map(|&l| (l as f64, named.rates(l)));
    let table = rate_table("Suppression by l, p = 0.5 %", Column::count("l"), rows);
    let section = section("figure-7", "Figure 7: suppression rate by l", population, drawn)
        .words(format!("p = 0.5 %. {AVERAGED}"))
        .table(table);
    let rates: Vec<[f64; 5]> = LS.iter().map(|&l| named.rates(l)).collect();
    let falls = rates.windows(2).filter(|pair| pair[1][SAFE] < pair[0][SAFE]).count();
    orders(section, &rates, "a larger l", falls)
}

const AVERAGED: &str = "Rates are averaged over all samples, also those that need no suppression, as the paper does. That \
                        of R-suppression is its exact mean for each sample, not that of 100 runs. Suppress-All \
                        withholds every violating sample as a whole.";

fn rate_table(title: &str, across: Column, rows: impl Iterator<Item = (f64, [f64; 5])>) -> Table {
    let names = || WAYS.into_iter().chain([SUPPRESS_ALL]);
    let chart = Chart::lines(title, &across.name, "share of records withheld", names());
    let columns = [across].into_iter().chain(names().map(|name| Column::share(name, 2)));
    let mut table = Table::new("", columns).chart(chart);
    for (x, rates) in rows {
        table.row([Cell::from(x)].into_iter().chain(rates.map(Cell::from)));
    }
    table
}

/// What the text says about p = 0.5 % and l = 6.
fn rates_named(section: Section, population: &Population, named: &Drawn) -> Section {
    let each = |of: &dyn Fn(&Hundred) -> f64| -> Vec<f64> { named.of(NAMED.1).iter().map(of).collect() };
    let (random, safe) = (each(&|one| one.withheld[RANDOM]), each(&|one| one.withheld[SAFE]));
    let parts: Vec<f64> = safe.iter().zip(&random).filter(|(_, r)| **r > 0.0).map(|(safe, r)| safe / r).collect();
    let among = |values: &[f64]| {
        let (least, most) = range(values);
        format!(
            "samples are of a population whose most frequent value has {}, and hundreds of them differ: ours have {} to {}, and the paper drew one; Safe D in R-suppression, below, does not depend on how many violate",
            percent(population.largest_share()),
            percent(least),
            percent(most)
        )
    };
    let (least, most) = range(&parts);
    let both = random.iter().zip(&safe).filter(|(random, safe)| **random < 0.03 && **safe > 0.1).count();
    let [bound, mean_random, _, mean_safe, _] = named.rates(NAMED.1);
    let ratio = mean_safe / mean_random;
    section
        .compare(
            "R-suppression at p = 0.5 %, l = 6",
            (mean_random, Unit::Share(1)),
            "“less than 3%”",
            mean_random < 0.03,
            &among(&random),
        )
        .compare(
            "R-suppression above Unsafe D there, in points",
            (mean_random - bound, Unit::Share(2)),
            "“nearly identical to the suppression of Unsafe D”",
            mean_random - bound < 0.005,
            "what lies between the two is how far S1 is lowered at random beyond what is needed, which grows with the \
             gaps between the frequencies of a sample",
        )
        .compare(
            "Safe D there",
            (mean_safe, Unit::Share(1)),
            "“more than 10%”",
            mean_safe > 0.1,
            &among(&safe),
        )
        .compare(
            "Safe D in R-suppression there",
            (ratio, Unit::Times),
            "more than 3.3×, from “more than 10%” and “less than 3%”",
            ratio > 10.0 / 3.0,
            &format!(
                "it is {least:.2} to {most:.2} in our hundreds of samples, and {both} of the {} have both printed rates: by the methods as they are printed we cannot get the two from the same samples, and cannot tell which of them is off",
                random.len()
            ),
        )
}

/// What the text says about all points of a figure.
fn orders(section: Section, rates: &[[f64; 5]], harder: &str, falls: usize) -> Section {
    let needed: Vec<&[f64; 5]> = rates.iter().filter(|rates| rates[4] > 0.0).collect();
    let far = |rates: &&[f64; 5]| (rates[RANDOM] - rates[UNSAFE]) / (rates[SAFE] - rates[UNSAFE]);
    let farthest = needed.iter().map(far).filter(|far| far.is_finite()).fold(0.0, f64::max);
    let worse = needed.iter().map(|rates| rates[4] / rates[SAFE]).fold(f64::INFINITY, f64::min);
    let extra = needed.iter().map(|rates| rates[RANK] - rates[RANDOM]).fold(0.0, f64::max);
    section
        .words(format!(
            "Rank insertion withholds at most {:.2} points more than R-suppression here, and keeps the promise of 1/l that R-suppression does not.",
            extra * 100.0
        ))
        .compare(
            "R-suppression on the way from Unsafe D (0 %) to Safe D (100 %), at most",
            (farthest, Unit::Share(1)),
            "“only slightly more than the lower bound of Unsafe D for all p and l tested”",
            farthest < 0.25,
            "where samples are so small that single records matter, R-suppression is further from the bound; which sizes the \
             paper tested is in its picture alone",
        )
        .compare(
            "Suppress-All in Safe D, at least",
            (worse, Unit::Times),
            "“Suppress-All is far worse than all other approaches”",
            worse > 1.5,
            "where nearly all of a violating sample must go in any case, nothing is far worse",
        )
        .compare(
            format!("steps to {harder} with less suppression by Safe D"),
            (falls as f64, Unit::Count),
            "“suppression goes up quickly for a smaller p and a larger l”",
            falls == 0,
            "1/l of a small sample is seldom a whole number of records, and how much room that leaves changes from \
             point to point",
        )
}

fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, 0.0), |(least, most), &value| (least.min(value), most.max(value)))
}

fn percent(share: f64) -> String {
    Unit::Share(1).show(share)
}
