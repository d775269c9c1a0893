//! `sfumato list`: everything a plan can name.

use super::formats;
use crate::output::Output;
use clap::Args;
use sfumato::report::{families, list_json, list_text};
use sfumato::{Error, Result};
use std::process::ExitCode;

/// List criteria, methods, ways to withhold skewed values, metrics, attacks, hierarchies and
/// formats with their parameters and references; families of transactions have names of their own
#[derive(Args)]
#[command(
    after_long_help = "EXAMPLES\n  sfumato list\n  sfumato list criteria\n  sfumato list attacks\n  sfumato list skews\n  sfumato list hierarchies --json"
)]
pub struct Arguments {
    /// The family to list; all if none is named.
    family: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let mut families = families(&formats());
    if let Some(wanted) = &arguments.family {
        let names: Vec<&str> = families.iter().map(|family| family.name).collect();
        if !names.contains(&wanted.as_str()) {
            return Err(Error::unknown(format!("there is no family \"{wanted}\""), wanted, names));
        }
        families.retain(|family| family.name == wanted);
    }
    if arguments.json {
        output.json(&list_json(&families))?;
    } else {
        output.text(&list_text(&families))?;
    }
    Ok(ExitCode::SUCCESS)
}
