//! Exploring a release: how much may somebody know before she is too sure?
//!
//! A criterion asks whether a release is safe against stated amounts of knowledge. The *knowledge
//! skyline* turns this round: for one sensitive value and one confidence it is all the largest
//! amounts (l, k, m) that the release is still safe against. Whoever knows more in any respect may
//! reach the confidence; [`Explorer::worst`] says about whom, and by knowing what.
//!
//! **Reference**: Chen, LeFevre and Ramakrishnan 2007, Sections 4.3 and 7.3 and Appendix A7. There
//! every amount costs a scan of the release; here one scan is made for all of them, and only the
//! few groups are kept that can be worst.
//!
//! ```
//! use sfumato::candidate::Groups;
//! use sfumato::criterion::Budget;
//! use sfumato::data::{Column, Table};
//! use sfumato::exact::Fraction;
//! use sfumato::explore::{Explorer, Values};
//!
//! // Figure 3 of the paper: two groups of four.
//! let table = Table::new(vec![
//!     Column::from_values("group", ["1", "1", "1", "1", "2", "2", "2", "2"]),
//!     Column::from_values("disease", ["AIDS", "Flu", "Flu", "AIDS", "Flu", "Cancer", "Flu", "AIDS"]),
//! ])?;
//! let groups = Groups::by_columns(&[table.column("group")?], table.rows());
//! let explorer = Explorer::new(&table, &groups, "disease", Values::One, "AIDS")?;
//! let skyline = explorer.skyline(Fraction::new(95, 100));
//! assert_eq!(skyline, [Budget::new(0, 1, 0), Budget::new(0, 0, 1)]);
//!
//! // Of four people two have AIDS, and one of the two others is known: two in three.
//! assert_eq!(explorer.breach(Budget::new(0, 1, 0)).unwrap().belief, 2.0 / 3.0);
//! # Ok::<(), sfumato::Error>(())
//! ```

mod front;
mod grounding;
mod scan;
mod surface;

pub use front::{Breach, Company};
pub use grounding::{Grounding, GroupPlace, KnownPeople, Share};
pub use surface::Surface;

use crate::candidate::Groups;
use crate::criterion::knowledge::odds;
use crate::criterion::people::Several;
use crate::criterion::{Budget, Case};
use crate::data::Table;
use crate::error::Result;
use crate::exact::Fraction;
use dashu_ratio::RBig;
use front::Front;
use scan::{GroupShape, Reader};

/// How many values people have, and where several are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values<'a> {
    /// One each.
    One,
    /// Different ones.
    Set(Several<'a>),
    /// Several, the same more than once.
    Multiset(Several<'a>),
}

impl Values<'_> {
    /// The case that they are.
    pub fn case(self) -> Case {
        match self {
            Values::One => Case::Single,
            Values::Set(_) => Case::Set,
            Values::Multiset(_) => Case::Multiset,
        }
    }
}

/// What knowledge tells about one sensitive value, in the groups of a release.
pub struct Explorer<'a> {
    column: &'a str,
    value: &'a str,
    case: Case,
    groups: &'a Groups,
    reader: Reader<'a>,
    /// The different groups that have the value.
    seen: Vec<GroupShape>,
}

/// Everything that reports tell about a value at a confidence.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The sensitive column.
    pub column: String,
    /// The sensitive value.
    pub value: String,
    /// How many values people have.
    pub case: Case,
    /// The belief that must not be reached.
    pub confidence: Fraction,
    /// People in all groups.
    pub people: u64,
    /// Groups.
    pub groups: usize,
    /// Groups that have the value. Without any, nothing can be known that would lead to it:
    /// everything is safe.
    pub having: u64,
    /// The highest belief of somebody who knows nothing; zero where the value does not occur.
    pub unaided: f64,
    /// What is safe.
    pub surface: Surface,
    /// The largest amounts of knowledge that are safe: the skyline.
    pub points: Vec<Budget>,
    /// The least that is not safe, and how it is used; nothing where the value does not occur.
    pub worst: Option<Grounding>,
    /// In which groups that is enough.
    pub exposed: Exposed,
}

/// How far an amount of knowledge reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exposed {
    /// Groups in which it is enough about somebody.
    pub groups: u64,
    /// People in them.
    pub people: u64,
}

impl<'a> Explorer<'a> {
    /// Looks at a value of a sensitive column, in groups of a table's rows. The table is as
    /// criteria see it ([`Schema::prepare`](crate::data::Schema::prepare)); not all rows need be in
    /// a group.
    pub fn new(
        table: &'a Table,
        groups: &'a Groups,
        column: &'a str,
        values: Values<'a>,
        value: &'a str,
    ) -> Result<Explorer<'a>> {
        let reader = Reader::new(table, groups, table.column(column)?, values, value)?;
        let seen = reader.scan(groups);
        Ok(Explorer { column, value, case: values.case(), groups, reader, seen })
    }

    /// Whether anybody in a group has the value.
    pub fn occurs(&self) -> bool {
        !self.seen.is_empty()
    }

    /// How many groups that differ in what they tell about the value.
    pub fn different_groups(&self) -> usize {
        self.seen.len()
    }

    /// The highest belief that a budget leads to, and where; nothing where the value does not
    /// occur.
    pub fn breach(&self, budget: Budget) -> Option<Breach> {
        self.occurs().then(|| Front::new(self.case, &self.seen, budget.l).breach(budget))
    }

    /// The negated ratio at a budget, exactly: the highest belief is 1/(1 + it). Nothing where the
    /// value does not occur.
    pub fn negated_ratio(&self, budget: Budget) -> Option<RBig> {
        self.occurs().then(|| Front::new(self.case, &self.seen, budget.l).exact_ratio(budget))
    }

    /// Whether the highest belief at a budget is below a confidence, decided exactly.
    ///
    /// # Panics
    /// When the confidence is not above zero and at most one.
    pub fn is_safe(&self, budget: Budget, confidence: Fraction) -> bool {
        let odds = odds(confidence);
        !self.occurs() || Front::new(self.case, &self.seen, budget.l).exceeds(budget, odds)
    }

    /// For every l and m the largest safe k. Nothing is in it if nothing is safe, or if the value
    /// does not occur and everything is.
    ///
    /// # Panics
    /// When the confidence is not above zero and at most one.
    pub fn surface(&self, confidence: Fraction) -> Surface {
        Surface::new(self.case, &self.seen, odds(confidence))
    }

    /// The knowledge skyline: all budgets that are safe at a confidence while none that covers them
    /// is; by l, then by m.
    ///
    /// # Panics
    /// When the confidence is not above zero and at most one.
    pub fn skyline(&self, confidence: Fraction) -> Vec<Budget> {
        self.surface(confidence).points()
    }

    /// How a budget is used where it tells most: whom to ask about, and what to know. Nothing where
    /// the value does not occur.
    pub fn worst(&self, budget: Budget) -> Option<Grounding> {
        Some(Grounding::of(&self.breach(budget)?, self.case, &self.reader, self.groups))
    }

    /// In which groups a budget is enough to reach a confidence about somebody.
    ///
    /// # Panics
    /// When the confidence is not above zero and at most one.
    pub fn exposed(&self, budget: Budget, confidence: Fraction) -> Exposed {
        let odds = odds(confidence);
        if !self.occurs() {
            return Exposed::default();
        }
        let front = Front::new(self.case, &self.seen, budget.l);
        let reached = self.seen.iter().filter(|seen| !front.exceeds_at(seen, budget, odds));
        reached.fold(Exposed::default(), |sum, seen| Exposed {
            groups: sum.groups + seen.groups,
            people: sum.people + seen.groups * seen.shape.people,
        })
    }

    /// All of it: the skyline at a confidence, and the least knowledge beyond it.
    ///
    /// # Panics
    /// When the confidence is not above zero and at most one.
    pub fn explore(&self, confidence: Fraction) -> Exploration {
        let surface = self.surface(confidence);
        let least = surface.least_unsafe();
        Exploration {
            column: self.column.to_string(),
            value: self.value.to_string(),
            case: self.case,
            confidence,
            people: self.reader.people(self.groups),
            groups: self.groups.len(),
            having: self.seen.iter().map(|seen| seen.groups).sum(),
            unaided: self.breach(Budget::default()).map_or(0.0, |breach| breach.belief),
            points: surface.points(),
            worst: self.worst(least),
            exposed: self.exposed(least, confidence),
            surface,
        }
    }
}
