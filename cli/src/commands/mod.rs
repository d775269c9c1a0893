//! One file per command, and what they share.

pub mod attack;
pub mod check;
pub mod compare;
pub mod completions;
pub mod demo;
mod grouped;
pub mod init;
pub mod inspect;
pub mod keygen;
pub mod list;
pub mod manual;
pub mod publish;
mod recording;
pub mod skyline;
mod transactions;
pub mod verify;

use clap::Args;
use sfumato::data::{Formats, INPUT, Part, ReadOptions, TextEncoding};
use sfumato::release::refuse_inside_release;
use sfumato::{Error, Fault, Result};
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How to read a table for which there is no plan yet.
#[derive(Args)]
pub struct ReadArguments {
    /// The delimiter of a text file; detected by default.
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter)]
    delimiter: Option<u8>,
    /// How a text file's letters are stored, as in windows-1252 or utf-16le; UTF-8, or what its mark
    /// says, by default.
    #[arg(long, value_name = "NAME", value_parser = parse_encoding)]
    encoding: Option<TextEncoding>,
    /// A text that means "no value"; can be repeated. The empty text always does.
    #[arg(long, value_name = "TEXT")]
    missing: Vec<String>,
    /// The first line of a text file is a record, not column names.
    #[arg(long)]
    no_header: bool,
    /// Drop blanks around fields of a text file.
    #[arg(long)]
    trim: bool,
    /// The sheet of a workbook, if it has several.
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// The table of a database, if it has several.
    #[arg(long, value_name = "NAME", conflicts_with = "sheet")]
    table: Option<String>,
    /// A query to a database, whose answer is the table.
    #[arg(long, value_name = "SQL", conflicts_with_all = ["sheet", "table"])]
    query: Option<String>,
}

/// The options of reading that a plan replaces.
const READING: [&str; 8] = ["delimiter", "encoding", "missing", "no_header", "trim", "sheet", "table", "query"];

impl ReadArguments {
    pub fn options(&self) -> ReadOptions {
        let mut options = ReadOptions {
            delimiter: self.delimiter,
            encoding: self.encoding,
            header: !self.no_header,
            trim: self.trim,
            part: self.part(),
            ..Default::default()
        };
        options.missing.extend(self.missing.iter().cloned());
        options
    }

    fn part(&self) -> Option<Part> {
        let sheet = self.sheet.clone().map(Part::Sheet);
        sheet.or_else(|| self.table.clone().map(Part::Table)).or_else(|| self.query.clone().map(Part::Query))
    }

    /// What stands between items of transactions; any white space if nothing is said.
    pub fn letter(&self) -> Option<char> {
        self.delimiter.map(char::from).filter(|letter| *letter != ' ')
    }
}

fn parse_encoding(name: &str) -> std::result::Result<TextEncoding, String> {
    TextEncoding::find(name).ok_or_else(|| "an encoding such as utf-8, windows-1252 or utf-16le".into())
}

fn parse_delimiter(text: &str) -> std::result::Result<u8, String> {
    match text {
        "\\t" | "tab" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
            _ => Err("one ASCII character, or `tab`".into()),
        },
    }
}

/// Refuses to write a page over what was read, into a release, or over anything that is no page.
fn check_page(path: &Path, inputs: &[PathBuf], release: Option<&Path>) -> Result<()> {
    check_written(path, inputs, release, &["html", "htm"])
}

/// The same for a file with one of these endings.
fn check_written(path: &Path, inputs: &[PathBuf], release: Option<&Path>, endings: &[&str]) -> Result<()> {
    let is_input = inputs.iter().any(|input| is_same_file(input, path));
    let fits = path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known));
    if is_input || !fits {
        let last = if endings.contains(&"json") { " or .json" } else { "" };
        let error = Error::plan(format!("a page is written to a file that ends in .html{last}")).file(path);
        return Err(error.help("choose another name"));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    if release.is_some_and(|release| release == folder) {
        let error = Error::plan("this page is not for release, and the folder is the release").file(path);
        return Err(error.help("choose another folder"));
    }
    refuse_inside_release(path)
}

/// Whether two paths lead to one file that is there.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let [a, b] = [a, b].map(|path| path.canonicalize().ok());
    a.is_some() && a == b
}

/// Writes a file whole or not at all, and never through a link: what had the name before is
/// replaced, not changed, and its permissions stay. Devices and pipes are written to as they are.
fn write_whole(path: &Path, text: &str) -> Result<()> {
    let before = std::fs::metadata(path).ok();
    let written = match before {
        Some(before) if !before.is_file() => std::fs::write(path, text),
        before => replace(path, text, before),
    };
    written.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::new(Fault::Io, "its folder does not exist").file(path).help("make it first"),
        _ => Error::io(&error, path),
    })
}

fn replace(path: &Path, text: &str, before: Option<Metadata>) -> std::io::Result<()> {
    let time = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
    let new = path.with_file_name(format!(".sfumato-{:x}-{time:x}", std::process::id()));
    let mut file = File::create_new(&new)?;
    let write = || {
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, path)
    };
    write().inspect_err(|_| {
        let _ = std::fs::remove_file(&new);
    })
}

/// The one path that a command needs. A shell turns an unquoted pattern into several.
fn only_path(paths: &[PathBuf]) -> Result<&Path> {
    match paths {
        [one] => Ok(one),
        several => {
            let error = Error::plan(format!("{} files are named, and the table is one", several.len()));
            Err(error
                .help("to read several as one table, quote the pattern, as in 'visits-*.csv', or name their folder"))
        }
    }
}

/// What is being read, for people who wait.
fn reading(path: &Path) -> String {
    if path == Path::new(INPUT) { "reading standard input".into() } else { format!("reading {}", path.display()) }
}

/// Every format that this program reads and writes.
pub fn formats() -> Formats {
    Formats::default()
        .with(sfumato_columnar::formats())
        .with(sfumato_sources::formats())
        .unpacking(sfumato_sources::packings())
        .within(crate::memory::budget())
        .watched(crate::progress::watcher())
}
