//! The members of every family, described as data: constructors, signatures, documentation and type
//! stubs are made from it.

use pyo3::prelude::*;
use serde_json::{Value, json};
use sfumato::criterion::{self, On};
use sfumato::data::Formats;
use sfumato::kind::{Kind, Param, Shape};
use sfumato::report::{Listed, families};

/// Every family with its members, as JSON.
#[pyfunction]
pub fn members() -> String {
    let formats = Formats::default().with(sfumato_columnar::formats());
    let families: serde_json::Map<String, Value> = families(&formats)
        .iter()
        .map(|family| {
            let members: Vec<Value> = match family.name {
                CRITERIA => {
                    family.members.iter().zip(criterion::KINDS).map(|(one, kind)| criterion(one, kind)).collect()
                }
                _ => family.members.iter().map(member).collect(),
            };
            (family.name.to_string(), json!({ "summary": family.summary, "members": members }))
        })
        .collect();
    Value::Object(families).to_string()
}

/// The family whose members are measured, and so need to say of what.
const CRITERIA: &str = "criteria";

/// A criterion, with what it is about and the settings of its example.
fn criterion(listed: &Listed, kind: &Kind<criterion::Build>) -> Value {
    let mut described = member(listed);
    described["subject"] = match kind.build.on {
        On::Nothing => "records",
        On::Column => "column",
        On::Columns => "columns",
    }
    .into();
    let text: String = kind.example.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
    described["settings"] = toml::from_str(&text).unwrap_or_default();
    described
}

fn member(listed: &Listed) -> Value {
    json!({
        "name": listed.name,
        "summary": listed.summary,
        "reference": listed.reference,
        "example": listed.example,
        "params": listed.params.iter().map(param).collect::<Vec<_>>(),
    })
}

fn param(param: &Param) -> Value {
    let (shape, choices): (&str, &[&str]) = match &param.shape {
        Shape::Count(_) => ("count", &[]),
        Shape::CountOr(_, word) => ("count", std::slice::from_ref(word)),
        Shape::Decimal(_) | Shape::Number => ("number", &[]),
        Shape::Choice(words) => ("choice", words),
        Shape::Values => ("values", &[]),
        Shape::Decimals(_) => ("numbers", &[]),
        Shape::FileOr(_) | Shape::File => ("file", &[]),
        Shape::Flag => ("flag", &[]),
        Shape::Text => ("text", &[]),
        Shape::Points => ("points", &[]),
    };
    json!({
        "name": param.name,
        "summary": param.summary,
        "shape": shape,
        "choices": choices,
        "describes": param.shape.to_string(),
        "default": param.default,
    })
}
