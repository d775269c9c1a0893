//! Entropy l-diversity: the values of a group are as uncertain as l equally frequent ones.
//!
//! **Promises** that every group has the entropy of at least l equally frequent values; so it has
//! at least l values and none dominates. **Threat**: homogeneity and skew inside groups.
//! **Definition**: −Σ p·ln p ≥ ln l. Where only some values need protection (`sensitive_values`),
//! the others are don't-care values and the adjusted entropy decides, as for
//! `entropy-l-diversity-dont-care`. **Cost**: one logarithm per value of a group; a big-integer
//! decision only within 10⁻⁹ of the threshold. **Reference**: Øhrn and Ohno-Machado 1999;
//! Machanavajjhala et al. 2007, Definition 4.1.
//!
//! ```
//! let verdict = sfumato::example("entropy-l-diversity", &[("l", "1.8")])?;
//! assert!(verdict.holds);
//! assert!((verdict.measured.unwrap() - 1.8899).abs() < 1e-4);
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::shared::{EffectiveNumber, all_need_protection, least_values, surely_at_least};
use super::{
    About, Bound, Build, Capabilities, Criterion, Evidence, Knowledge, Limit, Measure, Merging, On, Promises,
    Properties, Pruning, Symmetry,
};
use crate::candidate::Histogram;
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Params, Range, Shape};

/// The parameter l.
pub(super) const L: Param = Param {
    name: "l",
    summary: "the number of equally frequent values with the entropy wanted",
    shape: Shape::Decimal(Range::FROM_ONE),
    default: None,
};

/// The parameters of entropy l-diversity.
pub(super) const PARAMS: &[Param] = &[L];

/// The description of entropy l-diversity.
pub const KIND: Kind<Build> = Kind {
    name: "entropy-l-diversity",
    summary: "The sensitive values of every group have at least the entropy of l equally frequent ones",
    reference: "Machanavajjhala et al. 2007, Definition 4.1",
    params: PARAMS,
    example: &[("l", "2")],
    build: Build {
        on: On::Column,
        bind: |context| Bound::on_column(context, make(context.params, context.cared_for()?)?),
    },
};

/// The criterion over a column in which only some values need protection.
pub(super) fn make(params: &Params, cared_for: Vec<bool>) -> Result<Box<dyn Criterion>> {
    Ok(Box::new(EntropyDiversity { l: params.decimal("l").fraction(), cared_for }))
}

/// A limit that a float belief, right to twelve digits, is rounded up to; nothing where it limits
/// nothing.
pub(super) fn limit_above(belief: f64, strict: bool) -> Option<Limit> {
    const STEPS: u128 = 1 << 60;
    let steps = (belief * (1.0 + 1e-12) * STEPS as f64).ceil();
    (steps < STEPS as f64).then(|| Limit { belief: Fraction::new(steps as u128, STEPS), strict })
}

/// The largest share of one of m values that leaves the entropy ln l.
fn largest_share(l: f64, m: usize) -> f64 {
    let others = (m as f64 - 1.0).ln();
    let entropy = |p: f64| -p * p.ln() - (1.0 - p) * ((1.0 - p).ln() - others);
    // From the uniform distribution on, the entropy falls as p grows. The margin is more than the
    // rounding of it. At one it is no number, which counts as too low: one stays the upper end.
    let (mut low, mut high) = (1.0 / m as f64, 1.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if entropy(middle) >= l.ln() - 1e-12 * (1.0 + l.ln()) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

struct EntropyDiversity {
    l: Fraction,
    cared_for: Vec<bool>,
}

impl Criterion for EntropyDiversity {
    /// # Claim
    /// Entropy is concave, so a merged group has at least the least entropy of its parts (Theorem
    /// 5.2; with don't-care values Theorem 5.4): monotone. The decision at the threshold is
    /// `nⁿ ≥ lⁿ·Πrʳ` in integers (see `EffectiveNumber`).
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let number = EffectiveNumber::new(group, &self.cared_for);
        let estimate = number.to_f64();
        let holds = !number.is_protected() || number.is_at_least(self.l, estimate);
        Evidence::of(group, holds, [Measure::least_real(estimate)])
    }

    /// # Claim
    /// The entropy is a mean of −ln p over values with shares p, so at least −ln of the largest
    /// one. That of m values is at most ln m.
    fn properties(&self) -> Properties {
        Properties {
            least: least_values(self.l.ceil(), &self.cared_for),
            eligibility: all_need_protection(&self.cared_for).then(|| self.l.ceil()),
            prefers_even: all_need_protection(&self.cared_for),
            ..Properties::of(Merging::Monotone)
        }
    }

    fn holds(&self, group: &Histogram<'_>) -> bool {
        let number = EffectiveNumber::new(group, &self.cared_for);
        !number.is_protected() || number.is_at_least(self.l, number.to_f64())
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { pruning: Some(self), symmetry: Some(self), promises: Some(self), ..Capabilities::NONE }
    }
}

impl Pruning for EntropyDiversity {
    /// # Claim
    /// Of all ways to take m records out, capping the largest counts leaves the most even ones
    /// (every other rest majorizes it), and a lower cap leaves more even ones still. So the highest
    /// cap under which the entropy suffices tells how many must go.
    fn least_removed(&self, group: &Histogram<'_>) -> u64 {
        if !all_need_protection(&self.cared_for) {
            return 0;
        }
        let l = self.l.to_f64() * (1.0 - 1e-9);
        let counts = group.descending();
        let removed = |cap: f64| counts.iter().map(|&count| (count as f64 - cap).max(0.0)).sum::<f64>();
        let suffices = |cap: f64| {
            let capped = || counts.iter().map(|&count| (count as f64).min(cap));
            let total: f64 = capped().sum();
            capped().map(|count| -(count / total) * (count / total).ln()).sum::<f64>().exp() >= l
        };
        let (mut low, mut high) = (0.0, counts.first().copied().unwrap_or(0) as f64);
        for _ in 0..20 {
            let middle = (low + high) / 2.0;
            if suffices(middle) { low = middle } else { high = middle }
        }
        surely_at_least(removed(high))
    }
}

impl Symmetry for EntropyDiversity {
    /// # Claim
    /// Of a value only its count is read, and whether it needs protection.
    fn interchangeable(&self, a: u32, b: u32) -> bool {
        self.cared_for[a as usize] == self.cared_for[b as usize]
    }
}

impl Promises for EntropyDiversity {
    /// # Claim
    /// With one share given as p, the entropy is largest when the other m − 1 values of the column
    /// share the rest evenly: `−p·ln p − (1 − p)·ln((1 − p)/(m − 1))`. So p is at most where that
    /// falls to ln l. Lowering don't-care counts only raises the share of a value that needs
    /// protection, so the share in the group is at most the one in the adjusted counts, of which
    /// the same holds.
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        let About::Value(code) = about else { return None };
        if knowledge != Knowledge::Nothing || self.cared_for.get(code as usize) != Some(&true) {
            return None;
        }
        limit_above(largest_share(self.l.to_f64(), self.cared_for.len()), false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    #[test]
    fn l_equally_frequent_values_pass_l() {
        for l in 2..=16 {
            for times in [1, 3, 1000] {
                let verdict = of_counts("entropy-l-diversity", &[("l", number(&l.to_string()))], &vec![times; l]);
                assert!(verdict.holds, "l = {l}, {times} each");
                let above = format!("{l}.000000000000000000001");
                assert!(!of_counts("entropy-l-diversity", &[("l", number(&above))], &vec![times; l]).holds);
            }
        }
    }

    #[test]
    fn one_row_off_is_seen() {
        assert!(!of_counts("entropy-l-diversity", &[("l", number("3"))], &[100_000, 100_000, 100_001]).holds);
    }

    #[test]
    fn a_limit_of_one_is_none() {
        assert!(super::limit_above(0.5, false).is_some());
        for step in 0..400 {
            let belief = 1.0 - 1e-12 + f64::from(step - 200) * f64::EPSILON / 2.0;
            let limit = super::limit_above(belief, false);
            assert!(limit.is_none_or(|limit| limit.belief < crate::exact::Fraction::ONE), "{step}");
        }
    }
}
