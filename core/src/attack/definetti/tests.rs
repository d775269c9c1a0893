//! The attack against its definition, read plainly: every matching of a group is tried.

use super::assign::{Cast, Scratch};
use super::crowd::{Crowd, bins};
use crate::candidate::Groups;
use crate::data::{Column, ReadOptions, csv};
use crate::watch::Watch;
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
    let rows = |group: usize| (0u32..).zip(people).filter(move |(_, person)| person.group == group).map(|(row, _)| row);
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
        let mut scratch = Scratch::default();
        scratch.weights = weights.clone();
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
