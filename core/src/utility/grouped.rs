//! What a release is worth whose groups were formed record by record: metrics of groups, and what is lost when every group's values become one label.
//!
//! **Definition**: discernibility, average group size and suppressed share as for generalizations. *Tightest loss*: a record loses in a column of numbers the range of its group as a share of the column's range, in a column of
//! categories (values in the group − 1)/(values in the column − 1), and all of it where it is withheld; the mean over records and columns.
//! **Reference**: LeFevre et al. 2006 (Mondrian); Xu et al. 2006 (normalized certainty penalty).

use crate::candidate::Groups;
use crate::data::{Column, parse_decimal};
use rayon::prelude::*;

/// The name of the tightest loss, and what it means.
pub const TIGHTEST_LOSS: (&str, &str) = (
    "tightest-loss",
    "Mean over all cells of the share of the column's range, or of its other values, that the record's group spans",
);

/// The metrics that groups alone tell, by name.
pub fn measure(groups: &Groups, records: u64) -> Vec<(&'static str, f64)> {
    let withheld = records - groups.records() as u64;
    let squares: u128 = (0..groups.len()).map(|group| (groups.size(group) as u128).pow(2)).sum();
    let discernibility = squares + u128::from(withheld) * u128::from(records);
    let counted = groups.len() as u64 + u64::from(withheld > 0);
    vec![
        ("discernibility", discernibility as f64),
        ("average-group-size", records as f64 / counted.max(1) as f64),
        ("suppressed-share", withheld as f64 / records.max(1) as f64),
    ]
}

/// The share of a column that is lost when each group's values become one label; `records` are those of the table, withheld ones included.
pub fn lost(column: &Column, groups: &Groups, records: usize) -> f64 {
    let numbers = numbers(column);
    // Zero where values are one number written in several ways.
    let whole = numbers.iter().map(|numbers| range(numbers.iter().copied())).sum::<f64>();
    let of_group = |group: usize| {
        let rows = groups.rows(group);
        let codes = rows.iter().map(|&row| column.codes()[row as usize]);
        let share = match &numbers {
            Some(_) if whole == 0.0 => 0.0,
            Some(numbers) => range(codes.map(|code| numbers[code as usize])) / whole,
            None => {
                let mut codes: Vec<u32> = codes.collect();
                codes.sort_unstable();
                codes.dedup();
                (codes.len() - 1) as f64 / (column.domain().len() - 1) as f64
            }
        };
        share * rows.len() as f64
    };
    if column.domain().len() < 2 || records == 0 {
        return 0.0;
    }
    // Added up in the order of groups: the sum of floats depends on it.
    let lost: Vec<f64> = (0..groups.len()).into_par_iter().map(of_group).collect();
    (lost.iter().sum::<f64>() + (records - groups.records()) as f64) / records as f64
}

/// The numbers that codes stand for, if the column is one of numbers without missing ones.
fn numbers(column: &Column) -> Option<Vec<f64>> {
    let labels = column.domain().labels().iter();
    if column.domain().value_type().is_ordered() { labels.map(parse_decimal).collect() } else { None }
}

fn range(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let high = numbers.clone().fold(f64::NEG_INFINITY, f64::max);
    high - numbers.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_is_the_share_of_range_or_of_values() {
        let ages = Column::from_values("age", ["20", "30", "60", "21"]);
        let jobs = Column::from_values("job", ["cook", "smith", "nurse", "cook"]);
        let groups = Groups::of_lists(&[vec![0, 1], vec![2]]);
        // Two records lose 10/40 of the range, one nothing, and the withheld one all.
        assert!((lost(&ages, &groups, 4) - (2.0 * 0.25 + 1.0) / 4.0).abs() < 1e-12);
        assert!((lost(&jobs, &groups, 4) - (2.0 * 0.5 + 1.0) / 4.0).abs() < 1e-12);
        let metrics = measure(&groups, 4);
        assert_eq!(metrics, [("discernibility", 9.0), ("average-group-size", 4.0 / 3.0), ("suppressed-share", 0.25)]);
    }
}
