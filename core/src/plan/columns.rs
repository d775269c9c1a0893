//! `[columns]`: roles, hierarchies, and how values are written.

use super::keys_of;
use super::section::{Section, line_of, numbers, raw, text, texts, weight};
use crate::data::spelling::{Mark, Moments, Written};
use crate::data::{Center, ColumnSpec, Role, Schema, ValueType, hierarchy};
use crate::error::{Error, Result};
use crate::kind::Raw;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;
use toml::de::DeValue;

/// What the plan says about every column.
pub(super) fn read_columns(columns: &Section<'_>, folder: &Path) -> Result<Schema> {
    let mut specs = Vec::new();
    for (name, value) in columns.table.iter() {
        let line = line_of(columns.text, value.span().start);
        let spec = read_column(columns, name.get_ref(), value, folder).map_err(|error| error.or_line(line))?;
        specs.push(ColumnSpec { line: Some(line), ..spec });
    }
    Ok(Schema::new(specs))
}

fn read_column(columns: &Section<'_>, name: &str, value: &Spanned<DeValue<'_>>, folder: &Path) -> Result<ColumnSpec> {
    if let DeValue::String(role) = value.get_ref() {
        return Ok(ColumnSpec::new(name, find_role(name, role)?));
    }
    let label = format!("column \"{name}\"");
    let section = columns.inside(&label, value)?;
    section.refuse_unknown(keys_of("columns").iter().copied())?;
    let role = section.get("role", text)?.ok_or_else(|| {
        Error::plan(format!("{label} has no role"))
            .help("role = \"identifier\", \"quasi\", \"sensitive\" or \"insensitive\"")
    })?;
    let mut spec = ColumnSpec::new(name, find_role(name, &role)?);
    spec.sensitive_values = section.get("sensitive_values", texts)?.unwrap_or_default();
    spec.order = section.get("order", texts)?.unwrap_or_default();
    if (1..spec.order.len()).any(|at| spec.order[..at].contains(&spec.order[at])) {
        return Err(Error::plan(format!("{label}: `order` lists a value twice")));
    }
    let is_compared = matches!(spec.role, Role::Quasi | Role::Sensitive);
    let said = ["hierarchy", "order"].into_iter().find(|key| section.table.get(*key).is_some());
    if let Some(key) = said.filter(|_| !is_compared) {
        let error = Error::plan(format!("{label}: `{key}` has no effect on a column with role = \"{}\"", spec.role));
        return Err(error.line(section.line_of(key)).help("leave it out, or give the column another role"));
    }
    if !spec.sensitive_values.is_empty() && spec.role != Role::Sensitive {
        return Err(Error::plan(format!("{label}: `sensitive_values` belongs to a sensitive column")));
    }
    if let Some(levels) = section.get("levels", numbers)? {
        spec.levels = match levels.as_slice() {
            [low, high] if low <= high && spec.role == Role::Quasi => Some((*low, *high)),
            _ => {
                let error =
                    Error::plan(format!("{label}: `levels` is the lowest and the highest level of a quasi-identifier"));
                return Err(error.help("e.g. levels = [0, 2]: the values themselves or up to two steps coarser"));
            }
        };
    }
    if let Some(weight) = section.get("weight", weight)? {
        if spec.role != Role::Quasi {
            let error =
                Error::plan(format!("{label}: `weight` has no effect on a column with role = \"{}\"", spec.role));
            return Err(error.line(section.line_of("weight")).help("only quasi-identifiers are weighed: leave it out"));
        }
        spec.weight = weight;
    }
    if let Some(wanted) = section.get("label", text)? {
        if spec.role != Role::Quasi {
            let error =
                Error::plan(format!("{label}: `label` has no effect on a column with role = \"{}\"", spec.role));
            return Err(error.line(section.line_of("label")).help("only quasi-identifiers get labels: leave it out"));
        }
        let names = Center::ALL.map(Center::name);
        let wrong = || Error::unknown(format!("{label}: there is no label \"{wanted}\""), &wanted, names);
        spec.center = Some(Center::find(&wanted).ok_or_else(wrong)?);
    }
    if let Some(wanted) = section.get("type", text)? {
        let names = ValueType::ALL.map(ValueType::name);
        let wrong = || Error::unknown(format!("{label}: there is no type \"{wanted}\""), &wanted, names);
        spec.value_type = Some(ValueType::find(&wanted).ok_or_else(wrong)?);
    }
    spec.written = read_written(&section, &label)?;
    if spec.written.is_some() && spec.value_type == Some(ValueType::Text) {
        let error = Error::plan(format!("{label}: texts are not read as dates or numbers"));
        return Err(error.help("leave out `type`, or `dates` and `decimal`"));
    }
    if let Some(hierarchy) = section.section("hierarchy")? {
        let written: Vec<(&str, Raw)> =
            hierarchy.table.iter().map(|(key, value)| (key.get_ref().as_ref(), raw(value))).collect();
        let rule = hierarchy::rule(&written, folder)?;
        spec.rule = Some(Arc::from(rule));
    }
    Ok(spec)
}

fn find_role(column: &str, role: &str) -> Result<Role> {
    Role::find(role).ok_or_else(|| {
        Error::unknown(format!("column \"{column}\": there is no role \"{role}\""), role, Role::ALL.map(Role::name))
    })
}

/// How the plan says that a column is written.
fn read_written(section: &Section<'_>, label: &str) -> Result<Option<Written>> {
    let dates = section.get("dates", text)?.map(|pattern| {
        let wrong = || {
            Error::plan(format!("{label}: `dates` is no pattern that is known"))
                .line(section.line_of("dates"))
                .help("e.g. \"DD.MM.YYYY\", \"MM/DD/YYYY\", \"YYYY/MM/DD\", \"DD-MON-YYYY\" or \"YYYYMMDD\"")
        };
        Moments::parse(&pattern).map(Written::Dates).ok_or_else(wrong)
    });
    let decimal = section.get("decimal", text)?.map(|mark| {
        let wrong = || {
            let error = Error::plan(format!("{label}: `decimal` is what stands before the fraction of a number"));
            error.line(section.line_of("decimal")).help("\".\" or \",\"")
        };
        Mark::find(&mark).map(Written::Decimal).ok_or_else(wrong)
    });
    match (dates.transpose()?, decimal.transpose()?) {
        (Some(_), Some(_)) => {
            Err(Error::plan(format!("{label}: values are dates or numbers, not both"))
                .help("keep `dates` or `decimal`"))
        }
        (dates, decimal) => Ok(dates.or(decimal)),
    }
}
