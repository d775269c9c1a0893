//! Parquet and Arrow IPC files for [`sfumato`] tables.
//!
//! Reading turns every column into dictionary codes as it comes, batch after batch: a file is never
//! held in memory as Arrow arrays. Nulls are missing values. Writing holds back everything but the
//! cells: no statistics, no indexes, no dictionary entries without a row.
//!
//! ```
//! use sfumato::data::{Formats, ReadOptions, sample};
//!
//! let formats = Formats::default().with(sfumato_columnar::formats());
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("patients.parquet");
//!
//! let table = sample::hospital(100, 1);
//! formats.write(&table, &path)?;
//! assert_eq!(formats.read(&path, &ReadOptions::default())?, table);
//! # Ok::<(), sfumato::Error>(())
//! ```

mod arrow;
mod batches;
mod decode;
mod encode;
mod guard;
mod parquet;

pub use batches::{record_batches, schema, table_of};

use sfumato::data::{Column, Format, Table};
use sfumato::{Error, Fault, Result};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The columnar formats: Parquet and Arrow IPC.
pub fn formats() -> Vec<Box<dyn Format>> {
    vec![Box::new(parquet::Parquet), Box::new(arrow::Arrow)]
}

/// Opens a file that has bytes, and tells how many.
fn open(path: &Path) -> Result<(File, u64)> {
    let found = std::fs::metadata(path).map_err(|error| Error::io(&error, path))?;
    if found.is_dir() {
        return Err(Error::io(&ErrorKind::IsADirectory.into(), path));
    }
    if !found.is_file() {
        return Err(Error::plan("is not a regular file, and this format needs one").help("store it in a file first"));
    }
    if found.len() == 0 {
        return Err(Error::data("the file is empty").help("deliver it again"));
    }
    let file = File::open(path).map_err(|error| Error::io(&error, path))?;
    Ok((file, found.len()))
}

/// Reads with a library that may panic on malformed files.
fn guarded<T>(format: &str, read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(damaged(format)))
}

/// What the libraries say about a malformed file may quote its cells: they are not asked.
fn damaged(format: &str) -> Error {
    Error::data(format!("is not a valid {format} file, or is damaged"))
        .help("deliver it again, or check it with the program that wrote it")
}

/// Whoever hands batches over failed; what is said about that may quote cells.
fn unreadable_stream() -> Error {
    Error::data("the stream of Arrow batches ended with an error").help("check the program that hands it over")
}

fn too_many_rows() -> Error {
    Error::new(Fault::Resources, format!("has more than {} records", u32::MAX)).help("split the file")
}

/// A table with rows in it.
fn table(columns: Vec<Column>) -> Result<Table> {
    if columns.iter().all(|column| column.codes().is_empty()) {
        return Err(Error::data("the table has no records").help("deliver a file with records"));
    }
    Table::new(columns)
}

/// The failure of the system below a library's error, if there is one.
fn io_error<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a io::Error> {
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain.filter_map(|error| error.downcast_ref::<io::Error>()).next()
}

/// Why a file could not be written.
fn unwritten(error: impl std::error::Error + 'static, path: &Path) -> Error {
    match io_error(&error) {
        Some(error) => Error::io(error, path),
        None => Error::new(Fault::Internal, "the file cannot be written"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_errors() {
        let error = guarded::<()>("Parquet", || panic!("SECRET")).unwrap_err();
        assert_eq!(error.fault(), Fault::Data);
        assert!(!error.to_string().contains("SECRET"));
    }

    #[test]
    fn failures_of_the_system_are_found_below_the_libraries() {
        let full = || io::Error::from(ErrorKind::StorageFull);
        let path = Path::new("out.parquet");
        assert_eq!(unwritten(::parquet::errors::ParquetError::from(full()), path).fault(), Fault::Io);
        assert_eq!(unwritten(arrow_schema::ArrowError::from(full()), path).fault(), Fault::Io);
        assert_eq!(unwritten(arrow_schema::ArrowError::DivideByZero, path).fault(), Fault::Internal);
    }
}
