//! Groups by cutting the space of quasi-identifiers (Mondrian).
//!
//! **Finds** groups of records that are near each other, none of which could be cut once more by
//! the rule below with both sides safe. No record is withheld. **How**: the records are a group; a
//! group is cut along one quasi-identifier if both sides are safe, and so on. At each group exactly
//! one cut along every quasi-identifier is looked at, the one that wins most first; the first with
//! two safe sides is taken. Numbers, dates and values with a declared order lie by value; others by
//! their hierarchy if the plan has one, else the most frequent first. *Strict*: records with equal
//! values stay together; the cut is between the two values where most is won: width of the group,
//! on average over its records, times the column's weight, times the fourth root of the smaller
//! side's share of records. *Blind*: only the cut that wins most is looked at, of those with enough
//! records on both sides; where it fails, the group is published.
//! *Relaxed*: the cut is in the middle, sides differ by one record at most; records with equal
//! values are ordered by the other quasi-identifiers, the one with the fewest values first, then by
//! lot. **Class**: strict is asymmetric: that a group was not cut further tells something about its
//! smaller side. Relaxed is even-split. **Reference**: LeFevre, DeWitt and Ramakrishnan 2006;
//! Cormode, Srivastava, Li and Li 2010, Section 2 and Appendix B.

use super::axis::{self, Axis, Basis, Cut};
use super::coupling::{Tried, coupled, crossings};
use super::split::{Rule, Splitter};
use super::{
    ANATOMIZE, AXES, Along, BLIND, Build, Class, Crossing, Grouping, Method, Replay, Replayer, Safety, Task,
    Transformation, View,
};
use crate::data::{Column, Schema};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Shape};
use rand::seq::SliceRandom;
use rayon::prelude::*;
use smallvec::SmallVec;

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "mondrian",
    summary: "Cuts groups in two along one quasi-identifier at a time, as long as both sides are safe",
    reference: "LeFevre et al. 2006",
    params: &[SPLIT, BLIND, AXES, ANATOMIZE],
    example: &[("split", "\"relaxed\"")],
    build: |params| {
        let (even, blind) = (params.choice("split") == "relaxed", params.flag(BLIND.name));
        Box::new(Mondrian { even, blind, axes: params.values("axes").to_vec() })
    },
};

/// What happens to equal values.
const SPLIT: Param = Param {
    name: "split",
    summary: "keep records with equal values together, or cut in equal halves, which hides more from those who know the method",
    shape: Shape::Choice(&["strict", "relaxed"]),
    default: Some("strict"),
};

/// The purpose for which random numbers are drawn.
const EQUAL_RECORDS: u64 = 0x6d6f_6e64;

struct Mondrian {
    even: bool,
    /// Whether only the cut that wins most is tried on a group.
    blind: bool,
    axes: Vec<String>,
}

impl Method for Mondrian {
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        let bases = axis::possible_bases(&self.axes, task.table, task.schema)?;
        let safety = Safety::new(task.table, task.bound)?;
        let mut rows: Vec<u32> = (0..task.table.rows() as u32).collect();
        if !safety.checker().holds(&rows) {
            return Ok(None);
        }
        if self.even {
            rows.shuffle(&mut task.chance.generator(EQUAL_RECORDS)?);
        }
        let dimensions = dimensions(&bases, task.schema)?;
        let lots = self.even.then_some(rows.as_slice());
        let splitter =
            Splitter { dimensions: &dimensions, rule: Rule::Safe(&safety), lots, once: self.blind, watch: task.watch };
        let parts = splitter.split(rows.len());
        let resolved = vec![(AXES.name, axis::written(&bases))];
        Ok(Some(Transformation::Groups(Grouping::of_stretches(&parts.rows, &parts.stretches, resolved))))
    }

    fn along(&self, at: usize, column: &Column, schema: &Schema) -> Result<Along> {
        axis::along(&self.axes, at, column, schema)
    }

    fn weighs_columns(&self) -> bool {
        true
    }

    fn class(&self) -> Class {
        if self.even { Class::EvenSplit } else { Class::Asymmetric }
    }

    /// # Claim
    /// Axes and cuts depend on quasi-identifiers alone, and a group that was published is one of
    /// which every cut failed. So worlds in which one of its cuts has two safe sides are
    /// impossible. That is all there is to know unless a cut that failed on a larger group, before
    /// another was taken, runs through the group: then it is coupled with others (see
    /// `coupling.rs`). With equal halves, records with equal quasi-identifiers are in an order that
    /// nobody knows; the attacker is granted the one that is used here.
    fn replayer<'a>(&self, view: &View<'a>) -> Result<Option<Replayer<'a>>> {
        let bases = axis::bases(&self.axes, view.table, view.schema)?;
        // Axes depend on all records.
        if !view.complete || !bases.iter().all(|(column, basis)| basis.is_possible(column, view.schema)) {
            return Ok(None);
        }
        let dimensions = dimensions(&bases, view.schema)?;
        let (groups, even) = (view.groups, self.even);
        let coupled = coupled(groups, &dimensions, self.tried(view));
        let most = self.blind.then_some(view.least.max(1) as usize);
        Ok(Some(Box::new(move |group| {
            Some(Replay { coupled: coupled[group], ..replay(groups.rows(group), &dimensions, even, most) })
        })))
    }

    fn crossings(&self, view: &View<'_>) -> Result<Option<Vec<Crossing>>> {
        let bases = axis::bases(&self.axes, view.table, view.schema)?;
        if !view.complete || !bases.iter().all(|(column, basis)| basis.is_possible(column, view.schema)) {
            return Ok(None);
        }
        Ok(crossings(view.groups, &dimensions(&bases, view.schema)?, self.tried(view)))
    }
}

/// The quasi-identifiers with their axes, the one with the fewest values first: records with equal
/// values along a cut are ordered by the others in this order, and few values give tight halves.
fn dimensions<'t>(bases: &[(&'t Column, Basis)], schema: &Schema) -> Result<Vec<(&'t Column, Axis)>> {
    let axes = bases.par_iter().map(|(column, basis)| Ok((*column, Axis::new(column, schema, *basis)?)));
    let mut dimensions: Vec<(&Column, Axis)> = axes.collect::<Result<_>>()?;
    dimensions.sort_by_key(|(_, axis)| axis.places());
    Ok(dimensions)
}

impl Mondrian {
    /// What was tried, for those who replay it.
    fn tried(&self, view: &View<'_>) -> Tried {
        Tried { even: self.even, once: self.blind, least: view.least }
    }
}

/// The cuts that were looked at before a group was published. Each must have failed. Where one was
/// tried, it is the first with at least so many records on both sides.
fn replay(rows: &[u32], dimensions: &[(&Column, Axis)], even: bool, tried_once: Option<usize>) -> Replay {
    let place = |(column, axis): &(&Column, Axis), row: u32| axis.place(column.codes()[row as usize]);
    let mut rows = rows.to_vec();
    if even {
        rows.sort_by_cached_key(|&row| dimensions.iter().map(|dimension| place(dimension, row)).collect::<Vec<u32>>());
    }
    let sides = |dimension: &(&Column, Axis)| {
        let places: Vec<u32> = rows.iter().map(|&row| place(dimension, row)).collect();
        let cut = dimension.1.cut(&entries(&places), rows.len() as u32, even);
        cut.map(|cut| (cut, goes_left(&places, cut)))
    };
    let mut found: Vec<(Cut, Vec<bool>)> = dimensions.iter().filter_map(sides).collect();
    if let Some(least) = tried_once {
        found.sort_by(|a, b| b.0.merit.total_cmp(&a.0.merit));
        found.retain(|(cut, _)| (cut.left as usize).min(rows.len() - cut.left as usize) >= least);
        found.truncate(1);
    }
    let mut cuts: Vec<Vec<bool>> = found.into_iter().map(|(_, sides)| sides).collect();
    if cuts.is_empty() && even && rows.len() > 1 {
        cuts.push((0..rows.len()).map(|at| at < rows.len().div_ceil(2)).collect());
    }
    cuts.sort_unstable();
    cuts.dedup();
    let sides_of = |at: usize| cuts.iter().map(|cut| cut[at]).collect::<SmallVec<[bool; 16]>>();
    let mut by_sides: Vec<_> = rows.iter().enumerate().map(|(at, &row)| (sides_of(at), row)).collect();
    by_sides.sort_unstable();
    let cells: Vec<_> = by_sides.chunk_by(|a, b| a.0 == b.0).collect();
    let part = |cut: usize, left: bool| {
        let cells = (0u32..).zip(&cells).filter(|(_, rows)| rows[0].0[cut] == left);
        cells.map(|(block, _)| block).collect::<Vec<u32>>()
    };
    let tests = (0..cuts.len()).map(|cut| vec![part(cut, true), part(cut, false)]).collect();
    let blocks = cells.iter().map(|rows| rows.iter().map(|(_, row)| *row).collect()).collect();
    Replay { blocks, tests, passed: Fraction::ZERO, coupled: false }
}

/// The places that occur, ascending, and how often.
fn entries(places: &[u32]) -> Vec<(u32, u32)> {
    let mut places = places.to_vec();
    places.sort_unstable();
    places.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
}

/// On which side of a cut each record is.
fn goes_left(places: &[u32], cut: Cut) -> Vec<bool> {
    let mut to_take = cut.taken;
    let side = |&place: &u32| {
        let taken = place == cut.place && to_take > 0;
        to_take -= u32::from(taken);
        place < cut.place || taken
    };
    places.iter().map(side).collect()
}
