//! `sfumato publish`: from a plan to a release directory, or to nothing.

use super::{check_page, formats, write_page};
use crate::output::{Output, working};
use clap::Args;
use sfumato::chance::Chance;
use sfumato::report::html::{Audience, report_html};
use sfumato::report::publication_text;
use sfumato::{Error, Fault, Plan, Result, publish, release};
use std::path::PathBuf;
use std::process::ExitCode;

/// Publish a table by a plan: generalize, audit, attack, and write a release directory if it survives
///
/// The directory holds the published table, certificate.json and report.html. It appears whole or not at all.
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato publish plan.toml --out release\n  \
    sfumato publish plan.toml --data patients-2026.csv --out release-2026\n  \
    sfumato publish plan.toml --out release --replace --internal-report internal.html\n  \
    sfumato publish plan.toml --out release --json | jq .method.levels")]
pub struct Arguments {
    /// The plan.
    plan: PathBuf,
    /// The release directory to make.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The table; the one that the plan names if not said.
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Replace a release that is there.
    #[arg(long)]
    replace: bool,
    /// Also write a report with every figure, for yourself: it is not for release.
    #[arg(long, value_name = "FILE")]
    internal_report: Option<PathBuf>,
    /// Make random choices with this seed, for experiments: whoever knows it undoes them, and the certificate says so.
    #[arg(long, value_name = "SEED")]
    insecure_seed: Option<u64>,
    /// Print the certificate as one JSON document.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let plan = Plan::read(&arguments.plan)?;
    let in_plan = |error: Error| if error.fault() == Fault::Plan { error.file(&arguments.plan) } else { error };
    let mut publishing = plan.publishing().map_err(in_plan)?;
    if let Some(seed) = arguments.insecure_seed {
        publishing.chance = Chance::insecure(seed);
    }
    let data = arguments.data.as_ref().or(plan.data.as_ref()).ok_or_else(|| {
        let error = Error::plan("no table is named").file(&arguments.plan);
        error.help("name one with --data, or under [data] path in the plan")
    })?;
    let inputs = [arguments.plan.clone(), data.clone()];
    if let Some(path) = &arguments.internal_report {
        check_page(path, &inputs, Some(&arguments.out))?;
    }
    let table = working(&format!("reading {}", data.display()), || formats().read(data, &plan.options))?;
    let in_data = |error: Error| if error.fault() == Fault::Data { error.file(data) } else { in_plan(error) };
    let made =
        working("forming safe groups, attacking the result", || publish::make(&plan, &publishing, &table, &formats()))
            .map_err(in_data)?;
    if let Some(path) = &arguments.internal_report {
        write_page(path, &report_html(&made.publication, Audience::Internal, "Release report"))?;
    }
    let order = release::Order {
        plan: &plan,
        publishing: &publishing,
        table: &table,
        target: &arguments.out,
        replace: arguments.replace,
        inputs: &inputs,
    };
    let certificate = working("writing and verifying the release", || release::write(&made, &order, &formats()))?;
    if arguments.json {
        output.json(&certificate)?;
    } else {
        output.text(&publication_text(&made.publication))?;
        let seal = certificate["seal"].as_str().unwrap_or_default();
        output.text(&format!("\nRelease: {}\nSeal:    {seal}\n", arguments.out.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
