//! The minimality attack: what it counts against plain enumeration of all worlds, and the values
//! that the literature and its exact reading give.

use crate::support::{Row, raw, requirement_of, table_of};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use proptest::prelude::*;
use sfumato::anonymize::{Class, Method, Replay, Replayer, Safety, Task, Transformation, View};
use sfumato::attack::worlds::{Case, Effort, Scene, Solution};
use sfumato::attack::{Finding, Grouped, Making, Original, Promises, Target, find};
use sfumato::candidate::{Counter, Groups};
use sfumato::criterion::{Bound, KINDS, Requirement, Subject};
use sfumato::data::{Column, ColumnSpec, Formats, Role, Schema, Table};
use sfumato::exact::Fraction;
use std::collections::BTreeMap;
use std::path::Path;

const EFFORT: Effort = Effort { budget: u64::MAX, samples: 10_000, steps: u64::MAX, doubt: 1e-6 };

/// Two sensitive columns; of the first only some values may need protection.
fn schema(sensitive_values: &[&str]) -> Schema {
    let sensitive_values = sensitive_values.iter().map(|value| value.to_string()).collect();
    Schema::new(vec![
        ColumnSpec::new("q", Role::Quasi),
        ColumnSpec { sensitive_values, ..ColumnSpec::new("s", Role::Sensitive) },
        ColumnSpec::new("drug", Role::Sensitive),
    ])
}

fn table(values: &[&str]) -> Table {
    Table::new(vec![
        Column::from_values("q", (0..values.len()).map(|row| row.to_string())),
        Column::from_values("s", values),
        Column::from_values("drug", (0..values.len()).map(|row| (row * row % 3).to_string())),
    ])
    .unwrap()
}

/// A criterion as (name, column, parameters).
type Written<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

fn bind(written: &[Written<'_>], schema: &Schema, table: &Table) -> Vec<Bound> {
    let bind = |(name, on, params): &Written<'_>| {
        let on: Vec<String> = if on.is_empty() { Vec::new() } else { vec![on.to_string()] };
        let wanted = Requirement::new(name, &raw(params), &on, schema).unwrap();
        wanted.bind(table, schema, Path::new(".")).unwrap()
    };
    written.iter().map(bind).collect()
}

/// Buckets of the same size, closed at the first prefix that holds.
fn greedy(bucket: usize, buckets: usize, passed: Fraction) -> Replay {
    let blocks = (0..buckets).map(|at| (at * bucket..(at + 1) * bucket).map(|row| row as u32).collect()).collect();
    let tests = (1..buckets as u32).map(|prefix| vec![(0..prefix).collect()]).collect();
    Replay { blocks, tests, passed, coupled: false }
}

fn whole_urn(replay: &Replay) -> Vec<u32> {
    replay.blocks.concat()
}

/// Belief in "p" for each block of a group of which so many are "p", times l.
fn binary(replay: &Replay, positives: usize, l: usize) -> Vec<f64> {
    let beliefs = binary_exactly(replay, positives, l);
    beliefs.iter().map(|belief| belief.to_f64().value() * l as f64).collect()
}

fn binary_exactly(replay: &Replay, positives: usize, l: usize) -> Vec<RBig> {
    let rows = whole_urn(replay);
    let values: Vec<&str> = (0..rows.len()).map(|row| if row < positives { "p" } else { "n" }).collect();
    let (schema, table) = (schema(&["p"]), table(&values));
    let l = l.to_string();
    let bound = bind(&[("frequency-l-diversity", "s", &[("l", &l)])], &schema, &table);
    let safety = Safety::new(&table, &bound).unwrap();
    let scene = Scene::new(&safety, table.rows());
    let case = Case::new(&scene, replay, &[&rows], |_| true);
    let solution = Solution::of(&scene, &case, &EFFORT);
    let class = case.class_of(scene.atom_of(0)).unwrap();
    let exactly = |block| solution.exactly(class, case.block_of(block), 0).unwrap();
    (0..replay.blocks.len()).map(exactly).collect()
}

fn rounded(values: &[f64], digits: i32) -> Vec<f64> {
    values.iter().map(|value| (value * 10f64.powi(digits)).round() / 10f64.powi(digits)).collect()
}

#[test]
fn the_values_of_greedy_grouping_come_out() {
    assert_eq!(rounded(&binary(&greedy(6, 3, Fraction::ZERO), 3, 6), 4), [2.1818, 0.8182, 0.0]);
    assert_eq!(rounded(&binary(&greedy(6, 3, Fraction::new(1, 5)), 3, 6), 3), [1.799, 0.925, 0.276]);
    assert_eq!(rounded(&binary(&greedy(6, 3, Fraction::new(3, 5)), 3, 6), 3), [1.243, 0.992, 0.765]);
    assert_eq!(rounded(&binary(&greedy(4, 5, Fraction::ZERO), 5, 4), 4), [2.2418, 1.2418, 0.9121, 0.6044, 0.0]);
}

/// l·p(b₁) = Π (ml − 1 − j)/(ml − m − j) over j from 1 to l − 1, below e; and beliefs do not rise
/// from bucket to bucket.
#[test]
fn the_closed_form_holds_exactly() {
    for l in 2..=8usize {
        for m in 2..=7usize {
            let beliefs = binary_exactly(&greedy(l, m, Fraction::ZERO), m, l);
            let factor = |j: usize| RBig::from_parts(IBig::from(m * l - 1 - j), UBig::from(m * l - m - j));
            let closed = (1..l).map(factor).fold(RBig::ONE, |product, factor| product * factor);
            assert_eq!(&beliefs[0] * RBig::from(l), closed, "l = {l}, m = {m}");
            assert!(closed.to_f64().value() < std::f64::consts::E);
            assert!(beliefs.windows(2).all(|pair| pair[0] >= pair[1]), "l = {l}, m = {m}");
            assert!(m > 2 || beliefs[0] == RBig::from_parts(IBig::from(2), UBig::from(l)));
        }
    }
}

#[test]
fn the_examples_of_figure_6_come_out() {
    let certain = |replay: &Replay, positives| binary_exactly(replay, positives, 2);
    assert_eq!(certain(&greedy(2, 2, Fraction::ZERO), 2), [RBig::ONE, RBig::ZERO]);
    let cut = |sizes: [u32; 2]| Replay {
        blocks: vec![(0..sizes[0]).collect(), (sizes[0]..sizes[0] + sizes[1]).collect()],
        tests: vec![vec![vec![0], vec![1]]],
        coupled: false,
        passed: Fraction::ZERO,
    };
    assert_eq!(certain(&cut([2, 4]), 2), [RBig::ONE, RBig::ZERO]);
    let half = RBig::from_parts(IBig::from(1), UBig::from(2u8));
    assert_eq!(certain(&cut([2, 2]), 2), [half.clone(), half], "even halves tell nothing");
}

/// One division of a group, of which so many records have each value.
fn divided(sizes: [u32; 2], counts: &[usize], l: &str, tell: impl Fn(&Solution<'_>, &dyn Fn(usize) -> usize)) {
    let names: Vec<String> = (0..counts.len()).map(|value| format!("{value:02}")).collect();
    let values: Vec<&str> =
        counts.iter().zip(&names).flat_map(|(&count, name)| std::iter::repeat_n(name.as_str(), count)).collect();
    let (schema, table) = (schema(&[]), table(&values));
    let bound = bind(&[("frequency-l-diversity", "s", &[("l", l)])], &schema, &table);
    let safety = Safety::new(&table, &bound).unwrap();
    let scene = Scene::new(&safety, table.rows());
    let replay = Replay {
        blocks: vec![(0..sizes[0]).collect(), (sizes[0]..sizes[0] + sizes[1]).collect()],
        tests: vec![vec![vec![0], vec![1]]],
        coupled: false,
        passed: Fraction::ZERO,
    };
    let rows = whole_urn(&replay);
    let case = Case::new(&scene, &replay, &[&rows], |_| true);
    let first = |value: usize| counts[..value].iter().sum::<usize>() as u32;
    let effort = Effort { budget: 1, ..EFFORT };
    tell(&Solution::of(&scene, &case, &effort), &|value| case.class_of(scene.atom_of(first(value))).unwrap());
}

/// The closed form for one division, whatever the number of records; MODELS.md has the first two.
#[test]
fn one_division_is_counted_whatever_its_size() {
    let fraction = |num: u32, den: u32| RBig::from_parts(IBig::from(num), UBig::from(den));
    divided([6, 12], &[8, 5, 3, 2], "2", |solution, class_of| {
        let beliefs: Vec<RBig> = (0..4).map(|value| solution.exactly(class_of(value), 0, 0).unwrap()).collect();
        assert_eq!(beliefs, [fraction(319, 654), fraction(115, 436), fraction(65, 436), fraction(65, 654)]);
    });
    divided([10, 16], &[11, 6, 5, 4], "2", |solution, class_of| {
        assert_eq!(solution.exactly(class_of(0), 0, 0), Some(fraction(104_539, 220_498)));
    });
    // In floats as in integers; and where hardly any world is possible, far beyond floats.
    for (sizes, counts) in [
        ([100, 260], vec![118, 60, 50, 40, 30, 30, 20, 12]),
        ([40, 320], vec![80, 60, 50, 40, 40, 40, 30, 20]),
        ([2000, 8000], vec![1000; 10]),
        ([2900, 6100], vec![2900, 2000, 1500, 1000, 600, 400, 300, 200, 90, 10]),
    ] {
        divided(sizes, &counts, "3", |solution, class_of| {
            assert_eq!(solution.accepted(), None, "{sizes:?}");
            for (value, &count) in counts.iter().enumerate() {
                let belief = |block: usize| solution.belief(class_of(value), block, 0);
                let whole: f64 = (0..2).map(|block| belief(block).low * f64::from(sizes[block])).sum();
                assert!((whole / count as f64 - 1.0).abs() < 1e-10, "{sizes:?}: {whole} of {count}");
                for block in 0..2 {
                    if let Some(exactly) = solution.exactly(class_of(value), block, 0) {
                        let exactly = exactly.to_f64().value();
                        assert!((belief(block).low / exactly - 1.0).abs() < 1e-10, "{sizes:?}, {value}");
                    }
                }
            }
        });
    }
}

/// What a random group looks like: for each row its value, block and urn; and tests.
#[derive(Clone, Debug)]
struct Random {
    rows: Vec<(usize, usize, usize)>,
    tests: Vec<Vec<Vec<u32>>>,
    passed: Fraction,
}

const BLOCKS: usize = 4;
const VALUES: [&str; 4] = ["a", "b", "c", "d"];

fn random() -> impl Strategy<Value = Random> {
    let row = (0usize..4, 0usize..BLOCKS, 0usize..2);
    let rows = (proptest::collection::vec(row, 2..9), any::<bool>());
    let sets = proptest::collection::vec(1u32..(1 << BLOCKS) - 1, 1..4);
    let passed =
        prop_oneof![Just(Fraction::ZERO), Just(Fraction::ZERO), Just(Fraction::new(1, 5)), Just(Fraction::new(2, 3))];
    (rows, 0usize..4, sets, passed).prop_map(|((mut rows, one_urn), shape, sets, passed)| {
        if one_urn {
            rows.iter_mut().for_each(|row| row.2 = 0);
        }
        let of = |set: u32| -> Vec<u32> { (0..BLOCKS as u32).filter(|block| set >> block & 1 == 1).collect() };
        let both = |set: &u32| vec![of(*set), of(!set)];
        let tests = match shape {
            0 => (1..BLOCKS as u32).map(|prefix| vec![(0..prefix).collect()]).collect(),
            1 => vec![both(&sets[0])],
            2 => sets.iter().map(both).collect(),
            _ => sets.chunks(2).map(|sets| sets.iter().map(|&set| of(set)).collect()).collect(),
        };
        // A part without records says nothing: the methods have none.
        let filled = |part: &Vec<u32>| rows.iter().any(|row| part.contains(&(row.1 as u32)));
        let tests: Vec<Vec<Vec<u32>>> =
            tests.into_iter().filter(|parts: &Vec<Vec<u32>>| parts.iter().all(filled)).collect();
        Random { rows, tests, passed }
    })
}

impl Random {
    fn replay(&self) -> Replay {
        let mut blocks = vec![Vec::new(); BLOCKS];
        (0u32..).zip(&self.rows).for_each(|(at, row)| blocks[row.1].push(at));
        Replay { blocks, tests: self.tests.clone(), passed: self.passed, coupled: false }
    }

    fn urns(&self) -> Vec<Vec<u32>> {
        let mut urns = vec![Vec::new(); 2];
        (0u32..).zip(&self.rows).for_each(|(at, row)| urns[row.2].push(at));
        urns.retain(|urn| !urn.is_empty());
        urns
    }

    /// Whether a test has two parts of equal size that are all of the group.
    fn has_equal_halves(&self) -> bool {
        let size = |part: &Vec<u32>| self.rows.iter().filter(|row| part.contains(&(row.1 as u32))).count();
        let halves =
            |parts: &Vec<Vec<u32>>| parts.len() == 2 && parts.iter().all(|part| 2 * size(part) == self.rows.len());
        self.tests.iter().any(halves)
    }

    /// The blocks that some of these rows are in.
    fn blocks_of<'a>(&'a self, rows: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
        (0..BLOCKS).filter(|&block| rows.iter().any(|&row| self.rows[row as usize].1 == block))
    }

    /// The group's rows, and some that are in the table besides.
    fn table(&self) -> Table {
        let values: Vec<&str> = self.rows.iter().map(|row| VALUES[row.0]).collect();
        table(&[values, vec!["a", "b", "b", "c", "d", "d", "d"]].concat())
    }
}

/// Every world, with plain loops: for each (block, urn, atom) the belief, or nothing if no world is
/// possible.
fn enumerate(random: &Random, scene: &Scene<'_>, safety: &Safety<'_>) -> Option<BTreeMap<(usize, usize, u32), RBig>> {
    let (replay, urns) = (random.replay(), random.urns());
    let mut world = vec![u32::MAX; random.rows.len()];
    let mut total = RBig::ZERO;
    let mut sums: BTreeMap<(usize, usize, u32), RBig> = BTreeMap::new();
    let mut visit = |world: &[u32]| {
        let mut checker = safety.checker();
        let mut holds = |part: &Vec<u32>| {
            let places = part.iter().flat_map(|&block| replay.blocks[block as usize].iter());
            checker.holds(&places.map(|&place| world[place as usize]).collect::<Vec<u32>>())
        };
        let mut weight = RBig::ONE;
        for parts in &replay.tests {
            if parts.iter().all(&mut holds) {
                weight *= RBig::from_parts(IBig::from(replay.passed.num), UBig::from(replay.passed.den));
            }
        }
        total += &weight;
        for (urn, places) in urns.iter().enumerate() {
            for &place in places {
                let block = random.rows[place as usize].1;
                *sums.entry((block, urn, scene.atom_of(world[place as usize]))).or_default() += &weight;
            }
        }
    };
    deal(&urns, &urns.iter().map(|urn| atoms(scene, urn)).collect::<Vec<_>>(), &mut world, &mut visit);
    let size = |block, urn: usize| urns[urn].iter().filter(|&&place| random.rows[place as usize].1 == block).count();
    (total > RBig::ZERO).then(|| {
        let share = |((block, urn, atom), sum): ((usize, usize, u32), RBig)| {
            ((block, urn, atom), sum / &total / RBig::from(size(block, urn)))
        };
        sums.into_iter().map(share).collect()
    })
}

/// A row for each atom, with how often it occurs.
fn atoms(scene: &Scene<'_>, rows: &[u32]) -> Vec<(u32, usize)> {
    let mut held: BTreeMap<u32, (u32, usize)> = BTreeMap::new();
    rows.iter().for_each(|&row| held.entry(scene.atom_of(row)).or_insert((row, 0)).1 += 1);
    held.into_values().collect()
}

/// Gives every place of every urn one of its rows, in all ways that differ.
fn deal(urns: &[Vec<u32>], left: &[Vec<(u32, usize)>], world: &mut Vec<u32>, visit: &mut impl FnMut(&[u32])) {
    let open = urns.iter().enumerate().find_map(|(urn, places)| {
        places.iter().find(|&&place| world[place as usize] == u32::MAX).map(|&place| (urn, place as usize))
    });
    let Some((urn, place)) = open else { return visit(world) };
    for at in 0..left[urn].len() {
        if left[urn][at].1 > 0 {
            let mut less = left.to_vec();
            less[urn][at].1 -= 1;
            world[place] = left[urn][at].0;
            deal(urns, &less, world, visit);
            world[place] = u32::MAX;
        }
    }
}

/// Criteria of many kinds, with the values of "s" that need protection.
fn criteria() -> Vec<(Vec<Written<'static>>, &'static [&'static str])> {
    vec![
        (vec![("frequency-l-diversity", "s", &[("l", "2")])], &[]),
        (vec![("frequency-l-diversity", "s", &[("l", "1.6")])], &[]),
        (vec![("frequency-l-diversity", "s", &[("l", "2")])], &["a"]),
        (vec![("frequency-l-diversity", "s", &[("l", "2.5")])], &["b", "c"]),
        (vec![("alpha-k-anonymity", "s", &[("alpha", "0.5"), ("k", "2")])], &[]),
        (vec![("entropy-l-diversity", "s", &[("l", "1.8")])], &[]),
        (vec![("entropy-l-diversity", "s", &[("l", "2")])], &["a", "b"]),
        (vec![("recursive-cl-diversity", "s", &[("c", "1.5"), ("l", "2")])], &[]),
        (vec![("recursive-cl-diversity", "s", &[("c", "1"), ("l", "2")])], &["a"]),
        (vec![("t-closeness", "s", &[("t", "0.3")])], &[]),
        (vec![("distinct-l-diversity", "s", &[("l", "2")])], &[]),
        (vec![("distinct-l-diversity", "s", &[("l", "3")])], &["a", "b"]),
        (vec![("k-anonymity", "", &[("k", "3")])], &[]),
        (vec![("k-anonymity", "", &[("k", "3")]), ("frequency-l-diversity", "s", &[("l", "2")])], &[]),
        (vec![("beta-likeness", "s", &[("beta", "1")])], &["a", "c"]),
        (
            vec![("frequency-l-diversity", "s", &[("l", "1.5")]), ("distinct-l-diversity", "drug", &[("l", "2")])],
            &["a"],
        ),
        (
            vec![("frequency-l-diversity", "s", &[("l", "1.5")]), ("frequency-l-diversity", "drug", &[("l", "1.4")])],
            &[],
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Counting gives, as fractions, what enumerating all worlds gives; and its floats are right to
    /// twelve digits.
    #[test]
    fn counting_is_enumerating(random in random()) {
        let table = random.table();
        for (written, sensitive_values) in criteria() {
            // A criterion refuses values to protect that do not occur; the table has all.
            let schema = schema(sensitive_values);
            let bound = bind(&written, &schema, &table);
            let safety = Safety::new(&table, &bound).unwrap();
            let scene = Scene::new(&safety, table.rows());
            let urns = random.urns();
            let slices: Vec<&[u32]> = urns.iter().map(Vec::as_slice).collect();
            let case = Case::new(&scene, &random.replay(), &slices, |_| true);
            let solution = Solution::of(&scene, &case, &EFFORT);
            let Some(expected) = enumerate(&random, &scene, &safety) else {
                // Where sizes alone decide nothing is counted; nor where halves are equal, because
                // a group that was published is a possible world.
                let class = case.class_of(scene.atom_of(0)).unwrap();
                let is_counted = !safety.reads_sizes_only() && !random.has_equal_halves();
                prop_assert!(!is_counted || solution.exactly(class, 0, 0).is_none(), "{:?}", written);
                continue;
            };
            for (at, &given) in case.urns().iter().enumerate() {
                for block in random.blocks_of(&urns[given]) {
                    let merged = case.block_of(block);
                    for (row, _) in atoms(&scene, &urns[given]) {
                        let class = case.class_of(scene.atom_of(row)).unwrap();
                        let key = (block, given, scene.atom_of(row));
                        let expected = expected.get(&key).cloned().unwrap_or(RBig::ZERO);
                        let found = solution.exactly(class, merged, at).unwrap();
                        prop_assert_eq!(&found, &expected, "{:?} {:?} {:?}", written, sensitive_values, key);
                        let float = solution.belief(class, merged, at);
                        let error = (float.low - expected.to_f64().value()).abs();
                        prop_assert!(error <= 1e-12 * float.low && float.low == float.high, "{:?}", written);
                    }
                }
            }
        }
    }

    /// Intervals of drawn worlds hold the belief.
    #[test]
    fn intervals_hold_the_belief(random in random(), which in 0usize..17) {
        let table = random.table();
        let (written, sensitive_values) = criteria().swap_remove(which);
        let schema = schema(sensitive_values);
        let bound = bind(&written, &schema, &table);
        let safety = Safety::new(&table, &bound).unwrap();
        let scene = Scene::new(&safety, table.rows());
        let urns = random.urns();
        let slices: Vec<&[u32]> = urns.iter().map(Vec::as_slice).collect();
        let case = Case::new(&scene, &random.replay(), &slices, |_| true);
        let exact = Solution::of(&scene, &case, &EFFORT);
        let drawn = Solution::sampled(&scene, &case, &Effort { samples: 2000, ..EFFORT });
        for (at, &given) in case.urns().iter().enumerate() {
            for block in random.blocks_of(&urns[given]).map(|block| case.block_of(block)) {
                for (row, _) in atoms(&scene, &urns[given]) {
                    let class = case.class_of(scene.atom_of(row)).unwrap();
                    let Some(belief) = exact.exactly(class, block, at) else { continue };
                    if safety.reads_sizes_only() {
                        continue;
                    }
                    let (belief, interval) = (belief.to_f64().value(), drawn.belief(class, block, at));
                    prop_assert!(interval.low <= belief + 1e-12 && belief <= interval.high + 1e-12, "{belief} {interval:?}");
                    prop_assert!(drawn.accepted().unwrap() < 1000 || interval.high - interval.low < 0.2);
                }
            }
        }
    }

    /// Every criterion means what it says of values that it ignores, of values that are alike, and
    /// of too many with one value.
    #[test]
    fn ignored_and_alike_values_make_no_difference_and_doom_is_doom(
        rows in proptest::collection::vec((0u32..2, 0u32..4, 0u32..3), 2..16),
        counts in proptest::collection::vec(0u32..4, 12),
        moves in proptest::collection::vec((0usize..12, 0usize..12), 4),
    ) {
        let rows: Vec<Row> = rows.iter().map(|&(zip, disease, drug)| Row { zip, disease, drug }).collect();
        let table = table_of(&rows);
        let schema = Schema::of(&["zip"], &["disease", "drug"]);
        for wanted in KINDS.iter().flat_map(|kind| requirement_of(kind, &schema)) {
            let bound = wanted.bind(&table, &schema, Path::new(".")).unwrap();
            if matches!(bound.subject, Subject::Nothing) {
                continue;
            }
            let domain = bound.codes(&table).unwrap().unwrap().domain();
            let mut counts: Vec<u32> = counts.iter().copied().cycle().take(domain).collect();
            counts[0] += u32::from(counts.iter().all(|&count| count == 0));
            let mut counter = Counter::new(domain);
            let mut holds = |counts: &[u32]| {
                let entries = (0u32..).zip(counts.iter().map(|&count| u64::from(count))).filter(|entry| entry.1 > 0);
                bound.criterion.holds(&counter.take(0, entries))
            };
            let before = holds(&counts);
            for &(a, b) in &moves {
                let (a, b) = (a % domain, b % domain);
                if bound.criterion.interchangeable(a as u32, b as u32) {
                    let mut swapped = counts.clone();
                    swapped.swap(a, b);
                    prop_assert_eq!(holds(&swapped), before, "{} {:?}", wanted.criterion.kind.name, (a, b));
                }
                let size: u32 = counts.iter().sum();
                let rules_out = bound.criterion.rules_out(a as u32, u64::from(counts[a]), u64::from(size));
                prop_assert!(!rules_out || !before, "{} {:?} {}", wanted.criterion.kind.name, counts, a);
                // One record of a gets b, neither being more often than said.
                let ignored = |code: usize, most: u32| bound.criterion.ignores(code as u32, u64::from(most), u64::from(size));
                if a != b && counts[a] > 0 && ignored(a, counts[a]) && ignored(b, counts[b] + 1) {
                    let mut moved = counts.clone();
                    (moved[a], moved[b]) = (moved[a] - 1, moved[b] + 1);
                    prop_assert_eq!(holds(&moved), before, "{} {:?} {:?}", wanted.criterion.kind.name, counts, (a, b));
                }
            }
        }
    }
}

/// A method that says how it came to its groups.
struct Told {
    class: Class,
    replays: Vec<Replay>,
}

impl Method for Told {
    fn run(&self, _: &Task<'_>) -> sfumato::Result<Option<Transformation>> {
        Ok(None)
    }

    fn class(&self) -> Class {
        self.class
    }

    fn replayer<'a>(&self, _: &View<'a>) -> sfumato::Result<Option<Replayer<'a>>> {
        let replays = self.replays.clone();
        Ok(Some(Box::new(move |group| Some(replays[group].clone()))))
    }
}

/// Two groups of greedy grouping at l = 2: four records, of which the first two must be "p"; and
/// two.
fn attacked(class: Class, written: &[(&str, &str)], max_belief: Option<Fraction>, told: bool) -> Finding {
    let table = table(&["n", "p", "p", "n", "p", "n"]);
    let schema = schema(&["p"]);
    let wanted = Requirement::new("frequency-l-diversity", &raw(&[("l", "2")]), &["s".to_string()], &schema).unwrap();
    let bound = [wanted.bind(&table, &schema, Path::new(".")).unwrap()];
    let replay = |first: u32, buckets: usize| {
        let mut replay = greedy(2, buckets, Fraction::ZERO);
        replay.blocks.iter_mut().flatten().for_each(|row| *row += first);
        replay
    };
    let method = Told { class, replays: vec![replay(0, 2), replay(4, 1)] };
    let groups = Groups::by_ids(&[0, 0, 0, 0, 1, 1], 2);
    let promises =
        Promises { criteria: vec![(&wanted, &bound[0])], all: true, max_belief, max_risk: None, max_here: None };
    let view = View { table: &table, schema: &schema, groups: &groups, complete: true, least: 1 };
    let kind = find("minimality").unwrap();
    let attack = (kind.build)(&kind.check(&raw(written)).unwrap());
    let found = attack.run(&Target {
        release: &table,
        groups: &groups,
        bucketized: false,
        schema: &schema,
        original: Some(Original { table: &table, row_of: &[0, 1, 2, 3, 4, 5] }),
        making: told.then_some(Making::Groups(Grouped { method: &method, view, published: &groups, bound: &bound })),
        class: None,
        is_conditioned: false,
        missing: 0,
        is_missing_by_value: false,
        suppressed: None,
        promises: &promises,
        formats: &Formats::default(),
        folder: Path::new("."),
    });
    found.unwrap().remove(0)
}

fn detail(finding: &Finding, name: &str) -> Option<f64> {
    finding.details.iter().find(|detail| detail.0 == name).map(|detail| detail.1)
}

#[test]
fn people_whose_value_is_certain_are_found() {
    let found = attacked(Class::Asymmetric, &[], Some(Fraction::new(1, 2)), true);
    assert_eq!((found.highest, found.people, found.groups, found.above_limit), (Fraction::ONE, 2, 1, 2));
    assert_eq!(found.beliefs[19], 2);
    assert!(found.repeatable);
    assert_eq!(detail(&found, "max_belief_times_l"), Some(2.0));
    assert_eq!(detail(&found, "bound"), Some(1.0));
    assert_eq!(detail(&found, "undecided_groups"), Some(0.0));
    assert_eq!(detail(&found, "exact_groups"), Some(2.0));
}

#[test]
fn methods_that_read_one_side_only_tell_nothing() {
    for class in [Class::QiOnly, Class::SaOnly] {
        let found = attacked(class, &[], Some(Fraction::new(1, 2)), true);
        assert_eq!((found.highest, found.people, found.above_limit), (Fraction::new(1, 2), 0, 0));
        assert_eq!(detail(&found, "bound"), Some(0.5));
    }
}

#[test]
fn what_cannot_be_replayed_is_undecided() {
    let found = attacked(Class::Asymmetric, &[], None, false);
    assert_eq!((found.highest, found.people), (Fraction::new(1, 2), 0));
    assert_eq!(detail(&found, "undecided_groups"), Some(2.0));
}

#[test]
fn worlds_are_drawn_until_they_decide() {
    let few = attacked(Class::Asymmetric, &[("budget", "0"), ("samples", "50")], Some(Fraction::new(1, 2)), true);
    assert_eq!((few.people, few.above_limit, few.repeatable), (2, 2, false));
    assert!(detail(&few, "accepted_worlds_min") > Some(50.0), "50 are too few");
    let enough = attacked(Class::Asymmetric, &[("budget", "0")], Some(Fraction::new(1, 2)), true);
    assert_eq!((enough.people, enough.above_limit), (2, 2));
    assert!(enough.highest < Fraction::ONE && detail(&enough, "max_belief_upper") == Some(1.0));
}

/// Prints how long greedy groups take, binary and with many values.
#[test]
fn greedy_groups_are_counted_quickly() {
    let mut seed = 1u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below
    };
    let names: Vec<String> = (0..14).map(|value| value.to_string()).collect();
    let values: Vec<&str> = (0..60_000).map(|_| names[(next(14).min(next(14))) as usize].as_str()).collect();
    let table = table(&values);
    for sensitive_values in [&["0"][..], &[]] {
        let schema = schema(sensitive_values);
        let bound = bind(&[("frequency-l-diversity", "s", &[("l", "6")])], &schema, &table);
        let safety = Safety::new(&table, &bound).unwrap();
        let scene = Scene::new(&safety, table.rows());
        let mut checker = safety.checker();
        let (mut start, mut groups, mut different) = (0u32, 0, BTreeMap::new());
        while groups < if sensitive_values.is_empty() { 300 } else { 2000 } && start + 6 <= 60_000 {
            let mut buckets = 1;
            while start + 6 * buckets < 60_000 && !checker.holds(&(start..start + 6 * buckets).collect::<Vec<_>>()) {
                buckets += 1;
            }
            let mut replay = greedy(6, buckets as usize, Fraction::ZERO);
            replay.blocks.iter_mut().flatten().for_each(|row| *row += start);
            let rows = whole_urn(&replay);
            let case = Case::new(&scene, &replay, &[&rows], |_| true);
            different.entry(case.signature().to_vec()).or_insert(case);
            groups += 1;
            start += 6 * buckets;
        }
        let clock = std::time::Instant::now();
        let effort = Effort { budget: 200_000, ..EFFORT };
        let (mut sampled, mut slowest) = (0, (0.0f64, 0));
        for case in different.values() {
            let clock = std::time::Instant::now();
            let solution = Solution::of(&scene, case, &effort);
            sampled += u32::from(solution.accepted().is_some());
            let rows = (0..).map_while(|block| case.signature().get(3 + block)).count();
            slowest =
                if clock.elapsed().as_secs_f64() > slowest.0 { (clock.elapsed().as_secs_f64(), rows) } else { slowest };
        }
        println!(
            "{groups} groups ({} records), {} different, {sampled} by lot: {:?}, slowest {:?}",
            start,
            different.len(),
            clock.elapsed(),
            slowest.0
        );
    }
}
