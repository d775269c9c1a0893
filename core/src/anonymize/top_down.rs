//! What top-down cutting tried on groups, for somebody who replays it: every cut between two values
//! along every quasi-identifier, in an order that quasi-identifiers tell.

use super::axis::Axis;
use super::coupling::Crossed;
use super::cutting::Priority;
use super::{Crossing, Replay};
use crate::candidate::Groups;
use crate::data::Column;
use crate::exact::Fraction;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The order in which cuts are tried.
pub(super) struct Tried<'a> {
    pub dimensions: Vec<(&'a Column, Axis)>,
    pub priority: Priority,
    /// Groups with fewer records are not safe, whatever their values.
    pub least: usize,
}

/// Records at places before this one, along a dimension, go left.
struct Cut {
    dimension: usize,
    place: u32,
}

impl Tried<'_> {
    fn place(&self, dimension: usize, row: u32) -> u32 {
        let (column, axis) = &self.dimensions[dimension];
        axis.place(column.codes()[row as usize])
    }

    fn goes_left(&self, cut: &Cut, row: u32) -> bool {
        self.place(cut.dimension, row) < cut.place
    }

    /// The cuts of a group at a depth, in the order in which they are tried.
    fn cuts(&self, rows: &[u32], depth: usize) -> Vec<Cut> {
        if rows.len() < 2 * self.least {
            return Vec::new();
        }
        let entries: Vec<Vec<(u32, u32)>> =
            (0..self.dimensions.len()).map(|dimension| self.entries(dimension, rows)).collect();
        let order = self.order(&entries, depth);
        order.into_iter().flat_map(|dimension| self.cuts_along(dimension, &entries[dimension], rows.len())).collect()
    }

    /// The places that occur along a dimension, ascending, and how often.
    fn entries(&self, dimension: usize, rows: &[u32]) -> Vec<(u32, u32)> {
        let mut places: Vec<u32> = rows.iter().map(|&row| self.place(dimension, row)).collect();
        places.sort_unstable();
        places.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
    }

    /// The dimensions along which records differ, in order.
    fn order(&self, entries: &[Vec<(u32, u32)>], depth: usize) -> Vec<usize> {
        let all = self.dimensions.len();
        let differ = |dimension: &usize| entries[*dimension].len() > 1;
        let mut order: Vec<usize> = match self.priority {
            Priority::RoundRobin => (0..all).map(|at| (depth + at) % all).collect(),
            Priority::Widest | Priority::InformationGain(_) => (0..all).collect(),
        };
        order.retain(differ);
        if self.priority == Priority::Widest {
            let width = |dimension: usize| {
                let (first, last) = (entries[dimension][0].0, entries[dimension][entries[dimension].len() - 1].0);
                self.dimensions[dimension].1.width(first, last)
            };
            order.sort_by(|&a, &b| width(b).total_cmp(&width(a)));
        }
        order
    }

    /// The cuts along a dimension: the one that wins most, then those in the middle first.
    fn cuts_along(&self, dimension: usize, entries: &[(u32, u32)], size: usize) -> Vec<Cut> {
        let mut before = 0;
        let mut sized: Vec<(u32, usize)> = Vec::with_capacity(entries.len());
        for &(place, count) in entries {
            sized.push((place, before));
            before += count as usize;
        }
        let smaller = |&(_, left): &(u32, usize)| left.min(size - left);
        let best = self.dimensions[dimension].1.cut(entries, size as u32, false).map(|cut| cut.place);
        // Records at places before the cut's go left: the first place that does not is another.
        let best = best.map(|place| entries[entries.partition_point(|entry| entry.0 < place)].0);
        let mut others: Vec<(u32, usize)> = sized[1..].iter().copied().filter(|cut| Some(cut.0) != best).collect();
        others.sort_by_key(|cut| Reverse(smaller(cut)));
        let first = sized[1..].iter().copied().filter(|cut| Some(cut.0) == best);
        let large = first.chain(others).filter(|cut| smaller(cut) >= self.least.max(1));
        large.map(|(place, _)| Cut { dimension, place }).collect()
    }

    /// What was tried on a published group: nothing of it was safe.
    pub fn replay(&self, rows: &[u32]) -> Replay {
        let cuts = self.cuts(rows, 0);
        let mut cells: BTreeMap<Vec<bool>, Vec<u32>> = BTreeMap::new();
        for &row in rows {
            cells.entry(cuts.iter().map(|cut| self.goes_left(cut, row)).collect()).or_default().push(row);
        }
        let side = |cut: usize, left: bool| {
            let cells = (0u32..).zip(cells.keys()).filter(|(_, sides)| sides[cut] == left);
            cells.map(|(block, _)| block).collect::<Vec<u32>>()
        };
        let tests = (0..cuts.len()).map(|cut| vec![side(cut, true), side(cut, false)]).collect();
        Replay { blocks: cells.into_values().collect(), tests, passed: Fraction::ZERO, coupled: false }
    }

    /// The cuts of larger groups that failed, and the published groups that they run through.
    ///
    /// # Claim
    /// Whether a cut is allowed depends on its own two sides where criteria look at one group at a
    /// time. One that runs through no published group has sides that are unions of safe groups: it
    /// was allowed, if criteria are kept by merging. So the first such cut was taken, and those
    /// tried before it failed.
    pub fn crossed(&self, groups: &Groups, rows: usize) -> Crossed {
        let mut crossed = Crossed::new(groups, rows);
        let mut open = vec![(groups.order().to_vec(), 0)];
        while let Some((rows, depth)) = open.pop() {
            if crossed.is_published(&rows) {
                continue;
            }
            let sides = self.cuts(&rows, depth).into_iter().find_map(|cut| {
                let (left, right): (Vec<u32>, Vec<u32>) = rows.iter().partition(|&&row| self.goes_left(&cut, row));
                crossed.is_clean(&left, &right).then_some((left, right))
            });
            match sides {
                None => crossed.couple_all(&rows),
                Some((left, right)) => open.extend([(left, depth + 1), (right, depth + 1)]),
            }
        }
        crossed
    }

    /// The same, as far as an attack needs it.
    pub fn crossings(&self, groups: &Groups, rows: usize) -> Option<Vec<Crossing>> {
        let found = self.crossed(groups, rows);
        (!found.is_unknown).then_some(found.crossings)
    }
}
