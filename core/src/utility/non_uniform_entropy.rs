//! Non-uniform entropy: how many bits it takes to get from published values back to the original
//! ones.
//!
//! **Definition**: for each quasi-identifier −Σ over records log₂(records with the original value /
//! records with the generalized value), plus −Σ_v c_v·log₂(c_v/S) over the generalized values v
//! among the S suppressed records; summed over quasi-identifiers, each times its weight.
//! **Reference**: De Waal and Willenborg 1999; Gionis and Tassa 2009; suppression as in ARX.

use super::{Build, Candidate, Fixed, Metric, Scales, Terms, UNIT, times_ln};
use crate::kind::Kind;

/// The description of non-uniform entropy.
pub const KIND: Kind<Build> = Kind {
    name: "non-uniform-entropy",
    summary: "Bits needed to restore the original values, over all records and quasi-identifiers",
    reference: "Gionis and Tassa 2009",
    params: &[],
    example: &[],
    build: |_| Box::new(NonUniformEntropy),
};

struct NonUniformEntropy;

fn of_levels(scales: &Scales, levels: &[usize]) -> Fixed {
    scales.columns.iter().zip(levels).map(|(scale, &level)| scale.weight.times(scale.levels[level].entropy)).sum()
}

impl Metric for NonUniformEntropy {
    fn measure(&self, candidate: &Candidate<'_>) -> f64 {
        let suppressed = candidate.suppressed_records();
        // −Σ c·log₂(c/S) = (S·ln S − Σ c·ln c)/ln 2.
        let of_column = |column: usize| -> Fixed {
            let mut counts = vec![0u64; candidate.scale(column).counts.len()];
            for group in candidate.suppressed_groups() {
                counts[candidate.code(group, column) as usize] += candidate.sizes[group];
            }
            let bits = times_ln(suppressed) - counts.into_iter().map(times_ln).sum::<Fixed>();
            candidate.scales.columns[column].weight.times(bits)
        };
        let lost: Fixed = if suppressed == 0 { 0 } else { (0..candidate.levels.len()).map(of_column).sum() };
        of_levels(candidate.scales, candidate.levels) as f64 / UNIT + lost as f64 / UNIT / std::f64::consts::LN_2
    }

    /// # Claim
    /// The second term is an entropy, hence not negative; the first grows with every level, since
    /// more records share a coarser value. Weights are positive.
    fn bound(&self, scales: &Scales, levels: &[usize], _: u64) -> f64 {
        of_levels(scales, levels) as f64 / UNIT
    }

    fn bound_of(&self, candidate: &Candidate<'_>) -> f64 {
        of_levels(candidate.scales, candidate.levels) as f64 / UNIT
    }

    fn terms(&self, scales: &Scales) -> Option<Terms> {
        Some(Terms::new(
            scales,
            |sum| sum,
            |scale, level| scale.weight.times(scale.levels[level].entropy) as f64 / UNIT,
        ))
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn weighs_columns(&self) -> bool {
        true
    }
}
