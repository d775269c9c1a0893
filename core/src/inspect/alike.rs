//! Values that differ only by case or blanks: a criterion counts them as different, people do not.

use crate::criterion::Requirement;
use crate::data::{Column, Table};
use crate::error::Result;
use std::collections::HashMap;

/// How many values of a column differ from others only by case or blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alike {
    /// Values that differ only so from at least one other.
    pub values: usize,
    /// How many they would be if they were merged.
    pub merged: usize,
}

/// Looks for values that differ only by case, by blanks around them, or by how many blanks stand
/// between words; `None` if there are none. A missing value is like no other.
///
/// ```
/// use sfumato::data::Column;
/// use sfumato::inspect::{Alike, alike};
///
/// let disease = Column::from_values("disease", ["HIV", "HIV ", "hiv", "flu"]);
/// assert_eq!(alike(&disease), Some(Alike { values: 3, merged: 1 }));
/// ```
pub fn alike(column: &Column) -> Option<Alike> {
    let domain = column.domain();
    let present = (0..domain.len() as u32).filter(|code| domain.missing() != Some(*code));
    let mut written: HashMap<String, usize> = HashMap::new();
    for code in present {
        *written.entry(normal(domain.label(code))).or_default() += 1;
    }
    let several = || written.values().filter(|&&ways| ways > 1);
    let found = Alike { values: several().sum(), merged: several().count() };
    (found.merged > 0).then_some(found)
}

/// What to say about such values of a column, with counts and never the values.
pub fn alike_note(column: &Column) -> Option<String> {
    alike(column).map(|found| {
        format!(
            "Column \"{}\" has {} values that differ only by case or blanks; merged they would be {}. A diversity \
             criterion counts them as different: merge them, or use trim = true for blanks around values.",
            column.name(),
            found.values,
            found.merged,
        )
    })
}

/// The same for every column of a table whose values a requirement counts.
pub fn alike_notes(table: &Table, requirements: &[Requirement]) -> Result<Vec<String>> {
    let mut counted: Vec<&str> = requirements.iter().flat_map(|wanted| wanted.on.iter().map(String::as_str)).collect();
    counted.sort_unstable();
    counted.dedup();
    let columns: Vec<&Column> = counted.into_iter().map(|name| table.column(name)).collect::<Result<_>>()?;
    Ok(columns.into_iter().filter_map(alike_note).collect())
}

/// A value in small letters, with single blanks between words and none around them.
fn normal(value: &str) -> String {
    value.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Domain, Schema, ValueType, sample};
    use crate::kind::Raw;

    fn found(values: &[&str]) -> Option<(usize, usize)> {
        alike(&Column::from_values("disease", values)).map(|found| (found.values, found.merged))
    }

    #[test]
    fn case_and_blanks_make_no_other_value() {
        assert_eq!(found(&["HIV", "HIV ", "hiv", "flu", "flu"]), Some((3, 1)));
        assert_eq!(found(&["heart  attack", "heart attack", "Flu", "FLU", "\tflu"]), Some((5, 2)));
        assert_eq!(found(&["ÜBELKEIT", "übelkeit"]), Some((2, 1)));
        assert_eq!(found(&["heart attack", "heartattack", "flu"]), None);
        assert_eq!(found(&["flu", "flu"]), None);
    }

    #[test]
    fn a_missing_value_is_like_no_other() {
        let written = Column::from_values("disease", ["N/A", "flu", "n/a"]);
        assert_eq!(alike(&written), Some(Alike { values: 2, merged: 1 }));
        let domain = Domain::new(written.domain().labels().clone(), ValueType::Text, Some(2));
        assert_eq!(alike(&Column::new("disease", written.codes().to_vec(), domain)), None);
    }

    #[test]
    fn only_columns_that_a_requirement_counts_are_noted() {
        let column = |name: &str| Column::from_values(name, ["a", "A", "b", "b", "B", "c"]);
        let table = sample::clinic().with_column(column("disease")).unwrap().with_column(column("drug")).unwrap();
        let schema = Schema::of(&["zip"], &["disease", "drug"]);
        let anonymity = Requirement::new("k-anonymity", &[("k", Raw::from("2"))], &[], &schema).unwrap();
        assert!(alike_notes(&table, std::slice::from_ref(&anonymity)).unwrap().is_empty());
        let on = ["drug".to_string()];
        let diversity = || Requirement::new("distinct-l-diversity", &[("l", Raw::from("2"))], &on, &schema).unwrap();
        let notes = alike_notes(&table, &[anonymity, diversity(), diversity()]).unwrap();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].contains("\"drug\" has 4 values") && notes[0].contains("would be 2"), "{notes:?}");
    }
}
