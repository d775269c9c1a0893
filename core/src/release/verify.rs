//! Checks a release directory against its own certificate, from the directory alone.

use super::REPORT;
use super::certify::{Sealed, facts, is_sealed};
use super::directory::CERTIFICATE;
use super::signature::is_signature;
use super::stated::{Stated, is_plain_name};
use super::statement::{Part, Public, Statement};
use super::transactions::StatedSets;
use crate::candidate::Groups;
use crate::certificate::{Certificate, leaves};
use crate::data::{Formats, Schema, Table};
use crate::error::{Error, ErrorCode, Fault, Result};
use serde_json::Value;
use std::io::ErrorKind;
use std::path::Path;

/// One claim of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What is claimed.
    pub name: String,
    /// Whether it holds; nothing where the release alone cannot tell.
    pub holds: Option<bool>,
    /// What was found.
    pub detail: String,
    /// The parts of the certificate that it is about, as JSON pointers.
    pub about: Vec<String>,
}

impl Claim {
    /// A claim that was checked.
    pub fn checked(name: impl Into<String>, holds: bool, otherwise: impl Into<String>) -> Claim {
        let detail = if holds { String::new() } else { otherwise.into() };
        Claim { name: name.into(), holds: Some(holds), detail, about: Vec::new() }
    }

    /// A claim that the release alone cannot tell.
    pub fn unverifiable(name: impl Into<String>, why: impl Into<String>) -> Claim {
        Claim { name: name.into(), holds: None, detail: why.into(), about: Vec::new() }
    }

    /// The same, about parts of the certificate.
    pub fn about(self, parts: impl IntoIterator<Item = impl Into<String>>) -> Claim {
        Claim { about: parts.into_iter().map(Into::into).collect(), ..self }
    }

    /// Whether it is about a part of the certificate.
    pub fn is_about(&self, path: &str) -> bool {
        let is_in = |part: &String| {
            path.strip_prefix(part.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.about.iter().any(is_in)
    }
}

/// What a verification found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// Every claim.
    pub claims: Vec<Claim>,
    /// The certificate's seal, to be compared with the one the publisher gave.
    pub seal: String,
    /// How many criteria were checked on the release and hold.
    pub confirmed: usize,
    /// The certificate's text, to which a signature belongs.
    pub certificate: String,
    /// The seals of earlier releases of the same records that the certificate declares.
    pub earlier: Vec<String>,
}

impl Verification {
    /// The claims that do not hold.
    pub fn failed(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| claim.holds == Some(false))
    }

    /// Whether every claim that can be told holds.
    pub fn holds(&self) -> bool {
        self.failed().next().is_none()
    }

    /// Whether nothing is wrong, and no criterion could be checked either: then nothing is
    /// confirmed.
    pub fn confirms_nothing(&self) -> bool {
        self.holds() && self.confirmed == 0
    }
}

/// The certificate of a release directory, as it stands there.
pub fn certificate(folder: &Path) -> Result<Certificate> {
    Certificate::of(read_certificate(folder)?.1).map_err(|error| error.file(folder.join(CERTIFICATE)))
}

/// The published records of a release directory, without starred ones.
pub fn table(folder: &Path, formats: &Formats) -> Result<Table> {
    Ok(Stated::read(certificate(folder)?.part()?)?.release(folder, formats)?.table)
}

/// The published records of a release directory, the groups that they are in, and what is declared
/// of their columns. In a bucketized release which record of a group has which of its sensitive
/// values is not told, so they are dealt out somehow.
pub fn records(folder: &Path, formats: &Formats) -> Result<(Table, Groups, Schema)> {
    let stated = Stated::read(certificate(folder)?.part()?)?;
    let release = stated.release(folder, formats)?;
    Ok((release.table, release.groups, stated.schema))
}

fn read_certificate(folder: &Path) -> Result<(String, Value)> {
    let path = folder.join(CERTIFICATE);
    let bytes = std::fs::read(&path).map_err(|error| no_certificate(&error, folder, &path))?;
    let changed = |what: &str| {
        Error::of(ErrorCode::NotVerified, format!("the certificate is {what}: it was changed")).file(&path)
    };
    let text = String::from_utf8(bytes).map_err(|_| changed("not text"))?;
    let document = serde_json::from_str(&text).map_err(|_| changed("not JSON"))?;
    Ok((text, document))
}

fn no_certificate(error: &std::io::Error, folder: &Path, path: &Path) -> Error {
    if error.kind() == std::io::ErrorKind::NotFound && folder.is_dir() {
        let error = Error::plan("the folder has no certificate.json").file(folder);
        return error.help(
            "name a release directory; a table that sfumato did not publish can be checked with `sfumato check`",
        );
    }
    if folder.is_file() {
        return Error::plan("is a file, not a release directory").file(folder).help("name the folder that it is in");
    }
    Error::io(error, path)
}

/// Verifies a release directory.
pub fn verify(folder: &Path, formats: &Formats) -> Result<Verification> {
    formats.watch().run(|| {
        let sealed = sealed(folder)?;
        match sealed.certificate.is_sets() {
            true => Case { folder, sealed: &sealed }.verify::<StatedSets>(formats),
            false => Case { folder, sealed: &sealed }.verify::<Stated>(formats),
        }
    })
}

/// The certificate of a release directory and its text, as they stand there.
pub(super) fn sealed(folder: &Path) -> Result<Sealed> {
    let (text, document) = read_certificate(folder)?;
    Ok(Sealed { certificate: Certificate::of(document)?, text })
}

/// A release directory and its certificate.
pub(super) struct Case<'a> {
    pub folder: &'a Path,
    pub sealed: &'a Sealed,
}

impl Case<'_> {
    /// Says everything anew, from what is declared and what is published, and compares.
    fn verify<S: Public>(&self, formats: &Formats) -> Result<Verification> {
        let stated = self.sealed.certificate.part::<S::Declared>().and_then(S::read);
        let files = stated.as_ref().map_or(Vec::new(), S::files);
        let (mut claims, is_intact) = self.check_files(stated.is_ok().then_some(&files[..]))?;
        // A changed text still tells which figures are not its own; a changed binary file is not
        // worth parsing.
        if !is_intact && !files.iter().all(|name| is_text(name)) {
            let why = "a file was changed, so there is nothing to recompute them from";
            claims.list.push(Claim::unverifiable("figures", why));
            return Ok(self.conclude(claims));
        }
        let anew = stated.and_then(|stated| stated.say(self.folder, formats));
        match claims.recomputed(anew)? {
            None => Ok(self.conclude(claims)),
            Some(statement) => self.compare(statement, claims),
        }
    }

    /// The same of files that were just written, and of what was said from reading them again.
    pub fn confirm(&self, statement: Statement, files: &[String]) -> Result<Verification> {
        let (claims, _) = self.check_files(Some(files))?;
        self.compare(statement, claims)
    }

    /// Whether the folder has the files that the certificate is about, and whole: of a copy of what
    /// was verified before.
    pub fn check_copy(&self) -> Result<Verification> {
        let (claims, _) = self.check_files(None)?;
        Ok(self.conclude(claims))
    }

    fn conclude(&self, claims: Claims) -> Verification {
        let head = &self.sealed.certificate.head;
        Verification {
            claims: claims.list,
            seal: head.seal.clone(),
            certificate: self.sealed.text.clone(),
            confirmed: claims.confirmed,
            earlier: head.earlier_releases.clone(),
        }
    }

    /// Checks the seal and the files of the folder; says whether they are those that the
    /// certificate is about. Without `needed` it does not say which those are.
    fn check_files(&self, needed: Option<&[String]>) -> Result<(Claims, bool)> {
        let Sealed { certificate, text } = self.sealed;
        let seal = is_sealed(text, &certificate.head.seal);
        let seal = Claim::checked("seal of the certificate", seal, "it was changed after it was sealed");
        let mut list = Vec::new();
        let files = &certificate.head.files;
        for (name, stated) in &files.0 {
            let bytes = plain_file(self.folder, name)?;
            let same = bytes.as_ref().is_some_and(|bytes| *stated == facts(bytes));
            let otherwise = if bytes.is_some() { "the file was changed" } else { "the file is not there" };
            let path = format!("/files/{}", name.replace('~', "~0").replace('/', "~1"));
            list.push(Claim::checked(format!("sha256 of {name}"), same, otherwise).about([path]));
        }
        if let Some(needed) = needed {
            let mut needed: Vec<&str> = needed.iter().map(String::as_str).chain([REPORT]).collect();
            let mut stated: Vec<&str> = files.names().collect();
            needed.sort_unstable();
            stated.sort_unstable();
            let otherwise = "the certificate states hashes of others, or not of all";
            list.push(Claim::checked("files of the release", needed == stated, otherwise).about(["/files"]));
        }
        let entries = std::fs::read_dir(self.folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
        let entries = entries.map_err(|error| Error::io(&error, self.folder))?;
        let mut foreign: Vec<String> =
            entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        foreign.retain(|name| name != CERTIFICATE && !is_signature(self.folder, name) && files.get(name).is_none());
        foreign.sort();
        let otherwise = format!("the certificate does not know: {}", foreign.join(", "));
        list.push(Claim::checked("no other files", foreign.is_empty(), otherwise));
        let is_intact = list.iter().all(|claim| claim.holds == Some(true));
        list.insert(0, seal.about(["/seal"]));
        // A key that stands there twice would be read in one way here and in another elsewhere.
        let is_plain = *text == format!("{:#}\n", certificate.document);
        let otherwise = "it is not written as this program writes it";
        list.insert(1, Claim::checked("text of the certificate", is_plain, otherwise));
        Ok((Claims { list, confirmed: 0 }, is_intact))
    }

    /// Compares what is stated with what follows, figure by figure, and every byte of the report.
    fn compare(&self, statement: Statement, mut claims: Claims) -> Result<Verification> {
        let document = &self.sealed.certificate.document;
        let count = |one: &Value| one.pointer("/attacks").and_then(Value::as_array).map(Vec::len);
        let is_same = count(document) == count(&statement.document);
        claims.list.push(Claim::checked("attacks", is_same, "others were made, or not all are stated"));
        for part in &statement.parts {
            claims.part(part, document, &statement.document);
        }
        claims.list.extend(statement.claims);
        let declared = Claim::unverifiable(DECLARED, statement.declarations).about(statement.declared);
        let is_covered = |path: &String| claims.list.iter().chain([&declared]).any(|claim| claim.is_about(path));
        let rest: Vec<String> = leaves(document).into_iter().filter(|path| !is_covered(path)).collect();
        let version = &self.sealed.certificate.head.sfumato.version;
        if version != env!("CARGO_PKG_VERSION") {
            let why = format!("version {version} wrote them, and this one has other words: verify with that one");
            claims.list.push(Claim::unverifiable("words of certificate and report", why).about(rest));
            // Whoever names another version must not get around what this one checks.
            claims.confirmed = 0;
        } else {
            let differing = differing_keys(document, &statement.document);
            let otherwise = format!("not what follows from the release: {differing}");
            let all = Claim::checked("every statement of the certificate", differing.is_empty(), otherwise);
            claims.list.push(all.about(rest));
            let report = plain_file(self.folder, REPORT)?;
            let is_own = report.is_some_and(|bytes| bytes == statement.report.as_bytes());
            claims.list.push(Claim::checked("report", is_own, "it is not the report that follows from the release"));
        }
        claims.list.push(declared);
        Ok(self.conclude(claims))
    }
}

/// What nobody can tell from a release.
const DECLARED: &str = "what the plan asks for, and how the release was made";

/// Whether a file with a name is text.
fn is_text(name: &str) -> bool {
    [".csv", ".tsv", ".txt", ".dat"].iter().any(|ending| name.ends_with(ending))
}

#[derive(Default)]
struct Claims {
    list: Vec<Claim>,
    /// How many criteria were checked and hold.
    confirmed: usize,
}

impl Claims {
    /// A figure, or a criterion with what was found.
    fn part(&mut self, part: &Part, document: &Value, anew: &Value) {
        let [stated, found] = [document, anew].map(|one| one.pointer(&part.at).unwrap_or(&Value::Null));
        let differing = differing(stated, found);
        let claim = match part.answer {
            None => Claim::checked(&part.name, differing.is_empty(), differing),
            Some(answer) if !answer.is_checked && differing.is_empty() => Claim::unverifiable(&part.name, NOT_CHECKED),
            Some(answer) => {
                let holds = answer.holds && differing.is_empty();
                self.confirmed += usize::from(holds && answer.is_checked);
                let fails = if answer.holds { "" } else { "it does not hold; " };
                Claim::checked(&part.name, holds, format!("{fails}{differing}"))
            }
        };
        self.list.push(claim.about([&part.at]));
    }

    /// What was recomputed. Not to be able to is a claim that fails; a machine that is too small,
    /// or a disk that fails, proves nothing against the release.
    fn recomputed<T>(&mut self, found: Result<T>) -> Result<Option<T>> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) if matches!(error.fault(), Fault::Io | Fault::Resources) => {
                // What failed already is proof enough.
                if self.list.iter().all(|claim| claim.holds != Some(false)) {
                    return Err(error);
                }
                self.list.push(Claim::unverifiable("figures", "they could not be recomputed"));
                Ok(None)
            }
            Err(error) => {
                self.list.push(Claim::checked("figures", false, format!("they cannot be recomputed: {error}")));
                Ok(None)
            }
        }
    }
}

/// Why a criterion is stated only.
const NOT_CHECKED: &str = "it is about the whole table, suppressed records included, about values that are not published, or needs what is not part of the release: a file, a hierarchy, or whose record each is";

/// What a name leads to that is none of a file.
const NO_SUCH_FILE: [ErrorKind; 4] =
    [ErrorKind::NotFound, ErrorKind::InvalidFilename, ErrorKind::InvalidInput, ErrorKind::NotADirectory];

/// The bytes of a regular file in a folder, nothing if there is none: links and pipes could lead
/// anywhere.
pub(super) fn plain_file(folder: &Path, name: &str) -> Result<Option<Vec<u8>>> {
    let path = folder.join(name);
    let failed = |error| Error::io(&error, &path);
    match std::fs::symlink_metadata(&path) {
        _ if !is_plain_name(name) => Ok(None),
        Err(error) if NO_SUCH_FILE.contains(&error.kind()) => Ok(None),
        Err(error) => Err(failed(error)),
        Ok(found) if !found.is_file() => Ok(None),
        Ok(_) => std::fs::read(&path).map(Some).map_err(failed),
    }
}

/// The entries of a document in which another differs, but for those that only sealing adds.
fn differing_keys(stated: &Value, found: &Value) -> String {
    let is_ending = |key: &&String| ["files", "seal"].contains(&key.as_str());
    entries(stated, found)
        .filter(|key| !is_ending(key) && stated.get(key) != found.get(key))
        .cloned()
        .collect::<Vec<_>>()
        .join(", ")
}

/// The names of entries of two documents, each once.
fn entries<'a>(stated: &'a Value, found: &'a Value) -> impl Iterator<Item = &'a String> {
    let keys = |document: &'a Value| document.as_object().into_iter().flat_map(|entries| entries.keys());
    keys(stated).chain(keys(found).filter(|key| stated.get(key).is_none()))
}

/// What two documents say differently, in words.
fn differing(stated: &Value, found: &Value) -> String {
    if !stated.is_object() || !found.is_object() {
        let otherwise = || format!("the certificate states {stated}, the release has {found}");
        return if stated == found { String::new() } else { otherwise() };
    }
    let shown = |value: Option<&Value>| value.unwrap_or(&Value::Null).to_string();
    let different = entries(stated, found).filter(|key| stated.get(key) != found.get(key));
    let words =
        different.map(|key| format!("{key}: stated {}, found {}", shown(stated.get(key)), shown(found.get(key))));
    words.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn holds(claims: &Claims) -> Vec<Option<bool>> {
        claims.list.iter().map(|claim| claim.holds).collect()
    }

    #[test]
    fn a_failing_machine_proves_nothing_and_a_proof_stays_one() {
        let too_small = || Err::<Value, _>(Error::new(Fault::Resources, "too much"));
        assert!(Claims::default().recomputed(too_small()).is_err());
        let mut claims = Claims::default();
        claims.list.push(Claim::checked("seal", true, ""));
        assert!(claims.recomputed(too_small()).is_err());
        claims.list.push(Claim::checked("records", false, "changed"));
        assert!(claims.recomputed(too_small()).unwrap().is_none());
        assert_eq!(holds(&claims), [Some(true), Some(false), None]);
        let mut claims = Claims::default();
        assert!(claims.recomputed(Err::<Value, _>(Error::data("broken"))).unwrap().is_none());
        assert_eq!(holds(&claims), [Some(false)]);
    }

    #[test]
    fn a_claim_is_about_whole_names() {
        let claim = Claim::checked("groups", true, "").about(["/groups", "/attacks/1"]);
        assert!(claim.is_about("/groups") && claim.is_about("/attacks/1/on"));
        assert!(!claim.is_about("/groups_of_one") && !claim.is_about("/attacks/10/on") && !claim.is_about(""));
    }

    #[cfg(unix)]
    #[test]
    fn only_plain_files_are_read() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("plain"), "text").unwrap();
        std::fs::create_dir(place("folder")).unwrap();
        symlink(place("plain"), place("link")).unwrap();
        symlink(place("loop"), place("loop")).unwrap();
        let read = |name: &str| plain_file(folder.path(), name).unwrap();
        assert_eq!(read("plain"), Some(b"text".to_vec()));
        for name in ["folder", "link", "loop", "none", "folder/none", "../plain"] {
            assert_eq!(read(name), None, "{name}");
        }
        assert!(plain_file(&place("loop"), "plain").is_err(), "whether it is there cannot be told");
    }

    #[test]
    fn what_differs_is_named() {
        let (a, b) = (json!({ "x": 1, "y": 2, "z": 3 }), json!({ "x": 1, "y": 3, "z": 4 }));
        assert_eq!(differing_keys(&a, &b), "y, z");
        assert_eq!(differing_keys(&json!({ "x": 1 }), &a), "y, z", "what is not said is missed");
        assert_eq!(differing(&a, &b), "y: stated 2, found 3; z: stated 3, found 4");
    }
}
