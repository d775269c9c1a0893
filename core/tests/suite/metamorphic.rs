//! What may be changed about a table without changing what is found: the order of rows and columns,
//! the names of values, and how often everybody is there. And what a release says about records
//! that it suppresses or whose values are missing.

use crate::support::{COUNT_PEOPLE, Row, cases, requirement_of, table_of};
use sfumato::chance::Chance;
use sfumato::criterion::{KINDS, Requirement};
use sfumato::data::csv::read_from;
use sfumato::data::{Column, Formats, Schema, Table};
use sfumato::publish::{self, Made};
use sfumato::release::{self, Destination, verify};
use sfumato::{Fault, TablePlan, anonymize, audit};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// All numbers below a bound in some order.
    fn order(&mut self, bound: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..bound).collect();
        (1..bound).for_each(|at| order.swap(at, self.below(at as u64 + 1) as usize));
        order
    }
}

/// People who all differ in their quasi-identifiers: a number, a word; and a sensitive value.
#[derive(Clone)]
struct People(Vec<(u64, u64, u64)>);

impl People {
    fn random(numbers: &mut Numbers) -> People {
        let size = 12 + numbers.below(20) as usize;
        let cells = numbers.order(48);
        People(cells[..size].iter().map(|&cell| (cell as u64 / 6, cell as u64 % 6, numbers.below(4))).collect())
    }

    /// The table, with names for values that keep their order, and with columns in some order.
    fn table(&self, renamed: bool, columns: [usize; 3]) -> Table {
        let number = |value: u64| if renamed { 3 * value + 100 } else { value };
        let word = |prefix: &str, value: u64| {
            if renamed { format!("{prefix}{prefix} {value}") } else { format!("{prefix}{value}") }
        };
        let all = [
            Column::from_values("p", self.0.iter().map(|row| number(row.0).to_string())),
            Column::from_values("q", self.0.iter().map(|row| word("q", row.1))),
            Column::from_values("s", self.0.iter().map(|row| word("s", row.2))),
        ];
        Table::new(columns.map(|at| all[at].clone()).to_vec()).unwrap()
    }
}

const COLUMNS: &str = "[columns]\np = \"quasi\"\nq = \"quasi\"\ns = \"sensitive\"\n";

const CRITERIA: [&str; 3] = [
    "criterion = \"k-anonymity\"\nk = 3",
    "criterion = \"frequency-l-diversity\"\nl = 2",
    "criterion = \"t-closeness\"\nt = 0.5",
];

fn make(table: &Table, method: &str, criterion: &str, more: &str) -> sfumato::Result<Made> {
    let text = format!("{COLUMNS}[[require]]\n{criterion}\n[method]\nname = \"{method}\"\n{more}");
    let mut plan = TablePlan::parse(&text, Path::new("."))?;
    plan.publishing.chance = Chance::insecure(5);
    publish::make(&plan, table, &Formats::default())?.pass()
}

/// Groups as sets of people, whatever number each row had; nothing if there is no release.
fn partition(
    table: &Table,
    method: &str,
    criterion: &str,
    person: impl Fn(u32) -> usize,
) -> Option<BTreeSet<Vec<usize>>> {
    let made = match make(table, method, criterion, "") {
        Ok(made) => made,
        Err(error) => {
            assert_eq!(error.fault(), Fault::Infeasible, "{error}");
            return None;
        }
    };
    let groups = made.recoded.groups.mapped(&made.recoded.row_of);
    let people = |group: usize| {
        let mut people: Vec<usize> = groups.rows(group).iter().map(|&row| person(row)).collect();
        people.sort_unstable();
        people
    };
    Some((0..groups.len()).map(people).collect())
}

/// Anatomy takes records by lot, so its groups depend on where records stand; what it tells of
/// groups does not.
fn draws_records(method: &str) -> bool {
    method == "anatomy"
}

#[test]
fn neither_order_nor_names_change_a_partition() {
    let mut numbers = Numbers(1);
    let mut published = BTreeMap::new();
    for _ in 0..cases(10) {
        let people = People::random(&mut numbers);
        let order = numbers.order(people.0.len());
        let turned = People(order.iter().map(|&at| people.0[at]).collect());
        for method in anonymize::KINDS.iter().map(|kind| kind.name) {
            for criterion in CRITERIA {
                let same = |row: u32| row as usize;
                let plain = partition(&people.table(false, [0, 1, 2]), method, criterion, same);
                *published.entry(method).or_insert(0) += usize::from(plain.is_some());
                let columns = partition(&people.table(false, [2, 1, 0]), method, criterion, same);
                assert_eq!(plain, columns, "{method} {criterion}: columns in another order");
                let renamed = partition(&people.table(true, [1, 2, 0]), method, criterion, same);
                assert_eq!(plain, renamed, "{method} {criterion}: values renamed");
                let rows = partition(&turned.table(false, [0, 1, 2]), method, criterion, |row| order[row as usize]);
                match draws_records(method) {
                    true => assert_eq!(sizes(&plain), sizes(&rows), "{method} {criterion}: rows in another order"),
                    false => assert_eq!(plain, rows, "{method} {criterion}: rows in another order"),
                }
            }
        }
    }
    // Comparing nothing with nothing proves nothing.
    for method in anonymize::KINDS {
        assert!(published[method.name] > 5, "{}: {published:?}", method.name);
    }
}

fn sizes(partition: &Option<BTreeSet<Vec<usize>>>) -> Vec<usize> {
    let mut sizes: Vec<usize> = partition.iter().flatten().map(Vec::len).collect();
    sizes.sort_unstable();
    sizes
}

fn random_rows(numbers: &mut Numbers) -> Vec<Row> {
    let count = 2 + numbers.below(30);
    let mut value = |bound: u64| numbers.below(bound) as u32;
    (0..count).map(|_| Row { zip: value(4), disease: value(4), drug: value(3) }).collect()
}

/// Everybody three times: groups are three times as large, shares and distances are the same, and
/// whoever knows others knows fewer of them.
#[test]
fn what_is_measured_of_everybody_three_times() {
    let schema = Schema::of(&["zip"], &["disease", "drug"]);
    let wanted: Vec<Requirement> = KINDS.iter().flat_map(|kind| requirement_of(kind, &schema)).collect();
    let mut numbers = Numbers(2);
    for _ in 0..cases(100) {
        let rows = random_rows(&mut numbers);
        let again: Vec<Row> = rows.iter().cycle().take(3 * rows.len()).copied().collect();
        let measured = |rows: &[Row]| audit(&table_of(rows), &schema, &wanted, Path::new(".")).unwrap().criteria;
        for (once, thrice) in measured(&rows).iter().zip(measured(&again)) {
            let name = once.requirement.criterion.kind.name;
            let (once, thrice) = (&once.verdict, &thrice.verdict);
            assert!(!once.holds || thrice.holds, "{name}");
            let is_close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(1.0);
            let is_same = match (once.measured, thrice.measured) {
                (Some(a), Some(b)) => is_close(a, b),
                (a, b) => a == b,
            };
            // Sizes are three times as large; and of more people alike somebody knows a smaller
            // part, so that a belief is no larger.
            let is_of_people = |a: f64, b: f64| is_close(3.0 * a, b) || a <= 1.0 && b <= a * (1.0 + 1e-12);
            let counts_people = COUNT_PEOPLE.contains(&name)
                && once.measured.zip(thrice.measured).is_some_and(|(once, thrice)| is_of_people(once, thrice));
            assert!(is_same || counts_people, "{name}: {:?} {:?}", once.measured, thrice.measured);
            for ((_, once), (_, thrice)) in once.also.iter().zip(&thrice.also) {
                assert!(is_close(*once, *thrice) || is_of_people(*once, *thrice), "{name}: {once} {thrice}");
            }
        }
    }
}

/// With everybody twice and twice the k, searches over levels choose the same; with the same k what
/// they publish is no coarser, and k is kept.
#[test]
fn everybody_twice_with_twice_the_k_is_the_same() {
    let mut numbers = Numbers(3);
    let levels = |made: &Made| made.publication.method.chosen.as_ref().expect("a search").levels.clone();
    let (mut compared, mut finer) = (0, 0);
    for _ in 0..cases(40) {
        let people = People::random(&mut numbers);
        let twice = People(people.0.iter().chain(&people.0).copied().collect());
        for method in anonymize::KINDS
            .iter()
            .filter(|kind| anonymize::ChosenMethod::new(kind.name, &[]).unwrap().chooses_levels())
        {
            let run = |people: &People, k: u32| {
                make(&people.table(false, [0, 1, 2]), method.name, &format!("criterion = \"k-anonymity\"\nk = {k}"), "")
            };
            let (once, same_k) = (run(&people, 3).unwrap(), run(&twice, 3).unwrap());
            assert_eq!(levels(&once), levels(&run(&twice, 6).unwrap()), "{}", method.name);
            let smallest = same_k.publication.criteria[0].verdict.measured.unwrap();
            assert!(smallest >= 3.0);
            let value = |made: &Made| made.publication.method.search.as_ref().expect("a search").value;
            assert!(value(&same_k) <= value(&once) + 1e-12, "{}", method.name);
            compared += 1;
            finer += usize::from(levels(&once) != levels(&same_k));
        }
    }
    assert!(compared > 0 && finer > 0, "{finer} of {compared}");
}

/// Missing values are one value: what the plan declares as missing is alike, and what it does not
/// declare is not.
#[test]
fn what_the_plan_declares_missing_decides() {
    let text = "q,s\n,a\n?,b\nNA,c\nNA,d\nx,e\nx,f\n";
    let smallest = |data: &str| {
        let plan = format!(
            "{data}[columns]\nq = \"quasi\"\ns = \"sensitive\"\n[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n"
        );
        let plan = TablePlan::parse(&plan, Path::new(".")).unwrap();
        let table = read_from(text.as_bytes(), &plan.options).unwrap();
        let found = audit(&table, &plan.schema, &plan.requirements, Path::new(".")).unwrap();
        let missing = table.column("q").unwrap().domain().missing().is_some();
        (found.groups, found.criteria[0].verdict.measured, found.holds(), missing)
    };
    assert_eq!(smallest("[data]\nmissing = []\n"), (4, Some(1.0), false, false), "nothing is missing: four values");
    assert_eq!(smallest("[data]\nmissing = [\"\", \"?\"]\n"), (3, Some(2.0), true, true), "two ways to say missing");
    assert_eq!(smallest("[data]\nmissing = [\"\", \"?\", \"NA\"]\n"), (2, Some(2.0), true, true));
    // A missing value is no wildcard: it fits nobody else's group.
    assert_eq!(smallest("[data]\nmissing = [\"\"]\n"), (4, Some(1.0), false, true));
}

/// Whether two records may be one person's if missing values (0) fit any other: a postal code is of
/// two values here.
fn may_be_one(one: u32, other: u32) -> bool {
    let fits = |a: u32, b: u32| a == b || a == 0 || b == 0;
    fits(one / 3, other / 3) && fits(one % 3, other % 3)
}

/// To take missing values for a value of their own is the stricter reading: whoever takes them for
/// wildcards finds somebody in a union of groups, and what merging keeps holds there as well.
#[test]
fn what_holds_with_missing_values_as_a_value_holds_with_wildcards() {
    let schema = Schema::of(&["zip"], &["disease", "drug"]);
    let wanted: Vec<Requirement> = KINDS.iter().flat_map(|kind| requirement_of(kind, &schema)).collect();
    let mut numbers = Numbers(7);
    let mut compared = 0;
    for _ in 0..cases(100) {
        let rows: Vec<Row> =
            random_rows(&mut numbers).iter().map(|row| Row { zip: numbers.below(9) as u32, ..*row }).collect();
        let table = table_of(&rows);
        let holds = |rows: &[Row]| -> Vec<bool> {
            let found = audit(&table_of(rows), &schema, &wanted, Path::new(".")).unwrap();
            found.criteria.iter().map(|criterion| criterion.verdict.holds).collect()
        };
        let declared = holds(&rows);
        for target in 0..9 {
            let joined = |row: &Row| if may_be_one(row.zip, target) { Row { zip: target, ..*row } } else { *row };
            let wild = holds(&rows.iter().map(joined).collect::<Vec<Row>>());
            for ((wanted, declared), wild) in wanted.iter().zip(&declared).zip(wild) {
                let is_monotone =
                    wanted.bind(&table, &schema, Path::new(".")).unwrap().criterion.properties().is_monotone();
                assert!(!is_monotone || !declared || wild, "{} of {rows:?} for {target}", wanted.criterion.kind.name);
                compared += usize::from(is_monotone && *declared);
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

/// As a sensitive value, too, missing is a value; and the release says how it was read.
#[test]
fn the_release_says_how_missing_values_were_read() {
    let data = "[data]\nmissing = [\"?\"]\n";
    let text = format!("{data}{COLUMNS}[[require]]\ncriterion = \"distinct-l-diversity\"\nl = 2\n");
    let plan = TablePlan::parse(&text, Path::new(".")).unwrap();
    let table = read_from("p,q,s\n1,a,?\n1,a,flu\n?,b,flu\n?,b,?\n".as_bytes(), &plan.options).unwrap();
    let made = publish::make(&plan, &table, &Formats::default()).unwrap().pass().unwrap();
    assert_eq!(made.publication.criteria[0].verdict.measured, Some(2.0));
    for column in ["p", "s"] {
        let says = |note: &String| note.contains(&format!("\"{column}\"")) && note.contains("missing");
        assert!(made.publication.notes.iter().any(says), "{column}: {:?}", made.publication.notes);
    }
    let none = |note: &String| note.contains("\"q\"") && note.contains("missing");
    assert!(!made.publication.notes.iter().any(none));
}

fn written(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.records().map(|row| row.unwrap().iter().map(str::to_string).collect()).collect()
}

/// Records that are suppressed by stars are counted: in the publication, in the file, in the
/// certificate; and whoever checks such a table as it stands sees a group of them like any other.
#[test]
fn a_small_class_of_starred_records_is_counted() {
    let rows = [
        ("1", "a", "x"),
        ("1", "a", "y"),
        ("1", "a", "z"),
        ("2", "b", "x"),
        ("2", "b", "y"),
        ("2", "b", "y"),
        ("9", "z", "w"),
    ];
    let table = Table::new(vec![
        Column::from_values("p", rows.map(|row| row.0)),
        Column::from_values("q", rows.map(|row| row.1)),
        Column::from_values("s", rows.map(|row| row.2)),
    ])
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "{COLUMNS}[[require]]\ncriterion = \"k-anonymity\"\nk = 3\n[release]\nmax_suppressed = 0.2\nsuppressed = \"starred\"\n[gate]\nattacks = \"report\"\n"
    );
    let plan = TablePlan::parse(&text, Path::new(".")).unwrap();
    let formats = Formats::default();
    let made = publish::make(&plan, &table, &formats).unwrap().pass().unwrap();
    assert_eq!((made.publication.published, made.publication.suppressed, made.publication.groups), (6, 1, 2));
    let target = folder.path().join("release");
    let order = Destination::new(&target);
    let certificate = release::write(&made, &plan, &order, &formats).unwrap().document;
    assert_eq!(certificate["suppressed"], 1);
    let stars = written(&target.join("data.csv")).into_iter().filter(|row| row.iter().all(|cell| cell == "*")).count();
    assert_eq!(stars, 1);
    assert!(verify(&target, &formats).unwrap().holds());
    assert_eq!(release::table(&target, &formats).unwrap().rows(), 6, "stars are nobody's values");

    let starred = read_from(std::fs::File::open(target.join("data.csv")).unwrap(), &plan.options).unwrap();
    let found = audit(&starred, &plan.schema, &plan.requirements, Path::new(".")).unwrap();
    assert_eq!((found.holds(), found.criteria[0].verdict.measured, found.groups), (false, Some(1.0), 3));
}

/// Where a star is a value that people have, and everything else is generalized to stars, nobody is
/// taken for suppressed.
#[test]
fn people_whose_value_is_a_star_are_not_taken_for_suppressed() {
    let table = Table::new(vec![
        Column::from_values("p", ["1", "2", "3", "4"]),
        Column::from_values("q", ["a", "b", "c", "d"]),
        Column::from_values("s", ["*", "x", "*", "y"]),
    ])
    .unwrap();
    for suppressed in ["withheld", "starred"] {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "{COLUMNS}[[require]]\ncriterion = \"k-anonymity\"\nk = 4\n[release]\nmax_suppressed = 0.2\nsuppressed = \"{suppressed}\"\n[gate]\nattacks = \"report\"\n"
        );
        let plan = TablePlan::parse(&text, Path::new(".")).unwrap();
        let formats = Formats::default();
        let made = publish::make(&plan, &table, &formats).unwrap().pass().unwrap();
        assert_eq!((made.publication.published, made.publication.suppressed), (4, 0));
        let target = folder.path().join("release");
        let order = Destination::new(&target);
        match release::write(&made, &plan, &order, &formats) {
            Ok(_) => {
                assert!(verify(&target, &formats).unwrap().holds(), "{suppressed}");
                assert_eq!(release::table(&target, &formats).unwrap().rows(), 4, "{suppressed}");
            }
            // To refuse is safe; to publish with a wrong count is not.
            Err(error) => {
                assert!(matches!(error.fault(), Fault::Gate | Fault::Data | Fault::Plan), "{suppressed}: {error}");
                assert!(!target.exists());
            }
        }
    }
}
