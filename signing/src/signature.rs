//! One signature: reading it, whose it is, and whether it belongs to a text.

use crate::NAMESPACE;
use sfumato::{Error, ErrorCode, Result};
use ssh_key::{Algorithm, HashAlg, LineEnding, PublicKey, SshSig};

/// A signature by an Ed25519 key, as it stands in a file.
pub struct Signature(SshSig);

impl Signature {
    /// Reads a signature. It must be written exactly as OpenSSH and this crate write it, so that
    /// nothing else hides in the file.
    pub fn read(bytes: &[u8]) -> Result<Signature> {
        let read = SshSig::from_pem(bytes).ok().filter(|read| {
            let is_canonical = read.to_pem(LineEnding::LF).is_ok_and(|text| text.as_bytes() == bytes);
            // The version is not under the signature.
            let is_known = read.version() == SshSig::VERSION && read.algorithm() == Algorithm::Ed25519;
            is_canonical && is_known
        });
        read.map(Signature).ok_or_else(|| refused("it is no Ed25519 signature in the format of OpenSSH, or damaged"))
    }

    /// The key that it claims to be made with.
    pub fn key(&self) -> PublicKey {
        self.0.public_key().clone().into()
    }

    /// Whether that key signed these bytes, as a certificate.
    pub fn check(&self, certificate: &[u8]) -> Result<()> {
        if self.0.namespace() != NAMESPACE {
            return Err(refused(format!("it was made for something else: its namespace is not {NAMESPACE}")));
        }
        let checked = self.key().verify(NAMESPACE, certificate, &self.0);
        checked.map_err(|_| refused("it is not a signature of this certificate"))
    }
}

/// A key's fingerprint, as `ssh-keygen -l` prints it.
pub fn fingerprint(key: &PublicKey) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

fn refused(why: impl Into<String>) -> Error {
    Error::of(ErrorCode::NotVerified, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SecretKey;
    use sfumato::release::Signer;
    use ssh_key::private::Ed25519Keypair;
    use ssh_key::{HashAlg, PrivateKey};

    const CERTIFICATE: &[u8] = br#"{ "records": 12, "files": { "data.csv": { "sha256": "00ff" } }, "seal": "00" }"#;

    fn is_good(certificate: &[u8], signature: &[u8]) -> bool {
        Signature::read(signature).is_ok_and(|read| read.check(certificate).is_ok())
    }

    #[test]
    fn a_signature_belongs_to_its_bytes_and_its_key() {
        let [own, other] = [(); 2].map(|()| SecretKey::generate().unwrap());
        let signature = own.sign(CERTIFICATE).unwrap();
        assert!(own.has_signed(CERTIFICATE, &signature) && is_good(CERTIFICATE, &signature));
        assert!(!other.has_signed(CERTIFICATE, &signature));
        assert!(!own.has_signed(CERTIFICATE, &other.sign(CERTIFICATE).unwrap()));
        assert_eq!(own.sign(CERTIFICATE).unwrap(), signature, "same key and bytes, same signature");
    }

    #[test]
    fn every_changed_bit_of_the_certificate_is_refused() {
        let signature = SecretKey::generate().unwrap().sign(CERTIFICATE).unwrap();
        for at in 0..CERTIFICATE.len() {
            for bit in 0..8 {
                let mut changed = CERTIFICATE.to_vec();
                changed[at] ^= 1 << bit;
                assert!(!is_good(&changed, &signature), "byte {at}, bit {bit}");
            }
            assert!(!is_good(&CERTIFICATE[..at], &signature), "cut at {at}");
        }
        assert!(!is_good(&[CERTIFICATE, b"\n"].concat(), &signature));
    }

    #[test]
    fn every_other_byte_in_a_signature_is_refused() {
        let signature = SecretKey::generate().unwrap().sign(CERTIFICATE).unwrap();
        for at in 0..signature.len() {
            for other in 1..=255 {
                let mut changed = signature.clone();
                changed[at] ^= other;
                assert!(!is_good(CERTIFICATE, &changed), "byte {at} ^ {other}");
            }
            assert!(!is_good(CERTIFICATE, &signature[..at]), "cut at {at}");
        }
        let text = String::from_utf8(signature).unwrap();
        for changed in [format!("{text}\n"), format!("{text}{text}"), format!("x\n{text}"), text.replace('\n', "\r\n")]
        {
            assert!(!is_good(CERTIFICATE, changed.as_bytes()), "{changed}");
        }
    }

    #[test]
    fn a_signature_for_another_purpose_is_refused() {
        let key = PrivateKey::from(Ed25519Keypair::from_seed(&[7; 32]));
        let sign = |namespace: &str, hash| {
            let signed = key.sign(namespace, hash, CERTIFICATE).unwrap();
            signed.to_pem(LineEnding::LF).unwrap().into_bytes()
        };
        // `ssh-keygen -O hashalg=sha256` makes the second one.
        assert!(is_good(CERTIFICATE, &sign(NAMESPACE, HashAlg::Sha512)));
        assert!(is_good(CERTIFICATE, &sign(NAMESPACE, HashAlg::Sha256)));
        for other in ["file", "git", "sfumato", "sfumato-release2"] {
            let read = Signature::read(&sign(other, HashAlg::Sha512)).unwrap();
            assert!(read.check(CERTIFICATE).unwrap_err().message().contains("namespace"), "{other}");
        }
    }
}
