//! Every criterion once more, straight from the definitions, in fractions and with all groups,
//! values and possible worlds tried: shares no code with the library. A criterion that has no such
//! definition here is read as in `support`, in floats.

use super::settings::Asked;
use super::worlds::Worlds;
use super::{ONE_SENSITIVE, TWO_SENSITIVE, plain};
use crate::support::settings::LETTERS;
use crate::support::{self, Row};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use sfumato::criterion::On;
use sfumato::plan::requirement;
use std::collections::BTreeMap;

/// One record: her quasi-identifiers and her sensitive values, one for each sensitive column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person {
    pub quasi: [u8; 2],
    pub values: [u8; 2],
}

/// A grouped table, and what a plan says about its sensitive column.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Case {
    pub groups: Vec<Vec<Person>>,
    /// People of the table who are in no group.
    pub withheld: Vec<Person>,
    /// The values that need protection; none for all.
    pub sensitive_values: Vec<u8>,
    /// The values in their declared order; nothing where the numbers are it.
    pub order: Vec<u8>,
    /// For each level below the top of the sensitive column's hierarchy, the node of each value.
    pub hierarchy: Vec<Vec<u8>>,
    /// Weights of (first, second quasi-identifier, sensitive value), if the attacker has them.
    pub joint: Option<Vec<([u8; 2], u8, u64)>>,
}

/// What the definition says.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// `None` where floats cannot tell.
    pub holds: Option<bool>,
    pub measured: Measured,
    /// For criteria with several points: each of them.
    pub points: Vec<(bool, RBig)>,
}

/// The strongest parameter that holds, or the bound of those that do.
#[derive(Clone, Debug, PartialEq)]
pub enum Measured {
    Exactly(RBig),
    /// In floats, or irrational: with so many digits after the point that are right.
    About(RBig, usize),
    /// None is finite.
    Nothing,
    /// It cannot be told here.
    Unknown,
}

/// A parameter as it is written.
pub type Written<'a> = &'a [(&'static str, String)];

/// A fraction of whole numbers.
pub fn ratio(top: u64, bottom: u64) -> RBig {
    RBig::from_parts(IBig::from(top), UBig::from(bottom))
}

/// A decimal, as at school.
pub fn decimal(text: &str) -> RBig {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits: IBig = format!("{whole}{part}").parse().expect("digits");
    RBig::from_parts(digits, UBig::from(10u8).pow(part.len()))
}

/// The largest number with so many decimals that is not above it.
pub fn floor(number: &RBig, places: usize) -> RBig {
    let scale = RBig::from(UBig::from(10u8).pow(places));
    RBig::from((number * &scale).floor()) / scale
}

/// A number from 0 with so many decimals, written out.
pub fn written(number: &RBig, places: usize) -> String {
    let scale = RBig::from(UBig::from(10u8).pow(places));
    let digits = (number * scale).floor().to_string();
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, part) = digits.split_at(digits.len() - places);
    format!("{whole}.{part}")
}

type Counts = BTreeMap<u8, u64>;

fn count(values: impl Iterator<Item = u8>) -> Counts {
    values.fold(Counts::new(), |mut counts, value| {
        *counts.entry(value).or_default() += 1;
        counts
    })
}

fn size(counts: &Counts) -> u64 {
    counts.values().sum()
}

fn descending(counts: &Counts) -> Vec<(u64, u8)> {
    let mut ranked: Vec<(u64, u8)> = counts.iter().map(|(value, count)| (*count, *value)).collect();
    ranked.sort_by_key(|entry| std::cmp::Reverse(entry.0));
    ranked
}

fn least(numbers: impl IntoIterator<Item = Option<RBig>>) -> Measured {
    numbers.into_iter().flatten().min().map_or(Measured::Nothing, Measured::Exactly)
}

/// The largest; nothing if one of them is infinite, which is written as nothing.
fn most(numbers: impl IntoIterator<Item = Option<RBig>>) -> Measured {
    let numbers: Option<Vec<RBig>> = numbers.into_iter().collect();
    numbers.and_then(|numbers| numbers.into_iter().max()).map_or(Measured::Nothing, Measured::Exactly)
}

fn found(holds: bool, measured: Measured) -> Found {
    Found { holds: Some(holds), measured, points: Vec::new() }
}

/// A parameter list with the words that a plan may leave out.
struct Params<'a>(Written<'a>);

impl Params<'_> {
    fn text(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, text)| text.trim_matches('"'))
    }

    fn decimal(&self, name: &str) -> RBig {
        decimal(self.text(name))
    }

    fn count(&self, name: &str) -> usize {
        self.text(name).parse().expect("a whole number")
    }

    /// A list of values: `["a", "c"]`.
    fn values(&self, name: &str) -> Vec<u8> {
        self.text(name).bytes().filter(u8::is_ascii_lowercase).map(|letter| letter - b'a').collect()
    }
}

/// What a criterion says of a case. Values are written a, b, c, …
pub fn judge(asked: &Asked, case: &Case) -> Found {
    let (name, params) = (asked.kind.name, Params(&asked.params));
    if let Some(inner) = name.strip_prefix("multi-attribute-") {
        let found = one_column(inner, &params, &[], &with_others_known(case));
        return found.unwrap_or_else(|| in_floats(asked, case));
    }
    let groups: Vec<Counts> =
        case.groups.iter().map(|group| count(group.iter().map(|person| person.values[0]))).collect();
    let everybody = || case.groups.iter().flatten().chain(&case.withheld);
    let whole = count(everybody().map(|person| person.values[0]));
    let is_named = |value: &u8| case.sensitive_values.is_empty() || case.sensitive_values.contains(value);
    let free: Vec<u8> = whole.keys().copied().filter(|value| !is_named(value)).collect();
    match name {
        "k-anonymity" => {
            let smallest = groups.iter().map(size).min().unwrap_or(0);
            found(smallest >= params.count("k") as u64, Measured::Exactly(ratio(smallest, 1)))
        }
        "t-closeness" => t_closeness(&params, case, &groups, &whole),
        "delta-disclosure" => delta_disclosure(&params, &groups, &whole, &free),
        "beta-likeness" => beta_likeness(&params, &groups, &whole, &free),
        "bayes-optimal" => bayes_optimal(&params, case),
        "ck-safety" => {
            let belief = Worlds::new(case).implications(params.count("k"));
            found(belief < params.decimal("c"), Measured::Exactly(belief))
        }
        "skyline" => skyline(&params, case),
        _ => one_column(name, &params, &free, &groups).unwrap_or_else(|| in_floats(asked, case)),
    }
}

/// The plain reading, where the case is one that it knows: everybody in a group, and nothing said
/// about the sensitive column.
fn in_floats(asked: &Asked, case: &Case) -> Found {
    let is_plain = Case { groups: case.groups.clone(), ..Case::default() } == *case;
    if !is_plain {
        return Found { holds: None, measured: Measured::Unknown, points: Vec::new() };
    }
    let columns = if asked.kind.build.on == On::Columns { TWO_SENSITIVE } else { ONE_SENSITIVE };
    let wanted = requirement(&asked.text(), &plain(columns)).expect("it was asked before");
    let row = |zip: u32, person: &Person| Row { zip, disease: person.values[0].into(), drug: person.values[1].into() };
    let rows: Vec<Row> =
        (0u32..).zip(&case.groups).flat_map(|(zip, group)| group.iter().map(move |one| row(zip, one))).collect();
    let read = support::naive(&wanted, &rows, LETTERS.values);
    let measured = match read.measured.is_finite() {
        true => Measured::About(decimal(&format!("{:.25}", read.measured)), 9),
        false => Measured::Nothing,
    };
    Found { holds: read.holds, measured, points: Vec::new() }
}

/// Definition 4.6: for every sensitive column the groups by quasi-identifiers and the other
/// sensitive columns.
fn with_others_known(case: &Case) -> Vec<Counts> {
    let mut parts = Vec::new();
    for group in &case.groups {
        for (own, other) in [(0, 1), (1, 0)] {
            let mut known: Vec<u8> = group.iter().map(|person| person.values[other]).collect();
            known.sort_unstable();
            known.dedup();
            parts.extend(known.into_iter().map(|known| {
                count(group.iter().filter(|person| person.values[other] == known).map(|person| person.values[own]))
            }));
        }
    }
    parts
}

/// Criteria that ask each group, one by one, about one column; `None` for one that has no
/// definition here.
fn one_column(name: &str, params: &Params<'_>, free: &[u8], groups: &[Counts]) -> Option<Found> {
    let is_cared = |value: &u8| !free.contains(value);
    let largest = |group: &Counts| group.iter().filter(|(value, _)| is_cared(value)).map(|(_, count)| *count).max();
    Some(match name {
        "alpha-k-anonymity" => {
            let shares = groups.iter().map(|group| Some(ratio(largest(group).unwrap_or(0), size(group))));
            let share = most(shares);
            let large = groups.iter().all(|group| size(group) >= params.count("k") as u64);
            let Measured::Exactly(most) = &share else { unreachable!("shares are finite") };
            found(*most <= params.decimal("alpha") && large, share)
        }
        "distinct-l-diversity" => {
            let values = |group: &Counts| group.keys().any(is_cared).then(|| ratio(group.len() as u64, 1));
            at_least(least(groups.iter().map(values)), &ratio(params.count("l") as u64, 1))
        }
        "frequency-l-diversity" => {
            let one_in = |group: &Counts| largest(group).map(|most| ratio(size(group), most));
            at_least(least(groups.iter().map(one_in)), &params.decimal("l"))
        }
        "entropy-l-diversity" | "entropy-l-diversity-dont-care" => {
            let free = [free, &params.values("dont_care")].concat();
            entropy(&params.decimal("l"), groups, &free)
        }
        "recursive-cl-diversity" | "pd-recursive-cl-diversity" => {
            let free = [free, &params.values("dont_care")].concat();
            below(needed_c(params.count("l"), groups, &free), &params.decimal("c"))
        }
        "npd-recursive-cl-diversity" => {
            let free = [free, &params.values("dont_care")].concat();
            let positive = below(needed_c(params.count("l"), groups, &free), &params.decimal("c1"));
            let has = |group: &Counts, value: &u8| ratio(100 * group.get(value).copied().unwrap_or(0), size(group));
            let keep = params.values("keep");
            let kept = groups.iter().all(|group| keep.iter().all(|value| has(group, value) >= params.decimal("c2")));
            Found { holds: positive.holds.map(|holds| holds && kept), ..positive }
        }
        _ => return None,
    })
}

fn at_least(measured: Measured, wanted: &RBig) -> Found {
    let holds = match &measured {
        Measured::Exactly(number) => number >= wanted,
        _ => true,
    };
    found(holds, measured)
}

fn at_most(measured: Measured, wanted: &RBig) -> Found {
    let holds = matches!(&measured, Measured::Exactly(number) if number <= wanted);
    found(holds, measured)
}

fn below(measured: Measured, wanted: &RBig) -> Found {
    let holds = matches!(&measured, Measured::Exactly(number) if number < wanted);
    found(holds, measured)
}

/// Definitions 4.2 and 4.3, with the two cases as printed: the bound of c in each group.
fn needed_c(l: usize, groups: &[Counts], free: &[u8]) -> Measured {
    most(groups.iter().map(|group| {
        if l == 1 {
            return Some(RBig::ZERO);
        }
        let ranked = descending(group);
        let r = |rank: usize| ranked.get(rank - 1).map_or(0, |entry| entry.0);
        // Of equally frequent values any order is one; a value to protect may as well come first.
        let Some(most) = ranked.iter().filter(|(_, value)| !free.contains(value)).map(|entry| entry.0).max() else {
            return Some(RBig::ZERO);
        };
        let y = ranked.iter().position(|entry| entry.0 == most).expect("it is there") + 1;
        let m = ranked.len();
        let tail: u64 = match y < l {
            true => (l..=m).map(r).sum(),
            false => (l - 1..y).map(r).sum::<u64>() + (y + 1..=m).map(r).sum::<u64>(),
        };
        (tail > 0).then(|| ratio(most, tail))
    }))
}

/// Definitions 4.1 and 4.5. Whichever don't-care counts are lowered, all go to the e^M at which
/// nothing more is won; which ones those are is tried.
fn entropy(l: &RBig, groups: &[Counts], free: &[u8]) -> Found {
    let mut holds = true;
    let mut lowest: Option<f64> = None;
    for group in groups {
        let of = |is_free: bool| -> Vec<u64> {
            group.iter().filter(|(value, _)| free.contains(value) == is_free).map(|(_, count)| *count).collect()
        };
        let (fixed, changeable) = (of(false), of(true));
        if fixed.is_empty() {
            continue;
        }
        let (mut is_enough, mut highest) = (false, 0.0f64);
        for choice in 0u32..1 << changeable.len() {
            let side = |lowered: bool| {
                let chosen = move |at: &usize| (choice >> at & 1 == 1) == lowered;
                (0..changeable.len()).filter(chosen).map(|at| changeable[at]).collect::<Vec<u64>>()
            };
            let (lowered, stay) = (side(true), [fixed.clone(), side(false)].concat());
            if lowered.iter().all(|&count| is_above_mean(count, &stay)) {
                is_enough |= reaches(&stay, lowered.len() as u64, l);
                highest = highest.max(effective(&stay) + lowered.len() as f64);
            }
        }
        holds &= is_enough;
        lowest = Some(lowest.map_or(highest, |lowest| lowest.min(highest)));
    }
    let about = |number: f64| Measured::About(decimal(&format!("{number:.25}")), 13);
    found(holds, lowest.map_or(Measured::Nothing, about))
}

/// exp of the entropy.
fn effective(counts: &[u64]) -> f64 {
    let sum = counts.iter().sum::<u64>() as f64;
    counts.iter().map(|&count| count as f64 / sum).map(|share| -share * share.ln()).sum::<f64>().exp()
}

/// count ≥ e^M, M = Σ c ln c / P, in whole numbers: count^P ≥ Π c^c.
fn is_above_mean(count: u64, stay: &[u64]) -> bool {
    let total: u64 = stay.iter().sum();
    UBig::from(count).pow(total as usize) >= self_powers(stay)
}

fn self_powers(counts: &[u64]) -> UBig {
    counts.iter().map(|&count| UBig::from(count).pow(count as usize)).product()
}

/// P/e^M + r ≥ l, in whole numbers: P^P ≥ (l − r)^P · Π c^c.
fn reaches(stay: &[u64], lowered: u64, l: &RBig) -> bool {
    let rest = l - ratio(lowered, 1);
    let total = stay.iter().sum::<u64>();
    rest <= RBig::ZERO
        || RBig::from(UBig::from(total).pow(total as usize)) >= rest.pow(total as isize) * RBig::from(self_powers(stay))
}

/// The cost of moving the whole's distribution to the group's, record by record: both are repeated
/// until they have equally many.
fn t_closeness(params: &Params<'_>, case: &Case, groups: &[Counts], whole: &Counts) -> Found {
    let values: Vec<u8> = match case.order.is_empty() {
        true => whole.keys().copied().collect(),
        false => case.order.iter().copied().filter(|value| whole.contains_key(value)).collect(),
    };
    let rank = |value: u8| values.iter().position(|known| *known == value).expect("a value of the table") as u64;
    let repeated = |counts: &Counts, times: u64| -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| std::iter::repeat_n(*value, (counts.get(value).copied().unwrap_or(0) * times) as usize))
            .collect()
    };
    let distance = |group: &Counts| {
        let (own, all) = (repeated(group, size(whole)), repeated(whole, size(group)));
        let units = own.len() as u64;
        let cost = match params.text("distance") {
            "ordered" if values.len() < 2 => RBig::ZERO,
            // On a line nothing beats pairing the first with the first, and so on.
            "ordered" => {
                let steps: u64 = own.iter().zip(&all).map(|(a, b)| rank(*a).abs_diff(rank(*b))).sum();
                ratio(steps, values.len() as u64 - 1)
            }
            "hierarchical" => pairing_cost(own, all, &case.hierarchy),
            _ => pairing_cost(own, all, &[(0..u8::MAX).collect()]),
        };
        cost / ratio(units, 1)
    };
    at_most(most(groups.iter().map(|group| Some(distance(group)))), &params.decimal("t"))
}

/// In a hierarchy nothing beats pairing what has the nearest common ancestor first: on level h of H
/// it costs h/H.
fn pairing_cost(mut own: Vec<u8>, mut all: Vec<u8>, levels: &[Vec<u8>]) -> RBig {
    let mut cost = 0;
    for height in 0..=levels.len() as u64 {
        let is_near = |a: u8, b: u8| match levels.get(height as usize) {
            Some(nodes) => nodes[a as usize] == nodes[b as usize],
            None => true,
        };
        own.retain(|&value| match all.iter().position(|&other| is_near(value, other)) {
            Some(partner) => {
                all.swap_remove(partner);
                cost += height;
                false
            }
            None => true,
        });
    }
    ratio(cost, levels.len() as u64)
}

/// 30 digits of the logarithms of the primes that counts of at most six records have.
const LOGARITHMS: [(u64, &str); 3] = [
    (2, "0.693147180559945309417232121458"),
    (3, "1.098612288668109691395245236922"),
    (5, "1.609437912434100374600759333226"),
];

/// The natural logarithm of a fraction of small numbers, correct to more than 25 digits.
fn logarithm(number: &RBig) -> RBig {
    let of = |whole: &UBig| {
        let mut left = whole.clone();
        let mut sum = RBig::ZERO;
        for (prime, digits) in LOGARITHMS {
            while (&left % UBig::from(prime)).is_zero() {
                left /= UBig::from(prime);
                sum += decimal(digits);
            }
        }
        assert!(left.is_one(), "a number with a prime factor above five");
        sum
    };
    let top: UBig = number.numerator().clone().try_into().expect("above zero");
    of(&top) - of(number.denominator())
}

fn lift(group: &Counts, whole: &Counts, value: u8) -> RBig {
    let share = |counts: &Counts| ratio(counts.get(&value).copied().unwrap_or(0), size(counts));
    share(group) / share(whole)
}

fn delta_disclosure(params: &Params<'_>, groups: &[Counts], whole: &Counts, free: &[u8]) -> Found {
    let ignores = params.text("absent") == "ignore";
    let mut largest = RBig::ZERO;
    for group in groups {
        for value in whole.keys().filter(|value| !free.contains(value)) {
            let lift = lift(group, whole, *value);
            if lift.is_zero() && ignores {
                continue;
            }
            if lift.is_zero() {
                return found(false, Measured::Nothing);
            }
            let logarithm = logarithm(&lift);
            largest = largest.max(if logarithm < RBig::ZERO { -logarithm } else { logarithm });
        }
    }
    // No logarithm of a fraction but 1 is a decimal, so that thirty digits tell on which side one
    // with fewer is.
    found(largest < params.decimal("delta"), Measured::About(largest, 24))
}

fn beta_likeness(params: &Params<'_>, groups: &[Counts], whole: &Counts, free: &[u8]) -> Found {
    let enhanced = params.text("variant") == "enhanced";
    let gain = |group: &Counts, value: u8| {
        let gain = (lift(group, whole, value) - RBig::ONE).max(RBig::ZERO);
        let share = ratio(whole[&value], size(whole));
        let is_beyond = enhanced && gain > -logarithm(&share);
        (!is_beyond).then_some(gain)
    };
    let values = |group: &Counts| group.keys().copied().filter(|value| !free.contains(value)).collect::<Vec<u8>>();
    let gains = groups.iter().flat_map(|group| values(group).into_iter().map(move |value| gain(group, value)));
    at_most(most(gains.chain([Some(RBig::ZERO)])), &params.decimal("beta"))
}

/// Theorem 3.1 and Definition 3.3, with f from the attacker or from the table.
fn bayes_optimal(params: &Params<'_>, case: &Case) -> Found {
    let [rho1, rho2] = ["rho1", "rho2"].map(|name| params.decimal(name));
    let everybody = || case.groups.iter().flatten().chain(&case.withheld);
    let counted = || everybody().map(|person| (person.quasi, person.values[0], 1)).collect();
    let joint: Vec<([u8; 2], u8, u64)> = case.joint.clone().unwrap_or_else(counted);
    let f = |quasi: &dyn Fn([u8; 2]) -> bool, value: Option<u8>| -> u64 {
        let matching = joint.iter().filter(|(q, v, _)| quasi(*q) && value.is_none_or(|value| value == *v));
        matching.map(|entry| entry.2).sum()
    };
    let mut values: Vec<u8> = joint.iter().map(|entry| entry.1).chain(everybody().map(|one| one.values[0])).collect();
    values.sort_unstable();
    values.dedup();
    let (mut holds, mut needed) = (true, Some(RBig::ZERO));
    for group in &case.groups {
        let inside = |quasi: [u8; 2]| group.iter().any(|person| person.quasi == quasi);
        let n = count(group.iter().map(|person| person.values[0]));
        if n.keys().any(|value| f(&inside, Some(*value)) == 0) {
            (holds, needed) = (false, None);
            continue;
        }
        for person in group {
            let own = |quasi: [u8; 2]| quasi == person.quasi;
            let prior = |value: u8| ratio(f(&own, Some(value)), f(&own, None));
            let weight = |value: u8| match n.get(&value) {
                None => RBig::ZERO,
                Some(&n) => ratio(n, 1) * prior(value) / ratio(f(&inside, Some(value)), f(&inside, None)),
            };
            if f(&own, None) == 0 || values.iter().all(|value| weight(*value).is_zero()) {
                continue;
            }
            let sum = values.iter().fold(RBig::ZERO, |sum, value| sum + weight(*value));
            for &value in &values {
                let (prior, belief) = (prior(value), weight(value) / &sum);
                if prior < rho1 {
                    holds &= belief <= rho2;
                    needed = needed.map(|needed| needed.max(belief.clone()));
                }
                if prior > RBig::ONE - &rho1 {
                    holds &= belief >= RBig::ONE - &rho2;
                    needed = needed.map(|needed| needed.max(RBig::ONE - &belief));
                }
            }
        }
    }
    found(holds, needed.map_or(Measured::Nothing, Measured::Exactly))
}

/// Belief below c at every point, whatever the attacker knows within it.
fn skyline(params: &Params<'_>, case: &Case) -> Found {
    let worlds = Worlds::new(case);
    let points = read_points(params.text("points"));
    let named: Vec<u8> = points.iter().filter_map(|point| point.value).collect();
    let is_cared = |value: u8| case.sensitive_values.is_empty() || case.sensitive_values.contains(&value);
    let reached: Vec<(bool, RBig)> = points
        .iter()
        .map(|point| {
            let protects = |value: u8| match point.value {
                Some(own) => own == value,
                None => !named.contains(&value) && is_cared(value),
            };
            let belief = worlds.budget(point.budget, &protects);
            (belief < point.c, belief)
        })
        .collect();
    Found { holds: Some(reached.iter().all(|point| point.0)), measured: Measured::Nothing, points: reached }
}

struct Point {
    value: Option<u8>,
    budget: [usize; 3],
    c: RBig,
}

/// `[{ value = "a", l = 1, k = 0, m = 2, c = 0.5 }, …]`
fn read_points(text: &str) -> Vec<Point> {
    let parts = text.split('{').skip(1).map(|part| part.split('}').next().expect("a closing bracket"));
    let read = |part: &str| {
        let find = |name: &str| {
            let pairs = part.split(',').filter_map(|pair| pair.split_once('='));
            let found = pairs.map(|(key, value)| (key.trim(), value.trim())).find(|(key, _)| *key == name);
            found.map(|(_, value)| value.trim_matches('"').to_string())
        };
        let number = |name: &str| find(name).map_or(0, |text| text.parse().expect("a whole number"));
        Point {
            value: find("value").map(|value| value.as_bytes()[0] - b'a'),
            budget: ["l", "k", "m"].map(number),
            c: decimal(&find("c").expect("a confidence")),
        }
    };
    parts.map(read).collect()
}
