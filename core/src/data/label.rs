//! Labels that name several values: `{cook, nurse}`.
//!
//! Values may hold commas, braces and quotes themselves. Such a value is written in quotes, so that
//! every label can be read again in one way only.

use std::borrow::Cow;

/// The label of a set of values.
///
/// ```
/// use sfumato::data::{set_label, set_members};
///
/// assert_eq!(set_label(["cook", "nurse"]), "{cook, nurse}");
/// assert_eq!(set_label(["a, b", "c"]), "{\"a, b\", c}");
/// assert_eq!(set_members("{\"a, b\", c}").unwrap(), ["a, b", "c"]);
/// assert_eq!(set_members("a, b"), None);
/// ```
pub fn set_label<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let written: Vec<Cow<'_, str>> = values.into_iter().map(quoted).collect();
    format!("{{{}}}", written.join(", "))
}

/// The label of one value: itself, unless it looks like that of a set.
pub fn value_label(value: &str) -> Cow<'_, str> {
    if inside(value).is_some() { set_label([value]).into() } else { value.into() }
}

/// The values that a label of a set names; `None` for any other label.
pub fn set_members(label: &str) -> Option<Vec<Cow<'_, str>>> {
    let mut rest = inside(label)?;
    let mut members = Vec::new();
    loop {
        let (member, after) = first_member(rest);
        members.push(member);
        match after {
            Some(after) => rest = after,
            None => return Some(members),
        }
    }
}

/// The label beside a missing value, as in `{?, 20-29}`; the label itself if nothing is missing.
pub fn without_missing(label: &str) -> &str {
    inside(label).and_then(|inside| first_member(inside).1).unwrap_or(label)
}

/// What stands between braces.
fn inside(label: &str) -> Option<&str> {
    label.strip_prefix('{')?.strip_suffix('}')
}

fn quoted(value: &str) -> Cow<'_, str> {
    let is_odd = value.contains(", ") || value.starts_with(['"', '{']) || value.ends_with('}');
    if is_odd { format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")).into() } else { value.into() }
}

/// The first value, and what follows after the comma.
fn first_member(text: &str) -> (Cow<'_, str>, Option<&str>) {
    if let Some((value, rest)) = text.strip_prefix('"').and_then(unquoted)
        && (rest.is_empty() || rest.starts_with(", "))
    {
        return (value.into(), rest.strip_prefix(", "));
    }
    match text.split_once(", ") {
        Some((value, rest)) => (value.into(), Some(rest)),
        None => (text.into(), None),
    }
}

/// The value up to the quote that ends it, and what follows.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let (mut value, mut letters) = (String::new(), text.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => value.push(letters.next()?.1),
            _ => value.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_missing_value_stands_beside_a_range() {
        assert_eq!(without_missing("{?, 20-29}"), "20-29");
        assert_eq!(without_missing("{, [20, 25)}"), "[20, 25)");
        assert_eq!(without_missing("20-29"), "20-29");
    }

    #[test]
    fn a_value_that_looks_like_a_set_is_told_from_one() {
        assert_eq!(value_label("a, b"), "a, b");
        assert_eq!(value_label("{a, b}"), "{\"{a, b}\"}");
        assert_eq!(set_members("{\"{a, b}\"}").unwrap(), ["{a, b}"]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(values in prop::collection::vec("[a{}\"\\\\, .]{0,6}", 1..5)) {
            let label = set_label(values.iter().map(String::as_str));
            prop_assert_eq!(set_members(&label).unwrap(), values.clone(), "{}", label);
            let one = value_label(&values[0]).into_owned();
            let read = set_members(&one).map_or(one.clone(), |members| members.concat());
            prop_assert_eq!(&read, &values[0]);
        }
    }
}
