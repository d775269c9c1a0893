//! Which items are sensitive.

use super::Transactions;
use crate::chance::Chance;
use crate::error::Result;
use crate::exact::Fraction;
use rand::seq::SliceRandom;

/// Which items nobody must be able to infer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitive(Vec<bool>);

/// What the generator of [`Sensitive::share`] is for.
const CHOICE: u64 = 40;

impl Sensitive {
    /// Those items for which it is said, by number.
    pub fn new(flags: Vec<bool>) -> Sensitive {
        Sensitive(flags)
    }

    /// The items with these names; names that no item has are ignored.
    pub fn named<'n>(table: &Transactions, names: impl IntoIterator<Item = &'n str>) -> Sensitive {
        let names: std::collections::HashSet<&str> = names.into_iter().collect();
        Sensitive(table.names().iter().map(|name| names.contains(name.as_str())).collect())
    }

    /// A share of all kinds of items, rounded down, chosen by lot. Which items are sensitive is no
    /// secret, so that a seed does no harm here; the same seed chooses the same names whatever the
    /// order of records.
    pub fn share(table: &Transactions, share: Fraction, seed: u64) -> Result<Sensitive> {
        let mut order: Vec<u32> = (0..table.names().len() as u32).collect();
        order.sort_unstable_by_key(|item| &table.names()[*item as usize]);
        order.shuffle(&mut Chance::insecure(seed).generator(CHOICE)?);
        let count = order.len() as u128 * share.num / share.den;
        let mut flags = vec![false; order.len()];
        order.iter().take(count as usize).for_each(|item| flags[*item as usize] = true);
        Ok(Sensitive(flags))
    }

    /// Whether an item is sensitive.
    pub fn has(&self, item: u32) -> bool {
        self.0[item as usize]
    }

    /// The sensitive items.
    pub fn items(&self) -> impl Iterator<Item = u32> {
        self.0.iter().enumerate().filter(|(_, is)| **is).map(|(item, _)| item as u32)
    }

    /// How many kinds of items are sensitive.
    pub fn count(&self) -> usize {
        self.items().count()
    }
}
