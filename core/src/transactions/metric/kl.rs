//! Kullback–Leibler divergence of the frequencies of items.
//!
//! **Definition**: Σ T'(i)·ln(T'(i)/T(i)) over items i, T(i) the item's share of all occurrences in
//! the original and T'(i) in what is published. A coarser item's share is divided equally among the
//! items that it stands for. Infinite if nothing is published of something. **Reference**: Jia,
//! Pan, Xu, Zhu and Lo 2014, equation (3).

use super::{Build, Compared, Metric};
use crate::kind::Kind;

/// The description of the divergence.
pub const KIND: Kind<Build> = Kind {
    name: "kl",
    summary: "Divergence of the published frequencies of items from those of the original",
    reference: "Jia et al. 2014, equation (3)",
    params: &[],
    example: &[],
    build: |_| Box::new(Kl),
};

struct Kl;

impl Metric for Kl {
    fn measure(&self, compared: &Compared<'_>) -> f64 {
        match shares(compared) {
            Some((before, after)) => divergence(&after, &before),
            None => f64::INFINITY,
        }
    }
}

/// The shares of the original's items, there and as published; nothing if no share is published
/// though there are some. Without any occurrence all shares are zero.
pub(super) fn shares(compared: &Compared<'_>) -> Option<(Vec<f64>, Vec<f64>)> {
    let before = compared.original.supports();
    let published = compared.released.supports();
    let (all, left) = (before.iter().sum::<u64>(), published.iter().sum::<u64>());
    if all > 0 && left == 0 {
        return None;
    }
    let mut after = vec![0.0; before.len()];
    for (items, count) in compared.stands_for().iter().zip(published).filter(|(_, count)| *count > 0) {
        let share = count as f64 / left as f64 / items.len() as f64;
        items.iter().for_each(|item| after[*item as usize] += share);
    }
    Some((before.iter().map(|count| *count as f64 / all.max(1) as f64).collect(), after))
}

/// Σ p·ln(p/q); never negative.
pub(super) fn divergence(p: &[f64], q: &[f64]) -> f64 {
    let terms = p.iter().zip(q).filter(|(p, _)| **p > 0.0).map(|(p, q)| p * (p / q).ln());
    // Rounding may lead below zero where both are nearly the same.
    terms.sum::<f64>().max(0.0)
}
