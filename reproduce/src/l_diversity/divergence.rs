//! Figures 19 and 20: how far the best anonymous and diverse tables are from the joint distribution
//! of quasi-identifiers and occupation.

use super::study::{Rules, Study, WISHES};
use super::utility::{Best, outcomes};
use super::{LEVELS, ORIGINS, QUASI, Samples, compare_share, mean};
use crate::Setting;
use crate::adult::{self, Adult};
use crate::page::{Cell, Chart, Column, Section, Source, Table, Unit};
use sfumato::{Result, data};
use std::cmp::Ordering;

/// The places of 6 and 10 among the values of k and l.
const SIX: usize = 2;
const TEN: usize = 4;

/// The best tables for one quasi-identifier, and the table in which it is suppressed.
struct Bars {
    quasi: String,
    base: f64,
    /// By k or l, then by criterion.
    best: Vec<[Option<f64>; 3]>,
    /// How recursive (3, 6)-diversity stands to entropy 6-diversity in each sample.
    at_six: Vec<Ordering>,
}

impl Bars {
    fn find(samples: &Samples, quasi: impl Into<String>, columns: &[&str], rules: Rules) -> Result<Bars> {
        let base = samples.tables.iter().map(|table| baseline(table, columns)).collect::<Result<Vec<_>>>()?;
        let best = Best::find(samples, columns, rules)?;
        let of_level = |level| [0, 1, 2].map(|criterion| best.mean(level, criterion, |worth| worth.divergence));
        let base = mean(&base).unwrap_or(f64::NAN);
        let at_six = best.against_entropy(SIX, |worth| worth.divergence);
        Ok(Bars { quasi: quasi.into(), base, best: (0..LEVELS.len()).map(of_level).collect(), at_six })
    }

    /// Pairs of k = l with its three bars.
    fn levels(&self) -> impl Iterator<Item = (usize, &[Option<f64>; 3])> {
        LEVELS.into_iter().zip(&self.best)
    }

    /// The most that diversity adds to the divergence of k-anonymity for k = l up to 6, as a share
    /// of the baseline.
    fn added_by_diversity(&self) -> f64 {
        let small = self.levels().filter(|(level, _)| *level <= 6);
        let added = |best: &[Option<f64>; 3]| {
            [1, 2].into_iter().filter_map(|criterion| Some(best[criterion]? - best[0]?)).fold(0.0, f64::max)
        };
        small.map(|(_, best)| added(best) / self.base).fold(0.0, f64::max)
    }

    fn table(&self) -> Table {
        let wishes = WISHES.map(|(wish, _)| Column::number(wish, 3));
        let base = Column::number("base", 3);
        let mut table = Table::new(
            format!("Q = {}", self.quasi),
            std::iter::once(Column::text("k = l")).chain(wishes).chain([base]),
        );
        for (level, best) in self.levels() {
            let best = best.iter().map(|value| Cell::from(*value));
            table.row(std::iter::once(Cell::from(level.to_string())).chain(best).chain([self.base.into()]));
        }
        let chart = Chart::bars(
            &format!("KL-divergence of the best table, Q = {}", self.quasi),
            "k = l",
            "KL-divergence",
            WISHES.map(|(wish, _)| wish),
        );
        table.chart(chart.limit(self.base, "all of Q suppressed"))
    }
}

/// The divergence of the table with every quasi-identifier suppressed.
fn baseline(table: &data::Table, quasi: &[&str]) -> Result<f64> {
    let study = Study::new(table, quasi, "occupation", adult::hierarchy)?;
    Ok(study.worth(&[study.top()?])?[0].divergence)
}

/// Figures 19 and 20.
pub fn sections(setting: &Setting<'_>, people: &Adult, samples: &Samples) -> Result<Vec<Section>> {
    setting.now("divergence of the best tables of samples: Figure 19");
    let of_samples = bars(samples)?;
    setting.now("divergence of the best tables: Figure 20");
    let whole = Samples { tables: vec![people.table.clone()], source: people.source.clone() };
    let of_whole = bars(&whole)?;
    // No tree is part of the first: only where ranges of ages start is open.
    let (origin, rules) = ORIGINS[1];
    let from_zero = Bars::find(&whole, format!("{}, {origin}", QUASI[0].0), QUASI[0].1, rules)?;
    Ok(vec![figure_19(&of_samples, people, samples), figure_20(&of_whole, &from_zero, people)])
}

fn bars(samples: &Samples) -> Result<Vec<Bars>> {
    QUASI[..3].iter().map(|(name, columns)| Bars::find(samples, *name, columns, ORIGINS[0].1)).collect()
}

const HOW: &str = "The least KL-divergence (natural logarithms) between the table's joint distribution of Q and occupation and the one that \
                   a safe table suggests, over all safe full-domain generalizations; the baseline is the table in which all of Q is suppressed.";

fn with_tables<'b>(id: &str, title: &str, source: Source, bars: impl IntoIterator<Item = &'b Bars>) -> Section {
    let section = Section::new(id, title, source).words(HOW);
    bars.into_iter().fold(section, |section, one| section.table(one.table()))
}

fn figure_19(bars: &[Bars], people: &Adult, samples: &Samples) -> Section {
    let title = "Figure 19: KL-divergence on samples";
    let why = people.because("It depends on the sample: the paper shows one, here are means of several.");
    let far = bars.iter().flat_map(|one| {
        let large = one.levels().filter(|(level, _)| *level >= 8);
        large.flat_map(|(_, best)| best[1..].iter().flatten().map(|value| 1.0 - value / one.base))
    });
    let far = far.fold(0.0, f64::max);
    let section = with_tables("figure-19", title, samples.source.clone(), bars)
        .words("Means over the samples that have a safe table. Areas count the values of the whole table, whoever is in a sample.")
        .compare(
            "farthest below the baseline at l = 8, 10",
            (far, Unit::Share(0)),
            "for ℓ = 8, 10, the best tables were very close to the baseline",
            far <= 0.1,
            &why,
        );
    let pairs: Vec<Ordering> = bars.iter().flat_map(|one| one.at_six.iter().copied()).collect();
    let Some([nearer, equal, farther]) = outcomes(&pairs) else { return section };
    let [same, worse] = [equal, farther].map(|share| Unit::Share(0).show(share));
    section.compare(
        "samples and quasi-identifiers in which recursive (3, 6) is nearer than entropy 6",
        (nearer, Unit::Share(0)),
        "For ℓ = 6, the recursive definition performs better than the entropy definition",
        nearer > 0.5,
        &people.because(&format!(
            "Both are equally near in {same} of the cases, and entropy is nearer in {worse}: it depends on the sample, and the paper shows one."
        )),
    )
}

/// For the first quasi-identifier, also with ranges of ages that start at 0.
fn figure_20(bars: &[Bars], from_zero: &Bars, people: &Adult) -> Section {
    let shown = || bars.iter().chain([from_zero]);
    let section =
        with_tables("figure-20", "Figure 20: KL-divergence on the whole table", people.source.clone(), shown());
    let far = people.because("The words are about a picture without numbers, and here close is within a tenth of the baseline; it depends on where ranges of ages start (the first and the last table).");
    let section = shown().fold(section, |section, one| {
        let added = one.added_by_diversity();
        section.compare(
            format!("most that diversity adds at k = l = 2, 4, 6, as a share of the baseline, Q = {}", one.quasi),
            (added, Unit::Share(0)),
            "very close to the KL-divergence to the best k-anonymous table",
            added <= 0.1,
            &far,
        )
    });
    let lower = |one: &Bars| {
        [1, 2].into_iter().filter_map(|criterion| Some(one.best[TEN][criterion]? > one.best[SIX][criterion]?)).collect()
    };
    let similar =
        |one: &Bars| one.levels().filter_map(|(_, best)| Some((best[1]? - best[2]?).abs() <= 0.1 * one.base)).collect();
    let each = |asked: &dyn Fn(&Bars) -> Vec<bool>| bars.iter().flat_map(asked).collect::<Vec<bool>>();
    let section = compare_share(
        section,
        "diverse tables at l = 10 that are farther than at l = 6",
        &each(&lower),
        ("for larger values of ℓ, the utility of ℓ-diverse tables is lower", |share| share == 1.0),
        &people.because("What is 10-diverse is 6-diverse too, so that it is never nearer; where it is not farther, one table is the best for both."),
    );
    compare_share(
        section,
        "entropy and recursive tables that are close to each other",
        &each(&similar),
        ("often have similar utility", |share| share >= 0.5),
        &people.because(
            "The words are about a picture without numbers, and here close is within a tenth of the baseline.",
        ),
    )
}
