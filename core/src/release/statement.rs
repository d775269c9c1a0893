//! What is said about a release in public, for both kinds of data: what its certificate declares,
//! and what follows from that and from the published files.

use super::verify::Claim;
use crate::certificate::{broken, join, shared_paths, value};
use crate::data::Formats;
use crate::error::Result;
use crate::report::counted;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// What a certificate declares about a release of one kind of data, checked.
///
/// # Claim
/// [`Public::say`] sees what is declared and the folder, and nothing else. Whoever publishes and
/// whoever verifies call it alike, so they come to the same, byte for byte.
pub trait Public: Sized {
    /// The same as a part of a certificate.
    type Declared: Serialize + DeserializeOwned;

    /// Refuses what no plan can lead to.
    fn read(declared: Self::Declared) -> Result<Self>;

    /// The files that a release has besides certificate and report.
    fn files(&self) -> Vec<String>;

    /// Says everything that may be said.
    fn say(&self, folder: &Path, formats: &Formats) -> Result<Statement>;
}

/// What is said about a release: its certificate, but for hashes of files and the seal, and its
/// report; and how to check it.
pub struct Statement {
    /// What is declared and what follows.
    pub document: Value,
    /// The parts of the document that are declared.
    pub declared: Vec<String>,
    /// Who declares what.
    pub declarations: &'static str,
    pub report: String,
    /// Figures of the document, each with the name of its claim.
    pub parts: Vec<Part>,
    /// Claims that compare nothing that is stated.
    pub claims: Vec<Claim>,
}

impl Statement {
    pub fn new(
        declared: &impl Serialize,
        figures: &impl Serialize,
        report: String,
        declarations: &'static str,
    ) -> Statement {
        let document = join(declared, figures);
        let declared = shared_paths(&document, &value(declared));
        Statement { document, declared, declarations, report, parts: Vec::new(), claims: Vec::new() }
    }

    /// Adds a figure.
    pub fn figure(&mut self, name: &str, at: &str) {
        self.parts.push(Part { name: name.to_string(), at: at.to_string(), answer: None });
    }

    /// Adds criteria with their answers.
    pub fn criteria<'a>(&mut self, answers: impl Iterator<Item = (&'a str, Answered)>) {
        self.parts.extend(answers.enumerate().map(|(at, (name, answer))| Part {
            name: format!("criterion {}: {name}", at + 1),
            at: format!("/criteria/{at}"),
            answer: Some(answer),
        }));
    }

    /// Adds what attacks found.
    pub fn attacks<'a>(&mut self, attacks: impl Iterator<Item = (&'a str, Option<&'a str>)>) {
        self.parts.extend(attacks.enumerate().map(|(at, (name, on))| Part {
            name: format!("attack: {name}{}", on.map_or(String::new(), |on| format!(" on {on}"))),
            at: format!("/attacks/{at}"),
            answer: None,
        }));
    }

    /// Adds that no attack exceeds its limit, unless the plan lets such a release pass: then it is
    /// said.
    pub fn limits(&mut self, excessive: usize, refuses: bool) {
        let mut claim = Claim::checked("limits", excessive == 0 || !refuses, TOO_MUCH);
        if excessive > 0 && !refuses {
            let attacks = counted(excessive as u64, "attack");
            claim.detail = format!("as stated, {attacks} above the limit, which the plan lets pass");
        }
        self.claims.push(claim);
    }
}

/// What is wrong where the plan refuses what attacks found.
const TOO_MUCH: &str = "an attack exceeds its limit, and the plan refuses such a release";

/// A figure of a document, or several that belong together.
pub struct Part {
    /// What its claim is called.
    pub name: String,
    /// Where it stands.
    pub at: String,
    /// For a criterion: what was found.
    pub answer: Option<Answered>,
}

/// What was found about a criterion.
#[derive(Clone, Copy)]
pub struct Answered {
    pub holds: bool,
    /// Whether the release alone was enough to check it.
    pub is_checked: bool,
}

/// Refuses earlier releases that are not told by different seals.
pub(super) fn check_earlier(seals: &[String]) -> Result<()> {
    let is_seal = |seal: &String| seal.len() == 64 && seal.bytes().all(|digit| digit.is_ascii_hexdigit());
    let is_repeated = |(at, seal): (usize, &String)| seals[..at].contains(seal);
    match seals.iter().all(is_seal) && !seals.iter().enumerate().any(is_repeated) {
        true => Ok(()),
        false => Err(broken("earlier releases that are not told by different seals")),
    }
}
