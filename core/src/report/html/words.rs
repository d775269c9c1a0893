//! Numbers and names as people read them.

use crate::kind::{Params, Setting};
use crate::recode::Form;
pub(super) use crate::report::terminal::{capital, counted, many, number};

/// 12,345
pub(super) fn grouped(count: u64) -> String {
    crate::report::terminal::grouped(count as usize)
}

/// 1,234 · 12.3k · 4.6M: for places with room for a few letters.
pub(super) fn compact(count: u64) -> String {
    if count < 10_000 { grouped(count) } else { tick(count) }
}

/// 500 · 2k · 12.3k · 4.6M: for axes, where numbers are round.
pub(super) fn tick(count: u64) -> String {
    let short = |unit: f64, letter: &str| {
        let text = format!("{:.1}", count as f64 / unit);
        format!("{}{letter}", text.trim_end_matches(".0"))
    };
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => short(1e3, "k"),
        1_000_000..1_000_000_000 => short(1e6, "M"),
        _ => short(1e9, "G"),
    }
}

/// 12.3 %, on one line.
pub(super) fn percent(share: f64) -> String {
    unbroken(&crate::report::terminal::percent(share))
}

/// A text whose percentages stay on one line.
pub(super) fn unbroken(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

/// 12 %: as exact as a report for everybody is.
pub(super) fn whole_percent(share: f64) -> String {
    match share {
        _ if !share.is_finite() => "–".into(),
        _ if share > 0.0 && share < 0.005 => "under 1\u{a0}%".into(),
        _ if (0.995..1.0).contains(&share) => "over 99\u{a0}%".into(),
        _ => format!("{:.0}\u{a0}%", share * 100.0),
    }
}

/// a · a and b · a, b and c
pub(super) fn listed<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => String::new(),
        [only] => only.as_ref().to_string(),
        [first @ .., last] => {
            format!("{} and {}", first.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", "), last.as_ref())
        }
    }
}

/// A text cut to a width, in letters of common width; the letters of East Asia and pictures are
/// twice as wide.
pub(super) fn clipped(text: &str, width: usize) -> String {
    let wide = |letter: char| if letter >= '\u{1100}' { 2 } else { 1 };
    if text.chars().map(wide).sum::<usize>() <= width {
        return text.to_string();
    }
    let mut used = 1;
    let kept = text.chars().take_while(|&letter| {
        used += wide(letter);
        used <= width
    });
    kept.collect::<String>() + "…"
}

/// What was set, as in a plan: `k = 5`. Files are not named: their paths are about the custodian's
/// machine.
pub(super) fn settings(params: &Params) -> Vec<String> {
    let written = params.iter().map(|(name, setting)| match setting {
        Setting::File(_) => (name, "a file".to_string()),
        setting => (name, setting.to_string()),
    });
    written.filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("{name} = {text}")).collect()
}

/// What a measured value of a parameter means for a form of release, by the letter that the
/// literature gives it.
pub(super) fn meaning(param: &str, value: f64, form: Form) -> Option<String> {
    let shown = number(value);
    Some(match param {
        "k" if form == Form::Bucketized => format!(
            "The sensitive values of at least {shown} records are published together. Quasi-identifiers are published \
             record by record, so this does not limit the risk of re-identification."
        ),
        "k" if value >= 1.0 => format!(
            "An attacker who knows all quasi-identifiers of a person (columns that outsiders may know) still finds at least {shown} records that may be \
             theirs. The re-identification risk is at most 1 in {shown} ({}).",
            percent(1.0 / value)
        ),
        "l" => format!(
            "Even in the worst group, which value a person has is as uncertain as among {shown} values, in the way this \
             criterion counts them."
        ),
        "t" => format!(
            "On a scale from 0 (distributed exactly as in the whole table) to 1 (nothing in common with it), no group \
             is farther away than {shown}: learning somebody's group discloses little about their value."
        ),
        "alpha" => {
            format!("In no group do more than {} of the people have the same sensitive value.", percent(value))
        }
        "beta" => format!(
            "Learning somebody's group makes no sensitive value more than {} times as likely as it is in the table.",
            number(1.0 + value)
        ),
        "delta" => format!(
            "Learning somebody's group makes no sensitive value more than {} times as likely, or as unlikely, as it \
             is in the table.",
            number(value.exp())
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_honest() {
        assert_eq!([grouped(7), grouped(1234), grouped(1234567)], ["7", "1,234", "1,234,567"]);
        assert_eq!(
            [compact(9_999), compact(12_345), compact(20_000), compact(4_600_000)],
            ["9,999", "12.3k", "20k", "4.6M"]
        );
        assert_eq!(percent(0.1234), "12.3\u{a0}%");
        assert_eq!([whole_percent(0.126), whole_percent(0.001)], ["13\u{a0}%", "under 1\u{a0}%"]);
    }

    #[test]
    fn long_names_are_cut_by_the_room_they_need() {
        assert_eq!(clipped("marital-status", 20), "marital-status");
        assert_eq!(clipped("marital-status", 8), "marital…");
        assert_eq!(clipped("病気の名前", 6), "病気…");
    }
}
