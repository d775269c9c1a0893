//! People in groups as the attacker sees them, in an order that only their values decide.

use super::assign::{self, Cast, Scratch};
use crate::candidate::{Groups, dense_ids};
use crate::data::Column;
use crate::watch::Watch;
use rayon::prelude::*;
use std::cmp::Reverse;

/// Numbers and dates with more values are put into so many stretches of about equally many people.
const STRETCHES: usize = 16;
/// Of texts, the most frequent values are told apart, one fewer than this; others are one value.
const TEXTS: usize = 256;
/// Both are fewer where there are very many sensitive values, so that a table of one by the other
/// has no more cells.
const CELLS: usize = 1 << 22;
/// Learning ends after so many rounds,
const ROUNDS: u64 = 200;
/// or when no belief changes by so much.
const SETTLED: f64 = 1e-3;
/// Of huge tables there are fewer rounds, so that they take no more steps,
const STEPS: u64 = 1 << 33;
/// but not fewer than these.
const LEAST_ROUNDS: u64 = 10;

/// Groups with what is believed about their people.
pub struct Crowd {
    /// How many values each quasi-identifier has.
    sizes: Vec<usize>,
    /// The values of each kind of person, kind after kind.
    kinds: Vec<u32>,
    /// For each record the kind of person.
    kind_of: Vec<u32>,
    /// How many sensitive values there are.
    values: usize,
    /// Groups, ordered by what they hold.
    pub clusters: Vec<Cluster>,
    /// Groups with too many records to learn from, in which everybody counts as alike.
    pub left_out: Vec<Cluster>,
}

/// A group.
pub struct Cluster {
    /// Its number in the release.
    pub group: usize,
    /// Kinds of people in it, ascending, with how many they are.
    pub people: Vec<(u32, u32)>,
    /// Its sensitive values, ascending, with how often they occur.
    pub values: Vec<(u32, u32)>,
    /// What is believed about each kind of person, value by value.
    pub beliefs: Vec<f64>,
    scales: Vec<f64>,
}

impl Crowd {
    /// People of groups with at most so many records, by their quasi-identifiers; beliefs are the
    /// shares of the group.
    pub fn new(quasi: &[Column], sensitive: &Column, groups: &Groups, most: usize) -> Crowd {
        let held = sensitive.counts().into_iter().filter(|&count| count > 0).count();
        let binned: Vec<(Vec<u32>, usize)> = quasi.par_iter().map(|column| bins(column, held)).collect();
        let coded: Vec<(&[u32], usize)> = binned.iter().map(|(codes, size)| (codes.as_slice(), *size)).collect();
        let (kind_of, count) = dense_ids(&coded, sensitive.codes().len());
        let mut kinds = vec![0; count * coded.len()];
        for (row, &kind) in kind_of.iter().enumerate() {
            let own = kinds[kind as usize * coded.len()..].iter_mut();
            own.zip(&coded).for_each(|(value, column)| *value = column.0[row]);
        }
        let each = (0..groups.len()).into_par_iter().map(|group| {
            let rows = groups.rows(group);
            let is_left_out = rows.len() > most;
            let kind = |&row: &u32| if is_left_out { 0 } else { kind_of[row as usize] };
            Cluster::new(
                group,
                counted(rows.iter().map(kind)),
                counted(rows.iter().map(|&row| sensitive.codes()[row as usize])),
            )
        });
        let is_small = |cluster: &Cluster| groups.size(cluster.group) <= most;
        let (mut clusters, left_out): (Vec<Cluster>, Vec<Cluster>) = each.partition(is_small);
        // Sums of floats depend on their order, so groups have one of their own; those whose values
        // are given out alike are together.
        clusters.par_sort_by(|a, b| a.counts().cmp(b.counts()).then_with(|| a.contents().cmp(&b.contents())));
        let sizes = coded.iter().map(|column| column.1).collect();
        Crowd { sizes, kinds, kind_of, values: sensitive.domain().len(), clusters, left_out }
    }

    /// Learns how values depend on quasi-identifiers, and what that says about each person, in
    /// turn; how often.
    pub fn learn(&mut self, watch: Watch<'_>) -> u64 {
        if self.clusters.is_empty() {
            return 0;
        }
        let steps: u64 = self.clusters.iter().map(|cluster| cluster.steps(self.sizes.len() as u64)).sum();
        let rounds = (STEPS / steps).clamp(LEAST_ROUNDS, ROUNDS);
        for round in 1..=rounds {
            watch.check();
            let model = self.model();
            let (kinds, width, values) = (&self.kinds, self.sizes.len(), self.values);
            let believe = |scratch: &mut Scratch, cluster: &mut Cluster| {
                cluster.believe(scratch, |kind, value| {
                    let own = kinds[kind as usize * width..][..width].iter().zip(&model);
                    own.map(|(&bin, column)| column[bin as usize * values + value as usize]).product()
                })
            };
            let changes = self.clusters.par_iter_mut().map_init(Scratch::default, believe);
            if changes.reduce(|| 0.0, f64::max) < SETTLED {
                return round;
            }
        }
        rounds
    }

    /// For each quasi-identifier how likely each of its values is for people with each sensitive
    /// value, with one more person of every kind: (n(v, s) + 1)/(n(s) + V).
    fn model(&self) -> Vec<Vec<f64>> {
        let mut people = vec![0u64; self.values];
        for (value, count) in self.clusters.iter().flat_map(|cluster| &cluster.values) {
            people[*value as usize] += u64::from(*count);
        }
        // One column is summed in one order, whatever the number of threads.
        let columns = self.sizes.par_iter().enumerate().map(|(at, &size)| {
            let mut sums = vec![1.0; size * self.values];
            for cluster in &self.clusters {
                let each = cluster.beliefs.chunks_exact(cluster.values.len());
                for (&(kind, count), beliefs) in cluster.people.iter().zip(each) {
                    let bin = self.kinds[kind as usize * self.sizes.len() + at];
                    let own = &mut sums[bin as usize * self.values..][..self.values];
                    for (&(value, _), belief) in cluster.values.iter().zip(beliefs) {
                        own[value as usize] += belief * f64::from(count);
                    }
                }
            }
            for own in sums.chunks_exact_mut(self.values.max(1)) {
                own.iter_mut().zip(&people).for_each(|(sum, &people)| *sum /= (people + size as u64) as f64);
                // Only how a person fits one value and another matters; products stay near 1. Values
                // that nobody has must not change a bit.
                let held = own.iter().zip(&people).filter(|(_, people)| **people > 0);
                let largest = held.map(|(fit, _)| *fit).fold(0.0, f64::max);
                own.iter_mut().for_each(|fit| *fit /= largest);
            }
            sums
        });
        columns.collect()
    }

    /// The beliefs about the person of a record in one of its groups.
    pub fn about<'c>(&self, cluster: &'c Cluster, row: u32) -> &'c [f64] {
        let kind = self.kind_of[row as usize];
        let at = cluster.people.partition_point(|alike| alike.0 < kind);
        // Where everybody counts as alike there is one place.
        cluster.about(at.min(cluster.people.len() - 1))
    }
}

impl Cluster {
    fn new(group: usize, people: Vec<(u32, u32)>, values: Vec<(u32, u32)>) -> Cluster {
        let size: u32 = values.iter().map(|value| value.1).sum();
        let shares: Vec<f64> = values.iter().map(|value| f64::from(value.1) / f64::from(size)).collect();
        Cluster { group, beliefs: shares.repeat(people.len()), scales: vec![1.0; values.len()], people, values }
    }

    /// Beliefs about the kind of person at a place.
    pub fn about(&self, at: usize) -> &[f64] {
        &self.beliefs[at * self.values.len()..][..self.values.len()]
    }

    /// How many steps a round takes at most, with so many quasi-identifiers.
    fn steps(&self, columns: u64) -> u64 {
        // Each is read to weigh people, and to learn.
        2 * columns * self.beliefs.len() as u64 + assign::steps(Cast { people: &self.people, values: &self.values })
    }

    /// How often its values occur.
    fn counts(&self) -> impl Iterator<Item = u32> {
        self.values.iter().map(|value| value.1)
    }

    /// Who is in it, and with which values.
    fn contents(&self) -> (&[(u32, u32)], &[(u32, u32)]) {
        (&self.people, &self.values)
    }

    /// Believes anew by how well each kind of person fits each value; the largest change.
    fn believe(&mut self, scratch: &mut Scratch, fit: impl Fn(u32, u32) -> f64) -> f64 {
        scratch.weights.clear();
        for &(kind, _) in &self.people {
            scratch.weights.extend(self.values.iter().map(|&(value, _)| fit(kind, value)));
        }
        let before = self.beliefs.clone();
        let cast = Cast { people: &self.people, values: &self.values };
        scratch.believe(cast, &mut self.scales, &mut self.beliefs);
        before.iter().zip(&self.beliefs).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max)
    }
}

/// Different codes, ascending, with how often each occurs.
fn counted(codes: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut codes: Vec<u32> = codes.collect();
    codes.sort_unstable();
    codes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
}

/// For each record the value that is learned from, and how many of these there are. Missing is one
/// of them. Values that no record has change nothing; `held` is how many sensitive values there are.
pub(super) fn bins(column: &Column, held: usize) -> (Vec<u32>, usize) {
    let most = (CELLS / held.max(1)).max(2);
    let (stretches, texts) = (STRETCHES.min(most), TEXTS.min(most));
    let counts = column.counts();
    let present = column.domain().present();
    let is_used = |code: &usize| counts[*code] > 0;
    let mut bin_of: Vec<u64> = (0..counts.len() as u64).collect();
    if column.domain().value_type().is_ordered() && (0..present).filter(is_used).count() > stretches {
        let people: u64 = counts[..present].iter().sum();
        let mut below = 0;
        for (bin, count) in bin_of.iter_mut().zip(&counts).take(present) {
            *bin = stretches as u64 * below / people;
            below += count;
        }
    } else {
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by_key(|&code| (Reverse(counts[code]), code));
        let rest = order.get(texts - 1..).unwrap_or_default();
        // The last of them would be alone with its own number all the same.
        rest.iter().for_each(|&code| bin_of[code] = counts.len() as u64);
    }
    let mut taken: Vec<u64> = (0..counts.len()).filter(is_used).map(|code| bin_of[code]).collect();
    taken.sort_unstable();
    taken.dedup();
    let number_of: Vec<usize> = bin_of.iter().map(|bin| taken.partition_point(|known| known < bin)).collect();
    (column.codes().iter().map(|&code| number_of[code as usize] as u32).collect(), taken.len())
}
