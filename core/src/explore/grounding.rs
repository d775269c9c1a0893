//! The worst case with names: whose value is asked for, and what exactly is known.

use super::front::{Breach, Company};
use super::scan::Reader;
use crate::candidate::Groups;
use crate::criterion::{Budget, Case};
use std::collections::{BTreeMap, HashSet};

/// How a budget is used where it tells most. What is granted is true of the records: the target has
/// the value.
#[derive(Clone, Debug, PartialEq)]
pub struct Grounding {
    /// How much is granted.
    pub budget: Budget,
    /// The belief in the value that it leads to.
    pub belief: f64,
    /// Where the target is.
    pub target: GroupPlace,
    /// The target's record (from 1): the first of the group that has the value.
    pub record: Option<usize>,
    /// The l values that are granted about the target, with how often each occurs in her group;
    /// fewer where the group has no more.
    pub eliminated: Vec<Share>,
    /// The others that are known.
    pub others: KnownPeople,
    /// Whom they are with.
    pub company: Company,
    /// Where the relatives are; nothing if none is known.
    pub family: Option<GroupPlace>,
    /// The relatives.
    pub relatives: KnownPeople,
}

/// A group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupPlace {
    /// Its number, from 0.
    pub group: usize,
    /// People in it.
    pub people: u64,
    /// Its first record (from 1).
    pub first_record: Option<usize>,
}

/// A value and how often it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The value.
    pub value: String,
    /// How often.
    pub count: u64,
}

/// People about whom something is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownPeople {
    /// How many are needed: fewer than granted where no more are left.
    pub people: u64,
    /// With one value each, the values that they are known to have.
    pub values: Vec<Share>,
    /// A record of each (from 1).
    pub records: Vec<usize>,
}

impl Grounding {
    /// Without the numbers of records: for a release that does not tell which record has which
    /// value.
    pub fn without_records(mut self) -> Grounding {
        self.record = None;
        self.others.records.clear();
        self.relatives.records.clear();
        self.target.first_record = None;
        if let Some(family) = &mut self.family {
            family.first_record = None;
        }
        self
    }

    /// The grounding of a breach.
    ///
    /// # Claim
    /// It reaches the belief. Only numbers enter T and V, so any others and relatives do that are
    /// what they must be: *others* people without the value and, with one value each and beside the
    /// target, without the l values; *relatives* anybody else. Where there are fewer others than k,
    /// they leave nobody but holders, and where there are fewer relatives than m, they are all that
    /// is left: either way the belief is 1.
    pub(super) fn of(breach: &Breach, case: Case, reader: &Reader<'_>, groups: &Groups) -> Grounding {
        let Breach { budget, belief, target, family, company } = *breach;
        let at = Cast { case, reader, groups };
        let mut eliminated = reader.others(groups, target);
        eliminated.truncate(usize::try_from(budget.l).unwrap_or(usize::MAX));
        let asked = at.people(target).into_iter().find(|&row| reader.own(row).is_some_and(|own| own > 0));
        let asked = asked.expect("somebody in the target's group has the value");
        let others = match (company, family) {
            (Company::Family, Some(family)) => at.others(family, budget.k, None, &[]),
            _ => at.others(target, budget.k, Some(asked), &eliminated),
        };
        let taken: HashSet<u32> = others.iter().copied().chain([asked]).collect();
        let relatives = family.map_or_else(Vec::new, |family| {
            at.people(family).into_iter().filter(|row| !taken.contains(row)).take(size(budget.m)).collect()
        });
        let share = |&(value, count): &(u32, u64)| Share { value: reader.label(value).into(), count };
        Grounding {
            budget,
            belief,
            target: at.place(target),
            record: Some(asked as usize + 1),
            eliminated: eliminated.iter().map(share).collect(),
            others: at.known(&others, true),
            company,
            family: family.map(|family| at.place(family)),
            relatives: at.known(&relatives, false),
        }
    }
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Picks people.
struct Cast<'a> {
    case: Case,
    reader: &'a Reader<'a>,
    groups: &'a Groups,
}

impl Cast<'_> {
    /// A record of everybody in a group.
    fn people(&self, group: usize) -> Vec<u32> {
        self.groups.rows(group).iter().copied().filter(|&row| self.reader.own(row).is_some()).collect()
    }

    fn place(&self, group: usize) -> GroupPlace {
        let first_record = self.groups.rows(group).first().map(|&row| row as usize + 1);
        GroupPlace { group, people: self.people(group).len() as u64, first_record }
    }

    /// Up to k others of a group. With multisets those who have the value may have to serve as
    /// well, in worlds where they do not have it; but not all of the group, since somebody has it.
    fn others(&self, group: usize, k: u64, target: Option<u32>, eliminated: &[(u32, u64)]) -> Vec<u32> {
        let mut people = self.people(group);
        let eliminated: HashSet<u32> = eliminated.iter().map(|known| known.0).collect();
        let is_eliminated = |row: u32| self.reader.only_value(row).is_some_and(|value| eliminated.contains(&value));
        let has_it = |row: u32| self.reader.own(row).is_some_and(|own| own > 0);
        people.retain(|&row| Some(row) != target);
        if self.case == Case::Multiset {
            people.sort_by_key(|&row| (has_it(row), row));
            if target.is_none() {
                people.pop();
            }
        } else {
            people.retain(|&row| !has_it(row) && !is_eliminated(row));
        }
        people.truncate(size(k));
        people
    }

    fn known(&self, rows: &[u32], with_values: bool) -> KnownPeople {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        let values = rows.iter().filter_map(|&row| self.reader.only_value(row)).filter(|_| with_values);
        values.for_each(|value| *counts.entry(value).or_insert(0) += 1);
        let share = |(value, count): (u32, u64)| Share { value: self.reader.label(value).into(), count };
        KnownPeople {
            people: rows.len() as u64,
            values: counts.into_iter().map(share).collect(),
            records: rows.iter().map(|&row| row as usize + 1).collect(),
        }
    }
}
