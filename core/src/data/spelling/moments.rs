//! Local dates, with a time of day or without, and times of day alone.

use jiff::civil::Date;
use std::fmt;

/// In which order the parts of a date stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Day, month, year.
    DayMonth,
    /// Month, day, year.
    MonthDay,
    /// Year, month, day.
    YearMonth,
    /// Day, the English name of the month, year.
    DayName,
}

impl Order {
    const ALL: [Order; 4] = [Order::DayMonth, Order::MonthDay, Order::YearMonth, Order::DayName];

    fn parts(self) -> [&'static str; 3] {
        match self {
            Order::DayMonth => ["DD", "MM", "YYYY"],
            Order::MonthDay => ["MM", "DD", "YYYY"],
            Order::YearMonth => ["YYYY", "MM", "DD"],
            Order::DayName => ["DD", "MON", "YYYY"],
        }
    }
}

/// How dates are written. Days and months may have one digit; a time of day may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moments {
    /// The order of the parts.
    pub order: Order,
    /// What stands between them; `None` for `YYYYMMDD`.
    pub separator: Option<char>,
}

const SEPARATORS: [char; 4] = ['.', '/', '-', ' '];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

impl Moments {
    /// A pattern such as `DD.MM.YYYY`.
    pub fn parse(pattern: &str) -> Option<Moments> {
        if pattern == "YYYYMMDD" {
            return Some(Moments { order: Order::YearMonth, separator: None });
        }
        let separator = pattern.chars().find(|letter| !letter.is_ascii_alphabetic())?;
        let made = |order: Order| Moments { order, separator: Some(separator) };
        let fits = |moments: &Moments| moments.to_string() == pattern;
        Order::ALL.into_iter().map(made).find(fits).filter(|_| SEPARATORS.contains(&separator))
    }

    /// The ways in which a cell may be a date.
    pub(super) fn candidates(cell: &str) -> Vec<Moments> {
        let Some(separator) = cell.chars().find(|letter| !letter.is_ascii_alphanumeric()) else { return Vec::new() };
        if !SEPARATORS.contains(&separator) {
            return Vec::new();
        }
        Order::ALL.into_iter().map(|order| Moments { order, separator: Some(separator) }).collect()
    }

    /// The date as it is stored, with its time behind a blank.
    pub(super) fn normal(self, text: &str) -> Option<String> {
        let (date, rest) = self.date(text)?;
        let date = Date::new(date.0, date.1, date.2).ok()?;
        if rest.is_empty() {
            return Some(date.to_string());
        }
        let time = rest.strip_prefix(", ").or_else(|| rest.strip_prefix(['T', ' ']))?;
        Some(format!("{date} {}", clock(time)?))
    }

    /// Year, month and day, and what follows.
    fn date(self, text: &str) -> Option<((i16, i8, i8), &str)> {
        let Some(separator) = self.separator else {
            let (digits, rest) = text.split_at_checked(8)?;
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            let part = |range: std::ops::Range<usize>| digits[range].parse::<i16>().ok();
            let date = || Some((part(0..4)?, part(4..6)? as i8, part(6..8)? as i8));
            return if is_number { Some((date()?, rest)) } else { None };
        };
        let (first, rest) = text.split_once(separator)?;
        let (second, rest) = rest.split_once(separator)?;
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let (third, rest) = rest.split_at(end);
        let date = match self.order {
            Order::DayMonth => (year(third)?, small(second)?, small(first)?),
            Order::MonthDay => (year(third)?, small(first)?, small(second)?),
            Order::YearMonth => (year(first)?, small(second)?, small(third)?),
            Order::DayName => (year(third)?, month(second)?, small(first)?),
        };
        Some((date, rest))
    }
}

impl fmt::Display for Moments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = self.separator.map_or(String::new(), String::from);
        f.write_str(&self.order.parts().join(&between))
    }
}

fn digits(text: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<i16> {
    let fits = lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// Two digits do not say which century.
fn year(text: &str) -> Option<i16> {
    digits(text, 4..=4)
}

fn small(text: &str) -> Option<i8> {
    digits(text, 1..=2).map(|number| number as i8)
}

/// The number of a month by its English name, whole or the first three letters.
fn month(text: &str) -> Option<i8> {
    let text = text.trim_end_matches('.').to_ascii_lowercase();
    let named = |name: &&str| **name == *text || name[..3] == *text;
    MONTHS.iter().position(named).map(|at| at as i8 + 1)
}

/// A time of day as it is stored: `08:05`, `08:05:30` or `08:05:30.5`.
pub fn clock(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let half = [("am", 0), ("pm", 12)];
    let found = half.iter().find_map(|(name, hours)| Some((lower.strip_suffix(name)?.trim_end(), *hours)));
    let (time, noon) = found.map_or((lower.as_str(), None), |(time, hours)| (time, Some(hours)));
    let (hour, rest) = time.split_once(':')?;
    let hour = match (digits(hour, 1..=2)?, noon) {
        (hour @ 0..=23, None) => hour,
        (hour @ 1..=12, Some(noon)) => hour % 12 + noon,
        _ => return None,
    };
    let (minute, second) = rest.split_once(':').map_or((rest, None), |(minute, second)| (minute, Some(second)));
    let sixty = |text: &str| digits(text, 2..=2).filter(|number| *number < 60);
    sixty(minute)?;
    let Some(second) = second else { return Some(format!("{hour:02}:{minute}")) };
    let (whole, part) = second.split_once('.').map_or((second, None), |(whole, part)| (whole, Some(part)));
    sixty(whole)?;
    let fits = part.is_none_or(|part| (1..=9).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()));
    fits.then(|| format!("{hour:02}:{minute}:{second}"))
}
