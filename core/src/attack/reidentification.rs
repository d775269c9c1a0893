//! Re-identification risk: the chance to pick a person's record, from the sizes of equivalence
//! classes alone.
//!
//! **Reference**: El Emam and Dankar 2008 (prosecutor, journalist, marketer).

use super::Target;
use crate::candidate::Groups;
use crate::data::{Role, Schema, Table};
use crate::error::Result;
use std::borrow::Cow;

/// How many records cannot be told apart, and what follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reidentification {
    /// Published records.
    pub records: u64,
    /// Equivalence classes: records that look alike.
    pub classes: u64,
    /// Records of the smallest class.
    pub smallest: u64,
    /// Records that no other equals.
    pub unique: u64,
}

impl Reidentification {
    /// From the sizes of classes; `None` if there is no record.
    ///
    /// ```
    /// let risk = sfumato::attack::Reidentification::of([2, 3, 5]).unwrap();
    /// assert_eq!((risk.prosecutor(), risk.marketer()), (0.5, 0.3));
    /// ```
    pub fn of(sizes: impl IntoIterator<Item = u64>) -> Option<Reidentification> {
        let sizes = sizes.into_iter().filter(|size| *size > 0);
        let one = |n| Reidentification { records: n, classes: 1, smallest: n, unique: u64::from(n == 1) };
        sizes.map(one).reduce(|a, b| Reidentification {
            records: a.records + b.records,
            classes: a.classes + b.classes,
            smallest: a.smallest.min(b.smallest),
            unique: a.unique + b.unique,
        })
    }

    /// Of published records with these groups.
    pub(crate) fn of_release(
        table: &Table,
        schema: &Schema,
        groups: &Groups,
        bucketized: bool,
    ) -> Result<Option<Self>> {
        let classes = classes(table, schema, groups, bucketized)?;
        Ok(Reidentification::of((0..classes.len()).map(|class| classes.size(class) as u64)))
    }

    /// The highest chance of an attacker who knows that the person is in the release. That of one
    /// who knows only that the person is in some population (journalist) is never higher.
    pub fn prosecutor(&self) -> f64 {
        1.0 / self.smallest as f64
    }

    /// The share of records that are linked to the right person if all are tried; also the mean of
    /// the prosecutor's chances.
    pub fn marketer(&self) -> f64 {
        self.classes as f64 / self.records as f64
    }
}

/// Records that nobody can tell apart by their published quasi-identifiers. In a bucketized release
/// those are exact, and a group number does not hide whose row it is.
fn classes<'t>(table: &Table, schema: &Schema, groups: &'t Groups, bucketized: bool) -> Result<Cow<'t, Groups>> {
    if !bucketized {
        return Ok(Cow::Borrowed(groups));
    }
    Ok(Cow::Owned(Groups::by_columns(&schema.select(table, Role::Quasi)?, table.rows())))
}

/// The same, of what an attacker works on.
pub(super) fn classes_of<'t>(target: &Target<'t>) -> Result<Cow<'t, Groups>> {
    classes(target.release, target.schema, target.groups, target.bucketized)
}
