//! Discernibility: how many records each record cannot be told from.
//!
//! **Definition**: Σ over kept groups of the squared size, plus all n records for every suppressed
//! one. **Reference**: Bayardo and Agrawal 2005; Machanavajjhala et al. 2007, Section 6.

use super::{Build, Candidate, Metric, Scales};
use crate::kind::Kind;

/// The description of discernibility.
pub const KIND: Kind<Build> = Kind {
    name: "discernibility",
    summary: "Squared sizes of kept groups, plus all records for every suppressed one",
    reference: "Bayardo and Agrawal 2005",
    params: &[],
    example: &[],
    build: |_| Box::new(Discernibility),
};

struct Discernibility;

/// Σ of squared sizes of all groups.
pub fn of_all_groups(candidate: &Candidate<'_>) -> f64 {
    candidate.sizes.iter().map(|&size| u128::from(size) * u128::from(size)).sum::<u128>() as f64
}

/// # Claim
/// n records in at most g groups have Σ sizes² ≥ n²/g (Cauchy and Schwarz), and coarser candidates
/// have at most as many groups.
pub fn least_squares(scales: &Scales, most_groups: u64) -> f64 {
    let records = u128::from(scales.records);
    (records * records).div_ceil(u128::from(most_groups.max(1))) as f64
}

impl Metric for Discernibility {
    fn measure(&self, candidate: &Candidate<'_>) -> f64 {
        let kept: u128 = candidate.kept_sizes().map(|size| u128::from(size) * u128::from(size)).sum();
        (kept + u128::from(candidate.suppressed_records()) * u128::from(candidate.scales.records)) as f64
    }

    fn bound(&self, scales: &Scales, _: &[usize], most_groups: u64) -> f64 {
        least_squares(scales, most_groups)
    }

    /// # Claim
    /// A suppressed record costs n, at least the size of its group; and merging groups adds twice
    /// the product of their sizes.
    fn bound_of(&self, candidate: &Candidate<'_>) -> f64 {
        of_all_groups(candidate)
    }
}
