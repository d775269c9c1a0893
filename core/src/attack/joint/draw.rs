//! Drawing worlds of all urns at random, and trying in each what the method would have preferred.

use super::trial::Work;
use super::{Asked, Cells, Sums, Trial, Trials, Urns};
use crate::attack::worlds::{Effort, Estimate, LEAST_ACCEPTED, around, within};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::ops::Range;

/// Worlds that are drawn one after the other.
const CHUNK: u64 = 50;

/// How many times as many worlds are drawn in the next lot, and how many lots there are at most.
const MORE: u64 = 4;
const MOST_LOTS: i32 = 7;

/// Where none of one in so many of the first lot is possible, no more are drawn.
const FIRST: u64 = 40;

/// The most tries to draw an urn, on average over some worlds.
const MOST_TRIES: usize = 50;

/// The most sums of values in cells that are kept; beyond, only the bound for everybody is found.
const MOST_SUMS: usize = 4_000_000;

/// What the worlds that were drawn tell.
pub(super) struct Drawn {
    /// How many were possible.
    pub accepted: u64,
    /// No less than this share of all worlds is possible, but for the doubt allowed.
    least_possible: f64,
    sums: Sums,
    /// The squares of what was added up.
    squares: Vec<Vec<u64>>,
    /// Whether anything was added up.
    adds: bool,
    /// The chance that a single belief is not where it is said to be.
    doubt: f64,
}

/// Worlds that are drawn in several lots.
///
/// # Claim
/// Urns are drawn one by one, each until none of its own trials passes: all of them together are
/// then worlds as they are believed in before trials of several urns are looked at. With N such
/// worlds and a of them possible, the share P of possible ones is at least p where `N·KL(a/N‖p) =
/// ln(1/doubt)`, but for that doubt (Chernoff; for a = N the limit of Clopper and Pearson). How many
/// are drawn in each lot is fixed. After lot r the doubt allowed is one in 2^r of all, so that it
/// does not matter after which one it ends; half of it is for the limit, half for all single
/// beliefs.
pub(super) struct Drawing<'a> {
    scene: Scene<'a>,
    effort: Effort,
    /// How many chunks may be drawn, and were.
    most: u64,
    chunks: u64,
    lots: i32,
    beliefs: usize,
}

impl<'a> Drawing<'a> {
    pub fn new(urns: &'a Urns<'a>, trials: &'a Trials<'a>, cells: &'a Cells, effort: &Effort) -> Drawing<'a> {
        let touched: u64 = cells.urns.iter().map(|&urn| urns.size(urn)).sum();
        let values: usize = urns.columns.iter().map(|column| column.domain().len()).sum();
        let beliefs = cells.sizes.len() * values;
        let scene = Scene { urns, trials, cells, adds: beliefs <= MOST_SUMS };
        let cost = 15 * touched + trials.all().map(Trial::steps).sum::<u64>();
        let most = effort.steps / cost.max(1) / CHUNK;
        Drawing { scene, effort: *effort, most, chunks: 0, lots: 0, beliefs }
    }

    /// The first lot; nothing if hardly any world is possible, or no more than a few can be drawn.
    pub fn first(&mut self) -> Option<Drawn> {
        let chunks = self.effort.samples.div_ceil(CHUNK).min(self.most);
        if chunks == 0 {
            return None;
        }
        let few = chunks.div_ceil(FIRST);
        let first = self.scene.chunks(0..few)?;
        if first.sums.worlds == 0 && chunks > few {
            return None;
        }
        let all = self.scene.chunks(few..chunks)?.merge(first);
        let mut drawn = Drawn {
            accepted: 0,
            least_possible: 0.0,
            sums: self.scene.empty(),
            squares: self.scene.no_squares(),
            adds: self.scene.adds,
            doubt: 0.0,
        };
        self.conclude(&mut drawn, all, chunks);
        Some(drawn)
    }

    /// A further lot, if there is one.
    pub fn more(&mut self, drawn: &mut Drawn) -> bool {
        let chunks = (self.chunks * (MORE - 1)).min(self.most.saturating_sub(self.chunks));
        // Less than as many again tells hardly more, and costs doubt.
        if self.lots == MOST_LOTS || chunks < self.chunks || drawn.accepted == 0 {
            return false;
        }
        let Some(all) = self.scene.chunks(self.chunks..self.chunks + chunks) else { return false };
        self.conclude(drawn, all, chunks);
        true
    }

    fn conclude(&mut self, drawn: &mut Drawn, all: Chunk, chunks: u64) {
        self.lots += 1;
        self.chunks += chunks;
        let doubt = self.effort.doubt * 0.5f64.powi(self.lots) / 2.0;
        drawn.add(all);
        let worlds = (self.chunks * CHUNK) as f64;
        drawn.least_possible = around(drawn.accepted as f64 / worlds, (1.0 / doubt).ln() / worlds).0;
        drawn.doubt = doubt / self.beliefs as f64;
    }
}

struct Scene<'a> {
    urns: &'a Urns<'a>,
    trials: &'a Trials<'a>,
    cells: &'a Cells,
    adds: bool,
}

impl Scene<'_> {
    fn empty(&self) -> Sums {
        if self.adds { Sums::new(self.urns, self.cells) } else { Sums { worlds: 0, counts: Vec::new() } }
    }

    fn no_squares(&self) -> Vec<Vec<u64>> {
        self.empty().counts.iter().map(|counts| vec![0; counts.len()]).collect()
    }

    fn no_chunk(&self) -> Chunk {
        Chunk { sums: self.empty(), squares: self.no_squares() }
    }

    fn chunks(&self, numbers: Range<u64>) -> Option<Chunk> {
        let chunks = numbers.into_par_iter().map(|number| self.chunk(number));
        chunks.try_reduce(|| self.no_chunk(), |a, b| Some(a.merge(b)))
    }

    /// Some worlds; always the same ones. Nothing if an urn has hardly any.
    fn chunk(&self, number: u64) -> Option<Chunk> {
        let mut generator = ChaCha8Rng::seed_from_u64(number);
        let mut world = self.urns.rows.clone();
        let mut work = Work::new(self.urns);
        let orders = |trials: &Vec<&Trial<'_>>| trials.iter().map(|trial| trial.order()).collect::<Vec<_>>();
        let mut own_orders: Vec<Vec<Vec<u32>>> = self.trials.own.iter().map(orders).collect();
        let mut shared_orders = orders(&self.trials.shared);
        let mut chunk = self.no_chunk();
        let mut of_one = Tallied::new(&chunk.squares);
        let mut tries = MOST_TRIES * CHUNK as usize * self.cells.urns.len();
        for _ in 0..CHUNK {
            for &urn in &self.cells.urns {
                let (own, orders) = (&self.trials.own[urn], &mut own_orders[urn]);
                loop {
                    world[self.urns.places(urn)].shuffle(&mut generator);
                    let mut tried = own.iter().zip(&mut *orders);
                    if !tried.any(|(trial, order)| trial.passes(&world, order, &mut work)) {
                        break;
                    }
                    tries = tries.checked_sub(1)?;
                }
            }
            let mut shared = self.trials.shared.iter().zip(&mut shared_orders);
            if shared.any(|(trial, order)| trial.passes(&world, order, &mut work)) {
                continue;
            }
            chunk.sums.worlds += 1;
            if self.adds {
                of_one.add_to(&mut chunk, self.urns, self.cells, &world);
            }
        }
        Some(chunk)
    }
}

/// What some worlds add up to.
struct Chunk {
    sums: Sums,
    squares: Vec<Vec<u64>>,
}

impl Chunk {
    fn merge(mut self, other: Chunk) -> Chunk {
        self.sums = self.sums.merge(other.sums);
        merge(&mut self.squares, &other.squares);
        self
    }
}

fn merge(own: &mut [Vec<u64>], others: &[Vec<u64>]) {
    for (own, other) in own.iter_mut().zip(others) {
        own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
    }
}

/// How many records of each cell have which value in one world; all zero between worlds.
struct Tallied {
    counts: Vec<Vec<u32>>,
    present: Vec<usize>,
}

impl Tallied {
    fn new(like: &[Vec<u64>]) -> Tallied {
        Tallied { counts: like.iter().map(|counts| vec![0; counts.len()]).collect(), present: Vec::new() }
    }

    fn add_to(&mut self, chunk: &mut Chunk, urns: &Urns<'_>, cells: &Cells, world: &[u32]) {
        let columns = urns.columns.iter().zip(&mut self.counts);
        for ((column, counts), (sums, squares)) in columns.zip(chunk.sums.counts.iter_mut().zip(&mut chunk.squares)) {
            let (codes, values) = (column.codes(), column.domain().len());
            for &urn in &cells.urns {
                for place in urns.places(urn) {
                    let code = codes[world[place] as usize] as usize;
                    let at = cells.of_place[place] as usize * values + code;
                    self.present.extend((counts[at] == 0).then_some(at));
                    counts[at] += 1;
                }
            }
            for at in self.present.drain(..) {
                let count = std::mem::take(&mut counts[at]);
                sums[at] += u128::from(count);
                squares[at] += u64::from(count) * u64::from(count);
            }
        }
    }
}

impl Drawn {
    fn add(&mut self, chunk: Chunk) {
        let sums = std::mem::replace(&mut self.sums, Sums { worlds: 0, counts: Vec::new() });
        self.sums = sums.merge(chunk.sums);
        merge(&mut self.squares, &chunk.squares);
        self.accepted = self.sums.worlds as u64;
    }

    /// See the claim in `joint/mod.rs`.
    pub fn bounded(&self, before: Estimate) -> Estimate {
        let possible = self.least_possible;
        let low = (before.low - (1.0 - possible)) / possible;
        let high = (before.high / possible).min(1.0);
        // NaN where nothing is known to be possible.
        Estimate { low: low.max(0.0).min(high), high }
    }

    /// The belief that one of the records of a cell has a value.
    pub fn belief(&self, cell: u32, size: u128, asked: Asked) -> Estimate {
        let bounded = self.bounded(asked.before);
        if !self.adds || self.accepted < LEAST_ACCEPTED {
            return bounded;
        }
        let sum = self.sums.of(asked.values, asked.column, cell, asked.code) as f64;
        let square = self.squares[asked.column][cell as usize * asked.values + asked.code as usize] as f64;
        let (size, worlds) = (size as f64, self.accepted as f64);
        let (mean, square) = ((sum / worlds / size).min(1.0), square / worlds / size / size);
        let (low, high) = within(mean, square, self.accepted, self.doubt);
        let high = high.min(bounded.high);
        Estimate { low: low.max(bounded.low).min(high), high }
    }
}
