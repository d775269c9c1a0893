//! How cells are written where that differs from how values are stored and published.
//!
//! `1.234,50 €`, `45 %`, `.5`, `31.03.2021` and `2:05 PM` are values that every reader understands,
//! if the whole column is written in the same way. They are stored and published in one spelling:
//! `1234.50`, `45`, `0.5`, `2021-03-31` and `14:05`. So a release reads the same everywhere, and
//! whoever reads it back gets the values that were written.
//!
//! A column that could be read in two ways (`03/04/2021`, `1,250`) stays text until the plan says
//! which is meant: a wrong guess would publish other values than the data have.

mod moments;
mod numbers;

pub(super) use moments::clock;
pub use moments::{Moments, Order};
pub use numbers::{Mark, Numbers};

use super::ValueType;
use std::borrow::Cow;
use std::fmt;

/// How the cells of a column are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Spelling {
    /// As values are stored.
    #[default]
    Plain,
    /// Numbers with marks or signs that stored ones do not have.
    Numbers(Numbers),
    /// Local dates, with a time of day or without.
    Moments(Moments),
    /// Times of day such as `8:05` or `2:05 PM`.
    Clock,
}

/// What a plan says about the way in which a column is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Written {
    /// The parts of a date, in their order.
    Dates(Moments),
    /// What stands before the fraction of a number.
    Decimal(Mark),
}

/// What a column's cells look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// All are values of a type, written in one way.
    Typed(ValueType, Spelling),
    /// All are, in several ways that give different values.
    Unclear(Vec<Spelling>),
    /// They are texts.
    Text,
}

impl Spelling {
    /// The value as it is stored; `None` if the text is not written in this way.
    ///
    /// ```
    /// use sfumato::data::spelling::{Found, detect};
    ///
    /// let Found::Typed(_, spelling) = detect(["1.200,50 €", "950,00 €"].into_iter()) else { panic!() };
    /// assert_eq!(spelling.normal("1.200,50 €").unwrap(), "1200.50");
    /// ```
    pub fn normal<'a>(&self, text: &'a str) -> Option<Cow<'a, str>> {
        match self {
            Spelling::Plain => Some(text.into()),
            Spelling::Numbers(numbers) => numbers.normal(text).map(Cow::Owned),
            Spelling::Moments(moments) => moments.normal(text).map(Cow::Owned),
            Spelling::Clock => clock(text).map(Cow::Owned),
        }
    }

    fn fits<'a>(&self, mut values: impl Iterator<Item = &'a str>) -> bool {
        values.all(|value| self.normal(value).is_some())
    }

    /// The type of values that are all written in this way.
    fn type_of<'a>(&self, values: impl Iterator<Item = &'a str> + Clone) -> ValueType {
        let candidates: &[ValueType] = match self {
            Spelling::Numbers(_) => &[ValueType::Integer, ValueType::Decimal],
            Spelling::Moments(_) => &[ValueType::Date, ValueType::Timestamp],
            Spelling::Clock => &[ValueType::Time],
            Spelling::Plain => &[],
        };
        let admits = |kind: &ValueType| {
            values.clone().all(|value| self.normal(value).is_some_and(|normal| kind.admits(&normal)))
        };
        candidates.iter().copied().find(admits).unwrap_or(ValueType::Text)
    }
}

impl fmt::Display for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spelling::Plain => f.write_str("plain"),
            Spelling::Numbers(numbers) => numbers.fmt(f),
            Spelling::Moments(moments) => moments.fmt(f),
            Spelling::Clock => f.write_str("h:mm"),
        }
    }
}

impl Written {
    /// How a column is written of which this is said.
    fn spelling<'a>(self, mut values: impl Iterator<Item = &'a str>) -> Spelling {
        match self {
            Written::Dates(moments) => Spelling::Moments(moments),
            Written::Decimal(decimal) => {
                let unit = values.next().and_then(numbers::unit_of);
                Spelling::Numbers(Numbers { decimal, unit })
            }
        }
    }

    /// The spelling and type of values of which this is said; `None` if one is not written so.
    pub fn read<'a>(self, values: impl Iterator<Item = &'a str> + Clone) -> Option<(ValueType, Spelling)> {
        let spelling = self.spelling(values.clone());
        let value_type = if spelling.fits(values.clone()) { spelling.type_of(values) } else { ValueType::Text };
        (value_type != ValueType::Text).then_some((value_type, spelling))
    }

    /// The position of the first value that is not written so.
    pub fn misfit<'a>(self, values: impl Iterator<Item = &'a str> + Clone) -> Option<usize> {
        let spelling = self.spelling(values.clone());
        values.into_iter().position(|value| spelling.normal(value).is_none())
    }

    /// What the values are called in messages.
    pub fn noun(self) -> String {
        match self {
            Written::Dates(moments) => format!("date written {moments}"),
            Written::Decimal(mark) => format!("number with the decimal mark \"{}\"", mark.letter()),
        }
    }
}

/// What the cells of a column look like, a missing value left out.
pub fn detect<'a>(values: impl Iterator<Item = &'a str> + Clone) -> Found {
    let plain = ValueType::detect(values.clone());
    if plain != ValueType::Text {
        return Found::Typed(plain, Spelling::Plain);
    }
    let Some(first) = values.clone().next() else { return Found::Text };
    let fitting: Vec<Spelling> =
        candidates(first).into_iter().filter(|spelling| spelling.fits(values.clone())).collect();
    match fitting.as_slice() {
        [] => Found::Text,
        [one] => Found::Typed(one.type_of(values), *one),
        [one, other, ..] => {
            let differ = values.clone().any(|value| one.normal(value) != other.normal(value));
            if differ { Found::Unclear(fitting) } else { Found::Typed(one.type_of(values), *one) }
        }
    }
}

/// The ways in which a cell may be written.
pub(crate) fn candidates(cell: &str) -> Vec<Spelling> {
    let unit = numbers::unit_of(cell);
    let numbers = Mark::ALL.map(|decimal| Spelling::Numbers(Numbers { decimal, unit }));
    let moments = Moments::candidates(cell).into_iter().map(Spelling::Moments);
    let all = numbers.into_iter().chain(moments).chain([Spelling::Clock]);
    all.filter(|spelling| spelling.normal(cell).is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells as people write them, what they are, and how they are stored.
    #[test]
    fn cells_are_stored_in_one_spelling() {
        use ValueType::{Date, Decimal, Integer, Time, Timestamp};
        type Case<'a> = (&'a [&'a str], ValueType, &'a str, &'a [&'a str]);
        let cases: [Case; 30] = [
            (&["1,50", "-2,5", "3"], Decimal, "1234,5", &["1.50", "-2.5", "3"]),
            (&["1.234,5", "12"], Decimal, "1234,5", &["1234.5", "12"]),
            (&["1,234.5", "12"], Decimal, "1234.5", &["1234.5", "12"]),
            (&["1,234,567", "12"], Integer, "1234.5", &["1234567", "12"]),
            (&["1.234.567", "12"], Integer, "1234,5", &["1234567", "12"]),
            (&["1 234", "12", "1\u{a0}234\u{202f}567"], Integer, "1234.5", &["1234", "12", "1234567"]),
            (&["1'234.50", "1’000"], Decimal, "1234.5", &["1234.50", "1000"]),
            (&[".5", "0.25", "-.75"], Decimal, "1234.5", &["0.5", "0.25", "-0.75"]),
            (&["+1.5", "−2.5"], Decimal, "1234.5", &["1.5", "-2.5"]),
            (&["45 %", "7%", "12.5 %"], Decimal, "1234.5 %", &["45", "7", "12.5"]),
            (&["45 %", "7%"], Integer, "1234.5 %", &["45", "7"]),
            (&["45,5 %", "7 %"], Decimal, "1234,5 %", &["45.5", "7"]),
            (&["$1,200.00", "$950.50", "-$3.00"], Decimal, "1234.5 $", &["1200.00", "950.50", "-3.00"]),
            (&["$1,200,000", "$950"], Integer, "1234.5 $", &["1200000", "950"]),
            (&["1.200,50 €", "3,00€"], Decimal, "1234,5 €", &["1200.50", "3.00"]),
            (&["EUR 1.200,50", "EUR 7,00"], Decimal, "1234,5 EUR", &["1200.50", "7.00"]),
            (&["CHF 1'200.50", "CHF 5"], Decimal, "1234.5 CHF", &["1200.50", "5"]),
            (&["31.03.2021", "1.4.2021"], Date, "DD.MM.YYYY", &["2021-03-31", "2021-04-01"]),
            (&["03/31/2021", "4/1/2021"], Date, "MM/DD/YYYY", &["2021-03-31", "2021-04-01"]),
            (&["31-03-2021", "01-04-2021"], Date, "DD-MM-YYYY", &["2021-03-31", "2021-04-01"]),
            (&["31/03/2021", "01/04/2021"], Date, "DD/MM/YYYY", &["2021-03-31", "2021-04-01"]),
            (&["2021/03/31", "2021/4/1"], Date, "YYYY/MM/DD", &["2021-03-31", "2021-04-01"]),
            (&["2021.3.4", "1999.12.31"], Date, "YYYY.MM.DD", &["2021-03-04", "1999-12-31"]),
            (&["31-MAR-2021", "1-Apr-2021"], Date, "DD-MON-YYYY", &["2021-03-31", "2021-04-01"]),
            (&["31 March 2021", "1 May 2021"], Date, "DD MON YYYY", &["2021-03-31", "2021-05-01"]),
            (
                &["31.03.2021 14:05", "01.04.2021 8:00:30"],
                Timestamp,
                "DD.MM.YYYY",
                &["2021-03-31 14:05", "2021-04-01 08:00:30"],
            ),
            (
                &["3/31/2021 2:05 PM", "4/1/2021 12:00 am"],
                Timestamp,
                "MM/DD/YYYY",
                &["2021-03-31 14:05", "2021-04-01 00:00"],
            ),
            (&["2021-03-31T14:05:00Z", "2021-04-01T00:00:00.5Z"], Timestamp, "plain", &[]),
            (&["8:05", "14:30"], Time, "h:mm", &["08:05", "14:30"]),
            (&["2:05 PM", "12:30 AM", "12:15 pm"], Time, "h:mm", &["14:05", "00:30", "12:15"]),
        ];
        for (cells, value_type, written, stored) in cases {
            let Found::Typed(found, spelling) = detect(cells.iter().copied()) else { panic!("{cells:?} are texts") };
            assert_eq!((found, spelling.to_string().as_str()), (value_type, written), "{cells:?}");
            let stored = if stored.is_empty() { cells } else { stored };
            for (cell, stored) in cells.iter().zip(stored) {
                let normal = spelling.normal(cell).unwrap();
                assert_eq!(normal, *stored, "{cell}");
                // What is stored is read back as it is: a release has one reading.
                assert_eq!(
                    detect([&*normal].into_iter()),
                    Found::Typed(ValueType::detect([&*normal].into_iter()), Spelling::Plain)
                );
            }
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_not_guessed() {
        for (cells, ways) in [
            (&["03/04/2021", "1/2/2021"][..], &["DD/MM/YYYY", "MM/DD/YYYY"][..]),
            (&["03.04.2021 10:00"], &["DD.MM.YYYY", "MM.DD.YYYY"]),
            (&["05-05-2021"], &[]),
            (&["1,250", "12,500"], &["1234.5", "1234,5"]),
            (&["$1,250", "$950"], &["1234.5 $", "1234,5 $"]),
        ] {
            match detect(cells.iter().copied()) {
                Found::Unclear(found) => {
                    assert_eq!(found.iter().map(Spelling::to_string).collect::<Vec<_>>(), ways, "{cells:?}");
                }
                // A day that is its own month is the same day in either way.
                found => assert!(ways.is_empty() && matches!(found, Found::Typed(ValueType::Date, _)), "{cells:?}"),
            }
        }
    }

    #[test]
    fn texts_stay_texts() {
        for cells in [
            &["01234", "12345"][..],
            &["1,50", "n/a"],
            &["12,34,567"],
            &["1,2", "1.2"],
            &["$5", "€5"],
            &["$5", "5"],
            &["5 apples"],
            &["31.02.2021"],
            &["31.03.21"],
            &["31.03.2021", "03/31/2021"],
            &["2021-13-01"],
            &["25:00", "8:05"],
            &["13:05 PM"],
            &["0:05 AM"],
            &["-"],
            &["."],
            &["%"],
            &["$"],
            &["1 2"],
            &["--5"],
            &["(5)"],
            &["1e5,5"],
            &["007,5"],
            &["flu", "1"],
            &[""],
        ] {
            assert_eq!(detect(cells.iter().copied()), Found::Text, "{cells:?}");
        }
        assert_eq!(detect(std::iter::empty()), Found::Text);
    }

    #[test]
    fn a_plan_says_what_is_meant() {
        let day = Moments::parse("DD/MM/YYYY").unwrap();
        let read = |written: Written, cells: &[&str]| written.read(cells.iter().copied());
        let (kind, spelling) = read(Written::Dates(day), &["03/04/2021"]).unwrap();
        assert_eq!((kind, spelling.normal("03/04/2021").unwrap().as_ref()), (ValueType::Date, "2021-04-03"));
        let (kind, spelling) = read(Written::Decimal(Mark::Comma), &["1,250 €"]).unwrap();
        assert_eq!((kind, spelling.normal("1,250 €").unwrap().as_ref()), (ValueType::Decimal, "1.250"));
        assert_eq!(read(Written::Decimal(Mark::Comma), &["1,250", "x"]), None);
        assert_eq!(Written::Decimal(Mark::Comma).misfit(["1,250", "x"].into_iter()), Some(1));
        let packed = Moments::parse("YYYYMMDD").unwrap();
        assert_eq!(Spelling::Moments(packed).normal("20210331").unwrap(), "2021-03-31");
        for pattern in ["DD.MM.YYYY", "MM/DD/YYYY", "YYYY-MM-DD", "DD-MON-YYYY", "YYYYMMDD", "DD MM YYYY"] {
            assert_eq!(Moments::parse(pattern).unwrap().to_string(), pattern);
        }
        for pattern in ["", "DD.MM.YY", "DDMMYYYY", "DD.MM/YYYY", "YYYY.DD.MM", "dd.mm.yyyy", "DD:MM:YYYY"] {
            assert!(Moments::parse(pattern).is_none(), "{pattern}");
        }
    }
}
