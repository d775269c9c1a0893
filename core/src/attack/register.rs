//! Registers (population tables): which of the people an attacker knows of fit which published
//! group.
//!
//! A label stands for a value if it is the value, or one of its labels in the column's hierarchy
//! where that is at hand, or if the label says so by the way it is written: ranges of numbers and
//! dates (`20-34`, `[0.5, 1.5)`, `>=90`, `2021-01..2021-03`, `2020s`), redacted texts (`130**`),
//! sets of values (`{cook, nurse}`) and `*`. A label that says nothing without its hierarchy stands
//! for itself alone: fewer people fit, and the chance to pick the right one is not told too low.

use super::Target;
use crate::candidate::dense_ids;
use crate::data::hierarchy::{Hierarchy, Rule, TOP};
use crate::data::{Column, Role, parse_decimal, parse_timestamp, set_members, without_missing};
use crate::error::{Error, Result};
use jiff::civil::{Date, DateTime, Time};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

/// A register, and how it fits the release.
pub struct Register {
    /// How many people are in it.
    pub records: usize,
    /// People who fit each group.
    pub fitting: Vec<u64>,
    /// People with a value that no label of the release stands for.
    pub unknown: u64,
}

impl Register {
    /// Reads a register and compares it with the release.
    pub fn read(target: &Target<'_>, path: &Path) -> Result<Register> {
        if target.bucketized {
            let error = Error::plan("a register is compared with generalized values, and the release is bucketized");
            return Err(error.help("leave out `register`: the exact values already show who is in a group"));
        }
        let path = target.folder.join(path);
        let table = target.formats.read_unchecked(&path, &target.schema.reading())?;
        let quasi = target.schema.select(target.release, Role::Quasi)?;
        for column in &quasi {
            if table.find(column.name()).is_none() {
                let message = format!("the register has no column \"{}\"", column.name());
                let help = "a register has a column for every quasi-identifier, named as in the plan";
                return Err(Error::plan(message).file(&path).help(help));
            }
        }
        let sides = quasi.into_iter().map(|release| Side::new(target, table.column(release.name())?, release));
        Ok(Register::compare(target, &sides.collect::<Result<Vec<_>>>()?, table.rows()))
    }

    fn compare(target: &Target<'_>, sides: &[Side<'_>], records: usize) -> Register {
        let is_unknown = |row: &usize| sides.iter().any(|side| side.labels(*row).is_empty());
        let unknown = (0..records).filter(is_unknown).count() as u64;
        let one_label_each = sides.iter().all(|side| side.labels_of.iter().all(|labels| labels.len() < 2));
        let fitting = match one_label_each {
            true => joined(target, sides, records),
            false => overlapping(target, sides, records),
        };
        Register { records, fitting, unknown }
    }
}

/// One quasi-identifier: which labels of the release stand for which values of the register.
struct Side<'a> {
    register: &'a [u32],
    release: &'a Column,
    /// For each value of the register the labels that stand for it, by their codes.
    labels_of: Vec<Vec<u32>>,
}

impl<'a> Side<'a> {
    fn new(target: &Target<'_>, register: &'a Column, release: &'a Column) -> Result<Side<'a>> {
        let published: HashMap<&str, u32> = release.domain().labels().iter().zip(0..).collect();
        let above = labels_above(target, register, release)?;
        let forms: Vec<(u32, Form)> = (0u32..)
            .zip(release.domain().labels().iter())
            .filter_map(|(code, label)| Some((code, Form::read(label)?)))
            .collect();
        let labels_of = |value: &str| {
            let mut labels: Vec<u32> = published.get(value).copied().into_iter().collect();
            labels.extend(above.get(value).into_iter().flatten().filter_map(|label| published.get(label.as_str())));
            let value = Value::new(value);
            labels.extend(forms.iter().filter(|(_, form)| form.stands_for(&value)).map(|(code, _)| *code));
            labels.sort_unstable();
            labels.dedup();
            labels
        };
        let values: Vec<&str> = register.domain().labels().iter().collect();
        let labels_of = values.par_iter().map(|value| labels_of(value)).collect();
        Ok(Side { register: register.codes(), release, labels_of })
    }

    fn labels(&self, row: usize) -> &[u32] {
        &self.labels_of[self.register[row] as usize]
    }

    /// The label of a group.
    fn label(&self, target: &Target<'_>, group: usize) -> u32 {
        self.release.codes()[target.groups.rows(group)[0] as usize]
    }
}

/// The labels of a register's values in the column's hierarchy, where there is one. The original's
/// values are looked up first: some hierarchies depend on which values there are.
fn labels_above(target: &Target<'_>, register: &Column, release: &Column) -> Result<HashMap<String, Vec<String>>> {
    let mut above = HashMap::new();
    let Some(rule) = target.schema.find(release.name()).and_then(|spec| spec.rule.as_deref()) else {
        return Ok(above);
    };
    if let Some(original) = target.original {
        look_up(rule, original.table.column(release.name())?, &mut above);
    }
    let values = register.domain().labels().iter().filter(|value| !above.contains_key(*value));
    let strange: Vec<String> = values.map(str::to_string).collect();
    look_up_in_halves(rule, release.name(), &strange, &mut above);
    Ok(above)
}

/// Adds the labels of all values of a column; `false` if some are not in the hierarchy.
fn look_up(rule: &dyn Rule, column: &Column, above: &mut HashMap<String, Vec<String>>) -> bool {
    let Ok(hierarchy) = Hierarchy::bind(rule, column) else { return false };
    for (code, value) in (0u32..).zip(column.domain().labels().iter()) {
        let labels = (1..=hierarchy.height()).map(|level| hierarchy.label(level, code).to_string());
        above.insert(value.to_string(), labels.collect());
    }
    true
}

/// Looks up values that may not be in the hierarchy: as long as some are not, in halves.
fn look_up_in_halves(rule: &dyn Rule, name: &str, values: &[String], above: &mut HashMap<String, Vec<String>>) {
    if values.is_empty() || look_up(rule, &Column::from_values(name, values), above) || values.len() == 1 {
        return;
    }
    let (left, right) = values.split_at(values.len() / 2);
    look_up_in_halves(rule, name, left, above);
    look_up_in_halves(rule, name, right, above);
}

/// How many people fit each group, where every value has one label at most.
fn joined(target: &Target<'_>, sides: &[Side<'_>], records: usize) -> Vec<u64> {
    let groups = target.groups.len();
    let columns: Vec<(Vec<u32>, usize)> = sides
        .iter()
        .map(|side| {
            let of_groups = (0..groups).map(|group| side.label(target, group));
            let of_people = (0..records).map(|row| side.labels(row).first().copied().unwrap_or(0));
            (of_groups.chain(of_people).collect(), side.release.domain().len().max(1))
        })
        .collect();
    let coded: Vec<(&[u32], usize)> = columns.iter().map(|(codes, domain)| (codes.as_slice(), *domain)).collect();
    let (ids, count) = dense_ids(&coded, groups + records);
    let (of_groups, of_people) = ids.split_at(groups);
    let mut people = vec![0u64; count];
    for (row, &id) in of_people.iter().enumerate() {
        people[id as usize] += u64::from(sides.iter().all(|side| !side.labels(row).is_empty()));
    }
    of_groups.iter().map(|&id| people[id as usize]).collect()
}

/// People that are compared with all groups at a time.
const BLOCK: usize = 1 << 14;

/// The same where labels overlap: people are bits, and a group has those that all of its labels
/// have.
fn overlapping(target: &Target<'_>, sides: &[Side<'_>], records: usize) -> Vec<u64> {
    let mut fitting = vec![0u64; target.groups.len()];
    for start in (0..records).step_by(BLOCK) {
        let rows = start..records.min(start + BLOCK);
        let words = rows.len().div_ceil(64);
        let people: Vec<Vec<u64>> = sides
            .par_iter()
            .map(|side| {
                let mut bits = vec![0; side.release.domain().len() * words];
                for (at, row) in rows.clone().enumerate() {
                    for &label in side.labels(row) {
                        bits[label as usize * words + at / 64] |= 1u64 << (at % 64);
                    }
                }
                bits
            })
            .collect();
        fitting.par_iter_mut().enumerate().for_each(|(group, fitting)| {
            let starts: Vec<usize> = sides.iter().map(|side| side.label(target, group) as usize * words).collect();
            let fits = |word: usize| people.iter().zip(&starts).fold(u64::MAX, |all, (bits, at)| all & bits[at + word]);
            let last = |word: usize| if word + 1 == words { used(rows.len()) } else { u64::MAX };
            *fitting += (0..words).map(|word| u64::from((fits(word) & last(word)).count_ones())).sum::<u64>();
        });
    }
    fitting
}

/// The bits of the last word that stand for people.
fn used(people: usize) -> u64 {
    match people % 64 {
        0 => u64::MAX,
        some => (1 << some) - 1,
    }
}

/// A value of a register, read in every way that matters.
struct Value<'a> {
    text: &'a str,
    number: Option<f64>,
    moment: Option<DateTime>,
}

impl<'a> Value<'a> {
    fn new(text: &'a str) -> Value<'a> {
        Value { text, number: parse_decimal(text), moment: parse_timestamp(text) }
    }
}

/// What a label says it stands for, by the way it is written.
#[derive(Debug, PartialEq)]
enum Form {
    Everything,
    /// From a number to another; whether the last belongs.
    Numbers(f64, f64, bool),
    /// From a moment to the last one before another.
    Moments(DateTime, DateTime),
    /// A text of which the starred characters are hidden.
    Redacted(Vec<char>),
    /// Values and ranges.
    Set(Vec<String>, Vec<Form>),
}

impl Form {
    /// `None` if it stands for itself alone, as far as one can tell.
    fn read(label: &str) -> Option<Form> {
        if label == TOP {
            return Some(Form::Everything);
        }
        if let Some(members) = set_members(label) {
            let beside = Some(without_missing(label)).filter(|rest| *rest != label).and_then(Form::read);
            let forms = members.iter().filter_map(|member| Form::read(member)).chain(beside).collect();
            return Some(Form::Set(members.into_iter().map(Cow::into_owned).collect(), forms));
        }
        numbers(label).or_else(|| days(label)).or_else(|| redacted(label))
    }

    fn stands_for(&self, value: &Value<'_>) -> bool {
        match self {
            Form::Everything => true,
            Form::Numbers(low, high, closed) => {
                value.number.is_some_and(|number| *low <= number && (number < *high || (*closed && number == *high)))
            }
            Form::Moments(first, end) => value.moment.is_some_and(|date| *first <= date && date < *end),
            Form::Redacted(letters) => {
                let own = value.text.chars();
                own.clone().count() == letters.len() && own.zip(letters).all(|(own, seen)| *seen == '*' || *seen == own)
            }
            Form::Set(members, parts) => {
                members.iter().any(|member| member == value.text) || parts.iter().any(|part| part.stands_for(value))
            }
        }
    }
}

fn numbers(label: &str) -> Option<Form> {
    let number = |text: &str| parse_decimal(text.trim());
    if let Some(low) = label.strip_prefix(">=") {
        return Some(Form::Numbers(number(low)?, f64::INFINITY, true));
    }
    if let Some(high) = label.strip_prefix('<') {
        return Some(Form::Numbers(f64::NEG_INFINITY, number(high)?, false));
    }
    if let Some(inside) = label.strip_prefix('[') {
        let (ends, closed) = match inside.strip_suffix(']') {
            Some(ends) => (ends, true),
            None => (inside.strip_suffix(')')?, false),
        };
        let (low, high) = ends.split_once(',')?;
        return Some(Form::Numbers(number(low)?, number(high)?, closed));
    }
    let (low, high) = label.split_once("..").or_else(|| label.split_once('-'))?;
    Some(Form::Numbers(number(low)?, number(high)?, true))
}

fn days(label: &str) -> Option<Form> {
    let (first, last) = label.split_once("..").unwrap_or((label, label));
    let ((first, _), (_, end)) = (period(first)?, period(last)?);
    Some(Form::Moments(first, end))
}

/// The first moment of a day, month, quarter, year or decade, and the first one after it; for a
/// moment itself, and the next.
fn period(label: &str) -> Option<(DateTime, DateTime)> {
    if let Some(moment) = parse_timestamp(label) {
        let length = if label.len() == 10 { jiff::Span::new().days(1) } else { jiff::Span::new().nanoseconds(1) };
        return Some((moment, moment.checked_add(length).ok()?));
    }
    let year: i16 = label.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
    let (month, months) = match &label[4..] {
        "" => (1, 12),
        "s" => (1, 120),
        rest => match rest.strip_prefix("-Q") {
            Some(quarter) => (quarter.parse::<i8>().ok()?.checked_mul(3)?.checked_sub(2)?, 3),
            None => (rest.strip_prefix('-').filter(|month| month.len() == 2)?.parse().ok()?, 1),
        },
    };
    let first = Date::new(year, month, 1).ok()?.to_datetime(Time::midnight());
    Some((first, first.checked_add(jiff::Span::new().months(months)).ok()?))
}

fn redacted(label: &str) -> Option<Form> {
    label.contains('*').then(|| Form::Redacted(label.chars().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands_for(label: &str, value: &str) -> bool {
        label == value || Form::read(label).is_some_and(|form| form.stands_for(&Value::new(value)))
    }

    #[test]
    fn labels_are_read_as_they_are_written() {
        let yes: [(&str, &[&str]); 14] = [
            ("20-34", &["20", "27.5", "34"]),
            ("-4..1.5", &["-4", "0", "1.5"]),
            ("[-5, -1]", &["-5", "-1"]),
            ("[0.5, 1.0)", &["0.5", "0.99"]),
            (">=90", &["90", "104"]),
            ("<18", &["17", "-3"]),
            ("2021-05", &["2021-05-01", "2021-05-31"]),
            ("2021-Q2", &["2021-04-01", "2021-06-30"]),
            ("2021-11..2022-01", &["2021-11-01", "2022-01-31"]),
            ("2020s", &["2029-12-31"]),
            ("2020-01-30..2020-02-01", &["2020-01-31"]),
            ("130**", &["13053"]),
            ("{cook, nurse}", &["cook", "nurse"]),
            ("{?, 20-34}", &["?", "21"]),
        ];
        for (label, values) in yes {
            assert!(values.iter().all(|value| stands_for(label, value)), "{label} {values:?}");
        }
        let no: [(&str, &[&str]); 10] = [
            ("20-34", &["19", "35", "x", "2021-05-01"]),
            ("[0.5, 1.0)", &["1.0", "1"]),
            (">=90", &["89"]),
            ("<18", &["18"]),
            ("2021-05", &["2021-06-01", "2021"]),
            ("2021-Q2", &["2021-07-01"]),
            ("130**", &["14053", "130531"]),
            ("{cook, nurse}", &["coo", "smith", "ook"]),
            ("{?, 20-34}", &["35"]),
            ("Europe", &["Italy"]),
        ];
        for (label, values) in no {
            assert!(!values.iter().any(|value| stands_for(label, value)), "{label} {values:?}");
        }
    }
}
