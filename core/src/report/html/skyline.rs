//! The knowledge skyline as a page: what may be known, and the smallest that breaks the limit. It
//! reacts to choices without any script.

use super::charts::{Words, figure, px, round_step};
use super::lead::{self, Figure};
use super::words::{capital, clipped, counted, grouped, listed, percent};
use super::{Audience, page};
use crate::criterion::Budget;
use crate::explore::Exploration;
use crate::report::skyline::{extent, knows, open_note, share, spread, verdict, worst_lines};
use maud::{Markup, PreEscaped, html};

/// Rows and columns of pictures.
const MOST_ROWS: usize = 16;
const MOST_COLUMNS: usize = 20;
/// Lines of the table of points.
const MOST_POINTS: usize = 60;

/// What only this page needs. Which slice is shown follows from the choice made above it.
const CSS: &str = "
.pick { position: absolute; opacity: 0; }
.pick + label { display: inline-block; min-width: 2.4rem; text-align: center; padding: .3rem .7rem; margin: 0 .3rem .4rem 0; border: 1px solid var(--line); cursor: pointer; font-variant-numeric: tabular-nums; }
.pick:checked + label { background: var(--accent); border-color: var(--accent); color: var(--page); font-weight: 600; }
.pick:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
.slice { display: none; }
svg .cell { fill: var(--accent); }
svg .cell:hover { stroke: var(--text); stroke-width: 2; }
svg .on { fill: var(--page); font-weight: 600; }
svg .none { fill: var(--soft); }
svg .picked { fill: var(--accent); font-weight: 700; visibility: hidden; }
svg .depth { font-size: 12.5px; font-variant-numeric: tabular-nums; }
svg .corner { fill: none; stroke: var(--text); stroke-width: 1.6; pointer-events: none; }
.key.corner { border: 2px solid var(--text); width: .9em; }
.key.many { background: var(--accent); border-color: var(--accent); }
@media print { .pick + label { display: none; } .pick:checked + label { display: inline-block; } }
";

/// The knowledge skyline of a value, for the custodian: it names groups and records.
pub fn skyline_html(found: &Exploration) -> String {
    let title = format!("Knowledge skyline of “{}” ({})", found.value, found.column);
    let is_bad = found.having > 0 && found.points.is_empty();
    let body = html! {
        style { (PreEscaped(CSS)) }
        header.top {
            h1 { bdi { (title) } }
            p.verdict.bad[is_bad] { @if is_bad { span.sign aria-hidden="true" { "✗ " } } (verdict_words(found)) }
            (numbers(found))
        }
        main {
            @if !found.points.is_empty() {
                (surface(found))
                (points(found))
            }
            (worst(found))
            (reading())
        }
        footer { p { (super::INTERNAL) ". This page names groups, records and small counts." } }
    };
    page(&title, Audience::Internal, &body)
}

/// The verdict without the list that follows it elsewhere.
fn verdict_words(found: &Exploration) -> String {
    if found.points.is_empty() {
        return verdict(found);
    }
    format!(
        "Belief stays below {} for attackers who know no more than {}.",
        share(found.confidence.to_f64()),
        match found.points.as_slice() {
            [only] => knows(found.case, *only),
            points => format!("one of {} amounts", grouped(points.len() as u64)),
        }
    )
}

fn numbers(found: &Exploration) -> Markup {
    let people =
        format!("In {}, of which {} hold the value.", counted(found.groups as u64, "group"), grouped(found.having));
    let unaided = "The highest belief of an attacker who knows nothing but the release.";
    let mut figures = vec![
        Figure::new("People", grouped(found.people), people),
        Figure::new("Without background knowledge", percent(found.unaided), unaided),
    ];
    if let Some(worst) = &found.worst {
        let Budget { l, k, m } = worst.budget;
        let words =
            format!("An attacker who knows {} may believe {}.", knows(found.case, worst.budget), percent(worst.belief));
        figures.push(Figure::new("Smallest sufficient knowledge", format!("l {l} · k {k} · m {m}"), words));
        let all = found.people.max(1) as f64;
        let words = format!(
            "{} of all people, in {}, for whom that is enough.",
            percent(found.exposed.people as f64 / all),
            counted(found.exposed.groups, "group")
        );
        figures.push(Figure::new("People at risk from it", grouped(found.exposed.people), words));
    }
    lead::numbers(&figures)
}

/// Where a picture's cells are.
struct Cells {
    left: f64,
    top: f64,
    wide: f64,
    high: f64,
}

impl Cells {
    fn new(columns: usize, high: f64) -> Cells {
        let (left, top) = (58.0, 30.0);
        Cells { left, top, wide: ((480.0 - left - 8.0) / columns.max(1) as f64).min(58.0), high }
    }

    fn x(&self, column: usize) -> f64 {
        self.left + self.wide * column as f64
    }

    fn y(&self, row: usize) -> f64 {
        self.top + self.high * row as f64
    }
}

/// The surface seen from above, and a slice of it for each l.
fn surface(found: &Exploration) -> Markup {
    let (columns, largest) = extent(found);
    let (ls, ms) = (spread(found.surface.rows().len(), MOST_ROWS), spread(columns, MOST_COLUMNS));
    let chosen: String = ls
        .iter()
        .map(|l| {
            format!(
                "#pick-{l}:checked ~ .pictures .slice-{l} {{ display: block; }}\n#pick-{l}:checked ~ .pictures .picked-{l} {{ visibility: visible; }}\n"
            )
        })
        .collect();
    html! {
        h2 { "What may be known" }
        p.lead {
            "An attacker may know l things about the person she asks about, k other people and m of the person's relatives. For every l and m the number is the largest k that is still safe. "
            "Choose an l to see its slice; point at a cell to read it."
            @if let Some(note) = open_note(found) { " " (note) }
            @if is_cut(found) { " The surface is large: only some rows and columns are drawn." }
        }
        style { (PreEscaped(chosen)) }
        div {
            span.lead { "l = " }
            @for l in &ls {
                input.pick type="radio" name="l" id={ "pick-" (l) } checked[*l == 0];
                label for={ "pick-" (l) } { (l) }
            }
            div.pictures {
                (map(found, &ls, &ms, largest))
                div { @for &l in &ls { div class={ "slice slice-" (l) } { (slice(found, l, &ms, largest)) } } }
            }
        }
    }
}

/// What colours and outlines mean; where only some cells are drawn, none is outlined.
fn legend(all_are_drawn: bool) -> Markup {
    html! {
        p.legend {
            span.key.many {} span { "more others may be known" }
            @if all_are_drawn { span.key.corner {} span { "a point of the skyline: nothing larger is safe" } }
        }
    }
}

/// Whether the surface is too large for all of it to be drawn.
fn is_cut(found: &Exploration) -> bool {
    found.surface.rows().len() > MOST_ROWS || extent(found).0 > MOST_COLUMNS
}

/// Whether a point of the skyline is to be outlined.
fn is_point(found: &Exploration, l: usize, k: u64, m: usize) -> bool {
    !is_cut(found) && found.surface.largest(l + 1, m) != Some(k) && found.surface.largest(l, m + 1) != Some(k)
}

/// Rows l, columns m, the largest safe k as number and depth.
fn map(found: &Exploration, ls: &[usize], ms: &[usize], largest: u64) -> Markup {
    let cells = Cells::new(ms.len(), 30.0);
    let height = cells.y(ls.len()) + 34.0;
    let depth = |k: u64| 0.14 + 0.86 * (k + 1) as f64 / (largest + 1) as f64;
    let fits = largest.to_string().len() as f64 * 7.5 < cells.wide;
    let drawing = html! {
        text.name x="2" y="14" { "l: things known about the person" }
        @for (row, &l) in ls.iter().enumerate() {
            text.small.end x=(cells.left - 8.0) y=(px(cells.y(row) + 20.0)) { (l) }
            @for (column, &m) in ms.iter().enumerate() {
                @let middle = px(cells.x(column) + cells.wide / 2.0);
                @match found.surface.largest(l, m) {
                    Some(k) => {
                        @let told = Budget::new(l as u64, k, m as u64);
                        rect.cell x=(px(cells.x(column) + 1.0)) y=(px(cells.y(row) + 1.0)) width=(px(cells.wide - 2.0)) height="28" fill-opacity=(format!("{:.2}", depth(k))) {
                            title { "l = " (l) ", m = " (m) ": safe up to k = " (grouped(k)) " (" (knows(found.case, told)) ")" }
                        }
                        @if fits { text class={ "depth middle" @if depth(k) > 0.55 { " on" } } x=(middle) y=(px(cells.y(row) + 20.0)) pointer-events="none" { (k) } }
                        @if is_point(found, l, k, m) { rect.corner x=(px(cells.x(column) + 3.5)) y=(px(cells.y(row) + 3.5)) width=(px((cells.wide - 7.0).max(2.0))) height="23" {} }
                    }
                    None => { text.small.middle.none x=(middle) y=(px(cells.y(row) + 20.0)) { "·" title { "l = " (l) ", m = " (m) ": not safe" } } }
                }
            }
            text class={ "picked picked-" (l) } x=(px(cells.left - 46.0)) y=(px(cells.y(row) + 20.0)) { "▸" }
        }
        (below(&cells, ms, cells.y(ls.len())))
    };
    let rows = ls.iter().map(|&l| {
        let cell = |m: &usize| found.surface.largest(l, *m).map_or_else(|| "·".into(), grouped);
        std::iter::once(format!("l = {l}")).chain(ms.iter().map(cell)).collect()
    });
    let header: Vec<String> = ms.iter().map(|m| format!("m = {m}")).collect();
    let words = Words {
        id: "surface",
        title: "How many others may be known (k)".into(),
        alternative: "A grid with l down and m across; every cell holds the largest safe k. The table below has the same numbers.".into(),
        caption: "A dot: nothing is safe there. What is safe at a cell is safe at every cell above and to the left of it.".into(),
        header: std::iter::once("").chain(header.iter().map(String::as_str)).collect(),
        rows: rows.collect(),
        legend: legend(!is_cut(found)),
    };
    figure(&words, height, &drawing)
}

/// Numbers of columns, and what they are.
fn below(cells: &Cells, ms: &[usize], bottom: f64) -> Markup {
    // Every number, or every so many where they are close.
    let step = (24.0 / cells.wide).ceil() as usize;
    html! {
        @for (column, m) in ms.iter().enumerate().filter(|(column, _)| column % step == 0) {
            text.small.middle x=(px(cells.x(column) + cells.wide / 2.0)) y=(px(bottom + 15.0)) { (m) }
        }
        text.name x=(px(cells.left)) y=(px(bottom + 31.0)) { "m: relatives known" }
    }
}

/// One l: columns m, up to the largest safe k.
fn slice(found: &Exploration, l: usize, ms: &[usize], largest: u64) -> Markup {
    let high = 220.0;
    let cells = Cells::new(ms.len(), high);
    let bottom = cells.y(1);
    let up = |k: u64| bottom - high * (k + 1) as f64 / (largest + 1) as f64;
    let step = round_step((largest / 6 + 1) as f64) as usize;
    let drawing = html! {
        text.name x="2" y="14" { "k: others known" }
        @for k in (0..=largest).step_by(step) {
            @let y = px(up(k));
            line.grid x1=(px(cells.left)) x2=(px(cells.x(ms.len()))) y1=(y) y2=(y) {}
            text.small.end x=(cells.left - 8.0) y=(px(up(k) + 4.0)) { (grouped(k)) }
        }
        @for (column, &m) in ms.iter().enumerate() {
            @if let Some(k) = found.surface.largest(l, m) {
                @let top = up(k);
                rect.cell x=(px(cells.x(column) + 1.0)) y=(px(top)) width=(px((cells.wide - 2.0).max(1.0))) height=(px(bottom - top)) fill-opacity="0.75" {
                    title { "Safe against attackers who know " (knows(found.case, Budget::new(l as u64, k, m as u64))) "; not with 1 other more" }
                }
                @if is_point(found, l, k, m) { rect.corner x=(px(cells.x(column) + 1.0)) y=(px(top)) width=(px((cells.wide - 2.0).max(1.0))) height=(px(bottom - top)) {} }
            }
        }
        line.axis x1=(px(cells.left)) x2=(px(cells.x(ms.len()))) y1=(px(bottom)) y2=(px(bottom)) {}
        (below(&cells, ms, bottom))
    };
    let id = format!("slice-of-{l}");
    let words = Words {
        id: &id,
        title: format!("Safe for l = {l}"),
        alternative: format!(
            "For l = {l} and each m a bar up to the largest safe k; the table of the surface has the numbers."
        ),
        caption: "A bar as high as its mark k = 0 means: an attacker may know relatives, but no other person besides."
            .into(),
        header: vec![],
        rows: vec![],
        legend: html! {},
    };
    figure(&words, bottom + 34.0, &drawing)
}

fn points(found: &Exploration) -> Markup {
    let shown = found.points.iter().take(MOST_POINTS);
    html! {
        h2 { "The points of the skyline" }
        p.lead { "Each is safe. An attacker who knows more in any one respect, and no less in the others, may reach " (share(found.confidence.to_f64())) "." }
        div.scroll tabindex="0" role="group" aria-label="Table: points of the skyline" {
            table {
                caption.unseen { "Points of the skyline" }
                thead { tr { th scope="col" { "Background knowledge" } @for name in ["l", "k", "m"] { th.number scope="col" { (name) } } } }
                tbody {
                    @for point in shown {
                        tr {
                            th scope="row" { (knows(found.case, *point)) }
                            @for number in [point.l, point.k, point.m] { td.number { (grouped(number)) } }
                        }
                    }
                }
            }
        }
        @if found.points.len() > MOST_POINTS {
            p.lead { "And " (grouped((found.points.len() - MOST_POINTS) as u64)) " more: the JSON document has all of them." }
        }
    }
}

fn worst(found: &Exploration) -> Markup {
    let Some(worst) = &found.worst else { return html! {} };
    html! {
        h2 { "The smallest sufficient knowledge" }
        p {
            "An attacker who knows " (knows(found.case, worst.budget)) " can believe with " strong { (percent(worst.belief)) } " that somebody has the value. This is where it works, and on whom. "
            "Of equally small amounts this is the one with the fewest relatives."
        }
        div.scroll tabindex="0" role="group" aria-label="Table: the worst case" {
            table {
                caption.unseen { "The worst case" }
                thead { tr { th scope="col" { "What" } th scope="col" { "Which" } } }
                tbody { @for (name, words) in worst_lines(found, worst) { tr { th scope="row" { (capital(name)) } td { bdi { (words) } } } } }
            }
        }
        @if worst.budget == Budget::default() { p.lead { "No knowledge is needed: the share of the value in that group is enough." } }
    }
}

fn reading() -> Markup {
    let words = [
        (
            "l",
            "Things known about the person herself: with one value each, values that she does not have; with several values, values that she would have only together with the one in question.",
        ),
        (
            "k",
            "Others about whom is known: with one value each, what they have; with several values, that they do not have the one in question.",
        ),
        ("m", "Relatives: it is known that if any of them has the value, the person has it too."),
        (
            "The skyline",
            "All the largest amounts that are safe. On or below it nobody reaches the confidence, whichever values and people she knows about; above it there is somebody about whom she may.",
        ),
    ];
    let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
    html! {
        h2 { "Words" }
        p.lead { (listed(&names[..3])) " count what an attacker knows; which values and people these are is always taken to be the worst for the person." }
        dl.words { @for (name, meaning) in &words { dt { (clipped(name, 20)) } dd { (meaning) } } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Fraction;
    use crate::report::skyline::tests::{FIGURE_3, explored};

    #[test]
    fn the_page_is_internal_and_inert() {
        let evil = "<script>alert(1)</script>";
        let group = ["flu", evil, "flu", "<img/src=x>", "gout", "gout"];
        for value in [evil, "gout"] {
            let page = skyline_html(&explored(&[&group, &group], value, Fraction::new(95, 100)));
            for live in
                ["<script", "<img", "http://", "https://", "javascript:", "@import", "<link", "<iframe", " src="]
            {
                assert!(!page.contains(live), "{live}");
            }
            assert!(page.contains("&lt;script&gt;") && page.contains("INTERNAL — not for release"));
            assert!(page.contains("default-src 'none'"));
        }
    }

    #[test]
    fn every_l_has_a_choice_and_a_slice() {
        let page = skyline_html(&explored(&FIGURE_3, "Cancer", Fraction::new(95, 100)));
        for l in 0..2 {
            assert!(page.contains(&format!("id=\"pick-{l}\"")) && page.contains(&format!("class=\"slice slice-{l}\"")));
        }
        assert!(!page.contains("pick-2"));
        let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }

    #[test]
    fn extremes_have_pages() {
        for (value, share) in [("AIDS", 50), ("gout", 50)] {
            let page = skyline_html(&explored(&FIGURE_3, value, Fraction::new(share, 100)));
            assert!(page.ends_with("</html>") && !page.contains("NaN") && !page.contains("pick-0"));
        }
        let many: Vec<&str> = (0..3000).map(|at| if at == 0 { "gout" } else { "flu" }).collect();
        let page = skyline_html(&explored(&[&many], "gout", Fraction::new(95, 100)));
        assert!(page.len() < 300_000 && page.contains("The surface is large"));
    }
}
