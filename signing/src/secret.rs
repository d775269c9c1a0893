//! The key that signs: making it, keeping it, using it.

use crate::NAMESPACE;
use crate::signature::{Signature, fingerprint};
use rand::TryRng;
use rand::rngs::SysRng;
use sfumato::release::{Signer, refuse_inside_release};
use sfumato::{Error, Fault, Result};
use ssh_key::private::{Ed25519Keypair, KeypairData};
use ssh_key::{Algorithm, HashAlg, LineEnding, PrivateKey};
use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// What OpenSSH shows beside the key.
const COMMENT: &str = "sfumato release key";

/// No key file is longer.
const LONGEST: u64 = 64 * 1024;

/// A private key that signs releases. It has no `Debug`: nothing prints it.
pub struct SecretKey(PrivateKey);

impl SecretKey {
    /// A new key, from the operating system's random numbers.
    pub fn generate() -> Result<SecretKey> {
        let mut seed = Zeroizing::new([0; 32]);
        SysRng.try_fill_bytes(&mut *seed).map_err(|_| {
            let error = Error::new(Fault::Resources, "the operating system gives no random numbers");
            error.help("a key must be unpredictable: none is made without them")
        })?;
        let pair = KeypairData::Ed25519(Ed25519Keypair::from_seed(&seed));
        PrivateKey::new(pair, COMMENT).map(SecretKey).map_err(|_| defect("a new key has no public part"))
    }

    /// Reads a private key of OpenSSH. It must be Ed25519, without a passphrase, and readable by
    /// its owner alone.
    pub fn read(path: &Path) -> Result<SecretKey> {
        let failed = |error: std::io::Error| Error::io(&error, path);
        let file = File::open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST as usize));
        file.take(LONGEST).read_to_end(&mut bytes).map_err(failed)?;
        let key = SecretKey::parse(&bytes).map_err(|error| error.file(path))?;
        refuse_open_to_others(&found).map_err(|error| error.file(path))?;
        Ok(key)
    }

    fn parse(bytes: &[u8]) -> Result<SecretKey> {
        if bytes.starts_with(b"ssh-") {
            let error = Error::plan("is a public key, which cannot sign");
            return Err(error.help("name the private key: the same name without .pub"));
        }
        let unusable = || {
            let error = Error::plan("is not an Ed25519 private key in the format of OpenSSH");
            error.help("make one with `sfumato keygen NAME`, or with `ssh-keygen -t ed25519 -N '' -f NAME`")
        };
        let key = PrivateKey::from_openssh(bytes).map_err(|_| unusable())?;
        if key.algorithm() != Algorithm::Ed25519 {
            return Err(unusable());
        }
        if key.is_encrypted() {
            let error = Error::plan("is protected by a passphrase, which sfumato cannot ask for");
            return Err(error.help(format!(
                "use a key without one (`sfumato keygen NAME`), or publish without --sign and sign afterwards: \
                 ssh-keygen -Y sign -n {NAMESPACE} -f KEY RELEASE/certificate.json"
            )));
        }
        Ok(SecretKey(key))
    }

    /// Writes the private key to a file that only its owner can read, and the public key beside it.
    /// Never over anything, and never into a release. Returns where the public key is.
    pub fn save(&self, path: &Path) -> Result<PathBuf> {
        let private = self.0.to_openssh(LineEnding::LF).map_err(|_| defect("a key cannot be written"))?;
        let public = public_path(path)?;
        refuse_inside_release(path)?;
        // Both are looked at before either is written.
        [path, &public].into_iter().try_for_each(refuse_existing)?;
        write_new(path, private.as_bytes(), 0o600)?;
        write_new(&public, self.public_line()?.as_bytes(), 0o644).inspect_err(|_| {
            // Half a pair is of no use, and this half was made above.
            let _ = std::fs::remove_file(path);
        })?;
        Ok(public)
    }

    /// The public key, as it stands in a `.pub` file.
    pub fn public_line(&self) -> Result<String> {
        let line = self.0.public_key().to_openssh().map_err(|_| defect("a public key cannot be written"))?;
        Ok(format!("{line}\n"))
    }

    /// The public key's fingerprint, as `ssh-keygen -l` prints it.
    pub fn fingerprint(&self) -> String {
        fingerprint(self.0.public_key())
    }
}

impl Signer for SecretKey {
    fn sign(&self, certificate: &[u8]) -> Result<Vec<u8>> {
        let signed = self.0.sign(NAMESPACE, HashAlg::Sha512, certificate);
        let text = signed.and_then(|signed| signed.to_pem(LineEnding::LF));
        text.map(String::into_bytes).map_err(|_| defect("the key does not sign"))
    }

    fn has_signed(&self, certificate: &[u8], signature: &[u8]) -> bool {
        let is_own = |read: &Signature| read.key().key_data() == self.0.public_key().key_data();
        Signature::read(signature).is_ok_and(|read| is_own(&read) && read.check(certificate).is_ok())
    }
}

fn defect(what: &str) -> Error {
    Error::new(Fault::Internal, what)
}

/// Refuses a key that others can read, as OpenSSH does: they can sign with it, too.
#[cfg(unix)]
fn refuse_open_to_others(found: &Metadata) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = found.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let error = Error::plan(format!("others can read or change this private key (its mode is {:04o})", mode & 0o7777));
    Err(error.help("run `chmod 600` on it; if somebody may have read it, make a new key instead"))
}

#[cfg(not(unix))]
fn refuse_open_to_others(_: &Metadata) -> Result<()> {
    Ok(())
}

fn public_path(path: &Path) -> Result<PathBuf> {
    let is_name = path.file_name().is_some() && path.extension().is_none_or(|ending| ending != "pub");
    if !is_name {
        let error = Error::plan("name a file for the private key; the public key gets the same name with .pub");
        return Err(error.file(path));
    }
    let mut public = OsString::from(path);
    public.push(".pub");
    Ok(public.into())
}

fn refuse_existing(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io(&error, path)),
        Ok(_) => Err(existing(path)),
    }
}

fn existing(path: &Path) -> Error {
    let error = Error::plan("is there already, and a key is never overwritten").file(path);
    error.help("choose another name; if it is a key that is no longer needed, remove it first")
}

/// Writes a file that is not there yet, not even as a link, and makes it durable.
fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    set_mode(&mut options, mode);
    let mut file = options.open(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => existing(path),
        ErrorKind::NotFound => Error::new(Fault::Io, "its folder does not exist").file(path).help("make it first"),
        _ => Error::io(&error, path),
    })?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| {
        let _ = std::fs::remove_file(path);
        Error::io(&error, path)
    })
}

#[cfg(unix)]
fn set_mode(options: &mut OpenOptions, mode: u32) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(mode);
}

#[cfg(not(unix))]
fn set_mode(_: &mut OpenOptions, _: u32) {}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    #[test]
    fn what_is_saved_is_read_again() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("key");
        let key = SecretKey::generate().unwrap();
        assert_eq!(key.save(&path).unwrap(), folder.path().join("key.pub"));
        let again = SecretKey::read(&path).unwrap();
        assert_eq!(again.fingerprint(), key.fingerprint());
        assert!(key.has_signed(b"text", &again.sign(b"text").unwrap()));
        assert_ne!(SecretKey::generate().unwrap().fingerprint(), key.fingerprint());
    }

    #[test]
    fn neither_half_is_ever_overwritten_and_no_half_is_left() {
        for taken in ["key", "key.pub"] {
            let folder = tempdir().unwrap();
            std::fs::write(folder.path().join(taken), "mine").unwrap();
            let refused = SecretKey::generate().unwrap().save(&folder.path().join("key")).unwrap_err();
            assert!(refused.message().contains("never overwritten"), "{refused}");
            let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
            assert_eq!(left, [folder.path().join(taken)]);
            assert_eq!(std::fs::read_to_string(&left[0]).unwrap(), "mine");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_it_and_links_are_not_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempdir().unwrap();
        let path = folder.path().join("key");
        let key = SecretKey::generate().unwrap();
        key.save(&path).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        for mode in [0o640, 0o604, 0o620, 0o644] {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            let refused = SecretKey::read(&path).map(drop).unwrap_err();
            assert!(refused.message().contains(&format!("{mode:04o}")), "{refused}");
        }
        symlink(folder.path().join("nowhere"), folder.path().join("link")).unwrap();
        assert!(key.save(&folder.path().join("link")).is_err());
        assert!(!folder.path().join("nowhere").exists());
    }

    #[test]
    fn names_that_cannot_be_a_private_key_are_refused() {
        let folder = tempdir().unwrap();
        let key = SecretKey::generate().unwrap();
        for name in ["key.pub", ".."] {
            assert_eq!(key.save(&folder.path().join(name)).unwrap_err().fault(), Fault::Plan, "{name}");
        }
        assert_eq!(key.save(&folder.path().join("none/key")).unwrap_err().fault(), Fault::Io);
        std::fs::write(folder.path().join("certificate.json"), "{}").unwrap();
        assert!(key.save(&folder.path().join("key")).unwrap_err().message().contains("is a release"));
    }

    #[test]
    fn what_cannot_sign_is_told_apart() {
        let key = SecretKey::generate().unwrap();
        let text = key.0.to_openssh(LineEnding::LF).unwrap().to_string();
        let public = key.public_line().unwrap();
        for (bytes, part) in [
            (public.as_str(), "is a public key"),
            ("", "is not an Ed25519 private key"),
            ("hello", "is not an Ed25519 private key"),
            (&text[..text.len() / 2], "is not an Ed25519 private key"),
            ("-----BEGIN RSA PRIVATE KEY-----\n", "is not an Ed25519 private key"),
        ] {
            let error = SecretKey::parse(bytes.as_bytes()).map(drop).unwrap_err();
            assert!(error.message().contains(part) && error.fault() == Fault::Plan, "{error}");
        }
    }
}
