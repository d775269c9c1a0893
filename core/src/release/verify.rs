//! Checks a release directory against its own certificate, from the directory alone.

use super::REPORT;
use super::certify::{hash, is_sealed};
use super::directory::CERTIFICATE;
use super::recompute::{Stated, is_plain_name, recompute};
use super::signature::is_signature;
use super::transactions;
use crate::data::{Formats, Table};
use crate::error::{Error, Fault, Result};
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
    let (text, document) = read_certificate(folder)?;
    let mut claims = Claims(Vec::new());
    let seal = document["seal"].as_str().unwrap_or_default().to_string();
    claims.told("seal of the certificate", is_sealed(&text, &seal), "it was changed after it was sealed");
    let is_sets = transactions::is_certificate(&document);
    let needed = if is_sets { transactions::needed(&document) } else { needed(&document) };
    let intact = check_files(folder, &document, &needed, &mut claims)?;
    // A changed text still tells which figures are not its own; a changed binary file is not worth parsing.
    let is_text = document["data"].as_str().is_some_and(|data| data.ends_with(".csv") || data.ends_with(".tsv"));
    if is_sets {
        transactions::check_figures(folder, &document, &mut claims)?;
    } else if intact || is_text {
        check_figures(folder, &document, formats, &mut claims)?;
    } else {
        claims.untold("figures", "a file was changed, so there is nothing to recompute them from");
    }
    Ok(Verification { claims: claims.0, seal, certificate: text })
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

pub(super) struct Claims(pub(super) Vec<Claim>);

impl Claims {
    pub fn told(&mut self, name: &str, holds: bool, otherwise: &str) {
        let detail = if holds { String::new() } else { otherwise.to_string() };
        self.0.push(Claim { name: name.to_string(), holds: Some(holds), detail });
    }

    /// What was recomputed. Not to be able to is a claim that fails; a machine that is too small, or a disk that fails, proves nothing against the release.
    pub fn recomputed(&mut self, found: Result<Value>) -> Result<Option<Value>> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) if matches!(error.fault(), Fault::Io | Fault::Resources) => {
                // What failed already is proof enough.
                if self.0.iter().all(|claim| claim.holds != Some(false)) {
                    return Err(error);
                }
                self.untold("figures", "they could not be recomputed");
                Ok(None)
            }
            Err(error) => {
                self.told("figures", false, &format!("they cannot be recomputed: {error}"));
                Ok(None)
            }
        }
    }

    pub fn untold(&mut self, name: &str, why: &str) {
        self.0.push(Claim { name: name.to_string(), holds: None, detail: why.to_string() });
    }

    pub fn same(&mut self, name: &str, stated: &Value, found: &Value) {
        self.told(name, stated == found, &format!("the certificate states {stated}, the release has {found}"));
    }
}

/// The names of the tables that a certificate must be about.
fn needed(document: &Value) -> Vec<&Value> {
    let keys = if document["form"] == "bucketized" { &["data", "sensitive"][..] } else { &["data"] };
    keys.iter().map(|key| &document[key]).collect()
}

/// Checks the files of the folder; says whether they are those that the certificate is about.
fn check_files(folder: &Path, document: &Value, needed: &[&Value], claims: &mut Claims) -> Result<bool> {
    let before = claims.0.len();
    let empty = serde_json::Map::new();
    let files = document["files"].as_object().unwrap_or(&empty);
    for (name, stated) in files {
        let bytes = plain_file(folder, name)?;
        let same = bytes.as_ref().is_some_and(|bytes| stated["sha256"] == hash(bytes));
        let otherwise = if bytes.is_some() { "the file was changed" } else { "the file is not there" };
        claims.told(&format!("sha256 of {name}"), same, otherwise);
    }
    let has = |name: &&Value| name.as_str().is_some_and(|name| files.contains_key(name));
    let complete = files.contains_key(REPORT) && needed.iter().all(has);
    claims.told("table and report", complete, "the certificate states no hash of them");
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| Error::io(&error, folder))?;
    let mut foreign: Vec<String> =
        entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    foreign.retain(|name| name != CERTIFICATE && !is_signature(folder, name) && !files.contains_key(name));
    foreign.sort();
    let otherwise = format!("the certificate does not know: {}", foreign.join(", "));
    claims.told("no other files", foreign.is_empty(), &otherwise);
    Ok(claims.0[before..].iter().all(|claim| claim.holds == Some(true)))
}

/// What a name leads to that is none of a file.
const NO_SUCH_FILE: [ErrorKind; 4] =
    [ErrorKind::NotFound, ErrorKind::InvalidFilename, ErrorKind::InvalidInput, ErrorKind::NotADirectory];

/// The bytes of a regular file in a folder, nothing if there is none: links and pipes could lead anywhere.
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

fn check_figures(folder: &Path, document: &Value, formats: &Formats, claims: &mut Claims) -> Result<()> {
    let recomputed = Stated::read(document).and_then(|stated| recompute(folder, &stated, formats));
    let Some(found) = claims.recomputed(recomputed)? else { return Ok(()) };
    for key in ["published", "groups"] {
        claims.same(key, &document[key], &found[key]);
    }
    claims.same("class of the method", &document["method"]["class"], &found["class"]);
    let [records, published, suppressed] = ["records", "published", "suppressed"].map(|key| document[key].as_u64());
    let withheld = document["skew"]["withheld"].as_u64().unwrap_or(0);
    let sum = published.zip(suppressed).and_then(|(a, b)| a.checked_add(b)?.checked_add(withheld));
    claims.told("records", records.is_some() && records == sum, "they are not the published and the suppressed ones");
    check_skew(document, &found, claims);
    let starred = if document["suppressed_as"] == "starred" { document["suppressed"].clone() } else { 0.into() };
    claims.same("starred records", &starred, &found["starred"]);
    check_columns(document, &found, claims);
    check_criteria(document, &found, claims);
    check_attacks(document, &found, claims);
    for (name, value) in found["utility"].as_object().into_iter().flatten() {
        let stated = document["utility"][name].as_f64().map(|stated| (stated * 1e9).round() / 1e9);
        let close = stated.zip(value.as_f64()).is_some_and(|(a, b)| is_close(a, b));
        let stated = stated.map_or_else(|| "nothing".to_string(), |stated| stated.to_string());
        let otherwise = format!("the certificate states {stated}, the release has {value}");
        claims.told(&format!("utility: {name}"), close, &otherwise);
    }
    let otherwise = format!("not those of the release: {}", differing_keys(&document["recomputed"], &found));
    claims.told("recomputed figures", document["recomputed"] == found, &otherwise);
    Ok(())
}

/// Whether two figures are one but for rounding to nine places, or digits where there are more before the point.
fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 2e-9 * a.abs().max(1.0)
}

/// What is said of records that were withheld is what there is to say; what was left is eligible, and enough values could be the most frequent one.
fn check_skew(document: &Value, found: &Value, claims: &mut Claims) {
    const LEFT: &str = "skew: what was left is eligible, and enough values could be the most frequent one";
    if document["skew"].is_null() {
        return;
    }
    let differing = differing(&document["skew"], &found["skew"]["stated"]);
    claims.told("skew", document["skew"] == found["skew"]["stated"], &differing);
    match &found["skew"]["left"] {
        Value::Null => claims.untold(LEFT, "not all that was left is published"),
        left => claims.told(LEFT, left["eligible"] == true && left["candidates"] == true, &left.to_string()),
    }
}

/// The table has the columns that are said to be published, and levels are said once.
fn check_columns(document: &Value, found: &Value, claims: &mut Claims) {
    let columns = || document["plan"]["columns"].as_array().into_iter().flatten();
    let mut published: Vec<&str> =
        columns().filter(|column| column["published"] == true).filter_map(|column| column["name"].as_str()).collect();
    let mut present: Vec<&str> = found["columns"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    published.sort_unstable();
    present.sort_unstable();
    claims.told("columns", published == present, "the table has others than those that are said to be published");
    let levels = &document["method"]["levels"];
    // Groups that were formed record by record have none, and a bucketized release shows none.
    let by_level = document["form"] != "bucketized" && levels.is_object();
    let same = columns().filter(|column| column["role"] == "quasi").all(|column| {
        let name = column["name"].as_str().unwrap_or_default();
        if by_level { levels[name] == column["level"] } else { column.get("level").is_none() }
    });
    claims.told("levels", same, "they are stated in two ways");
}

fn check_criteria(document: &Value, found: &Value, claims: &mut Claims) {
    let stated = document["criteria"].as_array().map_or(&[][..], Vec::as_slice);
    claims.told("criteria", !stated.is_empty(), "none is stated");
    for (at, stated) in stated.iter().enumerate() {
        let name = format!("criterion {}: {}", at + 1, stated["criterion"].as_str().unwrap_or("?"));
        let claimed = stated["holds"] == true;
        match &found["criteria"][at] {
            _ if !claimed => claims.told(&name, false, "the certificate itself says that it does not hold"),
            Value::Null => claims.untold(
                &name,
                "it is about the whole table, suppressed records included, or needs what is not part of the release: a file, or whose record each is",
            ),
            again => {
                let differing = differing(&without_place(stated), &without_place(again));
                claims.told(&name, differing.is_empty() && again["holds"] == true, &differing);
            }
        }
    }
}

fn differing_keys(stated: &Value, found: &Value) -> String {
    let keys = found.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    keys.filter(|key| stated[key] != found[key]).collect::<Vec<_>>().join(", ")
}

/// What two documents say differently, in words.
pub(super) fn differing(stated: &Value, found: &Value) -> String {
    let keys = stated.as_object().into_iter().flatten().map(|(key, _)| key);
    let different = keys.filter(|key| stated[key.as_str()] != found[key.as_str()]);
    let words: Vec<String> =
        different.map(|key| format!("{key}: stated {}, found {}", stated[key.as_str()], found[key.as_str()])).collect();
    words.join("; ")
}

/// A verdict without the place of its worst group: of several equally bad ones, which comes first depends on how values are ordered.
fn without_place(verdict: &Value) -> Value {
    let mut verdict = verdict.clone();
    if let Some(worst) = verdict["worst_group"].as_object_mut() {
        worst.remove("first_record");
    }
    verdict
}

fn check_attacks(document: &Value, found: &Value, claims: &mut Claims) {
    for (at, stated) in document["attacks"].as_array().into_iter().flatten().enumerate() {
        let on = stated["on"].as_str().map_or(String::new(), |on| format!(" on {on}"));
        let name = format!("attack: {}{on}", stated["attack"].as_str().unwrap_or("?"));
        match &found["attacks"][at] {
            Value::Null => claims.untold(
                &name,
                "it needs more than the release: what the attacker knows besides, what was drawn by lot, or more work than a check is worth",
            ),
            again => {
                let own: Value = again
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(key, _)| (key.clone(), stated[key].clone()))
                    .collect();
                let differing = differing(&own, again);
                claims.told(&name, differing.is_empty(), &differing);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn holds(claims: &Claims) -> Vec<Option<bool>> {
        claims.0.iter().map(|claim| claim.holds).collect()
    }

    #[test]
    fn a_failing_machine_proves_nothing_and_a_proof_stays_one() {
        let too_small = || Err(Error::new(Fault::Resources, "too much"));
        assert!(Claims(Vec::new()).recomputed(too_small()).is_err());
        let mut claims = Claims(Vec::new());
        claims.told("seal", true, "");
        assert!(claims.recomputed(too_small()).is_err());
        claims.told("records", false, "changed");
        assert!(claims.recomputed(too_small()).unwrap().is_none());
        assert_eq!(holds(&claims), [Some(true), Some(false), None]);
        let mut claims = Claims(Vec::new());
        assert!(claims.recomputed(Err(Error::data("broken"))).unwrap().is_none());
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
    fn what_was_left_must_be_eligible_and_have_candidates() {
        for (eligible, candidates) in [(true, true), (true, false), (false, true), (false, false)] {
            let left = json!({ "eligible": eligible, "candidates": candidates });
            let found = json!({ "skew": { "stated": { "l": 3 }, "left": left } });
            let mut claims = Claims(Vec::new());
            check_skew(&json!({ "skew": { "l": 3 } }), &found, &mut claims);
            assert_eq!(holds(&claims), [Some(true), Some(eligible && candidates)]);
        }
    }

    #[test]
    fn large_figures_may_differ_in_their_last_digits() {
        assert!(is_close(0.5, 0.500_000_001) && !is_close(0.5, 0.500_000_01));
        assert!(is_close(1e6, 1e6 + 1e-3) && !is_close(1e6, 1e6 + 1e-2));
    }

    #[test]
    fn what_differs_is_named() {
        let (a, b) = (json!({ "x": 1, "y": 2, "z": 3 }), json!({ "x": 1, "y": 3, "z": 4 }));
        assert_eq!(differing_keys(&a, &b), "y, z");
        assert_eq!(differing(&a, &b), "y: stated 2, found 3; z: stated 3, found 4");
    }
}
