//! How many association rules of the original are lost.
//!
//! **Definition**: the number of rules of the original that the release does not have. A rule X → y
//! has items that are not sensitive, X is not empty, at least the share `support` of all records
//! holds X and y, and of those with X at least the share `confidence` holds y. With `longest`, of
//! each record only its first so many items that are not sensitive are read, and of what is
//! published only what stands for them. A rule with coarser items stands for one rule for each
//! choice of the items that they stand for. Not a number if there are more than five million rules
//! or sets of items: too many to compare. **Reference**: Jia, Pan, Xu, Zhu and Lo 2014, equation
//! (4) and Section 4.1.

use super::rules::{Mining, PARAMS};
use super::{Build, Compared, Metric};
use crate::kind::Kind;

/// The description of the metric.
pub const KIND: Kind<Build> = Kind {
    name: "lost-rules",
    summary: "How many rules between items that are not sensitive are lost",
    reference: "Jia et al. 2014, Section 4.1",
    params: PARAMS,
    example: &[("support", "0.001")],
    build: |params| Box::new(LostRules(Mining::new(params))),
};

struct LostRules(Mining);

impl Metric for LostRules {
    fn measure(&self, compared: &Compared<'_>) -> f64 {
        compared.rules(self.0).map_or(f64::NAN, |rules| rules.before - rules.both)
    }
}
