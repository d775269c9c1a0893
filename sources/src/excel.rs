//! Excel workbooks: one sheet, read cell by cell.

use crate::rows::{MOST_COLUMNS, Rows};
use crate::{damaged, not_written, too_many_columns};
use calamine::{DataRef, ExcelDateTime, Reader, Xlsx};
use sfumato::data::{Format, Part, ReadOptions, Table, in_words};
use sfumato::{Error, ErrorCode, Result};
use std::borrow::Cow;
use std::fs::File;
use std::io::BufReader;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

pub(crate) struct Excel;

/// What unpacked parts of a workbook may take where no budget is set.
const MOST_BYTES: u64 = 4 << 30;

impl Format for Excel {
    fn name(&self) -> &'static str {
        "xlsx"
    }

    fn summary(&self) -> &'static str {
        "Excel workbook: `sheet` says which sheet; read only"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["xlsx", "xlsm"]
    }

    fn is_written(&self) -> bool {
        false
    }

    fn parts(&self) -> &'static [&'static str] {
        &["sheet"]
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Table> {
        check_size(path, options.memory)?;
        // The library may panic on malformed files.
        catch_unwind(AssertUnwindSafe(|| read(path, options))).unwrap_or_else(|_| Err(broken()))
    }

    fn write(&self, _: &Table, path: &Path) -> Result<()> {
        Err(not_written("Excel workbooks", path))
    }
}

fn broken() -> Error {
    damaged("Excel workbook (.xlsx)")
}

/// Refuses a workbook whose parts would take more memory than there is once they are unpacked.
fn check_size(path: &Path, memory: Option<u64>) -> Result<()> {
    let file = File::open(path).map_err(|error| Error::io(&error, path))?;
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|_| broken())?;
    let mut unpacked = 0u64;
    for at in 0..archive.len() {
        unpacked = unpacked.saturating_add(archive.by_index_raw(at).map_err(|_| broken())?.size());
    }
    let most = memory.unwrap_or(MOST_BYTES);
    if unpacked > most {
        let message =
            format!("the workbook unpacks to {}, and {} are allowed", in_words(unpacked.into()), in_words(most.into()));
        let error = Error::of(ErrorCode::Memory, message);
        return Err(error.help("allow more with --memory, or save the sheet as CSV"));
    }
    Ok(())
}

fn read(path: &Path, options: &ReadOptions) -> Result<Table> {
    let mut book: Xlsx<_> = calamine::open_workbook(path).map_err(|_| broken())?;
    let name = sheet_name(&book.sheet_names(), options.part.as_ref())?;
    let mut cells = book.worksheet_cells_reader(&name).map_err(|_| broken())?;
    let mut sheet = Sheet { rows: Rows::new(options), places: Vec::new(), row: None };
    loop {
        let cell = cells.next_cell().map_err(|_| broken())?;
        let Some(cell) = cell else { return sheet.finish() };
        let (row, column) = cell.get_position();
        if let Some(text) = text(cell.get_value()) {
            sheet.cell(row, column, &text)?;
        }
    }
}

fn sheet_name(names: &[String], part: Option<&Part>) -> Result<String> {
    match (part, names) {
        (Some(Part::Sheet(wanted)), _) => match names.iter().find(|name| *name == wanted) {
            Some(name) => Ok(name.clone()),
            None => {
                let message = format!("the workbook has no sheet \"{wanted}\"");
                Err(Error::unknown(message, wanted, names.iter().map(String::as_str)))
            }
        },
        (_, []) => Err(Error::data("the workbook has no sheet").help("name another file")),
        (_, [one]) => Ok(one.clone()),
        (_, several) => {
            let message = format!("the workbook has {} sheets: {}", several.len(), several.join(", "));
            Err(Error::plan(message).help("say which: sheet = \"…\" under [data], or --sheet"))
        }
    }
}

/// A sheet in the making. The first row with a cell names the columns; empty rows are none.
struct Sheet<'a> {
    rows: Rows<'a>,
    /// For each column of the sheet its place in the table.
    places: Vec<Option<usize>>,
    /// The row of the sheet that is being read, and whether it is the header.
    row: Option<(u32, bool)>,
}

impl Sheet<'_> {
    fn cell(&mut self, row: u32, column: u32, text: &str) -> Result<()> {
        match self.row {
            None => self.row = Some((row, true)),
            Some((current, _)) if row < current => return Err(broken()),
            Some((current, is_header)) if row > current => {
                self.end_row(is_header)?;
                self.row = Some((row, false));
            }
            Some(_) => {}
        }
        let column = column as usize;
        if self.row.is_some_and(|(_, is_header)| is_header) {
            if column >= MOST_COLUMNS {
                return Err(too_many_columns(column + 1));
            }
            self.places.resize(self.places.len().max(column + 1), None);
            self.places[column] = Some(self.rows.add_column(text.trim().to_string())?);
            return Ok(());
        }
        let Some(place) = self.places.get(column).copied().flatten() else { return Err(nameless(row, column)) };
        if self.rows.has_cell(place) {
            return Err(broken());
        }
        self.rows.cell(place, Some(text));
        Ok(())
    }

    fn end_row(&mut self, is_header: bool) -> Result<()> {
        if is_header { Ok(()) } else { self.rows.end_row() }
    }

    fn finish(mut self) -> Result<Table> {
        match self.row {
            None => Err(Error::data("the sheet is empty").help("say which sheet: sheet = \"…\" under [data]")),
            Some((_, is_header)) => {
                self.end_row(is_header)?;
                self.rows.finish()
            }
        }
    }
}

/// That a cell stands in a column without a name.
fn nameless(row: u32, column: usize) -> Error {
    let message = format!("row {}: column {} of the sheet has a value and no name", row + 1, letters(column));
    Error::data(message)
        .help("the first row with a cell names the columns: name it, or delete the cells beside the table")
}

/// A column as Excel calls it.
fn letters(column: usize) -> String {
    let last = char::from(b'A' + (column % 26) as u8);
    if column < 26 { last.to_string() } else { format!("{}{last}", letters(column / 26 - 1)) }
}

/// A cell as text; `None` if it is empty. Formulas have the values that were stored with them.
fn text<'a>(value: &'a DataRef<'_>) -> Option<Cow<'a, str>> {
    Some(match value {
        DataRef::Empty => return None,
        DataRef::String(text) if text.is_empty() => return None,
        DataRef::SharedString("") => return None,
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.as_str().into(),
        DataRef::SharedString(text) => (*text).into(),
        DataRef::Int(number) => number.to_string().into(),
        DataRef::Float(number) => number.to_string().into(),
        DataRef::Bool(is) => is.to_string().into(),
        DataRef::DateTime(moment) => moment_text(moment).into(),
        DataRef::Error(error) => error.to_string().into(),
    })
}

/// A moment as it is stored: a date at midnight, a time of day before the first day.
fn moment_text(moment: &ExcelDateTime) -> String {
    let serial = moment.as_f64();
    if !serial.is_finite() || !(0.0..3e6).contains(&serial) || moment.is_duration() {
        return serial.to_string();
    }
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let fraction = if milli > 0 { format!(".{milli:03}") } else { String::new() };
    let time = format!("{hour:02}:{minute:02}:{second:02}{fraction}");
    let date = format!("{year:04}-{month:02}-{day:02}");
    match (serial < 1.0, (hour, minute, second, milli) == (0, 0, 0, 0)) {
        (true, _) => time,
        (false, true) => date,
        (false, false) => format!("{date} {time}"),
    }
}
