//! What cannot be together: the coarsest candidates that are known to be below.
//!
//! A candidate that is below rules out everything finer. So every safe candidate is coarser than it
//! in one of its columns that are not on the highest level: a *conflict* of few columns says much.
//! Conflicts also tell what every safe candidate must give up at least, by weak duality.

use crate::utility::Terms;

/// Columns with their levels: no safe candidate is on these levels or finer ones in all of them.
pub(super) type Conflict = Vec<(usize, usize)>;

/// What is known to be below.
#[derive(Default)]
pub(super) struct Conflicts {
    all: Vec<Conflict>,
}

/// Candidates between two, with both.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Region {
    pub low: Vec<usize>,
    pub high: Vec<usize>,
}

/// What candidates of a region give up at least.
pub(super) struct Price {
    /// The least sum of terms.
    pub sum: f64,
    /// For each column and level what reaching it costs beyond what conflicts have paid.
    left: Vec<Vec<f64>>,
}

impl Price {
    /// The coarsest candidate for which conflicts have paid.
    pub fn paid(&self, region: &Region) -> Vec<usize> {
        let columns = region.low.iter().zip(&region.high).zip(&self.left);
        columns
            .map(|((&low, &high), left)| (low..=high).rev().find(|&level| left[level] <= 0.0).unwrap_or(low))
            .collect()
    }

    /// What it costs beyond that to give up a column.
    pub fn left(&self, column: usize, level: usize) -> f64 {
        self.left[column][level]
    }
}

impl Conflicts {
    /// Takes in a candidate that is below, of columns with these highest levels.
    pub fn add(&mut self, levels: &[usize], high: &[usize]) {
        let columns = (0..levels.len()).filter(|&column| levels[column] < high[column]);
        let new: Conflict = columns.map(|column| (column, levels[column])).collect();
        self.all
            .retain(|old| !new.iter().all(|(column, level)| old.iter().any(|(own, at)| own == column && at <= level)));
        self.all.push(new);
    }

    /// How many columns all of them have.
    pub fn size(&self) -> u64 {
        self.all.iter().map(|conflict| conflict.len() as u64).sum()
    }

    /// Whether a candidate is below one of them.
    pub fn rule_out(&self, levels: &[usize]) -> bool {
        self.all.iter().any(|conflict| holds_down(conflict, levels))
    }

    /// The conflict with the fewest ways out that the finest candidate of a region is in.
    pub fn narrowest(&self, region: &Region) -> Option<&Conflict> {
        let open = self.all.iter().filter(|conflict| holds_down(conflict, &region.low));
        open.min_by_key(|conflict| ways_out(conflict, region).count())
    }

    /// What candidates of a region that are in no conflict give up at least; nothing if there is
    /// none.
    ///
    /// # Claim
    /// Let every conflict w have a price y(w) ≥ 0 such that for each column c and level l the
    /// prices of conflicts that c leaves on level l sum to at most t(c, l) − t(c, low). A safe
    /// candidate v leaves every conflict by some column, so Σ y ≤ Σ over c of the prices of
    /// conflicts that c leaves on v's level ≤ Σ t(c, v) − Σ t(c, low). Each price is taken as large
    /// as those before it allow; whatever the order, the claim holds.
    pub fn price(&self, region: &Region, terms: &Terms) -> Option<Price> {
        let columns = region.low.iter().zip(&terms.of);
        // Terms are rounded: what is left by rounding is nothing.
        let least = 1e-12 * terms.of.iter().filter_map(|of| of.last()).sum::<f64>().abs();
        let rounded = |left: f64| if left <= least { 0.0 } else { left };
        let mut left: Vec<Vec<f64>> =
            columns.clone().map(|(&low, of)| of.iter().map(|term| rounded(term - of[low])).collect()).collect();
        let mut sum: f64 = columns.map(|(&low, of)| of[low]).sum();
        for conflict in self.all.iter().filter(|conflict| holds_down(conflict, &region.low)) {
            let slack = |column: usize, level: usize| {
                left[column][level..=region.high[column]].iter().copied().fold(f64::INFINITY, f64::min)
            };
            let price =
                ways_out(conflict, region).map(|(column, level)| slack(column, level)).fold(f64::INFINITY, f64::min);
            if price == f64::INFINITY {
                return None;
            }
            sum += price;
            for (column, level) in ways_out(conflict, region).filter(|_| price > 0.0) {
                left[column][level..].iter_mut().for_each(|left| *left = rounded(*left - price));
            }
        }
        Some(Price { sum, left })
    }
}

/// Whether a candidate is on the levels of a conflict or finer ones.
fn holds_down(conflict: &Conflict, levels: &[usize]) -> bool {
    conflict.iter().all(|&(column, level)| levels[column] <= level)
}

/// Columns and the levels from which on they leave a conflict, within a region.
pub(super) fn ways_out<'c>(conflict: &'c Conflict, region: &'c Region) -> impl Iterator<Item = (usize, usize)> + 'c {
    conflict.iter().map(|&(column, level)| (column, level + 1)).filter(|&(column, level)| level <= region.high[column])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HIGH: usize = 3;
    const COLUMNS: usize = 4;

    /// Every candidate of a region.
    fn all(region: &Region) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for (&low, &high) in region.low.iter().zip(&region.high) {
            all = all.iter().flat_map(|one| (low..=high).map(|level| [one.as_slice(), &[level]].concat())).collect();
        }
        all
    }

    fn levels() -> impl Strategy<Value = Vec<usize>> {
        proptest::collection::vec(0..=HIGH, COLUMNS)
    }

    proptest! {
        /// Nothing that is in no conflict has a smaller sum; and what is ruled out is what a
        /// conflict is coarser than.
        #[test]
        fn a_price_is_never_too_high(
            known in proptest::collection::vec(levels(), 0..8),
            steps in proptest::collection::vec(proptest::collection::vec(0u32..4, HIGH), COLUMNS),
            low in levels(),
            high in levels(),
        ) {
            let mut conflicts = Conflicts::default();
            known.iter().for_each(|levels| conflicts.add(levels, &[HIGH; COLUMNS]));
            let of = |steps: &Vec<u32>| {
                let mut sum = 0.5;
                let rest = steps.iter().map(|&step| { sum += f64::from(step); sum });
                [0.5].into_iter().chain(rest).collect::<Vec<f64>>()
            };
            let terms = Terms { of: steps.iter().map(of).collect(), bound: |sum| sum };
            let high: Vec<usize> = low.iter().zip(&high).map(|(&low, &high)| low.max(high)).collect();
            let region = Region { low, high };
            let is_ruled_out = |one: &Vec<usize>| known.iter().any(|levels| one.iter().zip(levels).all(|(a, b)| a <= b));
            let open: Vec<Vec<usize>> = all(&region).into_iter().filter(|one| !is_ruled_out(one)).collect();
            prop_assert!(all(&region).iter().all(|one| conflicts.rule_out(one) == is_ruled_out(one)));
            let least = open.iter().map(|one| terms.sum(one)).min_by(f64::total_cmp);
            match (conflicts.price(&region, &terms), least) {
                (Some(price), Some(least)) => {
                    prop_assert!(price.sum <= least + 1e-9, "{} > {least}", price.sum);
                    prop_assert!(!is_ruled_out(&price.paid(&region)), "what is paid for leaves every conflict");
                }
                (None, least) => prop_assert_eq!(least, None),
                (Some(_), None) => {}
            }
        }
    }
}
