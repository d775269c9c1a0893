//! Numbers to count worlds with: floats, or integers of any size.

use crate::exact::Fraction;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// Numbers to count with.
pub(super) trait Number: Clone {
    /// What a belief is.
    type Share: Clone;
    fn zero() -> Self;
    fn one() -> Self;
    fn add(&mut self, other: &Self);
    fn times(&self, other: &Self) -> Self;
    fn times_small(&self, factor: u32) -> Self;
    /// Weights of tests of which so many pass, for each number that may.
    fn weights(passed: Fraction, tests: usize) -> Vec<Self>;
    /// Makes numbers of which only the proportions matter fit.
    fn rescale(_numbers: &mut [Self]) {}
    /// `own / (own + others)`, nothing if that is 0/0, times a fraction.
    fn share(own: &Self, others: &Self, part: (u32, u32)) -> Option<Self::Share>;
    /// Of a cell that has no records.
    fn nothing() -> Self::Share;
    /// For each number up to `count` in how many ways so many of `count` records are among `side`
    /// of `rows`, all of them times one factor which is the same for all counts that add up to the
    /// same.
    fn choices(count: u32, side: u32, rows: u32) -> Vec<Self>;
    fn add_product(&mut self, a: &Self, b: &Self) {
        self.add(&a.times(b));
    }
    /// Whether it is so small that others that were added to it may have been lost.
    fn is_lost(&self) -> bool;
}

/// The chances of each number of `count` records to be among `side` of `rows`, were they
/// independent: from the likeliest one outwards, and none that is smaller than what is kept.
fn chances<N: Number>(
    count: u32,
    side: u32,
    rows: u32,
    over: impl Fn(f64) -> N,
    is_kept: impl Fn(&N) -> bool,
) -> Vec<N> {
    let odds = f64::from(side) / f64::from(rows - side);
    let likeliest = (u64::from(count + 1) * u64::from(side) / u64::from(rows)).min(u64::from(count)) as usize;
    let mut chances = vec![N::zero(); count as usize + 1];
    chances[likeliest] = N::one();
    let step = |at: usize| (f64::from(count) - at as f64) / (at + 1) as f64 * odds;
    for at in likeliest..count as usize {
        chances[at + 1] = chances[at].times(&over(step(at)));
        if !is_kept(&chances[at + 1]) {
            chances[at + 1] = N::zero();
            break;
        }
    }
    for at in (0..likeliest).rev() {
        chances[at] = chances[at + 1].times(&over(1.0 / step(at)));
        if !is_kept(&chances[at]) {
            chances[at] = N::zero();
            break;
        }
    }
    chances
}

impl Number for f64 {
    type Share = f64;

    fn zero() -> f64 {
        0.0
    }

    fn one() -> f64 {
        1.0
    }

    fn add(&mut self, other: &f64) {
        *self += other;
    }

    fn times(&self, other: &f64) -> f64 {
        self * other
    }

    fn times_small(&self, factor: u32) -> f64 {
        self * f64::from(factor)
    }

    fn weights(passed: Fraction, tests: usize) -> Vec<f64> {
        (0..=tests).map(|passing| passed.to_f64().powi(passing as i32)).collect()
    }

    fn rescale(numbers: &mut [f64]) {
        let most = numbers.iter().copied().fold(0.0, f64::max);
        if most > 0.0 {
            numbers.iter_mut().for_each(|number| *number /= most);
        }
    }

    fn share(own: &f64, others: &f64, (num, den): (u32, u32)) -> Option<f64> {
        (own + others > 0.0).then(|| own / (own + others) * (f64::from(num) / f64::from(den)))
    }

    fn nothing() -> f64 {
        0.0
    }

    fn choices(count: u32, side: u32, rows: u32) -> Vec<f64> {
        let mut chances = chances::<f64>(count, side, rows, |number| number, |chance| *chance > 1e-290);
        let sum: f64 = chances.iter().sum();
        chances.iter_mut().for_each(|chance| *chance /= sum);
        chances
    }

    fn add_product(&mut self, a: &f64, b: &f64) {
        *self += a * b;
    }

    /// What is below 10⁻²⁹⁰ is not kept.
    fn is_lost(&self) -> bool {
        *self < 1e-200
    }
}

/// A float with any exponent: `mantissa·2^exponent`, the mantissa from ½ to 1, or zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wide {
    mantissa: f64,
    exponent: i64,
}

impl Wide {
    fn new(mantissa: f64, exponent: i64) -> Wide {
        if mantissa == 0.0 {
            return Wide { mantissa: 0.0, exponent: 0 };
        }
        const BIAS: i64 = 1022;
        let bits = mantissa.to_bits();
        let own = (bits >> 52) as i64 - BIAS;
        Wide { mantissa: f64::from_bits(bits & !(0x7ff << 52) | (BIAS as u64) << 52), exponent: exponent + own }
    }

    /// The quotient of two.
    fn over(self, other: Wide) -> f64 {
        let exponent = (self.exponent - other.exponent).clamp(-2000, 2000) as i32;
        self.mantissa / other.mantissa * 2f64.powi(exponent)
    }
}

impl Number for Wide {
    type Share = f64;

    fn zero() -> Wide {
        Wide { mantissa: 0.0, exponent: 0 }
    }

    fn one() -> Wide {
        Wide { mantissa: 0.5, exponent: 1 }
    }

    fn add(&mut self, other: &Wide) {
        let (large, small) =
            if self.exponent >= other.exponent || other.mantissa == 0.0 { (*self, *other) } else { (*other, *self) };
        if large.mantissa == 0.0 {
            *self = small;
            return;
        }
        let apart = large.exponent - small.exponent;
        // Further apart, it is less than what is rounded.
        let added =
            if small.mantissa == 0.0 || apart > 100 { 0.0 } else { small.mantissa * 2f64.powi(-(apart as i32)) };
        *self = Wide::new(large.mantissa + added, large.exponent);
    }

    fn times(&self, other: &Wide) -> Wide {
        Wide::new(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }

    fn times_small(&self, factor: u32) -> Wide {
        Wide::new(self.mantissa * f64::from(factor), self.exponent)
    }

    fn weights(passed: Fraction, tests: usize) -> Vec<Wide> {
        f64::weights(passed, tests).into_iter().map(|weight| Wide::new(weight, 0)).collect()
    }

    fn share(own: &Wide, others: &Wide, (num, den): (u32, u32)) -> Option<f64> {
        let mut whole = *own;
        whole.add(others);
        (!whole.is_lost()).then(|| own.over(whole) * (f64::from(num) / f64::from(den)))
    }

    fn nothing() -> f64 {
        0.0
    }

    fn choices(count: u32, side: u32, rows: u32) -> Vec<Wide> {
        let mut chances = chances::<Wide>(count, side, rows, |number| Wide::new(number, 0), |_| true);
        let sum = chances.iter().fold(Wide::zero(), |mut sum, chance| {
            sum.add(chance);
            sum
        });
        chances.iter_mut().for_each(|own| *own = Wide::new(own.mantissa / sum.mantissa, own.exponent - sum.exponent));
        chances
    }

    fn is_lost(&self) -> bool {
        self.mantissa == 0.0
    }
}

impl Number for UBig {
    type Share = RBig;

    fn zero() -> UBig {
        UBig::ZERO
    }

    fn one() -> UBig {
        UBig::ONE
    }

    fn add(&mut self, other: &UBig) {
        *self += other;
    }

    fn times(&self, other: &UBig) -> UBig {
        self * other
    }

    fn times_small(&self, factor: u32) -> UBig {
        self * UBig::from(factor)
    }

    fn weights(passed: Fraction, tests: usize) -> Vec<UBig> {
        let Fraction { num, den } = passed.reduced();
        let weight = |passing: usize| UBig::from(num).pow(passing) * UBig::from(den).pow(tests - passing);
        (0..=tests).map(weight).collect()
    }

    fn share(own: &UBig, others: &UBig, (num, den): (u32, u32)) -> Option<RBig> {
        let whole = (own + others) * UBig::from(den);
        (!whole.is_zero()).then(|| RBig::from_parts(IBig::from(own * UBig::from(num)), whole))
    }

    fn nothing() -> RBig {
        RBig::ZERO
    }

    fn choices(count: u32, _side: u32, _rows: u32) -> Vec<UBig> {
        let mut ways = vec![UBig::ONE];
        for some in 0..count {
            let next = ways[some as usize].clone() * UBig::from(count - some) / UBig::from(some + 1);
            ways.push(next);
        }
        ways
    }

    fn is_lost(&self) -> bool {
        self.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_numbers_go_where_floats_end() {
        let number = |value: f64| Wide::new(value, 0);
        let tiny = (0..10).fold(Wide::one(), |product, _| product.times(&number(1e-200)));
        assert_eq!(tiny.times(&number(3.0)).over(tiny), 3.0);
        let mut sum = tiny;
        sum.add(&tiny.times_small(4));
        assert!((sum.over(tiny) - 5.0).abs() < 1e-15);
        sum.add(&Wide::one());
        assert_eq!(sum, Wide::one());
        let mut none = Wide::zero();
        none.add(&tiny);
        assert_eq!((none, Wide::zero().is_lost(), tiny.is_lost()), (tiny, true, false));
    }

    #[test]
    fn choices_are_binomial() {
        let exact = UBig::choices(30, 7, 100);
        let (floats, wide) = (f64::choices(30, 7, 100), Wide::choices(30, 7, 100));
        for some in 0..30 {
            let ratio = exact[some + 1].to_f64().value() / exact[some].to_f64().value() * (7.0 / 93.0);
            assert!((floats[some + 1] / floats[some] / ratio - 1.0).abs() < 1e-12);
            assert!((wide[some + 1].over(wide[some]) / ratio - 1.0).abs() < 1e-12);
        }
        assert!((floats.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
