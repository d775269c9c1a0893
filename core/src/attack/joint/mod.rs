//! Worlds of several published groups together: what a method decided about all of them at once.
//!
//! A world gives the records of every published group its sensitive values in some way; all ways
//! are equally likely. A *trial* is something that the method would have preferred to what it
//! published: other groups, which it would have taken if they had been safe. A world is possible if
//! no trial passes in it. Beliefs are shares of possible worlds.
//!
//! # Claim
//! Let P be the share of worlds that are possible. For every person and value, the worlds in which
//! the person has the value are at most all, and at least those that are not lost with the
//! impossible ones: `(share − (1 − P))/P ≤ belief ≤ share/P`. So a lower limit of P bounds what is
//! believed about everybody at once. If P = 1, knowing the method tells nothing.

mod all;
mod draw;
mod trial;

use trial::Known;
pub(super) use trial::{Preferred, Trial};

use super::worlds::{Effort, Estimate};
use crate::anonymize::Safety;
use crate::candidate::{Coded, Groups, dense_ids};
use crate::data::{Column, Role, Schema, Table};
use crate::error::Result;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::sync::Arc;

/// Published groups as urns: all that is known of who has which value in them.
///
/// Records have *places*, urn after urn, and within an urn in the order of their quasi-identifiers
/// and values: so that what is drawn at random does not depend on the order of rows.
pub(super) struct Urns<'a> {
    safety: &'a Safety<'a>,
    /// The sensitive columns.
    columns: Vec<&'a Column>,
    /// For each place the row that it is.
    rows: Vec<u32>,
    /// Where each urn starts, and after the last one.
    starts: Vec<u32>,
    urn_of: Vec<u32>,
    /// For each row which combination of sensitive values it has.
    atoms: Arc<Vec<u32>>,
    known: Known<'a>,
}

impl<'a> Urns<'a> {
    /// Of groups that all rows are in, by their numbers.
    pub fn new(table: &'a Table, schema: &Schema, safety: &'a Safety<'a>, groups: &[u32]) -> Result<Urns<'a>> {
        let columns = schema.select(table, Role::Sensitive)?;
        let coded = |columns: &[&'a Column]| -> Vec<Coded<'a>> {
            columns.iter().map(|column| (column.codes(), column.domain().len())).collect()
        };
        let (atoms, _) = dense_ids(&coded(&columns), table.rows());
        let mut all = coded(&schema.select(table, Role::Quasi)?);
        all.extend(coded(&columns));
        let (alike, _) = dense_ids(&all, table.rows());
        let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
        rows.sort_by_key(|&row| (groups[row as usize], alike[row as usize]));
        let urn_of: Vec<u32> = rows.iter().map(|&row| groups[row as usize]).collect();
        let mut starts = vec![0];
        starts.extend((1..rows.len()).filter(|&at| urn_of[at] != urn_of[at - 1]).map(|at| at as u32));
        starts.push(rows.len() as u32);
        let held = starts.windows(2).map(|ends: &[u32]| &rows[ends[0] as usize..ends[1] as usize]);
        let known = Known::new(safety, held);
        Ok(Urns { safety, columns, rows, starts, urn_of, atoms: Arc::new(atoms), known })
    }

    /// Some of the urns by themselves, their places numbered anew.
    pub fn part(&self, urns: &[usize]) -> Urns<'a> {
        let rows: Vec<u32> = urns.iter().flat_map(|&urn| self.rows[self.places(urn)].iter().copied()).collect();
        let mut starts = vec![0];
        let mut urn_of = Vec::with_capacity(rows.len());
        for (number, &urn) in (0u32..).zip(urns) {
            urn_of.extend(std::iter::repeat_n(number, self.places(urn).len()));
            starts.push(urn_of.len() as u32);
        }
        let held = starts.windows(2).map(|ends: &[u32]| &rows[ends[0] as usize..ends[1] as usize]);
        let known = Known::new(self.safety, held);
        let (columns, atoms) = (self.columns.clone(), self.atoms.clone());
        Urns { safety: self.safety, columns, rows, starts, urn_of, atoms, known }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The places of an urn.
    fn places(&self, urn: usize) -> std::ops::Range<usize> {
        self.starts[urn] as usize..self.starts[urn + 1] as usize
    }

    fn size(&self, urn: usize) -> u64 {
        self.places(urn).len() as u64
    }

    /// The row that is at a place.
    pub fn row(&self, place: u32) -> u32 {
        self.rows[place as usize]
    }

    /// The urn that a place is in.
    pub fn urn_of(&self, place: u32) -> usize {
        self.urn_of[place as usize] as usize
    }

    /// The rows of all places.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Rows with how many records have the values of each.
    fn counted(&self, rows: Vec<u32>) -> Vec<(u32, u32)> {
        let mut atoms: Vec<(u32, u32)> = rows.into_iter().map(|row| (self.atoms[row as usize], row)).collect();
        atoms.sort_unstable();
        atoms.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].1, same.len() as u32)).collect()
    }

    /// What is believed, once it is known that no trial passed; those of one urn's own are tried
    /// before the urns come together. More worlds are drawn until what is told is enough, or the
    /// steps are spent.
    pub fn outlook(
        &self,
        own: &[Vec<Trial<'_>>],
        shared: &[Trial<'_>],
        effort: &Effort,
        is_enough: &dyn Fn(&Told) -> bool,
    ) -> Outlook {
        let may_pass = |trials: &'_ [Trial<'_>]| trials.iter().any(Trial::may_pass);
        if !may_pass(shared) && !own.iter().any(|own| may_pass(own)) {
            return Outlook::Immune;
        }
        let trials = Trials::new(self, own, shared);
        if trials.pass_in_truth(self) {
            // What was published is not what the method would have published: nothing is claimed.
            return Outlook::Unknown;
        }
        let cells = Cells::new(self, &trials);
        if let Some(counted) = all::count(self, &trials, &cells, effort.budget) {
            return Outlook::Told(Box::new(Told { cells: Arc::new(cells), how: How::Counted(counted) }));
        }
        let cells = Arc::new(cells);
        let mut drawing = draw::Drawing::new(self, &trials, &cells, effort);
        let Some(drawn) = drawing.first() else { return Outlook::Unknown };
        let mut told = Told { cells: cells.clone(), how: How::Drawn(drawn) };
        while !is_enough(&told) {
            let How::Drawn(drawn) = &mut told.how else { break };
            if !drawing.more(drawn) {
                break;
            }
        }
        Outlook::Told(Box::new(told))
    }
}

/// The trials that may pass.
struct Trials<'t> {
    /// Of each urn by itself.
    own: Vec<Vec<&'t Trial<'t>>>,
    shared: Vec<&'t Trial<'t>>,
}

impl<'t> Trials<'t> {
    fn new(urns: &Urns<'_>, own: &'t [Vec<Trial<'t>>], shared: &'t [Trial<'t>]) -> Trials<'t> {
        let may_pass = |trials: &'t [Trial<'t>]| trials.iter().filter(|trial| trial.may_pass()).collect::<Vec<_>>();
        let own = (0..urns.len()).map(|urn| own.get(urn).map_or(Vec::new(), |own| may_pass(own))).collect();
        Trials { own, shared: may_pass(shared) }
    }

    fn all(&self) -> impl Iterator<Item = &'t Trial<'t>> {
        self.own.iter().flatten().chain(&self.shared).copied()
    }

    /// Whether a trial passes as things are: then the release is not what the method makes.
    fn pass_in_truth(&self, urns: &Urns<'_>) -> bool {
        let mut work = trial::Work::new(urns);
        self.all().any(|trial| trial.passes(&urns.rows, &mut trial.order(), &mut work))
    }
}

/// What knowing the method tells.
pub(super) enum Outlook {
    /// Nothing, of anybody: every world is possible.
    Immune,
    /// This.
    Told(Box<Told>),
    /// It is not known.
    Unknown,
}

/// Records of one urn that no trial tells apart: what is believed about them is the same.
struct Cells {
    /// Rows, ascending, with the cell of each.
    of_row: Vec<(u32, u32)>,
    /// By place.
    of_place: Vec<u32>,
    /// By place, the records of an urn that no shared trial tells apart.
    sides: Vec<u32>,
    sizes: Vec<u32>,
    /// Whether a trial depends on who has which value in the urn of each cell.
    touched: Vec<bool>,
    /// The urns that trials depend on.
    urns: Vec<usize>,
}

impl Cells {
    fn new(urns: &Urns<'_>, trials: &Trials<'_>) -> Cells {
        let parts: Vec<(Vec<u32>, usize)> = trials.all().map(|trial| trial.part_of(urns.rows.len())).collect();
        let mut coded: Vec<Coded<'_>> = vec![(&urns.urn_of, urns.len())];
        coded.extend(parts.iter().map(|(part_of, parts)| (part_of.as_slice(), *parts)));
        let (of_place, count) = dense_ids(&coded, urns.rows.len());
        let own = parts.len() - trials.shared.len();
        coded.drain(1..=own);
        let (sides, _) = dense_ids(&coded, urns.rows.len());
        let mut is_touched = vec![false; urns.len()];
        let places = trials.all().flat_map(|trial| trial.open_places());
        places.for_each(|place| is_touched[urns.urn_of[place as usize] as usize] = true);
        let mut of_row: Vec<(u32, u32)> = urns.rows.iter().copied().zip(of_place.iter().copied()).collect();
        of_row.sort_unstable();
        let (mut sizes, mut touched) = (vec![0; count], vec![false; count]);
        for (&cell, &urn) in of_place.iter().zip(&urns.urn_of) {
            sizes[cell as usize] += 1;
            touched[cell as usize] = is_touched[urn as usize];
        }
        let urns = (0..urns.len()).filter(|&urn| is_touched[urn]).collect();
        Cells { of_row, of_place, sides, sizes, touched, urns }
    }
}

/// How often each value was in each cell, over some possible worlds.
struct Sums {
    /// How many worlds.
    worlds: u128,
    /// For each sensitive column by cell and code.
    counts: Vec<Vec<u128>>,
}

impl Sums {
    fn new(urns: &Urns<'_>, cells: &Cells) -> Sums {
        let counts = urns.columns.iter().map(|column| vec![0; cells.sizes.len() * column.domain().len()]);
        Sums { worlds: 0, counts: counts.collect() }
    }

    /// Adds so many records of a cell, over several worlds, that have the values of a row.
    fn add_many(&mut self, urns: &Urns<'_>, cell: u32, row: u32, count: u128) {
        for (column, counts) in urns.columns.iter().zip(&mut self.counts) {
            let code = column.codes()[row as usize];
            counts[cell as usize * column.domain().len() + code as usize] += count;
        }
    }

    fn merge(mut self, other: Sums) -> Sums {
        self.worlds += other.worlds;
        for (own, other) in self.counts.iter_mut().zip(&other.counts) {
            own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
        }
        self
    }

    fn of(&self, values: usize, column: usize, cell: u32, code: u32) -> u128 {
        self.counts[column][cell as usize * values + code as usize]
    }
}

/// What is believed about each cell.
pub(super) struct Told {
    cells: Arc<Cells>,
    how: How,
}

enum How {
    /// All possible worlds were counted.
    Counted(Sums),
    Drawn(draw::Drawn),
}

/// A value of a sensitive column.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    /// Which sensitive column, and how many values it has.
    pub column: usize,
    pub values: usize,
    pub code: u32,
    /// What was believed before trials of several urns were looked at: the share of the urn, where
    /// urns have no trials of their own.
    pub before: Estimate,
}

impl Told {
    /// The cell of a row.
    pub fn cell_of(&self, row: u32) -> u32 {
        let at = self.cells.of_row.binary_search_by_key(&row, |entry| entry.0).expect("it is in an urn");
        self.cells.of_row[at].1
    }

    /// Whether anything is learnt about the records of a cell.
    pub fn is_touched(&self, cell: u32) -> bool {
        self.cells.touched[cell as usize]
    }

    /// How many possible worlds were drawn, if not all were counted.
    pub fn accepted(&self) -> Option<u64> {
        match &self.how {
            How::Counted(_) => None,
            How::Drawn(drawn) => Some(drawn.accepted),
        }
    }

    /// What follows from the bound for everybody for a belief that was something before trials of
    /// several urns were looked at.
    pub fn bounded(&self, before: Estimate) -> Option<Estimate> {
        match &self.how {
            How::Counted(_) => None,
            How::Drawn(drawn) => Some(drawn.bounded(before)),
        }
    }

    /// The belief that a record of a cell has a value.
    pub fn belief(&self, cell: u32, asked: Asked) -> Estimate {
        let size = u128::from(self.cells.sizes[cell as usize]);
        match &self.how {
            How::Counted(sums) => {
                let belief = sums.of(asked.values, asked.column, cell, asked.code) as f64 / (sums.worlds * size) as f64;
                Estimate { low: belief, high: belief }
            }
            How::Drawn(drawn) => drawn.belief(cell, size, asked),
        }
    }

    /// The same exactly, if it was counted.
    pub fn exactly(&self, cell: u32, asked: Asked) -> Option<RBig> {
        let How::Counted(sums) = &self.how else { return None };
        let count = sums.of(asked.values, asked.column, cell, asked.code);
        let all = sums.worlds * u128::from(self.cells.sizes[cell as usize]);
        Some(RBig::from_parts(IBig::from(count), UBig::from(all)))
    }
}

/// The parts of groups on some levels, by the places of their records.
pub(super) fn by_codes(urns: &Urns<'_>, columns: &[(Vec<u32>, usize)]) -> Groups {
    let coded: Vec<Coded<'_>> = columns.iter().map(|(codes, domain)| (codes.as_slice(), *domain)).collect();
    let (ids, count) = dense_ids(&coded, urns.rows.len());
    Groups::by_ids(&ids, count)
}
