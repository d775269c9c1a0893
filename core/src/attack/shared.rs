//! What attacks share: sensitive columns with the limits on beliefs about them, where original
//! values are published, and the sum of what was found.

use super::{Finding, Target};
use crate::candidate::Groups;
use crate::criterion::{About, Knowledge, Limit};
use crate::data::hierarchy::Hierarchy;
use crate::data::{Column, Role, Schema};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::Params;
use dashu_ratio::RBig;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::HashMap;

/// A sensitive column of the release.
pub(super) struct Sensitive<'a> {
    /// The column, as criteria see it.
    pub column: &'a Column,
    /// Whether each value needs protection: those under `sensitive_values`, all if there are none.
    pub cared_for: Vec<bool>,
    /// The limit on beliefs in each value.
    pub limits: Vec<Option<Limit>>,
    /// The code that criteria know each value by.
    pub known_as: Vec<u32>,
}

/// What is found about each sensitive column of the release.
pub(super) fn for_each_sensitive<T>(
    target: &Target<'_>,
    knowledge: Knowledge,
    find: impl Fn(&Sensitive<'_>) -> T,
) -> Result<Vec<T>> {
    let release = target.schema.prepare_recoded(target.release)?;
    let columns = target.schema.select(&release, Role::Sensitive)?;
    let sensitive = columns.into_iter().map(|column| {
        let known_as = known_as(target, column)?;
        let limits = limits(target, column.name(), &known_as, knowledge);
        Ok(find(&Sensitive { column, cared_for: cared_for(target.schema, column), limits, known_as }))
    });
    sensitive.collect()
}

/// For each value of a published column its code in the table that criteria are bound to: the
/// original where it is at hand, else the release. They differ where some value is not published
/// any more.
fn known_as(target: &Target<'_>, column: &Column) -> Result<Vec<u32>> {
    let mut known_as: Vec<u32> = (0..column.domain().len() as u32).collect();
    if let Some(original) = target.original {
        let codes = original.table.column(column.name())?.codes();
        for (&code, &row) in column.codes().iter().zip(original.row_of) {
            known_as[code as usize] = codes[row as usize];
        }
    }
    Ok(known_as)
}

/// Whether each value of a column needs protection.
pub(super) fn cared_for(schema: &Schema, column: &Column) -> Vec<bool> {
    let named = schema.find(column.name()).map_or(&[][..], |spec| &spec.sensitive_values);
    column.domain().labels().iter().map(|label| named.is_empty() || named.iter().any(|name| name == label)).collect()
}

/// The limits on beliefs in values with these codes.
pub(super) fn limits(target: &Target<'_>, name: &str, codes: &[u32], knowledge: Knowledge) -> Vec<Option<Limit>> {
    codes.iter().map(|&code| target.promises.limit(Some(name), About::Value(code), knowledge)).collect()
}

/// For each value of a column the code under which it is published: of the first of its labels,
/// from the value itself upwards, that the release has.
pub(super) fn published_codes(schema: &Schema, column: &Column, release: &Column) -> Vec<Option<u32>> {
    let published: HashMap<&str, u32> = release.domain().labels().iter().zip(0..).collect();
    let rule = schema.find(column.name()).and_then(|spec| spec.rule.as_deref());
    let hierarchy = rule.and_then(|rule| Hierarchy::bind(rule, column).ok());
    let height = hierarchy.as_ref().map_or(0, Hierarchy::height);
    let code_of = |value: u32| {
        let above = (1..=height).map(|level| hierarchy.as_ref().expect("there are levels").label(level, value));
        std::iter::once(column.domain().label(value)).chain(above).find_map(|label| published.get(label).copied())
    };
    (0..column.domain().len() as u32).map(code_of).collect()
}

/// The sum of what was found in groups. Sums combine in any order.
#[derive(Clone, Default)]
pub(super) struct Tally {
    /// People whom the attack affects.
    pub people: u64,
    /// Groups that they are in.
    pub groups: u64,
    /// People about whom more is believed than a stated number.
    pub above: u64,
    above_limit: u64,
    beliefs: [u64; 20],
    worst: Option<Belief>,
    highest: Option<Fraction>,
}

/// One belief, and whether it is more than its limit allows.
#[derive(Clone, Copy)]
pub(super) struct Belief {
    pub belief: Fraction,
    pub limit: Option<Limit>,
    pub exceeds: bool,
}

impl Belief {
    /// A belief compared with its limit.
    pub fn new(belief: Fraction, limit: Option<Limit>) -> Self {
        Belief { belief, limit, exceeds: limit.is_some_and(|limit| !limit.allows(belief)) }
    }

    /// Greater for the worse one: what exceeds its limit, by the larger factor; else the higher
    /// one, with the tighter limit.
    fn compare(&self, other: &Belief) -> Ordering {
        let excess = |one: &Belief| match one.limit {
            Some(limit) if one.exceeds => one.belief.to_f64() / limit.belief.to_f64(),
            _ => 0.0,
        };
        let tightness = |one: &Belief| one.limit.map(|limit| (std::cmp::Reverse(limit.belief), limit.strict));
        let by_excess = self.exceeds.cmp(&other.exceeds).then(excess(self).total_cmp(&excess(other)));
        by_excess.then(self.belief.cmp(&other.belief)).then_with(|| tightness(self).cmp(&tightness(other)))
    }
}

impl Tally {
    /// Takes note of a belief about somebody.
    pub fn believe(&mut self, one: Belief) {
        // Below the highest belief nothing is the worst that does not exceed its limit.
        if !one.exceeds && self.highest.is_some_and(|highest| one.belief < highest) {
            return;
        }
        self.highest = self.highest.max(Some(one.belief));
        if self.worst.is_none_or(|worst| one.compare(&worst) == Ordering::Greater) {
            self.worst = Some(one);
        }
    }

    /// Counts people by the highest belief about them, and whether that is more than is allowed.
    pub fn count(&mut self, people: u64, highest: f64, above_limit: bool) {
        self.beliefs[step(highest)] += people;
        self.above_limit += if above_limit { people } else { 0 };
    }

    /// Counts people of one group whom the attack affects.
    pub fn affect(&mut self, people: u64) {
        self.people += people;
        self.groups += u64::from(people > 0);
    }

    /// Counts people about whom more is believed than a stated number.
    pub fn count_above(&mut self, people: u64) {
        self.above += people;
    }

    /// Both together.
    pub fn merge(mut self, other: Tally) -> Tally {
        self.above += other.above;
        self.people += other.people;
        self.groups += other.groups;
        self.above_limit += other.above_limit;
        self.beliefs.iter_mut().zip(other.beliefs).for_each(|(own, other)| *own += other);
        other.worst.into_iter().for_each(|worst| self.believe(worst));
        self.highest = self.highest.max(other.highest);
        self
    }

    /// What was found, with nothing said yet of who knows what.
    pub fn finding(self, attack: &'static str, params: &Params, knowledge: String, records: usize) -> Finding {
        let share = if records == 0 { 0.0 } else { self.people as f64 / records as f64 };
        Finding {
            attack,
            params: params.clone(),
            on: None,
            knowledge,
            highest: self.highest.unwrap_or(Fraction::ZERO).reduced(),
            is_lower_bound: false,
            people: self.people,
            groups: self.groups,
            limit: self.worst.and_then(|worst| worst.limit),
            above_limit: self.above_limit,
            details: vec![("share_affected", share)],
            decided_by: None,
            beliefs: self.beliefs,
            is_claim: false,
            right: None,
            repeatable: true,
            warning: None,
        }
    }
}

/// A fraction as near as may be to an exact belief, that compares with some numbers as the belief
/// does.
pub(super) fn on_the_right_side(belief: RBig, near: &[Option<Fraction>]) -> Fraction {
    let (num, den) = belief.clone().into_parts();
    if let (Ok(num), Ok(den)) = (u128::try_from(num), u128::try_from(den)) {
        return Fraction::new(num, den);
    }
    let close = Fraction::nearest(belief.to_f64().value().clamp(0.0, 1.0));
    let wrong = |other: &&Fraction| close.cmp(other) != belief.cmp(&RBig::from(**other));
    let Some(other) = near.iter().flatten().chain([&Fraction::ONE]).find(wrong) else { return close };
    // One step of the least size that denominators of 64 bits allow.
    let step = Fraction { num: 1, den: 1 << 62 };
    let scaled = |sign: i128| {
        let num = (other.num as f64 / other.den as f64 * step.den as f64) as i128 + sign;
        Fraction { num: num.max(0) as u128, den: step.den }
    };
    match belief.cmp(&RBig::from(*other)) {
        Ordering::Less => scaled(-(1 << 12)),
        Ordering::Equal => *other,
        Ordering::Greater => scaled(1 << 12),
    }
}

/// The twentieth that a belief is in. Shares of 32-bit counts are further from a bound than the
/// margin, or on it.
pub(super) fn step(belief: f64) -> usize {
    ((belief * 20.0 - 1e-10).ceil() as usize).clamp(1, 20) - 1
}

/// Visits all groups, in parallel, each with memory to work in; combines what they add up to.
pub(super) fn over_groups<T: Send>(
    groups: &Groups,
    start: impl Fn() -> T + Sync,
    visit: impl Fn(&mut T, usize) + Sync,
    merge: impl Fn(T, T) -> T + Sync,
) -> T {
    // Not too few at a time: the memory is made once for each stretch.
    let stretch = (groups.len() / (16 * rayon::current_num_threads())).max(1);
    let visited = (0..groups.len()).into_par_iter().with_min_len(stretch).fold(&start, |mut sum, group| {
        visit(&mut sum, group);
        sum
    });
    visited.reduce(&start, &merge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_belief_on_a_bound_is_in_the_lower_twentieth() {
        for twentieths in 1..=20 {
            assert_eq!(step(f64::from(twentieths) / 20.0), twentieths as usize - 1);
            assert_eq!(step(Fraction::new(3 * twentieths as u128, 60).to_f64()), twentieths as usize - 1);
        }
        assert_eq!((step(0.0), step(0.050001), step(1e-9)), (0, 1, 0));
    }

    #[test]
    fn what_exceeds_its_limit_most_is_the_worst() {
        let limit = |num, den| Some(Limit { belief: Fraction::new(num, den), strict: false });
        let high = Belief::new(Fraction::new(9, 10), None);
        let over = Belief::new(Fraction::new(1, 2), limit(1, 3));
        let far_over = Belief::new(Fraction::new(1, 10), limit(1, 100));
        for order in [[high, over, far_over], [far_over, high, over], [over, far_over, high]] {
            let mut tally = Tally::default();
            order.into_iter().for_each(|one| tally.believe(one));
            let found = tally.finding("", &Params::default(), String::new(), 1);
            assert_eq!((found.highest, found.limit), (high.belief, far_over.limit));
        }
    }
}
