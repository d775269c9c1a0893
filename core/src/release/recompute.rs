//! What can be told from a release alone: by reading its table, grouping it and counting. Nothing here knows how the release was made.

use super::certify::ESCAPED;
use crate::anonymize::{Class, View, Wanted};
use crate::attack::{self, Making, Promises, Suppressed, Target};
use crate::audit::audit_bound;
use crate::candidate::Groups;
use crate::criterion::{Bound, Requirement, Scope};
use crate::data::hierarchy::TOP;
use crate::data::{
    COUNT, Column, ColumnSpec, Formats, GROUP, ReadOptions, Role, Schema, Table, VALUE, ValueType, join_pair,
    restore_formulas,
};
use crate::error::{Error, Fault, Result};
use crate::kind::{Kind, Params, Raw, Setting};
use crate::publish::SkewReport;
use crate::report::{answer_json, finding_json, params_json, skew_json};
use crate::skew;
use crate::utility::grouped;
use serde_json::{Map, Value, json};
use std::path::{Component, Path};

/// What a certificate states that is needed to read and check its release.
pub struct Stated {
    data: String,
    /// The file of sensitive values, in a bucketized release.
    sensitive: Option<String>,
    /// The method, if this version knows it.
    method: Option<Wanted>,
    options: ReadOptions,
    schema: Schema,
    /// Sensitive columns of which no value that needs protection is left in the release.
    unprotected: Vec<String>,
    requirements: Vec<Requirement>,
    /// One entry for each stated finding: the attack, its parameters, and the column.
    attacks: Vec<(&'static Kind<attack::Build>, Params, Option<String>)>,
    /// Published and suppressed ones: those that groups were formed of.
    records: u64,
    suppressed: u64,
    /// What was withheld before because a value was too frequent.
    skew: Option<SkewReport>,
    starred: bool,
    /// Whether cells that a spreadsheet would run have an apostrophe in front.
    escaped: bool,
    levels: Vec<StatedLevel>,
}

/// A release as it was read.
pub struct Release {
    /// The published records, without starred ones. In a bucketized release which record of a group has which of its sensitive values is not told, so they are dealt out somehow.
    pub table: Table,
    /// Records that look alike, or share a group number.
    pub groups: Groups,
    /// How many starred records follow.
    pub stars: usize,
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
        let data = listed_file(document, "data")?;
        let bucketized = document["form"] == "bucketized";
        let mut stated = Stated {
            options: read_options(&data),
            sensitive: bucketized.then(|| listed_file(document, "sensitive")).transpose()?,
            method: read_method(&document["method"]),
            data,
            schema: Schema::default(),
            unprotected: Vec::new(),
            requirements: Vec::new(),
            attacks: Vec::new(),
            records: document["records"].as_u64().ok_or_else(|| broken("no number of records"))?,
            suppressed: document["suppressed"].as_u64().ok_or_else(|| broken("no number of suppressed records"))?,
            skew: None,
            starred: document["suppressed_as"] == "starred",
            escaped: document["formulas"] == ESCAPED,
            levels: Vec::new(),
        };
        stated.read_columns(document)?;
        stated.skew = read_skew(&document["skew"], stated.records, &stated.schema)?;
        let withheld = stated.skew.as_ref().map_or(0, |skew| skew.withheld);
        let records = stated.records.checked_sub(withheld);
        stated.records = records.ok_or_else(|| broken("more records withheld than there were"))?;
        for one in array(&document["criteria"]) {
            stated.requirements.push(requirement(one, &stated.schema)?);
        }
        for one in array(&document["attacks"]) {
            let kind = attack::find(text(&one["attack"])?)?;
            let params = kind.check(&written(&one["params"]))?;
            stated.attacks.push((kind, params, one["on"].as_str().map(str::to_string)));
        }
        Ok(stated)
    }

    fn read_columns(&mut self, document: &Value) -> Result<()> {
        let mut specs = Vec::new();
        for column in array(&document["plan"]["columns"]) {
            let name = text(&column["name"])?;
            let role = Role::find(text(&column["role"])?).ok_or_else(|| broken("a role that there is not"))?;
            let mut spec = ColumnSpec::new(name, role);
            spec.sensitive_values = texts(&column["sensitive_values"]);
            if column["sensitive_values"].as_array().is_some_and(Vec::is_empty) {
                self.unprotected.push(name.to_string());
            }
            spec.order = texts(&column["order"]);
            spec.value_type = column["type"].as_str().and_then(ValueType::find);
            self.options.types.extend(spec.value_type.map(|value_type| (name.to_string(), value_type)));
            if role == Role::Quasi && column.get("level").is_some() {
                self.levels.push(StatedLevel {
                    name: name.to_string(),
                    level: column["level"].as_f64().unwrap_or(0.0),
                    height: column["height"].as_f64().unwrap_or(0.0),
                    leaves: column["leaves"].as_u64().unwrap_or(0),
                    under: column["leaves_under"].as_object().cloned().unwrap_or_default(),
                });
            }
            specs.push(spec);
        }
        self.schema = Schema::new(specs);
        if let ([name], true) = (self.schema.names(Role::Sensitive).as_slice(), self.sensitive.is_some()) {
            let own = self.options.types.iter().find(|(known, _)| known == name).map(|(_, value_type)| *value_type);
            self.options.types.extend(own.map(|value_type| (VALUE.to_string(), value_type)));
        }
        Ok(())
    }

    /// Whether it is about people of whom some have several records.
    pub fn several_records(&self) -> bool {
        self.requirements.iter().any(Requirement::several_records)
    }

    /// Reads the published records.
    pub fn release(&self, folder: &Path, formats: &Formats) -> Result<Release> {
        let whole = self.file(&folder.join(&self.data), formats)?;
        let Some(sensitive) = &self.sensitive else {
            let stars = if self.starred { trailing_stars(&whole).min(self.suppressed as usize) } else { 0 };
            let table = whole.head(whole.rows() - stars);
            let groups = Groups::by_columns(&self.schema.select(&table, Role::Quasi)?, table.rows());
            return Ok(Release { table, groups, stars });
        };
        let sensitive = self.file(&folder.join(sensitive), formats)?;
        self.check_pair_columns(&whole, &sensitive)?;
        let (table, numbers) = join_pair(&whole, &sensitive, &self.schema, GROUP)?;
        let groups = Groups::by_ids(numbers.codes(), numbers.domain().len());
        Ok(Release { table, groups, stars: 0 })
    }

    /// Refuses tables that hold more than is said: another column, or the order of rows that tell the same, could carry who has which value.
    fn check_pair_columns(&self, quasi: &Table, sensitive: &Table) -> Result<()> {
        let names = self.schema.names(Role::Sensitive);
        let values = if names.len() == 1 { vec![VALUE] } else { names.clone() };
        let wanted: Vec<&str> = [GROUP].into_iter().chain(values.clone()).chain([COUNT]).collect();
        let has = |table: &Table| table.columns().iter().map(|column| column.name().to_string()).collect::<Vec<_>>();
        if has(sensitive) != wanted || has(quasi).iter().any(|name| names.contains(&name.as_str())) {
            return Err(broken("other columns than its tables have"));
        }
        let told: Vec<&Column> = [GROUP].iter().chain(&values).filter_map(|name| sensitive.find(name)).collect();
        let counts = sensitive.column(COUNT)?;
        let no_count = (0..sensitive.rows()).any(|row| counts.value(row).starts_with(['0', '+']));
        if no_count || Groups::by_columns(&told, sensitive.rows()).len() < sensitive.rows() {
            return Err(broken("each value of a group once, with its count"));
        }
        Ok(())
    }

    fn file(&self, path: &Path, formats: &Formats) -> Result<Table> {
        // A link or a pipe could lead anywhere.
        if !std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
            return Err(broken("a table that is no plain file"));
        }
        // Types are stated, not checked: stars are of none.
        let table = formats.read_unchecked(path, &self.options)?;
        if self.escaped { restore_formulas(table) } else { Ok(table) }
    }

    /// What the method's choices depend on, for these criteria.
    fn class(&self) -> Option<&'static str> {
        let class = self.method.as_ref()?.build().class();
        let sizes_only = self.requirements.iter().all(|wanted| wanted.on.is_empty());
        Some(if sizes_only { Class::QiOnly } else { class }.name())
    }

    /// The criteria that the release alone tells, bound to it; and whether these are all.
    fn bind<'s>(&'s self, table: &Table) -> Result<(Vec<(&'s Requirement, Bound)>, bool)> {
        let mut bound = Vec::new();
        for wanted in &self.requirements {
            bound.extend(self.bind_one(table, wanted)?.map(|bound| (wanted, bound)));
        }
        let all = bound.len() == self.requirements.len();
        Ok((bound, all))
    }

    fn bind_one(&self, table: &Table, wanted: &Requirement) -> Result<Option<Bound>> {
        // The scope is known once bound; what needs a hierarchy, which is not part of a release, cannot be bound.
        if !self.can_tell(wanted, Scope::Groups) {
            return Ok(None);
        }
        match wanted.bind(table, &self.schema, Path::new("")) {
            Ok(bound) => Ok(Some(bound).filter(|bound| self.can_tell(wanted, bound.criterion.scope()))),
            Err(error) if error.fault() == Fault::Plan => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the release alone tells what a criterion says: it reads groups only, or the whole table and all of it is there; and no file besides.
    fn can_tell(&self, wanted: &Requirement, scope: Scope) -> bool {
        let whole = match scope {
            Scope::Groups => true,
            Scope::Table => self.suppressed == 0,
            Scope::Original => false,
        };
        whole && !wanted.params.has_file() && !wanted.on.iter().any(|on| self.unprotected.contains(on))
    }
}

/// Whether a name is that of a file in a folder, and no path out of it.
pub fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
}

/// How releases are written: with a header, one delimiter, and nothing that means "missing" but what is written for it.
fn read_options(data: &str) -> ReadOptions {
    let delimiter = data.ends_with(".csv").then_some(b',');
    ReadOptions { delimiter, missing: Vec::new(), ..ReadOptions::default() }
}

pub(super) fn broken(what: &str) -> Error {
    Error::new(Fault::Gate, format!("the certificate states {what}"))
        .help("it was changed, or written by another version")
}

pub(super) fn text(value: &Value) -> Result<&str> {
    value.as_str().ok_or_else(|| broken("something else than a text where a name belongs"))
}

pub(super) fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn texts(value: &Value) -> Vec<String> {
    array(value).iter().filter_map(|item| item.as_str().map(str::to_string)).collect()
}

/// Parameters as somebody might have written them in a plan.
pub(super) fn written(params: &Value) -> Vec<(&str, Raw)> {
    params.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), raw(value))).collect()
}

/// A parameter in the same form.
fn raw(value: &Value) -> Raw {
    match value {
        Value::Bool(flag) => Raw::Flag(*flag),
        Value::Array(items) => Raw::List(items.iter().map(raw).collect()),
        Value::Object(fields) => Raw::Table(fields.iter().map(|(name, value)| (name.clone(), raw(value))).collect()),
        other => Raw::Text(other.as_str().map_or_else(|| other.to_string(), str::to_string)),
    }
}

fn requirement(stated: &Value, schema: &Schema) -> Result<Requirement> {
    let on = match &stated["on"] {
        Value::String(column) => vec![column.clone()],
        several => texts(several),
    };
    Requirement::new(text(&stated["criterion"])?, &written(&stated["params"]), &on, schema)
}

/// How records of frequent values are stated to have been withheld, if they were.
fn read_skew(stated: &Value, records: u64, schema: &Schema) -> Result<Option<SkewReport>> {
    if stated.is_null() {
        return Ok(None);
    }
    let number = |key: &str| stated[key].as_u64().filter(|number| *number > 0);
    let (Some(l), Some(withheld)) = (number("l"), number("withheld")) else {
        return Err(broken("no number of records withheld for a frequent value"));
    };
    let (method, on) = (skew::find(text(&stated["method"])?)?, text(&stated["on"])?.to_string());
    if !schema.names(Role::Sensitive).contains(&on.as_str()) {
        return Err(broken("records withheld for a frequent value of a column that is not sensitive"));
    }
    Ok(Some(SkewReport { method, on, l, records, withheld }))
}

/// The method of a release, if there is one of that name with such parameters.
fn read_method(stated: &Value) -> Option<Wanted> {
    Wanted::new(stated["name"].as_str()?, &written(&stated["params"])).ok()
}

/// A file of the release that the certificate names. Another file than those whose hashes are stated says nothing about the release.
fn listed_file(document: &Value, key: &str) -> Result<String> {
    let name = text(&document[key])?;
    if !is_plain_name(name) || document["files"].get(name).is_none() {
        return Err(broken("a table that is not among its files"));
    }
    Ok(name.to_string())
}

/// Everything that the release's table tells about what its certificate states; nothing in the place of what it cannot tell.
pub fn recompute(folder: &Path, stated: &Stated, formats: &Formats) -> Result<Value> {
    let release = stated.release(folder, formats)?;
    let prepared = stated.schema.prepare(&release.table)?;
    let (bound, _) = stated.bind(&prepared)?;
    let criteria = stated.requirements.iter().map(|wanted| {
        let own = bound.iter().find(|(known, _)| std::ptr::eq(*known, wanted));
        own.map_or(Ok(Value::Null), |(_, bound)| criterion(&prepared, &release.groups, wanted, bound))
    });
    let criteria = criteria.collect::<Result<Vec<_>>>()?;
    let attacks = stated.attack_release(&release, folder, formats, |target| {
        // Of a column none of whose protected values is published, it is not told which they are.
        let is_told = |on: &Option<String>| !on.as_ref().is_some_and(|on| stated.unprotected.contains(on));
        let repeat = |(kind, params, on): &(&'static Kind<attack::Build>, Params, Option<String>)| match is_told(on) {
            true => repeat_attack(target, kind, params, on.as_deref()),
            false => Ok(Value::Null),
        };
        stated.attacks.iter().map(repeat).collect::<Result<Vec<_>>>()
    })?;
    let Release { table, groups, stars } = &release;
    Ok(json!({
        "published": table.rows(),
        "starred": stars,
        "columns": table.columns().iter().map(Column::name).collect::<Vec<_>>(),
        "groups": groups.len(),
        "class": stated.class(),
        "smallest_group": (0..groups.len()).map(|group| groups.size(group)).min(),
        "criteria": criteria,
        "attacks": attacks,
        "skew": stated.dichotomy(&prepared)?,
        "utility": utility(table, groups, stated)?,
    }))
}

impl Stated {
    /// Attacks a release with what its directory tells.
    pub fn attack_release<T>(
        &self,
        release: &Release,
        folder: &Path,
        formats: &Formats,
        attack: impl FnOnce(&Target<'_>) -> Result<T>,
    ) -> Result<T> {
        let prepared = self.schema.prepare(&release.table)?;
        let (bound, all) = self.bind(&prepared)?;
        let (requirements, bound): (Vec<&Requirement>, Vec<Bound>) = bound.into_iter().unzip();
        // Groups that were divided once more do not tell what they were parts of.
        let method = self.method.as_ref().filter(|method| all && self.sensitive.is_some() && !method.anatomizes());
        let method = method.map(Wanted::build);
        let view =
            View { table: &prepared, schema: &self.schema, groups: &release.groups, complete: self.suppressed == 0 };
        let making = method.as_deref().map(|method| Making { method, view, published: &release.groups, bound: &bound });
        let criteria = requirements.into_iter().zip(&bound).collect();
        attack(&Target {
            release: &release.table,
            groups: &release.groups,
            bucketized: self.sensitive.is_some(),
            schema: &self.schema,
            original: None,
            making,
            suppressed: self.suppressed_of(&prepared)?,
            promises: &Promises { criteria, all, max_belief: None, max_risk: None, max_here: None },
            formats,
            folder,
        })
    }

    /// How records of frequent values were withheld, for an attacker: she sees what was left only where nothing else was withheld.
    fn suppressed_of<'t>(&self, table: &'t Table) -> Result<Option<Suppressed<'t>>> {
        let Some(skew) = self.skew.as_ref().filter(|_| self.suppressed == 0) else { return Ok(None) };
        let on = table.column(&skew.on)?;
        if skew.l > on.domain().len() as u64 {
            return Err(broken("more values to hide among than there are"));
        }
        let records = (on.codes().len() as u64).checked_add(skew.withheld);
        let records = records.ok_or_else(|| broken("more records withheld than there can be"))?;
        Ok(Some(Suppressed { method: skew.method, on, l: skew.l, records, is_published: true }))
    }

    /// What a certificate must say of records that were withheld; and whether what is published is eligible and has enough values that could be the most frequent one, if all that was left is.
    fn dichotomy(&self, table: &Table) -> Result<Value> {
        let Some(skew) = &self.skew else { return Ok(Value::Null) };
        let seen = self.suppressed_of(table)?.map(|suppressed| suppressed.seen());
        let left = seen.map(|seen| json!({ "eligible": seen.is_eligible(), "candidates": seen.has_candidates() }));
        Ok(json!({ "stated": skew_json(skew), "left": left }))
    }
}

fn criterion(table: &Table, groups: &Groups, wanted: &Requirement, bound: &Bound) -> Result<Value> {
    let audit = audit_bound(table, groups, std::slice::from_ref(wanted), std::slice::from_ref(bound))?;
    Ok(answer_json(&audit.criteria[0]))
}

/// How far an attack that is repeated may count. Whoever wrote the certificate must not decide how long others are at it.
const MOST_REPEATED: u64 = 1_000_000;

fn takes_too_long(params: &Params) -> bool {
    params.iter().any(|(_, setting)| matches!(setting, Setting::Count(count) if *count > MOST_REPEATED))
}

/// What an attack finds on a column, if it needs the release only, and no more work than a check is worth.
fn repeat_attack(
    target: &Target<'_>,
    kind: &'static Kind<attack::Build>,
    params: &Params,
    on: Option<&str>,
) -> Result<Value> {
    if params.has_file() || takes_too_long(params) {
        return Ok(Value::Null);
    }
    let found = (kind.build)(params).run(target)?;
    let own = found.into_iter().find(|finding| finding.repeatable && finding.on.as_deref() == on);
    Ok(own.map_or(Value::Null, |finding| {
        let mut again = json!({
            "attack": finding.attack,
            "params": params_json(&finding.params),
            "on": finding.on,
            "highest_belief": finding.highest.to_f64(),
            "people": finding.people,
            "groups": finding.groups,
        });
        if finding.details.iter().any(|(name, _)| *name == attack::VULNERABLE_SHARE) {
            again["details"] = finding_json(&finding)["details"].clone();
        }
        again
    }))
}

/// How many rows at the end have `*` in every column.
fn trailing_stars(table: &Table) -> usize {
    let is_star = |row: &usize| table.columns().iter().all(|column| column.value(*row) == TOP);
    (0..table.rows()).rev().take_while(is_star).count()
}

/// The metrics that groups, levels and leaves tell, each by its definition.
fn utility(table: &Table, groups: &Groups, stated: &Stated) -> Result<Value> {
    let rounded = |value: f64| json!((value * 1e9).round() / 1e9);
    if stated.levels.is_empty() {
        let metrics = grouped::measure(groups, stated.records.max(groups.records() as u64));
        return Ok(metrics
            .into_iter()
            .map(|(name, value)| (name.to_string(), rounded(value)))
            .collect::<Map<_, _>>()
            .into());
    }
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
