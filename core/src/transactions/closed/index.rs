//! Records in a shape to count in.

use super::MOST_RULES;
use crate::transactions::{Sensitive, Transactions};
use rayon::prelude::*;
use std::sync::OnceLock;

/// Records in a shape to count in. Items have ranks, the most frequent the least; records alike are
/// one.
pub(in crate::transactions) struct Index {
    /// The items by rank, and the ranks by item.
    pub(super) item_of: Vec<u32>,
    rank_of: Vec<u32>,
    /// Whether each item, by rank, is looked at: records hold the others as well.
    kept: Vec<bool>,
    /// Different records in lexicographic order, their ranks ascending.
    ranks: Vec<u32>,
    /// Where each of them starts in `ranks`, and where the last ends.
    starts: Vec<usize>,
    /// How many records are like each.
    pub(super) times: Vec<u32>,
    /// For each rank the different beginnings of records that it ends.
    pub(super) beginnings: Vec<Vec<Beginning>>,
    /// The sensitive items, most frequent first.
    pub(super) sensitive: Vec<Told>,
    /// Whether rules are passed over by what is around records.
    pub(super) bounded: bool,
    /// How many rules are looked at before giving up.
    pub(super) most_rules: u64,
    /// How many records there are.
    pub(super) records: u64,
}

/// An item that rules are about.
pub(super) struct Told {
    pub(super) rank: u32,
    /// The different records that hold it.
    pub(super) records: Vec<u32>,
    /// How many records each of them has around it, once somebody asked.
    around: OnceLock<Vec<u32>>,
}

/// What different records begin with; they are neighbours.
#[derive(Clone, Copy)]
pub(super) struct Beginning {
    pub(super) first: u32,
    pub(super) last: u32,
    /// Its length, without the item at its end.
    length: u32,
    pub(super) times: u32,
}

impl Index {
    pub(in crate::transactions) fn new(table: &Transactions, sensitive: &Sensitive) -> Index {
        let supports = table.supports();
        let mut item_of: Vec<u32> = (0..supports.len() as u32).filter(|item| supports[*item as usize] > 0).collect();
        item_of.sort_unstable_by_key(|item| (std::cmp::Reverse(supports[*item as usize]), *item));
        let mut rank_of = vec![0; supports.len()];
        item_of.iter().zip(0..).for_each(|(item, rank)| rank_of[*item as usize] = rank);
        let mut index = Index {
            beginnings: vec![Vec::new(); item_of.len()],
            kept: vec![true; item_of.len()],
            item_of,
            rank_of,
            ranks: Vec::new(),
            starts: vec![0],
            times: Vec::new(),
            sensitive: Vec::new(),
            bounded: false,
            most_rules: MOST_RULES,
            records: table.len() as u64,
        };
        index.add_records(table);
        index.find_beginnings();
        index.find_holders(sensitive.items().map(|item| item as usize).filter(|item| supports[*item] > 0));
        index
    }

    /// Passes rules over by what is around records. To count that takes longer than it saves where
    /// everything is looked at once.
    pub(in crate::transactions) fn bounded(self) -> Index {
        Index { bounded: true, ..self }
    }

    fn add_records(&mut self, table: &Transactions) {
        let mut ranks = Vec::with_capacity(table.occurrences() as usize);
        let mut starts = vec![0];
        for record in table.iter() {
            let start = ranks.len();
            ranks.extend(record.iter().map(|item| self.rank_of[*item as usize]));
            ranks[start..].sort_unstable();
            starts.push(ranks.len());
        }
        let mut order: Vec<&[u32]> = starts.windows(2).map(|ends| &ranks[ends[0]..ends[1]]).collect();
        order.par_sort_unstable();
        for alike in order.chunk_by(|a, b| a == b) {
            self.ranks.extend_from_slice(alike[0]);
            self.starts.push(self.ranks.len());
            self.times.push(alike.len() as u32);
        }
    }

    fn find_beginnings(&mut self) {
        // The last beginning at each place, by item and number.
        let mut open: Vec<(u32, usize)> = Vec::new();
        for at in 0..self.times.len() {
            let record = &self.ranks[self.starts[at]..self.starts[at + 1]];
            let shared = open.iter().zip(record).take_while(|(open, rank)| open.0 == **rank).count();
            open.truncate(shared);
            for (rank, number) in &open {
                let beginning = &mut self.beginnings[*rank as usize][*number];
                beginning.last = at as u32;
                beginning.times += self.times[at];
            }
            for (length, rank) in record.iter().enumerate().skip(shared) {
                let of_item = &mut self.beginnings[*rank as usize];
                open.push((*rank, of_item.len()));
                let (place, length) = (at as u32, length as u32);
                of_item.push(Beginning { first: place, last: place, length, times: self.times[at] });
            }
        }
    }

    fn find_holders(&mut self, items: impl Iterator<Item = usize>) {
        let places = |beginning: &Beginning| beginning.first..=beginning.last;
        let holders = |rank: u32| self.beginnings[rank as usize].iter().flat_map(places).collect();
        let mut sensitive: Vec<u32> = items.map(|item| self.rank_of[item]).collect();
        sensitive.sort_unstable();
        let told = |rank| Told { rank, records: holders(rank), around: OnceLock::new() };
        self.sensitive = sensitive.into_iter().map(told).collect();
    }

    /// Looks at some items of the table, or no longer.
    pub(in crate::transactions) fn keep(&mut self, items: &[u32], kept: bool) {
        items.iter().for_each(|item| self.kept[self.rank_of[*item as usize] as usize] = kept);
        self.sensitive.iter_mut().for_each(|told| _ = told.around.take());
    }

    /// The number of a sensitive item of the table.
    pub(super) fn number(&self, item: u32) -> usize {
        let rank = self.rank_of[item as usize];
        self.sensitive.partition_point(|told| told.rank < rank)
    }

    /// What is looked at of a record, but for one item.
    pub(super) fn without(&self, at: u32, left_out: u32) -> impl Iterator<Item = u32> {
        self.record(at).iter().copied().filter(move |rank| *rank != left_out && self.kept[*rank as usize])
    }

    /// How many records hold all of these ranks, which ascend.
    pub(super) fn support(&self, ranks: &[u32]) -> u64 {
        if ranks.is_empty() { self.records } else { self.holding(ranks).map(|one| u64::from(one.times)).sum() }
    }

    /// How many records hold all of these items.
    pub(in crate::transactions) fn support_of(&self, items: impl Iterator<Item = u32>) -> u64 {
        let mut ranks: Vec<u32> = items.map(|item| self.rank_of[item as usize]).collect();
        ranks.sort_unstable();
        self.support(&ranks)
    }

    /// For each record that holds an item, how many hold all the others of its items, but not that
    /// one.
    pub(super) fn around<'a>(&'a self, told: &'a Told) -> &'a [u32] {
        let mut ranks = Vec::new();
        told.around.get_or_init(|| {
            let around = |at: &u32| {
                ranks.clear();
                ranks.extend(self.without(*at, told.rank));
                let of = self.support(&ranks);
                ranks.insert(ranks.partition_point(|rank| *rank < told.rank), told.rank);
                (of - self.support(&ranks)) as u32
            };
            told.records.iter().map(around).collect()
        })
    }

    pub(super) fn record(&self, at: u32) -> &[u32] {
        &self.ranks[self.starts[at as usize]..self.starts[at as usize + 1]]
    }

    pub(super) fn before(&self, beginning: &Beginning) -> &[u32] {
        &self.record(beginning.first)[..beginning.length as usize]
    }

    /// The beginnings that end with the last of these ranks and hold all of them.
    pub(super) fn holding<'a>(&'a self, ranks: &'a [u32]) -> impl Iterator<Item = &'a Beginning> {
        let (last, others) = ranks.split_last().expect("at least one item");
        let of_item = self.beginnings[*last as usize].iter();
        of_item.filter(move |beginning| is_within(others, self.before(beginning)))
    }
}

/// Whether a set is within another; both are in ascending order.
pub(in crate::transactions) fn is_within(few: &[u32], many: &[u32]) -> bool {
    let mut many = many.iter();
    few.iter().all(|one| many.by_ref().find(|other| *other >= one) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_within_sets() {
        assert!(is_within(&[], &[]) && is_within(&[2, 5], &[1, 2, 4, 5]));
        assert!(!is_within(&[2], &[]) && !is_within(&[2, 3], &[1, 2, 4, 5]) && !is_within(&[6], &[5]));
    }

    #[test]
    fn beginnings_are_counted_once() {
        let table = Transactions::from_names([vec!["a", "b"], vec!["a", "b"], vec!["a", "b", "c"], vec!["b"], vec![]]);
        let index = Index::new(&table, &Sensitive::named(&table, ["a"]));
        // b is the most frequent, then a, then c.
        assert_eq!(index.item_of, [1, 0, 2]);
        let of_item =
            |rank: usize| index.beginnings[rank].iter().map(|one| (index.before(one), one.times)).collect::<Vec<_>>();
        assert_eq!(of_item(0), [(&[][..], 4)]);
        assert_eq!(of_item(1), [(&[0][..], 3)]);
        assert_eq!(of_item(2), [(&[0, 1][..], 1)]);
        assert_eq!(
            index.sensitive.iter().map(|told| (told.rank, &told.records[..])).collect::<Vec<_>>(),
            [(1, &[2, 3][..])]
        );
        assert_eq!(index.around(&index.sensitive[0]), [1, 0]);
    }
}
