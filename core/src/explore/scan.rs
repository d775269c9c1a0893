//! One scan over the groups: which different ones have the value?

use super::Values;
use crate::audit::keep_people_whole;
use crate::candidate::{Counter, Groups, Histogram};
use crate::criterion::Case;
use crate::criterion::knowledge::Shape;
use crate::criterion::people::{People, Several};
use crate::data::{Column, Table};
use crate::error::Result;
use foldhash::fast::RandomState;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Groups that tell the same about the value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GroupShape {
    pub shape: Shape,
    /// The first of them.
    pub first: usize,
    /// How many there are.
    pub groups: u64,
}

/// Reads groups: who is in them, and what they have.
pub(super) struct Reader<'a> {
    codes: Cow<'a, [u32]>,
    /// How many codes there are.
    domain: usize,
    /// The value; nothing if it is none of the column's.
    value: Option<u32>,
    /// For each code how often whoever has it has the value; nothing where it stands for nobody.
    own: Vec<Option<u64>>,
    /// People with several values.
    people: Option<People>,
    column: &'a Column,
}

impl<'a> Reader<'a> {
    pub fn new(
        table: &'a Table,
        groups: &Groups,
        column: &'a Column,
        values: Values<'_>,
        value: &str,
    ) -> Result<Reader<'a>> {
        let (case, several) = match values {
            Values::One => return Ok(Reader::of_single(column, value)),
            Values::Set(several) => (Case::Set, several),
            Values::Multiset(several) => (Case::Multiset, several),
        };
        let people = People::new(table, column, case, several)?;
        if let (Several::Records(_), Some(whose)) = (several, &people.whose) {
            keep_people_whole(groups, whose)?;
        }
        Ok(Reader::of_people(column, people, value))
    }

    fn of_single(column: &'a Column, value: &str) -> Reader<'a> {
        let domain = column.domain().len();
        let value = column.domain().code(value);
        let own = (0..domain as u32).map(|code| Some(u64::from(Some(code) == value))).collect();
        Reader { codes: Cow::Borrowed(column.codes()), domain, value, own, people: None, column }
    }

    fn of_people(column: &'a Column, mut people: People, value: &str) -> Reader<'a> {
        let value = people.labels().binary_search_by(|label| label.as_str().cmp(value)).ok().map(|at| at as u32);
        let domain = people.domain();
        let mut counter = Counter::new(domain);
        let mut counts = BTreeMap::new();
        let own = (0..domain as u32).map(|code| {
            let somebody = people.count(&counter.count(0, std::iter::once(code)), &mut counts) > 0;
            somebody.then(|| value.and_then(|value| counts.get(&value).copied()).unwrap_or(0))
        });
        let own = own.collect();
        let codes = Cow::Owned(std::mem::take(&mut people.codes));
        Reader { codes, domain, value, own, people: Some(people), column }
    }

    /// How often the person of a record has the value; nothing for records of people who were
    /// counted already.
    pub fn own(&self, row: u32) -> Option<u64> {
        self.own[self.codes[row as usize] as usize]
    }

    /// The only value of a record's person. With several values there is none.
    pub fn only_value(&self, row: u32) -> Option<u32> {
        self.people.is_none().then(|| self.codes[row as usize])
    }

    /// What a value is called.
    pub fn label(&self, value: u32) -> &str {
        match &self.people {
            None => self.column.domain().label(value),
            Some(people) => &people.labels()[value as usize],
        }
    }

    /// People in all groups.
    pub fn people(&self, groups: &Groups) -> u64 {
        groups.order().iter().filter(|&&row| self.own(row).is_some()).count() as u64
    }

    /// The other values of a group, the most frequent first; equally frequent ones in their order.
    pub fn others(&self, groups: &Groups, group: usize) -> Vec<(u32, u64)> {
        let mut counter = Counter::new(self.domain);
        let histogram = counter.count(group, groups.rows(group).iter().map(|&row| self.codes[row as usize]));
        let mut counts = BTreeMap::new();
        match &self.people {
            None => counts.extend(histogram.entries().iter().copied()),
            Some(people) => {
                people.count(&histogram, &mut counts);
            }
        }
        let mut others: Vec<(u32, u64)> = counts.into_iter().filter(|entry| Some(entry.0) != self.value).collect();
        others.sort_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
        others
    }

    /// The different groups that have the value, in the order of the first of each.
    pub fn scan(&self, groups: &Groups) -> Vec<GroupShape> {
        let stretch = (groups.len() / (8 * rayon::current_num_threads())).clamp(1, 1 << 16);
        let found = (0..groups.len().div_ceil(stretch))
            .into_par_iter()
            .map(|at| self.stretch(groups, at * stretch..groups.len().min((at + 1) * stretch)))
            .reduce(Found::default, merged);
        let mut seen: Vec<GroupShape> =
            found.into_iter().map(|(shape, (first, groups))| GroupShape { shape, first, groups }).collect();
        seen.sort_unstable_by_key(|seen| seen.first);
        seen
    }

    fn stretch(&self, groups: &Groups, range: Range<usize>) -> Found {
        let mut found = Found::default();
        let mut counter = Counter::new(self.domain);
        let mut counts = BTreeMap::new();
        for group in range {
            let codes = groups.rows(group).iter().map(|&row| self.codes[row as usize]);
            if codes.clone().any(|code| self.own[code as usize].is_some_and(|times| times > 0)) {
                let shape = self.shape(&counter.count(group, codes), &mut counts);
                found.entry(shape).or_insert((group, 0)).1 += 1;
            }
        }
        found
    }

    /// What a group tells that has the value.
    fn shape(&self, group: &Histogram<'_>, counts: &mut BTreeMap<u32, u64>) -> Shape {
        let value = self.value.expect("somebody has it");
        match &self.people {
            None => {
                let own = group.count(value);
                let mut others = group.descending().to_vec();
                others.remove(others.iter().position(|&count| count == own).expect("it is one of them"));
                Shape { people: group.size(), own, others: others.into() }
            }
            Some(people) => {
                let size = people.count(group, counts);
                let own = counts.remove(&value).expect("somebody has it");
                let mut others: Vec<u64> = counts.values().copied().collect();
                others.sort_unstable_by(|a, b| b.cmp(a));
                Shape { people: size, own, others: others.into() }
            }
        }
    }
}

/// Shapes with the first group and the number of groups that have each.
type Found = HashMap<Shape, (usize, u64), RandomState>;

fn merged(a: Found, b: Found) -> Found {
    let (mut all, fewer) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    for (shape, (first, groups)) in fewer {
        let known = all.entry(shape).or_insert((first, 0));
        *known = (known.0.min(first), known.1 + groups);
    }
    all
}
