//! The certificate: what was done, what holds, what was attacked, what is not promised, and how to
//! tell that nobody changed it.

use super::public;
use super::stated::Stated;
use crate::data::Formats;
use crate::error::{Error, Result};
use crate::publish::{Publication, SkewReport};
use crate::report::html::{Audience, report_html};
use crate::report::publication_json;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;

/// A certificate as a document and as the text that is written.
pub struct Certificate {
    pub document: Value,
    pub text: String,
}

/// What no certificate of this kind promises.
const NOT_PROMISED: [&str; 6] = [
    "This is not differential privacy: the criteria bound what a reader of this release can infer under the knowledge stated, not under any knowledge.",
    "The criteria hold for the listed quasi-identifiers only. An attacker who knows another column of a person may single them out by it.",
    "That a person is in the table is not hidden.",
    "Nothing is promised about several releases of the same people taken together. Earlier releases that are declared are those of the same table that stand in the record of the machine that made this one; others are not known.",
    "Who was suppressed is not hidden: an attacker who knows everybody's quasi-identifiers sees which combinations are missing, and that those people's group did not satisfy the criteria.",
    "Insensitive columns that are published are published as they are.",
];

/// What is said where cells that a spreadsheet would run have an apostrophe in front.
pub(super) const ESCAPED: &str = "escaped";

/// What is said where they stay as they are.
pub(super) const KEPT: &str = "kept";

/// What is said where there are none.
pub(super) const NONE: &str = "none";

/// What neither hashes nor a seal show.
pub(super) const SEAL: &str = "Neither the hashes nor the seal show who made this release: a forger can make all of it anew, certificate and seal included. Compare the seal with one that the publisher gave you in another way (`sfumato verify --seal`), or check the publisher's signature with a public key that you have from them (`sfumato verify --key`).";

/// What the attacker is assumed to know.
const KNOWLEDGE: [&str; 3] = [
    "The release, this certificate and how the release was made: the plan, the method, its parameters and the hierarchies are public.",
    "Every person's quasi-identifiers, that the person is in the table, and so how many records there were.",
    "For each attack, what it states besides.",
];

/// What is said about a release in public: its certificate, but for hashes of files and the seal,
/// and its report.
pub struct Statement {
    pub document: Value,
    pub report: String,
    pub publication: Publication,
    /// Whether what was left after records were withheld is eligible, where that can be told.
    pub is_eligible: Option<bool>,
    pub stars: usize,
    pub columns: Vec<String>,
}

impl Statement {
    /// From what is declared and what is in the folder, and from nothing else.
    pub fn new(stated: &Stated, folder: &Path, formats: &Formats) -> Result<Statement> {
        let release = stated.release(folder, formats)?;
        let publication = public::describe(stated, &release, folder, formats)?;
        let mut document = stated.write();
        merge(&mut document, publication_json(&publication));
        document["knowledge_assumed"] = json!(KNOWLEDGE);
        let of_skew = publication.skew.iter().flat_map(SkewReport::not_promised);
        document["not_promised"] = NOT_PROMISED.into_iter().chain([SEAL]).map(str::to_string).chain(of_skew).collect();
        document["notes"] = json!(publication.notes);
        Ok(Statement {
            report: report_html(&publication, Audience::External),
            is_eligible: stated.is_eligible(&release)?,
            stars: release.stars,
            columns: release.table.columns().iter().map(|column| column.name().to_string()).collect(),
            document,
            publication,
        })
    }
}

/// The hash and the size of each file.
pub(super) fn hashes(folder: &Path, files: &[String]) -> Result<Map<String, Value>> {
    let mut hashes = Map::new();
    for name in files {
        let path = folder.join(name);
        let bytes = std::fs::read(&path).map_err(|error| Error::io(&error, &path))?;
        hashes.insert(name.to_string(), file_json(&bytes));
    }
    Ok(hashes)
}

/// What is stated of a file.
pub(super) fn file_json(bytes: &[u8]) -> Value {
    json!({ "sha256": hash(bytes), "bytes": bytes.len() })
}

/// The format of certificates that this version reads and writes.
pub(super) const FORMAT: u64 = 2;

/// A certificate in which nothing is said yet but what wrote it.
pub(super) fn blank() -> Value {
    json!({ "sfumato": { "version": env!("CARGO_PKG_VERSION"), "certificate": FORMAT } })
}

pub(super) fn merge(document: &mut Value, more: Value) {
    if let Value::Object(more) = more {
        more.into_iter().for_each(|(key, value)| document[key] = value);
    }
}

/// The SHA-256 of bytes, in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What stands for the seal while it is computed.
const UNSEALED: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Seals a document: the last entry is the hash of the whole text with zeros in its place.
pub(super) fn seal(mut document: Value) -> Certificate {
    document["seal"] = json!(UNSEALED);
    let text = format!("{document:#}\n");
    let seal = hash(text.as_bytes());
    document["seal"] = json!(seal);
    Certificate { text: format!("{document:#}\n"), document }
}

/// Whether a certificate's text has the seal that it states.
pub fn is_sealed(text: &str, seal: &str) -> bool {
    let stated = seal.len() == UNSEALED.len() && text.matches(seal).count() == 1;
    stated && hash(text.replace(seal, UNSEALED).as_bytes()) == seal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_byte_breaks_the_seal() {
        let Certificate { document, text } =
            seal(json!({ "records": 12, "zeros": "000", "nested": { "a": [1, 2.5] } }));
        let seal = document["seal"].as_str().unwrap();
        assert!(is_sealed(&text, seal));
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
