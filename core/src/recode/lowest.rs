//! The lowest levels that a plan permits: what a method that forms groups of records may tell
//! apart, and what a bucketized release shows of quasi-identifiers.

use super::Form;
use crate::data::hierarchy::{Hierarchy, Lifted};
use crate::data::{Column, ColumnSpec, Role, Schema, Table};
use crate::error::Result;
use std::collections::HashSet;
use std::sync::Arc;

/// The table and the schema on the lowest permitted levels, as far as they differ from the
/// original.
///
/// *Generalized*: a value is replaced by the first one under the same label, so that values that no
/// label may tell apart are one value to the method, and numbers stay numbers. This is never
/// published.
/// *Bucketized*: a value is replaced by its label, which is what is published; numbers and dates
/// keep their order as a declared one, so that whoever replays the method has it too.
#[derive(Clone, Default)]
pub struct Lowest {
    table: Option<Table>,
    schema: Option<Schema>,
}

impl Lowest {
    /// Of the quasi-identifiers of a table.
    pub fn new(table: &Table, schema: &Schema, form: Form) -> Result<Lowest> {
        let mut lowest = Lowest::default();
        for column in schema.select(table, Role::Quasi)? {
            let level = match form {
                Form::Generalized => finest_level(column, schema)?,
                Form::Bucketized => schema.level_range(column)?.0,
            };
            if level == 0 {
                continue;
            }
            let hierarchy = schema.quasi_hierarchy(column)?;
            let coarse = match form {
                Form::Generalized => {
                    Column::new(column.name(), firsts(column, &hierarchy, level), column.domain().clone())
                }
                Form::Bucketized => {
                    let (coarse, spec) = labelled(column, schema, &hierarchy, level)?;
                    lowest.schema = Some(lowest.schema(schema).clone().with_spec(spec));
                    coarse
                }
            };
            lowest.table = Some(lowest.table(table).clone().with_column(coarse)?);
        }
        Ok(lowest)
    }

    /// The table, given the original.
    pub fn table<'t>(&'t self, original: &'t Table) -> &'t Table {
        self.table.as_ref().unwrap_or(original)
    }

    /// The schema, given the original.
    pub fn schema<'t>(&'t self, original: &'t Schema) -> &'t Schema {
        self.schema.as_ref().unwrap_or(original)
    }
}

/// The level whose labels are the finest that one label of a group is made of: the lowest permitted
/// one. Where intervals are joined to ranges it is the first level even if values themselves are
/// permitted, or hierarchies would mean nothing; but not where that is the top already, nor where a
/// group is given one number.
pub(super) fn finest_level(column: &Column, schema: &Schema) -> Result<usize> {
    let (low, _) = schema.level_range(column)?;
    let is_joined = schema.find(column.name()).is_some_and(|spec| spec.center.is_none());
    let joins = low == 0 && is_joined && schema.interval_rule(column).is_some();
    Ok(if joins && schema.quasi_hierarchy(column)?.height() > 1 { 1 } else { low })
}

/// For each row the first code with the same label on a level.
fn firsts(column: &Column, hierarchy: &Hierarchy, level: usize) -> Vec<u32> {
    let mut first = vec![u32::MAX; hierarchy.labels(level).len()];
    let labels = hierarchy.codes(level);
    (0u32..).zip(labels).for_each(|(code, &label)| first[label as usize] = first[label as usize].min(code));
    column.codes().iter().map(|&code| first[labels[code as usize] as usize]).collect()
}

/// The column with its labels on a level, and what is said of it then.
fn labelled(column: &Column, schema: &Schema, hierarchy: &Hierarchy, level: usize) -> Result<(Column, ColumnSpec)> {
    let coarse = hierarchy.generalize(column, level);
    let mut spec = ColumnSpec::new(column.name(), Role::Quasi);
    spec.rule = Some(Arc::new(Lifted::new(hierarchy, level)));
    let is_ordered = column.domain().value_type().is_ordered()
        || schema.find(column.name()).is_some_and(|spec| !spec.order.is_empty());
    if !is_ordered {
        return Ok((coarse, spec));
    }
    // Labels that no row has are left out: they would be read off the certificate.
    let mut left: HashSet<&str> = coarse.domain().labels().iter().collect();
    let present = (0..column.domain().len() as u32).filter(|code| column.domain().missing() != Some(*code));
    // Readers of a release know no missing values: there they are values like others, the last
    // ones.
    let labels = present.chain(column.domain().missing()).map(|code| hierarchy.label(level, code));
    spec.order = labels.filter(|label| left.remove(label)).map(str::to_string).collect();
    Ok((coarse.in_order(&spec.order)?, spec))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy;
    use crate::kind::Raw;

    fn ages(levels: Option<(usize, usize)>) -> (Table, Schema) {
        let widths = Raw::List(["5", "10"].map(|width| Raw::Number(width.into())).to_vec());
        let mut spec = ColumnSpec::new("age", Role::Quasi);
        spec.rule = Some(hierarchy::rule(&[("intervals", widths)], ".".as_ref()).unwrap().into());
        spec.levels = levels;
        let table = Table::new(vec![Column::from_values("age", ["101", "23", "24", "21", "9"])]).unwrap();
        (table, Schema::new(vec![spec]))
    }

    fn values(lowest: &Lowest, table: &Table) -> Vec<String> {
        let column = lowest.table(table).columns()[0].clone();
        (0..table.rows()).map(|row| column.value(row).to_string()).collect()
    }

    #[test]
    fn generalized_ages_are_told_apart_by_intervals_and_stay_numbers() {
        for levels in [None, Some((1, 3))] {
            let (table, schema) = ages(levels);
            let lowest = Lowest::new(&table, &schema, Form::Generalized).unwrap();
            assert_eq!(values(&lowest, &table), ["101", "21", "21", "21", "9"]);
        }
        let (table, schema) = ages(Some((2, 3)));
        assert_eq!(values(&Lowest::new(&table, &schema, Form::Generalized).unwrap(), &table)[2], "21");
    }

    #[test]
    fn bucketized_ages_are_labels_in_the_order_of_ages() {
        let (table, schema) = ages(Some((1, 3)));
        let lowest = Lowest::new(&table, &schema, Form::Bucketized).unwrap();
        assert_eq!(values(&lowest, &table), ["100-104", "20-24", "20-24", "20-24", "5-9"]);
        assert_eq!(lowest.schema(&schema).find("age").unwrap().order, ["5-9", "20-24", "100-104"]);
        assert_eq!(lowest.table(&table).columns()[0].codes(), [2, 1, 1, 1, 0]);
        let (table, schema) = ages(Some((0, 3)));
        assert_eq!(Lowest::new(&table, &schema, Form::Bucketized).unwrap().table(&table), &table);
    }
}
