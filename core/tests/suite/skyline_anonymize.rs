//! SkylineAnonymize: safe, minimal where criteria are monotone, what Figure 6 of Chen et al. 2007
//! says step by step, and the same for any number of threads and any memory.

use proptest::prelude::*;
use sfumato::anonymize::skyline_anonymize::{Priority, Rule, Stream};
use sfumato::anonymize::{ChosenMethod, Class, Grouping, Task, Transformation};
use sfumato::audit::{audit_bound, audit_groups};
use sfumato::candidate::{Counter, Groups, Histogram};
use sfumato::chance::Chance;
use sfumato::criterion::{Bound, Evidence, Requirement};
use sfumato::data::{Column, ColumnSpec, Role, Schema, Table, sample};
use sfumato::kind::Raw;
use sfumato::plan;
use sfumato::utility::ChosenMetric;
use std::cmp::Reverse;
use std::path::Path;

const PRIORITIES: [&str; 3] = ["widest", "round-robin", "information-gain"];

/// Monotone criteria, with parameters under which small tables are neither all safe nor all unsafe.
const MONOTONE: [&[&str]; 11] = [
    &["criterion = \"k-anonymity\"\nk = 3"],
    &["criterion = \"recursive-cl-diversity\"\nc = 2\nl = 2"],
    &["criterion = \"entropy-l-diversity\"\nl = 1.8"],
    &["criterion = \"skyline\"\npoints = [{ l = 0, k = 1, m = 0, c = \"0.9\" }]"],
    &["criterion = \"skyline\"\npoints = [{ l = 1, k = 1, m = 1, c = \"0.9\" }]"],
    &["criterion = \"skyline\"\npoints = [{ l = 0, k = 0, m = 1, c = \"0.7\" }]"],
    &["criterion = \"skyline\"\npoints = [{ l = 0, k = 2, m = 2, c = \"0.8\" }]"],
    &["criterion = \"skyline\"\npoints = [{ l = 1, k = 0, m = 0, c = \"0.9\" }, { l = 0, k = 1, m = 1, c = \"0.8\" }]"],
    &["criterion = \"skyline\"\npoints = [{ value = \"v1\", l = 0, k = 0, m = 2, c = \"0.6\" }]"],
    &[
        "criterion = \"k-anonymity\"\nk = 2",
        "criterion = \"skyline\"\npoints = [{ l = 0, k = 1, m = 1, c = \"0.85\" }]",
    ],
    &["criterion = \"entropy-l-diversity\"\nl = 1.5", "criterion = \"recursive-cl-diversity\"\nc = 3\nl = 2"],
];

/// A table with what is asked of it.
struct Case {
    table: Table,
    schema: Schema,
    requirements: Vec<Requirement>,
    bound: Vec<Bound>,
}

impl Case {
    fn new(table: Table, schema: Schema, criteria: &[&str]) -> Option<Case> {
        let requirements: Vec<Requirement> =
            criteria.iter().map(|text| plan::requirement(text, &schema).expect("a criterion")).collect();
        // A table may lack a value that a criterion names.
        let bind = |wanted: &Requirement| wanted.bind(&table, &schema, Path::new(".")).ok();
        let bound = requirements.iter().map(bind).collect::<Option<_>>()?;
        Some(Case { table, schema, requirements, bound })
    }

    /// Numbers as quasi-identifiers, and one sensitive column.
    fn of_rows(rows: &[([u8; 3], u8)], quasi: usize, criteria: &[&str]) -> Option<Case> {
        let names = &["x", "y", "z"][..quasi];
        let column = |at: usize| Column::from_values(names[at], rows.iter().map(|row| row.0[at].to_string()));
        let mut columns: Vec<Column> = (0..quasi).map(column).collect();
        columns.push(Column::from_values("s", rows.iter().map(|row| format!("v{}", row.1))));
        Case::new(Table::new(columns).expect("a table"), Schema::of(names, &["s"]), criteria)
    }

    /// The same where the first quasi-identifier counts more or less than the others.
    fn weighed(mut self, weight: &str) -> Case {
        let spec = ColumnSpec { weight: weight.parse().expect("a weight"), ..ColumnSpec::new("x", Role::Quasi) };
        self.schema = self.schema.with_spec(spec);
        self
    }

    fn try_run(&self, written: &[(&str, Raw)]) -> sfumato::Result<Option<Grouping>> {
        let metric = ChosenMetric::new("loss", &[]).expect("a metric");
        let task = Task {
            watch: sfumato::watch::Watch::NONE,
            table: &self.table,
            schema: &self.schema,
            requirements: &self.requirements,
            bound: &self.bound,
            limit: 0,
            metric: &metric,
            chance: Chance::insecure(1),
        };
        let outcome = ChosenMethod::new("skyline-anonymize", written)?.run(&task)?;
        Ok(outcome.map(|outcome| match outcome {
            Transformation::Groups(grouping) => grouping,
            Transformation::Levels(_) => panic!("groups are expected"),
        }))
    }

    fn run(&self, priority: &str) -> Option<Vec<Vec<u32>>> {
        let found = self.try_run(&[("priority", Raw::from(priority))]).expect("it runs");
        found.map(|grouping| {
            assert_eq!(grouping.withheld, 0);
            lists(&grouping.groups)
        })
    }

    fn is_safe(&self, groups: &[Vec<u32>]) -> bool {
        let groups = Groups::of_lists(groups);
        audit_bound(&self.table, &groups, &self.requirements, &self.bound).expect("an audit").holds()
    }

    fn quasi(&self) -> Vec<&Column> {
        self.schema.select(&self.table, Role::Quasi).expect("columns")
    }
}

fn lists(groups: &Groups) -> Vec<Vec<u32>> {
    (0..groups.len()).map(|group| groups.rows(group).to_vec()).collect()
}

/// The records before a code and the others.
fn sides(rows: &[u32], column: &Column, code: u32) -> (Vec<u32>, Vec<u32>) {
    rows.iter().partition(|&&row| column.codes()[row as usize] < code)
}

/// Every further cut of a group.
fn all_cuts<'a>(rows: &'a [u32], quasi: &'a [&Column]) -> impl Iterator<Item = (Vec<u32>, Vec<u32>)> + 'a {
    let of_column = move |column: &'a Column| {
        let cuts = (0..column.domain().len() as u32).map(move |code| sides(rows, column, code));
        cuts.filter(|(left, right)| !left.is_empty() && !right.is_empty())
    };
    quasi.iter().flat_map(move |column| of_column(column))
}

/// Figure 6, read plainly.
mod figure_6 {
    use super::*;
    use std::collections::{BTreeMap, VecDeque};

    /// Evidence of everything seen so far, criterion by criterion.
    #[derive(Clone)]
    struct Seen {
        evidence: Vec<Evidence>,
        groups: usize,
    }

    impl Seen {
        fn with(&self, case: &Case, rows: &[u32]) -> Seen {
            let mut seen = self.clone();
            for (bound, evidence) in case.bound.iter().zip(&mut seen.evidence) {
                match bound.codes(&case.table).expect("a subject") {
                    None => bound.criterion.gather(evidence, &Histogram::of_size(seen.groups, rows.len() as u64), 1),
                    Some(codes) => {
                        let (codes, domain) = codes.as_coded();
                        let mut counter = Counter::new(domain);
                        let group = counter.count(seen.groups, rows.iter().map(|&row| codes[row as usize]));
                        bound.criterion.gather(evidence, &group, 1);
                    }
                }
            }
            seen.groups += 1;
            seen
        }

        fn holds(&self, case: &Case) -> bool {
            case.bound.iter().zip(&self.evidence).all(|(bound, evidence)| bound.criterion.verdict(evidence).holds)
        }
    }

    pub fn run(case: &Case, priority: &str) -> Option<Vec<Vec<u32>>> {
        let all: Vec<u32> = (0..case.table.rows() as u32).collect();
        let nothing = Seen { evidence: vec![Evidence::none(); case.bound.len()], groups: 0 };
        let mut seen = nothing.with(case, &all);
        if !seen.holds(case) {
            return None;
        }
        let (mut queue, mut done) = (VecDeque::from([(all, 0)]), Vec::new());
        while let Some((rows, depth)) = queue.pop_front() {
            let mut found = None;
            for (column, code) in candidates(case, &rows, depth, priority) {
                let (left, right) = sides(&rows, case.quasi()[column], code);
                let with = seen.with(case, &left).with(case, &right);
                if with.holds(case) {
                    found = Some((left, right, with));
                    break;
                }
            }
            match found {
                None => done.push(rows),
                Some((left, right, with)) => {
                    seen = with;
                    queue.push_back((left, depth + 1));
                    queue.push_back((right, depth + 1));
                }
            }
        }
        Some(done)
    }

    fn positions(column: &Column) -> Vec<f64> {
        column.domain().labels().iter().map(|label| label.parse().expect("a number")).collect()
    }

    /// Cuts in the order of priority: the column, and the code of the first value that goes right.
    fn candidates(case: &Case, rows: &[u32], depth: usize, priority: &str) -> Vec<(usize, u32)> {
        let quasi = case.quasi();
        let counts = |column: usize| {
            let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
            rows.iter().for_each(|&row| *counts.entry(quasi[column].codes()[row as usize]).or_default() += 1);
            counts
        };
        if priority == "information-gain" {
            return by_information(case, rows);
        }
        let mut columns: Vec<usize> = (0..quasi.len()).collect();
        if priority == "round-robin" {
            columns.rotate_left(depth % quasi.len());
        } else {
            let width = |&column: &usize| {
                let (at, counts) = (positions(quasi[column]), counts(column));
                let ends = (counts.keys().next().unwrap(), counts.keys().last().unwrap());
                let whole = at.last().unwrap() - at[0];
                let weight = case.schema.weight_of(quasi[column].name());
                if whole > 0.0 { weight * (at[*ends.1 as usize] - at[*ends.0 as usize]) / whole } else { 0.0 }
            };
            columns.sort_by(|a, b| width(b).total_cmp(&width(a)));
        }
        columns.into_iter().flat_map(|column| along(&positions(quasi[column]), column, &counts(column))).collect()
    }

    fn along(at: &[f64], column: usize, counts: &BTreeMap<u32, u32>) -> Vec<(usize, u32)> {
        let counts: Vec<(u32, u32)> = counts.iter().map(|(code, count)| (*code, *count)).collect();
        let size: u32 = counts.iter().map(|entry| entry.1).sum();
        let position = |entry: usize| at[counts[entry].0 as usize];
        let (low, high) = (position(0), position(counts.len() - 1));
        let scale = 1.0 / (at.last().unwrap() - at[0]);
        let mut cuts = Vec::new();
        let mut left = 0;
        for next in 1..counts.len() {
            left += counts[next - 1].1;
            let (l, n) = (f64::from(left), f64::from(size));
            let won = n * (high - low) - l * (position(next - 1) - low) - (n - l) * (high - position(next));
            let squared = (won * scale) * (won * scale);
            let smaller = left.min(size - left);
            cuts.push((squared * squared * f64::from(smaller), smaller, counts[next].0));
        }
        let Some(best) = (0..cuts.len()).reduce(|best, at| if cuts[at].0 > cuts[best].0 { at } else { best }) else {
            return Vec::new();
        };
        let first = cuts.remove(best);
        cuts.sort_by_key(|cut| Reverse(cut.1));
        [first].into_iter().chain(cuts).map(|cut| (column, cut.2)).collect()
    }

    fn by_information(case: &Case, rows: &[u32]) -> Vec<(usize, u32)> {
        let target = case.table.column("s").expect("a column");
        let weight = |count: usize| {
            let count = count.max(1) as f64;
            (count * count.log2() * f64::from(1 << 20)) as i64
        };
        let purity = |rows: &[u32]| {
            let of = |code: u32| rows.iter().filter(|&&row| target.codes()[row as usize] == code).count();
            (0..target.domain().len() as u32).map(|code| weight(of(code))).sum::<i64>() - weight(rows.len())
        };
        let mut cuts = Vec::new();
        for (at, column) in case.quasi().into_iter().enumerate() {
            for code in 1..column.domain().len() as u32 {
                // Named by the first value of the group that goes right.
                let (left, right) = sides(rows, column, code);
                if !left.is_empty() && right.iter().any(|&row| column.codes()[row as usize] == code) {
                    cuts.push((purity(&left) + purity(&right), (at, code)));
                }
            }
        }
        cuts.sort_by_key(|cut| Reverse(cut.0));
        cuts.into_iter().map(|cut| cut.1).collect()
    }
}

fn rows() -> impl Strategy<Value = Vec<([u8; 3], u8)>> {
    proptest::collection::vec(([0u8..7, 0u8..4, 0u8..3], 0u8..4), 1..=40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// The result is safe, no cut of any group leaves the whole safe, and it is what Figure 6 says.
    #[test]
    fn groups_are_safe_minimal_and_those_of_figure_6(rows in rows(), quasi in 2usize..=3) {
        for criteria in MONOTONE {
            let Some(case) = Case::of_rows(&rows, quasi, criteria) else { continue };
            let case = case.weighed(["1", "4", "0.25"][rows.len() % 3]);
            assert!(case.bound.iter().all(|bound| bound.criterion.properties().is_monotone()));
            for priority in PRIORITIES {
                let about_sizes = criteria[0].contains("k-anonymity") && criteria.len() == 1;
                if priority == "information-gain" && about_sizes {
                    continue;
                }
                let found = case.run(priority);
                prop_assert_eq!(&found, &figure_6::run(&case, priority), "{} {:?}", priority, criteria);
                let Some(groups) = found else {
                    prop_assert!(!case.is_safe(&[(0..rows.len() as u32).collect()]));
                    continue;
                };
                prop_assert!(case.is_safe(&groups));
                for at in 0..groups.len() {
                    let mut refined = groups.clone();
                    let group = refined.swap_remove(at);
                    for (left, right) in all_cuts(&group, &case.quasi()) {
                        refined.extend([left, right]);
                        prop_assert!(!case.is_safe(&refined), "{priority} {criteria:?}: group {at} could be cut");
                        refined.truncate(groups.len() - 1);
                    }
                }
            }
        }
    }

    /// With several values per person groups are safe and keep people whole.
    #[test]
    fn people_with_several_values_are_safe(
        people in proptest::collection::vec(((0u8..7, 0u8..4), proptest::collection::vec(0u8..4, 1..4)), 2..=20),
    ) {
        let records: Vec<(usize, (u8, u8), u8)> = people.iter().enumerate()
            .flat_map(|(who, (place, values))| values.iter().map(move |value| (who, *place, *value)))
            .collect::<std::collections::BTreeSet<_>>().into_iter().collect();
        let table = || Table::new(vec![
            Column::from_values("x", records.iter().map(|record| record.1.0.to_string())),
            Column::from_values("y", records.iter().map(|record| record.1.1.to_string())),
            Column::from_values("who", records.iter().map(|record| format!("p{}", record.0))),
            Column::from_values("s", records.iter().map(|record| format!("v{}", record.2))),
        ]).expect("a table");
        let specs = [("x", Role::Quasi), ("y", Role::Quasi), ("who", Role::Identifier), ("s", Role::Sensitive)];
        let schema = || Schema::new(specs.map(|(name, role)| ColumnSpec::new(name, role)).to_vec());
        for point in ["l = 0, k = 1, m = 0, c = \"0.9\"", "l = 1, k = 1, m = 1, c = \"0.95\"", "l = 0, k = 0, m = 2, c = \"0.9\""] {
            for several in ["set", "multiset"] {
                let text = format!("criterion = \"skyline\"\npoints = [{{ {point} }}]\ncase = \"{several}\"\nperson = \"who\"");
                let case = Case::new(table(), schema(), &[&text]).expect("it binds");
                for priority in PRIORITIES {
                    let found = case.run(priority);
                    prop_assert_eq!(&found, &figure_6::run(&case, priority));
                    if let Some(groups) = found {
                        let groups = Groups::of_lists(&groups);
                        let audit = audit_groups(&case.table, &case.schema, &groups, &case.requirements, Path::new("."));
                        prop_assert!(audit.expect("people are whole").holds());
                    }
                }
            }
        }
    }
}

fn hospital(criteria: &[&str]) -> Case {
    let schema = Schema::of(&["age", "sex", "zip", "nationality", "admitted"], &["disease"]);
    Case::new(sample::hospital(12_000, 8), schema, criteria).expect("it binds")
}

const LARGE: [&[&str]; 4] = [
    &["criterion = \"skyline\"\npoints = [{ l = 2, k = 10, m = 3, c = \"0.9\" }]"],
    &["criterion = \"skyline\"\npoints = [{ l = 0, k = 20, m = 0, c = \"0.8\" }]"],
    &["criterion = \"k-anonymity\"\nk = 10"],
    &[
        "criterion = \"entropy-l-diversity\"\nl = 3",
        "criterion = \"skyline\"\npoints = [{ l = 1, k = 5, m = 5, c = \"0.95\" }]",
    ],
];

#[test]
fn the_number_of_threads_changes_nothing() {
    for criteria in LARGE {
        let case = hospital(criteria);
        for priority in PRIORITIES {
            let target = if priority == "information-gain" { "disease" } else { "" };
            let written = [("priority", Raw::from(priority)), ("target", Raw::from(target))];
            let run = || lists(&case.try_run(&written).expect("it runs").expect("groups").groups);
            let with = |threads: usize| {
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool").install(run)
            };
            let one = with(1);
            assert!(one.len() > 20 && case.is_safe(&one), "{} groups", one.len());
            assert!(one == with(2) && one == with(8), "{priority} {criteria:?}");
        }
    }
}

/// A table as a stream of places and codes: values of every quasi-identifier are ordered as their
/// codes.
#[test]
fn a_stream_beyond_memory_gives_the_groups_that_it_gives_in_memory() {
    let case = hospital(LARGE[0]);
    let quasi = case.quasi();
    let places: Vec<usize> = quasi.iter().map(|column| column.domain().len()).collect();
    let disease = case.table.column("disease").expect("a column");
    let record = |row: usize| -> sfumato::Result<Vec<u32>> {
        Ok(quasi.iter().chain([&disease]).map(|column| column.codes()[row]).collect())
    };
    let rules: [Rule<'_>; 1] = [(&*case.bound[0].criterion, Some(0))];
    let subjects = [disease.domain().len()];
    for priority in [Priority::Widest, Priority::RoundRobin, Priority::InformationGain(0)] {
        let form = |memory: u64| {
            let stream = Stream { places: &places, subjects: &subjects, rules: &rules, priority, memory };
            let mut groups: Vec<Vec<u32>> = Vec::new();
            let formed = stream.form((0..12_000).map(record), &mut |group, rows| {
                groups.resize(group + 1, Vec::new());
                groups[group].extend(rows);
                Ok(())
            });
            (formed.expect("it runs").expect("groups"), groups)
        };
        let (formed, in_memory) = form(0);
        assert_eq!((formed.records, formed.groups, formed.spilled), (12_000, in_memory.len(), None));
        assert!(in_memory.len() > 20 && case.is_safe(&in_memory));
        // A hundred records at a time, a thousand, and all but a few.
        for memory in [100 * 2 * 16, 1_000 * 2 * 16, 11_990 * 2 * 16] {
            let (formed, beyond) = form(memory);
            assert!(formed.spilled.is_some_and(|bytes| bytes > memory / 2), "{memory}: {formed:?}");
            assert!(in_memory == beyond, "{memory}");
        }
    }
}

#[test]
fn records_that_do_not_fit_their_description_are_refused() {
    let case = hospital(&["criterion = \"k-anonymity\"\nk = 2"]);
    let rules: [Rule<'_>; 1] = [(&*case.bound[0].criterion, None)];
    let stream = Stream { places: &[5, 5], subjects: &[], rules: &rules, priority: Priority::Widest, memory: 0 };
    for record in [vec![0], vec![0, 5], vec![0, 0, 0]] {
        assert!(stream.form([Ok(record)].into_iter(), &mut |_, _| Ok(())).is_err());
    }
    let stream = Stream { priority: Priority::InformationGain(0), ..stream };
    assert!(stream.form([Ok([0, 0])].into_iter(), &mut |_, _| Ok(())).is_err());
}

#[test]
fn what_is_not_safe_as_a_whole_gives_nothing() {
    let rows: Vec<([u8; 3], u8)> = (0..8).map(|at| ([at, 0, 0], 0)).collect();
    for criterion in MONOTONE[1..4].iter().chain(&[&["criterion = \"k-anonymity\"\nk = 9"][..]]) {
        let case = Case::of_rows(&rows, 2, criterion).expect("it binds");
        for priority in ["widest", "round-robin"] {
            assert_eq!(case.run(priority), None);
        }
    }
}

#[test]
fn the_target_is_the_sensitive_column_of_a_criterion_or_one_that_is_named() {
    let case = hospital(LARGE[2]);
    let run =
        |target: &str| case.try_run(&[("priority", Raw::from("information-gain")), ("target", Raw::from(target))]);
    let error = run("").expect_err("about which column?");
    assert!(error.to_string().contains("which column"), "{error}");
    let error = run("diseases").expect_err("there is none");
    assert!(error.to_string().contains("disease\"?"), "{error}");
    let found = run("disease").expect("it runs").expect("groups");
    assert!(found.resolved.contains(&("target", Raw::from("disease"))));
    assert_eq!(found.resolved[0].0, "axes");
    let about_sex = lists(&run("sex").expect("it runs").expect("groups").groups);
    assert!(case.is_safe(&about_sex) && about_sex != lists(&found.groups));
}

#[test]
fn it_is_asymmetric_and_finds_more_groups_than_mondrian() {
    assert_eq!(ChosenMethod::new("skyline-anonymize", &[]).expect("the method").build().class(), Class::Asymmetric);
    let case = hospital(&["criterion = \"frequency-l-diversity\"\nl = 3"]);
    let metric = ChosenMetric::new("loss", &[]).expect("a metric");
    let (table, schema, requirements, bound) = (&case.table, &case.schema, &case.requirements[..], &case.bound[..]);
    let task = Task {
        table,
        schema,
        requirements,
        bound,
        limit: 0,
        metric: &metric,
        chance: Chance::insecure(1),
        watch: sfumato::watch::Watch::NONE,
    };
    let outcome = ChosenMethod::new("mondrian", &[]).expect("the method").run(&task).expect("it runs");
    let Some(Transformation::Groups(mondrian)) = outcome else { panic!("groups are expected") };
    assert!(case.run("widest").expect("groups").len() > mondrian.groups.len());
}
