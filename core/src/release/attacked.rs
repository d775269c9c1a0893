//! Attacks a release directory with what it tells, and with what everybody may know besides.

use super::stated::Stated;
use super::verify::certificate;
use crate::attack::{Believed, ChosenAttack, Finding};
use crate::data::Formats;
use crate::error::{Error, Result};
use crate::report::{attack_json, flattened_json, params_json};
use serde_json::{Value, json};
use std::path::Path;

/// What attacks find in a release directory: one document for each finding.
///
/// An attack that needs more than the directory has (the original's quasi-identifiers, say) cannot
/// be repeated; in its place stands what the certificate says it found when the release was made.
/// That is so for the parameters it was made with: with others the attack is refused. A register
/// that is named here is read, and what is found with it is found now.
pub fn attack(folder: &Path, wanted: &[ChosenAttack], formats: &Formats) -> Result<Vec<Value>> {
    let document = certificate(folder)?;
    let stated = read(&document)?;
    let release = stated.release(folder, formats)?;
    stated.attack_release(&release, folder, formats, |target| {
        let mut found = Vec::new();
        for one in wanted {
            let again = one.build().run(target)?;
            again.iter().try_for_each(Finding::check_register)?;
            let case =
                Case { wanted: one, stated: of_certificate(&document, one.kind.name), records: release.table.rows() };
            match again.is_empty() {
                true => found.extend(case.only_stated()?),
                false => found.extend(again.iter().map(|finding| case.best(finding)).collect::<Result<Vec<_>>>()?),
            }
        }
        Ok(found)
    })
}

/// An attack, and what the certificate says of it.
struct Case<'a> {
    wanted: &'a ChosenAttack,
    stated: Vec<Value>,
    /// Published records.
    records: usize,
}

impl Case<'_> {
    /// Whether the attack was made with these parameters; the default ones stand for any.
    fn is_meant(&self, stated: &Value) -> bool {
        self.wanted.is_default() || stated["params"] == Value::from(params_json(&self.wanted.params))
    }

    /// What the certificate says, if the release itself tells nothing.
    fn only_stated(&self) -> Result<Vec<Value>> {
        let meant: Vec<Value> = self.stated.iter().filter(|stated| self.is_meant(stated)).cloned().collect();
        if meant.is_empty() && !self.stated.is_empty() { Err(self.refused()) } else { Ok(meant) }
    }

    /// What was found now, or what the certificate says where that is more.
    fn best(&self, finding: &Finding) -> Result<Value> {
        let now = || from("release", attack_json(finding));
        if finding.repeatable || self.wanted.params.has_file() {
            return Ok(now());
        }
        let on = json!(finding.on);
        let stated: Vec<&Value> = self.stated.iter().filter(|stated| stated["on"] == on).collect();
        let is_undecided = finding.undecided_people().is_some_and(|people| people >= self.records as u64);
        match stated.iter().find(|stated| self.is_meant(stated)) {
            Some(meant) => Ok((*meant).clone()),
            None if !stated.is_empty() && is_undecided => Err(self.refused()),
            None => Ok(now()),
        }
    }

    fn refused(&self) -> Error {
        let name = self.wanted.kind.name;
        let message = format!("{name}: the release alone is not enough for these parameters");
        Error::plan(message).help(format!("without --set, what the certificate says of {name} is shown"))
    }
}

/// What an attack believes about each group of a release directory and each of its values.
pub fn beliefs(folder: &Path, wanted: &ChosenAttack, formats: &Formats) -> Result<Vec<Believed>> {
    let stated = read(&certificate(folder)?)?;
    let release = stated.release(folder, formats)?;
    let found = stated.attack_release(&release, folder, formats, |target| wanted.build().each(target))?;
    found.ok_or_else(|| {
        let error = Error::plan(format!("{} does not compute a belief for each group", wanted.kind.name));
        error.help("background-knowledge does")
    })
}

/// What a certificate states, if attacks mean anything on its release.
fn read(document: &Value) -> Result<Stated> {
    let stated = Stated::read(document)?;
    if stated.several_records() {
        let error =
            Error::plan("people have several records in this release, and attacks take every record for a person");
        return Err(error.help("`sfumato skyline` with the original table computes beliefs about people"));
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
