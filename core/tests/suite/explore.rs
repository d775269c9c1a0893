//! The explorer against plain formulas over all groups, and its worst cases against all possible
//! worlds.

use dashu_ratio::RBig;
use proptest::prelude::*;
use sfumato::candidate::Groups;
use sfumato::criterion::knowledge::{Family, Shape, Target, Together};
use sfumato::criterion::minima::Quantity;
use sfumato::criterion::people::Several;
use sfumato::criterion::{Budget, Case};
use sfumato::data::{Column, Table};
use sfumato::exact::Fraction;
use sfumato::explore::{Company, Explorer, Grounding, Values};
use std::collections::BTreeMap;

/// A release: for every group its people, for every person her values.
type Release = Vec<Vec<Vec<u8>>>;

/// The value that is asked for.
const ASKED: u8 = 0;
const ASKED_NAME: &str = "v0";

fn name(value: u8) -> String {
    format!("v{value}")
}

/// One row for each person.
fn table(release: &Release) -> (Table, Groups) {
    let people = || release.iter().enumerate().flat_map(|(group, people)| people.iter().map(move |one| (group, one)));
    let cell = |values: &Vec<u8>| values.iter().map(|value| name(*value)).collect::<Vec<_>>().join(";");
    let table = Table::new(vec![
        Column::from_values("group", people().map(|(group, _)| format!("{group:03}"))),
        Column::from_values("value", people().map(|(_, values)| cell(values))),
    ]);
    let table = table.unwrap();
    let groups = Groups::by_columns(&[table.column("group").unwrap()], table.rows());
    (table, groups)
}

fn values(case: Case) -> Values<'static> {
    match case {
        Case::Single => Values::One,
        Case::Set => Values::Set(Several::Cell(";")),
        Case::Multiset => Values::Multiset(Several::Cell(";")),
    }
}

fn counts(people: &[Vec<u8>]) -> BTreeMap<u8, u32> {
    let mut counts = BTreeMap::new();
    people.iter().flatten().for_each(|value| *counts.entry(*value).or_insert(0) += 1);
    counts
}

/// What every group that has the value tells.
fn shapes(release: &Release) -> Vec<Shape> {
    let shape = |people: &Vec<Vec<u8>>| {
        let mut counts = counts(people);
        let own = u64::from(counts.remove(&ASKED)?);
        let mut others: Vec<u64> = counts.into_values().map(u64::from).collect();
        others.sort_unstable_by(|a, b| b.cmp(a));
        Some(Shape { people: people.len() as u64, own, others: others.into() })
    };
    release.iter().filter_map(shape).collect()
}

/// The negated ratio from the formulas, over all groups.
fn plainly(shapes: &[Shape], case: Case, budget: Budget) -> RBig {
    let Budget { l, k, m } = budget;
    let least = |quantity: &dyn Quantity| shapes.iter().map(|shape| quantity.exact(shape)).min().unwrap();
    let target = |k: u64| least(&Target { case, l, k });
    let family = |k: u64| least(&Family { case, m, k });
    least(&Together { case, budget }).min(target(0) * family(k)).min(target(k) * family(0))
}

fn is_safe_plainly(shapes: &[Shape], case: Case, budget: Budget, confidence: Fraction) -> bool {
    let belief = RBig::ONE / (plainly(shapes, case, budget) + RBig::ONE);
    belief < RBig::from_parts(confidence.num.into(), confidence.den.into())
}

/// All budgets up to what can matter.
fn budgets(shapes: &[Shape]) -> Vec<Budget> {
    let most = |of: fn(&Shape) -> u64| shapes.iter().map(of).max().unwrap_or(0);
    let (values, people) = (most(|shape| shape.others.len() as u64), most(|shape| shape.people));
    let all = (0..=values).flat_map(|l| (0..=people).flat_map(move |k| (0..=people).map(move |m| (l, k, m))));
    all.map(|(l, k, m)| Budget::new(l, k, m)).collect()
}

fn skyline_plainly(shapes: &[Shape], case: Case, confidence: Fraction) -> Vec<Budget> {
    let safe: Vec<Budget> =
        budgets(shapes).into_iter().filter(|budget| is_safe_plainly(shapes, case, *budget, confidence)).collect();
    let is_covered = |budget: &Budget| safe.iter().any(|other| other != budget && other.covers(*budget));
    let mut points: Vec<Budget> = safe.iter().copied().filter(|budget| !is_covered(budget)).collect();
    points.sort_by_key(|point| (point.l, point.m));
    points
}

fn fraction(number: &RBig) -> Fraction {
    let text = |number: String| number.parse::<u128>().unwrap();
    Fraction::new(text(number.numerator().to_string()), text(number.denominator().to_string()))
}

/// People with one value, or with several different ones, or with any.
fn releases(case: Case, groups: usize, people: usize, kinds: u8) -> BoxedStrategy<Release> {
    let person = match case {
        Case::Single => (0..kinds).prop_map(|value| vec![value]).boxed(),
        Case::Set => proptest::sample::subsequence((0..kinds).collect::<Vec<u8>>(), 0..=2).boxed(),
        Case::Multiset => proptest::collection::vec(0..kinds, 0..=2).boxed(),
    };
    proptest::collection::vec(proptest::collection::vec(person, 1..=people), 1..=groups).boxed()
}

fn cases(groups: usize, people: usize, kinds: u8) -> impl Strategy<Value = (Case, Release)> {
    prop_oneof![Just(Case::Single), Just(Case::Set), Just(Case::Multiset)]
        .prop_flat_map(move |case| (Just(case), releases(case, groups, people, kinds)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Also at confidences that some belief reaches exactly: that is not safe.
    #[test]
    fn the_skyline_is_that_of_all_budgets((case, release) in cases(4, 6, 4), share in 1u128..=20, tie in any::<prop::sample::Index>()) {
        let (table, groups) = table(&release);
        let explorer = Explorer::new(&table, &groups, "value", values(case), ASKED_NAME).unwrap();
        let shapes = shapes(&release);
        prop_assert_eq!(explorer.occurs(), !shapes.is_empty());
        if shapes.is_empty() {
            let nothing = explorer.explore(Fraction::new(share, 20));
            prop_assert!(nothing.points.is_empty() && nothing.worst.is_none() && nothing.having == 0);
            prop_assert!(explorer.is_safe(Budget::new(9, 9, 9), Fraction::new(1, 20)));
            return Ok(());
        }
        let all = budgets(&shapes);
        let reached = RBig::ONE / (plainly(&shapes, case, all[tie.index(all.len())]) + RBig::ONE);
        for confidence in [Fraction::new(share, 20), fraction(&reached)] {
            let points = explorer.skyline(confidence);
            prop_assert_eq!(&points, &skyline_plainly(&shapes, case, confidence), "{:?} {:?}", case, confidence);
            let found = explorer.explore(confidence);
            let worst = found.worst.unwrap();
            prop_assert!(!is_safe_plainly(&shapes, case, worst.budget, confidence));
            let size = |budget: &Budget| budget.l + budget.k + budget.m;
            let less = |budget: &&Budget| size(budget) < size(&worst.budget);
            prop_assert!(all.iter().filter(less).all(|budget| is_safe_plainly(&shapes, case, *budget, confidence)));
        }
    }

    /// Leaving out groups that cannot be worst changes no breach.
    #[test]
    fn leaving_out_groups_changes_no_breach((case, release) in cases(8, 7, 5)) {
        let (table, groups) = table(&release);
        let explorer = Explorer::new(&table, &groups, "value", values(case), ASKED_NAME).unwrap();
        let shapes = shapes(&release);
        for budget in budgets(&shapes).into_iter().step_by(5) {
            if shapes.is_empty() {
                prop_assert!(explorer.breach(budget).is_none());
                continue;
            }
            let ratio = plainly(&shapes, case, budget);
            prop_assert_eq!(explorer.negated_ratio(budget).unwrap(), ratio.clone(), "{:?} {:?}", case, budget);
            let belief = (RBig::ONE / (ratio + RBig::ONE)).to_f64().value();
            prop_assert!((explorer.breach(budget).unwrap().belief - belief).abs() < 1e-10);
        }
    }

    /// In all worlds in which what is granted is true, the target has the value as often as is
    /// said.
    #[test]
    fn the_worst_case_reaches_its_belief((case, release) in cases(3, 4, 3), l in 0u64..3, k in 0u64..4, m in 0u64..4) {
        let (table, groups) = table(&release);
        let explorer = Explorer::new(&table, &groups, "value", values(case), ASKED_NAME).unwrap();
        let budget = Budget::new(l, k, m);
        let Some(grounding) = explorer.worst(budget) else { return Ok(()) };
        let reached = belief_in_all_worlds(&release, &groups, case, &grounding);
        let said = RBig::ONE / (explorer.negated_ratio(budget).unwrap() + RBig::ONE);
        prop_assert_eq!(reached, said, "{:?} {:?}", case, grounding);
    }

    /// A group is exposed if a target in it is, relatives being wherever they tell most.
    #[test]
    fn exposed_groups_are_those_where_the_budget_suffices(
        (case, release) in cases(4, 5, 3), l in 0u64..2, k in 0u64..3, m in 0u64..3,
    ) {
        let (table, groups) = table(&release);
        let explorer = Explorer::new(&table, &groups, "value", values(case), ASKED_NAME).unwrap();
        let (shapes, budget) = (shapes(&release), Budget::new(l, k, m));
        let family = |k: u64| shapes.iter().map(|shape| Family { case, m, k }.exact(shape)).min().unwrap();
        let is_exposed = |shape: &&Shape| {
            let target = |k: u64| Target { case, l, k }.exact(shape);
            let ratio = Together { case, budget }.exact(shape).min(target(0) * family(k)).min(target(k) * family(0));
            ratio * RBig::from(2u8) <= RBig::ONE
        };
        let people: Vec<u64> = shapes.iter().filter(is_exposed).map(|shape| shape.people).collect();
        let exposed = explorer.exposed(budget, Fraction::new(2, 3));
        prop_assert_eq!((exposed.groups, exposed.people), (people.len() as u64, people.iter().sum()));
    }
}

/// A world: for every person of a group her values.
type World = Vec<Vec<u8>>;

/// Every world of a group, each as often as it is likely.
fn worlds(people: &[Vec<u8>], case: Case) -> Vec<World> {
    let empty = vec![Vec::new(); people.len()];
    let with = |world: &World, at: usize, value: u8| {
        let mut world = world.clone();
        world[at].push(value);
        world
    };
    let mut worlds = vec![empty];
    for (value, count) in counts(people) {
        worlds = worlds
            .iter()
            .flat_map(|world| {
                let places = (0..people.len() as u32).map(|at| 1u32 << at);
                let mut given = vec![(world.clone(), 0u32)];
                for _ in 0..count {
                    given = given
                        .iter()
                        .flat_map(|(world, last)| {
                            let free = |place: &u32| match case {
                                // Values are given to people in their order, each value once to
                                // each.
                                Case::Single => *place > *last && world[place.trailing_zeros() as usize].is_empty(),
                                Case::Set => *place > *last,
                                Case::Multiset => true,
                            };
                            places
                                .clone()
                                .filter(free)
                                .map(|place| (with(world, place.trailing_zeros() as usize, value), place))
                                .collect::<Vec<_>>()
                        })
                        .collect();
                }
                given.into_iter().map(|(world, _)| world).collect::<Vec<_>>()
            })
            .collect();
    }
    worlds
}

fn belief_in_all_worlds(release: &Release, groups: &Groups, case: Case, known: &Grounding) -> RBig {
    let place = |group: usize, record: usize| {
        groups.rows(group).iter().position(|&row| row as usize + 1 == record).expect("the record is in the group")
    };
    let target_group = known.target.group;
    let family_group = known.family.map_or(target_group, |family| family.group);
    let others_group = if known.company == Company::Family { family_group } else { target_group };
    let target = place(target_group, known.record.unwrap());
    let truth: Vec<&Vec<u8>> = release.iter().flatten().collect();
    let mut seen_values: BTreeMap<String, u64> = BTreeMap::new();
    let others_hold = |world: &World| {
        known.others.records.iter().all(|&record| {
            let has = &world[place(others_group, record)];
            if case == Case::Single { has == truth[record - 1] } else { !has.contains(&ASKED) }
        })
    };
    let eliminated = |world: &World| {
        known.eliminated.iter().all(|share| !world[target].iter().any(|value| name(*value) == share.value))
    };
    let relatives = |world: &World| {
        known.relatives.records.iter().all(|&record| !world[place(family_group, record)].contains(&ASKED))
    };
    // How many worlds of the target's group with and without the value fit, and how many of the
    // family's.
    let (mut having, mut lacking) = (0u64, 0u64);
    for world in worlds(&release[target_group], case) {
        if others_group == target_group && !others_hold(&world) {
            continue;
        }
        if world[target].contains(&ASKED) {
            having += 1;
        } else if eliminated(&world) && (family_group != target_group || relatives(&world)) {
            lacking += 1;
        }
    }
    if family_group != target_group {
        let fits = |world: &World| others_group != family_group || others_hold(world);
        let fitting: Vec<World> = worlds(&release[family_group], case).into_iter().filter(fits).collect();
        having *= fitting.len() as u64;
        lacking *= fitting.iter().filter(|world| relatives(world)).count() as u64;
    }
    for share in &known.others.values {
        *seen_values.entry(share.value.clone()).or_insert(0) += share.count;
    }
    if case == Case::Single {
        assert_eq!(seen_values.values().sum::<u64>(), known.others.people);
    }
    assert_eq!(known.others.records.len() as u64, known.others.people);
    RBig::from_parts(having.into(), (having + lacking).into())
}

#[test]
fn figure_3_by_hand() {
    let release: Release = vec![vec![vec![0], vec![1], vec![1], vec![0]], vec![vec![1], vec![2], vec![1], vec![0]]];
    let (table, groups) = table(&release);
    let budget = |(l, k, m): (u64, u64, u64)| Budget::new(l, k, m);
    let check = |value: &str, share: u128, expected: &[(u64, u64, u64)]| {
        let explorer = Explorer::new(&table, &groups, "value", Values::One, value).unwrap();
        let expected: Vec<Budget> = expected.iter().copied().map(budget).collect();
        assert_eq!(explorer.skyline(Fraction::new(share, 100)), expected, "{value} at {share} %");
    };
    check("v0", 95, &[(0, 1, 0), (0, 0, 1)]);
    check("v0", 60, &[(0, 0, 0)]);
    check("v0", 50, &[]); // two of four have it: half is reached without any knowledge
    check("v2", 95, &[(0, 2, 0), (0, 1, 1), (1, 0, 2)]);
    check("v9", 95, &[]);
}

#[test]
fn a_persons_records_must_be_together() {
    let table = Table::new(vec![
        Column::from_values("who", ["ann", "bob", "ann"]),
        Column::from_values("value", ["v0", "v1", "v1"]),
    ]);
    let table = table.unwrap();
    let values = Values::Set(Several::Records("who"));
    let whole = Groups::of_lists(&[vec![0, 1, 2]]);
    assert!(Explorer::new(&table, &whole, "value", values, ASKED_NAME).unwrap().occurs());
    let divided = Groups::of_lists(&[vec![0, 1], vec![2]]);
    let error = Explorer::new(&table, &divided, "value", values, ASKED_NAME).err().unwrap();
    assert!(error.message().contains("record 3 is in another group"));
}

/// The surface of a value that is rare in a large group has a corner for each m; and Adult takes
/// milliseconds.
#[test]
fn large_releases_are_quick() {
    let start = std::time::Instant::now();
    let people: Vec<Vec<u8>> = (0..20_000u32).map(|at| vec![u8::from(at > 0) + u8::from(at % 3 == 1)]).collect();
    let (large, one) = table(&vec![people]);
    let explorer = Explorer::new(&large, &one, "value", Values::One, ASKED_NAME).unwrap();
    assert!(explorer.skyline(Fraction::new(95, 100)).len() > 10_000);
    eprintln!("one group of 20,000: {:?}", start.elapsed());

    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/adult");
    let read = |name: &str| std::fs::read_to_string(path.join(name)).ok();
    let (Some(training), Some(test)) = (read("adult.data"), read("adult.test")) else {
        eprintln!("skipped: Adult is not at hand");
        return;
    };
    let rows: Vec<Vec<&str>> = training.lines().chain(test.lines()).map(|line| line.split(", ").collect()).collect();
    let rows: Vec<Vec<&str>> = rows.into_iter().filter(|row| row.len() == 15 && !row.contains(&"?")).collect();
    let age = |row: &Vec<&str>| row[0].parse::<u32>().unwrap().min(60) / 20;
    let table = Table::new(vec![
        Column::from_values("quasi", rows.iter().map(|row| format!("{:02} {}", age(row), row[9]))),
        Column::from_values("occupation", rows.iter().map(|row| row[6])),
    ]);
    let table = table.unwrap();
    let groups = Groups::by_columns(&[table.column("quasi").unwrap()], table.rows());
    let start = std::time::Instant::now();
    let explorer = Explorer::new(&table, &groups, "occupation", Values::One, "Exec-managerial").unwrap();
    let scanned = start.elapsed();
    let found = explorer.explore(Fraction::new(95, 100));
    eprintln!(
        "Adult, {} groups, {} different: scan {scanned:?}, all {:?}; {} points",
        groups.len(),
        explorer.different_groups(),
        start.elapsed(),
        found.points.len()
    );
    assert!(start.elapsed().as_millis() < 2_000);
}
