//! Means and medians in the place of ranges: what is published, what holds of it, and what is
//! refused.

use crate::support::cases;
use proptest::prelude::*;
use sfumato::anonymize;
use sfumato::attack::{self, ChosenAttack};
use sfumato::chance::Chance;
use sfumato::data::{Column, Formats, Table};
use sfumato::kind::Raw;
use sfumato::publish::Made;
use sfumato::release::{self, Destination};
use sfumato::{Fault, Result, TablePlan, publish};
use std::collections::BTreeMap;
use std::path::Path;

const COLUMNS: &str = "[columns]\nage = { role = \"quasi\", label = \"mean\" }\n\
    pay = { role = \"quasi\", label = \"median\" }\njob = \"quasi\"\ndisease = \"sensitive\"\n";

const K: &str = "[[require]]\ncriterion = \"k-anonymity\"\nk = 3\n";

fn plan(columns: &str, sections: &str) -> Result<TablePlan> {
    let mut plan = TablePlan::parse(&format!("{columns}{sections}"), Path::new("."))?;
    plan.publishing.chance = Chance::insecure(1);
    Ok(plan)
}

fn made(columns: &str, sections: &str, table: &Table) -> Result<Made> {
    publish::make(&plan(columns, sections)?, table, &Formats::default())?.pass()
}

fn table(rows: &[(u32, u32, u8, u8)]) -> Table {
    Table::new(vec![
        Column::from_values("age", rows.iter().map(|row| row.0.to_string())),
        Column::from_values("pay", rows.iter().map(|row| format!("{}.5", row.1))),
        Column::from_values("job", rows.iter().map(|row| ["cook", "nurse"][usize::from(row.2 % 2)])),
        Column::from_values("disease", rows.iter().map(|row| ["flu", "cold", "ulcer"][usize::from(row.3 % 3)])),
    ])
    .unwrap()
}

fn people(records: u32) -> Table {
    let row = |at: u32| (18 + at * 37 % 61, at * 71 % 97, (at * 13 % 7) as u8, (at * 29 % 11) as u8);
    table(&(0..records).map(row).collect::<Vec<_>>())
}

/// Every method that forms groups, by name.
fn by_groups() -> impl Iterator<Item = &'static str> {
    let forms_groups =
        |name: &&str| anonymize::ChosenMethod::new(name, &[]).is_ok_and(|method| !method.chooses_levels());
    anonymize::KINDS.iter().map(|kind| kind.name).filter(forms_groups)
}

fn message(result: Result<Made>) -> String {
    result.err().expect("refused").to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(12)))]

    /// The groups that everybody sees in the published table have k records, and the numbers of
    /// each add up: a mean is the mean of all records that have it, up to rounding.
    #[test]
    fn what_is_published_is_k_anonymous(
        rows in proptest::collection::vec((0u32..30, 0u32..9, 0u8..2, 0u8..3), 6..60),
    ) {
        let table = table(&rows);
        for method in by_groups() {
            let sections = format!("{K}[method]\nname = \"{method}\"\n");
            let Ok(made) = made(COLUMNS, &sections, &table) else { continue };
            let published = &made.recoded.table;
            let mut groups: BTreeMap<Vec<String>, Vec<u32>> = BTreeMap::new();
            for (at, &row) in made.recoded.row_of.iter().enumerate() {
                let labels = ["age", "pay", "job"].map(|name| published.column(name).unwrap().value(at).to_string());
                groups.entry(labels.to_vec()).or_default().push(row);
            }
            for (labels, members) in groups {
                prop_assert!(members.len() >= 3, "{method}: {labels:?}");
                let sum: u32 = members.iter().map(|&row| rows[row as usize].0).sum();
                let mean = f64::from(sum) / members.len() as f64;
                prop_assert!((mean - labels[0].parse::<f64>().unwrap()).abs() <= 0.05 + 1e-9, "{method}: {labels:?}");
            }
        }
    }
}

/// Groups with equal means are one group to everybody, and what is stated is about that.
#[test]
fn groups_with_equal_labels_are_one_group() {
    let ages = Column::from_values("age", ["1", "2", "18", "19", "10", "10"]);
    let diseases = Column::from_values("disease", ["flu", "cold", "flu", "cold", "flu", "cold"]);
    let table = Table::new(vec![ages, diseases]).unwrap();
    let columns = "[columns]\nage = { role = \"quasi\", label = \"mean\" }\ndisease = \"sensitive\"\n";
    let all = "[[require]]\ncriterion = \"k-anonymity\"\nk = 6\n[method]\nname = \"base\"\n";
    let one = made(columns, all, &table).unwrap();
    assert_eq!(one.recoded.table.column("age").unwrap().value(0), "10");
    assert_eq!(one.publication.groups, 1);
    // Anatomy joins a flu and a cold whatever the ages: some means may be equal.
    let two = "[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n[method]\nname = \"anatomy\"\n";
    let made = made(columns, two, &table).unwrap();
    let labels = made.recoded.table.column("age").unwrap();
    assert_eq!(made.publication.groups, labels.domain().len());
}

/// Where values differ within groups, information kept counts a mean as nothing, a note says so,
/// and another one tells the custodian how much of the variance is kept.
#[test]
fn information_kept_is_a_lower_bound() {
    let made = made(COLUMNS, &format!("{K}[method]\nname = \"mdav\"\n"), &people(90)).unwrap();
    let kept = |name: &str| {
        let report = made.publication.columns.iter().find(|report| report.name == name).unwrap();
        (report.kept.unwrap(), report.ruler.clone().unwrap().name())
    };
    assert_eq!((kept("age"), kept("pay")), ((0.0, "mean"), (0.0, "median")));
    assert!(kept("job").0 > 0.0);
    let says = |part: &str| made.publication.notes.iter().any(|note| note.contains(part));
    assert!(says("does not say between which values"), "{:?}", made.publication.notes);
    assert!(says("% of the variance"), "{:?}", made.publication.notes);
}

/// A release with means is written, verified from its files, and says which labels are means.
#[test]
fn a_release_with_means_verifies() {
    let table = people(90);
    for method in by_groups() {
        let plan = plan(COLUMNS, &format!("{K}[method]\nname = \"{method}\"\n")).unwrap();
        let formats = Formats::default();
        let made = match publish::make(&plan, &table, &formats).and_then(|draft| draft.pass()) {
            Err(error) if error.fault() == Fault::Infeasible => continue,
            made => made.unwrap(),
        };
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("release");
        release::write(&made, &plan, &Destination::new(&target), &formats).unwrap();
        let verified = release::verify(&target, &formats).unwrap();
        assert!(verified.holds(), "{method}");
        let certificate = std::fs::read_to_string(target.join("certificate.json")).unwrap();
        assert!(certificate.contains("\"measured_by\": \"mean\""), "{method}");
        assert!(certificate.contains("does not say between which values"), "{method}");
        assert!(!certificate.contains("of the variance"), "{method}: that is for the custodian");
        let register = [("register", Raw::from("people.csv"))];
        let linkage = ChosenAttack::of(attack::find("linkage").unwrap(), &register).unwrap();
        let refused = release::attack(&target, &[linkage], &formats).err().unwrap().to_string();
        assert!(refused.contains("means or medians"), "{refused}");
    }
}

#[test]
fn what_a_mean_cannot_be_is_refused() {
    let table = people(60);
    let refused = |columns: &str, sections: &str, parts: &[&str]| {
        let message = message(made(columns, sections, &table));
        parts.iter().for_each(|part| assert!(message.contains(part), "{message:?} lacks {part:?}"));
    };
    let by = |method: &str| format!("{K}[method]\nname = \"{method}\"\n");
    for method in ["optimal", "incognito"] {
        refused(COLUMNS, &by(method), &["\"age\": `label` has no effect", "forms no groups"]);
    }
    let bucketized = format!("{}[release]\nform = \"bucketized\"\n", by("anatomy"));
    refused(COLUMNS, &bucketized, &["`label` has no effect", "record by record"]);
    refused(COLUMNS, &format!("{}cells = true\n", by("local-recoding")), &["`label` has no effect", "`cells`"]);
    let age = |words: &str| format!("[columns]\nage = {{ role = \"quasi\", label = \"mean\", {words} }}\n");
    refused(&age("hierarchy = { intervals = [5, 10] }"), &by("mondrian"), &["`hierarchy` has no effect"]);
    let coarse = age("hierarchy = { intervals = [5, 10] }, levels = [1, 3]");
    refused(&coarse, &by("mondrian"), &["`levels`", "may tell more"]);
    refused("[columns]\njob = { role = \"quasi\", label = \"mean\" }\n", &by("mdav"), &["no numbers"]);
    refused("[columns]\nage = { role = \"quasi\", label = \"mode\" }\n", &by("mdav"), &["mean", "median"]);
    refused("[columns]\nage = { role = \"sensitive\", label = \"mean\" }\n", &by("mdav"), &["`label` has no effect"]);
    let register = format!("{}[[attack]]\nattack = \"linkage\"\nregister = \"people.csv\"\n", by("mdav"));
    refused(COLUMNS, &register, &["linkage cannot be made", "register"]);
}

/// Hierarchies steer a method that goes by them, and means are published all the same.
#[test]
fn hierarchies_may_steer_groups() {
    let columns = "[columns]\nage = { role = \"quasi\", label = \"mean\", hierarchy = { intervals = [10, 20] } }\n\
        disease = \"sensitive\"\n";
    let made = made(columns, &format!("{K}[method]\nname = \"local-recoding\"\n"), &people(90)).unwrap();
    assert!(made.publication.groups > 1);
    let ages = made.recoded.table.column("age").unwrap();
    assert!(ages.domain().labels().iter().all(|label| label.parse::<f64>().is_ok()));
    // Nobody said by which method: one that forms groups is taken.
    let open = self::made(COLUMNS, K, &people(90)).unwrap();
    assert!(open.recoded.table.column("age").unwrap().domain().labels().iter().all(|age| age.parse::<f64>().is_ok()));
}
