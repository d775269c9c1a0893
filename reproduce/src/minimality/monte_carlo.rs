//! The paper's own estimate: give the records of a group its values by lot, keep the worlds in
//! which greedy grouping would have formed the same group, and see who has what in these.

use super::formed::{Asked, Formed};
use crate::Setting;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use sfumato::Result;
use sfumato::anonymize::{Checker, Replay, Safety};

/// How much is drawn for a group.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// How many possible worlds are wanted.
    pub accepted: u64,
    /// The most records that are given a value for that; a group that needs more is left undecided.
    pub records: u64,
    /// Decides what is drawn.
    pub seed: u64,
}

impl Drawing {
    /// So many possible worlds for each group.
    pub fn of(setting: &Setting<'_>, accepted: u64) -> Drawing {
        Drawing { accepted, records: setting.pick(1_000_000, 200_000_000), seed: 1 }
    }
}

/// A table of which worlds are drawn.
pub struct Worlds<'a> {
    codes: &'a [u32],
    /// For each value a row that has it.
    row_of: Vec<u32>,
    safety: Safety<'a>,
}

/// What possible worlds have in common.
pub struct Drawn {
    /// How many there were.
    accepted: u64,
    /// How many records each bucket has.
    sizes: Vec<usize>,
    /// For each bucket how often its records had each value.
    counts: Vec<Vec<u64>>,
}

impl Drawn {
    /// For each bucket the share of a value.
    pub fn shares_of(&self, code: u32) -> Vec<f64> {
        (0..self.sizes.len()).map(|bucket| self.share(bucket, code as usize)).collect()
    }

    fn share(&self, bucket: usize, code: usize) -> f64 {
        self.counts[bucket][code] as f64 / (self.accepted as f64 * self.sizes[bucket] as f64)
    }
}

impl<'a> Worlds<'a> {
    /// Of the table that something is asked of.
    pub fn new(asked: &'a Asked) -> Result<Worlds<'a>> {
        let column = asked.sensitive()?;
        let mut row_of = vec![0; column.domain().len()];
        (0..).zip(column.codes()).for_each(|(row, &code)| row_of[code as usize] = row);
        Ok(Worlds { codes: column.codes(), row_of, safety: Safety::new(&asked.table, asked.bound())? })
    }

    /// What is seen in the possible worlds of each group; nothing for those that would take too
    /// long.
    pub fn draw_all<T: Send>(
        &self,
        formed: &Formed,
        drawing: Drawing,
        see: impl Fn(Drawn) -> T + Sync,
    ) -> Vec<Option<T>> {
        let draw = |checker: &mut Checker<'_>, (group, replay): (usize, &Option<Replay>)| {
            let mut random = ChaCha8Rng::seed_from_u64(drawing.seed);
            random.set_stream(group as u64);
            self.draw(replay.as_ref()?, drawing, checker, &mut random).map(&see)
        };
        formed.replays.par_iter().enumerate().map_init(|| self.safety.checker(), draw).collect()
    }

    fn draw(
        &self,
        replay: &Replay,
        drawing: Drawing,
        checker: &mut Checker<'_>,
        random: &mut ChaCha8Rng,
    ) -> Option<Drawn> {
        let sizes: Vec<usize> = replay.blocks.iter().map(Vec::len).collect();
        let mut values: Vec<u32> = replay.blocks.iter().flatten().map(|&row| self.codes[row as usize]).collect();
        let mut drawn = Drawn { accepted: 0, counts: vec![vec![0; self.row_of.len()]; sizes.len()], sizes };
        if let [_] = drawn.sizes[..] {
            // Every world is possible: one is as good as all.
            drawn.accept(&values);
            return Some(drawn);
        }
        let mut so_far: Vec<(u32, u32)> = self.row_of.iter().map(|&row| (row, 0)).collect();
        let mut records = 0;
        let passed = replay.passed.to_f64();
        while drawn.accepted < drawing.accepted {
            so_far.iter_mut().for_each(|entry| entry.1 = 0);
            let is_possible = drawn.sizes[..drawn.sizes.len() - 1].iter().try_fold(0, |start, size| {
                let end = start + size;
                deal(&mut values, start..end, &mut so_far, random);
                records += *size as u64;
                let goes_on = !checker.holds_counted(&so_far) || (passed > 0.0 && random.random::<f64>() < passed);
                goes_on.then_some(end)
            });
            if is_possible.is_some() {
                drawn.accept(&values);
            }
            if records > drawing.records {
                return None;
            }
        }
        Some(drawn)
    }
}

impl Drawn {
    /// One more possible world: the last bucket has what is left.
    fn accept(&mut self, values: &[u32]) {
        self.accepted += 1;
        let mut left = values;
        for (size, counts) in self.sizes.iter().zip(&mut self.counts) {
            let (own, rest) = left.split_at(*size);
            own.iter().for_each(|&value| counts[value as usize] += 1);
            left = rest;
        }
    }
}

/// Gives the records of a stretch values by lot, from those that nobody before them has.
fn deal(values: &mut [u32], stretch: std::ops::Range<usize>, so_far: &mut [(u32, u32)], random: &mut ChaCha8Rng) {
    for at in stretch {
        let from = random.random_range(at..values.len());
        values.swap(at, from);
        so_far[values[at] as usize].1 += 1;
    }
}
