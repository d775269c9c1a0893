//! Figures 9 to 12: in how many groups of k-anonymous tables all, or nearly all, have the same
//! value.

use super::lands_end::{self, Sales};
use super::study::{Affected, Study, Wish};
use super::{ADULT, ORIGINS};
use crate::Setting;
use crate::adult::Adult;
use crate::page::{Chart, Column, Filled, Section, Source, Table, Unit};
use rayon::prelude::*;
use sfumato::Result;

const KS: [usize; 7] = [2, 5, 10, 15, 20, 30, 50];

/// Shares of one value that make a group homogeneous.
const THRESHOLDS: [&str; 2] = ["1", "0.95"];

/// A row of the paper's figures: tables affected, tables in all, average groups and average tuples
/// affected.
type Printed = (usize, usize, f64, f64);

/// A figure of the paper.
struct Figure {
    id: &'static str,
    title: &'static str,
    /// With how many decimals it prints groups.
    groups: usize,
    /// With how many decimals it prints tuples.
    tuples: usize,
    rows: [Printed; 7],
}

const FIGURE_9: Figure = Figure {
    id: "figure-9",
    title: "Figure 9: groups of Adult with one salary class",
    groups: 2,
    tuples: 2,
    rows: [
        (8, 8, 7.38, 558.00),
        (11, 12, 3.58, 381.58),
        (10, 12, 1.75, 300.42),
        (7, 8, 2.12, 317.25),
        (8, 10, 1.20, 228.20),
        (7, 10, 0.90, 215.40),
        (5, 5, 1.00, 202.80),
    ],
};

const FIGURE_10: Figure = Figure {
    id: "figure-10",
    title: "Figure 10: groups of Lands End with one cost",
    groups: 1,
    tuples: 1,
    rows: [
        (2, 3, 12.3, 2537.6),
        (2, 3, 12.3, 2537.6),
        (2, 2, 18.5, 3806.5),
        (2, 2, 18.5, 3806.5),
        (1, 2, 2.5, 1750.0),
        (1, 2, 2.5, 1750.0),
        (1, 3, 0.6, 1156.0),
    ],
};

const FIGURE_11: Figure = Figure {
    id: "figure-11",
    title: "Figure 11: groups of Adult with at least 95 % of one salary class",
    groups: 2,
    tuples: 1,
    rows: [
        (8, 8, 20.50, 13574.5),
        (12, 12, 12.67, 13328.3),
        (12, 12, 7.83, 10796.5),
        (8, 8, 8.88, 12009.4),
        (10, 10, 7.10, 11041.0),
        (10, 10, 5.50, 11177.0),
        (5, 5, 5.80, 8002.0),
    ],
};

const FIGURE_12: Figure = Figure {
    id: "figure-12",
    title: "Figure 12: groups of Lands End with at least 95 % of one cost",
    groups: 1,
    tuples: 2,
    rows: [
        (2, 3, 13.0, 2825.33),
        (2, 3, 13.0, 2825.33),
        (2, 2, 19.5, 4238.00),
        (2, 2, 19.5, 4238.00),
        (1, 2, 3.0, 2119.00),
        (1, 2, 3.0, 2119.00),
        (1, 3, 1.0, 1412.66),
    ],
};

/// How many tuples the Lands End database has.
const LANDS_END_TUPLES: f64 = 4_591_581.0;

/// What the attacks affect in each minimal table, one list for each k; for each threshold in turn.
type Found = Vec<Vec<Vec<Affected>>>;

/// Figures 9 to 12, in the order of the paper.
pub fn sections(setting: &Setting<'_>, people: &Adult, sales: &Sales) -> Result<Vec<Section>> {
    setting.now("homogeneity attacks on Adult");
    let on_adult = ORIGINS.map(|(_, rules)| attack(&Study::new(&people.table, &ADULT[..5], "salary", rules)?));
    let [from_one, from_zero] = on_adult;
    let on_adult = [from_one?, from_zero?];
    setting.now("homogeneity attacks on made-up sales");
    let on_sales = attack(&Study::new(&sales.table, &lands_end::COLUMNS[..5], "cost", lands_end::hierarchy)?)?;
    Ok(vec![
        adult_section(people, &on_adult, 0),
        sales_section(sales, &on_sales, 0),
        adult_section(people, &on_adult, 1),
        sales_section(sales, &on_sales, 1),
    ])
}

/// Attacks every minimal k-anonymous table.
fn attack(study: &Study<'_>) -> Result<Found> {
    let mut known: Vec<(Vec<usize>, Vec<Affected>)> = Vec::new();
    let mut found = Vec::new();
    for k in KS {
        let minimal = study.minimal(Wish::Anonymous(k))?;
        let new: Vec<&Vec<usize>> = minimal.iter().filter(|node| known.iter().all(|one| one.0 != **node)).collect();
        let attacked = new.par_iter().map(|node| Ok(((*node).clone(), study.attack(node, &THRESHOLDS)?)));
        let attacked: Vec<_> = attacked.collect::<Result<_>>()?;
        known.extend(attacked);
        let of = |node: &Vec<usize>| known.iter().find(|one| one.0 == *node).map(|one| one.1.clone());
        found.push(minimal.iter().filter_map(of).collect());
    }
    Ok(found)
}

/// What is printed about the minimal tables of one k.
struct Row {
    tables: usize,
    affected: usize,
    groups: f64,
    tuples: f64,
}

fn row(tables: &[Vec<Affected>], threshold: usize) -> Row {
    let of = |number: fn(&Affected) -> u64| tables.iter().map(move |table| number(&table[threshold]));
    let mean = |number: fn(&Affected) -> u64| of(number).sum::<u64>() as f64 / tables.len().max(1) as f64;
    Row {
        tables: tables.len(),
        affected: of(|affected| affected.groups).filter(|groups| *groups > 0).count(),
        groups: mean(|affected| affected.groups),
        tuples: mean(|affected| affected.records),
    }
}

fn adult_section(people: &Adult, found: &[Found; 2], threshold: usize) -> Section {
    let figure = [&FIGURE_9, &FIGURE_11][threshold];
    let why = people.because(
        "The trees are ours, and which tables are minimal depends on them; it also depends on where ranges of ages start, of which the two tables show two ways.",
    );
    let mut section = Section::new(figure.id, figure.title, people.source.clone()).words(HOW).words(TREES);
    for (found, (origin, _)) in found.iter().zip(ORIGINS) {
        let rows: Vec<Row> = found.iter().map(|tables| row(tables, threshold)).collect();
        section = compare(section.table(table(origin, &rows, figure)), origin, &rows, (figure, people));
        if threshold == 1 {
            section = claims(section, origin, (&rows, people.table.rows()), &why);
        }
    }
    section
}

const HOW: &str = "Every minimal k-anonymous full-domain generalization (by Incognito) for the quasi-identifier {age, gender, race, \
                   marital status, education}, recoded and attacked; the sensitive attribute is the salary class. Averages \
                   are over minimal tables.";

const TREES: &str = "The paper takes the trees of LeFevre et al. (2005) for marital status and education and prints only their heights. \
                     Ours have these heights: married in law or not; elementary school, high school, some college, bachelor or \
                     graduate, and then school or college. Ages are joined as the text says (1 to 5, 6 to 10 \
                     and so on), and once more with ranges that start at 0 (0 to 4, 5 to 9). The trees were chosen because with \
                     ages from 0 all of Adult has as many minimal tables as printed at every k; the tuples affected are \
                     not those printed with ages from either.";

/// At how many k we have what the paper printed.
fn compare(section: Section, origin: &str, rows: &[Row], (figure, people): (&Figure, &Adult)) -> Section {
    let pairs = || rows.iter().zip(&figure.rows);
    let shown = |tuples: f64| format!("{tuples:.0$}", figure.tuples);
    let list = |number: &dyn Fn(&Printed) -> String| figure.rows.iter().map(number).collect::<Vec<String>>().join("; ");
    let tables = pairs().filter(|(ours, paper)| ours.tables == paper.1).count();
    let tuples = pairs().filter(|(ours, paper)| shown(ours.tuples) == shown(paper.3)).count();
    let ratios = || pairs().map(|(ours, paper)| ours.tuples / paper.3);
    let [least, most] = [ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max)];
    let [least, most] = [least, most].map(|ratio| Unit::Share(0).show(ratio));
    let trees = "the trees are ours, and which tables are minimal depends on them and on where ranges of ages start";
    // The tables of both figures are the same, and with ages from 0 the trees were fitted to their
    // number: that is no finding.
    let section = if figure.id != FIGURE_9.id || origin != ORIGINS[0].0 {
        section
    } else {
        section.compare(
            format!("of the {} values of k, those with as many minimal tables as printed, {origin}", KS.len()),
            (tables as f64, Unit::Count),
            &format!("{} tables", list(&|paper| paper.1.to_string())),
            tables == KS.len(),
            &people.because(trees),
        )
    };
    section.compare(
        format!("of the {} values of k, those with as many tuples affected as printed, {origin}", KS.len()),
        (tuples as f64, Unit::Count),
        &format!("{} tuples", list(&|paper| shown(paper.3))),
        tuples == KS.len(),
        &people.because(&format!("ours are {least} to {most} of those printed: {trees}")),
    )
}

fn sales_section(sales: &Sales, found: &Found, threshold: usize) -> Section {
    let rows: Vec<Row> = found.iter().map(|tables| row(tables, threshold)).collect();
    let figure = [&FIGURE_10, &FIGURE_12][threshold];
    let words = "As for Adult, with the quasi-identifier {zipcode, order date, gender, style, price} and the cost, in 147 \
                 steps, as the sensitive attribute. The Lands End database is not public: these sales are made up, with \
                 columns of as many values (at most) and of the heights that the paper's Figure 8 gives. What the paper \
                 printed is about another table.";
    let most = figure.rows.iter().map(|row| row.3).fold(0.0, f64::max) / LANDS_END_TUPLES;
    let note = format!(
        "The paper concludes that the attack affects \u{201c}a very large fraction of both datasets\u{201d}; the most tuples \
         that it prints here are {} of the 4,591,581.",
        Unit::Share(2).show(most)
    );
    let section = Section::new(figure.id, figure.title, Source::clone(&sales.source)).words(words).words(note);
    section.table(table("", &rows, figure))
}

/// Ours beside what the paper printed.
fn table(title: &str, rows: &[Row], figure: &Figure) -> Table {
    let columns: [Filled<'_, (usize, &Row, &Printed)>; 7] = [
        (Column::count("k"), &|(k, ..)| (*k).into()),
        (Column::text("affected/total tables"), &|(_, ours, _)| format!("{}/{}", ours.affected, ours.tables).into()),
        (Column::text("affected/total tables, paper").printed(), &|(.., paper)| {
            format!("{}/{}", paper.0, paper.1).into()
        }),
        (Column::number("avg. groups affected", 2), &|(_, ours, _)| ours.groups.into()),
        (Column::number("avg. groups affected, paper", figure.groups).printed(), &|(.., paper)| paper.2.into()),
        (Column::number("avg. tuples affected", 2), &|(_, ours, _)| ours.tuples.into()),
        (Column::number("avg. tuples affected, paper", figure.tuples).printed(), &|(.., paper)| paper.3.into()),
    ];
    let rows = KS.into_iter().zip(rows).zip(&figure.rows).map(|((k, ours), paper)| (k, ours, paper));
    let table = Table::of(title, rows, columns);
    let series = ["avg. tuples affected", "avg. tuples affected, paper"];
    table.chart(Chart::lines("Tuples in homogeneous groups of minimal k-anonymous tables", "k", "tuples", series))
}

/// What the text says about these numbers.
fn claims(section: Section, origin: &str, (rows, records): (&[Row], usize), why: &str) -> Section {
    let large = || KS.iter().zip(rows).filter(|(k, _)| **k >= 30).map(|(_, row)| row);
    let (affected, tables) = large().fold((0, 0), |sum, row| (sum.0 + row.affected, sum.1 + row.tables));
    let still = affected as f64 / tables.max(1) as f64;
    let most = rows.iter().map(|row| row.tuples).fold(0.0, f64::max) / records.max(1) as f64;
    let rises = rows.windows(2).filter(|pair| pair[1].tuples > pair[0].tuples).count();
    section
        .compare(
            format!("largest average share of tuples affected, {origin}"),
            (most, Unit::Share(1)),
            "a very large fraction",
            most > 0.1,
            why,
        )
        .compare(
            format!("minimal tables affected at k = 30 and 50, {origin}"),
            (still, Unit::Share(0)),
            "many tables still had nearly homogeneous groups",
            still >= 0.5,
            why,
        )
        .compare(
            format!("times that affected tuples rise with k, {origin}"),
            (rises as f64, Unit::Count),
            "not strictly decreasing functions of k",
            rises > 0,
            why,
        )
}
