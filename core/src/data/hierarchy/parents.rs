//! A tree of categories from a file with two columns: a category, and the one that it belongs to.

use super::file::{FileRule, line_numbers};
use super::{Build, TOP};
use crate::data::{ReadOptions, csv};
use crate::error::{Error, Result};
use crate::kind::{Kind, Param, Shape};
use std::collections::HashMap;
use std::path::Path;

pub(super) const KIND: Kind<Build> = Kind {
    name: "parents",
    summary: "A tree from a file with two columns: a category and its parent, separated by ; or ,",
    reference: "Samarati 2001; parent tables of classifications",
    params: &[Param { name: "parents", summary: "the file, relative to the plan", shape: Shape::File, default: None }],
    example: &[("parents", "\"occupation.csv\"")],
    build: Build {
        make: |params, folder| {
            let path = params.file("parents").expect("a file is required");
            Ok(Box::new(read(&folder.join(path))?))
        },
        draft: |_| None,
    },
};

/// Reads the tree: every category is a base value, and its ancestors are its labels. Branches of
/// different depth are joined at the top: a category that is nearer to it stays itself longer.
fn read(path: &Path) -> Result<FileRule> {
    let text = std::fs::read(path).map_err(|error| Error::io(&error, path))?;
    let semicolon = text.split(|&byte| byte == b'\n').next().is_some_and(|line| line.contains(&b';'));
    let options = ReadOptions {
        delimiter: semicolon.then_some(b';'),
        header: false,
        trim: true,
        missing: Vec::new(),
        as_stored: true,
        ..ReadOptions::default()
    };
    let table = csv::read_from(&text[..], &options).map_err(|error| error.file(path))?;
    let numbers = line_numbers(&text);
    let wrong = |row: usize, what: String, help: &str| {
        let line = numbers.get(row).copied().unwrap_or(row as u64 + 1);
        Error::data(what).file(path).line(line).help(help.to_string())
    };
    let [child, parent] = table.columns() else {
        let message = format!("the file has {} columns, not two", table.columns().len());
        return Err(Error::data(message).file(path).help("a line has a category and its parent; leave out others"));
    };
    let mut parent_of: HashMap<&str, (&str, usize)> = HashMap::new();
    for row in 0..table.rows() {
        // A category under nothing, or under the top, is a root.
        let above = Some(parent.value(row)).filter(|above| !above.is_empty()).unwrap_or(TOP);
        if let Some((_, before)) = parent_of.insert(child.value(row), (above, row)) {
            let message = format!("the category has a parent before, in row {}", before + 1);
            return Err(wrong(row, message, "give every category one parent"));
        }
    }
    let mut names: Vec<&str> = Vec::new();
    for row in 0..table.rows() {
        let both = [child.value(row), parent.value(row)];
        names.extend(both.into_iter().filter(|name| !name.is_empty() && *name != TOP));
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
    let mut chains: Vec<Vec<String>> = Vec::new();
    for name in &names {
        let mut chain = vec![name.to_string()];
        let mut at = *name;
        while let Some((above, row)) = parent_of.get(at).copied().filter(|(above, _)| *above != TOP) {
            if chain.len() > names.len() {
                return Err(wrong(row, "the category is its own ancestor".into(), "a tree has no circles"));
            }
            chain.push(above.to_string());
            at = above;
        }
        chains.push(chain);
    }
    let deepest = chains.iter().map(Vec::len).max().unwrap_or(0);
    let path_of = |mut chain: Vec<String>| {
        let own = chain[0].clone();
        let mut labels = vec![own; deepest - chain.len()];
        labels.extend(chain.drain(1..));
        labels.push(TOP.to_string());
        labels
    };
    let leaves: Vec<String> = names.into_iter().map(str::to_string).collect();
    FileRule::new(path, leaves, chains.into_iter().map(path_of).collect(), |row| row as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::levels;
    use crate::error::Result;
    use crate::kind::Raw;

    fn from_file(text: &str, values: &[&str]) -> Result<Vec<Vec<String>>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.csv");
        std::fs::write(&path, text).unwrap();
        levels(&[("parents", Raw::from(path.to_str().unwrap()))], values)
    }

    #[test]
    fn ancestors_are_the_labels() {
        let text = "nurse;health\ndoctor;health\nhealth;service\npilot;transport\ntransport;service\nmonk;\n";
        let made = from_file(text, &["nurse", "pilot", "health", "monk", "service"]).unwrap();
        assert_eq!(made[0], ["nurse", "health", "service", "*"]);
        assert_eq!(made[1], ["pilot", "transport", "service", "*"]);
        assert_eq!(made[2], ["health", "health", "service", "*"], "nearer to the top, it stays itself longer");
        assert_eq!(made[3], ["monk", "monk", "monk", "*"]);
        assert_eq!(made[4], ["service", "service", "service", "*"]);
        assert_eq!(from_file("a,*\nb,*\n", &["a"]).unwrap()[0], ["a", "*"]);
    }

    #[test]
    fn faults_name_the_line_and_no_cell() {
        for (text, expected) in [
            ("a;x\nSECRET;x\nSECRET;y\n", "line 3: the category has a parent before, in row 2"),
            ("SECRET;b\nb;SECRET\n", "its own ancestor"),
            ("SECRET\n", "1 columns, not two"),
            ("a;b;c\n", "3 columns, not two"),
            ("a;x\n", "the value in record 1 is not in its hierarchy"),
        ] {
            let message = from_file(text, &["SECRET"]).unwrap_err().to_string();
            assert!(message.contains(expected) && !message.contains("SECRET"), "{message}");
        }
    }
}
