//! The one pipeline: from a plan and data to what may be published, audited and attacked.
//!
//! `stages.rs` has the order of stages, `pipeline.rs` what tables do in each, `sets.rs` what sets
//! of items do, and `gate.rs` who passes. Writing is another layer's work.

mod choice;
mod describe;
mod exposure;
mod gate;
mod idle;
mod infeasible;
mod notes;
mod pipeline;
mod sets;
mod skewed;
mod stages;
pub mod transactions;

pub use crate::anonymize::{Class, Considered};
pub(crate) use describe::group_sizes;
pub use exposure::{ColumnExposure, Disclosure, Exposure, Promised, TOLERATED_PERCENT, ValueDisclosure};
pub use gate::{Draft, Gated};
pub(crate) use notes::{MISSING, missing_note};
pub use notes::{coarse_note, standing_notes};
pub use pipeline::Made;
pub use skewed::DeclaredSkew;
pub use stages::{Stages, Work, make};

use crate::anonymize::auto;
use crate::attack::{Finding, Reidentification};
use crate::audit::Answer;
use crate::data::hierarchy::Ruler;
use crate::data::{ColumnSpec, Role, Table, Weight};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Params};
use crate::plan::Heading;
use crate::recode::Form;
use crate::skew;
use crate::utility::information;

/// What is said about a release: what reports and certificates are made from.
///
/// [`make`] says everything, for the custodian. What is said in public is made anew from the files
/// of the release, and leaves out whatever needs the original (`release::verify`).
#[derive(Clone)]
pub struct Publication {
    /// What the release is called, and its day.
    pub heading: Heading,
    /// Records in the table.
    pub records: usize,
    /// Records published with their values.
    pub published: usize,
    /// Records suppressed by the method that formed groups.
    pub suppressed: usize,
    /// What was withheld before, because a sensitive value was too frequent.
    pub skew: Option<SkewReport>,
    /// Whether suppressed records are published as stars.
    pub starred: bool,
    /// The form of the release.
    pub form: Form,
    /// Groups of published records that look alike, or share a group number.
    pub groups: usize,
    /// The columns of the plan.
    pub columns: Vec<ColumnReport>,
    /// How groups were formed.
    pub method: MethodReport,
    /// Every requirement with its verdict.
    pub criteria: Vec<Answer>,
    /// The chance to pick a person's record; `None` if there is no record, or people have several.
    pub risk: Option<Reidentification>,
    /// What attacks found.
    pub attacks: Vec<Finding>,
    /// The names of attacks that were made and whose findings are for the custodian alone, because
    /// they depend on more than what is published.
    pub undisclosed: Vec<String>,
    /// What columns that the plan calls insensitive disclose.
    pub exposure: Exposure,
    /// Whether an attack that finds too much stops the release.
    pub attacks_refuse: bool,
    /// The share of the quasi-identifiers' information that is kept.
    pub information_kept: information::Kept,
    /// Metrics with their values.
    pub utility: Vec<(&'static str, f64)>,
    /// How well a classifier predicts the target before and after, if the plan names one. For the
    /// custodian alone.
    pub classification: Option<Classification>,
    /// Sizes of groups with the number of groups of that size, ascending.
    pub group_sizes: Vec<(u64, u64)>,
    /// The distribution of every sensitive column before and after.
    pub sensitive: Vec<Distribution>,
    /// How many earlier releases of the same table are known.
    pub earlier: usize,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl Publication {
    /// How many records the method that formed groups had: all but those withheld for a too
    /// frequent value.
    pub fn grouped(&self) -> usize {
        self.published + self.suppressed
    }

    /// What a reader must know before relying on a release whose criteria hold: attacks that are
    /// inconclusive, beliefs beyond what the criteria promise, and certainty.
    pub fn caveats(&self) -> Vec<String> {
        let share = |people: f64| format!("{:.1} %", 100.0 * people);
        let mut caveats = Vec::new();
        let vulnerable = self.attacks.iter().filter_map(Finding::vulnerable_share).reduce(f64::max);
        caveats.extend(vulnerable.map(|people| {
            let few = people < 0.0005;
            let whom = if few { "some records".into() } else { format!("at least {} of the records", share(people)) };
            format!("But an attacker who knows the method believes more than is promised about {whom}.")
        }));
        let published = self.published.max(1) as f64;
        let undecided = self.attacks.iter().filter_map(|finding| Some((finding.attack, finding.undecided_people()?)));
        caveats.extend(undecided.max_by_key(|(_, people)| *people).map(|(attack, people)| {
            format!("The {attack} attack is inconclusive for {} of the records.", share(people as f64 / published))
        }));
        let is_certain = |finding: &&Finding| finding.claimed_belief().is_none() && finding.highest == Fraction::ONE;
        let certain: Vec<&str> = self.attacks.iter().filter(is_certain).map(|finding| finding.attack).collect();
        if !certain.is_empty() {
            caveats.push(format!("An attack becomes certain about somebody: {}.", listed_once(&certain)));
        }
        if let Some((finding, claimed)) = self.attacks.iter().find_map(|one| Some((one, one.broken_claim()?))) {
            caveats.push(format!(
                "And an attacker who knows how records were withheld infers which value was the most frequent with a belief of {}, where {} was claimed.",
                share(finding.highest.to_f64()),
                share(claimed)
            ));
        }
        caveats.extend(self.exposure.headline());
        if !self.columns.iter().any(|column| column.role == Role::Sensitive) {
            caveats.push(
                "No column is declared sensitive: no criterion limits what an attacker learns from the release.".into(),
            );
        }
        caveats.extend(earlier_sentence(self.earlier));
        caveats
    }

    /// The mark of its headline, the same wherever it stands: ✗ where a criterion does not hold or
    /// an attack exceeds its limit, ! where a reader must know something before relying on it.
    pub fn mark(&self) -> char {
        let fails = self.criteria.iter().any(|answer| !answer.verdict.holds) || self.excessive().next().is_some();
        match () {
            () if fails => '✗',
            () if self.caveats().is_empty() => '✓',
            () => '!',
        }
    }

    /// The attacks that found more than the criteria promise or the plan tolerates, or could not
    /// decide whether they did.
    pub fn excessive(&self) -> impl Iterator<Item = &Finding> {
        self.attacks.iter().filter(|finding| finding.above_limit > 0)
    }
}

/// What is said of a release of which so many earlier ones of the same table are known.
pub fn earlier_sentence(earlier: usize) -> Option<String> {
    (earlier > 0).then(|| {
        format!(
            "This is release {} of the same table: together they may disclose more than is stated here.",
            earlier + 1
        )
    })
}

/// Names, each once, in the order of their first.
fn listed_once(names: &[&str]) -> String {
    let mut once: Vec<&str> = Vec::new();
    for name in names {
        if !once.contains(name) {
            once.push(name);
        }
    }
    once.join(", ")
}

/// One column in a release.
#[derive(Clone, Debug)]
pub struct ColumnReport {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Whether it is in the release.
    pub published: bool,
    /// For a quasi-identifier how much it counts beside the others.
    pub weight: Weight,
    /// For a quasi-identifier that is published on one level: which.
    pub level: Option<ColumnLevel>,
    /// For a quasi-identifier the share of its information that was kept (1 for values as they
    /// were, 0 for `*`).
    pub kept: Option<f64>,
    /// For a quasi-identifier what the width of its labels is measured by.
    pub ruler: Option<Ruler>,
}

impl ColumnReport {
    /// A column of which nothing is measured yet.
    pub fn new(spec: &ColumnSpec, published: bool) -> ColumnReport {
        let (name, role, weight) = (spec.name.clone(), spec.role, spec.weight);
        ColumnReport { name, role, published, weight, level: None, kept: None, ruler: None }
    }
}

/// Measures what is kept of the quasi-identifiers of a published table, each by its ruler.
pub fn measure_kept(reports: &mut [ColumnReport], published: &Table, suppressed: u64) -> Result<information::Kept> {
    let quasi = reports.iter().filter_map(|report| Some((report, report.ruler.as_ref()?)));
    let measured = quasi.map(|(report, ruler)| {
        let column = published.column(&report.name)?;
        Ok(information::Measured { column, ruler, weight: report.weight.to_f64() })
    });
    let (columns, kept) = information::measure(&measured.collect::<Result<Vec<_>>>()?, suppressed);
    let quasi = reports.iter_mut().filter(|report| report.ruler.is_some());
    quasi.zip(columns).for_each(|(report, kept)| report.kept = Some(kept));
    Ok(kept)
}

/// How coarse a quasi-identifier was made.
#[derive(Clone, Copy, Debug)]
pub struct ColumnLevel {
    /// The level.
    pub level: usize,
    /// The height of its hierarchy.
    pub height: usize,
}

/// What was withheld because a sensitive value was too frequent.
#[derive(Clone, Debug)]
pub struct SkewReport {
    /// How.
    pub method: &'static Kind<skew::Build>,
    /// The sensitive column.
    pub on: String,
    /// Among how many values the most frequent one is to hide.
    pub l: u64,
    /// Records before.
    pub records: u64,
    /// Records withheld; nothing in public where the plan lets a method suppress further ones,
    /// because then only how many are missing in all is known.
    pub withheld: Option<u64>,
}

impl SkewReport {
    /// What a reader might take for promised and is not.
    pub fn not_promised(&self) -> [String; 4] {
        [
            format!("The most frequent value of \"{}\" is not hidden from an attacker who knows already which it is, or what is likely to be frequent.", self.on),
            "What is said is about the most frequent value alone: that another one was too frequent as well is not hidden.".to_string(),
            "Records were withheld first because of their values: an attacker who sees that a person is missing may believe more about that person's value than about those who are published.".to_string(),
            "Which records were withheld was drawn once. Drawing again until an outcome pleases, or publishing two outcomes, voids what is said about it.".to_string(),
        ]
    }

    /// What a reader should know about it.
    pub fn sentence(&self) -> String {
        let suppression = skew::make(self.method);
        let promise = match suppression.keeps_to_limit() {
            true => "No value is believed by more than",
            false => "It was claimed, and does not always hold, that no value is believed by more than",
        };
        let done = match self.withheld {
            Some(withheld) => format!(
                "The most frequent value of \"{}\" had more than one in {} of {} records, of which {withheld} were withheld first ({}).",
                self.on, self.l, self.records, self.method.name
            ),
            None => format!(
                "If the most frequent value of \"{}\" had more than one in {} of the records, some were withheld first ({}); how many is not stated.",
                self.on, self.l, self.method.name
            ),
        };
        format!("{done} {promise} 1/{} to be that one by somebody who knows {}.", self.l, suppression.knowledge(),)
    }
}

/// How groups were formed.
#[derive(Clone, Debug)]
pub struct MethodReport {
    /// The method's name.
    pub name: &'static str,
    /// Its parameters, those that it worked out itself included.
    pub params: Params,
    /// The methods that it was chosen among, in the order in which they were to be tried; none
    /// where the plan names it.
    pub among: Vec<&'static str>,
    /// What its choices depend on.
    pub class: Class,
    /// Whether its random choices can be repeated by whoever knows the seed: then the release is
    /// not for release.
    pub insecure_seed: bool,
    /// What was chosen, if it chose levels.
    pub chosen: Option<ChosenLevels>,
    /// How the search over levels went, if it was one. It depends on who has which value, so it is
    /// for the custodian alone.
    pub search: Option<SearchReport>,
}

impl MethodReport {
    /// How the method was chosen, and what that tells, if the plan left the choice open.
    pub fn choice(&self) -> Option<String> {
        let (&first, name) = (self.among.first()?, self.name);
        let listed = self.among.join(", ");
        Some(match auto::tells(&self.among, name) {
            false => format!(
                "The plan leaves the method open: {name} was chosen among {listed}. The choice depends on the plan and on quasi-identifiers, and tells nothing about who has which sensitive value."
            ),
            true => format!(
                "The plan leaves the method open: {name} was chosen among {listed}. {first} would have been the first choice and led to no release within the plan's limits. That depends on sensitive values, and what it tells an attacker is not decided."
            ),
        })
    }
}

/// The transformation that a method chose.
#[derive(Clone, Debug)]
pub struct ChosenLevels {
    /// The metric that chose among candidates.
    pub metric: &'static str,
    /// The level of every quasi-identifier.
    pub levels: Vec<(String, usize)>,
}

/// A search over the levels of quasi-identifiers.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// The chosen candidate's value of the metric.
    pub value: f64,
    /// How many candidates the search space has.
    pub nodes: u64,
    /// How many of them were looked at one by one.
    pub checked: u64,
    /// How many are known to be safe.
    pub safe: u64,
    /// The minimal safe ones, if the method finds them: levels in the order of `levels`.
    pub minimal: Vec<Vec<usize>>,
    /// Whether the whole space was decided.
    pub exhaustive: bool,
    /// What no safe candidate measures less than.
    pub bound: f64,
    /// Candidates that were looked at and safe, for the picture of risk against utility.
    pub considered: Vec<Considered>,
}

/// How well a classifier predicts a column.
#[derive(Clone, Debug)]
pub struct Classification {
    /// The column.
    pub target: String,
    /// From the original quasi-identifiers.
    pub before: f64,
    /// From the published ones.
    pub after: f64,
    /// By always saying the most frequent value.
    pub baseline: f64,
    /// How far the difference of both may be from what it would be for as many other people, 95
    /// times in 100.
    pub margin: f64,
}

impl Classification {
    /// Why the figures may surprise.
    pub fn explained(&self) -> Option<&'static str> {
        match () {
            () if self.after < self.baseline => Some(
                "What was learned from the release is worth less than always saying the most frequent value: the \
                 columns tell little about it, and the classifier takes them to be independent of each other.",
            ),
            () if self.after > self.before + self.margin => {
                Some("Coarser values can predict better than exact ones: each of them has more records to learn from.")
            }
            () => None,
        }
    }
}

/// A sensitive column before and after.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// The column.
    pub column: String,
    /// Its values, most frequent first.
    pub values: Vec<String>,
    /// How many records have each; nothing in public.
    pub before: Option<Vec<u64>>,
    /// How many published records have each.
    pub after: Vec<u64>,
}
