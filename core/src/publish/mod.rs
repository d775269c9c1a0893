//! The one pipeline: from a plan and a table to a recoded table that was audited and attacked.
//!
//! The method decides; the table is recoded by that decision; the recoded table is grouped from scratch and audited, whatever the method believed; then it is attacked, and its
//! utility measured. Writing it is another layer's work.

mod describe;
mod everybody;
mod idle;
mod infeasible;
mod pipeline;
mod skewed;
pub mod transactions;

pub use crate::anonymize::{Class, Considered};
pub use pipeline::{Made, make};

use crate::attack::Finding;
use crate::audit::Answer;
use crate::data::Role;
use crate::kind::{Kind, Params};
use crate::recode::Form;
use crate::skew;

/// Everything that is known about a release: what reports and certificates are made from.
#[derive(Clone)]
pub struct Publication {
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
    /// What attacks found.
    pub attacks: Vec<Finding>,
    /// Whether an attack that finds too much stops the release.
    pub attacks_refuse: bool,
    /// Metrics with their values.
    pub utility: Vec<(&'static str, f64)>,
    /// How well a classifier predicts the target before and after, if the plan names one.
    pub classification: Option<Classification>,
    /// Sizes of groups with the number of groups of that size, ascending.
    pub group_sizes: Vec<(u64, u64)>,
    /// The distribution of every sensitive column before and after.
    pub sensitive: Vec<Distribution>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl Publication {
    /// How many records the method that formed groups had: all but those withheld for a too frequent value.
    pub fn grouped(&self) -> usize {
        self.published + self.suppressed
    }

    /// The attacks that found more than the criteria promise or the plan tolerates.
    pub fn excessive(&self) -> impl Iterator<Item = &Finding> {
        self.attacks.iter().filter(|finding| finding.above_limit > 0)
    }
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
    /// For a quasi-identifier that is published on one level: which.
    pub level: Option<ColumnLevel>,
    /// For a quasi-identifier the share of its information that was kept (1 for values as they were, 0 for `*`).
    pub kept: Option<f64>,
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
    /// Records withheld.
    pub withheld: u64,
}

impl SkewReport {
    /// What a reader might take for promised and is not.
    pub fn not_promised(&self) -> [String; 4] {
        [
            format!("Nothing hides the most frequent value of \"{}\" from somebody who knows already which it is, or what is likely to be frequent.", self.on),
            "What is said is about the most frequent value alone: that another one was too frequent as well is not hidden.".to_string(),
            "Records were withheld first because of their values: whoever sees that a person is missing may believe more about that person's value than about those who are published.".to_string(),
            "Which records were withheld was drawn once. Whoever draws again until an outcome pleases, or publishes two outcomes, voids what is said about it.".to_string(),
        ]
    }

    /// What a reader should know about it.
    pub fn sentence(&self) -> String {
        let suppression = skew::make(self.method);
        let promise = match suppression.keeps_to_limit() {
            true => "No value is believed by more than",
            false => "It was claimed, and does not always hold, that no value is believed by more than",
        };
        format!(
            "The most frequent value of \"{}\" had more than one in {} of {} records, of which {} were withheld first ({}). {promise} 1/{} to be that one by somebody who knows {}.",
            self.on,
            self.l,
            self.records,
            self.withheld,
            self.method.name,
            self.l,
            suppression.knowledge(),
        )
    }
}

/// How groups were formed.
#[derive(Clone, Debug)]
pub struct MethodReport {
    /// The method's name.
    pub name: &'static str,
    /// Its parameters, those that it worked out itself included.
    pub params: Params,
    /// What its choices depend on.
    pub class: Class,
    /// Whether its random choices can be repeated by whoever knows the seed: then the release is not for release.
    pub insecure_seed: bool,
    /// The search over levels, if it was one.
    pub search: Option<SearchReport>,
}

/// A search over the levels of quasi-identifiers.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// The metric that chose among candidates.
    pub metric: &'static str,
    /// The chosen candidate's value of that metric.
    pub value: f64,
    /// The level of every quasi-identifier.
    pub levels: Vec<(String, usize)>,
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
}

/// A sensitive column before and after.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// The column.
    pub column: String,
    /// Its values, most frequent first.
    pub values: Vec<String>,
    /// How many records have each.
    pub before: Vec<u64>,
    /// How many published records have each.
    pub after: Vec<u64>,
}
