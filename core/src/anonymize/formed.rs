//! Groups that are there already, while they are divided once more to see what failed.

use super::replay::{CrossedPart, Crossing};
use crate::candidate::Groups;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Groups that were formed, and which of them cuts run through.
pub(super) struct Formed {
    /// For each row its group.
    pub(super) group_of: Vec<u32>,
    /// Whether sides are equal, and records with equal quasi-identifiers in the order of groups.
    pub(super) even: bool,
    /// Cuts with fewer records on a side fail whatever the values.
    pub(super) least: u64,
    /// On which sides of a cut records of a group are: 1 left, 2 right. Zero between cuts. Records
    /// that are cut at the same time are of different groups.
    seen: Vec<AtomicU8>,
    cut_through: Vec<AtomicBool>,
    /// The cuts that failed, unless sides are equal.
    crossings: Mutex<Vec<Crossing>>,
    /// Whether records were divided that no cut divides.
    is_unknown: AtomicBool,
}

impl Formed {
    /// Of all rows; nothing if some are in no group.
    pub(super) fn new(groups: &Groups, rows: usize, even: bool, least: u64) -> Option<Formed> {
        let mut group_of = vec![0; rows];
        for group in 0..groups.len() {
            groups.rows(group).iter().for_each(|&row| group_of[row as usize] = group as u32);
        }
        let seen = (0..groups.len()).map(|_| AtomicU8::new(0)).collect();
        let cut_through = (0..groups.len()).map(|_| AtomicBool::new(false)).collect();
        (groups.records() == rows).then_some(Formed {
            group_of,
            even,
            least,
            seen,
            cut_through,
            crossings: Mutex::default(),
            is_unknown: AtomicBool::new(even),
        })
    }

    /// For each group whether a cut runs through it that was looked at.
    pub(super) fn cut_through(self) -> Vec<bool> {
        self.cut_through.into_iter().map(AtomicBool::into_inner).collect()
    }

    /// The cuts that failed; nothing if they cannot be told.
    pub(super) fn crossings(self) -> Option<Vec<Crossing>> {
        let mut crossings = self.crossings.into_inner().expect("no thread panicked");
        // Threads find them in any order.
        crossings.sort_unstable_by(|a, b| a.parts.cmp(&b.parts));
        (!self.is_unknown.into_inner()).then_some(crossings)
    }

    /// The group of a record, by the number that it is known by.
    pub(super) fn group(&self, number: u32) -> u32 {
        if self.even { number } else { self.group_of[number as usize] }
    }

    /// Whether a cut runs through no group; takes note of those that it runs through.
    pub(super) fn are_whole(&self, left: &[u32], right: &[u32]) -> bool {
        let sides = [(left, 1), (right, 2)];
        for (numbers, side) in sides {
            numbers.iter().for_each(|&number| {
                self.seen[self.group(number) as usize].fetch_or(side, Ordering::Relaxed);
            });
        }
        let seen = |number: u32| self.seen[self.group(number) as usize].load(Ordering::Relaxed);
        let whole = left.iter().all(|&number| seen(number) != 3);
        if !whole && !self.even {
            let parts = vec![self.part(left), self.part(right)];
            self.crossings.lock().expect("no thread panicked").push(Crossing { parts });
        }
        for &number in left.iter().chain(right) {
            let group = self.group(number);
            if self.seen[group as usize].swap(0, Ordering::Relaxed) == 3 {
                self.note(group);
            }
        }
        whole
    }

    fn part(&self, rows: &[u32]) -> CrossedPart {
        let mut part = CrossedPart::default();
        for &row in rows {
            let group = self.group(row);
            let is_cut = self.seen[group as usize].load(Ordering::Relaxed) == 3;
            if is_cut { part.rows.push(row) } else { part.whole.push(group) }
        }
        part.rows.sort_unstable();
        part.whole.sort_unstable();
        part.whole.dedup();
        part
    }

    /// Takes note of records that were divided in an order that nobody knows.
    pub(super) fn note_all(&self, numbers: impl Iterator<Item = u32>) {
        self.is_unknown.store(true, Ordering::Relaxed);
        numbers.for_each(|number| self.note(self.group(number)));
    }

    fn note(&self, group: u32) {
        self.cut_through[group as usize].store(true, Ordering::Relaxed);
    }
}
