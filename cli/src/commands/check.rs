//! `sfumato check`: does a table, whoever made it, satisfy the criteria of a plan?

use super::grouped::{Files, Source};
use super::transactions;
use crate::output::Output;
use crate::progress::working;
use clap::Args;
use sfumato::criterion::people::refuse_unused;
use sfumato::plan::{Plan, SetPlan};
use sfumato::report::transactions::{check_json, check_text};
use sfumato::report::{audit_json, audit_text};
use sfumato::{Audit, Result, TablePlan, audit::audit_groups};
use std::process::ExitCode;

/// Check whether a table, or transactions, satisfy the criteria of a plan
///
/// Rows with equal quasi-identifiers, as they stand in the file, form a group; every criterion is
/// checked on all groups. This works on raw data and on any tool's release. For each criterion the
/// measured value is the limit: no stricter parameter would hold. Where the plan is about
/// transactions, the data are lines of items (or the folder of their release), and every rule about
/// a sensitive item is checked.
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato check patients.csv --plan plan.toml\n  \
    sfumato check release.parquet --plan plan.toml --json | jq .holds\n  \
    sfumato check release --plan plan.toml                             (the folder of a release)\n  \
    sfumato check release/quasi.csv --plan plan.toml --groups group    (with sensitive.csv beside it)\n  \
    sfumato check table.csv --plan plan.toml --groups cluster          (groups are given by a column)\n\n\
    EXIT CODES\n  0 every criterion holds, 1 one does not, 2 usage or plan, 3 input data, 7 reading")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    match Plan::read(&arguments.source.plan)? {
        Plan::Table(plan) => check_table(arguments, &plan, output),
        Plan::Sets(plan) => check_transactions(arguments, &plan, output),
    }
}

fn check_transactions(arguments: &Arguments, plan: &SetPlan, output: &mut Output) -> Result<ExitCode> {
    let source = &arguments.source;
    plan.demand().map_err(|error| error.file(&source.plan))?;
    let seen = transactions::see(plan, &source.plan, source.without_groups()?)?;
    let answers = working("checking", || seen.answers(&plan.requirements))?;
    if arguments.json {
        output.json(&check_json(&seen, &answers))?;
    } else {
        output.text(&check_text(&seen, &answers))?;
    }
    Ok(ExitCode::from(u8::from(!answers.iter().all(|answer| answer.holds))))
}

fn check_table(arguments: &Arguments, plan: &TablePlan, output: &mut Output) -> Result<ExitCode> {
    let files = Files::find(&arguments.source, plan)?;
    let found = look(&arguments.source, plan, &files).map_err(|error| arguments.source.blame(&files, error))?;
    if arguments.json {
        output.json(&audit_json(&found))?;
    } else {
        output.text(&audit_text(&found))?;
    }
    Ok(ExitCode::from(u8::from(!found.holds())))
}

fn look(source: &Source, plan: &TablePlan, files: &Files) -> Result<Audit> {
    let needed: Vec<&str> = plan.requirements.iter().flat_map(|wanted| wanted.on.iter().map(String::as_str)).collect();
    let grouped = source.read(plan, files, &needed)?;
    plan.check_requires()?;
    for wanted in &plan.requirements {
        if let Some(separator) = wanted.separator() {
            refuse_unused(grouped.table.column(&wanted.on[0])?, separator)?;
        }
    }
    working("checking", || {
        let groups = grouped.groups(&plan.schema)?;
        audit_groups(&grouped.table, &plan.schema, &groups, &plan.requirements, &plan.folder)
    })
}
