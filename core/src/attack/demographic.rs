//! Demographic knowledge: whoever knows how a sensitive value depends on age, or on place, believes
//! other shares than the group's.
//!
//! **Knowledge**: the release, everybody's quasi-identifiers, and for each quasi-identifier by
//! itself how the sensitive values are distributed among people with each of its values, as
//! published statistics tell. The attacker is granted the worst: the distributions of the original
//! table. Without the original there is no finding. **Finds** the people in whose true value such
//! an attacker comes to believe, though the group does not give it away. **Definition**: for a
//! person in group q\* with value q in a quasi-identifier, β(s) ∝ n(q\*,s)·f(s|q)/f(s|q\*):
//! n(q\*,s) is the count of s in the group, f(s|q) the share of s among all people of the original
//! with q, and f(s|q\*) its share among all whose values the group's label stands for. The highest
//! belief is over people, quasi-identifiers and values that need protection. Affected are records
//! with β ≥ 1/2 in their own value and more than its share of the group, for some quasi-identifier.
//! Records, not whole groups, are counted by their highest belief and as above the limit. **Cost**:
//! for each group and quasi-identifier, the different values in it times the different sensitive
//! ones; in parallel over groups. Floats decide where they are clear, exact fractions where not.
//! **Reference**: Machanavajjhala et al. 2007, Theorem 3.1, applied to one quasi-identifier at a
//! time.
//!
//! ```
//! let found = sfumato::attack::example("demographic", &[])?;
//! assert_eq!(found[0].highest.to_f64(), 1.0); // everybody from 13053 has the flu
//! assert_eq!(found[0].people, 6); // in the second group, 14850 leaves two values of three
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::shared::{Belief, Tally, cared_for, limits, over_groups, published_codes, step};
use super::{Attack, Build, Finding, Original, Target};
use crate::candidate::{Counter, dense_ids};
use crate::criterion::{Knowledge, Limit};
use crate::data::{Column, Role};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Params};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rayon::prelude::*;
use std::cmp::{Ordering, Reverse};

/// The description of the demographic attack.
pub const KIND: Kind<Build> = Kind {
    name: "demographic",
    summary: "Measures belief once it is known how sensitive values depend on each quasi-identifier",
    reference: "Machanavajjhala et al. 2007, Theorem 3.1",
    params: &[],
    example: &[],
    build: |params| Box::new(Demographic { params: params.clone() }),
};

struct Demographic {
    params: Params,
}

impl Attack for Demographic {
    fn run(&self, target: &Target<'_>) -> Result<Vec<Finding>> {
        // What a label says about the distribution of values is what this is about: exact values
        // say nothing new.
        let Some(original) = target.original.filter(|_| !target.bucketized) else { return Ok(Vec::new()) };
        let names = target.schema.names(Role::Sensitive);
        names.into_iter().map(|name| self.find(target, original, name)).collect()
    }

    fn reads_hidden_values(&self) -> bool {
        true
    }

    fn is_made(&self, target: &Target<'_>) -> bool {
        !target.bucketized && !target.schema.names(Role::Sensitive).is_empty()
    }
}

impl Demographic {
    fn find(&self, target: &Target<'_>, original: Original<'_>, name: &str) -> Result<Finding> {
        let sensitive = original.table.column(name)?;
        let quasi = target.schema.select(target.release, Role::Quasi)?;
        let sides = quasi.par_iter().map(|release| Side::new(target, original, release, sensitive));
        let codes: Vec<u32> = (0..sensitive.domain().len() as u32).collect();
        let scene = Scene {
            target,
            original,
            sensitive,
            sides: sides.collect::<Result<Vec<_>>>()?,
            cared_for: cared_for(target.schema, sensitive),
            limits: limits(target, name, &codes, Knowledge::Distribution),
        };
        let start = || Sum::new(sensitive.domain().len());
        let sum = over_groups(target.groups, start, |sum, group| scene.visit(sum, group), Sum::merge);
        let knowledge = "the release, everybody's quasi-identifiers, and how the values are distributed among people \
                         with each value of each quasi-identifier"
            .to_string();
        let finding = sum.tally.finding(KIND.name, &self.params, knowledge, target.groups.records());
        let highest = sum.highest.map_or(Fraction::ZERO, |highest| scene.exactly(highest.place));
        let right = Some(sum.right);
        Ok(Finding { on: Some(name.to_string()), highest, right, repeatable: false, ..finding })
    }
}

/// How often each sensitive value occurs with each code: for each code its values, ascending, with
/// their counts.
struct Counts {
    starts: Vec<usize>,
    entries: Vec<(u32, u64)>,
}

impl Counts {
    /// Adds up (code, value, count).
    fn new(codes: usize, mut triples: Vec<(u32, u32, u64)>) -> Self {
        triples.sort_unstable();
        let mut starts = vec![0; codes + 1];
        let mut entries: Vec<(u32, u64)> = Vec::with_capacity(triples.len());
        for same in triples.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            entries.push((same[0].1, same.iter().map(|triple| triple.2).sum()));
            starts[same[0].0 as usize + 1] = entries.len();
        }
        // Codes that do not occur end where the one before them does.
        (1..=codes).for_each(|at| starts[at] = starts[at].max(starts[at - 1]));
        Counts { starts, entries }
    }

    fn of(&self, code: u32) -> &[(u32, u64)] {
        &self.entries[self.starts[code as usize]..self.starts[code as usize + 1]]
    }
}

fn count_of(entries: &[(u32, u64)], value: u32) -> u64 {
    entries.binary_search_by_key(&value, |entry| entry.0).map_or(0, |at| entries[at].1)
}

/// Distinct pairs of codes with how often they occur.
fn pairs(a: (&[u32], usize), b: (&[u32], usize)) -> Vec<(u32, u32, u64)> {
    let (ids, count) = dense_ids(&[a, b], a.0.len());
    let mut pairs = vec![(0, 0, 0); count];
    for ((&id, &a), &b) in ids.iter().zip(a.0).zip(b.0) {
        let pair = &mut pairs[id as usize];
        *pair = (a, b, pair.2 + 1);
    }
    pairs
}

/// One quasi-identifier, as an attacker knows it.
struct Side<'a> {
    /// Label of each published record, and value of each original one.
    labels: &'a [u32],
    values: &'a [u32],
    /// f(s|q) and f(s|q*), as counts: what does not depend on s cancels.
    of_value: Counts,
    of_label: Counts,
}

impl<'a> Side<'a> {
    fn new(target: &Target<'a>, original: Original<'a>, release: &'a Column, sensitive: &Column) -> Result<Self> {
        let column = original.table.column(release.name())?;
        let own = (column.codes(), column.domain().len());
        let of_value = Counts::new(own.1, pairs(own, (sensitive.codes(), sensitive.domain().len())));

        let published: Vec<u32> = original.row_of.iter().map(|&row| own.0[row as usize]).collect();
        let mut members = pairs((release.codes(), release.domain().len()), (&published, own.1));
        // Values of suppressed records only: their labels are told by the hierarchy.
        let mut seen = vec![false; own.1];
        members.iter().for_each(|member| seen[member.1 as usize] = true);
        if seen.contains(&false) {
            let codes = published_codes(target.schema, column, release);
            let unseen = (0u32..).zip(codes).filter(|(value, _)| !seen[*value as usize]);
            members.extend(unseen.filter_map(|(value, label)| Some((label?, value, 0))));
        }
        let triples = members.iter().flat_map(|&(label, value, _)| {
            of_value.of(value).iter().map(move |&(sensitive, count)| (label, sensitive, count))
        });
        let of_label = Counts::new(release.domain().len(), triples.collect());
        Ok(Side { labels: release.codes(), values: column.codes(), of_value, of_label })
    }
}

/// A belief's group, quasi-identifier, its value and the sensitive value.
type BeliefAt = (usize, usize, u32, u32);

#[derive(Clone, Copy)]
struct Highest {
    belief: f64,
    place: BeliefAt,
}

/// What groups add up to, and memory that is used again from group to group.
struct Sum {
    tally: Tally,
    /// The first of the highest beliefs.
    highest: Option<Highest>,
    counter: Counter,
    people: Vec<Person>,
    /// Value of a quasi-identifier and number within the group.
    order: Vec<(u32, u32)>,
    weights: Vec<f64>,
    /// People who have the value that is most believed in, by that belief.
    right: [u64; 20],
}

/// What is found about one record of a group, over all quasi-identifiers.
#[derive(Clone, Copy, Default)]
struct Person {
    highest: f64,
    /// The first value that this is believed of.
    guess: u32,
    above_limit: bool,
    affected: bool,
}

impl Sum {
    fn new(values: usize) -> Self {
        Sum {
            tally: Tally::default(),
            highest: None,
            counter: Counter::new(values),
            people: Vec::new(),
            order: Vec::new(),
            weights: Vec::new(),
            right: [0; 20],
        }
    }

    fn merge(mut self, other: Sum) -> Sum {
        self.tally = self.tally.merge(other.tally);
        self.right.iter_mut().zip(other.right).for_each(|(own, other)| *own += other);
        other.highest.into_iter().for_each(|highest| note(&mut self.highest, highest));
        self
    }
}

/// Keeps the higher belief; of equal ones that of the first place, whatever the order they come in.
fn note(highest: &mut Option<Highest>, one: Highest) {
    let rank = |of: &Highest| (of.belief, Reverse(of.place));
    if highest.is_none_or(|known| rank(&one) > rank(&known)) {
        *highest = Some(one);
    }
}

/// Everything that the attacker works with.
struct Scene<'a> {
    target: &'a Target<'a>,
    original: Original<'a>,
    sensitive: &'a Column,
    sides: Vec<Side<'a>>,
    cared_for: Vec<bool>,
    limits: Vec<Option<Limit>>,
}

/// People of one group with the same value of a quasi-identifier.
struct Alike<'a> {
    place: BeliefAt,
    /// Counts of the group's sensitive values; those with the person's value; and those with the
    /// group's label.
    group: &'a [(u32, u64)],
    own: &'a [(u32, u64)],
    label: &'a [(u32, u64)],
}

impl Alike<'_> {
    /// n(q*,s)·f(s|q)/f(s|q*) for each value of the group.
    fn weights(&self, weights: &mut Vec<f64>) {
        weights.clear();
        weights.extend(self.group.iter().map(|&(value, count)| {
            let [own, label] = [self.own, self.label].map(|counts| count_of(counts, value) as f64);
            count as f64 * own / label
        }));
    }

    /// The order of a belief and a bound: by its float where that is clear.
    fn compare(&self, value: u32, belief: f64, bound: Fraction) -> Ordering {
        let difference = belief - bound.to_f64();
        if difference.abs() > 1e-9 {
            return difference.total_cmp(&0.0);
        }
        self.exactly(value).cmp(&RBig::from_parts(IBig::from(bound.num), UBig::from(bound.den)))
    }

    fn exceeds(&self, value: u32, belief: f64, limit: Limit) -> bool {
        let order = self.compare(value, belief, limit.belief);
        order == Ordering::Greater || (limit.strict && order == Ordering::Equal)
    }

    fn exactly(&self, value: u32) -> RBig {
        let weight = |&(value, count): &(u32, u64)| {
            let top = IBig::from(count) * IBig::from(count_of(self.own, value));
            RBig::from_parts(top, UBig::from(count_of(self.label, value)))
        };
        let sum = self.group.iter().map(weight).fold(RBig::ZERO, |sum, part| sum + part);
        weight(&(value, count_of(self.group, value))) / sum
    }
}

impl Scene<'_> {
    fn value(&self, row: u32) -> u32 {
        self.sensitive.codes()[self.original.row_of[row as usize] as usize]
    }

    fn visit(&self, sum: &mut Sum, group: usize) {
        let rows = self.target.groups.rows(group);
        let Sum { tally, highest, counter, people, order, weights, right } = sum;
        let histogram = counter.count(group, rows.iter().map(|&row| self.value(row)));
        people.clear();
        people.resize(rows.len(), Person::default());
        for (at, side) in self.sides.iter().enumerate() {
            order.clear();
            order.extend(
                (0u32..)
                    .zip(rows)
                    .map(|(person, &row)| (side.values[self.original.row_of[row as usize] as usize], person)),
            );
            order.sort_unstable();
            for alike in order.chunk_by(|a, b| a.0 == b.0) {
                let of = Alike {
                    place: (group, at, alike[0].0, 0),
                    group: histogram.entries(),
                    own: side.of_value.of(alike[0].0),
                    label: side.of_label.of(side.labels[rows[0] as usize]),
                };
                of.weights(weights);
                let found = self.believe(&of, weights, tally, highest);
                for &(_, person) in alike {
                    let known = &mut people[person as usize];
                    if found.highest > known.highest {
                        (known.highest, known.guess) = (found.highest, found.guess);
                    }
                    known.above_limit |= found.above_limit;
                    known.affected |= self.is_affected(&of, weights, self.value(rows[person as usize]), rows.len());
                }
            }
        }
        for (person, &row) in people.iter().zip(rows) {
            tally.count(1, person.highest, person.above_limit);
            right[step(person.highest)] += u64::from(person.highest > 0.0 && person.guess == self.value(row));
        }
        tally.affect(people.iter().filter(|person| person.affected).count() as u64);
    }

    /// Turns weights into beliefs and takes note of them.
    fn believe(&self, of: &Alike<'_>, weights: &mut [f64], tally: &mut Tally, highest: &mut Option<Highest>) -> Person {
        let sum: f64 = weights.iter().sum();
        let mut found = Person::default();
        for (&(value, _), weight) in of.group.iter().zip(weights) {
            *weight /= sum;
            if !self.cared_for[value as usize] {
                continue;
            }
            let limit = self.limits[value as usize];
            let exceeds = limit.is_some_and(|limit| of.exceeds(value, *weight, limit));
            tally.believe(Belief { belief: dyadic(*weight), limit, exceeds });
            let place = (of.place.0, of.place.1, of.place.2, value);
            note(highest, Highest { belief: *weight, place });
            if *weight > found.highest {
                (found.highest, found.guess) = (*weight, value);
            }
            found.above_limit |= exceeds;
        }
        found
    }

    /// Whether a person's own value is believed more likely than not, and likelier than the group
    /// says.
    fn is_affected(&self, of: &Alike<'_>, beliefs: &[f64], value: u32, size: usize) -> bool {
        // Where the label stands for this value alone, nothing is learned.
        if !self.cared_for[value as usize] || of.own == of.label {
            return false;
        }
        let at = of.group.binary_search_by_key(&value, |entry| entry.0).expect("the person is in the group");
        let share = Fraction::new(u128::from(of.group[at].1), size as u128);
        let half = Fraction::new(1, 2);
        of.compare(value, beliefs[at], half) != Ordering::Less
            && of.compare(value, beliefs[at], share) == Ordering::Greater
    }

    /// The exact belief at a place; rounded up if it is a fraction of too large numbers.
    fn exactly(&self, (group, side, own, value): BeliefAt) -> Fraction {
        let side = &self.sides[side];
        let rows = self.target.groups.rows(group);
        let mut counter = Counter::new(self.sensitive.domain().len());
        let histogram = counter.count(group, rows.iter().map(|&row| self.value(row)));
        let of = Alike {
            place: (group, 0, own, value),
            group: histogram.entries(),
            own: side.of_value.of(own),
            label: side.of_label.of(side.labels[rows[0] as usize]),
        };
        rounded_up(of.exactly(value))
    }
}

/// A belief in steps fine enough to be told apart.
fn dyadic(belief: f64) -> Fraction {
    const STEPS: u128 = 1 << 60;
    Fraction::new((belief * STEPS as f64) as u128, STEPS)
}

fn rounded_up(belief: RBig) -> Fraction {
    const STEPS: u128 = 1 << 100;
    let (num, den) = belief.into_parts();
    match (u128::try_from(&num), u128::try_from(&den)) {
        (Ok(num), Ok(den)) => Fraction::new(num, den),
        _ => {
            let steps = (num * IBig::from(STEPS)) / IBig::from(den);
            Fraction::new((u128::try_from(steps).unwrap_or(STEPS) + 1).min(STEPS), STEPS)
        }
    }
}
