//! What an audience may see.
//!
//! The report for everybody shows no count of people that is small enough to point at somebody, and
//! nothing from which one follows by subtraction:
//!
//! - *Small* is a count below the release's k: the k that the plan asks for, or the size of the
//!   smallest group if that is larger. It is at least [`LEAST`] where the plan asks for less, and
//!   groups count up to [`MOST`] only, so that a release of few large groups still says something.
//! - Whatever leaves a small rest of a stated whole is hidden as the small rest itself would be.
//! - Of parts of a whole a single small one is hidden together with the next larger part, until
//!   those hidden are not few.
//! - Sensitive values are shown for published records only, as whole percentages. Values that few
//!   or only withheld records have are not named.
//! - The re-identification risk is stated whatever it is: readers decide by it.

use super::Audience;
use super::words::{grouped, percent, whole_percent};
use crate::kind::Setting;
use crate::publish::{Distribution, Publication};
use crate::recode::Form;

/// Counts below this are small whatever the plan asks for.
pub(super) const LEAST: u64 = 3;
/// The size of the smallest group makes no count from here on small.
pub(super) const MOST: u64 = 20;
/// So many values of a sensitive column are shown by name.
const VALUES: usize = 12;

/// Shows or hides counts.
#[derive(Clone, Copy)]
pub(super) struct Guard {
    pub internal: bool,
    /// Counts of people below this are small.
    pub k: u64,
    /// The form of the release: what a figure means depends on it.
    pub form: Form,
    /// Published records.
    published: u64,
}

/// A bar of the histogram of group sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sizes {
    /// The least size, and the first that is too large.
    pub from: u64,
    pub below: u64,
    pub groups: u64,
    /// Whether all smaller sizes are in it as well.
    pub folded: bool,
}

/// A sensitive value with its shares.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shares {
    /// Its name; nothing for all other values together.
    pub value: Option<String>,
    pub before: Option<(u64, f64)>,
    pub after: (u64, f64),
}

impl Guard {
    pub fn of(publication: &Publication, audience: Audience) -> Guard {
        let smallest = smallest_group(publication).unwrap_or(0);
        let k = asked_k(publication).unwrap_or(0).max(smallest.min(MOST)).max(LEAST);
        let (internal, published) = (audience == Audience::Internal, publication.published as u64);
        Guard { internal, k, form: publication.form, published }
    }

    /// Of records that are sets of items, for which a plan asks no k.
    pub fn of_sets(records: u64, audience: Audience) -> Guard {
        Guard { internal: audience == Audience::Internal, k: LEAST, form: Form::Generalized, published: records }
    }

    /// Whether a count must not be seen.
    pub fn hides(&self, people: u64) -> bool {
        !self.internal && people > 0 && people < self.k
    }

    /// A count of people.
    pub fn people(&self, people: u64) -> String {
        if self.hides(people) { self.few() } else { grouped(people) }
    }

    /// A count of people out of so many.
    pub fn part(&self, people: u64, whole: u64) -> String {
        match whole.checked_sub(people) {
            Some(rest) if self.hides(rest) && !self.hides(people) => format!("all but {}", self.few()),
            _ => self.people(people),
        }
    }

    /// A count of published people.
    pub fn of_published(&self, people: u64) -> String {
        self.part(people, self.published)
    }

    /// What stands for a small count.
    pub fn few(&self) -> String {
        format!("fewer than {}", grouped(self.k))
    }

    /// A share of people; exact enough for the audience.
    pub fn share(&self, share: f64) -> String {
        if self.internal { percent(share) } else { whole_percent(share) }
    }

    /// Group sizes in steps 1, 2, 5, 10, 20, 50 … from the first step with a group to the last.
    pub fn sizes(&self, sizes: &[(u64, u64)]) -> Vec<Sizes> {
        let mut bars: Vec<Sizes> = Vec::new();
        let mut hidden = 0;
        let last = sizes.iter().filter(|entry| entry.1 > 0).map(|entry| entry.0).max();
        for (from, below) in steps(last.unwrap_or(0)) {
            let within = sizes.iter().filter(|entry| (from..below).contains(&entry.0));
            let groups: u64 = within.map(|entry| entry.1).sum();
            if !self.internal && below <= self.k {
                hidden += groups;
            } else if groups + hidden > 0 || !bars.is_empty() {
                let small = sizes.iter().any(|entry| entry.0 < self.k && entry.1 > 0);
                let folded = bars.is_empty() && !self.internal && small;
                bars.push(Sizes { from, below, groups: groups + hidden, folded });
                hidden = 0;
            }
        }
        if hidden > 0 {
            // Every group is smaller than k: one bar for them all.
            bars.push(Sizes { from: 1, below: self.k, groups: hidden, folded: true });
        }
        bars
    }

    /// The shares of a sensitive column's values, most frequent first; what is left over comes
    /// last.
    pub fn values(&self, distribution: &Distribution) -> Vec<Shares> {
        let mut rows: Vec<(&str, u64, u64)> = Vec::new();
        for (at, value) in distribution.values.iter().enumerate() {
            let count = |counts: &[u64]| counts.get(at).copied().unwrap_or(0);
            let before = distribution.before.as_deref().unwrap_or_default();
            rows.push((value, count(before), count(&distribution.after)));
        }
        let whole = |count: fn(&(&str, u64, u64)) -> u64| rows.iter().map(count).sum::<u64>();
        let (before, after) = (whole(|row| row.1), whole(|row| row.2));
        let mut shown = if self.internal {
            rows.len().min(VALUES)
        } else {
            rows.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.cmp(b.0)));
            rows.iter().filter(|row| row.2 >= self.k).count().min(VALUES)
        };
        let rest = |shown: usize| rows[shown..].iter().map(|row| row.2).sum::<u64>();
        while shown > 0 && self.hides(rest(shown)) {
            shown -= 1;
        }
        let share = |count: u64, whole: u64| (count, count as f64 / whole.max(1) as f64);
        let of = |value: Option<String>, row: (u64, u64)| Shares {
            value,
            before: self.internal.then(|| share(row.0, before)),
            after: share(row.1, after),
        };
        let mut shares: Vec<Shares> =
            rows[..shown].iter().map(|row| of(Some(row.0.to_string()), (row.1, row.2))).collect();
        let others = rows[shown..].iter().fold((0, 0), |sum, row| (sum.0 + row.1, sum.1 + row.2));
        if others.1 > 0 || (self.internal && others.0 > 0) {
            shares.push(of(None, others));
        }
        shares
    }

    /// Counts of people that make up a whole; nothing for those that must not be seen.
    pub fn parts(&self, counts: &[u64]) -> Vec<Option<u64>> {
        let mut parts: Vec<Option<u64>> =
            counts.iter().map(|&count| if self.hides(count) { None } else { Some(count) }).collect();
        let hidden = |parts: &[Option<u64>]| -> u64 {
            counts.iter().zip(parts).filter(|(_, part)| part.is_none()).map(|(count, _)| count).sum()
        };
        while self.hides(hidden(&parts)) {
            let next = (0..counts.len()).filter(|&at| parts[at].is_some_and(|count| count > 0));
            let Some(next) = next.min_by_key(|&at| counts[at]) else { break };
            parts[next] = None;
        }
        parts
    }
}

/// 1, 2–4, 5–9, 10–19, 20–49 … up to the step with this size: the first size, and the first that is
/// too large.
fn steps(last: u64) -> Vec<(u64, u64)> {
    let edges = (0..19).map(|power| 10u64.pow(power)).flat_map(|ten| [ten, 2 * ten, 5 * ten]);
    let edges: Vec<u64> = edges.collect();
    edges.windows(2).map(|edge| (edge[0], edge[1])).take_while(|step| step.0 <= last).collect()
}

/// The largest k that a criterion of the plan asks for.
pub(super) fn asked_k(publication: &Publication) -> Option<u64> {
    let settings = publication.criteria.iter().flat_map(|answer| answer.requirement.criterion.params.iter());
    let counts = settings.filter_map(|(name, setting)| match setting {
        Setting::Count(count) if name == "k" => Some(*count),
        _ => None,
    });
    counts.max()
}

/// The size of the smallest published group.
pub(super) fn smallest_group(publication: &Publication) -> Option<u64> {
    publication.group_sizes.iter().filter(|entry| entry.1 > 0).map(|entry| entry.0).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTERNAL: Guard = Guard { internal: false, k: 5, form: Form::Generalized, published: 100 };
    const INTERNAL: Guard = Guard { internal: true, ..EXTERNAL };

    #[test]
    fn small_counts_and_small_rests_are_hidden() {
        assert_eq!([0, 1, 4, 5].map(|count| EXTERNAL.people(count)), ["0", "fewer than 5", "fewer than 5", "5"]);
        assert_eq!([95, 96, 100].map(|count| EXTERNAL.of_published(count)), ["95", "all but fewer than 5", "100"]);
        assert_eq!(INTERNAL.of_published(96), "96");
    }

    #[test]
    fn a_single_small_part_does_not_follow_from_the_others() {
        assert_eq!(EXTERNAL.parts(&[50, 0, 2, 48]), [Some(50), Some(0), None, None]);
        assert_eq!(EXTERNAL.parts(&[90, 3, 4, 3]), [Some(90), None, None, None]);
        assert_eq!(EXTERNAL.parts(&[3]), [None]);
        assert_eq!(INTERNAL.parts(&[50, 0, 2, 48]), [Some(50), Some(0), Some(2), Some(48)]);
    }

    #[test]
    fn sizes_fall_into_steps_and_small_ones_together() {
        let sizes = [(2, 7), (5, 1), (60, 3)];
        let bars = INTERNAL.sizes(&sizes);
        assert_eq!(bars.iter().map(|bar| bar.from).collect::<Vec<_>>(), [2, 5, 10, 20, 50]);
        let bars = EXTERNAL.sizes(&sizes);
        assert_eq!(bars[0], Sizes { from: 5, below: 10, groups: 8, folded: true });
        assert_eq!(EXTERNAL.sizes(&[(2, 7)]), [Sizes { from: 1, below: 5, groups: 7, folded: true }]);
        assert_eq!(EXTERNAL.sizes(&[]), []);
        let all: u64 =
            INTERNAL.sizes(&(1..3000).map(|size| (size, 1)).collect::<Vec<_>>()).iter().map(|bar| bar.groups).sum();
        assert_eq!(all, 2999);
    }

    #[test]
    fn rare_values_are_not_named() {
        let distribution = Distribution {
            column: "disease".into(),
            values: ["flu", "cancer", "gout", "plague"].map(String::from).to_vec(),
            before: Some(vec![60, 42, 3, 1]),
            after: vec![58, 40, 2, 0],
        };
        let shown = EXTERNAL.values(&distribution);
        // gout alone would be few, so cancer joins it.
        assert_eq!(shown.iter().map(|row| row.value.as_deref()).collect::<Vec<_>>(), [Some("flu"), None]);
        assert!(shown.iter().all(|row| row.before.is_none()));
        assert_eq!(shown[1].after.0, 42);
        let shown = INTERNAL.values(&distribution);
        assert_eq!(shown.len(), 4);
        assert_eq!(shown[3].before.map(|share| share.0), Some(1));
    }
}
