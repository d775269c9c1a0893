//! Releases whose certificate or files somebody changed.

use crate::support::{check_fault, in_memory};
use sfumato::chance::Chance;
use sfumato::data::{Formats, sample};
use sfumato::plan::{Plan, SetPlan};
use sfumato::release::{self, Destination};
use sfumato::transactions::{Read, sample::purchases};
use sfumato::{Result, TablePlan, attack, publish};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const CERTIFICATE: &str = "certificate.json";

/// Puts bytes in the place of a certificate (those that begin with a brace) or of a table of a
/// release. Verification gives a report or an error; whatever is not to the letter what was written
/// does not verify; nobody gets more out of it than an error.
pub fn certificate(data: &[u8]) {
    RELEASES.with(|releases| {
        if data.trim_ascii_start().starts_with(b"{") {
            let release = releases.named_in(data);
            release.check_with(CERTIFICATE, data);
        } else {
            for release in &releases.all {
                release.tables().for_each(|name| release.check_with(name, data));
            }
        }
    });
}

/// The files of small releases as they were written: where changes start from.
pub fn honest_files() -> Vec<Vec<u8>> {
    RELEASES
        .with(|releases| releases.all.iter().flat_map(|release| &release.files).map(|file| file.1.clone()).collect())
}

thread_local! {
    static RELEASES: Releases = Releases::new();
}

struct Releases {
    all: [Release; 3],
    _folder: TempDir,
}

/// A release as it was written.
struct Release {
    folder: PathBuf,
    /// A word that only its certificate has.
    word: &'static [u8],
    files: Vec<(String, Vec<u8>)>,
}

const GENERALIZED: &str = r#"
    [columns]
    patient = "identifier"
    age     = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
    sex     = "quasi"
    zip     = { role = "quasi", hierarchy = { redact = 5 } }
    disease = "sensitive"
    [[require]]
    criterion = "k-anonymity"
    k = 2
    [[require]]
    criterion = "t-closeness"
    t = 0.9
    [release]
    max_suppressed = "20%"
    suppressed = "starred"
"#;

const BUCKETIZED: &str = r#"
    [columns]
    patient = "identifier"
    age     = "quasi"
    sex     = "quasi"
    zip     = "quasi"
    disease = "sensitive"
    [[require]]
    criterion = "distinct-l-diversity"
    l = 2
    [method]
    name = "mondrian"
    [release]
    form = "bucketized"
    [gate]
    attacks = "report"
"#;

const SETS: &str = r#"
    [data]
    kind = "transactions"
    sensitive = { items = ["condom"] }
    [[require]]
    criterion = "rho-uncertainty"
    rho = "0.7"
    [method]
    name = "permutation"
"#;

impl Releases {
    fn new() -> Releases {
        let folder = in_memory();
        let at = |name: &str| folder.path().join(name);
        let table = |text: &str, target: &Path| write_table(text, target);
        table(GENERALIZED, &at("generalized")).expect("a release");
        table(BUCKETIZED, &at("bucketized")).expect("a release");
        write_sets(&at("sets")).expect("a release");
        // The words are looked for in this order.
        let all = [("sets", "\"transactions\""), ("bucketized", "\"bucketized\""), ("generalized", "")];
        let all = all.map(|(name, word)| Release::new(at(name), word.as_bytes()));
        Releases { all, _folder: folder }
    }

    /// The release that a certificate seems to be about.
    fn named_in(&self, certificate: &[u8]) -> &Release {
        let has = |word: &[u8]| word.is_empty() || certificate.windows(word.len()).any(|window| window == word);
        self.all.iter().find(|release| has(release.word)).expect("the last has no word")
    }
}

fn write_table(text: &str, target: &Path) -> Result<()> {
    let mut plan = TablePlan::parse(text, Path::new("."))?;
    plan.publishing.chance = Chance::insecure(1);
    let (table, formats) = (sample::hospital(40, 1), Formats::default());
    let made = publish::make(&plan, &table, &formats)?.pass()?;
    let order = Destination::new(target);
    release::write(&made, &plan, &order, &formats).map(drop)
}

fn write_sets(target: &Path) -> Result<()> {
    let Plan::Sets(plan) = Plan::parse(SETS, Path::new("."))? else { unreachable!("a plan for sets") };
    let plan = SetPlan { chance: Chance::insecure(1), ..*plan };
    let (read, formats) = (Read { table: purchases(), empty: 0, repeated: 0 }, Formats::default());
    let made = publish::make(&plan, &read, &formats)?.pass()?;
    release::write(&made, &plan, &Destination::new(target), &formats).map(drop)
}

impl Release {
    fn new(folder: PathBuf, word: &'static [u8]) -> Release {
        let entries = std::fs::read_dir(&folder).expect("a release").flatten();
        let file = |entry: std::fs::DirEntry| {
            let bytes = std::fs::read(entry.path()).expect("a file");
            (entry.file_name().to_string_lossy().into_owned(), bytes)
        };
        let mut files: Vec<(String, Vec<u8>)> = entries.map(file).collect();
        files.sort();
        let verified = release::verify(&folder, &Formats::default()).expect("a report");
        assert!(verified.holds(), "a release that nobody changed verifies");
        Release { folder, word, files }
    }

    /// The files that are read as tables.
    fn tables(&self) -> impl Iterator<Item = &str> {
        let names = self.files.iter().map(|(name, _)| name.as_str());
        names.filter(|name| !name.ends_with(".html") && *name != CERTIFICATE)
    }

    /// Looks at the release with one file replaced, and puts it back.
    fn check_with(&self, name: &str, data: &[u8]) {
        let path = self.folder.join(name);
        let (_, honest) = self.files.iter().find(|(known, _)| known == name).expect("a file of the release");
        std::fs::write(&path, data).expect("room for a file");
        self.check(data == honest);
        std::fs::write(&path, honest).expect("room for a file");
    }

    fn check(&self, is_honest: bool) {
        let formats = Formats::default();
        match release::verify(&self.folder, &formats) {
            Ok(found) => assert_eq!(found.holds(), is_honest, "whether it was changed is found out"),
            Err(error) => {
                assert!(!is_honest, "{error}");
                check_fault(&error);
            }
        }
        let told = [
            release::table(&self.folder, &formats).map(drop),
            release::attack(&self.folder, &attack::usual(&[]), &formats).map(drop),
            release::transactions::is_release(&self.folder).map(drop),
            release::transactions::read(&self.folder, None).map(drop),
        ];
        told.iter().filter_map(|told| told.as_ref().err()).for_each(check_fault);
    }
}
