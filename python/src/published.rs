//! Publishing, and the release that comes of it. A native release exists only of what passed the
//! gate, was written, read back and verified.

use crate::errors::OrRaise;
use crate::frame::Frame;
use crate::plan::NativePlan;
use crate::work;
use pyo3::prelude::*;
use serde_json::Value;
use sfumato::certificate::Certificate;
use sfumato::data::{Column, Domain, Formats, Table};
use sfumato::plan::{SetPlan, TablePlan};
use sfumato::publish::{Publication, make, transactions};
use sfumato::recode::Form;
use sfumato::release::record::{self, Content, Entry, History, Record, seal_at};
use sfumato::release::{self, Destination, REPORT, Signer};
use sfumato::report::html::{Audience, report_html, transactions_html};
use sfumato::report::{internal_json, publication_text, transactions as sets_report};
use sfumato::transactions::{Read, Released, Transactions};
use sfumato::{Error, ErrorCode, Fault, Plan, Result};
use sfumato_signing::SecretKey;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// A release: in a folder of its own until it is saved, or in the directory that it was opened from.
#[pyclass(frozen, module = "sfumato._native")]
pub struct NativeRelease {
    folder: PathBuf,
    certificate: Certificate,
    /// The folder, where it is private and goes with this.
    _private: Option<Private>,
    tables: Vec<(String, Arc<Table>)>,
    custody: Option<Custody>,
}

/// A folder that goes with its owner, and stays if a child made by a fork ends before.
struct Private {
    folder: Option<TempDir>,
    owner: u32,
}

impl Private {
    fn path(&self) -> &Path {
        self.folder.as_ref().map_or(Path::new(""), TempDir::path)
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        if std::process::id() != self.owner {
            let _ = self.folder.take().map(TempDir::keep);
        }
    }
}

/// What the custodian has besides the release: none of it is public.
struct Custody {
    known: Known,
    content: Original,
    record: Option<Record>,
    history: History,
}

/// What is known about a publication.
enum Known {
    Table(Box<Publication>),
    Sets(Box<transactions::Publication>),
}

/// What was published, as the record of releases recognises it.
enum Original {
    Table(Arc<Table>),
    Sets(Transactions),
}

impl Original {
    fn content(&self) -> Content<'_> {
        match self {
            Original::Table(table) => Content::Table(table),
            Original::Sets(sets) => Content::Sets(sets),
        }
    }
}

#[pymethods]
impl NativeRelease {
    /// The directory that it is in now.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The certificate, as JSON.
    #[getter]
    fn certificate(&self) -> String {
        self.certificate.document.to_string()
    }

    /// Whether it is of sets of items.
    #[getter]
    fn is_sets(&self) -> bool {
        self.certificate.is_sets()
    }

    /// The report for everybody, as a page.
    #[getter]
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let path = self.folder.join(REPORT);
        std::fs::read_to_string(&path).map_err(|error| Error::io(&error, &path)).or_raise(py)
    }

    /// The published tables with their names.
    #[pyo3(signature = (progress=None))]
    fn tables(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<(String, Frame)>> {
        let hand_out = |tables: &[(String, Arc<Table>)]| {
            tables.iter().map(|(name, table)| (name.clone(), Frame(table.clone()))).collect()
        };
        if !self.tables.is_empty() || self.is_sets() {
            return Ok(hand_out(&self.tables));
        }
        let (folder, files) = (self.folder.clone(), self.files());
        let read = work::run(py, progress, move |formats| read_tables(&folder, &files, formats))?;
        Ok(hand_out(&read))
    }

    /// The published sets, each with its items.
    fn sets(&self, py: Python<'_>) -> PyResult<Vec<Vec<String>>> {
        let folder = self.folder.clone();
        work::run(py, None, move |_| read_sets(&folder))
    }

    /// What is said in a terminal; everything that the custodian may see of a release just made.
    #[getter]
    fn text(&self) -> Option<String> {
        Some(match &self.custody.as_ref()?.known {
            Known::Table(known) => publication_text(known),
            Known::Sets(known) => sets_report::publication_text(known),
        })
    }

    /// Everything that is known of a release just made, as JSON: not for release.
    #[getter]
    fn internal(&self) -> Option<String> {
        let document: Value = match &self.custody.as_ref()?.known {
            Known::Table(known) => internal_json(known),
            Known::Sets(known) => sets_report::internal_json(known),
        };
        Some(document.to_string())
    }

    /// The same as a page: not for release.
    #[getter]
    fn internal_report(&self) -> Option<String> {
        Some(match &self.custody.as_ref()?.known {
            Known::Table(known) => report_html(known, Audience::Internal),
            Known::Sets(known) => transactions_html(known, Audience::Internal),
        })
    }

    /// Puts the release into a directory, whole or not at all, and notes it in the record of
    /// releases. Gives back warnings.
    #[pyo3(signature = (target, replace=false, sign=None, progress=None))]
    fn save(
        own: &Bound<'_, Self>,
        py: Python<'_>,
        target: PathBuf,
        replace: bool,
        sign: Option<PathBuf>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<String>> {
        let shared = own.clone().unbind();
        work::run_to_end(py, progress, move |_| {
            let own = shared.get();
            let key = sign.as_deref().map(SecretKey::read).transpose()?;
            let place = Destination {
                replace,
                signer: key.as_ref().map(|key| key as &dyn Signer),
                ..Destination::new(&target)
            };
            let replaced = seal_at(&target).filter(|seal| *seal != own.certificate.head.seal);
            release::copy(&own.folder, &place)?;
            Ok(own.note(&target, replaced))
        })
    }
}

impl NativeRelease {
    /// A release in a directory.
    pub fn open(folder: &Path) -> Result<NativeRelease> {
        let certificate = release::certificate(folder)?;
        Ok(NativeRelease { folder: folder.to_owned(), certificate, _private: None, tables: vec![], custody: None })
    }

    /// The names of the files with published records.
    fn files(&self) -> Vec<String> {
        self.certificate.head.files.names().filter(|name| *name != REPORT).map(str::to_string).collect()
    }

    /// Whether an entry is about another release than this, and was not known when this was made.
    fn is_new(&self, entry: &Entry, history: &History) -> bool {
        entry.seal != self.certificate.head.seal && !history.earlier.contains(entry)
    }

    /// Notes in the record that the release is out, and says what its publisher should know.
    fn note(&self, target: &Path, replaced: Option<String>) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(Custody { record: Some(record), history, content, .. }) = &self.custody {
            match record.add(content.content(), history, &Entry::now(&self.certificate, target)) {
                Ok(found) if found.earlier.iter().any(|entry| self.is_new(entry, history)) => warnings.push(
                    "another release of the same table was recorded after this one was made; its certificate does not declare that".into(),
                ),
                Ok(_) => {}
                Err(error) => warnings.push(format!(
                    "the release is whole and in its place, but it is not in the record of releases: {error}"
                )),
            }
        }
        warnings.extend(replaced.map(|seal| {
            format!("this replaced the release with the seal {seal}; if anybody received that one, and it is about the same people, both together may disclose more than is stated here")
        }));
        warnings
    }
}

/// The tables of a release directory, with their names.
fn read_tables(folder: &Path, files: &[String], formats: &Formats) -> Result<Vec<(String, Arc<Table>)>> {
    let table = |name: &String| {
        let path = folder.join(name);
        // A name may be of somebody else's making, and lead anywhere.
        if Path::new(name).file_name() != Some(name.as_ref()) {
            return Err(Error::of(ErrorCode::NotVerified, "the certificate names a file outside of the release"));
        }
        let stem = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        Ok((stem, Arc::new(formats.read(&path, &Default::default())?)))
    };
    files.iter().map(table).collect()
}

/// The table as whoever reads its file has it: an empty text is a missing value, also in columns that
/// were made coarser, and other values have the type that they show.
fn with_missing(table: Table) -> Result<Table> {
    let column = |column: &Column| {
        let domain = column.domain();
        let empty = (0..domain.len() as u32).find(|code| domain.label(*code).is_empty());
        match empty.filter(|_| domain.missing().is_none()) {
            None => column.clone(),
            Some(code) => {
                let told = Domain::new(domain.labels().clone(), domain.value_type(), Some(code));
                Column::new(column.name(), column.codes().to_vec(), told).retyped()
            }
        }
    };
    Table::new(table.columns().iter().map(column).collect())
}

/// The sets of a release directory.
fn read_sets(folder: &Path) -> Result<Vec<Vec<String>>> {
    let Released::Together(found) = release::transactions::released(folder)? else {
        let error = Error::plan("in this release sensitive items stand apart from the records they belong to");
        return Err(error.help("read data.dat and shared.csv of the saved release"));
    };
    let names = found.table.names();
    Ok(found.table.iter().map(|record| record.iter().map(|&item| names[item as usize].clone()).collect()).collect())
}

/// Publishes a table by a plan, or raises.
#[pyfunction]
#[pyo3(signature = (data, plan, keep_record=true, progress=None))]
pub fn publish(
    py: Python<'_>,
    data: &Frame,
    plan: &NativePlan,
    keep_record: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<NativeRelease> {
    let (table, plan) = (data.0.clone(), plan.shared());
    work::run(py, progress, move |formats| publish_table(&table, &plan, keep_record, formats))
}

fn publish_table(table: &Arc<Table>, plan: &Plan, keep_record: bool, formats: &Formats) -> Result<NativeRelease> {
    let plan: TablePlan = plan.clone().table()?;
    let content = Original::Table(table.clone());
    let (record, history) = look_up(content.content(), keep_record);
    let made = make(&plan, table.as_ref(), formats)?.pass()?;
    let (private, certificate) = written(|place| release::write(&made, &plan, place, formats), &history)?;
    // The numbers of bucketized groups are drawn when they are written.
    let tables = match plan.publishing.recoding.form {
        Form::Bucketized => Vec::new(),
        _ => {
            let tables = made.recoded.written(&made.schema, plan.publishing.recoding, plan.publishing.chance)?;
            let read_again = |table: Table| match plan.options.missing.iter().any(String::is_empty) {
                true => with_missing(table),
                false => Ok(table),
            };
            let named = |(name, table): (&str, Table)| Ok((name.to_string(), Arc::new(read_again(table)?)));
            tables.into_iter().map(named).collect::<Result<_>>()?
        }
    };
    let mut known = made.publication;
    known.earlier = certificate.head.earlier_releases.len();
    let custody = Custody { known: Known::Table(Box::new(known)), content, record, history };
    Ok(NativeRelease {
        folder: private.path().join(NAME),
        certificate,
        _private: Some(private),
        tables,
        custody: Some(custody),
    })
}

/// Publishes sets of items by a plan, or raises.
#[pyfunction]
#[pyo3(signature = (sets, plan, keep_record=true, progress=None))]
pub fn publish_sets(
    py: Python<'_>,
    sets: Vec<Vec<String>>,
    plan: &NativePlan,
    keep_record: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<NativeRelease> {
    let plan = plan.shared();
    work::run(py, progress, move |formats| {
        let plan: SetPlan = Plan::clone(&plan).sets()?;
        let read = read_given(sets)?;
        let content = Original::Sets(read.table.clone());
        let (record, history) = look_up(content.content(), keep_record);
        let made = make(&plan, &read, formats)?.pass()?;
        let (private, certificate) = written(|place| release::write(&made, &plan, place, formats), &history)?;
        let mut known = made.publication;
        known.earlier = certificate.head.earlier_releases.len();
        let custody = Custody { known: Known::Sets(Box::new(known)), content, record, history };
        let folder = private.path().join(NAME);
        Ok(NativeRelease { folder, certificate, _private: Some(private), tables: vec![], custody: Some(custody) })
    })
}

/// The sets that a script hands over, as if they had been read from a file.
fn read_given(sets: Vec<Vec<String>>) -> Result<Read> {
    let mut table: Vec<Vec<String>> = Vec::with_capacity(sets.len());
    let (mut empty, mut repeated) = (0, 0);
    for (at, mut set) in sets.into_iter().enumerate() {
        if set.iter().any(|item| item.is_empty() || item.contains(['\n', '\r', '\0'])) {
            let error = Error::data(format!("set {}: an item is empty or holds a line break", at + 1));
            return Err(error.help("mend its name"));
        }
        let given = set.len();
        set.sort_unstable();
        set.dedup();
        repeated += (given - set.len()) as u64;
        match set.is_empty() {
            true => empty += 1,
            false => table.push(set),
        }
    }
    if table.is_empty() {
        return Err(Error::data("there are no sets").help("hand over at least one with an item"));
    }
    Ok(Read { table: Transactions::from_names(table), empty, repeated })
}

/// The release's name inside its private folder.
const NAME: &str = "release";

/// Writes into a private folder.
fn written(
    write: impl FnOnce(&Destination<'_>) -> Result<Certificate>,
    history: &History,
) -> Result<(Private, Certificate)> {
    let failed = |error: std::io::Error| Error::new(Fault::Io, "no temporary folder can be made").caused_by(&error);
    let mut folder = tempfile::Builder::new();
    // What is not saved is for nobody else.
    #[cfg(unix)]
    folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let made = folder.prefix("sfumato-").tempdir().map_err(failed)?;
    let private = Private { folder: Some(made), owner: std::process::id() };
    let target = private.path().join(NAME);
    let certificate = write(&Destination { earlier: &history.earlier, ..Destination::new(&target) })?;
    Ok((private, certificate))
}

/// The record of this machine, and what it knows of a table. One that cannot be read stops nobody.
fn look_up(content: Content<'_>, keep_record: bool) -> (Option<Record>, History) {
    let record = record::place().filter(|_| keep_record).map(|path| Record::at(&path));
    let history = record.as_ref().and_then(|record| record.known(content).ok()).unwrap_or_default();
    (record, history)
}
