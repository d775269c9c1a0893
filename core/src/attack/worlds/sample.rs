//! Drawing worlds by lot, and replaying the method on each: those that pass where the method would
//! have gone another way are rejected.

use super::{Case, Estimate, Scene};
use crate::anonymize::Checker;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// With fewer possible worlds than this nothing is said.
pub(in crate::attack) const LEAST_ACCEPTED: u64 = 100;

/// After so many worlds of which none was possible no more are drawn.
const MOST_IN_VAIN: u64 = 20_000;

/// What the worlds that were drawn tell.
pub(super) struct Sampled {
    /// How many were possible.
    pub accepted: u64,
    /// By class and cell, what the belief is.
    pub intervals: Vec<Vec<Estimate>>,
}

impl Sampled {
    /// Where none was drawn.
    pub fn none(case: &Case) -> Sampled {
        Sampled { accepted: 0, intervals: intervals(case, &Sums::new(case), 0, 1.0) }
    }
}

/// Worlds of a group that are drawn, in several lots.
///
/// # Claim
/// A world in which a test passes is kept with the chance that the method goes on, by lot: the
/// worlds kept are independent draws from what the attacker believes. The share of a cell's records
/// that have a value is, in each, a number from zero to some most, with the belief as its mean. By
/// the Chernoff–Hoeffding bound the mean m of A such numbers (as parts of their most) deviates from
/// its expectation q to either side with a chance of at most `exp(−A·KL(m‖q))`; so q is, but for
/// the doubt allowed, where `A·KL(m‖q) ≤ ln(2/doubt)`. Where the numbers hardly vary, the empirical
/// Bernstein bound of Maurer and Pontil (2009) is narrower. Half of the doubt is for each. After
/// lot r the doubt allowed is one in 2^r of all, so that it does not matter after which one it
/// ends: how large the next lot is depends on other groups alone.
pub(super) struct Drawing<'a> {
    scene: &'a Scene<'a>,
    case: &'a Case,
    generator: ChaCha8Rng,
    world: World,
    replayed: Replayed,
    drawn: u64,
    accepted: u64,
    lots: i32,
    sums: Sums,
}

impl<'a> Drawing<'a> {
    pub fn new(scene: &'a Scene<'a>, case: &'a Case) -> Drawing<'a> {
        let (world, replayed) = (World::new(case), Replayed::new(case));
        let generator = generator(case);
        Drawing { scene, case, generator, world, replayed, drawn: 0, accepted: 0, lots: 0, sums: Sums::new(case) }
    }

    /// Draws so many worlds more.
    pub fn draw(&mut self, worlds: u64, doubt: f64) -> Sampled {
        let case = self.case;
        let mut checker = self.scene.checker();
        let mut records: Vec<(u32, u32)> = case.atoms.iter().map(|atom| (atom.row, 0)).collect();
        for _ in 0..worlds {
            self.world.draw(case, &mut self.generator);
            if self.replayed.is_possible(case, &self.world, &mut records, &mut checker, &mut self.generator) {
                self.accepted += 1;
                self.sums.add(case, &self.world);
            }
        }
        self.drawn += worlds;
        self.lots += 1;
        self.scene.give_back(checker);
        let doubt = doubt * 0.5f64.powi(self.lots);
        Sampled { accepted: self.accepted, intervals: intervals(case, &self.sums, self.accepted, doubt) }
    }

    /// The group that they are of.
    pub fn case(&self) -> &'a Case {
        self.case
    }

    /// Whether more worlds may tell more.
    pub fn is_worth_while(&self) -> bool {
        self.accepted > 0 || self.drawn < MOST_IN_VAIN
    }
}

/// About how many steps it takes to draw a world and to try the method on it.
pub(super) fn steps_to_draw(case: &Case) -> u64 {
    // A test ends with the first part that is not safe.
    6 * u64::from(case.rows()) + case.tests.len() as u64 * (60 + 10 * case.atoms.len() as u64)
}

/// Sums over possible worlds.
struct Sums {
    /// By class and cell: how many records have atoms of the class, and the squares of that.
    counts: Vec<u64>,
    squares: Vec<u64>,
}

impl Sums {
    fn new(case: &Case) -> Sums {
        let cells = case.sizes.len() * case.urns.len();
        Sums { counts: vec![0; case.classes * cells], squares: vec![0; case.classes * cells] }
    }

    fn add(&mut self, case: &Case, world: &World) {
        let cells = case.sizes.len() * case.urns.len();
        for cell in 0..cells {
            let counts = &world.counts[cell * world.atoms..][..world.atoms];
            let mut first = 0;
            for (class, atoms) in case.by_class().enumerate() {
                let own: u32 = counts[first..first + atoms.len()].iter().sum();
                first += atoms.len();
                self.counts[class * cells + cell] += u64::from(own);
                self.squares[class * cells + cell] += u64::from(own) * u64::from(own);
            }
        }
    }
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

    /// Draws the records of all blocks but the largest, which has what is left.
    fn draw(&mut self, case: &Case, generator: &mut ChaCha8Rng) {
        self.counts.fill(0);
        for (urn, held) in self.urns.iter_mut().enumerate() {
            let sizes = || case.sizes.iter().map(|sizes| sizes[urn] as usize);
            let largest = (0..case.sizes.len()).max_by_key(|&block| case.sizes[block][urn]).unwrap_or(0);
            let amount = sizes().sum::<usize>() - case.sizes[largest][urn] as usize;
            let (mut left, rest) = held.partial_shuffle(generator, amount);
            for (block, size) in sizes().enumerate() {
                let drawn: &[u32] = if block == largest {
                    rest
                } else {
                    let (drawn, others) = std::mem::take(&mut left).split_at_mut(size);
                    left = others;
                    drawn
                };
                let counts = &mut self.counts[case.cell(block, urn) * self.atoms..][..self.atoms];
                drawn.iter().for_each(|&atom| counts[atom as usize] += 1);
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

fn intervals(case: &Case, sums: &Sums, accepted: u64, doubt: f64) -> Vec<Vec<Estimate>> {
    let cells = case.sizes.len() * case.urns.len();
    let of_class = case.by_class().enumerate().map(|(class, atoms)| {
        if !atoms[0].wanted {
            return Vec::new();
        }
        let estimate = |cell: usize| {
            let (block, urn) = (cell / case.urns.len(), cell % case.urns.len());
            let size = f64::from(case.sizes[block][urn]) * atoms.len() as f64;
            let most = f64::from(case.sizes[block][urn].min(atoms[0].counts[urn] * atoms.len() as u32)) / size;
            if most.is_nan() || most == 0.0 {
                return Estimate { low: 0.0, high: 0.0 };
            }
            if accepted < LEAST_ACCEPTED {
                return Estimate { low: 0.0, high: most };
            }
            let part = |sum: u64, by: f64| sum as f64 / accepted as f64 / by;
            let mean = part(sums.counts[class * cells + cell], size * most).min(1.0);
            let square = part(sums.squares[class * cells + cell], size * most * size * most);
            let (low, high) = within(mean, square, accepted, doubt);
            Estimate { low: low * most, high: high * most }
        };
        let mut estimates: Vec<Estimate> = (0..cells).map(estimate).collect();
        (0..case.urns.len()).for_each(|urn| narrow(case, urn, atoms[0].counts[urn], &mut estimates));
        estimates
    });
    of_class.collect()
}

/// Where the expectation of numbers up to 1 is, but for a doubt; of their mean and of the mean of
/// their squares.
pub(in crate::attack) fn within(mean: f64, square: f64, numbers: u64, doubt: f64) -> (f64, f64) {
    let (all, doubt) = (numbers as f64, doubt / 2.0);
    let (low, high) = around(mean, (2.0 / doubt).ln() / all);
    let variance = (square - mean * mean).max(0.0) * all / (all - 1.0);
    let log = (4.0 / doubt).ln();
    // What squares of floats lose is below the last summand.
    let off = (2.0 * variance * log / all).sqrt() + 7.0 * log / (3.0 * (all - 1.0));
    (low.max(mean - off), high.min(mean + off))
}

/// # Claim
/// In every world the cells of an urn have all its records with an atom: the beliefs about each
/// cell, times its records, add up to their number. So what is known of the others tells of one.
fn narrow(case: &Case, urn: usize, count: u32, estimates: &mut [Estimate]) {
    let cell = |block: usize| case.cell(block, urn);
    let size = |block: usize| f64::from(case.sizes[block][urn]);
    let sum = |of: fn(&Estimate) -> f64, estimates: &[Estimate]| -> f64 {
        (0..case.sizes.len()).map(|block| size(block) * of(&estimates[cell(block)])).sum()
    };
    let (low, high) = (sum(|one| one.low, estimates), sum(|one| one.high, estimates));
    for block in (0..case.sizes.len()).filter(|&block| size(block) > 0.0) {
        let one = &mut estimates[cell(block)];
        let least = (f64::from(count) - (high - size(block) * one.high)) / size(block) - 1e-12;
        let most = (f64::from(count) - (low - size(block) * one.low)) / size(block) + 1e-12;
        *one = Estimate { low: one.low.max(least), high: one.high.min(most).max(one.low.max(least)) };
    }
}

/// The expectations whose divergence from a mean is at most so much: at least 2·(mean − q)², so that
/// none is further off than the root of half of it.
pub(in crate::attack) fn around(mean: f64, most: f64) -> (f64, f64) {
    const HALVINGS: usize = 24;
    let term = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (p / q).ln() };
    let diverges = |q: f64| term(mean, q) + term(1.0 - mean, 1.0 - q) > most;
    let off = (most / 2.0).sqrt();
    let bound = |outside: f64| {
        let (mut inside, mut outside) = (mean, outside);
        for _ in 0..HALVINGS {
            let middle = (inside + outside) / 2.0;
            if diverges(middle) { outside = middle } else { inside = middle }
        }
        outside
    };
    (bound((mean - off).max(0.0)), bound((mean + off).min(1.0)))
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
        // No success in A: (1 − q)^A = doubt/2, and never more: what halving leaves is outside.
        let (low, high) = around(0.0, most);
        let chance = (1.0 - high).powi(1000);
        assert!(low == 0.0 && chance <= 0.0005 && chance > 0.0005 * 0.999, "{chance}");
    }
}
