//! Every way on every table at both confidences: what Figures 1 to 3 show.

use super::data::Data;
use super::run::{B_MAX, CONFIDENCES, DIST, MINE, Run, Similarity, Timed, Way};
use crate::Setting;
use crate::page::{Cell, Chart, Column, Table};
use sfumato::Result;
use sfumato::exact::Fraction;

/// The confidences of Figures 1 to 3.
pub const RHOS: [Fraction; 2] = [Fraction { num: 3, den: 10 }, Fraction { num: 7, den: 10 }];

/// The ways that the paper compares; the first places of [`ALL`].
pub const PAPERS: [Way; 4] = [Way::TdControl, Way::Global, MINE, DIST];

/// Those, and what the product has besides.
pub const ALL: [Way; 7] =
    [Way::TdControl, Way::Global, MINE, DIST, Way::Permutation, Way::Mine { t_max: None, b_max: B_MAX }, WHOLE_DIST];

/// Dist without division into parts.
pub const WHOLE_DIST: Way = Way::Dist { t_max: None, b_max: B_MAX };

/// What came of one way on one table.
#[derive(Clone, Copy)]
pub struct RunFigures {
    /// Information loss by the paper's equation (2).
    pub lost: f64,
    /// The same where coarser items count as kept.
    pub deleted: f64,
    pub of_sensitive: f64,
    pub of_others: f64,
    pub symmetric_kl: f64,
    /// Kinds of items that occur in the table and not in the release.
    pub kinds_gone: usize,
    pub timed: Timed,
    /// For both confidences of [`CONFIDENCES`].
    pub rules: [Similarity; 2],
}

/// All ways on one table at one ρ.
pub struct Row<'a> {
    pub data: &'a Data,
    pub rho: Fraction,
    /// Rules of the original, for both confidences.
    pub rules: [f64; 2],
    /// In the order of [`ALL`]; nothing where no release is possible.
    outcomes: Vec<(Way, Option<RunFigures>)>,
}

/// Runs these ways on all tables, at both ρ.
pub fn grid<'a>(setting: &Setting<'_>, all: &'a [Data], ways: &[Way], what: &str) -> Result<Vec<Row<'a>>> {
    let mut rows = Vec::new();
    for rho in RHOS {
        for data in all {
            let one = |way: Way| {
                setting.now(&format!("{what}: {} of {} at ρ = {}", way.name(), data.name, rho.to_f64()));
                Ok((way, data.run(way, rho)?.map(|run| RunFigures::of(&run)).transpose()?))
            };
            let outcomes: Result<Vec<(Way, Option<RunFigures>)>> = ways.iter().map(|way| one(*way)).collect();
            rows.push(Row { data, rho, rules: data.rules()?, outcomes: outcomes? });
        }
    }
    Ok(rows)
}

impl RunFigures {
    fn of(run: &Run<'_>) -> Result<RunFigures> {
        let [of_sensitive, of_others] = run.deleted_of_sensitive_and_others()?;
        Ok(RunFigures {
            lost: run.lost(),
            deleted: run.deleted()?,
            of_sensitive,
            of_others,
            symmetric_kl: run.symmetric_kl()?,
            kinds_gone: run.kinds_gone(),
            timed: run.timed,
            rules: run.rules()?,
        })
    }
}

impl Row<'_> {
    /// What came of a way; nothing if it was not tried, or if no release of it is possible.
    pub fn of(&self, way: Way) -> Option<RunFigures> {
        self.outcomes.iter().find(|(tried, _)| *tried == way).and_then(|(_, outcome)| *outcome)
    }

    /// Whether one way has the least of something, of those that the paper compares.
    pub fn is_least(&self, way: Way, value: impl Fn(RunFigures) -> f64) -> bool {
        let own = self.of(way).map_or(f64::INFINITY, &value);
        PAPERS.iter().filter_map(|other| self.of(*other)).all(|other| own <= value(other))
    }

    /// The way of those that the paper compares that has the least of something.
    pub fn least(&self, value: impl Fn(RunFigures) -> f64) -> Option<Way> {
        let valued = PAPERS.into_iter().filter_map(|way| Some((way, value(self.of(way)?))));
        valued.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(way, _)| way)
    }

    /// As in `WV at ρ = 0.3`.
    pub fn case(&self) -> String {
        format!("{} at ρ = {}", self.data.label(), self.rho.to_f64())
    }

    /// Similarity of rules by a way; nothing where the original has no rules to compare.
    pub fn similarity(&self, way: Way, confidence: usize) -> Option<f64> {
        let outcome = self.of(way).filter(|_| self.rules[confidence] > 0.0)?;
        Some(outcome.rules[confidence].jaccard)
    }

    /// The share of the original's rules that are still there.
    pub fn rules_kept(&self, way: Way, confidence: usize) -> Option<f64> {
        let outcome = self.of(way).filter(|_| self.rules[confidence] > 0.0)?;
        Some(1.0 - outcome.rules[confidence].lost / self.rules[confidence])
    }
}

/// The rows of one ρ.
pub fn at<'r, 'a>(rows: &'r [Row<'a>], rho: Fraction) -> impl Iterator<Item = &'r Row<'a>> {
    rows.iter().filter(move |row| row.rho == rho)
}

/// The rows that can stand beside the paper's.
pub fn comparable<'r, 'a>(rows: &'r [Row<'a>]) -> Vec<&'r Row<'a>> {
    rows.iter().filter(|row| row.data.is_comparable()).collect()
}

/// As in `6 cases (WV, Retail, Syn (part); both ρ)`.
pub fn cases(rows: &[&Row<'_>]) -> String {
    let names: Vec<String> = rows.iter().filter(|row| row.rho == RHOS[0]).map(|row| row.data.label()).collect();
    format!("{} cases ({}; both ρ)", rows.len(), names.join(", "))
}

/// The cases in which another way has less of something, and which: as in `WV at ρ = 0.3 (Global)`.
pub fn exceptions(rows: &[&Row<'_>], way: Way, value: fn(RunFigures) -> f64) -> Vec<String> {
    let others = rows.iter().filter(|row| !row.is_least(way, value));
    others.filter_map(|row| Some(format!("{} ({})", row.case(), row.least(value)?.name()))).collect()
}

/// The heading of a way's column.
pub fn heading(way: Way) -> String {
    match way {
        Way::Mine { t_max: None, .. } | Way::Dist { t_max: None, .. } => format!("{}, undivided", way.name()),
        _ => way.name().into(),
    }
}

/// A table with a row for each data set and a column for each way, and bars of those that the paper
/// compares.
pub fn table(title: String, up: &str, ways: &[Way], column: fn(String) -> Column, log: bool) -> Table {
    let columns = [Column::text("data")].into_iter().chain(ways.iter().map(|way| column(heading(*way))));
    let drawn = ways.iter().filter(|way| PAPERS.contains(way)).map(|way| heading(*way));
    let chart = Chart::bars(&title, "data", up, drawn);
    Table::new(title, columns).chart(if log { chart.log() } else { chart })
}

/// A row for a data set.
pub fn cells(row: &Row<'_>, ways: &[Way], value: impl Fn(Way) -> Option<f64>) -> Vec<Cell> {
    [Cell::from(row.data.label())].into_iter().chain(ways.iter().map(|way| value(*way).into())).collect()
}

/// How a confidence of rules is written.
pub fn percent(confidence: usize) -> &'static str {
    if CONFIDENCES[confidence] == "0.3" { "30 %" } else { "70 %" }
}
