//! One label for all the values of a group: a range for numbers and dates, for categories the lowest common ancestor in their hierarchy, or the set of values where there is none.

use crate::candidate::Groups;
use crate::data::hierarchy::{Hierarchy, TOP};
use crate::data::{Column, Schema};
use crate::error::Result;
use rayon::prelude::*;
use std::collections::HashMap;

/// The labels of a column, one for each group.
pub struct Labels {
    /// The different labels.
    pub labels: Vec<String>,
    /// For each label the values that it stands for, as codes.
    pub covers: Vec<Vec<u32>>,
    /// For each group the number of its label.
    pub of_group: Vec<u32>,
}

/// What is said of the values of a group.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Summary {
    /// From one code to another, and whether some values are missing.
    Range(u32, u32, bool),
    /// A code on a level.
    Ancestor(usize, u32),
    /// These values, and no others.
    Set(Vec<u32>),
}

impl Labels {
    /// Of the values that the groups have in a column.
    pub fn new(column: &Column, schema: &Schema, groups: &Groups) -> Result<Labels> {
        let is_range = column.domain().value_type().is_ordered();
        let spec = schema.find(column.name());
        let rule = spec.and_then(|spec| spec.rule.as_deref()).filter(|_| !is_range);
        let hierarchy = rule.map(|rule| Hierarchy::bind(rule, column)).transpose()?;
        let summaries: Vec<Summary> = (0..groups.len())
            .into_par_iter()
            .map(|group| {
                let codes = groups.rows(group).iter().map(|&row| column.codes()[row as usize]);
                match &hierarchy {
                    _ if is_range => range(column, codes),
                    Some(hierarchy) => ancestor(hierarchy, codes),
                    None => set(codes),
                }
            })
            .collect();
        let mut number: HashMap<&Summary, u32> = HashMap::new();
        let mut different: Vec<&Summary> = Vec::new();
        let of_group = summaries.iter().map(|summary| {
            *number.entry(summary).or_insert_with(|| {
                different.push(summary);
                different.len() as u32 - 1
            })
        });
        let of_group = of_group.collect();
        let labels = different.iter().map(|summary| label(column, hierarchy.as_ref(), summary)).collect();
        let covers = different.iter().map(|summary| cover(column, hierarchy.as_ref(), summary)).collect();
        Ok(Labels { labels, covers, of_group })
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

fn range(column: &Column, codes: impl Iterator<Item = u32>) -> Summary {
    let missing = column.domain().missing();
    let (mut low, mut high, mut misses) = (u32::MAX, 0, false);
    for code in codes {
        if Some(code) == missing {
            misses = true;
        } else {
            (low, high) = (low.min(code), high.max(code));
        }
    }
    Summary::Range(low, high, misses)
}

fn set(codes: impl Iterator<Item = u32>) -> Summary {
    let mut codes: Vec<u32> = codes.collect();
    codes.sort_unstable();
    codes.dedup();
    Summary::Set(codes)
}

fn ancestor(hierarchy: &Hierarchy, codes: impl Iterator<Item = u32>) -> Summary {
    let Summary::Set(codes) = set(codes) else { unreachable!("a set is a set") };
    let on = |level: usize, code: u32| hierarchy.codes(level)[code as usize];
    let common = |level: &usize| codes.iter().all(|&code| on(*level, code) == on(*level, codes[0]));
    let level = (0..=hierarchy.height()).find(common).expect("the top is common to all");
    Summary::Ancestor(level, on(level, codes[0]))
}

fn label(column: &Column, hierarchy: Option<&Hierarchy>, summary: &Summary) -> String {
    let domain = column.domain();
    match summary {
        Summary::Range(low, high, false) => range_label(domain.label(*low), domain.label(*high)),
        Summary::Range(low, high, true) => {
            let missing = domain.missing().map_or("", |code| domain.label(code));
            if low > high {
                missing.to_string()
            } else {
                format!("{{{missing}, {}}}", range_label(domain.label(*low), domain.label(*high)))
            }
        }
        Summary::Ancestor(level, code) => {
            hierarchy.expect("an ancestor is of a hierarchy").labels(*level).get(*code).to_string()
        }
        Summary::Set(codes) => match codes.as_slice() {
            [code] => domain.label(*code).to_string(),
            all if all.len() == domain.len() => TOP.to_string(),
            some => {
                let labels: Vec<&str> = some.iter().map(|&code| domain.label(code)).collect();
                format!("{{{}}}", labels.join(", "))
            }
        },
    }
}

/// As hierarchies write intervals; where a dash is part of the ends, with dots.
fn range_label(low: &str, high: &str) -> String {
    match (low == high, low.contains('-') || high.contains('-')) {
        (true, _) => low.to_string(),
        (false, false) => format!("{low}-{high}"),
        (false, true) => format!("{low}..{high}"),
    }
}

fn cover(column: &Column, hierarchy: Option<&Hierarchy>, summary: &Summary) -> Vec<u32> {
    let missing = column.domain().missing();
    match summary {
        Summary::Range(low, high, misses) => {
            let within = (*low..=*high).filter(|code| Some(*code) != missing);
            within.chain(missing.filter(|_| *misses)).collect()
        }
        Summary::Ancestor(level, code) => {
            let codes = hierarchy.expect("an ancestor is of a hierarchy").codes(*level);
            (0u32..).zip(codes).filter(|(_, own)| *own == code).map(|(base, _)| base).collect()
        }
        Summary::Set(codes) => codes.clone(),
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
        assert_eq!(found.covers, [vec![0, 1]]);
    }

    #[test]
    fn missing_numbers_are_named() {
        let domain = Column::from_values("q", ["3", "7"]);
        let schema = Schema::of(&["q"], &[]);
        assert_eq!(labels(&domain, &schema, &[vec![0, 1]]), ["3-7"]);
    }
}
