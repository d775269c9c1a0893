//! Groups of records, and whether records that are put together are safe.

use super::Task;
use crate::candidate::{Coded, Counter, Groups, Histogram};
use crate::criterion::{Bound, Codes, Criterion};
use crate::data::Table;
use crate::error::Result;
use crate::kind::Raw;
use std::ops::Range;

/// Records in groups.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// The groups, each safe. Records that are in none are withheld.
    pub groups: Groups,
    /// The groups before large ones were divided by their sensitive values, if that was done: the
    /// method is replayed on these.
    pub whole: Option<Groups>,
    /// How many records could not be grouped safely.
    pub withheld: u64,
    /// Parameters that the method worked out itself, as they would be written: the order of
    /// columns, the size of a bucket.
    pub resolved: Vec<(&'static str, Raw)>,
}

impl Grouping {
    /// Consecutive stretches of some rows as groups; what is not in one is withheld.
    pub(super) fn of_stretches(
        rows: &[u32],
        stretches: &[Range<usize>],
        resolved: Vec<(&'static str, Raw)>,
    ) -> Grouping {
        let groups = Groups::of_stretches(rows, stretches);
        Grouping { withheld: (rows.len() - groups.records()) as u64, groups, whole: None, resolved }
    }

    /// Lists of rows as groups; nobody is withheld.
    pub(super) fn of_lists(lists: &[Vec<u32>], resolved: Vec<(&'static str, Raw)>) -> Grouping {
        Grouping { groups: Groups::of_lists(lists), whole: None, withheld: 0, resolved }
    }
}

/// How many records are taken at a time: as many as written; else the largest l that a criterion
/// asks for; else the largest k; else two.
pub(super) fn bucket_size(task: &Task<'_>, written: u64) -> usize {
    let largest = |name: &str| {
        let all = task.requirements.iter().flat_map(|wanted| wanted.criterion.params.iter());
        all.filter(|(known, _)| *known == name).filter_map(|(_, setting)| setting.ceil()).max()
    };
    let asked = || largest("l").or_else(|| largest("k")).unwrap_or(2);
    if written > 0 { written as usize } else { asked().max(1) as usize }
}

/// Decides whether records that are put together satisfy every criterion, whatever other groups
/// there are.
pub struct Safety<'a> {
    criteria: Vec<(&'a dyn Criterion, Option<Codes<'a>>)>,
}

impl<'a> Safety<'a> {
    /// Of criteria that are bound to the table.
    pub fn new(table: &'a Table, bound: &'a [Bound]) -> Result<Safety<'a>> {
        let criteria = bound.iter().map(|bound| Ok((&*bound.criterion, bound.codes(table)?)));
        Ok(Safety { criteria: criteria.collect::<Result<_>>()? })
    }

    /// The criteria with the codes that each reads.
    pub fn criteria(&self) -> impl Iterator<Item = (&'a dyn Criterion, Option<Coded<'_>>)> {
        self.criteria.iter().map(|(criterion, codes)| (*criterion, codes.as_ref().map(Codes::as_coded)))
    }

    /// Whether only sizes matter.
    pub fn reads_sizes_only(&self) -> bool {
        self.criteria.iter().all(|(_, codes)| codes.is_none())
    }

    /// How many records a group needs at least.
    pub fn least_size(&self) -> u64 {
        self.criteria.iter().map(|(criterion, _)| criterion.properties().least.records()).max().unwrap_or(1)
    }

    /// A checker for one thread.
    pub fn checker(&self) -> Checker<'_> {
        let counters = self.criteria().map(|(_, coded)| Counter::new(coded.map_or(0, |(_, domain)| domain)));
        self.checker_with(counters.collect())
    }

    /// A checker with the memory of another one of the same criteria.
    pub fn checker_with(&self, counters: Vec<Counter>) -> Checker<'_> {
        Checker { criteria: self.criteria().collect(), counters }
    }
}

/// Checks records that are put together.
pub struct Checker<'a> {
    criteria: Vec<(&'a dyn Criterion, Option<Coded<'a>>)>,
    counters: Vec<Counter>,
}

impl Checker<'_> {
    /// Its memory, which is as large as the domains that criteria read: for another checker.
    pub fn into_memory(self) -> Vec<Counter> {
        self.counters
    }

    /// Whether these rows together are safe.
    pub fn holds(&mut self, rows: &[u32]) -> bool {
        self.holds_for(rows.len() as u64, || rows.iter().map(|&row| (row, 1)))
    }

    /// Whether records are safe of which so many have the sensitive values of a row.
    pub fn holds_counted(&mut self, records: &[(u32, u32)]) -> bool {
        let size = records.iter().map(|(_, count)| u64::from(*count)).sum();
        self.holds_for(size, || records.iter().map(|&(row, count)| (row, u64::from(count))))
    }

    fn holds_for<I: Iterator<Item = (u32, u64)>>(&mut self, size: u64, records: impl Fn() -> I) -> bool {
        let mut counters = self.counters.as_mut_slice();
        // Values are counted once for all criteria in a row that read the same.
        self.criteria.chunk_by_mut(|a, b| reads_same(a.1, b.1)).all(|same| {
            let (own, rest) = std::mem::take(&mut counters).split_at_mut(same.len());
            counters = rest;
            let histogram = match same[0].1 {
                None => Histogram::of_size(0, size),
                Some((codes, _)) => {
                    let present = records().filter(|record| record.1 > 0);
                    own[0].add(0, present.map(|(row, count)| (codes[row as usize], count)))
                }
            };
            let violated = same.iter().position(|(criterion, _)| !criterion.holds_among(&histogram));
            // What is violated often is asked for early.
            violated.inspect(|&at| same.swap(at, at.saturating_sub(1))).is_none()
        })
    }
}

/// Whether two criteria read the same codes.
fn reads_same(a: Option<Coded<'_>>, b: Option<Coded<'_>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => std::ptr::eq(a.0, b.0),
        _ => false,
    }
}

/// Records that are put together one after the other, and whether they are safe so far.
pub struct Growing<'a> {
    criteria: Vec<(&'a dyn Criterion, Option<Coded<'a>>)>,
    size: u64,
    counts: Vec<Counts>,
    counter: Counter,
}

/// How often each code occurs, and which do.
#[derive(Default)]
struct Counts {
    of_code: Vec<u64>,
    present: Vec<u32>,
}

impl<'a> Growing<'a> {
    /// No records.
    pub fn new(safety: &'a Safety<'a>) -> Growing<'a> {
        let counts = safety
            .criteria()
            .map(|(_, coded)| Counts { of_code: vec![0; coded.map_or(0, |(_, domain)| domain)], present: Vec::new() });
        Growing { criteria: safety.criteria().collect(), size: 0, counts: counts.collect(), counter: Counter::new(0) }
    }

    /// More records.
    pub fn add(&mut self, rows: &[u32]) {
        self.size += rows.len() as u64;
        for ((_, coded), counts) in self.criteria.iter().zip(&mut self.counts) {
            let Some((codes, _)) = coded else { continue };
            for &row in rows {
                let code = codes[row as usize];
                let count = &mut counts.of_code[code as usize];
                *count += 1;
                if *count == 1 {
                    let at = counts.present.partition_point(|&known| known < code);
                    counts.present.insert(at, code);
                }
            }
        }
    }

    /// No records again.
    pub fn clear(&mut self) {
        self.size = 0;
        for counts in &mut self.counts {
            counts.present.drain(..).for_each(|code| counts.of_code[code as usize] = 0);
        }
    }

    /// Whether they are safe.
    pub fn holds(&mut self) -> bool {
        let (size, counter) = (self.size, &mut self.counter);
        self.criteria.iter().zip(&self.counts).all(|((criterion, coded), counts)| match coded {
            None => criterion.holds_among(&Histogram::of_size(0, size)),
            Some(_) => {
                let entries = counts.present.iter().map(|&code| (code, counts.of_code[code as usize]));
                criterion.holds_among(&counter.take(0, entries))
            }
        })
    }
}
