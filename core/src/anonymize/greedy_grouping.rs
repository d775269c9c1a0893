//! Greedy grouping: records in the order of their quasi-identifiers, and a group is closed as soon
//! as it is safe.
//!
//! **Finds** small groups of records that are near each other; the records at the end that never
//! become safe are withheld. **How**: records are sorted and taken in buckets; a group takes bucket
//! after bucket until every criterion holds. **Class**: asymmetric. A group of several buckets
//! tells that its first buckets alone were not safe: whoever knows the method believes more than
//! 1/l about the people in them, though less than e/l under binary l-diversity. Use it to study the
//! attack, or [randomized](super::randomized_greedy_grouping). **Reference**: Cormode, Srivastava,
//! Li and Li 2010, Section 4.

use super::grouping::{Growing, bucket_size};
use super::order::{ORDER, SORT, priority, sorted};
use super::{
    ANATOMIZE, Along, BUCKET, Build, Class, Grouping, Method, Replay, Replayer, Safety, Task, Transformation, View,
};
use crate::data::{Column, Schema};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Params, Raw};
use rand::RngExt;
use rand::seq::SliceRandom;
use std::ops::Range;

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "greedy-grouping",
    summary: "Sorts records and closes a group as soon as it is safe; vulnerable to an attacker who knows the method",
    reference: "Cormode et al. 2010, Section 4",
    params: &[ORDER, SORT, BUCKET, ANATOMIZE],
    example: &[("bucket", "0")],
    build: |params| Box::new(Greedy { params: params.clone(), going_on: Fraction::ZERO }),
};

/// Greedy grouping, with a chance that a safe group goes on.
pub(super) struct Greedy {
    pub params: Params,
    pub going_on: Fraction,
}

/// Longer groups are not replayed: hardly any of their worlds is possible, and there are too many
/// to count.
const MOST_BUCKETS: usize = 1000;

/// What random choices are for: with a seed, each is another sequence.
const TIES: u64 = 1;
const GOING_ON: u64 = 2;

impl Method for Greedy {
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        let Sorted { rows, resolved: mut stated } = Sorted::new(&self.params, task)?;
        let bucket = bucket_size(task, self.params.count("bucket"));
        stated.push(("bucket", Raw::Number(bucket.to_string())));
        let stretches = self.stretches(task, &rows, bucket)?;
        if stretches.is_empty() {
            return Ok(None);
        }
        Ok(Some(Transformation::Groups(Grouping::of_stretches(&rows, &stretches, stated))))
    }

    fn along(&self, _at: usize, _column: &Column, _schema: &Schema) -> Result<Along> {
        Ok(Along::Order)
    }

    fn withholds(&self) -> bool {
        true
    }

    fn class(&self) -> Class {
        Class::Asymmetric
    }

    /// # Claim
    /// Groups are formed one after the other from records whose order does not depend on sensitive
    /// values, and what comes before a group depends on other records only. So a group is published
    /// as it was just if each of its beginnings (whole buckets) failed, or was safe and went on by
    /// lot: exact for each group by itself.
    fn replayer<'a>(&self, view: &View<'a>) -> Result<Option<Replayer<'a>>> {
        let Some(place) = places(&self.params, view)? else { return Ok(None) };
        let (groups, bucket) = (view.groups, self.params.count("bucket").max(1) as usize);
        let passed = self.going_on;
        Ok(Some(Box::new(move |group| {
            if groups.size(group) > MOST_BUCKETS * bucket {
                return None;
            }
            let blocks: Vec<Vec<u32>> =
                in_order(groups.rows(group), &place).chunks(bucket).map(<[u32]>::to_vec).collect();
            let beginning = |end: u32| vec![(0..end).collect::<Vec<u32>>()];
            let tests = (1..blocks.len() as u32).map(beginning).collect();
            Some(Replay { blocks, tests, passed, coupled: false })
        })))
    }
}

impl Greedy {
    /// Where groups are among the sorted rows. A last bucket that is not full is not used.
    fn stretches(&self, task: &Task<'_>, rows: &[u32], bucket: usize) -> Result<Vec<Range<usize>>> {
        let safety = Safety::new(task.table, task.bound)?;
        let mut growing = Growing::new(&safety);
        let mut generator = task.chance.generator(GOING_ON)?;
        let mut goes_on =
            || self.going_on > Fraction::ZERO && generator.random_range(0..self.going_on.den) < self.going_on.num;
        let mut stretches = Vec::new();
        let stage = task.watch.stage("grouping", Some(rows.len() as u64));
        let (mut start, mut safe) = (0, false);
        for (at, more) in rows.chunks_exact(bucket).enumerate() {
            growing.add(more);
            safe = growing.holds();
            let end = (at + 1) * bucket;
            if safe && !goes_on() {
                stretches.push(start..end);
                growing.clear();
                stage.advance((end - start) as u64);
                (start, safe) = (end, false);
            }
        }
        // A group that would have gone on, had there been more.
        let end = rows.len() - rows.len() % bucket;
        if safe && start < end {
            stretches.push(start..end);
        }
        Ok(stretches)
    }
}

/// Records in the order of their quasi-identifiers, those with equal ones by lot.
pub(super) struct Sorted {
    pub rows: Vec<u32>,
    /// The order of columns, as it would be written.
    pub resolved: Vec<(&'static str, Raw)>,
}

impl Sorted {
    pub fn new(params: &Params, task: &Task<'_>) -> Result<Sorted> {
        let quasi = task.schema.quasi(task.table)?;
        let columns = by_priority(params, &quasi)?;
        let mut shuffled: Vec<u32> = (0..task.table.rows() as u32).collect();
        shuffled.shuffle(&mut task.chance.generator(TIES)?);
        let names = columns.iter().map(|column| Raw::Text(column.name().to_string()));
        let resolved = vec![("order", Raw::List(names.collect()))];
        Ok(Sorted { rows: sorted(&columns, is_hilbert(params), shuffled), resolved })
    }
}

fn by_priority<'c>(params: &Params, quasi: &[&'c Column]) -> Result<Vec<&'c Column>> {
    Ok(priority(params.values("order"), quasi)?.into_iter().map(|at| quasi[at]).collect())
}

fn is_hilbert(params: &Params) -> bool {
    params.choice("sort") == "hilbert"
}

/// The place of every row in the method's order; nothing if it cannot be told: where values lie on
/// a curve depends on all records, also on those that were withheld.
pub(super) fn places(params: &Params, view: &View<'_>) -> Result<Option<Vec<u32>>> {
    if is_hilbert(params) && !view.complete {
        return Ok(None);
    }
    let columns = by_priority(params, &view.schema.quasi(view.table)?)?;
    let rows = sorted(&columns, is_hilbert(params), (0..view.table.rows() as u32).collect());
    let mut place = vec![0; rows.len()];
    (0..).zip(&rows).for_each(|(at, &row)| place[row as usize] = at);
    Ok(Some(place))
}

/// Rows in the order of their places.
pub(super) fn in_order(rows: &[u32], place: &[u32]) -> Vec<u32> {
    let mut rows = rows.to_vec();
    rows.sort_unstable_by_key(|&row| place[row as usize]);
    rows
}
