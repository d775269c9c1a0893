//! Exact signs of sums of logarithms of integers.
//!
//! Entropy compares `Σ r·ln r` with `n·ln n − n·ln l`. Floats decide when the difference is clear.
//! When it is not, equality is decided by factoring into coprime bases (exact, integers only), and
//! inequality by correctly rounded logarithms of growing precision, which must end once equality is
//! excluded.

use super::Fraction;
use super::fraction::gcd;
use dashu_float::{Context, FBig, round::mode::HalfEven};
use dashu_int::IBig;
use std::cmp::Ordering;

type Big = FBig<HalfEven, 2>;

/// Below this distance floats do not decide.
const CLEAR: f64 = 1e-9;

/// The sign of `Σ factor·ln(number)` over `(number, factor)` pairs, exactly. Numbers must be
/// positive.
///
/// ```
/// use sfumato::exact::sign_of_log_sum;
/// use std::cmp::Ordering::*;
///
/// assert_eq!(sign_of_log_sum(&[(4, 1), (2, -2)]), Equal); // ln 4 = 2 ln 2
/// assert_eq!(sign_of_log_sum(&[(1 << 60, 1), ((1 << 60) - 1, -1)]), Greater);
/// ```
pub fn sign_of_log_sum(terms: &[(u128, i128)]) -> Ordering {
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for &(number, factor) in terms {
        let term = (number as f64).ln() * factor as f64;
        sum += term;
        magnitude += term.abs();
    }
    // Each term is off by a few ulps and the running sum by one ulp of the magnitude per term.
    let doubt = magnitude * CLEAR.max((terms.len() as f64 + 8.0) * f64::EPSILON);
    if sum.abs() > doubt {
        return sum.total_cmp(&0.0);
    }
    if is_one(terms) { Ordering::Equal } else { sign_of_nonzero(terms) }
}

/// Whether the product of `number^factor` is exactly 1: every exponent over a coprime base of the
/// numbers is 0.
fn is_one(terms: &[(u128, i128)]) -> bool {
    let bases = coprime_bases(terms.iter().map(|&(number, _)| number));
    bases.iter().all(|&base| {
        let exponents = terms.iter().map(|&(number, factor)| factor * i128::from(multiplicity(number, base)));
        exponents.sum::<i128>() == 0
    })
}

/// Pairwise coprime integers above 1, of which every given number is a product.
fn coprime_bases(numbers: impl Iterator<Item = u128>) -> Vec<u128> {
    let mut bases: Vec<u128> = Vec::new();
    let mut waiting: Vec<u128> = numbers.collect();
    waiting.sort_unstable();
    waiting.dedup();
    while let Some(number) = waiting.pop() {
        if number == 1 {
            continue;
        }
        match bases.iter().position(|&base| gcd(base, number) > 1) {
            None => bases.push(number),
            Some(at) if bases[at] == number => {}
            Some(at) => {
                let base = bases.swap_remove(at);
                let common = gcd(base, number);
                waiting.extend([common, base / common, number / common]);
            }
        }
    }
    bases
}

fn multiplicity(mut number: u128, base: u128) -> u32 {
    let mut times = 0;
    while number.is_multiple_of(base) {
        number /= base;
        times += 1;
    }
    times
}

/// The sign of a sum known not to be zero.
fn sign_of_nonzero(terms: &[(u128, i128)]) -> Ordering {
    let mut bits = 128;
    loop {
        let logarithms = terms.iter().map(|&(number, factor)| (ln_of(number, bits), factor));
        let (mut sum, mut magnitude) = (big(0, bits), big(0, bits));
        for (logarithm, factor) in logarithms {
            magnitude += &logarithm * big(factor.unsigned_abs(), bits);
            sum += logarithm * Big::from(IBig::from(factor)).with_precision(bits).value();
        }
        // One rounding per logarithm, product and addition, each at most an ulp of the magnitude.
        let doubt = (magnitude * big(4 * terms.len() as u128 + 4, bits)) >> (bits as isize - 1);
        if sum > doubt {
            return Ordering::Greater;
        }
        if sum < -doubt {
            return Ordering::Less;
        }
        bits *= 2;
    }
}

fn big(number: u128, bits: usize) -> Big {
    Big::from(IBig::from(number)).with_precision(bits).value()
}

fn ln_of(number: u128, bits: usize) -> Big {
    // The integer itself is held in full: only its logarithm is rounded.
    let context = Context::<HalfEven>::new(bits);
    let exact = Big::from(IBig::from(number)).with_precision(bits.max(128)).value();
    context.ln(exact.repr(), None).expect("the logarithm of a positive integer is finite").value()
}

/// The order of `ln(argument)` and `±bound`, exactly.
///
/// They are equal only for `argument = 1`, `bound = 0`: the logarithm of any other rational is
/// transcendental.
pub fn compare_ln(argument: Fraction, bound: Fraction, bound_negative: bool) -> Ordering {
    if argument == Fraction::ONE {
        return if bound.num == 0 {
            Ordering::Equal
        } else if bound_negative {
            Ordering::Greater
        } else {
            Ordering::Less
        };
    }
    if argument.num == 0 {
        return Ordering::Less;
    }
    if argument.is_infinite() {
        return Ordering::Greater;
    }
    let target = if bound_negative { -bound.to_f64() } else { bound.to_f64() };
    let value = (argument.num as f64).ln() - (argument.den as f64).ln();
    let difference = value - target;
    // The subtraction cancels where both logarithms are large, by less than 2⁻⁴⁵ for 128-bit
    // integers.
    if difference.abs() > CLEAR * (1.0 + target.abs()) {
        return difference.total_cmp(&0.0);
    }
    compare_ln_big(argument, bound, bound_negative)
}

fn compare_ln_big(argument: Fraction, bound: Fraction, bound_negative: bool) -> Ordering {
    let mut bits = 128;
    loop {
        let value = ln_of(argument.num, bits) - ln_of(argument.den, bits);
        let magnitude = big(bound.num, bits) / big(bound.den, bits);
        let target = if bound_negative { -magnitude } else { magnitude };
        let difference = value - target;
        let doubt = big(1 << 12, bits) >> (bits as isize);
        if difference > doubt {
            return Ordering::Greater;
        }
        if difference < -doubt {
            return Ordering::Less;
        }
        bits *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_int::UBig;
    use proptest::prelude::*;

    /// `Π number^factor` against 1 by big integers.
    fn brute_force(terms: &[(u128, i128)]) -> Ordering {
        let side = |positive: bool| {
            let chosen = terms.iter().filter(move |(_, factor)| (*factor > 0) == positive);
            chosen.fold(UBig::ONE, |product, &(number, factor)| {
                product * UBig::from(number).pow(factor.unsigned_abs() as usize)
            })
        };
        side(true).cmp(&side(false))
    }

    proptest! {
        #[test]
        fn agrees_with_big_integers(terms in proptest::collection::vec((1u128..60, -30i128..30), 1..6)) {
            prop_assert_eq!(sign_of_log_sum(&terms), brute_force(&terms));
        }

        #[test]
        fn products_of_shared_factors_are_equal(a in 1u128..1000, b in 1u128..1000, k in 1i128..50) {
            prop_assert_eq!(sign_of_log_sum(&[(a * b, k), (a, -k), (b, -k)]), Ordering::Equal);
        }

        #[test]
        fn neighbours_are_told_apart(n in 2u128..1 << 100) {
            prop_assert_eq!(sign_of_log_sum(&[(n, 1), (n - 1, -1)]), Ordering::Greater);
        }
    }

    #[test]
    fn near_ties_of_logarithms_are_decided() {
        // e = 2.71828182845904523536…
        let just_below = Fraction::new(271_828_182_845_904_523, 100_000_000_000_000_000);
        let just_above = Fraction::new(271_828_182_845_904_524, 100_000_000_000_000_000);
        assert_eq!(compare_ln(just_below, Fraction::ONE, false), Ordering::Less);
        assert_eq!(compare_ln(just_above, Fraction::ONE, false), Ordering::Greater);
        assert_eq!(compare_ln(Fraction::new(just_above.den, just_above.num), Fraction::ONE, true), Ordering::Less);
        assert_eq!(compare_ln(Fraction::ONE, Fraction::ZERO, false), Ordering::Equal);
    }
}
