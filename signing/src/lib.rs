//! Signatures of [`sfumato`] releases: Ed25519, in the format of OpenSSH (SSHSIG).
//!
//! Hashes and seal of a certificate show that nothing was changed since somebody sealed it; they do
//! not show who. A signature does, to everybody who has the publisher's public key from elsewhere.
//! `ssh-keygen -Y sign` and `ssh-keygen -Y verify` make and check the same signatures.
//!
//! ```
//! use sfumato::release::Signer;
//! use sfumato_signing::{SecretKey, TrustedKeys};
//!
//! let key = SecretKey::generate()?;
//! let signature = key.sign(b"the bytes of certificate.json")?;
//! let trusted: TrustedKeys = key.public_line()?.parse()?;
//! assert_eq!(trusted.signer_of(b"the bytes of certificate.json", &signature)?, key.fingerprint());
//! assert!(trusted.signer_of(b"other bytes", &signature).is_err());
//! # Ok::<(), sfumato::Error>(())
//! ```

mod authenticity;
mod secret;
mod signature;
mod trusted;

pub use authenticity::{Asked, Authenticity, authenticate};
pub use secret::SecretKey;
pub use trusted::TrustedKeys;

/// What signatures are for. A signature that the same key made for something else, such as a commit
/// or an e-mail, is none of a release.
pub const NAMESPACE: &str = "sfumato-release";
