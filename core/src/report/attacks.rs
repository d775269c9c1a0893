//! What attacks on a release found, as documents and as text.

use super::json::finding_json;
use super::terminal::{counted, grouped, number, percent, table, trimmed};
use crate::attack::{CLAIMED_BELIEF, Finding, UNDECIDED_PEOPLE};
use serde_json::Value;

/// One finding with its details beside the other entries: what `attack --json` prints.
pub fn attack_json(finding: &Finding) -> Value {
    flattened_json(&finding_json(finding))
}

/// A finding as a certificate has it, with its details beside the other entries.
pub fn flattened_json(stated: &Value) -> Value {
    let mut document = stated.clone();
    let details = document.as_object_mut().and_then(|entries| entries.remove("details"));
    add_details(&mut document, &details.unwrap_or_default());
    document
}

fn add_details(document: &mut Value, details: &Value) {
    document["max_belief"] = document["highest_belief"].clone();
    for (name, value) in details.as_object().into_iter().flatten() {
        document[name] = value.clone();
    }
    // Where theory has no bound, scripts read that there is none.
    if document.get("vulnerable_share").is_some() && document.get("bound").is_none() {
        document["bound"] = Value::Null;
    }
}

/// What `attack` prints, from the documents.
pub fn attacks_text(found: &[Value]) -> String {
    let mut rows = table(&["attack", "on", "highest belief", "people affected", "found"], &[2, 3]);
    for one in found {
        let text = |key: &str| one[key].as_str().unwrap_or_default().to_string();
        rows.add_row([
            text("attack"),
            text("on"),
            one["max_belief"].as_f64().map_or("–".into(), percent),
            one["people"].as_u64().map_or("–".into(), |people| grouped(people as usize)),
            if one["source"] == "release" { "from the release" } else { "when it was made" }.into(),
        ]);
    }
    if found.is_empty() {
        return "Nothing to attack: this release does not do what the attack is about.\n".to_string();
    }
    let mut text = trimmed(&rows.to_string());
    for one in found {
        text += &method_text(one);
        text += &claim_text(one);
        text += &budget_text(one);
    }
    if found.iter().any(|one| one["source"] != "release") {
        text += "\nFindings marked “when it was made” are those of the certificate: the release alone is not enough to repeat the attack.\n";
    }
    text
}

/// What a budget of knowledge leads to, in a sentence.
fn budget_text(one: &Value) -> String {
    let (Some(people), Some(knowledge)) = (one["people_above"].as_f64(), one["knowledge"].as_str()) else {
        return String::new();
    };
    let on = one["on"].as_str().map_or(String::new(), |on| format!(" on {on}"));
    let above = one["params"]["above"].as_str().unwrap_or_default();
    let promised = match one["limit"].as_f64() {
        Some(limit) => format!("The tightest limit on that is {}.", percent(limit)),
        None => "No limit is set for this attack.".to_string(),
    };
    let name = one["attack"].as_str().unwrap_or_default();
    let people = counted(people as u64, "record");
    format!(
        "\n{name}{on}\n  An attacker who knows {knowledge} reaches a belief above {above} about {people}. {promised}\n"
    )
}

/// What knowing how records were withheld discloses, in a sentence.
fn claim_text(one: &Value) -> String {
    let (Some(claimed), Some(highest)) = (one[CLAIMED_BELIEF].as_f64(), one["max_belief"].as_f64()) else {
        return String::new();
    };
    let name = one["attack"].as_str().unwrap_or_default();
    let on = one["on"].as_str().unwrap_or_default();
    if one[UNDECIDED_PEOPLE].as_f64().is_some_and(|people| people > 0.0) {
        return format!("\n{name} on {on}\n  The attack is inconclusive: nothing is claimed about it.\n");
    }
    let end = if highest > claimed { "That is more than was claimed" } else { "No more was claimed" };
    format!(
        "\n{name} on {on}\n  The belief of an attacker who knows {} in which value was the most frequent is at most {}. {end}: {}.\n",
        one["knowledge"].as_str().unwrap_or("how records were withheld"),
        percent(highest),
        percent(claimed),
    )
}

/// What knowing the method discloses, in sentences.
fn method_text(one: &Value) -> String {
    let Some(share) = one["vulnerable_share"].as_f64() else { return String::new() };
    let on = one["on"].as_str().map_or(String::new(), |on| format!(" on {on}"));
    let mut text = format!("\n{}{on}\n", one["attack"].as_str().unwrap_or_default());
    let highest = match one["max_belief_times_l"].as_f64() {
        Some(times) if times > 0.0 => {
            format!("{} ({} × the promised limit)", percent(one["max_belief"].as_f64().unwrap_or(0.0)), number(times))
        }
        _ => percent(one["max_belief"].as_f64().unwrap_or(0.0)),
    };
    // Where groups are undecided, both figures may be higher.
    let at_least = if one["undecided_groups"].as_f64().is_some_and(|groups| groups > 0.0) { "at least " } else { "" };
    text += &format!(
        "  An attacker who knows the method believes more than is promised about {at_least}{} of the records; the highest belief is {at_least}{highest}.\n",
        percent(share)
    );
    if let Some(bound) = one["bound"].as_f64() {
        text += &format!("  By the theory of this method, no belief exceeds {}.\n", percent(bound));
    }
    let count = |key: &str| one[key].as_f64().unwrap_or(0.0) as u64;
    match (count("undecided_groups"), count("undecided_people")) {
        (0, _) => {}
        (groups, people) => {
            let groups = counted(groups, "group");
            let people = counted(people, "record");
            text +=
                &format!("  The attack is inconclusive for {groups} with {people}: nothing is claimed about them.\n");
        }
    }
    text
}
