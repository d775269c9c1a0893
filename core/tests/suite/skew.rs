//! Ways to suppress skewed values, against record-by-record loops and against enumeration of every
//! table that an attacker could think of.

use dashu_ratio::RBig;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sfumato::skew::{KINDS, PossibleDraw, PublishedCounts, Skewed, Suppression, find};
use std::collections::{BTreeMap, BTreeSet};

const EVERYTHING: u64 = u64::MAX;

fn member(name: &str) -> Box<dyn Suppression> {
    (find(name).unwrap().build)(&Default::default())
}

fn members() -> impl Iterator<Item = (&'static str, Box<dyn Suppression>)> {
    KINDS.iter().map(|kind| (kind.name, (kind.build)(&Default::default())))
}

fn cases() -> u32 {
    std::env::var("SFUMATO_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256)
}

/// Numbers of records with a sum, largest first.
fn partitions(sum: u64, largest: u64) -> Vec<Vec<u64>> {
    if sum == 0 {
        return vec![Vec::new()];
    }
    let first = |first: u64| partitions(sum - first, first).into_iter().map(move |rest| [vec![first], rest].concat());
    (1..=sum.min(largest)).rev().flat_map(first).collect()
}

/// Every skewed table with up to so many records.
fn skewed_tables(most: u64) -> impl Iterator<Item = Skewed> {
    let of_size = |records: u64| partitions(records, records);
    let with_l = |frequencies: Vec<u64>| (2..=6).filter_map(move |l| Skewed::new(&frequencies, l).ok());
    (2..=most).flat_map(of_size).flat_map(with_l)
}

// A second reading of the definitions, record by record.

fn l_th(kept: &[u64], l: u64) -> u64 {
    let mut sorted = kept.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    sorted[l as usize - 1]
}

fn is_p_eligible(kept: &[u64], l: u64) -> bool {
    kept.iter().max().unwrap() * l <= kept.iter().sum()
}

fn is_l_candidate(kept: &[u64], records: u64, l: u64) -> bool {
    let withheld = records - kept.iter().sum::<u64>();
    (l_th(kept, l) + withheld) * l > records
}

/// D-suppression of values in the order of ranks.
fn drop_one_by_one(mut kept: Vec<u64>, records: u64, l: u64) -> Vec<u64> {
    while !(is_p_eligible(&kept, l) && is_l_candidate(&kept, records, l)) {
        let top = *kept.iter().max().unwrap();
        let lowest = kept.iter().rposition(|&count| count == top).unwrap();
        kept[lowest] -= 1;
    }
    kept
}

/// Everything that R-suppression may do, by the paper's two steps.
fn random_one_by_one(table: &Skewed) -> BTreeMap<Vec<u64>, RBig> {
    let mut chances: BTreeMap<Vec<u64>, RBig> = BTreeMap::new();
    for h in 1..=table.l() {
        let (low, high) = (table.frequency(h + 1), table.frequency(h));
        for first in low..=high {
            let mut kept = table.frequencies().to_vec();
            kept[0] = first;
            let kept = drop_one_by_one(kept, table.records(), table.l());
            let chance = RBig::from_parts(1.into(), (table.l() * (high - low + 1)).into());
            *chances.entry(kept).or_default() += chance;
        }
    }
    chances
}

fn mean(table: &Skewed, outcomes: &[PossibleDraw]) -> RBig {
    let withheld = |outcome: &PossibleDraw| RBig::from(table.records() - outcome.kept.iter().sum::<u64>());
    outcomes.iter().fold(RBig::ZERO, |sum, outcome| sum + withheld(outcome) * &outcome.chance)
}

#[test]
fn jumps_over_levels_end_where_loops_over_records_do() {
    let mut tables = 0;
    for table in skewed_tables(17) {
        let dropped = drop_one_by_one(table.frequencies().to_vec(), table.records(), table.l());
        assert_eq!(member("unsafe-d").outcomes(&table, EVERYTHING).unwrap()[0].kept, dropped, "{table:?}");
        let random = member("r-suppression").outcomes(&table, EVERYTHING).unwrap();
        let found: BTreeMap<Vec<u64>, RBig> = random.into_iter().map(|one| (one.kept, one.chance)).collect();
        assert_eq!(found, random_one_by_one(&table), "{table:?}");
        tables += 1;
    }
    assert!(tables > 1500, "{tables} tables");
}

/// Contract of the family, on a table.
fn keeps_its_obligations(table: &Skewed) {
    let bound = member("unsafe-d").expected(table);
    for (name, member) in members() {
        let outcomes = member.outcomes(table, EVERYTHING).unwrap();
        let chances = outcomes.iter().fold(RBig::ZERO, |sum, outcome| sum + &outcome.chance);
        assert_eq!(chances, RBig::ONE, "{name} {table:?}");
        assert_eq!(member.expected(table), mean(table, &outcomes), "{name} {table:?}");
        assert!(member.expected(table) >= bound, "{name} {table:?}: nothing is below the bound");
        for outcome in &outcomes {
            assert!(outcome.kept.iter().zip(table.frequencies()).all(|(kept, had)| kept <= had), "{name} {table:?}");
            assert!(is_p_eligible(&outcome.kept, table.l()), "{name} {table:?} {outcome:?}");
            assert!(is_l_candidate(&outcome.kept, table.records(), table.l()), "{name} {table:?} {outcome:?}");
        }
        let mut generator = ChaCha20Rng::seed_from_u64(7);
        let drawn = member.draw(table, &mut generator);
        assert!(outcomes.iter().any(|outcome| outcome.kept == drawn), "{name} {table:?} drew {drawn:?}");
    }
}

#[test]
fn every_member_keeps_its_obligations_on_all_small_tables() {
    skewed_tables(14).for_each(|table| keeps_its_obligations(&table));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn every_member_keeps_its_obligations(
        mut frequencies in prop::collection::vec(prop_oneof![1u64..4, 1u64..40, 1u64..400], 2..12),
        l in 2u64..9,
        more in 0u64..300,
    ) {
        frequencies.sort_unstable_by(|a, b| b.cmp(a));
        frequencies[0] += more;
        if let Ok(table) = Skewed::new(&frequencies, l) {
            keeps_its_obligations(&table);
        }
    }
}

#[test]
fn each_outcome_is_drawn_with_its_chance() {
    const TIMES: u32 = 20_000;
    for (name, member) in members() {
        let table = Skewed::new(&[10, 4, 2, 1, 1], 3).unwrap();
        let mut drawn: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
        let mut generator = ChaCha20Rng::seed_from_u64(11);
        (0..TIMES).for_each(|_| *drawn.entry(member.draw(&table, &mut generator)).or_default() += 1);
        // Several choices may come to the same.
        let mut chances: BTreeMap<Vec<u64>, f64> = BTreeMap::new();
        for outcome in member.outcomes(&table, EVERYTHING).unwrap() {
            *chances.entry(outcome.kept).or_default() += outcome.chance.to_f64().value();
        }
        let chi = chances.iter().map(|(kept, chance)| {
            let expected = f64::from(TIMES) * chance;
            (f64::from(drawn.get(kept).copied().unwrap_or(0)) - expected).powi(2) / expected
        });
        // With six outcomes or fewer, above 21 less than once in a thousand.
        assert!(chi.sum::<f64>() < 21.0 && chances.len() <= 6, "{name}: {drawn:?}");
    }
}

// What somebody believes who knows the method, by listing every table.

/// Every labelled table with a single most frequent value that is too frequent, by the value and
/// its ranked frequencies; ties of others in every order.
fn labelled(records: u64, values: usize) -> Vec<Vec<u64>> {
    if values == 1 {
        return vec![vec![records]];
    }
    let first =
        |first: u64| labelled(records - first, values - 1).into_iter().map(move |rest| [vec![first], rest].concat());
    (1..=records - values as u64 + 1).flat_map(first).collect()
}

/// The values in every order of rank that fits.
fn rankings(counts: &[u64]) -> Vec<Vec<usize>> {
    fn extend(counts: &[u64], so_far: Vec<usize>) -> Vec<Vec<usize>> {
        let open: Vec<usize> = (0..counts.len()).filter(|value| !so_far.contains(value)).collect();
        let Some(most) = open.iter().map(|&value| counts[value]).max() else { return vec![so_far] };
        let next = open.into_iter().filter(|&value| counts[value] == most);
        next.flat_map(|value| extend(counts, [so_far.clone(), vec![value]].concat())).collect()
    }
    extend(counts, Vec::new())
}

type Weights = BTreeMap<Vec<u64>, Vec<RBig>>;

/// For every labelled table that may be published, how much each value is S1 in the tables that
/// lead to it.
fn listed(member: &dyn Suppression, bases: &[Vec<u64>], l: u64) -> Weights {
    let mut weights = Weights::new();
    let mut known: BTreeMap<Vec<u64>, Option<Vec<PossibleDraw>>> = BTreeMap::new();
    for counts in bases {
        let mut ranked = counts.clone();
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        if ranked.len() > 1 && ranked[0] == ranked[1] {
            continue;
        }
        let outcomes = known.entry(ranked).or_insert_with_key(|ranked| {
            Skewed::new(ranked, l).ok().and_then(|table| member.outcomes(&table, EVERYTHING))
        });
        let Some(outcomes) = outcomes else { continue };
        let orders = rankings(counts);
        let share = RBig::from_parts(1.into(), orders.len().into());
        for order in &orders {
            for outcome in outcomes.iter() {
                let mut published = vec![0; counts.len()];
                order.iter().zip(&outcome.kept).for_each(|(&value, &kept)| published[value] = kept);
                let weights = weights.entry(published).or_insert_with(|| vec![RBig::ZERO; counts.len()]);
                weights[order[0]] += &share * &outcome.chance;
            }
        }
    }
    weights
}

fn beliefs_of(weights: &[RBig]) -> Vec<RBig> {
    let sum = weights.iter().fold(RBig::ZERO, |sum, weight| sum + weight);
    weights.iter().map(|weight| weight / &sum).collect()
}

#[test]
fn beliefs_are_those_of_listing_every_table() {
    let mut compared = 0;
    for (records, values, l) in
        [(7, 3, 2), (9, 3, 3), (10, 4, 2), (11, 4, 3), (12, 4, 4), (11, 5, 3), (13, 5, 4), (15, 5, 3), (13, 6, 5)]
    {
        let bases = labelled(records, values);
        for (name, member) in members() {
            for (published, weights) in listed(&*member, &bases, l) {
                if !published.is_sorted_by(|a, b| a >= b) || published.contains(&0) {
                    continue;
                }
                let seen = PublishedCounts { counts: published.clone(), records, l };
                let found = member.beliefs(&seen).unwrap_or_else(|| panic!("{name}: {seen:?} comes out"));
                assert_eq!(found, beliefs_of(&weights), "{name}: {seen:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 120, "{compared} published tables");
}

/// What no table leads to is told from what some do, by all members that may be published.
#[test]
fn what_cannot_have_come_out_is_recognized() {
    for (records, values, l) in [(9, 3, 2), (10, 4, 3), (12, 5, 3), (13, 5, 4)] {
        let bases = labelled(records, values);
        for (name, member) in members().filter(|(_, member)| member.is_publishable()) {
            let reached = listed(&*member, &bases, l);
            for counts in (1..=records).flat_map(|published| partitions(published, published)) {
                if counts.len() == values {
                    let known = member.beliefs(&PublishedCounts { counts: counts.clone(), records, l }).is_some();
                    assert_eq!(known, reached.contains_key(&counts), "{name}: {counts:?} of {records}, l = {l}");
                }
            }
        }
    }
}

/// The strongest prior that treats values alike: all frequencies are known. Where it keeps to a
/// limit, every such prior does, being a mixture.
#[test]
fn who_keeps_to_the_limit_does_so_against_somebody_who_knows_all_frequencies() {
    let one = |l: u64| RBig::from_parts(1.into(), l.into());
    let mut beaten = BTreeSet::new();
    for table in skewed_tables(11).filter(|table| table.frequency(1) > table.frequency(2)) {
        if table.frequencies().len() > 5 {
            continue;
        }
        let bases: Vec<Vec<u64>> = orders(table.frequencies());
        for (name, member) in members() {
            for weights in listed(&*member, &bases, table.l()).values() {
                let highest = beliefs_of(weights).into_iter().max().unwrap();
                match member.keeps_to_limit() {
                    true => assert!(highest <= one(table.l()), "{name} {table:?}: {highest}"),
                    false if highest > one(table.l()) => drop(beaten.insert(name)),
                    false => {}
                }
            }
        }
    }
    assert_eq!(beaten, BTreeSet::from(["unsafe-d", "r-suppression"]), "the others do not keep to it");
}

/// Numbers in every order that differs.
fn orders(numbers: &[u64]) -> Vec<Vec<u64>> {
    if numbers.is_empty() {
        return vec![Vec::new()];
    }
    let first = BTreeSet::from_iter(numbers.iter().copied());
    let continued = |first: u64| {
        let mut rest = numbers.to_vec();
        rest.remove(rest.iter().position(|&number| number == first).unwrap());
        orders(&rest).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    first.into_iter().flat_map(continued).collect()
}

/// No part of a table that keeps S1 hidden from somebody who knows all frequencies has more records
/// than calibrated suppression leaves: every part is looked at.
#[test]
fn nothing_that_hides_as_well_withholds_less_than_calibrated_suppression() {
    let mut tables = 0;
    for table in skewed_tables(13) {
        let least = member("calibrated").expected(&table);
        let withheld = |part: &[u64]| RBig::from(table.records() - part.iter().sum::<u64>());
        let hiding = parts(table.frequencies()).into_iter().filter(|part| hides(part, &table));
        let best = hiding.map(|part| withheld(&part)).min().unwrap();
        assert_eq!(best, least, "{table:?}");
        tables += 1;
    }
    assert!(tables > 300, "{tables} tables");
}

/// What may be left of values, sorted, without telling which is which.
fn parts(frequencies: &[u64]) -> BTreeSet<Vec<u64>> {
    let mut parts = BTreeSet::from([Vec::new()]);
    for &had in frequencies {
        let longer =
            parts.iter().flat_map(|part: &Vec<u64>| (0..=had).map(move |kept| [part.clone(), vec![kept]].concat()));
        parts = longer
            .map(|mut part| {
                part.sort_unstable_by(|a, b| b.cmp(a));
                part
            })
            .collect();
    }
    parts
}

/// Whether a part is l-eligible and at least l of its values may be the most frequent one.
fn hides(part: &[u64], table: &Skewed) -> bool {
    let fits = |at: usize| {
        // The others, sorted, against the frequencies below the first, sorted.
        let others = part.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, kept)| kept);
        part[at] <= table.frequency(1) && others.zip(&table.frequencies()[1..]).all(|(kept, had)| kept <= had)
    };
    part[0] > 0 && is_p_eligible(part, table.l()) && (0..part.len()).filter(|&at| fits(at)).count() as u64 >= table.l()
}

// Size.

#[test]
fn ten_million_records_are_a_matter_of_milliseconds() {
    let frequencies: Vec<u64> = (1..=200u64).map(|rank| 1_700_000 / rank).collect();
    let table = Skewed::new(&frequencies, 6).unwrap();
    assert!(table.records() > 9_900_000);
    let start = std::time::Instant::now();
    for (_, member) in members() {
        member.expected(&table);
        member.draw(&table, &mut ChaCha20Rng::seed_from_u64(1));
    }
    assert!(start.elapsed().as_millis() < 500, "{:?}", start.elapsed());
}

#[test]
fn too_many_choices_are_not_listed() {
    let table = Skewed::new(&[1_000_000, 10, 10], 3).unwrap();
    assert!(member("r-suppression").outcomes(&table, 1000).is_none());
}
