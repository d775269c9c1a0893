//! Parquet and Arrow files.

use crate::support::{check_error, with_file};
use sfumato::data::{Column, Format, ReadOptions, Table, ValueType};
use std::path::Path;

/// Reads a Parquet file. What was read and written reads back equal; errors hold no cell.
pub fn parquet(data: &[u8]) {
    check("parquet", data);
}

/// Reads an Arrow file or stream, as [`parquet()`].
pub fn arrow(data: &[u8]) {
    check("arrow", data);
}

/// Rows of tables that are written again: more take time and tell nothing new.
const MOST_ROWS: usize = 100_000;

fn check(name: &str, data: &[u8]) {
    let formats = sfumato_columnar::formats();
    let format = formats.iter().find(|format| format.name() == name).expect("a format").as_ref();
    match with_file(name, data, |path| format.read(path, &ReadOptions::default())) {
        Ok(table) if table.rows() <= MOST_ROWS => check_round_trip(format, &table),
        Ok(_) => {}
        Err(error) => check_error(&error),
    }
}

/// What was read and written reads back with the same values; and once written by this program, it
/// stays as it is in every respect.
fn check_round_trip(format: &dyn Format, table: &Table) {
    let again = through(format, table);
    assert_eq!((again.rows(), again.columns().len()), (table.rows(), table.columns().len()));
    for (before, after) in table.columns().iter().zip(again.columns()) {
        assert_eq!(before.name(), after.name());
        assert!((0..table.rows()).all(|row| is_same(before, after, row)), "a cell reads back otherwise");
    }
    assert!(through(format, &again) == again, "what this program wrote reads back otherwise");
}

fn through(format: &dyn Format, table: &Table) -> Table {
    let read = |path: &Path| {
        format.write(table, path).expect("what was read can be written");
        format.read(path, &ReadOptions::default()).expect("what was written can be read")
    };
    with_file("again", b"", read)
}

/// Whether a cell is the same: to the letter, or as a number where numbers are written as such.
fn is_same(before: &Column, after: &Column, row: usize) -> bool {
    let (own, other) = (before.value(row), after.value(row));
    let number = |text: &str| text.parse::<f64>().ok();
    let is_number = before.domain().value_type() == ValueType::Decimal;
    own == other || is_number && number(own).is_some() && number(own) == number(other)
}
