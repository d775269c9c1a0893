//! The table while items are deleted and given back, and how often sets of items occur in it.

use crate::transactions::closed::is_within;
use crate::transactions::{Demand, Sensitive, Transactions};
use crate::watch::{Stage, Watch};

/// Supports of sets whose rarest item is in more than one of so many records are counted on
/// bitmaps.
const FREQUENT: usize = 64;

/// A table from which items are deleted, some of them only for a while.
pub struct Work<'a> {
    original: &'a Transactions,
    pub sensitive: &'a Sensitive,
    pub demand: Demand,
    records: Vec<Vec<u32>>,
    /// For each record a set of bits in which every one of its items has set a bit: a set that has
    /// set others is not part of it.
    signatures: Vec<u128>,
    /// For each item the records that held it at first, whether or not they still do.
    holders: Vec<Vec<u32>>,
    /// For each frequent item the records that hold it.
    bitmaps: Vec<Option<Box<[u64]>>>,
    /// In how many records each item is left.
    left: Vec<u64>,
    /// How many items all records have together.
    total: u64,
    /// Decisions about records.
    pub stage: Stage<'a>,
}

impl<'a> Work<'a> {
    pub fn new(original: &'a Transactions, sensitive: &'a Sensitive, demand: Demand, watch: Watch<'a>) -> Work<'a> {
        let holders = original.holders();
        let bitmaps = holders.iter().map(|holders| bitmap(holders, original.len())).collect();
        Work {
            stage: watch.stage("suppressing items", None),
            original,
            sensitive,
            demand,
            records: original.iter().map(<[u32]>::to_vec).collect(),
            signatures: original.iter().map(signature).collect(),
            bitmaps,
            total: original.occurrences(),
            left: holders.iter().map(|holders| holders.len() as u64).collect(),
            holders,
        }
    }

    /// Begins with what is left of each record.
    pub fn with_left(mut self, left: impl IntoIterator<Item = Vec<u32>>) -> Work<'a> {
        left.into_iter().enumerate().for_each(|(at, items)| self.set(at, items));
        self
    }

    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// What is left of a record.
    pub fn record(&self, at: usize) -> &[u32] {
        &self.records[at]
    }

    /// What a record held at first.
    pub fn whole(&self, at: usize) -> &'a [u32] {
        self.original.record(at)
    }

    /// In how many records an item is left.
    pub fn left(&self, item: u32) -> u64 {
        self.left[item as usize]
    }

    /// In how many records an item was at first.
    pub fn at_first(&self, item: u32) -> u64 {
        self.holders[item as usize].len() as u64
    }

    /// The records that held an item at first.
    pub fn first_holders(&self, item: u32) -> &[u32] {
        &self.holders[item as usize]
    }

    /// How many items all records had together at first, and have now.
    pub fn occurrences(&self) -> (u64, u64) {
        (self.original.occurrences(), self.total)
    }

    /// How many kinds of items there are.
    pub fn kinds(&self) -> usize {
        self.left.len()
    }

    pub fn has_sensitive(&self, items: &[u32]) -> bool {
        items.iter().any(|item| self.sensitive.has(*item))
    }

    /// Replaces what is left of a record by another part of what it held at first.
    pub fn set(&mut self, at: usize, items: Vec<u32>) {
        self.total = self.total - self.records[at].len() as u64 + items.len() as u64;
        for item in std::mem::take(&mut self.records[at]) {
            self.left[item as usize] -= 1;
            self.mark(item, at, false);
        }
        for item in &items {
            self.left[*item as usize] += 1;
            self.mark(*item, at, true);
        }
        self.signatures[at] = signature(&items);
        self.records[at] = items;
    }

    /// Deletes an item from a record that holds it.
    pub fn delete(&mut self, at: usize, item: u32) {
        let mut items = self.records[at].clone();
        items.retain(|other| *other != item);
        self.set(at, items);
    }

    fn mark(&mut self, item: u32, at: usize, holds: bool) {
        if let Some(bitmap) = &mut self.bitmaps[item as usize] {
            let bit = 1 << (at % 64);
            if holds { bitmap[at / 64] |= bit } else { bitmap[at / 64] &= !bit }
        }
    }

    /// Items of a record that were deleted.
    pub fn deleted(&self, at: usize) -> Vec<u32> {
        let left = self.record(at);
        self.whole(at).iter().copied().filter(|item| left.binary_search(item).is_err()).collect()
    }

    /// How many records hold all of the items, which are in ascending order.
    pub fn support(&self, items: &[u32]) -> u64 {
        match items {
            [] => self.len() as u64,
            [item] => self.left(*item),
            _ => match self.bitmaps_of(items) {
                Some(bitmaps) => common_bits(&bitmaps),
                None => self.holders_of(items).count() as u64,
            },
        }
    }

    /// How many records besides one hold all of the items.
    pub fn support_elsewhere(&self, items: &[u32], at: usize) -> u64 {
        self.support(items) - u64::from(self.holds(at, signature(items), items))
    }

    /// The records that hold all of the items, of which there is at least one.
    pub fn holders_of<'s>(&'s self, items: &'s [u32]) -> impl Iterator<Item = usize> + 's {
        let rarest = items.iter().min_by_key(|item| self.holders[**item as usize].len());
        let holders = rarest.map_or(&[][..], |item| &self.holders[*item as usize]);
        let wanted = signature(items);
        holders.iter().map(|at| *at as usize).filter(move |at| self.holds(*at, wanted, items))
    }

    fn holds(&self, at: usize, wanted: u128, items: &[u32]) -> bool {
        wanted & !self.signatures[at] == 0 && is_within(items, &self.records[at])
    }

    fn bitmaps_of(&self, items: &[u32]) -> Option<Vec<&[u64]>> {
        items.iter().map(|item| self.bitmaps[*item as usize].as_deref()).collect()
    }

    /// At most so many items does a record have in common with a set that has this signature and no
    /// more than `twins` items whose bits another of its items has set.
    pub fn most_common(&self, at: usize, signature: u128, twins: u32) -> u32 {
        (self.signatures[at] & signature).count_ones() + twins
    }

    /// A sensitive item, by place, that would be too sure for whoever knows the others, if a record
    /// had these items.
    pub fn unsafe_in(&self, items: &[u32], at: usize) -> Option<usize> {
        if items.len() < 2 || !self.has_sensitive(items) {
            return None;
        }
        let mut rest = Vec::with_capacity(items.len());
        let mut too_sure = |support: u64| {
            (0..items.len()).filter(|place| self.sensitive.has(items[*place])).find(|place| {
                rest.clear();
                rest.extend(items.iter().enumerate().filter(|(other, _)| other != place).map(|(_, item)| *item));
                !self.is_enough(&rest, at, support)
            })
        };
        // Mostly nobody else has the rest: that is told without counting who has all.
        too_sure(1).or_else(|| too_sure(self.support_elsewhere(items, at) + 1))
    }

    /// Whether so many records have all of the items, this one among them, that `support` of them
    /// are not too many. Counts no further than that takes.
    fn is_enough(&self, items: &[u32], at: usize, support: u64) -> bool {
        let is_enough = |of: u64| self.demand.allows(support, of);
        match items {
            [item] => is_enough(self.left(*item) + u64::from(self.record(at).binary_search(item).is_err())),
            _ => match self.bitmaps_of(items) {
                Some(_) => is_enough(self.support_elsewhere(items, at) + 1),
                None => {
                    let elsewhere = self.holders_of(items).filter(|other| *other != at);
                    is_enough(1) || elsewhere.zip(2..).any(|(_, of)| is_enough(of))
                }
            },
        }
    }

    /// What is left.
    pub fn table(&self) -> Transactions {
        Transactions::new(self.original.names().clone(), &self.records)
    }
}

/// Nothing for items that are so rare that lists are faster.
fn bitmap(holders: &[u32], records: usize) -> Option<Box<[u64]>> {
    if holders.len() * FREQUENT < records {
        return None;
    }
    let mut words = vec![0u64; records.div_ceil(64)];
    holders.iter().for_each(|at| words[*at as usize / 64] |= 1 << (at % 64));
    Some(words.into())
}

fn common_bits(bitmaps: &[&[u64]]) -> u64 {
    let (first, others) = bitmaps.split_first().expect("at least one item");
    let common = |(word, bits): (usize, &u64)| others.iter().fold(*bits, |bits, other| bits & other[word]).count_ones();
    first.iter().enumerate().map(|word| u64::from(common(word))).sum()
}

/// Bits, of which each item sets one.
pub fn signature(items: &[u32]) -> u128 {
    items.iter().fold(0, |bits, item| bits | 1 << (u64::from(*item).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57))
}

/// Which of the items a record has, as a set of places; both are in ascending order, and there are
/// at most 128 items.
pub fn places(items: &[u32], record: &[u32]) -> u128 {
    let (mut places, mut rest) = (0, record);
    for (place, item) in items.iter().enumerate() {
        let skipped = rest.iter().take_while(|other| *other < item).count();
        rest = &rest[skipped..];
        if rest.first() == Some(item) {
            places |= 1 << place;
        }
    }
    places
}

/// Sets of places with how often each occurs.
pub fn counted(mut sets: Vec<u128>) -> Vec<(u128, u64)> {
    sets.sort_unstable();
    sets.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Fraction;

    #[test]
    fn supports_are_those_of_what_is_left() {
        let table = Transactions::from_names([vec!["a", "b", "c"], vec!["a", "b"], vec!["b", "c"], vec!["a"]]);
        let sensitive = Sensitive::named(&table, ["c"]);
        let mut work = Work::new(&table, &sensitive, Demand::at_most(Fraction::new(1, 2)), Watch::NONE);
        assert_eq!([work.support(&[0, 1]), work.support(&[0, 1, 2]), work.support(&[])], [2, 1, 4]);
        work.delete(0, 1);
        assert_eq!([work.support(&[0, 1]), work.support(&[0, 2]), work.support(&[1])], [1, 1, 2]);
        assert_eq!(work.deleted(0), [1]);
        work.set(0, vec![0, 1, 2]);
        assert_eq!(work.table(), table);
        assert_eq!(work.unsafe_in(&[0, 1, 2], 0), None);
        assert_eq!(
            work.unsafe_in(&[1, 2], 3),
            Some(1),
            "two of three would have c beside b, and with it three of four"
        );
    }

    #[test]
    fn places_are_found_and_counted() {
        assert_eq!(places(&[1, 3, 5], &[0, 1, 2, 5, 9]), 0b101);
        assert_eq!(counted(vec![2, 1, 2]), [(1, 1), (2, 2)]);
    }
}
