//! Symmetric grouping: records in the order of their quasi-identifiers are halved again and again,
//! as long as both halves are safe.
//!
//! **Finds** groups of records that are near each other; no record is withheld. **How**: records
//! are sorted; a group is cut in the middle (the left half larger by one record at most), and stays
//! whole if either half would violate a criterion. **Class**: even-split. That a group was not cut
//! tells next to nothing about which half was the reason: beliefs stay below 1/(l − l/s), s the
//! size of the larger half. **Reference**: Cormode, Srivastava, Li and Li 2010, Appendix C.3.

use super::greedy_grouping::{Sorted, in_order, places};
use super::order::{ORDER, SORT};
use super::{
    ANATOMIZE, Along, Build, Checker, Class, Grouping, Method, Replay, Replayer, Safety, Task, Transformation, View,
};
use crate::data::{Column, Schema};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Params};
use crate::watch::Stage;
use std::ops::Range;

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "symmetric-grouping",
    summary: "Sorts records and halves groups as long as both halves are safe; hardly anything is learnt from the method",
    reference: "Cormode et al. 2010, Appendix C.3",
    params: &[ORDER, SORT, ANATOMIZE],
    example: &[("sort", "\"hilbert\"")],
    build: |params| Box::new(Symmetric { params: params.clone() }),
};

struct Symmetric {
    params: Params,
}

impl Method for Symmetric {
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        let Sorted { rows, resolved } = Sorted::new(&self.params, task)?;
        let safety = Safety::new(task.table, task.bound)?;
        let mut checker = safety.checker();
        if !checker.holds(&rows) {
            return Ok(None);
        }
        let stage = task.watch.stage("grouping", Some(rows.len() as u64));
        let stretches = Halving { rows: &rows, safety: &safety, stage: &stage }.halve(0..rows.len(), &mut checker);
        Ok(Some(Transformation::Groups(Grouping::of_stretches(&rows, &stretches, resolved))))
    }

    fn along(&self, _at: usize, _column: &Column, _schema: &Schema) -> Result<Along> {
        Ok(Along::Order)
    }

    fn class(&self) -> Class {
        Class::EvenSplit
    }

    /// # Claim
    /// A half is a set of records that does not depend on sensitive values, and halves of larger
    /// groups are unions of published ones, so that what they hold is the same in every world. A
    /// group is published just if one of its own halves is not safe: exact for each group by
    /// itself.
    fn replayer<'a>(&self, view: &View<'a>) -> Result<Option<Replayer<'a>>> {
        let Some(place) = places(&self.params, view)? else { return Ok(None) };
        let groups = view.groups;
        Ok(Some(Box::new(move |group| {
            let rows = in_order(groups.rows(group), &place);
            if rows.len() < 2 {
                return Some(Replay::of_any_world(&rows));
            }
            let (left, right) = rows.split_at(middle(rows.len()));
            let (blocks, tests) = (vec![left.to_vec(), right.to_vec()], vec![vec![vec![0], vec![1]]]);
            Some(Replay { blocks, tests, passed: Fraction::ZERO, coupled: false })
        })))
    }
}

/// Where a group is cut.
fn middle(size: usize) -> usize {
    size.div_ceil(2)
}

/// Groups of fewer records are halved by one thread.
const LARGE: usize = 1 << 14;

/// Records in order, and what both halves must be.
struct Halving<'a> {
    rows: &'a [u32],
    safety: &'a Safety<'a>,
    stage: &'a Stage<'a>,
}

impl Halving<'_> {
    /// The groups that a safe one is cut into.
    fn halve(&self, all: Range<usize>, checker: &mut Checker<'_>) -> Vec<Range<usize>> {
        let cut = all.start + middle(all.len());
        let (left, right) = (all.start..cut, cut..all.end);
        // Halves below the least size are not safe, whatever they hold.
        let can_be = all.len() >= 2 && right.len() as u64 >= self.safety.least_size();
        let is_safe = |half: &Range<usize>, checker: &mut Checker<'_>| checker.holds(&self.rows[half.clone()]);
        if !can_be || !is_safe(&right, checker) || !is_safe(&left, checker) {
            self.stage.advance(all.len() as u64);
            return vec![all];
        }
        if all.len() < LARGE {
            let mut found = self.halve(left, checker);
            found.extend(self.halve(right, checker));
            return found;
        }
        let (mut found, more) = rayon::join(
            || self.halve(left, &mut self.safety.checker()),
            || self.halve(right, &mut self.safety.checker()),
        );
        found.extend(more);
        found
    }
}
