//! Every table of up to six rows and three columns, every criterion: the verdict is that of the
//! definition, and so is what is measured.

pub mod naive;
mod releases;
mod settings;
mod tables;
pub mod worlds;

use dashu_ratio::RBig;
use naive::{Case, Found, Measured, Person, judge};
use settings::Asked;
use sfumato::audit::audit_groups;
use sfumato::candidate::Groups;
use sfumato::criterion::{KINDS, On, Requirement, Verdict};
use sfumato::data::hierarchy::{Ladder, Rule};
use sfumato::data::{Column, ColumnSpec, Role, Schema, Table};
use sfumato::plan::requirement;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use tables::{MOST_ROWS, Rows};

fn letter(value: u8) -> String {
    char::from(b'a' + value).to_string()
}

/// Two quasi-identifiers and a sensitive column, or one and two.
fn table_of(rows: &Rows<3>, names: [&str; 3]) -> Table {
    let column = |at: usize| match names[at] {
        "p" | "q" => Column::from_values(names[at], rows.iter().map(|row| row[at].to_string())),
        name => Column::from_values(name, rows.iter().map(|row| letter(row[at]))),
    };
    Table::new((0..3).map(column).collect()).unwrap()
}

const ONE_SENSITIVE: [&str; 3] = ["p", "q", "s"];
const TWO_SENSITIVE: [&str; 3] = ["p", "s", "d"];

fn people(rows: &Rows<3>, names: [&str; 3]) -> Vec<Person> {
    let person = |row: &[u8; 3]| match names[1] {
        "q" => Person { quasi: [row[0], row[1]], values: [row[2], 0] },
        _ => Person { quasi: [row[0], 0], values: [row[1], row[2]] },
    };
    rows.iter().map(person).collect()
}

/// People with equal quasi-identifiers, in a fixed order.
fn grouped(people: &[Person], key: impl Fn(&Person) -> [u8; 2]) -> Vec<Vec<Person>> {
    let mut groups: BTreeMap<[u8; 2], Vec<Person>> = BTreeMap::new();
    people.iter().for_each(|person| groups.entry(key(person)).or_default().push(*person));
    groups.into_values().collect()
}

/// What criteria read of a case: names of quasi-identifiers and the order of groups do not count,
/// but for who has a joint distribution.
fn nameless(groups: Vec<Vec<Person>>) -> Case {
    let mut groups: Vec<Vec<Person>> = (0u8..)
        .zip(groups)
        .map(|(_, mut group)| {
            group.iter_mut().for_each(|person| person.quasi = [0, 0]);
            group.sort_unstable();
            group
        })
        .collect();
    groups.sort_unstable();
    let number = |(at, group): (usize, &mut Vec<Person>)| group.iter_mut().for_each(|one| one.quasi = [at as u8, 0]);
    groups.iter_mut().enumerate().for_each(number);
    Case { groups, ..Case::default() }
}

fn requirements(asked: &[Asked], schema: &Schema) -> Vec<Requirement> {
    let read =
        |asked: &Asked| requirement(&asked.text(), schema).unwrap_or_else(|error| panic!("{}: {error}", asked.text()));
    asked.iter().map(read).collect()
}

/// The library's verdict must be the definition's.
fn compare(asked: &Asked, case: &Case, wanted: &Found, verdict: &Verdict) {
    let told = || format!("{} {:?} on {case:?}: {verdict:?}, expected {wanted:?}", asked.kind.name, asked.params);
    assert!(wanted.holds.is_none_or(|holds| holds == verdict.holds), "{}", told());
    if !wanted.points.is_empty() {
        assert_eq!(verdict.points.len(), wanted.points.len(), "{}", told());
        for (reached, (holds, belief)) in verdict.points.iter().zip(&wanted.points) {
            assert_eq!(reached.holds, *holds, "{}", told());
            assert!(is_close(reached.measured, belief), "{}", told());
        }
        return;
    }
    match (&wanted.measured, verdict.measured) {
        (Measured::Exactly(number) | Measured::About(number, _), Some(measured)) => {
            assert!(is_close(measured, number), "{}", told());
        }
        (Measured::Nothing, None) | (Measured::Unknown, _) => {}
        _ => panic!("{}", told()),
    }
}

fn is_close(float: f64, exact: &RBig) -> bool {
    let exact = exact.to_f64().value();
    (float - exact).abs() <= 1e-13 * exact.abs().max(1.0)
}

/// Everything that is asked, on groups of a table.
fn check(asked: &[Asked], wanted: &[Requirement], schema: &Schema, table: &Table, case: &Case, found: &[Found]) {
    let quasi = schema.quasi(table).unwrap();
    let groups = Groups::by_columns(&quasi, table.rows());
    let audit = audit_groups(table, schema, &groups, wanted, Path::new(".")).unwrap();
    assert_eq!((audit.records, audit.groups), (table.rows() as u64, case.groups.len()));
    for ((asked, answer), found) in asked.iter().zip(&audit.criteria).zip(found) {
        compare(asked, case, found, &answer.verdict);
    }
}

/// What a column of which nothing but its role is said needs.
fn plain(names: [&str; 3]) -> Schema {
    let role = |name: &str| if matches!(name, "p" | "q") { Role::Quasi } else { Role::Sensitive };
    Schema::new(names.iter().map(|name| ColumnSpec::new(*name, role(name))).collect())
}

/// The enumeration is complete: the tables stand for all ways to divide the rows into classes, once
/// for each column.
#[test]
fn the_tables_are_all_there_are() {
    let bell = [1u64, 2, 5, 15, 52, 203];
    for (rows, divisions) in (1..=MOST_ROWS).zip(bell) {
        let three: u64 = tables::all::<3>(rows).iter().map(tables::stands_for).sum();
        let two: u64 = tables::all::<2>(rows).iter().map(tables::stands_for).sum();
        assert_eq!((two, three), (divisions.pow(2), divisions.pow(3)), "{rows} rows");
    }
}

/// Whether everything is asked of everything: SFUMATO_CASES=all, or a number above a thousand.
fn is_thorough() -> bool {
    let wanted = std::env::var("SFUMATO_CASES").unwrap_or_default();
    wanted == "all" || wanted.parse().is_ok_and(|cases: u32| cases > 1000)
}

/// Runs on one thread, without handing over small work to others.
fn on_one_thread(work: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(work);
}

/// Every question is asked about every grouping, and about every table one question of every
/// criterion (all of them where it is to be thorough): tables with the same groups differ in what
/// no criterion reads.
#[test]
fn verdicts_on_every_table_are_those_of_the_definitions() {
    on_one_thread(|| [ONE_SENSITIVE, TWO_SENSITIVE].into_iter().for_each(check_every_table));
}

fn check_every_table(names: [&str; 3]) {
    let schema = plain(names);
    let concerned = |on: On| (names == TWO_SENSITIVE) == (on == On::Columns);
    let asked: Vec<Vec<Asked>> =
        KINDS.iter().filter(|kind| concerned(kind.build.on)).map(|kind| settings::of(kind)).collect();
    let wanted: Vec<Vec<Requirement>> = asked.iter().map(|asked| requirements(asked, &schema)).collect();
    // What is known of a grouping, by criterion and question.
    let mut known: HashMap<Case, HashMap<(usize, usize), Found>> = HashMap::new();
    let (mut tables, mut verdicts) = (0, 0);
    for (number, rows) in tables::up_to::<3>(MOST_ROWS).iter().enumerate() {
        let case = nameless(grouped(&people(rows, names), |person| person.quasi));
        let known = known.entry(case.clone()).or_default();
        let is_asked_all = is_thorough() || known.is_empty() && names == ONE_SENSITIVE;
        let chosen = |of_kind: usize| match is_asked_all {
            true => 0..asked[of_kind].len(),
            false => number % asked[of_kind].len()..number % asked[of_kind].len() + 1,
        };
        let places: Vec<(usize, usize)> =
            (0..asked.len()).flat_map(|kind| chosen(kind).map(move |at| (kind, at))).collect();
        let judged = |&(kind, at): &(usize, usize)| {
            let asked = &asked[kind][at];
            known.entry((kind, at)).or_insert_with(|| judge(asked, &case)).clone()
        };
        let found: Vec<Found> = places.iter().map(judged).collect();
        let (now, now_wanted): (Vec<Asked>, Vec<Requirement>) =
            places.iter().map(|&(kind, at)| (asked[kind][at].clone(), wanted[kind][at].clone())).unzip();
        check(&now, &now_wanted, &schema, &table_of(rows, names), &case, &found);
        (tables, verdicts) = (tables + 1, verdicts + now.len());
    }
    eprintln!("{verdicts} verdicts on {tables} tables with {} groupings", known.len());
}

/// Groupings of at most so many people by what they have, one of each kind, and the table that has
/// them.
fn groupings(rows: usize) -> Vec<(Rows<3>, Case)> {
    let pairs = tables::up_to::<2>(rows);
    let as_table = |rows: Rows<2>| -> Rows<3> { rows.into_iter().map(|[group, value]| [group, 0, value]).collect() };
    let with_case = |rows: Rows<3>| {
        let case = nameless(grouped(&people(&rows, ONE_SENSITIVE), |person| person.quasi));
        (rows, case)
    };
    pairs.into_iter().map(as_table).map(with_case).collect()
}

/// Asks and compares; says how many verdicts there were.
fn ask(asked: &[Asked], schema: &Schema, rows: &Rows<3>, names: [&str; 3], case: &Case) -> usize {
    let found: Vec<Found> = asked.iter().map(|asked| judge(asked, case)).collect();
    check(asked, &requirements(asked, schema), schema, &table_of(rows, names), case, &found);
    asked.len()
}

/// At what is measured a criterion holds (or, where it is strict, does no longer), and a hair
/// beyond it is the other way round.
#[test]
fn what_is_measured_is_where_verdicts_turn() {
    let (mut verdicts, mut turns) = (0, 0);
    let mut check_around =
        |kinds: &[&'static sfumato::kind::Kind<_>], rows: &Rows<3>, names: [&str; 3], case: &Case| {
            let mut near = Vec::new();
            for asked in kinds.iter().flat_map(|kind| settings::of(kind)) {
                let around = settings::around(&asked, &judge(&asked, case));
                let judged: Vec<Option<bool>> = around.iter().map(|asked| judge(asked, case).holds).collect();
                turns += usize::from(judged.windows(2).any(|pair| pair[0] != pair[1]));
                near.extend(around);
            }
            near.sort_by_key(Asked::text);
            near.dedup_by_key(|asked| asked.text());
            verdicts += ask(&near, &plain(names), rows, names, case);
        };
    let (several, one): (Vec<_>, Vec<_>) = KINDS.iter().partition(|kind| kind.build.on == On::Columns);
    for (rows, case) in groupings(if is_thorough() { MOST_ROWS } else { MOST_ROWS - 1 }) {
        check_around(&one, &rows, ONE_SENSITIVE, &case);
    }
    for rows in tables::up_to::<3>(MOST_ROWS - 3) {
        let case = nameless(grouped(&people(&rows, TWO_SENSITIVE), |person| person.quasi));
        check_around(&several, &rows, TWO_SENSITIVE, &case);
    }
    eprintln!("{verdicts} verdicts about {turns} turning points");
    assert!(turns > 5_000, "{turns}");
}

/// Values of a case: those that occur.
fn values_of(case: &Case) -> Vec<u8> {
    let mut values: Vec<u8> = case.groups.iter().flatten().map(|person| person.values[0]).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The schema of one quasi-identifier (the other is the same for all) and a sensitive column of
/// which more is said.
fn with_sensitive(change: impl FnOnce(&mut ColumnSpec)) -> Schema {
    let mut specs = plain(ONE_SENSITIVE).columns().to_vec();
    change(&mut specs[2]);
    Schema::new(specs)
}

fn listed(values: &[u8]) -> String {
    format!("[{}]", values.iter().map(|value| format!("\"{}\"", letter(*value))).collect::<Vec<_>>().join(", "))
}

fn one_column_kinds() -> impl Iterator<Item = &'static sfumato::kind::Kind<sfumato::criterion::Build>> {
    KINDS.into_iter().filter(|kind| kind.build.on != On::Columns)
}

#[test]
fn values_that_need_no_protection_are_told_in_every_way() {
    let mut verdicts = 0;
    for (rows, case) in groupings(if is_thorough() { MOST_ROWS } else { MOST_ROWS - 2 }) {
        let values = values_of(&case);
        for choice in 1u32..1 << values.len() {
            let chosen: Vec<u8> = (0..values.len()).filter(|at| choice >> at & 1 == 1).map(|at| values[at]).collect();
            let named: Vec<String> = chosen.iter().map(|value| letter(*value)).collect();
            let schema = with_sensitive(|spec| spec.sensitive_values = named);
            let case = Case { sensitive_values: chosen.clone(), ..case.clone() };
            // What `dont_care` or a point names besides must be no contradiction.
            let is_silent =
                |asked: &Asked| !asked.params.iter().any(|(name, text)| *name == "dont_care" && text != "[]");
            let asked: Vec<Asked> = one_column_kinds().flat_map(settings::of).filter(is_silent).collect();
            verdicts += ask(&asked, &schema, &rows, ONE_SENSITIVE, &case);
            // And the other way to say it.
            let case = Case { sensitive_values: Vec::new(), ..case };
            let free: Vec<u8> = values.iter().copied().filter(|value| !chosen.contains(value)).collect();
            let others = one_column_kinds().filter(|kind| kind.params.iter().any(|param| param.name == "dont_care"));
            let asked: Vec<Asked> = others
                .flat_map(settings::of)
                .filter(is_silent)
                .map(|asked| asked.with("dont_care", listed(&free)))
                .collect();
            verdicts += ask(&asked, &plain(ONE_SENSITIVE), &rows, ONE_SENSITIVE, &case);
        }
    }
    eprintln!("{verdicts} verdicts");
}

/// A hierarchy given by the node of every value on every level.
struct Given(Vec<Vec<u8>>);

impl Rule for Given {
    fn ladder(&self, column: &Column) -> sfumato::Result<Ladder> {
        let value = |code: u32| column.domain().label(code).as_bytes()[0] - b'a';
        let labels = |leaf: usize| self.0[1..].iter().map(move |nodes| format!("node {}", nodes[leaf]));
        Ok(Ladder {
            paths: (0..MOST_ROWS).map(|leaf| labels(leaf).chain(["*".to_string()]).collect()).collect(),
            leaf_of_code: (0..column.domain().len() as u32).map(|code| Some(u32::from(value(code)))).collect(),
        })
    }

    fn makes(&self, label: &str) -> bool {
        label == "*" || label.starts_with("node ")
    }
}

/// All orders of some values.
fn orders(values: &[u8]) -> Vec<Vec<u8>> {
    if values.len() < 2 {
        return vec![values.to_vec()];
    }
    let without = |at: usize| [&values[..at], &values[at + 1..]].concat();
    let with_first =
        |at: usize| orders(&without(at)).into_iter().map(move |rest| [&[values[at]], rest.as_slice()].concat());
    (0..values.len()).flat_map(with_first).collect()
}

#[test]
fn distances_are_costs_of_moving_records() {
    let hierarchies: [&[[u8; MOST_ROWS]]; 4] = [
        &[],
        &[[0, 0, 1, 1, 2, 2]],
        &[[0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]],
        &[[0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 0, 0]],
    ];
    let kind = sfumato::criterion::find("t-closeness").unwrap();
    let ask_all = |schema: &Schema, rows: &Rows<3>, case: &Case, distance: &str| {
        let plain: Vec<Asked> =
            settings::of(kind).iter().map(|asked| asked.with("distance", distance.to_string())).collect();
        let near = settings::around(&plain[0], &judge(&plain[0], case));
        ask(&[plain, near].concat(), schema, rows, ONE_SENSITIVE, case)
    };
    let mut verdicts = 0;
    for (rows, case) in groupings(MOST_ROWS) {
        let values = values_of(&case);
        let orders = if values.len() < 5 {
            orders(&values)
        } else {
            vec![values.clone(), [&values[2..], &values[..2]].concat()]
        };
        for order in orders {
            let schema = with_sensitive(|spec| spec.order = order.iter().map(|value| letter(*value)).collect());
            verdicts += ask_all(&schema, &rows, &Case { order, ..case.clone() }, "\"ordered\"");
        }
        for levels in hierarchies {
            let values = [(0..MOST_ROWS as u8).collect()];
            let levels: Vec<Vec<u8>> = values.into_iter().chain(levels.iter().map(|nodes| nodes.to_vec())).collect();
            let schema = with_sensitive(|spec| spec.rule = Some(Arc::new(Given(levels.clone()))));
            verdicts += ask_all(&schema, &rows, &Case { hierarchy: levels, ..case.clone() }, "\"hierarchical\"");
        }
    }
    eprintln!("{verdicts} verdicts");
}

/// Weights of all combinations of quasi-identifiers and values, some of them zero.
fn joint(number: u64) -> Vec<([u8; 2], u8, u64)> {
    let most = MOST_ROWS as u8;
    let mut weights = Vec::new();
    for (p, q) in (0..most).flat_map(|p| (0..most).map(move |q| (p, q))) {
        for value in 0..most {
            let mixed = (u64::from(p) * 7 + u64::from(q) * 3 + u64::from(value) * 5 + number) * (number + 2);
            weights.push(([p, q], value, if number == 0 { 1 } else { mixed % (3 + number) }));
        }
    }
    weights
}

/// Groups by the first quasi-identifier, so that several combinations of both share one.
#[test]
fn beliefs_of_attackers_with_a_distribution_are_those_of_bayes() {
    let folder = tempfile::tempdir().unwrap();
    let kind = sfumato::criterion::find("bayes-optimal").unwrap();
    let schema = plain(ONE_SENSITIVE);
    let (mut verdicts, mut failing) = (0, 0);
    for number in 0..4 {
        let weights = joint(number);
        let lines: String =
            weights.iter().map(|([p, q], value, weight)| format!("{p},{q},{},{weight}\n", letter(*value))).collect();
        std::fs::write(folder.path().join("joint.csv"), format!("p,q,s,weight\n{lines}")).unwrap();
        for rows in tables::up_to::<3>(MOST_ROWS - 2) {
            let case = Case {
                groups: grouped(&people(&rows, ONE_SENSITIVE), |person| [person.quasi[0], 0]),
                joint: Some(weights.clone()),
                ..Case::default()
            };
            let mut asked = settings::of(kind);
            let near = settings::around(&asked[0], &judge(&asked[0], &case));
            asked.extend(near);
            let wanted: Vec<Found> = asked.iter().map(|asked| judge(asked, &case)).collect();
            asked.iter_mut().for_each(|asked| asked.params.push(("joint", "\"joint.csv\"".to_string())));
            let table = table_of(&rows, ONE_SENSITIVE);
            let groups = Groups::by_columns(&[table.column("p").unwrap()], table.rows());
            let audit = audit_groups(&table, &schema, &groups, &requirements(&asked, &schema), folder.path()).unwrap();
            for ((asked, answer), wanted) in asked.iter().zip(&audit.criteria).zip(&wanted) {
                compare(asked, &case, wanted, &answer.verdict);
                failing += usize::from(wanted.holds == Some(false));
            }
            verdicts += asked.len();
        }
    }
    eprintln!("{verdicts} verdicts, {failing} of them against the release");
    assert!(failing > verdicts / 10 && failing < verdicts * 9 / 10, "{failing} of {verdicts}");
}

/// That the worst implications all end in the same is a theorem; here nothing is taken for granted.
#[test]
fn no_implications_lead_further_than_those_with_one_end() {
    for (_, case) in groupings(4) {
        let worlds = worlds::Worlds::new(&case);
        for known in 0..=2 {
            assert_eq!(worlds.any_implications(known), worlds.implications(known), "{known} known of {case:?}");
        }
    }
}

/// Every method, form and criterion on every n-th table; a few of them are written. All of them,
/// and every table written once, where it is to be thorough.
#[test]
fn what_is_published_satisfies_the_definitions() {
    on_one_thread(|| {
        let (all, demands) = (tables::up_to::<3>(MOST_ROWS), releases::demands());
        // Steps that share no factor with the number of demands: all pairs come by in time.
        let (step, per_table) = if is_thorough() { (1, 40) } else { (11, 8) };
        let folder = tempfile::tempdir().unwrap();
        let mut tally = releases::Tally::default();
        let mut next = 0;
        for (at, rows) in all.iter().enumerate().step_by(step) {
            for turn in 0..per_table {
                let is_written = turn == 0 && (is_thorough() || at % 10 == 0);
                demands[next % demands.len()].publish(rows, is_written.then_some(folder.path()), &mut tally);
                next += 11;
            }
        }
        eprintln!(
            "every {step}th of {} tables with {per_table} of {} demands each: {} published, {} of them written, {} infeasible",
            all.len(),
            demands.len(),
            tally.published,
            tally.written,
            tally.infeasible
        );
        // Every method publishes by every criterion on sizes or one column. Few of so small tables
        // satisfy criteria on several, so that of these some method must publish by each.
        let published = |method: &str, criterion: &str| {
            tally.by_pair.keys().any(|pair| (method.is_empty() || pair.0 == method) && pair.1 == criterion)
        };
        for kind in KINDS {
            let alone = matches!(kind.build.on, On::Nothing | On::Column);
            let methods = sfumato::anonymize::KINDS.iter().map(|method| method.name).filter(|_| alone);
            for method in methods.chain([""]) {
                assert!(published(method, kind.name), "{method} published nothing by {}", kind.name);
            }
        }
        assert!(tally.written > 100, "{}", tally.written);
    });
}
