//! Terminal text about a release.

use super::attacks::hits_text;
use super::terminal::{answers_text, counted, criteria_clause, grouped, many, number, percent, table, trimmed};
use crate::attack::Finding;
use crate::data::Weight;
use crate::exact::Fraction;
use crate::publish::{ColumnReport, Publication};
use crate::recode::Form;

/// What `publish` prints: the verdict first, then what it rests on.
pub fn publication_text(publication: &Publication) -> String {
    let mut text = format!("{}\n\nQuasi-identifiers\n", headline(publication));
    if publication.form == Form::Bucketized {
        text += "published record by record, on the plan's lowest levels, with group numbers; sensitive values are in a table of their own\n";
    }
    text += &levels_text(&publication.columns);
    text += &kept_text(publication);
    text += &format!("\nCriteria\n{}", answers_text(&publication.criteria));
    if !publication.attacks.is_empty() {
        text += &format!("\nAttacks\n{}", attacks_text(&publication.attacks));
    }
    // Records that were withheld before are no part of what the method worked on.
    let left = if publication.skew.is_some() { ", of the records left after withholding" } else { "" };
    text += &format!("\nUtility (smaller is better{left})\n{}", utility_text(publication));
    text += &format!("\n{}\n", search_text(publication));
    for note in &publication.notes {
        text += &format!("Note: {note}\n");
    }
    text
}

fn headline(publication: &Publication) -> String {
    let excessive = publication.excessive().count();
    let caveats = publication.caveats();
    let mark = publication.mark();
    let tried = counted(publication.attacks.len() as u64, "attack");
    let attacks = match (excessive, publication.attacks.iter().filter(|finding| finding.limit.is_none()).count()) {
        (0, 0) => "no attack exceeds its limit".to_string(),
        (0, 1) => format!("no attack exceeds its limit; 1 of {tried} has no limit"),
        (0, some) => format!("no attack exceeds its limit; {some} of {tried} have no limit"),
        (1, _) => format!("1 of {tried} exceeds its limit"),
        (some, _) => format!("{some} of {tried} exceed their limits"),
    };
    let failed = publication.criteria.iter().filter(|answer| !answer.verdict.holds).count();
    let criteria = criteria_clause(failed, publication.criteria.len());
    let suppressed = match publication.suppressed {
        0 => String::new(),
        some => format!(", {} suppressed", counted(some as u64, "record")),
    };
    let withheld = publication.skew.as_ref().and_then(|skew| skew.withheld).map_or(String::new(), |withheld| {
        format!(", {} withheld first for a frequent value", counted(withheld, "record"))
    });
    let caveats: String = caveats.iter().map(|caveat| format!(" {caveat}")).collect();
    format!(
        "{mark} {} of {} records in {}{withheld}{suppressed}: {criteria}, {attacks}.{caveats}",
        grouped(publication.published),
        grouped(publication.records),
        counted(publication.groups as u64, "group"),
    )
}

fn levels_text(columns: &[ColumnReport]) -> String {
    let by_level = columns.iter().any(|column| column.level.is_some());
    let header = ["column", "information kept", "level", "of"];
    let mut rows = table(&header[..if by_level { 4 } else { 2 }], &[1, 2, 3]);
    for column in columns {
        let Some(kept) = column.kept else { continue };
        let mut cells = vec![column.name.clone(), percent(kept)];
        cells.extend(column.level.iter().flat_map(|level| [level.level.to_string(), level.height.to_string()]));
        rows.add_row(cells);
    }
    trimmed(&rows.to_string())
}

/// What all quasi-identifiers keep together, and single records.
fn kept_text(publication: &Publication) -> String {
    let kept = publication.information_kept;
    if !publication.columns.iter().any(|column| column.kept.is_some()) {
        return String::new();
    }
    let weights = publication.columns.iter().filter(|column| column.weight != Weight::ONE);
    let weights: Vec<String> = weights.map(|column| format!("{} {}", column.name, column.weight)).collect();
    let weighed = if weights.is_empty() { String::new() } else { format!(" (weights: {})", weights.join(", ")) };
    format!(
        "Overall {}{weighed}; {} of the records keep at least half, the published record that keeps least {}.\n",
        percent(kept.overall),
        percent(kept.at_least_half),
        percent(kept.least)
    )
}

fn attacks_text(findings: &[Finding]) -> String {
    let mut rows =
        table(&["", "attack", "on", "highest belief", "limit", "people affected", "above limit"], &[3, 4, 5, 6]);
    for finding in findings {
        rows.add_row([
            match (finding.above_limit, finding.limit) {
                (0, _) if finding.vulnerable_share().is_some() || finding.broken_claim().is_some() => "!",
                (0, _) if finding.undecided_people().is_some() => "?",
                (0, None) => "–",
                // A limit of certainty limits nothing.
                (0, Some(limit)) if limit.allows(Fraction::ONE) => "–",
                (0, Some(_)) => "✓",
                _ => "✗",
            }
            .to_string(),
            finding.title(),
            finding.on.clone().unwrap_or_default(),
            belief_text(finding),
            finding.limit.map_or_else(|| "none".to_string(), |limit| percent(limit.belief.to_f64())),
            grouped(finding.people as usize),
            grouped(finding.above_limit as usize),
        ]);
    }
    let mut text = trimmed(&rows.to_string());
    for finding in findings {
        let on = finding.on.as_ref().map_or(String::new(), |on| format!(" on {on}"));
        text += &hits_text(finding).map_or(String::new(), |hits| format!("\n{}{on}\n  {hits}\n", finding.title()));
    }
    text
}

/// The highest belief, and what it is.
fn belief_text(finding: &Finding) -> String {
    let word = match () {
        () if finding.is_claim => "claims ",
        () if finding.is_lower_bound => "≥ ",
        () => "",
    };
    format!("{word}{}", percent(finding.highest.to_f64()))
}

fn utility_text(publication: &Publication) -> String {
    let mut rows = table(&["metric", "value"], &[1]);
    for (name, value) in &publication.utility {
        rows.add_row([name.to_string(), number(*value)]);
    }
    let mut text = trimmed(&rows.to_string());
    if let Some(found) = &publication.classification {
        text += &format!(
            "A classifier that learns from the release predicts {} for {} of the original's records, one that learns from the original for {}; always the most frequent value is right for {}. Differences below {} may be chance.\n",
            found.target,
            percent(found.after),
            percent(found.before),
            percent(found.baseline),
            percent(found.margin),
        );
        text += &found.explained().map_or(String::new(), |why| format!("{why}\n"));
    }
    text
}

fn search_text(publication: &Publication) -> String {
    let choice = publication.method.choice().map_or(String::new(), |choice| format!("\n{choice}"));
    method_text(publication) + &choice
}

fn method_text(publication: &Publication) -> String {
    let method = &publication.method;
    let (Some(chosen), Some(search)) = (&method.chosen, &method.search) else { return grouping_text(publication) };
    let minimal = match search.minimal.len() {
        0 => String::new(),
        some => format!(", {} of them minimal", grouped(some)),
    };
    let end = match search.exhaustive {
        true => String::new(),
        false => format!(
            " Not every transformation was decided: a better one may exist, but none has {} below {}.",
            chosen.metric,
            number(search.bound)
        ),
    };
    format!(
        "{} chose by {} = {} among {} transformations (choices of levels); {} were looked at, {} are known to be safe{minimal}.{end}",
        publication.method.name,
        chosen.metric,
        number(search.value),
        many(search.nodes),
        grouped(search.checked as usize),
        grouped(search.safe as usize),
    )
}

fn grouping_text(publication: &Publication) -> String {
    let method = &publication.method;
    let withheld = match publication.suppressed {
        0 if publication.skew.is_some() => "no further record had to be withheld".to_string(),
        0 => "no record had to be withheld".to_string(),
        1 => "1 record could not be grouped safely and is withheld".to_string(),
        some => format!("{} records could not be grouped safely and are withheld", grouped(some)),
    };
    let average = publication.published as f64 / publication.groups.max(1) as f64;
    format!("{} ({}) formed groups of {average:.1} records on average; {withheld}.", method.name, method.class.name())
}
