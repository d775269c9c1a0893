//! Reading transactions: one record per line, or one row per person and item.

use super::{Released, Separated, Shared, Together, Transactions};
use crate::data::{Column, Formats, ReadOptions, Table, csv, restore_formulas};
use crate::error::{Error, Result};
use std::cell::Cell;
use std::path::Path;

/// Where records and their items are in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// One record per line; between items stands this character, or any white space if there is
    /// none.
    ///
    /// White space around names is no part of them, and between two delimiters with nothing else
    /// there is no item. A line without items is a record without items.
    Lines(Option<char>),
    /// One row per person and item; rows with the same person form a record. A row without an item
    /// tells that there is the person.
    Rows {
        /// The column that tells whose row it is.
        person: String,
        /// The column of items.
        item: String,
        /// How to read the table.
        options: Box<ReadOptions>,
    },
}

/// Records as they were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The records.
    pub table: Transactions,
    /// Records without items.
    pub empty: u64,
    /// Items that stood in a record again: they count once.
    pub repeated: u64,
}

impl Layout {
    /// Reads a file.
    pub fn read(&self, path: &Path, formats: &Formats) -> Result<Read> {
        match self {
            Layout::Lines(None) if formats.of(path).is_ok() => {
                let help = "name the columns: [data] person = \"…\" and item = \"…\"; or say what separates the items of a line: delimiter = \",\"";
                Err(Error::plan("the file has the name of a table, and the plan does not say which columns have persons and items").help(help))
            }
            Layout::Lines(delimiter) => read_lines(&bytes_of(path)?, *delimiter),
            Layout::Rows { person, item, options } => read_rows(&formats.read(path, options)?, person, item),
        }
        .map_err(|error| error.file(path))
    }

    /// What stands between items of a line.
    pub fn delimiter(&self) -> Option<char> {
        match self {
            Layout::Lines(delimiter) => *delimiter,
            Layout::Rows { .. } => None,
        }
    }

    /// Whether white space ends a name, in the data and in lists of names.
    pub fn splits_at_blanks(&self) -> bool {
        matches!(self, Layout::Lines(None))
    }
}

fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::io(&error, path))
}

/// Records from lines of text.
///
/// ```
/// use sfumato::transactions::read_lines;
///
/// let read = read_lines(b"milk bread milk\r\n\r\nbeer", None)?;
/// assert_eq!((read.table.len(), read.empty, read.repeated), (3, 1, 1));
/// assert_eq!(read_lines(b"soft drinks, beer,\n", Some(','))?.table.supports(), [1, 1]);
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn read_lines(bytes: &[u8], delimiter: Option<char>) -> Result<Read> {
    let text = checked_text(bytes, delimiter)?;
    let seen = Cell::new(0u64);
    let records = lines(text).map(|line| names(line, delimiter).inspect(|_| seen.set(seen.get() + 1)));
    let table = Transactions::from_names(records);
    Ok(described(table, seen.get()))
}

fn described(table: Transactions, seen: u64) -> Read {
    let empty = table.iter().filter(|record| record.is_empty()).count() as u64;
    Read { empty, repeated: seen - table.occurrences(), table }
}

/// The text of a file of names: UTF-8, without control characters but those that end lines and
/// separate items.
fn checked_text(bytes: &[u8], delimiter: Option<char>) -> Result<&str> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        Error::data("this is not UTF-8").line(line).help("convert the file to UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_wrong = |letter: char| is_no_text(letter) && letter != '\t' && Some(letter) != delimiter;
    for (line, number) in lines(text).zip(1..) {
        // Most lines have plain letters only, which bytes tell.
        if line.bytes().any(|byte| !(b' '..0x7f).contains(&byte)) && line.contains(is_wrong) {
            let error = Error::data("the line holds a control character").line(number);
            return Err(error.help("names of items are text; lines end in a line feed"));
        }
    }
    Ok(text)
}

/// Whether a letter has no place in a name: a control character, or a byte order mark, which
/// readers drop where a file begins with it.
pub(super) fn is_no_text(letter: char) -> bool {
    letter.is_control() || letter == '\u{feff}'
}

/// Lines without their ends; the end of the last line begins no other.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let whole = text.strip_suffix('\n').unwrap_or(text);
    let all = (!text.is_empty()).then(|| whole.split('\n'));
    all.into_iter().flatten().map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// The names of a line.
fn names(line: &str, delimiter: Option<char>) -> impl Iterator<Item = &str> {
    let ends = move |letter: char| match delimiter {
        None => letter.is_whitespace(),
        Some(delimiter) => letter == delimiter,
    };
    line.split(ends).map(str::trim).filter(|name| !name.is_empty())
}

/// Names from a file: one per line, or between any white space.
pub fn read_names(path: &Path, splits_at_blanks: bool) -> Result<Vec<String>> {
    let read = |bytes: &[u8]| -> Result<Vec<String>> {
        let text = checked_text(bytes, None)?;
        // No line holds a line feed: as a delimiter it leaves lines whole.
        let delimiter = if splits_at_blanks { None } else { Some('\n') };
        Ok(lines(text).flat_map(|line| names(line, delimiter)).map(str::to_string).collect())
    };
    read(&bytes_of(path)?).map_err(|error| error.file(path))
}

/// Records from a table with a row for each person and item. White space around names is no part of
/// them.
pub fn read_rows(table: &Table, person: &str, item: &str) -> Result<Read> {
    let (people, items) = (table.column(person)?, table.column(item)?);
    let names: Vec<&str> = items.domain().labels().iter().map(str::trim).collect();
    let is_missing = |column: &Column, row: usize| column.domain().missing() == Some(column.codes()[row]);
    // Persons that differ in blanks at their ends alone are the same.
    let mut record_of = std::collections::HashMap::<&str, usize>::new();
    let mut records: Vec<Vec<&str>> = Vec::new();
    let mut seen = 0;
    for row in 0..table.rows() {
        let at = |error: Error| error.help(format!("it is record {} of the table", row + 1));
        if is_missing(people, row) {
            return Err(at(Error::data(format!("column \"{person}\": a row names no person"))));
        }
        let record = record_of.entry(people.value(row).trim()).or_insert(records.len());
        if *record == records.len() {
            records.push(Vec::new());
        }
        let name = names[items.codes()[row] as usize];
        if is_missing(items, row) || name.is_empty() {
            continue;
        }
        if name.contains(is_no_text) {
            return Err(at(Error::data(format!("column \"{item}\": a name holds a control character"))));
        }
        records[*record].push(name);
        seen += 1;
    }
    Ok(described(Transactions::from_names(records), seen))
}

/// Columns of the table of sensitive items that are told for lines together.
pub const SHARED: [&str; 4] = ["first", "last", "item", "count"];

/// A release as it stands in its files: records, and the sensitive items of groups of records if
/// those are told apart.
pub fn read_released(data: &[u8], shared: Option<&[u8]>, delimiter: Option<char>) -> Result<Released> {
    let table = read_lines(data, delimiter)?.table;
    match shared {
        None => Ok(Released::Together(Together { table, published_as: None })),
        Some(shared) => separated(&table, shared).map(Released::Separated),
    }
}

fn separated(table: &Transactions, shared: &[u8]) -> Result<Separated> {
    let is_header = |line: &[u8]| line == SHARED.join(",").as_bytes();
    if shared.strip_suffix(b"\n").is_some_and(is_header) {
        // Every sensitive item was deleted, so none is told.
        let groups = Groups { groups: Vec::new(), last: 0, records: table.len() }.ended();
        return Ok(Separated { table: table.clone(), groups });
    }
    let options = ReadOptions { delimiter: Some(b','), missing: Vec::new(), as_stored: true, ..ReadOptions::default() };
    let told = restore_formulas(csv::read_from(shared, &options)?)?;
    let [first, last, item, count] = SHARED.map(|name| told.column(name));
    let (first, last, item, count) = (first?, last?, item?, count?);
    let mut names = table.names().to_vec();
    let mut numbers = hashbrown::HashMap::<String, u32, foldhash::fast::RandomState>::default();
    numbers.extend(names.iter().zip(0..).map(|(name, number)| (name.clone(), number)));
    let mut groups = Groups { groups: Vec::new(), last: 0, records: table.len() };
    for row in 0..told.rows() {
        let number = *numbers.entry_ref(item.value(row)).or_insert_with(|| {
            names.push(item.value(row).to_string());
            (names.len() - 1) as u32
        });
        let [first, last, count] = [first, last, count].map(|column| column.value(row).parse::<usize>().ok());
        groups.add(first, last, number, count).ok_or_else(|| {
            let error = Error::data("the table of sensitive items does not list them once for lines of the data");
            error.line(row as u64 + 2)
        })?;
    }
    let groups = groups.ended();
    Ok(Separated { table: Transactions::new(names.into(), table.iter()), groups })
}

/// Groups of lines, as far as they are read.
struct Groups {
    groups: Vec<Shared>,
    /// The last line of the last group.
    last: usize,
    records: usize,
}

impl Groups {
    /// Adds an item of the lines from `first` to `last`: another one of the last group, or one of
    /// lines behind it.
    fn add(&mut self, first: Option<usize>, last: Option<usize>, item: u32, count: Option<usize>) -> Option<()> {
        let (first, last, count) = (first?, last?.min(usize::MAX - 1), count?);
        let is_same = last == self.last
            && self.groups.last().is_some_and(|group| first.checked_add(group.records) == Some(last + 1));
        if !is_same {
            if first <= self.last || last < first || last > self.records {
                return None;
            }
            self.skip_to(first - 1);
            self.groups.push(Shared { records: last + 1 - first, items: Vec::new() });
            self.last = last;
        }
        let group = self.groups.last_mut()?;
        let is_new = group.items.iter().all(|(known, _)| *known != item);
        if !is_new || count == 0 || count > group.records {
            return None;
        }
        group.items.push((item, count as u64));
        Some(())
    }

    /// Lines of which nothing is told form groups as well.
    fn skip_to(&mut self, line: usize) {
        if line > self.last {
            self.groups.push(Shared { records: line - self.last, items: Vec::new() });
            self.last = line;
        }
    }

    fn ended(mut self) -> Vec<Shared> {
        self.skip_to(self.records);
        self.groups.iter_mut().for_each(|group| group.items.sort_unstable());
        self.groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(read: &Read) -> Vec<Vec<&str>> {
        let name = |item: &u32| read.table.names()[*item as usize].as_str();
        read.table.iter().map(|record| record.iter().map(name).collect()).collect()
    }

    #[test]
    fn lines_of_all_sorts_are_records() {
        let check = |text: &str, delimiter: Option<char>, expected: &[&[&str]]| {
            assert_eq!(records(&read_lines(text.as_bytes(), delimiter).unwrap()), expected, "{text:?}");
        };
        check("", None, &[]);
        check("\n", None, &[&[]]);
        check("a b\n\nc", None, &[&["a", "b"], &[], &["c"]]);
        check("\u{feff}a  b \r\n\tc\r\n", None, &[&["a", "b"], &["c"]]);
        check("a,b c\n, ,d,\n", Some(','), &[&["a", "b c"], &["d"]]);
        check("größe ☂\n", None, &[&["größe", "☂"]]);
        check("a\tb c\n", Some('\t'), &[&["a", "b c"]]);
    }

    #[test]
    fn repetitions_count_once_and_are_told() {
        let read = read_lines(b"a a b\n\nb b b\n", None).unwrap();
        assert_eq!((read.table.occurrences(), read.repeated, read.empty), (3, 3, 1));
    }

    #[test]
    fn what_is_no_text_is_refused_without_naming_it() {
        for (bytes, line) in [(&b"a\nsecret\xff\n"[..], 2), (b"a\nb\nsecret\x00", 3), (b"secret\rb\n", 1)] {
            let message = read_lines(bytes, None).unwrap_err().to_string();
            assert!(message.contains(&format!("line {line}")) && !message.contains("secret"), "{message}");
        }
    }

    #[test]
    fn rows_of_a_person_form_a_record() {
        let people = ["2", "1", "2", "3", "2", "1"].map(String::from);
        let items = ["beer", " milk ", "milk", "", "beer", "soft drinks"].map(String::from);
        let table = |people: &[String], items: &[String]| {
            let text: String = people.iter().zip(items).map(|(person, item)| format!("{person},{item}\n")).collect();
            csv::read_from(format!("who,what\n{text}").as_bytes(), &ReadOptions::default()).unwrap()
        };
        let read = read_rows(&table(&people, &items), "who", "what").unwrap();
        assert_eq!(records(&read), [vec!["beer", "milk"], vec!["milk", "soft drinks"], vec![]]);
        assert_eq!((read.empty, read.repeated), (1, 1));
        let nobody = read_rows(&table(&[String::new(), "1".into()], &items[..2]), "who", "what").unwrap_err();
        assert!(nobody.to_string().contains("no person"));
        assert!(read_rows(&table(&people, &items), "who", "wat").is_err());
    }

    #[test]
    fn lines_of_which_nothing_is_told_are_groups_too() {
        let read = |rows: &str| {
            let shared = format!("first,last,item,count\n{rows}");
            read_released(b"a\nb\n\na\nb\n", Some(shared.as_bytes()), None)
        };
        let Ok(Released::Separated(found)) = read("2,3,s,1\n2,3,t,2\n4,4,s,1\n") else { panic!() };
        let sizes: Vec<usize> = found.groups.iter().map(|group| group.records).collect();
        assert_eq!(sizes, [1, 2, 1, 1]);
        assert_eq!(found.groups[1].items, [(2, 1), (3, 2)]);
        for wrong in ["2,3,s,3\n", "2,3,s,0\n", "2,6,s,1\n", "3,2,s,1\n", "2,3,s,1\n2,3,s,1\n", "2,3,s,1\n3,4,t,1\n"] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
