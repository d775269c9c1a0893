//! Every method and form on small tables: what is published satisfies the definition, from memory
//! and from disk, and nothing is called infeasible that is not.

use super::naive::{Case, Person, judge};
use super::settings::Asked;
use super::tables::Rows;
use super::{ONE_SENSITIVE, TWO_SENSITIVE, letter, people, table_of};
use crate::support::settings::{LETTERS, mild};
use sfumato::anonymize;
use sfumato::chance::Chance;
use sfumato::criterion::{KINDS, On, Scope};
use sfumato::data::{Formats, Table};
use sfumato::publish::{self, Draft, Made};
use sfumato::release::{self, Destination};
use sfumato::{Error, Fault, TablePlan};
use std::collections::BTreeMap;
use std::path::Path;

/// One thing to publish by.
pub struct Demand {
    asked: Asked,
    method: &'static str,
    bucketized: bool,
    /// Whether half of the records may be suppressed.
    suppresses: bool,
    names: [&'static str; 3],
    plan: TablePlan,
}

/// What became of tables.
#[derive(Default)]
pub struct Tally {
    pub published: usize,
    pub written: usize,
    pub infeasible: usize,
    /// By method and criterion: how many were published.
    pub by_pair: BTreeMap<(&'static str, &'static str), usize>,
}

/// Every method with every form and every criterion, with and without suppression where it may be.
pub fn demands() -> Vec<Demand> {
    let mut demands = Vec::new();
    for kind in KINDS {
        let asked = mild(kind, LETTERS);
        for method in anonymize::KINDS {
            for (bucketized, suppresses) in [(false, false), (true, false), (false, true), (true, true)] {
                demands.extend(Demand::new(asked.clone(), method.name, bucketized, suppresses));
            }
        }
    }
    demands
}

impl Demand {
    /// `None` where the plan is refused, since there is never anything to suppress.
    fn new(asked: Asked, method: &'static str, bucketized: bool, suppresses: bool) -> Option<Demand> {
        let names = if asked.kind.build.on == On::Columns { TWO_SENSITIVE } else { ONE_SENSITIVE };
        let columns = match names[1] {
            "q" => "q = \"quasi\"\ns = \"sensitive\"",
            _ => "s = \"sensitive\"\nd = \"sensitive\"",
        };
        let form = if bucketized { "bucketized" } else { "generalized" };
        let suppressed = if suppresses { "max_suppressed = 0.5\n" } else { "" };
        // Exact values that are published apart leave a hierarchy nothing to do.
        let by_levels = chooses_levels(method);
        let levels = if bucketized && !by_levels { ", levels = [1, 3]" } else { "" };
        let text = format!(
            "[columns]\np = {{ role = \"quasi\", hierarchy = {{ intervals = [2, 4] }}{levels} }}\n{columns}\n\
             [[require]]\n{}[method]\nname = \"{method}\"\n[release]\nform = \"{form}\"\n{suppressed}[gate]\nattacks = \"report\"\n",
            asked.text()
        );
        let mut plan = match TablePlan::parse(&text, Path::new(".")) {
            Err(error) if suppresses && error.to_string().contains("max_suppressed") => return None,
            found => found.unwrap_or_else(|error| panic!("{text}\n{error}")),
        };
        // So that a failure can be repeated.
        plan.publishing.chance = Chance::insecure(1);
        Some(Demand { asked, method, bucketized, suppresses, names, plan })
    }

    fn told(&self, rows: &Rows<3>) -> String {
        let form = if self.bucketized { "bucketized" } else { "generalized" };
        let limit = if self.suppresses { ", half may be suppressed" } else { "" };
        format!("{} by {} {form}{limit} on {rows:?}", self.asked.text().replace('\n', " "), self.method)
    }

    fn holds(&self, case: &Case) -> Option<bool> {
        judge(&self.asked, case).holds
    }

    /// Publishes a table, to disk too if a folder is given.
    pub fn publish(&self, rows: &Rows<3>, folder: Option<&Path>, tally: &mut Tally) {
        let table = table_of(rows, self.names);
        let everybody = people(rows, self.names);
        match publish::make(&self.plan, &table, &Formats::default()).and_then(Draft::pass) {
            Ok(made) => {
                let case = self.in_memory(&made, &everybody, rows);
                assert!(self.holds(&case) != Some(false), "{}: published {case:?}", self.told(rows));
                tally.published += 1;
                *tally.by_pair.entry((self.method, self.asked.kind.name)).or_default() += 1;
                if let Some(folder) = folder {
                    self.write(&made, &table, &everybody, folder, rows);
                    tally.written += 1;
                }
            }
            Err(error) => {
                self.check_infeasible(&error, &everybody, rows);
                tally.infeasible += 1;
            }
        }
    }

    /// The groups that a reader sees, with the people who are in them.
    fn in_memory(&self, made: &Made, everybody: &[Person], rows: &Rows<3>) -> Case {
        let recoded = &made.recoded;
        let mut groups: BTreeMap<Vec<String>, Vec<Person>> = BTreeMap::new();
        let label = |row: usize| -> Vec<String> {
            let quasi = self.names.iter().filter(|name| matches!(**name, "p" | "q"));
            quasi.map(|name| recoded.table.column(name).unwrap().value(row).to_string()).collect()
        };
        for group in 0..recoded.groups.len() {
            for &row in recoded.groups.rows(group) {
                let key = if self.bucketized { vec![group.to_string()] } else { label(row as usize) };
                let person = everybody[recoded.row_of[row as usize] as usize];
                let shown = recoded.table.column("s").unwrap().value(row as usize);
                assert_eq!(shown, letter(person.values[0]), "{}", self.told(rows));
                groups.entry(key).or_default().push(person);
            }
        }
        let is_out = |at: &usize| !recoded.row_of.contains(&(*at as u32));
        let withheld: Vec<Person> = (0..everybody.len()).filter(is_out).map(|at| everybody[at]).collect();
        let published: usize = groups.values().map(Vec::len).sum();
        assert_eq!((published, withheld.len()), (recoded.row_of.len(), recoded.suppressed), "{}", self.told(rows));
        assert_eq!(published + withheld.len(), everybody.len(), "{}", self.told(rows));
        assert_eq!(made.publication.suppressed, withheld.len(), "{}", self.told(rows));
        assert!(!self.suppresses || withheld.len() <= everybody.len() / 2, "{}", self.told(rows));
        Case { groups: groups.into_values().collect(), withheld, ..Case::default() }
    }

    fn write(&self, made: &Made, table: &Table, everybody: &[Person], folder: &Path, rows: &Rows<3>) {
        let target = folder.join("release");
        let (plan, formats) = (&self.plan, &Formats::default());
        let order = Destination { replace: true, ..Destination::new(&target) };
        release::write(made, plan, &order, formats).unwrap_or_else(|error| panic!("{}: {error}", self.told(rows)));
        let verified = release::verify(&target, formats).unwrap();
        let failed: Vec<_> = verified.failed().collect();
        assert!(verified.holds(), "{}: {failed:?}", self.told(rows));
        // What depends on original quasi-identifiers cannot be told from files.
        let wanted = &plan.requirements[0];
        let scope = wanted.bind(table, &plan.schema, &plan.folder).unwrap().criterion.properties().scope;
        if scope != Scope::Original {
            let case = self.on_disk(&target, everybody);
            assert!(self.holds(&case) != Some(false), "{}: on disk {case:?}", self.told(rows));
        }
    }

    /// The groups that somebody sees who has only the files.
    fn on_disk(&self, folder: &Path, everybody: &[Person]) -> Case {
        let read = |name: &str| {
            let mut reader = csv::Reader::from_path(folder.join(name)).unwrap();
            let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_string).collect();
            let cells = |row: csv::StringRecord| row.iter().map(str::to_string).collect::<Vec<String>>();
            let rows: Vec<Vec<String>> = reader.records().map(|row| cells(row.unwrap())).collect();
            (header, rows)
        };
        let sensitive: Vec<&str> = self.names.iter().copied().filter(|name| matches!(*name, "s" | "d")).collect();
        let mut groups: BTreeMap<Vec<String>, Vec<Person>> = BTreeMap::new();
        let (header, rows) = if self.bucketized { read("sensitive.csv") } else { read("data.csv") };
        let at = |name: &str| header.iter().position(|known| known == name);
        let value = |row: &[String], name: &str| row[at(name).or(at("value")).expect("a column")].as_bytes()[0] - b'a';
        for row in &rows {
            let own = |name: &&str| value(row, name);
            let values = [own(&sensitive[0]), sensitive.get(1).map_or(0, own)];
            let (key, times) = match self.bucketized {
                true => (vec![row[at("group").unwrap()].clone()], row[at("count").unwrap()].parse().unwrap()),
                false => {
                    let quasi = header.iter().zip(row).filter(|(name, _)| matches!(name.as_str(), "p" | "q"));
                    (quasi.map(|(_, label)| label.clone()).collect(), 1)
                }
            };
            let person = Person { quasi: [0, 0], values };
            groups.entry(key).or_default().extend(std::iter::repeat_n(person, times));
        }
        let mut withheld: Vec<Person> = everybody.to_vec();
        for person in groups.values().flatten() {
            let at = withheld.iter().position(|other| other.values == person.values).expect("nobody is made up");
            withheld.swap_remove(at);
        }
        Case { groups: groups.into_values().collect(), withheld, ..Case::default() }
    }

    /// That nothing can be published is an answer only where it is true.
    fn check_infeasible(&self, error: &Error, everybody: &[Person], rows: &Rows<3>) {
        assert_eq!(error.fault(), Fault::Infeasible, "{}: {error}", self.told(rows));
        let one_group = Case { groups: vec![everybody.to_vec()], ..Case::default() };
        // Anatomy needs as many values as a group has records, and methods that take whole buckets
        // leave the last records over.
        let claims_nothing = matches!(self.method, "anatomy" | "greedy-grouping" | "randomized-greedy-grouping");
        if !claims_nothing {
            assert!(
                self.holds(&one_group) != Some(true),
                "{}: everybody in one group is safe, but {error}",
                self.told(rows)
            );
        }
        if chooses_levels(self.method) && !self.suppresses {
            for case in generalizations(everybody) {
                assert!(self.holds(&case) != Some(true), "{}: {case:?} is safe, but {error}", self.told(rows));
            }
        }
    }
}

fn chooses_levels(method: &str) -> bool {
    anonymize::ChosenMethod::new(method, &[]).unwrap().chooses_levels()
}

/// The table on every choice of levels: intervals of one, two and four, or all; the other
/// quasi-identifier as it is or not at all.
fn generalizations(everybody: &[Person]) -> impl Iterator<Item = Case> {
    let choices = [1u8, 2, 4, 100].into_iter().flat_map(|width| [1u8, 100].map(|other| (width, other)));
    choices.map(|(width, other)| {
        let key = |person: &Person| [person.quasi[0] / width, person.quasi[1] / other];
        Case { groups: super::grouped(everybody, key), ..Case::default() }
    })
}
