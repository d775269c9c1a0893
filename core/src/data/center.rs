//! One number for the numbers of a group: their mean or their median, exactly.

use super::value_type::canonical;
use dashu_int::{IBig, UBig};

/// Which number stands for those of a group.
///
/// *Mean*: rounded to one decimal more than the group's most precise number has, half away from
/// zero. *Median*: the middle number, or the mean of the two in the middle, which needs no more
/// than one decimal more. Either is written without trailing zeros, and depends on the numbers of
/// the group alone.
///
/// ```
/// use sfumato::data::Center;
///
/// let ages = [("21", 1), ("22", 2), ("40", 1)]; // ascending, each with how often it occurs
/// assert_eq!(Center::Mean.of(&ages).unwrap(), "26.3"); // 26.25
/// assert_eq!(Center::Median.of(&ages).unwrap(), "22");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Center {
    /// The sum over the number of records.
    Mean,
    /// As many records are below it as above.
    Median,
}

/// Numbers whose last digit stands for less than this power of ten are not read: sums of them would
/// have no end.
const LEAST_POWER: i64 = -1000;

impl Center {
    /// All of them.
    pub const ALL: [Center; 2] = [Center::Mean, Center::Median];

    /// The word in plans and certificates.
    pub fn name(self) -> &'static str {
        match self {
            Center::Mean => "mean",
            Center::Median => "median",
        }
    }

    /// The one with a name.
    pub fn find(name: &str) -> Option<Center> {
        Center::ALL.into_iter().find(|center| center.name() == name)
    }

    /// Of decimal numbers, ascending, each with how often it occurs. `None` if there are none, or
    /// one is no number or has too many decimals.
    pub fn of(self, numbers: &[(&str, u64)]) -> Option<String> {
        let read = numbers.iter().map(|(text, count)| Some((canonical(text)?, *count)));
        let read = read.collect::<Option<Vec<_>>>()?;
        let least = read.iter().map(|((_, _, power), _)| *power).min()?;
        if least < LEAST_POWER {
            return None;
        }
        let decimals = usize::try_from(1 - least.min(0)).ok()?;
        let scaled = |(negative, digits, power): &(bool, String, i64)| {
            let zeros = usize::try_from(power + decimals as i64).ok()?;
            let digits = if digits.is_empty() { UBig::ZERO } else { UBig::from_str_radix(digits, 10).ok()? };
            let scaled = IBig::from(digits * UBig::from(10u8).pow(zeros));
            Some(if *negative { -scaled } else { scaled })
        };
        let scaled = read.iter().map(|(number, count)| Some((scaled(number)?, *count)));
        let scaled = scaled.collect::<Option<Vec<(IBig, u64)>>>()?;
        let records: u64 = scaled.iter().map(|(_, count)| count).sum();
        let center = match self {
            Center::Mean => {
                let sum = scaled.iter().fold(IBig::ZERO, |sum, (number, count)| sum + number * IBig::from(*count));
                rounded(sum, records)
            }
            Center::Median => {
                let [low, high] = [records.div_ceil(2), records / 2 + 1].map(|place| at(&scaled, place));
                rounded(low? + high?, 2)
            }
        };
        Some(written(center, decimals))
    }
}

/// A sum over a number, to the nearest whole number, half away from zero.
fn rounded(sum: IBig, parts: u64) -> IBig {
    let is_negative = sum < IBig::ZERO;
    let size = if is_negative { -sum } else { sum };
    let whole: IBig = (size * IBig::from(2) + IBig::from(parts)) / (IBig::from(2) * IBig::from(parts));
    if is_negative { -whole } else { whole }
}

/// The number of a record, counted from one.
fn at(numbers: &[(IBig, u64)], place: u64) -> Option<IBig> {
    let mut seen = 0;
    let found = numbers.iter().find(|(_, count)| {
        seen += count;
        seen >= place
    });
    found.map(|(number, _)| number.clone())
}

/// A whole number of units of so many decimals.
fn written(number: IBig, decimals: usize) -> String {
    let is_negative = number < IBig::ZERO;
    let digits = if is_negative { -number } else { number }.to_string();
    let digits = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, part) = digits.split_at(digits.len() - decimals);
    let (sign, part) = (if is_negative { "-" } else { "" }, part.trim_end_matches('0'));
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(numbers: &[&str], mean: &str, median: &str) {
        let numbers: Vec<(&str, u64)> = numbers.iter().map(|number| (*number, 1)).collect();
        assert_eq!(Center::Mean.of(&numbers).as_deref(), Some(mean), "{numbers:?}");
        assert_eq!(Center::Median.of(&numbers).as_deref(), Some(median), "{numbers:?}");
    }

    #[test]
    fn means_are_rounded_to_one_decimal_more() {
        check(&["7"], "7", "7");
        check(&["1", "2"], "1.5", "1.5");
        check(&["1", "1", "2"], "1.3", "1");
        check(&["1", "2", "2", "2"], "1.8", "2");
        check(&["-2", "-2", "-2", "-1"], "-1.8", "-2");
        check(&["-1", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0"], "-0.1", "0");
        check(&["-3", "3"], "0", "0");
        check(&["1.25", "1.50"], "1.375", "1.375");
        check(&["0.1", "0.2", "0.2"], "0.17", "0.2");
        check(&["1e2", "1.5e2"], "125", "125");
        check(&["0", "0.0"], "0", "0");
        check(&["999999999999999999", "999999999999999999"], "999999999999999999", "999999999999999999");
    }

    #[test]
    fn no_digit_is_lost_to_floats() {
        let numbers = [("900000000000000001", 3), ("900000000000000002", 1)];
        assert_eq!(Center::Mean.of(&numbers).unwrap(), "900000000000000001.3");
        assert_eq!(Center::Median.of(&numbers).unwrap(), "900000000000000001");
    }

    #[test]
    fn what_cannot_be_added_up_is_refused() {
        assert_eq!(Center::Mean.of(&[]), None);
        assert_eq!(Center::Mean.of(&[("1e-100000", 1), ("2", 1)]), None);
        assert_eq!(Center::find("mode"), None);
    }
}
