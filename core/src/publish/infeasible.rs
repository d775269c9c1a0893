//! No candidate is safe: what stands in the way, and what could be met.

use crate::anonymize::Task;
use crate::audit::{Answer, audit_bound};
use crate::candidate::Groups;
use crate::error::{Error, Fault, Result};
use crate::kind::Params;

/// The error that says which criteria the coarsest candidate, everybody in one group, fails, and with which parameters it would not.
pub fn explain(task: &Task<'_>) -> Result<Error> {
    let everybody = Groups::by_columns(&[], task.table.rows());
    let audit = audit_bound(task.table, &everybody, task.requirements, task.bound)?;
    let failing: Vec<String> = audit.criteria.iter().filter(|answer| !answer.verdict.holds).map(describe).collect();
    let error = |message: String| Error::new(Fault::Infeasible, message);
    if failing.is_empty() {
        // Only with criteria that merging does not keep.
        let message = "no choice of levels satisfies all criteria, although everybody in one group would satisfy each";
        return Ok(
            error(message.into()).help("allow some suppression ([release] max_suppressed), or loosen a criterion")
        );
    }
    let message =
        format!("no generalization satisfies the plan: even with everybody in one group, {}", failing.join("; and "));
    let all_monotone = task.bound.iter().all(|bound| bound.criterion.is_monotone());
    let help = match task.limit {
        0 if all_monotone => {
            "loosen the criterion to what can be met; no hierarchy can help here, only suppression ([release] max_suppressed) might"
        }
        _ => "loosen the criterion to what can be met, or allow more suppression ([release] max_suppressed)",
    };
    Ok(error(message).help(help))
}

fn describe(answer: &Answer) -> String {
    let wanted = &answer.requirement;
    let on = if wanted.on.is_empty() { String::new() } else { format!(" on {}", wanted.on.join(", ")) };
    let could = answer.verdict.measured.map_or_else(
        || "no parameter could be met".to_string(),
        |measured| format!("{} could be met", rounded(measured)),
    );
    format!(
        "{}{on} ({}) fails: the table measures {}, so at best {could}",
        wanted.kind.name,
        asked(&wanted.params),
        measured(answer)
    )
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
