//! `sfumato inspect`: what is in a table, and who stands out in it.

use super::{ReadArguments, formats};
use crate::output::{Output, working};
use clap::Args;
use sfumato::Result;
use sfumato::inspect::inspect;
use sfumato::report::{profile_json, profile_text};
use std::path::PathBuf;
use std::process::ExitCode;

/// Look at a table: types, shares, how identifying its columns are, and which roles suggest themselves
///
/// No cell is printed, only counts and shares.
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato inspect patients.csv\n  \
    sfumato inspect adult.data --no-header --trim --missing '?'\n  \
    sfumato inspect patients.parquet --json")]
pub struct Arguments {
    /// The table: .csv, .tsv, .parquet, .arrow.
    data: PathBuf,
    #[command(flatten)]
    read: ReadArguments,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let path = &arguments.data;
    let table = working(&format!("reading {}", path.display()), || formats().read(path, &arguments.read.options()))?;
    let profile = working("looking at columns and their combinations", || inspect(&table));
    if arguments.json {
        output.json(&profile_json(&profile))?;
    } else {
        output.text(&profile_text(&profile))?;
    }
    Ok(ExitCode::SUCCESS)
}
