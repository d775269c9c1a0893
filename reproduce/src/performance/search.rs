//! Searching the lattice for the best generalization, against judging every node and against
//! grouping the rows once.

use crate::Setting;
use crate::adult::{self, Adult};
use crate::clock::{best, ratio, with_threads};
use crate::page::{Cell, Chart, Column, Section, Source, Table};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sfumato::Result;
use sfumato::anonymize::{ChosenMethod, Generalization, Judge, Lattice, Task, Transformation, Work};
use sfumato::candidate::Groups;
use sfumato::criterion::{Bound, Requirement};
use sfumato::data::{self, ColumnSpec, Role, Schema, hierarchy};
use sfumato::kind::Raw;
use sfumato::plan;
use sfumato::report::grouped;
use sfumato::utility::ChosenMetric;
use std::path::Path;
use std::time::Duration;

/// Quasi-identifiers in the order in which they are taken in.
const QUASI: [&str; 9] =
    ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary", "occupation"];

const K: &str = "criterion = \"k-anonymity\"\nk = 5";
const CASES: [(&str, &str); 5] = [
    ("5-anonymity", ""),
    ("and recursive (3,4)-diversity", "criterion = \"recursive-cl-diversity\"\nc = 3\nl = 4"),
    ("and entropy 5-diversity", "criterion = \"entropy-l-diversity\"\nl = 5"),
    ("and distinct 5-diversity", "criterion = \"distinct-l-diversity\"\nl = 5"),
    ("and t-closeness 0.2", "criterion = \"t-closeness\"\nt = 0.2"),
];

pub fn searching(setting: &Setting<'_>) -> Result<Vec<Section>> {
    let adult = Adult::load(setting)?;
    let table = adult.training();
    Ok(vec![
        by_criterion(setting, &table, adult.source.clone())?,
        by_columns(setting, &table, adult.source.clone())?,
        by_rows(setting, &table)?,
    ])
}

fn by_criterion(setting: &Setting<'_>, table: &data::Table, source: Source) -> Result<Section> {
    let schema = schema(8)?;
    let mut section = Section::new("searching", "Searching the lattice", source).timing().words(format!(
        "{} records, eight quasi-identifiers, occupation sensitive, best by loss; the best of several runs, everything included from the coded table to the decision. \
         Judging every node uses the same frequency sets without tagging and bounds.",
        grouped(table.rows())
    ));
    for method in ["optimal", "incognito"] {
        for percent in [0, 2] {
            setting.now(&format!("searching with {method}, {percent} % suppressed"));
            let mut figures = Table::new(format!("{method}, up to {percent} % suppressed"), columns("criteria", true));
            for (name, more) in CASES {
                figures.row(Case::new(table, &schema, &[K, more], percent)?.measured(name.into(), method, true)?);
            }
            section = section.table(figures);
        }
    }
    Ok(section)
}

fn by_columns(setting: &Setting<'_>, table: &data::Table, source: Source) -> Result<Section> {
    let mut section = Section::new("searching-by-columns", "Searching with more quasi-identifiers", source)
        .timing()
        .words("5-anonymity, optimal by loss.");
    for percent in [0, 2] {
        let title = format!("Time to the best generalization, up to {percent} % suppressed");
        let mut figures = Table::new("", columns("quasi-identifiers", false)).chart(Chart::lines(
            &title,
            "quasi-identifiers",
            "time",
            ["one thread", "two threads"],
        ));
        for count in 3..=9 {
            setting.now(&format!("searching with {count} quasi-identifiers"));
            let schema = schema(count)?;
            figures.row(Case::new(table, &schema, &[K], percent)?.measured(count.into(), "optimal", false)?);
        }
        section = section.table(figures);
    }
    Ok(section)
}

fn by_rows(setting: &Setting<'_>, table: &data::Table) -> Result<Section> {
    let sizes: &[usize] = setting.pick(&[3_000, 10_000], &[30_000, 100_000, 300_000, 1_000_000, 3_000_000]);
    let source = Source::synthetic("copies of the people above, in which one value in ten is another one");
    let mut section = Section::new("searching-by-rows", "Searching with more records", source).timing().words(
        "Eight quasi-identifiers, optimal by loss, one thread; distinct records grow with the number of records.",
    );
    let tables: Vec<data::Table> = sizes.iter().map(|&rows| grown(table, rows)).collect();
    for percent in [0, 2] {
        let names = CASES.map(|(name, _)| name);
        let title = format!("Time to the best generalization, up to {percent} % suppressed");
        let first = [Column::count("records"), Column::time("grouping once")].into_iter();
        let last = ["least over grouping", "most over grouping"].map(Column::times);
        let mut figures = Table::new("", first.chain(names.map(Column::time)).chain(last)).chart(Chart::lines(
            &title,
            "records",
            "time",
            ["grouping once"].into_iter().chain(names),
        ));
        for table in &tables {
            setting.now(&format!("searching {} records, {percent} % suppressed", grouped(table.rows())));
            figures.row(of_size(table, percent)?);
        }
        section = section.table(figures);
    }
    Ok(section)
}

/// A row of times for a table: grouping, every case, and the least and the most of them over
/// grouping.
fn of_size(table: &data::Table, percent: u64) -> Result<Vec<Cell>> {
    let schema = schema(8)?;
    let runs = if table.rows() > 100_000 { 2 } else { 7 };
    let mut times = Vec::new();
    let mut once = Duration::MAX;
    for (_, more) in CASES {
        let case = Case::new(table, &schema, &[K, more], percent)?;
        let (time, found) = with_threads(1, || best(runs, || case.find("optimal")));
        found?;
        times.push(time);
        once = once.min(with_threads(1, || best(runs, || case.grouping())).0);
    }
    let (least, most) = (times.iter().min().expect("a case"), times.iter().max().expect("a case"));
    let ratios = [least, most].map(|time| Cell::from(ratio(*time, once)));
    let first = [Cell::from(table.rows()), once.into()];
    Ok(first.into_iter().chain(times.iter().map(|time| Cell::from(*time))).chain(ratios).collect())
}

fn columns(first: &str, with_every_node: bool) -> Vec<Column> {
    let mut columns = vec![
        if first == "criteria" { Column::text(first) } else { Column::count(first) },
        Column::time("one thread"),
        Column::time("two threads"),
        Column::times("one thread over grouping once"),
        Column::count("nodes looked at"),
        Column::count("nodes"),
        Column::number("loss", 4),
    ];
    if with_every_node {
        columns.push(Column::times("judging every node takes"));
    }
    columns
}

/// A table, what its columns are, and what is asked of it.
struct Case<'a> {
    table: &'a data::Table,
    schema: &'a Schema,
    requirements: Vec<Requirement>,
    bound: Vec<Bound>,
    metric: ChosenMetric,
    limit: u64,
}

impl<'a> Case<'a> {
    fn new(table: &'a data::Table, schema: &'a Schema, criteria: &[&str], percent: u64) -> Result<Case<'a>> {
        let written = criteria.iter().filter(|text| !text.is_empty());
        let requirements: Vec<Requirement> =
            written.map(|text| plan::requirement(text, schema)).collect::<Result<_>>()?;
        let bind = |wanted: &Requirement| wanted.bind(table, schema, Path::new("."));
        let bound = requirements.iter().map(bind).collect::<Result<_>>()?;
        let metric = ChosenMetric::new("loss", &[])?;
        Ok(Case { table, schema, requirements, bound, metric, limit: table.rows() as u64 * percent / 100 })
    }

    /// A row: times, their ratios, and what was found.
    fn measured(&self, first: Cell, method: &str, with_every_node: bool) -> Result<Vec<Cell>> {
        let runs = if self.table.rows() > 100_000 { 2 } else { 7 };
        let (one, found) = with_threads(1, || best(runs, || self.find(method)));
        let (two, _) = with_threads(2, || best(runs, || self.find(method)));
        let (grouping, groups) = with_threads(1, || best(runs, || self.grouping()));
        groups?;
        let found = found?;
        let count = |number: fn(&Generalization) -> u64| Cell::from(found.as_ref().map(|found| number(found) as usize));
        let (checked, nodes) = (count(|found| found.checked), count(|found| found.nodes));
        let loss = found.as_ref().map(|found| found.value).into();
        let mut row = vec![first, one.into(), two.into(), ratio(one, grouping).into(), checked, nodes, loss];
        if with_every_node {
            let (every, judged) = with_threads(1, || best(1, || self.judge_every_node()));
            judged?;
            row.push(ratio(every, one).into());
        }
        Ok(row)
    }

    fn task(&self) -> Task<'_> {
        Task {
            watch: sfumato::watch::Watch::NONE,
            table: self.table,
            schema: self.schema,
            requirements: &self.requirements,
            bound: &self.bound,
            limit: self.limit,
            metric: &self.metric,
            chance: Default::default(),
        }
    }

    fn find(&self, method: &str) -> Result<Option<Generalization>> {
        Ok(match ChosenMethod::new(method, &[])?.build().run(&self.task())? {
            Some(Transformation::Levels(found)) => Some(found),
            _ => None,
        })
    }

    fn judge_every_node(&self) -> Result<usize> {
        let task = self.task();
        let judge = Judge::new(&task.levels())?;
        let lattice = Lattice::new(judge.scales().columns.iter().map(|scale| scale.levels.len()).collect());
        let mut work = Work::default();
        Ok((0..lattice.nodes()).map(|node| judge.judge(&lattice.levels(node), &mut work)).count())
    }

    /// Groups the rows once.
    fn grouping(&self) -> Result<usize> {
        Ok(Groups::by_columns(&self.schema.select(self.table, Role::Quasi)?, self.table.rows()).len())
    }
}

/// The first so many quasi-identifiers, and occupation if it is none of them.
pub(crate) fn schema(count: usize) -> Result<Schema> {
    let top = [("suppress", Raw::Flag(true))];
    let mut specs = Vec::new();
    for name in &QUASI[..count] {
        let mut spec = ColumnSpec::new(*name, Role::Quasi);
        spec.rule = match adult::hierarchy(name)? {
            Some(rule) => Some(rule),
            None => Some(hierarchy::rule(&top, Path::new("."))?.into()),
        };
        specs.push(spec);
    }
    if count < QUASI.len() {
        specs.push(ColumnSpec::new("occupation", Role::Sensitive));
    }
    Ok(Schema::new(specs))
}

/// The table repeated up to a size; in the copies one value in ten is another one of its column.
fn grown(table: &data::Table, rows: usize) -> data::Table {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let column = |column: &data::Column| {
        let domain = column.domain().len() as u32;
        let codes = (0..rows).map(|row| match row < table.rows() || random.random_range(0..10) > 0 {
            true => column.codes()[row % table.rows()],
            false => random.random_range(0..domain),
        });
        data::Column::new(column.name(), codes.collect(), column.domain().clone())
    };
    data::Table::new(table.columns().iter().map(column).collect()).expect("columns of equal length")
}
