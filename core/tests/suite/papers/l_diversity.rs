//! Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: ℓ-Diversity: Privacy Beyond k-Anonymity.
//! TKDD 1(1), 2007.

use super::real_data;
use sfumato::candidate::Groups;
use sfumato::criterion::Verdict;
use sfumato::data::{Column, Schema, Table};
use sfumato::{TablePlan, audit, audit::audit_groups};
use std::path::Path;

const HEART: &str = "Heart Disease";
const VIRAL: &str = "Viral Infection";
const CANCER: &str = "Cancer";

type Block<'a> = (&'a str, &'a str, [&'a str; 4]);

/// Figure 2: 4-anonymous inpatient microdata.
const FIGURE_2: [Block; 3] = [
    ("130**", "<30", [HEART, HEART, VIRAL, VIRAL]),
    ("1485*", "≥40", [CANCER, HEART, VIRAL, VIRAL]),
    ("130**", "3*", [CANCER, CANCER, CANCER, CANCER]),
];

/// Figure 4: 3-diverse inpatient microdata.
const FIGURE_4: [Block; 3] = [
    ("1305*", "≤40", [HEART, VIRAL, CANCER, CANCER]),
    ("1485*", ">40", [CANCER, HEART, VIRAL, VIRAL]),
    ("1306*", "≤40", [HEART, VIRAL, CANCER, CANCER]),
];

fn inpatients(blocks: &[Block]) -> Table {
    let rows: Vec<(&str, &str, &str)> = blocks
        .iter()
        .flat_map(|(zip, age, block)| block.iter().map(move |condition| (*zip, *age, *condition)))
        .collect();
    Table::new(vec![
        Column::from_values("zip", rows.iter().map(|row| row.0)),
        Column::from_values("age", rows.iter().map(|row| row.1)),
        Column::from_values("nationality", rows.iter().map(|_| "*")),
        Column::from_values("condition", rows.iter().map(|row| row.2)),
    ])
    .unwrap()
}

const INPATIENT_COLUMNS: &str =
    "[columns]\nzip = \"quasi\"\nage = \"quasi\"\nnationality = \"quasi\"\ncondition = \"sensitive\"\n";

/// The verdict of one criterion, written as in a plan, on a table.
fn verdict(columns: &str, require: &str, table: &Table, folder: &Path) -> Verdict {
    let plan = TablePlan::parse(&format!("{columns}[[require]]\n{require}\n"), folder).unwrap();
    audit(table, &plan.schema, &plan.requirements, folder).unwrap().criteria.remove(0).verdict
}

fn on_inpatients(require: &str, blocks: &[Block]) -> Verdict {
    verdict(INPATIENT_COLUMNS, require, &inpatients(blocks), Path::new("."))
}

#[test]
fn figure_2_is_4_anonymous_with_a_homogeneous_block() {
    let anonymous = on_inpatients("criterion = \"k-anonymity\"\nk = 4", &FIGURE_2);
    assert!(anonymous.holds);
    let distinct = on_inpatients("criterion = \"distinct-l-diversity\"\nl = 2", &FIGURE_2);
    assert_eq!((distinct.holds, distinct.measured), (false, Some(1.0)));
    assert_eq!((distinct.violating.groups, distinct.violating.records), (1, 4));
}

#[test]
fn figure_4_is_3_diverse_and_entropy_2_8_diverse() {
    assert!(on_inpatients("criterion = \"distinct-l-diversity\"\nl = 3", &FIGURE_4).holds);
    assert!(on_inpatients("criterion = \"entropy-l-diversity\"\nl = 2.8", &FIGURE_4).holds);
    let three = on_inpatients("criterion = \"entropy-l-diversity\"\nl = 3", &FIGURE_4);
    assert!(!three.holds);
    // Blocks {2,1,1}: e^1.0397 = 2.828 = √8.
    assert!((three.measured.unwrap() - 8f64.sqrt()).abs() < 1e-12);
    assert!((three.measured.unwrap().ln() - 1.0397).abs() < 1e-4);
}

/// Section 4.3: each attribute alone is recursive (2,3)-diverse, and yet one fact about S gives V
/// away.
#[test]
fn two_attributes_diverse_alone_fail_together() {
    let table = Table::new(vec![
        Column::from_values("q", ["*"; 4]),
        Column::from_values("s", ["s1", "s1", "s2", "s3"]),
        Column::from_values("v", ["v1", "v2", "v3", "v3"]),
    ])
    .unwrap();
    let columns = "[columns]\nq = \"quasi\"\ns = \"sensitive\"\nv = \"sensitive\"\n";
    let check = |require: &str| verdict(columns, require, &table, Path::new(".")).holds;
    for on in ["s", "v"] {
        assert!(
            !check(&format!("criterion = \"recursive-cl-diversity\"\non = \"{on}\"\nc = 2\nl = 3")),
            "2 < 2 × 1 is false"
        );
        assert!(check(&format!("criterion = \"recursive-cl-diversity\"\non = \"{on}\"\nc = 2.01\nl = 3")));
        assert!(check(&format!("criterion = \"distinct-l-diversity\"\non = \"{on}\"\nl = 3")));
    }
    assert!(!check("criterion = \"multi-attribute-recursive-cl-diversity\"\nc = 2.01\nl = 3"));
    assert!(!check("criterion = \"multi-attribute-recursive-cl-diversity\"\nc = 1000\nl = 2"));
    assert!(!check("criterion = \"multi-attribute-distinct-l-diversity\"\nl = 2"));
}

/// Theorem 5.1 and Figures 5 and 6: generalizing takes β(q1,s1) from .5 to .591, past ρ₂ = .58,
/// with a prior of .3 < ρ₁ = .31.
#[test]
fn bayes_optimal_privacy_is_not_monotone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("joint.csv"), "q,s,f\nq1,s1,.15\nq1,s2,.35\nq2,s1,.25\nq2,s2,.25\n").unwrap();
    std::fs::write(folder.path().join("q.csv"), "q1,q*\nq2,q*\n").unwrap();
    let counts = [("q1", "s1", 1), ("q1", "s2", 1), ("q2", "s1", 35), ("q2", "s2", 15)];
    let rows: Vec<(&str, &str)> = counts.iter().flat_map(|&(q, s, count)| std::iter::repeat_n((q, s), count)).collect();
    let table = |generalized: bool| {
        let q = rows.iter().map(|row| if generalized { "q*" } else { row.0 });
        Table::new(vec![Column::from_values("q", q), Column::from_values("s", rows.iter().map(|row| row.1))]).unwrap()
    };
    let columns = "[columns]\nq = { role = \"quasi\", hierarchy = { file = \"q.csv\" } }\ns = \"sensitive\"\n";
    let require = "criterion = \"bayes-optimal\"\nrho1 = 0.31\nrho2 = 0.58\njoint = \"joint.csv\"";
    let before = verdict(columns, require, &table(false), folder.path());
    assert!(before.holds);
    assert!((before.measured.unwrap() - 0.5).abs() < 1e-12);
    let after = verdict(columns, require, &table(true), folder.path());
    assert!(!after.holds);
    let belief = (36.0 * 0.15 / 0.4) / (36.0 * 0.15 / 0.4 + 16.0 * 0.35 / 0.6);
    assert!((after.measured.unwrap() - belief).abs() < 1e-12 && (belief - 0.591).abs() < 5e-4);
}

/// The same belief when groups are given and the joint distribution is estimated from exact values
/// in the table.
#[test]
fn beliefs_in_given_groups_use_the_tables_own_distribution() {
    let table = Table::new(vec![
        Column::from_values("q", ["q1", "q1", "q2", "q2", "q2"]),
        Column::from_values("s", ["s1", "s2", "s1", "s1", "s2"]),
    ])
    .unwrap();
    let plan = TablePlan::parse(
        "[columns]\nq = \"quasi\"\ns = \"sensitive\"\n[[require]]\ncriterion = \"bayes-optimal\"\nrho1 = 0.6\nrho2 = 0.65\n",
        Path::new("."),
    );
    let plan = plan.unwrap();
    let one = Groups::by_ids(&[0; 5], 1);
    let found = audit_groups(&table, &plan.schema, &one, &plan.requirements, Path::new(".")).unwrap();
    // q1: n = (3,2), f(s|q1) = (1/2,1/2), f(s|q*) = (3/5,2/5): belief (1/2, 1/2). q2 has prior 2/3
    // and belief 2/3.
    assert!((found.criteria[0].verdict.measured.unwrap() - 0.5).abs() < 1e-12);
    assert!(found.holds());
}

#[test]
fn fifty_five_of_105_is_not_recursive_1_1_2_diverse() {
    let values = std::iter::repeat_n("a", 55).chain(std::iter::repeat_n("b", 50));
    let table = Table::new(vec![Column::from_values("q", ["*"; 105]), Column::from_values("s", values)]).unwrap();
    let columns = "[columns]\nq = \"quasi\"\ns = \"sensitive\"\n";
    for c in ["1.1", "\"1.1\"", "1.10"] {
        let found = verdict(
            columns,
            &format!("criterion = \"recursive-cl-diversity\"\nc = {c}\nl = 2"),
            &table,
            Path::new("."),
        );
        assert_eq!((found.holds, found.measured), (false, Some(1.1)), "c = {c}");
    }
}

#[test]
fn l_equally_frequent_values_are_entropy_l_diverse() {
    for l in 2..=50 {
        let values: Vec<String> = (0..l * 7).map(|at| (at % l).to_string()).collect();
        let table =
            Table::new(vec![Column::from_values("q", values.iter().map(|_| "*")), Column::from_values("s", &values)]);
        let columns = "[columns]\nq = \"quasi\"\ns = \"sensitive\"\n";
        let require = format!("criterion = \"entropy-l-diversity\"\nl = {l}");
        assert!(verdict(columns, &require, &table.unwrap(), Path::new(".")).holds, "l = {l}");
    }
}

/// Section 6: occupation alone is entropy 10.57-diverse, and no generalization is recursive
/// (3,12)-diverse: the coarsest is not, and the criterion is monotone.
#[test]
fn adult_occupation() {
    let Some(table) = real_data::adult_complete() else { return };
    assert_eq!(table.rows(), 45_222);
    let whole = Groups::by_ids(&vec![0; table.rows()], 1);
    let schema = Schema::of(&["age"], &["occupation"]);
    let check = |require: &str| {
        let wanted = sfumato::plan::requirement(require, &schema).unwrap();
        audit_groups(&table, &schema, &whole, &[wanted], Path::new(".")).unwrap().criteria.remove(0).verdict
    };
    let entropy = check("criterion = \"entropy-l-diversity\"\nl = 10.57");
    assert!((entropy.measured.unwrap() - 10.567).abs() < 5e-4, "{:?}", entropy.measured);
    assert!(!check("criterion = \"recursive-cl-diversity\"\nc = 3\nl = 12").holds);
    assert!(check("criterion = \"recursive-cl-diversity\"\nc = 3\nl = 10").holds);
}

/// A trap for 32-bit integers: repeating rows changes no distribution, so hierarchical t-closeness
/// 0.05 stays refused.
#[test]
fn adult_repeated_keeps_its_hierarchical_distance() {
    let Some((table, folder)) = real_data::adult_arx() else { return };
    let columns = "[columns]\nsex = \"quasi\"\noccupation = { role = \"sensitive\", hierarchy = { file = \"adult_hierarchy_occupation.csv\" } }\n";
    let require = "criterion = \"t-closeness\"\ndistance = \"hierarchical\"\nt = 0.05";
    for times in [1, 8, 16] {
        let repeated = |name: &str| {
            let column = table.column(name).unwrap();
            Column::new(name, column.codes().repeat(times), column.domain().clone())
        };
        let table = Table::new(vec![repeated("sex"), repeated("occupation")]).unwrap();
        let found = verdict(columns, require, &table, &folder);
        assert!(!found.holds, "repeated {times} times");
        assert!((found.measured.unwrap() - 0.1902).abs() < 5e-5, "{:?}", found.measured);
        assert_eq!(found.violating.groups, 2);
    }
}
