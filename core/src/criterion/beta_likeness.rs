//! β-likeness: no sensitive value gains much in any group, relative to its share in the whole
//! table.
//!
//! **Promises** that an attacker's belief in any value grows by at most the factor 1 + β; rare
//! values are protected as well as frequent ones. **Threat**: gain about rare values, which
//! distances such as t-closeness average away. **Definition**: with p the share in the table and a
//! larger share q in the group, (q − p)/p ≤ β (*basic*), or ≤ min(β, −ln p) (*enhanced*). Losses
//! are not bounded. **Cost**: one division per value. **Reference**: Cao and Karras 2012.
//!
//! ```
//! let verdict = sfumato::example("beta-likeness", &[("beta", "1")])?;
//! assert!(verdict.holds);
//! assert_eq!(verdict.measured, Some(1.0)); // HIV: from 1 in 6 to 1 in 3
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::entropy::limit_above;
use super::shared::Whole;
use super::{
    About, Bound, Build, Capabilities, Criterion, Evidence, Knowledge, Limit, Measure, Merging, On, Promises,
    Properties, Scope, Symmetry,
};
use crate::candidate::Histogram;
use crate::exact::{Fraction, compare_ln};
use crate::kind::{Kind, Param, Range, Shape};
use std::cmp::Ordering;

/// The description of β-likeness.
pub const KIND: Kind<Build> = Kind {
    name: "beta-likeness",
    summary: "No sensitive value's share in a group exceeds its share in the table by more than the factor 1 + beta",
    reference: "Cao and Karras 2012",
    params: &[
        Param {
            name: "beta",
            summary: "the largest relative gain",
            shape: Shape::Decimal(Range::POSITIVE),
            default: None,
        },
        Param {
            name: "variant",
            summary: "whether frequent values are bounded more tightly",
            shape: Shape::Choice(&["basic", "enhanced"]),
            default: Some("basic"),
        },
    ],
    example: &[("beta", "2")],
    build: Build {
        on: On::Column,
        bind: |context| {
            let criterion = BetaLikeness {
                beta: context.params.decimal("beta").fraction(),
                enhanced: context.params.choice("variant") == "enhanced",
                whole: Whole::of(context.counts()?),
                cared_for: context.cared_for()?,
            };
            Bound::on_column(context, Box::new(criterion))
        },
    },
};

struct BetaLikeness {
    beta: Fraction,
    enhanced: bool,
    whole: Whole,
    cared_for: Vec<bool>,
}

impl BetaLikeness {
    /// The relative gain of a value: its lift less one, or nothing.
    fn gain(&self, group: &Histogram<'_>, code: u32, count: u64) -> Fraction {
        let Fraction { num, den } = self.whole.lift(group, code, count);
        Fraction::new(num.saturating_sub(den), den)
    }

    /// Whether a gain is beyond −ln p, which no β would excuse.
    fn is_beyond(&self, code: u32, gain: Fraction) -> bool {
        let share = Fraction::new(u128::from(self.whole.counts[code as usize]), u128::from(self.whole.total));
        // gain > −ln p is ln p > −gain.
        compare_ln(share, gain, true) == Ordering::Greater
    }
}

impl Criterion for BetaLikeness {
    /// # Claim
    /// The share of a value in a merged group is a weighted mean of its shares in the parts, so its
    /// gain is at most the largest of theirs: monotone.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let cared = group.entries().iter().filter(|(code, _)| self.cared_for[*code as usize]);
        let mut largest = Fraction::ZERO;
        for &(code, count) in cared {
            let gain = self.gain(group, code, count);
            let beyond = self.enhanced && self.is_beyond(code, gain);
            largest = largest.max(if beyond { Fraction::INFINITE } else { gain });
        }
        Evidence::of(group, largest <= self.beta, [Measure::most(largest)])
    }

    fn properties(&self) -> Properties {
        Properties { scope: Scope::Table, ..Properties::of(Merging::Monotone) }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { symmetry: Some(self), promises: Some(self), ..Capabilities::NONE }
    }
}

impl Symmetry for BetaLikeness {
    /// # Claim
    /// Of a value only its count is read, its count in the whole table, and whether it needs
    /// protection.
    fn interchangeable(&self, a: u32, b: u32) -> bool {
        let read = |code: u32| self.cared_for[code as usize].then(|| self.whole.counts[code as usize]);
        read(a) == read(b)
    }

    /// # Claim
    /// Values that need no protection are not read.
    fn ignores(&self, code: u32, _at_most: u64, _size: u64) -> bool {
        !self.cared_for[code as usize]
    }
}

impl Promises for BetaLikeness {
    /// # Claim
    /// A gain of at most β is a share of at most (1 + β)·p; the enhanced variant also bounds it by
    /// (1 − ln p)·p.
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        let About::Value(code) = about else { return None };
        let cared = self.cared_for.get(code as usize) == Some(&true);
        let count = *self.whole.counts.get(code as usize).filter(|&&count| cared && count > 0)?;
        if knowledge != Knowledge::Nothing {
            return None;
        }
        let share = count as f64 / self.whole.total as f64;
        let beta = self.beta.to_f64();
        let gain = if self.enhanced { beta.min(-share.ln()) } else { beta };
        limit_above(share * (1.0 + gain), false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::kind::Raw;

    #[test]
    fn nothing_is_promised_of_values_that_nobody_has() {
        let whole = Whole { counts: vec![3, 0], total: 3 };
        let likeness = BetaLikeness { beta: Fraction::ZERO, enhanced: false, whole, cared_for: vec![true; 2] };
        assert!(likeness.promise(About::Value(1), Knowledge::Nothing).is_none());
    }

    #[test]
    fn gains_are_exact_and_losses_free() {
        let groups: [&[&str]; 2] = [&["a", "b"], &["b", "b", "b", "b"]];
        let basic = |beta: &str| verdict("beta-likeness", &[("beta", number(beta))], &groups);
        assert_eq!(basic("2").measured, Some(2.0), "a: from 1 in 6 to 1 in 2");
        assert!(basic("2").holds && !basic("1.9999999999999999999").holds);
    }

    #[test]
    fn the_enhanced_variant_bounds_by_the_logarithm() {
        let groups: [&[&str]; 2] = [&["a", "b"], &["b", "b", "b", "b"]];
        let enhanced = [("beta", number("5")), ("variant", Raw::from("enhanced"))];
        // a gains 2 > −ln(1/6) = 1.79.
        let found = verdict("beta-likeness", &enhanced, &groups);
        assert!(!found.holds && found.measured.is_none());
    }
}
