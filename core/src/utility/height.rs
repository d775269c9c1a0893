//! Generalization height: how many steps values were taken up their hierarchies.
//!
//! **Definition**: the sum of levels. **Blind to** groups, suppression, how much a step loses, and
//! weights: it counts steps, of which each is one.
//! **Reference**: Samarati 2001; LeFevre et al. 2005; Machanavajjhala et al. 2007, Section 6.

use super::{Build, Candidate, Metric, Scales, Terms};
use crate::kind::Kind;

/// The description of the generalization height.
pub const KIND: Kind<Build> = Kind {
    name: "height",
    summary: "Sum of the levels of all quasi-identifiers",
    reference: "Samarati 2001",
    params: &[],
    example: &[],
    build: |_| Box::new(Height),
};

struct Height;

impl Metric for Height {
    fn measure(&self, candidate: &Candidate<'_>) -> f64 {
        candidate.levels.iter().sum::<usize>() as f64
    }

    /// # Claim
    /// The value itself; coarser candidates have larger sums.
    fn bound(&self, _: &Scales, levels: &[usize], _: u64) -> f64 {
        levels.iter().sum::<usize>() as f64
    }

    fn bound_of(&self, candidate: &Candidate<'_>) -> f64 {
        self.measure(candidate)
    }

    fn terms(&self, scales: &Scales) -> Option<Terms> {
        Some(Terms::new(scales, |sum| sum, |_, level| level as f64))
    }

    fn is_exact(&self) -> bool {
        true
    }
}
