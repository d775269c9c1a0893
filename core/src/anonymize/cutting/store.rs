//! How records get where they lie: in memory as long as they fit, else in files.

use super::Cutter;
use super::records::Half;
use super::spill::Spill;
use crate::anonymize::axis::Axis;
use crate::anonymize::packed::Layout;
use crate::error::{Error, Fault, Result};
use rayon::prelude::*;
use std::path::PathBuf;

/// Records that are packed at a time.
const BLOCK: usize = 1 << 12;

/// How much memory records may take.
#[derive(Clone, Debug)]
pub(in crate::anonymize) struct Limit {
    /// Bytes; none for any number.
    bytes: Option<u64>,
    /// Where temporary files are made.
    folder: PathBuf,
}

impl Limit {
    /// So many bytes, none for zero.
    pub(in crate::anonymize) fn new(bytes: u64) -> Limit {
        Limit { bytes: Some(bytes).filter(|bytes| *bytes > 0), folder: std::env::temp_dir() }
    }

    /// The most records that may be in memory, where each takes so many bytes: records lie there
    /// twice.
    fn most(&self, bytes: u64) -> usize {
        self.bytes.map_or(usize::MAX, |limit| usize::try_from(limit / (2 * bytes)).unwrap_or(usize::MAX).max(1))
    }
}

/// Packed records.
pub(in crate::anonymize) struct Store {
    pub(super) now: Half,
    pub(super) next: Half,
    pub(super) size: usize,
    /// The most records that are loaded from a file together.
    pub(super) most: usize,
}

/// Where one of the numbers of every record is.
#[derive(Clone, Copy)]
pub(in crate::anonymize) enum Source<'a> {
    /// The place of a code along an axis.
    Place(&'a [u32], &'a Axis),
    /// A code of a subject.
    Code(&'a [u32]),
}

impl Store {
    /// The rows of a table: for the cutter, the places along its axes and the codes of its
    /// subjects.
    pub(in crate::anonymize) fn of_columns(
        cutter: &Cutter<'_>,
        columns: &[Source<'_>],
        rows: usize,
        limit: &Limit,
    ) -> Result<Store> {
        let (width, most) = (cutter.layout.words, limit.most(cutter.bytes()));
        if rows <= most {
            let mut words = vec![0; rows * width];
            words.par_chunks_mut(BLOCK * width).enumerate().for_each(|(block, words)| {
                pack(&cutter.layout, columns, block * BLOCK, words);
            });
            let next = vec![0; words.len()];
            return Ok(Store { now: Half::Memory(words), next: Half::Memory(next), size: rows, most });
        }
        let file = Spill::new(&limit.folder)?;
        for start in (0..rows).step_by(BLOCK) {
            let mut words = vec![0; BLOCK.min(rows - start) * width];
            pack(&cutter.layout, columns, start, &mut words);
            file.write(start * width, &words)?;
        }
        Ok(Store { now: Half::File(file), next: Half::File(Spill::new(&limit.folder)?), size: rows, most })
    }
}

/// Packs consecutive rows.
fn pack(layout: &Layout, columns: &[Source<'_>], first: usize, words: &mut [u64]) {
    let rows = first..first + words.len() / layout.words;
    for (field, column) in layout.fields.iter().zip(columns) {
        let items = words.chunks_exact_mut(layout.words);
        match column {
            Source::Place(codes, axis) => {
                items.zip(&codes[rows.clone()]).for_each(|(item, &code)| field.write(item, axis.place(code)));
            }
            Source::Code(codes) => items.zip(&codes[rows.clone()]).for_each(|(item, &code)| field.write(item, code)),
        }
    }
    for (item, row) in words.chunks_exact_mut(layout.words).zip(rows) {
        layout.last().write(item, row as u32);
    }
}

/// Takes records one after the other, and puts them in a file when they become too many.
pub(in crate::anonymize) struct Filler<'c> {
    cutter: &'c Cutter<'c>,
    limit: Limit,
    words: Vec<u64>,
    file: Option<Spill>,
    size: usize,
}

impl<'c> Filler<'c> {
    pub(in crate::anonymize) fn new(cutter: &'c Cutter<'c>, limit: Limit) -> Filler<'c> {
        Filler { cutter, limit, words: Vec::new(), file: None, size: 0 }
    }

    /// One more record: places along the axes, then codes of subjects. Its number is the next.
    pub(in crate::anonymize) fn push(&mut self, numbers: &[u32]) -> Result<()> {
        let Ok(number) = u32::try_from(self.size) else {
            return Err(Error::new(Fault::Resources, "there are more than 4294967296 records"));
        };
        let (layout, start) = (&self.cutter.layout, self.words.len());
        self.words.resize(start + layout.words, 0);
        let item = &mut self.words[start..];
        layout
            .fields
            .iter()
            .zip(numbers.iter().chain([&number]))
            .for_each(|(field, number)| field.write(item, *number));
        self.size += 1;
        if self.words.len() / layout.words >= self.room() {
            self.flush()?;
        }
        Ok(())
    }

    /// How many records are gathered in memory.
    fn room(&self) -> usize {
        let most = self.limit.most(self.cutter.bytes());
        if self.file.is_some() { most.min(BLOCK) } else { most.saturating_add(1) }
    }

    fn flush(&mut self) -> Result<()> {
        if self.file.is_none() {
            self.file = Some(Spill::new(&self.limit.folder)?);
        }
        let file = self.file.as_ref().expect("just put there");
        file.write(self.size * self.cutter.layout.words - self.words.len(), &self.words)?;
        // What was gathered before there was a file is not needed again.
        if self.words.len() > BLOCK * self.cutter.layout.words {
            self.words = Vec::new()
        } else {
            self.words.clear()
        }
        Ok(())
    }

    /// All records.
    pub(in crate::anonymize) fn finish(mut self) -> Result<Store> {
        let most = self.limit.most(self.cutter.bytes());
        if self.file.is_some() {
            self.flush()?;
        }
        let (now, next) = match self.file {
            Some(file) => (Half::File(file), Half::File(Spill::new(&self.limit.folder)?)),
            None => {
                let next = vec![0; self.words.len()];
                (Half::Memory(self.words), Half::Memory(next))
            }
        };
        Ok(Store { now, next, size: self.size, most })
    }
}
