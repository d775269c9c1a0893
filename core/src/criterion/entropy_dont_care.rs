//! Entropy l-diversity with don't-care values: some values may be known, the others stay uncertain.
//!
//! **Promises** entropy l-diversity after counts of don't-care values (say, "healthy") are lowered
//! as far as helps: they may dominate a group without harm. **Threat**: as entropy l-diversity, for
//! the values that need protection. **Definition**: adjusted entropy ≥ ln l, the adjusted entropy
//! being the largest that lowering don't-care counts can give. A group of don't-care values only
//! holds. **Cost**: as entropy l-diversity, plus sorting the don't-care counts. **Reference**:
//! Machanavajjhala et al. 2007, Definition 4.5 and Algorithm 1.
//!
//! # Claim
//! With r don't-care counts lowered, exp(adjusted entropy) is the effective number of the counts
//! that stay, plus r (see `EffectiveNumber`), so the threshold is decided in integers. Monotone by
//! Theorem 5.4.
//!
//! ```
//! let wanted = [("l", "1.5"), ("dont_care", "[\"flu\"]")];
//! let verdict = sfumato::example("entropy-l-diversity-dont-care", &wanted)?;
//! assert!(verdict.holds);
//! assert_eq!(verdict.measured, Some(2.0)); // one case of cancer, and the flu lowered to one
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::{Bound, Build, Context, On, entropy};
use crate::error::{Error, Result};
use crate::kind::{Kind, Param, Shape};

/// The parameter that names don't-care values.
pub(super) const DONT_CARE: Param =
    Param { name: "dont_care", summary: "values that may be disclosed", shape: Shape::Values, default: Some("") };

/// The description of entropy l-diversity with don't-care values.
pub const KIND: Kind<Build> = Kind {
    name: "entropy-l-diversity-dont-care",
    summary: "Entropy l-diversity in which some values may be disclosed (adjusted entropy)",
    reference: "Machanavajjhala et al. 2007, Definition 4.5",
    params: &[entropy::L, DONT_CARE],
    example: &[("l", "2"), ("dont_care", "[\"flu\"]")],
    build: Build {
        on: On::Column,
        bind: |context| Bound::on_column(context, entropy::make(context.params, cared_for(context)?)?),
    },
};

/// The values that need protection: not under `dont_care`, and under `sensitive_values` if there
/// are any.
pub(super) fn cared_for(context: &Context<'_>) -> Result<Vec<bool>> {
    let mut cared_for = context.cared_for()?;
    let named = context.schema.find(&context.on[0]).map_or(&[][..], |spec| &spec.sensitive_values);
    if context.params.values("dont_care").iter().any(|value| named.contains(value)) {
        let message =
            format!("column \"{}\": a value stands under both `sensitive_values` and `dont_care`", context.on[0]);
        return Err(Error::plan(message).help("a value is either protected or not"));
    }
    for code in context.codes_of("dont_care")? {
        cared_for[code as usize] = false;
    }
    Ok(cared_for)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    /// The run-through of Algorithm 1 in the paper: don't-care {11, 10, 3, 2}, sensitive {3, 4}.
    #[test]
    fn the_papers_example() {
        let written = [("l", number("1")), ("dont_care", values(&["a", "b", "c", "d"]))];
        let measured = of_counts("entropy-l-diversity-dont-care", &written, &[11, 10, 3, 2, 3, 4]).measured.unwrap();
        let mean = |counts: &[f64]| counts.iter().map(|c| c * c.ln()).sum::<f64>() / counts.iter().sum::<f64>();
        let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
        assert_eq!(rounded(mean(&[3.0, 4.0])), 1.263);
        assert_eq!(rounded(mean(&[3.0, 4.0, 2.0])), 1.136);
        let lowered = mean(&[3.0, 4.0, 2.0, 3.0]).exp();
        assert_eq!(rounded(lowered.ln()), 1.127);
        let counts = [lowered, lowered, 3.0, 2.0, 3.0, 4.0];
        let total: f64 = counts.iter().sum();
        let entropy: f64 = counts.iter().map(|c| -(c / total) * (c / total).ln()).sum();
        assert!((measured - entropy.exp()).abs() < 1e-12);
    }

    #[test]
    fn at_the_threshold_lowered_counts_decide_exactly() {
        // Sensitive {1, 1}, don't-care {5, 5}: both are lowered to 1, effective number exactly 4.
        let written = |l: &str| [("l", number(l)), ("dont_care", values(&["a", "b"]))];
        assert!(of_counts("entropy-l-diversity-dont-care", &written("4"), &[5, 5, 1, 1]).holds);
        assert!(!of_counts("entropy-l-diversity-dont-care", &written("4.0000000000000000001"), &[5, 5, 1, 1]).holds);
    }

    #[test]
    fn a_group_without_protected_values_holds() {
        let written = [("l", number("9")), ("dont_care", values(&["a"]))];
        let verdict = of_counts("entropy-l-diversity-dont-care", &written, &[7]);
        assert!(verdict.holds && verdict.measured.is_none());
    }
}
