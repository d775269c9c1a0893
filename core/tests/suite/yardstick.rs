//! One yardstick for every method and form: what labels lose, against a plain reading, and what
//! weights of columns do to it.

use sfumato::chance::Chance;
use sfumato::data::{Column, Formats, Table, sample};
use sfumato::publish::{ColumnReport, Made};
use sfumato::release::{self, Destination};
use sfumato::utility::information::widths;
use sfumato::{TablePlan, publish};
use std::collections::BTreeMap;
use std::path::Path;

/// Columns with what is said besides of each, and what must hold.
fn plan(words: [&str; 3], method: &str) -> TablePlan {
    let [age, zip, admitted] = words;
    let text = format!(
        "[columns]\n\
         age = {{ role = \"quasi\", hierarchy = {{ intervals = [5, 10, 20], top = 90 }}{age} }}\n\
         zip = {{ role = \"quasi\", hierarchy = {{ redact = 5 }}{zip} }}\n\
         admitted = {{ role = \"quasi\", hierarchy = {{ dates = true }}{admitted} }}\n\
         disease = \"sensitive\"\n\
         [[require]]\ncriterion = \"k-anonymity\"\nk = 5\n[method]\n{method}\n"
    );
    let mut plan = TablePlan::parse(&text, Path::new(".")).unwrap_or_else(|error| panic!("{text}\n{error}"));
    plan.publishing.chance = Chance::insecure(3);
    plan
}

fn made(plan: &TablePlan, table: &Table) -> Made {
    publish::make(plan, table, &Formats::default()).unwrap().pass().unwrap()
}

fn report<'m>(made: &'m Made, name: &str) -> &'m ColumnReport {
    made.publication.columns.iter().find(|column| column.name == name).unwrap()
}

/// What each published label of a column loses.
fn losses(made: &Made, name: &str) -> BTreeMap<String, f64> {
    let labels = made.recoded.table.column(name).unwrap().domain().labels();
    let widths = widths(labels, report(made, name).ruler.as_ref().unwrap());
    labels.iter().map(str::to_string).zip(widths).collect()
}

/// On every level and in every grouping a label loses the same.
#[test]
fn a_label_loses_the_same_by_every_method() {
    let table = sample::hospital(3_000, 4);
    let by_group = [
        "name = \"mondrian\"",
        "name = \"mondrian\"\nsplit = \"relaxed\"",
        "name = \"greedy-grouping\"",
        "name = \"skyline-anonymize\"",
    ];
    let formed: Vec<Made> = by_group.iter().map(|method| made(&plan(["", "", ""], method), &table)).collect();
    let mut shared: BTreeMap<&str, usize> = BTreeMap::new();
    for level in 1..=3 {
        // The others give way, so that every record is published on these levels.
        for (name, words) in [
            ("age", [format!(", levels = [{level}, {level}]"), String::new(), String::new()]),
            ("zip", [String::new(), format!(", levels = [{level}, {level}]"), String::new()]),
            ("admitted", [String::new(), String::new(), format!(", levels = [{level}, {level}]")]),
        ] {
            let by_level = made(&plan([&words[0], &words[1], &words[2]], "name = \"optimal\""), &table);
            let expected = losses(&by_level, name);
            assert!(expected.values().any(|lost| *lost > 0.0), "{name} on level {level}");
            for (formed, method) in formed.iter().zip(by_group) {
                for (label, lost) in losses(formed, name) {
                    let Some(other) = expected.get(&label) else { continue };
                    assert!((lost - other).abs() < 1e-12, "{method}: {name} {label} {lost}, not {other}");
                    *shared.entry(name).or_default() += usize::from(lost > 0.0);
                }
            }
        }
    }
    assert!(shared.len() == 3 && shared.values().all(|labels| *labels >= 10), "{shared:?}");
}

/// What a label of an age loses: whole years from 0 to 89, and one interval of 20 beyond.
fn of_age(label: &str) -> f64 {
    let (low, high) = match label.strip_prefix(">=") {
        _ if label == "*" => (0.0, 109.0),
        Some(low) => (low.parse().unwrap(), 109.0),
        None => match label.split_once('-') {
            Some((low, high)) => (low.parse().unwrap(), high.parse().unwrap()),
            None => return 0.0,
        },
    };
    (high - low) / 109.0
}

fn of_zip(label: &str) -> f64 {
    if label == "*" { 1.0 } else { label.matches('*').count() as f64 / label.len() as f64 }
}

/// The figures of all columns and of records, by the definition, record by record.
#[test]
fn weighted_figures_are_those_of_a_plain_reading() {
    let table = sample::hospital(1_500, 9);
    let ages = table.column("age").unwrap();
    assert!((0..table.rows()).any(|row| ages.value(row).parse::<u32>().unwrap() < 20));
    for (method, share) in
        [("name = \"optimal\"", "\"3%\""), ("name = \"mondrian\"", ""), ("name = \"incognito\"", "0")]
    {
        let mut text = plan([", weight = 3", ", weight = 0.5", ", levels = [5, 5]"], method).to_toml().unwrap();
        if !share.is_empty() {
            text += &format!("\n[release]\nmax_suppressed = {share}\n");
        }
        let mut plan = TablePlan::parse(&text, Path::new(".")).unwrap();
        plan.publishing.chance = Chance::insecure(3);
        let made = made(&plan, &table);
        let published = &made.recoded.table;
        let cell = |name: &str, row: usize| published.column(name).unwrap().value(row).to_string();
        // The day of admission is `*` and has the weight of columns of which nothing is said.
        let kept = |row: usize| {
            1.0 - (3.0 * of_age(&cell("age", row)) + 0.5 * of_zip(&cell("zip", row)) + 1.0) / (3.0 + 0.5 + 1.0)
        };
        let records: Vec<f64> = (0..published.rows()).map(kept).collect();
        let (all, found) = (table.rows() as f64, made.publication.information_kept);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{method}: {a}, not {b}");
        close(found.overall, records.iter().sum::<f64>() / all);
        close(found.at_least_half, records.iter().filter(|kept| **kept >= 0.5).count() as f64 / all);
        close(found.least, records.iter().copied().fold(1.0, f64::min));
        let of_column = |lost: fn(&str) -> f64, name: &str| {
            (0..published.rows()).map(|row| 1.0 - lost(&cell(name, row))).sum::<f64>() / all
        };
        close(report(&made, "age").kept.unwrap(), of_column(of_age, "age"));
        close(report(&made, "zip").kept.unwrap(), of_column(of_zip, "zip"));
    }
}

/// Cuts depend on each other, so that a single table may go the other way; ten together do not.
#[test]
fn mondrian_keeps_more_of_a_column_that_counts_more() {
    let kept = |name: &str, weight: &str| -> f64 {
        let word = if weight == "1" { String::new() } else { format!(", weight = {weight}") };
        let words = match name {
            "age" => [word.as_str(), "", ""],
            "zip" => ["", word.as_str(), ""],
            _ => ["", "", word.as_str()],
        };
        let plan = plan(words, "name = \"mondrian\"");
        let one = |seed: u64| report(&made(&plan, &sample::hospital(400, seed)), name).kept.unwrap();
        (1..=10).map(one).sum()
    };
    for name in ["age", "zip", "admitted"] {
        let [less, same, more] = ["0.25", "1", "4"].map(|weight| kept(name, weight));
        assert!(less < same && same < more, "{name}: {less}, {same}, {more}");
    }
}

/// People whose disease depends on their age.
fn predictable() -> Table {
    let people = || (0..800usize).map(|person| person * 37 % 100);
    Table::new(vec![
        Column::from_values("age", people().map(|age| age.to_string())),
        Column::from_values("zip", (0..800).map(|person| format!("500{}{}", person % 3, person % 7))),
        Column::from_values("admitted", (0..800).map(|person| format!("2024-0{}-15", person % 9 + 1))),
        Column::from_values("disease", people().map(|age| ["flu", "cold", "gout", "ulcer"][age / 25])),
    ])
    .unwrap()
}

/// A classifier learns from what is published, in both forms, and is tried on the original.
#[test]
fn prediction_is_comparable_between_forms() {
    let table = predictable();
    let predicted = |words: [&str; 3], method: &str, form: &str| {
        let text = plan(words, method).to_toml().unwrap();
        let text = format!(
            "{text}\n[release]\nform = \"{form}\"\n[gate]\nattacks = \"report\"\n[[utility]]\nmetric = \"classification\"\ntarget = \"disease\"\n"
        );
        let mut plan = TablePlan::parse(&text, Path::new(".")).unwrap();
        plan.publishing.chance = Chance::insecure(3);
        made(&plan, &table).publication.classification.unwrap()
    };
    let top = [", levels = [4, 4]", ", levels = [5, 5]", ", levels = [5, 5]"];
    let starred = predicted(top, "name = \"optimal\"", "generalized");
    assert!(starred.before > 0.95 && starred.baseline < 0.3, "{starred:?}");
    assert!(starred.after <= starred.baseline, "nothing is learned from stars: {starred:?}");
    let generalized = predicted(["", "", ""], "name = \"mondrian\"", "generalized");
    let lowest = [", levels = [1, 4]", ", levels = [1, 5]", ", levels = [1, 5]"];
    let bucketized = predicted(lowest, "name = \"mondrian\"", "bucketized");
    for found in [generalized, bucketized] {
        assert_eq!((found.before, found.baseline), (starred.before, starred.baseline), "one original");
        assert!(found.after > 0.6, "{found:?}");
    }
}

/// What only one release was asked for is measured on the other as well.
#[test]
fn releases_are_compared_by_the_criteria_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let (table, formats) = (sample::hospital(1_000, 5), Formats::default());
    let wanted = ["criterion = \"k-anonymity\"\nk = 5", "criterion = \"distinct-l-diversity\"\nl = 3"];
    let folders = ["first", "second"].map(|name| folder.path().join(name));
    for (target, wanted) in folders.iter().zip(wanted) {
        let text = plan(["", "", ""], "name = \"mondrian\"").to_toml().unwrap();
        let text = text.replace("criterion = \"k-anonymity\"\nk = 5", wanted);
        let mut plan = TablePlan::parse(&text, Path::new(".")).unwrap();
        plan.publishing.chance = Chance::insecure(3);
        release::write(&made(&plan, &table), &plan, &Destination::new(target), &formats).unwrap();
    }
    let named = folders.map(|folder| (folder.display().to_string(), folder));
    let found = release::side_by_side(&named, &formats).unwrap();
    assert!(found.doubtful.is_empty() && found.pairs.len() == 1);
    let documents: Vec<_> = found.documents.iter().map(|(_, document)| document).collect();
    for (document, (_, own)) in documents.iter().zip(&found.certificates) {
        let criteria = document["criteria"].as_array().unwrap();
        assert_eq!(criteria.len(), 2, "{criteria:?}");
        assert_eq!(criteria[0], own.document["criteria"][0]);
        assert!(criteria[1]["holds"].is_null() && criteria[1]["measured"].as_f64() >= Some(1.0), "{criteria:?}");
    }
    let measured = |document: usize, name: &str| {
        let criteria = documents[document]["criteria"].as_array().unwrap();
        criteria.iter().find(|one| one["criterion"] == name).unwrap()["measured"].as_f64().unwrap()
    };
    assert!(measured(0, "k-anonymity") >= 5.0 && measured(1, "distinct-l-diversity") >= 3.0);
}

/// A column of every kind of label, none of which is read as another.
#[test]
fn labels_of_missing_values_lose_as_those_without() {
    let ages = Column::from_values("age", ["{?, 20-29}", "20-29", "?", "*", "90"]);
    let plan = plan(["", "", ""], "name = \"mondrian\"");
    let rule = plan.schema.find("age").unwrap().rule.clone().unwrap();
    let labels = ages.domain().labels();
    let lost: BTreeMap<&str, f64> = labels.iter().zip(widths(labels, &rule.ruler(labels, None).unwrap())).collect();
    assert_eq!(lost["{?, 20-29}"], lost["20-29"]);
    // From 20, the first number in an interval of 20, to 109.
    assert_eq!((lost["20-29"], lost["?"], lost["*"], lost["90"]), (9.0 / 89.0, 0.0, 1.0, 0.0));
}
