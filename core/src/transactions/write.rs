//! Writing transactions, so that neither the order of lines nor that of items tells more than the
//! records.

use super::read::SHARED;
use super::{Released, Separated, Shared, Together, Transactions, read_released};
use crate::chance::Chance;
use crate::data::{Column, Formulas, Table, csv};
use crate::error::{Error, Fault, Result};
use rand::seq::SliceRandom;
use std::cmp::Ordering;

/// What generators are for: the order of lines, and the order of groups of them.
const LINES: u64 = 45;
const GROUPS: u64 = 46;

/// What may stand between items, where what stood there in the input is part of a name.
const DELIMITERS: [char; 5] = [' ', ',', ';', '\t', '|'];

/// A release as bytes of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Records, one per line.
    pub data: Vec<u8>,
    /// Sensitive items of groups of lines, if they are told apart from records.
    pub shared: Option<Vec<u8>>,
    /// What stands between items.
    pub delimiter: char,
}

impl Written {
    /// Writes a release: items of a line in the order of their names, separated as preferred if no
    /// name is in the way.
    ///
    /// ```
    /// use sfumato::transactions::{Released, Together, Transactions, Written};
    ///
    /// let table = Transactions::from_names([vec!["10", "9"], vec![], vec!["2", "10"]]);
    /// let written = Written::new(&Released::Together(Together { table, published_as: None }), None)?;
    /// assert_eq!(written.data, b"9 10\n\n2 10\n");
    /// # Ok::<(), sfumato::Error>(())
    /// ```
    pub fn new(released: &Released, preferred: Option<char>) -> Result<Written> {
        let table = released.table();
        let delimiter = delimiter(table, preferred)?;
        let rank = ranks(table.names(), &released.supports());
        let mut data = Vec::new();
        let mut record = Vec::new();
        for items in table.iter() {
            record.clear();
            record.extend_from_slice(items);
            record.sort_unstable_by_key(|item| rank[*item as usize]);
            for (at, item) in record.iter().enumerate() {
                if at > 0 {
                    data.extend_from_slice(delimiter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                data.extend_from_slice(table.names()[*item as usize].as_bytes());
            }
            data.push(b'\n');
        }
        let shared = match released {
            Released::Together(_) => None,
            Released::Separated(separated) => Some(shared_csv(separated, &rank)?),
        };
        Ok(Written { data, shared, delimiter })
    }

    /// The release that somebody reads.
    pub fn read_back(&self) -> Result<Released> {
        read_released(&self.data, self.shared.as_deref(), read_delimiter(self.delimiter))
    }
}

/// How to read what was written with a delimiter: a blank is any white space.
pub fn read_delimiter(written: char) -> Option<char> {
    (written != ' ').then_some(written)
}

/// What can stand between items so that they can be told apart.
fn delimiter(table: &Transactions, preferred: Option<char>) -> Result<char> {
    let supports = table.supports();
    let occurring = || table.names().iter().zip(&supports).filter(|(_, support)| **support > 0).map(|(name, _)| name);
    let candidates = preferred.into_iter().chain(DELIMITERS);
    let is_free = |candidate: &char| match candidate {
        ' ' => !occurring().any(|name| name.contains(char::is_whitespace)),
        other => !occurring().any(|name| name.contains(*other)),
    };
    let cannot = || Error::data("names of items hold everything that could stand between them");
    candidates
        .into_iter()
        .find(is_free)
        .ok_or_else(|| cannot().help("rename items that have blanks, commas, semicolons, tabs and bars"))
}

/// The place of each name in the order in which names are written: by value if all that occur are
/// whole numbers, else by text. A name that was deleted wherever it occurred has no say: the order
/// must not tell what it was like.
fn ranks(names: &[String], supports: &[u64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    let occurring: Vec<String> =
        names.iter().zip(supports).filter(|(_, support)| **support > 0).map(|(name, _)| name.clone()).collect();
    let compare = name_order(&occurring);
    order.sort_unstable_by(|a, b| compare(&names[*a as usize], &names[*b as usize]));
    let mut rank = vec![0; names.len()];
    order.iter().zip(0..).for_each(|(item, at)| rank[*item as usize] = at);
    rank
}

/// How names are ordered wherever they are shown: by value if all are whole numbers, else by text.
pub fn name_order(names: &[String]) -> fn(&str, &str) -> Ordering {
    let is_number = |name: &String| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if !names.iter().all(is_number) {
        return |a, b| a.cmp(b);
    }
    |a, b| {
        let digits = |name: &str| name.trim_start_matches('0').len();
        let [own, other] = [a, b].map(|name| name.trim_start_matches('0'));
        digits(a).cmp(&digits(b)).then_with(|| own.cmp(other)).then_with(|| a.cmp(b))
    }
}

fn shared_csv(separated: &Separated, rank: &[u32]) -> Result<Vec<u8>> {
    let mut cells: [Vec<String>; 4] = Default::default();
    let mut first = 1;
    for group in &separated.groups {
        let mut items: Vec<(u32, u64)> = group.items.iter().copied().filter(|(_, count)| *count > 0).collect();
        items.sort_unstable_by_key(|(item, _)| rank[*item as usize]);
        for (item, count) in items {
            let name = separated.table.names()[item as usize].clone();
            let row = [first.to_string(), (first + group.records - 1).to_string(), name, count.to_string()];
            cells.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
        }
        first += group.records;
    }
    let columns = SHARED.iter().zip(&cells).map(|(name, values)| Column::from_values(*name, values)).collect();
    let mut bytes = Vec::new();
    let table = Table::new(columns)?;
    let written = csv::write_to(&*Formulas::Escape.apply(&table)?, b',', &mut bytes);
    written.map_err(|_| Error::new(Fault::Resources, "there is no room for the table of sensitive items"))?;
    Ok(bytes)
}

impl Released {
    /// The same records in an order that tells nothing: lines by lot, groups by lot and lines of a
    /// group by lot.
    pub fn shuffled(&self, chance: Chance) -> Result<Released> {
        let mut lines = chance.generator(LINES)?;
        match self {
            Released::Together(together) => {
                let mut order: Vec<u32> = (0..together.table.len() as u32).collect();
                order.shuffle(&mut lines);
                let table = together.table.select(&order);
                Ok(Released::Together(Together { table, published_as: together.published_as.clone() }))
            }
            Released::Separated(separated) => {
                let mut start = 0;
                let mut groups: Vec<(u32, &Shared)> = Vec::with_capacity(separated.groups.len());
                for group in &separated.groups {
                    groups.push((start, group));
                    start += group.records as u32;
                }
                groups.shuffle(&mut chance.generator(GROUPS)?);
                let mut order = Vec::with_capacity(separated.table.len());
                for (start, group) in &groups {
                    let own = order.len();
                    order.extend(*start..start + group.records as u32);
                    order[own..].shuffle(&mut lines);
                }
                let table = separated.table.select(&order);
                let groups = groups.into_iter().map(|(_, group)| group.clone()).collect();
                Ok(Released::Separated(Separated { table, groups }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn together(records: &[&[&str]]) -> Released {
        let table = Transactions::from_names(records.iter().map(|record| record.iter().copied()));
        Released::Together(Together { table, published_as: None })
    }

    fn written(records: &[&[&str]], preferred: Option<char>) -> String {
        String::from_utf8(Written::new(&together(records), preferred).unwrap().data).unwrap()
    }

    #[test]
    fn the_order_of_items_tells_nothing() {
        assert_eq!(written(&[&["b", "a"], &["10", "b"]], None), "a b\n10 b\n");
        assert_eq!(written(&[&["10", "9"], &["010", "2"]], None), "9 10\n2 010\n");
    }

    #[test]
    fn a_delimiter_is_found_that_no_name_holds() {
        assert_eq!(written(&[&["soft drinks", "a"]], None), "a,soft drinks\n");
        assert_eq!(written(&[&["soft drinks", "a,b"]], None), "a,b;soft drinks\n");
        assert_eq!(written(&[&["b", "a"]], Some(';')), "a;b\n");
        assert!(Written::new(&together(&[&[" ,;\t|"]]), None).is_err());
    }

    #[test]
    fn what_is_read_back_is_what_was_written() {
        let shared = |records, items| Shared { records, items };
        let table = Transactions::from_names([vec!["a"], vec!["b", "c d"], vec![], vec!["a"], vec!["c d"]]);
        let names: Vec<String> = table.names().iter().cloned().chain(["s".into(), "t, u".into()]).collect();
        let table = Transactions::new(names.into(), table.iter());
        let groups = vec![shared(2, vec![(3, 1), (4, 2)]), shared(1, vec![]), shared(2, vec![(4, 1)])];
        let released = Released::Separated(Separated { table, groups });
        for released in [released.clone(), released.shuffled(Chance::System).unwrap()] {
            let written = Written::new(&released, None).unwrap();
            let again = written.read_back().unwrap();
            assert_eq!(Written::new(&again, Some(written.delimiter)).unwrap(), written);
            assert_eq!(again.table().occurrences(), 5);
        }
    }

    #[test]
    fn shuffling_keeps_records_and_their_groups() {
        let released = together(&[&["a"], &["a", "b"], &[], &["c"]]);
        let shuffled = released.shuffled(Chance::insecure(3)).unwrap();
        let sorted = |released: &Released| {
            let mut all: Vec<Vec<u32>> = released.table().iter().map(<[u32]>::to_vec).collect();
            all.sort();
            all
        };
        assert_eq!(sorted(&shuffled), sorted(&released));
    }
}
