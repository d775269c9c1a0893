//! deFinetti attack: whoever sees which values occur in which groups learns how sensitive values
//! depend on quasi-identifiers, and infers who of a group has which.
//!
//! **Knowledge**: the release and everybody's quasi-identifiers, nothing about the distribution of
//! values. On a bucketized release the quasi-identifiers are published, and everybody can repeat
//! the attack; on a generalized one they are those of the original, and without it there is no
//! finding. **Finds** the people about whom one value is claimed with more than one half, and more
//! than its share of the group. **Definition**: beliefs start as the shares of the group. Then, up
//! to 200 times or until no belief changes by 10⁻³: the share of value v of a quasi-identifier
//! among people with sensitive value s is φ(v|s) = (n(v,s) + 1)/(n(s) + V), where n(v,s) sums
//! beliefs and V counts values; a matching, which gives a group's values to its people, has the
//! weight Π φ(v|s) over people and quasi-identifiers; and the belief that a person has s is the
//! share of weight of the matchings in which they do. For groups of up to 10 people all matchings
//! are counted; for larger ones, weights are scaled until every person has one value and every
//! value is given out as often as it occurs (raking). People of groups with more than 50 records
//! are left out: the group's shares are what is believed about them. Numbers and dates with more
//! than 16 values are put into 16 stretches of about equally many people, of texts the 255 most
//! frequent values are told apart (fewer where there are more than 2¹⁴ sensitive values). Beliefs
//! are rounded down to a multiple of 2⁻²⁰; 1 is claimed only where the group has one value.
//! **Cost**: in each round, people times values of their group times quasi-identifiers, and for a
//! group of n ≤ 10 different values n·2ⁿ; in parallel over groups, 2³³ steps at most.
//! **Reference**: Kifer 2009.
//!
//! # Claim
//! What is believed is a *claim*, neither a bound nor calibrated: such an attacker is often surer
//! than she is right, and a better one may learn more. It is a function of quasi-identifiers and
//! of the groups' histograms: neither the order of records nor the number of threads changes a bit
//! of it, and it uses no function that platforms round differently. Who is right is told by the
//! original alone, so it is found only where that is at hand.
//!
//! ```
//! let found = sfumato::attack::example("definetti", &[])?;
//! assert!(found[0].is_claim);
//! assert_eq!(found[0].right.unwrap().iter().sum::<u64>(), 3); // so few people teach nothing
//! # Ok::<(), sfumato::Error>(())
//! ```

mod assign;
mod crowd;

use super::shared::{Belief, Sensitive, Tally, for_each_sensitive, step};
use super::{Attack, Build, Finding, GUESSED_RIGHT, LEFT_OUT, RIGHT_BY_SHARES, RIGHT_WHEN_SURE, Target};
use crate::criterion::{About, Knowledge, Limit};
use crate::data::{Column, Role};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Params};
use crowd::{Cluster, Crowd};
use std::cmp::Reverse;

/// The description of the deFinetti attack.
pub const KIND: Kind<Build> = Kind {
    name: "definetti",
    summary: "Learns from the release how sensitive values depend on quasi-identifiers, and guesses within groups",
    reference: "Kifer 2009",
    params: &[],
    example: &[],
    build: |params| Box::new(DeFinetti { params: params.clone() }),
};

/// Groups with more records are left out: nothing is learned from them that a guess gains by.
const MOST: usize = 50;
/// What counts as sure.
const SURE: f64 = 0.9;
/// The surest people are one in so many.
const SUREST: usize = 100;
/// Beliefs are multiples of one in so many.
const STEPS: u32 = 1 << 20;

struct DeFinetti {
    params: Params,
}

impl Attack for DeFinetti {
    fn run(&self, target: &Target<'_>) -> Result<Vec<Finding>> {
        let Some(quasi) = known_quasi(target)? else { return Ok(Vec::new()) };
        // Nobody promises anything against somebody who learns the distribution; the plan may.
        for_each_sensitive(target, Knowledge::Distribution, |sensitive| self.find(target, &quasi, sensitive))
    }
}

/// Everybody's quasi-identifiers, in an order that does not depend on the table's.
fn known_quasi(target: &Target<'_>) -> Result<Option<Vec<Column>>> {
    let mut quasi: Vec<Column> = match target.original {
        _ if target.bucketized => target.schema.select(target.release, Role::Quasi)?.into_iter().cloned().collect(),
        None => return Ok(None),
        Some(original) => {
            let own = target.schema.select(original.table, Role::Quasi)?;
            own.into_iter().map(|column| column.rows(original.row_of)).collect()
        }
    };
    quasi.sort_by(|a, b| a.name().cmp(b.name()));
    Ok(Some(quasi))
}

impl DeFinetti {
    fn find(&self, target: &Target<'_>, quasi: &[Column], sensitive: &Sensitive<'_>) -> Finding {
        let mut crowd = Crowd::new(quasi, sensitive.column, target.groups, MOST);
        let rounds = crowd.learn(target.formats.watch());
        let promises = promises(target, sensitive);
        let mut sum = Sum { sensitive, promises: &promises, tally: Tally::default(), above_promise: 0, sure: 0 };
        crowd.clusters.iter().chain(&crowd.left_out).for_each(|cluster| sum.visit(cluster));
        let Sum { tally, above_promise, sure, .. } = sum;

        let knowledge = "the release, and everybody's quasi-identifiers";
        let finding = tally.finding(KIND.name, &self.params, knowledge.to_string(), target.groups.records());
        let mut details = finding.details;
        details.extend(promises.iter().any(Option::is_some).then_some(("people_above_promise", above_promise as f64)));
        details.push(("people_sure", sure as f64));
        details.push((LEFT_OUT, people(&crowd.left_out) as f64));
        details.push(("rounds", rounds as f64));
        // Only then the value beside a record is that person's, and not any of the group.
        let hits = target.original.map(|_| Hits::new(target, sensitive, &crowd));
        let right = hits.as_ref().map(|hits| hits.steps);
        details.extend(hits.iter().flat_map(Hits::details));
        Finding {
            on: Some(sensitive.column.name().to_string()),
            details,
            is_claim: true,
            right,
            repeatable: target.bucketized,
            ..finding
        }
    }
}

/// How many people there are in some groups.
fn people(clusters: &[Cluster]) -> u64 {
    clusters.iter().flat_map(|cluster| &cluster.values).map(|value| u64::from(value.1)).sum()
}

/// What criteria promise about each value to somebody who knows nothing but the release.
fn promises(target: &Target<'_>, sensitive: &Sensitive<'_>) -> Vec<Option<Limit>> {
    let name = Some(sensitive.column.name());
    let promised = |&code: &u32| target.promises.promised(name, About::Value(code), Knowledge::Nothing);
    sensitive.known_as.iter().map(promised).collect()
}

/// A belief as it is stated, in steps: no certainty where the group leaves a choice.
fn stated(belief: f64, values: usize) -> u32 {
    let most = if values == 1 { STEPS } else { STEPS - 1 };
    ((belief * f64::from(STEPS)) as u32).min(most)
}

fn share(steps: u32) -> Fraction {
    Fraction::new(steps.into(), STEPS.into())
}

/// What groups add up to.
struct Sum<'a> {
    sensitive: &'a Sensitive<'a>,
    promises: &'a [Option<Limit>],
    tally: Tally,
    above_promise: u64,
    sure: u64,
}

impl Sum<'_> {
    fn visit(&mut self, cluster: &Cluster) {
        let size: u32 = cluster.values.iter().map(|value| value.1).sum();
        let mut affected = 0;
        for (at, &(_, people)) in cluster.people.iter().enumerate() {
            let (mut highest, mut is_affected, mut above_limit, mut above_promise) =
                (Fraction::ZERO, false, false, false);
            for (&(value, count), &belief) in cluster.values.iter().zip(cluster.about(at)) {
                if !self.sensitive.cared_for[value as usize] {
                    continue;
                }
                let one =
                    Belief::new(share(stated(belief, cluster.values.len())), self.sensitive.limits[value as usize]);
                self.tally.believe(one);
                above_limit |= one.exceeds;
                above_promise |= self.promises[value as usize].is_some_and(|promise| !promise.allows(one.belief));
                is_affected |=
                    one.belief > Fraction::new(1, 2) && one.belief > Fraction::new(count.into(), size.into());
                highest = highest.max(one.belief);
            }
            let people = u64::from(people);
            self.tally.count(people, highest.to_f64(), above_limit);
            self.above_promise += if above_promise { people } else { 0 };
            self.sure += if highest.to_f64() > SURE { people } else { 0 };
            affected += if is_affected { people } else { 0 };
        }
        self.tally.affect(affected);
    }
}

/// How often guesses are right, as only the custodian knows.
struct Hits {
    /// People in the groups that were attacked.
    people: u64,
    /// Those whose value is the one that is most believed in.
    right: u64,
    /// Those whose value is the most frequent one of their group.
    by_shares: u64,
    /// For each of them the highest belief in a value that needs protection, and whether that value
    /// is theirs.
    protected: Vec<(u32, bool)>,
    /// For how many people it is theirs, also of those left out: twenty steps of that belief.
    steps: [u64; 20],
}

impl Hits {
    fn new(target: &Target<'_>, sensitive: &Sensitive<'_>, crowd: &Crowd) -> Hits {
        let people = people(&crowd.clusters);
        let mut hits = Hits { people, right: 0, by_shares: 0, protected: Vec::new(), steps: [0; 20] };
        let truth = |row: u32| sensitive.column.codes()[row as usize];
        let is_protected = |value: u32| sensitive.cared_for[value as usize];
        for cluster in &crowd.clusters {
            hits.by_shares += cluster.values.iter().map(|value| u64::from(value.1)).max().unwrap_or(0);
            for &row in target.groups.rows(cluster.group) {
                let guess = surest(cluster, crowd.about(cluster, row), |_| true);
                hits.right += u64::from(guess.is_some_and(|guess| guess.1 == truth(row)));
            }
        }
        for (at, cluster) in crowd.clusters.iter().chain(&crowd.left_out).enumerate() {
            for &row in target.groups.rows(cluster.group) {
                let Some((belief, value)) = surest(cluster, crowd.about(cluster, row), is_protected) else { continue };
                let is_right = value == truth(row);
                hits.steps[step(share(belief).to_f64())] += u64::from(is_right);
                hits.protected.extend((at < crowd.clusters.len()).then_some((belief, is_right)));
            }
        }
        hits.protected.sort_unstable_by(|a, b| b.cmp(a));
        hits
    }

    fn details(&self) -> Vec<(&'static str, f64)> {
        if self.people == 0 {
            return Vec::new();
        }
        let part = |some: u64, whole: u64| some as f64 / whole as f64;
        let right = |from: u32| {
            let sure = &self.protected[..self.protected.partition_point(|guess| guess.0 >= from)];
            part(sure.iter().filter(|guess| guess.1).count() as u64, sure.len() as u64)
        };
        let surest = self.protected.get((self.protected.len().div_ceil(SUREST)).saturating_sub(1));
        let mut details =
            vec![(GUESSED_RIGHT, part(self.right, self.people)), (RIGHT_BY_SHARES, part(self.by_shares, self.people))];
        let above = (SURE * f64::from(STEPS)) as u32 + 1;
        let is_sure = self.protected.first().is_some_and(|guess| guess.0 >= above);
        details.extend(is_sure.then(|| (RIGHT_WHEN_SURE, right(above))));
        details.extend(surest.map(|guess| ("right_of_surest", right(guess.0))));
        details
    }
}

/// The highest stated belief, and the first value that it is about, among some values.
fn surest(cluster: &Cluster, beliefs: &[f64], is_meant: impl Fn(u32) -> bool) -> Option<(u32, u32)> {
    let each = cluster.values.iter().zip(beliefs).filter(|(value, _)| is_meant(value.0));
    let each = each.map(|(value, &belief)| (stated(belief, cluster.values.len()), value.0));
    each.max_by_key(|&(belief, value)| (belief, Reverse(value)))
}
