//! Which candidates a search over levels would have preferred to the one that it chose.
//!
//! A search takes the safe candidate with the least value of the metric; of equal ones the lower,
//! then the one with smaller levels. So the others that it would have preferred, its *rivals*, were
//! not safe. Whoever knows everybody's quasi-identifiers knows the rivals, and that each is
//! violated by who has which sensitive value.

use super::judge::{Judge, Work};
use super::search::{Best, exceeds};
use super::{Generalization, Lattice, LevelTask, lattice_within, nodes};
use crate::error::Result;
use crate::utility::Candidate;
use rayon::prelude::*;

/// The rivals of a choice of levels.
pub struct Rivals<'a> {
    judge: Judge<'a>,
    lattice: Lattice,
    chosen: Best,
}

/// The most entries of frequency sets that are grouped to find rivals: some seconds.
const MOST_GROUPED: u64 = 2_000_000_000;

impl<'a> Rivals<'a> {
    /// Of what a search chose; nothing if it did not decide the whole lattice, or by a metric that
    /// reads sensitive values: then every candidate that may be safe is a rival.
    pub(super) fn new(task: &LevelTask<'a>, budget: u64, chosen: &Generalization) -> Result<Option<Rivals<'a>>> {
        if nodes(task)? > u128::from(budget) || task.metric.build().needs_joint() {
            return Ok(None);
        }
        let lattice = lattice_within(task, budget)?;
        let (node, height) = (lattice.number(&chosen.levels), chosen.levels.iter().sum());
        let chosen = Best { value: chosen.value, height, node, suppressed: chosen.suppressed };
        Ok(Some(Rivals { judge: Judge::new(task)?, lattice, chosen }))
    }

    /// How many records may be suppressed.
    pub fn limit(&self) -> u64 {
        self.judge.limit()
    }

    /// The code of each base code of a column on a level, and how many there are.
    pub fn codes(&self, column: usize, level: usize) -> (&[u32], usize) {
        let level = &self.judge.scales().columns[column].levels[level];
        (&level.code_of, level.leaves_under.len())
    }

    /// The levels of every candidate that may have been preferred, by sizes of groups alone;
    /// nothing if there are too many to look at.
    ///
    /// # Claim
    /// No metric measures less the more groups are suppressed (whole runs by every metric are
    /// compared in `core/tests/suite/knowing.rs`), so a candidate measures least where only those
    /// are that are too small whatever their values. If these hold more records than may be
    /// suppressed, it is not safe; nor is any finer one, whose groups are parts of them. Where
    /// nothing may be suppressed and all criteria are monotone, a candidate that is not safe says so
    /// of every finer one: only the coarsest rivals say anything.
    pub fn find(&self, least: u64) -> Option<Vec<Vec<usize>>> {
        // What cannot be safe, or says nothing beside another that is coarser.
        let mut out = vec![false; self.lattice.nodes()];
        let covers = self.judge.keeps_all() && self.judge.is_upward_closed();
        let mut by_height: Vec<Vec<usize>> = Vec::new();
        for node in 0..self.lattice.nodes() {
            let height = self.lattice.height(node);
            by_height.resize(by_height.len().max(height + 1), Vec::new());
            by_height[height].push(node);
        }
        let (mut found, mut grouped) = (Vec::new(), 0u64);
        // Nothing on one height is coarser than another there.
        for nodes in by_height.iter().rev() {
            let open = nodes.iter().copied().filter(|&node| !out[node] && self.is_open(node));
            let open: Vec<usize> = open.collect();
            grouped += open.len() as u64 * self.judge.entries() as u64;
            if grouped > MOST_GROUPED {
                return None;
            }
            let values: Vec<Option<f64>> = open
                .par_iter()
                .map_init(Work::default, |work, &node| self.judge.least_value(&self.lattice.levels(node), least, work))
                .collect();
            for (node, value) in open.into_iter().zip(values) {
                let is_rival = value.is_some_and(|value| self.beats(node, value));
                if is_rival {
                    found.push(self.lattice.levels(node));
                }
                if value.is_none() || covers && is_rival {
                    self.lattice.finer(node).for_each(|finer| out[finer] = true);
                }
            }
            // What is out takes everything finer with it.
            for &node in nodes {
                if out[node] {
                    self.lattice.finer(node).for_each(|finer| out[finer] = true);
                }
            }
        }
        Some(found)
    }

    /// Whether a bound on its value leaves it open that a candidate is preferred.
    fn is_open(&self, node: usize) -> bool {
        node != self.chosen.node && !exceeds(self.judge.bound(&self.lattice.levels(node)), self.chosen.value)
    }

    fn beats(&self, node: usize, value: f64) -> bool {
        let height = self.lattice.height(node);
        Best { value, height, node, suppressed: 0 }.is_better_than(&self.chosen)
    }

    /// Whether a candidate with these groups is preferred where it is safe with some of them
    /// suppressed.
    pub fn is_preferred(
        &self,
        levels: &[usize],
        sizes: &[u64],
        suppressed: &[bool],
        base_code: &dyn Fn(usize, usize) -> u32,
    ) -> bool {
        let joint = || unreachable!("a metric that reads sensitive values has no rivals");
        let scales = self.judge.scales();
        let candidate = Candidate { scales, levels, sizes, suppressed, base_code, joint: &joint };
        self.beats(self.lattice.number(levels), self.judge.metric().measure(&candidate))
    }
}
