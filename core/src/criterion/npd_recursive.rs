//! Negative/positive disclosure-recursive (c₁,c₂,l)-diversity: no value too likely, and some never
//! ruled out.
//!
//! **Promises** pd-recursive (c₁,l)-diversity, and that nobody can be told not to have a value of
//! the set `keep`. **Threat**: as pd-recursive diversity, and negative disclosure. **Definition**:
//! pd-recursive (c₁,l), and every value of `keep` has at least c₂ percent of every group. **Cost**:
//! as recursive diversity, plus one look-up per value of `keep`. **Reference**: Machanavajjhala et
//! al. 2007, Definition 4.4.
//!
//! ```
//! let wanted = [("c1", "3"), ("c2", "30"), ("l", "2"), ("keep", "[\"cancer\"]")];
//! let verdict = sfumato::example("npd-recursive-cl-diversity", &wanted)?;
//! assert!(verdict.holds);
//! assert!((verdict.also[0].1 - 33.333).abs() < 0.001); // cancer has a third of each group
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::entropy_dont_care::{DONT_CARE, cared_for};
use super::recursive::{self, needed_c};
use super::shared::all_need_protection;
use super::{
    About, Bound, Build, Capabilities, Criterion, Evidence, Knowledge, Limit, Measure, Merging, On, Promises,
    Properties, Symmetry, Verdict,
};
use crate::candidate::Histogram;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Range, Shape};

/// The description of npd-recursive diversity.
pub const KIND: Kind<Build> = Kind {
    name: "npd-recursive-cl-diversity",
    summary: "pd-recursive (c1,l)-diversity, and every value of `keep` has at least c2 percent of every group",
    reference: "Machanavajjhala et al. 2007, Definition 4.4",
    params: &[
        Param { name: "c1", ..recursive::C },
        Param {
            name: "c2",
            summary: "the least percentage of each value of `keep`",
            shape: Shape::Decimal(Range::PERCENT),
            default: None,
        },
        recursive::L,
        DONT_CARE,
        Param {
            name: "keep",
            summary: "values that nobody may be known not to have",
            shape: Shape::Values,
            default: Some(""),
        },
    ],
    example: &[("c1", "3"), ("c2", "5"), ("l", "2"), ("keep", "[\"cancer\"]")],
    build: Build {
        on: On::Column,
        bind: |context| {
            let column = context.column()?;
            let criterion = NpdRecursive {
                c1: context.params.decimal("c1").fraction(),
                c2: context.params.decimal("c2").fraction(),
                l: context.params.count("l"),
                cared_for: cared_for(context)?,
                keep: context.params.values("keep").iter().map(|value| column.domain().code(value)).collect(),
            };
            Bound::on_column(context, Box::new(criterion))
        },
    },
};

struct NpdRecursive {
    c1: Fraction,
    c2: Fraction,
    l: u64,
    cared_for: Vec<bool>,
    /// Codes; nothing for a value that no record has, which every group then lacks.
    keep: Vec<Option<u32>>,
}

impl NpdRecursive {
    /// The least percentage of a value of `keep`; infinite if there is none to keep.
    fn least_percent(&self, group: &Histogram<'_>) -> Fraction {
        let counts = self.keep.iter().map(|code| code.map_or(0, |code| group.count(code)));
        counts
            .min()
            .map_or(Fraction::INFINITE, |least| Fraction::new(100 * u128::from(least), u128::from(group.size())))
    }
}

impl Criterion for NpdRecursive {
    /// # Claim
    /// Monotone by Theorem 5.3: the share of a value in a merged group is a weighted mean of its
    /// shares in the parts.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let ratio = needed_c(group, &self.cared_for, self.l);
        let percent = self.least_percent(group);
        Evidence::of(group, ratio < self.c1 && percent >= self.c2, [Measure::most(ratio), Measure::least(percent)])
    }

    fn verdict(&self, evidence: &Evidence) -> Verdict {
        Verdict::of(evidence).with_second("c2", evidence)
    }

    /// # Claim
    /// As recursive diversity, if all values need protection and none is to be kept.
    fn properties(&self) -> Properties {
        let plain = self.keep.is_empty() && all_need_protection(&self.cared_for);
        let eligibility = plain.then(|| recursive::eligible((self.c1, self.l))).flatten();
        Properties { eligibility, ..Properties::of(Merging::Monotone) }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { symmetry: Some(self), promises: Some(self), ..Capabilities::NONE }
    }
}

impl Symmetry for NpdRecursive {
    /// # Claim
    /// Of a value only its count is read, and whether it needs protection and is to be kept.
    fn interchangeable(&self, a: u32, b: u32) -> bool {
        let read = |code: u32| (self.cared_for[code as usize], self.keep.contains(&Some(code)));
        read(a) == read(b)
    }
}

impl Promises for NpdRecursive {
    /// # Claim
    /// It is pd-recursive (c₁,l)-diversity and more; nothing is promised on how little may be
    /// believed.
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        recursive::promised((self.c1, self.l), &self.cared_for, about, knowledge)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    fn keeps(c2: &str, keep: &[&str], counts: &[usize]) -> bool {
        let written = [("c1", number("100")), ("c2", number(c2)), ("l", number("2")), ("keep", values(keep))];
        of_counts("npd-recursive-cl-diversity", &written, counts).holds
    }

    #[test]
    fn percentages_are_exact() {
        assert!(keeps("33", &["a"], &[33, 67]));
        assert!(!keeps("33.0000000001", &["a"], &[33, 67]));
        assert!(!keeps("1", &["z"], &[33, 67]), "a value nobody has is ruled out for all");
        assert!(keeps("0", &["z"], &[33, 67]));
    }
}
