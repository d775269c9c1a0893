//! How much a quasi-identifier counts beside the others.

use crate::exact::{Decimal, Fraction};
use std::fmt;
use std::str::FromStr;

/// The weight of a quasi-identifier: from 0.001 to 1000, with at most three decimals, kept exactly.
/// One by default. Only ratios matter: weights 3 and 1 prefer a column as 6 and 2 do.
///
/// ```
/// use sfumato::data::Weight;
///
/// let weight: Weight = "2.50".parse().unwrap();
/// assert_eq!((weight.to_f64(), weight.to_string().as_str()), (2.5, "2.5"));
/// assert!(["0", "-1", "1001", "0.0001", "many"].iter().all(|wrong| wrong.parse::<Weight>().is_err()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight {
    thousandths: u32,
}

/// Thousandths of one.
const UNIT: u32 = 1000;

impl Weight {
    /// The weight of a column of which the plan says nothing.
    pub const ONE: Weight = Weight { thousandths: UNIT };

    /// What a weight may be, for errors.
    pub const RANGE: &str = "a number from 0.001 to 1000 with at most three decimals";

    /// The nearest float.
    pub fn to_f64(self) -> f64 {
        f64::from(self.thousandths) / f64::from(UNIT)
    }

    /// A sum of fixed-point numbers times the weight, rounded down.
    pub fn times(self, number: i128) -> i128 {
        (number * i128::from(self.thousandths)).div_euclid(i128::from(UNIT))
    }
}

impl Default for Weight {
    fn default() -> Self {
        Weight::ONE
    }
}

impl FromStr for Weight {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number: Decimal = text.parse().map_err(|_| Weight::RANGE)?;
        let Fraction { num, den } = number.fraction();
        let thousandths = num.checked_mul(UNIT.into()).filter(|scaled| scaled % den == 0).map(|scaled| scaled / den);
        let allowed = thousandths.filter(|thousandths| (1..=u128::from(UNIT * UNIT)).contains(thousandths));
        match allowed {
            Some(thousandths) if !number.is_negative() => Ok(Weight { thousandths: thousandths as u32 }),
            _ => Err(Weight::RANGE),
        }
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_kept_exactly() {
        for (written, shown) in [("3", "3"), ("0.1", "0.1"), ("1e3", "1000"), ("0.001", "0.001"), ("50%", "0.5")] {
            let weight: Weight = written.parse().unwrap();
            assert_eq!(weight.to_string(), shown);
            assert_eq!(weight.to_string().parse(), Ok(weight));
        }
        let tenth: Weight = "0.1".parse().unwrap();
        assert_eq!((tenth.times(1 << 100), Weight::ONE.times(-7)), ((1 << 100) / 10, -7));
    }
}
