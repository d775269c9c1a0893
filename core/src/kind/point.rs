//! Points of knowledge, as plans write them.

use super::{Range, Raw, in_range, whole};
use crate::exact::Decimal;
use std::fmt;

/// What an attacker is granted, and the belief that must not be reached with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The sensitive value that it protects; nothing for every value that no point names.
    pub value: Option<String>,
    /// How much is known about the target.
    pub l: u64,
    /// How many others are known.
    pub k: u64,
    /// How many members of the target's family are known.
    pub m: u64,
    /// The belief that stays out of reach.
    pub c: Decimal,
}

impl Point {
    fn read(written: &[(String, Raw)]) -> Result<Point, String> {
        let known = ["value", "l", "k", "m", "c"];
        if let Some((unknown, _)) = written.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            return Err(format!("has \"{unknown}\", which is none of value, l, k, m, c"));
        }
        let find = |name: &str| written.iter().find(|(known, _)| known == name).map(|(_, raw)| raw);
        let text = |name: &str| match find(name) {
            None => Ok(None),
            Some(Raw::Text(text) | Raw::Number(text)) => Ok(Some(text.as_str())),
            Some(other) => Err(format!("has {} for {name}", other.describe())),
        };
        let count = |name: &str| match text(name)? {
            None => Ok(0),
            Some(text) => whole(text, 0).map_err(|reason| format!("has an {name} that {reason}")),
        };
        let c = text("c")?.ok_or("has no confidence c")?;
        let c = in_range(c, Range::SHARE).map_err(|reason| format!("has a confidence c that {reason}"))?;
        let value = text("value")?.map(str::to_string);
        Ok(Point { value, l: count("l")?, k: count("k")?, m: count("m")?, c })
    }

    /// Whether whatever satisfies this point satisfies another one of the same value: more is
    /// known, and no more may be believed.
    pub fn covers(&self, other: &Point) -> bool {
        self.l >= other.l && self.k >= other.k && self.m >= other.m && self.c.fraction() <= other.c.fraction()
    }

    /// What could have been written for it.
    pub(super) fn raw(&self) -> Raw {
        let number = |name: &str, number: String| (name.to_string(), Raw::Number(number));
        let value = self.value.iter().map(|value| ("value".to_string(), Raw::Text(value.clone())));
        let counts = [("l", self.l), ("k", self.k), ("m", self.m)];
        let counts = counts.map(|(name, count)| number(name, count.to_string()));
        Raw::Table(value.chain(counts).chain([number("c", self.c.to_string())]).collect())
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {}) below {}", self.l, self.k, self.m, self.c)?;
        match &self.value {
            Some(value) => write!(f, " for {value}"),
            None => Ok(()),
        }
    }
}

/// The points of a list, none of which follows from another one of the same value.
pub(super) fn list(items: &[Raw]) -> Result<Vec<Point>, String> {
    let read = |(at, item): (usize, &Raw)| match item {
        Raw::Table(written) => {
            Point::read(written).map_err(|reason| format!("is a list whose point {} {reason}", at + 1))
        }
        other => Err(format!("is a list whose item {} is {}", at + 1, other.describe())),
    };
    let points = items.iter().enumerate().map(read).collect::<Result<Vec<Point>, String>>()?;
    if points.is_empty() {
        return Err("is a list without a point".into());
    }
    for (at, point) in points.iter().enumerate() {
        let covered = |(other, by): &(usize, &Point)| *other != at && by.value == point.value && by.covers(point);
        if let Some((other, _)) = points.iter().enumerate().find(covered) {
            return Err(format!(
                "has point {} that follows from point {}, which grants no less and allows no more; leave it out",
                at + 1,
                other + 1
            ));
        }
    }
    Ok(points)
}
