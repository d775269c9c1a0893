//! Small pictures: drawn by hand as SVG, with a title, a description and the numbers as a table.

use super::words::clipped;
use maud::{Markup, html};

const WIDTH: f64 = 480.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 46.0;

/// What is said about a picture.
pub(super) struct Words<'a> {
    /// Unique in the page.
    pub id: &'a str,
    pub title: String,
    /// What can be seen, for those who cannot see it.
    pub alternative: String,
    /// What it means.
    pub caption: String,
    /// The same numbers as a table: the header, then rows.
    pub header: Vec<&'a str>,
    pub rows: Vec<Vec<String>>,
    /// What shapes stand for, if there are several.
    pub legend: Markup,
}

/// A picture with its words.
pub(super) fn figure(words: &Words<'_>, height: f64, drawing: &Markup) -> Markup {
    let (title, description) = (format!("{}-title", words.id), format!("{}-desc", words.id));
    html! {
        figure id=(words.id) {
            p.figure-title { (words.title) }
            (words.legend)
            div.scroll tabindex="0" role="group" aria-label={ "Picture: " (words.title) } {
                svg role="img" aria-labelledby={ (title) " " (description) } viewBox={ "0 0 " (WIDTH) " " (px(height)) } {
                    title id=(title) { (words.title) }
                    desc id=(description) { (words.alternative) }
                    (drawing)
                }
            }
            figcaption { (words.caption) }
            @if !words.rows.is_empty() {
                details {
                    summary { "The numbers of this picture" }
                    (table(&words.title, &words.header, &words.rows))
                }
            }
        }
    }
}

/// A table whose first column names its rows; the others hold numbers.
pub(super) fn table(caption: &str, header: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label={ "Table: " (caption) } {
            table {
                caption.unseen { (caption) }
                thead { tr { @for (at, name) in header.iter().enumerate() { th.number[at > 0] scope="col" { (name) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (at, cell) in row.iter().enumerate() {
                                @if at == 0 { th scope="row" { bdi { (cell) } } } @else { td.number { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// An upright bar.
pub(super) struct Bar {
    /// Its height; nothing if it must not be seen.
    pub value: Option<f64>,
    pub label: String,
}

/// What is along the sides of a picture.
pub(super) struct Axes<'a> {
    pub across: &'a str,
    pub up: &'a str,
    pub number: &'a dyn Fn(f64) -> String,
    /// Whether only whole numbers stand beside it.
    pub whole: bool,
}

/// A dashed line across a picture.
pub(super) struct Line {
    /// Where, from 0 (left) to 1 (right).
    pub at: f64,
    pub label: String,
}

/// Upright bars side by side; `edges` are written under the places where bars meet.
pub(super) fn bars(bars: &[Bar], edges: &[String], axes: &Axes<'_>, line: Option<&Line>) -> (f64, Markup) {
    let height = 270.0;
    let most = bars.iter().filter_map(|bar| bar.value).fold(0.0, f64::max);
    let frame = Frame::new(Scale::from_zero(most, axes.whole), height);
    let (step, bottom) = (frame.x(1.0 / bars.len().max(1) as f64) - LEFT, frame.down.1);
    let labelled = bars.iter().all(|bar| text_width(&bar.label) <= step);
    let roomy = edges.iter().all(|edge| text_width(edge) <= step);
    let drawing = html! {
        (frame.axes(axes))
        @for (at, bar) in bars.iter().enumerate() {
            @let left = LEFT + step * at as f64;
            @match bar.value {
                Some(value) if value > 0.0 => {
                    (frame.bar("bar", (left + 1.5, step - 3.0), value))
                    @if labelled { text.small.middle x=(px(left + step / 2.0)) y=(px(frame.top(value) - 5.0)) { (bar.label) } }
                }
                Some(_) => {}
                None => { rect.hidden x=(px(left + 1.5)) y=(px(bottom - 14.0)) width=(px((step - 3.0).max(1.0))) height="14" {} }
            }
        }
        @for (at, edge) in edges.iter().enumerate().filter(|(at, edge)| !edge.is_empty() && (roomy || at % 2 == 0)) {
            (frame.below(LEFT + step * at as f64, edge))
        }
        @if let Some(line) = line { (dashed(line, frame.x(line.at.clamp(0.0, 1.0)), height)) }
    };
    (height, drawing)
}

/// About how wide a small text is.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * 6.6
}

fn dashed(line: &Line, x: f64, height: f64) -> Markup {
    let (class, shift) = if x > WIDTH / 2.0 { ("mark end", -6.0) } else { ("mark", 6.0) };
    html! {
        line.limit x1=(px(x)) x2=(px(x)) y1=(px(TOP - 26.0)) y2=(px(height - BOTTOM)) {}
        text class=(class) x=(px(x + shift)) y=(px(TOP - 16.0)) { (line.label) }
    }
}

/// The room in which values are drawn, and what they are measured by.
pub(super) struct Frame {
    /// Where it begins and ends across.
    pub across: (f64, f64),
    /// Where it begins and ends down.
    pub down: (f64, f64),
    /// What goes up.
    pub up: Scale,
}

impl Frame {
    /// The frame of a report's picture of this height.
    fn new(up: Scale, height: f64) -> Frame {
        Frame { across: (LEFT, WIDTH - RIGHT), down: (TOP, height - BOTTOM), up }
    }

    /// Where a share of the width is.
    pub fn x(&self, share: f64) -> f64 {
        self.across.0 + (self.across.1 - self.across.0) * share
    }

    /// Where a value is.
    pub fn y(&self, value: f64) -> f64 {
        self.down.1 - (self.down.1 - self.down.0) * self.up.place(value)
    }

    /// The top of a bar: what is there at all can be seen.
    fn top(&self, value: f64) -> f64 {
        self.y(value).min(self.down.1 - 1.5)
    }

    /// An upright bar from here, so wide.
    pub(super) fn bar(&self, class: &str, (left, width): (f64, f64), value: f64) -> Markup {
        let top = self.top(value);
        html! { rect class=(class) x=(px(left)) y=(px(top)) width=(px(width.max(1.0))) height=(px(self.down.1 - top)) {} }
    }

    /// Lines across with their numbers, and the axis below.
    pub fn grid(&self, number: &dyn Fn(f64) -> String) -> Markup {
        let ((left, right), bottom) = (self.across, px(self.down.1));
        html! {
            @for tick in self.up.ticks() {
                @let y = self.y(tick);
                line.grid x1=(left) x2=(right) y1=(px(y)) y2=(px(y)) {}
                text.small.end x=(left - 8.0) y=(px(y + 4.0)) { (number(tick)) }
            }
            line.axis x1=(left) x2=(right) y1=(bottom) y2=(bottom) {}
        }
    }

    /// A mark below the axis, with its label.
    fn below(&self, x: f64, label: &str) -> Markup {
        html! {
            line.axis x1=(px(x)) x2=(px(x)) y1=(px(self.down.1)) y2=(px(self.down.1 + 4.0)) {}
            text.small.middle x=(px(x)) y=(px(self.down.1 + 17.0)) { (label) }
        }
    }

    /// The grid, with the names of both axes.
    fn axes(&self, axes: &Axes<'_>) -> Markup {
        html! {
            (self.grid(axes.number))
            text.name x="2" y="14" { (axes.up) }
            text.name.middle x=(px(self.x(0.5))) y=(px(self.down.1 + BOTTOM - 6.0)) { (axes.across) }
        }
    }
}

/// A line of lying bars.
pub(super) struct Row {
    pub name: String,
    /// Shares from 0 to 1 of the longest bar, with what is written behind them: an outlined bar
    /// first if there are two.
    pub bars: Vec<(f64, String)>,
}

/// Lying bars, one or two to a name. With `full`, each is drawn within the outline of a whole.
pub(super) fn rows(rows: &[Row], full: bool) -> (f64, Markup) {
    const NAMES: f64 = 150.0;
    const THICK: f64 = 14.0;
    let long = WIDTH - NAMES - if full { 150.0 } else { 74.0 };
    let step = |row: &Row| row.bars.len() as f64 * (THICK + 2.0) + 14.0;
    let mut end = 6.0;
    let placed: Vec<(f64, &Row)> = rows
        .iter()
        .map(|row| {
            let top = end;
            end += step(row);
            (top, row)
        })
        .collect();
    let drawing = html! {
        @for (top, row) in placed {
            @let middle = top + (step(row) - 14.0) / 2.0;
            text.end x=(NAMES - 12.0) y=(px(middle + 3.5)) { (clipped(&row.name, 17)) title { (row.name) } }
            @for (at, (share, label)) in row.bars.iter().enumerate() {
                @let y = top + at as f64 * (THICK + 2.0);
                @let length = (long * share.clamp(0.0, 1.0)).max(if *share > 0.0 { 1.5 } else { 0.0 });
                @let first_of_two = at + 1 < row.bars.len();
                @if full { rect.track x=(NAMES) y=(px(y)) width=(px(long)) height=(THICK) {} }
                rect.bar.before[first_of_two] x=(NAMES) y=(px(y)) width=(px(length)) height=(THICK) {}
                text.small x=(px(NAMES + if full { long } else { length } + 7.0)) y=(px(y + THICK - 3.0)) { (label) }
            }
        }
        line.axis x1=(NAMES) x2=(NAMES) y1="0" y2=(px(end - 8.0)) {}
    };
    (end, drawing)
}

/// A point of a scatter plot.
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
    /// What is written at it; the point then is marked.
    pub label: Option<String>,
}

/// Points between two axes. Those in nearly the same place are drawn once, with all their labels.
pub(super) fn scatter(points: &[Point], axes: &Axes<'_>, across: &dyn Fn(f64) -> String) -> (f64, Markup) {
    let height = 300.0;
    let up = Scale::from_zero(points.iter().map(|point| point.y).fold(0.0, f64::max), axes.whole);
    let frame = Frame::new(up, height);
    let along = Scale::around(points.iter().map(|point| point.x));
    let place = |point: &Point| (frame.x(along.place(point.x)), frame.y(point.y));
    let mut plain: Vec<(f64, f64)> = Vec::new();
    let mut marked: Vec<(f64, f64, String)> = Vec::new();
    let mut taken = std::collections::BTreeSet::new();
    for point in points {
        let (x, y) = place(point);
        match &point.label {
            None => {
                if taken.insert(((x / 4.0) as i64, (y / 4.0) as i64)) {
                    plain.push((x, y));
                }
            }
            Some(label) => match marked.iter_mut().find(|(a, b, _)| (a - x).abs() < 14.0 && (b - y).abs() < 14.0) {
                Some(near) => near.2 += &format!(", {label}"),
                None => marked.push((x, y, label.clone())),
            },
        }
    }
    let drawing = html! {
        (frame.axes(axes))
        @for tick in along.ticks() { (frame.below(frame.x(along.place(tick)), &across(tick))) }
        @for (x, y) in &plain { circle.point cx=(px(*x)) cy=(px(*y)) r="3.5" {} }
        @for (x, y, label) in &marked {
            @let to_left = *x > WIDTH * 0.7;
            path.chosen d={ "M" (px(x - 7.0)) " " (px(*y)) "l7 -7 7 7 -7 7z" } {}
            text.mark.end[to_left] x=(px(x + if to_left { -11.0 } else { 11.0 })) y=(px(y - 7.0)) { (label) }
        }
    };
    (height, drawing)
}

/// Numbers along an axis, from the lowest to the highest, with a few round ones marked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    step: f64,
    /// Whether it goes up by factors: then these are powers of ten.
    by_factors: bool,
}

impl Scale {
    /// From zero to a round number that is not below `most`; with `whole`, only whole numbers are
    /// marked.
    pub fn from_zero(most: f64, whole: bool) -> Scale {
        let most = if most > 0.0 && most.is_finite() { most } else { 1.0 };
        let step = round_step(most / 5.0).max(if whole { 1.0 } else { 0.0 });
        Scale { low: 0.0, high: (most / step).ceil() * step, step, by_factors: false }
    }

    /// By factors, around all values that are above zero; from zero if there is none.
    pub fn by_factors(values: impl Iterator<Item = f64>) -> Scale {
        let (least, most) = values
            .filter(|value| *value > 0.0)
            .fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), value| (least.min(value), most.max(value)));
        if !least.is_finite() {
            return Scale::from_zero(most, false);
        }
        // Bars as low as the lowest value are still seen.
        let low = (least * 0.7).log10().floor();
        let high = most.log10().ceil().max(low + 1.0);
        Scale { low, high, step: ((high - low) / 6.0).floor() + 1.0, by_factors: true }
    }

    /// Around all values, with some room at both ends.
    pub fn around(values: impl Iterator<Item = f64> + Clone) -> Scale {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = (finite.clone().fold(f64::INFINITY, f64::min), finite.fold(f64::NEG_INFINITY, f64::max));
        if low > high {
            return Scale { low: 0.0, high: 1.0, step: 0.5, by_factors: false };
        }
        let room = if high > low { (high - low) * 0.06 } else { low.abs().max(1.0) * 0.1 };
        let step = round_step((high - low + 2.0 * room) / 6.0);
        // Nothing is less than nothing: no room below zero.
        let low = if low >= 0.0 { (low - room).max(0.0) } else { low - room };
        Scale { low, high: high + room, step, by_factors: false }
    }

    /// Where a value stands, from 0 (lowest) to 1 (highest).
    pub fn place(&self, value: f64) -> f64 {
        let value = if self.by_factors { value.log10() } else { value };
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The numbers that are marked.
    pub fn ticks(&self) -> impl Iterator<Item = f64> {
        let Scale { low, high, step, by_factors } = *self;
        // Round numbers start at zero, powers of ten at the lowest.
        let start = if by_factors { low } else { 0.0 };
        let first = ((low - start) / step - 1e-9).ceil() as i64;
        let last = ((high - start) / step + 1e-9).floor() as i64;
        (first..=last).map(move |at| if by_factors { 10f64.powf(start + at as f64 * step) } else { at as f64 * step })
    }
}

/// The least of 1, 2, 5, 10 … times a power of ten that is not below a number.
pub(super) fn round_step(least: f64) -> f64 {
    let ten = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * ten)
        .find(|step| *step >= least * 0.999_999)
        .unwrap_or(least)
}

/// The pattern of bars that are told apart by more than colour; once in a page.
pub(super) fn hatch() -> Markup {
    html! {
        svg.pattern aria-hidden="true" focusable="false" {
            defs {
                pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    line.stripe x1="0" x2="0" y1="0" y2="6" {}
                }
            }
        }
    }
}

/// A coordinate, short.
pub(super) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.trim_end_matches(".0").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(scale: &Scale) -> Vec<f64> {
        scale.ticks().collect()
    }

    #[test]
    fn axes_have_a_few_round_numbers() {
        assert_eq!(ticks(&Scale::from_zero(17.0, true)), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(ticks(&Scale::from_zero(0.0, false)), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(&Scale::from_zero(1.0, true)), [0.0, 1.0]);
        for most in [1e-9, 0.2, 1.0, 999.0, 123_456_789.0] {
            assert!((2..=6).contains(&ticks(&Scale::from_zero(most, false)).len()), "{most}");
        }
        assert!((1..=8).contains(&ticks(&Scale::around([0.226, 0.79].into_iter())).len()));
        assert!(!ticks(&Scale::around([5.0].into_iter())).is_empty());
        assert!(!ticks(&Scale::around(std::iter::empty())).is_empty());
        assert_eq!(ticks(&Scale::by_factors([0.0, 0.02, 70.0].into_iter())), [0.01, 0.1, 1.0, 10.0, 100.0]);
        assert_eq!([1.0, 3.0, 11.0, 21.0].map(round_step), [1.0, 5.0, 20.0, 50.0]);
    }

    #[test]
    fn points_in_one_place_are_drawn_once() {
        let axes = Axes { across: "x", up: "y", number: &|value| value.to_string(), whole: false };
        let points: Vec<Point> = (0..10_000).map(|_| Point { x: 1.0, y: 0.5, label: None }).collect();
        let (_, drawing) = scatter(&points, &axes, &|value| value.to_string());
        assert_eq!(drawing.into_string().matches("<circle").count(), 1);
    }
}
