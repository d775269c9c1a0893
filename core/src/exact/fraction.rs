//! Non-negative fractions with an exact order.

use dashu_ratio::RBig;
use std::cmp::Ordering;

/// A non-negative fraction, or infinity (a denominator of zero). Compared by cross-multiplication
/// in 256 bits.
///
/// ```
/// use sfumato::exact::Fraction;
///
/// assert!(Fraction::new(1, 3) < Fraction::new(334, 1000));
/// assert!(Fraction::new(7, 1) < Fraction::INFINITE);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fraction {
    /// Numerator.
    pub num: u128,
    /// Denominator; zero for infinity.
    pub den: u128,
}

impl Fraction {
    /// Zero.
    pub const ZERO: Fraction = Fraction { num: 0, den: 1 };
    /// One.
    pub const ONE: Fraction = Fraction { num: 1, den: 1 };
    /// Larger than every number.
    pub const INFINITE: Fraction = Fraction { num: 1, den: 0 };

    /// `num / den`; infinity when only `den` is zero.
    ///
    /// # Panics
    /// When both are zero.
    pub fn new(num: u128, den: u128) -> Self {
        assert!(num > 0 || den > 0, "0/0 is no fraction");
        Fraction { num, den }
    }

    /// The nearest fraction to a float from zero to one that 2⁶⁰ is a denominator of.
    ///
    /// # Panics
    /// When the float is not in that range.
    pub fn nearest(share: f64) -> Self {
        assert!((0.0..=1.0).contains(&share), "not a share");
        const STEPS: u128 = 1 << 60;
        // Scaling by a power of two does not round. What divides both is a power of two.
        let num = (share * STEPS as f64).round() as u128;
        let common = num.trailing_zeros().min(STEPS.trailing_zeros());
        Fraction { num: num >> common, den: STEPS >> common }
    }

    /// The same fraction in lowest terms.
    pub fn reduced(self) -> Self {
        let divisor = gcd(self.num, self.den);
        Fraction { num: self.num / divisor, den: self.den / divisor }
    }

    /// Whether this is the infinity.
    pub fn is_infinite(self) -> bool {
        self.den == 0
    }

    /// The least whole number that is not below it; the largest there is for infinity and for what
    /// is beyond.
    pub fn ceil(self) -> u64 {
        if self.den == 0 {
            return u64::MAX;
        }
        u64::try_from(self.num.div_ceil(self.den)).unwrap_or(u64::MAX)
    }

    /// The nearest float, for reports.
    pub fn to_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }
}

impl From<Fraction> for RBig {
    /// The same number, to calculate with. Panics for infinity, which is none.
    fn from(fraction: Fraction) -> RBig {
        RBig::from_parts(fraction.num.into(), fraction.den.into())
    }
}

impl From<u64> for Fraction {
    fn from(number: u64) -> Self {
        Fraction { num: u128::from(number), den: 1 }
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_products(self.num, other.den, other.num, self.den)
    }
}

/// The order of `a·b` and `c·d`, without overflow.
#[inline]
fn compare_products(a: u128, b: u128, c: u128, d: u128) -> Ordering {
    if (a | b | c | d) >> 64 == 0 {
        let product = |a: u128, b: u128| u128::from(a as u64) * u128::from(b as u64);
        return product(a, b).cmp(&product(c, d));
    }
    match (a.checked_mul(b), c.checked_mul(d)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => wide_product(a, b).cmp(&wide_product(c, d)),
    }
}

/// The 256-bit product as (high, low).
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a_high, a_low) = (a >> 64, a & LOW);
    let (b_high, b_low) = (b >> 64, b & LOW);
    let low = a_low * b_low;
    let cross = a_high * b_low + (low >> 64);
    let middle = a_low * b_high + (cross & LOW);
    (a_high * b_high + (cross >> 64) + (middle >> 64), (middle << 64) | (low & LOW))
}

pub(super) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        // Counts fit 64 bits, where the remainder is an order of magnitude cheaper.
        (a, b) = match (u64::try_from(a), u64::try_from(b)) {
            (Ok(small_a), Ok(small_b)) => (b, u128::from(small_a % small_b)),
            _ => (b, a % b),
        };
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_int::UBig;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn order_is_that_of_the_rationals(a: u128, b in 1u128.., c: u128, d in 1u128..) {
            let exact = (UBig::from(a) * UBig::from(d)).cmp(&(UBig::from(c) * UBig::from(b)));
            prop_assert_eq!(Fraction::new(a, b).cmp(&Fraction::new(c, d)), exact);
        }

        #[test]
        fn wide_products_are_exact(a: u128, b: u128) {
            let (high, low) = wide_product(a, b);
            prop_assert_eq!((UBig::from(high) << 128) + UBig::from(low), UBig::from(a) * UBig::from(b));
        }
    }

    #[test]
    fn the_nearest_fraction_is_as_good_as_the_float() {
        for share in [0.0, 0.25, 1.0 / 3.0, 0.1, 1e-9, 1.0] {
            assert!((Fraction::nearest(share).to_f64() - share).abs() <= 1e-18, "{share}");
        }
        assert_eq!(Fraction::nearest(0.75), Fraction::new(3, 4));
    }

    #[test]
    fn infinity_is_largest_and_equals_itself() {
        assert_eq!(Fraction::new(5, 0), Fraction::INFINITE);
        assert!(Fraction::new(u128::MAX, 1) < Fraction::INFINITE);
    }
}
