//! Discernibility without a penalty for suppression.
//!
//! **Definition**: Σ over all groups, kept or suppressed, of the squared size. **Blind to**
//! suppression. **Reference**: LeFevre et al. 2006 ("DM*").

use super::discernibility::{least_squares, of_all_groups};
use super::{Build, Candidate, Metric, Scales};
use crate::kind::Kind;

/// The description of discernibility without a penalty.
pub const KIND: Kind<Build> = Kind {
    name: "discernibility-star",
    summary: "Squared sizes of all groups, suppressed or not",
    reference: "LeFevre et al. 2006",
    params: &[],
    example: &[],
    build: |_| Box::new(DiscernibilityStar),
};

struct DiscernibilityStar;

impl Metric for DiscernibilityStar {
    fn measure(&self, candidate: &Candidate<'_>) -> f64 {
        of_all_groups(candidate)
    }

    fn bound(&self, scales: &Scales, _: &[usize], most_groups: u64) -> f64 {
        least_squares(scales, most_groups)
    }

    /// # Claim
    /// Merging groups adds twice the product of their sizes.
    fn bound_of(&self, candidate: &Candidate<'_>) -> f64 {
        of_all_groups(candidate)
    }
}
