//! Background knowledge: whoever knows more than the release believes more.
//!
//! **Knowledge**: the release, everybody's quasi-identifiers, and a budget: `eliminate` values that
//! the person does not have, the values of `others` other people, and `family` relatives of whom
//! none has a value unless the person has it. Whichever tell most about her. **Finds** the highest
//! belief in a value that needs protection, the people whose value becomes certain, and how many
//! people something is believed about with more than `above`. **Definition**: belief in a value of
//! a group is 1/(NR + 1), NR the least negated ratio with the target in that group
//! ([`knowledge`](crate::criterion::knowledge)); with `eliminate` alone, r/(n − the counts of the
//! `eliminate` most frequent *other* values). Affected are the records whose own value needs
//! protection and is believed in with 1. **Cost**: sorting the counts of each group; with a family,
//! another pass. **Reference**: Machanavajjhala et al. 2007, Sections 1.1 and 4; Chen, LeFevre and
//! Ramakrishnan 2007.
//!
//! ```
//! let found = sfumato::attack::example("background-knowledge", &[("eliminate", "1")])?;
//! assert_eq!(found[0].highest.to_f64(), 1.0); // not the flu? then cancer
//! assert_eq!(found[0].people, 3); // the first group has but two diseases
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::homogeneity::{believe_each, tally_groups};
use super::shared::{Sensitive, for_each_sensitive, on_the_right_side, over_groups};
use super::{Attack, Believed, Build, Finding, Target};
use crate::candidate::{Counter, Histogram};
use crate::criterion::knowledge::{Family, Shape as Told, Target as About, Together};
use crate::criterion::minima::{Quantity, is_clear};
use crate::criterion::{Budget, Case, Knowledge};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Params, Range, Raw, Shape};
use dashu_ratio::RBig;

/// The description of the background-knowledge attack.
pub const KIND: Kind<Build> = Kind {
    name: "background-knowledge",
    summary: "Measures belief of somebody who knows values that a person does not have, other people and relatives",
    reference: "Machanavajjhala et al. 2007, Sections 1.1 and 4; Chen et al. 2007",
    params: &[
        Param {
            name: "eliminate",
            summary: "how many values are known that the person does not have",
            shape: Shape::Count(0),
            default: Some("1"),
        },
        Param {
            name: "others",
            summary: "how many other people's values are known",
            shape: Shape::Count(0),
            default: Some("0"),
        },
        Param {
            name: "family",
            summary: "how many relatives are known, none of whom has the value unless the person has it",
            shape: Shape::Count(0),
            default: Some("0"),
        },
        Param {
            name: "above",
            summary: "the belief above which people are counted",
            shape: Shape::Decimal(Range::UNIT),
            default: Some("0.5"),
        },
    ],
    example: &[("eliminate", "2"), ("others", "1"), ("family", "1")],
    build: |params| Box::new(BackgroundKnowledge { params: params.clone() }),
};

struct BackgroundKnowledge {
    params: Params,
}

impl Attack for BackgroundKnowledge {
    fn run(&self, target: &Target<'_>) -> Result<Vec<Finding>> {
        let budget = budget(&self.params);
        let above = self.params.decimal("above").fraction();
        for_each_sensitive(target, granted(budget), |sensitive| {
            let reach = Reach::new(target, sensitive, budget);
            let tally = tally_groups(target, sensitive, |group, tally| {
                let near = |code: u32| [sensitive.limits[code as usize].map(|limit| limit.belief), Some(above)];
                let belief = |code: u32, count: u32| reach.belief(group, code, count, &near(code));
                let highest = believe_each(group, sensitive, tally, belief);
                tally.count_above(if highest > above { group.size() } else { 0 });
                let cared = group.entries().iter().filter(|entry| sensitive.cared_for[entry.0 as usize]);
                let certain = cared.filter(|(code, count)| belief(*code, *count) == Fraction::ONE);
                tally.affect(certain.map(|entry| u64::from(entry.1)).sum());
            });
            let people_above = tally.above;
            let mut finding = tally.finding(KIND.name, &self.params, knowledge(budget), target.groups.records());
            finding.details.push(("people_above", people_above as f64));
            Finding { on: Some(sensitive.column.name().to_string()), ..finding }
        })
    }

    fn each(&self, target: &Target<'_>) -> Result<Option<Vec<Believed>>> {
        each(target, &self.params).map(Some)
    }
}

/// The parameters for a budget.
pub(super) fn with(budget: Budget) -> Params {
    let number = |count: u64| Raw::Number(count.to_string());
    let written = [("eliminate", number(budget.l)), ("others", number(budget.k)), ("family", number(budget.m))];
    KIND.check(&written).expect("points have such numbers")
}

fn budget(params: &Params) -> Budget {
    Budget::new(params.count("eliminate"), params.count("others"), params.count("family"))
}

/// What criteria are asked to promise against.
fn granted(budget: Budget) -> Knowledge {
    match budget {
        Budget { l: 0, k: 0, m: 0 } => Knowledge::Nothing,
        Budget { l, k: 0, m: 0 } => Knowledge::Eliminated(l),
        budget => Knowledge::Budget(budget),
    }
}

/// The knowledge in a sentence.
fn knowledge(budget: Budget) -> String {
    let counted = |count: u64, one: &str, several: &str| match count {
        0 => None,
        1 => Some(one.to_string()),
        count => Some(format!("{count} {several}")),
    };
    let known = [
        Some("the release".to_string()),
        Some("everybody's quasi-identifiers".to_string()),
        counted(budget.l, "one value that the person does not have", "values that the person does not have"),
        counted(budget.k, "another person's value", "other people's values"),
        counted(
            budget.m,
            "one relative who has no value unless the person has it",
            "relatives of whom none has a value unless the person has it",
        ),
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    let (last, first) = known.split_last().expect("the release is known");
    format!("{}, and {last}", first.join(", "))
}

/// What is believed about each group and each of its values that needs protection, with the budget
/// of these parameters.
fn each(target: &Target<'_>, params: &Params) -> Result<Vec<Believed>> {
    let budget = budget(params);
    let found = for_each_sensitive(target, granted(budget), |sensitive| {
        let reach = Reach::new(target, sensitive, budget);
        let mut counter = Counter::new(sensitive.column.domain().len());
        let mut found = Vec::new();
        for group in 0..target.groups.len() {
            let rows = target.groups.rows(group);
            let histogram = counter.count(group, rows.iter().map(|&row| sensitive.column.codes()[row as usize]));
            let cared = histogram.entries().iter().filter(|entry| sensitive.cared_for[entry.0 as usize]);
            found.extend(cared.map(|&(code, count)| Believed {
                on: sensitive.column.name().to_string(),
                group,
                first_record: rows[0] as usize + 1,
                people: histogram.size(),
                value: sensitive.column.domain().label(code).to_string(),
                belief: reach.belief(&histogram, code, count, &[]).to_f64(),
            }));
        }
        found
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// What the target's group tells, and the relatives' where it is another.
type Way<'a> = (&'a dyn Quantity, Option<(Family, &'a Told)>);

/// What a budget reaches in a column's groups.
struct Reach {
    budget: Budget,
    /// For each value the least that a family tells, wherever it is: with the others known beside
    /// it, and without. Nothing without a family.
    families: Vec<[Option<Told>; 2]>,
}

impl Reach {
    fn new(target: &Target<'_>, sensitive: &Sensitive<'_>, budget: Budget) -> Reach {
        let families = if budget.m == 0 { Vec::new() } else { lowest_families(target, sensitive, budget) };
        Reach { budget, families }
    }

    /// The belief in a value of a group. Floats do unless it is near one of some numbers, which it
    /// is then on the right side of.
    ///
    /// # Claim
    /// With the target in g, relatives and others each congregate in one group (Theorem 1's proof
    /// keeps the target's group), and the others are with the target or with the relatives
    /// (Proposition 5).
    fn belief(&self, group: &Histogram<'_>, code: u32, count: u32, near: &[Option<Fraction>]) -> Fraction {
        let Budget { l, k, m } = self.budget;
        let shape = told(group, count, l);
        let own = u128::from(count);
        if m == 0 {
            let left = group.size().saturating_sub(u64::from(count) + shape.top(l)).saturating_sub(k);
            return Fraction::new(own, own + u128::from(left));
        }
        let case = Case::Single;
        let [others_there, alone] = &self.families[code as usize];
        let quantities: [Way<'_>; 3] = [
            (&Together { case, budget: self.budget }, None),
            (&About { case, l, k: 0 }, others_there.as_ref().map(|told| (Family { case, m, k }, told))),
            (&About { case, l, k }, alone.as_ref().map(|told| (Family { case, m, k: 0 }, told))),
        ];
        let float =
            |(own, family): &Way<'_>| own.float(&shape) * family.map_or(1.0, |(family, told)| family.float(told));
        let belief = 1.0 / (1.0 + quantities.iter().map(float).fold(f64::INFINITY, f64::min));
        if near.iter().flatten().all(|near| is_clear(belief, near.to_f64())) && belief < 1.0 {
            return Fraction::nearest(belief);
        }
        let exact =
            |(own, family): &Way<'_>| own.exact(&shape) * family.map_or(RBig::ONE, |(family, told)| family.exact(told));
        let ratio = quantities.iter().map(exact).min().expect("there are three");
        on_the_right_side(RBig::ONE / (ratio + RBig::ONE), near)
    }
}

/// What a group tells about a value with this count.
fn told(group: &Histogram<'_>, count: u32, l: u64) -> Told {
    let mut own = true;
    let others = group.descending().iter().filter(|&&other| {
        let is_own = own && other == count;
        own &= !is_own;
        !is_own
    });
    let others = others.take(usize::try_from(l).unwrap_or(usize::MAX)).copied().collect();
    Told { people: group.size(), own: u64::from(count), others }
}

/// For each value, the groups in which relatives tell most.
fn lowest_families(target: &Target<'_>, sensitive: &Sensitive<'_>, budget: Budget) -> Vec<[Option<Told>; 2]> {
    let (codes, domain) = (sensitive.column.codes(), sensitive.column.domain().len());
    let Budget { k, m, .. } = budget;
    let quantities = [Family { case: Case::Single, m, k }, Family { case: Case::Single, m, k: 0 }];
    let lower = |known: &mut [Option<Told>; 2], told: &Told| {
        for (known, quantity) in known.iter_mut().zip(&quantities) {
            if known.as_ref().is_none_or(|known| is_lower(quantity, told, known)) {
                *known = Some(told.clone());
            }
        }
    };
    let start = || (vec![[None, None]; domain], Counter::new(domain));
    let see = |(lowest, counter): &mut (Vec<[Option<Told>; 2]>, Counter), group: usize| {
        let histogram = counter.count(group, target.groups.rows(group).iter().map(|&row| codes[row as usize]));
        for &(code, count) in histogram.entries() {
            lower(&mut lowest[code as usize], &told(&histogram, count, 0));
        }
    };
    let merge = |mut a: (Vec<[Option<Told>; 2]>, Counter), b: (Vec<[Option<Told>; 2]>, Counter)| {
        for (known, others) in a.0.iter_mut().zip(&b.0) {
            others.iter().flatten().for_each(|told| lower(known, told));
        }
        a
    };
    over_groups(target.groups, start, see, merge).0
}

fn is_lower(quantity: &Family, one: &Told, other: &Told) -> bool {
    let (a, b) = (quantity.float(one), quantity.float(other));
    if is_clear(a, b) || one == other {
        return a < b;
    }
    // Of equals always the same one, in whatever order groups come: floats may differ in the last
    // digit.
    let order = quantity.exact(one).cmp(&quantity.exact(other));
    order.then_with(|| (one.people, one.own).cmp(&(other.people, other.own))).is_lt()
}

#[cfg(test)]
mod tests {
    use super::super::{Attack, Promises};
    use super::*;
    use crate::candidate::Groups;
    use crate::data::{Column, Formats, Schema, Table};
    use proptest::prelude::*;
    use std::path::Path;

    /// Every way to put so many things into so many groups.
    fn shared_out(things: u64, groups: usize) -> Vec<Vec<u64>> {
        if groups == 1 {
            return vec![vec![things]];
        }
        let rest = |first: u64| shared_out(things - first, groups - 1).into_iter().map(move |rest| (first, rest));
        (0..=things).flat_map(rest).map(|(first, rest)| [vec![first], rest].concat()).collect()
    }

    /// The least negated ratio with the target in one group and others and relatives anywhere.
    fn lowest(groups: &[Option<Told>], target: usize, budget: Budget) -> RBig {
        let case = Case::Single;
        let mut lowest: Option<RBig> = None;
        for others in shared_out(budget.k, groups.len()) {
            for relatives in shared_out(budget.m, groups.len()) {
                let mut product =
                    About { case, l: budget.l, k: others[target] }.exact(groups[target].as_ref().unwrap());
                for (at, told) in groups.iter().enumerate() {
                    let Some(told) = told else { continue };
                    let known = others[at] + u64::from(at == target);
                    product *= Family { case, m: relatives[at], k: known }.exact(told);
                }
                lowest = Some(lowest.map_or(product.clone(), |lowest| lowest.min(product)));
            }
        }
        lowest.unwrap()
    }

    proptest! {
        /// Beliefs about each group are those of the best of all ways to spread others and
        /// relatives.
        #[test]
        fn nothing_is_gained_by_spreading(
            rows in proptest::collection::vec((0u32..3, 0u32..3), 8..24), l in 0u64..2, k in 0u64..3, m in 0u64..3,
        ) {
            let table = Table::new(vec![
                Column::from_values("zip", rows.iter().map(|row| row.0.to_string())),
                Column::from_values("s", rows.iter().map(|row| row.1.to_string())),
            ]).unwrap();
            let schema = Schema::of(&["zip"], &["s"]);
            let groups = Groups::by_columns(&[table.column("zip").unwrap()], table.rows());
            // Where somebody does not fit, all is known anyway.
            prop_assume!((0..groups.len()).all(|group| groups.size(group) as u64 > k + m));
            let promises = Promises::nothing();
            let formats = Formats::default();
            let target = Target {
                release: &table, groups: &groups, bucketized: false, schema: &schema, original: None, making: None,
                class: None,
                is_conditioned: false,
                missing: 0,
                is_missing_by_value: false,
            suppressed: None,
                promises: &promises, formats: &formats, folder: Path::new("."),
            };
            let number = |name: &'static str, count: u64| (name, crate::kind::Raw::Number(count.to_string()));
            let params = KIND.check(&[number("eliminate", l), number("others", k), number("family", m)]).unwrap();
            let budget = Budget::new(l, k, m);
            let mut highest: f64 = 0.0;
            for found in each(&target, &params).unwrap() {
                let code = table.column("s").unwrap().domain().code(&found.value).unwrap();
                let told: Vec<Option<Told>> = (0..groups.len()).map(|group| {
                    let mut counter = Counter::new(3);
                    let codes = table.column("s").unwrap().codes();
                    let histogram = counter.count(group, groups.rows(group).iter().map(|&row| codes[row as usize]));
                    let count = histogram.count(code);
                    (count > 0).then(|| super::told(&histogram, count, l))
                }).collect();
                let ratio = lowest(&told, found.group, budget);
                let belief = (RBig::ONE / (ratio + RBig::ONE)).to_f64().value();
                prop_assert!((belief - found.belief).abs() < 1e-12, "{found:?}: {belief}");
                highest = highest.max(belief);
            }
            let finding = BackgroundKnowledge { params }.run(&target).unwrap().remove(0);
            prop_assert!((finding.highest.to_f64() - highest).abs() < 1e-12);
        }
    }

    #[test]
    fn a_belief_stays_on_its_side_of_a_limit() {
        let half = Fraction::new(1, 2);
        let tiny = RBig::from_parts(1.into(), dashu_int::UBig::ONE << 200);
        let exact = RBig::from_parts(1.into(), 2u8.into());
        assert!(on_the_right_side(&exact + &tiny, &[Some(half)]) > half);
        assert!(on_the_right_side(&exact - &tiny, &[Some(half)]) < half);
        assert_eq!(on_the_right_side(exact, &[Some(half)]), half);
    }
}
