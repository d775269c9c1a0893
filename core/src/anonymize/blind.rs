//! Levels that are chosen without looking at sensitive values, for larger and larger groups until
//! all criteria hold.
//!
//! A search for the best levels that are safe tells by what it did not choose. Here levels are
//! chosen as if sizes of groups were all that mattered: first for the smallest groups that any
//! criterion allows, then for a quarter larger ones, and so on along a schedule that everybody
//! knows. The first levels that satisfy every criterion are published. All that an attacker learns
//! is that those before were not safe. Where the first are, nothing is learnt at all.

use super::{Generalization, Judge, Judged, Method, Safety, Task, Work};
use crate::criterion::{Bound, Requirement};
use crate::error::Result;

/// The least size of groups that is tried after another one.
fn next(least: u64) -> u64 {
    least + (least / 4).max(1)
}

/// Chooses levels along the schedule.
///
/// # Claim
/// The levels for a size depend on quasi-identifiers and the plan alone, so that every world comes
/// to the same ones. A world leads to what is published if those for every smaller size are unsafe
/// in it; that what is published is safe depends on the values in each of its groups alone.
pub(super) fn choose_levels(method: &dyn Method, task: &Task<'_>) -> Result<Option<Generalization>> {
    let judge = Judge::new(&task.levels())?;
    let (mut passed_over, mut least): (Vec<Vec<usize>>, u64) =
        (Vec::new(), Safety::new(task.table, task.bound)?.least_size().max(1));
    loop {
        let requirements = [Requirement::of_size(least)?];
        let bound: Vec<Bound> = vec![requirements[0].bind(task.table, task.schema, ".".as_ref())?];
        let sized = Task { requirements: &requirements, bound: &bound, ..*task };
        // Nothing is large enough.
        let Some(found) = method.choose_levels(&sized.levels())? else { return Ok(None) };
        match judge.judge(&found.levels, &mut Work::default()) {
            Judged::Safe(safe) => {
                let (value, bound, suppressed) = (safe.value, safe.value, safe.suppressed);
                let passed_over = Some(passed_over);
                return Ok(Some(Generalization { value, bound, suppressed, passed_over, ..found }));
            }
            Judged::Below | Judged::Unsafe(_) if passed_over.last() != Some(&found.levels) => {
                passed_over.push(found.levels);
            }
            Judged::Below | Judged::Unsafe(_) => {}
        }
        least = next(least);
    }
}
