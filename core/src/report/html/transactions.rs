//! The report of a release of transactions.

use super::charts::{self, Axes, Bar, Words, bars, figure};
use super::disclosure::Guard;
use super::evidence::{badge, fact};
use super::lead::{self, Figure, LEARNED, LOST, Question, REIDENTIFIED};
use super::words::{compact, counted, grouped, number, percent, settings, tick};
use super::{Audience, INTERNAL, page};
use crate::kind::Params;
use crate::publish::transactions::{Answer, Finding, NamedRule, OfOriginal, Publication, SensitiveSource, worst_rule};
use crate::report::terminal::criteria_clause;
use maud::{Markup, html};

/// The report of a release of transactions. For [`Audience::External`] it holds nothing of the
/// original.
pub fn transactions_html(publication: &Publication, audience: Audience) -> String {
    let guard = Guard::of_sets(publication.records, audience);
    let internal = audience == Audience::Internal;
    let original = publication.original.as_ref().filter(|_| internal);
    let of_original: &[String] = original.map_or(&[], |original| &original.notes);
    let body = html! {
        header.top {
            (lead::head(&publication.heading))
            (verdict(publication))
        }
        main {
            (lead::answered(&questions(publication, original, &guard)))
            (promised(publication, internal))
            (attacked(publication, original))
            (look(publication, original))
            @if let Some(original) = original { (useful(original)) }
            (done(publication, original))
            h2 { "What is not promised" }
            ul.plain { @for line in publication.not_promised() { li { (line) } } }
            @if !publication.notes.is_empty() || !of_original.is_empty() {
                h2 { "Notes" }
                ul.plain { @for note in publication.notes.iter().chain(of_original) { li { (note) } } }
            }
            (glossary())
        }
        footer {
            @if internal { p { (INTERNAL) ". This report names rules of the original." } }
            @else { p { "Made for everybody: every figure is computed from the published files and the plan, and nothing here depends on what they hide." } }
        }
    };
    page(lead::title(&publication.heading), audience, &body)
}

fn verdict(publication: &Publication) -> Markup {
    let failed = publication.criteria.iter().filter(|answer| !answer.holds).count();
    let excessive = publication.attacks.iter().filter(|found| found.is_excessive()).count();
    let criteria = criteria_clause(failed, publication.criteria.len());
    let attacks = match (excessive, publication.attacks.len()) {
        (_, 0) => "no attack was tried".to_string(),
        (0, _) => "no attack exceeds its limit".to_string(),
        (1, all) => format!("1 of {} exceeds its limit", counted(all as u64, "attack")),
        (some, all) => format!("{some} of {} exceed their limits", counted(all as u64, "attack")),
    };
    if failed > 0 || (excessive > 0 && publication.attacks_refuse) {
        return lead::verdict('✗', &format!("this release must not be published: {criteria}, and {attacks}."), &[]);
    }
    lead::verdict(publication.mark(), &format!("{criteria}, and {attacks}."), &publication.caveats())
}

/// What is asked first.
fn questions(publication: &Publication, original: Option<&OfOriginal>, guard: &Guard) -> [Question; 3] {
    let known = if publication.groups.is_some() {
        "every item of a person that is not sensitive"
    } else {
        "every published item of a person"
    };
    let reidentified = Question {
        asks: REIDENTIFIED,
        answer: format!(
            "The criteria do not limit this risk: they limit what can be learned. The attackers below know {known}; records with the same items form an equivalence class."
        ),
        figures: publication.risk.map_or_else(Vec::new, |risk| lead::risks(risk, guard)),
    };
    let learned = Question {
        asks: LEARNED,
        answer: "An attacker who knows some items of a person infers a sensitive item with the confidence of a rule: the share of the records with those items that also have the sensitive one (attribute disclosure).".into(),
        figures: learned(publication),
    };
    [reidentified, learned, lost(publication, original)]
}

fn learned(publication: &Publication) -> Vec<Figure> {
    let mut figures = Vec::new();
    if let Some(rule) = worst_rule(&publication.criteria) {
        let asked: Vec<String> =
            publication.criteria.iter().flat_map(|answer| settings(&answer.wanted.params)).collect();
        let means = format!(
            "Over every rule about a sensitive item; 100 % is certainty. The plan asks for {}.",
            asked.join(", ")
        );
        let at_least = if publication.criteria.iter().all(|answer| answer.is_exhaustive) { "" } else { "at least " };
        figures.push(Figure::new(
            "Highest confidence",
            format!("{at_least}{}", percent(rule.confidence().to_f64())),
            means,
        ));
    }
    let listed = counted(publication.sensitive_listed, "name");
    let means =
        format!("Kinds of items in the release that nobody must be able to infer; sensitive.txt lists {listed}.");
    figures.push(Figure::new("Sensitive items", grouped(publication.published_sensitive), means));
    if let Some(groups) = publication.groups {
        let means = "Sensitive items are published for groups of records, not for single records.";
        figures.push(Figure::new("Groups", grouped(groups), means));
    }
    figures
}

fn lost(publication: &Publication, original: Option<&OfOriginal>) -> Question {
    let mut figures = vec![
        Figure::new(
            "Records published",
            grouped(publication.records),
            "One record is the set of items of one person. None is left out.",
        ),
        Figure::new(
            "Items published",
            grouped(publication.published_occurrences),
            format!("Of {}, in all records of the release together.", counted(publication.published_items, "kind")),
        ),
    ];
    figures.extend(original.map(|original| {
        let all = counted(original.occurrences, "item");
        let means = format!("{} of the {all} of the original.", percent(original.deleted_share()));
        Figure::new("Items deleted", grouped(original.deleted), means)
    }));
    let answer = match original {
        Some(_) => "Items that were deleted, or replaced by coarser ones.",
        None => {
            "Items may have been deleted, or replaced by coarser ones. How many depends on the original, so the custodian keeps that figure."
        }
    };
    Question { asks: LOST, answer: answer.into(), figures }
}

fn promised(publication: &Publication, internal: bool) -> Markup {
    html! {
        h2 { "What is promised" }
        p.lead { "Each criterion was checked on the finished files, read back as everybody reads them, without relying on how they were made. A rule says how surely a sensitive item follows from items that an attacker knows of a person." }
        @for answer in &publication.criteria { (criterion(answer, internal)) }
    }
}

fn criterion(answer: &Answer, internal: bool) -> Markup {
    html! {
        section.card.bad[!answer.holds] {
            div.card-head { h3 { (answer.wanted.kind.name) } (badge(answer.holds, "holds", "does not hold")) }
            p { (answer.wanted.kind.summary) "." }
            dl.facts {
                (fact("Asked for", &asked(&answer.wanted.params)))
                (fact("Highest confidence", &answer.worst.as_ref().map_or("–".into(), |rule| percent(rule.confidence().to_f64()))))
                @if internal { (fact("Rules looked at", &grouped(answer.looked_at))) }
            }
            @if let Some(rule) = &answer.worst { p { "The most confident rule of the release: " (sentence(rule)) } }
            @else { p { "No rule leads to a sensitive item." } }
            p.lead { "Defined in: " (answer.wanted.kind.reference) "." }
        }
    }
}

fn asked(params: &Params) -> String {
    let asked = settings(params);
    if asked.is_empty() { "–".to_string() } else { asked.join(", ") }
}

/// Of those who have …, so many have ….
fn sentence(rule: &NamedRule) -> Markup {
    html! {
        "of the " (counted(rule.of, "record"))
        @if rule.antecedent.is_empty() { " whose sensitive items are published together," } @else { " with " bdi { (rule.antecedent.join(", ")) } "," }
        " " (grouped(rule.support)) " also have " bdi { (rule.consequent) } " (" (percent(rule.confidence().to_f64())) ")."
    }
}

fn attacked(publication: &Publication, original: Option<&OfOriginal>) -> Markup {
    let before = |at: usize| original.and_then(|original| original.attacks.get(at));
    html! {
        h2 { "What was attacked" }
        @if publication.attacks.is_empty() { p.lead { "No attack was tried." } }
        @for (at, after) in publication.attacks.iter().enumerate() { (attack_card(before(at), after)) }
    }
}

fn attack_card(before: Option<&Finding>, after: &Finding) -> Markup {
    let count = |count: Option<u64>| count.map_or("very many".to_string(), grouped);
    html! {
        section.card.bad[after.is_excessive()] {
            div.card-head { h3 { (after.attack.kind.name) } (badge(!after.is_excessive(), "within the limit", "above the limit")) }
            p { (after.attack.kind.summary) "." }
            dl.facts {
                (fact("Settings", &asked(&after.attack.params)))
                (fact("Rules above the limit", &count(after.above)))
                (fact("People affected", &grouped(after.people)))
                @if let Some(before) = before {
                    (fact("Rules above the limit in the original", &count(before.above)))
                    (fact("People affected in the original", &grouped(before.people)))
                }
            }
            (rules("Most confident rules of the release", &after.rules))
            @if let Some(before) = before { (rules("Most confident rules of the original (internal)", &before.rules)) }
        }
    }
}

fn rules(title: &str, rules: &[NamedRule]) -> Markup {
    let row = |rule: &NamedRule| {
        let known = if rule.antecedent.is_empty() { "(anything)".to_string() } else { rule.antecedent.join(", ") };
        let confidence = percent(rule.confidence().to_f64());
        vec![format!("{known} → {}", rule.consequent), confidence, grouped(rule.support), grouped(rule.of)]
    };
    let rows: Vec<Vec<String>> = rules.iter().map(row).collect();
    html! {
        @if !rows.is_empty() {
            details {
                summary { (title) }
                (charts::table(title, &["Records with → also have", "Confidence", "Records", "Of"], &rows))
            }
        }
    }
}

/// How many records hold how many kinds of items, in the release; beside the original for the
/// custodian.
fn look(publication: &Publication, original: Option<&OfOriginal>) -> Markup {
    let before: &[_] = original.map_or(&[], |original| &original.bands);
    let bands: Vec<(u64, u64, u64, u64)> = (0..publication.bands.len().max(before.len()))
        .filter_map(|at| {
            let (own, was) = (publication.bands.get(at), before.get(at));
            let band = own.or(was)?;
            Some((band.low, band.high, own.map_or(0, |own| own.kinds), was.map_or(0, |was| was.kinds)))
        })
        .collect();
    let range =
        |low: u64, high: u64| if low == high { grouped(low) } else { format!("{}–{}", compact(low), compact(high)) };
    let upright: Vec<Bar> =
        bands.iter().map(|(_, _, kinds, _)| Bar { value: Some(*kinds as f64), label: compact(*kinds) }).collect();
    let edges: Vec<String> = bands.iter().map(|band| tick(band.0)).collect();
    let axes = Axes {
        across: "records that hold an item, from",
        up: "kinds of items",
        number: &|value| tick(value as u64),
        whole: true,
    };
    let (height, drawing) = bars(&upright, &edges, &axes, None);
    let rows = bands.iter().map(|&(low, high, kinds, before)| {
        let mut row = vec![range(low, high), grouped(kinds)];
        row.extend(original.map(|_| grouped(before)));
        row
    });
    let mut header = vec!["Records that hold an item", "Kinds of items in the release"];
    header.extend(original.map(|_| "in the original"));
    let words = Words {
        id: "supports",
        title: "Frequent and rare items of the release".to_string(),
        alternative: format!(
            "{} of items in {}.",
            counted(publication.published_items, "kind"),
            counted(bands.len() as u64, "step")
        ),
        caption: "Each step holds items that up to twice as many records have as those of the step before.".to_string(),
        header,
        rows: rows.collect(),
        legend: html! {},
    };
    html! {
        h2 { "What the release looks like" }
        p.lead {
            (counted(publication.published_items, "kind")) " of items in " (counted(publication.records, "record"))
            @if publication.is_generalized { "; some items were replaced by coarser ones" }
            "."
        }
        @if !bands.is_empty() { (figure(&words, height, &drawing)) }
    }
}

fn useful(original: &OfOriginal) -> Markup {
    let row = |name: &str, value: f64, params: &Params, summary: &str| {
        let value = number(value);
        html! { tr { th scope="row" { (name) } td.number { (value) } td { (asked(params)) } td.wide { (summary) "." } } }
    };
    html! {
        h2 { "Utility" }
        @if original.utility.is_empty() { p.lead { "Nothing was measured." } } @else {
            p.lead { "The release is compared with the original." }
            div.scroll tabindex="0" role="group" aria-label="Table: metrics" { table {
                caption.unseen { "Metrics" }
                thead { tr { th scope="col" { "Metric" } th.number scope="col" { "Value" } th scope="col" { "Settings" } th scope="col" { "What it is" } } }
                tbody { @for one in &original.utility { (row(&one.name, one.value, &one.params, one.summary)) } }
            } }
        }
    }
}

fn done(publication: &Publication, original: Option<&OfOriginal>) -> Markup {
    let sensitive = match &publication.sensitive {
        SensitiveSource::File(_) => "from a file".to_string(),
        SensitiveSource::Items => "listed in the plan".to_string(),
        SensitiveSource::Share { written, seed } => {
            format!("a share of {written} of all kinds of items, drawn with seed {seed}")
        }
    };
    html! {
        h2 { "What was done" }
        p { strong { (publication.method.kind.name) } ": " (publication.method.kind.summary) "." }
        dl.facts {
            (fact("Settings", &asked(&publication.method.params)))
            @if let Some(original) = original {
                (fact("Deleted", &format!("{} of {} items", grouped(original.deleted), grouped(original.occurrences))))
                @if original.merged > 0 { (fact("Merged with another one of the record", &grouped(original.merged))) }
            }
            (fact("Order of lines", if publication.keeps_order { "as in the input" } else { "random" }))
            (fact("Sensitive items", &sensitive))
        }
        @if !publication.method.kind.reference.is_empty() { p.lead { "From: " (publication.method.kind.reference) "." } }
    }
}

fn glossary() -> Markup {
    let words = [
        (
            "Item",
            "One of the things that a person has: bought, visited, was treated for. A record is the set of items of one person.",
        ),
        ("Sensitive", "An item that nobody should be able to infer about a person."),
        (
            "Rule",
            "Of those who have some items, so many have another one. An attacker who knows that a person has the former infers the latter with that probability.",
        ),
        ("Confidence", "That share: the posterior belief in the sensitive item."),
        ("Deleted", "Left out of a record, so that rules about sensitive items become less confident."),
    ];
    html! {
        h2 { "Words used here" }
        dl.words { @for (word, means) in words { dt { (word) } dd { (means) } } }
    }
}
