//! Settings of criteria for tests that loop over the list: the example of each, and more that
//! follow from what may be written for its parameters. So a new criterion is tried without a list
//! of tests that knows it.

use sfumato::audit;
use sfumato::criterion::{Build, On};
use sfumato::data::{Column, Schema, Table};
use sfumato::kind::{Kind, Param, Range, Shape};
use sfumato::plan::requirement;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

/// A criterion with its parameters, as written in a plan.
#[derive(Clone)]
pub struct Asked {
    pub kind: &'static Kind<Build>,
    pub params: Vec<(&'static str, String)>,
    /// The sensitive column that it is about, if it is about one.
    pub on: &'static str,
}

impl Asked {
    /// The requirement as a plan writes it.
    pub fn text(&self) -> String {
        let lines: String = self.params.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
        let on = if self.kind.build.on == On::Column { format!("on = \"{}\"\n", self.on) } else { String::new() };
        format!("criterion = \"{}\"\n{on}{lines}", self.kind.name)
    }

    /// The same with another value of a parameter.
    pub fn with(&self, name: &'static str, text: String) -> Asked {
        let mut params = self.params.clone();
        params.retain(|(known, _)| *known != name);
        params.push((name, text));
        Asked { params, ..self.clone() }
    }
}

/// The sensitive column of a test's tables: its name, and the values that it may have.
#[derive(Clone, Copy)]
pub struct Sensitive {
    pub name: &'static str,
    pub values: &'static [&'static str],
}

/// The values that examples name.
pub const DISEASES: [&str; 4] = ["flu", "cancer", "hiv", "asthma"];

/// The column of tables whose values are letters.
pub const LETTERS: Sensitive = Sensitive { name: "s", values: &["a", "b", "c", "d", "e", "f"] };

/// The example of a criterion, then up to so many of all settings that its parameters allow, spread
/// over them. What a plain table cannot have is left out.
pub fn settings(kind: &'static Kind<Build>, column: Sensitive, more: usize) -> Vec<Asked> {
    type Key = (&'static str, &'static str, usize);
    static KNOWN: LazyLock<Mutex<HashMap<Key, Vec<Asked>>>> = LazyLock::new(Default::default);
    let mut known = KNOWN.lock().expect("nobody failed here");
    known.entry((kind.name, column.name, more)).or_insert_with(|| spread(kind, column, more)).clone()
}

fn spread(kind: &'static Kind<Build>, column: Sensitive, more: usize) -> Vec<Asked> {
    let steps: Vec<(&'static str, Vec<String>)> = kind
        .params
        .iter()
        .map(|param| (param.name, steps(param, column.values)))
        .filter(|(_, steps)| !steps.is_empty())
        .collect();
    let all: usize = steps.iter().map(|(_, steps)| steps.len()).product();
    let setting = |number: usize| {
        let mut left = number;
        let mut params = Vec::new();
        for (name, steps) in &steps {
            params.push((*name, steps[left % steps.len()].clone()));
            left /= steps.len();
        }
        Asked { kind, params, on: column.name }
    };
    let example = example(kind, column);
    let table = plain_table(column);
    assert!(binds(&example, &table), "{}: its example cannot be required of a plain table", kind.name);
    // A prime that no number of settings is a multiple of: all come by, neighbours far apart.
    let others = (1..=all).map(|at| setting(at * 7919 % all)).filter(|asked| binds(asked, &table));
    std::iter::once(example.clone()).chain(others.filter(|asked| asked.params != example.params).take(more)).collect()
}

/// The example, about values of this column.
fn example(kind: &'static Kind<Build>, column: Sensitive) -> Asked {
    let own = |text: &str| {
        let mut text = text.to_string();
        for (known, own) in DISEASES.iter().zip(column.values) {
            text = text.replace(&format!("\"{known}\""), &format!("\"{own}\""));
        }
        text
    };
    let params = kind.example.iter().map(|(name, text)| (*name, own(text))).collect();
    Asked { kind, params, on: column.name }
}

/// What may be written for a parameter, in a few steps; none for what a plain plan leaves out.
fn steps(param: &Param, values: &[&str]) -> Vec<String> {
    const NUMBERS: [&str; 10] = ["0", "0.2", "0.4", "0.5", "0.8", "1", "1.5", "2", "2.5", "3"];
    const PERCENTAGES: [&str; 4] = ["0", "5", "25", "50"];
    match param.shape {
        Shape::Count(least) | Shape::CountOr(least, _) => (least..least + 4).map(|count| count.to_string()).collect(),
        Shape::Decimal(Range { high: Some((100, _)), .. }) => PERCENTAGES.map(String::from).to_vec(),
        Shape::Decimal(range) => NUMBERS.iter().filter(|text| is_within(range, text)).map(|n| n.to_string()).collect(),
        Shape::Choice(words) => words.iter().map(|word| format!("\"{word}\"")).collect(),
        Shape::Values => [&[][..], &values[..1], &values[1..3]].map(|values| format!("{values:?}")).to_vec(),
        Shape::Points => {
            let first = values[0];
            let named = |rest: &str| format!("[{{ value = \"{first}\", {rest} }}]");
            let plain = POINTS.iter().map(|text| text.to_string());
            plain.chain([named("k = 1, c = 0.5"), named("m = 1, c = 0.6")]).collect()
        }
        _ => Vec::new(),
    }
}

fn is_within(range: Range, text: &str) -> bool {
    let number: f64 = text.parse().expect("a number");
    let above = |(low, is_allowed): (u64, bool)| number > low as f64 || is_allowed && number == low as f64;
    let below = |(high, is_allowed): (u64, bool)| number < high as f64 || is_allowed && number == high as f64;
    above(range.low) && range.high.is_none_or(below)
}

const POINTS: &[&str] = &[
    "[{ c = 0.5 }]",
    "[{ c = 1 }]",
    "[{ l = 1, c = 0.66666666666666666667 }]",
    "[{ l = 2, c = 1 }]",
    "[{ k = 1, c = 0.6 }]",
    "[{ k = 2, c = 0.75 }]",
    "[{ m = 1, c = 0.8 }]",
    "[{ m = 2, c = 1 }]",
    "[{ l = 1, k = 1, m = 1, c = 1 }]",
    "[{ k = 1, m = 2, c = 0.9 }, { l = 1, m = 1, c = 0.75 }]",
    "[{ l = 1, m = 1, c = 1 }, { l = 2, c = 0.97 }]",
];

/// A table in which every value of the column occurs, and its schema.
pub fn plain_table(column: Sensitive) -> (Table, Schema) {
    let others = column.values.iter().enumerate().map(|(at, _)| (at % 2).to_string());
    let columns = vec![
        Column::from_values("q", column.values.iter().map(|_| "1")),
        Column::from_values(column.name, column.values),
        Column::from_values("other", others),
    ];
    (Table::new(columns).unwrap(), Schema::of(&["q"], &[column.name, "other"]))
}

/// Whether a setting can be required of a table.
pub fn binds(asked: &Asked, (table, schema): &(Table, Schema)) -> bool {
    requirement(&asked.text(), schema).and_then(|wanted| wanted.bind(table, schema, Path::new("."))).is_ok()
}

/// A setting that small tables can satisfy, and do not always: the one that comes nearest to half
/// of all ways in which four people in some groups can have three values.
pub fn mild(kind: &'static Kind<Build>, column: Sensitive) -> Asked {
    const GROUPS: [[u8; 4]; 4] = [[0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 1, 2]];
    let schema = Schema::of(&["q"], &[column.name, "other"]);
    let tables: Vec<Table> =
        GROUPS.iter().flat_map(|groups| (0..81).map(|number| few_people(column, groups, number))).collect();
    let distance = |asked: &Asked| {
        let wanted = [requirement(&asked.text(), &schema).unwrap()];
        // A value that a setting names need not occur.
        let holds = |table: &&Table| audit(table, &schema, &wanted, Path::new(".")).is_ok_and(|found| found.holds());
        tables.iter().filter(holds).count().abs_diff(tables.len() / 2)
    };
    settings(kind, column, 16).into_iter().min_by_key(distance).expect("an example")
}

fn few_people(column: Sensitive, groups: &[u8; 4], number: usize) -> Table {
    let value = |at: usize| number / 3usize.pow(at as u32) % 3;
    Table::new(vec![
        Column::from_values("q", groups.iter().map(u8::to_string)),
        Column::from_values(column.name, (0..4).map(|at| column.values[value(at)])),
        Column::from_values("other", (0..4).map(|at| ((value(at) + at) % 3).to_string())),
    ])
    .unwrap()
}
