//! The invariants of ARCHITECTURE.md, kept.

use sfumato::data::hierarchy;
use sfumato::kind::Kind;
use sfumato::{anonymize, attack, criterion, skew, transactions as sets, utility};
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

/// Every family: the folder of its members, what the documentation of each says, and their names.
fn families() -> Vec<(&'static str, &'static [&'static str], Vec<&'static str>)> {
    fn names<B>(kinds: &[&'static Kind<B>]) -> Vec<&'static str> {
        kinds.iter().map(|kind| kind.name).collect()
    }
    const CRITERION: &[&str] =
        &["**Promises**", "**Threat**", "**Definition**", "**Cost**", "**Reference**", "# Claim", "```"];
    const ATTACK: &[&str] = &["**Knowledge**", "**Finds**", "**Definition**", "**Cost**", "**Reference**"];
    const METRIC: &[&str] = &["**Definition**", "**Reference**"];
    vec![
        ("criterion", CRITERION, names(&criterion::KINDS)),
        ("anonymize", &["**Finds**", "**How**", "**Class**", "**Reference**"], names(&anonymize::KINDS)),
        ("skew", &["**Withholds**", "**Tells**", "**Cost**", "**Reference**"], names(&skew::KINDS)),
        ("utility", METRIC, names(&utility::KINDS)),
        ("attack", ATTACK, names(&attack::KINDS)),
        ("data/hierarchy", &[], names(&hierarchy::KINDS)),
        ("transactions/criterion", CRITERION, names(&sets::criterion::KINDS)),
        (
            "transactions/method",
            &["**Finds**", "**How**", "**Reference**", "# Claim", "```"],
            names(&sets::method::KINDS),
        ),
        ("transactions/metric", METRIC, names(&sets::metric::KINDS)),
        ("transactions/attack", ATTACK, names(&sets::attack::KINDS)),
    ]
}

/// Production code: the library, the command line and what they are built of. `reproduce` shows
/// what papers say of members.
fn production_files() -> Vec<PathBuf> {
    let crates = ["core", "cli", "columnar", "signing"].map(|name| source().join("../..").join(name).join("src"));
    crates.iter().flat_map(|folder| files(folder)).map(|path| path.canonicalize().expect("a file")).collect()
}

/// Whether a text has a word, which is not part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// Every member has one file, is described and listed, and no other file of production code outside
/// the family uses its description.
#[test]
fn every_member_is_described_listed_and_known_by_two_files() {
    for (family, headings, _) in families() {
        let folder = source().join(family).canonicalize().expect("a folder");
        let list = fs::read_to_string(folder.join("mod.rs")).expect("the list");
        let members: Vec<PathBuf> =
            files(&folder).into_iter().filter(|path| !kinds_of(&production(path)).is_empty()).collect();
        assert!(!members.is_empty(), "{family} has members");
        for path in members {
            let (module, text) = (module_of(&path), fs::read_to_string(&path).expect("a source file"));
            for heading in headings {
                assert!(text.contains(heading), "{family}/{module} lacks {heading}");
            }
            for kind in kinds_of(&production(&path)) {
                let kind = format!("{module}::{kind}");
                assert!(list.contains(&format!("&{kind}")), "{family}: {kind} is not in the list");
                let knows = |other: &PathBuf| !other.starts_with(&folder) && has_word(&production(other), &kind);
                let knowing: Vec<PathBuf> = production_files().into_iter().filter(knows).collect();
                assert_eq!(knowing, Vec::<PathBuf>::new(), "{family}: {kind} is named elsewhere");
            }
        }
    }
}

/// The descriptions of members that a file makes.
fn kinds_of(code: &str) -> Vec<&str> {
    let declared = code.lines().filter_map(|line| line.split_once(": Kind<Build> = "));
    declared.filter_map(|(before, _)| before.split_once("const ")).map(|(_, name)| name).collect()
}

/// Names that are ordinary words too: only by itself or in quotes is such a word a name.
const WORDS: [&str; 10] =
    ["auto", "base", "cuts", "height", "loss", "parents", "precision", "prefix", "skyline", "suppress"];

/// Names that are also keys of plans and reports, or options of commands.
const KEYS: [&str; 4] = ["dates", "eligibility", "file", "population"];

/// Whether a text that is printed, read or compared names a member.
fn names(text: &str, member: &str) -> bool {
    let is_quoted = || ["\\\"", "\"", "`"].iter().any(|quote| text.contains(&format!("{quote}{member}{quote}")));
    match (WORDS.contains(&member), KEYS.contains(&member)) {
        (_, true) => false,
        (true, _) => text == member || is_quoted(),
        _ => has_word(text, member),
    }
}

/// The texts of string literals, escapes as they are written.
fn literals(code: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), code);
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (before, here) = rest.split_at(at);
        let unmarked = before.trim_end_matches('#');
        rest = match here.as_bytes() {
            [b'/', b'/', ..] => here.split_once('\n').map_or("", |(_, next)| next),
            [b'"', ..] if unmarked.ends_with('r') => {
                let end = format!("\"{}", &before[unmarked.len()..]);
                let (text, next) = here[1..].split_once(&end).expect("a raw text has an end");
                found.push(text);
                next
            }
            [b'"', ..] => {
                let mut is_escaped = false;
                let is_end = |letter: char| {
                    let was_escaped = is_escaped;
                    is_escaped = letter == '\\' && !was_escaped;
                    letter == '"' && !was_escaped
                };
                let (text, next) = here[1..].split_once(is_end).expect("a text has an end");
                found.push(text);
                next
            }
            // A letter in quotes; else a lifetime.
            [b'\'', b'\\', _, tail @ ..] => &here[here.len() - tail.len()..],
            [b'\'', _, b'\'', ..] => &here[3..],
            _ => &here[1..],
        };
    }
    found
}

#[test]
fn literals_are_found_wherever_quotes_are() {
    let code = r###"let a = "x"; // "no"
        f('"', '\'', "y \"z\" \\", r#"a "b""#); fn g<'a>() -> &'a str { "" }"###;
    assert_eq!(literals(code), ["x", r#"y \"z\" \\"#, r#"a "b""#, ""]);
    assert!(names("use optimal", "optimal") && !names("bayes-optimal", "optimal") && !names("a loss", "loss"));
    assert!(names("loss", "loss") && names(r#"metric = \"loss\""#, "loss") && names("use `suppress`", "suppress"));
}

/// Nothing that is printed, read or compared names a member outside its own file and the list of
/// its family: not even in help texts, which are comments of the command line's arguments.
#[test]
fn no_surface_names_a_member() {
    let mut naming = Vec::new();
    for path in production_files() {
        let text = fs::read_to_string(&path).expect("a source file");
        let code = production(&path);
        let is_command_line = path.components().any(|part| part.as_os_str() == "cli");
        let help = text.lines().filter(|line| is_command_line && line.trim_start().starts_with("///"));
        let texts: Vec<&str> = literals(&code).into_iter().chain(help).collect();
        for (family, _, members) in families() {
            let folder = source().join(family).canonicalize().expect("a folder");
            let is_list = path == folder.join("mod.rs");
            let is_own = |name: &str| {
                let declared = [format!("name: \"{name}\""), format!("described(\n    \"{name}\"")];
                path.starts_with(&folder) && declared.iter().any(|declared| code.contains(declared))
            };
            for member in members.into_iter().filter(|name| !is_list && !is_own(name)) {
                let found = texts.iter().find(|text| names(text, member));
                naming.extend(found.map(|text| format!("{}: {member} in {text:?}", path.display())));
            }
        }
    }
    assert!(naming.is_empty(), "{}", naming.join("\n"));
}

/// Files of tests that say what every member of a family is, from its definition: a new member
/// joins them, or is read in floats where there is another such file.
const READINGS: [&str; 5] = [
    "suite/support/mod.rs",
    "suite/small_world/naive.rs",
    "suite/search.rs",
    "suite/transactions.rs",
    "suite/papers/skewed.rs",
];

/// Whoever names every member of a family has a list that each new one would have to join.
#[test]
fn no_test_but_a_plain_reading_lists_a_family() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let is_reading = |path: &PathBuf| READINGS.iter().any(|reading| path.ends_with(reading));
    let families: Vec<_> = families().into_iter().filter(|family| family.2.len() > 4).collect();
    for path in files(&tests).into_iter().filter(|path| !is_reading(path)) {
        let code = fs::read_to_string(&path).expect("a source file");
        for (family, _, members) in &families {
            // What is said of one column is said of several.
            let plain = |name: &str| name.strip_prefix("multi-attribute-").unwrap_or(name).to_string();
            let all = members.iter().all(|name| has_word(&code, &plain(name)));
            assert!(!all, "{} lists every member of {family}: loop over its list", path.display());
        }
    }
}
