//! Drawing worlds of all urns at random, and trying in each what the method would have preferred.

use super::trial::Work;
use super::{Asked, Cells, Sums, Trial, Trials, Urns};
use crate::attack::worlds::{Effort, Estimate, LEAST_ACCEPTED, around};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::ops::Range;

/// Worlds that are drawn one after the other.
const CHUNK: u64 = 50;

/// The most records that are drawn, over all worlds of all urns that are looked at.
pub(in crate::attack) const MOST_DRAWN: u64 = 300_000_000;

/// How many times as many worlds are drawn where few are possible.
const MOST_MORE: u64 = 20;

/// The most tries to draw an urn, on average over some worlds.
const MOST_TRIES: usize = 50;

/// The most sums of values in cells that are kept; beyond, only the bound for everybody is found.
const MOST_SUMS: usize = 20_000_000;

/// What the worlds that were drawn tell.
pub(super) struct Drawn {
    /// How many were possible.
    pub accepted: u64,
    /// No less than this share of all worlds is possible, but for the doubt allowed.
    least_possible: f64,
    sums: Option<Sums>,
    /// How far off a mean over possible worlds may be (see [`around`]).
    doubt: f64,
}

/// Draws worlds; nothing if hardly any is possible.
///
/// # Claim
/// Urns are drawn one by one, each until none of its own trials passes: all of them together are
/// then worlds as they are believed in before trials of several urns are looked at. With N such
/// worlds and a of them possible, the share P of possible ones is at least p where `N·KL(a/N‖p) =
/// ln(1/doubt)`, but for that doubt (Chernoff; for a = N the limit of Clopper and Pearson). How many
/// are drawn is fixed, or else a first lot says how many more are, and then these alone count. A
/// quarter of the doubt is for the limit of each lot, a quarter for all single beliefs in each.
pub(super) fn draw(urns: &Urns<'_>, trials: &Trials<'_>, cells: &Cells, effort: &Effort) -> Option<Drawn> {
    let touched: u64 = cells.urns.iter().map(|&urn| urns.size(urn)).sum();
    let values: usize = urns.columns.iter().map(|column| column.domain().len()).sum();
    let adds = cells.sizes.len() * values <= MOST_SUMS;
    let scene = Scene { urns, trials, cells, adds };
    let most = (effort.records / touched.max(1)).div_ceil(CHUNK).max(1);
    let chunks = effort.samples.div_ceil(CHUNK).min(most);
    let first = scene.chunk(0)?;
    if first.worlds == 0 && chunks > 1 {
        return None;
    }
    let doubt = effort.doubt / 4.0;
    let sums = Sums::merge(first, scene.chunks(1..chunks)?);
    let wanted = (chunks * chunks * CHUNK / (sums.worlds as u64).max(1)).min(MOST_MORE * chunks).min(most);
    // Where nearly all are possible, more tell little more.
    if wanted < 2 * chunks {
        return Some(Drawn::new(sums, chunks * CHUNK, cells.sizes.len() * values, doubt, adds));
    }
    let more = scene.chunks(chunks..chunks + wanted)?;
    Some(Drawn::new(more, wanted * CHUNK, cells.sizes.len() * values, doubt, adds))
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

    fn chunks(&self, numbers: Range<u64>) -> Option<Sums> {
        let chunks = numbers.into_par_iter().map(|number| self.chunk(number));
        chunks.try_reduce(|| self.empty(), |a, b| Some(a.merge(b)))
    }

    /// Some worlds; always the same ones. Nothing if an urn has hardly any.
    fn chunk(&self, number: u64) -> Option<Sums> {
        let mut generator = ChaCha8Rng::seed_from_u64(number);
        let mut world = self.urns.rows.clone();
        let mut work = Work::new(self.urns);
        let orders = |trials: &Vec<&Trial<'_>>| trials.iter().map(|trial| trial.order()).collect::<Vec<_>>();
        let mut own_orders: Vec<Vec<Vec<u32>>> = self.trials.own.iter().map(orders).collect();
        let mut shared_orders = orders(&self.trials.shared);
        let mut sums = self.empty();
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
            if self.adds { sums.add(self.urns, self.cells, &world) } else { sums.worlds += 1 }
        }
        Some(sums)
    }
}

impl Drawn {
    fn new(sums: Sums, drawn: u64, beliefs: usize, doubt: f64, adds: bool) -> Drawn {
        let accepted = sums.worlds as u64;
        let (least_possible, _) = around(accepted as f64 / drawn as f64, (1.0 / doubt).ln() / drawn as f64);
        let doubt = (2.0 * beliefs as f64 / doubt).ln() / accepted.max(1) as f64;
        Drawn { accepted, least_possible, sums: (adds && accepted >= LEAST_ACCEPTED).then_some(sums), doubt }
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
        let Some(sums) = &self.sums else { return bounded };
        let sum = sums.of(asked.values, asked.column, cell, asked.code);
        let (low, high) = around((sum as f64 / (sums.worlds * size) as f64).min(1.0), self.doubt);
        let high = high.min(bounded.high);
        Estimate { low: low.max(bounded.low).min(high), high }
    }
}
