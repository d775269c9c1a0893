//! Unsafe D: as few records as possible are withheld, which tells which value was the frequent one.
//!
//! **Withholds** records of the most frequent values until no value has more than 1/l of the rest and l values could be S1 (F_l′ + |TS| > n/l).
//! **Tells**: S1 is among the values that have the most records left, and those are often fewer than l.
//! **Cost**: no method that keeps both conditions withholds less (Theorem 2), so this is the bound that others are measured by. It is not published.
//! **Reference**: "Publishing Skewed Sensitive Microdata" (l-dichotomy), Section 3.3.
//!
//! ```
//! use sfumato::skew::{Skewed, find};
//!
//! let bound = (find("unsafe-d")?.build)(&Default::default());
//! assert_eq!(bound.expected(&Skewed::new(&[10, 4, 2, 1, 1], 3)?).to_f64().value(), 6.0);
//! assert!(!bound.is_publishable());
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::levels::Lowered;
use super::{Build, Outcome, Seen, Skewed, Suppression};
use crate::kind::Kind;
use dashu_ratio::RBig;
use rand_chacha::ChaCha20Rng;

/// The description of the bound.
pub const KIND: Kind<Build> = Kind {
    name: "unsafe-d",
    summary: "Withholds the fewest records that make the table eligible: a bound for comparison, not private and not published",
    reference: "l-dichotomy, Section 3.3",
    params: &[],
    example: &[],
    build: |_| Box::new(UnsafeD),
};

struct UnsafeD;

impl UnsafeD {
    fn kept(table: &Skewed) -> Vec<u64> {
        let whole = Lowered::new(table, table.frequency(1));
        whole.kept_at(whole.stop())
    }
}

impl Suppression for UnsafeD {
    fn draw(&self, table: &Skewed, _generator: &mut ChaCha20Rng) -> Vec<u64> {
        Self::kept(table)
    }

    fn expected(&self, table: &Skewed) -> RBig {
        Lowered::new(table, table.frequency(1)).stop().withheld.into()
    }

    fn outcomes(&self, table: &Skewed, _most: u64) -> Option<Vec<Outcome>> {
        Some(vec![Outcome { kept: Self::kept(table), chance: RBig::ONE }])
    }

    fn beliefs(&self, published: &Seen) -> Option<Vec<RBig>> {
        Some(among_the_top(published))
    }

    fn knowledge(&self) -> &'static str {
        KNOWS_FREQUENCIES
    }

    fn figure(&self) -> &'static str {
        "unsafe_d"
    }

    fn keeps_to_limit(&self) -> bool {
        false
    }

    fn is_publishable(&self) -> bool {
        false
    }
}

/// What beliefs that hold for every prior are those of.
pub(super) const KNOWS_FREQUENCIES: &str =
    "the method, l, how many records the table had, and anything about frequencies but which value has which";

/// D-suppression keeps the order of frequencies, so S1 is among the values with the most records; a prior that treats values alike makes each of them as likely.
pub(super) fn among_the_top(published: &Seen) -> Vec<RBig> {
    let top = published.top();
    let belief = |at: usize| if at < top { RBig::from_parts(1.into(), top.into()) } else { RBig::ZERO };
    (0..published.counts.len()).map(belief).collect()
}
