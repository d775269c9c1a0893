//! Where a table is: in a file, in several that make one table, or on standard input.

use super::{Column, Lexicon, ReadOptions, Table};
use crate::error::{Error, Fault, Result};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The name of standard input.
pub const INPUT: &str = "-";

/// Where a table is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    Input,
    File(PathBuf),
    /// In the order of their names.
    Files(Vec<PathBuf>),
}

impl Place {
    /// What a path stands for: itself if there is such a file, the tables in a folder, or the files
    /// that a pattern such as `visits-*.csv` fits. `is_table` tells files that can be read.
    pub fn find(path: &Path, is_table: impl Fn(&Path) -> bool) -> Result<Place> {
        if path == Path::new(INPUT) {
            return Ok(Place::Input);
        }
        if path.is_dir() {
            return Place::several(in_folder(path, is_table)?, path);
        }
        let pattern = path.to_str().filter(|text| text.contains(['*', '?', '['])).filter(|_| !path.exists());
        let Some(pattern) = pattern else { return Ok(Place::File(path.to_owned())) };
        let wrong = || Error::plan("is no pattern of file names").help("e.g. visits-*.csv; quote it in a shell");
        let found = glob::glob(pattern).map_err(|_| wrong())?;
        // What cannot be looked at is not there.
        Place::several(found.flatten().filter(|path| path.is_file()).collect(), path)
    }

    /// The files, none for standard input.
    pub fn files(self) -> Vec<PathBuf> {
        match self {
            Place::Input => Vec::new(),
            Place::File(path) => vec![path],
            Place::Files(paths) => paths,
        }
    }

    fn several(mut files: Vec<PathBuf>, path: &Path) -> Result<Place> {
        files.sort();
        match files.len() {
            0 if path.is_dir() => {
                let error = Error::io(&std::io::ErrorKind::IsADirectory.into(), path);
                Err(error.help("name a file, or a folder with tables in a known format"))
            }
            0 => Err(Error::io(&std::io::ErrorKind::NotFound.into(), path)),
            1 => Ok(Place::File(files.remove(0))),
            _ => Ok(Place::Files(files)),
        }
    }
}

/// The tables in a folder, but for those that programs write beside (`_SUCCESS`, `.part.crc`).
fn in_folder(folder: &Path, is_table: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| Error::io(&error, folder))?;
    let is_beside = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with(['_', '.'])
    };
    // Text that has no ending of its own may be a note about the others.
    let is_note = |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("txt"));
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let paths: Vec<PathBuf> = paths.collect::<std::io::Result<_>>().map_err(|error| Error::io(&error, folder))?;
    let is_meant = |path: &PathBuf| path.is_file() && !is_beside(path) && !is_note(path) && is_table(path);
    Ok(paths.into_iter().filter(is_meant).collect())
}

/// Several tables as one: rows one after the other. They must have the same columns, in any order.
/// The tables hold cells as they were written; types are told from all of them together.
pub(super) fn joined(tables: Vec<(PathBuf, Table)>, options: &ReadOptions) -> Result<Table> {
    let (first, model) = tables.first().expect("there are several");
    let names: Vec<String> = model.columns().iter().map(|column| column.name().to_string()).collect();
    for (path, table) in &tables[1..] {
        same_columns(first, model, path, table)?;
    }
    let turns: Vec<(usize, usize)> = tables.iter().map(|(_, table)| table.rows()).enumerate().collect();
    let mut parts: Vec<Vec<Option<Column>>> =
        tables.into_iter().map(|(_, table)| table.into_columns().into_iter().map(Some).collect()).collect();
    let columns = names.into_iter().map(|name| {
        let mut take = |part: &mut Vec<Option<Column>>| {
            let column = part.iter_mut().find(|column| column.as_ref().is_some_and(|column| column.name() == name));
            let column = column.and_then(Option::take).expect("columns are the same");
            let mut lexicon = Lexicon::listing();
            for label in column.domain().labels().iter() {
                lexicon.code(label);
            }
            (lexicon, column.into_codes())
        };
        let readers = parts.iter_mut().map(&mut take).collect();
        let encoding = options.encoding_of(&name);
        encoding.column(name, readers, &turns)
    });
    Table::new(columns.collect())
}

/// Refuses a table that has other columns than the first.
fn same_columns(first: &Path, model: &Table, path: &Path, table: &Table) -> Result<()> {
    let lacking =
        |has: &Table, lacks: &Table| has.columns().iter().position(|column| lacks.find(column.name()).is_none());
    let message = match (lacking(model, table), lacking(table, model)) {
        (None, None) => return Ok(()),
        // In a file without a header line names are somebody's record: places only.
        (Some(at), _) => format!("has no column with the name of column {} of {}", at + 1, first.display()),
        (_, Some(at)) => format!("has a column {} that {} does not have", at + 1, first.display()),
    };
    Err(Error::data(message).file(path).help("files that are read as one table have the same columns, in any order"))
}

/// A packed text as it is read, whose faults are those of the data.
pub(super) struct Unpacked<R>(pub R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(out).map_err(|error| match error.raw_os_error() {
            Some(_) => error,
            None => std::io::Error::new(std::io::ErrorKind::InvalidData, Damaged),
        })
    }
}

#[derive(Debug)]
struct Damaged;

impl std::fmt::Display for Damaged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the compressed text is damaged or cut off")
    }
}

impl std::error::Error for Damaged {}

/// Why a source could not be read.
pub fn unread(error: &std::io::Error) -> Error {
    if error.get_ref().is_some_and(|cause| cause.is::<Damaged>()) {
        return Error::data(Damaged.to_string()).help("deliver it again");
    }
    super::text_encoding::malformed(error)
        .unwrap_or_else(|| Error::new(Fault::Io, format!("cannot be read: {error}")).caused_by(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Formats, ValueType};

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
        folder
    }

    fn read(folder: &tempfile::TempDir, name: &str) -> Result<Table> {
        Formats::default().read(&folder.path().join(name), &ReadOptions::default())
    }

    #[test]
    fn files_are_read_as_one_table_in_the_order_of_their_names() {
        let folder = folder(&[
            ("b.csv", "born,cost\n05.04.2021,\"2,5\"\n"),
            ("a.csv", "cost;born\n1;31.03.2021\n"),
            ("c.tsv", "born\tcost\n01.01.2020\t7\n"),
            ("readme.txt", "no table"),
            ("_done.csv", "x\n1\n"),
            ("notes.pdf", "no table"),
        ]);
        let two = read(&folder, "?.csv").unwrap();
        let rows: Vec<Vec<&str>> =
            (0..2).map(|row| two.columns().iter().map(|column| column.value(row)).collect()).collect();
        assert_eq!(rows, [["1", "2021-03-31"], ["2.5", "2021-04-05"]], "types are told from all files");
        assert_eq!(two.columns()[0].domain().value_type(), ValueType::Decimal);
        assert_eq!(read(&folder, "").unwrap().rows(), 3);
        assert_eq!(read(&folder, "[ab].csv").unwrap(), two);
        assert_eq!(read(&folder, "b*").unwrap().rows(), 1);
    }

    #[test]
    fn what_does_not_fit_together_is_refused_without_names() {
        let folder = folder(&[("a.csv", "x,y\n1,2\n"), ("b.csv", "x,SECRET\n1,2\n"), ("c.csv", "x,y,SECRET\n1,2,3\n")]);
        let refused = |name: &str| read(&folder, name).unwrap_err().to_string();
        assert!(refused("[ab].csv").contains("has no column with the name of column 2"), "{}", refused("[ab].csv"));
        assert!(refused("[ac].csv").contains("has a column 3 that"), "{}", refused("[ac].csv"));
        assert!(!refused("*.csv").contains("SECRET"));
        assert!(refused("*.tsv").contains("no such file"), "{}", refused("*.tsv"));
        let empty = tempfile::tempdir().unwrap();
        assert!(read(&empty, "").unwrap_err().to_string().contains("is a folder"));
    }
}
