//! One label for all the values of a group. With a hierarchy: the lowest common ancestor, never
//! below the lowest permitted level; where labels are intervals, all from the first to the last
//! one. Without: a range for numbers and dates, the set of values for categories. Where the plan says
//! so, the mean or the median of numbers, under which no value stands but which every reader can
//! take for it.

use super::center::{center_of, nearest};
use super::lowest::finest_level;
use crate::candidate::Groups;
use crate::data::hierarchy::{Hierarchy, Rule, TOP};
use crate::data::{Center, Column, Schema, set_label, value_label};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::collections::HashMap;

/// The labels of a column, one for each group.
pub struct Labels<'a> {
    /// The different labels.
    pub labels: Vec<String>,
    /// For each group the number of its label.
    pub of_group: Vec<u32>,
    style: Style<'a>,
    summaries: Vec<Summary>,
}

/// What is said of the values of a group.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Summary {
    /// From one code to another, and whether some values are missing.
    Range(u32, u32, bool),
    /// The same, from the first code of an interval to the last one of an interval.
    Span(u32, u32, bool),
    /// A code on a level.
    Ancestor(usize, u32),
    /// These values, and no others.
    Set(Vec<u32>),
    /// A number, and whether some values are missing; no number where all are.
    Center(Option<String>, bool),
}

/// How the values of a column are summed up.
enum Style<'a> {
    /// Numbers and dates of which the plan says nothing: from the least to the greatest.
    Range,
    /// Intervals that can be joined: from the first to the last one of a level. `ends` are the
    /// first and the last code of the interval that a code is in. With `exact`, one value alone may
    /// be shown as it is.
    Span { rule: &'a dyn Rule, level: usize, ends: Vec<(u32, u32)>, exact: bool },
    /// The lowest common ancestor, on this level or above.
    Ancestor { hierarchy: Hierarchy, low: usize },
    /// All values.
    Set,
    /// One number for all numbers.
    Center(Center),
}

impl<'a> Style<'a> {
    fn new(column: &Column, schema: &'a Schema) -> Result<Style<'a>> {
        if let Some(center) = center_of(column, schema)? {
            return Ok(Style::Center(center));
        }
        let spec = schema.find(column.name());
        if !spec.is_some_and(|spec| spec.rule.is_some() || spec.levels.is_some_and(|(low, _)| low > 0)) {
            return Ok(if column.domain().value_type().is_ordered() { Style::Range } else { Style::Set });
        }
        let (low, _) = schema.level_range(column)?;
        let (hierarchy, level) = (schema.quasi_hierarchy(column)?, finest_level(column, schema)?);
        match schema.interval_rule(column) {
            Some(rule) if (1..hierarchy.height()).contains(&level) => {
                Ok(Style::Span { rule, level, ends: ends(column, &hierarchy, level), exact: low == 0 })
            }
            _ => Ok(Style::Ancestor { hierarchy, low }),
        }
    }

    fn summary(&self, column: &Column, codes: impl Iterator<Item = u32>) -> Result<Summary> {
        Ok(match self {
            Style::Range => {
                let (low, high, misses) = range(column, codes);
                Summary::Range(low, high, misses)
            }
            Style::Span { ends, exact, .. } => {
                let (low, high, misses) = range(column, codes);
                if low > high || (low == high && *exact) {
                    return Ok(Summary::Range(low, high, misses));
                }
                Summary::Span(ends[low as usize].0, ends[high as usize].1, misses)
            }
            Style::Ancestor { hierarchy, low } => ancestor(hierarchy, *low, codes),
            Style::Set => Summary::Set(distinct(codes)),
            Style::Center(center) => central(*center, column, codes)?,
        })
    }

    fn label(&self, column: &Column, summary: &Summary) -> String {
        let domain = column.domain();
        let missing = || domain.missing().map_or("", |code| domain.label(code));
        let told = |low: u32, high: u32, misses: bool, range: String| match misses {
            false => range,
            true if low > high => missing().to_string(),
            true => beside_missing(missing(), &range),
        };
        match (summary, self) {
            (&Summary::Range(low, high, misses), _) if low > high => told(low, high, misses, String::new()),
            (&Summary::Range(low, high, misses), _) => {
                told(low, high, misses, range_label(domain.label(low), domain.label(high)))
            }
            (&Summary::Span(low, high, misses), Style::Span { rule, level, .. }) => {
                let span = rule.span(*level, domain.label(low), domain.label(high));
                told(low, high, misses, span.unwrap_or_else(|| TOP.to_string()))
            }
            (Summary::Ancestor(level, code), Style::Ancestor { hierarchy, .. }) => {
                hierarchy.labels(*level).get(*code).to_string()
            }
            (Summary::Set(codes), _) => label_of_set(column, codes),
            (Summary::Center(None, _), _) => missing().to_string(),
            (Summary::Center(Some(center), false), _) => center.clone(),
            (Summary::Center(Some(center), true), _) => beside_missing(missing(), center),
            (Summary::Span(..) | Summary::Ancestor(..), _) => unreachable!("each style has its own summary"),
        }
    }

    fn cover(&self, column: &Column, summary: &Summary) -> Vec<u32> {
        let missing = column.domain().missing();
        match (summary, self) {
            (Summary::Range(low, high, misses) | Summary::Span(low, high, misses), _) => {
                let within = (*low..=*high).filter(|code| Some(*code) != missing);
                within.chain(missing.filter(|_| *misses)).collect()
            }
            (Summary::Ancestor(level, code), Style::Ancestor { hierarchy, .. }) => {
                let codes = hierarchy.codes(*level);
                (0u32..).zip(codes).filter(|(_, own)| *own == code).map(|(base, _)| base).collect()
            }
            (Summary::Set(codes), _) => codes.clone(),
            (Summary::Center(center, misses), _) => {
                let nearest = center.as_deref().and_then(|center| nearest(column, center));
                nearest.into_iter().chain(missing.filter(|_| *misses)).collect()
            }
            (Summary::Ancestor(..), _) => unreachable!("each style has its own summary"),
        }
    }
}

impl<'a> Labels<'a> {
    /// Of the values that the groups have in a column. No label is finer than the lowest level that
    /// the plan permits.
    pub fn new(column: &Column, schema: &'a Schema, groups: &Groups) -> Result<Labels<'a>> {
        let style = Style::new(column, schema)?;
        let summaries: Vec<Summary> = (0..groups.len())
            .into_par_iter()
            .map(|group| style.summary(column, groups.rows(group).iter().map(|&row| column.codes()[row as usize])))
            .collect::<Result<_>>()?;
        let mut number: HashMap<Summary, u32> = HashMap::new();
        let mut different: Vec<Summary> = Vec::new();
        let of_group = summaries.into_iter().map(|summary| {
            *number.entry(summary).or_insert_with_key(|summary| {
                different.push(summary.clone());
                different.len() as u32 - 1
            })
        });
        let of_group = of_group.collect();
        let labels = different.iter().map(|summary| style.label(column, summary)).collect();
        Ok(Labels { labels, of_group, style, summaries: different })
    }

    /// For each label the values that it stands for, as codes of the column. A mean or a median
    /// stands for the value that is nearest: a reader takes it for what it says.
    pub fn covers(&self, column: &Column) -> Vec<Vec<u32>> {
        self.summaries.iter().map(|summary| self.style.cover(column, summary)).collect()
    }

    /// The column with labels in the place of values. Rows that are in no group have any label.
    pub fn column(&self, column: &Column, groups: &Groups) -> Column {
        let labels = Column::from_values(column.name(), &self.labels);
        let mut codes = vec![0; column.codes().len()];
        for (group, &label) in self.of_group.iter().enumerate() {
            let code = labels.codes()[label as usize];
            groups.rows(group).iter().for_each(|&row| codes[row as usize] = code);
        }
        Column::new(column.name(), codes, labels.domain().clone())
    }
}

/// For each code the first and the last code with the same label on a level; a missing value is
/// none of them.
fn ends(column: &Column, hierarchy: &Hierarchy, level: usize) -> Vec<(u32, u32)> {
    let labels = hierarchy.codes(level);
    let mut of_label = vec![(u32::MAX, 0); hierarchy.labels(level).len()];
    for (code, &label) in (0u32..).zip(labels).filter(|(code, _)| column.domain().missing() != Some(*code)) {
        let (first, last) = &mut of_label[label as usize];
        (*first, *last) = ((*first).min(code), (*last).max(code));
    }
    labels.iter().map(|&label| of_label[label as usize]).collect()
}

/// The least and the greatest code that is not missing, and whether some are; the least is above
/// the greatest where all are.
fn range(column: &Column, codes: impl Iterator<Item = u32>) -> (u32, u32, bool) {
    let missing = column.domain().missing();
    let (mut low, mut high, mut misses) = (u32::MAX, 0, false);
    for code in codes {
        if Some(code) == missing {
            misses = true;
        } else {
            (low, high) = (low.min(code), high.max(code));
        }
    }
    (low, high, misses)
}

fn distinct(codes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut codes: Vec<u32> = codes.collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn ancestor(hierarchy: &Hierarchy, low: usize, codes: impl Iterator<Item = u32>) -> Summary {
    let codes = distinct(codes);
    let on = |level: usize, code: u32| hierarchy.codes(level)[code as usize];
    let common = |level: &usize| codes.iter().all(|&code| on(*level, code) == on(*level, codes[0]));
    let level = (low..=hierarchy.height()).find(common).expect("the top is common to all");
    Summary::Ancestor(level, on(level, codes[0]))
}

/// The center of a group's numbers.
fn central(center: Center, column: &Column, codes: impl Iterator<Item = u32>) -> Result<Summary> {
    let (domain, mut codes) = (column.domain(), codes.collect::<Vec<u32>>());
    let all = codes.len();
    codes.retain(|code| domain.missing() != Some(*code));
    codes.sort_unstable();
    let misses = codes.len() < all;
    if codes.is_empty() {
        return Ok(Summary::Center(None, misses));
    }
    let numbers: Vec<(&str, u64)> =
        codes.chunk_by(|a, b| a == b).map(|same| (domain.label(same[0]), same.len() as u64)).collect();
    let too_long = || {
        let message =
            format!("column \"{}\" has a number with too many decimals for an exact {}", column.name(), center.name());
        Error::data(message).help("leave out `label`, or round the column")
    };
    Ok(Summary::Center(Some(center.of(&numbers).ok_or_else(too_long)?), misses))
}

fn label_of_set(column: &Column, codes: &[u32]) -> String {
    let domain = column.domain();
    match codes {
        [code] => value_label(domain.label(*code)).into_owned(),
        all if all.len() == domain.len() => TOP.to_string(),
        some => set_label(some.iter().map(|&code| domain.label(code))),
    }
}

/// A range, and that some values are missing: `{?, 20-29}`.
fn beside_missing(missing: &str, range: &str) -> String {
    let alone = set_label([missing]);
    format!("{}, {range}}}", &alone[..alone.len() - 1])
}

/// As hierarchies write intervals; where a dash is part of the ends, with dots.
fn range_label(low: &str, high: &str) -> String {
    match (low == high, low.contains('-') || high.contains('-')) {
        (true, _) => low.to_string(),
        (false, false) => format!("{low}-{high}"),
        (false, true) => format!("{low}..{high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ColumnSpec, Role};
    use crate::kind::Raw;

    fn labels(column: &Column, schema: &Schema, groups: &[Vec<u32>]) -> Vec<String> {
        let found = Labels::new(column, schema, &Groups::of_lists(groups)).unwrap();
        found.of_group.iter().map(|&at| found.labels[at as usize].clone()).collect()
    }

    #[test]
    fn numbers_become_ranges_and_categories_sets() {
        let schema = Schema::of(&["q"], &[]);
        let ages = Column::from_values("q", ["30", "21", "21", "-4", "1.5"]);
        assert_eq!(labels(&ages, &schema, &[vec![0, 1], vec![1, 2], vec![3, 4]]), ["21-30", "21", "-4..1.5"]);
        let jobs = Column::from_values("q", ["nurse", "cook", "nurse", "smith"]);
        assert_eq!(labels(&jobs, &schema, &[vec![0, 2], vec![0, 1], vec![0, 1, 3]]), ["nurse", "{cook, nurse}", "*"]);
    }

    #[test]
    fn categories_with_a_hierarchy_become_their_lowest_common_ancestor() {
        let zip = Column::from_values("q", ["a1", "a2", "b1"]);
        let mut spec = ColumnSpec::new("q", Role::Quasi);
        let rule = crate::data::hierarchy::rule(&[("redact", Raw::Number("2".into()))], ".".as_ref()).unwrap();
        spec.rule = Some(rule.into());
        let schema = Schema::new(vec![spec]);
        assert_eq!(labels(&zip, &schema, &[vec![0], vec![0, 1], vec![1, 2]]), ["a1", "a*", "*"]);
        let found = Labels::new(&zip, &schema, &Groups::of_lists(&[vec![0, 1]])).unwrap();
        assert_eq!(found.covers(&zip), [vec![0, 1]]);
    }

    fn intervals(top: &str, levels: Option<(usize, usize)>) -> Schema {
        let widths = Raw::List(["5", "10"].map(|width| Raw::Number(width.into())).to_vec());
        let written = [("intervals", widths), ("top", Raw::from(top))];
        let mut spec = ColumnSpec::new("q", Role::Quasi);
        spec.rule = Some(crate::data::hierarchy::rule(&written, ".".as_ref()).unwrap().into());
        spec.levels = levels;
        Schema::new(vec![spec])
    }

    #[test]
    fn intervals_are_joined_from_boundary_to_boundary() {
        let ages = Column::from_values("q", ["21", "21", "23", "31", "88", "93", "104"]);
        let groups = [vec![0, 1], vec![0, 2], vec![2, 3], vec![4, 5], vec![5, 6], vec![6]];
        let check = |levels, expected: [&str; 6]| {
            assert_eq!(labels(&ages, &intervals("90", levels), &groups), expected, "{levels:?}");
        };
        check(None, ["21", "20-24", "20-34", ">=85", ">=90", "104"]);
        check(Some((1, 3)), ["20-24", "20-24", "20-34", ">=85", ">=90", ">=90"]);
        check(Some((2, 3)), ["20-29", "20-29", "20-39", ">=80", ">=90", ">=90"]);
        check(Some((3, 3)), ["*"; 6]);
    }

    #[test]
    fn a_label_covers_whole_intervals() {
        let ages = Column::from_values("q", ["21", "23", "24", "31", "34", "93"]);
        let schema = intervals("90", Some((1, 3)));
        let found = Labels::new(&ages, &schema, &Groups::of_lists(&[vec![1, 3]])).unwrap();
        assert_eq!(found.covers(&ages), [vec![0, 1, 2, 3, 4]]);
        assert_eq!(found.labels, ["20-34"]);
    }

    #[test]
    fn without_a_hierarchy_the_lowest_level_may_be_the_top() {
        let mut spec = ColumnSpec::new("q", Role::Quasi);
        spec.levels = Some((1, 1));
        let column = Column::from_values("q", ["3", "7"]);
        assert_eq!(labels(&column, &Schema::new(vec![spec]), &[vec![0], vec![0, 1]]), ["*", "*"]);
    }

    #[test]
    fn numbers_become_means_and_medians() {
        let ages = Column::from_values("q", ["30", "21", "21", "-4", "1.5", "22"]);
        let groups = [vec![0, 1, 5], vec![1, 2], vec![3, 4]];
        let of = |center| {
            let mut spec = ColumnSpec::new("q", Role::Quasi);
            spec.center = Some(center);
            Schema::new(vec![spec])
        };
        assert_eq!(labels(&ages, &of(Center::Mean), &groups), ["24.3", "21", "-1.25"]);
        assert_eq!(labels(&ages, &of(Center::Median), &groups), ["22", "21", "-1.25"]);
        let schema = of(Center::Mean);
        let found = Labels::new(&ages, &schema, &Groups::of_lists(&groups)).unwrap();
        let values = |codes: Vec<u32>| codes.iter().map(|&code| ages.domain().label(code).to_string()).collect();
        let covers: Vec<Vec<String>> = found.covers(&ages).into_iter().map(values).collect();
        assert_eq!(covers, [["22"], ["21"], ["-4"]], "of 24.3, of 21, and of -1.25, as near to both");
        let jobs = Column::from_values("q", ["cook", "nurse"]);
        assert!(Labels::new(&jobs, &schema, &Groups::of_lists(&[vec![0, 1]])).is_err());
    }

    #[test]
    fn missing_numbers_are_named() {
        let domain = Column::from_values("q", ["3", "7"]);
        let schema = Schema::of(&["q"], &[]);
        assert_eq!(labels(&domain, &schema, &[vec![0, 1]]), ["3-7"]);
    }
}
