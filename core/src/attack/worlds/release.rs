//! All groups of a release that are replayed, with what is believed in each.

use super::{Case, Effort, Estimate, Scene, Solution};
use crate::anonymize::{Replay, Replayer};
use crate::attack::Grouped;
use crate::attack::shared::cared_for;
use crate::candidate::Groups;
use crate::data::{Role, Schema, Table};
use crate::error::Result;
use crate::watch::Watch;
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

/// The most steps of counting for all different groups together, unless each has very few.
const MOST_STEPS: u64 = 30_000_000;
const LEAST_STEPS: u64 = 2_000;

/// To draw a record costs that many times as much where a group has many tests.
const TESTS: u64 = 10;

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
}

impl<'a> Worlds<'a> {
    /// Groups with equal signatures are worked out once. The doubt of the effort is that in all
    /// intervals together.
    pub fn new(
        scene: &'a Scene<'a>,
        replayed: &'a [Option<Replayed>],
        published: usize,
        effort: Effort,
        watch: Watch<'_>,
    ) -> Worlds<'a> {
        let mut number_of: HashMap<&[u32], usize> = HashMap::new();
        let mut different: Vec<(&Case, bool)> = Vec::new();
        let mut homes = vec![None; published];
        let mut coupled = 0;
        let mut solved_as = vec![0; replayed.len()];
        for (group, replayed) in replayed.iter().enumerate() {
            let Some(Replayed { case, urns, replay }) = replayed else { continue };
            coupled += if replay.coupled { urns.len() as u64 } else { 0 };
            solved_as[group] = *number_of.entry(case.signature()).or_insert_with(|| {
                different.push((case, false));
                different.len() - 1
            });
            different[solved_as[group]].1 |= !replay.coupled;
            case.urns().iter().enumerate().for_each(|(at, &urn)| homes[urns[urn]] = Some((group, at)));
        }
        let beliefs: usize = different.iter().map(|(case, _)| case.beliefs()).sum();
        let cases = different.len().max(1) as u64;
        let effort = Effort {
            budget: effort.budget.min((MOST_STEPS / cases).max(LEAST_STEPS)),
            records: effort.records / TESTS / cases,
            doubt: effort.doubt / beliefs.max(1) as f64,
            ..effort
        };
        let stage = watch.stage("counting possible worlds", Some(different.len() as u64));
        let solve = |(case, is_alone): (&'a Case, bool)| {
            // What is believed of a group alone that depends on others is only where counting them
            // together, which does not need it, is too much: so little work is enough.
            let budget = if is_alone { effort.budget } else { effort.budget.min(LEAST_STEPS) };
            let solution = Solution::of(scene, case, &Effort { budget, ..effort });
            stage.advance(1);
            solution
        };
        let solutions = different.into_par_iter().map(solve).collect();
        Worlds { scene, replayed, coupled, solved_as, solutions, homes }
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

    /// The block that a row is in.
    pub fn block_of(&self, row: u32) -> usize {
        let blocks = self.replayed.replay.blocks.iter();
        let replayed = blocks.into_iter().position(|rows| rows.contains(&row)).expect("it is in a block");
        self.replayed.case.block_of(replayed)
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
