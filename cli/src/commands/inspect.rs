//! `sfumato inspect`: what is in a table, who stands out in it, and whether its sensitive values
//! are too skewed.

use super::transactions::{self, has_transactions};
use super::{READING, ReadArguments, formats, only_path, reading};
use crate::output::Output;
use crate::progress::working;
use clap::Args;
use clap::builder::PossibleValuesParser;
use sfumato::data::{Role, Table};
use sfumato::inspect::{
    Eligibility, Period, batches, date_columns, eligibility, inspect, inspect_transactions, population,
};
use sfumato::report::{
    eligibility_json, eligibility_text, population_json, population_text, profile_json, profile_text,
};
use sfumato::{Error, Fault, Result, TablePlan, report};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Look at a table: types, shares, how identifying its columns are, and which roles suggest
/// themselves
///
/// With --eligibility: whether a sensitive value is so frequent that no grouping can hide it, how
/// many records each way to suppress would withhold, and what that would tell. No cell is printed,
/// only counts and shares.
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato inspect patients.csv\n  \
    sfumato inspect adult.data --no-header --trim --missing '?'\n  \
    sfumato inspect patients.parquet --json\n  \
    sfumato inspect 'visits-*.csv.gz'\n  \
    sfumato inspect hospital.xlsx --sheet Patients\n  \
    psql -c 'COPY patients TO STDOUT CSV HEADER' | sfumato inspect -\n  \
    sfumato inspect --plan plan.toml --eligibility 3\n  \
    sfumato inspect --plan plan.toml --population 300000\n  \
    sfumato inspect patients.csv --on disease --eligibility 2 --json | jq .eligible")]
pub struct Arguments {
    /// The table: .csv, .tsv, .jsonl, also .gz or .zst, .parquet, .arrow, .xlsx, .sqlite; several files
    /// as one by a pattern in quotes or by their folder; - for standard input. Or transactions: .dat.
    /// With --plan, the plan's if none is named.
    #[arg(required_unless_present = "plan")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    read: ReadArguments,
    /// Estimate how many of so many people are unique, of whom the table is a sample: by the
    /// quasi-identifiers of the plan.
    #[arg(long, value_name = "PEOPLE", requires = "plan", conflicts_with = "eligibility", group = "asked")]
    population: Option<u64>,
    #[command(flatten)]
    skew: Box<SkewArguments>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// Questions about the skew of sensitive values.
#[derive(Args)]
pub struct SkewArguments {
    /// Check whether any sensitive value has more than 1/L of the records, and what to withhold
    /// in that case.
    #[arg(long, value_name = "L", value_parser = parse_l, allow_negative_numbers = true, group = "asked")]
    eligibility: Option<u64>,
    /// The plan that says how to read the table and which columns are sensitive.
    #[arg(long, value_name = "PLAN", requires = "asked")]
    #[arg(conflicts_with_all = READING)]
    plan: Option<PathBuf>,
    /// The sensitive column; all those of the plan by default.
    #[arg(long, value_name = "COLUMN", requires = "eligibility")]
    on: Option<String>,
    /// Also look at batches of records with the same day, week or month in this column of dates.
    #[arg(long, value_name = "COLUMN", requires = "eligibility")]
    dates: Option<String>,
    /// Only batches of this length.
    #[arg(long, requires = "dates", value_parser = PossibleValuesParser::new(Period::NAMES))]
    batches: Option<String>,
}

fn parse_l(text: &str) -> std::result::Result<u64, String> {
    let l = text.parse().ok().filter(|l| *l >= 2);
    l.ok_or_else(|| "a whole number, at least 2".to_string())
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    match (arguments.skew.eligibility, arguments.population) {
        (Some(l), _) => look_at_skew(arguments, l, output)?,
        (None, Some(people)) => look_at_population(arguments, people, output)?,
        (None, None) => look_at_columns(arguments, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn look_at_columns(arguments: &Arguments, output: &mut Output) -> Result<()> {
    let path = only_path(&arguments.data)?;
    if has_transactions(path) {
        let read = transactions::read(path, &arguments.read)?;
        let profile = working("looking at records", || inspect_transactions(&read));
        return match arguments.json {
            true => output.json(&report::transactions::profile_json(&profile)),
            false => output.text(&report::transactions::profile_text(&profile)),
        };
    }
    let options = arguments.read.options();
    let read = || formats().read_guessing(path, &options);
    let (table, used) = working(&reading(path), read)?;
    let mut profile = working("looking at columns and their combinations", || inspect(&table));
    if let Some(encoding) = used.encoding.filter(|_| options.encoding.is_none()) {
        let name = encoding.name();
        profile.notes.insert(
            0,
            format!(
                "The text is not valid UTF-8 and was read as {name}: look at letters such as ä and é. A plan must say so: encoding = \"{name}\" under [data]."
            ),
        );
    }
    if arguments.json { output.json(&profile_json(&profile)) } else { output.text(&profile_text(&profile)) }
}

fn look_at_population(arguments: &Arguments, people: u64, output: &mut Output) -> Result<()> {
    let path = arguments.skew.plan.as_deref().expect("required with it");
    let plan = TablePlan::read(path)?;
    let data = one_table(&arguments.data, plan.data.as_deref())?;
    let table = working(&reading(data), || formats().read(data, &plan.options))?;
    let found = working("looking at quasi-identifiers", || {
        let prepared = plan.schema.prepare(&table)?;
        population(&plan.schema.quasi(&prepared)?, prepared.rows(), people)
    });
    let found = found.map_err(|error| blame(error, data, Some(path)))?;
    if arguments.json { output.json(&population_json(&found)) } else { output.text(&population_text(&found)) }
}

/// The table that the command names, else that of the plan.
fn one_table<'a>(named: &'a [PathBuf], of_plan: Option<&'a Path>) -> Result<&'a Path> {
    match (named, of_plan) {
        ([], Some(of_plan)) => Ok(of_plan),
        ([], None) => {
            let error = Error::plan("which table? neither the command nor the plan names one");
            Err(error.help("name it before the options, or under [data] path of the plan"))
        }
        (named, _) => only_path(named),
    }
}

fn look_at_skew(arguments: &Arguments, l: u64, output: &mut Output) -> Result<()> {
    let asked = &arguments.skew;
    let plan = asked.plan.as_deref().map(TablePlan::read).transpose()?;
    let of_plan = plan.as_ref().and_then(|plan| plan.data.as_deref());
    let path = one_table(&arguments.data, of_plan)?;
    let columns = columns(asked, plan.as_ref())?;
    let options = plan.as_ref().map_or_else(|| arguments.read.options(), |plan| plan.options.clone());
    let table = working(&reading(path), || formats().read(path, &options))?;
    let blame = |error: Error| blame(error, path, asked.plan.as_deref());
    let table = match &plan {
        Some(plan) => plan.schema.prepare(&table).map_err(blame)?.into_owned(),
        None => table,
    };
    let found = working("looking at sensitive values", || {
        columns.iter().map(|column| look(&table, column, l, asked)).collect::<Result<Vec<_>>>()
    });
    let found = found.map_err(blame)?;
    let unasked = if asked.dates.is_none() { date_columns(&table) } else { Vec::new() };
    if arguments.json {
        output.json(&eligibility_json(&found))
    } else {
        output.text(&(eligibility_text(&found, &unasked) + &unprotected(plan.as_ref(), &columns)))
    }
}

/// That not every value needs protection, where the plan says so: then a table may be publishable
/// that is not eligible.
fn unprotected(plan: Option<&TablePlan>, columns: &[String]) -> String {
    let specs = columns.iter().filter_map(|name| plan?.schema.find(name));
    let partly = specs.filter(|spec| !spec.sensitive_values.is_empty()).map(|spec| {
        format!("\nThe plan protects only some values of {} (sensitive_values): others may have any frequency, and `check` says whether the criteria can hold.\n", spec.name)
    });
    partly.collect()
}

fn look(table: &Table, column: &str, l: u64, asked: &SkewArguments) -> Result<Eligibility> {
    let sensitive = table.column(column)?;
    let mut found = eligibility(sensitive, l);
    if let Some(dates) = &asked.dates {
        let one = asked.batches.as_deref().map(|name| [Period::find(name).expect("one of the choices")]);
        let periods = one.as_ref().map_or(&Period::ALL[..], |one| &one[..]);
        found.batches = batches(table.column(dates)?, sensitive, l, periods)?;
    }
    Ok(found)
}

/// The columns that are meant: the one that the user names, else those that are sensitive in the
/// plan.
fn columns(asked: &SkewArguments, plan: Option<&TablePlan>) -> Result<Vec<String>> {
    let Some(plan) = plan else {
        let missing = || Error::plan("which column is sensitive?").help("name it with --on, or a plan with --plan");
        return Ok(vec![asked.on.clone().ok_or_else(missing)?]);
    };
    let sensitive = plan.schema.names(Role::Sensitive);
    let in_plan = |error: Error| error.file(asked.plan.as_deref().unwrap_or(Path::new("")));
    match &asked.on {
        _ if sensitive.is_empty() => {
            Err(in_plan(Error::plan("the plan has no sensitive column").help("give a column role = \"sensitive\"")))
        }
        None => Ok(sensitive.into_iter().map(str::to_string).collect()),
        Some(named) if sensitive.contains(&named.as_str()) => Ok(vec![named.clone()]),
        Some(named) => {
            let message = format!("--on: \"{named}\" is not a sensitive column of the plan");
            Err(in_plan(Error::unknown(message, named, sensitive)))
        }
    }
}

/// What is wrong by now is the table's fault, or that of whoever wrote names that it does not have.
fn blame(error: Error, data: &Path, plan: Option<&Path>) -> Error {
    match (error.fault(), plan) {
        (Fault::Plan, Some(plan)) => error.file(plan),
        _ => error.file(data),
    }
}
