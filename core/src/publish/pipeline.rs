//! From a plan and a table to a publication, step by step.

use super::describe::TableFacts;
use super::gate::{Draft, Gated, gate_table};
use super::{DeclaredSkew, Exposure, Publication, SkewReport, idle, infeasible, skewed};
use crate::anonymize::{ChosenMethod, Class, Method, Safety, Task, Transformation, View, Within};
use crate::attack::{Finding, Making, Original, Promises, Suppressed, Target};
use crate::audit::{Answer, audit_bound};
use crate::candidate::Groups;
use crate::criterion::{Bound, Holders, Requirement};
use crate::data::{Formats, Schema, Table};
use crate::error::{Error, Fault, Result};
use crate::exact::Fraction;
use crate::plan::{Attempt, Publishing, TablePlan};
use crate::recode::{Form, Lowest, Recoded, bucketize, generalize, generalize_groups};
use std::collections::HashSet;
use std::path::Path;

/// A publication and its table.
pub struct Made {
    /// What is known about it.
    pub publication: Publication,
    /// The recoded table.
    pub recoded: Recoded,
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

/// Makes a publication: groups, recodes, audits, attacks and measures. Nothing is written.
///
/// ```
/// use sfumato::data::{Formats, sample};
///
/// let plan = sfumato::TablePlan::parse(r#"
///     [columns]
///     age     = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
///     sex     = { role = "quasi" }
///     disease = { role = "sensitive" }
///
///     [[require]]
///     criterion = "k-anonymity"
///     k = 5
/// "#, ".".as_ref())?;
/// let made = sfumato::publish::make(&plan, &sample::hospital(1000, 1), &Formats::default())?;
/// let made = made.pass()?; // no attack found more than is promised
/// assert!(made.publication.criteria.iter().all(|answer| answer.verdict.holds));
/// assert_eq!(made.recoded.table.rows(), made.publication.published);
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn make(plan: &TablePlan, table: &Table, formats: &Formats) -> Result<Draft<Made>> {
    formats.watch().run(|| make_watched(plan, table, formats))
}

fn make_watched(plan: &TablePlan, table: &Table, formats: &Formats) -> Result<Draft<Made>> {
    let publishing = &plan.publishing;
    check(plan, table)?;
    formats.of(Path::new(&format!("data.{}", publishing.format)))?;
    let schema = &plan.schema;
    let prepared = schema.prepare(table)?;
    let bind = |table: &Table| -> Result<Vec<Bound>> {
        plan.requirements.iter().map(|wanted| wanted.bind(table, schema, &plan.folder)).collect()
    };
    let bound = bind(&prepared)?;
    let (declared, restored) = skewed::restore(plan, &prepared, &bound)?;
    // From here on what was withheld is as if it had never been: no figure that is published is
    // about its sensitive values.
    let (table, bound, skew) = match &restored {
        None => (&*prepared, bound, None),
        Some(restored) => (&restored.table, bind(&restored.table)?, Some(&restored.report)),
    };
    bound.iter().try_for_each(|bound| refuse_joined_values(bound, publishing.recoding.form))?;
    refuse_counting_records(plan)?;
    idle::refuse(plan, table, &bound, formats)?;
    // To suppress everybody is no release.
    let most = publishing.max_suppressed.unwrap_or(Fraction::ZERO);
    let limit = share_of(most, table.rows()).min(table.rows() as u64 - 1);
    let (metric, chance) = (&publishing.metric, publishing.chance);
    let task = Task {
        table,
        schema,
        requirements: &plan.requirements,
        bound: &bound,
        limit,
        metric,
        chance,
        watch: formats.watch(),
    };
    let formed =
        Formed::new(publishing, &task).map_err(|error| match skew.filter(|_| error.fault() == Fault::Infeasible) {
            None => error,
            Some(skew) => infeasible::after_suppression(&error, skew.records - task.table.rows() as u64),
        })?;
    let recoded = formed.recode(publishing, &task)?;
    let exposure = Exposure::measure(&recoded.table, schema, publishing.recoding.form, &publishing.accepted)?;
    exposure.refuse()?;
    let mut criteria = audited(&task, &recoded)?;
    if publishing.recoding.form == Form::Bucketized {
        // The tables are in another order.
        criteria.iter_mut().for_each(|answer| answer.worst_record = None);
    }
    let attacks = attacked(plan, &task, skew, &formed, &recoded, formats)?;
    let known = TableFacts { plan, task: &task, skew, formed: &formed, recoded: &recoded };
    let publication = known.describe(criteria, attacks, exposure)?;
    let schema = formed.lowest.schema(schema).clone();
    Ok(Draft::new(Made { publication, recoded, skew: declared, schema }))
}

/// What a method decided.
pub(super) struct Formed {
    pub outcome: Transformation,
    /// The method with the parameters that it worked with.
    pub method: ChosenMethod,
    /// What its choices depend on, for the criteria at hand.
    pub class: Class,
    /// Whether its choice among safe outcomes depends on sensitive values.
    prefers_by_values: bool,
    /// The groups of the original's rows.
    pub groups: Groups,
    /// What a method that forms groups saw, and what a bucketized release shows.
    pub lowest: Lowest,
    /// The method as it can be replayed: on the whole table, or on the parts that were kept apart.
    replayed: Box<dyn Method>,
}

impl Formed {
    fn new(publishing: &Publishing, task: &Task<'_>) -> Result<Formed> {
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
        let (method, groups) = match &outcome {
            Transformation::Levels(found) => {
                let coarse = generalize(task.table, task.schema, task.bound, &found.levels, publishing.recoding)?;
                (publishing.method.clone(), coarse.groups.mapped(&coarse.row_of))
            }
            Transformation::Groups(found) => {
                if publishing.max_suppressed.is_some() && found.withheld > task.limit {
                    return Err(infeasible::too_many_withheld(found.withheld, task.limit));
                }
                (publishing.method.resolved(&found.resolved)?, found.groups.clone())
            }
        };
        let replayed: Box<dyn Method> = match within {
            None => method.build(),
            Some(within) => Box::new(within.with_method(&method)),
        };
        Ok(Formed { outcome, method, class, prefers_by_values, groups, lowest, replayed })
    }

    fn recode(&self, publishing: &Publishing, task: &Task<'_>) -> Result<Recoded> {
        let recoding = publishing.recoding;
        let (recoded, withheld) = match (&self.outcome, recoding.form) {
            (Transformation::Levels(found), Form::Generalized) => {
                (generalize(task.table, task.schema, task.bound, &found.levels, recoding)?, found.suppressed)
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
        table.column(&spec.name)?;
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
            Err(error.help("write one record for each value, name the column that says whose it is (person = \"…\") and give it role = \"identifier\"; `check` and `skyline` read cells as they are"))
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
fn share_of(share: Fraction, records: usize) -> u64 {
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

fn attacked(
    plan: &TablePlan,
    task: &Task<'_>,
    skew: Option<&SkewReport>,
    formed: &Formed,
    recoded: &Recoded,
    formats: &Formats,
) -> Result<Vec<Finding>> {
    let (publishing, mut findings) = (&plan.publishing, Vec::new());
    if plan.requirements.iter().any(Requirement::several_records) {
        // They would take every record for a person; a note says so.
        return Ok(findings);
    }
    let making = match &formed.outcome {
        Transformation::Levels(_) => None,
        Transformation::Groups(found) => Some(Making {
            method: &*formed.replayed,
            view: View {
                table: formed.lowest.table(task.table),
                schema: formed.lowest.schema(task.schema),
                groups: found.whole.as_ref().unwrap_or(&found.groups),
                complete: true,
            },
            published: &found.groups,
            bound: task.bound,
        }),
    };
    let suppressed = match skew {
        None => None,
        Some(skew) => Some(Suppressed {
            method: skew.method,
            on: task.table.column(&skew.on)?,
            l: skew.l,
            records: skew.records,
            is_published: recoded.suppressed == 0,
        }),
    };
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
            is_conditioned: formed.prefers_by_values || publishing.attacks.iter().any(Attempt::limits_hidden_values),
            withheld: recoded.suppressed as u64,
            suppressed,
            promises: &promises,
            formats,
            folder: &plan.folder,
        };
        let attack = (attempt.attack.kind.build)(&attempt.attack.params);
        let found = attack.run(&target)?;
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
