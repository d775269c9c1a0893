//! Figures 3(c) and 3(d): greedy grouping under t-closeness.

use super::beliefs::{Beliefs, Both, MOST_UNDECIDED, is_above};
use super::formed::{Asked, Method, QUASI, VALUES, closeness};
use super::{L, compared, number, series, share, steps, worlds};
use crate::Setting;
use crate::adult::Adult;
use crate::page::{Cell, Chart, Column, Section, Table, Unit};
use sfumato::Result;

/// The distances that are allowed, as they are written.
const T: [&str; 7] = ["0.1", "0.15", "0.2", "0.25", "0.3", "0.35", "0.4"];

/// What is believed for one value and one t.
struct Found {
    t: f64,
    /// The share of the value in the table.
    share: f64,
    beliefs: Both,
}

impl Found {
    fn vulnerable(&self, beliefs: &Beliefs) -> Option<f64> {
        beliefs.share(|belief| is_above((belief - self.share).abs(), self.t))
    }

    fn distance(&self, beliefs: &Beliefs) -> Option<f64> {
        beliefs.farthest_from(self.share)
    }
}

/// By t, for each value.
type All = Vec<[Option<Found>; 2]>;

pub fn sections(setting: &Setting<'_>, adult: &Adult) -> Result<Vec<Section>> {
    let mut all = Vec::new();
    for t in T {
        setting.now(&format!("greedy grouping with t = {t}"));
        let [one, other] = VALUES.map(|value| find(setting, adult, value, t));
        all.push([one?, other?]);
    }
    Ok(vec![shares(setting, adult, &all), distances(adult, &all)])
}

fn find(setting: &Setting<'_>, adult: &Adult, value: &str, written: &str) -> Result<Option<Found>> {
    let asked = Asked::new(&adult.table, &QUASI, &[value], &[closeness(written)])?;
    let Some(formed) = asked.form(Method::Greedy { bucket: L })? else { return Ok(None) };
    let beliefs = Both::find(setting, &asked, &formed, value)?;
    Ok(Some(Found { t: number(written), share: asked.share_of(value)?, beliefs }))
}

fn table(title: &str, all: &All, kind: fn(String) -> Column, figure: fn(&Found, &Beliefs) -> Option<f64>) -> Table {
    let lines = T.map(number).into_iter().zip(all);
    compared(title, Column::number("t", 2), kind, lines, |found| found.beliefs.each(|beliefs| figure(found, beliefs)))
}

/// A figure of what was counted for a value, by t.
fn counted(all: &All, value: usize, figure: fn(&Found, &Beliefs) -> Option<f64>) -> Vec<Option<f64>> {
    let of = |found: &Found| figure(found, &found.beliefs.counted);
    all.iter().map(|pair| pair[value].as_ref().and_then(of)).collect()
}

fn highest(numbers: &[Option<f64>]) -> Option<f64> {
    numbers.iter().copied().flatten().reduce(f64::max)
}

const CHOSEN: &str = "The paper tells neither its values of t, nor the distance, nor how many records a bucket has: \
                      ours are chosen, and the share of vulnerable records depends on each of them.";

fn shares(setting: &Setting<'_>, adult: &Adult, all: &All) -> Section {
    let title = "Share of published records in buckets believed to be farther than t from the table";
    let table = table(title, all, |name| Column::share(name, 2), Found::vulnerable);
    let chart = Chart::lines(
        "Records that greedy grouping leaves vulnerable under t-closeness",
        "t",
        "share of records",
        series(&table),
    );
    let mut section = Section::new(
        "figure-3c",
        "Figure 3(c): vulnerable records under t-closeness",
        adult.source.clone(),
    )
    .words(format!(
        "Greedy grouping as before, with t-closeness of one occupation against all others as its criterion: the \
             share of the value in a group differs from its share in the table by t at most. \
             Buckets have {L} records. A record is vulnerable if the belief in the value differs from its share in \
             the table by more than t. Counted exactly, and estimated from {} possible worlds for each group.",
        worlds(setting)
    ))
    .words(format!(
        "In groups that are too long to count: {} of the records of any release; too long to estimate: {}. Nothing \
         is shown where these are more than {}, and a step of t next to such a release is not compared.",
        undecided(all, |both| &both.counted),
        undecided(all, |both| &both.estimated),
        Unit::Share(0).show(MOST_UNDECIDED)
    ))
    .table(table.chart(chart.limit(0.02, "2 %")));
    for (at, value) in VALUES.iter().enumerate() {
        let shares = counted(all, at, Found::vulnerable);
        if let Some(most) = highest(&shares) {
            section = section.compare(
                format!("{value}: largest share"),
                (most, Unit::Share(1)),
                "about 2% at most",
                most < 0.025,
                &adult.because(CHOSEN),
            );
        }
        if let Some(down) = share(&steps(&shares, f64::gt)) {
            section = section.compare(
                format!("{value}: steps at which a smaller t leaves more vulnerable"),
                (down, Unit::Share(0)),
                "increasing as t decreases",
                down > 0.5,
                &adult.because(CHOSEN),
            );
        }
    }
    section
}

fn undecided(all: &All, which: fn(&Both) -> &Beliefs) -> String {
    let shares = all.iter().flatten().flatten().map(|found| which(&found.beliefs).share_undecided());
    let most = shares.fold(0.0, f64::max);
    if most == 0.0 { "none".into() } else { format!("at most {}", Unit::Share(1).show(most)) }
}

fn distances(adult: &Adult, all: &All) -> Section {
    let mut table = table(
        "Largest distance of what is believed from the table",
        all,
        |name| Column::number(name, 3),
        Found::distance,
    );
    table.columns.push(Column::number("2t", 2));
    table.rows.iter_mut().zip(T).for_each(|(row, t)| row.push(Cell::from(2.0 * number(t))));
    let chart = Chart::lines("Largest distance under t-closeness", "t", "distance", series(&table));
    let mut section =
        Section::new("figure-3d", "Figure 3(d): the largest distance under t-closeness", adult.source.clone())
            .words(
                "The same releases: the largest difference between what is believed about a bucket and the share of \
                 the value in the table, among the groups that could be counted or estimated.",
            )
            .table(table.chart(chart));
    for (at, value) in VALUES.iter().enumerate() {
        let ratios = counted(all, at, |found, beliefs| Some(found.distance(beliefs)? / found.t));
        let Some(ratio) = highest(&ratios) else { continue };
        section = section.compare(
            format!("{value}: largest distance over t"),
            (ratio, Unit::Times),
            "at most twice the t value in all experiments",
            !is_above(ratio, 2.0),
            &format!(
                "The share in a bucket of {L} records moves in steps of 1/{L} however small t is, so that the ratio \
                 has no limit as t shrinks: \
                 it depends on the smallest t, which the paper does not tell."
            ),
        );
    }
    section
}
