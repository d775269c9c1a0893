//! What each method keeps of real tables, and what publishing by it takes.

mod cases;
mod drafts;
mod loss;
mod outcome;
mod tables;

use crate::Setting;
use crate::page::{Column, Section, Table};
use crate::subject::Subject;
use cases::{CRITERIA, Case, methods};
use outcome::{columns, outcome};
use sfumato::Result;
use sfumato::report::grouped;
use tables::Loaded;

pub use outcome::run_case;

pub const SUBJECT: Subject = Subject {
    name: "kept",
    title: "What methods keep",
    summary: "Every method on Adult, the demo and real tables of Python packages: what it keeps, suppresses and takes; and what drafts of `sfumato init` lead to.",
    reference: "sfumato's own measurements.",
    needs: &tables::NEEDS,
    experiments,
};

fn experiments(setting: &Setting<'_>) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    for id in tables::ids() {
        let Some(loaded) = Loaded::new(setting, id)? else {
            setting.now(&format!("{id} has no table here"));
            continue;
        };
        sections.push(section(setting, &loaded)?);
        if id == tables::ADULT {
            sections.push(loss::section(setting, &loaded)?);
        }
    }
    sections.push(drafts::section(setting)?);
    Ok(sections)
}

fn section(setting: &Setting<'_>, loaded: &Loaded) -> Result<Section> {
    let title = format!("What methods keep of {}", loaded.name);
    let mut section = Section::new(loaded.id, &title, loaded.source.clone()).timing().words(format!(
        "{} records. *Information kept* is the mean over quasi-identifiers, suppressed records counting as lost. The time is that of forming groups, recoding, auditing and attacking, with two threads on two cores that others use too. Memory is the most that a process held which read the table and published it. *Undecided* is the share of people for whom the minimality attack is inconclusive.",
        grouped(loaded.table.rows())
    ));
    for (criteria, (label, _)) in CRITERIA.iter().enumerate() {
        let mut figures = Table::new(*label, std::iter::once(Column::text("method")).chain(columns()));
        for (method, (name, _)) in methods().into_iter().enumerate() {
            setting.now(&format!("{}, {label}, {name}", loaded.name));
            let case = Case::Method { id: loaded.id, criteria, method };
            figures.row(std::iter::once(name.into()).chain(outcome(setting, &case, Some(loaded))?));
        }
        section = section.table(figures);
    }
    Ok(section)
}
