//! Figures 5 and 6: what the two limits of partial suppression do.

use super::data::Data;
use super::run::{DIST, MINE, T_MAX, Way};
use super::speed::RHO;
use crate::Setting;
use crate::page::{Cell, Chart, Column, Section, Table, Unit};
use sfumato::Result;

/// Limits for the cost of a part, chosen by us; the last leaves Retail whole.
const T_MAXES: [u64; 6] = [300, 500, 1_000, 2_000, 4_000, 8_000];
/// Limits for the rules that are gathered, chosen by us; the last is the paper's own.
const B_MAXES: [u64; 6] = [1, 10, 100, 1_000, 10_000, 1_000_000];
/// A loss is flat if it varies by no more than this.
const FLAT: f64 = 0.02;

/// One value of a limit: seconds, information loss and divergence of Dist and of Mine.
struct Point {
    seconds: [f64; 2],
    deleted: [f64; 2],
    divergence: [f64; 2],
}

fn point(data: &Data, ways: [Way; 2]) -> Result<Point> {
    let mut point = Point { seconds: [0.0; 2], deleted: [0.0; 2], divergence: [0.0; 2] };
    for (place, way) in ways.into_iter().enumerate() {
        let run = data.suppress(way, RHO)?;
        point.seconds[place] = run.timed.all();
        point.deleted[place] = run.deleted()?;
        point.divergence[place] = run.symmetric_kl()?;
    }
    Ok(point)
}

/// The greatest less the least.
fn range(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
}

/// Loss and time over t_max.
pub fn figure_5(setting: &Setting<'_>, retail: &Data) -> Result<Section> {
    let mut losses = Table::new(
        "(a) Information loss",
        [
            Column::count("t_max"),
            Column::count("parts"),
            Column::share("Dist", 1),
            Column::share("Mine", 1),
            Column::number("symmetric divergence of Dist", 5),
        ],
    )
    .chart(Chart::lines("Information loss over t_max", "t_max", "share of occurrences deleted", ["Dist", "Mine"]));
    let mut times = Table::new("(b) Time", [Column::count("t_max"), Column::time("Dist"), Column::time("Mine")])
        .chart(Chart::lines("Seconds with the exact check, over t_max", "t_max", "seconds", ["Dist", "Mine"]));
    let mut points = Vec::new();
    for t_max in T_MAXES {
        setting.now(&format!("Figure 5: t_max = {t_max}"));
        let point = point(retail, [DIST.parts(Some(t_max)), MINE.parts(Some(t_max))])?;
        let across = Cell::from(t_max as usize);
        let parts = Cell::from(retail.parts(Some(t_max))?);
        let [dist, mine] = point.deleted.map(Cell::from);
        losses.row([across.clone(), parts, dist, mine, point.divergence[0].into()]);
        times.row([across].into_iter().chain(point.seconds.map(Cell::from)));
        points.push(point);
    }
    let section = Section::new("figure-5", "Figure 5: the limit of a part's cost, ρ = 0.7", retail.source.clone()).timing().words(
        "A table is halved, by lot, while |T|·2^(N/|T|)/|D(T)| is above t_max, for N occurrences and D(T) kinds of items: the paper's equation (6). Parts are made safe by themselves; unlike in the paper, the whole is then looked through for what can be given back. One run for each value, with the exact check. The values of t_max are ours: the text of the paper does not tell its own.",
    );
    if retail.parts(Some(T_MAXES[0]))? == 1 {
        let words = "This table is so small that it is one part at all of these limits: there is nothing to compare.";
        return Ok(section.words(words).table(losses).table(times));
    }
    Ok(compare_parts(section.table(losses).table(times), retail, &points))
}

fn compare_parts(section: Section, retail: &Data, points: &[Point]) -> Section {
    let (first, last) = (&points[0], &points[points.len() - 1]);
    let flat = range(points.iter().map(|point| point.deleted[0]));
    let falls = first.deleted[1] - last.deleted[1];
    let slower = [0, 1].map(|way| last.seconds[way] / first.seconds[way]);
    let mut section = section
        .compare(
            "information loss of Dist, highest less lowest",
            (flat, Unit::Share(1)),
            "\"flat\"",
            flat <= FLAT,
            &retail.why("Of what no rule asks to delete, Dist leaves a share of each kind that is rounded up to whole occurrences in every part: many small parts keep more of rare kinds."),
        )
        .compare(
            "information loss of Mine, at the smallest t_max less at the largest",
            (falls, Unit::Share(2)),
            "\"a slight descending tendency\"",
            falls > 0.0 && falls <= FLAT,
            &retail.why("Parts need more deletions than the whole, but what the whole allows is given back afterwards."),
        );
    for (slower, name) in slower.into_iter().zip(["Dist", "Mine"]) {
        section = section.compare(
            format!("seconds of {name} at the largest t_max over those at the smallest"),
            (slower, Unit::Times),
            "\"time cost increases dramatically\"",
            slower >= 2.0,
            "Ours enumerates no subsets of records, whose number grows fast with a part; and very many small parts need more giving back over the whole.",
        );
    }
    section
}

/// Time and loss over b_max.
pub fn figure_6(setting: &Setting<'_>, web_view: &Data) -> Result<Section> {
    let columns = [
        Column::count("b_max"),
        Column::time("Dist"),
        Column::time("Mine"),
        Column::share("Dist, deleted", 2),
        Column::share("Mine, deleted", 2),
    ];
    let chart = Chart::bars("Seconds with the exact check", "b_max", "seconds", ["Dist", "Mine"]);
    let mut table = Table::new("", columns).chart(chart);
    let mut points = Vec::new();
    for b_max in B_MAXES {
        setting.now(&format!("Figure 6: b_max = {b_max}"));
        let point = point(web_view, [DIST, MINE].map(|way| way.gathers(b_max)))?;
        let across = [Cell::from(b_max as usize)].into_iter();
        table.row(across.chain(point.seconds.map(Cell::from)).chain(point.deleted.map(Cell::from)));
        points.push(point);
    }
    let words = format!(
        "In the paper b_max bounds how many quasi-identifiers, safe or not, are held at a time. Ours holds none of them: records are made safe first, and b_max bounds how many rules are gathered that are still unsafe then, of which there are few. t_max = {}; one run for each value, with the exact check. The values of b_max are ours, but for the last, which is the paper's default.",
        T_MAX.unwrap_or_default()
    );
    let section =
        Section::new("figure-6", "Figure 6: the limit of gathered rules, ρ = 0.7", web_view.source.clone()).timing();
    Ok(compare_gathered(section.words(words).table(table), &points))
}

fn compare_gathered(mut section: Section, points: &[Point]) -> Section {
    let [first, .., before, last] = points else { return section };
    let said =
        [("Dist", "\"the speedup saturates\" in the end", true), ("Mine", "\"hasn't saturated\" in the end", false)];
    for (way, (name, in_the_end, saturates)) in said.into_iter().enumerate() {
        let varies = range(points.iter().map(|point| point.deleted[way]));
        // Where the release is the same, the same was done: what its time saves is chance.
        let is_same = before.deleted[way] == last.deleted[way] && before.divergence[way] == last.divergence[way];
        section = section
            .compare(
                format!("information loss of {name}, highest less lowest"),
                (varies, Unit::Share(2)),
                "\"varying bmax has no effect on the information loss\"",
                varies <= 0.001,
                "The surest of the gathered rules is disabled first: with few at hand another one is, and other deletions follow.",
            )
            .compare(
                format!("seconds of {name} at b_max = 1 over those at b_max = 1,000,000"),
                (first.seconds[way] / last.seconds[way], Unit::Times),
                "\"almost exponential savings\" at lower values",
                first.seconds[way] >= 2.0 * last.seconds[way],
                "Records are made safe first, so that few unsafe rules are left to be gathered, and even one at a time they take few searches.",
            )
            .compare(
                format!("releases of {name} that b_max = 1,000,000 changes, of the one at 10,000: none if it has saturated"),
                (f64::from(u8::from(!is_same)), Unit::Count),
                in_the_end,
                is_same == saturates,
                "Ours gathers only rules that are still unsafe when records have been made safe, and how many there are decides where more room changes nothing.",
            );
    }
    section
}
