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
const SWEEPS: usize = 100;

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
    forward: Vec<f64>,
    backward: Vec<f64>,
    /// For each person, one after the other, their kind.
    kinds: Vec<usize>,
    strides: Vec<usize>,
    digits: Vec<u32>,
    given: Vec<f64>,
}

impl Scratch {
    /// Beliefs by the weights, person by person; `scales` are those of the values, from which
    /// raking goes on.
    pub fn believe(&mut self, cast: Cast<'_>, scales: &mut [f64], beliefs: &mut [f64]) {
        self.weights.chunks_exact_mut(cast.values.len()).for_each(scale);
        let size: u32 = cast.people.iter().map(|alike| alike.1).sum();
        if size as usize <= COUNTED { self.count(cast, beliefs) } else { self.rake(cast, scales, beliefs) }
    }

    /// Counts all matchings by how often each value has been given to the first so many people: a
    /// state is these numbers, and every state says by itself whose turn it is.
    fn count(&mut self, cast: Cast<'_>, beliefs: &mut [f64]) {
        let width = cast.values.len();
        let states = self.lay_out(cast);
        self.forward[0] = 1.0;
        let mut given = 0;
        for state in 1..states {
            // The next state in the order of their numbers: like a counter of several digits.
            let mut at = 0;
            while self.digits[at] == cast.values[at].1 {
                given -= std::mem::take(&mut self.digits[at]) as usize;
                at += 1;
            }
            self.digits[at] += 1;
            given += 1;
            let weights = &self.weights[self.kinds[given - 1] * width..][..width];
            let ways = (0..width).filter(|&value| self.digits[value] > 0);
            self.forward[state] = ways.map(|value| self.forward[state - self.strides[value]] * weights[value]).sum();
        }
        let whole = self.forward[states - 1];
        self.backward[states - 1] = 1.0;
        beliefs.fill(0.0);
        for state in (0..states - 1).rev() {
            let mut at = 0;
            while self.digits[at] == 0 {
                self.digits[at] = cast.values[at].1;
                given += self.digits[at] as usize;
                at += 1;
            }
            self.digits[at] -= 1;
            given -= 1;
            let kind = self.kinds[given];
            // People who look alike have equal beliefs: those of the first of them.
            let is_first = given == 0 || self.kinds[given - 1] != kind;
            let mut sum = 0.0;
            for value in (0..width).filter(|&value| self.digits[value] < cast.values[value].1) {
                let rest = self.weights[kind * width + value] * self.backward[state + self.strides[value]];
                sum += rest;
                if is_first {
                    beliefs[kind * width + value] += self.forward[state] * rest / whole;
                }
            }
            self.backward[state] = sum;
        }
    }

    /// How many states there are; numbers of states differ by a stride where one more of a value is
    /// given out.
    fn lay_out(&mut self, cast: Cast<'_>) -> usize {
        let mut states = 1;
        self.strides.clear();
        for value in cast.values {
            self.strides.push(states);
            states *= value.1 as usize + 1;
        }
        self.kinds.clear();
        for (kind, alike) in cast.people.iter().enumerate() {
            self.kinds.resize(self.kinds.len() + alike.1 as usize, kind);
        }
        self.digits.clear();
        self.digits.resize(cast.values.len(), 0);
        for sums in [&mut self.forward, &mut self.backward] {
            sums.clear();
            sums.resize(states, 0.0);
        }
        states
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

/// Makes a person's largest weight 1.
fn scale(weights: &mut [f64]) {
    let largest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    weights.iter_mut().for_each(|weight| *weight = (*weight / largest).max(LEAST));
}
