//! Random choices that are a defence: each is drawn evenly from the operating system's generator,
//! and whoever knows a seed undoes it.
//!
//! | choice | why it is a defence | test |
//! |---|---|---|
//! | numbers of groups, rows and values of a bucketized release | the order of the input may tell who has which value | `orders_of_a_bucketized_release` |
//! | which records of a value anatomy puts together | who is with whom would tell the value | `anatomy_puts_records_together_by_lot` |
//! | ties of greedy, symmetric and even grouping | the order of the input may depend on sensitive values | `ties_are_broken_by_lot` |
//! | whether a safe group goes on | it blurs what the method tells | `a_safe_group_goes_on_with_its_chance` |
//! | ranks of equally frequent values, places, levels | which value was the most frequent | `values_are_lowered_by_lot` |
//! | which records of a value are withheld | who is missing would tell the value | `records_are_withheld_by_lot` |
//! | lines and groups of transactions | the order of the input | `lines_and_groups_of_transactions_are_in_any_order` |
//! | which records of a rule lose an item | what is missing would tell who had it | `items_are_deleted_by_lot` |

use rand::Rng;
use sfumato::TablePlan;
use sfumato::anonymize::{ChosenMethod, Task, Transformation};
use sfumato::candidate::Groups;
use sfumato::chance::Chance;
use sfumato::criterion::{Bound, Requirement};
use sfumato::data::{Column, ColumnSpec, Formats, Role, Schema, Table};
use sfumato::exact::Fraction;
use sfumato::kind::Raw;
use sfumato::recode::{Form, Recoding, bucketize};
use sfumato::skew::{self, Ranked, Skewed};
use sfumato::transactions::method::{self, Task as SetTask};
use sfumato::transactions::{Demand, Released, Sensitive, Separated, Shared, Together, Transactions};
use sfumato::utility::ChosenMetric;
use std::collections::BTreeMap;
use std::path::Path;

/// The chance that a test below fails by itself, for each of some thirty distributions: together it
/// is far below one in a million.
const ALPHA: f64 = 1e-9;

/// How many draws there are for each thing that may come out.
fn draws() -> usize {
    let cases = std::env::var("SFUMATO_CASES").ok().and_then(|cases| cases.parse::<usize>().ok());
    cases.map_or(200, |cases| cases.clamp(200, 100_000))
}

// χ²

/// The chance that χ² with so many degrees of freedom is this large or larger: the upper incomplete
/// gamma function, by its series or its continued fraction.
fn upper_tail(statistic: f64, freedom: usize) -> f64 {
    let (a, x) = (freedom as f64 / 2.0, statistic / 2.0);
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-16 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    // Lentz's method.
    let (mut b, mut c) = (x + 1.0 - a, 1e300);
    let mut d = 1.0 / b;
    let mut fraction = d;
    for i in 1..1000 {
        let i = f64::from(i);
        let an = -i * (i - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

fn ln_gamma(x: f64) -> f64 {
    // Stirling's series from eight on, and down from there.
    let shift: f64 = (0..8).map(|n| (x + f64::from(n)).ln()).sum();
    let y = x + 8.0;
    let series = 1.0 / (12.0 * y) - 1.0 / (360.0 * y.powi(3)) + 1.0 / (1260.0 * y.powi(5));
    (y - 0.5) * y.ln() - y + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

#[test]
fn tails_are_those_of_the_tables() {
    for (statistic, freedom, tail) in [
        (3.841_458_820_694_124, 1, 0.05),
        (23.209_251_158_954_36, 10, 0.01),
        (10.0, 10, 0.440_493_285_065_212_4),
        (63.2, 24, 2.2e-5),
    ] {
        let found = upper_tail(statistic, freedom);
        assert!((found - tail).abs() < 0.02 * tail, "{statistic} with {freedom}: {found} is not {tail}");
    }
    // Uneven draws are found, even ones are not.
    assert!(chance_of(&[100.0; 24], &[1.0 / 24.0; 24]) > 0.999);
    let mut uneven = [100.0; 24];
    uneven[3] = 220.0;
    assert!(chance_of(&uneven, &[1.0 / 24.0; 24]) < ALPHA);
}

/// The chance of counts that are as far from what is expected, or further.
fn chance_of(counts: &[f64], shares: &[f64]) -> f64 {
    let all: f64 = counts.iter().sum();
    let distance = |(count, share): (&f64, &f64)| (count - all * share).powi(2) / (all * share);
    upper_tail(counts.iter().zip(shares).map(distance).sum(), counts.len() - 1)
}

/// What came out, and how often.
#[derive(Default)]
struct Tally<K>(BTreeMap<K, u64>);

impl<K: Ord + std::fmt::Debug> Tally<K> {
    fn draw(draws: usize, mut one: impl FnMut() -> K) -> Tally<K> {
        let mut tally = Tally(BTreeMap::new());
        (0..draws).for_each(|_| *tally.0.entry(one()).or_default() += 1);
        tally
    }

    /// Every one of so many things comes out equally often.
    fn is_even(&self, things: usize, what: &str) {
        assert_eq!(self.0.len(), things, "{what}: {:?}", self.0.keys().take(40).collect::<Vec<_>>());
        let counts: Vec<f64> = self.0.values().map(|count| *count as f64).collect();
        let chance = chance_of(&counts, &vec![1.0 / things as f64; things]);
        assert!(chance > ALPHA, "{what}: {:?} has a chance of {chance:e}", self.0);
    }

    /// Things come out with these chances, and no others do.
    fn has_shares(&self, shares: &BTreeMap<K, f64>, what: &str) {
        assert!(self.0.keys().all(|key| shares.contains_key(key)), "{what}: {:?}", self.0);
        let counts: Vec<f64> = shares.keys().map(|key| self.0.get(key).copied().unwrap_or(0) as f64).collect();
        let chance = chance_of(&counts, &shares.values().copied().collect::<Vec<_>>());
        assert!(chance > ALPHA, "{what}: {:?} where {shares:?} is expected has a chance of {chance:e}", self.0);
    }
}

#[test]
fn generators_of_the_system_are_even_from_their_first_byte_on() {
    let tally = Tally::draw(256 * draws() / 4, || Chance::System.generator(1).unwrap().next_u64() as u8);
    tally.is_even(256, "first bytes");
    let mut one = Chance::System.generator(2).unwrap();
    Tally::draw(256 * draws(), || one.next_u64() as u8).is_even(256, "bytes of one generator");
    // Whatever its purpose is called.
    let tally = Tally::draw(64 * draws(), || {
        let [a, b] = [1, 2].map(|purpose| Chance::System.generator(purpose).unwrap().next_u64() % 8);
        (a, b)
    });
    tally.is_even(64, "two purposes");
}

// Tables

fn schema() -> Schema {
    Schema::new(vec![ColumnSpec::new("x", Role::Quasi), ColumnSpec::new("s", Role::Sensitive)])
}

fn table(rows: &[(u32, u32)]) -> Table {
    let x = Column::from_values("x", rows.iter().map(|row| format!("{:02}", row.0)));
    let s = Column::from_values("s", rows.iter().map(|row| format!("v{}", row.1)));
    Table::new(vec![x, s]).unwrap()
}

fn cells(table: &Table, column: &str) -> Vec<String> {
    let column = table.column(column).unwrap();
    (0..table.rows()).map(|row| column.value(row).to_string()).collect()
}

#[test]
fn orders_of_a_bucketized_release() {
    // Four groups of four; x tells the record and v the value, which is the record's own.
    let table = table(&(0..16).map(|at| (at, at)).collect::<Vec<_>>());
    let groups = Groups::of_lists(&(0..4).map(|group| (4 * group..4 * group + 4).collect()).collect::<Vec<_>>());
    let recoding = Recoding { form: Form::Bucketized, ..Recoding::default() };
    let schema = schema();
    let recoded = bucketize(&table, &schema, &groups, recoding).unwrap();
    let number = |text: &str| text.trim_start_matches('v').parse::<u32>().unwrap();
    let mut rows: [Tally<Vec<u32>>; 2] = Default::default();
    let mut lines: Tally<Vec<u32>> = Tally::default();
    let mut neighbours: Tally<(u32, u32)> = Tally::default();
    let mut both: Tally<(usize, usize)> = Tally::default();
    let tally = Tally::draw(24 * draws(), || {
        let written = recoded.written(&schema, recoding, Chance::System).unwrap();
        let records: Vec<u32> = cells(&written[0].1, "x").iter().map(|text| number(text)).collect();
        let values: Vec<u32> = cells(&written[1].1, "value").iter().map(|text| number(text)).collect();
        let inside =
            |group: usize| records[4 * group..4 * group + 4].iter().map(|record| record % 4).collect::<Vec<_>>();
        *rows[0].0.entry(inside(0)).or_default() += 1;
        *rows[1].0.entry(inside(3)).or_default() += 1;
        *lines.0.entry(values[4..8].iter().map(|value| value % 4).collect()).or_default() += 1;
        *neighbours.0.entry((records[0] % 4, records[4] % 4)).or_default() += 1;
        // Where a record stands tells nothing about where its value does.
        let place = |list: &[u32]| list.iter().position(|one| *one == 5).unwrap() % 4;
        *both.0.entry((place(&records), place(&values))).or_default() += 1;
        records.chunks(4).map(|group| group[0] / 4).collect::<Vec<_>>()
    });
    tally.is_even(24, "numbers of groups");
    rows[0].is_even(24, "rows of the first group");
    rows[1].is_even(24, "rows of the last group");
    lines.is_even(24, "lines of values");
    neighbours.is_even(16, "rows of two groups");
    both.is_even(16, "a record and its value");
}

/// Runs a method that forms groups, with chances of the operating system.
struct Runs {
    table: Table,
    schema: Schema,
    requirements: Vec<Requirement>,
    bound: Vec<Bound>,
    metric: ChosenMetric,
}

impl Runs {
    fn new(rows: &[(u32, u32)], criterion: &str, param: (&str, &str)) -> Runs {
        let (table, schema) = (table(rows), schema());
        let written = [(param.0, Raw::Number(param.1.to_string()))];
        let requirements = vec![Requirement::new(criterion, &written, &[], &schema).unwrap()];
        let bound = requirements.iter().map(|wanted| wanted.bind(&table, &schema, Path::new(".")).unwrap()).collect();
        Runs { table, schema, requirements, bound, metric: ChosenMetric::new("loss", &[]).unwrap() }
    }

    fn groups(&self, method: &ChosenMethod, chance: Chance) -> Vec<Vec<u32>> {
        let task = Task {
            watch: sfumato::watch::Watch::NONE,
            table: &self.table,
            schema: &self.schema,
            requirements: &self.requirements,
            bound: &self.bound,
            limit: 0,
            metric: &self.metric,
            chance,
        };
        let Some(Transformation::Groups(found)) = method.run(&task).unwrap() else { panic!("there are groups") };
        let sorted = |group: usize| {
            let mut rows = found.groups.rows(group).to_vec();
            rows.sort_unstable();
            rows
        };
        (0..found.groups.len()).map(sorted).collect()
    }

    /// The group of a record.
    fn with(&self, record: u32, method: &ChosenMethod) -> Vec<u32> {
        self.groups(method, Chance::System).into_iter().find(|group| group.contains(&record)).unwrap()
    }
}

#[test]
fn anatomy_puts_records_together_by_lot() {
    let rows: Vec<(u32, u32)> = (0..12).map(|at| (at, at / 4)).collect();
    let runs = Runs::new(&rows, "frequency-l-diversity", ("l", "3"));
    let anatomy = ChosenMethod::new("anatomy", &[]).unwrap();
    Tally::draw(16 * draws(), || runs.with(0, &anatomy)).is_even(16, "who is with the first record");
    // One more record of the last value joins any of the groups that lack it, and any of its
    // records may be the one left over.
    let rows: Vec<(u32, u32)> = (0..9).map(|at| (at, at / 3)).chain([(9, 3)]).collect();
    let runs = Runs::new(&rows, "frequency-l-diversity", ("l", "3"));
    let mut partners = BTreeMap::new();
    for _ in 0..9 * draws() {
        for record in runs.with(9, &anatomy).into_iter().filter(|record| *record != 9) {
            *partners.entry(record).or_insert(0u64) += 1;
        }
    }
    // All records of one value are alike: each of the three is with the odd one as often as the two
    // others.
    for value in 0..3 {
        let own: BTreeMap<u32, u64> =
            (3 * value..3 * value + 3).map(|at| (at, partners.get(&at).copied().unwrap_or(0))).collect();
        Tally(own).is_even(3, "who is with the record of the rarest value");
    }
}

#[test]
fn ties_are_broken_by_lot() {
    let equal = Runs::new(&[(1, 0); 6], "k-anonymity", ("k", "3"));
    for name in ["greedy-grouping", "symmetric-grouping"] {
        for sort in ["lexicographic", "hilbert"] {
            let method = ChosenMethod::new(name, &[("sort", Raw::from(sort))]).unwrap();
            Tally::draw(10 * draws(), || equal.with(0, &method)).is_even(10, name);
        }
    }
    let middle = Runs::new(&[(0, 0), (1, 0), (1, 0), (1, 0), (1, 0), (2, 0)], "k-anonymity", ("k", "3"));
    let even = ChosenMethod::new("mondrian", &[("split", Raw::from("relaxed"))]).unwrap();
    // The most frequent value comes first, so one of its four records is in the other half.
    Tally::draw(4 * draws(), || middle.with(0, &even)).is_even(4, "mondrian");
    let divided = ChosenMethod::new("base", &[("anatomize", Raw::Flag(true))]).unwrap();
    let runs = Runs::new(&(0..8).map(|at| (at, at / 4)).collect::<Vec<_>>(), "frequency-l-diversity", ("l", "2"));
    Tally::draw(4 * draws(), || runs.with(0, &divided)).is_even(4, "division of large groups");
}

#[test]
fn a_safe_group_goes_on_with_its_chance() {
    let rows: Vec<(u32, u32)> = (0..40).map(|at| (at, 0)).collect();
    let runs = Runs::new(&rows, "k-anonymity", ("k", "1"));
    for (p, chance) in [("0.65", 0.65), ("0.2", 0.2)] {
        let written = [("p", Raw::Number(p.into())), ("bucket", Raw::Number("1".into()))];
        let method = ChosenMethod::new("randomized-greedy-grouping", &written).unwrap();
        let tally = Tally::draw(40 * draws(), || runs.with(0, &method).len().min(5));
        let share = |length: usize| chance_to(length, chance);
        let shares = (1..=5).map(|length| (length, share(length))).collect();
        tally.has_shares(&shares, &format!("lengths with p = {p}"));
    }
}

/// The chance that a group takes so many buckets; five stands for all that are longer.
fn chance_to(length: usize, p: f64) -> f64 {
    let reaches = p.powi(length as i32 - 1);
    if length == 5 { reaches } else { reaches * (1.0 - p) }
}

// Skew

#[test]
fn values_are_lowered_by_lot() {
    let ranks = Tally::draw(24 * draws(), || {
        let mut generator = Chance::System.generator(1).unwrap();
        Ranked::new(&[9, 3, 3, 3, 3, 1]).by_lot(&mut generator).codes
    });
    ranks.is_even(24, "ranks of ties");
    for (frequencies, l) in [(vec![10, 4, 2, 1, 1], 3), (vec![30, 9, 7, 5, 2, 1], 4), (vec![6, 2, 2], 2)] {
        let table = Skewed::new(&frequencies, l).unwrap();
        for name in ["calibrated", "r-suppression", "safe-d"] {
            let member = skew::make(skew::find(name).unwrap());
            let mut shares: BTreeMap<Vec<u64>, f64> = BTreeMap::new();
            for outcome in member.outcomes(&table, u64::MAX).unwrap() {
                *shares.entry(outcome.kept).or_default() += outcome.chance.to_f64().value();
            }
            let tally = Tally::draw(shares.len() * draws(), || {
                let mut generator = Chance::System.generator(7).unwrap();
                member.draw(&table, &mut generator)
            });
            if shares.len() > 1 {
                tally.has_shares(&shares, &format!("{name} of {frequencies:?}, l = {l}"));
            } else {
                assert_eq!(tally.0.keys().collect::<Vec<_>>(), shares.keys().collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn records_are_withheld_by_lot() {
    let plan = "[columns]\nx = \"quasi\"\nid = \"insensitive\"\ns = \"sensitive\"\n[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n[skew]\nmethod = \"safe-d\"\n[method]\nname = \"base\"\n[[attack]]\nattack = \"homogeneity\"\n[release]\ninsensitive = { accept = [\"id\"] }\n";
    let plan = TablePlan::parse(plan, Path::new(".")).unwrap();
    assert_eq!(plan.publishing.chance, Chance::System, "no plan says otherwise");
    // Six of ten have the value a; two of them are left.
    let values = ["a", "b", "a", "a", "c", "a", "b", "a", "c", "a"];
    let ids = (0..10).map(|at| format!("i{at}"));
    let columns =
        vec![Column::from_values("x", ["1"; 10]), Column::from_values("id", ids), Column::from_values("s", values)];
    let table = Table::new(columns).unwrap();
    let tally = Tally::draw(15 * draws(), || {
        let made = sfumato::publish::make(&plan, &table, &Formats::default()).unwrap().pass().unwrap();
        let published = &made.recoded.table;
        let mut left: Vec<String> = cells(published, "id")
            .into_iter()
            .zip(cells(published, "s"))
            .filter(|(_, s)| s == "a")
            .map(|(id, _)| id)
            .collect();
        left.sort();
        left
    });
    tally.is_even(15, "who of the most frequent value is left");
}

// Transactions

fn sets(records: &[&[&str]]) -> Transactions {
    Transactions::from_names(records.iter().map(|record| record.iter().copied()))
}

fn firsts(released: &Released) -> Vec<u32> {
    released.table().iter().map(|record| record[0]).collect()
}

#[test]
fn lines_and_groups_of_transactions_are_in_any_order() {
    let table = sets(&[&["a"], &["b"], &["c"], &["d"]]);
    let together = Released::Together(Together { table: table.clone(), published_as: None });
    Tally::draw(24 * draws(), || firsts(&together.shuffled(Chance::System).unwrap())).is_even(24, "lines");
    let table = sets(&[&["a"], &["b"], &["c"], &["d"], &["e"], &["f"], &["g"], &["h"], &["i"]]);
    let groups = vec![Shared { records: 3, items: Vec::new() }; 3];
    let separated = Released::Separated(Separated { table, groups });
    let mut inside: Tally<Vec<u32>> = Tally::default();
    let tally = Tally::draw(24 * draws(), || {
        let lines = firsts(&separated.shuffled(Chance::System).unwrap());
        let first: Vec<u32> = lines.iter().copied().filter(|item| *item < 3).collect();
        *inside.0.entry(first).or_default() += 1;
        lines.chunks(3).map(|group| group[0] / 3).collect::<Vec<_>>()
    });
    tally.is_even(6, "groups");
    inside.is_even(6, "lines of a group");
}

/// A method run on a table with some sensitive items.
fn make_sets(name: &str, table: &Transactions, sensitive: &[&str], rho: (u128, u128), chance: Chance) -> Released {
    let sensitive = Sensitive::named(table, sensitive.iter().copied());
    let mut demand = Demand::at_most(Fraction::new(rho.0, rho.1));
    demand.empty = true;
    let task = SetTask {
        table,
        sensitive: &sensitive,
        demand,
        chance,
        folder: Path::new("."),
        watch: sfumato::watch::Watch::NONE,
    };
    let kind = method::find(name).unwrap();
    (kind.build)(&kind.check(&[]).unwrap()).make(&task).unwrap()
}

#[test]
fn items_are_deleted_by_lot() {
    // Four records alike: two lose the sensitive item, any two.
    let table = sets(&[&["a", "s"][..]; 4]);
    let secret = table.names().iter().position(|name| name == "s").unwrap() as u32;
    let tally = Tally::draw(6 * draws(), || {
        let made = make_sets("partial-suppression", &table, &["s"], (1, 2), Chance::System);
        made.table().iter().map(|record| record.contains(&secret)).collect::<Vec<bool>>()
    });
    assert!(tally.0.keys().all(|kept| kept.iter().filter(|has| **has).count() == 2), "{:?}", tally.0);
    tally.is_even(6, "who keeps the item");
}

#[test]
fn permutation_puts_groups_and_lines_in_any_order() {
    // Two far-away pairs with a sensitive item each: two groups of two.
    let table = sets(&[&["a", "b", "s"], &["a", "b", "c"], &["x", "y", "t"], &["x", "y", "z"]]);
    let tally = Tally::draw(8 * draws(), || {
        let made = make_sets("permutation", &table, &["s", "t"], (1, 2), Chance::System);
        let Released::Separated(separated) = &made else { panic!("items are told apart") };
        assert_eq!(separated.groups.len(), 2);
        let name = |item: &u32| table.names()[*item as usize].clone();
        made.table().iter().map(|record| record.iter().map(name).collect::<String>()).collect::<Vec<String>>()
    });
    tally.is_even(8, "groups and lines");
}

// Whoever knows the seed

/// The order of lines is undone by whoever knows the seed, and not otherwise.
#[test]
fn with_the_seed_the_order_of_the_input_comes_back() {
    let names: Vec<String> = (0..200).map(|at| format!("{at:03}")).collect();
    let table = Transactions::from_names(names.iter().map(|name| [name.as_str()]));
    let together = Released::Together(Together { table, published_as: None });
    // What the attacker can do: shuffle numbers of lines as the publisher did, and see where each
    // comes from.
    let undone = |published: &[u32], seed: u64| -> Vec<u32> {
        let order = firsts(&together.shuffled(Chance::insecure(seed)).unwrap());
        let mut lines = vec![0; published.len()];
        order.iter().zip(published).for_each(|(from, item)| lines[*from as usize] = *item);
        lines
    };
    let input: Vec<u32> = (0..200).collect();
    let with_seed = firsts(&together.shuffled(Chance::insecure(7)).unwrap());
    assert_eq!(undone(&with_seed, 7), input, "the defence is the seed");
    let secure = firsts(&together.shuffled(Chance::System).unwrap());
    let right = undone(&secure, 7).iter().zip(&input).filter(|(a, b)| a == b).count();
    // Each line is right with a chance of 1/200: more than fifteen right ones have a chance below
    // 1e-13.
    assert!(right <= 15, "{right} lines are in their place");
}

/// Which value was the most frequent one is certain to whoever knows the seed, and 1/l likely to
/// others.
#[test]
fn with_the_seed_the_most_frequent_value_is_known() {
    let table = Skewed::new(&[30, 9, 7, 5, 2, 1], 4).unwrap();
    let member = skew::make(skew::find("calibrated").unwrap());
    let place = |kept: &[u64]| {
        let mut sorted = kept.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        sorted.iter().position(|count| *count == kept[0]).unwrap()
    };
    let drawn = |chance: Chance| place(&member.draw(&table, &mut chance.generator(3).unwrap()));
    for seed in 0..50 {
        assert_eq!(drawn(Chance::insecure(seed)), drawn(Chance::insecure(seed)), "the attacker draws the same");
    }
    let places = Tally::draw(4 * draws(), || drawn(Chance::System));
    assert!(places.0.len() > 1, "without it there are several: {:?}", places.0);
}

/// Who is grouped with whom, and who is withheld, is repeated by whoever knows the seed.
#[test]
fn with_the_seed_groups_by_lot_are_repeated() {
    let rows: Vec<(u32, u32)> = (0..60).map(|at| (at, at / 20)).collect();
    let runs = Runs::new(&rows, "frequency-l-diversity", ("l", "3"));
    for (name, written) in [("anatomy", vec![]), ("randomized-greedy-grouping", vec![("p", Raw::Number("0.5".into()))])]
    {
        let method = ChosenMethod::new(name, &written).unwrap();
        assert_eq!(runs.groups(&method, Chance::insecure(5)), runs.groups(&method, Chance::insecure(5)), "{name}");
        if name == "anatomy" {
            // The same groups by chance: one in (20!)² cases.
            assert_ne!(runs.groups(&method, Chance::System), runs.groups(&method, Chance::System), "{name}");
        }
    }
}

// Sources

/// Files that draw by a public seed, and why nothing is lost by that.
const REPEATABLE: [(&str, &str); 7] = [
    ("data/sample.rs", "made-up tables"),
    ("transactions/sample.rs", "made-up transactions"),
    ("transactions/sensitive.rs", "experiments in which a share of all items is called sensitive, by the plan's seed"),
    ("utility/queries.rs", "queries of a workload, by the plan's seed"),
    ("utility/classification.rs", "folds of a cross-validation"),
    ("attack/joint/draw.rs", "worlds of several groups together, likewise"),
    ("attack/worlds/sample.rs", "worlds that an attack draws: verification draws the same"),
];

/// What makes a generator.
const SOURCES: [&str; 10] = [
    "SysRng",
    "OsRng",
    "thread_rng",
    "rand::rng(",
    "from_os_rng",
    "try_from_rng",
    "seed_from_u64",
    "from_seed",
    "getrandom",
    "Chance::insecure",
];

#[test]
fn only_one_file_knows_where_random_choices_come_from() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut open = vec![source.clone()];
    let (mut files, mut repeatable) = (0, 0);
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let name = path.strip_prefix(&source).unwrap().to_string_lossy().replace('\\', "/");
        if name == "chance.rs" || !name.ends_with(".rs") {
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let production = text.split("#[cfg(test)]").next().unwrap();
        let mut code = production.lines().filter(|line| !line.trim_start().starts_with("//"));
        let found = code.find(|line| SOURCES.iter().any(|source| line.contains(source)));
        match REPEATABLE.iter().any(|(known, _)| *known == name) {
            true => repeatable += u32::from(found.is_some()),
            false => assert!(found.is_none(), "{name} makes a generator of its own: {found:?}"),
        }
    }
    assert!(files > 100, "{files} files");
    assert_eq!(repeatable, REPEATABLE.len() as u32, "a file that is excused has no need of it");
}
