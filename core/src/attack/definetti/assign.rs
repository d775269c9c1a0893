//! How likely each person of a group has each of its values, given how well they fit.
//!
//! A *matching* gives the group's values to its people so that every value is given out as often as
//! the group has it; its weight is the product of how well each person fits the value they get.
//! A belief is the share of weight in which a person has a value.
//!
//! # Claim
//! Multiplying a person's weights by a number multiplies every matching's weight by it and changes
//! no belief. So does it for a value's weights. Hence weights are scaled freely here.

/// Groups of up to so many people are decided by counting every matching.
const COUNTED: usize = 10;
/// Weights below this part of a person's largest count as this: a product of ten of them is still a
/// float, and nobody can tell the beliefs apart.
const LEAST: f64 = 1e-30;
/// Raking ends when every value is given out as often as it occurs, up to this.
const CLOSE: f64 = 1e-6;
/// Or after so many sweeps.
const SWEEPS: usize = 50;

/// People of a group who look alike with how many they are, and its values with how often they
/// occur.
#[derive(Clone, Copy)]
pub struct Cast<'a> {
    pub people: &'a [(u32, u32)],
    pub values: &'a [(u32, u32)],
}

/// Memory that is used again from group to group.
#[derive(Default)]
pub struct Scratch {
    /// How well each kind of person fits each value, person by person.
    pub weights: Vec<f64>,
    deal: Deal,
    forward: Vec<f64>,
    backward: Vec<f64>,
    /// For each person, one after the other, where the weights of their kind start.
    turns: Vec<Turn>,
    given: Vec<f64>,
}

#[derive(Clone, Copy)]
struct Turn {
    start: usize,
    /// Whether nobody before looks like this person.
    is_first: bool,
}

/// The ways to give out values one after the other, for all groups whose values occur equally
/// often. A *state* says how often each value has been given out, and so whose turn it is.
#[derive(Default)]
struct Deal {
    counts: Vec<u32>,
    states: usize,
    /// By the state that they lead to.
    moves: Vec<Move>,
}

/// Somebody gets a value.
struct Move {
    from: u32,
    to: u32,
    turn: u32,
    value: u32,
}

impl Deal {
    fn new(counts: Vec<u32>) -> Deal {
        let mut states = 1;
        let mut strides = Vec::new();
        for &count in &counts {
            strides.push(states);
            states *= count + 1;
        }
        let mut moves = Vec::new();
        for to in 1..states {
            let given = |at: usize| to / strides[at] % (counts[at] + 1);
            let turn = (0..counts.len()).map(given).sum::<u32>() - 1;
            let last = (0..counts.len()).filter(|&at| given(at) > 0);
            moves.extend(last.map(|at| Move { from: to - strides[at], to, turn, value: at as u32 }));
        }
        Deal { counts, states: states as usize, moves }
    }
}

impl Scratch {
    /// Beliefs by the weights, person by person; `scales` are those of the values, from which
    /// raking goes on.
    pub fn believe(&mut self, cast: Cast<'_>, scales: &mut [f64], beliefs: &mut [f64]) {
        self.weights.chunks_exact_mut(cast.values.len()).for_each(scale);
        if is_counted(cast.people) { self.count(cast, beliefs) } else { self.rake(cast, scales, beliefs) }
    }

    /// Counts all matchings: what leads to each state, and what leads on from it.
    fn count(&mut self, cast: Cast<'_>, beliefs: &mut [f64]) {
        self.prepare(cast);
        let Scratch { weights, deal, forward, backward, turns, .. } = self;
        forward[0] = 1.0;
        for step in &deal.moves {
            let weight = weights[turns[step.turn as usize].start + step.value as usize];
            forward[step.to as usize] += forward[step.from as usize] * weight;
        }
        backward[deal.states - 1] = 1.0;
        beliefs.fill(0.0);
        for step in deal.moves.iter().rev() {
            let turn = turns[step.turn as usize];
            let at = turn.start + step.value as usize;
            let rest = weights[at] * backward[step.to as usize];
            backward[step.from as usize] += rest;
            // People who look alike have equal beliefs: those of the first of them.
            if turn.is_first {
                beliefs[at] += forward[step.from as usize] * rest;
            }
        }
        let whole = forward[deal.states - 1];
        beliefs.iter_mut().for_each(|belief| *belief /= whole);
    }

    fn prepare(&mut self, cast: Cast<'_>) {
        let counts = cast.values.iter().map(|value| value.1);
        if !self.deal.counts.iter().copied().eq(counts.clone()) {
            self.deal = Deal::new(counts.collect());
        }
        self.turns.clear();
        for (kind, alike) in cast.people.iter().enumerate() {
            let start = kind * cast.values.len();
            self.turns.extend((0..alike.1).map(|at| Turn { start, is_first: at == 0 }));
        }
        for sums in [&mut self.forward, &mut self.backward] {
            sums.clear();
            sums.resize(self.deal.states, 0.0);
        }
    }

    /// Scales people and values in turn until every person has one value and every value is given
    /// out as often as it occurs: the expected numbers of the likeliest such table, near the share
    /// of matchings where there are many people.
    fn rake(&mut self, cast: Cast<'_>, scales: &mut [f64], beliefs: &mut [f64]) {
        let width = cast.values.len();
        let whole: f64 = scales.iter().sum();
        scales.iter_mut().for_each(|scale| *scale /= whole);
        for _ in 0..SWEEPS {
            self.given.clear();
            self.given.resize(width, 0.0);
            for (alike, weights) in cast.people.iter().zip(self.weights.chunks_exact(width)) {
                let sum: f64 = weights.iter().zip(&*scales).map(|(weight, scale)| weight * scale).sum();
                let people = f64::from(alike.1) / sum;
                let shares = weights.iter().zip(&*scales);
                self.given
                    .iter_mut()
                    .zip(shares)
                    .for_each(|(given, (weight, scale))| *given += weight * scale * people);
            }
            let mut off: f64 = 0.0;
            for ((scale, given), value) in scales.iter_mut().zip(&self.given).zip(cast.values) {
                off = off.max((given - f64::from(value.1)).abs());
                *scale *= f64::from(value.1) / given;
            }
            if off < CLOSE {
                break;
            }
        }
        for (own, weights) in beliefs.chunks_exact_mut(width).zip(self.weights.chunks_exact(width)) {
            let sum: f64 = weights.iter().zip(&*scales).map(|(weight, scale)| weight * scale).sum();
            let shares = weights.iter().zip(&*scales);
            own.iter_mut().zip(shares).for_each(|(own, (weight, scale))| *own = weight * scale / sum);
        }
    }
}

/// Whether a group with these people is decided by counting every matching.
fn is_counted(people: &[(u32, u32)]) -> bool {
    people.iter().map(|alike| alike.1 as usize).sum::<usize>() <= COUNTED
}

/// How many steps beliefs about a group take at most.
pub fn steps(cast: Cast<'_>) -> u64 {
    let cells = (cast.people.len() * cast.values.len()) as u64;
    if !is_counted(cast.people) {
        return cells * SWEEPS as u64;
    }
    let states: u64 = cast.values.iter().map(|value| u64::from(value.1) + 1).product();
    states * cast.values.len() as u64
}

/// Makes a person's largest weight 1.
fn scale(weights: &mut [f64]) {
    let largest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    weights.iter_mut().for_each(|weight| *weight = (*weight / largest).max(LEAST));
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Raking is told by its sums and by keeping how people fit one value against another.
    #[test]
    fn large_groups_are_raked() {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..200 {
            let people: Vec<(u32, u32)> = (0..random.random_range(6..20)).map(|kind| (kind, 2)).collect();
            let size = 2 * people.len() as u32;
            let other = random.random_range(1..size / 2);
            let values = [(0, other), (3, 1), (4, size - other - 1)];
            let weights: Vec<f64> = (0..3 * people.len()).map(|_| random.random_range(0.01..1.0)).collect();
            let mut scratch = Scratch { weights: weights.clone(), ..Scratch::default() };
            let mut beliefs = vec![0.0; weights.len()];
            scratch.believe(Cast { people: &people, values: &values }, &mut [1.0; 3], &mut beliefs);
            for own in beliefs.chunks_exact(3) {
                assert!((own.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
            for (at, value) in values.iter().enumerate() {
                let sum: f64 = beliefs.chunks_exact(3).map(|own| 2.0 * own[at]).sum();
                assert!((sum - f64::from(value.1)).abs() < 1e-5, "{sum} of {}", value.1);
            }
            for (own, fits) in beliefs.chunks_exact(3).zip(weights.chunks_exact(3)) {
                let odds = |of: &[f64], first: &[f64], at: usize| of[at] * first[0] / (of[0] * first[at]);
                for at in 1..3 {
                    let (found, wanted) = (odds(own, &beliefs, at), odds(fits, &weights, at));
                    assert!((found / wanted - 1.0).abs() < 1e-9);
                }
            }
        }
    }

    /// Nobody fits the values that are there: beliefs stay numbers.
    #[test]
    fn weights_that_are_nearly_nothing_do_no_harm() {
        for size in [10u32, 30] {
            let people: Vec<(u32, u32)> = (0..size).map(|kind| (kind, 1)).collect();
            let values: Vec<(u32, u32)> = (0..5).map(|value| (value, size / 5)).collect();
            let mut scratch = Scratch::default();
            for weight in [0.0, 1e-300] {
                let of = |at: usize| if at.is_multiple_of(5) { 1.0 } else { weight };
                scratch.weights = (0..size as usize * 5).map(of).collect();
                let mut beliefs = vec![0.0; size as usize * 5];
                scratch.believe(Cast { people: &people, values: &values }, &mut [1.0; 5], &mut beliefs);
                beliefs.iter().for_each(|belief| assert!((belief - 0.2).abs() < 1e-9, "{belief}"));
            }
        }
    }
}
