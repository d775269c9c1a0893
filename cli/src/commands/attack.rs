//! `sfumato attack`: what can be learnt from a release directory.

use super::formats;
use crate::output::{Output, working};
use clap::Args;
use sfumato::release::{attack, verify};
use sfumato::report::attacks_text;
use sfumato::{Result, attack as attacks};
use std::path::PathBuf;
use std::process::ExitCode;

/// Attack a release directory: what somebody who reads it, and knows how it was made, comes to believe
///
/// Every attack of `sfumato list attacks` is made with what the directory tells. One that needs more (the original, a register) cannot be made again: for it stands what the certificate says it found when
/// the release was made.
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato attack release\n  \
    sfumato attack release --only minimality\n  \
    sfumato attack release --json | jq '.attacks[] | {attack, max_belief, source}'")]
pub struct Arguments {
    /// The release directory.
    release: PathBuf,
    /// Only this attack; may be given several times.
    #[arg(long, value_name = "ATTACK")]
    only: Vec<String>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let mut kinds = attacks::KINDS.to_vec();
    if !arguments.only.is_empty() {
        kinds = arguments.only.iter().map(|name| attacks::find(name)).collect::<Result<_>>()?;
    }
    let found = working("attacking", || attack(&arguments.release, &kinds, &formats()))?;
    let verified = working("verifying", || verify(&arguments.release, &formats()))?.holds();
    if arguments.json {
        output.json(&serde_json::json!({ "attacks": found, "verifies": verified }))?;
    } else {
        output.text(&attacks_text(&found))?;
        if !verified {
            let name = arguments.release.display();
            output.text(&format!(
                "\n✗ {name} does not verify: it is not what was published (`sfumato verify {name}`)\n"
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
