//! Who can be where: pairs of groups, one of each release, and how many people they have in common.
//!
//! # Claim
//! Two releases of one table leave everybody who is in both in one group of each, under labels that
//! overlap. So the numbers of people in pairs of classes (records of a group with the same labels)
//! add up to the size of every class, but for people that the other release leaves out. Those
//! include everybody of a class that overlaps no class of the other release, so only the rest of
//! them can be missing elsewhere. Every table that both are releases of keeps to the bounds that
//! follow ([`Bounds`]).

use super::bounds::{Bounds, Contradiction, Sums};
use super::labels::Overlaps;
use super::{Published, Quasi};
use crate::candidate::dense_ids;
use std::collections::{BTreeMap, HashMap};

/// A pair of groups, one of each release, and how many people are in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub groups: [u32; 2],
    pub least: i64,
    pub most: i64,
}

/// Why nothing is told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// No table has both releases.
    Contradiction,
    /// There are too many pairs of groups.
    TooLarge,
}

impl From<Contradiction> for Failure {
    fn from(_: Contradiction) -> Failure {
        Failure::Contradiction
    }
}

/// How many pairs of classes are looked at, and how many of them may overlap.
const MOST_LOOKED_AT: usize = 100_000_000;
const MOST_KEPT: usize = 4_000_000;
/// How often bounds are tightened: most of what there is to find is found in the first rounds.
pub(super) const ROUNDS: usize = 50;

/// Records of a group with the same labels in the columns that both releases publish.
struct Class {
    group: u32,
    /// Codes of its labels.
    labels: Vec<u32>,
    people: i64,
}

/// The pairs of groups that somebody can be in.
pub(super) fn cells(releases: [&Published<'_>; 2]) -> Result<Vec<Cell>, Failure> {
    let shared = shared_columns(releases);
    let overlaps: Vec<Overlaps> = shared.iter().map(|[a, b]| Overlaps::new(a, b)).collect();
    let classes = [0, 1].map(|at| {
        let columns: Vec<&Quasi<'_>> = shared.iter().map(|pair| pair[at]).collect();
        classes(releases[at], &columns)
    });
    let pairs = compatible(&classes, &overlaps)?;
    let people = |&(a, b): &(u32, u32)| classes[0][a as usize].people.min(classes[1][b as usize].people);
    let mut bounds = Bounds::up_to(pairs.iter().map(people).collect());
    let of_first = sums(&classes[0], pairs.iter().map(|pair| pair.0).collect(), releases[1].missing)?;
    let of_second = sums(&classes[1], pairs.iter().map(|pair| pair.1).collect(), releases[0].missing)?;
    bounds.settle(&[&of_first, &of_second], ROUNDS)?;
    let mut cells: BTreeMap<[u32; 2], (i64, i64)> = BTreeMap::new();
    for (at, &(a, b)) in pairs.iter().enumerate() {
        let cell = cells.entry([classes[0][a as usize].group, classes[1][b as usize].group]).or_default();
        *cell = (cell.0 + bounds.least[at], cell.1 + bounds.most[at]);
    }
    let cell = |(groups, (least, most))| Cell { groups, least, most };
    Ok(cells.into_iter().map(cell).filter(|cell| cell.most > 0).collect())
}

/// The quasi-identifiers that both publish.
fn shared_columns<'p, 'a>(releases: [&'p Published<'a>; 2]) -> Vec<[&'p Quasi<'a>; 2]> {
    let other = |own: &Quasi<'_>| releases[1].quasi.iter().find(|other| other.column.name() == own.column.name());
    releases[0].quasi.iter().filter_map(|own| Some([own, other(own)?])).collect()
}

fn classes(release: &Published<'_>, columns: &[&Quasi<'_>]) -> Vec<Class> {
    let groups = release.groups;
    let rows = release.sensitive.codes().len();
    let mut group_of = vec![0u32; rows];
    for group in 0..groups.len() {
        groups.rows(group).iter().for_each(|&row| group_of[row as usize] = group as u32);
    }
    let mut coded: Vec<(&[u32], usize)> = vec![(&group_of, groups.len())];
    coded.extend(columns.iter().map(|quasi| (quasi.column.codes(), quasi.column.domain().len())));
    let (ids, count) = dense_ids(&coded, rows);
    let mut classes: Vec<Option<Class>> = (0..count).map(|_| None).collect();
    for (row, &id) in ids.iter().enumerate() {
        let new = || Class {
            group: group_of[row],
            labels: columns.iter().map(|quasi| quasi.column.codes()[row]).collect(),
            people: 0,
        };
        classes[id as usize].get_or_insert_with(new).people += 1;
    }
    classes.into_iter().flatten().collect()
}

/// The pairs of classes whose labels overlap in every column.
fn compatible(classes: &[Vec<Class>; 2], overlaps: &[Overlaps]) -> Result<Vec<(u32, u32)>, Failure> {
    let mut of_second: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
    for (at, class) in (0u32..).zip(&classes[1]) {
        of_second.entry(exact_part(class, overlaps, 1)).or_default().push(at);
    }
    let fit = |a: &Class, b: &Class| {
        let mut labels = overlaps.iter().zip(a.labels.iter().zip(&b.labels));
        labels.all(|(overlaps, (&a, &b))| overlaps.holds(a, b))
    };
    let (mut pairs, mut looked_at) = (Vec::new(), 0usize);
    for (at, class) in (0u32..).zip(&classes[0]) {
        let others = of_second.get(&exact_part(class, overlaps, 0)).map_or(&[][..], Vec::as_slice);
        looked_at += others.len();
        pairs.extend(others.iter().filter(|&&other| fit(class, &classes[1][other as usize])).map(|&other| (at, other)));
        if looked_at > MOST_LOOKED_AT || pairs.len() > MOST_KEPT {
            return Err(Failure::TooLarge);
        }
    }
    Ok(pairs)
}

/// A class's values in columns that are exact in both releases: only classes with the same ones go
/// together.
fn exact_part(class: &Class, overlaps: &[Overlaps], release: usize) -> Vec<u32> {
    let numbers = overlaps.iter().zip(&class.labels).filter_map(|(overlaps, &label)| match overlaps {
        Overlaps::Same(numbers) => Some(numbers[release][label as usize]),
        _ => None,
    });
    numbers.collect()
}

/// Everybody of a class is in some class of the other release, or among those that it leaves out.
fn sums(classes: &[Class], of: Vec<u32>, left_out: u64) -> Result<Sums, Contradiction> {
    let mut is_alone = vec![true; classes.len()];
    of.iter().for_each(|&class| is_alone[class as usize] = false);
    let alone: i64 = classes.iter().zip(&is_alone).filter(|(_, alone)| **alone).map(|(class, _)| class.people).sum();
    let elsewhere = i64::try_from(left_out).unwrap_or(i64::MAX) - alone;
    if elsewhere < 0 {
        return Err(Contradiction);
    }
    let least = |(class, is_alone): (&Class, &bool)| if *is_alone { 0 } else { (class.people - elsewhere).max(0) };
    let most = classes.iter().map(|class| class.people).collect();
    Ok(Sums { of, least: classes.iter().zip(&is_alone).map(least).collect(), most })
}
