//! What several releases of the same people tell together, in words and as JSON.

use super::terminal::{grouped, percent};
use crate::attack::together::{Composition, Found};
use serde_json::{Value, json};

/// Two releases, and what they tell together.
pub struct Pair {
    /// What they are called.
    pub names: [String; 2],
    /// Whether they are about the same people.
    pub related: Related,
    /// What is found about each sensitive column that both publish.
    pub columns: Vec<(String, Composition)>,
}

/// Whether two releases are about the same people.
pub enum Related {
    /// The certificate of one declares the other as an earlier release of the same table.
    Declared,
    /// Nobody says so, and nothing in the releases speaks against it.
    Assumed,
    /// They are not, or what they tell together is not computed, for this reason.
    Not(&'static str),
}

/// The part of `compare --json` about several releases together.
pub fn together_json(pairs: &[Pair]) -> Value {
    let pair = |pair: &Pair| {
        let (related, reason) = match pair.related {
            Related::Declared => ("declared", None),
            Related::Assumed => ("assumed", None),
            Related::Not(reason) => ("no", Some(reason)),
        };
        let columns = pair.columns.iter().map(|(on, outcome)| outcome_json(on, outcome));
        json!({
            "releases": pair.names,
            "same_table": related,
            "not_computed": reason,
            "columns": columns.collect::<Vec<_>>(),
        })
    };
    pairs.iter().map(pair).collect::<Vec<_>>().into()
}

fn outcome_json(on: &str, outcome: &Composition) -> Value {
    let found = match outcome {
        Composition::Unrelated => return json!({ "on": on, "not_computed": UNRELATED }),
        Composition::TooLarge => return json!({ "on": on, "not_computed": TOO_LARGE }),
        Composition::Found(found) => found,
    };
    json!({
        "on": on,
        "people": found.people,
        "certain_at_least": found.certain,
        "certain_alone": found.alone.map(|alone| alone.certain),
        "highest_belief_at_least": found.at_least,
        "highest_belief_about": found.about,
        "highest_belief_alone": found.alone.map(|alone| alone.highest),
        "fewest_candidates": { "candidates": found.fewest.0, "people_at_least": found.fewest.1 },
        "pairs_of_groups": found.cells,
        "nested": found.is_nested,
        "takes_labels_for_same": found.takes_labels,
    })
}

const UNRELATED: &str = "no table leads to both releases: either they are not about the same people with the same values, or labels or missing values mean different things in them";
const TOO_LARGE: &str = "there are too many pairs of groups to look at";

/// What is said before any finding.
pub(super) const HOW: &str = "Computed from the releases alone, for an attacker who knows in which group of each a person is. If both are given out, the criteria of neither limit this.";

/// What `compare` prints about several releases together.
pub fn together_text(pairs: &[Pair]) -> String {
    let mut text = String::new();
    for pair in pairs {
        text += &format!("\nTogether: {} and {}\n", pair.names[0], pair.names[1]);
        text += &format!("{}\n", relation(pair));
        for (mark, sentence) in sentences(pair) {
            text += &format!("{mark} {sentence}\n");
        }
    }
    if pairs.iter().any(|pair| !pair.columns.is_empty()) {
        text += &format!("{HOW}\n");
    }
    text
}

/// Whether both are about the same people, in a sentence.
pub(super) fn relation(pair: &Pair) -> String {
    match pair.related {
        Related::Declared => "They are declared to be releases of the same table.".into(),
        Related::Assumed => "If they are releases of the same table:".into(),
        Related::Not(reason) => format!("Not computed: {reason}."),
    }
}

/// A mark and a sentence about each column.
pub(super) fn sentences(pair: &Pair) -> Vec<(&'static str, String)> {
    let sentence = |(on, outcome): &(String, Composition)| match outcome {
        Composition::Unrelated => ("–", format!("{on}: {UNRELATED}.")),
        Composition::TooLarge => ("–", format!("{on}: not computed: {TOO_LARGE}.")),
        Composition::Found(found) => (mark(found), format!("{on}: {}", found_sentence(found))),
    };
    pair.columns.iter().map(sentence).collect()
}

/// ✗ where people become certain who are not by either release; ! where a belief is reached that is
/// not by either.
fn mark(found: &Found) -> &'static str {
    let [first, second] = found.alone;
    let reached = found.about.unwrap_or(found.at_least);
    match () {
        () if found.certain > first.certain.max(second.certain) => "✗",
        () if reached > first.highest.max(second.highest) + 1e-3 => "!",
        () if found.is_nested && !found.takes_labels => "✓",
        () => "–",
    }
}

fn found_sentence(found: &Found) -> String {
    let [first, second] = found.alone;
    let people = grouped(found.people as usize);
    let certain = match found.certain {
        0 => format!("nobody of {people} people is found to be certain"),
        some => format!("at least {} of {people} people are certain", grouped(some as usize)),
    };
    let alone =
        format!("{} and {} by each release alone", grouped(first.certain as usize), grouped(second.certain as usize));
    let shares = format!("{} and {} alone", percent(first.highest), percent(second.highest));
    let belief = match found.about {
        _ if found.certain > 0 => format!("the highest belief is 100 % ({shares})"),
        Some(about) => format!("the highest belief is about {} ({shares})", percent(about)),
        None if found.at_least <= first.highest.max(second.highest) => format!(
            "no higher belief is found than by each release alone ({shares}), but how many people the groups have in common was not counted, and an attacker who knows it may believe more, up to certainty"
        ),
        None => format!(
            "the highest belief is at least {} ({shares}): how many people the groups have in common was not counted, and an attacker who knows it may believe more, up to certainty",
            percent(found.at_least)
        ),
    };
    let nested = match found.is_nested {
        true => " The groups of one release are unions of the other's: both disclose what the finer one discloses.",
        false => "",
    };
    let labels = match found.takes_labels {
        true => " All this takes labels with the same name to mean the same in both releases, which they do not show.",
        false => "",
    };
    format!("{certain} ({alone}); {belief}.{}{nested}{labels}", candidates(found))
}

fn candidates(found: &Found) -> String {
    match found.fewest {
        (0 | 1, _) => String::new(),
        (few, people) => format!(" At least {} people are left with {few} values or fewer.", grouped(people as usize)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::together::Alone;

    fn found(certain: u64, about: Option<f64>, is_nested: bool) -> Found {
        let alone = [Alone { highest: 0.5, certain: 0 }, Alone { highest: 0.4, certain: 0 }];
        let fewest = if certain > 0 { (1, certain) } else { (2, 6) };
        let at_least = if certain > 0 { 1.0 } else { 0.5 };
        Found { people: 8, certain, alone, fewest, at_least, about, cells: 4, is_nested, takes_labels: false }
    }

    fn text(related: Related, outcome: Composition) -> String {
        let names = ["a".to_string(), "b".to_string()];
        together_text(&[Pair { names, related, columns: vec![("disease".into(), outcome)] }])
    }

    #[test]
    fn what_becomes_certain_comes_first() {
        let told = text(Related::Declared, Composition::Found(found(8, Some(1.0), false)));
        assert!(told.contains("declared") && told.contains("✗ disease: at least 8 of 8 people are certain"), "{told}");
        assert!(told.contains("the highest belief is 100 % (50.0 % and 40.0 % alone)"), "{told}");
    }

    #[test]
    fn what_is_not_known_is_said() {
        let told = text(Related::Assumed, Composition::Found(found(0, None, false)));
        assert!(told.contains("If they are") && told.contains("– disease: nobody of 8 people"), "{told}");
        assert!(
            told.contains("no higher belief is found than by each")
                && told.contains("At least 6 people are left with 2 values"),
            "{told}"
        );
        assert!(text(Related::Assumed, Composition::Found(found(0, Some(0.7), false))).contains("! disease"));
        assert!(text(Related::Assumed, Composition::Found(found(0, Some(0.5), true))).contains("✓ disease"));
        assert!(text(Related::Assumed, Composition::Unrelated).contains("not about the same people"));
        let none = together_text(&[Pair {
            names: [String::new(), String::new()],
            related: Related::Not("x"),
            columns: vec![],
        }]);
        assert!(none.contains("Not computed: x.") && !none.contains(HOW), "{none}");
    }
}
