//! How many records of a group have which code at which place along an axis: all that is needed to
//! decide any cut along it.
//!
//! Counts of all records before a place are kept at marks, at most as many numbers as there are
//! triples: what lies left of any cut is found in as many steps as there are codes.

use super::records::Records;
use crate::anonymize::packed::Field;
use crate::error::Result;
use std::sync::LazyLock;

/// Counts are dense if there are at most so many of them per record.
const DENSE: usize = 4;

/// What a group is counted by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    /// Where a record's place is.
    pub(super) place: Field,
    /// The first and the last place of the group.
    pub(super) ends: (u32, u32),
    /// Where its code is, and how many codes there are; nothing where only sizes matter: then every
    /// record has code zero.
    pub(super) code: Option<(Field, usize)>,
}

/// Triples of place, code and count.
#[derive(Debug, Default)]
pub(super) struct Triples {
    /// The codes that records have, ascending.
    codes: Vec<u32>,
    /// How many records have each.
    totals: Vec<u32>,
    /// The places that records are at, ascending, and how many are there.
    places: Vec<(u32, u32)>,
    /// How many records are before each place.
    before: Vec<u32>,
    /// Where the entries of each place start.
    starts: Vec<u32>,
    /// The number of a code among those that records have, and how many have it.
    entries: Vec<(u32, u32)>,
    /// Before which places counts are kept.
    marks: Vec<u32>,
    /// The counts, one after the other.
    kept: Vec<u32>,
}

impl Triples {
    /// Counts a group.
    pub(super) fn count(records: &Records<'_>, along: &Along, width: usize) -> Result<Triples> {
        let (low, high) = along.ends;
        let (span, domain) = ((high - low) as usize + 1, along.code.map_or(1, |(_, domain)| domain));
        if span.saturating_mul(domain) > DENSE * records.size {
            return Triples::sorted(records, along, width);
        }
        let code = |item: &[u64]| along.code.map_or(0, |(field, _)| field.read(item) as usize);
        let add = |counts: &mut Vec<u32>, piece: &[u64]| {
            for item in piece.chunks_exact(width) {
                counts[(along.place.read(item) - low) as usize * domain + code(item)] += 1;
            }
        };
        let counts = records.fold(
            || vec![0; span * domain],
            add,
            |mut all, more| {
                all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
                all
            },
        )?;
        let rows = (low..).zip(counts.chunks_exact(domain));
        let occurring = rows.flat_map(|(place, counts)| {
            let codes = (0u32..).zip(counts).filter(|(_, count)| **count > 0);
            codes.map(move |(code, count)| (place, code, *count))
        });
        Ok(Triples::new(occurring, domain))
    }

    fn sorted(records: &Records<'_>, along: &Along, width: usize) -> Result<Triples> {
        let key = |item: &[u64]| {
            let code = along.code.map_or(0, |(field, _)| field.read(item));
            u64::from(along.place.read(item)) << 32 | u64::from(code)
        };
        let add = |keys: &mut Vec<u64>, piece: &[u64]| keys.extend(piece.chunks_exact(width).map(key));
        let mut keys = records.fold(Vec::new, add, |mut all, more| {
            all.extend(more);
            all
        })?;
        keys.sort_unstable();
        let runs = keys.chunk_by(|a, b| a == b);
        let domain = along.code.map_or(1, |(_, domain)| domain);
        Ok(Triples::new(runs.map(|run| ((run[0] >> 32) as u32, run[0] as u32, run.len() as u32)), domain))
    }

    /// From triples by place, then by code.
    fn new(triples: impl Iterator<Item = (u32, u32, u32)>, domain: usize) -> Triples {
        let mut found = Triples::default();
        let mut size = 0;
        for (place, code, count) in triples {
            if found.places.last().is_none_or(|last| last.0 != place) {
                found.places.push((place, 0));
                found.before.push(size);
                found.starts.push(found.entries.len() as u32);
            }
            found.places.last_mut().expect("just put there").1 += count;
            found.entries.push((code, count));
            size += count;
        }
        found.before.push(size);
        found.starts.push(found.entries.len() as u32);
        found.number_codes(domain);
        found.keep_counts();
        found
    }

    fn number_codes(&mut self, domain: usize) {
        if domain <= DENSE * self.entries.len() {
            let mut number_of = vec![u32::MAX; domain];
            self.entries.iter().for_each(|(code, _)| number_of[*code as usize] = 0);
            self.codes = (0..domain as u32).filter(|&code| number_of[code as usize] == 0).collect();
            (0u32..).zip(&self.codes).for_each(|(number, &code)| number_of[code as usize] = number);
            self.entries.iter_mut().for_each(|(code, _)| *code = number_of[*code as usize]);
        } else {
            self.codes = self.entries.iter().map(|(code, _)| *code).collect();
            self.codes.sort_unstable();
            self.codes.dedup();
            let codes = &self.codes;
            self.entries.iter_mut().for_each(|(code, _)| *code = codes.partition_point(|known| known < code) as u32);
        }
    }

    fn keep_counts(&mut self) {
        let mut counts = vec![0; self.codes.len()];
        let mut marked = 0;
        for (place, ends) in (0u32..).zip(self.starts.windows(2)) {
            if ends[0] as usize >= marked + self.codes.len() {
                marked = ends[0] as usize;
                self.marks.push(place);
                self.kept.extend(&counts);
            }
            for &(code, count) in &self.entries[ends[0] as usize..ends[1] as usize] {
                counts[code as usize] += count;
            }
        }
        self.totals = counts;
    }

    /// How many records there are.
    pub(super) fn size(&self) -> u32 {
        self.before[self.places.len()]
    }

    /// The places that records are at, and how many are at each. There is a cut before each but the
    /// first.
    pub(super) fn places(&self) -> &[(u32, u32)] {
        &self.places
    }

    /// How many records are before a place, given by its number.
    pub(super) fn before(&self, cut: usize) -> u32 {
        self.before[cut]
    }

    /// All codes with how many records have each.
    pub(super) fn whole(&self) -> impl Iterator<Item = (u32, u32)> {
        self.codes.iter().copied().zip(self.totals.iter().copied())
    }

    /// How many records before a place have each code, in the order of codes.
    pub(super) fn count_left(&self, cut: usize, counts: &mut Vec<u32>) {
        counts.clear();
        let mark = self.marks.partition_point(|&mark| mark as usize <= cut);
        let from = match mark.checked_sub(1) {
            None => {
                counts.resize(self.codes.len(), 0);
                0
            }
            Some(mark) => {
                counts.extend(&self.kept[mark * self.codes.len()..(mark + 1) * self.codes.len()]);
                self.marks[mark] as usize
            }
        };
        for &(code, count) in &self.entries[self.starts[from] as usize..self.starts[cut] as usize] {
            counts[code as usize] += count;
        }
    }

    /// The codes on one side with their counts, given the counts on the left.
    pub(super) fn side<'c>(&'c self, right: bool, left: &'c [u32]) -> impl Iterator<Item = (u32, u32)> + 'c {
        let side =
            self.whole().zip(left).map(move |((code, all), &left)| (code, if right { all - left } else { left }));
        side.filter(|(_, count)| *count > 0)
    }

    /// What each cut tells about the codes, in steps of one 2²⁰th of a bit per record: the
    /// information gained, up to what is the same for all cuts of the group.
    pub(super) fn information(&self) -> Vec<i64> {
        let (size, mut left) = (self.size(), vec![0u32; self.codes.len()]);
        let (mut of_left, mut of_right) = (0, self.totals.iter().map(|&total| weight(total)).sum::<i64>());
        let mut found = Vec::with_capacity(self.places.len());
        for (at, ends) in self.starts.windows(2).enumerate() {
            found.push(of_left + of_right - weight(self.before[at]) - weight(size - self.before[at]));
            for &(code, count) in &self.entries[ends[0] as usize..ends[1] as usize] {
                let (own, total) = (&mut left[code as usize], self.totals[code as usize]);
                of_left += weight(*own + count) - weight(*own);
                of_right += weight(total - *own - count) - weight(total - *own);
                *own += count;
            }
        }
        found
    }
}

/// n·log₂ n in steps of one 2²⁰th: whole numbers, so that sums do not depend on their order.
fn weight(count: u32) -> i64 {
    static SMALL: LazyLock<Vec<i64>> = LazyLock::new(|| (0..1 << 12).map(work_out_weight).collect());
    SMALL.get(count as usize).copied().unwrap_or_else(|| work_out_weight(count))
}

fn work_out_weight(count: u32) -> i64 {
    let count = f64::from(count.max(1));
    (count * count.log2() * f64::from(1 << 20)) as i64
}

#[cfg(test)]
mod tests {
    use super::super::records::Half;
    use super::*;
    use crate::anonymize::packed::Layout;
    use std::collections::BTreeMap;

    /// Records as (place, code).
    fn some_records(size: u32) -> Vec<(u32, u32)> {
        (0..size).map(|at| (100 + at * at % 37, at * (at + 3) % 11)).collect()
    }

    fn check(records: &[(u32, u32)], count: impl Fn(&Records<'_>, &Along, usize) -> Triples) {
        let layout = Layout::of([200, 11].into_iter());
        let mut words = vec![0; records.len() * layout.words];
        for (item, record) in words.chunks_exact_mut(layout.words).zip(records) {
            layout.fields[0].write(item, record.0);
            layout.fields[1].write(item, record.1);
        }
        let half = Half::Memory(words);
        let all = half.records(&(0..records.len()), layout.words, 0).unwrap();
        let along = Along { place: layout.fields[0], ends: (100, 136), code: Some((layout.fields[1], 11)) };
        let triples = count(&all, &along, layout.words);
        assert_eq!(triples.size() as usize, records.len());
        let mut counts = Vec::new();
        for (cut, &(place, _)) in triples.places().iter().enumerate() {
            triples.count_left(cut, &mut counts);
            for right in [false, true] {
                let mut expected: BTreeMap<u32, u32> = BTreeMap::new();
                let side = records.iter().filter(|record| (record.0 >= place) == right);
                side.for_each(|record| *expected.entry(record.1).or_default() += 1);
                assert!(triples.side(right, &counts).eq(expected), "{cut}");
            }
            assert_eq!(triples.before(cut) as usize, records.iter().filter(|record| record.0 < place).count());
        }
    }

    #[test]
    fn what_lies_left_of_any_cut_is_told_however_it_was_counted() {
        for size in [1, 5, 40, 400, 5_000] {
            let records = some_records(size);
            check(&records, |all, along, width| Triples::count(all, along, width).unwrap());
            check(&records, |all, along, width| Triples::sorted(all, along, width).unwrap());
        }
    }

    #[test]
    fn the_cut_that_tells_all_has_the_most_information() {
        // Codes 0 0 1 1 along places 0 1 2 3.
        let triples = Triples::new([(0, 0, 1), (1, 0, 1), (2, 1, 1), (3, 1, 1)].into_iter(), 2);
        let gains = triples.information();
        assert_eq!(gains[2], 0);
        assert_eq!(gains[0], -4 << 20, "four bits are not known");
        assert!(gains[1] < gains[2] && gains[1] == gains[3] && gains[1] > gains[0]);
    }
}
