//! Composition: what two releases of the same people tell together, as far as the releases alone
//! show it.
//!
//! **Knowledge**: both releases, that they are about the same people with the same sensitive
//! values, and in which group of each a person is (her quasi-identifiers tell).
//!
//! **Finds**: a *cell* is a pair of groups, one of each release. Whoever is in a cell has one of
//! the values that both groups have. A value of a group that fits no other cell must be in this
//! one, and so on: whole numbers with known sums (`bounds.rs`), so that values drop out of cells.
//! Where one value is left, everybody in the cell is certain.
//!
//! # Claim
//! `certain` people at least have a value that is the same in every table that leads to both
//! releases, for whoever knows the releases and in which groups these people are; `fewest`
//! likewise; and no such person's value is missing among the candidates that are counted for the
//! cell. Proof: all steps take away what no such table has (`labels.rs`, `cells.rs`,
//! `bounds.rs`), and people are counted by what cells with more candidates cannot hold. `at_least`
//! is a belief that somebody's value is given by every attacker who knows this and takes the people
//! of a cell to be alike: the candidates share a belief of 1, and a value that x of y people have
//! is believed by x/y. `about` is an estimate: the table of cells and values with the greatest
//! entropy, where the numbers of people in all cells are known. On small tables it is off the exact
//! mean over all possible worlds by 0.1 at most in nearly all cases
//! (`core/tests/suite/together.rs`).
//!
//! **Reference**: Ganta, Kasiviswanathan and Smith 2008 (intersection attack); Malvestuto and
//! others on entries of tables with known sums; Deming and Stephan 1940 (raking).

mod bounds;
mod cells;
mod labels;
mod rake;

use crate::candidate::Groups;
use crate::data::hierarchy::Ruler;
use crate::data::{Column, canonical_text};
use bounds::{Bounds, Sums};
use cells::{Cell, Failure, ROUNDS, cells};
use std::collections::{BTreeSet, HashMap};

/// A release, as somebody sees it who has another one too.
pub struct Published<'a> {
    /// Records that look alike, or share a group number.
    pub groups: &'a Groups,
    /// The published quasi-identifiers.
    pub quasi: Vec<Quasi<'a>>,
    /// One sensitive column.
    pub sensitive: &'a Column,
    /// How many records of the table it leaves out.
    pub missing: u64,
}

/// A published quasi-identifier.
pub struct Quasi<'a> {
    /// Its labels.
    pub column: &'a Column,
    /// What they are measured by.
    pub ruler: &'a Ruler,
    /// On which level of a hierarchy they are.
    pub depth: Depth,
}

/// On which level of a hierarchy the labels of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// All on this one.
    On(usize),
    /// All on one that is not known.
    One,
    /// Each on its own.
    Mixed,
}

/// What two releases tell together about one sensitive column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Composition {
    /// What was found.
    Found(Found),
    /// No table leads to both releases: they are not about the same people and values.
    Unrelated,
    /// There are too many pairs of groups to look at.
    TooLarge,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// How many people are in one of the releases, at least.
    pub people: u64,
    /// How many of them are certain, at least.
    pub certain: u64,
    /// What each release tells alone.
    pub alone: [Alone; 2],
    /// The fewest candidates for a value that somebody is left with, and how many people have no
    /// more, at least.
    pub fewest: (usize, u64),
    /// A belief that is reached about somebody.
    pub at_least: f64,
    /// The highest belief, estimated; `None` if the releases do not tell how many people are in
    /// each pair of groups.
    pub about: Option<f64>,
    /// How many pairs of groups have people in common, or may have.
    pub cells: usize,
    /// Whether the groups of one release are unions of the other's: then both tell what the finer
    /// one tells.
    pub is_nested: bool,
    /// Whether labels that do not say themselves what they stand for are taken to mean the same in
    /// both.
    pub takes_labels: bool,
}

/// What one release tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alone {
    /// The largest share of a value in a group.
    pub highest: f64,
    /// How many people are in groups with one value.
    pub certain: u64,
}

/// How many candidates for values all cells may have together.
const MOST_CANDIDATES: usize = 30_000_000;

/// What two releases of one table tell together.
///
/// ```
/// use sfumato::attack::together::{Composition, Published, together};
/// use sfumato::candidate::Groups;
/// use sfumato::data::Column;
///
/// // The same four people, in groups of two with two values each, and then in other groups.
/// let values = Column::from_values("disease", ["flu", "cold", "gout", "ulcer"]);
/// let (first, second) = (Groups::by_ids(&[0, 0, 1, 1], 2), Groups::by_ids(&[0, 1, 0, 1], 2));
/// let seen = |groups| Published { groups, quasi: vec![], sensitive: &values, missing: 0 };
/// let Composition::Found(found) = together(&seen(&first), &seen(&second)) else { panic!("they are of one table") };
/// assert_eq!((found.certain, found.alone[0].certain), (4, 0));
/// ```
pub fn together(first: &Published<'_>, second: &Published<'_>) -> Composition {
    match find([first, second]) {
        Ok(found) => Composition::Found(found),
        Err(Failure::Contradiction) => Composition::Unrelated,
        Err(Failure::TooLarge) => Composition::TooLarge,
    }
}

fn find(releases: [&Published<'_>; 2]) -> Result<Found, Failure> {
    let histograms = histograms(releases);
    let mut worlds = Worlds::new(cells(releases)?, &histograms, releases)?;
    worlds.settle()?;
    let is_complete = releases.iter().all(|release| release.missing == 0);
    let by_candidates = worlds.candidates();
    let certain = worlds.people_with(&by_candidates, 1);
    let of_groups = histograms.iter().flat_map(|own| own.starts.windows(2).map(|ends| (ends[1] - ends[0]) as usize));
    let different: BTreeSet<usize> =
        by_candidates.iter().copied().chain(of_groups).filter(|&count| count > 0).collect();
    let counted = different.iter().map(|&count| (count, worlds.people_with(&by_candidates, count)));
    let fewest = counted.into_iter().find(|(_, people)| *people > 0).unwrap_or((0, 0));
    let at_least = if fewest.0 == 0 { 0.0 } else { worlds.reached().max(1.0 / fewest.0 as f64) };
    let about = if is_complete && worlds.are_counted() { worlds.estimate() } else { None };
    Ok(Found {
        people: releases.map(|release| release.sensitive.codes().len() as u64).into_iter().max().unwrap_or(0),
        certain,
        alone: [0, 1].map(|at| histograms[at].alone()),
        fewest,
        at_least,
        about: about.map(|about| about.max(at_least)),
        cells: worlds.cells.iter().filter(|cell| cell.most > 0).count(),
        takes_labels: takes_labels(releases),
        is_nested: is_complete && worlds.is_nested([releases[0].groups.len(), releases[1].groups.len()]),
    })
}

/// Whether labels of some quasi-identifier are taken to mean the same in both releases.
fn takes_labels([first, second]: [&Published<'_>; 2]) -> bool {
    let is_taken = |quasi: &Quasi<'_>| {
        let other = second.quasi.iter().find(|other| other.column.name() == quasi.column.name());
        other.is_some_and(|other| labels::are_taken_for_same(quasi, other))
    };
    first.quasi.iter().any(is_taken)
}

/// The values of groups with their counts, group after group.
struct Histograms {
    /// Where each group starts, and the end.
    starts: Vec<u32>,
    /// Values, ascending in each group, and how many people of the group have them.
    values: Vec<(u32, i64)>,
}

impl Histograms {
    fn group(&self, group: usize) -> std::ops::Range<usize> {
        self.starts[group] as usize..self.starts[group + 1] as usize
    }

    fn sizes(&self) -> Vec<i64> {
        let size = |group| self.values[self.group(group)].iter().map(|value| value.1).sum();
        (0..self.starts.len() - 1).map(size).collect()
    }

    fn alone(&self) -> Alone {
        let mut alone = Alone { highest: 0.0, certain: 0 };
        for (group, size) in self.sizes().into_iter().enumerate() {
            let most = self.values[self.group(group)].iter().map(|value| value.1).max().unwrap_or(0);
            alone.highest = alone.highest.max(most as f64 / size.max(1) as f64);
            alone.certain += if most == size { size as u64 } else { 0 };
        }
        alone
    }
}

/// The histograms of both releases, with the same number for the same value.
fn histograms(releases: [&Published<'_>; 2]) -> [Histograms; 2] {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    releases.map(|release| {
        let labels = release.sensitive.domain().labels();
        let number_of: Vec<u32> = labels
            .iter()
            .map(|label| {
                let next = numbers.len() as u32;
                *numbers.entry(canonical_text(label).into_owned()).or_insert(next)
            })
            .collect();
        let mut found = Histograms { starts: vec![0], values: Vec::new() };
        for group in 0..release.groups.len() {
            let rows = release.groups.rows(group).iter();
            let mut own: Vec<u32> =
                rows.map(|&row| number_of[release.sensitive.codes()[row as usize] as usize]).collect();
            own.sort_unstable();
            found.values.extend(own.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as i64)));
            found.starts.push(found.values.len() as u32);
        }
        found
    })
}

/// How many people of each group the other release leaves out at most: those who need not be in any
/// of its cells.
fn left_out(cells: &[Cell], histograms: &Histograms, release: usize, missing: u64) -> Vec<i64> {
    let mut left_out = histograms.sizes();
    cells.iter().for_each(|cell| left_out[cell.groups[release] as usize] -= cell.least);
    left_out.into_iter().map(|people| people.min(i64::try_from(missing).unwrap_or(i64::MAX))).collect()
}

/// All tables that lead to both releases: how many people of each cell have each value.
struct Worlds {
    cells: Vec<Cell>,
    /// How many people of a cell have a value: one entry for each cell and each value that both its
    /// groups have.
    entries: Bounds,
    /// The cell of each entry.
    cell_of: Vec<u32>,
    /// Every value of a group, in each release: its people are in some cell, or left out by the
    /// other.
    values: [Sums; 2],
    /// Every group, in each release.
    groups: [Sums; 2],
    /// Where the values of each group start, in each release, and the end.
    starts: [Vec<u32>; 2],
    /// How many people each release leaves out.
    missing: [u64; 2],
}

impl Worlds {
    fn new(cells: Vec<Cell>, histograms: &[Histograms; 2], releases: [&Published<'_>; 2]) -> Result<Worlds, Failure> {
        let missing = releases.map(|release| release.missing);
        let (mut most, mut cell_of, mut places) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
        for (at, cell) in (0u32..).zip(&cells) {
            for [first, second] in common(histograms, cell.groups) {
                most.push(cell.most.min(histograms[0].values[first].1).min(histograms[1].values[second].1));
                cell_of.push(at);
                places[0].push(first as u32);
                places[1].push(second as u32);
            }
            if most.len() > MOST_CANDIDATES {
                return Err(Failure::TooLarge);
            }
        }
        let left_out = [0, 1].map(|release| left_out(&cells, &histograms[release], release, missing[1 - release]));
        let totals = |of: Vec<u32>, totals: Vec<i64>, left_out: &[i64]| Sums {
            of,
            least: totals.iter().zip(left_out).map(|(total, left_out)| (total - left_out).max(0)).collect(),
            most: totals,
        };
        let [first, second] = places;
        let counts = |release: usize| histograms[release].values.iter().map(|value| value.1).collect();
        let of_values = |release: usize| -> Vec<i64> {
            let own = &histograms[release];
            let groups = left_out[release].iter().enumerate();
            groups.flat_map(|(group, &left_out)| std::iter::repeat_n(left_out, own.group(group).len())).collect()
        };
        let group_of = |release: usize| cells.iter().map(|cell| cell.groups[release]).collect();
        Ok(Worlds {
            entries: Bounds::up_to(most),
            cell_of,
            values: [totals(first, counts(0), &of_values(0)), totals(second, counts(1), &of_values(1))],
            groups: [0, 1].map(|at| totals(group_of(at), histograms[at].sizes(), &left_out[at])),
            cells,
            starts: [0, 1].map(|at: usize| histograms[at].starts.clone()),
            missing,
        })
    }

    /// Lets bounds on cells and on values in cells tighten each other.
    fn settle(&mut self) -> Result<(), Failure> {
        for _ in 0..ROUNDS {
            let of_cells = self.sums_of_cells();
            self.entries.settle(&[&self.values[0], &self.values[1], &of_cells], ROUNDS)?;
            let [least, most] = self.entries.totals(&of_cells);
            let sizes = self.cells.iter().map(|cell| (cell.least, cell.most));
            let tighter = sizes
                .zip(least.into_iter().zip(most))
                .map(|(own, by_values)| (own.0.max(by_values.0), own.1.min(by_values.1)));
            let (least, most) = tighter.unzip();
            let mut sizes = Bounds { least, most };
            sizes.settle(&[&self.groups[0], &self.groups[1]], ROUNDS)?;
            let mut changed = false;
            for (at, cell) in self.cells.iter_mut().enumerate() {
                let new = (sizes.least[at], sizes.most[at]);
                changed |= new != (cell.least, cell.most);
                (cell.least, cell.most) = new;
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    fn sums_of_cells(&self) -> Sums {
        Sums {
            of: self.cell_of.clone(),
            least: self.cells.iter().map(|cell| cell.least).collect(),
            most: self.cells.iter().map(|cell| cell.most).collect(),
        }
    }

    /// How many values somebody in each cell can have; none where nobody can be.
    fn candidates(&self) -> Vec<usize> {
        let mut candidates = vec![0; self.cells.len()];
        for (&cell, &most) in self.cell_of.iter().zip(&self.entries.most) {
            candidates[cell as usize] += usize::from(most > 0);
        }
        candidates
    }

    /// How many people at least have no more than so many candidates: those that must be in such
    /// cells by the bounds, or for whom other cells have no room, or whose own group has no more
    /// values.
    fn people_with(&self, candidates: &[usize], few: usize) -> u64 {
        let is_few = |cell: usize| candidates[cell] <= few;
        let bound: i64 = self.cells.iter().enumerate().filter(|(at, _)| is_few(*at)).map(|(_, cell)| cell.least).sum();
        let of_releases = [0, 1].map(|release| {
            let mut left = self.values[release].most.clone();
            for (at, &place) in self.values[release].of.iter().enumerate() {
                if !is_few(self.cell_of[at] as usize) {
                    left[place as usize] -= self.entries.most[at];
                }
            }
            let (mut sure, mut squeezed) = (0, 0);
            for group in self.starts[release].windows(2).map(|ends| ends[0] as usize..ends[1] as usize) {
                match group.len() <= few {
                    true => sure += self.values[release].most[group].iter().sum::<i64>(),
                    false => squeezed += left[group].iter().map(|people| (*people).max(0)).sum::<i64>(),
                }
            }
            // Those for whom there is no room in other cells may be the ones that the other release
            // leaves out.
            sure + (squeezed - self.missing[1 - release] as i64).max(0)
        });
        bound.max(of_releases[0]).max(of_releases[1]) as u64
    }

    /// The largest share of a cell that has a value in every world, where somebody is in the cell.
    fn reached(&self) -> f64 {
        let share = |(at, &cell): (usize, &u32)| {
            let cell = &self.cells[cell as usize];
            if cell.least > 0 { self.entries.least[at] as f64 / cell.most as f64 } else { 0.0 }
        };
        self.cell_of.iter().enumerate().map(share).fold(0.0, f64::max)
    }

    /// Whether it is known how many people are in each cell.
    fn are_counted(&self) -> bool {
        self.cells.iter().all(|cell| cell.least == cell.most)
    }

    fn estimate(&self) -> Option<f64> {
        let possible: Vec<bool> = self.entries.most.iter().map(|&most| most > 0).collect();
        rake::highest_share(&possible, [&self.values[0], &self.values[1], &self.sums_of_cells()])
    }

    /// Whether every group of one release lies in one group of the other.
    fn is_nested(&self, groups: [usize; 2]) -> bool {
        [0, 1].into_iter().any(|release| {
            let mut cells = vec![0; groups[release]];
            let taken = self.cells.iter().filter(|cell| cell.most > 0);
            taken.for_each(|cell| cells[cell.groups[release] as usize] += 1);
            cells.iter().all(|&count| count == 1)
        })
    }
}

/// The places of values that both groups of a cell have.
fn common(histograms: &[Histograms; 2], groups: [u32; 2]) -> Vec<[usize; 2]> {
    let [first, second] = [0, 1].map(|at| histograms[at].group(groups[at] as usize));
    let others = &histograms[1].values[second.clone()];
    let place = |at: usize| {
        let value = histograms[0].values[at].0;
        others.binary_search_by_key(&value, |other| other.0).ok().map(|found| [at, second.start + found])
    };
    first.filter_map(place).collect()
}
