//! Rules about sensitive items, without repetition: the engine that visits them.
//!
//! A rule q → e tells as much as any other that holds for the same records and has the same end, or
//! less: of those only the one with the longest q is visited. These q are the intersections of
//! records that hold e, without e. They are listed as LCM does (Uno, Kiyomi and Arimura 2004): a
//! set is extended by one item at a time, and kept if everything that its records have in common
//! besides is more frequent than the item it was extended by; so each is reached exactly once, and
//! nothing has to be remembered. Two small tables go along: the records that hold q and e, and all
//! that hold q. Items that cannot be added any more are left out of both, and records that became
//! alike are merged. Everything that looks for rules about sensitive items is a `Visitor` here;
//! rules that know an item are those of the table of its holders without it.
//!
//! # Claim
//! What a bounded index passes over cannot matter. Let R be the records that hold q and e, and let
//! each have at least m *around* it: records that hold all its other items, but not e. A rule q' →
//! e with more items before its arrow holds for some of R, say for s of them, and for none fewer
//! than s + m does q' hold, because those around each of the s hold q' as well. So it matters only
//! if s + m is at most what `Visitor::most` says of s; and if |R| + m is above that for |R|, s +
//! m is for s.

mod index;
mod rows;
mod walk;

pub(super) use index::{Index, is_within};

use super::{Demand, Rule, Sensitive, Transactions};
use crate::error::{Error, Fault, Result};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::ControlFlow;
use walk::{Room, Walk};

/// What is visited of the rules.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    /// How many items antecedents have at most.
    pub known: usize,
    /// Whether the rule with an empty antecedent is one.
    pub empty: bool,
}

impl From<Demand> for Scope {
    fn from(demand: Demand) -> Scope {
        Scope { known: demand.known.unwrap_or(usize::MAX), empty: demand.empty }
    }
}

/// A rule that is visited.
pub(super) struct VisitedRule<'a> {
    item_of: &'a [u32],
    ranks: &'a [u32],
    consequent: u32,
    /// How many records hold the antecedent and the consequent.
    pub support: u64,
    /// How many records hold the antecedent.
    pub of: u64,
}

impl VisitedRule<'_> {
    /// The rule by items.
    pub(super) fn rule(&self) -> Rule {
        let mut antecedent: Vec<u32> = self.ranks.iter().map(|rank| self.item_of[*rank as usize]).collect();
        antecedent.sort_unstable();
        let consequent = self.item_of[self.consequent as usize];
        Rule { antecedent, consequent, support: self.support, of: self.of }
    }
}

/// Sees rules. What it wants may only depend on what it has seen.
pub(super) trait Visitor: Clone + Send + Sync {
    /// Whether a rule that holds for so many records, or for fewer, can still matter.
    fn wants(&self, support: u64) -> bool;

    /// Among how many records at most a rule that holds for so many matters. A number that is too
    /// high for some support is too high for one less support, by one less.
    fn most(&self, support: u64) -> u64;

    /// Sees a rule that matters.
    fn see(&mut self, seen: &VisitedRule<'_>) -> ControlFlow<()>;

    /// One that knows what this one knows, and has seen nothing that counts.
    fn fork(&self) -> Self;

    /// What both have seen.
    fn merge(self, other: Self) -> Self;
}

/// The order of rules: the most confident first, of those the one with most support, then by
/// antecedent and consequent.
pub(super) fn worst_first(a: &Rule, b: &Rule) -> Ordering {
    let confidence = (u128::from(b.support) * u128::from(a.of)).cmp(&(u128::from(a.support) * u128::from(b.of)));
    let names = || a.antecedent.cmp(&b.antecedent).then(a.consequent.cmp(&b.consequent));
    confidence.then(b.support.cmp(&a.support)).then_with(names)
}

/// What came of visiting rules.
pub(super) struct Visited<V> {
    /// The visitor at the end.
    pub visitor: V,
    /// How many rules were looked at.
    pub looked_at: u64,
    /// Whether these were all that matter.
    pub exhaustive: bool,
}

impl<V: Visitor> Visited<V> {
    fn merge(self, other: Self) -> Self {
        let visitor = self.visitor.merge(other.visitor);
        let exhaustive = self.exhaustive && other.exhaustive;
        Visited { visitor, looked_at: self.looked_at + other.looked_at, exhaustive }
    }
}

/// Different records with one item above which they are visited in parts, so that a frequent item
/// keeps several threads busy.
const MANY: usize = 2048;

/// How many parts that are.
const PARTS: usize = 64;

impl Index {
    /// Visits the rules about one sensitive item, by its number. Each part of the work stops after
    /// so many.
    fn visit<V: Visitor>(&self, number: usize, scope: Scope, visitor: V, most: u64, room: &mut Room) -> Visited<V> {
        let told = &self.sensitive[number];
        let mut walk = self.walk(told.rank, scope, visitor, most, room);
        let mut level = walk.room.levels.pop().unwrap_or_default();
        let starts_empty = walk.start(told, &mut level);
        if starts_empty && told.records.len() > MANY && !walk.stopped {
            let begun = Visited { visitor: walk.visitor.fork(), looked_at: walk.looked_at, exhaustive: true };
            let first = Visited { visitor: walk.visitor, ..begun };
            let part = |room: &mut Room, part: usize| {
                let mut walk = self.walk(told.rank, scope, begun.visitor.fork(), most, room);
                let numbers = (0..level.holders.items.len()).rev().skip(part).step_by(PARTS);
                numbers.for_each(|number| walk.extend_first(&level.holders, number));
                walk.visited()
            };
            let parts: Vec<Visited<V>> = (0..PARTS).into_par_iter().map_init(|| Room::new(self), part).collect();
            return parts.into_iter().fold(first, Visited::merge);
        }
        if starts_empty {
            // Rare items first: rules about few tell most.
            (0..level.holders.items.len()).rev().for_each(|number| walk.extend_first(&level.holders, number));
        } else if !walk.stopped {
            walk.grow(&mut level);
        }
        walk.room.levels.push(level);
        walk.visited()
    }

    fn walk<'a, V>(&'a self, consequent: u32, scope: Scope, visitor: V, most: u64, room: &'a mut Room) -> Walk<'a, V> {
        Walk {
            index: self,
            scope,
            consequent,
            visitor,
            room,
            antecedent: Vec::new(),
            looked_at: 0,
            most,
            stopped: false,
        }
    }

    /// Visits the rules about all sensitive items, those of each for a while; then those that are
    /// left for longer, and so on until all were visited, or there is no need to go on: so the
    /// effort is bounded, and yet the outcome is the same for any number of threads. An error if
    /// there are too many to ever end.
    pub(super) fn visit_all<V: Visitor>(
        &self,
        scope: Scope,
        visitor: V,
        need_not_go_on: impl Fn(&V, u64) -> bool,
    ) -> Result<Visited<V>> {
        let mut whole = Visited { visitor, looked_at: 0, exhaustive: true };
        let mut open: Vec<usize> = (0..self.sensitive.len()).collect();
        let (mut most, mut effort) = (FIRST_EFFORT, 0);
        let mut known = whole.visitor.clone();
        loop {
            let visit = |room: &mut Room, number: &usize| self.visit(*number, scope, known.fork(), most, room);
            let visited: Vec<Visited<V>> =
                open.par_iter().with_max_len(1).map_init(|| Room::new(self), visit).collect();
            effort += visited.iter().map(|one| one.looked_at).sum::<u64>();
            let mut partly = Visited { visitor: whole.visitor.fork(), looked_at: 0, exhaustive: true };
            let mut left = Vec::new();
            for (number, one) in open.into_iter().zip(visited) {
                let into = if one.exhaustive { &mut whole } else { &mut partly };
                if !one.exhaustive {
                    left.push(number);
                }
                let before = std::mem::replace(into, Visited { visitor: known.fork(), looked_at: 0, exhaustive: true });
                *into = before.merge(one);
            }
            if left.is_empty() {
                return Ok(whole);
            }
            known = whole.visitor.clone().merge(partly.visitor.clone());
            if need_not_go_on(&known, effort) {
                return Ok(whole.merge(partly));
            }
            if effort > self.most_rules {
                return Err(too_many());
            }
            open = left;
            most *= 4;
        }
    }
}

/// How many rules are looked at before giving up. Releases of the sets in the literature have up to
/// a few million; files of thirty lines can be made that have billions.
const MOST_RULES: u64 = 50_000_000;

fn too_many() -> Error {
    let message = format!("more than {MOST_RULES} rules would have to be looked at");
    Error::new(Fault::Resources, message)
        .help("a criterion that limits what somebody knows of a person (`known`) looks at fewer")
}

/// How many rules about an item are looked at first.
const FIRST_EFFORT: u64 = 1 << 6;

/// The most confident rule.
#[derive(Clone)]
pub(super) struct Worst(pub Option<Rule>);

impl Visitor for Worst {
    /// Once a rule is certain, only those with as much support matter.
    fn wants(&self, support: u64) -> bool {
        self.0.as_ref().is_none_or(|rule| rule.support < rule.of || rule.support <= support)
    }

    fn most(&self, support: u64) -> u64 {
        self.0.as_ref().map_or(u64::MAX, |rule| support * rule.of / rule.support)
    }

    fn see(&mut self, seen: &VisitedRule<'_>) -> ControlFlow<()> {
        let as_confident = |rule: &Rule| seen.support * rule.of == rule.support * seen.of;
        if self.0.as_ref().is_some_and(|rule| as_confident(rule) && seen.support < rule.support) {
            return ControlFlow::Continue(());
        }
        let seen = seen.rule();
        if self.0.as_ref().is_none_or(|rule| worst_first(&seen, rule).is_lt()) {
            self.0 = Some(seen);
        }
        ControlFlow::Continue(())
    }

    fn fork(&self) -> Worst {
        self.clone()
    }

    fn merge(self, other: Worst) -> Worst {
        Worst(self.0.into_iter().chain(other.0).min_by(worst_first))
    }
}

/// Rules that a demand does not allow, up to some number.
#[derive(Clone)]
struct Unsafe {
    demand: Demand,
    most: usize,
    rules: Vec<Rule>,
}

impl Visitor for Unsafe {
    fn wants(&self, _: u64) -> bool {
        true
    }

    fn most(&self, support: u64) -> u64 {
        least_allowed(&self.demand, support).map_or(u64::MAX, |of| of - 1)
    }

    fn see(&mut self, seen: &VisitedRule<'_>) -> ControlFlow<()> {
        self.rules.push(seen.rule());
        if self.rules.len() < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn fork(&self) -> Unsafe {
        Unsafe { rules: Vec::new(), ..*self }
    }

    fn merge(mut self, other: Unsafe) -> Unsafe {
        self.rules.extend(other.rules);
        self
    }
}

impl Index {
    /// As [`find_unsafe`], in the table of the index.
    pub(super) fn find_unsafe(&self, demand: Demand, most: usize) -> Result<Vec<Rule>> {
        find_among(self, (0..self.sensitive.len()).collect(), demand, most)
    }

    /// Whether a demand does not allow some rule about a sensitive item.
    pub(super) fn is_told(&self, item: u32, demand: Demand) -> Result<bool> {
        Ok(!find_among(self, vec![self.number(item)], demand, 1)?.is_empty())
    }
}

/// The least number of records among which so many may have an item; nothing if they never may.
pub(super) fn least_allowed(demand: &Demand, support: u64) -> Option<u64> {
    // The number allowed grows with that of records, so that the first place where it suffices can
    // be found by halving. No table has more than 2³² records.
    let (mut low, mut high) = (support, support.max(1));
    while !demand.allows(support, high) {
        low = high + 1;
        high = high.checked_mul(2).filter(|high| *high <= 1 << 33)?;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if demand.allows(support, middle) { high = middle } else { low = middle + 1 }
    }
    Some(high)
}

/// The most confident rule with a sensitive item at its end, of all there are, and how many had to
/// be looked at.
pub fn worst_rule(table: &Transactions, sensitive: &Sensitive, demand: Demand) -> Result<(Option<Rule>, u64)> {
    let visited = Index::new(table, sensitive).visit_all(demand.into(), Worst(None), |_, _| false)?;
    Ok((visited.visitor.0, visited.looked_at))
}

/// Up to `most` rules that a demand does not allow, the most confident first; all there are if they
/// are fewer. Of rules about the same records with the same end it names the longest.
///
/// It takes some about each sensitive item, and stops as soon as it has enough: what it names need
/// not be the worst there is.
pub fn find_unsafe(table: &Transactions, sensitive: &Sensitive, demand: Demand, most: usize) -> Result<Vec<Rule>> {
    Index::new(table, sensitive).find_unsafe(demand, most)
}

fn find_among(index: &Index, mut open: Vec<usize>, demand: Demand, most: usize) -> Result<Vec<Rule>> {
    let mut rules = Vec::new();
    let mut quota = (most / open.len().max(1)).max(16);
    while !open.is_empty() && rules.len() < most {
        let mut left = Vec::new();
        for some in open.chunks(TOGETHER) {
            let visitor = Unsafe { demand, most: quota.min(most), rules: Vec::new() };
            let visit = |room: &mut Room, number: &usize| {
                index.visit(*number, demand.into(), visitor.fork(), index.most_rules, room)
            };
            let found: Vec<_> = some.par_iter().with_max_len(1).map_init(|| Room::new(index), visit).collect();
            let (all, partly): (Vec<_>, Vec<_>) = some.iter().zip(found).partition(|(_, visited)| visited.exhaustive);
            rules.extend(all.into_iter().flat_map(|(_, visited)| visited.visitor.rules));
            let found_partly: usize = partly.iter().map(|(_, visited)| visited.visitor.rules.len()).sum();
            if rules.len() + found_partly >= most {
                rules.extend(partly.into_iter().flat_map(|(_, visited)| visited.visitor.rules));
                break;
            }
            // What was not stopped by its quota of rules was stopped by the limit.
            let is_short = |visited: &Visited<Unsafe>| visited.visitor.rules.len() < quota.min(most);
            if partly.iter().any(|(_, visited)| visited.looked_at >= index.most_rules && is_short(visited)) {
                return Err(too_many());
            }
            left.extend(partly.iter().map(|(number, _)| **number));
        }
        open = left;
        quota = quota.saturating_mul(8);
    }
    rules.sort_unstable_by(worst_first);
    rules.truncate(most);
    Ok(rules)
}

/// How many items are searched before looking whether that is enough.
const TOGETHER: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Fraction;

    #[test]
    fn allowed_from_here_on() {
        for (num, den) in [(1, 3), (7, 10), (1, 1), (1, 1000)] {
            for strict in [false, true] {
                let demand = Demand { strict, ..Demand::at_most(Fraction::new(num, den)) };
                for support in 1..20 {
                    let least = least_allowed(&demand, support).unwrap();
                    assert!(
                        demand.allows(support, least) && !demand.allows(support, least - 1),
                        "{demand:?} {support}"
                    );
                }
            }
        }
        assert_eq!(least_allowed(&Demand::at_most(Fraction::ZERO), 1), None);
    }

    #[test]
    fn the_search_for_something_worse_ends() {
        let records: Vec<Vec<u32>> =
            (0..14).map(|left_out| (0..14).filter(|item| *item != left_out).collect()).collect();
        let names: std::sync::Arc<[String]> = (0..14).map(|item: u32| item.to_string()).collect();
        let table = Transactions::new(names, records);
        let mut index = Index::new(&table, &Sensitive::new(vec![true; 14]));
        let scope = Scope { known: usize::MAX, empty: false };
        let some = index.visit_all(scope, Each(0), |each, effort| each.0 > 0 && effort > 100).unwrap();
        assert!(!some.exhaustive && some.looked_at < 2000, "{}", some.looked_at);
        let all = index.visit_all(scope, Each(0), |_, _| false).unwrap();
        assert!(all.exhaustive);
        assert_eq!((all.looked_at, all.visitor.0), (14 * ((1 << 13) - 2), 14 * ((1 << 13) - 2)));
        index = index.bounded();
        let worst = index.visit_all(scope, Worst(None), |_, _| false).unwrap();
        assert!(worst.exhaustive && worst.looked_at < 2000, "longer rules are passed over: {}", worst.looked_at);
        index.most_rules = 10_000;
        let given_up = index.visit_all(scope, Each(0), |_, _| false).err().map(|error| error.fault());
        assert_eq!(given_up, Some(Fault::Resources));
    }

    /// Counts every rule.
    #[derive(Clone)]
    struct Each(u64);

    impl Visitor for Each {
        fn wants(&self, _: u64) -> bool {
            true
        }

        fn most(&self, _: u64) -> u64 {
            u64::MAX
        }

        fn see(&mut self, _: &VisitedRule<'_>) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Continue(())
        }

        fn fork(&self) -> Each {
            Each(0)
        }

        fn merge(self, other: Each) -> Each {
            Each(self.0 + other.0)
        }
    }
}
