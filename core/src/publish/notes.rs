//! What a reader should know that follows from the plan and from what is published alone.

use super::SkewReport;
use crate::criterion::Requirement;
use crate::data::{Center, Column, Role, Schema, Table};
use crate::recode::Form;

/// What follows from the plan.
pub fn standing_notes(schema: &Schema, requirements: &[Requirement], form: Form, is_secure: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if !is_secure {
        notes.push("Not for release: anybody who knows the seed of the random choices can undo them.".into());
    }
    if form == Form::Bucketized {
        notes.push("Quasi-identifiers are published record by record, as exactly as the plan's lowest levels allow: everybody can see whose records are published, and an attacker who knows a person's quasi-identifiers can find the rows that fit. What is hidden is who in a group has which of its sensitive values.".into());
    }
    let sizes: Vec<&str> =
        requirements.iter().filter(|wanted| wanted.on.is_empty()).map(|wanted| wanted.criterion.kind.name).collect();
    if form == Form::Bucketized && !sizes.is_empty() {
        notes.push(format!("{} is about groups here, whose sensitive values are published together: it does not protect against re-identification, since quasi-identifiers are published record by record.", sizes.join(", ")));
    }
    if requirements.iter().any(Requirement::several_records) {
        notes.push("People have several records here. Attacks take every record for a person, so none was made; figures about groups count records. What is promised allows for people without any value: an attacker who knows that everybody in a group has one may believe more. Columns that show which records are one person's must not be published.".into());
    }
    for wanted in requirements.iter().filter(|wanted| leaves_values_out(wanted)) {
        let on = wanted.on.join(", ");
        notes.push(format!("{} protects only those values of \"{on}\" that its points name: a point without `value` would protect the others.", wanted.criterion.kind.name));
    }
    for name in schema.names(Role::Sensitive) {
        if !requirements.iter().any(|wanted| wanted.on.iter().any(|on| on == name)) {
            notes.push(format!(
                "No criterion protects the sensitive column \"{name}\": an attacker who finds a person's group may learn the value."
            ));
        }
    }
    for spec in schema.columns() {
        if let Some(center) = spec.center {
            notes.push(center_note(&spec.name, center));
        }
    }
    notes
}

/// What a missing value means, where there is one.
pub(crate) const MISSING: &str = "A missing value counts as a value of its own.";

/// The same of what is published: that an empty cell is a missing value is all that a release tells.
pub(crate) fn missing_note(published: &Table) -> Option<String> {
    let is_empty = |label: &str| label.is_empty() || label.starts_with("{, ");
    let has_empty = |column: &Column| column.domain().labels().iter().any(is_empty);
    published.columns().iter().any(has_empty).then(|| MISSING.to_string())
}

/// What a mean or a median says, and what it does not.
fn center_note(name: &str, center: Center) -> String {
    let word = center.name();
    let known = match center {
        Center::Mean => " Whoever knows the values of all others in a group can work out the last one.",
        Center::Median => "",
    };
    format!(
        "\"{name}\" is published as the {word} of each group, which does not say between which values the group lies: information kept counts it as nothing, and no register can be compared with it.{known}"
    )
}

/// Whether a requirement has points, and every one names a value.
fn leaves_values_out(wanted: &Requirement) -> bool {
    !wanted.points().is_empty() && wanted.points().iter().all(|point| point.value.is_some())
}

/// Why everybody is in one group, and what helps, if a frequent value is the reason: `left` is the
/// sensitive column once records were withheld.
pub fn coarse_note(skew: &SkewReport, left: &Column) -> Option<String> {
    let most = left.counts().into_iter().max().unwrap_or(0);
    let is_full = u128::from(most) * u128::from(skew.l) * 10 > left.codes().len() as u128 * 9;
    (is_full && left.domain().len() as u64 > skew.l).then(|| format!(
        "Only one group could be formed: in what was left, one value of \"{}\" has nearly one in {}, so hardly any part of it has room for its share. In place of this release, and before it gets out, [skew] l = {} would withhold a little more and make groups easier to form; or try another method (`sfumato list methods`).",
        skew.on,
        skew.l,
        skew.l + 1
    ))
}
