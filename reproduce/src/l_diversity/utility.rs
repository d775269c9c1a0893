//! Figures 15 to 18: height, group size and discernibility of the best anonymous and diverse tables
//! of small samples.

use super::study::{Rules, Study, WISHES, Worth};
use super::{LEVELS, QUASI, Samples, compare_share, mean, share};
use crate::Setting;
use crate::adult::{self, Adult};
use crate::page::{Cell, Chart, Column, Section, Table, Unit};
use rayon::prelude::*;
use sfumato::Result;
use std::cmp::Ordering;

/// The best worth of each sample, for each k or l and criterion; nothing where no table is safe.
pub struct Best {
    /// By k or l, then by criterion, then by sample.
    cells: Vec<[Vec<Option<Worth>>; 3]>,
}

impl Best {
    /// Searches every sample for every criterion.
    pub fn find(samples: &Samples, quasi: &[&str], rules: Rules) -> Result<Best> {
        let of_level = |level: usize| {
            let mut found = [Vec::new(), Vec::new(), Vec::new()];
            for (found, (_, wish)) in found.iter_mut().zip(WISHES) {
                let one = |table| Study::new(table, quasi, "occupation", rules)?.best(wish(level));
                *found = samples.tables.par_iter().map(one).collect::<Result<_>>()?;
            }
            Ok(found)
        };
        Ok(Best { cells: LEVELS.into_iter().map(of_level).collect::<Result<_>>()? })
    }

    /// What safe tables of the samples measure at a k or l.
    pub fn values(&self, level: usize, criterion: usize, of: fn(&Worth) -> f64) -> Vec<f64> {
        self.cells[level][criterion].iter().flatten().map(of).collect()
    }

    /// The mean over samples that have a safe table.
    pub fn mean(&self, level: usize, criterion: usize, of: fn(&Worth) -> f64) -> Option<f64> {
        mean(&self.values(level, criterion, of))
    }

    /// How the best tables by two criteria stand to each other in each sample that has both.
    fn pairs<T>(&self, level: usize, criteria: [usize; 2], asked: impl Fn(&Worth, &Worth) -> T) -> Vec<T> {
        let [ones, others] = criteria.map(|criterion| self.cells[level][criterion].iter());
        ones.zip(others).filter_map(|(one, other)| Some(asked(one.as_ref()?, other.as_ref()?))).collect()
    }

    /// Whether a diverse table of each sample stands to the anonymous one as is asked.
    fn against_anonymity(&self, level: usize, criterion: usize, asked: fn(&Worth, &Worth) -> bool) -> Vec<bool> {
        self.pairs(level, [0, criterion], asked)
    }

    /// How recursive tables stand to entropy ones in each sample: less is better.
    pub fn against_entropy(&self, level: usize, of: fn(&Worth) -> f64) -> Vec<Ordering> {
        self.pairs(level, [2, 1], |recursive, entropy| of(recursive).total_cmp(&of(entropy)))
    }

    /// The same over every k or l and both diversities.
    fn all_against_anonymity(&self, asked: fn(&Worth, &Worth) -> bool) -> Vec<bool> {
        let of_level = |level| [1, 2].map(|criterion| self.against_anonymity(level, criterion, asked)).concat();
        (0..LEVELS.len()).flat_map(of_level).collect()
    }
}

/// The share of pairs in which the first is better, as good and worse; nothing if there are none.
pub fn outcomes(pairs: &[Ordering]) -> Option<[f64; 3]> {
    let of = |wanted: Ordering| share(&pairs.iter().map(|found| *found == wanted).collect::<Vec<bool>>());
    Some([of(Ordering::Less)?, of(Ordering::Equal)?, of(Ordering::Greater)?])
}

fn has_the_same_height(anonymous: &Worth, diverse: &Worth) -> bool {
    anonymous.height == diverse.height
}

fn has_comparable_groups(anonymous: &Worth, diverse: &Worth) -> bool {
    diverse.group_size <= 2.0 * anonymous.group_size
}

/// A metric: its name, what goes up, its decimals and where it is.
type Metric = (&'static str, usize, fn(&Worth) -> f64);

const METRICS: [Metric; 3] = [
    ("minimum generalization height", 2, |worth| worth.height),
    ("minimum average group size", 1, |worth| worth.group_size),
    ("minimum discernibility", 0, |worth| worth.discernibility),
];

/// Figures 15 to 18.
pub fn sections(setting: &Setting<'_>, people: &Adult, samples: &Samples) -> Result<Vec<Section>> {
    let (mut sections, mut equal) = (Vec::new(), Vec::new());
    for (number, (name, quasi)) in (15..).zip(QUASI) {
        setting.now(&format!("the best tables of samples: Figure {number}"));
        let best = Best::find(samples, quasi, adult::hierarchy)?;
        sections.push(section(number, name, &best, people, samples));
        equal.extend(best.all_against_anonymity(has_the_same_height));
    }
    let last = sections.pop().map(|section| compare_heights(section, "Figures 15 to 18: ", &equal, people));
    sections.extend(last);
    Ok(sections)
}

fn section(number: usize, quasi: &str, best: &Best, people: &Adult, samples: &Samples) -> Section {
    let title = format!("Figure {number}: utility on samples, Q = {quasi}");
    let words = format!(
        "{} Bernoulli samples with fixed seeds, each searched for all safe full-domain generalizations; the sensitive attribute is occupation. A \
         figure is the mean over the samples that have a safe table, with the least and the most beside it: the paper shows one sample.",
        samples.tables.len()
    );
    let mut section = Section::new(&format!("figure-{number}"), &title, samples.source.clone()).words(words);
    for metric in METRICS {
        section = section.table(table(best, metric));
    }
    compare(section.table(heights(best)), best, people)
}

fn table(best: &Best, (name, decimals, of): Metric) -> Table {
    let means = WISHES.map(|(wish, _)| Column::number(wish, decimals));
    let ranges = WISHES.map(|(wish, _)| Column::text(format!("{wish}: least to most")));
    let columns = std::iter::once(Column::count("k = l")).chain(means).chain(ranges);
    let mut table = Table::new(capitalized(name), columns);
    for (level, number) in LEVELS.into_iter().enumerate() {
        let means = (0..3).map(|criterion| Cell::from(best.mean(level, criterion, of)));
        let ranges = (0..3).map(|criterion| range(best, level, criterion, (decimals, of)));
        table.row(std::iter::once(Cell::from(number)).chain(means).chain(ranges));
    }
    let chart = Chart::lines(&capitalized(name), "k = l", name, WISHES.map(|(wish, _)| wish));
    table.chart(chart)
}

/// The least and the most, and how many samples have a safe table if not all do.
fn range(best: &Best, level: usize, criterion: usize, (decimals, of): (usize, fn(&Worth) -> f64)) -> Cell {
    let values = best.values(level, criterion, of);
    let samples = best.cells[level][criterion].len();
    let show = |value: f64| Unit::Number(if value.fract() == 0.0 { 0 } else { decimals }).show(value);
    let least = values.iter().copied().reduce(f64::min);
    let most = values.iter().copied().reduce(f64::max);
    let Some((least, most)) = least.zip(most) else { return Cell::Nothing };
    let range = if least == most { show(least) } else { format!("{} to {}", show(least), show(most)) };
    if values.len() < samples {
        format!("{range} ({} of {samples} samples)", values.len()).into()
    } else {
        range.into()
    }
}

/// In how many samples the least height is that of k-anonymity.
fn heights(best: &Best) -> Table {
    let columns = [Column::count("k = l"), Column::share(WISHES[1].0, 0), Column::share(WISHES[2].0, 0)];
    let mut table = Table::new("Samples in which the minimum height is that of k-anonymity", columns);
    for (level, number) in LEVELS.into_iter().enumerate() {
        let of = |criterion| share(&best.against_anonymity(level, criterion, has_the_same_height));
        table.row([Cell::from(number), of(1).into(), of(2).into()]);
    }
    table
}

fn compare_heights(section: Section, of: &str, equal: &[bool], people: &Adult) -> Section {
    let why = people.because(
        "A diverse table is anonymous too, so that its height is never less; how often it is more depends on l (the last table) and on the sample, \
         and the paper shows one in which it found ages less skewed than they are in ours.",
    );
    compare_share(
        section,
        format!("{of}diverse tables with the minimum height of anonymous ones"),
        equal,
        ("the minimum generalization heights for identical values of k and ℓ were usually identical", |share| {
            share > 0.5
        }),
        &why,
    )
}

fn compare(section: Section, best: &Best, people: &Adult) -> Section {
    let why = people.because("Which tables are safe depends on the sample, and the paper shows one.");
    let section = compare_heights(section, "", &best.all_against_anonymity(has_the_same_height), people);
    let section = compare_share(
        section,
        "diverse tables with at most twice the group size of anonymous ones",
        &best.all_against_anonymity(has_comparable_groups),
        ("often (but not always) had comparable utility", |share| (0.5..1.0).contains(&share)),
        &why,
    );
    let pairs: Vec<Ordering> =
        (0..LEVELS.len()).flat_map(|level| best.against_entropy(level, |worth| worth.group_size)).collect();
    let Some([smaller, equal, larger]) = outcomes(&pairs) else { return section };
    let [same, worse] = [equal, larger].map(|share| Unit::Share(0).show(share));
    section.compare(
        "samples and values of l in which recursive tables have smaller groups than entropy ones",
        (smaller, Unit::Share(0)),
        "recursive (3, ℓ)-diversity permits tables which have better utility than entropy ℓ-diversity",
        smaller > 0.0 && larger == 0.0,
        &people.because(&format!(
            "Groups are of one size in {same} of the cases and those of recursive tables larger in {worse}: neither criterion implies the other, \
             and which tables are safe depends on the sample, of which the paper shows one."
        )),
    )
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
