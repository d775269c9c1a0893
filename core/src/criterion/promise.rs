//! What criteria promise against attackers who know something.

use super::Budget;
use crate::exact::Fraction;

/// What an attacker believes something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Which record is a person's.
    Identity,
    /// That a person has the sensitive value with this code, in the column that the criterion is
    /// about.
    Value(u32),
}

/// What an attacker knows besides the release and everybody's quasi-identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// Nothing.
    Nothing,
    /// So many sensitive values that the person does not have.
    Eliminated(u64),
    /// Values that the person does not have, other people's values, and members of the person's
    /// family.
    Budget(Budget),
    /// How sensitive values are distributed among people with given quasi-identifiers.
    Distribution,
}

/// A belief that is not exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The bound.
    pub belief: Fraction,
    /// Whether the bound itself is not reached either.
    pub strict: bool,
}

impl Limit {
    /// Whether a belief keeps to it.
    pub fn allows(&self, belief: Fraction) -> bool {
        if self.strict { belief < self.belief } else { belief <= self.belief }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strict_limit_is_not_reached() {
        let half = Fraction::new(1, 2);
        let limit = |strict: bool| Limit { belief: half, strict };
        assert!(limit(false).allows(half) && !limit(true).allows(half));
        assert!(limit(true).allows(Fraction::new(1, 3)) && !limit(false).allows(Fraction::new(2, 3)));
    }
}
