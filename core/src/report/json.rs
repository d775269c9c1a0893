//! JSON documents for scripts.

use super::Family;
use crate::audit::{Answer, Audit};
use crate::certificate::table::{CriterionDeclared, Figures, SkewDeclared, VerdictFigures, whole_or_real};
use crate::certificate::{MethodDeclared, join, settings};
use crate::inspect::Profile;
use crate::publish::{Distribution, Publication};
use crate::recode::Suppressed;
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

/// One requirement with its verdict.
pub fn answer_json(answer: &Answer) -> Value {
    join(&CriterionDeclared::from(&answer.requirement), &VerdictFigures::from(answer))
}

/// Everything that is known about a release, for the custodian: not for release.
pub fn internal_json(publication: &Publication) -> Value {
    let method = &publication.method;
    let declared = json!({
        "not_for_release": true,
        "title": publication.heading.title,
        "date": publication.heading.date,
        "records": publication.records,
        "published": publication.published,
        "suppressed": publication.suppressed,
        "skew": publication.skew.as_ref().map(SkewDeclared::from),
        "suppressed_as": if publication.starred { Suppressed::Starred } else { Suppressed::Withheld },
        "form": publication.form,
        "method": MethodDeclared {
            name: method.name.to_string(),
            params: settings(&method.params),
            chosen_among: method.among.iter().map(|name| name.to_string()).collect(),
            insecure_seed: method.insecure_seed,
        },
        "criteria": publication.criteria.iter().map(|one| (&one.requirement).into()).collect::<Vec<CriterionDeclared>>(),
    });
    let mut document = join(&declared, &Figures::from(publication));
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
            "bound": whole_or_real(search.bound),
            "minimal": search.minimal.iter().map(|one| levels(one)).collect::<Vec<_>>(),
        });
    }
    document["classification"] = publication.classification.as_ref().map_or(Value::Null, |found| {
        json!({
            "target": found.target, "before": found.before, "after": found.after, "baseline": found.baseline,
            "margin": found.margin,
        })
    });
    for (at, finding) in publication.attacks.iter().enumerate() {
        if let Some(right) = &finding.right {
            document["attacks"][at]["calibration"] = calibration_json(&finding.beliefs, right);
        }
    }
    document["sensitive"] = publication.sensitive.iter().map(distribution_json).collect::<Vec<_>>().into();
    document
}

/// How often what is believed how far is true.
fn calibration_json(people: &[u64; 20], right: &[u64; 20]) -> Value {
    let steps = people.iter().zip(right).enumerate().filter(|(_, (people, _))| **people > 0);
    let step = |(at, (people, right)): (usize, (&u64, &u64))| json!({ "above": at as f64 / 20.0, "up_to": (at + 1) as f64 / 20.0, "people": people, "right": right });
    steps.map(step).collect::<Vec<_>>().into()
}

fn distribution_json(found: &Distribution) -> Value {
    json!({ "column": found.column, "values": found.values, "before": found.before, "after": found.after })
}

/// The document of `inspect --json`.
pub fn profile_json(profile: &Profile) -> Value {
    let columns = profile.columns.iter().map(|column| {
        json!({
            "column": column.name,
            "type": column.value_type.name(),
            "written": column.written,
            "mostly": column.fit.as_ref().map(|fit| json!({ "what": fit.what, "share": fit.share, "other_cells": fit.others })),
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
