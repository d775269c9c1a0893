//! Information kept: how much of each column the published labels still tell. One definition for
//! every method and form.
//!
//! **Definition**: a cell loses the share of its column that its label leaves open: of numbers and
//! dates the label's range over the range of all published labels; of a label that stands over
//! leaves of the plan's hierarchy (leaves − 1)/(all leaves − 1); of a redacted text the share of
//! characters that are `*`; of a set of values (values − 1)/(all published values − 1). `*` and a
//! suppressed record lose everything, an exact value nothing. A range with an open end, `>=90`,
//! loses as much as the widest closed one, and at least one in as many as there are labels: how far
//! it reaches is hidden. A range of texts, `a..f`, loses the share of all published ends that lie
//! in it: how many values are between them is hidden too. A column keeps one minus the mean loss of
//! its cells, suppressed records included; the release keeps the mean over quasi-identifiers.
//!
//! It reads published labels and the plan alone, so that anybody who has the release can compute it
//! again. **Reference**: Iyengar 2002; Xu et al. 2006 (normalized certainty penalty).

use crate::data::hierarchy::{Ruler, TOP};
use crate::data::{Column, ColumnSpec, Dictionary, ValueType, parse_date, parse_decimal, set_members, without_missing};
use jiff::civil::Date;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The name of the loss of a whole release, and what it means.
pub const LOSS: (&str, &str) =
    ("information-loss", "Mean over all cells of quasi-identifiers of the share that the published label leaves open");

/// What the labels of a published column are measured by: the rule of its hierarchy knows, else the
/// type that its values had. `level` is the one that all labels are on, if they are on one.
pub fn ruler(spec: &ColumnSpec, value_type: ValueType, published: &Dictionary, level: Option<usize>) -> Ruler {
    let rule = spec.rule.as_ref();
    rule.and_then(|rule| rule.ruler(published, level)).unwrap_or(match value_type {
        ValueType::Integer | ValueType::Decimal => Ruler::Numbers,
        ValueType::Date => Ruler::Dates,
        ValueType::Text if rule.is_some_and(|rule| rule.goes_by_order()) => Ruler::Spans,
        ValueType::Text => Ruler::Values,
    })
}

/// The share of a column's information that is kept.
///
/// ```
/// use sfumato::data::{Column, hierarchy::Ruler};
/// use sfumato::utility::information::kept;
///
/// let zip = Column::from_values("zip", ["13053", "1305*", "*"]);
/// assert_eq!(kept(&zip, &Ruler::Characters, 0), 1.0 - (0.0 + 0.2 + 1.0) / 3.0);
/// ```
pub fn kept(published: &Column, ruler: &Ruler, suppressed: u64) -> f64 {
    let labels = published.domain().labels();
    let records = published.codes().len() as u64 + suppressed;
    if records == 0 {
        return 0.0;
    }
    let widths = widths(labels, ruler);
    let lost: f64 = widths.iter().zip(published.counts()).map(|(width, count)| width * count as f64).sum();
    1.0 - (lost + suppressed as f64) / records as f64
}

/// The mean over columns; nothing is lost where there are none.
pub fn overall(kept: impl ExactSizeIterator<Item = f64>) -> f64 {
    let columns = kept.len();
    if columns == 0 { 1.0 } else { kept.sum::<f64>() / columns as f64 }
}

/// For each label the share of the column that it leaves open.
fn widths(labels: &Dictionary, ruler: &Ruler) -> Vec<f64> {
    match ruler {
        Ruler::Characters => labels.iter().map(masked).collect(),
        Ruler::Leaves { all, under } => labels
            .iter()
            .map(|label| match (label, under.get(label)) {
                (TOP, _) => 1.0,
                (_, Some(under)) => share(under.saturating_sub(1).into(), all.saturating_sub(1).into()),
                (_, None) => 0.0,
            })
            .collect(),
        Ruler::Numbers => ranges(labels, number_range),
        Ruler::Dates => ranges(labels, date_range),
        Ruler::Values => sets(labels),
        Ruler::Spans => spans(labels),
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

fn masked(label: &str) -> f64 {
    let hidden = label.chars().filter(|letter| *letter == '*').count();
    share(hidden as f64, label.chars().count() as f64)
}

/// The ends of a label, infinite where it is open; nothing for a label that is no range, such as a
/// missing value.
pub(crate) type Ends = (f64, f64);

fn ranges(labels: &Dictionary, parse: fn(&str) -> Option<Ends>) -> Vec<f64> {
    let ends: Vec<Option<Ends>> = labels.iter().map(|label| parse(without_missing(label))).collect();
    let finite = || ends.iter().flatten().flat_map(|(low, high)| [*low, *high]).filter(|end| end.is_finite());
    let (least, most) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let is_closed = |(low, high): &&Ends| low.is_finite() && high.is_finite();
    let closed = |(low, high): &Ends| share(high - low, most - least);
    let widest = ends.iter().flatten().filter(is_closed).map(closed).fold(1.0 / labels.len() as f64, f64::max);
    let width = |(label, ends): (&str, &Option<Ends>)| match ends {
        _ if label == TOP => 1.0,
        None => 0.0,
        // A missing value beside a range is one value more, no wider range.
        Some(ends) if is_closed(&ends) => closed(ends),
        Some(_) => widest,
    };
    labels.iter().zip(&ends).map(width).collect()
}

/// 23, 20-24, -4..1.5, [20, 25), [-5, -1], <20 and >=90.
pub(crate) fn number_range(label: &str) -> Option<Ends> {
    if let Some(number) = parse_decimal(label) {
        return Some((number, number));
    }
    open_range(label, parse_decimal).or_else(|| {
        let bracketed = label.strip_prefix('[').and_then(|rest| rest.strip_suffix([')', ']']));
        let (low, high) = bracketed.map_or_else(
            || label.split_once("..").or_else(|| label.split_once('-')),
            |inside| inside.split_once(", "),
        )?;
        Some((parse_decimal(low)?, parse_decimal(high)?))
    })
}

fn open_range(label: &str, parse: impl Fn(&str) -> Option<f64>) -> Option<Ends> {
    let below = label.strip_prefix('<').and_then(&parse).map(|end| (f64::NEG_INFINITY, end));
    below.or_else(|| label.strip_prefix(">=").and_then(&parse).map(|start| (start, f64::INFINITY)))
}

/// A day, a calendar unit, or a range from one to another, in days.
pub(crate) fn date_range(label: &str) -> Option<Ends> {
    match label.split_once("..") {
        Some((low, high)) => Some((calendar_unit(low)?.0, calendar_unit(high)?.1)),
        None => calendar_unit(label),
    }
}

/// 2021-05-31, 2021-05, 2021-Q2, 2021 and 2020s.
fn calendar_unit(label: &str) -> Option<Ends> {
    if let Some(day) = parse_date(label) {
        return Some((day_number(day), day_number(day)));
    }
    let year: i16 = label.get(..4)?.parse().ok()?;
    let (first, months) = match label.get(4..)? {
        "" => (1, 12),
        "s" => (1, 120),
        rest => match rest.strip_prefix("-Q") {
            Some(quarter) => (quarter.parse::<i8>().ok()?.checked_mul(3)?.checked_sub(2)?, 3),
            None => (rest.strip_prefix('-')?.parse().ok()?, 1),
        },
    };
    let start = Date::new(year, first, 1).ok()?;
    let end = start.checked_add(jiff::Span::new().months(months)).ok()?.yesterday().ok()?;
    Some((day_number(start), day_number(end)))
}

fn day_number(day: Date) -> f64 {
    // Every day of the calendar is a whole number of days from this one.
    day.since(Date::constant(2000, 1, 1)).map_or(0.0, |span| f64::from(span.get_days()))
}

/// Values and sets of them.
fn sets(labels: &Dictionary) -> Vec<f64> {
    let members = |label: &str| set_members(label).map_or(1, |members| members.len());
    let named = labels.iter().filter(|label| *label != TOP);
    let values: BTreeSet<Cow<'_, str>> =
        named.flat_map(|label| set_members(label).unwrap_or_else(|| vec![label.into()])).collect();
    let others = values.len().saturating_sub(1) as f64;
    let width = |label: &str| if label == TOP { 1.0 } else { share(members(label).saturating_sub(1) as f64, others) };
    labels.iter().map(width).collect()
}

/// Values and ranges of them, `a..c`.
fn spans(labels: &Dictionary) -> Vec<f64> {
    let named = labels.iter().filter(|label| *label != TOP);
    let ends: BTreeSet<&str> =
        named.flat_map(|label| label.split_once("..").map_or(vec![label], |(low, high)| vec![low, high])).collect();
    let width = |label: &str| match label.split_once("..") {
        _ if label == TOP => 1.0,
        None => 0.0,
        Some((low, high)) => {
            let (low, high) = (low.min(high), low.max(high));
            share(ends.range(low..=high).count() as f64, ends.len() as f64)
        }
    };
    labels.iter().map(width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ruler: &Ruler, cases: &[(&str, f64)]) {
        let labels: Dictionary = cases.iter().map(|case| case.0).collect();
        for ((label, expected), found) in cases.iter().zip(widths(&labels, ruler)) {
            assert!((found - expected).abs() < 1e-12, "{label}: {found}, not {expected}");
        }
    }

    #[test]
    fn ranges_are_compared_with_the_range_of_all_labels() {
        check(&Ruler::Numbers, &[("0", 0.0), ("100", 0.0), ("20-40", 0.2), ("*", 1.0), ("?", 0.0)]);
        check(&Ruler::Numbers, &[("<20", 1.0 / 3.0), ("20-29", 0.9 / 7.0), (">=90", 1.0 / 3.0)]);
        check(&Ruler::Numbers, &[("[-10, 0)", 0.5), ("[-5, -1]", 0.2), ("-4..6.0", 0.5), ("10", 0.0)]);
        check(&Ruler::Numbers, &[("{?, 10-20}", 0.5), ("0-20", 1.0)]);
        check(&Ruler::Numbers, &[("20-39", 1.0)]);
    }

    #[test]
    fn calendar_units_are_as_long_as_they_are() {
        let year = 365.0;
        check(
            &Ruler::Dates,
            &[
                ("2021", 364.0 / (year + 364.0)),
                ("2022", 364.0 / (year + 364.0)),
                ("2021-Q2", 90.0 / (year + 364.0)),
                ("2021-01", 30.0 / (year + 364.0)),
                ("2021-01-01..2022-01-01", 365.0 / (year + 364.0)),
                ("2021-05-31", 0.0),
            ],
        );
        check(&Ruler::Dates, &[("2020s", 1.0), ("not a date", 0.0)]);
    }

    #[test]
    fn sets_leaves_and_characters() {
        check(&Ruler::Values, &[("a", 0.0), ("{a, b}", 0.5), ("{a, b, c}", 1.0), ("*", 1.0)]);
        check(&Ruler::Values, &[("{\"a, b\", c}", 1.0 / 3.0), ("d", 0.0), ("a..d", 0.0)]);
        check(&Ruler::Spans, &[("a..c", 0.5), ("d..f", 0.5)]);
        check(&Ruler::Spans, &[("a", 0.0), ("b..c", 0.5), ("d", 0.0)]);
        check(&Ruler::Characters, &[("13053", 0.0), ("130**", 0.4), ("*", 1.0)]);
        let under = [("Europe".to_string(), 3)].into();
        check(&Ruler::Leaves { all: 5, under }, &[("Italy", 0.0), ("Europe", 0.5), ("*", 1.0)]);
    }

    #[test]
    fn suppressed_records_lose_everything() {
        let jobs = Column::from_values("job", ["cook", "smith", "*"]);
        assert_eq!(kept(&jobs, &Ruler::Values, 1), 0.5);
        assert_eq!(kept(&Column::from_values("job", [""; 0]), &Ruler::Values, 0), 0.0);
        assert_eq!(overall([1.0, 0.5].into_iter()), 0.75);
    }
}
