//! Attacks a release directory with what it tells, and with what everybody may know besides.

use super::stated::Stated;
use super::verify::certificate;
use crate::attack::{self, Believed, ChosenAttack, Finding};
use crate::certificate::table::{Figures, FindingFigures};
use crate::certificate::{Certificate, settings};
use crate::data::Formats;
use crate::error::{Error, Result};
use crate::report::{Reported, Source};
use std::path::Path;

/// What attacks find in a release directory.
///
/// An attack that needs more than the directory has (the original's quasi-identifiers, say) cannot
/// be repeated; in its place stands what the certificate says it found when the release was made.
/// That is so for the parameters it was made with: with others the attack is refused. A register
/// that is named here is read, and what is found with it is found now.
pub fn attack(folder: &Path, wanted: &[ChosenAttack], formats: &Formats) -> Result<Vec<Reported>> {
    let certificate = certificate(folder)?;
    let (stated, figures) = (read(&certificate)?, certificate.part::<Figures>()?);
    let release = stated.release(folder, formats)?;
    stated.attack_release(&release, folder, formats, |target| {
        let mut found = Vec::new();
        for one in wanted {
            refuse_register(one, &stated)?;
            let again = one.build().run(target)?;
            again.iter().try_for_each(Finding::check_register)?;
            let of_certificate = figures.attacks.iter().filter(|stated| stated.attack == one.kind.name);
            let case = Case { wanted: one, stated: of_certificate.collect(), records: release.table.rows() };
            match again.is_empty() {
                true => found.extend(case.only_stated()?),
                false => found.extend(again.iter().map(|finding| case.best(finding)).collect::<Result<Vec<_>>>()?),
            }
        }
        Ok(found)
    })
}

/// Refuses to compare a register with means or medians: they do not say which people fit a group.
fn refuse_register(wanted: &ChosenAttack, stated: &Stated) -> Result<()> {
    let central = stated.columns.iter().find(|column| column.spec.center.is_some());
    match central.filter(|_| wanted.params.has_file()) {
        None => Ok(()),
        Some(column) => {
            let name = &column.spec.name;
            let message = format!(
                "{}: column \"{name}\" has means or medians of groups, which do not say which people of a register fit",
                wanted.kind.name
            );
            Err(Error::plan(message).help("leave out the register"))
        }
    }
}

/// An attack, and what the certificate says of it.
struct Case<'a> {
    wanted: &'a ChosenAttack,
    stated: Vec<&'a FindingFigures>,
    /// Published records.
    records: usize,
}

impl Case<'_> {
    /// Whether the attack was made with these parameters; the default ones stand for any.
    fn is_meant(&self, stated: &FindingFigures) -> bool {
        self.wanted.is_default() || stated.params == settings(&self.wanted.params)
    }

    /// What the certificate says, if the release itself tells nothing.
    fn only_stated(&self) -> Result<Vec<Reported>> {
        let meant = self.stated.iter().filter(|stated| self.is_meant(stated));
        let meant: Vec<Reported> = meant.map(|stated| Reported::by_certificate(stated)).collect();
        if meant.is_empty() && !self.stated.is_empty() { Err(self.refused()) } else { Ok(meant) }
    }

    /// What was found now, or what the certificate says where that is more.
    fn best(&self, finding: &Finding) -> Result<Reported> {
        let now = || Reported { finding: finding.into(), source: Source::Release };
        if finding.repeatable || self.wanted.params.has_file() {
            return Ok(now());
        }
        let stated: Vec<&&FindingFigures> = self.stated.iter().filter(|stated| stated.on == finding.on).collect();
        let is_undecided = finding.undecided_people().is_some_and(|people| people >= self.records as u64);
        match stated.iter().find(|stated| self.is_meant(stated)) {
            Some(meant) => Ok(Reported::by_certificate(meant)),
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
        error.help(format!("{} does", attack::BY_GROUP.name))
    })
}

/// What a certificate states, if attacks mean anything on its release.
fn read(certificate: &Certificate) -> Result<Stated> {
    let stated = Stated::read(certificate.part()?)?;
    if stated.several_records() {
        let error =
            Error::plan("people have several records in this release, and attacks take every record for a person");
        return Err(error.help("`sfumato skyline` with the original table computes beliefs about people"));
    }
    Ok(stated)
}
