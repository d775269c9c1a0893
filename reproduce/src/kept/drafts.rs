//! What the unchanged draft of `sfumato init` leads to.

use super::cases::Case;
use super::outcome::{columns, outcome};
use super::tables;
use crate::Setting;
use crate::page::{Column, Section, Source, Table};
use sfumato::Result;
use sfumato::data::ReadOptions;

pub(super) fn section(setting: &Setting<'_>) -> Result<Section> {
    let first = [Column::text("table"), Column::count("records"), Column::count("columns")];
    let mut figures = Table::new("", first.into_iter().chain(columns()));
    for id in tables::ids() {
        let Some(table) = tables::read(setting, id, &ReadOptions::default())? else { continue };
        let name = tables::name(id);
        setting.now(&format!("publishing the draft of {name}"));
        let of_table = [name.into(), table.rows().into(), table.columns().len().into()];
        figures.row(of_table.into_iter().chain(outcome(setting, &Case::Draft { id }, None)?));
    }
    let words = "Every table with the plan that `sfumato init` drafts, unchanged: roles, hierarchies and criteria are guessed from names and values.";
    let source = Source::synthetic("every table of this page that is there");
    Ok(Section::new("kept-drafts", "What drafts lead to", source).timing().words(words).table(figures))
}
