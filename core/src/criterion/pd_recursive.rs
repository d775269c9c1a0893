//! Positive disclosure-recursive (c,l)-diversity: recursive diversity in which some values may be
//! known.
//!
//! **Promises** recursive (c,l)-diversity for every value outside the don't-care set, however
//! frequent don't-care values are. **Threat**: as recursive diversity, for the values that need
//! protection. **Definition**: with r_y the count of the most frequent value that needs protection,
//! r_y < c·(what is left without it and the l − 2 most frequent others). A group of don't-care
//! values only holds. **Cost**: sorting the counts of a group. **Reference**: Machanavajjhala et
//! al. 2007, Definition 4.3.
//!
//! # Claim
//! The two cases of the definition are one ratio (see `recursive_ratio`), so this is recursive
//! diversity with fewer values to protect. Monotone by Theorem 5.3: in a merged group the most
//! frequent protected value occurs at most as often as the most frequent ones of the parts
//! together, and its tail is at least the sum of the parts' tails.
//!
//! ```
//! let wanted = [("c", "1"), ("l", "2"), ("dont_care", "[\"flu\"]")];
//! let verdict = sfumato::example("pd-recursive-cl-diversity", &wanted)?;
//! assert!(verdict.holds); // at most half of a group is known not to have the flu
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::entropy_dont_care::{DONT_CARE, cared_for};
use super::{Bound, Build, On, recursive};
use crate::kind::Kind;

/// The description of pd-recursive diversity.
pub const KIND: Kind<Build> = Kind {
    name: "pd-recursive-cl-diversity",
    summary: "Recursive (c,l)-diversity in which some values may be disclosed",
    reference: "Machanavajjhala et al. 2007, Definition 4.3",
    params: &[recursive::C, recursive::L, DONT_CARE],
    example: &[("c", "2"), ("l", "2"), ("dont_care", "[\"flu\"]")],
    build: Build {
        on: On::Column,
        bind: |context| Bound::on_column(context, recursive::make(context.params, cared_for(context)?)?),
    },
};

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    /// "if c = 0.03, then at most 3 % of the patients … are not healthy" is c/(c+1) in the limit: 2
    /// of 100 against 3 of 103.
    #[test]
    fn healthy_may_dominate() {
        let with = |c: &str, healthy: usize, sick: usize| {
            let written = [("c", number(c)), ("l", number("2")), ("dont_care", values(&["a"]))];
            of_counts("pd-recursive-cl-diversity", &written, &[healthy, sick]).holds
        };
        assert!(with("0.03", 100, 2));
        assert!(!with("0.03", 100, 3), "3 < 0.03 × 100 is false");
        assert!(!with("1", 50, 50));
        assert!(with("1", 51, 50));
        assert!(with("0.001", 7, 0));
    }
}
