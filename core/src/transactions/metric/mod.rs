//! Metrics: what a release of transactions is still worth.

pub mod deleted_share;
pub mod kl;
pub mod lost_rules;
mod rules;
pub mod rules_jaccard;
pub mod spurious_rules;
pub mod symmetric_kl;

use super::{Released, Sensitive, Transactions};
use crate::error::Result;
use crate::kind::{self, Kind, Params};
use rules::{Comparison, Mining};
use std::sync::Mutex;

/// Makes a metric from checked parameters.
pub type Build = fn(&Params) -> Box<dyn Metric>;

/// The metrics: how much is deleted, what becomes of frequencies, what becomes of rules.
pub const KINDS: [&Kind<Build>; 6] = [
    &deleted_share::KIND,
    &kl::KIND,
    &symmetric_kl::KIND,
    &rules_jaccard::KIND,
    &lost_rules::KIND,
    &spurious_rules::KIND,
];

/// The metric with a name; the error offers the nearest.
pub fn find(name: &str) -> Result<&'static Kind<Build>> {
    kind::find(&KINDS, "metric for transactions", name)
}

/// What metrics compare. Rules that were found for one metric are kept for others.
pub struct Compared<'a> {
    /// The original.
    pub original: &'a Transactions,
    /// Which of its items are sensitive.
    pub sensitive: &'a Sensitive,
    /// What is published of it.
    pub released: &'a Released,
    rules: Mutex<Vec<(Mining, Option<Comparison>)>>,
}

impl<'a> Compared<'a> {
    /// A release beside what it is made of.
    pub fn new(original: &'a Transactions, sensitive: &'a Sensitive, released: &'a Released) -> Compared<'a> {
        Compared { original, sensitive, released, rules: Mutex::default() }
    }

    /// For each published item, by number, the items of the original that it stands for.
    fn stands_for(&self) -> Vec<Vec<u32>> {
        let mut stands_for = vec![Vec::new(); self.released.table().names().len()];
        match self.published_as() {
            None => stands_for.iter_mut().zip(0..).for_each(|(items, item)| items.push(item)),
            Some(published_as) => {
                let published = published_as.iter().zip(0..).filter_map(|(to, item)| to.map(|to| (to, item)));
                published.for_each(|(to, item)| stands_for[to as usize].push(item));
            }
        }
        stands_for
    }

    fn published_as(&self) -> Option<&[Option<u32>]> {
        match self.released {
            Released::Together(together) => together.published_as.as_deref(),
            Released::Separated(_) => None,
        }
    }

    /// How rules changed; nothing if they are too many to compare.
    fn rules(&self, mining: Mining) -> Option<Comparison> {
        let mut found = self.rules.lock().expect("nobody panics with it");
        if let Some((_, comparison)) = found.iter().find(|(known, _)| *known == mining) {
            return *comparison;
        }
        let comparison = rules::compare(self, mining);
        found.push((mining, comparison));
        comparison
    }
}

/// Measures what a release is worth.
pub trait Metric: Send + Sync {
    /// The value; infinite where the definition says so, and not a number where there are too many
    /// rules to compare.
    fn measure(&self, compared: &Compared<'_>) -> f64;
}
