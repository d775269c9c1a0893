//! Exact quasi-identifiers with group numbers, and apart from them how often each group has which
//! sensitive value.

use super::{Recoded, Recoding, published_columns, rows_alone};
use crate::candidate::{Groups, dense_ids};
use crate::chance::Chance;
use crate::data::{COUNT, Column, GROUP, Role, Schema, Table, VALUE};
use crate::error::{Error, Result};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

/// What random choices are for.
const ROWS: u64 = 4;

/// Publishes the records of groups as they are, to be separated when written.
pub fn bucketize(table: &Table, schema: &Schema, groups: &Groups, recoding: Recoding) -> Result<Recoded> {
    let is_taken = |column: &&Column| [GROUP, VALUE, COUNT].contains(&column.name());
    if let Some(column) = published_columns(table, schema, recoding).find(is_taken) {
        let error = Error::plan(format!("a bucketized release has a column \"{}\" of its own", column.name()));
        return Err(error.help("rename the table's column"));
    }
    if schema.names(Role::Sensitive).is_empty() {
        let error = Error::plan(
            "a bucketized release separates sensitive values from the rest, and the plan has no sensitive column",
        );
        return Err(error.help("give a column the role \"sensitive\", or publish with form = \"generalized\""));
    }
    let row_of = groups.order().to_vec();
    let columns = rows_alone(&published_columns(table, schema, recoding).collect::<Vec<_>>(), &row_of, schema);
    let mut rows = 0..row_of.len() as u32;
    let lists: Vec<Vec<u32>> =
        (0..groups.len()).map(|group| rows.by_ref().take(groups.size(group)).collect()).collect();
    let suppressed = table.rows() - row_of.len();
    Ok(Recoded { groups: Groups::of_lists(&lists), table: Table::new(columns)?, row_of, suppressed })
}

/// The two tables. Groups are numbered by lot, and the rows of each group, in either table, are in
/// an order drawn by lot.
pub(super) fn written(recoded: &Recoded, schema: &Schema, chance: Chance) -> Result<Vec<(&'static str, Table)>> {
    let mut generator = chance.generator(ROWS)?;
    let mut order: Vec<usize> = (0..recoded.groups.len()).collect();
    order.shuffle(&mut generator);
    let is_sensitive = |column: &&Column| schema.find(column.name()).is_some_and(|spec| spec.role == Role::Sensitive);
    let (sensitive, open): (Vec<&Column>, Vec<&Column>) = recoded.table.columns().iter().partition(is_sensitive);
    let quasi = quasi_table(recoded, &open, &order, &mut generator)?;
    let sensitive = sensitive_table(recoded, &sensitive, &order, &mut generator)?;
    Ok(vec![("quasi", quasi), ("sensitive", sensitive)])
}

fn quasi_table(recoded: &Recoded, columns: &[&Column], order: &[usize], generator: &mut ChaCha20Rng) -> Result<Table> {
    let (mut rows, mut numbers) = (Vec::new(), Vec::new());
    for (number, &group) in (1u32..).zip(order) {
        let start = rows.len();
        rows.extend_from_slice(recoded.groups.rows(group));
        rows[start..].shuffle(generator);
        numbers.resize(rows.len(), number);
    }
    let mut columns: Vec<Column> = columns.par_iter().map(|column| column.rows(&rows)).collect();
    columns.push(numbered(GROUP, &numbers));
    Table::new(columns)
}

fn sensitive_table(
    recoded: &Recoded,
    columns: &[&Column],
    order: &[usize],
    generator: &mut ChaCha20Rng,
) -> Result<Table> {
    let coded: Vec<(&[u32], usize)> = columns.iter().map(|column| (column.codes(), column.domain().len())).collect();
    let (combination, _) = dense_ids(&coded, recoded.table.rows());
    let (mut rows, mut numbers, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for (number, &group) in (1u32..).zip(order) {
        let mut own = recoded.groups.rows(group).to_vec();
        own.sort_unstable_by_key(|&row| combination[row as usize]);
        let mut values: Vec<(u32, u32)> = own
            .chunk_by(|&a, &b| combination[a as usize] == combination[b as usize])
            .map(|same| (same[0], same.len() as u32))
            .collect();
        values.shuffle(generator);
        for (row, count) in values {
            rows.push(row);
            numbers.push(number);
            counts.push(count);
        }
    }
    let mut table = vec![numbered(GROUP, &numbers)];
    for column in columns {
        let published = column.rows(&rows);
        let name = if columns.len() == 1 { VALUE } else { column.name() };
        table.push(Column::new(name, published.codes().to_vec(), published.domain().clone()));
    }
    table.push(numbered(COUNT, &counts));
    Table::new(table)
}

/// A column of whole numbers.
fn numbered(name: &str, numbers: &[u32]) -> Column {
    let mut different = numbers.to_vec();
    different.sort_unstable();
    different.dedup();
    let labels = Column::from_values(name, different.iter().map(u32::to_string));
    let code = |number: &u32| labels.codes()[different.partition_point(|known| known < number)];
    Column::new(name, numbers.par_iter().map(code).collect(), labels.domain().clone())
}
