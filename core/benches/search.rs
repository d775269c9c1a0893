//! Lattice search on Adult: the best generalization by loss, for 5-anonymity alone and with diversity or closeness, with and without suppression.
//!
//! Baselines of the same run: grouping the rows once by all quasi-identifiers, and judging every node of the lattice (no tagging, no bounds) on the same frequency sets.
//! `--rows N` sets the largest table of the growth figures; a word after `--` runs only the lines that hold it.

mod support;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sfumato::anonymize::{Generalization, Judge, Lattice, Outcome, Task, Wanted, Work};
use sfumato::candidate::Groups;
use sfumato::criterion::{Bound, Requirement};
use sfumato::data::{Column, Formats, ReadOptions, Role, Schema, Table};
use sfumato::plan::{self, Plan};
use sfumato::utility::Chosen;
use std::path::Path;
use std::time::Duration;
use support::{best, rows, with_threads};

/// Quasi-identifiers in the order in which they are taken in.
const QUASI: [&str; 9] =
    ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class", "occupation"];

const K: &str = "criterion = \"k-anonymity\"\nk = 5";
const CASES: [(&str, &str); 5] = [
    ("5-anonymity", ""),
    ("+ recursive (3,4)", "criterion = \"recursive-cl-diversity\"\nc = 3\nl = 4"),
    ("+ entropy 5", "criterion = \"entropy-l-diversity\"\nl = 5"),
    ("+ distinct 5", "criterion = \"distinct-l-diversity\"\nl = 5"),
    ("+ t-closeness 0.2", "criterion = \"t-closeness\"\nt = 0.2"),
];

/// A table, what its columns are, and what is asked of it.
struct Case<'a> {
    table: &'a Table,
    schema: &'a Schema,
    requirements: Vec<Requirement>,
    bound: Vec<Bound>,
    metric: Chosen,
    limit: u64,
}

impl<'a> Case<'a> {
    fn new(table: &'a Table, schema: &'a Schema, criteria: &[&str], percent: u64) -> Case<'a> {
        let written = criteria.iter().filter(|text| !text.is_empty());
        let requirements: Vec<Requirement> =
            written.map(|text| plan::requirement(text, schema).expect("a criterion")).collect();
        let bind = |wanted: &Requirement| wanted.bind(table, schema, Path::new(".")).expect("it binds");
        let bound = requirements.iter().map(bind).collect();
        let metric = Chosen::new("loss", &[]).expect("a metric");
        Case { table, schema, requirements, bound, metric, limit: table.rows() as u64 * percent / 100 }
    }

    fn task(&self) -> Task<'_> {
        Task {
            table: self.table,
            schema: self.schema,
            requirements: &self.requirements,
            bound: &self.bound,
            limit: self.limit,
            metric: &self.metric,
            chance: Default::default(),
        }
    }

    fn find(&self, method: &str) -> Option<Generalization> {
        match Wanted::new(method, &[]).expect("a method").build().run(&self.task()).expect("it runs")? {
            Outcome::Levels(found) => Some(found),
            Outcome::Groups(_) => None,
        }
    }

    /// Judges every node, one after the other.
    fn exhaust(&self) -> usize {
        let task = self.task();
        let judge = Judge::new(&task).expect("a judge");
        let lattice = Lattice::new(judge.scales().columns.iter().map(|scale| scale.levels.len()).collect());
        let mut work = Work::default();
        (0..lattice.nodes()).map(|node| judge.judge(&lattice.levels(node), &mut work)).count()
    }

    fn grouping(&self) -> usize {
        Groups::by_columns(&self.schema.select(self.table, Role::Quasi).expect("columns"), self.table.rows()).len()
    }
}

fn schema(folder: &Path, quasi: &[&str]) -> Schema {
    let column = |name: &&str| {
        format!("{name} = {{ role = \"quasi\", hierarchy = {{ file = \"adult_hierarchy_{name}.csv\" }} }}\n")
    };
    let sensitive = if quasi.contains(&"occupation") { "" } else { "occupation = \"sensitive\"\n" };
    let columns: String = quasi.iter().map(column).collect();
    Plan::parse(&format!("[columns]\n{columns}{sensitive}"), folder).expect("a plan").schema
}

/// The table repeated up to a size; in the copies one value in ten is another one of its column.
fn grown(table: &Table, rows: usize) -> Table {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let column = |column: &Column| {
        let domain = column.domain().len() as u32;
        let codes = (0..rows).map(|row| match row < table.rows() || random.random_range(0..10) > 0 {
            true => column.codes()[row % table.rows()],
            false => random.random_range(0..domain),
        });
        Column::new(column.name(), codes.collect(), column.domain().clone())
    };
    Table::new(table.columns().iter().map(column).collect()).expect("a table")
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// One line: time on one and on two threads, what was found, and how it compares.
fn line(label: &str, case: &Case<'_>, method: &str, with_exhaustive: bool) {
    if std::env::args()
        .skip(1)
        .any(|only| !only.starts_with("--") && only.parse::<usize>().is_err() && !label.contains(&only))
    {
        return;
    }
    let runs = if case.table.rows() > 100_000 { 2 } else { 7 };
    let (one, found) = with_threads(1, || best(runs, || case.find(method)));
    let (two, _) = with_threads(2, || best(runs, || case.find(method)));
    let (grouping, _) = with_threads(1, || best(runs, || case.grouping()));
    let exhaustive = with_exhaustive.then(|| with_threads(1, || best(1, || case.exhaust())).0);
    let against = |baseline: Duration| baseline.as_secs_f64() / one.as_secs_f64();
    let found = found.map_or("infeasible".to_string(), |found| {
        let levels: Vec<String> = found.levels.iter().map(usize::to_string).collect();
        format!("{:>6} of {:>6} looked at, loss {:.6} at {}", found.checked, found.nodes, found.value, levels.join(","))
    });
    println!(
        "{label:<46} {:>8.1} ms {:>8.1} ms {:>7.1}× {:>8}  {found}",
        milliseconds(one),
        milliseconds(two),
        1.0 / against(grouping),
        exhaustive.map_or(String::new(), |time| format!("{:.1}×", against(time))),
    );
}

fn heading(text: &str) {
    println!("\n{text}\n{:<46} {:>11} {:>11} {:>8} {:>8}", "", "1 thread", "2 threads", "grouping", "all nodes");
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/adult-arx");
    if !folder.is_dir() {
        println!("skipped: there is no {}", folder.display());
        return;
    }
    let table = Formats::default().read(&folder.join("adult.csv"), &ReadOptions::default()).expect("Adult");
    println!("times; then time over that of grouping the rows once, and time of judging every node over it");

    heading("Adult, 30,162 rows, 8 quasi-identifiers, occupation sensitive");
    let eight = schema(&folder, &QUASI[..8]);
    for percent in [0, 2] {
        for (name, more) in CASES {
            line(&format!("{percent} %  {name}"), &Case::new(&table, &eight, &[K, more], percent), "optimal", true);
        }
    }
    heading("the same, all safe nodes (incognito)");
    for percent in [0, 2] {
        for (name, more) in CASES {
            line(
                &format!("incognito {percent} %  {name}"),
                &Case::new(&table, &eight, &[K, more], percent),
                "incognito",
                true,
            );
        }
    }
    heading("by quasi-identifiers, 5-anonymity");
    for count in 3..=9 {
        let some = schema(&folder, &QUASI[..count]);
        for percent in [0, 2] {
            line(
                &format!("{count} quasi-identifiers, {percent} %"),
                &Case::new(&table, &some, &[K], percent),
                "optimal",
                false,
            );
        }
    }
    heading("by rows, 8 quasi-identifiers");
    let largest = rows(3_000_000);
    for size in [30_162, 100_000, 500_000, 1_000_000, 3_000_000] {
        if size > largest {
            break;
        }
        let table = grown(&table, size);
        for percent in [0, 2] {
            for (name, more) in CASES {
                line(
                    &format!("{size} rows, {percent} %  {name}"),
                    &Case::new(&table, &eight, &[K, more], percent),
                    "optimal",
                    false,
                );
            }
        }
    }
}
