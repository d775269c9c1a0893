//! What the values of a column are, read off the distinct values.

use super::Dictionary;
use super::spelling::clock;
use jiff::civil::{Date, DateTime, Time};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// What the values of a column are; decides their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// Anything; ordered by bytes, or as the plan lists them.
    Text,
    /// Whole numbers of up to 18 digits. Numbers with leading zeros (postal codes) are text.
    Integer,
    /// Numbers with a point or an exponent.
    Decimal,
    /// Calendar dates, `2021-03-31`.
    Date,
    /// Dates with a time of day, `2021-03-31 14:05`; a date alone is its midnight.
    Timestamp,
    /// Times of day, `14:05` or `14:05:30`.
    Time,
}

impl ValueType {
    /// All types.
    pub const ALL: [ValueType; 6] = [
        ValueType::Text,
        ValueType::Integer,
        ValueType::Decimal,
        ValueType::Date,
        ValueType::Timestamp,
        ValueType::Time,
    ];

    /// The word in plans and reports.
    pub fn name(self) -> &'static str {
        match self {
            ValueType::Text => "text",
            ValueType::Integer => "integer",
            ValueType::Decimal => "decimal",
            ValueType::Date => "date",
            ValueType::Timestamp => "timestamp",
            ValueType::Time => "time",
        }
    }

    /// The type with this name.
    pub fn find(name: &str) -> Option<ValueType> {
        ValueType::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether values have an order of their own.
    pub fn is_ordered(self) -> bool {
        self != ValueType::Text
    }

    /// Whether the text is a value of this type.
    pub fn admits(self, text: &str) -> bool {
        match self {
            ValueType::Text => true,
            ValueType::Integer => parse_integer(text).is_some(),
            ValueType::Decimal => parse_decimal(text).is_some(),
            ValueType::Date => parse_date(text).is_some(),
            ValueType::Timestamp => parse_timestamp(text).is_some(),
            ValueType::Time => parse_time(text).is_some(),
        }
    }

    /// The narrowest type that admits every value; text if there is none.
    pub fn detect<'a>(values: impl Iterator<Item = &'a str> + Clone) -> ValueType {
        let candidates = &ValueType::ALL[1..];
        let nothing = values.clone().next().is_none();
        let found = candidates.iter().copied().find(|kind| values.clone().all(|value| kind.admits(value)));
        if nothing { ValueType::Text } else { found.unwrap_or(ValueType::Text) }
    }

    /// Whether two texts stand for the same value: 1.5 and 1.50 are one number. Whole numbers and
    /// dates have one way to be written.
    pub fn is_same(self, a: &str, b: &str) -> bool {
        a == b || (self == ValueType::Decimal && canonical(a) == canonical(b))
    }

    /// The values of several lists as (list, position), in the order of this type; equal numbers
    /// written differently are ordered by bytes.
    pub(super) fn sorted(self, lists: &[Dictionary]) -> Vec<(u32, u32)> {
        match self {
            ValueType::Text => sort_by_key(lists, text_key, str::cmp),
            ValueType::Integer => {
                sort_by_key(lists, |value| signed_key(parse_integer(value).unwrap_or(i64::MAX)), str::cmp)
            }
            // Ways to write one number must stand together, also where longer numbers share their
            // key.
            ValueType::Decimal => sort_by_key(
                lists,
                |value| float_key(parse_decimal(value).unwrap_or(f64::MAX)),
                |a, b| canonical(a).cmp(&canonical(b)).then_with(|| a.cmp(b)),
            ),
            ValueType::Date => sort_by_key(lists, |value| parse_date(value).map_or(u64::MAX, date_key), str::cmp),
            ValueType::Timestamp => {
                sort_by_key(lists, |value| parse_timestamp(value).map_or(u64::MAX, moment_key), str::cmp)
            }
            ValueType::Time => sort_by_key(lists, |value| parse_time(value).map_or(u64::MAX, time_key), str::cmp),
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Sorts by a key that follows the order, and by `tie` where keys are equal. Most comparisons need
/// only the key.
fn sort_by_key(
    lists: &[Dictionary],
    key: impl Fn(&str) -> u64,
    tie: impl Fn(&str, &str) -> Ordering + Sync,
) -> Vec<(u32, u32)> {
    use rayon::slice::ParallelSliceMut;
    let mut keyed = Vec::with_capacity(lists.iter().map(Dictionary::len).sum());
    for (list, values) in lists.iter().enumerate() {
        keyed.extend(values.iter().zip(0u32..).map(|(value, at)| (key(value), list as u32, at)));
    }
    let value = |&(_, list, at): &(u64, u32, u32)| lists[list as usize].get(at);
    keyed.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| tie(value(a), value(b))));
    keyed.iter().map(|&(_, list, at)| (list, at)).collect()
}

/// The first eight bytes, which order texts as far as they go.
fn text_key(text: &str) -> u64 {
    let mut first = [0; 8];
    let length = text.len().min(8);
    first[..length].copy_from_slice(&text.as_bytes()[..length]);
    u64::from_be_bytes(first)
}

fn signed_key(number: i64) -> u64 {
    number as u64 ^ 1 << 63
}

/// Bits of a float, turned so that they order as the numbers do.
fn float_key(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn date_key(date: Date) -> u64 {
    (date.year() as i64 + 10_000) as u64 * 10_000 + date.month() as u64 * 100 + date.day() as u64
}

/// Microseconds of the day; what is finer is decided by the text.
fn time_key(time: Time) -> u64 {
    let seconds = (time.hour() as u64 * 60 + time.minute() as u64) * 60 + time.second() as u64;
    seconds * 1_000_000 + time.subsec_nanosecond() as u64 / 1000
}

fn moment_key(moment: DateTime) -> u64 {
    const DAY: u64 = 86_400_000_000;
    date_key(moment.date()) * DAY + time_key(moment.time())
}

/// A whole number without leading zeros or plus sign, of at most 18 digits.
pub fn parse_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = (1..=18).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = plain && (digits.len() == 1 || !digits.starts_with('0')) && text != "-0";
    if canonical { text.parse().ok() } else { None }
}

/// A finite number in decimal notation; no leading zeros but the one before the point.
pub fn parse_decimal(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let bytes = digits.as_bytes();
    let starts_well = bytes.first().is_some_and(u8::is_ascii_digit)
        && !(bytes[0] == b'0' && bytes.get(1).is_some_and(u8::is_ascii_digit));
    let allowed = bytes.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if starts_well && allowed { text.parse().ok().filter(|number: &f64| number.is_finite()) } else { None }
}

/// Sign, digits and power of ten of a decimal, the same for every way to write the number.
pub(super) fn canonical(text: &str) -> Option<(bool, String, i64)> {
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (negative, number) = number.strip_prefix('-').map_or((false, number), |rest| (true, rest));
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{part}");
    let kept = digits.trim_end_matches('0');
    if kept.is_empty() {
        return Some((false, String::new(), 0));
    }
    let dropped = (digits.len() - kept.len()) as i64;
    let power = exponent.parse::<i64>().ok()?.checked_sub(part.len() as i64)?.checked_add(dropped)?;
    Some((negative, kept.trim_start_matches('0').to_string(), power))
}

/// A text in which every way to write one number is the same; other texts stay as they are.
///
/// ```
/// use sfumato::data::canonical_text;
///
/// assert_eq!(canonical_text("30.0"), canonical_text("30"));
/// assert_eq!(canonical_text("030"), "030", "postal codes keep their zeros");
/// ```
pub fn canonical_text(text: &str) -> Cow<'_, str> {
    let is_plain = text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit()) && text != "-0";
    if is_plain || parse_decimal(text).is_none() {
        return text.into();
    }
    let Some((negative, digits, power)) = canonical(text) else { return text.into() };
    let sign = if negative { "-" } else { "" };
    match usize::try_from(power) {
        _ if digits.is_empty() => "0".into(),
        Ok(zeros) if zeros <= 40 => format!("{sign}{digits}{}", "0".repeat(zeros)).into(),
        _ => format!("{sign}{digits}e{power}").into(),
    }
}

/// A date as `YYYY-MM-DD`.
pub fn parse_date(text: &str) -> Option<Date> {
    if text.len() == 10 && text.as_bytes()[4] == b'-' { text.parse().ok() } else { None }
}

/// A time of day as `14:05`, `14:05:30` or `14:05:30.5`.
pub fn parse_time(text: &str) -> Option<Time> {
    let is_written_well = text.as_bytes().get(2) == Some(&b':') && clock(text).is_some_and(|time| time == text);
    if is_written_well { text.parse().ok() } else { None }
}

/// A date with a time of day behind a blank or a T, as it is written: a Z behind it changes nothing.
/// A date alone is its midnight.
pub fn parse_timestamp(text: &str) -> Option<DateTime> {
    let (date, time) = text.split_at_checked(10)?;
    let date = parse_date(date)?;
    if time.is_empty() {
        return Some(date.to_datetime(Time::midnight()));
    }
    let time = time.strip_prefix(['T', ' '])?;
    Some(date.to_datetime(parse_time(time.strip_suffix('Z').unwrap_or(time))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(values: &[&str]) -> ValueType {
        ValueType::detect(values.iter().copied())
    }

    #[test]
    fn types_are_read_off_the_values() {
        assert_eq!(detect(&["1", "-20"]), ValueType::Integer);
        assert_eq!(detect(&["1", "2.5", "1e3"]), ValueType::Decimal);
        assert_eq!(detect(&["01234", "12345"]), ValueType::Text, "postal codes keep their zeros");
        assert_eq!(detect(&["2021-03-31", "1999-01-01"]), ValueType::Date);
        assert_eq!(detect(&["2021-02-30"]), ValueType::Text, "no such day");
        assert_eq!(detect(&["nan", "inf"]), ValueType::Text);
        assert_eq!(detect(&[]), ValueType::Text);
        assert_eq!(detect(&["1234567890123456789"]), ValueType::Decimal, "beyond 18 digits order is approximate");
    }

    #[test]
    fn one_number_has_one_canonical_form() {
        for same in [["1", "1.0"], ["1.50", "1.5"], ["100", "1e2"], ["0", "-0.0"], ["0.10", "1E-1"], ["-2.5e1", "-25"]]
        {
            assert!(ValueType::Decimal.is_same(same[0], same[1]), "{same:?}");
            assert!(!ValueType::Text.is_same(same[0], same[1]), "{same:?}");
            assert_eq!(canonical_text(same[0]), canonical_text(same[1]));
        }
        assert!(!ValueType::Decimal.is_same("0.1000000000000000000001", "0.1"), "floats could not tell these apart");
        let column = crate::data::Column::from_values("c", ["1", "2.5", "1.0", "2.50", "1e0"]);
        assert_eq!(column.domain().len(), 5, "texts are kept");
        let merged = column.with_equal_numbers_merged();
        assert_eq!(merged.codes(), [0, 1, 0, 1, 0]);
        assert_eq!(merged.domain().label(0), "1");
    }

    #[test]
    fn order_is_that_of_the_values() {
        let sorted = |kind: ValueType, values: &[&str]| -> Vec<u32> {
            kind.sorted(&[values.iter().collect()]).into_iter().map(|(_, at)| at).collect()
        };
        assert_eq!(sorted(ValueType::Decimal, &["10", "9", "-1", "9.0", "-2"]), [4, 2, 1, 3, 0]);
        assert_eq!(sorted(ValueType::Integer, &["10", "9", "-1"]), [2, 1, 0]);
        assert_eq!(sorted(ValueType::Text, &["10", "9", "-1", "9.0"]), [2, 0, 1, 3]);
        assert_eq!(sorted(ValueType::Text, &["longer than eight", "longer than", ""]), [2, 1, 0]);
        assert_eq!(sorted(ValueType::Date, &["2021-03-31", "1999-12-31", "2021-03-04"]), [1, 2, 0]);
    }
}
