//! Releases on disk: written whole or not at all, with a certificate that anybody can check against
//! the files.
//!
//! A release directory holds the published table (`data.csv` or another format), `certificate.json`
//! and `report.html`. The certificate states every figure, the hash of every other file, and a seal
//! over itself; `certificate.json.sig` is its signature, if the publisher signed it ([`Signer`]);
//! [`verify()`] reads the directory alone and recomputes whatever can be.

mod attacked;
mod certify;
mod column;
pub mod directory;
mod public;
pub mod record;
mod signature;
mod stated;
mod together;
pub mod transactions;
mod verify;

pub use attacked::{attack, beliefs};
pub use signature::{SIGNATURE, Signer, signature};
pub use together::together;
pub use verify::{Claim, Verification, certificate, table, verify};

use crate::data::{Formats, Formulas};
use crate::error::{Error, ErrorCode, Fault, Result};
use crate::plan::TablePlan;
use crate::publish::Made;
use certify::{Certificate, Statement};
use directory::{CERTIFICATE, Staging};
use record::Entry;
use serde_json::{Map, Value};
use stated::Stated;
use std::path::{Path, PathBuf};

/// The report's file name.
pub const REPORT: &str = "report.html";

/// Writes a release directory: files in a folder nobody sees, verification of what was written, and
/// one rename. Returns the certificate.
pub fn write(made: &Made, plan: &TablePlan, place: &Destination<'_>, formats: &Formats) -> Result<Value> {
    let publishing = &plan.publishing;
    place.write(formats, |folder| {
        let mut files = Vec::new();
        for (name, table) in made.recoded.written(&plan.schema, publishing.recoding, publishing.chance)? {
            files.push(format!("{name}.{}", publishing.format));
            let path = folder.join(&files[files.len() - 1]);
            let formulas = if formats.of(&path)?.is_text() { publishing.formulas } else { Formulas::Keep };
            formats.write(&*formulas.apply(&table)?, &path)?;
        }
        // What cannot be read is a disk that fails, not a table that is wrong.
        let mut hashed = certify::hashes(folder, &files)?;
        // The declared part is read as verifiers read it, so that they come to the same.
        let mut declared = Stated::of(made, plan, &files, formats)?.write();
        declared["earlier_releases"] = place.earlier_seals(&hashed).into();
        declared["files"] = hashed.clone().into();
        let stated = Stated::read(&declared).map_err(unreadable)?;
        let Statement { mut document, report, .. } = Statement::new(&stated, folder, formats).map_err(unreadable)?;
        write_file(&folder.join(REPORT), report.as_bytes())?;
        hashed.extend(certify::hashes(folder, &[REPORT.to_string()])?);
        document["files"] = hashed.into();
        Ok(certify::seal(document))
    })
}

/// What was written must be readable by everybody.
fn unreadable(error: Error) -> Error {
    let message = || format!("what was written cannot be read back and checked: {error}");
    match error.fault() {
        Fault::Io | Fault::Resources => error,
        // A table that was written a moment ago and is no table is a disk that fails.
        Fault::Data => Error::new(Fault::Io, message()),
        _ => Error::of(ErrorCode::NotVerified, message()),
    }
}

/// Where a release is to be.
pub struct Destination<'a> {
    /// The release directory to make.
    pub target: &'a Path,
    /// Whether a release that is there may be replaced.
    pub replace: bool,
    /// Files that were read: none of them is ever overwritten.
    pub inputs: &'a [PathBuf],
    /// Earlier releases of the same records, as far as the publisher knows: the certificate
    /// declares them.
    pub earlier: &'a [Entry],
    /// What signs the certificate, if anything does.
    pub signer: Option<&'a dyn Signer>,
}

impl<'a> Destination<'a> {
    /// A new directory, of which nothing else is known.
    pub fn new(target: &'a Path) -> Destination<'a> {
        Destination { target, replace: false, inputs: &[], earlier: &[], signer: None }
    }

    /// The seals of earlier releases with other files than these, each once: the same files once
    /// more tell nothing new.
    fn earlier_seals(&self, hashes: &Map<String, Value>) -> Vec<String> {
        let (mut published, mut seals) = (vec![record::data_hash(hashes)], Vec::new());
        for entry in self.earlier {
            if !published.contains(&entry.data) {
                published.push(entry.data.clone());
                seals.push(entry.seal.clone());
            }
        }
        seals
    }

    /// Lets `fill` write all files but the certificate into a folder nobody sees, adds the
    /// certificate and its signature, verifies what was written and gives it its name.
    fn write(&self, formats: &Formats, fill: impl FnOnce(&Path) -> Result<Certificate>) -> Result<Value> {
        // An empty folder that somebody made for the release is as good as none; `remove_dir`
        // removes no other.
        let was_empty = !self.target.is_symlink() && std::fs::remove_dir(self.target).is_ok();
        let written = formats.watch().run(|| self.write_new(formats, fill));
        if was_empty && written.is_err() {
            let _ = std::fs::create_dir(self.target);
        }
        written
    }

    fn write_new(&self, formats: &Formats, fill: impl FnOnce(&Path) -> Result<Certificate>) -> Result<Value> {
        refuse_inside_release(self.target)?;
        let staging = Staging::begin(self.target, self.replace, self.inputs)?;
        refuse_foreign_files(self.target)?;
        let certificate = fill(staging.path())?;
        write_file(&staging.path().join(CERTIFICATE), certificate.text.as_bytes())?;
        if let Some(signer) = self.signer {
            signature::add(staging.path(), certificate.text.as_bytes(), signer)?;
        }
        let verification = verify(staging.path(), formats)?;
        if let Some(claim) = verification.failed().next() {
            let message = format!("what was written does not verify ({}): nothing was published", claim.name);
            return Err(Error::of(ErrorCode::NotVerified, message));
        }
        staging.commit()?;
        Ok(certificate.document)
    }
}

/// Refuses to replace a folder with files that its certificate does not know: they are somebody's.
fn refuse_foreign_files(target: &Path) -> Result<()> {
    let entries = match std::fs::read_dir(target) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        listed => listed.and_then(Iterator::collect::<std::io::Result<Vec<_>>>),
    };
    let entries = entries.map_err(|error| Error::io(&error, target))?;
    // A certificate that says nothing knows no file; one that cannot be read is no reason to blame
    // anybody.
    let known = match certificate(target) {
        Err(error) if error.fault() == Fault::Io => return Err(error),
        found => found.map(|document| document["files"].clone()).unwrap_or_default(),
    };
    let foreign = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut foreign = foreign.filter(|name| name != CERTIFICATE && !signature::is_signature(target, name));
    match foreign.find(|name| known.get(name).is_none()) {
        None => Ok(()),
        Some(_) => {
            let error = Error::plan("is there already, with files that are not part of a release").file(target);
            Err(error.help("choose another --out; nothing is ever replaced but a release"))
        }
    }
}

/// Refuses to write into a release directory: what its certificate does not know spoils it.
pub fn refuse_inside_release(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.join(CERTIFICATE).exists() {
        let error = Error::plan("its folder is a release: another file would spoil it").file(path);
        return Err(error.help("choose a place outside of release directories"));
    }
    Ok(())
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).map_err(|error| Error::io(&error, path))
}
