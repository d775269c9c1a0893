//! Privacy skyline: how fast a release is checked, how forming one scales, and what a diverse
//! release of Adult withstands.

mod adult;
mod candidate;
#[allow(dead_code)] // Sets and multisets are for the library's tests.
mod dynamic_program;
mod five_minima;
mod form;
mod improvement;
mod people;
mod scale;
mod scan;
mod stream;

use crate::page::Section;
use crate::subject::Subject;
use crate::{Setting, files};
use sfumato::Result;
use std::time::Duration;

pub const SUBJECT: Subject = Subject {
    name: "skyline",
    title: "Privacy skyline: attackers who know a stated amount",
    summary: "Figures 7 and 8 and the case study on Adult of Section 7.3",
    reference: "Bee-Chung Chen, Kristen LeFevre and Raghu Ramakrishnan: Privacy Skyline: Privacy with Multidimensional \
                Adversarial Knowledge. VLDB 2007",
    needs: &files::ADULT,
    experiments,
};

fn experiments(setting: &Setting<'_>) -> Result<Vec<Section>> {
    // Before anything large was in memory: the most that the process holds is part of it.
    let streamed = stream::run(setting)?;
    let mut sections = improvement::sections(setting)?;
    sections.push(scan::section(setting)?);
    sections.push(scale::section(setting)?);
    sections.push(streamed);
    sections.extend(adult::sections(setting)?);
    Ok(sections)
}

/// An amount of knowledge: l values that the target does not have, k others, m of the family.
type Knowledge = (usize, usize, usize);

/// The settings of Figure 8. With nine values that are equally frequent, the whole is believed in
/// with at most 0.4: every confidence above is possible.
const SETTINGS: [Knowledge; 2] = [(0, 1000, 0), (3, 1000, 10)];
const CONFIDENCE: &str = "0.9";

/// In which order cuts are tried.
const PRIORITIES: [&str; 3] = ["widest", "round-robin", "information-gain"];

/// Why time may grow faster than n log n.
const WHERE_CUTTING_ENDS: &str = "time depends on where cutting ends, not on the number of records alone: where groups \
                                  come out just above the smallest safe size, every cut of each is tried and refused";

/// Sizes of Figure 8: five of them, in equal steps.
fn sizes(setting: &Setting<'_>) -> impl Iterator<Item = usize> {
    let step = setting.pick(25_000, 1_000_000);
    (1..=5).map(move |times| times * step)
}

/// Seconds for each n log n.
fn per_step(time: Duration, records: usize) -> f64 {
    time.as_secs_f64() / (records as f64 * (records as f64).log2())
}

/// One skyline point, as a plan writes it.
fn point((l, k, m): Knowledge, confidence: &str) -> String {
    format!("criterion = \"skyline\"\npoints = [{{ l = {l}, k = {k}, m = {m}, c = \"{confidence}\" }}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_comes_out_of_made_up_tables() {
        let sections = experiments(&Setting::made_up().quick()).unwrap();
        let ids: Vec<&str> = sections.iter().map(|section| section.id.as_str()).collect();
        let expected = ["figure-7a", "figure-7b", "figure-7c", "figure-7d", "section-5-1", "figure-8", "section-7-2"];
        assert_eq!(ids[..7], expected);
        assert_eq!(ids[7..], ["section-7-3", "section-7-3-exposed"]);
        assert!(sections.iter().all(|section| !section.tables.is_empty()));
    }
}
