//! From a plan and a table to a publication, step by step.

use super::{Classification, ColumnLevel, ColumnReport, Distribution, MethodReport, Publication, infeasible};
use crate::anonymize::{Judge, Outcome, Task};
use crate::attack::{Finding, Original, Promises, Target};
use crate::audit::{Answer, audit_bound};
use crate::candidate::Coded;
use crate::criterion::{Bound, Scope};
use crate::data::{Column, Formats, Role, Schema, Table};
use crate::error::{Error, Fault, Result};
use crate::exact::Fraction;
use crate::plan::{Plan, Publishing};
use crate::recode::{Recoded, Suppressed, generalize};
use crate::utility::classification::accuracy;
use std::collections::BTreeMap;
use std::path::Path;

/// A publication and its table.
pub struct Made {
    /// What is known about it.
    pub publication: Publication,
    /// The recoded table.
    pub recoded: Recoded,
    /// What each criterion reads besides groups.
    pub scopes: Vec<Scope>,
}

/// Makes a publication: groups, recodes, audits, attacks and measures. Nothing is written; whether attacks found too much is for the caller to ask.
///
/// ```
/// use sfumato::data::{Formats, sample};
///
/// let plan = sfumato::Plan::parse(r#"
///     [columns]
///     age     = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
///     sex     = { role = "quasi" }
///     disease = { role = "sensitive" }
///
///     [[require]]
///     criterion = "k-anonymity"
///     k = 5
/// "#, ".".as_ref())?;
/// let made = sfumato::publish::make(&plan, &plan.publishing()?, &sample::hospital(1000, 1), &Formats::default())?;
/// assert!(made.publication.criteria.iter().all(|answer| answer.verdict.holds));
/// assert_eq!(made.recoded.table.rows(), made.publication.published);
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn make(plan: &Plan, publishing: &Publishing, table: &Table, formats: &Formats) -> Result<Made> {
    check(plan, table)?;
    formats.of(Path::new(&format!("data.{}", publishing.format)))?;
    let schema = &plan.schema;
    let prepared = schema.prepare(table)?;
    let table = &*prepared;
    let bound: Vec<Bound> =
        plan.requirements.iter().map(|wanted| wanted.bind(table, schema, &plan.folder)).collect::<Result<_>>()?;
    // To suppress everybody is no release.
    let limit = share_of(publishing.max_suppressed, table.rows()).min(table.rows() as u64 - 1);
    let task =
        Task { table, schema, requirements: &plan.requirements, bound: &bound, limit, metric: &publishing.metric };
    let Some(outcome) = publishing.method.build().run(&task)? else { return Err(infeasible::explain(&task)?) };

    let recoded = generalize(table, schema, &bound, &outcome.levels, publishing.recoding)?;
    if recoded.suppressed as u64 != outcome.suppressed {
        let message = format!(
            "the method suppresses {} records, the recoded table {}: nothing was published",
            outcome.suppressed, recoded.suppressed
        );
        return Err(Error::new(Fault::Internal, message));
    }
    let criteria = audited(&task, &recoded)?;
    let attacks = attacked(plan, publishing, &task, &recoded, formats)?;
    let publication = describe(plan, publishing, &task, &outcome, &recoded, criteria, attacks)?;
    let scopes = bound.iter().map(|bound| bound.criterion.scope()).collect();
    Ok(Made { publication, recoded, scopes })
}

/// Refuses what cannot be published.
fn check(plan: &Plan, table: &Table) -> Result<()> {
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

/// ⌊share·records⌋, exactly: the largest number of records whose share of all is not more.
fn share_of(share: Fraction, records: usize) -> u64 {
    let (mut low, mut high) = (0, records as u64);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if Fraction::new(u128::from(middle), records as u128) <= share { low = middle } else { high = middle - 1 }
    }
    low
}

/// Every requirement, on the groups of the recoded table; distributions "of the whole" are those of the original.
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
            let message =
                format!("{} does not hold for the recoded table: nothing was published", answer.requirement.kind.name);
            Err(Error::new(Fault::Internal, message))
        }
    }
}

fn attacked(
    plan: &Plan,
    publishing: &Publishing,
    task: &Task<'_>,
    recoded: &Recoded,
    formats: &Formats,
) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for attempt in &publishing.attacks {
        let promises = Promises {
            criteria: plan.requirements.iter().zip(task.bound).collect(),
            max_belief: publishing.gate.max_belief,
            max_risk: publishing.gate.max_risk,
            max_here: attempt.max_belief,
        };
        let target = Target {
            release: &recoded.table,
            groups: &recoded.groups,
            schema: task.schema,
            original: Some(Original { table: task.table, row_of: &recoded.row_of }),
            promises: &promises,
            formats,
            folder: &plan.folder,
        };
        findings.extend((attempt.kind.build)(&attempt.params).run(&target)?);
    }
    findings.iter().try_for_each(refuse_unfit_register)?;
    Ok(findings)
}

/// A register of which no record fits the release is written in another way, and an attack with it proves nothing.
fn refuse_unfit_register(finding: &Finding) -> Result<()> {
    if finding.details.iter().any(|(name, value)| *name == "register_fitting" && *value == 0.0) {
        let error = Error::plan(format!("{}: no record of the register fits any group of the release", finding.attack));
        return Err(error.help("are its values written as in the table, or as labels of the hierarchies?"));
    }
    Ok(())
}

fn describe(
    plan: &Plan,
    publishing: &Publishing,
    task: &Task<'_>,
    outcome: &Outcome,
    recoded: &Recoded,
    criteria: Vec<Answer>,
    attacks: Vec<Finding>,
) -> Result<Publication> {
    let judge = Judge::for_all_metrics(task)?;
    let (utility, kept) = judge.measure_all(&outcome.levels);
    Ok(Publication {
        records: task.table.rows(),
        published: recoded.table.rows(),
        suppressed: recoded.suppressed,
        starred: publishing.recoding.suppressed == Suppressed::Starred,
        groups: recoded.groups.len(),
        columns: column_reports(plan, publishing, &judge, outcome, &kept),
        method: method_report(publishing, task.schema, outcome),
        criteria,
        attacks,
        attacks_refuse: publishing.gate.refuses,
        utility,
        classification: publishing
            .target
            .as_deref()
            .map(|target| classified(task, recoded, target))
            .transpose()?
            .flatten(),
        group_sizes: group_sizes(recoded),
        sensitive: distributions(task, recoded)?,
        notes: notes(plan, publishing, task),
    })
}

fn column_reports(
    plan: &Plan,
    publishing: &Publishing,
    judge: &Judge<'_>,
    outcome: &Outcome,
    kept: &[f64],
) -> Vec<ColumnReport> {
    let scales = &judge.scales().columns;
    let level = |name: &str| {
        let at = scales.iter().position(|scale| scale.name == name)?;
        Some(ColumnLevel { level: outcome.levels[at], height: scales[at].height(), kept: kept[at] })
    };
    let report = |spec: &crate::data::ColumnSpec| ColumnReport {
        name: spec.name.clone(),
        role: spec.role,
        published: publishing.recoding.publishes(spec),
        level: if spec.role == Role::Quasi { level(&spec.name) } else { None },
    };
    plan.schema.columns().iter().map(report).collect()
}

fn method_report(publishing: &Publishing, schema: &Schema, outcome: &Outcome) -> MethodReport {
    let names = schema.names(Role::Quasi).into_iter().map(str::to_string);
    MethodReport {
        name: publishing.method.kind.name,
        params: publishing.method.params.clone(),
        metric: publishing.metric.kind.name,
        value: outcome.value,
        levels: names.zip(outcome.levels.iter().copied()).collect(),
        nodes: outcome.nodes,
        checked: outcome.checked,
        safe: outcome.safe,
        minimal: outcome.minimal.clone(),
        exhaustive: outcome.exhaustive,
        considered: outcome.considered.clone(),
    }
}

/// How well a classifier predicts a column from the quasi-identifiers, before and after.
fn classified(task: &Task<'_>, recoded: &Recoded, target: &str) -> Result<Option<Classification>> {
    let original = task.table.column(target)?;
    let quasi = |table| -> Result<Vec<&Column>> {
        let all = task.schema.select(table, Role::Quasi)?;
        Ok(all.into_iter().filter(|column| column.name() != target).collect())
    };
    let coded = |columns: Vec<&Column>| -> Vec<(Vec<u32>, usize)> {
        columns.iter().map(|column| (column.codes().to_vec(), column.domain().len())).collect()
    };
    let (before, after) = (coded(quasi(task.table)?), coded(quasi(&recoded.table)?));
    let of_release: Vec<u32> = recoded.row_of.iter().map(|&row| original.codes()[row as usize]).collect();
    let run = |features: &[(Vec<u32>, usize)], codes: &[u32]| {
        let features: Vec<Coded<'_>> = features.iter().map(|(codes, size)| (codes.as_slice(), *size)).collect();
        accuracy(&features, (codes, original.domain().len()), codes.len())
    };
    let (Some(before), Some(after)) = (run(&before, original.codes()), run(&after, &of_release)) else {
        return Ok(None);
    };
    let target = target.to_string();
    Ok(Some(Classification { target, before: before.model, after: after.model, baseline: before.baseline }))
}

fn group_sizes(recoded: &Recoded) -> Vec<(u64, u64)> {
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    (0..recoded.groups.len()).for_each(|group| *sizes.entry(recoded.groups.size(group) as u64).or_default() += 1);
    sizes.into_iter().collect()
}

fn distributions(task: &Task<'_>, recoded: &Recoded) -> Result<Vec<Distribution>> {
    let of = |column: &Column| {
        let mut after = vec![0; column.domain().len()];
        recoded.row_of.iter().for_each(|&row| after[column.codes()[row as usize] as usize] += 1);
        let before = column.counts();
        let mut order: Vec<usize> = (0..before.len()).collect();
        order.sort_by_key(|&code| (std::cmp::Reverse(before[code]), code));
        Distribution {
            column: column.name().to_string(),
            values: order.iter().map(|&code| column.domain().label(code as u32).to_string()).collect(),
            before: order.iter().map(|&code| before[code]).collect(),
            after: order.iter().map(|&code| after[code]).collect(),
        }
    };
    Ok(task.schema.select(task.table, Role::Sensitive)?.into_iter().map(of).collect())
}

fn notes(plan: &Plan, publishing: &Publishing, task: &Task<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    for name in plan.schema.names(Role::Sensitive) {
        if !plan.requirements.iter().any(|wanted| wanted.on.iter().any(|on| on == name)) {
            notes.push(format!(
                "No criterion protects the sensitive column \"{name}\": whoever finds a person's group may learn the value."
            ));
        }
    }
    for spec in plan.schema.columns().iter().filter(|spec| publishing.recoding.publishes(spec)) {
        let alone = task.table.find(&spec.name).filter(|_| spec.role == Role::Insensitive).map(unique_share);
        if let Some(share) = alone.filter(|share| *share >= 0.01) {
            notes.push(format!(
                "The insensitive column \"{}\" is published as it is, and about {:.0} % of the records have a value in it that nobody else has: whoever knows it finds them.",
                spec.name,
                share * 100.0
            ));
        }
    }
    for spec in plan.schema.columns() {
        let missing = task.table.find(&spec.name).and_then(|column| column.domain().missing());
        if missing.is_some() && spec.role != Role::Identifier {
            notes.push(format!("Column \"{}\" has missing values; they count as a value of their own.", spec.name));
        }
    }
    notes
}

/// The share of records whose value in a column nobody else has.
fn unique_share(column: &Column) -> f64 {
    let alone = column.counts().into_iter().filter(|count| *count == 1).count();
    alone as f64 / column.codes().len().max(1) as f64
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
