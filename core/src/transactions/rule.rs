//! Rules, and what is demanded of them.

use crate::exact::Fraction;
use dashu_int::UBig;
use dashu_int::ops::DivRem;

/// A rule q → e: of those who have all of q, so many have e.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The items q, in ascending order.
    pub antecedent: Vec<u32>,
    /// The item e, which is not in q.
    pub consequent: u32,
    /// How many records have all of q and e.
    pub support: u64,
    /// How many records have all of q.
    pub of: u64,
}

impl Rule {
    /// The share of those with q who have e.
    pub fn confidence(&self) -> Fraction {
        Fraction::new(u128::from(self.support), u128::from(self.of))
    }
}

/// What is demanded of every rule with a sensitive item at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The highest confidence allowed.
    pub rho: Fraction,
    /// Whether that confidence itself is already too high.
    pub strict: bool,
    /// How many items an attacker knows at most; any number if nothing is said.
    pub known: Option<usize>,
    /// Whether the plain frequency of an item, the rule with an empty antecedent, counts too.
    pub empty: bool,
}

impl Demand {
    /// At most this confidence, whatever the attacker knows, if she knows anything.
    pub fn at_most(rho: Fraction) -> Demand {
        Demand { rho, strict: false, known: None, empty: false }
    }

    /// Whether `support` of `of` records may have the item: decided in whole numbers.
    pub fn allows(&self, support: u64, of: u64) -> bool {
        let scaled = u128::from(support).checked_mul(self.rho.den).zip(u128::from(of).checked_mul(self.rho.num));
        match scaled {
            Some((have, may)) => have < may || !self.strict && have == may || support == 0,
            None => support <= self.most(of),
        }
    }

    /// How many of `of` records may have the item.
    pub fn most(&self, of: u64) -> u64 {
        // Wider than any table: a confidence may be written with many digits.
        let product = UBig::from(of) * UBig::from(self.rho.num);
        let (most, rest) = product.div_rem(UBig::from(self.rho.den));
        let most = u64::try_from(most).unwrap_or(u64::MAX);
        most.saturating_sub(u64::from(self.strict && rest.is_zero()))
    }

    /// What follows from neither alone: a release that satisfies this satisfies both.
    pub fn and(self, other: Demand) -> Demand {
        let strictest = match self.rho.cmp(&other.rho) {
            std::cmp::Ordering::Less => self,
            std::cmp::Ordering::Greater => other,
            std::cmp::Ordering::Equal => Demand { strict: self.strict || other.strict, ..self },
        };
        let known = self.known.zip(other.known).map(|(a, b)| a.max(b));
        Demand { known, empty: self.empty || other.empty, ..strictest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_decided_in_whole_numbers() {
        let third = Demand::at_most(Fraction::new(1, 3));
        assert_eq!([third.most(1), third.most(3), third.most(5), third.most(6)], [0, 1, 1, 2]);
        let strict = Demand { strict: true, ..third };
        assert_eq!([strict.most(0), strict.most(3), strict.most(4)], [0, 0, 1]);
        assert!(Demand::at_most(Fraction::new(7, 10)).allows(7, 10));
        for (support, of) in (0..9).flat_map(|of| (0..=of).map(move |support| (support, of))) {
            for demand in [third, strict] {
                assert_eq!(demand.allows(support, of), support <= demand.most(of), "{support} of {of}");
            }
        }
    }

    #[test]
    fn many_digits_are_no_trouble() {
        let demand = Demand::at_most(Fraction::new(333_333_333_333_333_333_333_333_333_333_333_333, 10u128.pow(36)));
        let third = 3_000_000_000_000_000_000;
        assert!(demand.allows(third / 3 - 1, third) && !demand.allows(third / 3, third));
    }

    #[test]
    fn the_stricter_demand_is_kept() {
        let (low, high) = (Demand::at_most(Fraction::new(1, 2)), Demand::at_most(Fraction::new(2, 3)));
        let known = Demand { known: Some(2), empty: true, ..high };
        assert_eq!(low.and(known), Demand { empty: true, ..low });
        assert_eq!(known.and(Demand { known: Some(3), ..known }).known, Some(3));
    }
}
