//! A canary in every cell: whatever command runs, and however it fails, no cell is told beyond what
//! a command exists to show.
//!
//! What commands exist to show, and nothing else:
//!
//! - data files of a release: published cells, where a method that forms groups publishes numbers
//!   as the range of a group's own; `sensitive.txt` of transactions: the plan's list of sensitive
//!   items;
//! - `certificate.json`, and so `publish --json` and `compare --json`: the published labels of
//!   generalized quasi-identifiers, with how much stands under each;
//! - `report.html`: sensitive values that are published often enough; the internal report: those
//!   that were suppressed, too;
//! - `attack --each FILE`: sensitive values of the release;
//! - `skyline`: the value that was asked for;
//! - `check` and `attack --plan` of transactions that are not published yet, and their internal
//!   report: the items of unsafe rules.

use crate::support;
use crate::support::Folder;
use crate::support::publishing::{columns_for, contents, names};
use std::collections::BTreeMap;
use std::process::Output;
use std::time::Duration;
use tempfile::TempDir;

/// What cells that nobody may see start with.
const HIDDEN: &str = "Zq7hidden";
/// What cells start with that are published, or may be.
const SHOWN: &str = "Pub5shown";
/// The first digits of numbers that nobody may see.
const NUMBER: &str = "771306";

/// A text as it stands in files of many kinds: as it is, in other encodings, escaped.
fn forms(text: &str) -> Vec<Vec<u8>> {
    let each = |form: fn(char) -> String| text.chars().map(form).collect::<String>().into_bytes();
    let wide = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let mut forms = vec![
        text.as_bytes().to_vec(),
        wide(u16::to_le_bytes),
        wide(u16::to_be_bytes),
        text.chars().flat_map(|letter| u32::from(letter).to_le_bytes()).collect(),
        each(|letter| format!("%{:02X}", letter as u32)),
        each(|letter| format!("&#{};", letter as u32)),
        each(|letter| format!("&#x{:x};", letter as u32)),
        each(|letter| format!("\\u{:04x}", letter as u32)),
        each(|letter| format!("{:02x}", letter as u32)),
        text.bytes().rev().collect(),
    ];
    forms.extend((0..3).map(|shift| base64_inside(text, shift)));
    forms
}

/// The letters in base 64 that stand for a text so many bytes after a multiple of three, whatever
/// is around it.
fn base64_inside(text: &str, shift: usize) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = |byte: u8| (0..8).rev().map(move |bit| byte >> bit & 1);
    let padded: Vec<u8> = std::iter::repeat_n(0, 8 * shift).chain(text.bytes().flat_map(bits)).collect();
    let letter = |six: &[u8]| LETTERS[six.iter().fold(0, |sum, bit| 2 * sum + usize::from(*bit))];
    padded.chunks_exact(6).skip((8 * shift).div_ceil(6)).map(letter).collect()
}

/// Whether bytes hold a text in any form, in capitals or not.
fn holds(bytes: &[u8], text: &str) -> bool {
    let lower = bytes.to_ascii_lowercase();
    forms(text).iter().any(|form| {
        let form = form.to_ascii_lowercase();
        lower.windows(form.len()).any(|window| window == form)
    })
}

#[test]
fn a_cell_is_found_in_every_form() {
    let text = format!("{HIDDEN}9");
    for form in forms(&text) {
        assert!(holds(&[b"<p>", form.as_slice(), b"</p>"].concat(), HIDDEN), "{form:?}");
    }
    for (shift, encoded) in ["WnE3aGlkZGVuOQ==", "LVpxN2hpZGRlbjk=", "LS1acTdoaWRkZW45"].iter().enumerate() {
        assert!(holds(encoded.as_bytes(), HIDDEN), "base 64, {shift} bytes in");
    }
    assert!(!holds(b"Zq7 hidden, Pub5shown", HIDDEN));
}

/// A folder in which commands run, with temporary files of their own, and what of it may be seen.
struct Scene {
    folder: Folder,
    temporary: TempDir,
}

/// What a command may tell on standard output, beside figures.
#[derive(Clone, Copy, PartialEq)]
enum Tells {
    Nothing,
    /// Cells that are published.
    Published,
    /// Whatever it finds: only for what exists to show it.
    Anything,
}

impl Scene {
    fn new(files: &[(&str, &str)]) -> Scene {
        Scene { folder: Folder::new(files), temporary: tempfile::tempdir().unwrap() }
    }

    /// Runs a command and looks at everything that it says, writes and leaves behind. New files may
    /// hold cells that are shown; hidden ones only where anything may be told.
    fn run(&self, arguments: &str, code: i32, tells: Tells) -> Output {
        let before = contents(&self.folder);
        let mut command = std::process::Command::new(support::SFUMATO);
        command.current_dir(self.folder.path("")).args(arguments.split_whitespace());
        command.env("TMPDIR", self.temporary.path()).env("RUST_BACKTRACE", "full").env("RUST_LOG", "trace");
        command.env("SFUMATO_RECORD", "");
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "`{arguments}`: {error}");
        assert!(!error.contains("internal error"), "`{arguments}`: {error}");
        for secret in [HIDDEN, SHOWN, NUMBER] {
            assert!(!holds(&output.stderr, secret), "`{arguments}` tells a cell: {error}");
        }
        let out = String::from_utf8_lossy(&output.stdout);
        if tells != Tells::Anything {
            for secret in [HIDDEN, NUMBER] {
                assert!(!holds(&output.stdout, secret), "`{arguments}` tells a hidden cell: {out}");
            }
        }
        assert!(tells != Tells::Nothing || !holds(&output.stdout, SHOWN), "`{arguments}` tells a cell: {out}");
        assert_eq!(std::fs::read_dir(self.temporary.path()).unwrap().count(), 0, "`{arguments}` left temporary files");
        self.look(arguments, &before, tells);
        output
    }

    /// Looks at the names and contents of files that are new.
    fn look(&self, arguments: &str, before: &BTreeMap<String, Vec<u8>>, tells: Tells) {
        for (name, bytes) in contents(&self.folder) {
            if before.get(&name) == Some(&bytes) {
                continue;
            }
            for secret in [HIDDEN, NUMBER] {
                assert!(!holds(name.as_bytes(), secret), "`{arguments}` names a file {name}");
                // The internal report is for whoever has the table: it tells sensitive values that
                // were suppressed.
                let may = tells == Tells::Anything || name == "internal.html" && only_sensitive(&bytes);
                assert!(may || !holds(&bytes, secret), "`{arguments}`: {name} holds a hidden cell");
            }
        }
    }

    /// A command that must fail, in its human and its JSON form, and leave nothing.
    fn fail(&self, arguments: &str, code: i32) {
        let before = contents(&self.folder);
        for json in ["", " --json"] {
            self.run(&format!("{arguments}{json}"), code, Tells::Nothing);
            assert!(contents(&self.folder) == before, "`{arguments}` changed {:?}", names(&self.folder, ""));
        }
    }
}

/// Whether all hidden cells of a page are the sensitive value of the record that is suppressed.
fn only_sensitive(page: &[u8]) -> bool {
    let page = String::from_utf8_lossy(page);
    page.match_indices(HIDDEN).all(|(at, _)| page[at + HIDDEN.len()..].starts_with("ill"))
}

/// A table in which every cell is another one; only sensitive and insensitive values repeat, just
/// enough to be published.
fn table(quasi: &str, hides_numbers: bool) -> [(&'static str, String); 3] {
    let (mut table, mut zips, mut cities) =
        (String::from("name,zip,salary,city,note,job,disease\n"), String::new(), String::new());
    for at in 0..24 {
        let number = if hides_numbers { format!("{NUMBER}{:03}", 37 * at + 11) } else { (1000 + 37 * at).to_string() };
        table += &format!(
            "{HIDDEN}name{at},{quasi}zip{at},{number},{quasi}city{at},{HIDDEN}note{at},{SHOWN}job{},{SHOWN}ill{}\n",
            at % 2,
            at % 3
        );
        zips += &format!("{quasi}zip{at};{HIDDEN}mid{};{SHOWN}area{};*\n", at / 2, at / 6);
        cities += &format!("{quasi}city{at};{SHOWN}side{};*\n", at / 12);
    }
    [("table.csv", table), ("zip.csv", zips), ("city.csv", cities)]
}

const COLUMNS: &str = "name = \"identifier\"\nzip = { role = \"quasi\", hierarchy = { file = \"zip.csv\" } }\n\
    salary = { role = \"quasi\", hierarchy = { intervals = [1000000000] } }\n\
    city = { role = \"quasi\", hierarchy = { file = \"city.csv\" } }\njob = \"insensitive\"\ndisease = \"sensitive\"\n";

const CRITERIA: &str = "[[require]]\ncriterion = \"k-anonymity\"\nk = 3\n\
    [[require]]\ncriterion = \"frequency-l-diversity\"\non = \"disease\"\nl = 2\n";

fn plan(sections: &str) -> String {
    let dropped = sections.contains("insensitive");
    let accepted = if dropped { "" } else { "[release.insensitive]\naccept = [\"job\"]\n" };
    let columns = columns_for(COLUMNS, sections);
    format!("[data]\npath = \"table.csv\"\n[columns]\n{columns}{CRITERIA}{sections}{accepted}")
}

fn scene(quasi: &str, sections: &str) -> Scene {
    let forms_groups = sections.contains("name = ") && !sections.contains("optimal") && !sections.contains("incognito");
    let files = table(quasi, quasi == HIDDEN && !forms_groups);
    let mut files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let plan = plan(sections);
    files.push(("plan.toml", &plan));
    Scene::new(&files)
}

/// Every method of the list, by its name.
fn members(family: &str) -> Vec<String> {
    let listed = Folder::new(&[]).json(&format!("list {family} --json"), 0);
    listed[family].as_array().unwrap().iter().map(|member| member["name"].as_str().unwrap().to_string()).collect()
}

/// How many more methods, forms and formats are combined.
fn is_thorough() -> bool {
    std::env::var("SFUMATO_CASES").is_ok_and(|cases| cases.parse().is_ok_and(|cases: u64| cases > 100))
}

// Commands that succeed

#[test]
fn commands_on_a_raw_table_show_no_cell() {
    let scene = scene(HIDDEN, "");
    for command in [
        "inspect table.csv",
        "inspect --plan plan.toml --eligibility 2",
        "inspect table.csv --on disease --eligibility 3",
    ] {
        scene.run(command, 0, Tells::Nothing);
        scene.run(&format!("{command} --json"), 0, Tells::Nothing);
    }
    for json in ["", " --json"] {
        scene.run(&format!("check --plan plan.toml{json}"), 1, Tells::Nothing);
        scene.run(&format!("check table.csv --plan plan.toml --groups note{json}"), 1, Tells::Nothing);
        scene.run(&format!("list{json}"), 0, Tells::Nothing);
    }
    scene.run("init table.csv --out -", 0, Tells::Nothing);
    scene.run("init table.csv --out new.toml", 0, Tells::Nothing);
    let unique: String =
        (0..30).map(|at| ["a", "b", "c", "d"].map(|name| format!("{HIDDEN}{name}{at}")).join(",") + "\n").collect();
    scene.folder.write("unique.csv", format!("a,b,c,d\n{unique}"));
    scene.folder.write(
        "unique.toml",
        "[columns]\na = \"identifier\"\nb = \"quasi\"\nc = \"quasi\"\nd = \"sensitive\"\n".to_string()
            + &CRITERIA.replace("\"disease\"", "\"d\""),
    );
    scene.run("inspect unique.csv", 0, Tells::Nothing);
    scene.run("init unique.csv --out unique-new.toml", 0, Tells::Nothing);
    scene.run("check unique.csv --plan unique.toml --json", 1, Tells::Nothing);
}

/// What is published, attacked, verified and compared.
fn walk(scene: &Scene, what: &str) {
    scene.run("publish plan.toml --out release --internal-report internal.html", 0, Tells::Nothing);
    scene.run("publish plan.toml --out release --replace --json", 0, Tells::Published);
    for json in ["", " --json"] {
        scene.run(&format!("verify release{json}"), 0, Tells::Nothing);
        scene.run(&format!("attack release{json}"), 0, Tells::Nothing);
    }
    scene.run("compare release release --html compare.html", 0, Tells::Nothing);
    let page = std::fs::read(scene.folder.path("compare.html")).unwrap();
    assert!(!holds(&page, SHOWN), "{what}: the page of compare tells a cell");
    let report = String::from_utf8(std::fs::read(scene.folder.path("release/report.html")).unwrap()).unwrap();
    for name in ["area", "side", "zip", "city", "job", "note", "name"] {
        assert!(!report.contains(&format!("{SHOWN}{name}")), "{what}: the report names a {name}");
    }
}

#[test]
fn every_method_form_and_format_publishes_no_hidden_cell() {
    let (mut seen, thorough) = (0, is_thorough());
    // The others are only read.
    let formats: Vec<String> =
        members("formats").into_iter().filter(|name| !["jsonl", "xlsx", "sqlite"].contains(&name.as_str())).collect();
    for (nth, method) in members("methods").iter().enumerate() {
        for form in ["generalized", "bucketized"] {
            let quasi = if form == "generalized" { HIDDEN } else { SHOWN };
            for (at, format) in formats.iter().enumerate() {
                // In turn, so that every method, form and format meets, but not all of them at
                // once.
                if !thorough && (nth + seen) % formats.len() != at && format != "parquet" {
                    continue;
                }
                let sections =
                    format!("[method]\nname = \"{method}\"\n[release]\nform = \"{form}\"\nformat = \"{format}\"\n");
                let scene = scene(quasi, &sections);
                scene.run(
                    "publish plan.toml --out release --json --internal-report internal.html",
                    0,
                    Tells::Published,
                );
                if at == 0 {
                    walk_again(&scene, &format!("{method}, {form}, {format}"));
                }
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 2 * sfumato::anonymize::KINDS.len(), "methods and forms");
}

fn walk_again(scene: &Scene, what: &str) {
    std::fs::remove_dir_all(scene.folder.path("release")).unwrap();
    walk(scene, what);
    scene.run("attack release --only background-knowledge --each beliefs.csv", 0, Tells::Nothing);
    scene.run(
        "skyline release --plan plan.toml --value Pub5shownill0 --confidence 0.9 --html skyline.html",
        0,
        Tells::Published,
    );
}

#[test]
fn what_is_suppressed_or_withheld_is_not_shown() {
    let files = table(HIDDEN, true);
    let row = format!("{HIDDEN}n,{HIDDEN}z,{NUMBER}999,{HIDDEN}c,{HIDDEN}u,{HIDDEN}j,{HIDDEN}ill\n");
    for (release, rest) in [
        ("", ""),
        ("suppressed = \"starred\"\n", ""),
        ("insensitive = \"drop\"\n", "[[utility]]\nmetric = \"classification\"\ntarget = \"disease\"\n"),
    ] {
        for method in ["optimal", "incognito"] {
            let scene = scene(
                HIDDEN,
                &format!("[method]\nname = \"{method}\"\n[release]\nmax_suppressed = \"5%\"\n{release}{rest}"),
            );
            scene.folder.write("table.csv", format!("{}{row}", files[0].1));
            scene.folder.write("zip.csv", format!("{}{HIDDEN}z;{HIDDEN}m;{HIDDEN}far;*\n", files[1].1));
            scene.folder.write("city.csv", format!("{}{HIDDEN}c;{HIDDEN}beyond;*\n", files[2].1));
            walk(&scene, method);
        }
    }
    // Records of a value that is too frequent are withheld first: their names are not among those
    // published, and the other columns say nothing of it.
    let mut people = String::from("zip,disease\n");
    (0..40).for_each(|at| people += &format!("{SHOWN}z{},{SHOWN}{}\n", at % 5, if at < 28 { 0 } else { at % 4 }));
    for skew in ["calibrated", "safe-d", "r-suppression"] {
        let plan = format!(
            "[data]\npath = \"table.csv\"\n[columns]\nzip = \"quasi\"\ndisease = \"sensitive\"\n[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n[skew]\nmethod = \"{skew}\"\n"
        );
        let scene = Scene::new(&[("table.csv", &people), ("plan.toml", &plan)]);
        walk(&scene, skew);
    }
}

#[test]
fn registers_and_joint_distributions_are_told_to_nobody() {
    let more = "[[attack]]\nattack = \"linkage\"\nregister = \"register.csv\"\n[[require]]\ncriterion = \"bayes-optimal\"\nrho1 = 0.5\nrho2 = 1\njoint = \"joint.csv\"\n";
    let scene = scene(HIDDEN, more);
    let (mut register, mut joint) =
        (String::from("zip,salary,city,who\n"), String::from("zip,salary,city,disease,weight\n"));
    for at in 0..24 {
        register += &format!("{HIDDEN}zip{at},{NUMBER}{:03},{HIDDEN}city{at},{HIDDEN}who{at}\n", 37 * at + 11);
        (0..3).for_each(|ill| {
            joint += &format!("{HIDDEN}zip{at},{NUMBER}{:03},{HIDDEN}city{at},{SHOWN}ill{ill},1\n", 37 * at + 11)
        });
    }
    scene.folder.write("register.csv", &register);
    scene.folder.write("joint.csv", &joint);
    walk(&scene, "with a register and a joint distribution");
    scene.folder.write("joint.csv", joint.replace(",1\n", ",one\n"));
    scene.fail("check --plan plan.toml", 3);
    scene.folder.write("joint.csv", joint.replace("zip3,", "zip33,"));
    scene.run("check --plan plan.toml", 3, Tells::Nothing);
    scene.folder.write("joint.csv", &joint);
    scene.folder.write("register.csv", register.replace(",city", ",town"));
    scene.fail("publish plan.toml --out other", 2);
}

// Commands that fail

/// What a file is to be instead, and how each command then ends.
struct Fault {
    what: &'static str,
    file: &'static str,
    bytes: Vec<u8>,
    code: i32,
}

fn faults() -> Vec<Fault> {
    let [table, zips, _] = table(HIDDEN, true).map(|(_, text)| text);
    let plan = plan("");
    let fault = |what, file, text: String, code| Fault { what, file, bytes: text.into_bytes(), code };
    let mut bad = table.clone().into_bytes();
    bad.extend_from_slice(&[HIDDEN.as_bytes(), b"\xff\xfe,1,2,3,4,5,6\n"].concat());
    vec![
        fault("a ragged row", "table.csv", format!("{table}{HIDDEN},{HIDDEN}\n"), 3),
        fault("a long row", "table.csv", format!("{table}{}\n", [HIDDEN; 9].join(",")), 3),
        fault("an open quote", "table.csv", format!("{table}\"{HIDDEN},1,2,3,4,5,6\n"), 3),
        fault("text after a quote", "table.csv", format!("{table}\"{HIDDEN}\"{HIDDEN},1,2,3,4,5,6\n"), 3),
        Fault { what: "bad UTF-8", file: "table.csv", bytes: bad, code: 3 },
        fault("a NUL", "table.csv", format!("{table}{HIDDEN}\0,1,2,3,4,5,6\n"), 3),
        fault("a value that is not in its hierarchy", "zip.csv", zips.replacen("zip7;", "zap7;", 1), 3),
        fault("a value twice in its hierarchy", "zip.csv", format!("{zips}{HIDDEN}zip3;{HIDDEN}x;{SHOWN}area1;*\n"), 3),
        fault("two parents", "zip.csv", format!("{zips}{HIDDEN}zip99;{HIDDEN}mid0;{SHOWN}area3;*\n"), 3),
        fault("a short line of a hierarchy", "zip.csv", format!("{zips}{HIDDEN}zip99;{HIDDEN}mid0\n"), 3),
        fault("a hierarchy with an open quote", "zip.csv", format!("{zips}\"{HIDDEN};a;b;c\n"), 3),
        fault("an empty hierarchy", "zip.csv", String::new(), 3),
        fault(
            "the wrong type",
            "plan.toml",
            plan.replace("disease = \"sensitive\"", "disease = { role = \"sensitive\", type = \"integer\" }"),
            3,
        ),
        fault("intervals of text", "plan.toml", plan.replace("{ file = \"city.csv\" }", "{ intervals = [10] }"), 3),
        fault("dates of text", "plan.toml", plan.replace("{ file = \"city.csv\" }", "{ dates = true }"), 3),
        fault(
            "an order that lacks values",
            "plan.toml",
            plan.replace("disease = \"sensitive\"", "disease = { role = \"sensitive\", order = [\"x\"] }"),
            3,
        ),
        fault("an unknown column with a near name", "plan.toml", plan.replace("disease =", "diseases ="), 2),
        fault("a column that is not there", "plan.toml", plan.replace("name =", "weight ="), 2),
        fault(
            "a value to protect that nobody has",
            "plan.toml",
            plan.replace(
                "disease = \"sensitive\"",
                &format!("disease = {{ role = \"sensitive\", sensitive_values = [\"{SHOWN}ill\"] }}"),
            ),
            2,
        ),
        fault("an open list of values", "plan.toml", format!("{plan}x = [\"{HIDDEN}\n"), 2),
        fault("an unknown key", "plan.toml", format!("{plan}\n[release]\nvalues = [\"{HIDDEN}\"]\n"), 2),
    ]
}

#[test]
fn every_fault_is_told_without_a_cell() {
    for fault in faults() {
        let scene = scene(HIDDEN, "");
        scene.folder.write(fault.file, &fault.bytes);
        eprintln!("{}", fault.what);
        scene.fail("publish plan.toml --out release --internal-report internal.html", fault.code);
        // What `check` does not need, it does not read.
        if !["an empty hierarchy", "an unknown key", "a column that is not there"].contains(&fault.what) {
            scene.fail("check table.csv --plan plan.toml", fault.code);
        }
        // A quote that ends before its field, and a NUL, are read as they stand where no hierarchy
        // knows better.
        if fault.file == "table.csv" && !["text after a quote", "a NUL"].contains(&fault.what) {
            // Text that is not UTF-8 is taken for something else unless a command says what it is.
            scene.fail("inspect table.csv --encoding utf-8", fault.code);
            scene.run("init table.csv --encoding utf-8 --out new.toml", fault.code, Tells::Nothing);
            scene.fail("skyline --plan plan.toml --value Pub5shownill0 --confidence 0.5", fault.code);
        }
    }
}

#[test]
fn what_is_infeasible_or_refused_is_told_without_a_cell() {
    let change = |from: &str, to: &str, more: &str, code: i32| {
        let scene = scene(HIDDEN, more);
        let plan = plan(more);
        assert!(plan.contains(from), "{from}");
        scene.folder.write("plan.toml", plan.replacen(from, to, 1));
        // What the gate refuses is told to the custodian in the internal report; nothing else is
        // written.
        let internal = if code == 5 { "" } else { " --internal-report internal.html" };
        scene.fail(&format!("publish plan.toml --out release{internal}"), code);
    };
    for method in members("methods") {
        let named = format!("[method]\nname = \"{method}\"\n");
        change("k = 3", "k = 30", &named, 4);
        change("l = 2", "l = 5", &named, 4);
    }
    change("k = 3", "k = 3", "[gate]\nmax_risk = 0.01\n", 5);
    change("k = 3", "k = 3", "[gate]\nmax_belief = 0.01\n", 5);
    change("k = 3", "k = 3", "[method]\nname = \"optimal\"\nbudget = 1\nseconds = 0\n", 6);
    let headless = scene(HIDDEN, "");
    let text = std::fs::read_to_string(headless.folder.path("table.csv")).unwrap();
    headless.folder.write("table.csv", text.split_once('\n').unwrap().1);
    headless.fail("publish plan.toml --out release", 2);
    headless.fail("check --plan plan.toml", 2);
    headless.folder.write("table.csv", format!("{HIDDEN}a,{HIDDEN}a\n{HIDDEN}b,{HIDDEN}c\n"));
    headless.fail("inspect table.csv", 3);
}

#[test]
fn a_release_that_was_tampered_with_shows_no_foreign_cell() {
    for (form, format) in
        [("generalized", "csv"), ("bucketized", "csv"), ("generalized", "parquet"), ("generalized", "arrow")]
    {
        let scene = scene(
            SHOWN,
            &format!("[method]\nname = \"mondrian\"\n[release]\nform = \"{form}\"\nformat = \"{format}\"\n"),
        );
        scene.run("publish plan.toml --out release", 0, Tells::Nothing);
        let data =
            if form == "generalized" { format!("release/data.{format}") } else { "release/quasi.csv".to_string() };
        let original = std::fs::read(scene.folder.path(&data)).unwrap();
        let certificate = std::fs::read_to_string(scene.folder.path("release/certificate.json")).unwrap();
        let swapped = String::from_utf8_lossy(&original).replacen(SHOWN, HIDDEN, 1).into_bytes();
        for bytes in [swapped, original[..original.len() * 2 / 3].to_vec(), [HIDDEN.as_bytes(); 9].concat(), Vec::new()]
        {
            scene.folder.write(&data, bytes);
            scene.fail("verify release", 5);
            for command in ["attack release", "compare release", "check release --plan plan.toml --recoded"] {
                refuses_or_not(&scene, command);
            }
        }
        scene.folder.write(&data, &original);
        for (from, to) in [
            ("\"disease\"", HIDDEN),
            (form, HIDDEN),
            ("k-anonymity", HIDDEN),
            ("\"quasi\"", HIDDEN),
            ("mondrian", HIDDEN),
            ("\"k\": \"3\"", "\"k\": \"Zq7hidden\""),
        ] {
            let to = if to == HIDDEN && from.starts_with('"') { format!("\"{HIDDEN}\"") } else { to.to_string() };
            scene.folder.write("release/certificate.json", certificate.replace(from, &to));
            // What a forged certificate says of itself may be quoted, being no cell of the input:
            // only that nothing breaks is looked at.
            let run = scene.folder.command("verify release").timeout(Duration::from_secs(60)).output().unwrap();
            assert!(matches!(run.status.code(), Some(2 | 3 | 5)), "{from}: {:?}", run.status);
        }
    }
}

/// Runs a command that may succeed or not, and tells nothing either way.
fn refuses_or_not(scene: &Scene, command: &str) {
    let run = scene.folder.command(command).output().unwrap();
    assert!(!matches!(run.status.code(), Some(70 | 101) | None), "`{command}`: {run:?}");
    for stream in [&run.stdout, &run.stderr] {
        assert!(!holds(stream, HIDDEN) && !holds(stream, SHOWN), "`{command}`: {}", String::from_utf8_lossy(stream));
    }
}

#[test]
fn broken_files_of_columns_show_no_cell() {
    let scene = scene(SHOWN, "");
    for format in ["parquet", "arrow"] {
        // A release holds such a file.
        let plan = plan(&format!("[release]\nformat = \"{format}\"\n"));
        scene.folder.write("plan.toml", plan);
        scene.run(&format!("publish plan.toml --out {format}"), 0, Tells::Nothing);
        let bytes = std::fs::read(scene.folder.path(&format!("{format}/data.{format}"))).unwrap();
        for cut in [0, 3, 4, 12, bytes.len() / 3, bytes.len() / 2, bytes.len() - 9, bytes.len() - 1] {
            scene.folder.write(&format!("cut.{format}"), &bytes[..cut]);
            scene.fail(&format!("inspect cut.{format}"), 3);
        }
        for step in (0..bytes.len()).step_by(bytes.len() / 40) {
            let mut changed = bytes.clone();
            changed[step] ^= 0x55;
            scene.folder.write(&format!("changed.{format}"), &changed);
            let run = scene.folder.command(&format!("inspect changed.{format}")).output().unwrap();
            assert!(!matches!(run.status.code(), Some(70 | 101) | None), "byte {step} of {format}: {run:?}");
            assert!(!holds(&run.stderr, SHOWN) && !holds(&run.stderr, HIDDEN), "byte {step} of {format}");
        }
    }
}

// Transactions

const SETS: &str = "[data]\nkind = \"transactions\"\npath = \"data.dat\"\nsensitive = { file = \"list.txt\" }\n[[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"0.5\"\n";

/// Records of which every item is another one, and a taxonomy of them.
fn sets(method: &str) -> Scene {
    let (mut data, mut tree) = (String::new(), String::new());
    for at in 0..20 {
        let items: Vec<String> = (0..4).map(|nth| format!("{HIDDEN}i{at}x{nth}")).collect();
        data += &format!("{}\n", items.join(" "));
        items.iter().for_each(|item| tree += &format!("{item};{HIDDEN}up{};*\n", at / 4));
    }
    let more = if method == "tdcontrol" { "taxonomy = \"tree.txt\"\n" } else { "" };
    let plan = format!("{SETS}[method]\nname = \"{method}\"\n{more}");
    let list = format!("{HIDDEN}i0x0\n{HIDDEN}i7x1\n");
    Scene::new(&[("data.dat", &data), ("tree.txt", &tree), ("list.txt", &list), ("plan.toml", &plan)])
}

/// The items that data files of a release hold: `data.dat`, and where sensitive items are told
/// apart, `sensitive.csv`.
fn published_items(scene: &Scene, release: &str) -> Vec<String> {
    let read = |name: &str| std::fs::read_to_string(scene.folder.path(release).join(name)).unwrap_or_default();
    items(&format!("{}\n{}", read("data.dat"), read("sensitive.csv")))
}

/// The items that a text names.
fn items(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| word.starts_with(HIDDEN)).map(String::from).collect()
}

#[test]
fn transactions_are_told_in_data_files_only() {
    for method in members("transaction-methods") {
        let scene = sets(&method);
        scene.run("inspect data.dat", 0, Tells::Nothing);
        scene.run("inspect data.dat --json", 0, Tells::Nothing);
        scene.run("init data.dat --out new.toml", 0, Tells::Nothing);
        for (release, json) in [("release", ""), ("again", " --json")] {
            let run = scene.folder.command(&format!("publish plan.toml --out {release}{json}")).output().unwrap();
            assert!(run.status.success() && run.stderr.is_empty(), "{method}: {run:?}");
            let published = published_items(&scene, release);
            assert!(published.len() > 5, "{method}");
            // The surest rule that is left is told, and its items are published.
            let read = |name: &str| std::fs::read_to_string(scene.folder.path(release).join(name)).unwrap();
            let told = [String::from_utf8(run.stdout).unwrap(), read("certificate.json"), read("report.html")];
            for item in told.iter().flat_map(|text| items(text)) {
                assert!(published.contains(&item), "{method} tells {item}");
            }
        }
        scene.run("verify release", 0, Tells::Nothing);
        scene.run("compare release", 0, Tells::Nothing);
        // What is not published yet is told to its custodian.
        let checked = scene.run("check --plan plan.toml", 1, Tells::Anything);
        assert!(holds(&checked.stdout, HIDDEN), "the surest rule is what this command is for");
        scene.run("attack data.dat --plan plan.toml", 0, Tells::Anything);
    }
}

#[test]
fn faults_of_transactions_are_told_without_an_item() {
    let scene = sets("tdcontrol");
    let read = |name: &str| std::fs::read_to_string(scene.folder.path(name)).unwrap();
    let (data, tree, plan) = (read("data.dat"), read("tree.txt"), read("plan.toml"));
    let publish = "publish plan.toml --out release --internal-report internal.html";
    for bytes in [
        [data.as_bytes(), HIDDEN.as_bytes(), b"\xff\n"].concat(),
        [data.as_bytes(), HIDDEN.as_bytes(), b"\0\n"].concat(),
    ] {
        scene.folder.write("data.dat", bytes);
        scene.fail(publish, 3);
        scene.fail("check --plan plan.toml", 3);
        scene.fail("inspect data.dat", 3);
    }
    scene.folder.write("data.dat", &data);
    for broken in [
        tree.lines().skip(8).collect::<Vec<_>>().join("\n"),
        format!("{tree}{HIDDEN};x\n"),
        format!("{tree}{HIDDEN}i3x3;{HIDDEN}up3;*\n"),
        String::new(),
    ] {
        scene.folder.write("tree.txt", broken);
        scene.fail(publish, 3);
    }
    scene.folder.write("tree.txt", &tree);
    scene.folder.write("list.txt", format!("{HIDDEN}nobody\n"));
    scene.fail(publish, 2);
    scene.folder.write("list.txt", format!("{HIDDEN}i0x0\n"));
    scene.folder.write(
        "plan.toml",
        plan.replace("tdcontrol", "permutation").replace("taxonomy = \"tree.txt\"\n", "").replace("0.5", "0.01"),
    );
    scene.fail(publish, 4);
    let rows = format!("who,what\n{HIDDEN}p,{HIDDEN}i0x0\n{HIDDEN}p\n");
    scene.folder.write("rows.csv", rows);
    scene.folder.write("plan.toml", plan.replace("data.dat\"", "rows.csv\"\nperson = \"who\"\nitem = \"what\""));
    scene.fail(publish, 3);
}
