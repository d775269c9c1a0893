//! Text for people at a terminal.

use super::{Family, Listed};
use crate::audit::{Answer, Audit};
use crate::inspect::Profile;
use crate::kind::Setting;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table without lines, to be read and to be cut by other tools.
pub(super) fn table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled).set_header(header);
    for &at in right {
        if let Some(column) = table.column_mut(at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// What `check` prints.
pub fn audit_text(audit: &Audit) -> String {
    let mut text = format!(
        "{} in {} (equivalence classes), {:.1} records each on average\n\n",
        counted(audit.records, "record"),
        counted(audit.groups as u64, "group"),
        audit.records as f64 / audit.groups.max(1) as f64,
    );
    text += &answers_text(&audit.criteria);
    text += &audit.criteria.iter().filter_map(in_the_way).collect::<String>();
    let failed = audit.criteria.iter().filter(|answer| !answer.verdict.holds).count();
    text += &match (failed, audit.criteria.len()) {
        (_, 0) => "\nThe plan requires nothing: add [[require]] sections to it.\n".to_string(),
        (failed, all) => verdict_line(failed, all),
    };
    text
}

/// Whether the criteria hold, as a line of its own.
pub(super) fn verdict_line(failed: usize, all: usize) -> String {
    format!("\n{} {}.\n", if failed == 0 { '✓' } else { '✗' }, capital(&criteria_clause(failed, all)))
}

/// Whether the criteria hold, as a part of a sentence.
pub(super) fn criteria_clause(failed: usize, all: usize) -> String {
    match (failed, all) {
        (_, 0) => "the plan asks for no criterion".to_string(),
        (0, 1) => "the criterion holds".to_string(),
        (0, 2) => "both criteria hold".to_string(),
        (0, all) => format!("all {all} criteria hold"),
        (_, 1) => "the criterion does not hold".to_string(),
        (1, all) => format!("1 of {all} criteria does not hold"),
        (failed, all) => format!("{failed} of {all} criteria do not hold"),
    }
}

/// A text that starts a sentence.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// That a value is too frequent for any grouping, if so.
fn in_the_way(answer: &Answer) -> Option<String> {
    let found = answer.eligibility?;
    Some(format!(
        "\nNo grouping of these records can satisfy {} on {}: one value has {} of them, where at most one in {} ({}) is possible. `sfumato inspect --plan PLAN --eligibility {}` says whether withholding some records first would help, and at what cost.\n",
        answer.requirement.criterion.kind.name,
        answer.requirement.on.join(", "),
        percent(found.too_frequent?.to_f64()),
        found.l,
        percent(1.0 / found.l as f64),
        found.l,
    ))
}

/// Requirements with their verdicts.
pub(super) fn answers_text(answers: &[Answer]) -> String {
    let mut rows = table(&["", "criterion", "on", "asked", "measured", "worst group", "violating"], &[4, 5]);
    for answer in answers {
        rows.add_row(audit_row(answer));
    }
    let mut text = trimmed(&rows.to_string());
    for answer in answers.iter().filter(|answer| answer.verdict.points.len() > 1) {
        text += &points_text(answer);
    }
    text
}

/// The points of a skyline: what may be known, what must not be reached with it, and what is.
fn points_text(answer: &Answer) -> String {
    let mut rows = table(&["", "value", "l", "k", "m", "below", "reached"], &[2, 3, 4, 5, 6]);
    for (point, reached) in answer.points() {
        rows.add_row([
            if reached.holds { "✓" } else { "✗" }.to_string(),
            point.value.clone().unwrap_or_else(|| "(any other)".to_string()),
            point.l.to_string(),
            point.k.to_string(),
            point.m.to_string(),
            point.c.to_string(),
            number(reached.measured),
        ]);
    }
    format!("\n{}, point by point\n{}", answer.requirement.criterion.kind.name, trimmed(&rows.to_string()))
}

fn audit_row(answer: &Answer) -> Vec<String> {
    let (wanted, verdict) = (&answer.requirement, &answer.verdict);
    let asked: Vec<String> = wanted
        .criterion
        .params
        .iter()
        .map(|(name, setting)| match setting {
            Setting::Points(points) if points.len() > 1 => (name, format!("{}, see below", points.len())),
            setting => (name, setting.to_string()),
        })
        .filter(|(_, setting)| !setting.is_empty())
        .map(|(name, setting)| format!("{name} = {setting}"))
        .collect();
    let mut measured = verdict.measured.map_or_else(|| if verdict.holds { "–" } else { "∞" }.to_string(), number);
    for (name, value) in &verdict.also {
        measured += &format!(", {name} {}", number(*value));
    }
    let violating = match verdict.violating.groups {
        0 => String::new(),
        groups => format!("{}, {}", counted(groups, "group"), counted(verdict.violating.records, "record")),
    };
    vec![
        if verdict.holds { "✓" } else { "✗" }.to_string(),
        wanted.criterion.kind.name.to_string(),
        wanted.on.join(", "),
        asked.join(", "),
        measured,
        verdict.worst.map_or_else(String::new, |worst| counted(worst.size, "record")),
        violating,
    ]
}

/// What `inspect` prints.
pub fn profile_text(profile: &Profile) -> String {
    let mut text = format!("{} records, {} columns\n\n", grouped(profile.records), profile.columns.len());
    let header = ["column", "type", "distinct", "missing", "top share", "unique", "suggested role", "because"];
    let mut rows = table(&header, &[2, 3, 4, 5]);
    for column in &profile.columns {
        rows.add_row([
            column.name.clone(),
            match &column.written {
                Some(written) => format!("{} ({written})", column.value_type),
                None => column.value_type.to_string(),
            },
            grouped(column.distinct),
            grouped(column.missing),
            percent(column.top_share),
            percent(column.unique_share),
            column.role.name().to_string(),
            column.reason.clone(),
        ]);
    }
    text += &trimmed(&rows.to_string());
    if !profile.combinations.is_empty() {
        text += "\nMost identifying pairs and triples of columns (share of records that are unique in them):\n\n";
        let mut rows = table(&["unique", "distinct", "columns"], &[0, 1]);
        for found in &profile.combinations {
            rows.add_row([percent(found.unique_share), grouped(found.distinct), found.columns.join(" + ")]);
        }
        text += &trimmed(&rows.to_string());
    }
    for note in &profile.notes {
        text += &format!("\nNote: {note}\n");
    }
    if let Some(sampled) = profile.sampled {
        text += &format!("(counted on a sample of {} records; fewer are unique among all)\n", grouped(sampled));
    }
    text
}

/// What `list` prints.
pub fn list_text(families: &[Family]) -> String {
    families.iter().map(family_text).collect::<Vec<_>>().join("\n")
}

fn family_text(family: &Family) -> String {
    let mut text = format!("{}: {}\n", family.name.to_uppercase(), family.summary);
    for member in &family.members {
        text += &member_text(member);
    }
    text
}

fn member_text(member: &Listed) -> String {
    let mut text = format!("\n  {}\n      {}\n", member.name, member.summary);
    for param in member.params {
        let default = match param.default {
            None => String::new(),
            Some("") => " (may be left out)".to_string(),
            Some(default) => format!(" (default {default})"),
        };
        text += &format!("      {:<11} {}: {}{default}\n", param.name, param.summary, param.shape);
    }
    if !member.example.is_empty() {
        text += &format!("      e.g.        {}\n", member.example);
    }
    if !member.reference.is_empty() {
        text += &format!("      from        {}\n", member.reference);
    }
    text
}

/// The table's lines without blanks at their ends, which copy badly.
pub(super) fn trimmed(table: &str) -> String {
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Four significant digits; large numbers in groups of three.
pub(super) fn number(value: f64) -> String {
    let (sign, size) = (if value < 0.0 { "−" } else { "" }, value.abs());
    match size {
        _ if value.is_nan() => "–".into(),
        _ if value.is_infinite() => format!("{sign}∞"),
        1000.0.. => format!("{sign}{}", grouped(size.round() as usize)),
        ..1e-9 => "0".into(),
        _ => {
            let places = (3 - size.log10().floor() as i32).clamp(0, 12) as usize;
            format!("{sign}{}", short(&format!("{size:.places$}")))
        }
    }
}

/// A decimal without zeros at its end.
pub(super) fn short(decimal: &str) -> &str {
    if decimal.contains('.') { decimal.trim_end_matches('0').trim_end_matches('.') } else { decimal }
}

/// 12.3 %; what is not nothing is not rounded to nothing, nor what is not all to all.
pub(super) fn percent(share: f64) -> String {
    match share {
        _ if !share.is_finite() => "–".into(),
        _ if share > 0.0 && share < 0.0005 => "under 0.1 %".into(),
        _ if (0.9995..1.0).contains(&share) => "over 99.9 %".into(),
        _ => format!("{:.1} %", share * 100.0),
    }
}

/// 1 group, 12,345 groups
pub fn counted(count: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(count as usize), if count == 1 { "" } else { "s" })
}

/// How many candidates a search has: beyond what can be counted, a bound.
pub(super) fn many(count: u64) -> String {
    if count == u64::MAX { "more than 10^19".into() } else { grouped(count as usize) }
}

/// 12,345
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let numbers = [2.8284271247, 30162.0, 0.05, 0.5643901, 123456.7, 5.0, 1e-15, f64::INFINITY].map(number);
        assert_eq!(numbers, ["2.828", "30,162", "0.05", "0.5644", "123,457", "5", "0", "∞"]);
        let shares = [0.1234, 0.0, 0.0001, 0.99999, 1.0].map(percent);
        assert_eq!(shares, ["12.3 %", "0.0 %", "under 0.1 %", "over 99.9 %", "100.0 %"]);
        let clauses =
            [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 3)].map(|(failed, all)| criteria_clause(failed, all));
        let expected = [
            "the criterion holds",
            "both criteria hold",
            "all 3 criteria hold",
            "the criterion does not hold",
            "1 of 2 criteria does not hold",
            "2 of 3 criteria do not hold",
        ];
        assert_eq!(clauses, expected);
        assert_eq!([grouped(7), grouped(1234), grouped(1234567)], ["7", "1,234", "1,234,567"]);
    }
}
