//! Recoding: from the table and a decision to the table that is published.
//!
//! Quasi-identifiers are replaced by their labels on the chosen levels, identifiers and unnamed columns are left out, suppressed records are withheld or starred. Rows are put in
//! the order of their published values, so that their order tells nothing that the values do not.

use crate::candidate::{Counter, Groups, Histogram};
use crate::criterion::Bound;
use crate::data::hierarchy::TOP;
use crate::data::{Column, ColumnSpec, Role, Schema, Table};
use crate::error::Result;
use rayon::prelude::*;

/// What becomes of suppressed records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suppressed {
    /// They are left out; only their number is stated.
    #[default]
    Withheld,
    /// They are published with `*` in every column.
    Starred,
}

/// What becomes of insensitive columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Insensitive {
    /// Published as they are.
    #[default]
    Keep,
    /// Left out.
    Drop,
}

/// How to recode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recoding {
    /// What becomes of suppressed records.
    pub suppressed: Suppressed,
    /// What becomes of insensitive columns.
    pub insensitive: Insensitive,
}

impl Recoding {
    /// Whether a column of the plan is published.
    pub fn publishes(self, spec: &ColumnSpec) -> bool {
        match spec.role {
            Role::Quasi | Role::Sensitive => true,
            Role::Insensitive => self.insensitive == Insensitive::Keep,
            Role::Identifier => false,
        }
    }
}

/// A recoded table.
#[derive(Clone, Debug)]
pub struct Recoded {
    /// The published records, without starred ones.
    pub table: Table,
    /// Published records that look alike.
    pub groups: Groups,
    /// For each published record its row in the original. Never published.
    pub row_of: Vec<u32>,
    /// How many records were suppressed.
    pub suppressed: usize,
}

impl Recoded {
    /// The table as it is written: suppressed records follow as stars, if they are to be seen.
    pub fn written(&self, recoding: Recoding) -> Result<Table> {
        if recoding.suppressed == Suppressed::Withheld || self.suppressed == 0 {
            return Ok(self.table.clone());
        }
        let starred = |column: &Column| {
            let values = (0..self.table.rows()).map(|row| column.value(row));
            Column::from_values(column.name(), values.chain(std::iter::repeat_n(TOP, self.suppressed)))
        };
        Table::new(self.table.columns().iter().map(starred).collect())
    }
}

/// Generalizes every quasi-identifier to its level and suppresses the groups that violate a criterion. The criteria are bound to the table; groups are formed anew from the
/// generalized values, whatever a search believed.
pub fn generalize(
    table: &Table,
    schema: &Schema,
    bound: &[Bound],
    levels: &[usize],
    recoding: Recoding,
) -> Result<Recoded> {
    let quasi = schema.select(table, Role::Quasi)?;
    let coarse: Vec<Column> = quasi
        .par_iter()
        .zip(levels)
        .map(|(column, &level)| Ok(schema.quasi_hierarchy(column)?.generalize(column, level)))
        .collect::<Result<_>>()?;
    let groups = Groups::by_columns(&coarse.iter().collect::<Vec<_>>(), table.rows());
    let violating = violating(table, bound, &groups)?;
    let mut is_kept = vec![true; table.rows()];
    for group in (0..groups.len()).filter(|&group| violating[group]) {
        groups.rows(group).iter().for_each(|&row| is_kept[row as usize] = false);
    }
    let published = |column: &Column| schema.find(column.name()).is_some_and(|spec| recoding.publishes(spec));
    let columns: Vec<&Column> = table
        .columns()
        .iter()
        .filter(|column| published(column))
        .map(|column| coarse.iter().find(|coarse| coarse.name() == column.name()).unwrap_or(column))
        .collect();
    let row_of: Vec<u32> = in_order_of_values(&columns, table.rows()).filter(|&row| is_kept[row as usize]).collect();
    let published: Vec<Column> = columns.par_iter().map(|column| column.rows(&row_of)).collect();
    let table_out = Table::new(published)?;
    let groups = Groups::by_columns(&schema.select(&table_out, Role::Quasi)?, row_of.len());
    Ok(Recoded { groups, suppressed: table.rows() - row_of.len(), table: table_out, row_of })
}

/// Rows in the order of their values in all columns; rows that are alike in all of them stay as they are, which nobody sees.
fn in_order_of_values(columns: &[&Column], rows: usize) -> impl Iterator<Item = u32> {
    let groups = Groups::by_columns(columns, rows);
    let order: Vec<u32> = groups.order().to_vec();
    order.into_iter()
}

/// Whether each group violates a criterion.
fn violating(table: &Table, bound: &[Bound], groups: &Groups) -> Result<Vec<bool>> {
    let mut violating = vec![false; groups.len()];
    for bound in bound {
        let coded = bound.coded(table)?;
        violating.par_iter_mut().enumerate().for_each_init(
            || Counter::new(coded.map_or(0, |(_, domain)| domain)),
            |counter, (group, violating)| {
                let rows = groups.rows(group);
                let evidence = match coded {
                    None => bound.criterion.evidence(&Histogram::of_size(group, rows.len() as u64)),
                    Some((codes, _)) => {
                        bound.criterion.evidence(&counter.count(group, rows.iter().map(|&row| codes[row as usize])))
                    }
                };
                *violating |= !evidence.holds();
            },
        );
    }
    Ok(violating)
}
