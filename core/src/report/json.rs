//! JSON documents for scripts.

use super::Family;
use crate::audit::{Answer, Audit};
use crate::inspect::Profile;
use crate::kind::Setting;
use serde_json::{Map, Value, json};

/// The document of `check --json`.
pub fn audit_json(audit: &Audit) -> Value {
    json!({
        "records": audit.records,
        "groups": audit.groups,
        "holds": audit.holds(),
        "criteria": audit.criteria.iter().map(answer).collect::<Vec<_>>(),
    })
}

fn answer(answer: &Answer) -> Value {
    let wanted = &answer.requirement;
    let params: Map<String, Value> =
        wanted.params.iter().map(|(name, setting)| (name.to_string(), written(setting))).collect();
    let on = match wanted.on.as_slice() {
        [] => Value::Null,
        [column] => column.as_str().into(),
        columns => columns.into(),
    };
    let verdict = &answer.verdict;
    let mut document = json!({
        "criterion": wanted.kind.name,
        "on": on,
        "params": params,
        "holds": verdict.holds,
        "measured": verdict.measured,
    });
    for (name, value) in &verdict.also {
        document[format!("measured_{name}")] = json!(value);
    }
    document["worst_group"] = json!({
        "size": verdict.worst.map(|worst| worst.size),
        "first_record": answer.worst_record,
    });
    document["violating"] = json!({ "groups": verdict.violating.groups, "records": verdict.violating.records });
    document
}

/// A setting as written: texts, and lists of texts.
fn written(setting: &Setting) -> Value {
    match setting {
        Setting::Values(values) => values.as_slice().into(),
        Setting::Decimals(numbers) => numbers.iter().map(ToString::to_string).collect::<Vec<_>>().into(),
        single => single.to_string().into(),
    }
}

/// The document of `inspect --json`.
pub fn profile_json(profile: &Profile) -> Value {
    let columns = profile.columns.iter().map(|column| {
        json!({
            "column": column.name,
            "type": column.value_type.name(),
            "distinct": column.distinct,
            "missing": column.missing,
            "top_share": column.top_share,
            "unique_share": column.unique_share,
            "role": column.role.name(),
            "reason": column.reason,
        })
    });
    let combinations = profile.combinations.iter().map(
        |found| json!({ "columns": found.columns, "distinct": found.distinct, "unique_share": found.unique_share }),
    );
    json!({
        "records": profile.records,
        "columns": columns.collect::<Vec<_>>(),
        "combinations": combinations.collect::<Vec<_>>(),
        "combinations_sampled_from": profile.sampled,
        "notes": profile.notes,
    })
}

/// The document of `list --json`.
pub fn list_json(families: &[Family]) -> Value {
    let members = |family: &Family| -> Vec<Value> {
        family
            .members
            .iter()
            .map(|member| {
                let params = member.params.iter().map(|param| {
                    json!({
                        "name": param.name,
                        "summary": param.summary,
                        "shape": param.shape.to_string(),
                        "default": param.default,
                    })
                });
                json!({
                    "name": member.name,
                    "summary": member.summary,
                    "reference": member.reference,
                    "params": params.collect::<Vec<_>>(),
                    "example": member.example,
                })
            })
            .collect()
    };
    families.iter().map(|family| (family.name.to_string(), Value::from(members(family)))).collect::<Map<_, _>>().into()
}
