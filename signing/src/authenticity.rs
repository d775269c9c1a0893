//! What shows who made a release: a signature by a known key, a known seal, or nothing.

use crate::signature::{Signature, fingerprint};
use crate::trusted::TrustedKeys;
use sfumato::release::{Claim, SIGNATURE, Verification, signature};
use sfumato::{Error, Result};
use std::fmt;
use std::path::Path;

/// What a recipient knows from the publisher.
#[derive(Clone, Copy, Default)]
pub struct Asked<'a> {
    /// Keys, one of which must have signed.
    pub keys: Option<&'a TrustedKeys>,
    /// The seal that the certificate must have.
    pub seal: Option<&'a str>,
}

/// What shows who made a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authenticity {
    /// Nothing.
    Unproven,
    /// A signature by a key that the recipient knows; its fingerprint.
    Signed(String),
    /// The seal that the recipient knows.
    Sealed,
}

impl fmt::Display for Authenticity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Authenticity::Unproven => f.write_str("unproven"),
            Authenticity::Signed(key) => write!(f, "signed by {key}"),
            Authenticity::Sealed => f.write_str("seal as given"),
        }
    }
}

impl Authenticity {
    /// The same for people: what is shown, or that a forger could have made all of it.
    pub fn sentence(&self) -> String {
        match self {
            Authenticity::Signed(key) => {
                format!("Authenticity: signed by {key}. The holder of that key signed this certificate.")
            }
            Authenticity::Sealed => {
                "Authenticity: seal as given. This is the certificate that the seal was given for.".to_string()
            }
            Authenticity::Unproven => {
                "Authenticity: unproven. Nothing here shows who made this release: a forger could have made all of it, \
                 certificate included. Ask the publisher for the seal or a public key, in another way than the release \
                 came, and verify with --seal or --key."
                    .to_string()
            }
        }
    }
}

/// Adds to a verification what a recipient asks about the release's maker, and says what is shown.
///
/// Nothing is shown of a release of which any claim fails: a good signature of its certificate is
/// none of files that were changed.
pub fn authenticate(folder: &Path, found: &mut Verification, asked: Asked<'_>) -> Result<Authenticity> {
    let signature = signature(folder)?;
    let certificate = found.certificate.as_bytes();
    let mut shown = Authenticity::Unproven;
    let mut claims = Vec::new();
    if let Some(seal) = asked.seal {
        let otherwise = "the certificate has another one, or was changed under it";
        let is_given = found.is_sealed_by(seal);
        claims.push(claim("seal as given", Some(is_given), if is_given { "" } else { otherwise }));
        shown = Authenticity::Sealed;
    }
    match (asked.keys, signature) {
        (Some(keys), signature) => {
            let name =
                if keys.count() == 1 { "signature by the key given" } else { "signature by one of the keys given" };
            let missing = || Error::plan(format!("there is no {SIGNATURE}"));
            let signer = signature.ok_or_else(missing).and_then(|bytes| keys.signer_of(certificate, &bytes));
            claims.push(match &signer {
                Ok(key) => claim(name, Some(true), &format!("it is by {key}")),
                Err(error) => claim(name, Some(false), error.message()),
            });
            // A failed claim withdraws whatever else would be shown.
            shown = signer.map_or(Authenticity::Unproven, Authenticity::Signed);
        }
        (None, Some(bytes)) => claims.push(unknown_key(certificate, &bytes)),
        (None, None) => {}
    }
    found.claims.extend(claims);
    Ok(if found.holds() { shown } else { Authenticity::Unproven })
}

/// What can be said of a signature by an unknown key: it is broken, or it proves nothing yet.
fn unknown_key(certificate: &[u8], bytes: &[u8]) -> Claim {
    let name = "signature";
    match Signature::read(bytes).and_then(|read| read.check(certificate).map(|()| fingerprint(&read.key()))) {
        Err(error) => claim(name, Some(false), error.message()),
        Ok(key) => {
            let detail = format!(
                "there is one, by {key}; it proves nothing until you know from elsewhere whose key that is (--key)"
            );
            claim(name, None, &detail)
        }
    }
}

fn claim(name: &str, holds: Option<bool>, detail: &str) -> Claim {
    Claim { name: name.to_string(), holds, detail: detail.to_string(), about: Vec::new() }
}
