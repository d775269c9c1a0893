//! The privacy skyline: attackers who know a stated amount do not reach a stated confidence.
//!
//! **Promises** that whoever knows l values that a person does not have, the values of k others and m members of the person's family believes in a sensitive value with less than c: for each listed (l, k, m, c).
//! **Threat**: whoever knows more than the release, whatever it is that she knows; only how much is stated.
//! **Definition**: 1/(NR + 1) < c at every point, NR the least of `T(g,l,k)·V(g,m,k+1)`, `T(g,l,0)·V(f,m,k)` and `T(g,l,k)·V(f,m,0)` over all groups g, f (see [`knowledge`](super::knowledge)).
//! **Cost**: one pass over the values of a group; five lowest values for each point and value.
//! **Reference**: Chen, LeFevre and Ramakrishnan 2007.
//!
//! ```
//! let verdict = sfumato::example("skyline", &[("points", "[{ l = 0, k = 1, m = 0, c = \"1\" }]")])?;
//! assert!(!verdict.holds); // one of two who are alike but for the disease is known: then so is the other
//! assert_eq!(verdict.points[0].measured, 1.0);
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::knowledge::{Family, Shape, Target, Together, odds};
use super::minima::{Leader, Low, Minima, Minimum, Quantity, exceeds, is_clear, product};
use super::people::{People, Several, View, look_at};
use super::{
    About, Bound, Budget, Build, Case, Context, Criterion, Evidence, Holders, Knowledge, Least, Limit, On, PERSON,
    Reached, SEPARATOR, Scope, Subject, Verdict, WorstGroup,
};
use crate::candidate::{Counter, Histogram};
use crate::data::Role;
use crate::error::{Error, Result};
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Point, Shape as Written};
use dashu_ratio::RBig;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The description of the skyline criterion.
pub const KIND: Kind<Build> = Kind {
    name: "skyline",
    summary: "Attackers who know l things about a person, k others and m of the family stay below a confidence",
    reference: "Chen, LeFevre and Ramakrishnan 2007",
    params: &[
        Param {
            name: "points",
            summary: "what may be known, and the confidence that it must not lead to; a point without a value is for all that no point names",
            shape: Written::Points,
            default: None,
        },
        Param {
            name: "case",
            summary: "how many sensitive values a person has: one, a set, or a multiset",
            shape: Written::Choice(&Case::NAMES),
            default: Some("svpi"),
        },
        Param {
            name: PERSON,
            summary: "for sets and multisets: the column that tells whose record it is",
            shape: Written::Text,
            default: Some(""),
        },
        Param {
            name: SEPARATOR,
            summary: "for sets and multisets in one cell: what stands between values",
            shape: Written::Text,
            default: Some(""),
        },
    ],
    example: &[("points", "[{ l = 1, k = 1, m = 1, c = \"0.9\" }]")],
    build: Build { on: On::Column, bind },
};

fn bind(context: &Context<'_>) -> Result<Bound> {
    let case = Case::find(context.params.choice("case")).expect("one of the choices");
    let column = context.column()?;
    let Some(several) = several(context, case)? else {
        let labels: Vec<&str> = column.domain().labels().iter().collect();
        let criterion = PrivacySkyline::new(context, &labels, Case::Single, None)?;
        return Bound::on_column(context, Box::new(criterion));
    };
    let people = People::new(context.table, column, case, several)?;
    let labels: Vec<String> = people.labels().to_vec();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut criterion = PrivacySkyline::new(context, &labels, case, Some(people))?;
    let people = criterion.people.as_mut().expect("just put there");
    let subject = Subject::Made(std::mem::take(&mut people.codes), people.domain());
    let holders = people.whose.take().map_or(Holders::Cells, Holders::Records);
    Ok(Bound { subject, criterion: Box::new(criterion), holders })
}

/// How several values of a person are written, if people have several.
fn several<'a>(context: &Context<'a>, case: Case) -> Result<Option<Several<'a>>> {
    let (person, separator) = (context.params.text(PERSON), context.params.text(SEPARATOR));
    match (case, person, separator) {
        (Case::Single, "", "") => Ok(None),
        (Case::Single, ..) => Err(Error::plan("skyline: `person` and `separator` are for people with several values")
            .help("add case = \"set\" or \"multiset\", or leave them out")),
        (_, "", "") => Err(Error::plan("skyline: where are a person's several values?")
            .help("name the column that tells whose record it is (person = \"…\"), or what stands between values in a cell (separator = \";\")")),
        (_, person, "") => match context.schema.find(person).map(|spec| spec.role) {
            None | Some(Role::Identifier) => Ok(Some(Several::Records(person))),
            Some(_) => Err(Error::plan(format!("skyline: \"{person}\" tells whose record it is, and would be published"))
                .help("give it role = \"identifier\"")),
        },
        (_, "", separator) => Ok(Some(Several::Cell(separator))),
        _ => Err(Error::plan("skyline: values are in several records or in one cell, not both")
            .help("leave out `person` or `separator`")),
    }
}

/// How many lowest values of a set are about targets.
const TARGETS: usize = 3;

/// One point, bound to values.
struct At {
    /// Its place in the plan's list.
    number: usize,
    budget: Budget,
    /// The confidence.
    c: Fraction,
    /// What the negated ratio must exceed: (1 − c)/c.
    odds: Fraction,
    /// Where its sets of lowest values start.
    first_set: usize,
    /// Whether there is one set for each value. Without a family the verdict needs only the lowest of all.
    by_value: bool,
    /// For values by code: whether it protects them.
    protects: Vec<bool>,
    /// For values by code: what V is at least and T is more than the odds over, where groups are decided one by one.
    floors: Vec<Floor>,
}

/// How odds are shared out between what groups may tell about targets and about families.
#[derive(Clone, Copy)]
enum Floor {
    /// V must be at least this.
    At(Fraction),
    /// V must not be zero.
    AboveZero,
}

struct PrivacySkyline {
    case: Case,
    points: Vec<At>,
    /// The points that protect each value.
    of_value: Vec<SmallVec<[u32; 2]>>,
    sets: usize,
    people: Option<People>,
}

impl PrivacySkyline {
    fn new(context: &Context<'_>, labels: &[&str], case: Case, people: Option<People>) -> Result<PrivacySkyline> {
        let written = context.params.points("points");
        let cared_for = match people {
            None => context.cared_for()?,
            Some(_) => vec![true; labels.len()],
        };
        let of_value = points_of_values(written, labels, &cared_for)?;
        let mut sets = 0;
        let points = written.iter().enumerate().map(|(number, point)| {
            let by_value = point.m > 0;
            let first_set = sets;
            sets += if by_value { labels.len() } else { 1 };
            let c = point.c.fraction();
            let budget = Budget::new(point.l, point.k, point.m);
            let protects = of_value.iter().map(|points| points.contains(&(number as u32))).collect();
            At { number, budget, c, odds: odds(c), first_set, by_value, protects, floors: Vec::new() }
        });
        let points: Vec<At> = points.collect();
        let mut skyline = PrivacySkyline { case, points, of_value, sets, people };
        skyline.share_out(context)?;
        Ok(skyline)
    }

    /// Works out, from the table as one group, how groups that are decided one by one share the odds.
    fn share_out(&mut self, context: &Context<'_>) -> Result<()> {
        if !self.points.iter().any(|point| point.by_value) {
            return Ok(());
        }
        let mut counts = BTreeMap::new();
        let size = context.table.rows();
        let people = match &self.people {
            None => {
                let whole = context.column()?.counts();
                counts
                    .extend((0u32..).zip(whole).filter(|entry| entry.1 > 0).map(|(code, count)| (code, count as u32)));
                size as u64
            }
            Some(people) => whole_of(people, &mut counts),
        };
        look_at(people, &counts, |view| {
            for point in self.points.iter_mut().filter(|point| point.by_value) {
                let floors = (0..self.of_value.len() as u32).map(|value| point.floor(self.case, view, value));
                point.floors = floors.collect();
            }
        });
        Ok(())
    }

    /// Looks at a group: its people, and how often each value occurs.
    fn look<T>(&self, group: &Histogram<'_>, look: impl FnOnce(&View<'_>) -> T) -> T {
        let Some(people) = &self.people else {
            return look(&View { people: group.size(), entries: group.entries(), descending: group.descending() });
        };
        let mut counts = BTreeMap::new();
        let found = people.count(group, &mut counts);
        look_at(found, &counts, look)
    }

    /// The points that protect a value.
    fn points_of(&self, value: u32) -> impl Iterator<Item = &At> {
        self.of_value[value as usize].iter().map(|&point| &self.points[point as usize])
    }
}

/// The whole table as one group.
fn whole_of(people: &People, counts: &mut BTreeMap<u32, u32>) -> u64 {
    let mut counter = Counter::new(people.domain());
    people.count(&counter.count(0, people.codes.iter().copied()), counts)
}

/// The points that protect each value: those that name it; for all others that need protection those without a name.
fn points_of_values(written: &[Point], labels: &[&str], cared_for: &[bool]) -> Result<Vec<SmallVec<[u32; 2]>>> {
    let code_of: BTreeMap<&str, usize> = labels.iter().enumerate().map(|(code, label)| (*label, code)).collect();
    let mut of_value: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); labels.len()];
    for (at, point) in (0u32..).zip(written) {
        let Some(value) = &point.value else { continue };
        let code = code_of.get(value.as_str()).ok_or_else(|| {
            Error::plan(format!("skyline: no record has the value of point {}", at + 1))
                .help("correct its spelling, or leave the point out: a value that does not occur needs no protection")
        })?;
        of_value[*code].push(at);
    }
    let for_others: SmallVec<[u32; 2]> =
        (0u32..).zip(written).filter(|(_, point)| point.value.is_none()).map(|(at, _)| at).collect();
    for (own, cared_for) in of_value.iter_mut().zip(cared_for) {
        if own.is_empty() && *cared_for {
            own.clone_from(&for_others);
        }
    }
    Ok(of_value)
}

impl At {
    /// The set of lowest values of a value.
    fn set(&self, value: u32) -> usize {
        self.first_set + if self.by_value { value as usize } else { 0 }
    }

    /// Lowest values of no groups, of which the first [`TARGETS`] are about targets: T·V in one group; and, with a family elsewhere, T and V with the others known and without.
    fn minima(&self, case: Case) -> Box<[Minimum]> {
        let Budget { l, k, m } = self.budget;
        let minimum = |quantity: Arc<dyn Quantity>| Minimum::new(quantity, 1);
        let together = minimum(Arc::new(Together { case, budget: self.budget }));
        if !self.by_value {
            return Box::new([together]);
        }
        Box::new([
            together,
            minimum(Arc::new(Target { case, l, k: 0 })),
            minimum(Arc::new(Target { case, l, k })),
            minimum(Arc::new(Family { case, m, k: 0 })),
            minimum(Arc::new(Family { case, m, k })),
        ])
    }

    /// Whether a number exceeds the odds.
    fn is_exceeded(&self, float: f64, exact: impl FnOnce() -> RBig) -> bool {
        float > 0.0 && exceeds(float, self.odds, exact)
    }

    /// Whether a group by itself keeps belief in a value low enough.
    fn holds_alone(&self, case: Case, shape: &Shape) -> bool {
        let Budget { l, k, .. } = self.budget;
        let target = Target { case, l, k }.float(shape);
        // The family's part is at most one.
        if target == 0.0 || target < self.odds.to_f64() * (1.0 - 1e-6) {
            return false;
        }
        let together = Together { case, budget: self.budget };
        self.is_exceeded(together.float(shape), || together.exact(shape))
    }

    /// Whether a group does so beside any others that say the same.
    ///
    /// # Claim
    /// With `T(g,l,k)·v > odds` and `V(g,m,k+1) ≥ v` in every group: `T(g,l,k)·V(g,m,k+1)`, `T(g,l,0)·V(f,m,k)` and `T(g,l,k)·V(f,m,0)` all exceed the odds, since more knowledge lessens T and V.
    fn holds_among(&self, case: Case, value: u32, shape: &Shape) -> bool {
        let Budget { l, k, m } = self.budget;
        let (target, family) = (Target { case, l, k }, Family { case, m, k: k + 1 });
        if !self.by_value {
            return self.holds_alone(case, shape);
        }
        match self.floors[value as usize] {
            Floor::AboveZero => self.holds_alone(case, shape),
            Floor::At(least) => {
                let floor = least.to_f64();
                let is_above = |float: f64| {
                    if is_clear(float, floor) { float > floor } else { family.exact(shape) >= RBig::from(least) }
                };
                is_above(family.float(shape))
                    && self.is_exceeded(target.float(shape) * floor, || target.exact(shape) * RBig::from(least))
            }
        }
    }

    /// How the odds are shared out for a value: as far below what the whole table has, in proportion, on either side.
    fn floor(&self, case: Case, whole: &View<'_>, value: u32) -> Floor {
        if self.odds.num == 0 {
            return Floor::AboveZero;
        }
        let Some((_, own)) = whole.entries.iter().find(|entry| entry.0 == value) else {
            return Floor::At(Fraction::ONE);
        };
        let Budget { l, k, m } = self.budget;
        let shape = whole.shape(case, *own, l);
        let target = Target { case, l, k }.float(&shape);
        let family = Family { case, m, k: k + 1 }.float(&shape);
        let slack = (target * family / self.odds.to_f64()).max(1.0).sqrt();
        let floor = Fraction::nearest((family / slack).clamp(0.0, 1.0));
        Floor::At(if floor.num == 0 { Fraction::ONE } else { floor })
    }

    /// The highest belief of a set, whether it is low enough, and the target's group.
    fn reached<'s>(&self, set: &'s [Minimum]) -> Option<(f64, bool, &'s Low)> {
        let floats: SmallVec<[f64; 5]> =
            set.iter().map(|one| one.lowest().map(|low| low.float)).collect::<Option<_>>()?;
        let exact = |at: usize| set[at].exact().expect("there is a lowest");
        let (float, target) = match *floats {
            [together] => (together, 0),
            [together, t0, tk, v0, vk] => {
                let ways = [(together, 0), (product(t0, vk), 1), (product(tk, v0), 2)];
                ways.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are three")
            }
            _ => unreachable!("a set has one or five"),
        };
        let holds = self.is_exceeded(float, || match floats.len() {
            1 => exact(0),
            _ => exact(0).min(exact(1) * exact(4)).min(exact(2) * exact(3)),
        });
        Some((1.0 / (1.0 + float), holds, set[target].lowest()?))
    }
}

impl Criterion for PrivacySkyline {
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let mut evidence = Evidence::none();
        self.gather(&mut evidence, group, 1);
        evidence
    }

    /// # Claim
    /// The five lowest values decide: all others congregate in the target's group or in the family's, and the family in one group (Theorems 1 and 2).
    fn gather(&self, so_far: &mut Evidence, group: &Histogram<'_>, times: u64) {
        let mut minima = so_far.take_minima(self.sets + self.points.len());
        let holds = self.look(group, |view| {
            self.points.iter().for_each(|point| self.gather_at(point, group.group(), view, &mut minima));
            self.points.iter().all(|point| self.holds_beside(point, view, &mut minima))
        });
        // The verdict reads the lowest values, and how much violates it.
        so_far.note(group, holds, times);
        so_far.put_minima(minima);
    }

    fn verdict(&self, evidence: &Evidence) -> Verdict {
        let points: Vec<(Reached, Option<WorstGroup>)> =
            self.points.iter().map(|point| self.reach(point, evidence.minima())).collect();
        let strain = |reached: &Reached| reached.measured / self.points[reached.point].c.to_f64();
        let deciding = points.iter().max_by(|(a, _), (b, _)| {
            b.holds.cmp(&a.holds).then(strain(a).total_cmp(&strain(b))).then(b.point.cmp(&a.point))
        });
        let (measured, worst) = deciding.map_or((None, None), |(reached, worst)| (Some(reached.measured), *worst));
        let points: Vec<Reached> = points.into_iter().map(|(reached, _)| reached).collect();
        let holds = points.iter().all(|reached| reached.holds);
        Verdict { holds, measured, worst, points, ..Verdict::of(evidence) }
    }

    fn holds(&self, group: &Histogram<'_>) -> bool {
        self.look(group, |view| self.points.iter().all(|point| self.holds_at(point, view)))
    }

    fn joins_groups(&self) -> bool {
        self.points.iter().any(|point| point.by_value)
    }

    fn holds_among(&self, group: &Histogram<'_>) -> bool {
        let holds = |view: &View<'_>, (value, own): (u32, u32)| {
            self.points_of(value)
                .all(|point| point.holds_among(self.case, value, &view.shape(self.case, own, point.budget.l)))
        };
        self.look(group, |view| view.entries.iter().all(|&entry| holds(view, entry)))
    }

    /// # Claim
    /// With one value each, merging groups lowers no T and no V below the lowest of the parts, and T·V not below the lowest T·V of any two parts (Theorem 4 and its corollary). With several it may.
    fn is_monotone(&self) -> bool {
        self.case == Case::Single
    }

    /// # Claim
    /// With one value each, `T(g,l,k) > 0` needs a record besides those of σ, of l other values and of k others; `V(g,m,k+1) > 0` needs one besides those of σ, the target, k others and m − 1 relatives.
    fn least(&self) -> Least {
        let needs = |value: u32| {
            self.points_of(value).fold(Least { size: 1, values: 1 }, |needs, point| {
                let Budget { l, k, m } = point.budget;
                Least { size: needs.size.max(k + l.max(m) + 2), values: needs.values.max(l + 2) }
            })
        };
        let all = (0..self.of_value.len() as u32).map(needs);
        let least = |a: Least, b: Least| Least { size: a.size.min(b.size), values: a.values.min(b.values) };
        match self.case {
            Case::Single => all.reduce(least).unwrap_or(Least { size: 1, values: 1 }),
            _ => Least { size: 1, values: 1 },
        }
    }

    /// # Claim
    /// Values with the same points are treated alike.
    fn alike(&self, a: u32, b: u32) -> bool {
        a == b || self.people.is_none() && self.of_value[a as usize] == self.of_value[b as usize]
    }

    /// Where people have several records, a release does not tell whose each is.
    fn scope(&self) -> Scope {
        if self.case == Case::Single { Scope::Groups } else { Scope::Original }
    }

    /// # Claim
    /// A point promises its confidence to whoever knows no more in any respect.
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        let (About::Value(value), Case::Single) = (about, self.case) else { return None };
        let known = match knowledge {
            Knowledge::Nothing => Budget::default(),
            Knowledge::Eliminated(l) => Budget::new(l, 0, 0),
            Knowledge::Budget(budget) => budget,
            Knowledge::Distribution => return None,
        };
        let covering = self.points_of(value).filter(|point| point.budget.covers(known));
        covering.map(|point| point.c).min().map(|belief| Limit { belief, strict: true })
    }
}

impl PrivacySkyline {
    /// Takes in a group at one point.
    fn gather_at(&self, point: &At, group: usize, view: &View<'_>, minima: &mut Minima) {
        let most = view.most_frequent(point.budget.l);
        let (people, k) = (view.people as i64, point.budget.k as i64);
        let is_quick = self.is_quick(point, view);
        let protected = |entry: &&(u32, u32)| point.protects[entry.0 as usize];
        // With one value each and no family, the most frequent one is the lowest; of equals the first.
        let decides = || view.entries.iter().filter(protected).max_by_key(|entry| (entry.1, u32::MAX - entry.0));
        let entries = match self.case == Case::Single && !point.by_value {
            true => decides().map_or(&[][..], std::slice::from_ref),
            false => view.entries,
        };
        for entry in entries {
            let &(value, own) = entry;
            if !protected(&entry) {
                continue;
            }
            let rest = people - i64::from(own) - most.besides(own) as i64;
            let here = Leader { people, own: own.into(), rest, group };
            // Almost always.
            if is_quick && minima.leader(point.set(value)).is_ahead_of(&here, k) {
                continue;
            }
            self.take_in(point, group, view, *entry, minima);
            let leader = minima.leader(point.set(value));
            if (here.own, -here.rest) > (leader.own, -leader.rest) {
                *leader = here;
            }
        }
    }

    /// Takes in what a group tells about a value.
    #[inline(never)]
    fn take_in(&self, point: &At, group: usize, view: &View<'_>, (value, own): (u32, u32), minima: &mut Minima) {
        let shape = view.shape(self.case, own, point.budget.l);
        let set = minima.entry(point.set(value), || point.minima(self.case));
        let (with_target, family) = set.split_at_mut(TARGETS.min(set.len()));
        with_target.iter_mut().for_each(|minimum| minimum.offer(group, value, &shape));
        // Of no other value; groups that differ in those alone are equals.
        let shape = Shape { others: SmallVec::new(), ..shape };
        family.iter_mut().for_each(|minimum| minimum.offer(group, value, &shape));
    }

    /// Whether a group by itself keeps belief low enough at a point; mostly told by another that does and is no better.
    fn holds_beside(&self, point: &At, view: &View<'_>, minima: &mut Minima) -> bool {
        let Some(own) = self.deciding(point, view).filter(|_| self.is_quick(point, view)) else {
            return self.holds_at(point, view);
        };
        let people = view.people as i64;
        let rest = people - i64::from(own) - view.most_frequent(point.budget.l).besides(own) as i64;
        let here = Leader { people, own: own.into(), rest, group: usize::MAX };
        if here.rest <= point.budget.k as i64 {
            // T is zero.
            return false;
        }
        let known = minima.leader(self.sets + point.number);
        if known.is_ahead_of(&here, point.budget.k as i64) {
            return true;
        }
        let holds = self.holds_at(point, view);
        if holds && (here.own, -here.rest) > (known.own, -known.rest) {
            *known = Leader { group: 0, ..here };
        }
        holds
    }

    /// How often the most frequent value occurs that a point protects.
    fn deciding(&self, point: &At, view: &View<'_>) -> Option<u32> {
        view.entries.iter().filter(|entry| point.protects[entry.0 as usize]).map(|entry| entry.1).max()
    }

    /// Whether groups can be compared by their counts alone.
    fn is_quick(&self, point: &At, view: &View<'_>) -> bool {
        self.case == Case::Single && view.people.max(point.budget.k) < 1 << 31
    }

    /// Whether a group by itself keeps belief low enough at a point.
    ///
    /// # Claim
    /// With one value each the most frequent value that a point protects decides: a less frequent one leaves no fewer records of other values, and its T and V are no lower.
    fn holds_at(&self, point: &At, view: &View<'_>) -> bool {
        let holds = |own: u32| point.holds_alone(self.case, &view.shape(self.case, own, point.budget.l));
        match self.case {
            Case::Single => self.deciding(point, view).is_none_or(holds),
            _ => view.entries.iter().all(|entry| !point.protects[entry.0 as usize] || holds(entry.1)),
        }
    }

    /// The highest belief at a point, over the values that it protects, and the group of the target.
    fn reach(&self, point: &At, minima: &Minima) -> (Reached, Option<WorstGroup>) {
        let values = if point.by_value { self.of_value.len() } else { 1 };
        let mut found = Reached { point: point.number, measured: 0.0, holds: true, value: None };
        let mut worst = None;
        for set in (point.first_set..).take(values).filter_map(|set| minima.get(set)) {
            let Some((belief, holds, target)) = point.reached(set) else { continue };
            found.holds &= holds;
            if belief > found.measured {
                found.measured = belief;
                found.value = Some(target.value);
                let holds = point.holds_alone(self.case, &target.shape);
                // With several values per person, people are not records.
                let group = WorstGroup { holds, size: target.shape.people, group: target.group };
                worst = Some(group).filter(|_| self.case == Case::Single);
            }
        }
        (found, worst)
    }
}
