//! (c,k)-safety: whoever knows k implications between people does not reach the confidence c.
//!
//! **Promises** that an attacker who knows k facts "if w has z then t has s" believes in no value
//! of anybody with c or more. **Threat**: knowledge about how people's values hang together,
//! whatever it is; only how many implications are known is stated. Every value is protected,
//! whatever `sensitive_values` says. **Definition**: 1/(NR + 1) < c. NR is the least
//! `Pr(all false)/Pr(s∈t)` over k + 1 statements "w has z" of which "t has s" is one. In one group
//! with n people and counts r₁ ≥ r₂ ≥ … the least chance that j statements are all false is
//! `MIN(j) = min Π_i (n − i − r₁ − … − r_{k_i})/(n − i)` over k₀ ≥ k₁ ≥ … with sum j; NR is the
//! least product of MIN over ways to spread k + 1 statements over groups, times n/r₁ in the
//! target's, which has at least one. **Cost**: about k³ steps for each group; (k + 1)² groups are
//! kept. **Reference**: Martin, Kifer, Machanavajjhala, Gehrke and Halpern 2007.
//!
//! ```
//! let verdict = sfumato::example("ck-safety", &[("k", "0"), ("c", "0.7")])?;
//! assert!(verdict.holds); // two of three with the flu is the most that is believed
//! assert!(!sfumato::example("ck-safety", &[("k", "1"), ("c", "1")])?.holds); // with two values in a group, one implication tells all
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::knowledge::{Number, Shape, odds};
use super::minima::{Low, Minimum, Quantity, exceeds, is_clear};
use super::{
    About, Bound, Budget, Build, Capabilities, Context, Criterion, CrossGroup, Evidence, Knowledge, Least, Limit,
    Measure, Merging, On, Promises, Properties, Pruning, Symmetry, Verdict,
};
use crate::candidate::Histogram;
use crate::error::{Error, Result};
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Range, Shape as Written};
use dashu_ratio::RBig;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The description of (c,k)-safety.
pub const KIND: Kind<Build> = Kind {
    name: "ck-safety",
    summary: "Attackers who know k implications between people's values stay below a confidence",
    reference: "Martin, Kifer, Machanavajjhala, Gehrke and Halpern 2007",
    params: &[
        Param { name: "k", summary: "how many implications are known", shape: Written::Count(0), default: None },
        Param {
            name: "c",
            summary: "the confidence that is not reached",
            shape: Written::Decimal(Range::SHARE),
            default: None,
        },
    ],
    example: &[("k", "1"), ("c", "0.9")],
    build: Build { on: On::Column, bind },
};

fn bind(context: &Context<'_>) -> Result<Bound> {
    let whole: Vec<u64> = context.counts()?;
    let values = whole.iter().filter(|&&count| count > 0).count() as u64;
    let c = context.params.decimal("c").fraction();
    let k = context.params.count("k");
    // With as many implications as values nothing is safe, however many more there are.
    let statements = k.min(values) as usize + 1;
    if statements > MOST_STATEMENTS {
        let message = format!("ck-safety: {k} implications are more than can be decided");
        return Err(Error::plan(message).help(format!("ask for at most {}", MOST_STATEMENTS - 1)));
    }
    let mut safety = CkSafety { k, statements, c, odds: odds(c), shares: None };
    safety.shares = safety.share_out(whole);
    Bound::on_column(context, Box::new(safety))
}

/// The work grows with the third power of the statements.
const MOST_STATEMENTS: usize = 65;

struct CkSafety {
    k: u64,
    /// As many statements as are spread over groups: one more than implications.
    statements: usize,
    c: Fraction,
    /// What the negated ratio must exceed: (1 − c)/c.
    odds: Fraction,
    /// What groups that are decided one by one rely on; nothing where no more than zero need be
    /// exceeded.
    shares: Option<Shares>,
}

/// The least chance that so many statements about people of one group are all false.
#[derive(Clone, Copy, Debug)]
struct AllFalse(usize);

/// The same over the chance of the target's value, for her group.
#[derive(Clone, Copy, Debug)]
struct WithTarget(usize);

/// MIN(j) for j = 0, 1, … up to so many statements.
///
/// # Claim
/// Let people 0, 1, … be named k₀ ≥ k₁ ≥ … values that they do not have. Whichever values these
/// are, and whatever the first i people have, of n − i records that are left for the next at most
/// r₁ + … + r_{k_i} have a value that she does not have: at least n − i − r₁ − … − r_{k_i} are
/// possible. If everybody is named the most frequent values, there are exactly so many: nobody
/// before took a record with one of them. So the product is the least chance (Lemma 12 of the
/// reference).
///
/// With as many statements as the group has values, one person may be named all: then it is zero.
fn least_chances<N: Number>(shape: &Shape, statements: usize) -> Vec<N> {
    let is_all = |named: &usize| shape.people <= shape.own + shape.top(*named as u64 - 1);
    let possible = (1..=statements).find(is_all).map_or(statements, |all| all - 1);
    let mut least = possible_chances(shape, possible);
    least.resize(statements + 1, N::ratio(0, 1));
    least
}

/// The same where nobody can be named all values.
fn possible_chances<N: Number>(shape: &Shape, statements: usize) -> Vec<N> {
    let others = |named: usize| shape.people.saturating_sub(shape.own + shape.top(named as u64 - 1));
    let without: Vec<u64> = (1..=statements).map(others).collect();
    let lower = |known: &mut Option<N>, found: &N| {
        if known.as_ref().is_none_or(|known| found < known) {
            *known = Some(found.clone());
        }
    };
    let width = statements + 1;
    let mut least: Vec<Option<N>> = vec![None; width];
    least[0] = Some(N::ratio(1, 1));
    // By how many values the last person is named, and how many statements there are so far.
    let mut so_far: Vec<Option<N>> = vec![None; width * width];
    so_far[statements * width] = Some(N::ratio(1, 1));
    for person in 0..shape.people.min(statements as u64) {
        let mut next: Vec<Option<N>> = vec![None; width * width];
        let mut of_more: Vec<Option<N>> = vec![None; width];
        for named in (1..=statements).rev() {
            for (best, found) in of_more.iter_mut().zip(&so_far[named * width..]) {
                found.iter().for_each(|found| lower(best, found));
            }
            let possible = without[named - 1].saturating_sub(person);
            for used in 0..=statements - named {
                let Some(before) = &of_more[used] else { continue };
                let product = before.clone().times(N::ratio(possible, shape.people - person));
                lower(&mut least[used + named], &product);
                next[named * width + used + named] = Some(product);
            }
        }
        so_far = next;
    }
    least.into_iter().map(|found| found.expect("one person may be named all")).collect()
}

/// n/r₁.
fn per_target<N: Number>(shape: &Shape) -> N {
    N::ratio(shape.people, shape.own)
}

impl Quantity for AllFalse {
    fn float(&self, shape: &Shape) -> f64 {
        least_chances::<f64>(shape, self.0)[self.0]
    }

    fn exact(&self, shape: &Shape) -> RBig {
        least_chances::<RBig>(shape, self.0).swap_remove(self.0)
    }
}

impl Quantity for WithTarget {
    fn float(&self, shape: &Shape) -> f64 {
        AllFalse(self.0).float(shape) * per_target::<f64>(shape)
    }

    fn exact(&self, shape: &Shape) -> RBig {
        AllFalse(self.0).exact(shape) * per_target::<RBig>(shape)
    }
}

/// What the most frequent values of a group tell, as many as statements.
fn shape_of(people: u64, descending: &[u64], statements: usize) -> Shape {
    let others = &descending[1..descending.len().min(statements)];
    Shape { people, own: descending[0], others: others.into() }
}

/// How groups that are decided one by one share the odds.
struct Shares {
    /// For j = 0, 1, …: what MIN(j) is at least.
    floors: Vec<Fraction>,
    /// For j = 0, 1, …: the least product of floors of which the j's sum up to this; as a float and
    /// exactly.
    elsewhere: Vec<(f64, RBig)>,
}

/// What a group may be used for: so many statements, whether the target is there, and the factor.
type Ways<N> = Vec<(usize, bool, N)>;

impl CkSafety {
    /// How many groups must be kept of those with the lowest chance for so many statements.
    ///
    /// # Claim
    /// In the best way to spread all statements, a group with j of them that is not kept can be
    /// exchanged for one that is, is no worse and has none: at most as many others have any as
    /// there are other statements.
    fn keep(&self, statements: usize) -> usize {
        self.statements + 1 - statements
    }

    /// Lowest values of no groups: for 1, 2, … statements elsewhere, and for 1, 2, … in the
    /// target's group.
    fn minima(&self) -> Box<[Minimum]> {
        let minimum = |quantity: Arc<dyn Quantity>, j: usize| Minimum::new(quantity, self.keep(j));
        let elsewhere = (1..self.statements).map(|j| minimum(Arc::new(AllFalse(j)), j));
        elsewhere.chain((1..=self.statements).map(|j| minimum(Arc::new(WithTarget(j)), j))).collect()
    }

    /// Whether a number exceeds the odds.
    fn is_exceeded(&self, float: f64, exact: impl FnOnce() -> RBig) -> bool {
        float > 0.0 && exceeds(float, self.odds, exact)
    }

    fn shape(&self, group: &Histogram<'_>) -> Shape {
        shape_of(group.size(), group.descending(), self.statements)
    }

    /// The negated ratio with everything in one group, and whether it is high enough.
    fn alone(&self, shape: &Shape, chances: &[f64]) -> (f64, bool) {
        let float = chances[self.statements] * per_target::<f64>(shape);
        (float, self.is_exceeded(float, || WithTarget(self.statements).exact(shape)))
    }

    /// Works out, from the table as one group, what groups that are decided one by one rely on:
    /// half of what the table has to spare, in proportion, is left to groups without the target,
    /// the same for each statement.
    fn share_out(&self, mut whole: Vec<u64>) -> Option<Shares> {
        if self.odds.num == 0 {
            return None;
        }
        whole.sort_unstable_by(|a, b| b.cmp(a));
        let descending: Vec<u64> = whole.iter().copied().filter(|&count| count > 0).collect();
        if descending.is_empty() {
            return None;
        }
        let shape = shape_of(whole.iter().sum(), &descending, self.statements);
        let chances = least_chances::<f64>(&shape, self.statements);
        let spare = self.alone(&shape, &chances).0 / self.odds.to_f64();
        let each = spare.max(1.0).powf(-0.5 / (self.statements - 1).max(1) as f64);
        let floor = |j: usize| Fraction::nearest(chances[j] * each.powi(j as i32));
        let floors: Vec<Fraction> = (0..self.statements).map(floor).collect();
        let mut elsewhere = vec![RBig::ONE];
        for sum in 1..self.statements {
            let ways = (1..=sum).map(|j| &elsewhere[sum - j] * RBig::from(floors[j]));
            let least = ways.min().expect("at least one way");
            elsewhere.push(least);
        }
        let elsewhere = elsewhere.into_iter().map(|exact| (exact.to_f64().value(), exact)).collect();
        Some(Shares { floors, elsewhere })
    }

    /// The lowest negated ratio of what is kept: every group is used once at most.
    fn lowest<N: Number>(&self, kept: &[Minimum], number: impl Fn(&Minimum, &Low) -> N) -> Option<N> {
        let mut of_group: BTreeMap<(usize, u32), Ways<N>> = BTreeMap::new();
        let quantities = (1..self.statements).map(|j| (j, false)).chain((1..=self.statements).map(|j| (j, true)));
        for ((j, is_target), minimum) in quantities.zip(kept) {
            for low in minimum.all() {
                of_group.entry((low.group, low.value)).or_default().push((j, is_target, number(minimum, low)));
            }
        }
        // By statements used and whether the target's group is among those so far.
        let mut best: Vec<[Option<N>; 2]> = vec![[None, None]; self.statements + 1];
        best[0][0] = Some(N::ratio(1, 1));
        // In an order that numbers of groups have no part in: products of floats depend on it.
        let mut groups: Vec<Ways<N>> = of_group.into_values().collect();
        groups.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        for ways in &groups {
            let before = best.clone();
            for (j, is_target, chance) in ways {
                for used in 0..=self.statements - j {
                    for had in 0..=usize::from(!is_target) {
                        let Some(product) = &before[used][had] else { continue };
                        let product = product.clone().times(chance.clone());
                        let known = &mut best[used + j][had + usize::from(*is_target)];
                        if known.as_ref().is_none_or(|known| product < *known) {
                            *known = Some(product);
                        }
                    }
                }
            }
        }
        best.pop().and_then(|[_, with_target]| with_target)
    }
}

impl Criterion for CkSafety {
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let mut evidence = Evidence::none();
        self.gather(&mut evidence, group, 1);
        evidence
    }

    /// # Claim
    /// The worst k implications all end in the same "t has s" (Theorem 9 of the reference), so
    /// belief is `Pr(s∈t)/(Pr(s∈t) + Pr(all false))`. Groups are independent, and s is best the
    /// most frequent value: it is among those that the target is named in any case.
    fn gather(&self, so_far: &mut Evidence, group: &Histogram<'_>, times: u64) {
        let shape = self.shape(group);
        let chances = least_chances::<f64>(&shape, self.statements);
        let (ratio, holds) = self.alone(&shape, &chances);
        let mut minima = so_far.take_minima(1);
        let kept = minima.entry(0, || self.minima());
        let (elsewhere, with_target) = kept.split_at_mut(self.statements - 1);
        let offer = |minimum: &mut Minimum, j: usize, float: f64| {
            if minimum.may_keep(float) {
                let shape = shape_of(shape.people, group.descending(), j);
                // Groups alike are told apart by a number in place of the value: each can be used.
                let copies = times.min(self.keep(j) as u64) as u32;
                (0..copies).for_each(|copy| minimum.offer(group.group(), copy, &shape));
            }
        };
        for (minimum, j) in elsewhere.iter_mut().zip(1..) {
            offer(minimum, j, chances[j]);
        }
        for (minimum, j) in with_target.iter_mut().zip(1..) {
            offer(minimum, j, chances[j] * per_target::<f64>(&shape));
        }
        so_far.absorb(&Evidence::of(group, holds, [Measure::most_real(1.0 / (1.0 + ratio))]).repeated(times));
        so_far.put_minima(minima);
    }

    fn verdict(&self, evidence: &Evidence) -> Verdict {
        let alone = Verdict::of(evidence);
        let Some(kept) = evidence.minima().get(0) else { return alone };
        let Some(ratio) = self.lowest(kept, |_, low| low.float) else { return alone };
        let exact = || self.lowest(kept, |minimum, low| minimum.exact_of(low)).expect("as for floats");
        Verdict { holds: self.is_exceeded(ratio, exact), measured: Some(1.0 / (1.0 + ratio)), ..alone }
    }

    /// # Claim
    /// Merging groups raises no belief (Theorem 14 of the reference). One person may be named k + 1
    /// values, and must have another one.
    fn properties(&self) -> Properties {
        let needed = self.k.saturating_add(2);
        Properties { least: Least { size: needed, values: needed }, ..Properties::of(Merging::Monotone) }
    }

    fn holds(&self, group: &Histogram<'_>) -> bool {
        let shape = self.shape(group);
        self.alone(&shape, &least_chances::<f64>(&shape, self.statements)).1
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            cross_group: (self.k > 0).then_some(self),
            pruning: Some(self),
            symmetry: Some(self),
            promises: Some(self),
        }
    }
}

impl CrossGroup for CkSafety {
    /// # Claim
    /// Let F(j) be any numbers and `G(j)` the least product of F's whose j's sum up to j. If every
    /// group has `MIN(j) ≥ F(j)` and `MIN(j)·n/r₁·G(k + 1 − j)` above the odds, for all j, then so
    /// is any product of MIN's with the target's group among them. The table as one group has
    /// `MIN(i)·MIN(j) ≥ MIN(i + j)`, as further people come later in the product: if it is safe, it
    /// says so with F = MIN, and with somewhat less.
    fn holds_among(&self, group: &Histogram<'_>) -> bool {
        let Some(Shares { floors, elsewhere }) = &self.shares else { return self.holds(group) };
        let shape = self.shape(group);
        let chances = least_chances::<f64>(&shape, self.statements);
        let is_above = |j: usize| {
            let floor = floors[j].to_f64();
            if is_clear(chances[j], floor) {
                chances[j] > floor
            } else {
                AllFalse(j).exact(&shape) >= RBig::from(floors[j])
            }
        };
        let suffices = |j: usize| {
            let (float, exact) = &elsewhere[self.statements - j];
            let float = chances[j] * per_target::<f64>(&shape) * float;
            self.is_exceeded(float, || WithTarget(j).exact(&shape) * exact)
        };
        (1..self.statements).all(is_above) && (1..=self.statements).all(suffices)
    }
}

impl Pruning for CkSafety {
    /// # Claim
    /// Who knows nothing believes in the value with at least `at_least/size`.
    fn rules_out(&self, _code: u32, at_least: u64, size: u64) -> bool {
        Fraction::new(u128::from(at_least.min(size)), u128::from(size.max(1))) >= self.c
    }
}

impl Symmetry for CkSafety {
    /// # Claim
    /// Only counts are read.
    fn interchangeable(&self, _a: u32, _b: u32) -> bool {
        true
    }
}

impl Promises for CkSafety {
    /// # Claim
    /// That t does not have x is the implication "x∈t → s∈t", as t has one value; that v is of t's
    /// family is "s∈v → s∈t". Fewer implications never tell more. What other people *have* is no
    /// implication.
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        let implications = match knowledge {
            Knowledge::Nothing => 0,
            Knowledge::Eliminated(values) => values,
            Knowledge::Budget(Budget { l, k: 0, m }) => l.checked_add(m)?,
            Knowledge::Budget(_) | Knowledge::Distribution => return None,
        };
        let promises = matches!(about, About::Value(_)) && implications <= self.k;
        promises.then_some(Limit { belief: self.c, strict: true })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::candidate::Counter;

    fn belief(k: &str, groups: &[&[&str]]) -> f64 {
        verdict("ck-safety", &[("k", number(k)), ("c", number("1"))], groups).measured.unwrap()
    }

    #[test]
    fn the_threshold_is_strict() {
        let holds = |c: &str| of_counts("ck-safety", &[("k", number("0")), ("c", number(c))], &[2, 1, 1]).holds;
        assert!(!holds("0.5") && holds("0.500001"));
    }

    #[test]
    fn implications_reach_over_groups() {
        // Two people without the flu, 2/4 · 1/3, over 2/4 who have it.
        assert!((belief("1", &[&["flu", "flu", "hiv", "cancer"]]) - 0.75).abs() < 1e-12);
        // Believed most: 12 of 20; and that somebody in the other group has neither of two values
        // leaves 2 of 22.
        let one = [vec!["a"; 12], vec!["b", "c", "d", "e", "f", "g", "h", "i"]].concat();
        let other = [vec!["x"; 10], vec!["y"; 10], vec!["z", "w"]].concat();
        assert!((belief("2", &[&one, &other]) - 33.0 / 35.0).abs() < 1e-12);
        assert!(belief("2", &[&one]) < 0.93 && belief("2", &[&other]) < 0.93);
        let holds =
            |groups: &[&[&str]]| verdict("ck-safety", &[("k", number("2")), ("c", number("0.94"))], groups).holds;
        assert!(holds(&[&one]) && holds(&[&other]) && !holds(&[&one, &other]));
    }

    #[test]
    fn more_implications_than_values_tell_everything() {
        assert_eq!(belief("1000000", &[&["flu", "hiv", "cancer"]]), 1.0);
    }
    #[test]
    fn so_many_implications_can_be_decided_and_no_more() {
        let counts = vec![1; 70];
        let values: Vec<String> = (0..counts.len()).map(|value| value.to_string()).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        assert!(belief("64", &[&values]) < 1.0);
        let schema = crate::data::Schema::of(&["group"], &["s"]);
        let table = crate::data::Table::new(vec![
            crate::data::Column::from_values("group", values.iter().map(|_| "0")),
            crate::data::Column::from_values("s", values.iter()),
        ])
        .unwrap();
        for k in ["65", "66", "1000"] {
            let written = [("k", number(k)), ("c", number("1"))];
            let wanted = crate::criterion::Requirement::new("ck-safety", &written, &[], &schema).unwrap();
            let error = wanted.bind(&table, &schema, std::path::Path::new(".")).err().unwrap().to_string();
            assert!(error.contains("more than can be decided"), "{error}");
        }
    }

    #[test]
    fn the_worst_group_is_the_one_that_tells_most_by_itself() {
        let even = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let mild = ["a", "a", "b", "b", "c", "c", "d", "e"];
        let worst = ["a", "a", "a", "b", "c", "d", "e", "f"];
        for [better, worse] in [[mild, worst], [even, mild]] {
            for (groups, place) in [([&better[..], &worse], 1), ([&worse[..], &better], 0)] {
                let found = verdict("ck-safety", &[("k", number("1")), ("c", number("0.999"))], &groups);
                assert_eq!(found.worst.unwrap().group, place);
                assert_eq!(
                    belief("1", &groups),
                    belief("1", &[&worse]),
                    "one implication in the other group tells less"
                );
            }
        }
    }

    /// Decided beside others, with a floor of one half for one statement.
    fn decided(c: (u128, u128), floor: Fraction, counts: &[u64]) -> bool {
        let c = Fraction::new(c.0, c.1);
        let exact = RBig::from(floor);
        let elsewhere = vec![(1.0, RBig::ONE), (exact.to_f64().value(), exact)];
        let shares = Some(Shares { floors: vec![Fraction::ONE, floor], elsewhere });
        let safety = CkSafety { k: 1, statements: 2, c, odds: odds(c), shares };
        let mut counter = Counter::new(counts.len());
        safety.holds_among(&counter.take(0, (0u32..).zip(counts.iter().copied())))
    }

    #[test]
    fn groups_are_decided_beside_others_exactly() {
        let half = Fraction::new(1, 2);
        let hardly_more = Fraction::new((1 << 60) + 1, 1 << 61);
        // One of two people without the value: just as much as is left to groups elsewhere.
        let counts = [2, 1, 1];
        assert!(decided((999, 1000), half, &counts) && !decided((999, 1000), hardly_more, &counts));
        // Everything here: 2/4 · 1/3 · 4/2, by two people. One statement elsewhere: 2/4 · 4/2 · ½.
        assert!(!decided((3, 4), half, &counts), "at the odds of 1/3");
        assert!(decided((751, 1000), half, &counts) && !decided((749, 1000), half, &counts));
        // The target and one statement here, one statement elsewhere: 4/5 · 5 · 1/10.
        let counts = [1, 1, 1, 1, 1];
        assert!(decided((999, 1000), Fraction::new(1, 10), &counts));
        assert!(!decided((5, 7), Fraction::new(1, 10), &counts), "4/5 · 5 · 1/10 is at the odds of 2/5");
        assert!(decided((715, 1000), Fraction::new(1, 10), &counts));
        assert!(!decided((714, 1000), Fraction::new(1, 10), &counts));
    }

    #[test]
    fn half_of_what_a_table_has_to_spare_is_left_to_other_groups() {
        let c = Fraction::new(9, 10);
        let safety = CkSafety { k: 2, statements: 3, c, odds: odds(c), shares: None };
        let whole = [12u64, 10, 9, 8, 0, 7];
        let Shares { floors, elsewhere } = safety.share_out(whole.to_vec()).unwrap();
        let shape = shape_of(46, &[12, 10, 9, 8, 7], 3);
        let chances = least_chances::<f64>(&shape, 3);
        let spare = chances[3] * 46.0 / 12.0 * 9.0;
        let is_near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
        assert!(is_near(floors[2].to_f64(), chances[2] / spare.sqrt()));
        assert!(is_near(floors[1].to_f64(), chances[1] / spare.sqrt().sqrt()));
        let [one, two] = [1, 2].map(|j: usize| RBig::from(floors[j]));
        assert_eq!(elsewhere[1].1, one);
        assert_eq!(elsewhere[2].1, two.min(&one * &one));
        let certain = CkSafety { c: Fraction::ONE, odds: odds(Fraction::ONE), ..safety };
        assert!(certain.share_out(whole.to_vec()).is_none());
    }

    /// With j of all statements in a group, so many others at most have any: one more must be known
    /// to find one that has none.
    #[test]
    fn as_many_groups_are_kept_as_may_be_taken_and_one_more() {
        let safety = CkSafety { k: 4, statements: 5, c: Fraction::ONE, odds: Fraction::ZERO, shares: None };
        assert_eq!([1, 2, 3, 4, 5].map(|j| safety.keep(j)), [5, 4, 3, 2, 1]);
    }
}
