//! Figure 8: what each way to suppress costs where values follow Zipf's law. Nothing is drawn:
//! every mean is exact.

use super::{RANDOM, SAFE, UNSAFE, WAYS, by_loop, rates};
use crate::page::{Cell, Chart, Column, Section, Source, Table, Unit};
use sfumato::Result;
use sfumato::skew::{Ranked, Skewed};

/// F_i = 1000/i^alpha for twenty values; a half is rounded to the even number.
pub fn frequencies(alpha: f64) -> Vec<u64> {
    (1..=20).map(|rank| (1000.0 / f64::from(rank).powf(alpha)).round_ties_even() as u64).collect()
}

/// Rates by l that were enumerated over all choices of R-suppression, in rational arithmetic and by
/// other code, in units of the fourth digit: of all ways, in the order of their list.
const BY_L: [(u64, [u32; 4]); 4] = [
    (4, [1807, 1935, 2084, 3010]),
    (5, [1445, 1893, 2223, 3566]),
    (6, [1337, 2022, 2446, 4024]),
    (10, [2993, 3286, 3594, 5361]),
];

/// The same by alpha with l = 5, of Unsafe D, R-suppression and Safe D.
const BY_ALPHA: [(f64, [u32; 3]); 3] =
    [(0.8, [1414, 1460, 2580]), (1.0, [1445, 1893, 3566]), (2.0, [6412, 6747, 7923])];

const ROUNDED: &str = "the rate depends on how 1000/i is rounded to records; here a half goes to the even number";

const HOW: &str = "Twenty values with 1000/i^α records. The rates are exact, that of R-suppression the mean over all its \
                   choices, where the paper averages 100 runs. The paper has a picture without numbers; beside ours \
                   are its words, and rates that were enumerated independently, in rational arithmetic.";

pub fn sections() -> Result<Vec<Section>> {
    Ok(vec![figure_8a()?, figure_8b()?])
}

fn source() -> Source {
    Source::synthetic("frequencies by Zipf's law, twenty values")
}

fn columns(across: Column) -> impl Iterator<Item = Column> {
    [across].into_iter().chain(WAYS.map(|way| Column::share(way, 2)))
}

fn chart(title: &str, across: &str) -> Chart {
    Chart::lines(title, across, "share of records withheld", WAYS)
}

/// Rates beside enumerated ones.
fn enumerated(section: Section, of: &str, rates: [f64; 4], ways: impl Iterator<Item = (usize, u32)>) -> Section {
    ways.fold(section, |section, (at, digits)| {
        let agrees = (rates[at] * 1e4).round() == f64::from(digits);
        let enumerated = format!("{:.2}\u{a0}%, by enumeration", f64::from(digits) / 100.0);
        section.verify(format!("{of}, {}", WAYS[at]), (rates[at], Unit::Share(2)), &enumerated, agrees)
    })
}

fn figure_8a() -> Result<Section> {
    let series: Vec<(f64, Option<[f64; 4]>)> =
        (1..=20u32).map(|tenths| f64::from(tenths) / 10.0).map(|alpha| (alpha, rates_at(alpha, 5))).collect();
    let mut table = Table::new("", columns(Column::number("α", 1))).chart(chart("Suppression by α, l = 5", "α"));
    for (alpha, rates) in &series {
        table.row([Cell::from(*alpha)].into_iter().chain(rates.unwrap_or_default().map(Cell::from)));
    }
    let section = Section::new("figure-8a", "Figure 8(a): suppression rate by α", source())
        .words(HOW)
        .words("l = 5. Where no value has more than a fifth, nothing is withheld.")
        .table(table);
    let section = BY_ALPHA.into_iter().fold(section, |section, (alpha, expected)| {
        let ways = [UNSAFE, RANDOM, SAFE].into_iter().zip(expected);
        enumerated(section, &format!("α = {alpha}"), rates_at(alpha, 5).unwrap_or_default(), ways)
    });
    let least = series.iter().find(|(_, rates)| rates.is_some()).map_or(f64::NAN, |(alpha, _)| *alpha);
    let section = section.compare(
        "the least α that needs suppression",
        (least, Unit::Number(1)),
        "“For α below 0.8, there is no eligibility violation”",
        least == 0.8,
        ROUNDED,
    );
    let violating: Vec<[f64; 4]> = series.iter().filter_map(|(_, rates)| *rates).collect();
    Ok(less_than_safe(section, &violating))
}

/// Nothing if the table is eligible.
fn rates_at(alpha: f64, l: u64) -> Option<[f64; 4]> {
    let frequencies = frequencies(alpha);
    if Ranked::new(&frequencies).is_eligible(l) {
        return None;
    }
    Skewed::new(&frequencies, l).ok().map(|table| rates(&table))
}

/// “About 20% less” can be meant in points or as a part; both are told, and points are nearer.
fn less_than_safe(section: Section, violating: &[[f64; 4]]) -> Section {
    let points = violating.iter().map(|rates| rates[SAFE] - rates[RANDOM]);
    let parts = violating.iter().map(|rates| 1.0 - rates[RANDOM] / rates[SAFE]);
    let section = about_20(section, "in points of the rate", points);
    let section = about_20(section, "as a part of it", parts);
    let is_less = |pair: &&[[f64; 4]]| [UNSAFE, SAFE].iter().any(|&at| pair[1][at] < pair[0][at]);
    let falls = violating.windows(2).filter(is_less).count();
    section.compare(
        "steps to a larger α with less suppression, by Unsafe D or Safe D",
        (falls as f64, Unit::Count),
        "“For a larger α … requires more suppression”",
        falls == 0,
        ROUNDED,
    )
}

fn about_20(section: Section, how: &str, less: impl Iterator<Item = f64> + Clone) -> Section {
    let mean = less.clone().sum::<f64>() / less.clone().count() as f64;
    let (least, most) = (less.clone().fold(f64::INFINITY, f64::min), less.fold(0.0, f64::max));
    section.compare(
        format!("R-suppression below Safe D {how}, mean over α"),
        (mean, Unit::Share(1)),
        "“about 20% less suppression than Safe D”",
        (0.175..=0.225).contains(&mean),
        &format!(
            "from α to α it is {} to {}, and the paper says neither where it was read off nor whether it is meant in points or as a part",
            Unit::Share(1).show(least),
            Unit::Share(1).show(most)
        ),
    )
}

fn figure_8b() -> Result<Section> {
    let series: Vec<(u64, [f64; 4], f64)> = (4..=10)
        .map(|l| {
            let table = Skewed::new(&frequencies(1.0), l)?;
            Ok((l, rates(&table), by_loop::mean(&table, 1) / table.records() as f64))
        })
        .collect::<Result<_>>()?;
    let by_loops = "R-suppression, by loops over records";
    let columns = columns(Column::count("l")).chain([Column::share(by_loops, 2)]);
    let mut table = Table::new("", columns).chart(chart("Suppression by l, α = 1", "l"));
    for (l, rates, looped) in &series {
        let rates = rates.map(Cell::from).into_iter().chain([Cell::from(*looped)]);
        table.row([Cell::from(*l as usize)].into_iter().chain(rates));
    }
    let section = Section::new("figure-8b", "Figure 8(b): suppression rate by l", source())
        .words(HOW)
        .words("α = 1. The last column repeats R-suppression as it is printed: a loop that drops records one by one, for each of its choices.")
        .table(table);
    let section = BY_L.into_iter().fold(section, |section, (l, expected)| {
        let ours = series.iter().find(|row| row.0 == l).map_or([f64::NAN; 4], |row| row.1);
        enumerated(section, &format!("l = {l}"), ours, (0..).zip(expected))
    });
    Ok(words_on_8b(section, &series))
}

/// What the text says about the picture.
fn words_on_8b(section: Section, series: &[(u64, [f64; 4], f64)]) -> Section {
    let bound: Vec<f64> = series.iter().map(|row| row.1[UNSAFE]).collect();
    let change = |from: usize, to: usize| bound[to - 4] - bound[from - 4];
    let far = |rates: &[f64; 4]| (rates[RANDOM] - rates[UNSAFE]) / (rates[SAFE] - rates[UNSAFE]);
    let farthest = series.iter().map(|row| far(&row.1)).fold(0.0, f64::max);
    let off = series.iter().map(|row| (row.1[RANDOM] - row.2).abs()).fold(0.0, f64::max);
    section
        .compare(
            "Unsafe D from l = 4 to 6, in points",
            (change(4, 6), Unit::Share(2)),
            "“when l is increased from 4 to 6, suppression rate of Unsafe D decreases”",
            bound[..3].is_sorted_by(|a, b| a > b),
            ROUNDED,
        )
        .compare(
            "Unsafe D from l = 6 to 10, in points",
            (change(6, 10), Unit::Share(2)),
            "“when l is increased from 6 to 10, suppression rate increases”",
            bound[2..].is_sorted_by(|a, b| a < b),
            ROUNDED,
        )
        .compare(
            "R-suppression on the way from Unsafe D (0 %) to Safe D (100 %), at most",
            (farthest, Unit::Share(1)),
            "“stays close to the lower bound … much less suppression than Safe D”",
            farthest < 0.5,
            ROUNDED,
        )
        .verify(
            "largest difference between the exact mean of R-suppression and loops over records",
            (off, Unit::Number(9)),
            "0, by definition",
            off < 1e-9,
        )
}
