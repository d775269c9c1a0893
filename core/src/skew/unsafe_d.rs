//! Unsafe D: as few records as possible are withheld, which tells which value was the frequent one.
//!
//! **Withholds** records of the most frequent values until no value has more than 1/l of the rest
//! and l values could be S1 (F_l′ + |TS| > n/l). **Tells**: S1 is among the values that have the
//! most records left, and those are often fewer than l. **Cost**: no method that keeps both
//! conditions withholds less (Theorem 2), so this is the bound that others are measured by. It is
//! not published. **Reference**: "Publishing Skewed Sensitive Microdata" (l-dichotomy), Section
//! 3.3.
//!
//! ```
//! use sfumato::skew::{Skewed, find};
//!
//! let bound = (find("unsafe-d")?.build)(&Default::default());
//! assert_eq!(bound.expected(&Skewed::new(&[10, 4, 2, 1, 1], 3)?).to_f64().value(), 6.0);
//! assert!(!bound.is_publishable());
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::deterministic::DSuppression;
use super::levels::Lowered;
use super::{Build, Skewed};
use crate::kind::Kind;

/// The description of the bound.
pub const KIND: Kind<Build> = Kind {
    name: "unsafe-d",
    summary: "Withholds the fewest records that make the table eligible: a bound for comparison, not private and not published",
    reference: "l-dichotomy, Section 3.3",
    params: &[],
    example: &[],
    build: |_| Box::new(DSuppression { kept, is_safe: false, figure: "unsafe_d" }),
};

fn kept(table: &Skewed) -> Vec<u64> {
    let whole = Lowered::new(table, table.frequency(1));
    whole.kept_at(whole.stop())
}
