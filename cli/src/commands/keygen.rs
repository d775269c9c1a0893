//! `sfumato keygen`: a key to sign releases with.

use crate::output::Output;
use clap::Args;
use sfumato::Result;
use sfumato_signing::SecretKey;
use std::path::PathBuf;
use std::process::ExitCode;

/// Make a pair of keys: a private one to sign releases with, a public one for recipients
///
/// Writes NAME (private, without a passphrase, readable by you alone) and NAME.pub, and never
/// overwrites a file. Both are Ed25519 keys in the format of OpenSSH: `ssh-keygen` reads them, and
/// an Ed25519 key that it made without a passphrase signs releases just as well.
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato keygen release-key\n  \
    sfumato keygen release-key --json | jq .fingerprint\n\n\
    Then `sfumato publish PLAN --out RELEASE --sign release-key`, and for recipients `sfumato verify RELEASE --key release-key.pub`.\n\n\
    Whoever has the private key can sign in your name. Recipients must get the public key, or its fingerprint, in another way than the release: a forger who can replace a release can replace a \
    key that comes with it.")]
pub struct Arguments {
    /// The private key's file; the public key gets the same name with .pub.
    name: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let key = SecretKey::generate()?;
    let public = key.save(&arguments.name)?;
    let (private, public, fingerprint) = (arguments.name.display(), public.display(), key.fingerprint());
    if arguments.json {
        let document = serde_json::json!({
            "private": private.to_string(),
            "public": public.to_string(),
            "fingerprint": fingerprint,
        });
        output.json(&document)?;
    } else {
        output.text(&format!(
            "Private key: {private}\n  Keep it to yourself: whoever has it can sign in your name. It has no passphrase.\n  \
             sfumato publish PLAN --out RELEASE --sign {private}\n\
             Public key:  {public}\n  Give it to recipients in another way than releases (a web page, a signed e-mail).\n  \
             sfumato verify RELEASE --key {public}\n\
             Fingerprint: {fingerprint}\n"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
