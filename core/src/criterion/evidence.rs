//! What groups tell, how that combines, and the answer that it amounts to.

use super::minima::Minima;
use crate::candidate::Histogram;
use crate::exact::Fraction;
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;

/// A measured value that remembers whether the least or the most of several counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    value: Value,
    most: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Exact(Fraction),
    Real(f64),
}

impl Measure {
    /// The least over groups counts.
    pub fn least(value: Fraction) -> Self {
        Measure { value: Value::Exact(value), most: false }
    }

    /// The most over groups counts.
    pub fn most(value: Fraction) -> Self {
        Measure { value: Value::Exact(value), most: true }
    }

    /// The least over groups counts, of a number that is not a fraction.
    pub fn least_real(value: f64) -> Self {
        Measure { value: Value::Real(value), most: false }
    }

    /// The most over groups counts, of a number that is not a fraction.
    pub fn most_real(value: f64) -> Self {
        Measure { value: Value::Real(value), most: true }
    }

    /// The nearest float; infinite where no finite parameter would do.
    pub fn to_f64(self) -> f64 {
        match self.value {
            Value::Exact(fraction) => fraction.to_f64(),
            Value::Real(real) => real,
        }
    }

    /// Less for the worse one.
    fn compare(&self, other: &Measure) -> Ordering {
        let natural = match (self.value, other.value) {
            (Value::Exact(a), Value::Exact(b)) => a.cmp(&b),
            _ => self.to_f64().total_cmp(&other.to_f64()),
        };
        if self.most { natural.reverse() } else { natural }
    }
}

/// What groups tell about a criterion. Combines in any order.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    holds: bool,
    measures: SmallVec<[Measure; 1]>,
    /// With its own first measure: the combined one may be another group's.
    worst: Option<(WorstGroup, Measure)>,
    violating: Violating,
    /// Lowest values, for criteria that look at several groups together.
    minima: Minima,
}

/// The group that decides the measured value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorstGroup {
    /// Whether it holds by itself: with two thresholds, a group that fails either is worse than one
    /// that fails none.
    pub holds: bool,
    /// How many records it has.
    pub size: u64,
    /// Its number.
    pub group: usize,
}

/// How much of the table violates a criterion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Violating {
    /// Groups that violate it by themselves.
    pub groups: u64,
    /// Records in them.
    pub records: u64,
}

impl Evidence {
    /// The evidence of no group.
    pub fn none() -> Self {
        Evidence {
            holds: true,
            measures: SmallVec::new(),
            worst: None,
            violating: Violating::default(),
            minima: Minima::default(),
        }
    }

    /// The evidence of one group: whether the criterion holds for it, and what was measured; the
    /// first measure tells the worst group.
    pub fn of(group: &Histogram<'_>, holds: bool, measures: impl IntoIterator<Item = Measure>) -> Self {
        let violating = if holds { Violating::default() } else { Violating { groups: 1, records: group.size() } };
        let measures: SmallVec<[Measure; 1]> = measures.into_iter().collect();
        let worst = WorstGroup { holds, size: group.size(), group: group.group() };
        let worst = measures.first().map(|measure| (worst, *measure));
        Evidence { holds, measures, worst, violating, minima: Minima::default() }
    }

    /// The lowest values.
    pub fn minima(&self) -> &Minima {
        &self.minima
    }

    /// Takes in so many groups alike of which nothing is measured: whether the criterion holds for
    /// them.
    pub fn note(&mut self, group: &Histogram<'_>, holds: bool, times: u64) {
        if self.worst.is_none() {
            self.absorb(&Evidence::of(group, holds, [Measure::most(Fraction::ZERO)]).repeated(times));
        } else if !holds {
            self.holds = false;
            self.violating.groups += times;
            self.violating.records += times * group.size();
        }
    }

    /// Takes the lowest values out, or so many empty sets where there are none yet: to add to them
    /// and [put them back](Evidence::put_minima).
    pub fn take_minima(&mut self, sets: usize) -> Minima {
        let minima = std::mem::take(&mut self.minima);
        if minima.is_empty() { Minima::new(sets) } else { minima }
    }

    /// Puts lowest values back.
    pub fn put_minima(&mut self, minima: Minima) {
        self.minima = minima;
    }

    /// The evidence of so many groups alike; the one it is of stands for the first.
    pub fn repeated(mut self, times: u64) -> Evidence {
        self.violating.groups *= times;
        self.violating.records *= times;
        self
    }

    /// Both together.
    pub fn combine(mut self, other: Evidence) -> Evidence {
        self.absorb(&other);
        self
    }

    /// Takes in what other groups tell.
    pub fn absorb(&mut self, other: &Evidence) {
        let (Some(mine), Some(others)) = (self.worst, other.worst) else {
            if self.worst.is_none() {
                *self = other.clone();
            }
            return;
        };
        let order = mine.0.holds.cmp(&others.0.holds).then(mine.1.compare(&others.1)).then(mine.0.cmp(&others.0));
        if order == Ordering::Greater {
            self.worst = Some(others);
        }
        for (own, others) in self.measures.iter_mut().zip(&other.measures) {
            if own.compare(others) == Ordering::Greater {
                *own = *others;
            }
        }
        self.minima.absorb(&other.minima);
        self.holds &= other.holds;
        self.violating.groups += other.violating.groups;
        self.violating.records += other.violating.records;
    }

    /// Whether the criterion holds for every group by itself.
    pub fn holds(&self) -> bool {
        self.holds
    }

    /// What was measured.
    pub fn measures(&self) -> &[Measure] {
        &self.measures
    }
}

/// The answer of a criterion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Whether it holds.
    pub holds: bool,
    /// The strongest parameter that would hold; nothing if no finite one would, or there is no
    /// group.
    pub measured: Option<f64>,
    /// Further measured values, by the parameter they belong to.
    pub also: SmallVec<[(&'static str, f64); 1]>,
    /// The group that decides.
    pub worst: Option<WorstGroup>,
    /// How much of the table violates it.
    pub violating: Violating,
    /// What was measured for each of several points, where the criterion has such.
    pub points: Vec<Reached>,
}

/// What is reached at one of several points of a criterion.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// The point's place in the plan's list.
    pub point: usize,
    /// The highest belief.
    pub measured: f64,
    /// Whether the point holds.
    pub holds: bool,
    /// The sensitive value (its code) that is believed in most, if any is believed in.
    pub value: Option<u32>,
}

impl Verdict {
    /// The verdict of a criterion that holds when it holds for every group by itself, and whose
    /// first measure is the parameter.
    pub fn of(evidence: &Evidence) -> Verdict {
        Verdict {
            holds: evidence.holds,
            measured: evidence.measures.first().map(|measure| measure.to_f64()).filter(|value| value.is_finite()),
            also: smallvec![],
            worst: evidence.worst.map(|(group, _)| group),
            violating: evidence.violating,
            points: Vec::new(),
        }
    }

    /// Adds the second measure under a parameter's name.
    pub fn with_second(mut self, name: &'static str, evidence: &Evidence) -> Verdict {
        if let Some(value) = evidence.measures.get(1).map(|measure| measure.to_f64()).filter(|value| value.is_finite())
        {
            self.also.push((name, value));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_that_are_one_float_are_told_apart() {
        let large = 1u128 << 60;
        let measures =
            [Fraction::new(large + 1, 2 * large + 3), Fraction::new(large, 2 * large + 1)].map(Measure::least);
        assert_eq!(measures[0].to_f64(), measures[1].to_f64());
        let evidence = |group: usize| Evidence::of(&Histogram::of_size(group, 9), true, [measures[group]]);
        for (first, second) in [(0, 1), (1, 0)] {
            let both = evidence(first).combine(evidence(second));
            assert_eq!(Verdict::of(&both).worst.unwrap().group, 1);
            assert_eq!(both.measures(), [measures[1]]);
        }
    }

    #[test]
    fn groups_that_are_only_noted_count() {
        let mut evidence = Evidence::none();
        evidence.note(&Histogram::of_size(0, 3), false, 2);
        evidence.note(&Histogram::of_size(1, 5), true, 9);
        assert_eq!((evidence.holds(), evidence.violating), (false, Violating { groups: 2, records: 6 }));
        evidence.note(&Histogram::of_size(2, 4), false, 3);
        assert_eq!(evidence.violating, Violating { groups: 5, records: 18 });
        let mut fine = Evidence::none();
        fine.note(&Histogram::of_size(0, 3), true, 1);
        fine.note(&Histogram::of_size(1, 3), true, 1);
        assert!(fine.holds());
        fine.note(&Histogram::of_size(2, 3), false, 1);
        assert!(!fine.holds());
    }
}
