//! Bucketized releases: exact quasi-identifiers with a group number in one table, and the sensitive
//! values of each group with their counts in another.

use super::{Column, Role, Schema, Table};
use crate::error::{Error, Result};
use std::collections::HashMap;

/// The column of group numbers, in both tables.
pub const GROUP: &str = "group";
/// The column that holds counts in a table of sensitive values.
pub const COUNT: &str = "count";
/// What the sensitive column may be called where there is only one.
pub const VALUE: &str = "value";

/// One row per person from a table (group, value, count): the group column and the sensitive
/// columns. A table without counts is taken as it is. The value column may be called `value` where
/// the plan has one sensitive column.
///
/// ```
/// use sfumato::data::{Column, Schema, Table, one_row_per_person};
///
/// let counts = Table::new(vec![
///     Column::from_values("group", ["1", "1"]),
///     Column::from_values("disease", ["flu", "cancer"]),
///     Column::from_values("count", ["2", "1"]),
/// ])?;
/// let people = one_row_per_person(&counts, &Schema::of(&["zip"], &["disease"]), "group")?;
/// assert_eq!(people.rows(), 3);
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn one_row_per_person(table: &Table, schema: &Schema, group: &str) -> Result<Table> {
    table.column(group)?;
    // Only a table of sensitive values has counts: where there are quasi-identifiers, every row is
    // a person.
    let is_half = schema.names(Role::Quasi).iter().all(|name| *name == group || table.find(name).is_none());
    let counts = match table.find(COUNT).filter(|_| is_half && schema.find(COUNT).is_none()) {
        None => vec![1; table.rows()],
        Some(counts) => read_counts(counts)?,
    };
    let sensitive = schema.names(Role::Sensitive);
    let rows = || (0..table.rows()).flat_map(|row| std::iter::repeat_n(row, counts[row] as usize));
    let repeated = |name: &str, column: &Column| {
        let codes = rows().map(|row| column.codes()[row]).collect();
        Column::new(name, codes, column.domain().clone()).without_unused_values()
    };
    let mut columns = vec![repeated(group, table.column(group)?)];
    // The group column may itself be a quasi-identifier or sensitive.
    for name in sensitive.iter().filter(|name| **name != group) {
        let alias = table.find(VALUE).filter(|_| sensitive.len() == 1);
        let column = table.find(name).or(alias).map_or_else(|| table.column(name), Ok)?;
        columns.push(repeated(name, column));
    }
    let quasi = schema.names(Role::Quasi).into_iter().filter(|name| *name != group);
    columns.extend(quasi.filter_map(|name| Some(repeated(name, table.find(name)?))));
    Table::new(columns)
}

fn read_counts(column: &Column) -> Result<Vec<u64>> {
    let of_code: Vec<Option<u64>> = column.domain().labels().iter().map(|label| label.parse().ok()).collect();
    let mut total = 0u64;
    let mut counts = Vec::with_capacity(column.codes().len());
    for (row, &code) in column.codes().iter().enumerate() {
        let count = of_code[code as usize]
            .ok_or_else(|| Error::data(format!("column \"{COUNT}\": record {} holds no whole number", row + 1)))?;
        total = total.saturating_add(count);
        if total > u64::from(u32::MAX) {
            return Err(Error::data(format!("column \"{COUNT}\": the counts add up to more than {} people", u32::MAX)));
        }
        counts.push(count);
    }
    Ok(counts)
}

/// Puts a pair of tables together again: records with quasi-identifiers and sensitive values, and
/// the group of each. Which record of a group has which of its values is not told, so they are
/// dealt out in the order of the tables.
pub fn join_pair(quasi: &Table, sensitive: &Table, schema: &Schema, group: &str) -> Result<(Table, Column)> {
    let people = one_row_per_person(sensitive, schema, group)?;
    check_pair(quasi, &people, group)?;
    let (numbers, of_people) = (quasi.column(group)?, people.column(group)?);
    let mut waiting: HashMap<&str, Vec<u32>> = HashMap::new();
    for person in (0..people.rows()).rev() {
        waiting.entry(of_people.value(person)).or_default().push(person as u32);
    }
    let deal = |row: usize| waiting.get_mut(numbers.value(row)).and_then(Vec::pop).expect("the tables agree");
    let source: Vec<u32> = (0..quasi.rows()).map(deal).collect();
    let mut columns: Vec<Column> = quasi.columns().iter().filter(|column| column.name() != group).cloned().collect();
    columns.extend(people.columns().iter().filter(|column| column.name() != group).map(|column| column.rows(&source)));
    Ok((Table::new(columns)?, numbers.clone()))
}

/// Refuses a pair whose tables disagree about how many people a group has.
pub fn check_pair(quasi: &Table, people: &Table, group: &str) -> Result<()> {
    let sizes = |table: &Table| -> Result<HashMap<String, (u64, usize)>> {
        let column = table.column(group)?;
        let mut sizes = HashMap::new();
        for row in 0..table.rows() {
            sizes.entry(column.value(row).to_string()).or_insert((0, row)).0 += 1;
        }
        Ok(sizes)
    };
    let (in_quasi, in_people) = (sizes(quasi)?, sizes(people)?);
    let other = |name: &String| in_people.get(name).map_or(0, |(size, _)| *size);
    let wrong = in_quasi.iter().filter(|(name, (size, _))| other(name) != *size);
    if let Some((name, (size, row))) = wrong.min_by_key(|(_, (_, row))| *row) {
        let message = format!(
            "the group of record {} has {size} rows of quasi-identifiers and {} sensitive values",
            row + 1,
            other(name)
        );
        let help = "the tables must describe the same people; a column named `count` says how many have a value";
        return Err(Error::data(message).help(help));
    }
    if in_people.len() > in_quasi.len() {
        return Err(Error::data("the sensitive table has groups that the quasi-identifier table lacks"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, &[&str])]) -> Table {
        Table::new(columns.iter().map(|(name, values)| Column::from_values(*name, *values)).collect()).unwrap()
    }

    #[test]
    fn tables_that_disagree_are_refused() {
        let schema = Schema::of(&["zip"], &["disease"]);
        let quasi = table(&[("zip", &["1", "2", "3"]), ("group", &["1", "1", "2"])]);
        let good = table(&[("group", &["1", "2"]), ("value", &["flu", "flu"]), ("count", &["2", "1"])]);
        let bad = table(&[("group", &["1", "2"]), ("value", &["flu", "flu"]), ("count", &["1", "2"])]);
        let people = |counts| one_row_per_person(counts, &schema, "group").unwrap();
        assert!(check_pair(&quasi, &people(&good), "group").is_ok());
        assert!(check_pair(&quasi, &people(&bad), "group").is_err());
        assert_eq!(people(&good).column("disease").unwrap().value(0), "flu");
    }

    #[test]
    fn every_record_gets_a_value_of_its_group() {
        let schema = Schema::of(&["age"], &["disease"]);
        let quasi = table(&[("age", &["30", "40", "50"]), ("group", &["2", "1", "2"])]);
        let sensitive = |counts: &[&str]| {
            table(&[("group", &["1", "2", "2"]), ("value", &["flu", "gout", "flu"]), ("count", counts)])
        };
        let (joined, groups) = join_pair(&quasi, &sensitive(&["1", "1", "1"]), &schema, GROUP).unwrap();
        let disease = joined.column("disease").unwrap();
        assert_eq!((0..3).map(|row| disease.value(row)).collect::<Vec<_>>(), ["gout", "flu", "flu"]);
        assert_eq!((groups.value(0), groups.value(1), joined.columns().len()), ("2", "1", 2));
        for wrong in [["1", "1", "2"], ["1", "0", "1"], ["1", "1", "x"], ["2", "1", "1"], ["1", "1", "-1"]] {
            assert!(join_pair(&quasi, &sensitive(&wrong), &schema, GROUP).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn counts_must_be_counts() {
        let schema = Schema::of(&["zip"], &["disease"]);
        for wrong in ["-1", "x", "1.5", "9999999999"] {
            let counts = table(&[("group", &["1"]), ("disease", &["flu"]), ("count", &[wrong])]);
            assert!(one_row_per_person(&counts, &schema, "group").is_err(), "{wrong}");
        }
    }
}
