//! Gives back items that did not have to be deleted after all.

use super::Objective;
use super::work::{Work, counted, places};
use rand::Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;

/// So many records are tried at once, on the same table.
const BATCH: usize = 256;

/// Passes over all records: what one gives back may cover what the next can give back.
const PASSES: usize = 3;

/// An item is not given back where its effect would take more than so many closed sets to tell.
const MOST_CLOSED: usize = 2048;

/// Above so many holders, subsets of a record are looked at rather than what others have in common
/// with it.
const MANY_HOLDERS: usize = 2048;

/// Up to so many items all subsets of a record are looked at.
const FEW_ITEMS: usize = 9;

/// Gives back items wherever no rule becomes unsafe by it.
///
/// # Claim
/// A safe table stays safe. To give an item d to a record changes supports of sets that contain d
/// and are in the record alone, all by one. A rule q → e with d in q and e not in the record gets
/// safer. So it is enough to look at the sets X in the record with d in X, and at sensitive e in X;
/// by the theorem on closed sets, at those X that are the intersection of the record with others
/// that hold d.
pub fn restore(work: &mut Work<'_>, objective: &impl Objective, generator: &mut impl Rng) {
    let mut order: Vec<u32> = (0..work.len() as u32).collect();
    for _ in 0..PASSES {
        order.retain(|at| work.record(*at as usize).len() < work.whole(*at as usize).len());
        order.shuffle(generator);
        let given: usize = order.chunks(BATCH).map(|batch| restore_batch(work, objective, batch)).sum();
        if given == 0 {
            return;
        }
    }
}

fn restore_batch(work: &mut Work<'_>, objective: &impl Objective, batch: &[u32]) -> usize {
    work.stage.advance(batch.len() as u64);
    let found: Vec<Vec<u32>> = batch.par_iter().map(|at| can_have_back(work, objective, *at as usize)).collect();
    let mut given = 0;
    for (at, items) in batch.iter().zip(found) {
        let at = *at as usize;
        for item in items {
            // Others of the batch may have got something back in the meantime.
            let whole = with(work.record(at), item);
            if objective.wants_back(work, item) && stays_safe(work, at, &whole, item) {
                work.set(at, whole);
                given += 1;
            }
        }
    }
    given
}

/// Items that a record can have back, one after the other, the most deleted kinds first.
fn can_have_back(work: &Work<'_>, objective: &impl Objective, at: usize) -> Vec<u32> {
    let mut deleted = work.deleted(at);
    deleted.retain(|item| objective.wants_back(work, *item));
    let share = |item: u32| work.left(item) as f64 / work.at_first(item) as f64;
    deleted.sort_by(|a, b| share(*a).total_cmp(&share(*b)).then(a.cmp(b)));
    let (mut items, mut found) = (work.record(at).to_vec(), Vec::new());
    for item in deleted {
        let whole = with(&items, item);
        if stays_safe(work, at, &whole, item) {
            items = whole;
            found.push(item);
        }
    }
    found
}

fn with(items: &[u32], item: u32) -> Vec<u32> {
    let mut items = items.to_vec();
    items.insert(items.partition_point(|other| *other < item), item);
    items
}

/// Whether a safe table stays safe if a record has `items`, of which it did not have `item` before.
fn stays_safe(work: &Work<'_>, at: usize, items: &[u32], item: u32) -> bool {
    if work.demand.empty && work.sensitive.has(item) && work.left(item) + 1 > work.demand.most(work.len() as u64) {
        return false;
    }
    if !work.has_sensitive(items) || items.len() < 2 {
        return true;
    }
    if items.len() > 128 || work.unsafe_in(items, at).is_some() {
        return false;
    }
    let new = items.binary_search(&item).expect("the item is among them");
    let many = work.first_holders(item).len() > MANY_HOLDERS;
    if many && items.len() <= FEW_ITEMS {
        subsets_are_safe(work, at, items, new)
    } else {
        closed_are_safe(work, at, items, new)
    }
}

/// Looks at all subsets of a record that contain the new item.
fn subsets_are_safe(work: &Work<'_>, at: usize, items: &[u32], new: usize) -> bool {
    let of = |set: usize| -> Vec<u32> {
        (0..items.len()).filter(|place| set >> place & 1 == 1).map(|place| items[place]).collect()
    };
    let supports: Vec<u64> = (0..1usize << items.len()).map(|set| work.support_elsewhere(&of(set), at) + 1).collect();
    let sets = (0..supports.len()).filter(|set| set >> new & 1 == 1 && set.count_ones() > 1);
    let mut rules =
        sets.flat_map(|set| (0..items.len()).filter(move |place| set >> place & 1 == 1).map(move |place| (set, place)));
    rules.all(|(set, place)| {
        !work.sensitive.has(items[place]) || work.demand.allows(supports[set], supports[set & !(1 << place)])
    })
}

/// Looks at what the record has in common with sets of others that hold the new item.
fn closed_are_safe(work: &Work<'_>, at: usize, items: &[u32], new: usize) -> bool {
    let holders = work.holders_of(&items[new..=new]).filter(|other| *other != at);
    let mut sets: Vec<u128> = holders.map(|other| places(items, work.record(other))).collect();
    sets.push(u128::MAX >> (128 - items.len()));
    let counts = counted(sets);
    let support =
        |set: u128| counts.iter().filter(|(other, _)| other & set == set).map(|(_, count)| count).sum::<u64>();
    let Some(closed) = intersections(&counts) else { return false };
    let part = |set: u128| -> Vec<u32> {
        (0..items.len()).filter(|place| set >> place & 1 == 1).map(|place| items[place]).collect()
    };
    closed.into_iter().filter(|set| set.count_ones() > 1).all(|set| {
        let own = support(set);
        let sensitive = (0..items.len()).filter(|place| set >> place & 1 == 1 && work.sensitive.has(items[*place]));
        sensitive.into_iter().all(|place| {
            let rest = set & !(1 << place);
            let of = if place == new { work.support_elsewhere(&part(rest), at) + 1 } else { support(rest) };
            work.demand.allows(own, of)
        })
    })
}

/// All intersections of some of the sets, unless they are too many.
fn intersections(sets: &[(u128, u64)]) -> Option<Vec<u128>> {
    let mut all: Vec<u128> = Vec::new();
    let mut known = std::collections::HashSet::<u128, foldhash::fast::RandomState>::default();
    for (set, _) in sets {
        for at in 0..all.len() {
            let common = all[at] & set;
            if known.insert(common) {
                all.push(common);
            }
        }
        if known.insert(*set) {
            all.push(*set);
        }
        if all.len() > MOST_CLOSED {
            return None;
        }
    }
    Some(all)
}
