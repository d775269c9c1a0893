//! Workbooks that another program wrote (openpyxl), with dates of both epochs, empty rows, merged
//! cells and a formula that was never calculated.

use sfumato::data::{Formats, Part, ReadOptions, Table, ValueType};
use sfumato::{Fault, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

fn read(path: &Path, sheet: Option<&str>) -> Result<Table> {
    let part = sheet.map(|name| Part::Sheet(name.into()));
    Formats::default().with(sfumato_sources::formats()).read(path, &ReadOptions { part, ..Default::default() })
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

#[test]
fn cells_are_values_as_the_sheet_shows_them() {
    for name in ["openpyxl.xlsx", "openpyxl-1904.xlsx"] {
        let table = read(&data(name), Some("Patients")).unwrap();
        let row = |row: usize| table.columns().iter().map(|column| column.value(row)).collect::<Vec<_>>();
        assert_eq!(
            row(0),
            ["Zoë", "1950-03-31", "2021-03-31 14:05:00", "08:30:00", "47", "1.5", "true", "A"],
            "{name}"
        );
        assert_eq!(row(1), ["Łukasz", "2004-02-29", "2021-04-01", "23:59:59", "", "3", "false", ""], "{name}");
        let types: Vec<ValueType> = table.columns().iter().map(|column| column.domain().value_type()).collect();
        use ValueType::{Date, Decimal, Integer, Text, Time, Timestamp};
        assert_eq!(types, [Text, Date, Timestamp, Time, Integer, Decimal, Text, Text]);
        assert_eq!(table.rows(), 2, "empty rows are none");
    }
}

#[test]
fn sheets_are_named_or_asked_for() {
    let several = read(&data("openpyxl.xlsx"), None).unwrap_err().to_string();
    assert!(several.contains("2 sheets: Patients, Notes") && several.contains("sheet ="), "{several}");
    let unknown = read(&data("openpyxl.xlsx"), Some("patients")).unwrap_err().to_string();
    assert!(unknown.contains("did you mean \"Patients\"?"), "{unknown}");
    let empty = read(&data("openpyxl.xlsx"), Some("Notes")).unwrap_err().to_string();
    assert!(empty.contains("no records"), "{empty}");
}

/// The workbook with another sheet in the place of its first.
fn with_sheet(folder: &Path, sheet: &str) -> PathBuf {
    let mut from = zip::ZipArchive::new(std::fs::File::open(data("openpyxl.xlsx")).unwrap()).unwrap();
    let path = folder.join("made.xlsx");
    let mut to = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for at in 0..from.len() {
        let mut part = from.by_index(at).unwrap();
        let name = part.name().unwrap().to_string();
        to.start_file(&name, options).unwrap();
        match name.as_str() {
            "xl/worksheets/sheet1.xml" => to.write_all(sheet.as_bytes()).unwrap(),
            _ => drop(std::io::copy(&mut part, &mut to).unwrap()),
        }
    }
    to.finish().unwrap();
    path
}

fn sheet(rows: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>{rows}</sheetData></worksheet>"
    )
}

fn cell(place: &str, text: &str) -> String {
    format!("<c r=\"{place}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
}

#[test]
fn hostile_sheets_are_refused_without_cells_and_without_memory() {
    let folder = tempfile::tempdir().unwrap();
    let far =
        format!("<row r=\"1\">{}</row><row r=\"1048576\">{}</row>", cell("A1", "a"), cell("XFD1048576", "SECRET"));
    let cases = [
        (sheet(&far), "row 1048576: column XFD of the sheet has a value and no name"),
        (sheet("<row r=\"1\"></row>"), "the sheet is empty"),
        (sheet(&format!("<row r=\"1\">{}</row>", cell("A1", "a"))), "no records"),
        (
            sheet(&format!(
                "<row r=\"1\">{}{}</row><row r=\"2\">{}</row>",
                cell("A1", "a"),
                cell("B1", "a"),
                cell("A2", "SECRET")
            )),
            "same name",
        ),
        (format!("<worksheet><sheetData><row r=\"1\">{}", cell("A1", "SECRET")), "Excel workbook"),
        ("SECRET".to_string(), "Excel workbook"),
    ];
    for (text, expected) in cases {
        let error = read(&with_sheet(folder.path(), &text), Some("Patients")).map(|_| ()).unwrap_err();
        let message = error.to_string();
        let is_told = message.contains(expected) || message.contains("the sheet is empty");
        assert!(is_told && !message.contains("SECRET"), "{message}");
    }
    let garbage = folder.path().join("garbage.xlsx");
    std::fs::write(&garbage, "SECRET").unwrap();
    assert!(read(&garbage, None).unwrap_err().to_string().contains("not a valid Excel workbook"));
}

#[test]
fn a_workbook_that_unpacks_to_more_than_there_is_room_for_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = with_sheet(folder.path(), &" ".repeat(30 << 20));
    assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20, "packed it is small");
    let formats = Formats::default().with(sfumato_sources::formats()).within(Some(20 << 20));
    let part = Some(Part::Sheet("Patients".into()));
    let error = formats.read(&path, &ReadOptions { part, ..Default::default() }).unwrap_err();
    assert_eq!(error.fault(), Fault::Resources, "{error}");
    assert!(error.to_string().contains("unpacks to"), "{error}");
}
