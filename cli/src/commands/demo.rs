//! `sfumato demo`: the main job on made-up data.

use crate::output::{Output, working};
use clap::Args;
use sfumato::data::{Table, sample};
use sfumato::inspect::inspect;
use sfumato::report::{audit_text, profile_text};
use sfumato::{Plan, Result, audit};
use std::path::Path;
use std::process::ExitCode;

/// See it work on 20,000 made-up hospital patients: profile the table, check it raw and generalized
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  sfumato demo\n  sfumato demo --rows 1000000")]
pub struct Arguments {
    /// How many patients to make up.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
}

const PLAN: &str = include_str!("demo.toml");

/// Levels of the generalized table: coarse enough for groups, fine enough for use.
const LEVELS: [(&str, usize); 6] =
    [("age", 3), ("sex", 0), ("zip", 3), ("nationality", 1), ("marital-status", 1), ("admitted", 5)];

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let plan = Plan::parse(PLAN, Path::new("."))?;
    let table = working("making up patients", || sample::hospital(arguments.rows as usize, 1));

    output.heading("1. The table (no row describes a real person)")?;
    output.text(&format!("\n{}\n", profile_text(&inspect(&table))))?;

    output.heading("2. As it stands: names are gone, yet nearly everybody is alone")?;
    let raw = audit(&table, &plan.schema, &plan.requirements, &plan.folder)?;
    output.text(&format!("\n{}\n", audit_text(&raw)))?;

    output.heading(
        "3. Generalized: ages in spans of 20 years, two digits of the postal code, no nationality, marital status or date",
    )?;
    let coarse = generalized(&table, &plan)?;
    let safe = audit(&coarse, &plan.schema, &plan.requirements, &plan.folder)?;
    output.text(&format!("\n{}\n", audit_text(&safe)))?;
    output.text("Next: `sfumato init YOUR.csv` drafts a plan for your table, `sfumato check YOUR.csv --plan plan.toml` checks it.\n")?;
    Ok(ExitCode::SUCCESS)
}

fn generalized(table: &Table, plan: &Plan) -> Result<Table> {
    LEVELS.iter().try_fold(table.clone(), |table, (name, level)| {
        let column = table.column(name)?;
        let coarser = plan.schema.hierarchy(column)?.generalize(column, *level);
        table.with_column(coarser)
    })
}
