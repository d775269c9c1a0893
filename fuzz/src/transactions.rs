//! Records that are sets of items.

use crate::support::{CANARY, check_error, with_file};
use sfumato::data::{ReadOptions, csv};
use sfumato::inspect::inspect_transactions;
use sfumato::transactions::{Released, Together, Written, read_lines, read_names, read_released, read_rows};

/// What ends the records where a table of sensitive items follows.
const SHARED: &[u8] = b"\n%%\n";

/// Reads records from lines, from rows and with a table of what groups of them share. What was read
/// and written reads back equal; errors hold no item.
pub fn transactions(data: &[u8]) {
    let behind = data.windows(SHARED.len()).position(|window| window == SHARED);
    let (records, shared) = match behind {
        Some(at) => (&data[..=at], Some(&data[at + SHARED.len()..])),
        None => (data, None),
    };
    for delimiter in [None, Some(','), Some('\t')] {
        check_lines(records, delimiter);
        check_canary(records, delimiter);
        match read_released(records, shared, delimiter) {
            Ok(released) => check_round_trip(&released, delimiter),
            Err(error) => check_error(&error),
        }
    }
    check_rows(data);
    for splits in [false, true] {
        if let Err(error) = with_file("names.txt", data, |path| read_names(path, splits)) {
            check_error(&error);
        }
    }
}

fn check_lines(records: &[u8], delimiter: Option<char>) {
    match read_lines(records, delimiter) {
        Ok(read) => {
            let profile = inspect_transactions(&read);
            assert_eq!((profile.records, profile.empty), (read.table.len() as u64, read.empty));
            let lines = records.iter().filter(|byte| **byte == b'\n').count();
            let lines = lines + usize::from(!records.is_empty() && !records.ends_with(b"\n"));
            let is_mark = records == b"\xef\xbb\xbf";
            assert!(is_mark || read.table.len() == lines, "every line is a record");
            let released = Released::Together(Together { table: read.table, published_as: None });
            check_round_trip(&released, delimiter);
        }
        Err(error) => check_error(&error),
    }
}

/// How many records a group has, and how often which names.
type Group<'r> = (usize, Vec<(&'r str, u64)>);

/// The names of each record in order, and the groups.
type Named<'r> = (Vec<Vec<&'r str>>, Vec<Group<'r>>);

/// A release by names: numbers of items depend on the order in which they are met.
pub(crate) fn named(released: &Released) -> Named<'_> {
    let names = released.table().names();
    let name = |item: &u32| names[*item as usize].as_str();
    let sorted = |record: &[u32]| {
        let mut record: Vec<&str> = record.iter().map(name).collect();
        record.sort_unstable();
        record
    };
    let groups = match released {
        Released::Together(_) => Vec::new(),
        Released::Separated(separated) => separated
            .groups
            .iter()
            .map(|group| {
                let mut items: Vec<(&str, u64)> =
                    group.items.iter().map(|(item, count)| (name(item), *count)).collect();
                items.sort_unstable();
                (group.records, items)
            })
            .collect(),
    };
    (released.table().iter().map(sorted).collect(), groups)
}

fn check_round_trip(released: &Released, preferred: Option<char>) {
    match Written::new(released, preferred) {
        Ok(written) => {
            let again = written.read_back().expect("what was written can be read");
            // Neighbouring groups of which nothing is told are one when they are read.
            let [own, other] = [released, &again].map(named);
            assert!(own.0 == other.0, "records read back otherwise");
            assert!(told(&own) == told(&other), "groups read back otherwise");
        }
        Err(error) => check_error(&error),
    }
}

/// The groups of which something is told, by their first line.
fn told<'n, 'r>((_, groups): &'n Named<'r>) -> Vec<(usize, &'n Group<'r>)> {
    let starts = groups.iter().scan(0, |next, group| Some(std::mem::replace(next, *next + group.0)));
    starts.zip(groups).filter(|(_, group)| !group.1.is_empty()).collect()
}

fn check_rows(data: &[u8]) {
    let options = ReadOptions { header: false, ..ReadOptions::default() };
    let Ok(table) = csv::read_from(data, &options) else { return };
    match read_rows(&table, "column1", "column2") {
        Ok(read) => check_round_trip(&Released::Together(Together { table: read.table, published_as: None }), None),
        Err(error) => check_error(&error),
    }
}

/// A further line that is broken: whatever is told about it, its items are not.
fn check_canary(records: &[u8], delimiter: Option<char>) {
    for end in [&b"\x00"[..], b"\xff", b"\r\r"] {
        let text = [records, b"\n", CANARY.as_bytes(), end].concat();
        if let Err(error) = read_lines(&text, delimiter) {
            check_error(&error);
        }
    }
}
