//! Attacks: what can be inferred from a release of transactions.

pub mod sensitive_rules;

use super::{Demand, Released, Rule, Sensitive};
use crate::error::Result;
use crate::kind::{self, Kind, Params};

/// Makes an attack from checked parameters.
pub type Build = fn(&Params) -> Box<dyn Attack>;

/// The attacks.
pub const KINDS: [&Kind<Build>; 1] = [&sensitive_rules::KIND];

/// The attack with a name; the error offers the nearest.
pub fn find(name: &str) -> Result<&'static Kind<Build>> {
    kind::find(&KINDS, "attack on transactions", name)
}

/// Infers sensitive items.
///
/// Obligations: the finding depends on the release, the sensitive items and the parameters alone.
pub trait Attack: Send + Sync {
    /// Attacks a release, or an original as if it were one; an error if there is too much to look
    /// at.
    fn run(&self, released: &Released, sensitive: &Sensitive, demand: Demand) -> Result<Found>;
}

/// What an attack found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The most confident rules, the worst first.
    pub rules: Vec<Rule>,
    /// How many rules are more confident than is demanded, among those that no other with the same
    /// records and consequent extends; nothing if they are too many to count, and then the rules
    /// are the worst of those that were looked at.
    pub above: Option<u64>,
    /// How many records some rule tells a sensitive item of, truly and with more confidence than is
    /// demanded; at least so many where rules are too many to count.
    pub people: u64,
}
