//! A taxonomy of items: which coarser kinds there are, and what each stands for.

use crate::data::hierarchy::{TOP, line_numbers};
use crate::data::{ReadOptions, Table, csv};
use crate::error::{Error, Result};
use crate::transactions::read::is_no_text;
use crate::transactions::{Sensitive, Transactions};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

/// A tree over the items that are not sensitive. Its leaves are in such an order that each node
/// stands for a stretch of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Taxonomy {
    /// The nodes, the root first, those with one child left out; none if there are no leaves.
    pub nodes: Vec<Node>,
    /// How many leaves there are, also those that occur in no record.
    pub leaves: u64,
    /// For each item the place of its leaf; sensitive items have none.
    pub places: Vec<Option<u32>>,
}

/// A node that stands for several leaves.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// What it is called: neither as an item nor as another node.
    pub name: String,
    /// The leaves that it stands for.
    pub stretch: Range<u32>,
    /// What is below it, in the order of leaves.
    pub children: Vec<Child>,
}

/// What is directly below a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Child {
    /// Another node.
    Node(u32),
    /// The leaf at this place.
    Leaf(u32),
}

impl Taxonomy {
    /// Reads a taxonomy: one line for each leaf, then its ancestors, separated by ; or ,. Leaves
    /// that are sensitive items are left out.
    ///
    /// Every item that is not sensitive must be a leaf, and every ancestor must have one parent.
    pub fn read(path: &Path, table: &Transactions, sensitive: &Sensitive) -> Result<Taxonomy> {
        let lines = read_lines(path)?;
        let checked = check_names(&lines).and_then(|()| check_leaves(&lines)).and_then(|()| check_nesting(&lines));
        checked.map_err(|error| error.file(path))?;
        let hidden: HashSet<&str> = sensitive.items().map(|item| table.names()[item as usize].as_str()).collect();
        let mut paths: Vec<Vec<&str>> = Vec::new();
        for line in &lines {
            if !hidden.contains(line.names[0].as_str()) {
                paths.push(line.names.iter().rev().map(String::as_str).collect());
            }
        }
        paths.sort_unstable();
        let leaf = |at: &Vec<&str>| at[at.len() - 1].to_string();
        let place_of: HashMap<String, u32> = paths.iter().map(leaf).zip(0..).collect();
        let places = places(path, table, sensitive, &place_of)?;
        let mut taken: HashSet<String> = table.names().iter().cloned().chain(place_of.into_keys()).collect();
        let mut nodes = Vec::new();
        if paths.len() > 1 {
            grow(&mut nodes, &mut taken, &paths, 0..paths.len(), 0);
        }
        Ok(Taxonomy { nodes, leaves: paths.len() as u64, places })
    }

    /// How many leaves something stands for.
    pub fn size(&self, child: Child) -> u64 {
        match child {
            Child::Node(at) => self.nodes[at as usize].stretch.len() as u64,
            Child::Leaf(_) => 1,
        }
    }

    /// Which child of a node stands for the leaf at a place.
    pub fn child_at(&self, node: u32, place: u32) -> usize {
        let children = &self.nodes[node as usize].children;
        let first = |child: &Child| match child {
            Child::Node(at) => self.nodes[*at as usize].stretch.start,
            Child::Leaf(at) => *at,
        };
        children.partition_point(|child| first(child) <= place) - 1
    }
}

/// A leaf and its ancestors.
struct Line {
    number: u64,
    names: Vec<String>,
}

/// The lines, with as many names on each; a last one that all share is added where there is none.
/// White space around names is no part of them.
fn read_lines(path: &Path) -> Result<Vec<Line>> {
    let text = std::fs::read(path).map_err(|error| Error::io(&error, path))?;
    // Names of nodes may hold commas: a semicolon on the first line settles it.
    let semicolon = text.split(|byte| *byte == b'\n').next().is_some_and(|line| line.contains(&b';'));
    let delimiter = Some(if semicolon { b';' } else { b',' });
    let options = ReadOptions {
        delimiter,
        header: false,
        trim: true,
        missing: Vec::new(),
        as_stored: true,
        ..ReadOptions::default()
    };
    let table = csv::read_from(&text[..], &options).map_err(|error| error.file(path))?;
    let names =
        |table: &Table, row: usize| table.columns().iter().map(|column| column.value(row).trim().to_string()).collect();
    // Rows that span several lines hold what no name may: up to the first of them the numbers are
    // right.
    let numbers = line_numbers(&text).into_iter().chain(std::iter::repeat(0));
    let mut lines: Vec<Line> =
        numbers.zip(0..table.rows()).map(|(number, row)| Line { number, names: names(&table, row) }).collect();
    let has_root = lines.iter().all(|line| line.names.len() > 1 && line.names.last() == lines[0].names.last());
    if !has_root {
        lines.iter_mut().for_each(|line| line.names.push(TOP.to_string()));
    }
    Ok(lines)
}

/// Every name can stand in a release, and is read there as it was written.
fn check_names(lines: &[Line]) -> Result<()> {
    for line in lines {
        for (name, column) in line.names.iter().zip(1..) {
            let what = match name.contains(is_no_text) {
                true => "holds a control character or a byte order mark",
                false if name.is_empty() => "is empty",
                false => continue,
            };
            let error = Error::data(format!("the name in column {column} {what}")).line(line.number);
            return Err(error.help("every line names an item and its ancestors, in letters that can be seen"));
        }
    }
    Ok(())
}

fn check_leaves(lines: &[Line]) -> Result<()> {
    let mut before: HashMap<&str, u64> = HashMap::new();
    for Line { number, names } in lines {
        if let Some(first) = before.insert(&names[0], *number) {
            let message = format!("the item is listed before, on line {first}");
            return Err(Error::data(message).line(*number).help("list every item once"));
        }
    }
    Ok(())
}

/// Every node has one parent.
fn check_nesting(lines: &[Line]) -> Result<()> {
    for level in 2..lines.first().map_or(0, |line| line.names.len()) {
        let mut parents: HashMap<&str, (&str, u64)> = HashMap::new();
        for Line { number, names } in lines {
            let (parent, first) = *parents.entry(&names[level - 1]).or_insert((&names[level], *number));
            if parent != names[level] {
                let message = format!(
                    "the name in column {level} has another parent in column {} than on line {first}",
                    level + 1
                );
                let help = "an item may be generalized in one way only: give both lines the same parent";
                return Err(Error::data(message).line(*number).help(help));
            }
        }
    }
    Ok(())
}

/// The leaf of each item that is not sensitive.
fn places(
    path: &Path,
    table: &Transactions,
    sensitive: &Sensitive,
    place_of: &HashMap<String, u32>,
) -> Result<Vec<Option<u32>>> {
    let names = table.names();
    let found: Vec<Option<u32>> = names.iter().map(|name| place_of.get(name).copied()).collect();
    let is_missing = |item: &u32| !sensitive.has(*item) && found[*item as usize].is_none();
    let missing = (0..names.len() as u32).filter(is_missing).count();
    if missing == 0 {
        return Ok(found);
    }
    let record = table.iter().position(|record| record.iter().any(is_missing));
    let place =
        record.map_or_else(|| "which occur in no record".into(), |at| format!("the first in record {}", at + 1));
    let message = format!("{missing} of {} kinds of items are not in the taxonomy, {place}", names.len());
    let help = "add a line for each: the item, then its ancestors; only sensitive items may be missing";
    Err(Error::data(message).file(path).help(help))
}

/// Adds the node that stands for a stretch of sorted paths, whose first `depth` names they share,
/// and all nodes below.
fn grow(
    nodes: &mut Vec<Node>,
    taken: &mut HashSet<String>,
    paths: &[Vec<&str>],
    stretch: Range<usize>,
    mut depth: usize,
) -> Child {
    if stretch.len() == 1 {
        return Child::Leaf(stretch.start as u32);
    }
    // A node with one child says nothing that the child does not say.
    while paths[stretch.start][depth] == paths[stretch.end - 1][depth] {
        depth += 1;
    }
    let own = nodes.len();
    let name = free_name(paths[stretch.start][depth - 1], taken);
    nodes.push(Node { name, stretch: stretch.start as u32..stretch.end as u32, children: Vec::new() });
    let mut start = stretch.start;
    for part in paths[stretch].chunk_by(|a, b| a[depth] == b[depth]) {
        let child = grow(nodes, taken, paths, start..start + part.len(), depth + 1);
        nodes[own].children.push(child);
        start += part.len();
    }
    Child::Node(own as u32)
}

/// A name that nothing else has.
fn free_name(name: &str, taken: &mut HashSet<String>) -> String {
    let mut free = name.to_string();
    let mut number = 1;
    while !taken.insert(free.clone()) {
        number += 1;
        free = format!("{name} (group {number})");
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, items: &[&str], hidden: &[&str]) -> Result<Taxonomy> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.txt");
        std::fs::write(&path, text).unwrap();
        let table = Transactions::from_names([items.to_vec()]);
        Taxonomy::read(&path, &table, &Sensitive::named(&table, hidden.iter().copied()))
    }

    fn names(taxonomy: &Taxonomy) -> Vec<(&str, Range<u32>)> {
        taxonomy.nodes.iter().map(|node| (node.name.as_str(), node.stretch.clone())).collect()
    }

    #[test]
    fn lines_make_a_tree() {
        let text = "milk;dairy;*\nrye;bread,rolls;*\ncheese;dairy;*\nwheat;bread,rolls;*\n";
        let taxonomy = read(text, &["rye", "milk"], &[]).unwrap();
        assert_eq!(names(&taxonomy), [("*", 0..4), ("bread,rolls", 0..2), ("dairy", 2..4)]);
        assert_eq!(taxonomy.places, [Some(0), Some(3)]);
        assert_eq!(taxonomy.nodes[0].children, [Child::Node(1), Child::Node(2)]);
        assert_eq!([taxonomy.child_at(0, 1), taxonomy.child_at(0, 2), taxonomy.child_at(2, 3)], [0, 1, 1]);
        assert_eq!(read("a,x\nb,y\n", &["a"], &[]).unwrap().nodes[0].name, "*", "a root is added where there is none");
    }

    #[test]
    fn sensitive_items_are_no_leaves_and_may_be_missing() {
        let taxonomy = read("a;x;*\npill;x;*\nb;y;*\nc;y;*\n", &["a", "pill", "shot", "b"], &["pill", "shot"]).unwrap();
        assert_eq!(taxonomy.leaves, 3);
        assert_eq!(taxonomy.nodes[0].children, [Child::Leaf(0), Child::Node(1)], "x stands for one item: for a itself");
        assert_eq!(taxonomy.places, [Some(0), None, None, Some(1)]);
        assert_eq!(read("pill;*\n", &["pill"], &["pill"]).unwrap().nodes, []);
    }

    #[test]
    fn white_space_around_names_is_no_part_of_them() {
        let taxonomy = read("a;\u{a0}x ;*\n\u{3000}b;x;*\nc;\" y\";*\nd;y;*\n", &["a", "b"], &[]).unwrap();
        assert_eq!(names(&taxonomy), [("*", 0..4), ("x", 0..2), ("y", 2..4)]);
    }

    #[test]
    fn a_node_is_never_called_like_an_item() {
        let taxonomy = read("a;a;*\nb;a;*\nc;*;*\nd;*;*\n", &["a", "b"], &[]).unwrap();
        assert_eq!(names(&taxonomy), [("*", 0..4), ("* (group 2)", 0..2), ("a (group 2)", 2..4)]);
    }

    #[test]
    fn faults_name_the_line_and_no_item() {
        let check = |text: &str, items: &[&str], expected: &str| {
            let message = read(text, items, &[]).unwrap_err().to_string();
            assert!(message.contains(expected) && message.contains("items.txt"), "{message}");
            assert!(!message.contains("SECRET"), "{message}");
        };
        check("a;x;*\n", &["a", "SECRET"], "1 of 2 kinds of items are not in the taxonomy, the first in record 1");
        check("SECRET;x\nSECRET;y\n", &["SECRET"], "line 2: the item is listed before, on line 1");
        check(
            "a;SECRET;q;*\nb;SECRET;p;*\n",
            &["a"],
            "line 2: the name in column 2 has another parent in column 3 than on line 1",
        );
        check("a;x;*\nb;x\n", &["a"], "line 2");
        check("a;x;*\n\n\nb;;*\n", &["a"], "line 4: the name in column 2 is empty");
        check(";SECRET;*\n", &["a"], "line 1: the name in column 1 is empty");
        check("a;x;*\r\nb;SECRET\u{1};*\r\n", &["a"], "line 2: the name in column 2 holds a control character");
        check("a;x;*\nb;SECRET\u{feff};*\n", &["a"], "line 2: the name in column 2 holds a control character");
        check("a;x;*\nb;\"SECRET\ny\";*\n", &["a"], "line 2: the name in column 2 holds a control character");
        check("", &["a"], "empty");
        let missing = Transactions::from_names([["a"]]);
        let error =
            Taxonomy::read(Path::new("/nowhere/items.txt"), &missing, &Sensitive::new(vec![false])).unwrap_err();
        assert!(error.to_string().contains("no such file"));
    }
}
