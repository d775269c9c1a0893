//! Lowest values over groups, with the groups that have them: what criteria keep that look at
//! several groups together.
//!
//! A lowest value is kept as the shape of its group. Floats compare where they are clearly apart;
//! where they are not, the exact value is worked out from the shape.

use super::knowledge::Shape;
use crate::exact::Fraction;
use dashu_ratio::RBig;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::fmt::Debug;
use std::sync::Arc;

/// Below this relative distance floats do not decide.
const CLEAR: f64 = 1e-9;

/// No float but zero is below: smaller numbers would lose digits, and be taken for zero at last.
pub const TINY: f64 = 1e-290;

/// The product of two floats that are not negative: zero only if one of them is.
pub fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { (a * b).max(TINY) }
}

/// What is lowest: a number that follows from the shape of a group.
pub trait Quantity: Send + Sync + Debug {
    /// It, to within one part in 10¹¹; what is below [`TINY`] is that, and only zero is zero.
    fn float(&self, shape: &Shape) -> f64;

    /// It.
    fn exact(&self, shape: &Shape) -> RBig;
}

/// A group with a low value.
#[derive(Clone, Debug, PartialEq)]
pub struct Low {
    /// The value, as a float.
    pub float: f64,
    /// The number of the group.
    pub group: usize,
    /// The sensitive value that it is about.
    pub value: u32,
    /// What the group tells.
    pub shape: Shape,
}

/// The lowest values of one quantity, the lowest first.
#[derive(Clone, Debug)]
pub struct Minimum {
    quantity: Arc<dyn Quantity>,
    /// How many are kept.
    keep: usize,
    lowest: SmallVec<[Low; 1]>,
}

impl PartialEq for Minimum {
    fn eq(&self, other: &Minimum) -> bool {
        self.lowest == other.lowest
    }
}

impl Minimum {
    /// Of no groups; of a quantity, so many are to be kept.
    pub fn new(quantity: Arc<dyn Quantity>, keep: usize) -> Minimum {
        Minimum { quantity, keep, lowest: SmallVec::new() }
    }

    /// The lowest of all; nothing without a group.
    pub fn lowest(&self) -> Option<&Low> {
        self.lowest.first()
    }

    /// All that are kept.
    pub fn all(&self) -> &[Low] {
        &self.lowest
    }

    /// The exact value of the lowest.
    pub fn exact(&self) -> Option<RBig> {
        self.lowest().map(|low| self.exact_of(low))
    }

    /// The exact value of one that is kept.
    pub fn exact_of(&self, low: &Low) -> RBig {
        self.quantity.exact(&low.shape)
    }

    /// Takes in a group, if its value is low enough.
    pub fn offer(&mut self, group: usize, value: u32, shape: &Shape) {
        let float = self.quantity.float(shape);
        if self.may_keep(float) {
            self.insert(Low { float, group, value, shape: shape.clone() });
        }
    }

    /// Whether a value may be among the lowest: who knows the float already need not make the shape
    /// of a group that is not.
    #[inline]
    pub fn may_keep(&self, float: f64) -> bool {
        let is_far = |last: &Low| float > last.float * (1.0 + CLEAR);
        self.lowest.len() < self.keep || !self.lowest.last().is_some_and(is_far)
    }

    /// Takes in what others found.
    pub fn absorb(&mut self, other: &Minimum) {
        other.lowest.iter().for_each(|low| self.insert(low.clone()));
    }

    fn insert(&mut self, low: Low) {
        let at = self.lowest.partition_point(|known| self.compare(known, &low) == Ordering::Less);
        let is_known = self.lowest.get(at).is_some_and(|known| known.group == low.group && known.value == low.value);
        if at < self.keep && !is_known {
            self.lowest.insert(at, low);
            self.lowest.truncate(self.keep);
        }
    }

    /// By value, then by shape, people first, and only then by group: the number of a group may be
    /// another one in the release, and equal values of different shapes may differ in their last
    /// digit as floats.
    fn compare(&self, a: &Low, b: &Low) -> Ordering {
        let by_value = if a.shape == b.shape || (a.float == 0.0 && b.float == 0.0) {
            Ordering::Equal
        } else if is_clear(a.float, b.float) {
            a.float.total_cmp(&b.float)
        } else {
            self.quantity.exact(&a.shape).cmp(&self.quantity.exact(&b.shape))
        };
        let shape = |low: &Low| (low.shape.people, low.shape.own);
        let by_shape = shape(a).cmp(&shape(b)).then_with(|| a.shape.others.cmp(&b.shape.others));
        by_value.then(by_shape).then(a.group.cmp(&b.group)).then(a.value.cmp(&b.value))
    }
}

/// Whether two floats are so far apart that their order is that of the exact values.
pub fn is_clear(a: f64, b: f64) -> bool {
    (a - b).abs() > CLEAR * a.max(b)
}

/// Whether a number exceeds another one, decided exactly: by its float where that is clear.
pub fn exceeds(float: f64, other: Fraction, exact: impl FnOnce() -> RBig) -> bool {
    let limit = other.to_f64();
    if is_clear(float, limit) { float > limit } else { exact() > RBig::from(other) }
}

/// Sets of lowest values, some of which there is nothing in yet.
#[derive(Clone, Debug, Default)]
pub struct Minima {
    sets: Vec<Option<Box<[Minimum]>>>,
    /// For each set a group that was taken in, to leave others out quickly.
    leaders: Vec<Leader>,
}

impl PartialEq for Minima {
    fn eq(&self, other: &Minima) -> bool {
        self.sets == other.sets
    }
}

/// A group that was taken in, where people have one value each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leader {
    /// People in it.
    pub people: i64,
    /// Occurrences of the value in question; none if no group was taken in.
    pub own: i64,
    /// Records of values that are neither the one in question nor ruled out.
    pub rest: i64,
    /// Its number.
    pub group: usize,
}

impl Leader {
    /// Whether no T and no V of another group is lower, for k others or none, and it is kept of
    /// equals.
    ///
    /// # Claim
    /// V falls with the occurrences and grows with the people. `T(g,l,y) ≥ T(h,l,y)` is
    /// `(r − y)·#h ≥ (r_h − y)·#g`, r the rest, or follows from r_h ≤ y. With `#h ≥ #g`, what is
    /// true for a y is true for every smaller one; and beyond r_h nothing need be asked.
    #[inline(always)]
    pub fn is_ahead_of(&self, other: &Leader, k: i64) -> bool {
        let last = if self.rest <= k { 0 } else { k };
        self.own >= other.own
            && (other.rest - last) * self.own >= (self.rest - last) * other.own
            && (self.people < other.people || self.people == other.people && self.group < other.group)
    }
}

impl Minima {
    /// So many sets, with nothing in them.
    pub fn new(sets: usize) -> Minima {
        Minima { sets: vec![None; sets], leaders: vec![Leader::default(); sets] }
    }

    /// Whether there are no sets.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// A set, if there is anything in it.
    pub fn get(&self, set: usize) -> Option<&[Minimum]> {
        self.sets.get(set)?.as_deref()
    }

    /// A set to add to, made if need be.
    pub fn entry(&mut self, set: usize, make: impl FnOnce() -> Box<[Minimum]>) -> &mut [Minimum] {
        self.sets[set].get_or_insert_with(make)
    }

    /// The group that others are compared with first, of a set.
    #[inline(always)]
    pub fn leader(&mut self, set: usize) -> &mut Leader {
        &mut self.leaders[set]
    }

    /// Takes in what other groups tell.
    pub fn absorb(&mut self, other: &Minima) {
        if self.sets.is_empty() {
            self.clone_from(other);
            return;
        }
        for (own, others) in self.sets.iter_mut().zip(&other.sets) {
            match (own, others) {
                (_, None) => (),
                (own @ None, Some(others)) => *own = Some(others.clone()),
                (Some(own), Some(others)) => own.iter_mut().zip(others).for_each(|(own, others)| own.absorb(others)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::knowledge::{Case, Target};
    use super::*;
    use proptest::prelude::*;

    /// The negated ratio without any knowledge: people without the value over those with it.
    fn lowest(keep: usize) -> Minimum {
        Minimum::new(Arc::new(Target { case: Case::Single, l: 0, k: 0 }), keep)
    }

    fn offered(keep: usize, offers: &[(usize, u64, u64)]) -> Minimum {
        let mut minimum = lowest(keep);
        for &(group, people, own) in offers {
            minimum.offer(group, 0, &Shape { people, own, others: SmallVec::new() });
        }
        minimum
    }

    fn groups(minimum: &Minimum) -> Vec<usize> {
        minimum.all().iter().map(|low| low.group).collect()
    }

    #[test]
    fn as_many_as_asked_for_are_kept_however_far_apart() {
        let offers = [(1, 10, 5), (2, 10, 1), (3, 10, 2), (4, 10, 3)];
        assert_eq!(groups(&offered(1, &offers)), [1]);
        assert_eq!(groups(&offered(2, &offers)), [1, 4]);
        assert_eq!(groups(&offered(9, &offers)), [1, 4, 3, 2]);
    }

    #[test]
    fn of_equal_values_the_smaller_group_is_kept_in_any_order() {
        let offers = [(1, 8, 4), (2, 4, 2), (3, 6, 3)];
        for turn in 0..offers.len() {
            let mut turned = offers;
            turned.rotate_left(turn);
            assert_eq!(groups(&offered(1, &turned)), [2]);
            assert_eq!(groups(&offered(2, &turned)), [2, 3]);
        }
    }

    #[test]
    fn what_is_known_is_not_kept_twice_and_what_differs_is_told_apart() {
        let one = offered(3, &[(1, 10, 5), (2, 10, 4)]);
        let mut twice = one.clone();
        twice.absorb(&one);
        assert_eq!(twice, one);
        assert_ne!(one, offered(3, &[(1, 10, 5), (3, 10, 4)]));
        let mut minima = Minima::new(1);
        minima.entry(0, || Box::new([one.clone()]));
        assert_eq!(minima, minima.clone());
        assert_ne!(minima, Minima::new(1));
    }

    #[test]
    fn large_numbers_are_not_decided_by_their_last_digits() {
        let million = Fraction::from(1_000_000);
        assert!(!exceeds(1_000_000.000_001, million, || RBig::from(million)));
        assert!(exceeds(999_999.999_999, million, || RBig::from(million) + RBig::ONE));
        assert!(exceeds(1_001_000.0, million, || unreachable!("it is clear")));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// A group is left out by its leader only if neither T with and without k others, nor any
        /// V, is lower.
        #[test]
        fn leaders_are_ahead_where_nothing_is_lower(
            (own, rest, people) in (1i64..6, 0i64..9, 8i64..11),
            (other_own, other_rest, other_people) in (1i64..6, 0i64..9, 8i64..11),
            (group, other_group) in (0usize..3, 0usize..3),
            k in 0i64..9,
        ) {
            let leader = Leader { people, own, rest, group };
            let other = Leader { people: other_people, own: other_own, rest: other_rest, group: other_group };
            let target = |of: &Leader, k: i64| Fraction::new((of.rest - k).max(0) as u128, of.own as u128);
            let is_ahead = own >= other_own
                && [0, k].iter().all(|&k| target(&leader, k) <= target(&other, k))
                && (people, group) < (other_people, other_group);
            prop_assert_eq!(leader.is_ahead_of(&other, k), is_ahead);
        }
    }
}
