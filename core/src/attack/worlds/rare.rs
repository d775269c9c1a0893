//! Bounds for a group whose one division hardly ever fails: where no world that is drawn is
//! possible.
//!
//! # Claim
//! A world is possible if a side is not safe. A *reason* for that is that at least so many records
//! of some values are on the side. The share P of possible worlds is at least the chance p of one
//! reason. Of c records of a value, X are among the m of a cell; X is hypergeometric. So for every x
//! `E[X | possible] ≤ x + c·P(X > x)/p`, and `E[X | possible] ≥ x·(1 − P(X < x)/p)`; the belief is
//! that expectation divided by m. Any reason will do, and the likeliest ones give the narrowest
//! bounds: those of values of which the group has most already, beside what a side may have.

use super::{Case, Estimate, Scene};

/// Chances are sums of logarithms; so much they may be off, relatively.
const SLACK: f64 = 1e-6;

/// By class and cell where beliefs are; nothing if the group is not of this kind.
pub(super) fn framed(scene: &Scene<'_>, case: &Case) -> Option<Vec<Vec<Estimate>>> {
    if !super::division::is_one(scene, case) {
        return None;
    }
    let log = Factorials::new(case.rows());
    let tested = case.tests[0].iter().map(|part| part[0] as usize);
    let chances = tested.flat_map(|block| (0..scene.readers.len()).map(move |reader| (block, reader)));
    let possible = chances.filter_map(|(block, reader)| reason(scene, case, &log, block, reader)).reduce(f64::max)?;
    let of_class = case.by_class().map(|atoms| {
        if !atoms[0].wanted {
            return Vec::new();
        }
        (0..2).map(|block| frame(&log, case, atoms[0].total(), block, possible)).collect()
    });
    Some(of_class.collect())
}

/// The logarithm of the chance of the likeliest reason that one criterion gives for a side not to
/// be safe.
fn reason(scene: &Scene<'_>, case: &Case, log: &Factorials, block: usize, reader: usize) -> Option<f64> {
    let criterion = scene.readers[reader].criterion;
    let (rows, side) = (case.rows(), case.block_size(block));
    // How many records more than it may have a value would need, as a part of what there is.
    let mut values: Vec<(u32, u32, f64)> = case
        .atoms
        .iter()
        .map(|atom| {
            let (code, count) = (atom.codes[reader].code, atom.total());
            let enough = least_ruled_out(side, |some| criterion.rules_out_together(&[code], some, u64::from(side)));
            (code, count, f64::from(enough.unwrap_or(side + 1)) / f64::from(side) - f64::from(count) / f64::from(rows))
        })
        .collect();
    values.sort_by(|a, b| a.2.total_cmp(&b.2));
    let (mut codes, mut count, mut likeliest) = (Vec::new(), 0, None);
    for (code, own, _) in values {
        codes.push(code);
        count += own;
        let enough = least_ruled_out(side, |some| criterion.rules_out_together(&codes, some, u64::from(side)));
        let Some(enough) = enough.filter(|&enough| enough <= count.min(side)) else { continue };
        let chance = log.tail(rows, count, side, enough);
        likeliest = likeliest.into_iter().chain([chance]).reduce(f64::max);
    }
    likeliest.filter(|chance: &f64| chance.is_finite())
}

/// The smallest number up to a side's records that is ruled out; more are then, too.
fn least_ruled_out(side: u32, is_ruled_out: impl Fn(u64) -> bool) -> Option<u32> {
    let (mut low, mut high) = (1, side + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_ruled_out(u64::from(middle)) { high = middle } else { low = middle + 1 }
    }
    (low <= side).then_some(low)
}

fn frame(log: &Factorials, case: &Case, count: u32, block: usize, possible: f64) -> Estimate {
    let (rows, side) = (case.rows(), case.block_size(block));
    let chances = log.chances(rows, count, side);
    let most = f64::from(count.min(side));
    let (mut low, mut high) = (0.0, most);
    // From above: x + most·P(X > x)/P.
    let mut above = 0.0;
    for (some, chance) in (0..chances.len() as u32).zip(&chances).rev() {
        high = f64::min(high, f64::from(some) + most * f64::min(above * (1.0 + SLACK), 1.0));
        above += (chance - possible).exp();
    }
    let mut below = 0.0;
    for (some, chance) in (0u32..).zip(&chances) {
        low = f64::max(low, f64::from(some) * (1.0 - below * (1.0 + SLACK)));
        below += (chance - possible).exp();
    }
    Estimate { low: low / f64::from(side), high: (high / f64::from(side)).min(1.0) }
}

/// ln n! up to some n.
struct Factorials(Vec<f64>);

impl Factorials {
    fn new(most: u32) -> Factorials {
        let mut sum = 0.0;
        let logs = (0..=most).map(|n| {
            sum += f64::from(n.max(1)).ln();
            sum
        });
        Factorials(logs.collect())
    }

    fn choose(&self, all: u32, some: u32) -> f64 {
        let log = |n: u32| self.0[n as usize];
        log(all) - log(some) - log(all - some)
    }

    /// ln P(X = x) for each x up to `count` and `side`, X of `count` records being among `side` of
    /// `rows`.
    fn chances(&self, rows: u32, count: u32, side: u32) -> Vec<f64> {
        let chance = |some: u32| {
            let is_possible = side - some <= rows - count;
            let ways = || self.choose(count, some) + self.choose(rows - count, side - some);
            if is_possible { ways() - self.choose(rows, side) } else { f64::NEG_INFINITY }
        };
        (0..=count.min(side)).map(chance).collect()
    }

    /// ln P(X ≥ x), or a little less.
    fn tail(&self, rows: u32, count: u32, side: u32, least: u32) -> f64 {
        let chances = &self.chances(rows, count, side)[least as usize..];
        let most = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most + chances.iter().map(|chance| (chance - most).exp()).sum::<f64>().ln() - SLACK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_hypergeometric() {
        let log = Factorials::new(20);
        // 2 of 5 among 4 of 20 and more: (C(5,2)·C(15,2) + C(5,3)·15 + C(5,4))/C(20,4) = 1205/4845.
        assert!((log.tail(20, 5, 4, 2).exp() - 1205.0 / 4845.0).abs() < 2e-6);
        assert_eq!(least_ruled_out(9, |some| some >= 4), Some(4));
        assert_eq!(least_ruled_out(9, |_| false), None);
        let whole: f64 = log.chances(20, 5, 4).iter().map(|chance| chance.exp()).sum();
        assert!((whole - 1.0).abs() < 1e-12);
    }
}
