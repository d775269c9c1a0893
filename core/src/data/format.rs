//! File formats, chosen by the file's ending.

use super::place::{Place, Unpacked, joined, unread};
use super::{INPUT, Part, ReadOptions, Table, TextEncoding};
use crate::error::{Error, ErrorCode, Result};
use crate::watch::{Watch, Watcher};
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

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
    /// Whether tables are written in it; others are only read.
    fn is_written(&self) -> bool {
        true
    }
    /// The keys of [`Part`](super::Part) by which a plan chooses one of several tables in a file.
    fn parts(&self) -> &'static [&'static str] {
        &[]
    }
    /// Whether a text that starts so is in this format: how standard input is recognised.
    fn starts(&self, _start: &[u8]) -> bool {
        false
    }
    /// Reads a table.
    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Table>;
    /// Reads a table as it comes, from standard input or while it is unpacked.
    fn read_stream(&self, _source: Box<dyn Read + Send + '_>, _options: &ReadOptions) -> Result<Table> {
        let message = format!("{} cannot be read while it is unpacked, or from standard input", self.name());
        Err(Error::plan(message).help("store it in a file first, unpacked"))
    }
    /// Writes a table.
    fn write(&self, table: &Table, path: &Path) -> Result<()>;
}

/// A way to compress files, whatever their format.
pub trait Packing: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// File endings, without the dot; that of the format stands before them.
    fn endings(&self) -> &'static [&'static str];
    /// Whether bytes that start so are compressed in this way.
    fn starts(&self, start: &[u8]) -> bool;
    /// The bytes inside.
    fn open<'a>(&self, source: Box<dyn Read + Send + 'a>) -> std::io::Result<Box<dyn Read + Send + 'a>>;
}

/// How a file is stored: its format, and how it is compressed if it is.
type Stored<'a> = (&'a dyn Format, Option<&'a dyn Packing>);

/// Bytes that tell the format of a stream.
const START: usize = 64;

/// The formats at hand. The core brings the text formats; other crates add theirs.
pub struct Formats {
    list: Vec<Box<dyn Format>>,
    packings: Vec<Box<dyn Packing>>,
    memory: Option<u64>,
    watcher: Watcher,
}

impl Default for Formats {
    fn default() -> Self {
        Formats { list: super::csv::formats(), packings: Vec::new(), memory: None, watcher: Watcher::default() }
    }
}

impl Formats {
    /// Adds formats to the list.
    pub fn with(mut self, more: Vec<Box<dyn Format>>) -> Self {
        self.list.extend(more);
        self
    }

    /// Reads files also where they are compressed in one of these ways.
    pub fn unpacking(mut self, packings: Vec<Box<dyn Packing>>) -> Self {
        self.packings.extend(packings);
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

    /// The format of a file that is to be written, by its ending.
    pub fn of_written(&self, path: &Path) -> Result<&dyn Format> {
        let format = self.of(path)?;
        if format.is_written() {
            return Ok(format);
        }
        let written = self.iter().filter(|format| format.is_written()).flat_map(|format| format.endings());
        let endings: Vec<String> = written.map(|ending| format!(".{ending}")).collect();
        let error = Error::plan(format!("{} is only read, and no release is written so", format.name()));
        Err(error.help(format!("use one of {}", endings.join(" "))))
    }

    /// How a file is stored, by its endings: `patients.csv.gz`.
    fn stored(&self, path: &Path) -> Result<Stored<'_>> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        let packing = self.packings.iter().find(|packing| packing.endings().contains(&ending.as_str()));
        match packing {
            None => Ok((self.of(path)?, None)),
            Some(packing) => {
                let inside = self.of(&path.with_extension("")).map_err(|error| match error.advice() {
                    Some(help) => Error::plan(format!("inside of it: {}", error.message())).file(path).help(help),
                    None => error,
                })?;
                Ok((inside, Some(packing.as_ref())))
            }
        }
    }

    /// Reads the table at a path: a file in the format its ending tells, compressed or not; all
    /// tables of a folder, or all files that a pattern fits, as one; or [standard input](super::INPUT).
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
            // Standard input is gone by now.
            Err(error)
                if error.code() == ErrorCode::NotUtf8 && options.encoding.is_none() && path != Path::new(INPUT) =>
            {
                let options = ReadOptions { encoding: Some(TextEncoding::WINDOWS_1252), ..options.clone() };
                Ok((self.read(path, &options)?, options))
            }
            read => Ok((read?, options.clone())),
        }
    }

    /// Refuses what is said about text formats of a file in another.
    fn refuse_idle(&self, path: &Path, options: &ReadOptions) -> Result<()> {
        let place = self.place(path)?;
        let format = match &place {
            // Text, whatever it is.
            Place::Input => self.list[0].as_ref(),
            Place::File(path) => self.stored(path)?.0,
            Place::Files(paths) => self.stored(&paths[0])?.0,
        };
        if let Some((key, _)) = options.part.as_ref().map(Part::key).filter(|(key, _)| !format.parts().contains(key)) {
            let message = format!("`{key}` has no effect: a {} file has one table", format.name());
            return Err(Error::plan(message).help("leave it out"));
        }
        match options.said_of_text().filter(|_| !format.is_text()) {
            None => Ok(()),
            Some(key) => {
                let message = format!("`{key}` has no effect: {} files carry their columns themselves", format.name());
                Err(Error::plan(message).help("leave it out"))
            }
        }
    }

    /// The same, but values may be of other types than declared.
    pub fn read_unchecked(&self, path: &Path, options: &ReadOptions) -> Result<Table> {
        let options = self.bounded(options);
        self.watch().run(|| match self.place(path)? {
            Place::Input => self.read_input(&options),
            Place::File(path) => self.read_file(&path, &options).map_err(|error| error.file(path)),
            Place::Files(paths) => self.read_files(paths, &options),
        })
    }

    /// Options with the memory that these formats may take and whoever follows, where they say
    /// nothing else: for tables that are read from somewhere else than files.
    pub fn bounded(&self, options: &ReadOptions) -> ReadOptions {
        let (memory, watcher) = (options.memory.or(self.memory), self.watcher.clone());
        ReadOptions { memory, watcher, ..options.clone() }
    }

    /// The files that are read for a path: itself, or all that it stands for; none for standard
    /// input.
    pub fn files(&self, path: &Path) -> Result<Vec<PathBuf>> {
        self.place(path).map(Place::files)
    }

    fn place(&self, path: &Path) -> Result<Place> {
        Place::find(path, |path| self.stored(path).is_ok())
    }

    fn read_file(&self, path: &Path, options: &ReadOptions) -> Result<Table> {
        let (format, Some(packing)) = self.stored(path)? else { return self.of(path)?.read(path, options) };
        let file = File::open(path).map_err(|error| Error::io(&error, path))?;
        let inside = packing.open(Box::new(file)).map_err(|error| unread(&error))?;
        format.read_stream(Box::new(Unpacked(inside)), options)
    }

    /// Reads cells as they are written, since types are told from all files together.
    fn read_files(&self, paths: Vec<PathBuf>, options: &ReadOptions) -> Result<Table> {
        let as_written = ReadOptions { as_stored: true, types: Vec::new(), written: Vec::new(), ..options.clone() };
        let mut tables = Vec::with_capacity(paths.len());
        for path in paths {
            let table = self.read_file(&path, &as_written).map_err(|error| error.file(&path))?;
            tables.push((path, table));
        }
        joined(tables, options)
    }

    /// Reads standard input, compressed or not, in a format that its first bytes tell: delimited
    /// text if none does.
    fn read_input(&self, options: &ReadOptions) -> Result<Table> {
        let (start, source) = peek(Box::new(std::io::stdin()))?;
        let packing = self.packings.iter().find(|packing| packing.starts(&start));
        let (start, source) = match packing {
            None => (start, source),
            Some(packing) => peek(Box::new(Unpacked(packing.open(source).map_err(|error| unread(&error))?)))?,
        };
        let format = self.iter().find(|format| format.starts(&start)).unwrap_or(self.list[0].as_ref());
        format.read_stream(source, options)
    }

    /// Writes a table in the format its ending tells.
    pub fn write(&self, table: &Table, path: &Path) -> Result<()> {
        self.of(path)?.write(table, path).map_err(|error| error.file(path))
    }
}

/// The first bytes of a source, and the whole of it.
fn peek(mut source: Box<dyn Read + Send>) -> Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut start = Vec::with_capacity(START);
    source.by_ref().take(START as u64).read_to_end(&mut start).map_err(|error| unread(&error))?;
    Ok((start.clone(), Box::new(Cursor::new(start).chain(source))))
}
