//! Attacks a release directory with what it tells, and with what everybody may know besides.

use super::stated::Stated;
use super::verify::certificate;
use crate::attack::{self, Believed};
use crate::data::Formats;
use crate::error::{Error, Result};
use crate::kind::{Kind, Params};
use crate::report::{attack_json, flattened_json};
use serde_json::{Value, json};
use std::path::Path;

/// An attack with its parameters.
pub type Wanted = (&'static Kind<attack::Build>, Params);

/// What attacks find in a release directory: one document for each finding. An attack that needs more than the directory has (the original's quasi-identifiers, a register) cannot be repeated; for it
/// stands what the certificate says it found when the release was made.
pub fn attack(folder: &Path, wanted: &[Wanted], formats: &Formats) -> Result<Vec<Value>> {
    let document = certificate(folder)?;
    let stated = read(&document)?;
    let release = stated.release(folder, formats)?;
    stated.attack_release(&release, folder, formats, |target| {
        let mut found = Vec::new();
        for (kind, params) in wanted {
            let stated = of_certificate(&document, kind.name);
            let again = (kind.build)(params).run(target)?;
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

/// What an attack believes about each group of a release directory and each of its values.
pub fn beliefs(folder: &Path, (kind, params): &Wanted, formats: &Formats) -> Result<Vec<Believed>> {
    let stated = read(&certificate(folder)?)?;
    let release = stated.release(folder, formats)?;
    let found = stated.attack_release(&release, folder, formats, |target| (kind.build)(params).each(target))?;
    found.ok_or_else(|| {
        let error = Error::plan(format!("{} does not tell what is believed about each group", kind.name));
        error.help("background-knowledge does")
    })
}

/// What a certificate states, if attacks mean anything on its release.
fn read(document: &Value) -> Result<Stated> {
    let stated = Stated::read(document)?;
    if stated.several_records() {
        let error =
            Error::plan("people have several records in this release, and attacks take every record for a person");
        return Err(error.help("`sfumato skyline` with the original table tells what can be believed about people"));
    }
    Ok(stated)
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
