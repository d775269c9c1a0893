//! Figures 3(a) and 3(b): greedy grouping under frequency l-diversity.

use super::beliefs::{Beliefs, Both, MOST_UNDECIDED};
use super::formed::{Asked, Formed, Method, QUASI, VALUES, diversity};
use super::monte_carlo::Drawing;
use super::{L, compared, series, share, steps, worlds};
use crate::Setting;
use crate::adult::Adult;
use crate::page::{Cell, Chart, Column, Filled, Section, Table, Unit};
use sfumato::Result;
use std::f64::consts::E;

const FROM: u32 = 2;
const TO: u32 = 10;

/// Numbers of possible worlds from which beliefs are estimated, to see what that changes.
const EFFORTS: [u64; 5] = [10, 30, 100, 300, 1000];

/// What the paper printed for l = 6, by value.
const PRINTED: [f64; 2] = [2.52, 2.70];

/// What is found for one value and one l.
pub struct Found {
    l: u32,
    asked: Asked,
    pub formed: Formed,
    pub beliefs: Both,
}

impl Found {
    fn vulnerable(&self, beliefs: &Beliefs) -> Option<f64> {
        beliefs.share_above(1.0 / f64::from(self.l))
    }

    fn highest(&self, beliefs: &Beliefs) -> Option<f64> {
        beliefs.highest(self.l)
    }
}

/// What is found for both values, and the share of each in the table.
pub struct All {
    by_l: Vec<[Option<Found>; 2]>,
    shares: [f64; 2],
}

impl All {
    /// What is found for a value, by l.
    fn of(&self, value: usize) -> impl Iterator<Item = &Found> {
        self.by_l.iter().filter_map(move |pair| pair[value].as_ref())
    }

    /// What is found for a value at the usual l.
    pub fn usual(&self, value: usize) -> Option<&Found> {
        self.of(value).find(|found| found.l == L)
    }

    /// A figure of what was counted for a value, by l.
    fn counted(&self, value: usize, figure: fn(&Found, &Beliefs) -> Option<f64>) -> Vec<Option<f64>> {
        let of = |found: &Found| figure(found, &found.beliefs.counted);
        self.by_l.iter().map(|pair| pair[value].as_ref().and_then(of)).collect()
    }

    /// The same for both values, where it is known.
    fn all_counted(&self, figure: fn(&Found, &Beliefs) -> Option<f64>) -> Vec<f64> {
        [0, 1].iter().flat_map(|&value| self.counted(value, figure)).flatten().collect()
    }

    fn table(&self, title: &str, kind: fn(String) -> Column, figure: fn(&Found, &Beliefs) -> Option<f64>) -> Table {
        let lines = (FROM..).map(f64::from).zip(&self.by_l);
        compared(title, Column::count("l"), kind, lines, |found| found.beliefs.each(|beliefs| figure(found, beliefs)))
    }
}

/// The most that a belief may be, as a multiple of 1/l: what Theorem 6's product comes to for many
/// buckets.
fn most(l: u32) -> f64 {
    (1.0 + 1.0 / f64::from(l - 1)).powi(l as i32 - 1)
}

/// Runs greedy grouping for every l.
pub fn run(setting: &Setting<'_>, adult: &Adult) -> Result<All> {
    let mut by_l = Vec::new();
    for l in FROM..=setting.pick(L, TO) {
        setting.now(&format!("greedy grouping with l = {l}"));
        let [one, other] = VALUES.map(|value| find(setting, adult, value, l));
        by_l.push([one?, other?]);
    }
    let [one, other] = VALUES.map(|value| Asked::new(&adult.table, &QUASI, &[value], &[])?.share_of(value));
    Ok(All { by_l, shares: [one?, other?] })
}

pub fn sections(setting: &Setting<'_>, adult: &Adult, all: &All) -> Result<Vec<Section>> {
    let shares = shares(setting, adult, all).table(by_order(setting, adult, all)?).table(details(all));
    Ok(vec![shares, highest(adult, all).table(by_effort(setting, all)?)])
}

/// Nothing if no group is safe.
fn find(setting: &Setting<'_>, adult: &Adult, value: &str, l: u32) -> Result<Option<Found>> {
    let asked = Asked::new(&adult.table, &QUASI, &[value], &[diversity(l)])?;
    let Some(formed) = asked.form(Method::Greedy { bucket: l })? else { return Ok(None) };
    let beliefs = Both::find(setting, &asked, &formed, value)?;
    Ok(Some(Found { l, asked, formed, beliefs }))
}

fn shares(setting: &Setting<'_>, adult: &Adult, all: &All) -> Section {
    let title = "Share of published records in buckets about which more than 1/l is believed";
    let mut table = all.table(title, |name| Column::share(name, 2), Found::vulnerable);
    let chart = Chart::bars("Records that greedy grouping leaves vulnerable", "l", "share of records", series(&table));
    table.columns.extend(VALUES.map(|value| Column::share(format!("{value}, withheld"), 2)));
    for (row, pair) in table.rows.iter_mut().zip(&all.by_l) {
        row.extend(pair.iter().map(|found| Cell::from(found.as_ref().map(|found| found.formed.withheld()))));
    }
    let table = table.chart(chart.limit(0.1, "10 %"));
    let small: Vec<bool> = all.all_counted(Found::vulnerable).iter().map(|share| *share < 0.1).collect();
    let unordered = "The paper does not say by which columns it sorted, and for a value that is nearly one in l of \
                     all records that decides how long groups are and how many records remain at the end: see the table by order.";
    let mut section = Section::new("figure-3a", "Figure 3(a): records that greedy grouping leaves vulnerable", adult.source.clone())
        .words(format!(
            "Frequency l-diversity for one occupation at a time; buckets of l records, sorted by age, workclass, \
             education, marital status, race and sex in \
             this order, records with equal ones by lot. A record is vulnerable if somebody who knows the method believes more than 1/l in the value. \
             Counted: the library weighs all possible worlds exactly. Estimated: the paper's way, from {} worlds for \
             each group that the method would have grouped alike, drawn by lot.",
            worlds(setting)
        ))
        .words(format!("{} Records after the last safe group are withheld, as the paper has it of a last group that \
         is not safe; with a larger l there always are some. Shares are of what is published, and what is withheld \
         stands beside them. Nothing is shown where more than {} of the published records are in groups that are too long to count or to \
         estimate.", share_words(all), Unit::Share(0).show(MOST_UNDECIDED)))
        .table(table);
    if let Some(small) = share(&small) {
        section = section.compare(
            "Cases below 10 %",
            (small, Unit::Share(0)),
            "in most cases below 10%",
            small > 0.5,
            &adult.because(unordered),
        );
    }
    for (at, value) in VALUES.iter().enumerate() {
        let Some(up) = share(&steps(&all.counted(at, Found::vulnerable), f64::lt)) else { continue };
        section = section.compare(
            format!("{value}: steps of l at which the share grows"),
            (up, Unit::Share(0)),
            "tends to increase with ℓ",
            up > 0.5,
            &adult.because(unordered),
        );
    }
    section
}

fn share_words(all: &All) -> String {
    let words = VALUES.iter().zip(all.shares).map(|(value, share)| {
        let largest = (1.0 / share).floor();
        format!(
            "{value} is {} of all records, so that all of them together are safe up to l = {largest}",
            Unit::Share(1).show(share)
        )
    });
    format!("{}.", words.collect::<Vec<_>>().join("; "))
}

/// How groups come out, case by case.
fn details(all: &All) -> Table {
    let found = VALUES.iter().enumerate().flat_map(|(at, value)| all.of(at).map(move |found| (value, found)));
    let columns: [Filled<'_, (&&str, &Found)>; 8] = [
        (Column::text("value"), &|(value, _)| Cell::from(**value)),
        (Column::count("l"), &|(_, found)| u64::from(found.l).into()),
        (Column::count("groups"), &|(_, found)| found.formed.grouping.groups.len().into()),
        (Column::count("buckets of the longest"), &|(_, found)| found.formed.longest(found.l).into()),
        (Column::share("records withheld", 2), &|(_, found)| found.formed.withheld().into()),
        (Column::share("in groups with a vulnerable bucket", 2), &|(_, found)| {
            found.beliefs.counted.share_of_groups_above(1.0 / f64::from(found.l)).into()
        }),
        (Column::share("not counted", 2), &|(_, found)| found.beliefs.counted.share_undecided().into()),
        (Column::share("not estimated", 2), &|(_, found)| found.beliefs.estimated.share_undecided().into()),
    ];
    let title = "Groups: what never became safe is withheld; groups of more than 1,000 buckets are not counted, and \
                 those of which hardly any world is possible not estimated";
    Table::of(title, found, columns)
}

/// What the order of columns changes.
fn by_order(setting: &Setting<'_>, adult: &Adult, all: &All) -> Result<Table> {
    setting.now("greedy grouping in another order");
    let columns = [
        Column::text("sorted by"),
        Column::text("value"),
        Column::count("groups"),
        Column::share("records withheld", 2),
        Column::share("vulnerable", 2),
        Column::number("highest belief, times l", 3),
    ];
    let mut table = Table::new(format!("What the order of columns changes, l = {L}, counted"), columns);
    let mut tell = |order: &str, value: &str, formed: &Formed, beliefs: &Beliefs| {
        table.row([
            Cell::from(order),
            value.into(),
            formed.grouping.groups.len().into(),
            formed.withheld().into(),
            beliefs.share_above(1.0 / f64::from(L)).into(),
            beliefs.highest(L).into(),
        ]);
    };
    let reversed: Vec<&str> = QUASI.into_iter().rev().collect();
    for (at, value) in VALUES.into_iter().enumerate() {
        let Some(found) = all.usual(at) else { continue };
        tell("age first, sex last", value, &found.formed, &found.beliefs.counted);
        let asked = Asked::new(&adult.table, &reversed, &[value], &[diversity(L)])?;
        let Some(formed) = asked.form(Method::Greedy { bucket: L })? else { continue };
        tell("sex first, age last", value, &formed, &Beliefs::counted(&asked, &formed, value)?);
    }
    Ok(table)
}

fn highest(adult: &Adult, all: &All) -> Section {
    let mut table = all.table("Highest belief as a multiple of 1/l", |name| Column::number(name, 3), Found::highest);
    table.columns.push(Column::number("most possible", 3));
    (FROM..).zip(&mut table.rows).for_each(|(l, row)| row.push(most(l).into()));
    let chart = Chart::lines("Highest belief under greedy grouping", "l", "multiple of 1/l", series(&table));
    // What the paper printed is of one l: nothing to draw a line of.
    table.columns.extend(VALUES.map(|value| Column::number(format!("{value}, paper"), 2).printed()));
    for (l, row) in (FROM..).zip(&mut table.rows) {
        row.extend(PRINTED.map(|printed| Cell::from((l == L).then_some(printed))));
    }
    let words = format!(
        "The highest belief about any record of the releases above, among the groups that could be counted or \
         estimated; nothing where these are too few, as there. Theory: less than (1 + 1/(l − 1))^(l − 1), shown \
         as most possible, which grows to e with l; \
         at l = {L} it is {}. The last table estimates the same releases from fewer and from more worlds: the \
         largest of many noisy estimates tends to be too high.",
        Unit::Number(3).show(most(L))
    );
    let mut section =
        Section::new("figure-3b", "Figure 3(b): the highest belief under greedy grouping", adult.source.clone())
            .words(words)
            .table(table.chart(chart.limit(E, "e")));
    for (at, value) in VALUES.iter().enumerate() {
        let Some(ours) = all.usual(at).and_then(|found| found.highest(&found.beliefs.counted)) else { continue };
        section = section.compare(
            format!("{value}, l = {L}, times l"),
            (ours, Unit::Number(3)),
            &format!("{:.2}", PRINTED[at]),
            (ours - PRINTED[at]).abs() < 0.005,
            "The exact belief stays below 2.488/l at l = 6, so that neither 2.52 nor 2.70 can be exact; estimates from \
             few worlds come out that high (the last table), and ours is counted.",
        );
    }
    let found = all.all_counted(Found::highest);
    let [low, high] = [f64::min, f64::max].map(|better| found.iter().copied().reduce(better));
    let Some((low, high)) = low.zip(high) else { return section };
    let single = "A group of several buckets has at least two records with the value in its first one; a release \
     all of whose groups are single buckets has no belief above 1/l.";
    section
        .compare(
            "Lowest of all cases, times l",
            (low, Unit::Number(3)),
            "ranges between 2 and e",
            low >= 2.0 - 1e-9,
            single,
        )
        .compare(
            "Highest of all cases, times l",
            (high, Unit::Number(3)),
            "ranges between 2 and e",
            high <= E,
            "No exact belief of greedy grouping is above e/l (Theorem 6), so that ours would be wrong.",
        )
}

/// What the number of worlds changes.
fn by_effort(setting: &Setting<'_>, all: &All) -> Result<Table> {
    setting.now("greedy grouping with fewer and with more worlds");
    let of_value = |value: &str| ["estimated", "counted"].map(|how| Column::number(format!("{value}, {how}"), 3));
    let columns = std::iter::once(Column::count("worlds")).chain(VALUES.into_iter().flat_map(of_value));
    let title = format!(
        "Highest belief as a multiple of 1/l at l = {L}, by the number of possible worlds that it is estimated from"
    );
    let mut table = Table::new(title, columns);
    for &accepted in &EFFORTS[..setting.pick(4, EFFORTS.len())] {
        let mut cells = vec![Cell::from(accepted as usize)];
        for (at, value) in VALUES.into_iter().enumerate() {
            let estimate = |found: &Found| {
                let drawing = Drawing::of(setting, accepted);
                let estimated = Beliefs::estimated(&found.asked, &found.formed, value, drawing)?;
                Ok([&estimated, &found.beliefs.counted].map(|beliefs| found.highest(beliefs)))
            };
            let found: Option<[Option<f64>; 2]> = all.usual(at).map(estimate).transpose()?;
            cells.extend(found.unwrap_or_default().map(Cell::from));
        }
        table.row(cells);
    }
    let (across, up) = ("worlds", "multiple of 1/l");
    let chart = Chart::lines("Highest belief by the number of worlds", across, up, series(&table));
    Ok(table.chart(chart.limit(most(L), "most possible")))
}
