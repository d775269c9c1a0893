//! Association rules before and after, and how many are the same.
//!
//! Sets of items that are frequent enough are found depth first: the records with a set are kept
//! with the place of its last item, and what follows there is counted. Rules are never listed: each
//! set that was found says itself which rules it makes, and the sets of the other table say whether
//! they make the same.

use super::Compared;
use crate::exact::Fraction;
use crate::kind::{Param, Params, Range, Shape};
use crate::transactions::criterion::published_sensitive;
use crate::transactions::{Released, Transactions};
use hashbrown::HashMap;
use rayon::prelude::*;

/// Parameters of all metrics of rules.
pub(super) const PARAMS: &[Param] = &[
    Param {
        name: "support",
        summary: "the least share of records that a rule holds for",
        shape: Shape::Decimal(Range::SHARE),
        default: Some("0.0005"),
    },
    Param {
        name: "confidence",
        summary: "the least confidence of a rule",
        shape: Shape::Decimal(Range::SHARE),
        default: Some("0.3"),
    },
    Param {
        name: "longest",
        summary: "how many items of a record are read",
        shape: Shape::CountOr(1, "all"),
        default: Some("all"),
    },
];

/// Which rules are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mining {
    support: Fraction,
    confidence: Fraction,
    longest: Option<usize>,
}

impl Mining {
    pub(super) fn new(params: &Params) -> Mining {
        Mining {
            support: params.decimal("support").fraction(),
            confidence: params.decimal("confidence").fraction(),
            longest: params.count_or("longest").map(|longest| longest as usize),
        }
    }

    fn is_confident(&self, support: u32, of: u32) -> bool {
        Fraction::new(u128::from(support), u128::from(of)) >= self.confidence
    }
}

/// Numbers of rules. Coarser items stand for so many rules that whole numbers may not hold them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Comparison {
    pub before: f64,
    pub after: f64,
    pub both: f64,
}

impl Comparison {
    pub(super) fn similarity(&self) -> f64 {
        let either = self.before + self.after - self.both;
        if either == 0.0 { 1.0 } else { self.both / either }
    }
}

/// More rules or sets than this are too many to compare.
const MOST: usize = 5_000_000;

/// Compares rules before and after; nothing if they are too many.
pub(super) fn compare(compared: &Compared<'_>, mining: Mining) -> Option<Comparison> {
    let (original, released) = to_mine(compared, mining.longest);
    let before = Frequent::of(&original, mining.support)?;
    let after = Frequent::of(&released, mining.support)?;
    let stands_for: Vec<f64> = compared.stands_for().iter().map(|items| items.len() as f64).collect();
    let published_as = compared.published_as();
    let is_both = |items: &[u32], end: u32| {
        let published = |item: u32| published_as.map_or(Some(item), |published_as| published_as[item as usize]);
        let images: Option<Vec<u32>> = items.iter().map(|item| published(*item)).collect();
        images.zip(published(end)).is_some_and(|(images, end)| after.makes_rule(images, end, &mining))
    };
    let first = before.rules(&mining, |items, end| (1.0, if is_both(items, end) { 1.0 } else { 0.0 }))?;
    let specific = |items: &[u32]| items.iter().map(|item| stands_for[*item as usize]).product::<f64>();
    let second = after.rules(&mining, |items, _| (specific(items), 0.0))?;
    Some(Comparison { before: first.0, after: second.0, both: first.1 })
}

/// What is read of both tables: items that are not sensitive, of each record as many as asked for.
fn to_mine(compared: &Compared<'_>, longest: Option<usize>) -> (Transactions, Transactions) {
    let longest = longest.unwrap_or(usize::MAX);
    let read = |record: &[u32]| -> Vec<u32> {
        record.iter().copied().filter(|item| !compared.sensitive.has(*item)).take(longest).collect()
    };
    let original = Transactions::new(compared.original.names().clone(), compared.original.iter().map(read));
    let released = match compared.released {
        Released::Separated(separated) => {
            Transactions::new(separated.table.names().clone(), separated.table.iter().map(read))
        }
        Released::Together(together) => {
            let sensitive = published_sensitive(together, compared.sensitive);
            let published_as = together.published_as.as_deref();
            let published = |item: &u32| published_as.map_or(Some(*item), |published_as| published_as[*item as usize]);
            let stands_for_read = |item: &u32, had: &[u32]| had.iter().any(|had| published(had) == Some(*item));
            let kept = |(had, has): (&[u32], &[u32])| -> Vec<u32> {
                let open = has.iter().copied().filter(|item| !sensitive.has(*item));
                open.filter(|item| longest == usize::MAX || stands_for_read(item, had)).collect()
            };
            Transactions::new(together.table.names().clone(), original.iter().zip(together.table.iter()).map(kept))
        }
    };
    (original, released)
}

/// Frequent sets of items, each as a longer one than another.
struct Frequent {
    sets: Vec<Set>,
    /// The set that another becomes with one more item, which is greater than its own.
    longer: HashMap<(u32, u32), u32, foldhash::fast::FixedState>,
}

#[derive(Clone, Copy)]
struct Set {
    shorter: u32,
    item: u32,
    support: u32,
}

/// The number of the empty set.
const EMPTY: u32 = 0;

impl Frequent {
    /// The sets that at least this share of records holds; nothing if they are too many.
    fn of(table: &Transactions, share: Fraction) -> Option<Frequent> {
        let records = Fraction::new(share.num.checked_mul(table.len() as u128)?, share.den);
        let least = records.ceil().max(1);
        let mut frequent = Frequent { sets: Vec::new(), longer: HashMap::default() };
        frequent.sets.push(Set { shorter: EMPTY, item: 0, support: table.len() as u32 });
        let supports = table.supports();
        let is_frequent = |item: &u32| supports[*item as usize] >= least;
        let kept = |record: &[u32]| -> Vec<u32> { record.iter().copied().filter(is_frequent).collect() };
        let table = Transactions::new(table.names().clone(), table.iter().map(kept));
        let mut search = SetSearch { table: &table, least, counts: vec![0; supports.len()], frequent };
        let all = (0..table.len() as u32).map(|at| (at, 0)).collect();
        search.extend(EMPTY, all).then_some(search.frequent)
    }

    /// The number of records with all of these items, if they are frequent.
    fn support(&self, mut items: impl Iterator<Item = u32>) -> Option<u32> {
        let set = items.try_fold(EMPTY, |set, item| self.longer.get(&(set, item)).copied());
        set.map(|set| self.sets[set as usize].support)
    }

    fn items(&self, mut set: u32) -> Vec<u32> {
        let mut items = Vec::new();
        while set != EMPTY {
            items.push(self.sets[set as usize].item);
            set = self.sets[set as usize].shorter;
        }
        items.reverse();
        items
    }

    /// Whether all of these items but one imply that one.
    fn makes_rule(&self, mut items: Vec<u32>, end: u32, mining: &Mining) -> bool {
        items.sort_unstable();
        let differ = items.windows(2).all(|pair| pair[0] < pair[1]);
        let support = self.support(items.iter().copied());
        differ && support.is_some_and(|support| self.implies(&items, end, support, mining))
    }

    fn implies(&self, items: &[u32], end: u32, support: u32, mining: &Mining) -> bool {
        let of = self.support(items.iter().copied().filter(|item| *item != end)).expect("parts are as frequent");
        mining.is_confident(support, of)
    }

    /// Two sums over all rules, each given by its items and the one at its end; nothing if they are
    /// too many. The sums are of whole numbers, and so the same in any order as long as they are
    /// exact.
    fn rules(&self, mining: &Mining, weigh: impl Fn(&[u32], u32) -> (f64, f64) + Sync) -> Option<(f64, f64)> {
        const TOGETHER: usize = 1 << 12;
        let of_set = |set: usize| {
            let items = self.items(set as u32);
            let support = self.sets[set].support;
            let ends = if items.len() < 2 { &[][..] } else { &items };
            let ends = ends.iter().filter(|end| self.implies(&items, **end, support, mining));
            ends.map(|end| weigh(&items, *end))
                .fold((0.0, 0.0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + 1))
        };
        let add = |a: (f64, f64, usize), b: (f64, f64, usize)| (a.0 + b.0, a.1 + b.1, a.2 + b.2);
        let starts: Vec<usize> = (1..self.sets.len()).step_by(TOGETHER).collect();
        let of_some =
            |start: &usize| (*start..self.sets.len().min(start + TOGETHER)).map(of_set).fold((0.0, 0.0, 0), add);
        let sums: Vec<(f64, f64, usize)> = starts.par_iter().map(of_some).collect();
        let (first, second, rules) = sums.into_iter().fold((0.0, 0.0, 0), add);
        (rules <= MOST).then_some((first, second))
    }
}

/// A search for frequent sets.
struct SetSearch<'a> {
    table: &'a Transactions,
    least: u64,
    /// Zero between uses.
    counts: Vec<u32>,
    frequent: Frequent,
}

impl SetSearch<'_> {
    /// Finds everything that a set becomes with more items, given the records that hold it and
    /// where what follows starts; false if that is too much.
    fn extend(&mut self, set: u32, places: Vec<(u32, u32)>) -> bool {
        let rest = |place: &(u32, u32)| &self.table.record(place.0 as usize)[place.1 as usize..];
        let mut items = Vec::new();
        for item in places.iter().flat_map(rest) {
            let count = &mut self.counts[*item as usize];
            if *count == 0 {
                items.push(*item);
            }
            *count += 1;
        }
        let mut longer: Vec<(u32, Vec<(u32, u32)>)> = Vec::new();
        items.sort_unstable();
        for item in items {
            let count = std::mem::take(&mut self.counts[item as usize]);
            if u64::from(count) >= self.least {
                longer.push((item, Vec::with_capacity(count as usize)));
                // Where its list is, counted from one: zero stands for none.
                self.counts[item as usize] = longer.len() as u32;
            }
        }
        for place in &places {
            for (item, next) in rest(place).iter().zip(place.1 + 1..) {
                if let Some(list) = (self.counts[*item as usize] as usize).checked_sub(1) {
                    longer[list].1.push((place.0, next));
                }
            }
        }
        drop(places);
        longer.iter().for_each(|(item, _)| self.counts[*item as usize] = 0);
        longer.into_iter().all(|(item, places)| self.add(set, item, places))
    }

    fn add(&mut self, shorter: u32, item: u32, places: Vec<(u32, u32)>) -> bool {
        let Frequent { sets, longer } = &mut self.frequent;
        let number = sets.len() as u32;
        sets.push(Set { shorter, item, support: places.len() as u32 });
        longer.insert((shorter, item), number);
        sets.len() <= MOST && self.extend(number, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_number_of_records_is_rounded_up() {
        let table = Transactions::from_names([vec!["a", "b"], vec!["a", "b"], vec!["a"], vec![], vec![]]);
        let sets = |num, den| Frequent::of(&table, Fraction::new(num, den)).unwrap().sets.len() - 1;
        // Two of five are 40 %: a, b and both; three are more.
        assert_eq!([sets(2, 5), sets(401, 1000), sets(3, 5), sets(61, 100)], [3, 1, 1, 0]);
    }

    #[test]
    fn no_rules_at_all_are_alike() {
        assert_eq!(Comparison { before: 0.0, after: 0.0, both: 0.0 }.similarity(), 1.0);
    }
}
