//! Redaction: characters are replaced by `*` from one end.

use super::{Build, Ladder, Rule, Ruler, TOP, ladder_of};
use crate::data::{Column, Dictionary};
use crate::error::{Error, Result};
use crate::kind::{Kind, Param, Shape};

pub(super) const KIND: Kind<Build> = Kind {
    name: "redact",
    summary: "Replace digits or letters by * from one end, one more on each level: 13053, 1305*, 130**, …",
    reference: "Sweeney 2002",
    params: &[
        Param {
            name: "redact",
            summary: "how many characters may be replaced before the whole value is",
            shape: Shape::Count(1),
            default: None,
        },
        Param {
            name: "from",
            summary: "the end at which to start",
            shape: Shape::Choice(&["right", "left"]),
            default: Some("right"),
        },
    ],
    example: &[("redact", "5")],
    build: Build {
        make: |params, _| {
            if params.count("redact") > MOST_LEVELS {
                let error = Error::plan(format!("redact: at most {MOST_LEVELS} characters"));
                return Err(error.help("write fewer: the level after them is * in any case"));
            }
            Ok(Box::new(Redact { levels: params.count("redact") as usize, left: params.choice("from") == "left" }))
        },
        draft: |domain| {
            let length = domain.present_labels().next()?.len();
            let is_code = |label: &str| label.len() == length && label.bytes().all(|byte| byte.is_ascii_digit());
            let are_codes = length > 2 && domain.present() > 20 && domain.present_labels().all(is_code);
            are_codes.then(|| length.to_string())
        },
    },
};

const MOST_LEVELS: u64 = 255;

struct Redact {
    levels: usize,
    left: bool,
}

impl Redact {
    /// The value with `count` characters replaced; `*` once none is left.
    fn mask(&self, value: &str, count: usize) -> String {
        let length = value.chars().count();
        if count >= length {
            return TOP.to_string();
        }
        let hidden = if self.left { 0..count } else { length - count..length };
        value.chars().enumerate().map(|(at, letter)| if hidden.contains(&at) { '*' } else { letter }).collect()
    }
}

impl Rule for Redact {
    fn ladder(&self, column: &Column) -> Result<Ladder> {
        // The level that replaces as many characters as may be is the top itself where that is all
        // of them: 1****, then *.
        let lengths = column.domain().labels().iter().map(|label| label.chars().count());
        let levels = if lengths.max().unwrap_or(0) <= self.levels { self.levels - 1 } else { self.levels };
        ladder_of(column, "a text", |value| Some((1..=levels).map(|count| self.mask(value, count)).collect()))
    }

    fn makes(&self, label: &str) -> bool {
        if self.left { label.starts_with('*') } else { label.ends_with('*') }
    }

    fn ruler(&self, _: &Dictionary, _: Option<usize>) -> Option<Ruler> {
        Some(Ruler::Characters)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::levels;
    use crate::kind::Raw;

    #[test]
    fn characters_vanish_from_the_chosen_end() {
        let right = levels(&[("redact", Raw::Number("5".into()))], &["13053", "13068"]).unwrap();
        assert_eq!(right[0], ["13053", "1305*", "130**", "13***", "1****", "*"]);
        let left = [("redact", Raw::Number("2".into())), ("from", Raw::from("left"))];
        assert_eq!(
            levels(&left, &["13053", "7é"]).unwrap(),
            [["13053", "*3053", "**053", "*"], ["7é", "*é", "*", "*"]]
        );
    }
}
