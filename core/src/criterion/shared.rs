//! Mathematics that several criteria share: effective numbers of values, tails, and distributions
//! of the whole table.

use super::Least;
use crate::candidate::Histogram;
use crate::exact::{Fraction, sign_of_log_sum};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::sync::LazyLock;

/// How many equally frequent values have the entropy of a group, once don't-care counts are lowered
/// to the best of effects.
///
/// # Claim
///
/// Let the counts that stay be `c₁ … c_f` with sum `P`, and let `r` don't-care counts be lowered to
/// `e^M`, `M = Σc·ln c / P` their log-entropic mean (Machanavajjhala et al. 2007, Theorem 4.1). The
/// entropy is then `ln(P + r·e^M) − M`, so the effective number is `exp(H) = P/e^M + r`: the
/// effective number of the counts that stay, plus one for every lowered count. Hence `exp(H) ≥ l`
/// is `P^P ≥ (l − r)^P · Πc^c`, which is decided in integers, don't-care values or not.
pub(super) struct EffectiveNumber {
    stay: SmallVec<[u64; 16]>,
    lowered: u64,
}

impl EffectiveNumber {
    /// Of a group in which only some values need protection.
    pub fn new(group: &Histogram<'_>, cared_for: &[bool]) -> Self {
        let mut stay = SmallVec::new();
        let mut free: SmallVec<[u64; 16]> = SmallVec::new();
        for &(code, count) in group.entries() {
            let side = if cared_for[code as usize] { &mut stay } else { &mut free };
            side.push(count);
        }
        // With nothing to protect every count is free, and the entropy is as large as one likes to
        // say.
        if !stay.is_empty() {
            free.sort_unstable();
            let mut total: u64 = stay.iter().sum();
            let mut weighted: f64 = stay.iter().map(|&count| times_ln(count)).sum();
            let fixed = free.iter().take_while(|&&count| {
                // ln(count) against the log-entropic mean of the counts that stay: by floats where
                // that is clear.
                let difference = (count as f64).ln() * total as f64 - weighted;
                let clear = difference.abs() > 1e-9 * weighted.max(1.0);
                let below = if clear { difference < 0.0 } else { is_below_mean(count, &stay) };
                if below {
                    stay.push(count);
                    total += count;
                    weighted += times_ln(count);
                }
                below
            });
            let fixed = fixed.count();
            free.drain(..fixed);
        }
        EffectiveNumber { stay, lowered: free.len() as u64 }
    }

    /// Whether there is anything to protect.
    pub fn is_protected(&self) -> bool {
        !self.stay.is_empty()
    }

    /// The effective number, for reports: infinite when there is nothing to protect.
    pub fn to_f64(&self) -> f64 {
        if !self.is_protected() {
            return f64::INFINITY;
        }
        // A whole number is told as such: rounding must not put it below what holds.
        if self.stay.iter().all(|count| *count == self.stay[0]) {
            return self.stay.len() as f64 + self.lowered as f64;
        }
        let total: u64 = self.stay.iter().sum();
        let weighted: f64 = self.stay.iter().map(|&count| times_ln(count)).sum();
        ((times_ln(total) - weighted) / total as f64).exp() + self.lowered as f64
    }

    /// Whether it is at least `l`, exactly; its float is the estimate.
    pub fn is_at_least(&self, l: Fraction, estimate: f64) -> bool {
        let target = l.to_f64();
        // Rounding grows with the number of terms.
        let doubt = 1e-9_f64.max(self.stay.len() as f64 * 1e-15);
        if (estimate - target).abs() > doubt * target {
            return estimate > target;
        }
        let lowered = u128::from(self.lowered) * l.den;
        if l.num <= lowered {
            return true;
        }
        let total: u64 = self.stay.iter().sum();
        let factor = i128::from(total);
        let mut terms = vec![(u128::from(total), factor), (l.den, factor), (l.num - lowered, -factor)];
        terms.extend(self.stay.iter().map(|&count| (u128::from(count), -i128::from(count))));
        sign_of_log_sum(&terms) != Ordering::Less
    }
}

/// `count·ln count`; small counts, which most are, from a table.
fn times_ln(count: u64) -> f64 {
    static TABLE: LazyLock<Vec<f64>> = LazyLock::new(|| {
        (0..1024).map(|count| if count == 0 { 0.0 } else { f64::from(count) * f64::from(count).ln() }).collect()
    });
    TABLE.get(count as usize).copied().unwrap_or_else(|| count as f64 * (count as f64).ln())
}

/// Whether `ln(count)` is below the log-entropic mean of the counts.
fn is_below_mean(count: u64, counts: &[u64]) -> bool {
    let total: u64 = counts.iter().sum();
    let mut terms = vec![(u128::from(count), i128::from(total))];
    terms.extend(counts.iter().map(|&other| (u128::from(other), -i128::from(other))));
    sign_of_log_sum(&terms) == Ordering::Less
}

/// What recursive diversity compares: the count of the most frequent value that needs protection,
/// over the sum of what is left when it and the `l − 2` most frequent others are taken out. Zero
/// when there is nothing to protect.
///
/// # Claim
///
/// This is the ratio of Definition 4.3 (Machanavajjhala et al. 2007) in both of its cases: with `y`
/// the rank of the protected value, `y ≤ l − 1` takes out ranks `1 … l−1`, which are `y` and the
/// `l − 2` most frequent others; `y > l − 1` takes out ranks `1 … l−2` and `y`, the same. Without
/// don't-care values it is Definition 4.2.
pub(super) fn recursive_ratio(group: &Histogram<'_>, cared_for: &[bool], l: u64) -> Fraction {
    let cared = group.entries().iter().filter(|(code, _)| cared_for[*code as usize]);
    let Some(most) = cared.map(|entry| entry.1).max() else { return Fraction::ZERO };
    let mut left = group.size() - most;
    let mut skip_own = true;
    let mut taken = 0;
    for &count in group.descending() {
        if taken + 2 >= l {
            break;
        }
        if skip_own && count == most {
            skip_own = false;
            continue;
        }
        left -= count;
        taken += 1;
    }
    Fraction::new(u128::from(most), u128::from(left))
}

/// The least whole number that is not below a computed bound, rounding of the computation allowed
/// for; zero where it is negative or no number.
pub(super) fn surely_at_least(bound: f64) -> u64 {
    (bound * (1.0 - 1e-9) - 1e-9).ceil().max(0.0) as u64
}

/// Whether no value is a don't-care value.
pub(super) fn all_need_protection(cared_for: &[bool]) -> bool {
    cared_for.iter().all(|&cared| cared)
}

/// What a group needs that must have so many values; nothing where a group without a value to
/// protect holds anyway.
pub(super) fn least_values(values: u64, cared_for: &[bool]) -> Least {
    let values = if all_need_protection(cared_for) { values.max(1) } else { 1 };
    Least { size: values, values }
}

/// The counts of a sensitive column over the whole table.
pub(super) struct Whole {
    pub counts: Vec<u64>,
    pub total: u64,
}

impl Whole {
    pub fn of(counts: Vec<u64>) -> Self {
        let total = counts.iter().sum();
        Whole { counts, total }
    }

    /// The share of a value in a group over its share in the whole table.
    pub fn lift(&self, group: &Histogram<'_>, code: u32, count: u64) -> Fraction {
        let inside = u128::from(count) * u128::from(self.total);
        Fraction::new(inside, u128::from(self.counts[code as usize]) * u128::from(group.size()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Counter;
    use proptest::prelude::*;

    fn with_counts<T>(counts: &[u64], test: impl FnOnce(&Histogram<'_>) -> T) -> T {
        let mut counter = Counter::new(counts.len());
        test(&counter.take(0, (0u32..).zip(counts.iter().copied()).filter(|entry| entry.1 > 0)))
    }

    /// The two cases of Definition 4.3 as printed.
    fn printed(counts: &[u64], dont_care: usize, l: usize) -> Option<(u64, u64)> {
        let mut ranked: Vec<(u64, bool)> = counts.iter().enumerate().map(|(at, &c)| (c, at < dont_care)).collect();
        ranked.retain(|entry| entry.0 > 0);
        ranked.sort_by_key(|entry| std::cmp::Reverse(entry.0));
        let y = ranked.iter().position(|entry| !entry.1)? + 1;
        let r = |rank: usize| ranked.get(rank - 1).map_or(0, |entry| entry.0);
        let m = ranked.len();
        let tail =
            if y < l { (l..=m).map(r).sum() } else { (l - 1..y).map(r).sum::<u64>() + (y + 1..=m).map(r).sum::<u64>() };
        Some((r(y), tail))
    }

    #[test]
    fn bounds_are_rounded_up_but_not_by_their_last_digits() {
        for (bound, least) in [(6.0, 6), (6.000_000_000_1, 6), (5.9, 6), (0.5, 1), (1e-12, 0), (0.0, 0), (-3.0, 0)] {
            assert_eq!(surely_at_least(bound), least, "{bound}");
        }
        assert_eq!(surely_at_least(f64::NAN) + surely_at_least(f64::NEG_INFINITY), 0);
    }

    #[test]
    fn counts_are_compared_with_the_mean_exactly() {
        // (2·ln 2 + 8·ln 8)/10 is ln 6.06.
        assert!(is_below_mean(6, &[2, 8]) && !is_below_mean(7, &[2, 8]));
        assert!(is_below_mean(3, &[4, 4]) && !is_below_mean(4, &[4, 4]));
        let large = 1 << 40;
        assert!(is_below_mean(large, &[large + 1]) && !is_below_mean(large + 1, &[large]));
    }

    #[test]
    fn many_equal_counts_are_as_many_values_and_no_more() {
        for values in [2000u64, 3001, 4003] {
            let number = EffectiveNumber { stay: SmallVec::from_elem(3, values as usize), lowered: 0 };
            let at_least = |num: u128, den: u128| number.is_at_least(Fraction::new(num, den), number.to_f64());
            assert!(at_least(values.into(), 1), "{values}");
            assert!(!at_least(u128::from(values) * 10u128.pow(15) + 1, 10u128.pow(15)), "{values}");
        }
        // Two values, and one that is lowered to their mean: three, however that is written.
        let number = EffectiveNumber { stay: SmallVec::from_slice(&[1, 1]), lowered: 1 };
        assert!(number.is_at_least(Fraction::new(6, 2), 3.0) && !number.is_at_least(Fraction::new(7, 2), 3.0));
    }

    proptest! {
        #[test]
        fn the_ratio_is_that_of_definition_4_3(
            counts in proptest::collection::vec(0u64..6, 1..7), dont_care in 0usize..4, l in 2usize..6,
        ) {
            let cared_for: Vec<bool> = (0..counts.len()).map(|at| at >= dont_care).collect();
            let ratio = with_counts(&counts, |group| recursive_ratio(group, &cared_for, l as u64));
            match printed(&counts, dont_care, l) {
                None => prop_assert_eq!(ratio, Fraction::ZERO),
                Some((top, tail)) => prop_assert_eq!(ratio, Fraction::new(top.into(), tail.into())),
            }
        }

        /// Definition 4.5: no lowering of don't-care counts gives a larger entropy (tried on a fine
        /// grid).
        #[test]
        fn no_lowering_does_better(sensitive in proptest::collection::vec(1u32..9, 1..4), a in 1u32..20, b in 1u32..20) {
            let counts: Vec<u64> = sensitive.iter().chain([&a, &b]).map(|&count| count.into()).collect();
            let cared_for: Vec<bool> = (0..counts.len()).map(|at| at < sensitive.len()).collect();
            let ours = with_counts(&counts, |group| EffectiveNumber::new(group, &cared_for).to_f64());
            let steps = 40;
            for x in 0..=steps {
                for y in 0..=steps {
                    let mut lowered: Vec<f64> = sensitive.iter().map(|&count| count.into()).collect();
                    lowered.push(f64::from(a) * f64::from(x) / f64::from(steps));
                    lowered.push(f64::from(b) * f64::from(y) / f64::from(steps));
                    let total: f64 = lowered.iter().sum();
                    let entropy: f64 = lowered.iter().filter(|&&c| c > 0.0).map(|c| -(c / total) * (c / total).ln()).sum();
                    prop_assert!(entropy.exp() <= ours * (1.0 + 1e-12), "{} > {}", entropy.exp(), ours);
                }
            }
        }
    }
}
