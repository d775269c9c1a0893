//! Transactions from the plan to the release: reading, publishing, checking, attacking, verifying.

use crate::support::publishing::{contents, names, publish, refuse, released};
use crate::support::{CANARY, Folder, SFUMATO};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;

const PUBLISH: &str = "publish plan.toml --out release";

/// Table 1 of Jia et al. 2014.
const TABLE_1: &str =
    "bread milk condom\nbread milk\nmilk condom\nflour fruits\nflour condom\nbread fruits\nfruits condom\n";

const CONDOM: &str = "sensitive = { items = [\"condom\"] }";

const THIRD: &str = "[[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"0.334\"\n";

/// A plan for `data.dat`: lines of its `[data]`, and further sections.
fn plan(data: &str, sections: &str) -> String {
    format!("[data]\nkind = \"transactions\"\npath = \"data.dat\"\n{data}\n{sections}")
}

fn folder(records: &str, data: &str, sections: &str) -> Folder {
    Folder::new(&[("data.dat", records), ("plan.toml", &plan(data, sections))])
}

fn table_1(sections: &str) -> Folder {
    folder(TABLE_1, CONDOM, &format!("{THIRD}{sections}"))
}

fn by(method: &str) -> String {
    format!("[method]\nname = \"{method}\"\n")
}

/// Made-up baskets: items from a to z, frequent ones first, and a sensitive one now and then.
fn baskets(records: usize) -> String {
    let record = |at: usize| -> String {
        let items = (0..2 + at % 5).map(|nth| (at * 7 + nth * nth * 5 + at / 11) % (3 + at % 24));
        let names: Vec<String> = items.map(|item| char::from(b'a' + item as u8).to_string()).collect();
        format!("{} {}\n", names.join(" "), if at.is_multiple_of(3) { format!("s{}", at % 4) } else { String::new() })
    };
    (0..records).map(record).collect()
}

const SENSITIVE: &str = "sensitive = { items = [\"s0\", \"s1\", \"s2\", \"s3\", \"b\"] }";

/// The lines of the published data, each split into items.
fn lines(folder: &Folder) -> Vec<Vec<String>> {
    let text = released(folder, "data.dat");
    text.lines().map(|line| line.split(' ').filter(|item| !item.is_empty()).map(String::from).collect()).collect()
}

/// Every item of the original that is neither published nor listed as sensitive is nowhere in the
/// release.
fn assert_nothing_leaks(folder: &Folder, original: &str) {
    let kept = lines(folder).concat();
    let listed = released(folder, "sensitive.txt");
    let gone = original.split_whitespace().filter(|item| !kept.iter().any(|known| known == item));
    for item in gone.filter(|item| !listed.lines().any(|known| known == *item)) {
        for file in ["certificate.json", "report.html"] {
            assert!(!released(folder, file).contains(item), "{file} names {item}");
        }
    }
}

/// What the custodian alone is told.
fn internally(folder: &Folder) -> Value {
    folder.run(&format!("{PUBLISH} --replace --internal-report internal.json")).code(0);
    serde_json::from_slice(&std::fs::read(folder.path("internal.json")).unwrap()).unwrap()
}

// Publishing

#[test]
fn the_papers_example_is_published_with_few_deletions() {
    let folder = table_1("");
    let certificate = publish(&folder);
    let original = internally(&folder)["original"].clone();
    let figures = ["items", "occurrences"].map(|key| original[key].as_u64().unwrap());
    assert_eq!((certificate["records"].as_u64(), figures), (Some(7), [5, 15]));
    let deleted = original["deleted"].as_u64().unwrap();
    assert!((2..=4).contains(&deleted), "{deleted}");
    assert_eq!(original["deleted_share"], deleted as f64 / 15.0);
    assert_eq!(lines(&folder).concat().len() as u64, 15 - deleted);
    assert_eq!((&certificate["kind"], &certificate["criteria"][0]["holds"]), (&json!("transactions"), &json!(true)));
    if !certificate["worst_rule"].is_null() {
        let rule = &certificate["worst_rule"];
        assert!(rule["confidence"].as_f64().unwrap() <= 0.334, "{rule}");
        assert_eq!(rule["consequent"], "condom");
        assert!(rule["antecedent"].is_array() && rule["support"].is_u64());
    }
    for metric in ["kl", "symmetric-kl", "rules-jaccard"] {
        assert!(original["utility"].to_string().contains(metric), "{metric}: {}", original["utility"]);
        assert!(!certificate.to_string().contains(metric), "the certificate tells {metric}");
    }
    assert_eq!(names(&folder, "release"), ["certificate.json", "data.dat", "report.html", "sensitive.txt"]);
    assert_eq!(released(&folder, "sensitive.txt"), "condom\n");
}

#[test]
fn global_suppression_deletes_every_condom() {
    let folder = table_1(&by("global-suppression"));
    let certificate = publish(&folder);
    assert_eq!(certificate["worst_rule"], Value::Null);
    assert_eq!(internally(&folder)["original"]["deleted"], 4);
    assert!(!released(&folder, "data.dat").contains("condom"));
}

#[test]
fn every_method_keeps_the_criterion_and_its_release_verifies() {
    let taxonomy: String =
        ('a'..='z').map(|item| format!("{item};{};*\n", if item < 'm' { "early" } else { "late" })).collect();
    let require = "[[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"0.5\"\n";
    let original = baskets(60);
    for method in ["partial-suppression", "global-suppression", "permutation", "tdcontrol"] {
        let more = if method == "tdcontrol" { "taxonomy = \"items.txt\"\n" } else { "" };
        let folder = folder(&original, SENSITIVE, &format!("{require}{}{more}", by(method)));
        folder.write("items.txt", &taxonomy);
        let certificate = publish(&folder);
        assert_eq!(certificate["method"]["name"], method);
        assert_eq!(certificate["records"], 60, "{method}");
        let confidence = certificate["worst_rule"]["confidence"].as_f64().unwrap_or(0.0);
        assert!(confidence <= 0.5, "{method}: {confidence}");
        let checked = folder.json("check release --plan plan.toml --json", 0);
        assert_eq!(checked["worst_rule"], certificate["worst_rule"], "{method}");
        let is_separated = certificate["form"] == "separated";
        assert_eq!(names(&folder, "release").contains(&"sensitive.csv".to_string()), is_separated, "{method}");
        // Only there a spreadsheet could take a name for a formula.
        assert_eq!(certificate["formulas"].is_null(), !is_separated, "{method}");
        if certificate["generalized"] == false && !is_separated {
            assert_nothing_leaks(&folder, &original);
        }
    }
}

#[test]
fn rules_of_the_original_are_told_to_nobody_but_the_custodian() {
    // Who has the rare item has the secret: that is what nobody may learn.
    let original = format!("{}rare1 rare2 s0\nrare3 s1\n", baskets(40));
    let folder = folder(&original, SENSITIVE, &format!("{THIRD}{}", by("global-suppression")));
    let shown = folder.output(&format!("{PUBLISH} --internal-report internal.html"), 0);
    assert_nothing_leaks(&folder, &original);
    let internal = std::fs::read_to_string(folder.path("internal.html")).unwrap();
    assert!(internal.contains("INTERNAL") && internal.contains("of the original"));
    let certificate: Value = serde_json::from_str(&released(&folder, "certificate.json")).unwrap();
    for attack in certificate["attacks"].as_array().unwrap() {
        assert!(attack["before"].is_null(), "how much the original tells is nobody's business");
        assert_eq!(attack["people"], 0);
        assert!(!attack["rules"].to_string().contains("rare"));
    }
    assert!(!shown.contains("rare"), "{shown}");
    let report = released(&folder, "report.html");
    assert!(!report.contains("of the original (internal)"));
    for part in ["does not have an item is not covered", "knows the method", "not differential privacy", "random order"]
    {
        assert!(report.contains(part), "{part}");
    }
}

#[test]
fn lines_are_shuffled_unless_the_input_order_is_asked_for() {
    let records: String = (0..200).map(|at| format!("i{at} s\n")).collect::<String>() + &"x\n".repeat(100);
    let require = "[[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"1\"\n";
    let data = "sensitive = { items = [\"s\"] }";
    let shuffled = folder(&records, data, require);
    publish(&shuffled);
    assert_ne!(released(&shuffled, "data.dat"), records);
    assert!(released(&shuffled, "report.html").contains("random order"));
    let kept = folder(&records, data, &format!("{require}[release]\norder = \"input\"\n"));
    let certificate = publish(&kept);
    assert_eq!(certificate["order"].as_str(), Some("input"));
    assert_eq!(released(&kept, "data.dat"), records);
    assert!(released(&kept, "report.html").contains("order of the input"));
}

#[test]
fn a_seed_repeats_choices_and_is_told() {
    let folder = folder(&baskets(60), SENSITIVE, THIRD);
    let run = |out: &str| folder.json(&format!("publish plan.toml --out {out} --insecure-seed 7 --json"), 0);
    let certificate = run("release");
    run("again");
    assert_eq!(certificate["method"]["insecure_seed"], true);
    assert!(certificate["notes"].to_string().contains("Not for release"));
    let again = std::fs::read_to_string(folder.path("again/data.dat")).unwrap();
    assert_eq!(released(&folder, "data.dat"), again);
}

#[test]
fn a_release_is_replaced_only_if_asked_and_inputs_are_safe() {
    let folder = folder(TABLE_1, CONDOM, &THIRD.replace("0.334", "1"));
    publish(&folder);
    refuse(&folder, PUBLISH, 2, &["exists already", "--replace"]);
    folder.json(&format!("{PUBLISH} --replace --json"), 0);
    refuse(&folder, "publish plan.toml --out . --replace", 2, &["name of a folder"]);
    refuse(&folder, &format!("{PUBLISH}2 --data release/data.dat --internal-report release/x.html"), 2, &["release"]);
    refuse(&folder, &format!("{PUBLISH} --replace --data release/data.dat"), 2, &["this run reads"]);
}

// Reading

#[test]
fn odd_files_are_read_as_they_are_meant() {
    let odd = "\u{feff}milk  condom milk\r\n\r\n\tbread\r\nmilk";
    let folder = folder(odd, CONDOM, &format!("{THIRD}[release]\norder = \"input\"\n{}", by("global-suppression")));
    publish(&folder);
    let original = internally(&folder)["original"].clone();
    let figures = ["items", "occurrences", "deleted"].map(|key| original[key].as_u64().unwrap());
    assert_eq!(figures, [3, 4, 1]);
    assert_eq!(released(&folder, "data.dat"), "milk\n\nbread\nmilk\n");
    let notes = original["notes"].to_string();
    assert!(notes.contains("1 of the original's records have no items") && notes.contains("count once"), "{notes}");
}

#[test]
fn bad_files_are_refused_by_line_and_no_name_is_told() {
    let bytes = |bytes: &[u8], parts: &[&str], code: i32| {
        let folder = table_1("");
        folder.write("data.dat", bytes);
        refuse(&folder, PUBLISH, code, parts);
        folder.run("check --plan plan.toml").code(code);
    };
    let canary = |before: &str, after: &[u8]| [before.as_bytes(), CANARY.as_bytes(), after].concat();
    bytes(&canary("condom\n", b"\xff\n"), &["data.dat, line 2", "UTF-8"], 3);
    bytes(&canary("condom\nb\n", b"\0\n"), &["data.dat, line 3", "control character"], 3);
    bytes(&canary("condom\n", b"\rb\n"), &["data.dat, line 2", "control character"], 3);
    bytes(CANARY.as_bytes(), &["none of the 1 sensitive names occurs", "delimiter"], 2);
    let missing = table_1("");
    std::fs::remove_file(missing.path("data.dat")).unwrap();
    refuse(&missing, PUBLISH, 7, &["data.dat", "no such file"]);
    refuse(&missing, "publish plan.toml --out release --data .", 2, &["is a folder"]);
    let empty = table_1("");
    empty.write("data.dat", "");
    refuse(&empty, PUBLISH, 3, &["no records"]);
}

/// Items are numbers, but for one that is deleted wherever it occurs: the order of items must not
/// tell that it was there.
#[test]
fn a_deleted_name_does_not_change_the_order_of_items() {
    for method in ["partial-suppression", "global-suppression"] {
        let sections = format!("[[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"0.3\"\n{}", by(method));
        let folder = folder("9 10 X\n9 10 X\n", "sensitive = { items = [\"X\"] }", &sections);
        publish(&folder);
        assert_eq!(released(&folder, "data.dat"), "9 10\n9 10\n");
    }
}

/// A table read as lines of words would publish whatever stands in it.
#[test]
fn a_table_is_not_read_as_lines() {
    let plan = plan(CONDOM, THIRD).replace("data.dat", "data.csv");
    let folder = Folder::new(&[("data.csv", "person,item\nann,condom\nbob,milk\n"), ("plan.toml", &plan)]);
    refuse(&folder, PUBLISH, 2, &["the name of a table", "person = "]);
    folder.write("plan.toml", plan.replace("sensitive", "person = \"person\"\nitem = \"item\"\nsensitive"));
    folder.run(PUBLISH).code(0);
    folder.write("data.csv", "milk,condom\nmilk\nmilk,bread\n");
    folder.write("plan.toml", plan.replace("sensitive", "delimiter = \",\"\nsensitive"));
    folder.run(&format!("{PUBLISH} --replace")).code(0);
}

/// Lines that are empty because their people have sensitive items only, and records that are empty
/// from the start.
#[test]
fn what_is_lost_is_told() {
    let sections = format!("{THIRD}{}", by("permutation"));
    let folder = folder("condom\ncondom\n\nmilk condom\nmilk\nmilk\nbread\n", CONDOM, &sections);
    let text = folder.output(PUBLISH, 0);
    assert!(text.contains("3 of the published lines are empty"), "{text}");
    let shared = released(&folder, "sensitive.csv");
    assert!(shared.lines().skip(1).all(|line| line.ends_with(",condom,1")), "{shared}");
    folder.run("verify release").code(0);
}

#[test]
fn a_delimiter_keeps_blanks_in_names() {
    let records = "soft drinks, condom\nsoft drinks,bread\nsoft drinks\n";
    let data = format!("delimiter = \",\"\n{CONDOM}");
    let folder = folder(records, &data, &THIRD.replace("0.334", "0.5"));
    let certificate = publish(&folder);
    assert_eq!(certificate["delimiter"], json!(","));
    assert_eq!(internally(&folder)["original"]["items"], 3);
    assert!(released(&folder, "data.dat").contains("soft drinks\n"));
}

#[test]
fn a_table_of_persons_and_items_is_read() {
    let rows = "when,who,what\n1,ann,milk\n2,bob,milk\n3,ann,condom\n4,cid,soft drinks\n5,ann,milk\n6,dan,\n7,bob,soft drinks\n";
    let data = format!("person = \"who\"\nitem = \"what\"\n{CONDOM}");
    let folder = folder("", &data, &THIRD.replace("0.334", "0.5"));
    folder.write("rows.csv", rows);
    let certificate = folder.json(&format!("{PUBLISH} --data rows.csv --json"), 0);
    assert_eq!(certificate["records"], 4);
    assert_eq!(certificate["delimiter"], ",");
    assert_eq!(folder.json("verify release --json", 0)["holds"], true);
    let checked = folder.json("check rows.csv --plan plan.toml --json", 0);
    assert_eq!(checked["records"], 4);
    refuse(&folder, &format!("{PUBLISH}2"), 2, &["data.dat", ".dat"]);
    folder.write("rows.csv", rows.replace("who", "whom"));
    refuse(&folder, &format!("{PUBLISH}2 --data rows.csv"), 2, &["who"]);
}

// Sensitive items

#[test]
fn sensitive_items_come_from_a_file_a_share_or_a_list() {
    let listed = folder(TABLE_1, "sensitive = { file = \"x.sens\" }", THIRD);
    listed.write("x.sens", "condom pills\n");
    let certificate = publish(&listed);
    assert_eq!(
        certificate["sensitive"],
        json!({ "file": "x.sens", "listed": 2, "kinds": certificate["sensitive"]["kinds"] })
    );
    assert_eq!(released(&listed, "sensitive.txt"), "condom\npills\n");
    let notes = internally(&listed)["original"]["notes"].to_string();
    assert!(notes.contains("\\\"pills\\\" occurs nowhere"), "{notes}");

    let share = folder(TABLE_1, "sensitive = { share = 0.4, seed = 1 }", THIRD);
    let certificate = publish(&share);
    assert_eq!(
        certificate["sensitive"],
        json!({ "share": "0.4", "seed": 1, "listed": 2, "kinds": certificate["sensitive"]["kinds"] })
    );
    // The lot is about the plan's own data, whatever is checked.
    share.json("check release --plan plan.toml --json", 0);
    share.json("check release/data.dat --plan plan.toml --json", 0);
    let raw = share.json("check data.dat --plan plan.toml --json", 1);
    assert_eq!(raw["sensitive"], 2);

    refuse(&folder(TABLE_1, "sensitive = { file = \"no.sens\" }", THIRD), PUBLISH, 7, &["no.sens", "no such file"]);
    refuse(&folder(TABLE_1, "sensitive = { share = 0.1, seed = 1 }", THIRD), PUBLISH, 2, &["no item is sensitive"]);
    refuse(&folder(TABLE_1, "sensitive = { items = [\"x\"] }", THIRD), PUBLISH, 2, &["none of the 1"]);
}

// Plans

#[test]
fn plans_about_tables_and_about_transactions_are_told_apart() {
    refuse(&table_1("[columns]\na = \"quasi\"\n"), PUBLISH, 2, &["plan.toml, line", "[columns] is about tables"]);
    refuse(
        &folder(TABLE_1, CONDOM, "[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n"),
        PUBLISH,
        2,
        &["k-anonymity is about tables"],
    );
    refuse(&table_1(&by("mondrian")), PUBLISH, 2, &["mondrian is about tables"]);
    refuse(&table_1("[gate]\nmax_risk = 1\n"), PUBLISH, 2, &["max_risk"]);
    refuse(&table_1("[relase]\n"), PUBLISH, 2, &["did you mean \"release\"?"]);
    refuse(&folder(TABLE_1, CONDOM, ""), PUBLISH, 2, &["requires nothing", "transaction-criteria"]);
    let table = Folder::new(&[
        ("table.csv", "a,b\n1,2\n"),
        ("plan.toml", &format!("[columns]\na = \"quasi\"\nb = \"sensitive\"\n{THIRD}")),
    ]);
    let message = "rho-uncertainty is about transactions";
    refuse(&table, &format!("{PUBLISH} --data table.csv"), 2, &[message, "[data] kind = \"transactions\""]);
    refuse(&table_1(""), "skyline --plan plan.toml --value condom --confidence 0.5", 2, &["about transactions"]);
    refuse(&table_1(""), "check data.dat --plan plan.toml --groups a", 2, &["--groups", "about tables"]);
}

// Checking, attacking, verifying, comparing

#[test]
fn check_tells_the_most_confident_rule() {
    let folder = table_1("");
    let raw = folder.json("check data.dat --plan plan.toml --json", 1);
    assert_eq!((&raw["holds"], &raw["records"], &raw["items"]), (&json!(false), &json!(7), &json!(5)));
    let rule = &raw["worst_rule"];
    assert_eq!((&rule["antecedent"], &rule["consequent"]), (&json!(["milk"]), &json!("condom")));
    assert_eq!((&rule["support"], &rule["of"]), (&json!(2), &json!(3)));
    assert_eq!(&raw["criteria"][0]["worst_rule"], rule);
    let text = folder.output("check --plan plan.toml", 1);
    assert!(text.contains("milk → condom: 2 of 3") && text.contains("✗"), "{text}");
    publish(&folder);
    for data in ["release", "release/data.dat"] {
        let run = folder.run(&format!("check {data} --plan plan.toml --json"));
        // A file from which every sensitive item is gone cannot be told from one that was read
        // wrongly.
        let known = lines(&folder).concat().iter().any(|item| item == "condom");
        run.code(if known || data == "release" { 0 } else { 2 });
    }
    refuse(&folder, "check nowhere.dat --plan plan.toml", 7, &["no such file"]);
    folder.write("other/x", "");
    refuse(&folder, "check other --plan plan.toml", 2, &["no release of transactions"]);
}

#[test]
fn attacks_list_what_would_be_inferred() {
    let folder = table_1("");
    let before = folder.json("attack data.dat --plan plan.toml --json", 0);
    let first = &before["attacks"][0];
    assert_eq!(first["rules"][0]["antecedent"], json!(["milk"]), "{first:#}");
    assert!(first["people"].as_u64().unwrap() >= 2 && before["verifies"].is_null());
    publish(&folder);
    let after = folder.json("attack release --json", 0);
    assert_eq!((&after["attacks"][0]["people"], &after["verifies"]), (&json!(0), &json!(true)));
    let name = first["attack"].as_str().unwrap();
    let only = folder.output(&format!("attack release --only {name}"), 0);
    assert!(only.contains(name) && only.contains("✓"), "{only}");
    refuse(&folder, "attack release --only linkage", 2, &["no attack on transactions"]);
    refuse(&folder, "attack release --each x.csv", 2, &["--each"]);
    refuse(&folder, "attack release --plan plan.toml", 2, &["leave out --plan"]);
    refuse(&folder, "attack data.dat", 2, &["not a release directory"]);
}

/// Publishes, changes a file, and hands on the claims that fail.
fn tampered(file: &str, change: impl Fn(String) -> String) -> Vec<String> {
    let folder = folder(&baskets(60), SENSITIVE, THIRD);
    publish(&folder);
    let before = released(&folder, file);
    let after = change(before.clone());
    assert_ne!(before, after, "{file} is as it was");
    folder.write(&format!("release/{file}"), after);
    let found = folder.json("verify release --json", 5);
    let failed = found["claims"].as_array().unwrap().iter().filter(|claim| claim["holds"] == false);
    failed.map(|claim| claim["claim"].as_str().unwrap().to_string()).collect()
}

#[test]
fn whatever_is_changed_is_found_and_named() {
    let check = |file: &str, change: &dyn Fn(String) -> String, claim: &str| {
        let failed = tampered(file, change);
        assert!(failed.iter().any(|failed| failed == claim), "{file}: {failed:?} lacks {claim}");
    };
    check("data.dat", &|text| text + "zz\n", "sha256 of data.dat");
    check("data.dat", &|text| text + "zz\n", "records");
    check("data.dat", &|text| text.replacen("s0", "s1", 1).replacen(" s2", " s0", 1) + "", "sha256 of data.dat");
    check("data.dat", &|text| "c b s0 a\n".to_string() + &text, "order of items");
    check("data.dat", &|text| text.replacen('\n', "\0\n", 1), "figures");
    check("sensitive.txt", &|text| text + "a\n", "sha256 of sensitive.txt");
    check("sensitive.txt", &|text| text + "a\n", "sensitive items of the release");
    check("report.html", &|text| text + " ", "sha256 of report.html");
    let figure =
        |key: &'static str| move |text: String| text.replacen(&format!("\"{key}\": "), &format!("\"{key}\": 1"), 1);
    check("certificate.json", &figure("records"), "seal of the certificate");
    check("certificate.json", &figure("records"), "records");
    check("certificate.json", &figure("published_items"), "published_items");
    check(
        "certificate.json",
        &|text| text.replace("\"rho\": \"0.334\"", "\"rho\": \"0.01\""),
        "criterion 1: rho-uncertainty",
    );
    check("certificate.json", &|text| text.replace("\"kind\": \"transactions\"", "\"kind\": \"table\""), "figures");
    let stated = |place: &'static str, key: &'static str, value: Value| {
        move |text: String| {
            let mut document: Value = serde_json::from_str(&text).unwrap();
            document.pointer_mut(place).unwrap()[key] = value.clone();
            format!("{document:#}\n")
        }
    };
    check("certificate.json", &stated("/attacks/0", "people", json!(7)), "attack: sensitive-rules");
    check("certificate.json", &stated("/criteria/0", "holds", json!(false)), "criterion 1: rho-uncertainty");
    check("certificate.json", &stated("", "worst_rule", json!(null)), "most confident rule");
    check("certificate.json", &stated("", "data", json!("sensitive.txt")), "every statement of the certificate");
    check("certificate.json", &stated("", "form", json!("apart")), "figures");
    check("certificate.json", &stated("", "form", json!("separated")), "files of the release");
    check("certificate.json", &stated("/files", "more.txt", json!({ "sha256": "" })), "files of the release");
}

#[test]
fn foreign_and_missing_files_are_found() {
    let folder = table_1("");
    publish(&folder);
    folder.write("release/extra.txt", "x");
    let text = folder.output("verify release", 5);
    assert!(text.contains("no other files") && text.contains("extra.txt"), "{text}");
    refuse(&folder, &format!("{PUBLISH} --replace"), 2, &["not part of a release"]);
    std::fs::remove_file(folder.path("release/extra.txt")).unwrap();
    std::fs::remove_file(folder.path("release/sensitive.txt")).unwrap();
    let text = folder.output("verify release", 5);
    assert!(text.contains("sha256 of sensitive.txt: the file is not there"), "{text}");
}

#[test]
fn releases_are_compared() {
    let folder = table_1("");
    publish(&folder);
    folder.write("global.toml", plan(CONDOM, &format!("{THIRD}{}", by("global-suppression"))));
    folder.json("publish global.toml --out global --json", 0);
    let text = folder.output("compare release global", 0);
    for part in ["kinds of items", "most confident rule", "global-suppression"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let both = folder.json("compare release global --json", 0);
    assert_eq!(both["releases"]["global"]["published_occurrences"], 11);
    folder.run("compare release global --html page.html").code(0);
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
    for part in ["most confident rule", "global-suppression", "Risk against utility of the releases"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_file_without_a_plan_is_looked_at_and_drafted_for() {
    let folder = Folder::new(&[("data.dat", &format!("{TABLE_1}{CANARY} bread\n\n"))]);
    let profile = folder.json("inspect data.dat --json", 0);
    let figures = ["records", "items", "occurrences", "empty"].map(|key| profile[key].as_u64().unwrap());
    assert_eq!(figures, [9, 6, 17, 1]);
    assert!(folder.output("inspect data.dat", 0).contains("9 records with 17 items of 6 kinds"));
    folder.output("init data.dat", 0);
    folder.run("check --plan plan.toml").code(2);
    let draft = std::fs::read_to_string(folder.path("plan.toml")).unwrap();
    folder.write("plan.toml", draft.replace("# sensitive = { items = [\"a\", \"b\"] }", CONDOM));
    publish(&folder);
}

#[test]
fn families_of_transactions_are_listed() {
    let folder = Folder::new(&[]);
    let all = folder.json("list --json", 0);
    for family in ["transaction-criteria", "transaction-methods", "transaction-metrics", "transaction-attacks"] {
        assert!(!all[family].as_array().unwrap().is_empty(), "{family}");
        assert!(folder.output(&format!("list {family}"), 0).contains("e.g."), "{family}");
    }
}

// Dying

#[test]
fn a_killed_run_leaves_nothing_and_the_next_one_tidies_up() {
    let folder = folder(&baskets(30_000), SENSITIVE, THIRD);
    let before = contents(&folder);
    let mut run = Command::new(SFUMATO)
        .args(PUBLISH.split(' '))
        .current_dir(folder.path(""))
        .env("SFUMATO_RECORD", "")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(50));
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(!folder.path("release").exists());
    assert!(contents(&folder).into_iter().filter(|(name, _)| !name.starts_with('.')).eq(before));

    // What a run leaves that dies while it writes.
    folder.write(".release.sfumato-0123456789abcdef/data.dat", "half of it");
    folder.write("data.dat", TABLE_1);
    folder.write("plan.toml", plan(CONDOM, THIRD));
    folder.json(&format!("{PUBLISH} --json"), 0);
    assert_eq!(names(&folder, ""), ["data.dat", "plan.toml", "release"]);
}
