//! Certificates of several releases side by side.

use super::charts::{Axes, Point, Words, figure, scatter};
use super::words::{clipped, counted, grouped, number, percent};
use super::{Audience, page};
use crate::report::together::{HOW, Pair, relation, sentences};
use maud::{Markup, html};
use serde_json::Value;

/// Which of several values is best.
#[derive(Clone, Copy, PartialEq)]
enum Best {
    Least,
    Most,
    None,
}

/// One line of the comparison: what it is about and a cell for each release.
struct Line {
    name: String,
    best: Best,
    cells: Vec<Cell>,
}

/// What is written, and the number by which cells are compared.
#[derive(Clone, Default)]
struct Cell {
    text: String,
    /// In small letters below.
    note: String,
    value: Option<f64>,
}

impl Cell {
    fn of(value: Option<f64>, write: impl Fn(f64) -> String) -> Cell {
        Cell { text: value.map_or_else(|| "–".into(), write), note: String::new(), value }
    }
}

impl Line {
    fn new(name: impl Into<String>, best: Best, cells: Vec<Cell>) -> Line {
        Line { name: name.into(), best, cells }
    }

    /// Whether each cell is the best; none is where all are alike or there is nothing to compare.
    fn marks(&self) -> Vec<bool> {
        let values: Vec<f64> = self.cells.iter().filter_map(|cell| cell.value).collect();
        let (least, most) = (
            values.iter().copied().fold(f64::INFINITY, f64::min),
            values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        );
        let wanted = match self.best {
            Best::Least if least < most => Some(least),
            Best::Most if least < most => Some(most),
            _ => None,
        };
        self.cells.iter().map(|cell| wanted.is_some() && cell.value == wanted).collect()
    }
}

/// Certificates of releases side by side, by name: a table in which the best value of each line is
/// marked, and a picture of risk against utility.
///
/// What a certificate lacks is shown as a dash.
pub fn compare_html(releases: &[(String, Value)]) -> String {
    compare_html_together(releases, &[])
}

/// The same, with what pairs of them tell together.
pub fn compare_html_together(releases: &[(String, Value)], pairs: &[Pair]) -> String {
    let certificates: Vec<&Value> = releases.iter().map(|release| &release.1).collect();
    let parts = [
        ("Size", size(&certificates)),
        ("Promises", criteria(&certificates)),
        ("Attacks (highest belief, and people affected)", attacks(&certificates)),
        ("Usefulness (smaller is better unless it says otherwise)", utility(&certificates)),
        ("Levels (smaller is finer)", levels(&certificates)),
        ("How it was made", method(&certificates)),
    ];
    let title = format!("Comparison of {}", counted(releases.len() as u64, "release"));
    let body = html! {
        header.top {
            h1 { (title) }
            p.verdict { (in_one_sentence(releases)) }
        }
        main {
            @if !pairs.is_empty() { (together(pairs)) }
            h2 { "Risk against usefulness" }
            (picture(releases))
            h2 { "Side by side" }
            p.lead { "★ marks the best value of a line; lines in which all are alike, or in which no value is better, have none. A dash means that the certificate does not say." }
            (side_by_side(releases, &parts))
        }
        footer { p { "Made from the releases and their certificates alone." } }
    };
    page(&title, Audience::External, &body)
}

fn together(pairs: &[Pair]) -> Markup {
    html! {
        h2 { "What they tell together" }
        @for pair in pairs {
            h3 { bdi { (pair.names[0]) } " and " bdi { (pair.names[1]) } }
            p { (relation(pair)) }
            ul.plain { @for (mark, sentence) in sentences(pair) { li { span aria-hidden="true" { (mark) " " } bdi { (sentence) } } } }
        }
        p { (HOW) }
    }
}

fn in_one_sentence(releases: &[(String, Value)]) -> String {
    let broken =
        |certificate: &&Value| list(certificate, "criteria").iter().any(|answer| answer["holds"] == Value::Bool(false));
    let failing = releases.iter().map(|release| &release.1).filter(broken).count();
    match (releases.len(), failing) {
        (0, _) => "There is no release to compare.".into(),
        (all, 0) => {
            format!("Each of {} keeps the criteria that its own plan asks for.", counted(all as u64, "release"))
        }
        (all, 1) => format!("1 of {} breaks a criterion of its own plan.", counted(all as u64, "release")),
        (all, failing) => {
            format!("{failing} of {} break a criterion of their own plans.", counted(all as u64, "release"))
        }
    }
}

/// A, B, …, Z, AA, …: short enough for a picture.
fn letter(at: usize) -> String {
    let last = char::from(b'A' + (at % 26) as u8).to_string();
    if at < 26 { last } else { letter(at / 26 - 1) + &last }
}

fn side_by_side(releases: &[(String, Value)], parts: &[(&str, Vec<Line>)]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Table: releases side by side" {
            table.side {
                caption.unseen { "Releases side by side" }
                thead {
                    tr {
                        th scope="col" { "" span.unseen { "What is compared" } }
                        @for (at, (name, _)) in releases.iter().enumerate() { th.number scope="col" { (letter(at)) " · " bdi { (name) } } }
                    }
                }
                @for (name, lines) in parts.iter().filter(|part| !part.1.is_empty()) {
                    tbody.part {
                        tr { th scope="rowgroup" colspan=(releases.len() + 1) { (name) } }
                        @for line in lines {
                            tr {
                                th scope="row" { bdi { (line.name) } }
                                @for (cell, best) in line.cells.iter().zip(line.marks()) {
                                    td.number.best[best] { @if best { b { (cell.text) } } @else { (cell.text) } @if !cell.note.is_empty() { small { (cell.note) } } @if best { span.unseen { " (best)" } } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn size(certificates: &[&Value]) -> Vec<Line> {
    let count = |key: &str| cells(certificates, |certificate| Cell::of(certificate[key].as_f64(), whole));
    let share = cells(certificates, |certificate| {
        let (published, records) = (certificate["published"].as_f64(), certificate["records"].as_f64());
        Cell::of(published.zip(records).map(|(part, all)| part / all.max(1.0)), percent)
    });
    let mut lines = vec![
        Line::new("Records in the table", Best::None, count("records")),
        Line::new("Published", Best::Most, count("published")),
        Line::new("Share published", Best::Most, share),
        Line::new("Suppressed", Best::Least, count("suppressed")),
        Line::new("Groups (more are finer)", Best::Most, count("groups")),
    ];
    if certificates.iter().any(|certificate| !certificate["skew"].is_null()) {
        let withheld = cells(certificates, |certificate| Cell::of(certificate["skew"]["withheld"].as_f64(), whole));
        lines.insert(3, Line::new("Withheld first, for a too frequent value", Best::Least, withheld));
    }
    lines
}

fn criteria(certificates: &[&Value]) -> Vec<Line> {
    let keys = keys(certificates, "criteria", |answer| subject(answer, "criterion"));
    let lines = keys.iter().map(|key| {
        let found: Vec<Option<&Value>> = certificates
            .iter()
            .map(|certificate| {
                list(certificate, "criteria").iter().find(|answer| subject(answer, "criterion").as_ref() == Some(key))
            })
            .collect();
        let cells = found.iter().map(|answer| answer.map_or_else(missing, criterion_cell)).collect();
        Line::new(key, direction(&found), cells)
    });
    lines.collect()
}

fn missing() -> Cell {
    Cell { text: "–".into(), ..Cell::default() }
}

fn criterion_cell(answer: &Value) -> Cell {
    let asked: Vec<String> = params(answer).map(|(name, text)| format!("{name} = {text}")).collect();
    let measured = answer["measured"].as_f64();
    let sign = match answer["holds"].as_bool() {
        Some(true) => "✓ ",
        Some(false) => "✗ ",
        None => "",
    };
    let text = format!("{sign}{}", measured.map_or_else(String::new, number));
    let note = if asked.is_empty() { String::new() } else { format!("asked {}", asked.join(", ")) };
    Cell { text: text.trim_end().to_string(), note, value: measured.filter(|_| answer["holds"] != Value::Bool(false)) }
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

fn attacks(certificates: &[&Value]) -> Vec<Line> {
    let mut lines = Vec::new();
    for key in keys(certificates, "attacks", |finding| subject(finding, "attack")) {
        let belief = cells(certificates, |certificate| Cell::of(belief(certificate, &key), percent));
        let people = cells(certificates, |certificate| {
            Cell::of(finding(certificate, &key).and_then(|finding| finding["people"].as_f64()), whole)
        });
        let has_people = people.iter().any(|cell| cell.value.is_some());
        lines.push(Line::new(key.clone(), Best::Least, belief));
        if has_people {
            lines.push(Line::new(format!("{key}: people"), Best::Least, people));
        }
    }
    lines
}

fn finding<'a>(certificate: &'a Value, key: &str) -> Option<&'a Value> {
    list(certificate, "attacks").iter().find(|finding| subject(finding, "attack").as_deref() == Some(key))
}

fn belief(certificate: &Value, key: &str) -> Option<f64> {
    let finding = finding(certificate, key)?;
    let highest = ["highest_belief", "highest"].iter().map(|key| &finding[*key]).find(|value| !value.is_null())?;
    highest.as_f64().or_else(|| share(highest.as_str()?))
}

/// A share written as a decimal or as a fraction.
fn share(text: &str) -> Option<f64> {
    match text.split_once('/') {
        Some((num, den)) => {
            Some(num.trim().parse::<f64>().ok()? / den.trim().parse::<f64>().ok()?).filter(|share| share.is_finite())
        }
        None => text.trim().parse().ok().filter(|share: &f64| share.is_finite()),
    }
}

fn utility(certificates: &[&Value]) -> Vec<Line> {
    let mut lines = Vec::new();
    for name in metrics(certificates) {
        let value = cells(certificates, |certificate| Cell::of(metric(certificate, &name), number));
        let after =
            cells(certificates, |certificate| Cell::of(certificate["utility"][&name]["after"].as_f64(), percent));
        let has_any = |cells: &[Cell]| cells.iter().any(|cell| cell.value.is_some());
        if has_any(&value) {
            lines.push(Line::new(&name, Best::Least, value));
        }
        // How well the release predicts is measured before and after, and the only one of which
        // more is better.
        if has_any(&after) {
            lines.push(Line::new(format!("{name} (larger is better)"), Best::Most, after));
        }
    }
    lines
}

fn metric(certificate: &Value, name: &str) -> Option<f64> {
    certificate["utility"][name].as_f64()
}

fn metrics(certificates: &[&Value]) -> Vec<String> {
    let all = certificates.iter().filter_map(|certificate| certificate["utility"].as_object());
    in_order(all.flat_map(|metrics| metrics.keys()).cloned())
}

fn levels(certificates: &[&Value]) -> Vec<Line> {
    let of = |certificate: &Value, column: &str| certificate["method"]["levels"][column].as_f64();
    let columns = certificates
        .iter()
        .filter_map(|certificate| certificate["method"]["levels"].as_object())
        .flat_map(|levels| levels.keys());
    let line = |column: &String| {
        Line::new(column, Best::Least, cells(certificates, |certificate| Cell::of(of(certificate, column), whole)))
    };
    in_order(columns.cloned()).iter().map(line).collect()
}

fn method(certificates: &[&Value]) -> Vec<Line> {
    let text = |key: &str| {
        cells(certificates, |certificate| Cell {
            text: certificate["method"][key].as_str().unwrap_or("–").to_string(),
            ..Cell::default()
        })
    };
    let count = |key: &str| cells(certificates, |certificate| Cell::of(certificate["method"][key].as_f64(), whole));
    vec![
        Line::new("Method", Best::None, text("name")),
        Line::new("Chosen by", Best::None, text("metric")),
        Line::new("Candidates in all", Best::None, count("nodes")),
        Line::new("Known to be safe", Best::None, count("safe")),
    ]
}

fn cells(certificates: &[&Value], cell: impl Fn(&Value) -> Cell) -> Vec<Cell> {
    certificates.iter().map(|certificate| cell(certificate)).collect()
}

fn whole(value: f64) -> String {
    grouped(value.max(0.0) as u64)
}

fn list<'a>(certificate: &'a Value, key: &str) -> &'a [Value] {
    certificate[key].as_array().map_or(&[], Vec::as_slice)
}

/// What an entry is about: its name and, where there are any, its columns.
fn subject(entry: &Value, key: &str) -> Option<String> {
    let name = entry[key].as_str()?;
    let on = match &entry["on"] {
        Value::String(column) => column.clone(),
        Value::Array(columns) => columns.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    };
    Some(if on.is_empty() { name.to_string() } else { format!("{name} on {on}") })
}

fn keys(certificates: &[&Value], part: &str, key: impl Fn(&Value) -> Option<String>) -> Vec<String> {
    in_order(certificates.iter().flat_map(|certificate| list(certificate, part)).filter_map(key))
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

/// Risk against utility, by an attack and a metric that all certificates have.
fn picture(releases: &[(String, Value)]) -> Markup {
    let certificates: Vec<&Value> = releases.iter().map(|release| &release.1).collect();
    let everywhere =
        |value: &dyn Fn(&Value) -> Option<f64>| certificates.iter().all(|certificate| value(certificate).is_some());
    let shared = metrics(&certificates).into_iter().filter(|name| everywhere(&|certificate| metric(certificate, name)));
    let shared: Vec<String> = shared.collect();
    let chosen_by = certificates.first().and_then(|first| first["method"]["metric"].as_str());
    let name = shared.iter().find(|name| Some(name.as_str()) == chosen_by).or(shared.first());
    let attacks = keys(&certificates, "attacks", |finding| subject(finding, "attack"));
    let attacks: Vec<String> =
        attacks.into_iter().filter(|key| everywhere(&|certificate| belief(certificate, key))).collect();
    // The attack that tells the releases apart best: one that is certain about somebody in each of
    // them shows nothing.
    let spread = |key: &String| {
        let beliefs = certificates.iter().filter_map(|certificate| belief(certificate, key));
        beliefs.clone().fold(0.0, f64::max) - beliefs.fold(1.0, f64::min)
    };
    let attack = attacks.iter().rev().max_by(|a, b| spread(a).total_cmp(&spread(b)));
    let (Some(name), Some(attack)) = (name, attack) else {
        return html! { p { "The certificates have no attack and no metric in common, so they cannot be drawn in one picture." } };
    };
    let risk = |certificate: &Value| belief(certificate, attack).unwrap_or(0.0);
    let places: Vec<(f64, f64)> =
        certificates.iter().map(|certificate| (metric(certificate, name).unwrap_or(0.0), risk(certificate))).collect();
    let points: Vec<Point> =
        (0..).zip(&places).map(|(at, place)| Point { x: place.0, y: place.1, label: Some(letter(at)) }).collect();
    let across = format!("{name} (smaller is better)");
    let up = clipped(&format!("risk: highest belief of {attack}"), 60);
    let axes = Axes { across: &across, up: &up, number: &percent, whole: false };
    let words = Words {
        id: "risk-utility",
        title: "Risk against usefulness of the releases".into(),
        alternative: format!(
            "{} drawn by {name} and by the highest belief that the attack {attack} reached; the table below has the numbers.",
            counted(releases.len() as u64, "release")
        ),
        caption: format!(
            "Each diamond is a release: farther left keeps more detail, farther down tells attackers less. The risk is the highest belief \
             that the attack {attack} reached: of those that all certificates report, the one in which the releases differ most."
        ),
        header: vec!["Release", name, "Risk"],
        rows: (0..)
            .zip(releases)
            .zip(&places)
            .map(|((at, release), place)| {
                vec![format!("{} · {}", letter(at), release.0), number(place.0), percent(place.1)]
            })
            .collect(),
        legend: html! {},
    };
    let (height, drawing) = scatter(&points, &axes, &number);
    figure(&words, height, &drawing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn certificate(published: u64, loss: f64, belief: f64, k: f64) -> Value {
        json!({
            "records": 30162, "published": published, "suppressed": 30162 - published, "groups": 233,
            "method": { "name": "optimal", "metric": "loss", "levels": { "age": 3, "sex": 0 }, "nodes": 12960, "safe": 800 },
            "criteria": [{ "criterion": "k-anonymity", "on": null, "params": { "k": "5" }, "holds": true, "measured": k }],
            "attacks": [{ "attack": "linkage", "on": null, "highest_belief": belief, "people": 40 }],
            "utility": { "loss": loss, "height": 7.0, "accuracy": { "before": 0.9, "after": 1.0 - loss } },
        })
    }

    #[test]
    fn the_best_of_each_line_is_marked() {
        let page = compare_html(&[
            ("first".into(), certificate(30162, 0.564, 0.1, 10.0)),
            ("second".into(), certificate(29610, 0.226, 0.2, 5.0)),
        ]);
        assert!(page.contains(r#"<td class="number best"><b>30,162</b><span"#));
        assert!(page.contains(r#"<td class="number best"><b>0.226</b><span"#));
        assert!(page.contains("<td class=\"number best\"><b>10.0\u{a0}%</b><span"));
        assert!(page.contains(r#"<td class="number best"><b>✓ 10</b><small>asked k = 5</small><span"#));
        assert!(page.contains(r#"<td class="number">7</td><td class="number">7</td>"#));
        assert!(page.contains("<td class=\"number best\"><b>77.4\u{a0}%</b><span"));
        assert_eq!(page.matches("<path class=\"chosen\"").count(), 2);
    }

    #[test]
    fn certificates_may_lack_anything_and_hold_markup() {
        let odd = json!({ "criteria": 7, "attacks": [null, {}, { "attack": "<script>", "highest": "1/3" }], "utility": [], "method": "x" });
        let page = compare_html(&[("<script>alert(1)</script>".into(), odd), ("b".into(), Value::Null)]);
        assert!(!page.contains("<script"));
        assert!(page.contains("33.3\u{a0}%"));
        assert!(compare_html(&[]).contains("no release"));
    }

    #[test]
    fn letters_do_not_end() {
        assert_eq!([letter(0), letter(25), letter(26), letter(52)], ["A", "Z", "AA", "BA"]);
    }
}
