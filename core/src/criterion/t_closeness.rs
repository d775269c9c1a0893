//! t-closeness: the values of every group are distributed nearly as in the whole table.
//!
//! **Promises** that learning a person's group changes an attacker's beliefs about sensitive values
//! by at most t. **Threat**: skew and similarity: groups that are diverse and yet tell much.
//! **Definition**: the distance between a group's distribution and the whole table's is at most t.
//! Distances: *equal* (all values equally far: total variation), *ordered* (ranks, prefix sums over
//! m − 1), *hierarchical* (the level of the lowest common ancestor over the height). **Cost**:
//! linear in the values of a group (times the height; times log m for ordered), not in the domain.
//! **Reference**: Li, Li and Venkatasubramanian 2007.
//!
//! ```
//! let verdict = sfumato::example("t-closeness", &[("t", "0.2"), ("distance", "\"equal\"")])?;
//! assert!(verdict.holds);
//! assert!((verdict.measured.unwrap() - 1.0 / 6.0).abs() < 1e-12);
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::shared::{Whole, surely_at_least};
use super::{
    About, Bound, Build, Capabilities, Context, Criterion, Evidence, Knowledge, Limit, Measure, Merging, On, Promises,
    Properties, Pruning, Scope, Symmetry, Word,
};
use crate::candidate::Histogram;
use crate::error::{Error, Result};
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Range, Shape};

/// The description of t-closeness.
pub const KIND: Kind<Build> = Kind {
    name: "t-closeness",
    summary: "The sensitive values of every group are distributed as in the whole table, up to distance t",
    reference: "Li et al. 2007",
    params: &[
        Param { name: "t", summary: "the largest distance", shape: Shape::Decimal(Range::UNIT), default: None },
        Param {
            name: "distance",
            summary: "how far values are apart",
            shape: Shape::Choice(&["equal", "ordered", "hierarchical"]),
            default: Some("equal"),
        },
    ],
    example: &[("t", "0.3")],
    build: Build {
        on: On::Column,
        bind: |context| {
            let (distance, goes_by) = match context.params.choice("distance") {
                "ordered" => (Distance::ordered(context)?, Some(Word::Order)),
                "hierarchical" => (Distance::hierarchical(context)?, Some(Word::Hierarchy)),
                _ => (Distance::Equal, None),
            };
            let criterion =
                TCloseness { t: context.params.decimal("t").fraction(), whole: Whole::of(context.counts()?), distance };
            Ok(Bound { goes_by, ..Bound::on_column(context, Box::new(criterion))? })
        },
    },
};

enum Distance {
    Equal,
    /// For each value the count of it and all before, and the sum of these counts over all values
    /// before.
    Ordered {
        up_to: Vec<u64>,
        sums: Vec<u128>,
    },
    /// For each level below the top: the node of each value, and the nodes' counts.
    Hierarchical(Vec<(Vec<u32>, Vec<u64>)>),
}

impl Distance {
    fn ordered(context: &Context<'_>) -> Result<Distance> {
        let column = context.column()?;
        let declared = context.schema.find(column.name()).is_some_and(|spec| !spec.order.is_empty());
        if !column.domain().value_type().is_ordered() && !declared {
            let message = format!("t-closeness: the values of column \"{}\" have no order", column.name());
            return Err(Error::plan(message).help("use distance = \"equal\", or give the column an order = [\"…\", …]"));
        }
        if column.domain().missing().is_some() {
            let message =
                format!("t-closeness: missing values of column \"{}\" have no place in its order", column.name());
            return Err(
                Error::plan(message).help("use distance = \"equal\", or remove the records with missing values")
            );
        }
        let mut total = 0;
        let up_to: Vec<u64> = context
            .counts()?
            .iter()
            .map(|count| {
                total += count;
                total
            })
            .collect();
        let mut sum = 0;
        let mut sums = vec![0];
        sums.extend(up_to.iter().map(|&count| {
            sum += u128::from(count);
            sum
        }));
        Ok(Distance::Ordered { up_to, sums })
    }

    fn hierarchical(context: &Context<'_>) -> Result<Distance> {
        let column = context.column()?;
        let hierarchy = context.schema.hierarchy(&context.records.described(column))?;
        let counts = context.counts()?;
        let levels = (0..hierarchy.height()).map(|level| {
            let nodes = hierarchy.codes(level).to_vec();
            let mut count_of_node = vec![0; hierarchy.labels(level).len()];
            nodes.iter().zip(&counts).for_each(|(&node, count)| count_of_node[node as usize] += count);
            (nodes, count_of_node)
        });
        Ok(Distance::Hierarchical(levels.collect()))
    }
}

struct TCloseness {
    t: Fraction,
    whole: Whole,
    distance: Distance,
}

impl TCloseness {
    /// The distance of a group to the whole table, exactly. Products of counts are held in 128
    /// bits: 2³² rows in each of 2³² groups and values fit.
    fn distance(&self, group: &Histogram<'_>) -> Fraction {
        let (size, total) = (u128::from(group.size()), u128::from(self.whole.total));
        match &self.distance {
            Distance::Equal => {
                Fraction::new(surplus(group.entries().iter().copied(), &self.whole.counts, size, total), size * total)
            }
            Distance::Ordered { up_to, sums } => ordered(group, up_to, sums, size, total),
            Distance::Hierarchical(levels) => {
                let surpluses = levels
                    .iter()
                    .map(|(nodes, counts)| surplus(by_node(group, nodes).into_iter(), counts, size, total));
                Fraction::new(surpluses.sum(), levels.len() as u128 * size * total)
            }
        }
    }
}

/// The largest share that a value reaches when counts of other values are moved to it at a total
/// cost of t: the cheapest first, given with the steps they are away, of which `unit` make the
/// distance 1.
fn raised(own: u64, nearest: impl Iterator<Item = (u64, u64)>, unit: u64, t: Fraction, total: u64) -> Fraction {
    // A finer t than this is rounded up, so that products fit 128 bits.
    const FINE: u128 = 1 << 30;
    let t = if t.den <= FINE { t } else { Fraction::new((t.to_f64() * FINE as f64).ceil() as u128 + 1, FINE) };
    let mut budget = t.num * u128::from(total) * u128::from(unit);
    let mut reached = u128::from(own);
    for (count, steps) in nearest {
        let (count, price) = (u128::from(count), u128::from(steps) * t.den);
        if count * price > budget {
            return Fraction::new(reached * price + budget, price * u128::from(total));
        }
        budget -= count * price;
        reached += count;
    }
    Fraction::ONE
}

/// What the group has more than its share, times `size·total`: the total variation distance, as
/// surplus and deficit are equal.
fn surplus(entries: impl Iterator<Item = (u32, u64)>, whole: &[u64], size: u128, total: u128) -> u128 {
    entries
        .map(|(code, count)| (u128::from(count) * total).saturating_sub(u128::from(whole[code as usize]) * size))
        .sum()
}

/// The counts of a group by node of a level.
fn by_node(group: &Histogram<'_>, nodes: &[u32]) -> Vec<(u32, u64)> {
    let mut counts: Vec<(u32, u64)> =
        group.entries().iter().map(|&(code, count)| (nodes[code as usize], count)).collect();
    counts.sort_unstable();
    counts.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, same.iter().map(|entry| entry.1).sum())).collect()
}

/// `Σ |prefix of the group − prefix of the whole| / (m − 1)`.
///
/// Between two values of the group its own prefix stands still while the whole's grows, so the
/// difference changes sign at most once there: that place is found by bisection and both stretches
/// are summed from prefix sums of prefix sums.
fn ordered(group: &Histogram<'_>, up_to: &[u64], sums: &[u128], size: u128, total: u128) -> Fraction {
    if up_to.len() < 2 {
        return Fraction::ZERO;
    }
    let stretch = |from: usize, to: usize, own: u128| {
        // own·total against up_to[j]·size for j in from..to
        let turn = from + up_to[from..to].partition_point(|&whole| u128::from(whole) * size <= own * total);
        let below = (turn - from) as u128 * own * total - (sums[turn] - sums[from]) * size;
        below + (sums[to] - sums[turn]) * size - (to - turn) as u128 * own * total
    };
    let (mut sum, mut own, mut from) = (0, 0, 0);
    for &(code, count) in group.entries() {
        sum += stretch(from, code as usize, own);
        (own, from) = (own + u128::from(count), code as usize);
    }
    sum += stretch(from, up_to.len(), own);
    Fraction::new(sum, (up_to.len() as u128 - 1) * size * total)
}

impl Criterion for TCloseness {
    /// # Claim
    /// Each distance is convex in the group's distribution and the whole does not change, so a
    /// merged group is at most as far as the farthest of its parts: monotone. Moving mass between
    /// values with a common ancestor on level h of H crosses h levels at 1/H each, so the
    /// hierarchical distance is the mean over the levels below the top of the total variation
    /// distances between the distributions on that level.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let distance = self.distance(group);
        Evidence::of(group, distance <= self.t, [Measure::most(distance)])
    }

    fn properties(&self) -> Properties {
        Properties { scope: Scope::Table, ..Properties::of(Merging::Monotone) }
    }

    fn holds(&self, group: &Histogram<'_>) -> bool {
        self.distance(group) <= self.t
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { pruning: Some(self), symmetry: Some(self), promises: Some(self), ..Capabilities::NONE }
    }
}

impl Pruning for TCloseness {
    /// # Claim
    /// A group is a mixture of what stays and the m of n records that go. Distances are convex and
    /// at most 1, so d ≤ (1 − m/n)·t + m/n, and m ≥ n·(d − t)/(1 − t).
    fn least_removed(&self, group: &Histogram<'_>) -> u64 {
        let (distance, t) = (self.distance(group).to_f64(), self.t.to_f64());
        surely_at_least(group.size() as f64 * (distance - t) / (1.0 - t))
    }

    /// # Claim
    /// Where all values are equally far apart, the distance is the most that any values together
    /// have more than their share: r/n − R/N for r ≥ `at_least` records of n ≤ `size`, which is at
    /// least `at_least`/`size` − R/N.
    fn rules_out_together(&self, codes: &[u32], at_least: u64, size: u64) -> bool {
        let whole: u64 = codes.iter().map(|&code| self.whole.counts[code as usize]).sum();
        let (size, total) = (u128::from(size), u128::from(self.whole.total));
        let surplus = (u128::from(at_least) * total).saturating_sub(u128::from(whole) * size);
        matches!(self.distance, Distance::Equal) && size > 0 && Fraction::new(surplus, size * total) > self.t
    }
}

impl Symmetry for TCloseness {
    /// # Claim
    /// Where all values are equally far from each other, of a value only its count is read and its
    /// count in the whole table.
    fn interchangeable(&self, a: u32, b: u32) -> bool {
        let counts = &self.whole.counts;
        a == b || matches!(self.distance, Distance::Equal) && counts[a as usize] == counts[b as usize]
    }
}

impl Promises for TCloseness {
    /// # Claim
    /// Each distance is the least cost of moving mass from the whole table's distribution to the
    /// group's. What a value has more than in the whole must have come from other values, at least
    /// at the cost of taking the nearest first; so its share is at most what t pays for. For equal
    /// distances that is p + t.
    fn promise(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        let About::Value(code) = about else { return None };
        let (code, total) = (code as usize, self.whole.total);
        let own = *self.whole.counts.get(code).filter(|_| knowledge == Knowledge::Nothing)?;
        let counts = &self.whole.counts;
        let belief = match &self.distance {
            Distance::Equal => raised(own, [(total - own, 1)].into_iter(), 1, self.t, total),
            Distance::Ordered { .. } => {
                let count = |at: Option<usize>| at.and_then(|at| counts.get(at)).copied().unwrap_or(0);
                let both = |steps: usize| count(code.checked_sub(steps)) + count(code.checked_add(steps));
                let nearest = (1..counts.len()).map(|steps| (both(steps), steps as u64));
                raised(own, nearest, counts.len() as u64 - 1, self.t, total)
            }
            Distance::Hierarchical(levels) => {
                let under = levels.iter().map(|(nodes, counts)| counts[nodes[code] as usize]).chain([total]);
                let mut below = own;
                let nearest =
                    under.skip(1).zip(1..).map(|(count, steps)| (count - std::mem::replace(&mut below, count), steps));
                raised(own, nearest, levels.len() as u64, self.t, total)
            }
        };
        (belief < Fraction::ONE).then_some(Limit { belief, strict: false })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use crate::kind::Raw;
    use proptest::prelude::*;

    fn ordered(groups: &[&[&str]], t: &str) -> crate::criterion::Verdict {
        verdict("t-closeness", &[("t", number(t)), ("distance", Raw::from("ordered"))], groups)
    }

    /// Li et al. 2007, Section 5.2: {3k,4k,5k} has distance 0.375 to {3k…11k}, {6k,8k,11k} 0.167.
    #[test]
    fn the_papers_salaries() {
        let groups: [&[&str]; 3] = [&["3", "4", "5"], &["6", "11", "8"], &["7", "9", "10"]];
        let found = ordered(&groups, "0.375");
        assert!(found.holds);
        assert_eq!(found.measured, Some(0.375));
        assert!(!ordered(&groups, "0.3749999999999999999").holds);
    }

    /// Of a value that one in four has, at most that and t is believed: never less, however finely
    /// t is written.
    #[test]
    fn fine_limits_are_rounded_up() {
        for (t, t_is) in [
            ("0.5", (1, 2)),
            ("0.500000000000000000000000000000001", (1, 2)),
            ("0.12345678901234", (12345678901234, 10u128.pow(14))),
        ] {
            let t: crate::exact::Decimal = t.parse().unwrap();
            let belief = super::raised(1, [(3, 1)].into_iter(), 1, t.fraction(), 4);
            let least = super::Fraction::new(t_is.1 + 4 * t_is.0, 4 * t_is.1);
            let is_fine = t.fraction() != super::Fraction::new(t_is.0, t_is.1);
            assert!(if is_fine { belief > least } else { belief >= least }, "{t}");
            assert!(belief.to_f64() - least.to_f64() < 1e-8, "{t}");
        }
    }

    proptest! {
        #[test]
        fn ordered_distance_is_the_sum_over_all_prefixes(rows in proptest::collection::vec((0usize..3, 0u32..9), 1..40)) {
            let text: Vec<(usize, String)> = rows.iter().map(|(group, value)| (*group, value.to_string())).collect();
            let groups: Vec<Vec<&str>> = (0..3)
                .map(|at| text.iter().filter(|row| row.0 == at).map(|row| row.1.as_str()).collect::<Vec<_>>())
                .filter(|group| !group.is_empty())
                .collect();
            let slices: Vec<&[&str]> = groups.iter().map(Vec::as_slice).collect();
            let found = ordered(&slices, "1").measured.unwrap();

            let mut domain: Vec<u32> = rows.iter().map(|row| row.1).collect();
            domain.sort_unstable();
            domain.dedup();
            let share = |rows: &[u32], upto: u32| rows.iter().filter(|&&v| v <= upto).count() as f64 / rows.len() as f64;
            let all: Vec<u32> = rows.iter().map(|row| row.1).collect();
            let plain = groups.iter().map(|group| {
                let own: Vec<u32> = group.iter().map(|text| text.parse().unwrap()).collect();
                let sum: f64 = domain.iter().map(|&upto| (share(&own, upto) - share(&all, upto)).abs()).sum();
                if domain.len() < 2 { 0.0 } else { sum / (domain.len() - 1) as f64 }
            });
            let plain = plain.fold(0.0, f64::max);
            prop_assert!((found - plain).abs() < 1e-12, "{} {}", found, plain);
        }
    }
}
