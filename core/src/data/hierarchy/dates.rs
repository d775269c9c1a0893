//! Dates: day, month, quarter, year, decade.

use super::{Build, Ladder, Rule, Ruler, TOP, ladder_of};
use crate::data::{Column, Dictionary, ValueType, parse_date, parse_timestamp, without_missing};
use crate::error::{Error, Result};
use crate::kind::{Kind, Param, Params, Shape};
use jiff::civil::Date;

pub(super) const KIND: Kind<Build> = Kind {
    name: "dates",
    summary: "Day, then month, quarter, year, decade; of timestamps also the day",
    reference: "the calendar",
    params: &[
        Param { name: "dates", summary: "must be true", shape: Shape::Flag, default: None },
        Param {
            name: "units",
            summary: "the levels to use, finest first: day, month, quarter, year, decade; all but day if none is named",
            shape: Shape::Values,
            default: Some(""),
        },
    ],
    example: &[("dates", "true")],
    build: Build {
        make: |params, _| Ok(Box::new(Dates::new(params)?)),
        draft: |domain| {
            let drafted = match domain.value_type() {
                ValueType::Date => "true",
                ValueType::Timestamp => "true, units = [\"day\", \"month\", \"quarter\", \"year\", \"decade\"]",
                _ => return None,
            };
            (domain.present() > 0).then(|| drafted.into())
        },
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Day,
    Month,
    Quarter,
    Year,
    Decade,
}

impl Unit {
    const ALL: [Unit; 5] = [Unit::Day, Unit::Month, Unit::Quarter, Unit::Year, Unit::Decade];
    const NAMES: [&'static str; 5] = ["day", "month", "quarter", "year", "decade"];

    fn find(name: &str) -> Result<Unit> {
        let found = Unit::ALL.into_iter().zip(Unit::NAMES).find(|(_, known)| *known == name);
        found
            .map(|(unit, _)| unit)
            .ok_or_else(|| Error::unknown(format!("dates: there is no unit \"{name}\""), name, Unit::NAMES))
    }

    fn label(self, date: Date) -> String {
        let (year, month) = (date.year(), date.month());
        match self {
            Unit::Day => date.to_string(),
            Unit::Month => format!("{year:04}-{month:02}"),
            Unit::Quarter => format!("{year:04}-Q{}", (month - 1) / 3 + 1),
            Unit::Year => format!("{year:04}"),
            Unit::Decade => format!("{:04}s", year.div_euclid(10) * 10),
        }
    }

    /// The first day that the label stands for; `None` if it is none of this unit.
    fn day_in(self, label: &str) -> Option<Date> {
        let year = label.get(..4)?;
        let month = match self {
            Unit::Day => return parse_date(label),
            Unit::Month => label.get(5..7)?.parse().ok()?,
            Unit::Quarter => label.get(6..7)?.parse::<i8>().ok()? * 3 - 2,
            Unit::Year | Unit::Decade => 1,
        };
        let day = Date::new(year.parse().ok()?, month, 1).ok()?;
        (self.label(day) == label).then_some(day)
    }
}

/// The day of a date, or of a timestamp.
fn day_of(value: &str) -> Option<Date> {
    parse_timestamp(value).map(|moment| moment.date())
}

struct Dates {
    units: Vec<Unit>,
}

impl Dates {
    fn new(params: &Params) -> Result<Dates> {
        if !params.flag("dates") {
            return Err(Error::plan("`dates = false` makes no hierarchy").help("leave the hierarchy out"));
        }
        let units: Vec<Unit> = params.values("units").iter().map(|name| Unit::find(name)).collect::<Result<_>>()?;
        if !units.is_sorted_by(|a, b| a < b) {
            return Err(
                Error::plan("dates: `units` must go from fine to coarse").help("day, month, quarter, year, decade")
            );
        }
        Ok(Dates { units: if units.is_empty() { Unit::ALL[1..].to_vec() } else { units } })
    }

    /// From the first to the last published day, as far as the coarsest units reach that these lie
    /// in: the same on every level and for every grouping, as long as the same ends are published.
    fn whole(&self, published: &Dictionary) -> Option<String> {
        let unit = self.units.last()?;
        let day = |label: &str| day_of(label).or_else(|| self.units.iter().find_map(|unit| unit.day_in(label)));
        let ends = published.iter().flat_map(|label| without_missing(label).split("..")).filter_map(day);
        let days: Vec<Date> = ends.collect();
        let (first, last) = (unit.label(*days.iter().min()?), unit.label(*days.iter().max()?));
        Some(if first == last { first } else { format!("{first}..{last}") })
    }
}

impl Rule for Dates {
    fn ladder(&self, column: &Column) -> Result<Ladder> {
        ladder_of(column, "a date (YYYY-MM-DD)", |value| {
            let date = day_of(value)?;
            Some(self.units.iter().map(|unit| unit.label(date)).collect())
        })
    }

    fn makes(&self, label: &str) -> bool {
        let is_unit = |label: &str| self.units.iter().any(|unit| unit.day_in(label).is_some());
        label == TOP || is_unit(label) || label.split_once("..").is_some_and(|(a, b)| is_unit(a) && is_unit(b))
    }

    fn span(&self, level: usize, first: &str, last: &str) -> Option<String> {
        let Some(unit) = self.units.get(level.checked_sub(1)?) else { return Some(TOP.to_string()) };
        let (first, last) = (unit.label(day_of(first)?), unit.label(day_of(last)?));
        Some(if first == last { first } else { format!("{first}..{last}") })
    }

    fn ruler(&self, published: &Dictionary, _: Option<usize>) -> Option<Ruler> {
        Some(Ruler::Dates { whole: self.whole(published) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::levels;
    use crate::kind::Raw;

    #[test]
    fn from_day_to_decade() {
        let made = levels(&[("dates", Raw::Flag(true))], &["2021-05-31", "1999-12-01"]).unwrap();
        assert_eq!(made[0], ["2021-05-31", "2021-05", "2021-Q2", "2021", "2020s", "*"]);
        assert_eq!(made[1], ["1999-12-01", "1999-12", "1999-Q4", "1999", "1990s", "*"]);
    }

    #[test]
    fn timestamps_have_their_day() {
        let units = Raw::List(["day", "year"].map(Raw::from).to_vec());
        let written = [("dates", Raw::Flag(true)), ("units", units)];
        let made = levels(&written, &["2021-05-31 14:05", "2021-05-31T23:59:59"]).unwrap();
        assert_eq!(made[0], ["2021-05-31 14:05", "2021-05-31", "2021", "*"]);
        assert_eq!(made[1][1..], made[0][1..]);
        let whole = levels(&[("dates", Raw::Flag(true))], &["2021-05-31 14:05"]).unwrap();
        assert_eq!(whole[0][1], "2021-05");
    }

    #[test]
    fn neighbours_are_joined_from_unit_to_unit() {
        let rule = super::super::rule(&[("dates", Raw::Flag(true))], ".".as_ref()).unwrap();
        assert_eq!(rule.span(1, "2021-01-31", "2021-03-01").unwrap(), "2021-01..2021-03");
        assert_eq!(rule.span(3, "2021-01-31", "2021-03-01").unwrap(), "2021");
        assert_eq!(rule.span(5, "2021-01-31", "2021-03-01").unwrap(), "*");
        assert!(rule.makes("2021-01..2021-03") && rule.makes("1990s..2010s") && !rule.makes("2021-01-31..2021-03"));
    }

    #[test]
    fn chosen_units_and_wrong_values() {
        let units = |names: &[&str]| {
            let list = names.iter().map(|name| Raw::from(*name)).collect();
            [("dates", Raw::Flag(true)), ("units", Raw::List(list))]
        };
        assert_eq!(levels(&units(&["year"]), &["2021-05-31"]).unwrap()[0], ["2021-05-31", "2021", "*"]);
        assert!(levels(&units(&["year", "month"]), &["2021-05-31"]).is_err());
        let error = levels(&units(&["year"]), &["SECRET"]).unwrap_err().to_string();
        assert!(error.contains("record 1") && !error.contains("SECRET"), "{error}");
    }
}
