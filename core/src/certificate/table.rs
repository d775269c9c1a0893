//! Certificates of releases of tables.

use super::parts::{AttacksWord, FormulasWord, MemberDeclared, MethodDeclared, Named, RiskFigures, Share, WrittenBy};
use super::parts::{point_entries, settings};
use crate::attack::{self, DecidedBy};
use crate::audit::Answer;
use crate::criterion::Requirement;
use crate::publish::{Exposure, Publication, SkewReport};
use crate::recode::{Form, Suppressed};
use crate::skew;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;

/// What is declared: the plan as far as everybody may know it, and how to read the release.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Declared {
    /// What wrote it.
    pub sfumato: WrittenBy,
    /// What the release is called.
    pub title: Option<String>,
    /// Its day.
    pub date: Option<String>,
    /// The form of the release.
    pub form: Form,
    /// How many records there were.
    pub records: u64,
    /// How many of them are missing, but for those that are stated to be withheld.
    pub suppressed: u64,
    /// What became of those.
    pub suppressed_as: Suppressed,
    /// How records of a too frequent value were withheld, if they were.
    pub skew: Option<SkewDeclared>,
    /// The seals of earlier releases of the same table.
    pub earlier_releases: Vec<String>,
    /// How groups were formed.
    pub method: MethodDeclared,
    /// What was required.
    pub criteria: Vec<CriterionDeclared>,
    /// What else the plan says.
    pub plan: PlanDeclared,
    /// The file with the published records.
    pub data: String,
    /// The file with the sensitive values of a bucketized release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<String>,
    /// What became of cells that a spreadsheet would run, in text formats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formulas: Option<FormulasWord>,
}

/// How records of a too frequent value were withheld.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SkewDeclared {
    /// The way.
    pub method: String,
    /// The sensitive column.
    pub on: String,
    /// Among how many values the most frequent one is to hide.
    pub l: u64,
    /// How many, where that is told.
    pub withheld: Option<u64>,
}

impl From<&SkewReport> for SkewDeclared {
    fn from(skew: &SkewReport) -> Self {
        let (method, on) = (skew.method.name.to_string(), skew.on.clone());
        SkewDeclared { method, on, l: skew.l, withheld: skew.withheld }
    }
}

/// A requirement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriterionDeclared {
    /// The criterion's name.
    pub criterion: String,
    /// The sensitive columns that it is about.
    pub on: Option<Columns>,
    /// Its parameters.
    pub params: Named<Value>,
}

/// One column, or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Columns {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl CriterionDeclared {
    /// The columns that it is about.
    pub fn columns(&self) -> &[String] {
        match &self.on {
            None => &[],
            Some(Columns::One(column)) => std::slice::from_ref(column),
            Some(Columns::Several(columns)) => columns,
        }
    }
}

impl From<&Requirement> for CriterionDeclared {
    fn from(wanted: &Requirement) -> Self {
        let on = match wanted.on.as_slice() {
            [] => None,
            [column] => Some(Columns::One(column.clone())),
            columns => Some(Columns::Several(columns.to_vec())),
        };
        let MemberDeclared { name, params } = (&wanted.criterion).into();
        CriterionDeclared { criterion: name, on, params }
    }
}

/// What a plan says besides.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlanDeclared {
    /// The columns.
    pub columns: Vec<ColumnDeclared>,
    /// The attacks.
    pub attacks: Vec<AttemptDeclared>,
    /// Insensitive columns that the plan accepts although they may disclose something.
    pub accepted_insensitive: Vec<String>,
    /// The largest share of records that may be suppressed.
    pub max_suppressed: Option<Share>,
    /// What chose among safe candidates, if the method chooses levels.
    pub metric: Option<MemberDeclared>,
    /// Limits on all attacks.
    pub gate: LimitsDeclared,
}

/// A column of a plan.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ColumnDeclared {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// Whether it is in the release.
    pub published: bool,
    /// Published values that need protection, if only some do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive_values: Option<Vec<String>>,
    /// Published values in their order, if the plan says one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// The type of its values.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    /// How much a quasi-identifier counts beside the others, if not one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Number>,
    /// The level that it is published on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// The height of its hierarchy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<usize>,
    /// What the width of its labels is measured by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_by: Option<String>,
    /// The range that labels of numbers or dates are measured against, if the hierarchy tells one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<String>,
    /// How many leaves its hierarchy has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves: Option<u32>,
    /// How many of them stand under each label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves_under: Option<BTreeMap<String, u32>>,
}

/// An attack of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AttemptDeclared {
    /// Its name.
    pub attack: String,
    /// Its parameters.
    pub params: Named<Value>,
    /// The plan's limit on it.
    pub max_belief: Option<Share>,
    /// Whether the plan names it.
    pub named: bool,
}

/// Limits on all attacks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct LimitsDeclared {
    /// What becomes of a release that exceeds them.
    pub attacks: AttacksWord,
    /// The most that may be believed.
    pub max_belief: Option<Share>,
    /// The largest chance to pick a person's record.
    pub max_risk: Option<Share>,
}

/// What follows from what is declared and the published files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// How well the most frequent value is hidden, if records were withheld for that.
    pub skew: Option<SkewFigures>,
    /// What follows about the method.
    pub method: MethodFigures,
    /// Every criterion with its verdict.
    pub criteria: Vec<VerdictFigures>,
    /// Published records.
    pub published: u64,
    /// Groups of them.
    pub groups: u64,
    /// The chance to pick a person's record.
    pub reidentification_risk: Option<RiskFigures>,
    /// What attacks found.
    pub attacks: Vec<FindingFigures>,
    /// Attacks that were made besides.
    pub undisclosed_attacks: Vec<String>,
    /// What insensitive columns disclose: nobody decides by it, so this is written only.
    #[serde(skip_deserializing)]
    pub insensitive: Exposure,
    /// The share of the quasi-identifiers' information that is kept.
    pub information_kept: KeptFigures,
    /// Metrics with their values.
    pub utility: Named<Option<Number>>,
    /// What the attacker is assumed to know.
    pub knowledge_assumed: Vec<String>,
    /// What a reader might take for promised and is not.
    pub not_promised: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// How well the most frequent value is hidden.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SkewFigures {
    /// The belief that is not exceeded, as its authors claim.
    pub claimed_belief: f64,
    /// Whether that is so.
    pub is_kept: bool,
    /// From whom it is hidden.
    pub knowledge: String,
}

impl From<&SkewReport> for SkewFigures {
    fn from(skew: &SkewReport) -> Self {
        let suppression = skew::make(skew.method);
        SkewFigures {
            claimed_belief: 1.0 / skew.l as f64,
            is_kept: suppression.keeps_to_limit(),
            knowledge: suppression.knowledge().to_string(),
        }
    }
}

/// What follows about the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MethodFigures {
    /// What its choices depend on.
    pub class: String,
    /// The metric that chose levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Named<usize>>,
}

/// A verdict.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VerdictFigures {
    /// Whether it holds.
    pub holds: bool,
    /// What was measured.
    pub measured: Option<f64>,
    /// What was measured besides. Names are the criterion's own, so this is written only.
    #[serde(flatten, skip_deserializing)]
    pub also: Named<f64>,
    /// The points of a skyline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<Map<String, Value>>>,
    /// The group that decides.
    pub worst_group: WorstGroup,
    /// What violates it.
    pub violating: Violating,
    /// Whether it can be checked from the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
}

/// The group that decides.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorstGroup {
    /// Its size.
    pub size: Option<u64>,
    /// Its first record.
    pub first_record: Option<usize>,
}

/// What violates a criterion.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Violating {
    /// Groups.
    pub groups: u64,
    /// Records in them.
    pub records: u64,
}

impl From<&Answer> for VerdictFigures {
    fn from(answer: &Answer) -> Self {
        let verdict = &answer.verdict;
        let points = answer.points().map(|(point, reached)| {
            let mut entries = point_entries(point);
            entries.insert("measured".to_string(), reached.measured.into());
            entries.insert("holds".to_string(), reached.holds.into());
            entries
        });
        let points: Vec<Map<String, Value>> = points.collect();
        VerdictFigures {
            holds: verdict.holds,
            measured: verdict.measured,
            also: verdict.also.iter().map(|(name, value)| (format!("measured_{name}"), *value)).collect(),
            points: Some(points).filter(|points| !points.is_empty()),
            worst_group: WorstGroup { size: verdict.worst.map(|worst| worst.size), first_record: answer.worst_record },
            violating: Violating { groups: verdict.violating.groups, records: verdict.violating.records },
            checked: None,
        }
    }
}

/// What an attack found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FindingFigures {
    /// The attack.
    pub attack: String,
    /// Its parameters.
    pub params: Named<Value>,
    /// The sensitive column.
    pub on: Option<String>,
    /// What the attacker was granted.
    pub knowledge: String,
    /// The highest belief.
    pub highest_belief: f64,
    /// Whether that is exact.
    pub highest_belief_is: BeliefWord,
    /// People affected.
    pub people: u64,
    /// Groups that they are in.
    pub groups: u64,
    /// The tightest limit.
    pub limit: Option<f64>,
    /// People above it.
    pub above_limit: u64,
    /// Further numbers.
    pub details: Named<Detail>,
    /// Whether the release alone is enough to repeat it.
    pub repeatable: bool,
}

/// A further figure of an attack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Detail {
    /// A number.
    Number(f64),
    /// How many people were decided about in which way.
    DecidedBy(DecidedBy),
}

impl Detail {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Detail::Number(number) => Some(*number),
            Detail::DecidedBy(_) => None,
        }
    }
}

fn details(finding: &attack::Finding) -> Named<Detail> {
    let numbers = finding.details.iter().map(|&(name, value)| (name, Detail::Number(value)));
    numbers.chain(finding.decided_by.map(|decided| (DECIDED_BY, Detail::DecidedBy(decided)))).collect()
}

/// The detail that tells how many people were decided about in which way.
const DECIDED_BY: &str = "decided_by";

/// Whether a belief is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BeliefWord {
    /// It is.
    #[serde(rename = "exact")]
    Exact,
    /// It is a lower bound.
    #[serde(rename = "at least")]
    AtLeast,
    /// It is what the attacker claims, who may be wrong.
    #[serde(rename = "claimed")]
    Claimed,
}

impl From<&attack::Finding> for FindingFigures {
    fn from(finding: &attack::Finding) -> Self {
        FindingFigures {
            attack: finding.attack.to_string(),
            params: settings(&finding.params),
            on: finding.on.clone(),
            knowledge: finding.knowledge.clone(),
            highest_belief: finding.highest.to_f64(),
            highest_belief_is: match () {
                () if finding.is_claim => BeliefWord::Claimed,
                () if finding.is_lower_bound => BeliefWord::AtLeast,
                () => BeliefWord::Exact,
            },
            people: finding.people,
            groups: finding.groups,
            limit: finding.limit.map(|limit| limit.belief.to_f64()),
            above_limit: finding.above_limit,
            details: details(finding),
            repeatable: finding.repeatable,
        }
    }
}

/// The share of the quasi-identifiers' information that is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptFigures {
    /// Of all, by their weights.
    pub overall: f64,
    /// Of each.
    pub columns: Named<f64>,
    /// Of single records.
    pub records: RecordFigures,
}

/// How much single records keep.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RecordFigures {
    /// The share of all records that keep at least half.
    pub at_least_half: f64,
    /// What the published record keeps that keeps least.
    pub least: f64,
}

/// What the attacker is assumed to know.
const KNOWLEDGE: [&str; 3] = [
    "The release, this certificate and how the release was made: the plan, the method, its parameters and the hierarchies are public.",
    "Every person's quasi-identifiers, that the person is in the table, and so how many records there were.",
    "For each attack, what it states besides.",
];

/// What no certificate of this kind promises.
const NOT_PROMISED: [&str; 6] = [
    "This is not differential privacy: the criteria bound what a reader of this release can infer under the knowledge stated, not under any knowledge.",
    "The criteria hold for the listed quasi-identifiers only. Whoever knows another column of a person may single them out by it.",
    "That a person is in the table is not hidden.",
    "Nothing is promised about several releases of the same people taken together. Earlier releases that are declared are those of the same table that stand in the record of the machine that made this one; others are not known.",
    "Who was suppressed is not hidden: whoever knows everybody's quasi-identifiers sees which combinations are missing, and that those people's group did not satisfy the criteria.",
    "Insensitive columns that are published are published as they are.",
];

/// What neither hashes nor a seal show.
pub(super) const SEAL: &str = "Neither the hashes nor the seal show who made this release: a forger can make all of it anew, certificate and seal included. Compare the seal with one that the publisher gave you in another way (`sfumato verify --seal`), or check the publisher's signature with a public key that you have from them (`sfumato verify --key`).";

impl From<&Publication> for Figures {
    fn from(publication: &Publication) -> Self {
        let certified = |answer: &Answer| VerdictFigures { checked: Some(answer.is_checked), ..answer.into() };
        let of_skew = publication.skew.iter().flat_map(SkewReport::not_promised);
        let chosen = publication.method.chosen.as_ref();
        let kept = publication.columns.iter().filter_map(|column| Some((column.name.clone(), column.kept?)));
        Figures {
            skew: publication.skew.as_ref().map(SkewFigures::from),
            method: MethodFigures {
                class: publication.method.class.name().to_string(),
                metric: chosen.map(|chosen| chosen.metric.to_string()),
                levels: chosen.map(|chosen| chosen.levels.iter().cloned().collect()),
            },
            criteria: publication.criteria.iter().map(certified).collect(),
            published: publication.published as u64,
            groups: publication.groups as u64,
            reidentification_risk: publication.risk.map(RiskFigures::from),
            attacks: publication.attacks.iter().map(FindingFigures::from).collect(),
            undisclosed_attacks: publication.undisclosed.clone(),
            insensitive: publication.exposure.clone(),
            information_kept: KeptFigures {
                overall: publication.information_kept.overall,
                columns: kept.collect(),
                records: RecordFigures {
                    at_least_half: publication.information_kept.at_least_half,
                    least: publication.information_kept.least,
                },
            },
            utility: publication.utility.iter().map(|(name, value)| (*name, whole_or_real(*value))).collect(),
            knowledge_assumed: KNOWLEDGE.map(str::to_string).to_vec(),
            not_promised: NOT_PROMISED.into_iter().chain([SEAL]).map(str::to_string).chain(of_skew).collect(),
            notes: publication.notes.clone(),
        }
    }
}

/// Whole numbers without a point; nothing where there is no number.
pub(crate) fn whole_or_real(value: f64) -> Option<Number> {
    match value.fract() == 0.0 && value.abs() < 9e15 {
        true => Some((value as i64).into()),
        false => Number::from_f64(value),
    }
}
