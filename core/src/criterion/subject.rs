//! What a criterion reads of a record: one code.

use crate::candidate::{Coded, dense_ids};
use crate::data::{Column, Table};
use crate::error::{Error, Fault, Result};
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::collections::HashMap;

/// The coded column that a criterion reads.
pub enum Subject {
    /// None: sizes are enough.
    Nothing,
    /// A column of the table.
    Column(String),
    /// Combinations of several columns, or other codes for the values of one.
    Columns(Combinations),
    /// A code for each row of what the criterion is bound to, and how many codes there are: what is
    /// read depends on more than the published columns of the row.
    Rows(Vec<u32>, usize),
}

/// Codes of rows, and how many there may be.
#[derive(Clone, Debug)]
pub struct Codes<'a> {
    codes: Cow<'a, [u32]>,
    domain: usize,
}

impl Codes<'_> {
    /// The codes, and how many there may be.
    pub fn as_coded(&self) -> Coded<'_> {
        (&self.codes, self.domain)
    }

    /// How many codes there may be.
    pub fn domain(&self) -> usize {
        self.domain
    }
}

impl Subject {
    /// The codes of the rows of a table that has the columns and codes of the one it was bound to;
    /// `None` where sizes are enough.
    pub fn codes<'a>(&'a self, table: &'a Table) -> Result<Option<Codes<'a>>> {
        Ok(match self {
            Subject::Nothing => None,
            Subject::Column(name) => {
                let column = table.column(name)?;
                Some(Codes { codes: Cow::Borrowed(column.codes()), domain: column.domain().len() })
            }
            Subject::Columns(combinations) => {
                Some(Codes { codes: Cow::Owned(combinations.codes(table)?), domain: combinations.domain })
            }
            Subject::Rows(codes, domain) => Some(Codes { codes: Cow::Borrowed(codes), domain: *domain }),
        })
    }

    /// The same for some rows of the table.
    pub(super) fn part(&self, rows: &[u32]) -> Subject {
        match self {
            Subject::Nothing => Subject::Nothing,
            Subject::Column(name) => Subject::Column(name.clone()),
            Subject::Columns(combinations) => Subject::Columns(combinations.clone()),
            Subject::Rows(codes, domain) => {
                Subject::Rows(rows.iter().map(|&row| codes[row as usize]).collect(), *domain)
            }
        }
    }
}

/// Combinations of the codes of some columns, each with a code of its own.
#[derive(Clone, Debug)]
pub struct Combinations {
    columns: Vec<String>,
    /// For each column: from the number of what stands before it, and its code, to the next number.
    steps: Vec<HashMap<(u32, u32), u32, RandomState>>,
    domain: usize,
}

impl Combinations {
    /// The combinations that rows have, numbered in the order of their codes; and the number of
    /// each row's.
    pub fn of(columns: &[&Column], rows: usize) -> (Combinations, Vec<u32>) {
        let (mut ids, mut domain) = (vec![0; rows], usize::from(rows > 0));
        let mut steps = Vec::with_capacity(columns.len());
        for column in columns {
            let (next, count) = dense_ids(&[(&ids, domain), (column.codes(), column.domain().len())], rows);
            steps.push(
                ids.iter().zip(column.codes()).map(|(&id, &code)| (id, code)).zip(next.iter().copied()).collect(),
            );
            (ids, domain) = (next, count);
        }
        (Combinations { columns: columns.iter().map(|column| column.name().to_string()).collect(), steps, domain }, ids)
    }

    /// Other codes for the values of one column.
    pub fn of_values(column: &Column, code_of: &[u32], domain: usize) -> Combinations {
        let step = (0u32..).map(|code| (0, code)).zip(code_of.iter().copied()).collect();
        Combinations { columns: vec![column.name().to_string()], steps: vec![step], domain }
    }

    /// How many codes there are.
    pub fn domain(&self) -> usize {
        self.domain
    }

    /// The code of each row's combination.
    fn codes(&self, table: &Table) -> Result<Vec<u32>> {
        let mut ids = vec![0; table.rows()];
        for (name, step) in self.columns.iter().zip(&self.steps) {
            for (id, &code) in ids.iter_mut().zip(table.column(name)?.codes()) {
                *id = *step.get(&(*id, code)).ok_or_else(|| {
                    let message = format!("column \"{name}\": values together that the criterion does not know");
                    Error::new(Fault::Internal, message)
                })?;
            }
        }
        Ok(ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_numbered_as_rows_are_and_found_in_any_order() {
        let a = Column::from_values("a", ["1", "2", "1", "2", "1"]);
        let b = Column::from_values("b", ["x", "y", "y", "x", "x"]);
        let coded = [(a.codes(), 2), (b.codes(), 2)];
        let (combinations, ids) = Combinations::of(&[&a, &b], 5);
        assert_eq!((ids.clone(), combinations.domain), dense_ids(&coded, 5));
        let table = Table::new(vec![b, a]).unwrap();
        assert_eq!(combinations.codes(&table).unwrap(), ids);
        assert_eq!(combinations.codes(&table.part(&[3, 0])).unwrap(), [ids[3], ids[0]]);
    }
}
