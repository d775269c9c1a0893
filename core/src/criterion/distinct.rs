//! Distinct l-diversity: at least l different values in every group.
//!
//! **Promises** that no group is homogeneous, and that l − 1 values must be ruled out before one is
//! certain. **Threat**: homogeneity. **Definition**: a group that holds a value which needs
//! protection has at least l different values. **Cost**: none beyond the histogram. **Reference**:
//! Machanavajjhala et al. 2007, Principle 2 in its weakest reading.
//!
//! ```
//! let verdict = sfumato::example("distinct-l-diversity", &[("l", "2")])?;
//! assert!(verdict.holds);
//! assert_eq!(verdict.measured, Some(2.0));
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::shared::{all_need_protection, least_values};
use super::{
    About, Bound, Build, Capabilities, Criterion, Evidence, Knowledge, Limit, Measure, Merging, On, Promises,
    Properties, Symmetry,
};
use crate::candidate::Histogram;
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Params, Shape};

/// The parameters of distinct l-diversity.
pub(super) const PARAMS: &[Param] =
    &[Param { name: "l", summary: "how many values every group has", shape: Shape::Count(1), default: None }];

/// The description of distinct l-diversity.
pub const KIND: Kind<Build> = Kind {
    name: "distinct-l-diversity",
    summary: "Every group has at least l different sensitive values",
    reference: "Machanavajjhala et al. 2007",
    params: PARAMS,
    example: &[("l", "2")],
    build: Build {
        on: On::Column,
        bind: |context| Bound::on_column(context, make(context.params, context.cared_for()?)?),
    },
};

/// The criterion over a column in which only some values need protection.
pub(super) fn make(params: &Params, cared_for: Vec<bool>) -> Result<Box<dyn Criterion>> {
    Ok(Box::new(DistinctDiversity { l: params.count("l"), cared_for }))
}

struct DistinctDiversity {
    l: u64,
    cared_for: Vec<bool>,
}

impl Criterion for DistinctDiversity {
    /// # Claim
    /// A merged group holds the values of its parts, and a value that needs protection came from a
    /// part with l values: monotone.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let protected = group.entries().iter().any(|(code, _)| self.cared_for[*code as usize]);
        let values = if protected { Fraction::from(group.entries().len() as u64) } else { Fraction::INFINITE };
        Evidence::of(group, values >= Fraction::from(self.l), [Measure::least(values)])
    }

    /// # Claim
    /// Fewer than l values could not all have at most one in l. A value that needs protection may
    /// join a group without one: only where all need it, growth is harmless.
    fn properties(&self) -> Properties {
        let merging = if all_need_protection(&self.cared_for) { Merging::SurvivesGrowth } else { Merging::Monotone };
        let least = least_values(self.l, &self.cared_for);
        let prefers_even = all_need_protection(&self.cared_for);
        Properties { least, eligibility: Some(self.l), prefers_even, ..Properties::of(merging) }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { symmetry: Some(self), promises: Some(self), ..Capabilities::NONE }
    }
}

impl Symmetry for DistinctDiversity {
    /// # Claim
    /// Of a value only its count is read, and whether it needs protection.
    fn interchangeable(&self, a: u32, b: u32) -> bool {
        self.cared_for[a as usize] == self.cared_for[b as usize]
    }
}

impl Promises for DistinctDiversity {
    /// # Claim
    /// A group with a value that needs protection has at least l different ones. Ruling out l − 2
    /// of them leaves another one beside it, so none is certain.
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        let About::Value(code) = about else { return None };
        let ruled_out = match knowledge {
            Knowledge::Nothing => 0,
            Knowledge::Eliminated(values) => values,
            Knowledge::Budget(_) | Knowledge::Distribution => return None,
        };
        let promises = self.cared_for.get(code as usize) == Some(&true) && self.l.saturating_sub(ruled_out) >= 2;
        promises.then_some(Limit { belief: Fraction::ONE, strict: true })
    }
}
