//! The surface between what is safe to be known and what is not.

use super::front::{Front, Members};
use super::scan::GroupShape;
use crate::criterion::{Budget, Case};
use crate::exact::Fraction;

/// For every l and m with anything safe, the largest safe k: a staircase that falls along l and
/// along m.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// For l from 0, for m from 0.
    rows: Vec<Vec<u64>>,
    /// Whether the last row is safe whatever else is known about the target.
    is_open: bool,
}

impl Surface {
    /// Of groups, for the odds that the negated ratio must exceed.
    ///
    /// # Claim
    /// It is finite. With one value each, `T(g, l, k)` is zero once l is the number of other values
    /// of a group. With several, no more can be known about the target than all other values of a
    /// group: l ends with the largest number of them. `T(g, l, k)` is zero once k is the number of
    /// people in a group, and `V(g, m, k)` once m is.
    pub(super) fn new(case: Case, seen: &[GroupShape], odds: Fraction) -> Surface {
        let most = seen.iter().map(|seen| seen.shape.others.len() as u64).max();
        let Some(most) = most else { return Surface::default() };
        let mut rows: Vec<Vec<u64>> = Vec::new();
        let mut members = Members::new(case, seen);
        for l in 0..=most {
            members = members.at(l);
            let row = staircase(&members.front(), l, rows.last().map(Vec::as_slice), odds);
            if row.is_empty() {
                return Surface { rows, is_open: false };
            }
            rows.push(row);
        }
        Surface { rows, is_open: true }
    }

    /// For l from 0, for m from 0, the largest safe k.
    pub fn rows(&self) -> &[Vec<u64>] {
        &self.rows
    }

    /// The largest safe k at an l and m; nothing if none is safe.
    pub fn largest(&self, l: usize, m: usize) -> Option<u64> {
        self.rows.get(l)?.get(m).copied()
    }

    /// Whether the largest l stands for whatever else may be known about a target: with several
    /// values per person, all other values of every group.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The corners: safe budgets that no other safe one covers.
    ///
    /// # Claim
    /// More knowledge never lowers the belief, so k falls along l and m, and a budget is covered by
    /// a safe one exactly if the next l or the next m allows the same k.
    pub fn points(&self) -> Vec<Budget> {
        let mut points = Vec::new();
        for (l, row) in self.rows.iter().enumerate() {
            for (m, &k) in row.iter().enumerate() {
                if self.largest(l + 1, m) != Some(k) && self.largest(l, m + 1) != Some(k) {
                    points.push(Budget::new(l as u64, k, m as u64));
                }
            }
        }
        points
    }

    /// The least that is not safe: the smallest sum of l, k and m; of equal ones that with fewest
    /// relatives, then with fewest things about the target.
    pub fn least_unsafe(&self) -> Budget {
        let beyond = |(l, row): (usize, &Vec<u64>)| {
            let l = l as u64;
            let above = (0..).zip(row.clone()).map(move |(m, k)| Budget::new(l, k + 1, m));
            above.chain([Budget::new(l, 0, row.len() as u64)])
        };
        let more_about_target = (!self.is_open).then_some(Budget::new(self.rows.len() as u64, 0, 0));
        let candidates = self.rows.iter().enumerate().flat_map(beyond).chain(more_about_target);
        candidates.min_by_key(|budget| (budget.l + budget.k + budget.m, budget.m, budget.l)).unwrap_or_default()
    }
}

/// For m from 0 the largest safe k, as long as any is; never more than in the row before.
fn staircase(front: &Front<'_>, l: u64, before: Option<&[u64]>, odds: Fraction) -> Vec<u64> {
    let mut row: Vec<u64> = Vec::new();
    let mut bound = front.fewest_people();
    for m in 0u64.. {
        match before.map(|before| before.get(m as usize)) {
            Some(None) => break,
            Some(Some(&largest)) => bound = bound.min(largest),
            None => (),
        }
        let Some(k) = largest_safe(bound, |k| front.exceeds(Budget::new(l, k, m), odds)) else { break };
        bound = k;
        row.push(k);
    }
    row
}

/// The largest number up to a bound that is safe, safe numbers coming first. The steps down from
/// the bound double until one is safe: most often it is near.
fn largest_safe(bound: u64, is_safe: impl Fn(u64) -> bool) -> Option<u64> {
    if is_safe(bound) {
        return Some(bound);
    }
    let mut above = bound;
    let mut step = 1;
    let mut safe = loop {
        if above == 0 {
            return None;
        }
        let below = above.saturating_sub(step);
        if is_safe(below) {
            break below;
        }
        above = below;
        step *= 2;
    };
    while above - safe > 1 {
        let middle = safe + (above - safe) / 2;
        if is_safe(middle) {
            safe = middle;
        } else {
            above = middle;
        }
    }
    Some(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_safe_number_is_found_from_any_bound() {
        for limit in 0..40 {
            for bound in 0..40 {
                let expected = if limit == 0 { None } else { Some(bound.min(limit - 1)) };
                assert_eq!(largest_safe(bound, |number| number < limit), expected);
            }
        }
    }

    #[test]
    fn corners_and_what_lies_beyond() {
        let surface = Surface { rows: vec![vec![2, 1, 1], vec![1]], is_open: false };
        assert_eq!(surface.points(), [Budget::new(0, 2, 0), Budget::new(0, 1, 2), Budget::new(1, 1, 0)]);
        assert_eq!(surface.least_unsafe(), Budget::new(2, 0, 0));
        let open = Surface { is_open: true, ..surface };
        assert_eq!(open.least_unsafe(), Budget::new(1, 0, 1));
        assert_eq!(Surface::default().least_unsafe(), Budget::default());
    }
}
