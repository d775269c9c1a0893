//! Frequency ("simple") l-diversity: no value has more than 1/l of a group.
//!
//! **Promises** that an attacker who knows a person's group believes in no sensitive value with
//! more than 1/l. **Threat**: homogeneous and nearly homogeneous groups. **Definition**: r₁ ≤ n/l,
//! r₁ the count of the most frequent value that needs protection. **Cost**: one pass over the
//! values of a group. **Reference**: Xiao and Tao 2006 (Anatomy); (α,k)-anonymity of Wong et al.
//! 2006 with α = 1/l.
//!
//! ```
//! let verdict = sfumato::example("frequency-l-diversity", &[("l", "1.5")])?;
//! assert!(verdict.holds); // 2 of 3 have the flu, and 2/3 ≤ 1/1.5
//! assert_eq!(verdict.measured, Some(1.5));
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::shared::{all_need_protection, least_values, surely_at_least};
use super::{
    About, Bound, Build, Capabilities, Criterion, Evidence, Knowledge, Limit, Measure, Merging, On, Promises,
    Properties, Pruning, Symmetry,
};
use crate::candidate::Histogram;
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Params, Range, Shape};

/// The parameters of frequency l-diversity.
pub(super) const PARAMS: &[Param] = &[Param {
    name: "l",
    summary: "no value has more than one in l of a group",
    shape: Shape::Decimal(Range::FROM_ONE),
    default: None,
}];

/// The description of frequency l-diversity.
pub const KIND: Kind<Build> = Kind {
    name: "frequency-l-diversity",
    summary: "No sensitive value has more than one in l of the records of a group",
    reference: "Xiao and Tao 2006; Wong et al. 2006",
    params: PARAMS,
    example: &[("l", "2")],
    build: Build {
        on: On::Column,
        bind: |context| Bound::on_column(context, make(context.params, context.cared_for()?)?),
    },
};

/// The criterion over a column in which only some values need protection.
pub(super) fn make(params: &Params, cared_for: Vec<bool>) -> Result<Box<dyn Criterion>> {
    Ok(Box::new(FrequencyDiversity { l: params.decimal("l").fraction(), cared_for }))
}

/// The share of the most frequent value that needs protection.
pub(super) fn largest_share(group: &Histogram<'_>, cared_for: &[bool]) -> Fraction {
    let cared = group.entries().iter().filter(|(code, _)| cared_for[*code as usize]);
    let most = cared.map(|entry| entry.1).max().unwrap_or(0);
    Fraction::new(u128::from(most), u128::from(group.size()))
}

/// What follows where no value that needs protection has more than a share of any group.
///
/// # Claim
/// Belief in a value is its share of the group. Once i values are ruled out it is r/(n − what they
/// had): if *every* value has at most the share a, at most `a·n/(n − i·a·n) = a/(1 − i·a)`.
pub(super) fn promised(share: Fraction, cared_for: &[bool], about: About, knowledge: Knowledge) -> Option<Limit> {
    let About::Value(code) = about else { return None };
    let ruled_out = match knowledge {
        Knowledge::Nothing => 0,
        Knowledge::Eliminated(values) if all_need_protection(cared_for) => values,
        _ => return None,
    };
    let left = share.den.checked_sub(share.num.checked_mul(u128::from(ruled_out))?)?;
    let promises = cared_for.get(code as usize) == Some(&true) && share.num < left;
    promises.then(|| Limit { belief: Fraction::new(share.num, left), strict: false })
}

/// Whether at most so many records cannot be more than a share of any group of that size.
///
/// # Claim
/// A value with r ≤ `at_most` records of n ≥ `size` has the share r/n ≤ at_most/size. A value that
/// stays at or below the largest share allowed decides nothing, wherever its records are.
pub(super) fn never_above(share: Fraction, at_most: u64, size: u64) -> bool {
    at_most == 0 || Fraction::new(u128::from(at_most), u128::from(size)) <= share
}

struct FrequencyDiversity {
    l: Fraction,
    cared_for: Vec<bool>,
}

impl Criterion for FrequencyDiversity {
    /// # Claim
    /// The share of a value in a merged group is a weighted mean of its shares in the parts:
    /// monotone.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let Fraction { num, den } = largest_share(group, &self.cared_for);
        let l = Fraction::new(den, num);
        Evidence::of(group, l >= self.l, [Measure::least(l)])
    }

    /// # Claim
    /// One in ⌈l⌉ is not more than one in l. With n records of m values, r₁ ≥ n/m and r₁ ≥ 1: so
    /// r₁ ≤ n/l needs m ≥ l and n ≥ l.
    fn properties(&self) -> Properties {
        Properties {
            least: least_values(self.l.ceil(), &self.cared_for),
            eligibility: Some(self.l.ceil()),
            share: Some(Fraction::new(self.l.den, self.l.num)),
            prefers_even: all_need_protection(&self.cared_for),
            is_by_value: true,
            ..Properties::of(Merging::Monotone)
        }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { pruning: Some(self), symmetry: Some(self), promises: Some(self), ..Capabilities::NONE }
    }
}

impl Pruning for FrequencyDiversity {
    /// # Claim
    /// Taking out m records leaves at least r₁ − m of the value among n − m, so r₁ − m ≤ (n − m)/l.
    fn least_removed(&self, group: &Histogram<'_>) -> u64 {
        let most = largest_share(group, &self.cared_for).num as f64;
        let l = self.l.to_f64();
        surely_at_least((l * most - group.size() as f64) / (l - 1.0))
    }

    /// # Claim
    /// A value with r ≥ `at_least` records of n ≤ `size` has the share r/n ≥ at_least/size.
    fn rules_out(&self, code: u32, at_least: u64, size: u64) -> bool {
        let cared_for = self.cared_for[code as usize];
        cared_for && !never_above(Fraction::new(self.l.den, self.l.num), at_least, size)
    }
}

impl Symmetry for FrequencyDiversity {
    /// # Claim
    /// Of a value only its count is read, and whether it needs protection.
    fn interchangeable(&self, a: u32, b: u32) -> bool {
        self.cared_for[a as usize] == self.cared_for[b as usize]
    }

    /// # Claim
    /// Only values that need protection are read, and of those only such as can have more than one
    /// in l (see `never_above`).
    fn ignores(&self, code: u32, at_most: u64, size: u64) -> bool {
        !self.cared_for[code as usize] || never_above(Fraction::new(self.l.den, self.l.num), at_most, size)
    }
}

impl Promises for FrequencyDiversity {
    /// # Claim
    /// No value that needs protection has more than one in l of a group (see `promised`).
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        promised(Fraction::new(self.l.den, self.l.num), &self.cared_for, about, knowledge)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    #[test]
    fn thresholds_are_exact() {
        let holds = |l: &str, counts: &[usize]| of_counts("frequency-l-diversity", &[("l", number(l))], counts).holds;
        assert!(holds("3", &[33, 33, 33]));
        assert!(!holds("3", &[34, 33, 33]), "34 ≤ 100/3 is false");
        assert!(holds("2.5", &[40, 30, 30]));
        assert!(!holds("2.5000000000000000001", &[40, 30, 30]));
    }
}
