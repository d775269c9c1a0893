//! No candidate is safe: what stands in the way, and what could be met.

use crate::anonymize::{self, Task};
use crate::audit::{Answer, audit_bound};
use crate::candidate::Groups;
use crate::criterion::Requirement;
use crate::error::{CouldMeet, Error, ErrorCode, Fault, Result};
use crate::kind::{Member, Params};

/// The error that says which criteria the coarsest candidate, everybody in one group, fails, and
/// with which parameters it would not.
pub fn explain(task: &Task<'_>, by_levels: bool) -> Result<Error> {
    let everybody = Groups::by_columns(&[], task.table.rows());
    let audit = audit_bound(task.table, &everybody, task.requirements, task.bound)?;
    let failing: Vec<&Answer> = audit.criteria.iter().filter(|answer| !answer.verdict.holds).collect();
    let error = |message: String| Error::new(Fault::Infeasible, message);
    if failing.is_empty() && !by_levels {
        let message = "the method finds no safe groups, although everybody in one group would satisfy each criterion";
        return Ok(error(message.into())
            .help("use another method (`sfumato list methods`), another `bucket`, or a looser criterion"));
    }
    if failing.is_empty() {
        // With criteria that merging does not keep, or levels that the plan sets.
        let message = "no choice of levels satisfies all criteria, although everybody in one group would satisfy each";
        return Ok(error(message.into()).help(
            "allow some suppression ([release] max_suppressed), wider `levels` of columns, or a looser criterion",
        ));
    }
    let described: Vec<String> = failing.iter().map(|answer| describe(answer)).collect();
    let message =
        format!("no generalization satisfies the plan: even with everybody in one group, {}", described.join("; and "));
    let help = match is_hopeless(task)? {
        _ if !by_levels => {
            "loosen the criterion to what can be met: no grouping can help where one group of everybody fails"
        }
        true => "loosen the criterion to what can be met: neither hierarchies nor suppression can help here",
        false => "loosen the criterion to what can be met, or allow more suppression ([release] max_suppressed)",
    };
    Ok(error(message).help(help).could_meet(failing.into_iter().map(attainable).collect()))
}

/// What of a criterion that fails could be met.
pub(super) fn attainable(answer: &Answer) -> CouldMeet {
    let wanted = &answer.requirement;
    let failing = answer.points().filter(|(_, reached)| !reached.holds).map(|(_, reached)| reached.measured);
    let best = match failing.reduce(f64::max) {
        Some(belief) => (belief < 1.0).then(|| rounded_up(belief)),
        None => answer.verdict.measured.map(|measured| match is_kept_below(wanted) {
            true => rounded_up(measured),
            false => rounded(measured),
        }),
    };
    CouldMeet { criterion: wanted.criterion.kind.name.to_string(), on: wanted.on.clone(), best }
}

/// Whether a confidence or a ratio called c must stay above what is measured.
fn is_kept_below(wanted: &Requirement) -> bool {
    wanted.criterion.params.iter().any(|(name, _)| name == "c")
}

/// The same where records of frequent values were withheld: what was left has a value with as much
/// as can be hidden, so few groups have room for it.
pub fn after_suppression(error: &Error, withheld: u64) -> Error {
    let message = format!("after {withheld} records were withheld for a frequent value: {}", error.message());
    let error = Error::of(error.code(), message).could_meet(error.attainable().to_vec());
    error.help("loosen what fails, use another method (`sfumato list methods`), or withhold a little more, so that groups are easier to form ([skew] l = one more than the criteria ask for); but do not draw again with the same plan until it works: that would tell more than is promised")
}

/// The error that a method withholds more records than the plan allows.
pub fn too_many_withheld(withheld: u64, limit: u64) -> Error {
    let message = format!("the method leaves {withheld} records that it cannot group safely; the plan allows {limit}");
    let by_groups = Member::defaults(&anonymize::KINDS).into_iter().filter(|method| !method.chooses_levels());
    let names: Vec<&str> =
        by_groups.filter(|method| !method.build().withholds()).map(|method| method.kind.name).collect();
    let help = format!(
        "allow more ([release] max_suppressed), use another method ({} withhold none), or a looser criterion",
        names.join(", ")
    );
    Error::of(ErrorCode::TooManySuppressed, message).help(help)
}

/// Whether a criterion needs more records or values than the table has.
fn is_hopeless(task: &Task<'_>) -> Result<bool> {
    for bound in task.bound {
        let least = bound.criterion.properties().least;
        let values = bound.codes(task.table)?.map_or(u64::MAX, |codes| codes.domain() as u64);
        if least.size > task.table.rows() as u64 || least.values > values {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) fn describe(answer: &Answer) -> String {
    if !answer.verdict.points.is_empty() {
        return describe_points(answer);
    }
    let wanted = &answer.requirement;
    let on = if wanted.on.is_empty() { String::new() } else { format!(" on {}", wanted.on.join(", ")) };
    let could = match (attainable(answer).best, is_kept_below(wanted)) {
        (None, _) => "no parameter could be met".to_string(),
        (Some(best), true) => format!("a c of {best} could be met"),
        (Some(best), false) => format!("{best} could be met"),
    };
    format!(
        "{}{on} ({}) fails: the table measures {}, so without suppression at best {could}",
        wanted.criterion.kind.name,
        asked(&wanted.criterion.params),
        measured(answer)
    )
}

/// The points that fail, and from which confidence on each would not.
fn describe_points(answer: &Answer) -> String {
    let failing = answer.points().filter(|(_, reached)| !reached.holds).map(|(point, reached)| {
        let could = match reached.measured {
            1.0 => "no c could be met".to_string(),
            belief => format!("a c of {} could be met", rounded_up(belief)),
        };
        format!(
            "point {} fails: {point}, where {} is reached, so at best {could}",
            reached.point + 1,
            rounded(reached.measured)
        )
    });
    let on = answer.requirement.on.join(", ");
    format!("{} on {on}: {}", answer.requirement.criterion.kind.name, failing.collect::<Vec<_>>().join("; "))
}

/// The least number of four digits above.
fn rounded_up(value: f64) -> String {
    let steps = (value * 1e4 * (1.0 + 1e-12)).floor() + 1.0;
    rounded(steps / 1e4)
}

fn measured(answer: &Answer) -> String {
    answer.verdict.measured.map_or_else(|| "no finite value".to_string(), rounded)
}

fn rounded(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn asked(params: &Params) -> String {
    let written = params.iter().map(|(name, setting)| (name, setting.to_string()));
    let written =
        written.filter(|(_, setting)| !setting.is_empty()).map(|(name, setting)| format!("{name} = {setting}"));
    written.collect::<Vec<_>>().join(", ")
}
