//! States and the ways between them. What leads where does not depend on the kind of number that is
//! counted with.

use super::Case;
use super::number::Number;
use super::plan::Plan;
use crate::exact::Fraction;

/// For each cell how much weight a record of it has the atoms that are counted, and others.
pub(super) type Cells<N> = Vec<(N, N)>;

/// A way from a state to another.
pub(super) struct Edge {
    pub to: u32,
    /// How many records can be drawn.
    pub ways: u32,
    /// Whether they have the atom that is counted; or how many tests pass.
    pub mark: u32,
}

/// All ways from the states of one layer to those of the next.
pub(super) struct Step {
    /// Where the ways from each state end in the list.
    pub ends: Vec<u32>,
    pub edges: Vec<Edge>,
    pub states_after: usize,
    pub kind: StepKind,
}

pub(super) enum StepKind {
    /// A record of a cell is drawn; the first of it or another.
    Draw { cell: usize, first: bool },
    /// So many tests are decided.
    Decide { tests: usize },
}

/// States and ways.
pub(super) struct Graph {
    pub steps: Vec<Step>,
    /// For each state at the end and each urn how many of the atom that is counted are left.
    pub left: Vec<u32>,
    pub passed: Fraction,
}

impl Graph {
    /// Counts forth and back: how much weight a record of each cell has the atom, or another.
    pub fn cells<N: Number>(&self, case: &Case, plan: &Plan) -> Cells<N> {
        let weights: Vec<Vec<N>> = self.steps.iter().map(|step| self.weights(step)).collect();
        let mut ways_to: Vec<Vec<N>> = vec![vec![N::one()]];
        for (step, weights) in self.steps.iter().zip(&weights) {
            let before = ways_to.last().expect("a layer");
            let mut after = vec![N::zero(); step.states_after];
            for (state, edges) in step.by_state() {
                edges.iter().for_each(|edge| after[edge.to as usize].add(&step.along(edge, &before[state], weights)));
            }
            N::rescale(&mut after);
            ways_to.push(after);
        }
        let mut cells: Cells<N> = vec![(N::zero(), N::zero()); case.sizes.len() * case.urns.len()];
        self.count_undrawn(case, plan, ways_to.last().expect("a layer"), &mut cells);
        let mut ways_on: Vec<N> = vec![N::one(); self.steps.last().map_or(1, |step| step.states_after)];
        for (at, (step, weights)) in self.steps.iter().zip(&weights).enumerate().rev() {
            let mut before = vec![N::zero(); ways_to[at].len()];
            for (state, edges) in step.by_state() {
                for edge in edges {
                    let along = step.along(edge, &ways_on[edge.to as usize], weights);
                    if let StepKind::Draw { cell, first: true } = step.kind {
                        let (own, others) = &mut cells[cell];
                        let side = if edge.mark == 1 { own } else { others };
                        side.add(&along.times(&ways_to[at][state]));
                    }
                    before[state].add(&along);
                }
            }
            N::rescale(&mut before);
            ways_on = before;
        }
        cells
    }

    fn weights<N: Number>(&self, step: &Step) -> Vec<N> {
        match step.kind {
            StepKind::Draw { .. } => Vec::new(),
            StepKind::Decide { tests } => N::weights(self.passed, tests),
        }
    }

    /// Cells that are not drawn because all is decided before: every record left is as likely as
    /// every other.
    fn count_undrawn<N: Number>(&self, case: &Case, plan: &Plan, ways: &[N], cells: &mut Cells<N>) {
        let urns = case.urns.len();
        let undrawn = &plan.order[plan.end()..];
        for urn in 0..urns {
            let records: u32 = undrawn.iter().map(|&block| case.sizes[block][urn]).sum();
            let (mut own, mut others) = (N::zero(), N::zero());
            for (state, ways) in ways.iter().enumerate() {
                let left = self.left[state * urns + urn];
                own.add(&ways.times_small(left));
                others.add(&ways.times_small(records - left));
            }
            for &block in undrawn {
                cells[case.cell(block, urn)] = (own.clone(), others.clone());
            }
        }
    }
}

impl Step {
    fn by_state(&self) -> impl Iterator<Item = (usize, &[Edge])> {
        let mut start = 0;
        self.ends.iter().enumerate().map(move |(state, &end)| {
            let edges = &self.edges[start..end as usize];
            start = end as usize;
            (state, edges)
        })
    }

    /// A number taken along a way.
    fn along<N: Number>(&self, edge: &Edge, number: &N, weights: &[N]) -> N {
        match self.kind {
            StepKind::Draw { .. } => number.times_small(edge.ways),
            StepKind::Decide { .. } => number.times(&weights[edge.mark as usize]),
        }
    }
}
