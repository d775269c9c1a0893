//! Minimality: a method that stops as soon as the criteria hold tells by where it stopped what the
//! values are.
//!
//! **Knowledge**: the release, everybody's quasi-identifiers, and the method with its parameters;
//! never its random choices. **Finds** the people in one of whose possible values such an attacker
//! believes more than a criterion promises; for values about which nothing is promised, more than
//! the value's share of the group. **Definition**: possible worlds give the records of every
//! published group its values in all ways. The method is replayed on each: worlds in which it would
//! have gone another way are impossible, and where it goes on by lot they weigh what the lot does.
//! Belief is a value's share of the weight. A method that reads quasi-identifiers alone, or
//! sensitive values alone, leaves all worlds as they are. What a search over levels would have
//! preferred, and groups that depend on each other, are worked out together (`joint/`), with the
//! values of suppressed groups granted. People about whom nothing can be decided (nothing can be
//! replayed, too few possible worlds among those drawn, an interval on both sides of the limit) are
//! undecided. They count as
//! above any limit that the plan sets, and the highest belief is then a lower bound: at least a
//! value's share of its group. The same goes for people whose records a method suppressed that
//! reads sensitive values, and for everybody where a metric or a limit on another attack reads
//! them: nobody counts the worlds that this leaves. **Cost**: for each kind of group the number of
//! states that drawing its records one by one leads through; for a group that was tried to be
//! divided in one way, where each value has a limit of its own, its records times those of the
//! smaller side. Beyond the `budget`, worlds are drawn by lot, `samples` at first and more as long
//! as they decide nothing; beliefs are intervals, which hold all together with 99.9 %. All of it
//! takes so many steps for each record, and a most. Floats decide where they are clear, integers of
//! any size where not. **Reference**: Wong et al. 2007; Cormode et al. 2010.
//!
//! ```
//! let found = sfumato::attack::example("minimality", &[])?;
//! // Nothing was required of the values of the example, so its groups tell no more than they show: two of three have the flu.
//! assert_eq!(found[0].highest.to_f64(), 2.0 / 3.0);
//! assert_eq!(found[0].people, 0);
//! # Ok::<(), sfumato::Error>(())
//! ```

mod coupled;
mod searched;
mod side;
mod sum;

pub use searched::Searched;

use super::joint::{Outlook, Told};
use super::shared::over_groups;
use super::worlds::release::{Worlds, replay_all};
use super::worlds::{Effort, Scene};
use super::{Attack, Build, Finding, Grouped, Making, SUPPRESSED_UNDECIDED, Target};
use crate::anonymize::{Class, Safety};
use crate::candidate::Groups;
use crate::criterion::{Bound, Scope, Subject};
use crate::data::{Role, Schema, Table};
use crate::error::Result;
use crate::kind::{Kind, Param, Params, Shape};
use coupled::Coupled;
use side::Side;
use sum::Sum;

/// The description of the minimality attack.
pub const KIND: Kind<Build> = Kind {
    name: "minimality",
    summary: "Measures belief once it is known how the method works, by counting the worlds in which it would have published the same",
    reference: "Wong et al. 2007; Cormode et al. 2010",
    params: &[
        Param {
            name: "budget",
            summary: "the most steps from state to state that are counted for a group; 200 times as many where one value matters",
            shape: Shape::Count(0),
            default: Some("10000"),
        },
        Param {
            name: "samples",
            summary: "how many worlds are drawn at first for a group where the budget is not enough; then more, as long as that decides nothing and the attack has not taken the steps that it may for so many records",
            shape: Shape::Count(1),
            default: Some("2000"),
        },
    ],
    example: &[],
    build: |params| Box::new(Minimality { params: params.clone() }),
};

/// The chance that any of all intervals of a release does not hold its belief.
const DOUBT: f64 = 0.001;

/// How many steps, of about a nanosecond, all of an attack may take: some for each record, up to a
/// most. Steps are counted, so that what is decided does not depend on the machine.
const STEPS_PER_RECORD: u64 = 50_000;
const LEAST_STEPS: u64 = 200_000_000;
const MOST_STEPS: u64 = 12_000_000_000;

struct Minimality {
    params: Params,
}

impl Attack for Minimality {
    fn run(&self, target: &Target<'_>) -> Result<Vec<Finding>> {
        match &target.making {
            _ if target.is_conditioned => self.attack_shares(target, Known::Nothing, target.class),
            Some(Making::Groups(making)) => self.attack_groups(target, making),
            Some(Making::Levels(searched)) => self.attack_levels(target, searched),
            None => {
                let promises = target.promises;
                let is_blind = matches!(target.class, Some(Class::QiOnly | Class::SaOnly));
                let bound = || promises.criteria.iter().map(|(_, bound)| bound);
                let is_known = promises.all && !bound().any(|bound| reads_quasi(bound));
                let even = is_known && (is_blind || bound().all(|bound| reads_sizes(bound)));
                self.attack_shares(target, if even { Known::Even } else { Known::Nothing }, target.class)
            }
        }
    }

    fn knows_the_method(&self) -> bool {
        true
    }
}

impl Minimality {
    /// What may be done about so many records.
    fn effort(&self, records: usize) -> Effort {
        let (budget, samples) = (self.params.count("budget"), self.params.count("samples"));
        let steps = MOST_STEPS.min(LEAST_STEPS + STEPS_PER_RECORD * records as u64);
        Effort { budget, samples, steps, doubt: DOUBT }
    }

    fn attack_groups(&self, target: &Target<'_>, making: &Grouped<'_>) -> Result<Vec<Finding>> {
        let (view, class) = (&making.view, making.method.class());
        let safety = Safety::new(view.table, making.bound)?;
        let depends_on_both = making.bound.iter().any(reads_quasi);
        let is_blind = matches!(class, Class::QiOnly | Class::SaOnly) || safety.reads_sizes_only();
        if is_blind && !depends_on_both {
            return self.attack_shares(target, Known::Even, Some(class));
        }
        let ground = |known| Ground {
            table: view.table,
            schema: view.schema,
            published: making.published,
            known,
            missing: target.missing,
            is_merged: target.groups.len() < making.published.len(),
        };
        // That a division runs through no group tells that it was made only if merging keeps
        // criteria.
        let is_kept = |bound: &Bound| bound.criterion.properties().is_monotone();
        let is_told = making.bound.iter().all(is_kept) || making.method.crossings(view)?.is_none();
        let is_replayed = is_told && !is_out_of_reach(making.bound);
        let replayer = if is_replayed { making.method.replayer(view)? } else { None };
        let Some(replayer) = replayer else { return self.find(target, &ground(Known::Nothing), Some(class)) };

        let scene = Scene::new(&safety, view.table.rows());
        let replayed = replay_all(making, &scene, &replayer)?;
        // Half of the doubt and of the steps is for groups by themselves, half for those that depend
        // on each other.
        let effort = Effort { doubt: DOUBT / 2.0, ..self.effort(view.table.rows()).part(1, 2) };
        let unknown = ground(Known::Nothing);
        let sides = unknown.sides(target)?;
        let (published, watch) = (making.published.len(), target.formats.watch());
        let mut worlds = Worlds::new(&scene, &replayed, published, effort, watch);
        let crossings = if worlds.coupled == 0 { None } else { making.method.crossings(view)? };
        let is_told_enough = |group: usize, told: &Told| {
            let home = worlds.home(group);
            sides.iter().all(|side| side.is_told_enough(group, home.as_ref(), told))
        };
        let coupled = crossings
            .map(|crossings| Coupled::new(making, &safety, &replayed, &crossings, effort, &is_told_enough))
            .transpose()?;
        // What is believed of a group by itself does not matter where it depends on others.
        let steps = if worlds.coupled == 0 { 2 * effort.steps } else { effort.steps };
        worlds.draw(steps, &|group, home| {
            let is_alone = match &coupled {
                Some(coupled) => coupled.is_alone(group),
                None => !home.replayed.replay.coupled,
            };
            !is_alone || sides.iter().all(|side| side.is_enough(group, home))
        });
        self.find(target, &ground(Known::Worlds(worlds, coupled)), Some(class))
    }

    /// Where beliefs are shares of groups as they are published: labels may be the same for several
    /// groups that were formed. A method that reads quasi-identifiers alone says nothing about the
    /// values of those whom it suppressed.
    fn attack_shares(&self, target: &Target<'_>, known: Known<'_>, class: Option<Class>) -> Result<Vec<Finding>> {
        let release = target.schema.prepare_recoded(target.release)?;
        let says_nothing = matches!(known, Known::Even) && class != Some(Class::SaOnly) && !target.is_missing_by_value;
        let missing = if says_nothing { 0 } else { target.missing };
        let (schema, published, is_merged) = (target.schema, target.groups, false);
        let ground = Ground { table: &release, schema, published, known, missing, is_merged };
        self.find(target, &ground, class)
    }

    /// One finding for each sensitive column.
    fn find(&self, target: &Target<'_>, ground: &Ground<'_>, class: Option<Class>) -> Result<Vec<Finding>> {
        Ok(ground.sides(target)?.iter().map(|side| self.find_on(side, class)).collect())
    }

    fn find_on(&self, side: &Side<'_>, class: Option<Class>) -> Finding {
        let (published, withheld) = (side.ground.published, side.ground.missing);
        let sum = over_groups(published, Sum::default, |sum, group| side.visit(sum, group), Sum::merge);
        let knowledge = side.ground.knowledge();
        let finding = sum.tally.clone().finding(KIND.name, &self.params, knowledge, published.records());
        let highest = sum.top.and_then(|(_, place)| side.exactly(place)).unwrap_or(finding.highest);
        let mut details = sum.details(side, class, finding.people, highest);
        details.extend((withheld > 0).then_some((SUPPRESSED_UNDECIDED, withheld as f64)));
        let above_limit = finding.above_limit + if side.has_tolerated_limit() { withheld } else { 0 };
        // With the release alone it is always the same; worlds are drawn by what the groups are.
        let is_clear = sum.sampled_groups == 0 && side.ground.known.is_in_release() && !side.whole_matters;
        let repeatable = is_clear || !side.has_original;
        let warning = sum.warning(side, withheld);
        let is_lower_bound = sum.decided.undecided > 0 || sum.sampled_groups > 0 || withheld > 0;
        let (on, decided_by) = (Some(side.column.name().to_string()), Some(sum.decided));
        // Without the original nobody knows whom a record of a bucketized release belongs to.
        let right = side.has_original.then_some(sum.right);
        Finding { on, highest, is_lower_bound, above_limit, details, decided_by, right, repeatable, warning, ..finding }
    }
}

/// Whether a criterion reads how values and quasi-identifiers go together: then a method that reads
/// sensitive values alone does not come to a release alike in every world.
fn reads_quasi(bound: &Bound) -> bool {
    bound.criterion.properties().scope == Scope::Original
}

fn reads_sizes(bound: &Bound) -> bool {
    matches!(bound.subject, Subject::Nothing)
}

/// Whether decisions about one group depend on more than its values, so that nothing is replayed.
fn is_out_of_reach(bound: &[Bound]) -> bool {
    bound.iter().any(|bound| reads_quasi(bound) || bound.criterion.is_cross_group())
}

/// The published records, and what is known of how they were grouped.
struct Ground<'a> {
    table: &'a Table,
    schema: &'a Schema,
    published: &'a Groups,
    known: Known<'a>,
    /// How many people are missing about whom nothing is known.
    missing: u64,
    /// Whether groups that were formed look alike in the release.
    is_merged: bool,
}

impl Ground<'_> {
    /// Each sensitive column.
    fn sides(&self, target: &Target<'_>) -> Result<Vec<Side<'_>>> {
        let columns = self.schema.select(self.table, Role::Sensitive)?.into_iter().enumerate();
        columns.map(|(number, column)| Side::new(target, self, number, column)).collect()
    }

    /// What the attacker is granted, in words.
    fn knowledge(&self) -> String {
        let mut words = "the release, everybody's quasi-identifiers, and the method with its parameters".to_string();
        if matches!(self.known, Known::Levels(_)) && self.published.records() < self.table.rows() {
            words += "; of suppressed records also which sensitive values each of their groups holds, but not that \
                      a limit was kept to which depends on these";
        }
        if self.is_merged {
            words += "; where groups look alike, also which record is in which";
        }
        words
    }
}

/// What is known of how records were grouped.
enum Known<'a> {
    /// That it tells nothing.
    Even,
    /// Nothing.
    Nothing,
    /// How each group came about, and those that depend on each other, if that is known.
    Worlds(Worlds<'a>, Option<Coupled>),
    /// What else the method would have published, about all groups together.
    Levels(Box<Told>),
}

impl From<Outlook> for Known<'_> {
    fn from(outlook: Outlook) -> Self {
        match outlook {
            Outlook::Immune => Known::Even,
            Outlook::Told(told) => Known::Levels(told),
            Outlook::Unknown => Known::Nothing,
        }
    }
}

impl Known<'_> {
    /// Whether the release alone tells it.
    fn is_in_release(&self) -> bool {
        matches!(self, Known::Even | Known::Worlds(..))
    }
}
