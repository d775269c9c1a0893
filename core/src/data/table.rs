//! Coded columns and the table they make up.

use super::spelling::{Spelling, Written};
use super::{Dictionary, Lexicon, ValueType, canonical_text};
use crate::error::{Error, ErrorCode, Result, did_you_mean};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// What the codes of a column stand for.
#[derive(Clone, Debug)]
pub struct Domain {
    labels: Dictionary,
    value_type: ValueType,
    missing: Option<u32>,
    spelling: Spelling,
}

/// Equal where codes stand for the same: how that was written is no part of it.
impl PartialEq for Domain {
    fn eq(&self, other: &Self) -> bool {
        let Domain { labels, value_type, missing, spelling: _ } = self;
        (labels, value_type, missing) == (&other.labels, &other.value_type, &other.missing)
    }
}

impl Eq for Domain {}

impl Domain {
    /// Labels in the order of their type; `missing` is the code of the missing value, if the column
    /// has one.
    pub fn new(labels: Dictionary, value_type: ValueType, missing: Option<u32>) -> Self {
        Domain { labels, value_type, missing, spelling: Spelling::Plain }
    }

    /// The same labels, which were written in another way where they were read.
    pub fn spelled(self, spelling: Spelling) -> Self {
        Domain { spelling, ..self }
    }

    /// How the labels were written where they were read.
    pub fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// How many distinct values there are, a missing one included.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The value as it is written.
    pub fn label(&self, code: u32) -> &str {
        self.labels.get(code)
    }

    /// The labels in the order of their codes.
    pub fn labels(&self) -> &Dictionary {
        &self.labels
    }

    /// What the values are.
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// The code of the missing value, if the column has one: always the last.
    pub fn missing(&self) -> Option<u32> {
        self.missing
    }

    /// How many distinct values there are besides a missing one.
    pub fn present(&self) -> usize {
        self.len() - usize::from(self.missing.is_some())
    }

    /// The labels of values that are not missing, in the order of their codes.
    pub fn present_labels(&self) -> impl Iterator<Item = &str> + Clone {
        self.labels.iter().take(self.present())
    }

    /// The code of a label. Linear: for plans and tests, not for rows.
    pub fn code(&self, label: &str) -> Option<u32> {
        self.labels.iter().position(|known| known == label).map(|at| at as u32)
    }
}

/// One coded column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    name: String,
    codes: Vec<u32>,
    domain: Domain,
}

impl Column {
    /// A column from its parts.
    ///
    /// # Panics
    /// When a code is not in the domain.
    pub fn new(name: impl Into<String>, codes: Vec<u32>, domain: Domain) -> Self {
        assert!(codes.iter().all(|&code| (code as usize) < domain.len()), "codes are in the domain");
        Column { name: name.into(), codes, domain }
    }

    /// A column of these values; its type is detected.
    ///
    /// ```
    /// use sfumato::data::{Column, ValueType};
    ///
    /// let age = Column::from_values("age", ["47", "9"]);
    /// assert_eq!(age.domain().value_type(), ValueType::Integer);
    /// assert_eq!(age.codes(), [1, 0]); // 9 comes before 47
    /// ```
    pub fn from_values<S: AsRef<str>>(name: impl Into<String>, values: impl IntoIterator<Item = S>) -> Self {
        let mut lexicon = Lexicon::new();
        let codes: Vec<u32> = values.into_iter().map(|value| lexicon.code(value.as_ref())).collect();
        let turns = [(0, codes.len())];
        super::Encoding::default().column(name.into(), vec![(lexicon, codes)], &turns)
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One code per row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The codes alone.
    pub(super) fn into_codes(self) -> Vec<u32> {
        self.codes
    }

    /// What the codes stand for.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The value in a row.
    pub fn value(&self, row: usize) -> &str {
        self.domain.label(self.codes[row])
    }

    /// Where a value is found, for messages: its first record; its place in the domain if no row
    /// has it.
    pub(crate) fn place_of(&self, code: u32) -> String {
        match self.codes.iter().position(|&other| other == code) {
            Some(row) => format!("in record {}", row + 1),
            None => format!("in place {} of its domain", code + 1),
        }
    }

    /// How many rows hold each code.
    pub fn counts(&self) -> Vec<u64> {
        let domain = self.domain.len();
        let part = self.codes.len().div_ceil(rayon::current_num_threads()).max(1 << 16);
        let add = |a: Vec<u64>, b: Vec<u64>| a.iter().zip(b).map(|(a, b)| a + b).collect();
        self.codes.par_chunks(part).map(|codes| count(codes, domain)).reduce(|| vec![0; domain], add)
    }

    /// The same column with the type that its own values have, in the order of that type. Where one
    /// number is written in several ways they are texts: whoever told them apart goes on to.
    pub fn retyped(&self) -> Column {
        let domain = &self.domain;
        let mut present = Dictionary::new();
        let codes: Vec<u32> = (0..domain.len() as u32).filter(|code| domain.missing != Some(*code)).collect();
        for &code in &codes {
            present.push(domain.label(code));
        }
        let detected = ValueType::detect(present.iter());
        let different: BTreeSet<_> = present.iter().map(canonical_text).collect();
        let is_number = matches!(detected, ValueType::Integer | ValueType::Decimal);
        let value_type = if is_number && different.len() < present.len() { ValueType::Text } else { detected };
        let (mut labels, mut new_code) = (Dictionary::new(), vec![u32::MAX; domain.len()]);
        for (_, at) in value_type.sorted(std::slice::from_ref(&present)) {
            new_code[codes[at as usize] as usize] = labels.push(present.get(at));
        }
        let missing = domain.missing.map(|code| labels.push(domain.label(code)));
        domain.missing.into_iter().zip(missing).for_each(|(code, new)| new_code[code as usize] = new);
        let codes = self.codes.iter().map(|&code| new_code[code as usize]).collect();
        Column { name: self.name.clone(), codes, domain: Domain::new(labels, value_type, missing) }
    }

    /// Whether one number is written in several ways.
    pub fn has_equal_numbers(&self) -> bool {
        let domain = &self.domain;
        let same = |at: u32| domain.value_type.is_same(domain.label(at - 1), domain.label(at));
        domain.value_type == ValueType::Decimal && (1..domain.len() as u32).any(same)
    }

    /// Whether the values have a declared order already.
    pub fn is_in_order(&self, order: &[String]) -> bool {
        let present = self.domain.labels.iter().zip(0u32..).filter(|(_, code)| self.domain.missing != Some(*code));
        let mut left = order.iter();
        present.map(|(label, _)| label).all(|label| left.any(|known| known == label))
    }

    /// The same column in which ways to write one number are one value; the first of them stays.
    pub fn with_equal_numbers_merged(&self) -> Column {
        let domain = &self.domain;
        let mut labels = Dictionary::new();
        let mut new_code: Vec<u32> = Vec::with_capacity(domain.len());
        for code in 0..domain.len() as u32 {
            let same = |before: u32| domain.value_type.is_same(domain.label(before), domain.label(code));
            let before = code.checked_sub(1).filter(|&before| domain.missing != Some(code) && same(before));
            new_code.push(before.map_or_else(|| labels.push(domain.label(code)), |before| new_code[before as usize]));
        }
        let missing = domain.missing.map(|code| new_code[code as usize]);
        let codes = self.codes.iter().map(|&code| new_code[code as usize]).collect();
        Column { name: self.name.clone(), codes, domain: Domain::new(labels, domain.value_type, missing) }
    }

    /// The values of some rows, in their order, without values that none of them has.
    pub fn rows(&self, rows: &[u32]) -> Column {
        let codes = rows.iter().map(|&row| self.codes[row as usize]).collect();
        Column { name: self.name.clone(), codes, domain: self.domain.clone() }.without_unused_values()
    }

    /// The same column without values that no row has.
    pub fn without_unused_values(&self) -> Column {
        let counts = self.counts();
        let mut labels = Dictionary::new();
        let mut keep = |code: usize| (counts[code] > 0).then(|| labels.push(self.domain.label(code as u32)));
        let new_code: Vec<Option<u32>> = (0..self.domain.len()).map(&mut keep).collect();
        let missing = self.domain.missing.and_then(|code| new_code[code as usize]);
        let codes = self.codes.iter().map(|&code| new_code[code as usize].expect("a row has it")).collect();
        Column { name: self.name.clone(), codes, domain: Domain::new(labels, self.domain.value_type, missing) }
    }

    /// The same column with its values in a declared order. Values must be those of the column;
    /// missing stays last.
    pub fn in_order(&self, order: &[String]) -> Result<Column> {
        let present = (0..self.domain.len() as u32).filter(|code| Some(*code) != self.domain.missing);
        let mut new_code = vec![u32::MAX; self.domain.len()];
        let mut labels = Dictionary::new();
        for label in order {
            if let Some(code) = self.domain.code(label).filter(|&code| new_code[code as usize] == u32::MAX) {
                new_code[code as usize] = labels.push(label);
            }
        }
        if let Some(code) = present.clone().find(|&code| new_code[code as usize] == u32::MAX) {
            let value = self.place_of(code);
            let message = format!("column \"{}\": the value {value} is not in the declared order", self.name);
            return Err(Error::data(message).help("list every value of the column in `order`"));
        }
        let missing = self.domain.missing.map(|code| {
            new_code[code as usize] = labels.push(self.domain.label(code));
            new_code[code as usize]
        });
        let codes = self.codes.iter().map(|&code| new_code[code as usize]).collect();
        Ok(Column { name: self.name.clone(), codes, domain: Domain::new(labels, self.domain.value_type, missing) })
    }
}

/// A table about people: named columns of equal length.
///
/// ```
/// use sfumato::data::{Column, Table};
///
/// let table = Table::new(vec![
///     Column::from_values("zip", ["13053", "13068"]),
///     Column::from_values("disease", ["flu", "cancer"]),
/// ])?;
/// assert_eq!(table.rows(), 2);
/// assert!(table.column("disaese").unwrap_err().to_string().contains("did you mean \"disease\"?"));
/// # Ok::<(), sfumato::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

impl Table {
    /// A table of columns; names must differ and lengths agree.
    pub fn new(columns: Vec<Column>) -> Result<Table> {
        let rows = columns.first().map_or(0, |column| column.codes.len());
        check_names(columns.iter().map(Column::name))?;
        if let Some(odd) = columns.iter().find(|column| column.codes.len() != rows) {
            let message = format!("column \"{}\" has {} rows, the first has {rows}", odd.name, odd.codes.len());
            return Err(Error::data(message));
        }
        Ok(Table { columns, rows })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The first rows, without values that none of them has.
    pub fn head(&self, rows: usize) -> Table {
        self.select(&(0..rows as u32).collect::<Vec<u32>>())
    }

    /// Some rows, in the order given, without values that none of them has: a sample, say.
    ///
    /// ```
    /// let patients = sfumato::data::sample::clinic();
    /// let two = patients.select(&[3, 0]);
    /// assert_eq!(two.columns()[0].value(1), patients.columns()[0].value(0));
    /// ```
    pub fn select(&self, rows: &[u32]) -> Table {
        Table { columns: self.columns.iter().map(|column| column.rows(rows)).collect(), rows: rows.len() }
    }

    /// Some rows, in the order given. Codes keep their meaning: domains stay as they are, also
    /// where none of the rows has a value any more.
    pub fn part(&self, rows: &[u32]) -> Table {
        let of = |column: &Column| Column {
            name: column.name.clone(),
            codes: rows.iter().map(|&row| column.codes[row as usize]).collect(),
            domain: column.domain.clone(),
        };
        Table { columns: self.columns.iter().map(of).collect(), rows: rows.len() }
    }

    /// The columns, in the order of the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns alone.
    pub(super) fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// The column with a name; the error offers the nearest.
    pub fn column(&self, name: &str) -> Result<&Column> {
        self.find(name).ok_or_else(|| {
            // Not all names: in a file without a header line they are somebody's record.
            let near = did_you_mean(name, self.columns.iter().map(Column::name));
            let help = near.map_or_else(
                || format!("it has {} columns; does the file start with a line of names?", self.columns.len()),
                |near| format!("did you mean \"{near}\"?"),
            );
            Error::of(ErrorCode::UnknownName, format!("the table has no column \"{name}\"")).help(help)
        })
    }

    /// The column with a name, if there is one.
    pub fn find(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The table with one column replaced by another of the same name.
    pub fn with_column(mut self, column: Column) -> Result<Table> {
        self.column(&column.name)?;
        let columns = self.columns.iter_mut();
        for slot in columns.filter(|slot| slot.name == column.name) {
            *slot = column.clone();
        }
        Table::new(self.columns)
    }

    /// Refuses values that are not of a column's declared type.
    pub fn check_types(&self, declared: &[(String, ValueType)]) -> Result<()> {
        for (name, value_type) in declared {
            let Some(column) = self.find(name) else { continue };
            let fits = |code: u32| column.domain.missing == Some(code) || value_type.admits(column.domain.label(code));
            let fit: Vec<bool> = (0..column.domain.len() as u32).map(fits).collect();
            if let Some(row) = column.codes.iter().position(|&code| !fit[code as usize]) {
                let message = format!("column \"{name}\": the value in record {} is no {value_type}", row + 1);
                return Err(
                    Error::data(message).help("mend the value, list it under `missing`, or declare another type")
                );
            }
        }
        Ok(())
    }

    /// Refuses values that are not written as a plan says.
    pub fn check_written(&self, stated: &[(String, Written)]) -> Result<()> {
        for (name, written) in stated {
            let Some(column) = self.find(name) else { continue };
            let domain = &column.domain;
            let is_read = domain.spelling != Spelling::Plain || domain.value_type != ValueType::Text;
            if is_read || domain.present() == 0 {
                continue;
            }
            // Where all are written so, one would look like a missing value once it is stored.
            let code = written.misfit(domain.present_labels()).unwrap_or(0);
            let message =
                format!("column \"{name}\": the value {} is no {}", column.place_of(code as u32), written.noun());
            return Err(Error::data(message).help("mend the value, list it under `missing`, or say how it is written"));
        }
        Ok(())
    }

    /// Bytes of the coded columns and of their dictionaries.
    pub fn memory(&self) -> (usize, usize) {
        let codes = self.columns.iter().map(|column| column.codes.capacity() * size_of::<u32>()).sum();
        let labels = self.columns.iter().map(|column| column.domain.labels.memory()).sum();
        (codes, labels)
    }
}

/// Refuses empty and repeated names.
pub(super) fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = std::collections::HashMap::new();
    for (at, name) in names.enumerate() {
        if name.is_empty() {
            let message = format!("column {} has no name", at + 1);
            return Err(Error::data(message).help("give every column of the header a name"));
        }
        if let Some(before) = seen.insert(name, at) {
            let message = format!("columns {} and {} have the same name in the header", before + 1, at + 1);
            return Err(Error::data(message).help("give every column a name of its own"));
        }
    }
    Ok(())
}

/// How often each code occurs. Neighbours are counted apart, as two of the same code would wait for
/// each other.
fn count(codes: &[u32], domain: usize) -> Vec<u64> {
    let mut lanes = vec![[0u32; 4]; domain];
    let (fours, rest) = codes.as_chunks::<4>();
    for four in fours {
        four.iter().enumerate().for_each(|(lane, &code)| lanes[code as usize][lane] += 1);
    }
    rest.iter().for_each(|&code| lanes[code as usize][0] += 1);
    lanes.iter().map(|lane| lane.iter().copied().map(u64::from).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_must_differ() {
        let twice = vec![Column::from_values("a", ["1"]), Column::from_values("a", ["2"])];
        assert!(Table::new(twice).unwrap_err().message().contains("columns 1 and 2"));
    }

    #[test]
    fn declared_order_replaces_the_alphabet() {
        let column = Column::from_values("pain", ["mild", "none", "severe"]);
        let order = ["none", "mild", "severe"].map(String::from);
        assert_eq!(column.in_order(&order).unwrap().codes(), [1, 0, 2]);
        let error = column.in_order(&order[..2]).unwrap_err();
        assert!(error.message().contains("record 3") && !error.to_string().contains("severe"));
    }
}
