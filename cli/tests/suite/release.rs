//! Releases: in every form they verify, whatever is changed is found and named, and they can be
//! compared.

use crate::support::Folder;
use crate::support::publishing::*;
use serde_json::Value;

const USAGE: i32 = 2;
const DATA: i32 = 3;
const INFEASIBLE: i32 = 4;
const GATE: i32 = 5;
const IO: i32 = 7;

const FORMATS: [&str; 4] = ["csv", "tsv", "parquet", "arrow"];

/// Publishes a table of which no criterion but 2-anonymity is asked, in every format and with both
/// kinds of suppression: each release verifies, and its cells are these.
fn check(table: &str, columns: &str, release: &str, header: &[&str], expected: &[&[&str]]) {
    for format in FORMATS {
        let sections = "[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n[method]\nname = \"optimal\"\n[release]\n";
        let folder = folder(table, columns, &format!("{sections}{release}\nformat = \"{format}\"\n"));
        publish(&folder);
        let (found, records) = cells(&folder, &format!("release/data.{format}"));
        assert_eq!(found, header, "{format}");
        let sorted = |mut records: Vec<Vec<String>>| {
            records.sort();
            records
        };
        let expected = expected.iter().map(|record| record.iter().map(ToString::to_string).collect()).collect();
        assert_eq!(sorted(records), sorted(expected), "{format}");
    }
}

/// A folder with a release of the patients.
fn released_patients() -> Folder {
    let folder = patients(SUPPRESSING);
    folder.run("publish plan.toml --out release").code(0);
    folder
}

/// The exit code where nothing is wrong, and no criterion could be checked.
const NOTHING_CONFIRMED: i32 = 8;

/// The claims that do not hold.
fn failed(folder: &Folder) -> Vec<String> {
    let found = folder.json("verify release --json", GATE);
    assert_eq!(found["holds"], false);
    let claims = found["claims"].as_array().unwrap().iter().filter(|claim| claim["holds"] == false);
    claims.map(|claim| claim["claim"].as_str().unwrap().to_string()).collect()
}

/// Verification fails and names this claim, for programs and for people.
fn assert_named(folder: &Folder, claim: &str) {
    let failed = failed(folder);
    assert!(failed.iter().any(|name| name == claim), "{claim:?} is not among {failed:?}");
    let text = folder.output("verify release", GATE);
    assert!(text.contains(&format!("✗ {claim}")) && text.contains("do not rely on this release"), "{text}");
}

// Every form of release verifies

const TABLE: &str =
    "name,zip,sex,job,note,disease\nn1,1,f,a,u,flu\nn2,1,f,b,u,cold\nn3,2,m,c,u,flu\nn4,2,m,d,u,flu\nn5,3,f,e,u,flu\n";
const ROLES: &str =
    "name = \"identifier\"\nzip = \"quasi\"\nsex = \"quasi\"\njob = \"insensitive\"\ndisease = \"sensitive\"\n";

#[test]
fn suppressed_records_are_withheld_or_starred() {
    let header = ["zip", "sex", "job", "disease"];
    let kept: [&[&str]; 4] =
        [&["1", "f", "a", "flu"], &["1", "f", "b", "cold"], &["2", "m", "c", "flu"], &["2", "m", "d", "flu"]];
    check(TABLE, ROLES, "max_suppressed = 0.2", &header, &kept);
    check(TABLE, ROLES, "max_suppressed = 0.2\nsuppressed = \"withheld\"", &header, &kept);
    let starred = [kept.as_slice(), &[&["*"; 4]]].concat();
    check(TABLE, ROLES, "max_suppressed = 0.2\nsuppressed = \"starred\"", &header, &starred);
}

#[test]
fn insensitive_columns_are_kept_or_dropped_and_others_never_published() {
    let header = ["zip", "sex", "disease"];
    let kept: [&[&str]; 4] = [&["1", "f", "flu"], &["1", "f", "cold"], &["2", "m", "flu"], &["2", "m", "flu"]];
    check(TABLE, ROLES, "max_suppressed = 0.2\ninsensitive = \"drop\"", &header, &kept);
    let starred = [kept.as_slice(), &[&["*"; 3]]].concat();
    check(TABLE, ROLES, "max_suppressed = 0.2\ninsensitive = \"drop\"\nsuppressed = \"starred\"", &header, &starred);
}

#[test]
fn there_may_be_several_sensitive_columns() {
    let roles = ROLES.replace("insensitive", "sensitive");
    let expected: [&[&str]; 4] =
        [&["1", "f", "a", "flu"], &["1", "f", "b", "cold"], &["2", "m", "c", "flu"], &["2", "m", "d", "flu"]];
    check(TABLE, &roles, "max_suppressed = 0.2", &["zip", "sex", "job", "disease"], &expected);
    let sections =
        "[[require]]\ncriterion = \"distinct-l-diversity\"\non = \"job\"\nl = 2\n[release]\nmax_suppressed = 0.2\n";
    let folder = folder(TABLE, &roles, sections);
    let stated = publish(&folder);
    let attacked =
        |column: &str| stated["attacks"].as_array().unwrap().iter().filter(|one| one["on"] == column).count();
    assert_eq!((attacked("job"), attacked("disease")), (3, 3));
    assert!(stated["notes"].to_string().contains("disease"), "no criterion protects the other column");
}

#[test]
fn there_may_be_no_sensitive_column() {
    let expected: [&[&str]; 4] = [&["1", "f"], &["1", "f"], &["2", "m"], &["2", "m"]];
    check(TABLE, "zip = \"quasi\"\nsex = \"quasi\"\n", "max_suppressed = 0.2", &["zip", "sex"], &expected);
    let alone: [&[&str]; 5] = [&["f"], &["f"], &["f"], &["m"], &["m"]];
    check(TABLE, "sex = \"quasi\"\n", "max_suppressed = 0", &["sex"], &alone);
}

#[test]
fn missing_values_survive() {
    let table = "zip,disease\n,flu\n,\n1,\n1,cold\n";
    let roles = "zip = \"quasi\"\ndisease = \"sensitive\"\n";
    let expected: [&[&str]; 4] = [&["", "flu"], &["", ""], &["1", ""], &["1", "cold"]];
    check(table, roles, "", &["zip", "disease"], &expected);
    check(table, "zip = \"quasi\"\n", "", &["zip"], &[&[""], &[""], &["1"], &["1"]]);
    for missing in ["?", "*"] {
        let data = format!("[data]\npath = \"table.csv\"\nmissing = [\"{missing}\"]\n[columns]\n{roles}");
        let sections = "[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n[method]\nname = \"optimal\"\n[release]\nmax_suppressed = 0.2\nsuppressed = \"starred\"\n";
        let table = format!("zip,disease\n{missing},flu\n{missing},{missing}\n1,{missing}\n1,cold\n2,flu\n");
        let folder = Folder::new(&[("table.csv", &table), ("plan.toml", &format!("{data}{sections}"))]);
        assert_eq!(publish(&folder)["suppressed"], 1, "missing values written as {missing}");
    }
}

#[test]
fn odd_texts_survive() {
    let quoted = "\"zip, \"\"the\"\" code\",grund\n\"a,\nb\",\"\"\"q\"\"\"\n\"a,\nb\",Grüße\n\"日本;\t語\",' x'\n\"日本;\t語\",\" blank \"\n*,*\n*,\"a\rb\"\n";
    let roles = "\"zip, \\\"the\\\" code\" = \"quasi\"\ngrund = \"sensitive\"\n";
    let expected: [&[&str]; 6] = [
        &["a,\nb", "\"q\""],
        &["a,\nb", "Grüße"],
        &["日本;\t語", "' x'"],
        &["日本;\t語", " blank "],
        &["*", "*"],
        &["*", "a\rb"],
    ];
    for suppressed in ["withheld", "starred"] {
        let release = format!("max_suppressed = 0.3\nsuppressed = \"{suppressed}\"");
        check(quoted, roles, &release, &["zip, \"the\" code", "grund"], &expected);
    }
}

#[test]
fn records_of_stars_are_told_from_suppressed_ones() {
    let table = "zip,disease\n*,*\n*,*\n1,flu\n1,cold\n2,flu\n";
    let roles = "zip = \"quasi\"\ndisease = \"sensitive\"\n";
    let expected: [&[&str]; 5] = [&["*", "*"], &["*", "*"], &["1", "flu"], &["1", "cold"], &["*", "*"]];
    check(table, roles, "max_suppressed = 0.2\nsuppressed = \"starred\"", &["zip", "disease"], &expected);
}

#[test]
fn tables_that_are_read_in_other_ways_verify() {
    let other = PATIENTS.replace(',', ";").replace('\n', " \r\n");
    let plan = format!(
        "[data]\npath = \"table.csv\"\ndelimiter = \";\"\ntrim = true\n[columns]\n{COLUMNS}\n{CRITERIA}{SUPPRESSING}{}",
        accepting(COLUMNS)
    );
    let folder = Folder::new(&[("table.csv", &other), ("plan.toml", &plan)]);
    publish(&folder);
    assert_eq!(released(&folder, "data.csv"), released(&released_patients(), "data.csv"));
}

#[test]
fn every_criterion_can_be_published_and_verified() {
    let listed = Folder::new(&[]).json("list criteria --json", 0);
    let columns = COLUMNS.replace("job = \"insensitive\"", "job = \"sensitive\"");
    let mut published = 0;
    for criterion in listed["criteria"].as_array().unwrap() {
        let example = criterion["example"].as_str().unwrap().replace("; ", "\n");
        // On one column, on all, or on none: what does not fit is a mistake in the plan, what asks
        // too much infeasible.
        for on in ["", "on = \"disease\"\n", "on = [\"disease\", \"job\"]\n"] {
            let sections = format!("[[require]]\n{example}\n{on}{SUPPRESSING}[gate]\nattacks = \"report\"\n");
            let folder = folder(PATIENTS, &columns, &sections);
            let run = folder.run("publish plan.toml --out release");
            let code = run.get_output().status.code().unwrap();
            assert!([0, USAGE, DATA, INFEASIBLE, IO].contains(&code), "{example} ends with {code}: {run}");
            if code == 0 {
                published += 1;
                // Of what reads the whole table nothing is confirmed where a record is missing.
                let verified = folder.run("verify release");
                let code = verified.get_output().status.code().unwrap();
                assert!([0, NOTHING_CONFIRMED].contains(&code), "{example} verifies with {code}: {verified}");
            }
        }
    }
    assert!(published >= 10, "only {published} criteria could be published");
}

// Whatever is changed is found

#[test]
fn every_changed_cell_is_found() {
    let folder = released_patients();
    let data = released(&folder, "data.csv");
    let lines: Vec<Vec<&str>> = data.lines().map(|line| line.split(',').collect()).collect();
    for row in 0..lines.len() {
        for column in 0..lines[row].len() {
            let mut changed = lines.clone();
            // Another row's cell, or what no row has.
            let other = lines[lines.len() - 1 - row][column];
            changed[row][column] = if other == lines[row][column] { "other" } else { other };
            let text: String = changed.iter().map(|line| line.join(",") + "\n").collect();
            folder.write("release/data.csv", text);
            let failed = failed(&folder);
            assert!(failed.iter().any(|claim| claim == "sha256 of data.csv"), "row {row}, column {column}: {failed:?}");
        }
    }
    folder.write("release/data.csv", &data);
    folder.run("verify release").code(0);
}

#[test]
fn figures_are_recomputed_from_changed_data() {
    let folder = released_patients();
    let data = released(&folder, "data.csv");
    let check = |changed: String, claims: &[&str]| {
        assert_ne!(changed, data);
        folder.write("release/data.csv", changed);
        claims.iter().for_each(|claim| assert_named(&folder, claim));
    };
    let lines: Vec<&str> = data.lines().collect();
    check(lines[..lines.len() - 1].join("\n"), &["published", "every statement of the certificate", "utility"]);
    check(data.replacen("130**", "131**", 1), &["groups", "criterion 1: k-anonymity", "attack: linkage"]);
    check(
        data.replace("cold", "flu").replace("cancer", "flu"),
        &["criterion 2: distinct-l-diversity", "attack: homogeneity on disease"],
    );
    check(data.replacen("zip,", "code,", 1), &["figures", "sha256 of data.csv"]);
    check(data.replacen("job,", "work,", 1), &["columns", "sha256 of data.csv"]);
    let reordered: Vec<&str> = lines[..1].iter().chain(lines[1..].iter().rev()).copied().collect();
    check(reordered.join("\n") + "\n", &["sha256 of data.csv"]);
    check(data.replace('\n', "\r\n"), &["sha256 of data.csv"]);
    check(data.clone() + "\n", &["sha256 of data.csv"]);
    check(String::new(), &["figures", "sha256 of data.csv"]);
    check("\u{0}\u{1}\"".into(), &["figures", "sha256 of data.csv"]);
}

/// Changes every so many-th byte of a file, one at a time, with one bit.
fn change_bytes(folder: &Folder, file: &str, step: usize, check: impl Fn(&Folder, usize)) {
    let path = format!("release/{file}");
    let good = std::fs::read(folder.path(&path)).unwrap();
    for at in (0..good.len()).step_by(step).chain([good.len() - 1]) {
        let mut changed = good.clone();
        changed[at] ^= 1;
        folder.write(&path, changed);
        check(folder, at);
    }
    folder.write(&path, good);
    folder.run("verify release").code(0);
}

#[test]
fn every_changed_byte_of_the_certificate_is_found() {
    change_bytes(&released_patients(), "certificate.json", 37, |folder, at| {
        let run = folder.run("verify release").code(GATE);
        let output = run.get_output();
        let said = [&output.stdout, &output.stderr].map(|stream| String::from_utf8(stream.clone()).unwrap()).concat();
        let named = said.contains("✗ seal of the certificate")
            || said.contains("certificate.json: the certificate is not")
            || said.contains("the certificate states");
        assert!(named, "byte {at}: {said}");
    });
}

#[test]
fn every_changed_byte_of_the_report_is_found() {
    change_bytes(&released_patients(), "report.html", 113, |folder, at| {
        assert_eq!(failed(folder), ["sha256 of report.html", "report"], "byte {at}");
    });
}

fn change_columnar_bytes(format: &str) {
    let folder = patients(&format!("{SUPPRESSING}format = \"{format}\"\n"));
    folder.run("publish plan.toml --out release").code(0);
    change_bytes(&folder, &format!("data.{format}"), 37, |folder, _| {
        assert!(failed(folder).contains(&format!("sha256 of data.{format}")));
    });
}

#[test]
fn every_changed_byte_of_a_parquet_file_is_found() {
    change_columnar_bytes("parquet");
}

#[test]
fn every_changed_byte_of_an_arrow_file_is_found() {
    change_columnar_bytes("arrow");
}

#[test]
fn a_certificate_that_was_cut_or_extended_is_found() {
    let folder = released_patients();
    let good = released(&folder, "certificate.json");
    let seal = serde_json::from_str::<Value>(&good).unwrap()["seal"].as_str().unwrap().to_string();
    for changed in [
        String::new(),
        "{}".into(),
        "[]".into(),
        "null".into(),
        "7".into(),
        format!("{{ \"seal\": \"{seal}\" }}"),
        good[..good.len() / 2].to_string(),
        good.clone() + " ",
        good.replacen("\"holds\": true", "\"holds\": false", 1),
        good.replacen("\"records\": 13", "\"records\": 14", 1),
        good.replacen("data.csv", "../table.csv", 1),
        good.replacen("\"data\": \"data.csv\"", "\"data\": \"../table.csv\"", 1),
        good.replacen(&seal, &"0".repeat(64), 1),
        good.replacen(&seal, "", 1),
    ] {
        assert_ne!(changed, good);
        folder.write("release/certificate.json", changed);
        folder.run("verify release").code(GATE);
        folder.run("verify release --json").code(GATE);
    }
}

#[test]
fn files_that_are_gone_or_new_are_found() {
    for (file, claim) in [("data.csv", "sha256 of data.csv"), ("report.html", "sha256 of report.html")] {
        let folder = released_patients();
        std::fs::remove_file(folder.path("release").join(file)).unwrap();
        assert_named(&folder, claim);
    }
    for new in ["notes.txt", ".hidden", "folder/file", "data.tsv"] {
        let folder = released_patients();
        folder.write(&format!("release/{new}"), "");
        assert_named(&folder, "no other files");
        assert!(folder.output("verify release", GATE).contains(new.split('/').next().unwrap()));
    }
}

#[test]
fn what_is_no_release_cannot_be_verified() {
    let folder = released_patients();
    for command in ["verify", "compare"] {
        refuse(&folder, &format!("{command} none"), IO, &["none"]);
        refuse(&folder, &format!("{command} ."), USAGE, &["no certificate.json", "help:"]);
    }
    std::fs::remove_file(folder.path("release/certificate.json")).unwrap();
    refuse(&folder, "verify release", USAGE, &["release", "no certificate.json"]);
}

#[test]
fn a_release_may_be_moved() {
    let folder = released_patients();
    std::fs::create_dir(folder.path("else where")).unwrap();
    std::fs::rename(folder.path("release"), folder.path("else where/renamed")).unwrap();
    std::fs::remove_file(folder.path("table.csv")).unwrap();
    let run = folder.command("verify").arg("else where/renamed").assert();
    run.code(0);
}

// Side by side

#[test]
fn releases_are_compared_figure_by_figure() {
    let folder = released_patients();
    folder.write("plan.toml", plan(COLUMNS, CRITERIA));
    folder.run("publish plan.toml --out other").code(0);
    let text = folder.output("compare release other", 0);
    let row = |label: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(label));
        let cells = &line.unwrap_or_else(|| panic!("no {label:?} in\n{text}")).trim_start()[label.len()..];
        cells.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
    };
    assert_eq!((row("published"), row("suppressed")), (vec!["12", "13"], vec!["1", "0"]));
    for label in ["records", "groups", "level: zip", "level: age", "level: sex", "criterion: k-anonymity"] {
        assert_eq!(row(label).len(), 2, "{label}");
    }
    for label in ["criterion: distinct-l-diversity on disease", "belief: linkage", "belief: homogeneity on disease"] {
        assert_eq!(row(label).len(), 2, "{label}");
    }
    let certificate: Value = serde_json::from_str(&released(&folder, "certificate.json")).unwrap();
    for metric in certificate["utility"].as_object().unwrap().keys() {
        assert_eq!(row(&format!("utility: {metric} ")).len(), 2, "{metric}");
    }
    let document = folder.json("compare release other --json", 0);
    assert_eq!(document["releases"]["release"], certificate);
    assert_eq!(document["do_not_verify"], serde_json::json!([]));
}

#[test]
fn figures_are_left_open_only_where_there_is_nothing_to_measure() {
    let folder = released_patients();
    let criteria = "[[require]]\ncriterion = \"entropy-l-diversity\"\nl = 2\n";
    folder.write("plan.toml", plan(&COLUMNS.replace("sex = \"quasi\"", "sex = \"insensitive\""), criteria));
    folder.run("publish plan.toml --out other").code(0);
    let text = folder.output("compare release other", 0);
    let line = |label: &str| text.lines().find(|line| line.trim_start().starts_with(label)).unwrap();
    assert!(line("information kept: sex").contains('–'), "{text}");
    for measured in ["criterion: entropy-l-diversity on disease", "criterion: k-anonymity"] {
        assert!(!line(measured).contains('–'), "{text}");
    }
}

#[test]
fn the_comparison_is_one_file_that_needs_no_other() {
    let folder = released_patients();
    folder.run("publish plan.toml --out other").code(0);
    folder.run("compare release other --html compare.html").code(0).stderr("");
    let page = std::fs::read_to_string(folder.path("compare.html")).unwrap();
    for html in [&page, &released(&folder, "report.html")] {
        assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
        for outside in ["http://", "https://", "<link", "src=", "@import", "url("] {
            // Names of a language and parts of the page itself are nothing outside.
            let own = html.replace("http://www.w3.org/2000/svg", "").replace("url(#", "");
            assert!(!own.contains(outside), "the page has {outside}");
        }
    }
    assert!(page.contains("release") && page.contains("other") && page.contains("k-anonymity"));
    folder.run("verify release").code(0);
    refuse(&folder, "compare release --html none/compare.html", IO, &["none/compare.html"]);
}

#[test]
fn a_release_that_does_not_verify_is_called_out() {
    let folder = released_patients();
    folder.run("publish plan.toml --out other").code(0);
    let data = released(&folder, "data.csv");
    folder.write("release/data.csv", data.replacen("flu", "cold", 1));
    let text = folder.output("compare release other", 0);
    assert!(text.contains("✗ release does not verify") && !text.contains("✗ other"), "{text}");
    assert_eq!(folder.json("compare release other --json", 0)["do_not_verify"], serde_json::json!(["release"]));
}
