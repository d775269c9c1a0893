//! Areas by the first characters of their codes, if enough people live there.

use super::{Build, Ladder, Rule, Ruler, TOP, ladder_of};
use crate::data::{Column, Dictionary, ReadOptions, csv, parse_decimal};
use crate::error::{Error, Result};
use crate::kind::{Kind, Param, Shape};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub(super) const KIND: Kind<Build> = Kind {
    name: "population",
    summary: "Postal codes to their first digits where enough people live, else to zeros: 13053, 130** or 000**, *",
    reference: "HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i)(B)",
    params: &[
        Param {
            name: "population",
            summary: "a file with two columns, relative to the plan: the first digits, and how many people live there",
            shape: Shape::File,
            default: None,
        },
        Param {
            name: "at_least",
            summary: "how many people an area needs; the Safe Harbor rule asks for more than 20,000",
            shape: Shape::Count(1),
            default: Some("20001"),
        },
        Param { name: "digits", summary: "how many characters stay", shape: Shape::Count(1), default: Some("3") },
    ],
    example: &[("population", "\"zip3.csv\""), ("at_least", "20001")],
    build: Build {
        make: |params, folder| {
            let path = folder.join(params.file("population").expect("a file is required"));
            let large = read(&path, params.count("at_least") as f64, params.count("digits") as usize)?;
            Ok(Box::new(Population { path, large, digits: params.count("digits") as usize }))
        },
        draft: |_| None,
    },
};

struct Population {
    path: PathBuf,
    /// The areas in which enough people live. One that is not listed is taken for too small.
    large: HashSet<String>,
    digits: usize,
}

/// The areas of a file in which enough people live.
fn read(path: &Path, at_least: f64, digits: usize) -> Result<HashSet<String>> {
    let file = std::fs::File::open(path).map_err(|error| Error::io(&error, path))?;
    let options = ReadOptions { header: false, trim: true, missing: Vec::new(), as_stored: true, ..Default::default() };
    let table = csv::read_from(file, &options).map_err(|error| error.file(path))?;
    let [area, people] = table.columns() else {
        let message = format!("the file has {} columns, not two", table.columns().len());
        return Err(Error::data(message).file(path).help("a line has the first digits of an area and its population"));
    };
    let mut large = HashSet::new();
    let mut seen = HashSet::new();
    for row in 0..table.rows() {
        let count = parse_decimal(people.value(row)).filter(|count| *count >= 0.0);
        // A first line that names the columns is no area.
        let Some(count) = count else {
            if row == 0 {
                continue;
            }
            let error = Error::data(format!("row {} has no number of people", row + 1)).file(path);
            return Err(error.help("write it without separators, as in 13053"));
        };
        if area.value(row).chars().count() != digits || !seen.insert(area.value(row)) {
            let message = format!("row {} has no area of {digits} characters, or one that is listed before", row + 1);
            return Err(Error::data(message).file(path).help("list every area once; leading zeros count"));
        }
        if count >= at_least {
            large.insert(area.value(row).to_string());
        }
    }
    match large.is_empty() {
        true => {
            let error = Error::data("no area has so many people").file(path);
            Err(error.help("check the file and `at_least`; to hide all areas, leave the column out"))
        }
        false => Ok(large),
    }
}

impl Population {
    fn label(&self, value: &str) -> Option<String> {
        let letters: Vec<char> = value.chars().collect();
        let first: String = letters.get(..self.digits)?.iter().collect();
        let kept = if self.large.contains(&first) { first } else { "0".repeat(self.digits) };
        Some(kept + &"*".repeat(letters.len() - self.digits))
    }
}

impl Rule for Population {
    fn ladder(&self, column: &Column) -> Result<Ladder> {
        let what = format!("a code of at least {} characters", self.digits);
        ladder_of(column, &what, |value| Some(vec![self.label(value)?]))
    }

    fn makes(&self, label: &str) -> bool {
        let kept = label.trim_end_matches('*');
        label == TOP || self.large.contains(kept) || kept.chars().eq(std::iter::repeat_n('0', self.digits))
    }

    fn file(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn ruler(&self, _: &Dictionary, _: Option<usize>) -> Option<Ruler> {
        Some(Ruler::Characters)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::levels;
    use crate::error::Result;
    use crate::kind::Raw;

    fn from_file(text: &str, values: &[&str]) -> Result<Vec<Vec<String>>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zip3.csv");
        std::fs::write(&path, text).unwrap();
        levels(&[("population", Raw::from(path.to_str().unwrap()))], values)
    }

    #[test]
    fn small_areas_become_zeros() {
        let made = from_file("zip3,people\n130,20001\n036,20000\n", &["13053", "03601", "99901"]).unwrap();
        assert_eq!(made[0], ["13053", "130**", "*"]);
        assert_eq!(made[1], ["03601", "000**", "*"]);
        assert_eq!(made[2], ["99901", "000**", "*"], "an area that nobody lists may be small");
    }

    #[test]
    fn files_that_say_too_little_are_refused() {
        for (text, expected) in [
            ("130,20001\n036,many\n", "row 2 has no number"),
            ("130,20001\n36,20001\n", "row 2 has no area of 3 characters"),
            ("130,20001\n130,20001\n", "row 2"),
            ("130\n", "1 columns, not two"),
            ("130,5\n", "no area has so many people"),
        ] {
            let message = from_file(text, &["13053"]).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
        let message = from_file("130,20001\n", &["13053", "7"]).unwrap_err().to_string();
        assert!(message.contains("record 2"), "{message}");
    }
}
