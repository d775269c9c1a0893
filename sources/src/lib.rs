//! Tables where people keep them: compressed files, JSON lines, Excel workbooks and SQLite databases.
//!
//! These are read and never written: what is published is CSV, Parquet or Arrow.
//!
//! ```
//! use sfumato::data::{Formats, ReadOptions};
//!
//! let formats = Formats::default().with(sfumato_sources::formats()).unpacking(sfumato_sources::packings());
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("people.jsonl");
//! std::fs::write(&path, "{\"age\": 47, \"disease\": \"flu\"}\n{\"age\": 31, \"disease\": null}\n").unwrap();
//! let table = formats.read(&path, &ReadOptions::default())?;
//! assert_eq!(table.column("age")?.value(0), "47");
//! # Ok::<(), sfumato::Error>(())
//! ```

mod excel;
mod json_lines;
mod packed;
mod rows;
mod sqlite;

use sfumato::data::{Format, Packing};
use sfumato::{Error, Fault};
use std::path::Path;

/// The formats: JSON lines, Excel workbooks and SQLite databases.
pub fn formats() -> Vec<Box<dyn Format>> {
    vec![Box::new(json_lines::JsonLines), Box::new(excel::Excel), Box::new(sqlite::Sqlite)]
}

/// The ways to compress a text: gzip and Zstandard.
pub fn packings() -> Vec<Box<dyn Packing>> {
    vec![Box::new(packed::Gzip), Box::new(packed::Zstandard)]
}

/// That a format is only read.
fn not_written(name: &str, path: &Path) -> Error {
    let error = Error::plan(format!("releases are not written as {name}")).file(path);
    error.help("write .csv, .tsv, .parquet or .arrow")
}

/// What the libraries say about a malformed file may quote its cells: they are not asked.
fn damaged(what: &str) -> Error {
    Error::data(format!("is not a valid {what}, or is damaged"))
        .help("deliver it again, or check it with the program that wrote it")
}

fn too_many_columns(count: usize) -> Error {
    let message = format!("the table has {count} columns, more than {}", rows::MOST_COLUMNS);
    Error::new(Fault::Resources, message).help("drop columns that are not needed")
}
