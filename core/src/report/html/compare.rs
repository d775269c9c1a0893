//! Certificates of several releases side by side, as a page.

use super::charts::{Axes, Point, Words, figure, scatter};
use super::words::{clipped, counted, number, percent, unbroken};
use super::{Audience, page};
use crate::report::comparison::{BELIEFS, Best, Comparison, Line, SIZE, UTILITY};
use crate::report::together::{HOW, Pair, relation, sentences};
use maud::{Markup, html};
use serde_json::Value;

/// Certificates of releases side by side, by name: a table in which the best value of each line is
/// marked, a picture of risk against utility, and what pairs of them disclose together.
///
/// What a certificate lacks is shown as a dash.
pub fn compare_html(releases: &[(String, Value)], pairs: &[Pair]) -> String {
    let comparison = Comparison::new(releases);
    let title = format!("Comparison of {}", counted(releases.len() as u64, "release"));
    let body = html! {
        header.top {
            h1 { (title) }
            p.verdict { (in_one_sentence(releases)) }
        }
        main {
            @if !pairs.is_empty() { (together(pairs)) }
            h2 { "Risk against utility" }
            (picture(releases, &comparison))
            h2 { "Side by side" }
            p.lead { "★ marks the best value of a line. A line has none if all values are equal or none is better. A dash means that the certificate does not say." }
            (side_by_side(releases, &comparison))
        }
        footer { p { "Made from the releases and their certificates alone." } }
    };
    page(&title, Audience::External, &body)
}

fn together(pairs: &[Pair]) -> Markup {
    html! {
        h2 { "What they disclose together" }
        @for pair in pairs {
            h3 { bdi { (pair.names[0]) } " and " bdi { (pair.names[1]) } }
            p { (relation(pair)) }
            ul.plain { @for (mark, sentence) in sentences(pair) { li { span aria-hidden="true" { (mark) " " } bdi { (sentence) } } } }
        }
        @if pairs.iter().any(|pair| !pair.columns.is_empty()) { p { (HOW) } }
    }
}

fn in_one_sentence(releases: &[(String, Value)]) -> String {
    let fails = |document: &Value| {
        let criteria = document["criteria"].as_array().into_iter().flatten();
        criteria.into_iter().any(|answer| answer["holds"] == false)
    };
    let failing = releases.iter().filter(|release| fails(&release.1)).count();
    let all = counted(releases.len() as u64, "release");
    match (releases.len(), failing) {
        (0, _) => "There is no release to compare.".into(),
        (1, 0) => "The release satisfies every criterion of its plan.".into(),
        (_, 0) => format!("Each of {all} satisfies every criterion of its own plan."),
        (_, 1) => format!("1 of {all} violates a criterion of its own plan."),
        (_, failing) => format!("{failing} of {all} violate a criterion of their own plans."),
    }
}

/// A, B, …, Z, AA, …: short enough for a picture.
fn letter(at: usize) -> String {
    let last = char::from(b'A' + (at % 26) as u8).to_string();
    if at < 26 { last } else { letter(at / 26 - 1) + &last }
}

fn side_by_side(releases: &[(String, Value)], comparison: &Comparison) -> Markup {
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
                @for part in &comparison.parts {
                    tbody.part {
                        tr { th scope="rowgroup" colspan=(releases.len() + 1) { (part.title) } }
                        @for line in &part.lines { (row(line)) }
                    }
                }
            }
        }
    }
}

fn row(line: &Line) -> Markup {
    html! {
        tr {
            th scope="row" { bdi { (line.name) } }
            @for (cell, best) in line.cells.iter().zip(line.marks()) {
                td.number.best[best] {
                    @let mark = cell.holds.map_or("", |holds| if holds { "✓ " } else { "✗ " });
                    @let text = unbroken(&format!("{mark}{}", cell.text));
                    @if best { b { (text) } } @else { (text) }
                    @if !cell.note.is_empty() { small { "asked " (cell.note) } }
                    @if best { span.unseen { " (best)" } }
                }
            }
        }
    }
}

/// Risk against utility, by a belief and a measure of utility that all certificates have.
fn picture(releases: &[(String, Value)], comparison: &Comparison) -> Markup {
    let beliefs = comparison.lines(BELIEFS).iter().filter(|line| line.is_full());
    // The attack by which the releases differ most: one that is certain about somebody in each of
    // them shows nothing.
    let spread = |line: &&Line| {
        let values = line.cells.iter().filter_map(|cell| cell.value);
        values.clone().fold(0.0, f64::max) - values.fold(1.0, f64::min)
    };
    let risk = beliefs.rev().max_by(|a, b| spread(a).total_cmp(&spread(b)));
    let is_worth = |line: &&Line| line.is_full() && line.best != Best::None;
    let metric = comparison.lines(UTILITY).iter().find(is_worth);
    // Without a metric in common, what is published is all that is known of what was kept.
    let metric = metric.or_else(|| comparison.lines(SIZE).iter().rev().find(is_worth));
    let (Some(risk), Some(metric)) = (risk, metric) else {
        return html! { p { "The certificates have no attack and no metric in common, so they cannot be drawn in one picture." } };
    };
    let values = |line: &Line| line.cells.iter().filter_map(|cell| cell.value).collect::<Vec<f64>>();
    let places: Vec<(f64, f64)> = values(metric).into_iter().zip(values(risk)).collect();
    let points: Vec<Point> =
        (0..).zip(&places).map(|(at, place)| Point { x: place.0, y: place.1, label: Some(letter(at)) }).collect();
    let (better, side) = if metric.best == Best::Most { ("larger", "right") } else { ("smaller", "left") };
    let across = format!("{} ({better} is better)", metric.name);
    let up = clipped(&format!("risk: highest belief by {}", risk.name), 60);
    let axes = Axes { across: &across, up: &up, number: &percent, whole: false };
    let words = Words {
        id: "risk-utility",
        title: "Risk against utility of the releases".into(),
        alternative: format!(
            "{} drawn by {} and by risk ({}); the table below has the numbers.",
            counted(releases.len() as u64, "release"),
            metric.name,
            risk.name
        ),
        caption: format!(
            "Each diamond is a release. Farther {side} keeps more, farther down discloses less. The risk is the highest posterior belief by {}: of \
             those that all certificates state, the one by which the releases differ most.",
            risk.name
        ),
        header: vec!["Release", &metric.name, "Risk"],
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

    fn certificate(published: u64, height: f64, belief: f64, k: f64) -> Value {
        json!({
            "records": 30162, "published": published, "suppressed": 30162 - published, "groups": 233,
            "method": { "name": "optimal", "metric": "loss", "levels": { "age": 3, "sex": 0 } },
            "criteria": [{ "criterion": "k-anonymity", "on": null, "params": { "k": "5" }, "holds": true, "measured": k }],
            "attacks": [{ "attack": "linkage", "on": null, "highest_belief": belief, "highest_belief_is": "exact", "people": 40 }],
            "utility": { "height": height, "groups": 7.0 },
        })
    }

    #[test]
    fn the_best_of_each_line_is_marked() {
        let releases = [
            ("first".into(), certificate(30162, 0.564, 0.1, 10.0)),
            ("second".into(), certificate(29610, 0.226, 0.2, 5.0)),
        ];
        let page = compare_html(&releases, &[]);
        assert!(page.contains(r#"<td class="number best"><b>30,162</b><span"#));
        assert!(page.contains(r#"<td class="number best"><b>0.226</b><span"#));
        assert!(page.contains("<td class=\"number best\"><b>10.0\u{a0}%</b><span"));
        assert!(page.contains(r#"<td class="number best"><b>✓ 10</b><small>asked k = 5</small><span"#));
        assert!(page.contains(r#"<td class="number">7</td><td class="number">7</td>"#));
        assert_eq!(page.matches("<path class=\"chosen\"").count(), 2);
    }

    #[test]
    fn sets_are_drawn_by_what_is_published() {
        let sets = |items: u64, confidence: f64| {
            json!({
                "kind": "transactions", "published_occurrences": items, "sensitive": { "kinds": 2 },
                "worst_rule": { "confidence": confidence },
            })
        };
        let page = compare_html(&[("a".into(), sets(120, 0.5)), ("b".into(), sets(150, 0.7))], &[]);
        assert!(page.contains("items (larger is better)") && page.contains("most confident rule"));
        assert_eq!(page.matches("<path class=\"chosen\"").count(), 2);
    }

    #[test]
    fn certificates_may_lack_anything_and_hold_markup() {
        let odd = json!({ "criteria": 7, "attacks": [null, {}, { "attack": "<script>", "highest_belief": 0.25 }], "utility": [], "method": "x" });
        let page = compare_html(&[("<script>alert(1)</script>".into(), odd), ("b".into(), Value::Null)], &[]);
        assert!(!page.contains("<script"));
        assert!(page.contains("25.0\u{a0}%"));
        assert!(compare_html(&[], &[]).contains("no release"));
    }

    #[test]
    fn letters_do_not_end() {
        assert_eq!([letter(0), letter(25), letter(26), letter(52)], ["A", "Z", "AA", "BA"]);
    }
}
