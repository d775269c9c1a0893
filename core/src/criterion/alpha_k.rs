//! (α,k)-anonymity: k-anonymity, and no value is too frequent in a group.
//!
//! **Promises** groups of at least k, and that an attacker who knows a person's group believes in
//! no sensitive value with more than α. **Threat**: linking, and homogeneous groups.
//! **Definition**: n ≥ k, and the count of every value that needs protection is at most α·n.
//! **Cost**: one pass over the values of a group. **Reference**: Wong et al. 2006.
//!
//! ```
//! let verdict = sfumato::example("alpha-k-anonymity", &[("alpha", "0.6"), ("k", "3")])?;
//! assert!(!verdict.holds); // flu is two thirds of the first group
//! assert_eq!(verdict.also[0], ("k", 3.0));
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::frequency::{largest_share, never_above, promised};
use super::shared::all_need_protection;
use super::shared::surely_at_least;
use super::{
    About, Bound, Build, Capabilities, Criterion, Evidence, Knowledge, Least, Limit, Measure, Merging, On, Promises,
    Properties, Pruning, Symmetry, Verdict,
};
use crate::candidate::Histogram;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Range, Shape};

/// The description of (α,k)-anonymity.
pub const KIND: Kind<Build> = Kind {
    name: "alpha-k-anonymity",
    summary: "Every group has at least k records, and no sensitive value more than the share alpha of them",
    reference: "Wong et al. 2006",
    params: &[
        Param {
            name: "alpha",
            summary: "the largest share of a value",
            shape: Shape::Decimal(Range::SHARE),
            default: None,
        },
        Param { name: "k", summary: "the smallest group allowed", shape: Shape::Count(1), default: None },
    ],
    example: &[("alpha", "0.5"), ("k", "3")],
    build: Build {
        on: On::Column,
        bind: |context| {
            let criterion = AlphaK {
                alpha: context.params.decimal("alpha").fraction(),
                k: context.params.count("k"),
                cared_for: context.cared_for()?,
            };
            Bound::on_column(context, Box::new(criterion))
        },
    },
};

struct AlphaK {
    alpha: Fraction,
    k: u64,
    cared_for: Vec<bool>,
}

impl Criterion for AlphaK {
    /// # Claim
    /// The share of a value in a merged group is a weighted mean of its shares in the parts, and
    /// sizes add: monotone.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let share = largest_share(group, &self.cared_for);
        let holds = group.size() >= self.k && share <= self.alpha;
        Evidence::of(group, holds, [Measure::most(share), Measure::least(Fraction::from(group.size()))])
    }

    fn verdict(&self, evidence: &Evidence) -> Verdict {
        Verdict::of(evidence).with_second("k", evidence)
    }

    /// # Claim
    /// One in ⌈1/α⌉ is not more than α. Too few records are another matter: see `least`.
    fn properties(&self) -> Properties {
        Properties {
            least: Least { size: self.k, values: 1 },
            eligibility: Some(Fraction::new(self.alpha.den, self.alpha.num).ceil()),
            prefers_even: all_need_protection(&self.cared_for),
            is_by_value: true,
            ..Properties::of(Merging::Monotone)
        }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { pruning: Some(self), symmetry: Some(self), promises: Some(self), ..Capabilities::NONE }
    }
}

impl Pruning for AlphaK {
    /// # Claim
    /// Taking out m records leaves at least r₁ − m of the value among n − m, so r₁ − m ≤ α·(n − m).
    fn least_removed(&self, group: &Histogram<'_>) -> u64 {
        let most = largest_share(group, &self.cared_for).num as f64;
        let alpha = self.alpha.to_f64();
        surely_at_least((most - alpha * group.size() as f64) / (1.0 - alpha))
    }

    /// # Claim
    /// A value with r ≥ `at_least` records of n ≤ `size` has the share r/n ≥ at_least/size.
    fn rules_out(&self, code: u32, at_least: u64, size: u64) -> bool {
        self.cared_for[code as usize] && !never_above(self.alpha, at_least, size)
    }
}

impl Symmetry for AlphaK {
    /// # Claim
    /// Of a value only its count is read, and whether it needs protection.
    fn interchangeable(&self, a: u32, b: u32) -> bool {
        self.cared_for[a as usize] == self.cared_for[b as usize]
    }

    /// # Claim
    /// Only values that need protection are read, and of those only such as can have more than the
    /// share α (see `never_above`).
    fn ignores(&self, code: u32, at_most: u64, size: u64) -> bool {
        !self.cared_for[code as usize] || never_above(self.alpha, at_most, size)
    }
}

impl Promises for AlphaK {
    /// # Claim
    /// A person's record is one of the at least k of her group; and no value that needs protection
    /// has more than the share α of it (see `promised`).
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        if (about, knowledge) == (About::Identity, Knowledge::Nothing) {
            return Some(Limit { belief: Fraction::new(1, u128::from(self.k)), strict: false });
        }
        promised(self.alpha, &self.cared_for, about, knowledge)
    }
}
