//! Methods that form groups of records, bucketized releases and `sfumato attack`, as people meet
//! them on the command line.

use crate::support::publishing::{
    assert_no_canary, cells, columns_for, contents, folder, people, plan, publish, publish_internally, refuse, released,
};
use crate::support::{CANARY, Folder, assert_close};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Every method that forms groups, with its parameters.
const METHODS: [&str; 9] = [
    "name = \"mondrian\"",
    "name = \"mondrian\"\nsplit = \"relaxed\"",
    "name = \"anatomy\"",
    "name = \"greedy-grouping\"\norder = [\"age\"]",
    "name = \"randomized-greedy-grouping\"\np = 0.5",
    "name = \"symmetric-grouping\"\norder = [\"job\", \"age\"]",
    "name = \"symmetric-grouping\"\nanatomize = true",
    "name = \"mondrian\"\nsplit = \"relaxed\"\nanatomize = true",
    "name = \"base\"",
];

const COLUMNS: &str = "name = \"identifier\"\nage = \"quasi\"\njob = \"quasi\"\ndisease = \"sensitive\"\n";

const DIVERSE: &str = "[[require]]\ncriterion = \"frequency-l-diversity\"\non = \"disease\"\nl = 2\n";

/// The people, grouped by a method and released in a form.
fn grouped(records: usize, method: &str, release: &str) -> Folder {
    folder(&people(records), COLUMNS, &format!("{DIVERSE}[method]\n{method}\n[release]\n{release}\n"))
}

/// Quasi-identifier and sensitive value of each person; two ill ones are to be kept safe with l =
/// 2.
fn ill(table: &str, method: &str, form: &str, more: &str) -> Folder {
    let columns = "q = \"quasi\"\ns = { role = \"sensitive\", sensitive_values = [\"Positive\"] }\n";
    let criterion = "[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n";
    let sections = format!("{criterion}[method]\n{method}\n[release]\nform = \"{form}\"\n{more}");
    folder(&format!("q,s\n{table}"), columns, &sections)
}

const FIGURE_6A: &str = "a,Positive\nb,Positive\nc,Negative\nd,Negative\n";
const FIGURE_6B: &str = "1,Positive\n2,Positive\n3,Negative\n3,Negative\n3,Negative\n4,Negative\n";

/// What the attack of somebody who knows the method finds in the release.
fn minimality(folder: &Folder) -> Value {
    let found = folder.json("attack release --only minimality --json", 0);
    assert_eq!(found["verifies"], true);
    assert_eq!(found["attacks"].as_array().unwrap().len(), 1, "{found:#}");
    found["attacks"][0].clone()
}

/// Each group of a bucketized release: rows of quasi.csv without the number, and how often each
/// line of sensitive.csv holds.
type Bucket = (Vec<Vec<String>>, BTreeMap<Vec<String>, u64>);

fn buckets(folder: &Folder, format: &str) -> BTreeMap<String, Bucket> {
    let mut found: BTreeMap<String, Bucket> = BTreeMap::new();
    for mut row in cells(folder, &format!("release/quasi.{format}")).1 {
        found.entry(row.pop().unwrap()).or_default().0.push(row);
    }
    for mut row in cells(folder, &format!("release/sensitive.{format}")).1 {
        let count = row.pop().unwrap().parse().unwrap();
        let group = found.get_mut(&row.remove(0)).expect("a group of quasi.csv");
        assert_eq!(group.1.insert(row, count), None, "a value is listed twice");
    }
    for (rows, values) in found.values() {
        assert_eq!(rows.len() as u64, values.values().sum::<u64>());
    }
    found
}

fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort();
    items
}

#[test]
fn every_method_publishes_in_both_forms_and_formats() {
    for method in METHODS {
        for (form, format) in
            [("bucketized", "csv"), ("bucketized", "parquet"), ("generalized", "csv"), ("generalized", "parquet")]
        {
            let folder = grouped(40, method, &format!("form = \"{form}\"\nformat = \"{format}\""));
            let certificate = publish(&folder);
            assert_eq!(certificate["form"], form);
            assert!(method.contains(&format!("name = {}", certificate["method"]["name"])));
            assert!(certificate["utility"]["discernibility"].is_number());
            let kept = certificate["information_kept"]["overall"].as_f64().unwrap();
            assert!(if form == "bucketized" { kept > 0.9 } else { (0.0..1.0).contains(&kept) }, "{method}: {kept}");
            let found = minimality(&folder);
            for key in ["vulnerable_share", "max_belief", "max_belief_times_l", "undecided_groups"] {
                assert!(found[key].is_number(), "{method}, {form}: no {key} in {found:#}");
            }
            assert!(found.get("bound").is_some_and(|bound| bound.is_null() || bound.is_number()));
            assert!(found["max_belief"].as_f64().unwrap() <= 1.0);
            folder.output("attack release", 0);
        }
    }
}

#[test]
fn all_attacks_are_made_unless_one_is_named() {
    let folder = grouped(40, METHODS[3], "form = \"bucketized\"");
    publish(&folder);
    let found = folder.json("attack release --json", 0);
    let names: BTreeSet<&str> =
        found["attacks"].as_array().unwrap().iter().filter_map(|one| one["attack"].as_str()).collect();
    assert!(["homogeneity", "linkage", "minimality", "background-knowledge"].iter().all(|name| names.contains(name)));
    refuse(&folder, "attack release --only minimalty", 2, &["did you mean \"minimality\"?"]);
    refuse(&folder, "attack nothing", 7, &["nothing"]);
    refuse(&folder, "attack table.csv", 2, &["table.csv", "not a release directory"]);
}

#[test]
fn a_bucketized_release_has_exact_values_and_apart_from_them_counts() {
    for format in ["csv", "parquet"] {
        for method in METHODS {
            let folder = grouped(60, method, &format!("form = \"bucketized\"\nformat = \"{format}\""));
            let certificate = publish(&folder);
            assert_eq!(cells(&folder, &format!("release/quasi.{format}")).0, ["age", "job", "group"]);
            assert_eq!(cells(&folder, &format!("release/sensitive.{format}")).0, ["group", "value", "count"]);
            let found = buckets(&folder, format);
            assert_eq!(certificate["groups"], found.len(), "{method}");
            let published: usize = found.values().map(|group| group.0.len()).sum();
            assert_eq!(certificate["published"], published);
            assert_eq!(certificate["suppressed"], 60 - published);
            // No disease is that of more than half of a group.
            assert!(found.values().all(|(rows, values)| values.values().all(|count| count * 2 <= rows.len() as u64)));
            if published == 60 {
                let table = people(60);
                let original = table.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
                let exact = sorted(original.clone().map(|row| vec![row[1].to_string(), row[2].to_string()]));
                assert_eq!(sorted(found.values().flat_map(|group| group.0.clone())), exact);
                let count = |name: &str| original.clone().filter(|row| row[3] == name).count() as u64;
                for name in ["flu", "cold", "cancer", "ulcer"] {
                    let told: u64 = found.values().filter_map(|group| group.1.get(&vec![name.to_string()])).sum();
                    assert_eq!(told, count(name));
                }
            }
            for bytes in
                contents(&folder).iter().filter(|(name, _)| name.starts_with("release/")).map(|(_, bytes)| bytes)
            {
                assert!(!String::from_utf8_lossy(bytes).contains("Zid"), "an identifier is published");
            }
        }
    }
}

/// Each person has a value of their own in `q` and in `s`: what is published together tells who is
/// in a group with whom.
#[test]
fn groups_keep_the_values_of_their_own_records() {
    let rows: String = (0..24).map(|at| format!("{at},s{at},t{}\n", at % 3)).collect();
    let columns = "q = \"quasi\"\ns = \"sensitive\"\nt = \"sensitive\"\n";
    let criterion = "[[require]]\ncriterion = \"distinct-l-diversity\"\non = \"s\"\nl = 3\n";
    for method in ["mondrian", "anatomy", "greedy-grouping", "symmetric-grouping"] {
        let sections = format!("{criterion}[method]\nname = \"{method}\"\n[release]\nform = \"bucketized\"\n");
        let folder = folder(&format!("q,s,t\n{rows}"), columns, &sections);
        publish(&folder);
        assert_eq!(cells(&folder, "release/sensitive.csv").0, ["group", "s", "t", "count"]);
        for (rows, values) in buckets(&folder, "csv").into_values() {
            let expected = rows.iter().map(|row| row[0].parse::<usize>().unwrap());
            let expected = sorted(expected.map(|at| vec![format!("s{at}"), format!("t{}", at % 3)]));
            assert_eq!(sorted(values.into_keys()), expected);
        }
    }
}

#[test]
fn rows_and_numbers_are_drawn_by_lot() {
    let rows: String = (0..200).map(|at| format!("{at},{}\n", at % 4)).collect();
    let method = "name = \"greedy-grouping\"";
    let orders: Vec<Vec<usize>> = (0..2)
        .map(|_| {
            let columns = "q = \"quasi\"\ns = \"sensitive\"\n";
            let criterion = "[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 4\n";
            let sections = format!("{criterion}[method]\n{method}\n[release]\nform = \"bucketized\"\n");
            let folder = folder(&format!("q,s\n{rows}"), columns, &sections);
            let certificate = publish(&folder);
            assert_eq!(certificate["method"]["insecure_seed"], false);
            assert!(!certificate["notes"].to_string().contains("Not for release"));
            cells(&folder, "release/quasi.csv").1.iter().map(|row| row[0].parse().unwrap()).collect()
        })
        .collect();
    assert_ne!(orders[0], orders[1]);
    for order in orders {
        // As many neighbours go up as down, give or take five standard deviations, across groups
        // and within them.
        let ups = |step: usize, start: usize| {
            order[start..].chunks(step).filter(|pair| pair.len() > 1).filter(|pair| pair[0] < pair[1]).count()
        };
        assert!((25..=75).contains(&ups(2, 0)), "{order:?}");
        let groups_up = order.chunks(4).collect::<Vec<_>>().windows(2).filter(|two| two[0][0] < two[1][0]).count();
        assert!((8..=41).contains(&groups_up), "{order:?}");
    }
}

#[test]
fn a_seed_repeats_a_run_on_any_number_of_threads_and_is_told() {
    for (at, method) in METHODS.into_iter().enumerate() {
        let form = if at % 2 == 0 { "bucketized" } else { "generalized" };
        let folder = grouped(50, method, &format!("form = \"{form}\""));
        let run = |seed: u32, threads: u32| {
            let certificate = folder.json(
                &format!("publish plan.toml --out release --replace --insecure-seed {seed} --threads {threads} --json"),
                0,
            );
            (certificate, contents(&folder))
        };
        let (certificate, first) = run(7, 1);
        assert_eq!(certificate["method"]["insecure_seed"], true);
        let notes: Vec<&str> = certificate["notes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(notes.iter().any(|note| note.starts_with("Not for release")), "{notes:?}");
        assert!(released(&folder, "report.html").contains("Not for release"));
        for threads in [1, 2, 8] {
            assert!(run(7, threads).1 == first, "{method} on {threads} threads");
        }
        if form == "bucketized" {
            assert!(run(8, 1).1["release/quasi.csv"] != first["release/quasi.csv"]);
        }
        folder.run("verify release").code(0);
    }
}

#[test]
fn generalized_groups_have_ranges_sets_ancestors_and_stars() {
    let table = "n,c,h,d,s\n1,x,a1,2020-01-05,p\n4,y,a2,2020-02-01,q\n6,z,b1,2021-01-01,p\n9,z,b1,2022-01-01,q\n";
    let columns = "n = \"quasi\"\nc = \"quasi\"\nh = { role = \"quasi\", hierarchy = { redact = 2 } }\nd = \"quasi\"\ns = \"sensitive\"\n";
    let sections = |method: &str| {
        format!("[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n[method]\nname = \"{method}\"\n")
    };
    let folder = folder(table, columns, &format!("{}order = [\"n\"]\n", sections("symmetric-grouping")));
    publish(&folder);
    let rows = sorted(cells(&folder, "release/data.csv").1);
    assert_eq!(rows[0], ["1-4", "{x, y}", "a*", "2020-01-05..2020-02-01", "p"]);
    assert_eq!(rows[3], ["6-9", "z", "b1", "2021-01-01..2022-01-01", "q"]);
    folder.write("plan.toml", plan(columns, &sections("base")));
    folder.run("publish plan.toml --out all").success();
    let (_, rows) = cells(&folder, "all/data.csv");
    assert_eq!(rows[0][..4], ["1-9", "*", "*", "2020-01-05..2022-01-01"]);
}

#[test]
fn a_declared_order_of_a_quasi_identifier_can_be_generalized() {
    for form in ["bucketized", "generalized"] {
        let columns = "q = { role = \"quasi\", order = [\"low\", \"mid\", \"high\", \"top\"] }\ns = \"sensitive\"\n";
        let sections = "[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n[method]\nname = \"mondrian\"\n[release]\nform = \"FORM\"\n";
        let folder = folder("q,s\nlow,x\nmid,y\nhigh,x\ntop,y\n", columns, &sections.replace("FORM", form));
        let certificate = publish(&folder);
        assert_eq!(certificate["groups"], 2);
    }
}

#[test]
fn names_that_a_bucketized_release_uses_are_refused() {
    let sections =
        "[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n[method]\nname = \"symmetric-grouping\"\n";
    for name in ["group", "value", "count"] {
        let (table, columns) = (format!("{name},s\n1,x\n2,y\n"), format!("{name} = \"quasi\"\ns = \"sensitive\"\n"));
        let taken = folder(&table, &columns, &format!("{sections}[release]\nform = \"bucketized\"\n"));
        refuse(&taken, "publish plan.toml --out release", 2, &[&format!("\"{name}\""), "rename"]);
        publish(&folder(&table, &columns, sections));
    }
}

#[test]
fn odd_cells_survive_both_forms() {
    let table = "q,s\n\"a,1\",\n\"b\n2\",\"x\"\"y\"\n,\n d , z \n\"{b, c}\",-\n*,x-y\n";
    for form in ["bucketized", "generalized"] {
        for method in ["anatomy", "base", "symmetric-grouping"] {
            let folder = ill("", &format!("name = \"{method}\""), form, "");
            folder.write("table.csv", table);
            folder.write(
                "plan.toml",
                std::fs::read_to_string(folder.path("plan.toml"))
                    .unwrap()
                    .replace("s = { role = \"sensitive\", sensitive_values = [\"Positive\"] }", "s = \"sensitive\""),
            );
            assert_eq!(publish(&folder)["published"], 6);
        }
    }
}

#[test]
fn knowing_an_asymmetric_method_undoes_it() {
    let strict = "name = \"mondrian\"\nsplit = \"strict\"";
    for form in ["bucketized", "generalized"] {
        for (table, method, share) in [(FIGURE_6A, "name = \"greedy-grouping\"", 0.5), (FIGURE_6B, strict, 1.0 / 3.0)] {
            let folder = ill(table, method, form, "");
            let known = publish_internally(&folder);
            let note = "An attacker who knows the method believes more";
            assert!(known["notes"].to_string().contains(note), "{:#}", known["notes"]);
            let told = minimality(&folder);
            let is_found = form == "bucketized";
            // Without exact quasi-identifiers the release alone does not tell: nothing is claimed.
            assert_eq!(told["undecided_people"] == 0.0, is_found, "{told:#}");
            let attacks = known["attacks"].as_array().unwrap();
            let mut found = attacks.iter().find(|one| one["attack"] == "minimality").unwrap().clone();
            let details = found["details"].clone();
            details.as_object().unwrap().iter().for_each(|(key, value)| found[key] = value.clone());
            assert_close(&found["max_belief"], 1.0, "belief");
            assert_close(&found["vulnerable_share"], share, "share");
            assert_close(&found["max_belief_times_l"], 2.0, "belief times l");
            assert_eq!(found["undecided_groups"], 0.0);
        }
        let relaxed = "name = \"mondrian\"\nsplit = \"relaxed\"";
        for method in ["name = \"symmetric-grouping\"", "name = \"anatomy\"", relaxed, "name = \"base\""] {
            for table in [FIGURE_6A, FIGURE_6B] {
                let folder = ill(table, method, form, "");
                let known = publish_internally(&folder);
                let attacks = known["attacks"].as_array().unwrap();
                let found = &attacks.iter().find(|one| one["attack"] == "minimality").unwrap()["details"];
                assert_eq!(
                    (&found["vulnerable_share"], &found["undecided_groups"]),
                    (&json!(0.0), &json!(0.0)),
                    "{method} on {table}: {found:#}"
                );
                assert!(found["max_belief"].as_f64().unwrap() <= 0.5);
            }
        }
    }
}

#[test]
fn no_bound_of_theory_is_above_certainty() {
    let folder = ill(FIGURE_6A, "name = \"greedy-grouping\"", "bucketized", "");
    publish(&folder);
    let found = minimality(&folder);
    assert!(found["bound"].as_f64().is_none_or(|bound| bound <= 1.0), "{found:#}");
}

#[test]
fn the_gate_stops_what_a_limit_forbids() {
    let limits = ["[[attack]]\nattack = \"minimality\"\nmax_belief = 0.5\n", "[gate]\nmax_belief = 0.5\n"];
    for form in ["bucketized", "generalized"] {
        for limit in limits {
            let folder = ill(FIGURE_6A, "name = \"greedy-grouping\"", form, limit);
            refuse(&folder, "publish plan.toml --out release", 5, &["minimality", "0.5"]);
        }
        let folder = ill(FIGURE_6A, "name = \"anatomy\"", form, limits[0]);
        publish(&folder);
        let report = format!("{}attacks = \"report\"\n", limits[1]);
        publish(&ill(FIGURE_6A, "name = \"greedy-grouping\"", form, &report));
    }
}

#[test]
fn records_that_cannot_be_grouped_are_withheld_counted_and_limited() {
    let table = format!("1,x\n2,y\n3,{CANARY}\n4,{CANARY}\n5,{CANARY}\n6,z\n");
    let columns = "q = \"quasi\"\ns = \"sensitive\"\n";
    for form in ["bucketized", "generalized"] {
        let folder = |release: &str, table: &str| {
            let sections = format!(
                "[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n[method]\nname = \"greedy-grouping\"\n[release]\nform = \"{form}\"\n{release}"
            );
            folder(&format!("q,s\n{table}"), columns, &sections)
        };
        let free = folder("", &table);
        let certificate = publish(&free);
        assert_eq!([&certificate["published"], &certificate["suppressed"]], [2, 4]);
        assert_no_canary(&free);
        minimality(&free);
        let limited = folder("max_suppressed = 0\n", &table);
        refuse(&limited, "publish plan.toml --out release", 4, &["4 records", "allows 0", "max_suppressed"]);
        let hopeless = folder("", &format!("1,{CANARY}\n2,{CANARY}\n3,{CANARY}\n"));
        refuse(&hopeless, "publish plan.toml --out release", 4, &["frequency-l-diversity", "measures 1"]);
    }
}

#[test]
fn whatever_is_changed_is_found() {
    let folder = grouped(16, "name = \"greedy-grouping\"", "form = \"bucketized\"");
    publish(&folder);
    let fails = |name: &str, content: &str| {
        let original = released(&folder, name);
        assert_ne!(original, content);
        folder.write(&format!("release/{name}"), content);
        let found = folder.json("verify release --json", 5);
        assert_eq!(found["holds"], false, "{content}");
        folder.write(&format!("release/{name}"), original);
    };
    for (name, kept) in [("sensitive.csv", 3), ("quasi.csv", 3)] {
        let text = released(&folder, name);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let joined = |lines: &[Vec<&str>]| lines.iter().map(|line| line.join(",") + "\n").collect::<String>();
        for (row, column) in (0..lines.len().min(4)).flat_map(|row| (0..kept).map(move |column| (row, column))) {
            let mut changed = lines.clone();
            changed[row][column] = if changed[row][column] == "2" { "3" } else { "2" };
            fails(name, &joined(&changed));
        }
        fails(name, &joined(&lines[..lines.len() - 1]));
        fails(name, &joined(&[lines.clone(), vec![lines[1].clone()]].concat()));
        fails(name, "");
    }
    let certificate = released(&folder, "certificate.json");
    for (from, to) in [
        ("greedy-grouping", "anatomy"),
        ("\"bucket\": \"2\"", "\"bucket\": \"3\""),
        ("\"insecure_seed\": false", "\"insecure_seed\": true"),
        ("bucketized", "generalized"),
    ] {
        fails("certificate.json", &certificate.replace(from, to));
    }
    folder.run("verify release").code(0);
}

#[cfg(unix)]
#[test]
fn half_a_release_is_none() {
    let folder = grouped(16, "name = \"anatomy\"", "form = \"bucketized\"");
    publish(&folder);
    let path = folder.path("release/sensitive.csv");
    std::fs::rename(&path, folder.path("aside.csv")).unwrap();
    folder.run("verify release").code(5);
    let code = folder.run("attack release --json").get_output().status.code().unwrap();
    assert!([3, 5, 7].contains(&code), "{code}");
    folder.run("check release --plan plan.toml").failure();
    std::os::unix::fs::symlink(folder.path("aside.csv"), &path).unwrap();
    folder.run("verify release").code(5);
}

#[test]
fn wrong_plans_are_explained() {
    let method = |method: &str, release: &str, parts: &[&str]| {
        refuse(&grouped(20, method, release), "publish plan.toml --out release", 2, parts);
    };
    method("name = \"mondrain\"", "", &["plan.toml", "did you mean \"mondrian\"?"]);
    method("name = \"mondrian\"\nsplit = \"stric\"", "", &["split", "strict, relaxed"]);
    method("name = \"anatomy\"\norder = [\"age\"]", "", &["anatomy has no parameter \"order\""]);
    method("name = \"greedy-grouping\"\norder = [\"agee\"]", "", &["did you mean \"age\"?"]);
    method("name = \"greedy-grouping\"\norder = [\"disease\"]", "", &["no quasi-identifier"]);
    method("name = \"greedy-grouping\"\norder = [\"age\", \"age\"]", "", &["twice"]);
    for p in ["1", "-0.1", "\"half\""] {
        method(&format!("name = \"randomized-greedy-grouping\"\np = {p}"), "", &["\"p\"", "below 1"]);
    }
    method("name = \"base\"", "form = \"bucketised\"", &["did you mean \"bucketized\"?"]);
    method("name = \"base\"", "form = \"bucketized\"\nsuppressed = \"starred\"", &["starred"]);
    let register = "form = \"bucketized\"\n[[attack]]\nattack = \"linkage\"\nregister = \"table.csv\"";
    method("name = \"base\"", register, &["register", "bucketized"]);

    let sections = "[method]\nname = \"base\"\n[release]\nform = \"bucketized\"\n";
    let sized = format!("[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n{sections}");
    let table = format!("group,s\n{CANARY},{CANARY}\n{CANARY},x\n");
    let open = folder(&table, "group = \"quasi\"\ns = \"insensitive\"\n", &sized.replace("base", "symmetric-grouping"));
    refuse(&open, "publish plan.toml --out release", 2, &["bucketized"]);
}

#[test]
fn quasi_identifiers_stay_where_they_belong() {
    let rows: String =
        (0..12).map(|at| format!("{CANARY}{at},{},d{}\n", 987_654_321_000_u64 + at * at, at % 3)).collect();
    let columns = "c = { role = \"quasi\", hierarchy = { suppress = true } }\nn = \"quasi\"\ns = \"sensitive\"\n";
    for (at, method) in METHODS.into_iter().enumerate() {
        let method = method.replace("\"job\", ", "").replace("\"age\"", "\"n\"");
        let form = ["bucketized", "generalized"][at % 2];
        let sections = format!(
            "[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n[method]\n{method}\n[release]\nform = \"{form}\"\n[[utility]]\nmetric = \"queries\"\nqueries = 50\n"
        );
        let folder = folder(&format!("c,n,s\n{rows}"), &columns_for(columns, &sections), &sections);
        folder.run("publish plan.toml --out release --internal-report internal.html").success();
        for command in [
            "verify release",
            "attack release",
            "attack release --json",
            "compare release --html page.html",
            "check release --plan plan.toml",
        ] {
            folder.run(command).code(0);
        }
        for (name, bytes) in contents(&folder) {
            let text = String::from_utf8_lossy(&bytes);
            let belongs = ["table.csv", "release/quasi.csv"].contains(&name.as_str());
            assert!(belongs || !text.contains(CANARY), "{name} of {method}, {form}, has a category");
            assert!(
                belongs || name == "release/data.csv" || !text.contains("987654321"),
                "{name} of {method}, {form}, has a number"
            );
        }
    }
}

#[test]
fn releases_can_be_checked_and_compared() {
    let folder = grouped(40, "name = \"anatomy\"", "form = \"bucketized\"");
    publish(&folder);
    let bucketized = folder.json("check release --plan plan.toml --json", 0);
    assert_eq!((&bucketized["holds"], &bucketized["records"]), (&json!(true), &json!(40)));
    folder.run("check release/quasi.csv --plan plan.toml --groups group").code(0);
    let harder = std::fs::read_to_string(folder.path("plan.toml")).unwrap().replace("l = 2", "l = 39");
    folder.write("harder.toml", harder.replace("frequency", "distinct"));
    folder.run("check release --plan harder.toml").code(1);
    let text = std::fs::read_to_string(folder.path("plan.toml")).unwrap();
    folder.write("plan.toml", text.replace("bucketized", "generalized").replace("anatomy", "mondrian"));
    folder.run("publish plan.toml --out other").success();
    folder.run("check other --plan plan.toml").code(0);
    let found = folder.json("compare release other --json --html page.html", 0);
    assert_eq!(found["do_not_verify"], json!([]));
    assert_eq!(found["releases"]["release"]["form"], "bucketized");
    assert_eq!(found["releases"]["other"]["form"], "generalized");
    assert!(folder.output("compare release other", 0).contains("minimality"));
}

#[test]
fn queries_are_answered_in_both_forms_for_the_custodian() {
    for (form, records) in [("bucketized", 1000), ("generalized", 1000), ("bucketized", 60)] {
        let release = format!("form = \"{form}\"\n[[utility]]\nmetric = \"queries\"\nqueries = 50");
        let folder = grouped(records, "name = \"symmetric-grouping\"", &release);
        let known = publish_internally(&folder);
        for name in ["query-error", "query-error-independent", "queries-left-out"] {
            assert!(known["utility"][name].is_number(), "{form}: {name}");
            // Errors of known queries would tell who has which value.
            assert!(!released(&folder, "certificate.json").contains(name), "{form}: {name}");
        }
    }
    let folder = grouped(20, "name = \"base\"", "[[utility]]\nmetric = \"queries\"\nqueries = 0");
    refuse(&folder, "publish plan.toml --out release", 2, &["queries"]);
}

/// Groups that come to have the same labels are one group to whoever reads the release.
#[test]
fn groups_with_equal_labels_are_published_as_one() {
    let table: String = (0..24).map(|at| format!("{},v{}\n", 30 + at / 12, at % 3)).collect();
    for method in ["mondrian\"\nsplit = \"relaxed", "symmetric-grouping", "greedy-grouping"] {
        let sections = format!("[[require]]\ncriterion = \"k-anonymity\"\nk = 3\n[method]\nname = \"{method}\"\n");
        let folder = folder(&format!("age,s\n{table}"), "age = \"quasi\"\ns = \"sensitive\"\n", &sections);
        let certificate = publish(&folder);
        assert_eq!(certificate["groups"], 2, "{method}");
        assert_eq!(certificate["method"]["class"], "QI-only");
        folder.run("verify release").code(0);
    }
}

/// People of `people(40)`, grouped by Mondrian along intervals of five years.
fn by_intervals(more: &str) -> Folder {
    let columns = COLUMNS.replace("age = \"quasi\"", "age = { role = \"quasi\", hierarchy = { intervals = [5, 10] } }");
    folder(&people(40), &columns, &format!("{DIVERSE}[method]\nname = \"mondrian\"\n{more}"))
}

#[test]
fn a_register_named_on_the_command_line_is_read() {
    let folder = by_intervals("");
    publish(&folder);
    let attack = |register: &str| {
        let found = folder.json(&format!("attack release --only linkage --set register={register} --json"), 0);
        assert_eq!(found["attacks"].as_array().unwrap().len(), 1, "{found:#}");
        found["attacks"][0].clone()
    };
    let plain = folder.json("attack release --only linkage --json", 0)["attacks"][0].clone();
    // Everybody twice: it is half as likely to pick the right one.
    let rows: Vec<String> = people(40).lines().skip(1).map(str::to_string).collect();
    let twice = format!("name,age,job,disease\n{}\n{}\n", rows.join("\n"), rows.join("\n"));
    folder.write("twice.csv", twice);
    let found = attack("twice.csv");
    assert_eq!((&found["source"], &found["register_records"]), (&json!("release"), &json!(80.0)));
    assert_close(&found["max_belief"], plain["max_belief"].as_f64().unwrap() / 2.0, "half the chance");
    assert_eq!(found["register_unknown"], 0.0);
    // One person: whoever is in her group is among so many.
    folder.write("elsewhere/one.csv", "age,job\n20,clerk\n");
    assert_eq!(attack("elsewhere/one.csv")["register_fitting"], 1.0);
    // Somebody whom no label stands for is told.
    folder.write("elsewhere/strange.csv", "age,job\n20,clerk\n20,diver\n");
    assert_eq!(attack("elsewhere/strange.csv")["register_unknown"], 1.0);
    let refused = |arguments: &str, code: i32, parts: &[&str]| {
        let run = folder.run(&format!("attack release --only linkage {arguments}")).code(code).stdout("");
        let error = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    folder.write("unfit.csv", "age,job\n200,diver\n");
    folder.write("narrow.csv", "age\n20\n");
    refused("--set register=unfit.csv", 2, &["no record of the register fits"]);
    refused("--set register=narrow.csv", 2, &["no column \"job\""]);
    refused("--set register=nowhere.csv", 7, &["nowhere.csv", "no such file"]);
    refused("--set registr=twice.csv", 2, &["no parameter \"registr\"", "did you mean \"register\"?"]);
    refused("--set register=twice.csv --set register=unfit.csv", 2, &["given twice"]);
}

#[test]
fn a_register_of_a_plan_fits_ranges() {
    let folder = by_intervals("[[attack]]\nattack = \"linkage\"\nregister = \"table.csv\"\n");
    let known = publish_internally(&folder);
    let found = &known["attacks"][0];
    assert_eq!(found["details"]["register_unknown"], 0.0, "{found:#}");
    assert!(found["details"]["register_fitting"].as_f64().unwrap() >= 40.0);
}

#[test]
fn what_the_release_alone_does_not_decide_is_undecided() {
    let folder = by_intervals("");
    publish(&folder);
    for more in ["", "--set budget=7", "--set budget=50000"] {
        let found = folder.json(&format!("attack release --only minimality --json {more}"), 0);
        let found = &found["attacks"][0];
        assert_eq!((&found["source"], &found["highest_belief_is"]), (&json!("release"), &json!("at least")));
        assert_eq!(found["undecided_people"], 40.0);
    }
}

#[test]
fn an_attack_on_what_does_not_verify_says_so_and_fails() {
    for form in ["generalized", "bucketized"] {
        let folder = grouped(40, "name = \"symmetric-grouping\"", &format!("form = \"{form}\""));
        publish(&folder);
        let name = if form == "generalized" { "data.csv" } else { "quasi.csv" };
        let text = released(&folder, name);
        folder.write(&format!("release/{name}"), text.replacen("cook", "nurse", 1));
        let found = folder.json("attack release --json", 5);
        assert_eq!(found["verifies"], false);
        assert!(!found["attacks"].as_array().unwrap().is_empty());
        let text = folder.output("attack release", 5);
        assert!(text.contains("homogeneity") && text.contains("✗ release does not verify"), "{text}");
        // What cannot be read as a release any more is no fault of anybody's data.
        folder.write(&format!("release/{name}"), "age\n1,2,3\n");
        folder.run("attack release").code(5).stdout("");
        // A wrong command line is one all the same.
        folder.run("attack release --only linkag").code(2);
    }
}

#[test]
fn words_on_text_files_are_refused_for_others() {
    let folder = grouped(40, "name = \"base\"", "format = \"parquet\"\nformulas = \"refuse\"");
    refuse(&folder, "publish plan.toml --out release", 2, &["`formulas` has no effect", "parquet"]);
    let plain = grouped(40, "name = \"base\"", "format = \"parquet\"\ninsensitive = \"keep\"");
    publish(&plain);
    for (key, value) in [("delimiter", "\";\""), ("header", "false"), ("names", "[\"a\"]"), ("trim", "true")] {
        let text = format!("[data]\npath = \"release/data.parquet\"\n{key} = {value}\n[columns]\n{COLUMNS}{DIVERSE}");
        plain.write("again.toml", text);
        let error = format!("`{key}` has no effect");
        refuse(&plain, "publish again.toml --out more", 2, &[&error, "data.parquet"]);
    }
}
