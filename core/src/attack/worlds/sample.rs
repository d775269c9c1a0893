//! Drawing worlds by lot, and replaying the method on each: those that pass where the method would
//! have gone another way are rejected.

use super::{Case, Effort, Estimate, Scene};
use crate::anonymize::Checker;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// With fewer possible worlds than this nothing is said.
pub(in crate::attack) const LEAST_ACCEPTED: u64 = 100;

/// How many times as many worlds are drawn where few are possible. When that ends depends on how
/// many were possible, not on what they are: possible ones stay independent draws.
const MOST_MORE: u64 = 20;

/// What the worlds that were drawn tell.
pub(super) struct Sampled {
    /// How many were possible.
    pub accepted: u64,
    /// By class and cell, what the belief is.
    pub intervals: Vec<Vec<Estimate>>,
}

/// Draws worlds.
///
/// # Claim
/// A world in which a test passes is kept with the chance that the method goes on, by lot: the
/// worlds kept are independent draws from what the attacker believes. The share of a cell's records
/// that have a value is, in each, a number from zero to some most, with the belief as its mean. By
/// the Chernoff–Hoeffding bound the mean m of A such numbers (as parts of their most) deviates from
/// its expectation q to either side with a chance of at most `exp(−A·KL(m‖q))`; so q is, but for
/// the doubt allowed, where `A·KL(m‖q) ≤ ln(2/doubt)`.
pub(super) fn sample(scene: &Scene<'_>, case: &Case, effort: &Effort) -> Sampled {
    let mut generator = generator(case);
    let mut world = World::new(case);
    let replayed = Replayed::new(case);
    let mut checker = scene.checker();
    let mut records: Vec<(u32, u32)> = case.atoms.iter().map(|atom| (atom.row, 0)).collect();
    let mut accepted = 0;
    let mut sums = vec![0u64; world.counts.len()];
    let most = (effort.records / u64::from(case.rows()).max(1)).max(2 * LEAST_ACCEPTED);
    let samples = effort.samples.min(most);
    for drawn in 0..(MOST_MORE * samples).min(most) {
        // Where hardly any is possible, more would not be enough either.
        if accepted >= samples || drawn == samples && accepted * MOST_MORE < LEAST_ACCEPTED {
            break;
        }
        world.draw(case, &mut generator);
        if replayed.is_possible(case, &world, &mut records, &mut checker, &mut generator) {
            accepted += 1;
            sums.iter_mut().zip(&world.counts).for_each(|(sum, &count)| *sum += u64::from(count));
        }
    }
    scene.give_back(checker);
    Sampled { accepted, intervals: intervals(case, &sums, accepted, effort.doubt) }
}

/// The same for groups with the same signature.
fn generator(case: &Case) -> ChaCha8Rng {
    let mut hasher = Sha256::new();
    hasher.update(b"possible worlds");
    case.signature.iter().for_each(|word| hasher.update(word.to_le_bytes()));
    ChaCha8Rng::from_seed(hasher.finalize().into())
}

/// Who has what.
struct World {
    /// The atoms of each urn, one for each record.
    urns: Vec<Vec<u32>>,
    atoms: usize,
    /// By cell and atom.
    counts: Vec<u32>,
}

impl World {
    fn new(case: &Case) -> World {
        let held = |urn: usize| {
            let atoms = (0u32..).zip(&case.atoms);
            atoms.flat_map(move |(at, atom)| std::iter::repeat_n(at, atom.counts[urn] as usize)).collect()
        };
        let urns = (0..case.urns.len()).map(held).collect();
        let cells = case.sizes.len() * case.urns.len();
        World { urns, atoms: case.atoms.len(), counts: vec![0; cells * case.atoms.len()] }
    }

    fn draw(&mut self, case: &Case, generator: &mut ChaCha8Rng) {
        self.counts.fill(0);
        for (urn, held) in self.urns.iter_mut().enumerate() {
            held.shuffle(generator);
            let mut left = held.as_slice();
            for (block, sizes) in case.sizes.iter().enumerate() {
                let (drawn, rest) = left.split_at(sizes[urn] as usize);
                let counts = &mut self.counts[case.cell(block, urn) * self.atoms..][..self.atoms];
                drawn.iter().for_each(|&atom| counts[atom as usize] += 1);
                left = rest;
            }
        }
    }

    fn add_block(&self, case: &Case, block: usize, records: &mut [(u32, u32)]) {
        for urn in 0..case.urns.len() {
            let counts = &self.counts[case.cell(block, urn) * self.atoms..][..self.atoms];
            records.iter_mut().zip(counts).for_each(|(record, count)| record.1 += count);
        }
    }
}

/// The tests, with what each part adds to the one before it.
struct Replayed {
    tests: Vec<Vec<Part>>,
    passed: f64,
}

struct Part {
    /// Whether it takes in the part before.
    grows: bool,
    /// Its further blocks.
    blocks: Vec<u32>,
    /// Whether the next one takes it in.
    leads_on: bool,
}

impl Replayed {
    fn new(case: &Case) -> Replayed {
        let within = |blocks: &[u32]| {
            let mut within = vec![false; case.sizes.len()];
            blocks.iter().for_each(|&block| within[block as usize] = true);
            within
        };
        let mut before: &[u32] = &[];
        let mut tests: Vec<Vec<Part>> = Vec::with_capacity(case.tests.len());
        for parts in &case.tests {
            tests.push(Vec::with_capacity(parts.len()));
            for part in parts {
                let (own, known) = (within(part), within(before));
                // To count anew is no more work where most is new.
                let grows = 2 * before.len() >= part.len() && before.iter().all(|&block| own[block as usize]);
                if let Some(last) = tests.iter_mut().flatten().last() {
                    last.leads_on = grows;
                }
                let further = part.iter().filter(|&&block| !grows || !known[block as usize]);
                let part_of = Part { grows, blocks: further.copied().collect(), leads_on: false };
                tests.last_mut().expect("it was just begun").push(part_of);
                before = part;
            }
        }
        if tests.iter().flatten().all(|part| !part.grows) {
            // The more even parts are, the more often both are safe: then nothing else matters.
            tests.reverse();
        }
        Replayed { tests, passed: case.passed.to_f64() }
    }

    /// Replays the method on a world. A part of a test that has failed is looked at only if the
    /// next one grows out of it.
    fn is_possible(
        &self,
        case: &Case,
        world: &World,
        records: &mut [(u32, u32)],
        checker: &mut Checker<'_>,
        generator: &mut ChaCha8Rng,
    ) -> bool {
        for parts in &self.tests {
            let mut passes = true;
            for part in parts {
                if !passes && !part.leads_on {
                    continue;
                }
                if !part.grows {
                    records.iter_mut().for_each(|record| record.1 = 0);
                }
                part.blocks.iter().for_each(|&block| world.add_block(case, block as usize, records));
                passes = passes && checker.holds_counted(records);
            }
            if passes && (self.passed == 0.0 || generator.random::<f64>() >= self.passed) {
                return false;
            }
        }
        true
    }
}

fn intervals(case: &Case, sums: &[u64], accepted: u64, doubt: f64) -> Vec<Vec<Estimate>> {
    let mut first = 0;
    let of_class = case.by_class().map(|atoms| {
        let own = first..first + atoms.len();
        first = own.end;
        let cells = (0..case.sizes.len()).flat_map(|block| (0..case.urns.len()).map(move |urn| (block, urn)));
        let estimate = |(block, urn): (usize, usize)| {
            let size = f64::from(case.sizes[block][urn]) * atoms.len() as f64;
            let most = f64::from(case.sizes[block][urn].min(atoms[0].counts[urn] * atoms.len() as u32)) / size;
            if most.is_nan() || most == 0.0 {
                return Estimate { low: 0.0, high: 0.0 };
            }
            if accepted < LEAST_ACCEPTED {
                return Estimate { low: 0.0, high: most };
            }
            let sum: u64 = sums[case.cell(block, urn) * case.atoms.len()..][own.clone()].iter().sum();
            let mean = (sum as f64 / accepted as f64 / size / most).min(1.0);
            let (low, high) = around(mean, (2.0 / doubt).ln() / accepted as f64);
            Estimate { low: low * most, high: high * most }
        };
        if atoms[0].wanted { cells.map(estimate).collect() } else { Vec::new() }
    });
    of_class.collect()
}

/// The expectations whose divergence from a mean is at most so much.
pub(in crate::attack) fn around(mean: f64, most: f64) -> (f64, f64) {
    let term = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (p / q).ln() };
    let diverges = |q: f64| term(mean, q) + term(1.0 - mean, 1.0 - q) > most;
    let bound = |outside: f64| {
        let (mut inside, mut outside) = (mean, outside);
        for _ in 0..60 {
            let middle = (inside + outside) / 2.0;
            if diverges(middle) { outside = middle } else { inside = middle }
        }
        outside
    };
    (bound(0.0), bound(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_their_mean_and_end_where_the_bound_says() {
        let most = (2.0f64 / 0.001).ln() / 1000.0;
        for mean in [0.0, 0.01, 0.3, 0.99, 1.0] {
            let (low, high) = around(mean, most);
            assert!(low <= mean && mean <= high && low >= 0.0 && high <= 1.0, "{mean}: {low} to {high}");
        }
        // No success in A: (1 − q)^A = doubt/2.
        let (low, high) = around(0.0, most);
        assert!(low == 0.0 && ((1.0 - high).powi(1000) - 0.0005).abs() < 1e-9);
    }
}
