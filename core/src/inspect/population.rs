//! How many people of a population are unique, judged from a sample of them: each known estimator,
//! side by side.
//!
//! A record that is unique in the table need not be unique among all the people that it might be of.
//! How many are is not in the table: estimators assume how classes of the population are spread, and
//! differ by factors where the sample is small. So all of them are shown.
//!
//! With n records of N people, u classes of which c_i have i records, and π = n/N:
//!
//! - *Zayatz* (1991): c_1² / Σ c_i·P(one of i is drawn), from the hypergeometric distribution.
//! - *Pitman* (Hoshino 2001): the two parameters of Ewens' formula by maximum likelihood, then
//!   Γ(θ+1)/Γ(θ+α)·N^α.
//! - *SNB*, the slide negative binomial (Chen and Keller-McNulty 1998): the number of classes by
//!   Shlosser's estimator, the two parameters from c_1 and c_2.
//! - *Dankar* et al. (2012) say which to take: with π at most a tenth Pitman, above it the smaller of
//!   Zayatz and SNB; Zayatz where those have no solution.

use crate::candidate::Groups;
use crate::data::Column;
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// Records, and the people that they may be of.
#[derive(Clone, Debug, PartialEq)]
pub struct Population {
    /// How many people there are.
    pub people: u64,
    /// Records in the table.
    pub records: u64,
    /// Classes of records with equal quasi-identifiers.
    pub classes: u64,
    /// Records that are unique in the table.
    pub sample_uniques: u64,
    /// The share of pairs of records that quasi-identifiers tell apart; nothing of one record.
    pub separation: Option<f64>,
    /// How many of the people are estimated to be unique, by each estimator; nothing where it has no
    /// solution.
    pub estimates: [(Estimator, Option<f64>); 3],
    /// Which estimate to take.
    pub advised: Option<Estimator>,
}

/// How uniques of a population are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimator {
    /// From the hypergeometric distribution.
    Zayatz,
    /// By Ewens' formula with two parameters.
    Pitman,
    /// By the slide negative binomial distribution.
    Snb,
}

impl Estimator {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Estimator::Zayatz => "Zayatz",
            Estimator::Pitman => "Pitman",
            Estimator::Snb => "SNB",
        }
    }
}

impl Population {
    /// The share of the people whose records are in the table.
    pub fn sampling_fraction(&self) -> f64 {
        self.records as f64 / self.people as f64
    }

    /// Classes per record: one where everybody is unique.
    pub fn distinction(&self) -> f64 {
        self.classes as f64 / self.records as f64
    }

    /// An estimate.
    pub fn estimate(&self, wanted: Estimator) -> Option<f64> {
        self.estimates.iter().find(|(estimator, _)| *estimator == wanted).and_then(|(_, found)| *found)
    }
}

/// What the quasi-identifiers of a sample tell about a population of so many people.
pub fn population(quasi: &[&Column], records: usize, people: u64) -> Result<Population> {
    if people < records as u64 {
        let message = format!("a population of {people} people has no {records} records");
        return Err(Error::plan(message).help("say how many people the records are a sample of"));
    }
    let groups = Groups::by_columns(quasi, records);
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    (0..groups.len()).for_each(|group| *sizes.entry(groups.size(group) as u64).or_default() += 1);
    Ok(Sample::new(sizes, people).judge())
}

/// How many classes have how many records.
struct Sample {
    /// Sizes with the number of classes, as floats.
    sizes: Vec<(f64, f64)>,
    /// n, u, c_1 and c_2.
    records: f64,
    classes: f64,
    ones: f64,
    twos: f64,
    /// N.
    people: f64,
}

impl Sample {
    fn new(sizes: BTreeMap<u64, u64>, people: u64) -> Sample {
        let count = |size: u64| sizes.get(&size).copied().unwrap_or(0) as f64;
        let (ones, twos) = (count(1), count(2));
        let sizes: Vec<(f64, f64)> = sizes.into_iter().map(|(size, count)| (size as f64, count as f64)).collect();
        let records = sizes.iter().map(|(size, count)| size * count).sum();
        let classes = sizes.iter().map(|(_, count)| count).sum();
        Sample { sizes, records, classes, ones, twos, people: people as f64 }
    }

    fn judge(&self) -> Population {
        let pairs: f64 = self.sizes.iter().map(|(size, count)| count * size * (size - 1.0)).sum();
        let all = self.records * (self.records - 1.0);
        let estimates = [
            (Estimator::Zayatz, self.known().or_else(|| self.zayatz())),
            (Estimator::Pitman, self.known().or_else(|| self.pitman())),
            (Estimator::Snb, self.known().or_else(|| self.snb())),
        ];
        let mut found = Population {
            people: self.people as u64,
            records: self.records as u64,
            classes: self.classes as u64,
            sample_uniques: self.ones as u64,
            separation: (all > 0.0).then(|| 1.0 - pairs / all),
            estimates,
            advised: None,
        };
        found.advised = advised(&found);
        found
    }

    /// What needs no estimate: nobody is unique who is not in the sample, or all are in it.
    fn known(&self) -> Option<f64> {
        (self.ones == 0.0 || self.records == self.people).then_some(self.ones)
    }

    fn share(&self) -> f64 {
        self.records / self.people
    }

    fn zayatz(&self) -> Option<f64> {
        let (n, people) = (self.records, self.people);
        let whole = ln_choose(people, n);
        let one_drawn = |size: f64| {
            if n - 1.0 > people - size { 0.0 } else { size * (ln_choose(people - size, n - 1.0) - whole).exp() }
        };
        let expected: f64 = self.sizes.iter().map(|(size, count)| count * one_drawn(*size)).sum();
        finite(self.ones * self.ones / expected)
    }

    /// # Claim
    /// The logarithm of Ewens' formula has the derivatives Σ1/(θ+iα) − Σ1/(θ+i) by θ and
    /// Σi/(θ+iα) − Σ c_j Σ1/(i−α) by α; sums of such are differences of digamma. For an α the first
    /// falls from above to below zero in θ, and along these θ the second does so in α.
    fn pitman(&self) -> Option<f64> {
        let (n, u) = (self.records, self.classes);
        if u < 2.0 || u == n {
            return None;
        }
        // Σ 1/(θ+iα) for i below u.
        let steps = |theta: f64, alpha: f64| {
            let start = theta / alpha;
            (digamma(start + u) - digamma(start + 1.0)) / alpha
        };
        let theta_of = |alpha: f64| {
            let slope = |theta: f64| steps(theta, alpha) - (digamma(theta + n) - digamma(theta + 1.0));
            // Above −α; by the order of magnitude of the distance. Beyond 10¹⁰ differences drown in
            // rounding.
            let at = |power: f64| power.exp() - alpha;
            root(-30.0, 24.0, |power| slope(at(power))).map(at)
        };
        let slope = |alpha: f64| {
            let theta = theta_of(alpha)?;
            let within = |(size, count): &(f64, f64)| count * (digamma(size - alpha) - digamma(1.0 - alpha));
            Some((u - 1.0 - theta * steps(theta, alpha)) / alpha - self.sizes.iter().map(within).sum::<f64>())
        };
        let alpha = root(1e-4, 1.0 - 1e-9, |alpha| slope(alpha).unwrap_or(f64::NAN))?;
        let theta = theta_of(alpha)?;
        finite((ln_gamma(theta + 1.0) - ln_gamma(theta + alpha) + alpha * self.people.ln()).exp())
    }

    /// # Claim
    /// For a b the expected number of classes with one record, K·π·rᵃ·(1 + a·d/(1−d)) with
    /// r = b/(1−d) < 1, rises in a to one top, if at all, and then falls to zero. So at most two
    /// choices of a have the c_1 that was seen, one on either side of the top, and each gives a curve
    /// in b on which c_2 is looked for.
    fn snb(&self) -> Option<f64> {
        let share = self.share();
        let classes = self.shlosser()?;
        let wanted = self.ones / (classes * share);
        let curve = |is_rising: bool| {
            let twos_missed = |b: f64| {
                let a = self.shape_of(b, wanted, is_rising)?;
                let d = (1.0 - share) * (1.0 - b);
                let twos = classes * a * b.powf(a) * share * share * (1.0 - b) * (2.0 - (1.0 - a) * d)
                    / (2.0 * (1.0 - d).powf(a + 2.0));
                Some(twos - self.twos)
            };
            let b = first_root(twos_missed)?;
            finite(classes * b.powf(self.shape_of(b, wanted, is_rising)?))
        };
        curve(true).or_else(|| curve(false)).filter(|found| *found <= self.people)
    }

    /// The a with which so many classes have one record, before or behind the top.
    fn shape_of(&self, b: f64, wanted: f64, is_rising: bool) -> Option<f64> {
        let d = (1.0 - self.share()) * (1.0 - b);
        let ratio = (b / (1.0 - d)).ln();
        let expected = |a: f64| (a * ratio).exp() * (1.0 + a * d / (1.0 - d));
        let top = (-1.0 / ratio - (1.0 - d) / d).max(0.0);
        if expected(top) < wanted || is_rising && (top == 0.0 || wanted < 1.0) {
            return None;
        }
        if is_rising {
            return root(0.0, top, |a| wanted - expected(a));
        }
        let mut end = top.max(1.0);
        while expected(end) > wanted {
            end *= 2.0;
        }
        root(top, end, |a| expected(a) - wanted)
    }

    /// How many classes the population has.
    fn shlosser(&self) -> Option<f64> {
        let (p, q) = (self.share(), 1.0 - self.share());
        let (twice, rest) = (p * p, 1.0 - p * p);
        let sum = |term: &dyn Fn(f64) -> f64| self.sizes.iter().map(|(size, count)| count * term(*size)).sum::<f64>();
        let first = sum(&|size| size * twice * rest.powf(size - 1.0)) / sum(&|size| rest.powf(size) - q.powf(size));
        let second = sum(&|size| q.powf(size)) / sum(&|size| size * p * q.powf(size - 1.0));
        finite(self.classes + self.ones * first * second * second)
    }
}

/// Which estimate to take (Dankar et al. 2012).
fn advised(found: &Population) -> Option<Estimator> {
    let [zayatz, pitman, snb] =
        [Estimator::Zayatz, Estimator::Pitman, Estimator::Snb].map(|one| found.estimate(one).map(|count| (one, count)));
    let best = match found.sampling_fraction() <= 0.1 {
        true => pitman.or(zayatz),
        false => [zayatz, snb].into_iter().flatten().reduce(|one, other| if other.1 < one.1 { other } else { one }),
    };
    best.map(|(estimator, _)| estimator)
}

fn ln_choose(n: f64, k: f64) -> f64 {
    ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)
}

fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// The derivative of `ln_gamma`, for numbers above zero: moved up to where its series is good to 15
/// digits (Abramowitz and Stegun, 6.3.18).
fn digamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < 10.0 {
        below += 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let terms = [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
    let series = terms.iter().rev().fold(0.0, |sum, term| square * (term + sum));
    x.ln() - 0.5 / x - series - below
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Where a function that is above zero on the left comes below it.
fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> Option<f64> {
    if f(low).is_nan() || f(low) < 0.0 || f(high) > 0.0 {
        return None;
    }
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    Some((low + high) / 2.0)
}

/// The first b between 0 and 1 at which a function changes its sign, looked for from small ones on.
fn first_root(f: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    const STEPS: u32 = 800;
    let at = |step: u32| 10f64.powf(-8.0 * (1.0 - f64::from(step) / f64::from(STEPS)));
    let values: Vec<Option<f64>> = (0..STEPS).map(|step| f(at(step))).collect();
    let changes = |step: &u32| {
        let [one, other] = [values[*step as usize], values[*step as usize + 1]];
        one.zip(other).is_some_and(|(one, other)| (one > 0.0) != (other > 0.0))
    };
    let step = (0..STEPS - 1).find(changes)?;
    let is_falling = values[step as usize].is_some_and(|value| value > 0.0);
    root(at(step), at(step + 1), |b| {
        let value = f(b).unwrap_or(f64::NAN);
        if is_falling { value } else { -value }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(sizes: &[(u64, u64)], people: u64) -> Population {
        Sample::new(sizes.iter().copied().collect(), people).judge()
    }

    #[test]
    fn a_whole_population_needs_no_estimate() {
        let found = sample(&[(1, 3), (2, 2), (5, 1)], 12);
        assert!(found.estimates.iter().all(|(_, count)| *count == Some(3.0)));
        assert_eq!((found.records, found.classes, found.sample_uniques), (12, 6, 3));
        let nobody = sample(&[(2, 5)], 1000);
        assert!(nobody.estimates.iter().all(|(_, count)| *count == Some(0.0)));
    }

    /// By fractions: of N = 10 people 4 were drawn, in classes of 1, 1 and 2.
    #[test]
    fn zayatz_is_that_of_the_hypergeometric_distribution() {
        let choose =
            |n: f64, k: f64| (0..k as u32).fold(1.0, |product, i| product * (n - f64::from(i)) / f64::from(i + 1));
        let one_of = |size: f64| size * choose(10.0 - size, 3.0) / choose(10.0, 4.0);
        let expected = 2.0 * 2.0 / (2.0 * one_of(1.0) + one_of(2.0));
        let found = sample(&[(1, 2), (2, 1)], 10).estimate(Estimator::Zayatz).unwrap();
        assert!((found - expected).abs() < 1e-9, "{found} and {expected}");
    }

    #[test]
    fn digamma_is_what_tables_say() {
        // −γ, −γ − 2 ln 2, and one less than at 2.
        for (x, expected) in [(1.0, -0.577_215_664_901_532_9), (0.5, -1.963_510_026_021_423_5)] {
            assert!((digamma(x) - expected).abs() < 1e-14, "{x}");
        }
        let sum: f64 = (1..1000).map(|i| 1.0 / (0.3 + f64::from(i))).sum();
        assert!((digamma(1000.3) - digamma(1.3) - sum).abs() < 1e-12);
    }

    #[test]
    fn pairs_that_differ_are_counted() {
        // Of the 6 pairs of 4 records one is alike.
        let found = sample(&[(1, 2), (2, 1)], 10);
        assert!((found.separation.unwrap() - 5.0 / 6.0).abs() < 1e-12);
        assert_eq!(found.distinction(), 0.75);
        assert_eq!(sample(&[(1, 1)], 10).separation, None);
    }

    #[test]
    fn odd_samples_have_no_estimate_and_no_panic() {
        for (sizes, people) in [(vec![(1, 1)], 1000), (vec![(1, 50)], 1000), (vec![(1, 1), (1000, 1)], 1_000_000)] {
            let found = sample(&sizes, people);
            for (_, count) in found.estimates {
                assert!(count.is_none_or(|count| count.is_finite() && count >= 0.0), "{found:?}");
            }
        }
    }

    #[test]
    fn a_population_smaller_than_the_table_is_refused() {
        assert!(population(&[], 5, 4).is_err());
    }
}
