//! Local recoding: labels of hierarchies on different levels for different records.
//!
//! **Finds** groups of records that share a label in every quasi-identifier, none of which could be
//! divided once more by the rule below. No record is withheld. **How**: the records are a group,
//! and each column of a group is on the lowest level on which its records agree. One level below,
//! the records have several labels. The records with one of them may leave the group if both they
//! and the rest are safe; the rest keeps its label. Of all labels of all columns, the one that wins
//! most leaves first: what its records and the rest gain of the column, times the column's weight,
//! over the fourth root of the smaller side's share of records. Further labels of the same column
//! leave at once where they may, in the same order. *Blind*: only the one that wins most is tried;
//! where it may not leave, the group is published. Numbers and dates without a hierarchy are
//! halved by their order, again and again. Nothing is drawn at random. **Class**: asymmetric: that
//! records did not leave a group tells something about them. **Reference**: Xu et al. 2006
//! (top-down greedy search for local recoding); Fung, Wang and Yu 2005 (top-down specialization).

use super::coupling::Crossed;
use super::{
    ANATOMIZE, Along, BLIND, Build, CELLS, Class, Crossing, Grouping, Method, Replay, Replayer, Safety, Task,
    Transformation, View,
};
use crate::candidate::Groups;
use crate::data::{Column, Role, Schema, Table};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Params};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "local-recoding",
    summary: "Divides groups along the hierarchies as long as all parts are safe: labels on different levels for different records",
    reference: "Xu et al. 2006; Fung et al. 2005",
    params: &[BLIND, CELLS, ANATOMIZE],
    example: &[],
    build: |params: &Params| Box::new(LocalRecoding { blind: params.flag(BLIND.name) }),
};

struct LocalRecoding {
    /// Whether only the division that wins most is tried on a group.
    blind: bool,
}

impl Method for LocalRecoding {
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        let safety = Safety::new(task.table, task.bound)?;
        let rows: Vec<u32> = (0..task.table.rows() as u32).collect();
        if !safety.checker().holds(&rows) {
            return Ok(None);
        }
        let trees = trees(task.table, task.schema)?;
        let least = safety.least_size().max(1) as usize;
        let stage = task.watch.stage("dividing", Some(rows.len() as u64));
        let (mut open, mut groups) = (vec![Part::whole(rows, &trees)], Vec::new());
        while !open.is_empty() {
            let divided: Vec<(Part, Vec<Part>)> = open
                .into_par_iter()
                .map_init(
                    || (safety.checker(), Counted::default()),
                    |(checker, counted), part| {
                        let mut passes = |one: &[u32], rest: &[u32]| checker.holds(one) && checker.holds(rest);
                        Divider { trees: &trees, least, once: self.blind }.divide(part, counted, &mut passes)
                    },
                )
                .collect();
            open = Vec::new();
            for (part, parts) in divided {
                if parts.is_empty() {
                    stage.advance(part.rows.len() as u64);
                    groups.push(part.rows);
                } else {
                    open.extend(parts);
                }
            }
        }
        groups.sort_unstable();
        let groups = Groups::of_lists(&groups);
        Ok(Some(Transformation::Groups(Grouping { groups, whole: None, withheld: 0, resolved: Vec::new() })))
    }

    fn along(&self, _at: usize, column: &Column, schema: &Schema) -> Result<Along> {
        Ok(if goes_by_order(column, schema) { Along::Order } else { Along::Hierarchy })
    }

    fn weighs_columns(&self) -> bool {
        true
    }

    fn class(&self) -> Class {
        Class::Asymmetric
    }

    /// # Claim
    /// Which records may leave a group, and in which order that is tried, depends on
    /// quasi-identifiers alone. A published group is one that nothing could leave: worlds in which
    /// some label's records and the rest are both safe are impossible. That is all there is to know
    /// unless a division that failed on a larger group runs through it: criteria that merging keeps
    /// hold for unions of published groups, so that a division that runs through none was made, and
    /// those tried before it failed. Groups that one of these runs through are coupled. Divisions
    /// with too few records on a side fail whatever the values, and tell nothing.
    fn replayer<'a>(&self, view: &View<'a>) -> Result<Option<Replayer<'a>>> {
        // Which labels the rest has depends on all records.
        if !view.complete {
            return Ok(None);
        }
        let (groups, trees) = (view.groups, trees(view.table, view.schema)?);
        let least = view.least as usize;
        let once = self.blind;
        let coupled = crossed(groups, &Divider { trees: &trees, least, once }, view.table.rows()).coupled;
        Ok(Some(Box::new(move |group| {
            let divider = Divider { trees: &trees, least, once };
            Some(Replay { coupled: coupled[group], ..replay(groups.rows(group), &divider) })
        })))
    }

    fn crossings(&self, view: &View<'_>) -> Result<Option<Vec<Crossing>>> {
        if !view.complete {
            return Ok(None);
        }
        let trees = trees(view.table, view.schema)?;
        let divider = Divider { trees: &trees, least: view.least as usize, once: self.blind };
        let found = crossed(view.groups, &divider, view.table.rows());
        Ok((!found.is_unknown).then_some(found.crossings))
    }
}

/// Whether a column has no hierarchy but an order, and is halved by it.
fn goes_by_order(column: &Column, schema: &Schema) -> bool {
    let has_rule = schema.find(column.name()).is_some_and(|spec| spec.rule.is_some() || spec.levels.is_some());
    !has_rule && column.domain().value_type().is_ordered()
}

/// A quasi-identifier with its levels.
struct Tree<'t> {
    column: &'t Column,
    /// For each level the code of every base value.
    codes: Vec<Vec<u32>>,
    /// For each level and code the share of the column that it leaves open.
    widths: Vec<Vec<f64>>,
    /// The lowest permitted level.
    low: usize,
    /// What the column is worth beside others.
    weight: f64,
}

fn trees<'t>(table: &'t Table, schema: &Schema) -> Result<Vec<Tree<'t>>> {
    schema.select(table, Role::Quasi)?.into_par_iter().map(|column| Tree::new(column, schema)).collect()
}

impl<'t> Tree<'t> {
    fn new(column: &'t Column, schema: &Schema) -> Result<Tree<'t>> {
        if goes_by_order(column, schema) {
            return Ok(Tree::by_order(column, schema.weight_of(column.name())));
        }
        let (hierarchy, (low, _)) = (schema.quasi_hierarchy(column)?, schema.level_range(column)?);
        let all = f64::from(hierarchy.leaves().max(2) - 1);
        let width = |&leaves: &u32| f64::from(leaves.max(1) - 1) / all;
        let levels = 0..=hierarchy.height();
        Ok(Tree {
            column,
            codes: levels.clone().map(|level| hierarchy.codes(level).to_vec()).collect(),
            widths: levels.map(|level| hierarchy.leaves_under(level).iter().map(width).collect()).collect(),
            low,
            weight: schema.weight_of(column.name()),
        })
    }

    /// Halves of halves of the values in their order.
    fn by_order(column: &'t Column, weight: f64) -> Tree<'t> {
        let values = column.domain().len() as u32;
        let height = u32::BITS - values.saturating_sub(1).leading_zeros();
        let width = |level: u32, code: u32| {
            let last = ((code + 1) << level).min(values) - 1;
            f64::from(last - (code << level)) / f64::from(values.max(2) - 1)
        };
        let level = |level: u32| (0..values).map(|code| code >> level).collect::<Vec<u32>>();
        let codes: Vec<Vec<u32>> = (0..=height).map(level).collect();
        let widths = |level: u32| (0..=(values.max(1) - 1) >> level).map(|code| width(level, code)).collect();
        Tree { column, widths: (0..=height).map(widths).collect(), codes, low: 0, weight }
    }

    fn top(&self) -> usize {
        self.codes.len() - 1
    }

    fn code(&self, level: usize, row: u32) -> u32 {
        self.codes[level][self.column.codes()[row as usize] as usize]
    }
}

/// Records that may be divided further.
struct Part {
    rows: Vec<u32>,
    /// For each column a level on which the records agree.
    levels: Vec<usize>,
}

impl Part {
    fn whole(rows: Vec<u32>, trees: &[Tree<'_>]) -> Part {
        Part { rows, levels: trees.iter().map(Tree::top).collect() }
    }
}

/// The records of a group that have one label in a column, and what is won if they leave it.
struct Cut {
    tree: usize,
    level: usize,
    code: u32,
    merit: f64,
}

/// How many records of a group have each code.
#[derive(Default)]
struct Counted {
    counts: Vec<u32>,
    present: Vec<u32>,
}

impl Counted {
    fn count(&mut self, codes: usize, of_rows: impl Iterator<Item = u32>) {
        self.present.drain(..).for_each(|code| self.counts[code as usize] = 0);
        self.counts.resize(self.counts.len().max(codes), 0);
        for code in of_rows {
            self.present.extend((self.counts[code as usize] == 0).then_some(code));
            self.counts[code as usize] += 1;
        }
        self.present.sort_unstable();
    }
}

/// What is tried on groups, and in which order: quasi-identifiers alone decide.
struct Divider<'a> {
    trees: &'a [Tree<'a>],
    /// Parts with fewer records are not safe, whatever their values.
    least: usize,
    /// Whether only the division that wins most is tried.
    once: bool,
}

impl Divider<'_> {
    /// A group and its parts: none if it stays whole.
    fn divide(
        &self,
        mut part: Part,
        counted: &mut Counted,
        passes: &mut impl FnMut(&[u32], &[u32]) -> bool,
    ) -> (Part, Vec<Part>) {
        let cuts = self.cuts(&mut part, counted);
        for (at, first) in cuts.iter().enumerate() {
            let Some((one, mut rest)) = self.try_cut(first, &part.rows, passes) else { continue };
            let mut parts = vec![self.below(&part, first, one)];
            for cut in cuts[at + 1..].iter().filter(|cut| cut.tree == first.tree) {
                let Some((one, others)) = self.try_cut(cut, &rest, passes) else { continue };
                parts.push(self.below(&part, cut, one));
                rest = others;
            }
            parts.push(Part { rows: rest, levels: part.levels.clone() });
            return (part, parts);
        }
        (part, Vec::new())
    }

    fn below(&self, part: &Part, cut: &Cut, rows: Vec<u32>) -> Part {
        let mut levels = part.levels.clone();
        levels[cut.tree] = cut.level;
        Part { rows, levels }
    }

    /// Both sides of a cut, if it passes.
    fn try_cut(
        &self,
        cut: &Cut,
        rows: &[u32],
        passes: &mut impl FnMut(&[u32], &[u32]) -> bool,
    ) -> Option<(Vec<u32>, Vec<u32>)> {
        let tree = &self.trees[cut.tree];
        let (one, rest): (Vec<u32>, Vec<u32>) = rows.iter().partition(|&&row| tree.code(cut.level, row) == cut.code);
        (one.len() >= self.least && rest.len() >= self.least && passes(&one, &rest)).then_some((one, rest))
    }

    /// What may leave a group, the most worth first. The levels of the group become the lowest on
    /// which its records agree.
    fn cuts(&self, part: &mut Part, counted: &mut Counted) -> Vec<Cut> {
        let mut cuts = Vec::new();
        if part.rows.len() < 2 * self.least {
            return cuts;
        }
        for (at, tree) in self.trees.iter().enumerate() {
            let level = &mut part.levels[at];
            while *level > tree.low {
                let below = *level - 1;
                counted.count(tree.widths[below].len(), part.rows.iter().map(|&row| tree.code(below, row)));
                if counted.present.len() > 1 {
                    let own = tree.widths[*level][tree.code(*level, part.rows[0]) as usize];
                    self.cuts_along(at, below, own, part.rows.len(), counted, &mut cuts);
                    break;
                }
                *level = below;
            }
        }
        cuts.sort_by(|a, b| b.merit.total_cmp(&a.merit));
        cuts.truncate(if self.once { 1 } else { cuts.len() });
        cuts
    }

    fn cuts_along(&self, tree: usize, level: usize, own: f64, all: usize, counted: &Counted, cuts: &mut Vec<Cut>) {
        let (widths, weight) = (&self.trees[tree].widths[level], self.trees[tree].weight);
        let size = |code: u32| counted.counts[code as usize] as usize;
        for &code in &counted.present {
            let (one, rest) = (size(code), all - size(code));
            // Where two labels are left, either leaves the other.
            if one < self.least || rest < self.least || (counted.present.len() == 2 && code == counted.present[1]) {
                continue;
            }
            let width_of_rest = if counted.present.len() == 2 { widths[counted.present[1] as usize] } else { own };
            let won = one as f64 * (own - widths[code as usize]) + rest as f64 * (own - width_of_rest);
            let smaller = one.min(rest) as f64 / all as f64;
            cuts.push(Cut { tree, level, code, merit: weight * won / all as f64 / smaller.sqrt().sqrt() });
        }
    }
}

/// What was tried on a published group: nothing could leave it.
fn replay(rows: &[u32], divider: &Divider<'_>) -> Replay {
    let trees = divider.trees;
    let mut part = Part::whole(rows.to_vec(), trees);
    let cuts = divider.cuts(&mut part, &mut Counted::default());
    let leaves = |cut: &Cut, row: u32| trees[cut.tree].code(cut.level, row) == cut.code;
    let mut cells: BTreeMap<Vec<bool>, Vec<u32>> = BTreeMap::new();
    for &row in rows {
        cells.entry(cuts.iter().map(|cut| leaves(cut, row)).collect()).or_default().push(row);
    }
    let side = |cut: usize, leaves: bool| {
        let cells = (0u32..).zip(cells.keys()).filter(|(_, sides)| sides[cut] == leaves);
        cells.map(|(block, _)| block).collect::<Vec<u32>>()
    };
    let tests = (0..cuts.len()).map(|cut| vec![side(cut, true), side(cut, false)]).collect();
    Replay { blocks: cells.into_values().collect(), tests, passed: Fraction::ZERO, coupled: false }
}

/// The divisions of larger groups that failed, and the published groups that they run through.
fn crossed(groups: &Groups, divider: &Divider<'_>, rows: usize) -> Crossed {
    let mut crossed = Crossed::new(groups, rows);
    let mut all = groups.order().to_vec();
    all.sort_unstable();
    let (mut open, mut counted) = (vec![Part::whole(all, divider.trees)], Counted::default());
    while let Some(part) = open.pop() {
        if crossed.is_published(&part.rows) {
            continue;
        }
        let (part, parts) = divider.divide(part, &mut counted, &mut |one, rest| crossed.is_clean(one, rest));
        if parts.is_empty() {
            crossed.couple_all(&part.rows);
        }
        open.extend(parts);
    }
    crossed
}
