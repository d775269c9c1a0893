//! Records that are sets of items.

use std::sync::Arc;

/// Records, each a set of items. Items are numbers that stand for names; those of a record are in
/// ascending order, without repetition.
///
/// ```
/// use sfumato::transactions::Transactions;
///
/// let bought = Transactions::from_names([vec!["bread", "milk"], vec!["milk", "bread", "milk"], vec![]]);
/// assert_eq!((bought.len(), bought.occurrences()), (3, 4));
/// assert_eq!(bought.record(0), bought.record(1));
/// assert_eq!(bought.supports(), [2, 2]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transactions {
    names: Arc<[String]>,
    /// Where each record ends in `items`.
    ends: Vec<usize>,
    items: Vec<u32>,
}

impl Transactions {
    /// Records of items that are numbers of names. Repeated items of a record count once.
    pub fn new<R: AsRef<[u32]>>(names: Arc<[String]>, records: impl IntoIterator<Item = R>) -> Transactions {
        let mut table = Transactions { names, ends: Vec::new(), items: Vec::new() };
        let mut sorted = Vec::new();
        for record in records {
            sorted.clear();
            sorted.extend_from_slice(record.as_ref());
            sorted.sort_unstable();
            sorted.dedup();
            assert!(sorted.last().is_none_or(|last| (*last as usize) < table.names.len()), "an item without a name");
            table.items.extend_from_slice(&sorted);
            table.ends.push(table.items.len());
        }
        table
    }

    /// Records of names; items are numbered in the order in which they first occur.
    pub fn from_names<N: AsRef<str>, R: IntoIterator<Item = N>>(records: impl IntoIterator<Item = R>) -> Transactions {
        let mut numbers = hashbrown::HashMap::<String, u32, foldhash::fast::RandomState>::default();
        let mut names = Vec::new();
        let coded: Vec<Vec<u32>> = records
            .into_iter()
            .map(|record| {
                let number = |name: N| {
                    *numbers.entry_ref(name.as_ref()).or_insert_with(|| {
                        names.push(name.as_ref().to_string());
                        u32::try_from(names.len() - 1).expect("fewer than 2³² kinds of items")
                    })
                };
                record.into_iter().map(number).collect()
            })
            .collect();
        Transactions::new(names.into(), coded)
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The items of a record, in ascending order.
    pub fn record(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.items[start..self.ends[at]]
    }

    /// The records.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|at| self.record(at))
    }

    /// How many items all records have together.
    pub fn occurrences(&self) -> u64 {
        self.items.len() as u64
    }

    /// The names of items, by number; some may occur in no record.
    pub fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    /// In how many records each item occurs.
    pub fn supports(&self) -> Vec<u64> {
        let mut supports = vec![0; self.names.len()];
        self.items.iter().for_each(|item| supports[*item as usize] += 1);
        supports
    }

    /// For each item the records that hold it, in ascending order.
    pub fn holders(&self) -> Vec<Vec<u32>> {
        let mut holders: Vec<Vec<u32>> =
            self.supports().into_iter().map(|support| Vec::with_capacity(support as usize)).collect();
        for (at, record) in self.iter().enumerate() {
            record.iter().for_each(|item| holders[*item as usize].push(at as u32));
        }
        holders
    }

    /// Some of the records, in the order given.
    pub fn select(&self, records: &[u32]) -> Transactions {
        Transactions::new(self.names.clone(), records.iter().map(|at| self.record(*at as usize)))
    }
}
