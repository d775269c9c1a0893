//! The invariants of ARCHITECTURE.md, kept.

use std::fs;
use std::path::{Path, PathBuf};

/// Lower layers first: a module may use those before it, never those after it.
const LAYERS: [&str; 22] = [
    "error",
    "watch",
    "chance",
    "exact",
    "kind",
    "data",
    "candidate",
    "skew",
    "criterion",
    "audit",
    "explore",
    "recode",
    "utility",
    "anonymize",
    "attack",
    "transactions",
    "inspect",
    "plan",
    "publish",
    "certificate",
    "report",
    "release",
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The text of a file without its tests and comments.
fn production(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

fn layer_of(path: &Path) -> Option<usize> {
    let inside = path.strip_prefix(source()).expect("a source file");
    let first = inside.components().next()?.as_os_str().to_string_lossy().replace(".rs", "");
    LAYERS.iter().position(|layer| *layer == first)
}

#[test]
fn every_module_is_in_a_layer() {
    for path in files(&source()) {
        assert!(layer_of(&path).is_some() || path.ends_with("src/lib.rs"), "{} is in no layer", path.display());
    }
}

#[test]
fn modules_use_only_layers_below() {
    for path in files(&source()) {
        let Some(own) = layer_of(&path) else { continue };
        let text = production(&path);
        for (above, name) in LAYERS.iter().enumerate().skip(own + 1) {
            let uses = text.contains(&format!("crate::{name}::")) || text.contains(&format!("crate::{name};"));
            assert!(!uses, "{} (layer {}) uses {name} (layer {above})", path.display(), LAYERS[own]);
        }
    }
}

#[test]
fn the_library_neither_prints_nor_is_unsafe() {
    for path in files(&source()) {
        let text = production(&path);
        for forbidden in ["println!", "eprintln!", "dbg!", "unsafe ", "todo!", "unimplemented!"] {
            assert!(!text.contains(forbidden), "{} has {forbidden}", path.display());
        }
    }
}

#[test]
fn files_are_about_one_thing() {
    for path in files(&source()) {
        let lines = production(&path).lines().count();
        assert!(lines <= 500, "{} has {lines} lines of code: is it still one thing?", path.display());
    }
}

#[test]
fn every_criterion_is_described_in_full_and_listed() {
    let folder = source().join("criterion");
    let list = fs::read_to_string(folder.join("mod.rs")).expect("the list");
    for path in files(&folder) {
        let module = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if !production(&path).contains(": Kind<Build> = ") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        for heading in ["**Promises**", "**Threat**", "**Definition**", "**Cost**", "**Reference**", "```"] {
            assert!(text.contains(heading), "{module} lacks {heading}");
        }
        assert!(text.contains("# Claim"), "{module} makes no claim");
        assert!(list.contains(&format!("&{module}::")), "{module} is not in the list");
    }
}

#[test]
fn a_criterion_is_known_by_its_own_file_alone() {
    for path in files(&source().join("criterion")) {
        let text = production(&path);
        for line in text.lines() {
            let Some(name) = line.strip_prefix("impl Criterion for ").and_then(|rest| rest.strip_suffix(" {")) else {
                continue;
            };
            let knowing =
                files(&source()).into_iter().filter(|other| *other != path && production(other).contains(name));
            assert_eq!(knowing.collect::<Vec<_>>(), Vec::<PathBuf>::new(), "{name} is known elsewhere");
        }
    }
}

/// The name of a module: of its file, or of its folder if it has one.
fn module_of(path: &Path) -> String {
    let named = if path.ends_with("mod.rs") { path.parent().expect("a folder") } else { path };
    named.file_stem().expect("a name").to_string_lossy().into_owned()
}

/// Methods, metrics and attacks: one file each, described, listed, and named by no other file of
/// production code outside the family.
#[test]
fn every_member_is_described_listed_and_known_by_two_files() {
    for (family, headings) in [
        ("anonymize", &["**Finds**", "**How**", "**Class**", "**Reference**"][..]),
        ("skew", &["**Withholds**", "**Tells**", "**Cost**", "**Reference**"]),
        ("utility", &["**Definition**", "**Reference**"]),
        ("attack", &["**Knowledge**", "**Finds**", "**Definition**", "**Cost**", "**Reference**"]),
        (
            "transactions/criterion",
            &["**Promises**", "**Threat**", "**Definition**", "**Cost**", "**Reference**", "# Claim", "```"],
        ),
        ("transactions/method", &["**Finds**", "**How**", "**Reference**", "# Claim", "```"]),
        ("transactions/metric", &["**Definition**", "**Reference**"]),
        ("transactions/attack", &["**Knowledge**", "**Finds**", "**Definition**", "**Cost**", "**Reference**"]),
    ] {
        let folder = source().join(family);
        let list = fs::read_to_string(folder.join("mod.rs")).expect("the list");
        let members: Vec<PathBuf> = files(&folder)
            .into_iter()
            .filter(|path| production(path).contains("pub const KIND: Kind<Build>"))
            .collect();
        assert!(!members.is_empty(), "{family} has members");
        for path in members {
            let module = module_of(&path);
            let text = fs::read_to_string(&path).expect("a source file");
            for heading in headings {
                assert!(text.contains(heading), "{family}/{module} lacks {heading}");
            }
            assert!(list.contains(&format!("&{module}::KIND")), "{family}/{module} is not in the list");
            let name = format!("{module}::KIND");
            let names = |text: &str| {
                text.match_indices(&name)
                    .any(|(at, _)| !text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_'))
            };
            let knows = |other: &PathBuf| !other.starts_with(&folder) && names(&production(other));
            let knowing: Vec<PathBuf> =
                files(&source()).into_iter().filter(|other| *other != path && knows(other)).collect();
            assert_eq!(knowing, Vec::<PathBuf>::new(), "{family}/{module} is named elsewhere");
        }
    }
}
