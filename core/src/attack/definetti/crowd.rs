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
        clusters.par_sort_by(|a, b| {
            let by_counts = a.counts().cmp(b.counts());
            by_counts.then_with(|| (&a.people, &a.values).cmp(&(&b.people, &b.values)))
        });
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
fn bins(column: &Column, held: usize) -> (Vec<u32>, usize) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, csv};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Somebody's quasi-identifiers, group and sensitive value.
    #[derive(Clone, Debug)]
    struct Person {
        quasi: Vec<u32>,
        group: usize,
        value: u32,
    }

    fn columns(people: &[Person]) -> (Vec<Column>, Column, Groups) {
        let width = people.first().map_or(0, |person| person.quasi.len());
        let quasi = |at: usize| people.iter().map(move |person| format!("q{}", person.quasi[at]));
        let quasi = (0..width).map(|at| Column::from_values(format!("c{at}"), quasi(at))).collect();
        let sensitive = Column::from_values("s", people.iter().map(|person| format!("s{}", person.value)));
        let rows =
            |group: usize| (0u32..).zip(people).filter(move |(_, person)| person.group == group).map(|(row, _)| row);
        let groups = 1 + people.iter().map(|person| person.group).max().unwrap_or(0);
        let lists: Vec<Vec<u32>> =
            (0..groups).map(|group| rows(group).collect()).filter(|list: &Vec<u32>| !list.is_empty()).collect();
        (quasi, sensitive, Groups::of_lists(&lists))
    }

    /// What is believed about each person and value, after how many rounds.
    fn learned(people: &[Person], values: u32) -> (Vec<Vec<f64>>, u64) {
        let (quasi, sensitive, groups) = columns(people);
        let mut crowd = Crowd::new(&quasi, &sensitive, &groups, 50);
        let rounds = crowd.learn(Watch::NONE);
        let mut beliefs = vec![vec![0.0; values as usize]; people.len()];
        for cluster in &crowd.clusters {
            for &row in groups.rows(cluster.group) {
                for (entry, belief) in cluster.values.iter().zip(crowd.about(cluster, row)) {
                    let value: usize = sensitive.domain().label(entry.0)[1..].parse().unwrap();
                    beliefs[row as usize][value] = *belief;
                }
            }
        }
        (beliefs, rounds)
    }

    fn orders(people: usize) -> Vec<Vec<usize>> {
        match people {
            0 => vec![Vec::new()],
            _ => orders(people - 1)
                .into_iter()
                .flat_map(|order| (0..people).map(move |at| [&order[..at], &[people - 1], &order[at..]].concat()))
                .collect(),
        }
    }

    /// The same by the definition.
    fn plainly(people: &[Person], values: u32) -> (Vec<Vec<f64>>, u64) {
        let groups = 1 + people.iter().map(|person| person.group).max().unwrap_or(0);
        let members = |group: usize| (0..people.len()).filter(|&at| people[at].group == group).collect::<Vec<_>>();
        let members: Vec<Vec<usize>> = (0..groups).map(members).collect();
        let share = |person: &Person, value: u32| {
            let group = &members[person.group];
            group.iter().filter(|&&at| people[at].value == value).count() as f64 / group.len() as f64
        };
        let mut beliefs: Vec<Vec<f64>> =
            people.iter().map(|person| (0..values).map(|value| share(person, value)).collect()).collect();
        for round in 1..=200 {
            let likely = |at: usize, quasi: u32, value: u32| {
                let mut seen: Vec<u32> = people.iter().map(|person| person.quasi[at]).collect();
                seen.sort_unstable();
                seen.dedup();
                let with = people.iter().zip(&beliefs).filter(|(person, _)| person.quasi[at] == quasi);
                let with: f64 = with.map(|(_, beliefs)| beliefs[value as usize]).sum();
                let all = people.iter().filter(|person| person.value == value).count();
                (with + 1.0) / (all + seen.len()) as f64
            };
            let fit = |person: &Person, value: u32| -> f64 {
                person.quasi.iter().enumerate().map(|(at, &quasi)| likely(at, quasi, value)).product()
            };
            let mut next = vec![vec![0.0; values as usize]; people.len()];
            for group in &members {
                let fits: Vec<Vec<f64>> =
                    group.iter().map(|&own| (0..values).map(|value| fit(&people[own], value)).collect()).collect();
                let mut whole = 0.0;
                for order in orders(group.len()) {
                    let given = |at: usize| people[group[order[at]]].value as usize;
                    let weight: f64 = (0..group.len()).map(|at| fits[at][given(at)]).product();
                    (0..group.len()).for_each(|at| next[group[at]][given(at)] += weight);
                    whole += weight;
                }
                group.iter().for_each(|&own| next[own].iter_mut().for_each(|belief| *belief /= whole));
            }
            let changes = next.iter().flatten().zip(beliefs.iter().flatten()).map(|(new, old)| (new - old).abs());
            let change = changes.fold(0.0, f64::max);
            beliefs = next;
            if change < 1e-3 {
                return (beliefs, round);
            }
        }
        (beliefs, 200)
    }

    fn random_people(random: &mut ChaCha8Rng) -> (Vec<Person>, u32) {
        let (width, values) = (random.random_range(0..4), random.random_range(1..5));
        let mut people = Vec::new();
        for group in 0..random.random_range(1..5) {
            for _ in 0..random.random_range(1..6) {
                let quasi = (0..width).map(|_| random.random_range(0..3)).collect();
                people.push(Person { quasi, group, value: random.random_range(0..values) });
            }
        }
        (people, values)
    }

    #[test]
    fn beliefs_are_those_of_the_definition() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let (mut tables, mut learning) = (0, 0);
        while tables < 2000 {
            let (people, values) = random_people(&mut random);
            let ((found, rounds), (plain, plain_rounds)) = (learned(&people, values), plainly(&people, values));
            assert_eq!(rounds, plain_rounds, "{people:?}");
            let pairs = found.iter().flatten().zip(plain.iter().flatten());
            pairs.for_each(|(found, plain)| assert!((found - plain).abs() < 1e-9, "{people:?}: {found} {plain}"));
            // Everybody has one value, and a group's beliefs in a value add up to how often it occurs.
            found.iter().for_each(|own| assert!((own.iter().sum::<f64>() - 1.0).abs() < 1e-9));
            for person in &people {
                let alike = || people.iter().zip(&found).filter(|(other, _)| other.group == person.group);
                let sum: f64 = alike().map(|(_, own)| own[person.value as usize]).sum();
                let count = alike().filter(|(other, _)| other.value == person.value).count();
                assert!((sum - count as f64).abs() < 1e-9, "{people:?}");
            }
            tables += 1;
            learning += usize::from(rounds > 3);
        }
        assert!(learning > 500, "the test tests little: {learning}");
    }

    /// Two people each, both smokers or neither, but for the last two: one of either.
    fn smokers() -> Vec<Person> {
        let people = [(1, 0), (1, 1), (1, 0), (1, 2), (0, 1), (0, 2), (0, 1), (0, 2), (1, 0), (0, 1)];
        (0..).zip(people).map(|(at, (smokes, value))| Person { quasi: vec![smokes], group: at / 2, value }).collect()
    }

    /// The model that the algorithm approximates: every world, one matching for each group, has the
    /// weight Π n(v,s)!, which is what a naive Bayes classifier with even Dirichlet priors says of it.
    fn exact_belief(people: &[Person], person: usize, value: u32) -> (u64, u64) {
        let pairs = people.len() / 2;
        let factorial = |count: usize| (1..=count as u64).product::<u64>();
        let (mut with, mut all) = (0, 0);
        for world in 0u32..1 << pairs {
            let value_of = |at: usize| people[if world >> (at / 2) & 1 == 1 { at ^ 1 } else { at }].value;
            let count = |smokes: u32, value: u32| {
                (0..people.len()).filter(|&at| people[at].quasi[0] == smokes && value_of(at) == value).count()
            };
            let weight: u64 =
                (0..2).flat_map(|q| (0..3).map(move |v| (q, v))).map(|(q, v)| factorial(count(q, v))).product();
            all += weight;
            with += if value_of(person) == value { weight } else { 0 };
        }
        (with, all)
    }

    #[test]
    fn the_exact_model_gives_the_known_belief_and_the_algorithm_one_near_it() {
        let people = smokers();
        let (with, all) = exact_belief(&people, 8, 0);
        assert_eq!(with * 11, all * 9, "{with} of {all}");
        let claimed = learned(&people, 3).0[8][0];
        assert!(claimed > 0.5 && (claimed - 9.0 / 11.0).abs() < 0.15, "{claimed}");
    }

    #[test]
    fn many_numbers_are_put_into_stretches_and_rare_texts_together() {
        let age = |at: usize| if at < 160 { format!("{},x\n", 20 + at % 40) } else { ",x\n".into() };
        let text: String = (0..200).map(age).collect();
        let table = csv::read_from(format!("age,other\n{text}").as_bytes(), &ReadOptions::default()).unwrap();
        let (codes, size) = bins(table.column("age").unwrap(), 5);
        assert_eq!((size, codes[199]), (17, 16), "missing is a value of its own");
        assert_eq!((codes[0], codes[1], codes[2], codes[3], codes[39]), (0, 0, 0, 1, 15));
        let few = Column::from_values("stay", (0..100).map(|at| (at % 16).to_string()));
        assert_eq!(bins(&few, 5).1, 16, "each has its own");
        let names = Column::from_values(
            "name",
            (0..1000).map(|at| if at < 500 { format!("n{}", at % 250) } else { format!("x{at}") }),
        );
        let (codes, size) = bins(&names, 5);
        assert_eq!((size, codes[600] == codes[999], codes[0] == codes[1]), (256, true, false));
        assert_eq!((bins(&names, 1 << 20).1, bins(&few, 1 << 20).1), (4, 4), "a table of both is not too large");
    }
}
