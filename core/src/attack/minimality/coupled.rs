//! Published groups whose stories are one: divisions of larger groups failed that run through
//! several of them.

use crate::anonymize::{Crossing, Safety};
use crate::attack::Grouped;
use crate::attack::joint::{Outlook, Told, Trial, Urns};
use crate::attack::worlds::Effort;
use crate::attack::worlds::release::Replayed;
use crate::error::Result;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What is known of groups that depend on each other.
pub(super) struct Coupled {
    /// For each published group the component that it is in.
    component_of: Vec<Option<u32>>,
    /// What is known of each component.
    outlooks: Vec<Outlook>,
}

/// To fill a cell with one more value costs about so many steps.
const STEPS_TO_COUNT: u64 = 50;

/// One in so many of the worlds is drawn the first time.
const FEWER: u64 = 8;

/// Whether what is told of a published group is enough.
pub(super) type IsEnough<'a> = dyn Fn(usize, &Told) -> bool + Sync + 'a;

impl Coupled {
    /// Of a method that tells which divisions failed.
    ///
    /// # Claim
    /// A few worlds are drawn of every component. Those that stay open share what is left of the
    /// steps, and then only what these worlds say counts. Half of the doubt is for each time.
    pub fn new(
        making: &Grouped<'_>,
        safety: &Safety<'_>,
        replayed: &[Option<Replayed>],
        crossings: &[Crossing],
        effort: Effort,
        is_enough: &IsEnough<'_>,
    ) -> Result<Coupled> {
        let (view, published) = (&making.view, making.published);
        let urns = Urns::new(view.table, view.schema, safety, &group_of(making))?;
        let scene = Scene { making, urns: &urns, place_of: places(&urns), is_enough };
        let trials: Vec<Trial<'_>> =
            crossings.par_iter().map(|crossing| scene.crossed(crossing)).filter(Trial::may_pass).collect();
        let components = scene.components(&trials, replayed);
        let mut formed_of = vec![None; published.len()];
        for replayed in replayed.iter().flatten() {
            formed_of[replayed.urns[0]] = Some(replayed);
        }
        let parts = components.len().max(1) as u64;
        let doubt = effort.doubt / 2.0 / parts as f64;
        let first = Effort {
            budget: effort.budget.min(effort.steps / 8 / STEPS_TO_COUNT / parts),
            samples: effort.samples.div_ceil(FEWER),
            steps: effort.steps / 8 / parts,
            doubt,
        };
        let outlooks = components.par_iter().map(|component| component.outlook(&scene, &formed_of, &first));
        let mut outlooks: Vec<Outlook> = outlooks.collect();
        let is_open = |(at, component): &(usize, &Component<'_>)| match &outlooks[*at] {
            Outlook::Immune => false,
            Outlook::Unknown => true,
            Outlook::Told(told) => !component.is_settled(&scene, told),
        };
        let open: Vec<(usize, &Component<'_>)> = components.iter().enumerate().filter(is_open).collect();
        let steps = effort.steps / 8 * 5 / open.len().max(1) as u64;
        let second = Effort { budget: 0, steps, doubt, ..effort };
        let again: Vec<(usize, Outlook)> =
            open.into_par_iter().map(|(at, component)| (at, component.outlook(&scene, &formed_of, &second))).collect();
        for (at, outlook) in again {
            // Less than the first time is said where hardly any world is possible.
            if matches!(outlook, Outlook::Told(_)) {
                outlooks[at] = outlook;
            }
        }
        let mut component_of = vec![None; published.len()];
        for (number, component) in (0u32..).zip(&components) {
            component.urns.iter().for_each(|&urn| component_of[urn] = Some(number));
        }
        Ok(Coupled { component_of, outlooks })
    }

    /// What is known of the groups that one depends on; nothing if there are none.
    pub fn outlook(&self, group: usize) -> Option<&Outlook> {
        self.component_of[group].map(|at| &self.outlooks[at as usize])
    }

    /// Whether all that is known of a group is about it alone.
    pub fn is_alone(&self, group: usize) -> bool {
        matches!(self.outlook(group), None | Some(Outlook::Immune))
    }
}

/// For each row the published group that it is in.
fn group_of(making: &Grouped<'_>) -> Vec<u32> {
    let mut group_of = vec![0; making.view.table.rows()];
    for group in 0..making.published.len() {
        making.published.rows(group).iter().for_each(|&row| group_of[row as usize] = group as u32);
    }
    group_of
}

fn places(urns: &Urns<'_>) -> Vec<u32> {
    let mut place_of = vec![0; urns.rows().len()];
    (0u32..).zip(urns.rows()).for_each(|(place, &row)| place_of[row as usize] = place);
    place_of
}

struct Scene<'a> {
    making: &'a Grouped<'a>,
    urns: &'a Urns<'a>,
    /// For each row its place.
    place_of: Vec<u32>,
    is_enough: &'a IsEnough<'a>,
}

/// Urns that depend on each other, with the trials that they share.
struct Component<'t> {
    urns: Vec<usize>,
    trials: Vec<&'t Trial<'t>>,
}

impl Scene<'_> {
    fn places(&self, rows: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut places: Vec<u32> = rows.map(|row| self.place_of[row as usize]).collect();
        places.sort_unstable();
        places
    }

    /// A division that failed.
    fn crossed(&self, crossing: &Crossing) -> Trial<'static> {
        let whole = |group: &u32| self.making.view.groups.rows(*group as usize).iter().copied();
        let parts: Vec<Vec<u32>> = crossing
            .parts
            .iter()
            .map(|part| self.places(part.whole.iter().flat_map(whole).chain(part.rows.iter().copied())))
            .collect();
        Trial::new(self.urns, parts.iter().map(Vec::as_slice), 0, None)
    }

    fn urns_of(&self, trial: &Trial<'_>) -> Vec<usize> {
        let mut urns: Vec<usize> = trial.open_places().map(|place| self.urns.urn_of(place)).collect();
        urns.sort_unstable();
        urns.dedup();
        urns
    }

    fn components<'t>(&self, trials: &'t [Trial<'t>], replayed: &[Option<Replayed>]) -> Vec<Component<'t>> {
        let mut joined = Joined::new(self.urns.len());
        let of_trial: Vec<Vec<usize>> = trials.iter().map(|trial| self.urns_of(trial)).collect();
        // Urns that a method divided one of its groups into belong together, too.
        let of_group = replayed.iter().flatten().map(|replayed| &replayed.urns);
        of_trial.iter().chain(of_group).for_each(|urns| joined.join(urns));
        let mut components: BTreeMap<usize, Component<'t>> = BTreeMap::new();
        for (trial, urns) in trials.iter().zip(&of_trial) {
            let own =
                components.entry(joined.find(urns[0])).or_insert(Component { urns: Vec::new(), trials: Vec::new() });
            own.trials.push(trial);
        }
        for urn in 0..self.urns.len() {
            if let Some(own) = components.get_mut(&joined.find(urn)) {
                own.urns.push(urn);
            }
        }
        components.into_values().collect()
    }
}

impl Component<'_> {
    fn is_settled(&self, scene: &Scene<'_>, told: &Told) -> bool {
        self.urns.iter().all(|&urn| (scene.is_enough)(urn, told))
    }

    /// What is known of it; groups that were formed are found by their first urn.
    fn outlook(&self, scene: &Scene<'_>, formed_of: &[Option<&Replayed>], effort: &Effort) -> Outlook {
        let urns = scene.urns.part(&self.urns);
        let place_of: BTreeMap<u32, u32> = urns.rows().iter().copied().zip(0..).collect();
        let mut shared: Vec<Trial<'_>> =
            self.trials.iter().map(|trial| trial.renumbered(|place| place_of[&scene.urns.row(place)])).collect();
        let mut own: Vec<Vec<Trial<'_>>> = self.urns.iter().map(|_| Vec::new()).collect();
        for (at, &urn) in self.urns.iter().enumerate() {
            let Some(replayed) = formed_of[urn] else { continue };
            let trials = own_trials(&urns, replayed, &place_of);
            if let [_] = replayed.urns[..] { own[at] = trials } else { shared.extend(trials) }
        }
        urns.outlook(&own, &shared, effort, &|told| self.is_settled(scene, told))
    }
}

/// The tests that failed on a group by itself.
fn own_trials(urns: &Urns<'_>, replayed: &Replayed, place_of: &BTreeMap<u32, u32>) -> Vec<Trial<'static>> {
    let replay = &replayed.replay;
    let places = |part: &Vec<u32>| {
        let rows = part.iter().flat_map(|&block| &replay.blocks[block as usize]);
        let mut places: Vec<u32> = rows.map(|row| place_of[row]).collect();
        places.sort_unstable();
        places
    };
    let trial = |test: &Vec<Vec<u32>>| {
        let parts: Vec<Vec<u32>> = test.iter().map(places).collect();
        Trial::new(urns, parts.iter().map(Vec::as_slice), 0, None)
    };
    replay.tests.iter().map(trial).filter(Trial::may_pass).collect()
}

/// Sets that are joined.
struct Joined {
    parent: Vec<usize>,
}

impl Joined {
    fn new(size: usize) -> Joined {
        Joined { parent: (0..size).collect() }
    }

    fn find(&mut self, one: usize) -> usize {
        let mut at = one;
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn join(&mut self, all: &[usize]) {
        for pair in all.windows(2) {
            let (a, b) = (self.find(pair[0]), self.find(pair[1]));
            self.parent[a.max(b)] = a.min(b);
        }
    }
}
