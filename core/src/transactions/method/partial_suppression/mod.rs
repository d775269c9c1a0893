//! Partial suppression: items are deleted from some of the records that have them, not from all.
//!
//! **Finds** a table in which no rule about a sensitive item is too sure, with few items deleted
//! (`mine`) or with the distribution of items kept (`dist`). **How**: every record is a closed set,
//! and rules r∖{e} → e of records are the surest there are. So records come first, those with most
//! items that are not sensitive at the head: each is replaced by the best part of it whose own
//! rules are safe, given all other records. What is unsafe then is found by the exact search
//! through closed sets, at most `b_max` rules at a time and the surest first, and disabled by
//! deleting one of its items from as many randomly chosen records as it takes; until nothing is
//! found. Last, whatever can be given back without making a rule unsafe is given back. `dist`
//! values items by how little of their kind is left, deletes what would distort the distribution
//! besides, and gives back only kinds that have lost more than others. **Class**: the table is safe
//! however it was made; which of several records lose an item is drawn by lot. **Reference**: Jia,
//! Pan, Xu, Zhu, Lo, "ρ-uncertainty Anonymization by Partial Suppression" (DASFAA 2014), Algorithms
//! 1–3: the objectives, the numbers of deletions, the division into parts. The order, the search
//! for parts of records and the giving back are ours: see the decisions.
//!
//! # Division into parts
//!
//! With `t_max`, a table T is divided by lot into halves while |T|·2^(N/|T|)/|D(T)| is above it (N
//! occurrences, D(T) kinds of items), and parts are made safe side by side. *The union of safe
//! parts is safe*: a rule's support and that of its antecedent are sums over parts, and a sum of
//! numbers each at most ρ times another is at most ρ times the sum of those; strictly so if one of
//! them is. The whole is then looked through for what can be given back.
//!
//! ```
//! use sfumato::chance::Chance;
//! use sfumato::exact::Fraction;
//! use sfumato::transactions::method::{Task, find};
//! use sfumato::transactions::{Demand, Sensitive, sample};
//!
//! let table = sample::purchases();
//! let task = Task {
//!     table: &table,
//!     sensitive: &Sensitive::named(&table, ["condom"]),
//!     demand: Demand::at_most(Fraction::new(1, 3)),
//!     chance: Chance::System,
//!     folder: ".".as_ref(),
//!     watch: sfumato::watch::Watch::NONE,
//! };
//! let kind = find("partial-suppression")?;
//! let released = (kind.build)(&kind.check(&[])?).make(&task)?;
//! assert_eq!(table.occurrences() - released.table().occurrences(), 2);
//! # Ok::<(), sfumato::Error>(())
//! ```

mod bound;
mod dist;
mod mine;
mod repair;
mod restore;
mod work;

pub use bound::least_deleted;

use super::{Build, Method, Task};
use crate::error::Result;
use crate::kind::{Kind, Param, Shape};
use crate::transactions::{Released, Rule, Together, Transactions};
use dist::Dist;
use mine::Mine;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use work::Work;

/// The description of partial suppression.
pub const KIND: Kind<Build> = Kind {
    name: "partial-suppression",
    summary: "Deletes items from some of the records that have them: as few as can be, or evenly over all kinds",
    reference: "Jia et al. 2014",
    params: &[
        Param {
            name: "objective",
            summary: "mine: few deletions, rules stay; dist: every kind of item loses about the same share",
            shape: Shape::Choice(&["mine", "dist"]),
            default: Some("mine"),
        },
        Param {
            name: "t_max",
            summary: "divide the table while its estimated cost is above this; none: never",
            shape: Shape::CountOr(1, "none"),
            default: Some("7000"),
        },
        Param {
            name: "b_max",
            summary: "rules above the limit gathered at a time",
            shape: Shape::Count(1),
            default: Some("1000000"),
        },
    ],
    example: &[("objective", "\"mine\"")],
    build: |params| {
        Box::new(PartialSuppression {
            keeps_distribution: params.choice("objective") == "dist",
            most_cost: params.count_or("t_max"),
            buffer: params.count("b_max") as usize,
        })
    },
};

/// What the generators are for.
const DIVISION: u64 = 41;
const DELETION: u64 = 42;
const RETURN: u64 = 43;

struct PartialSuppression {
    keeps_distribution: bool,
    most_cost: Option<u64>,
    buffer: usize,
}

/// What is deleted first, and what is given back.
trait Objective: Sync {
    /// The best part of a record's items, of those whose own rules are safe.
    fn choose(&self, work: &Work<'_>, at: usize, items: &[u32]) -> Vec<u32>;

    /// The item of an unsafe rule that is to be deleted; `needed` says how often each would have to
    /// be.
    fn victim(&self, work: &Work<'_>, rule: &Rule, needed: impl Fn(u32) -> u64) -> u32;

    /// Whether an item is to be given back where it can be.
    fn wants_back(&self, work: &Work<'_>, item: u32) -> bool;

    /// Takes notice of a record that was decided about for the first time.
    fn saw(&mut self, _work: &Work<'_>, _at: usize) {}

    /// How many occurrences of each item are to be deleted though no rule asks for it.
    fn surplus(&self, _work: &Work<'_>) -> Vec<u64> {
        Vec::new()
    }

    /// How many records are to be decided about anew because too little is left of an item that
    /// they held, for each item.
    fn missing(&self, _work: &Work<'_>) -> Vec<u64> {
        Vec::new()
    }
}

impl Method for PartialSuppression {
    /// # Claim
    /// The search through closed sets ends when it finds no unsafe rule, and nothing is given back
    /// that makes one unsafe.
    fn make(&self, task: &Task<'_>) -> Result<Released> {
        let parts = divided(task, self.most_cost)?;
        let made: Vec<Result<Transactions>> =
            parts.par_iter().enumerate().map(|(number, part)| self.suppress(task, part, number as u64)).collect();
        let mut left: Vec<Vec<u32>> = vec![Vec::new(); task.table.len()];
        for (part, made) in parts.iter().zip(made) {
            let made = made?;
            part.iter().zip(made.iter()).for_each(|(at, items)| left[*at as usize] = items.to_vec());
        }
        let table = if parts.len() > 1 {
            self.joined(task, left)?
        } else {
            Transactions::new(task.table.names().clone(), left)
        };
        Ok(Released::Together(Together { table, published_as: None }))
    }
}

impl PartialSuppression {
    fn suppress(&self, task: &Task<'_>, records: &[u32], number: u64) -> Result<Transactions> {
        let part = task.table.select(records);
        let work = Work::new(&part, task.sensitive, task.demand, task.watch);
        // Parts have numbers, so that generators with a seed do not repeat each other.
        let mut generator = task.chance.generator(DELETION + (number << 8))?;
        if self.keeps_distribution {
            let mut dist = Dist::new(&work);
            suppress(work, &mut dist, self.buffer, &mut generator)
        } else {
            suppress(work, &mut Mine, self.buffer, &mut generator)
        }
    }

    /// All parts together, with what can be given back now that records of other parts are there
    /// too.
    fn joined(&self, task: &Task<'_>, left: Vec<Vec<u32>>) -> Result<Transactions> {
        let mut work = Work::new(task.table, task.sensitive, task.demand, task.watch).with_left(left);
        let mut generator = task.chance.generator(RETURN)?;
        if self.keeps_distribution {
            let dist = Dist::new(&work);
            restore::restore(&mut work, &dist, &mut generator);
        } else {
            restore::restore(&mut work, &Mine, &mut generator);
        }
        Ok(work.table())
    }
}

fn suppress(
    mut work: Work<'_>,
    objective: &mut impl Objective,
    buffer: usize,
    generator: &mut impl rand::Rng,
) -> Result<Transactions> {
    repair::repair(&mut work, objective, buffer, generator)?;
    restore::restore(&mut work, objective, generator);
    Ok(work.table())
}

/// The parts that a table is divided into, each by the numbers of its records: by lot into halves
/// while a part's estimated cost is above the highest; without such a limit there is one part.
pub fn divided(task: &Task<'_>, most_cost: Option<u64>) -> Result<Vec<Vec<u32>>> {
    let mut records: Vec<u32> = (0..task.table.len() as u32).collect();
    let Some(most) = most_cost else { return Ok(vec![records]) };
    records.shuffle(&mut task.chance.generator(DIVISION)?);
    let (mut open, mut parts) = (vec![records], Vec::new());
    while let Some(mut records) = open.pop() {
        if records.len() < 2 || cost(task.table, &records) <= most as f64 {
            parts.push(records);
        } else {
            let half = records.split_off(records.len() / 2);
            open.extend([records, half]);
        }
    }
    Ok(parts)
}

/// The estimate of Jia et al., Equation 6.
fn cost(table: &Transactions, records: &[u32]) -> f64 {
    let occurrences: usize = records.iter().map(|at| table.record(*at as usize).len()).sum();
    let mut kinds = vec![false; table.names().len()];
    records.iter().flat_map(|at| table.record(*at as usize)).for_each(|item| kinds[*item as usize] = true);
    let kinds = kinds.into_iter().filter(|has| *has).count();
    let records = records.len() as f64;
    records * (occurrences as f64 / records).exp2() / (kinds as f64).max(1.0)
}
