//! Quasi-identifiers as points of a space: squared distances of records from averages of records.
//!
//! A number, a date or a value with a declared order is a place on a line. Any other value is a
//! corner for each level of its hierarchy, one corner for each label: two values are as far apart
//! as the share of levels on which their labels differ. Without a hierarchy there is one level, the
//! value itself. Every column is scaled so that its variance over all records is its weight.
//!
//! # Claim
//! Corners 1/√2 from the origin along axes of their own are 1 apart (squared), so distances by
//! labels are squared distances between points, and averages of such points are defined: with
//! shares p of labels the average is (Σp² − 2·p(label) + 1)/2 from a label's corner.

use super::axis::{self, Axis, Basis};
use crate::data::{Column, Role, Schema, Table};
use crate::error::Result;
use std::collections::HashMap;

/// The quasi-identifiers of a table.
pub(super) struct Space<'a> {
    columns: Vec<(&'a Column, Coordinates)>,
}

/// Where the values of a column are.
struct Coordinates {
    places: Places,
    /// The order of its values.
    axis: Axis,
    /// What a squared distance along the column is multiplied by.
    scale: f64,
}

/// Where each code is.
enum Places {
    Line(Vec<f64>),
    /// For each level the label of each code.
    Labels(Vec<Vec<u32>>),
}

impl<'a> Space<'a> {
    /// Of all records. It depends on how often each value occurs, not on the order of records.
    pub(super) fn new(table: &'a Table, schema: &Schema) -> Result<Space<'a>> {
        let of = |column: &'a Column| Ok((column, Coordinates::new(column, schema)?));
        let columns = schema.select(table, Role::Quasi)?.into_iter().map(of);
        Ok(Space { columns: columns.collect::<Result<_>>()? })
    }

    /// Some records of it, known by their positions in the list from then on.
    pub(super) fn points(&self, rows: &[u32]) -> Points {
        let spread = self.columns.iter().filter(|(_, coordinates)| coordinates.scale > 0.0);
        Points { records: rows.len(), columns: spread.map(|(column, own)| own.of(column, rows)).collect() }
    }

    /// Some records in two halves along the column in which they are spread most; the first is
    /// larger by one record at most, and records with equal values stay in the order given. `None`
    /// where they are all alike.
    pub(super) fn halve(&self, rows: &[u32]) -> Option<[Vec<u32>; 2]> {
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let spread = |(column, own): &'_ (&'a Column, Coordinates)| {
            let points = Points { records: rows.len(), columns: vec![own.of(column, rows)] };
            let mut distances = Vec::new();
            points.distances(&points.center(&all), &all, &mut distances);
            distances.iter().sum::<f64>()
        };
        let spreads = self.columns.iter().filter(|(_, own)| own.scale > 0.0).map(|column| (spread(column), column));
        // Of equal ones the first.
        let widest = spreads.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let (_, (column, own)) = widest.filter(|(spread, _)| *spread > 0.0)?;
        let mut rows = rows.to_vec();
        rows.sort_by_key(|&row| own.axis.place(column.codes()[row as usize]));
        let right = rows.split_off(rows.len().div_ceil(2));
        Some([rows, right])
    }
}

impl Coordinates {
    fn new(column: &Column, schema: &Schema) -> Result<Coordinates> {
        let counts = column.counts();
        let places = Places::new(column, schema, &counts)?;
        let variance = places.variance(&counts);
        let weight = schema.weight_of(column.name());
        let axis = Axis::new(column, schema, Basis::of(column, schema))?;
        Ok(Coordinates { scale: if variance > 0.0 { weight / variance } else { 0.0 }, places, axis })
    }

    /// Of some records.
    fn of(&self, column: &Column, rows: &[u32]) -> Local {
        let codes = rows.iter().map(|&row| column.codes()[row as usize]);
        match &self.places {
            Places::Line(places) => {
                Local::Line { at: codes.map(|code| places[code as usize]).collect(), scale: self.scale }
            }
            Places::Labels(levels) => {
                let (values, codes) = numbered(codes);
                let labels = levels.iter().map(|level| {
                    let (different, labels) = numbered(values.iter().map(|&value| level[value as usize]));
                    (labels, different.len())
                });
                let scale = self.scale / (2 * levels.len()) as f64;
                Local::Labels { codes, values: values.len(), levels: labels.collect(), scale }
            }
        }
    }
}

/// The different numbers in the order of their first, and the number of each among them.
fn numbered(all: impl Iterator<Item = u32>) -> (Vec<u32>, Vec<u32>) {
    let (mut different, mut number) = (Vec::new(), HashMap::new());
    let codes = all.map(|one| {
        *number.entry(one).or_insert_with(|| {
            different.push(one);
            different.len() as u32 - 1
        })
    });
    let codes = codes.collect();
    (different, codes)
}

impl Places {
    fn new(column: &Column, schema: &Schema, counts: &[u64]) -> Result<Places> {
        let occurring: Vec<u32> = (0u32..).zip(counts).filter(|(_, count)| **count > 0).map(|(code, _)| code).collect();
        let on_line = |places: Vec<f64>| {
            let mut of_code = vec![0.0; counts.len()];
            occurring.iter().zip(places).for_each(|(&code, place)| of_code[code as usize] = place);
            Places::Line(of_code)
        };
        let steps = || (0..occurring.len()).map(|place| place as f64).collect();
        Ok(match Basis::of(column, schema) {
            Basis::Value => on_line(axis::numbers(column, &occurring).unwrap_or_else(steps)),
            Basis::Order => on_line(steps()),
            Basis::Hierarchy => {
                let hierarchy = schema.hierarchy(column)?;
                // The top is common to all.
                let below = (0..hierarchy.height().max(1)).map(|level| hierarchy.codes(level).to_vec());
                Places::Labels(below.collect())
            }
            Basis::Frequency => Places::Labels(vec![(0..counts.len() as u32).collect()]),
        })
    }

    /// The mean squared distance from the average of all records.
    fn variance(&self, counts: &[u64]) -> f64 {
        let all = counts.iter().sum::<u64>().max(1) as f64;
        match self {
            Places::Line(places) => {
                let mean = places.iter().zip(counts).map(|(place, count)| place * *count as f64).sum::<f64>() / all;
                let squares = places.iter().zip(counts).map(|(place, count)| (place - mean).powi(2) * *count as f64);
                squares.sum::<f64>() / all
            }
            Places::Labels(levels) => {
                let of_level = |labels: &Vec<u32>| {
                    let mut with_label = vec![0; labels.iter().max().map_or(0, |most| *most as usize + 1)];
                    labels.iter().zip(counts).for_each(|(&label, count)| with_label[label as usize] += count);
                    let together: f64 = with_label.iter().map(|count| (*count as f64 / all).powi(2)).sum();
                    (1.0 - together) / 2.0
                };
                levels.iter().map(of_level).sum::<f64>() / levels.len() as f64
            }
        }
    }
}

/// Some records as points.
pub(super) struct Points {
    records: usize,
    columns: Vec<Local>,
}

/// A column of these records alone.
enum Local {
    Line {
        at: Vec<f64>,
        scale: f64,
    },
    Labels {
        /// The value of each record.
        codes: Vec<u32>,
        values: usize,
        /// For each level the label of each value, and how many labels there are.
        levels: Vec<(Vec<u32>, usize)>,
        /// Of twice the squared distance on one level.
        scale: f64,
    },
}

impl Points {
    /// How many records there are.
    pub(super) fn len(&self) -> usize {
        self.records
    }

    /// What the average of some records is made of.
    pub(super) fn sums(&self, records: &[u32]) -> Sums {
        let columns = self.columns.iter().map(|column| match column {
            Local::Line { .. } => Sum::Line(0.0),
            Local::Labels { levels, .. } => Sum::Labels(levels.iter().map(|(_, labels)| vec![0; *labels]).collect()),
        });
        let mut sums = Sums { records: 0, columns: columns.collect() };
        records.iter().for_each(|&record| sums.add(self, record));
        sums
    }

    /// The average of some records.
    pub(super) fn center(&self, records: &[u32]) -> Center {
        self.sums(records).center(self)
    }

    /// The squared distances of some records from an average.
    pub(super) fn distances(&self, center: &Center, records: &[u32], distances: &mut Vec<f64>) {
        distances.clear();
        distances.resize(records.len(), 0.0);
        for (column, own) in self.columns.iter().zip(&center.0) {
            let pairs = distances.iter_mut().zip(records);
            match (column, own) {
                (Local::Line { at, scale }, From::Place(place)) => pairs.for_each(|(distance, &record)| {
                    let apart = at[record as usize] - place;
                    *distance += apart * apart * scale;
                }),
                (Local::Labels { codes, .. }, From::Values(from)) => pairs.for_each(|(distance, &record)| {
                    *distance += from[codes[record as usize] as usize];
                }),
                _ => unreachable!("an average is of the same columns"),
            }
        }
    }
}

/// Sums over records, of which one can be taken out again.
pub(super) struct Sums {
    records: usize,
    columns: Vec<Sum>,
}

enum Sum {
    Line(f64),
    /// For each level how many records have each label.
    Labels(Vec<Vec<u32>>),
}

impl Sums {
    fn add(&mut self, points: &Points, record: u32) {
        self.records += 1;
        self.change(points, record, |sum, place| *sum += place, |count| *count += 1);
    }

    /// Takes out a record.
    pub(super) fn remove(&mut self, points: &Points, record: u32) {
        self.records -= 1;
        self.change(points, record, |sum, place| *sum -= place, |count| *count -= 1);
    }

    fn change(&mut self, points: &Points, record: u32, line: fn(&mut f64, f64), label: fn(&mut u32)) {
        for (sum, column) in self.columns.iter_mut().zip(&points.columns) {
            match (sum, column) {
                (Sum::Line(sum), Local::Line { at, .. }) => line(sum, at[record as usize]),
                (Sum::Labels(counts), Local::Labels { codes, levels, .. }) => {
                    for (counts, (labels, _)) in counts.iter_mut().zip(levels) {
                        label(&mut counts[labels[codes[record as usize] as usize] as usize]);
                    }
                }
                _ => unreachable!("sums are of the same columns"),
            }
        }
    }

    /// The average of the records.
    pub(super) fn center(&self, points: &Points) -> Center {
        let all = self.records.max(1) as f64;
        let of = |(sum, column): (&Sum, &Local)| match (sum, column) {
            (Sum::Labels(counts), Local::Labels { values, levels, scale, .. }) => {
                let mut from = vec![0.0; *values];
                for (counts, (labels, _)) in counts.iter().zip(levels) {
                    let share = |label: u32| f64::from(counts[label as usize]) / all;
                    let together: f64 = (0..counts.len() as u32).map(|label| share(label).powi(2)).sum();
                    let pairs = from.iter_mut().zip(labels);
                    pairs.for_each(|(from, &label)| *from += (together - 2.0 * share(label) + 1.0) * scale);
                }
                From::Values(from)
            }
            (Sum::Line(sum), _) => From::Place(sum / all),
            (Sum::Labels(_), Local::Line { .. }) => unreachable!("sums are of the same columns"),
        };
        Center(self.columns.iter().zip(&points.columns).map(of).collect())
    }
}

/// An average of records, as what is needed to measure distances from it.
pub(super) struct Center(Vec<From>);

enum From {
    Place(f64),
    /// The squared distance of each value.
    Values(Vec<f64>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ColumnSpec;

    fn distance(points: &Points, from: &[u32], to: u32) -> f64 {
        let mut distances = Vec::new();
        points.distances(&points.center(from), &[to], &mut distances);
        distances[0]
    }

    fn space(table: &Table, spec: &ColumnSpec) -> Points {
        let all: Vec<u32> = (0..table.rows() as u32).collect();
        Space::new(table, &Schema::new(vec![spec.clone()])).unwrap().points(&all)
    }

    #[test]
    fn numbers_are_standardized_and_weighed() {
        let table = Table::new(vec![Column::from_values("q", ["1", "3", "5", "7"])]).unwrap();
        let mut spec = ColumnSpec::new("q", Role::Quasi);
        let points = space(&table, &spec);
        assert_eq!(distance(&points, &[0], 3), 36.0 / 5.0);
        assert_eq!(distance(&points, &[0, 1, 2, 3], 3), 9.0 / 5.0);
        spec.weight = "3".parse().unwrap();
        assert!((distance(&space(&table, &spec), &[0], 3) - 3.0 * 36.0 / 5.0).abs() < 1e-12);
    }

    #[test]
    fn labels_are_as_far_apart_as_levels_on_which_they_differ() {
        let table = Table::new(vec![Column::from_values("q", ["a1", "a2", "b1", "b2"])]).unwrap();
        let mut spec = ColumnSpec::new("q", Role::Quasi);
        let plain = space(&table, &spec);
        assert_eq!(distance(&plain, &[0], 1), distance(&plain, &[0], 2));
        let rule = crate::data::hierarchy::rule(&[("redact", crate::kind::Raw::Number("2".into()))], ".".as_ref());
        spec.rule = Some(rule.unwrap().into());
        let points = space(&table, &spec);
        assert_eq!(distance(&points, &[0], 0), 0.0);
        assert!((distance(&points, &[0], 2) - 2.0 * distance(&points, &[0], 1)).abs() < 1e-12);
        let all: f64 = (0..4).map(|to| distance(&points, &[0, 1, 2, 3], to)).sum();
        assert!((all - 4.0).abs() < 1e-12, "the variance is one: {all}");
    }

    #[test]
    fn what_is_taken_out_is_gone() {
        let ages = Column::from_values("age", ["1", "4", "9"]);
        let jobs = Column::from_values("job", ["cook", "cook", "smith"]);
        let table = Table::new(vec![ages, jobs]).unwrap();
        let space = Space::new(&table, &Schema::of(&["age", "job"], &[])).unwrap();
        let points = space.points(&[2, 0, 1]);
        let mut sums = points.sums(&[0, 1, 2]);
        sums.remove(&points, 1);
        let (mut rest, mut own) = (Vec::new(), Vec::new());
        points.distances(&sums.center(&points), &[0, 1, 2], &mut rest);
        points.distances(&points.center(&[0, 2]), &[0, 1, 2], &mut own);
        assert_eq!(rest, own);
        assert_eq!(space.halve(&[2, 1, 0]), Some([vec![0, 1], vec![2]]));
        assert_eq!(space.halve(&[1, 1]), None);
    }
}
