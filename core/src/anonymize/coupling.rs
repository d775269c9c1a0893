//! Which published groups a failed cut of a larger group runs through: what such a cut says is
//! about several groups together.

use super::axis::Axis;
use super::formed::Formed;
use super::replay::{CrossedPart, Crossing};
use super::split::{Rule, Splitter};
use crate::candidate::Groups;
use crate::data::Column;
use crate::watch::Watch;

/// For each group whether a cut runs through it that failed on a larger group before another was
/// taken.
///
/// # Claim
/// Cuts are tried in an order that quasi-identifiers tell. A cut that runs through no published
/// group has sides that are unions of safe groups, so that criteria that merging keeps hold for
/// them: it would have been taken. So the first such cut is the one that was taken, and those
/// before it failed. A group that no failed cut runs through lies on one side of each of them:
/// exchanging its values changes none. Its worlds are told by its own cuts alone. A cut with fewer
/// than `least` records on a side fails whatever the values, and tells nothing.
pub(super) fn coupled(groups: &Groups, dimensions: &[(&Column, Axis)], tried: Tried) -> Vec<bool> {
    replayed(groups, dimensions, tried).map_or_else(|| vec![true; groups.len()], Formed::cut_through)
}

/// The cuts that failed on larger groups and run through published ones; nothing if they cannot be
/// told.
pub(super) fn crossings(groups: &Groups, dimensions: &[(&Column, Axis)], tried: Tried) -> Option<Vec<Crossing>> {
    replayed(groups, dimensions, tried)?.crossings()
}

/// Which cuts were tried.
#[derive(Clone, Copy)]
pub(super) struct Tried {
    /// Whether sides are equal.
    pub even: bool,
    /// Whether only the cut that wins most is tried on a group.
    pub once: bool,
    /// Cuts with fewer records on a side fail whatever the values.
    pub least: u64,
}

fn replayed(groups: &Groups, dimensions: &[(&Column, Axis)], tried: Tried) -> Option<Formed> {
    let rows = dimensions.first().map_or(0, |(column, _)| column.codes().len());
    let formed = Formed::new(groups, rows, tried.even, tried.least)?;
    let once = tried.once;
    Splitter { dimensions, rule: Rule::Whole(&formed), lots: None, once, watch: Watch::NONE }.split(rows);
    Some(formed)
}

/// Published groups, and the divisions of larger groups that failed.
pub(super) struct Crossed {
    group_of: Vec<u32>,
    /// For each group whether a division runs through it that failed.
    pub coupled: Vec<bool>,
    /// Those divisions.
    pub crossings: Vec<Crossing>,
    /// Whether something was divided of which no division is known.
    pub is_unknown: bool,
    /// On which sides of a division records of a group are: 1 left, 2 right. Zero between them.
    sides: Vec<u8>,
}

impl Crossed {
    pub fn new(groups: &Groups, rows: usize) -> Crossed {
        let mut group_of = vec![u32::MAX; rows];
        for group in 0..groups.len() {
            groups.rows(group).iter().for_each(|&row| group_of[row as usize] = group as u32);
        }
        let (coupled, sides) = (vec![false; groups.len()], vec![0; groups.len()]);
        Crossed { group_of, coupled, crossings: Vec::new(), is_unknown: false, sides }
    }

    fn group(&self, row: u32) -> usize {
        self.group_of[row as usize] as usize
    }

    /// Of records of which it is not known how they were divided.
    pub fn couple_all(&mut self, rows: &[u32]) {
        self.is_unknown = true;
        rows.iter().for_each(|&row| self.coupled[self.group_of[row as usize] as usize] = true);
    }

    pub fn is_published(&self, rows: &[u32]) -> bool {
        rows.iter().all(|&row| self.group(row) == self.group(rows[0]))
    }

    /// Whether a division runs through no group; if it does, it is one that failed.
    pub fn is_clean(&mut self, one: &[u32], rest: &[u32]) -> bool {
        for (rows, side) in [(one, 1), (rest, 2)] {
            rows.iter().for_each(|&row| self.sides[self.group_of[row as usize] as usize] |= side);
        }
        let clean = one.iter().all(|&row| self.sides[self.group(row)] == 1);
        if !clean {
            let parts = vec![self.part(one), self.part(rest)];
            self.crossings.push(Crossing { parts });
        }
        for &row in one.iter().chain(rest) {
            let group = self.group(row);
            self.coupled[group] |= self.sides[group] == 3;
            self.sides[group] = 0;
        }
        clean
    }

    fn part(&self, rows: &[u32]) -> CrossedPart {
        let mut part = CrossedPart::default();
        for &row in rows {
            let group = self.group(row);
            if self.sides[group] == 3 { part.rows.push(row) } else { part.whole.push(group as u32) }
        }
        part.whole.sort_unstable();
        part.whole.dedup();
        part
    }
}
