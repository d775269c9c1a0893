//! What the sizes of published groups tell: discernibility, average group size and suppressed
//! share.
//!
//! **Definition**: as for generalizations; suppressed records count as one group that nobody can
//! tell apart from the whole table. **Reference**: Bayardo and Agrawal 2005 (discernibility);
//! LeFevre et al. 2006 (average group size).

use super::{average_group_size, discernibility, height, suppressed_share};
use crate::candidate::Groups;

/// The metrics that groups alone tell, by name.
pub fn measure(groups: &Groups, records: u64) -> Vec<(&'static str, f64)> {
    let withheld = records - groups.records() as u64;
    let squares: u128 = (0..groups.len()).map(|group| (groups.size(group) as u128).pow(2)).sum();
    let distinguished = squares + u128::from(withheld) * u128::from(records);
    let counted = groups.len() as u64 + u64::from(withheld > 0);
    vec![
        (discernibility::KIND.name, distinguished as f64),
        (average_group_size::KIND.name, records as f64 / counted.max(1) as f64),
        (suppressed_share::KIND.name, withheld as f64 / records.max(1) as f64),
    ]
}

/// What the levels of columns tell, where there are some.
pub fn height(levels: impl Iterator<Item = usize>) -> (&'static str, f64) {
    (height::KIND.name, levels.map(|level| level as f64).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn withheld_records_count_as_one_group() {
        let groups = Groups::of_lists(&[vec![0, 1], vec![2]]);
        let metrics = measure(&groups, 4);
        assert_eq!(metrics, [("discernibility", 9.0), ("average-group-size", 4.0 / 3.0), ("suppressed-share", 0.25)]);
    }
}
