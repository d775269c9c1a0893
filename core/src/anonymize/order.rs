//! The order of records by their quasi-identifiers, for methods that put neighbours together.
//!
//! Records with equal quasi-identifiers stay in the random order in which they come, since nothing
//! else may tell them apart: not their places in the file, and not their sensitive values.

use crate::candidate::{Coded, dense_ids};
use crate::data::Column;
use crate::error::{Error, Result};
use crate::kind::{Param, Shape};
use rayon::prelude::*;

/// Along what records are sorted.
pub(super) const SORT: Param = Param {
    name: "sort",
    summary: "compare quasi-identifiers one after the other, or follow a Hilbert curve through all of them at once",
    shape: Shape::Choice(&["lexicographic", "hilbert"]),
    default: Some("lexicographic"),
};

/// Which quasi-identifier is compared first.
pub(super) const ORDER: Param = Param {
    name: "order",
    summary: "quasi-identifiers by priority; those not listed follow, the one with the fewest distinct values first",
    shape: Shape::Values,
    default: Some(""),
};

/// The positions of the quasi-identifiers by priority: those written first, then the others by
/// their number of distinct values.
pub(super) fn priority(written: &[String], quasi: &[&Column]) -> Result<Vec<usize>> {
    let mut order = Vec::with_capacity(quasi.len());
    for name in written {
        let Some(at) = quasi.iter().position(|column| column.name() == name) else {
            let message = format!("\"order\" lists \"{name}\", which is no quasi-identifier");
            return Err(Error::unknown(message, name, quasi.iter().map(|column| column.name())));
        };
        if order.contains(&at) {
            let message = format!("\"order\" lists \"{name}\" twice");
            return Err(Error::plan(message).help("list every quasi-identifier at most once"));
        }
        order.push(at);
    }
    let mut others: Vec<usize> = (0..quasi.len()).filter(|at| !order.contains(at)).collect();
    others.sort_by_cached_key(|&at| quasi[at].counts().into_iter().filter(|&count| count > 0).count());
    order.extend(others);
    Ok(order)
}

/// The rows sorted by the columns, the first of which counts most, or along a Hilbert curve through
/// all of them. Rows with equal values stay in the order given.
pub(super) fn sorted(columns: &[&Column], hilbert: bool, shuffled: Vec<u32>) -> Vec<u32> {
    let coded: Vec<Coded<'_>> = columns.iter().map(|column| (column.codes(), column.domain().len())).collect();
    let rows = columns.first().map_or(0, |column| column.codes().len());
    if rows == 0 {
        return shuffled;
    }
    if !hilbert && let Some(order) = packed(&coded, rows, &shuffled) {
        return order;
    }
    // The numbers of combinations ascend with the combinations, so sorting by them is sorting by
    // columns.
    let (mut number, count) = dense_ids(&coded, rows);
    if hilbert {
        let rank = along_the_curve(&coded, &number, count);
        number.par_iter_mut().for_each(|number| *number = rank[*number as usize]);
    }
    counted(&number, count, &shuffled)
}

/// The rows given, sorted as single words of all codes and the place in the order given; nothing if
/// these do not fit one word.
fn packed(columns: &[Coded<'_>], rows: usize, given: &[u32]) -> Option<Vec<u32>> {
    let places = (given.len() as u64).max(1);
    columns.iter().try_fold(places, |space, column| space.checked_mul(column.1 as u64))?;
    let mut combination = vec![0u64; rows];
    for (codes, size) in columns {
        let pairs = combination.par_iter_mut().zip(*codes);
        pairs.for_each(|(combination, &code)| *combination = *combination * *size as u64 + u64::from(code));
    }
    let key = |(place, &row): (usize, &u32)| combination[row as usize] * places + place as u64;
    let mut keys: Vec<u64> = given.par_iter().enumerate().map(key).collect();
    keys.par_sort_unstable();
    Some(keys.into_par_iter().map(|key| given[(key % places) as usize]).collect())
}

/// Rows by their numbers, which are below `count`; rows with equal numbers stay in the order given.
fn counted(number: &[u32], count: usize, rows: &[u32]) -> Vec<u32> {
    let mut next = vec![0u32; count + 1];
    for &row in rows {
        next[number[row as usize] as usize + 1] += 1;
    }
    for at in 0..count {
        next[at + 1] += next[at];
    }
    let mut order = vec![0; rows.len()];
    for &row in rows {
        let place = &mut next[number[row as usize] as usize];
        order[*place as usize] = row;
        *place += 1;
    }
    order
}

/// The rank of every combination of codes along the curve. Combinations that the curve is too
/// coarse to tell apart keep their order.
fn along_the_curve(columns: &[Coded<'_>], number: &[u32], count: usize) -> Vec<u32> {
    let grid = Grid::of(columns);
    let mut row_of = vec![0u32; count];
    (0u32..).zip(number).for_each(|(row, &number)| row_of[number as usize] = row);
    let key = |(combination, &row): (usize, &u32)| (grid.place(row as usize), combination as u32);
    let mut keys: Vec<(u128, u32)> = row_of.par_iter().enumerate().map(key).collect();
    keys.par_sort_unstable();
    let mut rank = vec![0; count];
    (0u32..).zip(&keys).for_each(|(at, &(_, combination))| rank[combination as usize] = at);
    rank
}

/// A cube of cells, `2^bits` along every side, into which combinations of codes are laid.
struct Grid<'a> {
    columns: Vec<Coded<'a>>,
    bits: u32,
}

/// A place along the curve has a bit for every bit of every side.
const PLACE_BITS: usize = 128;

impl<'a> Grid<'a> {
    /// Fine enough to tell all values apart, where a place has room for that. Columns of one value
    /// span nothing; beyond one bit each, further columns have no room.
    fn of(columns: &[Coded<'a>]) -> Grid<'a> {
        let columns: Vec<Coded<'a>> = columns.iter().copied().filter(|column| column.1 > 1).take(PLACE_BITS).collect();
        let widest = columns.iter().map(|column| column.1).max().unwrap_or(1);
        let needed = usize::BITS - (widest - 1).leading_zeros();
        let room = PLACE_BITS / columns.len().max(1);
        Grid { columns, bits: needed.min(room as u32) }
    }

    /// Where a row lies along the curve. A side is as long for few values as for many.
    fn place(&self, row: usize) -> u128 {
        let scaled = |&(codes, size): &Coded<'_>| ((u64::from(codes[row]) << self.bits) / size as u64) as u32;
        let mut cell = [0; PLACE_BITS];
        let cell = &mut cell[..self.columns.len()];
        cell.iter_mut().zip(&self.columns).for_each(|(side, column)| *side = scaled(column));
        place_on_curve(cell, self.bits)
    }
}

/// The place of a cell along the Hilbert curve through a cube of `2^bits` cells along every side.
/// From the coarsest bit down, the part of the cube in which the cell lies is turned and mirrored
/// to look like the whole (Skilling 2004, "Programming the Hilbert curve"); what is left is a Gray
/// code of the place.
fn place_on_curve(cell: &mut [u32], bits: u32) -> u128 {
    for bit in (1..bits).rev() {
        let below = (1u32 << bit) - 1;
        for side in 0..cell.len() {
            // The finer bits are mirrored along the first side, or exchanged with it. Without
            // branches: which of the two is as good as random.
            let mirrored = below * (cell[side] >> bit & 1);
            let exchanged = (cell[0] ^ cell[side]) & (below ^ mirrored);
            cell[0] ^= mirrored | exchanged;
            cell[side] ^= exchanged;
        }
    }
    for side in 1..cell.len() {
        cell[side] ^= cell[side - 1];
    }
    let last = cell.last().copied().unwrap_or(0);
    let flips = (1..bits).filter(|bit| last >> bit & 1 == 1).fold(0, |flips, bit| flips ^ ((1u32 << bit) - 1));
    let mut place = 0;
    for bit in (0..bits).rev() {
        for side in &*cell {
            place = place << 1 | u128::from((side ^ flips) >> bit & 1);
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::seq::SliceRandom;
    use rand_chacha::ChaCha8Rng;

    fn shuffled(rows: usize, seed: u64) -> Vec<u32> {
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        order
    }

    /// Columns of numbers; codes follow their order.
    fn columns(count: usize, rows: usize, value: impl Fn(usize, usize) -> u32) -> Vec<Column> {
        let column =
            |at: usize| Column::from_values(format!("c{at}"), (0..rows).map(|row| format!("{:05}", value(at, row))));
        (0..count).map(column).collect()
    }

    fn codes(columns: &[&Column], row: u32) -> Vec<u32> {
        columns.iter().map(|column| column.codes()[row as usize]).collect()
    }

    proptest! {
        #[test]
        fn lexicographic_is_a_stable_sort(rows in 1usize..60, count in 1usize..5, size in 1u32..5, seed: u64) {
            let table = columns(count, rows, |at, row| (seed >> ((at + row) % 50)) as u32 % size);
            let columns: Vec<&Column> = table.iter().collect();
            let given = shuffled(rows, seed);
            let mut plainly = given.clone();
            plainly.sort_by_key(|&row| codes(&columns, row));
            prop_assert_eq!(sorted(&columns, false, given), plainly);
        }

        #[test]
        fn equal_rows_stay_together_and_in_the_order_given(rows in 1usize..60, count in 1usize..5, seed: u64) {
            let table = columns(count, rows, |at, row| (seed >> ((7 * at + row) % 50)) as u32 % 3);
            let columns: Vec<&Column> = table.iter().collect();
            let given = shuffled(rows, seed);
            let found = sorted(&columns, true, given.clone());
            let stretches: Vec<&[u32]> = found.chunk_by(|&a, &b| codes(&columns, a) == codes(&columns, b)).collect();
            for (at, stretch) in stretches.iter().enumerate() {
                let of_stretch = codes(&columns, stretch[0]);
                let same = given.iter().copied().filter(|&row| codes(&columns, row) == of_stretch);
                prop_assert_eq!(same.collect::<Vec<_>>(), stretch.to_vec(), "stretch {}", at);
            }
        }
    }

    /// Neighbours along the curve are neighbours in the cube.
    fn check_full_grid(dimensions: usize, side: u32) {
        let rows = (side as usize).pow(dimensions as u32);
        let table = columns(dimensions, rows, |at, row| row as u32 / side.pow(at as u32) % side);
        let columns: Vec<&Column> = table.iter().collect();
        let found = sorted(&columns, true, shuffled(rows, 3));
        for pair in found.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|row| codes(&columns, row));
            let steps: u32 = a.iter().zip(&b).map(|(a, b)| a.abs_diff(*b)).sum();
            assert_eq!(steps, 1, "{a:?} to {b:?}");
        }
        let mut every = found;
        every.sort_unstable();
        assert_eq!(every, (0..rows as u32).collect::<Vec<_>>());
    }

    #[test]
    fn the_curve_goes_from_neighbour_to_neighbour() {
        check_full_grid(1, 8);
        check_full_grid(2, 8);
        check_full_grid(2, 64);
        check_full_grid(3, 4);
        check_full_grid(5, 4);
    }

    #[test]
    fn a_part_of_the_rows_is_sorted_and_no_columns_change_nothing() {
        let column = Column::from_values("a", ["3", "1", "2", "1"]);
        assert_eq!(sorted(&[&column], false, vec![3, 0, 1]), [3, 1, 0]);
        assert_eq!(sorted(&[&column], true, vec![0, 3, 1]), [3, 1, 0]);
        assert_eq!(sorted(&[], true, vec![2, 0, 1]), [2, 0, 1]);
    }

    #[test]
    fn many_columns_are_folded() {
        for count in [65, 130] {
            let table = columns(count, 50, |at, row| if at == count - 1 { row as u32 / 2 } else { row as u32 % 5 });
            let columns: Vec<&Column> = table.iter().collect();
            let given = shuffled(50, 1);
            let mut plainly = given.clone();
            plainly.sort_by_key(|&row| codes(&columns, row));
            assert_eq!(sorted(&columns, false, given.clone()), plainly);
            let mut found = sorted(&columns, true, given);
            found.sort_unstable();
            assert_eq!(found, (0..50).collect::<Vec<_>>());
        }
    }

    #[test]
    fn priority_is_what_is_written_and_then_the_fewest_values() {
        let zip = Column::from_values("zip", ["1", "2", "3"]);
        let sex = Column::from_values("sex", ["f", "m", "f"]);
        let age = Column::from_values("age", ["30", "40", "30"]);
        let quasi = [&zip, &sex, &age];
        assert_eq!(priority(&[], &quasi).unwrap(), [1, 2, 0]);
        assert_eq!(priority(&["age".into()], &quasi).unwrap(), [2, 1, 0]);
        let unknown = priority(&["agee".into()], &quasi).unwrap_err().to_string();
        assert!(unknown.contains("did you mean \"age\"?"), "{unknown}");
        let twice = priority(&["zip".into(), "zip".into()], &quasi).unwrap_err();
        assert!(twice.message().contains("twice"));
    }
}
