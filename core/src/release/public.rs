//! What may be said in public about a release: what follows from its files and from what its
//! certificate declares.
//!
//! # Claim
//! Nothing in this module can read the original: [`Stated`] holds the plan and what the attacker is
//! granted, [`Release`] what is published. So two tables that lead to the same files under the same
//! plan lead to the same certificate and the same report, byte for byte. The reader of a release
//! computes both again and compares.

use super::Certified;
use super::stated::{Release, Stated};
use super::statement::{Answered, Public, Statement};
use super::verify::Claim;
use crate::anonymize::{ChosenMethod, Class, Safety, View, auto};
use crate::attack::{ATTACKING, Attack, Finding, Grouped, Making, Promises, Reidentification, Suppressed, Target};
use crate::audit::{Answer, audit_bound};
use crate::certificate::broken;
use crate::certificate::table::{Declared, Figures};
use crate::criterion::{Bound, Requirement, Scope};
use crate::data::{Column, Formats, Formulas, Role, Schema, Table, hierarchy};
use crate::error::{Fault, Result};
use crate::inspect::alike_notes;
use crate::kind::{Params, Setting};
use crate::plan::{Attempt, TablePlan};
use crate::publish::{
    ChosenLevels, ColumnReport, Distribution, Exposure, MethodReport, Promised, Publication, SkewReport, coarse_note,
    missing_note, standing_notes,
};
use crate::publish::{Made, earlier_sentence, group_sizes, measure_kept};
use crate::report::html::{Audience, report_html};
use crate::utility::grouped;
use std::path::Path;
use std::sync::Arc;

impl Certified for TablePlan {
    type Stated = Stated;

    fn write_files(&self, made: &Made, folder: &Path, formats: &Formats) -> Result<Vec<String>> {
        let publishing = &self.publishing;
        let mut files = Vec::new();
        for (name, table) in made.recoded.written(&self.schema, publishing.recoding, publishing.chance)? {
            let name = format!("{name}.{}", publishing.format);
            let path = folder.join(&name);
            let formulas = if formats.of(&path)?.is_text() { publishing.formulas } else { Formulas::Keep };
            formats.write(&*formulas.apply(&table)?, &path)?;
            files.push(name);
        }
        Ok(files)
    }

    fn declare(&self, made: &Made, files: &[String], earlier: Vec<String>, formats: &Formats) -> Result<Declared> {
        Ok(Stated::of(made, self, files, earlier, formats)?.write())
    }
}

/// What nobody can tell from a release.
const DECLARED: &str = "declared by the publisher: the number of suppressed records, the roles of columns, which values need protection, the method with its parameters and levels, limits and hierarchies, types and weights of columns, how cells that look like formulas were written, title and date, and earlier releases of the same table";

impl Public for Stated {
    type Declared = Declared;

    fn read(declared: Declared) -> Result<Stated> {
        Stated::read(declared)
    }

    fn files(&self) -> Vec<String> {
        [&self.data].into_iter().chain(&self.sensitive).cloned().collect()
    }

    fn say(&self, folder: &Path, formats: &Formats) -> Result<Statement> {
        let release = self.release(folder, formats)?;
        let publication = describe(self, &release, folder, formats)?;
        let report = report_html(&publication, Audience::External);
        let mut said = Statement::new(&self.write(), &Figures::from(&publication), report, DECLARED);
        said.figure("published", "/published");
        said.figure("groups", "/groups");
        said.claims.push(self.check_records(&publication));
        if self.skew.is_some() {
            said.figure("skew", "/skew");
            said.claims.push(self.check_skew(&release)?);
        }
        said.claims.push(self.check_stars(&release));
        said.claims.push(self.check_columns(&release));
        said.criteria(publication.criteria.iter().map(|answer| {
            let (holds, is_checked) = (answer.verdict.holds, answer.is_checked);
            (answer.requirement.criterion.kind.name, Answered { holds, is_checked })
        }));
        said.attacks(publication.attacks.iter().map(|finding| (finding.attack, finding.on.as_deref())));
        said.limits(publication.excessive().count(), publication.attacks_refuse);
        let is_open = publication.exposure.refused();
        let otherwise = "they single people out, and the plan does not accept it";
        said.claims.push(Claim::checked("insensitive columns", !is_open, otherwise));
        for (at, name) in publication.undisclosed.iter().enumerate() {
            let why = "what it found depends on more than the release, so it is not stated";
            let claim = Claim::unverifiable(format!("attack: {name}"), why);
            said.claims.push(claim.about([format!("/undisclosed_attacks/{at}")]));
        }
        said.figure("re-identification risk", "/reidentification_risk");
        said.figure("information kept", "/information_kept");
        said.figure("utility", "/utility");
        Ok(said)
    }
}

impl Stated {
    /// Every record is published, suppressed, or withheld for a frequent value.
    fn check_records(&self, publication: &Publication) -> Claim {
        let withheld = self.skew.as_ref().and_then(|skew| skew.withheld).unwrap_or(0);
        let sum = (publication.published as u64).checked_add(self.suppressed).and_then(|sum| sum.checked_add(withheld));
        let otherwise = "they are not the published and the suppressed ones";
        Claim::checked("records", sum == Some(self.records), otherwise).about(["/records", "/suppressed"])
    }

    /// What was left after records were withheld is eligible, and enough values could be the most
    /// frequent one.
    fn check_skew(&self, release: &Release) -> Result<Claim> {
        const LEFT: &str = "skew: what was left is eligible, and enough values could be the most frequent one";
        Ok(match self.is_eligible(release)? {
            None => Claim::unverifiable(LEFT, "how many records were withheld first is not stated"),
            Some(is_eligible) => Claim::checked(LEFT, is_eligible, "it is not so"),
        })
    }

    /// Starred records are as many as are said to be suppressed; those that are withheld for a
    /// frequent value have none.
    fn check_stars(&self, release: &Release) -> Claim {
        let (stars, suppressed) = (release.stars as u64, self.suppressed);
        let holds = match self.starred {
            false => stars == 0,
            true if self.grouped().is_some() => stars == suppressed,
            true => stars <= suppressed,
        };
        let otherwise = format!("{suppressed} are said to be suppressed, {stars} are starred");
        Claim::checked("starred records", holds, otherwise).about(["/suppressed_as"])
    }

    /// The table has the columns that are said to be published.
    fn check_columns(&self, release: &Release) -> Claim {
        let published = self.columns.iter().filter(|column| column.published);
        let mut published: Vec<&str> = published.map(|column| column.spec.name.as_str()).collect();
        let mut present: Vec<&str> = release.table.columns().iter().map(Column::name).collect();
        published.sort_unstable();
        present.sort_unstable();
        let otherwise = "the table has others than those that are said to be published";
        Claim::checked("columns", published == present, otherwise)
    }
}

/// Says what may be said.
fn describe(stated: &Stated, release: &Release, folder: &Path, formats: &Formats) -> Result<Publication> {
    let prepared = stated.schema.prepare(&release.table)?;
    let criteria = stated.answers(&prepared, release)?;
    let (attacks, undisclosed) = stated.findings(release, folder, formats)?;
    let bound = stated.bound(&prepared)?;
    let criteria_at_hand = bound.iter().map(|(wanted, bound)| (*wanted, bound));
    let promised = Promised::by(criteria_at_hand, &prepared, &stated.schema)?;
    let exposure = Exposure::measure(&release.table, &stated.schema, stated.form(), &stated.accepted, &promised)?;
    let mut columns = stated.column_reports();
    let information_kept = measure_kept(&mut columns, &release.table, stated.missing())?;
    Ok(Publication {
        heading: stated.heading.clone(),
        records: stated.records as usize,
        published: release.table.rows(),
        suppressed: stated.suppressed as usize,
        skew: stated.skew.clone(),
        starred: stated.starred,
        form: stated.form(),
        groups: release.groups.len(),
        information_kept,
        columns,
        method: stated.method_report(),
        criteria,
        risk: stated.risk(release)?,
        earlier: stated.earlier.len(),
        notes: stated.notes(release, &attacks, &exposure)?,
        exposure,
        attacks,
        undisclosed,
        attacks_refuse: stated.gate.refuses,
        utility: stated.utility(release),
        classification: None,
        group_sizes: group_sizes(&release.groups),
        sensitive: distributions(&prepared, &stated.schema)?,
    })
}

impl Stated {
    fn method_report(&self) -> MethodReport {
        let levels = self.columns.iter().filter_map(|column| Some((column.spec.name.clone(), column.level?.level)));
        let levels: Vec<(String, usize)> = levels.collect();
        MethodReport {
            name: self.method.kind.name,
            params: self.method.params.clone(),
            among: self.among.clone(),
            class: self.class(),
            insecure_seed: self.insecure_seed,
            chosen: self.metric.as_ref().map(|metric| ChosenLevels { metric: metric.kind.name, levels }),
            search: None,
        }
    }

    /// What the method's choices depend on, for these criteria.
    fn class(&self) -> Class {
        let sizes_only = self.requirements.iter().all(|wanted| wanted.on.is_empty());
        let is_blind = sizes_only && !self.prefers_by_values();
        if is_blind { Class::QiOnly } else { self.method.build().class() }
    }

    fn prefers_by_values(&self) -> bool {
        self.method.prefers_by_values(self.metric.as_ref(), &self.schema)
    }

    /// The chance to pick a person's record; `None` where a record is not a person.
    fn risk(&self, release: &Release) -> Result<Option<Reidentification>> {
        if self.several_records() {
            return Ok(None);
        }
        Reidentification::of_release(&release.table, &self.schema, &release.groups, self.sensitive.is_some())
    }

    /// How many records are not published.
    fn missing(&self) -> u64 {
        self.suppressed + self.skew.as_ref().and_then(|skew| skew.withheld).unwrap_or(0)
    }

    fn column_reports(&self) -> Vec<ColumnReport> {
        let report = |column: &super::column::StatedColumn| ColumnReport {
            level: column.level,
            ruler: column.ruler.clone(),
            ..ColumnReport::new(&column.spec, column.published)
        };
        self.columns.iter().map(report).collect()
    }

    /// What sizes of groups and levels tell.
    fn utility(&self, release: &Release) -> Vec<(&'static str, f64)> {
        let mut utility = grouped::measure(&release.groups, release.table.rows() as u64 + self.suppressed);
        let levels: Vec<_> = self.columns.iter().filter_map(|column| column.level).collect();
        if !levels.is_empty() {
            utility.push(grouped::height(levels.iter().map(|level| level.level)));
        }
        utility
    }

    fn notes(&self, release: &Release, attacks: &[Finding], exposure: &Exposure) -> Result<Vec<String>> {
        let mut notes: Vec<String> = earlier_sentence(self.earlier.len()).into_iter().collect();
        notes.extend(standing_notes(&self.schema, &self.requirements, self.form(), !self.insecure_seed));
        notes.extend(missing_note(&release.table));
        notes.extend(exposure.sentences());
        notes.extend(alike_notes(&release.table, &self.requirements)?);
        notes.extend(self.skew.as_ref().map(SkewReport::sentence));
        if let Some(skew) = self.skew.as_ref().filter(|_| self.is_whole() && release.groups.len() == 1) {
            notes.extend(coarse_note(skew, release.table.column(&skew.on)?));
        }
        notes.extend(attacks.iter().filter_map(|finding| finding.warning.clone()));
        Ok(notes)
    }

    /// Every criterion: checked where the release alone tells, else stated to hold.
    fn answers(&self, table: &Table, release: &Release) -> Result<Vec<Answer>> {
        self.requirements.iter().map(|wanted| self.answer(table, release, wanted)).collect()
    }

    /// A criterion: checked where the release alone tells, else stated to hold.
    pub(super) fn answer(&self, table: &Table, release: &Release, wanted: &Requirement) -> Result<Answer> {
        let Some(bound) = self.bind(table, wanted)? else { return Ok(Answer::stated(wanted.clone())) };
        let audit = audit_bound(table, &release.groups, std::slice::from_ref(wanted), std::slice::from_ref(&bound))?;
        let mut answer = audit.criteria.into_iter().next().expect("one was asked for");
        // Rows of a bucketized release are in an order drawn at random.
        answer.worst_record = answer.worst_record.filter(|_| self.sensitive.is_none());
        Ok(answer)
    }

    /// A criterion bound to the release, if the release alone tells what it says: it reads groups
    /// only, or the whole table and all of it is there; and no file, hierarchy or identity besides.
    fn bind(&self, table: &Table, wanted: &Requirement) -> Result<Option<Bound>> {
        let is_hidden = wanted.on.iter().any(|on| self.is_unprotected(on));
        if wanted.criterion.params.has_file() || wanted.several_records() || is_hidden {
            return Ok(None);
        }
        let is_told = |bound: &Bound| match bound.criterion.properties().scope {
            Scope::Groups => true,
            Scope::Table => self.is_whole(),
            Scope::Original => false,
        };
        match wanted.bind(table, &self.schema, Path::new("")) {
            Ok(bound) => Ok(Some(bound).filter(is_told)),
            Err(error) if error.fault() == Fault::Plan => self.refuse_impossible(table, wanted).map(|()| None),
            Err(error) => Err(error),
        }
    }

    /// All criteria that can be bound to the release.
    fn bound(&self, table: &Table) -> Result<Vec<(&Requirement, Bound)>> {
        let bind = |wanted| Ok(self.bind(table, wanted)?.map(|bound| (wanted, bound)));
        self.requirements.iter().map(bind).filter_map(Result::transpose).collect()
    }

    /// Refuses a criterion that cannot have been required of any table with these columns. A
    /// release may lack a hierarchy, or values that the criterion names.
    fn refuse_impossible(&self, table: &Table, wanted: &Requirement) -> Result<()> {
        let mut specs = self.schema.columns().to_vec();
        let rule: Arc<dyn hierarchy::Rule> = hierarchy::keep_or_suppress().into();
        for spec in specs.iter_mut().filter(|spec| spec.rule.is_none() && wanted.on.contains(&spec.name)) {
            spec.rule = Some(rule.clone());
        }
        let table = with_values(table, &wanted.on, &named_values(wanted))?;
        match wanted.bind(&table, &Schema::new(specs), Path::new("")) {
            Err(error) if error.fault() == Fault::Plan => {
                Err(broken(&format!("a criterion that no such table can have: {}", error.message())))
            }
            _ => Ok(()),
        }
    }

    /// What attacks find that anybody can make who has the release; and the names of those that
    /// were made besides.
    fn findings(&self, release: &Release, folder: &Path, formats: &Formats) -> Result<(Vec<Finding>, Vec<String>)> {
        let (mut findings, mut undisclosed) = (Vec::new(), Vec::new());
        if self.several_records() {
            return Ok((findings, undisclosed));
        }
        let stage = formats.watch().stage(ATTACKING, Some(self.attacks.len() as u64));
        self.attack_release(release, folder, formats, |target| {
            for attempt in &self.attacks {
                let attack = attempt.attack.build();
                let found = if can_repeat(attempt) { self.repeat(attempt, &*attack, target)? } else { None };
                stage.advance(1);
                match found {
                    Some(found) => findings.extend(found),
                    None if attack.is_made(target) || attack.is_about_withheld() && self.skew.is_some() => {
                        undisclosed.push(attempt.attack.kind.name.to_string())
                    }
                    None => {}
                }
            }
            Ok(())
        })?;
        undisclosed.dedup();
        Ok((findings, undisclosed))
    }

    /// What an attack finds with the release alone; nothing if it needs more.
    fn repeat(&self, attempt: &Attempt, attack: &dyn Attack, target: &Target<'_>) -> Result<Option<Vec<Finding>>> {
        let promises = Promises { max_here: attempt.max_belief, ..target.promises.clone() };
        let found = attack.run(&Target { promises: &promises, ..*target })?;
        let is_told =
            |finding: &Finding| finding.repeatable && !finding.on.as_ref().is_some_and(|on| self.is_unprotected(on));
        // What the release alone leaves open the custodian has decided, or there would be no
        // release; but nobody can have decided that a belief keeps to a limit that it exceeds.
        let is_open = |finding: &Finding| finding.limit.is_some() && finding.undecided_people().is_some();
        let is_beyond = |finding: &Finding| finding.limit.is_some_and(|limit| !limit.allows(finding.highest));
        let is_settled = self.gate.refuses && found.iter().any(is_open) && !found.iter().any(is_beyond);
        Ok((!found.is_empty() && !is_settled && found.iter().all(is_told)).then_some(found))
    }

    /// Attacks a release with what its directory tells.
    pub fn attack_release<T>(
        &self,
        release: &Release,
        folder: &Path,
        formats: &Formats,
        attack: impl FnOnce(&Target<'_>) -> Result<T>,
    ) -> Result<T> {
        let prepared = self.schema.prepare(&release.table)?;
        let (requirements, bound): (Vec<&Requirement>, Vec<Bound>) = self.bound(&prepared)?.into_iter().unzip();
        let all = bound.len() == self.requirements.len();
        // Groups that were divided once more do not tell what they were parts of.
        let is_replayed = all && self.sensitive.is_some() && self.grouped().is_some();
        let method = Some(&self.method).filter(|method| is_replayed && !method.anatomizes());
        let method = method.map(ChosenMethod::build);
        let least = Safety::new(&prepared, &bound)?.least_size();
        let (schema, groups, complete) = (&self.schema, &release.groups, self.suppressed == 0);
        let view = View { table: &prepared, schema, groups, complete, least };
        let making = method
            .as_deref()
            .map(|method| Making::Groups(Grouped { method, view, published: &release.groups, bound: &bound }));
        let criteria = requirements.into_iter().zip(&bound).collect();
        let (max_belief, max_risk) = (self.gate.max_belief, self.gate.max_risk);
        attack(&Target {
            release: &release.table,
            groups: &release.groups,
            bucketized: self.sensitive.is_some(),
            schema: &self.schema,
            original: None,
            making,
            class: Some(self.class()),
            is_conditioned: self.prefers_by_values()
                || auto::tells(&self.among, self.method.kind.name)
                || self.attacks.iter().any(Attempt::limits_hidden_values),
            missing: self.suppressed + self.skew.as_ref().and_then(|skew| skew.withheld).unwrap_or(0),
            is_missing_by_value: self.skew.is_some(),
            suppressed: self.suppressed_of(&prepared)?,
            promises: &Promises { criteria, all, max_belief, max_risk, max_here: None },
            formats,
            folder,
        })
    }

    /// How records of frequent values were withheld, for an attacker: she sees what was left only
    /// where nothing else is missing.
    fn suppressed_of<'t>(&self, table: &'t Table) -> Result<Option<Suppressed<'t>>> {
        let Some(skew) = self.skew.as_ref().filter(|_| self.is_whole()) else { return Ok(None) };
        let on = table.column(&skew.on)?;
        if skew.l > on.domain().len() as u64 {
            return Err(broken("more values to hide among than there are"));
        }
        let records = (on.codes().len() as u64).checked_add(skew.withheld.unwrap_or(0));
        let records = records.ok_or_else(|| broken("more records withheld than there can be"))?;
        Ok(Some(Suppressed { method: skew.method, on, l: skew.l, records, is_published: true }))
    }

    /// Whether what is published is eligible and has enough values that could be the most frequent
    /// one; nothing if nothing was withheld for that, or other records are missing.
    fn is_eligible(&self, release: &Release) -> Result<Option<bool>> {
        let prepared = self.schema.prepare(&release.table)?;
        let seen = self.suppressed_of(&prepared)?.map(|suppressed| suppressed.seen());
        Ok(seen.map(|seen| seen.is_eligible() && seen.has_candidates()))
    }
}

/// How far an attack that is repeated may count. Whoever wrote the certificate must not decide how
/// long others are at it.
const MOST_REPEATED: u64 = 1_000_000;

/// Whether an attack needs no file, and no more work than a check is worth.
fn can_repeat(attempt: &Attempt) -> bool {
    let is_too_long = |params: &Params| {
        params.iter().any(|(_, setting)| matches!(setting, Setting::Count(count) if *count > MOST_REPEATED))
    };
    !attempt.attack.params.has_file() && !is_too_long(&attempt.attack.params)
}

/// The values that a criterion names.
fn named_values(wanted: &Requirement) -> Vec<String> {
    let listed = wanted.criterion.params.iter().flat_map(|(_, setting)| match setting {
        Setting::Values(values) => values.clone(),
        _ => Vec::new(),
    });
    listed.chain(wanted.points().iter().filter_map(|point| point.value.clone())).collect()
}

/// The table with a further row for each value of some columns that it does not have.
fn with_values(table: &Table, on: &[String], values: &[String]) -> Result<Table> {
    let longer = |column: &Column| {
        let own = (0..table.rows()).map(|row| column.value(row).to_string());
        let further = values.iter().map(|value| match on.iter().any(|name| name == column.name()) {
            true => value.clone(),
            false => {
                if table.rows() > 0 {
                    column.value(0).to_string()
                } else {
                    String::new()
                }
            }
        });
        Column::from_values(column.name(), own.chain(further))
    };
    Table::new(table.columns().iter().map(longer).collect())
}

/// The published values of every sensitive column, most frequent first.
fn distributions(table: &Table, schema: &Schema) -> Result<Vec<Distribution>> {
    let of = |column: &Column| {
        let counts = column.counts();
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by_key(|&code| (std::cmp::Reverse(counts[code]), code));
        Distribution {
            column: column.name().to_string(),
            values: order.iter().map(|&code| column.domain().label(code as u32).to_string()).collect(),
            before: None,
            after: order.iter().map(|&code| counts[code]).collect(),
        }
    };
    Ok(schema.select(table, Role::Sensitive)?.into_iter().map(of).collect())
}
