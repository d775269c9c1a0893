//! `sfumato init`: a first plan for a table.

use super::transactions::{self, has_transactions};
use super::{ReadArguments, formats, is_same_file, only_path, reading, write_whole};
use crate::output::Output;
use crate::progress::working;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use sfumato::data::INPUT;
use sfumato::inspect::{
    GUIDELINES, draft_plan_by, draft_transaction_plan, inspect, inspect_transactions, reread, usual_missing,
};
use sfumato::release::refuse_inside_release;
use sfumato::{Error, Result, report};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draft a commented plan.toml for a table: suggested roles, default hierarchies, first criteria
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato init patients.csv                      writes plan.toml\n  \
    sfumato init patients.csv --out patients.toml\n  \
    sfumato init patients.csv --profile hipaa-safe-harbor\n  \
    sfumato init patients.csv --out -              prints it")]
pub struct Arguments {
    /// The table: .csv, .tsv, .jsonl, also .gz or .zst, .parquet, .arrow, .xlsx, .sqlite; several files
    /// as one by a pattern in quotes or by their folder; - for standard input. Or transactions: .dat.
    #[arg(required = true)]
    data: Vec<PathBuf>,
    #[command(flatten)]
    read: ReadArguments,
    /// Where to write the plan; `-` prints it.
    #[arg(long, value_name = "FILE", default_value = "plan.toml")]
    out: PathBuf,
    /// Draft by the rules of a guideline, with the reason beside each line.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(GUIDELINES.map(|known| known.name)))]
    profile: Option<String>,
    /// Replace a plan that is there.
    #[arg(long)]
    force: bool,
    /// Print one JSON document: where the plan is, its text, and what was found in the table.
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let (path, out) = (only_path(&arguments.data)?, &arguments.out);
    let printed = out.as_os_str() == "-";
    if !printed && is_same_file(out, path) {
        return Err(Error::plan("is the table itself").file(out).help("choose another name with --out"));
    }
    if !printed {
        refuse_inside_release(out)?;
    }
    if !printed && out.exists() && !arguments.force {
        let error = Error::plan("is there already").file(out);
        return Err(error.help("choose another name with --out, or replace it with --force"));
    }
    let folder = if printed { Path::new("") } else { out.parent().unwrap_or(Path::new("")) };
    let (draft, found) = draft(arguments, &relative(path, folder))?;
    if arguments.json {
        let file = (!printed).then(|| out.display().to_string());
        if !printed {
            write_whole(out, &draft)?;
        }
        output.json(&json!({ "plan": file, "text": draft, "profile": found }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if printed {
        output.text(&draft)?;
        return Ok(ExitCode::SUCCESS);
    }
    write_whole(out, &draft)?;
    output.text(&format!(
        "Wrote {}. Read it, change what you know better, then:\n\n    \
         sfumato check {} --plan {}\n    \
         sfumato publish {} --out release\n",
        out.display(),
        path.display(),
        out.display(),
        out.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// The draft for data that the plan names so, and what was found in them.
fn draft(arguments: &Arguments, named: &str) -> Result<(String, Value)> {
    let path = only_path(&arguments.data)?;
    if has_transactions(path) {
        let read = transactions::read(path, &arguments.read)?;
        let found = report::transactions::profile_json(&inspect_transactions(&read));
        return Ok((draft_transaction_plan(named, arguments.read.letter()), found));
    }
    let options = arguments.read.options();
    let read = || formats().read_guessing(path, &options);
    let (table, mut options) = working(&reading(path), read)?;
    options.missing.extend(usual_missing(&table).into_iter().map(|found| found.text.to_string()));
    let table = reread(table, &options)?;
    let profile = working("looking at columns", || inspect(&table));
    let guideline = GUIDELINES.into_iter().find(|known| arguments.profile.as_deref() == Some(known.name));
    Ok((draft_plan_by(guideline, &table, &profile, named, &options), report::profile_json(&profile)))
}

/// The data's path as the plan in `folder` must name it.
fn relative(data: &Path, folder: &Path) -> String {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if folder.as_os_str().is_empty() || data.is_absolute() || data == Path::new(INPUT) {
        return data.display().to_string();
    }
    match whole(data).strip_prefix(whole(folder)) {
        Ok(inside) => inside.display().to_string(),
        Err(_) => whole(data).display().to_string(),
    }
}
