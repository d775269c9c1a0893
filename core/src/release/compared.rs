//! Certificates of several releases, each with what the others state and its own files tell as
//! well.

use super::stated::{Release, Stated};
use super::together::together;
use super::verify::{certificate, verify};
use crate::certificate::table::{CriterionDeclared, VerdictFigures};
use crate::certificate::{Certificate, as_written, join};
use crate::criterion::Requirement;
use crate::data::Formats;
use crate::error::{Error, Result};
use crate::report::{Pair, together_json};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Releases side by side.
pub struct SideBySide {
    /// Their certificates, by name.
    pub certificates: Vec<(String, Certificate)>,
    /// The same, each with what the others state as well.
    pub documents: Vec<(String, Value)>,
    /// What every two of those that verify disclose together.
    pub pairs: Vec<Pair>,
    /// The names of those that do not verify: their figures cannot be relied on.
    pub doubtful: Vec<String>,
}

impl SideBySide {
    /// All of it as one document.
    pub fn json(self) -> Value {
        let all = self.certificates.into_iter().map(|(name, certificate)| (name, certificate.document));
        serde_json::json!({
            "releases": all.collect::<serde_json::Map<_, _>>(),
            "together": together_json(&self.pairs),
            "do_not_verify": self.doubtful,
        })
    }
}

/// Verifies release directories, each with a name, and puts them side by side. Some of tables and
/// some of transactions are refused.
pub fn side_by_side(releases: &[(String, PathBuf)], formats: &Formats) -> Result<SideBySide> {
    let mut certificates = Vec::new();
    let mut doubtful = Vec::new();
    for (name, folder) in releases {
        certificates.push((name.clone(), certificate(folder)?));
        if !verify(folder, formats)?.holds() {
            doubtful.push(name.clone());
        }
    }
    refuse_mixed(&certificates)?;
    let pairs = pairs(releases, &doubtful, formats)?;
    let folders = releases.iter().map(|(_, folder)| folder.as_path());
    let read: Vec<_> = folders.zip(certificates.iter().map(|(_, own)| own)).collect();
    let names = releases.iter().map(|(name, _)| name.clone());
    let documents = names.zip(compared(&read, formats)).collect();
    Ok(SideBySide { certificates, documents, pairs, doubtful })
}

/// What every two releases disclose together; those that do not verify are left out.
fn pairs(releases: &[(String, PathBuf)], doubtful: &[String], formats: &Formats) -> Result<Vec<Pair>> {
    let sound: Vec<&(String, PathBuf)> = releases.iter().filter(|(name, _)| !doubtful.contains(name)).collect();
    let two = |at: usize| sound[..at].iter().map(move |first| (first, at));
    let twos = (0..sound.len()).flat_map(two);
    twos.map(|(first, at)| {
        together([first, sound[at]].map(|(name, folder)| (name.as_str(), folder.as_path())), formats)
    })
    .collect()
}

/// Refuses certificates of which only some are about transactions.
fn refuse_mixed(releases: &[(String, Certificate)]) -> Result<()> {
    let count = releases.iter().filter(|(_, certificate)| certificate.is_sets()).count();
    if count > 0 && count < releases.len() {
        let error = Error::plan("some of these releases are of transactions, and some of tables");
        return Err(error.help("compare each kind by itself"));
    }
    Ok(())
}

/// The documents to be compared. A criterion that only some of the releases were asked for is
/// measured on the others too, wherever their files tell; that it was not asked for shows by
/// `holds`, which is null. Releases whose files cannot be read are left as their certificates say.
fn compared(releases: &[(&Path, &Certificate)], formats: &Formats) -> Vec<Value> {
    let asked: Vec<Vec<CriterionDeclared>> = releases.iter().map(|(_, certificate)| criteria(certificate)).collect();
    let one = |(at, (folder, certificate)): (usize, &(&Path, &Certificate))| {
        let own = asked[at].iter().map(subject).collect::<Vec<_>>();
        let mut others: Vec<&CriterionDeclared> = Vec::new();
        for wanted in asked.iter().flatten().filter(|wanted| !own.contains(&subject(wanted))) {
            if !others.iter().any(|known| subject(known) == subject(wanted)) {
                others.push(wanted);
            }
        }
        let mut document = certificate.document.clone();
        let measured = measured(folder, certificate, &others, formats).unwrap_or_default();
        if let Some(list) = document["criteria"].as_array_mut() {
            list.extend(measured);
        }
        document
    };
    releases.iter().enumerate().map(one).collect()
}

/// What a criterion is about, whatever its parameters.
fn subject(wanted: &CriterionDeclared) -> (&str, &[String]) {
    (&wanted.criterion, wanted.columns())
}

/// What was required of a table.
fn criteria(certificate: &Certificate) -> Vec<CriterionDeclared> {
    let listed = certificate.document["criteria"].as_array().filter(|_| !certificate.is_sets());
    listed.into_iter().flatten().filter_map(|one| serde_json::from_value(one.clone()).ok()).collect()
}

/// Criteria that were not asked for, as far as the release tells them.
fn measured(
    folder: &Path,
    certificate: &Certificate,
    others: &[&CriterionDeclared],
    formats: &Formats,
) -> Result<Vec<Value>> {
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let stated = Stated::read(certificate.part()?)?;
    let release = stated.release(folder, formats)?;
    Ok(others.iter().filter_map(|wanted| measure(&stated, &release, wanted)).collect())
}

/// One of them; `None` if it cannot be asked of the release, or the release alone does not tell.
fn measure(stated: &Stated, release: &Release, wanted: &CriterionDeclared) -> Option<Value> {
    let written = as_written(&wanted.params);
    let requirement = Requirement::new(&wanted.criterion, &written, wanted.columns(), &stated.schema).ok()?;
    let prepared = stated.schema.prepare(&release.table).ok()?;
    let answer = stated.answer(&prepared, release, &requirement).ok().filter(|answer| answer.is_checked)?;
    let mut document = join(wanted, &VerdictFigures::from(&answer));
    document["holds"] = Value::Null;
    Some(document)
}
