//! What is promised, what was attacked, and what is not promised.

use super::charts::{Axes, Bar, Line, Words, bars, figure};
use super::disclosure::Guard;
use super::exceeds;
use super::words::{capital, compact, grouped, listed, meaning, number, percent, settings, tick, whole_percent};
use crate::attack::{self, DecidedBy, Finding};
use crate::audit::Answer;
use crate::criterion::Limit;
use crate::data::Role;
use crate::kind::{Param, Shape};
use crate::publish::Publication;
use crate::recode::Form;
use crate::report::attacks::{CLAIMS, hits_text};
use maud::{Markup, html};

/// Every criterion: asked, measured, and what that means.
pub(super) fn promised(publication: &Publication, guard: &Guard) -> Markup {
    html! {
        h2 { "What is promised" }
        @if publication.criteria.is_empty() {
            p.lead { "The plan asks for no criterion: this release promises nothing." }
        } @else {
            p.lead {
                "A criterion is a rule that every group must satisfy. Each was checked on the finished release, without "
                "relying on how the release was made."
            }
        }
        @for answer in &publication.criteria { (criterion(answer, guard)) }
    }
}

fn criterion(answer: &Answer, guard: &Guard) -> Markup {
    let (wanted, verdict) = (&answer.requirement, &answer.verdict);
    let mut asked = settings(&wanted.criterion.params);
    // Points have a table of their own.
    asked.retain(|setting| verdict.points.is_empty() || !setting.starts_with("points = "));
    html! {
        section.card.bad[!verdict.holds] {
            div.card-head { h3 { (wanted.criterion.kind.name) @if !wanted.on.is_empty() { " of " (listed(&wanted.on)) } } (badge(verdict.holds, "holds", "does not hold")) }
            p { (wanted.criterion.kind.summary) "." }
            @if answer.is_checked { p { (measured_words(answer, guard)) } }
            @else { p { "The custodian checked it when the release was made. By how much it holds cannot be computed from the release alone." } }
            dl.facts {
                (fact("Asked for", &if asked.is_empty() { "–".to_string() } else { asked.join(", ") }))
                (fact("Measured", &measured(answer, guard)))
                @if let Some(worst) = verdict.worst { (fact("People in the deciding group", &guard.people(worst.size))) }
                @if guard.internal { @if let Some(record) = answer.worst_record { (fact("Its first record", &format!("row {}", grouped(record as u64)))) } }
                @if verdict.violating.groups > 0 {
                    (fact("Records that violate it", &guard.of_published(verdict.violating.records)))
                }
            }
            @if !verdict.points.is_empty() { (points(answer)) }
            p.lead { "Defined in: " (wanted.criterion.kind.reference) "." }
        }
    }
}

/// The points of a skyline: what somebody may know, and how far that leads.
fn points(answer: &Answer) -> Markup {
    html! {
        div.scroll { table {
            thead { tr {
                @for name in ["Value", "Known about the person", "Others known", "Relatives known", "Belief stays below", "Belief reached"] {
                    th scope="col" { (name) }
                }
            } }
            @for (point, reached) in answer.points() {
                tr.bad[!reached.holds] {
                    td { @if let Some(value) = &point.value { (value) } @else { "any other" } }
                    td { (point.l) } td { (point.k) } td { (point.m) } td { (point.c) } td { (percent(reached.measured)) }
                }
            }
        } }
    }
}

/// ✓ or ✗ with words, so that colour is not needed.
pub(super) fn badge(good: bool, yes: &str, no: &str) -> Markup {
    html! { span.badge.bad[!good] { @if good { "✓ " (yes) } @else { "✗ " (no) } } }
}

/// A short fact in a card.
pub(super) fn fact(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// The parameter that the first measured value belongs to, where there is no doubt.
fn measured_param(answer: &Answer) -> Option<&'static Param> {
    let also = |name: &str| answer.verdict.also.iter().any(|(known, _)| *known == name);
    let numeric = |param: &&Param| matches!(param.shape, Shape::Count(_) | Shape::Decimal(_)) && !also(param.name);
    let mut candidates = answer.requirement.criterion.kind.params.iter().filter(numeric);
    let first = candidates.next()?;
    if candidates.next().is_none() { Some(first) } else { None }
}

/// What was measured, with names; where it is a number of people it is treated as one.
fn measured(answer: &Answer, guard: &Guard) -> String {
    let verdict = &answer.verdict;
    let param = measured_param(answer).map_or("", |param| param.name);
    let mut parts: Vec<String> = verdict.measured.iter().map(|value| named(param, *value, guard)).collect();
    parts.extend(verdict.also.iter().map(|(name, value)| named(name, *value, guard)));
    match (parts.is_empty(), verdict.holds) {
        (false, _) => parts.join(", "),
        (true, true) => "–".into(),
        (true, false) => "no number would do".into(),
    }
}

fn named(param: &str, value: f64, guard: &Guard) -> String {
    match param {
        "k" if guard.hides(value as u64) => guard.few(),
        "" => number(value),
        _ => format!("{param} = {}", number(value)),
    }
}

/// What was measured, in plain words.
fn measured_words(answer: &Answer, guard: &Guard) -> String {
    let verdict = &answer.verdict;
    if !verdict.holds {
        let asked = settings(&answer.requirement.criterion.params).join(", ");
        return format!("The release violates it: {} was measured, {asked} was asked for.", measured(answer, guard));
    }
    if !verdict.points.is_empty() {
        let highest = verdict.points.iter().map(|point| point.measured).fold(0.0, f64::max);
        return format!(
            "With the stated background knowledge, no posterior belief in such a value exceeds {}.",
            percent(highest)
        );
    }
    let first = verdict.measured.map(|value| match measured_param(answer) {
        Some(param) => sentence(param.name, value, guard)
            .unwrap_or_else(|| format!("{}: measured {}.", capital(param.summary), number(value))),
        None => format!("No setting stricter than {} would hold.", number(value)),
    });
    let also = verdict.also.iter().filter_map(|(name, value)| sentence(name, *value, guard));
    let sentences: Vec<String> = first.into_iter().chain(also).collect();
    if sentences.is_empty() {
        "There is nothing in the release that could violate it.".into()
    } else {
        sentences.join(" ")
    }
}

fn sentence(param: &str, value: f64, guard: &Guard) -> Option<String> {
    if param == "k" && guard.hides(value as u64) {
        return Some(format!("The smallest group has {} people, too few to say how many.", guard.few()));
    }
    meaning(param, value, guard.form)
}

/// Every attack: what was granted, what came out.
pub(super) fn attacked(publication: &Publication, guard: &Guard) -> Markup {
    html! {
        h2 { "What was attacked" }
        @if publication.attacks.is_empty() {
            p.lead { "No attack was tried on this release. That the criteria hold is known; what else can be found out is not." }
        } @else {
            p.lead {
                "The release was attacked as an outsider would, with the background knowledge stated for each attack. The belief is the attacker's posterior probability, "
                "up to 100 % (certain). "
                @if publication.attacks_refuse { "An attack that finds more than its limit stops the release." }
                @else { "The plan lets a release pass even if an attack finds more than its limit." }
            }
        }
        @for (at, finding) in publication.attacks.iter().enumerate() { (attack_card(at, finding, guard)) }
        @if !publication.undisclosed.is_empty() {
            p {
                "Also made: " (listed(&publication.undisclosed)) ". What these attacks found depends on more than what is published, so it stays with "
                "the custodian."
                @if publication.attacks_refuse { " None of them exceeded a limit that the plan or a criterion sets for it." }
            }
        }
    }
}

fn attack_card(at: usize, finding: &Finding, guard: &Guard) -> Markup {
    let bad = exceeds(finding);
    let set = settings(&finding.params);
    // A belief about a value of the table is none about people.
    let picture = if finding.claimed_belief().is_some() { None } else { beliefs(at, finding, guard) };
    html! {
        section.card.bad[bad] {
            div.card-head {
                h3 { (finding.title()) @if let Some(column) = &finding.on { " on " (column) } }
                @if finding.limit.is_some() || bad { (badge(!bad, "within its limit", "above its limit")) }
                @else { span.badge.none { "no limit was set" } }
            }
            div.card-body.split[picture.is_some()] {
                div {
                    @if let Ok(kind) = attack::find(finding.attack) { p { (kind.summary) "." } }
                    p { "The attacker knows: " (finding.knowledge.trim_end_matches('.')) "." }
                    p { (attack_words(finding, guard)) }
                    dl.facts {
                        (fact("Highest belief", &highest_words(finding)))
                        @if let Some(people) = finding.undecided_people() { (fact("People undecided", &guard.of_published(people))) }
                        (fact("Limit", &finding.limit.map_or_else(|| "none".into(), limit_words)))
                        (fact("People affected", &guard.of_published(finding.people)))
                        @if !guard.hides(finding.people) { (fact("In groups", &grouped(finding.groups))) }
                        @if finding.limit.is_some() {
                            (fact("People above the limit", &guard.of_published(finding.above_limit)))
                        }
                        @if !set.is_empty() { (fact("Set to", &set.join(", "))) }
                        @if guard.internal {
                            @for (name, value) in &finding.details { (fact(&capital(&name.replace('_', " ")), &number(*value))) }
                            @if let Some(decided) = &finding.decided_by { (fact("People decided about", &decided_words(decided))) }
                        }
                    }
                }
                @if let Some(picture) = picture { (picture) }
            }
        }
    }
}

/// About how many people it was found in which way; ways that decided nobody are left out.
fn decided_words(decided: &DecidedBy) -> String {
    let ways = [
        (decided.immune, "by proof"),
        (decided.bounded, "by a bound for everybody"),
        (decided.exact, "by counting"),
        (decided.sampled, "by drawing"),
        (decided.undecided, "not at all"),
    ];
    let some = ways.iter().filter(|(people, _)| *people > 0);
    some.map(|(people, way)| format!("{} {way}", grouped(*people))).collect::<Vec<_>>().join(", ")
}

/// The highest belief, or what it is at least.
pub(super) fn highest_words(finding: &Finding) -> String {
    let highest = percent(finding.highest.to_f64());
    match () {
        () if finding.is_claim => format!("{highest} is claimed"),
        () if finding.is_lower_bound => format!("at least {highest}"),
        () => highest,
    }
}

pub(super) fn limit_words(limit: Limit) -> String {
    format!("{} {}", if limit.strict { "below" } else { "at most" }, percent(limit.belief.to_f64()))
}

/// How surely the most frequent value can be inferred.
fn frequent_words(finding: &Finding) -> String {
    if finding.undecided_people().is_some() {
        return "How sure anybody can be which value was the most frequent could not be counted.".to_string();
    }
    format!(
        "With that, nobody can be more than {} sure which value was the most frequent; {} was claimed.",
        percent(finding.highest.to_f64()),
        percent(finding.claimed_belief().unwrap_or(1.0))
    )
}

/// What somebody claims, and how often that is right where it is known.
fn claim_words(finding: &Finding, guard: &Guard) -> String {
    let hits = hits_text(finding).filter(|_| guard.internal).unwrap_or_else(|| CLAIMS.to_string());
    format!(
        "With that, an attacker claims to be up to {} sure about a person. {hits}",
        percent(finding.highest.to_f64())
    )
}

fn attack_words(finding: &Finding, guard: &Guard) -> String {
    let highest = finding.highest.to_f64();
    let found = match highest {
        _ if finding.claimed_belief().is_some() => frequent_words(finding),
        _ if finding.is_claim => claim_words(finding, guard),
        1.0 => "With that, an attacker can be certain about at least one person.".to_string(),
        _ if finding.is_lower_bound => format!(
            "With that, an attacker can be {} sure about a person, or more: the attack is inconclusive for some people.",
            percent(highest)
        ),
        0.0 => "With that, an attacker learns nothing about anybody.".to_string(),
        _ => format!("With that, nobody can be more than {} sure about any person in the release.", percent(highest)),
    };
    let limit = match finding.limit {
        Some(limit) if exceeds(finding) && finding.undecided_people().is_some() => {
            format!(
                "The limit is {}: people for whom the attack is inconclusive count as above it.",
                limit_words(limit)
            )
        }
        Some(limit) if exceeds(finding) => {
            format!("For some people more is believed than allowed; the limit exceeded most is {}.", limit_words(limit))
        }
        _ if exceeds(finding) => "For some people more is believed than allowed.".to_string(),
        Some(limit) => format!("That is allowed: the criteria and the plan promise {}.", limit_words(limit)),
        None => "No criterion and no limit of the plan says how sure such an attacker may be.".to_string(),
    };
    let is_open = finding.undecided_people().is_some() && guard.form == Form::Generalized && !guard.internal;
    let who = match finding.repeatable {
        true if is_open => {
            "Anybody can repeat this attack with the release alone. An attacker who knows everybody's exact quasi-identifiers may decide more; what the custodian found with them is not stated here."
        }
        true => "Anybody can repeat this attack with the release alone.",
        false => "Repeating it takes the original table or other files as well.",
    };
    format!("{found} {limit} {who}")
}

/// How many people have which highest belief.
fn beliefs(at: usize, finding: &Finding, guard: &Guard) -> Option<Markup> {
    let whole: u64 = finding.beliefs.iter().sum();
    if whole == 0 {
        return None;
    }
    let parts = guard.parts(&finding.beliefs);
    let share = |count: u64| count as f64 / whole as f64;
    let shown = |count: u64| if guard.internal { compact(count) } else { whole_percent(share(count)) };
    let drawn: Vec<Bar> = parts
        .iter()
        .map(|part| Bar {
            value: part.map(|count| if guard.internal { count as f64 } else { visible_percent(share(count)) }),
            label: String::new(),
        })
        .collect();
    let edges: Vec<String> =
        (0..=20).map(|at| if at % 4 == 0 { format!("{} %", at * 5) } else { String::new() }).collect();
    let line = finding
        .limit
        .map(|limit| Line { at: limit.belief.to_f64(), label: format!("limit {}", percent(limit.belief.to_f64())) });
    let axes = Axes {
        across: "highest belief about a person",
        up: if guard.internal { "people" } else { "share of people" },
        number: &|value| if guard.internal { tick(value.round() as u64) } else { format!("{value:.0} %") },
        whole: true,
    };
    let hidden = parts.iter().any(Option::is_none);
    // Who is right is for the custodian.
    let right = finding.right.as_ref().filter(|_| guard.internal);
    let mut header = vec!["Belief", if guard.internal { "People" } else { "Share of people" }];
    header.extend(right.map(|_| "Right about"));
    let rows = parts.iter().enumerate().filter(|(_, part)| part.is_none_or(|count| count > 0)).map(|(at, part)| {
        let people = part.map_or_else(|| "not shown".into(), &shown);
        [belief_step(at), people].into_iter().chain(right.map(|right| compact(right[at]))).collect()
    });
    let most = (0..20).rev().find(|&at| finding.beliefs[at] > 0).unwrap_or(0);
    let id = format!("beliefs-{at}");
    let words = Words {
        id: &id,
        title: "How sure the attacker is about how many people".into(),
        alternative: format!(
            "Bars over twenty steps of belief from 0 to 100 percent. The highest step with anybody in it is {}.{}",
            belief_step(most),
            finding
                .limit
                .map_or_else(String::new, |limit| format!(" A dashed line marks the limit, {}.", limit_words(limit)))
        ),
        caption: format!(
            "For each person the most that is believed about them; bars farther to the right are worse. {}{}",
            line_words(finding),
            if hidden {
                " Hatched: people are there, too few to say how many; one step that is not rare is hatched with them where needed."
            } else {
                ""
            }
        ),
        header,
        rows: rows.collect(),
        legend: html! {},
    };
    let (height, drawing) = bars(&drawn, &edges, &axes, line.as_ref());
    Some(figure(&words, height, &drawing))
}

/// What the dashed line means: values have limits of their own, so people to its right need not be
/// too many.
fn line_words(finding: &Finding) -> &'static str {
    let Some(limit) = finding.limit else { return "" };
    let beyond = |at: usize| at as f64 * 0.05 >= limit.belief.to_f64();
    let people: u64 = finding.beliefs.iter().enumerate().filter(|step| beyond(step.0)).map(|step| step.1).sum();
    if people > finding.above_limit {
        "The dashed line is the limit of the worst belief; other values may have limits farther to the right."
    } else {
        "No bar should stand to the right of the dashed line."
    }
}

/// A whole percentage; what is not nothing is seen.
fn visible_percent(share: f64) -> f64 {
    (100.0 * share).round().max(if share > 0.0 { 0.5 } else { 0.0 })
}

fn belief_step(at: usize) -> String {
    format!("{} to {} %", at * 5, at * 5 + 5)
}

/// What a reader might take for promised and is not.
pub(super) fn not_promised(publication: &Publication) -> Markup {
    let names = |role: Role| -> Vec<&str> {
        let with_role = publication.columns.iter().filter(|column| column.role == role && column.published);
        with_role.map(|column| column.name.as_str()).collect()
    };
    let (quasi, kept) = (names(Role::Quasi), names(Role::Insensitive));
    let sensitive = publication.columns.iter().any(|column| column.role == Role::Sensitive);
    html! {
        h2 { "What is not promised" }
        ul.plain {
            li {
                strong { "This is not differential privacy. " } "No random noise was added. The promises are about stated attackers, not about every "
                "attacker with any knowledge."
            }
            li {
                strong { "Only the listed columns count as known to outsiders" }
                @if quasi.is_empty() { ": there are none. " } @else { ": " bdi { (listed(&quasi)) } ". " }
                "An attacker who also knows other columns of a person can learn more."
            }
            li { strong { "That somebody is in the table is not hidden. " } "An attacker who knows that a person was asked or treated there knows that one of the records is theirs." }
            li {
                strong { "Several releases are not protected together. " } "If the same people are published again in another form, both releases can "
                "be compared, and may disclose more together than each alone."
            }
            li {
                strong { "Insensitive columns are published as they are" }
                @if kept.is_empty() { ": this release has none." } @else { ": " bdi { (listed(&kept)) } ". They can point at a person if they are known or rare." }
            }
            @if !sensitive {
                li { strong { "No column is declared sensitive. " } "Nothing is promised about what can be learned of a person once their group is known." }
            }
            @if let Some(skew) = &publication.skew {
                @for line in skew.not_promised() { li { (line) } }
            }
            li { strong { "Only the attacks listed above were tried. " } "That they found no more does not prove that no other attack would." }
        }
    }
}

/// Words of this report.
pub(super) fn glossary() -> Markup {
    let words = [
        (
            "Quasi-identifier",
            "A column that outsiders may know about a person, such as age or postal code, and that may be used to find their record. It is made coarser until people look alike.",
        ),
        ("Sensitive", "A column whose values nobody should learn about a person, such as a diagnosis."),
        ("Identifier", "A column that names a person, such as a name or an insurance number. It is never published."),
        (
            "Group",
            "Published records that look alike, because their quasi-identifiers are the same; in a bucketized release those that share a group number.",
        ),
        (
            "Level",
            "How coarse a column was made: level 0 is the value as it was, each level above is coarser, and on the last the value is usually gone (*).",
        ),
        ("Belief", "How sure an attacker can be of something about a person, as a probability."),
        ("Suppressed", "Not published with its values, because its group did not satisfy the criteria."),
        (
            "Withheld first",
            "Not published because its sensitive value was too frequent in the table to be hidden, or to hide which value that was.",
        ),
    ];
    html! {
        h2 { "Words used here" }
        dl.words { @for (word, means) in words { dt { (word) } dd { (means) } } }
    }
}
