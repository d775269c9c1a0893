//! Skewed sensitive values (l-dichotomy): how often samples need suppression, what each way to
//! suppress costs, and what it tells.

mod attack;
mod by_loop;
mod deciding;
mod listing;
mod samples;
mod trade_off;
mod zipf;

use crate::page::Section;
use crate::subject::Subject;
use crate::{Setting, files};
use rayon::prelude::*;
use sfumato::Result;
use sfumato::skew::{self, KINDS, PublishedCounts, Skewed, Suppression};
use std::collections::BTreeMap;

pub const SUBJECT: Subject = Subject {
    name: "skewed",
    title: "Skewed sensitive values: withholding records of a value that is too frequent",
    summary: "Figures 5 to 8, the belief that R-suppression leaves to somebody who computes, and what hiding costs",
    reference: "Publishing Skewed Sensitive Microdata (l-dichotomy)",
    needs: &files::ADULT,
    experiments,
};

fn experiments(setting: &Setting<'_>) -> Result<Vec<Section>> {
    let population = samples::Population::load(setting)?;
    let drawn = samples::draw(setting, &population);
    let mut sections = samples::sections(&population, &drawn);
    sections.extend(zipf::sections()?);
    let zipf_by_l = attack::zipf_by_l(setting)?;
    sections.extend(attack::sections(setting, &population, &drawn, &zipf_by_l)?);
    sections.push(trade_off::section(&zipf_by_l));
    sections.extend(deciding::sections(setting)?);
    sections.extend(listing::sections(setting)?);
    Ok(sections)
}

/// The ways to suppress, in the order of the library's list, as tables call them: `unsafe-d`,
/// `r-suppression`, `calibrated` and `safe-d` in plans.
const WAYS: [&str; KINDS.len()] = ["Unsafe D", "R-suppression", "rank insertion (ours)", "Safe D"];
const UNSAFE: usize = 0;
const RANDOM: usize = 1;
const RANK: usize = 2;
const SAFE: usize = 3;

/// A way to suppress by its place in the list.
fn way(at: usize) -> Box<dyn Suppression> {
    skew::make(KINDS[at])
}

/// The shares of records that all ways withhold, in the mean, computed exactly.
fn rates(table: &Skewed) -> [f64; KINDS.len()] {
    KINDS.map(|kind| skew::make(kind).expected(table).to_f64().value() / table.records() as f64)
}

/// Something that may be published, and the highest belief of somebody who sees it.
struct Sight {
    counts: Vec<u64>,
    chance: f64,
    belief: f64,
}

/// Everything that may be published of a table, likeliest first; what no belief could be computed
/// for is left out.
fn sights(way: &dyn Suppression, table: &Skewed) -> Vec<Sight> {
    let mut alike: BTreeMap<Vec<u64>, f64> = BTreeMap::new();
    for outcome in way.outcomes(table, u64::MAX).unwrap_or_default() {
        *alike.entry(outcome.seen()).or_default() += outcome.chance.to_f64().value();
    }
    let sight = |(counts, chance): (Vec<u64>, f64)| {
        let seen = PublishedCounts { counts, records: table.records(), l: table.l() };
        let highest = way.beliefs(&seen)?.into_iter().max()?;
        Some(Sight { counts: seen.counts, chance, belief: highest.to_f64().value() })
    };
    let mut sights: Vec<Sight> = alike.into_par_iter().filter_map(sight).collect();
    sights.sort_by(|a, b| b.chance.total_cmp(&a.chance));
    sights
}

/// What sights come to.
#[derive(Clone, Copy, Default)]
struct Told {
    /// The highest belief, in the mean over what may be published.
    mean: f64,
    /// The highest of all.
    worst: f64,
    /// The chance that it is above 1/l.
    above: f64,
    /// The chance of everything that a belief could be computed for; mean and chance above are
    /// among those.
    computed: f64,
}

impl Told {
    fn new(sights: &[Sight], l: u64) -> Told {
        let limit = 1.0 / l as f64 + 1e-9;
        let mut told = Told::default();
        for Sight { chance, belief, .. } in sights {
            told.computed += chance;
            told.mean += chance * belief;
            told.worst = told.worst.max(*belief);
            told.above += if *belief > limit { *chance } else { 0.0 };
        }
        Told { mean: told.mean / told.computed, above: told.above / told.computed, ..told }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_call_ways_by_their_places() {
        assert_eq!(KINDS.map(|kind| kind.name), ["unsafe-d", "r-suppression", "calibrated", "safe-d"]);
    }

    #[test]
    fn the_worked_example_comes_out() {
        let table = Skewed::new(&[10, 4, 2, 1, 1], 3).unwrap();
        let found = sights(&*way(RANDOM), &table);
        assert_eq!(found[0].counts, [4, 4, 2, 1, 1]);
        assert!((found[0].chance - 4.0 / 9.0).abs() < 1e-12 && (found[0].belief - 0.461).abs() < 5e-4);
        assert!((found.iter().map(|sight| sight.chance).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(Told::new(&sights(&*way(RANK), &table), 3).above == 0.0);
    }

    #[test]
    fn every_figure_comes_out_of_made_up_tables() {
        let sections = experiments(&Setting::made_up().quick()).unwrap();
        let zipf = sections.iter().find(|section| section.id == "figure-8b").unwrap();
        assert!(zipf.verified.len() > 16 && zipf.verified.iter().all(|verified| verified.agrees));
    }
}
