//! Attackers with a stated amount of knowledge, by counting: every possible world and everything
//! that could be known, for the privacy skyline and for (c,k)-safety.

use crate::support::cases;
use crate::support::dynamic_program::{Bucket, Semantics, breach};
use crate::support::worlds::{Fact, Release, Share, Worlds, counts, number_of_worlds};
use proptest::prelude::*;
use sfumato::audit::{audit_bound, audit_groups};
use sfumato::candidate::{Counter, Groups};
use sfumato::criterion::{Requirement, Verdict};
use sfumato::data::{Column, ColumnSpec, Role, Schema, Table};
use sfumato::plan::requirement;
use std::path::Path;

const ALL: [Semantics; 3] = [Semantics::Single, Semantics::Set, Semantics::Multiset];

/// How a person's values are written in a table.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Records,
    Cells,
}

fn schema() -> Schema {
    Schema::of(&["zip"], &["s"])
}

fn name(value: usize) -> String {
    format!("v{value}")
}

fn table_of(semantics: Semantics, form: Form, release: &Release) -> Table {
    let mut rows: Vec<(String, String, String)> = Vec::new();
    let mut number = 0;
    for (group, people) in release.iter().enumerate() {
        for person in people {
            number += 1;
            let values: Vec<String> = person.iter().map(|&value| name(value)).collect();
            let mut values = values;
            if (semantics, form) == (Semantics::Set, Form::Records) {
                // A set has each once; in a cell repetitions do not count.
                values.sort_unstable();
                values.dedup();
            }
            let cells = match form {
                Form::Records if semantics != Semantics::Single && !values.is_empty() => values,
                _ => vec![values.join(";")],
            };
            rows.extend(cells.into_iter().map(|cell| (group.to_string(), number.to_string(), cell)));
        }
    }
    // People with several records are not written one after another.
    let half = rows.len() / 2;
    rows.rotate_left(half);
    Table::new(vec![
        Column::from_values("zip", rows.iter().map(|row| &row.0)),
        Column::from_values("who", rows.iter().map(|row| &row.1)),
        Column::from_values("s", rows.iter().map(|row| &row.2)),
    ])
    .unwrap()
}

/// What a plan says about how many values people have.
fn case_of(semantics: Semantics, form: Form) -> &'static str {
    match (semantics, form) {
        (Semantics::Single, _) => "",
        (Semantics::Set, Form::Records) => "case = \"set\"\nperson = \"who\"\n",
        (Semantics::Set, Form::Cells) => "case = \"set\"\nseparator = \";\"\n",
        (Semantics::Multiset, Form::Records) => "case = \"multiset\"\nperson = \"who\"\n",
        (Semantics::Multiset, Form::Cells) => "case = \"multiset\"\nseparator = \";\"\n",
    }
}

fn skyline(words: &str, points: &str) -> Requirement {
    requirement(&format!("criterion = \"skyline\"\n{words}points = [{points}]"), &schema()).unwrap()
}

fn point(value: Option<usize>, (l, k, m): (usize, usize, usize), c: &str) -> String {
    let value = value.map_or(String::new(), |value| format!("value = \"{}\", ", name(value)));
    format!("{{ {value}l = {l}, k = {k}, m = {m}, c = \"{c}\" }}")
}

fn verdicts(table: &Table, wanted: &[Requirement]) -> Vec<Verdict> {
    let audit = sfumato::audit(table, &schema(), wanted, Path::new(".")).unwrap();
    audit.criteria.into_iter().map(|answer| answer.verdict).collect()
}

fn buckets(semantics: Semantics, release: &Release, values: usize, value: usize) -> Vec<Bucket> {
    let bucket = |group: &Vec<Vec<usize>>| {
        let counts: Vec<u32> = counts(semantics, group, values).iter().map(|&count| count as u32).collect();
        Bucket::new(group.len() as u32, &counts, value)
    };
    release.iter().map(bucket).collect()
}

/// Small releases: one value each, or up to three (the same may come twice).
fn release(semantics: Semantics, values: usize, groups: usize, people: usize) -> impl Strategy<Value = Release> {
    let held = if semantics == Semantics::Single { 1..=1 } else { 0..=3 };
    let person = proptest::collection::vec(0..values, held);
    proptest::collection::vec(proptest::collection::vec(person, 1..=people), 1..=groups)
}

/// Leaves out people, then groups, until there are few enough worlds.
fn trimmed(semantics: Semantics, mut release: Release, values: usize, most: u128) -> Release {
    while number_of_worlds(semantics, &release, values) > most {
        let largest = (0..release.len()).max_by_key(|&at| release[at].len()).expect("a group");
        match release[largest].iter_mut().max_by_key(|person| person.len()) {
            Some(person) if semantics != Semantics::Single && person.len() > 1 => drop(person.pop()),
            _ => drop(release[largest].pop()),
        }
    }
    release.retain(|group| !group.is_empty());
    release
}

fn occurs(semantics: Semantics, group: &[Vec<usize>], values: usize, value: usize) -> bool {
    counts(semantics, group, values)[value] > 0
}

/// The breach of every value and budget by counting worlds is the measured one; at exactly that
/// confidence the criterion fails, and above it holds.
fn check_by_counting(semantics: Semantics, form: Form, release: &Release, values: usize, most: (usize, usize, usize)) {
    let worlds = Worlds::new(semantics, release, values);
    let table = table_of(semantics, form, release);
    let words = case_of(semantics, form);
    let mut wanted = Vec::new();
    let mut expected = Vec::new();
    for value in (0..values).filter(|&value| release.iter().any(|group| occurs(semantics, group, values, value))) {
        for (budget @ (_, k, m), counted) in worlds.breaches(value, most) {
            let holding = release.iter().filter(|group| occurs(semantics, group, values, value));
            let fits = holding.clone().all(|group| group.len() > k + m);
            let belief = if fits { counted } else { Share(1, 1) };
            let (at, above) = belief.decimals();
            wanted.push(skyline(words, &point(Some(value), budget, &at)));
            expected.push((value, budget, belief, false));
            if let Some(above) = above {
                wanted.push(skyline(words, &point(Some(value), budget, &above)));
                expected.push((value, budget, belief, true));
            }
        }
    }
    for (verdict, (value, budget, belief, holds)) in verdicts(&table, &wanted).into_iter().zip(expected) {
        let about = || format!("{semantics:?} {form:?} {release:?}, value {value}, {budget:?}, {belief:?}");
        let reached = &verdict.points[0];
        assert!((reached.measured - belief.to_f64()).abs() < 1e-12, "{}: {}", about(), reached.measured);
        assert_eq!((reached.holds, verdict.holds), (holds, holds), "{}", about());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(100), ..ProptestConfig::default() })]

    #[test]
    fn one_value_each_by_counting(values in 2usize..5, seed in release(Semantics::Single, 4, 3, 5)) {
        let folded: Release = seed.into_iter().map(|group| group.into_iter().map(|person| vec![person[0] % values]).collect()).collect();
        let release = trimmed(Semantics::Single, folded, values, 700);
        check_by_counting(Semantics::Single, Form::Records, &release, values, (2, 2, 2));
    }

    #[test]
    fn sets_by_counting(release in release(Semantics::Set, 3, 3, 4), cells: bool) {
        let release = trimmed(Semantics::Set, release, 3, 2_000);
        let form = if cells { Form::Cells } else { Form::Records };
        check_by_counting(Semantics::Set, form, &release, 3, (2, 2, 2));
    }

    #[test]
    fn multisets_by_counting(release in release(Semantics::Multiset, 3, 2, 4), cells: bool) {
        let release = trimmed(Semantics::Multiset, release, 3, 4_500);
        let form = if cells { Form::Cells } else { Form::Records };
        check_by_counting(Semantics::Multiset, form, &release, 3, (2, 2, 2));
    }

    /// The dynamic program, which knows nothing of congregating, reaches the same on larger
    /// releases, for single values and for all of them.
    #[test]
    fn the_dynamic_program_agrees(
        seeds in proptest::collection::vec((1usize..60, proptest::collection::vec(0u32..12, 6)), 1..12),
        (l, k, m) in (0usize..4, 0usize..9, 0usize..9),
    ) {
        const VALUES: usize = 6;
        for semantics in ALL {
            // Weights of values by group, so that groups differ; with several values per person, up
            // to two.
            let draw = |person: usize, weights: &[u32]| {
                let total = weights.iter().sum::<u32>().max(1);
                let mut at = (person as u32 * 7919 + 13) % total;
                weights.iter().position(|&weight| { let here = at < weight; at = at.saturating_sub(weight); here }).unwrap_or(0)
            };
            let release: Release = seeds.iter().map(|(people, weights)| (0..*people).map(|person| match semantics {
                Semantics::Single => vec![draw(person, weights)],
                _ => (0..person % 3).map(|more| draw(person + 31 * more * (person % 2), weights)).collect(),
            }).collect()).collect();
            let words = case_of(semantics, Form::Cells);
            let present: Vec<usize> = (0..VALUES).filter(|&value| release.iter().any(|group| occurs(semantics, group, VALUES, value))).collect();
            let expected: Vec<f64> = present.iter().map(|&value| breach(semantics, &buckets(semantics, &release, VALUES, value), (l, k, m))).collect();
            let mut wanted: Vec<Requirement> = present.iter().map(|&value| skyline(words, &point(Some(value), (l, k, m), "1"))).collect();
            wanted.push(skyline(words, &point(None, (l, k, m), "0.5")));
            let found = verdicts(&table_of(semantics, Form::Cells, &release), &wanted);
            for (verdict, expected) in found.iter().zip(&expected) {
                let measured = verdict.points[0].measured;
                prop_assert!((measured - expected).abs() < 1e-9, "{semantics:?}: {measured} {expected}");
            }
            let highest = expected.iter().copied().fold(0.0, f64::max);
            let all = found.last().expect("one for all values");
            prop_assert!((all.points[0].measured - highest).abs() < 1e-9, "{semantics:?}: all values");
            prop_assert!((highest - 0.5).abs() < 1e-9 || all.holds == (highest < 0.5));
        }
    }

    /// Proposition 3: k-anonymity is identity as the sensitive value, k − 2 others known, and
    /// certainty to avoid.
    #[test]
    fn k_anonymity_is_a_skyline(sizes in proptest::collection::vec(1usize..9, 1..6), k in 2usize..8) {
        let groups: Vec<usize> = sizes.iter().enumerate().flat_map(|(group, &size)| std::iter::repeat_n(group, size)).collect();
        let table = Table::new(vec![
            Column::from_values("zip", groups.iter().map(usize::to_string)),
            Column::from_values("s", (0..groups.len()).map(|person| format!("person {person}"))),
        ]).unwrap();
        let wanted = [
            requirement(&format!("criterion = \"k-anonymity\"\nk = {k}"), &schema()).unwrap(),
            skyline("", &point(None, (0, k - 2, 0), "1")),
        ];
        let found = verdicts(&table, &wanted);
        prop_assert_eq!(found[0].holds, found[1].holds);
        prop_assert_eq!(found[0].holds, sizes.iter().all(|&size| size >= k));
    }

    /// Proposition 4: recursive (c, l)-diversity is l − 2 values known not to be the target's, and
    /// confidence c/(c + 1). (c,k)-safety with as many implications asks for no less; without any
    /// it is the same.
    #[test]
    fn recursive_diversity_is_a_skyline(release in release(Semantics::Single, 5, 3, 14), l in 2usize..6) {
        let table = table_of(Semantics::Single, Form::Records, &release);
        for (c, confidence) in [("3", "0.75"), ("1", "0.5"), ("4", "0.8"), ("0.25", "0.2"), ("1.5", "0.6"), ("9", "0.9")] {
            let wanted = [
                requirement(&format!("criterion = \"recursive-cl-diversity\"\nc = {c}\nl = {l}"), &schema()).unwrap(),
                skyline("", &point(None, (l - 2, 0, 0), confidence)),
                requirement(&format!("criterion = \"ck-safety\"\nc = {confidence}\nk = {}", l - 2), &schema()).unwrap(),
            ];
            let found = verdicts(&table, &wanted);
            prop_assert_eq!(found[0].holds, found[1].holds, "c = {}, l = {}", c, l);
            prop_assert!(!found[2].holds || found[0].holds, "c = {}, l = {}", c, l);
            prop_assert!(l > 2 || found[2].holds == found[0].holds);
        }
    }

    /// With one value each, merging two groups raises no breach, whatever is known.
    #[test]
    fn merging_raises_no_breach(release in release(Semantics::Single, 4, 4, 12), first in 0usize..4, second in 0usize..4) {
        let (first, second) = (first % release.len(), second % release.len());
        let mut merged = release.clone();
        if first != second {
            let more = std::mem::take(&mut merged[second]);
            merged[first].extend(more);
            merged.remove(second);
        }
        let budgets = (0..3).flat_map(|l| (0..4).flat_map(move |k| (0..4).map(move |m| (l, k, m))));
        let wanted: Vec<Requirement> = budgets.map(|budget| skyline("", &point(None, budget, "1"))).collect();
        let before = verdicts(&table_of(Semantics::Single, Form::Records, &release), &wanted);
        let after = verdicts(&table_of(Semantics::Single, Form::Records, &merged), &wanted);
        for ((before, after), wanted) in before.iter().zip(&after).zip(&wanted) {
            prop_assert!(after.points[0].measured <= before.points[0].measured + 1e-12, "{:?}", wanted.criterion.params);
        }
    }

    /// If the table as one group holds, it holds beside any others too; groups that do hold
    /// together.
    #[test]
    fn what_holds_among_others(
        seed in release(Semantics::Single, 4, 3, 20), again in 1usize..6, (l, k, m) in (0usize..3, 0usize..4, 0usize..4), c in 1u32..100,
    ) {
        let repeat = |group: &Vec<Vec<usize>>| (0..again).flat_map(|_| group.iter().cloned()).collect::<Vec<_>>();
        let release: Release = seed.iter().map(repeat).collect();
        let table = table_of(Semantics::Single, Form::Records, &release);
        let c = format!("{:.2}", f64::from(c) / 100.0);
        let implications = requirement(&format!("criterion = \"ck-safety\"\nk = {k}\nc = {c}"), &schema()).unwrap();
        for wanted in [skyline("", &point(None, (l, k, m), &c)), implications] {
            let bound = wanted.bind(&table, &schema(), Path::new(".")).unwrap();
            let codes = table.column("s").unwrap().codes();
            let mut counter = Counter::new(table.column("s").unwrap().domain().len());
            let whole = counter.count(0, codes.iter().copied());
            prop_assert_eq!(bound.criterion.holds(&whole), bound.criterion.holds_among(&whole), "{} {:?}", wanted.criterion.kind.name, wanted.criterion.params);
            let groups = Groups::by_columns(&[table.column("zip").unwrap()], table.rows());
            let sure: Vec<Vec<u32>> = (0..groups.len())
                .filter(|&group| bound.criterion.holds_among(&counter.count(group, groups.rows(group).iter().map(|&row| codes[row as usize]))))
                .map(|group| groups.rows(group).to_vec())
                .collect();
            let found = audit_bound(&table, &Groups::of_lists(&sure), std::slice::from_ref(&wanted), &[bound]).unwrap();
            prop_assert!(found.holds());
        }
    }

    /// (c,k)-safety by counting: every k implications, whoever they are about, and every target.
    #[test]
    fn implications_by_counting(values in 2usize..5, seed in release(Semantics::Single, 4, 3, 5)) {
        let folded: Release = seed.into_iter().map(|group| group.into_iter().map(|person| vec![person[0] % values]).collect()).collect();
        let release = trimmed(Semantics::Single, folded, values, 200);
        let most = if release.iter().map(Vec::len).sum::<usize>() * values > 20 { 2 } else { 3 };
        let counted = Worlds::new(Semantics::Single, &release, values).with_implications(most);
        let table = table_of(Semantics::Single, Form::Records, &release);
        for (k, belief) in counted.into_iter().enumerate() {
            let (at, above) = belief.decimals();
            let wanted = |c: &str| requirement(&format!("criterion = \"ck-safety\"\nk = {k}\nc = \"{c}\""), &schema()).unwrap();
            let found = verdicts(&table, &[wanted(&at)]).remove(0);
            let measured = found.measured.expect("a group");
            prop_assert!((measured - belief.to_f64()).abs() < 1e-12, "{release:?} k = {k}: {measured} {belief:?}");
            prop_assert!(!found.holds, "{release:?} k = {k} {belief:?}");
            if let Some(above) = above {
                prop_assert!(verdicts(&table, &[wanted(&above)])[0].holds, "{release:?} k = {k} {belief:?}");
            }
        }
    }
}

/// Groups that hold among others are found where there is room: the property above is not empty.
#[test]
fn groups_of_a_spread_out_table_hold_among_others() {
    let release: Release = (0..6).map(|group| (0..40 + group).map(|person| vec![person % 8]).collect()).collect();
    let table = table_of(Semantics::Single, Form::Records, &release);
    let groups = Groups::by_columns(&[table.column("zip").unwrap()], table.rows());
    let column = table.column("s").unwrap();
    for text in [
        "criterion = \"skyline\"\npoints = [{ l = 1, k = 3, m = 3, c = 0.6 }]",
        "criterion = \"skyline\"\npoints = [{ l = 1, k = 3, m = 3, c = 1 }]",
        "criterion = \"ck-safety\"\nk = 2\nc = 0.6",
    ] {
        let wanted = requirement(text, &schema()).unwrap();
        let bound = wanted.bind(&table, &schema(), Path::new(".")).unwrap();
        assert!(bound.criterion.is_cross_group());
        let mut counter = Counter::new(column.domain().len());
        for group in 0..groups.len() {
            let codes = groups.rows(group).iter().map(|&row| column.codes()[row as usize]);
            assert!(bound.criterion.holds_among(&counter.count(group, codes)), "{text}, group {group}");
        }
        assert!(audit_groups(&table, &schema(), &groups, &[wanted], Path::new(".")).unwrap().holds());
    }
}

/// Figure 3: Tom has AIDS with 1/4; with 1/3 for who knows that he has no cancer; with 1/2 for who
/// also knows that Gary has the flu.
#[test]
fn tom_of_figure_3() {
    let (aids, flu, cancer) = (0, 1, 2);
    let release: Release =
        vec![vec![vec![aids], vec![flu], vec![flu], vec![aids]], vec![vec![flu], vec![cancer], vec![flu], vec![aids]]];
    let (gary, tom) = (6, 7);
    let worlds = Worlds::new(Semantics::Single, &release, 3);
    let belief = |known: &[Fact]| worlds.belief((tom, aids), known).expect("it is possible").to_f64();
    assert_eq!(belief(&[]), 1.0 / 4.0);
    assert_eq!(belief(&[Fact::Lacks(tom, cancer)]), 1.0 / 3.0);
    assert_eq!(belief(&[Fact::Lacks(tom, cancer), Fact::Has(gary, flu)]), 1.0 / 2.0);
    // That he does not have the flu is the worst that can be known about him; and then that
    // somebody else has cancer.
    let own: Release = vec![release[1].clone()];
    let worst = |budget| {
        verdicts(&table_of(Semantics::Single, Form::Records, &own), &[skyline("", &point(Some(aids), budget, "1"))])[0]
            .points[0]
            .measured
    };
    assert_eq!(worst((0, 0, 0)), 1.0 / 4.0);
    assert_eq!(worst((1, 0, 0)), 1.0 / 2.0);
    assert_eq!(worst((1, 0, 0)), belief(&[Fact::Lacks(tom, flu)]));
    assert_eq!(worst((1, 1, 0)), 1.0);
    assert_eq!(worst((1, 1, 0)), belief(&[Fact::Lacks(tom, flu), Fact::Has(5, cancer)]));
}

/// With several values per person, merging groups can raise a breach: values that come together
/// with the one in question reach people of whom they told nothing before. Theorem 4 does not
/// extend to these cases.
#[test]
fn merging_may_raise_a_breach_with_several_values() {
    // Somebody with b and c joins two people of whom one has a: half each becomes 9 in 17.
    let set: Release = vec![vec![vec![1, 2]], vec![vec![0], vec![]]];
    // Somebody with b twice joins them.
    let multiset: Release = vec![vec![vec![1, 1]], vec![vec![0], vec![]]];
    for (semantics, release, l) in [(Semantics::Set, set, 2), (Semantics::Multiset, multiset, 1)] {
        let merged: Release = vec![release.concat()];
        for (release, expected) in [(release, Share(1, 2)), (merged, Share(9, 17))] {
            let counted = Worlds::new(semantics, &release, 3).breaches(0, (l, 0, 0)).pop().expect("the whole budget").1;
            assert_eq!(counted.to_f64(), expected.to_f64());
            for form in [Form::Records, Form::Cells] {
                let wanted = skyline(case_of(semantics, form), &point(Some(0), (l, 0, 0), "0.52"));
                let found = verdicts(&table_of(semantics, form, &release), std::slice::from_ref(&wanted)).remove(0);
                assert!((found.points[0].measured - expected.to_f64()).abs() < 1e-12, "{semantics:?} {form:?}");
                assert_eq!(found.holds, expected.to_f64() < 0.52, "{semantics:?} {form:?}");
                let bound = wanted.bind(&table_of(semantics, form, &release), &schema(), Path::new(".")).unwrap();
                assert!(!bound.criterion.properties().is_monotone());
            }
        }
    }
}

/// Recursive diversity does not imply (c,k)-safety with as many implications: these may be about
/// other people, whose likely values tell more than a rare one of the target.
#[test]
fn diversity_is_weaker_than_safety() {
    let release: Release = vec![[vec![vec![0]; 6], vec![vec![1], vec![2], vec![3], vec![4]]].concat()];
    let table = table_of(Semantics::Single, Form::Records, &release);
    let diverse = requirement("criterion = \"recursive-cl-diversity\"\nc = 3\nl = 3", &schema()).unwrap();
    let safe = requirement("criterion = \"ck-safety\"\nk = 1\nc = 0.75", &schema()).unwrap();
    let found = verdicts(&table, &[diverse, safe]);
    assert!(found[0].holds && !found[1].holds, "{found:?}");
    let counted = Worlds::new(Semantics::Single, &release, 5).with_implications(1)[1];
    assert!((found[1].measured.unwrap() - counted.to_f64()).abs() < 1e-12);
}

/// Points are checked as they are read; what is wrong is said without a value of the table.
#[test]
fn points_are_checked() {
    let refused = |points: &str, parts: &[&str]| {
        let text = format!("criterion = \"skyline\"\npoints = {points}");
        let message = requirement(&text, &schema()).err().expect("refused").to_string();
        parts.iter().for_each(|part| assert!(message.contains(part), "{message:?} lacks {part:?}"));
    };
    refused("[]", &["without a point"]);
    refused("3", &["a number"]);
    refused("[1]", &["item 1"]);
    refused("[{ l = 1 }]", &["point 1", "no confidence c"]);
    refused("[{ c = 0 }]", &["confidence c"]);
    refused("[{ c = 1.01 }]", &["confidence c"]);
    refused("[{ c = -0.5 }]", &["confidence c"]);
    refused("[{ l = -1, c = 1 }]", &["point 1"]);
    refused("[{ l = 0.5, c = 1 }]", &["point 1"]);
    refused("[{ c = 1, n = 3 }]", &["\"n\"", "none of"]);
    refused("[{ c = 1, l = [2] }]", &["point 1"]);
    refused("[{ l = 1, c = 0.5 }, { l = 1, k = 1, c = 0.5 }]", &["point 1", "follows from point 2"]);
    refused("[{ l = 1, c = 0.5 }, { l = 1, c = 0.5 }]", &["follows from"]);
    refused("[{ l = 1, k = 1, c = 0.5 }, { l = 1, c = 0.6 }]", &["point 2", "follows from point 1"]);
    let allowed = |points: &str| {
        assert!(requirement(&format!("criterion = \"skyline\"\npoints = {points}"), &schema()).is_ok(), "{points}");
    };
    allowed("[{ l = 1, k = 1, c = 0.6 }, { l = 1, c = 0.5 }]");
    allowed("[{ value = \"a\", l = 1, c = 0.5 }, { value = \"b\", l = 1, c = 0.5 }, { l = 1, c = 0.5 }]");
    allowed("[{ c = \"0.333333333333333333333\" }]");
}

#[test]
fn what_is_written_must_fit_the_table() {
    let table = table_of(Semantics::Set, Form::Cells, &vec![vec![vec![0, 1], vec![1], vec![2]]]);
    let refused = |words: &str, points: &str, part: &str| {
        let wanted = skyline(words, points);
        let message = wanted.bind(&table, &schema(), Path::new(".")).err().expect("refused").to_string();
        assert!(message.contains(part), "{message:?} lacks {part:?}");
        assert!(!message.contains("v1"), "{message:?} tells a value");
    };
    refused("", "{ value = \"nothing\", c = 1 }", "no record has the value of point 1");
    refused("case = \"set\"\n", "{ c = 1 }", "where are a person's several values?");
    refused("separator = \";\"\n", "{ c = 1 }", "people with several values");
    refused("person = \"who\"\n", "{ c = 1 }", "people with several values");
    refused("case = \"set\"\nseparator = \";\"\nperson = \"who\"\n", "{ c = 1 }", "not both");
    refused("case = \"set\"\nperson = \"zip\"\n", "{ c = 1 }", "identifier");
    refused("case = \"set\"\nperson = \"nobody\"\n", "{ c = 1 }", "nobody");
    assert!(requirement("criterion = \"skyline\"\ncase = \"bag\"\npoints = [{ c = 1 }]", &schema()).is_err());
}

/// People whose records are in several groups cannot be judged.
#[test]
fn people_in_two_groups_are_refused() {
    let table = Table::new(vec![
        Column::from_values("zip", ["1", "2"]),
        Column::from_values("who", ["ann", "ann"]),
        Column::from_values("s", ["flu", "aids"]),
    ])
    .unwrap();
    let wanted = skyline("case = \"set\"\nperson = \"who\"\n", "{ c = 1 }");
    let message = sfumato::audit(&table, &schema(), &[wanted], Path::new(".")).err().expect("refused").to_string();
    assert!(message.contains("same person") && !message.contains("ann"), "{message}");
}

/// A point with a value is for that value alone, one without for all that no point names; and for
/// those only if they need protection.
#[test]
fn points_are_for_the_values_they_name() {
    let release: Release = vec![[vec![vec![0]; 6], vec![vec![1]; 3], vec![vec![2]]].concat()];
    let table = table_of(Semantics::Single, Form::Records, &release);
    let measured = |points: &str, schema: &Schema| {
        let wanted = requirement(&format!("criterion = \"skyline\"\npoints = [{points}]"), schema).unwrap();
        let audit = sfumato::audit(&table, schema, &[wanted], Path::new(".")).unwrap();
        audit.criteria[0].verdict.points.iter().map(|point| point.measured).collect::<Vec<_>>()
    };
    let check = |points: &str, schema: &Schema, expected: &[f64]| {
        let found = measured(points, schema);
        assert_eq!(found.len(), expected.len());
        found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{points}: {found:?}"));
    };
    check("{ c = 0.5 }", &schema(), &[0.6]);
    check("{ value = \"v1\", c = 0.5 }", &schema(), &[0.3]);
    check("{ value = \"v0\", c = 0.7 }, { c = 0.5 }", &schema(), &[0.6, 0.3]);
    check(
        "{ value = \"v0\", c = 0.7 }, { value = \"v0\", l = 1, c = 1 }, { c = 0.5 }",
        &schema(),
        &[0.6, 6.0 / 7.0, 0.3],
    );
    let mut sensitive = ColumnSpec::new("s", Role::Sensitive);
    sensitive.sensitive_values = vec!["v2".to_string()];
    let only = Schema::new(vec![ColumnSpec::new("zip", Role::Quasi), sensitive]);
    check("{ c = 0.5 }", &only, &[0.1]);
    check("{ value = \"v0\", c = 0.7 }, { c = 0.5 }", &only, &[0.6, 0.1]);
    check("{ value = \"v2\", c = 0.7 }, { c = 0.5 }", &only, &[0.1, 0.0]);
}
