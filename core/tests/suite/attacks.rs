//! Every attack against a plain reading of its definition, and every promise of a criterion against
//! every attacker it names.

use crate::support;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use proptest::prelude::*;
use sfumato::attack::{Finding, KINDS, Original, Promises, Target, find};
use sfumato::candidate::{Counter, Groups, Histogram};
use sfumato::criterion::{self, About, Bound, Knowledge, Limit, Requirement};
use sfumato::data::{Column, ColumnSpec, Formats, Role, Schema, Table, hierarchy};
use sfumato::exact::Fraction;
use sfumato::kind::Raw;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

const VALUES: [&str; 4] = ["asthma", "cancer", "flu", "hiv"];

/// Somebody in a small original: two quasi-identifiers of two digits, of which a release shows the
/// first.
#[derive(Clone, Copy, Debug)]
struct Person {
    zip: u32,
    age: u32,
    disease: u32,
    published: bool,
}

/// 0, 1, 2, 3 as 10, 11, 20, 21.
fn digits(number: u32) -> String {
    format!("{}{}", 1 + number / 2, number % 2)
}

fn label(value: &str) -> String {
    format!("{}*", &value[..1])
}

fn people(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Person>> {
    let person = (0u32..4, 0u32..4, 0u32..4, 0u32..5);
    let person = person.prop_map(|(zip, age, disease, hidden)| Person { zip, age, disease, published: hidden > 0 });
    proptest::collection::vec(person, length)
}

/// An original, a release of it, and what a plan says.
struct World {
    original: Table,
    release: Table,
    row_of: Vec<u32>,
    schema: Schema,
    folder: tempfile::TempDir,
}

impl World {
    /// The release has its rows in another order, by a factor that shares no divisor with their
    /// number.
    fn new(people: &[Person], sensitive_values: &[&str], turn: usize) -> World {
        let folder = tempfile::tempdir().unwrap();
        let levels: String = (0..4).map(|at| format!("{};{};*\n", digits(at), label(&digits(at)))).collect();
        std::fs::write(folder.path().join("levels.csv"), levels).unwrap();
        let quasi = |name: &str, written: (&str, Raw)| {
            let rule = hierarchy::rule(&[written], folder.path()).unwrap();
            ColumnSpec { rule: Some(Arc::from(rule)), ..ColumnSpec::new(name, Role::Quasi) }
        };
        let schema = Schema::new(vec![
            quasi("zip", ("redact", Raw::Number("2".into()))),
            quasi("age", ("file", Raw::from("levels.csv"))),
            ColumnSpec {
                sensitive_values: sensitive_values.iter().map(|value| value.to_string()).collect(),
                ..ColumnSpec::new("disease", Role::Sensitive)
            },
        ]);
        let original = Table::new(vec![
            Column::from_values("zip", people.iter().map(|person| digits(person.zip))),
            Column::from_values("age", people.iter().map(|person| digits(person.age))),
            Column::from_values("disease", people.iter().map(|person| VALUES[person.disease as usize])),
        ]);
        let published: Vec<u32> =
            (0u32..).zip(people).filter(|(_, person)| person.published).map(|(row, _)| row).collect();
        let turn = (turn..).find(|turn| gcd(*turn, published.len().max(1)) == 1).unwrap();
        let row_of: Vec<u32> = (0..published.len()).map(|at| published[at * turn % published.len()]).collect();
        let shown = |cell: &dyn Fn(&Person) -> String| -> Vec<String> {
            row_of.iter().map(|&row| cell(&people[row as usize])).collect()
        };
        let release = Table::new(vec![
            Column::from_values("zip", shown(&|person| label(&digits(person.zip)))),
            Column::from_values("age", shown(&|person| label(&digits(person.age)))),
            Column::from_values("disease", shown(&|person| VALUES[person.disease as usize].to_string())),
        ]);
        World { original: original.unwrap(), release: release.unwrap(), row_of, schema, folder }
    }

    fn attack(&self, name: &str, written: &[(&str, &str)], promises: &Promises<'_>) -> Vec<Finding> {
        let kind = find(name).unwrap();
        let written: Vec<(&str, Raw)> = written.iter().map(|(param, value)| (*param, Raw::from(*value))).collect();
        let attack = (kind.build)(&kind.check(&written).unwrap());
        let quasi = self.schema.select(&self.release, Role::Quasi).unwrap();
        let target = Target {
            release: &self.release,
            groups: &Groups::by_columns(&quasi, self.release.rows()),
            bucketized: false,
            schema: &self.schema,
            original: Some(Original { table: &self.original, row_of: &self.row_of }),
            making: None,
            class: None,
            is_conditioned: false,
            missing: 0,
            is_missing_by_value: false,
            suppressed: None,
            promises,
            formats: &Formats::default(),
            folder: self.folder.path(),
        };
        attack.run(&target).unwrap()
    }

    /// Limits that differ from value to value, and one that the plan tolerates.
    fn with_promises<T>(&self, tolerated: Option<Fraction>, test: impl FnOnce(&Promises<'_>) -> T) -> T {
        let written = [("t", Raw::from("0.2"))];
        let wanted = Requirement::new("t-closeness", &written, &[], &self.schema).unwrap();
        let bound = wanted.bind(&self.original, &self.schema, self.folder.path()).unwrap();
        test(&Promises {
            all: true,
            criteria: vec![(&wanted, &bound)],
            max_belief: tolerated,
            max_risk: tolerated,
            max_here: tolerated,
        })
    }

    /// The people of each group, by what a reader sees.
    fn groups(&self, people: &[Person]) -> Vec<Vec<Person>> {
        let mut groups: BTreeMap<(String, String), Vec<Person>> = BTreeMap::new();
        for person in people.iter().filter(|person| person.published) {
            groups.entry((label(&digits(person.zip)), label(&digits(person.age)))).or_default().push(*person);
        }
        groups.into_values().collect()
    }

    fn limit(&self, promises: &Promises<'_>, disease: u32, knowledge: Knowledge) -> Option<Limit> {
        let code = self.original.column("disease").unwrap().domain().code(VALUES[disease as usize])?;
        promises.limit(Some("disease"), About::Value(code), knowledge)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn count(group: &[Person], disease: u32) -> u128 {
    group.iter().filter(|person| person.disease == disease).count() as u128
}

/// Belief in a value, for the best choice of so many other values to rule out: every set is tried.
fn after_eliminating(counts: &[u128], value: usize, values: u32) -> Fraction {
    let sets = (0u32..1 << counts.len()).filter(|set| set.count_ones() <= values && set >> value & 1 == 0);
    let left = |set: u32| (0..counts.len()).filter(|at| set >> at & 1 == 0).map(|at| counts[at]).sum::<u128>();
    sets.map(|set| Fraction::new(counts[value], left(set))).max().unwrap()
}

/// The highest beliefs about people, put together the slow way.
#[derive(Default)]
struct Plain {
    highest: Option<Fraction>,
    affected: u64,
    affected_groups: u64,
    above: u64,
    steps: [u64; 20],
}

impl Plain {
    fn check(&self, found: &Finding) -> Result<(), TestCaseError> {
        prop_assert_eq!(found.highest, self.highest.unwrap_or(Fraction::ZERO));
        prop_assert_eq!((found.people, found.groups), (self.affected, self.affected_groups));
        prop_assert_eq!(found.above_limit, self.above);
        prop_assert_eq!(found.beliefs, self.steps);
        Ok(())
    }

    fn step(&mut self, belief: Fraction, people: u64) {
        let step = (1..=20).find(|&step| belief <= Fraction::new(step, 20)).unwrap();
        self.steps[step as usize - 1] += people;
    }
}

proptest! {
    #[test]
    fn homogeneity_and_background_knowledge_are_what_loops_find(
        people in people(0..25), only in proptest::bool::ANY, turn in 1usize..9,
        eliminate in 0u32..4, threshold in 1u128..=10, tolerated in proptest::option::of(1u128..10),
    ) {
        let protected: &[&str] = if only { &["flu", "hiv"] } else { &[] };
        let cared = |disease: u32| !only || disease >= 2;
        let world = World::new(&people, protected, turn);
        let tolerated = tolerated.map(|tenths| Fraction::new(tenths, 10));
        let knowledge = if eliminate == 0 { Knowledge::Nothing } else { Knowledge::Eliminated(eliminate.into()) };
        world.with_promises(tolerated, |promises| {
            let mut plain = Plain::default();
            for group in world.groups(&people) {
                let counts: Vec<u128> = (0..4).map(|disease| count(&group, disease)).collect();
                let held: Vec<u32> = (0..4).filter(|&v| cared(v) && counts[v as usize] > 0).collect();
                let beliefs: Vec<Fraction> = held.iter().map(|&v| after_eliminating(&counts, v as usize, eliminate)).collect();
                let highest = beliefs.iter().copied().max().unwrap_or(Fraction::ZERO);
                plain.highest = plain.highest.max(beliefs.iter().copied().max());
                plain.step(highest, group.len() as u64);
                let too_much = held.iter().zip(&beliefs)
                    .any(|(&v, &belief)| world.limit(promises, v, knowledge).is_some_and(|limit| !limit.allows(belief)));
                plain.above += if too_much { group.len() as u64 } else { 0 };
                let affected = if eliminate == 0 {
                    if highest >= Fraction::new(threshold, 10) { group.len() } else { 0 }
                } else {
                    let certain = |v: u32| after_eliminating(&counts, v as usize, eliminate) == Fraction::ONE;
                    group.iter().filter(|person| cared(person.disease) && certain(person.disease)).count()
                };
                plain.affected += affected as u64;
                plain.affected_groups += u64::from(affected > 0);
            }
            let found = if eliminate == 0 {
                world.attack("homogeneity", &[("threshold", &format!("{}e-1", threshold))], promises)
            } else {
                world.attack("background-knowledge", &[("eliminate", &eliminate.to_string())], promises)
            };
            plain.check(&found[0])
        })?;
    }

    /// The printed formula of Theorem 3.1, evaluated anew for every person, quasi-identifier and
    /// value.
    #[test]
    fn demographic_beliefs_are_those_of_the_formula(
        people in people(0..25), only in proptest::bool::ANY, turn in 1usize..9,
        tolerated in proptest::option::of(1u128..10),
    ) {
        let protected: &[&str] = if only { &["flu", "hiv"] } else { &[] };
        let cared = |disease: u32| !only || disease >= 2;
        let world = World::new(&people, protected, turn);
        let tolerated = tolerated.map(|tenths| Fraction::new(tenths, 10));
        world.with_promises(tolerated, |promises| {
            let mut plain = Plain::default();
            // Of equal beliefs any may be the best guess.
            let (mut surely_right, mut perhaps_right) = (0, 0);
            for group in world.groups(&people) {
                let (mut affected, mut above) = (0, 0);
                for person in &group {
                    let (mut highest, mut is_affected, mut is_above) = (Fraction::ZERO, false, false);
                    let mut believed: Vec<(Fraction, u32)> = Vec::new();
                    let of_quasi: [fn(&Person) -> u32; 2] = [|person| person.zip, |person| person.age];
                    for value_of in of_quasi {
                        let (own, shown) = (value_of(person), value_of(person) / 2);
                        let same: Vec<Person> = people.iter().filter(|other| value_of(other) == own).copied().collect();
                        let alike: Vec<Person> = people.iter().filter(|other| value_of(other) / 2 == shown).copied().collect();
                        let share = |among: &[Person], v: u32| ratio(count(among, v), among.len() as u128);
                        let weight = |v: u32| match count(&group, v) {
                            0 => RBig::ZERO,
                            n => RBig::from(IBig::from(n)) * share(&same, v) / share(&alike, v),
                        };
                        let sum = (0..4).map(weight).fold(RBig::ZERO, |sum, weight| sum + weight);
                        for v in (0..4).filter(|&v| cared(v) && count(&group, v) > 0) {
                            let belief = fraction(weight(v) / sum.clone());
                            highest = highest.max(belief);
                            believed.push((belief, v));
                            plain.highest = plain.highest.max(Some(belief));
                            let limit = world.limit(promises, v, Knowledge::Distribution);
                            is_above |= limit.is_some_and(|limit| !limit.allows(belief));
                            let plain_share = Fraction::new(count(&group, v), group.len() as u128);
                            is_affected |= v == person.disease && belief >= Fraction::new(1, 2) && belief > plain_share;
                        }
                    }
                    plain.step(highest, 1);
                    let mut best = believed.iter().filter(|one| one.0 == highest && highest > Fraction::ZERO).map(|one| one.1);
                    surely_right += u64::from(best.clone().next().is_some() && best.clone().all(|v| v == person.disease));
                    perhaps_right += u64::from(best.any(|v| v == person.disease));
                    affected += u64::from(is_affected);
                    above += u64::from(is_above);
                }
                plain.affected += affected;
                plain.affected_groups += u64::from(affected > 0);
                plain.above += above;
            }
            let found = &world.attack("demographic", &[], promises)[0];
            let right: u64 = found.right.unwrap().iter().sum();
            prop_assert!((surely_right..=perhaps_right).contains(&right));
            plain.check(found)
        })?;
    }

    /// Theorem 3.1 itself: the population is the original, of which the attacker knows how many
    /// people with each value of the one quasi-identifier have each disease; the release is a
    /// random sample of it in which the target is. Every assignment of diseases to people and every
    /// sample is tried; belief is the share of those that give the same release. That is the very
    /// model the theorem is proved for, so the shares are equal exactly, on tables of any size.
    #[test]
    fn demographic_beliefs_are_shares_of_possible_worlds(people in people(1..7), diseases in 2u32..4) {
        let people: Vec<Person> =
            people.iter().map(|person| Person { age: 0, disease: person.disease % diseases, ..*person }).collect();
        let published: Vec<usize> = (0..people.len()).filter(|&at| people[at].published).collect();
        let assignments = assignments(&people, diseases);
        let seen = |diseases: &[u32], sample: u32| {
            let mut counts = [[0; 4]; 2];
            (0..people.len()).filter(|at| sample >> at & 1 == 1)
                .for_each(|at| counts[people[at].zip as usize / 2][diseases[at] as usize] += 1);
            counts
        };
        let truth: Vec<u32> = people.iter().map(|person| person.disease).collect();
        let release = seen(&truth, published.iter().map(|at| 1 << at).sum());
        let mut highest = Fraction::ZERO;
        for &target in &published {
            let mut worlds = [0u128; 4];
            for assignment in &assignments {
                let samples = (0u32..1 << people.len())
                    .filter(|sample| sample.count_ones() as usize == published.len() && sample >> target & 1 == 1);
                worlds[assignment[target] as usize] += samples.filter(|&sample| seen(assignment, sample) == release).count() as u128;
            }
            let all = worlds.iter().sum();
            highest = worlds.iter().map(|&own| Fraction::new(own, all)).max().unwrap().max(highest);
        }
        let mut world = World::new(&people, &[], 1);
        // Age would be a second way to believe: the one in which nothing more is known than the
        // group.
        world.schema = Schema::new(world.schema.columns().iter().filter(|spec| spec.name != "age").cloned().collect());
        let nothing = Promises::nothing();
        prop_assert_eq!(world.attack("demographic", &[], &nothing)[0].highest, highest);
    }

    #[test]
    fn linkage_is_a_nested_loop(
        people in people(0..25), register in proptest::collection::vec((0usize..8, 0usize..8), 1..20), turn in 1usize..9,
        tolerated in proptest::option::of(1u128..10),
    ) {
        // Values, labels, and values that no hierarchy knows or that no release has.
        let cells = ["10", "11", "20", "21", "1*", "*", "77", "x"];
        let world = World::new(&people, &[], turn);
        let text: String = register.iter().map(|(zip, age)| format!("{},{},nobody\n", cells[*zip], cells[*age])).collect();
        std::fs::write(world.folder.path().join("register.csv"), format!("zip,age,name\n{text}")).unwrap();
        let tolerated = tolerated.map(|tenths| Fraction::new(tenths, 10));
        let groups = world.groups(&people);
        let records: usize = groups.iter().map(Vec::len).sum();

        world.with_promises(tolerated, |promises| {
            let fits = |cell: &str, value: u32| {
                let shown = label(&digits(value));
                cell == shown || (cell.len() == 2 && cell != "77" && !cell.ends_with('*') && label(cell) == shown)
            };
            for with_register in [false, true] {
                let mut plain = Plain::default();
                let mut candidates = Vec::new();
                let mut linked = 0.0;
                for group in &groups {
                    let fitting = register.iter().filter(|(zip, age)| {
                        fits(cells[*zip], group[0].zip) && fits(cells[*age], group[0].age)
                    });
                    let fitting = if with_register { fitting.count() } else { group.len() };
                    let risk = match fitting {
                        0 => Fraction::ZERO,
                        _ => Fraction::new(1, fitting.max(group.len()) as u128),
                    };
                    linked += group.len() as f64 * risk.to_f64();
                    plain.step(risk, group.len() as u64);
                    plain.above += if tolerated.is_some_and(|most| risk > most) { group.len() as u64 } else { 0 };
                    plain.highest = plain.highest.max(Some(risk));
                    candidates.push((risk, group.len() as u64));
                }
                for (risk, size) in candidates {
                    if Some(risk) == plain.highest && risk > Fraction::ZERO {
                        plain.affected += size;
                        plain.affected_groups += 1;
                    }
                }
                let file: &[(&str, &str)] = if with_register { &[("register", "register.csv")] } else { &[] };
                let found = world.attack("linkage", file, promises).remove(0);
                plain.check(&found)?;
                let detail = |name: &str| found.details.iter().find(|detail| detail.0 == name).map(|detail| detail.1);
                let prosecutor = groups.iter().map(|group| 1.0 / group.len() as f64).fold(0.0, f64::max);
                prop_assert_eq!(detail("prosecutor"), Some(prosecutor));
                prop_assert_eq!(detail("journalist"), Some(found.highest.to_f64()));
                let marketer = if records == 0 { 0.0 } else { linked / records as f64 };
                prop_assert!((detail("marketer").unwrap() - marketer).abs() < 1e-12);
                prop_assert_eq!(detail("unique"), Some(groups.iter().filter(|group| group.len() == 1).count() as f64));
                prop_assert_eq!(found.repeatable, !with_register);
                if with_register {
                    let any = |cell: &str, value_of: fn(&Person) -> u32| groups.iter().any(|group| fits(cell, value_of(&group[0])));
                    let unknown = register.iter().filter(|(zip, age)| {
                        !any(cells[*zip], |person| person.zip) || !any(cells[*age], |person| person.age)
                    });
                    prop_assert_eq!(detail("register_unknown"), Some(unknown.count() as f64));
                    prop_assert_eq!(detail("register_records"), Some(register.len() as f64));
                }
            }
            Ok::<(), TestCaseError>(())
        })?;
    }
}

fn ratio(num: u128, den: u128) -> RBig {
    RBig::from_parts(IBig::from(num), UBig::from(den))
}

fn fraction(number: RBig) -> Fraction {
    let (num, den) = number.into_parts();
    Fraction::new(u128::try_from(num).unwrap(), u128::try_from(den).unwrap())
}

/// Every way to give diseases to people so that as many with each zip have each as in truth.
fn assignments(people: &[Person], diseases: u32) -> Vec<Vec<u32>> {
    let all = (0..diseases.pow(people.len() as u32))
        .map(|code| (0..people.len() as u32).map(|at| code / diseases.pow(at) % diseases).collect::<Vec<u32>>());
    let counts = |of: &dyn Fn(usize) -> u32| {
        let mut counts = [[0; 4]; 4];
        (0..people.len()).for_each(|at| counts[people[at].zip as usize][of(at) as usize] += 1);
        counts
    };
    let truth = counts(&|at| people[at].disease);
    all.filter(|assignment| counts(&|at| assignment[at]) == truth).collect()
}

/// What a criterion reads of a group.
fn with_histogram<T>(bound: &Bound, table: &Table, rows: &[u32], test: impl FnOnce(&Histogram<'_>) -> T) -> T {
    let Some(codes) = bound.codes(table).unwrap() else {
        return test(&Histogram::of_size(0, rows.len() as u64));
    };
    let (codes, domain) = codes.as_coded();
    let mut counter = Counter::new(domain);
    test(&counter.count(0, rows.iter().map(|&row| codes[row as usize])))
}

/// Checks every promise of a requirement on the groups for which it holds; says how many were made
/// and how many were nearly used up.
fn check_promises(wanted: &Requirement, table: &Table, schema: &Schema) -> (usize, usize) {
    let bound = match wanted.bind(table, schema, Path::new(".")) {
        Ok(bound) => bound,
        // A value that the schema names cannot be one that nobody cares for.
        Err(error) if error.to_string().contains("sensitive_values") => return (0, 0),
        Err(error) => panic!("{error}"),
    };
    let groups = Groups::by_columns(&[table.column("zip").unwrap()], table.rows());
    let disease = table.column("disease").unwrap();
    let (mut made, mut used) = (0, 0);
    for group in 0..groups.len() {
        let rows = groups.rows(group);
        if !with_histogram(&bound, table, rows, |histogram| bound.criterion.holds(histogram)) {
            continue;
        }
        let mut counts = vec![0u128; disease.domain().len()];
        rows.iter().for_each(|&row| counts[disease.codes()[row as usize] as usize] += 1);
        let mut check = |about: About, knowledge: Knowledge, belief: Fraction| {
            let Some(limit) = bound.criterion.promise(about, knowledge) else { return };
            let context = format!(
                "{} {about:?} {knowledge:?} {counts:?}: {belief:?} against {limit:?}",
                wanted.criterion.kind.name
            );
            assert!(limit.allows(belief), "{context}");
            assert!(limit.belief <= Fraction::ONE, "{context}");
            made += 1;
            used += usize::from(belief.to_f64() > 0.8 * limit.belief.to_f64());
        };
        check(About::Identity, Knowledge::Nothing, Fraction::new(1, rows.len() as u128));
        for value in (0..counts.len()).filter(|&value| counts[value] > 0) {
            let about = About::Value(value as u32);
            check(about, Knowledge::Nothing, Fraction::new(counts[value], rows.len() as u128));
            for values in 0..4 {
                check(about, Knowledge::Eliminated(values.into()), after_eliminating(&counts, value, values));
            }
        }
    }
    (made, used)
}

/// Every criterion with the parameters of `support`, and further ones for which promises differ.
fn promising(schema: &Schema) -> Vec<Requirement> {
    let more: [(&str, &[(&str, &str)]); 14] = [
        ("t-closeness", &[("t", "0.1"), ("distance", "\"ordered\"")]),
        ("t-closeness", &[("t", "0.25"), ("distance", "\"ordered\"")]),
        ("t-closeness", &[("t", "0.2"), ("distance", "\"hierarchical\"")]),
        ("t-closeness", &[("t", "0.45"), ("distance", "\"hierarchical\"")]),
        ("t-closeness", &[("t", "0.123456789012345678901234567890")]),
        ("frequency-l-diversity", &[("l", "1.5")]),
        ("frequency-l-diversity", &[("l", "3")]),
        ("alpha-k-anonymity", &[("alpha", "0.4"), ("k", "2")]),
        ("distinct-l-diversity", &[("l", "3")]),
        ("entropy-l-diversity", &[("l", "1.5")]),
        ("entropy-l-diversity", &[("l", "3")]),
        ("beta-likeness", &[("beta", "0.5"), ("variant", "\"enhanced\"")]),
        ("delta-disclosure", &[("delta", "0.4"), ("absent", "\"ignore\"")]),
        ("recursive-cl-diversity", &[("c", "2"), ("l", "4")]),
    ];
    let on = ["disease".to_string()];
    let more = more.iter().map(|(name, written)| Requirement::new(name, &support::raw(written), &on, schema).unwrap());
    criterion::KINDS.iter().flat_map(|kind| support::requirement_of(kind, schema)).chain(more).collect()
}

/// Diseases have an order and a hierarchy, and perhaps only some need protection.
fn promising_schema(only: bool) -> Schema {
    let disease = ColumnSpec {
        rule: Some(Arc::from(hierarchy::rule(&[("fanout", Raw::List(vec![Raw::from("2")]))], Path::new(".")).unwrap())),
        order: ["flu", "cancer", "hiv", "asthma"].map(String::from).to_vec(),
        sensitive_values: if only { vec!["cancer".into(), "asthma".into()] } else { Vec::new() },
        ..ColumnSpec::new("disease", Role::Sensitive)
    };
    Schema::new(vec![ColumnSpec::new("zip", Role::Quasi), disease, ColumnSpec::new("drug", Role::Sensitive)])
}

fn random_rows(seed: u32) -> Vec<support::Row> {
    use rand::{RngExt, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed.into());
    let values = 1 + seed % 4;
    (0..random.random_range(4..40))
        .map(|_| support::Row {
            zip: random.random_range(0..3),
            disease: random.random_range(0..values).max(random.random_range(0..values)),
            drug: random.random_range(0..3),
        })
        .collect()
}

#[test]
fn no_belief_exceeds_what_is_promised() {
    let mut tally: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut promising_kinds: BTreeSet<&str> = BTreeSet::new();
    for seed in 0..1500 {
        let rows = random_rows(seed);
        let table = support::table_of(&rows);
        // A value that nobody has cannot be named as one to protect.
        let has = |name: &str| table.column("disease").unwrap().domain().code(name).is_some();
        let schema = promising_schema(seed % 3 == 0 && has("cancer") && has("asthma"));
        let table = schema.prepare(&table).unwrap();
        for wanted in promising(&schema) {
            let (made, used) = check_promises(&wanted, &table, &schema);
            let sum = tally.entry(wanted.criterion.kind.name).or_default();
            *sum = (sum.0 + made, sum.1 + used);
            let bound = wanted.bind(&*table, &schema, Path::new("."));
            let promises = bound.is_ok_and(|bound| bound.criterion.capabilities().promises.is_some());
            promising_kinds.extend(promises.then_some(wanted.criterion.kind.name));
        }
    }
    for (name, (made, used)) in tally {
        let promises = promising_kinds.contains(name);
        assert_eq!(made > 0, promises, "{name} promises {made} times");
        assert!(!promises || used > 0, "{name} promises too little to matter");
    }
    assert!(promising_kinds.len() > 10, "{promising_kinds:?}");
}

/// The promises in numbers.
#[test]
fn promises_are_the_known_ones() {
    let rows: Vec<support::Row> =
        (0..10).map(|at| support::Row { zip: 0, disease: [0, 0, 0, 0, 1, 1, 1, 2, 2, 3][at], drug: 0 }).collect();
    let schema = promising_schema(false);
    let table = support::table_of(&rows);
    let table = schema.prepare(&table).unwrap();
    let promise = |name: &str, written: &[(&str, &str)], about: About, knowledge: Knowledge| {
        let on: &[String] = if name == "k-anonymity" { &[] } else { &["disease".to_string()] };
        let wanted = Requirement::new(name, &support::raw(written), on, &schema).unwrap();
        wanted.bind(&*table, &schema, Path::new(".")).unwrap().criterion.promise(about, knowledge)
    };
    let limit = |num, den, strict| Some(Limit { belief: Fraction::new(num, den), strict });
    let flu = About::Value(0);
    let none = Knowledge::Nothing;
    assert_eq!(promise("k-anonymity", &[("k", "5")], About::Identity, none), limit(1, 5, false));
    assert_eq!(promise("k-anonymity", &[("k", "5")], flu, none), None);
    let frequency = |knowledge| promise("frequency-l-diversity", &[("l", "4")], flu, knowledge);
    assert_eq!(frequency(none), limit(1, 4, false));
    assert_eq!(frequency(Knowledge::Eliminated(2)), limit(1, 2, false));
    assert_eq!(frequency(Knowledge::Eliminated(3)), None);
    assert_eq!(frequency(Knowledge::Distribution), None);
    let recursive = |knowledge| promise("recursive-cl-diversity", &[("c", "3"), ("l", "3")], flu, knowledge);
    assert_eq!(recursive(Knowledge::Eliminated(1)), limit(3, 4, true));
    assert_eq!(recursive(Knowledge::Eliminated(2)), None);
    let distinct = |knowledge| promise("distinct-l-diversity", &[("l", "2")], flu, knowledge);
    assert_eq!((distinct(none), distinct(Knowledge::Eliminated(1))), (limit(1, 1, true), None));
    // Shares in the whole, in order: 0.4, 0.3, 0.2, 0.1.
    let close = |distance: &str, t: &str, code: u32| {
        promise("t-closeness", &[("t", t), ("distance", distance)], About::Value(code), none)
    };
    assert_eq!(close("\"equal\"", "0.2", 0), limit(6, 10, false));
    assert_eq!(close("\"equal\"", "0.6", 0), None);
    assert_eq!(close("\"ordered\"", "0.05", 0), limit(55, 100, false), "moved by one step of three");
    assert_eq!(close("\"ordered\"", "0.2", 0), limit(85, 100, false), "0.3 by one step, 0.15 by two");
    assert_eq!(close("\"hierarchical\"", "0.2", 3), limit(40, 100, false), "0.2 for half the price, then 0.1");
    let about_half = promise("entropy-l-diversity", &[("l", "2")], flu, none).unwrap().belief.to_f64();
    let entropy = -about_half * about_half.ln() - (1.0 - about_half) * ((1.0 - about_half) / 3.0).ln();
    assert!((entropy - 2f64.ln()).abs() < 1e-9, "{about_half}");
}

/// The findings of every attack, with its example parameters, on some releases.
fn all_findings(world: &World) -> Vec<Finding> {
    KINDS
        .iter()
        .flat_map(|kind| {
            world.with_promises(Some(Fraction::new(1, 3)), |promises| world.attack(kind.name, kind.example, promises))
        })
        .collect()
}

proptest! {
    #[test]
    fn neither_the_order_of_rows_nor_threads_matter(people in people(0..40), turn in 2usize..20, shift in 0usize..40) {
        let mut shifted = people.clone();
        shifted.rotate_left(shift.min(people.len()));
        let run = |people: &[Person], turn: usize, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| all_findings(&World::new(people, &[], turn)))
        };
        let first = run(&people, 1, 1);
        // Nothing was withheld for being too frequent, so the eligibility attack finds nothing.
        prop_assert_eq!(first.len(), KINDS.len() - 1);
        prop_assert_eq!(&first, &run(&people, turn, 3));
        prop_assert_eq!(&first, &run(&shifted, turn, 2));
    }
}

#[test]
fn nothing_published_is_nothing_found() {
    let hidden = Person { zip: 1, age: 2, disease: 3, published: false };
    for people in [vec![], vec![hidden; 3]] {
        for found in all_findings(&World::new(&people, &[], 1)) {
            assert_eq!((found.highest, found.people, found.groups, found.above_limit), (Fraction::ZERO, 0, 0, 0));
            assert!(found.details.iter().all(|detail| detail.1 == 0.0), "{found:?}");
            assert_eq!(found.beliefs, [0; 20]);
        }
    }
}

#[test]
fn without_sensitive_columns_or_the_original_there_is_less_to_find() {
    let people = [Person { zip: 1, age: 2, disease: 3, published: true }; 4];
    let world = World::new(&people, &[], 1);
    let bare = Schema::new(world.schema.columns()[..2].to_vec());
    let groups = Groups::by_columns(&bare.select(&world.release, Role::Quasi).unwrap(), 4);
    let promises = Promises::nothing();
    for kind in KINDS {
        let attack = (kind.build)(&kind.check(&support::raw(kind.example)).unwrap());
        let original = Some(Original { table: &world.original, row_of: &world.row_of });
        for (schema, original, only_values) in [(&bare, original, true), (&world.schema, None, false)] {
            let (formats, folder) = (&Formats::default(), world.folder.path());
            let target = Target {
                release: &world.release,
                groups: &groups,
                bucketized: false,
                making: None,
                class: None,
                is_conditioned: false,
                missing: 0,
                is_missing_by_value: false,
                suppressed: None,
                schema,
                original,
                promises: &promises,
                formats,
                folder,
            };
            let found = attack.run(&target).unwrap();
            let expected = match only_values {
                true => kind.name == "linkage",
                false => !["definetti", "demographic", "eligibility"].contains(&kind.name),
            };
            assert_eq!(found.len(), usize::from(expected), "{}", kind.name);
        }
    }
}

/// Criteria know values by their codes in the original; once asthma is suppressed, the release has
/// others.
#[test]
fn limits_are_those_of_the_value_not_of_its_code() {
    let person = |disease: u32, published: bool| Person { zip: 0, age: 0, disease, published };
    let mut people = vec![person(0, false), person(1, true)];
    people.extend([person(2, true); 8]);
    let world = World::new(&people, &[], 1);
    let found = world.with_promises(None, |promises| world.attack("homogeneity", &[], promises)).remove(0);
    // Eight of ten have the flu, so 0.2 more allows any share of it; cancer would be allowed 0.3.
    assert_eq!((found.highest, found.above_limit, found.limit), (Fraction::new(8, 9), 0, None));
}

#[test]
fn a_register_without_a_column_is_the_plans_fault() {
    let world = World::new(&[Person { zip: 1, age: 2, disease: 3, published: true }], &[], 1);
    std::fs::write(world.folder.path().join("register.csv"), "zip,name\n10,SECRET\n").unwrap();
    let kind = find("linkage").unwrap();
    let attack = (kind.build)(&kind.check(&[("register", Raw::from("register.csv"))]).unwrap());
    let quasi = world.schema.select(&world.release, Role::Quasi).unwrap();
    let error = attack.run(&Target {
        release: &world.release,
        groups: &Groups::by_columns(&quasi, 1),
        bucketized: false,
        schema: &world.schema,
        original: None,
        making: None,
        class: None,
        is_conditioned: false,
        missing: 0,
        is_missing_by_value: false,
        suppressed: None,
        promises: &Promises::nothing(),
        formats: &Formats::default(),
        folder: world.folder.path(),
    });
    let error = error.unwrap_err();
    assert_eq!(error.fault(), sfumato::Fault::Plan);
    assert!(error.to_string().contains("no column \"age\"") && !error.to_string().contains("SECRET"), "{error}");
}

#[test]
fn descriptions_are_complete() {
    for kind in KINDS {
        assert!(kind.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", kind.name);
        assert!(!kind.summary.is_empty() && !kind.reference.is_empty(), "{}", kind.name);
        assert!(kind.params.iter().all(|param| !param.summary.is_empty() && param.default.is_some()), "{}", kind.name);
        assert!(find(kind.name).is_ok());
    }
    assert!(find("homogenity").err().unwrap().to_string().contains("did you mean \"homogeneity\"?"));
}
