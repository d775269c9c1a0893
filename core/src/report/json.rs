//! JSON documents for scripts.

use super::Family;
use crate::attack::{Finding, Reidentification};
use crate::audit::{Answer, Audit};
use crate::criterion::Requirement;
use crate::inspect::Profile;
use crate::kind::{Params, Point, Setting};
use crate::publish::{ColumnExposure, Disclosure, Distribution, Exposure, MethodReport, Publication, SkewReport};
use crate::recode::Form;
use crate::skew;
use serde_json::{Map, Value, json};

/// The document of `check --json`.
pub fn audit_json(audit: &Audit) -> Value {
    json!({
        "records": audit.records,
        "groups": audit.groups,
        "holds": audit.holds(),
        "criteria": audit.criteria.iter().map(checked_json).collect::<Vec<_>>(),
    })
}

/// One requirement with its verdict, and whether any grouping of the table could satisfy it.
fn checked_json(answer: &Answer) -> Value {
    let mut document = answer_json(answer);
    if let Some(found) = answer.eligibility {
        let too_frequent = found.too_frequent.map(|share| share.to_f64());
        document["eligibility"] =
            json!({ "eligible": too_frequent.is_none(), "l": found.l, "too_frequent": too_frequent });
    }
    document
}

/// A requirement, as a certificate declares it.
pub fn requirement_json(wanted: &Requirement) -> Value {
    let on = match wanted.on.as_slice() {
        [] => Value::Null,
        [column] => column.as_str().into(),
        columns => columns.into(),
    };
    json!({ "criterion": wanted.criterion.kind.name, "on": on, "params": params_json(&wanted.criterion.params) })
}

/// One requirement with its verdict.
pub fn answer_json(answer: &Answer) -> Value {
    let verdict = &answer.verdict;
    let mut document = requirement_json(&answer.requirement);
    document["holds"] = json!(verdict.holds);
    document["measured"] = json!(verdict.measured);
    for (name, value) in &verdict.also {
        document[format!("measured_{name}")] = json!(value);
    }
    if !verdict.points.is_empty() {
        document["points"] = points_json(answer);
    }
    document["worst_group"] = json!({
        "size": verdict.worst.map(|worst| worst.size),
        "first_record": answer.worst_record,
    });
    document["violating"] = json!({ "groups": verdict.violating.groups, "records": verdict.violating.records });
    document
}

/// The points of a skyline, each with the highest belief that is reached at it.
fn points_json(answer: &Answer) -> Value {
    let points = answer.points().map(|(point, reached)| {
        let mut document = point_json(point);
        document["measured"] = json!(reached.measured);
        document["holds"] = json!(reached.holds);
        document
    });
    points.collect::<Vec<_>>().into()
}

/// A point of a skyline, as a plan writes it.
fn point_json(point: &Point) -> Value {
    let value = point.value.iter().map(|value| ("value".to_string(), json!(value)));
    let counts = [("l", point.l), ("k", point.k), ("m", point.m)].map(|(name, count)| (name.to_string(), json!(count)));
    value.chain(counts).chain([("c".to_string(), json!(point.c.to_string()))]).collect::<Map<_, _>>().into()
}

/// What can be read off a release: one finding of an attack.
pub fn finding_json(finding: &Finding) -> Value {
    let details: Map<String, Value> =
        finding.details.iter().map(|(name, value)| (name.to_string(), json!(value))).collect();
    json!({
        "attack": finding.attack,
        "params": params_json(&finding.params),
        "on": finding.on,
        "knowledge": finding.knowledge,
        "highest_belief": finding.highest.to_f64(),
        "highest_belief_is": if finding.is_lower_bound { "at least" } else { "exact" },
        "people": finding.people,
        "groups": finding.groups,
        "limit": finding.limit.map(|limit| limit.belief.to_f64()),
        "above_limit": finding.above_limit,
        "details": details,
        "repeatable": finding.repeatable,
    })
}

/// The figures of a publication that certificates hold. Nothing that only the custodian may know is
/// among them, whatever publication it is.
pub fn publication_json(publication: &Publication) -> Value {
    let utility: Map<String, Value> =
        publication.utility.iter().map(|(name, value)| (name.to_string(), whole_or_real(*value))).collect();
    let kept: Map<String, Value> =
        publication.columns.iter().filter_map(|column| Some((column.name.clone(), json!(column.kept?)))).collect();
    json!({
        "title": publication.heading.title,
        "date": publication.heading.date,
        "records": publication.records,
        "published": publication.published,
        "suppressed": publication.suppressed,
        "skew": publication.skew.as_ref().map(skew_json),
        "suppressed_as": if publication.starred { "starred" } else { "withheld" },
        "groups": publication.groups,
        "form": form_name(publication.form),
        "method": method_json(&publication.method),
        "criteria": publication.criteria.iter().map(certified_json).collect::<Vec<_>>(),
        "reidentification_risk": publication.risk.map(risk_json),
        "attacks": publication.attacks.iter().map(finding_json).collect::<Vec<_>>(),
        "undisclosed_attacks": publication.undisclosed,
        "insensitive": exposure_json(&publication.exposure),
        "information_kept": { "overall": publication.information_kept, "columns": kept },
        "utility": utility,
    })
}

/// The chance to pick a person's record. Without a population table nothing is known of the
/// journalist but that it is no more than the prosecutor's.
pub(super) fn risk_json(risk: Reidentification) -> Value {
    json!({
        "prosecutor": risk.prosecutor(),
        "journalist_at_most": risk.prosecutor(),
        "marketer": risk.marketer(),
        "classes": risk.classes,
        "smallest_class": risk.smallest,
        "unique_records": risk.unique,
    })
}

/// What columns that the plan calls insensitive disclose.
fn exposure_json(exposure: &Exposure) -> Value {
    let disclosed = |found: &Disclosure| {
        let certain: Map<String, Value> =
            found.sensitive.iter().map(|one| (one.column.clone(), json!(one.certain))).collect();
        json!({ "unique": found.unique, "certain": certain })
    };
    let column = |one: &ColumnExposure| {
        let mut document = disclosed(&one.disclosure);
        document["column"] = json!(one.name);
        document["accepted"] = json!(one.accepted);
        document
    };
    json!({
        "columns": exposure.columns.iter().map(column).collect::<Vec<_>>(),
        "together": disclosed(&exposure.together),
    })
}

/// One requirement with its verdict, and whether whoever has the release can check it.
fn certified_json(answer: &Answer) -> Value {
    let mut document = answer_json(answer);
    document["checked"] = json!(answer.is_checked);
    document
}

/// Everything that is known about a release, for the custodian: not for release.
pub fn internal_json(publication: &Publication) -> Value {
    let mut document = json!({ "not_for_release": true });
    if let Value::Object(figures) = publication_json(publication) {
        figures.into_iter().for_each(|(key, value)| document[key] = value);
    }
    document["notes"] = json!(publication.notes);
    if let (Some(chosen), Some(search)) = (&publication.method.chosen, &publication.method.search) {
        let levels = |levels: &[usize]| -> Map<String, Value> {
            chosen.levels.iter().zip(levels).map(|((name, _), level)| (name.clone(), json!(level))).collect()
        };
        document["search"] = json!({
            "value": whole_or_real(search.value),
            "nodes": search.nodes,
            "checked": search.checked,
            "safe": search.safe,
            "exhaustive": search.exhaustive,
            "minimal": search.minimal.iter().map(|one| levels(one)).collect::<Vec<_>>(),
        });
    }
    document["classification"] = publication.classification.as_ref().map_or(Value::Null, |found| {
        json!({
            "target": found.target, "before": found.before, "after": found.after, "baseline": found.baseline,
            "margin": found.margin,
        })
    });
    document["sensitive"] = publication.sensitive.iter().map(distribution_json).collect::<Vec<_>>().into();
    document
}

fn distribution_json(found: &Distribution) -> Value {
    json!({ "column": found.column, "values": found.values, "before": found.before, "after": found.after })
}

/// What was withheld because a value was too frequent, by whom it is hidden from, and how well.
pub fn skew_json(skew: &SkewReport) -> Value {
    let suppression = skew::make(skew.method);
    json!({
        "method": skew.method.name,
        "on": skew.on,
        "l": skew.l,
        "withheld": skew.withheld,
        "claimed_belief": 1.0 / skew.l as f64,
        "is_kept": suppression.keeps_to_limit(),
        "knowledge": suppression.knowledge(),
    })
}

fn method_json(method: &MethodReport) -> Value {
    let mut document = json!({
        "name": method.name,
        "params": params_json(&method.params),
        "class": method.class.name(),
        "insecure_seed": method.insecure_seed,
    });
    if let Some(chosen) = &method.chosen {
        let levels: Map<String, Value> =
            chosen.levels.iter().map(|(name, level)| (name.clone(), json!(level))).collect();
        document["metric"] = json!(chosen.metric);
        document["levels"] = levels.into();
    }
    document
}

/// The name of a form, as written in plans.
pub fn form_name(form: Form) -> &'static str {
    match form {
        Form::Generalized => "generalized",
        Form::Bucketized => "bucketized",
    }
}

/// Whole numbers without a point.
pub(super) fn whole_or_real(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

/// Parameters as written.
pub fn params_json(params: &Params) -> Map<String, Value> {
    params.iter().map(|(name, setting)| (name.to_string(), written(setting))).collect()
}

/// A setting as written: texts, flags, and lists of texts.
fn written(setting: &Setting) -> Value {
    match setting {
        Setting::Flag(flag) => (*flag).into(),
        Setting::Values(values) => values.as_slice().into(),
        Setting::Points(points) => points.iter().map(point_json).collect::<Vec<_>>().into(),
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
