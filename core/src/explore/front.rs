//! The few groups that can be worst for some knowledge, and what they come to together.

use super::scan::GroupShape;
use crate::criterion::knowledge::{Family, Shape, Target};
use crate::criterion::minima::{Quantity, exceeds, is_clear};
use crate::criterion::{Budget, Case};
use crate::exact::Fraction;
use dashu_ratio::RBig;
use smallvec::smallvec;
use std::ops::Range;

/// Whom the others are with that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Company {
    /// In the target's group.
    Target,
    /// In the group of the target's relatives.
    Family,
}

/// The highest belief that a budget leads to, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breach {
    /// The budget.
    pub budget: Budget,
    /// The belief.
    pub belief: f64,
    /// The number of the target's group.
    pub target: usize,
    /// The number of the relatives' group; nothing where no relative is known.
    pub family: Option<usize>,
    /// Whom the others are with.
    pub company: Company,
}

/// A group, with what its `l` most frequent other values come to.
#[derive(Clone, Debug)]
struct Member<'a> {
    seen: &'a GroupShape,
    /// The group with those values as one, where only their sum matters.
    shape: Shape,
    /// Their part of T where they matter one by one: Π (n − s)/n.
    product: f64,
}

/// What is lowest over groups.
#[derive(Clone, Copy)]
enum Part {
    /// T(g, l, k).
    Target { k: u64 },
    /// V(g, m, k).
    Family { m: u64, k: u64 },
    /// T(g, l, k)·V(g, m, k + 1).
    Together { k: u64, m: u64 },
}

/// All groups, ready for one l after another.
#[derive(Clone)]
pub(super) struct Members<'a> {
    case: Case,
    l: u64,
    all: Vec<Member<'a>>,
}

impl<'a> Members<'a> {
    /// Of groups, of which there is at least one, for l = 0.
    pub fn new(case: Case, seen: &'a [GroupShape]) -> Members<'a> {
        let mut all: Vec<Member<'a>> = seen.iter().map(Member::new).collect();
        // Those with a large share of the value first: they leave out most others.
        all.sort_by(|a, b| {
            let share = |a: &Member<'_>, b: &Member<'_>| u128::from(a.shape.own) * u128::from(b.shape.people);
            share(b, a).cmp(&share(a, b)).then(a.seen.first.cmp(&b.seen.first))
        });
        Members { case, l: 0, all }
    }

    /// The same for an l that is not smaller.
    pub fn at(mut self, l: u64) -> Members<'a> {
        let more = self.l..l;
        self.all.iter_mut().for_each(|member| member.eliminate(more.clone(), self.case));
        Members { l, ..self }
    }

    /// Those that can be worst.
    pub fn front(&self) -> Front<'a> {
        let (case, l) = (self.case, self.l);
        let front = |leads: &dyn Fn(&Member<'a>, &Member<'a>) -> bool| {
            let mut front: Vec<Member<'a>> = Vec::new();
            for member in &self.all {
                if !front.iter().any(|leader| leads(leader, member)) {
                    front.retain(|known| !leads(member, known));
                    front.push(member.clone());
                }
            }
            front
        };
        let target = |leader: &Member<'a>, other: &Member<'a>| leader.leads_about_targets(other, case, l);
        let both =
            |leader: &Member<'a>, other: &Member<'a>| leader.leads_about_families(other) && target(leader, other);
        Front { case, l, target: front(&target), family: front(&Member::leads_about_families), together: front(&both) }
    }
}

/// For one l, the groups in which T, V and T·V can be lowest for some k and m.
pub(super) struct Front<'a> {
    case: Case,
    l: u64,
    target: Vec<Member<'a>>,
    family: Vec<Member<'a>>,
    together: Vec<Member<'a>>,
}

impl<'a> Front<'a> {
    /// Of groups, of which there is at least one, for an l.
    pub fn new(case: Case, seen: &'a [GroupShape], l: u64) -> Front<'a> {
        Members::new(case, seen).at(l).front()
    }

    /// The fewest people in a group: so many others are never safe to be known.
    pub fn fewest_people(&self) -> u64 {
        self.family.iter().map(|member| member.shape.people).min().unwrap_or(0)
    }

    /// Whether the negated ratio exceeds odds.
    pub fn exceeds(&self, budget: Budget, odds: Fraction) -> bool {
        exceeds(self.ratio(&self.target, &self.together, budget), odds, || self.exact_ratio(budget))
    }

    /// The same where the target is in a given group.
    pub fn exceeds_at(&self, seen: &GroupShape, budget: Budget, odds: Fraction) -> bool {
        let mut member = Member::new(seen);
        member.eliminate(0..self.l, self.case);
        let here = [member];
        exceeds(self.ratio(&here, &here, budget), odds, || self.lowest_of(&self.ways(&here, &here, budget)))
    }

    /// The negated ratio, exactly.
    pub fn exact_ratio(&self, budget: Budget) -> RBig {
        self.lowest_of(&self.ways(&self.target, &self.together, budget))
    }

    /// The negated ratio, the target being in one of some groups.
    fn ratio(&self, target: &[Member<'_>], together: &[Member<'_>], budget: Budget) -> f64 {
        let least = |members: &[Member<'_>], part: Part| {
            members.iter().map(|member| self.float(part, member)).fold(f64::INFINITY, f64::min)
        };
        let Budget { k, m, .. } = budget;
        let aware = least(target, Part::Target { k });
        if m == 0 {
            return aware;
        }
        let in_one = least(together, Part::Together { k, m });
        let with_target = aware * least(&self.family, Part::Family { m, k: 0 });
        if k == 0 {
            return in_one.min(with_target);
        }
        let with_family = least(target, Part::Target { k: 0 }) * least(&self.family, Part::Family { m, k });
        in_one.min(with_target).min(with_family)
    }

    /// The highest belief and where it is reached. Of equal ways the first is told, of equal groups
    /// the first.
    pub fn breach(&self, budget: Budget) -> Breach {
        let ways = self.ways(&self.target, &self.together, budget);
        let is_lower = |a: &Way<'_>, b: &Way<'_>| {
            let (x, y) = (self.float_way(a), self.float_way(b));
            if is_clear(x, y) { x < y } else { self.exact_way(a) < self.exact_way(b) }
        };
        let way = ways.iter().reduce(|best, way| if is_lower(way, best) { way } else { best });
        let way = way.expect("there is a way");
        let target = way.parts[0].1.seen;
        let family = way.parts.last().map_or(target, |(_, family)| family.seen);
        Breach {
            budget,
            belief: 1.0 / (1.0 + self.float_way(way)),
            target: target.first,
            family: (budget.m > 0).then_some(family.first),
            company: way.company,
        }
    }

    /// The ways to place people, the target being in one of some groups: all in hers; the relatives
    /// elsewhere; the relatives and the others elsewhere.
    fn ways<'m>(&'m self, target: &'m [Member<'a>], together: &'m [Member<'a>], budget: Budget) -> Vec<Way<'m>> {
        let Budget { k, m, .. } = budget;
        let lowest = |members: &'m [Member<'a>], part: Part| (part, self.lowest(members, part));
        if m == 0 {
            return vec![Way { parts: vec![lowest(target, Part::Target { k })], company: Company::Target }];
        }
        let apart = |aside: u64, away: u64| {
            vec![lowest(target, Part::Target { k: aside }), lowest(&self.family, Part::Family { m, k: away })]
        };
        vec![
            Way { parts: vec![lowest(together, Part::Together { k, m })], company: Company::Target },
            Way { parts: apart(k, 0), company: Company::Target },
            Way { parts: apart(0, k), company: Company::Family },
        ]
    }

    fn lowest_of(&self, ways: &[Way<'_>]) -> RBig {
        ways.iter().map(|way| self.exact_way(way)).min().expect("there is a way")
    }

    fn float_way(&self, way: &Way<'_>) -> f64 {
        way.parts.iter().map(|(part, member)| self.float(*part, member)).product()
    }

    fn exact_way(&self, way: &Way<'_>) -> RBig {
        way.parts.iter().fold(RBig::ONE, |product, (part, member)| product * self.exact(*part, member))
    }

    /// The member with the lowest of something; of equal ones the first group's.
    fn lowest<'m>(&self, members: &'m [Member<'a>], part: Part) -> &'m Member<'a> {
        let compare = |a: &Member<'_>, b: &Member<'_>| {
            let [x, y] = [a, b].map(|member| self.float(part, member));
            let by_value = if is_clear(x, y) { x.total_cmp(&y) } else { self.exact(part, a).cmp(&self.exact(part, b)) };
            by_value.then(a.seen.first.cmp(&b.seen.first))
        };
        members.iter().min_by(|a, b| compare(a, b)).expect("some group has the value")
    }

    fn float(&self, part: Part, member: &Member<'_>) -> f64 {
        let target = |k: u64| {
            // All the l values are one here; where they matter one by one, they are in the product.
            let l = u64::from(self.case != Case::Set);
            Target { case: self.case, l, k }.float(&member.shape) * member.product
        };
        let family = |m: u64, k: u64| {
            let (family, shape) = shortened(self.case, m, k, &member.shape);
            family.float(&shape)
        };
        match part {
            Part::Target { k } => target(k),
            Part::Family { m, k } => family(m, k),
            Part::Together { k, m } => target(k) * family(m, k + 1),
        }
    }

    fn exact(&self, part: Part, member: &Member<'_>) -> RBig {
        let target = |k: u64| Target { case: self.case, l: self.l, k }.exact(&member.seen.shape);
        let family = |m: u64, k: u64| {
            let (family, shape) = shortened(self.case, m, k, &member.shape);
            family.exact(&shape)
        };
        match part {
            Part::Target { k } => target(k),
            Part::Family { m, k } => family(m, k),
            Part::Together { k, m } => target(k) * family(m, k + 1),
        }
    }
}

/// How people are placed: a factor of the negated ratio for each group that matters.
struct Way<'a> {
    parts: Vec<(Part, &'a Member<'a>)>,
    company: Company,
}

impl<'a> Member<'a> {
    /// With nothing eliminated.
    fn new(seen: &'a GroupShape) -> Member<'a> {
        let Shape { people, own, .. } = seen.shape;
        Member { seen, shape: Shape { people, own, others: smallvec![0] }, product: 1.0 }
    }

    /// Eliminates the values at these places of the most frequent others.
    fn eliminate(&mut self, places: Range<u64>, case: Case) {
        let Shape { people, ref others, .. } = self.seen.shape;
        let [start, end] = [places.start, places.end].map(|at| at.min(others.len() as u64) as usize);
        for &count in &others[start..end] {
            self.shape.others[0] = self.shape.others[0].saturating_add(count);
            if case == Case::Set {
                self.product *= people.saturating_sub(count) as f64 / people as f64;
            }
        }
    }

    /// Whether T(·, l, k) here is at most that of another group, for every k.
    ///
    /// # Claim
    /// *One value each*: T is `max(0, r − k)/#σ` with r the people of other values than σ and the
    /// l: at most the other's if r is at most and #σ at least its. *Sets*: T is
    /// `max(0, n − #σ − k)/#σ · P`, P the product of `1 − s(i)/n`: at most the other's if `n − #σ`
    /// is at most, #σ at least and P at most its. P is at most its if floats say so clearly, or if
    /// every `s(i)/n` is at least its. *Multisets*: T is `a/(1 − a) · ((n − 1)/n)^S`, S the sum of
    /// the s(i), and a/(1 − a) grows with `a = (1 − 1/(n − k))^#σ`: all grow with n and fall with
    /// #σ and S. For n ≤ k + 1 it is zero, the lowest.
    fn leads_about_targets(&self, other: &Member<'_>, case: Case, l: u64) -> bool {
        let (own, others) = (&self.shape, &other.shape);
        let rest = |shape: &Shape, l: u64| shape.people.saturating_sub(shape.own).saturating_sub(shape.top(l));
        own.own >= others.own
            && match case {
                Case::Single => rest(own, 1) <= rest(others, 1),
                Case::Set => rest(own, 0) <= rest(others, 0) && self.has_lower_product(other, l),
                Case::Multiset => own.people <= others.people && own.top(1) >= others.top(1),
            }
    }

    fn has_lower_product(&self, other: &Member<'_>, l: u64) -> bool {
        if is_clear(self.product, other.product) {
            return self.product < other.product;
        }
        let (own, others) = (&self.seen.shape, &other.seen.shape);
        let share = |count: &u64, people: u64| u128::from(*count) * u128::from(people);
        let theirs = others.others.iter().take(usize::try_from(l).unwrap_or(usize::MAX)).enumerate();
        let mut pairs = theirs.map(|(at, count)| (own.others.get(at).unwrap_or(&0), count));
        pairs.all(|(own_count, count)| share(own_count, others.people) >= share(count, own.people))
    }

    /// Whether V(·, m, k) here is at most that of another group, for every m and k.
    ///
    /// # Claim
    /// V is a product of `1 − #σ/(n − k − i)`, or `(1 − m/(n − k))^#σ`: every factor grows with n
    /// and falls with #σ. Where V is zero because the group is too small for k and m, a smaller one
    /// with more of σ is too small as well.
    fn leads_about_families(&self, other: &Member<'_>) -> bool {
        self.shape.people <= other.shape.people && self.shape.own >= other.shape.own
    }
}

/// V(g, m, k) with as few factors as can be.
///
/// # Claim
/// With at most one of σ each, V is the chance that σ's occurrences and the m relatives, both drawn
/// from n − k people, do not meet: relatives and occurrences may change places.
fn shortened(case: Case, m: u64, k: u64, shape: &Shape) -> (Family, Shape) {
    let (m, own) = if case != Case::Multiset && m > shape.own { (shape.own, m) } else { (m, shape.own) };
    (Family { case, m, k }, Shape { people: shape.people, own, others: smallvec![] })
}
