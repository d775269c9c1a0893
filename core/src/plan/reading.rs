//! `[data]`: how the table is read.

use super::section::{Section, flag, text, texts};
use crate::data::{INPUT, Part, ReadOptions, TextEncoding};
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// How to read a table.
pub(super) fn read_options(data: &Section<'_>) -> Result<ReadOptions> {
    let mut options = ReadOptions::default();
    if let Some(missing) = data.get("missing", texts)? {
        options.missing = missing;
    }
    if let Some(delimiter) = data.get("delimiter", text)? {
        let byte = match delimiter.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Some(*byte),
            _ => None,
        };
        let wrong = || Error::plan("[data]: `delimiter` is one ASCII character").line(data.line_of("delimiter"));
        options.delimiter = Some(byte.ok_or_else(wrong)?);
    }
    if let Some(name) = data.get("encoding", text)? {
        let wrong = || {
            let error = Error::plan("[data]: `encoding` is no encoding that is known").line(data.line_of("encoding"));
            error.help("e.g. \"utf-8\", \"windows-1252\", \"iso-8859-2\", \"utf-16le\" or \"shift_jis\"")
        };
        options.encoding = Some(TextEncoding::find(&name).ok_or_else(wrong)?);
    }
    for key in Part::KEYS {
        let Some(name) = data.get(key, text)? else { continue };
        if let Some((other, _)) = options.part.as_ref().map(Part::key) {
            let error = Error::plan(format!("[data]: the table is chosen by `{other}` or `{key}`, not by both"));
            return Err(error.line(data.line_of(key)).help("keep one of them"));
        }
        options.part = Part::new(key, name);
    }
    options.header = data.get("header", flag)?.unwrap_or(true);
    options.names = data.get("names", texts)?;
    options.trim = data.get("trim", flag)?.unwrap_or(false);
    Ok(options)
}

/// Where the plan in a folder says that the data are.
pub(super) fn data_path(folder: &Path, path: &str) -> PathBuf {
    if path == INPUT { path.into() } else { folder.join(path) }
}
