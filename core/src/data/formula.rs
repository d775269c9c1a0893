//! Cells that a spreadsheet would run as formulas when it opens a text file, and how to write them
//! so that it does not.
//!
//! A cell such as `=HYPERLINK(…)` is somebody's text in a table and a program in a spreadsheet. An
//! apostrophe in front makes it text again. The apostrophe is told from one that was there before:
//! escaping takes no two texts to the same one, and [`restore`] undoes it exactly.

use super::{Column, Encoding, Lexicon, Table, ValueType};
use crate::error::{Error, Result};
use std::borrow::Cow;

/// What becomes of cells that a spreadsheet would run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulas {
    /// They are written with an apostrophe in front.
    #[default]
    Escape,
    /// A table with such a cell is not written.
    Refuse,
    /// They are written as they are.
    Keep,
}

/// What stands in front of a text that is not to be run.
const ESCAPE: char = '\'';

/// Whether a spreadsheet takes the text for a formula. Numbers with a sign are none, and neither
/// are ranges of them: without a letter nothing is called and no cell is read.
fn is_formula(text: &str) -> bool {
    match text.chars().next() {
        Some('=' | '@' | '\t' | '\r' | '\n' | '\u{ff1d}' | '\u{ff20}') => true,
        Some('+' | '-' | '\u{ff0b}' | '\u{ff0d}') => {
            let is_number = [ValueType::Integer, ValueType::Decimal].iter().any(|kind| kind.admits(text));
            !is_number && text.contains(|letter: char| letter.is_alphabetic() || "=@|!".contains(letter))
        }
        _ => false,
    }
}

/// Whether a text is written with one apostrophe more than it has: formulas, and what could be
/// taken for an escaped one.
fn is_escaped(text: &str) -> bool {
    is_formula(text.trim_start_matches(ESCAPE))
}

fn escaped(text: &str) -> Cow<'_, str> {
    if is_escaped(text) { Cow::Owned(format!("{ESCAPE}{text}")) } else { Cow::Borrowed(text) }
}

fn restored(text: &str) -> &str {
    text.strip_prefix(ESCAPE).filter(|rest| is_escaped(rest)).unwrap_or(text)
}

impl Formulas {
    /// The table as it is to be written into a text file.
    ///
    /// ```
    /// use sfumato::data::{Column, Formulas, Table, restore_formulas};
    ///
    /// let table = Table::new(vec![Column::from_values("note", ["=1+1", "-5", "fine"])])?;
    /// let written = Formulas::Escape.apply(&table)?;
    /// assert_eq!(written.column("note")?.value(0), "'=1+1");
    /// assert_eq!(written.column("note")?.value(1), "-5");
    /// assert_eq!(restore_formulas(written.into_owned())?, table);
    /// assert!(Formulas::Refuse.apply(&table).is_err());
    /// # Ok::<(), sfumato::Error>(())
    /// ```
    pub fn apply(self, table: &Table) -> Result<Cow<'_, Table>> {
        match self {
            Formulas::Keep => Ok(Cow::Borrowed(table)),
            Formulas::Refuse => refuse(table).map(|()| Cow::Borrowed(table)),
            Formulas::Escape if !has(table, is_escaped) => Ok(Cow::Borrowed(table)),
            Formulas::Escape => renamed(table, escaped).map(Cow::Owned),
        }
    }
}

/// The table that was escaped, as it was before. What no escaping leaves behind is refused: two
/// texts would become one.
pub fn restore(table: Table) -> Result<Table> {
    refuse(&table)?;
    if has(&table, |text| restored(text) != text) {
        renamed(&table, |text| Cow::Borrowed(restored(text)))
    } else {
        Ok(table)
    }
}

fn has(table: &Table, is_one: impl Fn(&str) -> bool) -> bool {
    table.columns().iter().any(|column| is_one(column.name()) || column.domain().labels().iter().any(&is_one))
}

/// The same table with other names and values, its values in their order.
fn renamed(table: &Table, rename: impl Fn(&str) -> Cow<'_, str>) -> Result<Table> {
    let column = |column: &Column| {
        let domain = column.domain();
        let mut lexicon = Lexicon::listing();
        let codes: Vec<u32> = domain.labels().iter().map(|label| lexicon.code(&rename(label))).collect();
        let codes = column.codes().iter().map(|&code| codes[code as usize]).collect();
        let missing: Vec<String> =
            domain.missing().iter().map(|&code| rename(domain.label(code)).into_owned()).collect();
        let encoding = Encoding { missing: &missing, value_type: Some(domain.value_type()), ..Encoding::default() };
        let turns = [(0, column.codes().len())];
        encoding.column(rename(column.name()).into_owned(), vec![(lexicon, codes)], &turns)
    };
    Table::new(table.columns().iter().map(column).collect())
}

fn refuse(table: &Table) -> Result<()> {
    let help = "write formulas = \"escape\" under [release], or choose a format that is no text";
    if !has(table, is_formula) {
        return Ok(());
    }
    for (at, column) in table.columns().iter().enumerate() {
        if is_formula(column.name()) {
            let message = format!("a spreadsheet would run the name of column {}", at + 1);
            return Err(Error::data(message).help(help));
        }
        let runs: Vec<bool> = column.domain().labels().iter().map(is_formula).collect();
        if column.codes().iter().any(|&code| runs[code as usize]) {
            let message = format!("column \"{}\" has values that a spreadsheet would run as formulas", column.name());
            return Err(Error::data(message).help(help));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Fault;
    use proptest::prelude::*;

    #[test]
    fn formulas_are_told_from_numbers_and_ranges() {
        let formulas = [
            "=1",
            "=",
            "@SUM(A1)",
            "+A1",
            "-cmd|' /C calc'!A0",
            "\t=1",
            "\r",
            "\n=1",
            "＝1",
            "－A1",
            "-2+3+cmd",
            "+1e5x",
            "-@1",
        ];
        formulas.iter().for_each(|text| assert!(is_formula(text), "{text}"));
        let texts = ["", "-5", "+5", "-1.5e3", "-20–-10", "-20..-11", "+49 (30) 1234", "-", "a=1", "'=1", " =1", "1=1"];
        texts.iter().for_each(|text| assert!(!is_formula(text), "{text}"));
    }

    #[test]
    fn refusing_shows_no_cell() {
        let table = Table::new(vec![Column::from_values("a", ["x", "=SECRET"])]).unwrap();
        let error = Formulas::Refuse.apply(&table).unwrap_err();
        assert_eq!(error.fault(), Fault::Data);
        assert!(error.to_string().contains("column \"a\"") && !error.to_string().contains("SECRET"));
        let named = Table::new(vec![Column::from_values("=SECRET", ["x"])]).unwrap();
        let error = Formulas::Refuse.apply(&named).unwrap_err();
        assert!(error.to_string().contains("column 1") && !error.to_string().contains("SECRET"));
    }

    #[test]
    fn values_nobody_has_are_not_refused() {
        let column = Column::from_values("a", ["x", "=1"]).rows(&[0]);
        assert!(Formulas::Refuse.apply(&Table::new(vec![column]).unwrap()).is_ok());
    }

    proptest! {
        #[test]
        fn escaping_is_undone_exactly(texts in proptest::collection::vec("['=+@x1\t -]{0,4}|\\PC{0,3}", 1..20)) {
            let table = Table::new(vec![Column::from_values("=n", &texts), Column::from_values("'=n", &texts)]).unwrap();
            let written = Formulas::Escape.apply(&table).unwrap().into_owned();
            prop_assert!(!has(&written, is_formula));
            prop_assert_eq!(restore(written).unwrap(), table);
        }

        #[test]
        fn nothing_is_restored_that_was_not_escaped(texts in proptest::collection::vec("['=+@x-]{0,4}", 1..8)) {
            let table = Table::new(vec![Column::from_values("a", &texts)]).unwrap();
            if let Ok(before) = restore(table.clone()) {
                prop_assert_eq!(Formulas::Escape.apply(&before).unwrap().into_owned(), table);
            }
        }
    }
}
