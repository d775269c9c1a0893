//! Small groups of which every world can be enumerated.

use super::beliefs::Beliefs;
use super::formed::{Asked, Method, SENSITIVE, VALUES, diversity};
use super::number;
use crate::page::{Cell, Column, Section, Source, Table, Unit};
use sfumato::Result;
use sfumato::data;

/// A group: l, buckets (and records with the value: as many), and the chance that a safe group goes
/// on.
pub type Group = (u32, usize, &'static str);

const GROUPS: [Group; 6] = [(6, 2, "0"), (6, 3, "0"), (6, 3, "0.2"), (6, 3, "0.6"), (6, 2, "0.65"), (4, 5, "0")];

const MOST_BUCKETS: usize = 5;

pub fn section() -> Result<Section> {
    let buckets = (1..=MOST_BUCKETS).map(|bucket| Column::number(format!("bucket {bucket}"), 4));
    let columns = [Column::count("l"), Column::count("buckets"), Column::text("p")].into_iter().chain(buckets);
    let columns = columns.chain([Column::number("enumerated, bucket 1", 4), Column::number("largest difference", 4)]);
    let mut table = Table::new("Belief in the value as a multiple of 1/l, by bucket", columns);
    let (mut pair, mut most, mut randomized, mut farthest) = (0.0, 0.0f64, f64::INFINITY, 0.0f64);
    for (l, buckets, p) in GROUPS {
        let counted = counted((l, buckets, p))?;
        let enumerated = enumerated(l, buckets, number(p));
        let apart = counted.iter().zip(&enumerated).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let cells = (0..MOST_BUCKETS).map(|at| Cell::from(counted.get(at).copied()));
        let head = [Cell::from(l as usize), buckets.into(), p.into()];
        table.row(head.into_iter().chain(cells).chain([enumerated[0].into(), apart.into()]));
        pair = if (buckets, p) == (2, "0") { counted[0] } else { pair };
        most = most.max(counted[0]);
        farthest = farthest.max(apart);
        randomized = if p == "0" { randomized } else { randomized.min(counted[0]) };
    }
    let words = "A made-up table of as many buckets, whose first records have the value, becomes one group of as \
     many records with the value as buckets: \
                 the most that l-diversity allows. The library forms it with (randomized) greedy grouping and counts; beside it, every way in which the \
                 records with the value can lie in buckets is enumerated here, weighted by the ways to choose them \
                 and by p for every beginning that was safe already.";
    let otherwise =
        "Counting and enumeration agree to the difference shown, so that the theorem itself would be in question.";
    Ok(Section::new(
        "worked-values",
        "Section 4: groups of which every world can be enumerated",
        Source::synthetic("Groups of 12 to 20 records"),
    )
    .words(words)
    .table(table)
    .compare("First of two buckets, p = 0", (pair, Unit::Number(3)), "2/ℓ", (pair - 2.0).abs() < 1e-9, otherwise)
    .compare(
        "Highest belief, times l",
        (most, Unit::Number(3)),
        "p(b) < e/ℓ (Theorem 6)",
        most < std::f64::consts::E,
        otherwise,
    )
    .compare(
        "Lowest of the first bucket for p > 0, times l",
        (randomized, Unit::Number(3)),
        "p(b1) ∈ (1/ℓ, e/ℓ) (Theorem 7)",
        randomized > 1.0,
        otherwise,
    )
    .verify("Largest difference of counting and enumeration", (farthest, Unit::Number(4)), "0", farthest < 1e-9))
}

/// The belief in each bucket as a multiple of 1/l, by the library.
pub fn counted((l, buckets, p): Group) -> Result<Vec<f64>> {
    let value = VALUES[0];
    let rows = l as usize * buckets;
    let ages = data::Column::from_values("age", (0..rows).map(|row| (20 + row).to_string()));
    let values = data::Column::from_values(SENSITIVE, (0..rows).map(|row| if row < buckets { value } else { "none" }));
    let table = data::Table::new(vec![ages, values])?;
    let asked = Asked::new(&table, &["age"], &[value], &[diversity(l)])?;
    let Some(formed) = asked.form(Method::Randomized { p, anatomize: false })? else { return Ok(Vec::new()) };
    let beliefs = Beliefs::counted(&asked, &formed, value)?;
    Ok(beliefs.buckets.iter().map(|bucket| bucket.belief * f64::from(l)).collect())
}

/// The same from every way in which records with the value can lie in buckets.
fn enumerated(l: u32, buckets: usize, p: f64) -> Vec<f64> {
    let mut sums = vec![0.0; buckets];
    let total = enumerate(l, p, &mut vec![0; buckets], 0, 0, 1.0, &mut sums);
    sums.into_iter().map(|sum| sum / total).collect()
}

/// Fills the buckets from `at` on in all ways; the weight of what is possible, of which `sums`
/// takes what each bucket holds.
fn enumerate(l: u32, p: f64, held: &mut Vec<u32>, at: usize, before: u32, weight: f64, sums: &mut [f64]) -> f64 {
    let buckets = held.len() as u32;
    let left = buckets - before;
    if at + 1 == held.len() {
        if left > l {
            return 0.0;
        }
        held[at] = left;
        let weight = weight * choose(l, left);
        sums.iter_mut().zip(held.iter()).for_each(|(sum, &count)| *sum += weight * f64::from(count));
        return weight;
    }
    let mut total = 0.0;
    for count in 0..=left.min(l) {
        held[at] = count;
        let is_safe = before + count <= at as u32 + 1;
        let going_on = if is_safe { p } else { 1.0 };
        total += enumerate(l, p, held, at + 1, before + count, weight * choose(l, count) * going_on, sums);
    }
    total
}

fn choose(from: u32, count: u32) -> f64 {
    (0..count).map(|at| f64::from(from - at) / f64::from(at + 1)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beliefs_are_those_of_the_worked_examples() {
        let examples: [(Group, &[f64]); 4] = [
            ((6, 3, "0"), &[2.1818, 0.8182, 0.0]),
            ((6, 3, "0.2"), &[1.799, 0.925, 0.276]),
            ((6, 3, "0.6"), &[1.243, 0.992, 0.765]),
            ((4, 5, "0"), &[2.2418, 1.2418, 0.9121, 0.6044, 0.0]),
        ];
        for (group, expected) in examples {
            for found in [counted(group).unwrap(), enumerated(group.0, group.1, group.2.parse().unwrap())] {
                assert_eq!(found.len(), expected.len());
                assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 6e-4), "{group:?}: {found:?}");
            }
        }
    }
}
