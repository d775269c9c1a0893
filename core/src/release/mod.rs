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
mod compared;
pub mod directory;
mod public;
pub mod record;
mod signature;
mod stated;
mod statement;
mod together;
pub mod transactions;
mod verify;

pub use attacked::{attack, beliefs};
pub use compared::{SideBySide, side_by_side};
pub use signature::{SIGNATURE, Signer, signature};
pub use statement::Public;
pub use verify::{Claim, Verification, certificate, records, table, verify};

use crate::certificate::{Certificate, FileFacts, Named, broken, value};
use crate::data::Formats;
use crate::error::{Error, ErrorCode, Fault, Result};
use crate::publish::Stages;
use certify::Sealed;
use directory::{CERTIFICATE, Staging};
use record::Entry;
use statement::Statement;
use std::path::{Path, PathBuf};
use verify::Case;

/// The report's file name.
pub const REPORT: &str = "report.html";

/// How a plan's publications are written: what truly differs between the kinds of data.
pub trait Certified: Stages {
    /// What certificates declare, checked.
    type Stated: Public;

    /// Writes what is published into a folder; gives the names of the files, in their order.
    fn write_files(&self, made: &Self::Made, folder: &Path, formats: &Formats) -> Result<Vec<String>>;

    /// What is declared of a release in these files. The only way from the custodian's knowledge
    /// into a certificate.
    fn declare(
        &self,
        made: &Self::Made,
        files: &[String],
        earlier: Vec<String>,
        formats: &Formats,
    ) -> Result<<Self::Stated as Public>::Declared>;
}

/// Writes a release directory: files in a folder nobody sees, verification of what was written, and
/// one rename. Returns the certificate.
pub fn write<P: Certified>(
    made: &P::Made,
    plan: &P,
    place: &Destination<'_>,
    formats: &Formats,
) -> Result<Certificate> {
    place.write(formats, |folder| {
        let files = plan.write_files(made, folder, formats)?;
        // What cannot be read is a disk that fails, not a table that is wrong.
        let mut hashed = certify::hashes(folder, &files)?;
        let declared = plan.declare(made, &files, place.earlier_seals(&hashed), formats)?;
        // What is declared is read as verifiers read it, and all else is said from what stands in
        // the folder now: so they come to the same, and nobody need say it once more.
        let again = serde_json::from_value(value(&declared)).map_err(|error| broken(&error.to_string()));
        let stated = again.and_then(P::Stated::read).map_err(unreadable)?;
        let statement = stated.say(folder, formats).map_err(unreadable)?;
        write_file(&folder.join(REPORT), statement.report.as_bytes())?;
        hashed.0.extend(certify::hashes(folder, &[REPORT.to_string()])?.0);
        Ok(Filled { sealed: certify::seal(&statement.document, &hashed)?, statement, files })
    })
}

/// A folder with all files of a release but the certificate.
struct Filled {
    sealed: Sealed,
    /// What was said from reading the files again.
    statement: Statement,
    files: Vec<String>,
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
    fn earlier_seals(&self, hashes: &Named<FileFacts>) -> Vec<String> {
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
    fn write(&self, formats: &Formats, fill: impl FnOnce(&Path) -> Result<Filled>) -> Result<Certificate> {
        // An empty folder that somebody made for the release is as good as none; `remove_dir`
        // removes no other.
        let was_empty = !self.target.is_symlink() && std::fs::remove_dir(self.target).is_ok();
        let written = formats.watch().run(|| self.write_new(fill));
        if was_empty && written.is_err() {
            let _ = std::fs::create_dir(self.target);
        }
        written
    }

    fn write_new(&self, fill: impl FnOnce(&Path) -> Result<Filled>) -> Result<Certificate> {
        let staging = self.stage()?;
        let Filled { sealed, statement, files } = fill(staging.path())?;
        self.certify(staging, sealed, |case| case.confirm(statement, &files))
    }

    /// A folder that nobody sees, beside the place.
    fn stage(&self) -> Result<Staging> {
        refuse_inside_release(self.target)?;
        let staging = Staging::begin(self.target, self.replace, self.inputs)?;
        refuse_foreign_files(self.target)?;
        Ok(staging)
    }

    /// Adds the certificate and its signature to a folder that has all other files, verifies it and
    /// gives it its name.
    fn certify(
        &self,
        staging: Staging,
        sealed: Sealed,
        verify: impl FnOnce(&Case<'_>) -> Result<Verification>,
    ) -> Result<Certificate> {
        write_file(&staging.path().join(CERTIFICATE), sealed.text.as_bytes())?;
        if let Some(signer) = self.signer {
            signature::add(staging.path(), sealed.text.as_bytes(), signer)?;
        }
        let verification = verify(&Case { folder: staging.path(), sealed: &sealed })?;
        if let Some(claim) = verification.failed().next() {
            let message = format!("what was written does not verify ({}): nothing was published", claim.name);
            return Err(Error::of(ErrorCode::NotVerified, message));
        }
        staging.commit()?;
        Ok(sealed.certificate)
    }
}

/// Puts a copy of a release directory in another place, whole or not at all: the same files and the
/// same certificate, signed anew if the place says by whom. That they are the files that the
/// certificate is about is checked; what it states of them is what [`verify()`] is for.
pub fn copy(folder: &Path, place: &Destination<'_>) -> Result<Certificate> {
    let sealed = verify::sealed(folder)?;
    let staging = place.stage()?;
    for name in sealed.certificate.head.files.names() {
        // A name may be of somebody else's making: what is no plain file is not followed.
        let bytes = verify::plain_file(folder, name)?;
        let gone = || Error::of(ErrorCode::NotVerified, "a file of the release is not there").file(folder);
        write_file(&staging.path().join(name), &bytes.ok_or_else(gone)?)?;
    }
    place.certify(staging, sealed, |case| case.check_copy())
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
        found => found.map(|found| found.head.files).unwrap_or_default(),
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
