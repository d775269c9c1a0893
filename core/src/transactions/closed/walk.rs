//! A walk through the rules about one item.

use super::index::{Index, Told};
use super::rows::Rows;
use super::{Scope, Visited, VisitedRule, Visitor};

/// The two tables of an antecedent: the records that hold the consequent too, and all.
#[derive(Default)]
pub(super) struct Level {
    pub(super) holders: Rows,
    everybody: Rows,
}

/// What an item is for an extended antecedent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    None,
    /// All records have it, so that it belongs to the antecedent.
    Shared,
    /// It may be added later.
    Open,
}

/// Room to work in; clean between uses.
pub(super) struct Room {
    counts: Vec<u32>,
    uses: Vec<Use>,
    touched: Vec<u32>,
    pub(super) levels: Vec<Level>,
}

impl Room {
    pub(super) fn new(index: &Index) -> Room {
        let items = index.item_of.len();
        Room { counts: vec![0; items], uses: vec![Use::None; items], touched: Vec::new(), levels: Vec::new() }
    }
}

/// A walk through the rules about one item.
pub(super) struct Walk<'a, V> {
    pub(super) index: &'a Index,
    pub(super) scope: Scope,
    pub(super) consequent: u32,
    pub(super) visitor: V,
    pub(super) room: &'a mut Room,
    pub(super) antecedent: Vec<u32>,
    pub(super) looked_at: u64,
    /// How many rules are looked at at most.
    pub(super) most: u64,
    pub(super) stopped: bool,
}

impl<V: Visitor> Walk<'_, V> {
    fn report(&mut self, support: u64, of: u64) {
        self.looked_at += 1;
        if of <= self.visitor.most(support) {
            let seen = VisitedRule {
                item_of: &self.index.item_of,
                ranks: &self.antecedent,
                consequent: self.consequent,
                support,
                of,
            };
            self.stopped |= self.visitor.see(&seen).is_break();
        }
        self.stopped |= self.looked_at >= self.most;
    }

    /// Whether a rule can matter that holds for so many records, or for some of them, where each of
    /// them has at least so many around it.
    fn can_matter(&self, support: u64, around: u32) -> bool {
        self.visitor.wants(support) && (around == 0 || support + u64::from(around) <= self.visitor.most(support))
    }

    /// Visits everything that extends the antecedent.
    pub(super) fn grow(&mut self, level: &mut Level) {
        level.holders.deliver(&mut self.room.counts);
        level.everybody.deliver(&mut self.room.counts);
        let Level { holders, everybody } = level;
        for number in 0..holders.items.len() {
            // All who hold the consequent are among everybody, so that both tables have the same
            // items.
            let rows = everybody.with(number).iter().map(|at| &everybody.rows[*at as usize]);
            self.extend(holders, number, rows.map(|row| (everybody.open(row), row.times)));
        }
    }

    /// Adds one item, and everything that all records with it share, if that was not visited
    /// before; then visits everything that extends this. `everybody`: what records with the item
    /// have besides.
    fn extend<'r>(&mut self, holders: &Rows, number: usize, everybody: impl Iterator<Item = (&'r [u32], u32)>) {
        if self.stopped {
            return;
        }
        let (item, with) = (holders.items[number].0, holders.with(number));
        let rows = with.iter().map(|at| &holders.rows[*at as usize]);
        let (support, around) =
            rows.fold((0, u32::MAX), |(support, around), row| (support + u64::from(row.times), row.around.min(around)));
        let limited = self.scope.known < usize::MAX;
        let visited = || has_shared_above(holders, with, item);
        if !self.can_matter(support, around) || (!limited && visited()) {
            return;
        }
        let length = self.antecedent.len();
        self.antecedent.push(item);
        let may_grow = self.find_uses(holders, with, item);
        // With limited knowledge, shared items are added one by one; shorter antecedents count only
        // if nothing is shared.
        let counts = !limited || length + 1 == self.scope.known || !(self.antecedent.len() > length + 1 || visited());
        if limited {
            self.antecedent.truncate(length + 1);
        }
        let may_grow = may_grow && length + 1 < self.scope.known;
        let shared = if limited { 0 } else { self.antecedent.len() - length - 1 };
        let enough = if may_grow { None } else { Some(self.visitor.most(support)) };
        let mut level = self.room.levels.pop().unwrap_or_default();
        let of = self.restrict(everybody, item, shared, &mut level.everybody, enough);
        if may_grow {
            self.hold(holders, with, item, &mut level.holders);
        }
        self.forget_uses();
        if counts {
            self.report(support, of);
        }
        if may_grow && !self.stopped {
            self.grow(&mut level);
        }
        self.room.levels.push(level);
        self.antecedent.truncate(length);
    }

    /// Finds which more frequent items all rows share: they are added to the antecedent; and
    /// whether there are others.
    fn find_uses(&mut self, holders: &Rows, with: &[u32], item: u32) -> bool {
        let Room { counts, uses, touched, .. } = self.room;
        for at in with {
            for rank in holders.open(&holders.rows[*at as usize]).iter().take_while(|rank| **rank < item) {
                if counts[*rank as usize] == 0 {
                    touched.push(*rank);
                }
                counts[*rank as usize] += 1;
            }
        }
        let limited = self.scope.known < usize::MAX;
        let mut may_grow = false;
        for rank in touched.iter() {
            let shared = counts[*rank as usize] as usize == with.len();
            if shared {
                self.antecedent.push(*rank);
            }
            let closed = shared && !limited;
            uses[*rank as usize] = if closed { Use::Shared } else { Use::Open };
            may_grow |= !closed;
            counts[*rank as usize] = 0;
        }
        may_grow
    }

    fn forget_uses(&mut self) {
        self.room.touched.drain(..).for_each(|rank| self.room.uses[rank as usize] = Use::None);
    }

    /// Among all records those that have everything shared: how many they are. If something may be
    /// added to the antecedent, they are kept, restricted to that; if not, counting stops where
    /// they are more than can matter.
    fn restrict<'r>(
        &self,
        everybody: impl Iterator<Item = (&'r [u32], u32)>,
        item: u32,
        shared: usize,
        rows: &mut Rows,
        enough: Option<u64>,
    ) -> u64 {
        rows.clear();
        let mut total = 0;
        for (ranks, times) in everybody {
            let start = rows.ranks.len();
            if enough.is_none() {
                let found = self.copy_open(ranks, item, &mut rows.ranks);
                if found < shared {
                    rows.ranks.truncate(start);
                    continue;
                }
                rows.push(start, rows.ranks.len(), times, 0);
            } else if shared > 0 && self.count_shared(ranks, item) < shared {
                continue;
            }
            total += u64::from(times);
            if enough.is_some_and(|enough| total > enough) {
                break;
            }
        }
        total
    }

    /// Copies what may be added; how many ranks there are that all holders share.
    fn copy_open(&self, ranks: &[u32], item: u32, to: &mut Vec<u32>) -> usize {
        let mut shared = 0;
        for rank in ranks.iter().take_while(|rank| **rank < item) {
            match self.room.uses[*rank as usize] {
                Use::None => {}
                Use::Shared => shared += 1,
                Use::Open => to.push(*rank),
            }
        }
        shared
    }

    fn count_shared(&self, ranks: &[u32], item: u32) -> usize {
        let before = ranks.iter().take_while(|rank| **rank < item);
        before.filter(|rank| self.room.uses[**rank as usize] == Use::Shared).count()
    }

    /// The rows of holders with an item, restricted to what may be added; items that are less
    /// frequent are remembered behind.
    fn hold(&self, holders: &Rows, with: &[u32], item: u32, rows: &mut Rows) {
        rows.clear();
        for at in with {
            let row = &holders.rows[*at as usize];
            let start = rows.ranks.len();
            let (open, rest) = split_at_item(holders.all(row), item);
            rows.ranks.extend(open.iter().filter(|rank| self.room.uses[**rank as usize] == Use::Open));
            let open = rows.ranks.len();
            rows.ranks.extend_from_slice(rest);
            rows.push(start, open, row.times, row.around);
        }
        rows.merge();
    }
}

/// What is before an item of a row, and what is behind it.
fn split_at_item(ranks: &[u32], item: u32) -> (&[u32], &[u32]) {
    let at = ranks.partition_point(|rank| *rank < item);
    (&ranks[..at], &ranks[at + 1..])
}

/// Whether all rows share something that is less frequent than an item they have.
fn has_shared_above(holders: &Rows, with: &[u32], item: u32) -> bool {
    let rest = |at: &u32| split_at_item(holders.all(&holders.rows[*at as usize]), item).1;
    let (first, others) = with.split_first().expect("somebody holds it");
    rest(first).iter().any(|rank| others.iter().all(|other| rest(other).binary_search(rank).is_ok()))
}

impl<V: Visitor> Walk<'_, V> {
    pub(super) fn visited(self) -> Visited<V> {
        Visited { visitor: self.visitor, looked_at: self.looked_at, exhaustive: !self.stopped }
    }

    /// Starts with what all records with the consequent share; whether that is nothing. The records
    /// become the level.
    pub(super) fn start(&mut self, told: &Told, level: &mut Level) -> bool {
        let (index, records) = (self.index, &told.records);
        let times = |at: &u32| index.times[*at as usize];
        let support = records.iter().map(|at| u64::from(times(at))).sum();
        let around = if index.bounded { index.around(told) } else { &[] };
        if !self.can_matter(support, around.iter().min().copied().unwrap_or(0)) {
            level.holders.items.clear();
            return true;
        }
        let all_but = |at: &u32| index.without(*at, self.consequent);
        let shared: Vec<u32> = all_but(&records[0])
            .filter(|rank| records.iter().all(|at| index.record(*at).binary_search(rank).is_ok()))
            .collect();
        let limited = self.scope.known < usize::MAX;
        if !limited {
            self.antecedent.clone_from(&shared);
        }
        level.holders.clear();
        for (at, around) in records.iter().zip(around.iter().copied().chain(std::iter::repeat(0))) {
            let start = level.holders.ranks.len();
            level.holders.ranks.extend(all_but(at).filter(|rank| self.antecedent.binary_search(rank).is_err()));
            level.holders.push(start, level.holders.ranks.len(), times(at), around);
        }
        level.holders.deliver(&mut self.room.counts);
        if !self.antecedent.is_empty() {
            self.start_with_shared(level, support);
            return false;
        }
        if self.scope.empty && (shared.is_empty() || self.scope.known == 0) {
            self.report(support, index.records);
        }
        if self.scope.known == 0 {
            level.holders.items.clear();
        }
        true
    }

    fn start_with_shared(&mut self, level: &mut Level, support: u64) {
        let index = self.index;
        let ranks = self.antecedent.clone();
        self.report(support, index.support(&ranks));
        level.everybody.clear();
        // Only where something may be added do the records themselves matter.
        if level.holders.items.is_empty() {
            return;
        }
        for (rank, _) in &level.holders.items {
            self.room.uses[*rank as usize] = Use::Open;
            self.room.touched.push(*rank);
        }
        let places = index.holding(&ranks).flat_map(|beginning| beginning.first..=beginning.last);
        let rows = places.map(|at| (index.record(at), index.times[at as usize]));
        self.restrict(rows, u32::MAX, 0, &mut level.everybody, None);
        self.forget_uses();
    }

    /// Adds the first item to an empty antecedent.
    pub(super) fn extend_first(&mut self, holders: &Rows, number: usize) {
        let index = self.index;
        let beginnings = index.beginnings[holders.items[number].0 as usize].iter();
        self.extend(holders, number, beginnings.map(|beginning| (index.before(beginning), beginning.times)));
    }
}
