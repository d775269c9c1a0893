//! What is known about the candidates of a lattice, and how it grows.
//!
//! *Predictive tagging*: whatever is found about one candidate is written down for all that it
//! decides. A candidate that fails what every finer one fails too is *below*, with everything
//! finer; one that does not is *above*, with everything coarser. Tags spread until they meet others
//! like them, so that all spreading together is linear in the lattice.

use super::judge::{Judge, Judged, Safe, Work};
use super::{Considered, Lattice};
use crate::watch::Stage;
use rayon::prelude::*;
use std::cell::RefCell;

/// Unsafe, with everything finer.
const BELOW: u8 = 1;
/// Not below by itself. If the safe candidates are closed upwards, it is safe.
const ABOVE: u8 = 2;
/// Looked at.
const JUDGED: u8 = 4;
/// Looked at and safe.
const SAFE: u8 = 8;
/// Measures more than the best so far, with everything coarser.
const HOPELESS: u8 = 16;

/// The best candidate so far. Of equal ones the lower counts, then the one with smaller levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Its value.
    pub value: f64,
    /// The sum of its levels.
    pub height: usize,
    /// Its number, in the order of its levels.
    pub node: usize,
    /// Records that it suppresses.
    pub suppressed: u64,
}

impl Best {
    /// Values that differ by rounding alone are equal.
    pub fn is_better_than(&self, other: &Best) -> bool {
        if exceeds(self.value, other.value) || exceeds(other.value, self.value) {
            return self.value < other.value;
        }
        (self.height, self.node) < (other.height, other.node)
    }
}

/// How many safe candidates are remembered for the picture of risk against utility.
pub const MOST_CONSIDERED: usize = 2000;

/// Candidates upwards, those before `low` below, those from `high` on above.
struct Path {
    nodes: Vec<usize>,
    low: usize,
    high: usize,
}

impl Path {
    /// The candidate that is to be looked at next.
    fn middle(&self) -> Option<usize> {
        (self.low < self.high).then(|| self.nodes[(self.low + self.high) / 2])
    }

    /// Takes in what is known by now.
    fn narrow(&mut self, search: &LatticeSearch<'_>) {
        while let Some(middle) = self.middle().filter(|&middle| !search.is_open(middle)) {
            let at = (self.low + self.high) / 2;
            if search.has(middle, BELOW) { self.low = at + 1 } else { self.high = at }
        }
    }
}

thread_local! {
    /// A thread's memory for judging, used again from candidate to candidate.
    static WORK: RefCell<Work> = RefCell::default();
}

/// A search in progress.
pub struct LatticeSearch<'a> {
    pub judge: &'a Judge<'a>,
    pub lattice: Lattice,
    pub checked: u64,
    pub best: Option<Best>,
    pub considered: Vec<Considered>,
    /// How many paths are settled side by side. It depends on the task alone, so that what is
    /// looked at does not depend on the number of threads; small searches go one by one, because
    /// paths side by side know less of each other.
    pub lanes: usize,
    tags: Vec<u8>,
    stack: Vec<usize>,
    stage: Stage<'a>,
}

impl<'a> LatticeSearch<'a> {
    pub fn new(judge: &'a Judge<'a>, lattice: Lattice) -> Self {
        let tags = vec![0; lattice.nodes()];
        let lanes = if lattice.nodes() > 1 << 16 || judge.entries() > 1 << 16 { 4 } else { 1 };
        let (considered, stack) = (Vec::new(), Vec::new());
        let stage = judge.watch().stage("searching", None);
        LatticeSearch { judge, lattice, checked: 0, best: None, considered, lanes, tags, stack, stage }
    }

    fn has(&self, node: usize, tag: u8) -> bool {
        self.tags[node] & tag != 0
    }

    pub fn is_judged(&self, node: usize) -> bool {
        self.has(node, JUDGED)
    }

    /// Whether it may be safe. A candidate can turn out to be below after it was found above: a
    /// coarser one may show what it did not show itself.
    pub fn is_above(&self, node: usize) -> bool {
        self.has(node, ABOVE) && !self.has(node, BELOW)
    }

    /// Whether it is known to be safe.
    pub fn is_safe(&self, node: usize) -> bool {
        self.has(node, SAFE) || self.judge.is_upward_closed() && self.has(node, ABOVE)
    }

    /// Whether it need not be looked at to find the best.
    pub fn is_out(&self, node: usize) -> bool {
        self.has(node, BELOW | JUDGED | HOPELESS)
    }

    /// Whether a bound rules it out.
    pub fn is_worse(&self, bound: f64) -> bool {
        self.best.as_ref().is_some_and(|best| exceeds(bound, best.value))
    }

    /// Finds out for every candidate on a path upwards from each of these whether it is below or
    /// above, by bisection. A path takes the step that `cost` says is the least.
    pub fn settle(&mut self, nodes: &[usize], cost: impl Fn(&Lattice, usize) -> f64) {
        let mut paths: Vec<Path> = nodes.iter().map(|&node| self.path(node, &cost)).collect();
        loop {
            paths.iter_mut().for_each(|path| path.narrow(self));
            let mut next: Vec<usize> = paths.iter().filter_map(Path::middle).collect();
            if next.is_empty() {
                return;
            }
            next.sort_unstable();
            next.dedup();
            self.look_at_all(&next);
        }
    }

    /// Open candidates upwards from one.
    fn path(&self, node: usize, cost: &impl Fn(&Lattice, usize) -> f64) -> Path {
        let mut nodes = Vec::new();
        let mut next = Some(node).filter(|&node| self.is_open(node));
        while let Some(at) = next {
            nodes.push(at);
            let open = self.lattice.coarser(at).filter(|&up| self.is_open(up));
            next = open.min_by(|a, b| cost(&self.lattice, *a).total_cmp(&cost(&self.lattice, *b)));
        }
        Path { low: 0, high: nodes.len(), nodes }
    }

    /// Whether nothing is known about it, and it may still be the best.
    pub fn is_wanted(&self, node: usize) -> bool {
        self.is_open(node) && !self.is_out(node)
    }

    /// Whether nothing is known about it.
    pub fn is_open(&self, node: usize) -> bool {
        !self.has(node, BELOW | ABOVE)
    }

    /// Judges candidates side by side.
    pub fn look_at_all(&mut self, nodes: &[usize]) {
        let (judge, lattice) = (self.judge, &self.lattice);
        let look = |node: usize| WORK.with_borrow_mut(|work| judge.judge(&lattice.levels(node), work));
        let judged: Vec<Judged> = match nodes {
            [node] => vec![look(*node)],
            several => several.par_iter().map(|&node| look(node)).collect(),
        };
        nodes.iter().zip(judged).for_each(|(&node, judged)| self.note(node, judged));
    }

    fn note(&mut self, node: usize, judged: Judged) {
        self.checked += 1;
        self.stage.advance_with(1, self.best.as_ref().map(|best| best.value));
        self.tags[node] |= JUDGED;
        match judged {
            Judged::Below => self.spread(node, BELOW, false),
            Judged::Unsafe(bound) => self.note_above(node, bound),
            Judged::Safe(safe) => {
                self.tags[node] |= SAFE;
                self.consider(node, &safe);
                self.note_above(node, safe.bound);
            }
        }
    }

    fn note_above(&mut self, node: usize, bound: f64) {
        self.spread(node, ABOVE, true);
        if self.is_worse(bound) {
            self.spread(node, HOPELESS, true);
        }
    }

    fn consider(&mut self, node: usize, safe: &Safe) {
        if self.considered.len() < MOST_CONSIDERED {
            self.considered.push(Considered::new(self.lattice.levels(node), safe));
        }
        self.offer(node, safe.value, safe.suppressed);
    }

    /// Takes a safe candidate if it is better than the best so far.
    pub fn offer(&mut self, node: usize, value: f64, suppressed: u64) {
        let new = Best { value, height: self.lattice.height(node), node, suppressed };
        let better = self.best.as_ref().is_none_or(|old| new.is_better_than(old));
        if better {
            self.best = Some(new);
        }
    }

    /// Tags a candidate and everything coarser, or finer, that has not got the tag.
    fn spread(&mut self, node: usize, tag: u8, upwards: bool) {
        if self.has(node, tag) {
            return;
        }
        self.tags[node] |= tag;
        self.stack.push(node);
        while let Some(at) = self.stack.pop() {
            let LatticeSearch { lattice, tags, stack, .. } = self;
            let mut visit = |next: usize| {
                if tags[next] & tag == 0 {
                    tags[next] |= tag;
                    stack.push(next);
                }
            };
            if upwards { lattice.coarser(at).for_each(&mut visit) } else { lattice.finer(at).for_each(&mut visit) }
        }
    }

    /// How many candidates are known to be safe.
    pub fn safe(&self) -> u64 {
        (0..self.lattice.nodes()).filter(|&node| self.is_safe(node)).count() as u64
    }
}

/// Whether a bound is above a value by more than rounding.
pub fn exceeds(bound: f64, value: f64) -> bool {
    bound > value + 1e-12 * value.abs().max(1.0)
}
