//! Plans.

use crate::support::{CANARY, check_fault, in_memory};
use sfumato::data::hierarchy::Hierarchy;
use sfumato::data::{Column, Table};
use sfumato::plan::{Plan, SetPlan};
use sfumato::publish::transactions::{ObservedSets, sensitive_items};
use sfumato::transactions::sample::purchases;
use sfumato::{Error, Result, TablePlan, audit};
use std::path::Path;
use tempfile::TempDir;

/// Checks a plan: it is refused with a line, or what it says can be bound to data. No cell of the
/// data is in an error, unless the plan itself has it.
pub fn plan(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    FOLDER.with(|folder| {
        let checked = Plan::parse(text, folder.path()).and_then(|plan| match plan {
            Plan::Table(plan) => check_table(&plan),
            Plan::Sets(plan) => check_transactions(&plan),
        });
        if let Err(error) = checked {
            check(&error, text);
        }
    });
}

thread_local! {
    static FOLDER: TempDir = with_files();
}

/// A folder with files that a plan may name.
fn with_files() -> TempDir {
    let folder = in_memory();
    for (name, text) in [
        ("zip.csv", "13053;130**;*\n13068;130**;*\n14850;148**;*\n14853;148**;*\n"),
        ("names.txt", "condom\nfruits\n"),
        ("taxonomy.txt", "bread;food;*\nmilk;food;*\nflour;food;*\nfruits;food;*\n"),
    ] {
        std::fs::write(folder.path().join(name), text).expect("room for a file");
    }
    folder
}

fn check(error: &Error, text: &str) {
    check_fault(error);
    let told = error.to_string();
    assert!(text.contains(CANARY) || !told.contains(CANARY), "a cell is told: {told}");
}

fn check_table(plan: &TablePlan) -> Result<()> {
    let table = table();
    for spec in plan.schema.columns() {
        if let (Some(rule), Some(column)) = (&spec.rule, table.find(&spec.name)) {
            Hierarchy::bind(&**rule, column)?;
        }
    }
    table.check_types(&plan.options.types)?;
    table.check_written(&plan.options.written)?;
    plan.check_requires()?;
    audit(&table, &plan.schema, &plan.requirements, &plan.folder).map(drop)
}

/// A small table with all types of columns, and cells that no message may hold.
fn table() -> Table {
    let hidden = [CANARY, "flu", "cancer", CANARY, "flu", "asthma"];
    Table::new(vec![
        Column::from_values("name", [CANARY, "b", "c", "d", "e", "f"]),
        Column::from_values("zip", ["13053", "13068", "14850", "14853", "13053", "13068"]),
        Column::from_values("age", ["47", "-3", "0", "62", "47", "31"]),
        Column::from_values("income", ["1.5", "2.25", "1e3", "-0.5", "0", "7"]),
        Column::from_values(
            "born",
            ["1970-01-01", "2001-12-31", "1999-02-28", "1970-01-02", "2020-02-29", "1970-01-01"],
        ),
        Column::from_values("sex", ["f", "m", "f", "m", "f", "m"]),
        Column::from_values("disease", hidden),
        Column::from_values("drug", hidden),
    ])
    .expect("a table")
}

fn check_transactions(plan: &SetPlan) -> Result<()> {
    let bought = purchases();
    plan.demand()?;
    let _: Vec<_> = plan.files().iter().map(|path| path.starts_with(Path::new("/"))).collect();
    let names = plan.sensitive_names(&bought)?;
    let sensitive = sensitive_items(&bought, &names)?;
    let answers = ObservedSets::raw(&bought, &sensitive).answers(&plan.requirements)?;
    assert_eq!(answers.len(), plan.requirements.len());
    Ok(())
}
