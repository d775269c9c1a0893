//! Records that are published day by day, week by week or month by month: small batches are more
//! skewed than the whole.

use super::eligibility::{Member, members};
use crate::data::{Column, Domain, Table, ValueType, parse_timestamp};
use crate::error::{Error, Result};
use crate::skew::{Ranked, Skewed};
use dashu_ratio::RBig;
use jiff::civil::Date;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// How long records are collected before they are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// A calendar day.
    Day,
    /// From Monday to Sunday.
    Week,
    /// A calendar month.
    Month,
}

impl Period {
    /// All periods, the shortest first.
    pub const ALL: [Period; 3] = [Period::Day, Period::Week, Period::Month];
    /// Their names, in the same order.
    pub const NAMES: [&'static str; 3] = ["day", "week", "month"];

    /// The word on the command line and in documents.
    pub fn name(self) -> &'static str {
        Period::NAMES[self as usize]
    }

    /// The period with this name.
    pub fn find(name: &str) -> Option<Period> {
        Period::ALL.into_iter().find(|period| period.name() == name)
    }

    /// The period of a day: a year, and a number in it. The year of a week is that of its Thursday.
    fn of(self, date: Date) -> (i16, i16) {
        match self {
            Period::Day => (date.year(), date.day_of_year()),
            Period::Week => (date.iso_week_date().year(), i16::from(date.iso_week_date().week())),
            Period::Month => (date.year(), i16::from(date.month())),
        }
    }
}

/// What publishing a table in batches would mean.
#[derive(Clone, Debug)]
pub struct Batches {
    /// The column that tells when.
    pub dates: String,
    /// How long records are collected for a batch.
    pub period: Period,
    /// How many batches have records.
    pub batches: usize,
    /// How many of them are not l-eligible.
    pub violating: usize,
    /// How many records those have.
    pub violating_records: u64,
    /// How many records have no date and are in no batch.
    pub undated: u64,
    /// What each way to suppress would withhold, in the order of the family's list.
    pub rates: Vec<Rate>,
}

/// The mean share of a batch that one way to suppress withholds: nothing of an eligible batch, all
/// of one with fewer than l values.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// The way's name.
    pub name: &'static str,
    /// What documents call what it withholds.
    pub figure: &'static str,
    /// The mean over all batches, eligible ones included.
    pub mean: f64,
}

/// The columns in which every record that has a value has a date.
pub fn date_columns(table: &Table) -> Vec<&str> {
    let has_dates = |domain: &Domain| domain.present() > 0;
    let is_dates = |column: &&Column| has_dates(column.domain()) && days(column).is_ok();
    table.columns().iter().filter(is_dates).map(Column::name).collect()
}

/// Looks how many batches of each period would be l-eligible. The date is a day, or a day with a
/// time of it.
///
/// ```
/// use sfumato::data::Column;
/// use sfumato::inspect::{Period, batches};
///
/// let day = Column::from_values("day", ["2021-03-30", "2021-03-30", "2021-03-31", "2021-03-31"]);
/// let disease = Column::from_values("disease", ["flu", "cold", "flu", "flu"]);
/// let daily = &batches(&day, &disease, 2, &[Period::Day])?[0];
/// assert_eq!((daily.batches, daily.violating, daily.violating_records), (2, 1, 2));
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn batches(dates: &Column, sensitive: &Column, l: u64, periods: &[Period]) -> Result<Vec<Batches>> {
    let days = days(dates)?;
    let members = members();
    let of_period = |&period: &Period| {
        let (values, undated) = batch_values(dates, &days, sensitive, period);
        let skews: Vec<Skew> = values.into_par_iter().map(|values| skew(values, &members, l)).collect();
        summary(dates.name(), period, undated, &skews, &members)
    };
    Ok(periods.iter().map(of_period).collect())
}

/// The day of every value of a column; nothing for the missing one.
fn days(column: &Column) -> Result<Vec<Option<Date>>> {
    let domain = column.domain();
    let mut days = Vec::with_capacity(domain.len());
    for (label, code) in domain.labels().iter().zip(0u32..) {
        let day = if domain.missing() == Some(code) { None } else { Some(day(label).ok_or(code)) };
        days.push(day.transpose().map_err(|code| no_dates(column, code))?);
    }
    Ok(days)
}

fn no_dates(column: &Column, code: u32) -> Error {
    let row = column.codes().iter().position(|&other| other == code).unwrap_or(0) + 1;
    let name = column.name();
    let message = match column.domain().value_type() {
        ValueType::Text => format!("column \"{name}\" is not one of dates: that of record {row} is not written as one"),
        other => format!("column \"{name}\" is not one of dates: its type is {other}"),
    };
    Error::data(message).help("dates are YYYY-MM-DD, with a time of day or without")
}

/// The day of a date, or of a timestamp as it is written.
fn day(text: &str) -> Option<Date> {
    parse_timestamp(text).map(|moment| moment.date())
}

/// The sensitive values of every batch, in the order of time, and how many records have no date.
fn batch_values(dates: &Column, days: &[Option<Date>], sensitive: &Column, period: Period) -> (Vec<Vec<u32>>, u64) {
    let mut numbers: BTreeMap<(i16, i16), usize> = days.iter().flatten().map(|day| (period.of(*day), 0)).collect();
    numbers.values_mut().enumerate().for_each(|(at, number)| *number = at);
    let batch_of: Vec<Option<usize>> = days.iter().map(|day| day.map(|day| numbers[&period.of(day)])).collect();
    let mut values = vec![Vec::new(); numbers.len()];
    let mut undated = 0;
    for (&date, &value) in dates.codes().iter().zip(sensitive.codes()) {
        match batch_of[date as usize] {
            Some(batch) => values[batch].push(value),
            None => undated += 1,
        }
    }
    // A domain may have dates that no record has.
    values.retain(|batch| !batch.is_empty());
    (values, undated)
}

/// What is in the way of one batch: how many records it has, and the share of them that each way
/// would withhold.
struct Skew {
    records: u64,
    /// Nothing if the batch is eligible.
    shares: Option<Vec<f64>>,
}

fn skew(mut values: Vec<u32>, members: &[Member], l: u64) -> Skew {
    values.sort_unstable();
    let counts: Vec<u64> = values.chunk_by(|a, b| a == b).map(|same| same.len() as u64).collect();
    let ranked = Ranked::new(&counts);
    let records = ranked.records();
    if ranked.is_eligible(l) {
        return Skew { records, shares: None };
    }
    let share = |(_, way): &Member, skewed: &Skewed| (way.expected(skewed) / RBig::from(records)).to_f64().value();
    let shares = match Skewed::new(&ranked.frequencies, l) {
        Ok(skewed) => members.iter().map(|member| share(member, &skewed)).collect(),
        // Too few values: no part of the batch can be published.
        Err(_) => vec![1.0; members.len()],
    };
    Skew { records, shares: Some(shares) }
}

fn summary(dates: &str, period: Period, undated: u64, skews: &[Skew], members: &[Member]) -> Batches {
    let violating = || skews.iter().filter_map(|skew| Some((skew.records, skew.shares.as_ref()?)));
    let rate = |(at, (kind, way)): (usize, &Member)| {
        // An empty sum of floats would be −0.
        let sum = violating().fold(0.0, |sum, (_, shares)| sum + shares[at]);
        Rate { name: kind.name, figure: way.figure(), mean: sum / skews.len().max(1) as f64 }
    };
    Batches {
        dates: dates.to_string(),
        period,
        batches: skews.len(),
        violating: violating().count(),
        violating_records: violating().map(|(records, _)| records).sum(),
        undated,
        rates: members.iter().enumerate().map(rate).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Encoding, Lexicon};

    /// A column in which an empty text is a missing value.
    fn column(name: &str, values: &[&str]) -> Column {
        let mut lexicon = Lexicon::new();
        let codes: Vec<u32> = values.iter().map(|value| lexicon.code(value)).collect();
        let encoding = Encoding { missing: &[String::new()], ..Encoding::default() };
        encoding.column(name.into(), vec![(lexicon, codes)], &[(0, values.len())])
    }

    /// Batches, violating ones and records in them, of days, weeks and months.
    fn found(dates: &[&str], values: &[&str], l: u64) -> Vec<(usize, usize, u64)> {
        let found = batches(&column("day", dates), &column("disease", values), l, &Period::ALL).unwrap();
        found.iter().map(|found| (found.batches, found.violating, found.violating_records)).collect()
    }

    #[test]
    fn small_batches_violate_what_the_whole_does_not() {
        let dates = ["2021-03-01", "2021-03-01", "2021-03-02", "2021-03-02", "2021-03-08", "2021-03-08"];
        let values = ["flu", "flu", "cold", "cold", "flu", "cold"];
        assert_eq!(found(&dates, &values, 2), [(3, 2, 4), (2, 0, 0), (1, 0, 0)]);
        assert_eq!(found(&[], &[], 2), [(0, 0, 0); 3]);
    }

    #[test]
    fn weeks_start_on_monday() {
        // A Sunday and the Monday after it.
        assert_eq!(found(&["2021-03-07", "2021-03-08"], &["flu", "cold"], 2)[1], (2, 2, 2));
        assert_eq!(found(&["2021-03-08", "2021-03-14"], &["flu", "cold"], 2)[1], (1, 0, 0));
    }

    #[test]
    fn a_week_may_be_in_two_years_and_months_are_of_one() {
        // Thursday to Friday: one week, two months, two years.
        assert_eq!(found(&["2020-12-31", "2021-01-01"], &["flu", "cold"], 2), [(2, 2, 2), (1, 0, 0), (2, 2, 2)]);
        assert_eq!(found(&["2018-12-31", "2019-01-06"], &["flu", "cold"], 2)[1], (1, 0, 0));
        assert_eq!(found(&["2020-03-01", "2021-03-01"], &["flu", "cold"], 2), [(2, 2, 2); 3]);
    }

    #[test]
    fn rates_are_means_over_all_batches() {
        let batch = |day: &'static str, frequencies: &[usize]| -> Vec<(&'static str, String)> {
            let values = frequencies.iter().enumerate();
            values.flat_map(|(at, &count)| vec![(day, format!("v{at}")); count]).collect()
        };
        let eligible = batch("2021-03-01", &[1, 1, 1]);
        let skewed = batch("2021-03-02", &[10, 4, 2, 1, 1]);
        let hopeless = batch("2021-03-03", &[2, 1]);
        let rows = [eligible, skewed, hopeless].concat();
        let dates = Column::from_values("day", rows.iter().map(|(day, _)| day));
        let values = Column::from_values("disease", rows.iter().map(|(_, value)| value));
        let daily = &batches(&dates, &values, 3, &[Period::Day]).unwrap()[0];
        assert_eq!((daily.batches, daily.violating, daily.violating_records), (3, 2, 21));
        let rate = |figure: &str| daily.rates.iter().find(|rate| rate.figure == figure).unwrap().mean;
        let close = |figure: &str, withheld: f64| (rate(figure) - (withheld / 18.0 + 1.0) / 3.0).abs() < 1e-4;
        assert!(close("unsafe_d", 6.0) && close("safe_d", 10.0), "{daily:?}");
        assert!(close("calibrated", 9.0) && close("r_expected", 7.8889), "{daily:?}");
    }

    #[test]
    fn days_are_taken_from_times_and_records_without_any_are_counted_apart() {
        let written = ["2021-03-31", "2021-03-31T12:00", "2021-03-31 12:00:00", "2021-03-31T23:59:59.5Z", ""];
        let dates = column("when", &written);
        assert_eq!(dates.domain().value_type(), ValueType::Timestamp);
        let daily = &batches(&dates, &column("disease", &["a", "b", "c", "d", "e"]), 2, &[Period::Day]).unwrap()[0];
        assert_eq!((daily.batches, daily.violating, daily.undated), (1, 0, 1));
        for wrong in ["2021-02-30", "31.03.2021", "2021-03-31x12:00", "2021-03-31T", "2021-03-31T25:00", "2021-03-3é"]
        {
            assert_eq!(day(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_no_date_is_told_by_its_record() {
        let error = days(&column("when", &["2021-03-31", "SECRET"])).unwrap_err().to_string();
        assert!(error.contains("\"when\"") && error.contains("record 2") && !error.contains("SECRET"), "{error}");
        let error = days(&column("age", &["31", "47"])).unwrap_err().to_string();
        assert!(error.contains("integer"), "{error}");
    }

    #[test]
    fn columns_of_dates_are_found() {
        let columns = [
            ("day", ["2021-03-31", ""]),
            ("at", ["2021-03-31 12:00", "2021-03-31"]),
            ("none", ["", ""]),
            ("n", ["1", "2"]),
        ];
        let table = Table::new(columns.iter().map(|(name, values)| column(name, values)).collect()).unwrap();
        assert_eq!(date_columns(&table), ["day", "at"]);
    }
}
