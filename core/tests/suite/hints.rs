//! What criteria tell searches and attacks besides verdicts, against every group of few records:
//! nothing is overstated, and how much of what could be said is said stands in a list.

use crate::support::settings::settings;
use crate::support::{DISEASE, Row, table_of};
use sfumato::candidate::Counter;
use sfumato::criterion::{About, Bound, Criterion, KINDS, Knowledge};
use sfumato::data::{Schema, Table};
use sfumato::exact::Fraction;
use sfumato::plan::requirement;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Counts = Vec<u32>;

/// Every group of a table's values with few records, and whether a criterion holds for it.
struct World<'a> {
    criterion: &'a dyn Criterion,
    domain: usize,
    most: u32,
    groups: BTreeMap<Counts, bool>,
}

fn size(counts: &[u32]) -> u32 {
    counts.iter().sum()
}

fn together(a: &[u32], b: &[u32]) -> Counts {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// All ways to have at most so many records.
fn all_counts(domain: usize, most: u32) -> Vec<Counts> {
    if domain == 0 {
        return vec![Vec::new()];
    }
    let with = |first: u32| {
        let rest = all_counts(domain - 1, most - first);
        rest.into_iter().map(move |rest| std::iter::once(first).chain(rest).collect())
    };
    (0..=most).flat_map(with).collect()
}

impl<'a> World<'a> {
    fn new(bound: &'a Bound, table: &Table) -> World<'a> {
        // Where no value is read, any will do.
        let domain = bound.codes(table).unwrap().map_or(2, |codes| codes.domain());
        let most = if domain > 4 { 6 } else { 8 };
        let mut counter = Counter::new(domain);
        let mut holds = |counts: &Counts| {
            let entries = (0u32..).zip(counts.iter().map(|&count| u64::from(count))).filter(|entry| entry.1 > 0);
            bound.criterion.holds(&counter.take(0, entries))
        };
        let groups = all_counts(domain, most).into_iter().filter(|counts| size(counts) > 0);
        let groups = groups.map(|counts| (counts.clone(), holds(&counts))).collect();
        World { criterion: &*bound.criterion, domain, most, groups }
    }

    fn holding(&self) -> impl Iterator<Item = &Counts> {
        self.groups.iter().filter(|group| *group.1).map(|group| group.0)
    }

    /// Whether what two groups have, together, holds wherever it does for the first, and for the
    /// second if that is asked.
    fn keeps(&self, second_holds: bool) -> bool {
        self.holding().all(|a| {
            let seconds = self.groups.iter().filter(|second| *second.1 || !second_holds);
            seconds.filter_map(|(b, _)| self.groups.get(&together(a, b))).all(|holds| *holds)
        })
    }

    /// Whether a group with enough records holds exactly if no value is ruled out by its count.
    fn is_by_value(&self) -> bool {
        let least = self.criterion.properties().least.size;
        let enough = self.groups.iter().filter(|group| u64::from(size(group.0)) >= least);
        enough.into_iter().all(|(counts, &holds)| {
            let size = u64::from(size(counts));
            let mut values = (0u32..).zip(counts).filter(|(_, count)| **count > 0);
            holds != values.any(|(code, &count)| self.criterion.rules_out(code, u64::from(count), size))
        })
    }

    /// Whether only counts matter, and a group that holds does so after a record of a more frequent
    /// value takes on a less frequent one.
    fn prefers_even(&self) -> bool {
        let pairs = || (0..self.domain).flat_map(|a| (0..self.domain).map(move |b| (a, b)));
        let is_alike = pairs().all(|(a, b)| self.interchangeable(a, b));
        is_alike
            && self.holding().all(|counts| {
                pairs().filter(|&(a, b)| counts[a] > counts[b]).all(|(a, b)| {
                    let mut moved = counts.clone();
                    (moved[a], moved[b]) = (moved[a] - 1, moved[b] + 1);
                    self.groups[&moved]
                })
            })
    }

    /// The fewest records that must go.
    fn removed(&self, counts: &Counts) -> u64 {
        let parts = self.holding().filter(|part| part.iter().zip(counts).all(|(part, whole)| part <= whole));
        parts.map(|part| u64::from(size(counts) - size(part))).min().unwrap_or(size(counts).into())
    }

    fn told_removed(&self, counts: &Counts) -> u64 {
        let mut counter = Counter::new(self.domain);
        let entries = (0u32..).zip(counts.iter().map(|&count| u64::from(count))).filter(|entry| entry.1 > 0);
        self.criterion.least_removed(&counter.take(0, entries)).min(size(counts).into())
    }

    fn interchangeable(&self, a: usize, b: usize) -> bool {
        self.groups.iter().all(|(counts, holds)| {
            let mut swapped = counts.clone();
            swapped.swap(a, b);
            self.groups[&swapped] == *holds
        })
    }

    fn rules_out(&self, code: usize, at_least: u32, largest: u32) -> bool {
        !self.holding().any(|counts| size(counts) <= largest && counts[code] >= at_least)
    }

    /// Whether records may move between values, none of which gets more than so many.
    fn ignores(&self, codes: &[usize], at_most: u32, smallest: u32) -> bool {
        let told = |counts: &Counts| size(counts) >= smallest && codes.iter().all(|&code| counts[code] <= at_most);
        let mut verdicts: BTreeMap<(Counts, u32), bool> = BTreeMap::new();
        self.groups.iter().filter(|(counts, _)| told(counts)).all(|(counts, holds)| {
            let mut rest = counts.clone();
            codes.iter().for_each(|&code| rest[code] = 0);
            let lumped = size(counts) - size(&rest);
            *verdicts.entry((rest, lumped)).or_insert(*holds) == *holds
        })
    }

    /// What is said, and of what can be said: `said/true`, over all groups and values.
    fn told(&self) -> String {
        let yes = |flag: bool| u64::from(flag);
        let criterion = self.criterion;
        let code = |code: usize| code as u32;
        // Of no records anything may be said.
        criterion.rules_out(0, 0, 0);
        assert!((0..self.domain).all(|own| criterion.interchangeable(code(own), code(own))));
        let mut list: Vec<(&str, u64, u64)> = vec![
            ("merging", yes(criterion.properties().is_monotone()), yes(self.keeps(true))),
            ("growth", yes(criterion.properties().survives_growth()), yes(self.keeps(false))),
            ("even", yes(criterion.properties().prefers_even), yes(self.prefers_even())),
            ("by value", yes(criterion.properties().is_by_value), yes(self.is_by_value())),
        ];
        let least = criterion.properties().least;
        let smallest =
            self.holding().map(|counts| u64::from(size(counts))).min().unwrap_or(least.size.max(self.most.into()));
        let fewest = self.holding().map(|counts| counts.iter().filter(|count| **count > 0).count() as u64).min();
        list.push(("size", least.size, smallest));
        list.push(("values", least.values, fewest.unwrap_or(least.values.max(self.domain as u64))));
        assert!(list.iter().all(|(_, said, right)| said <= right), "{list:?}");
        let failing = self.groups.iter().filter(|group| !group.1).map(|group| group.0);
        let mut removed = (0, 0);
        for counts in failing.filter(|_| criterion.properties().is_monotone()) {
            let (said, right) = (self.told_removed(counts), self.removed(counts));
            assert!(said <= right, "{counts:?}: {said} must go, {right} suffice");
            removed = (removed.0 + said, removed.1 + right);
        }
        list.push(("removed", removed.0, removed.1));
        let pairs = (0..self.domain).flat_map(|a| (a + 1..self.domain).map(move |b| (a, b)));
        list.push(said_of(
            "interchangeable",
            pairs,
            |(a, b)| criterion.interchangeable(code(a), code(b)),
            |(a, b)| self.interchangeable(a, b),
        ));
        let cases = (0..self.domain).flat_map(|a| {
            (0..=self.most).flat_map(move |count| (count.max(1)..=self.most).map(move |size| (a, count, size)))
        });
        list.push(said_of(
            "ruled out",
            cases,
            |(a, count, size)| criterion.rules_out(code(a), count.into(), size.into()),
            |(a, count, size)| self.rules_out(a, count, size),
        ));
        for (values, count, size) in (1u32..1 << self.domain.min(6)).flat_map(|values| {
            (1..=self.most).flat_map(move |count| (count..=self.most).map(move |size| (values, count, size)))
        }) {
            let codes: Vec<u32> = (0..self.domain as u32).filter(|code| values >> code & 1 == 1).collect();
            let has_so_many = |counts: &&Counts| {
                counts.iter().sum::<u32>() <= size
                    && codes.iter().map(|&code| counts[code as usize]).sum::<u32>() >= count
            };
            let is_said = criterion.rules_out_together(&codes, count.into(), size.into());
            assert!(!is_said || !self.holding().any(|counts| has_so_many(&counts)), "{codes:?}, {count} of {size}");
        }
        let line: Vec<String> = list.iter().map(|(name, said, right)| format!("{name} {said}/{right}")).collect();
        let promised: Vec<String> = (0..3).filter_map(|eliminated| self.told_promised(eliminated)).collect();
        let eligible = criterion.properties().eligibility.map_or("never".to_string(), |l| l.to_string());
        let (line, ignored, promised) = (line.join(", "), self.told_ignored(), promised.join(" "));
        format!("{line}, ignored {ignored}, eligible {eligible}, believed [{promised}]")
    }

    /// What an attacker believes at most who knows of so many values that a person has none of
    /// them, over all values: `promised/reached`. Nothing where nothing is promised.
    fn told_promised(&self, eliminated: usize) -> Option<String> {
        let knowledge = if eliminated == 0 { Knowledge::Nothing } else { Knowledge::Eliminated(eliminated as u64) };
        let (mut said, mut reached) = (0.0, 0.0);
        for code in 0..self.domain {
            let Some(limit) = self.criterion.promise(About::Value(code as u32), knowledge) else { continue };
            let beliefs: Vec<Fraction> = self.holding().filter_map(|counts| belief(counts, code, eliminated)).collect();
            assert!(beliefs.iter().all(|belief| limit.allows(*belief)), "{code}, {eliminated} eliminated: {limit:?}");
            said += limit.belief.to_f64();
            reached += beliefs.into_iter().max().unwrap_or(Fraction::ZERO).to_f64();
        }
        (said > 0.0).then(|| format!("{said:.3}/{reached:.3}"))
    }

    /// How often a value is said to be ignored, having seen that these make no difference.
    fn told_ignored(&self) -> usize {
        let cases = (0..=self.most).flat_map(|at_most| (1..=self.most).map(move |smallest| (at_most, smallest)));
        let told = cases.map(|(at_most, smallest)| {
            let ignored = |&code: &usize| self.criterion.ignores(code as u32, at_most.into(), smallest.into());
            let codes: Vec<usize> = (0..self.domain).filter(ignored).collect();
            assert!(self.ignores(&codes, at_most, smallest), "{codes:?}, at most {at_most}, from {smallest} on");
            codes.len()
        });
        told.sum()
    }
}

/// The share of a value without the most frequent other ones.
fn belief(counts: &Counts, code: usize, eliminated: usize) -> Option<Fraction> {
    let mut others: Vec<u32> = (0..counts.len()).filter(|&other| other != code).map(|other| counts[other]).collect();
    others.sort_unstable();
    let left: u32 = others[..others.len() - eliminated].iter().sum::<u32>() + counts[code];
    (left > 0).then(|| Fraction::new(counts[code].into(), left.into()))
}

/// Counts what is said, all of which must be right, and what would be right.
fn said_of<C: Copy + std::fmt::Debug>(
    name: &'static str,
    cases: impl Iterator<Item = C>,
    said: impl Fn(C) -> bool,
    right: impl Fn(C) -> bool,
) -> (&'static str, u64, u64) {
    let (mut says, mut could) = (0, 0);
    for case in cases {
        let (said, right) = (said(case), right(case));
        assert!(right || !said, "{name} {case:?} is said, and wrong");
        says += u64::from(said);
        could += u64::from(right);
    }
    (name, says, could)
}

#[test]
fn nothing_is_overstated_and_little_is_left_unsaid() {
    let people = [(0, 0), (0, 0), (0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (3, 0)];
    let rows: Vec<Row> = people.iter().map(|&(disease, drug)| Row { zip: 0, disease, drug }).collect();
    let table = table_of(&rows);
    let plain = Schema::of(&["zip"], &["disease", "drug"]);
    let mut columns = plain.columns().to_vec();
    columns[1].sensitive_values = vec!["cancer".into(), "hiv".into()];
    let named = Schema::new(columns);
    let mut lines = String::new();
    for (of, schema) in [("", &plain), (" of two values", &named)] {
        for kind in KINDS {
            for asked in settings(kind, DISEASE, 4) {
                let wanted = requirement(&asked.text(), schema).unwrap();
                let told = match wanted.bind(&table, schema, Path::new(".")) {
                    Ok(bound) => World::new(&bound, &table).told(),
                    Err(error) => error.message().to_string(),
                };
                let params: Vec<String> = asked.params.iter().map(|(name, text)| format!(" {name} = {text}")).collect();
                lines += &format!("{}{}{of}: {told}\n", kind.name, params.join(","));
            }
        }
    }
    // What to put into the list where it says something else.
    println!("{lines}");
    let listed = include_str!("hints.txt");
    // Of a criterion that is new, nothing is listed yet.
    let criterion = |line: &str| line.split(' ').next().map(str::to_string);
    let known: BTreeSet<_> = listed.lines().map(criterion).collect();
    let said: Vec<&str> = lines.lines().filter(|line| known.contains(&criterion(line))).collect();
    for (said, listed) in said.iter().zip(listed.lines()) {
        assert_eq!(*said, listed, "if that is for the better, take it over");
    }
    assert_eq!(said.len(), listed.lines().count());
}
