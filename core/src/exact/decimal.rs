//! A decimal number that means exactly what was written.

use super::Fraction;
use std::fmt;

/// A decimal such as a plan holds: `0.1`, `3`, `2.50`, `1e-3`, `2%`. Exact, and remembers how it
/// was written.
///
/// ```
/// use sfumato::exact::{Decimal, Fraction};
///
/// let c: Decimal = "1.1".parse().unwrap();
/// assert!(Fraction::new(55, 50) >= c.fraction()); // 55 < 1.1 × 50 is false
/// assert!("nan".parse::<Decimal>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    value: Fraction,
    written: String,
}

/// Fractional digits that an exact comparison still has room for.
const MOST_DIGITS: usize = 36;

impl Decimal {
    /// Whether the number is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The magnitude as a fraction.
    pub fn fraction(&self) -> Fraction {
        self.value
    }

    /// The nearest float, for reports.
    pub fn to_f64(&self) -> f64 {
        let magnitude = self.value.to_f64();
        if self.negative { -magnitude } else { magnitude }
    }
}

impl From<u64> for Decimal {
    fn from(number: u64) -> Self {
        Decimal { negative: false, value: Fraction::from(number), written: number.to_string() }
    }
}

impl Decimal {
    /// The same number with no more digits than it needs; nothing for one that has no end in
    /// decimals, or too many digits to be read again.
    ///
    /// ```
    /// use sfumato::exact::{Decimal, Fraction};
    ///
    /// assert_eq!(Decimal::of(Fraction::new(1, 50)).unwrap().to_string(), "0.02");
    /// assert_eq!(Decimal::of(Fraction::new(1, 3)), None);
    /// ```
    pub fn of(number: Fraction) -> Option<Decimal> {
        let Fraction { num, den } = number.reduced();
        let scale = |places: &usize| 10u128.pow(*places as u32).checked_rem(den) == Some(0);
        let places = (0..=MOST_DIGITS).find(scale)?;
        let digits = num.checked_mul(10u128.pow(places as u32) / den)?.to_string();
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, part) = digits.split_at(digits.len() - places);
        if part.is_empty() { whole.to_string() } else { format!("{whole}.{part}") }.parse().ok()
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

/// Numbers are repeated in messages and certificates: nobody means one that is longer.
const MOST_LETTERS: usize = 100;

impl std::str::FromStr for Decimal {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let written = text.trim().to_string();
        if written.len() > MOST_LETTERS {
            return Err("has too many digits to be compared exactly");
        }
        let (digits, percent) = match written.strip_suffix('%') {
            Some(rest) => (rest.trim_end(), 2),
            None => (written.as_str(), 0),
        };
        let (negative, digits) = match digits.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, digits.strip_prefix('+').unwrap_or(digits)),
        };
        let (mantissa, exponent) = split_exponent(digits)?;
        let (mantissa, scale) = parse_mantissa(mantissa)?;
        let value = scaled(mantissa, exponent - scale - percent).ok_or("has too many digits to be compared exactly")?;
        if negative && mantissa == 0 {
            return Err("is a negative zero; write 0");
        }
        Ok(Decimal { negative, value, written })
    }
}

fn split_exponent(digits: &str) -> Result<(&str, i32), &'static str> {
    match digits.split_once(['e', 'E']) {
        None => Ok((digits, 0)),
        Some((mantissa, exponent)) => {
            let exponent = exponent.parse().map_err(|_| "is not a number")?;
            if (-40..=40).contains(&exponent) { Ok((mantissa, exponent)) } else { Err("is too large or too small") }
        }
    }
}

/// The digits as an integer, and how many of them stand after the point. `_` separates digits as in
/// TOML.
fn parse_mantissa(text: &str) -> Result<(u128, i32), &'static str> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let mut mantissa: u128 = 0;
    let mut seen = false;
    for byte in whole.bytes().chain(part.bytes()).filter(|&b| b != b'_') {
        if !byte.is_ascii_digit() {
            return Err("is not a number");
        }
        seen = true;
        mantissa = mantissa
            .checked_mul(10)
            .and_then(|m| m.checked_add(u128::from(byte - b'0')))
            .ok_or("has too many digits to be compared exactly")?;
    }
    let places = part.bytes().filter(|&b| b != b'_').count();
    if !seen {
        return Err("is not a number");
    }
    if places > MOST_DIGITS {
        return Err("has too many digits to be compared exactly");
    }
    Ok((mantissa, places as i32))
}

fn scaled(mantissa: u128, exponent: i32) -> Option<Fraction> {
    let power = 10u128.checked_pow(exponent.unsigned_abs())?;
    if exponent >= 0 {
        Some(Fraction::new(mantissa.checked_mul(power)?, 1))
    } else {
        Some(Fraction::new(mantissa, power).reduced())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> (u128, u128) {
        let Fraction { num, den } = text.parse::<Decimal>().unwrap().fraction();
        (num, den)
    }

    #[test]
    fn means_what_is_written() {
        assert_eq!(value("0.1"), (1, 10));
        assert_eq!(value("2.50"), (5, 2));
        assert_eq!(value("2%"), (1, 50));
        assert_eq!(value("1e-3"), (1, 1000));
        assert_eq!(value("1_000"), (1000, 1));
        assert_eq!(value("0.10000000000000000000000000000001").1, 10u128.pow(32));
    }

    #[test]
    fn fractions_are_written_with_the_digits_they_need() {
        for text in ["0", "1", "0.5", "0.02", "12.125", "0.000000000000000000000000000000000001", "100"] {
            assert_eq!(Decimal::of(text.parse::<Decimal>().unwrap().fraction()).unwrap().to_string(), text);
        }
        assert_eq!(Decimal::of(Fraction::new(20, 8)).unwrap().to_string(), "2.5");
        assert!([Fraction::new(1, 7), Fraction::INFINITE].iter().all(|odd| Decimal::of(*odd).is_none()));
    }

    #[test]
    fn odd_numbers_are_refused() {
        for text in ["nan", "inf", "-0", "-0.0", "", ".", "1.2.3", "0x10", "1e99", "--1", "1 2"] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
        assert!("-1".parse::<Decimal>().unwrap().is_negative());
        assert!(
            format!("0.{}1", "0".repeat(100)).parse::<Decimal>().is_err(),
            "nobody means that, and messages repeat it"
        );
    }
}
