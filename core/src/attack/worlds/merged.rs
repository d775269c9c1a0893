//! What matters of a replay: tests that may pass, and blocks that one of them tells apart.

use crate::anonymize::Replay;
use std::collections::HashSet;

/// A replay with nothing left in it that makes no difference.
pub(super) struct Merged {
    /// For each block of the replay the one that it is part of.
    pub block_of: Vec<u32>,
    pub blocks: usize,
    pub tests: Vec<Vec<Vec<u32>>>,
}

impl Merged {
    /// Of groups that need at least so many records to be safe.
    ///
    /// # Claim
    /// A test of which a part has fewer records passes in no world: no world is impossible because
    /// of it, and none weighs less. What the others say depends on how many records of each part
    /// have which value. So exchanging the values of two records of one urn that are in the same
    /// parts maps the worlds onto worlds of the same weight: their beliefs are equal, and they are
    /// in one block. The order of tests and of their parts says nothing; small ones come first, so
    /// that groups that differ in the order alone are the same. Where no world is possible in which
    /// a test passes, the same test once more says nothing.
    pub fn new(replay: &Replay, least: u64) -> Merged {
        let size = |part: &Vec<u32>| part.iter().map(|&block| replay.blocks[block as usize].len() as u64).sum::<u64>();
        let may_pass = |parts: &&Vec<Vec<u32>>| parts.iter().all(|part| size(part) >= least);
        let mut tests: Vec<Vec<&Vec<u32>>> =
            replay.tests.iter().filter(may_pass).map(|parts| parts.iter().collect()).collect();
        if tests.is_empty() {
            return Merged { block_of: vec![0; replay.blocks.len()], blocks: 1, tests: Vec::new() };
        }
        tests.iter_mut().for_each(|parts| parts.sort_by_key(|part| size(part)));
        tests.sort_by_cached_key(|parts| parts.iter().map(|part| size(part)).collect::<Vec<u64>>());
        let (block_of, inside) = told_apart(&tests, replay.blocks.len());
        let part = |at: usize| (0u32..).zip(&inside).filter(|(_, inside)| inside[at]).map(|(block, _)| block).collect();
        let mut next = 0..;
        let mut named: Vec<Vec<Vec<u32>>> =
            tests.iter().map(|parts| next.by_ref().take(parts.len()).map(part).collect()).collect();
        if replay.passed.num == 0 {
            let mut known = HashSet::new();
            named.retain(|parts| {
                let mut parts = parts.clone();
                parts.sort_unstable();
                known.insert(parts)
            });
        }
        Merged { block_of, blocks: inside.len(), tests: named }
    }
}

/// For each block its number among those that are in different parts, and for each of these whether
/// it is in each part. Those of the first part come first.
fn told_apart(tests: &[Vec<&Vec<u32>>], blocks: usize) -> (Vec<u32>, Vec<Vec<bool>>) {
    let parts = tests.iter().map(Vec::len).sum();
    let mut inside = vec![vec![false; parts]; blocks];
    for (at, part) in tests.iter().flatten().enumerate() {
        part.iter().for_each(|&block| inside[block as usize][at] = true);
    }
    let mut different = inside.clone();
    different.sort_unstable_by(|a, b| b.cmp(a));
    different.dedup();
    let number =
        |own: &Vec<bool>| different.binary_search_by(|other| own.cmp(other)).expect("it is one of them") as u32;
    (inside.iter().map(number).collect(), different)
}
