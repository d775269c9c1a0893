//! Whether one value can stand under a label of one release and under a label of another.
//!
//! # Claim
//! If a value stands under both labels, [`Overlaps`] says so. The other way round it may err:
//! labels that cannot be read are taken to overlap, so that whoever counts on labels that do *not*
//! overlap never counts too much. One thing is assumed, and said ([`are_taken_for_same`]): two
//! columns with the same numbers of leaves under the same labels, all on the same level, were
//! recoded by one hierarchy; and they are on the same level if they state it, or have the same
//! labels.

use super::{Depth, Quasi};
use crate::data::hierarchy::{Ruler, TOP};
use crate::data::{canonical_text, set_members, without_missing};
use crate::utility::information::{Ends, date_range, number_range};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// What a label stands for.
#[derive(Debug, PartialEq)]
enum Label<'a> {
    /// Everything, or nobody knows what.
    Any,
    /// Numbers or days; the upper end does not belong to it if it is open. A missing value may
    /// belong to it.
    Range { ends: Ends, is_open: bool, with_missing: bool },
    /// A text with `*` for hidden letters.
    Pattern(&'a str),
    /// Some values, in a form that is the same for every way to write a number.
    Values(Vec<Cow<'a, str>>),
    /// No value.
    Missing,
}

/// How a missing number or date is written; what a plan calls missing besides is not known.
const MISSING: [&str; 2] = ["", "?"];

impl<'a> Label<'a> {
    fn parse(text: &'a str, quasi: &Quasi<'_>) -> Label<'a> {
        match quasi.ruler {
            _ if text == TOP => Label::Any,
            Ruler::Numbers { .. } => Label::range(text, number_range),
            Ruler::Dates { .. } => Label::range(text, date_range),
            Ruler::Characters => Label::Pattern(text),
            Ruler::Values => Label::values(text),
            Ruler::Spans => Label::span(text),
            Ruler::Center(_) => Label::Any,
            // A coarser label may have one leaf and another name than it, or the name of another
            // leaf.
            Ruler::Leaves { .. } if quasi.depth == Depth::On(0) => Label::Values(vec![canonical_text(text)]),
            Ruler::Leaves { .. } => Label::Any,
        }
    }

    fn range(text: &'a str, parse: fn(&str) -> Option<Ends>) -> Label<'a> {
        if MISSING.contains(&text) {
            return Label::Missing;
        }
        let inner = without_missing(text);
        let is_open = inner.ends_with(')') || inner.starts_with('<');
        let range = |ends| Label::Range { ends, is_open, with_missing: inner != text };
        parse(inner).map_or(Label::Any, range)
    }

    /// A value or a set of values. What looks like a set may be an exact value where no groups are
    /// labelled, so it stands for itself as well.
    fn values(text: &'a str) -> Label<'a> {
        let members = set_members(text).into_iter().flatten();
        let canonical = |value: Cow<'a, str>| canonical_text(&value).into_owned().into();
        Label::Values(members.map(canonical).chain([canonical_text(text)]).collect())
    }

    /// A value, or a range of which nobody knows what is in it.
    fn span(text: &'a str) -> Label<'a> {
        if text.contains("..") { Label::Any } else { Label::Values(vec![canonical_text(text)]) }
    }

    fn overlaps(&self, other: &Label<'_>) -> bool {
        match (self, other) {
            (
                Label::Range { ends, is_open, with_missing },
                Label::Range { ends: other, is_open: is_other_open, with_missing: other_missing },
            ) => {
                let begins_in = |low: f64, high: f64, is_open: bool| if is_open { low < high } else { low <= high };
                let both = begins_in(ends.0, other.1, *is_other_open) && begins_in(other.0, ends.1, *is_open);
                both || (*with_missing && *other_missing)
            }
            (Label::Values(values), Label::Values(others)) => values.iter().any(|value| others.contains(value)),
            (Label::Pattern(text), Label::Pattern(other)) => matches(text, other),
            (Label::Missing, Label::Range { with_missing, .. })
            | (Label::Range { with_missing, .. }, Label::Missing) => *with_missing,
            _ => true,
        }
    }

    /// The one value that it stands for, if that is known. Labels of one kind that are exact
    /// overlap if they are equal.
    fn exact(&self) -> Option<Exact<'_>> {
        match self {
            Label::Range { ends: (low, high), is_open: false, with_missing: false } if low == high => {
                // Zero has two signs.
                Some(Exact::Number((low + 0.0).to_bits()))
            }
            Label::Values(values) if values.len() == 1 => Some(Exact::Text(&values[0])),
            Label::Pattern(text) if !text.contains('*') => Some(Exact::Text(text)),
            Label::Missing => Some(Exact::Missing),
            _ => None,
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Exact<'a> {
    Number(u64),
    Text(&'a str),
    Missing,
}

/// Whether two texts with hidden letters can be the same: hiding letters keeps their number.
fn matches(text: &str, other: &str) -> bool {
    let fits = |(a, b): (char, char)| a == b || a == '*' || b == '*';
    text.chars().count() == other.chars().count() && text.chars().zip(other.chars()).all(fits)
}

/// Which labels of a column overlap in two releases.
pub(super) enum Overlaps {
    /// Labels are exact: those with the same number do.
    Same([Vec<u32>; 2]),
    /// For every label of the first release those of the second.
    Table(Vec<Vec<bool>>),
    /// All may: there are too many to compare.
    Unknown,
}

/// How many pairs of labels are compared at most.
const MOST_PAIRS: usize = 20_000_000;

impl Overlaps {
    pub fn new(first: &Quasi<'_>, second: &Quasi<'_>) -> Overlaps {
        let texts =
            |quasi: &Quasi<'_>| -> Vec<String> { quasi.column.domain().labels().iter().map(str::to_string).collect() };
        let [texts_a, texts_b] = [texts(first), texts(second)];
        let a: Vec<Label<'_>> = texts_a.iter().map(|text| Label::parse(text, first)).collect();
        let b: Vec<Label<'_>> = texts_b.iter().map(|text| Label::parse(text, second)).collect();
        let is_one_kind = first.ruler.name() == second.ruler.name();
        if let Some(same) = same(&a, &b).filter(|_| is_one_kind) {
            return Overlaps::Same(same);
        }
        if a.len().saturating_mul(b.len()) > MOST_PAIRS {
            return Overlaps::Unknown;
        }
        let one_hierarchy = is_one_level(first, second);
        let overlap = |at: usize, other: usize| {
            let (text, other_text) = (&texts_a[at], &texts_b[other]);
            let is_told = one_hierarchy && text != TOP && other_text != TOP;
            text == other_text || (!is_told && a[at].overlaps(&b[other]))
        };
        Overlaps::Table((0..a.len()).map(|at| (0..b.len()).map(|other| overlap(at, other)).collect()).collect())
    }

    /// Whether labels overlap, given their codes.
    pub fn holds(&self, a: u32, b: u32) -> bool {
        match self {
            Overlaps::Same([of_a, of_b]) => of_a[a as usize] == of_b[b as usize],
            Overlaps::Table(table) => table[a as usize][b as usize],
            Overlaps::Unknown => true,
        }
    }
}

/// Whether labels that do not say themselves what they stand for are taken to mean the same in both
/// columns.
pub(super) fn are_taken_for_same(first: &Quasi<'_>, second: &Quasi<'_>) -> bool {
    let is_exact = [first, second].iter().all(|quasi| quasi.depth == Depth::On(0));
    !is_exact && is_one_level(first, second)
}

/// Whether both columns are on one level of one hierarchy, as far as certificates tell: then labels
/// are the same or have nothing in common.
fn is_one_level(first: &Quasi<'_>, second: &Quasi<'_>) -> bool {
    let labels =
        |quasi: &Quasi<'_>| -> BTreeSet<String> { quasi.column.domain().labels().iter().map(str::to_string).collect() };
    let is_same_level = match (first.depth, second.depth) {
        (Depth::On(level), Depth::On(other)) => level == other,
        (Depth::One, Depth::One) => labels(first) == labels(second),
        _ => false,
    };
    matches!(first.ruler, Ruler::Leaves { .. }) && first.ruler == second.ruler && is_same_level
}

/// Numbers for labels that are all exact; none if one is not.
fn same(a: &[Label<'_>], b: &[Label<'_>]) -> Option<[Vec<u32>; 2]> {
    let mut known: HashMap<Exact<'_>, u32> = HashMap::new();
    let mut numbers = [Vec::with_capacity(a.len()), Vec::with_capacity(b.len())];
    for (labels, numbers) in [a, b].into_iter().zip(&mut numbers) {
        for label in labels {
            let next = known.len() as u32;
            numbers.push(*known.entry(label.exact()?).or_insert(next));
        }
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    fn overlap(ruler: &Ruler, a: &str, b: &str) -> bool {
        let [first, second] = [a, b].map(|text| Column::from_values("q", [text]));
        let quasi = |column| Quasi { column, ruler, depth: Depth::Mixed };
        let found = Overlaps::new(&quasi(&first), &quasi(&second)).holds(0, 0);
        assert_eq!(found, Overlaps::new(&quasi(&second), &quasi(&first)).holds(0, 0), "{a} and {b}, the other way");
        found
    }

    fn check(ruler: &Ruler, together: &[(&str, &str)], apart: &[(&str, &str)]) {
        for (a, b) in together {
            assert!(overlap(ruler, a, b), "{a} and {b} have a value in common");
        }
        for (a, b) in apart {
            assert!(!overlap(ruler, a, b), "{a} and {b} have no value in common");
        }
    }

    #[test]
    fn ranges_overlap_up_to_their_ends() {
        check(
            &Ruler::Numbers { whole: None },
            &[
                ("20-29", "25"),
                ("20-29", "29-40"),
                ("[20, 25)", "[24.5, 30)"),
                ("*", "7"),
                ("<20", "19.5"),
                ("1.0", "1"),
            ],
            &[("20-29", "30"), ("[20, 25)", "25"), ("[20, 25)", "[25, 30)"), ("<20", "20"), (">=90", "89"), ("3", "4")],
        );
        check(
            &Ruler::Numbers { whole: None },
            &[("{?, 20-29}", "{?, 50-59}"), ("?", "{?, 1-2}")],
            &[("{?, 20-29}", "30-39")],
        );
        check(&Ruler::Numbers { whole: None }, &[("unknown", "20-29"), ("0", "-0.0")], &[("?", "20-29")]);
        check(
            &Ruler::Dates { whole: None },
            &[("2021", "2021-05-31"), ("2021-Q2", "2021-06")],
            &[("2021", "2022-01-01")],
        );
    }

    #[test]
    fn texts_overlap_where_no_letter_differs() {
        check(&Ruler::Characters, &[("130**", "1305*"), ("**53", "13**")], &[("130**", "148**"), ("130**", "1300")]);
        check(
            &Ruler::Values,
            &[("a", "{a, b}"), ("{a, b}", "{b, c}"), ("x, y", "{\"x, y\", r}"), ("{{a}, b}", "{a}")],
            &[("a", "b"), ("x, y", "{x, z}"), ("a..c", "z"), ("{a, b}", "{c, d}"), ("{a, b}", "c")],
        );
        check(&Ruler::Spans, &[("a..c", "z"), ("b", "b")], &[("a", "b")]);
    }

    #[test]
    fn labels_of_a_hierarchy_are_told_apart_on_one_level_only() {
        let under = [("Europe".to_string(), 3), ("Asia".to_string(), 2)].into();
        let ruler = Ruler::Leaves { all: 5, under };
        check(&ruler, &[("Italy", "Europe"), ("Europe", "Asia"), ("Italy", "*"), ("Italy", "Japan")], &[]);
        let names = ["Europe", "Asia", "Italy", "Japan"];
        let [europe, asia, italy, japan] = names.map(|text| Column::from_values("q", [text]));
        let on = |column, level| Quasi { column, ruler: &ruler, depth: Depth::On(level) };
        assert!(!Overlaps::new(&on(&italy, 0), &on(&japan, 0)).holds(0, 0));
        assert!(!Overlaps::new(&on(&europe, 1), &on(&asia, 1)).holds(0, 0));
        assert!(Overlaps::new(&on(&europe, 2), &on(&asia, 1)).holds(0, 0), "one may stand over the other");
        assert!(Overlaps::new(&on(&italy, 1), &on(&asia, 0)).holds(0, 0), "it may be the parent of one leaf");
        let [both, other] = [["Europe", "Asia"], ["Europe", "Japan"]].map(|texts| Column::from_values("q", texts));
        let some = |column| Quasi { column, ruler: &ruler, depth: Depth::One };
        assert!(!Overlaps::new(&some(&both), &some(&both)).holds(0, 1), "the same labels are on the same level");
        assert!(Overlaps::new(&some(&both), &some(&other)).holds(0, 1));
    }
}
