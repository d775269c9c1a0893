//! Permutation: records that are alike in groups, sensitive items told for the group instead of the
//! record.
//!
//! **Finds** small groups of records that share items, in each of which every sensitive item is as
//! rare as demanded. Items that are not sensitive stay with their records, none is deleted. Of
//! records that have sensitive items only, those are deleted: their lines are empty and form a
//! group of which nothing is told. Else whoever knows that nobody's set was empty would know that
//! each of them has some of the sensitive items of its group. **How**: records are put in an order
//! in which those that share rare items are near each other (as a reverse Cuthill–McKee order makes
//! a matrix narrow). Around one record with a sensitive item after the other a group is formed of
//! near records that share most items with it and no sensitive item with any other of the group; if
//! the records that are left could then not be a safe group themselves, the record is left for
//! later. What is left in the end is the last group. Groups, and the records in each, are published
//! in an order drawn by lot. **Promises** that whoever takes each record of a group as equally
//! likely to have each of its sensitive items believes in none by more than is demanded, whatever
//! items of a person she knows. It does not protect who is in the table or which other items a
//! record has: those are published as they are. It does not stop somebody who has learnt elsewhere
//! which items go together, who learns it from differences between many groups, who knows what
//! others of a group have, or who draws conclusions from the way groups are formed. **Cost**: for
//! each record with a sensitive item a comparison with a few records around it. **Reference**:
//! Ghinita, Tao and Kalnis 2008 (CAHD).
//!
//! # Claim
//! Let every sensitive item e be as likely for each record of its group G as for any other,
//! independently of the record's other items: with probability c(e, G)/|G|, where c counts the
//! records of G with e. Somebody knows items q of a person, sensitive or not. The person's record
//! is one of those that may hold q, each with some probability; whichever it is, it has e ∉ q with
//! the probability c(e, G)/|G| of its group. Her belief is a mean of these, so at most the
//! greatest, and each is at most ρ: groups around a record have as few records as allow one
//! occurrence and no sensitive item twice, and after each of them what is left is checked to be a
//! safe group. That holds for any q and so for any bound on its size
//! ([`Demand::known`](crate::transactions::Demand::known)). The plain frequency of e
//! ([`Demand::empty`](crate::transactions::Demand::empty)) is the mean of c(e, G)/|G| over all
//! records, so at most ρ too. And it is the only obstacle: if an item is more frequent than
//! demanded among all records that have something besides sensitive items, it is in some group of
//! them.
//!
//! ```
//! use sfumato::chance::Chance;
//! use sfumato::exact::Fraction;
//! use sfumato::transactions::{Demand, Released, Sensitive, Transactions, method};
//!
//! let bought = Transactions::from_names([vec!["bread", "pills"], vec!["tea"], vec!["bread"], vec!["tea", "test"]]);
//! let sensitive = Sensitive::named(&bought, ["pills", "test"]);
//! let demand = Demand::at_most(Fraction::new(1, 2));
//! let task = method::Task { table: &bought, sensitive: &sensitive, demand, chance: Chance::System, folder: "".as_ref(), watch: sfumato::watch::Watch::NONE };
//! let kind = method::find("permutation")?;
//! let Released::Separated(released) = (kind.build)(&kind.check(&[])?).make(&task)? else { panic!("items are separated") };
//! assert_eq!(released.groups.iter().map(|group| group.records).collect::<Vec<_>>(), [2, 2]);
//! assert_eq!(released.table.record(0), released.table.record(1), "those with bread, or those with tea");
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::{Build, Method, Task};
use crate::error::{Error, ErrorCode, Result};
use crate::kind::Kind;
use crate::transactions::{Demand, Released, Sensitive, Separated, Shared, Transactions};
use rand::seq::SliceRandom;
use std::collections::{BTreeMap, VecDeque};

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "permutation",
    summary: "Groups similar records and publishes sensitive items for groups only; deletes those of records that have no others",
    reference: "Ghinita et al. 2008 (CAHD)",
    params: &[],
    example: &[],
    build: |_| Box::new(Permutation),
};

struct Permutation;

/// What random choices are for: places of groups, and places within them.
const PLACES: u64 = 44;
const WITHIN: u64 = 47;
/// So many times as many records are compared as a group needs, on either side (α in the paper).
const COMPARED: usize = 3;
/// No record further away than so many is looked at, on either side.
const FURTHEST: usize = 4096;

impl Method for Permutation {
    fn make(&self, task: &Task<'_>) -> Result<Released> {
        let is_bare = |at: &u32| plain_items(task.table, task.sensitive, *at).next().is_none();
        let (bare, others): (Vec<u32>, Vec<u32>) = (0..task.table.len() as u32).partition(is_bare);
        let others = task.table.select(&others);
        let mut groups = grouped(&Task { table: &others, ..*task })?;
        if !bare.is_empty() {
            groups.push((vec![Vec::new(); bare.len()], Shared { records: bare.len(), items: Vec::new() }));
        }
        groups.shuffle(&mut task.chance.generator(PLACES)?);
        let (records, groups): (Vec<Vec<Vec<u32>>>, Vec<Shared>) = groups.into_iter().unzip();
        let table = Transactions::new(task.table.names().clone(), records.into_iter().flatten());
        Ok(Released::Separated(Separated { table, groups }))
    }
}

/// Groups: what is published of their records, in an order by lot, and of their sensitive items.
fn grouped(task: &Task<'_>) -> Result<Vec<(Vec<Vec<u32>>, Shared)>> {
    check_feasible(task)?;
    let mut groups = Grouping::new(task).form();
    let mut generator = task.chance.generator(WITHIN)?;
    groups.iter_mut().for_each(|group| group.shuffle(&mut generator));
    let plain = |at: &u32| plain_items(task.table, task.sensitive, *at).collect::<Vec<u32>>();
    Ok(groups.iter().map(|group| (group.iter().map(plain).collect(), shared(task, group))).collect())
}

/// There is a grouping of these records just if all of them together are one: a mean of shares is
/// no more than the greatest.
fn check_feasible(task: &Task<'_>) -> Result<()> {
    let (supports, records) = (task.table.supports(), task.table.len() as u64);
    let most = task.demand.most(records);
    let too_frequent = task.sensitive.items().filter(|item| supports[*item as usize] > most).count();
    if too_frequent == 0 {
        return Ok(());
    }
    let highest = task.sensitive.items().map(|item| supports[item as usize]).max().unwrap_or(0);
    let message = format!(
        "{too_frequent} of {} sensitive items are in more records than any grouping allows: one is in {highest} of {records}, at most {most} are allowed",
        task.sensitive.count()
    );
    // Rounded up, so that what is named is feasible as it stands.
    let feasible = (u128::from(highest) * 1000).div_ceil(u128::from(records.max(1)));
    let above = if task.demand.strict { "above" } else { "of at least" };
    let help = format!("a confidence {above} 0.{feasible:03} is feasible; or use a method that deletes items");
    let help = if feasible >= 1000 { "use a method that deletes items".to_string() } else { help };
    Err(Error::of(ErrorCode::TooFrequent, message).help(help))
}

/// The items of a record that are not sensitive.
fn plain_items<'a>(table: &'a Transactions, sensitive: &'a Sensitive, at: u32) -> impl Iterator<Item = u32> + 'a {
    table.record(at as usize).iter().copied().filter(|item| !sensitive.has(*item))
}

/// What is told about a group.
fn shared(task: &Task<'_>, group: &[u32]) -> Shared {
    let mut items: BTreeMap<u32, u64> = BTreeMap::new();
    for item in group.iter().flat_map(|at| task.table.record(*at as usize)).filter(|item| task.sensitive.has(**item)) {
        *items.entry(*item).or_default() += 1;
    }
    Shared { records: group.len(), items: items.into_iter().collect() }
}

/// Records in an order in which those that share rare items are near each other.
///
/// Breadth first: from a record to those that share its items, the rarest item first, short records
/// first; starting from the shortest; reversed.
fn near_each_other(table: &Transactions, sensitive: &Sensitive) -> Vec<u32> {
    let mut holders = table.holders();
    let mut starts: Vec<u32> = (0..table.len() as u32).collect();
    starts.sort_by_key(|at| plain_items(table, sensitive, *at).count());
    let mut place = vec![0; table.len()];
    starts.iter().zip(0u32..).for_each(|(at, index)| place[*at as usize] = index);
    let supports = table.supports();
    let mut seen = vec![false; table.len()];
    let mut order = Vec::with_capacity(table.len());
    let mut next = VecDeque::new();
    for start in starts {
        next.extend((!std::mem::replace(&mut seen[start as usize], true)).then_some(start));
        while let Some(at) = next.pop_front() {
            order.push(at);
            let mut items: Vec<u32> = plain_items(table, sensitive, at).collect();
            items.sort_by_key(|item| supports[*item as usize]);
            for item in items {
                let mut sharing = std::mem::take(&mut holders[item as usize]);
                sharing.retain(|other| !std::mem::replace(&mut seen[*other as usize], true));
                sharing.sort_by_key(|other| place[*other as usize]);
                next.extend(sharing);
            }
        }
    }
    order.reverse();
    order
}

/// Groups in the making. Records are known by their place in the order.
struct Grouping {
    demand: Demand,
    order: Vec<u32>,
    /// Sensitive items, and the others, of each record.
    sensitive: Vec<Vec<u32>>,
    plain: Vec<Vec<u32>>,
    left: Left,
}

impl Grouping {
    fn new(task: &Task<'_>) -> Grouping {
        let order = near_each_other(task.table, task.sensitive);
        let own = |at: &u32| task.table.record(*at as usize).iter().copied().filter(|item| task.sensitive.has(*item));
        let sensitive: Vec<Vec<u32>> = order.iter().map(|at| own(at).collect()).collect();
        let plain = order.iter().map(|at| plain_items(task.table, task.sensitive, *at).collect()).collect();
        let left = Left::new(&sensitive, task.table.names().len());
        Grouping { demand: task.demand, order, sensitive, plain, left }
    }

    /// Groups of records, by their numbers in the table.
    fn form(mut self) -> Vec<Vec<u32>> {
        let records = self.order.len();
        let Some(size) = (1..=records).find(|size| self.demand.most(*size as u64) > 0) else {
            // No sensitive item may occur, and none does.
            return Vec::from_iter((records > 0).then_some(self.order));
        };
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for start in 0..records {
            if self.left.has(start) && !self.sensitive[start].is_empty() {
                groups.extend(self.around(start, size));
            }
        }
        let last: Vec<usize> = (0..records).filter(|at| self.left.has(*at)).collect();
        groups.extend((!last.is_empty()).then_some(last));
        groups.into_iter().map(|group| group.into_iter().map(|at| self.order[at]).collect()).collect()
    }

    /// A group around a record, if there is one and what is left can be a group too.
    fn around(&mut self, start: usize, size: usize) -> Option<Vec<usize>> {
        let mut near = self.candidates(start, size);
        near.sort_by_key(|at| {
            (std::cmp::Reverse(shared_items(&self.plain[*at], &self.plain[start])), at.abs_diff(start))
        });
        let (mut group, mut items) = (vec![start], self.sensitive[start].clone());
        for at in near {
            if group.len() < size && shared_items(&self.sensitive[at], &items) == 0 {
                group.push(at);
                items.extend_from_slice(&self.sensitive[at]);
                items.sort_unstable();
            }
        }
        if group.len() < size {
            return None;
        }
        self.left.take(&group, &items);
        if self.left.most_frequent() > self.demand.most(self.left.records) {
            self.left.put_back(&group, &items);
            return None;
        }
        Some(group)
    }

    /// The nearest records on either side that are left and share no sensitive item.
    fn candidates(&self, start: usize, size: usize) -> Vec<usize> {
        let fits = |at: &usize| shared_items(&self.sensitive[*at], &self.sensitive[start]) == 0;
        let before = self.left.before(start).take(FURTHEST).filter(fits).take(COMPARED * size);
        let behind = self.left.behind(start).take(FURTHEST).filter(fits).take(COMPARED * size);
        before.chain(behind).collect()
    }
}

/// How many items two ascending lists share.
fn shared_items(one: &[u32], other: &[u32]) -> usize {
    one.iter().filter(|item| other.binary_search(item).is_ok()).count()
}

/// The records that are in no group yet, linked to their neighbours, and how many of them have each
/// item.
struct Left {
    records: u64,
    /// The record before and the one behind, shifted by one: 0 stands for the beginning and the
    /// end.
    links: Vec<(usize, usize)>,
    is_left: Vec<bool>,
    counts: Vec<u64>,
    /// How many items have each count.
    with_count: BTreeMap<u64, u64>,
}

impl Left {
    fn new(sensitive: &[Vec<u32>], kinds: usize) -> Left {
        let records = sensitive.len();
        let links = (0..=records).map(|at| ((at + records) % (records + 1), (at + 1) % (records + 1))).collect();
        let mut left = Left {
            records: records as u64,
            links,
            is_left: vec![true; records],
            counts: vec![0; kinds],
            with_count: BTreeMap::from([(0, kinds as u64)]),
        };
        sensitive.iter().flatten().for_each(|item| left.count(*item, 1));
        left
    }

    fn has(&self, at: usize) -> bool {
        self.is_left[at]
    }

    fn count(&mut self, item: u32, change: i64) {
        let count = &mut self.counts[item as usize];
        let before = *count;
        *count = before.checked_add_signed(change).expect("only what was counted is taken away");
        *self.with_count.entry(*count).or_default() += 1;
        if let Some(items) = self.with_count.get_mut(&before) {
            *items -= 1;
            if *items == 0 {
                self.with_count.remove(&before);
            }
        }
    }

    /// How many records have the most frequent item.
    fn most_frequent(&self) -> u64 {
        self.with_count.last_key_value().map_or(0, |(count, _)| *count)
    }

    fn take(&mut self, group: &[usize], items: &[u32]) {
        self.records -= group.len() as u64;
        items.iter().for_each(|item| self.count(*item, -1));
        for at in group {
            self.is_left[*at] = false;
            let (before, behind) = self.links[at + 1];
            self.links[before].1 = behind;
            self.links[behind].0 = before;
        }
    }

    /// Undoes a [`take`](Left::take): the last record taken comes back first.
    fn put_back(&mut self, group: &[usize], items: &[u32]) {
        self.records += group.len() as u64;
        items.iter().for_each(|item| self.count(*item, 1));
        for at in group.iter().rev() {
            self.is_left[*at] = true;
            let (before, behind) = self.links[at + 1];
            self.links[before].1 = at + 1;
            self.links[behind].0 = at + 1;
        }
    }

    fn before(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(self.links[at + 1].0), |link| Some(self.links[*link].0))
            .map_while(|link| link.checked_sub(1))
    }

    fn behind(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(self.links[at + 1].1), |link| Some(self.links[*link].1))
            .map_while(|link| link.checked_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::global_suppression::tests::{random_case, task};
    use super::*;
    use crate::error::Fault;
    use crate::exact::Fraction;

    fn made(table: &Transactions, sensitive: &Sensitive, demand: Demand) -> Result<Separated> {
        match Permutation.make(&task(table, sensitive, demand))? {
            Released::Separated(separated) => Ok(separated),
            Released::Together(_) => panic!("sensitive items are separated"),
        }
    }

    /// The group of each published record.
    fn groups_of(released: &Separated) -> Vec<&Shared> {
        released.groups.iter().flat_map(|group| std::iter::repeat_n(group, group.records)).collect()
    }

    /// What is believed about an item by whoever knows that a person has these items, which are
    /// bits; nothing if nobody can have them.
    ///
    /// Every record of a group has each of its sensitive items with the same probability,
    /// independently of others.
    fn belief(released: &Separated, known: u32, sensitive: &Sensitive, end: u32) -> Option<Fraction> {
        let common: u128 = 840;
        let (mut with, mut all) = (0, 0);
        for (record, group) in released.table.iter().zip(groups_of(released)) {
            let share = |item: u32| {
                let count = group.items.iter().find(|(other, _)| *other == item).map_or(0, |(_, count)| *count);
                u128::from(count) * common / group.records as u128
            };
            let may_hold = |item: u32| match sensitive.has(item) {
                true => share(item),
                false => common * u128::from(record.contains(&item)),
            };
            let weight: u128 = (0..8).filter(|item| known >> item & 1 == 1).map(may_hold).product();
            with += weight * share(end);
            all += weight * common;
        }
        (all > 0).then(|| Fraction::new(with, all))
    }

    #[test]
    fn nobody_believes_more_than_is_demanded_whatever_she_knows() {
        let (mut feasible, mut several) = (0, 0);
        for seed in 0..2000 {
            let (table, sensitive, demand) = random_case(seed);
            let Ok(released) = made(&table, &sensitive, demand) else { continue };
            feasible += 1;
            several += u32::from(released.groups.len() > 1);
            let kinds = table.names().len() as u32;
            for known in 0..1u32 << kinds {
                for end in sensitive.items().filter(|end| known >> end & 1 == 0) {
                    let Some(belief) = belief(&released, known, &sensitive, end) else { continue };
                    let allowed = if demand.strict { belief < demand.rho } else { belief <= demand.rho };
                    assert!(allowed || belief == Fraction::ZERO, "table {seed}");
                }
            }
        }
        assert!(feasible > 700 && several > 200, "{feasible} {several}");
    }

    #[test]
    fn every_group_is_safe_and_nothing_is_lost() {
        for seed in 0..2000 {
            let (table, sensitive, demand) = random_case(seed);
            let Ok(released) = made(&table, &sensitive, demand) else { continue };
            for group in &released.groups {
                let allows = |(_, count): &(u32, u64)| demand.allows(*count, group.records as u64);
                assert!(group.items.iter().all(allows), "table {seed}");
                assert!(group.items.is_sorted() && group.records > 0, "table {seed}");
            }
            let plain = |at: u32| plain_items(&table, &sensitive, at).collect::<Vec<u32>>();
            let mut before: Vec<Vec<u32>> = (0..table.len() as u32).map(plain).collect();
            let mut after: Vec<Vec<u32>> = released.table.iter().map(<[u32]>::to_vec).collect();
            before.sort_unstable();
            after.sort_unstable();
            assert_eq!(before, after, "table {seed}");
            assert_eq!(groups_of(&released).len(), table.len());
            let others: Vec<u32> = (0..table.len() as u32).filter(|at| !plain(*at).is_empty()).collect();
            let expected = table.select(&others).supports();
            assert_eq!(Released::Separated(released).supports(), expected, "table {seed}");
        }
    }

    /// An empty line is in no group with sensitive items: nobody's set may have been empty.
    #[test]
    fn empty_lines_tell_nothing() {
        for seed in 0..500 {
            let (table, sensitive, demand) = random_case(seed);
            let Ok(released) = made(&table, &sensitive, demand) else { continue };
            let tells = |(record, group): (&[u32], &Shared)| record.is_empty() && !group.items.is_empty();
            assert!(!released.table.iter().zip(groups_of(&released)).any(tells), "table {seed}");
        }
    }

    #[test]
    fn it_fails_just_where_an_item_is_too_frequent() {
        for seed in 0..2000 {
            let (table, sensitive, demand) = random_case(seed);
            let has_others = |at: &u32| plain_items(&table, &sensitive, *at).next().is_some();
            let others: Vec<u32> = (0..table.len() as u32).filter(has_others).collect();
            let (supports, records) = (table.select(&others).supports(), others.len() as u64);
            let feasible = sensitive.items().all(|item| demand.allows(supports[item as usize], records));
            assert_eq!(made(&table, &sensitive, demand).is_ok(), feasible, "table {seed}");
        }
        let table = Transactions::from_names([vec!["SECRET", "b"], vec!["SECRET", "a"], vec!["a"]]);
        let sensitive = Sensitive::named(&table, ["SECRET"]);
        let error = made(&table, &sensitive, Demand::at_most(Fraction::new(1, 2))).unwrap_err();
        assert_eq!(error.fault(), Fault::Infeasible);
        let text = error.to_string();
        assert!(text.contains("2 of 3, at most 1") && text.contains("0.667") && !text.contains("SECRET"), "{text}");
        assert!(made(&table, &sensitive, Demand::at_most(Fraction::new(667, 1000))).is_ok());
    }

    #[test]
    fn records_that_are_alike_come_together_and_places_are_drawn_by_lot() {
        let kind = |at: u32| [at % 10, 10 + at % 10];
        let records: Vec<Vec<u32>> =
            (0..400).map(|at| kind(at).into_iter().chain((at < 100).then_some(20 + at % 7)).collect()).collect();
        let names: Vec<String> = (0..27).map(|item| item.to_string()).collect();
        let table = Transactions::new(names.into(), records);
        let sensitive = Sensitive::new((0..27).map(|item| item >= 20).collect());
        let released = made(&table, &sensitive, Demand::at_most(Fraction::new(1, 4))).unwrap();
        let mut start = 0;
        let mut alike = 0;
        for group in &released.groups {
            let rows: Vec<&[u32]> = (start..start + group.records).map(|at| released.table.record(at)).collect();
            alike += usize::from(rows.iter().all(|row| row == &rows[0]));
            start += group.records;
        }
        assert!(
            released.groups.len() > 25 && alike * 10 > released.groups.len() * 8,
            "{alike} of {}",
            released.groups.len()
        );
        let again = Task {
            chance: crate::chance::Chance::insecure(2),
            ..task(&table, &sensitive, Demand::at_most(Fraction::new(1, 4)))
        };
        assert_ne!(Permutation.make(&again).unwrap(), Released::Separated(released));
    }
}
