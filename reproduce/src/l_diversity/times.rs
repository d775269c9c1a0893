//! Figures 13 and 14: the time to find all k-anonymous tables, and all diverse ones.

use super::ADULT;
use super::lands_end::{self, Sales};
use super::study::{Rules, Study, Wish};
use crate::adult::{self, Adult};
use crate::page::{Cell, Chart, Column, Filled, Section, Source, Table, Unit};
use crate::{Setting, clock};
use sfumato::Result;
use sfumato::data;
use std::time::Duration;

/// k, and l.
const SIX: usize = 6;

/// One search.
struct Timed {
    time: Duration,
    safe: u64,
    checked: u64,
}

/// Both searches with one quasi-identifier.
struct Pair {
    columns: usize,
    nodes: u64,
    anonymous: Timed,
    diverse: Timed,
}

/// Figure 13.
pub fn on_adult(setting: &Setting<'_>, people: &Adult) -> Result<Section> {
    setting.now("all 6-anonymous and all 6-diverse tables of Adult");
    let runs = setting.pick(2, 5);
    let pairs = measure(&people.table, &ADULT, "occupation", adult::hierarchy, runs)?;
    let section = Section::new("figure-13", "Figure 13: time to find all safe tables of Adult", people.source.clone());
    let words = "The sensitive attribute is occupation; the quasi-identifier has the first 3 to 8 attributes of the paper's Figure 7, \
                 the salary class being the eighth, which has no tree and is kept or suppressed.";
    Ok(describe(section, words, (&pairs, runs), |reason| people.because(reason)))
}

/// Figure 14.
pub fn on_lands_end(setting: &Setting<'_>, sales: &Sales) -> Result<Section> {
    setting.now("all 6-anonymous and all 6-diverse tables of made-up sales");
    let runs = setting.pick(1, 2);
    let (quasi, sensitive) = (&lands_end::COLUMNS[..7], lands_end::COLUMNS[7]);
    let pairs = measure(&sales.table, quasi, sensitive, lands_end::hierarchy, runs)?;
    let source = Source::clone(&sales.source);
    let section = Section::new("figure-14", "Figure 14: time to find all safe tables of Lands End", source);
    let words = "The sensitive attribute is cost; the quasi-identifier has the first 3 to 7 attributes of the paper's Figure 8. \
                 The paper goes on to 8, where the eighth is cost itself.";
    Ok(describe(section, words, (&pairs, runs), str::to_string))
}

fn measure(table: &data::Table, quasi: &[&str], sensitive: &str, rules: Rules, runs: usize) -> Result<Vec<Pair>> {
    let pair = |columns: usize| {
        let study = Study::new(table, &quasi[..columns], sensitive, rules)?;
        let timed = |wish: Wish| {
            let (time, found) = clock::with_threads(1, || clock::best(runs, || study.search(wish)));
            let found = found?;
            let count = |number: fn(&sfumato::anonymize::Generalization) -> u64| found.as_ref().map_or(0, number);
            Ok((
                Timed { time, safe: count(|found| found.safe), checked: count(|found| found.checked) },
                count(|found| found.nodes),
            ))
        };
        let (anonymous, nodes) = timed(Wish::Anonymous(SIX))?;
        Ok(Pair { columns, nodes, anonymous, diverse: timed(Wish::Entropy(SIX))?.0 })
    };
    (3..=quasi.len()).map(pair).collect()
}

const SERIES: [&str; 2] = ["6-anonymity", "entropy 6-diversity"];

fn describe(
    section: Section,
    words: &str,
    (pairs, runs): (&[Pair], usize),
    because: impl Fn(&str) -> String,
) -> Section {
    let how = format!(
        "{words} Incognito from the table in memory to the list of all safe generalizations, one thread, {}. A \
         generalization is looked at only if those decided before leave it open.",
        if runs == 1 { "one run".to_string() } else { format!("the shortest of {runs} runs") }
    );
    let paper = "The paper's times, a figure without numbers, are of a Java program with a database (IBM DB2) on a 3 GHz Pentium 4: \
                 what can be compared is how the two criteria stand to each other.";
    let ratios: Vec<f64> = pairs.iter().map(|pair| clock::ratio(pair.diverse.time, pair.anonymous.time)).collect();
    let most = ratios.iter().copied().fold(0.0, f64::max);
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let similar = "the running times for k-anonymity and ℓ-diversity were similar";
    let faster = ratios.iter().filter(|ratio| **ratio < 1.0).count();
    section
        .words(how)
        .words(paper)
        .timing()
        .table(table(pairs, &ratios))
        .compare(
            "largest ratio of diversity's time to anonymity's",
            (most, Unit::Times),
            similar,
            most <= 2.0,
            &because(
                "A generalization costs more to look at: for anonymity the sizes of groups are added up in memory, for diversity the counts of every value in \
                 them; the paper's program asks a database either way.",
            ),
        )
        .compare(
            "smallest ratio of diversity's time to anonymity's",
            (least, Unit::Times),
            similar,
            least >= 0.5,
            &because(
                "Where diversity leaves more of the lattice alone (the last two columns), that saves more here than it costs to count values.",
            ),
        )
        .compare(
            "quasi-identifiers for which diversity was faster",
            (faster as f64, Unit::Count),
            "Sometimes the running time for ℓ-diversity was faster",
            faster > 0,
            &because(
                "What diversity saves where it leaves more of the lattice alone (the last two columns) is less here than what it costs to count values.",
            ),
        )
}

fn table(pairs: &[Pair], ratios: &[f64]) -> Table {
    let columns: [Filled<'_, (&Pair, &f64)>; 9] = [
        (Column::count("attributes"), &|(pair, _)| pair.columns.into()),
        (Column::count("generalizations"), &|(pair, _)| pair.nodes.into()),
        (Column::time(SERIES[0]), &|(pair, _)| pair.anonymous.time.into()),
        (Column::time(SERIES[1]), &|(pair, _)| pair.diverse.time.into()),
        (Column::times("ratio"), &|(_, ratio)| Cell::from(**ratio)),
        (Column::count("6-anonymous"), &|(pair, _)| pair.anonymous.safe.into()),
        (Column::count("6-diverse"), &|(pair, _)| pair.diverse.safe.into()),
        (Column::count("looked at for 6-anonymity"), &|(pair, _)| pair.anonymous.checked.into()),
        (Column::count("looked at for 6-diversity"), &|(pair, _)| pair.diverse.checked.into()),
    ];
    let table = Table::of("", pairs.iter().zip(ratios), columns);
    table.chart(Chart::lines("Time to find all safe tables", "attributes", "time", SERIES).log())
}
