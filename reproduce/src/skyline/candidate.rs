//! Release candidates as the paper makes them: groups of 100 records, 20 uniform sensitive values.

use super::dynamic_program::{Bucket, Semantics, breach};
use super::{Knowledge, point};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use sfumato::Result;
use sfumato::audit::audit_groups;
use sfumato::candidate::{Counter, Groups};
use sfumato::data::{Column, Dictionary, Domain, Schema, Table, ValueType};
use sfumato::plan::requirement;
use std::path::Path;

/// How many sensitive values there are.
pub const VALUES: usize = 20;
/// How many records are in a group.
pub const GROUP: usize = 100;

/// How often each value occurs in a group.
pub type Counts = [u32; VALUES];

/// A release candidate: records and their groups.
pub struct Candidate {
    table: Table,
    groups: Groups,
}

impl Candidate {
    pub fn new(rows: usize) -> Result<Candidate> {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut labels = Dictionary::new();
        for value in 0..VALUES {
            labels.push(&label(value));
        }
        let codes = (0..rows).map(|_| random.random_range(0..VALUES as u32)).collect();
        let column = Column::new("s", codes, Domain::new(labels, ValueType::Text, None));
        let ids: Vec<u32> = (0..rows).map(|row| (row / GROUP) as u32).collect();
        let groups = Groups::by_ids(&ids, rows.div_ceil(GROUP));
        Ok(Candidate { table: Table::new(vec![column])?, groups })
    }

    pub fn records(&self) -> usize {
        self.groups.records()
    }

    fn codes(&self) -> &[u32] {
        self.table.columns()[0].codes()
    }

    /// The library's check of every value: the highest belief that it finds.
    pub fn check(&self, knowledge: Knowledge) -> Result<f64> {
        self.audit(&point(knowledge, "0.95"))
    }

    /// The library's check of the first values alone.
    pub fn check_first(&self, (l, k, m): Knowledge, values: usize) -> Result<f64> {
        let one = |value: usize| format!("{{ value = \"{}\", l = {l}, k = {k}, m = {m}, c = \"0.95\" }}", label(value));
        let points: Vec<String> = (0..values).map(one).collect();
        self.audit(&format!("criterion = \"skyline\"\npoints = [{}]", points.join(", ")))
    }

    fn audit(&self, criterion: &str) -> Result<f64> {
        let schema = Schema::of(&[], &["s"]);
        let wanted = requirement(criterion, &schema)?;
        let audit = audit_groups(&self.table, &schema, &self.groups, &[wanted], Path::new("."))?;
        let points = &audit.criteria[0].verdict.points;
        Ok(points.iter().map(|point| point.measured).fold(0.0, f64::max))
    }

    /// How often each value occurs in each group.
    pub fn histograms(&self) -> Vec<Counts> {
        let codes = self.codes();
        let of_group = |group: usize| {
            let mut counts = [0; VALUES];
            self.groups.rows(group).iter().for_each(|&row| counts[codes[row as usize] as usize] += 1);
            counts
        };
        (0..self.groups.len()).map(of_group).collect()
    }

    /// Counts the values of all groups, and nothing else.
    pub fn count(&self) -> u64 {
        let codes = self.codes();
        let stretch = (self.groups.len() / (8 * rayon::current_num_threads())).max(1);
        let one = |at: usize| {
            let mut counter = Counter::new(VALUES);
            let range = at * stretch..self.groups.len().min((at + 1) * stretch);
            range
                .map(|group| {
                    let rows = self.groups.rows(group).iter();
                    counter.count(group, rows.map(|&row| codes[row as usize])).descending()[0]
                })
                .sum::<u64>()
        };
        (0..self.groups.len().div_ceil(stretch)).into_par_iter().map(one).sum()
    }
}

fn label(value: usize) -> String {
    format!("value {value:02}")
}

/// The highest belief in one of the first values by the dynamic program.
pub fn by_program(histograms: &[Counts], knowledge: Knowledge, values: usize) -> f64 {
    let of_value = |value: usize| {
        let bucket = |counts: &Counts| Bucket::new(counts.iter().sum(), counts, value);
        let buckets: Vec<Bucket> = histograms.iter().map(bucket).collect();
        breach(Semantics::Single, &buckets, knowledge)
    };
    (0..values).map(of_value).fold(0.0, f64::max)
}
