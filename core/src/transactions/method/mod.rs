//! Methods: how transactions are changed until the criteria hold.

pub mod global_suppression;
pub mod partial_suppression;
pub mod permutation;
mod taxonomy;
pub mod tdcontrol;

use super::{Demand, Released, Sensitive, Transactions};
use crate::chance::Chance;
use crate::error::Result;
use crate::kind::{self, Kind, Params};
use crate::watch::Watch;
use std::path::Path;

/// Makes a method from checked parameters.
pub type Build = fn(&Params) -> Box<dyn Method>;

/// The methods: those that delete items, the one that generalizes them, the one that separates
/// them.
pub const KINDS: [&Kind<Build>; 4] =
    [&partial_suppression::KIND, &global_suppression::KIND, &tdcontrol::KIND, &permutation::KIND];

/// The method where a plan names none.
pub const DEFAULT: &Kind<Build> = &partial_suppression::KIND;

/// The method with a name; the error offers the nearest.
pub fn find(name: &str) -> Result<&'static Kind<Build>> {
    kind::find(&KINDS, "method for transactions", name)
}

/// What a method works on.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The records.
    pub table: &'a Transactions,
    /// Which items are sensitive.
    pub sensitive: &'a Sensitive,
    /// What must hold.
    pub demand: Demand,
    /// Where random choices come from.
    pub chance: Chance,
    /// The folder that files are relative to.
    pub folder: &'a Path,
    /// Who follows.
    pub watch: Watch<'a>,
}

/// Changes transactions until a demand is met.
///
/// Obligations: what it gives meets the demand; no record gains an item (a coarser name for one of
/// its own is none); the number of records stays.
pub trait Method: Send + Sync {
    /// Makes a release.
    fn make(&self, task: &Task<'_>) -> Result<Released>;
}
