//! Raking: the table with the greatest entropy among those with known sums.

use super::bounds::Sums;

/// How often all sums are met in turn, and how many steps that may take in all.
const ROUNDS: usize = 2_000;
const MOST_STEPS: usize = 1_000_000_000;
/// How far the sums may be off, as a share of them.
const CLOSE: f64 = 1e-6;

/// The largest share that an entry has of its last sum, in the table of greatest entropy. `None` if
/// the sums are not met in time.
pub(super) fn highest_share(possible: &[bool], sums: [&Sums; 3]) -> Option<f64> {
    let mut entries: Vec<f64> = possible.iter().map(|&possible| f64::from(u8::from(possible))).collect();
    let rounds = (MOST_STEPS / entries.len().max(1)).min(ROUNDS);
    let is_met = (0..rounds).any(|_| sums.iter().map(|sums| meet(&mut entries, sums)).fold(0.0, f64::max) < CLOSE);
    let share = |(entry, &sum): (&f64, &u32)| entry / sums[2].most[sum as usize].max(1) as f64;
    is_met.then(|| entries.iter().zip(&sums[2].of).map(share).fold(0.0, f64::max).min(1.0))
}

/// Scales the entries of each sum so that they meet it; returns how far one of them was off.
fn meet(entries: &mut [f64], sums: &Sums) -> f64 {
    let mut totals = vec![0.0; sums.most.len()];
    entries.iter().zip(&sums.of).for_each(|(entry, &sum)| totals[sum as usize] += entry);
    let scale = |(total, &wanted): (&f64, &i64)| if *total > 0.0 { wanted as f64 / total } else { 0.0 };
    let scales: Vec<f64> = totals.iter().zip(&sums.most).map(scale).collect();
    entries.iter_mut().zip(&sums.of).for_each(|(entry, &sum)| *entry *= scales[sum as usize]);
    let off = |(total, &wanted): (&f64, &i64)| (total - wanted as f64).abs() / wanted.max(1) as f64;
    totals.iter().zip(&sums.most).map(off).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(of: Vec<u32>, most: Vec<i64>) -> Sums {
        Sums { of, least: most.clone(), most }
    }

    #[test]
    fn sums_are_met_by_the_product_of_shares() {
        // Two by two, half and half one way, 3 : 1 the other way, in one cell: 3/8 is the largest
        // of four shares.
        let (rows, columns) = (exact(vec![0, 0, 1, 1], vec![4, 4]), exact(vec![0, 1, 0, 1], vec![6, 2]));
        let found = highest_share(&[true; 4], [&rows, &columns, &exact(vec![0; 4], vec![8])]).unwrap();
        assert!((found - 0.375).abs() < 1e-5, "{found}");
    }

    #[test]
    fn sums_that_cannot_be_met_give_nothing() {
        let (one, two) = (exact(vec![0], vec![1]), exact(vec![0], vec![2]));
        assert_eq!(highest_share(&[true], [&one, &two, &one]), None);
        assert_eq!(highest_share(&[false], [&one, &one, &one]), None);
    }
}
