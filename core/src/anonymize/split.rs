//! Cutting records into groups, again and again, as long as both sides are safe.
//!
//! The places of a record's values are packed into few words together with its number, and records
//! move as a whole: every group lies in one stretch of memory and is read from front to back. How
//! many records of a large group are at each place is counted on the smaller side of a cut only;
//! the rest is the difference.

use super::axis::{Axis, Cut};
use super::formed::Formed;
use super::packed::Layout;
use super::{Checker, Safety};
use crate::data::Column;
use crate::watch::{Stage, Watch};
use rayon::prelude::*;
use smallvec::SmallVec;
use std::ops::Range;

/// Where records are cut.
pub(super) struct Splitter<'a> {
    /// The quasi-identifiers, with the axis of each.
    pub(super) dimensions: &'a [(&'a Column, Axis)],
    /// What both sides must be.
    pub(super) rule: Rule<'a>,
    /// A lot for every row, the numbers of the rows in another order: sides are equal, and of
    /// records with equal quasi-identifiers those with the lower lots go left. Without lots,
    /// records with equal values stay together.
    pub(super) lots: Option<&'a [u32]>,
    /// Whether only the cut that wins most is tried on a group.
    pub(super) once: bool,
    /// Who follows.
    pub(super) watch: Watch<'a>,
}

/// What both sides of a cut must be.
#[derive(Clone, Copy)]
pub(super) enum Rule<'a> {
    /// Safe.
    Safe(&'a Safety<'a>),
    /// Made of whole groups that are there already.
    Whole(&'a Formed),
}

/// The groups as stretches of rows.
pub(super) struct Parts {
    pub(super) rows: Vec<u32>,
    pub(super) stretches: Vec<Range<usize>>,
}

impl Splitter<'_> {
    /// Cuts all rows of the table.
    pub(super) fn split(&self, rows: usize) -> Parts {
        let layout = layout(self.dimensions, rows);
        match layout.words {
            1 => self.split_packed::<1>(layout, rows),
            2 => self.split_packed::<2>(layout, rows),
            3..=4 => self.split_packed::<4>(layout, rows),
            _ => self.split_plain(rows),
        }
    }

    /// The numbers that records are known by, if these are not their rows.
    fn numbers(&self) -> Option<&[u32]> {
        match self.rule {
            Rule::Safe(_) => self.lots,
            Rule::Whole(formed) => formed.even.then_some(&formed.group_of),
        }
    }

    /// Whether sides are equal.
    fn is_even(&self) -> bool {
        match self.rule {
            Rule::Safe(_) => self.lots.is_some(),
            Rule::Whole(formed) => formed.even,
        }
    }

    fn split_packed<const WORDS: usize>(&self, layout: Layout, rows: usize) -> Parts {
        let mut items = items::<WORDS>(&layout, self.dimensions, rows, self.numbers());
        if self.is_even() {
            // By all quasi-identifiers, then by lot: cuts keep this order, so that records with
            // equal values are always in it.
            items.par_sort_unstable();
        }
        self.split_items(&Packed::<WORDS> { layout, row_of_lot: self.lots.map(inverse) }, items)
    }

    fn split_plain(&self, rows: usize) -> Parts {
        let group_of = match self.rule {
            Rule::Safe(_) => None,
            Rule::Whole(formed) => formed.even.then_some(formed.group_of.as_slice()),
        };
        let plain = Plain { dimensions: self.dimensions, group_of };
        let mut items: Vec<u32> = (0..rows as u32).collect();
        if let Some(numbers) = self.numbers().filter(|_| self.is_even()) {
            items.par_sort_by_cached_key(|&row| (plain.places(row), numbers[row as usize]));
        }
        self.split_items(&plain, items)
    }

    fn split_items<S: Source>(&self, source: &S, mut items: Vec<S::Item>) -> Parts {
        let mut spare = items.clone();
        let mut rows = vec![0; items.len()];
        let counts: Counts = self.dimensions.iter().map(|(_, axis)| axis.counts().to_vec()).collect();
        let places = self.dimensions.iter().map(|(_, axis)| axis.places()).sum::<usize>();
        let (least, by_size) = match self.rule {
            Rule::Safe(safety) => (safety.least_size().max(1) as usize, safety.reads_sizes_only()),
            Rule::Whole(formed) => (formed.least.max(1) as usize, false),
        };
        let stage = self.watch.stage("dividing", Some(items.len() as u64));
        let run = Run { splitter: self, source, stage: &stage, least, by_size, counted: DENSE * places.max(1) };
        let node = Node { items: &mut items, spare: &mut spare, rows: &mut rows, start: 0, counts: Some(counts) };
        let stretches = if node.items.is_empty() { Vec::new() } else { run.divide(node, &mut Work::new(self.rule)) };
        Parts { rows, stretches }
    }
}

/// The row of every lot.
fn inverse(lots: &[u32]) -> Vec<u32> {
    let mut row_of_lot = vec![0; lots.len()];
    (0u32..).zip(lots).for_each(|(row, &lot)| row_of_lot[lot as usize] = row);
    row_of_lot
}

/// Records as they are moved around.
trait Source: Sync {
    type Item: Copy + Send + Sync;

    /// Reads places along one dimension.
    fn reader(&self, dimension: usize) -> impl Fn(&Self::Item) -> u32 + '_;

    /// The row of a record; its group where groups are there already and sides are equal.
    fn row(&self, item: &Self::Item) -> u32;
}

/// The first dimension in the highest bits, the row or the lot in the lowest.
fn layout(dimensions: &[(&Column, Axis)], rows: usize) -> Layout {
    Layout::of(dimensions.iter().map(|(_, axis)| axis.places()).chain([rows]))
}

/// The records of a table, in the order of its rows.
fn items<const WORDS: usize>(
    layout: &Layout,
    dimensions: &[(&Column, Axis)],
    rows: usize,
    lots: Option<&[u32]>,
) -> Vec<[u64; WORDS]> {
    let mut items = vec![[0; WORDS]; rows];
    items.par_chunks_mut(BLOCK).enumerate().for_each(|(block, items)| {
        let all = block * BLOCK..block * BLOCK + items.len();
        for (item, row) in items.iter_mut().zip(all.clone()) {
            layout.last().write(item, lots.map_or(row as u32, |lots| lots[row]));
        }
        for ((column, axis), field) in dimensions.iter().zip(&layout.fields) {
            for (item, &code) in items.iter_mut().zip(&column.codes()[all.clone()]) {
                field.write(item, axis.place(code));
            }
        }
    });
    items
}

/// Records in words.
struct Packed<const WORDS: usize> {
    layout: Layout,
    row_of_lot: Option<Vec<u32>>,
}

impl<const WORDS: usize> Source for Packed<WORDS> {
    type Item = [u64; WORDS];

    #[inline]
    fn reader(&self, dimension: usize) -> impl Fn(&[u64; WORDS]) -> u32 + '_ {
        let field = self.layout.fields[dimension];
        move |item| field.read(item)
    }

    #[inline]
    fn row(&self, item: &[u64; WORDS]) -> u32 {
        let number = self.layout.last().read(item);
        self.row_of_lot.as_ref().map_or(number, |row_of_lot| row_of_lot[number as usize])
    }
}

/// Records by their rows alone, for more quasi-identifiers than are worth carrying around.
struct Plain<'a> {
    dimensions: &'a [(&'a Column, Axis)],
    group_of: Option<&'a [u32]>,
}

impl Plain<'_> {
    fn places(&self, row: u32) -> Vec<u32> {
        self.dimensions.iter().map(|(column, axis)| axis.place(column.codes()[row as usize])).collect()
    }
}

impl Source for Plain<'_> {
    type Item = u32;

    #[inline]
    fn reader(&self, dimension: usize) -> impl Fn(&u32) -> u32 + '_ {
        let (column, axis) = &self.dimensions[dimension];
        move |&row| axis.place(column.codes()[row as usize])
    }

    #[inline]
    fn row(&self, item: &u32) -> u32 {
        self.group_of.map_or(*item, |group_of| group_of[*item as usize])
    }
}

/// Along each dimension, how many records are at each place.
type Counts = Vec<Vec<u32>>;

/// Records that are packed, or counted, at a time: as many as stay in the nearest memory.
const BLOCK: usize = 1 << 10;

/// Groups are counted along with others if they have so many records per place.
const DENSE: usize = 4;

/// Groups of fewer records are cut by one thread.
const LARGE: usize = 1 << 13;

/// A group that may be cut further.
struct Node<'n, I> {
    items: &'n mut [I],
    /// As long; what it holds does not matter.
    spare: &'n mut [I],
    /// As long; in the end, the rows.
    rows: &'n mut [u32],
    /// Where it starts among all.
    start: usize,
    /// Known for large groups.
    counts: Option<Counts>,
}

/// Memory of one thread.
struct Work<'a> {
    checker: Option<Checker<'a>>,
    counts: Vec<[u32; 2]>,
    places: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

impl<'a> Work<'a> {
    fn new(rule: Rule<'a>) -> Work<'a> {
        let checker = match rule {
            Rule::Safe(safety) => Some(safety.checker()),
            Rule::Whole(_) => None,
        };
        Work { checker, counts: Vec::new(), places: Vec::new(), entries: Vec::new() }
    }

    fn holds_by_size(&mut self, size: usize) -> bool {
        self.checker.as_mut().is_none_or(|checker| checker.holds_counted(&[(0, size as u32)]))
    }
}

struct Run<'a, S> {
    splitter: &'a Splitter<'a>,
    source: &'a S,
    stage: &'a Stage<'a>,
    /// Fewer records are never safe.
    least: usize,
    by_size: bool,
    /// From this size on counts are kept.
    counted: usize,
}

/// A cut along a dimension; nothing for the cut of records that are alike.
type Along = (Option<usize>, Cut);

impl<S: Source> Run<'_, S> {
    /// The groups that a safe one is cut into, from left to right.
    fn divide(&self, mut node: Node<'_, S::Item>, work: &mut Work<'_>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        self.divide_into(&mut found, &mut node, work);
        found
    }

    fn divide_into(&self, found: &mut Vec<Range<usize>>, node: &mut Node<'_, S::Item>, work: &mut Work<'_>) {
        let Some(at) = self.first_safe_cut(node, work) else {
            return self.publish(found, node);
        };
        let (left, right) = self.counts_of_sides(node, at);
        // Records are now in what was spare, left side first.
        let (left_items, right_items) = node.spare.split_at_mut(at);
        let (left_spare, right_spare) = node.items.split_at_mut(at);
        let (left_rows, right_rows) = node.rows.split_at_mut(at);
        let start = node.start;
        let mut left = Node { items: left_items, spare: left_spare, rows: left_rows, start, counts: left };
        let right_start = start + at;
        let mut right =
            Node { items: right_items, spare: right_spare, rows: right_rows, start: right_start, counts: right };
        if left.items.len() + right.items.len() < LARGE {
            self.divide_into(found, &mut left, work);
            self.divide_into(found, &mut right, work);
            return;
        }
        let rule = self.splitter.rule;
        let (_, more) =
            rayon::join(|| self.divide_into(found, &mut left, work), || self.divide(right, &mut Work::new(rule)));
        found.extend(more);
    }

    fn publish(&self, found: &mut Vec<Range<usize>>, node: &mut Node<'_, S::Item>) {
        node.rows.iter_mut().zip(&*node.items).for_each(|(row, item)| *row = self.source.row(item));
        if self.splitter.is_even() {
            node.rows.sort_unstable();
        }
        found.push(node.start..node.start + node.items.len());
        self.stage.advance(node.items.len() as u64);
    }

    /// How many records go left at the best cut of which both sides are safe. Then records are in
    /// the spare memory, left side first.
    fn first_safe_cut(&self, node: &mut Node<'_, S::Item>, work: &mut Work<'_>) -> Option<usize> {
        let size = node.items.len();
        if size < 2 * self.least || self.is_one_group(node) {
            return None;
        }
        let cuts = self.cuts(node, work);
        let large_enough = |cut: &Cut| (cut.left as usize).min(size - cut.left as usize) >= self.least;
        let tried = if self.splitter.once { 1 } else { cuts.len() };
        for &(dimension, cut) in cuts.iter().filter(|(_, cut)| large_enough(cut)).take(tried) {
            let at = cut.left as usize;
            if self.by_size {
                if !work.holds_by_size(at) || !work.holds_by_size(size - at) {
                    continue;
                }
                self.move_to_sides(node, dimension, cut);
                return Some(at);
            }
            self.move_to_sides(node, dimension, cut);
            node.rows.iter_mut().zip(&*node.spare).for_each(|(row, item)| *row = self.source.row(item));
            let (left, right) = node.rows.split_at(at);
            let holds = match (self.splitter.rule, &mut work.checker) {
                (Rule::Whole(formed), _) => formed.are_whole(left, right),
                (Rule::Safe(_), checker) => {
                    checker.as_mut().is_some_and(|checker| checker.holds(left) && checker.holds(right))
                }
            };
            if holds {
                return Some(at);
            }
        }
        if let Rule::Whole(formed) = self.splitter.rule {
            // Equal records were divided in an order that nobody knows.
            formed.note_all(node.items.iter().map(|item| self.source.row(item)));
        }
        None
    }

    /// Whether these are the records of a group that is there already.
    fn is_one_group(&self, node: &Node<'_, S::Item>) -> bool {
        let Rule::Whole(formed) = self.splitter.rule else { return false };
        let group = |item: &S::Item| formed.group(self.source.row(item));
        node.items.iter().all(|item| group(item) == group(&node.items[0]))
    }

    /// One cut along each dimension in which records differ, the one that wins most first. Records
    /// that differ in none are cut only if they may be told apart.
    fn cuts(&self, node: &Node<'_, S::Item>, work: &mut Work<'_>) -> SmallVec<[Along; 8]> {
        let size = node.items.len() as u32;
        let mut cuts: SmallVec<[Along; 8]> = SmallVec::new();
        for (dimension, (_, axis)) in self.splitter.dimensions.iter().enumerate() {
            match &node.counts {
                Some(counts) => work.take_counted(&counts[dimension]),
                None => work.count(node.items, axis.places(), self.source.reader(dimension)),
            }
            let cut = axis.cut(&work.entries, size, self.splitter.is_even());
            cuts.extend(cut.map(|cut| (Some(dimension), cut)));
        }
        cuts.sort_by(|a, b| b.1.merit.total_cmp(&a.1.merit));
        if cuts.is_empty() && self.splitter.is_even() && size > 1 {
            cuts.push((None, Cut { place: 0, taken: size.div_ceil(2), left: size.div_ceil(2), merit: 0.0 }));
        }
        cuts
    }

    /// Copies the sides of a cut to the spare memory. The order of records stays on each side.
    fn move_to_sides(&self, node: &mut Node<'_, S::Item>, dimension: Option<usize>, cut: Cut) {
        match dimension {
            None => node.spare.copy_from_slice(node.items),
            Some(dimension) if cut.taken == 0 => {
                let place = self.source.reader(dimension);
                partition(node.items, node.spare, cut.left as usize, |item| place(item) < cut.place);
            }
            Some(dimension) => {
                let place = self.source.reader(dimension);
                let mut to_take = cut.taken;
                partition(node.items, node.spare, cut.left as usize, |item| {
                    let place = place(item);
                    let taken = place == cut.place && to_take > 0;
                    to_take -= u32::from(taken);
                    place < cut.place || taken
                });
            }
        }
    }

    /// The counts of the left and the right side, of those that are large: the smaller side is
    /// counted, the other is the difference.
    fn counts_of_sides(&self, node: &mut Node<'_, S::Item>, at: usize) -> (Option<Counts>, Option<Counts>) {
        let (left, right) = (at, node.items.len() - at);
        let Some(mut larger) = node.counts.take().filter(|_| left.max(right) >= self.counted) else {
            return (None, None);
        };
        let smaller = self.count_all(if left < right { &node.spare[..at] } else { &node.spare[at..] }, &larger);
        for (all, part) in larger.iter_mut().zip(&smaller) {
            all.iter_mut().zip(part).for_each(|(all, part)| *all -= part);
        }
        let smaller = Some(smaller).filter(|_| left.min(right) >= self.counted);
        if left < right { (smaller, Some(larger)) } else { (Some(larger), smaller) }
    }

    fn count_all(&self, items: &[S::Item], like: &Counts) -> Counts {
        let mut lanes: Vec<Vec<[u32; 2]>> = like.iter().map(|counts| vec![[0; 2]; counts.len()]).collect();
        for items in items.chunks(BLOCK) {
            for (dimension, lanes) in lanes.iter_mut().enumerate() {
                let place = self.source.reader(dimension);
                tally(items, lanes, |item| place(item) as usize);
            }
        }
        lanes.into_iter().map(|lanes| lanes.into_iter().map(|[a, b]| a + b).collect()).collect()
    }
}

/// Counts items; every other one in another lane, since to add to the count that was just written
/// means waiting for it.
#[inline]
fn tally<I>(items: &[I], counts: &mut [[u32; 2]], place: impl Fn(&I) -> usize) {
    let (pairs, last) = items.as_chunks::<2>();
    for [a, b] in pairs {
        counts[place(a)][0] += 1;
        counts[place(b)][1] += 1;
    }
    last.iter().for_each(|item| counts[place(item)][0] += 1);
}

/// Copies items that go left to the front of `to`, the others from `at` on.
#[inline]
fn partition<I: Copy>(items: &[I], to: &mut [I], at: usize, mut goes_left: impl FnMut(&I) -> bool) {
    let (mut left, mut right) = (0, at);
    for item in items {
        let goes_left = goes_left(item);
        to[if goes_left { left } else { right }] = *item;
        left += usize::from(goes_left);
        right += usize::from(!goes_left);
    }
}

impl Work<'_> {
    /// The places that records are at, from counts of all.
    fn take_counted(&mut self, counts: &[u32]) {
        self.entries.clear();
        self.entries.extend((0u32..).zip(counts.iter().copied()).filter(|entry| entry.1 > 0));
    }

    /// The places that items are at, and how many at each.
    fn count<I>(&mut self, items: &[I], places: usize, place: impl Fn(&I) -> u32) {
        let few = 4 * items.len();
        let (mut low, mut span) = (0, places);
        if span > few {
            // Cuts have perhaps left only a short part of the axis.
            let ends = items.iter().map(&place).fold((u32::MAX, 0), |(low, high), at| (low.min(at), high.max(at)));
            (low, span) = (ends.0, (ends.1 - ends.0) as usize + 1);
        }
        if span > few { self.sort(items, place) } else { self.tally(items, low, span, place) }
    }

    fn tally<I>(&mut self, items: &[I], low: u32, span: usize, place: impl Fn(&I) -> u32) {
        if self.counts.len() < span {
            self.counts.resize(span, [0; 2]);
        }
        let counts = &mut self.counts[..span];
        tally(items, counts, |item| (place(item) - low) as usize);
        // Every count is written, and kept only if it is one: no branch to guess.
        self.entries.clear();
        self.entries.resize(span, (0, 0));
        let mut kept = 0;
        for (at, lanes) in (low..).zip(counts) {
            let [a, b] = std::mem::take(lanes);
            self.entries[kept] = (at, a + b);
            kept += usize::from(a + b > 0);
        }
        self.entries.truncate(kept);
    }

    fn sort<I>(&mut self, items: &[I], place: impl Fn(&I) -> u32) {
        self.places.clear();
        self.places.extend(items.iter().map(place));
        self.places.sort_unstable();
        self.entries.clear();
        self.entries.extend(self.places.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anonymize::axis::Basis;
    use crate::data::{Schema, Table, sample};
    use crate::plan;
    use std::path::Path;

    /// Wide columns, so that values are sorted in small groups and tallied in large ones.
    fn table() -> (Table, Schema) {
        let schema = Schema::of(&["age", "sex", "zip", "nationality", "admitted", "patient"], &["disease"]);
        (sample::hospital(12_000, 8), schema)
    }

    #[test]
    fn how_records_are_carried_changes_nothing() {
        let (table, schema) = table();
        for text in ["criterion = \"k-anonymity\"\nk = 4", "criterion = \"entropy-l-diversity\"\nl = 2"] {
            let requirement = plan::requirement(text, &schema).unwrap();
            let bound = [requirement.bind(&table, &schema, Path::new(".")).unwrap()];
            let safety = Safety::new(&table, &bound).unwrap();
            let quasi = schema.quasi(&table).unwrap();
            let dimensions: Vec<(&Column, Axis)> = quasi
                .iter()
                .map(|column| (*column, Axis::new(column, &schema, Basis::of(column, &schema)).unwrap()))
                .collect();
            let lots: Vec<u32> = (0..12_000u32).map(|row| row * 7919 % 12_000).collect();
            for lots in [None, Some(&lots[..])] {
                let splitter = Splitter {
                    dimensions: &dimensions,
                    rule: Rule::Safe(&safety),
                    lots,
                    once: false,
                    watch: Watch::NONE,
                };
                let found = splitter.split(12_000);
                let layout = layout(&dimensions, 12_000);
                assert!(layout.words <= 2);
                for other in [splitter.split_plain(12_000), splitter.split_packed::<4>(layout, 12_000)] {
                    assert!(found.rows == other.rows && found.stretches == other.stretches, "{text}");
                }
            }
        }
    }

    #[test]
    fn counting_by_any_means_gives_the_same() {
        let bound = [];
        let (table, _) = table();
        let safety = Safety::new(&table, &bound).unwrap();
        let items: Vec<u32> = (0..50u32).map(|at| 1000 + at * at % 90).collect();
        let mut work = Work::new(Rule::Safe(&safety));
        let mut found = Vec::new();
        work.tally(&items, 0, 1100, |item| *item);
        found.push(work.entries.clone());
        work.tally(&items, 1000, 90, |item| *item);
        found.push(work.entries.clone());
        work.sort(&items, |item| *item);
        found.push(work.entries.clone());
        work.count(&items, 5000, |item| *item);
        found.push(work.entries.clone());
        assert!(found.iter().all(|entries| *entries == found[0] && !entries.is_empty()));
        assert!(work.counts.iter().all(|&lanes| lanes == [0; 2]));
    }
}
