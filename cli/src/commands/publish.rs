//! `sfumato publish`: from a plan to a release directory, or to nothing.

use super::{check_page, formats, write_whole};
use crate::output::{Output, working};
use clap::Args;
use sfumato::chance::Chance;
use sfumato::plan::{AnyPlan, TransactionPlan};
use sfumato::release::directory::check_target;
use sfumato::report::html::{Audience, report_html, transactions_html};
use sfumato::report::publication_text;
use sfumato::{Error, Fault, Plan, Result, publish, release, report};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Publish a table, or transactions, by a plan: change, audit, attack, and write a release directory if it survives
///
/// The directory holds what is published (data.csv or another format; data.dat of transactions), certificate.json and report.html. It appears whole or not at all.
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

impl Arguments {
    /// The file to publish: the one that the user names, else the plan's.
    fn data<'a>(&'a self, planned: Option<&'a PathBuf>) -> Result<&'a PathBuf> {
        self.data.as_ref().or(planned).ok_or_else(|| {
            let error = Error::plan("no table is named").file(&self.plan);
            error.help("name one with --data, or under [data] path in the plan")
        })
    }

    /// Whose fault an error is.
    fn blame(&self, error: Error, data: &Path) -> Error {
        match error.fault() {
            Fault::Plan => error.file(&self.plan),
            Fault::Data => error.file(data),
            _ => error,
        }
    }
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let plan = AnyPlan::read(&arguments.plan)?;
    check_target(&arguments.out, arguments.replace)?;
    match plan {
        AnyPlan::Table(plan) => publish_table(arguments, &plan, output),
        AnyPlan::Transactions(plan) => publish_transactions(arguments, *plan, output),
    }
}

/// Prints the certificate, or a text and where the release is.
fn print(arguments: &Arguments, output: &mut Output, certificate: &serde_json::Value, text: &str) -> Result<ExitCode> {
    let printed = if arguments.json {
        output.json(certificate)
    } else {
        let seal = certificate["seal"].as_str().unwrap_or_default();
        output.text(&format!("{text}\nRelease: {}\nSeal:    {seal}\n", arguments.out.display()))
    };
    // Whoever reads this error must not publish again.
    let is_there =
        |error: Error| error.help(format!("the release is whole and in its place: {}", arguments.out.display()));
    printed.map(|()| ExitCode::SUCCESS).map_err(is_there)
}

fn publish_transactions(arguments: &Arguments, mut plan: TransactionPlan, output: &mut Output) -> Result<ExitCode> {
    if let Some(seed) = arguments.insecure_seed {
        plan.chance = Chance::insecure(seed);
    }
    let data = arguments.data(plan.data.as_ref())?;
    let inputs: Vec<PathBuf> = [arguments.plan.clone(), data.clone()].into_iter().chain(plan.files()).collect();
    if let Some(path) = &arguments.internal_report {
        check_page(path, &inputs, Some(&arguments.out))?;
    }
    let read = working(&format!("reading {}", data.display()), || plan.layout.read(data, &formats()))
        .map_err(|error| arguments.blame(error, data))?;
    let made = working("changing records until they are safe, attacking the result", || {
        publish::transactions::make(&plan, &read)
    })
    .map_err(|error| arguments.blame(error, data))?;
    if let Some(path) = &arguments.internal_report {
        write_whole(path, &transactions_html(&made.publication, Audience::Internal, "Release report"))?;
    }
    let place = release::Place { target: &arguments.out, replace: arguments.replace, inputs: &inputs };
    let written = || release::transactions::write(&made, &place, &formats());
    let certificate = working("writing and verifying the release", written)?;
    print(arguments, output, &certificate, &report::transactions::publication_text(&made.publication))
}

fn publish_table(arguments: &Arguments, plan: &Plan, output: &mut Output) -> Result<ExitCode> {
    let in_plan = |error: Error| if error.fault() == Fault::Plan { error.file(&arguments.plan) } else { error };
    let mut publishing = plan.publishing().map_err(in_plan)?;
    if let Some(seed) = arguments.insecure_seed {
        publishing.chance = Chance::insecure(seed);
    }
    let data = arguments.data(plan.data.as_ref())?;
    let named = plan.files(&publishing);
    let inputs: Vec<PathBuf> = [arguments.plan.clone(), data.clone()].into_iter().chain(named).collect();
    if let Some(path) = &arguments.internal_report {
        check_page(path, &inputs, Some(&arguments.out))?;
    }
    let table = working(&format!("reading {}", data.display()), || formats().read(data, &plan.options))?;
    let made =
        working("forming safe groups, attacking the result", || publish::make(plan, &publishing, &table, &formats()))
            .map_err(|error| arguments.blame(error, data))?;
    if let Some(path) = &arguments.internal_report {
        write_whole(path, &report_html(&made.publication, Audience::Internal, "Release report"))?;
    }
    let order = release::Order {
        plan,
        publishing: &publishing,
        target: &arguments.out,
        replace: arguments.replace,
        inputs: &inputs,
    };
    let certificate = working("writing and verifying the release", || release::write(&made, &order, &formats()))?;
    print(arguments, output, &certificate, &publication_text(&made.publication))
}
