//! How many states counting needs at least: what would be too much is not begun.

use super::plan::Plan;
use super::{Atom, Case, Scene};

/// Of larger groups nothing is said: that would take as long as to begin.
const MOST_ROWS: u32 = 512;

/// How many states there are at least until the first part of a test is known; zero where that is
/// not told.
///
/// # Claim
/// Where no number of records of an atom rules out a part, nothing is known of any test before its
/// first part is drawn, so that states tell all numbers of records drawn that differ: of each atom
/// that makes a difference, and of all others together. Of the atoms of a class they tell which
/// numbers there are, but not of which atom. Every state is reached by a step of its own.
pub(super) fn least_states(scene: &Scene<'_>, case: &Case, plan: &Plan, ignored: &[bool]) -> f64 {
    let rules_out = |atom: &Atom| {
        let parts = plan.parts.iter();
        parts.into_iter().any(|part| (1..=atom.total()).any(|count| scene.rules_out(atom, count, part.size)))
    };
    if case.urns.len() != 1 || case.rows() > MOST_ROWS || case.atoms.iter().any(rules_out) {
        return 0.0;
    }
    let first = plan.parts.iter().map(|part| part.known).min().unwrap_or(0);
    let drawn = plan.order[..first].iter().map(|&block| case.block_size(block) as usize).sum::<usize>();
    let others = (0..case.atoms.len()).filter(|&at| ignored[at]).map(|at| case.atoms[at].total() as usize).sum();
    let mut ways = multisets(1, others, drawn);
    let mut atoms = case.atoms.iter().zip(ignored).filter(|(_, ignored)| !**ignored).map(|(atom, _)| atom).peekable();
    while let Some(atom) = atoms.next() {
        let mut alike = 1;
        while atoms.next_if(|next| next.class == atom.class).is_some() {
            alike += 1;
        }
        ways = product(&ways, &multisets(alike, atom.total() as usize, drawn));
    }
    ways[1..].iter().sum()
}

/// For each sum up to a last one the number of multisets of so many numbers from zero to `most`.
fn multisets(numbers: usize, most: usize, last: usize) -> Vec<f64> {
    let mut by_size = vec![vec![0.0; last + 1]; numbers + 1];
    by_size[0][0] = 1.0;
    for value in 1..=most.min(last) {
        for size in 1..=numbers {
            for sum in value..=last {
                by_size[size][sum] += by_size[size - 1][sum - value];
            }
        }
    }
    (0..=last).map(|sum| by_size.iter().map(|ways| ways[sum]).sum()).collect()
}

/// The ways to make each sum of two.
fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    (0..a.len()).map(|sum| (0..=sum).map(|part| a[part] * b[sum - part]).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multisets_are_counted_by_their_sum() {
        // Of two numbers up to 2: 00, 01, 02 and 11, 12, 22.
        assert_eq!(multisets(2, 2, 5), [1.0, 1.0, 2.0, 1.0, 1.0, 0.0]);
        assert_eq!(multisets(1, 3, 2), [1.0, 1.0, 1.0]);
        assert_eq!(product(&multisets(1, 1, 3), &multisets(1, 2, 3)), [1.0, 2.0, 2.0, 1.0]);
    }
}
