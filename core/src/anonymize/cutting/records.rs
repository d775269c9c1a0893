//! Records where they lie: side by side in memory, or in a file. Every group is one stretch;
//! dividing it copies its sides, one after the other, to the same stretch of the other half.

use super::spill::Spill;
use crate::anonymize::packed::Field;
use crate::error::Result;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// Groups of at least so many records keep all threads busy.
pub(super) const LARGE: usize = 1 << 16;

/// Records of a file that are read at a time.
const BLOCK: usize = 1 << 13;

/// One of two places that hold all records in turn.
pub(super) enum Half {
    Memory(Vec<u64>),
    File(Spill),
}

/// The records of one group.
pub(super) struct Records<'a> {
    words: Words<'a>,
    /// Words of a record.
    width: usize,
    /// How many there are.
    pub(super) size: usize,
}

enum Words<'a> {
    Here(Cow<'a, [u64]>),
    /// From a word of a file on.
    There(&'a Spill, usize),
}

/// Which records go left: those before a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) field: Field,
    pub(super) place: u32,
    /// How many they are.
    pub(super) left: usize,
}

impl Side {
    #[inline]
    fn goes_left(&self, item: &[u64]) -> bool {
        self.field.read(item) < self.place
    }
}

impl Half {
    /// The records of a stretch; those in a file are loaded if they are at most so many.
    pub(super) fn records(&self, range: &Range<usize>, width: usize, most: usize) -> Result<Records<'_>> {
        let words = match self {
            Half::Memory(words) => Words::Here(Cow::Borrowed(&words[range.start * width..range.end * width])),
            Half::File(file) if range.len() <= most => {
                let mut words = vec![0; range.len() * width];
                file.read(range.start * width, &mut words)?;
                Words::Here(Cow::Owned(words))
            }
            Half::File(file) => Words::There(file, range.start * width),
        };
        Ok(Records { words, width, size: range.len() })
    }

    /// Takes in groups that lie in stretches, ascending: of each those that go left, then the
    /// others.
    pub(super) fn take_divided(&mut self, groups: Vec<(Range<usize>, Records<'_>, Side)>) -> Result<()> {
        match self {
            Half::Memory(words) => {
                let (mut rest, mut start) = (&mut words[..], 0);
                let mut to = Vec::with_capacity(groups.len());
                for (range, records, side) in &groups {
                    let (skipped, len) = ((range.start - start) * records.width, range.len() * records.width);
                    let (own, after) = rest[skipped..].split_at_mut(len);
                    to.push((records, side, own));
                    (rest, start) = (after, range.end);
                }
                to.into_par_iter().try_for_each(|(records, side, own)| records.divide(side, own))
            }
            Half::File(file) => groups.into_par_iter().try_for_each(|(range, records, side)| {
                let at = range.start * records.width;
                if let Words::There(..) = records.words {
                    return records.stream(side, file, at);
                }
                let mut own = vec![0; records.size * records.width];
                records.divide(&side, &mut own)?;
                file.write(at, &own)
            }),
        }
    }
}

impl Records<'_> {
    /// Looks at all records, a piece after the other, on all threads if there are many.
    pub(super) fn fold<T: Send>(
        &self,
        make: impl Fn() -> T + Sync,
        add: impl Fn(&mut T, &[u64]) + Sync,
        join: impl Fn(T, T) -> T,
    ) -> Result<T> {
        let threads = if self.size < LARGE { 1 } else { rayon::current_num_threads() };
        let part = self.size.div_ceil(threads).max(1);
        let of_part = |at: usize| {
            let range = at * part..self.size.min((at + 1) * part);
            let mut found = make();
            self.pieces(range, |piece| {
                add(&mut found, piece);
                Ok(())
            })?;
            Ok(found)
        };
        if threads == 1 {
            return of_part(0);
        }
        let parts: Vec<T> = (0..self.size.div_ceil(part)).into_par_iter().map(of_part).collect::<Result<_>>()?;
        Ok(parts.into_iter().reduce(join).unwrap_or_else(make))
    }

    /// Some records, one piece after the other.
    pub(super) fn pieces(&self, range: Range<usize>, mut look: impl FnMut(&[u64]) -> Result<()>) -> Result<()> {
        match &self.words {
            Words::Here(words) => look(&words[range.start * self.width..range.end * self.width]),
            Words::There(file, word) => {
                let mut piece = vec![0; BLOCK.min(range.len()) * self.width];
                for start in range.clone().step_by(BLOCK) {
                    let piece = &mut piece[..BLOCK.min(range.end - start) * self.width];
                    file.read(word + start * self.width, piece)?;
                    look(piece)?;
                }
                Ok(())
            }
        }
    }

    /// Copies the sides. The order of records stays on each.
    fn divide(&self, side: &Side, to: &mut [u64]) -> Result<()> {
        let (mut left, mut right) = to.split_at_mut(side.left * self.width);
        self.pieces(0..self.size, |words| {
            let part = if self.size < LARGE { self.size } else { self.size.div_ceil(rayon::current_num_threads()) };
            let parts = words.par_chunks(part * self.width);
            let lefts: Vec<usize> = parts.map(|part| self.lefts(side, part)).collect();
            let mut parts = Vec::with_capacity(lefts.len());
            for (words, lefts) in words.chunks(part * self.width).zip(lefts) {
                let (own_left, rest_left) = std::mem::take(&mut left).split_at_mut(lefts);
                let (own_right, rest_right) = std::mem::take(&mut right).split_at_mut(words.len() - lefts);
                parts.push((words, own_left, own_right));
                (left, right) = (rest_left, rest_right);
            }
            parts.into_par_iter().for_each(|(words, left, right)| self.partition(words, side, left, right));
            Ok(())
        })
    }

    /// Copies the sides to a file, from a word on.
    fn stream(&self, side: Side, to: &Spill, at: usize) -> Result<()> {
        let (mut left_at, mut right_at) = (at, at + side.left * self.width);
        let (mut left, mut right) = (vec![0; BLOCK * self.width], vec![0; BLOCK * self.width]);
        self.pieces(0..self.size, |piece| {
            let lefts = self.lefts(&side, piece);
            let (left, right) = (&mut left[..lefts], &mut right[..piece.len() - lefts]);
            self.partition(piece, &side, left, right);
            to.write(left_at, left)?;
            to.write(right_at, right)?;
            left_at += left.len();
            right_at += right.len();
            Ok(())
        })
    }

    /// How many words go left.
    fn lefts(&self, side: &Side, words: &[u64]) -> usize {
        words.chunks_exact(self.width).filter(|item| side.goes_left(item)).count() * self.width
    }

    fn partition(&self, words: &[u64], side: &Side, left: &mut [u64], right: &mut [u64]) {
        match self.width {
            1 => partition::<1>(words, side, left, right),
            2 => partition::<2>(words, side, left, right),
            3 => partition::<3>(words, side, left, right),
            width => {
                let (mut left, mut right) = (left.chunks_exact_mut(width), right.chunks_exact_mut(width));
                for item in words.chunks_exact(width) {
                    let to = if side.goes_left(item) { left.next() } else { right.next() };
                    to.expect("as many as were counted").copy_from_slice(item);
                }
            }
        }
    }
}

/// Copies items to their sides; of a width that is known, so that nothing is called to copy few
/// words.
fn partition<const WIDTH: usize>(words: &[u64], side: &Side, left: &mut [u64], right: &mut [u64]) {
    let (left, right) = (left.as_chunks_mut::<WIDTH>().0, right.as_chunks_mut::<WIDTH>().0);
    let (mut lefts, mut rights) = (0, 0);
    for item in words.as_chunks::<WIDTH>().0 {
        if side.goes_left(item) {
            left[lefts] = *item;
            lefts += 1;
        } else {
            right[rights] = *item;
            rights += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anonymize::packed::Layout;

    /// Sides are the same wherever records come from and go to, and for one thread and several.
    #[test]
    fn sides_keep_the_order_of_records() {
        let folder = tempfile::tempdir().unwrap();
        for (width, size) in [(1, 1_000), (2, 70_000), (3, 100), (5, 70_001)] {
            let layout = Layout::of([1 << 20, 1000].into_iter());
            let mut words = vec![0u64; size * width];
            for (at, item) in words.chunks_exact_mut(width).enumerate() {
                layout.fields[1].write(item, (at * 7919 % 1000) as u32);
                layout.fields[0].write(item, at as u32);
            }
            let field = layout.fields[1];
            let items = words[10 * width..].chunks_exact(width);
            let (left, right): (Vec<&[u64]>, Vec<&[u64]>) = items.partition(|item| field.read(item) < 300);
            let side = Side { field, place: 300, left: left.len() };
            let expected: Vec<u64> = left.into_iter().chain(right).flatten().copied().collect();
            let file = || Spill::new(folder.path()).unwrap();
            let from_file = file();
            from_file.write(0, &words).unwrap();
            let halves = [Half::Memory(words.clone()), Half::File(from_file)];
            for (from, most) in [(&halves[0], 0), (&halves[1], usize::MAX), (&halves[1], 5)] {
                for mut to in [Half::Memory(vec![0; words.len()]), Half::File(file())] {
                    let range = 10..size;
                    let records = from.records(&range, width, most).unwrap();
                    if matches!((&to, &records.words), (Half::Memory(_), Words::There(..))) {
                        continue;
                    }
                    to.take_divided(vec![(range.clone(), records, side)]).unwrap();
                    let moved = to.records(&range, width, usize::MAX).unwrap();
                    let Words::Here(found) = &moved.words else { panic!("it was loaded") };
                    assert!(**found == expected, "{width} words, {size} records");
                }
            }
        }
    }
}
