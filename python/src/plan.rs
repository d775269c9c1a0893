//! Plans: from a file, from text, or from values that a script has.

use crate::errors::OrRaise;
use pyo3::prelude::*;
use serde_json::Value;
use sfumato::chance::Chance;
use sfumato::data::ReadOptions;
use sfumato::kind::Raw;
use sfumato::{Error, Plan};
use std::path::PathBuf;
use std::sync::Arc;

/// A checked plan.
#[pyclass(frozen, module = "sfumato._native")]
pub struct NativePlan {
    plan: Arc<Plan>,
    folder: PathBuf,
}

#[pymethods]
impl NativePlan {
    /// Reads and checks a plan file.
    #[staticmethod]
    fn from_file(py: Python<'_>, path: PathBuf) -> PyResult<NativePlan> {
        let plan = Plan::read(&path).or_raise(py)?;
        let folder = path.parent().map(PathBuf::from).unwrap_or_default();
        Ok(NativePlan { plan: Arc::new(plan), folder })
    }

    /// Checks the text of a plan; files are relative to the folder.
    #[staticmethod]
    fn from_text(py: Python<'_>, text: &str, folder: PathBuf) -> PyResult<NativePlan> {
        Ok(NativePlan { plan: Arc::new(Plan::parse(text, &folder).or_raise(py)?), folder })
    }

    /// Checks a plan whose sections are given as one JSON document. The lines of a text that nobody
    /// wrote are not named in errors.
    #[staticmethod]
    fn from_values(py: Python<'_>, document: &str, folder: PathBuf) -> PyResult<NativePlan> {
        let plan = parse(document).and_then(|values| Plan::of_values(&values, &folder)).or_raise(py)?;
        Ok(NativePlan { plan: Arc::new(plan), folder })
    }

    /// The plan as text.
    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        self.plan.to_toml().or_raise(py)
    }

    /// Whether it is about sets of items.
    #[getter]
    fn is_sets(&self) -> bool {
        matches!(*self.plan, Plan::Sets(_))
    }

    /// Whether a table is read as without a plan: nothing is said about types, missing values and
    /// spellings.
    #[getter]
    fn reads_as_usual(&self) -> bool {
        self.options() == ReadOptions::default()
    }

    /// The names of the columns that it speaks of.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        match &*self.plan {
            Plan::Table(plan) => plan.schema.columns().iter().map(|spec| spec.name.as_str()).collect(),
            Plan::Sets(_) => Vec::new(),
        }
    }

    /// The data file, if the plan names one.
    #[getter]
    fn data(&self) -> Option<PathBuf> {
        self.plan.data().map(PathBuf::from)
    }

    /// The folder that files are relative to.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The same plan, with random choices by a seed: anybody who knows it can undo them.
    fn with_insecure_seed(&self, seed: u64) -> NativePlan {
        let mut plan = Plan::clone(&self.plan);
        plan.set_chance(Chance::insecure(seed));
        NativePlan { plan: Arc::new(plan), folder: self.folder.clone() }
    }
}

impl NativePlan {
    /// The plan, for a worker that may outlive whoever asked.
    pub fn shared(&self) -> Arc<Plan> {
        self.plan.clone()
    }

    /// How tables are read.
    pub fn options(&self) -> ReadOptions {
        match &*self.plan {
            Plan::Table(plan) => plan.options.clone(),
            Plan::Sets(_) => ReadOptions::default(),
        }
    }
}

/// Values as a script wrote them.
fn parse(document: &str) -> sfumato::Result<Vec<(String, Raw)>> {
    let wrong = |_| Error::plan("the plan's values are no JSON document");
    let Value::Object(entries) = serde_json::from_str(document).map_err(wrong)? else { return Ok(Vec::new()) };
    Ok(entries.iter().map(|(key, value)| (key.clone(), raw(value))).collect())
}

/// The key of an object that stands for a number, given by its digits: floats of JSON would be read
/// as they are nearest.
const NUMBER: &str = "$number";

/// A JSON value as one of a plan.
pub fn raw(value: &Value) -> Raw {
    if let Some(digits) = value.get(NUMBER).and_then(Value::as_str) {
        return Raw::Number(digits.to_string());
    }
    match value {
        Value::Null => Raw::Other("nothing"),
        Value::Bool(flag) => Raw::Flag(*flag),
        Value::Number(number) => Raw::Number(number.to_string()),
        Value::String(text) => Raw::Text(text.clone()),
        Value::Array(items) => Raw::List(items.iter().map(raw).collect()),
        Value::Object(entries) => Raw::Table(entries.iter().map(|(key, value)| (key.clone(), raw(value))).collect()),
    }
}
