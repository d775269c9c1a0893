//! What is published of transactions.

use super::Transactions;

/// What is published.
#[derive(Clone, Debug, PartialEq)]
pub enum Released {
    /// Records with all that is left of their items.
    Together(Together),
    /// Records without their sensitive items; those are told for groups of records.
    Separated(Separated),
}

/// Records with all that is left of their items.
#[derive(Clone, Debug, PartialEq)]
pub struct Together {
    /// The records, in the order of the original. Items that were generalized have numbers of their
    /// own, behind those of the original.
    pub table: Transactions,
    /// For each item of the original what it is published as, where items were generalized: itself,
    /// a coarser item, or nothing if it was deleted wherever it occurred.
    pub published_as: Option<Vec<Option<u32>>>,
}

/// Records without their sensitive items, in groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Separated {
    /// The records without sensitive items, group after group.
    pub table: Transactions,
    /// The groups.
    pub groups: Vec<Shared>,
}

/// Sensitive items of a group of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// How many records there are; they follow those of the groups before.
    pub records: usize,
    /// Sensitive items, ascending, and how many of the records have each.
    pub items: Vec<(u32, u64)>,
}

impl Released {
    /// The published records.
    pub fn table(&self) -> &Transactions {
        match self {
            Released::Together(together) => &together.table,
            Released::Separated(separated) => &separated.table,
        }
    }

    /// How many occurrences of each item are published; generalized items have numbers behind those
    /// of the original.
    pub fn supports(&self) -> Vec<u64> {
        let mut supports = self.table().supports();
        if let Released::Separated(separated) = self {
            separated
                .groups
                .iter()
                .flat_map(|group| &group.items)
                .for_each(|(item, count)| supports[*item as usize] += count);
        }
        supports
    }
}
