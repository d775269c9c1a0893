//! Certificates of releases of sets of items.

use super::parts::{
    DataKind, FormulasWord, GateDeclared, MemberDeclared, MethodDeclared, Named, RiskFigures, WrittenBy,
};
use super::table::SEAL;
use crate::publish::transactions::{Answer, Finding, NamedRule, Publication, SensitiveSource, worst_rule};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is declared: the plan as far as everybody may know it, and how to read the release.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Declared {
    /// What wrote it.
    pub sfumato: WrittenBy,
    /// That it is about sets of items.
    pub kind: DataKind,
    /// What the release is called.
    pub title: Option<String>,
    /// Its day.
    pub date: Option<String>,
    /// The form of the release.
    pub form: FormWord,
    /// Whether items were replaced by coarser ones.
    pub generalized: bool,
    /// What stands between items.
    pub delimiter: char,
    /// The order of lines.
    pub order: OrderWord,
    /// How the plan says which items are sensitive.
    pub sensitive: SensitiveDeclared,
    /// How the release was made.
    pub method: MethodDeclared,
    /// What was required.
    pub criteria: Vec<CriterionDeclared>,
    /// The attacks.
    pub attacks: Vec<AttackDeclared>,
    /// What becomes of a release of which attacks find too much.
    pub gate: GateDeclared,
    /// The seals of earlier releases of the same records.
    pub earlier_releases: Vec<String>,
}

/// The form of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormWord {
    /// Sensitive items are in the records.
    Together,
    /// Sensitive items are told for groups of records.
    Separated,
}

/// The order of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OrderWord {
    /// As in the input.
    Input,
    /// Drawn at random.
    Random,
}

/// How a plan says which items are sensitive.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SensitiveDeclared {
    /// By a file of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// As a share of all kinds of items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<String>,
    /// What the draw depends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl From<&SensitiveSource> for SensitiveDeclared {
    fn from(source: &SensitiveSource) -> Self {
        let none = SensitiveDeclared::default();
        match source {
            SensitiveSource::File(name) => SensitiveDeclared { file: Some(name.clone()), ..none },
            SensitiveSource::Share { written, seed } => {
                SensitiveDeclared { share: Some(written.clone()), seed: Some(*seed), ..none }
            }
            SensitiveSource::Items => none,
        }
    }
}

/// A requirement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CriterionDeclared {
    /// The criterion's name.
    pub criterion: String,
    /// Its parameters.
    pub params: Named<Value>,
}

/// An attack.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AttackDeclared {
    /// Its name.
    pub attack: String,
    /// Its parameters.
    pub params: Named<Value>,
}

impl From<MemberDeclared> for CriterionDeclared {
    fn from(MemberDeclared { name, params }: MemberDeclared) -> Self {
        CriterionDeclared { criterion: name, params }
    }
}

impl From<MemberDeclared> for AttackDeclared {
    fn from(MemberDeclared { name, params }: MemberDeclared) -> Self {
        AttackDeclared { attack: name, params }
    }
}

impl From<&Publication> for Declared {
    fn from(publication: &Publication) -> Self {
        let MemberDeclared { name, params } = (&publication.method).into();
        let criterion = |answer: &Answer| MemberDeclared::from(&answer.wanted).into();
        let attack = |finding: &Finding| MemberDeclared::from(&finding.attack).into();
        Declared {
            sfumato: WrittenBy::own(),
            kind: DataKind::Transactions,
            title: publication.heading.title.clone(),
            date: publication.heading.date.clone(),
            form: if publication.groups.is_some() { FormWord::Separated } else { FormWord::Together },
            generalized: publication.is_generalized,
            delimiter: publication.delimiter,
            order: if publication.keeps_order { OrderWord::Input } else { OrderWord::Random },
            sensitive: (&publication.sensitive).into(),
            method: MethodDeclared { name, params, chosen_among: Vec::new(), insecure_seed: publication.insecure_seed },
            criteria: publication.criteria.iter().map(criterion).collect(),
            attacks: publication.attacks.iter().map(attack).collect(),
            gate: GateDeclared::of(publication.attacks_refuse),
            earlier_releases: Vec::new(),
        }
    }
}

/// What follows from what is declared and the published files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Records.
    pub records: u64,
    /// Kinds of items.
    pub published_items: u64,
    /// Items of all records.
    pub published_occurrences: u64,
    /// Groups of records that sensitive items are told for.
    pub groups: Option<u64>,
    /// How many items are sensitive.
    pub sensitive: SensitiveFigures,
    /// Every criterion with its verdict.
    pub criteria: Vec<VerdictFigures>,
    /// The most confident rule that any criterion found.
    pub worst_rule: Option<RuleFigures>,
    /// The chance to pick a person's record.
    pub reidentification_risk: Option<RiskFigures>,
    /// What attacks found.
    pub attacks: Vec<FindingFigures>,
    /// What the attacker is assumed to know.
    pub knowledge_assumed: Vec<String>,
    /// What a reader might take for promised and is not.
    pub not_promised: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// The file with the records.
    pub data: String,
    /// What became of cells that a spreadsheet would run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formulas: Option<FormulasWord>,
}

/// How many items are sensitive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SensitiveFigures {
    /// Names in the list.
    pub listed: u64,
    /// Kinds of them in the release.
    pub kinds: u64,
}

/// A verdict.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VerdictFigures {
    /// Whether it holds.
    pub holds: bool,
    /// The highest confidence.
    pub measured: Option<f64>,
    /// The most confident rule.
    pub worst_rule: Option<RuleFigures>,
    /// How many rules were looked at: about the search, not the release, and not in certificates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looked_at: Option<u64>,
    /// Whether no rule is more confident.
    pub exhaustive: bool,
}

impl From<&Answer> for VerdictFigures {
    fn from(answer: &Answer) -> Self {
        VerdictFigures {
            holds: answer.holds,
            measured: answer.worst.as_ref().map(|rule| rule.confidence().to_f64()),
            worst_rule: answer.worst.as_ref().map(RuleFigures::from),
            looked_at: None,
            exhaustive: answer.is_exhaustive,
        }
    }
}

/// A rule: what is known, what is inferred, and how surely.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RuleFigures {
    /// What is known.
    pub antecedent: Vec<String>,
    /// What is inferred.
    pub consequent: String,
    /// Records with all of it.
    pub support: u64,
    /// Records with what is known.
    pub of: u64,
    /// The share.
    pub confidence: f64,
}

impl From<&NamedRule> for RuleFigures {
    fn from(rule: &NamedRule) -> Self {
        RuleFigures {
            antecedent: rule.antecedent.clone(),
            consequent: rule.consequent.clone(),
            support: rule.support,
            of: rule.of,
            confidence: rule.confidence().to_f64(),
        }
    }
}

/// What an attack found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FindingFigures {
    /// Rules more confident than is demanded, if they could be counted.
    pub above: Option<u64>,
    /// Records that they tell something of.
    pub people: u64,
    /// Whether all rules were looked at.
    pub exhaustive: bool,
    /// The most confident rules.
    pub rules: Vec<RuleFigures>,
}

impl From<&Finding> for FindingFigures {
    fn from(finding: &Finding) -> Self {
        FindingFigures {
            above: finding.above,
            people: finding.people,
            exhaustive: finding.above.is_some(),
            rules: finding.rules.iter().map(RuleFigures::from).collect(),
        }
    }
}

/// What the attacker is assumed to know.
const KNOWLEDGE: [&str; 3] = [
    "The release, and which items are sensitive.",
    "Any items that a person has, sensitive ones among them, as many as each criterion grants.",
    "That the person is in the data.",
];

/// Records, one per line.
pub const DATA: &str = "data.dat";

impl From<&Publication> for Figures {
    fn from(publication: &Publication) -> Self {
        Figures {
            records: publication.records,
            published_items: publication.published_items,
            published_occurrences: publication.published_occurrences,
            groups: publication.groups,
            sensitive: SensitiveFigures {
                listed: publication.sensitive_listed,
                kinds: publication.published_sensitive,
            },
            criteria: publication.criteria.iter().map(VerdictFigures::from).collect(),
            worst_rule: worst_rule(&publication.criteria).map(RuleFigures::from),
            reidentification_risk: publication.risk.map(RiskFigures::from),
            attacks: publication.attacks.iter().map(FindingFigures::from).collect(),
            knowledge_assumed: KNOWLEDGE.map(str::to_string).to_vec(),
            not_promised: publication.not_promised().into_iter().chain([SEAL.to_string()]).collect(),
            notes: publication.notes.clone(),
            data: DATA.to_string(),
            formulas: publication.groups.map(|_| FormulasWord::Escaped),
        }
    }
}
