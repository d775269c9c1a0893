//! Section 7.2: forming groups of records that are never in memory at once.

use super::people::{QUASI, ZIP, people, zip_codes};
use super::{CONFIDENCE, Knowledge, SETTINGS, WHERE_CUTTING_ENDS, per_step, point, sizes};
use crate::Setting;
use crate::clock::{best, memory_of, ratio, with_threads};
use crate::page::{Cell, Chart, Column, Filled, Section, Source, Table, Unit};
use sfumato::anonymize::skyline_anonymize::{Formed, Priority, Stream};
use sfumato::data::Schema;
use sfumato::report::grouped;
use sfumato::{Error, Fault, Result, plan};
use std::path::Path;
use std::time::Duration;

/// One run.
struct Streamed {
    records: usize,
    time: Duration,
    formed: Formed,
    /// Of groups and their records: the same for the same groups.
    sum: u64,
    /// What the process held at most, in bytes.
    held: Option<u64>,
}

/// Runs with a limit first, so that a run without one does not count.
pub fn run(setting: &Setting<'_>) -> Result<Section> {
    let limit: u64 = setting.pick(1 << 18, 8 << 20);
    let mut limited = Vec::new();
    for records in sizes(setting) {
        setting.now(&format!("records that do not fit in memory, {}", grouped(records)));
        limited.push(SETTINGS.map(|known| streamed(records, known, limit)).into_iter().collect::<Result<Vec<_>>>()?);
    }
    let last = &limited[limited.len() - 1];
    let unlimited: Vec<Streamed> =
        SETTINGS.iter().map(|known| streamed(last[0].records, *known, 0)).collect::<Result<_>>()?;
    let same = last.iter().zip(&unlimited).all(|(a, b)| (a.sum, a.formed.groups) == (b.sum, b.formed.groups));
    let source = Source::synthetic("made-up people as in Agrawal, Imielinski and Swami 1993");
    let title = "Section 7.2: records that do not fit in memory";
    let section = Section::new("section-7-2", title, source)
        .words(format!(
            "The same as in Figure 8, but records come one by one, and at most {} KiB of them are in memory: the rest is in two temporary files, packed. Axes and counts of values come on top of that. Two threads, \
             one run each. Memory is what the whole process held at most, where the system tells; some of it may be left over from runs before.",
            grouped(limit as usize >> 10)
        ))
        .words(if same {
            "At the largest size the groups are those that come out with all records in memory."
        } else {
            "At the largest size the groups are not those that come out with all records in memory: please report it."
        })
        .table(by_size(&limited))
        .table(against_memory(last, &unlimited));
    Ok(well_behaved(section, &limited, limit).timing())
}

fn streamed(records: usize, knowledge: Knowledge, memory: u64) -> Result<Streamed> {
    let schema = Schema::of(&[], &["zip"]);
    let wanted = plan::requirement(&point(knowledge, CONFIDENCE), &schema)?;
    let bound = wanted.bind(&zip_codes()?, &schema, Path::new("."))?;
    let rules = [(&*bound.criterion, Some(0))];
    let places = QUASI.map(|(_, places)| places);
    let stream = Stream { places: &places, subjects: &[ZIP], rules: &rules, priority: Priority::Widest, memory };
    let work = || {
        // Groups are not kept.
        let mut sum = 0u64;
        let formed = stream.form(people(records).map(Ok), &mut |group, rows| {
            sum += rows.iter().map(|&row| u64::from(row) * (group as u64 + 1)).sum::<u64>();
            Ok(())
        });
        formed.map(|formed| (formed, sum))
    };
    let (held, (time, found)) = memory_of(|| with_threads(2, || best(1, work)));
    let (formed, sum) = found?;
    let formed = formed.ok_or_else(|| Error::new(Fault::Infeasible, "all records together are not safe"))?;
    Ok(Streamed { records, time, formed, sum, held: held.map(|held| held.most) })
}

/// The time for each n log n, in that of the smallest table.
fn relative((run, smallest): (&Streamed, &Streamed)) -> f64 {
    per_step(run.time, run.records) / per_step(smallest.time, smallest.records)
}

fn bytes(amount: Option<u64>) -> Cell {
    amount.map(|bytes| bytes as f64).into()
}

fn by_size(limited: &[Vec<Streamed>]) -> Table {
    let of_setting = |known: &Knowledge| {
        let name = format!("{known:?}");
        let held = format!("{name}: memory held");
        [Column::time(&name), Column::number(format!("{name}: t/(n log n)"), 2), Column::memory(held)]
    };
    let first = [Column::count("records"), Column::memory("in each of two files")];
    let chart =
        Chart::lines("Time to form groups", "records", "seconds", SETTINGS.iter().map(|known| format!("{known:?}")));
    let mut table =
        Table::new("With a limit", first.into_iter().chain(SETTINGS.iter().flat_map(of_setting))).chart(chart);
    for runs in limited {
        let cells = runs.iter().zip(&limited[0]);
        let cells =
            cells.flat_map(|(run, smallest)| [run.time.into(), relative((run, smallest)).into(), bytes(run.held)]);
        table.row([runs[0].records.into(), bytes(runs[0].formed.spilled)].into_iter().chain(cells));
    }
    table
}

fn against_memory(limited: &[Streamed], unlimited: &[Streamed]) -> Table {
    let columns: [Filled<'_, (String, &Streamed, &Streamed)>; 7] = [
        (Column::text("(l, k, m)"), &|(known, ..)| known.clone().into()),
        (Column::count("groups"), &|(_, few, _)| few.formed.groups.into()),
        (Column::time("with a limit"), &|(_, few, _)| few.time.into()),
        (Column::memory("with a limit: memory held"), &|(_, few, _)| bytes(few.held)),
        (Column::time("without"), &|(.., all)| all.time.into()),
        (Column::memory("without: memory held"), &|(.., all)| bytes(all.held)),
        (Column::times("times as long with a limit"), &|(_, few, all)| ratio(few.time, all.time).into()),
    ];
    let title = format!("{} records with and without a limit", grouped(limited[0].records));
    let known = SETTINGS.iter().map(|known| format!("{known:?}"));
    Table::of(title, known.zip(limited).zip(unlimited).map(|((known, few), all)| (known, few, all)), columns)
}

fn well_behaved(section: Section, limited: &[Vec<Streamed>], limit: u64) -> Section {
    let last = &limited[limited.len() - 1][0];
    let larger = last.formed.spilled.unwrap_or(0) as f64 / limit as f64;
    let worst = limited.iter().flat_map(|runs| runs.iter().zip(&limited[0])).map(relative).fold(0.0, f64::max);
    let what = format!("highest t/(n log n), up to {larger:.0} times the memory, in that of the smallest table");
    section.compare(
        what,
        (worst, Unit::Times),
        "“well-behaved for datasets substantially larger than main memory”",
        worst <= 1.5,
        WHERE_CUTTING_ENDS,
    )
}
