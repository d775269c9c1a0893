//! Hashes and the seal: how to tell that nobody changed a release.

use crate::certificate::{Certificate, FileFacts, Named, join};
use crate::error::{Error, Result};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;

/// A sealed certificate, and the text that is written.
pub struct Sealed {
    pub certificate: Certificate,
    pub text: String,
}

/// The hash and the size of each file.
pub(super) fn hashes(folder: &Path, files: &[String]) -> Result<Named<FileFacts>> {
    let facts = |name: &String| {
        let path = folder.join(name);
        let bytes = std::fs::read(&path).map_err(|error| Error::io(&error, &path))?;
        Ok((name.clone(), facts(&bytes)))
    };
    files.iter().map(facts).collect()
}

/// What is stated of a file.
pub(super) fn facts(bytes: &[u8]) -> FileFacts {
    FileFacts { sha256: hash(bytes), bytes: bytes.len() as u64 }
}

/// The SHA-256 of bytes, in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What stands for the seal while it is computed.
const UNSEALED: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What ends a certificate.
#[derive(Serialize)]
struct Ending<'a> {
    files: &'a Named<FileFacts>,
    seal: &'a str,
}

/// Seals a statement: the last entry is the hash of the whole text with zeros in its place.
pub(super) fn seal(statement: &Value, files: &Named<FileFacts>) -> Result<Sealed> {
    let with = |seal: &str| join(statement, &Ending { files, seal });
    let seal = hash(format!("{:#}\n", with(UNSEALED)).as_bytes());
    let document = with(&seal);
    Ok(Sealed { text: format!("{document:#}\n"), certificate: Certificate::of(document)? })
}

/// Whether a certificate's text has the seal that it states.
pub fn is_sealed(text: &str, seal: &str) -> bool {
    let stated = seal.len() == UNSEALED.len() && text.matches(seal).count() == 1;
    stated && hash(text.replace(seal, UNSEALED).as_bytes()) == seal
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn any_changed_byte_breaks_the_seal() {
        let statement = json!({ "records": 12, "zeros": "000", "nested": { "a": [1, 2.5] } });
        let Sealed { certificate, text } = seal(&statement, &Named::default()).unwrap();
        assert!(is_sealed(&text, &certificate.head.seal));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            let Ok(read) = serde_json::from_str::<Value>(&changed) else { continue };
            assert!(!is_sealed(&changed, read["seal"].as_str().unwrap_or("")), "byte {at}");
        }
    }

    #[test]
    fn hashes_are_those_of_the_standard() {
        assert_eq!(hash(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
