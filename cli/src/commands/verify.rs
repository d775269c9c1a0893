//! `sfumato verify`: does a release directory keep what its certificate says?

use super::formats;
use crate::output::{Output, working};
use clap::Args;
use sfumato::release::{Verification, verify};
use sfumato::{Fault, Result};
use std::path::PathBuf;
use std::process::ExitCode;

/// Verify a release directory: recompute what its certificate states, from the directory alone
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  sfumato verify release\n  sfumato verify release --json\n\n\
    Exits with 5 and names the claims that fail if anything was changed, and with 8 if nothing is wrong but no criterion\n    \
    could be checked on the release alone.")]
pub struct Arguments {
    /// The release directory.
    release: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let found = working("verifying", || verify(&arguments.release, &formats()))?;
    if arguments.json {
        output.json(&document(&found))?;
    } else {
        output.text(&text(&found))?;
    }
    Ok(match found.holds() {
        false => ExitCode::from(Fault::Gate.exit_code()),
        true if found.confirms_nothing() => ExitCode::from(NOTHING_CONFIRMED),
        true => ExitCode::SUCCESS,
    })
}

/// The exit code where nothing is wrong, and no criterion could be checked.
const NOTHING_CONFIRMED: u8 = 8;

fn document(found: &Verification) -> serde_json::Value {
    let claims = found
        .claims
        .iter()
        .map(|claim| serde_json::json!({ "claim": claim.name, "holds": claim.holds, "detail": claim.detail }));
    serde_json::json!({
        "holds": found.holds(),
        "criteria_confirmed": found.confirmed,
        "seal": found.seal,
        "claims": claims.collect::<Vec<_>>(),
    })
}

fn text(found: &Verification) -> String {
    let mut text = String::new();
    for claim in &found.claims {
        let mark = match claim.holds {
            Some(true) => "✓",
            Some(false) => "✗",
            None => "–",
        };
        let detail = if claim.detail.is_empty() { String::new() } else { format!(": {}", claim.detail) };
        text += &format!("{mark} {}{detail}\n", claim.name);
    }
    let failed = found.failed().count();
    let untold = found.claims.iter().filter(|claim| claim.holds.is_none()).count();
    text += &match (failed, untold) {
        (0, _) if found.confirms_nothing() => format!(
            "\n– Nothing is wrong, but no criterion can be checked on the release alone: nothing is confirmed.\nSeal: {}\n",
            found.seal
        ),
        (0, 0) => format!("\n✓ The release is what its certificate says.\nSeal: {}\n", found.seal),
        (0, some) => format!(
            "\n✓ The release is what its certificate says; {some} of its statements (–) cannot be checked from the release alone.\nSeal: {}\n",
            found.seal
        ),
        (some, _) => format!("\n✗ {some} of {} claims do not hold: do not rely on this release.\n", found.claims.len()),
    };
    text
}
