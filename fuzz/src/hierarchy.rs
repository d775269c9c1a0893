//! Hierarchies of values and taxonomies of items.

use crate::support::{CANARY, check_error, with_file};
use sfumato::chance::Chance;
use sfumato::data::hierarchy::{Hierarchy, Rule, rule};
use sfumato::data::{Column, ReadOptions, csv};
use sfumato::exact::Fraction;
use sfumato::kind::Raw;
use sfumato::transactions::{Demand, Released, Sensitive, Transactions, Written, method};
use std::path::Path;

/// Longer files are read as hierarchies, and not used as taxonomies: that takes long.
const LONGEST_TAXONOMY: usize = 1 << 12;

/// Reads a file as a hierarchy and as a taxonomy. Levels nest and end in one value; what a taxonomy
/// makes of records can be written and reads back equal; errors hold no cell.
pub fn hierarchy(data: &[u8]) {
    with_file("levels.csv", data, |path| {
        let leaves = leaves(data);
        match rule(&[("file", Raw::from("levels.csv"))], folder(path)) {
            Ok(rule) => check_levels(&*rule, &leaves),
            Err(error) => check_error(&error),
        }
        if data.len() <= LONGEST_TAXONOMY {
            check_taxonomy(path, &leaves);
        }
    });
}

fn folder(path: &Path) -> &Path {
    path.parent().expect("it is in a folder")
}

/// The first field of every line, as the readers split them.
fn leaves(data: &[u8]) -> Vec<String> {
    let has_semicolon = data.split(|byte| *byte == b'\n').next().is_some_and(|line| line.contains(&b';'));
    let delimiter = has_semicolon.then_some(b';');
    let options = ReadOptions { delimiter, header: false, trim: true, missing: Vec::new(), ..ReadOptions::default() };
    let Ok(table) = csv::read_from(data, &options) else { return Vec::new() };
    (0..table.rows()).map(|row| table.columns()[0].value(row).to_string()).collect()
}

fn check_levels(rule: &dyn Rule, leaves: &[String]) {
    let unknown = Column::from_values("unknown", leaves.iter().map(String::as_str).chain([CANARY]));
    if let Err(error) = Hierarchy::bind(rule, &unknown) {
        check_error(&error);
    }
    let column = Column::from_values("known", leaves);
    let levels = Hierarchy::bind(rule, &column).expect("every value has its line");
    let top = levels.height();
    assert_eq!(levels.labels(top).len(), 1, "there is one value on top");
    for level in 1..=top {
        let (below, codes) = (levels.codes(level - 1), levels.codes(level));
        let mut parent = vec![None; levels.labels(level - 1).len()];
        for (code, &own) in below.iter().zip(codes) {
            assert_eq!(*parent[*code as usize].get_or_insert(own), own, "a value has two parents on level {level}");
        }
        assert!((0..codes.len() as u32).all(|base| rule.makes(levels.label(level, base))), "a label is not known");
    }
}

fn check_taxonomy(path: &Path, leaves: &[String]) {
    // Pairs of neighbours, of whom some have what nobody must infer.
    let pairs = leaves.chunks(2).enumerate();
    let records = pairs.map(|(at, pair)| {
        let hidden = (at % 3 == 0).then_some(CANARY);
        pair.iter().map(String::as_str).filter(|name| is_item(name)).chain(hidden).collect::<Vec<&str>>()
    });
    let table = Transactions::from_names(records);
    let kind = method::find("tdcontrol").expect("a method");
    let params = kind.check(&[("taxonomy", Raw::from("levels.csv"))]).expect("a taxonomy is named");
    let sensitive = Sensitive::named(&table, [CANARY]);
    let demand = Demand::at_most(Fraction::new(1, 2));
    let task = method::Task {
        table: &table,
        sensitive: &sensitive,
        demand,
        chance: Chance::System,
        folder: folder(path),
        watch: sfumato::watch::Watch::NONE,
    };
    match (kind.build)(&params).make(&task) {
        Ok(released) => check_written(&released),
        Err(error) => check_error(&error),
    }
}

/// Whether a reader of records gives such a name to an item.
fn is_item(name: &str) -> bool {
    !name.is_empty()
        && name.trim() == name
        && !name.contains(|letter: char| letter.is_control() || letter == '\u{feff}')
}

fn check_written(released: &Released) {
    match Written::new(released, None) {
        Ok(written) => {
            let again = written.read_back().expect("what was written can be read");
            assert_eq!(crate::transactions::named(&again), crate::transactions::named(released));
        }
        Err(error) => check_error(&error),
    }
}
