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
    Exits with 5 and names the claims that fail if anything was changed.")]
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
    Ok(if found.holds() { ExitCode::SUCCESS } else { ExitCode::from(Fault::Gate.exit_code()) })
}

fn document(found: &Verification) -> serde_json::Value {
    let claims = found
        .claims
        .iter()
        .map(|claim| serde_json::json!({ "claim": claim.name, "holds": claim.holds, "detail": claim.detail }));
    serde_json::json!({ "holds": found.holds(), "seal": found.seal, "claims": claims.collect::<Vec<_>>() })
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
        (0, 0) => format!("\n✓ The release is what its certificate says.\nSeal: {}\n", found.seal),
        (0, some) => format!(
            "\n✓ The release is what its certificate says; {some} of its statements (–) cannot be told from the release alone.\nSeal: {}\n",
            found.seal
        ),
        (some, _) => format!("\n✗ {some} of {} claims do not hold: do not rely on this release.\n", found.claims.len()),
    };
    text
}
