//! How the values of a quasi-identifier lie on an axis, how far records are apart on it, and where
//! a group of them is cut.
//!
//! An axis depends on the values that records have and on what the plan says about the column,
//! never on sensitive values, on values that no record has, or on the order of records.

use super::Along;
use crate::data::{Column, Role, Schema, Table, ValueType, parse_time, parse_timestamp};
use crate::error::{Error, Result};
use crate::kind::Raw;
use jiff::civil::{Date, DateTime};

/// What puts the values of a column in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// Numbers and dates by value; the distance is the difference.
    Value,
    /// The order that the plan lists; the distance is the number of steps.
    Order,
    /// Values under one label of the hierarchy stand together; the distance is the number of other
    /// values.
    Hierarchy,
    /// The most frequent value first; the distance is the number of other values.
    Frequency,
}

impl Basis {
    const ALL: [Basis; 4] = [Basis::Value, Basis::Order, Basis::Hierarchy, Basis::Frequency];

    /// The word in plans and certificates.
    pub(super) fn name(self) -> &'static str {
        match self {
            Basis::Value => "value",
            Basis::Order => "order",
            Basis::Hierarchy => "hierarchy",
            Basis::Frequency => "frequency",
        }
    }

    /// The one with a name; the error offers the nearest.
    pub(super) fn find(name: &str) -> Result<Basis> {
        Basis::ALL
            .into_iter()
            .find(|basis| basis.name() == name)
            .ok_or_else(|| Error::unknown(format!("there is no axis by \"{name}\""), name, Basis::ALL.map(Basis::name)))
    }

    /// The best that is known of a column.
    pub(super) fn of(column: &Column, schema: &Schema) -> Basis {
        let possible = |basis: &Basis| basis.is_possible(column, schema);
        [Basis::Order, Basis::Value, Basis::Hierarchy].into_iter().find(possible).unwrap_or(Basis::Frequency)
    }

    /// Whether enough is known of a column.
    pub(super) fn is_possible(self, column: &Column, schema: &Schema) -> bool {
        let spec = schema.find(column.name());
        match self {
            Basis::Value => column.domain().value_type().is_ordered(),
            Basis::Order => spec.is_some_and(|spec| !spec.order.is_empty()),
            Basis::Hierarchy => spec.is_some_and(|spec| spec.rule.is_some()),
            Basis::Frequency => true,
        }
    }
}

/// By what the values of each quasi-identifier are ordered: as written, one word for each, or by
/// the best that is known.
pub(super) fn bases<'t>(axes: &[String], table: &'t Table, schema: &Schema) -> Result<Vec<(&'t Column, Basis)>> {
    let quasi = schema.select(table, Role::Quasi)?;
    if axes.is_empty() {
        return Ok(quasi.into_iter().map(|column| (column, Basis::of(column, schema))).collect());
    }
    if axes.len() != quasi.len() {
        let message = format!("\"axes\" has {} words for {} quasi-identifiers", axes.len(), quasi.len());
        return Err(Error::plan(message).help("write one for each, or none at all"));
    }
    quasi.into_iter().zip(axes).map(|(column, name)| Ok((column, Basis::find(name)?))).collect()
}

/// The same, if enough is known of every column.
pub(super) fn possible_bases<'t>(
    axes: &[String],
    table: &'t Table,
    schema: &Schema,
) -> Result<Vec<(&'t Column, Basis)>> {
    let bases = bases(axes, table, schema)?;
    match bases.iter().find(|(column, basis)| !basis.is_possible(column, schema)) {
        None => Ok(bases),
        Some((column, basis)) => {
            let message = format!("column \"{}\" has no axis by {}", column.name(), basis.name());
            Err(Error::plan(message).help("leave out `axes`, or say more about the column"))
        }
    }
}

/// What values of a column are compared by, given what is written for all quasi-identifiers.
pub(super) fn along(axes: &[String], at: usize, column: &Column, schema: &Schema) -> Result<Along> {
    let basis = match axes.get(at) {
        Some(name) => Basis::find(name)?,
        None => Basis::of(column, schema),
    };
    Ok(match basis {
        Basis::Value | Basis::Order => Along::Order,
        Basis::Hierarchy => Along::Hierarchy,
        Basis::Frequency => Along::Frequency,
    })
}

/// Bases as they would be written in a plan.
pub(super) fn written(bases: &[(&Column, Basis)]) -> Raw {
    Raw::List(bases.iter().map(|(_, basis)| Raw::from(basis.name())).collect())
}

/// The values of a column in a row.
#[derive(Debug)]
pub(super) struct Axis {
    /// The place of every code. Values that no record has are nowhere.
    place_of_code: Vec<u32>,
    /// How many records are at each place.
    counts: Vec<u32>,
    /// Where each place is; where nothing is said, distances are counted in values.
    positions: Option<Vec<f64>>,
    /// How far the first and the last place are apart.
    whole: f64,
    /// How much the column counts beside others.
    weight: f64,
}

/// The place of values that no record has.
const NOWHERE: u32 = u32::MAX;

impl Axis {
    /// The axis of a column.
    pub(super) fn new(column: &Column, schema: &Schema, basis: Basis) -> Result<Axis> {
        let counts = column.counts();
        let mut codes: Vec<u32> = (0..counts.len() as u32).filter(|&code| counts[code as usize] > 0).collect();
        match basis {
            Basis::Value | Basis::Order => (),
            Basis::Hierarchy => put_siblings_together(&mut codes, column, schema)?,
            Basis::Frequency => codes.sort_by_key(|&code| std::cmp::Reverse(counts[code as usize])),
        }
        let mut place_of_code = vec![NOWHERE; counts.len()];
        (0u32..).zip(&codes).for_each(|(place, &code)| place_of_code[code as usize] = place);
        let positions = match basis {
            Basis::Value => numbers(column, &codes),
            Basis::Order => Some((0..codes.len()).map(|place| place as f64).collect()),
            Basis::Hierarchy | Basis::Frequency => None,
        };
        let whole = match &positions {
            Some(positions) => positions.last().zip(positions.first()).map_or(0.0, |(last, first)| last - first),
            None => codes.len().saturating_sub(1) as f64,
        };
        let counts = codes.iter().map(|&code| counts[code as usize] as u32).collect();
        let weight = schema.weight_of(column.name());
        Ok(Axis { place_of_code, counts, positions, whole, weight })
    }

    /// So many places, each one step from the next; codes are places. How many records are at each
    /// is not known.
    pub(super) fn of_steps(places: usize) -> Axis {
        let place_of_code: Vec<u32> = (0..places as u32).collect();
        let positions = place_of_code.iter().map(|&place| f64::from(place)).collect();
        let whole = places.saturating_sub(1) as f64;
        Axis { place_of_code, counts: vec![0; places], positions: Some(positions), whole, weight: 1.0 }
    }

    /// How far two places are apart, as a share of the whole axis, times the column's weight.
    pub(super) fn width(&self, low: u32, high: u32) -> f64 {
        let distance = match &self.positions {
            Some(positions) => positions[high as usize] - positions[low as usize],
            None => f64::from(high - low),
        };
        if self.whole > 0.0 { self.weight * distance / self.whole } else { 0.0 }
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        self.counts.len()
    }

    /// The place of a code.
    #[inline]
    pub(super) fn place(&self, code: u32) -> u32 {
        self.place_of_code[code as usize]
    }

    /// How many records of the table are at each place.
    pub(super) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Where records are cut of which so many are at each place; places ascend. Nothing if all are
    /// at one.
    #[inline]
    pub(super) fn cut(&self, entries: &[(u32, u32)], size: u32, even: bool) -> Option<Cut> {
        let find = if even { Stretch::halved } else { Stretch::divided };
        find(&Stretch { axis: self, entries, size })
    }
}

/// Values with a common ancestor side by side, on every level; among siblings the one whose first
/// value comes first.
fn put_siblings_together(codes: &mut [u32], column: &Column, schema: &Schema) -> Result<()> {
    let hierarchy = schema.hierarchy(column)?;
    // The first value that records have under each label stands for the label: numbers of labels
    // may depend on values that none has.
    let first_of = |level: usize| {
        let mut first = vec![NOWHERE; hierarchy.labels(level).len()];
        for &code in codes.iter() {
            let label = hierarchy.codes(level)[code as usize] as usize;
            first[label] = first[label].min(code);
        }
        first
    };
    let first: Vec<Vec<u32>> = (0..=hierarchy.height()).map(first_of).collect();
    let ancestors = |code: &u32| -> Vec<u32> {
        let levels = (0..=hierarchy.height()).rev();
        levels.map(|level| first[level][hierarchy.codes(level)[*code as usize] as usize]).collect()
    };
    codes.sort_by_cached_key(ancestors);
    Ok(())
}

/// Where numbers and dates are; a missing value lies beyond the last, as far as that is from the
/// first. Nothing where they are too close or too far apart to tell.
pub(super) fn numbers(column: &Column, codes: &[u32]) -> Option<Vec<f64>> {
    let domain = column.domain();
    let number = |code: u32| match domain.value_type() {
        ValueType::Date | ValueType::Timestamp => parse_timestamp(domain.label(code)).map(day),
        ValueType::Time => parse_time(domain.label(code)).map(|time| day(Date::constant(1970, 1, 1).to_datetime(time))),
        _ => domain.label(code).parse().ok(),
    };
    let known = codes.iter().filter(|&&code| domain.missing() != Some(code));
    let mut positions = known.map(|&code| number(code)).collect::<Option<Vec<f64>>>()?;
    let (first, last) = (*positions.first()?, *positions.last()?);
    if positions.len() < codes.len() {
        positions.push(last + (last - first).max(1.0));
    }
    let whole = positions.last()? - first;
    (whole > 0.0 && whole.is_finite()).then_some(positions)
}

/// Days since an epoch, with the time of day as a fraction.
fn day(moment: DateTime) -> f64 {
    moment.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_secs_f64() / 86_400.0
}

/// Where records are divided: those before `place` go left, and of those at it the first `taken`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    /// The place.
    pub(super) place: u32,
    /// How many records at that place go left.
    pub(super) taken: u32,
    /// How many records go left in all.
    pub(super) left: u32,
    /// What is won, to compare cuts of the same records along different axes.
    pub(super) merit: f64,
}

/// Records along an axis.
struct Stretch<'a> {
    axis: &'a Axis,
    entries: &'a [(u32, u32)],
    size: u32,
}

impl Stretch<'_> {
    /// The cut between two values that wins most.
    #[inline]
    fn divided(&self) -> Option<Cut> {
        match &self.axis.positions {
            Some(positions) => self.divided_at(|at| positions[self.entries[at].0 as usize]),
            None => self.divided_at(|at| at as f64),
        }
    }

    /// The cut in equal halves.
    #[inline]
    fn halved(&self) -> Option<Cut> {
        match &self.axis.positions {
            Some(positions) => self.halved_at(|at| positions[self.entries[at].0 as usize]),
            None => self.halved_at(|at| at as f64),
        }
    }

    #[inline]
    fn divided_at(&self, position: impl Fn(usize) -> f64) -> Option<Cut> {
        let last = self.entries.len().checked_sub(1)?;
        let gain = self.gain(&position, last);
        let (mut best, mut left) = (None, 0);
        let mut most = -1.0;
        for at in 0..last {
            left += self.entries[at].1;
            let merit = merit(gain(left, at, at + 1), left.min(self.size - left));
            if merit > most {
                most = merit;
                best = Some((at + 1, left));
            }
        }
        best.map(|(at, left)| Cut { place: self.entries[at].0, taken: 0, left, merit: most })
    }

    #[inline]
    fn halved_at(&self, position: impl Fn(usize) -> f64) -> Option<Cut> {
        let last = self.entries.len().checked_sub(1).filter(|&last| last > 0)?;
        let half = self.size.div_ceil(2);
        let (mut at, mut before) = (0, 0);
        while before + self.entries[at].1 < half {
            before += self.entries[at].1;
            at += 1;
        }
        let (place, count) = self.entries[at];
        let taken = half - before;
        let next = if taken == count { at + 1 } else { at };
        let gain = self.gain(&position, last)(half, at, next);
        Some(Cut { place, taken, left: half, merit: merit(gain, self.size - half) })
    }

    /// By how much a cut lessens the sum over records of the width of their group, as a share of
    /// the axis, times the column's weight: given how many records go left, up to which entry, and
    /// from which entry the others go right.
    #[inline]
    fn gain<'p>(&self, position: &'p impl Fn(usize) -> f64, last: usize) -> impl Fn(u32, usize, usize) -> f64 + 'p {
        let (low, high) = (position(0), position(last));
        let (size, whole) = (f64::from(self.size), self.axis.whole);
        let scale = if whole > 0.0 { self.axis.weight / whole } else { 0.0 };
        move |left, to, from| {
            let left = f64::from(left);
            (size * (high - low) - left * (position(to) - low) - (size - left) * (high - position(from))) * scale
        }
    }
}

/// What a cut is worth: its gain, times the fourth root of the share of records on the smaller
/// side, which keeps cuts from the very ends. Given as the fourth power, which orders cuts in the
/// same way, and by the size of the smaller side, since only cuts of the same records are compared.
///
/// # Claim
/// Where a cut in equal halves is possible, the cut that is worth most leaves at least one record
/// in 32 on either side. The halves' widths add up to the whole at most, so that cutting there
/// gains at least half of what can be gained; a cut with a share of s gains all of it at most. So s
/// ≥ (1/2)⁴ · 1/2.
#[inline]
fn merit(gain: f64, smaller: u32) -> f64 {
    let squared = gain * gain;
    squared * squared * f64::from(smaller)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ColumnSpec, Role};

    fn axis(values: &[&str], basis: Basis) -> (Column, Axis) {
        let column = Column::from_values("c", values);
        let axis = Axis::new(&column, &Schema::of(&["c"], &[]), basis).unwrap();
        (column, axis)
    }

    fn places(values: &[&str], basis: Basis) -> Vec<u32> {
        let (column, axis) = axis(values, basis);
        column.codes().iter().map(|&code| axis.place(code)).collect()
    }

    /// The entries of all records.
    fn entries(axis: &Axis) -> Vec<(u32, u32)> {
        (0u32..).zip(axis.counts().iter().copied()).collect()
    }

    #[test]
    fn frequent_values_come_first_and_equally_frequent_ones_in_their_order() {
        assert_eq!(places(&["x", "b", "c", "c", "b", "a"], Basis::Frequency), [3, 0, 1, 1, 0, 2]);
    }

    #[test]
    fn numbers_lie_by_value_and_the_cut_is_where_most_is_won() {
        let (_, axis) = axis(&["1", "2", "3", "100", "101", "102"], Basis::Value);
        let cut = axis.cut(&entries(&axis), 6, false).unwrap();
        assert_eq!((cut.place, cut.taken, cut.left), (3, 0, 3));
        assert_eq!(axis.cut(&[(2, 6)], 6, false), None);
    }

    #[test]
    fn dates_lie_by_day() {
        let (_, axis) = axis(&["2020-01-01", "2020-03-01", "2021-01-01"], Basis::Value);
        assert_eq!(axis.positions.as_ref().unwrap()[1] - axis.positions.as_ref().unwrap()[0], 60.0);
        assert_eq!(axis.whole, 366.0);
    }

    #[test]
    fn halves_differ_by_one_record_and_share_a_value() {
        let (_, axis) = axis(&["1", "2", "2", "2", "3"], Basis::Value);
        let cut = axis.cut(&entries(&axis), 5, true).unwrap();
        assert_eq!((cut.place, cut.taken, cut.left), (1, 2, 3));
    }

    #[test]
    fn numbers_that_are_one_to_a_float_are_told_apart_by_rank() {
        let (_, axis) = axis(&["900000000000000001", "900000000000000002"], Basis::Value);
        assert_eq!(axis.positions, None);
        assert!(axis.cut(&entries(&axis), 2, false).is_some());
    }

    #[test]
    fn siblings_stand_together_whatever_else_the_column_has() {
        let rule = crate::data::hierarchy::rule(&[("redact", crate::kind::Raw::Number("1".into()))], ".".as_ref());
        let mut spec = ColumnSpec::new("c", Role::Quasi);
        spec.rule = Some(rule.unwrap().into());
        let schema = Schema::new(vec![spec]);
        let column = Column::from_values("c", ["a1", "b1", "a2", "b2", "c"]);
        let some = Column::new("c", vec![3, 2, 1], column.domain().clone());
        for column in [column, some] {
            assert_eq!(Basis::of(&column, &schema), Basis::Hierarchy);
            let axis = Axis::new(&column, &schema, Basis::Hierarchy).unwrap();
            let mut order: Vec<u32> = column.codes().to_vec();
            order.sort_by_key(|&code| axis.place(code));
            assert!(order.is_sorted(), "text is in this order already");
        }
    }

    #[test]
    fn the_best_cut_is_not_at_the_very_end() {
        let values: Vec<String> = (0..64).map(|at| (1i64 << (at % 60)).to_string()).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let (_, axis) = axis(&values, Basis::Value);
        let cut = axis.cut(&entries(&axis), 64, false).unwrap();
        assert!((2..=62).contains(&cut.left), "{cut:?}");
    }
}
