//! Which method forms groups, where the plan leaves that open.
//!
//! # Claim
//! Methods are put in order by what they keep where sizes of groups alone matter: by
//! quasi-identifiers, the plan, and how often each sensitive value occurs in the whole table. So
//! every world that an attacker can think of gives the same order, and taking the first method
//! tells nothing about who has which value.

use super::describe::TableFacts;
use super::pipeline::{Formed, bind, share_of};
use super::{Draft, Gated, idle};
use crate::anonymize::{ChosenMethod, Task, auto};
use crate::criterion::Requirement;
use crate::data::{Formats, Table};
use crate::error::{Error, ErrorCode, Fault, Result};
use crate::exact::Fraction;
use crate::plan::TablePlan;
use crate::recode::Form;

/// The plan with each method that it could be carried out with, the first to be tried first; none
/// where it names its method.
pub(super) fn choices(plan: &TablePlan, table: &Table, formats: &Formats) -> Result<Vec<TablePlan>> {
    if !plan.publishing.method.is_open() {
        return Ok(Vec::new());
    }
    let (table, limit) = (plan.schema.prepare(table)?, plan.publishing.max_suppressed.unwrap_or(Fraction::ZERO));
    let bound = bind(plan, &table)?;
    let task = Task {
        table: &table,
        schema: &plan.schema,
        requirements: &plan.requirements,
        bound: &bound,
        limit: share_of(limit, table.rows()).min(table.rows().saturating_sub(1) as u64),
        metric: &plan.publishing.metric,
        chance: plan.publishing.chance,
        watch: formats.watch(),
    };
    let mut ranked = ranked(plan, &task, formats)?;
    let among: Vec<&'static str> = ranked.iter().map(|method| method.kind.name).collect();
    if plan.publishing.skew.method.is_some() {
        // What is withheld first is drawn once: there is no second try.
        ranked.truncate(1);
    }
    Ok(ranked.into_iter().map(|method| with_method(plan, method, among.clone())).collect())
}

/// The plan with a method. Where it allows no suppression, no method suppresses anybody.
fn with_method(plan: &TablePlan, method: ChosenMethod, among: Vec<&'static str>) -> TablePlan {
    let mut plan = plan.clone();
    (plan.publishing.method, plan.publishing.among) = (method, among);
    plan.publishing.max_suppressed.get_or_insert(Fraction::ZERO);
    plan
}

/// The methods, the one that keeps most first.
fn ranked(plan: &TablePlan, task: &Task<'_>, formats: &Formats) -> Result<Vec<ChosenMethod>> {
    let form = plan.publishing.recoding.form;
    let (mut suited, mut refused) = (Vec::new(), None);
    for method in auto::candidates(form, task, plan.publishing.limits_knowing_the_method())? {
        // A method for which a key of the plan would do nothing is not what the plan asks for.
        match idle::refuse(&with_method(plan, method.clone(), Vec::new()), task.table, task.bound, formats) {
            Ok(()) => suited.push(method),
            Err(error) => refused = Some(refused.unwrap_or(error)),
        }
    }
    if let Some(error) = refused.filter(|_| suited.is_empty()) {
        return Err(error);
    }
    refuse_idle_limit(plan, &suited)?;
    if form == Form::Generalized {
        suited = by_kept(plan, task, suited)?;
        if task.bound.iter().any(|bound| bound.criterion.is_cross_group()) {
            suited.insert(0, auto::of_several_groups()?);
        }
    }
    Ok(suited)
}

/// Refuses a limit on suppression where no method suppresses anybody.
fn refuse_idle_limit(plan: &TablePlan, methods: &[ChosenMethod]) -> Result<()> {
    let is_limited = plan.publishing.max_suppressed.is_some_and(|limit| limit > Fraction::ZERO);
    let suppresses = |method: &ChosenMethod| method.chooses_levels() || method.build().withholds();
    let keeps_apart = plan.schema.columns().iter().any(|spec| spec.levels.is_some());
    if !is_limited || keeps_apart || methods.iter().any(suppresses) {
        return Ok(());
    }
    let names: Vec<&str> = methods.iter().map(|method| method.kind.name).collect();
    let message = format!("[release] `max_suppressed` has no effect: {} suppress no record", names.join(" and "));
    Err(Error::of(ErrorCode::NoEffect, message).help("leave it out"))
}

/// Methods in the order of what each keeps where sizes of groups alone matter; of equal ones, as
/// they were.
fn by_kept(plan: &TablePlan, task: &Task<'_>, methods: Vec<ChosenMethod>) -> Result<Vec<ChosenMethod>> {
    let least = task.bound.iter().map(|bound| bound.criterion.properties().least.records()).max().unwrap_or(1);
    let mut plan = plan.clone();
    plan.requirements = vec![Requirement::of_size(least.max(1))?];
    let bound = bind(&plan, task.table)?;
    let sized = Task { requirements: &plan.requirements, bound: &bound, ..*task };
    let stage = task.watch.stage("comparing methods", Some(methods.len() as u64));
    let mut measured = Vec::new();
    for method in methods {
        measured.push((kept(&plan, &sized, &method)?, method));
        stage.advance(1);
    }
    measured.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    Ok(measured.into_iter().map(|(_, method)| method).collect())
}

/// What a method keeps; nothing where it finds no release.
fn kept(plan: &TablePlan, task: &Task<'_>, method: &ChosenMethod) -> Result<f64> {
    let plan = with_method(plan, method.clone(), Vec::new());
    let formed = Formed::new(&plan.publishing, task);
    let recoded = formed.and_then(|mut formed| Ok((formed.recode(&plan.publishing, task)?, formed)));
    match recoded {
        Ok((recoded, formed)) => {
            TableFacts { plan: &plan, task, skew: None, formed: &formed, recoded: &recoded }.information_kept()
        }
        Err(error) if error.fault() == Fault::Infeasible => Ok(0.0),
        Err(error) => Err(error),
    }
}

/// The first draft that passes its gate; else what became of the first.
pub(super) fn first_that_passes<M: Gated>(tries: impl Iterator<Item = Result<Draft<M>>>) -> Result<Draft<M>> {
    let mut first = None;
    for tried in tries {
        match tried {
            Ok(draft) if draft.passes() => return Ok(draft),
            Err(error) if error.fault() != Fault::Infeasible => return Err(error),
            refused => {
                first.get_or_insert(refused);
            }
        }
    }
    first.unwrap_or_else(|| Err(Error::of(ErrorCode::NoneFound, "no method suits the plan")))
}
