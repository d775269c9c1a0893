//! Delimited text: comma, semicolon, tab or bar separated values.
//!
//! Splitting and encoding happen in one pass over blocks of whole records, in parallel, so that a
//! file is never held in memory. Quoting follows RFC 4180 as the `csv` crate reads it, which is the
//! oracle in tests.

mod dialect;
mod read;
mod records;
mod write;

pub use read::{Sizes, read_from, read_with_sizes};
pub use write::write_to;

use super::{Format, ReadOptions, Table};
use crate::error::{Error, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The text formats.
pub(super) fn formats() -> Vec<Box<dyn Format>> {
    let csv = Delimited {
        name: "csv",
        summary: "Delimited text; comma, semicolon, tab or bar is detected, comma is written",
        endings: &["csv", "txt", "data"],
        delimiter: None,
    };
    let tsv =
        Delimited { name: "tsv", summary: "Tab-separated text", endings: &["tsv", "tab"], delimiter: Some(b'\t') };
    vec![Box::new(csv), Box::new(tsv)]
}

struct Delimited {
    name: &'static str,
    summary: &'static str,
    endings: &'static [&'static str],
    delimiter: Option<u8>,
}

impl Format for Delimited {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn endings(&self) -> &'static [&'static str] {
        self.endings
    }

    fn is_text(&self) -> bool {
        true
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Table> {
        let file = File::open(path).map_err(|error| Error::io(&error, path))?;
        let found = file.metadata().map_err(|error| Error::io(&error, path))?;
        if found.is_dir() {
            return Err(Error::io(&std::io::ErrorKind::IsADirectory.into(), path));
        }
        let mut options = options.clone();
        options.delimiter = options.delimiter.or(self.delimiter);
        let sizes = Sizes { whole: Some(found.len()), ..Sizes::default() };
        read_with_sizes(file, &options, sizes).map_err(|error| error.file(path))
    }

    fn read_stream(&self, source: Box<dyn Read + Send + '_>, options: &ReadOptions) -> Result<Table> {
        let delimiter = options.delimiter.or(self.delimiter);
        read_from(source, &ReadOptions { delimiter, ..options.clone() })
    }

    fn write(&self, table: &Table, path: &Path) -> Result<()> {
        let attempt = || -> std::io::Result<()> {
            let mut out = std::io::BufWriter::new(File::create(path)?);
            write_to(table, self.delimiter.unwrap_or(b','), &mut out)?;
            out.into_inner()?.sync_all()
        };
        attempt().map_err(|error| Error::io(&error, path))
    }
}
