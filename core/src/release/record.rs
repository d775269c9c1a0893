//! The custodian's own record of releases: which tables were published before, and when.
//!
//! A private file of JSON lines, one for each release: date, fingerprint of the table, seal, place,
//! and the names of published columns. It holds no cell. Lines are only ever added, each whole, by
//! one process at a time.
//!
//! # What is recognised
//! The fingerprint is a keyed hash over the multiset of the table's records: the same for any order
//! of records and of columns, in any format, and for every way to write a number. Without the key,
//! which lies beside the record, nobody can try out tables against it. It is that of the whole
//! table: one with another record, cell, column or column name is another table, and so is another
//! year of the same people. What other machines published is not known.

use super::REPORT;
use super::verify::certificate;
use crate::certificate::table::Declared;
use crate::certificate::{Certificate, FileFacts, Named, value};
use crate::chance::Chance;
use crate::data::{Column, Table, canonical_text};
use crate::error::{Error, Fault, Result};
use crate::transactions::Transactions;
use rand::Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::env::var_os;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Names the record of this machine, or turns it off if it is empty.
const VARIABLE: &str = "SFUMATO_RECORD";

/// Where the record of this machine is: where the user says, else where programs keep their state; `None` if it is
/// turned off or there is no such place.
pub fn place() -> Option<PathBuf> {
    if let Some(named) = var_os(VARIABLE) {
        return Some(PathBuf::from(named)).filter(|path| !path.as_os_str().is_empty());
    }
    let absolute = |name: &str| var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
    let state = state.or_else(|| absolute("LOCALAPPDATA"));
    Some(state?.join("sfumato").join("releases.jsonl"))
}

/// What is published, as far as a fingerprint reads it.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    /// A table.
    Table(&'a Table),
    /// Records that are sets of items.
    Sets(&'a Transactions),
}

/// A release that stands in the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// When it was made, in universal time.
    pub date: String,
    /// The seal of its certificate.
    pub seal: String,
    /// What its published files hash to.
    pub data: String,
    /// Where it was put.
    pub target: String,
    /// The columns that it publishes.
    pub columns: Vec<String>,
}

impl Entry {
    /// A release that was made now, from its certificate.
    pub fn now(certificate: &Certificate, target: &Path) -> Entry {
        let columns = certificate.part::<Declared>().map_or(Vec::new(), |declared| declared.plan.columns);
        let target = std::path::absolute(target).unwrap_or_else(|_| target.to_owned());
        Entry {
            date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            seal: certificate.head.seal.clone(),
            data: data_hash(&certificate.head.files),
            target: target.to_string_lossy().into_owned(),
            columns: columns.into_iter().filter(|column| column.published).map(|column| column.name).collect(),
        }
    }

    /// The day on which it was made.
    pub fn day(&self) -> &str {
        self.date.get(..10).unwrap_or(&self.date)
    }
}

/// A line of the record.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    /// A release, and what its table is recognised by.
    Release {
        #[serde(flatten)]
        entry: Entry,
        #[serde(flatten)]
        prints: Fingerprints,
    },
    /// Nobody received the release with this seal.
    NeverOut { never_out: String },
}

/// What the record knows of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Earlier releases of it, first to last, without those that nobody received.
    pub earlier: Vec<Entry>,
    /// Lines of the record that cannot be read.
    pub unreadable: usize,
    /// What the table is recognised by, if there was a key to compute it with.
    fingerprints: Option<Fingerprints>,
}

/// What a table is recognised by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Fingerprints {
    /// The table as it was read.
    #[serde(default, rename = "fingerprint")]
    content: String,
    /// The bytes of the file, whatever a plan makes of them.
    file: Option<String>,
}

impl Fingerprints {
    /// Whether others are about the same table or the same file.
    fn are_like(&self, others: &Fingerprints) -> bool {
        self.content == others.content || self.file.is_some() && self.file == others.file
    }
}

impl History {
    /// The seals of earlier releases.
    pub fn seals(&self) -> Vec<&str> {
        self.earlier.iter().map(|entry| entry.seal.as_str()).collect()
    }
}

/// A record of releases in a file.
pub struct Record {
    path: PathBuf,
    source: Option<PathBuf>,
}

impl Record {
    /// The record in a file, which need not be there yet.
    ///
    /// ```
    /// use sfumato::certificate::Certificate;
    /// use sfumato::data::sample;
    /// use sfumato::release::record::{Content, Entry, History, Record};
    ///
    /// let folder = tempfile::tempdir().unwrap();
    /// let record = Record::at(&folder.path().join("state/releases.jsonl"));
    /// let patients = sample::clinic();
    /// assert!(record.known(Content::Table(&patients))?.earlier.is_empty());
    /// let certificate = Certificate::of(serde_json::json!({ "seal": "5ea1", "files": {} }))?;
    /// let first = Entry::now(&certificate, "release".as_ref());
    /// record.add(Content::Table(&patients), &History::default(), &first)?;
    /// let shuffled = patients.select(&[5, 4, 3, 2, 1, 0]);
    /// assert_eq!(record.known(Content::Table(&shuffled))?.earlier, [first]);
    /// # Ok::<(), sfumato::Error>(())
    /// ```
    pub fn at(path: &Path) -> Record {
        Record { path: path.to_owned(), source: None }
    }

    /// The same, and the file that the table was read from: plans may read one file as different
    /// tables.
    pub fn with_source(self, source: &Path) -> Record {
        Record { source: Some(source.to_owned()), ..self }
    }

    /// What it knows of a table.
    pub fn known(&self, content: Content<'_>) -> Result<History> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(History::default()),
            opened => opened.map_err(|error| self.failed(&error))?,
        };
        file.lock_shared().map_err(|error| self.failed(&error))?;
        let lines = self.lines(&mut file)?;
        if lines.is_empty() {
            return Ok(History::default());
        }
        let key = self.key()?.ok_or_else(|| self.without_key())?;
        Ok(known(&lines, &self.fingerprints(content, &key)?))
    }

    /// Adds a release of a table of which so much was known when somebody looked. Returns what the
    /// record knows at this moment: another process may have added something since.
    pub fn add(&self, content: Content<'_>, before: &History, entry: &Entry) -> Result<History> {
        let mut file = self.open()?;
        let lines = self.lines(&mut file)?;
        let key = match self.key()? {
            Some(key) => key,
            None if lines.is_empty() => self.make_key()?,
            None => return Err(self.without_key()),
        };
        let prints = match &before.fingerprints {
            Some(prints) => prints.clone(),
            None => self.fingerprints(content, &key)?,
        };
        self.append(&mut file, &[Line::Release { entry: entry.clone(), prints: prints.clone() }])?;
        Ok(known(&lines, &prints))
    }

    fn fingerprints(&self, content: Content<'_>, key: &Key) -> Result<Fingerprints> {
        let file = self.source.as_deref().map(|source| hash_of_file(source, key)).transpose()?;
        Ok(Fingerprints { content: fingerprint(content, key), file })
    }

    /// Notes that nobody received these releases: they count no more.
    pub fn never_out(&self, seals: &[String]) -> Result<()> {
        let lines: Vec<Line> = seals.iter().map(|seal| Line::NeverOut { never_out: seal.clone() }).collect();
        if lines.is_empty() { Ok(()) } else { self.append(&mut self.open()?, &lines) }
    }

    /// The file, for this process alone, and the folder it is in.
    fn open(&self) -> Result<File> {
        let failed = |error| self.failed(&error);
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            private_folder().create(folder).map_err(failed)?;
        }
        let file = private_file().read(true).append(true).create(true).open(&self.path).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }

    /// Every line, as far as it can be read.
    fn lines(&self, file: &mut File) -> Result<Vec<Option<Line>>> {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| self.failed(&error))?;
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        Ok(lines.map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Adds whole lines, in one step. A line that a dead process left unfinished is ended first.
    fn append(&self, file: &mut File, lines: &[Line]) -> Result<()> {
        let failed = |error| self.failed(&error);
        let mut text: String = lines.iter().map(|line| format!("{}\n", value(line))).collect();
        let bytes = std::fs::read(&self.path).map_err(failed)?;
        if bytes.last().is_some_and(|last| *last != b'\n') {
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).map_err(failed)
    }

    fn key_path(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".key");
        name.into()
    }

    /// The key beside the record, if there is one.
    fn key(&self) -> Result<Option<Key>> {
        let path = self.key_path();
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| Error::io(&error, &path))?,
        };
        let bytes: Option<Vec<u8>> = text.trim().as_bytes().chunks(2).map(byte).collect();
        let key = bytes.and_then(|bytes| <[u8; KEY_BYTES]>::try_from(bytes).ok());
        let broken = || Error::new(Fault::Io, "is no key of a record of releases").file(&path);
        key.map(|key| Some(Key::new(&key))).ok_or_else(broken)
    }

    /// Makes the key, whole or not at all. Only whoever holds the record's lock does.
    fn make_key(&self) -> Result<Key> {
        let mut key = [0; KEY_BYTES];
        Chance::System.generator(0)?.fill_bytes(&mut key);
        let (path, new) = (self.key_path(), self.key_path().with_extension("key-new"));
        let failed = |error| Error::io(&error, &path);
        let mut file = private_file().write(true).create(true).truncate(true).open(&new).map_err(failed)?;
        let text = format!("{}\n", hexadecimal(&key));
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        std::fs::rename(&new, &path).map_err(failed)?;
        Ok(Key::new(&key))
    }

    fn failed(&self, error: &std::io::Error) -> Error {
        Error::io(error, &self.path)
    }

    fn without_key(&self) -> Error {
        let error = Error::new(Fault::Io, "the record of releases has lost its key").file(self.key_path());
        error.help("put the key back, or move the record away: without the key it recognises no table")
    }
}

/// What the published files of a certificate hash to: two releases with the same files tell nothing
/// together.
pub(super) fn data_hash(files: &Named<FileFacts>) -> String {
    let mut hash = Sha256::new();
    for (name, file) in files.0.iter().filter(|(name, _)| name != REPORT) {
        feed(&mut hash, name);
        feed(&mut hash, &file.sha256);
    }
    hexadecimal(&hash.finalize())
}

/// The seal of the release that stands in a place, if there is one.
pub fn seal_at(target: &Path) -> Option<String> {
    certificate(target).ok().map(|found| found.head.seal).filter(|seal| !seal.is_empty())
}

/// What lines tell about a fingerprint. Lines count in their order: a release that nobody received
/// may be made again, byte for byte, and be given out.
fn known(lines: &[Option<Line>], own: &Fingerprints) -> History {
    let mut known = History { fingerprints: Some(own.clone()), ..History::default() };
    for line in lines {
        match line {
            None => known.unreadable += 1,
            Some(Line::NeverOut { never_out }) => known.earlier.retain(|entry| entry.seal != *never_out),
            Some(Line::Release { entry, prints }) => {
                let is_new = known.earlier.iter().all(|before| before.seal != entry.seal);
                known.earlier.extend(Some(entry.clone()).filter(|_| is_new && own.are_like(prints)));
            }
        }
    }
    known
}

#[cfg(unix)]
fn private_file() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = File::options();
    options.mode(0o600);
    options
}

#[cfg(not(unix))]
fn private_file() -> OpenOptions {
    File::options()
}

/// Makes folders that only the owner can enter; one that is there stays as it is.
fn private_folder() -> DirBuilder {
    let mut folder = DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder
}

const KEY_BYTES: usize = 32;
/// The block that SHA-256 works on.
const BLOCK: usize = 64;

/// HMAC-SHA-256 (RFC 2104) with a key.
struct Key {
    inner: Sha256,
    outer: Sha256,
}

impl Key {
    fn new(key: &[u8; KEY_BYTES]) -> Key {
        let padded = |pad: u8| {
            let mut block = [pad; BLOCK];
            block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
            Sha256::new().chain_update(block)
        };
        Key { inner: padded(0x36), outer: padded(0x5c) }
    }

    fn hash(&self, feed: impl FnOnce(&mut Sha256)) -> [u8; 32] {
        let mut inner = self.inner.clone();
        feed(&mut inner);
        self.outer.clone().chain_update(inner.finalize()).finalize().into()
    }
}

/// A text, so that no other texts in a row look the same.
fn feed(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
}

/// The keyed hash of a file's bytes.
fn hash_of_file(path: &Path, key: &Key) -> Result<String> {
    let failed = |error| Error::io(&error, path);
    let mut file = File::open(path).map_err(failed)?;
    let (mut block, mut read) = (vec![0; 1 << 16], Ok(1));
    let whole = key.hash(|hash| {
        hash.update(b"file");
        while let Ok(1..) = read {
            read = file.read(&mut block).inspect(|&bytes| hash.update(&block[..bytes]));
        }
    });
    read.map_err(failed).map(|_| hexadecimal(&whole))
}

/// The fingerprint of a table. Hashes of records are added up, so that their order does not matter
/// and their number does.
fn fingerprint(content: Content<'_>, key: &Key) -> String {
    let (names, records) = match content {
        Content::Table(table) => {
            let mut columns: Vec<&Column> = table.columns().iter().collect();
            columns.sort_by_key(|column| column.name());
            let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
            (names, sum(table.rows(), |row| key.hash(|hash| feed_row(hash, &columns, row))))
        }
        Content::Sets(sets) => {
            let record = |at: usize| {
                let mut items: Vec<&str> =
                    sets.record(at).iter().map(|item| sets.names()[*item as usize].as_str()).collect();
                items.sort_unstable();
                key.hash(|hash| items.iter().for_each(|item| feed(hash, item)))
            };
            (Vec::new(), sum(sets.len(), record))
        }
    };
    let whole = key.hash(|hash| {
        hash.update(if matches!(content, Content::Sets(_)) { b"sets" } else { b"rows" });
        names.iter().for_each(|name| feed(hash, name));
        records.iter().for_each(|word| hash.update(word.to_le_bytes()));
    });
    hexadecimal(&whole)
}

fn feed_row(hash: &mut Sha256, columns: &[&Column], row: usize) {
    for column in columns {
        let code = column.codes()[row];
        // However it is written, and in every format, a missing value is one.
        let is_missing = column.domain().missing() == Some(code);
        let text = canonical_text(column.domain().label(code));
        feed(hash, if is_missing { "" } else { &text });
    }
}

/// The sum of the records' hashes, word by word, and how many there are.
fn sum(records: usize, hash: impl Fn(usize) -> [u8; 32] + Sync) -> [u64; 5] {
    let words = |record: usize| {
        let hash = hash(record);
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| hash[8 * at + byte]));
        [word(0), word(1), word(2), word(3), 1]
    };
    let add = |a: [u64; 5], b: [u64; 5]| std::array::from_fn(|at| a[at].wrapping_add(b[at]));
    (0..records).into_par_iter().with_min_len(1 << 12).map(words).reduce(|| [0; 5], add)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn byte(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.len() == 2)?;
    u8::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::sample;

    fn entry(seal: &str) -> Entry {
        let [date, data, target] = ["2026-10-03T08:00:00Z", "da7a", "/release"].map(String::from);
        Entry { date, seal: seal.into(), data, target, columns: vec!["zip".into()] }
    }

    fn table(columns: &[(&str, &[&str])]) -> Table {
        Table::new(columns.iter().map(|(name, values)| Column::from_values(*name, *values)).collect()).unwrap()
    }

    fn print(table: &Table) -> String {
        fingerprint(Content::Table(table), &Key::new(&[7; KEY_BYTES]))
    }

    #[test]
    fn the_keyed_hash_is_that_of_the_standard() {
        // RFC 4231, test case 1: a key of 20 bytes, which zeros fill up.
        let mut key = [0; KEY_BYTES];
        key[..20].fill(0x0b);
        let hash = Key::new(&key).hash(|hash| hash.update(b"Hi There"));
        assert_eq!(hexadecimal(&hash), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    }

    #[test]
    fn the_same_table_is_recognised_in_any_order_and_any_way_to_write_numbers() {
        let first = table(&[("age", &["30", "40", "30"]), ("zip", &["013", "014", "015"])]);
        let again = table(&[("zip", &["014", "015", "013"]), ("age", &["40.0", "3e1", "30"])]);
        assert_eq!(print(&first), print(&again));
        let patients = sample::hospital(10_000, 1);
        let reversed: Vec<u32> = (0..10_000).rev().collect();
        assert_eq!(print(&patients), print(&patients.select(&reversed)));
    }

    #[test]
    fn another_table_is_another_one() {
        let first = table(&[("age", &["30", "40"]), ("zip", &["1", "2"])]);
        for other in [
            table(&[("age", &["30", "40"]), ("zip", &["2", "1"])]),
            table(&[("age", &["30", "40", "40"]), ("zip", &["1", "2", "2"])]),
            table(&[("age", &["30", "40"]), ("place", &["1", "2"])]),
            table(&[("age", &["30", "40"])]),
            table(&[("age", &["301", "402"]), ("zip", &["", ""])]),
        ] {
            assert_ne!(print(&first), print(&other));
        }
        let other_key = fingerprint(Content::Table(&first), &Key::new(&[8; KEY_BYTES]));
        assert_ne!(print(&first), other_key, "nobody without the key can try tables out");
    }

    #[test]
    fn sets_are_recognised_whatever_the_order_of_records_and_items() {
        let key = Key::new(&[7; KEY_BYTES]);
        let print = |records: Vec<Vec<&str>>| fingerprint(Content::Sets(&Transactions::from_names(records)), &key);
        let first = print(vec![vec!["milk", "wine"], vec!["bread"]]);
        assert_eq!(first, print(vec![vec!["bread"], vec!["wine", "milk"]]));
        assert_ne!(first, print(vec![vec!["bread", "milk"], vec!["wine"]]));
    }

    #[test]
    fn releases_add_up_and_those_that_nobody_received_count_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let record = Record::at(&folder.path().join("a/b/releases.jsonl"));
        let (patients, others) = (sample::clinic(), sample::hospital(50, 1));
        let [patients, others] = [&patients, &others].map(Content::Table);
        assert!(record.known(patients).unwrap().earlier.is_empty());
        assert!(!folder.path().join("a").exists(), "looking leaves nothing");
        assert!(record.add(patients, &History::default(), &entry("1")).unwrap().earlier.is_empty());
        record.add(others, &History::default(), &entry("2")).unwrap();
        assert_eq!(record.add(patients, &History::default(), &entry("3")).unwrap().seals(), ["1"]);
        assert_eq!(record.known(patients).unwrap().seals(), ["1", "3"]);
        record.never_out(&["1".into()]).unwrap();
        let left = record.known(patients).unwrap();
        assert_eq!((left.earlier.as_slice(), left.unreadable), (&[entry("3")][..], 0));
        record.add(patients, &left, &entry("4")).unwrap();
        assert_eq!(record.known(patients).unwrap().seals(), ["3", "4"], "a fingerprint is computed once");
        record.add(patients, &left, &entry("1")).unwrap();
        assert_eq!(record.known(patients).unwrap().seals(), ["3", "4", "1"], "made again, it may be out");
    }

    #[test]
    fn a_torn_line_is_counted_and_hides_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("releases.jsonl");
        let (record, patients) = (Record::at(&path), sample::clinic());
        let patients = Content::Table(&patients);
        record.add(patients, &History::default(), &entry("1")).unwrap();
        let mut text = std::fs::read_to_string(&path).unwrap();
        text += "{\"date\": \"2026";
        std::fs::write(&path, text).unwrap();
        record.add(patients, &History::default(), &entry("2")).unwrap();
        let known = record.known(patients).unwrap();
        assert_eq!((known.seals(), known.unreadable), (vec!["1", "2"], 1));
    }

    #[test]
    fn a_record_without_its_key_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let (record, patients) = (Record::at(&folder.path().join("releases.jsonl")), sample::clinic());
        record.add(Content::Table(&patients), &History::default(), &entry("1")).unwrap();
        std::fs::write(record.key_path(), "no key").unwrap();
        assert!(record.known(Content::Table(&patients)).is_err());
        std::fs::remove_file(record.key_path()).unwrap();
        let error = record.add(Content::Table(&patients), &History::default(), &entry("2")).unwrap_err();
        assert!(error.to_string().contains("lost its key"), "{error}");
    }

    #[test]
    fn many_at_once_leave_whole_lines_and_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("releases.jsonl");
        let patients = sample::clinic();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let (path, patients) = (&path, &patients);
                scope.spawn(move || {
                    for at in 0..5 {
                        let seal = format!("{writer}-{at}");
                        Record::at(path).add(Content::Table(patients), &History::default(), &entry(&seal)).unwrap();
                    }
                });
            }
        });
        let known = Record::at(&path).known(Content::Table(&patients)).unwrap();
        assert_eq!((known.earlier.len(), known.unreadable), (40, 0));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("state");
        let record = Record::at(&place.join("releases.jsonl"));
        record.add(Content::Table(&sample::clinic()), &History::default(), &entry("1")).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&place), 0o700);
        assert_eq!(mode(&record.path), 0o600);
        assert_eq!(mode(&record.key_path()), 0o600);
    }
}
