//! SkylineAnonymize on the synthetic people of Agrawal, Imielinski and Swami (1993), with the zip code as the sensitive value: how time grows with the number of records, and what memory it takes to divide records that
//! are not in memory (Chen et al. 2007, Section 7.2).
//!
//! Yardsticks of the same run: strict Mondrian with k = 1000 on the same table, and sorting as many pairs of random numbers. `--rows N` sets the largest table (a fifth of it is the step), `--beyond` runs only the part that is beyond
//! memory, in a process that never holds a table. A word after `--` runs only the lines that hold it.

mod support;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use sfumato::anonymize::skyline_anonymize::{Priority, Stream};
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

/// Quasi-identifiers with how many values they have: money in dollars; house values and loans in hundreds of dollars.
const QUASI: [(&str, usize); 8] = [
    ("salary", 130_001),
    ("commission", 65_002),
    ("age", 61),
    ("elevel", 5),
    ("car", 20),
    ("hvalue", 13_001),
    ("hyears", 30),
    ("loan", 5_001),
];

/// Zip codes.
const ZIP: usize = 9;

/// What must hold. With nine values that are equally frequent, the whole is believed in with at most 0.4: every confidence above is possible.
const SETTINGS: [(&str, &str); 2] = [
    ("(0, 1000, 0), c = 0.9", "criterion = \"skyline\"\npoints = [{ l = 0, k = 1000, m = 0, c = \"0.9\" }]"),
    ("(3, 1000, 10), c = 0.9", "criterion = \"skyline\"\npoints = [{ l = 3, k = 1000, m = 10, c = \"0.9\" }]"),
];

/// A person: quasi-identifiers as codes, then the zip code. Houses cost more where the zip code is higher; who earns more than 75,000 gets no commission.
fn person(random: &mut ChaCha8Rng) -> [u32; 9] {
    let salary = random.random_range(0..130_001);
    let commission = if salary >= 55_000 { 0 } else { random.random_range(1..65_002) };
    let zip = random.random_range(0..ZIP as u32);
    let house = random.random_range(500 * (zip + 1)..=1_500 * (zip + 1)) - 500;
    let (age, elevel, car) = (random.random_range(0..61), random.random_range(0..5), random.random_range(0..20));
    [salary, commission, age, elevel, car, house, random.random_range(0..30), random.random_range(0..5_001), zip]
}

fn people(rows: usize) -> impl Iterator<Item = [u32; 9]> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    (0..rows).map(move |_| person(&mut random))
}

fn column(name: &str, values: usize, codes: Vec<u32>) -> Column {
    let mut labels = Dictionary::new();
    (0..values).for_each(|value| {
        labels.push(&value.to_string());
    });
    Column::new(name, codes, Domain::new(labels, ValueType::Integer, None))
}

fn table(rows: usize) -> Table {
    let mut codes: Vec<Vec<u32>> = (0..9).map(|_| Vec::with_capacity(rows)).collect();
    for person in people(rows) {
        codes.iter_mut().zip(person).for_each(|(codes, code)| codes.push(code));
    }
    let names = QUASI.into_iter().chain([("zip", ZIP)]);
    Table::new(names.zip(codes).map(|((name, values), codes)| column(name, values, codes)).collect()).expect("a table")
}

fn schema() -> Schema {
    Schema::of(&QUASI.map(|(name, _)| name), &["zip"])
}

fn bind(text: &str, table: &Table) -> (Requirement, Bound) {
    let wanted = plan::requirement(text, &schema()).expect("a criterion");
    let bound = wanted.bind(table, &schema(), Path::new(".")).expect("it binds");
    (wanted, bound)
}

fn run(table: &Table, criterion: &str, method: &str, written: &[(&str, &str)]) -> Grouping {
    let (wanted, bound) = bind(criterion, table);
    let (requirements, bound) = ([wanted], [bound]);
    let (metric, schema) = (Chosen::new("loss", &[]).expect("a metric"), schema());
    let chance = Chance::default();
    let task =
        Task { table, schema: &schema, requirements: &requirements, bound: &bound, limit: 0, metric: &metric, chance };
    let written: Vec<(&str, Raw)> = written.iter().map(|(name, value)| (*name, Raw::from(*value))).collect();
    match Wanted::new(method, &written).expect("a method").run(&task).expect("it runs") {
        Some(Outcome::Groups(grouping)) => grouping,
        _ => panic!("{method} found no groups"),
    }
}

fn is_wanted(label: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--") && word.parse::<usize>().is_err());
    words.all(|word| label.contains(&word))
}

/// Sorting pairs of random numbers with all threads.
fn sorting(rows: usize) -> Duration {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let pairs: Vec<[u64; 2]> = (0..rows).map(|_| [random.next_u64(), random.next_u64()]).collect();
    let sort = || {
        let mut copy = pairs.clone();
        best(1, || copy.par_sort_unstable()).0
    };
    (0..3).map(|_| sort()).min().expect("a run")
}

/// Time against the number of records.
fn scale(largest: usize) {
    let mut first: Vec<Option<f64>> = vec![None; 3 * SETTINGS.len()];
    for size in (1..=5).map(|step| step * largest / 5) {
        let (table, runs) = (table(size), if size > 2_000_000 { 1 } else { 2 });
        let steps = size as f64 * (size as f64).log2();
        let mondrian = || run(&table, "criterion = \"k-anonymity\"\nk = 1000", "mondrian", &[]);
        let (baseline, found) = with_threads(2, || best(2, mondrian));
        println!("\n{size} records; times are those of two threads, ratios to the first line");
        line(&format!("mondrian, k = 1000 ({} groups)", found.groups.len()), baseline, baseline);
        line("sorting as many pairs of numbers", with_threads(2, || sorting(size)), baseline);
        let mut lines = first.iter_mut();
        for (label, criterion) in SETTINGS {
            for priority in ["widest", "round-robin", "information-gain"] {
                let first = lines.next().expect("one for each line");
                let label = format!("{label}, {priority}");
                if !is_wanted(&label) {
                    continue;
                }
                let work = || run(&table, criterion, "skyline-anonymize", &[("priority", priority)]);
                let (time, found) = with_threads(2, || best(runs, work));
                let per_step = time.as_secs_f64() / steps;
                let relative = per_step / *first.get_or_insert(per_step);
                let groups = found.groups.len();
                line(&format!("{label} ({groups} groups; n log n {relative:.2}×)"), time, baseline);
            }
        }
    }
}

/// Records that come one by one and do not fit in memory.
fn beyond_memory(rows: usize, budget: u64) {
    // Criteria need to know the zip codes that there are, not the records.
    let values = Table::new(vec![column("zip", ZIP, (0..ZIP as u32).collect())]).expect("a table");
    println!("\n{rows} records that come one by one, {} MiB of memory for them", budget >> 20);
    let schema = Schema::of(&[], &["zip"]);
    let places = QUASI.map(|(_, places)| places);
    // Within the budget first: the most memory ever held is what the system tells.
    for memory in [budget, 0] {
        for (label, criterion) in SETTINGS.into_iter().filter(|(label, _)| is_wanted(label)) {
            let wanted = plan::requirement(criterion, &schema).expect("a criterion");
            let bound = wanted.bind(&values, &schema, Path::new(".")).expect("it binds");
            let rules = [(&*bound.criterion, Some(0))];
            let stream =
                Stream { places: &places, subjects: &[ZIP], rules: &rules, priority: Priority::Widest, memory };
            let work = || {
                // Groups are not kept; the sum tells whether they are the same.
                let mut sum = 0u64;
                let formed = stream.form(people(rows).map(Ok), &mut |group, rows| {
                    sum += rows.iter().map(|&row| u64::from(row) * (group as u64 + 1)).sum::<u64>();
                    Ok(())
                });
                (formed.expect("it runs").expect("groups"), sum)
            };
            let (time, (formed, sum)) = with_threads(2, || best(1, work));
            let place =
                formed.spilled.map_or("in memory".into(), |bytes| format!("{} MiB in each of two files", bytes >> 20));
            println!(
                "{label}: {:.1} s, {} groups (sum {sum:x}), {place}; most memory held so far: {} MiB",
                time.as_secs_f64(),
                formed.groups,
                peak_memory_mib().unwrap_or_default()
            );
        }
    }
}

fn main() {
    let largest = rows(1_000_000);
    beyond_memory(largest, (largest as u64 * 2).max(1 << 20));
    if !std::env::args().any(|word| word == "--beyond") {
        scale(largest);
    }
}
