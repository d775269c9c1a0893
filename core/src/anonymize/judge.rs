//! Is a candidate safe, and what is it worth? Decided on frequency sets.

use super::LevelTask;
use crate::candidate::{Coded, FrequencySet, Histogram, Scratch, dense_ids};
use crate::criterion::{Codes, Criterion, Evidence, Subject};
use crate::data::{Column, Role, Weight};
use crate::error::Result;
use crate::utility::{Candidate, Joint, Metric, Scale, Scales, times_ln};
use crate::watch::Watch;
use std::ops::ControlFlow;
use std::sync::{Arc, RwLock};

/// What was found out about a candidate.
#[derive(Clone, Debug, PartialEq)]
pub enum Judged {
    /// It is not safe, and neither is any finer candidate.
    Below,
    /// It is not safe; coarser and finer ones may be. With what neither it nor a coarser one
    /// measures less than.
    Unsafe(f64),
    /// It is safe.
    Safe(Safe),
}

/// A safe candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Safe {
    /// Its value of the metric.
    pub value: f64,
    /// What neither it nor a coarser one measures less than.
    pub bound: f64,
    /// Records that are suppressed.
    pub suppressed: u64,
    /// The size of the smallest group that is kept.
    pub smallest: u64,
    /// How many groups there are, suppressed or not.
    pub groups: usize,
}

/// Memory that one thread uses again from candidate to candidate.
#[derive(Default)]
pub struct Work {
    scratch: Scratch,
    violating: Vec<bool>,
    failed: Vec<u32>,
}

/// One criterion in a search.
struct Rule<'a> {
    criterion: &'a dyn Criterion,
    is_monotone: bool,
    /// Whether a violation here is one on every finer candidate too.
    prunes: bool,
    /// Whether groups that hold one by one may violate it together.
    joins: bool,
}

/// The criteria that read one subject.
struct Rules<'a> {
    /// The subject's place in the frequency set; nothing where sizes are enough.
    subject: Option<usize>,
    /// How many values a group needs for any of them.
    least_values: u64,
    rules: Vec<Rule<'a>>,
}

/// Levels, and the frequency set on them.
type RolledUp = (Vec<usize>, FrequencySet);

/// Judges candidates of a task.
pub struct Judge<'a> {
    scales: Scales,
    base: Arc<FrequencySet>,
    rules: Vec<Rules<'a>>,
    least_size: u64,
    upward_closed: bool,
    joint: Option<usize>,
    limit: u64,
    metric: Box<dyn Metric>,
    watch: Watch<'a>,
    /// Coarser frequency sets made on the way, with their levels: starting points for candidates
    /// that are coarser still.
    made: RwLock<Vec<Arc<RolledUp>>>,
}

/// Frequency sets below this size are rolled up from directly.
const WORTH_ROLLING: usize = 1 << 10;

/// How many coarser frequency sets are kept.
const MOST_MADE: usize = 48;

impl<'a> Judge<'a> {
    /// Prepares a task: one scan over its rows.
    pub fn new(task: &LevelTask<'a>) -> Result<Judge<'a>> {
        let metric = task.metric.build();
        let needs_joint = metric.needs_joint();
        Judge::with(task, metric, needs_joint)
    }

    /// Prepares a task for measuring by every metric.
    pub fn for_all_metrics(task: &LevelTask<'a>) -> Result<Judge<'a>> {
        Judge::with(task, task.metric.build(), true)
    }

    fn with(task: &LevelTask<'a>, metric: Box<dyn Metric>, needs_joint: bool) -> Result<Judge<'a>> {
        let (records, rows) = (task.records, task.records.rows());
        let quasi = task.schema.select(rows, Role::Quasi)?;
        let scale = |column: &&Column| {
            let hierarchy = task.schema.quasi_hierarchy(&records.described(column))?;
            let weight = task.schema.find(column.name()).map_or(Weight::ONE, |spec| spec.weight);
            Ok(Scale::new(column.name(), weight, &records.counts_of(column), &hierarchy))
        };
        let scales: Vec<Scale> = quasi.iter().map(scale).collect::<Result<_>>()?;
        let coded: Vec<Coded<'_>> = quasi.iter().map(|column| (column.codes(), column.domain().len())).collect();
        let ladders: Vec<_> = scales.iter().map(Scale::ladder).collect();
        let joint_codes = needs_joint.then(|| joint_codes(task)).transpose()?;

        let (rules, codes) = collect_rules(task)?;
        let mut subjects: Vec<Coded<'_>> = codes.iter().map(Codes::as_coded).collect();
        let joint = joint_codes.as_ref().map(|(codes, domain)| {
            subjects.push((codes, *domain));
            subjects.len() - 1
        });
        let base = match records.counts() {
            None => FrequencySet::new(&coded, &ladders, &subjects, rows.rows()),
            Some(counts) => FrequencySet::from_counts(&coded, &ladders, &subjects, counts),
        };
        let least_size = task.bound.iter().map(|bound| bound.criterion.properties().least.size).max().unwrap_or(1);
        let upward_closed = rules.iter().flat_map(|rules| &rules.rules).all(|rule| rule.prunes);
        let joint_sum = joint.map_or(0, |subject| base.counts(subject).map(times_ln).sum());
        let scales = Scales { records: records.len(), columns: scales, joint: joint_sum };
        let made = RwLock::new(Vec::new());
        Ok(Judge {
            scales,
            base: Arc::new(base),
            rules,
            least_size,
            upward_closed,
            joint,
            limit: task.limit,
            metric,
            watch: task.watch,
            made,
        })
    }

    /// Who follows.
    pub fn watch(&self) -> Watch<'a> {
        self.watch
    }

    /// What levels are worth.
    pub fn scales(&self) -> &Scales {
        &self.scales
    }

    /// How many distinct vectors there are.
    pub fn entries(&self) -> usize {
        self.base.len()
    }

    /// Whether every candidate coarser than a safe one is safe.
    pub fn is_upward_closed(&self) -> bool {
        self.upward_closed
    }

    /// How many records may be suppressed.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether nothing may be suppressed.
    pub fn keeps_all(&self) -> bool {
        self.limit == 0
    }

    /// The metric.
    pub fn metric(&self) -> &dyn Metric {
        &*self.metric
    }

    /// What neither a candidate on these levels nor a coarser one measures less than.
    pub fn bound(&self, levels: &[usize]) -> f64 {
        let most_groups = if self.metric.is_exact() { 0 } else { self.base.most_groups(levels) };
        self.metric.bound(&self.scales, levels, most_groups)
    }

    /// The distinct vectors of the table.
    pub fn base(&self) -> &Arc<FrequencySet> {
        &self.base
    }

    /// What the vectors of a set become on coarser levels.
    pub fn rolled_up(&self, set: &FrequencySet, levels: &[usize], work: &mut Work) -> FrequencySet {
        set.group(levels, &mut work.scratch);
        set.rolled_up(&mut work.scratch)
    }

    /// Judges a candidate on a set that is no coarser.
    pub fn judge_on(&self, set: &FrequencySet, levels: &[usize], work: &mut Work) -> Judged {
        set.group(levels, &mut work.scratch);
        self.judge_groups(set, levels, work)
    }

    /// What neither a candidate nor a coarser one measures less than, once its groups are formed.
    pub fn bound_of(&self, set: &FrequencySet, levels: &[usize], work: &mut Work) -> f64 {
        let groups = set.group(levels, &mut work.scratch);
        work.violating.clear();
        work.violating.resize(groups, false);
        self.with_candidate(set, levels, work, |one| self.metric.bound_of(one))
    }

    /// Judges a candidate.
    pub fn judge(&self, levels: &[usize], work: &mut Work) -> Judged {
        let source = self.nearest(levels);
        let set = source.as_ref().map_or(&*self.base, |made| &made.1);
        let groups = set.group(levels, &mut work.scratch);
        if groups * 4 <= set.len() && set.len() >= WORTH_ROLLING && self.has_room() {
            let rolled = set.rolled_up(&mut work.scratch);
            self.made.write().expect("no thread panicked").push(Arc::new((levels.to_vec(), rolled)));
        }
        self.judge_groups(set, levels, work)
    }

    /// Judges the candidate whose groups were formed.
    fn judge_groups(&self, set: &FrequencySet, levels: &[usize], work: &mut Work) -> Judged {
        match self.violations(set, work) {
            Found::Below => Judged::Below,
            Found::Unsafe => Judged::Unsafe(self.with_candidate(set, levels, work, |one| self.metric.bound_of(one))),
            Found::Safe(suppressed) => {
                let smallest = kept_sizes(work).min().unwrap_or(0);
                let (value, bound) =
                    self.with_candidate(set, levels, work, |one| (self.metric.measure(one), self.metric.bound_of(one)));
                Judged::Safe(Safe { value, bound, suppressed, smallest, groups: work.scratch.sizes().len() })
            }
        }
    }

    /// What a candidate measures if nothing is suppressed but groups of fewer than `least` records;
    /// `None` if these are more than may be.
    pub fn least_value(&self, levels: &[usize], least: u64, work: &mut Work) -> Option<f64> {
        let source = self.nearest(levels);
        let set = source.as_ref().map_or(&*self.base, |made| &made.1);
        set.group(levels, &mut work.scratch);
        work.violating.clear();
        work.violating.extend(work.scratch.sizes().iter().map(|&size| size < least));
        let sizes = work.scratch.sizes().iter().zip(&work.violating);
        let small: u64 = sizes.filter(|(_, small)| **small).map(|(size, _)| size).sum();
        (small <= self.limit).then(|| self.with_candidate(set, levels, work, |one| self.metric.measure(one)))
    }

    /// Every metric of a candidate. For a judge made for all metrics.
    pub fn measure_all(&self, levels: &[usize]) -> Vec<(&'static str, f64)> {
        let mut work = Work::default();
        self.base.group(levels, &mut work.scratch);
        self.violations(&self.base, &mut work);
        self.with_candidate(&self.base, levels, &mut work, crate::utility::measure_all)
    }

    /// The smallest frequency set that these levels can be rolled up from, if it is not the base.
    fn nearest(&self, levels: &[usize]) -> Option<Arc<RolledUp>> {
        let made = self.made.read().expect("no thread panicked");
        let finer = made.iter().filter(|made| made.0.iter().zip(levels).all(|(own, wanted)| own <= wanted));
        finer.min_by_key(|made| made.1.len()).cloned()
    }

    fn has_room(&self) -> bool {
        self.made.read().expect("no thread panicked").len() < MOST_MADE
    }

    /// Marks the groups that violate a criterion.
    fn violations(&self, set: &FrequencySet, work: &mut Work) -> Found {
        let Work { scratch, violating, failed } = work;
        let mut tally = Tally { limit: self.limit, pruning: 0, all: 0 };
        violating.clear();
        for &size in scratch.sizes() {
            let small = size < self.least_size;
            violating.push(small);
            if small {
                tally.add(size, size);
            }
        }
        let alone = |rule: &Rule<'_>| !rule.joins || self.keeps_all();
        for rules in &self.rules {
            if tally.is_decided() {
                break;
            }
            failed.clear();
            let visit = |group: &Histogram<'_>| {
                if let Some(removed) = rules.violated(group, alone) {
                    failed.push(group.group() as u32);
                    tally.add(group.size(), removed);
                }
                if tally.is_decided() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            match rules.subject {
                Some(subject) => set.histograms(subject, scratch, violating, visit),
                None => by_size(scratch, violating, visit),
            }
            failed.iter().for_each(|&group| violating[group as usize] = true);
        }
        self.joint_violations(set, work, &mut tally);
        tally.found()
    }

    /// Decides criteria that look at several groups together: if all groups together violate one,
    /// those go that do not hold among any others. The recoded table is decided by the same rule.
    fn joint_violations(&self, set: &FrequencySet, work: &mut Work, tally: &mut Tally) {
        let joint = self.rules.iter().flat_map(|rules| rules.rules.iter().map(move |rule| (rules.subject, rule)));
        for (subject, rule) in joint.filter(|(_, rule)| rule.joins) {
            if tally.is_decided() {
                return;
            }
            let Work { scratch, violating, failed } = work;
            let subject = subject.expect("what joins groups reads values");
            let mut evidence = Evidence::none();
            set.histograms(subject, scratch, &vec![false; violating.len()], |group| {
                rule.criterion.gather(&mut evidence, group, 1);
                ControlFlow::Continue(())
            });
            if rule.criterion.verdict(&evidence).holds {
                continue;
            }
            if self.keeps_all() {
                tally.add(1, u64::from(rule.prunes));
                continue;
            }
            failed.clear();
            set.histograms(subject, scratch, violating, |group| {
                if !rule.criterion.holds_among(group) {
                    failed.push(group.group() as u32);
                    tally.add(group.size(), 0);
                }
                ControlFlow::Continue(())
            });
            failed.iter().for_each(|&group| violating[group as usize] = true);
        }
    }

    fn with_candidate<T>(
        &self,
        set: &FrequencySet,
        levels: &[usize],
        work: &mut Work,
        look: impl FnOnce(&Candidate<'_>) -> T,
    ) -> T {
        let joint = self.joint.map(|subject| joint_of(set, subject, work)).unwrap_or_default();
        let first = work.scratch.first();
        look(&Candidate {
            scales: &self.scales,
            levels,
            sizes: work.scratch.sizes(),
            suppressed: &work.violating,
            base_code: &|group, column| set.base_code(first[group], column),
            joint: &|| joint,
        })
    }
}

/// How a scan for violations ended.
enum Found {
    Below,
    Unsafe,
    Safe(u64),
}

/// Records in groups that violate something.
struct Tally {
    limit: u64,
    /// How many of them every finer candidate must suppress too.
    pruning: u64,
    all: u64,
}

impl Tally {
    fn add(&mut self, records: u64, pruning: u64) {
        self.all += records;
        self.pruning += pruning;
    }

    /// Whether more groups can change nothing. A candidate that is not safe is looked at further
    /// while it may turn out that no finer one is.
    fn is_decided(&self) -> bool {
        self.pruning > self.limit || self.all > self.limit && self.pruning == 0
    }

    fn found(&self) -> Found {
        if self.pruning > self.limit {
            Found::Below
        } else if self.all > self.limit {
            Found::Unsafe
        } else {
            Found::Safe(self.all)
        }
    }
}

impl Rules<'_> {
    /// Whether a group violates one of them that is decided group by group; and if so, how many of
    /// its records every finer candidate must suppress.
    fn violated(&self, group: &Histogram<'_>, alone: impl Fn(&Rule<'_>) -> bool) -> Option<u64> {
        if self.subject.is_some() && (group.entries().len() as u64) < self.least_values {
            return Some(group.size());
        }
        let broken = self.rules.iter().find(|rule| alone(rule) && !rule.criterion.holds(group))?;
        Some(match broken.prunes {
            true => group.size(),
            false if broken.is_monotone => broken.criterion.least_removed(group).min(group.size()),
            false => 0,
        })
    }
}

fn by_size(scratch: &Scratch, violating: &[bool], mut visit: impl FnMut(&Histogram<'_>) -> ControlFlow<()>) {
    for (group, &size) in scratch.sizes().iter().enumerate().filter(|(group, _)| !violating[*group]) {
        if visit(&Histogram::of_size(group, size)).is_break() {
            return;
        }
    }
}

fn kept_sizes(work: &Work) -> impl Iterator<Item = u64> {
    let sizes = work.scratch.sizes().iter().zip(&work.violating);
    sizes.filter(|(_, violating)| !**violating).map(|(&size, _)| size)
}

fn joint_of(set: &FrequencySet, subject: usize, work: &mut Work) -> Joint {
    let mut joint = Joint::default();
    let mut together: Vec<u64> = vec![0; set.domain(subject)];
    let nothing_left_out = vec![false; work.violating.len()];
    let violating = &work.violating;
    set.histograms(subject, &mut work.scratch, &nothing_left_out, |group| {
        let sum = group.entries().iter().map(|entry| times_ln(entry.1)).sum::<i128>();
        joint.all += sum;
        if violating[group.group()] {
            group.entries().iter().for_each(|entry| together[entry.0 as usize] += entry.1);
        } else {
            joint.kept += sum;
        }
        ControlFlow::Continue(())
    });
    joint.suppressed = together.into_iter().map(times_ln).sum();
    joint
}

/// The combinations of all sensitive columns.
fn joint_codes(task: &LevelTask<'_>) -> Result<(Vec<u32>, usize)> {
    let rows = task.records.rows();
    let sensitive = task.schema.select(rows, Role::Sensitive)?;
    let coded: Vec<Coded<'_>> = sensitive.iter().map(|column| (column.codes(), column.domain().len())).collect();
    let (codes, count) = dense_ids(&coded, rows.rows());
    Ok((codes, count.max(1)))
}

/// The criteria by the subject that they read, and the subjects.
fn collect_rules<'a>(task: &LevelTask<'a>) -> Result<(Vec<Rules<'a>>, Vec<Codes<'a>>)> {
    let mut subjects: Vec<Codes<'a>> = Vec::new();
    let mut names: Vec<Option<&str>> = Vec::new();
    let mut all: Vec<Rules<'a>> = Vec::new();
    for bound in task.bound {
        let criterion = &*bound.criterion;
        let properties = criterion.properties();
        let is_monotone = properties.is_monotone();
        let prunes = if task.limit == 0 { is_monotone } else { properties.survives_growth() };
        let codes = bound.codes(task.records.rows())?;
        let name = if let Subject::Column(name) = &bound.subject { Some(name.as_str()) } else { None };
        let known = names.iter().position(|known| name.is_some() && *known == name);
        let subject = codes.map(|codes| {
            known.unwrap_or_else(|| {
                subjects.push(codes);
                names.push(name);
                subjects.len() - 1
            })
        });
        let at = all.iter().position(|rules| rules.subject == subject).unwrap_or_else(|| {
            all.push(Rules { subject, least_values: 1, rules: Vec::new() });
            all.len() - 1
        });
        all[at].least_values = all[at].least_values.max(properties.least.values);
        all[at].rules.push(Rule { criterion, is_monotone, prunes, joins: criterion.is_cross_group() });
    }
    Ok((all, subjects))
}
