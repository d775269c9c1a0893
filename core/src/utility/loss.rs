//! Loss: how much of each hierarchy stands under the published values.
//!
//! **Definition**: for each quasi-identifier S = Σ over kept records of (leaves under the value /
//! leaves of the hierarchy) + suppressed records, normalised to (S − n/leaves)/(n − n/leaves), at
//! least 0; over quasi-identifiers the geometric mean Π(1+x)^(1/d) − 1, or the arithmetic mean.
//! **Reference**: Iyengar 2002; aggregated as in ARX.

use super::{Build, Candidate, Metric, Scale, Scales, Terms};
use crate::kind::{Kind, Param, Shape};

/// The description of loss.
pub const KIND: Kind<Build> = Kind {
    name: "loss",
    summary: "Share of each hierarchy that stands under the published values, suppressed records counting in full",
    reference: "Iyengar 2002",
    params: &[Param {
        name: "mean",
        summary: "how quasi-identifiers are put together",
        shape: Shape::Choice(&["geometric", "arithmetic"]),
        default: Some("geometric"),
    }],
    example: &[("mean", "\"geometric\"")],
    build: |params| Box::new(Loss { geometric: params.choice("mean") == "geometric" }),
};

struct Loss {
    geometric: bool,
}

/// The loss of one quasi-identifier, from the leaves under all records' values; suppressed records
/// have the whole hierarchy under them.
pub fn of_column(scale: &Scale, records: u64, leaves_under_all: u128) -> f64 {
    let (records, leaves) = (u128::from(records), u128::from(scale.leaves));
    // (S − n/leaves)/(n − n/leaves) with S = leaves_under_all/leaves, both sides times `leaves`.
    let (above, span) = (leaves_under_all.saturating_sub(records), records * leaves.saturating_sub(1));
    if span == 0 { 0.0 } else { above as f64 / span as f64 }
}

impl Loss {
    fn together(&self, columns: impl ExactSizeIterator<Item = f64>) -> f64 {
        let count = columns.len().max(1) as f64;
        if self.geometric {
            columns.map(|lost| 1.0 + lost).product::<f64>().powf(1.0 / count) - 1.0
        } else {
            columns.sum::<f64>() / count
        }
    }

    fn without_suppression(&self, scales: &Scales, levels: &[usize]) -> f64 {
        let columns = scales.columns.iter().zip(levels);
        self.together(columns.map(|(scale, &level)| of_column(scale, scales.records, scale.levels[level].leaves)))
    }
}

/// The leaves under the values of all records in a column, suppressed records with the whole
/// hierarchy under them.
pub fn leaves_under_all(candidate: &Candidate<'_>, column: usize) -> u128 {
    let (scale, level) = (&candidate.scales.columns[column], candidate.scale(column));
    let more = candidate.suppressed_groups().map(|group| {
        let under = u64::from(level.leaves_under[candidate.code(group, column) as usize]);
        u128::from(candidate.sizes[group]) * u128::from(scale.leaves - under)
    });
    level.leaves + more.sum::<u128>()
}

impl Metric for Loss {
    fn measure(&self, candidate: &Candidate<'_>) -> f64 {
        let columns = candidate.scales.columns.iter().enumerate();
        self.together(
            columns.map(|(at, scale)| of_column(scale, candidate.scales.records, leaves_under_all(candidate, at))),
        )
    }

    /// # Claim
    /// At most all leaves stand under a value, so suppressing never lowers S; a coarser value has
    /// at least as many leaves under it. Both means grow with each S.
    fn bound(&self, scales: &Scales, levels: &[usize], _: u64) -> f64 {
        self.without_suppression(scales, levels)
    }

    fn bound_of(&self, candidate: &Candidate<'_>) -> f64 {
        self.without_suppression(candidate.scales, candidate.levels)
    }

    fn terms(&self, scales: &Scales) -> Option<Terms> {
        let columns = scales.columns.len().max(1) as f64;
        let lost = |scale: &Scale, level: usize| of_column(scale, scales.records, scale.levels[level].leaves);
        Some(match self.geometric {
            true => Terms::new(scales, f64::exp_m1, |scale, level| lost(scale, level).ln_1p() / columns),
            false => Terms::new(scales, |sum| sum, |scale, level| lost(scale, level) / columns),
        })
    }

    fn is_exact(&self) -> bool {
        true
    }
}
