//! Attacks a release directory with what it tells, and with what everybody may know besides.

use super::recompute::Stated;
use super::verify::certificate;
use crate::attack;
use crate::data::Formats;
use crate::error::Result;
use crate::kind::Kind;
use crate::report::{attack_json, flattened_json};
use serde_json::{Value, json};
use std::path::Path;

/// What attacks find in a release directory: one document for each finding. An attack that needs more than the directory has (the original's quasi-identifiers, a register) cannot be repeated; for it
/// stands what the certificate says it found when the release was made.
pub fn attack(folder: &Path, kinds: &[&'static Kind<attack::Build>], formats: &Formats) -> Result<Vec<Value>> {
    let document = certificate(folder)?;
    let stated = Stated::read(&document)?;
    let release = stated.release(folder, formats)?;
    stated.attack_release(&release, folder, formats, |target| {
        let mut found = Vec::new();
        for kind in kinds {
            let stated = of_certificate(&document, kind.name);
            let again = (kind.build)(&kind.check(&[])?).run(target)?;
            let repeated: Vec<Value> = again
                .iter()
                .map(|finding| {
                    let own = stated.iter().find(|stated| !finding.repeatable && stated["on"] == json!(finding.on));
                    own.cloned().unwrap_or_else(|| from("release", attack_json(finding)))
                })
                .collect();
            found.extend(if again.is_empty() { stated } else { repeated });
        }
        Ok(found)
    })
}

/// What a certificate says an attack found.
fn of_certificate(document: &Value, name: &str) -> Vec<Value> {
    let all = document["attacks"].as_array().into_iter().flatten();
    all.filter(|one| one["attack"] == name).map(|one| from("certificate", flattened_json(one))).collect()
}

fn from(source: &str, mut finding: Value) -> Value {
    finding["source"] = json!(source);
    finding
}
