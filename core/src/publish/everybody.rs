//! What everybody may know about a release.

use super::{Made, Publication};
use crate::attack::{CLAIMED_BELIEF, Finding, WITHHELD};
use crate::criterion::{Limit, Scope};
use crate::exact::Fraction;
use crate::utility;

impl Made {
    /// The publication for certificates and reports that leave the house: what was measured with suppressed records in view, or with the original association of values, is rounded, so that it tells little
    /// about sensitive values (docs/decisions says what it still may). A step is worth twenty records; in tables too small for that, distances to the whole table are left out and shares rounded to a tenth.
    pub fn for_everybody(&self) -> Publication {
        let mut publication = self.publication.clone();
        let step = worth_twenty(1.0, publication.grouped());
        round_queries(&mut publication);
        round_associations(&mut publication, step.min(0.1));
        if publication.suppressed == 0 {
            return publication;
        }
        hide_sizes_of_suppressed_groups(&mut publication);
        let distance = Some(step).filter(|step| *step <= 0.1);
        let share = step.min(0.1);
        let reads_whole = |scope: &Scope| *scope != Scope::Groups;
        for (answer, _) in publication.criteria.iter_mut().zip(&self.scopes).filter(|(_, scope)| reads_whole(scope)) {
            let verdict = &mut answer.verdict;
            if verdict.points.is_empty() {
                verdict.measured = verdict.measured.zip(distance).map(|(value, step)| rounded(value, step));
            } else {
                // Beliefs stay below what they must be below.
                let down = |belief: f64| rounded((belief / share).floor() * share, share);
                verdict.measured = verdict.measured.map(down);
                verdict.points.iter_mut().for_each(|point| point.measured = down(point.measured));
            }
            verdict.also.retain(|_| distance.is_some());
            verdict.also.iter_mut().for_each(|(_, value)| *value = rounded(*value, share));
        }
        let whole_matters = self.scopes.iter().any(reads_whole);
        for finding in &mut publication.attacks {
            // What is claimed of a way to withhold is public; other limits may tell how values are distributed.
            let is_public = !whole_matters || finding.on.is_none() || finding.claimed_belief().is_some();
            let step = share.max(0.01);
            if !finding.repeatable {
                blur(finding, step, is_public);
            }
            if !is_public {
                finding.limit = finding.limit.map(|limit| Limit { belief: up(limit.belief, step), ..limit });
            }
        }
        publication
    }
}

/// The sum of squares of all groups less that of the published ones tells how large the suppressed ones were. Where the metric chose the release it is told roughly, else not at all.
fn hide_sizes_of_suppressed_groups(publication: &mut Publication) {
    let records = publication.grouped() as f64;
    publication.utility.retain(|(metric, _)| !utility::reads_suppressed_sizes(metric));
    let search = publication.method.search.as_mut();
    if let Some(search) = search.filter(|search| utility::reads_suppressed_sizes(search.metric)) {
        search.value = rounded(search.value, records);
        search.considered.iter_mut().for_each(|one| one.value = rounded(one.value, records));
    }
}

/// Rounds what depends on who has which value: in every group several are possible, and a figure of all digits would tell which of them fits.
fn round_associations(publication: &mut Publication, share: f64) {
    // A record's part of a divergence is a logarithm of up to the number of records.
    let wide = worth_twenty((publication.grouped().max(3) as f64).ln(), publication.grouped()).min(0.1);
    let search = publication.method.search.as_mut();
    if let Some(search) = search.filter(|search| utility::reads_sensitive_values(search.metric)) {
        search.value = rounded(search.value, wide);
        search.considered.iter_mut().for_each(|one| one.value = rounded(one.value, wide));
    }
    for (name, value) in &mut publication.utility {
        if utility::reads_sensitive_values(name) {
            *value = rounded(*value, wide);
        }
    }
    if let Some(found) = &mut publication.classification {
        found.before = rounded(found.before, share);
        found.baseline = rounded(found.baseline, share);
    }
}

/// How well queries are answered depends on who has which value, and anybody can ask the same queries of every possible table: of few records that would tell which is the true one. It is told in hundredths, counts in
/// tens, and of a table of fewer than a thousand records not at all.
fn round_queries(publication: &mut Publication) {
    let is_query = |name: &str| utility::queries::FIGURES.iter().any(|figure| figure.0 == name);
    let enough = publication.grouped() >= 1000;
    publication.utility.retain(|(name, _)| enough || !is_query(name));
    for (_, value) in publication.utility.iter_mut().filter(|(name, _)| is_query(name)) {
        *value = rounded(*value, if *value >= 10.0 { 10.0 } else { 0.01 });
    }
}

/// What an attacker with the original's distributions finds, told roughly.
fn blur(finding: &mut Finding, share: f64, is_limit_public: bool) {
    let tens = |count: u64| (count + 5) / 10 * 10;
    finding.highest = rounded_up(finding, share, is_limit_public);
    finding.people = tens(finding.people);
    finding.groups = tens(finding.groups);
    // Something above the limit is never told as nothing.
    finding.above_limit = finding.above_limit.div_ceil(10) * 10;
    // What was claimed, and how many records were withheld, everybody knows.
    let is_public = |name: &str| [CLAIMED_BELIEF, WITHHELD].contains(&name);
    let told = finding.details.iter_mut().filter(|(name, _)| !is_public(name));
    told.for_each(|(_, value)| *value = rounded(*value, share));
    finding.beliefs = [0; 20];
}

/// The highest belief, rounded up, since it is told as the most that anybody believes; but not beyond a public limit or a claim that it keeps to. (Other limits are rounded up themselves.)
fn rounded_up(finding: &Finding, step: f64, is_limit_public: bool) -> Fraction {
    let own = finding.highest;
    let kept = finding.limit.filter(|limit| limit.allows(own));
    if kept.is_some_and(|limit| !limit.allows(up(own, step)) && limit.strict) {
        // Below the limit is below the limit.
        return Fraction::new((own.to_f64() / step).floor() as u128, (1.0 / step).round() as u128);
    }
    let limit = kept.filter(|_| is_limit_public).map(|limit| limit.belief);
    let claimed = finding
        .claimed_belief()
        .filter(|claimed| own.to_f64() <= *claimed)
        .map(|claimed| Fraction::new(1, (1.0 / claimed).round() as u128));
    [Some(up(own, step)), limit, claimed].into_iter().flatten().min().unwrap_or(own)
}

/// The next multiple of a power of ten, at most one.
fn up(share: Fraction, step: f64) -> Fraction {
    let steps = (share.to_f64() / step - 1e-9).ceil();
    Fraction::new(steps as u128, (1.0 / step).round() as u128).min(Fraction::ONE)
}

/// The power of ten that is worth at least twenty records of so much each.
fn worth_twenty(figure: f64, records: usize) -> f64 {
    10f64.powf((20.0 * figure / records as f64).log10().ceil())
}

/// The nearest multiple of a power of ten, with that power's digits: a multiple of 0.001 in binary has many more.
fn rounded(value: f64, step: f64) -> f64 {
    let digits = (-step.log10()).round().max(0.0) as usize;
    format!("{:.digits$}", (value / step).round() * step).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_worth_twenty_records() {
        assert_eq!(worth_twenty(1.0, 30_162), 0.001);
        assert_eq!(worth_twenty(1.0, 2_000), 0.01);
        assert_eq!(rounded(0.393149, 0.001), 0.393);
        assert_eq!(rounded(6.2371, 0.01), 6.24);
        assert_eq!(up(Fraction::new(2, 3), 0.01), Fraction::new(67, 100));
        assert_eq!(up(Fraction::new(30, 100), 0.1), Fraction::new(3, 10));
    }
}
