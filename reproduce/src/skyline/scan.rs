//! A check of records that are grouped already, against a plain scan that only counts the values of
//! all groups.

use super::Knowledge;
use super::candidate::{Candidate, GROUP, VALUES};
use crate::Setting;
use crate::clock::{best, ratio, with_threads};
use crate::page::{Cell, Chart, Column, Section, Source, Table, Unit};
use sfumato::Result;
use sfumato::report::grouped;
use std::time::Duration;

const KNOWN: [Knowledge; 4] = [(2, 10, 0), (1, 5, 2), (10, 10, 10), (10, 32, 10)];

pub fn section(setting: &Setting<'_>) -> Result<Section> {
    setting.now("checking against a plain scan");
    let candidate = Candidate::new(setting.pick(250_000, 5_000_000))?;
    let runs = setting.pick(3, 7);
    let scans = [1, 2].map(|threads| with_threads(threads, || best(runs, || candidate.count()).0));
    let mut table = Table::new("", columns()).chart(Chart::bars(
        "A check, in plain scans",
        "what is done",
        "times as long as counting",
        ["one thread: times counting", "two threads: times counting"],
    ));
    table.row(row("counting, and nothing else", scans, scans, None));
    let mut longest: f64 = 0.0;
    for knowledge in KNOWN {
        let check = |threads| with_threads(threads, || best(runs, || candidate.check(knowledge)));
        let [(one, belief), (two, _)] = [1, 2].map(check);
        longest = longest.max(ratio(one, scans[0]));
        table.row(row(&format!("check {knowledge:?}"), [one, two], scans, Some(belief?)));
    }
    let records = grouped(candidate.records());
    let source = Source::synthetic(format!("{records} records in groups of {GROUP}, {VALUES} uniform values"));
    let section = Section::new("section-5-1", "Section 5.1: a check is one scan", source)
        .words(format!(
            "All {VALUES} values are protected, at a confidence of 95 %. The baseline reads the records of every group and counts their values; a check does that and decides. Best of {runs} runs."
        ))
        .table(table)
        .compare(
            "the longest check, one thread, in plain scans",
            (longest, Unit::Times),
            "“by a single scan” (Theorem 3)",
            longest <= 2.0,
            "one scan is made all the same; what is computed for each group takes longer here than reading it",
        );
    Ok(section.timing())
}

fn columns() -> [Column; 6] {
    [
        Column::text("what is done"),
        Column::number("highest belief", 3),
        Column::time("one thread"),
        Column::times("one thread: times counting"),
        Column::time("two threads"),
        Column::times("two threads: times counting"),
    ]
}

fn row(what: &str, times: [Duration; 2], scans: [Duration; 2], belief: Option<f64>) -> [Cell; 6] {
    let [one, two] = [0, 1].map(|at| ratio(times[at], scans[at]));
    [what.into(), belief.into(), times[0].into(), one.into(), times[1].into(), two.into()]
}
