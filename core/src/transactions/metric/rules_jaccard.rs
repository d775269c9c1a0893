//! How alike the association rules of the original and of the release are.
//!
//! **Definition**: rules of both over rules of either; 1 if there are none. A rule X → y has items
//! that are not sensitive, X is not empty, at least the share `support` of all records holds X and
//! y, and of those with X at least the share `confidence` holds y. With `longest`, of each record
//! only its first so many items that are not sensitive are read, and of what is published only what
//! stands for them. A rule with coarser items stands for one rule for each choice of the items that
//! they stand for. Not a number if there are more than five million rules or sets of items: too
//! many to compare. **Reference**: Jia, Pan, Xu, Zhu and Lo 2014, equation (4) and Section 4.1.

use super::rules::{Mining, PARAMS};
use super::{Build, Compared, Metric};
use crate::kind::Kind;

/// The description of the metric.
pub const KIND: Kind<Build> = Kind {
    name: "rules-jaccard",
    summary: "Jaccard similarity of the rules between items that are not sensitive, before and after",
    reference: "Jia et al. 2014, Section 4.1",
    params: PARAMS,
    example: &[("support", "0.001")],
    build: |params| Box::new(RulesJaccard(Mining::new(params))),
};

struct RulesJaccard(Mining);

impl Metric for RulesJaccard {
    fn measure(&self, compared: &Compared<'_>) -> f64 {
        compared.rules(self.0).map_or(f64::NAN, |rules| rules.similarity())
    }
}
