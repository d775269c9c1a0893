//! What a data protection officer asks first: what is it, who could be re-identified, what could be
//! learned about a person, and what was lost.

use super::disclosure::Guard;
use super::evidence::{highest_words, limit_words};
use super::words::{capital, counted, grouped, listed, percent};
use crate::attack::{Finding, Reidentification};
use crate::data::{Role, Weight};
use crate::plan::Heading;
use crate::publish::{Distribution, Publication};
use crate::recode::Form;
use maud::{Markup, html};

/// The title of a report whose plan has none.
const TITLE: &str = "Release report";

/// What a report is called.
pub(super) fn title(heading: &Heading) -> &str {
    heading.title.as_deref().unwrap_or(TITLE)
}

/// What the release is, and of which day.
pub(super) fn head(heading: &Heading) -> Markup {
    let kind = heading.title.as_ref().map(|_| TITLE.to_string());
    let below: Vec<String> = kind.into_iter().chain(heading.date.clone()).collect();
    html! {
        h1 { bdi { (title(heading)) } }
        @if !below.is_empty() { p.lead { (below.join(" · ")) } }
    }
}

/// A question with its answer, and the figures that it rests on.
pub(super) struct Question {
    pub asks: &'static str,
    pub answer: String,
    pub figures: Vec<Figure>,
}

/// A figure with its name and what it means.
pub(super) struct Figure {
    name: String,
    value: String,
    means: String,
}

impl Figure {
    pub fn new(name: impl Into<String>, value: impl Into<String>, means: impl Into<String>) -> Figure {
        Figure { name: name.into(), value: value.into(), means: means.into() }
    }
}

/// Questions with their answers.
pub(super) fn answered(questions: &[Question]) -> Markup {
    html! {
        @for question in questions {
            section.question {
                h2 { (question.asks) }
                p.lead { (question.answer) }
                (numbers(&question.figures))
            }
        }
    }
}

/// Figures side by side.
pub(super) fn numbers(figures: &[Figure]) -> Markup {
    html! {
        dl.numbers {
            @for figure in figures {
                div { dt { bdi { (figure.name) } } dd.big { (figure.value) } dd.what { (figure.means) } }
            }
        }
    }
}

/// The questions about a table.
pub(super) fn about_table(publication: &Publication, guard: &Guard) -> [Question; 3] {
    [reidentified(publication, guard), learned(publication, guard), lost(publication)]
}

fn reidentified(publication: &Publication, guard: &Guard) -> Question {
    let several = publication.criteria.iter().any(|answer| answer.requirement.several_records());
    let answer = match (publication.risk, publication.form) {
        (None, _) if several => {
            "Some people have several records. Equivalence classes count records, so no chance to find a person is stated.".to_string()
        }
        (None, _) => "Nobody: no record is published.".to_string(),
        (Some(_), Form::Generalized) => format!(
            "The published records form {} (equivalence classes: records with the same quasi-identifiers). The attackers below know every quasi-identifier of a person.",
            counted(publication.groups as u64, "group")
        ),
        (Some(risk), Form::Bucketized) => format!(
            "Quasi-identifiers are published record by record. Records with the same ones form an equivalence class; there are {}. Groups hide which sensitive value belongs to whom, not whose record it is.",
            grouped(risk.classes)
        ),
    };
    Question { asks: REIDENTIFIED, answer, figures: publication.risk.map_or_else(Vec::new, |risk| risks(risk, guard)) }
}

pub(super) const REIDENTIFIED: &str = "Who could be re-identified?";
pub(super) const LEARNED: &str = "What could be learned about a person?";
pub(super) const LOST: &str = "What was lost?";

/// The risks by the three attackers of the literature.
pub(super) fn risks(risk: Reidentification, guard: &Guard) -> Vec<Figure> {
    let highest = percent(risk.prosecutor());
    let smallest = match guard.hides(risk.smallest) {
        true => "the smallest class".to_string(),
        false => format!("the smallest class, of {}", counted(risk.smallest, "record")),
    };
    let mut figures = vec![
        Figure::new(
            "Prosecutor risk",
            &highest,
            format!(
                "The attacker knows that the person is in the release. Highest in {smallest}; {} on average.",
                percent(risk.marketer())
            ),
        ),
        Figure::new(
            "Journalist risk",
            format!("at most {highest}"),
            "The attacker knows only that the person is in a larger population. Without a population table, the prosecutor risk bounds it.",
        ),
        Figure::new(
            "Marketer risk",
            percent(risk.marketer()),
            "The share of records that an attacker who links all of them is expected to link to the right person.",
        ),
    ];
    if risk.unique > 0 {
        let share = percent(risk.unique as f64 / risk.records as f64);
        let (value, means) = match guard.hides(risk.unique) || guard.hides(risk.records - risk.unique) {
            true => (guard.of_published(risk.unique), String::new()),
            false => (grouped(risk.unique), format!("{share} of the records. ")),
        };
        figures.push(Figure::new("Unique records", value, format!("{means}No other record looks like them.")));
    }
    figures
}

fn learned(publication: &Publication, guard: &Guard) -> Question {
    let columns = publication.columns.iter().filter(|column| column.role == Role::Sensitive);
    let columns: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
    let figures: Vec<Figure> = columns.iter().filter_map(|name| belief(name, publication, guard)).collect();
    let unknown = columns.len() - figures.len();
    let answer = match (columns.len(), unknown) {
        (0, _) => "No column is declared sensitive, so nothing limits what can be learned once a person's group is known.".to_string(),
        (all, unknown) if all == unknown => format!(
            "No attack on {} can be repeated with the release alone, so no posterior belief is stated here.",
            listed(&columns)
        ),
        _ => "For each sensitive column the highest posterior belief about any person (attribute disclosure) that the attacks listed below reached. 100 % is certainty.".to_string(),
    };
    let answer = match publication.undisclosed.is_empty() || columns.is_empty() {
        true => answer,
        false => format!(
            "{answer} Attacks whose findings need more than the release are not counted: {}.",
            listed(&publication.undisclosed)
        ),
    };
    Question { asks: LEARNED, answer, figures }
}

/// The highest belief about a sensitive column.
fn belief(column: &str, publication: &Publication, guard: &Guard) -> Option<Figure> {
    // A claim that may be wrong is no posterior belief.
    let is_belief = |finding: &Finding| finding.claimed_belief().is_none() && !finding.is_claim;
    let is_about = |finding: &&Finding| finding.on.as_deref() == Some(column) && is_belief(finding);
    let findings: Vec<&Finding> = publication.attacks.iter().filter(is_about).collect();
    let worst = *findings.iter().max_by_key(|finding| (finding.highest, finding.is_lower_bound))?;
    let limit = match worst.limit {
        Some(limit) => format!("allowed is {}", limit_words(limit)),
        None => "no limit is set for it".to_string(),
    };
    let mut means = format!("Reached by the {} attack; {limit}.", worst.attack);
    let inconclusive = findings.iter().find(|finding| finding.is_lower_bound);
    if let Some(finding) = inconclusive.filter(|finding| finding.attack != worst.attack || !worst.is_lower_bound) {
        means += &format!(" The {} attack is inconclusive for some people, so it may be more.", finding.attack);
    }
    let distribution = publication.sensitive.iter().find(|distribution| distribution.column == column);
    if let Some(share) = distribution.and_then(most_frequent) {
        means += &format!(" The most frequent value has {} of the published records.", guard.share(share));
    }
    // What some attack leaves open, or is not stated, may be more than every figure at hand.
    let is_least = inconclusive.is_some() || !publication.undisclosed.is_empty();
    let value = if is_least { format!("at least {}", percent(worst.highest.to_f64())) } else { highest_words(worst) };
    Some(Figure::new(column, value, means))
}

/// The published share of the most frequent value.
fn most_frequent(distribution: &Distribution) -> Option<f64> {
    let most = *distribution.after.iter().max()?;
    Some(most as f64 / distribution.after.iter().sum::<u64>().max(1) as f64)
}

fn lost(publication: &Publication) -> Question {
    let (records, published) = (publication.records as u64, publication.published as u64);
    let share = |count: u64| percent(count as f64 / records.max(1) as f64);
    let mut figures = vec![Figure::new(
        "Records published",
        grouped(published),
        format!("{} of the {} of the table.", share(published), counted(records, "record")),
    )];
    if let Some(withheld) = publication.skew.as_ref().and_then(|skew| skew.withheld) {
        let means = format!("{} of the records. One value was too frequent to be hidden.", share(withheld));
        figures.push(Figure::new("Withheld first", grouped(withheld), means));
    }
    let is_split = publication.skew.as_ref().is_none_or(|skew| skew.withheld.is_some());
    let name = if is_split { "Suppressed" } else { "Withheld or suppressed" };
    let suppressed = publication.suppressed as u64;
    figures.push(Figure::new(name, grouped(suppressed), suppressed_words(publication, &share(suppressed))));
    if publication.columns.iter().any(|column| column.kept.is_some()) {
        let kept = publication.information_kept;
        let weighed = publication.columns.iter().any(|column| column.weight != Weight::ONE);
        let average = if weighed { "average by their weights" } else { "average over these columns" };
        let means = match kept.overall < 1.0 {
            true => format!(
                "Of the detail of quasi-identifiers, on {average}. Generalization and suppression took the rest. {} of the records keep at least half of theirs; the published record that keeps least keeps {}.",
                percent(kept.at_least_half),
                percent(kept.least)
            ),
            false => "Quasi-identifiers are published record by record, as exactly as the plan permits.".to_string(),
        };
        figures.push(Figure::new("Information kept", percent(kept.overall), means));
    }
    let answer = match publication.form {
        Form::Generalized => "Records that were suppressed, and detail of quasi-identifiers that was generalized.",
        Form::Bucketized => {
            "Records that were suppressed, and which record of a group has which of its sensitive values."
        }
    };
    Question { asks: LOST, answer: answer.to_string(), figures }
}

/// What became of suppressed records.
pub(super) fn suppressed_words(publication: &Publication, share: &str) -> String {
    match (publication.suppressed, publication.starred) {
        (0, _) if publication.skew.is_some() => "No further record had to be suppressed.".into(),
        (0, _) => "No record had to be suppressed.".into(),
        (_, true) => format!("{share} of the records are published with * in every column."),
        (_, false) => format!("{share} of the records are left out; only their number is stated."),
    }
}

/// The verdict in one sentence, with what a reader must know before relying on it.
pub(super) fn verdict(mark: char, sentence: &str, caveats: &[String]) -> Markup {
    html! {
        p.verdict.bad[mark == '✗'] {
            span.sign aria-hidden="true" { (mark) " " }
            (capital(sentence))
            @for caveat in caveats { " " (caveat) }
        }
    }
}
