//! How a file is to be read.

use super::encode::{Encoding, Writing};
use super::spelling::Written;
use super::{TextEncoding, ValueType};
use crate::watch::Watcher;

/// Which part of a file is the table, where it has several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A sheet of a workbook.
    Sheet(String),
    /// A table of a database.
    Table(String),
    /// The answer to a query to a database.
    Query(String),
}

impl Part {
    /// The keys by which plans and commands choose a part.
    pub const KEYS: [&str; 3] = ["sheet", "table", "query"];

    /// The part that a key chooses.
    pub fn new(key: &str, name: String) -> Option<Part> {
        let makes: [fn(String) -> Part; 3] = [Part::Sheet, Part::Table, Part::Query];
        Part::KEYS.iter().position(|known| *known == key).map(|at| makes[at](name))
    }

    /// The key that chooses it, and what stands behind that.
    pub fn key(&self) -> (&'static str, &str) {
        match self {
            Part::Sheet(name) => (Part::KEYS[0], name),
            Part::Table(name) => (Part::KEYS[1], name),
            Part::Query(text) => (Part::KEYS[2], text),
        }
    }
}

/// How a file is to be read. What is about text formats is refused for others.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The delimiter of a text format; `None` detects it.
    pub delimiter: Option<u8>,
    /// How a text format's letters are stored; `None` for UTF-8, or what a byte order mark says.
    pub encoding: Option<TextEncoding>,
    /// Which part of the file is the table; `None` if it has one.
    pub part: Option<Part>,
    /// Column names of a text format without a header line.
    pub names: Option<Vec<String>>,
    /// Whether the first line of a text format names the columns.
    pub header: bool,
    /// Whether blanks around unquoted fields are dropped.
    pub trim: bool,
    /// Texts that mean "no value".
    pub missing: Vec<String>,
    /// Types that are declared rather than detected.
    pub types: Vec<(String, ValueType)>,
    /// How columns are written, where that is declared rather than detected.
    pub written: Vec<(String, Written)>,
    /// Whether texts are values as they are: no local number or date is recognised. Releases,
    /// hierarchies and items are read so.
    pub as_stored: bool,
    /// Bytes that the table may take: one that needs more is refused before it is read.
    pub memory: Option<u64>,
    /// Who follows.
    pub watcher: Watcher,
}

impl ReadOptions {
    /// The first key that is said and that is about files of text alone.
    pub fn said_of_text(&self) -> Option<&'static str> {
        let said = [
            ("delimiter", self.delimiter.is_some()),
            ("encoding", self.encoding.is_some()),
            ("header", !self.header),
            ("names", self.names.is_some()),
            ("trim", self.trim),
        ];
        said.into_iter().find(|(_, is_said)| *is_said).map(|(key, _)| key)
    }
}

/// Equal where files are read alike: who follows, and how much memory there is, is no part of it.
impl PartialEq for ReadOptions {
    fn eq(&self, other: &Self) -> bool {
        let ReadOptions {
            delimiter,
            encoding,
            part,
            names,
            header,
            trim,
            missing,
            types,
            written,
            as_stored,
            memory: _,
            watcher: _,
        } = self;
        (delimiter, encoding, names, header) == (&other.delimiter, &other.encoding, &other.names, &other.header)
            && (trim, missing, types) == (&other.trim, &other.missing, &other.types)
            && (written, as_stored, part) == (&other.written, &other.as_stored, &other.part)
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            delimiter: None,
            encoding: None,
            part: None,
            names: None,
            header: true,
            trim: false,
            missing: vec![String::new()],
            types: Vec::new(),
            written: Vec::new(),
            as_stored: false,
            memory: None,
            watcher: Watcher::default(),
        }
    }
}

impl ReadOptions {
    /// How the cells of a column are encoded.
    pub fn encoding_of<'a>(&'a self, name: &str) -> Encoding<'a> {
        let of = |column: &str| column == name;
        let declared = self.types.iter().find(|(column, _)| of(column)).map(|(_, kind)| *kind);
        let stated = self.written.iter().find(|(column, _)| of(column)).map(|(_, written)| *written);
        let writing = match stated {
            Some(written) => Writing::Stated(written),
            None if self.as_stored => Writing::AsStored,
            None => Writing::Detected,
        };
        Encoding { missing: &self.missing, value_type: declared, writing }
    }
}
