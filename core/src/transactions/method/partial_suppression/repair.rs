//! Deletes items until no rule is unsafe: first records as wholes, then all closed sets.

use super::Objective;
use super::work::Work;
use crate::error::Result;
use crate::transactions::Rule;
use crate::transactions::closed::find_unsafe;
use rand::Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;

/// So many records are decided about at once, on the same table. The number is the same for any
/// number of threads, and so is the outcome.
const BATCH: usize = 256;

/// After so many passes over records the rest is left to the search through closed sets.
const MOST_PASSES: usize = 6;

/// How often records are decided about anew: what one loses may be what another kind needs.
const ROUNDS: usize = 2;

/// Deletes items until no rule is unsafe. At most `buffer` unsafe rules are gathered at a time. An
/// error if there are too many rules to look at.
pub fn repair(
    work: &mut Work<'_>,
    objective: &mut impl Objective,
    buffer: usize,
    generator: &mut impl Rng,
) -> Result<()> {
    limit_frequencies(work, generator);
    repair_records(work, objective, generator);
    loop {
        let rules = find_unsafe(&work.table(), work.sensitive, work.demand, buffer)?;
        if rules.is_empty() {
            return Ok(());
        }
        rules.iter().for_each(|rule| disable(work, objective, rule, generator));
    }
}

/// Where the plain frequency of an item counts as a rule, no item is in too many records.
fn limit_frequencies(work: &mut Work<'_>, generator: &mut impl Rng) {
    let most = work.demand.most(work.len() as u64);
    for item in work.sensitive.items().filter(|_| work.demand.empty).collect::<Vec<_>>() {
        let surplus = work.left(item).saturating_sub(most);
        delete_somewhere(work, &[item], item, surplus, generator);
    }
}

/// Makes the rule r∖{e} → e safe for every record r and sensitive e in it. Records with many items
/// that are not sensitive come first: they can keep no sensitive one, and without those they cover
/// what shorter records have.
fn repair_records(work: &mut Work<'_>, objective: &mut impl Objective, generator: &mut impl Rng) {
    let mut order: Vec<u32> = (0..work.len() as u32).collect();
    order.shuffle(generator);
    order.sort_by_key(|at| std::cmp::Reverse(plain_items(work, *at)));
    for batch in order.chunks(BATCH) {
        repair_batch(work, objective, batch);
        batch.iter().for_each(|at| objective.saw(work, *at as usize));
    }
    balance(work, objective, generator);
    for _ in 1..MOST_PASSES {
        order.retain(|at| work.has_sensitive(work.record(*at as usize)));
        let changed: usize = order.chunks(BATCH).map(|batch| repair_batch(work, objective, batch)).sum();
        if changed == 0 {
            return;
        }
    }
}

/// Decides anew about records that held what there is too little of, and deletes what there is too
/// much of.
fn balance(work: &mut Work<'_>, objective: &impl Objective, generator: &mut impl Rng) {
    for _ in 0..ROUNDS {
        bring_back(work, objective, generator);
    }
    for (item, surplus) in objective.surplus(work).into_iter().enumerate() {
        delete_somewhere(work, &[item as u32], item as u32, surplus, generator);
    }
}

/// Decides anew about records that held what there is too little of.
fn bring_back(work: &mut Work<'_>, objective: &impl Objective, generator: &mut impl Rng) {
    let mut anew = Vec::new();
    for (item, missing) in objective.missing(work).into_iter().enumerate() {
        let lacks = |at: &&u32| work.record(**at as usize).binary_search(&(item as u32)).is_err();
        let mut holders: Vec<u32> = work.first_holders(item as u32).iter().filter(lacks).copied().collect();
        anew.extend_from_slice(holders.partial_shuffle(generator, missing as usize).0);
    }
    let choose = |work: &Work<'_>, at: usize| Some(objective.choose(work, at, work.whole(at)));
    anew.chunks(BATCH).for_each(|batch| _ = replace(work, batch, choose));
}

fn plain_items(work: &Work<'_>, at: u32) -> usize {
    work.record(at as usize).iter().filter(|item| !work.sensitive.has(**item)).count()
}

/// Replaces records that have an unsafe rule by the best part of them that has none; says how many
/// there were. What others of the batch lose may make a rule of the part unsafe: the next pass
/// finds it.
fn repair_batch(work: &mut Work<'_>, objective: &impl Objective, batch: &[u32]) -> usize {
    replace(work, batch, |work, at| {
        let items = work.record(at);
        work.unsafe_in(items, at).is_some().then(|| objective.choose(work, at, items))
    })
}

/// Replaces records by what is chosen for them on the table as it is; says how many were replaced.
fn replace(work: &mut Work<'_>, batch: &[u32], choose: impl Fn(&Work<'_>, usize) -> Option<Vec<u32>> + Sync) -> usize {
    work.stage.advance(batch.len() as u64);
    let chosen: Vec<Option<Vec<u32>>> = batch.par_iter().map(|at| choose(work, *at as usize)).collect();
    let parts = batch.iter().zip(chosen).filter_map(|(at, part)| Some((*at, part?)));
    parts.map(|(at, part)| work.set(at as usize, part)).count()
}

/// Deletes items of one kind from randomly chosen records, until the rule is safe.
fn disable(work: &mut Work<'_>, objective: &impl Objective, rule: &Rule, generator: &mut impl Rng) {
    let mut items = rule.antecedent.clone();
    items.push(rule.consequent);
    items.sort_unstable();
    loop {
        let (support, of) = (work.support(&items), work.support(&rule.antecedent));
        if work.demand.allows(support, of) {
            return;
        }
        let needed = |item: u32| deletions(work, support, of, item == rule.consequent);
        let victim = objective.victim(work, rule, needed);
        let count = needed(victim);
        delete_somewhere(work, &items, victim, count, generator);
    }
}

/// How many items must be deleted from records that have all of a rule, to make it safe: of its
/// consequent, or of one of the others.
fn deletions(work: &Work<'_>, support: u64, of: u64, is_consequent: bool) -> u64 {
    let is_enough = |count: u64| {
        let of = if is_consequent { of } else { of - count };
        work.demand.allows(support - count, of)
    };
    (0..support).find(|count| is_enough(*count)).unwrap_or(support)
}

/// Deletes an item from so many of the records that have all of some items, chosen by lot.
fn delete_somewhere(work: &mut Work<'_>, items: &[u32], item: u32, count: u64, generator: &mut impl Rng) {
    if count == 0 {
        return;
    }
    let mut holders: Vec<usize> = work.holders_of(items).collect();
    let (chosen, _) = holders.partial_shuffle(generator, count as usize);
    chosen.iter().for_each(|at| work.delete(*at, item));
}
