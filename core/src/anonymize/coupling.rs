//! Which published groups a failed cut of a larger group runs through: what such a cut says is
//! about several groups together.

use super::axis::{Axis, Cut};
use crate::candidate::Groups;
use crate::data::Column;

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
pub(super) fn coupled(groups: &Groups, dimensions: &[(&Column, Axis)], even: bool, least: u64) -> Vec<bool> {
    let rows = dimensions.first().map_or(0, |(column, _)| column.codes().len());
    let mut group_of = vec![u32::MAX; rows];
    for group in 0..groups.len() {
        groups.rows(group).iter().for_each(|&row| group_of[row as usize] = group as u32);
    }
    let mut tree =
        Tree { dimensions, even, least, group_of, coupled: vec![false; groups.len()], seen: vec![0; groups.len()] };
    let mut all = groups.order().to_vec();
    all.sort_by_cached_key(|&row| dimensions.iter().map(|dimension| place(dimension, row)).collect::<Vec<u32>>());
    let mut waiting = vec![all];
    while let Some(rows) = waiting.pop() {
        waiting.extend(tree.sides(&rows).into_iter().flatten());
    }
    tree.coupled
}

fn place((column, axis): &(&Column, Axis), row: u32) -> u32 {
    axis.place(column.codes()[row as usize])
}

struct Tree<'a> {
    dimensions: &'a [(&'a Column, Axis)],
    even: bool,
    least: u64,
    group_of: Vec<u32>,
    coupled: Vec<bool>,
    /// On which sides of a cut records of a group are: 1 left, 2 right. Zero between cuts.
    seen: Vec<u8>,
}

impl Tree<'_> {
    /// The sides of the cut that was taken; nothing for a published group.
    fn sides(&mut self, rows: &[u32]) -> Option<[Vec<u32>; 2]> {
        let group = |row: &u32| self.group_of[*row as usize];
        if rows.iter().all(|row| group(row) == group(&rows[0])) {
            return None;
        }
        let fits = |cut: &Cut| u64::from(cut.left.min(rows.len() as u32 - cut.left)) >= self.least;
        let cuts = self.cuts(rows).into_iter().filter(|(_, cut)| fits(cut)).collect::<Vec<_>>();
        for (dimension, cut) in cuts {
            let left = self.goes_left(rows, dimension, cut);
            if self.is_clean(rows, &left) {
                let side = |wanted: bool| {
                    let rows = rows.iter().zip(&left).filter(|(_, left)| **left == wanted);
                    rows.map(|(row, _)| *row).collect()
                };
                return Some([side(true), side(false)]);
            }
        }
        // Equal records were divided in an order that nobody knows.
        rows.iter().for_each(|&row| self.coupled[self.group_of[row as usize] as usize] = true);
        None
    }

    /// The cuts in the order in which they were tried.
    fn cuts(&self, rows: &[u32]) -> Vec<(Option<usize>, Cut)> {
        let size = rows.len() as u32;
        let mut cuts = Vec::new();
        for (at, dimension) in self.dimensions.iter().enumerate() {
            let mut places: Vec<u32> = rows.iter().map(|&row| place(dimension, row)).collect();
            places.sort_unstable();
            let entries: Vec<(u32, u32)> =
                places.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
            cuts.extend(dimension.1.cut(&entries, size, self.even).map(|cut| (Some(at), cut)));
        }
        cuts.sort_by(|a, b| b.1.merit.total_cmp(&a.1.merit));
        if cuts.is_empty() && self.even && size > 1 {
            let half = size.div_ceil(2);
            cuts.push((None, Cut { place: 0, taken: half, left: half, merit: 0.0 }));
        }
        cuts
    }

    fn goes_left(&self, rows: &[u32], dimension: Option<usize>, cut: Cut) -> Vec<bool> {
        let Some(dimension) = dimension else {
            return (0..rows.len()).map(|at| at < cut.taken as usize).collect();
        };
        let mut to_take = cut.taken;
        let side = |&row: &u32| {
            let own = place(&self.dimensions[dimension], row);
            let taken = own == cut.place && to_take > 0;
            to_take -= u32::from(taken);
            own < cut.place || taken
        };
        rows.iter().map(side).collect()
    }

    /// Whether a cut runs through no group; those that it runs through are coupled.
    fn is_clean(&mut self, rows: &[u32], left: &[bool]) -> bool {
        for (&row, &left) in rows.iter().zip(left) {
            self.seen[self.group_of[row as usize] as usize] |= if left { 1 } else { 2 };
        }
        let mut clean = true;
        for &row in rows {
            let group = self.group_of[row as usize] as usize;
            if std::mem::take(&mut self.seen[group]) == 3 {
                self.coupled[group] = true;
                clean = false;
            }
        }
        clean
    }
}
