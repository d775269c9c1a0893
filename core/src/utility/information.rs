//! Information kept: how much of each column the published labels still tell. One definition for
//! every method and form.
//!
//! **Definition**: a cell loses the share of its column that its label leaves open: of numbers and
//! dates the label's range over the whole range; of a label that stands over leaves of the plan's
//! hierarchy (leaves − 1)/(all leaves − 1); of a redacted text the share of characters that are
//! `*`; of a set of values (values − 1)/(all published values − 1). `*` and a suppressed record
//! lose everything, an exact value nothing. The whole range goes from the least to the greatest
//! published end. With a hierarchy of intervals or dates it is widened to the widest intervals or
//! the coarsest units, and by one such interval beyond `bottom` and `top`, so that a label loses
//! the same on a level and in a group. A range with an open end, `>=90`, goes to the end of the
//! whole range. A range of texts, `a..f`, loses the share of all published ends that lie in it: how
//! many values are between them is hidden. A mean or median loses everything, since it does not say
//! between which values its group lies: what is stated is a lower bound there. A column keeps one minus the mean loss of its cells,
//! suppressed records included; a record and the release keep the mean over quasi-identifiers by
//! their weights.
//!
//! It reads published labels and the plan alone, so that anybody who has the release can compute it
//! again. **Reference**: Iyengar 2002; Xu et al. 2006 (normalized certainty penalty, weighted).

use crate::data::hierarchy::{Ruler, TOP};
use crate::data::{
    Column, ColumnSpec, Dictionary, ValueType, parse_decimal, parse_timestamp, set_members, without_missing,
};
use jiff::civil::{Date, Time};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The name of the loss of a whole release, and what it means.
pub const LOSS: (&str, &str) = (
    "information-loss",
    "Mean over all cells of quasi-identifiers, by weight, of the share that the published label leaves open",
);

/// What the labels of a published column are measured by: the rule of its hierarchy knows, else the
/// type that its values had. `level` is the one that all labels are on, if they are on one.
pub fn ruler(spec: &ColumnSpec, value_type: ValueType, published: &Dictionary, level: Option<usize>) -> Ruler {
    if let Some(center) = spec.center {
        return Ruler::Center(center);
    }
    let rule = spec.rule.as_ref();
    let ruler = rule.and_then(|rule| rule.ruler(published, level)).unwrap_or(match value_type {
        ValueType::Integer | ValueType::Decimal => Ruler::Numbers { whole: None },
        ValueType::Date | ValueType::Timestamp => Ruler::Dates { whole: None },
        ValueType::Time => Ruler::Spans,
        ValueType::Text if rule.is_some_and(|rule| rule.goes_by_order()) => Ruler::Spans,
        ValueType::Text => Ruler::Values,
    });
    // A whole range is said where a label is measured against it, and nowhere else.
    let without = match ruler {
        Ruler::Numbers { .. } => Ruler::Numbers { whole: None },
        Ruler::Dates { .. } => Ruler::Dates { whole: None },
        other => return other,
    };
    if widths(published, &ruler) == widths(published, &without) { without } else { ruler }
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

/// A published quasi-identifier.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// Its labels.
    pub column: &'a Column,
    /// What they are measured by.
    pub ruler: &'a Ruler,
    /// How much it counts beside the others.
    pub weight: f64,
}

/// The share of information that is kept, over all quasi-identifiers by their weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// Of all records.
    pub overall: f64,
    /// How many of all records keep at least half of theirs, as a share.
    pub at_least_half: f64,
    /// What the published record keeps that keeps least.
    pub least: f64,
}

/// Sums of shares may be off by rounding.
const ROUNDING: f64 = 1e-9;

/// What is kept of each column, and of all together. Nothing is lost where there are no columns.
///
/// # Claim
/// `overall` is the mean over all records of what each keeps, suppressed ones nothing: both are
/// sums over the same cells.
///
/// ```
/// use sfumato::data::{Column, hierarchy::Ruler};
/// use sfumato::utility::information::{Measured, measure};
///
/// let age = Column::from_values("age", ["1", "1", "9"]);
/// let zip = Column::from_values("zip", ["13053", "1****", "*"]);
/// let (whole, weight) = (None, 3.0); // ages count three times
/// let age = Measured { column: &age, ruler: &Ruler::Numbers { whole }, weight };
/// let zip = Measured { column: &zip, ruler: &Ruler::Characters, weight: 1.0 };
/// let (columns, kept) = measure(&[age, zip], 1);
/// assert_eq!(columns[0], 0.75); // one of four records is suppressed
/// assert!((kept.overall - (1.0 + 0.8 + 0.75 + 0.0) / 4.0).abs() < 1e-12);
/// assert_eq!((kept.at_least_half, kept.least), (0.75, 0.75));
/// ```
pub fn measure(columns: &[Measured<'_>], suppressed: u64) -> (Vec<f64>, Kept) {
    let weights: f64 = columns.iter().map(|one| one.weight).sum();
    let each: Vec<f64> = columns.iter().map(|one| kept(one.column, one.ruler, suppressed)).collect();
    let Some(first) = columns.first() else {
        return (each, Kept { overall: 1.0, at_least_half: 1.0, least: 1.0 });
    };
    let overall = columns.iter().zip(&each).map(|(one, kept)| one.weight * kept).sum::<f64>() / weights;
    let widths: Vec<Vec<f64>> = columns.iter().map(|one| widths(one.column.domain().labels(), one.ruler)).collect();
    let lost = |row: usize| {
        let cells = columns.iter().zip(&widths);
        cells.map(|(one, widths)| one.weight * widths[one.column.codes()[row] as usize]).sum::<f64>() / weights
    };
    let rows = first.column.codes().len();
    let (mut half, mut most) = (0u64, 0f64);
    for lost in (0..rows).map(lost) {
        half += u64::from(lost <= 0.5 + ROUNDING);
        most = most.max(lost);
    }
    let share = half as f64 / (rows as u64 + suppressed).max(1) as f64;
    (each, Kept { overall, at_least_half: share, least: if rows == 0 { 0.0 } else { 1.0 - most } })
}

/// For each label the share of the column that it leaves open.
pub fn widths(labels: &Dictionary, ruler: &Ruler) -> Vec<f64> {
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
        Ruler::Numbers { whole } => ranges(labels, whole.as_deref(), number_range),
        Ruler::Dates { whole } => ranges(labels, whole.as_deref(), date_range),
        Ruler::Values => sets(labels),
        Ruler::Spans => spans(labels),
        Ruler::Center(_) => labels.iter().map(central).collect(),
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

fn masked(label: &str) -> f64 {
    let hidden = label.chars().filter(|letter| *letter == '*').count();
    share(hidden as f64, label.chars().count() as f64)
}

/// A mean leaves everything open; that all values are missing is said exactly.
fn central(label: &str) -> f64 {
    let is_center = label == TOP || parse_decimal(without_missing(label)).is_some();
    if is_center { 1.0 } else { 0.0 }
}

/// The ends of a label, infinite where it is open; nothing for a label that is no range, such as a
/// missing value.
pub(crate) type Ends = (f64, f64);

fn ranges(labels: &Dictionary, whole: Option<&str>, parse: fn(&str) -> Option<Ends>) -> Vec<f64> {
    let ends: Vec<Option<Ends>> = labels.iter().map(|label| parse(without_missing(label))).collect();
    let is_closed = |(low, high): &Ends| low.is_finite() && high.is_finite();
    let finite = || ends.iter().flatten().flat_map(|(low, high)| [*low, *high]).filter(|end| end.is_finite());
    let published = || (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let said = whole.and_then(parse).filter(is_closed);
    let (least, most) = said.unwrap_or_else(published);
    let width = |(label, ends): (&str, &Option<Ends>)| match ends {
        _ if label == TOP => 1.0,
        None => 0.0,
        // How far it reaches is hidden.
        Some(ends) if !is_closed(ends) && said.is_none() => 1.0,
        // A missing value beside a range is one value more, no wider range.
        Some((low, high)) => share(high.min(most) - low.max(least), most - least),
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

/// A moment, a day, a calendar unit, or a range from one to another, in days.
pub(crate) fn date_range(label: &str) -> Option<Ends> {
    match label.split_once("..") {
        Some((low, high)) => Some((calendar_unit(low)?.0, calendar_unit(high)?.1)),
        None => calendar_unit(label),
    }
}

/// 2021-05-31, 2021-05, 2021-Q2, 2021 and 2020s.
fn calendar_unit(label: &str) -> Option<Ends> {
    if let Some(moment) = parse_timestamp(label) {
        let seconds = moment.time().duration_since(Time::midnight()).as_secs_f64();
        let place = day_number(moment.date()) + seconds / 86_400.0;
        return Some((place, place));
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
    use crate::data::Center;

    fn check(ruler: &Ruler, cases: &[(&str, f64)]) {
        let labels: Dictionary = cases.iter().map(|case| case.0).collect();
        for ((label, expected), found) in cases.iter().zip(widths(&labels, ruler)) {
            assert!((found - expected).abs() < 1e-12, "{label}: {found}, not {expected}");
        }
    }

    #[test]
    fn ranges_are_compared_with_the_range_of_all_labels() {
        let numbers = Ruler::Numbers { whole: None };
        check(&numbers, &[("0", 0.0), ("100", 0.0), ("20-40", 0.2), ("*", 1.0), ("?", 0.0)]);
        check(&numbers, &[("<20", 1.0), ("20-29", 0.9 / 7.0), (">=90", 1.0)]);
        check(&numbers, &[("[-10, 0)", 0.5), ("[-5, -1]", 0.2), ("-4..6.0", 0.5), ("10", 0.0)]);
        check(&numbers, &[("{?, 10-20}", 0.5), ("0-20", 1.0)]);
        check(&numbers, &[("20-39", 1.0)]);
        let within = Ruler::Numbers { whole: Some("0-100".into()) };
        check(&within, &[("<20", 0.2), ("20-30", 0.1), (">=90", 0.1), ("7", 0.0), ("90-120", 0.1), ("200", 0.0)]);
        let unreadable = Ruler::Numbers { whole: Some("all".into()) };
        check(&unreadable, &[("0", 0.0), ("100", 0.0), ("20-40", 0.2)]);
    }

    #[test]
    fn calendar_units_are_as_long_as_they_are() {
        let year = 365.0;
        let dates = Ruler::Dates { whole: None };
        check(
            &dates,
            &[
                ("2021", 364.0 / (year + 364.0)),
                ("2022", 364.0 / (year + 364.0)),
                ("2021-Q2", 90.0 / (year + 364.0)),
                ("2021-01", 30.0 / (year + 364.0)),
                ("2021-01-01..2022-01-01", 365.0 / (year + 364.0)),
                ("2021-05-31", 0.0),
            ],
        );
        check(&dates, &[("2020s", 1.0), ("not a date", 0.0)]);
        let days = 3652.0;
        let whole = Some("2020s".into());
        check(&Ruler::Dates { whole }, &[("2021", 364.0 / days), ("2021-01-01..2022-01-01", 365.0 / days)]);
    }

    #[test]
    fn sets_leaves_and_characters() {
        check(&Ruler::Values, &[("a", 0.0), ("{a, b}", 0.5), ("{a, b, c}", 1.0), ("*", 1.0)]);
        check(&Ruler::Values, &[("{\"a, b\", c}", 1.0 / 3.0), ("d", 0.0), ("a..d", 0.0)]);
        check(&Ruler::Spans, &[("a..c", 0.5), ("d..f", 0.5)]);
        check(&Ruler::Spans, &[("a", 0.0), ("b..c", 0.5), ("d", 0.0)]);
        check(&Ruler::Characters, &[("13053", 0.0), ("130**", 0.4), ("*", 1.0)]);
        check(&Ruler::Center(Center::Mean), &[("34.2", 1.0), ("{?, 34.2}", 1.0), ("?", 0.0), ("*", 1.0)]);
        let under = [("Europe".to_string(), 3)].into();
        check(&Ruler::Leaves { all: 5, under }, &[("Italy", 0.0), ("Europe", 0.5), ("*", 1.0)]);
    }

    #[test]
    fn suppressed_records_lose_everything() {
        let jobs = Column::from_values("job", ["cook", "smith", "*"]);
        assert_eq!(kept(&jobs, &Ruler::Values, 1), 0.5);
        assert_eq!(kept(&Column::from_values("job", [""; 0]), &Ruler::Values, 0), 0.0);
        let (columns, kept) = measure(&[], 7);
        assert!(columns.is_empty());
        assert_eq!(kept, Kept { overall: 1.0, at_least_half: 1.0, least: 1.0 });
        let none = Column::from_values("job", [""; 0]);
        let (_, kept) = measure(&[Measured { column: &none, ruler: &Ruler::Values, weight: 1.0 }], 7);
        assert_eq!(kept, Kept { overall: 0.0, at_least_half: 0.0, least: 0.0 });
    }
}
