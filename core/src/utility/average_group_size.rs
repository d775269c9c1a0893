//! Average group size.
//!
//! **Definition**: records over kept groups, all suppressed records together counting as one more
//! group. **Reference**: LeFevre et al. 2006; Machanavajjhala et al. 2007, Section 6.

use super::{Build, Candidate, Metric, Scales};
use crate::kind::Kind;

/// The description of the average group size.
pub const KIND: Kind<Build> = Kind {
    name: "average-group-size",
    summary: "Records over kept groups, the suppressed ones counting as one group",
    reference: "LeFevre et al. 2006",
    params: &[],
    example: &[],
    build: |_| Box::new(AverageGroupSize),
};

struct AverageGroupSize;

impl Metric for AverageGroupSize {
    fn measure(&self, candidate: &Candidate<'_>) -> f64 {
        let kept = candidate.kept_sizes().count() as u64;
        let groups = kept + u64::from(candidate.suppressed.contains(&true));
        candidate.scales.records as f64 / groups.max(1) as f64
    }

    /// # Claim
    /// If nothing is suppressed, kept groups are all groups; if something is, at least one group is
    /// not kept and one is counted for it. So at most all groups count, and coarser candidates have
    /// no more of them.
    fn bound(&self, scales: &Scales, _: &[usize], most_groups: u64) -> f64 {
        scales.records as f64 / most_groups.max(1) as f64
    }

    fn bound_of(&self, candidate: &Candidate<'_>) -> f64 {
        candidate.scales.records as f64 / candidate.sizes.len().max(1) as f64
    }
}
