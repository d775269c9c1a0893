//! A hierarchy from a file: one line per base value, then its generalizations.

use super::{Build, Ladder, Rule, Ruler};
use crate::data::spelling::Spelling;
use crate::data::{Column, Dictionary, ReadOptions, csv};
use crate::error::{Error, Result};
use crate::kind::{Kind, Param, Shape};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

pub(super) const KIND: Kind<Build> = Kind {
    name: "file",
    summary: "One line per base value, then its generalizations, separated by ; or , (as ARX writes them)",
    reference: "Samarati 2001; ARX hierarchy files",
    params: &[Param { name: "file", summary: "the file, relative to the plan", shape: Shape::File, default: None }],
    example: &[("file", "\"country.csv\"")],
    build: Build {
        make: |params, folder| {
            let path = params.file("file").expect("a file is required");
            Ok(Box::new(FileRule::read(&folder.join(path))?))
        },
        draft: |_| None,
    },
};

/// The number of the line that each row stands on, as long as no field holds a line end: empty
/// lines are no rows.
pub(crate) fn line_numbers(text: &[u8]) -> Vec<u64> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let rows = |line: &[u8]| line.split(|byte| *byte == b'\r').filter(|row| !row.is_empty()).count();
    let lines = text.split(|byte| *byte == b'\n').zip(1..);
    lines.flat_map(|(line, number)| std::iter::repeat_n(number, rows(line))).collect()
}

pub(super) struct FileRule {
    path: PathBuf,
    /// Base values, and the labels of each on levels 1, 2, …
    leaves: Vec<String>,
    paths: Vec<Vec<String>>,
    leaf_of_value: HashMap<String, u32>,
    labels: HashSet<String>,
}

impl FileRule {
    fn read(path: &Path) -> Result<FileRule> {
        let text = std::fs::read(path).map_err(|error| Error::io(&error, path))?;
        // Labels such as [0, 5[ hold commas: a semicolon on the first line settles it.
        let semicolon = text.split(|&byte| byte == b'\n').next().is_some_and(|line| line.contains(&b';'));
        let delimiter = semicolon.then_some(b';');
        let options = ReadOptions {
            delimiter,
            header: false,
            trim: true,
            missing: Vec::new(),
            as_stored: true,
            ..ReadOptions::default()
        };
        let table = csv::read_from(&text[..], &options).map_err(|error| error.file(path))?;
        let row = |row: usize| table.columns().iter().map(move |column| column.value(row).to_string());
        let leaves = (0..table.rows()).filter_map(|at| row(at).next()).collect();
        let paths = (0..table.rows()).map(|at| row(at).skip(1).collect()).collect();
        let numbers = line_numbers(&text);
        FileRule::new(path, leaves, paths, |at| numbers.get(at).copied().unwrap_or(at as u64 + 1))
    }

    /// A rule of base values and the labels of each; `line` tells where each stands in the file.
    pub fn new(
        path: &Path,
        leaves: Vec<String>,
        paths: Vec<Vec<String>>,
        line: impl Fn(usize) -> u64,
    ) -> Result<FileRule> {
        let (leaf_of_value, labels) = (HashMap::new(), paths.iter().flatten().cloned().collect());
        let mut rule = FileRule { path: path.to_owned(), leaves, paths, leaf_of_value, labels };
        for (at, value) in rule.leaves.iter().enumerate() {
            if let Some(before) = rule.leaf_of_value.insert(value.clone(), at as u32) {
                let message = format!("the base value is listed before, in row {}", before + 1);
                return Err(Error::data(message).file(path).line(line(at)).help("list every value once"));
            }
        }
        rule.check_nesting(line)?;
        Ok(rule)
    }

    /// Every label has one parent.
    fn check_nesting(&self, line: impl Fn(usize) -> u64) -> Result<()> {
        for level in 1..self.paths.first().map_or(0, Vec::len) {
            let mut parents: HashMap<&str, (&str, usize)> = HashMap::new();
            for (at, path) in self.paths.iter().enumerate() {
                let (parent, first) = *parents.entry(&path[level - 1]).or_insert((&path[level], at));
                if parent != path[level] {
                    let message = format!(
                        "the value on level {level} has another parent on level {} than in row {}",
                        level + 1,
                        first + 1
                    );
                    let help = "a value may be generalized in one way only: give both rows the same parent";
                    return Err(Error::data(message).file(&self.path).line(line(at)).help(help));
                }
            }
        }
        Ok(())
    }

    /// Base values that are written like those of a table, as they are stored: their leaves.
    fn spelled(&self, spelling: Spelling) -> HashMap<String, u32> {
        if spelling == Spelling::Plain {
            return HashMap::new();
        }
        let stored = self.leaves.iter().zip(0u32..).filter_map(|(leaf, at)| Some((spelling.normal(leaf)?, at)));
        stored.map(|(leaf, at)| (leaf.into_owned(), at)).collect()
    }

    fn missing(&self, column: &Column, code: u32) -> Error {
        let value = column.place_of(code);
        let others = column
            .domain()
            .labels()
            .iter()
            .zip(0u32..)
            .filter(|(label, at)| column.domain().missing() != Some(*at) && !self.leaf_of_value.contains_key(*label))
            .count();
        let message = format!(
            "column \"{}\": the value {value} is not in its hierarchy ({others} of {} values are not)",
            column.name(),
            column.domain().len(),
        );
        let help = format!("add a row for it to {}, or list it under `missing`", self.path.display());
        Error::data(message).help(help)
    }
}

impl Rule for FileRule {
    fn file(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn ladder(&self, column: &Column) -> Result<Ladder> {
        let domain = column.domain();
        let spelled = self.spelled(domain.spelling());
        let mut leaf_of_code = Vec::with_capacity(domain.len());
        for (code, label) in (0u32..).zip(domain.labels().iter()) {
            let leaf = self.leaf_of_value.get(label).or_else(|| spelled.get(label)).copied();
            if leaf.is_none() && domain.missing() != Some(code) {
                return Err(self.missing(column, code));
            }
            leaf_of_code.push(leaf);
        }
        Ok(Ladder { paths: self.paths.clone(), leaf_of_code })
    }

    fn makes(&self, label: &str) -> bool {
        label == super::TOP || self.labels.contains(label) || self.leaf_of_value.contains_key(label)
    }

    /// A label that stands on several levels covers what it does on the level at hand; where labels
    /// are on different levels, what the highest of them does.
    fn ruler(&self, published: &Dictionary, level: Option<usize>) -> Option<Ruler> {
        let mut under: BTreeMap<String, u32> = published.iter().map(|label| (label.to_string(), 0)).collect();
        for (leaf, path) in self.leaves.iter().zip(&self.paths) {
            let on_path: Vec<&str> = std::iter::once(leaf).chain(path).map(String::as_str).collect();
            let mut labels: Vec<&str> =
                level.map_or(on_path.clone(), |level| on_path.get(level).copied().into_iter().collect());
            labels.dedup();
            for label in labels {
                under.entry(label.to_string()).and_modify(|leaves| *leaves += 1);
            }
        }
        under.retain(|label, leaves| *leaves > 1 && label != super::TOP);
        Some(Ruler::Leaves { all: self.leaves.len() as u32, under })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::levels;
    use crate::error::Result;
    use crate::kind::Raw;

    fn from_file(text: &str, values: &[&str]) -> Result<Vec<Vec<String>>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("levels.csv");
        std::fs::write(&path, text).unwrap();
        levels(&[("file", Raw::from(path.to_str().unwrap()))], values)
    }

    #[test]
    fn lines_give_the_levels() {
        let text = "Italy;Europe;*\nFrance;Europe;*\nPeru;America;*\n";
        let made = from_file(text, &["Peru", "Italy"]).unwrap();
        assert_eq!(made, [["Peru", "America", "*"], ["Italy", "Europe", "*"]]);
        let commas = from_file("Italy,Europe\nPeru,America\n", &["Peru", "Italy"]).unwrap();
        assert_eq!(commas[0], ["Peru", "America", "*"], "a top is added where there is none");
    }

    #[test]
    fn base_values_may_be_written_as_in_the_table() {
        let text = b"cost\n\"1,50\"\n\"2,5\"\n";
        let table = crate::data::csv::read_from(&text[..], &Default::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("cost.csv"), "1,50;low\n2.5;high\n").unwrap();
        let rule = super::super::rule(&[("file", Raw::from("cost.csv"))], folder.path()).unwrap();
        let levels = super::super::Hierarchy::bind(&*rule, &table.columns()[0]).unwrap();
        assert_eq!([levels.label(0, 0), levels.label(1, 0), levels.label(1, 1)], ["1.50", "low", "high"]);
    }

    #[test]
    fn faults_name_the_row_of_the_hierarchy_and_no_cell() {
        let check = |text: &str, values: &[&str], expected: &str| {
            let message = from_file(text, values).unwrap_err().to_string();
            assert!(message.contains(expected) && !message.contains("SECRET"), "{message}");
        };
        let good = "a;x;*\nb;x;*\n";
        check(good, &["a", "SECRET", "b"], "the value in record 2 is not in its hierarchy");
        check("a;x;*\nb;x;all\n", &["a"], "line 2: the value on level 1 has another parent on level 2 than in row 1");
        check("a;x\na;y\n", &["a"], "line 2: the base value is listed before, in row 1");
        check("\na;x\r\n\na;y\n", &["a"], "line 4: the base value is listed before, in row 1");
        check("a;x;*\nb;x\n", &["a"], "line 2: the record has 2 fields");
        check("", &["a"], "empty");
    }
}
