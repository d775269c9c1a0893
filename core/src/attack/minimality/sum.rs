//! What the groups of a release add up to.

use super::side::{BeliefPlace, Side};
use super::{KIND, Known};
use crate::anonymize::Class;
use crate::attack::shared::{Belief, Tally, step};
use crate::attack::worlds::Estimate;
use crate::attack::{DecidedBy, UNDECIDED_PEOPLE, VULNERABLE_SHARE};
use crate::criterion::Limit;
use crate::exact::Fraction;

/// How it was found what is believed about people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By a proof that nothing is learnt.
    Immune,
    /// By a bound for everybody at once.
    Bounded,
    /// By counting all worlds.
    Exact,
    /// By drawing worlds.
    Sampled,
}

/// What is found about the records of one cell.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    vulnerable: bool,
    undecided: bool,
    above_limit: bool,
    highest: f64,
    /// The value that is believed in most.
    best: Option<u32>,
    /// Of how many of the records that is true.
    pub right: u64,
}

impl Found {
    /// Notes for how many records the best guess is right.
    pub fn guess(&mut self, codes: impl Iterator<Item = u32>) {
        self.right = codes.filter(|code| Some(*code) == self.best).count() as u64;
    }

    pub fn add(&mut self, code: u32, vulnerable: Option<bool>, above_limit: bool, belief: f64) {
        if self.best.is_none() || belief > self.highest {
            self.best = Some(code);
        }
        self.vulnerable |= vulnerable == Some(true);
        self.undecided |= vulnerable.is_none();
        self.above_limit |= above_limit;
        self.highest = self.highest.max(belief);
    }
}

/// What groups add up to.
#[derive(Default)]
pub(super) struct Sum {
    pub tally: Tally,
    /// For each twentieth of belief, for how many people the best guess is right.
    pub right: [u64; 20],
    /// How many people were decided about in which way.
    pub decided: DecidedBy,
    undecided_groups: u64,
    pub exact_groups: u64,
    pub sampled_groups: u64,
    /// The fewest possible worlds that were found by lot.
    accepted: Option<u64>,
    /// The highest belief over what is promised, and the highest that any may be.
    over_promised: f64,
    upper: f64,
    /// The most that any belief may be over the value's share.
    gain: f64,
    pub top: Option<(f64, BeliefPlace)>,
}

impl Sum {
    pub fn believe(
        &mut self,
        belief: Estimate,
        share: Fraction,
        promised: Option<Limit>,
        tolerated: Option<Limit>,
        above: bool,
    ) {
        self.tally.believe(Belief { belief: Fraction::nearest(belief.low), limit: tolerated, exceeds: above });
        self.upper = self.upper.max(belief.high);
        self.gain = self.gain.max(belief.high / share.to_f64());
        let over = promised.map_or(0.0, |limit| belief.low / limit.belief.to_f64());
        self.over_promised = self.over_promised.max(over);
    }

    /// Takes note of a group for which worlds were drawn, so many of them possible.
    pub fn draw(&mut self, accepted: u64) {
        self.sampled_groups += 1;
        self.accepted = self.accepted.into_iter().chain([accepted]).min();
    }

    /// The first of the highest beliefs is kept.
    pub fn note(&mut self, belief: f64, place: BeliefPlace) {
        if self.top.is_none_or(|(top, at)| belief > top || (belief == top && place.group < at.group)) {
            self.top = Some((belief, place));
        }
    }

    /// Counts the records of a published group, cell by cell.
    pub fn conclude(&mut self, cells: &[(u64, Found, Way)]) {
        let (mut undecided, mut vulnerable) = (0, 0);
        for (people, found, way) in cells {
            vulnerable += if found.vulnerable { *people } else { 0 };
            let is_open = found.undecided && !found.vulnerable;
            undecided += if is_open { *people } else { 0 };
            *self.decided.of((!is_open).then_some(*way)) += people;
            self.tally.count(*people, found.highest, found.above_limit);
            self.right[step(found.highest)] += found.right;
        }
        self.undecided_groups += u64::from(undecided > 0);
        self.tally.affect(vulnerable);
    }

    pub fn merge(mut self, other: Sum) -> Sum {
        self.tally = self.tally.merge(other.tally);
        self.right.iter_mut().zip(other.right).for_each(|(own, other)| *own += other);
        self.undecided_groups += other.undecided_groups;
        self.decided = self.decided.plus(&other.decided);
        self.exact_groups += other.exact_groups;
        self.sampled_groups += other.sampled_groups;
        self.accepted = self.accepted.into_iter().chain(other.accepted).min();
        self.over_promised = self.over_promised.max(other.over_promised);
        self.upper = self.upper.max(other.upper);
        self.gain = self.gain.max(other.gain);
        if let Some((belief, place)) = other.top {
            self.note(belief, place);
        }
        self
    }

    pub fn warning(&self, side: &Side<'_>, withheld: u64) -> Option<String> {
        let of_groups = self.warning_of_groups(side);
        let of_withheld = (withheld > 0).then(|| {
            format!(
                "No limit holds for what an attacker who knows the method believes about \"{}\" of people whose records were suppressed.",
                side.column.name()
            )
        });
        let both: Vec<String> = of_groups.into_iter().chain(of_withheld).collect();
        (!both.is_empty()).then(|| both.join(" "))
    }

    fn warning_of_groups(&self, side: &Side<'_>) -> Option<String> {
        let name = side.column.name();
        let beyond = format!(
            "An attacker who knows the method believes more about some people's \"{name}\" than is promised: the {} attack says how much.",
            KIND.name
        );
        match (self.tally.people > 0, self.undecided_groups > 0) {
            (true, false) => return Some(beyond),
            (true, true) => {
                return Some(format!("{beyond} For other groups it is inconclusive: nothing is claimed about them."));
            }
            _ => {}
        }
        let undecided = match side.ground.known {
            Known::Nothing => "",
            _ if self.undecided_groups > 0 => " for some groups",
            _ => return None,
        };
        Some(format!(
            "The {} attack on \"{name}\" is inconclusive{undecided}: nothing is claimed about what an attacker who knows the method learns.",
            KIND.name
        ))
    }

    pub fn details(
        &self,
        side: &Side<'_>,
        class: Option<Class>,
        people: u64,
        highest: Fraction,
    ) -> Vec<(&'static str, f64)> {
        let records = side.ground.published.records();
        let mut details = vec![
            (VULNERABLE_SHARE, if records == 0 { 0.0 } else { people as f64 / records as f64 }),
            ("max_belief", highest.to_f64()),
            ("max_belief_upper", self.upper.max(highest.to_f64())),
            ("max_belief_times_l", self.over_promised),
            ("undecided_groups", self.undecided_groups as f64),
            (UNDECIDED_PEOPLE, self.decided.undecided as f64),
            ("exact_groups", self.exact_groups as f64),
            ("sampled_groups", self.sampled_groups as f64),
            ("coupled_groups", side.coupled() as f64),
            ("gain_bound", self.gain),
        ];
        if self.sampled_groups > 0 {
            details.push(("accepted_worlds_min", self.accepted.unwrap_or(0) as f64));
        }
        details.extend(side.bound(class).map(|bound| ("bound", bound)));
        details
    }
}

impl DecidedBy {
    /// The people decided in some way; undecided ones for none.
    fn of(&mut self, way: Option<Way>) -> &mut u64 {
        match way {
            Some(Way::Immune) => &mut self.immune,
            Some(Way::Bounded) => &mut self.bounded,
            Some(Way::Exact) => &mut self.exact,
            Some(Way::Sampled) => &mut self.sampled,
            None => &mut self.undecided,
        }
    }

    fn plus(&self, other: &DecidedBy) -> DecidedBy {
        DecidedBy {
            immune: self.immune + other.immune,
            bounded: self.bounded + other.bounded,
            exact: self.exact + other.exact,
            sampled: self.sampled + other.sampled,
            undecided: self.undecided + other.undecided,
        }
    }
}
