//! What a certificate declares: the plan as far as everybody may know it, and how to read the
//! release. Whatever else a certificate says follows from this and from the published files
//! ([`public`](super::public)).
//!
//! This is the only way from the custodian's knowledge into a certificate. What is declared is said
//! by the plan, counted among what the attacker knows (how many records there were), or chosen by
//! the method (levels); nothing here depends on who has which sensitive value, but through what is
//! published.

use super::certify::{ESCAPED, FORMAT, KEPT, NONE};
use super::column::StatedColumn;
use crate::anonymize::ChosenMethod;
use crate::attack;
use crate::candidate::Groups;
use crate::criterion::Requirement;
use crate::data::hierarchy::TOP;
use crate::data::{
    COUNT, Column, Formats, Formulas, GROUP, ReadOptions, Role, Schema, Table, VALUE, join_pair, restore_formulas,
};
use crate::error::{Error, Fault, Result};
use crate::exact::{Decimal, Fraction};
use crate::kind::{Member, Raw};
use crate::plan::{Attempt, Gate, Heading, Publishing, TablePlan};
use crate::publish::{DeclaredSkew, Made, SkewReport};
use crate::recode::Form;
use crate::report::{form_name, params_json, requirement_json, skew_json};
use crate::skew;
use crate::utility::ChosenMetric;
use serde_json::{Value, json};
use std::path::{Component, Path};

/// What a certificate declares.
pub struct Stated {
    /// The version that wrote it.
    pub version: String,
    /// What the release is called, and its day.
    pub heading: Heading,
    pub data: String,
    /// The file of sensitive values, in a bucketized release.
    pub sensitive: Option<String>,
    /// What became of cells that a spreadsheet would run, in text formats.
    formulas: Option<String>,
    pub columns: Vec<StatedColumn>,
    /// The same, as criteria and attacks read it.
    pub schema: Schema,
    pub requirements: Vec<Requirement>,
    pub attacks: Vec<Attempt>,
    pub method: ChosenMethod,
    pub insecure_seed: bool,
    /// What chose among safe candidates, if the method chooses levels.
    pub metric: Option<ChosenMetric>,
    pub max_suppressed: Option<Fraction>,
    pub gate: Gate,
    /// Insensitive columns that the plan accepts although they may disclose something.
    pub accepted: Vec<String>,
    /// How many records there were.
    pub records: u64,
    /// How many of them are missing, but for those that are stated to be withheld for a frequent
    /// value.
    pub suppressed: u64,
    pub skew: Option<SkewReport>,
    pub starred: bool,
    /// The seals of earlier releases of the same table, as far as the publisher knows.
    pub earlier: Vec<String>,
}

/// A release as it was read.
pub struct Release {
    /// The published records, without starred ones. In a bucketized release which record of a group
    /// has which of its sensitive values is not told, so they are dealt out somehow.
    pub table: Table,
    /// Records that look alike, or share a group number.
    pub groups: Groups,
    /// How many starred records follow.
    pub stars: usize,
}

impl Stated {
    /// What is declared of a release whose tables are in these files.
    pub fn of(made: &Made, plan: &TablePlan, files: &[String], formats: &Formats) -> Result<Stated> {
        let (publishing, publication) = (&plan.publishing, &made.publication);
        let bucketized = publishing.recoding.form == Form::Bucketized;
        let text = formats.of(files[0].as_ref())?.is_text();
        let formulas = match publishing.formulas {
            Formulas::Escape => ESCAPED,
            Formulas::Keep => KEPT,
            Formulas::Refuse => NONE,
        };
        let columns = made.schema.columns().iter().map(|spec| StatedColumn::of(spec, made, bucketized));
        let columns: Vec<StatedColumn> = columns.collect::<Result<_>>()?;
        let mut stated = Stated {
            version: env!("CARGO_PKG_VERSION").to_string(),
            heading: publishing.heading.clone(),
            data: files[0].clone(),
            sensitive: bucketized.then(|| files[1].clone()),
            formulas: text.then(|| formulas.to_string()),
            schema: Schema::new(columns.iter().map(|column| column.spec.clone()).collect()),
            columns,
            requirements: plan.requirements.clone(),
            attacks: publishing.attacks.clone(),
            method: declared_method(made, publishing)?,
            insecure_seed: publication.method.insecure_seed,
            metric: publishing.method.chooses_levels().then(|| publishing.metric.clone()),
            max_suppressed: publishing.max_suppressed,
            gate: publishing.gate.clone(),
            accepted: publishing.accepted.clone(),
            records: publication.records as u64,
            suppressed: (publication.records - publication.published) as u64,
            skew: None,
            starred: publication.starred,
            earlier: Vec::new(),
        };
        stated.skew = made.skew.as_ref().and_then(|skew| stated.declare(skew));
        stated.suppressed -= stated.skew.as_ref().and_then(|skew| skew.withheld).unwrap_or(0);
        Ok(stated)
    }

    /// What is said of records that were withheld for a frequent value: how many only where no
    /// others can be missing, and nothing where none is.
    fn declare(&self, skew: &DeclaredSkew) -> Option<SkewReport> {
        let withheld = (!self.may_suppress()).then_some(self.suppressed);
        let (method, on, l) = (skew.method, skew.on.clone(), skew.l);
        (withheld != Some(0)).then_some(SkewReport { method, on, l, records: self.records, withheld })
    }

    /// Whether the plan lets the method suppress records.
    fn may_suppress(&self) -> bool {
        may_suppress(self.max_suppressed, &self.method)
    }

    pub fn form(&self) -> Form {
        if self.sensitive.is_some() { Form::Bucketized } else { Form::Generalized }
    }

    /// How many records the method that formed groups had, if that is known.
    pub fn grouped(&self) -> Option<u64> {
        let withheld = self.skew.as_ref().map_or(Some(0), |skew| skew.withheld)?;
        self.records.checked_sub(withheld)
    }

    /// Whether all records that criteria were bound to are published.
    pub fn is_whole(&self) -> bool {
        self.suppressed == 0 && self.grouped().is_some()
    }

    /// Whether none of the values of a column that need protection is published.
    pub fn is_unprotected(&self, name: &str) -> bool {
        let own = self.columns.iter().find(|column| column.spec.name == name);
        own.is_some_and(|column| column.is_unprotected())
    }

    /// Whether it is about people of whom some have several records.
    pub fn several_records(&self) -> bool {
        self.requirements.iter().any(Requirement::several_records)
    }

    /// As a part of a certificate. Reading it gives the same again.
    pub fn write(&self) -> Value {
        let mut document = json!({
            "sfumato": { "version": self.version, "certificate": FORMAT },
            "title": self.heading.title,
            "date": self.heading.date,
            "form": form_name(self.form()),
            "records": self.records,
            "suppressed": self.suppressed,
            "suppressed_as": if self.starred { "starred" } else { "withheld" },
            "skew": self.skew.as_ref().map(skew_json),
            "earlier_releases": self.earlier,
            "method": {
                "name": self.method.kind.name,
                "params": params_json(&self.method.params),
                "insecure_seed": self.insecure_seed,
            },
            "criteria": self.requirements.iter().map(requirement_json).collect::<Vec<_>>(),
            "plan": {
                "columns": self.columns.iter().map(StatedColumn::write).collect::<Vec<_>>(),
                "attacks": self.attacks.iter().map(attempt_json).collect::<Vec<_>>(),
                "accepted_insensitive": self.accepted,
                "max_suppressed": self.max_suppressed.map(|share| share.to_f64()),
                "metric": self.metric.as_ref().map(|metric| {
                    json!({ "name": metric.kind.name, "params": params_json(&metric.params) })
                }),
                "gate": {
                    "attacks": if self.gate.refuses { "refuse" } else { "report" },
                    "max_belief": self.gate.max_belief.map(|share| share.to_f64()),
                    "max_risk": self.gate.max_risk.map(|share| share.to_f64()),
                },
            },
            "data": self.data,
        });
        if let Some(sensitive) = &self.sensitive {
            document["sensitive"] = json!(sensitive);
        }
        if let Some(formulas) = &self.formulas {
            document["formulas"] = json!(formulas);
        }
        document
    }

    /// Reads what a certificate declares.
    pub fn read(document: &Value) -> Result<Stated> {
        let version = check_format(document)?.to_string();
        let plan = &document["plan"];
        let columns = array(&plan["columns"]).iter().map(StatedColumn::read).collect::<Result<Vec<_>>>()?;
        let schema = Schema::new(columns.iter().map(|column| column.spec.clone()).collect());
        let method = ChosenMethod::new(text(&document["method"]["name"])?, &written(&document["method"]["params"]))?;
        let metric = &plan["metric"];
        let metric = match metric {
            Value::Null => None,
            stated => Some(ChosenMetric::new(text(&stated["name"])?, &written(&stated["params"]))?),
        };
        let requirements =
            array(&document["criteria"]).iter().map(|one| requirement(one, &schema)).collect::<Result<Vec<_>>>()?;
        let mut stated = Stated {
            version,
            heading: read_heading(document)?,
            data: listed_file(document, "data")?,
            sensitive: match text(&document["form"])? {
                "generalized" => None,
                "bucketized" => Some(listed_file(document, "sensitive")?),
                _ => return Err(broken("a form that there is not")),
            },
            formulas: read_formulas(&document["formulas"])?,
            columns,
            schema,
            requirements,
            attacks: array(&plan["attacks"]).iter().map(attempt).collect::<Result<_>>()?,
            insecure_seed: document["method"]["insecure_seed"] == true,
            method,
            metric,
            max_suppressed: fraction(&plan["max_suppressed"])?,
            gate: Gate {
                refuses: plan["gate"]["attacks"] != "report",
                max_belief: fraction(&plan["gate"]["max_belief"])?,
                max_risk: fraction(&plan["gate"]["max_risk"])?,
            },
            accepted: texts(&plan["accepted_insensitive"]),
            records: document["records"].as_u64().ok_or_else(|| broken("no number of records"))?,
            suppressed: document["suppressed"].as_u64().ok_or_else(|| broken("no number of suppressed records"))?,
            skew: None,
            starred: document["suppressed_as"] == "starred",
            earlier: read_earlier(document)?,
        };
        stated.skew = read_skew(&document["skew"], stated.records, &stated.schema)?;
        stated.refuse_contradictions()?;
        Ok(stated)
    }

    /// Refuses what no plan can lead to.
    fn refuse_contradictions(&self) -> Result<()> {
        if self.requirements.is_empty() {
            return Err(broken("no criterion"));
        }
        if self.metric.is_some() != self.method.chooses_levels() {
            return Err(broken("a metric for a method that chooses no levels, or none for one that does"));
        }
        let by_level = self.method.chooses_levels() && self.form() == Form::Generalized;
        let is_quasi = |column: &&StatedColumn| column.spec.role == Role::Quasi;
        let fits = |column: &StatedColumn| column.level.is_some() == by_level && column.ruler.is_some();
        if !self.columns.iter().filter(is_quasi).all(fits) {
            return Err(broken("levels for a method that chooses none, or none for one that does"));
        }
        let is_typed = |role: Role| role == Role::Sensitive || role == Role::Quasi && self.sensitive.is_some();
        if self.columns.iter().any(|column| column.spec.value_type.is_some() != is_typed(column.spec.role)) {
            return Err(broken("no type of a column that needs one, or one of a column that has none"));
        }
        let mut kinds = attack::KINDS.iter();
        if let Some(missing) = kinds.find(|kind| !self.attacks.iter().any(|own| own.attack.kind.name == kind.name)) {
            return Err(broken(&format!("no {} attack, which is always made", missing.name)));
        }
        let is_open = |name: &String| {
            let own = self.columns.iter().find(|column| column.spec.name == *name);
            own.is_some_and(|column| column.published && column.spec.role == Role::Insensitive)
        };
        if !self.accepted.iter().all(is_open) {
            return Err(broken("an accepted column that is no published insensitive one"));
        }
        if !self.may_suppress() && self.suppressed > 0 {
            return Err(broken("suppressed records where the plan allows none"));
        }
        let most = self.max_suppressed.zip(self.grouped()).filter(|(_, grouped)| *grouped > 0);
        let share = |grouped: u64| Fraction::new(u128::from(self.suppressed), u128::from(grouped));
        if most.is_some_and(|(most, grouped)| share(grouped) > most) {
            return Err(broken("more suppressed records than the plan allows"));
        }
        if self.skew.as_ref().is_some_and(|skew| skew.withheld.is_some() == self.may_suppress()) {
            return Err(broken(
                "how many records were withheld where others may be missing too, or not where none may",
            ));
        }
        Ok(())
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

    /// Refuses tables that hold more than is said: another column, or the order of rows that tell
    /// the same, could carry who has which value.
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
        let table = formats.read_unchecked(path, &self.options())?;
        if self.formulas.as_deref() == Some(ESCAPED) { restore_formulas(table) } else { Ok(table) }
    }

    /// How its tables are read.
    fn options(&self) -> ReadOptions {
        let mut options = read_options(&self.data);
        let types = self.schema.columns().iter().filter_map(|spec| Some((spec.name.clone(), spec.value_type?)));
        options.types.extend(types);
        if let ([name], true) = (self.schema.names(Role::Sensitive).as_slice(), self.sensitive.is_some()) {
            let own = self.schema.find(name).and_then(|spec| spec.value_type);
            options.types.extend(own.map(|value_type| (VALUE.to_string(), value_type)));
        }
        options
    }
}

/// The method with the parameters that it worked out, which depend on the quasi-identifiers that it
/// saw. Where records were withheld by their values before, and others suppressed after, nobody
/// knows which those were: then with the plan's own.
fn declared_method(made: &Made, publishing: &Publishing) -> Result<ChosenMethod> {
    let own = &publishing.method;
    if made.skew.is_some() && may_suppress(publishing.max_suppressed, own) {
        return Ok(own.clone());
    }
    let method = &made.publication.method;
    let params: Vec<(&str, Raw)> = method.params.iter().map(|(name, setting)| (name, setting.raw())).collect();
    ChosenMethod::new(method.name, &params)
}

/// Whether a plan lets its method suppress records.
fn may_suppress(max_suppressed: Option<Fraction>, method: &ChosenMethod) -> bool {
    max_suppressed.map_or(!method.chooses_levels(), |share| share > Fraction::ZERO)
}

fn attempt_json(attempt: &Attempt) -> Value {
    json!({
        "attack": attempt.attack.kind.name,
        "params": params_json(&attempt.attack.params),
        "max_belief": attempt.max_belief.map(|share| share.to_f64()),
        "named": attempt.is_named,
    })
}

fn attempt(stated: &Value) -> Result<Attempt> {
    let kind = attack::find(text(&stated["attack"])?)?;
    Ok(Attempt {
        attack: Member::of(kind, &written(&stated["params"]))?,
        max_belief: fraction(&stated["max_belief"])?,
        is_named: stated["named"] == true,
    })
}

/// What became of cells that a spreadsheet would run.
fn read_formulas(value: &Value) -> Result<Option<String>> {
    match value.as_str() {
        None if value.is_null() => Ok(None),
        Some(word) if [ESCAPED, KEPT, NONE].contains(&word) => Ok(Some(word.to_string())),
        _ => Err(broken("something else than what becomes of formulas")),
    }
}

/// The version that wrote a certificate; refuses one whose format is another.
pub(super) fn check_format(document: &Value) -> Result<&str> {
    let version = text(&document["sfumato"]["version"])?;
    if document["sfumato"]["certificate"] != FORMAT {
        let message = format!("the certificate has another format than the one that this version reads ({FORMAT})");
        return Err(
            Error::new(Fault::Gate, message).help(format!("verify it with the version that wrote it: {version}"))
        );
    }
    Ok(version)
}

/// What a certificate calls the release, and its day.
pub(super) fn read_heading(document: &Value) -> Result<Heading> {
    let words = |key: &str| match &document[key] {
        Value::Null => Ok(None),
        stated => text(stated).map(|stated| Some(stated.to_string())),
    };
    let heading = Heading { title: words("title")?, date: words("date")? };
    match heading.wrong_key() {
        None => Ok(heading),
        Some(key) => Err(broken(&format!("something else than a {key}"))),
    }
}

/// The seals of earlier releases that a certificate declares.
pub(super) fn read_earlier(document: &Value) -> Result<Vec<String>> {
    let seals = texts(&document["earlier_releases"]);
    let is_seal = |seal: &String| seal.len() == 64 && seal.bytes().all(|digit| digit.is_ascii_hexdigit());
    let is_repeated = |(at, seal): (usize, &String)| seals[..at].contains(seal);
    if !seals.iter().all(is_seal) || seals.iter().enumerate().any(is_repeated) {
        return Err(broken("earlier releases that do not have different seals"));
    }
    Ok(seals)
}

/// A share, as exactly as the number is written.
fn fraction(value: &Value) -> Result<Option<Fraction>> {
    if value.is_null() {
        return Ok(None);
    }
    let number = value.as_number().map(ToString::to_string).and_then(|number| number.parse::<Decimal>().ok());
    let share = number.filter(|number| !number.is_negative()).map(|number| number.fraction());
    let share = share.filter(|share| *share <= Fraction::ONE);
    share.map(Some).ok_or_else(|| broken("a share that is not between 0 and 1"))
}

/// Whether a name is that of a file in a folder, and no path out of it.
pub fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
}

/// How releases are written: with a header, one delimiter, and nothing that means "missing" but
/// what is written for it.
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

pub(super) fn texts(value: &Value) -> Vec<String> {
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
    let Some(l) = number("l") else { return Err(broken("no number of values that a frequent one hides among")) };
    let withheld = number("withheld");
    if withheld.is_none() != stated["withheld"].is_null() || withheld > Some(records) {
        return Err(broken("no number of records withheld for a frequent value"));
    }
    let (method, on) = (skew::find(text(&stated["method"])?)?, text(&stated["on"])?.to_string());
    if !schema.names(Role::Sensitive).contains(&on.as_str()) {
        return Err(broken("records withheld for a frequent value of a column that is not sensitive"));
    }
    Ok(Some(SkewReport { method, on, l, records, withheld }))
}

/// A file of the release that the certificate names. Another file than those whose hashes are
/// stated says nothing about the release.
fn listed_file(document: &Value, key: &str) -> Result<String> {
    let name = text(&document[key])?;
    if !is_plain_name(name) || document["files"].get(name).is_none() {
        return Err(broken("a table that is not among its files"));
    }
    Ok(name.to_string())
}

/// How many rows at the end have `*` in every column.
fn trailing_stars(table: &Table) -> usize {
    let is_star = |row: &usize| table.columns().iter().all(|column| column.value(*row) == TOP);
    (0..table.rows()).rev().take_while(is_star).count()
}
