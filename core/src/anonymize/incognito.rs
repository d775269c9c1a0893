//! Every safe choice of levels, the minimal ones, and the best of them for a metric.
//!
//! **Finds** all safe candidates; the minimal ones, of which no finer one is safe; and the best by
//! the metric, of equal ones the one with the smaller sum of levels, then with the smaller levels.
//! **How**: the three properties of Incognito. *Subsets*: a choice that leaves columns out (on
//! their top level) is looked at first, and what it violates every choice that takes them in
//! violates. *Generalization*: what is coarser than a safe choice is safe. *Roll-up*: a coarser
//! frequency set is made from a finer one, never from rows. The first two hold for what survives
//! merging (see the family's page); choices that they leave open are looked at one by one, on all
//! cores. **Class**: full-domain generalization with suppression of whole groups; the choice
//! depends on sensitive values if criteria do. **Reference**: LeFevre et al. 2005; Machanavajjhala
//! et al. 2007, Section 5.

use super::optimal::{find_best, outcome};
use super::search::LatticeSearch;
use super::{
    Along, BLIND, BUDGET, Build, Class, Generalization, Judge, Lattice, LevelTask, Method, Rivals, Task,
    Transformation, lattice_within,
};
use crate::data::{Column, Schema};
use crate::error::Result;
use crate::kind::Kind;

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "incognito",
    summary: "All safe choices of levels, the minimal ones, and the best of them for the metric",
    reference: "LeFevre et al. 2005",
    params: &[BLIND, BUDGET],
    example: &[("budget", "1000000")],
    build: |params| Box::new(Incognito { budget: params.count("budget") }),
};

struct Incognito {
    budget: u64,
}

impl Method for Incognito {
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        Ok(self.choose_levels(&task.levels())?.map(Transformation::Levels))
    }

    fn choose_levels(&self, task: &LevelTask<'_>) -> Result<Option<Generalization>> {
        let lattice = lattice_within(task, self.budget)?;
        Ok(all(&Judge::new(task)?, lattice))
    }

    fn along(&self, _at: usize, _column: &Column, _schema: &Schema) -> Result<Along> {
        Ok(Along::Hierarchy)
    }

    fn withholds(&self) -> bool {
        true
    }

    fn class(&self) -> Class {
        Class::Asymmetric
    }

    fn rivals<'a>(&self, task: &LevelTask<'a>, chosen: &Generalization) -> Result<Option<Rivals<'a>>> {
        Rivals::new(task, self.budget, chosen)
    }
}

fn all(judge: &Judge<'_>, lattice: Lattice) -> Option<Generalization> {
    let mut search = LatticeSearch::new(judge, lattice);
    decide_all(&mut search);
    let safe: Vec<usize> = (0..search.lattice.nodes()).filter(|&node| search.is_safe(node)).collect();
    let minimal = minimal(&search);
    // Without suppression no metric measures less on a coarser choice.
    let candidates = if judge.keeps_all() && judge.is_upward_closed() { &minimal } else { &safe };
    find_best(&mut search, candidates);
    let minimal = minimal.iter().map(|&node| search.lattice.levels(node)).collect();
    outcome(search, minimal, safe)
}

/// Decides every candidate: few columns before many, and low before high.
fn decide_all(search: &mut LatticeSearch<'_>) {
    let mut order: Vec<usize> = (0..search.lattice.nodes()).collect();
    order.sort_by_cached_key(|&node| (search.lattice.breadth(node), search.lattice.height(node)));
    let mut open = order.iter().copied();
    loop {
        let some: Vec<usize> = open.by_ref().filter(|&node| search.is_open(node)).take(search.lanes).collect();
        if some.is_empty() {
            break;
        }
        search.settle(&some, |lattice, up| lattice.height(up) as f64);
    }
    if !search.judge.is_upward_closed() {
        let open: Vec<usize> =
            order.into_iter().filter(|&node| search.is_above(node) && !search.is_judged(node)).collect();
        search.look_at_all(&open);
    }
}

/// Safe candidates without a safe one below them.
fn minimal(search: &LatticeSearch<'_>) -> Vec<usize> {
    let mut has_finer = vec![false; search.lattice.nodes()];
    let mut minimal = Vec::new();
    // Finer candidates have smaller numbers.
    for node in 0..search.lattice.nodes() {
        has_finer[node] = search.lattice.finer(node).any(|finer| has_finer[finer] || search.is_safe(finer));
        if !has_finer[node] && search.is_safe(node) {
            minimal.push(node);
        }
    }
    minimal
}
