//! What a method would have done with other sensitive values: the attacker who knows the method
//! counts in how many worlds it would have published what it did.
//!
//! A world gives every record of a published group one of the group's sensitive values. The method
//! is replayed on it: the tests that it would have made on parts of the group must have come out as
//! they did. What a test says depends on how many records of each part have which value, so records
//! are in *blocks*, and the parts of tests are made of blocks.

use crate::candidate::Groups;
use crate::data::{Schema, Table};
use crate::exact::Fraction;

/// What a method's choices depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Quasi-identifiers alone: every world is possible, nothing is learnt.
    QiOnly,
    /// Sensitive values alone, records with equal ones being chosen by lot: nothing is learnt.
    SaOnly,
    /// Both, but parts that differ in size by one record at most: hardly anything is learnt.
    EvenSplit,
    /// Both, with parts of different sizes or one after the other.
    Asymmetric,
}

impl Class {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::QiOnly => "QI-only",
            Class::SaOnly => "SA-only",
            Class::EvenSplit => "even-split",
            Class::Asymmetric => "asymmetric",
        }
    }
}

/// How a method came to one published group.
///
/// A world's weight is `passed` to the power of the number of tests that pass in it. A test passes
/// if all of its parts are safe. For a method that chooses nothing by lot `passed` is zero: had a
/// test passed, the group would have been divided there.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The rows of the group, in blocks; the method treats the rows of a block alike.
    pub blocks: Vec<Vec<u32>>,
    /// The tests; each a list of parts, each part a list of blocks.
    pub tests: Vec<Vec<Vec<u32>>>,
    /// The chance that the method goes on as if a test had failed although it passed.
    pub passed: Fraction,
    /// Whether tests on larger groups say more about this one, together with others: then its own
    /// tests are not all that an attacker has.
    pub coupled: bool,
}

impl Replay {
    /// Every world is as likely as every other.
    pub fn of_any_world(rows: &[u32]) -> Replay {
        Replay { blocks: vec![rows.to_vec()], tests: Vec::new(), passed: Fraction::ZERO, coupled: false }
    }
}

/// Groups that were tried and failed to be safe together: a division that runs through published
/// groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crossing {
    /// The groups.
    pub parts: Vec<CrossedPart>,
}

/// One of the groups of a division that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrossedPart {
    /// The published groups that are in it as a whole.
    pub whole: Vec<u32>,
    /// The records of others that are in it.
    pub rows: Vec<u32>,
}

/// Tells for each published group how the method came to it; nothing if that is too long a story.
pub type Replayer<'a> = Box<dyn Fn(usize) -> Option<Replay> + Sync + 'a>;

/// What an attacker sees who knows everybody's quasi-identifiers and who is in which group.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Records with their exact quasi-identifiers.
    pub table: &'a Table,
    /// Roles, hierarchies and types.
    pub schema: &'a Schema,
    /// The groups that the method formed. The order of rows within a group tells nothing.
    pub groups: &'a Groups,
    /// Whether every record that the method saw is there: none was withheld.
    pub complete: bool,
    /// How many records a group needs at least, whatever their values.
    pub least: u64,
}
