//! What somebody who knows the method believes about the records of each bucket: counted exactly,
//! or estimated as the paper did.

use super::formed::{Asked, Formed};
use super::monte_carlo::{Drawing, Worlds};
use super::worlds;
use crate::Setting;
use rayon::prelude::*;
use sfumato::Result;
use sfumato::anonymize::{Replay, Safety};
use sfumato::attack::worlds::{Case, Effort, Scene, Solution};
use std::collections::HashMap;

/// The most steps that are counted for a group: as the library's attack has it.
const EFFORT: Effort = Effort { budget: 50_000, samples: 1, steps: 0, doubt: 1.0 };

/// Beliefs closer than this are equal.
const EQUAL: f64 = 1e-9;

/// With a larger share of undecided records, nothing is told of the others.
pub const MOST_UNDECIDED: f64 = 0.05;

/// What is believed about the records of one bucket.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    pub group: usize,
    pub people: u64,
    pub belief: f64,
}

/// What is believed about all published records.
#[derive(Clone, Debug, Default)]
pub struct Beliefs {
    pub buckets: Vec<Bucket>,
    /// Records of groups about which nothing could be said.
    undecided: u64,
}

/// The same beliefs in two ways.
#[derive(Clone)]
pub struct Both {
    pub counted: Beliefs,
    pub estimated: Beliefs,
}

impl Both {
    /// The beliefs in a value.
    pub fn find(setting: &Setting<'_>, asked: &Asked, formed: &Formed, value: &str) -> Result<Both> {
        let counted = Beliefs::counted(asked, formed, value)?;
        let estimated = Beliefs::estimated(asked, formed, value, Drawing::of(setting, worlds(setting)))?;
        Ok(Both { counted, estimated })
    }

    /// A figure of each.
    pub fn each(&self, figure: impl Fn(&Beliefs) -> Option<f64>) -> [Option<f64>; 2] {
        [figure(&self.counted), figure(&self.estimated)]
    }
}

impl Beliefs {
    /// The beliefs in a value, counted exactly.
    pub fn counted(asked: &Asked, formed: &Formed, value: &str) -> Result<Beliefs> {
        let safety = Safety::new(&asked.table, asked.bound())?;
        let scene = Scene::new(&safety, asked.table.rows());
        let column = asked.sensitive()?;
        let code = column.domain().code(value);
        let Some(row) = column.codes().iter().position(|&known| Some(known) == code) else {
            return Ok(Beliefs::default());
        };
        let atom = scene.atom_of(row as u32);
        let case = |replay: &Replay| {
            let rows: Vec<u32> = replay.blocks.concat();
            (Case::new(&scene, replay, &[&rows], |wanted| wanted == atom), replay.blocks.len())
        };
        let cases: Vec<Option<(Case, usize)>> =
            formed.replays.par_iter().map(|replay| replay.as_ref().map(case)).collect();
        let solved = solve(&scene, &cases, atom);
        let of_case = |(case, _): &(Case, usize)| solved.get(case.signature()).cloned().flatten();
        Ok(Beliefs::collect(formed, |group| cases[group].as_ref().and_then(of_case)))
    }

    /// The same, estimated from worlds drawn by lot.
    pub fn estimated(asked: &Asked, formed: &Formed, value: &str, drawing: Drawing) -> Result<Beliefs> {
        let worlds = Worlds::new(asked)?;
        let Some(code) = asked.sensitive()?.domain().code(value) else { return Ok(Beliefs::default()) };
        let drawn: Vec<Option<Vec<f64>>> = worlds.draw_all(formed, drawing, |drawn| drawn.shares_of(code));
        Ok(Beliefs::collect(formed, |group| drawn[group].clone()))
    }

    fn collect(formed: &Formed, beliefs_of: impl Fn(usize) -> Option<Vec<f64>>) -> Beliefs {
        let mut all = Beliefs::default();
        for (group, replay) in formed.replays.iter().enumerate() {
            let (Some(replay), Some(beliefs)) = (replay, beliefs_of(group)) else {
                all.undecided += formed.grouping.groups.size(group) as u64;
                continue;
            };
            let sizes = replay.blocks.iter().map(|rows| rows.len() as u64);
            all.buckets.extend(sizes.zip(beliefs).map(|(people, belief)| Bucket { group, people, belief }));
        }
        all
    }

    /// The share of published records about whom nothing could be said.
    pub fn share_undecided(&self) -> f64 {
        let decided: u64 = self.buckets.iter().map(|bucket| bucket.people).sum();
        self.undecided as f64 / (self.undecided + decided).max(1) as f64
    }

    /// The share of records that are in buckets of which something holds, among those about whom
    /// something could be said; nothing if these are too few to tell.
    pub fn share(&self, holds: impl Fn(f64) -> bool) -> Option<f64> {
        self.share_of(self.buckets.iter().filter(|bucket| holds(bucket.belief)))
    }

    /// The share of records about whom more is believed than a limit.
    pub fn share_above(&self, limit: f64) -> Option<f64> {
        self.share(|belief| is_above(belief, limit))
    }

    /// The share of records that are in a group with such a bucket.
    pub fn share_of_groups_above(&self, limit: f64) -> Option<f64> {
        let by_group = self.buckets.chunk_by(|a, b| a.group == b.group);
        let concerned = by_group.filter(|group| group.iter().any(|bucket| is_above(bucket.belief, limit)));
        self.share_of(concerned.flatten())
    }

    fn share_of<'b>(&self, buckets: impl Iterator<Item = &'b Bucket>) -> Option<f64> {
        let people: u64 = buckets.map(|bucket| bucket.people).sum();
        let all: u64 = self.buckets.iter().map(|bucket| bucket.people).sum();
        self.is_decided().then(|| people as f64 / all as f64)
    }

    /// Whether something could be said about nearly all records.
    fn is_decided(&self) -> bool {
        !self.buckets.is_empty() && self.share_undecided() <= MOST_UNDECIDED
    }

    /// The highest belief as a multiple of 1/l, among those about whom something could be said;
    /// nothing if these are too few to tell.
    pub fn highest(&self, l: u32) -> Option<f64> {
        self.largest(|belief| belief * f64::from(l))
    }

    /// The largest distance of what is believed from a share, in the same way.
    pub fn farthest_from(&self, share: f64) -> Option<f64> {
        self.largest(|belief| (belief - share).abs())
    }

    fn largest(&self, figure: impl Fn(f64) -> f64) -> Option<f64> {
        self.is_decided().then(|| self.buckets.iter().map(|bucket| figure(bucket.belief)).fold(0.0, f64::max))
    }
}

/// Whether a belief is above a limit, by more than floats may be wrong.
pub fn is_above(belief: f64, limit: f64) -> bool {
    belief > limit + EQUAL
}

/// The beliefs in an atom for each kind of group, bucket by bucket; nothing where there is too much
/// to count. Cases come with their number of buckets.
fn solve<'c>(scene: &Scene<'_>, cases: &'c [Option<(Case, usize)>], atom: u32) -> HashMap<&'c [u32], Option<Vec<f64>>> {
    let different: HashMap<&[u32], &(Case, usize)> =
        cases.iter().flatten().map(|case| (case.0.signature(), case)).collect();
    let beliefs = |(case, buckets): &(Case, usize)| {
        let Some(class) = case.class_of(atom) else { return Some(vec![0.0; *buckets]) };
        let solution = Solution::of(scene, case, &EFFORT);
        if solution.accepted().is_some() {
            return None;
        }
        let belief = |bucket: usize| {
            let belief = solution.belief(class, case.block_of(bucket), 0);
            // What is not one number is not known: no world explains the group.
            (belief.low == belief.high).then_some(belief.low)
        };
        (0..*buckets).map(belief).collect()
    };
    different.into_par_iter().map(|(signature, case)| (signature, beliefs(case))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::formed::{Method, QUASI, SENSITIVE, VALUES, diversity};
    use super::*;
    use crate::adult::made_up;
    use sfumato::TablePlan;
    use sfumato::publish::make;

    /// Greedy grouping of a small table, with the beliefs in the second value.
    fn example() -> (Asked, Formed, Beliefs) {
        let asked = Asked::new(&made_up(1_500, 3), &QUASI, &VALUES[1..], &[diversity(4)]).unwrap();
        let formed = asked.form(Method::Greedy { bucket: 4 }).unwrap().unwrap();
        let beliefs = Beliefs::counted(&asked, &formed, VALUES[1]).unwrap();
        (asked, formed, beliefs)
    }

    #[test]
    fn counted_beliefs_are_those_of_the_attack() {
        let (asked, _, beliefs) = example();
        let quasi: String = QUASI.iter().map(|name| format!("{name} = \"quasi\"\n")).collect();
        let text = format!(
            "[columns]\n{quasi}{SENSITIVE} = {{ role = \"sensitive\", sensitive_values = [\"{}\"] }}\n[[require]]\n{}\n\
             [method]\nname = \"greedy-grouping\"\norder = {QUASI:?}\n[release]\nform = \"bucketized\"\n",
            VALUES[1],
            diversity(4)
        );
        let mut plan = TablePlan::parse(&text, ".".as_ref()).unwrap();
        plan.publishing.chance = sfumato::chance::Chance::insecure(11);
        let made = make(&plan, &asked.table, &Default::default()).unwrap().pass().unwrap();
        let found = made.publication.attacks.iter().find(|found| found.attack == "minimality").unwrap();
        assert!(found.people > 0);
        assert_eq!(beliefs.share_above(0.25), found.vulnerable_share());
        assert!((beliefs.highest(1).unwrap() - found.highest.to_f64()).abs() < EQUAL);
    }

    #[test]
    fn nothing_is_told_where_too_little_is_known() {
        let (_, _, beliefs) = example();
        let undecided = Beliefs { undecided: 1_500, ..beliefs };
        assert_eq!((undecided.share_above(0.25), undecided.highest(4)), (None, None));
        assert_eq!(Beliefs::default().farthest_from(0.5), None);
    }

    #[test]
    fn many_worlds_come_near_to_what_is_counted() {
        let (asked, formed, counted) = example();
        let drawing = Drawing { accepted: 3_000, records: u64::MAX, seed: 5 };
        let estimated = Beliefs::estimated(&asked, &formed, VALUES[1], drawing).unwrap();
        assert_eq!(estimated.buckets.len(), counted.buckets.len());
        let pairs = estimated.buckets.iter().zip(&counted.buckets);
        let apart = pairs.map(|(one, other)| (one.belief - other.belief).abs()).fold(0.0, f64::max);
        assert!(apart > 0.0 && apart < 0.03, "{apart}");
    }
}
