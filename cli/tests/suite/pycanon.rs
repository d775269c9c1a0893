//! The same tables, measured by pycanon and by `sfumato check`: equal, or different in a way that
//! tools/pycanon/README.md lists.

use crate::support::{Folder, assert_close};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const TOOL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tools/pycanon");

fn expected() -> Value {
    serde_json::from_str(&std::fs::read_to_string(Path::new(TOOL).join("expected.json")).unwrap()).unwrap()
}

/// One table: its text, its columns, and what pycanon measures.
struct Case {
    name: String,
    text: String,
    quasi: Vec<String>,
    sensitive: String,
    numeric: bool,
    measured: Value,
}

fn cases() -> Vec<Case> {
    let expected = expected();
    let tables = expected["tables"].as_object().unwrap().iter();
    let case = |(name, table): (&String, &Value)| Case {
        name: name.clone(),
        text: std::fs::read_to_string(Path::new(TOOL).join(format!("tables/{name}.csv"))).unwrap(),
        quasi: table["quasi"].as_array().unwrap().iter().map(|column| column.as_str().unwrap().into()).collect(),
        sensitive: table["sensitive"].as_str().unwrap().into(),
        numeric: table["numeric"].as_bool().unwrap(),
        measured: table["measured"].clone(),
    };
    tables.map(case).collect()
}

impl Case {
    fn pycanon(&self, figure: &str) -> Option<f64> {
        self.measured[figure].as_f64()
    }

    /// What `check` measures for a criterion; nothing where no parameter would hold.
    fn check(&self, criterion: &str, params: &str) -> Value {
        let roles: String = self.quasi.iter().map(|column| format!("{column} = \"quasi\"\n")).collect();
        let kind = if self.numeric { ", type = \"integer\"" } else { "" };
        let plan = format!(
            "[columns]\n{roles}{} = {{ role = \"sensitive\"{kind} }}\n[[require]]\ncriterion = \"{criterion}\"\n{params}\n",
            self.sensitive
        );
        let folder = Folder::new(&[("table.csv", &self.text), ("plan.toml", &plan)]);
        let run = folder.run("check table.csv --plan plan.toml --json");
        let output = run.get_output();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}: {output:?}", self.name);
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        document["criteria"][0].clone()
    }

    fn assert_equal(&self, figure: &str, criterion: &str, params: &str) {
        let found = self.check(criterion, params);
        let expected = self.pycanon(figure).expect("pycanon measures something");
        assert_close(&found["measured"], expected, &format!("{}: {criterion} against {figure}", self.name));
    }

    /// How often each sensitive value occurs: in each group, and in all.
    fn counts(&self) -> (Vec<BTreeMap<&str, f64>>, BTreeMap<&str, f64>) {
        let header: Vec<&str> = self.text.lines().next().unwrap().split(',').collect();
        let place = |name: &str| header.iter().position(|known| *known == name).unwrap();
        let (mut groups, mut whole) = (BTreeMap::<Vec<&str>, BTreeMap<&str, f64>>::new(), BTreeMap::new());
        for line in self.text.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let key = self.quasi.iter().map(|column| cells[place(column)]).collect();
            let value = cells[place(&self.sensitive)];
            *groups.entry(key).or_default().entry(value).or_default() += 1.0;
            *whole.entry(value).or_default() += 1.0;
        }
        (groups.into_values().collect(), whole)
    }
}

#[test]
fn what_is_defined_alike_is_measured_alike() {
    let cases = cases();
    assert_eq!(cases.len(), 6);
    for case in &cases {
        case.assert_equal("k", "k-anonymity", "k = 2");
        case.assert_equal("distinct_l", "distinct-l-diversity", "l = 2");
        case.assert_equal("entropy_before_truncation", "entropy-l-diversity", "l = 2");
        case.assert_equal("basic_beta", "beta-likeness", "beta = 1");
        case.assert_equal("delta", "delta-disclosure", "delta = 1\nabsent = \"ignore\"");
        let distance = if case.numeric { "ordered" } else { "equal" };
        case.assert_equal("t", "t-closeness", &format!("t = 0.1\ndistance = \"{distance}\""));
        let found = case.check("alpha-k-anonymity", "alpha = 0.5\nk = 2");
        let both: Vec<f64> = found
            .as_object()
            .unwrap()
            .iter()
            .filter(|(key, _)| key.starts_with("measured"))
            .filter_map(|(_, value)| value.as_f64())
            .collect();
        for figure in ["alpha", "alpha_k"] {
            let expected = case.pycanon(figure).unwrap();
            assert!(
                both.iter().any(|one| (one - expected).abs() < 1e-9),
                "{}: {expected} is not in {found:#}",
                case.name
            );
        }
    }
}

#[test]
fn entropy_is_truncated_by_pycanon_alone() {
    let mut lost = 0;
    for case in cases() {
        let ours = case.check("entropy-l-diversity", "l = 2")["measured"].as_f64().unwrap();
        let theirs = case.pycanon("entropy_l").unwrap();
        // A whole number is sometimes lost to rounding.
        assert!(theirs == ours.floor() || theirs == ours.round() - 1.0, "{}: {theirs} of {ours}", case.name);
        lost += u32::from(theirs != (ours + 1e-9).floor());
    }
    assert!(lost > 0, "table `ties` shows it");
    let ties = cases().into_iter().find(|case| case.name == "ties").unwrap();
    assert_eq!(
        (ties.pycanon("entropy_l"), ties.check("entropy-l-diversity", "l = 2")["holds"].as_bool()),
        (Some(1.0), Some(true))
    );
}

#[test]
fn recursive_diversity_has_two_readings() {
    let mut differ = 0;
    for case in cases() {
        let l = case.pycanon("recursive_l").unwrap() as usize;
        let Some(theirs) = case.pycanon("recursive_c") else {
            assert_eq!(l, 1, "{}: pycanon has no c just where l is one", case.name);
            continue;
        };
        let groups = case.counts().0;
        let sorted = |group: &BTreeMap<&str, f64>| {
            let mut counts: Vec<f64> = group.values().copied().collect();
            counts.sort_by(f64::total_cmp);
            counts
        };
        let rarest_first = groups.iter().map(|group| {
            let counts = sorted(group);
            (counts[0] / counts[l - 1..].iter().sum::<f64>() + 1.0).floor()
        });
        assert_eq!(rarest_first.fold(0.0, f64::max), theirs, "{}", case.name);
        let by_definition = groups.iter().map(|group| {
            let mut counts = sorted(group);
            counts.reverse();
            counts[0] / counts[l - 1..].iter().sum::<f64>()
        });
        let by_definition = by_definition.fold(0.0, f64::max);
        let found = case.check("recursive-cl-diversity", &format!("c = 3\nl = {l}"));
        assert_close(&found["measured"], by_definition, &case.name);
        differ += u32::from((by_definition - theirs).abs() > 0.5);
    }
    assert!(differ > 0, "no table shows the difference");
}

#[test]
fn enhanced_likeness_is_measured_where_every_gain_is_within_its_bound() {
    let mut seen = [0, 0];
    for case in cases() {
        let (groups, whole) = case.counts();
        let records: f64 = whole.values().sum();
        let gain = |group: &BTreeMap<&str, f64>, value: &str| {
            let share = whole[value] / records;
            (group.get(value).copied().unwrap_or(0.0) / group.values().sum::<f64>() - share) / share
        };
        let fits = groups
            .iter()
            .all(|group| whole.iter().all(|(value, count)| gain(group, value) <= -(count / records).ln() + 1e-12));
        let found = case.check("beta-likeness", "beta = 1\nvariant = \"enhanced\"");
        if fits {
            assert_close(&found["measured"], case.pycanon("enhanced_beta").unwrap(), &case.name);
        } else {
            assert!(found["measured"].is_null(), "{}: {found:#}", case.name);
        }
        seen[usize::from(fits)] += 1;
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}: both kinds of tables are there");
}

#[test]
fn a_value_that_a_group_lacks_is_a_breach_here() {
    let mut seen = [0, 0];
    for case in cases() {
        let (groups, whole) = case.counts();
        let lacks = groups.iter().any(|group| group.len() < whole.len());
        let found = case.check("delta-disclosure", "delta = 1");
        assert_eq!(found["measured"].is_null(), lacks, "{}: {found:#}", case.name);
        seen[usize::from(lacks)] += 1;
    }
    assert!(seen[1] > 0, "{seen:?}");
}
