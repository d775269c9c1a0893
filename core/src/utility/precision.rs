//! Precision: how far up their hierarchies values were taken, as a share of the way.
//!
//! **Definition**: the mean over quasi-identifiers, by their weights, of (kept · level/height +
//! suppressed)/records.
//! **Blind to** how much a step loses. **Reference**: Sweeney 2002 ("Prec", as a loss: one minus
//! it).

use super::{Build, Candidate, Metric, Scale, Scales, Terms};
use crate::kind::Kind;

/// The description of precision.
pub const KIND: Kind<Build> = Kind {
    name: "precision",
    summary: "Mean share of the way up the hierarchies, suppressed records counting as all the way",
    reference: "Sweeney 2002",
    params: &[],
    example: &[],
    build: |_| Box::new(Precision),
};

struct Precision;

fn lost(scales: &Scales, levels: &[usize], suppressed: u64) -> f64 {
    let kept = (scales.records - suppressed) as f64;
    let of = |(level, scale): (&usize, &Scale)| {
        scale.weight.to_f64() * (kept * *level as f64 / scale.height().max(1) as f64 + suppressed as f64)
    };
    let sum: f64 = levels.iter().zip(&scales.columns).map(of).sum();
    sum / (scales.weights() * scales.records.max(1) as f64)
}

impl Metric for Precision {
    fn measure(&self, candidate: &Candidate<'_>) -> f64 {
        lost(candidate.scales, candidate.levels, candidate.suppressed_records())
    }

    /// # Claim
    /// A suppressed record counts as 1 ≥ level/height, so suppressing never lowers the value, and
    /// neither does a higher level.
    fn bound(&self, scales: &Scales, levels: &[usize], _: u64) -> f64 {
        lost(scales, levels, 0)
    }

    fn bound_of(&self, candidate: &Candidate<'_>) -> f64 {
        lost(candidate.scales, candidate.levels, 0)
    }

    fn terms(&self, scales: &Scales) -> Option<Terms> {
        let all = scales.weights();
        let share =
            |scale: &Scale, level: usize| scale.weight.to_f64() / all * level as f64 / scale.height().max(1) as f64;
        Some(Terms::new(scales, |sum| sum, share))
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn weighs_columns(&self) -> bool {
        true
    }
}
