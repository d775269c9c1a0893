//! What somebody learns who knows that a search over levels chose the best that was safe.

use super::{Ground, Known, MOST_STEPS, Minimality, is_out_of_reach, reads_sizes};
use crate::anonymize::{Class, Generalization, LevelTask, Method, Rivals, Safety};
use crate::attack::joint::{Outlook, Preferred, Told, Trial, Urns, by_codes};
use crate::attack::worlds::Effort;
use crate::attack::{Finding, Target};
use crate::candidate::{Coded, Groups, dense_ids};
use crate::data::{Column, Role};
use crate::error::Result;
use rayon::prelude::*;

/// How a search over levels came to a release.
#[derive(Clone, Copy)]
pub struct Searched<'a> {
    /// The method with its parameters.
    pub method: &'a dyn Method,
    /// What it worked on.
    pub task: LevelTask<'a>,
    /// What it chose.
    pub chosen: &'a Generalization,
    /// The published groups, by the rows of the task.
    pub published: &'a Groups,
}

/// How many times as many steps are taken as for groups: every world is one of all records.
const MORE: u64 = 4;

/// The most records of all rivals together that are looked at one by one.
const MOST_LOOKED_AT: u64 = 1_000_000_000;

impl Minimality {
    pub(super) fn attack_levels(&self, target: &Target<'_>, searched: &Searched<'_>) -> Result<Vec<Finding>> {
        let (bound, class) = (searched.task.bound, Some(searched.method.class()));
        let nothing = || self.attack_shares(target, Known::Nothing, class);
        if is_out_of_reach(bound) || target.is_missing_by_value {
            return nothing();
        }
        if bound.iter().all(reads_sizes) {
            return self.attack_shares(target, Known::Even, Some(Class::QiOnly));
        }
        let Some(rivals) = searched.method.rivals(&searched.task, searched.chosen)? else { return nothing() };
        let scene = Scene::new(searched, &rivals)?;
        let (table, schema, published) = (searched.task.records.rows(), searched.task.schema, searched.published);
        let missing = if scene.suppresses_by_size() { 0 } else { target.missing };
        let ground = |known| Ground { table, schema, published, known, missing, is_merged: false };
        let unknown = ground(Known::Nothing);
        let sides = unknown.sides(target)?;
        let is_enough = |told: &Told| {
            let is_touched = |group: &usize| told.is_touched(told.cell_of(published.rows(*group)[0]));
            let mut touched = (0..published.len()).filter(is_touched);
            touched.all(|group| sides.iter().all(|side| side.is_told_enough(group, None, told)))
        };
        let known = Known::from(scene.outlook(self, &is_enough)?);
        self.find(target, &ground(known), class)
    }
}

/// The table on the chosen levels, beside its rivals.
struct Scene<'a> {
    searched: &'a Searched<'a>,
    rivals: &'a Rivals<'a>,
    safety: Safety<'a>,
    quasi: Vec<&'a Column>,
    /// For each row its group on the chosen levels, and how many there are.
    groups: (Vec<u32>, usize),
}

impl<'a> Scene<'a> {
    fn new(searched: &'a Searched<'a>, rivals: &'a Rivals<'a>) -> Result<Scene<'a>> {
        let task = &searched.task;
        let table = task.records.rows();
        let quasi = task.schema.select(table, Role::Quasi)?;
        let safety = Safety::new(table, task.bound)?;
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        let codes = on_levels(&quasi, rivals, &searched.chosen.levels, &rows);
        let coded: Vec<Coded<'_>> = codes.iter().map(|(codes, domain)| (codes.as_slice(), *domain)).collect();
        Ok(Scene { searched, rivals, safety, quasi, groups: dense_ids(&coded, table.rows()) })
    }

    fn outlook(&self, attack: &Minimality, is_enough: &dyn Fn(&Told) -> bool) -> Result<Outlook> {
        if !self.is_published_as_chosen() {
            return Ok(Outlook::Unknown);
        }
        // Levels that were chosen without looking at values have only those before them as rivals.
        let passed_over = self.searched.chosen.passed_over.clone();
        let is_blind = passed_over.is_some();
        let found = passed_over.or_else(|| self.rivals.find(self.safety.least_size()));
        let Some(preferred) = found else { return Ok(Outlook::Unknown) };
        let task = &self.searched.task;
        let table = task.records.rows();
        if preferred.len() as u64 * table.rows() as u64 > MOST_LOOKED_AT {
            return Ok(Outlook::Unknown);
        }
        let urns = Urns::new(table, task.schema, &self.safety, &self.groups.0)?;
        let base_code = |row: u32, column: usize| self.quasi[column].codes()[row as usize];
        let limit = self.rivals.limit();
        let trials = preferred.par_iter().map(|levels| {
            let parts = by_codes(&urns, &on_levels(&self.quasi, self.rivals, levels, urns.rows()));
            let preferred =
                (limit > 0 && !is_blind).then_some(Preferred { rivals: self.rivals, levels, base_code: &base_code });
            Trial::new(&urns, (0..parts.len()).map(|part| parts.rows(part)), limit, preferred)
        });
        let trials: Vec<Trial<'_>> = trials.filter(Trial::may_pass).collect();
        let effort = attack.effort(table.rows());
        let effort = Effort { steps: MORE * effort.steps.min(MOST_STEPS / 2), ..effort };
        Ok(urns.outlook(&[], &trials, &effort, is_enough))
    }

    /// Whether published groups are groups on the chosen levels: labels of different values may be
    /// the same.
    fn is_published_as_chosen(&self) -> bool {
        let (groups, count) = (&self.groups.0, self.groups.1);
        let mut sizes = vec![0; count];
        groups.iter().for_each(|&group| sizes[group as usize] += 1);
        let published = self.searched.published;
        (0..published.len()).all(|group| {
            let rows = published.rows(group);
            let own = groups[rows[0] as usize];
            rows.len() == sizes[own as usize] && rows.iter().all(|&row| groups[row as usize] == own)
        })
    }

    /// Whether every suppressed group is too small whatever its values: then that it is suppressed
    /// tells nothing about them.
    fn suppresses_by_size(&self) -> bool {
        let (groups, count) = (&self.groups.0, self.groups.1);
        let mut sizes = vec![0u64; count];
        groups.iter().for_each(|&group| sizes[group as usize] += 1);
        let published = self.searched.published;
        (0..published.len()).for_each(|group| sizes[groups[published.rows(group)[0] as usize] as usize] = 0);
        sizes.iter().all(|&size| size < self.safety.least_size())
    }
}

/// For each quasi-identifier the codes of rows on a level, and how many there are.
fn on_levels(quasi: &[&Column], rivals: &Rivals<'_>, levels: &[usize], rows: &[u32]) -> Vec<(Vec<u32>, usize)> {
    let on_level = |(column, &level): (usize, &usize)| {
        let ((code_of, domain), codes) = (rivals.codes(column, level), quasi[column].codes());
        (rows.iter().map(|&row| code_of[codes[row as usize] as usize]).collect(), domain)
    };
    levels.iter().enumerate().map(on_level).collect()
}
