//! What can be told from a release alone: by reading its table, grouping it and counting. Nothing here knows how the release was made.

use crate::attack::{self, Promises, Target};
use crate::audit::audit_groups;
use crate::candidate::Groups;
use crate::criterion::Requirement;
use crate::data::hierarchy::TOP;
use crate::data::{Column, ColumnSpec, Formats, ReadOptions, Role, Schema, Table, ValueType};
use crate::error::{Error, Fault, Result};
use crate::kind::{Params, Raw};
use crate::report::answer_json;
use serde_json::{Map, Value, json};
use std::path::Path;

/// What a certificate states that is needed to read and check its release.
pub struct Stated {
    data: String,
    options: ReadOptions,
    schema: Schema,
    requirements: Vec<Requirement>,
    /// Attacks that the release alone allows: with parameters, and how many findings each had.
    attacks: Vec<(&'static crate::kind::Kind<attack::Build>, Params)>,
    records: u64,
    suppressed: u64,
    starred: bool,
    levels: Vec<StatedLevel>,
}

/// A quasi-identifier as stated.
struct StatedLevel {
    name: String,
    level: f64,
    height: f64,
    leaves: u64,
    under: Map<String, Value>,
}

impl Stated {
    /// Reads what a certificate states.
    pub fn read(document: &Value) -> Result<Stated> {
        let mut options = ReadOptions { missing: texts(&document["plan"]["missing"]), ..ReadOptions::default() };
        let mut specs = Vec::new();
        let mut levels = Vec::new();
        for column in array(&document["plan"]["columns"]) {
            let name = text(&column["name"])?;
            let role = Role::find(text(&column["role"])?).ok_or_else(|| broken("a role that there is not"))?;
            let mut spec = ColumnSpec::new(name, role);
            spec.sensitive_values = texts(&column["sensitive_values"]);
            spec.order = texts(&column["order"]);
            spec.value_type = column["type"].as_str().and_then(ValueType::find);
            options.types.extend(spec.value_type.map(|value_type| (name.to_string(), value_type)));
            if role == Role::Quasi {
                levels.push(StatedLevel {
                    name: name.to_string(),
                    level: column["level"].as_f64().unwrap_or(0.0),
                    height: column["height"].as_f64().unwrap_or(0.0),
                    leaves: column["leaves"].as_u64().unwrap_or(0),
                    under: column["leaves_under"].as_object().cloned().unwrap_or_default(),
                });
            }
            specs.push(spec);
        }
        let schema = Schema::new(specs);
        let requirements =
            array(&document["criteria"]).iter().map(|one| requirement(one, &schema)).collect::<Result<_>>()?;
        let mut attacks: Vec<(&'static crate::kind::Kind<attack::Build>, Params)> = Vec::new();
        for one in array(&document["attacks"]).iter().filter(|one| one["repeatable"] == true) {
            let kind = attack::find(text(&one["attack"])?)?;
            let params = kind.check(&written(&one["params"]))?;
            // One attack has a finding for every sensitive column.
            if !attacks.iter().any(|(known, own)| known.name == kind.name && *own == params) {
                attacks.push((kind, params));
            }
        }
        Ok(Stated {
            data: text(&document["data"])?.to_string(),
            options,
            schema,
            requirements,
            attacks,
            records: document["records"].as_u64().ok_or_else(|| broken("no number of records"))?,
            suppressed: document["suppressed"].as_u64().ok_or_else(|| broken("no number of suppressed records"))?,
            starred: document["suppressed_as"] == "starred",
            levels,
        })
    }
}

fn broken(what: &str) -> Error {
    Error::new(Fault::Gate, format!("the certificate states {what}"))
        .help("it was changed, or written by another version")
}

fn text(value: &Value) -> Result<&str> {
    value.as_str().ok_or_else(|| broken("something else than a text where a name belongs"))
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn texts(value: &Value) -> Vec<String> {
    array(value).iter().filter_map(|item| item.as_str().map(str::to_string)).collect()
}

/// Parameters as somebody might have written them in a plan.
fn written(params: &Value) -> Vec<(&str, Raw)> {
    let raw = |value: &Value| match value {
        Value::Bool(flag) => Raw::Flag(*flag),
        Value::Array(_) => Raw::List(texts(value).into_iter().map(Raw::Text).collect()),
        other => Raw::Text(other.as_str().map_or_else(|| other.to_string(), str::to_string)),
    };
    params.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), raw(value))).collect()
}

fn requirement(stated: &Value, schema: &Schema) -> Result<Requirement> {
    let on = match &stated["on"] {
        Value::String(column) => vec![column.clone()],
        several => texts(several),
    };
    Requirement::new(text(&stated["criterion"])?, &written(&stated["params"]), &on, schema)
}

/// Everything that the release's table tells about what its certificate states.
pub fn recompute(folder: &Path, stated: &Stated, formats: &Formats) -> Result<Value> {
    let whole = formats.read(&folder.join(&stated.data), &stated.options)?;
    let stars = if stated.starred { trailing_stars(&whole).min(stated.suppressed as usize) } else { 0 };
    let table = whole.head(whole.rows() - stars);
    let quasi = stated.schema.select(&table, Role::Quasi)?;
    let groups = Groups::by_columns(&quasi, table.rows());
    // A criterion that needs a file besides the release cannot be told.
    let tell = |wanted: &Requirement| {
        let audit = audit_groups(&table, &stated.schema, &groups, std::slice::from_ref(wanted), folder).ok()?;
        Some(answer_json(&audit.criteria[0]))
    };
    Ok(json!({
        "published": table.rows(),
        "starred": stars,
        "columns": whole.columns().iter().map(Column::name).collect::<Vec<_>>(),
        "groups": groups.len(),
        "smallest_group": (0..groups.len()).map(|group| groups.size(group)).min(),
        "criteria": stated.requirements.iter().map(tell).collect::<Vec<_>>(),
        "attacks": attacks(&table, &groups, stated, formats, folder)?,
        "utility": utility(&table, &groups, stated)?,
    }))
}

/// How many rows at the end have `*` in every column.
fn trailing_stars(table: &Table) -> usize {
    let is_star = |row: &usize| table.columns().iter().all(|column| column.value(*row) == TOP);
    (0..table.rows()).rev().take_while(is_star).count()
}

fn attacks(table: &Table, groups: &Groups, stated: &Stated, formats: &Formats, folder: &Path) -> Result<Vec<Value>> {
    let promises = Promises { criteria: Vec::new(), max_belief: None, max_risk: None };
    let schema = &stated.schema;
    let target = Target { release: table, groups, schema, original: None, promises: &promises, formats, folder };
    let mut found = Vec::new();
    for (kind, params) in &stated.attacks {
        for finding in (kind.build)(params).run(&target)? {
            found.push(json!({
                "attack": finding.attack,
                "params": crate::report::params_json(&finding.params),
                "on": finding.on,
                "highest_belief": finding.highest.to_f64(),
                "people": finding.people,
                "groups": finding.groups,
            }));
        }
    }
    Ok(found)
}

/// The metrics that groups, levels and leaves tell, each by its definition.
fn utility(table: &Table, groups: &Groups, stated: &Stated) -> Result<Value> {
    let (records, suppressed) = (stated.records as f64, stated.suppressed as f64);
    let sizes = (0..groups.len()).map(|group| groups.size(group) as f64);
    let squares: f64 = sizes.map(|size| size * size).sum();
    let counted = groups.len() as f64 + if stated.suppressed > 0 { 1.0 } else { 0.0 };
    let columns = stated.levels.len().max(1) as f64;
    let height: f64 = stated.levels.iter().map(|one| one.level).sum();
    let way = |one: &StatedLevel| (table.rows() as f64 * one.level / one.height.max(1.0) + suppressed) / records;
    let precision = stated.levels.iter().map(way).sum::<f64>() / columns;
    let lost = stated.levels.iter().map(|one| lost(table, one, stated)).collect::<Result<Vec<f64>>>()?;
    let loss = lost.iter().map(|lost| 1.0 + lost).product::<f64>().powf(1.0 / columns) - 1.0;
    let rounded = |value: f64| json!((value * 1e9).round() / 1e9);
    Ok(json!({
        "height": rounded(height),
        "precision": rounded(precision),
        "loss": rounded(loss),
        "discernibility": rounded(squares + suppressed * records),
        "average-group-size": rounded(records / counted),
        "suppressed-share": rounded(suppressed / records),
    }))
}

fn lost(table: &Table, one: &StatedLevel, stated: &Stated) -> Result<f64> {
    let column = table.column(&one.name)?;
    let under = |label: &str| one.under.get(label).and_then(Value::as_f64).unwrap_or(1.0);
    let counts = column.counts();
    let kept: f64 =
        column.domain().labels().iter().zip(&counts).map(|(label, &count)| under(label) * count as f64).sum();
    let (records, leaves) = (stated.records as f64, one.leaves as f64);
    let sum = kept + stated.suppressed as f64 * leaves;
    Ok(if leaves > 1.0 { ((sum - records) / (records * (leaves - 1.0))).max(0.0) } else { 0.0 })
}
