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
}
