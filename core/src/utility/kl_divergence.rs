//! Kullback–Leibler divergence between the table and what the release says about it.
//!
//! **Definition**: Σ_x F(x)·ln(F(x)/F\*(x)) over vectors x of quasi-identifiers and sensitive
//! values, F their share among all records, F\*(x) = c/(n·area): c the number of records published
//! like x's, area the number of base vectors under its published quasi-identifiers (the product of
//! leaves under each value). Sensitive values are not generalized. A suppressed record counts as
//! published with `*` in every quasi-identifier. **Reference**: Kifer and Gehrke 2006;
//! Machanavajjhala et al. 2007, Section 6.

use super::{Build, Candidate, Fixed, Metric, Scales, UNIT, fixed};
use crate::kind::Kind;

/// The description of the divergence.
pub const KIND: Kind<Build> = Kind {
    name: "kl-divergence",
    summary: "Divergence between the table's joint distribution and the one that the release suggests",
    reference: "Kifer and Gehrke 2006",
    params: &[],
    example: &[],
    build: |_| Box::new(KlDivergence),
};

struct KlDivergence;

fn ln_area(scales: &Scales, levels: &[usize]) -> Fixed {
    scales.columns.iter().zip(levels).map(|(scale, &level)| scale.levels[level].ln_leaves).sum()
}

/// With c(x) records like x in the table: `ln(F/F*) = ln c(x) − ln c + ln area`, so the sum is
/// `Σc(x)·ln c(x) − Σc·ln c + Σ ln area`, over n.
fn divergence(scales: &Scales, joint: Fixed, ln_area: Fixed) -> f64 {
    ((scales.joint - joint + ln_area) as f64 / UNIT / scales.records.max(1) as f64).max(0.0)
}

impl Metric for KlDivergence {
    fn measure(&self, candidate: &Candidate<'_>) -> f64 {
        let joint = (candidate.joint)();
        let of_suppressed = |group: usize| -> Fixed {
            let column = |at: usize| {
                let under = candidate.scale(at).leaves_under[candidate.code(group, at) as usize].max(1);
                fixed(
                    candidate.sizes[group] as f64
                        * (candidate.scales.columns[at].leaves as f64 / f64::from(under)).ln(),
                )
            };
            (0..candidate.levels.len()).map(column).sum()
        };
        let more: Fixed = candidate.suppressed_groups().map(of_suppressed).sum();
        divergence(candidate.scales, joint.kept + joint.suppressed, ln_area(candidate.scales, candidate.levels) + more)
    }

    fn bound(&self, _: &Scales, _: &[usize], _: u64) -> f64 {
        0.0
    }

    /// # Claim
    /// F\* has mass at most 1 and is constant on the boxes of base vectors that levels make; of all
    /// such functions the one without suppression is closest to F, and on coarser boxes none is
    /// closer (they are unions of these). A hair is taken off for the rounding of sums.
    fn bound_of(&self, candidate: &Candidate<'_>) -> f64 {
        let joint = (candidate.joint)();
        divergence(candidate.scales, joint.all, ln_area(candidate.scales, candidate.levels)) - 1e-9
    }

    fn needs_joint(&self) -> bool {
        true
    }
}
