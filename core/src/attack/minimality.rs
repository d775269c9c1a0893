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
//! sensitive values alone, leaves all worlds as they are. Groups that cannot be decided (nothing
//! can be replayed, too few possible worlds among those drawn, an interval on both sides of the
//! limit, or groups whose decisions depend on each other) are undecided. Their people count as
//! above any limit that the plan sets, and the highest belief is then a lower bound: at least a
//! value's share of its group. The same goes for people whose records a method suppressed that
//! reads sensitive values, and for everybody where a metric or a limit on another attack reads
//! them: nobody counts the worlds that this leaves. **Cost**: for each kind of group the number of
//! states that drawing its records one by one leads through; beyond the `budget`, `samples` worlds
//! are drawn by lot and beliefs are intervals, which hold all together with 99.9 %. Floats decide
//! where they are clear, integers of any size where not. **Reference**: Wong et al. 2007; Cormode
//! et al. 2010.
//!
//! ```
//! let found = sfumato::attack::example("minimality", &[])?;
//! // Nothing was required of the values of the example, so its groups tell no more than they show: two of three have the flu.
//! assert_eq!(found[0].highest.to_f64(), 2.0 / 3.0);
//! assert_eq!(found[0].people, 0);
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::shared::{Belief, Tally, cared_for, over_groups};
use super::worlds::release::{Held, Home, Worlds, replay_all};
use super::worlds::{Effort, Estimate, Scene};
use super::{Attack, Build, Finding, Making, SUPPRESSED_UNDECIDED, Target, UNDECIDED_PEOPLE, VULNERABLE_SHARE};
use crate::anonymize::{Class, Replay, Safety};
use crate::candidate::Groups;
use crate::criterion::{About, Bound, Knowledge, Limit, Scope, Subject};
use crate::data::{Column, Role, Schema, Table};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Params, Shape};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

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
            summary: "how many worlds are drawn for a group where the budget is not enough",
            shape: Shape::Count(1),
            default: Some("2000"),
        },
    ],
    example: &[],
    build: |params| Box::new(Minimality { params: params.clone() }),
};

/// The chance that any of all intervals of a release does not hold its belief.
const DOUBT: f64 = 0.001;

/// Closer to a limit than this, relatively, floats do not decide.
const UNCLEAR: f64 = 1e-9;

struct Minimality {
    params: Params,
}

impl Attack for Minimality {
    fn run(&self, target: &Target<'_>) -> Result<Vec<Finding>> {
        match &target.making {
            _ if target.is_conditioned => self.attack_shares(target, Replayed::Nothing, target.class),
            Some(making) => self.attack_making(target, making),
            None => {
                let sizes_only = |subject: &Subject| matches!(subject, Subject::Nothing);
                let promises = target.promises;
                let is_blind = matches!(target.class, Some(Class::QiOnly | Class::SaOnly));
                let bound = || promises.criteria.iter().map(|(_, bound)| bound);
                let is_known = promises.all && !bound().any(|bound| reads_quasi(bound));
                let even = is_known && (is_blind || bound().all(|bound| sizes_only(&bound.subject)));
                self.attack_shares(target, if even { Replayed::Even } else { Replayed::Nothing }, target.class)
            }
        }
    }
}

impl Minimality {
    fn attack_making(&self, target: &Target<'_>, making: &Making<'_>) -> Result<Vec<Finding>> {
        let (view, class) = (&making.view, making.method.class());
        let ground = |known| Ground { table: view.table, schema: view.schema, published: making.published, known };
        let safety = Safety::new(view.table, making.bound)?;
        let depends_on_both = making.bound.iter().any(reads_quasi);
        let is_blind = matches!(class, Class::QiOnly | Class::SaOnly) || safety.reads_sizes_only();
        if is_blind && !depends_on_both {
            return self.attack_shares(target, Replayed::Even, Some(class));
        }
        // Decisions about one group then depend on others: a group alone cannot be replayed.
        let joins = |bound: &Bound| bound.criterion.is_cross_group();
        let out_of_reach = depends_on_both || making.bound.iter().any(joins);
        let replayer = if out_of_reach { None } else { making.method.replayer(view)? };
        let Some(replayer) = replayer else { return self.find(target, &ground(Replayed::Nothing), Some(class)) };

        let scene = Scene::new(&safety, view.table.rows());
        let replayed = replay_all(making, &scene, &replayer)?;
        let (budget, samples) = (self.params.count("budget"), self.params.count("samples"));
        let effort = Effort { budget, samples, doubt: DOUBT };
        let worlds = Worlds::new(&scene, &replayed, making.published.len(), effort, target.formats.watch());
        self.find(target, &ground(Replayed::Worlds(worlds)), Some(class))
    }

    /// Where beliefs are shares of groups as they are published: labels may be the same for several
    /// groups that were formed.
    fn attack_shares(&self, target: &Target<'_>, known: Replayed<'_>, class: Option<Class>) -> Result<Vec<Finding>> {
        let release = target.schema.prepare_recoded(target.release)?;
        let ground = Ground { table: &release, schema: target.schema, published: target.groups, known };
        self.find(target, &ground, class)
    }

    /// One finding for each sensitive column.
    fn find(&self, target: &Target<'_>, ground: &Ground<'_>, class: Option<Class>) -> Result<Vec<Finding>> {
        let columns = ground.schema.select(ground.table, Role::Sensitive)?;
        let sides = columns.into_iter().map(|column| Side::new(target, ground, column));
        sides.map(|side| Ok(self.find_on(&side?, class))).collect()
    }

    fn find_on(&self, side: &Side<'_>, class: Option<Class>) -> Finding {
        let withheld = side.withheld_undecided(class);
        let published = side.ground.published;
        let sum = over_groups(published, Sum::default, |sum, group| side.visit(sum, group), Sum::merge);
        let knowledge = "the release, everybody's quasi-identifiers, and the method with its parameters".to_string();
        let finding = sum.tally.clone().finding(KIND.name, &self.params, knowledge, published.records());
        let highest = sum.top.and_then(|(_, place)| side.exactly(place)).unwrap_or(finding.highest);
        let mut details = sum.details(side, class, finding.people, highest);
        details.extend((withheld > 0).then_some((SUPPRESSED_UNDECIDED, withheld as f64)));
        let above_limit = finding.above_limit + if side.has_tolerated_limit() { withheld } else { 0 };
        // With the release alone it is always the same; worlds are drawn by what the groups are.
        let is_clear =
            sum.sampled_groups == 0 && !matches!(side.ground.known, Replayed::Nothing) && !side.whole_matters;
        let repeatable = is_clear || !side.has_original;
        let warning = sum.warning(side, withheld);
        let is_lower_bound = sum.undecided_people > 0 || sum.sampled_groups > 0 || withheld > 0;
        let on = Some(side.column.name().to_string());
        Finding { on, highest, is_lower_bound, above_limit, details, repeatable, warning, ..finding }
    }
}

/// Whether a criterion reads how values and quasi-identifiers go together: then a method that reads
/// sensitive values alone does not come to a release alike in every world.
fn reads_quasi(bound: &Bound) -> bool {
    bound.criterion.properties().scope == Scope::Original
}

/// The published records, and what is known of how they were grouped.
struct Ground<'a> {
    table: &'a Table,
    schema: &'a Schema,
    published: &'a Groups,
    known: Replayed<'a>,
}

enum Replayed<'a> {
    /// That it tells nothing.
    Even,
    /// Nothing.
    Nothing,
    /// All.
    Worlds(Worlds<'a>),
}

/// One sensitive column.
struct Side<'a> {
    ground: &'a Ground<'a>,
    column: &'a Column,
    values: Vec<Value>,
    /// The l of frequency l-diversity where nothing else is asked of values.
    l: Option<f64>,
    /// Whether what is promised, or what the method did, depends on records that are not published.
    whole_matters: bool,
    /// Whether the original is at hand.
    has_original: bool,
    /// How many records the method suppressed.
    missing: u64,
    is_missing_by_value: bool,
}

/// What is said of a value.
#[derive(Clone, Copy)]
struct Value {
    cared_for: bool,
    promised: Option<Limit>,
    tolerated: Option<Limit>,
}

/// Where a belief is reached: published group, block and value.
#[derive(Clone, Copy)]
struct BeliefPlace {
    group: usize,
    block: usize,
    code: u32,
}

impl<'a> Side<'a> {
    fn new(target: &Target<'_>, ground: &'a Ground<'a>, column: &'a Column) -> Result<Side<'a>> {
        let name = column.name();
        // Criteria are bound to the original where it is at hand, else to the release: values may
        // have other codes there.
        let release = target.schema.prepare_recoded(target.release)?;
        let bound_to = target.original.map_or(&*release, |original| original.table).column(name)?;
        let value = |(code, cared_for): (u32, bool)| {
            let about = bound_to.domain().code(column.domain().label(code)).map(About::Value);
            let promised = about.and_then(|about| target.promises.promised(Some(name), about, Knowledge::Nothing));
            let tolerated = target.promises.tolerated(About::Value(code), Knowledge::Nothing);
            Value { cared_for, promised, tolerated }
        };
        let values = (0u32..).zip(cared_for(ground.schema, column)).map(value).collect();
        let criteria = target.promises.criteria.iter().filter(|(_, bound)| !matches!(bound.subject, Subject::Nothing));
        let l = match criteria.collect::<Vec<_>>()[..] {
            [(wanted, bound)] if wanted.on == [name] => {
                bound.criterion.properties().share.map(|share| Fraction::new(share.den, share.num).to_f64())
            }
            _ => None,
        };
        let withholds = target.original.is_some_and(|original| original.table.rows() > ground.published.records());
        let reads_whole =
            target.promises.criteria.iter().any(|(_, bound)| bound.criterion.properties().scope != Scope::Groups);
        let has_original = target.original.is_some();
        Ok(Side {
            ground,
            column,
            values,
            l,
            whole_matters: withholds && reads_whole,
            has_original,
            missing: target.missing,
            is_missing_by_value: target.is_missing_by_value,
        })
    }

    /// How many missing people nothing is known about. A method that reads quasi-identifiers alone
    /// says nothing about the values of those whom it suppressed.
    fn withheld_undecided(&self, class: Option<Class>) -> u64 {
        let reads_quasi_only = matches!(self.ground.known, Replayed::Even) && class != Some(Class::SaOnly);
        if reads_quasi_only && !self.is_missing_by_value { 0 } else { self.missing }
    }

    /// Whether the plan limits the belief in any value.
    fn has_tolerated_limit(&self) -> bool {
        self.values.iter().any(|value| value.cared_for && value.tolerated.is_some())
    }

    fn home(&self, group: usize) -> Option<Home<'_>> {
        match &self.ground.known {
            Replayed::Worlds(worlds) => worlds.home(group),
            _ => None,
        }
    }

    /// How many groups cannot be decided alone: the decisions of the method about them depend on
    /// others.
    fn coupled(&self) -> u64 {
        match &self.ground.known {
            Replayed::Worlds(worlds) => worlds.coupled,
            _ => 0,
        }
    }

    /// The values of a published group, ascending, with their atoms.
    fn held(&self, group: usize, home: Option<&Home<'_>>) -> Vec<Held> {
        let codes = self.column.codes();
        let atom_of = |row: u32| home.map_or(0, |home| home.scene.atom_of(row));
        let rows = self.ground.published.rows(group).iter();
        let mut pairs: Vec<(u32, u32)> = rows.map(|&row| (codes[row as usize], atom_of(row))).collect();
        pairs.sort_unstable();
        let mut atoms: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
        atoms.sort_unstable();
        let of =
            |atom: u32| atoms.partition_point(|&other| other <= atom) - atoms.partition_point(|&other| other < atom);
        let held = pairs.chunk_by(|a, b| a == b).map(|same| {
            let (code, atom) = same[0];
            Held { code, atom, count: same.len() as u32, of: of(atom) as u32 }
        });
        held.collect()
    }

    /// Looks at one published group.
    fn visit(&self, sum: &mut Sum, group: usize) {
        let home = self.home(group);
        let held = self.held(group, home.as_ref());
        let size = self.ground.published.size(group) as u64;
        let Some(home) = home else {
            let is_even = matches!(self.ground.known, Replayed::Even);
            let found = self.believe_shares(sum, group, &held, is_even);
            sum.exact_groups += u64::from(is_even);
            return sum.conclude(&[(size, found)]);
        };
        match home.solution.accepted() {
            Some(accepted) => {
                sum.sampled_groups += 1;
                sum.accepted = sum.accepted.into_iter().chain([accepted]).min();
                self.believe_means(sum, group, &held);
            }
            None => sum.exact_groups += 1,
        }
        let found = home.cells().map(|(block, people)| (people, self.believe_cell(sum, group, block, &home, &held)));
        let found: Vec<(u64, Found)> = found.collect();
        sum.conclude(&found);
    }

    /// What is believed about the records of a cell.
    fn believe_cell(&self, sum: &mut Sum, group: usize, block: usize, home: &Home<'_>, held: &[Held]) -> Found {
        let mut found = Found::default();
        for value in self.cared_for(held) {
            let code = value[0].code;
            let Value { promised, tolerated, .. } = self.values[code as usize];
            let belief = home.belief(block, value);
            let exceeds = |limit: Limit| exceeds(belief, limit, || home.exactly(block, value));
            let compared = promised.unwrap_or_else(|| Limit { belief: self.share(group, value), strict: false });
            let above = tolerated.map_or(Some(false), exceeds);
            found.add(exceeds(compared), above != Some(false), belief.low);
            sum.believe(belief, promised, tolerated, above == Some(true));
            sum.note(belief.low, BeliefPlace { group, block, code });
        }
        found
    }

    /// # Claim
    /// A group has as many records with a value in every world, so the mean of the beliefs about
    /// its records is the value's share: some belief is at least that, even where too few worlds
    /// tell which.
    fn believe_means(&self, sum: &mut Sum, group: usize, held: &[Held]) {
        for value in self.cared_for(held) {
            let Value { promised, tolerated, .. } = self.values[value[0].code as usize];
            let share = self.share(group, value).to_f64();
            sum.believe(Estimate { low: share, high: share }, promised, tolerated, false);
        }
    }

    /// What is believed where nothing is learnt, or where it is not known what is.
    fn believe_shares(&self, sum: &mut Sum, group: usize, held: &[Held], is_even: bool) -> Found {
        let mut found = Found::default();
        for value in self.cared_for(held) {
            let code = value[0].code;
            let Value { promised, tolerated, .. } = self.values[code as usize];
            let share = self.share(group, value);
            let belief = Estimate { low: share.to_f64(), high: share.to_f64() };
            let is_above = |limit: Limit| !limit.allows(share);
            // Undecided is never within a limit: the belief may be anything from the share up.
            let above = tolerated.is_some_and(|limit| !is_even || is_above(limit));
            found.add(is_even.then(|| promised.is_some_and(is_above)), above, belief.low);
            sum.believe(belief, promised, tolerated, above);
            sum.note(belief.low, BeliefPlace { group, block: 0, code });
        }
        found
    }

    /// The values of a group that need protection.
    fn cared_for<'h>(&self, held: &'h [Held]) -> impl Iterator<Item = &'h [Held]> {
        held.chunk_by(|a, b| a.code == b.code).filter(|value| self.values[value[0].code as usize].cared_for)
    }

    fn share(&self, group: usize, value: &[Held]) -> Fraction {
        let count: u32 = value.iter().map(|held| held.count).sum();
        Fraction::new(u128::from(count), self.ground.published.size(group) as u128)
    }

    /// A belief exactly, if it was counted and fits.
    fn exactly(&self, place: BeliefPlace) -> Option<Fraction> {
        let home = self.home(place.group);
        let held = self.held(place.group, home.as_ref());
        let value = held.chunk_by(|a, b| a.code == b.code).find(|value| value[0].code == place.code)?;
        let Some(home) = home else { return Some(self.share(place.group, value).reduced()) };
        let belief = home.exactly(place.block, value)?;
        let num = u128::try_from(belief.numerator().clone()).ok()?;
        Some(Fraction::new(num, u128::try_from(belief.denominator().clone()).ok()?))
    }

    /// What theory says that no belief exceeds, where it says anything.
    fn bound(&self, class: Option<Class>) -> Option<f64> {
        let l = self.l?;
        match (&self.ground.known, class?) {
            (Replayed::Even, Class::QiOnly | Class::SaOnly) => Some(1.0 / l),
            // The theorem is about one cut.
            (Replayed::Worlds(worlds), Class::EvenSplit) if worlds.replays().all(|replay| replay.tests.len() <= 1) => {
                let is_concerned = |replay: &&Replay| {
                    let codes = replay.blocks.iter().flatten().map(|&row| self.column.codes()[row as usize]);
                    codes.into_iter().any(|code| self.values[code as usize].cared_for)
                };
                let larger = worlds.replays().filter(is_concerned).flat_map(larger_parts).filter(|&size| size > 1);
                larger.map(|size| (1.0 / (l - l / size as f64)).min(1.0)).reduce(f64::max)
            }
            (Replayed::Worlds(worlds), Class::Asymmetric) => {
                let greedy = |replay: &Replay| {
                    let one_part = replay.tests.iter().all(|parts| parts.len() == 1);
                    one_part && replay.blocks.iter().all(|rows| rows.len() as f64 == l)
                };
                worlds.replays().all(greedy).then(|| (std::f64::consts::E / l).min(1.0))
            }
            _ => None,
        }
    }
}

/// The size of the larger part of each test.
fn larger_parts(replay: &Replay) -> impl Iterator<Item = usize> {
    let size = |part: &Vec<u32>| part.iter().map(|&block| replay.blocks[block as usize].len()).sum();
    replay.tests.iter().filter_map(move |parts| parts.iter().map(size).max())
}

/// Whether a belief is above a limit, if that can be told: by floats where they are clear.
fn exceeds(belief: Estimate, limit: Limit, exactly: impl FnOnce() -> Option<RBig>) -> Option<bool> {
    let bound = limit.belief.to_f64();
    let unclear = UNCLEAR * bound;
    if belief.low > bound + unclear {
        return Some(true);
    }
    if belief.high < bound - unclear {
        return Some(false);
    }
    if belief.low < belief.high {
        return None;
    }
    let limit_exactly = RBig::from_parts(IBig::from(limit.belief.num), UBig::from(limit.belief.den));
    exactly().map(|belief| if limit.strict { belief >= limit_exactly } else { belief > limit_exactly })
}

/// What is found about the records of one cell.
#[derive(Clone, Copy, Default)]
struct Found {
    vulnerable: bool,
    undecided: bool,
    above_limit: bool,
    highest: f64,
}

impl Found {
    fn add(&mut self, vulnerable: Option<bool>, above_limit: bool, belief: f64) {
        self.vulnerable |= vulnerable == Some(true);
        self.undecided |= vulnerable.is_none();
        self.above_limit |= above_limit;
        self.highest = self.highest.max(belief);
    }
}

/// What groups add up to.
#[derive(Default)]
struct Sum {
    tally: Tally,
    undecided_groups: u64,
    undecided_people: u64,
    exact_groups: u64,
    sampled_groups: u64,
    /// The fewest possible worlds that were found by lot.
    accepted: Option<u64>,
    /// The highest belief over what is promised, and the highest that any may be.
    over_promised: f64,
    upper: f64,
    top: Option<(f64, BeliefPlace)>,
}

impl Sum {
    fn believe(&mut self, belief: Estimate, promised: Option<Limit>, tolerated: Option<Limit>, above: bool) {
        self.tally.believe(Belief { belief: Fraction::nearest(belief.low), limit: tolerated, exceeds: above });
        self.upper = self.upper.max(belief.high);
        let over = promised.map_or(0.0, |limit| belief.low / limit.belief.to_f64());
        self.over_promised = self.over_promised.max(over);
    }

    /// The first of the highest beliefs is kept.
    fn note(&mut self, belief: f64, place: BeliefPlace) {
        if self.top.is_none_or(|(top, at)| belief > top || (belief == top && place.group < at.group)) {
            self.top = Some((belief, place));
        }
    }

    /// Counts the records of a published group, cell by cell.
    fn conclude(&mut self, cells: &[(u64, Found)]) {
        let count = |which: fn(&Found) -> bool| -> u64 {
            cells.iter().filter(|(_, found)| which(found)).map(|(people, _)| people).sum()
        };
        let undecided = count(|found| found.undecided && !found.vulnerable);
        self.undecided_people += undecided;
        self.undecided_groups += u64::from(undecided > 0);
        self.tally.affect(count(|found| found.vulnerable));
        cells.iter().for_each(|(people, found)| self.tally.count(*people, found.highest, found.above_limit));
    }

    fn merge(mut self, other: Sum) -> Sum {
        self.tally = self.tally.merge(other.tally);
        self.undecided_groups += other.undecided_groups;
        self.undecided_people += other.undecided_people;
        self.exact_groups += other.exact_groups;
        self.sampled_groups += other.sampled_groups;
        self.accepted = self.accepted.into_iter().chain(other.accepted).min();
        self.over_promised = self.over_promised.max(other.over_promised);
        self.upper = self.upper.max(other.upper);
        if let Some((belief, place)) = other.top {
            self.note(belief, place);
        }
        self
    }

    fn warning(&self, side: &Side<'_>, withheld: u64) -> Option<String> {
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
            Replayed::Nothing => "",
            _ if self.undecided_groups > 0 => " for some groups",
            _ => return None,
        };
        Some(format!(
            "The {} attack on \"{name}\" is inconclusive{undecided}: nothing is claimed about what an attacker who knows the method learns.",
            KIND.name
        ))
    }

    fn details(
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
            ("max_belief_times_l", self.over_promised),
            ("undecided_groups", self.undecided_groups as f64),
            (UNDECIDED_PEOPLE, self.undecided_people as f64),
            ("exact_groups", self.exact_groups as f64),
            ("sampled_groups", self.sampled_groups as f64),
            ("coupled_groups", side.coupled() as f64),
        ];
        if self.sampled_groups > 0 {
            details.push(("max_belief_upper", self.upper));
            details.push(("accepted_worlds_min", self.accepted.unwrap_or(0) as f64));
        }
        details.extend(side.bound(class).map(|bound| ("bound", bound)));
        details
    }
}
