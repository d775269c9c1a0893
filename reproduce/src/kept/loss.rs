//! The loss of labels on different levels, by the definition of `loss`, beside the best choice of
//! levels.

use super::cases::K;
use super::tables::Loaded;
use crate::Setting;
use crate::page::{Column, Section, Table};
use sfumato::candidate::Groups;
use sfumato::data::hierarchy::Hierarchy;
use sfumato::data::{self, Formats, Role, Schema};
use sfumato::{Result, publish};

const CRITERIA: [(&str, &str); 3] = [
    ("5-anonymity", ""),
    ("and entropy 5", "[[require]]\ncriterion = \"entropy-l-diversity\"\nl = 5\n"),
    ("and frequency 3", "[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 3\n"),
];

const METHODS: [&str; 2] = ["local-recoding", "optimal"];

pub(super) fn section(setting: &Setting<'_>, loaded: &Loaded) -> Result<Section> {
    let mut figures = Table::new(
        "",
        std::iter::once(Column::text("criteria")).chain(METHODS.map(|method| Column::number(method, 4))),
    );
    for (label, criterion) in CRITERIA {
        let mut row = vec![label.into()];
        for method in METHODS {
            setting.now(&format!("loss of {method}, {label}"));
            let plan = loaded.plan(&format!("{K}{criterion}[method]\nname = \"{method}\"\n"))?;
            let made = publish::make(&plan, &loaded.table, &Formats::default())?.pass()?;
            let groups = made.recoded.groups.mapped(&made.recoded.row_of);
            row.push(geometric(&plan.schema, &loaded.table, &groups)?.into());
        }
        figures.row(row);
    }
    let words = "Geometric loss of Adult with seven quasi-identifiers, nobody suppressed: for each column the share of its hierarchy that stands under the lowest label which a group shares, over all records.";
    Ok(Section::new("kept-adult-loss", "What labels on different levels lose", loaded.source.clone())
        .words(words)
        .table(figures))
}

/// Π(1+x)^(1/columns) − 1, x the loss of a column.
fn geometric(schema: &Schema, table: &data::Table, groups: &Groups) -> Result<f64> {
    let columns = schema.select(table, Role::Quasi)?;
    let mut product = 1.0;
    for column in &columns {
        let hierarchy = schema.quasi_hierarchy(column)?;
        let open = |group: usize| {
            let rows = groups.rows(group);
            rows.len() as f64 * f64::from(leaves(&hierarchy, column, rows) - 1)
        };
        let all = f64::from(hierarchy.leaves().saturating_sub(1).max(1)) * table.rows() as f64;
        product *= 1.0 + (0..groups.len()).map(open).sum::<f64>() / all;
    }
    Ok(product.powf(1.0 / columns.len() as f64) - 1.0)
}

/// Leaves under the lowest label that all rows share.
fn leaves(hierarchy: &Hierarchy, column: &data::Column, rows: &[u32]) -> u32 {
    let code = |level: usize, row: &u32| hierarchy.codes(level)[column.codes()[*row as usize] as usize];
    let is_shared = |level: &usize| rows.iter().all(|row| code(*level, row) == code(*level, &rows[0]));
    let level = (0..=hierarchy.height()).find(is_shared).expect("the top is shared");
    if level == 0 { 1 } else { hierarchy.leaves_under(level)[code(level, &rows[0]) as usize] }
}
