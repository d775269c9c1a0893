//! Looking at tables that nobody published.

use crate::errors::OrRaise;
use crate::frame::Frame;
use crate::plan::NativePlan;
use crate::work;
use pyo3::prelude::*;
use sfumato::candidate::Groups;
use sfumato::criterion::Case;
use sfumato::criterion::people::{Several, refuse_unused};
use sfumato::data::{Role, Schema, Table, hierarchy};
use sfumato::exact::{Decimal, Fraction};
use sfumato::explore::{Explorer, Values};
use sfumato::inspect::{self as look, draft_plan, inspect as profile};
use sfumato::report::html::skyline_html;
use sfumato::report::{
    audit_json, audit_text, population_json, population_text, profile_json, profile_text, skyline_json, skyline_text,
};
use sfumato::{Error, Fault, Plan, Result, release};
use std::path::PathBuf;

/// What a table is like: as JSON, and as text.
#[pyfunction]
#[pyo3(signature = (data, progress=None))]
pub fn inspect(py: Python<'_>, data: &Frame, progress: Option<&Bound<'_, PyAny>>) -> PyResult<(String, String)> {
    let table = data.0.clone();
    work::run(py, progress, move |_| {
        let found = profile(&table);
        Ok((profile_json(&found).to_string(), profile_text(&found)))
    })
}

/// How many of so many people are unique by these columns, of whom the table is a sample: as JSON, and
/// as text.
#[pyfunction]
#[pyo3(signature = (data, quasi, people, progress=None))]
pub fn population(
    py: Python<'_>,
    data: &Frame,
    quasi: Vec<String>,
    people: u64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    let table = data.0.clone();
    work::run(py, progress, move |_| {
        let columns = quasi.iter().map(|name| table.column(name)).collect::<Result<Vec<_>>>()?;
        let found = look::population(&columns, table.rows(), people)?;
        Ok((population_json(&found).to_string(), population_text(&found)))
    })
}

/// The text of a plan to start with. It names no data file.
#[pyfunction]
#[pyo3(signature = (data, progress=None))]
pub fn draft(py: Python<'_>, data: &Frame, progress: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let table = data.0.clone();
    work::run(py, progress, move |_| {
        let text = draft_plan(&table, &profile(&table), "", &Default::default());
        Ok(text.lines().filter(|line| !line.starts_with("path = ")).map(|line| format!("{line}\n")).collect())
    })
}

/// For each of these columns a hierarchy that fits its values, as JSON; nothing where none does.
#[pyfunction]
pub fn draft_hierarchies(py: Python<'_>, data: &Frame, columns: Vec<String>) -> PyResult<Vec<Option<String>>> {
    let hierarchy = |name: &String| {
        let written = hierarchy::draft(data.0.column(name)?.domain());
        let values = written.map(|text| toml::from_str::<serde_json::Value>(&text));
        let wrong = |_| Error::new(Fault::Internal, "a drafted hierarchy cannot be read");
        Ok(values.transpose().map_err(wrong)?.map(|values| values.to_string()))
    };
    columns.iter().map(hierarchy).collect::<Result<_>>().or_raise(py)
}

/// Whether a table satisfies a plan's criteria: as JSON, and as text. With `groups`, rows with equal
/// values there form a group, else those with equal quasi-identifiers.
#[pyfunction]
#[pyo3(signature = (data, plan, groups=None, progress=None))]
pub fn audit(
    py: Python<'_>,
    data: &Frame,
    plan: &NativePlan,
    groups: Option<String>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    let (table, plan) = (data.0.clone(), plan.shared());
    work::run(py, progress, move |_| {
        let plan = Plan::clone(&plan).table()?;
        plan.check_requires()?;
        for wanted in &plan.requirements {
            if let Some(separator) = wanted.separator() {
                refuse_unused(table.column(&wanted.on[0])?, separator)?;
            }
        }
        let groups = groups_of(&table, &plan.schema, groups.as_deref())?;
        let found = sfumato::audit::audit_groups(&table, &plan.schema, &groups, &plan.requirements, &plan.folder)?;
        Ok((audit_json(&found).to_string(), audit_text(&found)))
    })
}

fn groups_of(table: &Table, schema: &Schema, column: Option<&str>) -> Result<Groups> {
    let told = match column {
        Some(name) => vec![table.column(name)?],
        None => schema.quasi(table)?,
    };
    Ok(Groups::by_columns(&told, table.rows()))
}

/// What somebody may know before she is too sure of a value: as JSON, as text and as a page.
type Skyline = (String, String, String);

/// What is asked for.
struct Asked {
    on: String,
    value: String,
    confidence: Fraction,
}

/// The knowledge skyline of a value in a table.
#[pyfunction]
#[pyo3(signature = (data, plan, value, confidence, on=None, groups=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn skyline(
    py: Python<'_>,
    data: &Frame,
    plan: &NativePlan,
    value: String,
    confidence: String,
    on: Option<String>,
    groups: Option<String>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Skyline> {
    let (table, plan) = (data.0.clone(), plan.shared());
    work::run(py, progress, move |_| {
        let plan = Plan::clone(&plan).table()?;
        let asked = Asked { on: sensitive(&plan.schema, on)?, value, confidence: share(&confidence)? };
        let planned = plan.requirements.iter().find(|wanted| !wanted.points().is_empty() && wanted.on == [&*asked.on]);
        let values = planned.map_or(Values::One, |wanted| {
            let text = |name: &str| wanted.criterion.params.text(name);
            let several = || match text("person") {
                "" => Several::Cell(text("separator")),
                person => Several::Records(person),
            };
            match Case::find(wanted.criterion.params.choice("case")) {
                Some(Case::Set) => Values::Set(several()),
                Some(Case::Multiset) => Values::Multiset(several()),
                _ => Values::One,
            }
        });
        let groups = groups_of(&table, &plan.schema, groups.as_deref())?;
        let prepared = plan.schema.prepare(&table)?;
        explore(&prepared, &groups, values, &asked)
    })
}

/// The knowledge skyline of a value in a release directory.
#[pyfunction]
#[pyo3(signature = (folder, value, confidence, on=None, progress=None))]
pub fn skyline_of_release(
    py: Python<'_>,
    folder: PathBuf,
    value: String,
    confidence: String,
    on: Option<String>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Skyline> {
    work::run(py, progress, move |formats| {
        let (table, groups, schema) = release::records(&folder, formats)?;
        let asked = Asked { on: sensitive(&schema, on)?, value, confidence: share(&confidence)? };
        explore(&table, &groups, Values::One, &asked)
    })
}

fn explore(table: &Table, groups: &Groups, values: Values<'_>, asked: &Asked) -> Result<Skyline> {
    let Asked { on, value, confidence } = asked;
    let found = Explorer::new(table, groups, on, values, value)?.explore(*confidence);
    if found.having == 0 {
        let error = Error::plan(format!("column \"{on}\": no record in a group has the value that was asked for"));
        return Err(
            error.help("check its spelling, capitals included; a value that does not occur needs no protection")
        );
    }
    Ok((skyline_json(&found).to_string(), skyline_text(&found), skyline_html(&found)))
}

/// The sensitive column that is meant.
fn sensitive(schema: &Schema, on: Option<String>) -> Result<String> {
    let names = schema.names(Role::Sensitive);
    match (on, names.as_slice()) {
        (None, [only]) => Ok(only.to_string()),
        (None, []) => Err(Error::plan("no column is sensitive").help("name it: sensitive=…")),
        (None, _) => Err(Error::plan("several columns are sensitive").help("say which: on=…")),
        (Some(named), all) if all.contains(&named.as_str()) => Ok(named),
        (Some(named), all) => {
            let message = format!("\"{named}\" is not a sensitive column");
            Err(Error::unknown(message, &named, all.iter().copied()))
        }
    }
}

/// A confidence above 0 and at most 1.
fn share(text: &str) -> Result<Fraction> {
    let wrong = || Error::plan("`confidence` is a number above 0 and at most 1");
    let decimal: Decimal = text.parse().map_err(|_| wrong())?;
    let share = decimal.fraction();
    if decimal.is_negative() || share.num == 0 || share > Fraction::ONE { Err(wrong()) } else { Ok(share) }
}
