//! Microaggregation: groups of records around the records that are farthest from the average
//! (MDAV).
//!
//! **Finds** groups of `size` to 2·`size` − 1 records that are near each other in all
//! quasi-identifiers at once. No record is withheld. **How**: the record farthest from the average
//! of what is left and its nearest ones are a group, and so are the record farthest from that one
//! and its nearest ones, until fewer than three groups are left; of these two or one are made. How
//! far records are apart says `space.rs`: numbers, dates and ordered values lie on lines, other
//! values differ by the share of levels on which their labels do, and every column is standardized
//! and weighed. A table of more than `chunk` records is halved first, again and again, along the
//! column that is spread most, since time grows with the square. A group that violates a criterion
//! on sensitive values is merged with the group whose records are nearest on average, until all
//! hold; with `mend = "none"` there is no release then. Ties go to the record with the lower
//! quasi-identifiers; the order of records that are equal in all of them is drawn by lot.
//! **Class**: asymmetric; that groups were merged tells that one of them was not safe. QI-only with
//! `mend = "none"`. **Reference**: Domingo-Ferrer and Mateo-Sanz 2002; Domingo-Ferrer and Torra
//! 2005, Algorithm 2 (MDAV-generic).

use super::axis;
use super::order::sorted;
use super::space::{Center, Points, Space, Sums};
use super::{Along, Build, Checker, Class, Grouping, Method, Replay, Replayer, Safety, Task, Transformation, View};
use crate::candidate::dense_ids;
use crate::data::{Column, Schema, Table};
use crate::error::Result;
use crate::kind::{Kind, Param, Raw, Shape};
use rand::seq::SliceRandom;
use rayon::prelude::*;
use std::collections::HashSet;

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "mdav",
    summary: "Puts records together that are near each other in all quasi-identifiers at once, in groups of equal size (microaggregation)",
    reference: "Domingo-Ferrer and Torra 2005",
    params: &[SIZE, CHUNK, MEND],
    example: &[("size", "10")],
    build: |params| {
        Box::new(Mdav {
            size: params.count("size") as usize,
            chunk: params.count("chunk") as usize,
            mends: params.choice("mend") == "merge",
        })
    },
};

/// How many records are a group.
const SIZE: Param = Param {
    name: "size",
    summary: "records of a group; 0 for the fewest that the criteria allow, and at least two",
    shape: Shape::Count(0),
    default: Some("0"),
};

/// How many records are compared with each other.
const CHUNK: Param = Param {
    name: "chunk",
    summary: "a larger table is halved first, until no part has more records: time grows with their square",
    shape: Shape::Count(1),
    default: Some("4096"),
};

/// What becomes of groups that are not safe.
const MEND: Param = Param {
    name: "mend",
    summary: "merge groups that violate a criterion with the nearest, or have no release then, which tells nothing to those who know the method",
    shape: Shape::Choice(&["merge", "none"]),
    default: Some("merge"),
};

/// The purpose for which random numbers are drawn.
const EQUAL_RECORDS: u64 = 0x6d64_6176;

struct Mdav {
    size: usize,
    chunk: usize,
    mends: bool,
}

impl Method for Mdav {
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        let safety = Safety::new(task.table, task.bound)?;
        let mut rows: Vec<u32> = (0..task.table.rows() as u32).collect();
        if !safety.checker().holds(&rows) {
            return Ok(None);
        }
        rows.shuffle(&mut task.chance.generator(EQUAL_RECORDS)?);
        let space = Space::new(task.table, task.schema)?;
        let size = self.size.max(safety.least_size() as usize).max(2);
        let parts = self.parts(&space, by_values(task.table, task.schema, rows)?, size);
        let stage = task.watch.stage("grouping", Some(task.table.rows() as u64));
        let formed = parts.par_iter().map(|part| {
            let points = space.points(part);
            let mut groups = groups(&points, size);
            if self.mends {
                Mending { points: &points, rows: part }.mend(&mut groups, &mut safety.checker());
            }
            stage.advance(part.len() as u64);
            in_table(&groups, part)
        });
        let groups = self.mended(&space, &safety, formed.collect::<Vec<_>>().concat());
        let resolved = vec![(SIZE.name, Raw::Number(size.to_string()))];
        let grouping = |lists: Vec<Vec<u32>>| Grouping::of_lists(&lists, resolved);
        Ok(groups.map(|lists| Transformation::Groups(grouping(lists))))
    }

    fn along(&self, at: usize, column: &Column, schema: &Schema) -> Result<Along> {
        axis::along(&[], at, column, schema)
    }

    fn weighs_columns(&self) -> bool {
        true
    }

    fn class(&self) -> Class {
        if self.mends { Class::Asymmetric } else { Class::QiOnly }
    }

    /// # Claim
    /// Before groups are merged they depend on quasi-identifiers alone, and a test is made of whole
    /// groups. So a group that was published as it was formed passes its test in every world, and
    /// nothing else that was decided depends on who of it has which value. A group that was merged
    /// is not replayed: which of its parts failed depends on who is in which. Records that are
    /// equal are in an order that nobody knows, so a group is known by its quasi-identifiers.
    fn replayer<'a>(&self, view: &View<'a>) -> Result<Option<Replayer<'a>>> {
        if !view.complete {
            return Ok(None);
        }
        let space = Space::new(view.table, view.schema)?;
        let rows = by_values(view.table, view.schema, (0..view.table.rows() as u32).collect())?;
        let number = numbers_of_equals(view.table, view.schema)?;
        let known = |rows: &[u32]| {
            let mut numbers: Vec<u32> = rows.iter().map(|&row| number[row as usize]).collect();
            numbers.sort_unstable();
            numbers
        };
        let size = self.size.max(1);
        let parts = self.parts(&space, rows, size);
        let formed = parts.par_iter().flat_map_iter(|part| in_table(&groups(&space.points(part), size), part));
        let formed: HashSet<Vec<u32>> = formed.map(|rows| known(&rows)).collect();
        let whole: Vec<bool> =
            (0..view.groups.len()).map(|group| formed.contains(&known(view.groups.rows(group)))).collect();
        let groups = view.groups;
        Ok(Some(Box::new(move |group| whole[group].then(|| Replay::of_any_world(groups.rows(group))))))
    }
}

impl Mdav {
    /// Records in parts that are near each other, each large enough for a group.
    fn parts(&self, space: &Space<'_>, rows: Vec<u32>, size: usize) -> Vec<Vec<u32>> {
        let place = places(&rows);
        let (mut open, mut parts) = (vec![rows], Vec::new());
        while let Some(mut part) = open.pop() {
            let halves = (part.len() > self.chunk && part.len() / 2 >= size).then(|| space.halve(&part)).flatten();
            match halves {
                Some([left, right]) => open.extend([right, left]),
                None => {
                    part.sort_unstable_by_key(|&row| place[row as usize]);
                    parts.push(part);
                }
            }
        }
        parts
    }

    /// Groups that are all safe. Those that are not are all that is left of their parts by now.
    fn mended(&self, space: &Space<'_>, safety: &Safety<'_>, groups: Vec<Vec<u32>>) -> Option<Vec<Vec<u32>>> {
        let mut checker = safety.checker();
        if groups.iter().all(|rows| checker.holds(rows)) {
            return Some(groups);
        }
        if !self.mends {
            return None;
        }
        let rows = groups.concat();
        let points = space.points(&rows);
        let mut next = 0;
        let mut groups: Vec<Vec<u32>> = groups
            .iter()
            .map(|group| {
                next += group.len() as u32;
                (next - group.len() as u32..next).collect()
            })
            .collect();
        Mending { points: &points, rows: &rows }.mend(&mut groups, &mut checker);
        Some(in_table(&groups, &rows))
    }
}

/// The rows by their quasi-identifiers; those with equal ones stay in the order given.
fn by_values(table: &Table, schema: &Schema, rows: Vec<u32>) -> Result<Vec<u32>> {
    Ok(sorted(&schema.quasi(table)?, false, rows))
}

/// For each row a number that rows with equal quasi-identifiers share.
fn numbers_of_equals(table: &Table, schema: &Schema) -> Result<Vec<u32>> {
    let quasi = schema.quasi(table)?;
    let coded: Vec<(&[u32], usize)> = quasi.iter().map(|column| (column.codes(), column.domain().len())).collect();
    Ok(dense_ids(&coded, table.rows()).0)
}

/// The place of every row in a list of all.
fn places(rows: &[u32]) -> Vec<u32> {
    let mut place = vec![0; rows.len()];
    (0..).zip(rows).for_each(|(at, &row)| place[row as usize] = at);
    place
}

/// Groups of records as rows of the table.
fn in_table(groups: &[Vec<u32>], rows: &[u32]) -> Vec<Vec<u32>> {
    groups.iter().map(|group| group.iter().map(|&at| rows[at as usize]).collect()).collect()
}

/// The groups of some records, each of at least `size` of them if there are as many.
fn groups(points: &Points, size: usize) -> Vec<Vec<u32>> {
    let mut left = Left::new(points);
    let mut groups = Vec::new();
    while left.records.len() >= 3 * size {
        let far = left.farthest_from_average();
        groups.push(left.take_around(far, size));
        let opposite = left.farthest_from(far);
        groups.push(left.take_around(opposite, size));
    }
    if left.records.len() >= 2 * size {
        let far = left.farthest_from_average();
        groups.push(left.take_around(far, size));
    }
    groups.push(left.records);
    groups
}

/// The records that are in no group yet.
struct Left<'a> {
    points: &'a Points,
    records: Vec<u32>,
    sums: Sums,
    /// The distance of each from the record or average that was looked at last.
    distances: Vec<f64>,
}

impl<'a> Left<'a> {
    fn new(points: &'a Points) -> Left<'a> {
        let records: Vec<u32> = (0..points.len() as u32).collect();
        Left { points, sums: points.sums(&records), records, distances: Vec::new() }
    }

    fn measure(&mut self, center: &Center) {
        self.points.distances(center, &self.records, &mut self.distances);
    }

    /// The farthest; of equally far ones the first.
    fn farthest(&self) -> u32 {
        let farther = |best: usize, next: usize| if self.distances[next] > self.distances[best] { next } else { best };
        self.records[(0..self.records.len()).reduce(farther).expect("records are left")]
    }

    fn farthest_from_average(&mut self) -> u32 {
        self.measure(&self.sums.center(self.points));
        self.farthest()
    }

    fn farthest_from(&mut self, record: u32) -> u32 {
        self.measure(&self.points.center(&[record]));
        self.farthest()
    }

    /// Takes out a record and its nearest ones, of equally near ones the first.
    fn take_around(&mut self, record: u32, size: usize) -> Vec<u32> {
        self.measure(&self.points.center(&[record]));
        let nearer = |a: &usize, b: &usize| self.distances[*a].total_cmp(&self.distances[*b]).then(a.cmp(b));
        let mut order: Vec<usize> = (0..self.records.len()).collect();
        order.select_nth_unstable_by(size - 1, nearer);
        let mut is_taken = vec![false; self.records.len()];
        order[..size].iter().for_each(|&at| is_taken[at] = true);
        let (taken, left): (Vec<_>, Vec<_>) =
            self.records.iter().zip(&is_taken).map(|(&one, &taken)| (one, taken)).partition(|(_, taken)| *taken);
        self.records = left.into_iter().map(|(one, _)| one).collect();
        let taken: Vec<u32> = taken.into_iter().map(|(one, _)| one).collect();
        taken.iter().for_each(|&one| self.sums.remove(self.points, one));
        taken
    }
}

/// Merges groups that are not safe with the nearest.
struct Mending<'a> {
    points: &'a Points,
    /// The row of each record.
    rows: &'a [u32],
}

impl Mending<'_> {
    /// Merges the first group that is not safe with the nearest one, until all are safe or one is
    /// left.
    fn mend(&self, groups: &mut Vec<Vec<u32>>, checker: &mut Checker<'_>) {
        let mut holds = |group: &Vec<u32>| {
            let rows: Vec<u32> = group.iter().map(|&record| self.rows[record as usize]).collect();
            checker.holds(&rows)
        };
        let mut first = 0;
        while first < groups.len() && groups.len() > 1 {
            if holds(&groups[first]) {
                first += 1;
                continue;
            }
            let nearest = self.nearest(groups, first);
            let other = groups.remove(nearest);
            // A merged group is looked at again, and those before it are safe.
            first -= usize::from(nearest < first);
            groups[first].extend(other);
            groups[first].sort_unstable();
        }
    }

    /// The group whose records are nearest to the average of another one, on average.
    fn nearest(&self, groups: &[Vec<u32>], to: usize) -> usize {
        let all: Vec<u32> = (0..self.points.len() as u32).collect();
        let mut distances = Vec::new();
        // Of all records at once, which is quicker than group by group.
        self.points.distances(&self.points.center(&groups[to]), &all, &mut distances);
        let mean =
            |group: &Vec<u32>| group.iter().map(|&record| distances[record as usize]).sum::<f64>() / group.len() as f64;
        let others = (0..groups.len()).filter(|group| *group != to).map(|group| (mean(&groups[group]), group));
        let nearest = others.reduce(|best, next| if next.0 < best.0 { next } else { best });
        nearest.expect("there is another group").1
    }
}
