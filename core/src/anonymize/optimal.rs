//! The best choice of levels for a metric, found without deciding all.
//!
//! **Finds** the safe candidate with the least value of the metric; of equal ones the one with the
//! smaller sum of levels, then with the smaller levels. The same that exhaustive search finds.
//! **How**: candidates in the order of a bound that no coarser one goes below; each unknown one is
//! settled together with a whole path above it, by bisection (predictive tagging); the search ends
//! when the next bound exceeds the best value. **Class**: full-domain generalization with
//! suppression of whole groups; the choice depends on sensitive values if criteria do.
//! **Reference**: Kohlmayer, Prasser et al. 2012 (Flash); Machanavajjhala et al. 2007, Section 5.

use super::search::LatticeSearch;
use super::{
    Along, BLIND, BUDGET, Build, Class, Generalization, Judge, Lattice, LevelTask, Method, Nodes, Rivals, Task,
    Transformation, anytime, lattice_within, level_ranges,
};
use crate::data::{Column, Schema};
use crate::error::{ErrorCode, Result};
use crate::kind::{Kind, Param, Shape};

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "optimal",
    summary: "The best choice of levels for the metric, by predictive tagging and bounds",
    reference: "Kohlmayer et al. 2012",
    params: &[BLIND, BUDGET, SECONDS],
    example: &[("seconds", "30")],
    build: |params| Box::new(Optimal { budget: params.count("budget"), seconds: params.count("seconds") }),
};

/// How long a search may go on that cannot decide every candidate.
const SECONDS: Param = Param {
    name: "seconds",
    summary: "beyond the budget: for how many seconds' work of one core the search improves what it found, counted in steps and not by the clock; 0 to refuse",
    shape: Shape::Count(0),
    default: Some("10"),
};

struct Optimal {
    budget: u64,
    seconds: u64,
}

impl Method for Optimal {
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        Ok(self.choose_levels(&task.levels())?.map(Transformation::Levels))
    }

    fn choose_levels(&self, task: &LevelTask<'_>) -> Result<Option<Generalization>> {
        match lattice_within(task, self.budget) {
            Err(error) if self.seconds > 0 && error.code() == ErrorCode::LatticeTooLarge => {
                anytime::best(&Judge::new(task)?, &level_ranges(task)?, self.seconds)
            }
            lattice => Ok(best(&Judge::new(task)?, lattice?)),
        }
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

/// How many candidates are judged side by side. A constant, so that what was looked at does not
/// depend on the number of threads.
const BATCH: usize = 16;

fn best(judge: &Judge<'_>, lattice: Lattice) -> Option<Generalization> {
    let mut search = LatticeSearch::new(judge, lattice);
    let all: Vec<usize> = (0..search.lattice.nodes()).collect();
    find_best(&mut search, &all);
    outcome(search, Vec::new(), Vec::new())
}

/// Finds the best of some candidates. All that are finer than one of them may be settled on the
/// way, none of those decides.
pub(super) fn find_best(search: &mut LatticeSearch<'_>, candidates: &[usize]) {
    let judge = search.judge;
    let bounds: Vec<f64> = candidates.iter().map(|&node| judge.bound(&search.lattice.levels(node))).collect();
    let whole = candidates.len() == search.lattice.nodes();
    // Where nothing is suppressed and the bound is exact, being safe is all there is to know.
    let known = judge.keeps_all() && judge.metric().is_exact() && judge.is_upward_closed();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_unstable_by(|&a, &b| bounds[a].total_cmp(&bounds[b]).then(a.cmp(&b)));
    let mut waiting: Vec<usize> = Vec::with_capacity(BATCH);
    let mut at = 0;
    while at < order.len() && !search.is_worse(bounds[order[at]]) {
        let next = stretch(search, &order[at..], candidates);
        if whole {
            let open = next.iter().filter(|&&at| !search.is_worse(bounds[at])).map(|&at| candidates[at]);
            let open: Vec<usize> = open.filter(|&node| search.is_wanted(node)).collect();
            search.settle(&open, |_, up| bounds[up]);
        }
        for &one in next {
            let node = candidates[one];
            if search.is_out(node) || !search.is_above(node) || search.is_worse(bounds[one]) {
                continue;
            }
            if known {
                search.offer(node, bounds[one], 0);
                continue;
            }
            waiting.push(node);
            if waiting.len() == BATCH {
                search.look_at_all(&waiting);
                waiting.clear();
            }
        }
        at += next.len();
    }
    search.look_at_all(&waiting);
}

/// The next candidates in order, up to as many unknown ones as are settled side by side.
fn stretch<'o>(search: &LatticeSearch<'_>, order: &'o [usize], candidates: &[usize]) -> &'o [usize] {
    let mut open = 0;
    let end = order.iter().position(|&at| {
        open += usize::from(search.is_wanted(candidates[at]));
        open == search.lanes
    });
    &order[..end.map_or(order.len(), |end| end + 1)]
}

pub(super) fn outcome(
    search: LatticeSearch<'_>,
    minimal: Vec<Vec<usize>>,
    all_safe: Vec<usize>,
) -> Option<Generalization> {
    let best = search.best.clone()?;
    Some(Generalization {
        levels: search.lattice.levels(best.node),
        value: best.value,
        suppressed: best.suppressed,
        nodes: search.lattice.nodes() as u64,
        checked: search.checked,
        safe: search.safe(),
        minimal,
        all_safe: Nodes { lattice: search.lattice.clone(), nodes: all_safe },
        exhaustive: true,
        bound: best.value,
        considered: search.considered,
        passed_over: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::criterion::Bound;
    use crate::data::sample;
    use crate::plan::TablePlan;
    use crate::utility::ChosenMetric;
    use std::path::Path;

    /// Paths side by side find the same as one after the other.
    #[test]
    fn lanes_change_nothing() {
        let plan = r#"
            [columns]
            age     = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
            sex     = "quasi"
            zip     = { role = "quasi", hierarchy = { redact = 5 } }
            disease = "sensitive"
            [[require]]
            criterion = "k-anonymity"
            k = 5
            [[require]]
            criterion = "entropy-l-diversity"
            l = 3
        "#;
        let plan = TablePlan::parse(plan, Path::new(".")).unwrap();
        let table = sample::hospital(2000, 3);
        let bind = |wanted: &crate::criterion::Requirement| wanted.bind(&table, &plan.schema, &plan.folder).unwrap();
        let bound: Vec<Bound> = plan.requirements.iter().map(bind).collect();
        for metric in crate::utility::KINDS {
            for limit in [0, 50] {
                let metric = ChosenMetric::new(metric.name, &[]).unwrap();
                let (requirements, schema) = (&plan.requirements[..], &plan.schema);
                let task = Task {
                    watch: crate::watch::Watch::NONE,
                    table: &table,
                    schema,
                    requirements,
                    bound: &bound,
                    limit,
                    metric: &metric,
                    chance: Chance::default(),
                };
                let judge = Judge::new(&task.levels()).unwrap();
                let run = |lanes: usize| {
                    let lattice = super::super::lattice_within(&task.levels(), 1 << 20).unwrap();
                    let all: Vec<usize> = (0..lattice.nodes()).collect();
                    let mut search = LatticeSearch::new(&judge, lattice);
                    search.lanes = lanes;
                    find_best(&mut search, &all);
                    search.best
                };
                let one = run(1);
                assert!(one.is_some());
                assert!((2..6).all(|lanes| run(lanes) == one), "{}, {limit}", metric.kind.name);
            }
        }
    }
}
