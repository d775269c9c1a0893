//! Exact arithmetic on the ends of intervals, and how they are written.

/// A decimal as an integer times a power of ten: enough for exact interval arithmetic.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaled {
    pub mantissa: i128,
    pub scale: u32,
}

impl Scaled {
    pub fn parse(text: &str) -> Option<Scaled> {
        let (negative, number) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (number, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{part}");
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let magnitude: i128 = digits.parse().ok()?;
        let scale = (part.len() as i64).checked_sub(exponent.parse::<i32>().ok()?.into())?;
        let raise = u32::try_from((-scale).max(0)).ok()?;
        let mantissa = magnitude.checked_mul(10i128.checked_pow(raise)?)?;
        let scale = u32::try_from(scale.max(0)).ok().filter(|&scale| scale <= 30)?;
        Some(Scaled { mantissa: if negative { -mantissa } else { mantissa }, scale })
    }

    pub fn at(self, scale: u32) -> Option<i128> {
        self.mantissa.checked_mul(10i128.checked_pow(scale.checked_sub(self.scale)?)?)
    }
}

/// Where an interval starts and where the next one does; `None` where it has no end.
pub(super) type Ends = (Option<i128>, Option<i128>);

/// Numbers as integers at the one scale that all of them need.
pub(super) fn at_one_scale(numbers: &[String]) -> Option<(u32, Vec<i128>)> {
    let parsed: Vec<Scaled> = numbers.iter().map(|number| Scaled::parse(number)).collect::<Option<_>>()?;
    let scale = parsed.iter().map(|number| number.scale).max().unwrap_or(0);
    Some((scale, parsed.into_iter().map(|number| number.at(scale)).collect::<Option<_>>()?))
}

/// Whole numbers read best as 20-24; others say which end belongs.
pub(super) fn range_at(low: i128, high: i128, scale: u32) -> String {
    match scale {
        0 if high - low == 1 => low.to_string(),
        0 if low >= 0 => format!("{low}-{}", high - 1),
        0 => format!("[{low}, {}]", high - 1),
        _ => format!("[{}, {})", format_at(low, scale), format_at(high, scale)),
    }
}

/// A number of so many places.
pub(super) fn format_at(value: i128, scale: u32) -> String {
    let unit = 10u128.pow(scale);
    let (whole, part) = (value.unsigned_abs() / unit, value.unsigned_abs() % unit);
    let sign = if value < 0 { "-" } else { "" };
    match scale {
        0 => format!("{sign}{whole}"),
        places => format!("{sign}{whole}.{part:0width$}", width = places as usize),
    }
}
