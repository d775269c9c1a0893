//! What the product itself takes, against baselines of the same run: loading, checking, searching and
//! grouping.

mod check;
mod grouping;
mod load;
mod search;

pub(crate) use search::schema as adult_schema;

use crate::page::Section;
use crate::subject::Subject;
use crate::{Setting, files};
use sfumato::Result;

pub const SUBJECT: Subject = Subject {
    name: "performance",
    title: "What sfumato takes",
    summary: "Loading CSV, checking criteria, searching the lattice and forming groups, each against a plain baseline of the same run.",
    reference: "sfumato's own measurements; those of the papers' experiments are on their pages.",
    needs: &files::ADULT,
    experiments,
};

fn experiments(setting: &Setting<'_>) -> Result<Vec<Section>> {
    let mut sections = vec![load::loading(setting)?];
    sections.extend(check::checking(setting)?);
    sections.extend(search::searching(setting)?);
    sections.push(grouping::grouping(setting)?);
    Ok(sections)
}
