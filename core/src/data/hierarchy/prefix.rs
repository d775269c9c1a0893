//! Prefixes of codes: the first letters stay.

use super::{Build, Ladder, Rule, Ruler, TOP, ladder_of};
use crate::data::{Column, Dictionary};
use crate::error::{Error, Result};
use crate::kind::{Kind, Param, Range, Shape};

pub(super) const KIND: Kind<Build> = Kind {
    name: "prefix",
    summary: "Codes to their first letters: prefix = [3, 1] gives A15.3, A15*, A*, *",
    reference: "classifications by prefix: ICD-10, ISCO, NUTS",
    params: &[Param {
        name: "prefix",
        summary: "how many characters stay on each level, fewer on each",
        shape: Shape::Decimals(Range::FROM_ONE),
        default: None,
    }],
    example: &[("prefix", "[3, 1]")],
    build: Build {
        make: |params, _| {
            let wrong = |what: &str| Error::plan(format!("prefix: {what}")).help("e.g. prefix = [3, 1]");
            let whole = |number: &crate::exact::Decimal| {
                let value = number.fraction();
                u16::try_from(value.num).ok().filter(|_| value.den == 1).map(usize::from)
            };
            let lengths: Option<Vec<usize>> = params.decimals("prefix").iter().map(whole).collect();
            let lengths = lengths.ok_or_else(|| wrong("lengths are whole numbers"))?;
            if lengths.is_empty() || !lengths.is_sorted_by(|a, b| a > b) {
                return Err(wrong("lengths must descend"));
            }
            Ok(Box::new(Prefix { lengths }))
        },
        draft: |_| None,
    },
};

struct Prefix {
    lengths: Vec<usize>,
}

impl Rule for Prefix {
    fn ladder(&self, column: &Column) -> Result<Ladder> {
        ladder_of(column, "a text", |value| {
            // A value that is a prefix itself has the label of all that start so.
            let label = |length: &usize| value.chars().take(*length).chain(['*']).collect::<String>();
            Some(self.lengths.iter().map(label).collect())
        })
    }

    fn makes(&self, label: &str) -> bool {
        let is_prefix = |prefix: &str| prefix.chars().count() <= self.lengths[0];
        label == TOP || label.strip_suffix('*').is_some_and(is_prefix)
    }

    fn ruler(&self, _: &Dictionary, _: Option<usize>) -> Option<Ruler> {
        Some(Ruler::Characters)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{levels, numbers};

    #[test]
    fn the_first_letters_stay() {
        let made = levels(&[("prefix", numbers(&["3", "1"]))], &["A15.3", "A15", "A", "Ä20"]).unwrap();
        assert_eq!(made[0], ["A15.3", "A15*", "A*", "*"]);
        assert_eq!(made[1], ["A15", "A15*", "A*", "*"]);
        assert_eq!(made[2], ["A", "A*", "A*", "*"]);
        assert_eq!(made[3], ["Ä20", "Ä20*", "Ä*", "*"]);
        for wrong in [&[][..], &["1", "3"], &["2", "2"], &["1.5"]] {
            assert!(levels(&[("prefix", numbers(wrong))], &["a"]).is_err(), "{wrong:?}");
        }
    }
}
