//! Methods: how groups are formed that satisfy the criteria.
//!
//! Some generalize whole columns: every quasi-identifier is published on one level of its
//! hierarchy, and the search runs over the lattice of all choices of levels. With a limit of
//! suppressed records a candidate is safe if the records in groups that violate a criterion number
//! at most that many; those groups are suppressed whole, nothing else is. The others form groups of
//! records, and how groups are published is another question. Each states to which [`Class`] it
//! belongs and how to [`Replay`] it, so that what an attacker learns who knows the method can be
//! counted.
//!
//! # What a search over levels may prune
//!
//! Coarser groups are unions of finer ones. So, *without suppression*, what a monotone criterion
//! allows it allows on every coarser candidate. *With suppression* that fails: a group that was
//! suppressed joins others on a coarser candidate and can spoil them. Three things still carry
//! over: criteria that survive any growth (k-anonymity, distinct l-diversity); what any criterion
//! needs at least (so many records, so many values); and, for monotone criteria, how many records
//! of a violating group every finer candidate must suppress as well
//! ([`least_removed`](crate::criterion::Pruning::least_removed)). Every candidate that these
//! leave open is looked at.

pub mod anatomy;
mod anytime;
pub mod auto;
mod axis;
pub mod base;
mod blind;
mod coupling;
mod cutting;
mod formed;
pub mod greedy_grouping;
mod grouping;
pub mod incognito;
mod judge;
mod lattice;
pub mod local_recoding;
pub mod mdav;
pub mod mondrian;
pub mod optimal;
mod order;
mod packed;
pub mod randomized_greedy_grouping;
mod replay;
mod rivals;
mod search;
pub mod skyline_anonymize;
mod space;
mod split;
pub mod symmetric_grouping;
mod top_down;
mod within;

pub use grouping::{Checker, Grouping, Safety};
pub use judge::{Judge, Judged, Work};
pub use lattice::Lattice;
pub use replay::{Class, CrossedPart, Crossing, Replay, Replayer, View};
pub use rivals::Rivals;
pub use within::Within;

use crate::candidate::{Counts, Records};
use crate::chance::Chance;
use crate::criterion::{Bound, Requirement};
use crate::data::{Column, Role, Schema, Table};
use crate::error::{Error, ErrorCode, Result};
use crate::kind::{self, Kind, Member, Param, Params, Raw, Setting, Shape};
use crate::utility::ChosenMetric;
use crate::watch::Watch;
use std::path::Path;

/// Makes a method from checked parameters.
pub type Build = fn(&Params) -> Box<dyn Method>;

/// The methods: the one that chooses among the others, those that choose levels (everything, the
/// best), then those that form groups of records.
pub const KINDS: [&Kind<Build>; 12] = [
    &auto::KIND,
    &incognito::KIND,
    &optimal::KIND,
    &local_recoding::KIND,
    &mondrian::KIND,
    &mdav::KIND,
    &skyline_anonymize::KIND,
    &greedy_grouping::KIND,
    &randomized_greedy_grouping::KIND,
    &symmetric_grouping::KIND,
    &anatomy::KIND,
    &base::KIND,
];

/// The method where a plan names none.
pub const DEFAULT: &Kind<Build> = &auto::KIND;

/// The method with a name; the error offers the nearest.
pub fn find(name: &str) -> Result<&'static Kind<Build>> {
    kind::find(&KINDS, "method", name)
}

/// What a method works on.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The table, as criteria see it.
    pub table: &'a Table,
    /// Roles and hierarchies.
    pub schema: &'a Schema,
    /// What must hold.
    pub requirements: &'a [Requirement],
    /// The same, bound to the table.
    pub bound: &'a [Bound],
    /// How many records may be suppressed.
    pub limit: u64,
    /// What chooses among safe candidates.
    pub metric: &'a ChosenMetric,
    /// Where random choices come from.
    pub chance: Chance,
    /// Who follows.
    pub watch: Watch<'a>,
}

impl<'a> Task<'a> {
    /// What matters of it where levels are chosen.
    pub fn levels(&self) -> LevelTask<'a> {
        LevelTask {
            records: self.table.into(),
            schema: self.schema,
            bound: self.bound,
            limit: self.limit,
            metric: self.metric,
            watch: self.watch,
        }
    }
}

/// What a method that chooses levels works on: records, or counts of them alone.
#[derive(Clone, Copy)]
pub struct LevelTask<'a> {
    /// The records, as criteria see them.
    pub records: Records<'a>,
    /// Roles and hierarchies.
    pub schema: &'a Schema,
    /// What must hold, bound to the records.
    pub bound: &'a [Bound],
    /// How many records may be suppressed.
    pub limit: u64,
    /// What chooses among safe candidates.
    pub metric: &'a ChosenMetric,
    /// Who follows.
    pub watch: Watch<'a>,
}

/// What a method decided.
#[derive(Clone, Debug)]
pub enum Transformation {
    /// Every quasi-identifier is published on a level.
    Levels(Generalization),
    /// Records are in groups.
    Groups(Grouping),
}

/// A choice of levels, and what is known of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Generalization {
    /// The level of every quasi-identifier, in the order of the plan.
    pub levels: Vec<usize>,
    /// The chosen candidate's value of the metric.
    pub value: f64,
    /// How many records it suppresses.
    pub suppressed: u64,
    /// How many candidates there are.
    pub nodes: u64,
    /// How many were looked at one by one.
    pub checked: u64,
    /// How many are known to be safe.
    pub safe: u64,
    /// The safe candidates of which no finer one is safe, if the method finds them.
    pub minimal: Vec<Vec<usize>>,
    /// Every safe candidate, if the method finds them all.
    pub all_safe: Nodes,
    /// Whether every candidate was decided or ruled out.
    pub exhaustive: bool,
    /// What no safe candidate measures less than: the value itself if the search was exhaustive.
    pub bound: f64,
    /// Safe candidates that were looked at.
    pub considered: Vec<Considered>,
    /// The levels that were passed over because they are not safe, where they were chosen without
    /// looking at sensitive values.
    pub passed_over: Option<Vec<Vec<usize>>>,
}

/// Candidates of a lattice, kept as numbers: there may be millions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nodes {
    lattice: Lattice,
    nodes: Vec<usize>,
}

impl Nodes {
    /// The levels of each.
    pub fn iter(&self) -> impl Iterator<Item = Vec<usize>> {
        self.nodes.iter().map(|&node| self.lattice.levels(node))
    }
}

/// A safe candidate that was looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Considered {
    /// Its levels.
    pub levels: Vec<usize>,
    /// Its value of the metric.
    pub value: f64,
    /// The largest chance to pick a person's record: one over the size of the smallest published
    /// group.
    pub risk: f64,
    /// Records suppressed.
    pub suppressed: u64,
}

impl Considered {
    fn new(levels: Vec<usize>, safe: &judge::Safe) -> Considered {
        let risk = if safe.smallest == 0 { 0.0 } else { 1.0 / safe.smallest as f64 };
        Considered { levels, value: safe.value, risk, suppressed: safe.suppressed }
    }
}

/// Forms groups.
///
/// Obligations: the outcome is safe, depends on the task alone (not on the number of threads; nor
/// on the order of rows, but where rows with equal quasi-identifiers must be told apart, and then
/// their order is drawn by lot), and is nothing only if no candidate that the method knows is safe.
pub trait Method: Send + Sync {
    /// Finds the levels to publish on, or groups; nothing if no choice is safe.
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>>;

    /// Finds the levels to publish on, which counts are enough for; `None` if no choice is safe. A
    /// method that forms groups of records refuses.
    fn choose_levels(&self, _task: &LevelTask<'_>) -> Result<Option<Generalization>> {
        let error = Error::plan("this method forms groups of records: counts are not enough for it");
        Err(error.help("use a method that chooses levels (`sfumato list methods`), or the table itself"))
    }

    /// What its choices depend on, for criteria that read sensitive values.
    fn class(&self) -> Class;

    /// Whether its choice among safe outcomes depends on sensitive values, beside what criteria
    /// make of them.
    fn prefers_by_values(&self, _schema: &Schema) -> bool {
        false
    }

    /// Whether it compares what quasi-identifiers lose, each by its weight. Methods that choose
    /// levels leave that to the metric.
    fn weighs_columns(&self) -> bool {
        false
    }

    /// What it goes by when it compares values of a quasi-identifier, which has this place in the
    /// plan.
    fn along(&self, _at: usize, _column: &Column, _schema: &Schema) -> Result<Along> {
        Ok(Along::Nothing)
    }

    /// Whether it may leave out records that it cannot group safely.
    fn withholds(&self) -> bool {
        false
    }

    /// The candidates that it would have preferred to the levels that it chose; nothing if it did
    /// not decide every candidate, or forms groups of records.
    fn rivals<'a>(&self, _task: &LevelTask<'a>, _chosen: &Generalization) -> Result<Option<Rivals<'a>>> {
        Ok(None)
    }

    /// The divisions of larger groups that failed and run through published ones, whose replays are
    /// coupled; nothing if they cannot be told.
    fn crossings(&self, _view: &View<'_>) -> Result<Option<Vec<Crossing>>> {
        Ok(None)
    }

    /// How it came to each published group; nothing if that cannot be told group by group. The
    /// parameters are those that [`Grouping::resolved`] tells.
    fn replayer<'a>(&self, _view: &View<'a>) -> Result<Option<Replayer<'a>>> {
        Ok(None)
    }
}

/// What a method goes by when it compares values of a quasi-identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// Their order, as declared or natural.
    Order,
    /// Their hierarchy.
    Hierarchy,
    /// How frequent they are.
    Frequency,
    /// Nothing: it does not compare them.
    Nothing,
}

/// How far a search may go that decides every candidate.
const BUDGET: Param = Param {
    name: "budget",
    summary: "the most candidates that are all decided",
    shape: Shape::Count(1),
    default: Some("10000000"),
};

/// What values are ordered by.
const AXES: Param = Param {
    name: "axes",
    summary: "for each quasi-identifier in the order of the plan, by what its values are ordered: value, order, hierarchy or frequency; empty for the best that is known",
    shape: Shape::Values,
    default: Some(""),
};

/// Whether large groups are divided once more.
const ANATOMIZE: Param = Param {
    name: "anatomize",
    summary: "divide every large group once more, by sensitive values alone: smaller groups, as safe",
    shape: Shape::Flag,
    default: Some("false"),
};

/// Whether sensitive values decide only where it ends.
const BLIND: Param = Param {
    name: "blind",
    summary: "choose what to try by sizes of groups alone, so that sensitive values decide only where it ends: whoever knows the method learns less",
    shape: Shape::Flag,
    default: Some("false"),
};

/// Whether single cells are suppressed.
const CELLS: Param = Param {
    name: "cells",
    summary: "publish every cell of a quasi-identifier as it is or as *, whichever loses least: single cells are suppressed",
    shape: Shape::Flag,
    default: Some("false"),
};

/// How many records are taken at a time.
const BUCKET: Param = Param {
    name: "bucket",
    summary: "records that are taken at a time; 0 for the l of the criteria (their k, where there is no l)",
    shape: Shape::Count(0),
    default: Some("0"),
};

/// The lowest and the highest level of every quasi-identifier.
fn level_ranges(task: &LevelTask<'_>) -> Result<Vec<(usize, usize)>> {
    let quasi = task.schema.select(task.records.rows(), Role::Quasi)?;
    quasi.iter().map(|column| task.schema.level_range(&task.records.described(column))).collect()
}

/// How many choices of levels there are.
fn nodes(task: &LevelTask<'_>) -> Result<u128> {
    let ranges = level_ranges(task)?;
    Ok(ranges.iter().fold(1, |nodes, (low, high)| nodes.saturating_mul((high - low + 1) as u128)))
}

/// The lattice of a task, if the budget allows it.
fn lattice_within(task: &LevelTask<'_>, budget: u64) -> Result<Lattice> {
    let (ranges, nodes) = (level_ranges(task)?, nodes(task)?);
    if nodes > u128::from(budget) {
        let message = format!("the search has {nodes} candidates, more than the budget of {budget}");
        let help = "under [method]: name = \"optimal\" with `seconds` searches as long as it may, however many there are; \
                    a larger `budget`, or fewer levels and quasi-identifiers, would let all be decided";
        return Err(Error::of(ErrorCode::LatticeTooLarge, message).help(help));
    }
    Ok(Lattice::between(&ranges))
}

/// A method with its parameters, as a plan asks for it.
pub type ChosenMethod = Member<Build>;

impl ChosenMethod {
    /// A method from what was written.
    pub fn new(name: &str, written: &[(&str, Raw)]) -> Result<ChosenMethod> {
        Member::of(find(name)?, written)
    }

    /// Runs it, and divides large groups if that is asked for.
    pub fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        self.run_within(None, task)
    }

    /// The same in cells, if there are any.
    pub fn run_within(&self, cells: Option<&Within>, task: &Task<'_>) -> Result<Option<Transformation>> {
        let outcome = match cells {
            None if self.is_blind() && self.chooses_levels() => {
                blind::choose_levels(&*self.build(), task)?.map(Transformation::Levels)
            }
            None => self.build().run(task)?,
            Some(within) => within.run(task)?,
        };
        self.finish(task, outcome)
    }

    fn finish(&self, task: &Task<'_>, outcome: Option<Transformation>) -> Result<Option<Transformation>> {
        match outcome {
            Some(Transformation::Groups(grouping)) if self.anatomizes() => {
                anatomy::divide(task, grouping).map(|divided| Some(Transformation::Groups(divided)))
            }
            outcome => Ok(outcome),
        }
    }

    /// Runs it on a table: no record may be suppressed, and `metric` chooses among candidates where
    /// there are several.
    ///
    /// ```
    /// use sfumato::anonymize::{Transformation, ChosenMethod};
    /// use sfumato::chance::Chance;
    /// use sfumato::criterion::Requirement;
    /// use sfumato::data::{Schema, sample};
    /// use sfumato::utility::ChosenMetric;
    ///
    /// let (table, schema) = (sample::clinic(), Schema::of(&["zip"], &["disease"]));
    /// let wanted = Requirement::new("k-anonymity", &[("k", "3".into())], &[], &schema)?;
    /// let method = ChosenMethod::new("incognito", &[])?;
    /// let Some(Transformation::Levels(found)) = method.run_on(&table, &schema, &[wanted], &ChosenMetric::new("loss", &[])?, Chance::System)? else {
    ///     panic!("there is a safe choice of levels");
    /// };
    /// assert_eq!(found.minimal, [[0]]); // the postal codes of the clinic are safe as they are
    /// # Ok::<(), sfumato::Error>(())
    /// ```
    pub fn run_on(
        &self,
        table: &Table,
        schema: &Schema,
        requirements: &[Requirement],
        metric: &ChosenMetric,
        chance: Chance,
    ) -> Result<Option<Transformation>> {
        let bound = requirements.iter().map(|wanted| wanted.bind(table, schema, Path::new(".")));
        let bound = bound.collect::<Result<Vec<_>>>()?;
        self.run(&Task { table, schema, requirements, bound: &bound, limit: 0, metric, chance, watch: Watch::NONE })
    }

    /// Chooses levels from counts alone, with the result that the table would give. Refuses if the
    /// method forms groups of records, or if a criterion needs more than counts.
    ///
    /// ```
    /// use sfumato::anonymize::ChosenMethod;
    /// use sfumato::candidate::Counts;
    /// use sfumato::criterion::Requirement;
    /// use sfumato::data::{Schema, sample};
    /// use sfumato::utility::ChosenMetric;
    ///
    /// let schema = Schema::of(&["zip"], &["disease"]);
    /// let counts = Counts::of_table(&sample::clinic(), &schema)?;
    /// let wanted = Requirement::new("k-anonymity", &[("k", "3".into())], &[], &schema)?;
    /// let (method, metric) = (ChosenMethod::new("optimal", &[])?, ChosenMetric::new("loss", &[])?);
    /// let found = method.run_on_counts(&counts, &schema, &[wanted], &metric, 0)?.expect("a safe choice");
    /// assert_eq!(found.levels, [0]);
    /// # Ok::<(), sfumato::Error>(())
    /// ```
    pub fn run_on_counts(
        &self,
        counts: &Counts,
        schema: &Schema,
        requirements: &[Requirement],
        metric: &ChosenMetric,
        limit: u64,
    ) -> Result<Option<Generalization>> {
        let prepared = counts.prepare(schema)?;
        let bound = requirements.iter().map(|wanted| wanted.bind(&prepared, schema, Path::new(".")));
        if self.is_blind() {
            let error = Error::plan(format!("`{}` needs the table: counts are not enough for it", BLIND.name));
            return Err(error.help("leave it out, or use the table itself"));
        }
        let (records, bound) = ((&prepared).into(), &*bound.collect::<Result<Vec<_>>>()?);
        self.build().choose_levels(&LevelTask { records, schema, bound, limit, metric, watch: Watch::NONE })
    }

    /// Whether it leaves the choice of a method open.
    pub fn is_open(&self) -> bool {
        self.kind.name == auto::KIND.name
    }

    /// Whether it chooses levels of hierarchies, and not groups of records.
    pub fn chooses_levels(&self) -> bool {
        self.params.iter().any(|(name, _)| name == BUDGET.name)
    }

    /// Whether its choice among safe outcomes depends on sensitive values, beside what criteria
    /// make of them: by what it prefers itself, or by the metric that chooses levels.
    pub fn prefers_by_values(&self, metric: Option<&ChosenMetric>, schema: &Schema) -> bool {
        let by_metric = self.chooses_levels() && metric.is_some_and(|metric| metric.build().needs_joint());
        by_metric || self.build().prefers_by_values(schema)
    }

    /// Whether its choice depends on the weights of quasi-identifiers: by itself, or by the metric
    /// that chooses levels.
    pub fn weighs_columns(&self, metric: &ChosenMetric) -> bool {
        if self.chooses_levels() { metric.build().weighs_columns() } else { self.build().weighs_columns() }
    }

    /// Whether large groups are divided once more.
    pub fn anatomizes(&self) -> bool {
        self.says(&ANATOMIZE)
    }

    fn says(&self, flag: &Param) -> bool {
        self.params.iter().any(|(name, setting)| name == flag.name && *setting == Setting::Flag(true))
    }

    /// Whether sensitive values decide only where it ends.
    pub fn is_blind(&self) -> bool {
        self.says(&BLIND)
    }

    /// The same method that does not look at sensitive values, if there is one.
    pub fn blinded(&self) -> Option<ChosenMethod> {
        let knows = self.kind.params.iter().any(|param| param.name == BLIND.name);
        if knows { self.resolved(&[(BLIND.name, Raw::Flag(true))]).ok() } else { None }
    }

    /// Whether every cell is published as it is or suppressed.
    pub fn suppresses_cells(&self) -> bool {
        self.says(&CELLS)
    }

    /// The same method with parameters that it worked out itself.
    pub fn resolved(&self, found: &[(&'static str, Raw)]) -> Result<ChosenMethod> {
        let stated = self.params.iter().filter(|(name, _)| !found.iter().any(|(known, _)| known == name));
        let written: Vec<(&str, Raw)> =
            stated.map(|(name, setting)| (name, setting.raw())).chain(found.iter().cloned()).collect();
        ChosenMethod::new(self.kind.name, &written)
    }
}
