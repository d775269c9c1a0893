//! `sfumato verify`: does a release directory keep what its certificate says?

use super::formats;
use crate::output::Output;
use crate::progress::working;
use clap::Args;
use serde_json::{Value, json};
use sfumato::publish::earlier_sentence;
use sfumato::release::{Verification, verify};
use sfumato::{Fault, Result};
use sfumato_signing::{Asked, Authenticity, TrustedKeys, authenticate};
use std::path::PathBuf;
use std::process::ExitCode;

/// Verify a release directory: recompute what its certificate states, from the directory alone
///
/// That shows that files and certificate belong together and that the figures which can be
/// recomputed are right. It does not show who made them: without --key or --seal, a forger could
/// have made all of it. What cannot be recomputed from the release (marked –) is only as good as
/// the publisher's word.
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato verify release\n  \
    sfumato verify release --key publisher.pub\n  \
    sfumato verify release --json | jq .authenticity\n\n\
    Exits with 5 and names the claims that fail if anything was changed, if the signature is missing or by another key than --key, or if the seal is another one than --seal; with 8 if nothing is wrong but no criterion could be checked on the release alone.\n\n\
    Key and seal must come from the publisher in another way than the release. Without sfumato, a signature can be checked with\n  \
    ssh-keygen -Y verify -f ALLOWED_SIGNERS -I NAME -n sfumato-release -s release/certificate.json.sig < release/certificate.json")]
pub struct Arguments {
    /// The release directory.
    release: PathBuf,
    /// The publisher's public key, which must have signed: a .pub file of OpenSSH (Ed25519), or a
    /// file of several, one a line.
    #[arg(long, value_name = "PUBLIC")]
    key: Option<PathBuf>,
    /// The seal that the publisher gave you, all 64 hexadecimal digits: the certificate must have
    /// it.
    #[arg(long, value_name = "HASH", value_parser = parse_seal)]
    seal: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

fn parse_seal(text: &str) -> std::result::Result<String, String> {
    if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(text.to_ascii_lowercase());
    }
    Err("a seal has 64 hexadecimal digits, and all of them count".into())
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let keys = arguments.key.as_deref().map(TrustedKeys::read).transpose()?;
    let mut found = working("verifying", || verify(&arguments.release, &formats()))?;
    let asked = Asked { keys: keys.as_ref(), seal: arguments.seal.as_deref() };
    let authenticity = authenticate(&arguments.release, &mut found, asked)?;
    if arguments.json {
        output.json(&document(&found, &authenticity))?;
    } else {
        output.text(&format!("{}{}\n", text(&found), authenticity.sentence()))?;
    }
    Ok(match found.holds() {
        false => ExitCode::from(Fault::Gate.exit_code()),
        true if found.confirms_nothing() => ExitCode::from(NOTHING_CONFIRMED),
        true => ExitCode::SUCCESS,
    })
}

/// The exit code where nothing is wrong, and no criterion could be checked.
const NOTHING_CONFIRMED: u8 = 8;

fn document(found: &Verification, authenticity: &Authenticity) -> Value {
    let claims = found
        .claims
        .iter()
        .map(|one| json!({ "claim": one.name, "holds": one.holds, "detail": one.detail, "about": one.about }));
    json!({
        "holds": found.holds(),
        "criteria_confirmed": found.confirmed,
        "authenticity": authenticity.to_string(),
        "seal": found.seal,
        "earlier_releases": found.earlier,
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
    let unverifiable = found.claims.iter().filter(|claim| claim.holds.is_none()).count();
    text += &match (failed, unverifiable) {
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
    text += &earlier_sentence(found.earlier.len()).map_or(String::new(), |sentence| format!("! {sentence}\n"));
    text
}
