//! Grouping rows by the codes of some columns.

use crate::data::Column;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use rayon::prelude::*;
use std::hash::BuildHasher;
use std::ops::Range;

/// Disjoint groups of rows.
///
/// ```
/// use sfumato::candidate::Groups;
/// use sfumato::data::Column;
///
/// let zip = Column::from_values("zip", ["130**", "148**", "130**"]);
/// let groups = Groups::by_columns(&[&zip], 3);
/// assert_eq!(groups.len(), 2);
/// assert_eq!(groups.rows(0), [0, 2]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Rows, group after group; ascending within each.
    order: Vec<u32>,
    /// Where each group starts in `order`, and the end.
    starts: Vec<u32>,
}

impl Groups {
    /// Rows with equal values in all columns; groups in the order of those values, so that the
    /// order of rows and the number of threads do not matter. Without columns all rows are one
    /// group.
    pub fn by_columns(columns: &[&Column], rows: usize) -> Groups {
        let coded: Vec<(&[u32], usize)> =
            columns.iter().map(|column| (column.codes(), column.domain().len())).collect();
        let (ids, count) = dense_ids(&coded, rows);
        Groups::by_ids(&ids, count)
    }

    /// Rows with equal ids, which are below `count` and all taken.
    pub fn by_ids(ids: &[u32], count: usize) -> Groups {
        let mut starts = vec![0u32; count + 1];
        for &id in ids {
            starts[id as usize + 1] += 1;
        }
        for group in 0..count {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut order = vec![0u32; ids.len()];
        for (row, &id) in (0u32..).zip(ids) {
            let place = &mut next[id as usize];
            order[*place as usize] = row;
            *place += 1;
        }
        Groups { order, starts }
    }

    /// Consecutive stretches of some rows, each a group; rows outside of them are in none.
    pub fn of_stretches(rows: &[u32], stretches: &[Range<usize>]) -> Groups {
        let mut order = Vec::with_capacity(rows.len());
        let mut starts = Vec::with_capacity(stretches.len() + 1);
        starts.push(0);
        for stretch in stretches {
            order.extend_from_slice(&rows[stretch.clone()]);
            starts.push(order.len() as u32);
        }
        Groups { order, starts }
    }

    /// Lists of rows, each a group.
    pub fn of_lists(lists: &[Vec<u32>]) -> Groups {
        let ends = lists.iter().scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        });
        Groups { starts: std::iter::once(0).chain(ends).collect(), order: lists.concat() }
    }

    /// The same groups with every row replaced by the one it stands for.
    pub fn mapped(&self, row_of: &[u32]) -> Groups {
        Groups { order: self.order.iter().map(|&row| row_of[row as usize]).collect(), starts: self.starts.clone() }
    }

    /// The rows, group after group.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rows they hold.
    pub fn records(&self) -> usize {
        self.order.len()
    }

    /// The rows of a group, ascending.
    pub fn rows(&self, group: usize) -> &[u32] {
        &self.order[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// The size of a group.
    pub fn size(&self, group: usize) -> usize {
        (self.starts[group + 1] - self.starts[group]) as usize
    }
}

/// For every row the number of its combination of codes, counted from 0 in the order of the
/// combinations; and how many there are. Columns are codes with the size of their domain.
pub fn dense_ids(columns: &[(&[u32], usize)], rows: usize) -> (Vec<u32>, usize) {
    let mut done: Option<(Vec<u32>, usize)> = None;
    let mut left = columns;
    loop {
        // As many columns as fit one word; what they give is one column for the next round.
        let mut packed: Vec<(&[u32], usize)> = done.iter().map(|(ids, count)| (ids.as_slice(), *count)).collect();
        let mut space: u128 = packed.iter().map(|column| column.1 as u128).product();
        while let Some((next, rest)) = left.split_first() {
            let grown = space.saturating_mul(next.1.max(1) as u128);
            if grown > u128::from(u64::MAX) {
                break;
            }
            space = grown;
            packed.push(*next);
            left = rest;
        }
        let ids = number(&packed, space as u64, rows);
        if left.is_empty() {
            return ids;
        }
        done = Some(ids);
    }
}

/// Key spaces up to this size, or up to four places per row, are counted in a plain array.
const SMALL_SPACE: u64 = 1 << 16;

fn number(columns: &[(&[u32], usize)], space: u64, rows: usize) -> (Vec<u32>, usize) {
    let keys_of = |range: std::ops::Range<usize>| {
        let mut keys = vec![0u64; range.len()];
        for (codes, size) in columns {
            for (key, &code) in keys.iter_mut().zip(&codes[range.clone()]) {
                *key = *key * *size as u64 + u64::from(code);
            }
        }
        keys
    };
    if space <= SMALL_SPACE.max(4 * rows as u64) && space <= 1 << 28 {
        number_small(&keys_of(0..rows), space as usize)
    } else {
        number_large(keys_of, rows)
    }
}

fn number_small(keys: &[u64], space: usize) -> (Vec<u32>, usize) {
    let mut number_of_key = vec![0u32; space];
    keys.iter().for_each(|&key| number_of_key[key as usize] = 1);
    let mut count = 0;
    for slot in &mut number_of_key {
        let taken = *slot;
        *slot = count;
        count += taken;
    }
    (keys.iter().map(|&key| number_of_key[key as usize]).collect(), count as usize)
}

/// Each thread numbers its part of the rows by a hash table; then the keys of all are put in order.
fn number_large(keys_of: impl Fn(std::ops::Range<usize>) -> Vec<u64> + Sync, rows: usize) -> (Vec<u32>, usize) {
    let part = rows.div_ceil(rayon::current_num_threads()).max(1);
    let hasher = RandomState::default();
    let mut parts: Vec<(Vec<u32>, Vec<u64>)> = (0..rows.div_ceil(part))
        .into_par_iter()
        .map(|at| number_part(&keys_of(at * part..rows.min((at + 1) * part)), &hasher))
        .collect();

    let mut keys: Vec<(u64, u32, u32)> = Vec::with_capacity(parts.iter().map(|(_, keys)| keys.len()).sum());
    for (at, (_, own)) in (0u32..).zip(&parts) {
        keys.extend((0u32..).zip(own).map(|(local, &key)| (key, at, local)));
    }
    keys.par_sort_unstable();
    let mut count = 0u32;
    let mut maps: Vec<Vec<u32>> = parts.iter().map(|(_, own)| vec![0; own.len()]).collect();
    for (index, &(key, at, local)) in keys.iter().enumerate() {
        if index > 0 && keys[index - 1].0 != key {
            count += 1;
        }
        maps[at as usize][local as usize] = count;
    }
    let ids: Vec<Vec<u32>> = parts
        .par_iter_mut()
        .zip(&maps)
        .map(|((ids, _), map)| std::mem::take(ids).into_iter().map(|id| map[id as usize]).collect())
        .collect();
    (ids.concat(), if rows == 0 { 0 } else { count as usize + 1 })
}

fn number_part(keys: &[u64], hasher: &RandomState) -> (Vec<u32>, Vec<u64>) {
    let mut table: HashTable<(u64, u32)> = HashTable::new();
    let mut distinct = Vec::new();
    let ids = keys.iter().map(|&key| {
        let hash = hasher.hash_one(key);
        match table.find(hash, |(known, _)| *known == key) {
            Some(&(_, id)) => id,
            None => {
                let id = distinct.len() as u32;
                distinct.push(key);
                table.insert_unique(hash, (key, id), |(known, _)| hasher.hash_one(known));
                id
            }
        }
    });
    (ids.collect(), distinct)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Groups by a sorted map over code vectors.
    fn plainly(columns: &[(Vec<u32>, usize)], rows: usize) -> Vec<Vec<u32>> {
        let mut groups: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for row in 0..rows {
            let key = columns.iter().map(|(codes, _)| codes[row]).collect();
            groups.entry(key).or_default().push(row as u32);
        }
        groups.into_values().collect()
    }

    fn check(columns: &[(Vec<u32>, usize)], rows: usize) {
        let coded: Vec<(&[u32], usize)> = columns.iter().map(|(codes, size)| (codes.as_slice(), *size)).collect();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (ids, count) = pool.install(|| dense_ids(&coded, rows));
            let groups = Groups::by_ids(&ids, count);
            let found: Vec<Vec<u32>> = (0..groups.len()).map(|group| groups.rows(group).to_vec()).collect();
            assert_eq!(found, plainly(columns, rows));
        }
    }

    proptest! {
        #[test]
        fn groups_are_those_of_equal_codes(
            rows in 0usize..40,
            sizes in proptest::collection::vec(prop_oneof![1usize..4, Just(1 << 20), Just(1usize << 31)], 0..6),
            seed: u32,
        ) {
            let columns: Vec<(Vec<u32>, usize)> = sizes.iter().enumerate().map(|(at, &size)| {
                let code = |row: usize| (seed.wrapping_mul(row as u32 % 7 + at as u32)) % size.min(3) as u32;
                ((0..rows).map(code).collect(), size)
            }).collect();
            check(&columns, rows);
        }
    }

    #[test]
    fn many_wide_columns_are_folded() {
        let columns: Vec<(Vec<u32>, usize)> = (0..65u32).map(|at| (vec![at % 2, 1, at % 2, 0], 1 << 30)).collect();
        check(&columns, 4);
    }
}
