//! The certificate: what was done, what holds, what was attacked, what is not promised, and how to tell that nobody changed it.

use super::Order;
use super::recompute::{Stated, recompute};
use crate::data::{Column, ColumnSpec, Formats, Formulas, Role};
use crate::error::{Error, Fault, Result};
use crate::publish::{Made, Publication, SkewReport};
use crate::recode::Form;
use crate::report::{params_json, publication_json};
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
    "The criteria hold for the listed quasi-identifiers only. Whoever knows another column of a person may single them out by it.",
    "That a person is in the table is not hidden.",
    "Nothing is promised about several releases of the same people taken together.",
    "Who was suppressed is not hidden: whoever knows everybody's quasi-identifiers sees which combinations are missing, and that those people's group did not satisfy the criteria.",
    "Insensitive columns that are published are published as they are.",
];

/// What is said where cells that a spreadsheet would run have an apostrophe in front.
pub(super) const ESCAPED: &str = "escaped";

/// What no seal promises.
pub(super) const SEAL: &str = "The seal shows that the certificate was changed by accident or carelessly. Somebody who wants to deceive can make a new one: compare the seal with the one the publisher gave you.";

/// What the attacker is assumed to know.
const KNOWLEDGE: [&str; 3] = [
    "The release, this certificate and how the release was made: the method, its parameters and the hierarchies are public.",
    "Every person's quasi-identifiers, and that the person is in the table.",
    "For each attack, what it states besides.",
];

/// Draws up the certificate of the files in a folder, from what everybody may know.
pub fn draw_up(
    made: &Made,
    everybodys: &Publication,
    order: &Order<'_>,
    folder: &Path,
    files: &[String],
    formats: &Formats,
) -> Result<Certificate> {
    let mut document = blank();
    merge(&mut document, publication_json(everybodys));
    document["plan"] = plan_json(made, order)?;
    document["knowledge_assumed"] = json!(KNOWLEDGE);
    let of_skew = everybodys.skew.iter().flat_map(SkewReport::not_promised);
    document["not_promised"] = NOT_PROMISED.into_iter().chain([SEAL]).map(str::to_string).chain(of_skew).collect();
    document["notes"] = json!(everybodys.notes);
    document["files"] = hashes(folder, files)?.into();
    document["data"] = json!(files[0]);
    match order.publishing.formulas {
        _ if !formats.of(files[0].as_ref())?.is_text() => {}
        Formulas::Escape => document["formulas"] = json!(ESCAPED),
        Formulas::Keep => document["formulas"] = json!("kept"),
        Formulas::Refuse => document["formulas"] = json!("none"),
    }
    if order.publishing.recoding.form == Form::Bucketized {
        document["sensitive"] = json!(files[1]);
    }
    let recomputed = Stated::read(&document).and_then(|stated| recompute(folder, &stated, formats));
    document["recomputed"] = recomputed.map_err(|error| match error.fault() {
        Fault::Io | Fault::Resources => error,
        _ => Error::new(Fault::Gate, format!("what was written cannot be read back and checked: {error}")),
    })?;
    Ok(seal(document))
}

/// The hash and the size of each file.
pub(super) fn hashes(folder: &Path, files: &[String]) -> Result<Map<String, Value>> {
    let mut hashes = Map::new();
    for name in files {
        let path = folder.join(name);
        let bytes = std::fs::read(&path).map_err(|error| Error::io(&error, &path))?;
        hashes.insert(name.to_string(), json!({ "sha256": hash(&bytes), "bytes": bytes.len() }));
    }
    Ok(hashes)
}

/// A certificate in which nothing is said yet but what wrote it.
pub(super) fn blank() -> Value {
    json!({ "sfumato": { "version": env!("CARGO_PKG_VERSION"), "certificate": 1 } })
}

pub(super) fn merge(document: &mut Value, more: Value) {
    if let Value::Object(more) = more {
        more.into_iter().for_each(|(key, value)| document[key] = value);
    }
}

/// What somebody needs who reads the release: roles, levels, and how much of a hierarchy stands under each published value. Neither paths nor hierarchies themselves.
fn plan_json(made: &Made, order: &Order<'_>) -> Result<Value> {
    let mut columns = Vec::new();
    for spec in made.schema.columns() {
        let published = order.publishing.recoding.publishes(spec);
        let mut column = json!({ "name": spec.name, "role": spec.role.name(), "published": published });
        // What a method did depends on the order of values: whoever replays it needs it.
        let replayed = spec.role == Role::Quasi && order.publishing.recoding.form == Form::Bucketized;
        if spec.role == Role::Sensitive || replayed {
            add_words(&mut column, spec, made.recoded.table.column(&spec.name)?);
        }
        let report = made.publication.columns.iter().find(|report| report.name == spec.name);
        if let Some(level) = report.and_then(|report| report.level) {
            column["level"] = json!(level.level);
            column["height"] = json!(level.height);
            let original = order.table.column(&spec.name)?;
            let (leaves, under) = leaves(order, original, made.recoded.table.column(&spec.name)?, level.level)?;
            column["leaves"] = json!(leaves);
            column["leaves_under"] = under.into();
        }
        columns.push(column);
    }
    let publishing = order.publishing;
    Ok(json!({
        "columns": columns,
        "max_suppressed": publishing.max_suppressed.map(|share| share.to_f64()),
        "metric": { "name": publishing.metric.kind.name, "params": params_json(&publishing.metric.params) },
        "gate": {
            "attacks": if publishing.gate.refuses { "refuse" } else { "report" },
            "max_belief": publishing.gate.max_belief.map(|share| share.to_f64()),
            "max_risk": publishing.gate.max_risk.map(|share| share.to_f64()),
        },
    }))
}

/// What the plan says about a sensitive column, as far as it is about values that are published.
fn add_words(column: &mut Value, spec: &ColumnSpec, published: &Column) {
    let occurring = |values: &[String]| -> Vec<String> {
        values.iter().filter(|value| published.domain().code(value).is_some()).cloned().collect()
    };
    if !spec.sensitive_values.is_empty() {
        column["sensitive_values"] = json!(occurring(&spec.sensitive_values));
    }
    if !spec.order.is_empty() {
        column["order"] = json!(occurring(&spec.order));
    }
    column["type"] = json!(published.domain().value_type().name());
}

/// The leaves of a hierarchy, and how many stand under each published value that has more than one.
fn leaves(order: &Order<'_>, original: &Column, published: &Column, level: usize) -> Result<(u64, Map<String, Value>)> {
    let hierarchy = order.plan.schema.quasi_hierarchy(original)?;
    let labels = hierarchy.labels(level).iter().zip(hierarchy.leaves_under(level));
    let known: std::collections::HashMap<&str, u32> = labels.map(|(label, &under)| (label, under)).collect();
    let under = published.domain().labels().iter().filter_map(|label| {
        let under = *known.get(label)?;
        (under != 1).then(|| (label.to_string(), json!(under)))
    });
    Ok((u64::from(hierarchy.leaves()), under.collect()))
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
