//! Keep the distribution of items: every kind of item loses about the same share.

use super::Objective;
use super::work::Work;
use crate::transactions::Rule;

/// How fast an item's price rises when too little of its kind is left. Twice and half as much were
/// tried: less leaves frequent items too frequent, more deletes more.
const STEEPNESS: i32 = 4;

/// How much is left of a kind of which nothing has been seen yet, in records.
const PRIOR: f64 = 0.5;

/// How far the share that is left of a kind may be above that of sensitive items, before the
/// surplus is deleted.
const TOLERANCE: f64 = 1.02;

/// What is added before a wanted number is rounded down. One left of a single occurrence distorts
/// less than none from a share of 0.3 on: compare the two terms of the symmetric divergence.
const ROUND_UP: f64 = 0.7;

/// Prices for items: what little is left of is dear.
pub struct Dist {
    /// Of the records seen so far: how many held each item at first, and how many still do.
    seen: Vec<(u64, u64)>,
    total: (u64, u64),
    records: usize,
}

impl Dist {
    pub fn new(work: &Work<'_>) -> Dist {
        Dist { seen: vec![(0, 0); work.kinds()], total: (0, 0), records: 0 }
    }

    /// Above one if less is left of the item, elsewhere than in this record, than of all items.
    fn price(&self, work: &Work<'_>, at: usize, item: u32) -> f64 {
        let all = self.records == work.len();
        let elsewhere = || work.left(item) - u64::from(work.record(at).binary_search(&item).is_ok());
        let (first, left) = if all { (work.at_first(item), elsewhere()) } else { self.seen[item as usize] };
        let total = if all { work.occurrences() } else { self.total };
        let share = (total.1 as f64 + 1.0) / (total.0 as f64 + 1.0);
        ((first as f64 * share + PRIOR) / (left as f64 + PRIOR)).powi(STEEPNESS)
    }
}

/// The share of all occurrences that an item has now, over the share that it had at first.
fn ratio(work: &Work<'_>, item: u32) -> f64 {
    let (first, left) = work.occurrences();
    (work.left(item) as f64 / left as f64) / (work.at_first(item) as f64 / first as f64)
}

impl Objective for Dist {
    /// # How
    /// Either all items that are not sensitive, or as many as can be of all items, the dearest
    /// first: whatever is worth more at the present prices. Long records tend to the former, until
    /// sensitive items are dear.
    fn choose(&self, work: &Work<'_>, at: usize, items: &[u32]) -> Vec<u32> {
        let plain: Vec<u32> = items.iter().copied().filter(|item| !work.sensitive.has(*item)).collect();
        let mut dearest: Vec<(f64, u32)> = items.iter().map(|item| (self.price(work, at, *item), *item)).collect();
        dearest.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let (mut mixed, mut worth) = (Vec::new(), 0.0);
        for (price, item) in dearest {
            let place = mixed.partition_point(|other| *other < item);
            mixed.insert(place, item);
            if work.unsafe_in(&mixed, at).is_some() {
                mixed.remove(place);
            } else {
                worth += price;
            }
        }
        let plain_worth: f64 = plain.iter().map(|item| self.price(work, at, *item)).sum();
        if plain_worth >= worth { plain } else { mixed }
    }

    /// The item with the most T·ln(T/T₀) / number of deletions, T its share of all occurrences.
    fn victim(&self, work: &Work<'_>, rule: &Rule, needed: impl Fn(u32) -> u64) -> u32 {
        let gain = |item: u32| work.left(item) as f64 * ratio(work, item).ln() / needed(item) as f64;
        let items = rule.antecedent.iter().copied().chain([rule.consequent]);
        items.max_by(|a, b| gain(*a).total_cmp(&gain(*b))).expect("a rule has a consequent")
    }

    /// If less is left of its kind than of others.
    fn wants_back(&self, work: &Work<'_>, item: u32) -> bool {
        ratio(work, item) < 1.0
    }

    fn saw(&mut self, work: &Work<'_>, at: usize) {
        work.whole(at).iter().for_each(|item| self.seen[*item as usize].0 += 1);
        work.record(at).iter().for_each(|item| self.seen[*item as usize].1 += 1);
        self.total = (self.total.0 + work.whole(at).len() as u64, self.total.1 + work.record(at).len() as u64);
        self.records += 1;
    }

    /// Of kinds of which more than of sensitive ones is left (or of the others, if those have lost
    /// more) so much that the same share is left of all.
    fn surplus(&self, work: &Work<'_>) -> Vec<u64> {
        let share = [true, false].map(|sensitive| {
            let items = || (0..work.kinds() as u32).filter(|item| work.sensitive.has(*item) == sensitive);
            let first: u64 = items().map(|item| work.at_first(item)).sum();
            let left: u64 = items().map(|item| work.left(item)).sum();
            if first == 0 { 1.0 } else { left as f64 / first as f64 }
        });
        let share = share[0].min(share[1]);
        let surplus = |item: u32| {
            let wanted = (work.at_first(item) as f64 * share).ceil();
            let left = work.left(item);
            if left as f64 > wanted * TOLERANCE { left - wanted as u64 } else { 0 }
        };
        (0..work.kinds() as u32).map(surplus).collect()
    }

    /// Of rare kinds often nothing is left, and a kind that is gone distorts most: what is missing
    /// to the share that is left of all.
    fn missing(&self, work: &Work<'_>) -> Vec<u64> {
        let (first, left) = work.occurrences();
        let share = left as f64 / first as f64;
        let wanted = |item: u32| (work.at_first(item) as f64 * share + ROUND_UP) as u64;
        (0..work.kinds() as u32).map(|item| wanted(item).saturating_sub(work.left(item))).collect()
    }
}
