//! The certificate of a release, typed: what it declares, and the figures that follow from that and
//! from the published files.
//!
//! A certificate is one JSON document in which both are joined ([`join`]). Whoever verifies reads
//! the declared part alone ([`table::Declared`], [`sets::Declared`]), computes the figures anew and
//! compares documents: a figure that is stated cannot decide anything.

mod parts;
pub mod sets;
pub mod table;

pub use parts::{
    AttacksWord, DataKind, FileFacts, FormulasWord, GateDeclared, MemberDeclared, MethodDeclared, Named, RiskFigures,
    Share, WrittenBy,
};
pub(crate) use parts::{as_written, heading, member, settings};

use crate::error::{Error, ErrorCode, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The format of certificates that this version reads and writes.
pub const FORMAT: u64 = 2;

/// A certificate that was read, or is about to be written.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// All of it.
    pub document: Value,
    /// What certificates of both kinds of data have.
    pub head: Head,
}

/// What certificates of both kinds of data have.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Head {
    /// What wrote it.
    pub sfumato: WrittenBy,
    /// What it is about.
    pub kind: DataKind,
    /// The seals of earlier releases of the same records.
    pub earlier_releases: Vec<String>,
    /// Every other file of the release.
    pub files: Named<FileFacts>,
    /// The hash of the certificate with zeros in place of its seal.
    pub seal: String,
}

impl Certificate {
    /// A certificate from its document.
    pub fn of(document: Value) -> Result<Certificate> {
        let head =
            Head::deserialize(&document).map_err(|error| broken(&format!("no head that can be read: {error}")))?;
        Ok(Certificate { document, head })
    }

    /// One of the typed parts; refuses a format that is not this version's.
    pub fn part<T: DeserializeOwned>(&self) -> Result<T> {
        let WrittenBy { version, certificate } = &self.head.sfumato;
        if *certificate != FORMAT {
            let message = format!("the certificate has another format than the one that this version reads ({FORMAT})");
            let error = Error::of(ErrorCode::NotVerified, message);
            return Err(error.help(format!("verify it with the version that wrote it: {version}")));
        }
        T::deserialize(&self.document).map_err(|error| broken(&format!("something that cannot be read: {error}")))
    }

    /// Whether it is about sets of items.
    pub fn is_sets(&self) -> bool {
        self.head.kind == DataKind::Transactions
    }
}

/// The document of what is declared and what follows: entries of both, objects and lists of objects
/// joined entry by entry.
pub fn join(declared: &impl Serialize, figures: &impl Serialize) -> Value {
    let mut document = value(declared);
    add(&mut document, value(figures));
    document
}

fn add(document: &mut Value, more: Value) {
    match (document, more) {
        (Value::Object(own), Value::Object(more)) => more.into_iter().for_each(|(key, one)| match own.get_mut(&key) {
            Some(own) => add(own, one),
            None => drop(own.insert(key, one)),
        }),
        (Value::Array(own), Value::Array(more)) if own.len() == more.len() => {
            own.iter_mut().zip(more).for_each(|(own, one)| add(own, one));
        }
        (own, more) => *own = more,
    }
}

/// As a document.
pub(crate) fn value(part: &impl Serialize) -> Value {
    serde_json::to_value(part).expect("names are texts, and a document holds any number")
}

/// The largest parts of a document that stand in another one just so, as paths.
pub fn shared_paths(document: &Value, other: &Value) -> Vec<String> {
    let mut found = Vec::new();
    visit(document, "", &mut |path, one| {
        let is_shared = !path.is_empty() && other.pointer(path) == Some(one);
        if is_shared {
            found.push(path.to_string());
        }
        !is_shared
    });
    found
}

/// The paths of everything in a document that is no object or list, or an empty one.
pub fn leaves(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    visit(document, "", &mut |path, one| {
        let is_leaf = match one {
            Value::Object(entries) => entries.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => true,
        };
        if is_leaf {
            found.push(path.to_string());
        }
        true
    });
    found
}

/// Visits a document from the top; goes on into what `enter` lets it.
fn visit(document: &Value, path: &str, enter: &mut impl FnMut(&str, &Value) -> bool) {
    if !enter(path, document) {
        return;
    }
    match document {
        Value::Object(entries) => entries.iter().for_each(|(key, one)| {
            visit(one, &format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), enter);
        }),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, one)| visit(one, &format!("{path}/{at}"), enter))
        }
        _ => {}
    }
}

/// What is wrong with a certificate.
pub(crate) fn broken(what: &str) -> Error {
    Error::of(ErrorCode::NotVerified, format!("the certificate states {what}"))
        .help("it was changed, or written by another version")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn documents_are_joined_entry_by_entry() {
        let declared = json!({ "a": 1, "b": { "c": 2 }, "d": [{ "e": 3 }], "g": null });
        let figures = json!({ "b": { "x": 4 }, "d": [{ "f": 5 }], "g": null, "h": [] });
        let joined = join(&declared, &figures);
        let expected = json!({ "a": 1, "b": { "c": 2, "x": 4 }, "d": [{ "e": 3, "f": 5 }], "g": null, "h": [] });
        assert_eq!(joined, expected);
        assert_eq!(shared_paths(&joined, &declared), ["/a", "/b/c", "/d/0/e", "/g"]);
        assert_eq!(leaves(&joined), ["/a", "/b/c", "/b/x", "/d/0/e", "/d/0/f", "/g", "/h"]);
    }
}
