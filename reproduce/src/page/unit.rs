//! How numbers are written.

use serde::{Deserialize, Serialize};
use sfumato::report::grouped;

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// 12,345
    Count,
    /// 0.123 as 12.3 %, with so many decimals.
    Share(usize),
    /// With so many decimals; very small ones with as many significant digits.
    Number(usize),
    /// Seconds, as 1.2 µs, 3.4 ms or 5.6 s.
    Time,
    /// 1,234×
    Times,
    /// Bytes, as 12 MiB.
    Memory,
}

impl Unit {
    /// The number as it is read.
    pub fn show(self, value: f64) -> String {
        match self {
            Unit::Count => whole(value),
            Unit::Share(decimals) => format!("{}\u{a0}%", fixed(value * 100.0, decimals)),
            Unit::Number(decimals) => number(value, decimals),
            Unit::Time => time(value),
            Unit::Times if value >= 100.0 => format!("{}×", whole(value)),
            Unit::Times if value >= 10.0 => format!("{value:.1}×"),
            Unit::Times => format!("{value:.2}×"),
            Unit::Memory => format!("{}\u{a0}MiB", whole(value / f64::from(1 << 20))),
        }
    }

    /// The number as it stands beside an axis: without zeros that say nothing.
    pub(super) fn tick(self, value: f64) -> String {
        let text = match self {
            _ if value == 0.0 => return "0".into(),
            Unit::Share(_) => format!("{:.6}", value * 100.0),
            Unit::Number(_) | Unit::Count | Unit::Times if value.abs() < 1_000.0 => format!("{value:.8}"),
            Unit::Number(_) => whole(value),
            other => other.show(value),
        };
        let (number, unit) = text.split_once('\u{a0}').unwrap_or((&text, ""));
        let number = number.trim_end_matches('×');
        let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
        match self {
            Unit::Share(_) => format!("{number}\u{a0}%"),
            Unit::Times => format!("{number}×"),
            _ if unit.is_empty() => number.into(),
            _ => format!("{number}\u{a0}{unit}"),
        }
    }
}

fn whole(value: f64) -> String {
    format!("{}{}", if value <= -0.5 { "−" } else { "" }, grouped(value.abs().round() as usize))
}

/// What is too small for its decimals is written by its power of ten.
fn number(value: f64, decimals: usize) -> String {
    let least = 0.5 * 10f64.powi(-(decimals as i32));
    if value != 0.0 && value.abs() < least {
        return format!("{value:.1e}").replace('-', "−");
    }
    fixed(value, decimals)
}

fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (integer, rest) = text.split_once('.').map_or((text.as_str(), ""), |(integer, rest)| (integer, rest));
    let integer = grouped(integer.parse().unwrap_or(usize::MAX));
    let sign = if value < 0.0 { "−" } else { "" };
    if rest.is_empty() { format!("{sign}{integer}") } else { format!("{sign}{integer}.{rest}") }
}

fn time(seconds: f64) -> String {
    let significant = |value: f64, unit: &str| match value {
        _ if value >= 99.5 => format!("{}\u{a0}{unit}", whole(value)),
        _ if value >= 9.95 => format!("{value:.1}\u{a0}{unit}"),
        _ => format!("{value:.2}\u{a0}{unit}"),
    };
    match seconds {
        _ if seconds >= 0.9995 => significant(seconds, "s"),
        _ if seconds >= 0.9995e-3 => significant(seconds * 1e3, "ms"),
        _ => significant(seconds * 1e6, "µs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for (unit, value, text) in [
            (Unit::Count, 45_222.0, "45,222"),
            (Unit::Share(1), 0.1234, "12.3\u{a0}%"),
            (Unit::Number(2), 13_574.5, "13,574.50"),
            (Unit::Number(3), -1.5, "−1.500"),
            (Unit::Number(4), 0.000_012, "1.2e−5"),
            (Unit::Share(1), -0.125, "−12.5\u{a0}%"),
            (Unit::Number(4), 0.0, "0.0000"),
            (Unit::Time, 0.0123, "12.3\u{a0}ms"),
            (Unit::Time, 478.0, "478\u{a0}s"),
            (Unit::Time, 0.999_9, "1.00\u{a0}s"),
            (Unit::Time, 2.5e-7, "0.25\u{a0}µs"),
            (Unit::Times, 1_198.4, "1,198×"),
            (Unit::Times, 1.274, "1.27×"),
            (Unit::Memory, 81.0 * 1_048_576.0, "81\u{a0}MiB"),
        ] {
            assert_eq!(unit.show(value), text);
        }
    }

    #[test]
    fn axes_have_short_numbers() {
        for (unit, value, text) in [
            (Unit::Share(2), 0.05, "5\u{a0}%"),
            (Unit::Share(0), 0.125, "12.5\u{a0}%"),
            (Unit::Time, 0.2, "200\u{a0}ms"),
            (Unit::Time, 0.0, "0"),
            (Unit::Times, 1_000.0, "1,000×"),
            (Unit::Times, 0.5, "0.5×"),
            (Unit::Number(2), 0.001, "0.001"),
            (Unit::Count, 45_000.0, "45,000"),
            (Unit::Number(1), 1e6, "1,000,000"),
        ] {
            assert_eq!(unit.tick(value), text);
        }
    }
}
