//! Symmetric divergence of the frequencies of items.
//!
//! **Definition**: ½·KL(T‖M) + ½·KL(T'‖M), M = (T + T')/2, with shares T and T' as for
//! [`kl`](super::kl): from 0 to ln 2, which it is if nothing is published of something. It is
//! finite also where items vanish. **Reference**: Jia, Pan, Xu, Zhu and Lo 2014, Section 4.1; Lin
//! 1991.

use super::kl::{divergence, shares};
use super::{Build, Compared, Metric};
use crate::kind::Kind;

/// The description of the divergence.
pub const KIND: Kind<Build> = Kind {
    name: "symmetric-kl",
    summary: "Divergence of both frequencies of items, published and original, from their mean",
    reference: "Jia et al. 2014, Section 4.1",
    params: &[],
    example: &[],
    build: |_| Box::new(SymmetricKl),
};

struct SymmetricKl;

impl Metric for SymmetricKl {
    fn measure(&self, compared: &Compared<'_>) -> f64 {
        let Some((before, after)) = shares(compared) else { return std::f64::consts::LN_2 };
        let mean: Vec<f64> = before.iter().zip(&after).map(|(before, after)| (before + after) / 2.0).collect();
        (divergence(&before, &mean) + divergence(&after, &mean)) / 2.0
    }
}
