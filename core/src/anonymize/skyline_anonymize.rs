//! Groups by cutting the space of quasi-identifiers wherever all groups together stay safe
//! (SkylineAnonymize).
//!
//! **Finds** groups of records that are near each other and safe together. No record is withheld.
//! Where all criteria are monotone (the privacy skyline is, with one value per person) the groups
//! are minimal: none could be cut, between any two values along any quasi-identifier, with the
//! whole still safe. **How**: the records are a group; groups wait in a queue, and the first is cut
//! in two, along one quasi-identifier, if everything seen so far and both sides are safe. Unlike
//! Mondrian it tries *every* place between two values along *every* quasi-identifier, in the order
//! of `priority`, and it decides by what all groups tell together: criteria that join groups are
//! used in full. Records with equal values stay together. *widest*: the quasi-identifier first
//! along which the group is widest, as a share of the whole axis times the column's weight; along
//! it the cut that Mondrian would take, then the others, those in the middle first. *round-robin*:
//! the same, but quasi-identifiers take turns with the depth. *information-gain*: the cut first,
//! along whichever, that tells most about `target`. With a limit of `memory` records are kept in
//! temporary files, which hold coded numbers only; the groups are the same. **Class**: asymmetric:
//! that a group was not cut further tells something about its parts; and, where criteria join
//! groups, about others. **Reference**: Chen, LeFevre and Ramakrishnan 2007, Section 5.2 (Figure 6,
//! in which the fifth statistic is lowered by the fourth: a misprint); LeFevre and DeWitt 2007
//! (counts instead of records).
//!
//! # Claim
//! The groups are safe: whatever was taken was safe together with everything before it, which
//! includes every group that is left. They are minimal for monotone criteria: the evidence of
//! groups that were cut adds nothing to that of their parts, so that what is looked at is exactly
//! the release as it stands with the cut made; and evidence only grows worse, so that a cut refused
//! once would be refused in the end.

use super::axis::{self, Axis};
use super::cutting::{Cutter, Filler, Limit, Source, Store};
use super::top_down::Tried;
use super::{
    ANATOMIZE, AXES, Along, Build, Class, Crossing, Grouping, Method, Replay, Replayer, Safety, Task, Transformation,
    View,
};
use crate::data::Role;
use crate::data::{Column, Schema};
use crate::error::{Error, Result};
use crate::kind::{Kind, Param, Raw, Shape};
use rayon::prelude::*;
use std::ops::Range;

pub use super::cutting::{Formed, Priority, Rule};

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "skyline-anonymize",
    summary: "Cuts groups in two, at any place along any quasi-identifier, as long as all groups together are safe",
    reference: "Chen, LeFevre and Ramakrishnan 2007",
    params: &[PRIORITY, TARGET, AXES, ANATOMIZE, MEMORY],
    example: &[("priority", "\"widest\"")],
    build: |params| {
        Box::new(TopDown {
            priority: params.choice("priority"),
            target: params.text("target").to_string(),
            axes: params.values("axes").to_vec(),
            limit: Limit::new(params.count("memory").saturating_mul(1 << 20)),
        })
    },
};

const WIDEST: &str = "widest";
const INFORMATION_GAIN: &str = "information-gain";
const ROUND_ROBIN: &str = "round-robin";

/// In which order cuts are tried.
const PRIORITY: Param = Param {
    name: "priority",
    summary: "which cuts are tried first: along the widest quasi-identifier, those that are most informative about the target, or along each quasi-identifier in turn",
    shape: Shape::Choice(&[WIDEST, INFORMATION_GAIN, ROUND_ROBIN]),
    default: Some(WIDEST),
};

/// What information is gained about.
const TARGET: Param = Param {
    name: "target",
    summary: "for information-gain: the column that it is about; empty for the sensitive column of the first criterion that has one",
    shape: Shape::Text,
    default: Some(""),
};

/// How much memory records may take.
const MEMORY: Param = Param {
    name: "memory",
    summary: "megabytes of memory for records, beyond which they are kept in temporary files; counts of values come on top. 0 for no limit",
    shape: Shape::Count(0),
    default: Some("0"),
};

struct TopDown {
    priority: &'static str,
    target: String,
    axes: Vec<String>,
    limit: Limit,
}

impl Method for TopDown {
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        let bases = axis::possible_bases(&self.axes, task.table, task.schema)?;
        let axes = bases.par_iter().map(|(column, basis)| Axis::new(column, task.schema, *basis));
        let axes: Vec<Axis> = axes.collect::<Result<_>>()?;
        let safety = Safety::new(task.table, task.bound)?;
        let mut subjects: Vec<(&[u32], usize)> = Vec::new();
        let mut rules: Vec<Rule<'_>> = Vec::new();
        for (criterion, coded) in safety.criteria() {
            rules.push((criterion, coded.map(|coded| number_of(&mut subjects, coded))));
        }
        if self.priority != INFORMATION_GAIN && !self.target.is_empty() {
            let error = Error::plan(format!("`target` says nothing with priority = \"{}\"", self.priority));
            return Err(error.help(format!("leave it out, or write priority = \"{INFORMATION_GAIN}\"")));
        }
        let mut resolved = vec![(AXES.name, axis::written(&bases))];
        let priority = match self.priority {
            WIDEST => Priority::Widest,
            ROUND_ROBIN => Priority::RoundRobin,
            _ => {
                let target = task.table.column(self.target(task)?)?;
                resolved.push((TARGET.name, Raw::from(target.name())));
                Priority::InformationGain(number_of(&mut subjects, (target.codes(), target.domain().len())))
            }
        };
        let domains = subjects.iter().map(|(_, domain)| *domain).collect();
        let cutter = Cutter::new(&axes, domains, rules, priority, task.table.rows()).watched(task.watch);
        let places = bases.iter().zip(&axes).map(|((column, _), axis)| Source::Place(column.codes(), axis));
        let columns: Vec<Source<'_>> = places.chain(subjects.iter().map(|(codes, _)| Source::Code(codes))).collect();
        let store = Store::of_columns(&cutter, &columns, task.table.rows(), &self.limit)?;
        let (mut rows, mut stretches): (Vec<u32>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
        let formed = cutter.cut(store, &mut |group, more| {
            stretches.resize(group + 1, rows.len()..rows.len());
            rows.extend(more);
            stretches[group].end = rows.len();
            Ok(())
        })?;
        Ok(formed.map(|_| Transformation::Groups(Grouping::of_stretches(&rows, &stretches, resolved))))
    }

    fn prefers_by_values(&self, schema: &Schema) -> bool {
        // Without a target it is the column that a criterion is about.
        let is_quasi = schema.names(Role::Quasi).contains(&self.target.as_str());
        self.priority == INFORMATION_GAIN && !is_quasi
    }

    fn along(&self, at: usize, column: &Column, schema: &Schema) -> Result<Along> {
        axis::along(&self.axes, at, column, schema)
    }

    fn weighs_columns(&self) -> bool {
        self.priority == WIDEST
    }

    fn class(&self) -> Class {
        Class::Asymmetric
    }

    /// # Claim
    /// A published group is one of which every cut failed. See [`Tried::crossed`] for cuts of larger
    /// groups. By information gain the order of cuts depends on the column that it is about: then
    /// nothing is told.
    fn replayer<'a>(&self, view: &View<'a>) -> Result<Option<Replayer<'a>>> {
        let Some(tried) = self.tried(view)? else { return Ok(None) };
        let (groups, coupled) = (view.groups, tried.crossed(view.groups, view.table.rows()).coupled);
        Ok(Some(Box::new(move |group| Some(Replay { coupled: coupled[group], ..tried.replay(groups.rows(group)) }))))
    }

    fn crossings(&self, view: &View<'_>) -> Result<Option<Vec<Crossing>>> {
        let tried = self.tried(view)?;
        Ok(tried.and_then(|tried| tried.crossings(view.groups, view.table.rows())))
    }
}

impl TopDown {
    /// The order in which cuts were tried, if quasi-identifiers tell it.
    fn tried<'a>(&self, view: &View<'a>) -> Result<Option<Tried<'a>>> {
        let priority = match self.priority {
            WIDEST => Priority::Widest,
            ROUND_ROBIN => Priority::RoundRobin,
            _ => return Ok(None),
        };
        let bases = axis::bases(&self.axes, view.table, view.schema)?;
        // Axes depend on all records.
        if !view.complete || !bases.iter().all(|(column, basis)| basis.is_possible(column, view.schema)) {
            return Ok(None);
        }
        let axes = bases.iter().map(|(column, basis)| Ok((*column, Axis::new(column, view.schema, *basis)?)));
        Ok(Some(Tried { dimensions: axes.collect::<Result<_>>()?, priority, least: view.least as usize }))
    }

    /// The column that information is gained about.
    fn target<'t>(&'t self, task: &Task<'t>) -> Result<&'t str> {
        if !self.target.is_empty() {
            return Ok(&self.target);
        }
        let first = task.requirements.iter().find_map(|wanted| wanted.on.first());
        first.map(String::as_str).ok_or_else(|| {
            Error::plan("information is gained about which column?")
                .help("no criterion is about a sensitive column: name a column under [method], as in target = \"…\"")
        })
    }
}

/// The number of a subject; a new one if it is not known.
fn number_of<'a>(subjects: &mut Vec<(&'a [u32], usize)>, coded: (&'a [u32], usize)) -> usize {
    let known = subjects.iter().position(|(codes, _)| std::ptr::eq(*codes, coded.0));
    known.unwrap_or_else(|| {
        subjects.push(coded);
        subjects.len() - 1
    })
}

/// Records that come one after the other and perhaps never are in memory at once: the same groups
/// as of a table with the same places and codes.
///
/// ```
/// use sfumato::anonymize::skyline_anonymize::{Priority, Stream};
/// use sfumato::criterion::Requirement;
/// use sfumato::data::{Column, Schema, Table};
/// use sfumato::kind::Raw;
///
/// // The criterion is bound to a table with the same values of the sensitive column, in the same order.
/// let values = Table::new(vec![Column::from_values("disease", ["cold", "flu"])])?;
/// let schema = Schema::of(&[], &["disease"]);
/// let bound = Requirement::new("distinct-l-diversity", &[("l", Raw::from("2"))], &[], &schema)?.bind(&values, &schema, ".".as_ref())?;
///
/// let stream = Stream { places: &[100], subjects: &[2], rules: &[(&*bound.criterion, Some(0))], priority: Priority::Widest, memory: 1 << 20 };
/// let records = [[40, 0], [41, 1], [80, 0], [81, 1]];
/// let mut groups = vec![Vec::new(); 2];
/// let formed = stream.form(records.into_iter().map(Ok), &mut |group, rows| {
///     groups[group].extend_from_slice(rows);
///     Ok(())
/// })?;
/// assert_eq!(formed.unwrap().groups, 2);
/// assert_eq!(groups, [[0, 1], [2, 3]]);
/// # Ok::<(), sfumato::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Stream<'a> {
    /// How many places there are along each quasi-identifier. Each is one step from the next.
    pub places: &'a [usize],
    /// How many codes there are of each subject that criteria read, and then of the target of
    /// information gain, if that is another.
    pub subjects: &'a [usize],
    /// What must hold, and of which subject.
    pub rules: &'a [Rule<'a>],
    /// In which order cuts are tried.
    pub priority: Priority,
    /// The most memory for records, in bytes; beyond it they are kept in temporary files. 0 for no
    /// limit.
    pub memory: u64,
}

impl Stream<'_> {
    /// Forms groups; nothing if all records together are not safe. A record is its places, then its
    /// codes. `publish` takes the number of a group and records of it, by their numbers from 0,
    /// perhaps in several pieces; groups come one after the other.
    pub fn form<R: AsRef<[u32]>>(
        &self,
        records: impl Iterator<Item = Result<R>>,
        publish: &mut dyn FnMut(usize, &[u32]) -> Result<()>,
    ) -> Result<Option<Formed>> {
        let target = if let Priority::InformationGain(target) = self.priority { Some(target) } else { None };
        if self.rules.iter().filter_map(|rule| rule.1).chain(target).any(|subject| subject >= self.subjects.len()) {
            return Err(Error::plan("there is no such subject").help("subjects are numbered from 0"));
        }
        let axes: Vec<Axis> = self.places.iter().map(|&places| Axis::of_steps(places)).collect();
        let cutter = Cutter::new(&axes, self.subjects.to_vec(), self.rules.to_vec(), self.priority, 1 << 32);
        let mut filler = Filler::new(&cutter, Limit::new(self.memory));
        for (at, record) in records.enumerate() {
            let record = record?;
            let numbers = record.as_ref();
            let mut below = self.places.iter().chain(self.subjects).zip(numbers);
            let fits = numbers.len() == self.places.len() + self.subjects.len();
            if !fits || !below.all(|(size, number)| (*number as usize) < *size) {
                let message = format!("record {} has a number too many or too few, or one that is too large", at + 1);
                return Err(Error::data(message));
            }
            filler.push(numbers)?;
        }
        cutter.cut(filler.finish()?, publish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Groups;
    use crate::chance::Chance;
    use crate::data::{Schema, sample};
    use crate::plan;
    use crate::utility::ChosenMetric;
    use std::path::Path;

    fn groups(rows: usize, criterion: &str, priority: &'static str, limit: u64) -> Groups {
        let schema = Schema::of(&["age", "sex", "zip", "nationality", "admitted", "patient"], &["disease"]);
        let table = sample::hospital(rows, 8);
        let requirements = [plan::requirement(criterion, &schema).unwrap()];
        let bound = [requirements[0].bind(&table, &schema, Path::new(".")).unwrap()];
        let metric = ChosenMetric::new("loss", &[]).unwrap();
        let task = Task {
            watch: crate::watch::Watch::NONE,
            table: &table,
            schema: &schema,
            requirements: &requirements,
            bound: &bound,
            limit: 0,
            metric: &metric,
            chance: Chance::insecure(1),
        };
        let target = if priority == INFORMATION_GAIN { "disease" } else { "" }.to_string();
        let (axes, limit) = (Vec::new(), Limit::new(limit));
        let method = TopDown { priority, target, axes, limit };
        match method.run(&task).unwrap() {
            Some(Transformation::Groups(grouping)) => grouping.groups,
            _ => panic!("groups are expected"),
        }
    }

    fn same(a: &Groups, b: &Groups) -> bool {
        a.len() == b.len() && (0..a.len()).all(|group| a.rows(group) == b.rows(group))
    }

    const TOGETHER: &str = "criterion = \"skyline\"\npoints = [{ l = 2, k = 10, m = 3, c = \"0.9\" }]";
    const ONE_BY_ONE: &str = "criterion = \"k-anonymity\"\nk = 10";

    #[test]
    fn records_in_files_give_the_groups_that_they_give_in_memory() {
        for criterion in [TOGETHER, ONE_BY_ONE] {
            for priority in [WIDEST, ROUND_ROBIN, INFORMATION_GAIN] {
                let in_memory = groups(12_000, criterion, priority, 0);
                assert!(in_memory.len() > 20 && in_memory.records() == 12_000);
                // So little that hardly any group is loaded; and enough for some.
                for bytes in [1, 4_000, 100_000] {
                    assert!(same(&in_memory, &groups(12_000, criterion, priority, bytes)), "{criterion} {bytes}");
                }
            }
        }
    }

    /// Groups so large that several threads share one.
    #[test]
    fn large_groups_are_divided_alike_by_any_number_of_threads_in_memory_and_in_files() {
        let run = |threads: usize, bytes: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| groups(150_000, TOGETHER, WIDEST, bytes))
        };
        let one = run(1, 0);
        assert!(
            [(3, 0), (1, 1_000_000), (3, 1_000_000)]
                .into_iter()
                .all(|(threads, bytes)| same(&one, &run(threads, bytes)))
        );
    }
}
