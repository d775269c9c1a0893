//! A criterion as a plan asks for it.

use super::{Bound, Build, Context, On, PERSON, SEPARATOR, find, k_anonymity};
use crate::candidate::Records;
use crate::data::{Role, Schema};
use crate::error::{Error, Result};
use crate::kind::{Kind, Member, Point, Raw, Setting};
use std::path::Path;

/// A criterion with its parameters, as a plan asks for it.
#[derive(Clone, PartialEq)]
pub struct Requirement {
    /// The criterion with its parameters.
    pub criterion: Member<Build>,
    /// The sensitive columns that it is about.
    pub on: Vec<String>,
}

impl Requirement {
    /// A requirement from what was written. `on` may be left out where only one column can be
    /// meant.
    ///
    /// ```
    /// use sfumato::criterion::Requirement;
    /// use sfumato::data::Schema;
    /// use sfumato::kind::Raw;
    ///
    /// let schema = Schema::of(&["zip"], &["disease"]);
    /// let wanted = Requirement::new("distinct-l-diversity", &[("l", Raw::from("3"))], &[], &schema)?;
    /// assert_eq!(wanted.on, ["disease"]);
    /// # Ok::<(), sfumato::Error>(())
    /// ```
    pub fn new(name: &str, written: &[(&str, Raw)], on: &[String], schema: &Schema) -> Result<Requirement> {
        let criterion = Member::of(find(name)?, written)?;
        let on = resolve_on(criterion.kind, on, schema)?;
        Ok(Requirement { criterion, on })
    }

    /// That every group has so many records, and nothing else.
    pub fn of_size(least: u64) -> Result<Requirement> {
        let criterion = Member::of(&k_anonymity::KIND, &[("k", Raw::Number(least.to_string()))])?;
        Ok(Requirement { criterion, on: Vec::new() })
    }

    /// Whether it is about people of whom some have several records: then a record is not a person.
    pub fn several_records(&self) -> bool {
        self.criterion.params.iter().any(|(name, setting)| name == PERSON && *setting != Setting::Text(String::new()))
    }

    /// Its points of knowledge; none if it has no such parameter.
    pub fn points(&self) -> &[Point] {
        let points = self.criterion.params.iter().find_map(|(_, setting)| match setting {
            Setting::Points(points) => Some(points.as_slice()),
            _ => None,
        });
        points.unwrap_or_default()
    }

    /// What stands between several values of a cell, if it is about such.
    pub fn separator(&self) -> Option<&str> {
        self.criterion.params.iter().find_map(|(name, setting)| match setting {
            Setting::Text(text) if name == SEPARATOR && !text.is_empty() => Some(text.as_str()),
            _ => None,
        })
    }

    /// Binds it to the records of a table, or to counts of them.
    pub fn bind<'a>(&self, records: impl Into<Records<'a>>, schema: &Schema, folder: &Path) -> Result<Bound> {
        (self.criterion.kind.build.bind)(&Context {
            records: records.into(),
            schema,
            params: &self.criterion.params,
            on: &self.on,
            folder,
        })
    }
}

fn resolve_on(kind: &'static Kind<Build>, written: &[String], schema: &Schema) -> Result<Vec<String>> {
    let sensitive = schema.names(Role::Sensitive);
    let example =
        || format!("add a column with role = \"sensitive\", and `on` if there are several, to use {}", kind.name);
    if kind.build.on == On::Nothing {
        return match written {
            [] => Ok(Vec::new()),
            _ => Err(Error::plan(format!("{} is about group sizes only", kind.name)).help("leave out `on`")),
        };
    }
    if sensitive.is_empty() {
        return Err(Error::plan(format!("{} needs a sensitive column, the plan has none", kind.name)).help(example()));
    }
    for name in written {
        if !sensitive.contains(&name.as_str()) {
            let message = format!("{}: \"{name}\" is not a sensitive column of the plan", kind.name);
            return Err(Error::unknown(message, name, sensitive.iter().copied()));
        }
    }
    if (1..written.len()).any(|at| written[..at].contains(&written[at])) {
        return Err(Error::plan(format!("{}: `on` names a column twice", kind.name)));
    }
    let all = || sensitive.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    match (kind.build.on, written, sensitive.as_slice()) {
        (On::Column, [_], _) => Ok(written.to_vec()),
        (On::Column, [], [_]) => Ok(all()),
        (On::Column, ..) => {
            let message = format!("{} is about one sensitive column", kind.name);
            Err(Error::plan(message).help(format!("say which: on = \"{}\"", sensitive[0])))
        }
        (_, [], [_]) | (_, [_], _) => {
            let message = format!("{} is about several sensitive columns", kind.name);
            Err(Error::plan(message).help("name at least two, or use the criterion without \"multi-attribute-\""))
        }
        (_, [], _) => Ok(all()),
        _ => Ok(written.to_vec()),
    }
}
