//! Several releases of the same people: the record of releases, what certificates declare, and what
//! `compare` finds.

use crate::support::publishing::{names, plan};
use crate::support::{CANARY, Folder};
use serde_json::{Value, json};
use std::path::Path;

const RECORD: &str = "state/releases.jsonl";
const USAGE: i32 = 2;

/// Runs `sfumato` with a record in the folder; returns what it prints and what it says beside.
fn recorded(folder: &Folder, arguments: &str, code: i32) -> (String, String) {
    let record = folder.path(RECORD);
    let run = folder.run_with(arguments, &[("SFUMATO_RECORD", record.to_str().unwrap())]).code(code);
    let output = run.get_output();
    [&output.stdout, &output.stderr].map(|stream| String::from_utf8(stream.clone()).unwrap()).into()
}

fn publish(folder: &Folder, arguments: &str) -> (Value, String) {
    let (certificate, said) = recorded(folder, &format!("publish {arguments} --json"), 0);
    (serde_json::from_str(&certificate).unwrap(), said)
}

fn seal(certificate: &Value) -> String {
    certificate["seal"].as_str().unwrap().to_string()
}

fn lines(folder: &Folder) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.path(RECORD)).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Two people in every combination of zip and age, which tells the disease; each zip and each age
/// has two diseases.
fn crossed() -> String {
    let row = |at: usize| {
        let (zip, age) = (at / 2 % 2, at % 2);
        let disease = [["flu", "cold"], ["gout", "ulcer"]][zip][age];
        format!("{CANARY}{at},{},{},{disease}\n", [13053, 14850][zip], [30, 60][age])
    };
    format!("name,zip,age,disease\n{}", (0..8).map(row).collect::<String>())
}

const CRITERIA: &str = "\
[[require]]
criterion = \"k-anonymity\"
k = 4
[[require]]
criterion = \"distinct-l-diversity\"
on = \"disease\"
l = 2
";

/// A folder with `table.csv` and plans that publish it by zip, by age, and by neither.
fn by_zip_and_by_age() -> Folder {
    let by = |columns: &str| plan(&format!("{columns}disease = \"sensitive\"\n"), CRITERIA);
    Folder::new(&[
        ("table.csv", &crossed()),
        ("zip.toml", &by("zip = \"quasi\"\n")),
        ("age.toml", &by("age = \"quasi\"\n")),
        ("coarse.toml", &by("zip = { role = \"quasi\", hierarchy = { redact = 5 } }\nage = \"quasi\"\n")),
    ])
}

#[test]
fn a_second_release_of_a_table_says_so_everywhere() {
    let folder = by_zip_and_by_age();
    let (first, said) = publish(&folder, "zip.toml --out first");
    assert_eq!((&first["earlier_releases"], said.as_str()), (&json!([]), ""));
    let (second, said) = publish(&folder, "age.toml --out second");
    assert_eq!(second["earlier_releases"], json!([seal(&first)]));
    for part in ["release 2 of the same table", "1 earlier one", "first", &seal(&first), "not limited", "--never-out"] {
        assert!(said.contains(part), "{said}, without {part}");
    }
    let today = lines(&folder)[0]["date"].as_str().unwrap()[..10].to_string();
    assert!(said.contains(&today), "{said}");
    let sentence = "This is release 2 of the same table: together they may disclose more than is stated here.";
    assert_eq!(second["notes"][0], sentence);
    let report = std::fs::read_to_string(folder.path("second/report.html")).unwrap();
    let headline = report.split("</header>").next().unwrap();
    assert!(headline.contains(sentence) && headline.contains("! "), "{headline}");
    assert_eq!(folder.json("verify second --json", 0)["earlier_releases"], json!([seal(&first)]));
    assert!(folder.output("verify second", 0).contains(sentence));
    assert!(!folder.output("verify first", 0).contains("same table:"));

    let (text, said) = recorded(&folder, "publish coarse.toml --out third", 0);
    assert!(text.starts_with("! ") && text.lines().next().unwrap().contains("This is release 3"), "{text}");
    assert!(said.contains("2 earlier ones"), "{said}");
}

#[test]
fn the_record_holds_what_it_says_and_no_cell() {
    let folder = by_zip_and_by_age();
    let (first, _) = publish(&folder, "zip.toml --out first");
    assert_eq!(names(&folder, "state"), ["releases.jsonl", "releases.jsonl.key"]);
    let [line] = &lines(&folder)[..] else { panic!("one release, one line") };
    assert_eq!(line["seal"], first["seal"]);
    assert_eq!(line["columns"], json!(["zip", "disease"]));
    assert!(Path::new(line["target"].as_str().unwrap()).is_absolute());
    let text = line.to_string();
    for cell in [CANARY, "13053", "ulcer"] {
        assert!(!text.contains(cell), "{text}");
    }
}

#[test]
fn the_same_table_is_recognised_in_another_order_and_format() {
    let folder = by_zip_and_by_age();
    let (first, _) = publish(&folder, "zip.toml --out first");
    let table = crossed();
    let (header, rows) = table.split_once('\n').unwrap();
    let reversed: String = rows.lines().rev().map(|row| format!("{row}\n")).collect();
    folder.write("reversed.csv", format!("{header}\n{reversed}"));
    let (second, _) = publish(&folder, "age.toml --data reversed.csv --out second");
    assert_eq!(second["earlier_releases"], json!([seal(&first)]));
    let formats = sfumato::data::Formats::default().with(sfumato_columnar::formats());
    let read = formats.read(&folder.path("reversed.csv"), &sfumato::data::ReadOptions::default()).unwrap();
    formats.write(&read, &folder.path("table.parquet")).unwrap();
    let (third, _) = publish(&folder, "coarse.toml --data table.parquet --out third");
    assert_eq!(third["earlier_releases"], json!([seal(&first), seal(&second)]));
    folder.write("other.csv", table.replace("gout", "flu"));
    let (other, said) = publish(&folder, "age.toml --data other.csv --out other");
    assert_eq!((&other["earlier_releases"], said.as_str()), (&json!([]), ""), "another table is another one");
}

#[test]
fn the_same_release_once_more_is_the_same_release() {
    let folder = by_zip_and_by_age();
    let (first, _) = publish(&folder, "zip.toml --out first");
    let (again, said) = publish(&folder, "zip.toml --out again");
    assert_eq!((again, said.as_str()), (first.clone(), ""), "the same bytes tell nothing new");
    let (_, said) = publish(&folder, "age.toml --out second");
    assert!(said.contains("release 2 "), "it counts once: {said}");
}

#[test]
fn releases_that_nobody_received_count_no_more() {
    let folder = by_zip_and_by_age();
    let (first, _) = publish(&folder, "zip.toml --out draft");
    let (_, said) = recorded(&folder, "publish age.toml --out second --never-out 5ea1", USAGE);
    assert!(said.contains("--never-out") && said.contains("64 digits"), "{said}");
    let (second, said) = publish(&folder, &format!("age.toml --out second --never-out {}", seal(&first)));
    assert_eq!((&second["earlier_releases"], said.as_str()), (&json!([]), ""));
    let (third, _) = publish(&folder, "coarse.toml --out third");
    assert_eq!(third["earlier_releases"], json!([seal(&second)]));
    let (last, _) = publish(&folder, "zip.toml --out last --never-out all");
    assert_eq!((&last["earlier_releases"], seal(&last)), (&json!([]), seal(&first)));
    let (after, _) = publish(&folder, "age.toml --out after");
    assert_eq!(after["earlier_releases"], json!([seal(&last)]), "what was a draft may be made again and given out");
}

#[test]
fn replacing_a_release_does_not_call_it_back() {
    let folder = by_zip_and_by_age();
    let (first, _) = publish(&folder, "zip.toml --out release");
    let (second, said) = publish(&folder, "age.toml --out release --replace");
    assert_eq!(second["earlier_releases"], json!([seal(&first)]));
    assert!(said.contains(&seal(&first)), "{said}");
    // Without a record it is not known whether both are of the same table.
    let text = folder.output("publish zip.toml --out release --replace", 0);
    assert!(text.contains(&format!("replaced the release with the seal {}", seal(&second))), "{text}");
    let text = folder.output("publish zip.toml --out release --replace", 0);
    assert!(!text.contains("replaced the release"), "the same bytes replace nothing: {text}");
}

#[test]
fn the_record_can_be_turned_off_and_has_a_usual_place() {
    let folder = by_zip_and_by_age();
    folder.output("publish zip.toml --out first", 0);
    recorded(&folder, "publish zip.toml --out second --no-record", 0);
    assert!(!folder.path("state").exists());
    let usual = |arguments: &str, state: &str| {
        let home = folder.path("home");
        let mut command = folder.command(arguments);
        command.env_remove("SFUMATO_RECORD").env("HOME", &home).env("XDG_STATE_HOME", state).assert().success();
    };
    usual("publish zip.toml --out third", folder.path("xdg").to_str().unwrap());
    assert!(folder.path("xdg/sfumato/releases.jsonl").is_file());
    usual("publish zip.toml --out fourth", "");
    assert!(folder.path("home/.local/state/sfumato/releases.jsonl").is_file());
}

#[test]
fn a_record_that_cannot_be_used_is_told_and_stops_nobody() {
    let folder = by_zip_and_by_age();
    folder.write("file", "");
    let run = folder.run_with("publish zip.toml --out first", &[("SFUMATO_RECORD", "file/releases.jsonl")]).code(0);
    let said = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert!(said.contains("whole and in its place, but it is not in the record"), "{said}");
    folder.output("verify first", 0);
    publish(&folder, "zip.toml --out second");
    std::fs::remove_file(folder.path("state/releases.jsonl.key")).unwrap();
    let (certificate, said) = publish(&folder, "age.toml --out third");
    assert_eq!(certificate["earlier_releases"], json!([]));
    assert!(said.contains("earlier releases of this table are not known") && said.contains("key"), "{said}");
}

#[test]
fn transactions_are_recorded_too() {
    let sets = "[data]\nkind = \"transactions\"\npath = \"data.dat\"\nsensitive = { items = [\"wine\"] }\n\
                [[require]]\ncriterion = \"rho-uncertainty\"\nrho = RHO\n";
    let folder = Folder::new(&[
        ("data.dat", "bread wine\nbread milk\nmilk wine\nmilk bread\n"),
        ("first.toml", &sets.replace("RHO", "0.5")),
        ("second.toml", &sets.replace("RHO", "0.1")),
    ]);
    let (first, said) = publish(&folder, "first.toml --out first");
    assert_eq!((&first["earlier_releases"], said.as_str()), (&json!([]), ""));
    let (second, said) = publish(&folder, "second.toml --out second");
    assert_eq!(second["earlier_releases"], json!([seal(&first)]));
    assert!(said.contains("release 2 ") && second["notes"][0].as_str().unwrap().starts_with("This is release 2"));
    folder.output("verify second", 0);
    let found = folder.json("compare first second --json", 0);
    assert!(found["together"][0]["not_computed"].as_str().unwrap().contains("transactions"), "{found:#}");
}

// What two releases tell together

fn together(folder: &Folder, releases: &str) -> Value {
    let found = folder.json(&format!("compare {releases} --json"), 0);
    assert_eq!(found["together"].as_array().unwrap().len(), 1, "{found:#}");
    found["together"][0].clone()
}

#[test]
fn by_zip_and_then_by_age_everybody_is_certain() {
    let folder = by_zip_and_by_age();
    publish(&folder, "zip.toml --out zip");
    publish(&folder, "age.toml --out age");
    for release in ["zip", "age"] {
        assert_eq!(folder.json(&format!("verify {release} --json"), 0)["holds"], true, "each keeps its criteria");
    }
    let found = together(&folder, "zip age");
    assert_eq!(found["same_table"], "declared");
    let disease = &found["columns"][0];
    assert_eq!((&disease["certain_at_least"], &disease["people"]), (&json!(8), &json!(8)), "{found:#}");
    assert_eq!(disease["certain_alone"], json!([0, 0]));
    assert_eq!(disease["highest_belief_alone"], json!([0.5, 0.5]));
    assert_eq!(disease["highest_belief_at_least"], 1.0);
    let text = folder.output("compare zip age --html page.html", 0);
    assert!(text.contains("✗ disease: at least 8 of 8 people are certain"), "{text}");
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
    assert!(page.contains("What they disclose together") && page.contains("at least 8 of 8 people are certain"));
}

/// Sixty people of different ages, so many of them with each disease; anatomy puts two into a group
/// at random, twice.
fn anatomy_twice(counts: &[usize]) -> Value {
    let diseases: Vec<String> =
        counts.iter().enumerate().flat_map(|(at, &count)| vec![format!("illness{at}"); count]).collect();
    let rows: String = (0..60).map(|at| format!("{},{}\n", 20 + at, diseases[at * 7 % 60])).collect();
    let sections = "[[require]]\ncriterion = \"frequency-l-diversity\"\non = \"disease\"\nl = 2\n\
                    [method]\nname = \"anatomy\"\n[release]\nform = \"bucketized\"\n";
    let folder = Folder::new(&[
        ("table.csv", &format!("age,disease\n{rows}")),
        ("plan.toml", &plan("age = \"quasi\"\ndisease = \"sensitive\"\n", sections)),
    ]);
    let (first, _) = publish(&folder, "plan.toml --out first --insecure-seed 1");
    let (second, _) = publish(&folder, "plan.toml --out second --insecure-seed 2");
    assert_eq!(second["earlier_releases"], json!([seal(&first)]), "another draw is another release");
    let disease = together(&folder, "first second")["columns"][0].clone();
    assert_eq!((&disease["people"], &disease["certain_alone"]), (&json!(60), &json!([0, 0])));
    assert_eq!(disease["highest_belief_alone"], json!([0.5, 0.5]), "each release keeps its criterion");
    disease
}

#[test]
fn anatomy_twice_tells_nearly_everybodys_value() {
    let disease = anatomy_twice(&[14, 12, 10, 8, 6, 4, 3, 2, 1]);
    assert!(disease["certain_at_least"].as_u64().unwrap() >= 50, "{disease:#}");
    assert!(disease["highest_belief_about"].as_f64().unwrap() > 0.999, "{disease:#}");
}

/// Values that are all as frequent are put together in the same way each time: everybody keeps the
/// same candidates.
#[test]
fn anatomy_twice_tells_nothing_where_everybody_keeps_the_same_candidates() {
    let disease = anatomy_twice(&[6; 10]);
    assert_eq!(disease["certain_at_least"], 0, "{disease:#}");
    assert_eq!(disease["fewest_candidates"], json!({ "candidates": 2, "people_at_least": 60 }));
    assert!((disease["highest_belief_about"].as_f64().unwrap() - 0.5).abs() < 1e-3, "{disease:#}");
}

/// Two hierarchies with the same names and other values under them: no release shows that, so
/// nothing is called safe.
#[test]
fn labels_that_mean_something_else_are_not_vouched_for() {
    let of = |file: &str| {
        format!("p = {{ role = \"quasi\", hierarchy = {{ file = \"{file}\" }}, levels = [1, 1] }}\ns = \"sensitive\"\n")
    };
    let sizes = "[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n";
    let more = format!("{sizes}[[require]]\ncriterion = \"distinct-l-diversity\"\nl = 2\n");
    let folder = Folder::new(&[
        ("table.csv", "p,s\n1,a\n2,b\n3,a\n4,c\n"),
        ("a.csv", "1;L;*\n2;L;*\n3;H;*\n4;H;*\n"),
        ("b.csv", "1;H;*\n2;L;*\n3;L;*\n4;H;*\n"),
        ("a.toml", &plan(&of("a.csv"), sizes)),
        ("b.toml", &plan(&of("b.csv"), &more)),
    ]);
    let compared = || {
        publish(&folder, "a.toml --out a --replace");
        publish(&folder, "b.toml --out b --replace");
        folder.output("compare a b", 0)
    };
    let text = compared();
    assert!(!text.contains("✓ s:") && text.contains("may believe more, up to certain"), "{text}");
    for name in ["a", "b"] {
        let by_levels = format!(
            "{}[method]\nname = \"optimal\"\n",
            std::fs::read_to_string(folder.path(&format!("{name}.toml"))).unwrap()
        );
        folder.write(&format!("{name}.toml"), by_levels);
    }
    let text = compared();
    assert!(!text.contains("✓ s:") && text.contains("takes labels with the same name to mean the same"), "{text}");
}

#[test]
fn a_coarsening_adds_nothing_and_other_people_are_not_compared() {
    let folder = by_zip_and_by_age();
    folder.output("publish zip.toml --out zip", 0);
    folder.output("publish coarse.toml --out coarse", 0);
    let found = together(&folder, "zip coarse");
    assert_eq!(found["same_table"], "assumed", "no record, no declaration");
    assert_eq!(found["columns"][0]["certain_at_least"], 0, "{found:#}");
    assert!(folder.output("compare zip coarse", 0).contains("If they are releases of the same table"));

    folder.write("fewer.csv", crossed().lines().take(5).map(|row| format!("{row}\n")).collect::<String>());
    folder.write("fewer.toml", std::fs::read_to_string(folder.path("age.toml")).unwrap().replace("k = 4", "k = 2"));
    folder.output("publish fewer.toml --data fewer.csv --out fewer", 0);
    let found = together(&folder, "zip fewer");
    assert!(found["not_computed"].as_str().unwrap().contains("different numbers of records"), "{found:#}");
    folder.write("other.csv", crossed().replace("gout", "flu"));
    folder.output("publish age.toml --data other.csv --out other", 0);
    let found = together(&folder, "zip other");
    assert!(found["columns"][0]["not_computed"].as_str().unwrap().contains("not about the same people"), "{found:#}");
    assert!(together(&folder, "zip zip")["not_computed"].as_str().unwrap().contains("one release"));
}
