//! Counting all worlds, where there are few that differ in what trials tell apart.
//!
//! Of an urn it matters how many records of each *side* have which values, a side being the records
//! that shared trials do not tell apart. Its worlds are counted by themselves, those left out in
//! which one of its own trials passes; then the sides of all urns are put together.

use super::trial::Work;
use super::{Cells, Sums, Trial, Trials, Urns};
use std::collections::BTreeMap;

/// How many steps are taken for each of the budget.
const STEPS: u64 = 5;

/// Of larger cells it is not said beforehand in how many ways they can be filled.
const LARGEST_LOOKED_AT: usize = 500;

/// The most worlds, as a power of two, that are counted exactly.
const MOST_BITS: f64 = 110.0;

/// Counts all possible worlds; nothing if that takes more steps than the budget allows, or none is
/// possible.
pub(super) fn count(urns: &Urns<'_>, trials: &Trials<'_>, cells: &Cells, budget: u64) -> Option<Sums> {
    let steps = budget.saturating_mul(STEPS);
    let described: Vec<Described> = cells.urns.iter().map(|&urn| Described::new(urns, cells, urn)).collect();
    let least: f64 = described.iter().map(Described::least_fillings).sum();
    if least > steps as f64 || described.iter().map(|one| one.bits).sum::<f64>() > MOST_BITS {
        return None;
    }
    let mut held: Vec<Held> = Vec::with_capacity(cells.urns.len());
    let (mut together, mut left) = (1u64, steps);
    for one in described {
        let one = Held::new(urns, trials, one, &mut left)?;
        together = together.checked_mul(one.ways.len() as u64).filter(|&together| together <= steps)?;
        held.push(one);
    }
    // Large urns last: they are put back most often.
    held.sort_by_key(|one| one.ways.len());
    let mut counting = Counting::new(urns, trials, &held);
    counting.descend(0, 1);
    (counting.total > 0).then(|| counting.sums(urns, cells))
}

/// An urn, with the different ways in which its sides can be filled.
struct Held {
    urn: usize,
    /// The places of each side.
    sides: Vec<Vec<u32>>,
    ways: Vec<Way>,
    /// The cells, with their sizes and the side of each; and a row for each kind of values.
    cells: Vec<Cell>,
    kinds: Vec<(u32, u32)>,
}

struct Cell {
    number: u32,
    size: u32,
    side: usize,
}

/// One way to fill the sides of an urn.
struct Way {
    /// For each side the rows whose values its records have.
    rows: Vec<Vec<u32>>,
    /// In how many worlds.
    weight: u128,
    /// For each cell and kind, how many records have it, over all those worlds.
    counts: Vec<u128>,
}

/// An urn before it is filled.
struct Described {
    urn: usize,
    cells: Vec<(Cell, Places)>,
    sides: Vec<Places>,
    kinds: Vec<(u32, u32)>,
    /// How many worlds there are, as a power of two.
    bits: f64,
}

impl Described {
    fn new(urns: &Urns<'_>, cells: &Cells, urn: usize) -> Described {
        let places = urns.places(urn);
        let kinds = urns.counted(urns.rows[places.clone()].to_vec());
        let bits = log_factorial(places.len() as u32) - kinds.iter().map(|kind| log_factorial(kind.1)).sum::<f64>();
        let (cells, sides) = sides(cells, places);
        Described { urn, cells, sides, kinds, bits }
    }

    /// No fewer ways to fill all cells differ than there are to fill one of them.
    fn least_fillings(&self) -> f64 {
        least_fillings(&self.cells, &self.kinds)
    }
}

impl Held {
    fn new(urns: &Urns<'_>, trials: &Trials<'_>, described: Described, steps: &mut u64) -> Option<Held> {
        let Described { urn, cells, sides, kinds, bits: _ } = described;
        let own = trials.own[urn].iter().map(|trial| (*trial, trial.order())).collect();
        let mut filling = Filling {
            places_of: cells.iter().map(|cell| cell.1.clone()).collect(),
            side_of: cells.iter().map(|cell| cell.0.side).collect(),
            sides: sides.len(),
            left: kinds.iter().map(|kind| kind.1).collect(),
            kinds: &kinds,
            filled: vec![0; cells.len() * kinds.len()],
            world: urns.rows.clone(),
            own,
            work: Work::new(urns),
            steps: *steps,
            ways: BTreeMap::new(),
        };
        filling.fill(0, 0, cells[0].0.size, 1)?;
        *steps = filling.steps;
        let ways = std::mem::take(&mut filling.ways).into_iter().map(|(counts_of_sides, (weight, counts))| {
            let of_side = |side: &[u32]| {
                kinds.iter().zip(side).flat_map(|(kind, &n)| std::iter::repeat_n(kind.0, n as usize)).collect()
            };
            Way { rows: counts_of_sides.chunks(kinds.len()).map(of_side).collect(), weight, counts }
        });
        let ways = ways.collect();
        Some(Held { urn, sides, ways, cells: cells.into_iter().map(|cell| cell.0).collect(), kinds })
    }
}

/// The most ways to fill one cell.
fn least_fillings(cells: &[(Cell, Places)], kinds: &[(u32, u32)]) -> f64 {
    let size = cells.iter().map(|cell| cell.0.size as usize).max().unwrap_or(0).min(LARGEST_LOOKED_AT);
    // For each number of records how many ways have so many of the kinds looked at.
    let mut ways = vec![0.0; size + 1];
    ways[0] = 1.0;
    for &(_, count) in kinds {
        let before = ways.clone();
        let mut sum = 0.0;
        for at in 0..=size {
            sum += before[at] - at.checked_sub(count as usize + 1).map_or(0.0, |out| before[out]);
            ways[at] = sum;
        }
    }
    let of_size = |cell: &(Cell, Places)| ways.get(cell.0.size as usize).copied().unwrap_or(0.0);
    cells.iter().map(of_size).fold(0.0, f64::max)
}

/// Ascending places.
type Places = Vec<u32>;

/// The cells of an urn with their places, and the places of each side.
fn sides(cells: &Cells, places: std::ops::Range<usize>) -> (Vec<(Cell, Places)>, Vec<Places>) {
    let mut of_cell: BTreeMap<u32, Places> = BTreeMap::new();
    places.for_each(|place| of_cell.entry(cells.of_place[place]).or_default().push(place as u32));
    let mut number_of: BTreeMap<u32, usize> = BTreeMap::new();
    let mut sides: Vec<Places> = Vec::new();
    let described = of_cell.into_iter().map(|(number, places)| {
        let side = *number_of.entry(cells.sides[places[0] as usize]).or_insert_with(|| {
            sides.push(Vec::new());
            sides.len() - 1
        });
        sides[side].extend_from_slice(&places);
        (Cell { number, size: places.len() as u32, side }, places)
    });
    let described = described.collect();
    (described, sides)
}

/// Fills the cells of an urn one after the other with all its values.
struct Filling<'f> {
    places_of: Vec<Vec<u32>>,
    side_of: Vec<usize>,
    sides: usize,
    /// How many records of each kind are left.
    left: Vec<u32>,
    kinds: &'f [(u32, u32)],
    /// By cell and kind.
    filled: Vec<u32>,
    world: Vec<u32>,
    own: Vec<(&'f Trial<'f>, Vec<u32>)>,
    work: Work<'f>,
    /// How many more steps may be taken.
    steps: u64,
    /// By what the sides hold: in how many worlds, and what cells hold in these together.
    ways: BTreeMap<Vec<u32>, (u128, Vec<u128>)>,
}

impl Filling<'_> {
    /// Fills a cell, of which so many records are open, from a kind on; so many worlds are as far as
    /// this. Nothing if there are too many steps.
    fn fill(&mut self, cell: usize, kind: usize, open: u32, weight: u128) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        if open == 0 {
            return match self.places_of.get(cell + 1).map(|places| places.len() as u32) {
                Some(next) => self.fill(cell + 1, 0, next, weight),
                None => {
                    self.note(weight);
                    Some(())
                }
            };
        }
        if kind == self.kinds.len() {
            return Some(());
        }
        // What is left of later kinds must be enough for the rest of the cell.
        let later: u32 = self.left[kind + 1..].iter().sum();
        let (most, least) = (self.left[kind].min(open), open.saturating_sub(later));
        let mut ways = choose(open, least);
        for taken in least..=most {
            self.left[kind] -= taken;
            self.filled[cell * self.kinds.len() + kind] = taken;
            self.fill(cell, kind + 1, open - taken, weight * ways)?;
            self.left[kind] += taken;
            ways = ways * u128::from(open - taken) / u128::from(taken + 1);
        }
        self.filled[cell * self.kinds.len() + kind] = 0;
        Some(())
    }

    /// Takes note of worlds, unless a trial of the urn's own passes in them.
    fn note(&mut self, weight: u128) {
        let kinds = self.kinds.len();
        if !self.own.is_empty() {
            for (places, filled) in self.places_of.iter().zip(self.filled.chunks(kinds)) {
                let rows = self.kinds.iter().zip(filled).flat_map(|(kind, &n)| std::iter::repeat_n(kind.0, n as usize));
                places.iter().zip(rows).for_each(|(&place, row)| self.world[place as usize] = row);
            }
            let (world, work) = (&self.world, &mut self.work);
            if self.own.iter_mut().any(|(trial, order)| trial.passes(world, order, work)) {
                return;
            }
        }
        let mut of_sides = vec![0; self.sides * kinds];
        for (cell, &side) in self.side_of.iter().enumerate() {
            (0..kinds).for_each(|kind| of_sides[side * kinds + kind] += self.filled[cell * kinds + kind]);
        }
        let (all, counts) = self.ways.entry(of_sides).or_insert_with(|| (0, vec![0; self.filled.len()]));
        *all += weight;
        counts.iter_mut().zip(&self.filled).for_each(|(count, &filled)| *count += weight * u128::from(filled));
    }
}

/// Puts the ways of all urns together.
struct Counting<'c> {
    held: &'c [Held],
    /// For each urn the shared trials that depend on no later one.
    decided: Vec<Vec<(&'c Trial<'c>, Vec<u32>)>>,
    world: Vec<u32>,
    work: Work<'c>,
    total: u128,
    /// For each urn and way, in how many ways the others come with it.
    beside: Vec<Vec<u128>>,
}

impl<'c> Counting<'c> {
    fn new(urns: &'c Urns<'c>, trials: &Trials<'c>, held: &'c [Held]) -> Counting<'c> {
        let mut decided: Vec<Vec<(&Trial<'_>, Vec<u32>)>> = held.iter().map(|_| Vec::new()).collect();
        for &trial in &trials.shared {
            let at = |place: u32| held.iter().position(|one| one.urn == urns.urn_of(place));
            let last = trial.open_places().filter_map(at).max();
            decided[last.unwrap_or(0)].push((trial, trial.order()));
        }
        let beside = held.iter().map(|one| vec![0; one.ways.len()]).collect();
        let (world, work) = (urns.rows.clone(), Work::new(urns));
        Counting { held, decided, world, work, total: 0, beside }
    }

    /// Goes through the ways of an urn and of all after it; returns in how many worlds of these no
    /// trial passes.
    fn descend(&mut self, at: usize, weight: u128) -> u128 {
        let Some(one) = self.held.get(at) else {
            self.total += weight;
            return 1;
        };
        let mut all = 0;
        for (number, way) in one.ways.iter().enumerate() {
            for (places, rows) in one.sides.iter().zip(&way.rows) {
                places.iter().zip(rows).for_each(|(&place, &row)| self.world[place as usize] = row);
            }
            let (world, work) = (&self.world, &mut self.work);
            if self.decided[at].iter_mut().any(|(trial, order)| trial.passes(world, order, work)) {
                continue;
            }
            let after = self.descend(at + 1, weight * way.weight);
            self.beside[at][number] += weight * after;
            all += way.weight * after;
        }
        all
    }

    fn sums(&self, urns: &Urns<'_>, cells: &Cells) -> Sums {
        let mut sums = Sums::new(urns, cells);
        sums.worlds = self.total;
        for (one, beside) in self.held.iter().zip(&self.beside) {
            for (way, &beside) in one.ways.iter().zip(beside).filter(|(_, beside)| **beside > 0) {
                for (cell, counts) in one.cells.iter().zip(way.counts.chunks(one.kinds.len())) {
                    for (kind, &count) in one.kinds.iter().zip(counts) {
                        sums.add_many(urns, cell.number, kind.0, count * beside);
                    }
                }
            }
        }
        sums
    }
}

fn choose(all: u32, some: u32) -> u128 {
    (0..u128::from(some)).fold(1, |ways, at| ways * (u128::from(all) - at) / (at + 1))
}

/// log₂ n!
fn log_factorial(n: u32) -> f64 {
    (2..=n).map(|factor| f64::from(factor).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_ways() {
        assert_eq!([choose(5, 0), choose(5, 2), choose(5, 5), choose(40, 20)], [1, 10, 1, 137_846_528_820]);
        assert!((log_factorial(5) - 120f64.log2()).abs() < 1e-9);
    }
}
