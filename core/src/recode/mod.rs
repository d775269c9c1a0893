//! Recoding: from the table and a decision to what is published.
//!
//! *Generalized*: quasi-identifiers are replaced by their labels on the chosen levels, or by one
//! label for the values of a group, or by their mean or median. Rows are put in the order of their published values, so that
//! their order tells nothing that the values do not. *Bucketized*: quasi-identifiers stay as they
//! are, and sensitive values are published apart from them, group by group; groups and their rows
//! are in an order drawn by lot. Either way identifiers and unnamed columns are left out, and
//! suppressed records are withheld or starred.

mod bucketize;
mod center;
mod local;
mod lowest;
mod recipe;

pub use bucketize::bucketize;
pub use center::center_of;
pub use local::Labels;
pub use lowest::Lowest;
pub use recipe::{Recipe, Relabelled};

use crate::candidate::{Coded, Counter, Groups, Histogram, Records};
use crate::chance::Chance;
use crate::criterion::{Bound, Codes, Criterion, Evidence};
use crate::data::hierarchy::TOP;
use crate::data::{Column, ColumnSpec, Role, Schema, Table};
use crate::error::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What becomes of suppressed records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

/// The form of a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// One table with coarser quasi-identifiers.
    #[default]
    Generalized,
    /// Exact quasi-identifiers with group numbers in one table, the sensitive values of each group
    /// in another.
    Bucketized,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 2] = [Form::Generalized, Form::Bucketized];

    /// The word in plans and certificates.
    pub fn name(self) -> &'static str {
        match self {
            Form::Generalized => "generalized",
            Form::Bucketized => "bucketized",
        }
    }
}

/// How to recode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recoding {
    /// What becomes of suppressed records.
    pub suppressed: Suppressed,
    /// What becomes of insensitive columns.
    pub insensitive: Insensitive,
    /// The form of the release.
    pub form: Form,
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

    /// The columns of the plan that are published.
    fn published(self, schema: &Schema) -> Vec<Published> {
        let is_open =
            |spec: &ColumnSpec| spec.role != Role::Quasi && spec.value_type.is_none() && spec.order.is_empty();
        let published = schema.columns().iter().filter(|spec| self.publishes(spec));
        published.map(|spec| Published { name: spec.name.clone(), is_retyped: is_open(spec) }).collect()
    }
}

/// A column that is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Its name.
    pub name: String,
    /// Whether its type and the order of its values follow from published values alone. That is so
    /// of every column that is no quasi-identifier and of which the plan says neither.
    pub is_retyped: bool,
}

/// A recoded table.
#[derive(Clone, Debug)]
pub struct Recoded {
    /// The published records, without starred ones.
    pub table: Table,
    /// Published records that look alike; in a bucketized release those that share a group number.
    pub groups: Groups,
    /// For each published record its row in the original. Never published.
    pub row_of: Vec<u32>,
    /// How many records were suppressed.
    pub suppressed: usize,
}

impl Recoded {
    /// The tables as they are written, with their names. In a generalized release suppressed
    /// records follow as stars, if they are to be seen.
    pub fn written(&self, schema: &Schema, recoding: Recoding, chance: Chance) -> Result<Vec<(&'static str, Table)>> {
        if recoding.form == Form::Bucketized {
            return bucketize::written(self, schema, chance);
        }
        if recoding.suppressed == Suppressed::Withheld || self.suppressed == 0 {
            return Ok(vec![("data", self.table.clone())]);
        }
        let starred = |column: &Column| {
            let values = (0..self.table.rows()).map(|row| column.value(row));
            Column::from_values(column.name(), values.chain(std::iter::repeat_n(TOP, self.suppressed)))
        };
        Ok(vec![("data", Table::new(self.table.columns().iter().map(starred).collect())?)])
    }
}

/// Generalizes every quasi-identifier to its level and suppresses the groups that violate a
/// criterion. The criteria are bound to the table; groups are formed anew from the generalized
/// values, whatever a search believed.
pub fn generalize(
    table: &Table,
    schema: &Schema,
    bound: &[Bound],
    levels: &[usize],
    recoding: Recoding,
) -> Result<Recoded> {
    Recipe::new(table, schema, bound, levels, recoding)?.apply(table)
}

/// Gives the values of each group one label. Groups are formed anew from the labels: some may be
/// the same for several groups.
pub fn generalize_groups(table: &Table, schema: &Schema, groups: &Groups, recoding: Recoding) -> Result<Recoded> {
    let quasi = schema.select(table, Role::Quasi)?;
    let coarse: Vec<Column> = quasi
        .par_iter()
        .map(|column| Ok(Labels::new(column, schema, groups)?.column(column, groups)))
        .collect::<Result<_>>()?;
    let mut is_kept = vec![false; table.rows()];
    groups.order().iter().for_each(|&row| is_kept[row as usize] = true);
    published(table, &recoding.published(schema), &coarse, is_kept)
}

/// The rows that are kept, with coarser quasi-identifiers, in the order of their values.
fn published(table: &Table, own: &[Published], coarse: &[Column], is_kept: Vec<bool>) -> Result<Recoded> {
    let mut columns = published_columns(table, own);
    for (column, _) in &mut columns {
        *column = coarse.iter().find(|coarse| coarse.name() == column.name()).unwrap_or(column);
    }
    let kept: Vec<u32> = (0..table.rows() as u32).filter(|&row| is_kept[row as usize]).collect();
    let columns = rows_alone(&columns, &kept);
    let order = in_order_of_values(&columns.iter().collect::<Vec<_>>(), kept.len());
    let row_of: Vec<u32> = order.iter().map(|&at| kept[at as usize]).collect();
    let table_out = Table::new(columns.par_iter().map(|column| column.rows(&order)).collect())?;
    let quasi = coarse.iter().map(|column| table_out.column(column.name())).collect::<Result<Vec<_>>>()?;
    let groups = Groups::by_columns(&quasi, row_of.len());
    Ok(Recoded { groups, suppressed: table.rows() - row_of.len(), table: table_out, row_of })
}

/// The columns that are published, in the order of the table.
fn published_columns<'t, 'o>(table: &'t Table, own: &'o [Published]) -> Vec<(&'t Column, &'o Published)> {
    let known = |column: &'t Column| Some((column, own.iter().find(|own| own.name == column.name())?));
    table.columns().iter().filter_map(known).collect()
}

/// Some rows of columns, as if there had been no others. What is published of other columns than
/// quasi-identifiers must not depend on values that are not: neither the type that files state, nor
/// the order of rows.
fn rows_alone(columns: &[(&Column, &Published)], rows: &[u32]) -> Vec<Column> {
    let alone = |(column, own): &(&Column, &Published)| {
        let column = column.rows(rows);
        if own.is_retyped { column.retyped() } else { column }
    };
    columns.par_iter().map(alone).collect()
}

/// Rows in the order of their values in all columns; rows that are alike in all of them stay as
/// they are, which nobody sees.
fn in_order_of_values(columns: &[&Column], rows: usize) -> Vec<u32> {
    Groups::by_columns(columns, rows).order().to_vec()
}

/// Whether each group violates a criterion. Of a criterion that looks at several groups together,
/// if all of them violate it, those that do not hold among any others.
fn violating(records: Records<'_>, bound: &[Bound], groups: &Groups) -> Result<Vec<bool>> {
    let mut violating = vec![false; groups.len()];
    for bound in bound {
        let codes = bound.codes(records.rows())?;
        let read = Read { records, coded: codes.as_ref().map(Codes::as_coded), groups };
        let criterion = &*bound.criterion;
        if criterion.is_cross_group() && read.holds_together(criterion) {
            continue;
        }
        violating.par_iter_mut().enumerate().for_each_init(
            || read.counter(),
            |counter, (group, violating)| {
                *violating |= !read.with_histogram(group, counter, |one| criterion.holds_among(one));
            },
        );
    }
    Ok(violating)
}

/// What a criterion reads of groups.
struct Read<'a> {
    records: Records<'a>,
    coded: Option<Coded<'a>>,
    groups: &'a Groups,
}

impl Read<'_> {
    fn holds_together(&self, criterion: &dyn Criterion) -> bool {
        let (mut evidence, mut counter) = (Evidence::none(), self.counter());
        for group in 0..self.groups.len() {
            self.with_histogram(group, &mut counter, |one| criterion.gather(&mut evidence, one, 1));
        }
        criterion.verdict(&evidence).holds
    }

    fn counter(&self) -> Counter {
        Counter::new(self.coded.map_or(0, |(_, domain)| domain))
    }

    fn with_histogram<T>(&self, group: usize, counter: &mut Counter, look: impl FnOnce(&Histogram<'_>) -> T) -> T {
        let rows = self.groups.rows(group);
        let Some((codes, _)) = self.coded else {
            return look(&Histogram::of_size(group, self.records.weight_of(rows)));
        };
        match self.records.counts() {
            None => look(&counter.count(group, rows.iter().map(|&row| codes[row as usize]))),
            Some(counts) => {
                look(&counter.add(group, rows.iter().map(|&row| (codes[row as usize], counts[row as usize]))))
            }
        }
    }
}
