//! Pictures of tables, drawn by the library.

use super::{Cell, Table};
use maud::Markup;
use sfumato::report::html::{Plot, Series};

/// The picture of a table as an SVG document of its own.
pub(super) fn standalone(table: &Table, id: &str) -> Option<String> {
    Some(picture(table, id)?.into_string() + "\n")
}

/// The picture of a table, if it has one.
pub(super) fn picture(table: &Table, id: &str) -> Option<Markup> {
    let chart = table.chart.as_ref()?;
    let across = table.place(&chart.across)?;
    let unit = table.columns[table.place(chart.series.first()?)?].unit;
    let number =
        |row: &Vec<Cell>, place: usize| if let Cell::Number(number) = row[place] { Some(number) } else { None };
    let series = |name: &String| {
        let place = table.place(name)?;
        let values = table.rows.iter().map(|row| number(row, place)).collect();
        Some(Series { name: name.clone(), printed: table.columns[place].printed, values })
    };
    let plot = Plot {
        title: &chart.title,
        across: &chart.across,
        up: &chart.up,
        shape: chart.shape,
        labels: (0..table.rows.len()).map(|row| table.shown(row, across)).collect(),
        numbers: table.rows.iter().map(|row| number(row, across)).collect(),
        series: chart.series.iter().filter_map(series).collect(),
        log: chart.log,
        limit: chart.limit.as_ref().map(|(at, name)| (*at, name.as_str())),
        tick: &|tick| unit.tick(tick),
    };
    Some(plot.draw(id))
}

#[cfg(test)]
mod tests {
    use super::super::{Chart, Column};
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
