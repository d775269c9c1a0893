//! Delimited text.

use crate::support::{CANARY, check_error};
use sfumato::Result;
use sfumato::data::csv::{Sizes, read_from, read_with_sizes, write_to};
use sfumato::data::{ReadOptions, Table};

/// From so many bytes on, how much is read at a time may decide which delimiter is detected.
const SAMPLE: usize = 1 << 14;

/// Reads delimited text. The sizes of pieces and the number of threads change nothing; what was
/// read and written reads back equal; errors hold no cell.
pub fn csv(data: &[u8]) {
    let usual = ReadOptions { delimiter: (data.len() >= SAMPLE).then_some(b','), ..ReadOptions::default() };
    let bare = ReadOptions { header: false, trim: true, missing: Vec::new(), ..usual.clone() };
    for options in [usual, bare] {
        let read = read_from(data, &options);
        for (piece, threads) in [(1, 1), (7, 1), (64, 3)] {
            let sizes = Sizes { piece, threads, ..Sizes::default() };
            check_same(&read, &read_with_sizes(data, &options, sizes));
        }
        match &read {
            Ok(table) => check_round_trip(table, &options.missing),
            Err(error) => check_error(error),
        }
        check_canary(data, &options);
    }
}

/// Both tables are the same, or both are refused. Of several faults, which is told first depends on
/// where pieces end.
fn check_same(whole: &Result<Table>, pieces: &Result<Table>) {
    match (whole, pieces) {
        (Ok(whole), Ok(pieces)) => assert!(whole == pieces, "pieces are read otherwise than the whole"),
        (Err(whole), Err(pieces)) => assert_eq!(whole.fault(), pieces.fault(), "{whole} / {pieces}"),
        (Ok(_), Err(error)) => panic!("refused only in pieces: {error}"),
        (Err(error), Ok(_)) => panic!("refused only as a whole: {error}"),
    }
}

fn check_round_trip(table: &Table, missing: &[String]) {
    for delimiter in [b',', b'\t'] {
        let mut text = Vec::new();
        write_to(table, delimiter, &mut text).expect("room in memory");
        let options = ReadOptions { delimiter: Some(delimiter), missing: missing.to_vec(), ..ReadOptions::default() };
        let again = read_from(&text[..], &options).expect("what was written can be read");
        assert!(again == *table, "what was written reads back otherwise");
    }
}

/// A further record, too long, too short or broken: whatever is told about it, its cells are not.
fn check_canary(data: &[u8], options: &ReadOptions) {
    for end in [&b"\n"[..], b",,,,,,,\n", b"\xff\n", b"\"\n"] {
        let text = [data, b"\n", CANARY.as_bytes(), end].concat();
        if let Err(error) = read_from(&text[..], options) {
            check_error(&error);
        }
    }
}
