//! `sfumato publish`: what it states is what it publishes, whatever cannot be published leaves
//! nothing behind, and nothing withheld is shown.

use crate::support;
use crate::support::publishing::*;
use crate::support::{CANARY, Folder, assert_close};
use serde_json::Value;
use sfumato::data::{Formats, sample};
use std::collections::{BTreeMap, BTreeSet};

const USAGE: i32 = 2;
const DATA: i32 = 3;
const INFEASIBLE: i32 = 4;
const GATE: i32 = 5;
const RESOURCES: i32 = 6;
const IO: i32 = 7;

const PUBLISH: &str = "publish plan.toml --out release";

fn with_method(method: &str, metric: &str, sections: &str) -> Folder {
    patients(&format!("[method]\nname = \"{method}\"\nmetric = \"{metric}\"\n{sections}"))
}

/// The methods that choose levels.
const BY_LEVELS: [&str; 2] = ["incognito", "optimal"];

fn members(family: &str) -> Vec<String> {
    let listed = Folder::new(&[]).json(&format!("list {family} --json"), 0);
    listed[family].as_array().unwrap().iter().map(|member| member["name"].as_str().unwrap().to_string()).collect()
}

// What is stated

#[test]
fn the_document_is_the_certificate() {
    let folder = patients(SUPPRESSING);
    let printed = publish(&folder);
    assert_eq!(names(&folder, "release"), ["certificate.json", "data.csv", "report.html"]);
    assert_eq!(serde_json::from_str::<Value>(&released(&folder, "certificate.json")).unwrap(), printed);
    assert_eq!(
        (&printed["records"], &printed["published"], &printed["suppressed"]),
        (&13.into(), &12.into(), &1.into())
    );
    let method = &printed["method"];
    assert_eq!((&method["name"], &method["metric"]), (&"optimal".into(), &"loss".into()));
    let found: Vec<&str> =
        printed["attacks"].as_array().unwrap().iter().map(|one| one["attack"].as_str().unwrap()).collect();
    // Nothing was withheld for being too frequent, and how values depend on quasi-identifiers is
    // not published.
    let is_public = |name: &String| !["eligibility", "definetti", "demographic"].contains(&name.as_str());
    assert_eq!(found, members("attacks").into_iter().filter(is_public).collect::<Vec<_>>());
    assert_eq!(printed["undisclosed_attacks"], serde_json::json!(["definetti", "demographic"]));
    let metrics: Vec<&String> = printed["utility"].as_object().unwrap().keys().collect();
    assert_eq!(metrics, ["discernibility", "average-group-size", "suppressed-share", "height"]);
    assert!((0.0..1.0).contains(&printed["information_kept"]["overall"].as_f64().unwrap()));
}

/// How the search went depends on who has which value, and so do some attacks and metrics: the
/// custodian alone is told.
#[test]
fn the_internal_document_has_it_all() {
    let folder = patients(&format!("{SUPPRESSING}[[utility]]\nmetric = \"classification\"\ntarget = \"disease\"\n"));
    let known = publish_internally(&folder);
    assert_eq!((&known["search"]["nodes"], &known["search"]["exhaustive"]), (&48.into(), &true.into()));
    assert!(known["search"]["safe"].as_u64().unwrap() > 0 && known["search"]["minimal"].is_array());
    for metric in members("metrics") {
        assert!(known["utility"][&metric].is_number(), "{metric}");
    }
    let attacks: Vec<&str> =
        known["attacks"].as_array().unwrap().iter().map(|one| one["attack"].as_str().unwrap()).collect();
    assert!(attacks.contains(&"demographic"));
    assert_eq!(known["classification"]["target"], "disease");
    for key in ["before", "after", "baseline"] {
        assert!((0.0..=1.0).contains(&known["classification"][key].as_f64().unwrap()), "{key}");
    }
    let certificate = released(&folder, "certificate.json");
    for secret in ["\"safe\"", "\"nodes\"", "kl-divergence", "classification", "\"before\""] {
        assert!(!certificate.contains(secret), "the certificate has {secret}");
    }
}

#[test]
fn the_text_states_figures_and_seal() {
    let folder = patients(SUPPRESSING);
    let text = folder.output(PUBLISH, 0);
    let certificate: Value = serde_json::from_str(&released(&folder, "certificate.json")).unwrap();
    let seal = certificate["seal"].as_str().unwrap();
    for part in [
        "12 of 13 records",
        "1 record suppressed",
        "k-anonymity",
        "linkage",
        "discernibility",
        "Release: release",
        seal,
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

/// What a level makes of a value, by the definition of its hierarchy.
fn generalized(column: usize, value: &str, level: u64) -> String {
    let level = level as usize;
    match column {
        0 if level == 5 => "*".into(),
        0 => format!("{}{}", &value[..5 - level], "*".repeat(level)),
        1 if level == 1 || level == 2 => {
            let (age, width) = (value.parse::<usize>().unwrap(), [10, 20][level - 1]);
            format!("{}-{}", age / width * width, age / width * width + width - 1)
        }
        _ if level == 0 => value.into(),
        _ => "*".into(),
    }
}

/// The records of the patients that this choice of levels keeps, as they are published: groups of
/// three with two diseases.
fn kept(levels: &[u64]) -> Vec<Vec<String>> {
    let mut groups: BTreeMap<Vec<String>, Vec<Vec<String>>> = BTreeMap::new();
    for line in PATIENTS.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let quasi: Vec<String> = (0..3).map(|at| generalized(at, cells[at + 1], levels[at])).collect();
        let record = quasi.iter().cloned().chain([cells[4].into(), cells[6].into()]).collect();
        groups.entry(quasi).or_default().push(record);
    }
    let diseases = |group: &[Vec<String>]| group.iter().map(|record| record[4].clone()).collect::<BTreeSet<_>>().len();
    let mut kept: Vec<_> =
        groups.into_values().filter(|group| group.len() >= 3 && diseases(group) >= 2).flatten().collect();
    kept.sort();
    kept
}

#[test]
fn the_data_are_what_the_levels_say() {
    for (method, metric) in
        [("optimal", "loss"), ("incognito", "height"), ("optimal", "discernibility"), ("incognito", "loss")]
    {
        for sections in ["", SUPPRESSING] {
            let folder = with_method(method, metric, sections);
            let stated = publish(&folder);
            let (header, mut records) = cells(&folder, "release/data.csv");
            assert_eq!(header, ["zip", "age", "sex", "job", "disease"]);
            records.sort();
            assert_eq!(records, kept(&levels(&stated)), "{method} by {metric}");
            let [all, published, suppressed] =
                ["records", "published", "suppressed"].map(|key| stated[key].as_u64().unwrap());
            assert_eq!((all, published), (13, records.len() as u64));
            assert_eq!(all, published + suppressed);
        }
    }
}

#[test]
fn figures_are_those_of_the_data() {
    let folder = with_method("incognito", "loss", SUPPRESSING);
    let stated = publish(&folder);
    let mut sizes: BTreeMap<Vec<String>, f64> = BTreeMap::new();
    for record in cells(&folder, "release/data.csv").1 {
        *sizes.entry(record[..3].to_vec()).or_default() += 1.0;
    }
    assert_eq!(stated["groups"], sizes.len());
    let utility = &stated["utility"];
    assert_close(
        &utility["discernibility"],
        sizes.values().map(|size| size * size).sum::<f64>() + 13.0,
        "discernibility",
    );
    assert_close(&utility["average-group-size"], 13.0 / (sizes.len() as f64 + 1.0), "average-group-size");
    assert_close(&utility["height"], levels(&stated).iter().sum::<u64>() as f64, "height");
    assert_close(&stated["criteria"][0]["measured"], sizes.values().copied().fold(f64::MAX, f64::min), "k");
    let linkage = &stated["attacks"][0];
    assert_close(&linkage["highest_belief"], 1.0 / stated["criteria"][0]["measured"].as_f64().unwrap(), "linkage");
}

#[test]
fn check_finds_the_same_in_the_release() {
    for sections in ["", SUPPRESSING] {
        let folder = patients(sections);
        let stated = publish(&folder);
        for recoded in ["", "--recoded"] {
            let found = folder.json(&format!("check release --plan plan.toml --json {recoded}"), 0);
            assert_eq!((&found["holds"], &found["groups"]), (&true.into(), &stated["groups"]));
            assert_eq!(found["records"], stated["published"]);
            for (stated, found) in
                stated["criteria"].as_array().unwrap().iter().zip(found["criteria"].as_array().unwrap())
            {
                let mut stated = stated.clone();
                stated.as_object_mut().unwrap().remove("checked");
                let mut found = found.clone();
                // What holds for all groups can hold.
                let eligibility = found.as_object_mut().unwrap().remove("eligibility").unwrap_or_default();
                assert_ne!(eligibility["eligible"], false);
                assert_eq!(stated, found);
            }
        }
    }
}

#[test]
fn the_internal_report_is_another_file() {
    let folder = patients(SUPPRESSING);
    folder.run(&format!("{PUBLISH} --internal-report internal.html")).code(0);
    let internal = std::fs::read_to_string(folder.path("internal.html")).unwrap();
    assert!(internal.starts_with("<!DOCTYPE html>") && internal != released(&folder, "report.html"));
    folder.run("verify release").code(0);
}

#[cfg(unix)]
#[test]
fn an_internal_report_stays_as_private_as_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let folder = patients(SUPPRESSING);
    folder.write("internal.html", "of last year");
    let path = folder.path("internal.html");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    folder.run(&format!("{PUBLISH} --internal-report internal.html")).code(0);
    assert!(std::fs::read_to_string(&path).unwrap().contains("<html"));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

// Methods

/// Every choice of levels that suppresses at most so many records.
fn safe_nodes(limit: usize) -> Vec<Vec<u64>> {
    let all = (0..=5).flat_map(|zip| (0..=3).flat_map(move |age| (0..=1).map(move |sex| vec![zip, age, sex])));
    all.filter(|levels| 13 - kept(levels).len() <= limit).collect()
}

#[test]
fn incognito_lists_all_minimal_nodes() {
    for (sections, limit) in [("", 0), (SUPPRESSING, 1), ("[release]\nmax_suppressed = 0.4\n", 5)] {
        let known = publish_internally(&with_method("incognito", "loss", sections));
        let safe = safe_nodes(limit);
        let finer = |a: &[u64], b: &[u64]| a != b && a.iter().zip(b).all(|(a, b)| a <= b);
        let minimal: BTreeSet<&Vec<u64>> =
            safe.iter().filter(|node| !safe.iter().any(|other| finer(other, node))).collect();
        let found: Vec<Vec<u64>> = known["search"]["minimal"].as_array().unwrap().iter().map(numbers).collect();
        assert_eq!(found.iter().collect::<BTreeSet<_>>(), minimal, "{limit} records may go");
        assert_eq!(found.len(), minimal.len());
        assert_eq!((&known["search"]["safe"], &known["search"]["nodes"]), (&safe.len().into(), &48.into()));
        assert!(safe.contains(&levels(&known)));
    }
}

#[test]
fn all_methods_choose_the_same_for_every_metric() {
    for metric in members("metrics") {
        for sections in ["", SUPPRESSING] {
            let mut chosen = BY_LEVELS.into_iter().map(|method| {
                let known = publish_internally(&with_method(method, &metric, sections));
                assert!(known["search"]["value"].is_number());
                (levels(&known), known["search"]["value"].clone(), known["suppressed"].clone())
            });
            let first = chosen.next().unwrap();
            assert!(chosen.all(|other| other == first), "{metric}");
        }
    }
}

#[test]
fn the_chosen_levels_are_the_lowest_by_height() {
    for (sections, limit) in [("", 0), (SUPPRESSING, 1)] {
        let known = publish_internally(&with_method("optimal", "height", sections));
        let lowest = safe_nodes(limit).iter().map(|levels| levels.iter().sum::<u64>()).min().unwrap();
        assert_eq!(levels(&known).iter().sum::<u64>(), lowest);
        assert_eq!(known["search"]["value"], lowest);
    }
}

// What cannot be published

#[test]
fn infeasible_plans_say_what_could_be_met() {
    let check = |criterion: &str, release: &str, parts: &[&str]| {
        let sections = format!("[[require]]\ncriterion = {criterion}\n{release}");
        let folder = folder(PATIENTS, COLUMNS, &sections);
        refuse(&folder, PUBLISH, INFEASIBLE, parts);
        refuse(&folder, &format!("{PUBLISH} --json --internal-report internal.html"), INFEASIBLE, parts);
    };
    check("\"k-anonymity\"\nk = 14", "", &["k-anonymity", "k = 14", "13 could be met"]);
    check("\"k-anonymity\"\nk = 14", SUPPRESSING, &["k-anonymity", "13 could be met"]);
    check("\"distinct-l-diversity\"\nl = 5", "", &["distinct-l-diversity", "disease", "l = 5", "4 could be met"]);
    // The entropy of 4, 4, 4 and 1 of 13 records.
    check("\"entropy-l-diversity\"\nl = 4", "", &["entropy-l-diversity", "disease", "l = 4", "3.6"]);
    check("\"frequency-l-diversity\"\nl = 4", "", &["frequency-l-diversity", "3.25 could be met"]);
}

#[test]
fn a_plan_without_requirements_or_quasi_identifiers_is_refused() {
    refuse(&folder(PATIENTS, COLUMNS, SUPPRESSING), PUBLISH, USAGE, &["requires nothing"]);
    let columns = "zip = \"insensitive\"\nage = \"insensitive\"\nsex = \"insensitive\"\ndisease = \"sensitive\"\n";
    refuse(&folder(PATIENTS, columns, CRITERIA), PUBLISH, USAGE, &["no quasi-identifier"]);
}

#[test]
fn mistakes_in_a_plan_are_named_by_line() {
    let check = |sections: &str, parts: &[&str]| {
        refuse(&patients(sections), PUBLISH, USAGE, &[&["plan.toml, line"], parts].concat());
    };
    check("[method]\nname = \"optimall\"\n", &["did you mean \"optimal\"?"]);
    check("[method]\nmetric = \"los\"\n", &["did you mean \"loss\"?"]);
    check("[release]\nmax_suppressed = 2\n", &["max_suppressed"]);
    check("[release]\nform = \"bucketised\"\n", &["form"]);
    check("[release]\nsuppressed = \"star\"\n", &["starred"]);
    check("[gate]\nattacks = \"ignore\"\n", &["report"]);
    check("[gate]\nmax_belief = \"150%\"\n", &["max_belief"]);
    check("[[attack]]\nattack = \"linkag\"\n", &["did you mean \"linkage\"?"]);
    check("[[utility]]\nmetric = \"classification\"\ntarget = \"diseases\"\n", &["did you mean \"disease\"?"]);
    refuse(&patients("[release]\nformat = \"xlsx\"\n"), PUBLISH, USAGE, &["xlsx", ".parquet"]);
}

#[test]
fn columns_and_files_must_be_there() {
    refuse(&folder(PATIENTS, &format!("{COLUMNS}weight = \"quasi\"\n"), CRITERIA), PUBLISH, USAGE, &["weight"]);
    refuse(&patients(""), "publish none.toml --out release", IO, &["none.toml"]);
    refuse(&patients(""), &format!("{PUBLISH} --data none.csv"), IO, &["none.csv"]);
    let unnamed = Folder::new(&[("plan.toml", &format!("[columns]\n{COLUMNS}\n{CRITERIA}"))]);
    refuse(&unnamed, PUBLISH, USAGE, &["no table is named", "--data"]);
}

#[test]
fn the_gate_refuses_what_attacks_find() {
    let check =
        |gate: &str, parts: &[&str]| refuse(&patients(&format!("{SUPPRESSING}[gate]\n{gate}\n")), PUBLISH, GATE, parts);
    check("max_risk = 0.2", &["linkage", "0.2500", "0.2000", "12 people", "[gate]"]);
    check("max_belief = 0.4", &["on disease", "0.4000"]);
    check("max_belief = 0.4\nmax_risk = 0.2", &["linkage", "homogeneity"]);
    check("max_risk = 0.2499999999999999999999", &["linkage"]);
    // On the limit is within it.
    let folder = patients(&format!("{SUPPRESSING}[gate]\nmax_risk = 0.25\n"));
    assert_eq!(publish(&folder)["attacks"][0]["highest_belief"], 0.25);
}

#[test]
fn the_gate_may_report_instead() {
    let folder = patients(&format!("{SUPPRESSING}[gate]\nattacks = \"report\"\nmax_risk = 0.2\nmax_belief = 0.4\n"));
    let stated = publish(&folder);
    let linkage = &stated["attacks"][0];
    assert_eq!(
        (&linkage["highest_belief"], &linkage["limit"], &linkage["above_limit"]),
        (&0.25.into(), &0.2.into(), &12.into())
    );
    assert_eq!(stated["plan"]["gate"]["attacks"], "report");
    let text = folder.output(&format!("{PUBLISH} --replace"), 0);
    assert!(text.starts_with('✗') && text.contains("exceed their limits"), "{text}");
}

#[test]
fn attacks_that_the_plan_names_are_set_up_as_it_says_and_the_others_made_as_usual() {
    let named = "[[attack]]\nattack = \"homogeneity\"\nthreshold = 0.5\n[[attack]]\nattack = \"background-knowledge\"\neliminate = 2\n";
    let stated = publish(&patients(&format!("{SUPPRESSING}{named}")));
    let attacks = stated["attacks"].as_array().unwrap();
    let found: Vec<_> = attacks.iter().map(|one| (one["attack"].as_str().unwrap(), one["params"].clone())).collect();
    assert_eq!(found[0], ("homogeneity", serde_json::json!({ "threshold": "0.5" })));
    assert_eq!(
        found[1],
        ("background-knowledge", serde_json::json!({ "eliminate": "2", "others": "0", "family": "0", "above": "0.5" }))
    );
    let further: Vec<&str> = found[2..].iter().map(|one| one.0).collect();
    assert_eq!(further, ["linkage", "minimality"], "a plan cannot ask for less");
}

#[test]
fn what_cannot_all_be_decided_is_searched_or_refused() {
    // All safe choices cannot be told without deciding all; and a plan may want the best or
    // nothing.
    for method in ["name = \"incognito\"\n", "name = \"optimal\"\nseconds = 0\n"] {
        let named = |budget: u64| patients(&format!("[method]\n{method}budget = {budget}\n{SUPPRESSING}"));
        refuse(&named(47), PUBLISH, RESOURCES, &["48 candidates", "budget of 47", "seconds", "optimal"]);
        assert_eq!(publish_internally(&named(48))["search"]["exhaustive"], true);
    }
    let old = patients(&format!("[method]\nname = \"optimal\"\nsearch = \"bounded\"\n{SUPPRESSING}"));
    refuse(&old, PUBLISH, USAGE, &["search", "seconds"]);
}

#[test]
fn a_search_beyond_the_budget_says_how_far_it_came() {
    let best = publish_internally(&patients(&format!("[method]\nname = \"optimal\"\n{SUPPRESSING}")));
    let found = publish_internally(&patients(&format!("[method]\nname = \"optimal\"\nbudget = 1\n{SUPPRESSING}")));
    // So few are all decided on the way, and that is told.
    assert_eq!(found["search"]["exhaustive"], true);
    assert_eq!(found["search"]["value"], best["search"]["value"]);
    assert_eq!(found["search"]["bound"], found["search"]["value"]);
    // What no safe choice measures less than cannot be told by this metric.
    let folder = patients(&format!(
        "[method]\nname = \"optimal\"\nbudget = 1\nseconds = 1\nmetric = \"discernibility\"\n{SUPPRESSING}"
    ));
    let found = publish_internally(&folder);
    assert_eq!(found["search"]["exhaustive"], false);
    assert!(found["search"]["bound"].as_f64().unwrap() < found["search"]["value"].as_f64().unwrap());
    let said = folder.output(&format!("{PUBLISH} --replace"), 0);
    assert!(said.contains("a better one may exist, but none has discernibility below"), "{said}");
    let public = released(&folder, "report.html");
    assert!(
        public.contains("seconds") && !public.contains("below the bound"),
        "the public page states the parameter alone"
    );
}

// Where it goes

#[test]
fn a_release_is_replaced_only_if_asked() {
    let folder = patients("");
    let first = publish(&folder);
    let same = patients(SUPPRESSING);
    folder.write("plan.toml", std::fs::read(same.path("plan.toml")).unwrap());
    refuse(&folder, PUBLISH, USAGE, &["release", "exists already", "--replace"]);
    let second = folder.json(&format!("{PUBLISH} --replace --json"), 0);
    assert_ne!(second["seal"], first["seal"]);
    assert_eq!(folder.json("verify release --json", 0)["seal"], second["seal"]);
    assert_eq!(names(&folder, ""), ["plan.toml", "release", "table.csv"]);
    // A run that fails leaves the release that is there.
    folder.write("plan.toml", plan(COLUMNS, &CRITERIA.replace("k = 3", "k = 30")));
    refuse(&folder, &format!("{PUBLISH} --replace"), INFEASIBLE, &["k-anonymity"]);
}

#[test]
fn what_is_no_release_is_never_replaced() {
    let folder = patients("");
    folder.write("full/thesis.txt", "years of work");
    folder.write("nested/certificate.json", "{}");
    folder.write("nested/more/thesis.txt", "years of work");
    folder.write("file", "years of work");
    for target in ["full", "nested", "file", "table.csv", "plan.toml"] {
        for replace in ["", "--replace"] {
            refuse(&folder, &format!("publish plan.toml --out {target} {replace}"), USAGE, &[target]);
        }
    }
    refuse(&folder, "publish plan.toml --out . --replace", USAGE, &["not the name of a folder"]);
}

#[test]
fn a_release_is_not_made_from_itself() {
    let folder = patients(SUPPRESSING);
    publish(&folder);
    folder.write("release/table.csv", PATIENTS);
    refuse(&folder, &format!("{PUBLISH} --data release/table.csv --replace"), USAGE, &["this run reads"]);
}

#[test]
fn the_folder_above_must_be_there() {
    let folder = patients("");
    refuse(&folder, "publish plan.toml --out none/release", IO, &["none", "no such folder"]);
    refuse(&folder, "publish plan.toml --out table.csv/release", USAGE, &["table.csv"]);
    folder.write("above/.keep", "");
    folder.run("publish plan.toml --out above/release/").code(0).stderr("");
    assert_eq!(names(&folder, "above"), [".keep", "release"]);
}

// The same bytes

/// The files of the release of a table, by its records in some order and on some threads.
fn bytes_of(folder: &Folder, header: &str, records: &[&str], threads: usize) -> BTreeMap<String, Vec<u8>> {
    folder.write("table.csv", format!("{header}\n{}\n", records.join("\n")));
    folder.run(&format!("{PUBLISH} --replace --threads {threads}")).code(0);
    contents(folder).into_iter().filter(|(name, _)| name.starts_with("release/")).collect()
}

/// The order of records changes no byte of the release; nor does the number of threads.
fn check_same_bytes(folder: &Folder, table: &str, threads: &[usize]) {
    let (header, records) = table.trim_end().split_once('\n').unwrap();
    let mut records: Vec<&str> = records.lines().collect();
    let first = bytes_of(folder, header, &records, threads[0]);
    assert_eq!(first.len(), 3);
    for &threads in threads {
        records.reverse();
        let middle = records.len() / 3;
        records.rotate_left(middle);
        for (name, bytes) in bytes_of(folder, header, &records, threads) {
            assert!(bytes == first[&name], "{name} depends on the order of records or on {threads} threads");
        }
    }
}

#[test]
fn neither_order_nor_threads_change_a_byte() {
    for sections in ["", SUPPRESSING, "[release]\nmax_suppressed = 0.4\nsuppressed = \"starred\"\n"] {
        for method in BY_LEVELS {
            check_same_bytes(&with_method(method, "loss", sections), PATIENTS, &[1, 2, 1]);
        }
    }
}

/// A larger table, with a criterion that suppression can spoil: many candidates are looked at side
/// by side.
fn hospital(method: &str, metric: &str) -> (Folder, String) {
    let columns = "zip = { role = \"quasi\", hierarchy = { redact = 5 } }\n\
                   age = { role = \"quasi\", hierarchy = { intervals = [5, 10, 20] } }\nsex = \"quasi\"\ndisease = \"sensitive\"\n";
    let sections = format!(
        "[[require]]\ncriterion = \"t-closeness\"\nt = 0.3\n[method]\nname = \"{method}\"\nmetric = \"{metric}\"\n[release]\nmax_suppressed = \"5%\"\n"
    );
    let folder = folder("", columns, &sections);
    Formats::default().write(&sample::hospital(400, 7), &folder.path("table.csv")).unwrap();
    let table = std::fs::read_to_string(folder.path("table.csv")).unwrap();
    (folder, table)
}

#[test]
fn order_changes_no_byte_of_a_larger_release() {
    for (method, metric) in [("optimal", "loss"), ("incognito", "kl-divergence")] {
        let (folder, table) = hospital(method, metric);
        check_same_bytes(&folder, &table, &[2, 2, 2]);
    }
}

#[test]
fn threads_change_no_byte_of_a_larger_release() {
    for metric in ["loss", "kl-divergence"] {
        for method in BY_LEVELS {
            let (folder, table) = hospital(method, metric);
            check_same_bytes(&folder, &table, &[1, 2, 8]);
        }
    }
}

// Canaries

/// A table whose withheld cells are canaries: names, an unnamed column, the base values of
/// generalized columns, and all of the one record that is suppressed.
fn canaries(sections: &str) -> Folder {
    let mut table = String::from("name,zip,city,job,note,disease\n");
    let mut zips = String::new();
    let mut cities = String::new();
    for at in 0..12 {
        let side = ["east", "west"][at / 6];
        table += &format!("{CANARY}n{at},{CANARY}z{at},{CANARY}c{at},job{},{CANARY}u{at},disease{}\n", at % 2, at % 3);
        zips += &format!("{CANARY}z{at};{CANARY}h{};{side};*\n", at / 2);
        cities += &format!("{CANARY}c{at};{side};*\n");
    }
    table += &format!("{CANARY}n,{CANARY}z,{CANARY}c,{CANARY}j,{CANARY}u,{CANARY}d\n");
    zips += &format!("{CANARY}z;{CANARY}h;{CANARY}far;*\n");
    cities += &format!("{CANARY}c;{CANARY}far;*\n");
    let columns = "name = \"identifier\"\nzip = { role = \"quasi\", hierarchy = { file = \"zip.csv\" } }\n\
                   city = { role = \"quasi\", hierarchy = { file = \"city.csv\" } }\njob = \"insensitive\"\ndisease = \"sensitive\"\n";
    let folder = folder(&table, columns, &format!("{CRITERIA}{sections}"));
    folder.write("zip.csv", zips);
    folder.write("city.csv", cities);
    folder
}

#[test]
fn nothing_withheld_is_shown_by_a_release() {
    for (release, rows) in [
        ("", 12),
        ("suppressed = \"starred\"\n", 13),
        ("insensitive = \"drop\"\n", 12),
        ("format = \"tsv\"\n", 12),
        ("format = \"parquet\"\n", 12),
    ] {
        for method in BY_LEVELS {
            let more = format!(
                "[method]\nname = \"{method}\"\n{SUPPRESSING}{release}[[utility]]\nmetric = \"classification\"\ntarget = \"disease\"\n"
            );
            let folder = canaries(&more);
            assert_eq!(levels(&publish(&folder)), [2, 1]);
            assert_no_canary(&folder);
            let data = names(&folder, "release").into_iter().find(|name| name.starts_with("data.")).unwrap();
            assert_eq!(cells(&folder, &format!("release/{data}")).1.len(), rows);
            for command in [
                &format!("{PUBLISH} --replace"),
                "verify release",
                "compare release --html compare.html",
                "compare release --json",
            ] {
                folder.run(command).code(0);
            }
            assert!(!std::fs::read_to_string(folder.path("compare.html")).unwrap().contains(CANARY));
        }
    }
}

// Columns declared insensitive

const PEOPLE_COLUMNS: &str = "name = \"identifier\"\njob = \"quasi\"\ndisease = \"sensitive\"\n";
const FIVE: &str = "[[require]]\ncriterion = \"k-anonymity\"\nk = 5\n";

/// Four hundred people with a place on the map and a constant; `age` and `lat` are what the test
/// says.
fn placed(columns: &str, release: &str) -> Folder {
    let place = |(at, line): (usize, &str)| match at {
        0 => format!("{line},lat,source\n"),
        _ => format!("{line},{CANARY}47.{at:05},registry\n"),
    };
    let table: String = people(400).lines().enumerate().map(place).collect();
    let plan =
        format!("[data]\npath = \"table.csv\"\n[columns]\n{PEOPLE_COLUMNS}{columns}{FIVE}[release]\n{release}\n");
    Folder::new(&[("table.csv", &table), ("plan.toml", &plan)])
}

#[test]
fn columns_that_single_people_out_are_refused_unless_accepted_by_name() {
    let lat = "lat = \"insensitive\"\nsource = \"insensitive\"\n";
    let parts = ["\"lat\" makes 400 of 400", "100.0 %", "\"disease\" certain", "1 %", "accept = [\"lat\"]", "\"drop\""];
    for form in ["", "form = \"bucketized\""] {
        let parts = match form {
            "" => &parts[..],
            _ => &["\"lat\"", "cannot be measured", "accept = [\"lat\"]", "\"drop\""],
        };
        let refused = placed(lat, form);
        refuse(&refused, PUBLISH, GATE, parts);
        refuse(&refused, &format!("{PUBLISH} --internal-report internal.html"), GATE, parts);
        refuse(&refused, &format!("{PUBLISH} --json"), GATE, &["\"code\":\"gate/exposed\""]);
        let run = refused.run(PUBLISH).code(GATE);
        assert!(!String::from_utf8_lossy(&run.get_output().stderr).contains(CANARY), "no cell is told");
        publish(&placed(lat, &format!("{form}\ninsensitive = \"drop\"")));

        let certificate = publish(&placed(lat, &format!("{form}\ninsensitive = {{ accept = [\"lat\"] }}")));
        let notes = certificate["notes"].to_string();
        assert!(notes.contains("accepts insensitive columns by name") && notes.contains("100.0 %"), "{notes}");
        assert!(notes.contains("\\\"source\\\" makes none of 400"), "{notes}");
    }
}

/// No value of `age` is anybody's alone, and still it tells people apart who have the same job.
#[test]
fn columns_are_measured_beside_the_quasi_identifiers() {
    let age = "age = \"insensitive\"\n";
    refuse(&placed(age, ""), PUBLISH, GATE, &["\"age\" makes", "unique"]);
    publish(&placed("source = \"insensitive\"\n", ""));
    // Accepting one does not accept another.
    let both = format!("{age}lat = \"insensitive\"\n");
    refuse(&placed(&both, "insensitive = { accept = [\"lat\"] }"), PUBLISH, GATE, &["accept = [\"age\"]"]);
    publish(&placed(&both, "insensitive = { accept = [\"lat\", \"age\"] }"));
}

#[test]
fn only_published_insensitive_columns_can_be_accepted() {
    let check = |columns: &str, release: &str, parts: &[&str]| {
        refuse(&placed(columns, release), PUBLISH, USAGE, &[&["plan.toml, line"], parts].concat());
    };
    let lat = "lat = \"insensitive\"\n";
    check(lat, "insensitive = { accept = [\"lot\"] }", &["\"lot\"", "did you mean \"lat\"?"]);
    check(lat, "insensitive = { accept = [\"disease\"] }", &["\"disease\" is not an insensitive column"]);
    check("", "insensitive = { accept = [\"lat\"] }", &["no insensitive column"]);
    check(lat, "insensitive = [\"lat\"]", &["accept = ["]);
    check(lat, "insensitive = { acept = [\"lat\"] }", &["did you mean \"accept\"?"]);
}

#[test]
fn values_that_differ_by_case_or_blanks_are_noted_where_they_count() {
    let table = "job,disease\n".to_string() + &"a,HIV\na,hiv\na,HIV \na,flu\na,cold\n".repeat(2);
    let columns = "job = \"quasi\"\ndisease = \"sensitive\"\n";
    let noted = |requirement: &str| {
        let certificate = publish(&folder(&table, columns, &format!("{FIVE}{requirement}")));
        certificate["notes"].to_string()
    };
    let diverse = noted("[[require]]\ncriterion = \"distinct-l-diversity\"\nl = 3\n");
    assert!(diverse.contains("has 3 values that differ only by case or blanks"), "{diverse}");
    assert!(!noted("").contains("case or blanks"));
}

#[test]
fn nothing_withheld_is_shown_by_a_refusal() {
    let infeasible = canaries(SUPPRESSING);
    let text = std::fs::read_to_string(infeasible.path("plan.toml")).unwrap();
    infeasible.write("plan.toml", text.replace("k = 3", "k = 30"));
    refuse(&infeasible, PUBLISH, INFEASIBLE, &["k-anonymity"]);
    infeasible.write("plan.toml", text.replace("l = 2", "l = 30"));
    refuse(&infeasible, PUBLISH, INFEASIBLE, &["distinct-l-diversity"]);

    refuse(&canaries(&format!("{SUPPRESSING}[gate]\nmax_risk = 0.01\n")), PUBLISH, GATE, &["linkage"]);
    refuse(&canaries(&format!("{SUPPRESSING}[gate]\nmax_belief = 0.01\n")), PUBLISH, GATE, &["disease"]);
    refuse(&canaries("[method]\nname = \"optimal\"\nbudget = 2\nseconds = 0\n"), PUBLISH, RESOURCES, &["budget of 2"]);

    let hierarchy = canaries(SUPPRESSING);
    let zips = std::fs::read_to_string(hierarchy.path("zip.csv")).unwrap();
    let without = |line: usize| {
        zips.lines().enumerate().filter(|(at, _)| *at != line).map(|(_, text)| format!("{text}\n")).collect::<String>()
    };
    hierarchy.write("zip.csv", without(4));
    refuse(&hierarchy, PUBLISH, DATA, &["zip", "record 5"]);
    hierarchy.write("zip.csv", format!("{zips}{CANARY}more;{CANARY}levels\n"));
    refuse(&hierarchy, PUBLISH, DATA, &["zip.csv"]);
}

#[test]
fn a_table_that_is_broken_shows_no_cell() {
    let folder = canaries(SUPPRESSING);
    let table = std::fs::read_to_string(folder.path("table.csv")).unwrap();
    folder.write("table.csv", format!("{table}{CANARY},{CANARY}\n"));
    refuse(&folder, PUBLISH, DATA, &["table.csv, line 15"]);
}

// What is not so yet: each says why it is left out

#[test]
fn the_internal_report_spares_inputs_and_releases() {
    let folder = patients(SUPPRESSING);
    for input in ["table.csv", "plan.toml"] {
        refuse(&folder, &format!("{PUBLISH} --internal-report {input}"), USAGE, &[input]);
    }
    publish(&folder);
    // The release that is there stays as it is, whether it is refused or replaced.
    refuse(&folder, &format!("{PUBLISH} --internal-report release/internal.html"), USAGE, &["release"]);
    refuse(&folder, &format!("{PUBLISH} --internal-report release/certificate.json"), USAGE, &["release"]);
}

#[test]
fn an_attack_may_be_named_twice() {
    let twice = "[[attack]]\nattack = \"homogeneity\"\n".repeat(2);
    let stated = publish(&patients(&format!("{SUPPRESSING}{twice}")));
    let attacks = stated["attacks"].as_array().unwrap();
    assert_eq!(attacks.iter().filter(|one| one["attack"] == "homogeneity").count(), 2);
}

#[test]
fn infeasible_plans_say_which_criterion_even_if_all_may_be_suppressed() {
    let sections = format!("{}[release]\nmax_suppressed = 1\n", CRITERIA.replace("k = 3", "k = 14"));
    refuse(&folder(PATIENTS, COLUMNS, &sections), PUBLISH, INFEASIBLE, &["k-anonymity", "13 could be met"]);
}

#[test]
fn a_format_is_an_ending_and_no_path() {
    for format in ["../x.csv", "csv/../x.csv", ".csv"] {
        refuse(&patients(&format!("[release]\nformat = \"{format}\"\n")), PUBLISH, USAGE, &["format"]);
    }
}

#[test]
fn releases_with_stars_are_checked_like_others() {
    let starred = format!("{SUPPRESSING}suppressed = \"starred\"\n");
    let folder = patients(&starred);
    publish(&folder);
    folder.run("check release --plan plan.toml --recoded").code(0);
    let columns = COLUMNS.replace("disease = \"sensitive\"", "disease = { role = \"sensitive\", type = \"integer\" }");
    let table = PATIENTS.replace("flu", "1").replace("cancer", "2").replace("cold", "3").replace("plague", "4");
    let numbers = support::publishing::folder(&table, &columns, &format!("{CRITERIA}{starred}"));
    publish(&numbers);
}

#[test]
fn releases_are_read_as_they_were_written_not_as_their_input() {
    let headless = PATIENTS.split_once('\n').unwrap().1;
    let names = "header = false\nnames = [\"name\", \"zip\", \"age\", \"sex\", \"job\", \"ward\", \"disease\"]\n";
    for (options, table) in [("delimiter = \";\"\n", PATIENTS.replace(',', ";")), (names, headless.to_string())] {
        let plan = format!(
            "[data]\npath = \"table.csv\"\n{options}[columns]\n{COLUMNS}\n{CRITERIA}{SUPPRESSING}{}",
            accepting(COLUMNS)
        );
        let folder = Folder::new(&[("table.csv", &table), ("plan.toml", &plan)]);
        publish(&folder);
        let found = folder.json("check release --plan plan.toml --recoded --json", 0);
        assert_eq!(found["records"], 12);
    }
}

#[test]
fn the_plan_words_on_withheld_values_stay_in_the_plan() {
    let words = "disease = { role = \"sensitive\", order = [\"flu\", \"cold\", \"cancer\", \"plague\"] }";
    // A criterion that goes by the order, or it would be refused.
    let close = "[[require]]\ncriterion = \"t-closeness\"\nt = 1\ndistance = \"ordered\"\n";
    let sections = format!("{CRITERIA}{close}{SUPPRESSING}");
    let folder = folder(PATIENTS, &COLUMNS.replace("disease = \"sensitive\"", words), &sections);
    publish(&folder);
    for file in ["data.csv", "certificate.json", "report.html"] {
        assert!(!released(&folder, file).contains("plague"), "{file}");
    }
}

// Help

#[test]
fn help_has_examples() {
    let folder = Folder::new(&[]);
    for command in ["publish", "verify", "compare"] {
        let help = folder.output(&format!("{command} --help"), 0);
        assert!(help.contains("EXAMPLES") && help.contains(&format!("sfumato {command} ")), "{help}");
    }
}

#[test]
fn families_are_listed() {
    assert!(BY_LEVELS.iter().all(|method| members("methods").iter().any(|name| name == method)));
    for (family, member) in [("methods", "optimal"), ("metrics", "kl-divergence"), ("attacks", "linkage")] {
        let text = Folder::new(&[]).output(&format!("list {family}"), 0);
        assert!(text.contains(member), "{text}");
        assert!(members(family).iter().any(|name| name == member));
    }
}

#[test]
fn files_that_a_certificate_does_not_know_are_never_replaced() {
    let folder = patients("");
    folder.run(PUBLISH).code(0);
    folder.write("release/thesis.txt", "precious");
    let before = contents(&folder);
    folder.run(&format!("{PUBLISH} --replace")).code(2);
    assert_eq!(contents(&folder), before);
}

#[test]
fn a_register_that_fits_nobody_is_an_error() {
    let folder = patients("[[attack]]\nattack = \"linkage\"\nregister = \"register.csv\"\n");
    folder.write("register.csv", "zip,age,sex\n99999,999,x\n");
    let error = folder.run(PUBLISH).code(2).get_output().clone();
    assert!(String::from_utf8_lossy(&error.stderr).contains("no record of the register fits"));
    assert!(!folder.path("release").exists());
}

#[test]
fn an_empty_folder_is_as_good_as_none() {
    let folder = patients("");
    std::fs::create_dir(folder.path("release")).unwrap();
    folder.run(PUBLISH).code(0);
    folder.run("verify release").code(0);
    std::fs::create_dir(folder.path("empty")).unwrap();
    folder.write("empty/own.txt", "precious");
    folder.run("publish plan.toml --out empty").code(2);
    assert_eq!(std::fs::read_to_string(folder.path("empty/own.txt")).unwrap(), "precious");
}
