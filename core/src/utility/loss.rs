//! Loss: how much of each hierarchy stands under the published values.
//!
//! **Definition**: for each quasi-identifier S = Σ over kept records of (leaves under the value /
//! leaves of the hierarchy) + suppressed records, normalised to (S − n/leaves)/(n − n/leaves), at
//! least 0; over quasi-identifiers with weights w the geometric mean Π(1+x)^(w/Σw) − 1, or the
//! arithmetic mean Σwx/Σw.
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

/// # Claim
/// By the arithmetic mean, a larger weight of a column never lets it lose more. Let it lose x in
/// the best candidate for weight w, and y in the best for w' > w; the others then lose X and Y,
/// times their weights. Each is best for its weight: wx + X ≤ wy + Y and w'y + Y ≤ w'x + X. Added
/// up, (w' − w)(y − x) ≤ 0. (The sum of weights, by which all values are divided, is the same for
/// all candidates.)
impl Loss {
    fn together(&self, scales: &Scales, columns: impl Iterator<Item = f64>) -> f64 {
        // By the heaviest: powers of at most two stay small however many columns there are.
        let weights = || scales.columns.iter().map(|scale| scale.weight.to_f64());
        let most = weights().fold(0.0, f64::max);
        let columns = columns.zip(weights().map(|weight| weight / most));
        let all = weights().map(|weight| weight / most).sum::<f64>().max(f64::MIN_POSITIVE);
        if self.geometric {
            columns.map(|(lost, weight)| (1.0 + lost).powf(weight)).product::<f64>().powf(1.0 / all) - 1.0
        } else {
            columns.map(|(lost, weight)| weight * lost).sum::<f64>() / all
        }
    }

    fn without_suppression(&self, scales: &Scales, levels: &[usize]) -> f64 {
        let columns = scales.columns.iter().zip(levels);
        let lost = columns.map(|(scale, &level)| of_column(scale, scales.records, scale.levels[level].leaves));
        self.together(scales, lost)
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
        let lost =
            columns.map(|(at, scale)| of_column(scale, candidate.scales.records, leaves_under_all(candidate, at)));
        self.together(candidate.scales, lost)
    }

    /// # Claim
    /// At most all leaves stand under a value, so suppressing never lowers S; a coarser value has
    /// at least as many leaves under it. Both means grow with each S, whatever the weights.
    fn bound(&self, scales: &Scales, levels: &[usize], _: u64) -> f64 {
        self.without_suppression(scales, levels)
    }

    fn bound_of(&self, candidate: &Candidate<'_>) -> f64 {
        self.without_suppression(candidate.scales, candidate.levels)
    }

    fn terms(&self, scales: &Scales) -> Option<Terms> {
        let all = scales.weights();
        let lost = |scale: &Scale, level: usize| of_column(scale, scales.records, scale.levels[level].leaves);
        Some(match self.geometric {
            true => Terms::new(scales, f64::exp_m1, move |scale, level| {
                lost(scale, level).ln_1p() * scale.weight.to_f64() / all
            }),
            false => {
                Terms::new(scales, |sum| sum, move |scale, level| lost(scale, level) * scale.weight.to_f64() / all)
            }
        })
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn weighs_columns(&self) -> bool {
        true
    }
}
