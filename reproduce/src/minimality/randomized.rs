//! Figure 4: randomized greedy grouping, by the chance that a safe group goes on.

use super::beliefs::{Beliefs, Both, MOST_UNDECIDED, is_above};
use super::formed::{Asked, Formed, Method, QUASI, VALUES, diversity};
use super::greedy;
use super::queries::{self, answers};
use super::{L, compared, number, series, worked, worlds};
use crate::Setting;
use crate::adult::Adult;
use crate::page::{Cell, Chart, Column, Section, Table, Unit};
use rayon::prelude::*;
use sfumato::Result;

/// The paper's chances, and two more.
const P: [&str; 7] = ["0", "0.2", "0.4", "0.6", "0.65", "0.8", "0.9"];

/// How far above 1/l beliefs may be.
const MARGINS: [f64; 4] = [1.0, 1.05, 1.25, 1.5];

/// How long the worst groups are of which beliefs are counted.
const BUCKETS: [usize; 7] = [2, 3, 4, 5, 6, 10, 50];

const LIMIT: f64 = 1.0 / L as f64;

/// What is found for one value and one p.
struct Found {
    beliefs: Both,
    size: f64,
    error: Option<f64>,
}

/// By p, for each value.
type All = Vec<[Option<Found>; 2]>;

/// Greedy grouping is what p = 0 gives, and is found already.
pub fn sections(setting: &Setting<'_>, adult: &Adult, greedy: &greedy::All) -> Result<Vec<Section>> {
    let by_value = [0, 1].map(|value| {
        let find = |p: &'static str| find(setting, adult, greedy.usual(value), VALUES[value], p);
        // A long group takes one thread: releases are made side by side.
        P.into_par_iter().map(find).collect::<Result<Vec<Option<Found>>>>()
    });
    let [one, other] = by_value;
    let all: All = one?.into_iter().zip(other?).map(<[_; 2]>::from).collect();
    Ok(vec![shares(setting, adult, &all), highest(adult, &all)?, sizes(adult, &all), errors(setting, adult, &all)])
}

fn find(
    setting: &Setting<'_>,
    adult: &Adult,
    greedy: Option<&greedy::Found>,
    value: &str,
    p: &str,
) -> Result<Option<Found>> {
    setting.now(&format!("randomized greedy grouping for {value} with p = {p}"));
    if p == "0" {
        return greedy.map(|found| Found::new(setting, adult, &found.formed, found.beliefs.clone())).transpose();
    }
    let asked = Asked::new(&adult.table, &QUASI, &[value], &[diversity(L)])?;
    let Some(formed) = asked.form(Method::Randomized { p, anatomize: false })? else { return Ok(None) };
    let beliefs = Both::find(setting, &asked, &formed, value)?;
    Found::new(setting, adult, &formed, beliefs).map(Some)
}

impl Found {
    fn new(setting: &Setting<'_>, adult: &Adult, formed: &Formed, beliefs: Both) -> Result<Found> {
        let workload = queries::workload(setting, queries::DIMENSIONS, queries::SELECTIVITY);
        let error = answers(&adult.table, &formed.grouping.groups, &workload)?.map(|found| found.error);
        Ok(Found { beliefs, size: formed.average_size(), error })
    }
}

fn table(title: &str, all: &All, kind: fn(String) -> Column, figure: fn(&Beliefs) -> Option<f64>) -> Table {
    let lines = P.map(number).into_iter().zip(all);
    compared(title, Column::number("p", 2), kind, lines, |found| found.beliefs.each(figure))
}

/// One figure for each value, by p.
fn plain(title: &str, all: &All, figure: fn(&Found) -> Option<f64>, decimals: usize) -> Table {
    let columns = std::iter::once(Column::number("p", 2)).chain(VALUES.map(|value| Column::number(value, decimals)));
    let mut table = Table::new(title, columns);
    for (p, pair) in P.iter().zip(all) {
        let cells = pair.iter().map(|found| Cell::from(found.as_ref().and_then(figure)));
        table.row(std::iter::once(Cell::from(number(p))).chain(cells));
    }
    table
}

/// What was found for a value at one of the chances.
fn at<'a>(all: &'a All, value: usize, p: &str) -> Option<&'a Found> {
    P.iter().position(|known| *known == p).and_then(|place| all[place][value].as_ref())
}

fn vulnerable(beliefs: &Beliefs) -> Option<f64> {
    beliefs.share_above(LIMIT)
}

fn times_l(beliefs: &Beliefs) -> Option<f64> {
    beliefs.highest(L)
}

/// Why exact beliefs never come down to 1/l.
const THEOREM: &str = "In a group of two or more buckets with as many records of the value as buckets, more than 1/l \
                       is believed about the first bucket for every p below 1 (the paper's Theorem 7 as printed says \
                       so of any group, single buckets too), so that no release with such a group is free of \
                       vulnerable records; how far above 1/l is in the last table of Figure 4(a).";

fn shares(setting: &Setting<'_>, adult: &Adult, all: &All) -> Section {
    let shares = table(
        "Share of published records about which more than 1/l is believed",
        all,
        |name| Column::share(name, 2),
        vulnerable,
    );
    let chart = Chart::lines("Vulnerable records by p", "p", "share of records", series(&shares));
    let mut section = Section::new("figure-4a", "Figure 4(a): vulnerable records by p", adult.source.clone())
        .words(format!(
            "Randomized greedy grouping with l = {L}, one release for each p; 0.8 and 0.9 are not in the paper. A \
             world in which a beginning of the group was safe already weighs p for each such beginning: \
             counted exactly by the library, and estimated from {} worlds for each group that are kept with that \
             chance.",
            worlds(setting)
        ))
        .words(format!(
            "Nothing is shown where more than {} of the records are in groups that are too long to count or to \
             estimate. The second table tells how far above 1/l the counted beliefs are.",
            Unit::Share(0).show(MOST_UNDECIDED)
        ))
        .table(shares.chart(chart))
        .table(by_margin(all));
    for (value, name) in VALUES.iter().enumerate() {
        let share = |p: &str| at(all, value, p).and_then(|found| vulnerable(&found.beliefs.counted));
        let (Some(none), Some(most)) = (share("0").filter(|share| *share > 0.0), share("0.65")) else { continue };
        let ratio = most / none;
        section = section.compare(
            format!("{name}: vulnerable at p = 0.65 over those at p = 0"),
            (ratio, Unit::Times),
            "decreases quickly as p increases",
            ratio <= 0.5,
            &adult.because(
                "We take half as many as quickly; randomized grouping forms groups that greedy grouping never does, \
                 of several buckets of which a beginning was safe, and more than 1/l, if less than before, is \
                 believed about some of their records too.",
            ),
        );
    }
    for (value, p) in [(0, "0.6"), (0, "0.65"), (1, "0.65")] {
        let Some(share) = at(all, value, p).and_then(|found| vulnerable(&found.beliefs.counted)) else { continue };
        section = section.compare(
            format!("{}, p = {p}", VALUES[value]),
            (share, Unit::Share(2)),
            "no groups are vulnerable",
            share == 0.0,
            THEOREM,
        );
    }
    section
}

fn by_margin(all: &All) -> Table {
    let of_value = |value: &str| MARGINS.map(|margin| Column::share(format!("{value}, above {margin}/l"), 2));
    let columns = std::iter::once(Column::number("p", 2)).chain(VALUES.iter().flat_map(|value| of_value(value)));
    let mut table = Table::new("Share of published records by how much is believed, counted", columns);
    for (p, pair) in P.iter().zip(all) {
        let cells = pair.iter().flat_map(|found| {
            let share =
                |margin: f64| found.as_ref().and_then(|found| found.beliefs.counted.share_above(margin * LIMIT));
            MARGINS.map(|margin| Cell::from(share(margin)))
        });
        table.row(std::iter::once(Cell::from(number(p))).chain(cells));
    }
    table
}

fn highest(adult: &Adult, all: &All) -> Result<Section> {
    let highest = table("Highest belief as a multiple of 1/l", all, |name| Column::number(name, 3), times_l);
    let chart = Chart::lines("Highest belief by p", "p", "multiple of 1/l", series(&highest)).limit(1.0, "1/l");
    let mut section = Section::new("figure-4b", "Figure 4(b): the highest belief by p", adult.source.clone())
        .words(
            "The highest belief about any record of the same releases, among the groups that could be counted or \
             estimated, and nothing where these are too few, as there. The second table counts the worst groups, \
             those of two or more buckets with as many records of the value, by their length: the belief in their first bucket, which no p below 1 brings down to 1/l.",
        )
        .table(highest.chart(chart))
        .table(by_buckets()?);
    if let Some(ours) = at(all, 1, "0.6").and_then(|found| times_l(&found.beliefs.counted)) {
        let otherwise = "The longer a group, the more is believed (see the table by buckets): at p = 0.6 a belief of \
                         1.37/l is that of four to five buckets, and how long groups become depends on the order of \
                         records, which the paper does not tell.";
        section = section.compare(
            format!("{}, p = 0.6, times l", VALUES[1]),
            (ours, Unit::Number(2)),
            "1.37/ℓ",
            (ours - 1.37).abs() < 0.005,
            &adult.because(otherwise),
        );
    }
    let printed = [(0, "0.6", "no group is vulnerable"), (0, "0.65", "1/ℓ"), (1, "0.65", "1/ℓ")];
    for (value, p, paper) in printed {
        let Some(ours) = at(all, value, p).and_then(|found| times_l(&found.beliefs.counted)) else { continue };
        section = section.compare(
            format!("{}, p = {p}, times l", VALUES[value]),
            (ours, Unit::Number(2)),
            paper,
            !is_above(ours, 1.0),
            THEOREM,
        );
    }
    Ok(section)
}

/// What is believed in the first bucket of the worst groups, by their length.
fn by_buckets() -> Result<Table> {
    let columns = std::iter::once(Column::count("buckets")).chain(P.map(|p| Column::number(format!("p = {p}"), 3)));
    let mut table = Table::new(
        "First bucket of a group with as many records of the value as buckets: belief as a multiple of 1/l",
        columns,
    );
    for buckets in BUCKETS {
        let first = |p: &'static str| Ok(Cell::from(worked::counted((L, buckets, p))?.first().copied()));
        let cells: Vec<Cell> = P.into_iter().map(first).collect::<Result<_>>()?;
        table.row(std::iter::once(Cell::from(buckets)).chain(cells));
    }
    Ok(table)
}

fn sizes(adult: &Adult, all: &All) -> Section {
    let sizes = plain("Records in a group on average", all, |found| Some(found.size), 1);
    let chart = Chart::lines("Average group size by p", "p", "records", series(&sizes));
    let mut section = Section::new("figure-4c", "Figure 4(c): average group size by p", adult.source.clone())
        .words("The same releases.")
        .table(sizes.chart(chart));
    for (value, name) in VALUES.iter().enumerate() {
        let (Some(none), Some(most)) = (at(all, value, "0"), at(all, value, "0.65")) else { continue };
        let more = (most.size - none.size) / f64::from(L);
        section = section.compare(
            format!("{name}: buckets more at p = 0.65, where 1/(1-p) is 2.86"),
            (more, Unit::Number(2)),
            "does not increase by very much",
            more <= 1.0 / 0.35,
            &adult.because(
                "We take the paper's 1/(1-p) buckets as not very much; a group that goes on may become unsafe by what \
                 it takes, and must then grow until it is safe again, by as many buckets as that needs.",
            ),
        );
    }
    section
}

fn errors(setting: &Setting<'_>, adult: &Adult, all: &All) -> Section {
    let errors = plain("Average relative error of counting queries", all, |found| found.error, 3);
    let chart = Chart::lines("Query error by p", "p", "average relative error", series(&errors));
    let mut section = Section::new("figure-4d", "Figure 4(d): query error by p", adult.source.clone())
        .words(format!(
            "The same releases answer {}",
            queries::described(setting, &queries::DIMENSIONS.to_string(), &format!("{} %", queries::SELECTIVITY * 10))
        ))
        .table(errors.chart(chart));
    for (value, name) in VALUES.iter().enumerate() {
        let found = |p: &str| at(all, value, p).and_then(|found| Some((found.error?, found.size)));
        let (Some((none, small)), Some((most, large))) = (found("0"), found("0.65")) else { continue };
        let ratio = most / none;
        let [small, large] = [small, large].map(|size| Unit::Number(1).show(size));
        section = section.compare(
            format!("{name}: error at p = 0.65 over that at p = 0"),
            (ratio, Unit::Times),
            "does not grow much as p is increased",
            ratio <= 1.5,
            &adult.because(&format!(
                "The paper does not say what is much, and we take one and a half times: groups grow from {small} to \
                 {large} records on average, and a group answers the worse the larger it is."
            )),
        );
    }
    section
}
