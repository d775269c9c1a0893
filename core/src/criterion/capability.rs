//! What a criterion may say of itself besides evidence and verdict, by whom it serves: data that
//! holds for all groups ([`Properties`]), and capabilities that look at a group or a value.
//!
//! All but [`CrossGroup`] are hints: whoever says less is right, and searches and attacks take
//! longer or decide less. `core/tests/suite/hints.rs` tries to refute each against every small
//! group.

use super::{About, Criterion, Knowledge, Limit};
use crate::candidate::Histogram;
use crate::exact::Fraction;

/// What holds of a criterion whatever the groups are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// What merging groups does to it.
    pub merging: Merging,
    /// How many records, and how many different values of its subject, a group needs at least to
    /// satisfy it. A search rules out whole parts of a lattice by this where the criterion itself
    /// does not survive growth.
    pub least: Least,
    /// The l such that everybody in one group satisfies it, wherever no value has more than one in
    /// l of all records and enough records are there: what suppression of frequent values must
    /// reach. `None` for a criterion that is not about how frequent the values of one column are.
    pub eligibility: Option<u64>,
    /// The share of a group that no value which needs protection may exceed, where a group is asked
    /// for nothing else: what theorems about frequency l-diversity are about, with l = 1/share.
    pub share: Option<Fraction>,
    /// Whether only counts matter, whatever values they are of, and a group that satisfies it still
    /// does after a record of a more frequent value takes on a less frequent one: then the most
    /// even counts satisfy it if any do.
    pub prefers_even: bool,
    /// Whether values count one by one: a group that has the least number of records satisfies it
    /// exactly if [`Pruning::rules_out`] says of no value that its count in a group of that size is
    /// too much.
    pub is_by_value: bool,
    /// What besides the groups it reads: how far a verdict can be repeated by somebody who has only
    /// the release.
    pub scope: Scope,
}

impl Properties {
    /// Of a criterion of which nothing else is known.
    pub const fn of(merging: Merging) -> Properties {
        Properties {
            merging,
            least: Least::ANY,
            eligibility: None,
            share: None,
            prefers_even: false,
            is_by_value: false,
            scope: Scope::Groups,
        }
    }

    /// Whether merging groups that satisfy it gives one that does.
    pub fn is_monotone(&self) -> bool {
        self.merging != Merging::MayViolate
    }

    /// Whether a group that satisfies it may take in *any* further records. That is more than being
    /// monotone, and what a search needs that may suppress records: there, a group that holds can
    /// be merged with one that does not.
    pub fn survives_growth(&self) -> bool {
        self.merging == Merging::SurvivesGrowth
    }
}

/// What merging groups does to a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// It may violate it.
    MayViolate,
    /// It keeps it where all parts satisfy it.
    Monotone,
    /// It keeps it where one part satisfies it.
    SurvivesGrowth,
}

/// What a criterion reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The groups alone.
    Groups,
    /// The groups, and how values are distributed in the whole table.
    Table,
    /// The groups, and how values depend on original quasi-identifiers.
    Original,
}

/// What a group needs at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Least {
    /// Records.
    pub size: u64,
    /// Different values.
    pub values: u64,
}

impl Least {
    /// What every group has.
    pub const ANY: Least = Least { size: 1, values: 1 };

    /// How many records that takes.
    pub fn records(self) -> u64 {
        self.size.max(self.values)
    }
}

/// Which capabilities a criterion has: what it can tell whom.
#[derive(Clone, Copy)]
pub struct Capabilities<'a> {
    /// For methods that decide group by group, where groups that hold one by one may violate the
    /// criterion together.
    pub cross_group: Option<&'a dyn CrossGroup>,
    /// For searches.
    pub pruning: Option<&'a dyn Pruning>,
    /// For attacks that count possible worlds.
    pub symmetry: Option<&'a dyn Symmetry>,
    /// For limits of attacks.
    pub promises: Option<&'a dyn Promises>,
}

impl Capabilities<'_> {
    /// None of them.
    pub const NONE: Capabilities<'static> =
        Capabilities { cross_group: None, pruning: None, symmetry: None, promises: None };
}

/// What a method needs that decides group by group.
pub trait CrossGroup {
    /// Whether it holds for one group beside whatever others: groups of which each says so satisfy
    /// the criterion together.
    fn holds_among(&self, group: &Histogram<'_>) -> bool;
}

/// What cannot hold, and need not be tried.
pub trait Pruning {
    /// How many records, at least, must be taken out of a group that violates it before the rest
    /// satisfies it or nothing is left. A search that may suppress records relies on it where the
    /// criterion is monotone: parts of the group that hold, merged, hold, so on every finer
    /// candidate at least that many of its records are suppressed: one in any case.
    fn least_removed(&self, _group: &Histogram<'_>) -> u64 {
        1
    }

    /// Whether no group of at most `size` records satisfies it in which at least `at_least` have
    /// this value.
    fn rules_out(&self, _code: u32, _at_least: u64, _size: u64) -> bool {
        false
    }

    /// The same of records that have one of several different values.
    fn rules_out_together(&self, codes: &[u32], at_least: u64, size: u64) -> bool {
        matches!(codes, [code] if self.rules_out(*code, at_least, size))
    }
}

/// What need not be told apart where possible worlds are counted.
pub trait Symmetry {
    /// Whether exchanging two values everywhere never changes the verdict.
    fn interchangeable(&self, a: u32, b: u32) -> bool;

    /// Whether, in every group of at least `size` records, records with this value that number at
    /// most `at_most` make no difference: neither how many there are, nor whether they have this
    /// value or another one of which the same is said.
    fn ignores(&self, _code: u32, _at_most: u64, _size: u64) -> bool {
        false
    }
}

/// What an attacker who knows something cannot exceed.
pub trait Promises {
    /// How far an attacker with this knowledge can believe, wherever the criterion holds; `None` if
    /// it promises nothing about that.
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit>;
}

/// What a capability says, and what follows where a criterion has none.
impl dyn Criterion + '_ {
    /// Whether groups that hold one by one may violate it together. Then the verdict is that of
    /// combined evidence, and a method that decides group by group asks `holds_among`.
    pub fn is_cross_group(&self) -> bool {
        self.capabilities().cross_group.is_some()
    }

    /// See [`CrossGroup::holds_among`]; for other criteria, whether it holds for the group.
    pub fn holds_among(&self, group: &Histogram<'_>) -> bool {
        match self.capabilities().cross_group {
            Some(criterion) => criterion.holds_among(group),
            None => self.holds(group),
        }
    }

    /// See [`Pruning::least_removed`].
    pub fn least_removed(&self, group: &Histogram<'_>) -> u64 {
        self.capabilities().pruning.map_or(1, |criterion| criterion.least_removed(group))
    }

    /// See [`Pruning::rules_out`].
    pub fn rules_out(&self, code: u32, at_least: u64, size: u64) -> bool {
        self.capabilities().pruning.is_some_and(|criterion| criterion.rules_out(code, at_least, size))
    }

    /// See [`Pruning::rules_out_together`].
    pub fn rules_out_together(&self, codes: &[u32], at_least: u64, size: u64) -> bool {
        self.capabilities().pruning.is_some_and(|criterion| criterion.rules_out_together(codes, at_least, size))
    }

    /// See [`Symmetry::interchangeable`].
    pub fn interchangeable(&self, a: u32, b: u32) -> bool {
        a == b || self.capabilities().symmetry.is_some_and(|criterion| criterion.interchangeable(a, b))
    }

    /// See [`Symmetry::ignores`].
    pub fn ignores(&self, code: u32, at_most: u64, size: u64) -> bool {
        self.capabilities().symmetry.is_some_and(|criterion| criterion.ignores(code, at_most, size))
    }

    /// See [`Promises::promise`].
    pub fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        self.capabilities().promises?.promise(about, knowledge)
    }
}
