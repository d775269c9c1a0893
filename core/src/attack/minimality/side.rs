//! What is believed about one sensitive column, group by group.

use super::sum::{Found, Sum, Way};
use super::{Ground, Known};
use crate::anonymize::{Class, Replay};
use crate::attack::Target;
use crate::attack::joint::{Asked, Outlook, Told};
use crate::attack::shared::cared_for;
use crate::attack::worlds::Estimate;
use crate::attack::worlds::release::{Held, Home};
use crate::criterion::{About, Knowledge, Limit, Scope, Subject};
use crate::data::Column;
use crate::error::Result;
use crate::exact::Fraction;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// Closer to a limit than this, relatively, floats do not decide.
const UNCLEAR: f64 = 1e-9;

/// So much more than a limit, relatively, a bound that comes from drawing worlds may be: a share
/// that is just the limit would be above it after any doubt.
const SLIGHT: f64 = 0.01;

/// One sensitive column.
pub(super) struct Side<'a> {
    pub ground: &'a Ground<'a>,
    /// Its place among the sensitive columns.
    number: usize,
    pub column: &'a Column,
    values: Vec<Value>,
    /// The l of frequency l-diversity where nothing else is asked of values.
    l: Option<f64>,
    /// Whether what is promised, or what the method did, depends on records that are not published.
    pub whole_matters: bool,
    /// Whether the original is at hand.
    pub has_original: bool,
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
pub(super) struct BeliefPlace {
    pub group: usize,
    block: usize,
    code: u32,
}

/// The groups that one depends on, and what is known of them together.
enum Company<'a> {
    None,
    Unknown,
    Told(&'a Told),
}

/// What was believed of records before groups that depend on each other were looked at together.
type Before<'a> = dyn Fn(&[u32], &[Held]) -> Estimate + 'a;

/// What is believed of records of a group by itself.
fn home_belief(home: &Home<'_>, rows: &[u32], value: &[Held]) -> Estimate {
    let beliefs = home.blocks_of(rows).map(|block| home.belief(block, value));
    beliefs.reduce(|a, b| Estimate { low: a.low.min(b.low), high: a.high.max(b.high) }).expect("a record")
}

impl<'a> Side<'a> {
    pub fn new(target: &Target<'_>, ground: &'a Ground<'a>, number: usize, column: &'a Column) -> Result<Side<'a>> {
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
        Ok(Side { ground, number, column, values, l, whole_matters: withholds && reads_whole, has_original })
    }

    /// Whether the plan limits the belief in any value.
    pub fn has_tolerated_limit(&self) -> bool {
        self.values.iter().any(|value| value.cared_for && value.tolerated.is_some())
    }

    fn home(&self, group: usize) -> Option<Home<'_>> {
        match &self.ground.known {
            Known::Worlds(worlds, _) => worlds.home(group),
            _ => None,
        }
    }

    /// How many groups cannot be decided alone: the decisions of the method about them depend on
    /// others.
    pub fn coupled(&self) -> u64 {
        match &self.ground.known {
            Known::Worlds(worlds, _) => worlds.coupled,
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
    pub fn visit(&self, sum: &mut Sum, group: usize) {
        if let Known::Levels(told) = &self.ground.known {
            return self.visit_told(sum, group, told);
        }
        let home = self.home(group);
        let held = self.held(group, home.as_ref());
        let Some(home) = home else {
            return self.visit_shares(sum, group, &held, matches!(self.ground.known, Known::Even));
        };
        match self.company(group, &home) {
            Company::None => {}
            Company::Unknown => return self.visit_shares(sum, group, &held, false),
            Company::Told(told) => return self.visit_coupled(sum, group, &home, told, &held),
        }
        let way = match home.solution.accepted() {
            Some(accepted) => {
                sum.draw(accepted);
                self.believe_means(sum, group, &held);
                if home.solution.is_framed() { Way::Bounded } else { Way::Sampled }
            }
            None => {
                sum.exact_groups += 1;
                if home.solution.is_even() { Way::Immune } else { Way::Exact }
            }
        };
        let cells = home.cells().map(|(block, people)| {
            let belief = |value: &[Held]| (home.belief(block, value), SLIGHT);
            let exactly = |value: &[Held]| home.exactly(block, value);
            let mut found = self.believe_cell(sum, BeliefPlace { group, block, code: 0 }, &held, belief, exactly);
            found.guess(self.codes(home.rows_of(block, self.ground.published.rows(group))));
            (people, found, way)
        });
        let found: Vec<(u64, Found, Way)> = cells.collect();
        sum.conclude(&found);
    }

    /// The groups that one depends on.
    fn company(&self, group: usize, home: &Home<'_>) -> Company<'_> {
        let Known::Worlds(_, coupled) = &self.ground.known else { return Company::None };
        match coupled {
            None if home.replayed.replay.coupled => Company::Unknown,
            None => Company::None,
            Some(coupled) => match coupled.outlook(group) {
                None | Some(Outlook::Immune) => Company::None,
                Some(Outlook::Unknown) => Company::Unknown,
                Some(Outlook::Told(told)) => Company::Told(told),
            },
        }
    }

    /// Looks at a group that depends on others.
    fn visit_coupled(&self, sum: &mut Sum, group: usize, home: &Home<'_>, told: &Told, held: &[Held]) {
        let before = |rows: &[u32], value: &[Held]| home_belief(home, rows, value);
        self.visit_cells(sum, group, told, held, &before);
    }

    /// Looks at a group of which something is told, cell by cell; beside what was believed of
    /// records before.
    fn visit_cells(&self, sum: &mut Sum, group: usize, told: &Told, held: &[Held], before: &Before<'_>) {
        match told.accepted() {
            None => sum.exact_groups += 1,
            Some(accepted) => {
                sum.draw(accepted);
                self.believe_means(sum, group, held);
            }
        }
        let found = self.cells(group, told).into_iter().map(|(cell, rows)| {
            let place = BeliefPlace { group, block: cell as usize, code: 0 };
            let asked = |value: &[Held]| Asked { before: before(&rows, value), ..self.asked(group, value) };
            let belief = |value: &[Held]| (told.belief(cell, asked(value)), SLIGHT);
            let mut found = self.believe_cell(sum, place, held, belief, |value| told.exactly(cell, asked(value)));
            found.guess(self.codes(rows.iter().copied()));
            (rows.len() as u64, found, self.way(group, &rows, held, told, before))
        });
        let found: Vec<(u64, Found, Way)> = found.collect();
        sum.conclude(&found);
    }

    /// The cells of a group, each with its rows.
    fn cells(&self, group: usize, told: &Told) -> Vec<(u32, Vec<u32>)> {
        let rows = self.ground.published.rows(group).iter();
        let mut cells: Vec<(u32, u32)> = rows.map(|&row| (told.cell_of(row), row)).collect();
        cells.sort_unstable();
        cells.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, same.iter().map(|one| one.1).collect())).collect()
    }

    /// How beliefs about a cell were found: whether the bound for everybody is enough.
    fn way(&self, group: usize, rows: &[u32], held: &[Held], told: &Told, before: &Before<'_>) -> Way {
        let is_settled = |value: &[Held]| {
            let bounded = told.bounded(before(rows, value));
            bounded.is_some_and(|bounded| exceeds(bounded, SLIGHT, self.compared(group, value), || None).is_some())
        };
        match told.accepted() {
            None => Way::Exact,
            Some(_) if self.cared_for(held).all(is_settled) => Way::Bounded,
            Some(_) => Way::Sampled,
        }
    }

    /// Whether intervals of a group tell on which side of their limits beliefs are.
    pub fn is_enough(&self, group: usize, home: &Home<'_>) -> bool {
        let held = self.held(group, Some(home));
        home.cells().all(|(block, _)| self.are_clear(group, &held, |value| home.belief(block, value)))
    }

    /// The same of a group that depends on others; or on what was preferred to it.
    pub fn is_told_enough(&self, group: usize, home: Option<&Home<'_>>, told: &Told) -> bool {
        let held = self.held(group, home);
        told.accepted().is_none()
            || self.cells(group, told).into_iter().all(|(cell, rows)| {
                let before = |value: &[Held]| match home {
                    Some(home) => home_belief(home, &rows, value),
                    None => self.asked(group, value).before,
                };
                let asked = |value: &[Held]| Asked { before: before(value), ..self.asked(group, value) };
                self.are_clear(group, &held, |value| told.belief(cell, asked(value)))
            })
    }

    /// Whether each belief is clearly above its limit or within it; of several that are compared
    /// with what is promised, one above it is enough.
    fn are_clear(&self, group: usize, held: &[Held], belief: impl Fn(&[Held]) -> Estimate) -> bool {
        let (mut is_above, mut are_promised, mut are_tolerated) = (false, true, true);
        for value in self.cared_for(held) {
            let belief = belief(value);
            let exceeds = |limit: Limit| exceeds(belief, SLIGHT, limit, || None);
            let promised = exceeds(self.compared(group, value));
            is_above |= promised == Some(true);
            are_promised &= promised.is_some();
            let tolerated = self.values[value[0].code as usize].tolerated;
            are_tolerated &= tolerated.is_none_or(|limit| exceeds(limit).is_some());
        }
        (is_above || are_promised) && are_tolerated
    }

    /// Looks at a group of which nothing is learnt, or of which it is not known what is.
    fn visit_shares(&self, sum: &mut Sum, group: usize, held: &[Held], is_even: bool) {
        let mut found = self.believe_shares(sum, group, held, is_even);
        found.guess(self.codes(self.ground.published.rows(group).iter().copied()));
        sum.exact_groups += u64::from(is_even);
        sum.conclude(&[(self.ground.published.size(group) as u64, found, Way::Immune)]);
    }

    /// Looks at a group of what a search over levels published.
    fn visit_told(&self, sum: &mut Sum, group: usize, told: &Told) {
        let held = self.held(group, None);
        if !told.is_touched(told.cell_of(self.ground.published.rows(group)[0])) {
            return self.visit_shares(sum, group, &held, true);
        }
        self.visit_cells(sum, group, told, &held, &|_, value| self.asked(group, value).before);
    }

    fn asked(&self, group: usize, value: &[Held]) -> Asked {
        let share = self.share(group, value).to_f64();
        let before = Estimate { low: share, high: share };
        Asked { column: self.number, values: self.column.domain().len(), code: value[0].code, before }
    }

    /// What a belief is compared with: what is promised, or the value's share.
    fn compared(&self, group: usize, value: &[Held]) -> Limit {
        let promised = self.values[value[0].code as usize].promised;
        promised.unwrap_or_else(|| Limit { belief: self.share(group, value), strict: false })
    }

    /// What is believed about the records of a cell; beliefs come with how much more than a limit
    /// they may be.
    fn believe_cell(
        &self,
        sum: &mut Sum,
        place: BeliefPlace,
        held: &[Held],
        belief: impl Fn(&[Held]) -> (Estimate, f64),
        exactly: impl Fn(&[Held]) -> Option<RBig>,
    ) -> Found {
        let mut found = Found::default();
        for value in self.cared_for(held) {
            let code = value[0].code;
            let Value { promised, tolerated, .. } = self.values[code as usize];
            let (belief, slight) = belief(value);
            let exceeds = |limit: Limit| exceeds(belief, slight, limit, || exactly(value));
            let above = tolerated.map_or(Some(false), exceeds);
            found.add(code, exceeds(self.compared(place.group, value)), above != Some(false), belief.low);
            sum.believe(belief, self.share(place.group, value), promised, tolerated, above == Some(true));
            sum.note(belief.low, BeliefPlace { code, ..place });
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
            let share = self.share(group, value);
            let belief = Estimate { low: share.to_f64(), high: share.to_f64() };
            sum.believe(belief, share, promised, tolerated, false);
        }
    }

    /// What is believed where nothing is learnt, or where it is not known what is.
    fn believe_shares(&self, sum: &mut Sum, group: usize, held: &[Held], is_even: bool) -> Found {
        let mut found = Found::default();
        for value in self.cared_for(held) {
            let code = value[0].code;
            let Value { promised, tolerated, .. } = self.values[code as usize];
            let share = self.share(group, value);
            // Undecided is never within a limit: the belief may be anything from the share up.
            let belief = Estimate { low: share.to_f64(), high: if is_even { share.to_f64() } else { 1.0 } };
            let is_above = |limit: Limit| !limit.allows(share);
            let above = tolerated.is_some_and(|limit| !is_even || is_above(limit));
            found.add(code, is_even.then(|| promised.is_some_and(is_above)), above, belief.low);
            sum.believe(belief, share, promised, tolerated, above);
            sum.note(belief.low, BeliefPlace { group, block: 0, code });
        }
        found
    }

    /// The values that rows have.
    fn codes<'s>(&'s self, rows: impl Iterator<Item = u32> + 's) -> impl Iterator<Item = u32> + 's {
        rows.map(|row| self.column.codes()[row as usize])
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
    pub fn exactly(&self, place: BeliefPlace) -> Option<Fraction> {
        let home = self.home(place.group);
        let held = self.held(place.group, home.as_ref());
        let value = held.chunk_by(|a, b| a.code == b.code).find(|value| value[0].code == place.code)?;
        let belief = match (&self.ground.known, home) {
            (Known::Levels(told), _) if told.is_touched(told.cell_of(self.ground.published.rows(place.group)[0])) => {
                told.exactly(place.block as u32, self.asked(place.group, value))?
            }
            (_, Some(home)) => match self.company(place.group, &home) {
                Company::Told(told) => told.exactly(place.block as u32, self.asked(place.group, value))?,
                Company::Unknown => return Some(self.share(place.group, value).reduced()),
                Company::None => home.exactly(place.block, value)?,
            },
            (_, None) => return Some(self.share(place.group, value).reduced()),
        };
        let num = u128::try_from(belief.numerator().clone()).ok()?;
        Some(Fraction::new(num, u128::try_from(belief.denominator().clone()).ok()?))
    }

    /// What theory says that no belief exceeds, where it says anything.
    pub fn bound(&self, class: Option<Class>) -> Option<f64> {
        let l = self.l?;
        match (&self.ground.known, class?) {
            (Known::Even, Class::QiOnly | Class::SaOnly) => Some(1.0 / l),
            // The theorem is about one cut.
            (Known::Worlds(worlds, _), Class::EvenSplit) if worlds.replays().all(|replay| replay.tests.len() <= 1) => {
                let is_concerned = |replay: &&Replay| {
                    let codes = replay.blocks.iter().flatten().map(|&row| self.column.codes()[row as usize]);
                    codes.into_iter().any(|code| self.values[code as usize].cared_for)
                };
                let larger = worlds.replays().filter(is_concerned).flat_map(larger_parts).filter(|&size| size > 1);
                larger.map(|size| (1.0 / (l - l / size as f64)).min(1.0)).reduce(f64::max)
            }
            (Known::Worlds(worlds, _), Class::Asymmetric) => {
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

/// Whether a belief is above a limit, if that can be told: by floats where they are clear. The
/// upper end of an interval may be above it by a `slight` part.
fn exceeds(belief: Estimate, slight: f64, limit: Limit, exactly: impl FnOnce() -> Option<RBig>) -> Option<bool> {
    let bound = limit.belief.to_f64();
    let unclear = UNCLEAR * bound;
    if belief.low > bound + unclear {
        return Some(true);
    }
    if belief.high < bound - unclear {
        return Some(false);
    }
    if belief.low < belief.high {
        return (belief.high <= bound * (1.0 + slight)).then_some(false);
    }
    let limit_exactly = RBig::from_parts(IBig::from(limit.belief.num), UBig::from(limit.belief.den));
    exactly().map(|belief| if limit.strict { belief >= limit_exactly } else { belief > limit_exactly })
}
