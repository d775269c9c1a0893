//! Forming groups of a table's records.

use sfumato::anonymize::{ChosenMethod, Grouping, Task, Transformation};
use sfumato::chance::Chance;
use sfumato::data::{Schema, Table};
use sfumato::kind::Raw;
use sfumato::utility::ChosenMetric;
use sfumato::{Error, Fault, Result, plan};
use std::path::Path;

/// Forms groups of a table's records that satisfy a criterion.
pub fn form(
    table: &Table,
    schema: &Schema,
    criterion: &str,
    method: &str,
    written: &[(&str, &str)],
) -> Result<Grouping> {
    let requirements = [plan::requirement(criterion, schema)?];
    let bound = [requirements[0].bind(table, schema, Path::new("."))?];
    let metric = ChosenMetric::new("loss", &[])?;
    let chance = Chance::insecure(1);
    let task = Task {
        table,
        schema,
        requirements: &requirements,
        bound: &bound,
        limit: 0,
        metric: &metric,
        chance,
        watch: sfumato::watch::Watch::NONE,
    };
    let written: Vec<(&str, Raw)> = written.iter().map(|(name, value)| (*name, Raw::from(*value))).collect();
    match ChosenMethod::new(method, &written)?.run(&task)? {
        Some(Transformation::Groups(grouping)) => Ok(grouping),
        _ => Err(Error::new(Fault::Infeasible, format!("{method} found no groups of {} records", table.rows()))),
    }
}
