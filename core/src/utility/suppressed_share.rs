//! The share of records that were suppressed.
//!
//! **Definition**: suppressed records over all records. **Blind to** generalization.
//! **Reference**: Samarati 2001.

use super::{Build, Candidate, Metric, Scales};
use crate::kind::Kind;

/// The description of the share.
pub const KIND: Kind<Build> = Kind {
    name: "suppressed-share",
    summary: "Share of the records that were suppressed",
    reference: "Samarati 2001",
    params: &[],
    example: &[],
    build: |_| Box::new(SuppressedShare),
};

struct SuppressedShare;

impl Metric for SuppressedShare {
    fn measure(&self, candidate: &Candidate<'_>) -> f64 {
        candidate.suppressed_records() as f64 / candidate.scales.records.max(1) as f64
    }

    fn bound(&self, _: &Scales, _: &[usize], _: u64) -> f64 {
        0.0
    }

    fn bound_of(&self, _: &Candidate<'_>) -> f64 {
        0.0
    }

    fn is_exact(&self) -> bool {
        true
    }
}
