//! Every small table, one for each way to be different: neither the order of rows nor the names of
//! values count.

use std::collections::BTreeSet;

/// A table of numbered values, row by row.
pub type Rows<const COLUMNS: usize> = Vec<[u8; COLUMNS]>;

/// The most rows that a table here has.
pub const MOST_ROWS: usize = 6;

const UNNAMED: u8 = u8::MAX;

/// Some rows put in an order, with the names that their values got on the way.
#[derive(Clone, Copy)]
struct Begun<const COLUMNS: usize> {
    used: u8,
    names: [[u8; MOST_ROWS]; COLUMNS],
    next: [u8; COLUMNS],
}

impl<const COLUMNS: usize> Begun<COLUMNS> {
    const NOTHING: Self = Begun { used: 0, names: [[UNNAMED; MOST_ROWS]; COLUMNS], next: [0; COLUMNS] };

    /// The row as it would be named if it came next.
    fn named(&self, row: &[u8; COLUMNS]) -> [u8; COLUMNS] {
        std::array::from_fn(|column| match self.names[column][row[column] as usize] {
            UNNAMED => self.next[column],
            name => name,
        })
    }

    fn with(mut self, at: usize, row: &[u8; COLUMNS]) -> Self {
        self.used |= 1 << at;
        for ((names, next), value) in self.names.iter_mut().zip(&mut self.next).zip(row) {
            let name = &mut names[*value as usize];
            if *name == UNNAMED {
                *name = *next;
                *next += 1;
            }
        }
        self
    }
}

/// The least of all tables that differ from this one in the order of rows and names of values only,
/// and how many orders of (different) rows lead to it.
fn canonical<const COLUMNS: usize>(rows: &Rows<COLUMNS>) -> (Rows<COLUMNS>, u64) {
    let mut begun = vec![Begun::<COLUMNS>::NOTHING];
    let mut least = Vec::with_capacity(rows.len());
    for _ in rows {
        let mut smallest: Option<[u8; COLUMNS]> = None;
        let mut going_on = Vec::new();
        for state in &begun {
            for (at, row) in rows.iter().enumerate() {
                let is_used = |at: usize| state.used >> at & 1 == 1;
                let is_repeated = (0..at).any(|before| !is_used(before) && rows[before] == *row);
                if is_used(at) || is_repeated {
                    continue;
                }
                let named = state.named(row);
                if smallest.is_none_or(|smallest| named < smallest) {
                    smallest = Some(named);
                    going_on.clear();
                }
                if smallest == Some(named) {
                    going_on.push(state.with(at, row));
                }
            }
        }
        least.push(smallest.expect("a row is left"));
        begun = going_on;
    }
    (least, begun.len() as u64)
}

/// All tables with so many rows, one of each kind.
pub fn all<const COLUMNS: usize>(rows: usize) -> Vec<Rows<COLUMNS>> {
    let mut tables: BTreeSet<Rows<COLUMNS>> = BTreeSet::from([Vec::new()]);
    for _ in 0..rows {
        tables = tables.iter().flat_map(one_row_more).collect();
    }
    tables.into_iter().collect()
}

/// All tables with at most so many rows, and at least one.
pub fn up_to<const COLUMNS: usize>(rows: usize) -> Vec<Rows<COLUMNS>> {
    (1..=rows).flat_map(all::<COLUMNS>).collect()
}

fn one_row_more<const COLUMNS: usize>(table: &Rows<COLUMNS>) -> BTreeSet<Rows<COLUMNS>> {
    let values: [u8; COLUMNS] =
        std::array::from_fn(|column| table.iter().map(|row| row[column] + 2).max().unwrap_or(1));
    let choices: usize = values.iter().map(|&count| count as usize).product();
    let grown = (0..choices).map(|mut choice| {
        let row = values.map(|count| {
            let value = choice % count as usize;
            choice /= count as usize;
            value as u8
        });
        canonical(&table.iter().copied().chain([row]).collect()).0
    });
    grown.collect()
}

/// How many tables with named rows a table stands for: each column divides the rows into classes of
/// equal values.
pub fn stands_for<const COLUMNS: usize>(table: &Rows<COLUMNS>) -> u64 {
    let factorial = |n: usize| (1..=n as u64).product::<u64>();
    let mut sorted = table.clone();
    sorted.sort_unstable();
    let repeated: u64 = sorted.chunk_by(|a, b| a == b).map(|same| factorial(same.len())).product();
    factorial(table.len()) / (canonical(table).1 * repeated)
}
