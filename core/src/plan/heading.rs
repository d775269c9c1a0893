//! What a release is called, and the day that it bears.

use super::section::{Section, raw, text};
use crate::error::{Error, Result};
use crate::kind::Raw;
use jiff::civil::Date;
use toml::de::DeValue;

/// The title of a release and its day, as far as the plan declares them.
///
/// Neither comes from the data or from a clock: the same plan and data give the same bytes on any
/// day, and the name of a custodian's file is nobody's business.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// What the release is called.
    pub title: Option<String>,
    /// The day, as in 2026-11-18.
    pub date: Option<String>,
}

/// The keys of `[release]` that a heading is read from.
pub(super) const KEYS: [&str; 2] = ["title", "date"];

/// Letters of the longest title.
const LONGEST: usize = 200;

impl Heading {
    /// Reads the keys of a `[release]` section.
    pub(super) fn read(section: Option<&Section<'_>>) -> Result<Heading> {
        let Some(section) = section else { return Ok(Heading::default()) };
        let title = section.get("title", text)?;
        // A day can be written as TOML writes days, or as a text.
        let date = section.table.get("date").map(|value| match (value.get_ref(), raw(value)) {
            (DeValue::Datetime(day), _) => day.to_string(),
            (_, Raw::Text(day)) => day,
            _ => String::new(),
        });
        let heading = Heading { title, date };
        match heading.wrong_key() {
            None => Ok(heading),
            Some(key) => {
                let (what, help) = match key {
                    "title" => ("a line of at most 200 letters", "write title = \"Patients of 2026\""),
                    _ => ("a day", "write date = 2026-11-18"),
                };
                let error = Error::plan(format!("{}: `{key}` is {what}", section.name));
                Err(error.line(section.line_of(key)).help(help))
            }
        }
    }

    /// The key whose value no heading can have, if there is one.
    pub fn wrong_key(&self) -> Option<&'static str> {
        let is_line = |title: &String| {
            !title.trim().is_empty() && title.chars().count() <= LONGEST && !title.contains(char::is_control)
        };
        // One way to write a day: others would be read as the same one.
        let is_day = |date: &String| date.parse::<Date>().is_ok_and(|day| day.to_string() == *date);
        match () {
            () if !self.title.as_ref().is_none_or(is_line) => Some("title"),
            () if !self.date.as_ref().is_none_or(is_day) => Some("date"),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use std::path::Path;

    const TABLE: &str = "[columns]\na = \"quasi\"\n";
    const SETS: &str = "[data]\nkind = \"transactions\"\nsensitive = { items = [\"a\"] }\n";

    fn heading(start: &str, release: &str) -> Result<Heading> {
        Ok(match Plan::parse(&format!("{start}[release]\n{release}\n"), Path::new("."))? {
            Plan::Table(plan) => plan.publishing.heading,
            Plan::Sets(plan) => plan.heading,
        })
    }

    #[test]
    fn both_kinds_of_plans_have_one() {
        for start in [TABLE, SETS] {
            let said = heading(start, "title = \"Patients\"\ndate = 2026-11-18").unwrap();
            assert_eq!(said, heading(start, "title = \"Patients\"\ndate = \"2026-11-18\"").unwrap());
            assert_eq!((said.title.as_deref(), said.date.as_deref()), (Some("Patients"), Some("2026-11-18")));
            assert_eq!(heading(start, "").unwrap(), Heading::default());
        }
    }

    #[test]
    fn what_is_no_title_or_no_day_is_refused_by_its_key() {
        let long = format!("title = \"{}\"", "x".repeat(201));
        for (key, wrong) in [
            ("title", "title = \" \""),
            ("title", "title = \"a\\nb\""),
            ("title", long.as_str()),
            ("title", "title = 7"),
            ("date", "date = \"today\""),
            ("date", "date = \"20261118\""),
            ("date", "date = 2026-11-18T10:00:00Z"),
            ("date", "date = 2026"),
        ] {
            for start in [TABLE, SETS] {
                let message = heading(start, wrong).unwrap_err().to_string();
                assert!(message.contains(&format!("`{key}`")) && message.contains("line"), "{wrong}: {message}");
            }
        }
    }
}
