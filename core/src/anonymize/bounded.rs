//! Best effort where there are more candidates than anybody can decide.
//!
//! From the coarsest candidate downwards, the best safe one first, until the budget is spent. What
//! is found is safe; that nothing better exists is not claimed, and the outcome says so.

use super::judge::{Judge, Judged, Work};
use super::search::MOST_CONSIDERED;
use super::{Considered, Generalization, Nodes};
use crate::error::{Error, ErrorCode, Result};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};

/// A candidate waiting for its finer neighbours to be looked at: the least value first.
struct Waiting {
    value: f64,
    levels: Vec<usize>,
}

impl Waiting {
    fn key(&self) -> (usize, &[usize]) {
        (self.levels.iter().sum(), &self.levels)
    }
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
    /// The heap gives the greatest first: here the least value is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.value.total_cmp(&self.value).then_with(|| other.key().cmp(&self.key()))
    }
}

/// A bounded search looks at no more candidates than this, whatever the budget.
const MOST_LOOKS: u64 = 100_000;

/// The best that so many looks find.
pub(super) fn best(judge: &Judge<'_>, ranges: &[(usize, usize)], budget: u64) -> Result<Option<Generalization>> {
    let budget = budget.min(MOST_LOOKS);
    let heights: Vec<usize> = ranges.iter().map(|range| range.1).collect();
    let nodes = ranges.iter().fold(1u64, |nodes, (low, high)| nodes.saturating_mul((high - low + 1) as u64));
    let mut work = Work::default();
    let mut heap = BinaryHeap::new();
    let mut seen: HashSet<Vec<usize>> = HashSet::from([heights.clone()]);
    let mut next = vec![heights];
    let mut checked = 0;
    let mut considered: Vec<Considered> = Vec::new();
    let stage = judge.watch().stage("searching", Some(budget.min(nodes)));
    let mut best_so_far: Option<f64> = None;
    loop {
        for levels in next.drain(..) {
            if checked == budget {
                break;
            }
            checked += 1;
            stage.advance_with(1, best_so_far);
            match judge.judge(&levels, &mut work) {
                Judged::Below => {}
                // What is finer may be safe; it waits until nothing safe is left to refine.
                Judged::Unsafe(_) => heap.push(Waiting { value: f64::INFINITY, levels }),
                Judged::Safe(safe) => {
                    best_so_far = Some(best_so_far.map_or(safe.value, |best| best.min(safe.value)));
                    considered.push(Considered::new(levels.clone(), &safe));
                    heap.push(Waiting { value: safe.value, levels });
                }
            }
        }
        let Some(finest) = heap.pop().filter(|_| checked < budget) else { break };
        for column in (0..finest.levels.len()).filter(|&column| finest.levels[column] > ranges[column].0) {
            let mut finer = finest.levels.clone();
            finer[column] -= 1;
            if seen.insert(finer.clone()) {
                next.push(finer);
            }
        }
    }
    let rank = |one: &Considered| Waiting { value: one.value, levels: one.levels.clone() };
    let Some(best) = considered.iter().max_by(|a, b| rank(a).cmp(&rank(b))).cloned() else {
        return Err(none_found(checked, nodes));
    };
    let safe = considered.len() as u64;
    considered.truncate(MOST_CONSIDERED);
    Ok(Some(Generalization {
        levels: best.levels,
        value: best.value,
        suppressed: best.suppressed,
        nodes,
        checked,
        safe,
        minimal: Vec::new(),
        all_safe: Nodes::default(),
        exhaustive: false,
        considered,
    }))
}

fn none_found(checked: u64, nodes: u64) -> Error {
    let message = format!("none of the {checked} choices of levels that were looked at is safe, of {nodes}");
    Error::of(ErrorCode::NoneFound, message)
        .help("the search was bounded: a larger budget may find one; so may a looser criterion or more suppression")
}
