//! The base method: one group, so that quasi-identifiers and sensitive values are published
//! independently of each other.
//!
//! **Finds** the one group of all records, if it is safe: what every other method must be better
//! than. **How**: nothing is chosen. **Class**: QI-only. What is published is the same whoever has
//! which value. **Reference**: Cormode, Srivastava, Li and Li 2010, Section 5.3.

use super::{ANATOMIZE, Build, Class, Grouping, Method, Replay, Replayer, Safety, Task, Transformation, View};
use crate::candidate::Groups;
use crate::error::Result;
use crate::kind::Kind;

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "base",
    summary: "One group of all records: quasi-identifiers and sensitive values independently of each other",
    reference: "Cormode et al. 2010, Section 5.3",
    params: &[ANATOMIZE],
    example: &[],
    build: |_| Box::new(Base),
};

struct Base;

impl Method for Base {
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        let rows: Vec<u32> = (0..task.table.rows() as u32).collect();
        let safe = Safety::new(task.table, task.bound)?.checker().holds(&rows);
        let whole = || Grouping { groups: Groups::of_lists(&[rows]), whole: None, withheld: 0, resolved: Vec::new() };
        Ok(safe.then(|| Transformation::Groups(whole())))
    }

    fn class(&self) -> Class {
        Class::QiOnly
    }

    fn replayer<'a>(&self, view: &View<'a>) -> Result<Option<Replayer<'a>>> {
        let groups = view.groups;
        Ok(Some(Box::new(move |group| Some(Replay::of_any_world(groups.rows(group))))))
    }
}
