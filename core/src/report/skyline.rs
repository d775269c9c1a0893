//! What somebody may know before she is too sure: the knowledge skyline as text and as JSON.

use super::terminal::{counted, grouped, percent, short, table, trimmed};
use crate::criterion::{Budget, Case};
use crate::explore::{Company, Exploration, Grounding, GroupPlace, KnownPeople, Share};
use serde_json::{Value, json};

/// So many points are printed; the document has all of them.
const MOST_POINTS: usize = 20;
/// So many records or values of a list are printed.
const MOST_LISTED: usize = 10;
/// Rows and columns of the printed surface.
const MOST_CELLS: usize = 14;

/// What `skyline` prints.
pub fn skyline_text(found: &Exploration) -> String {
    let mut text = format!(
        "\"{}\" in column {}: {} in {}; {} {} it\n{}\n",
        printable(&found.value),
        found.column,
        people(found.people),
        counted(found.groups as u64, "group"),
        counted(found.having, "group"),
        if found.having == 1 { "has" } else { "have" },
        verdict(found),
    );
    if !found.points.is_empty() {
        text += &points_text(found);
        text += &surface_text(found);
    }
    if let Some(worst) = &found.worst {
        text += &worst_text(found, worst);
    }
    text + "\nNot for release: this names small groups and records.\n"
}

/// What was found, in a sentence or two.
pub(super) fn verdict(found: &Exploration) -> String {
    let confidence = share(found.confidence.to_f64());
    let unaided = percent(found.unaided);
    match found.points.len() {
        _ if found.having == 0 => {
            "No group has it, so nobody can believe in it, whatever they know: everything is safe.".to_string()
        }
        0 => format!(
            "Nothing is safe: even without background knowledge the belief in it reaches {unaided}, which is not below {confidence}."
        ),
        1 => format!(
            "Without background knowledge the belief in it is at most {unaided}. It stays below {confidence} for attackers who know no more than this in any respect:"
        ),
        points => format!(
            "Without background knowledge the belief in it is at most {unaided}. It stays below {confidence} for attackers who know no more than one of these {} amounts:",
            grouped(points)
        ),
    }
}

/// 95 %, 99.5 %: as short as it was written.
pub(super) fn share(share: f64) -> String {
    format!("{} %", short(&format!("{:.6}", share * 100.0)))
}

fn points_text(found: &Exploration) -> String {
    let mut rows = table(&["", "l", "k", "m", "background knowledge"], &[1, 2, 3]);
    for point in found.points.iter().take(MOST_POINTS) {
        let words = knows(found.case, *point);
        rows.add_row([String::new(), point.l.to_string(), point.k.to_string(), point.m.to_string(), words]);
    }
    let mut text = format!("\n{}", trimmed(&rows.to_string()));
    if found.points.len() > MOST_POINTS {
        text += &format!("  … and {} more (--json has all of them)\n", grouped(found.points.len() - MOST_POINTS));
    }
    if let Some(note) = open_note(found) {
        text += &format!("  {note}\n");
    }
    text
}

/// What the largest l means where it has no end.
pub(super) fn open_note(found: &Exploration) -> Option<String> {
    let most = found.surface.rows().len().checked_sub(1)?;
    found.surface.is_open().then(|| format!("l = {most} stands for all other values: no group has more of them."))
}

/// An amount of knowledge in words.
pub(super) fn knows(case: Case, budget: Budget) -> String {
    let Budget { l, k, m } = budget;
    let about_target = match (case, l) {
        (Case::Single, 1) => "1 value that the person does not have".to_string(),
        (Case::Single, _) => format!("{} values that the person does not have", grouped(l as usize)),
        (_, 1) => "1 value that the person has only together with it".to_string(),
        _ => format!("{} values that the person has only together with it", grouped(l as usize)),
    };
    let about_others = match (case, k) {
        (Case::Single, 1) => "1 other's value".to_string(),
        (Case::Single, _) => format!("{} others' values", grouped(k as usize)),
        (_, 1) => "1 other who does not have it".to_string(),
        _ => format!("{} others who do not have it", grouped(k as usize)),
    };
    let parts = [(l, about_target), (k, about_others), (m, counted(m, "relative"))];
    let parts: Vec<String> = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words).collect();
    match parts.as_slice() {
        [] => "nothing but the release".to_string(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Numbers from 0 below a length: all of them, or so many evenly spread ones with the first and the
/// last.
pub(super) fn spread(length: usize, most: usize) -> Vec<usize> {
    if length <= most {
        return (0..length).collect();
    }
    (0..most).map(|at| at * (length - 1) / (most - 1)).collect()
}

/// The longest row of the surface and its largest k.
pub(super) fn extent(found: &Exploration) -> (usize, u64) {
    let rows = found.surface.rows();
    // Both fall with l.
    rows.first().map_or((0, 0), |row| (row.len(), row.first().copied().unwrap_or(0)))
}

/// The surface as a small picture: how many others may be known for each l and m.
fn surface_text(found: &Exploration) -> String {
    let (columns, largest) = extent(found);
    let (ls, ms) = (spread(found.surface.rows().len(), MOST_CELLS), spread(columns, MOST_CELLS));
    let width = largest.to_string().len().max(columns.to_string().len()) + 3;
    let mut text = String::from("\nThe largest safe k, for each l (down) and m (across); · where nothing is safe:\n\n");
    let header: String = ms.iter().map(|m| format!("{m:>width$}")).collect();
    text += &format!("  l \\ m{header}\n");
    for l in ls {
        let cell = |m: &usize| match found.surface.largest(l, *m) {
            None => format!("{:>width$}", "·"),
            Some(k) => format!("{:>width$}", format!("{}{k}", shade(k, largest))),
        };
        text += &format!("  {l:>5}{}\n", ms.iter().map(cell).collect::<String>());
    }
    text
}

/// A block that is the fuller the larger a number is.
fn shade(number: u64, largest: u64) -> char {
    const SHADES: [char; 4] = ['░', '▒', '▓', '█'];
    SHADES[(3 * u128::from(number) / u128::from(largest.max(1))) as usize]
}

fn worst_text(found: &Exploration, worst: &Grounding) -> String {
    let Budget { l, k, m } = worst.budget;
    let mut text = format!(
        "\nThe smallest sufficient knowledge: l = {l}, k = {k}, m = {m} ({}) leads to a belief of {}.\n\n",
        knows(found.case, worst.budget),
        percent(worst.belief)
    );
    for (name, words) in worst_lines(found, worst) {
        text += &format!("  {name:<10} {words}\n");
    }
    text
}

/// The worst case, part by part.
pub(super) fn worst_lines(found: &Exploration, worst: &Grounding) -> Vec<(&'static str, String)> {
    let mut lines = vec![("target", target_words(worst))];
    if !worst.eliminated.is_empty() {
        let words = match found.case {
            Case::Single => "known not to be the target's: ",
            _ => "the target has them only together with it: ",
        };
        lines.push(("values", format!("{words}{}", shares(&worst.eliminated))));
    }
    if worst.budget.k > 0 {
        let place = match (worst.company, &worst.family) {
            (Company::Family, Some(family)) => format!("in the relatives' group ({})", place_words(family)),
            _ => "in the target's group".to_string(),
        };
        lines.push(("others", format!("{} {place}{}", known_words(&worst.others), others_words(found.case, worst))));
    }
    if let Some(family) = &worst.family {
        let place = if family.group == worst.target.group {
            "in the target's group".to_string()
        } else {
            format!("in {}", place_words(family))
        };
        lines.push(("relatives", format!("{} {place}", known_words(&worst.relatives))));
    }
    let exposed = &found.exposed;
    lines.push(("enough for", format!("{} in {}", people(exposed.people), counted(exposed.groups, "group"))));
    lines
}

/// 1 person, 12 people
fn people(count: u64) -> String {
    if count == 1 { "1 person".to_string() } else { format!("{} people", grouped(count as usize)) }
}

fn target_words(worst: &Grounding) -> String {
    let record = worst.record.map_or_else(String::new, |record| format!(", such as record {}", grouped(record)));
    format!("somebody in {}{record}", place_words(&worst.target))
}

/// Group 3 (12 people, from record 7)
fn place_words(place: &GroupPlace) -> String {
    let from = place.first_record.map_or_else(String::new, |record| format!(", from record {}", grouped(record)));
    format!("group {} ({}{from})", grouped(place.group + 1), people(place.people))
}

fn others_words(case: Case, worst: &Grounding) -> String {
    match case {
        Case::Single if worst.others.values.is_empty() => String::new(),
        Case::Single => format!(", known to have {}", shares(&worst.others.values)),
        _ => ", known not to have it".to_string(),
    }
}

/// 3: records 4, 7, 9
fn known_words(known: &KnownPeople) -> String {
    let mut text = grouped(known.people as usize);
    if let [first, rest @ ..] = known.records.as_slice() {
        let listed = std::iter::once(first).chain(rest).take(MOST_LISTED).map(|record| grouped(*record));
        let more = if known.records.len() > MOST_LISTED { ", …" } else { "" };
        let word = if rest.is_empty() { "record" } else { "records" };
        text += &format!(" ({word} {}{more})", listed.collect::<Vec<_>>().join(", "));
    }
    text
}

/// Flu (2), Cancer (1)
fn shares(shares: &[Share]) -> String {
    let listed = shares.iter().take(MOST_LISTED);
    let mut text: Vec<String> =
        listed.map(|one| format!("{} ({})", printable(&one.value), grouped(one.count as usize))).collect();
    if shares.len() > MOST_LISTED {
        text.push(format!("and {} more", grouped(shares.len() - MOST_LISTED)));
    }
    text.join(", ")
}

/// A value as it can be printed: what controls terminals is not.
pub(super) fn printable(value: &str) -> String {
    value.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

/// The document of `skyline --json`.
pub fn skyline_json(found: &Exploration) -> Value {
    json!({
        "value": found.value,
        "confidence": found.confidence.to_f64(),
        "case": found.case.name(),
        "points": found.points.iter().map(triple).collect::<Vec<_>>(),
        "worst": found.worst.as_ref().map(|worst| worst_json(found, worst)),
        "column": found.column,
        "occurs": found.having > 0,
        "people": found.people,
        "groups": found.groups,
        "groups_with_value": found.having,
        "belief_without_knowledge": found.unaided,
        "largest_l_is_all": found.surface.is_open(),
    })
}

fn triple(budget: &Budget) -> [u64; 3] {
    [budget.l, budget.k, budget.m]
}

fn worst_json(found: &Exploration, worst: &Grounding) -> Value {
    let shares = |shares: &[Share]| -> Vec<Value> {
        shares.iter().map(|share| json!({ "value": share.value, "count": share.count })).collect()
    };
    let place = |place: &GroupPlace| json!({ "group": place.group + 1, "people": place.people, "first_record": place.first_record });
    let mut target = place(&worst.target);
    target["record"] = json!(worst.record);
    json!({
        "budget": triple(&worst.budget),
        "belief": worst.belief,
        "target": target,
        "eliminated": shares(&worst.eliminated),
        "others": {
            "with": match worst.company { Company::Target => "target", Company::Family => "family" },
            "people": worst.others.people,
            "values": shares(&worst.others.values),
            "records": worst.others.records,
        },
        "family": worst.family.as_ref().map(place),
        "relatives": { "people": worst.relatives.people, "records": worst.relatives.records },
        "exposed": { "groups": found.exposed.groups, "people": found.exposed.people },
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::candidate::Groups;
    use crate::data::{Column, Table};
    use crate::exact::Fraction;
    use crate::explore::{Explorer, Values};

    /// What is found in groups of values.
    pub fn explored(groups: &[&[&str]], value: &str, confidence: Fraction) -> Exploration {
        let rows = || groups.iter().enumerate().flat_map(|(at, group)| group.iter().map(move |value| (at, *value)));
        let table = Table::new(vec![
            Column::from_values("group", rows().map(|(at, _)| format!("{at:03}"))),
            Column::from_values("disease", rows().map(|(_, value)| value)),
        ]);
        let table = table.unwrap();
        let groups = Groups::by_columns(&[table.column("group").unwrap()], table.rows());
        Explorer::new(&table, &groups, "disease", Values::One, value).unwrap().explore(confidence)
    }

    /// Figure 3 of the paper.
    pub const FIGURE_3: [&[&str]; 2] = [&["AIDS", "Flu", "Flu", "AIDS"], &["Flu", "Cancer", "Flu", "AIDS"]];

    #[test]
    fn figure_3_in_words() {
        let text = skyline_text(&explored(&FIGURE_3, "Cancer", Fraction::new(95, 100)));
        for part in [
            "\"Cancer\" in column disease: 8 people in 2 groups; 1 group has it",
            "at most 25.0 %. It stays below 95 % for attackers who know no more than one of these 3 amounts",
            "   0  2  0  2 others' values\n",
            "   1  0  2  1 value that the person does not have and 2 relatives\n",
            "      0  █2  ▒1  ░0\n",
            "The smallest sufficient knowledge: l = 1, k = 1, m = 0",
            "target     somebody in group 2 (4 people, from record 5), such as record 6",
            "values     known not to be the target's: Flu (2)",
            "others     1 (record 8) in the target's group, known to have AIDS (1)",
            "enough for 4 people in 1 group",
            "Not for release",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn extremes_are_said() {
        let text = skyline_text(&explored(&FIGURE_3, "AIDS", Fraction::new(1, 2)));
        assert!(
            text.contains("Nothing is safe: even without background knowledge the belief in it reaches 50.0 %"),
            "{text}"
        );
        let nothing = explored(&FIGURE_3, "gout", Fraction::new(1, 2));
        assert!(skyline_text(&nothing).contains("everything is safe"));
        let document = skyline_json(&nothing);
        assert_eq!((&document["points"], &document["occurs"]), (&json!([]), &json!(false)));
        assert!(document["worst"].is_null());
    }

    #[test]
    fn large_surfaces_are_cut() {
        let many: Vec<&str> = (0..300).map(|at| if at == 0 { "gout\u{1b}[31m" } else { "flu" }).collect();
        let text = skyline_text(&explored(&[&many], "gout\u{1b}[31m", Fraction::new(95, 100)));
        assert!(text.contains("more (--json has all of them)"), "{text}");
        assert!(!text.contains('\u{1b}') && text.lines().count() < 70, "{text}");
        assert_eq!(spread(5, 3), [0, 2, 4]);
    }
}
