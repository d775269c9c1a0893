//! What can be reproduced: each paper once, described as data.

use crate::files::Need;
use crate::page::{Machine, Page, Section};
use crate::{Setting, kept, knowing, l_diversity, minimality, performance, set_valued, skewed, skyline};
use sfumato::Result;
use std::time::Instant;

/// A paper whose experiments are repeated, or the product's own measurements.
pub struct Subject {
    /// As on the command line.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// Which experiments are repeated, in one line.
    pub summary: &'static str,
    /// The paper.
    pub reference: &'static str,
    /// The files of real data that it uses.
    pub needs: &'static [Need],
    /// Runs the experiments.
    pub experiments: fn(&Setting<'_>) -> Result<Vec<Section>>,
}

/// Everything that can be reproduced, in the order of the papers; the product's own measurements
/// last.
pub const SUBJECTS: [&Subject; 8] = [
    &l_diversity::SUBJECT,
    &minimality::SUBJECT,
    &skyline::SUBJECT,
    &skewed::SUBJECT,
    &set_valued::SUBJECT,
    &knowing::SUBJECT,
    &performance::SUBJECT,
    &kept::SUBJECT,
];

/// The subject of a name.
pub fn find(name: &str) -> Option<&'static Subject> {
    SUBJECTS.into_iter().find(|subject| subject.name == name)
}

impl Subject {
    /// Whether it is a paper, and not the product's own measurements.
    pub fn is_paper(&self) -> bool {
        ![performance::SUBJECT.name, kept::SUBJECT.name].contains(&self.name)
    }

    /// Runs every experiment.
    pub fn run(&self, setting: &Setting<'_>) -> Result<Page> {
        let start = Instant::now();
        let sections = (self.experiments)(setting)?;
        Ok(Page {
            subject: self.name.into(),
            title: self.title.into(),
            summary: self.summary.into(),
            reference: self.reference.into(),
            command: self.command(setting),
            machine: Machine::this(),
            quick: setting.is_quick(),
            seconds: start.elapsed().as_secs_f64(),
            sections,
        })
    }

    /// What to type for this page.
    fn command(&self, setting: &Setting<'_>) -> String {
        let data = if setting.folder.is_some() { " --data DIR" } else { "" };
        let quick = if setting.is_quick() { " --quick" } else { "" };
        format!("sfumato-reproduce {}{data}{quick}", self.name)
    }
}
