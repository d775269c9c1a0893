//! Figure 8: how the time of SkylineAnonymize grows with the number of records.

use super::form::form;
use super::people::{self, schema};
use super::{CONFIDENCE, Knowledge, PRIORITIES, SETTINGS, WHERE_CUTTING_ENDS, per_step, point, sizes};
use crate::Setting;
use crate::clock::{best, ratio, with_threads};
use crate::page::{Cell, Chart, Column, Section, Source, Table, Unit};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use sfumato::Result;
use sfumato::data::Table as Records;
use sfumato::report::grouped;
use std::time::Duration;

/// What was measured on one table.
struct Measured {
    records: usize,
    mondrian: Duration,
    sorting: Duration,
    /// For each setting the time and how many groups came out.
    formed: Vec<(Duration, usize)>,
}

pub fn section(setting: &Setting<'_>) -> Result<Section> {
    let mut measured = Vec::new();
    let mut priorities = Vec::new();
    for records in sizes(setting) {
        setting.now(&format!("Figure 8, {} records", grouped(records)));
        let table = people::table(records)?;
        measured.push(Measured::new(&table)?);
        if priorities.is_empty() {
            setting.now("Figure 8, other priorities of cuts");
            priorities = by_priority(&table)?;
        }
    }
    let first = measured[0].records;
    let source = Source::synthetic("made-up people as in Agrawal, Imielinski and Swami 1993");
    let section = Section::new("figure-8", "Figure 8: scale-up of SkylineAnonymize", source)
        .words(format!(
            "Eight quasi-identifiers with 5 to 130,001 values; the zip code, with nine values, is sensitive and protected at a confidence of {CONFIDENCE}, which the paper does not state. Cuts along the widest \
             quasi-identifier first; two threads; records in memory; the best of two runs up to two million records, one run of more. Beside it strict Mondrian with k = 1000 on the same table, and sorting as many pairs of random numbers."
        ))
        .words("t/(n log n) is relative to the smallest table: 1 where time grows as sorting does.")
        .table(by_size(&measured))
        .table(priority_table(first, &priorities));
    Ok(growth(section, &measured).timing())
}

impl Measured {
    fn new(table: &Records) -> Result<Measured> {
        let mondrian = || form(table, &schema(), "criterion = \"k-anonymity\"\nk = 1000", "mondrian", &[]);
        let (mondrian, found) = with_threads(2, || best(runs(table.rows()), mondrian));
        found?;
        let records = table.rows();
        let runs = runs(records);
        let formed = SETTINGS.map(|knowledge| timed(table, knowledge, PRIORITIES[0], runs));
        let formed = formed.into_iter().collect::<Result<_>>()?;
        Ok(Measured { records, mondrian, sorting: with_threads(2, || sorting(records)), formed })
    }

    fn per_step(&self, setting: usize) -> f64 {
        per_step(self.formed[setting].0, self.records)
    }
}

/// Large tables are divided once, others twice.
fn runs(records: usize) -> usize {
    if records > 2_000_000 { 1 } else { 2 }
}

/// The time to form groups, and how many there are.
fn timed(table: &Records, knowledge: Knowledge, priority: &str, runs: usize) -> Result<(Duration, usize)> {
    let criterion = point(knowledge, CONFIDENCE);
    let work = || form(table, &schema(), &criterion, "skyline-anonymize", &[("priority", priority)]);
    let (time, found) = with_threads(2, || best(runs, work));
    Ok((time, found?.groups.len()))
}

/// Sorting pairs of random numbers.
fn sorting(rows: usize) -> Duration {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let pairs: Vec<[u64; 2]> = (0..rows).map(|_| [random.next_u64(), random.next_u64()]).collect();
    let sort = || {
        let mut copy = pairs.clone();
        best(1, || copy.par_sort_unstable()).0
    };
    sort().min(sort())
}

fn by_size(measured: &[Measured]) -> Table {
    let of_setting = |known: &Knowledge| {
        let name = format!("{known:?}");
        let groups = format!("{name}: groups");
        [Column::time(&name), Column::number(format!("{name}: t/(n log n)"), 2), Column::count(groups)]
    };
    let baselines = [Column::count("records"), Column::time("Mondrian"), Column::time("sorting")];
    let columns = baselines.into_iter().chain(SETTINGS.iter().flat_map(of_setting));
    let series = SETTINGS.iter().map(|known| format!("{known:?}")).chain(["Mondrian".to_string()]);
    let chart = Chart::lines("Time to form groups", "records", "seconds", series);
    let mut table = Table::new("Records in memory", columns).chart(chart);
    for one in measured {
        let of_setting = |(at, (time, groups)): (usize, &(Duration, usize))| {
            let relative = one.per_step(at) / measured[0].per_step(at);
            [Cell::from(*time), relative.into(), (*groups).into()]
        };
        let baselines = [one.records.into(), one.mondrian.into(), one.sorting.into()];
        table.row(baselines.into_iter().chain(one.formed.iter().enumerate().flat_map(of_setting)));
    }
    table
}

/// For each priority and setting the time and the number of groups.
type ByPriority = Vec<(&'static str, Vec<(Duration, usize)>)>;

fn by_priority(table: &Records) -> Result<ByPriority> {
    let of_priority = |priority| {
        let formed = SETTINGS.iter().map(|known| timed(table, *known, priority, 1)).collect::<Result<_>>()?;
        Ok((priority, formed))
    };
    PRIORITIES.into_iter().map(of_priority).collect()
}

fn priority_table(records: usize, rows: &ByPriority) -> Table {
    let of_setting = |known: &Knowledge| {
        [
            Column::time(format!("{known:?}")),
            Column::times(format!("{known:?}: times widest")),
            Column::count(format!("{known:?}: groups")),
        ]
    };
    let columns = [Column::text("cuts tried first")].into_iter().chain(SETTINGS.iter().flat_map(of_setting));
    let mut table = Table::new(format!("By priority of cuts, {} records", grouped(records)), columns);
    for (priority, formed) in rows {
        let cells = formed.iter().zip(&rows[0].1).flat_map(|((time, groups), (widest, _))| {
            [Cell::from(*time), ratio(*time, *widest).into(), (*groups).into()]
        });
        table.row([Cell::from(*priority)].into_iter().chain(cells));
    }
    table
}

/// What the paper says about its curves.
fn growth(section: Section, measured: &[Measured]) -> Section {
    (0..SETTINGS.len()).fold(section, |section, at| {
        let relative = measured.iter().map(|one| one.per_step(at) / measured[0].per_step(at)).fold(0.0, f64::max);
        section.compare(
            format!("{:?}: highest t/(n log n), in that of the smallest table", SETTINGS[at]),
            (relative, Unit::Times),
            "“the scale-up performance is well-behaved”",
            relative <= 1.5,
            WHERE_CUTTING_ENDS,
        )
    })
}
