//! The cuts of one group in the order in which they are tried, and the first that is allowed.

use super::records::{Records, Side};
use super::so_far::{Candidate, Probe, SoFar};
use super::triples::{Along, Triples};
use super::{Cutter, Priority};
use crate::error::Result;
use std::cmp::Reverse;

/// Looks for a cut. Cuts that were refused are not tried again: what all groups tell only grows.
pub(super) struct CutSearch<'a> {
    cutter: &'a Cutter<'a>,
    pub(super) records: Records<'a>,
    /// The first and the last place along each axis.
    ends: Vec<(u32, u32)>,
    /// Axes that are not looked at yet, the next one last.
    to_open: Vec<usize>,
    open: Vec<Open>,
    /// Cuts to be tried: which of the open axes, and which place is the first to go right.
    cuts: Vec<(usize, usize)>,
    at: usize,
    /// Whether there are further cuts along open axes.
    more: bool,
    /// For information gain: cuts that are not tried yet, in any order.
    by_gain: Vec<(Reverse<i64>, (usize, usize))>,
    probe: Probe,
}

/// An axis that is looked at.
struct Open {
    axis: usize,
    triples: Vec<Triples>,
}

impl<'a> CutSearch<'a> {
    /// Of a group at a depth.
    pub(super) fn new(cutter: &'a Cutter<'a>, records: Records<'a>, depth: usize) -> Result<CutSearch<'a>> {
        let mut search = CutSearch {
            cutter,
            records,
            ends: Vec::new(),
            to_open: Vec::new(),
            open: Vec::new(),
            cuts: Vec::new(),
            at: 0,
            more: false,
            by_gain: Vec::new(),
            probe: Probe::default(),
        };
        if search.records.size >= 2 * cutter.rules.least as usize {
            search.ends = cutter.ends(&search.records)?;
            search.to_open = search.order(depth);
            search.to_open.reverse();
        }
        Ok(search)
    }

    /// The axes along which records differ, in the order in which they are tried.
    fn order(&self, depth: usize) -> Vec<usize> {
        let axes = self.cutter.axes;
        let differ = |axis: &usize| self.ends[*axis].0 < self.ends[*axis].1;
        match self.cutter.priority {
            Priority::RoundRobin => (0..axes.len()).map(|at| (depth + at) % axes.len()).filter(differ).collect(),
            Priority::Widest | Priority::InformationGain(_) => {
                let width = |axis: usize| axes[axis].width(self.ends[axis].0, self.ends[axis].1);
                let mut order: Vec<usize> = (0..axes.len()).filter(differ).collect();
                order.sort_by(|&a, &b| width(b).total_cmp(&width(a)));
                order
            }
        }
    }

    /// Goes to the first cut, from the current one on, that is allowed beside the groups so far.
    pub(super) fn seek(&mut self, so_far: &SoFar) -> Result<()> {
        loop {
            while let Some(&(open, cut)) = self.cuts.get(self.at) {
                let candidate = candidate(self.cutter, &self.open[open], cut);
                if self.probe.allows(&self.cutter.rules, &candidate, so_far) {
                    return Ok(());
                }
                self.at += 1;
            }
            if !self.fill()? {
                return Ok(());
            }
        }
    }

    /// Whether the current cut, which was allowed before, is not allowed any more. Without criteria
    /// that join groups that does not happen.
    pub(super) fn is_refused(&mut self, so_far: &SoFar) -> bool {
        let current = self.cuts.get(self.at).filter(|_| self.cutter.rules.join);
        current.is_some_and(|&(open, cut)| {
            !self.probe.allows(&self.cutter.rules, &candidate(self.cutter, &self.open[open], cut), so_far)
        })
    }

    /// Takes the current cut, if there is one: its sides are groups now.
    pub(super) fn take(&mut self, so_far: &mut SoFar) -> Option<Side> {
        let &(open, cut) = self.cuts.get(self.at)?;
        let Open { axis, triples } = &self.open[open];
        if self.cutter.rules.join {
            self.probe.take_in(&self.cutter.rules, &candidate(self.cutter, &self.open[open], cut), so_far);
        }
        let (place, left) = (triples[0].places()[cut].0, triples[0].before(cut) as usize);
        Some(Side { field: self.cutter.layout.fields[*axis], place, left })
    }

    /// More cuts to try; false if there are none.
    fn fill(&mut self) -> Result<bool> {
        self.cuts.clear();
        self.at = 0;
        if let Priority::InformationGain(target) = self.cutter.priority {
            return self.fill_by_information(target);
        }
        if std::mem::take(&mut self.more) {
            self.cuts = self.rest();
            return Ok(true);
        }
        let Some(axis) = self.to_open.pop() else { return Ok(false) };
        self.open.clear();
        self.open(axis)?;
        self.more = true;
        let best = self.best().filter(|&cut| is_large_enough(self.cutter, &self.open[0], cut));
        self.cuts.extend(best.map(|cut| (0, cut)));
        Ok(true)
    }

    /// Counts along an axis.
    fn open(&mut self, axis: usize) -> Result<()> {
        let cutter = self.cutter;
        let place = cutter.layout.fields[axis];
        let codes = cutter.codes();
        let count = |code| {
            let along = Along { place, ends: self.ends[axis], code };
            Triples::count(&self.records, &along, cutter.layout.words)
        };
        let triples = codes.map(count).collect::<Result<_>>()?;
        self.open.push(Open { axis, triples });
        Ok(())
    }

    /// The cut along the open axis that wins most.
    fn best(&self) -> Option<usize> {
        let Open { axis, triples } = &self.open[0];
        let places = triples[0].places();
        let best = self.cutter.axes[*axis].cut(places, triples[0].size(), false)?;
        Some(places.partition_point(|place| place.0 < best.place))
    }

    /// The other cuts along the open axis, those in the middle first.
    fn rest(&self) -> Vec<(usize, usize)> {
        let (best, open) = (self.best(), &self.open[0]);
        let others = (1..open.triples[0].places().len()).filter(|&cut| Some(cut) != best);
        let large = others.filter(|&cut| is_large_enough(self.cutter, open, cut));
        let mut cuts: Vec<(usize, usize)> = large.map(|cut| (0, cut)).collect();
        cuts.sort_by_key(|&(_, cut)| Reverse(candidate(self.cutter, open, cut).smaller()));
        cuts
    }

    /// Cuts along all axes, those that tell most about the target first.
    fn fill_by_information(&mut self, target: usize) -> Result<bool> {
        if std::mem::take(&mut self.more) {
            self.by_gain.sort_unstable();
            self.cuts = std::mem::take(&mut self.by_gain).into_iter().map(|(_, cut)| cut).collect();
            return Ok(true);
        }
        let mut axes = std::mem::take(&mut self.to_open);
        if axes.is_empty() {
            return Ok(false);
        }
        axes.sort_unstable();
        axes.into_iter().try_for_each(|axis| self.open(axis))?;
        for (at, open) in self.open.iter().enumerate() {
            let gains = open.triples[target].information().into_iter().enumerate().skip(1);
            let large = gains.filter(|&(cut, _)| is_large_enough(self.cutter, open, cut));
            self.by_gain.extend(large.map(|(cut, gain)| (Reverse(gain), (at, cut))));
        }
        // The first is often allowed: the others are put in order only if it is not.
        if let Some(first) = (0..self.by_gain.len()).min_by_key(|&at| self.by_gain[at]) {
            self.cuts.push(self.by_gain.swap_remove(first).1);
        }
        self.more = true;
        Ok(true)
    }
}

/// A cut along an open axis, as criteria see it.
fn candidate<'t>(cutter: &Cutter<'_>, open: &'t Open, cut: usize) -> Candidate<'t> {
    Candidate { triples: &open.triples[cutter.subjects_of_rules()], cut }
}

fn is_large_enough(cutter: &Cutter<'_>, open: &Open, cut: usize) -> bool {
    candidate(cutter, open, cut).smaller() >= cutter.rules.least
}
