//! Checking the privacy skyline as the paper measures it: groups of 100 records, 20 uniform values, every value protected.
//!
//! The baseline is the dynamic program of its Appendix A6, which does not know that others and families congregate; one thread each, records already grouped. Then millions of records with two threads against a plain
//! scan that only counts the values of all groups. `cargo bench -p sfumato --bench skyline [-- --rows N --full]`; `--scan` for the last part alone.

#[allow(dead_code)]
#[path = "../tests/support/dynamic_program.rs"]
mod dynamic_program;
mod support;

use dynamic_program::{Bucket, Semantics, breach};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use sfumato::audit::audit_groups;
use sfumato::candidate::{Counter, Groups};
use sfumato::data::{Column, Dictionary, Domain, Schema, Table, ValueType};
use sfumato::plan::requirement;
use std::path::Path;
use std::time::Duration;
use support::{best, line, rows, with_threads};

const VALUES: usize = 20;
const GROUP: usize = 100;

type Budget = (usize, usize, usize);

/// A release candidate: records and their groups.
struct Candidate {
    table: Table,
    groups: Groups,
}

impl Candidate {
    fn new(rows: usize) -> Candidate {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut labels = Dictionary::new();
        for value in 0..VALUES {
            labels.push(&format!("value {value:02}"));
        }
        let codes = (0..rows).map(|_| random.random_range(0..VALUES as u32)).collect();
        let column = Column::new("s", codes, Domain::new(labels, ValueType::Text, None));
        let ids: Vec<u32> = (0..rows).map(|row| (row / GROUP) as u32).collect();
        let groups = Groups::by_ids(&ids, rows.div_ceil(GROUP));
        Candidate { table: Table::new(vec![column]).expect("a table"), groups }
    }

    fn codes(&self) -> &[u32] {
        self.table.columns()[0].codes()
    }

    /// The check, and the highest belief that it finds.
    fn check(&self, (l, k, m): Budget) -> f64 {
        let schema = Schema::of(&[], &["s"]);
        let text = format!("criterion = \"skyline\"\npoints = [{{ l = {l}, k = {k}, m = {m}, c = 0.95 }}]");
        let wanted = requirement(&text, &schema).expect("a point");
        let audit = audit_groups(&self.table, &schema, &self.groups, &[wanted], Path::new(".")).expect("a check");
        audit.criteria[0].verdict.points[0].measured
    }

    /// The dynamic program for the first values, and the highest belief that it finds.
    fn program(&self, budget: Budget, values: usize) -> f64 {
        let codes = self.codes();
        let histograms: Vec<[u32; VALUES]> = (0..self.groups.len())
            .map(|group| {
                let mut counts = [0; VALUES];
                self.groups.rows(group).iter().for_each(|&row| counts[codes[row as usize] as usize] += 1);
                counts
            })
            .collect();
        let belief = |value: usize| {
            let bucket = |counts: &[u32; VALUES]| Bucket::new(counts.iter().sum(), counts, value);
            let buckets: Vec<Bucket> = histograms.iter().map(bucket).collect();
            breach(Semantics::Single, &buckets, budget)
        };
        (0..values).map(belief).fold(0.0, f64::max)
    }

    /// Counts the values of all groups, and nothing else.
    fn count(&self) -> u64 {
        let codes = self.codes();
        let stretch = (self.groups.len() / (8 * rayon::current_num_threads())).max(1);
        let one = |at: usize| {
            let mut counter = Counter::new(VALUES);
            let range = at * stretch..self.groups.len().min((at + 1) * stretch);
            range
                .map(|group| {
                    let rows = self.groups.rows(group).iter();
                    u64::from(counter.count(group, rows.map(|&row| codes[row as usize])).descending()[0])
                })
                .sum::<u64>()
        };
        (0..self.groups.len().div_ceil(stretch)).into_par_iter().map(one).sum()
    }
}

fn scaled(time: Duration, values: usize) -> Duration {
    time * (VALUES / values) as u32
}

/// The check against the dynamic program on some values, scaled to all.
fn compare(candidate: &Candidate, budget: Budget, values: usize, target: Option<f64>) {
    let (program, theirs) = with_threads(1, || best(1, || candidate.program(budget, values)));
    let (check, ours) = with_threads(1, || best(7, || candidate.check(budget)));
    assert!(theirs <= ours + 1e-9 && (values < VALUES || (theirs - ours).abs() < 1e-9), "{theirs} is not {ours}");
    let program = scaled(program, values);
    let ratio = program.as_secs_f64() / check.as_secs_f64();
    let target = target.map_or(String::new(), |least| {
        format!(" (target ≥ {least:.0}×: {})", if ratio >= least { "met" } else { "missed" })
    });
    println!(
        "{:>9} records, {budget:?}: check {:.2} ms, program {:.0} ms ({values} of {VALUES} values run), {ratio:.0}×{target}",
        candidate.groups.records(),
        check.as_secs_f64() * 1e3,
        program.as_secs_f64() * 1e3,
    );
}

fn main() {
    let full = std::env::args().any(|word| word == "--full");
    let size = rows(1_000_000);
    if std::env::args().any(|word| word == "--scan") {
        return against_a_scan(size * 5);
    }
    let candidate = Candidate::new(size);
    println!(
        "check and dynamic program, one thread each, all {VALUES} values; times of the program scaled where only some were run"
    );
    compare(&candidate, (10, 10, 10), if full { VALUES } else { 4 }, Some(1_000.0));
    compare(&candidate, (10, 32, 10), if full { VALUES } else { 2 }, Some(10_000.0));
    println!("\nby number of records, (10, 10, 10)");
    let most = if full { 5 } else { 2 };
    for times in 1..=most {
        compare(&Candidate::new(size * times), (10, 10, 10), 1, None);
    }
    println!("\nby what is known about the target");
    (0..=16).step_by(4).for_each(|l| compare(&candidate, (l, 10, 10), 1, None));
    println!("\nby how many others are known");
    (0..=32).step_by(8).for_each(|k| compare(&candidate, (10, k, 10), 1, None));
    println!("\nby how many of the family are known");
    (0..=16).step_by(4).for_each(|m| compare(&candidate, (10, 10, m), 1, None));
    drop(candidate);
    against_a_scan(size * 5);
}

/// A check of records that are grouped already, against counting the values of all groups.
fn against_a_scan(rows: usize) {
    let candidate = Candidate::new(rows);
    for threads in [1, 2] {
        with_threads(threads, || {
            println!("\n{rows} records in groups of {GROUP}, {threads} thread(s)");
            let (scan, _) = best(7, || candidate.count());
            line("counting the values of all groups (baseline)", scan, scan);
            for budget in [(10, 10, 10), (1, 5, 2), (2, 10, 0), (10, 32, 10)] {
                let (check, belief) = best(7, || candidate.check(budget));
                let ratio = check.as_secs_f64() / scan.as_secs_f64();
                let met = if ratio <= 3.0 { "met" } else { "missed" };
                line(&format!("check {budget:?}, belief {belief:.3} (target ≤ 3×: {met})"), check, scan);
            }
        });
    }
}
