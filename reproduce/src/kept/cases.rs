//! Which publications are measured.

use super::tables::{self, Loaded};
use crate::Setting;
use sfumato::anonymize;
use sfumato::data::{ReadOptions, Table};
use sfumato::inspect::{draft_plan, inspect};
use sfumato::{Error, Result, TablePlan};
use std::fmt;
use std::path::Path;

/// A label, and what a plan says under `[method]` and `[release]`, beside every method by its name.
const VARIANTS: [(&str, &str); 3] = [
    ("optimal, 2 % suppressed at most", "[method]\nname = \"optimal\"\n[release]\nmax_suppressed = \"2%\"\n"),
    ("mondrian, relaxed", "[method]\nname = \"mondrian\"\nsplit = \"relaxed\"\n"),
    ("local-recoding, single cells", "[method]\nname = \"local-recoding\"\ncells = true\n"),
];

pub(super) const K: &str = "[[require]]\ncriterion = \"k-anonymity\"\nk = 5\n";

/// Criteria beside 5-anonymity.
pub(super) const CRITERIA: [(&str, &str); 3] = [
    ("5-anonymity", ""),
    ("5-anonymity, entropy 3", "[[require]]\ncriterion = \"entropy-l-diversity\"\nl = 3\n"),
    ("5-anonymity, t = 0.2", "[[require]]\ncriterion = \"t-closeness\"\nt = 0.2\n"),
];

/// Every method with its defaults, and variants after the one that they vary.
pub(super) fn methods() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for kind in anonymize::KINDS {
        all.push((kind.name.to_string(), format!("[method]\nname = \"{}\"\n", kind.name)));
        let varies = |variant: &&(&str, &str)| variant.1.contains(&format!("\"{}\"", kind.name));
        all.extend(VARIANTS.iter().filter(varies).map(|(label, sections)| (label.to_string(), sections.to_string())));
    }
    all
}

/// A publication that is measured. Written and read again, so that a process of its own can make
/// it.
pub(super) enum Case {
    /// A table by a method.
    Method { id: &'static str, criteria: usize, method: usize },
    /// A table by the plan that is drafted for it.
    Draft { id: &'static str },
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Case::Method { id, criteria, method } => write!(f, "{id}/{criteria}/{method}"),
            Case::Draft { id } => write!(f, "{id}"),
        }
    }
}

impl Case {
    /// As it was written.
    pub fn read(text: &str) -> Result<Case> {
        let parts: Vec<&str> = text.split('/').collect();
        let id = tables::ids().into_iter().find(|id| parts.first() == Some(id));
        let number = |at: usize| parts.get(at).and_then(|part| part.parse::<usize>().ok());
        let case = match (id, parts.len()) {
            (Some(id), 1) => Some(Case::Draft { id }),
            (Some(id), 3) => number(1).zip(number(2)).map(|(criteria, method)| Case::Method { id, criteria, method }),
            _ => None,
        };
        let is_there = |case: &Case| match case {
            Case::Draft { .. } => true,
            Case::Method { criteria, method, .. } => *criteria < CRITERIA.len() && *method < methods().len(),
        };
        case.filter(is_there).ok_or_else(|| Error::plan(format!("there is no case \"{text}\"")))
    }

    /// The plan, and the table where it is not the one that is there already.
    pub fn prepare(&self, setting: &Setting<'_>, loaded: Option<&Loaded>) -> Result<Option<(TablePlan, Table)>> {
        match self {
            Case::Draft { id } => drafted(setting, id),
            Case::Method { id, criteria, method } => {
                let own = if loaded.is_none() { Loaded::new(setting, id)? } else { None };
                let Some(loaded) = loaded.or(own.as_ref()) else { return Ok(None) };
                let sections = format!("{K}{}{}", CRITERIA[*criteria].1, methods()[*method].1);
                Ok(Some((loaded.plan(&sections)?, loaded.table.clone())))
            }
        }
    }
}

/// The plan that `sfumato init` drafts for a table, and the table as the plan reads it.
fn drafted(setting: &Setting<'_>, id: &'static str) -> Result<Option<(TablePlan, Table)>> {
    let Some(table) = tables::read(setting, id, &ReadOptions::default())? else { return Ok(None) };
    let text = draft_plan(&table, &inspect(&table), "table.csv", &ReadOptions::default());
    let plan = TablePlan::parse(&text, Path::new("."))?;
    // A draft says how the table is read, missing values included.
    let table = tables::read(setting, id, &plan.options)?.unwrap_or(table);
    Ok(Some((plan, table)))
}
