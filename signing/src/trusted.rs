//! Public keys that a recipient has from the publisher.

use crate::signature::{Signature, fingerprint};
use sfumato::{Error, ErrorCode, Result};
use ssh_key::PublicKey;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

/// No file of keys is longer.
const LONGEST: u64 = 1024 * 1024;

/// How the kinds of keys begin that OpenSSH knows.
const KINDS: [&str; 4] = ["ssh-", "ecdsa-", "sk-ssh-", "sk-ecdsa-"];

/// The kind whose signatures are accepted.
const ED25519: &str = "ssh-ed25519";

/// Ed25519 keys, any of which may have signed.
#[derive(Clone, Debug)]
pub struct TrustedKeys(Vec<PublicKey>);

impl TrustedKeys {
    /// Reads a file of public keys, one a line: a `.pub` file, several of them together, or a file
    /// of allowed signers (`NAME KIND KEY`) without options.
    pub fn read(path: &Path) -> Result<TrustedKeys> {
        let mut text = String::new();
        let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
        match read {
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Err(no_keys().file(path)),
            Err(error) => Err(Error::io(&error, path)),
            Ok(_) => text.parse().map_err(|error: Error| error.file(path)),
        }
    }

    /// How many keys there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The fingerprint of the key that signed a certificate, if it is one of these; else why not.
    pub fn signer_of(&self, certificate: &[u8], signature: &[u8]) -> Result<String> {
        let signature = Signature::read(signature)?;
        let claimed = signature.key();
        if self.0.iter().all(|key| key.key_data() != claimed.key_data()) {
            let message = format!("it is by another key, {}", fingerprint(&claimed));
            return Err(Error::of(ErrorCode::NotVerified, message));
        }
        signature.check(certificate)?;
        Ok(fingerprint(&claimed))
    }
}

impl FromStr for TrustedKeys {
    type Err = Error;

    fn from_str(text: &str) -> Result<TrustedKeys> {
        if text.contains("PRIVATE KEY-----") {
            let error = Error::plan("is a private key, which nobody but its owner should have");
            return Err(error.help("name the public key: the same name with .pub"));
        }
        let mut keys = Vec::new();
        for (line, at) in text.lines().map(str::trim).zip(1..) {
            if !line.is_empty() && !line.starts_with('#') {
                keys.extend(read_line(line).map_err(|error| error.line(at))?);
            }
        }
        if keys.is_empty() { Err(no_keys()) } else { Ok(TrustedKeys(keys)) }
    }
}

fn no_keys() -> Error {
    let error = Error::plan("has no Ed25519 public key in the format of OpenSSH");
    error.help("name the publisher's .pub file, whose line begins with ssh-ed25519")
}

/// Reads `KIND KEY` or `NAME KIND KEY`, with anything behind; `None` if the key is of another kind,
/// no signature of which is accepted.
fn read_line(line: &str) -> Result<Option<PublicKey>> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let is_kind = |field: &&str| KINDS.iter().any(|kind| field.starts_with(kind));
    let at = fields.iter().position(is_kind).ok_or_else(|| Error::plan("is not a public key in the format of OpenSSH"));
    let (before, key) = fields.split_at(at?);
    if key[0] != ED25519 {
        return Ok(None);
    }
    // What limits a key must not be passed over: its time, its purpose, that it is an authority's.
    let is_option = |field: &&str| field.contains(['=', '"']) || *field == "cert-authority";
    if before.len() > 1 || before.iter().any(is_option) {
        let error = Error::plan("the key has options, which sfumato does not know");
        return Err(error.help("give the key alone, or let `ssh-keygen -Y verify` decide"));
    }
    let key: Vec<&str> = key.iter().take(2).copied().collect();
    PublicKey::from_openssh(&key.join(" ")).map(Some).map_err(|_| Error::plan("the public key is damaged"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SecretKey;
    use sfumato::Fault;
    use sfumato::release::Signer;

    fn line() -> (SecretKey, String) {
        let key = SecretKey::generate().unwrap();
        let line = key.public_line().unwrap();
        (key, line.trim_end().to_string())
    }

    #[test]
    fn keys_stand_alone_in_files_of_several_and_among_allowed_signers() {
        let ((own, line), (_, other)) = (line(), line());
        let signature = own.sign(b"text").unwrap();
        let bare: Vec<&str> = line.split(' ').take(2).collect();
        for (text, count) in [
            (line.clone(), 1),
            (bare.join(" "), 1),
            (format!("\r\n{line}\r\n"), 1),
            (format!("# ours\n\n  {other}\n{line}\n"), 2),
            (format!("ssh-rsa AAAA other\n{line}\nus ecdsa-sha2-nistp256 AAAA\n"), 1),
            (format!("data@hospital.example {line}\n*@other.example {other}\n"), 2),
        ] {
            let keys: TrustedKeys = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(keys.count(), count, "{text}");
            assert_eq!(keys.signer_of(b"text", &signature).unwrap(), own.fingerprint(), "{text}");
        }
        let keys: TrustedKeys = other.parse().unwrap();
        let refused = keys.signer_of(b"text", &signature).unwrap_err();
        assert_eq!(refused.message(), format!("it is by another key, {}", own.fingerprint()));
    }

    #[test]
    fn what_limits_a_key_is_not_passed_over() {
        let (_, line) = line();
        for options in [
            "cert-authority",
            "namespaces=\"git\"",
            "command=\"ls -l\"",
            "name namespaces=\"git\"",
            "name cert-authority",
            "name valid-before=\"20200101\"",
        ] {
            let error = format!("# first\n{options} {line}").parse::<TrustedKeys>().unwrap_err();
            assert!(error.to_string().starts_with("line 2: the key has options"), "{error}");
            assert_eq!(error.fault(), Fault::Plan);
        }
    }

    #[test]
    fn what_is_no_key_is_an_error_with_its_line() {
        let (_, line) = line();
        let broken = line.replacen("AAAA", "AAAB", 1);
        for (text, part) in [
            ("", "has no Ed25519 public key"),
            ("# nothing\n", "has no Ed25519 public key"),
            ("ssh-rsa AAAA\n", "has no Ed25519 public key"),
            ("hello\n", "line 1: is not a public key"),
            ("ssh-ed25519\n", "line 1: the public key is damaged"),
            (&format!("{line}\n{broken}\n"), "line 2: the public key is damaged"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\n", "is a private key"),
        ] {
            let error = text.parse::<TrustedKeys>().unwrap_err().to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
