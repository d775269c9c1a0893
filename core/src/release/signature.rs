//! Signatures of certificates: where one stands in a release, and how it gets there.
//!
//! A certificate holds the hashes of all other files, so whoever signs its bytes signs the release.
//! Keys and formats are the business of a [`Signer`]; the library itself knows none.

use super::certify::is_sealed;
use super::directory::CERTIFICATE;
use super::verify::{Verification, plain_file};
use super::write_file;
use crate::error::{Error, ErrorCode, Result};
use std::path::Path;

/// The signature's file name: where `ssh-keygen -Y sign` puts it, too.
pub const SIGNATURE: &str = "certificate.json.sig";

/// No signature is longer; a longer file under its name is something else.
const LONGEST: u64 = 16 * 1024;

/// Signs certificates.
pub trait Signer {
    /// The signature of a certificate's bytes, as it is written into the release.
    fn sign(&self, certificate: &[u8]) -> Result<Vec<u8>>;

    /// Whether this signer made the signature, and of these bytes.
    fn has_signed(&self, certificate: &[u8], signature: &[u8]) -> bool;
}

/// The bytes of a release's signature, `None` if it has none. Something else under that name is
/// none either: [`verify()`](super::verify()) finds a file that does not belong there.
pub fn signature(folder: &Path) -> Result<Option<Vec<u8>>> {
    if is_signature(folder, SIGNATURE) { plain_file(folder, SIGNATURE) } else { Ok(None) }
}

impl Verification {
    /// Whether the certificate has this seal, and is unchanged under it.
    pub fn is_sealed_by(&self, seal: &str) -> bool {
        self.seal == seal && is_sealed(&self.certificate, seal)
    }
}

/// Whether an entry of a release directory may be its signature, which no certificate can list.
pub(super) fn is_signature(folder: &Path, name: &str) -> bool {
    let fits = |found: std::fs::Metadata| found.is_file() && found.len() <= LONGEST;
    name == SIGNATURE && folder.join(name).symlink_metadata().is_ok_and(fits)
}

/// Signs the certificate in a folder, and reads both back: what is on disk is what was signed.
pub(super) fn add(folder: &Path, certificate: &[u8], signer: &dyn Signer) -> Result<()> {
    write_file(&folder.join(SIGNATURE), &signer.sign(certificate)?)?;
    let [certificate, signature] = [plain_file(folder, CERTIFICATE)?, plain_file(folder, SIGNATURE)?];
    let is_signed = certificate.zip(signature).is_some_and(|(text, signature)| signer.has_signed(&text, &signature));
    if is_signed {
        return Ok(());
    }
    Err(Error::of(ErrorCode::NotVerified, "the signature that was written does not verify: nothing was published"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Formats;
    use crate::error::Fault;
    use crate::release::Destination;
    use tempfile::tempdir;

    /// Signs by repeating the text, or something else.
    struct Echo(Option<&'static [u8]>);

    impl Signer for Echo {
        fn sign(&self, certificate: &[u8]) -> Result<Vec<u8>> {
            Ok(self.0.unwrap_or(certificate).to_vec())
        }

        fn has_signed(&self, certificate: &[u8], signature: &[u8]) -> bool {
            certificate == signature
        }
    }

    #[test]
    fn what_does_not_verify_is_an_error() {
        let folder = tempdir().unwrap();
        std::fs::write(folder.path().join(CERTIFICATE), "text").unwrap();
        add(folder.path(), b"text", &Echo(None)).unwrap();
        assert_eq!(signature(folder.path()).unwrap(), Some(b"text".to_vec()));
        // A wrong signature, and a certificate that reached the disk in another shape.
        for (text, signer) in [("text", Echo(Some(b"other"))), ("other", Echo(None))] {
            assert_eq!(add(folder.path(), text.as_bytes(), &signer).unwrap_err().fault(), Fault::Gate);
        }
    }

    /// Looks at the target when it signs and checks, and then fails or not.
    struct Watchful<'a> {
        target: &'a Path,
        signs: bool,
        checks: bool,
    }

    impl Watchful<'_> {
        fn assert_is_nameless(&self) {
            assert!(!self.target.exists(), "the release had its name before it was signed");
        }
    }

    impl Signer for Watchful<'_> {
        fn sign(&self, _: &[u8]) -> Result<Vec<u8>> {
            self.assert_is_nameless();
            if self.signs { Ok(b"signed".to_vec()) } else { Err(Error::plan("no key")) }
        }

        fn has_signed(&self, _: &[u8], _: &[u8]) -> bool {
            self.assert_is_nameless();
            self.checks
        }
    }

    #[test]
    fn a_release_appears_signed_or_not_at_all() {
        const PLAN: &str = r#"
            data = { kind = "transactions", sensitive = { items = ["wine"] } }
            require = [{ criterion = "rho-uncertainty", rho = "0.5" }]
        "#;
        let plan = crate::plan::SetPlan::parse(PLAN, Path::new(".")).unwrap();
        let read = crate::transactions::read_lines(b"bread wine\nbread milk\nmilk wine\nmilk bread\n", None).unwrap();
        let made = crate::publish::make(&plan, &read, &Formats::default()).unwrap().pass().unwrap();
        for (signs, checks) in [(false, true), (true, false), (true, true)] {
            let folder = tempdir().unwrap();
            let target = folder.path().join("release");
            let signer = Watchful { target: &target, signs, checks };
            let place = Destination { signer: Some(&signer), ..Destination::new(&target) };
            let written = crate::release::write(&made, &plan, &place, &Formats::default());
            assert_eq!(written.is_ok(), signs && checks);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), usize::from(signs && checks));
            assert_eq!(target.join(SIGNATURE).exists(), signs && checks);
        }
    }

    #[test]
    fn only_a_short_plain_file_is_a_signature() {
        let folder = tempdir().unwrap();
        let path = folder.path().join(SIGNATURE);
        assert_eq!(signature(folder.path()).unwrap(), None);
        assert!(!is_signature(folder.path(), SIGNATURE));
        std::fs::write(&path, vec![0; LONGEST as usize]).unwrap();
        assert!(is_signature(folder.path(), SIGNATURE) && !is_signature(folder.path(), "other"));
        assert_eq!(signature(folder.path()).unwrap().map(|bytes| bytes.len() as u64), Some(LONGEST));
        std::fs::write(&path, vec![0; LONGEST as usize + 1]).unwrap();
        assert_eq!(signature(folder.path()).unwrap(), None);
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(!is_signature(folder.path(), SIGNATURE));
        assert_eq!(signature(folder.path()).unwrap(), None);
    }

    #[test]
    fn a_seal_that_is_merely_stated_is_none() {
        let statement = serde_json::json!({ "records": 12 });
        let sealed = crate::release::certify::seal(&statement, &Default::default()).unwrap();
        let seal = sealed.certificate.head.seal;
        let found = |certificate: String| Verification {
            claims: Vec::new(),
            seal: seal.clone(),
            certificate,
            confirmed: 0,
            earlier: Vec::new(),
        };
        assert!(found(sealed.text.clone()).is_sealed_by(&seal));
        assert!(!found(sealed.text.clone()).is_sealed_by(&"0".repeat(64)));
        assert!(!found(sealed.text.replace("12", "13")).is_sealed_by(&seal));
    }
}
