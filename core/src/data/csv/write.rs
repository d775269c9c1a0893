//! Writing delimited text.

use crate::data::Table;
use std::io::{Result, Write};

/// Writes a table with a header line; fields are quoted where they must be.
///
/// ```
/// use sfumato::data::{Column, Table, csv};
///
/// let table = Table::new(vec![Column::from_values("a", ["x,y"]), Column::from_values("b", ["1"])])?;
/// let mut out = Vec::new();
/// csv::write_to(&table, b',', &mut out).unwrap();
/// assert_eq!(out, b"a,b\n\"x,y\",1\n");
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn write_to(table: &Table, delimiter: u8, out: &mut impl Write) -> Result<()> {
    let alone = table.columns().len() == 1;
    // Each distinct value is quoted once, not once per row.
    let fields: Vec<Vec<String>> = table
        .columns()
        .iter()
        .map(|column| column.domain().labels().iter().map(|label| quoted(label, delimiter, alone)).collect())
        .collect();
    let header: Vec<String> = table.columns().iter().map(|column| quoted(column.name(), delimiter, alone)).collect();
    write_record(header.iter().map(String::as_str), delimiter, out)?;
    for row in 0..table.rows() {
        let cells =
            table.columns().iter().zip(&fields).map(|(column, fields)| fields[column.codes()[row] as usize].as_str());
        write_record(cells, delimiter, out)?;
    }
    Ok(())
}

fn write_record<'a>(cells: impl Iterator<Item = &'a str>, delimiter: u8, out: &mut impl Write) -> Result<()> {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.write_all(&[delimiter])?;
        }
        out.write_all(cell.as_bytes())?;
    }
    out.write_all(b"\n")
}

/// A field as it must stand in the file. An empty field that is a whole record is quoted, else the
/// line would be skipped as empty.
fn quoted(text: &str, delimiter: u8, alone: bool) -> String {
    let special = text.bytes().any(|byte| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r'));
    let blank_edge = text.starts_with([' ', '\t', '\u{feff}']) || text.ends_with([' ', '\t']);
    if special || blank_edge || (alone && text.is_empty()) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::read_from;
    use crate::data::{Column, ReadOptions};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            cells in proptest::collection::vec(("\\PC{0,4}", "[a,;\"\n\r\t ]{0,5}"), 1..20),
            tab: bool,
        ) {
            let delimiter = if tab { b'\t' } else { b',' };
            let columns = vec![
                Column::from_values("first", cells.iter().map(|(a, _)| a)),
                Column::from_values("second", cells.iter().map(|(_, b)| b)),
            ];
            let table = Table::new(columns).unwrap();
            let mut text = Vec::new();
            write_to(&table, delimiter, &mut text).unwrap();
            let options = ReadOptions { delimiter: Some(delimiter), missing: vec![], as_stored: true, ..Default::default() };
            prop_assert_eq!(read_from(&text[..], &options).unwrap(), table);
        }
    }

    #[test]
    fn a_single_empty_cell_survives() {
        let table = Table::new(vec![Column::from_values("a", ["", "x"])]).unwrap();
        let mut text = Vec::new();
        write_to(&table, b',', &mut text).unwrap();
        let options = ReadOptions { missing: vec![], ..Default::default() };
        assert_eq!(read_from(&text[..], &options).unwrap(), table);
    }
}
