//! Rules about sensitive items, metrics and association rules, against enumeration of every set of
//! items.

use proptest::prelude::*;
use sfumato::exact::Fraction;
use sfumato::kind::Raw;
use sfumato::transactions::attack::Found;
use sfumato::transactions::closed::{find_unsafe, worst_rule};
use sfumato::transactions::criterion::Verdict;
use sfumato::transactions::metric::Compared;
use sfumato::transactions::{
    Demand, Released, Rule, Sensitive, Separated, Shared, Together, Transactions, attack, criterion, metric, sample,
};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

fn cases() -> u32 {
    std::env::var("SFUMATO_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256)
}

/// A table whose records are sets of bits.
fn table(items: u32, records: &[u32]) -> Transactions {
    let names: Arc<[String]> = (0..items).map(|item| item.to_string()).collect();
    Transactions::new(names, records.iter().map(|record| of_bits(*record)))
}

fn of_bits(bits: u32) -> Vec<u32> {
    (0..32).filter(|item| bits >> item & 1 == 1).collect()
}

fn sensitive(items: u32, bits: u32) -> Sensitive {
    Sensitive::new((0..items).map(|item| bits >> item & 1 == 1).collect())
}

fn together(table: &Transactions) -> Released {
    Released::Together(Together { table: table.clone(), published_as: None })
}

/// How many records hold each set of items: all sets at once.
fn supports(items: u32, records: &[u32]) -> Vec<u64> {
    let mut supports = vec![0; 1 << items];
    records.iter().for_each(|record| supports[*record as usize] += 1);
    for item in 0..items {
        for set in (0..1usize << items).filter(|set| set >> item & 1 == 0) {
            supports[set] += supports[set | 1 << item];
        }
    }
    supports
}

fn worst_first(a: &Rule, b: &Rule) -> Ordering {
    let confidence = b.confidence().cmp(&a.confidence());
    confidence
        .then(b.support.cmp(&a.support))
        .then_with(|| a.antecedent.cmp(&b.antecedent).then(a.consequent.cmp(&b.consequent)))
}

/// Every rule that a demand is about, and whether nothing that somebody may know could be added
/// without losing a record.
fn every_rule(items: u32, records: &[u32], sensitive: u32, demand: &Demand) -> Vec<(Rule, bool)> {
    let supports = supports(items, records);
    let known = demand.known.unwrap_or(usize::MAX);
    let mut rules = Vec::new();
    for set in 0..1u32 << items {
        if set.count_ones() as usize > known || (set == 0 && !demand.empty) {
            continue;
        }
        for end in of_bits(sensitive & !set) {
            let whole = (set | 1 << end) as usize;
            let (support, of) = (supports[whole], supports[set as usize]);
            if support == 0 {
                continue;
            }
            let others = (0..items).filter(|item| whole >> item & 1 == 0);
            let longest = set.count_ones() as usize == known
                || others.into_iter().all(|item| supports[whole | 1 << item] < support);
            rules.push((Rule { antecedent: of_bits(set), consequent: end, support, of }, longest));
        }
    }
    rules.sort_unstable_by(|a, b| worst_first(&a.0, &b.0));
    rules
}

fn check(released: &Released, sensitive: &Sensitive, demand: &Demand, rho: &str) -> Verdict {
    let kind = criterion::find("rho-uncertainty").unwrap();
    let known = demand.known.map_or(Raw::from("all"), |known| Raw::Number(known.to_string()));
    let written = [
        ("rho", Raw::from(rho)),
        ("known", known),
        ("empty", Raw::Flag(demand.empty)),
        ("strict", Raw::Flag(demand.strict)),
    ];
    let criterion = (kind.build)(&kind.check(&written).unwrap());
    assert_eq!(criterion.demand(), *demand);
    criterion.check(released, sensitive).unwrap()
}

fn run(released: &Released, sensitive: &Sensitive, demand: Demand, most: usize, min_support: u64) -> Found {
    let kind = attack::find("sensitive-rules").unwrap();
    let count = |count: u64| Raw::Number(count.to_string());
    let params = kind.check(&[("most", count(most as u64)), ("min_support", count(min_support))]).unwrap();
    (kind.build)(&params).run(released, sensitive, demand).unwrap()
}

fn longest(rules: &[(Rule, bool)]) -> Vec<Rule> {
    rules.iter().filter(|rule| rule.1).map(|rule| rule.0.clone()).collect()
}

/// Everything that is said about rules, against the list of all.
fn agrees_with_every_rule(items: u32, records: &[u32], flags: u32, demand: Demand, rho: &str) {
    let (table, sensitive) = (table(items, records), sensitive(items, flags));
    let rules = every_rule(items, records, flags, &demand);
    let longest = longest(&rules);
    let is_unsafe = |rule: &&Rule| !demand.allows(rule.support, rule.of);
    let context = || format!("{:?} {records:?} {:?} {demand:?}", of_bits(flags), items);

    let verdict = check(&together(&table), &sensitive, &demand, rho);
    assert_eq!(verdict.holds, rules.iter().all(|(rule, _)| !is_unsafe(&rule)), "{}", context());
    assert_eq!(verdict.worst, longest.first().cloned(), "{}", context());
    assert_eq!(verdict.worst.as_ref().map(Rule::confidence), rules.first().map(|rule| rule.0.confidence()));
    assert!(verdict.exhaustive);
    assert_eq!(worst_rule(&table, &sensitive, demand).unwrap(), (verdict.worst, verdict.looked_at));

    let expected: Vec<Rule> = longest.iter().filter(is_unsafe).cloned().collect();
    assert_eq!(find_unsafe(&table, &sensitive, demand, usize::MAX).unwrap(), expected, "{}", context());
    let some = find_unsafe(&table, &sensitive, demand, 3).unwrap();
    assert_eq!(some.len(), expected.len().min(3), "{}", context());
    assert!(some.iter().all(|rule| expected.contains(rule)) && some.is_sorted_by(|a, b| worst_first(a, b).is_lt()));

    for min_support in [1, 2] {
        let found = run(&together(&table), &sensitive, demand, 5, min_support);
        let enough = |rule: &&Rule| rule.support >= min_support;
        assert_eq!(found.rules, longest.iter().filter(enough).take(5).cloned().collect::<Vec<_>>(), "{}", context());
        assert_eq!(found.above, Some(expected.iter().filter(enough).count() as u64), "{}", context());
        let bits = |rule: &Rule| rule.antecedent.iter().fold(1 << rule.consequent, |set, item| set | 1 << item);
        let above: Vec<u32> = rules.iter().map(|rule| &rule.0).filter(is_unsafe).filter(enough).map(bits).collect();
        let betrayed = records.iter().filter(|record| above.iter().any(|set| *record & set == *set)).count();
        assert_eq!(found.people, betrayed as u64, "{}", context());
    }
}

const RHOS: [&str; 6] = ["0.25", "0.3", "0.5", "0.6", "0.75", "1"];

fn demands() -> impl Strategy<Value = (Demand, &'static str)> {
    let known = prop_oneof![3 => Just(None), 1 => Just(Some(1)), 1 => Just(Some(2)), 1 => Just(Some(3))];
    (prop::sample::select(&RHOS[..]), any::<bool>(), known, any::<bool>()).prop_map(|(rho, strict, known, empty)| {
        let exact = rho.parse::<sfumato::exact::Decimal>().unwrap().fraction();
        (Demand { rho: exact, strict, known, empty }, rho)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases() * 16))]

    #[test]
    fn rules_are_those_of_all_sets(
        records in prop_oneof![prop::collection::vec(0u32..64, 0..12), prop::collection::vec(any::<u32>(), 0..30)],
        thin in any::<u32>(),
        flags in 0u32..64,
        (demand, rho) in demands(),
    ) {
        // Fewer items make records alike, and ties.
        let records: Vec<u32> = records.iter().map(|record| record & (thin | record >> 8) & 63).collect();
        agrees_with_every_rule(6, &records, flags, demand, rho);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases() / 4))]

    #[test]
    fn rules_of_longer_records_too(
        records in prop::collection::vec(any::<u32>(), 1..60),
        also in prop::collection::vec(any::<u32>(), 60),
        flags in any::<u32>(),
        (demand, rho) in demands(),
    ) {
        let records: Vec<u32> = records.iter().zip(also).map(|(a, b)| a & b & 0x3ff).collect();
        agrees_with_every_rule(10, &records, flags & 0x3ff, demand, rho);
    }
}

/// Numbers without a pattern, the same each time.
fn numbers(count: usize) -> Vec<u32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    (0..count).map(next).collect()
}

/// Items so frequent that their rules are visited in parts, on one thread and on several.
#[test]
fn frequent_items_and_threads_change_nothing() {
    let records: Vec<u32> = numbers(9000).iter().map(|number| number & 0x7fff).collect();
    let (table, sensitive) = (table(15, &records), sensitive(15, 0b101));
    let demand = Demand::at_most(Fraction::new(3, 5));
    let longest = longest(&every_rule(15, &records, 0b101, &demand));
    let expected: Vec<Rule> = longest.into_iter().filter(|rule| !demand.allows(rule.support, rule.of)).collect();
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let verdict = check(&together(&table), &sensitive, &demand, "0.6");
            let found = run(&together(&table), &sensitive, demand, 7, 1);
            (
                verdict,
                find_unsafe(&table, &sensitive, demand, usize::MAX).unwrap(),
                find_unsafe(&table, &sensitive, demand, 50).unwrap(),
                found,
            )
        })
    };
    let one = with_threads(1);
    assert!(!one.0.holds && one.0.worst.as_ref() == expected.first());
    assert_eq!(one.1, expected);
    assert_eq!(one.3.rules, expected[..7]);
    assert_eq!(one.3.above, Some(expected.len() as u64));
    assert_eq!(one, with_threads(4));
}

fn shop() -> (Transactions, Sensitive) {
    let table = sample::purchases();
    let sensitive = Sensitive::named(&table, ["condom"]);
    (table, sensitive)
}

/// Jia et al. 2014, Table 1: bread, milk, condom, flour and fruits have the numbers 0 to 4.
#[test]
fn rules_of_the_papers_example() {
    let (table, sensitive) = shop();
    let third = Demand::at_most(Fraction::new(1, 3));
    let rule = |antecedent: &[u32], support, of| Rule { antecedent: antecedent.to_vec(), consequent: 2, support, of };
    let expected = [rule(&[1], 2, 3), rule(&[0, 1], 1, 2), rule(&[3], 1, 2)];
    assert_eq!(find_unsafe(&table, &sensitive, third, 10).unwrap(), expected);
    let found = run(&together(&table), &sensitive, third, 10, 1);
    assert_eq!(found.rules, [&expected[..], &[rule(&[4], 1, 3)]].concat());
    assert_eq!((found.above, found.people), (Some(3), 3));
    let with_empty = Demand { empty: true, ..third };
    assert_eq!(find_unsafe(&table, &sensitive, with_empty, 10).unwrap()[1], rule(&[], 4, 7));
}

/// Two deletions of condom make the example safe, as in Table 1(d): two rules are left, and they
/// reach ρ.
#[test]
fn the_papers_release_is_safe() {
    let (original, sensitive) = shop();
    let is_deleted = |at: usize, item: u32| item == 2 && [0, 4].contains(&at);
    let records = original.iter().enumerate();
    let left = records.map(|(at, record)| record.iter().copied().filter(|item| !is_deleted(at, *item)).collect());
    let table = Transactions::new(original.names().clone(), left.collect::<Vec<Vec<u32>>>());
    let third = Demand::at_most(Fraction::new(1, 3));
    let rule = |item| Rule { antecedent: vec![item], consequent: 2, support: 1, of: 3 };
    assert_eq!(worst_rule(&table, &sensitive, third).unwrap(), (Some(rule(1)), 2));
    assert_eq!(find_unsafe(&table, &sensitive, third, 10).unwrap(), []);
    assert_eq!(find_unsafe(&table, &sensitive, Demand { strict: true, ..third }, 10).unwrap(), [rule(1), rule(4)]);
    let found = run(&together(&table), &sensitive, third, 5, 1);
    assert_eq!(found, Found { rules: vec![rule(1), rule(4)], above: Some(0), people: 0 });
    assert_eq!(measure("deleted-share", &[], &original, &sensitive, &together(&table)), 2.0 / 15.0);
}

#[test]
fn groups_are_judged_by_their_counts() {
    let table = table(4, &[1, 1, 2, 2, 2]);
    let groups =
        vec![Shared { records: 2, items: vec![(2, 1), (3, 1)] }, Shared { records: 3, items: vec![(2, 2), (3, 0)] }];
    let released = Released::Separated(Separated { table, groups });
    let demand = Demand::at_most(Fraction::new(1, 2));
    let verdict = check(&released, &sensitive(4, 12), &demand, "0.5");
    let worst = Rule { antecedent: vec![], consequent: 2, support: 2, of: 3 };
    assert_eq!(verdict, Verdict { holds: false, worst: Some(worst.clone()), looked_at: 3, exhaustive: true });
    let found = run(&released, &sensitive(4, 12), demand, 1, 1);
    assert_eq!(found, Found { rules: vec![worst], above: Some(1), people: 2 });
    assert!(check(&released, &sensitive(4, 12), &Demand::at_most(Fraction::new(7, 10)), "0.7").holds);
}

/// A coarser item that stands for a sensitive one is sensitive.
#[test]
fn generalized_items_are_judged_too() {
    let names: Arc<[String]> = ["a", "b", "c", "any of b and c"].map(str::to_string).into();
    let table = Transactions::new(names, [vec![0, 3], vec![0, 3], vec![0]]);
    let released = Released::Together(Together { table, published_as: Some(vec![Some(0), Some(3), Some(3)]) });
    let verdict = check(&released, &sensitive(3, 0b100), &Demand::at_most(Fraction::new(1, 2)), "0.5");
    assert_eq!(verdict.worst, Some(Rule { antecedent: vec![0], consequent: 3, support: 2, of: 3 }));
}

#[test]
fn tables_without_rules_hold() {
    let demand = Demand::at_most(Fraction::new(1, 2));
    for (records, flags) in [(vec![], 7), (vec![0, 0], 7), (vec![1, 2, 4], 7), (vec![7, 7], 0)] {
        let verdict = check(&together(&table(3, &records)), &sensitive(3, flags), &demand, "0.5");
        assert!(verdict.holds && verdict.worst.is_none() && verdict.looked_at == 0, "{records:?}");
    }
}

// Metrics.

fn measure(
    name: &str,
    written: &[(&str, Raw)],
    original: &Transactions,
    sensitive: &Sensitive,
    released: &Released,
) -> f64 {
    let kind = metric::find(name).unwrap();
    let metric = (kind.build)(&kind.check(written).unwrap());
    metric.measure(&Compared::new(original, sensitive, released))
}

/// Association rules of sets of bits, by their definition.
fn association_rules(
    items: u32,
    records: &[u32],
    usable: u32,
    share: (u64, u64),
    confidence: (u64, u64),
) -> BTreeSet<(u32, u32)> {
    let supports = supports(items, records);
    let mut rules = BTreeSet::new();
    for set in (1..1u32 << items).filter(|set| set & !usable == 0) {
        for end in of_bits(usable & !set) {
            let (support, of) = (supports[(set | 1 << end) as usize], supports[set as usize]);
            let frequent = support > 0 && support * share.1 >= share.0 * records.len() as u64;
            if frequent && support * confidence.1 >= confidence.0 * of {
                rules.insert((set, end));
            }
        }
    }
    rules
}

fn first_items(set: u32, count: Option<usize>) -> u32 {
    of_bits(set).into_iter().take(count.unwrap_or(usize::MAX)).fold(0, |set, item| set | 1 << item)
}

/// Every choice of original items for the published ones.
fn specific(rule: (u32, u32), published_as: &[Option<u32>]) -> Vec<(u32, u32)> {
    let leaves =
        |item: u32| (0..published_as.len() as u32).filter(move |leaf| published_as[*leaf as usize] == Some(item));
    let mut sets = vec![0u32];
    for item in of_bits(rule.0) {
        sets = sets.iter().flat_map(|set| leaves(item).map(move |leaf| set | 1 << leaf)).collect();
    }
    sets.into_iter().flat_map(|set| leaves(rule.1).map(move |end| (set, end))).collect()
}

/// The shares of original items in what is published.
fn naive_shares(counts: &[f64]) -> Vec<f64> {
    let sum: f64 = counts.iter().sum();
    counts.iter().map(|count| count / sum).collect()
}

fn naive_kl(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(p, q)| if *p > 0.0 { p * (p / q).ln() } else { 0.0 }).sum()
}

const ITEMS: u32 = 6;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases() * 4))]

    /// Items 6 and 7 are coarser names for some of the first six.
    #[test]
    fn metrics_are_what_they_say(
        records in prop::collection::vec((0u32..64, 0u32..64, 0u32..64), 1..16),
        flags in prop_oneof![Just(0u32), 0u32..64],
        published_as in prop::collection::vec(prop_oneof![4 => Just(8u32), 1 => Just(6u32), 2 => Just(7u32), 1 => Just(9u32)], 6),
        generalize in any::<bool>(),
        longest in prop_oneof![Just(None), (1usize..5).prop_map(Some)],
        support in prop::sample::select(vec![("0.1", (1, 10)), ("0.25", (1, 4)), ("0.5", (1, 2))]),
        confidence in prop::sample::select(vec![("0.3", (3, 10)), ("0.5", (1, 2)), ("1", (1, 1))]),
    ) {
        let original: Vec<u32> = records.iter().map(|record| record.0).collect();
        let published_as: Vec<Option<u32>> = published_as.iter().zip(0..).map(|(to, item)| match to {
            _ if !generalize => Some(item),
            8 => Some(item),
            9 => None,
            coarse => Some(*coarse),
        }).collect();
        let image = |set: u32| of_bits(set).iter().filter_map(|item| published_as[*item as usize]).fold(0, |set, to| set | 1 << to);
        // Some occurrences are deleted after that.
        let released: Vec<u32> = records.iter().map(|(had, a, b)| image(had & (a | b))).collect();
        let kinds = if generalize { 8 } else { ITEMS };
        let (table, sensitive) = (table(ITEMS, &original), sensitive(ITEMS, flags));
        let release = Released::Together(Together {
            table: self::table(kinds, &released),
            published_as: generalize.then(|| published_as.clone()),
        });

        let kept: usize = original.iter().zip(&released).map(|(had, has)| {
            of_bits(*had).iter().filter(|item| published_as[**item as usize].is_some_and(|to| has >> to & 1 == 1)).count()
        }).sum();
        let all: usize = original.iter().map(|record| record.count_ones() as usize).sum();
        let deleted = if all == 0 { 0.0 } else { 1.0 - kept as f64 / all as f64 };
        prop_assert!((measure("deleted-share", &[], &table, &sensitive, &release) - deleted).abs() < 1e-12);

        let count = |records: &[u32], item: u32| records.iter().filter(|record| *record >> item & 1 == 1).count() as f64;
        let before: Vec<f64> = (0..ITEMS).map(|item| count(&original, item)).collect();
        let leaves = |to: u32| published_as.iter().filter(|other| **other == Some(to)).count() as f64;
        let after: Vec<f64> = published_as.iter().map(|to| to.map_or(0.0, |to| count(&released, to) / leaves(to))).collect();
        let (kl, symmetric) = (measure("kl", &[], &table, &sensitive, &release), measure("symmetric-kl", &[], &table, &sensitive, &release));
        if all == 0 {
            prop_assert_eq!((kl, symmetric), (0.0, 0.0));
        } else if released.iter().all(|record| *record == 0) {
            prop_assert_eq!((kl, symmetric), (f64::INFINITY, std::f64::consts::LN_2));
        } else {
            let (p, q) = (naive_shares(&after), naive_shares(&before));
            let mean: Vec<f64> = p.iter().zip(&q).map(|(p, q)| (p + q) / 2.0).collect();
            let expected = naive_kl(&p, &q);
            prop_assert!(kl == expected || (kl - expected).abs() < 1e-9, "{} {}", kl, expected);
            prop_assert!((symmetric - (naive_kl(&p, &mean) + naive_kl(&q, &mean)) / 2.0).abs() < 1e-9);
        }

        let usable = !flags & 63;
        let hidden = of_bits(flags).iter().fold(flags, |set, item| published_as[*item as usize].map_or(set, |to| set | 1 << to));
        let read: Vec<u32> = original.iter().map(|record| first_items(record & usable, longest)).collect();
        let published: Vec<u32> = released.iter().zip(&read).map(|(has, had)| if longest.is_some() { has & image(*had) } else { *has }).collect();
        let first = association_rules(ITEMS, &read, usable, support.1, confidence.1);
        let second = association_rules(kinds, &published, ((1 << kinds) - 1) & !hidden, support.1, confidence.1);
        let second: BTreeSet<(u32, u32)> = second.into_iter().flat_map(|rule| specific(rule, &published_as)).collect();
        let (both, either) = (first.intersection(&second).count() as f64, first.union(&second).count() as f64);
        let written = [
            ("support", Raw::from(support.0)),
            ("confidence", Raw::from(confidence.0)),
            ("longest", longest.map_or(Raw::from("all"), |longest| Raw::Number(longest.to_string()))),
        ];
        let value = |name: &str| measure(name, &written, &table, &sensitive, &release);
        prop_assert_eq!(value("rules-jaccard"), if either == 0.0 { 1.0 } else { both / either });
        prop_assert_eq!(value("lost-rules"), first.len() as f64 - both);
        prop_assert_eq!(value("spurious-rules"), second.len() as f64 - both);
    }
}

/// Separating sensitive items keeps every occurrence and every other rule.
#[test]
fn separated_items_are_not_lost() {
    let original = table(4, &[0b0111, 0b0011, 0b1011, 0b0001]);
    let sensitive = sensitive(4, 0b1100);
    let groups = vec![Shared { records: 4, items: vec![(2, 1), (3, 1)] }];
    let released = Released::Separated(Separated { table: table(4, &[1, 3, 3, 3]), groups });
    for (name, expected) in [("deleted-share", 0.0), ("kl", 0.0), ("rules-jaccard", 1.0), ("lost-rules", 0.0)] {
        assert_eq!(measure(name, &[], &original, &sensitive, &released), expected, "{name}");
    }
}

/// Twenty-three items in all records make more sets than can be compared.
#[test]
fn too_many_rules_are_not_compared() {
    let original = table(23, &[0x7f_ffff; 2]);
    let sensitive = sensitive(23, 0);
    assert!(measure("rules-jaccard", &[], &original, &sensitive, &together(&original)).is_nan());
    let five = [("longest", Raw::Number("5".into()))];
    assert_eq!(measure("rules-jaccard", &five, &original, &sensitive, &together(&original)), 1.0);
}
