//! People with several sensitive values: several records each, or several values in one cell.
//!
//! A criterion reads one code for each record. Here the first record of a person carries all of her
//! values, and the others say that they belong to somebody already counted.

use super::knowledge::Shape;
use super::{Case, Combinations};
use crate::candidate::{Histogram, Records};
use crate::data::Column;
use crate::error::{Error, Result};
use smallvec::SmallVec;
use std::collections::{BTreeMap, HashMap};

/// How a person's values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Several<'a> {
    /// One in each of the person's records; this column tells whose record it is.
    Records(&'a str),
    /// In one cell, with this between them.
    Cell(&'a str),
}

/// Values and how often a person has each; values ascend.
type Holding = SmallVec<[(u32, u32); 2]>;

/// What people have.
pub struct People {
    /// For each record a code: what its person has, or that she was counted already.
    pub codes: Vec<u32>,
    /// Whose record each is, where people have several.
    pub whose: Option<Vec<u32>>,
    /// Where values are in one cell: for each cell of the column's domain its code.
    code_of_cell: Vec<u32>,
    /// What stands behind each code; nothing for people who were counted.
    holdings: Vec<Option<Holding>>,
    /// The values.
    labels: Vec<String>,
}

/// The code of records whose person was counted already.
const COUNTED: u32 = 0;

impl People {
    /// Reads a sensitive column. A missing cell means no value.
    pub fn new<'a>(
        records: impl Into<Records<'a>>,
        column: &Column,
        case: Case,
        several: Several<'_>,
    ) -> Result<People> {
        let records = records.into();
        let domain = column.domain();
        let cells: Vec<Vec<String>> = (0u32..)
            .zip(domain.labels().iter())
            .map(|(code, label)| match several {
                _ if domain.missing() == Some(code) || label.is_empty() => Vec::new(),
                Several::Records(_) => vec![label.to_string()],
                Several::Cell(between) => {
                    label.split(between).map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
                }
            })
            .collect();
        let mut labels: Vec<String> = cells.iter().flatten().cloned().collect();
        labels.sort_unstable();
        labels.dedup();
        let number = |label: &String| labels.binary_search(label).expect("every label is listed") as u32;
        let values: Vec<Vec<u32>> = cells.iter().map(|cell| cell.iter().map(number).collect()).collect();
        let whose = match several {
            Several::Records(_) if records.counts().is_some() => return Err(not_from_counts()),
            Several::Records(person) => Some(owners(records.rows().column(person)?)?),
            Several::Cell(_) => None,
        };
        if let (Some(whose), Case::Set) = (&whose, case) {
            refuse_repeated(column, whose)?;
        }
        let mut people =
            People { codes: Vec::new(), whose: None, code_of_cell: Vec::new(), holdings: vec![None], labels };
        people.codes = match &whose {
            None => people.code_cells(column, &values, case),
            Some(whose) => people.code_records(column, &values, case, whose),
        };
        people.whose = whose;
        Ok(people)
    }

    fn code_cells(&mut self, column: &Column, values: &[Vec<u32>], case: Case) -> Vec<u32> {
        let mut known = HashMap::new();
        self.code_of_cell = values.iter().map(|values| self.code(values, case, &mut known)).collect();
        column.codes().iter().map(|&code| self.code_of_cell[code as usize]).collect()
    }

    fn code_records(&mut self, column: &Column, values: &[Vec<u32>], case: Case, whose: &[u32]) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..whose.len() as u32).collect();
        rows.sort_by_key(|&row| whose[row as usize]);
        let mut codes = vec![COUNTED; whose.len()];
        let mut known = HashMap::new();
        for own in rows.chunk_by(|&a, &b| whose[a as usize] == whose[b as usize]) {
            let held = own.iter().flat_map(|&row| &values[column.codes()[row as usize] as usize]);
            codes[own[0] as usize] = self.code(&held.copied().collect::<Vec<u32>>(), case, &mut known);
        }
        codes
    }

    /// The code of somebody with these values.
    fn code(&mut self, values: &[u32], case: Case, known: &mut HashMap<Holding, u32>) -> u32 {
        let mut counts = BTreeMap::new();
        for &value in values {
            let count = counts.entry(value).or_insert(0u32);
            *count = if case == Case::Multiset { *count + 1 } else { 1 };
        }
        let holding: Holding = counts.into_iter().collect();
        *known.entry(holding.clone()).or_insert_with(|| {
            self.holdings.push(Some(holding));
            self.holdings.len() as u32 - 1
        })
    }

    /// The codes of cells, where values are in one.
    pub fn of_cells(&self, column: &Column) -> Combinations {
        Combinations::of_values(column, &self.code_of_cell, self.domain())
    }

    /// How many codes there are.
    pub fn domain(&self) -> usize {
        self.holdings.len()
    }

    /// The values that people have.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// How many people are in a group, and how often each value occurs among them; values ascend.
    pub fn count(&self, group: &Histogram<'_>, counts: &mut BTreeMap<u32, u64>) -> u64 {
        counts.clear();
        let mut people = 0;
        for &(code, times) in group.entries() {
            let Some(holding) = &self.holdings[code as usize] else { continue };
            people += times;
            holding.iter().for_each(|(value, count)| *counts.entry(*value).or_insert(0) += u64::from(*count) * times);
        }
        people
    }
}

fn not_from_counts() -> Error {
    Error::plan("counts do not tell which records are one person's")
        .help("decide on the table itself, or leave out `case` and `person`")
}

/// Refuses a separator that no cell has, for people at a keyboard: it is a slip more often than
/// not, and whole cells would be taken for values.
pub fn refuse_unused(column: &Column, between: &str) -> Result<()> {
    if column.domain().labels().iter().any(|label| label.contains(between)) {
        return Ok(());
    }
    let message = format!("column \"{}\": no cell has the separator between values", column.name());
    Err(Error::plan(message).help("correct it; where everybody has one value, leave out `case` and `separator`"))
}

/// A set has each value once. Records that repeat one would be published and not counted.
fn refuse_repeated(column: &Column, whose: &[u32]) -> Result<()> {
    let mut rows: Vec<u32> = (0..whose.len() as u32).collect();
    let held = |row: u32| (whose[row as usize], column.codes()[row as usize]);
    rows.sort_unstable_by_key(|&row| (held(row), row));
    let missing = column.domain().missing();
    let repeated = |pair: &&[u32]| held(pair[0]) == held(pair[1]) && Some(held(pair[0]).1) != missing;
    match rows.windows(2).find(repeated) {
        None => Ok(()),
        Some(pair) => {
            let message = format!("column \"{}\": a person has the same value twice", column.name());
            Err(Error::data(message)
                .line(u64::from(pair[1]) + 2)
                .help("in a set each counts once: drop the record, or use the case \"multiset\""))
        }
    }
}

/// Whose record each is.
fn owners(column: &Column) -> Result<Vec<u32>> {
    if let Some(missing) = column.domain().missing()
        && let Some(row) = column.codes().iter().position(|&code| code == missing)
    {
        let error = Error::data(format!("a record has no \"{}\", the column that says whose it is", column.name()));
        return Err(error.line(row as u64 + 2).help("fill it in, or leave the record out"));
    }
    Ok(column.codes().to_vec())
}

/// A group: how many people, and how often each value occurs.
pub(super) struct View<'a> {
    /// How many people.
    pub people: u64,
    /// Values, ascending, and how often each occurs.
    pub entries: &'a [(u32, u64)],
    /// How often, the most frequent first.
    pub descending: &'a [u64],
}

/// Looks at a group with so many people and these counts.
pub(super) fn look_at<T>(people: u64, counts: &BTreeMap<u32, u64>, look: impl FnOnce(&View<'_>) -> T) -> T {
    let entries: SmallVec<[(u32, u64); 16]> = counts.iter().map(|(value, count)| (*value, *count)).collect();
    let mut descending: SmallVec<[u64; 16]> = entries.iter().map(|entry| entry.1).collect();
    descending.sort_unstable_by(|a, b| b.cmp(a));
    look(&View { people, entries: &entries, descending: &descending })
}

/// The most frequent values of a group, some number of them.
pub(super) struct Most {
    /// Whoever occurs as often is one of them.
    from: u64,
    /// How often they occur together.
    sum: u64,
    /// With the next one.
    and_next: u64,
}

impl Most {
    /// How often the most frequent values besides one that occurs so often occur together.
    #[inline(always)]
    pub(super) fn besides(&self, own: u64) -> u64 {
        if own >= self.from { self.and_next - own } else { self.sum }
    }
}

impl View<'_> {
    /// The `l` most frequent values.
    pub(super) fn most_frequent(&self, l: u64) -> Most {
        let l = self.descending.len().min(usize::try_from(l).unwrap_or(usize::MAX));
        let sum = self.descending[..l].iter().sum();
        let from = if l == 0 { u64::MAX } else { self.descending[l - 1] };
        Most { from, sum, and_next: sum + self.descending.get(l).copied().unwrap_or(0) }
    }

    /// What the group tells about a value with this count.
    pub(super) fn shape(&self, case: Case, own: u64, l: u64) -> Shape {
        let others = match case {
            Case::Set => {
                let mut skip = true;
                let others = self.descending.iter().filter(|&&count| {
                    let is_own = skip && count == own;
                    skip &= !is_own;
                    !is_own
                });
                others.take(usize::try_from(l).unwrap_or(usize::MAX)).copied().collect()
            }
            // Only their sum matters.
            _ => {
                let sum = self.most_frequent(l).besides(own);
                SmallVec::from_slice(&[sum])
            }
        };
        Shape { people: self.people, own, others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Counter;
    use crate::data::Table;

    fn count(people: &People, rows: &[usize]) -> (u64, Vec<(u32, u64)>) {
        let mut counter = Counter::new(people.domain());
        let group = counter.count(0, rows.iter().map(|&row| people.codes[row]));
        let mut counts = BTreeMap::new();
        let found = people.count(&group, &mut counts);
        (found, counts.into_iter().collect())
    }

    #[test]
    fn records_and_cells_tell_the_same() {
        let records = Table::new(vec![
            Column::from_values("who", ["ann", "bob", "ann", "bob", "bob"]),
            Column::from_values("s", ["flu", "flu", "aids", "flu", ""]),
        ])
        .unwrap();
        let cells = Table::new(vec![Column::from_values("s", ["flu; aids", "flu;flu"])]).unwrap();
        let repeated = People::new(&records, records.column("s").unwrap(), Case::Set, Several::Records("who"));
        assert!(repeated.is_err_and(|error| error.to_string().contains("twice")));
        let once = records.head(3);
        for (case, flu) in [(Case::Set, 2), (Case::Multiset, 3)] {
            let records = if case == Case::Set { &once } else { &records };
            let by_record = People::new(records, records.column("s").unwrap(), case, Several::Records("who")).unwrap();
            let by_cell = People::new(&cells, cells.column("s").unwrap(), case, Several::Cell(";")).unwrap();
            for (people, rows) in [(by_record, (0..records.rows()).collect()), (by_cell, vec![0, 1])] {
                assert_eq!(people.labels(), ["aids", "flu"]);
                assert_eq!(count(&people, &rows), (2, vec![(0, 1), (1, flu)]));
            }
        }
    }

    #[test]
    fn a_record_of_nobody_is_refused_with_its_line() {
        let text = "who,s\nann,flu\nbob,flu\nbob,cold\n,aids\n";
        let table = crate::data::csv::read_from(text.as_bytes(), &crate::data::ReadOptions::default()).unwrap();
        let of_nobody = People::new(&table, table.column("s").unwrap(), Case::Set, Several::Records("who"));
        let error = of_nobody.err().unwrap().to_string();
        assert!(error.contains("line 5") && error.contains("whose it is"), "{error}");
        let known = table.head(2);
        assert!(People::new(&known, known.column("s").unwrap(), Case::Set, Several::Records("who")).is_ok());
    }
}
