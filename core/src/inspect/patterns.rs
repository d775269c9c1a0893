//! What values look like: direct identifiers and places on a map have shapes of their own.

use crate::data::Domain;
use std::net::IpAddr;

/// What a shape says about a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    /// What such values are called.
    pub name: &'static str,
    fits: fn(&str) -> bool,
}

/// Shapes of direct identifiers: whoever has such a value can name the person, or nearly so.
const IDENTIFIERS: [Pattern; 8] = [
    Pattern { name: "e-mail addresses", fits: is_email },
    Pattern { name: "social security numbers", fits: is_ssn },
    Pattern { name: "phone numbers", fits: is_phone },
    Pattern { name: "IBANs", fits: is_iban },
    Pattern { name: "IP addresses", fits: |value| value.parse::<IpAddr>().is_ok() },
    Pattern { name: "UUIDs", fits: is_uuid },
    Pattern { name: "web addresses", fits: is_url },
    Pattern { name: "card numbers", fits: is_card },
];

/// Values at most that are looked at: a column of names has as many as there are records.
const LOOKED_AT: usize = 10_000;

/// The direct identifier that at least half of a column's values look like, however often each
/// occurs. If values look like several (e-mail or phone), the most frequent of them.
pub(super) fn identifier(domain: &Domain) -> Option<Pattern> {
    let mut counts = [0; IDENTIFIERS.len()];
    let (mut looked, mut fitting) = (0, 0);
    for value in present(domain) {
        looked += 1;
        if let Some(at) = IDENTIFIERS.iter().position(|pattern| (pattern.fits)(value)) {
            counts[at] += 1;
            fitting += 1;
        }
    }
    let most = (0..counts.len()).rev().max_by_key(|&at| counts[at])?;
    (fitting > 0 && fitting * 2 >= looked).then_some(IDENTIFIERS[most])
}

/// Whether at least half of a column's values are pairs of decimals with three digits or more
/// behind the point: a place on the map to a hundred metres.
pub(super) fn are_coordinates(domain: &Domain) -> bool {
    let (mut looked, mut fitting) = (0, 0);
    for value in present(domain) {
        looked += 1;
        fitting += usize::from(is_coordinate_pair(value));
    }
    fitting > 0 && fitting * 2 >= looked
}

/// Values that are there, spread over the column, without blanks around them.
fn present(domain: &Domain) -> impl Iterator<Item = &str> {
    let count = domain.present();
    let step = count.div_ceil(LOOKED_AT).max(1);
    domain.labels().iter().take(count).step_by(step).map(str::trim)
}

fn is_email(value: &str) -> bool {
    let Some((user, host)) = value.split_once('@') else { return false };
    let is_plain = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace) && !text.contains('@');
    let mut parts = host.rsplit('.');
    let top = parts.next().unwrap_or_default();
    is_plain(user) && is_plain(host) && top.len() >= 2 && parts.next().is_some_and(|name| !name.is_empty())
}

/// ddd-dd-dddd.
fn is_ssn(value: &str) -> bool {
    has_shape(value, "ddd-dd-dddd")
}

/// Seven to fifteen digits, written as phone numbers are: `+…`, `(ddd) …`, ddd-ddd-dddd, or a
/// leading zero with a separator. Digits alone may be anything.
fn is_phone(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_separator = |letter: char| " -./()".contains(letter);
    let rest = value.strip_prefix('+').unwrap_or(value);
    if !(7..=15).contains(&digits) || !rest.chars().all(|letter| letter.is_ascii_digit() || is_separator(letter)) {
        return false;
    }
    let grouped = ["ddd-ddd-dddd", "ddd.ddd.dddd", "ddd ddd dddd"].iter().any(|shape| has_shape(value, shape));
    // A date has eight digits at most.
    let is_national = value.starts_with('0') && digits >= 9 && value.contains(is_separator);
    value.starts_with('+') || value.starts_with('(') || grouped || is_national
}

/// Whether a text has digits where the shape has a `d`, and the shape's letters elsewhere.
fn has_shape(value: &str, shape: &str) -> bool {
    let fits = |(is, wanted): (u8, u8)| if wanted == b'd' { is.is_ascii_digit() } else { is == wanted };
    value.len() == shape.len() && value.bytes().zip(shape.bytes()).all(fits)
}

/// Country, two check digits and up to thirty letters and digits, of which the check digits are
/// right (ISO 13616: the rest modulo 97 is 1).
fn is_iban(value: &str) -> bool {
    let letters: Vec<u8> = value.bytes().filter(|byte| *byte != b' ').collect();
    let fits = (15..=34).contains(&letters.len())
        && letters[..2].iter().all(u8::is_ascii_uppercase)
        && letters[2..4].iter().all(u8::is_ascii_digit)
        && letters[4..].iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let rest = |rest: u32, byte: &u8| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    };
    fits && letters[4..].iter().chain(&letters[..4]).fold(0, rest) == 1
}

fn is_uuid(value: &str) -> bool {
    let lengths = value.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && value.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

fn is_url(value: &str) -> bool {
    let small = value.to_ascii_lowercase();
    ["http://", "https://", "www."].iter().any(|start| small.len() > start.len() && small.starts_with(start))
}

/// Thirteen to nineteen digits, in groups or not, of which the last is right by Luhn's rule.
fn is_card(value: &str) -> bool {
    let digits: Vec<u32> = value.chars().filter_map(|letter| letter.to_digit(10)).collect();
    let plain = value.chars().all(|letter| letter.is_ascii_digit() || letter == ' ' || letter == '-');
    let doubled = |(at, digit): (usize, &u32)| match (at % 2, digit * 2) {
        (0, _) => *digit,
        (_, twice) => twice / 10 + twice % 10,
    };
    plain
        && (13..=19).contains(&digits.len())
        && digits.iter().rev().enumerate().map(doubled).sum::<u32>().is_multiple_of(10)
}

fn is_coordinate_pair(value: &str) -> bool {
    let inner = value.trim_start_matches("POINT").trim().trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
    let parts: Vec<&str> = inner.split([',', ';', ' ']).filter(|part| !part.is_empty()).collect();
    let is_degree = |text: &&str| {
        let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
        digits >= 3 && text.parse::<f64>().is_ok_and(|degree| degree.abs() <= 180.0)
    };
    parts.len() == 2 && parts.iter().all(is_degree)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, ValueType};

    fn found(values: &[&str]) -> Option<&'static str> {
        identifier(Column::from_values("column", values).domain()).map(|pattern| pattern.name)
    }

    #[test]
    fn identifiers_are_known_by_their_shape() {
        for (values, name) in [
            (&["ann@example.org", "bob.smith@mail.example.co.uk"][..], "e-mail addresses"),
            (&["123-45-6789", "987-65-4321"], "social security numbers"),
            (&["+41 44 668 18 00", "+1-202-555-0143"], "phone numbers"),
            (&["(202) 555-0143", "(202) 555-0188"], "phone numbers"),
            (&["202-555-0143", "202.555.0188"], "phone numbers"),
            (&["030/1234567", "0171 1234567"], "phone numbers"),
            (&["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"], "IBANs"),
            (&["192.168.0.1", "2001:db8::1"], "IP addresses"),
            (&["123e4567-e89b-12d3-a456-426614174000"], "UUIDs"),
            (&["https://example.org/ann", "www.example.org"], "web addresses"),
            (&["4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009"], "card numbers"),
        ] {
            assert_eq!(found(values), Some(name), "{values:?}");
        }
    }

    #[test]
    fn other_values_are_not_taken_for_identifiers() {
        for values in [
            &["2021-03-31", "1999-12-31"][..],
            &["31.03.2021", "01.04.2021"],
            &["03/31/2021", "12/24/2020"],
            &["13053", "14850-1234"],
            &["12:30:45", "08:15"],
            &["1.5", "-2.25", "1e300"],
            &["flu", "heart attack"],
            &["at @ home", "a@b", "@example.org"],
            &["4111111111111112", "1234567890123456"],
            &["DE89370400440532013001"],
            &["1234567890", "2345678901"],
            &["123e4567-e89b-12d3-a456", "www."],
            &[""],
        ] {
            assert_eq!(found(values), None, "{values:?}");
        }
    }

    #[test]
    fn half_of_the_values_suffice_and_missing_ones_do_not_count() {
        assert_eq!(found(&["ann@example.org", "unknown"]), Some("e-mail addresses"));
        let three = Column::from_values("column", ["ann@example.org", "unknown", "~"]);
        assert!(identifier(three.domain()).is_none());
        let missing = Domain::new(three.domain().labels().clone(), ValueType::Text, Some(2));
        assert!(identifier(&missing).is_some());
        assert_eq!(found(&["ann@example.org", "+41 44 668 18 00", "+41 44 668 18 01", "?"]), Some("phone numbers"));
    }

    #[test]
    fn pairs_of_decimals_are_places() {
        let are = |values: &[&str]| are_coordinates(Column::from_values("place", values).domain());
        assert!(are(&["47.37689, 8.54169", "(46.2044,6.1432)", "POINT (8.5417 47.3769)", "-33.868;151.209"]));
        assert!(!are(&["47.3, 8.5", "1, 2"]));
        assert!(!are(&["47.37689", "8.54169"]), "one number is no pair");
        assert!(!are(&["470.37689, 8.54169"]), "no such degree");
    }
}
