//! What all groups so far tell, and whether two more may be added.

use super::triples::Triples;
use crate::candidate::{Counter, Histogram};
use crate::criterion::{Criterion, Evidence};
use smallvec::SmallVec;

/// A criterion, and by its number the subject that it reads.
pub type Rule<'a> = (&'a dyn Criterion, Option<usize>);

/// What must hold, together, for all groups.
pub(super) struct Rules<'a> {
    rules: Vec<Rule<'a>>,
    /// How many records a group needs at least.
    pub(super) least: u32,
    /// Whether groups that hold one by one may fail together.
    pub(super) join: bool,
}

/// What the groups so far tell.
pub(super) struct SoFar {
    evidence: Vec<Evidence>,
    /// How many groups there were.
    groups: usize,
}

/// A group's histograms, one for each subject.
type Histograms<'c> = SmallVec<[Histogram<'c>; 2]>;

/// Memory to look at cuts one after the other.
#[derive(Default)]
pub(super) struct Probe {
    /// For each subject how many on the left have each code.
    counts: Vec<Vec<u32>>,
    smaller: Vec<Counter>,
    larger: Vec<Counter>,
}

/// A cut: the triples of every subject that criteria read, and the number of the place that goes
/// right first.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'t> {
    pub(super) triples: &'t [Triples],
    pub(super) cut: usize,
}

impl Candidate<'_> {
    /// The size of the smaller side.
    pub(super) fn smaller(&self) -> u32 {
        let left = self.triples[0].before(self.cut);
        left.min(self.triples[0].size() - left)
    }

    /// What is on one side. The left side has the next number as a group, the right side the one
    /// after it.
    fn side<'c>(
        &self,
        right: bool,
        counts: &[Vec<u32>],
        memory: &'c mut Vec<Counter>,
        so_far: &SoFar,
    ) -> Histograms<'c> {
        memory.resize_with(self.triples.len(), || Counter::new(0));
        let number = so_far.groups + usize::from(right);
        let subjects = self.triples.iter().zip(counts).zip(memory);
        subjects.map(|((triples, left), counter)| counter.take(number, wide(triples.side(right, left)))).collect()
    }
}

impl Probe {
    fn count(&mut self, candidate: &Candidate<'_>) {
        self.counts.resize_with(candidate.triples.len(), Vec::new);
        for (triples, counts) in candidate.triples.iter().zip(&mut self.counts) {
            triples.count_left(candidate.cut, counts);
        }
    }

    /// Whether all groups so far and both sides of a cut are safe together.
    pub(super) fn allows(&mut self, rules: &Rules<'_>, candidate: &Candidate<'_>, so_far: &SoFar) -> bool {
        self.count(candidate);
        // The smaller side is the one that fails more often.
        let right = candidate.triples[0].before(candidate.cut) > candidate.smaller();
        let smaller = candidate.side(right, &self.counts, &mut self.smaller, so_far);
        if !rules.hold_alone(&smaller) {
            return false;
        }
        let larger = candidate.side(!right, &self.counts, &mut self.larger, so_far);
        rules.hold_alone(&larger) && rules.hold_together(so_far, &[smaller, larger])
    }

    /// Takes in the sides of a cut.
    pub(super) fn take_in(&mut self, rules: &Rules<'_>, candidate: &Candidate<'_>, so_far: &mut SoFar) {
        self.count(candidate);
        let left = candidate.side(false, &self.counts, &mut self.smaller, so_far);
        let right = candidate.side(true, &self.counts, &mut self.larger, so_far);
        for (rule, evidence) in rules.rules.iter().zip(&mut so_far.evidence) {
            gather(rule, evidence, &[&left, &right]);
        }
        so_far.groups += 2;
    }
}

impl<'a> Rules<'a> {
    pub(super) fn new(rules: Vec<Rule<'a>>) -> Rules<'a> {
        let least = rules.iter().map(|(criterion, _)| criterion.properties().least.records());
        let least = u32::try_from(least.max().unwrap_or(1).max(1)).unwrap_or(u32::MAX);
        let join = rules.iter().any(|(criterion, _)| criterion.is_cross_group());
        Rules { rules, least, join }
    }

    /// The group of all records, from the triples of each subject along any axis; nothing if it is
    /// not safe.
    pub(super) fn start(&self, whole: &[Triples]) -> Option<SoFar> {
        let mut counters: Vec<Counter> = whole.iter().map(|_| Counter::new(0)).collect();
        let all: Histograms<'_> =
            whole.iter().zip(&mut counters).map(|(triples, counter)| counter.take(0, wide(triples.whole()))).collect();
        let mut so_far = SoFar { evidence: vec![Evidence::none(); self.rules.len()], groups: 0 };
        for (rule, evidence) in self.rules.iter().zip(&mut so_far.evidence) {
            rule.0.gather(evidence, &of_rule(rule, &all), 1);
        }
        so_far.groups = 1;
        let holds = |(rule, evidence): (&Rule<'_>, &Evidence)| rule.0.verdict(evidence).holds;
        self.rules.iter().zip(&so_far.evidence).all(holds).then_some(so_far)
    }

    /// Whether every criterion holds for a group by itself.
    fn hold_alone(&self, group: &Histograms<'_>) -> bool {
        self.rules.iter().all(|rule| rule.0.holds(&of_rule(rule, group)))
    }

    /// Whether groups that hold by themselves are safe together with those so far.
    fn hold_together(&self, so_far: &SoFar, groups: &[Histograms<'_>; 2]) -> bool {
        let mut joining = self.rules.iter().zip(&so_far.evidence).filter(|(rule, _)| rule.0.is_cross_group());
        joining.all(|(rule, evidence)| {
            let mut evidence = evidence.clone();
            gather(rule, &mut evidence, &groups.each_ref());
            rule.0.verdict(&evidence).holds
        })
    }
}

fn gather(rule: &Rule<'_>, evidence: &mut Evidence, groups: &[&Histograms<'_>]) {
    groups.iter().for_each(|group| rule.0.gather(evidence, &of_rule(rule, group), 1));
}

/// Counts of records at hand as histograms hold them.
fn wide(entries: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = (u32, u64)> {
    entries.map(|(code, count)| (code, u64::from(count)))
}

/// What a criterion sees of a group.
fn of_rule<'c>(rule: &Rule<'_>, histograms: &Histograms<'c>) -> Histogram<'c> {
    match rule.1 {
        Some(subject) => histograms[subject],
        None => Histogram::of_size(histograms[0].group(), histograms[0].size()),
    }
}
