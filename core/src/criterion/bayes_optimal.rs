//! Bayes-optimal (ρ₁,ρ₂)-privacy: the belief of an attacker who knows the joint distribution does
//! not jump.
//!
//! **Promises** that for every person and value, a prior belief below ρ₁ does not become a belief
//! above ρ₂, nor one above 1 − ρ₁ one below 1 − ρ₂. **Threat**: an attacker who knows how sensitive
//! values depend on quasi-identifiers, and computes. **Definition**: with f(q,s) the joint
//! distribution, prior α = f(s|q), and belief after seeing the release β ∝
//! n(q\*,s)·f(s|q)/f(s|q\*), n(q\*,s) the count of s in the group and f(s|q\*) over all q that the
//! group stands for. f is a file (`joint = "file.csv"`: the quasi-identifier columns, the sensitive
//! column and one column of weights), or estimated from the table that is checked
//! (`joint = "table"`: belief then equals prior for every combination that is whole in its group,
//! so it tells something only where groups share a combination, as bucketized ones do). In a file,
//! a combination belongs to a group when its values, or labels of their hierarchies, are those of
//! the group. A group with values that f rules out is a breach. **Cost**: combinations in a group
//! times sensitive values. Not monotone: merging groups can create a breach (Theorem 5.1).
//! **Reference**: Machanavajjhala et al. 2007, Theorem 3.1, Definition 3.3; Evfimievski et al.
//! 2003.
//!
//! ```
//! let verdict = sfumato::example("bayes-optimal", &[("rho1", "0.4"), ("rho2", "0.6")])?;
//! assert!(verdict.holds);
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::{Bound, Build, Context, Criterion, Evidence, Holders, Measure, Merging, On, Properties, Scope, Subject};
use crate::candidate::{Histogram, Records, dense_ids};
use crate::data::hierarchy::Hierarchy;
use crate::data::{Column, ReadOptions, Role, Table, csv};
use crate::error::{Error, Result};
use crate::exact::{Decimal, Fraction};
use crate::kind::{Kind, Param, Range, Shape};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use smallvec::{SmallVec, smallvec};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

const RHO: Param = Param { name: "rho1", summary: "", shape: Shape::Decimal(Range::UNIT), default: None };

/// The description of Bayes-optimal privacy.
pub const KIND: Kind<Build> = Kind {
    name: "bayes-optimal",
    summary: "No belief of an attacker who knows the joint distribution rises from below rho1 to above rho2, or falls likewise",
    reference: "Machanavajjhala et al. 2007, Theorem 3.1 and Definition 3.3",
    params: &[
        Param { name: "rho1", summary: "prior beliefs below this are low", ..RHO },
        Param { name: "rho2", summary: "beliefs above this are high", ..RHO },
        Param {
            name: "joint",
            summary: "the joint distribution: a file, or estimated from the table",
            shape: Shape::FileOr("table"),
            default: Some("table"),
        },
    ],
    example: &[("rho1", "0.3"), ("rho2", "0.6")],
    build: Build { on: On::Column, bind },
};

fn bind(context: &Context<'_>) -> Result<Bound> {
    let [rho1, rho2] = ["rho1", "rho2"].map(|name| context.params.decimal(name).fraction());
    if rho1 >= rho2 {
        return Err(Error::plan("bayes-optimal: rho1 must be below rho2").help("e.g. rho1 = 0.3, rho2 = 0.6"));
    }
    let sensitive = context.column()?;
    let (records, table) = (context.records, context.records.rows());
    let quasi = context.schema.select(table, Role::Quasi)?;
    let coded: Vec<(&[u32], usize)> = quasi.iter().map(|column| (column.codes(), column.domain().len())).collect();
    let (regions, region_count) = dense_ids(&coded, table.rows());
    let values = sensitive.domain().len();
    let pair = [(regions.as_slice(), region_count), (sensitive.codes(), values)];
    let (subject, pairs) = dense_ids(&pair, table.rows());
    let mut pair_of_code = vec![(0, 0); pairs];
    for ((&code, &region), &value) in subject.iter().zip(&regions).zip(sensitive.codes()) {
        pair_of_code[code as usize] = (region, value);
    }

    let (joint, members) = match context.params.file("joint") {
        None => {
            let joint = Joint::of_records(records, &regions, region_count, sensitive);
            (joint, (0..region_count as u32).map(|q| vec![q]).collect())
        }
        Some(path) => {
            let path = context.folder.join(path);
            let file = JointFile::read(&path, &quasi, sensitive).map_err(|error| error.file(&path))?;
            let members = file.members(context, &quasi, &regions, region_count).map_err(|error| error.file(&path))?;
            (file.joint, members)
        }
    };
    let criterion = BayesOptimal { rho1, rho2, values: joint.values, pair_of_code, members, joint };
    Ok(Bound {
        subject: Subject::Rows(subject, pairs),
        criterion: Arc::new(criterion),
        holders: Holders::OneEach,
        goes_by: None,
    })
}

/// Weights of (combination, value), one row of values per combination.
struct Joint {
    weights: Vec<u64>,
    values: usize,
}

impl Joint {
    fn of_records(records: Records<'_>, regions: &[u32], count: usize, sensitive: &Column) -> Joint {
        let values = sensitive.domain().len();
        let mut weights = vec![0; count * values];
        for (row, (&region, &value)) in regions.iter().zip(sensitive.codes()).enumerate() {
            weights[region as usize * values + value as usize] += records.weight(row);
        }
        Joint { weights, values }
    }

    fn row(&self, combination: u32) -> &[u64] {
        &self.weights[combination as usize * self.values..][..self.values]
    }
}

/// A joint distribution from a file: its combinations, column by column, and their weights.
struct JointFile {
    columns: Vec<Column>,
    joint: Joint,
}

impl JointFile {
    fn read(path: &Path, quasi: &[&Column], sensitive: &Column) -> Result<JointFile> {
        let file = std::fs::File::open(path).map_err(|error| Error::io(&error, path))?;
        let table = csv::read_from(file, &ReadOptions::default())?;
        let known: Vec<&str> = quasi.iter().map(|column| column.name()).chain([sensitive.name()]).collect();
        for name in &known {
            table.column(name)?;
        }
        let others: Vec<&Column> = table.columns().iter().filter(|column| !known.contains(&column.name())).collect();
        let [weight] = others.as_slice() else {
            let message = format!("a joint distribution has one column of weights, this file has {}", others.len());
            let help = "columns: the quasi-identifiers, the sensitive column, and one more that holds numbers";
            return Err(Error::data(message).help(help));
        };
        JointFile::collect(&table, quasi, sensitive, weight)
    }

    fn collect(table: &Table, quasi: &[&Column], sensitive: &Column, weight: &Column) -> Result<JointFile> {
        let own: Vec<&Column> = quasi.iter().map(|column| table.column(column.name())).collect::<Result<_>>()?;
        let coded: Vec<(&[u32], usize)> = own.iter().map(|column| (column.codes(), column.domain().len())).collect();
        let (ids, count) = dense_ids(&coded, table.rows());
        let weights = whole_weights(weight)?;
        // Values that the table lacks come after those it has: nobody has them, and the attacker's
        // prior knows them.
        let stated = table.column(sensitive.name())?;
        let mut values = sensitive.domain().len();
        let mut next_value = || {
            values += 1;
            values as u32 - 1
        };
        let value_of: Vec<u32> = stated
            .domain()
            .labels()
            .iter()
            .map(|label| sensitive.domain().code(label).unwrap_or_else(&mut next_value))
            .collect();
        let mut joint = Joint { weights: vec![0; count * values], values };
        let mut first_row = vec![0; count];
        for row in 0..table.rows() {
            first_row[ids[row] as usize] = row;
            let value = value_of[stated.codes()[row] as usize];
            let sum = &mut joint.weights[ids[row] as usize * values + value as usize];
            *sum = sum.checked_add(weights[weight.codes()[row] as usize]).ok_or_else(|| {
                Error::data(format!("column \"{}\": the weights add up to too much", weight.name()))
                    .help("use smaller weights: only their proportions matter")
            })?;
        }
        let columns = own
            .iter()
            .map(|column| Column::from_values(column.name(), first_row.iter().map(|&row| column.value(row))))
            .collect();
        Ok(JointFile { columns, joint })
    }

    /// For each region of the table the combinations that it stands for.
    fn members(
        &self,
        context: &Context<'_>,
        quasi: &[&Column],
        regions: &[u32],
        count: usize,
    ) -> Result<Vec<Vec<u32>>> {
        let reaches: Vec<HashMap<String, HashSet<u32>>> =
            self.columns.iter().map(|column| labels_of(context, column)).collect::<Result<_>>()?;
        let mut first_row = vec![0; count];
        regions.iter().enumerate().for_each(|(row, &region)| first_row[region as usize] = row);
        let everything: Vec<u32> = (0..self.columns.first().map_or(0, |column| column.codes().len()) as u32).collect();
        let mut members = Vec::with_capacity(count);
        for row in first_row {
            let mut left = everything.clone();
            for ((column, own), reach) in quasi.iter().zip(&self.columns).zip(&reaches) {
                let reached = reach.get(column.value(row));
                left.retain(|&q| reached.is_some_and(|codes| codes.contains(&own.codes()[q as usize])));
            }
            if left.is_empty() {
                let message =
                    format!("the joint distribution says nothing about the group of {}", context.records.row_name(row));
                return Err(Error::data(message).help("list every combination of quasi-identifiers that the table has"));
            }
            members.push(left);
        }
        Ok(members)
    }
}

/// For each label the base codes of the column that it stands for, on any level of the column's
/// hierarchy.
fn labels_of(context: &Context<'_>, column: &Column) -> Result<HashMap<String, HashSet<u32>>> {
    let mut reach: HashMap<String, HashSet<u32>> = HashMap::new();
    let bound = context.schema.find(column.name()).and_then(|spec| spec.rule.as_deref());
    let hierarchy = bound.map(|rule| Hierarchy::bind(rule, column)).transpose()?;
    for code in 0..column.domain().len() as u32 {
        reach.entry(column.domain().label(code).to_string()).or_default().insert(code);
        for level in 1..=hierarchy.as_ref().map_or(0, Hierarchy::height) {
            let label = hierarchy.as_ref().expect("there are levels").label(level, code);
            reach.entry(label.to_string()).or_default().insert(code);
        }
    }
    Ok(reach)
}

/// The numbers of a column as whole multiples of a common unit.
fn whole_weights(column: &Column) -> Result<Vec<u64>> {
    let wrong = |reason: &str| Error::data(format!("column \"{}\": a weight {reason}", column.name()));
    let parse = |label: &str| -> Result<Fraction> {
        let number: Decimal = label.parse().map_err(wrong)?;
        if number.is_negative() { Err(wrong("is negative")) } else { Ok(number.fraction()) }
    };
    let fractions = column.domain().labels().iter().map(parse).collect::<Result<Vec<_>>>()?;
    // In lowest terms denominators divide powers of ten, so a power of ten serves all.
    let mut unit: u128 = 1;
    while fractions.iter().any(|fraction| !unit.is_multiple_of(fraction.den)) {
        unit =
            unit.checked_mul(10).filter(|&unit| unit <= 10u128.pow(18)).ok_or_else(|| wrong("has over 18 digits"))?;
    }
    let whole = |fraction: &Fraction| {
        fraction.num.checked_mul(unit).and_then(|scaled| u64::try_from(scaled / fraction.den).ok())
    };
    fractions.iter().map(|fraction| whole(fraction).ok_or_else(|| wrong("has too many digits"))).collect()
}

struct BayesOptimal {
    rho1: Fraction,
    rho2: Fraction,
    values: usize,
    /// Region and sensitive value of each code of the subject.
    pair_of_code: Vec<(u32, u32)>,
    /// The combinations that each region stands for.
    members: Vec<Vec<u32>>,
    joint: Joint,
}

/// What an attacker sees of one group.
struct Sight {
    combinations: SmallVec<[u32; 8]>,
    /// n(q*,s)
    counts: SmallVec<[u64; 32]>,
    /// f(q*,s), as weights.
    weights: SmallVec<[u128; 32]>,
}

impl BayesOptimal {
    fn sight(&self, group: &Histogram<'_>) -> Sight {
        let mut sight = Sight {
            combinations: SmallVec::new(),
            counts: smallvec![0; self.values],
            weights: smallvec![0; self.values],
        };
        for &(code, count) in group.entries() {
            let (region, value) = self.pair_of_code[code as usize];
            sight.counts[value as usize] += count;
            sight.combinations.extend_from_slice(&self.members[region as usize]);
        }
        sight.combinations.sort_unstable();
        sight.combinations.dedup();
        for &combination in &sight.combinations {
            for (total, weight) in sight.weights.iter_mut().zip(self.joint.row(combination)) {
                *total += u128::from(*weight);
            }
        }
        sight
    }

    /// Whether one combination suffers no breach, and the ρ₂ that it would need.
    fn combination(&self, sight: &Sight, row: &[u64]) -> (bool, f64) {
        let total: u128 = row.iter().map(|&weight| u128::from(weight)).sum();
        let share = |value: usize| sight.counts[value] as f64 * row[value] as f64 / sight.weights[value].max(1) as f64;
        let sum: f64 = (0..self.values).map(share).sum();
        let (mut holds, mut needed) = (true, 0.0f64);
        if total == 0 || sum == 0.0 {
            return (holds, needed);
        }
        let high = Fraction::new(self.rho1.den - self.rho1.num, self.rho1.den);
        for value in 0..self.values {
            let prior = Fraction::new(u128::from(row[value]), total);
            let belief = share(value) / sum;
            if prior < self.rho1 {
                holds &= !self.exceeds(belief, || self.exact_belief(sight, row, value));
                needed = needed.max(belief);
            }
            if prior > high {
                holds &= !self.exceeds(1.0 - belief, || RBig::ONE - self.exact_belief(sight, row, value));
                needed = needed.max(1.0 - belief);
            }
        }
        (holds, needed)
    }

    /// Whether a belief is above ρ₂: by the float when that is clear, else exactly.
    fn exceeds(&self, belief: f64, exact: impl FnOnce() -> RBig) -> bool {
        let limit = self.rho2.to_f64();
        if (belief - limit).abs() > 1e-9 {
            return belief > limit;
        }
        exact() > RBig::from_parts(IBig::from(self.rho2.num), UBig::from(self.rho2.den))
    }

    fn exact_belief(&self, sight: &Sight, row: &[u64], value: usize) -> RBig {
        let share = |value: usize| {
            let top = IBig::from(sight.counts[value]) * IBig::from(row[value]);
            RBig::from_parts(top, UBig::from(sight.weights[value].max(1)))
        };
        let sum = (0..self.values).map(share).fold(RBig::ZERO, |sum, part| sum + part);
        share(value) / sum
    }
}

impl Criterion for BayesOptimal {
    /// # Claim
    /// By Theorem 3.1 the belief of an attacker with joint distribution f about a person with
    /// combination q in a group is `n(q*,s)·f(s|q)/f(s|q*)`, normalised over s; factors that do not
    /// depend on s cancel, so weights need no normalisation.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let sight = self.sight(group);
        let ruled_out = sight.counts.iter().zip(&sight.weights).any(|(&count, &weight)| count > 0 && weight == 0);
        if ruled_out {
            return Evidence::of(group, false, [Measure::most_real(f64::INFINITY)]);
        }
        let (mut holds, mut needed) = (true, 0.0f64);
        for &combination in &sight.combinations {
            let (fine, own) = self.combination(&sight, self.joint.row(combination));
            holds &= fine;
            needed = needed.max(own);
        }
        Evidence::of(group, holds, [Measure::most_real(needed)])
    }

    fn properties(&self) -> Properties {
        Properties { scope: Scope::Original, ..Properties::of(Merging::MayViolate) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Counter;
    use proptest::prelude::*;

    const VALUES: usize = 3;

    fn fraction(num: u64, den: u64) -> RBig {
        RBig::from_parts(IBig::from(num), UBig::from(den))
    }

    /// Whether one group with counts of values suffers no breach, in rationals, as the definition
    /// says.
    fn plain(joint: &[[u64; VALUES]], counts: [u32; VALUES], rho1: &RBig, rho2: &RBig) -> bool {
        let of_group = |value: usize| joint.iter().map(|row| row[value]).sum::<u64>();
        if (0..VALUES).any(|value| counts[value] > 0 && of_group(value) == 0) {
            return false;
        }
        let one = || RBig::ONE;
        joint.iter().all(|row| {
            let weight = |value: usize| match counts[value] {
                0 => RBig::ZERO,
                count => fraction(u64::from(count) * row[value], of_group(value)),
            };
            let sum = weight(0) + weight(1) + weight(2);
            let total: u64 = row.iter().sum();
            // Nobody with this combination can be in the group.
            if sum == RBig::ZERO {
                return true;
            }
            (0..VALUES).all(|value| {
                let (prior, belief) = (fraction(row[value], total), weight(value) / sum.clone());
                let rises = prior < *rho1 && belief > *rho2;
                let falls = prior > one() - rho1.clone() && belief < one() - rho2.clone();
                !rises && !falls
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// Small weights, so that beliefs often are at the threshold.
        #[test]
        fn verdicts_are_those_of_the_definition(
            joint in proptest::collection::vec([0u64..4, 0u64..4, 0u64..4], 1..4),
            counts in [0u32..4, 0u32..4, 0u32..4],
            (rho1, rho2) in prop_oneof![Just(((1, 3), (1, 2))), Just(((2, 5), (2, 3))), Just(((1, 2), (3, 5))), Just(((1, 4), (1, 3)))],
        ) {
            prop_assume!(counts.iter().any(|&count| count > 0));
            let criterion = BayesOptimal {
                rho1: Fraction::new(rho1.0, rho1.1),
                rho2: Fraction::new(rho2.0, rho2.1),
                values: VALUES,
                pair_of_code: (0..VALUES as u32).map(|value| (0, value)).collect(),
                members: vec![(0..joint.len() as u32).collect()],
                joint: Joint { weights: joint.concat(), values: VALUES },
            };
            let mut counter = Counter::new(VALUES);
            let entries = (0u32..).zip(counts.map(u64::from)).filter(|entry| entry.1 > 0);
            let found = criterion.evidence(&counter.take(0, entries)).holds();
            let [rho1, rho2] = [rho1, rho2].map(|(num, den): (u128, u128)| fraction(num as u64, den as u64));
            prop_assert_eq!(found, plain(&joint, counts, &rho1, &rho2));
        }
    }

    #[test]
    fn beliefs_near_the_limit_are_compared_exactly() {
        let half = 10u128.pow(18) / 2;
        for (rho2, exceeds) in [(half - 1, true), (half, false), (half + 1, false)] {
            let criterion = BayesOptimal {
                rho1: Fraction::new(1, 3),
                rho2: Fraction::new(rho2, 2 * half),
                values: 0,
                pair_of_code: Vec::new(),
                members: Vec::new(),
                joint: Joint { weights: Vec::new(), values: 0 },
            };
            assert_eq!(criterion.exceeds(0.5, || fraction(1, 2)), exceeds, "{rho2}");
        }
    }

    /// Theorem 5.1: two groups that suffer no breach, of which the union does.
    #[test]
    fn merging_can_create_a_breach() {
        // Two people with different quasi-identifiers, and three values.
        let criterion = BayesOptimal {
            rho1: Fraction::new(1, 2),
            rho2: Fraction::new(3, 5),
            values: VALUES,
            pair_of_code: (0..2).flat_map(|region| (0..VALUES as u32).map(move |value| (region, value))).collect(),
            members: vec![vec![0], vec![1]],
            joint: Joint { weights: vec![3, 1, 1, 1, 3, 1], values: VALUES },
        };
        let mut counter = Counter::new(2 * VALUES);
        let mut holds = |codes: &[u32]| criterion.evidence(&counter.count(0, codes.iter().copied())).holds();
        assert!(!criterion.properties().is_monotone());
        let singles: Vec<Vec<u32>> =
            (0..2 * VALUES as u32).flat_map(|a| (a..2 * VALUES as u32).map(move |b| vec![a, b])).collect();
        let held: Vec<&Vec<u32>> = singles.iter().filter(|codes| holds(codes)).collect();
        let breached =
            held.iter().flat_map(|a| held.iter().map(move |b| [a.as_slice(), b].concat())).any(|both| !holds(&both));
        assert!(breached);
    }
}
