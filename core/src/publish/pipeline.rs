//! The stages of a table.

use super::describe::TableFacts;
use super::gate::{Gated, gate_table};
use super::stages::{Stages, Work};
use super::{DeclaredSkew, Exposure, Promised, Publication, SkewReport, choice, idle, infeasible, skewed};
use crate::anonymize::{ChosenMethod, Class, Method, Safety, Task, Transformation, View, Within};
use crate::attack::minimality::Searched;
use crate::attack::{ATTACKING, Finding, Grouped, Making, Original, Promises, Suppressed, Target};
use crate::audit::{Answer, audit_bound};
use crate::candidate::Groups;
use crate::criterion::{Bound, Holders, Requirement};
use crate::data::{Formats, Schema, Table};
use crate::error::{Error, Fault, Result};
use crate::exact::Fraction;
use crate::plan::{Attempt, Publishing, TablePlan};
use crate::recode::{Form, Lowest, Recoded, bucketize, generalize, generalize_groups};
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

/// A publication and its table.
pub struct Made {
    /// What is known about it.
    pub publication: Publication,
    /// The recoded table.
    pub recoded: Recoded,
    /// How it was published: the plan's words, with the method that was taken.
    pub publishing: Publishing,
    /// What the plan asks for where a value is too frequent, whether or not one was.
    pub skew: Option<DeclaredSkew>,
    /// What is said of the published columns: where a bucketized release shows labels, of these.
    pub schema: Schema,
}

impl Gated for Made {
    type Publication = Publication;

    fn publication(&self) -> &Publication {
        &self.publication
    }

    fn gate(&self) -> Result<()> {
        gate_table(&self.publication)
    }
}

/// A table that was checked, as criteria see it, and the criteria bound to it.
pub struct LoadedTable<'a> {
    table: Cow<'a, Table>,
    bound: Vec<Bound>,
    formats: &'a Formats,
}

/// What is left of a table. What was withheld is as if it had never been: no figure that is
/// published is about its sensitive values.
pub struct KeptTable<'a> {
    plan: &'a TablePlan,
    table: Cow<'a, Table>,
    bound: Vec<Bound>,
    /// What the plan asks for where a value is too frequent.
    declared: Option<DeclaredSkew>,
    /// What was withheld.
    skew: Option<SkewReport>,
    /// How many records the method may suppress.
    limit: u64,
    formats: &'a Formats,
}

impl KeptTable<'_> {
    fn task(&self) -> Task<'_> {
        let publishing = &self.plan.publishing;
        Task {
            table: &self.table,
            schema: &self.plan.schema,
            requirements: &self.plan.requirements,
            bound: &self.bound,
            limit: self.limit,
            metric: &publishing.metric,
            chance: publishing.chance,
            watch: self.formats.watch(),
        }
    }
}

impl Stages for TablePlan {
    type Data = Table;
    type Loaded<'a> = LoadedTable<'a>;
    type Kept<'a> = KeptTable<'a>;
    type Formed = Formed;
    type Recoded = Recoded;
    type Audited = (Vec<Answer>, Exposure);
    type Attacked = Vec<Finding>;
    type Made = Made;

    fn choices(&self, table: &Table, formats: &Formats) -> Result<Vec<TablePlan>> {
        check(self, table)?;
        choice::choices(self, table, formats)
    }

    fn load<'a>(&'a self, table: &'a Table, formats: &'a Formats) -> Result<LoadedTable<'a>> {
        check(self, table)?;
        formats.of_written(Path::new(&format!("data.{}", self.publishing.format)))?;
        let table = self.schema.prepare(table)?;
        Ok(LoadedTable { bound: bind(self, &table)?, table, formats })
    }

    fn withhold<'a>(&'a self, loaded: LoadedTable<'a>) -> Result<KeptTable<'a>> {
        let LoadedTable { table, bound, formats } = loaded;
        let (declared, restored) = skewed::restore(self, &table, &bound)?;
        let (table, bound, skew) = match restored {
            None => (table, bound, None),
            Some(restored) => {
                let bound = bind(self, &restored.table)?;
                (Cow::Owned(restored.table), bound, Some(restored.report))
            }
        };
        let publishing = &self.publishing;
        bound.iter().try_for_each(|bound| refuse_joined_values(bound, publishing.recoding.form))?;
        refuse_counting_records(self)?;
        idle::refuse(self, &table, &bound, formats)?;
        // To suppress everybody is no release.
        let most = publishing.max_suppressed.unwrap_or(Fraction::ZERO);
        let limit = share_of(most, table.rows()).min(table.rows() as u64 - 1);
        Ok(KeptTable { plan: self, table, bound, declared, skew, limit, formats })
    }

    fn form(&self, kept: &KeptTable<'_>) -> Result<Formed> {
        let explain = |error: Error| match kept.skew.as_ref().filter(|_| error.fault() == Fault::Infeasible) {
            None => error,
            Some(skew) => infeasible::after_suppression(&error, skew.records - kept.table.rows() as u64),
        };
        Formed::new(&self.publishing, &kept.task()).map_err(explain)
    }

    fn recode(&self, kept: &KeptTable<'_>, formed: &mut Formed) -> Result<Recoded> {
        formed.recode(&self.publishing, &kept.task())
    }

    fn audit(&self, work: &Work<'_, TablePlan>) -> Result<(Vec<Answer>, Exposure)> {
        let (form, recoded) = (self.publishing.recoding.form, &work.recoded);
        let KeptTable { table, bound, .. } = &work.kept;
        let promised = Promised::by(self.requirements.iter().zip(bound), table, &self.schema)?;
        let exposure = Exposure::measure(&recoded.table, &self.schema, form, &self.publishing.accepted, &promised)?;
        exposure.refuse()?;
        let mut criteria = audited(&work.kept.task(), recoded)?;
        if form == Form::Bucketized {
            // The tables are in another order.
            criteria.iter_mut().for_each(|answer| answer.worst_record = None);
        }
        Ok((criteria, exposure))
    }

    fn attack(&self, work: &Work<'_, TablePlan>, _: &Self::Audited) -> Result<Vec<Finding>> {
        attacked(self, &work.kept, &work.formed, &work.recoded)
    }

    fn measure(
        &self,
        work: Work<'_, TablePlan>,
        (criteria, exposure): Self::Audited,
        attacks: Vec<Finding>,
    ) -> Result<Made> {
        let Work { kept, formed, recoded } = work;
        let known =
            TableFacts { plan: self, task: &kept.task(), skew: kept.skew.as_ref(), formed: &formed, recoded: &recoded };
        let publication = known.describe(criteria, attacks, exposure)?;
        let schema = formed.lowest.schema(&self.schema).clone();
        Ok(Made { publication, recoded, publishing: self.publishing.clone(), skew: kept.declared, schema })
    }
}

/// Every requirement, bound to a table.
pub(super) fn bind(plan: &TablePlan, table: &Table) -> Result<Vec<Bound>> {
    plan.requirements.iter().map(|wanted| wanted.bind(table, &plan.schema, &plan.folder)).collect()
}

/// What a method decided.
pub struct Formed {
    pub(super) outcome: Transformation,
    /// The method with the parameters that it worked with.
    pub(super) method: ChosenMethod,
    /// What its choices depend on, for the criteria at hand.
    pub(super) class: Class,
    /// Whether its choice among safe outcomes depends on sensitive values.
    prefers_by_values: bool,
    /// The groups of the original's rows.
    pub(super) groups: Groups,
    /// The table on the chosen levels, until it is taken to be published.
    generalized: Option<Recoded>,
    /// What a method that forms groups saw, and what a bucketized release shows.
    pub(super) lowest: Lowest,
    /// The method as it can be replayed: on the whole table, or on the parts that were kept apart.
    replayed: Box<dyn Method>,
}

impl Formed {
    pub(super) fn new(publishing: &Publishing, task: &Task<'_>) -> Result<Formed> {
        let form = publishing.recoding.form;
        let lowest = Lowest::new(task.table, task.schema, form)?;
        let by_levels = publishing.method.chooses_levels();
        let seen = Task { table: lowest.table(task.table), schema: lowest.schema(task.schema), ..*task };
        let cut = !by_levels && form == Form::Generalized;
        let within = if cut { Within::new(&publishing.method, task.table, task.schema)? } else { None };
        let found = publishing.method.run_within(within.as_ref(), if by_levels { task } else { &seen })?;
        let Some(outcome) = found else {
            return Err(infeasible::explain(task, by_levels)?);
        };
        let sizes_only = Safety::new(task.table, task.bound)?.reads_sizes_only();
        let prefers_by_values = publishing.method.prefers_by_values(Some(&publishing.metric), task.schema);
        let class = if sizes_only && !prefers_by_values { Class::QiOnly } else { publishing.method.build().class() };
        let (method, groups, generalized) = match &outcome {
            Transformation::Levels(found) => {
                let coarse = generalize(task.table, task.schema, task.bound, &found.levels, publishing.recoding)?;
                (publishing.method.clone(), coarse.groups.mapped(&coarse.row_of), Some(coarse))
            }
            Transformation::Groups(found) => {
                if publishing.max_suppressed.is_some() && found.withheld > task.limit {
                    return Err(infeasible::too_many_withheld(found.withheld, task.limit));
                }
                (publishing.method.resolved(&found.resolved)?, found.groups.clone(), None)
            }
        };
        let replayed: Box<dyn Method> = match within {
            None => method.build(),
            Some(within) => Box::new(within.with_method(&method)),
        };
        Ok(Formed { outcome, method, class, prefers_by_values, groups, generalized, lowest, replayed })
    }

    pub(super) fn recode(&mut self, publishing: &Publishing, task: &Task<'_>) -> Result<Recoded> {
        let recoding = publishing.recoding;
        let (recoded, withheld) = match (&self.outcome, recoding.form) {
            (Transformation::Levels(found), Form::Generalized) => {
                (self.generalized.take().expect("levels were chosen, and it is taken once"), found.suppressed)
            }
            (Transformation::Levels(found), Form::Bucketized) => {
                (bucketize(self.lowest.table(task.table), task.schema, &self.groups, recoding)?, found.suppressed)
            }
            (Transformation::Groups(found), Form::Generalized) => {
                (generalize_groups(task.table, task.schema, &self.groups, recoding)?, found.withheld)
            }
            (Transformation::Groups(found), Form::Bucketized) => {
                (bucketize(self.lowest.table(task.table), task.schema, &self.groups, recoding)?, found.withheld)
            }
        };
        if recoded.suppressed as u64 != withheld {
            let found = recoded.suppressed;
            let message =
                format!("the method suppresses {withheld} records, the recoded table {found}: nothing was published");
            return Err(Error::new(Fault::Internal, message));
        }
        Ok(recoded)
    }
}

/// Refuses what cannot be published.
fn check(plan: &TablePlan, table: &Table) -> Result<()> {
    plan.check_requires()?;
    plan.schema.quasi(table)?;
    for spec in plan.schema.columns() {
        plan.schema.column(table, &spec.name)?;
    }
    if table.rows() == 0 {
        return Err(Error::data("the table has no records"));
    }
    Ok(())
}

/// Refuses to show which values are one person's, or how many somebody has: what criteria say about
/// people with several values relies on nobody knowing.
fn refuse_joined_values(bound: &Bound, form: Form) -> Result<()> {
    match (&bound.holders, form) {
        (Holders::Records(whose), _) if whose.iter().collect::<HashSet<_>>().len() == whose.len() => {
            let error = Error::plan(
                "everybody has one record: an attacker who sees that knows more than the case of several values allows for",
            );
            Err(error.help("leave out `case` and `person`"))
        }
        (Holders::OneEach, _) | (Holders::Records(_), Form::Generalized) => Ok(()),
        (Holders::Records(_), Form::Bucketized) => {
            let error = Error::plan("a bucketized release would show how many values each person has");
            Err(error.help("publish with form = \"generalized\", one record for each value"))
        }
        (Holders::Cells, _) => {
            let error = Error::plan("publishing whole cells would show which values are one person's");
            Err(error.help("write one record for each value, name the column that says whose it is (person = \"…\") and give it role = \"identifier\"; `sfumato check` and `sfumato skyline` read cells as they are"))
        }
    }
}

/// Where people have several records, refuses promises that take every record for a person.
fn refuse_counting_records(plan: &TablePlan) -> Result<()> {
    let publishing = &plan.publishing;
    if !plan.requirements.iter().any(Requirement::several_records) {
        return Ok(());
    }
    let why = "takes every record for a person, and here people have several";
    if let Some(other) = plan.requirements.iter().find(|wanted| !wanted.several_records()) {
        let error = Error::plan(format!("{} {why}", other.criterion.kind.name));
        return Err(error.help("leave it out: the points of the skyline are about people"));
    }
    if publishing.gate.max_belief.is_some() || publishing.gate.max_risk.is_some() {
        return Err(Error::plan(format!("[gate] {why}")).help("leave out max_belief and max_risk; add points instead"));
    }
    if let Some(named) = publishing.attacks.iter().find(|attempt| attempt.is_named) {
        let error = Error::plan(format!("[[attack]] {}: an attack {why}", named.attack.kind.name));
        return Err(error.help("leave out [[attack]]: the points of the skyline are about people"));
    }
    Ok(())
}

/// ⌊share·records⌋, exactly: the largest number of records whose share of all is not more.
pub(super) fn share_of(share: Fraction, records: usize) -> u64 {
    let (mut low, mut high) = (0, records as u64);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if Fraction::new(u128::from(middle), records as u128) <= share { low = middle } else { high = middle - 1 }
    }
    low
}

/// Every requirement, on the groups of the recoded table; distributions "of the whole" are those of
/// the original.
fn audited(task: &Task<'_>, recoded: &Recoded) -> Result<Vec<Answer>> {
    let in_original = recoded.groups.mapped(&recoded.row_of);
    let mut audit = audit_bound(task.table, &in_original, task.requirements, task.bound)?;
    for answer in &mut audit.criteria {
        // Records are those of the release: the original's row numbers are nobody's business.
        answer.worst_record = answer.verdict.worst.map(|worst| recoded.groups.rows(worst.group)[0] as usize + 1);
    }
    match audit.criteria.iter().find(|answer| !answer.verdict.holds) {
        None => Ok(audit.criteria),
        Some(answer) => {
            let message = format!(
                "{} does not hold for the recoded table: nothing was published",
                answer.requirement.criterion.kind.name
            );
            Err(Error::new(Fault::Internal, message))
        }
    }
}

fn attacked(plan: &TablePlan, kept: &KeptTable<'_>, formed: &Formed, recoded: &Recoded) -> Result<Vec<Finding>> {
    let (publishing, task, mut findings) = (&plan.publishing, &kept.task(), Vec::new());
    if plan.requirements.iter().any(Requirement::several_records) {
        // They would take every record for a person; a note says so.
        return Ok(findings);
    }
    let making = match &formed.outcome {
        Transformation::Levels(chosen) => Making::Levels(Searched {
            method: &*formed.replayed,
            task: task.levels(),
            chosen,
            published: &formed.groups,
        }),
        Transformation::Groups(found) => Making::Groups(Grouped {
            method: &*formed.replayed,
            view: View {
                table: formed.lowest.table(task.table),
                schema: formed.lowest.schema(task.schema),
                groups: found.whole.as_ref().unwrap_or(&found.groups),
                complete: true,
                least: Safety::new(task.table, task.bound)?.least_size(),
            },
            published: &found.groups,
            bound: task.bound,
        }),
    };
    let making = Some(making);
    let suppressed = match &kept.skew {
        None => None,
        Some(skew) => Some(Suppressed {
            method: skew.method,
            on: task.table.column(&skew.on)?,
            l: skew.l,
            records: skew.records,
            is_published: recoded.suppressed == 0,
        }),
    };
    let all = kept.skew.as_ref().map_or(task.table.rows() as u64, |skew| skew.records);
    let stage = task.watch.stage(ATTACKING, Some(publishing.attacks.len() as u64));
    for attempt in &publishing.attacks {
        let promises = Promises {
            criteria: plan.requirements.iter().zip(task.bound).collect(),
            all: true,
            max_belief: publishing.gate.max_belief,
            max_risk: publishing.gate.max_risk,
            max_here: attempt.max_belief,
        };
        let target = Target {
            release: &recoded.table,
            groups: &recoded.groups,
            bucketized: publishing.recoding.form == Form::Bucketized,
            schema: task.schema,
            original: Some(Original { table: task.table, row_of: &recoded.row_of }),
            making,
            class: Some(formed.class),
            is_conditioned: formed.prefers_by_values || publishing.is_conditioned(),
            missing: all - recoded.table.rows() as u64,
            is_missing_by_value: kept.declared.is_some(),
            suppressed,
            promises: &promises,
            formats: kept.formats,
            folder: &plan.folder,
        };
        let attack = (attempt.attack.kind.build)(&attempt.attack.params);
        let found = attack.run(&target)?;
        stage.advance(1);
        // Where nothing had to be withheld there is nothing to find, and any limit is kept to.
        let is_made = attack.is_made(&target) || attack.is_about_withheld() && publishing.skew.method.is_some();
        refuse_unmade(attempt, is_made)?;
        idle::refuse_attack_without_finding(publishing, attempt, found.is_empty())?;
        findings.extend(found);
    }
    findings.iter().try_for_each(Finding::check_register)?;
    Ok(findings)
}

/// A limit on an attack that cannot be made would never be exceeded.
fn refuse_unmade(attempt: &Attempt, is_made: bool) -> Result<()> {
    if attempt.max_belief.is_none() || is_made {
        return Ok(());
    }
    let name = attempt.attack.kind.name;
    let error = Error::plan(format!("[[attack]] {name}: `max_belief` limits an attack that cannot be made here"));
    Err(error.help("leave it out, or publish in a form and with columns that the attack is about"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_exact() {
        let two_percent = Fraction::new(2, 100);
        assert_eq!([30_162, 50, 49, 0].map(|records| share_of(two_percent, records)), [603, 1, 0, 0]);
        assert_eq!(share_of(Fraction::new(29, 100), 100), 29);
        assert_eq!(share_of(Fraction::new(u128::MAX / 2, u128::MAX), 7), 3);
        assert_eq!(share_of(Fraction::ONE, 7), 7);
    }
}
