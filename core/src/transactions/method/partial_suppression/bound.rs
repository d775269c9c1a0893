//! How many items have to be deleted at least, whatever method deletes them.

use super::mine::others;
use super::work::{Work, places};
use crate::transactions::method::Task;
use rayon::prelude::*;

/// How many parts of a record are looked at before a weaker bound is taken for it.
const MOST_PARTS: u32 = 200_000;

/// At least so many items have to be deleted from a table, by whatever method, before the demand is
/// met. Zero where the attacker's knowledge is bounded: then nothing is known about that.
///
/// # Claim
/// Let a safe table be given, in which r' is left of the record r, with k sensitive items and
/// something besides for each of them to be inferred from. For a sensitive e in r' let c be how
/// many records have r', r itself among them: at most ρ of those that have r'∖{e} have e as well,
/// so at least c·(1 − ρ)/ρ of them do not have e. These *cover* e: there are at least `needed` =
/// ⌈(1 − ρ)/ρ⌉ of them (none if ρ = 1; one more if the demand is strict and that is a whole
/// number). Whoever covers e has all other items of r' but not e, so nobody covers two items, and
/// all together there are at least k·needed. Deleting adds nothing: in the original as well they
/// have all of r' but at most one sensitive item. So r' is one of the parts of r for which the
/// *original* has so many other records; and r lost at least as many items as the largest such part
/// lacks. To keep no sensitive item, or one item alone, is possible always. The bounds of all
/// records add up. (The search looks at every such part: where an item e lacks records that could
/// cover it, either e is not in r', or r' is within {e} and what r has in common with a record that
/// is not among those which have all the rest.)
pub fn least_deleted(task: &Task<'_>) -> u64 {
    let work = Work::new(task.table, task.sensitive, task.demand, task.watch);
    if task.demand.known.is_some() {
        // Somebody who knows little cannot tell by all the rest of a record.
        return 0;
    }
    let all = work.len() as u64;
    let needed = (0..=all).find(|others| task.demand.allows(1, 1 + others)).unwrap_or(all + 1);
    (0..work.len()).into_par_iter().map(|at| least_of(&work, at, needed)).sum()
}

/// At least so many items have to be deleted from a record.
fn least_of(work: &Work<'_>, at: usize, needed: u64) -> u64 {
    let items = work.record(at);
    let is_sensitive = |item: &&u32| work.sensitive.has(**item);
    let sensitive: Vec<u32> = items.iter().filter(is_sensitive).copied().collect();
    let plain = items.len() - sensitive.len();
    if sensitive.is_empty() || items.len() < 2 || items.len() > 128 {
        return 0;
    }
    let mut search = CoverSearch {
        others: others(work, at, items, plain),
        sensitive: places(items, &sensitive),
        needed,
        most: plain.max(1) as u32,
        looked_at: 0,
    };
    search.visit(u128::MAX >> (128 - items.len()));
    let most = if search.looked_at <= MOST_PARTS { search.most } else { search.weaker() };
    items.len() as u64 - u64::from(most).min(items.len() as u64)
}

/// The search for the largest part of a record that others could cover; parts are sets of places.
struct CoverSearch {
    others: Vec<(u128, u64)>,
    sensitive: u128,
    needed: u64,
    /// The size of the largest part found so far.
    most: u32,
    looked_at: u32,
}

impl CoverSearch {
    fn visit(&mut self, part: u128) {
        self.looked_at += 1;
        if self.looked_at > MOST_PARTS || part.count_ones() <= self.most {
            return;
        }
        if let Some(place) = self.uncovered(part) {
            self.visit(part & !(1 << place));
            self.within_others(part, place).into_iter().for_each(|smaller| self.visit(smaller));
        } else if self.lacks_covers(part) {
            (0..128).filter(|place| part >> place & 1 == 1).for_each(|place| self.visit(part & !(1 << place)));
        } else {
            self.most = part.count_ones();
        }
    }

    /// A sensitive item of a part that too few records could cover.
    fn uncovered(&self, part: u128) -> Option<u32> {
        let sensitive = part & self.sensitive;
        (0..128).filter(|place| sensitive >> place & 1 == 1).find(|place| {
            let rest = part & !(1 << place);
            let covers = self.others.iter().filter(|(common, _)| common & rest == rest);
            rest != 0 && covers.map(|(_, count)| count).sum::<u64>() < self.needed
        })
    }

    /// Whether there are too few records to cover all sensitive items of a part, none of them
    /// twice.
    fn lacks_covers(&self, part: u128) -> bool {
        let could = |common: u128| {
            let lacking = part & !common;
            lacking.count_ones() <= 1 && lacking & !self.sensitive == 0
        };
        let covers: u64 = self.others.iter().filter(|(common, _)| could(*common)).map(|(_, count)| count).sum();
        part.count_ones() > 1 && covers < self.needed * u64::from((part & self.sensitive).count_ones())
    }

    /// What a part that keeps the item at a place can be cut down to.
    fn within_others(&self, part: u128, place: u32) -> Vec<u128> {
        let mut parts: Vec<u128> = self.others.iter().map(|(common, _)| common & part | 1 << place).collect();
        parts.retain(|smaller| *smaller != part && smaller.count_ones() > self.most);
        parts.sort_unstable_by_key(|part| (std::cmp::Reverse(part.count_ones()), *part));
        parts.dedup();
        parts
    }

    /// What is left of a record with a sensitive item has all but one of its items in common with
    /// another record.
    fn weaker(&self) -> u32 {
        self.others.iter().map(|(common, _)| common.count_ones() + 1).max().unwrap_or(0).max(self.most)
    }
}
