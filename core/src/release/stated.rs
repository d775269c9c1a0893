//! What a certificate declares: the plan as far as everybody may know it, and how to read the
//! release. Whatever else a certificate says follows from this and from the published files
//! ([`public`](super::public)).
//!
//! This is the only way from the custodian's knowledge into a certificate. What is declared is said
//! by the plan, counted among what the attacker knows (how many records there were), or chosen by
//! the method (levels); nothing here depends on who has which sensitive value, but through what is
//! published.

use super::column::StatedColumn;
use super::statement::check_earlier;
use crate::anonymize::{self, ChosenMethod};
use crate::attack;
use crate::candidate::Groups;
use crate::certificate::table::{
    AttemptDeclared, CriterionDeclared, Declared, LimitsDeclared, PlanDeclared, SkewDeclared,
};
use crate::certificate::{
    AttacksWord, FormulasWord, MemberDeclared, MethodDeclared, Share, WrittenBy, as_written, broken, heading, member,
};
use crate::criterion::Requirement;
use crate::data::hierarchy::TOP;
use crate::data::{
    COUNT, Column, Formats, Formulas, GROUP, ReadOptions, Role, Schema, Table, VALUE, join_pair, restore_formulas,
};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::Raw;
use crate::plan::{Attempt, Gate, Heading, Publishing, TablePlan};
use crate::publish::{DeclaredSkew, Made, SkewReport};
use crate::recode::{Form, Suppressed};
use crate::skew;
use crate::utility::ChosenMetric;
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
    formulas: Option<FormulasWord>,
    pub columns: Vec<StatedColumn>,
    /// The same, as criteria and attacks read it.
    pub schema: Schema,
    pub requirements: Vec<Requirement>,
    pub attacks: Vec<Attempt>,
    pub method: ChosenMethod,
    /// The methods that it was chosen among, in the order in which they were to be tried.
    pub among: Vec<&'static str>,
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
    pub fn of(
        made: &Made,
        plan: &TablePlan,
        files: &[String],
        earlier: Vec<String>,
        formats: &Formats,
    ) -> Result<Stated> {
        let (publishing, publication) = (&made.publishing, &made.publication);
        let bucketized = publishing.recoding.form == Form::Bucketized;
        let text = formats.of(files[0].as_ref())?.is_text();
        let columns = made.schema.columns().iter().map(|spec| StatedColumn::of(spec, made, bucketized));
        let columns: Vec<StatedColumn> = columns.collect::<Result<_>>()?;
        let mut stated = Stated {
            version: env!("CARGO_PKG_VERSION").to_string(),
            heading: publishing.heading.clone(),
            data: files[0].clone(),
            sensitive: bucketized.then(|| files[1].clone()),
            formulas: text.then(|| publishing.formulas.into()),
            schema: Schema::new(columns.iter().map(|column| column.spec.clone()).collect()),
            columns,
            requirements: plan.requirements.clone(),
            attacks: publishing.attacks.clone(),
            method: declared_method(made, publishing)?,
            among: publishing.among.clone(),
            insecure_seed: publication.method.insecure_seed,
            metric: publishing.method.chooses_levels().then(|| publishing.metric.clone()),
            max_suppressed: publishing.max_suppressed,
            gate: publishing.gate.clone(),
            accepted: publishing.accepted.clone(),
            records: publication.records as u64,
            suppressed: (publication.records - publication.published) as u64,
            skew: None,
            starred: publication.starred,
            earlier,
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
    pub fn write(&self) -> Declared {
        let MemberDeclared { name, params } = (&self.method).into();
        Declared {
            sfumato: WrittenBy { version: self.version.clone(), ..WrittenBy::own() },
            title: self.heading.title.clone(),
            date: self.heading.date.clone(),
            form: self.form(),
            records: self.records,
            suppressed: self.suppressed,
            suppressed_as: if self.starred { Suppressed::Starred } else { Suppressed::Withheld },
            skew: self.skew.as_ref().map(SkewDeclared::from),
            earlier_releases: self.earlier.clone(),
            method: MethodDeclared {
                name,
                params,
                chosen_among: self.among.iter().map(|name| name.to_string()).collect(),
                insecure_seed: self.insecure_seed,
            },
            criteria: self.requirements.iter().map(CriterionDeclared::from).collect(),
            plan: PlanDeclared {
                columns: self.columns.iter().map(StatedColumn::write).collect(),
                attacks: self.attacks.iter().map(declared_attempt).collect(),
                accepted_insensitive: self.accepted.clone(),
                max_suppressed: self.max_suppressed.map(Share),
                metric: self.metric.as_ref().map(MemberDeclared::from),
                gate: LimitsDeclared {
                    attacks: AttacksWord::of(self.gate.refuses),
                    max_belief: self.gate.max_belief.map(Share),
                    max_risk: self.gate.max_risk.map(Share),
                },
            },
            data: self.data.clone(),
            sensitive: self.sensitive.clone(),
            formulas: self.formulas,
        }
    }

    /// Reads what a certificate declares.
    pub fn read(declared: Declared) -> Result<Stated> {
        let Declared { plan, method, .. } = declared;
        let columns = plan.columns.into_iter().map(StatedColumn::read).collect::<Result<Vec<_>>>()?;
        let schema = Schema::new(columns.iter().map(|column| column.spec.clone()).collect());
        let metric = plan.metric.map(|metric| ChosenMetric::new(&metric.name, &as_written(&metric.params)));
        let requirement = |one: &CriterionDeclared| {
            Requirement::new(&one.criterion, &as_written(&one.params), one.columns(), &schema)
        };
        check_earlier(&declared.earlier_releases)?;
        let stated = Stated {
            version: declared.sfumato.version,
            heading: heading(declared.title, declared.date)?,
            data: plain_name(declared.data)?,
            sensitive: match (declared.form, declared.sensitive) {
                (Form::Generalized, None) => None,
                (Form::Bucketized, Some(name)) => Some(plain_name(name)?),
                _ => {
                    return Err(broken("a table of sensitive values in a form that has none, or none in one that has"));
                }
            },
            formulas: declared.formulas,
            requirements: declared.criteria.iter().map(requirement).collect::<Result<_>>()?,
            attacks: plan.attacks.into_iter().map(attempt).collect::<Result<_>>()?,
            insecure_seed: method.insecure_seed,
            method: ChosenMethod::new(&method.name, &as_written(&method.params))?,
            among: chosen_among(&method)?,
            metric: metric.transpose()?,
            max_suppressed: plan.max_suppressed.map(|share| share.0),
            gate: Gate {
                refuses: plan.gate.attacks.refuses(),
                max_belief: plan.gate.max_belief.map(|share| share.0),
                max_risk: plan.gate.max_risk.map(|share| share.0),
            },
            accepted: plan.accepted_insensitive,
            records: declared.records,
            suppressed: declared.suppressed,
            skew: declared.skew.map(|skew| read_skew(skew, declared.records, &schema)).transpose()?,
            starred: declared.suppressed_as == Suppressed::Starred,
            earlier: declared.earlier_releases,
            columns,
            schema,
        };
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
        let lists = std::iter::once(&self.accepted)
            .chain(self.columns.iter().flat_map(|column| [&column.spec.sensitive_values, &column.spec.order]));
        if lists.into_iter().any(|list| (1..list.len()).any(|at| list[..at].contains(&list[at]))) {
            return Err(broken("a column or a value twice in one list"));
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
            self.check_types(&table)?;
            let groups = Groups::by_columns(&self.schema.select(&table, Role::Quasi)?, table.rows());
            return Ok(Release { table, groups, stars });
        };
        let sensitive = self.file(&folder.join(sensitive), formats)?;
        self.check_pair_columns(&whole, &sensitive)?;
        let (table, numbers) = join_pair(&whole, &sensitive, &self.schema, GROUP)?;
        self.check_types(&table)?;
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
        let is_text = formats.of(path)?.is_text();
        match self.formulas {
            Some(FormulasWord::Escaped) if is_text => restore_formulas(table),
            Some(FormulasWord::Kept) if is_text => Ok(table),
            Some(FormulasWord::None) if is_text && Formulas::Refuse.apply(&table).is_ok() => Ok(table),
            Some(FormulasWord::None) if is_text => Err(broken("that there are no formulas, and there are some")),
            None if !is_text => Ok(table),
            _ => Err(broken("what became of formulas where there are none, or nothing where there may be some")),
        }
    }

    /// Refuses types that published values do not have. One text may be a missing value.
    fn check_types(&self, table: &Table) -> Result<()> {
        let specs = self.schema.columns().iter();
        for (column, wanted) in specs.filter_map(|spec| Some((table.find(&spec.name)?, spec.value_type?))) {
            if column.domain().labels().iter().filter(|label| !wanted.admits(label)).count() > 1 {
                return Err(broken("a type that published values do not have"));
            }
        }
        Ok(())
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
/// saw. Where records were withheld by their values before, nobody knows which those were, unless
/// exact quasi-identifiers are published and no other record is missing: then with the plan's own.
fn declared_method(made: &Made, publishing: &Publishing) -> Result<ChosenMethod> {
    let own = &publishing.method;
    let is_seen = publishing.recoding.form == Form::Bucketized && !may_suppress(publishing.max_suppressed, own);
    if made.skew.is_some() && !is_seen {
        return Ok(own.clone());
    }
    let method = &made.publication.method;
    let params: Vec<(&str, Raw)> = method.params.iter().map(|(name, setting)| (name, setting.raw())).collect();
    ChosenMethod::new(method.name, &params)
}

/// The methods that one is stated to have been chosen among.
fn chosen_among(stated: &MethodDeclared) -> Result<Vec<&'static str>> {
    let among = stated.chosen_among.iter().map(|name| Ok(anonymize::find(name)?.name)).collect::<Result<Vec<_>>>()?;
    let is_twice = |at: usize| among[..at].contains(&among[at]);
    if (1..among.len()).any(is_twice) || !among.is_empty() && !among.contains(&stated.name.as_str()) {
        return Err(broken("a method that was chosen among others, or a method twice among them"));
    }
    Ok(among)
}

/// Whether a plan lets its method suppress records.
fn may_suppress(max_suppressed: Option<Fraction>, method: &ChosenMethod) -> bool {
    max_suppressed.map_or(!method.chooses_levels(), |share| share > Fraction::ZERO)
}

fn declared_attempt(attempt: &Attempt) -> AttemptDeclared {
    let MemberDeclared { name, params } = (&attempt.attack).into();
    AttemptDeclared { attack: name, params, max_belief: attempt.max_belief.map(Share), named: attempt.is_named }
}

fn attempt(stated: AttemptDeclared) -> Result<Attempt> {
    let attack = member(&stated.attack, &stated.params, attack::find)?;
    Ok(Attempt { attack, max_belief: stated.max_belief.map(|share| share.0), is_named: stated.named })
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
    ReadOptions { delimiter, missing: Vec::new(), as_stored: true, ..ReadOptions::default() }
}

/// How records of frequent values are stated to have been withheld.
fn read_skew(stated: SkewDeclared, records: u64, schema: &Schema) -> Result<SkewReport> {
    let SkewDeclared { method, on, l, withheld } = stated;
    if l == 0 {
        return Err(broken("no number of values that a frequent one hides among"));
    }
    if withheld == Some(0) || withheld > Some(records) {
        return Err(broken("no number of records withheld for a frequent value"));
    }
    if !schema.names(Role::Sensitive).contains(&on.as_str()) {
        return Err(broken("records withheld for a frequent value of a column that is not sensitive"));
    }
    Ok(SkewReport { method: skew::find(&method)?, on, l, records, withheld })
}

/// The name of a table. A path could lead anywhere.
fn plain_name(name: String) -> Result<String> {
    if is_plain_name(&name) { Ok(name) } else { Err(broken("a table that is none of its files")) }
}

/// How many rows at the end have `*` in every column.
fn trailing_stars(table: &Table) -> usize {
    let is_star = |row: &usize| table.columns().iter().all(|column| column.value(*row) == TOP);
    (0..table.rows()).rev().take_while(is_star).count()
}
