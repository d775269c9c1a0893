//! Several series of numbers as lines or bars: they stand alone as files, and inside a page take
//! its colours.

use super::charts::{Frame, Scale, px, text_width};
use maud::{Markup, PreEscaped, html};
use serde::{Deserialize, Serialize};

const WIDTH: f64 = 640.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 16.0;
const HIGH: f64 = 230.0;
const LINE: f64 = 18.0;

/// Colours have a contrast of at least 3 to the page, light and dark; shapes tell series apart
/// where colours do not.
const STYLE: &str = "\
.chart{--a:#0d5a6b;--b:#b4531b;--c:#5b3f9e;--d:#2e7d32;--e:#8a6d00;--f:#a1246b;--g:#4a5560;--ink:#1e2327;--soft:#565f66;--rule:#d9d5cb;--paper:#fdfcfa;\
font:12px system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif}\
@media(prefers-color-scheme:dark){.chart{--a:#74c6d6;--b:#f0995f;--c:#b7a0f0;--d:#7fce84;--e:#dcc050;--f:#ee86bf;--g:#b3bec8;--ink:#e6e8ea;--soft:#a8b1b8;--rule:#3a4248;--paper:#15191c}}\
@media print{.chart{--a:#0d5a6b;--b:#b4531b;--c:#5b3f9e;--d:#2e7d32;--e:#8a6d00;--f:#a1246b;--g:#4a5560;--ink:#000;--soft:#444;--rule:#bbb;--paper:#fff}}\
.chart text{fill:var(--ink)}.chart .small{fill:var(--soft)}.chart .middle{text-anchor:middle}.chart .end{text-anchor:end}\
.chart .grid{stroke:var(--rule)}.chart .axis{stroke:var(--soft)}.chart .limit{stroke:var(--ink);stroke-dasharray:5 4;stroke-width:1.3}\
.chart .line{fill:none;stroke-width:2}.chart .printed{stroke-dasharray:2 4;fill-opacity:.45}.chart .back{fill:var(--paper)}\
.chart .s0{stroke:var(--a);fill:var(--a)}.chart .s1{stroke:var(--b);fill:var(--b)}.chart .s2{stroke:var(--c);fill:var(--c)}\
.chart .s3{stroke:var(--d);fill:var(--d)}.chart .s4{stroke:var(--e);fill:var(--e)}.chart .s5{stroke:var(--f);fill:var(--f)}.chart .s6{stroke:var(--g);fill:var(--g)}\
.chart path.line{fill:none}";

/// How a picture is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Points joined by lines.
    Lines,
    /// Bars side by side for each row.
    Bars,
}

/// One line or kind of bar.
pub struct Series {
    /// What it is called.
    pub name: String,
    /// Whether somebody else printed these numbers: then it is drawn fainter.
    pub printed: bool,
    /// A number for each row, where there is one.
    pub values: Vec<Option<f64>>,
}

/// What a picture of series shows.
///
/// ```
/// use sfumato::report::html::{Plot, Series, Shape};
///
/// let series = vec![Series { name: "ours".into(), printed: false, values: vec![Some(1.0), None] }];
/// let labels = vec!["first".to_string(), "second".to_string()];
/// let plot = Plot { title: "Times", across: "run", up: "seconds", shape: Shape::Bars, labels, numbers: None, series, log: false, limit: None, tick: &|value| value.to_string() };
/// assert!(plot.draw("times").into_string().starts_with("<svg"));
/// ```
pub struct Plot<'a> {
    /// What can be seen.
    pub title: &'a str,
    /// What is along the picture.
    pub across: &'a str,
    /// What goes up.
    pub up: &'a str,
    /// How it is drawn.
    pub shape: Shape,
    /// What stands below the rows.
    pub labels: Vec<String>,
    /// The numbers along the picture, if all are numbers.
    pub numbers: Option<Vec<f64>>,
    /// What is drawn.
    pub series: Vec<Series>,
    /// Whether numbers go up by factors.
    pub log: bool,
    /// A dashed line across, with its name.
    pub limit: Option<(f64, &'a str)>,
    /// How a number stands beside the axis.
    pub tick: &'a dyn Fn(f64) -> String,
}

impl Plot<'_> {
    /// The picture as an SVG document; the id is unique in the page.
    pub fn draw(&self, id: &str) -> Markup {
        let values = self.series.iter().flat_map(|one| one.values.iter().flatten().copied());
        let values = values.chain(self.limit.iter().map(|(at, _)| *at));
        let up = if self.log { Scale::by_factors(values) } else { Scale::from_zero(values.fold(0.0, f64::max), false) };
        let top = 26.0 + LINE * self.legend().last().map_or(0.0, |entry| entry.1 + 1.0);
        let frame = Frame { across: (LEFT, WIDTH - RIGHT), down: (top, top + HIGH), up };
        let longest = self.labels.iter().map(|label| text_width(label)).fold(0.0, f64::max);
        let height = top + HIGH + 46.0 + if self.is_tilted() { longest * 0.5 } else { 0.0 };
        Drawing { plot: self, frame, height }.draw(id)
    }

    fn in_words(&self) -> String {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        format!("{}, by {}: {}. The numbers are in the table.", self.up, self.across, names.join(", "))
    }

    /// Where the names of series stand: across, and on which line.
    fn legend(&self) -> Vec<(f64, f64)> {
        let (mut x, mut line) = (LEFT, 0.0);
        let places = self.series.iter().map(|series| {
            let needed = text_width(&series.name) + 34.0;
            if x + needed > WIDTH - RIGHT && x > LEFT {
                (x, line) = (LEFT, line + 1.0);
            }
            let place = (x, line);
            x += needed;
            place
        });
        places.collect()
    }

    fn step(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / self.labels.len().max(1) as f64
    }

    fn is_tilted(&self) -> bool {
        self.shape == Shape::Bars && self.labels.iter().any(|label| text_width(label) > self.step() - 6.0)
    }
}

/// A picture with its room.
struct Drawing<'a> {
    plot: &'a Plot<'a>,
    frame: Frame,
    height: f64,
}

impl Drawing<'_> {
    fn draw(&self, id: &str) -> Markup {
        let (plot, height) = (self.plot, self.height);
        let names = format!("{id}-title {id}-desc");
        html! {
            svg.chart xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby=(names) viewBox={ "0 0 " (WIDTH) " " (px(height)) } {
                title id={ (id) "-title" } { (plot.title) }
                desc id={ (id) "-desc" } { (plot.in_words()) }
                style { (PreEscaped(STYLE)) }
                rect.back x="0" y="0" width=(WIDTH) height=(px(height)) {}
                (self.legend())
                (self.frame.grid(plot.tick))
                (self.row_labels())
                @match plot.shape {
                    Shape::Lines => (self.lines()),
                    Shape::Bars => (self.bars()),
                }
                (self.limit())
                text.small.middle x=(px(self.frame.x(0.5))) y=(px(height - 8.0)) { (plot.across) }
            }
        }
    }

    fn legend(&self) -> Markup {
        html! {
            text.small x="4" y="14" { (self.plot.up) }
            @for (at, (series, (x, line))) in self.plot.series.iter().zip(self.plot.legend()).enumerate() {
                @let y = 30.0 + line * LINE;
                @match self.plot.shape {
                    Shape::Lines => {
                        path class=(series.class(at, "line")) d={ "M" (px(x)) " " (px(y - 4.0)) "h20" } {}
                        (marker(at, x + 10.0, y - 4.0))
                    }
                    Shape::Bars => rect class=(series.class(at, "")) x=(px(x + 4.0)) y=(px(y - 10.0)) width="12" height="11" {},
                }
                text x=(px(x + 25.0)) y=(px(y)) { (series.name) }
            }
        }
    }

    fn y(&self, value: f64) -> Option<f64> {
        // Factors have no place for nothing.
        (value > 0.0 || !self.plot.log).then(|| self.frame.y(value))
    }

    /// What stands below the rows.
    fn row_labels(&self) -> Markup {
        html! {
            @for (at, label) in self.labelled() {
                @let (x, y) = (px(self.x(at)), px(self.frame.down.1 + 17.0));
                @if self.plot.is_tilted() {
                    text.small.end x=(x) y=(y) transform={ "rotate(-28 " (x) " " (y) ")" } { (label) }
                } @else {
                    text.small.middle x=(x) y=(y) { (label) }
                }
            }
        }
    }

    /// Where a row stands: numbers by their size under lines, side by side otherwise.
    fn x(&self, row: usize) -> f64 {
        match &self.plot.numbers {
            Some(numbers) if self.plot.shape == Shape::Lines => {
                self.frame.x(Scale::around(numbers.iter().copied()).place(numbers[row]))
            }
            _ => LEFT + self.plot.step() * (row as f64 + 0.5),
        }
    }

    /// Labels that would run into the one before are left out.
    fn labelled(&self) -> impl Iterator<Item = (usize, &String)> {
        let mut free = f64::NEG_INFINITY;
        self.plot.labels.iter().enumerate().filter(move |(at, label)| {
            let (x, half) = (self.x(*at), text_width(label) / 2.0);
            let fits = self.plot.is_tilted() || x - half >= free;
            if fits {
                free = x + half + 6.0;
            }
            fits
        })
    }

    fn lines(&self) -> Markup {
        html! {
            @for (at, series) in self.plot.series.iter().enumerate() {
                @let points: Vec<Option<(f64, f64)>> =
                    series.values.iter().enumerate().map(|(row, value)| Some((self.x(row), self.y((*value)?)?))).collect();
                path class=(series.class(at, "line")) d=(path(&points)) {}
                @for (x, y) in points.iter().flatten() { (marker(at, *x, *y)) }
            }
        }
    }

    fn bars(&self) -> Markup {
        let thick = (self.plot.step() - 8.0).max(2.0) / self.plot.series.len().max(1) as f64;
        html! {
            @for (at, series) in self.plot.series.iter().enumerate() {
                @for (row, value) in series.values.iter().enumerate() {
                    @if let Some(value) = value.filter(|value| *value > 0.0) {
                        @let left = self.x(row) + thick * (at as f64 - self.plot.series.len() as f64 / 2.0);
                        (self.frame.bar(&series.class(at, ""), (left + 0.5, thick - 1.0), value))
                    }
                }
            }
        }
    }

    fn limit(&self) -> Markup {
        let Some((at, name)) = self.plot.limit else { return html! {} };
        let Some(y) = self.y(at) else { return html! {} };
        html! {
            line.limit x1=(LEFT) x2=(WIDTH - RIGHT) y1=(px(y)) y2=(px(y)) {}
            text.end x=(WIDTH - RIGHT) y=(px(y - 5.0)) { (name) }
        }
    }
}

impl Series {
    fn class(&self, at: usize, kind: &str) -> String {
        format!("{kind} s{}{}", at % 7, if self.printed { " printed" } else { "" })
    }
}

/// A path through points that are there; it breaks where one is not.
fn path(points: &[Option<(f64, f64)>]) -> String {
    let mut text = String::new();
    let mut pen = "M";
    for point in points {
        let Some((x, y)) = point else {
            pen = "M";
            continue;
        };
        text += &format!("{pen}{} {}", px(*x), px(*y));
        pen = "L";
    }
    text
}

/// A shape that tells a series from others without colours.
fn marker(at: usize, x: f64, y: f64) -> Markup {
    let class = format!("s{}", at % 7);
    let shape = match at % 7 {
        0 => return html! { circle class=(class) cx=(px(x)) cy=(px(y)) r="3.6" {} },
        1 => "m-3.3 -3.3h6.6v6.6h-6.6z",
        2 => "m0 -4.4l4.2 7.4h-8.4z",
        3 => "m0 -4.8l4.2 4.8l-4.2 4.8l-4.2 -4.8z",
        4 => "m-4 -1.2h2.8v-2.8h2.4v2.8h2.8v2.4h-2.8v2.8h-2.4v-2.8h-2.8z",
        5 => "m0 4.4l4.2 -7.4h-8.4z",
        _ => "m-4.2 -1.6h8.4v3.2h-8.4z",
    };
    html! { path class=(class) d={ "M" (px(x)) " " (px(y)) (shape) } {} }
}
