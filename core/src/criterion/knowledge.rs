//! How far an attacker who knows something can believe: the arithmetic of the privacy skyline.
//!
//! The attacker asks whether a target t has a value σ. She knows l things about t, k other people
//! and m members of t's family; how much each tells depends on the [`Case`]. Her belief is
//! `1/(NR + 1)`, the *negated ratio* NR being the product of what the target's group tells,
//! `T(g, l, k)`, and what the family's group tells, `V(f, m, k)`. The lowest such product over all
//! groups is the breach.
//!
//! | case | T(g, l, k) | V(g, m, k) |
//! |---|---|---|
//! | one value each | (n − #σ − #s(1..l) − k) / #σ | Π_{i<m} (n − #σ − k − i)/(n − k − i) |
//! | sets | (n − #σ − k)/#σ · Π_{i≤l} (n − #s(i))/n | as above |
//! | multisets | a·((n−1)/n)^{#s(1..l)} / (1 − a), a = ((n−k−1)/(n−k))^{#σ} | ((n−k−m)/(n−k))^{#σ} |
//!
//! n people, #σ occurrences of σ, s(1), s(2), … the most frequent *other* values. What would be
//! negative is zero. **Reference**: Chen, LeFevre and Ramakrishnan 2007, Section 6 and Appendix A3;
//! the formulas for multisets are derived there in words.

use super::minima::{Quantity, TINY, product};
use crate::exact::Fraction;
use dashu_ratio::RBig;
use smallvec::SmallVec;

/// How many values a person has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Case {
    /// Exactly one.
    Single,
    /// Several different ones, or none.
    Set,
    /// Several, the same more than once, or none.
    Multiset,
}

impl Case {
    /// Every case.
    pub const ALL: [Case; 3] = [Case::Single, Case::Set, Case::Multiset];
    /// Their names, in the same order.
    pub const NAMES: [&str; 3] = ["svpi", "set", "multiset"];

    /// The word in plans and on the command line: single value per individual, set, multiset.
    pub fn name(self) -> &'static str {
        Case::NAMES[self as usize]
    }

    /// The case with a name.
    pub fn find(name: &str) -> Option<Case> {
        Case::ALL.into_iter().find(|case| case.name() == name)
    }
}

/// How much an attacker knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Budget {
    /// About the target: values that she does not have; with several values per person, values that
    /// only come together with the one in question.
    pub l: u64,
    /// About others: so many people's values; with several values per person, so many people who do
    /// not have the one in question.
    pub k: u64,
    /// About families: people of whom none has the value unless the target has it.
    pub m: u64,
}

impl Budget {
    /// A budget.
    pub fn new(l: u64, k: u64, m: u64) -> Budget {
        Budget { l, k, m }
    }

    /// Whether it knows at least as much as another in every respect.
    pub fn covers(self, other: Budget) -> bool {
        self.l >= other.l && self.k >= other.k && self.m >= other.m
    }
}

/// What the negated ratio must exceed for a belief below a confidence: (1 − c)/c.
///
/// # Panics
/// When the confidence is not above zero and at most one.
pub fn odds(confidence: Fraction) -> Fraction {
    let Fraction { num, den } = confidence;
    assert!(num > 0 && num <= den, "a confidence is above zero and at most one");
    Fraction::new(den - num, num)
}

/// What one group tells about one value that it has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// People in the group.
    pub people: u64,
    /// Occurrences of the value in question; at least one.
    pub own: u64,
    /// Occurrences of the most frequent other values, the largest first: as many as anybody asks
    /// about, or all there are.
    pub others: SmallVec<[u64; 4]>,
}

impl Shape {
    /// The `l` most frequent other values.
    fn most_frequent(&self, l: u64) -> &[u64] {
        &self.others[..self.others.len().min(usize::try_from(l).unwrap_or(usize::MAX))]
    }

    /// How often the `l` most frequent other values occur together.
    pub fn top(&self, l: u64) -> u64 {
        self.most_frequent(l).iter().sum()
    }
}

/// What a group tells about the target: T(g, l, k).
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The case.
    pub case: Case,
    /// How much is known about the target.
    pub l: u64,
    /// How many others in her group are known.
    pub k: u64,
}

/// What a group tells about the family: V(g, m, k).
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The case.
    pub case: Case,
    /// How many members of the family are in the group.
    pub m: u64,
    /// How many others in the group are known, the target included if she is there.
    pub k: u64,
}

/// What a group tells that target, others and family are all in: T(g, l, k)·V(g, m, k + 1).
#[derive(Clone, Copy, Debug)]
pub struct Together {
    /// The case.
    pub case: Case,
    /// The attacker's knowledge.
    pub budget: Budget,
}

impl Quantity for Target {
    fn float(&self, shape: &Shape) -> f64 {
        self.of(shape)
    }

    fn exact(&self, shape: &Shape) -> RBig {
        self.of(shape)
    }
}

impl Quantity for Family {
    fn float(&self, shape: &Shape) -> f64 {
        self.of(shape)
    }

    fn exact(&self, shape: &Shape) -> RBig {
        self.of(shape)
    }
}

impl Quantity for Together {
    fn float(&self, shape: &Shape) -> f64 {
        let (target, family) = self.parts();
        product(target.float(shape), family.float(shape))
    }

    fn exact(&self, shape: &Shape) -> RBig {
        let (target, family) = self.parts();
        target.exact(shape) * family.exact(shape)
    }
}

impl Together {
    fn parts(&self) -> (Target, Family) {
        let Budget { l, k, m } = self.budget;
        (Target { case: self.case, l, k }, Family { case: self.case, m, k: k + 1 })
    }
}

impl Target {
    fn of<N: Number>(&self, shape: &Shape) -> N {
        let Shape { people: n, own, .. } = *shape;
        let (l, k) = (self.l, self.k);
        match self.case {
            Case::Single => N::ratio(n.saturating_sub(own).saturating_sub(shape.top(l)).saturating_sub(k), own),
            Case::Set => {
                let others = shape.most_frequent(l).iter();
                let start = N::ratio(n.saturating_sub(own).saturating_sub(k), own);
                others.fold(start, |product, &count| product.times(N::ratio(n.saturating_sub(count), n)))
            }
            // Nobody is left but those who do not have it.
            Case::Multiset if n <= k => N::ratio(0, 1),
            Case::Multiset => N::odds(n - k - 1, n - k, own).times(N::power(n - 1, n, shape.top(l))),
        }
    }
}

impl Family {
    fn of<N: Number>(&self, shape: &Shape) -> N {
        let Shape { people: n, own, .. } = *shape;
        let (m, k) = (self.m, self.k);
        if m == 0 {
            return N::ratio(1, 1);
        }
        if n <= k.saturating_add(m) {
            return N::ratio(0, 1);
        }
        match self.case {
            Case::Single | Case::Set if n < own.saturating_add(k).saturating_add(m) => N::ratio(0, 1),
            Case::Single | Case::Set => N::falling(n - own - k, n - k, m),
            Case::Multiset => N::power(n - k - m, n - k, own),
        }
    }
}

/// What the formulas need of a kind of numbers.
pub(super) trait Number: Clone + PartialOrd {
    /// `num/den`.
    fn ratio(num: u64, den: u64) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
    /// `Π_{i<times} (num − i)/(den − i)`; times ≤ num ≤ den.
    fn falling(num: u64, den: u64, times: u64) -> Self;
    /// `(num/den)^exponent`; num ≤ den.
    fn power(num: u64, den: u64, exponent: u64) -> Self;
    /// `a/(1 − a)` for `a = (num/den)^exponent`; num < den.
    fn odds(num: u64, den: u64, exponent: u64) -> Self;
}

impl Number for f64 {
    fn ratio(num: u64, den: u64) -> f64 {
        num as f64 / den as f64
    }

    fn times(self, other: f64) -> f64 {
        product(self, other)
    }

    fn falling(num: u64, den: u64, times: u64) -> f64 {
        let (num, den) = (num as f64, den as f64);
        // No overflow: 24 factors below 2⁴⁰.
        if times <= 24 && den < (1u64 << 40) as f64 {
            let (mut above, mut below) = (1.0, 1.0);
            for i in 0..times {
                above *= num - i as f64;
                below *= den - i as f64;
            }
            return above / below;
        }
        let factor = |i: u64| (num - i as f64) / (den - i as f64);
        (0..times).fold(1.0, |so_far, i| product(so_far, factor(i)))
    }

    fn power(num: u64, den: u64, exponent: u64) -> f64 {
        let power = logarithm(num, den, exponent).exp();
        if num == 0 { power } else { power.max(TINY) }
    }

    fn odds(num: u64, den: u64, exponent: u64) -> f64 {
        let logarithm = logarithm(num, den, exponent);
        // 1 − a without cancellation.
        let odds = logarithm.exp() / -logarithm.exp_m1();
        if num == 0 { odds } else { odds.max(TINY) }
    }
}

/// `exponent · ln(num/den)`, also where the ratio is near one.
fn logarithm(num: u64, den: u64, exponent: u64) -> f64 {
    if exponent == 0 { 0.0 } else { exponent as f64 * (-((den - num) as f64) / den as f64).ln_1p() }
}

impl Number for RBig {
    fn ratio(num: u64, den: u64) -> RBig {
        RBig::from_parts(num.into(), den.into())
    }

    fn times(self, other: RBig) -> RBig {
        self * other
    }

    fn falling(num: u64, den: u64, times: u64) -> RBig {
        (0..times).fold(RBig::ONE, |product, i| product * RBig::ratio(num - i, den - i))
    }

    fn power(num: u64, den: u64, exponent: u64) -> RBig {
        RBig::ratio(num, den).pow(exponent as isize)
    }

    fn odds(num: u64, den: u64, exponent: u64) -> RBig {
        let a = RBig::power(num, den, exponent);
        &a / (RBig::ONE - &a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape(people: u64, own: u64, others: &[u64]) -> Shape {
        Shape { people, own, others: others.into() }
    }

    #[test]
    fn tom_of_figure_3() {
        // Group 2: AIDS, Cancer, Flu, Flu. Belief that Tom has AIDS, as he is known not to have
        // cancer, and Gary to have the flu.
        let group = shape(4, 1, &[2, 1]);
        let belief = |l, k, taken: &[u64]| {
            let shape = Shape { others: taken.into(), ..group.clone() };
            RBig::ONE / (Target { case: Case::Single, l, k }.exact(&shape) + RBig::ONE)
        };
        // The paper eliminates cancer, which is not the worst that can be known: that would be the
        // flu.
        assert_eq!(belief(0, 0, &[]), RBig::from_parts(1.into(), 4u8.into()));
        assert_eq!(belief(1, 0, &[1]), RBig::from_parts(1.into(), 3u8.into()));
        assert_eq!(belief(1, 1, &[1]), RBig::from_parts(1.into(), 2u8.into()));
        assert_eq!(belief(1, 0, &[2, 1]), RBig::from_parts(1.into(), 2u8.into()));
    }

    #[test]
    fn floats_that_would_vanish_stay_above_zero() {
        for number in [f64::power, f64::odds] {
            assert_eq!(number(1, 100, 1000), TINY);
            assert_eq!(number(0, 100, 2), 0.0);
        }
    }

    #[test]
    fn long_products_do_not_overflow() {
        for (num, den, times) in [(1 << 39, 1 << 40, 60), (1 << 47, 1 << 48, 24)] {
            let exact = RBig::falling(num, den, times).to_f64().value();
            assert!((f64::falling(num, den, times) / exact - 1.0).abs() < 1e-11);
        }
    }

    proptest! {
        /// Floats are as good as is assumed where they decide.
        #[test]
        fn floats_are_near(
            people in 1u64..3000, own in 1u64..500, l in 0u64..4, k in 0u64..40, m in 0u64..40,
            others in proptest::collection::vec(1u64..200, 0..6),
        ) {
            let mut others = others;
            others.sort_unstable_by(|a, b| b.cmp(a));
            for case in Case::ALL {
                let own = if case == Case::Multiset { own } else { own.min(people) };
                let shape = shape(people, own, &others);
                let quantities: [&dyn Quantity; 3] =
                    [&Target { case, l, k }, &Family { case, m, k }, &Together { case, budget: Budget::new(l, k, m) }];
                for quantity in quantities {
                    let exact = quantity.exact(&shape).to_f64().value();
                    let float = quantity.float(&shape);
                    let is_tiny = exact < TINY && float == TINY;
                    let is_near = (exact - float).abs() <= 1e-11 * exact;
                    prop_assert!(is_tiny || is_near, "{quantity:?} {shape:?}: {exact} {float}");
                    prop_assert_eq!(float == 0.0, quantity.exact(&shape) == RBig::ZERO);
                }
            }
        }

        /// More knowledge never lessens a belief.
        #[test]
        fn knowledge_never_hurts(people in 2u64..60, own in 1u64..20, k in 0u64..9, m in 0u64..9) {
            for case in Case::ALL {
                let shape = shape(people, own.min(people), &[]);
                let family = |m, k| Family { case, m, k }.exact(&shape);
                prop_assert!(family(m + 1, k) <= family(m, k) && family(m, k + 1) <= family(m, k));
                let target = |k| Target { case, l: 0, k }.exact(&shape);
                prop_assert!(target(k + 1) <= target(k));
            }
        }
    }
}
