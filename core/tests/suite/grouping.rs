//! Methods that form groups of records: what they promise of groups, and that they are replayed as
//! they run.

use proptest::prelude::*;
use sfumato::Fault;
use sfumato::anonymize::{ChosenMethod, Class, Grouping, Method, Safety, Task, Transformation, View, Within};
use sfumato::candidate::Groups;
use sfumato::chance::Chance;
use sfumato::criterion::{Bound, Requirement};
use sfumato::data::{Column, ColumnSpec, Role, Schema, Table};
use sfumato::kind::Raw;
use sfumato::utility::ChosenMetric;
use std::collections::BTreeSet;
use std::path::Path;

/// The methods that form groups, with parameters.
fn methods() -> Vec<ChosenMethod> {
    let flag = |on: bool| Raw::Flag(on);
    let written: Vec<(&str, Vec<(&str, Raw)>)> = vec![
        ("mondrian", vec![("split", Raw::from("strict"))]),
        ("mondrian", vec![("split", Raw::from("relaxed"))]),
        ("local-recoding", vec![]),
        ("mdav", vec![("mend", Raw::from("none"))]),
        ("mdav", vec![("mend", Raw::from("none")), ("chunk", Raw::from("4"))]),
        ("anatomy", vec![]),
        ("greedy-grouping", vec![]),
        ("greedy-grouping", vec![("sort", Raw::from("hilbert")), ("bucket", Raw::from("2"))]),
        ("randomized-greedy-grouping", vec![("p", Raw::from("0.4"))]),
        ("symmetric-grouping", vec![]),
        ("symmetric-grouping", vec![("anatomize", flag(true))]),
        ("greedy-grouping", vec![("anatomize", flag(true))]),
        ("base", vec![]),
        ("base", vec![("anatomize", flag(true))]),
    ];
    written.iter().map(|(name, written)| ChosenMethod::new(name, written).unwrap()).collect()
}

/// The same, and one that cannot be replayed for every group.
fn all_methods() -> Vec<ChosenMethod> {
    let chunks = [("chunk", Raw::from("6"))];
    let merging = [&[][..], &chunks].map(|written| ChosenMethod::new("mdav", written).unwrap());
    methods().into_iter().chain(merging).collect()
}

/// Methods whose groups may be coupled: a cut that failed on a larger group runs through several.
const CUTTING: [&str; 2] = ["mondrian", "local-recoding"];

/// A table of two quasi-identifiers and a sensitive column, and what must hold.
struct Case {
    table: Table,
    schema: Schema,
    requirements: Vec<Requirement>,
}

impl Case {
    fn new(rows: &[(u8, u8, u8)], criterion: &(&str, Vec<(&str, Raw)>), binary: bool) -> Case {
        let text = |number: u8| number.to_string();
        let table = Table::new(vec![
            Column::from_values("x", rows.iter().map(|row| text(row.0))),
            Column::from_values("y", rows.iter().map(|row| text(row.1))),
            Column::from_values("s", rows.iter().map(|row| format!("v{}", row.2))),
        ]);
        let mut sensitive = ColumnSpec::new("s", Role::Sensitive);
        if binary {
            sensitive.sensitive_values = vec!["v0".to_string()];
        }
        let schema = Schema::new(vec![ColumnSpec::new("x", Role::Quasi), ColumnSpec::new("y", Role::Quasi), sensitive]);
        let requirements = vec![Requirement::new(criterion.0, &criterion.1, &[], &schema).unwrap()];
        Case { table: table.unwrap(), schema, requirements }
    }

    /// The same where a quasi-identifier counts more or less than the other.
    fn weighed(mut self, name: &str, weight: &str) -> Case {
        let spec = ColumnSpec { weight: weight.parse().unwrap(), ..ColumnSpec::new(name, Role::Quasi) };
        self.schema = self.schema.with_spec(spec);
        self
    }

    /// The same with other sensitive values.
    fn with_values(&self, values: &[u32]) -> Table {
        let domain = self.table.column("s").unwrap().domain().clone();
        self.table.clone().with_column(Column::new("s", values.to_vec(), domain)).unwrap()
    }

    /// Criteria are bound to the original: a world has the same values, and so the same
    /// distribution.
    fn bound(&self) -> Option<Vec<Bound>> {
        let bind = |wanted: &Requirement| wanted.bind(&self.table, &self.schema, Path::new(".")).ok();
        self.requirements.iter().map(bind).collect()
    }

    fn run(&self, table: &Table, method: &ChosenMethod, seed: u64) -> Option<Grouping> {
        self.run_task(table, seed, |task| method.run(task))
    }

    /// Groups within cells; `None` where a cell has no safe group, which no suppression is allowed
    /// for.
    fn run_within(&self, table: &Table, method: &ChosenMethod, within: &Within) -> Option<Grouping> {
        self.run_task(table, 1, |task| match method.run_within(Some(within), task) {
            Err(error) if error.fault() == Fault::Infeasible => Ok(None),
            found => found,
        })
    }

    fn run_task(
        &self,
        table: &Table,
        seed: u64,
        run: impl Fn(&Task<'_>) -> sfumato::Result<Option<Transformation>>,
    ) -> Option<Grouping> {
        let (bound, metric) = (self.bound()?, ChosenMetric::new("loss", &[]).unwrap());
        let task = Task {
            watch: sfumato::watch::Watch::NONE,
            table,
            schema: &self.schema,
            requirements: &self.requirements,
            bound: &bound,
            limit: 0,
            metric: &metric,
            chance: Chance::insecure(seed),
        };
        match run(&task).unwrap()? {
            Transformation::Groups(found) => Some(found),
            Transformation::Levels(_) => panic!("groups are expected"),
        }
    }
}

fn sets(groups: &Groups) -> BTreeSet<Vec<u32>> {
    let sorted = |group: usize| {
        let mut rows = groups.rows(group).to_vec();
        rows.sort_unstable();
        rows
    };
    (0..groups.len()).map(sorted).collect()
}

/// A criterion with what is written for it.
type Criterion = (&'static str, Vec<(&'static str, Raw)>);

/// Criteria with parameters under which small tables are neither all safe nor all unsafe.
fn criteria() -> Vec<(Criterion, bool)> {
    let number = |text: &str| Raw::Number(text.to_string());
    vec![
        (("frequency-l-diversity", vec![("l", number("2"))]), false),
        (("frequency-l-diversity", vec![("l", number("2"))]), true),
        (("frequency-l-diversity", vec![("l", number("3"))]), true),
        (("entropy-l-diversity", vec![("l", number("1.8"))]), false),
        (("recursive-cl-diversity", vec![("c", number("2")), ("l", number("2"))]), false),
        (("t-closeness", vec![("t", number("0.3"))]), false),
        (("k-anonymity", vec![("k", number("2"))]), false),
        (("distinct-l-diversity", vec![("l", number("2"))]), false),
    ]
}

fn rows(most: usize) -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    proptest::collection::vec((0u8..6, 0u8..4, 0u8..3), 1..=most)
}

/// Rows that differ in their quasi-identifiers: which of equal ones comes first is drawn by lot.
fn different_rows(most: usize) -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    let places: Vec<(u8, u8)> = (0..5).flat_map(|x| (0..4).map(move |y| (x, y))).collect();
    (proptest::sample::subsequence(places, 1..=most), proptest::collection::vec(0u8..3, most)).prop_map(
        |(places, values)| places.iter().zip(values).map(|(place, value)| (place.0, place.1, value)).collect(),
    )
}

/// Every different way to give the rows of a group its values.
fn assignments(values: &[u32], rows: &[u32]) -> Vec<Vec<u32>> {
    fn place(left: &mut Vec<(u32, usize)>, rows: &[u32], values: &mut Vec<u32>, all: &mut Vec<Vec<u32>>) {
        let Some((&row, rest)) = rows.split_first() else { return all.push(values.clone()) };
        for at in 0..left.len() {
            if left[at].1 > 0 {
                left[at].1 -= 1;
                values[row as usize] = left[at].0;
                place(left, rest, values, all);
                left[at].1 += 1;
            }
        }
    }
    let mut left: Vec<(u32, usize)> = Vec::new();
    for &row in rows {
        let value = values[row as usize];
        match left.iter_mut().find(|entry| entry.0 == value) {
            Some(entry) => entry.1 += 1,
            None => left.push((value, 1)),
        }
    }
    let mut all = Vec::new();
    place(&mut left, rows, &mut values.to_vec(), &mut all);
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(48)))]

    /// Groups are safe, do not overlap, and what is in none is counted; the same seed gives the
    /// same groups.
    #[test]
    fn groups_are_safe_and_everybody_is_counted(rows in rows(40), seed in 0u64..1000) {
        for (criterion, binary) in criteria() {
            let case = Case::new(&rows, &criterion, binary);
            let Some(bound) = case.bound() else { continue };
            for method in all_methods() {
                let context = format!("{} {:?} {}", method.kind.name, method.params, criterion.0);
                let Some(found) = case.run(&case.table, &method, seed) else { continue };
                let safety = Safety::new(&case.table, &bound).unwrap();
                let mut checker = safety.checker();
                let mut all: Vec<u32> = found.groups.order().to_vec();
                prop_assert!((0..found.groups.len()).all(|group| checker.holds(found.groups.rows(group))), "{context}");
                prop_assert_eq!(all.len() as u64 + found.withheld, rows.len() as u64, "{}", &context);
                all.sort_unstable();
                all.dedup();
                prop_assert_eq!(all.len(), found.groups.records(), "{}", &context);
                let again = case.run(&case.table, &method, seed).unwrap();
                prop_assert_eq!(&again.groups, &found.groups);
                // The parameters that it worked out give the same again.
                let resolved = method.resolved(&found.resolved).unwrap();
                prop_assert_eq!(&case.run(&case.table, &resolved, seed).unwrap().groups, &found.groups, "{}", context);
                if method.anatomizes() {
                    prop_assert!(found.whole.unwrap().len() <= found.groups.len());
                }
            }
        }
    }

    /// A world in which the method would have published the same has a weight, and no other: greedy
    /// and symmetric grouping group by group; methods that cut where everybody is in one group.
    #[test]
    fn methods_are_replayed_as_they_run(rows in different_rows(9)) {
        for (criterion, binary) in criteria() {
            let case = Case::new(&rows, &criterion, binary);
            let Some(bound) = case.bound() else { continue };
            let values = case.table.column("s").unwrap().codes().to_vec();
            for method in methods().into_iter().filter(|method| !method.anatomizes() && method.build().class() != Class::SaOnly) {
                if method.kind.name.starts_with("randomized") {
                    continue;
                }
                let Some(found) = case.run(&case.table, &method, 1) else { continue };
                if CUTTING.contains(&method.kind.name) && found.groups.len() > 1 {
                    continue;
                }
                let published = sets(&found.groups);
                let resolved = method.resolved(&found.resolved).unwrap().build();
                let view = View { table: &case.table, schema: &case.schema, groups: &found.groups, complete: true, least: 1 };
                let replayer = resolved.replayer(&view).unwrap().expect("it can be replayed");
                for group in 0..found.groups.len() {
                    let replay = replayer(group).expect("it is not too long");
                    let mut blocked = replay.blocks.concat();
                    blocked.sort_unstable();
                    prop_assert!(published.contains(&blocked), "blocks hold the rows of the group");
                    for world in assignments(&values, found.groups.rows(group)) {
                        let table = case.with_values(&world);
                        let safety = Safety::new(&table, &bound).unwrap();
                        let mut checker = safety.checker();
                        let passes = replay.tests.iter().any(|parts| parts.iter().all(|part| {
                            let rows: Vec<u32> = part.iter().flat_map(|&block| replay.blocks[block as usize].clone()).collect();
                            checker.holds(&rows)
                        }));
                        let same = case.run(&table, &method, 1).is_some_and(|again| sets(&again.groups) == published);
                        prop_assert_eq!(!passes, same, "{} {:?} {} {:?}", method.kind.name, &method.params, criterion.0, &world);
                    }
                }
            }
        }
    }

    /// Records that differ on the highest permitted level of a quasi-identifier never share a
    /// group, and the replay of each cell tells worlds apart as running the method on all of them
    /// does.
    #[test]
    fn cells_are_grouped_and_replayed_each_by_itself(
        left in proptest::collection::vec(0u8..3, 2..=5), right in proptest::collection::vec(0u8..3, 2..=5),
    ) {
        let of = |y: u8, values: &[u8]| (0..).zip(values.to_vec()).map(move |(x, value)| (x, y, value)).collect::<Vec<_>>();
        let rows = [of(0, &left), of(1, &right)].concat();
        for (criterion, binary) in criteria() {
            let mut case = Case::new(&rows, &criterion, binary);
            let Some(bound) = case.bound() else { continue };
            let mut y = ColumnSpec::new("y", Role::Quasi);
            y.levels = Some((0, 0));
            case.schema = case.schema.clone().with_spec(y);
            let values = case.table.column("s").unwrap().codes().to_vec();
            for method in methods().into_iter().filter(|method| !method.kind.name.starts_with("randomized")) {
                let within = Within::new(&method, &case.table, &case.schema).unwrap().expect("two cells");
                let run = |table: &Table| case.run_within(table, &method, &within);
                let Some(found) = run(&case.table) else { continue };
                let cell = |row: &u32| rows[*row as usize].1;
                let mixed = |group: usize| found.groups.rows(group).iter().any(|row| cell(row) != cell(&found.groups.rows(group)[0]));
                prop_assert!(!(0..found.groups.len()).any(mixed), "{} mixes cells", method.kind.name);
                let several = found.groups.len() > 2 && CUTTING.contains(&method.kind.name);
                if several || method.anatomizes() || method.build().class() == Class::SaOnly {
                    continue;
                }
                let published = sets(&found.groups);
                let view = View { table: &case.table, schema: &case.schema, groups: &found.groups, complete: true, least: 1 };
                let within = Within::new(&method, &case.table, &case.schema).unwrap().expect("two cells");
                let within = within.with_method(&method.resolved(&found.resolved).unwrap());
                let replayer = within.replayer(&view).unwrap().expect("it can be replayed");
                for group in 0..found.groups.len() {
                    let replay = replayer(group).expect("it is not too long");
                    let mut blocked = replay.blocks.concat();
                    blocked.sort_unstable();
                    prop_assert!(published.contains(&blocked), "blocks hold the rows of the group");
                    for world in assignments(&values, found.groups.rows(group)) {
                        let table = case.with_values(&world);
                        let safety = Safety::new(&table, &bound).unwrap();
                        let mut checker = safety.checker();
                        let passes = replay.tests.iter().any(|parts| parts.iter().all(|part| {
                            let rows: Vec<u32> = part.iter().flat_map(|&block| replay.blocks[block as usize].clone()).collect();
                            checker.holds(&rows)
                        }));
                        let same = run(&table).is_some_and(|again| sets(&again.groups) == published);
                        prop_assert_eq!(!passes, same, "{} {:?} {} {:?}", method.kind.name, &method.params, criterion.0, &world);
                    }
                }
            }
        }
    }
}

fn cases(usual: u32) -> u32 {
    std::env::var("SFUMATO_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// Anatomy draws records of a value by lot: over many seeds everybody is as often with everybody
/// else of another value.
#[test]
fn anatomy_draws_by_lot() {
    let rows = [(0, 0, 0), (1, 0, 0), (2, 0, 1), (3, 0, 1), (4, 0, 2), (5, 0, 2)];
    let case = Case::new(&rows, &("frequency-l-diversity", vec![("l", Raw::from("3"))]), false);
    let anatomy = ChosenMethod::new("anatomy", &[]).unwrap();
    let mut together = [[0u32; 6]; 6];
    let runs = 4000;
    for seed in 0..runs {
        let found = case.run(&case.table, &anatomy, seed).unwrap();
        assert_eq!((found.groups.len(), found.withheld), (2, 0));
        for group in 0..2 {
            let rows = found.groups.rows(group);
            rows.iter().for_each(|&a| rows.iter().for_each(|&b| together[a as usize][b as usize] += 1));
        }
    }
    for (a, b) in [(0, 2), (0, 3), (1, 4), (1, 5), (2, 4), (3, 5)] {
        // Half of the runs; four standard deviations are 126.
        assert!(together[a][b].abs_diff(runs as u32 / 2) < 126, "{a} and {b}: {}", together[a][b]);
    }
    assert_eq!(together[0][1] + together[2][3] + together[4][5], 0, "equal values are never together");
}

/// Records that are left over join groups that lack their value; where they fit nowhere there is no
/// release.
#[test]
fn what_is_left_over_is_placed() {
    let count = |values: &[u8], l: &str| {
        let rows: Vec<(u8, u8, u8)> = values.iter().map(|&value| (value, 0, value)).collect();
        let case = Case::new(&rows, &("frequency-l-diversity", vec![("l", Raw::from(l))]), false);
        let found = case.run(&case.table, &ChosenMethod::new("anatomy", &[]).unwrap(), 5);
        found.map(|found| (found.groups.len(), found.withheld))
    };
    assert_eq!(count(&[0, 0, 1, 1, 2], "2"), Some((2, 0)), "the fifth joins a group");
    assert_eq!(count(&[0, 0, 0, 0, 1], "2"), None, "whoever would be withheld has the frequent value");
    assert_eq!(count(&[0, 0], "2"), None);
}

/// With a chance to go on, groups are larger, and the chance is as stated.
#[test]
fn randomized_groups_go_on_as_often_as_said() {
    let rows: Vec<(u8, u8, u8)> = (0..240).map(|at| (at, 0, at % 2)).collect();
    let case = Case::new(&rows, &("frequency-l-diversity", vec![("l", Raw::from("2"))]), false);
    let mean = |p: &str| {
        let method = ChosenMethod::new("randomized-greedy-grouping", &[("p", Raw::from(p))]).unwrap();
        let groups: usize = (0..50).map(|seed| case.run(&case.table, &method, seed).unwrap().groups.len()).sum();
        50.0 * 120.0 / groups as f64
    };
    // Every bucket is safe, so a group has 1/(1 − p) of them; a little less where the table ends.
    assert_eq!(mean("0"), 1.0);
    assert!((mean("0.5") - 2.0).abs() < 0.1, "{}", mean("0.5"));
    assert!((mean("0.8") - 5.0).abs() < 0.6, "{}", mean("0.8"));
}

/// Whether an ancestor's cut failed can depend on who has which value in a group below it, so that
/// one group by itself does not tell everything about Mondrian; just those groups are coupled.
#[test]
fn a_failed_cut_above_a_group_couples_groups() {
    check_coupling("1", 4000);
}

/// The replay tries cuts in the order in which the method does.
#[test]
fn weights_are_replayed() {
    check_coupling("3", 2000);
    check_coupling("0.2", 2000);
}

fn check_coupling(weight: &str, seeds: u32) {
    let mut found_one = false;
    for seed in 0..seeds {
        let draw = |at: u32, below: u32| {
            let mixed = (seed.wrapping_mul(2_654_435_761) ^ at.wrapping_mul(40_503)).wrapping_mul(2_246_822_519);
            ((mixed >> 13) % below) as u8
        };
        let rows: Vec<(u8, u8, u8)> = (0..8).map(|at| (at as u8, draw(at, 8), draw(at + 50, 2))).collect();
        let case = Case::new(&rows, &("frequency-l-diversity", vec![("l", Raw::from("2"))]), true).weighed("x", weight);
        let method = ChosenMethod::new("mondrian", &[("split", Raw::from("strict"))]).unwrap();
        if case.bound().is_none() {
            continue;
        }
        let Some(found) = case.run(&case.table, &method, 1).filter(|found| found.groups.len() > 1) else { continue };
        let bound = case.bound().unwrap();
        let view = View { table: &case.table, schema: &case.schema, groups: &found.groups, complete: true, least: 1 };
        let method_built = method.build();
        let Some(replayer) = method_built.replayer(&view).unwrap() else { continue };
        let values = case.table.column("s").unwrap().codes().to_vec();
        for group in 0..found.groups.len() {
            let replay = replayer(group).expect("it is not too long");
            for world in assignments(&values, found.groups.rows(group)) {
                let table = case.with_values(&world);
                let safety = Safety::new(&table, &bound).unwrap();
                let mut checker = safety.checker();
                let passes = replay.tests.iter().any(|parts| {
                    parts.iter().all(|part| {
                        let rows: Vec<u32> =
                            part.iter().flat_map(|&block| replay.blocks[block as usize].clone()).collect();
                        checker.holds(&rows)
                    })
                });
                let same = case.run(&table, &method, 1).is_some_and(|again| sets(&again.groups) == sets(&found.groups));
                assert!(passes <= !same, "what the replay rules out is impossible");
                assert!(replay.coupled || passes != same, "a group that is not coupled tells all there is");
                found_one |= !passes && !same;
            }
        }
    }
    assert!(found_one, "a world that one group by itself allows and the whole method does not");
}
