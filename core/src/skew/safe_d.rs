//! Safe D: the l most frequent values are lowered to the same number of records.
//!
//! **Withholds** records of the values S1, …, S_{l−1} until each has as many as S_l: the first
//! point of D-suppression at which l values share the top. **Tells** that S1 is among the values
//! that have the most records left, of which there are at least l. **Cost**: Σ_{i<l} (F_i − F_l)
//! records, often most of the frequent values. **Reference**: "Publishing Skewed Sensitive
//! Microdata" (l-dichotomy), Section 3.2, Theorem 1.
//!
//! # Claim
//!
//! For every prior that treats values alike, no value is believed to be S1 by more than 1/l.
//! *Proof.* Values with the same number of records left are exchangeable: a table and the one in
//! which two of them are exchanged are equally likely, and lead here with the same chance. S1 is
//! one of the t ≥ l values at the top, so each of them is S1 with belief 1/t. ∎
//!
//! ```
//! use sfumato::skew::{Skewed, find};
//!
//! let safe = (find("safe-d")?.build)(&Default::default());
//! let outcomes = safe.outcomes(&Skewed::new(&[10, 4, 2, 1, 1], 3)?, 1).unwrap();
//! assert_eq!(outcomes[0].kept, [2, 2, 2, 1, 1]);
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::deterministic::DSuppression;
use super::{Build, Skewed};
use crate::kind::Kind;

/// The description of safe D-suppression.
pub const KIND: Kind<Build> = Kind {
    name: "safe-d",
    summary: "Lowers the l most frequent values to the same number of records: keeps to 1/l, and withholds much",
    reference: "l-dichotomy, Section 3.2",
    params: &[],
    example: &[],
    build: |_| Box::new(DSuppression { kept, is_safe: true, figure: "safe_d" }),
};

fn kept(table: &Skewed) -> Vec<u64> {
    let level = table.frequency(table.l());
    table.frequencies().iter().map(|&frequency| frequency.min(level)).collect()
}
