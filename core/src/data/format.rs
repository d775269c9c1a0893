//! File formats, chosen by the file's ending.

use super::{ReadOptions, Table, TextEncoding};
use crate::error::{Error, ErrorCode, Result};
use crate::watch::{Watch, Watcher};
use std::path::Path;

/// A file format that tables are read from and written to.
pub trait Format: Send + Sync {
    /// The format's name.
    fn name(&self) -> &'static str;
    /// One sentence about it.
    fn summary(&self) -> &'static str;
    /// File endings, without the dot.
    fn endings(&self) -> &'static [&'static str];
    /// Whether spreadsheets open such files as text, and run cells that look like formulas.
    fn is_text(&self) -> bool {
        false
    }
    /// Reads a table.
    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Table>;
    /// Writes a table.
    fn write(&self, table: &Table, path: &Path) -> Result<()>;
}

/// The formats at hand. The core brings the text formats; other crates add theirs.
pub struct Formats {
    list: Vec<Box<dyn Format>>,
    memory: Option<u64>,
    watcher: Watcher,
}

impl Default for Formats {
    fn default() -> Self {
        Formats { list: super::csv::formats(), memory: None, watcher: Watcher::default() }
    }
}

impl Formats {
    /// Adds formats to the list.
    pub fn with(mut self, more: Vec<Box<dyn Format>>) -> Self {
        self.list.extend(more);
        self
    }

    /// Refuses tables that would take more memory, in bytes.
    pub fn within(self, memory: Option<u64>) -> Self {
        Formats { memory, ..self }
    }

    /// Lets somebody follow whatever is done with these formats: reading, making, writing and
    /// verifying releases.
    pub fn watched(self, watcher: Watcher) -> Self {
        Formats { watcher, ..self }
    }

    /// Who follows.
    pub fn watch(&self) -> Watch<'_> {
        self.watcher.watch()
    }

    /// The formats in order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Format> {
        self.list.iter().map(AsRef::as_ref)
    }

    /// The format of a file, by its ending.
    pub fn of(&self, path: &Path) -> Result<&dyn Format> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        let found = self.iter().find(|format| format.endings().contains(&ending.as_str()));
        found.ok_or_else(|| {
            let endings: Vec<String> =
                self.iter().flat_map(|format| format.endings()).map(|ending| format!(".{ending}")).collect();
            let message = match ending.as_str() {
                "" => "the file has no ending that shows its format".to_string(),
                ending => format!("the ending \".{ending}\" is no known table format"),
            };
            Error::plan(message).file(path).help(format!("use one of {}", endings.join(" ")))
        })
    }

    /// Reads a table in the format its ending tells.
    pub fn read(&self, path: &Path, options: &ReadOptions) -> Result<Table> {
        let read = || {
            self.refuse_idle(path, options)?;
            let table = self.read_unchecked(path, options)?;
            table.check_types(&options.types)?;
            table.check_written(&options.written)?;
            Ok(table)
        };
        read().map_err(|error: Error| error.file(path))
    }

    /// The same for a table of which no plan says how it is encoded: text that is not UTF-8 is
    /// taken for Windows-1252. Returns how it was read.
    pub fn read_guessing(&self, path: &Path, options: &ReadOptions) -> Result<(Table, ReadOptions)> {
        match self.read(path, options) {
            Err(error) if error.code() == ErrorCode::NotUtf8 && options.encoding.is_none() => {
                let options = ReadOptions { encoding: Some(TextEncoding::WINDOWS_1252), ..options.clone() };
                Ok((self.read(path, &options)?, options))
            }
            read => Ok((read?, options.clone())),
        }
    }

    /// Refuses what is said about text formats of a file in another.
    fn refuse_idle(&self, path: &Path, options: &ReadOptions) -> Result<()> {
        let format = self.of(path)?;
        let said = [
            ("delimiter", options.delimiter.is_some()),
            ("encoding", options.encoding.is_some()),
            ("header", !options.header),
            ("names", options.names.is_some()),
            ("trim", options.trim),
        ];
        match said.into_iter().find(|(_, is_said)| *is_said && !format.is_text()) {
            None => Ok(()),
            Some((key, _)) => {
                let message = format!("`{key}` has no effect: {} files carry their columns themselves", format.name());
                Err(Error::plan(message).help("leave it out"))
            }
        }
    }

    /// The same, but values may be of other types than declared.
    pub fn read_unchecked(&self, path: &Path, options: &ReadOptions) -> Result<Table> {
        self.watch().run(|| self.of(path)?.read(path, &self.bounded(options)))
    }

    /// Options with the memory that these formats may take and whoever follows, where they say
    /// nothing else: for tables that are read from somewhere else than files.
    pub fn bounded(&self, options: &ReadOptions) -> ReadOptions {
        let (memory, watcher) = (options.memory.or(self.memory), self.watcher.clone());
        ReadOptions { memory, watcher, ..options.clone() }
    }

    /// Writes a table in the format its ending tells.
    pub fn write(&self, table: &Table, path: &Path) -> Result<()> {
        self.of(path)?.write(table, path).map_err(|error| error.file(path))
    }
}
