//! What attacks on a release found, as documents and as text.

use super::terminal::{counted, grouped, number, percent, table, trimmed};
use crate::attack::{
    CLAIMED_BELIEF, Finding, GUESSED_RIGHT, LEFT_OUT, RIGHT_BY_SHARES, RIGHT_WHEN_SURE, UNDECIDED_PEOPLE,
    VULNERABLE_SHARE,
};
use crate::certificate::table::{BeliefWord, Detail, FindingFigures};
use crate::certificate::{Named, value};
use serde::Serialize;
use serde_json::Value;

/// What an attack on a release found.
pub struct Reported {
    /// What it found.
    pub finding: FindingFigures,
    /// When.
    pub source: Source,
}

/// When something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Now, from the release.
    Release,
    /// When the release was made, as its certificate says.
    Certificate,
}

impl Reported {
    /// What a certificate says.
    pub fn by_certificate(finding: &FindingFigures) -> Reported {
        Reported { finding: finding.clone(), source: Source::Certificate }
    }

    /// A further number that the attack tells.
    fn detail(&self, name: &str) -> Option<f64> {
        self.finding.details.get(name)?.number()
    }

    /// The attack, and the column that it is about.
    fn subject(&self) -> String {
        let on = self.finding.on.as_ref().map_or(String::new(), |on| format!(" on {on}"));
        format!("{}{on}", self.finding.attack)
    }
}

/// A finding with its details beside the other entries.
#[derive(Serialize)]
struct Flattened<'a> {
    #[serde(flatten)]
    finding: &'a FindingFigures,
    max_belief: f64,
    #[serde(flatten)]
    details: Named<Option<Detail>>,
    source: Source,
}

/// What `attack --json` prints of a finding.
pub fn attack_json(found: &Reported) -> Value {
    let Reported { finding, source } = found;
    let mut details: Named<Option<Detail>> =
        finding.details.0.iter().map(|(name, detail)| (name.clone(), Some(detail.clone()))).collect();
    // Where theory has no bound, scripts read that there is none.
    if details.get(VULNERABLE_SHARE).is_some() && details.get(BOUND).is_none() {
        details.0.push((BOUND.to_string(), None));
    }
    let finding = FindingFigures { details: Named::default(), ..finding.clone() };
    value(&Flattened { max_belief: finding.highest_belief, finding: &finding, details, source: *source })
}

/// The detail that tells what no belief exceeds, by the theory of a method.
const BOUND: &str = "bound";

/// What `attack` prints.
pub fn attacks_text(found: &[Reported]) -> String {
    let mut rows = table(&["attack", "on", "highest belief", "people affected", "found"], &[2, 3]);
    for Reported { finding, source } in found {
        rows.add_row([
            finding.attack.clone(),
            finding.on.clone().unwrap_or_default(),
            match finding.highest_belief_is {
                BeliefWord::Exact => percent(finding.highest_belief),
                BeliefWord::AtLeast => format!("≥ {}", percent(finding.highest_belief)),
                BeliefWord::Claimed => format!("claims {}", percent(finding.highest_belief)),
            },
            grouped(finding.people as usize),
            if *source == Source::Release { "from the release" } else { "when it was made" }.into(),
        ]);
    }
    if found.is_empty() {
        return "Nothing was found: the attack is about something that this release does not do, or it needs the original, and then only the custodian's own report says what it found.\n".to_string();
    }
    let mut text = trimmed(&rows.to_string());
    for one in found {
        text += &method_text(one);
        text += &claim_text(one);
        text += &budget_text(one);
        text += &guess_text(one);
    }
    if found.iter().any(|one| one.source == Source::Certificate) {
        text += "\nFindings marked “when it was made” are those of the certificate: the release alone is not enough to repeat the attack.\n";
    }
    text
}

/// What somebody claims who guesses how people are, in sentences.
fn guess_text(one: &Reported) -> String {
    if one.finding.highest_belief_is != BeliefWord::Claimed {
        return String::new();
    }
    format!(
        "\n{}\n  An attacker who knows {} claims more than one half about {}. {CLAIMS}\n",
        one.subject(),
        one.finding.knowledge,
        counted(one.finding.people, "record"),
    )
}

/// What a reader must know of claims.
pub const CLAIMS: &str =
    "Such claims are often wrong: how often depends on the original, and is for the custodian to know.";

/// How often guesses are right, for the custodian; `None` if they were not compared with the truth.
pub fn hits_text(finding: &Finding) -> Option<String> {
    let (right, by_shares) = (finding.detail(GUESSED_RIGHT)?, finding.detail(RIGHT_BY_SHARES)?);
    let sure =
        finding.detail(RIGHT_WHEN_SURE).map(|sure| format!("; claims above 90 % are right for {}", percent(sure)));
    let left_out = match finding.detail(LEFT_OUT) {
        Some(people) if people > 0.0 => {
            format!(" The attack leaves out large groups, with {}.", counted(people as u64, "record"))
        }
        _ => String::new(),
    };
    Some(format!(
        "The best guess is right for {} of the people attacked, the most frequent value of each group for {}{}.{left_out}",
        percent(right),
        percent(by_shares),
        sure.unwrap_or_default()
    ))
}

/// What a budget of knowledge leads to, in a sentence.
fn budget_text(one: &Reported) -> String {
    let Some(people) = one.detail("people_above") else { return String::new() };
    let above = one.finding.params.get("above").and_then(Value::as_str).unwrap_or_default();
    let promised = match one.finding.limit {
        Some(limit) => format!("The tightest limit on that is {}.", percent(limit)),
        None => "No limit is set for this attack.".to_string(),
    };
    let (knowledge, people) = (&one.finding.knowledge, counted(people as u64, "record"));
    format!(
        "\n{}\n  An attacker who knows {knowledge} reaches a belief above {above} about {people}. {promised}\n",
        one.subject()
    )
}

/// What knowing how records were withheld discloses, in a sentence.
fn claim_text(one: &Reported) -> String {
    let Some(claimed) = one.detail(CLAIMED_BELIEF) else { return String::new() };
    let (subject, highest) = (one.subject(), one.finding.highest_belief);
    if one.detail(UNDECIDED_PEOPLE).is_some_and(|people| people > 0.0) {
        return format!("\n{subject}\n  The attack is inconclusive: nothing is claimed about it.\n");
    }
    let end = if highest > claimed { "That is more than was claimed" } else { "No more was claimed" };
    format!(
        "\n{subject}\n  The belief of an attacker who knows {} in which value was the most frequent is at most {}. {end}: {}.\n",
        one.finding.knowledge,
        percent(highest),
        percent(claimed),
    )
}

/// What knowing the method discloses, in sentences.
fn method_text(one: &Reported) -> String {
    let Some(share) = one.detail(VULNERABLE_SHARE) else { return String::new() };
    let belief = percent(one.finding.highest_belief);
    let highest = match one.detail("max_belief_times_l") {
        Some(times) if times > 0.0 => format!("{belief} ({} × the promised limit)", number(times)),
        _ => belief,
    };
    let count = |name: &str| one.detail(name).unwrap_or(0.0) as u64;
    let (groups, people) = (count("undecided_groups"), count(UNDECIDED_PEOPLE));
    // Where groups are undecided, both figures may be higher; where records are missing, the
    // belief.
    let at_least = if groups > 0 { "at least " } else { "" };
    let is_least = one.finding.highest_belief_is == BeliefWord::AtLeast;
    let highest = if is_least { format!("at least {highest}") } else { highest };
    let about = match share > 0.0 || groups == 0 {
        true => format!(
            "An attacker who knows the method believes more than is promised about {at_least}{} of the records",
            percent(share)
        ),
        false => {
            "No record was found about which an attacker who knows the method believes more than is promised".into()
        }
    };
    let mut text = format!("\n{}\n  {about}; the highest belief is {highest}.\n", one.subject());
    if let Some(bound) = one.detail(BOUND) {
        text += &format!("  By the theory of this method, no belief exceeds {}.\n", percent(bound));
    }
    if groups > 0 {
        let (groups, people) = (counted(groups, "group"), counted(people, "record"));
        text += &format!("  The attack is inconclusive for {groups} with {people}: nothing is claimed about them.\n");
    }
    text
}
