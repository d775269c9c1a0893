//! All groups of a release that are replayed, with what is believed in each.

use super::sample::{Drawing, steps_to_draw};
use super::{Case, Effort, Estimate, Scene, Solution, division};
use crate::anonymize::{Replay, Replayer};
use crate::attack::Grouped;
use crate::attack::shared::cared_for;
use crate::candidate::Groups;
use crate::data::{Role, Schema, Table};
use crate::error::Result;
use crate::watch::{Stage, Watch};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rayon::prelude::*;
use std::collections::HashMap;

/// A group that is replayed, and the published groups in it.
pub(in crate::attack) struct Replayed {
    pub replay: Replay,
    pub case: Case,
    pub urns: Vec<usize>,
}

/// To go from one state to another costs about so many steps.
const STEPS_TO_COUNT: u64 = 60;

/// How many times as many worlds are drawn in the next lot, and how many lots there are at most.
const MORE: u64 = 4;
const MOST_LOTS: u32 = 7;

/// All groups that are replayed, with what is believed in each.
pub(in crate::attack) struct Worlds<'a> {
    pub scene: &'a Scene<'a>,
    /// Nothing for a group of which some records are not published, or that is not replayed.
    pub replayed: &'a [Option<Replayed>],
    /// How many published groups depend on decisions about others: what is believed alone is not
    /// all.
    pub coupled: u64,
    /// Which solution is a group's.
    pub solved_as: Vec<usize>,
    pub solutions: Vec<Solution<'a>>,
    /// For each published group the one that it is replayed in, and which of its urns it is.
    pub homes: Vec<Option<(usize, usize)>>,
    different: Vec<Different<'a>>,
    effort: Effort,
}

impl<'a> Worlds<'a> {
    /// Groups with equal signatures are worked out once. The doubt of the effort is that in all
    /// intervals together. What takes too many steps to count is open until worlds are drawn.
    pub fn new(
        scene: &'a Scene<'a>,
        replayed: &'a [Option<Replayed>],
        published: usize,
        effort: Effort,
        watch: Watch<'_>,
    ) -> Worlds<'a> {
        let mut number_of: HashMap<&[u32], usize> = HashMap::new();
        let mut different: Vec<Different<'a>> = Vec::new();
        let mut homes = vec![None; published];
        let mut coupled = 0;
        let mut solved_as = vec![0; replayed.len()];
        for (group, replayed) in replayed.iter().enumerate() {
            let Some(Replayed { case, urns, replay }) = replayed else { continue };
            coupled += if replay.coupled { urns.len() as u64 } else { 0 };
            solved_as[group] = *number_of.entry(case.signature()).or_insert_with(|| {
                different.push(Different { case, published: Vec::new(), is_coupled: true });
                different.len() - 1
            });
            let own = &mut different[solved_as[group]];
            own.published.extend_from_slice(urns);
            own.is_coupled &= replay.coupled;
            case.urns().iter().enumerate().for_each(|(at, &urn)| homes[urns[urn]] = Some((group, at)));
        }
        let beliefs: usize = different.iter().map(|one| one.case.beliefs()).sum();
        let effort = Effort { doubt: effort.doubt / beliefs.max(1) as f64, ..effort };
        let stage = watch.stage("counting possible worlds", Some(different.len() as u64));
        let solutions = count_all(scene, &different, &effort, &stage);
        Worlds { scene, replayed, coupled, solved_as, solutions, homes, different, effort }
    }

    /// Draws worlds of groups that were not counted, lot by lot, as long as what is known of one is
    /// not enough; with at most so many steps.
    pub fn draw(&mut self, steps: u64, is_enough: &IsEnough<'_>) {
        let is_open = |worlds: &Self, at: usize| {
            let mut published = worlds.different[at].published.iter();
            published.any(|&group| worlds.home(group).is_some_and(|home| !is_enough(group, &home)))
        };
        let worlds = &*self;
        let open = (0..self.different.len()).into_par_iter();
        let open = open.filter(|&at| !worlds.solutions[at].is_counted() && is_open(worlds, at));
        let mut open: Vec<(usize, Drawing<'a>)> =
            open.map(|at| (at, Drawing::new(worlds.scene, worlds.different[at].case))).collect();
        let (mut left, mut lot) = (steps, self.effort.samples);
        for _ in 0..MOST_LOTS {
            // What one does not need is for others, in later lots.
            let share = left / open.len().max(1) as u64;
            let (scene, doubt) = (self.scene, self.effort.doubt);
            let drawn = open.into_par_iter().filter_map(|(at, mut drawing)| {
                let steps = steps_to_draw(drawing.case()).max(1);
                let worlds = lot.min(share / steps);
                (worlds > 0).then(|| {
                    let solution = Solution::drawn(scene, drawing.case(), drawing.draw(worlds, doubt));
                    (at, drawing, solution, worlds * steps)
                })
            });
            let drawn: Vec<(usize, Drawing<'a>, Solution<'a>, u64)> = drawn.collect();
            open = Vec::with_capacity(drawn.len());
            for (at, drawing, solution, steps) in drawn {
                self.solutions[at] = solution;
                left = left.saturating_sub(steps);
                open.extend(drawing.is_worth_while().then_some((at, drawing)));
            }
            let worlds = &*self;
            open = open.into_par_iter().filter(|(at, _)| is_open(worlds, *at)).collect();
            lot *= MORE;
        }
        let framed = self.solutions.par_iter().map(Solution::framed);
        for (at, framed) in framed.collect::<Vec<Option<Solution<'a>>>>().into_iter().enumerate() {
            framed.into_iter().for_each(|framed| self.solutions[at] = framed);
        }
    }

    pub fn replays(&self) -> impl Iterator<Item = &Replay> {
        self.replayed.iter().flatten().map(|replayed| &replayed.replay)
    }

    /// How the records of a published group are seen.
    pub fn home(&self, published: usize) -> Option<Home<'_>> {
        let (group, urn) = self.homes[published]?;
        let replayed = self.replayed[group].as_ref()?;
        Some(Home { scene: self.scene, replayed, solution: &self.solutions[self.solved_as[group]], urn })
    }
}

/// Whether what is known of a published group is enough.
pub(in crate::attack) type IsEnough<'a> = dyn Fn(usize, &Home<'_>) -> bool + Sync + 'a;

/// A group unlike others.
struct Different<'a> {
    case: &'a Case,
    /// The published groups in groups like it.
    published: Vec<usize>,
    /// Whether all of them depend on others.
    is_coupled: bool,
}

/// Counts what can be counted. Of groups with one division those that take the fewest steps come
/// first; the others share what they may take.
fn count_all<'a>(
    scene: &'a Scene<'a>,
    different: &[Different<'a>],
    effort: &Effort,
    stage: &Stage<'_>,
) -> Vec<Solution<'a>> {
    let divided: Vec<Option<u64>> = different.par_iter().map(|one| division::steps(scene, one.case)).collect();
    let most = affordable(divided.iter().flatten().copied().collect(), effort.steps / 4);
    let counted = divided.iter().filter(|steps| steps.is_none_or(|steps| steps > most)).count() as u64;
    let share = effort.steps / 4 / STEPS_TO_COUNT / counted.max(1);
    let solve = |(one, steps): (&Different<'a>, &Option<u64>)| {
        // What is believed of a group alone that depends on others is only where counting them
        // together, which does not need it, is too much: so little work is enough.
        let share = if one.is_coupled { share / 4 } else { share };
        let divides = effort.budget > 0 && steps.is_some_and(|steps| steps <= most);
        let solution = Solution::counted(scene, one.case, effort.budget.min(share), divides);
        stage.advance(1);
        solution
    };
    different.par_iter().zip(&divided).map(solve).collect()
}

/// The most that one may cost such that all that cost no more cost at most so much together.
fn affordable(mut costs: Vec<u64>, most: u64) -> u64 {
    costs.sort_unstable();
    let (mut sum, mut last) = (0u64, 0);
    for cost in costs {
        sum = sum.saturating_add(cost);
        if sum > most {
            // Of equal ones all or none.
            return if cost == last { cost - 1 } else { last };
        }
        last = cost;
    }
    last
}

/// Replays the groups of a release.
pub(in crate::attack) fn replay_all(
    making: &Grouped<'_>,
    scene: &Scene<'_>,
    replayer: &Replayer<'_>,
) -> Result<Vec<Option<Replayed>>> {
    let view = &making.view;
    let wanted = wanted_atoms(view.table, view.schema, scene)?;
    let published_as = numbers(making.published, view.table.rows());
    let replayed = (0..view.groups.len()).into_par_iter().map(|group| {
        let urns = urns(view.groups.rows(group), &published_as)?;
        let replay = replayer(group)?;
        let rows: Vec<&[u32]> = urns.iter().map(|&urn| making.published.rows(urn)).collect();
        let case = Case::new(scene, &replay, &rows, |atom| wanted[atom as usize]);
        Some(Replayed { replay, case, urns })
    });
    Ok(replayed.collect())
}

/// Which atoms have a value that needs protection, in any sensitive column.
fn wanted_atoms(table: &Table, schema: &Schema, scene: &Scene<'_>) -> Result<Vec<bool>> {
    let mut wanted = vec![false; scene.atoms()];
    for column in schema.select(table, Role::Sensitive)? {
        let cared_for = cared_for(schema, column);
        for (row, &code) in (0u32..).zip(column.codes()) {
            wanted[scene.atom_of(row) as usize] |= cared_for[code as usize];
        }
    }
    Ok(wanted)
}

/// For each row its group, if it is in one.
fn numbers(groups: &Groups, rows: usize) -> Vec<Option<usize>> {
    let mut number_of = vec![None; rows];
    for group in 0..groups.len() {
        groups.rows(group).iter().for_each(|&row| number_of[row as usize] = Some(group));
    }
    number_of
}

/// The published groups of rows, ascending; nothing if a row is in none.
fn urns(rows: &[u32], published_as: &[Option<usize>]) -> Option<Vec<usize>> {
    let mut urns: Vec<usize> = rows.iter().map(|&row| published_as[row as usize]).collect::<Option<_>>()?;
    urns.sort_unstable();
    urns.dedup();
    Some(urns)
}

/// A published group within the one that is replayed.
pub(in crate::attack) struct Home<'a> {
    pub scene: &'a Scene<'a>,
    pub replayed: &'a Replayed,
    pub solution: &'a Solution<'a>,
    pub urn: usize,
}

impl Home<'_> {
    /// The sizes of the cells of the group, by block.
    pub fn cells(&self) -> impl Iterator<Item = (usize, u64)> {
        let case = &self.replayed.case;
        let sizes = (0..case.blocks()).map(|block| (block, case.size(block, self.urn)));
        sizes.filter(|cell| cell.1 > 0).map(|(block, size)| (block, u64::from(size)))
    }

    /// The blocks that rows are in, which are ascending.
    pub fn blocks_of<'r>(&'r self, rows: &'r [u32]) -> impl Iterator<Item = usize> + 'r {
        let blocks = self.replayed.replay.blocks.iter().enumerate();
        let holds_any = move |block: &[u32]| block.iter().any(|row| rows.binary_search(row).is_ok());
        blocks.filter(move |(_, block)| holds_any(block)).map(|(at, _)| self.replayed.case.block_of(at))
    }

    /// Those of a published group's rows that are in a block.
    pub fn rows_of<'r>(&'r self, block: usize, published: &'r [u32]) -> impl Iterator<Item = u32> + 'r {
        let blocks = self.replayed.replay.blocks.iter().enumerate();
        let own = blocks.filter(move |(at, _)| self.replayed.case.block_of(*at) == block);
        let is_whole = self.replayed.urns.len() == 1;
        own.flat_map(|(_, rows)| rows.iter().copied()).filter(move |row| is_whole || published.contains(row))
    }

    /// The belief that a record of a block has a value: of each of its atoms, the share of the
    /// records with that atom that have the value.
    pub fn belief(&self, block: usize, value: &[Held]) -> Estimate {
        let mut sum = Estimate { low: 0.0, high: 0.0 };
        for held in value {
            let class = self.replayed.case.class_of(held.atom).expect("the group has the atom");
            let belief = self.solution.belief(class, block, self.urn);
            let part = f64::from(held.count) / f64::from(held.of);
            sum.low += belief.low * part;
            sum.high += belief.high * part;
        }
        Estimate { low: sum.low.min(1.0), high: sum.high.min(1.0) }
    }

    pub fn exactly(&self, block: usize, value: &[Held]) -> Option<RBig> {
        let mut sum = RBig::ZERO;
        for held in value {
            let class = self.replayed.case.class_of(held.atom)?;
            let part = RBig::from_parts(IBig::from(held.count), UBig::from(held.of));
            sum += self.solution.exactly(class, block, self.urn)? * part;
        }
        Some(sum)
    }
}

/// Records of a published group with one value and atom.
#[derive(Clone, Copy)]
pub(in crate::attack) struct Held {
    pub code: u32,
    pub atom: u32,
    pub count: u32,
    /// How many records of the group have the atom.
    pub of: u32,
}
