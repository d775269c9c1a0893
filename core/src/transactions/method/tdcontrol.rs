//! TDControl: items that are not sensitive are made coarser by a taxonomy, kinds of sensitive items
//! are deleted; from the top down, as long as it pays.
//!
//! **Finds** a cut through the taxonomy, and kinds of sensitive items to delete, such that no rule
//! is unsafe. An item is published as the node of the cut above it, whoever has it. **How**: at
//! first every item that is not sensitive is published as the root, and sensitive kinds are deleted
//! as needed. Then that node is replaced by its children which gains most: what the finer items are
//! worth, less what must be deleted because of them; until no node gains anything. Last, sensitive
//! kinds come back where they do no harm. **Promises** what is demanded, for every rule about
//! published items. Whoever knows an item knows the node that stands for it; sensitive items are
//! published as themselves or not at all. **Cost**: for each node, once or a few times, a check of
//! all records that hold it: as [global suppression](super::global_suppression). **Reference**:
//! Cao, Karras, Raïssi and Tan 2010 (TDControl).
//!
//! What is made small: the sum over all occurrences of the original of what they lose. An
//! occurrence of an item that is published as a node with so many leaves loses (leaves − 1)/(all
//! leaves − 1), one that is deleted loses 1. Leaves that are sensitive count nowhere. It is a
//! greedy search: other cuts may be better.
//!
//! # Claim
//! At the root, the repair leaves no unsafe rule. When a node is replaced by its children, a rule
//! that names none of them is about the same records as before, and all sets with one of them are
//! searched for unsafe rules until there is none; deleting further sensitive items makes no rule
//! unsafe. Sensitive items come back only if they are part of no unsafe rule. So no rule is unsafe
//! at the end, as defined in [global suppression](super::global_suppression), whatever is known. A
//! record holds a node just if the original holds an item below it: no record gains anything.
//!
//! ```
//! use sfumato::chance::Chance;
//! use sfumato::exact::Fraction;
//! use sfumato::kind::Raw;
//! use sfumato::transactions::{Demand, Released, Sensitive, Transactions, method};
//!
//! # let folder = std::env::temp_dir().join(format!("sfumato-tdcontrol-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! std::fs::write(folder.join("items.txt"), "rye;bread;*\nwheat;bread;*\ntea;drinks;*\nmilk;drinks;*\n").unwrap();
//! let bought = [vec!["rye", "pills"], vec!["wheat"], vec!["wheat", "milk"], vec!["milk"], vec!["tea"]];
//! let bought = Transactions::from_names(bought);
//! let sensitive = Sensitive::named(&bought, ["pills"]);
//! let demand = Demand::at_most(Fraction::new(1, 2));
//! let task = method::Task { table: &bought, sensitive: &sensitive, demand, chance: Chance::System, folder: &folder, watch: sfumato::watch::Watch::NONE };
//! let kind = method::find("tdcontrol")?;
//! let params = kind.check(&[("taxonomy", Raw::from("items.txt"))])?;
//! let Released::Together(released) = (kind.build)(&params).make(&task)? else { panic!("all items stay together") };
//! let name = |item: &u32| released.table.names()[*item as usize].as_str();
//! assert_eq!(released.table.record(0).iter().map(name).collect::<Vec<_>>(), ["pills", "bread"]);
//! assert_eq!(released.table.record(3).iter().map(name).collect::<Vec<_>>(), ["milk"]);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::global_suppression::Kept;
use super::taxonomy::{Child, Taxonomy};
use super::{Build, Method, Task};
use crate::error::Result;
use crate::kind::{Kind, Param, Shape};
use crate::transactions::{Released, Sensitive, Together, Transactions};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "tdcontrol",
    summary: "Makes items that are not sensitive coarser by a taxonomy and deletes sensitive kinds, from the top down as long as it pays",
    reference: "Cao et al. 2010 (TDControl)",
    params: &[Param {
        name: "taxonomy",
        summary: "one line per item, then its ancestors",
        shape: Shape::File,
        default: None,
    }],
    example: &[("taxonomy", "\"items.txt\"")],
    build: |params| Box::new(TdControl { taxonomy: params.file("taxonomy").expect("a file is required").clone() }),
};

struct TdControl {
    taxonomy: PathBuf,
}

impl Method for TdControl {
    fn make(&self, task: &Task<'_>) -> Result<Released> {
        let taxonomy = Taxonomy::read(&task.folder.join(&self.taxonomy), task.table, task.sensitive)?;
        let mut cut = Cut::new(task, &taxonomy)?;
        cut.specialize()?;
        cut.kept.bring_back()?;
        Ok(Released::Together(cut.released()))
    }
}

/// A cut through the taxonomy, and what is published with it.
struct Cut<'a> {
    taxonomy: &'a Taxonomy,
    table: &'a Transactions,
    /// Names of items, then those of nodes.
    names: Arc<[String]>,
    /// For each item what it is published as, unless it is deleted.
    published_as: Vec<u32>,
    sensitive: Sensitive,
    kept: Kept,
    /// The records of each item in the original.
    holders: Vec<Vec<u32>>,
    /// For each place among the leaves the item, if it occurs in the table's list of items.
    item_at: Vec<Option<u32>>,
}

/// A node that could be replaced by its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// What that would gain: as found last, or at most.
    gain: u64,
    /// How many nodes had been replaced when that was found.
    when: Option<u32>,
    node: Reverse<u32>,
}

impl<'a> Cut<'a> {
    /// Every item that is not sensitive is published as the root, and sensitive kinds are deleted
    /// as needed.
    fn new(task: &Task<'a>, taxonomy: &'a Taxonomy) -> Result<Cut<'a>> {
        let table = task.table;
        let kinds = table.names().len() as u32;
        let names: Arc<[String]> =
            table.names().iter().chain(taxonomy.nodes.iter().map(|node| &node.name)).cloned().collect();
        let has_root = !taxonomy.nodes.is_empty();
        let published_as: Vec<u32> =
            (0..kinds).map(|item| if has_root && !task.sensitive.has(item) { kinds } else { item }).collect();
        let sensitive =
            Sensitive::new((0..names.len() as u32).map(|item| item < kinds && task.sensitive.has(item)).collect());
        let coarse = |record: &[u32]| record.iter().map(|item| published_as[*item as usize]).collect::<Vec<u32>>();
        let coarsest = Transactions::new(names.clone(), table.iter().map(coarse));
        let mut item_at = vec![None; taxonomy.leaves as usize];
        for (place, item) in taxonomy.places.iter().zip(0..) {
            place.iter().for_each(|place| item_at[*place as usize] = Some(item));
        }
        let mut kept = Kept::new(&coarsest, sensitive.clone(), task.demand);
        kept.repair(&kept.with_sensitive(), |item| sensitive.has(item))?;
        Ok(Cut { taxonomy, table, names, published_as, sensitive, kept, holders: table.holders(), item_at })
    }

    /// Replaces nodes by their children as long as that gains something.
    fn specialize(&mut self) -> Result<()> {
        let mut candidates: BinaryHeap<Candidate> = BinaryHeap::new();
        let mut useless: Vec<u32> = Vec::new();
        let (mut replaced, mut replaced_before) = (0, 0);
        if !self.taxonomy.nodes.is_empty() {
            candidates.extend(self.candidate(Child::Node(0)));
        }
        loop {
            while let Some(Candidate { gain, when, node }) = candidates.pop() {
                let node = node.0;
                let is_new = when == Some(replaced);
                let next = candidates.peek().map_or(0, |next| next.gain);
                match self.replace(node, if is_new { 0 } else { next })? {
                    NodeFate::Replaced => {
                        replaced += 1;
                        let children = self.taxonomy.nodes[node as usize].children.clone();
                        candidates.extend(children.into_iter().filter_map(|child| self.candidate(child)));
                    }
                    NodeFate::Gains(less) if less > 0 => {
                        let gain = less.min(gain);
                        candidates.push(Candidate { gain, when: Some(replaced), node: Reverse(node) });
                    }
                    NodeFate::Gains(_) => useless.push(node),
                }
            }
            // What gained nothing may gain now that other sensitive items are deleted.
            if replaced == replaced_before {
                return Ok(());
            }
            replaced_before = replaced;
            candidates.extend(useless.drain(..).filter_map(|node| self.candidate(Child::Node(node))));
        }
    }

    fn candidate(&self, child: Child) -> Option<Candidate> {
        let Child::Node(node) = child else { return None };
        Some(Candidate { gain: self.worth(node), when: None, node: Reverse(node) })
    }

    /// The items that a node stands for, each with the child that stands for it.
    fn below(&self, node: u32) -> impl Iterator<Item = (u32, Child)> {
        let Range { start, end } = self.taxonomy.nodes[node as usize].stretch;
        let child = move |place| self.taxonomy.nodes[node as usize].children[self.taxonomy.child_at(node, place)];
        (start..end).filter_map(move |place| self.item_at[place as usize].map(|item| (item, child(place))))
    }

    /// What an occurrence loses that is deleted, where one that stands for one leaf more loses one
    /// more.
    fn all(&self) -> u64 {
        self.taxonomy.leaves - 1
    }

    /// What the children of a node are worth.
    fn worth(&self, node: u32) -> u64 {
        let leaves = self.taxonomy.size(Child::Node(node));
        let worth = |(item, child)| self.holders[item as usize].len() as u64 * (leaves - self.taxonomy.size(child));
        self.below(node).map(worth).sum()
    }

    /// The number of the item that stands for a child.
    fn number(&self, child: Child) -> Option<u32> {
        match child {
            Child::Node(at) => Some(self.table.names().len() as u32 + at),
            Child::Leaf(place) => self.item_at[place as usize],
        }
    }

    /// Replaces a node by its children if that gains more than nothing, and at least so much.
    fn replace(&mut self, node: u32, at_least: u64) -> Result<NodeFate> {
        let own = self.table.names().len() as u32 + node;
        let holders = self.kept.holders(own).to_vec();
        let flags = self.kept.flags.clone();
        let lost = self.kept.lost();
        let worth = self.worth(node);
        let below: Vec<(u32, u32)> =
            self.below(node).filter_map(|(item, child)| Some((item, self.number(child)?))).collect();
        let children = self.children(&below);
        let numbers: Vec<u32> = children.iter().map(|(number, _)| *number).collect();
        self.kept.exchange(&[own], children);
        self.repair(&holders, &numbers, lost + worth / self.all())?;
        let gain = worth.saturating_sub((self.kept.lost() - lost) * self.all());
        if gain > 0 && gain >= at_least {
            below.into_iter().for_each(|(item, number)| self.published_as[item as usize] = number);
            return Ok(NodeFate::Replaced);
        }
        self.kept.exchange(&numbers, vec![(own, holders)]);
        self.kept.flags = flags;
        Ok(NodeFate::Gains(gain))
    }

    /// The records of each child, given which child stands for each item.
    fn children(&self, below: &[(u32, u32)]) -> Vec<(u32, Vec<u32>)> {
        let mut lists: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (item, number) in below {
            lists.entry(*number).or_default().extend_from_slice(&self.holders[*item as usize]);
        }
        for list in lists.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        lists.into_iter().collect()
    }

    /// Deletes sensitive kinds until no set with one of these items tells anything, or more is lost
    /// than may be.
    fn repair(&mut self, among: &[u32], items: &[u32], most: u64) -> Result<()> {
        let sensitive = &self.sensitive;
        let may = |item: u32| sensitive.has(item);
        // All rules with one of the items are about these records alone.
        let index = self.kept.index(among);
        while self.kept.lost() <= most {
            let mut found = self.kept.records(&index, among);
            if found.is_empty() {
                for item in items {
                    found.extend(self.kept.sets_with(*item, usize::MAX)?);
                }
            }
            if found.is_empty() {
                break;
            }
            self.kept.hit(&found, u64::MAX, &may);
        }
        Ok(())
    }

    /// What is published: of all nodes only those of the cut get numbers, behind those of items.
    fn released(self) -> Together {
        let kinds = self.table.names().len() as u32;
        let mut used: Vec<u32> = self.published_as.iter().copied().filter(|number| *number >= kinds).collect();
        used.sort_unstable();
        used.dedup();
        let numbers: HashMap<u32, u32> = used.iter().copied().zip(kinds..).collect();
        let number = |old: u32| numbers.get(&old).copied().unwrap_or(old);
        let names: Vec<String> = (0..kinds).chain(used).map(|old| self.names[old as usize].clone()).collect();
        let records = self.kept.published().map(|record| record.into_iter().map(number).collect::<Vec<u32>>());
        let published = |old: &u32| self.kept.flags[*old as usize].then(|| number(*old));
        let published_as = self.published_as.iter().map(published).collect();
        Together { table: Transactions::new(names.into(), records), published_as: Some(published_as) }
    }
}

/// What became of a node.
enum NodeFate {
    /// Its children took its place.
    Replaced,
    /// It would gain so much, which was too little.
    Gains(u64),
}

#[cfg(test)]
mod tests {
    use super::super::global_suppression::tests::{is_safe, random_case, task};
    use super::*;
    use crate::exact::Fraction;
    use crate::kind::Raw;
    use crate::transactions::Demand;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use std::collections::BTreeSet;

    fn made(table: &Transactions, sensitive: &Sensitive, demand: Demand, taxonomy: &str) -> Result<Together> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("items.txt"), taxonomy).unwrap();
        let task = Task { folder: folder.path(), ..task(table, sensitive, demand) };
        let params = KIND.check(&[("taxonomy", Raw::from("items.txt"))])?;
        match (KIND.build)(&params).make(&task)? {
            Released::Together(together) => Ok(together),
            Released::Separated(_) => panic!("all items stay together"),
        }
    }

    /// A taxonomy of eight items on four levels, some of whose nodes have one child or are called
    /// like items.
    fn random_taxonomy(seed: u64) -> Vec<[String; 4]> {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let middle: Vec<u32> = (0..4).map(|_| generator.random_range(0..2)).collect();
        let line = |item: u32| {
            let node = generator.random_range(0..4);
            [format!("i{item}"), format!("i{node}"), format!("m{}", middle[node as usize]), "all".to_string()]
        };
        (0..8).map(line).collect()
    }

    #[test]
    fn no_rule_is_unsafe_and_items_become_their_ancestors() {
        let (mut coarser, mut kept_sensitive) = (0, 0);
        for seed in 0..1500 {
            let (table, sensitive, demand) = random_case(seed);
            let lines = random_taxonomy(seed);
            let text: String = lines.iter().map(|line| line.join(";") + "\n").collect();
            let Together { table: released, published_as } = made(&table, &sensitive, demand, &text).unwrap();
            let published_as = published_as.unwrap();
            let ends: Vec<u32> = sensitive.items().collect();
            assert!(is_safe(&released, &ends, demand), "table {seed}");
            for (old, new) in table.iter().zip(released.iter()) {
                let expected: BTreeSet<u32> = old.iter().filter_map(|item| published_as[*item as usize]).collect();
                assert!(expected.into_iter().eq(new.iter().copied()), "table {seed}");
            }
            let kinds = table.names().len() as u32;
            for (item, published) in (0..kinds).zip(&published_as) {
                let Some(published) = published.filter(|published| *published != item) else { continue };
                assert!(!sensitive.has(item) && published >= kinds, "table {seed}");
                let name = released.names()[published as usize].split(" (group").next().unwrap().to_string();
                assert!(lines[item as usize][1..].contains(&name), "table {seed}");
                coarser += 1;
            }
            assert!(
                (0..kinds).all(|item| sensitive.has(item) || published_as[item as usize].is_some()),
                "table {seed}"
            );
            let names: BTreeSet<&String> = released.names().iter().collect();
            assert_eq!(names.len(), released.names().len(), "table {seed}: names are different");
            kept_sensitive += ends.iter().filter(|end| published_as[**end as usize].is_some()).count();
        }
        assert!(coarser > 500 && kept_sensitive > 500, "{coarser} {kept_sensitive}");
    }

    #[test]
    fn items_are_made_coarser_where_that_is_cheaper_than_deleting() {
        let bought =
            ["rye pills", "wheat", "wheat", "milk", "milk", "tea", "tea pills"].map(|record| record.split(' '));
        let table = Transactions::from_names(bought);
        let sensitive = Sensitive::named(&table, ["pills"]);
        let text = "rye;bread;*\nwheat;bread;*\ntea;drinks;*\nmilk;drinks;*\n";
        let released = made(&table, &sensitive, Demand::at_most(Fraction::new(1, 2)), text).unwrap();
        let names = released.table.names();
        let published: Vec<&str> =
            released.published_as.unwrap().iter().map(|to| names[to.unwrap() as usize].as_str()).collect();
        assert_eq!(
            published,
            ["bread", "pills", "bread", "milk", "tea"],
            "half of those with tea buy pills, all with rye do"
        );
    }

    #[test]
    fn tables_without_sensitive_items_stay_as_they_are() {
        let table = Transactions::from_names([vec!["a", "b"], vec![], vec!["a"]]);
        let demand = Demand::at_most(Fraction::new(1, 2));
        let same = made(&table, &Sensitive::new(vec![false; 2]), demand, "a;x;*\nb;x;*\n").unwrap();
        assert_eq!((same.table, same.published_as), (table.clone(), Some(vec![Some(0), Some(1)])));
        let error = made(&table, &Sensitive::new(vec![false; 2]), demand, "a;x;*\n").unwrap_err();
        assert!(error.to_string().contains("items.txt"), "{error}");
    }
}
