//! δ-disclosure privacy: no value becomes much more or much less likely.
//!
//! **Promises** that the share of every sensitive value in every group differs from its share in
//! the whole table by less than a factor e^δ. **Threat**: an attacker who compares groups with the
//! whole, in both directions. **Definition**: |ln(share in the group / share in the table)| < δ for
//! every value, strict. A value that a group lacks is a breach (its ratio is 0), unless
//! `absent = "ignore"`; that reading, which some tools use, is not monotone. **Cost**: one division
//! per value. **Reference**: Brickell and Shmatikov 2008.
//!
//! ```
//! let verdict = sfumato::example("delta-disclosure", &[("delta", "1"), ("absent", "\"ignore\"")])?;
//! assert!(verdict.holds);
//! assert!((verdict.measured.unwrap() - 2f64.ln()).abs() < 1e-12); // HIV: 1 of 3 against 1 of 6
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

/// The description of δ-disclosure privacy.
pub const KIND: Kind<Build> = Kind {
    name: "delta-disclosure",
    summary: "The share of every sensitive value in every group is within a factor e^delta of its share in the table",
    reference: "Brickell and Shmatikov 2008",
    params: &[
        Param {
            name: "delta",
            summary: "bound on the logarithm of the ratio",
            shape: Shape::Decimal(Range::POSITIVE),
            default: None,
        },
        Param {
            name: "absent",
            summary: "what a value means that a group lacks",
            shape: Shape::Choice(&["breach", "ignore"]),
            default: Some("breach"),
        },
    ],
    example: &[("delta", "1.5")],
    build: Build {
        on: On::Column,
        bind: |context| {
            let criterion = DeltaDisclosure {
                delta: context.params.decimal("delta").fraction(),
                absent_is_breach: context.params.choice("absent") == "breach",
                whole: Whole::of(context.counts()?),
                cared_for: context.cared_for()?,
            };
            Bound::on_column(context, Box::new(criterion))
        },
    },
};

struct DeltaDisclosure {
    delta: Fraction,
    absent_is_breach: bool,
    whole: Whole,
    cared_for: Vec<bool>,
}

impl DeltaDisclosure {
    fn lacks_a_value(&self, group: &Histogram<'_>) -> bool {
        let present = group.entries().iter().filter(|(code, _)| self.cared_for[*code as usize]).count();
        present < self.cared_for.iter().filter(|&&cared| cared).count()
    }
}

impl Criterion for DeltaDisclosure {
    /// # Claim
    /// The ratio in a merged group is a weighted mean of the ratios in the parts, so it stays
    /// inside any interval that holds them: monotone, as long as absent values count. The logarithm
    /// of a fraction other than 1 is transcendental, so it never equals δ and the comparison always
    /// ends.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        if self.absent_is_breach && self.lacks_a_value(group) {
            return Evidence::of(group, false, [Measure::most_real(f64::INFINITY)]);
        }
        let cared = group.entries().iter().filter(|(code, _)| self.cared_for[*code as usize]);
        let (mut holds, mut largest) = (true, 0.0f64);
        for &(code, count) in cared {
            let lift = self.whole.lift(group, code, count);
            holds &= compare_ln(lift, self.delta, false) == Ordering::Less
                && compare_ln(lift, self.delta, true) == Ordering::Greater;
            largest = largest.max(lift.to_f64().ln().abs());
        }
        Evidence::of(group, holds, [Measure::most_real(largest)])
    }

    fn properties(&self) -> Properties {
        let merging = if self.absent_is_breach { Merging::Monotone } else { Merging::MayViolate };
        Properties { scope: Scope::Table, ..Properties::of(merging) }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { symmetry: Some(self), promises: Some(self), ..Capabilities::NONE }
    }
}

impl Symmetry for DeltaDisclosure {
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

impl Promises for DeltaDisclosure {
    /// # Claim
    /// ln(share in the group / p) < δ is a share below p·e^δ.
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        let About::Value(code) = about else { return None };
        let cared = self.cared_for.get(code as usize) == Some(&true);
        let count = *self.whole.counts.get(code as usize).filter(|&&count| cared && count > 0)?;
        let share = count as f64 / self.whole.total as f64;
        if knowledge == Knowledge::Nothing { limit_above(share * self.delta.to_f64().exp(), true) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_promised_of_values_that_nobody_has() {
        let whole = Whole { counts: vec![3, 1, 0], total: 4 };
        let delta = Fraction::new(1, 10);
        let disclosure = DeltaDisclosure { delta, absent_is_breach: false, whole, cared_for: vec![true; 3] };
        let promised = |code: u32| disclosure.promise(About::Value(code), Knowledge::Nothing).is_some();
        assert!(promised(0) && promised(1) && !promised(2));
    }
}
