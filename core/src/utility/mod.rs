//! Utility metrics: what a release is still worth. Smaller is better for all of them.
//!
//! A metric measures a [`Candidate`], levels with groups of which some are suppressed, and gives
//! bounds by which a search leaves candidates alone. Sums are kept in integers, so that a value
//! does not depend on the way a candidate was reached.

pub mod average_group_size;
pub mod classification;
pub mod discernibility;
pub mod discernibility_star;
pub mod grouped;
pub mod height;
pub mod information;
pub mod kl_divergence;
pub mod loss;
pub mod non_uniform_entropy;
pub mod precision;
mod published;
pub mod queries;
mod scale;
pub mod suppressed_share;
pub mod variance;

pub use scale::{Fixed, Level, Scale, Scales, UNIT, fixed, times_ln};

use crate::error::Result;
use crate::kind::{self, Kind, Member, Params, Raw};

/// Makes a metric from checked parameters.
pub type Build = fn(&Params) -> Box<dyn Metric>;

/// The metrics: those that look at levels, those that look at groups, those that look at both, and
/// what was left out.
pub const KINDS: [&Kind<Build>; 9] = [
    &height::KIND,
    &precision::KIND,
    &loss::KIND,
    &non_uniform_entropy::KIND,
    &discernibility::KIND,
    &discernibility_star::KIND,
    &average_group_size::KIND,
    &kl_divergence::KIND,
    &suppressed_share::KIND,
];

/// The metric where a plan names none.
pub const DEFAULT: &Kind<Build> = &loss::KIND;

/// The metric with a name; the error offers the nearest.
pub fn find(name: &str) -> Result<&'static Kind<Build>> {
    kind::find(&KINDS, "metric", name)
}

/// Levels with the groups they make, as a metric sees them.
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    /// What levels are worth.
    pub scales: &'a Scales,
    /// The level of every quasi-identifier.
    pub levels: &'a [usize],
    /// How many records each group has.
    pub sizes: &'a [u64],
    /// Whether each group is suppressed.
    pub suppressed: &'a [bool],
    /// A base code of a group in a column.
    pub base_code: &'a dyn Fn(usize, usize) -> u32,
    /// How sensitive values lie in the groups.
    pub joint: &'a dyn Fn() -> Joint,
}

/// `Σ c·ln c` over sensitive values (combinations of them, if there are several).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Joint {
    /// Over the values of each group that is kept.
    pub kept: Fixed,
    /// Over the values of all suppressed records together.
    pub suppressed: Fixed,
    /// Over the values of each group, kept or not.
    pub all: Fixed,
}

impl Candidate<'_> {
    /// How many records are suppressed.
    pub fn suppressed_records(&self) -> u64 {
        self.suppressed_groups().map(|group| self.sizes[group]).sum()
    }

    /// The groups that are suppressed.
    pub fn suppressed_groups(&self) -> impl Iterator<Item = usize> {
        self.suppressed.iter().enumerate().filter(|(_, suppressed)| **suppressed).map(|(group, _)| group)
    }

    /// The sizes of groups that are kept.
    pub fn kept_sizes(&self) -> impl Iterator<Item = u64> {
        self.sizes.iter().zip(self.suppressed).filter(|(_, suppressed)| !**suppressed).map(|(&size, _)| size)
    }

    /// A group's code in a column, on the candidate's level.
    pub fn code(&self, group: usize, column: usize) -> u32 {
        self.scale(column).code_of[(self.base_code)(group, column) as usize]
    }

    /// The level of a column.
    pub fn scale(&self, column: usize) -> &Level {
        &self.scales.columns[column].levels[self.levels[column]]
    }
}

/// A measure of what is lost.
///
/// Obligations: `bound` is at most what this candidate and every coarser one measure, however many
/// records these suppress; so is `bound_of`. A metric that says its bound is exact measures just
/// that wherever nothing is suppressed. Where there are `terms`, they give `bound`. The contract
/// tests check this for every metric of [`KINDS`].
pub trait Metric: Send + Sync {
    /// The value.
    fn measure(&self, candidate: &Candidate<'_>) -> f64;

    /// What neither a candidate on these levels nor a coarser one goes below, told from the levels
    /// and the largest number of groups that they can make.
    fn bound(&self, scales: &Scales, levels: &[usize], most_groups: u64) -> f64;

    /// The same, once groups are formed; which of them are suppressed does not matter.
    fn bound_of(&self, candidate: &Candidate<'_>) -> f64;

    /// Whether the bound from levels is the value where nothing is suppressed.
    fn is_exact(&self) -> bool {
        false
    }

    /// Whether it adds up what columns lose, each by its weight.
    fn weighs_columns(&self) -> bool {
        false
    }

    /// The bound from levels as a sum over columns, where it is one.
    fn terms(&self, _scales: &Scales) -> Option<Terms> {
        None
    }

    /// Whether it asks for [`Candidate::joint`].
    fn needs_joint(&self) -> bool {
        false
    }
}

/// A bound that is a growing function of a sum over columns, so that what columns must give up can
/// be added up.
#[derive(Clone, Debug)]
pub struct Terms {
    /// What each level of each column adds.
    pub of: Vec<Vec<f64>>,
    /// The bound with a sum.
    pub bound: fn(f64) -> f64,
}

impl Terms {
    /// Every level's term, by column.
    pub fn new(scales: &Scales, bound: fn(f64) -> f64, term: impl Fn(&Scale, usize) -> f64) -> Terms {
        let of = |scale: &Scale| (0..scale.levels.len()).map(|level| term(scale, level)).collect();
        Terms { of: scales.columns.iter().map(of).collect(), bound }
    }

    /// The sum on these levels.
    pub fn sum(&self, levels: &[usize]) -> f64 {
        self.of.iter().zip(levels).map(|(of, &level)| of[level]).sum()
    }
}

/// A metric with its parameters, as a plan asks for it.
pub type ChosenMetric = Member<Build>;

impl ChosenMetric {
    /// A metric from what was written.
    pub fn new(name: &str, written: &[(&str, Raw)]) -> Result<ChosenMetric> {
        Member::of(find(name)?, written)
    }
}

/// Whether a metric's value depends on sensitive values.
pub fn reads_sensitive_values(name: &str) -> bool {
    KINDS.iter().any(|kind| kind.name == name && of_defaults(kind).needs_joint())
}

/// Whether a metric's value tells how large groups were that are not published.
pub fn reads_suppressed_sizes(name: &str) -> bool {
    name == discernibility_star::KIND.name
}

/// What a metric or figure means, in a sentence; nothing if there is none of that name.
pub fn meaning(name: &str) -> Option<&'static str> {
    let figures = queries::FIGURES.iter().chain([&information::LOSS]);
    let found = figures.filter(|figure| figure.0 == name).map(|figure| figure.1);
    found.chain(KINDS.iter().filter(|kind| kind.name == name).map(|kind| kind.summary)).next()
}

fn of_defaults(kind: &Kind<Build>) -> Box<dyn Metric> {
    let params = kind.check(&[]).expect("every parameter of a metric has a default");
    (kind.build)(&params)
}

/// Every metric of a candidate, with default parameters.
pub fn measure_all(candidate: &Candidate<'_>) -> Vec<(&'static str, f64)> {
    KINDS.iter().map(|kind| (kind.name, of_defaults(kind).measure(candidate))).collect()
}
