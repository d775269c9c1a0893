//! Methods that form groups of records, against sorting.

use crate::Setting;
use crate::clock::{best, ratio, with_threads};
use crate::page::{Cell, Column, Section, Source, Table};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use sfumato::Result;
use sfumato::anonymize::{ChosenMethod, Transformation};
use sfumato::chance::Chance;
use sfumato::data::{self, Dictionary, Domain, Schema, ValueType};
use sfumato::kind::Raw;
use sfumato::plan;
use sfumato::report::grouped;
use sfumato::utility::ChosenMetric;
use std::time::Duration;

/// Quasi-identifiers like those of a census with their number of values; the first is a number.
const QUASI: [(&str, u32); 7] =
    [("age", 74), ("sex", 2), ("race", 5), ("status", 7), ("education", 16), ("country", 41), ("work", 9)];

/// A label, the method and what is written for it.
type Line = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const METHODS: [Line; 6] = [
    ("Mondrian strict", "mondrian", &[("split", "strict")]),
    ("Mondrian relaxed", "mondrian", &[("split", "relaxed")]),
    ("greedy grouping", "greedy-grouping", &[]),
    ("symmetric grouping", "symmetric-grouping", &[]),
    ("symmetric grouping along a Hilbert curve", "symmetric-grouping", &[("sort", "hilbert")]),
    ("Anatomy", "anatomy", &[]),
];

const CRITERIA: [(&str, &str); 2] = [
    ("10-anonymity", "criterion = \"k-anonymity\"\nk = 10"),
    ("10-diversity", "criterion = \"frequency-l-diversity\"\nl = 10"),
];

pub fn grouping(setting: &Setting<'_>) -> Result<Section> {
    let sizes: &[usize] = setting.pick(&[20_000], &[100_000, 1_000_000, 10_000_000]);
    let mut section = Section::new(
        "grouping",
        "Forming groups of records",
        Source::synthetic("made-up people with seven quasi-identifiers of 2 to 74 values and 30 sensitive values"),
    )
    .timing()
    .words("Two threads, the best of several runs. Ratios are to sorting a column of as many random 64-bit numbers eight times with one thread; skewed tables prefer some values of each column.");
    for &rows in sizes {
        section = section.table(of_size(setting, rows)?);
    }
    Ok(section)
}

fn of_size(setting: &Setting<'_>, rows: usize) -> Result<Table> {
    let runs = if rows > 1_000_000 { 1 } else { 5 };
    setting.now(&format!("grouping {} records", grouped(rows)));
    let baseline = (0..runs.min(3)).map(|_| sorting(rows)).min().expect("a run");
    let mut figures = Table::new(
        format!("{} records", grouped(rows)),
        [Column::text("what"), Column::count("groups"), Column::time("time"), Column::times("over sorting")],
    );
    let pairs = with_threads(2, || sorting_pairs(rows));
    let mut line = |what: &str, groups: Option<usize>, time: Duration| {
        figures.row([what.into(), groups.into(), Cell::from(time), ratio(time, baseline).into()]);
    };
    line("sorting as many numbers eight times", None, baseline);
    line("sorting pairs of key and record once, two threads", None, pairs);
    for skewed in [false, true] {
        let people = people(rows, skewed);
        for (label, method, written) in METHODS {
            for (criterion, text) in CRITERIA.into_iter().skip(usize::from(method != "mondrian")) {
                let label = format!("{label}, {criterion}{}", if skewed { ", skewed" } else { "" });
                let (time, found) = with_threads(2, || best(runs, || groups(&people, text, method, written)));
                line(&label, Some(found?), time);
            }
        }
    }
    Ok(figures)
}

/// Forms groups, and says how many.
fn groups(table: &data::Table, criterion: &str, method: &str, written: &[(&str, &str)]) -> Result<usize> {
    let quasi: Vec<&str> = QUASI.iter().map(|(name, _)| *name).collect();
    let schema = Schema::of(&quasi, &["disease"]);
    let requirements = [plan::requirement(criterion, &schema)?];
    let metric = ChosenMetric::new("loss", &[])?;
    let written: Vec<(&str, Raw)> = written.iter().map(|(name, value)| (*name, Raw::from(*value))).collect();
    Ok(
        match ChosenMethod::new(method, &written)?.run_on(table, &schema, &requirements, &metric, Chance::default())? {
            Some(Transformation::Groups(grouping)) => grouping.groups.len(),
            _ => 0,
        },
    )
}

/// Sorting random numbers eight times, each time as they come.
fn sorting(rows: usize) -> Duration {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let numbers: Vec<u64> = (0..rows).map(|_| random.next_u64()).collect();
    let sort = |_| {
        let mut copy = numbers.clone();
        best(1, || copy.sort_unstable()).0
    };
    (0..8).map(sort).sum()
}

/// Sorting pairs of a random key and a row number, once, with all threads.
fn sorting_pairs(rows: usize) -> Duration {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let pairs: Vec<(u64, u32)> = (0..rows as u32).map(|row| (random.next_u64(), row)).collect();
    let sort = |_| {
        let mut copy = pairs.clone();
        best(1, || copy.par_sort_unstable()).0
    };
    (0..3).map(sort).min().expect("a run")
}

fn people(rows: usize, skewed: bool) -> data::Table {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut columns: Vec<data::Column> =
        QUASI.iter().map(|(name, size)| column(name, *size, rows, skewed, &mut random)).collect();
    columns.push(column("disease", 30, rows, false, &mut random));
    data::Table::new(columns).expect("columns of equal length")
}

/// Random codes; skewed ones are the smaller of two.
fn column(name: &str, size: u32, rows: usize, skewed: bool, random: &mut ChaCha8Rng) -> data::Column {
    let is_number = name == "age";
    let mut labels = Dictionary::new();
    for code in 0..size {
        labels.push(&if is_number { (17 + code).to_string() } else { format!("value {code:02}") });
    }
    let value_type = if is_number { ValueType::Integer } else { ValueType::Text };
    let draw = |random: &mut ChaCha8Rng| {
        let code = random.random_range(0..size);
        if skewed { code.min(random.random_range(0..size)) } else { code }
    };
    let codes = (0..rows).map(|_| draw(random)).collect();
    data::Column::new(name, codes, Domain::new(labels, value_type, None))
}
