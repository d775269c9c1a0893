//! Checks a release directory against its own certificate, from the directory alone.

use super::REPORT;
use super::certify::{Statement, file_json, is_sealed};
use super::directory::CERTIFICATE;
use super::signature::is_signature;
use super::stated::{Stated, is_plain_name};
use super::transactions;
use crate::data::{Formats, Table};
use crate::error::{Error, Fault, Result};
use crate::publish::Publication;
use crate::report::counted;
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
pub fn certificate(folder: &Path) -> Result<Value> {
    read_certificate(folder).map(|(_, document)| document)
}

/// The published records of a release directory, without starred ones.
pub fn table(folder: &Path, formats: &Formats) -> Result<Table> {
    Ok(Stated::read(&certificate(folder)?)?.release(folder, formats)?.table)
}

fn read_certificate(folder: &Path) -> Result<(String, Value)> {
    let path = folder.join(CERTIFICATE);
    let bytes = std::fs::read(&path).map_err(|error| no_certificate(&error, folder, &path))?;
    let changed =
        |what: &str| Error::new(Fault::Gate, format!("the certificate is {what}: it was changed")).file(&path);
    let text = String::from_utf8(bytes).map_err(|_| changed("not text"))?;
    let document = serde_json::from_str(&text).map_err(|_| changed("not JSON"))?;
    Ok((text, document))
}

/// Verifies a release directory.
pub fn verify(folder: &Path, formats: &Formats) -> Result<Verification> {
    formats.watch().run(|| verify_watched(folder, formats))
}

fn verify_watched(folder: &Path, formats: &Formats) -> Result<Verification> {
    let (text, document) = read_certificate(folder)?;
    let mut claims = Claims::default();
    let seal = document["seal"].as_str().unwrap_or_default().to_string();
    claims.checked("seal of the certificate", is_sealed(&text, &seal), "it was changed after it was sealed");
    let is_sets = transactions::is_certificate(&document);
    let needed = if is_sets { transactions::needed(&document) } else { needed(&document) };
    let intact = check_files(folder, &document, &needed, &mut claims)?;
    // A changed text still tells which figures are not its own; a changed binary file is not worth
    // parsing.
    let is_text = document["data"].as_str().is_some_and(|data| data.ends_with(".csv") || data.ends_with(".tsv"));
    if is_sets {
        transactions::check_figures(folder, &document, &mut claims)?;
    } else if intact || is_text {
        check_figures(folder, &document, formats, &mut claims)?;
    } else {
        claims.unverifiable("figures", "a file was changed, so there is nothing to recompute them from");
    }
    Ok(Verification { claims: claims.list, seal, certificate: text, confirmed: claims.confirmed })
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

#[derive(Default)]
pub(super) struct Claims {
    pub list: Vec<Claim>,
    /// How many criteria were checked and hold.
    confirmed: usize,
}

impl Claims {
    /// A criterion, and whether it was checked on the release.
    pub fn criterion(&mut self, name: &str, holds: bool, otherwise: &str, is_checked: bool) {
        self.confirmed += usize::from(holds && is_checked);
        self.checked(name, holds, otherwise);
    }

    pub fn checked(&mut self, name: &str, holds: bool, otherwise: &str) {
        let detail = if holds { String::new() } else { otherwise.to_string() };
        self.list.push(Claim { name: name.to_string(), holds: Some(holds), detail });
    }

    /// What was recomputed. Not to be able to is a claim that fails; a machine that is too small,
    /// or a disk that fails, proves nothing against the release.
    pub fn recomputed<T>(&mut self, found: Result<T>) -> Result<Option<T>> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) if matches!(error.fault(), Fault::Io | Fault::Resources) => {
                // What failed already is proof enough.
                if self.list.iter().all(|claim| claim.holds != Some(false)) {
                    return Err(error);
                }
                self.unverifiable("figures", "they could not be recomputed");
                Ok(None)
            }
            Err(error) => {
                self.checked("figures", false, &format!("they cannot be recomputed: {error}"));
                Ok(None)
            }
        }
    }

    pub fn unverifiable(&mut self, name: &str, why: &str) {
        self.list.push(Claim { name: name.to_string(), holds: None, detail: why.to_string() });
    }

    pub fn same(&mut self, name: &str, stated: &Value, found: &Value) {
        self.checked(name, stated == found, &format!("the certificate states {stated}, the release has {found}"));
    }
}

/// The names of the tables that a certificate must be about.
fn needed(document: &Value) -> Vec<&Value> {
    let keys = if document["form"] == "bucketized" { &["data", "sensitive"][..] } else { &["data"] };
    keys.iter().map(|key| &document[key]).collect()
}

/// Checks the files of the folder; says whether they are those that the certificate is about.
fn check_files(folder: &Path, document: &Value, needed: &[&Value], claims: &mut Claims) -> Result<bool> {
    let before = claims.list.len();
    let empty = serde_json::Map::new();
    let files = document["files"].as_object().unwrap_or(&empty);
    for (name, stated) in files {
        let bytes = plain_file(folder, name)?;
        let same = bytes.as_ref().is_some_and(|bytes| *stated == file_json(bytes));
        let otherwise = if bytes.is_some() { "the file was changed" } else { "the file is not there" };
        claims.checked(&format!("sha256 of {name}"), same, otherwise);
    }
    let has = |name: &&Value| name.as_str().is_some_and(|name| files.contains_key(name));
    let complete = files.contains_key(REPORT) && needed.iter().all(has);
    claims.checked("table and report", complete, "the certificate states no hash of them");
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| Error::io(&error, folder))?;
    let mut foreign: Vec<String> =
        entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    foreign.retain(|name| name != CERTIFICATE && !is_signature(folder, name) && !files.contains_key(name));
    foreign.sort();
    let otherwise = format!("the certificate does not know: {}", foreign.join(", "));
    claims.checked("no other files", foreign.is_empty(), &otherwise);
    Ok(claims.list[before..].iter().all(|claim| claim.holds == Some(true)))
}

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

/// No attack exceeds its limit, unless the plan lets such a release pass: then it is said.
fn check_limits(publication: &Publication, claims: &mut Claims) {
    match publication.excessive().count() {
        some if some > 0 && !publication.attacks_refuse => claims.list.push(Claim {
            name: "limits".to_string(),
            holds: Some(true),
            detail: format!("as stated, {} above the limit, which the plan lets pass", counted(some as u64, "attack")),
        }),
        some => claims.checked("limits", some == 0, "an attack exceeds its limit, and the plan refuses such a release"),
    }
}

/// Says everything anew, from what is declared and what is published, and compares.
fn check_figures(folder: &Path, document: &Value, formats: &Formats, claims: &mut Claims) -> Result<()> {
    let anew = Stated::read(document).and_then(|stated| Ok((Statement::new(&stated, folder, formats)?, stated)));
    let Some((found, stated)) = claims.recomputed(anew)? else { return Ok(()) };
    let publication = &found.publication;
    for key in ["published", "groups"] {
        claims.same(key, &document[key], &found.document[key]);
    }
    let withheld = stated.skew.as_ref().and_then(|skew| skew.withheld).unwrap_or(0);
    let sum = (publication.published as u64).checked_add(stated.suppressed).and_then(|sum| sum.checked_add(withheld));
    claims.checked("records", sum == Some(stated.records), "they are not the published and the suppressed ones");
    if !document["skew"].is_null() {
        claims.same("skew", &document["skew"], &found.document["skew"]);
    }
    check_skew(&stated, &found, claims);
    check_stars(&stated, &found, claims);
    check_columns(document, &found, claims);
    check_criteria(document, publication, &found.document, claims);
    check_attacks(document, &found.document, claims);
    check_limits(publication, claims);
    let is_open = publication.exposure.refused();
    claims.checked("insensitive columns", !is_open, "they single people out, and the plan does not accept it");
    for name in &publication.undisclosed {
        claims.unverifiable(
            &format!("attack: {name}"),
            "what it found depends on more than the release, so it is not stated",
        );
    }
    let key = "reidentification_risk";
    claims.same("re-identification risk", &document[key], &found.document[key]);
    claims.same("information kept", &document["information_kept"], &found.document["information_kept"]);
    claims.same("utility", &document["utility"], &found.document["utility"]);
    check_rest(folder, document, (&found.document, &found.report), claims)?;
    claims.unverifiable("what the plan asks for, and how the release was made", DECLARED);
    Ok(())
}

/// What nobody can tell from a release.
const DECLARED: &str = "declared by the publisher: the number of suppressed records, the roles of columns, which values need protection, the method with its parameters and levels, limits and hierarchies, types of columns, how cells that look like formulas were written, title and date, and earlier releases of the same table";

/// Every other word of the certificate, and every byte of the report.
pub(super) fn check_rest(
    folder: &Path,
    document: &Value,
    (statement, report): (&Value, &str),
    claims: &mut Claims,
) -> Result<()> {
    let version = document["sfumato"]["version"].as_str().unwrap_or("?");
    if version != env!("CARGO_PKG_VERSION") {
        let why = format!("version {version} wrote them, and this one has other words: verify with that one");
        claims.unverifiable("words of certificate and report", &why);
        // Whoever names another version must not get around what this one checks.
        claims.confirmed = 0;
        return Ok(());
    }
    let mut said = document.clone();
    for own in ["files", "seal"] {
        said.as_object_mut().and_then(|entries| entries.shift_remove(own));
    }
    let otherwise = format!("not what follows from the release: {}", differing_keys(&said, statement));
    claims.checked("every statement of the certificate", said == *statement, &otherwise);
    let is_own = plain_file(folder, REPORT)?.is_some_and(|bytes| bytes == report.as_bytes());
    claims.checked("report", is_own, "it is not the report that follows from the release");
    Ok(())
}

/// What was left after records were withheld is eligible, and enough values could be the most
/// frequent one.
fn check_skew(stated: &Stated, found: &Statement, claims: &mut Claims) {
    const LEFT: &str = "skew: what was left is eligible, and enough values could be the most frequent one";
    match (&stated.skew, found.is_eligible) {
        (None, _) => {}
        (Some(_), None) => claims.unverifiable(LEFT, "how many records were withheld first is not stated"),
        (Some(_), Some(is_eligible)) => claims.checked(LEFT, is_eligible, "it is not so"),
    }
}

/// Starred records are as many as are said to be suppressed; those that are withheld for a frequent
/// value have none.
fn check_stars(stated: &Stated, found: &Statement, claims: &mut Claims) {
    let (stars, suppressed) = (found.stars as u64, stated.suppressed);
    let is_split = stated.grouped().is_some();
    let holds = match stated.starred {
        false => stars == 0,
        true if is_split => stars == suppressed,
        true => stars <= suppressed,
    };
    claims.checked("starred records", holds, &format!("{suppressed} are said to be suppressed, {stars} are starred"));
}

/// The table has the columns that are said to be published.
fn check_columns(document: &Value, found: &Statement, claims: &mut Claims) {
    let columns = document["plan"]["columns"].as_array().into_iter().flatten();
    let mut published: Vec<&str> =
        columns.filter(|column| column["published"] == true).filter_map(|column| column["name"].as_str()).collect();
    let mut present: Vec<&str> = found.columns.iter().map(String::as_str).collect();
    published.sort_unstable();
    present.sort_unstable();
    claims.checked("columns", published == present, "the table has others than those that are said to be published");
}

fn check_criteria(document: &Value, publication: &Publication, found: &Value, claims: &mut Claims) {
    let stated = document["criteria"].as_array().map_or(&[][..], Vec::as_slice);
    for (at, (stated, answer)) in stated.iter().zip(&publication.criteria).enumerate() {
        let name = format!("criterion {}: {}", at + 1, stated["criterion"].as_str().unwrap_or("?"));
        let again = &found["criteria"][at];
        match answer.is_checked {
            false if stated == again => claims.unverifiable(
                &name,
                "it is about the whole table, suppressed records included, about values that are not published, or needs what is not part of the release: a file, a hierarchy, or whose record each is",
            ),
            is_checked => {
                let differing = differing(stated, again);
                claims.criterion(&name, differing.is_empty() && answer.verdict.holds, &differing, is_checked);
            }
        }
    }
}

fn differing_keys(stated: &Value, found: &Value) -> String {
    let keys = |document: &Value| document.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    let mut all: Vec<String> = keys(stated);
    let further: Vec<String> = keys(found);
    all.extend(further.into_iter().filter(|key| stated.get(key).is_none()));
    all.retain(|key| stated[key] != found[key]);
    all.join(", ")
}

/// What two documents say differently, in words.
pub(super) fn differing(stated: &Value, found: &Value) -> String {
    let keys = stated.as_object().into_iter().flatten().map(|(key, _)| key);
    let missing = found.as_object().into_iter().flatten().map(|(key, _)| key).filter(|key| stated.get(key).is_none());
    let different = keys.chain(missing).filter(|key| stated[key.as_str()] != found[key.as_str()]);
    let words: Vec<String> =
        different.map(|key| format!("{key}: stated {}, found {}", stated[key.as_str()], found[key.as_str()])).collect();
    words.join("; ")
}

pub(super) fn check_attacks(document: &Value, found: &Value, claims: &mut Claims) {
    let list = |document: &Value| document["attacks"].as_array().cloned().unwrap_or_default();
    let (stated, found) = (list(document), list(found));
    claims.checked("attacks", stated.len() == found.len(), "others were made, or not all are stated");
    for (stated, again) in stated.iter().zip(&found) {
        let on = stated["on"].as_str().map_or(String::new(), |on| format!(" on {on}"));
        let name = format!("attack: {}{on}", stated["attack"].as_str().unwrap_or("?"));
        let differing = differing(stated, again);
        claims.checked(&name, differing.is_empty(), &differing);
    }
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
        claims.checked("seal", true, "");
        assert!(claims.recomputed(too_small()).is_err());
        claims.checked("records", false, "changed");
        assert!(claims.recomputed(too_small()).unwrap().is_none());
        assert_eq!(holds(&claims), [Some(true), Some(false), None]);
        let mut claims = Claims::default();
        assert!(claims.recomputed(Err::<Value, _>(Error::data("broken"))).unwrap().is_none());
        assert_eq!(holds(&claims), [Some(false)]);
    }

    #[test]
    fn every_table_of_a_release_is_needed() {
        let document = json!({ "form": "bucketized", "data": "quasi.csv", "sensitive": "sensitive.csv" });
        assert_eq!(needed(&document), ["quasi.csv", "sensitive.csv"]);
        assert_eq!(needed(&json!({ "form": "generalized", "data": "data.csv" })), ["data.csv"]);
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
