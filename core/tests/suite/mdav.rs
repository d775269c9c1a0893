//! Microaggregation: MDAV beside a plain reading of it in whole numbers, what it wins, and what is
//! said of groups that were merged.

use crate::support::cases;
use proptest::prelude::*;
use sfumato::anonymize::{ChosenMethod, Class, Transformation, View};
use sfumato::candidate::Groups;
use sfumato::chance::Chance;
use sfumato::criterion::Requirement;
use sfumato::data::{Column, ColumnSpec, Role, Schema, Table};
use sfumato::kind::Raw;
use sfumato::utility::ChosenMetric;
use std::collections::BTreeSet;

/// Two numbers and a sensitive value of each record.
type Row = (i64, i64, u8);

fn table(rows: &[Row]) -> Table {
    Table::new(vec![
        Column::from_values("x", rows.iter().map(|row| row.0.to_string())),
        Column::from_values("y", rows.iter().map(|row| row.1.to_string())),
        Column::from_values("s", rows.iter().map(|row| format!("v{}", row.2))),
    ])
    .unwrap()
}

fn schema() -> Schema {
    Schema::of(&["x", "y"], &["s"])
}

fn run(method: &str, written: &[(&str, &str)], rows: &[Row], criterion: (&str, &str, &str)) -> Option<Groups> {
    let schema = schema();
    let wanted = Requirement::new(criterion.0, &[(criterion.1, Raw::from(criterion.2))], &[], &schema).unwrap();
    let written: Vec<(&str, Raw)> = written.iter().map(|(name, value)| (*name, Raw::from(*value))).collect();
    let method = ChosenMethod::new(method, &written).unwrap();
    let metric = ChosenMetric::new("loss", &[]).unwrap();
    match method.run_on(&table(rows), &schema, &[wanted], &metric, Chance::insecure(1)).unwrap()? {
        Transformation::Groups(found) => Some(found.groups),
        Transformation::Levels(_) => panic!("groups are expected"),
    }
}

fn k(size: &str) -> (&'static str, &'static str, &str) {
    ("k-anonymity", "k", size)
}

/// Groups as lists of quasi-identifiers, in any order.
fn as_values(groups: &Groups, rows: &[Row]) -> BTreeSet<Vec<(i64, i64)>> {
    let values = |group: usize| {
        let mut values: Vec<(i64, i64)> =
            groups.rows(group).iter().map(|&row| (rows[row as usize].0, rows[row as usize].1)).collect();
        values.sort_unstable();
        values
    };
    (0..groups.len()).map(values).collect()
}

/// MDAV as it is written down, with distances in whole numbers.
struct Plain {
    left: Vec<(i64, i64)>,
    /// n² times the variance of each column: dividing by it standardizes.
    spread: (i128, i128),
    /// Whether a choice was between different records that are equally far: it is not told how
    /// those are made.
    is_tied: bool,
}

impl Plain {
    fn new(rows: &[Row]) -> Plain {
        let mut left: Vec<(i64, i64)> = rows.iter().map(|row| (row.0, row.1)).collect();
        left.sort_unstable();
        let spread = |values: Vec<i128>| {
            let squares: i128 = values.iter().map(|value| value * value).sum();
            values.len() as i128 * squares - values.iter().sum::<i128>().pow(2)
        };
        let of = |part: fn(&(i64, i64)) -> i64| left.iter().map(|one| i128::from(part(one))).collect();
        let spread = (spread(of(|one| one.0)), spread(of(|one| one.1)));
        Plain { left, spread, is_tied: false }
    }

    /// The distance from the average of some records, times what is the same for all.
    fn distance(&self, from: &[(i64, i64)], to: (i64, i64)) -> i128 {
        let apart = |part: fn(&(i64, i64)) -> i64| {
            let sum: i128 = from.iter().map(|one| i128::from(part(one))).sum();
            (from.len() as i128 * i128::from(part(&to)) - sum).pow(2)
        };
        let (x, y) = (apart(|one| one.0), apart(|one| one.1));
        match self.spread {
            (0, 0) => 0,
            (0, _) => y,
            (_, 0) => x,
            (of_x, of_y) => x * of_y + y * of_x,
        }
    }

    fn farthest(&mut self, from: &[(i64, i64)]) -> (i64, i64) {
        let most = self.left.iter().map(|&to| self.distance(from, to)).max().unwrap();
        let all: BTreeSet<(i64, i64)> =
            self.left.iter().copied().filter(|&to| self.distance(from, to) == most).collect();
        self.is_tied |= all.len() > 1;
        *all.first().unwrap()
    }

    fn take_around(&mut self, center: (i64, i64), size: usize) -> Vec<(i64, i64)> {
        let mut order: Vec<(i128, (i64, i64))> =
            self.left.iter().map(|&to| (self.distance(&[center], to), to)).collect();
        order.sort_unstable();
        if let Some(next) = order.get(size) {
            let last = order[size - 1];
            self.is_tied |= last.0 == next.0 && order[..size].iter().any(|one| one.0 == next.0 && one.1 != next.1);
        }
        self.left = order.split_off(size).into_iter().map(|(_, one)| one).collect();
        let mut group: Vec<(i64, i64)> = order.into_iter().map(|(_, one)| one).collect();
        group.sort_unstable();
        group
    }

    fn groups(mut self, size: usize) -> Option<BTreeSet<Vec<(i64, i64)>>> {
        let mut groups = BTreeSet::new();
        let mut count = 0;
        while self.left.len() >= 2 * size {
            let all = self.left.clone();
            let far = self.farthest(&all);
            groups.insert(self.take_around(far, size));
            count += 1;
            if all.len() >= 3 * size {
                let opposite = self.farthest(&[far]);
                groups.insert(self.take_around(opposite, size));
                count += 1;
            }
        }
        self.left.sort_unstable();
        groups.insert(self.left);
        // Groups that are equal in all values count once in a set.
        (!self.is_tied && groups.len() == count + 1).then_some(groups)
    }
}

fn rows(most: usize) -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec((0i64..500, -200i64..300, 0u8..3), 2..=most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(200)))]

    #[test]
    fn groups_are_those_of_the_plain_reading(rows in rows(40), size in 2usize..5) {
        prop_assume!(rows.len() >= size);
        let Some(expected) = Plain::new(&rows).groups(size) else { return Ok(()) };
        let found = run("mdav", &[], &rows, k(&size.to_string())).unwrap();
        prop_assert_eq!(as_values(&found, &rows), expected);
    }

    /// Every group has from `size` to twice as many records less one, whatever the chunks.
    #[test]
    fn groups_are_of_the_size_that_is_asked_for(rows in rows(90), size in 2usize..6, chunk in 1usize..40) {
        prop_assume!(rows.len() >= size);
        let written = [("chunk", chunk.to_string())];
        let written = written.each_ref().map(|(name, value)| (*name, value.as_str()));
        let found = run("mdav", &written, &rows, k(&size.to_string())).unwrap();
        prop_assert_eq!(found.records(), rows.len());
        prop_assert!((0..found.len()).all(|group| (size..2 * size).contains(&found.size(group))));
    }

    /// Neither the order of rows nor the number of threads changes which values are together.
    #[test]
    fn the_order_of_rows_changes_nothing(rows in rows(60), chunk in 1usize..40) {
        let chunk = chunk.to_string();
        let written = [("chunk", chunk.as_str())];
        let found = run("mdav", &written, &rows, k("2")).unwrap();
        let mut other = rows.clone();
        other.reverse();
        other.rotate_left(rows.len() / 3);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let again = pool.install(|| run("mdav", &written, &other, k("2")).unwrap());
        prop_assert_eq!(as_values(&found, &rows), as_values(&again, &other));
    }
}

/// Numbers that look random and are always the same.
fn draw(at: u64, below: u64) -> u64 {
    let mixed = (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (at >> 7)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 29) % below
}

fn scattered(records: u64) -> Vec<Row> {
    let of = |at: u64| (draw(at, 1000) + draw(at + 7, 400), draw(at + 1_000_000, 700), draw(at + 31, 4));
    (0..records).map(of).map(|(x, y, s)| (x as i64, y as i64, s as u8)).collect()
}

/// The sum of squares within groups, columns standardized.
fn within(groups: &Groups, rows: &[Row]) -> f64 {
    let squares = |values: Vec<f64>| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
    };
    let of = |part: fn(&Row) -> i64| {
        let all = squares(rows.iter().map(|row| part(row) as f64).collect());
        let inside: f64 = (0..groups.len())
            .map(|group| squares(groups.rows(group).iter().map(|&row| part(&rows[row as usize]) as f64).collect()))
            .sum();
        inside / all
    };
    of(|row| row.0) + of(|row| row.1)
}

#[test]
fn less_is_lost_than_by_cutting() {
    let rows = scattered(2000);
    for size in ["3", "5", "10"] {
        let of = |method: &str, written: &[(&str, &str)]| within(&run(method, written, &rows, k(size)).unwrap(), &rows);
        let (mdav, in_chunks) = (of("mdav", &[]), of("mdav", &[("chunk", "500")]));
        let (strict, relaxed) = (of("mondrian", &[]), of("mondrian", &[("split", "relaxed")]));
        println!("size {size}: mdav {mdav:.5}, in chunks {in_chunks:.5}, mondrian {strict:.5}, relaxed {relaxed:.5}");
        assert!(mdav < strict && mdav < relaxed, "size {size}: {mdav} {strict} {relaxed}");
        assert!(in_chunks < 1.2 * mdav, "size {size}: {in_chunks} {mdav}");
    }
}

/// Where a group is not safe it is merged, or there is no release.
#[test]
fn unsafe_groups_are_merged() {
    let rows: Vec<Row> = (0..12).map(|at| (10 * (at / 3) + at % 3, 0, u8::from(at >= 6))).collect();
    let wanted = ("frequency-l-diversity", "l", "2");
    let merged = run("mdav", &[("size", "3")], &rows, wanted).unwrap();
    assert!((0..merged.len()).all(|group| merged.size(group).is_multiple_of(3)));
    assert!(merged.len() < 4);
    assert_eq!(run("mdav", &[("size", "3"), ("mend", "none")], &rows, wanted), None);
    let alone = run("mdav", &[("size", "12"), ("mend", "none")], &rows, wanted).unwrap();
    assert_eq!(alone.len(), 1);
}

/// Groups that were published as they were formed are told apart from merged ones, and only these
/// are left undecided.
#[test]
fn merged_groups_are_not_replayed() {
    // Three groups of three; the first has one value alone, and is merged with the second.
    let rows: Vec<Row> =
        [(0, 0), (1, 0), (2, 0), (20, 0), (21, 1), (22, 2), (90, 0), (91, 1), (92, 2)].map(|(x, s)| (x, 0, s)).to_vec();
    let method = ChosenMethod::new("mdav", &[("size", Raw::from("3"))]).unwrap();
    let groups = run("mdav", &[("size", "3")], &rows, ("distinct-l-diversity", "l", "2")).unwrap();
    assert_eq!(groups.len(), 2);
    let (table, schema) = (table(&rows), schema());
    let view = View { table: &table, schema: &schema, groups: &groups, complete: true, least: 2 };
    let replayer = method.build().replayer(&view).unwrap().unwrap();
    for group in 0..2 {
        assert_eq!(replayer(group).is_some(), groups.size(group) == 3);
    }
    assert_eq!(method.build().class(), Class::Asymmetric);
    assert!(method.build().replayer(&View { complete: false, ..view }).unwrap().is_none());
}

/// A column that counts more is kept tighter.
#[test]
fn weights_are_respected() {
    let rows = scattered(400);
    let spread = |weight: &str| {
        let spec = ColumnSpec { weight: weight.parse().unwrap(), ..ColumnSpec::new("x", Role::Quasi) };
        let schema = schema().with_spec(spec);
        let wanted = Requirement::new("k-anonymity", &[("k", Raw::from("5"))], &[], &schema).unwrap();
        let (method, metric) = (ChosenMethod::new("mdav", &[]).unwrap(), ChosenMetric::new("loss", &[]).unwrap());
        let found = method.run_on(&table(&rows), &schema, &[wanted], &metric, Chance::insecure(1)).unwrap().unwrap();
        let Transformation::Groups(found) = found else { panic!("groups are expected") };
        let width = |group: usize| {
            let values = found.groups.rows(group).iter().map(|&row| rows[row as usize].0);
            values.clone().max().unwrap() - values.min().unwrap()
        };
        (0..found.groups.len()).map(width).sum::<i64>()
    };
    assert!(spread("10") < spread("1") && spread("1") < spread("0.1"));
}
