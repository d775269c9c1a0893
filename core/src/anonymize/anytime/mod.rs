//! A search of lattices that nobody can decide: it improves as long as it may.
//!
//! It knows what it may not know, by two sides. *From above*: descents from the coarsest candidate
//! refine the column that gains most for the groups it breaks up; exchanges (one column finer,
//! another coarser) and restarts around the best improve what they find (`improve.rs`). *From
//! below*: conflicts, few columns that cannot be fine together, say what every safe candidate must
//! give up (`conflict.rs`, `prove.rs`). Where both meet, nothing better exists.
//!
//! Work is counted in steps of forming groups and never by the clock, so that the outcome depends
//! on plan and table alone.

mod conflict;
mod improve;
mod prove;

use super::judge::{Judge, Judged, Safe, Work};
use super::search::{MOST_CONSIDERED, exceeds};
use super::{Considered, Generalization, Nodes};
use crate::candidate::FrequencySet;
use crate::error::{Error, ErrorCode, Result};
use crate::utility::Terms;
use crate::watch::Stage;
use conflict::{Conflicts, Region};
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// Steps that a core makes in a second, about.
const STEPS_PER_SECOND: u64 = 300_000_000;

/// Steps that a look takes at least, for each column.
const STEPS_PER_COLUMN: u64 = 50;

/// How many candidates are remembered.
const MOST_KNOWN: usize = 100_000;

/// What is known of a candidate.
#[derive(Clone, Debug, PartialEq)]
enum Sight {
    /// Nothing: there was no work left to look.
    Unknown,
    /// It is not safe, nor is anything finer.
    Below,
    /// It is not safe.
    Unsafe,
    /// It is safe.
    Safe(Place),
}

/// A safe candidate.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    levels: Vec<usize>,
    value: f64,
    suppressed: u64,
    groups: usize,
}

impl Place {
    fn new(levels: &[usize], safe: &Safe) -> Place {
        Place { levels: levels.to_vec(), value: safe.value, suppressed: safe.suppressed, groups: safe.groups }
    }

    /// Values that differ by rounding alone are equal; then the lower counts, then smaller levels.
    fn is_better_than(&self, other: &Place) -> bool {
        if exceeds(self.value, other.value) || exceeds(other.value, self.value) {
            return self.value < other.value;
        }
        let key = |place: &Place| (place.levels.iter().sum::<usize>(), place.levels.clone());
        key(self) < key(other)
    }
}

thread_local! {
    /// A thread's memory for judging, used again from candidate to candidate.
    static WORK: RefCell<Work> = RefCell::default();
}

/// A search in progress.
struct Anytime<'a> {
    judge: &'a Judge<'a>,
    /// All candidates that single columns leave.
    whole: Region,
    /// The vectors on the lowest levels that single columns leave.
    base: Arc<FrequencySet>,
    known: HashMap<Vec<usize>, Sight>,
    conflicts: Conflicts,
    best: Option<Place>,
    considered: Vec<Considered>,
    checked: u64,
    safe: u64,
    /// Whether no candidate is safe.
    is_barren: bool,
    spent: u64,
    /// What may be spent until something else is tried.
    until: u64,
    stage: Stage<'a>,
}

/// The best that so many seconds' work finds; nothing if no candidate is safe.
pub(super) fn best(judge: &Judge<'_>, ranges: &[(usize, usize)], seconds: u64) -> Result<Option<Generalization>> {
    within(judge, ranges, seconds.saturating_mul(STEPS_PER_SECOND))
}

fn within(judge: &Judge<'_>, ranges: &[(usize, usize)], allowed: u64) -> Result<Option<Generalization>> {
    let nodes = ranges.iter().fold(1u64, |nodes, (low, high)| nodes.saturating_mul((high - low + 1) as u64));
    let mut search = Anytime::new(judge, ranges, allowed);
    let top = search.whole.high.clone();
    if search.look_at_base(&[top]) == [Sight::Below] {
        return Ok(None);
    }
    let bound = search.run(allowed);
    match search.best.take() {
        Some(best) => Ok(Some(search.outcome(best, bound, nodes))),
        None if search.is_barren => Ok(None),
        None => Err(none_found(search.checked, nodes)),
    }
}

impl<'a> Anytime<'a> {
    fn new(judge: &'a Judge<'a>, ranges: &[(usize, usize)], allowed: u64) -> Self {
        let (low, high) = ranges.iter().copied().unzip();
        Anytime {
            judge,
            whole: Region { low, high },
            base: judge.base().clone(),
            known: HashMap::new(),
            conflicts: Conflicts::default(),
            best: None,
            considered: Vec::new(),
            checked: 0,
            safe: 0,
            is_barren: false,
            spent: 0,
            until: allowed,
            stage: judge.watch().stage("searching", Some(allowed)),
        }
    }

    /// Searches; says what no safe candidate measures less than. Both sides have a share of the
    /// work; an early try at the bound ends searches of lattices that can be decided after all.
    fn run(&mut self, allowed: u64) -> f64 {
        let share = |percent: u64| allowed / 100 * percent;
        self.until = share(10);
        self.find_floor();
        let terms = self.judge.metric().terms(self.judge.scales());
        let start = terms.as_ref().and_then(|terms| self.collect_conflicts(terms));
        self.until = share(30);
        self.seek();
        self.descend(start);
        if self.is_barren {
            return f64::INFINITY;
        }
        self.until = share(40);
        let bound = self.bound(terms.as_ref());
        if self.best.as_ref().is_some_and(|best| !exceeds(best.value, bound)) {
            return bound;
        }
        self.until = share(75);
        self.restart_all();
        self.until = allowed;
        self.bound(terms.as_ref()).max(bound)
    }

    /// What no safe candidate measures less than.
    fn bound(&mut self, terms: Option<&Terms>) -> f64 {
        if let Some(terms) = terms {
            return (terms.bound)(self.prove(terms));
        }
        let (base, low) = (self.base.clone(), self.whole.low.clone());
        self.spend(base.steps(&low));
        WORK.with_borrow_mut(|work| self.judge.bound_of(&base, &low, work))
    }

    fn columns(&self) -> std::ops::Range<usize> {
        0..self.whole.low.len()
    }

    fn may_go_on(&self) -> bool {
        self.spent < self.until
    }

    fn spend(&mut self, steps: u64) {
        self.spent += steps;
        self.stage.advance_with(steps, self.best.as_ref().map(|best| best.value));
    }

    fn look_at_base(&mut self, candidates: &[Vec<usize>]) -> Vec<Sight> {
        let base = self.base.clone();
        self.look(&base, candidates)
    }

    /// What is known of candidates. Those that nothing is known of are looked at side by side, as
    /// far as work is left, on a set that is finer than all.
    fn look(&mut self, set: &FrequencySet, candidates: &[Vec<usize>]) -> Vec<Sight> {
        if self.known.len() > MOST_KNOWN {
            self.known.clear();
        }
        let mut new: Vec<&Vec<usize>> = Vec::new();
        for one in candidates {
            if self.may_go_on() && !self.known.contains_key(one) {
                self.spend(set.steps(one) + STEPS_PER_COLUMN * one.len() as u64);
                new.push(one);
            }
        }
        let judge = self.judge;
        let look = |levels: &Vec<usize>| WORK.with_borrow_mut(|work| judge.judge_on(set, levels, work));
        let judged: Vec<Judged> = match new.as_slice() {
            [one] => vec![look(one)],
            several => several.par_iter().map(|one| look(one)).collect(),
        };
        new.into_iter().zip(judged).for_each(|(levels, judged)| self.note(levels, judged));
        candidates.iter().map(|one| self.known.get(one).cloned().unwrap_or(Sight::Unknown)).collect()
    }

    fn note(&mut self, levels: &[usize], judged: Judged) {
        self.checked += 1;
        let sight = match judged {
            Judged::Below => Sight::Below,
            Judged::Unsafe(_) => Sight::Unsafe,
            Judged::Safe(safe) => {
                self.safe += 1;
                // Metrics look at every column of every group that is suppressed.
                self.spend(safe.suppressed.min(safe.groups as u64) * levels.len() as u64);
                if self.considered.len() < MOST_CONSIDERED {
                    self.considered.push(Considered::new(levels.to_vec(), &safe));
                }
                Sight::Safe(self.offer(Place::new(levels, &safe)))
            }
        };
        self.known.insert(levels.to_vec(), sight);
    }

    fn offer(&mut self, place: Place) -> Place {
        if self.best.as_ref().is_none_or(|best| place.is_better_than(best)) {
            self.best = Some(place.clone());
        }
        place
    }

    /// The vectors on coarser levels.
    fn roll_up(&mut self, set: &FrequencySet, levels: &[usize]) -> FrequencySet {
        self.spend(set.steps(levels) + set.len() as u64);
        WORK.with_borrow_mut(|work| self.judge.rolled_up(set, levels, work))
    }

    /// Where the coarsest candidate is not safe: looks for any that is, from there downwards.
    fn seek(&mut self) {
        let mut waiting = VecDeque::from([self.whole.high.clone()]);
        let mut seen = HashSet::new();
        while let Some(levels) = waiting.pop_front().filter(|_| self.best.is_none() && self.may_go_on()) {
            let finer = self.columns().filter(|&column| levels[column] > self.whole.low[column]);
            let finer: Vec<Vec<usize>> = finer.map(|column| stepped(&levels, column, levels[column] - 1)).collect();
            let new: Vec<Vec<usize>> = finer.into_iter().filter(|one| seen.insert(one.clone())).collect();
            let sights = self.look_at_base(&new);
            waiting.extend(new.into_iter().zip(sights).filter(|one| one.1 == Sight::Unsafe).map(|one| one.0));
        }
        self.is_barren = self.best.is_none() && self.may_go_on();
    }

    fn outcome(self, best: Place, bound: f64, nodes: u64) -> Generalization {
        let bound = bound.min(best.value);
        Generalization {
            exhaustive: !exceeds(best.value, bound),
            passed_over: None,
            bound,
            levels: best.levels,
            value: best.value,
            suppressed: best.suppressed,
            nodes,
            checked: self.checked,
            safe: self.safe,
            minimal: Vec::new(),
            all_safe: Nodes::default(),
            considered: self.considered,
        }
    }
}

/// Levels with another one in a column.
fn stepped(levels: &[usize], column: usize, level: usize) -> Vec<usize> {
    let mut levels = levels.to_vec();
    levels[column] = level;
    levels
}

fn none_found(checked: u64, nodes: u64) -> Error {
    let message = format!("none of the {checked} choices of levels that were looked at is safe, of {nodes}");
    Error::of(ErrorCode::NoneFound, message)
        .help("not all were looked at: more `seconds` under [method] may find one; so may a looser criterion or more suppression")
}

#[cfg(test)]
mod tests {
    use super::super::{LevelTask, level_ranges};
    use super::*;
    use crate::criterion::Bound;
    use crate::data::{Column, Table};
    use crate::error::Fault;
    use crate::plan::TablePlan;
    use crate::utility::{self, ChosenMetric};
    use crate::watch::{Observer, Progress, Watch};
    use std::path::Path;
    use std::sync::Mutex;

    /// Columns of which each goes partly with the one before.
    fn table(columns: usize, rows: u64) -> Table {
        let value = |row: u64, at: u64| {
            let mixed = |at: u64| (row + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ (at << 7)) >> 40;
            let own = mixed(at) % 3 > 0;
            (if own { mixed(at + 100) } else { mixed(at / 2 + 200) }) % (2 + at % 7)
        };
        let column = |at: usize| {
            let values = (0..rows).map(|row| value(row, at as u64).to_string());
            Column::from_values(format!("c{at}"), values)
        };
        Table::new((0..columns).map(column).collect()).unwrap()
    }

    fn plan(columns: usize, criteria: &str) -> TablePlan {
        let column = |at: usize| match at {
            0 => "c0 = \"sensitive\"\n".to_string(),
            _ => format!("c{at} = {{ role = \"quasi\", hierarchy = {{ intervals = [2, 4] }} }}\n"),
        };
        let columns: String = (0..columns).map(column).collect();
        TablePlan::parse(&format!("[columns]\n{columns}{criteria}"), Path::new(".")).unwrap()
    }

    const CRITERIA: &str =
        "[[require]]\ncriterion = \"k-anonymity\"\nk = 5\n[[require]]\ncriterion = \"distinct-l-diversity\"\nl = 2\n";

    /// Looks at a task of so many columns.
    fn with_task<T>(
        columns: usize,
        metric: &str,
        limit: u64,
        watch: Watch<'_>,
        look: impl FnOnce(&LevelTask<'_>) -> T,
    ) -> T {
        let (table, plan) = (table(columns, 400), plan(columns, CRITERIA));
        let bind = |wanted: &crate::criterion::Requirement| wanted.bind(&table, &plan.schema, &plan.folder).unwrap();
        let bound: Vec<Bound> = plan.requirements.iter().map(bind).collect();
        let metric = ChosenMetric::new(metric, &[]).unwrap();
        let task =
            LevelTask { records: (&table).into(), schema: &plan.schema, bound: &bound, limit, metric: &metric, watch };
        look(&task)
    }

    fn found(task: &LevelTask<'_>, steps: u64) -> Generalization {
        within(&Judge::new(task).unwrap(), &level_ranges(task).unwrap(), steps)
            .unwrap()
            .expect("there is a safe choice")
    }

    #[test]
    fn threads_change_nothing() {
        for (metric, limit) in [("loss", 0), ("loss", 20), ("discernibility", 20), ("kl-divergence", 0)] {
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| with_task(25, metric, limit, Watch::NONE, |task| found(task, 8_000_000)))
            };
            let one = run(1);
            assert!(!one.exhaustive && one.value >= one.bound, "{metric}: it is a search that does not end by itself");
            assert_eq!([run(2), run(8)], [one.clone(), one], "{metric}, {limit}");
        }
    }

    /// Wide tables keep some columns, more work finds no less, and the bound stays below.
    #[test]
    fn work_improves_what_is_found() {
        for limit in [0, 20] {
            let values = [50_000, 1_000_000, 20_000_000].map(|steps| {
                let found = with_task(25, "loss", limit, Watch::NONE, |task| found(task, steps));
                assert!(found.bound <= found.value);
                found.value
            });
            assert!(values[2] < values[0] && values[2] <= values[1], "{limit}: {values:?}");
        }
    }

    /// What is done, of how much, and the best so far.
    type Heard = (u64, Option<u64>, Option<f64>);

    struct Follower {
        heard: Mutex<Vec<Heard>>,
        patience: usize,
    }

    impl Observer for Follower {
        fn progress(&self, progress: &Progress<'_>) {
            self.heard.lock().unwrap().push((progress.done, progress.total, progress.best));
        }

        fn is_cancelled(&self) -> bool {
            self.heard.lock().unwrap().len() > self.patience
        }
    }

    #[test]
    fn whoever_watches_hears_of_the_best_and_may_stop() {
        let follow = |patience: usize| {
            let follower = Follower { heard: Mutex::default(), patience };
            let watch = Watch::by(&follower);
            let ended = watch.run(|| Ok(with_task(25, "loss", 0, watch, |task| found(task, 4_000_000))));
            (ended, follower.heard.into_inner().unwrap())
        };
        let (ended, heard) = follow(usize::MAX);
        let best: Vec<f64> = heard.iter().filter_map(|one| one.2).collect();
        assert!(best.windows(2).all(|pair| pair[1] <= pair[0]), "the best never gets worse");
        assert_eq!(best.last().copied(), Some(ended.unwrap().value));
        assert!(heard.iter().all(|one| one.1 == Some(4_000_000)));
        assert!(heard.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        let (ended, heard) = follow(40);
        assert_eq!(ended.unwrap_err().fault(), Fault::Cancelled);
        assert!(heard.len() < 60);
    }

    /// Where terms are given, they are the bound from levels.
    #[test]
    fn terms_give_the_bound() {
        for kind in utility::KINDS {
            with_task(6, kind.name, 0, Watch::NONE, |task| {
                let judge = Judge::new(task).unwrap();
                let Some(terms) = judge.metric().terms(judge.scales()) else { return };
                let lattice = super::super::Lattice::between(&level_ranges(task).unwrap());
                for levels in (0..lattice.nodes()).step_by(7).map(|node| lattice.levels(node)) {
                    let (sum, bound) = ((terms.bound)(terms.sum(&levels)), judge.bound(&levels));
                    assert!((sum - bound).abs() <= 1e-9 * bound.abs().max(1.0), "{}: {sum} ≠ {bound}", kind.name);
                }
            });
        }
    }

    #[test]
    fn what_nobody_can_satisfy_is_told_at_once() {
        with_task(25, "loss", 0, Watch::NONE, |task| {
            let few = LevelTask { limit: 0, ..*task };
            let judge = Judge::new(&few).unwrap();
            // Of single values on the highest level that the plan permits no group is large enough.
            let ranges: Vec<(usize, usize)> = level_ranges(&few).unwrap().into_iter().map(|_| (0, 0)).collect();
            assert_eq!(within(&judge, &ranges, 1_000_000).unwrap(), None);
        });
    }
}
