//! Promises that every criterion keeps, checked by looping over the list: a new criterion is tested
//! before anyone writes its tests.

use crate::support::{COUNT_PEOPLE, DISEASE, Row, naive, requirement_of, table_of, text_of};
use proptest::prelude::*;
use sfumato::audit::{audit_bound, audit_groups};
use sfumato::candidate::{Counter, Groups};
use sfumato::criterion::{Codes, Evidence, KINDS, On, Requirement, Subject};
use sfumato::data::{Column, Role, Schema, Table};
use sfumato::exact::Fraction;
use sfumato::kind::{Raw, Shape};
use sfumato::plan::requirement;
use sfumato::skew::Ranked;
use std::collections::BTreeSet;
use std::path::Path;

fn schema() -> Schema {
    Schema::of(&["zip"], &["disease", "drug"])
}

fn rows(length: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec(
        (0u32..4, 0u32..4, 0u32..3).prop_map(|(zip, disease, drug)| Row { zip, disease, drug }),
        length,
    )
}

/// Every criterion with its example parameters, and with the parameter sets of `support`.
fn requirements() -> Vec<Requirement> {
    KINDS.iter().flat_map(|kind| requirement_of(kind, &schema())).collect()
}

fn bind(wanted: &Requirement, table: &Table) -> sfumato::criterion::Bound {
    wanted
        .bind(table, &schema(), Path::new("."))
        .unwrap_or_else(|error| panic!("{}: {error}", wanted.criterion.kind.name))
}

#[test]
fn descriptions_are_complete() {
    let mut names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    for kind in KINDS {
        assert!(kind.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", kind.name);
        assert!(!kind.summary.is_empty() && !kind.reference.is_empty(), "{}", kind.name);
        for param in kind.params {
            assert!(!param.summary.is_empty(), "{} {}", kind.name, param.name);
        }
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), KINDS.len(), "names differ");
}

#[test]
fn parameters_out_of_range_are_refused() {
    for kind in KINDS {
        for (at, param) in kind.params.iter().enumerate() {
            let wrong: &[&str] = match param.shape {
                Shape::Count(0) => &["-1", "2.5", "nan", "99999999999"],
                Shape::Count(_) => &["0", "-1", "2.5", "nan", "99999999999"],
                Shape::Decimal(_) => &["-1", "nan", "inf", "-0", "x", "101"],
                _ => continue,
            };
            for text in wrong {
                let unbounded = *text == "101" && matches!(param.shape, Shape::Decimal(range) if range.high.is_none());
                let written: Vec<(&str, Raw)> = kind
                    .params
                    .iter()
                    .enumerate()
                    .filter(|(other, other_param)| *other == at || other_param.default.is_none())
                    .map(|(other, param)| {
                        let example =
                            kind.example.iter().find(|(name, _)| *name == param.name).map_or("1", |pair| pair.1);
                        (param.name, Raw::Number(if other == at { text } else { example }.to_string()))
                    })
                    .collect();
                assert_eq!(kind.check(&written).is_err(), !unbounded, "{} {} = {text}", kind.name, param.name);
            }
        }
    }
}

proptest! {
    /// Evidence combines in any order and any grouping of the groups.
    #[test]
    fn evidence_is_a_fold(rows in rows(1..30), cut in 0usize..5) {
        let table = table_of(&rows);
        let groups = Groups::by_columns(&[table.column("zip").unwrap()], table.rows());
        for wanted in requirements() {
            let bound = bind(&wanted, &table);
            let evidence: Vec<Evidence> = (0..groups.len()).map(|group| evidence_of(&bound, &table, &groups, group)).collect();
            let forth = evidence.iter().cloned().fold(Evidence::none(), Evidence::combine);
            let back = evidence.iter().rev().cloned().fold(Evidence::none(), Evidence::combine);
            let (left, right) = evidence.split_at(cut.min(evidence.len()));
            let part = |part: &[Evidence]| part.iter().cloned().fold(Evidence::none(), Evidence::combine);
            let together = part(right).combine(part(left));
            for other in [&back, &together] {
                prop_assert_eq!(bound.criterion.verdict(&forth), bound.criterion.verdict(other), "{}", wanted.criterion.kind.name);
            }
        }
    }

    /// A criterion that says it is monotone survives merging any two groups.
    #[test]
    fn monotone_criteria_survive_merging(rows in rows(2..40), first in 0u32..4, second in 0u32..4) {
        let table = table_of(&rows);
        let zips: Vec<u32> = rows.iter().map(|row| row.zip).collect();
        let merged: Vec<u32> = zips.iter().map(|&zip| if zip == second { first } else { zip }).collect();
        let before = groups_of(&zips);
        let after = groups_of(&merged);
        for wanted in requirements() {
            if !bind(&wanted, &table).criterion.properties().is_monotone() {
                continue;
            }
            let holds = |groups: &Groups| {
                audit_groups(&table, &schema(), groups, std::slice::from_ref(&wanted), Path::new(".")).unwrap().holds()
            };
            prop_assert!(!holds(&before) || holds(&after), "{} {:?}", wanted.criterion.kind.name, wanted.criterion.params);
        }
    }

    /// The quick answer of a search is that of the evidence; what a group needs at least, it has;
    /// and a criterion that says so survives any growth.
    #[test]
    fn searches_may_rely_on_quick_answers(rows in rows(2..40), first in 0u32..4, second in 0u32..4) {
        let table = table_of(&rows);
        let zips: Vec<u32> = rows.iter().map(|row| row.zip).collect();
        let merged: Vec<u32> = zips.iter().map(|&zip| if zip == second { first } else { zip }).collect();
        for wanted in requirements() {
            let bound = bind(&wanted, &table);
            let before = groups_of(&zips);
            for group in 0..before.len() {
                let (quick, slow, size, values) = with_histogram(&bound, &table, &before, group, |histogram| {
                    let criterion = &bound.criterion;
                    (criterion.holds(histogram), criterion.evidence(histogram).holds(), histogram.size(), histogram.entries().len())
                });
                prop_assert_eq!(quick, slow, "{}", wanted.criterion.kind.name);
                let least = bound.criterion.properties().least;
                prop_assert!(!quick || size >= least.size, "{} {:?}", wanted.criterion.kind.name, wanted.criterion.params);
                let counts_values = !matches!(bound.subject, Subject::Nothing);
                prop_assert!(!quick || !counts_values || values as u64 >= least.values, "{} {:?}", wanted.criterion.kind.name, wanted.criterion.params);
            }
            if bound.criterion.properties().survives_growth() {
                let after = groups_of(&merged);
                let holds = |groups: &Groups, row: u32| {
                    let group = (0..groups.len()).find(|&group| groups.rows(group).contains(&row)).expect("a group");
                    with_histogram(&bound, &table, groups, group, |histogram| bound.criterion.holds(histogram))
                };
                for row in 0..rows.len() as u32 {
                    prop_assert!(!holds(&before, row) || holds(&after, row), "{}", wanted.criterion.kind.name);
                }
            }
        }
    }

    /// Groups that hold beside whatever others hold together, one by one they hold too, and a
    /// criterion that joins no groups says the same of both.
    #[test]
    fn groups_that_hold_among_others_hold_together(rows in rows(2..60), again in 1usize..5) {
        let rows: Vec<Row> = (0..again).flat_map(|_| rows.iter().copied()).collect();
        let table = table_of(&rows);
        let groups = groups_of(&rows.iter().map(|row| row.zip).collect::<Vec<_>>());
        for wanted in requirements() {
            let bound = bind(&wanted, &table);
            let judged: Vec<(bool, bool)> = (0..groups.len()).map(|group| {
                with_histogram(&bound, &table, &groups, group, |histogram| {
                    (bound.criterion.holds(histogram), bound.criterion.holds_among(histogram))
                })
            }).collect();
            prop_assert!(judged.iter().all(|(alone, among)| !among || *alone), "{} {:?}", wanted.criterion.kind.name, wanted.criterion.params);
            prop_assert!(bound.criterion.is_cross_group() || judged.iter().all(|(alone, among)| alone == among), "{}", wanted.criterion.kind.name);
            let sure: Vec<Vec<u32>> =
                (0..groups.len()).filter(|&group| judged[group].1).map(|group| groups.rows(group).to_vec()).collect();
            let audit = audit_bound(&table, &Groups::of_lists(&sure), std::slice::from_ref(&wanted), std::slice::from_ref(&bound));
            prop_assert!(audit.unwrap().holds(), "{} {:?}", wanted.criterion.kind.name, wanted.criterion.params);
        }
    }

    /// As many records as a criterion says, or more, must go before what is left of a group
    /// satisfies it: every part of the group is tried.
    #[test]
    fn what_must_be_removed_is_never_overstated(rows in rows(1..9)) {
        let table = table_of(&rows);
        for wanted in requirements() {
            let bound = bind(&wanted, &table);
            let judge = |chosen: &[u32]| {
                let groups = groups_of(&chosen.iter().map(|_| 0).collect::<Vec<_>>()).mapped(chosen);
                with_histogram(&bound, &table, &groups, 0, |histogram| {
                    (bound.criterion.holds(histogram), bound.criterion.least_removed(histogram))
                })
            };
            let all: Vec<u32> = (0..rows.len() as u32).collect();
            let (holds, least) = judge(&all);
            if holds {
                continue;
            }
            for part in 1u32..1 << rows.len() {
                let chosen: Vec<u32> = all.iter().copied().filter(|row| part >> row & 1 == 1).collect();
                let removed = (rows.len() - chosen.len()) as u64;
                prop_assert!(removed >= least || !judge(&chosen).0, "{} {:?}: {} suffice, not {}", wanted.criterion.kind.name, wanted.criterion.params, removed, least);
            }
            prop_assert!(least <= rows.len() as u64 || wanted.criterion.kind.name.contains("recursive"));
        }
    }

    /// The verdict and the measured value are those of a plain reading of the definition in floats,
    /// away from the threshold.
    #[test]
    fn verdicts_are_those_of_the_definition(rows in rows(1..40)) {
        let table = table_of(&rows);
        for wanted in requirements() {
            let found = sfumato::audit(&table, &schema(), std::slice::from_ref(&wanted), Path::new(".")).unwrap();
            let verdict = &found.criteria[0].verdict;
            let plain = naive(&wanted, &rows, DISEASE.values);
            match verdict.measured {
                Some(measured) => prop_assert!((measured - plain.measured).abs() < 1e-9, "{} {:?}: {} ≠ {}", wanted.criterion.kind.name, wanted.criterion.params, measured, plain.measured),
                None => prop_assert!(plain.measured.is_infinite(), "{} {:?}: none ≠ {}", wanted.criterion.kind.name, wanted.criterion.params, plain.measured),
            }
            if let Some(holds) = plain.holds {
                prop_assert_eq!(verdict.holds, holds, "{} {:?}, measured {:?}", wanted.criterion.kind.name, wanted.criterion.params, verdict.measured);
            }
        }
    }

    /// More implications than groups, and than a group can have: every way to spread them is tried.
    #[test]
    fn implications_are_spread_as_an_attacker_would(rows in rows(3..28), k in 0usize..5) {
        let wanted = requirement(&format!("criterion = \"ck-safety\"\non = \"disease\"\nk = {k}\nc = 1\n"), &schema()).unwrap();
        let table = table_of(&rows);
        let found = sfumato::audit(&table, &schema(), std::slice::from_ref(&wanted), Path::new(".")).unwrap();
        let measured = found.criteria[0].verdict.measured.unwrap();
        let plain = naive(&wanted, &rows, DISEASE.values).measured;
        prop_assert!((measured - plain).abs() < 1e-9, "{measured} ≠ {plain}");
    }

    /// Where no value has more than one in l of the records, everybody in one group satisfies what
    /// says that l is enough; and what says so is monotone.
    #[test]
    fn eligible_tables_can_be_grouped(rows in rows(1..60)) {
        let table = table_of(&rows);
        let everybody = groups_of(&vec![0; rows.len()]);
        for wanted in requirements() {
            let bound = bind(&wanted, &table);
            let Some(l) = bound.criterion.properties().eligibility else { continue };
            prop_assert!(bound.criterion.properties().is_monotone(), "{}", wanted.criterion.kind.name);
            let eligible = Ranked::new(&table.column(&wanted.on[0]).unwrap().counts()).is_eligible(l);
            let enough = bound.criterion.properties().least.size <= rows.len() as u64;
            let holds = evidence_of(&bound, &table, &everybody, 0).holds();
            prop_assert!(holds || !eligible || !enough, "{} {:?}, l = {l}", wanted.criterion.kind.name, wanted.criterion.params);
        }
    }

    /// Neither the order of rows nor the number of threads changes anything.
    #[test]
    fn order_and_threads_do_not_matter(rows in rows(1..40), turn in 0usize..40) {
        let mut turned = rows.clone();
        turned.rotate_left(turn % rows.len());
        turned.reverse();
        let wanted = requirements();
        let verdicts = |rows: &[Row], threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let table = table_of(rows);
            let audit = pool.install(|| sfumato::audit(&table, &schema(), &wanted, Path::new("."))).unwrap();
            audit.criteria.iter().map(|answer| answer.verdict.clone()).collect::<Vec<_>>()
        };
        let plain = verdicts(&rows, 1);
        prop_assert_eq!(&plain, &verdicts(&turned, 1));
        prop_assert_eq!(&plain, &verdicts(&rows, 3));
    }

    /// Everybody twice: shares stay, so whatever held still does, and k never drops.
    #[test]
    fn doubling_every_row_keeps_what_held(rows in rows(1..25)) {
        let doubled: Vec<Row> = rows.iter().chain(&rows).copied().collect();
        for wanted in requirements() {
            let holds = |rows: &[Row]| {
                sfumato::audit(&table_of(rows), &schema(), std::slice::from_ref(&wanted), Path::new(".")).unwrap().holds()
            };
            prop_assert!(!holds(&rows) || holds(&doubled), "{}", wanted.criterion.kind.name);
        }
    }
}

/// Tables that look random and are the same every time.
fn drawn_tables() -> impl Iterator<Item = (Vec<Row>, Table)> {
    (0..400u32).map(|seed| {
        let number = |at: u32, below: u32| (seed.wrapping_mul(2654435761).wrapping_add(at * 40503) >> 7) % below;
        let count = 2 + number(1, 30);
        let row = |at: u32| Row {
            zip: number(at * 3, 2),
            disease: number(at * 3 + 1, 1 + seed % 4),
            drug: number(at * 3 + 2, 3),
        };
        let rows: Vec<Row> = (0..count).map(row).collect();
        let table = table_of(&rows);
        (rows, table)
    })
}

/// The merging test means something: every monotone criterion both holds and fails on random
/// tables.
#[test]
fn every_criterion_can_hold_and_fail() {
    let mut seen = vec![(false, false); KINDS.len()];
    for (_, table) in drawn_tables() {
        for (kind, seen) in KINDS.iter().zip(&mut seen) {
            for wanted in requirement_of(kind, &schema()) {
                match sfumato::audit(&table, &schema(), &[wanted], Path::new(".")).unwrap().holds() {
                    true => seen.0 = true,
                    false => seen.1 = true,
                }
            }
        }
    }
    for (kind, (held, failed)) in KINDS.iter().zip(seen) {
        // With the joint distribution estimated from the checked table itself, belief equals prior:
        // nothing to breach.
        assert!(held && (failed || kind.name == "bayes-optimal"), "{}: held {held}, failed {failed}", kind.name);
    }
}

/// Whoever decides group by group must not be told to look at all of them without need: only what
/// somebody knows about people of other groups is a reason.
#[test]
fn groups_are_joined_only_where_knowledge_about_one_tells_about_others() {
    let table = table_of(&[Row { zip: 0, disease: 0, drug: 0 }, Row { zip: 0, disease: 1, drug: 1 }]);
    let requirements = requirements();
    let joining = requirements.iter().filter(|wanted| bind(wanted, &table).criterion.is_cross_group());
    let names: BTreeSet<&str> = joining.map(|wanted| wanted.criterion.kind.name).collect();
    assert!(!names.is_empty() && names.iter().all(|name| COUNT_PEOPLE.contains(name)), "{names:?}");
    let alone = requirement("criterion = \"ck-safety\"\non = \"disease\"\nk = 0\nc = 1\n", &schema()).unwrap();
    assert!(!bind(&alone, &table).criterion.is_cross_group());
}

/// What theorems about shares take for the whole demand is the whole demand.
#[test]
fn a_demand_on_shares_alone_is_no_other() {
    let mut compared = 0;
    for (rows, table) in drawn_tables() {
        let groups = groups_of(&rows.iter().map(|row| row.zip).collect::<Vec<_>>());
        for wanted in requirements() {
            let bound = bind(&wanted, &table);
            let Some(most) = bound.criterion.properties().share else { continue };
            for group in 0..groups.len() {
                with_histogram(&bound, &table, &groups, group, |one| {
                    let largest = one.entries().iter().map(|entry| entry.1).max().unwrap_or(0);
                    let share = Fraction::new(largest.into(), one.size().into());
                    assert_eq!(bound.criterion.holds(one), share <= most, "{}", wanted.criterion.kind.name);
                });
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

/// A bound that is weaker than it need be costs searches time. Of ten records eight have one value:
/// six of them must go before it has half.
#[test]
fn what_must_be_removed_is_told_to_the_record_where_it_follows_from_a_share() {
    let row = |disease| Row { zip: 0, disease, drug: 0 };
    let table = table_of(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 2].map(row));
    let groups = groups_of(&[0; 10]);
    for written in
        ["criterion = \"alpha-k-anonymity\"\nalpha = 0.5\nk = 1", "criterion = \"frequency-l-diversity\"\nl = 2"]
    {
        let wanted = requirement(&format!("{written}\non = \"disease\"\n"), &schema()).unwrap();
        let bound = bind(&wanted, &table);
        let least = with_histogram(&bound, &table, &groups, 0, |histogram| bound.criterion.least_removed(histogram));
        assert_eq!(least, 6, "{written}");
    }
}

/// `on` means what the description says.
#[test]
fn on_is_resolved() {
    let two = schema();
    let one = Schema::of(&["zip"], &["disease"]);
    for kind in KINDS {
        let with = |on: &[&str], schema: &Schema| {
            requirement(&text_of(kind, kind.example, on), schema).map(|wanted| wanted.on)
        };
        match kind.build.on {
            On::Nothing => assert!(with(&[], &two).is_ok() && with(&["disease"], &two).is_err()),
            On::Column => {
                assert_eq!(with(&[], &one).unwrap(), ["disease"], "{}", kind.name);
                assert!(with(&[], &two).is_err() && with(&["zip"], &two).is_err());
            }
            On::Columns => {
                assert_eq!(with(&[], &two).unwrap(), ["disease", "drug"]);
                assert!(with(&[], &one).is_err());
            }
        }
        let nobody = Schema::new(two.columns().iter().filter(|spec| spec.role == Role::Quasi).cloned().collect());
        assert!(kind.build.on == On::Nothing || with(&[], &nobody).is_err());
    }
}

fn groups_of(ids: &[u32]) -> Groups {
    let column = Column::from_values("group", ids.iter().map(u32::to_string));
    Groups::by_columns(&[&column], ids.len())
}

fn evidence_of(bound: &sfumato::criterion::Bound, table: &Table, groups: &Groups, group: usize) -> Evidence {
    with_histogram(bound, table, groups, group, |histogram| bound.criterion.evidence(histogram))
}

fn with_histogram<T>(
    bound: &sfumato::criterion::Bound,
    table: &Table,
    groups: &Groups,
    group: usize,
    look: impl FnOnce(&sfumato::candidate::Histogram<'_>) -> T,
) -> T {
    let (any, codes) = (&table.columns()[0], bound.codes(table).unwrap());
    let (codes, domain) = codes.as_ref().map_or((any.codes(), any.domain().len()), Codes::as_coded);
    let mut counter = Counter::new(domain);
    let rows = groups.rows(group);
    look(&counter.count(group, rows.iter().map(|&row| codes[row as usize])))
}
