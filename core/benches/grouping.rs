//! Methods that form groups of records, on seven quasi-identifiers like those of a census; and what is learnt from knowing them, on Adult.
//!
//! Yardsticks of the same run: sorting a column of as many random 64-bit numbers eight times; for methods that sort, sorting pairs of a random key and a row number once. `--rows N` sets the largest table,
//! `--full` takes ten million rows in; a word after `--` runs only the lines that hold it.

#[allow(dead_code)]
#[path = "../tests/papers/real_data.rs"]
mod real_data;
mod support;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use sfumato::anonymize::{Grouping, Outcome, Task, Wanted};
use sfumato::chance::Chance;
use sfumato::criterion::{Bound, Requirement};
use sfumato::data::{Column, Dictionary, Domain, Schema, Table, ValueType};
use sfumato::kind::Raw;
use sfumato::plan;
use sfumato::utility::Chosen;
use std::path::Path;
use std::time::Duration;
use support::{best, line, peak_memory_mib, rows, with_threads};

/// Quasi-identifiers with their number of values; the first is a number.
const QUASI: [(&str, u32); 7] =
    [("age", 74), ("sex", 2), ("race", 5), ("status", 7), ("education", 16), ("country", 41), ("work", 9)];

/// A label, the method and what is written for it.
type Line = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const METHODS: [Line; 6] = [
    ("mondrian strict", "mondrian", &[("split", "strict")]),
    ("mondrian relaxed", "mondrian", &[("split", "relaxed")]),
    ("greedy grouping", "greedy-grouping", &[]),
    ("symmetric grouping", "symmetric-grouping", &[]),
    ("symmetric grouping, hilbert", "symmetric-grouping", &[("sort", "hilbert")]),
    ("anatomy", "anatomy", &[]),
];

const CRITERIA: [(&str, &str); 2] = [
    ("10-anonymity", "criterion = \"k-anonymity\"\nk = 10"),
    ("10-diversity", "criterion = \"frequency-l-diversity\"\nl = 10"),
];

/// Random codes; half of them are drawn with a preference for small ones.
fn column(name: &str, size: u32, rows: usize, skewed: bool, random: &mut ChaCha8Rng) -> Column {
    let mut labels = Dictionary::new();
    let is_number = name == "age";
    for code in 0..size {
        labels.push(&if is_number { (17 + code).to_string() } else { format!("value {code:02}") });
    }
    let value_type = if is_number { ValueType::Integer } else { ValueType::Text };
    let draw = |random: &mut ChaCha8Rng| {
        let code = random.random_range(0..size);
        if skewed { code.min(random.random_range(0..size)) } else { code }
    };
    let codes = (0..rows).map(|_| draw(random)).collect();
    Column::new(name, codes, Domain::new(labels, value_type, None))
}

fn table(rows: usize, skewed: bool) -> Table {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut columns: Vec<Column> =
        QUASI.iter().map(|(name, size)| column(name, *size, rows, skewed, &mut random)).collect();
    columns.push(column("disease", 30, rows, false, &mut random));
    Table::new(columns).expect("a table")
}

fn is_wanted(label: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--") && word.parse::<usize>().is_err());
    words.all(|word| label.contains(&word))
}

/// Sorting random numbers eight times, each time as they come.
fn yardstick(rows: usize) -> Duration {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let numbers: Vec<u64> = (0..rows).map(|_| random.next_u64()).collect();
    let mut time = Duration::ZERO;
    for _ in 0..8 {
        let mut copy = numbers.clone();
        time += best(1, || copy.sort_unstable()).0;
    }
    time
}

/// Sorting pairs of a random key and a row number, once, with all threads.
fn pairs(rows: usize) -> Duration {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let pairs: Vec<(u64, u32)> = (0..rows as u32).map(|row| (random.next_u64(), row)).collect();
    let sort = || {
        let mut copy = pairs.clone();
        best(1, || copy.par_sort_unstable()).0
    };
    (0..3).map(|_| sort()).min().expect("a run")
}

/// What the minimality attack takes on Adult at l = 6, once for one sensitive value and once for all of them.
fn attacks() {
    let Some(table) = real_data::adult_complete() else { return };
    println!("\nminimality on {} records of Adult, l = 6, two threads", table.rows());
    for (values, words) in [("one value", "sensitive_values = [\"Tech-support\"]"), ("all values", "")] {
        for method in ["greedy-grouping", "randomized-greedy-grouping", "symmetric-grouping", "mondrian"] {
            let label = format!("minimality, {method}, {values}");
            if !is_wanted(&label) {
                continue;
            }
            let comma = if words.is_empty() { "" } else { "," };
            let text = format!(
                "[columns]\nage = \"quasi\"\nworkclass = \"quasi\"\neducation = \"quasi\"\nmarital-status = \"quasi\"\nrace = \"quasi\"\n\
                 sex = \"quasi\"\noccupation = {{ role = \"sensitive\"{comma} {words} }}\n\
                 [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 6\n[method]\nname = \"{method}\"\n\
                 [release]\nform = \"bucketized\"\n"
            );
            let make = |attack: &str| {
                let text = format!("{text}[[attack]]\nattack = \"{attack}\"\n");
                let plan = sfumato::Plan::parse(&text, Path::new(".")).expect("a plan");
                let mut publishing = plan.publishing().expect("how to publish");
                publishing.chance = Chance::insecure(1);
                best(2, || sfumato::publish::make(&plan, &publishing, &table, &Default::default()).expect("a release"))
            };
            let (without, _) = with_threads(2, || make("linkage"));
            let (time, made) = with_threads(2, || make("minimality"));
            let finding = &made.publication.attacks[0];
            let details = finding.details.iter().map(|(name, value)| format!("{name} {value:.4}")).collect::<Vec<_>>();
            println!(
                "{label} ({} groups): {:.1} ms, {:.1} ms without it; {}",
                made.publication.groups,
                time.as_secs_f64() * 1e3,
                without.as_secs_f64() * 1e3,
                details.join(", ")
            );
        }
    }
}

fn run(table: &Table, schema: &Schema, criterion: &str, method: &str, written: &[(&str, &str)]) -> Grouping {
    let requirements: [Requirement; 1] = [plan::requirement(criterion, schema).expect("a criterion")];
    let bound: Vec<Bound> =
        requirements.iter().map(|wanted| wanted.bind(table, schema, Path::new(".")).expect("it binds")).collect();
    let metric = Chosen::new("loss", &[]).expect("a metric");
    let chance = Chance::default();
    let task = Task { table, schema, requirements: &requirements, bound: &bound, limit: 0, metric: &metric, chance };
    let written: Vec<(&str, Raw)> = written.iter().map(|(name, value)| (*name, Raw::from(*value))).collect();
    match Wanted::new(method, &written).expect("a method").run(&task).expect("it runs") {
        Some(Outcome::Groups(grouping)) => grouping,
        _ => panic!("{method} found no groups"),
    }
}

fn main() {
    let quasi: Vec<&str> = QUASI.iter().map(|(name, _)| *name).collect();
    let schema = Schema::of(&quasi, &["disease"]);
    let full = std::env::args().any(|word| word == "--full");
    let largest = rows(if full { 10_000_000 } else { 1_000_000 });
    for size in [100_000, 1_000_000, 10_000_000].into_iter().filter(|&size| size <= largest) {
        let runs = if size > 1_000_000 { 2 } else { 5 };
        let baseline = (0..runs.min(3)).map(|_| yardstick(size)).min().expect("a run");
        println!("\n{size} rows; times are those of two threads, ratios to the first line");
        line("sorting as many numbers eight times", baseline, baseline);
        line("sorting as many pairs once, two threads", with_threads(2, || pairs(size)), baseline);
        for skewed in [false, true] {
            let table = table(size, skewed);
            for (label, method, written) in METHODS {
                for (criterion, text) in CRITERIA.into_iter().skip(usize::from(method != "mondrian")) {
                    let label = format!("{label}, {criterion}{}", if skewed { ", skewed" } else { "" });
                    if !is_wanted(&label) {
                        continue;
                    }
                    let work = || best(runs, || run(&table, &schema, text, method, written));
                    let (time, found) = with_threads(2, work);
                    line(&format!("{label} ({} groups)", found.groups.len()), time, baseline);
                }
            }
        }
    }
    attacks();
    if let Some(peak) = peak_memory_mib() {
        println!("\nmost memory held: {peak} MiB, tables included");
    }
}
