//! The paper's loop: D-suppression that drops records one by one. It keeps its numbers sorted, so
//! that a record takes a few instructions.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sfumato::skew::Skewed;

/// Drops records after S1 was lowered: one of the most frequent value, the lowest ranked first.
/// What is left, largest first.
fn one_by_one(table: &Skewed, first: u64, is_over: impl Fn(&[u64], u64) -> bool) -> Vec<u64> {
    let others = &table.frequencies()[1..];
    let place = others.partition_point(|&other| other > first);
    let mut kept = [&others[..place], &[first], &others[place..]].concat();
    let mut published = kept.iter().sum();
    let mut at_top = 0;
    while !is_over(&kept, published) {
        if at_top == 0 {
            at_top = kept.iter().take_while(|&&count| count == kept[0]).count();
        }
        at_top -= 1;
        kept[at_top] -= 1;
        published -= 1;
    }
    kept
}

/// The loop until what is left is eligible and has l candidates.
pub fn bound(table: &Skewed, first: u64) -> Vec<u64> {
    let (records, l) = (table.records(), table.l());
    one_by_one(table, first, |kept, published| {
        kept[0] * l <= published && (kept[l as usize - 1] + records - published) * l > records
    })
}

/// The loop until l values share the top.
pub fn safe(table: &Skewed) -> Vec<u64> {
    one_by_one(table, table.frequency(1), |kept, _| kept[0] == kept[table.l() as usize - 1])
}

pub fn withheld(table: &Skewed, kept: &[u64]) -> u64 {
    table.records() - kept.iter().sum::<u64>()
}

/// The mean of R-suppression with a loop for every level, or for one in so many.
pub fn mean(table: &Skewed, one_in: usize) -> f64 {
    let of_gap = |h: u64| {
        let levels = table.frequency(h + 1)..=table.frequency(h);
        let withheld = |first| withheld(table, &bound(table, first)) as f64;
        let (sum, run) =
            levels.step_by(one_in).fold((0.0, 0.0), |(sum, run), first| (sum + withheld(first), run + 1.0));
        sum / run
    };
    (1..=table.l()).map(of_gap).sum::<f64>() / table.l() as f64
}

/// The mean over a hundred random levels, which is how the paper estimates it.
pub fn mean_of_a_hundred(table: &Skewed) -> f64 {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let mut one = || {
        let h = generator.random_range(1..=table.l());
        let first = generator.random_range(table.frequency(h + 1)..=table.frequency(h));
        withheld(table, &bound(table, first)) as f64
    };
    (0..100).map(|_| one()).sum::<f64>() / 100.0
}
