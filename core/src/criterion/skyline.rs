//! The privacy skyline: attackers who know a stated amount do not reach a stated confidence.
//!
//! **Promises** that whoever knows l values that a person does not have, the values of k others and
//! m members of the person's family believes in a sensitive value with less than c: for each listed
//! (l, k, m, c). **Threat**: whoever knows more than the release, whatever it is that she knows;
//! only how much is stated. **Definition**: 1/(NR + 1) < c at every point, NR the least of
//! `T(g,l,k)·V(g,m,k+1)`, `T(g,l,0)·V(f,m,k)` and `T(g,l,k)·V(f,m,0)` over all groups g, f (see
//! [`knowledge`](super::knowledge)). **Cost**: one pass over the values of a group; five lowest
//! values for each point and value. **Reference**: Chen, LeFevre and Ramakrishnan 2007.
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
    About, Bound, Budget, Build, Capabilities, Case, Context, Criterion, CrossGroup, Evidence, Holders, Knowledge,
    Least, Limit, Merging, On, PERSON, Promises, Properties, Reached, SEPARATOR, Scope, Subject, Symmetry, Verdict,
    WorstGroup,
};
use crate::candidate::{Counter, Histogram, Records};
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
            summary: "for sets and multisets: the column that says whose record it is",
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
    let people = People::new(context.records, column, case, several)?;
    let labels: Vec<String> = people.labels().to_vec();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut criterion = PrivacySkyline::new(context, &labels, case, Some(people))?;
    let people = criterion.people.as_mut().expect("just put there");
    let (subject, holders) = match people.whose.take() {
        None => (Subject::Columns(people.of_cells(column)), Holders::Cells),
        Some(whose) => (Subject::Rows(std::mem::take(&mut people.codes), people.domain()), Holders::Records(whose)),
    };
    Ok(Bound { subject, criterion: Arc::new(criterion), holders, goes_by: None })
}

/// How several values of a person are written, if people have several.
fn several<'a>(context: &Context<'a>, case: Case) -> Result<Option<Several<'a>>> {
    let (person, separator) = (context.params.text(PERSON), context.params.text(SEPARATOR));
    match (case, person, separator) {
        (Case::Single, "", "") => Ok(None),
        (Case::Single, ..) => Err(Error::plan("skyline: `person` and `separator` are for people with several values")
            .help("add case = \"set\" or \"multiset\", or leave them out")),
        (_, "", "") => Err(Error::plan("skyline: where are a person's several values?")
            .help("name the column that says whose record it is (person = \"…\"), or what stands between values in a cell (separator = \";\")")),
        (_, person, "") => match context.schema.find(person).map(|spec| spec.role) {
            None | Some(Role::Identifier) => Ok(Some(Several::Records(person))),
            Some(_) => Err(Error::plan(format!("skyline: \"{person}\" says whose record it is, and would be published"))
                .help("give it role = \"identifier\"")),
        },
        (_, "", separator) => Ok(Some(Several::Cell(separator))),
        _ => Err(Error::plan("skyline: values are in several records or in one cell, not both")
            .help("leave out `person` or `separator`")),
    }
}

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
    /// Whether there is one set for each value. Without a family the verdict needs only the lowest
    /// of all.
    by_value: bool,
    /// For values by code: whether it protects them.
    protects: Vec<bool>,
    /// For values by code: what V is at least and T is more than the odds over, where groups are
    /// decided one by one.
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

    /// Works out, from the table as one group, how groups that are decided one by one share the
    /// odds.
    fn share_out(&mut self, context: &Context<'_>) -> Result<()> {
        if !self.points.iter().any(|point| point.by_value) {
            return Ok(());
        }
        let mut counts = BTreeMap::new();
        let people = match &self.people {
            None => {
                let whole = context.counts()?;
                counts.extend((0u32..).zip(whole).filter(|entry| entry.1 > 0));
                context.records.len()
            }
            Some(people) => whole_of(people, context.records, &mut counts),
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
fn whole_of(people: &People, records: Records<'_>, counts: &mut BTreeMap<u32, u64>) -> u64 {
    let mut counter = Counter::new(people.domain());
    let codes = people.codes.iter().enumerate().map(|(row, &code)| (code, records.weight(row)));
    people.count(&counter.add(0, codes), counts)
}

/// The points that protect each value: those that name it; for all others that need protection
/// those without a name.
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

    /// Lowest values of no groups, of which the first three are about targets: T·V in one group;
    /// and, with a family elsewhere, T and V with the others known and without.
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
    /// With `T(g,l,k)·v > odds` and `V(g,m,k+1) ≥ v` in every group: `T(g,l,k)·V(g,m,k+1)`,
    /// `T(g,l,0)·V(f,m,k)` and `T(g,l,k)·V(f,m,0)` all exceed the odds, since more knowledge
    /// lessens T and V.
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

    /// How the odds are shared out for a value: as far below what the whole table has, in
    /// proportion, on either side.
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
    /// The five lowest values decide: all others congregate in the target's group or in the
    /// family's, and the family in one group (Theorems 1 and 2).
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

    /// # Claim
    /// With one value each, merging groups lowers no T and no V below the lowest of the parts, and
    /// T·V not below the lowest T·V of any two parts (Theorem 4 and its corollary). With several it
    /// may, and a release does not tell whose each record is.
    fn properties(&self) -> Properties {
        match self.case {
            Case::Single => Properties { least: self.least(), ..Properties::of(Merging::Monotone) },
            _ => Properties { scope: Scope::Original, ..Properties::of(Merging::MayViolate) },
        }
    }

    fn holds(&self, group: &Histogram<'_>) -> bool {
        self.look(group, |view| self.points.iter().all(|point| self.holds_at(point, view)))
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            cross_group: self.points.iter().any(|point| point.by_value).then_some(self),
            symmetry: Some(self),
            promises: Some(self),
            ..Capabilities::NONE
        }
    }
}

impl CrossGroup for PrivacySkyline {
    fn holds_among(&self, group: &Histogram<'_>) -> bool {
        let holds = |view: &View<'_>, (value, own): (u32, u64)| {
            self.points_of(value)
                .all(|point| point.holds_among(self.case, value, &view.shape(self.case, own, point.budget.l)))
        };
        self.look(group, |view| view.entries.iter().all(|&entry| holds(view, entry)))
    }
}

impl Symmetry for PrivacySkyline {
    /// # Claim
    /// Values with the same points are treated alike.
    fn interchangeable(&self, a: u32, b: u32) -> bool {
        a == b || self.people.is_none() && self.of_value[a as usize] == self.of_value[b as usize]
    }
}

impl Promises for PrivacySkyline {
    /// # Claim
    /// A point promises its confidence against an attacker who knows no more in any respect.
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
    /// What a group needs at least, with one value each.
    ///
    /// # Claim
    /// `T(g,l,k) > 0` needs a record besides those of σ, of l other values and of k others;
    /// `V(g,m,k+1) > 0` needs one besides those of σ, the target, k others and m − 1 relatives.
    fn least(&self) -> Least {
        let needs = |value: u32| {
            self.points_of(value).fold(Least::ANY, |needs, point| {
                let Budget { l, k, m } = point.budget;
                Least { size: needs.size.max(k + l.max(m) + 2), values: needs.values.max(l + 2) }
            })
        };
        let least = |a: Least, b: Least| Least { size: a.size.min(b.size), values: a.values.min(b.values) };
        (0..self.of_value.len() as u32).map(needs).reduce(least).unwrap_or(Least::ANY)
    }

    /// Takes in a group at one point.
    fn gather_at(&self, point: &At, group: usize, view: &View<'_>, minima: &mut Minima) {
        let most = view.most_frequent(point.budget.l);
        let (people, k) = (view.people as i64, point.budget.k as i64);
        let is_quick = self.is_quick(point, view);
        let protected = |entry: &&(u32, u64)| point.protects[entry.0 as usize];
        // Without a family the most frequent one is the lowest (see `holds_at`); of equals the
        // first.
        let decides = || view.entries.iter().filter(protected).max_by_key(|entry| (entry.1, u32::MAX - entry.0));
        let entries = if point.by_value { view.entries } else { decides().map_or(&[][..], std::slice::from_ref) };
        for entry in entries {
            let &(value, own) = entry;
            if !protected(&entry) {
                continue;
            }
            let rest = people - own as i64 - most.besides(own) as i64;
            let here = Leader { people, own: own as i64, rest, group };
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
    fn take_in(&self, point: &At, group: usize, view: &View<'_>, (value, own): (u32, u64), minima: &mut Minima) {
        let shape = view.shape(self.case, own, point.budget.l);
        let set = minima.entry(point.set(value), || point.minima(self.case));
        set.iter_mut().for_each(|minimum| minimum.offer(group, value, &shape));
    }

    /// Whether a group by itself keeps belief low enough at a point; mostly told by another that
    /// does and is no better.
    fn holds_beside(&self, point: &At, view: &View<'_>, minima: &mut Minima) -> bool {
        let Some(own) = self.deciding(point, view).filter(|_| self.is_quick(point, view)) else {
            return self.holds_at(point, view);
        };
        let people = view.people as i64;
        let rest = people - own as i64 - view.most_frequent(point.budget.l).besides(own) as i64;
        let here = Leader { people, own: own as i64, rest, group: usize::MAX };
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
    fn deciding(&self, point: &At, view: &View<'_>) -> Option<u64> {
        view.entries.iter().filter(|entry| point.protects[entry.0 as usize]).map(|entry| entry.1).max()
    }

    /// Whether groups can be compared by their counts alone.
    fn is_quick(&self, point: &At, view: &View<'_>) -> bool {
        self.case == Case::Single && view.people.max(point.budget.k) < 1 << 31
    }

    /// Whether a group by itself keeps belief low enough at a point.
    ///
    /// # Claim
    /// The most frequent value that a point protects decides. V falls with the occurrences. Let a
    /// occur no less than b. With one value each, b leaves no fewer records of other values for T.
    /// With sets, T of a over T of b is at most
    /// `(n − a − k)(n − b)·b / ((n − b − k)(n − a)·a) ≤ 1`, as a takes the place of b, or of
    /// somebody more frequent, among the others; with multisets, `q = (n−k−1)/(n−k) ≤ p = (n−1)/n`,
    /// it is at most `(q/p)^(a−b)·(1 − q^b)/(1 − q^a) ≤ 1`.
    fn holds_at(&self, point: &At, view: &View<'_>) -> bool {
        let holds = |own: u64| point.holds_alone(self.case, &view.shape(self.case, own, point.budget.l));
        self.deciding(point, view).is_none_or(holds)
    }

    /// The highest belief at a point, over the values that it protects, and the group of the
    /// target.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::Requirement;
    use crate::data::{Column, Schema, Table};
    use crate::kind::Raw;
    use proptest::prelude::*;
    use std::path::Path;

    const NAMES: [&str; 4] = ["a", "b", "c", "d"];

    /// A group: the values of each of its people.
    type People = Vec<Vec<usize>>;

    /// A point: l, k, m, the confidence as written, and the value that it names.
    type Named = (u64, u64, u64, &'static str, Option<usize>);

    fn written(case: Case, points: &[Named]) -> Vec<(&'static str, Raw)> {
        let point = |&(l, k, m, c, value): &Named| {
            let number = |name: &str, number: u64| (name.to_string(), Raw::Number(number.to_string()));
            let mut entries = vec![number("l", l), number("k", k), number("m", m), ("c".to_string(), Raw::from(c))];
            entries.extend(value.map(|value| ("value".to_string(), Raw::from(NAMES[value]))));
            Raw::Table(entries)
        };
        let separator = if case == Case::Single { "" } else { ";" };
        let points = Raw::List(points.iter().map(point).collect());
        vec![("points", points), ("case", Raw::from(case.name())), ("separator", Raw::from(separator))]
    }

    fn table_of(groups: &[People]) -> Table {
        let cell = |person: &Vec<usize>| person.iter().map(|&value| NAMES[value]).collect::<Vec<_>>().join(";");
        let people = groups.iter().enumerate().flat_map(|(at, group)| group.iter().map(move |person| (at, person)));
        let (ids, cells): (Vec<String>, Vec<String>) =
            people.map(|(at, person)| (at.to_string(), cell(person))).unzip();
        Table::new(vec![Column::from_values("group", &ids), Column::from_values("s", &cells)]).unwrap()
    }

    /// What a group tells about a value, if anybody there has it.
    fn shape(group: &People, value: usize) -> Option<Shape> {
        let count = |value: usize| group.iter().flatten().filter(|&&other| other == value).count();
        let mut others: Vec<u64> =
            (0..NAMES.len()).filter(|&other| other != value).map(|other| count(other) as u64).collect();
        others.sort_unstable_by(|a, b| b.cmp(a));
        let own = count(value) as u64;
        (own > 0).then(|| Shape { people: group.len() as u64, own, others: others.into() })
    }

    /// The least negated ratio over groups, or pairs of them, that have a value.
    fn ratio(case: Case, groups: &[People], (l, k, m): (u64, u64, u64), value: usize) -> Option<RBig> {
        let shapes: Vec<Shape> = groups.iter().filter_map(|group| shape(group, value)).collect();
        let target = |shape: &Shape, k: u64| Target { case, l, k }.exact(shape);
        let family = |shape: &Shape, k: u64| Family { case, m, k }.exact(shape);
        let pairs = shapes.iter().flat_map(|g| shapes.iter().map(move |f| (g, f)));
        let apart = pairs.flat_map(|(g, f)| [target(g, 0) * family(f, k), target(g, k) * family(f, 0)]);
        let together = shapes.iter().map(|g| target(g, k) * family(g, k + 1));
        together.chain(apart).min()
    }

    /// The values that a point is for.
    fn protected(points: &[Named], at: usize, sensitive: &[usize]) -> Vec<usize> {
        let named = |value: usize| points.iter().any(|point| point.4 == Some(value));
        match points[at].4 {
            Some(value) => vec![value],
            None => (0..NAMES.len()).filter(|value| !named(*value) && sensitive.contains(value)).collect(),
        }
    }

    fn is_above(ratio: &RBig, c: &str) -> bool {
        let c: crate::exact::Decimal = c.parse().unwrap();
        *ratio > RBig::from(odds(c.fraction()))
    }

    fn check(case: Case, groups: &[People], points: &[Named], sensitive: &[usize]) {
        let table = table_of(groups);
        let mut columns = Schema::of(&["group"], &["s"]).columns().to_vec();
        if case == Case::Single && sensitive.len() < NAMES.len() {
            columns[1].sensitive_values = sensitive.iter().map(|&value| NAMES[value].to_string()).collect();
        }
        let schema = Schema::new(columns);
        let wanted = Requirement::new("skyline", &written(case, points), &[], &schema).unwrap();
        let bound = wanted.bind(&table, &schema, Path::new(".")).unwrap();
        let codes = bound.codes(&table).unwrap().unwrap();
        let (codes, domain) = codes.as_coded();
        let (mut counter, mut evidence, mut start) = (Counter::new(domain), Evidence::none(), 0);
        let (mut violating, times) = (0, 3);
        for (at, group) in groups.iter().enumerate() {
            let histogram = counter.count(at, codes[start..start + group.len()].iter().copied());
            start += group.len();
            let alone = (0..points.len()).all(|point| {
                let (l, k, m, c, _) = points[point];
                protected(points, point, sensitive).into_iter().all(|value| {
                    // By itself: target, others and family are all here.
                    shape(group, value)
                        .is_none_or(|shape| is_above(&Together { case, budget: Budget::new(l, k, m) }.exact(&shape), c))
                })
            });
            assert_eq!(bound.criterion.holds(&histogram), alone, "{case:?} {groups:?} {points:?}, group {at}");
            violating += u64::from(!alone) * times;
            bound.criterion.gather(&mut evidence, &histogram, times);
        }
        let verdict = bound.criterion.verdict(&evidence);
        assert_eq!(verdict.violating.groups, violating, "{case:?} {groups:?} {points:?}");
        assert_eq!(verdict.holds, verdict.points.iter().all(|reached| reached.holds));
        for (at, &(l, k, m, c, _)) in points.iter().enumerate() {
            let of = |value: usize| ratio(case, groups, (l, k, m), value).map(|ratio| (ratio, value));
            let lowest = protected(points, at, sensitive).into_iter().filter_map(of).min();
            let reached = &verdict.points[at];
            let belief = lowest.as_ref().map_or(0.0, |(ratio, _)| 1.0 / (1.0 + ratio.to_f64().value()));
            assert!((reached.measured - belief).abs() < 1e-12, "{case:?} {groups:?} {points:?}: {belief} {reached:?}");
            let holds = lowest.as_ref().is_none_or(|(ratio, _)| is_above(ratio, c));
            assert_eq!(reached.holds, holds, "{case:?} {groups:?} {points:?} {reached:?}");
        }
    }

    fn bound(case: Case, table: &Table, points: &[Named]) -> Bound {
        let schema = Schema::of(&["group"], &["s"]);
        let wanted = Requirement::new("skyline", &written(case, points), &[], &schema).unwrap();
        wanted.bind(table, &schema, Path::new(".")).unwrap()
    }

    fn verdict_of(case: Case, groups: &[People], points: &[Named]) -> Verdict {
        let table = table_of(groups);
        let bound = bound(case, &table, points);
        let codes = bound.codes(&table).unwrap().unwrap();
        let (codes, domain) = codes.as_coded();
        let (mut counter, mut evidence, mut start) = (Counter::new(domain), Evidence::none(), 0);
        for (at, group) in groups.iter().enumerate() {
            let own = codes[start..start + group.len()].iter().copied();
            bound.criterion.gather(&mut evidence, &counter.count(at, own), 1);
            start += group.len();
        }
        bound.criterion.verdict(&evidence)
    }

    #[test]
    fn of_equals_the_first_value_and_the_smaller_group_stand_for_all() {
        let one_each = |values: &[usize]| values.iter().map(|&value| vec![value]).collect::<People>();
        let groups = [one_each(&[0, 1, 2, 3, 0, 1, 2, 3]), one_each(&[0, 0, 1, 1, 2, 3])];
        for m in [0, 1] {
            let found = verdict_of(Case::Single, &groups, &[(0, 1, m, "1", None)]);
            assert_eq!((found.points[0].value, found.worst.unwrap().group), (Some(0), 1), "{m}");
            assert!(verdict_of(Case::Set, &groups, &[(0, 1, m, "1", None)]).worst.is_none());
        }
    }

    #[test]
    fn values_that_no_record_has_change_nothing() {
        let some = [vec![vec![0], vec![1], vec![2], vec![0]]];
        let more = table_of(&[some[0].clone(), vec![vec![3]]]);
        let cut = more
            .columns()
            .iter()
            .map(|column| Column::new(column.name(), column.codes()[..4].to_vec(), column.domain().clone()));
        let (fresh, cut) = (table_of(&some), Table::new(cut.collect()).unwrap());
        let points = [(0, 1, 1, "0.9", None)];
        let histogram = [(0, 2), (1, 1), (2, 1)];
        let judged = [(&fresh, 3), (&cut, 4)].map(|(table, domain)| {
            let bound = bound(Case::Single, table, &points);
            let mut counter = Counter::new(domain);
            let group = counter.take(0, histogram.into_iter());
            (bound.criterion.holds(&group), bound.criterion.holds_among(&group))
        });
        assert_eq!(judged[0], judged[1]);
    }

    /// The first group has more of the value, the second fewer records besides it and the most
    /// frequent other one: neither stands for the other.
    #[test]
    fn groups_with_one_large_other_value_are_not_left_out() {
        let counts = |counts: &[(usize, usize)]| {
            counts.iter().flat_map(|&(value, count)| vec![vec![value]; count]).collect::<People>()
        };
        let groups = [counts(&[(0, 4), (1, 2), (2, 2), (3, 2)]), counts(&[(0, 1), (1, 9)])];
        for m in [0, 1] {
            check(Case::Single, &groups, &[(1, 0, m, "0.9", Some(0))], &[0, 1, 2, 3]);
        }
    }

    /// A value that is the most frequent one of no group can be the one that is believed in most:
    /// here b, of which one group tells much about the target, and the other about the family.
    #[test]
    fn less_frequent_values_can_decide() {
        let many = |counts: &[(&'static str, usize)]| {
            counts.iter().flat_map(|&(value, count)| vec![value.to_string(); count]).collect::<Vec<String>>()
        };
        let target = many(&[("a", 10), ("b", 10), ("x", 10), ("y", 10)]);
        let mut family = many(&[("b", 30), ("c", 31)]);
        family.extend((0..39).map(|single| format!("single {single}")));
        let groups: Vec<Vec<&str>> = [&target, &family].map(|group| group.iter().map(String::as_str).collect()).into();
        let groups: Vec<&[&str]> = groups.iter().map(Vec::as_slice).collect();
        let found = |c: &'static str, groups: &[&[&str]]| {
            super::super::testing::verdict("skyline", &written(Case::Single, &[(2, 0, 2, c, None)]), groups)
        };
        // T of the first is (40 − 10 − 20)/10, V of the second 70·69/(100·99).
        let measured = found("0.9", &groups).measured.unwrap();
        assert!((measured - 1.0 / (1.0 + 70.0 * 69.0 / 9900.0)).abs() < 1e-12, "{measured}");
        assert!(
            found("0.66", &groups[..1]).holds && found("0.66", &groups[1..]).holds && !found("0.66", &groups).holds
        );
    }

    #[test]
    fn targets_and_families_apart_are_decided_exactly() {
        let shape = |people: u64| Shape { people, own: 1, others: SmallVec::new() };
        let holds = |c: (u128, u128), people: [u64; 5]| {
            let point = At { budget: Budget::new(0, 1, 1), ..at(c, 1, Fraction::ONE) };
            let mut set = point.minima(Case::Single);
            set.iter_mut().zip(people).for_each(|(minimum, people)| minimum.offer(0, 0, &shape(people)));
            point.reached(&set).unwrap().1
        };
        // Together; T without and with k; V without and with k. T(3, 0)·V(3, 1) is 2 · ½, T(4,
        // 1)·V(2, 0) too.
        for people in [[100, 3, 100, 100, 3], [100, 100, 4, 2, 100]] {
            assert!(!holds((1, 2), people) && holds((500_001, 1_000_000), people), "{people:?}");
        }
    }

    #[test]
    fn groups_are_joined_by_families_alone() {
        let table = table_of(&[vec![vec![0, 1], vec![1], vec![2]]]);
        for (m, joins) in [(0, false), (1, true)] {
            assert_eq!(bound(Case::Set, &table, &[(1, 1, m, "1", None)]).criterion.is_cross_group(), joins);
        }
        // Somebody with two values is not somebody with one.
        let criterion = bound(Case::Set, &table, &[(1, 1, 0, "1", None)]).criterion;
        assert!(criterion.interchangeable(1, 1) && !criterion.interchangeable(1, 2));
    }

    /// A point with what groups are decided by beside others.
    fn at(c: (u128, u128), m: u64, floor: Fraction) -> At {
        let c = Fraction::new(c.0, c.1);
        At {
            number: 0,
            budget: Budget::new(0, 0, m),
            c,
            odds: odds(c),
            first_set: 0,
            by_value: m > 0,
            protects: vec![true],
            floors: vec![Floor::At(floor)],
        }
    }

    #[test]
    fn groups_are_decided_beside_others_exactly() {
        let shape = |people: u64, own: u64| Shape { people, own, others: SmallVec::new() };
        let half = Fraction::new(1, 2);
        let hardly_more = Fraction::new((1 << 60) + 1, 1 << 61);
        let holds = |c, floor, people, own| at(c, 1, floor).holds_among(Case::Single, 0, &shape(people, own));
        // V(g, 1, 1) is 1/2 with one of three people.
        assert!(holds((999, 1000), half, 3, 1) && !holds((999, 1000), hardly_more, 3, 1));
        // T(g, 0, 0) is 2, and 2 · ½ is at the odds of one to one.
        assert!(!holds((1, 2), half, 3, 1) && holds((501, 1000), half, 3, 1) && !holds((499, 1000), half, 3, 1));
        // Millions of people, one more than the odds call for.
        let many =
            |rest: u64| at((2, 3), 0, Fraction::ONE).holds_alone(Case::Single, &shape(20_000_000 + rest, 20_000_000));
        assert!(many(10_000_001) && !many(10_000_000));
    }

    #[test]
    fn odds_are_shared_out_evenly() {
        for case in [Case::Single, Case::Set] {
            let table = table_of(&[(0..40).map(|person| vec![person % 4]).collect()]);
            let (l, k, m) = (1, 2, 2);
            let schema = Schema::of(&["group"], &["s"]);
            let wanted = Requirement::new("skyline", &written(case, &[(l, k, m, "0.9", None)]), &[], &schema).unwrap();
            let on = ["s".to_string()];
            let context = Context {
                records: (&table).into(),
                schema: &schema,
                params: &wanted.criterion.params,
                on: &on,
                folder: Path::new("."),
            };
            let people = (case == Case::Set)
                .then(|| super::People::new(&table, table.column("s").unwrap(), case, Several::Cell(";")).unwrap());
            let skyline = PrivacySkyline::new(&context, &NAMES, case, people).unwrap();
            let shape = Shape { people: 40, own: 10, others: [10].into_iter().collect() };
            let target = Target { case, l, k }.float(&shape);
            let family = Family { case, m, k: k + 1 }.float(&shape);
            for floor in &skyline.points[0].floors {
                let Floor::At(floor) = floor else { panic!("there are odds") };
                let (to_target, to_family) = (target * floor.to_f64() * 9.0, family / floor.to_f64());
                assert!((to_target / to_family - 1.0).abs() < 1e-9, "{case:?}: {to_target} {to_family}");
            }
        }
    }

    fn people() -> impl Strategy<Value = Vec<People>> {
        let person = proptest::sample::subsequence(vec![0usize, 1, 2, 3], 1..4);
        proptest::collection::vec(proptest::collection::vec(person, 1..9), 1..5)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        /// What is found with leaders, floats and five lowest values is what all groups and pairs
        /// of groups tell in rationals, in every case.
        #[test]
        fn nothing_is_missed(
            groups in people(),
            points in proptest::collection::vec((0u64..3, 0u64..4, 0u64..3, prop_oneof![Just("1"), Just("0.9"), Just("0.75"), Just("0.5"), Just("0.6")]), 1..3),
            sensitive in proptest::sample::subsequence(vec![0usize, 1, 2, 3], 1..5),
            twice: bool,
        ) {
            let occurs = |value: usize, case: Case| groups.iter().flatten().any(|person| match case {
                Case::Single => person[0] == value,
                _ => person.contains(&value),
            });
            for case in Case::ALL {
                let mut groups = groups.clone();
                for person in groups.iter_mut().flatten() {
                    match case {
                        Case::Single => person.truncate(1),
                        Case::Set => (),
                        Case::Multiset if twice => person.push(person[0]),
                        Case::Multiset => (),
                    }
                }
                let all: Vec<usize> = (0..NAMES.len()).filter(|&value| occurs(value, case)).collect();
                let chosen: Vec<usize> = sensitive.iter().copied().filter(|value| all.contains(value)).collect();
                let chosen = if case == Case::Single && !chosen.is_empty() { chosen } else { all.clone() };
                // The second point names a value.
                let named = |at: usize| (at == 1).then_some(all[0]);
                let points: Vec<Named> = points.iter().enumerate().map(|(at, &(l, k, m, c))| (l, k, m, c, named(at))).collect();
                check(case, &groups, &points, &chosen);
            }
        }
    }
}
