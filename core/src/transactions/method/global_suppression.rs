//! Global suppression: kinds of items are deleted wherever they occur, until no rule tells too
//! much.
//!
//! **Finds** a set of kinds of items to keep, such that no rule among them is unsafe and no other
//! kind can be added: of what it tries, that which deletes the fewest occurrences. **How**: an
//! unsafe rule is gone when one of its items is. Rules that whole records give (all of a record but
//! e, then e) are looked at first, because they are few and mostly the worst: again and again that
//! kind of item is deleted which takes part in most unsafe rules for each occurrence lost. When no
//! record gives an unsafe rule, all closed sets are searched for one, which is exact. Then kinds
//! that were deleted come back, the most frequent first, where they do no harm. The same is tried
//! from the table without any sensitive item, and the better result is taken. **Promises** what is
//! demanded, for every rule, however much of a record is known; never more is deleted than all
//! sensitive items. **Cost**: for each record and each of its sensitive items a pass over the
//! holders of the record's rarest item, in a few rounds; then a search of closed sets, of which
//! most are passed over. **Reference**: Cao, Karras, Raïssi and Tan 2010 (SuppressControl);
//! Pasquier et al. 1999 and Uno et al. 2004 (closed sets).
//!
//! # Claim
//! Deleting other kinds of items changes neither sup(q) nor sup(q ∪ e): a rule among the items that
//! are left is as confident as it was in the original. So a set of kept items is safe just if it
//! holds no unsafe rule of the original, a part of a safe set is safe, and an item may come back if
//! no unsafe rule that it is part of lies within what is kept and itself. The search finds an
//! unsafe rule if there is one (see [`closed`](crate::transactions::closed)). What is safe whatever
//! is known is safe if less is known ([`Demand::known`]). The empty q counts just if
//! [`Demand::empty`] says so. No rule has a sensitive item at its end if there is none, so a result
//! always exists.
//!
//! ```
//! use sfumato::chance::Chance;
//! use sfumato::exact::Fraction;
//! use sfumato::transactions::{Demand, Sensitive, Transactions, method};
//!
//! let bought = Transactions::from_names([vec!["bread", "milk", "pills"], vec!["bread", "milk"], vec!["bread"], vec!["tea", "pills"]]);
//! let sensitive = Sensitive::named(&bought, ["pills"]);
//! let demand = Demand::at_most(Fraction::new(1, 2));
//! let task = method::Task { table: &bought, sensitive: &sensitive, demand, chance: Chance::System, folder: "".as_ref(), watch: sfumato::watch::Watch::NONE };
//! let kind = method::find("global-suppression")?;
//! let released = (kind.build)(&kind.check(&[])?).make(&task)?;
//! assert_eq!(released.supports(), [3, 2, 2, 0], "whoever buys tea buys pills: tea goes, which is less than all pills");
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::{Build, Method, Task};
use crate::error::Result;
use crate::kind::Kind;
use crate::transactions::closed::Index;
use crate::transactions::{Demand, Released, Rule, Sensitive, Together, Transactions};
use rayon::prelude::*;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "global-suppression",
    summary: "Deletes kinds of items wherever they occur, until no rule is unsafe",
    reference: "Cao et al. 2010 (SuppressControl)",
    params: &[],
    example: &[],
    build: |_| Box::new(GlobalSuppression),
};

struct GlobalSuppression;

impl Method for GlobalSuppression {
    fn make(&self, task: &Task<'_>) -> Result<Released> {
        let mut kept = Kept::new(task.table, task.sensitive.clone(), task.demand);
        let all = kept.flags.clone();
        kept.without_sensitive();
        kept.bring_back()?;
        let (plain, plain_loss) = (kept.flags.clone(), kept.lost());
        kept.flags = all;
        kept.repair(&kept.with_sensitive(), |_| true)?;
        kept.bring_back()?;
        if plain_loss < kept.lost() {
            kept.flags = plain;
        }
        let table = Transactions::new(task.table.names().clone(), kept.published());
        Ok(Released::Together(Together { table, published_as: None }))
    }
}

/// In each round so large a part of what is unsafe is dealt with before supports are counted anew:
/// one in this many.
const ROUND: u64 = 4;
/// About so many records are mended first: most of what the others tell is gone with that.
const SAMPLE: usize = 40_000;

/// Records of which some kinds of items are kept, the others deleted.
pub(super) struct Kept {
    /// Whether each kind is kept.
    pub flags: Vec<bool>,
    names: Arc<[String]>,
    sensitive: Sensitive,
    demand: Demand,
    /// All items of each record, ascending, also those that are not kept.
    records: Vec<Vec<u32>>,
    /// For each kind the records that hold it, or did.
    holders: Vec<Vec<u32>>,
}

/// A set of items, in so many records, from which some of them follow with too much confidence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unsafe {
    pub items: Vec<u32>,
    pub ends: Vec<u32>,
    pub times: u64,
}

impl Kept {
    /// All items are kept.
    pub fn new(table: &Transactions, sensitive: Sensitive, demand: Demand) -> Kept {
        Kept {
            flags: vec![true; table.names().len()],
            names: table.names().clone(),
            sensitive,
            // What is safe whatever is known is safe if less is known.
            demand: Demand { known: None, ..demand },
            records: table.iter().map(<[u32]>::to_vec).collect(),
            holders: table.holders(),
        }
    }

    /// These records, to count in.
    pub fn index(&self, among: &[u32]) -> Index {
        let records = among.iter().map(|at| &self.records[*at as usize]);
        Index::new(&Transactions::new(self.names.clone(), records), &self.sensitive).bounded()
    }

    fn index_of_all(&self) -> Index {
        self.index(&(0..self.records.len() as u32).collect::<Vec<u32>>())
    }

    /// In how many records an item is, or was.
    fn support(&self, item: u32) -> u64 {
        self.holders[item as usize].len() as u64
    }

    /// The records that hold an item, or did.
    pub fn holders(&self, item: u32) -> &[u32] {
        &self.holders[item as usize]
    }

    /// How many occurrences are deleted.
    pub fn lost(&self) -> u64 {
        self.items(false).map(|item| self.support(item)).sum()
    }

    /// What is kept of a record.
    fn projected(&self, record: &[u32]) -> Vec<u32> {
        record.iter().copied().filter(|item| self.flags[*item as usize]).collect()
    }

    /// What is kept of each record.
    pub fn published(&self) -> impl Iterator<Item = Vec<u32>> {
        self.records.iter().map(|record| self.projected(record))
    }

    /// Deletes every sensitive item.
    fn without_sensitive(&mut self) {
        self.sensitive.items().for_each(|item| self.flags[item as usize] = false);
    }

    /// Takes items out of all their records and puts others in, each into the records given.
    pub fn exchange(&mut self, out: &[u32], into: Vec<(u32, Vec<u32>)>) {
        for item in out {
            for at in std::mem::take(&mut self.holders[*item as usize]) {
                self.records[at as usize].retain(|other| other != item);
            }
        }
        for (item, list) in into {
            for at in &list {
                let record = &mut self.records[*at as usize];
                let place = record.partition_point(|other| *other < item);
                record.insert(place, item);
            }
            self.holders[item as usize] = list;
        }
    }

    fn items(&self, kept: bool) -> impl Iterator<Item = u32> {
        self.flags.iter().zip(0..).filter(move |(flag, _)| **flag == kept).map(|(_, item)| item)
    }

    fn is_end(&self, item: u32) -> bool {
        self.flags[item as usize] && self.sensitive.has(item)
    }

    /// The records with a sensitive item that is kept.
    pub fn with_sensitive(&self) -> Vec<u32> {
        let has_end = |at: &u32| self.records[*at as usize].iter().any(|item| self.is_end(*item));
        (0..self.records.len() as u32).filter(has_end).collect()
    }

    /// Which items of a set follow from the others with too much confidence.
    fn ends(&self, index: &Index, set: &[u32]) -> Vec<u32> {
        if !set.iter().any(|item| self.is_end(*item)) || set.len() == 1 && !self.demand.empty {
            return Vec::new();
        }
        let support = index.support_of(set.iter().copied());
        let of = |end: u32| index.support_of(set.iter().copied().filter(|item| *item != end));
        let ends = set.iter().copied().filter(|item| self.is_end(*item));
        ends.filter(|end| !self.demand.allows(support, of(*end))).collect()
    }

    /// Which of these sets, each with how many records it stands for, tell one of their items.
    fn tell(&self, index: &Index, mut sets: Vec<(Vec<u32>, u64)>) -> Vec<Unsafe> {
        sets.par_sort_unstable();
        sets.dedup_by(|next, first| {
            let same = next.0 == first.0;
            first.1 += if same { next.1 } else { 0 };
            same
        });
        let tell = |(items, times): (Vec<u32>, u64)| Unsafe { ends: self.ends(index, &items), items, times };
        sets.into_par_iter().map(tell).filter(|found| !found.ends.is_empty()).collect()
    }

    /// What these records tell as a whole.
    pub fn records(&self, index: &Index, among: &[u32]) -> Vec<Unsafe> {
        self.tell(index, among.iter().map(|at| (self.projected(&self.records[*at as usize]), 1)).collect())
    }

    /// Whether one of these records tells something as a whole.
    fn some_record_tells(&self, index: &Index, among: &[u32]) -> bool {
        among.iter().any(|at| !self.ends(index, &self.projected(&self.records[*at as usize])).is_empty())
    }

    /// What closed sets tell about any item that is kept.
    fn all_sets(&self) -> Result<Vec<Unsafe>> {
        let kept = Transactions::new(self.names.clone(), self.published());
        let rules = Index::new(&kept, &self.sensitive).bounded().find_unsafe(self.demand, usize::MAX)?;
        Ok(rules.into_iter().map(|rule| Unsafe::of(rule, None)).collect())
    }

    /// Deletes kinds of items, of those that may be deleted, until these records and all closed
    /// sets tell nothing.
    pub fn repair(&mut self, among: &[u32], may: impl Fn(u32) -> bool) -> Result<()> {
        let index = self.index_of_all();
        let sample: Vec<u32> = among.iter().copied().step_by(among.len().div_ceil(SAMPLE).max(1)).collect();
        self.repair_records(&index, &sample, &may);
        loop {
            self.repair_records(&index, among, &may);
            let found = self.all_sets()?;
            if found.is_empty() {
                return Ok(());
            }
            self.hit(&found, u64::MAX, &may);
        }
    }

    /// Deletes kinds of items until these records as a whole tell nothing.
    fn repair_records(&mut self, index: &Index, among: &[u32], may: &impl Fn(u32) -> bool) {
        loop {
            let mut found = self.records(index, among);
            if found.is_empty() {
                return;
            }
            while !found.is_empty() {
                let total: u64 = found.iter().map(|one| one.times).sum();
                self.hit(&found, total.div_ceil(ROUND), may);
                let (same, shorter): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| self.has_all(&one.items));
                found =
                    self.tell(index, shorter.into_iter().map(|one| (self.projected(&one.items), one.times)).collect());
                found.extend(same);
            }
        }
    }

    fn has_all(&self, items: &[u32]) -> bool {
        items.iter().all(|item| self.flags[*item as usize])
    }

    /// Deletes kinds of items, those first that most unsafe rules are lost by for each occurrence
    /// lost, until so many are hit.
    pub fn hit(&mut self, found: &[Unsafe], mut enough: u64, may: &impl Fn(u32) -> bool) {
        let mut within: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut worth: HashMap<u32, u64> = HashMap::new();
        for (one, at) in found.iter().zip(0..) {
            for &item in one.items.iter().filter(|item| may(**item)) {
                within.entry(item).or_default().push(at);
                *worth.entry(item).or_default() += one.worth();
            }
        }
        let payoff = |item: u32, worth: u64| Payoff { worth, lost: self.support(item).max(1), item };
        let mut heap: BinaryHeap<Payoff> = worth.iter().map(|(item, worth)| payoff(*item, *worth)).collect();
        let (mut hit, mut deleted) = (vec![false; found.len()], Vec::new());
        while let Some(best) = heap.pop().filter(|_| enough > 0) {
            let now = worth[&best.item];
            if now < best.worth {
                heap.extend((now > 0).then(|| payoff(best.item, now)));
                continue;
            }
            deleted.push(best.item);
            for &at in &within[&best.item] {
                if !std::mem::replace(&mut hit[at as usize], true) {
                    let one = &found[at as usize];
                    enough = enough.saturating_sub(one.times);
                    for item in &one.items {
                        worth.entry(*item).and_modify(|worth| *worth -= one.worth());
                    }
                }
            }
        }
        deleted.into_iter().for_each(|item| self.flags[item as usize] = false);
    }

    /// Keeps again what was deleted and does no harm, the most frequent kinds first.
    pub fn bring_back(&mut self) -> Result<()> {
        // What no record holds does no harm.
        self.flags.iter_mut().zip(&self.holders).for_each(|(kept, holders)| *kept |= holders.is_empty());
        let mut deleted: Vec<u32> = self.items(false).collect();
        deleted.sort_by_key(|item| (std::cmp::Reverse(self.support(*item)), *item));
        let mut index = self.index_of_all();
        index.keep(&deleted, false);
        for item in deleted {
            self.flags[item as usize] = true;
            index.keep(&[item], true);
            if !self.is_harmless(item, &index)? {
                self.flags[item as usize] = false;
                index.keep(&[item], false);
            }
        }
        Ok(())
    }

    /// Whether no unsafe rule holds an item that is kept. The index looks at what is kept.
    fn is_harmless(&self, item: u32, index: &Index) -> Result<bool> {
        let is_told = self.some_record_tells(index, self.holders(item))
            || self.is_end(item) && index.is_told(item, self.demand)?;
        Ok(!is_told && self.sets_with(item, 1)?.is_empty())
    }

    /// What closed sets with an item tell about others, or some of it if that is more than `most`:
    /// the rules of the records that hold the item, all of which know it.
    pub fn sets_with(&self, item: u32, most: usize) -> Result<Vec<Unsafe>> {
        let demand = Demand { empty: true, ..self.demand };
        let besides = |at: &u32| {
            let mut record = self.projected(&self.records[*at as usize]);
            record.retain(|other| *other != item);
            record
        };
        let table = Transactions::new(self.names.clone(), self.holders(item).iter().map(besides));
        let rules = Index::new(&table, &self.sensitive).bounded().find_unsafe(demand, most)?;
        Ok(rules.into_iter().map(|rule| Unsafe::of(rule, Some(item))).collect())
    }
}

impl Unsafe {
    /// A rule, with an item that is known besides.
    fn of(rule: Rule, known: Option<u32>) -> Unsafe {
        let mut items = rule.antecedent;
        items.extend(known.into_iter().chain([rule.consequent]));
        items.sort_unstable();
        Unsafe { items, ends: vec![rule.consequent], times: rule.support }
    }

    /// How many rules of records are unsafe; all of them are gone, or shorter, when one of the
    /// items is deleted.
    fn worth(&self) -> u64 {
        self.times * self.ends.len() as u64
    }
}

/// What deleting an item is worth, and costs.
struct Payoff {
    worth: u64,
    lost: u64,
    item: u32,
}

impl Ord for Payoff {
    fn cmp(&self, other: &Payoff) -> std::cmp::Ordering {
        let product = |worth: u64, lost: u64| u128::from(worth) * u128::from(lost);
        let by_ratio = product(self.worth, other.lost).cmp(&product(other.worth, self.lost));
        by_ratio.then(other.item.cmp(&self.item))
    }
}

impl PartialOrd for Payoff {
    fn partial_cmp(&self, other: &Payoff) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Payoff {
    fn eq(&self, other: &Payoff) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Payoff {}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::exact::Fraction;
    use crate::transactions::Sensitive;
    use rand::RngExt;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use std::path::Path;

    /// Whether every rule is as confident as allowed, whatever is before its arrow.
    pub fn is_safe(table: &Transactions, ends: &[u32], demand: Demand) -> bool {
        let mut kinds: Vec<u32> = table.iter().flatten().copied().collect();
        kinds.sort_unstable();
        kinds.dedup();
        let bit = |item: &u32| 1u32 << kinds.binary_search(item).unwrap();
        let masks: Vec<u32> = table.iter().map(|record| record.iter().map(bit).sum()).collect();
        let holding = |set: u32| masks.iter().filter(|mask| **mask & set == set).count() as u64;
        let known = |set: u32| demand.known.is_none_or(|known| set.count_ones() as usize <= known);
        let sets =
            (0..1u32 << kinds.len()).filter(|set| (*set > 0 || demand.empty) && known(*set) && holding(*set) > 0);
        let ends: Vec<u32> = kinds.iter().filter(|item| ends.contains(item)).map(bit).collect();
        let mut rules = sets.flat_map(|set| ends.iter().filter(move |end| set & **end == 0).map(move |end| (set, end)));
        rules.all(|(set, end)| demand.allows(holding(set | end), holding(set)))
    }

    /// A table of up to 8 records and 8 kinds of items, some of them sensitive, and a demand;
    /// thresholds are often reached exactly.
    pub fn random_case(seed: u64) -> (Transactions, Sensitive, Demand) {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let kinds = generator.random_range(1..=8u32);
        let (length, ends) = (generator.random_range(1..=6), generator.random_range(1..=3));
        let mut record =
            |_| (0..generator.random_range(0..=length)).map(|_| generator.random_range(0..kinds)).collect();
        let records: Vec<Vec<u32>> = (0..1 + seed % 8).map(&mut record).collect();
        let names: Vec<String> = (0..kinds).map(|item| format!("i{item}")).collect();
        let sensitive = Sensitive::new((0..kinds).map(|_| generator.random_range(0..4) < ends).collect());
        let rho = [(1, 2), (1, 3), (7, 10), (1, 2), (2, 3), (1, 4)][generator.random_range(0..6)];
        let known = [None, None, None, Some(1), Some(2)][generator.random_range(0..5)];
        let demand = Demand {
            rho: Fraction::new(rho.0, rho.1),
            strict: generator.random_range(0..3) == 0,
            known,
            empty: generator.random_range(0..3) == 0,
        };
        (Transactions::new(names.into(), records), sensitive, demand)
    }

    pub fn task<'a>(table: &'a Transactions, sensitive: &'a Sensitive, demand: Demand) -> Task<'a> {
        Task {
            table,
            sensitive,
            demand,
            chance: Chance::insecure(1),
            folder: Path::new(""),
            watch: crate::watch::Watch::NONE,
        }
    }

    fn suppressed(table: &Transactions, sensitive: &Sensitive, demand: Demand) -> Transactions {
        let released = GlobalSuppression.make(&task(table, sensitive, demand)).unwrap();
        assert!(matches!(&released, Released::Together(together) if together.published_as.is_none()));
        released.table().clone()
    }

    #[test]
    fn no_rule_is_unsafe_and_kinds_go_as_a_whole() {
        let mut deleted_all = 0;
        for seed in 0..3000 {
            let (table, sensitive, demand) = random_case(seed);
            let released = suppressed(&table, &sensitive, demand);
            let ends: Vec<u32> = sensitive.items().collect();
            assert!(is_safe(&released, &ends, demand), "table {seed}");
            let (before, after) = (table.supports(), released.supports());
            assert!(before.iter().zip(&after).all(|(before, after)| before == after || *after == 0), "table {seed}");
            let kept =
                |record: &[u32]| record.iter().copied().filter(|item| after[*item as usize] > 0).collect::<Vec<_>>();
            assert!(table.iter().zip(released.iter()).all(|(old, new)| kept(old) == new), "table {seed}");
            let sensitive_share: u64 = ends.iter().map(|end| before[*end as usize]).sum();
            let lost = table.occurrences() - released.occurrences();
            assert!(lost <= sensitive_share, "table {seed}");
            deleted_all += u64::from(lost > 0 && lost == sensitive_share);
        }
        assert!(deleted_all < 2500, "often less is deleted than all sensitive items");
    }

    #[test]
    fn no_kind_that_was_deleted_could_come_back() {
        for seed in 0..500 {
            let (table, sensitive, demand) = random_case(seed);
            let released = suppressed(&table, &sensitive, Demand { known: None, ..demand });
            let (before, after) = (table.supports(), released.supports());
            for item in
                (0..).zip(&before).filter(|(at, before)| **before > 0 && after[*at as usize] == 0).map(|(at, _)| at)
            {
                let kept = |record: &[u32]| {
                    record.iter().copied().filter(|i| *i == item || after[*i as usize] > 0).collect::<Vec<u32>>()
                };
                let more = Transactions::new(table.names().clone(), table.iter().map(kept));
                let ends: Vec<u32> = sensitive.items().collect();
                assert!(!is_safe(&more, &ends, Demand { known: None, ..demand }), "table {seed}, item {item}");
            }
        }
    }

    #[test]
    fn every_unsafe_rule_is_found() {
        for seed in 0..2000 {
            let (table, sensitive, demand) = random_case(seed);
            let demand = Demand { known: None, ..demand };
            let ends: Vec<u32> = sensitive.items().collect();
            let kept = Kept::new(&table, sensitive, demand);
            assert_eq!(kept.all_sets().unwrap().is_empty(), is_safe(&table, &ends, demand), "table {seed}");
        }
    }

    #[test]
    fn the_example_of_the_paper_loses_four_occurrences() {
        let bought = [
            "bread milk condom",
            "bread milk",
            "milk condom",
            "flour fruits",
            "flour condom",
            "bread fruits",
            "fruits condom",
        ];
        let table = Transactions::from_names(bought.map(|record| record.split(' ')));
        let sensitive = Sensitive::named(&table, ["condom"]);
        let released = suppressed(&table, &sensitive, Demand::at_most(Fraction::new(1, 3)));
        assert_eq!(table.occurrences() - released.occurrences(), 4);
        assert_eq!(released.supports()[2], 0, "all of what is sensitive");
    }

    #[test]
    fn tables_without_anything_to_tell_stay_as_they_are() {
        let none = Transactions::from_names::<&str, [&str; 0]>([]);
        let empty = Transactions::from_names([vec!["a"], vec![], vec!["a", "b"]]);
        let demand = Demand::at_most(Fraction::new(1, 2));
        assert_eq!(suppressed(&none, &Sensitive::new(vec![]), demand), none);
        assert_eq!(suppressed(&empty, &Sensitive::new(vec![false; 2]), demand), empty);
    }
}
