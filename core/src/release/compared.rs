//! Certificates of several releases, each with what the others state and its own files tell as
//! well.

use super::stated::{Release, Stated};
use crate::certificate::table::{CriterionDeclared, VerdictFigures};
use crate::certificate::{Certificate, as_written, join};
use crate::criterion::Requirement;
use crate::data::Formats;
use crate::error::Result;
use serde_json::Value;
use std::path::Path;

/// The documents to be compared. A criterion that only some of the releases were asked for is
/// measured on the others too, wherever their files tell; that it was not asked for shows by
/// `holds`, which is null. Releases whose files cannot be read are left as their certificates say.
pub fn compared(releases: &[(&Path, &Certificate)], formats: &Formats) -> Vec<Value> {
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
