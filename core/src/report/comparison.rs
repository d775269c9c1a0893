//! Certificates of several releases side by side: the same lines for terminal and page, for tables
//! and for transactions.

use super::terminal::{grouped, number, percent, table, trimmed};
use serde_json::Value;
use std::collections::HashSet;

/// Releases with their names, and what can be compared.
pub(super) struct Comparison {
    pub parts: Vec<Part>,
}

/// Lines about one subject.
pub(super) struct Part {
    /// Its heading.
    pub title: &'static str,
    /// What stands before the name of a line where there are no headings.
    label: &'static str,
    pub lines: Vec<Line>,
}

/// Which of several values is best.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Best {
    Least,
    Most,
    None,
}

/// One line of the comparison: what it is about and a cell for each release.
pub(super) struct Line {
    pub name: String,
    pub best: Best,
    pub cells: Vec<Cell>,
}

/// What is written, and the number by which cells are compared.
#[derive(Clone, Default)]
pub(super) struct Cell {
    pub text: String,
    /// Whether what was asked for holds, if anything was.
    pub holds: Option<bool>,
    /// What was asked for.
    pub note: String,
    pub value: Option<f64>,
}

impl Cell {
    fn of(value: Option<f64>, write: impl Fn(f64) -> String) -> Cell {
        Cell { text: value.map_or_else(missing, write), value, ..Cell::default() }
    }

    fn text(text: Option<&str>) -> Cell {
        Cell { text: text.map_or_else(missing, str::to_string), ..Cell::default() }
    }
}

fn missing() -> String {
    "–".into()
}

impl Line {
    /// Whether each cell is the best; none is where all are equal or there is nothing to compare.
    pub fn marks(&self) -> Vec<bool> {
        let values = self.cells.iter().filter_map(|cell| cell.value);
        let (least, most) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
        let wanted = match self.best {
            Best::Least if least < most => Some(least),
            Best::Most if least < most => Some(most),
            _ => None,
        };
        self.cells.iter().map(|cell| wanted.is_some() && cell.value == wanted).collect()
    }

    /// Whether every release has a value.
    pub fn is_full(&self) -> bool {
        self.cells.iter().all(|cell| cell.value.is_some())
    }

    fn says_something(&self) -> bool {
        self.cells.iter().any(|cell| cell.text != missing())
    }
}

/// A figure of certificates: its name, where it stands, which value is best, how it is written.
type Place = (&'static str, &'static str, Best, fn(f64) -> String);

const WITHHELD: &str = "withheld first";

const SIZES: [Place; 8] = [
    ("records", "/records", Best::None, whole),
    ("published", "/published", Best::Most, whole),
    (WITHHELD, "/skew/withheld", Best::Least, whole),
    ("suppressed", "/suppressed", Best::Least, whole),
    ("groups", "/groups", Best::Most, whole),
    ("kinds of items", "/published_items", Best::Most, whole),
    ("items", "/published_occurrences", Best::Most, whole),
    ("kinds of sensitive items", "/sensitive/kinds", Best::None, whole),
];

const RISKS: [Place; 2] = [
    ("prosecutor", "/reidentification_risk/prosecutor", Best::Least, percent),
    ("marketer", "/reidentification_risk/marketer", Best::Least, percent),
];

const KEPT: [Place; 3] = [
    ("all quasi-identifiers", "/information_kept/overall", Best::Most, percent),
    ("records that keep at least half", "/information_kept/records/at_least_half", Best::Most, percent),
    ("published record that keeps least", "/information_kept/records/least", Best::Most, percent),
];

/// The parts by which risk and usefulness are drawn.
pub(super) const BELIEFS: &str = "Highest posterior belief of attacks";
pub(super) const UTILITY: &str = "Utility (smaller is better)";
pub(super) const SIZE: &str = "Size";

impl Comparison {
    /// What a certificate lacks is a dash; what all lack is left out.
    pub fn new(releases: &[(String, Value)]) -> Comparison {
        let all = Certificates(releases.iter().map(|release| &release.1).collect());
        let mut parts = vec![
            Part { title: SIZE, label: "", lines: all.sizes() },
            Part { title: "Re-identification risk", label: "risk: ", lines: all.figures(&RISKS) },
            Part { title: "Information kept", label: "information kept: ", lines: all.information_kept() },
            Part { title: "Levels of generalization", label: "level: ", lines: all.levels() },
            Part { title: "Criteria", label: "criterion: ", lines: all.criteria() },
            Part { title: BELIEFS, label: "belief: ", lines: all.beliefs() },
            Part { title: "People affected by attacks", label: "people: ", lines: all.people() },
            Part { title: UTILITY, label: "utility: ", lines: all.utility() },
            Part { title: "How it was made", label: "", lines: all.making() },
        ];
        parts.iter_mut().for_each(|part| part.lines.retain(Line::says_something));
        parts.retain(|part| !part.lines.is_empty());
        Comparison { parts }
    }

    /// The lines of a part.
    pub fn lines(&self, title: &str) -> &[Line] {
        self.parts.iter().find(|part| part.title == title).map_or(&[], |part| &part.lines)
    }
}

/// What `compare` prints: certificates side by side, one column each.
pub fn compare_text(releases: &[(String, Value)]) -> String {
    let header: Vec<&str> = [""].into_iter().chain(releases.iter().map(|(name, _)| name.as_str())).collect();
    let mut rows = table(&header, &(1..=releases.len()).collect::<Vec<_>>());
    for part in Comparison::new(releases).parts {
        for line in part.lines {
            let name = format!("{}{}", part.label, line.name);
            rows.add_row([name].into_iter().chain(line.cells.into_iter().map(|cell| cell.text)).collect::<Vec<_>>());
        }
    }
    trimmed(&rows.to_string())
}

struct Certificates<'a>(Vec<&'a Value>);

impl Certificates<'_> {
    fn cells(&self, cell: impl Fn(&Value) -> Cell) -> Vec<Cell> {
        self.0.iter().map(|document| cell(document)).collect()
    }

    fn line(&self, name: impl Into<String>, best: Best, cell: impl Fn(&Value) -> Cell) -> Line {
        Line { name: name.into(), best, cells: self.cells(cell) }
    }

    fn figures(&self, places: &[Place]) -> Vec<Line> {
        let line = |&(name, place, best, write): &Place| {
            self.line(name, best, |document| Cell::of(document.pointer(place).and_then(Value::as_f64), write))
        };
        places.iter().map(line).collect()
    }

    /// Sizes. Where no records are withheld first, none are.
    fn sizes(&self) -> Vec<Line> {
        let mut lines = self.figures(&SIZES);
        let withheld = lines.iter_mut().find(|line| line.name == WITHHELD && line.says_something());
        for (cell, document) in withheld.into_iter().flat_map(|line| line.cells.iter_mut().zip(&self.0)) {
            if document["skew"].is_null() {
                *cell = Cell::of(Some(0.0), whole);
            }
        }
        lines
    }

    fn words(&self, name: &str, place: &str) -> Line {
        self.line(name, Best::None, |document| Cell::text(document.pointer(place).and_then(Value::as_str)))
    }

    /// A line for each key that any certificate has below a place.
    fn below(&self, place: &str, best: Best, write: fn(f64) -> String) -> Vec<Line> {
        let fields = self.0.iter().filter_map(|document| document.pointer(place)?.as_object());
        let line = |name: &String| {
            let value = |document: &Value| document.pointer(place).and_then(|fields| fields[name].as_f64());
            self.line(name, best, |document| Cell::of(value(document), write))
        };
        in_order(fields.flat_map(|fields| fields.keys().cloned())).iter().map(line).collect()
    }

    fn information_kept(&self) -> Vec<Line> {
        let mut lines = self.below("/information_kept/columns", Best::Most, percent);
        lines.extend(self.figures(&KEPT));
        lines.extend(self.kept_alike());
        lines
    }

    /// The plain mean over columns, where weights make the other one hard to compare.
    fn kept_alike(&self) -> Option<Line> {
        let is_weighed = |document: &&&Value| {
            let columns = document.pointer("/plan/columns").and_then(Value::as_array);
            columns.is_some_and(|columns| columns.iter().any(|column| !column["weight"].is_null()))
        };
        let mean = |document: &Value| {
            let columns = document.pointer("/information_kept/columns")?.as_object()?;
            let kept: Vec<f64> = columns.values().filter_map(Value::as_f64).collect();
            (!kept.is_empty()).then(|| kept.iter().sum::<f64>() / kept.len() as f64)
        };
        let line = || self.line("all, without weights", Best::Most, |document| Cell::of(mean(document), percent));
        self.0.iter().any(|document| is_weighed(&document)).then(line)
    }

    /// Where levels were not chosen, how a column is published instead.
    fn levels(&self) -> Vec<Line> {
        let mut lines = self.below("/method/levels", Best::Least, whole);
        for Line { name, cells, .. } in &mut lines {
            for (cell, document) in cells.iter_mut().zip(&self.0) {
                let is_quasi = document["information_kept"]["columns"].get(&*name).is_some();
                if cell.value.is_none() && is_quasi {
                    cell.text = if document["form"] == "bucketized" { "lowest" } else { "by group" }.into();
                }
            }
        }
        lines
    }

    fn utility(&self) -> Vec<Line> {
        self.below("/utility", Best::Least, number)
    }

    fn making(&self) -> Vec<Line> {
        let places = [
            ("title", "/title"),
            ("date", "/date"),
            ("method", "/method/name"),
            ("chosen by", "/method/metric"),
            ("withheld by", "/skew/method"),
        ];
        places.map(|(name, place)| self.words(name, place)).into()
    }

    /// A line for each entry of a list that any certificate has, by name, columns and occurrence.
    fn entries(&self, list: &str, key: &str, best: Option<Best>, cell: impl Fn(&Value) -> Cell) -> Vec<Line> {
        let subjects: Vec<Vec<(String, &Value)>> =
            self.0.iter().map(|document| subjects(document, list, key)).collect();
        let names = in_order(subjects.iter().flatten().map(|(name, _)| name.clone()));
        let line = |name: String| {
            let own = subjects.iter().map(|own| own.iter().find(|(known, _)| *known == name));
            let found: Vec<Option<&Value>> = own.map(|entry| entry.map(|(_, entry)| *entry)).collect();
            let best = best.unwrap_or_else(|| if self.means_the_same(&found) { direction(&found) } else { Best::None });
            Line {
                name,
                best,
                cells: found.iter().map(|entry| entry.map_or_else(|| Cell::text(None), &cell)).collect(),
            }
        };
        names.into_iter().map(line).collect()
    }

    /// Whether a criterion means the same in all releases: one on sizes of groups says nothing
    /// about finding a row where quasi-identifiers are published record by record.
    fn means_the_same(&self, answers: &[Option<&Value>]) -> bool {
        let is_on_column = |answer: &&Value| !answer["on"].is_null() && answer["on"] != Value::Array(Vec::new());
        let forms: HashSet<Option<&str>> = self.0.iter().map(|document| document["form"].as_str()).collect();
        forms.len() < 2 || answers.iter().flatten().all(is_on_column)
    }

    fn criteria(&self) -> Vec<Line> {
        self.entries("criteria", "criterion", None, |answer| {
            let asked: Vec<String> = params(answer).map(|(name, text)| format!("{name} = {text}")).collect();
            let measured = answer["measured"].as_f64();
            Cell {
                holds: answer["holds"].as_bool(),
                // It was measured because another release was asked for it.
                note: if answer["holds"].is_null() { String::new() } else { asked.join(", ") },
                value: measured.filter(|_| answer["holds"] != false),
                ..Cell::of(measured, number)
            }
        })
    }

    fn beliefs(&self) -> Vec<Line> {
        let mut lines = self.entries("attacks", "attack", Some(Best::Least), |finding| {
            let word = match finding["highest_belief_is"].as_str() {
                Some("at least") => "≥ ",
                Some("claimed") => "claims ",
                _ => "",
            };
            Cell::of(finding["highest_belief"].as_f64(), |belief| format!("{word}{}", percent(belief)))
        });
        // Where no rule leads to a sensitive item, nobody infers one.
        lines.push(self.line("most confident rule", Best::Least, |document| {
            let confidence = document["worst_rule"]["confidence"].as_f64();
            Cell::of(confidence.or((document["kind"] == "transactions").then_some(0.0)), percent)
        }));
        lines
    }

    fn people(&self) -> Vec<Line> {
        self.entries("attacks", "attack", Some(Best::Least), |finding| Cell::of(finding["people"].as_f64(), whole))
    }
}

fn whole(value: f64) -> String {
    grouped(value.max(0.0) as usize)
}

/// What the entries of a list are about: name, columns, and a number where the same is there again.
fn subjects<'a>(document: &'a Value, list: &str, key: &str) -> Vec<(String, &'a Value)> {
    let mut found: Vec<(String, &Value)> = Vec::new();
    for entry in document[list].as_array().into_iter().flatten() {
        let Some(name) = entry[key].as_str() else { continue };
        let on = match &entry["on"] {
            Value::String(column) => format!(" on {column}"),
            Value::Array(columns) => {
                format!(" on {}", columns.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
            }
            _ => String::new(),
        };
        let name = format!("{name}{on}");
        let again = format!("{name} (");
        let before = found.iter().filter(|(known, _)| *known == name || known.starts_with(&again)).count();
        found.push((if before == 0 { name } else { format!("{again}{})", before + 1) }, entry));
    }
    found
}

/// Parameters that are numbers or words, as written.
fn params(answer: &Value) -> impl Iterator<Item = (&str, String)> {
    let written = answer["params"].as_object().into_iter().flatten();
    written.filter_map(|(name, value)| {
        let text = value.as_str().map(str::to_string).or_else(|| value.as_f64().map(number))?;
        (!text.is_empty()).then_some((name.as_str(), text))
    })
}

/// Whether more or less of a measured value is better: what holds shows on which side of the
/// parameter the good values are. Where a criterion has several numbers it is not known which one
/// was measured.
fn direction(answers: &[Option<&Value>]) -> Best {
    for answer in answers.iter().flatten() {
        let numbers: Vec<f64> = params(answer).filter_map(|(_, text)| text.parse().ok()).collect();
        let ([asked], Some(measured), Some(holds)) =
            (numbers.as_slice(), answer["measured"].as_f64(), answer["holds"].as_bool())
        else {
            continue;
        };
        if (measured - asked).abs() > 1e-9 {
            return if (measured > *asked) == holds { Best::Most } else { Best::Least };
        }
    }
    Best::None
}

/// Each once, in the order in which they come first.
fn in_order(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = Vec::new();
    for name in names {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_entry_again_is_a_line_of_its_own() {
        let twice = json!({ "attacks": [
            { "attack": "background-knowledge", "on": "disease", "highest_belief": 0.5, "highest_belief_is": "exact" },
            { "attack": "background-knowledge", "on": "disease", "highest_belief": 0.75, "highest_belief_is": "at least" },
        ] });
        let once = json!({ "attacks": [twice["attacks"][0]] });
        let text = compare_text(&[("a".into(), twice), ("b".into(), once)]);
        assert!(text.contains("belief: background-knowledge on disease        50.0 %  50.0 %"), "{text}");
        assert!(text.contains("belief: background-knowledge on disease (2)  ≥ 75.0 %       –"), "{text}");
    }

    #[test]
    fn what_can_be_told_has_no_dash() {
        let levels = json!({
            "form": "generalized", "method": { "name": "optimal", "levels": { "age": 2 } },
            "skew": { "withheld": 7 },
            "plan": { "columns": [{ "name": "age", "weight": 3 }] },
            "information_kept": {
                "overall": 0.5, "columns": { "age": 0.6, "zip": 0.2 }, "records": { "at_least_half": 0.75, "least": 0.1 },
            },
        });
        let groups = json!({
            "form": "generalized", "method": { "name": "mondrian" }, "skew": null,
            "plan": { "columns": [{ "name": "age" }] },
            "information_kept": {
                "overall": 0.9, "columns": { "age": 0.9, "zip": 0.9 }, "records": { "at_least_half": 1.0, "least": 0.8 },
            },
        });
        let text = compare_text(&[("a".into(), levels), ("b".into(), groups)]);
        for (name, cells) in [
            ("withheld first", "7 0"),
            ("information kept: all quasi-identifiers", "50.0 % 90.0 %"),
            ("information kept: records that keep at least half", "75.0 % 100.0 %"),
            ("information kept: published record that keeps least", "10.0 % 80.0 %"),
            ("information kept: all, without weights", "40.0 % 90.0 %"),
            ("level: age", "2 by group"),
        ] {
            let line = text.lines().find(|line| line.trim_start().starts_with(name)).expect(name);
            let found: Vec<&str> = line.trim_start()[name.len()..].split_whitespace().collect();
            assert_eq!(found.join(" "), cells, "{text}");
        }
        assert!(!text.contains('–'), "{text}");
    }

    #[test]
    fn both_kinds_have_the_same_lines() {
        let sets = json!({
            "kind": "transactions", "records": 12, "published_items": 7, "published_occurrences": 1234,
            "sensitive": { "kinds": 2 }, "worst_rule": { "confidence": 0.7 },
            "attacks": [{ "attack": "sensitive-rules", "above": 0, "people": 0 }],
        });
        let text = compare_text(&[("a".into(), sets)]);
        for line in [
            "records                          12",
            "items                         1,234",
            "belief: most confident rule  70.0 %",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(!text.contains("published"), "what no certificate has is left out\n{text}");
    }
}
