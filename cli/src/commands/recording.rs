//! The custodian's record of releases: where it is, and what `publish` says about it.

use crate::output::Output;
use clap::Args;
use sfumato::certificate::Certificate;
use sfumato::release::record::{self, Content, Entry, History, Record, seal_at};
use sfumato::report::counted;
use sfumato::{Error, Result};
use std::path::Path;

/// What `publish` lets say about the record.
#[derive(Args)]
pub struct RecordArguments {
    /// Neither read nor write the record of releases of this machine
    /// ($XDG_STATE_HOME/sfumato/releases.jsonl; SFUMATO_RECORD names another file, or none if it is
    /// empty).
    #[arg(long)]
    no_record: bool,
    /// An earlier release of this table that nobody received, by its seal; `all` for all of them.
    /// The record then counts it no more. Can be repeated.
    #[arg(long, value_name = "SEAL", conflicts_with = "no_record")]
    never_out: Vec<String>,
}

/// The record, as one run of `publish` uses it.
pub struct Recording {
    record: Option<Record>,
    /// What it knows of the table, without releases that nobody received.
    known: History,
    /// Seals of those that nobody received.
    never_out: Vec<String>,
    /// The seal of a release that this run replaces.
    replaced: Option<String>,
}

impl Recording {
    /// Looks a table up. A record that cannot be read stops nobody, but is told.
    pub fn look_up(
        arguments: &RecordArguments,
        content: Content<'_>,
        source: &Path,
        target: &Path,
    ) -> Result<Recording> {
        let path = if arguments.no_record { None } else { record::place() };
        let record = path.as_deref().map(|path| Record::at(path).with_source(source));
        let known = record.as_ref().map_or(Ok(History::default()), |record| record.known(content));
        let mut known = known.unwrap_or_else(|error| {
            Output::note(&format!("warning: earlier releases of this table are not known: {error}"));
            History::default()
        });
        if known.unreadable > 0 {
            let lines = counted(known.unreadable as u64, "line");
            Output::note(&format!(
                "warning: {lines} of the record of releases cannot be read, and may be about this table"
            ));
        }
        let never_out = never_out(&arguments.never_out, &known.earlier)?;
        known.earlier.retain(|entry| !never_out.contains(&entry.seal));
        Ok(Recording { record, known, never_out, replaced: seal_at(target) })
    }

    /// Earlier releases of the table that count.
    pub fn earlier(&self) -> &[Entry] {
        &self.known.earlier
    }

    /// Records a release that is in its place, and warns if it is not the first of its table.
    /// Returns a note for the reader of the result, if it replaced a release that the record does
    /// not know.
    pub fn finish(&self, content: Content<'_>, certificate: &Certificate, target: &Path) -> String {
        let seals = &certificate.head.earlier_releases;
        let known: Vec<&Entry> = self.earlier().iter().filter(|entry| seals.contains(&entry.seal)).collect();
        if !known.is_empty() {
            Output::note(&warning(&known));
        }
        if let Some(record) = &self.record {
            let added = record
                .never_out(&self.never_out)
                .and_then(|()| record.add(content, &self.known, &Entry::now(certificate, target)))
                .map(|found| self.note_meantime(&found));
            if let Err(error) = added {
                Output::note(&format!(
                    "warning: the release is whole and in its place, but it is not in the record of releases: {error}"
                ));
            }
        }
        let is_told =
            |seal: &&String| seals.contains(seal) || self.never_out.contains(seal) || certificate.head.seal == **seal;
        let replaced = self.replaced.as_ref().filter(|seal| !is_told(seal));
        replaced.map_or(String::new(), |seal| {
            format!("Note: this replaced the release with the seal {seal}. If anybody received that one, and it is about the same people, both together may disclose more than is stated here.\n")
        })
    }

    /// Says if another run published the same table while this one was at it: then neither
    /// certificate names the other.
    fn note_meantime(&self, found: &History) {
        let is_new = |entry: &&Entry| !self.earlier().contains(entry);
        if found.earlier.iter().filter(is_new).count() > 0 {
            Output::note(
                "warning: another release of the same table was recorded while this one was made; this certificate does not declare it",
            );
        }
    }
}

fn never_out(wanted: &[String], earlier: &[Entry]) -> Result<Vec<String>> {
    let known: Vec<String> = earlier.iter().map(|entry| entry.seal.clone()).collect();
    if wanted.iter().any(|seal| seal == "all") {
        return Ok(known);
    }
    match wanted.iter().find(|seal| !known.contains(seal)) {
        None => Ok(wanted.to_vec()),
        Some(_) => {
            let error = Error::plan("--never-out: the record has no earlier release of this table with that seal");
            Err(error
                .help("a seal has 64 digits; `publish` names the seals of earlier releases; `all` means all of them"))
        }
    }
}

fn warning(earlier: &[&Entry]) -> String {
    let list: String =
        earlier.iter().map(|entry| format!("\n  {} {}  seal {}", entry.day(), entry.target, entry.seal)).collect();
    format!(
        "warning: this is release {} of the same table; {} in the record of this machine:{list}\n  \
         What they disclose together is not limited by the criteria: `sfumato compare` computes what it can.\n  \
         If nobody received one of them, say so: --never-out SEAL",
        earlier.len() + 1,
        match earlier.len() {
            1 => "1 earlier one stands".to_string(),
            several => format!("{several} earlier ones stand"),
        }
    )
}
