//! Anatomy: groups of records with different sensitive values, whatever their quasi-identifiers.
//!
//! **Finds** groups of about l records, each of another sensitive value, if no value has more than
//! one in l of all records. Groups that violate another criterion are withheld. **How**: again and
//! again one record is taken of each of the l values that most records are left of, by lot among
//! the records of a value; the fewer than l that are left over join groups that lack their value.
//! **Class**: SA-only. Records with equal sensitive values are chosen by lot: every assignment of a
//! group's values to its records is as likely as every other. **Reference**: Xiao and Tao 2006;
//! Cormode, Srivastava, Li and Li 2010, Section 3.1 (division of large groups).

use super::grouping::bucket_size;
use super::{ANATOMIZE, BUCKET, Build, Class, Grouping, Method, Replay, Replayer, Safety, Task, Transformation, View};
use crate::candidate::Groups;
use crate::data::Role;
use crate::error::{Error, Result};
use crate::kind::{Kind, Raw};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha20Rng;
use std::collections::BinaryHeap;

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "anatomy",
    summary: "Groups of records with l different sensitive values, drawn at random; the method discloses nothing",
    reference: "Xiao and Tao 2006",
    params: &[BUCKET, ANATOMIZE],
    example: &[("bucket", "0")],
    build: |params| Box::new(Anatomy { bucket: params.count("bucket") }),
};

struct Anatomy {
    bucket: u64,
}

/// What random choices are for.
const RECORDS: u64 = 3;

impl Method for Anatomy {
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        let rows: Vec<u32> = (0..task.table.rows() as u32).collect();
        let dealer = Dealer::new(task, self.bucket)?;
        let safety = Safety::new(task.table, task.bound)?;
        let mut checker = safety.checker();
        let mut dealt = dealer.deal(&rows, &mut task.chance.generator(RECORDS)?);
        // What is left over has values that are too frequent: whoever is missing from the release
        // would be known to have one of them.
        if dealt.iter().map(Vec::len).sum::<usize>() < rows.len() {
            return Ok(None);
        }
        dealt.retain(|group| checker.holds(group));
        let groups = Groups::of_lists(&dealt);
        if groups.is_empty() {
            return Ok(None);
        }
        let resolved = vec![("bucket", Raw::Number(dealer.bucket.to_string()))];
        let withheld = (rows.len() - groups.records()) as u64;
        Ok(Some(Transformation::Groups(Grouping { groups, whole: None, withheld, resolved })))
    }

    fn withholds(&self) -> bool {
        true
    }

    fn class(&self) -> Class {
        Class::SaOnly
    }

    /// # Claim
    /// Which values a group has depends on how many records have which value; which records of a
    /// value are taken is drawn by lot. So is every assignment of the values of a group to its
    /// records.
    fn replayer<'a>(&self, view: &View<'a>) -> Result<Option<Replayer<'a>>> {
        let groups = view.groups;
        Ok(Some(Box::new(move |group| Some(Replay::of_any_world(groups.rows(group))))))
    }
}

/// Divides every large group of a grouping by sensitive values alone; one that cannot be divided
/// into safe groups stays whole. No record is withheld.
///
/// # Claim
/// Whether and how a group is divided depends on its sensitive values alone, those of one value
/// being drawn by lot: whoever knows a group's parts learns nothing about it beyond what values
/// they have.
pub(super) fn divide(task: &Task<'_>, grouping: Grouping) -> Result<Grouping> {
    let written = grouping.resolved.iter().find(|(name, _)| *name == "bucket");
    let bucket = written.and_then(|(_, raw)| if let Raw::Number(text) = raw { text.parse().ok() } else { None });
    let dealer = Dealer::new(task, bucket.unwrap_or(0))?;
    let safety = Safety::new(task.table, task.bound)?;
    let (mut checker, mut generator) = (safety.checker(), task.chance.generator(RECORDS)?);
    let mut parts: Vec<Vec<u32>> = Vec::new();
    for group in 0..grouping.groups.len() {
        let rows = grouping.groups.rows(group);
        let dealt = if rows.len() < 2 * dealer.size { Vec::new() } else { dealer.deal(rows, &mut generator) };
        let complete = dealt.iter().map(Vec::len).sum::<usize>() == rows.len();
        if complete && dealt.iter().all(|part| checker.holds(part)) {
            parts.extend(dealt);
        } else {
            parts.push(rows.to_vec());
        }
    }
    Ok(Grouping { groups: Groups::of_lists(&parts), whole: Some(grouping.groups), ..grouping })
}

/// Deals records to groups.
struct Dealer<'a> {
    /// The sensitive column, and whether each value needs protection.
    codes: &'a [u32],
    cared_for: Vec<bool>,
    /// The l that is aimed at.
    bucket: usize,
    /// How many records a group has: l, or more where a criterion wants more.
    size: usize,
}

impl<'a> Dealer<'a> {
    fn new(task: &Task<'a>, bucket: u64) -> Result<Dealer<'a>> {
        let names = task.schema.names(Role::Sensitive);
        let concerned =
            task.requirements.iter().find(|wanted| wanted.on.len() == 1).map(|wanted| wanted.on[0].as_str());
        let Some(name) = concerned.or(names.first().copied()) else {
            let error = Error::plan("anatomy separates records by a sensitive column, the plan has none");
            return Err(error.help("give a column the role \"sensitive\", or use another method"));
        };
        let column = task.table.column(name)?;
        let named = task.schema.find(name).map_or(&[][..], |spec| &spec.sensitive_values);
        let labels = column.domain().labels().iter();
        let cared_for = labels.map(|label| named.is_empty() || named.iter().any(|known| known == label)).collect();
        let bucket = bucket_size(task, bucket);
        let least = Safety::new(task.table, task.bound)?.least_size() as usize;
        Ok(Dealer { codes: column.codes(), cared_for, bucket, size: bucket.max(least).next_multiple_of(bucket) })
    }

    /// Groups of `size` records in which each value that needs protection has at most one in l of
    /// the records. What fits into none is left out.
    fn deal(&self, rows: &[u32], generator: &mut ChaCha20Rng) -> Vec<Vec<u32>> {
        let mut hands = self.hands(rows, generator);
        let mut heap: BinaryHeap<(usize, std::cmp::Reverse<usize>)> =
            hands.iter().enumerate().map(|(at, hand)| (hand.1.len(), std::cmp::Reverse(at))).collect();
        let mut groups: Vec<Vec<u32>> = Vec::with_capacity(rows.len() / self.size);
        let mut taken = Vec::with_capacity(self.size);
        while heap.len() >= self.size {
            taken.extend((0..self.size).map(|_| heap.pop().expect("there are so many").1.0));
            groups.push(taken.iter().map(|&at| hands[at].1.pop().expect("hands in the heap are not empty")).collect());
            let left = taken.drain(..).map(|at| (hands[at].1.len(), std::cmp::Reverse(at)));
            heap.extend(left.filter(|(len, _)| *len > 0));
        }
        hands.retain(|hand| !hand.1.is_empty());
        self.place(hands, &mut groups, generator);
        groups
    }

    /// The records of each value, by lot; a value that a group may have several times in several
    /// hands, and values that need no protection in as many as it takes.
    fn hands(&self, rows: &[u32], generator: &mut ChaCha20Rng) -> Vec<(Option<u32>, Vec<u32>)> {
        let code = |row: &u32| self.codes[*row as usize];
        let (mut own, mut free): (Vec<u32>, Vec<u32>) = rows.iter().partition(|row| self.cared_for[code(row) as usize]);
        own.sort_unstable_by_key(code);
        let times = (self.size / self.bucket).max(1);
        let groups = (rows.len() / self.size).max(1);
        let mut hands = Vec::new();
        for own in own.chunk_by_mut(|a, b| code(a) == code(b)) {
            own.shuffle(generator);
            hands.extend(own.chunks(own.len().div_ceil(times)).map(|part| (Some(code(&part[0])), part.to_vec())));
        }
        free.shuffle(generator);
        hands.extend(free.chunks(groups).map(|part| (None, part.to_vec())));
        hands
    }

    /// Puts what is left over into groups that have room for its value, by lot.
    fn place(&self, left: Vec<(Option<u32>, Vec<u32>)>, groups: &mut [Vec<u32>], generator: &mut ChaCha20Rng) {
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.shuffle(generator);
        for (value, rows) in left {
            let mut open = order.iter().copied();
            for row in rows {
                let has_room = |group: &Vec<u32>| match value {
                    None => true,
                    Some(value) => {
                        let own = group.iter().filter(|&&other| self.codes[other as usize] == value).count();
                        (own + 1) * self.bucket <= group.len() + 1
                    }
                };
                let Some(at) = open.find(|&at| has_room(&groups[at])) else { break };
                groups[at].push(row);
            }
        }
    }
}
