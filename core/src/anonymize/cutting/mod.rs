//! Cutting records into groups, first in, first out, as long as all groups together stay safe.
//!
//! Groups wait in a queue; the first is cut in two by the first cut, in an order of priority, that
//! is allowed beside everything seen so far. All cuts between two values along every
//! quasi-identifier are tried: each is decided from counts of places and codes, not from records.
//! Groups of a level are looked at side by side: what is refused beside fewer groups is refused
//! beside more, so that the cut which one finds beside the groups before the level is only looked
//! at again, in the order of the queue, once those before it have taken theirs. Records lie in
//! memory, or, beyond a limit, in two files that are read and written from front to back, level by
//! level.

mod records;
mod search;
mod so_far;
mod spill;
mod store;
mod triples;

pub use so_far::Rule;
pub(super) use store::{Filler, Limit, Source, Store};

use super::axis::Axis;
use super::packed::{Field, Layout};
use crate::error::Result;
use crate::watch::Watch;
use rayon::prelude::*;
use records::{Half, Records, Side};
use search::CutSearch;
use so_far::{Rules, SoFar};
use std::ops::Range;
use triples::{Along, Triples};

/// In which order cuts are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// The quasi-identifier first along which the group is widest, as a share of the whole.
    Widest,
    /// Quasi-identifiers in turn: each level starts with the next.
    RoundRobin,
    /// The cut first that tells most about a subject, given by its number.
    InformationGain(usize),
}

/// Groups are looked at together up to so many records: their counts are kept meanwhile.
const TOGETHER: usize = 1 << 18;

/// Records that are packed at a time.
const BLOCK: usize = 1 << 12;

/// How to cut.
pub(super) struct Cutter<'a> {
    axes: &'a [Axis],
    /// How many codes each subject has.
    subjects: Vec<usize>,
    /// How many of the subjects criteria read; they come first.
    read: usize,
    rules: Rules<'a>,
    priority: Priority,
    /// A record's places along the axes, its codes of subjects, and its number.
    layout: Layout,
    watch: Watch<'a>,
}

/// What was formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formed {
    /// How many groups.
    pub groups: usize,
    /// How many records are in them: all.
    pub records: usize,
    /// How many bytes the records took in a temporary file; nothing if they were in memory.
    pub spilled: Option<u64>,
}

/// Takes the rows of a group, perhaps in several pieces: the number of the group, and rows.
pub type Publish<'p> = dyn FnMut(usize, &[u32]) -> Result<()> + 'p;

impl<'a> Cutter<'a> {
    /// Along axes, of records that have a code of each subject; subjects that criteria read come
    /// before others. Records have numbers below `numbers`.
    pub(super) fn new(
        axes: &'a [Axis],
        subjects: Vec<usize>,
        rules: Vec<Rule<'a>>,
        priority: Priority,
        numbers: usize,
    ) -> Cutter<'a> {
        let read = rules.iter().filter_map(|rule| rule.1).max().map_or(0, |last| last + 1);
        let sizes = axes.iter().map(Axis::places).chain(subjects.iter().copied()).chain([numbers]);
        let layout = Layout::of(sizes);
        Cutter { axes, subjects, read, rules: Rules::new(rules), priority, layout, watch: Watch::NONE }
    }

    /// Lets somebody follow.
    pub(super) fn watched(self, watch: Watch<'a>) -> Self {
        Cutter { watch, ..self }
    }

    /// Bytes of a packed record.
    fn bytes(&self) -> u64 {
        (size_of::<u64>() * self.layout.words) as u64
    }

    /// The fields of subjects, each with how many codes there are. Where there are none, one in
    /// which all records are alike.
    fn codes(&self) -> impl Iterator<Item = Option<(Field, usize)>> + '_ {
        let fields = self.layout.fields[self.axes.len()..].iter().copied();
        let none = self.subjects.is_empty().then_some(None);
        fields.zip(self.subjects.iter().copied()).map(Some).chain(none)
    }

    /// Which subjects criteria look at; the first, if they look at sizes only.
    fn subjects_of_rules(&self) -> Range<usize> {
        0..self.read.max(1)
    }

    /// Forms groups of all records; nothing if they are not safe together. `publish` takes the
    /// groups, the first in the queue first.
    pub(super) fn cut(&self, mut store: Store, publish: &mut Publish<'_>) -> Result<Option<Formed>> {
        let Some(mut so_far) = self.start(&store)? else { return Ok(None) };
        let spilled = matches!(store.now, Half::File(_)).then(|| store.size as u64 * self.bytes());
        let mut formed = Formed { groups: 0, records: store.size, spilled };
        let stage = self.watch.stage("dividing", Some(store.size as u64));
        let mut level: Vec<Range<usize>> = (store.size > 0).then_some(0..store.size).into_iter().collect();
        for depth in 0.. {
            if level.is_empty() {
                break;
            }
            let mut children = Vec::new();
            for together in batches(&level, store.most) {
                let Store { now, next, most, .. } = &mut store;
                let mut searches = self.search(now, together, depth, *most, &so_far)?;
                let sides = decide(&mut searches, &mut so_far)?;
                let mut divided = Vec::new();
                for ((range, search), side) in together.iter().zip(searches).zip(sides) {
                    if let Some(side) = side {
                        children.push(range.start..range.start + side.left);
                        children.push(range.start + side.left..range.end);
                        divided.push((range.clone(), search.records, side));
                    } else {
                        self.publish(&search.records, formed.groups, publish)?;
                        formed.groups += 1;
                        stage.advance(range.len() as u64);
                    }
                }
                next.take_divided(divided)?;
            }
            level = children;
            std::mem::swap(&mut store.now, &mut store.next);
        }
        Ok(Some(formed))
    }

    fn start(&self, store: &Store) -> Result<Option<SoFar>> {
        let all = store.now.records(&(0..store.size), self.layout.words, store.most)?;
        // Along a field of which nothing is asked: all records are at one place.
        let place = Layout::of([1].into_iter()).last();
        let count = |code| Triples::count(&all, &Along { place, ends: (0, 0), code }, self.layout.words);
        let whole: Vec<Triples> = self.codes().map(count).collect::<Result<_>>()?;
        Ok(self.rules.start(&whole))
    }

    /// For each group the first cut that is allowed beside the groups so far.
    fn search<'s>(
        &'s self,
        now: &'s Half,
        groups: &[Range<usize>],
        depth: usize,
        most: usize,
        so_far: &SoFar,
    ) -> Result<Vec<CutSearch<'s>>> {
        let search = |range: &Range<usize>| {
            let mut search = CutSearch::new(self, now.records(range, self.layout.words, most)?, depth)?;
            search.seek(so_far)?;
            Ok(search)
        };
        match groups {
            [group] => Ok(vec![search(group)?]),
            _ => groups.par_iter().map(search).collect(),
        }
    }

    /// The first and the last place of a group along each axis.
    fn ends(&self, records: &Records<'_>) -> Result<Vec<(u32, u32)>> {
        let fields = &self.layout.fields[..self.axes.len()];
        let widen = |ends: &mut Vec<(u32, u32)>, piece: &[u64]| {
            for block in piece.chunks(BLOCK * self.layout.words) {
                for (field, ends) in fields.iter().zip(ends.iter_mut()) {
                    let places = block.chunks_exact(self.layout.words).map(|item| field.read(item));
                    *ends = places.fold(*ends, |(low, high), place| (low.min(place), high.max(place)));
                }
            }
        };
        let join = |all: Vec<(u32, u32)>, more: Vec<(u32, u32)>| {
            all.iter().zip(more).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect()
        };
        records.fold(|| vec![(u32::MAX, 0); fields.len()], widen, join)
    }

    fn publish(&self, records: &Records<'_>, group: usize, publish: &mut Publish<'_>) -> Result<()> {
        let number = self.layout.last();
        let mut rows = Vec::new();
        records.pieces(0..records.size, |piece| {
            for block in piece.chunks(BLOCK * self.layout.words) {
                rows.clear();
                rows.extend(block.chunks_exact(self.layout.words).map(|item| number.read(item)));
                publish(group, &rows)?;
            }
            Ok(())
        })
    }
}

/// Decides one group after the other, each beside those before it. Whenever a group's cut is
/// refused, the next few look for another one together with it.
fn decide(searches: &mut [CutSearch<'_>], so_far: &mut SoFar) -> Result<Vec<Option<Side>>> {
    let few = 4 * rayon::current_num_threads();
    let mut sides = Vec::with_capacity(searches.len());
    for at in 0..searches.len() {
        if searches[at].is_refused(so_far) {
            let end = searches.len().min(at + few);
            searches[at..end].par_iter_mut().try_for_each(|search| search.seek(so_far))?;
        }
        sides.push(searches[at].take(so_far));
    }
    Ok(sides)
}

/// Consecutive groups of so many records together at most, or one.
fn batches(level: &[Range<usize>], most: usize) -> Vec<&[Range<usize>]> {
    let (mut found, mut start, mut size) = (Vec::new(), 0, 0);
    for (at, range) in level.iter().enumerate() {
        if at > start && size + range.len() > most.min(TOGETHER) {
            found.push(&level[start..at]);
            (start, size) = (at, 0);
        }
        size += range.len();
    }
    found.push(&level[start..]);
    found
}
