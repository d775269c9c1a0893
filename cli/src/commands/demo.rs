//! `sfumato demo`: the main job on made-up data.

use super::formats;
use crate::output::Output;
use crate::progress::working;
use clap::Args;
use sfumato::data::sample;
use sfumato::inspect::inspect;
use sfumato::release::Destination;
use sfumato::report::{audit_text, profile_text, publication_text};
use sfumato::{Error, Result, TablePlan, audit, publish, release};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// See it work on 20,000 made-up hospital patients: look at the table, check it as it stands,
/// publish it safely
///
/// Leaves a folder with the table, the plan and the release, to try everything else on.
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  sfumato demo\n  sfumato demo --rows 1000000 --out big-demo")]
pub struct Arguments {
    /// How many patients to make up.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    /// The folder to leave.
    #[arg(long, value_name = "DIR", default_value = "sfumato-demo")]
    out: PathBuf,
}

const PLAN: &str = include_str!("demo.toml");

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let (table_path, plan_path) = (arguments.out.join("patients.csv"), arguments.out.join("plan.toml"));
    make_folder(&arguments.out, &plan_path)?;
    let table = working("making up patients", || sample::hospital(arguments.rows as usize, 1));
    formats().write(&table, &table_path)?;
    std::fs::write(&plan_path, PLAN).map_err(|error| Error::io(&error, &plan_path))?;
    let plan = TablePlan::read(&plan_path)?;

    output.heading("1. The table (no row describes a real person)")?;
    output.text(&format!("\n{}\n", profile_text(&inspect(&table))))?;

    output.heading("2. As it stands: names are gone, yet nearly everybody is alone")?;
    let raw = audit(&table, &plan.schema, &plan.requirements, &plan.folder)?;
    output.text(&format!("\n{}\n", audit_text(&raw)))?;

    output.heading("3. Published, and attacked before anybody else can")?;
    let made = working("looking for a release, attacking it", || publish::make(&plan, &table, &formats())?.pass())?;
    let target = arguments.out.join("release");
    let inputs = [plan_path.clone(), table_path.clone()];
    let place = Destination { replace: true, inputs: &inputs, ..Destination::new(&target) };
    working("writing and verifying the release", || release::write(&made, &plan, &place, &formats()))?;
    output.text(&format!("\n{}", publication_text(&made.publication)))?;
    output.text(&next_steps(&arguments.out))?;
    Ok(ExitCode::SUCCESS)
}

/// A new folder, or one that a demo left.
fn make_folder(folder: &Path, plan: &Path) -> Result<()> {
    if folder.exists() && std::fs::read_to_string(plan).ok().as_deref() != Some(PLAN) {
        let error = Error::plan("is there already, and is not as a demo left it").file(folder);
        return Err(error.help("choose another folder with --out"));
    }
    std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, folder))
}

fn next_steps(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "\nLeft in {folder}: patients.csv, plan.toml and release (data.csv, certificate.json, report.html). Try:\n\n    \
         open {folder}/release/report.html in a browser\n    \
         sfumato verify {folder}/release\n    \
         sfumato publish {folder}/plan.toml --out another-release      after changing the plan\n    \
         sfumato compare {folder}/release another-release\n    \
         sfumato init YOUR.csv                                        a first plan for your table\n"
    )
}
