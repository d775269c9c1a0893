//! What transactions are like, and a first plan for them.

use crate::transactions::{Read, criterion, method};
use std::collections::HashMap;

/// What transactions are like: counts and shares, no item.
#[derive(Clone, Debug, PartialEq)]
pub struct TransactionProfile {
    /// Records.
    pub records: u64,
    /// Kinds of items.
    pub items: u64,
    /// Items of all records.
    pub occurrences: u64,
    /// Records without items.
    pub empty: u64,
    /// Items that stood in a record again.
    pub repeated: u64,
    /// How many items half of the records have at most.
    pub median_length: u64,
    /// How many items the longest record has.
    pub longest: u64,
    /// The shares of records that hold the most frequent items, most frequent first.
    pub top_shares: Vec<f64>,
    /// Kinds of items that only one record has.
    pub alone: u64,
    /// The share of records that no other equals.
    pub unique_share: f64,
}

/// How many of the most frequent items are told of.
const TOP: usize = 5;

/// Looks at transactions.
///
/// ```
/// let read = sfumato::transactions::read_lines(b"a b\na b\na\n\n", None)?;
/// let profile = sfumato::inspect::inspect_transactions(&read);
/// assert_eq!((profile.records, profile.items, profile.longest), (4, 2, 2));
/// assert_eq!(profile.top_shares, [0.75, 0.5]);
/// assert_eq!(profile.unique_share, 0.5);
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn inspect_transactions(read: &Read) -> TransactionProfile {
    let table = &read.table;
    let mut lengths: Vec<u64> = table.iter().map(|record| record.len() as u64).collect();
    lengths.sort_unstable();
    let mut supports = table.supports();
    supports.sort_unstable_by(|a, b| b.cmp(a));
    let mut equal: HashMap<&[u32], u64> = HashMap::new();
    table.iter().for_each(|record| *equal.entry(record).or_default() += 1);
    let records = table.len().max(1) as f64;
    TransactionProfile {
        records: table.len() as u64,
        items: supports.iter().filter(|support| **support > 0).count() as u64,
        occurrences: table.occurrences(),
        empty: read.empty,
        repeated: read.repeated,
        median_length: lengths.get(lengths.len().saturating_sub(1) / 2).copied().unwrap_or(0),
        longest: lengths.last().copied().unwrap_or(0),
        top_shares: supports.iter().take(TOP).map(|support| *support as f64 / records).collect(),
        alone: supports.iter().filter(|support| **support == 1).count() as u64,
        unique_share: equal.values().filter(|count| **count == 1).count() as f64 / records,
    }
}

/// A first plan for transactions. Which items are sensitive nobody can tell from the data, so that
/// it must be filled in.
pub fn draft_transaction_plan(path: &str, delimiter: Option<char>) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let delimiter = match delimiter {
        None => "# delimiter = \",\"            # if items are not separated by white space".to_string(),
        Some(letter) => format!("delimiter = {}", quoted(&letter.to_string())),
    };
    let wanted = criterion::KINDS[0];
    let example: String = wanted.example.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
    format!(
        r#"# A first plan. Lines that begin with # are comments.

[data]
kind = "transactions"          # each line is one person's set of items
path = {}
{delimiter}

# Which items must nobody be able to infer? List them, in one of these ways.
# sensitive = {{ items = ["a", "b"] }}
# sensitive = {{ file = "sensitive.txt" }}        # one name per line
# sensitive = {{ share = 0.4, seed = 1 }}         # drawn at random: for experiments only

# {}.
[[require]]
criterion = "{}"
{example}
# How records are changed until that holds: see `sfumato list transaction-methods`.
# [method]
# name = "{}"

# [release]
# title = "…"                  # what certificate and report call the release
# date = 2026-11-18            # the day that they bear
# order = "input"              # lines stay in the order of the input; random by default
"#,
        quoted(path),
        wanted.summary,
        wanted.name,
        method::DEFAULT.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::SetPlan;

    #[test]
    fn a_draft_is_a_plan_once_items_are_listed() {
        for delimiter in [None, Some(','), Some('"')] {
            let draft = draft_transaction_plan("a \"b\".dat", delimiter);
            let open = SetPlan::parse(&draft, ".".as_ref()).err().expect("nothing is listed").to_string();
            assert!(open.contains("which items are sensitive"), "{open}");
            let listed = draft.replace("# sensitive = { items", "sensitive = { items");
            let plan = SetPlan::parse(&listed, ".".as_ref()).unwrap();
            assert_eq!((plan.layout.delimiter(), plan.requirements.len()), (delimiter, 1));
        }
    }
}
