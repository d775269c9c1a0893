//! Terminal text about releases: one, and several side by side.

use super::terminal::{answers_text, counted, grouped, number, percent, table, trimmed};
use super::transactions;
use crate::attack::Finding;
use crate::certificate::Certificate;
use crate::certificate::table::{BeliefWord, Declared, Figures};
use crate::error::Result;
use crate::publish::{ColumnReport, Publication};
use crate::recode::Form;

/// What `publish` prints: the verdict first, then what it rests on.
pub fn publication_text(publication: &Publication) -> String {
    let mut text = format!("{}\n\nQuasi-identifiers\n", headline(publication));
    if publication.form == Form::Bucketized {
        text += "as they are, with group numbers; sensitive values apart from them\n";
    }
    text += &levels_text(&publication.columns);
    text += &format!("\nCriteria\n{}", answers_text(&publication.criteria));
    if !publication.attacks.is_empty() {
        text += &format!("\nAttacks\n{}", attacks_text(&publication.attacks));
    }
    text += &format!("\nUtility (smaller is better)\n{}", utility_text(publication));
    text += &format!("\n{}\n", search_text(publication));
    for note in &publication.notes {
        text += &format!("Note: {note}\n");
    }
    text
}

fn headline(publication: &Publication) -> String {
    let excessive = publication.excessive().count();
    let caveats = publication.caveats();
    let mark = match excessive {
        0 if caveats.is_empty() => "✓",
        0 => "!",
        _ => "✗",
    };
    let tried = counted(publication.attacks.len() as u64, "attack");
    let attacks = match (excessive, publication.attacks.iter().filter(|finding| finding.limit.is_none()).count()) {
        (0, 0) => "no attack exceeds its limit".to_string(),
        (0, 1) => format!("no attack exceeds its limit; 1 of {tried} has no limit"),
        (0, some) => format!("no attack exceeds its limit; {some} of {tried} have no limit"),
        (1, _) => format!("1 of {tried} exceeds its limit"),
        (some, _) => format!("{some} of {tried} exceed their limits"),
    };
    let criteria = match publication.criteria.len() {
        1 => "the criterion holds".to_string(),
        2 => "both criteria hold".to_string(),
        several => format!("all {several} criteria hold"),
    };
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

fn attacks_text(findings: &[Finding]) -> String {
    let mut rows =
        table(&["", "attack", "on", "highest belief", "limit", "people affected", "above limit"], &[3, 4, 5, 6]);
    for finding in findings {
        rows.add_row([
            match (finding.above_limit, finding.limit) {
                (0, _) if finding.vulnerable_share().is_some() || finding.broken_claim().is_some() => "!",
                (0, _) if finding.undecided_people().is_some() => "?",
                (0, None) => "–",
                (0, Some(_)) => "✓",
                _ => "✗",
            }
            .to_string(),
            finding.title(),
            finding.on.clone().unwrap_or_default(),
            format!("{}{}", if finding.is_lower_bound { "≥ " } else { "" }, number(finding.highest.to_f64())),
            finding.limit.map_or_else(|| "none".to_string(), |limit| number(limit.belief.to_f64())),
            grouped(finding.people as usize),
            grouped(finding.above_limit as usize),
        ]);
    }
    trimmed(&rows.to_string())
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
    let method = &publication.method;
    let (Some(chosen), Some(search)) = (&method.chosen, &method.search) else { return grouping_text(publication) };
    let minimal = match search.minimal.len() {
        0 => String::new(),
        some => format!(", {} of them minimal", grouped(some)),
    };
    let end = if search.exhaustive { "" } else { " The search was bounded: a better choice of levels may exist." };
    format!(
        "{} chose by {} = {} among {} choices of levels; {} were looked at, {} are known to be safe{minimal}.{end}",
        publication.method.name,
        chosen.metric,
        number(search.value),
        grouped(search.nodes as usize),
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

/// What `compare` prints: certificates side by side, one column each. All must be about one kind of
/// data.
pub fn compare_text(releases: &[(String, Certificate)]) -> Result<String> {
    let names: Vec<&str> = releases.iter().map(|(name, _)| name.as_str()).collect();
    if releases.iter().any(|(_, certificate)| certificate.is_sets()) {
        let parts = releases.iter().map(|(_, certificate)| Ok((certificate.part()?, certificate.part()?)));
        return Ok(transactions::compare_text(&names, &parts.collect::<Result<Vec<_>>>()?));
    }
    let parts = releases.iter().map(|(_, certificate)| Ok(Column::of(certificate.part()?, certificate.part()?)));
    let columns: Vec<Column> = parts.collect::<Result<_>>()?;
    let header: Vec<&str> = [""].into_iter().chain(names).collect();
    let mut rows = table(&header, &(1..=releases.len()).collect::<Vec<_>>());
    for (_, label) in labels(&columns) {
        let cells = columns.iter().map(|column| column.cell(&label));
        rows.add_row([label.clone()].into_iter().chain(cells).collect::<Vec<_>>());
    }
    Ok(trimmed(&rows.to_string()))
}

/// What is compared of a release: parts, each with labels and what stands beside them.
struct Column(Vec<(usize, String, String)>);

impl Column {
    fn of(declared: Declared, figures: Figures) -> Column {
        let mut column = Column(Vec::new());
        let count = |count: u64| grouped(count as usize);
        let measured = |value: Option<f64>| value.map_or("–".into(), number);
        column.add("records", count(declared.records));
        if let Some(skew) = declared.skew {
            column.add("withheld first", skew.withheld.map_or("–".into(), count));
            column.add("withheld by", skew.method);
        }
        column.next();
        column.add("published", count(figures.published));
        column.add("suppressed", count(declared.suppressed));
        column.add("groups", count(figures.groups));
        column.next();
        for (name, kept) in &figures.information_kept.columns.0 {
            column.add(&format!("information kept: {name}"), percent(*kept));
        }
        column.next();
        let overall = percent(figures.information_kept.overall);
        column.add("information kept: overall all quasi-identifiers", overall);
        for (name, level) in figures.method.levels.iter().flat_map(|levels| &levels.0) {
            column.add(&format!("level: {name}"), count(*level as u64));
        }
        column.next();
        for (wanted, found) in declared.criteria.iter().zip(&figures.criteria) {
            let on = if let [on] = wanted.columns() { format!(" {on}") } else { String::new() };
            column.add(&format!("criterion: {}{on}", wanted.criterion), measured(found.measured));
        }
        column.next();
        for found in &figures.attacks {
            let on = found.on.as_ref().map_or(String::new(), |on| format!(" {on}"));
            let bound = if found.highest_belief_is == BeliefWord::Exact { "" } else { "≥ " };
            column.add(&format!("belief: {}{on}", found.attack), format!("{bound}{}", number(found.highest_belief)));
        }
        column.next();
        for (name, value) in &figures.utility.0 {
            let shown = value.as_ref().map(|value| value.as_u64().map_or_else(|| measured(value.as_f64()), count));
            column.add(&format!("utility: {name}"), shown.unwrap_or("–".into()));
        }
        column
    }

    /// Ends a part.
    fn next(&mut self) {
        let part = self.0.last().map_or(0, |last| last.0);
        self.0.push((part + 1, String::new(), String::new()));
    }

    /// Adds a line; the same one again, with other parameters, gets a number.
    fn add(&mut self, label: &str, text: String) {
        let part = self.0.last().map_or(0, |last| last.0);
        let is_like = |known: &&(usize, String, String)| known.1 == label || known.1.starts_with(&format!("{label} ("));
        let before = self.0.iter().filter(is_like).count();
        let label = if before == 0 { label.to_string() } else { format!("{label} ({})", before + 1) };
        self.0.push((part, label, text));
    }

    fn cell(&self, label: &str) -> String {
        self.0.iter().find(|(_, known, _)| known == label).map_or("–".into(), |(_, _, text)| text.clone())
    }
}

/// The labels of all releases: part by part, each once.
fn labels(columns: &[Column]) -> Vec<(usize, String)> {
    let mut labels: Vec<(usize, String)> = Vec::new();
    for (part, label, _) in columns.iter().flat_map(|column| &column.0).filter(|line| !line.1.is_empty()) {
        if !labels.iter().any(|(_, known)| known == label) {
            labels.push((*part, label.clone()));
        }
    }
    labels.sort_by_key(|(part, _)| *part);
    labels
}
