//! What a certificate declares of one column.

use crate::certificate::broken;
use crate::certificate::table::{ColumnDeclared, whole_or_real};
use crate::data::hierarchy::Ruler;
use crate::data::{Center, ColumnSpec, Role, ValueType, Weight};
use crate::error::Result;
use crate::publish::{ColumnLevel, Made};
use serde_json::Number;

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
        (own.weight, own.center) = (spec.weight, spec.center);
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

    pub fn write(&self) -> ColumnDeclared {
        let spec = &self.spec;
        let (leaves, leaves_under) = match &self.ruler {
            Some(Ruler::Leaves { all, under }) => (Some(*all), Some(under.clone())),
            _ => (None, None),
        };
        ColumnDeclared {
            name: spec.name.clone(),
            role: spec.role.name().to_string(),
            published: self.published,
            sensitive_values: self.lists_protected.then(|| spec.sensitive_values.clone()),
            order: spec.order.clone(),
            value_type: spec.value_type.map(|value_type| value_type.name().to_string()),
            weight: (spec.weight != Weight::ONE).then(|| whole_or_real(spec.weight.to_f64())).flatten(),
            level: self.level.map(|level| level.level),
            height: self.level.map(|level| level.height),
            measured_by: self.ruler.as_ref().map(|ruler| ruler.name().to_string()),
            whole: self.ruler.as_ref().and_then(Ruler::whole).map(str::to_string),
            leaves,
            leaves_under,
        }
    }

    pub fn read(column: ColumnDeclared) -> Result<StatedColumn> {
        let role = Role::find(&column.role).ok_or_else(|| broken("a role that there is not"))?;
        let level = match (column.level, column.height) {
            (Some(level), Some(height)) if level <= height => Some(ColumnLevel { level, height }),
            (None, None) => None,
            _ => return Err(broken("a level that its hierarchy does not have")),
        };
        let mut spec = ColumnSpec::new(&column.name, role);
        let ruler = read_ruler(&column)?;
        let lists_protected = column.sensitive_values.is_some();
        spec.sensitive_values = column.sensitive_values.unwrap_or_default();
        spec.weight = read_weight(&column.weight, role)?;
        spec.center = match ruler {
            Some(Ruler::Center(center)) => Some(center),
            _ => None,
        };
        spec.order = column.order;
        spec.value_type = column.value_type.as_deref().and_then(ValueType::find);
        Ok(StatedColumn { spec, published: column.published, lists_protected, level, ruler })
    }

    /// Whether none of its values that need protection is published.
    pub fn is_unprotected(&self) -> bool {
        self.lists_protected && self.spec.sensitive_values.is_empty()
    }
}

/// The weight of a quasi-identifier; other columns have none.
fn read_weight(stated: &Option<Number>, role: Role) -> Result<Weight> {
    let Some(stated) = stated else { return Ok(Weight::ONE) };
    let weight = stated.to_string().parse().ok();
    weight.filter(|_| role == Role::Quasi).ok_or_else(|| broken("a weight that no plan can give the column"))
}

fn read_ruler(column: &ColumnDeclared) -> Result<Option<Ruler>> {
    let whole = || column.whole.clone();
    let ranges = [Ruler::Numbers { whole: whole() }, Ruler::Dates { whole: whole() }];
    let known = ranges.into_iter().chain([Ruler::Characters, Ruler::Values, Ruler::Spans]);
    let known = known.chain(Center::ALL.map(Ruler::Center));
    let Some(name) = &column.measured_by else { return Ok(None) };
    let leaves = column.leaves.zip(column.leaves_under.clone()).map(|(all, under)| Ruler::Leaves { all, under });
    let found = known.chain(leaves).find(|ruler| ruler.name() == name);
    found.map(Some).ok_or_else(|| broken("a measure of labels that there is not"))
}
