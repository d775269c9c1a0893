//! A member of a family described as data: its name, its parameters and how to build it.
//!
//! Plan file, command line, documentation and later surfaces are generated from [`Kind`]s, so that
//! adding a member means one file and one line in its family's list.

mod member;
mod point;

pub use member::Member;
pub use point::Point;

use crate::error::{Error, ErrorCode, Result, suggest};
use crate::exact::{Decimal, Fraction};
use std::fmt;
use std::path::{Path, PathBuf};

/// One member of a family, described as data. `B` is whatever builds it.
#[derive(Clone, Copy, Debug)]
pub struct Kind<B: 'static> {
    /// The name in plans, reports and on the command line.
    pub name: &'static str,
    /// One sentence for people who choose.
    pub summary: &'static str,
    /// Where it is defined.
    pub reference: &'static str,
    /// What can be set.
    pub params: &'static [Param],
    /// Parameters that make a sensible example, as written in a plan: for documentation and for
    /// tests that loop over the family.
    pub example: &'static [(&'static str, &'static str)],
    /// How to make one.
    pub build: B,
}

/// Members of one family are told apart by their names.
impl<B> PartialEq for Kind<B> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// One parameter of a [`Kind`].
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its key in the plan.
    pub name: &'static str,
    /// What it means, in a few words.
    pub summary: &'static str,
    /// What may be written.
    pub shape: Shape,
    /// The value if none is written; without one the parameter is required.
    pub default: Option<&'static str>,
}

/// What may be written for a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A whole number, at least this.
    Count(u64),
    /// A whole number, at least this; or the word given here, for no limit.
    CountOr(u64, &'static str),
    /// An exact decimal in a range.
    Decimal(Range),
    /// Any exact decimal, also a negative one; may be left out.
    Number,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of values of the sensitive column.
    Values,
    /// A list of exact decimals in a range.
    Decimals(Range),
    /// A file, relative to the plan; or the word given here.
    FileOr(&'static str),
    /// A file, relative to the plan.
    File,
    /// `true` or `false`.
    Flag,
    /// Any text; may be left out.
    Text,
    /// A list of points of knowledge, each with a confidence.
    Points,
}

/// A range of decimals; bounds are whole numbers.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The least value, and whether it is itself allowed.
    pub low: (u64, bool),
    /// The greatest value, if there is one, and whether it is itself allowed.
    pub high: Option<(u64, bool)>,
}

impl Range {
    /// Above zero.
    pub const POSITIVE: Range = Range { low: (0, false), high: None };
    /// From one.
    pub const FROM_ONE: Range = Range { low: (1, true), high: None };
    /// Above zero, at most one.
    pub const SHARE: Range = Range { low: (0, false), high: Some((1, true)) };
    /// From zero, below one.
    pub const BELOW_ONE: Range = Range { low: (0, true), high: Some((1, false)) };
    /// From zero to one.
    pub const UNIT: Range = Range { low: (0, true), high: Some((1, true)) };
    /// From zero to a hundred.
    pub const PERCENT: Range = Range { low: (0, true), high: Some((100, true)) };

    fn contains(self, number: &Decimal) -> bool {
        let value = number.fraction();
        let low = Fraction::from(self.low.0);
        let above = if self.low.1 { value >= low } else { value > low };
        let below = self.high.is_none_or(|(high, allowed)| {
            let high = Fraction::from(high);
            if allowed { value <= high } else { value < high }
        });
        !number.is_negative() && above && below
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, allowed) = self.low;
        match (allowed, self.high) {
            (true, None) => write!(f, "at least {low}"),
            (false, None) => write!(f, "above {low}"),
            (true, Some((high, true))) => write!(f, "from {low} to {high}"),
            (true, Some((high, false))) => write!(f, "from {low} and below {high}"),
            (false, Some((high, true))) => write!(f, "above {low} and at most {high}"),
            (false, Some((high, false))) => write!(f, "above {low} and below {high}"),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Count(least) => write!(f, "a whole number, at least {least}"),
            Shape::CountOr(least, word) => write!(f, "a whole number, at least {least}, or \"{word}\""),
            Shape::Decimal(range) => write!(f, "a number {range}"),
            Shape::Number => write!(f, "a number"),
            Shape::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Shape::Values => write!(f, "a list of values"),
            Shape::Decimals(range) => write!(f, "a list of numbers, each {range}"),
            Shape::FileOr(word) => write!(f, "a file, or \"{word}\""),
            Shape::File => write!(f, "a file"),
            Shape::Flag => write!(f, "true or false"),
            Shape::Text => write!(f, "a text"),
            Shape::Points => write!(f, "a list such as [{{ value = \"AIDS\", l = 1, k = 5, m = 2, c = \"0.5\" }}]"),
        }
    }
}

/// A value as somebody wrote it, before it is checked: in a plan, on a command line, in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raw {
    /// Quoted text.
    Text(String),
    /// A number, as written.
    Number(String),
    /// `true` or `false`.
    Flag(bool),
    /// A list.
    List(Vec<Raw>),
    /// Named values.
    Table(Vec<(String, Raw)>),
    /// Anything else, by what it is called.
    Other(&'static str),
}

impl From<&str> for Raw {
    fn from(text: &str) -> Self {
        Raw::Text(text.to_string())
    }
}

/// A checked parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A whole number.
    Count(u64),
    /// The word that stands for no limit.
    NoLimit(&'static str),
    /// An exact decimal.
    Decimal(Decimal),
    /// A number that may be left out.
    Number(Option<Decimal>),
    /// A word of a choice.
    Choice(&'static str),
    /// Values of a column.
    Values(Vec<String>),
    /// Exact decimals.
    Decimals(Vec<Decimal>),
    /// A file.
    File(PathBuf),
    /// The word that stands for no file.
    NoFile(&'static str),
    /// A yes or no.
    Flag(bool),
    /// A text.
    Text(String),
    /// Points of knowledge.
    Points(Vec<Point>),
}

/// The checked parameters of one member, in the order of its description.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params(Vec<(&'static str, Setting)>);

impl<B> Kind<B> {
    /// Checks what was written against the description; missing parameters take their defaults.
    ///
    /// ```
    /// use sfumato::criterion;
    /// use sfumato::kind::Raw;
    ///
    /// let kind = criterion::find("entropy-l-diversity").unwrap();
    /// let params = kind.check(&[("l", Raw::from("2.8"))]).unwrap();
    /// assert_eq!(params.decimal("l").to_string(), "2.8");
    /// assert!(kind.check(&[("l", Raw::from("0"))]).is_err());
    /// ```
    pub fn check(&self, written: &[(&str, Raw)]) -> Result<Params> {
        let known = self.params.iter().map(|param| param.name);
        if let Some((unknown, _)) = written.iter().find(|(name, _)| !known.clone().any(|k| k == *name)) {
            let message = format!("{} has no parameter \"{unknown}\"", self.name);
            let help = if self.params.is_empty() { "it takes none".into() } else { suggest(unknown, known) };
            return Err(Error::of(ErrorCode::UnknownName, message).help(help));
        }
        let mut settings = Vec::with_capacity(self.params.len());
        for param in self.params {
            let raw = match (written.iter().find(|(name, _)| *name == param.name), param.default) {
                (Some((_, raw)), _) => raw.clone(),
                (None, Some(default)) => param.default_value(default),
                (None, None) => {
                    let message = format!("{} needs the parameter \"{}\"", self.name, param.name);
                    return Err(Error::plan(message).help(format!("{}: {}", param.name, param.shape)));
                }
            };
            let setting = param.shape.check(&raw).map_err(|reason| {
                let message = format!("{}: \"{}\" {reason}", self.name, param.name);
                Error::plan(message).help(format!("{} ({}) is {}", param.name, param.summary, param.shape))
            })?;
            settings.push((param.name, setting));
        }
        Ok(Params(settings))
    }
}

impl Param {
    fn default_value(&self, default: &str) -> Raw {
        match self.shape {
            Shape::Values | Shape::Decimals(_) => Raw::List(Vec::new()),
            Shape::Flag => Raw::Flag(default == "true"),
            _ => Raw::from(default),
        }
    }

    fn default_setting(&self) -> Option<Setting> {
        self.shape.check(&self.default_value(self.default?)).ok()
    }
}

impl Shape {
    fn check(self, raw: &Raw) -> std::result::Result<Setting, String> {
        match (self, raw) {
            (Shape::Count(least), Raw::Number(text) | Raw::Text(text)) => whole(text, least).map(Setting::Count),
            (Shape::CountOr(_, word), Raw::Text(text)) if text == word => Ok(Setting::NoLimit(word)),
            (Shape::CountOr(least, _), Raw::Number(text) | Raw::Text(text)) => whole(text, least).map(Setting::Count),
            (Shape::Decimal(range), Raw::Number(text) | Raw::Text(text)) => in_range(text, range).map(Setting::Decimal),
            (Shape::Number, Raw::Text(text)) if text.is_empty() => Ok(Setting::Number(None)),
            (Shape::Number, Raw::Number(text) | Raw::Text(text)) => {
                plain_number(text).map(|number| Setting::Number(Some(number)))
            }
            (Shape::Choice(words), Raw::Text(text)) => {
                let word = words.iter().find(|word| *word == text);
                word.map(|word| Setting::Choice(word)).ok_or_else(|| "is none of the choices".into())
            }
            (Shape::Values, Raw::List(items)) => {
                let texts = items.iter().map(|item| match item {
                    Raw::Text(text) | Raw::Number(text) => Ok(text.clone()),
                    _ => Err("holds something that is no value".to_string()),
                });
                texts.collect::<std::result::Result<_, _>>().map(Setting::Values)
            }
            (Shape::Decimals(range), Raw::List(items)) => {
                let numbers = items.iter().map(|item| match item {
                    Raw::Text(text) | Raw::Number(text) => in_range(text, range),
                    _ => Err("holds something that is no number".to_string()),
                });
                numbers.collect::<std::result::Result<_, _>>().map(Setting::Decimals)
            }
            (Shape::FileOr(word), Raw::Text(text)) if text == word => Ok(Setting::NoFile(word)),
            (Shape::FileOr(_) | Shape::File, Raw::Text(text)) => Ok(Setting::File(text.into())),
            (Shape::Flag, Raw::Flag(flag)) => Ok(Setting::Flag(*flag)),
            (Shape::Text, Raw::Text(text)) => Ok(Setting::Text(text.clone())),
            (Shape::Points, Raw::List(items)) => point::list(items).map(Setting::Points),
            (_, raw) => Err(format!("is {}", raw.describe())),
        }
    }
}

impl Raw {
    /// What this is called in an error.
    pub fn describe(&self) -> &'static str {
        match self {
            Raw::Text(_) => "a text",
            Raw::Number(_) => "a number",
            Raw::Flag(_) => "true or false",
            Raw::List(_) => "a list",
            Raw::Table(_) => "a table",
            Raw::Other(name) => name,
        }
    }
}

/// A number without a percent sign: a parameter says itself whether it is a share or a percentage.
fn plain_number(text: &str) -> std::result::Result<Decimal, String> {
    let number = text.parse().map_err(str::to_string)?;
    if text.trim_end().ends_with('%') {
        return Err(format!("is {text}; write a plain number"));
    }
    Ok(number)
}

fn whole(text: &str, least: u64) -> std::result::Result<u64, String> {
    let number = plain_number(text)?;
    let Fraction { num, den } = number.fraction();
    if number.is_negative() || den != 1 {
        return Err(format!("is {text}, not a whole number from {least}"));
    }
    match u64::try_from(num) {
        Ok(count) if count < least => Err(format!("is {text}, which is below {least}")),
        Ok(count) if count <= u64::from(u32::MAX) => Ok(count),
        _ => Err(format!("is {text}, more than any table has")),
    }
}

fn in_range(text: &str, range: Range) -> std::result::Result<Decimal, String> {
    let number = plain_number(text)?;
    if range.contains(&number) { Ok(number) } else { Err(format!("is {text}, not {range}")) }
}

impl Params {
    /// The parameters with their settings.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Setting)> {
        self.0.iter().map(|(name, setting)| (*name, setting))
    }

    /// The files among the settings; they are relative to the folder.
    pub fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let file = |(_, setting): &(_, Setting)| match setting {
            Setting::File(path) => Some(folder.join(path)),
            _ => None,
        };
        self.0.iter().filter_map(file).collect()
    }

    fn get(&self, name: &str) -> &Setting {
        let found = self.0.iter().find(|(known, _)| *known == name);
        &found.unwrap_or_else(|| panic!("parameter {name} is not described")).1
    }

    /// A whole number. Panics, like all of these, if the description has no such parameter.
    pub fn count(&self, name: &str) -> u64 {
        match self.get(name) {
            Setting::Count(count) => *count,
            _ => panic!("parameter {name} is no count"),
        }
    }

    /// A whole number, or nothing where the word that stands for no limit was written.
    pub fn count_or(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Setting::Count(count) => Some(*count),
            Setting::NoLimit(_) => None,
            _ => panic!("parameter {name} is no count"),
        }
    }

    /// An exact decimal.
    pub fn decimal(&self, name: &str) -> &Decimal {
        match self.get(name) {
            Setting::Decimal(decimal) => decimal,
            _ => panic!("parameter {name} is no decimal"),
        }
    }

    /// A number that may be left out.
    pub fn number(&self, name: &str) -> Option<&Decimal> {
        match self.get(name) {
            Setting::Number(number) => number.as_ref(),
            _ => panic!("parameter {name} is no number"),
        }
    }

    /// A list of decimals.
    pub fn decimals(&self, name: &str) -> &[Decimal] {
        match self.get(name) {
            Setting::Decimals(decimals) => decimals,
            _ => panic!("parameter {name} is no list of decimals"),
        }
    }

    /// A word of a choice.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.get(name) {
            Setting::Choice(word) => word,
            _ => panic!("parameter {name} is no choice"),
        }
    }

    /// A list of values.
    pub fn values(&self, name: &str) -> &[String] {
        match self.get(name) {
            Setting::Values(values) => values,
            _ => panic!("parameter {name} is no list"),
        }
    }

    /// A file, or nothing where the word that stands for none was written.
    pub fn file(&self, name: &str) -> Option<&PathBuf> {
        match self.get(name) {
            Setting::File(path) => Some(path),
            Setting::NoFile(_) => None,
            _ => panic!("parameter {name} is no file"),
        }
    }

    /// Whether any of them is a file.
    pub fn has_file(&self) -> bool {
        self.0.iter().any(|(_, setting)| matches!(setting, Setting::File(_)))
    }

    /// A text; empty if none was written.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Setting::Text(text) => text,
            _ => panic!("parameter {name} is no text"),
        }
    }

    /// Points of knowledge.
    pub fn points(&self, name: &str) -> &[Point] {
        match self.get(name) {
            Setting::Points(points) => points,
            _ => panic!("parameter {name} is no list of points"),
        }
    }

    /// A yes or no.
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Setting::Flag(flag) => *flag,
            _ => panic!("parameter {name} is no flag"),
        }
    }
}

impl Setting {
    /// The least whole number that is not below it, if it is a number.
    pub fn ceil(&self) -> Option<u64> {
        match self {
            Setting::Count(count) => Some(*count),
            Setting::Decimal(decimal) => Some(decimal.fraction().ceil()),
            _ => None,
        }
    }

    /// What could have been written for it.
    pub fn raw(&self) -> Raw {
        match self {
            Setting::Flag(flag) => Raw::Flag(*flag),
            Setting::Count(_) | Setting::Decimal(_) | Setting::Number(Some(_)) => Raw::Number(self.to_string()),
            Setting::Values(values) => Raw::List(values.iter().map(|value| Raw::Text(value.clone())).collect()),
            Setting::Decimals(numbers) => Raw::List(numbers.iter().map(|one| Raw::Number(one.to_string())).collect()),
            Setting::File(path) => Raw::Text(path.to_string_lossy().into_owned()),
            Setting::Points(points) => Raw::List(points.iter().map(Point::raw).collect()),
            single => Raw::Text(single.to_string()),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Count(count) => write!(f, "{count}"),
            Setting::NoLimit(word) => f.write_str(word),
            Setting::Decimal(decimal) => write!(f, "{decimal}"),
            Setting::Number(number) => f.write_str(&number.as_ref().map(Decimal::to_string).unwrap_or_default()),
            Setting::Choice(word) => f.write_str(word),
            Setting::Values(values) => f.write_str(&values.join(", ")),
            Setting::Decimals(decimals) => {
                f.write_str(&decimals.iter().map(Decimal::to_string).collect::<Vec<_>>().join(", "))
            }
            // By its name alone: where it lies is nobody's business.
            Setting::File(path) => write!(f, "{}", path.file_name().unwrap_or_default().to_string_lossy()),
            Setting::NoFile(word) => f.write_str(word),
            Setting::Flag(flag) => write!(f, "{flag}"),
            Setting::Text(text) => f.write_str(text),
            Setting::Points(points) => f.write_str(&points.iter().map(Point::to_string).collect::<Vec<_>>().join("; ")),
        }
    }
}

/// The member of `list` called `name`, or an error that offers the nearest.
pub fn find<B>(list: &[&'static Kind<B>], family: &str, name: &str) -> Result<&'static Kind<B>> {
    list.iter().copied().find(|kind| kind.name == name).ok_or_else(|| {
        Error::unknown(format!("there is no {family} \"{name}\""), name, list.iter().map(|kind| kind.name))
    })
}
