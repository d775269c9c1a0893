//! What is said in public depends on what is published and on the plan alone: over all tables that
//! lead to the same files, certificate and report are the same, byte for byte.

use crate::support::settings::{LETTERS, mild};
use sfumato::anonymize;
use sfumato::chance::Chance;
use sfumato::criterion::{self, On};
use sfumato::data::{Column, Formats, Table};
use sfumato::plan::SetPlan;
use sfumato::publish;
use sfumato::publish::Draft;
use sfumato::release::{self, Destination};
use sfumato::{Error, Fault, TablePlan};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// More plans with SFUMATO_CASES.
fn cases(usual: usize) -> usize {
    std::env::var("SFUMATO_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// Public files and what is said about them; every set of files must be said the same of.
#[derive(Default)]
struct Said {
    by_files: BTreeMap<Vec<u8>, (Vec<u8>, Vec<u8>, String)>,
    releases: usize,
}

impl Said {
    /// Reads a release directory.
    fn hear(&mut self, folder: &Path, world: &str) {
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "certificate.json" && name != "report.html")
            .collect();
        names.sort();
        let mut files = Vec::new();
        for name in &names {
            files.extend(format!("=== {name}\n").bytes().chain(read(name)));
        }
        let (certificate, report) = (read("certificate.json"), read("report.html"));
        self.releases += 1;
        match self.by_files.get(&files) {
            None => {
                self.by_files.insert(files, (certificate, report, world.to_string()));
            }
            Some((known, known_report, other)) => {
                let differing = first_difference(known, &certificate).or(first_difference(known_report, &report));
                if let Some((one, another)) = differing {
                    panic!("one release, two statements.\nOf {other}:\n{one}\nOf {world}:\n{another}");
                }
            }
        }
    }

    /// Releases that somebody else's table leads to as well.
    fn shared(&self) -> usize {
        self.releases - self.by_files.len()
    }
}

fn first_difference(one: &[u8], other: &[u8]) -> Option<(String, String)> {
    let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().map(str::to_string).collect::<Vec<_>>();
    let (one, other) = (lines(one), lines(other));
    let at = (0..one.len().max(other.len())).find(|&at| one.get(at) != other.get(at))?;
    let line = |lines: &[String]| lines.get(at).map_or("(nothing)".into(), |line| line.chars().take(600).collect());
    Some((line(&one), line(&other)))
}

/// Everybody's quasi-identifiers. Equal ones, ties, and somebody far from the others, whom methods
/// suppress.
const PEOPLE: [&[(u8, u8)]; 3] = [
    &[(0, 0), (0, 0), (1, 0), (1, 0), (6, 1)],
    &[(0, 0), (1, 1), (2, 0), (3, 1), (3, 1)],
    &[(0, 0), (0, 0), (0, 1), (0, 1), (7, 1), (7, 1)],
];

/// Every way to give people one of some values.
fn assignments(people: usize, values: u8) -> impl Iterator<Item = Vec<u8>> {
    (0..usize::from(values).pow(people as u32)).map(move |number| {
        (0..people).map(|at| (number / usize::from(values).pow(at as u32) % usize::from(values)) as u8).collect()
    })
}

fn table(people: &[(u8, u8)], values: &[u8], two_sensitive: bool) -> Table {
    let letter = |value: &u8| char::from(b'a' + value).to_string();
    let mut columns = vec![
        Column::from_values("p", people.iter().map(|person| person.0.to_string())),
        Column::from_values("q", people.iter().map(|person| person.1.to_string())),
        Column::from_values("s", values.iter().map(letter)),
    ];
    if two_sensitive {
        let other = |(at, value): (usize, &u8)| letter(&((value + at as u8) % 3));
        columns.push(Column::from_values("d", values.iter().enumerate().map(other)));
    }
    Table::new(columns).unwrap()
}

/// Publishes every world by a plan; says how many releases there were, and how many had another
/// origin as well.
fn publish_worlds(text: &str, people: &[(u8, u8)], values: u8, folder: &Path) -> (usize, usize) {
    let mut plan = match TablePlan::parse(text, Path::new(".")) {
        Ok(plan) => plan,
        // A key that would do nothing for this method and form is refused.
        Err(error) if error.to_string().contains("has no effect") => return (0, 0),
        Err(error) => panic!("{text}\n{error}"),
    };
    plan.publishing.chance = Chance::insecure(1);
    let (target, formats) = (folder.join("release"), Formats::default());
    let order = Destination { replace: true, ..Destination::new(&target) };
    let mut said = Said::default();
    for values in assignments(people.len(), values) {
        let world = format!("{people:?} with {values:?} by\n{text}");
        let table = table(people, &values, text.contains("d = \"sensitive\""));
        let written = publish::make(&plan, &table, &formats)
            .and_then(Draft::pass)
            .and_then(|made| release::write(&made, &plan, &order, &formats).map(drop));
        match written {
            Ok(()) => said.hear(&target, &world),
            Err(error) => assert!(is_no_release(&error), "{world}\n{error}"),
        }
    }
    (said.releases, said.shared())
}

/// Whether an error says that there is no safe release, or that the table cannot have what is asked
/// for.
fn is_no_release(error: &Error) -> bool {
    let unreadable = error.to_string().contains("cannot be read back") || error.to_string().contains("does not verify");
    matches!(error.fault(), Fault::Infeasible | Fault::Plan | Fault::Gate) && !unreadable
}

const COLUMNS: &str = "[columns]\np = { role = \"quasi\", hierarchy = { intervals = [2, 4] } }\nq = \"quasi\"\n";

/// Every method, form and criterion, with suppressed records withheld, starred and not allowed.
fn plans() -> Vec<String> {
    let mut plans = Vec::new();
    for kind in criterion::KINDS {
        let wanted = mild(kind, LETTERS);
        let several = kind.build.on == On::Columns;
        let sensitive = if several { "s = \"sensitive\"\nd = \"sensitive\"\n" } else { "s = \"sensitive\"\n" };
        for method in anonymize::KINDS {
            for release in [
                "form = \"generalized\"",
                "form = \"bucketized\"",
                "form = \"generalized\"\nmax_suppressed = 0.5",
                "form = \"bucketized\"\nmax_suppressed = 0.5",
                "form = \"generalized\"\nmax_suppressed = 0.5\nsuppressed = \"starred\"",
            ] {
                // Where values are published as they are, a hierarchy would do nothing, and is
                // refused.
                let by_levels = anonymize::ChosenMethod::new(method.name, &[]).unwrap().chooses_levels();
                let is_exact = release.contains("bucketized") && !by_levels;
                let columns = if is_exact { "[columns]\np = \"quasi\"\nq = \"quasi\"\n" } else { COLUMNS };
                plans.push(format!(
                    "{columns}{sensitive}[[require]]\n{}[method]\nname = \"{}\"\n[release]\n{release}\n[gate]\nattacks = \"report\"\n",
                    wanted.text(),
                    method.name
                ));
            }
        }
    }
    plans
}

#[test]
fn public_statements_are_functions_of_what_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let plans = plans();
    let (mut releases, mut shared, mut published) = (0, 0, 0);
    // A step that has no divisor in common with the loops above meets everything in turn.
    let wanted = cases(70).min(plans.len());
    for at in 0..wanted {
        let plan = &plans[at * 97 % plans.len()];
        let (people, values) = (PEOPLE[at % PEOPLE.len()], if at % 5 == 0 { 3 } else { 2 });
        let values = if people.len() > 5 { 2 } else { values };
        let (own, own_shared) = publish_worlds(plan, people, values, folder.path());
        (releases, shared) = (releases + own, shared + own_shared);
        published += usize::from(own > 0);
    }
    eprintln!("{releases} releases by {published} of {wanted} plans, {shared} with another origin as well");
    assert!(releases > wanted * 20 && releases > 2000 && shared > releases / 4, "the test tests little");
}

/// Further words of plans: values that need protection, records that are withheld first, limits,
/// prediction and queries.
#[test]
fn so_are_those_about_skew_protection_limits_and_prediction() {
    let folder = tempfile::tempdir().unwrap();
    let require = "[[require]]\ncriterion = \"frequency-l-diversity\"\non = \"s\"\nl = 2\n";
    let mut plans = Vec::new();
    for (at, method) in anonymize::KINDS.iter().enumerate() {
        let form = ["generalized", "bucketized"][at % 2];
        let method = format!("[method]\nname = \"{}\"\n", method.name);
        for (sensitive, sections) in [
            ("\"sensitive\"", "[skew]\nmethod = \"calibrated\"\n"),
            ("\"sensitive\"", "[skew]\nmethod = \"safe-d\"\n"),
            ("\"sensitive\"", "[skew]\nmethod = \"r-suppression\"\n"),
            ("{ role = \"sensitive\", sensitive_values = [\"a\"] }", ""),
            (
                "\"sensitive\"",
                "[[utility]]\nmetric = \"classification\"\ntarget = \"s\"\n[[utility]]\nmetric = \"queries\"\nqueries = 10\n",
            ),
        ] {
            for suppressed in ["", "max_suppressed = 0.5\n"] {
                // What cannot be predicted record by record is refused or left out.
                let form = if sections.contains("target") { "generalized" } else { form };
                plans.push(format!(
                    "{COLUMNS}s = {sensitive}\n{require}{method}[release]\nform = \"{form}\"\n{suppressed}{sections}[gate]\nattacks = \"report\"\n"
                ));
            }
        }
    }
    let (mut releases, mut shared) = (0, 0);
    let wanted = cases(20).min(plans.len());
    for at in 0..wanted {
        let people = PEOPLE[at % 2];
        let (own, own_shared) = publish_worlds(&plans[at * 31 % plans.len()], people, 3, folder.path());
        (releases, shared) = (releases + own, shared + own_shared);
    }
    eprintln!("{releases} releases, {shared} with another origin as well");
    assert!(releases > wanted * 10 && shared > releases / 4, "the test tests little");
}

/// How often an attacker guesses right differs from world to world behind one release, so it is
/// known to the custodian and said to nobody.
#[test]
fn how_often_guesses_are_right_is_not_said() {
    let folder = tempfile::tempdir().unwrap();
    let plan = "[columns]\np = \"quasi\"\nq = \"quasi\"\ns = \"sensitive\"\n[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n\
                [method]\nname = \"greedy-grouping\"\n[release]\nform = \"bucketized\"\n";
    let mut plan = TablePlan::parse(plan, Path::new(".")).unwrap();
    plan.publishing.chance = Chance::insecure(1);
    let (target, formats) = (folder.path().join("release"), Formats::default());
    let order = Destination { replace: true, ..Destination::new(&target) };
    let people = [(0, 0), (0, 0), (0, 0), (1, 1), (1, 1), (1, 1)];
    let (mut said, mut right) = (Said::default(), BTreeMap::<Vec<u8>, BTreeSet<u64>>::new());
    for values in assignments(6, 3) {
        let table = table(&people, &values, false);
        let Ok(made) = publish::make(&plan, &table, &formats).and_then(Draft::pass) else { continue };
        release::write(&made, &plan, &order, &formats).unwrap();
        said.hear(&target, &format!("{values:?}"));
        let guessed = made.publication.attacks.iter().find_map(|found| found.right).unwrap();
        let files = ["quasi.csv", "sensitive.csv"].map(|name| std::fs::read(target.join(name)).unwrap());
        right.entry(files.concat()).or_default().insert(guessed.iter().sum());
    }
    let differing = right.values().filter(|found| found.len() > 1).count();
    assert!(said.shared() > 50 && differing > 10, "{} shared, {differing} differ", said.shared());
}

/// Two thousand people in twenty villages and three far away: whether those three are ill changes
/// nothing that is published, so it changes nothing that is said.
#[test]
fn whether_suppressed_people_are_ill_is_not_said() {
    let folder = tempfile::tempdir().unwrap();
    for method in ["optimal", "base", "incognito"] {
        let suppressing = if method == "base" { "" } else { "[release]\nmax_suppressed = 0.01\n" };
        let plan = format!(
            "[columns]\nvillage = {{ role = \"quasi\", hierarchy = {{ redact = 3 }} }}\nill = {{ role = \"sensitive\", sensitive_values = [\"HIV\"] }}\n\
             [[require]]\ncriterion = \"k-anonymity\"\nk = 5\n\
             [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 4\n\
             [method]\nname = \"{method}\"\n{suppressing}[[utility]]\nmetric = \"classification\"\ntarget = \"ill\"\n[[utility]]\nmetric = \"queries\"\nqueries = 50\n"
        );
        let mut plan = TablePlan::parse(&plan, Path::new(".")).unwrap();
        plan.publishing.chance = Chance::insecure(1);
        let (target, formats) = (folder.path().join("release"), Formats::default());
        let order = Destination { replace: true, ..Destination::new(&target) };
        let mut said = Said::default();
        for ill_far_away in 0..=3 {
            let village = |at: usize| if at < 2000 { format!("V{:02}", at % 20) } else { "V99".to_string() };
            // Of the others every tenth is ill. With everybody in one group, somebody else is
            // healthy instead.
            let healed = if method == "base" { ill_far_away } else { 0 };
            let is_ill = |at: usize| {
                if at < 2000 { (at / 20).is_multiple_of(10) && at >= healed } else { at - 2000 < ill_far_away }
            };
            let table = Table::new(vec![
                Column::from_values("village", (0..2003).map(village)),
                Column::from_values("ill", (0..2003).map(|at| if is_ill(at) { "HIV" } else { "none" })),
            ])
            .unwrap();
            let made = publish::make(&plan, &table, &formats).unwrap().pass().unwrap();
            release::write(&made, &plan, &order, &formats).unwrap();
            said.hear(&target, &format!("{method}, {ill_far_away} ill"));
        }
        assert_eq!((said.releases, said.by_files.len()), (4, 1), "{method}: the files are the same");
    }
}

/// Every table of three records over three items, one of them sensitive, by every method.
#[test]
fn statements_about_transactions_are_functions_of_what_is_published() {
    let folder = tempfile::tempdir().unwrap();
    // The file that an example names.
    std::fs::write(folder.path().join("items.txt"), "a;x;*\nb;x;*\ns;s;*\n").unwrap();
    let (mut releases, mut shared) = (0, 0);
    for kind in sfumato::transactions::method::KINDS {
        let method = kind.name;
        let params: String = kind.example.iter().map(|(name, text)| format!("{name} = {text}\n")).collect();
        let text = format!(
            "[data]\nkind = \"transactions\"\nsensitive = {{ items = [\"s\"] }}\n[[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"0.5\"\n[method]\nname = \"{method}\"\n{params}"
        );
        let mut plan = SetPlan::parse(&text, folder.path()).unwrap_or_else(|error| panic!("{text}\n{error}"));
        plan.chance = Chance::insecure(1);
        let target = folder.path().join("release");
        let place = Destination { replace: true, ..Destination::new(&target) };
        let mut said = Said::default();
        for number in 0..8usize.pow(3) {
            let record = |at: u32| -> String {
                let set = number / 8usize.pow(at) % 8;
                let items = ["a", "b", "s"].iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
                items.map(|(_, item)| *item).collect::<Vec<_>>().join(" ")
            };
            let lines = (0..3).map(|at| format!("{}\n", record(at))).collect::<String>();
            let Ok(read) = sfumato::transactions::read_lines(lines.as_bytes(), None) else { continue };
            let written = publish::make(&plan, &read, &Formats::default())
                .and_then(Draft::pass)
                .and_then(|made| release::write(&made, &plan, &place, &Formats::default()).map(drop));
            match written {
                Ok(()) => said.hear(&target, &format!("{method} of\n{lines}")),
                Err(error) => assert!(is_no_release(&error), "{method} of\n{lines}{error}"),
            }
        }
        (releases, shared) = (releases + said.releases, shared + said.shared());
    }
    eprintln!("{releases} releases of transactions, {shared} with another origin as well");
    assert!(releases > 1000 && shared > 200, "the test tests little");
}

/// People of whom nothing is published but that they are missing: their value is in no byte of the
/// release, neither by the order of rows nor by the types that files state.
#[test]
fn values_that_are_not_published_change_no_byte() {
    let folder = tempfile::tempdir().unwrap();
    let published = ["9", "10", "100", "9", "10", "9", "100", "100"];
    for (method, form) in
        [("optimal", "generalized"), ("greedy-grouping", "generalized"), ("greedy-grouping", "bucketized")]
    {
        let village = match form {
            "bucketized" => "\"quasi\"".to_string(),
            _ => "{ role = \"quasi\", hierarchy = { redact = 3 } }".to_string(),
        };
        let plan = format!(
            "[columns]\nv = {village}\ns = \"sensitive\"\n\
             [[require]]\ncriterion = \"k-anonymity\"\nk = 3\n[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n\
             [method]\nname = \"{method}\"\n[release]\nform = \"{form}\"\nmax_suppressed = 0.4\n[gate]\nattacks = \"report\"\n"
        );
        let mut plan = TablePlan::parse(&plan, Path::new(".")).unwrap();
        plan.publishing.chance = Chance::insecure(1);
        let (target, formats) = (folder.path().join("release"), Formats::default());
        let mut files = Vec::new();
        for hidden in ["9", "100", "1.5", "2020-01-01", "unknown", "9.0"] {
            let villages = ["V01"; 4].into_iter().chain(["V02"; 4]).chain(["V99"]);
            let table = Table::new(vec![
                Column::from_values("v", villages),
                Column::from_values("s", published.into_iter().chain([hidden])),
            ])
            .unwrap();
            let made = publish::make(&plan, &table, &formats).and_then(Draft::pass).unwrap();
            assert_eq!(made.recoded.table.rows(), 8, "the last one is suppressed");
            let types: Vec<_> =
                made.recoded.table.columns().iter().map(|column| column.domain().value_type()).collect();
            let order = Destination { replace: true, ..Destination::new(&target) };
            release::write(&made, &plan, &order, &formats).unwrap();
            let mut said = Said::default();
            said.hear(&target, hidden);
            files.push((
                said.by_files.into_iter().map(|(files, said)| (files, said.0, said.1)).collect::<Vec<_>>(),
                types,
            ));
        }
        assert!(files.windows(2).all(|pair| pair[0] == pair[1]), "{method}, {form}");
    }
}

/// One number in two spellings, told apart because somebody who is not published has a text.
#[test]
fn texts_that_look_like_numbers_stay_apart() {
    let folder = tempfile::tempdir().unwrap();
    let plan = "[columns]\nv = \"quasi\"\ns = \"sensitive\"\n[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n\
                [release]\nmax_suppressed = 0.5\n[gate]\nattacks = \"report\"\n";
    let plan = TablePlan::parse(plan, Path::new(".")).unwrap();
    let table =
        Table::new(vec![Column::from_values("v", ["a", "a", "b"]), Column::from_values("s", ["1", "1.0", "01"])]);
    let (target, formats) = (folder.path().join("release"), Formats::default());
    let made = publish::make(&plan, &table.unwrap(), &formats).and_then(Draft::pass).unwrap();
    release::write(&made, &plan, &Destination::new(&target), &formats).unwrap();
    assert!(release::verify(&target, &formats).unwrap().failed().next().is_none());
}
