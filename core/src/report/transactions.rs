//! Reports on transactions: JSON documents and terminal text.

use super::terminal::{counted, criteria_clause, grouped, number, percent, table, trimmed, verdict_line};
use crate::certificate::sets::{
    AttackDeclared, CriterionDeclared, Declared, Figures, FindingFigures, RuleFigures, VerdictFigures,
};
use crate::certificate::table::whole_or_real;
use crate::certificate::{MemberDeclared, join, settings};
use crate::inspect::TransactionProfile;
use crate::kind::Params;
use crate::publish::transactions::{Answer, Finding, Measured, NamedRule, ObservedSets, Publication, worst_rule};
use serde_json::{Value, json};

/// What an attack found in a release.
pub fn finding_json(finding: &Finding) -> Value {
    join(&AttackDeclared::from(MemberDeclared::from(&finding.attack)), &FindingFigures::from(finding))
}

/// One criterion with its verdict, and how many rules were looked at.
fn answer_json(answer: &Answer) -> Value {
    let verdict = VerdictFigures { looked_at: Some(answer.looked_at), ..answer.into() };
    join(&CriterionDeclared::from(MemberDeclared::from(&answer.wanted)), &verdict)
}

/// Everything that is known about a release, for the custodian: not for release.
pub fn internal_json(publication: &Publication) -> Value {
    let mut document = join(&Declared::from(publication), &Figures::from(publication));
    document["not_for_release"] = json!(true);
    if let Some(original) = &publication.original {
        let value = |value: f64| if value.is_finite() { whole_or_real(value) } else { None };
        let metric =
            |one: &Measured| json!({ "metric": one.name, "params": settings(&one.params), "value": value(one.value) });
        document["original"] = json!({
            "items": original.items,
            "occurrences": original.occurrences,
            "deleted": original.deleted,
            "deleted_share": original.deleted_share(),
            "merged": original.merged,
            "sensitive_kinds": original.sensitive_kinds,
            "attacks": original.attacks.iter().map(finding_json).collect::<Vec<_>>(),
            "utility": original.utility.iter().map(metric).collect::<Vec<_>>(),
            "notes": original.notes,
        });
    }
    document
}

/// The document of `check --json`.
pub fn check_json(seen: &ObservedSets, answers: &[Answer]) -> Value {
    json!({
        "records": seen.records(),
        "items": seen.kinds(),
        "occurrences": seen.occurrences(),
        "sensitive": seen.sensitive_kinds(),
        "holds": answers.iter().all(|answer| answer.holds),
        "criteria": answers.iter().map(answer_json).collect::<Vec<_>>(),
        "worst_rule": worst_rule(answers).map(RuleFigures::from),
    })
}

/// What `check` prints.
pub fn check_text(seen: &ObservedSets, answers: &[Answer]) -> String {
    let sensitive = seen.sensitive_kinds();
    let text = format!(
        "{} with {}, of {} of which {} {} sensitive\n\n{}",
        counted(seen.records(), "record"),
        counted(seen.occurrences(), "item"),
        counted(seen.kinds(), "kind"),
        grouped(sensitive as usize),
        if sensitive == 1 { "is" } else { "are" },
        answers_text(answers)
    );
    let failed = answers.iter().filter(|answer| !answer.holds).count();
    text + &verdict_line(failed, answers.len())
}

fn answers_text(answers: &[Answer]) -> String {
    let mut rows = table(&["", "criterion", "asked", "highest confidence", "rules looked at"], &[3, 4]);
    for answer in answers {
        rows.add_row([
            if answer.holds { "✓" } else { "✗" }.to_string(),
            answer.wanted.kind.name.to_string(),
            asked(&answer.wanted.params),
            answer.worst.as_ref().map_or("–".into(), |rule| percent(rule.confidence().to_f64())),
            grouped(answer.looked_at as usize),
        ]);
    }
    let mut text = trimmed(&rows.to_string());
    let whole = answers.iter().all(|answer| answer.is_exhaustive);
    text += &match worst_rule(answers) {
        None => "\nNo rule leads to a sensitive item.\n".to_string(),
        Some(rule) if whole => format!("\nThe most confident rule: {}\n", rule_text(rule)),
        Some(rule) => format!(
            "\nA confident rule (not all rules were looked at: a more confident one may exist): {}\n",
            rule_text(rule)
        ),
    };
    text
}

fn asked(params: &Params) -> String {
    let written = params.iter().map(|(name, setting)| (name, setting.to_string()));
    let set: Vec<String> =
        written.filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("{name} = {text}")).collect();
    set.join(", ")
}

/// milk, bread → beer: 2 of 3 (66.7 %)
fn rule_text(rule: &NamedRule) -> String {
    let (support, of) = (grouped(rule.support as usize), grouped(rule.of as usize));
    let share = percent(rule.confidence().to_f64());
    match rule.antecedent.is_empty() {
        true => format!(
            "{}: {support} of {of} records whose sensitive items are published together ({share})",
            quoted(&rule.consequent)
        ),
        false => format!("{} → {}: {support} of {of} ({share})", listed(&rule.antecedent), quoted(&rule.consequent)),
    }
}

/// A name, in quotes where it could be taken for several.
fn quoted(name: &str) -> String {
    if name.contains([',', ' ']) { format!("\"{name}\"") } else { name.to_string() }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

/// What `publish` prints: the verdict first, then what it rests on.
pub fn publication_text(publication: &Publication) -> String {
    let mut text = format!("{}\n\nCriteria\n{}", headline(publication), answers_text(&publication.criteria));
    if !publication.attacks.is_empty() {
        text += &format!(
            "\nAttacks (what was found in the original is not for release)\n{}",
            before_and_after(publication)
        );
    }
    let utility = publication.original.as_ref().map_or(&[][..], |original| &original.utility);
    if !utility.is_empty() {
        let mut rows = table(&["metric", "value"], &[1]);
        for measured in utility {
            rows.add_row([measured.name.clone(), number(measured.value)]);
        }
        text += &format!("\nUtility\n{}", trimmed(&rows.to_string()));
    }
    let of_original = publication.original.iter().flat_map(|original| &original.notes);
    for note in publication.notes.iter().chain(of_original) {
        text += &format!("\nNote: {note}\n");
    }
    text
}

fn headline(publication: &Publication) -> String {
    let criteria = criteria_clause(0, publication.criteria.len());
    let excessive = publication.attacks.iter().filter(|found| found.is_excessive()).count();
    let mark = publication.mark();
    let attacks = match excessive {
        0 => "no attack exceeds its limit".to_string(),
        1 => "1 attack exceeds its limit".to_string(),
        some => format!("{some} attacks exceed their limits"),
    };
    let published = grouped(publication.published_occurrences as usize);
    let items = publication.original.as_ref().map_or(format!("{published} items"), |original| {
        let merged = match original.merged {
            0 => String::new(),
            some => format!(" and {} merged with coarser ones", grouped(some as usize)),
        };
        let (all, deleted) = (counted(original.occurrences, "item"), grouped(original.deleted as usize));
        format!("{published} of {all}, {deleted} deleted ({}){merged}", percent(original.deleted_share()))
    });
    let (records, method) = (counted(publication.records, "record"), publication.method.kind.name);
    let caveats: String = publication.caveats().iter().map(|caveat| format!(" {caveat}")).collect();
    format!("{mark} {records} with {items} by {method}: {criteria}, {attacks}.{caveats}")
}

fn before_and_after(publication: &Publication) -> String {
    let count = |count: Option<u64>| count.map_or("too many to count".to_string(), |count| grouped(count as usize));
    let header = ["", "attack", "rules above the limit before", "after", "people affected before", "after"];
    let mut rows = table(&header, &[2, 3, 4, 5]);
    let before = publication.original.as_ref().map_or(&[][..], |original| &original.attacks);
    for (at, after) in publication.attacks.iter().enumerate() {
        let before = before.get(at);
        rows.add_row([
            if after.is_excessive() { "✗" } else { "✓" }.to_string(),
            after.attack.kind.name.to_string(),
            before.map_or("–".into(), |before| count(before.above)),
            count(after.above),
            before.map_or("–".into(), |before| grouped(before.people as usize)),
            grouped(after.people as usize),
        ]);
    }
    trimmed(&rows.to_string())
}

/// What `attack` prints: the rules that somebody would infer.
pub fn attacks_text(findings: &[Finding]) -> String {
    findings.iter().map(finding_text).collect::<Vec<_>>().join("\n")
}

fn finding_text(finding: &Finding) -> String {
    let name = finding.attack.kind.name;
    let above = match (finding.above, finding.people) {
        (Some(0), 0) => "✓ No rule is more confident than the criteria allow.".to_string(),
        (Some(above), people) => format!(
            "✗ {} more confident than the criteria allow; they disclose a sensitive item of {}.",
            if above == 1 { "1 rule is".to_string() } else { format!("{} rules are", grouped(above as usize)) },
            counted(people, "record")
        ),
        (None, people) => {
            format!(
                "✗ More rules than can be counted are more confident than the criteria allow; they disclose a sensitive item of at least {}. The search was cut short: there may be worse rules than those listed (`--set min_support=…` looks at fewer).",
                counted(people, "record")
            )
        }
    };
    let mut rows = table(&["confidence", "support", "of", "records with", "also have"], &[0, 1, 2]);
    for rule in &finding.rules {
        rows.add_row([
            percent(rule.confidence().to_f64()),
            grouped(rule.support as usize),
            grouped(rule.of as usize),
            if rule.antecedent.is_empty() { "(the group)".to_string() } else { listed(&rule.antecedent) },
            quoted(&rule.consequent),
        ]);
    }
    let rules = match finding.rules.is_empty() {
        true => "No rule leads to a sensitive item.\n".to_string(),
        false => trimmed(&rows.to_string()),
    };
    let settings = asked(&finding.attack.params);
    let settings = if settings.is_empty() { settings } else { format!(" ({settings})") };
    format!("{name}{settings}\n{above}\n{rules}")
}

/// The document of `inspect --json`.
pub fn profile_json(profile: &TransactionProfile) -> Value {
    json!({
        "kind": "transactions",
        "records": profile.records,
        "items": profile.items,
        "occurrences": profile.occurrences,
        "empty": profile.empty,
        "repeated": profile.repeated,
        "lengths": { "median": profile.median_length, "longest": profile.longest },
        "top_shares": profile.top_shares,
        "items_of_one_record": profile.alone,
        "unique_share": profile.unique_share,
    })
}

/// What `inspect` prints. No item is named.
pub fn profile_text(profile: &TransactionProfile) -> String {
    let shares: Vec<String> = profile.top_shares.iter().map(|share| percent(*share)).collect();
    format!(
        "{} with {} of {}\n\n\
         Items in a record: {} in the median, {} at most; {} without any\n\
         Most frequent items are in: {} of the records\n\
         Items that only one record has: {}\n\
         Unique records (no other has the same items): {}\n\
         {}\nWhich items are sensitive is for you to say: `sfumato init` drafts a plan.\n",
        counted(profile.records, "record"),
        counted(profile.occurrences, "item"),
        counted(profile.items, "kind"),
        grouped(profile.median_length as usize),
        grouped(profile.longest as usize),
        counted(profile.empty, "record"),
        if shares.is_empty() { "none".to_string() } else { shares.join(", ") },
        grouped(profile.alone as usize),
        percent(profile.unique_share),
        match profile.repeated {
            0 => String::new(),
            some => format!("{} occur twice in a record and count once\n", counted(some, "item")),
        },
    )
}
