//! Recursive (c,l)-diversity: the most frequent value stays below c times the tail, also after l −
//! 2 values are ruled out.
//!
//! **Promises** that an attacker who rules out l − 2 values of a target still believes in none with
//! c/(c+1) or more. **Threat**: homogeneity, and background knowledge that eliminates values.
//! **Definition**: r₁ < c·(r_l + … + r_m), strict; l = 1 always holds. Where only some values need
//! protection (`sensitive_values`), as `pd-recursive-cl-diversity` with the others as don't-care
//! values. **Cost**: sorting the counts of a group. **Reference**: Machanavajjhala et al. 2007,
//! Definition 4.2.
//!
//! ```
//! let verdict = sfumato::example("recursive-cl-diversity", &[("c", "2"), ("l", "2")])?;
//! assert!(!verdict.holds); // 2 of the flu against 1: 2 < 2 × 1 is false
//! assert_eq!(verdict.measured, Some(2.0)); // c must exceed this
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::shared::{all_need_protection, least_values, recursive_ratio, surely_at_least};
use super::{
    About, Bound, Build, Capabilities, Criterion, Evidence, Knowledge, Limit, Measure, Merging, On, Promises,
    Properties, Pruning, Symmetry,
};
use crate::candidate::Histogram;
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Params, Range, Shape};

/// The parameter c.
pub(super) const C: Param = Param {
    name: "c",
    summary: "the most frequent value stays below c times the tail",
    shape: Shape::Decimal(Range::POSITIVE),
    default: None,
};

/// The parameter l.
pub(super) const L: Param =
    Param { name: "l", summary: "where the tail starts", shape: Shape::Count(1), default: None };

/// The parameters of recursive diversity.
pub(super) const PARAMS: &[Param] = &[C, L];

/// The description of recursive (c,l)-diversity.
pub const KIND: Kind<Build> = Kind {
    name: "recursive-cl-diversity",
    summary: "In every group the most frequent value occurs less than c times as often as the l-th and rarer ones together",
    reference: "Machanavajjhala et al. 2007, Definition 4.2",
    params: PARAMS,
    example: &[("c", "3"), ("l", "2")],
    build: Build {
        on: On::Column,
        bind: |context| Bound::on_column(context, make(context.params, context.cared_for()?)?),
    },
};

/// The criterion over a column in which only some values need protection.
pub(super) fn make(params: &Params, cared_for: Vec<bool>) -> Result<Box<dyn Criterion>> {
    Ok(Box::new(RecursiveDiversity { c: params.decimal("c").fraction(), l: params.count("l"), cared_for }))
}

/// The c that must be exceeded: nothing for l = 1, which always holds.
pub(super) fn needed_c(group: &Histogram<'_>, cared_for: &[bool], l: u64) -> Fraction {
    if l == 1 { Fraction::ZERO } else { recursive_ratio(group, cared_for, l) }
}

/// What recursive diversity promises: a belief below c/(c + 1).
///
/// # Claim
/// Let y be the most frequent value that needs protection, and for a value v let R(v) be the
/// largest sum of l − 1 counts, v's among them. The criterion says `r_y < c·(n − R(y))`. For
/// another protected v, `r_v ≤ r_y`, and `R(v) ≤ R(y)`: a set with v either has y too, or gains by
/// taking y for v. So `r_v < c·(n − R(v))`. An attacker who rules out i ≤ l − 2 others leaves at
/// least `r_v + (n − R(v))` records, hence her belief in v is below `c/(c + 1)`. (l = 1 holds
/// always, and promises nothing.)
pub(super) fn promised(
    (c, l): (Fraction, u64),
    cared_for: &[bool],
    about: About,
    knowledge: Knowledge,
) -> Option<Limit> {
    let About::Value(code) = about else { return None };
    let ruled_out = match knowledge {
        Knowledge::Nothing => 0,
        Knowledge::Eliminated(values) => values,
        Knowledge::Budget(_) | Knowledge::Distribution => return None,
    };
    let promises = cared_for.get(code as usize) == Some(&true) && l.saturating_sub(ruled_out) >= 2;
    let whole = c.num.checked_add(c.den).filter(|_| promises)?;
    Some(Limit { belief: Fraction::new(c.num, whole), strict: true })
}

/// The e such that (c,l)-diversity holds wherever no value has more than one in e of the records.
///
/// # Claim
/// If n ≥ e·r₁, the tail is at least n − (l − 1)·r₁ ≥ (e − l + 1)·r₁, so r₁ < c·tail as soon as e −
/// l + 1 > 1/c: with e = l + ⌊1/c⌋.
pub(super) fn eligible((c, l): (Fraction, u64)) -> Option<u64> {
    l.checked_add(u64::try_from(c.den / c.num).ok()?)
}

struct RecursiveDiversity {
    c: Fraction,
    l: u64,
    cared_for: Vec<bool>,
}

impl Criterion for RecursiveDiversity {
    /// # Claim
    /// Monotone by Theorem 5.3. The ratio is a fraction of counts, so `<` is decided exactly: 55 of
    /// 105 against c = 1.1 is refused.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let ratio = needed_c(group, &self.cared_for, self.l);
        Evidence::of(group, ratio < self.c, [Measure::most(ratio)])
    }

    /// The tail r_l + … + r_m must not be empty. With l = 2 it is all but one value, so that the
    /// value and the size of the group decide.
    fn properties(&self) -> Properties {
        let eligible = || eligible((self.c, self.l));
        Properties {
            least: least_values(self.l, &self.cared_for),
            eligibility: all_need_protection(&self.cared_for).then(eligible).flatten(),
            prefers_even: all_need_protection(&self.cared_for),
            is_by_value: self.l == 2,
            ..Properties::of(Merging::Monotone)
        }
    }

    fn holds(&self, group: &Histogram<'_>) -> bool {
        needed_c(group, &self.cared_for, self.l) < self.c
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { pruning: Some(self), symmetry: Some(self), promises: Some(self), ..Capabilities::NONE }
    }
}

impl Pruning for RecursiveDiversity {
    /// # Claim
    /// Taking records out never makes the tail larger: of all choices of l − 1 values to leave out,
    /// the definition's leaves the least, and the old one is among them. So with m records out, r₁
    /// − m < c·tail, unless all r₁ are gone.
    fn least_removed(&self, group: &Histogram<'_>) -> u64 {
        let Fraction { num: most, den: tail } = needed_c(group, &self.cared_for, self.l);
        surely_at_least(most as f64 - self.c.to_f64() * tail as f64)
    }

    /// # Claim
    /// The most frequent value that needs protection has r ≥ `at_least` records, and the tail at
    /// most the others: at most `size − at_least`.
    fn rules_out(&self, code: u32, at_least: u64, size: u64) -> bool {
        let others = u128::from(size.saturating_sub(at_least));
        let cared_for = self.cared_for[code as usize];
        cared_for && self.l > 1 && at_least > 0 && Fraction::new(u128::from(at_least), others) >= self.c
    }

    /// # Claim
    /// The most frequent of fewer than l values has at least an equal part of their records, and the
    /// tail at most the others.
    fn rules_out_together(&self, codes: &[u32], at_least: u64, size: u64) -> bool {
        let values = codes.len() as u64;
        let others = u128::from(size.saturating_sub(at_least)) * u128::from(values);
        let is_asked = values < self.l && codes.iter().all(|&code| self.cared_for[code as usize]);
        is_asked && at_least > 0 && Fraction::new(u128::from(at_least), others) >= self.c
    }
}

impl Symmetry for RecursiveDiversity {
    /// # Claim
    /// Of a value only its count is read, and whether it needs protection.
    fn interchangeable(&self, a: u32, b: u32) -> bool {
        self.cared_for[a as usize] == self.cared_for[b as usize]
    }
}

impl Promises for RecursiveDiversity {
    /// # Claim
    /// See `promised`.
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        promised((self.c, self.l), &self.cared_for, about, knowledge)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    fn recursive(c: &str, l: &str, counts: &[usize]) -> crate::criterion::Verdict {
        of_counts("recursive-cl-diversity", &[("c", number(c)), ("l", number(l))], counts)
    }

    #[test]
    fn the_threshold_is_strict_and_exact() {
        assert!(!recursive("1.1", "2", &[55, 50]).holds, "55 < 1.1 × 50 is false");
        assert!(recursive("1.1000000000000000001", "2", &[55, 50]).holds);
        assert_eq!(recursive("1.1", "2", &[55, 50]).measured, Some(1.1));
    }

    #[test]
    fn a_missing_tail_never_holds_and_l_1_always_does() {
        let alone = recursive("1000", "2", &[5]);
        assert!(!alone.holds && alone.measured.is_none());
        assert!(recursive("0.001", "1", &[5]).holds);
    }
}
