//! Figure 5: how well releases answer counting queries.

use super::formed::{Asked, Formed, Method, QUASI, SENSITIVE, VALUES, anonymity, diversity};
use super::{L, series, share, steps};
use crate::Setting;
use crate::adult::Adult;
use crate::page::{Cell, Chart, Column, Section, Table, Unit};
use sfumato::Result;
use sfumato::candidate::{Coded, Groups};
use sfumato::data;
use sfumato::exact::Fraction;
use sfumato::report::grouped;
use sfumato::utility::queries::{Answers, Published, Release, Workload, measure};

/// How many quasi-identifiers a query has a predicate on where that does not vary.
pub const DIMENSIONS: usize = 3;

/// The largest share of a domain that a predicate asks for where that does not vary, in tenths.
pub const SELECTIVITY: u128 = 5;

/// What is taken as half the error of another method.
const ABOUT_HALF: f64 = 0.55;

const SELECTIVITIES: [u128; 5] = [1, 3, 5, 7, 9];

const METHODS: [(&str, Method<'static>); 6] = [
    ("RGG", Method::Randomized { p: "0.65", anatomize: false }),
    ("SG", Method::Symmetric { anatomize: false }),
    ("Base", Method::Base { anatomize: false }),
    ("RGG(Ana)", Method::Randomized { p: "0.65", anatomize: true }),
    ("SG(Ana)", Method::Symmetric { anatomize: true }),
    ("Base(Ana)", Method::Base { anatomize: true }),
];

/// The places of methods in the list.
const RGG: usize = 0;
const SG: usize = 1;
const BASE: usize = 2;
/// From a method to the same, anatomized.
const ANA: usize = 3;

/// RGG and another method, plain and anatomized.
const AGAINST_SG: [[usize; 2]; 2] = [[RGG, SG], [RGG + ANA, SG + ANA]];
const AGAINST_BASE: [[usize; 2]; 2] = [[RGG, BASE], [RGG + ANA, BASE + ANA]];

/// How two methods stand to each other, in words.
fn named([one, other]: [usize; 2], how: &str) -> String {
    format!("{} {how} {}", METHODS[one].0, METHODS[other].0)
}

/// Queries with so many predicates on quasi-identifiers, of so many tenths of the domain at most.
/// Most have no true answer where there are many predicates or narrow ones: so many are asked that
/// about a thousand, as in the paper, have one even there.
pub fn workload(setting: &Setting<'_>, dimensions: usize, tenths: u128) -> Workload {
    Workload { queries: setting.pick(1_000, 30_000), ..Workload::new(dimensions, Fraction::new(tenths, 10)) }
}

/// The queries that are asked, in words: on how many quasi-identifiers, and up to what share of all
/// values.
pub fn described(setting: &Setting<'_>, dimensions: &str, share: &str) -> String {
    format!(
        "{} random queries with predicates on {dimensions} of the six quasi-identifiers and on the occupation, each \
         a set of 0 up to {share} of all values (or up to one, where that would be none); the paper does not tell what \
         it took where it did not vary it. Queries without a true answer have no relative error and are left out. The \
         true answer is that of all records, so that those which a release withholds count as error.",
        grouped(workload(setting, DIMENSIONS, SELECTIVITY).queries as usize),
    )
}

/// How well groups of a table, published in buckets, answer queries about it.
pub fn answers(table: &data::Table, groups: &Groups, workload: &Workload) -> Result<Option<Answers>> {
    let columns: Vec<&data::Column> = QUASI.iter().map(|name| table.column(name)).collect::<Result<_>>()?;
    let quasi: Vec<Coded<'_>> = columns.iter().map(|column| (column.codes(), column.domain().len())).collect();
    let sensitive = table.column(SENSITIVE)?;
    let published = columns.iter().map(|column| Published::Exact(column.codes())).collect();
    let release = Release { columns: published, groups, sensitive: sensitive.codes() };
    Ok(measure(workload, &quasi, (sensitive.codes(), sensitive.domain().len()), &release))
}

/// One line of a figure: what varies, and what each release answers.
struct Line {
    across: f64,
    answers: Vec<Option<Answers>>,
}

impl Line {
    fn ask(adult: &Adult, formed: &[Option<Formed>], across: f64, workload: &Workload) -> Result<Line> {
        let answer = |formed: &Option<Formed>| match formed {
            Some(formed) => answers(&adult.table, &formed.grouping.groups, workload),
            None => Ok(None),
        };
        Ok(Line { across, answers: formed.iter().map(answer).collect::<Result<_>>()? })
    }

    fn numbers(&self, figure: Figure) -> Vec<Option<f64>> {
        self.answers.iter().map(|answers| answers.as_ref().map(figure)).collect()
    }

    /// How many queries have no true answer, and how many have one: the same for all releases.
    fn queries(&self) -> Option<[usize; 2]> {
        let answers = self.answers.iter().flatten().next()?;
        Some([answers.left_out, answers.queries - answers.left_out].map(|count| count as usize))
    }

    /// An error of one method over that of another.
    fn ratio(&self, figure: Figure, [one, other]: [usize; 2]) -> Option<f64> {
        let errors = self.numbers(figure);
        Some(errors[one]? / errors[other]?)
    }
}

/// What varies in a figure.
#[derive(Clone, Copy)]
struct Varied {
    name: &'static str,
    words: &'static str,
    dimensions: &'static str,
    share: &'static str,
    /// Why errors may not fall with it.
    otherwise: &'static str,
}

const BY_DIMENSION: Varied = Varied {
    name: "qd",
    words: "query dimension",
    dimensions: "1 to 6",
    share: "50 %",
    otherwise: "Each further predicate leaves fewer records to a query, against which an error weighs more; the paper \
                tells neither how it treats queries without a true answer nor which selectivity it took.",
};

const BY_SELECTIVITY: Varied = Varied {
    name: "sel",
    words: "query selectivity",
    dimensions: "3",
    share: "10 % to 90 %",
    otherwise: "Larger sets leave more records to a query, against which an error weighs less, but other queries have a \
                true answer then; the paper tells neither how it treats those without one nor which dimension it took.",
};

/// An error of answers.
type Figure = fn(&Answers) -> f64;

fn all(answers: &Answers) -> f64 {
    answers.error
}

fn positive(answers: &Answers) -> f64 {
    answers.positive
}

fn negative(answers: &Answers) -> f64 {
    answers.negative
}

pub fn sections(setting: &Setting<'_>, adult: &Adult) -> Result<Vec<Section>> {
    setting.now("groups for queries");
    let formed = releases(adult, &VALUES)?;
    let ask = |across: f64, workload: Workload| -> Result<Line> {
        setting.now(&format!("queries with {} predicates", workload.dimensions));
        Line::ask(adult, &formed, across, &workload)
    };
    let by_dimension: Vec<Line> =
        (1..=QUASI.len()).map(|qd| ask(qd as f64, workload(setting, qd, SELECTIVITY))).collect::<Result<_>>()?;
    let by_selectivity: Vec<Line> = SELECTIVITIES
        .iter()
        .map(|&tenths| ask(tenths as f64 / 10.0, workload(setting, DIMENSIONS, tenths)))
        .collect::<Result<_>>()?;
    // What does not vary in one figure is a setting of the other: it counts once.
    let others = SELECTIVITIES.iter().zip(&by_selectivity).filter(|(tenths, _)| **tenths != SELECTIVITY);
    let every: Vec<&Line> = by_dimension.iter().chain(others.map(|(_, line)| line)).collect();
    Ok(vec![
        sized(figure(setting, adult, "figure-5a", "Figure 5(a)", BY_DIMENSION, &by_dimension), adult, &formed)
            .table(groups(&formed))
            .table(by_protected(setting, adult)?),
        ordered(figure(setting, adult, "figure-5b", "Figure 5(b)", BY_SELECTIVITY, &by_selectivity), adult, &every),
        correlated(adult, "figure-5c", "Figure 5(c)", BY_DIMENSION, &by_dimension),
        halved(correlated(adult, "figure-5d", "Figure 5(d)", BY_SELECTIVITY, &by_selectivity), adult, &every),
    ])
}

/// The groups of every method where some values are protected.
fn releases(adult: &Adult, values: &[&str]) -> Result<Vec<Option<Formed>>> {
    let asked = Asked::new(&adult.table, &QUASI, values, &[diversity(L), anonymity(L)])?;
    METHODS.iter().map(|(_, method)| asked.form(*method)).collect()
}

/// What it changes which values are protected.
fn by_protected(setting: &Setting<'_>, adult: &Adult) -> Result<Table> {
    setting.now("queries where other values are protected");
    let columns = std::iter::once(Column::text("protected")).chain(METHODS.map(|(name, _)| Column::number(name, 3)));
    let columns = columns.chain(AGAINST_BASE.map(|pair| Column::number(named(pair, "over"), 2)));
    let mut table =
        Table::new(format!("Average relative error by what is protected, {DIMENSIONS} predicates"), columns);
    let workload = workload(setting, DIMENSIONS, SELECTIVITY);
    for values in [&VALUES[..1], &VALUES[1..], &VALUES] {
        let line = Line::ask(adult, &releases(adult, values)?, 0.0, &workload)?;
        let ratios = AGAINST_BASE.map(|pair| line.ratio(all, pair));
        let cells = line.numbers(all).into_iter().chain(ratios).map(Cell::from);
        table.row(std::iter::once(Cell::from(values.join(" and "))).chain(cells));
    }
    Ok(table)
}

/// How large groups are, beside what the paper says of them.
fn sized(section: Section, adult: &Adult, formed: &[Option<Formed>]) -> Section {
    let size = |method: usize| formed[method].as_ref().map(Formed::average_size);
    let (Some(rgg), Some(sg)) = (size(RGG), size(SG)) else { return section };
    let (Some(small), Some(divided)) = (size(RGG + ANA), size(SG + ANA)) else { return section };
    let Some(base) = size(BASE + ANA) else { return section };
    let otherwise = &adult.because(
        "How long groups become depends on the order of records, which the paper does not tell, and on which values \
         are protected, which it does not tell of these figures.",
    );
    let l = f64::from(L);
    let is_close = |size: f64| (size / l - 1.0).abs() < 0.1;
    section
        .compare(
            "Group size of SG over that of RGG",
            (sg / rgg, Unit::Times),
            "SG has a somewhat larger average group size than RGG",
            sg > rgg,
            otherwise,
        )
        .compare("Group size of RGG(Ana)", (small, Unit::Number(2)), "very close to ℓ", is_close(small), otherwise)
        .compare("Group size of Base(Ana)", (base, Unit::Number(2)), "very close to ℓ", is_close(base), otherwise)
        .compare(
            "Group size of SG(Ana)",
            (divided, Unit::Number(2)),
            "slightly larger group size, but still less than 2ℓ",
            divided > small && divided < 2.0 * l,
            otherwise,
        )
}

/// What the releases look like.
fn groups(formed: &[Option<Formed>]) -> Table {
    let columns = [
        Column::text("method"),
        Column::count("groups"),
        Column::number("average group size", 2),
        Column::share("records withheld", 2),
    ];
    let mut table = Table::new("The releases", columns);
    for ((name, _), formed) in METHODS.iter().zip(formed) {
        let groups = formed.as_ref().map(|formed| formed.grouping.groups.len());
        let size = formed.as_ref().map(Formed::average_size);
        table.row([Cell::from(*name), groups.into(), size.into(), formed.as_ref().map(Formed::withheld).into()]);
    }
    table
}

fn table(title: &str, varied: Varied, lines: &[Line], figure: Figure) -> Table {
    let across = if varied.name == BY_DIMENSION.name { Column::count("qd") } else { Column::number("sel", 1) };
    let columns = std::iter::once(across).chain(METHODS.map(|(name, _)| Column::number(name, 3)));
    let mut table = Table::new(title, columns);
    for line in lines {
        let cells = line.numbers(figure).into_iter().map(Cell::from);
        table.row(std::iter::once(Cell::from(line.across)).chain(cells));
    }
    let chart =
        Chart::lines(&format!("{title}, by {}", varied.words), varied.name, "average relative error", series(&table));
    table.chart(chart)
}

fn figure(setting: &Setting<'_>, adult: &Adult, id: &str, title: &str, varied: Varied, lines: &[Line]) -> Section {
    let mut table = table("Average relative error", varied, lines, all);
    table.columns.push(Column::count("queries left out"));
    let left_out = lines.iter().map(|line| line.queries().map(|[left_out, _]| left_out));
    table.rows.iter_mut().zip(left_out).for_each(|(row, count)| row.push(count.into()));
    let section = Section::new(id, &format!("{title}: query error by {}", varied.words), adult.source.clone())
        .words(format!(
            "Releases that are {L}-diverse for {} and {} and have groups of {L} records at least, as the paper has \
             it of every l-diverse group: RGG with p = 0.65, SG, and Base (quasi-identifiers and occupations independently); \
             (Ana): large groups divided once more by Anatomy, so that Base(Ana) is Anatomy. They answer {}",
            VALUES[0], VALUES[1], described(setting, varied.dimensions, varied.share)
        ))
        .table(table);
    let paper = "ARE decreases when query dimension increases and when query selectivity increases";
    fallen(section, adult, (varied, lines), &[all], paper)
}

/// At how many steps errors fall with what varies, over all methods.
fn fallen(
    section: Section,
    adult: &Adult,
    (varied, lines): (Varied, &[Line]),
    figures: &[Figure],
    paper: &str,
) -> Section {
    let of_method = |figure: Figure, method: usize| {
        let errors: Vec<Option<f64>> = lines.iter().map(|line| line.numbers(figure)[method]).collect();
        steps(&errors, f64::gt)
    };
    let of_figure = |figure| (0..METHODS.len()).flat_map(move |method| of_method(figure, method));
    let Some(down) = share(&figures.iter().copied().flat_map(of_figure).collect::<Vec<bool>>()) else { return section };
    section.compare(
        format!("Steps at which errors fall with {}", varied.name),
        (down, Unit::Share(0)),
        paper,
        down > 0.5,
        &adult.because(varied.otherwise),
    )
}

/// Which release is better, over all queries of both figures.
fn ordered(mut section: Section, adult: &Adult, every: &[&Line]) -> Section {
    let unlike = "RGG and SG sort alike, and which of them has the smaller groups depends on how long a stretch the \
                  protected values are dense in; the differences are in the tables.";
    let independent = "Groups follow the first columns of the order: queries on others are answered little better \
                       than from all records together, so that single settings may come out the other way.";
    for (pairs, otherwise) in [(AGAINST_SG, unlike), (AGAINST_BASE, independent)] {
        for pair in pairs {
            let Some(less) = share_of_ratios(every, &[all], pair, |ratio| ratio < 1.0) else { continue };
            section = section.compare(
                format!("Settings of 5(a) and 5(b): {}", named(pair, "errs less than")),
                (less, Unit::Share(0)),
                "RGG has smaller ARE than SG and the baseline",
                less == 1.0,
                &adult.because(otherwise),
            );
        }
    }
    for method in [RGG, SG, BASE] {
        let pair = [method + ANA, method];
        let Some(better) = share_of_ratios(every, &[all], pair, |ratio| ratio < 1.0) else { continue };
        section = section.compare(
            format!("Settings of 5(a) and 5(b): {}", named(pair, "errs less than")),
            (better, Unit::Share(0)),
            "Anatomization reduces ARE",
            better == 1.0,
            &adult.because("Anatomy divides by lot, so that single settings may come out the other way."),
        );
    }
    section
}

/// In which share of settings the error of one method over that of another is as asked.
fn share_of_ratios(every: &[&Line], figures: &[Figure], pair: [usize; 2], asked: fn(f64) -> bool) -> Option<f64> {
    let of_line = |line: &&Line| figures.iter().filter_map(|figure| line.ratio(*figure, pair)).collect::<Vec<f64>>();
    share(&every.iter().flat_map(of_line).map(asked).collect::<Vec<bool>>())
}

fn correlated(adult: &Adult, id: &str, title: &str, varied: Varied, lines: &[Line]) -> Section {
    let tail = |title: &str, figure: Figure| {
        let mut table = table(title, varied, lines, figure);
        table.columns.push(Column::count("queries averaged"));
        let averaged = lines.iter().map(|line| line.queries().map(|[_, answered]| answered.div_ceil(10)));
        table.rows.iter_mut().zip(averaged).for_each(|(row, count)| row.push(count.into()));
        table
    };
    let title = format!("{title}: query error on correlated queries by {}", varied.words);
    let section = Section::new(id, &title, adult.source.clone())
        .words(
            "The same queries: of those with a true answer, the tenth whose truth is largest against what independent \
             columns would give (most positively correlated), and the tenth where it is smallest (most negatively). \
             The paper takes 100 of 1,000, and calls negative what is positive here.",
        )
        .table(tail("Most positively correlated queries", positive))
        .table(tail("Most negatively correlated queries", negative));
    let paper = "both errors decrease with increasing qd and sel values";
    fallen(section, adult, (varied, lines), &[positive, negative], paper)
}

fn halved(section: Section, adult: &Adult, every: &[&Line]) -> Section {
    AGAINST_BASE.into_iter().fold(section, |section, pair| {
        let halves = share_of_ratios(every, &[positive, negative], pair, |ratio| ratio <= ABOUT_HALF);
        let Some(halves) = halves else { return section };
        section.compare(
            format!("Settings of 5(c) and 5(d): {} at most {ABOUT_HALF}", named(pair, "over")),
            (halves, Unit::Share(0)),
            "often achieves half the error of the baseline methods",
            halves >= 0.5,
            &adult.because(
                "How large groups are, and so how well they answer, depends on which values are protected, which the \
                 paper does not tell of these figures: see the last table of Figure 5(a).",
            ),
        )
    })
}
