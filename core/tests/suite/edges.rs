//! Edges of input that are easy to get wrong, through the public interface.

use sfumato::candidate::Groups;
use sfumato::criterion::Verdict;
use sfumato::data::csv::{Sizes, read_from, read_with_sizes};
use sfumato::data::hierarchy::{self, Hierarchy};
use sfumato::data::{Column, Encoding, Lexicon, ReadOptions, Schema, Table, one_row_per_person};
use sfumato::kind::Raw;
use sfumato::{Fault, TablePlan, audit, audit::audit_groups};
use std::path::Path;

fn table(columns: &[(&str, &[&str])]) -> Table {
    Table::new(columns.iter().map(|(name, values)| Column::from_values(*name, *values)).collect()).unwrap()
}

fn plan(text: &str) -> sfumato::Result<TablePlan> {
    TablePlan::parse(text, Path::new("."))
}

fn verdict(plan_text: &str, table: &Table, folder: &Path) -> Verdict {
    let plan = TablePlan::parse(plan_text, folder).unwrap();
    audit(table, &plan.schema, &plan.requirements, folder).unwrap().criteria.remove(0).verdict
}

fn with_missing(name: &str, values: &[&str], missing: &str) -> Column {
    let mut lexicon = Lexicon::new();
    let codes: Vec<u32> = values.iter().map(|value| lexicon.code(value)).collect();
    let turns = [(0, codes.len())];
    let missing = [missing.to_string()];
    Encoding { missing: &missing, ..Encoding::default() }.column(name.into(), vec![(lexicon, codes)], &turns)
}

#[test]
fn a_first_record_longer_than_a_block_is_read() {
    let text = format!("a,b\n\"{}\",x\n1,2\n", "z".repeat(40_000));
    for threads in [1, 2] {
        let sizes = Sizes { piece: 1, threads, whole: None };
        assert_eq!(read_with_sizes(text.as_bytes(), &ReadOptions::default(), sizes).unwrap().rows(), 2);
    }
}

#[test]
fn too_many_columns_are_refused_at_once() {
    let text = format!("{}\n{}\n", vec!["a"; 20_000].join(","), vec!["1"; 20_000].join(","));
    assert_eq!(read_from(text.as_bytes(), &ReadOptions::default()).unwrap_err().fault(), Fault::Resources);
}

#[test]
fn a_header_in_another_encoding_is_told_as_such() {
    for text in [&b"\xc9ge,b\n1,2\n"[..], b"a,\xe9t\xe9\n1,2\n"] {
        let message = read_from(text, &ReadOptions::default()).unwrap_err().to_string();
        assert!(message.contains("line 1") && message.contains("UTF-8"), "{message}");
    }
}

#[test]
fn a_missing_value_keeps_to_itself_in_a_hierarchy_without_a_top() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.csv"), "Italy,Europe\nPeru,America\n").unwrap();
    let rule = hierarchy::rule(&[("file", Raw::from("h.csv"))], folder.path()).unwrap();
    let column = with_missing("c", &["Italy", "?", "Peru"], "?");
    let levels = Hierarchy::bind(&*rule, &column).unwrap();
    let missing = column.domain().missing().unwrap();
    assert_eq!([0, 1, 2].map(|level| levels.label(level, missing)), ["?", "?", "*"]);
    assert_eq!(levels.generalize(&column, 1).domain().missing().map(|_| ()), Some(()));
}

#[test]
fn hierarchy_files_may_have_commas_in_labels() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.csv"), "1;[0, 5[;[0, 10[;[0, 20[\n7;[5, 10[;[0, 10[;[0, 20[\n").unwrap();
    let rule = hierarchy::rule(&[("file", Raw::from("h.csv"))], folder.path()).unwrap();
    let levels = Hierarchy::bind(&*rule, &Column::from_values("c", ["1", "7"])).unwrap();
    assert_eq!(levels.label(1, 0), "[0, 5[");
}

#[test]
fn intervals_read_numbers_as_programs_write_them() {
    let widths = |width: &str| [("intervals", Raw::List(vec![Raw::Number(width.into())]))];
    let whole = hierarchy::rule(&widths("5"), Path::new(".")).unwrap();
    assert!(
        Hierarchy::bind(&*whole, &with_missing("age", &["31", "None"], "None")).is_ok(),
        "the token is no fraction"
    );
    let fine = hierarchy::rule(&widths("0.5"), Path::new(".")).unwrap();
    assert!(Hierarchy::bind(&*fine, &Column::from_values("x", ["1.2345678901234567e-05", "0.7"])).is_ok());
    for odd in ["--5", "+-5", "5e-2147483648"] {
        assert!(Hierarchy::bind(&*whole, &Column::from_values("x", [odd])).is_err(), "{odd}");
    }
}

const ORDERED: &str = "[columns]\nq = \"quasi\"\ns = { role = \"sensitive\", order = [\"none\", \"mild\", \"severe\"] }\n\
                       [[require]]\ncriterion = \"t-closeness\"\ndistance = \"ordered\"\nt = 0.5\n";

#[test]
fn a_declared_order_counts_whoever_calls() {
    let pain = table(&[("q", &["1", "1", "2", "2"]), ("s", &["mild", "none", "severe", "none"])]);
    // Prefix shares of group 1: 1/2, 1, 1; of all: 1/2, 3/4, 1. Distance (0 + 1/4) / 2.
    assert_eq!(verdict(ORDERED, &pain, Path::new(".")).measured, Some(0.125));
    assert!(plan(&ORDERED.replace("\"mild\", ", "\"mild\", \"mild\", ")).err().unwrap().message().contains("twice"));
}

#[test]
fn a_column_called_count_multiplies_nobody_where_every_row_is_a_person() {
    let people = table(&[("q", &["1", "2"]), ("g", &["1", "1"]), ("s", &["a", "b"]), ("count", &["40", "30"])]);
    let schema = Schema::of(&["q"], &["s"]);
    assert_eq!(one_row_per_person(&people, &schema, "g").unwrap().rows(), 2);
    let half = table(&[("g", &["1", "1", "1"]), ("s", &["a", "b", "c"]), ("count", &["40", "30", "0"])]);
    let expanded = one_row_per_person(&half, &schema, "g").unwrap();
    assert_eq!((expanded.rows(), expanded.column("s").unwrap().domain().len()), (70, 2));
}

#[test]
fn percentages_and_contradictions_are_refused() {
    let with = |column: &str, require: &str| {
        plan(&format!("[columns]\nq = \"quasi\"\ns = {{ role = \"sensitive\"{column} }}\n[[require]]\n{require}\n"))
    };
    assert!(
        with("", "criterion = \"npd-recursive-cl-diversity\"\nc1 = 2\nc2 = \"5%\"\nl = 2\nkeep = [\"a\"]").is_err()
    );
    assert!(with("", "criterion = \"k-anonymity\"\nk = \"500%\"").is_err());
    let both = with(
        ", sensitive_values = [\"a\"]",
        "criterion = \"pd-recursive-cl-diversity\"\nc = 2\nl = 2\ndont_care = [\"a\"]",
    );
    let both = both.unwrap();
    let rows = table(&[("q", &["1", "1"]), ("s", &["a", "b"])]);
    assert!(audit(&rows, &both.schema, &both.requirements, Path::new(".")).is_err());
}

/// The attacker's prior knows values that the table lacks: α(A,flu) = 1/10, and after the release
/// nobody in A can have hiv.
#[test]
fn a_joint_distribution_may_know_values_that_the_table_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let joint = "q,s,w\nA,flu,1\nA,cancer,1\nA,hiv,8\nB,flu,5\nB,cancer,5\n";
    std::fs::write(folder.path().join("joint.csv"), joint).unwrap();
    let rows = table(&[("q", &["A", "A", "B", "B"]), ("s", &["flu", "flu", "cancer", "flu"])]);
    let require = "criterion = \"bayes-optimal\"\nrho1 = 0.3\nrho2 = 0.9\njoint = \"joint.csv\"";
    let text = format!("[columns]\nq = \"quasi\"\ns = \"sensitive\"\n[[require]]\n{require}\n");
    let found = verdict(&text, &rows, folder.path());
    assert_eq!((found.holds, found.measured), (false, Some(1.0)));
}

#[test]
fn the_worst_group_is_one_that_fails() {
    let rows = table(&[("q", &["1"; 7]), ("s", &["a", "a", "a", "a", "a", "b", "c"])]);
    let groups = Groups::by_ids(&[0, 0, 0, 0, 0, 1, 1], 2);
    let text = "[columns]\nq = \"quasi\"\ns = \"sensitive\"\n[[require]]\ncriterion = \"alpha-k-anonymity\"\nalpha = 1\nk = 5\n";
    let plan = plan(text).unwrap();
    let found = audit_groups(&rows, &plan.schema, &groups, &plan.requirements, Path::new(".")).unwrap();
    assert_eq!(found.criteria[0].verdict.worst.unwrap().size, 2);
}

#[test]
fn equal_numbers_are_one_sensitive_value_and_two_quasi_identifiers() {
    let rows = table(&[("q", &["1", "1.0", "2.5"]), ("s", &["3", "3.0", "0.5"])]);
    let text = |criterion: &str| format!("[columns]\nq = \"quasi\"\ns = \"sensitive\"\n[[require]]\n{criterion}\n");
    assert_eq!(verdict(&text("criterion = \"k-anonymity\"\nk = 1"), &rows, Path::new(".")).measured, Some(1.0));
    let one = table(&[("q", &["1", "1", "2"]), ("s", &["3", "3.0", "0.5"])]);
    let distinct = text("criterion = \"distinct-l-diversity\"\nl = 2");
    assert_eq!(verdict(&distinct, &one, Path::new(".")).measured, Some(1.0));
}

#[test]
fn many_dont_care_values_cost_no_square() {
    let mut values: Vec<String> = (0..60_000).map(|at| format!("v{at}")).collect();
    values.extend(std::iter::repeat_n("hiv".to_string(), 1000));
    let rows =
        Table::new(vec![Column::from_values("q", values.iter().map(|_| "*")), Column::from_values("s", &values)]);
    let text = "[columns]\nq = \"quasi\"\ns = { role = \"sensitive\", sensitive_values = [\"hiv\"] }\n\
                [[require]]\ncriterion = \"entropy-l-diversity\"\nl = 2\n";
    let start = std::time::Instant::now();
    assert!(verdict(text, &rows.unwrap(), Path::new(".")).holds);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
