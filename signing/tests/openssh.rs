//! OpenSSH reads and makes the same keys and signatures. Left out where it is not installed.

use sfumato::release::Signer;
use sfumato_signing::{NAMESPACE, SecretKey, TrustedKeys};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::{TempDir, tempdir};

const CERTIFICATE: &[u8] = b"{ \"seal\": \"00\" }\n";

/// A folder, if there is `ssh-keygen`.
fn with_openssh() -> Option<TempDir> {
    let found = Command::new("ssh-keygen").arg("-?").output();
    if found.is_err() {
        eprintln!("skipped: ssh-keygen is not installed");
        return None;
    }
    Some(tempdir().unwrap())
}

fn ssh_keygen(folder: &Path, arguments: &str, input: &[u8]) -> Output {
    let words = arguments.split(' ').map(|word| if word == "''" { "" } else { word });
    let mut command = Command::new("ssh-keygen");
    command.args(words).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn succeed(folder: &Path, arguments: &str, input: &[u8]) -> String {
    let run = ssh_keygen(folder, arguments, input);
    assert!(run.status.success(), "{arguments}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn openssh_verifies_our_signatures() {
    let Some(folder) = with_openssh() else { return };
    let key = SecretKey::generate().unwrap();
    std::fs::write(folder.path().join("text.sig"), key.sign(CERTIFICATE).unwrap()).unwrap();
    std::fs::write(folder.path().join("signers"), format!("us {}", key.public_line().unwrap())).unwrap();
    let verify = format!("-Y verify -f signers -I us -n {NAMESPACE} -s text.sig");
    assert!(succeed(folder.path(), &verify, CERTIFICATE).contains(&key.fingerprint()));
    assert!(!ssh_keygen(folder.path(), &verify, b"other").status.success());
    assert!(!ssh_keygen(folder.path(), &verify.replace(NAMESPACE, "file"), CERTIFICATE).status.success());
}

#[test]
fn openssh_reads_our_keys() {
    let Some(folder) = with_openssh() else { return };
    let key = SecretKey::generate().unwrap();
    key.save(&folder.path().join("key")).unwrap();
    assert!(succeed(folder.path(), "-l -f key.pub", b"").contains(&key.fingerprint()));
    let public = succeed(folder.path(), "-y -f key", b"");
    assert_eq!(public.split(' ').nth(1), key.public_line().unwrap().split(' ').nth(1));
}

#[test]
fn we_verify_signatures_of_openssh_and_sign_with_its_keys() {
    let Some(folder) = with_openssh() else { return };
    succeed(folder.path(), "-q -t ed25519 -N '' -C custodian -f key", b"");
    let trusted = TrustedKeys::read(&folder.path().join("key.pub")).unwrap();
    let path = folder.path().join("certificate.json");
    std::fs::write(&path, CERTIFICATE).unwrap();
    for hash in ["sha512", "sha256"] {
        succeed(folder.path(), &format!("-Y sign -f key -n {NAMESPACE} -O hashalg={hash} certificate.json"), b"");
        let signature = std::fs::read(folder.path().join("certificate.json.sig")).unwrap();
        std::fs::remove_file(folder.path().join("certificate.json.sig")).unwrap();
        let key = SecretKey::read(&folder.path().join("key")).unwrap();
        assert_eq!(trusted.signer_of(CERTIFICATE, &signature).unwrap(), key.fingerprint());
        assert!(trusted.signer_of(b"other", &signature).is_err());
        if hash == "sha512" {
            assert_eq!(key.sign(CERTIFICATE).unwrap(), signature, "both write the same bytes");
        }
    }
}

#[test]
fn keys_of_other_kinds_and_with_passphrases_are_refused() {
    let Some(folder) = with_openssh() else { return };
    for kind in ["rsa", "ecdsa"] {
        succeed(folder.path(), &format!("-q -t {kind} -N '' -f {kind}"), b"");
        let error = SecretKey::read(&folder.path().join(kind)).map(drop).unwrap_err();
        assert!(error.message().contains("is not an Ed25519 private key"), "{error}");
        let error = TrustedKeys::read(&folder.path().join(format!("{kind}.pub"))).unwrap_err();
        assert!(error.message().contains("no Ed25519 public key"), "{kind}: {error}");
        std::fs::write(folder.path().join("text"), CERTIFICATE).unwrap();
        succeed(folder.path(), &format!("-q -Y sign -f {kind} -n {NAMESPACE} text"), b"");
        let signature = std::fs::read(folder.path().join("text.sig")).unwrap();
        std::fs::remove_file(folder.path().join("text.sig")).unwrap();
        let own: TrustedKeys = SecretKey::generate().unwrap().public_line().unwrap().parse().unwrap();
        let refused = own.signer_of(CERTIFICATE, &signature).unwrap_err();
        assert!(refused.message().contains("no Ed25519 signature"), "{kind}: {refused}");
    }
    succeed(folder.path(), "-q -t ed25519 -N secret -f locked", b"");
    let error = SecretKey::read(&folder.path().join("locked")).map(drop).unwrap_err().to_string();
    assert!(error.contains("passphrase") && error.contains("ssh-keygen -Y sign"), "{error}");
}
