//! From below: what no safe candidate can beat.

use super::conflict::{Price, Region, ways_out};
use super::{Anytime, Place, Sight, exceeds, stepped};
use crate::candidate::FrequencySet;
use crate::utility::Terms;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// How many regions wait at most; what is beyond is left alone, with its bound.
const MOST_WAITING: usize = 50_000;

/// Steps that dividing a region takes at least, for each column.
const STEPS_PER_REGION: u64 = 100;

/// How many columns are in a block at first.
const BLOCK: usize = 6;

/// A region that may have a better candidate: the least bound first.
struct Waiting {
    sum: f64,
    number: u64,
    region: Region,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    /// The heap gives the greatest first: here the least sum is the greatest, then the first made.
    fn cmp(&self, other: &Self) -> Ordering {
        other.sum.total_cmp(&self.sum).then(other.number.cmp(&self.number))
    }
}

impl Anytime<'_> {
    /// Finds the lowest level of every column that is not below with all others on their highest,
    /// by bisection: no safe candidate is finer.
    pub(super) fn find_floor(&mut self) {
        let mut open: Vec<(usize, usize)> =
            self.whole.low.iter().copied().zip(self.whole.high.iter().copied()).collect();
        loop {
            let unknown: Vec<usize> = self.columns().filter(|&column| open[column].0 < open[column].1).collect();
            if unknown.is_empty() || !self.may_go_on() {
                break;
            }
            let middle = |column: usize| (open[column].0 + open[column].1) / 2;
            let alone: Vec<Vec<usize>> =
                unknown.iter().map(|&column| stepped(&self.whole.high, column, middle(column))).collect();
            for (&column, sight) in unknown.iter().zip(self.look_at_base(&alone)) {
                let middle = (open[column].0 + open[column].1) / 2;
                match sight {
                    Sight::Below => open[column].0 = middle + 1,
                    _ => open[column].1 = middle,
                }
            }
        }
        let low: Vec<usize> = open.into_iter().map(|range| range.0).collect();
        if low != self.whole.low {
            let base = self.base.clone();
            self.base = Arc::new(self.roll_up(&base, &low));
            self.whole.low = low;
        }
    }

    /// Collects conflicts until what they have paid for is not below; gives that back if it is
    /// safe.
    pub(super) fn collect_conflicts(&mut self, terms: &Terms) -> Option<Place> {
        while self.may_go_on() {
            let region = self.whole.clone();
            let price = self.conflicts.price(&region, terms)?;
            let paid = price.paid(&region);
            match self.look_at_base(std::slice::from_ref(&paid)).pop() {
                Some(Sight::Safe(place)) => return Some(place),
                Some(Sight::Below) => {
                    let (base, order) = (self.base.clone(), self.by_left(&price));
                    self.learn(&base, &paid, &order);
                }
                _ => return None,
            }
        }
        None
    }

    /// Makes a candidate that is below as coarse as it can be, on a set that is no coarser, and
    /// keeps it as a conflict. Columns are given up in this order.
    pub(super) fn learn(&mut self, set: &FrequencySet, levels: &[usize], order: &[usize]) {
        let high = self.whole.high.clone();
        let order: Vec<usize> = order.iter().copied().filter(|&column| levels[column] < high[column]).collect();
        let mut at = levels.to_vec();
        let mut rolled: Option<FrequencySet> = None;
        let (mut next, mut step) = (0, order.len().div_ceil(2));
        while next < order.len() && self.may_go_on() {
            let some = &order[next..(next + step).min(order.len())];
            let mut coarser = at.clone();
            some.iter().for_each(|&column| coarser[column] = high[column]);
            if self.is_below(rolled.as_ref().unwrap_or(set), &coarser) {
                next += some.len();
                step *= 2;
                at = coarser;
                rolled = Some(self.roll_up(rolled.as_ref().unwrap_or(set), &at));
            } else if some.len() == 1 {
                next += 1;
            } else {
                step = some.len() / 2;
            }
        }
        for &column in &order {
            while at[column] + 1 < high[column] && self.may_go_on() {
                let coarser = stepped(&at, column, at[column] + 1);
                if !self.is_below(rolled.as_ref().unwrap_or(set), &coarser) {
                    break;
                }
                at = coarser;
            }
        }
        self.conflicts.add(&at, &high);
    }

    fn is_below(&mut self, set: &FrequencySet, levels: &[usize]) -> bool {
        self.conflicts.rule_out(levels) || self.look(set, &[levels.to_vec()]) == [Sight::Below]
    }

    /// What the sum of terms of every safe candidate is at least: of columns in blocks, with all
    /// others on their highest level, and at last of all together.
    ///
    /// # Claim
    /// If a candidate is not below, it is not with other columns on their highest level either. So
    /// in each block its terms sum to at least the least sum of what is not below there.
    pub(super) fn prove(&mut self, terms: &Terms) -> f64 {
        let until = self.until;
        let all = terms.sum(&self.whole.high);
        let mut best = f64::NEG_INFINITY;
        let mut count = self.columns().len().div_ceil(BLOCK);
        loop {
            let mut sum = 0.0;
            for (at, block) in self.blocks(count).into_iter().enumerate() {
                // What one block leaves is for the others, and for larger blocks after them.
                self.until = self.spent + until.saturating_sub(self.spent) / (count - at) as u64;
                let goal = if count == 1 { Goal::Safe } else { Goal::NotBelow };
                let own: f64 = block.iter().map(|&column| terms.of[column][self.whole.high[column]]).sum();
                sum += self.least_sum(self.only(&block), terms, goal) - (all - own);
            }
            best = best.max(sum);
            if count == 1 || self.spent >= until {
                self.until = until;
                return best;
            }
            count = count.div_ceil(2);
        }
    }

    /// Columns dealt to blocks, those with most values first.
    fn blocks(&self, count: usize) -> Vec<Vec<usize>> {
        let mut columns: Vec<usize> = self.columns().collect();
        let values = |column: usize| self.judge.scales().columns[column].levels[self.whole.low[column]].counts.len();
        columns.sort_by_key(|&column| (std::cmp::Reverse(values(column)), column));
        (0..count).map(|block| columns.iter().copied().skip(block).step_by(count).collect()).collect()
    }

    /// All candidates with every other column on its highest level.
    fn only(&self, block: &[usize]) -> Region {
        let mut low = self.whole.high.clone();
        block.iter().for_each(|&column| low[column] = self.whole.low[column]);
        Region { low, high: self.whole.high.clone() }
    }

    /// What the sum of terms is at least in a region. The region is divided, the most promising
    /// part first, until nothing better can be left or work is done.
    fn least_sum(&mut self, region: Region, terms: &Terms, goal: Goal) -> f64 {
        let base = self.base.clone();
        let set = if region.low == self.whole.low { base } else { Arc::new(self.roll_up(&base, &region.low)) };
        let mut task = Dividing { set, terms, goal, found: f64::INFINITY, done: f64::INFINITY };
        let mut waiting = BinaryHeap::new();
        let mut number = 0;
        let Some(price) = self.conflicts.price(&region, terms) else { return f64::INFINITY };
        waiting.push(Waiting { sum: price.sum, number, region });
        while self.may_go_on() {
            let Some(Waiting { sum, region, .. }) = waiting.pop() else { return task.done };
            if self.is_hopeless(sum, &task) {
                return task.done.min(sum);
            }
            self.spend(STEPS_PER_REGION * self.columns().len() as u64 + self.conflicts.size());
            for part in self.divide(region, sum, &mut task) {
                let Some(price) = self.conflicts.price(&part, terms) else { continue };
                let sum = price.sum.max(sum);
                if self.is_hopeless(sum, &task) || waiting.len() >= MOST_WAITING {
                    task.done = task.done.min(sum);
                    continue;
                }
                number += 1;
                waiting.push(Waiting { sum, number, region: part });
            }
        }
        waiting.pop().map_or(task.done, |next| task.done.min(next.sum))
    }

    /// Whether what has this sum or more is no better than what was found.
    fn is_hopeless(&self, sum: f64, task: &Dividing<'_>) -> bool {
        let found = match task.goal {
            Goal::Safe => self.best.as_ref().map_or(f64::INFINITY, |best| best.value),
            Goal::NotBelow => task.found,
        };
        found.is_finite() && !exceeds(found, (task.terms.bound)(sum))
    }

    /// The parts of a region that may have something better than what was found.
    fn divide(&mut self, region: Region, sum: f64, task: &mut Dividing<'_>) -> Vec<Region> {
        let Some(price) = self.conflicts.price(&region, task.terms) else { return Vec::new() };
        if price.sum > sum * (1.0 + 1e-9) {
            return vec![region];
        }
        let paid = price.paid(&region);
        match self.look(&task.set.clone(), std::slice::from_ref(&paid)).pop() {
            Some(Sight::Below) => {
                let order = self.by_left(&price);
                self.learn(&task.set.clone(), &paid, &order);
                return vec![region];
            }
            Some(Sight::Unknown) | None => return vec![region],
            Some(_) => task.found = task.found.min((task.terms.bound)(task.terms.sum(&paid))),
        }
        if self.is_hopeless(sum, task) {
            return vec![region];
        }
        let narrowest = self.conflicts.narrowest(&region).map(|conflict| ways_out(conflict, &region).collect());
        let ways: Vec<(usize, usize)> = match narrowest {
            Some(ways) => ways,
            None if paid != region.low
                && self.look(&task.set.clone(), std::slice::from_ref(&region.low)) == [Sight::Unknown] =>
            {
                return vec![region];
            }
            // The finest is in no conflict and was looked at: all others are coarser somewhere.
            None => self.columns().map(|column| (column, region.low[column] + 1)).collect(),
        };
        apart(&region, &ways)
    }

    /// Columns in the order of what it would still cost to give them up.
    fn by_left(&self, price: &Price) -> Vec<usize> {
        let mut columns: Vec<usize> = self.columns().collect();
        let left = |column: usize| price.left(column, self.whole.high[column]);
        columns.sort_by(|&a, &b| left(a).total_cmp(&left(b)).then(a.cmp(&b)));
        columns
    }
}

/// What a region is divided for.
#[derive(Clone, Copy, PartialEq)]
enum Goal {
    /// A safe candidate that is better than the best.
    Safe,
    /// Any candidate that is not below.
    NotBelow,
}

/// A region that is being divided.
struct Dividing<'t> {
    set: Arc<FrequencySet>,
    terms: &'t Terms,
    goal: Goal,
    /// The least bound of a candidate that is not below.
    found: f64,
    /// The least sum of parts that were left alone.
    done: f64,
}

/// The parts of a region where a first column is on its level or coarser, and those before are not.
fn apart(region: &Region, ways: &[(usize, usize)]) -> Vec<Region> {
    let mut rest = region.clone();
    let mut parts = Vec::new();
    for &(column, level) in ways {
        if level <= rest.high[column] {
            parts.push(Region { low: stepped(&rest.low, column, level), high: rest.high.clone() });
        }
        rest.high[column] = rest.high[column].min(level - 1);
    }
    parts
}
