//! What a plan says is done, or refused: every key of a plan, with every method and form, changes
//! what is published or found, or the plan is refused by an error that names the key.
//!
//! Keys come from the parser and from the families' lists: a key without a case here is a failure.

use serde_json::Value;
use sfumato::chance::Chance;
use sfumato::data::{Column, Formats};
use sfumato::kind::{Kind, Param};
use sfumato::plan::{KEYS, Plan};
use sfumato::recode::Form;
use sfumato::release::{self, Destination};
use sfumato::report::internal_json;
use sfumato::{Error, Fault, TablePlan, anonymize, attack, publish};
use std::collections::BTreeMap;
use std::path::Path;

/// Sections of a plan with their lines; of `columns`, the names of columns with what is said of
/// each.
#[derive(Clone)]
struct Draft(BTreeMap<&'static str, Vec<(String, String)>>);

impl Draft {
    /// A plan that every method can follow, in both forms.
    fn new(method: &str, form: Form) -> Draft {
        let mut draft = Draft(BTreeMap::new());
        draft.set("data", "path", "\"table.csv\"");
        draft.set("columns", "name", "{ role = \"identifier\" }");
        draft.set("columns", "age", "{ role = \"quasi\" }");
        draft.set("columns", "job", "{ role = \"quasi\" }");
        draft.set("columns", "note", "{ role = \"insensitive\" }");
        draft.set("columns", "disease", "{ role = \"sensitive\" }");
        draft.set("[require]", "criterion", "\"frequency-l-diversity\"");
        draft.set("[require]", "l", "2");
        draft.set("method", "name", &format!("\"{method}\""));
        draft.set("release", "form", &format!("\"{}\"", form.name()));
        // Notes single people out, which a plan must accept by name.
        draft.set("release", "insensitive", "{ accept = [\"note\"] }");
        draft
    }

    fn set(&mut self, section: &'static str, key: &str, value: &str) {
        let lines = self.0.entry(section).or_default();
        lines.retain(|(known, _)| known != key);
        lines.push((key.to_string(), value.to_string()));
    }

    fn with(mut self, section: &'static str, key: &str, value: &str) -> Draft {
        self.set(section, key, value);
        self
    }

    fn without(mut self, section: &'static str, key: &str) -> Draft {
        self.0.get_mut(section).unwrap().retain(|(known, _)| known != key);
        self
    }

    /// The same with another word on a column.
    fn with_word(mut self, column: &str, word: &str) -> Draft {
        let lines = self.0.get_mut("columns").unwrap();
        let line = lines.iter_mut().find(|(name, _)| name == column).unwrap();
        line.1 = line.1.replace(" }", &format!(", {word} }}"));
        self
    }

    fn text(&self) -> String {
        let section = |(name, lines): (&&str, &Vec<(String, String)>)| {
            let lines: String = lines.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
            format!("[{name}]\n{lines}")
        };
        self.0.iter().map(section).collect()
    }
}

/// A plan without and with a key; with several pairs, some of which must show what the key does.
struct Case {
    key: &'static str,
    pairs: Vec<(Draft, Draft)>,
    /// The column that it is about, if it makes values coarser.
    coarsened: Option<String>,
}

impl Case {
    fn new(key: &'static str, without: Draft, change: impl FnOnce(Draft) -> Draft) -> Case {
        Case { key, pairs: vec![(without.clone(), change(without))], coarsened: None }
    }

    /// Another pair for the same key.
    fn or(mut self, other: Case) -> Case {
        self.pairs.extend(other.pairs);
        self
    }
}

/// Forty-three people. Some notes have a blank in front, and one is a formula.
fn table() -> String {
    let row = |at: usize| {
        let job = ["clerk", "cook", "nurse", "pilot"][at * 7 % 11 % 4];
        let note = if at == 7 { "=1+1".to_string() } else { format!("{}n{}", [" ", ""][at % 2], at % 3) };
        let disease = ["flu", "cold", "cancer", "ulcer"][at * 5 % 13 % 4];
        format!("p{at},{},{job},{note},{disease}\n", 20 + at * 17 % 41)
    };
    format!("name,age,job,note,disease\n{}", (0..43).map(row).collect::<String>())
}

/// The same people; those of about the same age have the same disease.
fn blocks() -> String {
    let row = |row: &str| {
        let cells: Vec<&str> = row.split(',').collect();
        let disease = ["flu", "cold", "cancer", "ulcer"][cells[1].parse::<usize>().unwrap() / 3 % 4];
        format!("{},{disease}\n", cells[..4].join(","))
    };
    format!("name,age,job,note,disease\n{}", table().lines().skip(1).map(row).collect::<String>())
}

/// The same people, of whom two thirds have the flu.
fn skewed() -> String {
    let rows = table();
    let flu = |(at, row): (usize, &str)| match at % 3 {
        0 => row.to_string(),
        _ => format!("{},flu", row.rsplit_once(',').unwrap().0),
    };
    let (header, rows) = rows.split_once('\n').unwrap();
    format!("{header}\n{}\n", rows.lines().enumerate().map(flu).collect::<Vec<_>>().join("\n"))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
    write("table.csv", table());
    write("other.csv", table().replace("flu", "gout"));
    write("blocks.csv", blocks());
    write("skewed.csv", skewed());
    write("jobs.csv", "cook;service;*\nclerk;office;*\nnurse;service;*\npilot;service;*\n".into());
    let latin: Vec<u8> =
        table().chars().flat_map(|letter| if letter == 'n' { vec![b'n', 0xe4] } else { vec![letter as u8] }).collect();
    let (header, rows) = (table().find('\n').unwrap(), latin.iter().position(|byte| *byte == b'\n').unwrap());
    std::fs::write(folder.path().join("latin.csv"), [&table().as_bytes()[..header], &latin[rows..]].concat()).unwrap();
    write("register.csv", "age,job\n23,clerk\n24,cook\n37,nurse\n41,pilot\n*,*\n".into());
    folder
}

/// What everybody can see of an outcome, and of what was found.
#[derive(PartialEq)]
struct Seen {
    /// Files, verdicts, beliefs, figures and notes, without the parameters that only repeat the
    /// plan.
    text: String,
    /// Columns that are published as stars only.
    stars: Vec<String>,
}

fn outcome(draft: &Draft, folder: &Path) -> Result<Seen, Error> {
    let Plan::Table(mut plan) = Plan::parse(&draft.text(), folder)? else {
        return Ok(Seen { text: "transactions".into(), stars: Vec::new() });
    };
    plan.publishing.chance = Chance::insecure(1);
    let formats = Formats::default();
    let table = formats.read(plan.data.as_ref().unwrap(), &plan.options)?;
    let made = publish::make(&*plan, &table, &formats)?.pass()?;
    let target = tempfile::tempdir().unwrap();
    let target = target.path().join("release");
    let order = Destination::new(&target);
    release::write(&made, &*plan, &order, &formats)?;
    let mut files: Vec<String> = std::fs::read_dir(&target)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "csv" || ending == "tsv"))
        .map(|path| format!("{:?}\n{}", path.file_name(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    files.sort();
    let mut found = internal_json(&made.publication);
    forget_params(&mut found);
    let is_starred = |column: &&Column| column.domain().labels().iter().all(|label| label == "*");
    let starred = made.recoded.table.columns().iter().filter(is_starred);
    let stars = starred.map(|column| column.name().to_string()).collect();
    Ok(Seen { text: format!("{}{found:#}{:?}", files.join("\n"), made.publication.notes), stars })
}

fn forget_params(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("params");
            fields.values_mut().for_each(forget_params);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_params),
        _ => {}
    }
}

/// What is wrong with a case; nothing if the key is done or refused.
fn failure(case: &Case, folder: &Path) -> Option<String> {
    let of = |(without, with): &(Draft, Draft)| failure_of(case, &outcome(without, folder), &outcome(with, folder));
    case.pairs.iter().map(of).collect::<Option<Vec<String>>>().map(|failures| failures.join("; "))
}

fn failure_of(case: &Case, without: &Result<Seen, Error>, with: &Result<Seen, Error>) -> Option<String> {
    let is_defect = |error: &Error| error.fault() == Fault::Internal;
    match (without, with) {
        (_, Err(error)) | (Err(error), _) if is_defect(error) => Some(format!("meets a defect: {error}")),
        (_, Err(error)) if error.fault() == Fault::Plan && error.to_string().contains(case.key) => None,
        (_, Err(error)) if error.fault() == Fault::Plan => Some(format!("is refused without a name: {error}")),
        (Err(error), Err(other)) if error.to_string() == other.to_string() => Some(format!("does nothing: {error}")),
        // Nothing is coarser than a star.
        (Ok(_), Ok(with)) if case.coarsened.as_ref().is_some_and(|name| with.stars.contains(name)) => None,
        (Ok(without), Ok(with)) if without == with => Some("does nothing".to_string()),
        // An error of another kind is something that everybody can see.
        _ => None,
    }
}

fn check(cases: impl IntoIterator<Item = (String, Case)>) {
    let folder = folder();
    let mut wrong = Vec::new();
    for (name, case) in cases {
        if let Some(what) = failure(&case, folder.path()) {
            wrong.push(format!("{name}: `{}` {what}", case.key));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every method with every form.
fn pairs() -> impl Iterator<Item = (&'static str, Form)> {
    anonymize::KINDS.into_iter().flat_map(|method| Form::ALL.map(|form| (method.name, form)))
}

const INTERVALS: &str = "hierarchy = { intervals = [5, 10, 20] }";

/// The cases of a key of a section; `None` for a key that nobody thought of.
fn cases(section: &str, key: &'static str, base: &Draft, form: Form) -> Option<Vec<Case>> {
    let set = |section: &'static str, value: &str| {
        vec![Case::new(key, base.clone(), |draft| draft.with(section, key, value))]
    };
    let refused = |part: &'static str, section: &'static str, value: &str| {
        vec![Case::new(part, base.clone(), |draft| draft.with(section, key, value))]
    };
    let words = |words: &[(&str, &str)]| {
        let of = |(column, word): &(&str, &str)| Case {
            coarsened: matches!(key, "hierarchy" | "levels").then(|| column.to_string()),
            ..Case::new(key, base.clone(), |draft| draft.with_word(column, word))
        };
        words.iter().map(of).collect::<Vec<Case>>()
    };
    Some(match (section, key) {
        ("data", "path") => set("data", "\"other.csv\""),
        ("data", "kind") => {
            vec![Case::new("sensitive", base.clone(), |draft| draft.with("data", "kind", "\"transactions\""))]
        }
        ("data", "missing") => set("data", "[\"clerk\"]"),
        // Read in these ways the table has other columns than the plan.
        ("data", "delimiter") => refused("no column", "data", "\";\""),
        // The notes of this table are not UTF-8.
        ("data", "encoding") => {
            let latin = base.clone().with("data", "path", "\"latin.csv\"");
            vec![Case::new(key, latin, |draft| draft.with("data", key, "\"windows-1252\""))]
        }
        ("data", "header") => refused("no column", "data", "false"),
        ("data", "names") => set("data", "[\"name\", \"age\", \"job\", \"disease\", \"note\"]"),
        ("data", "sheet" | "table" | "query") => set("data", "\"people\""),
        ("data", "trim") => set("data", "true"),
        ("columns", "role") => {
            vec![Case::new(key, base.clone(), |draft| draft.with("columns", "job", "{ role = \"identifier\" }"))]
        }
        ("columns", "hierarchy") => {
            // A method that goes by which values share a label need not tell each of these.
            let of_jobs = words(&[
                ("job", "hierarchy = { file = \"jobs.csv\" }"),
                ("job", "hierarchy = { redact = 2 }"),
                ("job", "hierarchy = { fanout = [2] }"),
            ]);
            let mut all = words(&[
                ("age", INTERVALS),
                ("age", "hierarchy = { intervals = [5, 10], top = 50, bottom = 25 }"),
                ("age", "hierarchy = { cuts = [30, 50] }"),
                ("disease", "hierarchy = { redact = 1 }"),
                ("note", "hierarchy = { redact = 1 }"),
                ("name", "hierarchy = { redact = 1 }"),
            ]);
            all.extend(of_jobs.into_iter().reduce(Case::or));
            all
        }
        ("columns", "levels") => {
            let by_intervals = base.clone().with_word("age", INTERVALS);
            let mut all: Vec<Case> = ["[1, 4]", "[2, 3]", "[0, 3]"]
                .map(|levels| {
                    Case::new(key, by_intervals.clone(), |draft| draft.with_word("age", &format!("levels = {levels}")))
                })
                .into();
            all.extend(words(&[("job", "levels = [1, 1]")]));
            all
        }
        ("columns", "label") => words(&[("age", "label = \"mean\""), ("disease", "label = \"median\"")]),
        ("columns", "weight") => words(&[("age", "weight = 0.01"), ("disease", "weight = 2")]),
        ("columns", "order") => words(&[
            ("job", "order = [\"pilot\", \"cook\", \"nurse\", \"clerk\"]"),
            ("disease", "order = [\"ulcer\", \"flu\", \"cold\", \"cancer\"]"),
            ("note", "order = [\"n2\"]"),
        ]),
        ("columns", "sensitive_values") => words(&[("disease", "sensitive_values = [\"cancer\"]")]),
        ("columns", "type") => words(&[("job", "type = \"integer\""), ("name", "type = \"date\"")]),
        ("columns", "dates") => words(&[("job", "dates = \"DD.MM.YYYY\"")]),
        ("columns", "decimal") => words(&[("job", "decimal = \",\"")]),
        ("require", "criterion") => {
            vec![Case::new(key, base.clone(), |draft| {
                draft.with("[require]", "criterion", "\"distinct-l-diversity\"").with("[require]", "l", "4")
            })]
        }
        ("require", "on") => refused("\"job\" is not a sensitive column", "[require]", "\"job\""),
        ("method", "name") => refused("no method", "method", "\"nothing\""),
        ("method", "metric") => set("method", "\"discernibility\""),
        ("release", "title") => set("release", "\"People\""),
        ("release", "date") => set("release", "2026-11-18"),
        ("release", "form") => {
            let other = Form::ALL.into_iter().find(|other| *other != form).unwrap();
            set("release", &format!("\"{}\"", other.name()))
        }
        ("release", "max_suppressed" | "suppressed") => {
            // A criterion that not every small group satisfies; and a limit that shows where it is
            // exceeded, or where records may be suppressed that else may not.
            let hard = |t: &str| {
                let hard = base.clone().with("[require]", "criterion", "\"t-closeness\"").without("[require]", "l");
                hard.with("[require]", "t", t)
            };
            let suppressed = |t: &str| {
                let some = hard(t).with("release", "max_suppressed", "\"60%\"");
                Case::new(key, some, |draft| draft.with("release", key, "\"starred\""))
            };
            let limited = |hard: Draft| {
                let with = |share: &str| Case::new(key, hard.clone(), |draft| draft.with("release", key, share));
                with("\"60%\"").or(with("0"))
            };
            match key {
                "suppressed" => vec![suppressed("0.5").or(suppressed("0.3"))],
                _ => {
                    // There are few pilots, and by these levels jobs may not be hidden.
                    let sizes = base.clone().with("[require]", "criterion", "\"k-anonymity\"");
                    let sizes = sizes.without("[require]", "l").with("[require]", "k", "10");
                    let kept = sizes.with_word("job", "levels = [0, 0]");
                    vec![limited(hard("0.5")).or(limited(kept))]
                }
            }
        }
        ("release", "insensitive") => set("release", "\"drop\""),
        ("release", "format") => set("release", "\"tsv\""),
        ("release", "formulas") => set("release", "\"keep\""),
        ("skew", "method") => {
            let skewed = base.clone().with("data", "path", "\"skewed.csv\"");
            vec![Case::new(key, skewed, |draft| draft.with("skew", "method", "\"calibrated\""))]
        }
        ("skew", "l" | "on") => {
            let skewed = base.clone().with("data", "path", "\"skewed.csv\"");
            let withheld = skewed.clone().with("skew", "method", "\"calibrated\"");
            let value = if key == "l" { "3" } else { "\"disease\"" };
            let mut all = vec![Case::new(key, skewed, |draft| draft.with("skew", key, value))];
            // The only sensitive column is the one that is meant anyway.
            if key == "l" {
                all.push(Case::new(key, withheld, |draft| draft.with("skew", key, value)));
            }
            all
        }
        ("gate", "attacks") => {
            let refused = base.clone().with("gate", "max_belief", "0.01");
            vec![Case::new(key, refused, |draft| draft.with("gate", key, "\"report\""))]
        }
        ("gate", "max_belief" | "max_risk") => {
            // Also where the plan names no attack that they limit.
            let name = if key == "max_belief" { "\"linkage\"" } else { "\"homogeneity\"" };
            let other = base.clone().with("[attack]", "attack", name);
            [base.clone(), other].map(|base| Case::new(key, base, |draft| draft.with("gate", key, "0.001"))).into()
        }
        // Every attack is made, named or not: naming one is for its parameters and its limit, which
        // have cases of their own. One that cannot be made here is refused.
        ("attack", "attack") => Vec::new(),
        ("attack", "max_belief") => {
            let named = |kind: &&'static Kind<attack::Build>| {
                let named = base.clone().with("[attack]", "attack", &format!("\"{}\"", kind.name));
                let key = if outcome(&named, folder().path()).is_err() { kind.name } else { key };
                Case::new(key, named, |draft| draft.with("[attack]", "max_belief", "0.001"))
            };
            attack::KINDS.iter().map(named).collect()
        }
        ("utility", "metric") => {
            vec![Case::new(key, base.clone(), |draft| draft.with("[utility]", key, "\"queries\""))]
        }
        ("utility", "target") => ["job", "disease"]
            .map(|on| {
                Case::new(key, base.clone(), |draft| {
                    let named = draft.with("[utility]", "metric", "\"classification\"");
                    named.with("[utility]", key, &format!("\"{on}\""))
                })
            })
            .into(),
        ("utility", "queries" | "dimensions" | "selectivity") => {
            let asked = base.clone().with("[utility]", "metric", "\"queries\"");
            let value = [("queries", "50"), ("dimensions", "1"), ("selectivity", "0.3")];
            let value = value.into_iter().find(|(name, _)| *name == key).unwrap().1;
            vec![Case::new(key, asked, |draft| draft.with("[utility]", key, value))]
        }
        _ => return None,
    })
}

fn all_of(section: &str) {
    let keys = KEYS.iter().find(|(name, _)| *name == section).unwrap().1;
    let of = |(method, form): (&'static str, Form)| {
        let base = Draft::new(method, form);
        let of_key = |key: &'static str| {
            let cases = cases(section, key, &base, form);
            cases.unwrap_or_else(|| panic!("[{section}] {key} has no case: what does it change?"))
        };
        let name = format!("{method}, {}", form.name());
        keys.iter().flat_map(|key| of_key(key)).map(move |case| (name.clone(), case)).collect::<Vec<_>>()
    };
    check(pairs().flat_map(of));
}

/// Every section of the parser is one of the tests below.
#[test]
fn every_section_is_tested() {
    let tested = ["data", "columns", "require", "method", "release", "skew", "gate", "attack", "utility"];
    assert_eq!(KEYS.map(|(name, _)| name), tested);
}

#[test]
fn data() {
    all_of("data");
}

#[test]
fn columns() {
    all_of("columns");
}

#[test]
fn requirements() {
    all_of("require");
}

#[test]
fn method() {
    all_of("method");
}

#[test]
fn release() {
    all_of("release");
}

#[test]
fn skew() {
    all_of("skew");
}

#[test]
fn gate() {
    all_of("gate");
}

#[test]
fn attacks() {
    all_of("attack");
}

#[test]
fn utility() {
    all_of("utility");
}

/// Parameters that say how much work may be done: where it is enough, nothing else changes, and
/// that is what they are for.
const EFFORT: [&str; 4] = ["budget", "seconds", "samples", "memory"];

/// Values that a parameter does not have by default; `None` for one that nobody thought of.
fn other_values(param: &Param) -> Option<&'static [&'static str]> {
    Some(match param.name {
        "split" => &["\"relaxed\""],
        "size" => &["7"],
        "chunk" => &["9"],
        "mend" => &["\"none\""],
        "axes" => &["[\"frequency\", \"frequency\"]"],
        "anatomize" | "cells" => &["true"],
        "priority" => &["\"information-gain\""],
        "target" => &["\"job\""],
        "order" => &["[\"age\", \"job\"]"],
        "sort" => &["\"hilbert\""],
        "bucket" => &["7"],
        "p" => &["0.1"],
        "blind" => &["true"],
        "register" => &["\"register.csv\""],
        "threshold" => &["0.2"],
        "eliminate" => &["2"],
        "others" => &["2"],
        "family" => &["1"],
        "above" => &["0.01", "1"],
        _ => return None,
    })
}

/// Every other value of a parameter, on two tables.
fn cases_of(param: &Param, base: &Draft, section: &'static str) -> Case {
    let values = other_values(param).unwrap_or_else(|| panic!("{} has no case: what does it change?", param.name));
    let tables = ["\"table.csv\"", "\"blocks.csv\""].map(|path| base.clone().with("data", "path", path));
    let all = tables.iter().flat_map(|base| values.iter().map(move |value| (base.clone(), value)));
    let cases = all.map(|(base, value)| Case::new(param.name, base, |draft| draft.with(section, param.name, value)));
    cases.reduce(Case::or).unwrap()
}

#[test]
fn parameters_of_methods() {
    let mut all = Vec::new();
    for (method, form) in pairs() {
        let kind = anonymize::find(method).unwrap();
        // Of these few levels sizes choose what the whole search does.
        let is_same = |param: &Param| param.name == "blind" && kind.params.iter().any(|other| other.name == "budget");
        let params = kind.params.iter().filter(|param| !EFFORT.contains(&param.name) && !is_same(param));
        for param in params {
            let case = cases_of(param, &Draft::new(method, form), "method");
            all.push((format!("{method}, {}", form.name()), case));
        }
    }
    check(all);
}

#[test]
fn parameters_of_attacks() {
    let mut all = Vec::new();
    for (method, form) in pairs() {
        for kind in attack::KINDS {
            let base = Draft::new(method, form).with("[attack]", "attack", &format!("\"{}\"", kind.name));
            for param in kind.params.iter().filter(|param| !EFFORT.contains(&param.name)) {
                let name = format!("{method}, {}, {}", form.name(), kind.name);
                all.push((name, cases_of(param, &base, "[attack]")));
            }
        }
    }
    check(all);
}

/// The case that this rule was made for: ages of 90 and more are one value, and no age is exact.
#[test]
fn top_coded_ages_are_never_published() {
    let folder = tempfile::tempdir().unwrap();
    let row = |at: usize| {
        let age = if at.is_multiple_of(4) { 90 + at % 15 } else { 20 + at * 7 % 70 };
        format!("{age},{},{}\n", ["f", "m"][at % 2], ["flu", "cold", "cancer", "ulcer"][at * 5 % 13 % 4])
    };
    let rows: String = (0..400).map(row).collect();
    std::fs::write(folder.path().join("table.csv"), format!("age,sex,disease\n{rows}")).unwrap();
    for (method, form) in pairs() {
        let plan = format!(
            "[data]\npath = \"table.csv\"\n[columns]\n\
             age = {{ role = \"quasi\", hierarchy = {{ intervals = [5, 10, 20], top = 90 }}, levels = [1, 3] }}\n\
             sex = \"quasi\"\ndisease = \"sensitive\"\n[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n\
             [method]\nname = \"{method}\"\n[release]\nform = \"{}\"\n",
            form.name()
        );
        let plan = TablePlan::parse(&plan, folder.path()).unwrap();
        let formats = Formats::default();
        let table = formats.read(plan.data.as_ref().unwrap(), &plan.options).unwrap();
        let made = publish::make(&plan, &table, &formats)
            .and_then(|made| made.pass())
            .unwrap_or_else(|error| panic!("{method}: {error}"));
        assert_eq!(made.recoded.table.rows() + made.recoded.suppressed, 400);
        assert!(made.recoded.table.rows() >= 360, "{method}: {}", made.recoded.table.rows());
        let ages = made.recoded.table.column("age").unwrap();
        for label in ages.domain().labels().iter() {
            let (low, high) = match (label.split_once('-'), label.strip_prefix(">=")) {
                (Some((low, high)), None) => (low.parse::<u32>().unwrap(), high.parse::<u32>().unwrap() + 1),
                (None, Some(low)) => (low.parse().unwrap(), 1000),
                _ => panic!("{method}, {}: {label} is an exact age", form.name()),
            };
            assert!(low % 5 == 0 && (high % 5 == 0) && low < high, "{method}: {label}");
            assert!(low <= 90 && (high <= 90 || high == 1000), "{method}: {label} tells an age of 90 or more");
            // Nobody below 90 shares a label with somebody above: the highest level keeps them
            // apart.
            assert!(form == Form::Bucketized || (low >= 90) == (high == 1000), "{method}: {label}");
        }
        let target = folder.path().join(format!("{method}-{}", form.name()));
        let order = Destination::new(&target);
        release::write(&made, &plan, &order, &formats)
            .unwrap_or_else(|error| panic!("{method}, {}: {error}", form.name()));
        assert!(release::verify(&target, &formats).unwrap().holds());
    }
}
