//! A table as somebody else counted it: distinct vectors of codes, and how many records have each.
//!
//! Groups, histograms, criteria and metrics of levels need no more. So what decides on levels reads
//! [`Records`]: the rows of a table, or the vectors of [`Counts`], each of which stands for several
//! records.

use super::dense_ids;
use crate::data::{Column, Domain, Role, Schema, Table};
use crate::error::{Error, Result};
use std::borrow::Cow;

/// Distinct vectors of codes with the number of records that have each.
///
/// Domains are those of the whole data and sorted here, so that codes mean the same for everybody
/// ([`Column::from_values`] of the distinct values makes one). Vectors may repeat: their counts add
/// up.
///
/// ```
/// use sfumato::candidate::Counts;
/// use sfumato::data::Column;
///
/// let of = |name: &str, values: [&str; 2]| {
///     (name.to_string(), Column::from_values(name, values).domain().clone())
/// };
/// let (zip, disease) = (of("zip", ["13053", "13068"]), of("disease", ["cancer", "flu"]));
/// let codes = vec![vec![0, 0, 1], vec![0, 1, 1]];
/// let counts = Counts::new(vec![zip, disease], codes, vec![3, 4, 5_000_000_000])?;
/// assert_eq!(counts.records(), 5_000_000_007);
/// # Ok::<(), sfumato::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    vectors: Table,
    counts: Vec<u64>,
    records: u64,
}

/// So many records can be decided on: products of two such numbers and a domain fit 128 bits.
pub const MOST_RECORDS: u64 = 1 << 48;

impl Counts {
    /// Columns by name and domain; for each column the codes of all vectors; and the count of each
    /// vector. Refuses codes outside of their domain, a vector that nobody has, and more than
    /// [`MOST_RECORDS`].
    pub fn new(columns: Vec<(String, Domain)>, codes: Vec<Vec<u32>>, counts: Vec<u64>) -> Result<Counts> {
        if codes.len() != columns.len() {
            return Err(Error::data(format!("{} columns, and codes of {}", columns.len(), codes.len())));
        }
        if u32::try_from(counts.len()).is_err() {
            let error = Error::data(format!("{} vectors are too many", counts.len()));
            return Err(error.help("count on coarser levels of the quasi-identifiers"));
        }
        let coded = columns.into_iter().zip(codes).map(|((name, domain), codes)| {
            if codes.len() != counts.len() {
                let message = format!("column \"{name}\" has {} codes for {} vectors", codes.len(), counts.len());
                return Err(Error::data(message));
            }
            match codes.iter().position(|&code| code as usize >= domain.len()) {
                None => Ok(Column::new(name, codes, domain)),
                Some(at) => {
                    let message = format!("column \"{name}\": the code of vector {} is not in its domain", at + 1);
                    Err(Error::data(message))
                }
            }
        });
        let vectors = Table::new(coded.collect::<Result<_>>()?)?;
        if let Some(at) = counts.iter().position(|&count| count == 0) {
            let error = Error::data(format!("vector {} has no record", at + 1));
            return Err(error.help("leave out vectors that nobody has"));
        }
        let records = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        let records = records.filter(|&records| records <= MOST_RECORDS).ok_or_else(|| {
            Error::data(format!("the counts add up to more than {MOST_RECORDS} records"))
                .help("more than that cannot be decided exactly")
        })?;
        Ok(Counts { vectors, counts, records })
    }

    /// Counts the quasi-identifiers and sensitive columns of a table.
    pub fn of_table(table: &Table, schema: &Schema) -> Result<Counts> {
        let mut columns = schema.select(table, Role::Quasi)?;
        columns.extend(schema.select(table, Role::Sensitive)?);
        let coded: Vec<_> = columns.iter().map(|column| (column.codes(), column.domain().len())).collect();
        let (ids, count) = dense_ids(&coded, table.rows());
        let mut counts = vec![0; count];
        let mut row_of = vec![0; count];
        for (row, &id) in ids.iter().enumerate() {
            counts[id as usize] += 1;
            row_of[id as usize] = row;
        }
        let codes = columns.iter().map(|column| row_of.iter().map(|&row| column.codes()[row]).collect()).collect();
        let domains = columns.iter().map(|column| (column.name().to_string(), column.domain().clone())).collect();
        Counts::new(domains, codes, counts)
    }

    /// The columns, each with a code for every vector.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        self.vectors.columns().iter()
    }

    /// How many records have each vector.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// As criteria must see them: values in their declared order, and ways to write one number as
    /// one value of a sensitive column.
    pub fn prepare(&self, schema: &Schema) -> Result<Counts> {
        let described = self.columns().map(|column| Records::from(self).described(column).into_owned());
        schema.prepare(&Table::new(described.collect())?)?;
        Ok(Counts { vectors: schema.prepare(&self.vectors)?.into_owned(), ..self.clone() })
    }
}

/// What is decided on: rows, each of which is a record or stands for several.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    rows: &'a Table,
    counts: Option<&'a [u64]>,
}

impl<'a> From<&'a Table> for Records<'a> {
    fn from(rows: &'a Table) -> Self {
        Records { rows, counts: None }
    }
}

impl<'a> From<&'a Counts> for Records<'a> {
    fn from(counts: &'a Counts) -> Self {
        Records { rows: &counts.vectors, counts: Some(&counts.counts) }
    }
}

impl<'a> Records<'a> {
    /// The rows: records, or vectors that several records have.
    pub fn rows(&self) -> &'a Table {
        self.rows
    }

    /// How many records each row stands for; `None` if it is one.
    pub fn counts(&self) -> Option<&'a [u64]> {
        self.counts
    }

    /// How many records a row stands for.
    pub fn weight(&self, row: usize) -> u64 {
        self.counts.map_or(1, |counts| counts[row])
    }

    /// How many records some rows stand for.
    pub fn weight_of(&self, rows: &[u32]) -> u64 {
        self.counts.map_or(rows.len() as u64, |counts| rows.iter().map(|&row| counts[row as usize]).sum())
    }

    /// How many records there are.
    pub fn len(&self) -> u64 {
        self.counts.map_or(self.rows.rows() as u64, |counts| counts.iter().sum())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.rows() == 0
    }

    /// How many records have each value of a column.
    pub fn counts_of(&self, column: &Column) -> Vec<u64> {
        let Some(counts) = self.counts else { return column.counts() };
        let mut sums = vec![0; column.domain().len()];
        column.codes().iter().zip(counts).for_each(|(&code, count)| sums[code as usize] += count);
        sums
    }

    /// A column as hierarchies are bound to it. That of counts has no rows: messages then tell a
    /// value's place in its domain, for there is no record that could be named.
    pub fn described<'c>(&self, column: &'c Column) -> Cow<'c, Column> {
        match self.counts {
            None => Cow::Borrowed(column),
            Some(_) => Cow::Owned(Column::new(column.name(), Vec::new(), column.domain().clone())),
        }
    }

    /// What messages call a row, counted from 0.
    pub fn row_name(&self, row: usize) -> String {
        format!("{} {}", if self.counts.is_some() { "vector" } else { "record" }, row + 1)
    }
}
