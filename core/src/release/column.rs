//! What a certificate declares of one column.

use super::stated::{broken, text, texts};
use crate::data::hierarchy::Ruler;
use crate::data::{ColumnSpec, Role, ValueType};
use crate::error::Result;
use crate::publish::{ColumnLevel, Made};
use serde_json::{Value, json};

/// A column as declared.
pub struct StatedColumn {
    pub spec: ColumnSpec,
    pub published: bool,
    /// Whether values that need protection are listed: then an empty list says that none of them is
    /// published.
    lists_protected: bool,
    pub level: Option<ColumnLevel>,
    pub ruler: Option<Ruler>,
}

impl StatedColumn {
    pub fn of(spec: &ColumnSpec, made: &Made, bucketized: bool) -> Result<StatedColumn> {
        let report = made.publication.columns.iter().find(|report| report.name == spec.name);
        let mut own = ColumnSpec::new(&spec.name, spec.role);
        // What a method did depends on the order of values: whoever replays it needs it.
        let is_replayed = spec.role == Role::Quasi && bucketized;
        if spec.role == Role::Sensitive || is_replayed {
            let published = made.recoded.table.column(&spec.name)?;
            let occurs = |value: &&String| published.domain().code(value).is_some();
            own.sensitive_values = spec.sensitive_values.iter().filter(occurs).cloned().collect();
            own.order = spec.order.iter().filter(occurs).cloned().collect();
            // Readers of a release know no missing values: there they are values like others.
            let missing = published.domain().missing().map(|code| published.domain().label(code));
            let unlisted = |label: &&str| !own.order.is_empty() && !own.order.iter().any(|listed| listed == label);
            own.order.extend(missing.filter(unlisted).map(str::to_string));
            own.value_type = Some(match spec.role {
                Role::Sensitive => spec.value_type.unwrap_or_else(|| published.retyped().domain().value_type()),
                _ => published.domain().value_type(),
            });
        }
        Ok(StatedColumn {
            spec: own,
            published: report.is_some_and(|report| report.published),
            lists_protected: !spec.sensitive_values.is_empty(),
            level: report.and_then(|report| report.level),
            ruler: report.and_then(|report| report.ruler.clone()),
        })
    }

    pub fn write(&self) -> Value {
        let spec = &self.spec;
        let mut column = json!({ "name": spec.name, "role": spec.role.name(), "published": self.published });
        if self.lists_protected {
            column["sensitive_values"] = json!(spec.sensitive_values);
        }
        if !spec.order.is_empty() {
            column["order"] = json!(spec.order);
        }
        if let Some(value_type) = spec.value_type {
            column["type"] = json!(value_type.name());
        }
        if let Some(ColumnLevel { level, height }) = self.level {
            column["level"] = json!(level);
            column["height"] = json!(height);
        }
        if let Some(ruler) = &self.ruler {
            column["measured_by"] = json!(ruler.name());
            if let Ruler::Leaves { all, under } = ruler {
                column["leaves"] = json!(all);
                column["leaves_under"] = json!(under);
            }
        }
        column
    }

    pub fn read(column: &Value) -> Result<StatedColumn> {
        let name = text(&column["name"])?;
        let role = Role::find(text(&column["role"])?).ok_or_else(|| broken("a role that there is not"))?;
        let mut spec = ColumnSpec::new(name, role);
        spec.sensitive_values = texts(&column["sensitive_values"]);
        spec.order = texts(&column["order"]);
        spec.value_type = column["type"].as_str().and_then(ValueType::find);
        let number = |key: &str| column[key].as_u64().and_then(|number| usize::try_from(number).ok());
        let level = match (number("level"), number("height")) {
            (Some(level), Some(height)) if level <= height => Some(ColumnLevel { level, height }),
            (None, None) => None,
            _ => return Err(broken("a level that its hierarchy does not have")),
        };
        Ok(StatedColumn {
            spec,
            published: column["published"] == true,
            lists_protected: column["sensitive_values"].is_array(),
            level,
            ruler: read_ruler(column)?,
        })
    }

    /// Whether none of its values that need protection is published.
    pub fn is_unprotected(&self) -> bool {
        self.lists_protected && self.spec.sensitive_values.is_empty()
    }
}

fn read_ruler(column: &Value) -> Result<Option<Ruler>> {
    let known = [Ruler::Numbers, Ruler::Dates, Ruler::Characters, Ruler::Values, Ruler::Spans];
    let Some(name) = column["measured_by"].as_str() else { return Ok(None) };
    if let Some(found) = known.into_iter().find(|ruler| ruler.name() == name) {
        return Ok(Some(found));
    }
    let count = |value: &Value| value.as_u64().and_then(|count| u32::try_from(count).ok());
    let under = column["leaves_under"].as_object().into_iter().flatten();
    let under = under.map(|(label, leaves)| Some((label.clone(), count(leaves)?))).collect::<Option<_>>();
    match (name, count(&column["leaves"]), under) {
        ("leaves", Some(all), Some(under)) => Ok(Some(Ruler::Leaves { all, under })),
        _ => Err(broken("a measure of labels that there is not")),
    }
}
