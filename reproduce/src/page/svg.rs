//! Pictures of tables, drawn as SVG: they stand alone as files, and inside a page take its colours.

use super::{Cell, Chart, Shape, Table, Unit};
use maud::{Markup, PreEscaped, html};
use sfumato::report::html::{Frame, Scale, px, text_width};

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

/// One line or kind of bar.
struct Series {
    name: String,
    printed: bool,
    values: Vec<Option<f64>>,
}

/// Everything about a picture that is known before it is drawn.
struct Plot<'a> {
    chart: &'a Chart,
    series: Vec<Series>,
    labels: Vec<String>,
    /// The numbers along the picture, if all are numbers.
    numbers: Option<Vec<f64>>,
    unit: Unit,
    frame: Frame,
    /// The room below the values.
    below: f64,
}

/// The picture of a table as an SVG document of its own.
pub(super) fn standalone(table: &Table, id: &str) -> Option<String> {
    Some(picture(table, id)?.into_string() + "\n")
}

/// The picture of a table, if it has one.
pub(super) fn picture(table: &Table, id: &str) -> Option<Markup> {
    Some(Plot::of(table)?.draw(id))
}

impl Plot<'_> {
    fn of(table: &Table) -> Option<Plot<'_>> {
        let chart = table.chart.as_ref()?;
        let across = table.place(&chart.across)?;
        let series: Vec<Series> = chart.series.iter().filter_map(|name| Series::of(table, name)).collect();
        let unit = table.columns[table.place(chart.series.first()?)?].unit;
        let labels: Vec<String> = (0..table.rows.len()).map(|row| table.shown(row, across)).collect();
        let number = |row: &Vec<Cell>| if let Cell::Number(number) = row[across] { Some(number) } else { None };
        let numbers = table.rows.iter().map(number).collect::<Option<Vec<f64>>>();
        let values = series.iter().flat_map(|one| one.values.iter().flatten().copied());
        let values = values.chain(chart.limit.iter().map(|(at, _)| *at));
        let up =
            if chart.log { Scale::by_factors(values) } else { Scale::from_zero(values.fold(0.0, f64::max), false) };
        let frame = Frame { across: (LEFT, WIDTH - RIGHT), down: (0.0, HIGH), up };
        let mut plot = Plot { chart, series, labels, numbers, unit, frame, below: 46.0 };
        let top = 26.0 + LINE * plot.legend().last().map_or(0.0, |entry| entry.1 + 1.0);
        plot.frame.down = (top, top + HIGH);
        if plot.is_tilted() {
            plot.below += plot.labels.iter().map(|label| text_width(label)).fold(0.0, f64::max) * 0.5;
        }
        Some(plot)
    }

    fn draw(&self, id: &str) -> Markup {
        let height = self.frame.down.1 + self.below;
        let names = format!("{id}-title {id}-desc");
        html! {
            svg.chart xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby=(names) viewBox={ "0 0 " (WIDTH) " " (px(height)) } {
                title id={ (id) "-title" } { (self.chart.title) }
                desc id={ (id) "-desc" } { (self.in_words()) }
                style { (PreEscaped(STYLE)) }
                rect.back x="0" y="0" width=(WIDTH) height=(px(height)) {}
                (self.legend_drawn())
                (self.frame.grid(&|tick| self.unit.tick(tick)))
                (self.row_labels())
                @match self.chart.shape {
                    Shape::Lines => (self.lines()),
                    Shape::Bars => (self.bars()),
                }
                (self.limit())
                text.small.middle x=(px(self.frame.x(0.5))) y=(px(height - 8.0)) { (self.chart.across) }
            }
        }
    }

    fn in_words(&self) -> String {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        format!("{}, by {}: {}. The numbers are in the table.", self.chart.up, self.chart.across, names.join(", "))
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

    fn legend_drawn(&self) -> Markup {
        html! {
            text.small x="4" y="14" { (self.chart.up) }
            @for (at, (series, (x, line))) in self.series.iter().zip(self.legend()).enumerate() {
                @let y = 30.0 + line * LINE;
                @match self.chart.shape {
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
        (value > 0.0 || !self.chart.log).then(|| self.frame.y(value))
    }

    /// What stands below the rows.
    fn row_labels(&self) -> Markup {
        html! {
            @for (at, label) in self.labels.iter().enumerate().filter(|(at, _)| self.is_labelled(*at)) {
                @let (x, y) = (px(self.x(at)), px(self.frame.down.1 + 17.0));
                @if self.is_tilted() {
                    text.small.end x=(x) y=(y) transform={ "rotate(-28 " (x) " " (y) ")" } { (label) }
                } @else {
                    text.small.middle x=(x) y=(y) { (label) }
                }
            }
        }
    }

    /// Where a row stands: numbers by their size under lines, side by side otherwise.
    fn x(&self, row: usize) -> f64 {
        match &self.numbers {
            Some(numbers) if self.chart.shape == Shape::Lines => {
                self.frame.x(Scale::around(numbers.iter().copied()).place(numbers[row]))
            }
            _ => LEFT + self.step() * (row as f64 + 0.5),
        }
    }

    fn step(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / self.labels.len().max(1) as f64
    }

    fn is_tilted(&self) -> bool {
        self.chart.shape == Shape::Bars && self.labels.iter().any(|label| text_width(label) > self.step() - 6.0)
    }

    /// Labels that would run into the one before are left out.
    fn is_labelled(&self, row: usize) -> bool {
        let mut free = f64::NEG_INFINITY;
        for at in 0..=row {
            let (x, half) = (self.x(at), text_width(&self.labels[at]) / 2.0);
            let fits = self.is_tilted() || x - half >= free;
            if at == row {
                return fits;
            }
            if fits {
                free = x + half + 6.0;
            }
        }
        unreachable!("the row is among the rows")
    }

    fn lines(&self) -> Markup {
        html! {
            @for (at, series) in self.series.iter().enumerate() {
                @let points: Vec<Option<(f64, f64)>> =
                    series.values.iter().enumerate().map(|(row, value)| Some((self.x(row), self.y((*value)?)?))).collect();
                path class=(series.class(at, "line")) d=(path(&points)) {}
                @for (x, y) in points.iter().flatten() { (marker(at, *x, *y)) }
            }
        }
    }

    fn bars(&self) -> Markup {
        let thick = (self.step() - 8.0).max(2.0) / self.series.len().max(1) as f64;
        html! {
            @for (at, series) in self.series.iter().enumerate() {
                @for (row, value) in series.values.iter().enumerate() {
                    @if let Some(y) = value.filter(|value| *value > 0.0).and_then(|value| self.y(value)) {
                        @let left = self.x(row) + thick * (at as f64 - self.series.len() as f64 / 2.0);
                        // What is there at all can be seen.
                        @let y = y.min(self.frame.down.1 - 1.5);
                        rect class=(series.class(at, "")) x=(px(left + 0.5)) y=(px(y)) width=(px((thick - 1.0).max(1.0))) height=(px(self.frame.down.1 - y)) {}
                    }
                }
            }
        }
    }

    fn limit(&self) -> Markup {
        let Some((at, name)) = &self.chart.limit else { return html! {} };
        let Some(y) = self.y(*at) else { return html! {} };
        html! {
            line.limit x1=(LEFT) x2=(WIDTH - RIGHT) y1=(px(y)) y2=(px(y)) {}
            text.end x=(WIDTH - RIGHT) y=(px(y - 5.0)) { (name) }
        }
    }
}

impl Series {
    fn of(table: &Table, name: &str) -> Option<Series> {
        let place = table.place(name)?;
        let value = |row: &Vec<Cell>| if let Cell::Number(number) = row[place] { Some(number) } else { None };
        let values = table.rows.iter().map(value).collect();
        Some(Series { name: name.into(), printed: table.columns[place].printed, values })
    }

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

#[cfg(test)]
mod tests {
    use super::super::Column;
    use super::*;

    fn table(chart: Chart) -> Table {
        let columns = [Column::count("k"), Column::number("ours", 2), Column::number("theirs", 2).printed()];
        let mut table = Table::new("", columns).chart(chart);
        table.row([Cell::from(2usize), Cell::from(1.0), Cell::from(0.001)]);
        table.row([Cell::from(5usize), Cell::Nothing, Cell::from(0.5)]);
        table.row([Cell::from(10usize), Cell::from(3.0), Cell::from(0.0)]);
        table
    }

    #[test]
    fn lines_break_where_a_number_is_missing() {
        let drawn = standalone(&table(Chart::lines("t", "k", "v", ["ours", "theirs"])), "a").unwrap();
        let path = drawn.split("d=\"M").find(|path| path.matches('M').count() == 1).expect("a broken line");
        assert!(!path.contains("NaN"), "{path}");
        assert_eq!(drawn.matches("<circle").count(), 2 + 1, "two points and the legend");
    }

    #[test]
    fn factors_leave_out_what_is_nothing() {
        let drawn = standalone(&table(Chart::bars("t", "k", "v", ["theirs"]).log().limit(1.0, "e")), "a").unwrap();
        assert_eq!(drawn.matches("<rect").count(), 2 + 1 + 1, "two bars, the legend and the page");
        assert!(drawn.contains(">0.001<") && drawn.contains(">1<"), "{drawn}");
    }

    #[test]
    fn names_are_written_as_text() {
        let chart = Chart::lines("<script>", "k", "a & b", ["ours"]);
        let drawn = standalone(&table(chart), "a").unwrap();
        assert!(drawn.contains("&lt;script&gt;") && drawn.contains("a &amp; b"));
    }
}
