//! Numbers with decimal commas, groups of thousands, currencies and percent signs.

use std::fmt;

/// What stands before the fraction of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// `1234.5`
    Point,
    /// `1234,5`
    Comma,
}

impl Mark {
    /// Both, the more usual first.
    pub const ALL: [Mark; 2] = [Mark::Point, Mark::Comma];

    /// How it is written.
    pub fn letter(self) -> char {
        match self {
            Mark::Point => '.',
            Mark::Comma => ',',
        }
    }

    /// The mark that is written so.
    pub fn find(text: &str) -> Option<Mark> {
        Mark::ALL.into_iter().find(|mark| text.chars().eq([mark.letter()]))
    }

    fn other(self) -> Mark {
        match self {
            Mark::Point => Mark::Comma,
            Mark::Comma => Mark::Point,
        }
    }
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbers {
    /// What stands before the fraction. The other mark, a blank or an apostrophe may stand between
    /// groups of three digits.
    pub decimal: Mark,
    /// The sign that every number has before or behind it; it is not stored.
    pub unit: Option<&'static str>,
}

/// Signs that stand before or behind numbers; longer ones first, where one starts with another.
const UNITS: [&str; 30] = [
    "US$", "A$", "C$", "$", "€", "£", "¥", "₹", "₽", "₺", "₩", "₪", "฿", "zł", "Kč", "kr.", "kr", "Fr.", "EUR", "USD",
    "GBP", "CHF", "JPY", "SEK", "NOK", "DKK", "PLN", "CAD", "AUD", "%",
];

/// The sign of a number, if it has one.
pub(super) fn unit_of(text: &str) -> Option<&'static str> {
    let text = without_sign(text).map_or(text, |(_, rest)| rest);
    UNITS.into_iter().find(|unit| text.starts_with(unit) || text.ends_with(unit))
}

/// Whether the sign before a text is a minus, and what follows it.
fn without_sign(text: &str) -> Option<(bool, &str)> {
    if let Some(rest) = text.strip_prefix(['-', '−']) {
        return Some((true, rest));
    }
    text.strip_prefix('+').map(|rest| (false, rest))
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\u{a0}' | '\u{202f}')
}

impl Numbers {
    /// The number as it is stored.
    pub(super) fn normal(self, text: &str) -> Option<String> {
        // Nearly every text that is no number is told by this.
        if !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let (outer, rest) = without_sign(text).map_or((None, text), |(negative, rest)| (Some(negative), rest));
        let rest = match self.unit {
            None => rest,
            Some(unit) => match rest.strip_prefix(unit) {
                Some(rest) => rest.trim_start_matches(is_blank),
                None => rest.strip_suffix(unit)?.trim_end_matches(is_blank),
            },
        };
        // `$-5` as well as `-$5`, but one sign at most.
        let (inner, rest) = match outer {
            None => without_sign(rest).map_or((None, rest), |(negative, rest)| (Some(negative), rest)),
            Some(_) => (None, rest),
        };
        let (whole, part) = rest.split_once(self.decimal.letter()).map_or((rest, None), |(a, b)| (a, Some(b)));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if part.is_some_and(|part| !are_digits(part)) {
            return None;
        }
        let whole = match whole {
            "" => part.map(|_| "0".to_string())?,
            _ => self.ungrouped(whole)?,
        };
        let sign = if outer.or(inner) == Some(true) { "-" } else { "" };
        Some(match part {
            Some(part) => format!("{sign}{whole}.{part}"),
            None => format!("{sign}{whole}"),
        })
    }

    /// The digits of a whole number without what stands between groups of three.
    fn ungrouped(self, whole: &str) -> Option<String> {
        let is_separator =
            |letter: char| letter == self.decimal.other().letter() || is_blank(letter) || matches!(letter, '\'' | '’');
        let mut groups = whole.split(is_separator);
        let first = groups.next()?;
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let mut digits = first.to_string();
        let mut grouped = false;
        for group in groups {
            if group.len() != 3 || !are_digits(group) {
                return None;
            }
            grouped = true;
            digits += group;
        }
        let separators: Vec<char> = whole
            .chars()
            .filter(|letter| is_separator(*letter))
            .map(|letter| if is_blank(letter) { ' ' } else { letter })
            .collect();
        let is_even = separators.windows(2).all(|pair| pair[0] == pair[1]);
        let fits = !first.is_empty() && are_digits(first) && (!grouped || first.len() <= 3) && is_even;
        // Numbers with leading zeros are codes.
        let is_code = digits.len() > 1 && digits.starts_with('0');
        (fits && !is_code && digits.len() <= 300).then_some(digits)
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1234{}5", self.decimal.letter())?;
        self.unit.map_or(Ok(()), |unit| write!(f, " {unit}"))
    }
}
