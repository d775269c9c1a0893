//! k-anonymity: every person hides among at least k.
//!
//! **Promises** that nobody can be linked to fewer than k records by quasi-identifiers alone.
//! **Threat**: linking with a register that holds names. **Definition**: every group has at least k
//! records. Nothing is said about sensitive values: a group may be homogeneous. **Cost**: one
//! comparison per group. **Reference**: Samarati 2001; Sweeney 2002; Machanavajjhala et al. 2007,
//! Definition 2.2.
//!
//! ```
//! let verdict = sfumato::example("k-anonymity", &[("k", "3")])?;
//! assert!(verdict.holds);
//! assert_eq!(verdict.measured, Some(3.0)); // the smallest group
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::{
    About, Bound, Build, Capabilities, Criterion, Evidence, Holders, Knowledge, Least, Limit, Measure, Merging, On,
    Promises, Properties, Subject, Symmetry,
};
use crate::candidate::Histogram;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Shape};
use std::sync::Arc;

/// The description of k-anonymity.
pub const KIND: Kind<Build> = Kind {
    name: "k-anonymity",
    summary: "Every group has at least k records",
    reference: "Samarati 2001; Sweeney 2002",
    params: &[Param { name: "k", summary: "the smallest group allowed", shape: Shape::Count(1), default: None }],
    example: &[("k", "5")],
    build: Build {
        on: On::Nothing,
        bind: |context| {
            let criterion = Arc::new(KAnonymity { k: context.params.count("k") });
            Ok(Bound { subject: Subject::Nothing, criterion, holders: Holders::OneEach, goes_by: None })
        },
    },
};

struct KAnonymity {
    k: u64,
}

impl Criterion for KAnonymity {
    /// # Claim
    /// Merging adds sizes, so a merged group is at least as large as its parts: monotone.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        Evidence::of(group, group.size() >= self.k, [Measure::least(Fraction::from(group.size()))])
    }

    fn properties(&self) -> Properties {
        Properties { least: Least { size: self.k, values: 1 }, ..Properties::of(Merging::SurvivesGrowth) }
    }

    fn holds(&self, group: &Histogram<'_>) -> bool {
        group.size() >= self.k
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { symmetry: Some(self), promises: Some(self), ..Capabilities::NONE }
    }
}

impl Symmetry for KAnonymity {
    /// # Claim
    /// Values are not read.
    fn interchangeable(&self, _a: u32, _b: u32) -> bool {
        true
    }

    /// # Claim
    /// Values are not read.
    fn ignores(&self, _code: u32, _at_most: u64, _size: u64) -> bool {
        true
    }
}

impl Promises for KAnonymity {
    /// # Claim
    /// A person's record is one of the at least k of her group, and nothing in the release tells
    /// them apart.
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        let concerned = about == About::Identity && knowledge == Knowledge::Nothing;
        concerned.then(|| Limit { belief: Fraction::new(1, u128::from(self.k)), strict: false })
    }
}
