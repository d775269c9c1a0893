//! Made-up transactions of any size, for trying and for measuring.

use super::Transactions;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// The most items of a purchase in [`shop`].
const LONGEST_PURCHASE: usize = 164;
/// The kinds of items in [`shop`].
const SHOP_KINDS: usize = 1657;
/// Kinds of customers in [`shop`], and how many items each is after.
const TASTES: usize = 200;
const TASTE: usize = 20;

/// Seven purchases: Table 1 of Jia et al. That somebody bought condoms is nobody's business.
pub fn purchases() -> Transactions {
    Transactions::from_names([
        vec!["bread", "milk", "condom"],
        vec!["bread", "milk"],
        vec!["milk", "condom"],
        vec!["flour", "fruits"],
        vec!["flour", "condom"],
        vec!["bread", "fruits"],
        vec!["fruits", "condom"],
    ])
}

/// Purchases in a shop: 1,657 kinds of items, of which few are bought often, 6.5 of them at a time
/// in the mean, and 164 at most. What somebody buys goes together in part. With 515,597 records it
/// has the size of the point-of-sale data BMS-POS.
///
/// ```
/// let bought = sfumato::transactions::sample::shop(10_000, 1);
/// let mean = bought.occurrences() as f64 / bought.len() as f64;
/// assert!((6.3..6.8).contains(&mean));
/// ```
pub fn shop(records: usize, seed: u64) -> Transactions {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let popular = Popularity::new(SHOP_KINDS, 0.95);
    let tastes: Vec<Vec<u32>> =
        (0..TASTES).map(|_| (0..TASTE).map(|_| popular.draw(&mut generator)).collect()).collect();
    let within = Popularity::new(TASTE, 0.7);
    let mut purchase = || {
        // Log-normal, as lengths of purchases tend to be.
        let normal: f64 = (0..12).map(|_| generator.random::<f64>()).sum::<f64>() - 6.0;
        let length = ((1.435 + 0.95 * normal).exp().round() as usize).clamp(1, LONGEST_PURCHASE);
        let taste = &tastes[generator.random_range(0..TASTES)];
        let mut items = Vec::with_capacity(length);
        // Popular items come up again and again: a few more draws than that, and no more.
        for _ in 0..3 * length {
            let item = if generator.random_bool(0.3) {
                taste[within.draw(&mut generator) as usize]
            } else {
                popular.draw(&mut generator)
            };
            if items.len() < length && !items.contains(&item) {
                items.push(item);
            }
        }
        items
    };
    Transactions::new(numbered(SHOP_KINDS), (0..records).map(|_| purchase()).collect::<Vec<_>>())
}

/// Records of items of which all are equally frequent, 4.2 in the mean and 50 at most. With 493,193
/// records and 5,000 kinds of items it has the size of the data that Jia et al. made up.
pub fn even(records: usize, kinds: usize, seed: u64) -> Transactions {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut record = || {
        let length = (1.0 - (1.0 - generator.random::<f64>()).ln() * 3.68) as usize;
        (0..length.clamp(1, 50)).map(|_| generator.random_range(0..kinds as u32)).collect::<Vec<_>>()
    };
    Transactions::new(numbered(kinds), (0..records).map(|_| record()).collect::<Vec<_>>())
}

fn numbered(kinds: usize) -> Arc<[String]> {
    (1..=kinds).map(|number| number.to_string()).collect()
}

/// Kinds of which the i-th is drawn with a chance proportional to 1/i to some power.
struct Popularity(Vec<f64>);

impl Popularity {
    fn new(kinds: usize, power: f64) -> Popularity {
        let mut sum = 0.0;
        let up_to = |rank: usize| {
            sum += (rank as f64).powf(-power);
            sum
        };
        Popularity((1..=kinds).map(up_to).collect())
    }

    fn draw(&self, generator: &mut ChaCha8Rng) -> u32 {
        let all = self.0.last().copied().unwrap_or_default();
        let point = generator.random::<f64>() * all;
        self.0.partition_point(|up_to| *up_to <= point).min(self.0.len() - 1) as u32
    }
}
