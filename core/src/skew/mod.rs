//! Skewed sensitive values: where one value is too frequent, no grouping can hide it, so some of
//! its records must be withheld first.
//!
//! A table is *l-eligible* when no value has more than 1/l of its records; only then is there a
//! release in which no group has a value with more than 1/l. To withhold as few records as possible
//! tells which value was the frequent one: members of this family differ in how they keep that from
//! whoever knows them, and in what that costs.
//!
//! # Words
//!
//! Values are *ranked* by how many records have them, S1 first; ties are ranked by lot. F1 ≥ F2 ≥ …
//! are those numbers, m of them, n records in all. What is withheld is TS, what is left TP, n is
//! known to everybody, since |TS| is published. The question that an attacker asks is which value
//! of TP is S1.

pub mod calibrated;
mod deterministic;
mod levels;
pub mod r_suppression;
mod ranked;
pub mod safe_d;
pub mod unsafe_d;
mod worlds;

pub use ranked::{Ranked, Skewed};

use crate::error::Result;
use crate::kind::{self, Kind, Params};
use dashu_ratio::RBig;
use rand_chacha::ChaCha20Rng;

/// The ways to suppress: the bound that none can beat, then those that can be published, by how
/// much they withhold in most tables.
pub const KINDS: [&Kind<Build>; 4] = [&unsafe_d::KIND, &r_suppression::KIND, &calibrated::KIND, &safe_d::KIND];

/// The way to suppress that messages and drafts advise: it keeps to the limit, and never withholds
/// every record.
pub const ADVISED: &Kind<Build> = &calibrated::KIND;

/// Makes a way to suppress from checked parameters.
pub type Build = fn(&Params) -> Box<dyn Suppression>;

/// The way to suppress with a name; the error offers the nearest.
pub fn find(name: &str) -> Result<&'static Kind<Build>> {
    kind::find(&KINDS, "skew method", name)
}

/// A way to suppress, made: none takes parameters.
pub fn make(kind: &Kind<Build>) -> Box<dyn Suppression> {
    (kind.build)(&Params::default())
}

/// Decides how many records of each value are kept.
///
/// Obligations: no value keeps more than it has; what is kept is l-eligible, and has at least l
/// values that could be S1 (F_l′ + |TS| > n/l); `draw` gives each of `outcomes` with its chance;
/// `expected` is their mean. The tests of the family check each for every member.
pub trait Suppression: Send + Sync {
    /// How many records of each value are kept, by rank; random where that is the defence.
    fn draw(&self, table: &Skewed, generator: &mut ChaCha20Rng) -> Vec<u64>;

    /// How many records are withheld, in the mean, exactly.
    fn expected(&self, table: &Skewed) -> RBig;

    /// Everything that may come out, with its chance, if there are not more choices to make than
    /// `most`.
    fn outcomes(&self, table: &Skewed, most: u64) -> Option<Vec<PossibleDraw>>;

    /// How far somebody believes that each value of what is published is S1, in the same order.
    /// Exact; nothing if no table leads to it, or if that could not be counted.
    fn beliefs(&self, published: &PublishedCounts) -> Option<Vec<RBig>>;

    /// What the beliefs are those of: what the attacker is assumed to know.
    fn knowledge(&self) -> &'static str;

    /// What documents call the number of records that it withholds.
    fn figure(&self) -> &'static str;

    /// Whether no belief is above 1/l, whatever somebody knows about frequencies, as long as no
    /// value is likelier than another to be S1.
    fn keeps_to_limit(&self) -> bool;

    /// Whether what it leaves may be published.
    fn is_publishable(&self) -> bool {
        true
    }
}

/// One thing that may come out.
#[derive(Clone, Debug, PartialEq)]
pub struct PossibleDraw {
    /// How many records of each value are kept, by rank.
    pub kept: Vec<u64>,
    /// With which chance.
    pub chance: RBig,
}

impl PossibleDraw {
    /// What everybody sees of it: the numbers without ranks, largest first.
    pub fn seen(&self) -> Vec<u64> {
        let mut seen = self.kept.clone();
        seen.sort_unstable_by_key(|&kept| std::cmp::Reverse(kept));
        seen
    }
}

/// What everybody sees after suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedCounts {
    /// How many records each value has, largest first.
    pub counts: Vec<u64>,
    /// How many records the table had.
    pub records: u64,
    /// Among how many values S1 is to hide.
    pub l: u64,
}

impl PublishedCounts {
    /// How many records are published.
    pub fn published(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Whether no value has more than 1/l of what is published.
    pub fn is_eligible(&self) -> bool {
        u128::from(self.counts.first().copied().unwrap_or(0)) * u128::from(self.l) <= u128::from(self.published())
    }

    /// Whether at least l values could have had more than 1/l of all records.
    pub fn has_candidates(&self) -> bool {
        let last = usize::try_from(self.l - 1).ok().and_then(|at| self.counts.get(at)).copied().unwrap_or(0);
        let withheld = self.records.saturating_sub(self.published());
        (u128::from(last) + u128::from(withheld)) * u128::from(self.l) > u128::from(self.records)
    }

    /// Whether any way to suppress may have led here: records were withheld, and what is left is
    /// eligible and has enough values that could be S1.
    fn is_dichotomous(&self) -> bool {
        self.published() < self.records && !self.counts.contains(&0) && self.is_eligible() && self.has_candidates()
    }

    /// How many values have as many records as the most frequent one.
    pub fn top(&self) -> usize {
        self.counts.iter().take_while(|&&count| count == self.counts[0]).count()
    }
}
