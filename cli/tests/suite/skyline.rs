//! `sfumato skyline`: what it finds, prints, writes and refuses.

use crate::support::{CANARY, Folder, plan};
use predicates::str::contains;
use serde_json::{Value, json};

/// Chen, LeFevre and Ramakrishnan 2007, Figure 1, with the groups of Figure 3.
const FIGURE_3: &str = "\
name,age,gender,zip,group,disease
Ann,20,F,12345,1,AIDS
Bob,24,M,12342,1,Flu
Cary,23,F,12344,1,Flu
Dick,27,M,12343,1,AIDS
Ed,35,M,12412,2,Flu
Frank,34,M,12433,2,Cancer
Gary,31,M,12453,2,Flu
Tom,38,M,12455,2,AIDS
";

const COLUMNS: &str =
    "name = \"identifier\"\nage = \"quasi\"\ngender = \"quasi\"\nzip = \"quasi\"\ndisease = \"sensitive\"\n";

fn figure_3() -> Folder {
    let pair = FIGURE_3.lines().map(|line| line.rsplit_once(',').unwrap().0.split_once(',').unwrap().1);
    Folder::new(&[
        ("people.csv", FIGURE_3),
        ("release/quasi.csv", &pair.collect::<Vec<_>>().join("\n")),
        ("release/sensitive.csv", "group,disease,count\n1,AIDS,2\n1,Flu,2\n2,Flu,2\n2,Cancer,1\n2,AIDS,1\n"),
        ("plan.toml", &plan(COLUMNS, &[])),
    ])
}

fn points(folder: &Folder, arguments: &str) -> Value {
    folder.json(&format!("skyline {arguments} --plan plan.toml --json"), 0)["points"].clone()
}

#[test]
fn figure_3_has_the_skylines_that_can_be_counted_by_hand() {
    let folder = figure_3();
    let check = |value: &str, confidence: &str, expected: Value| {
        for data in ["people.csv --groups group", "release"] {
            let asked = format!("{data} --value {value} --confidence {confidence}");
            assert_eq!(points(&folder, &asked), expected, "{asked}");
        }
    };
    // Group 1: 2 of 4 have AIDS. NR = (2 − k)/2 with k others, 1/3 with a relative, 0 with the flu
    // eliminated.
    for written in ["0.95", "95%", "9.5e-1"] {
        check("AIDS", written, json!([[0, 1, 0], [0, 0, 1]]));
    }
    check("AIDS", "0.5", json!([])); // half is reached, and "safe" is strictly below
    check("AIDS", "0.500001", json!([[0, 0, 0]]));
    check("AIDS", "0.7", json!([[0, 1, 0]])); // with an other 2/3, with a relative 3/4
    // Group 2: 1 of 4 has cancer. NR = 3 − k − m without elimination; with the flu eliminated 1,
    // 2/3 and 1/3 for m = 0, 1, 2.
    check("Cancer", "0.95", json!([[0, 2, 0], [0, 1, 1], [1, 0, 2]]));
    check("Cancer", "0.5", json!([[0, 1, 0], [0, 0, 1]])); // 1 against 1 is half, and half is not below half
    check("Cancer", "0.25", json!([]));
}

#[test]
fn the_document_has_the_promised_form() {
    let folder = figure_3();
    let asked = "skyline people.csv --groups group --plan plan.toml --value Cancer --confidence 0.95 --json";
    let found = folder.json(asked, 0);
    let expected = json!({
        "value": "Cancer",
        "confidence": 0.95,
        "case": "svpi",
        "points": [[0, 2, 0], [0, 1, 1], [1, 0, 2]],
        "worst": {
            "budget": [1, 1, 0],
            "belief": 1.0,
            "target": { "group": 2, "people": 4, "first_record": 5, "record": 6 },
            "eliminated": [{ "value": "Flu", "count": 2 }],
            "others": { "with": "target", "people": 1, "values": [{ "value": "AIDS", "count": 1 }], "records": [8] },
            "family": null,
            "relatives": { "people": 0, "records": [] },
            "exposed": { "groups": 1, "people": 4 },
        },
        "column": "disease",
        "occurs": true,
        "people": 8,
        "groups": 2,
        "groups_with_value": 1,
        "belief_without_knowledge": 0.25,
        "largest_l_is_all": false,
    });
    assert_eq!(found, expected);
    let keys: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(keys[..5], ["value", "confidence", "case", "points", "worst"]);
    // A pair does not tell which record has which value.
    let pair = folder.json("skyline release --plan plan.toml --value Cancer --confidence 0.95 --json", 0);
    assert_eq!(pair["worst"]["target"], json!({ "group": 2, "people": 4, "first_record": null, "record": null }));
    assert_eq!(pair["worst"]["others"]["records"], json!([]));
}

#[test]
fn people_read_points_a_surface_and_the_worst_case() {
    let folder = figure_3();
    let text = folder.output("skyline people.csv --groups group --plan plan.toml --value Cancer --confidence 0.95", 0);
    for part in [
        "8 people in 2 groups; 1 group has it",
        "at most 25.0 %",
        "2 others' values",
        "1 value that the person does not have and 2 relatives",
        "█2",
        "The smallest sufficient knowledge: l = 1, k = 1, m = 0",
        "somebody in group 2 (4 people, from record 5), such as record 6",
        "Not for release",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let text = folder.output("skyline people.csv --groups group --plan plan.toml --value AIDS --confidence 0.5", 0);
    assert!(text.contains("Nothing is safe") && text.contains("50.0 %"), "{text}");
}

#[test]
fn without_a_column_of_groups_equal_quasi_identifiers_are_groups() {
    let folder = Folder::new(&[
        ("table.csv", "zip,disease\n1,a\n1,a\n1,b\n1,b\n1,c\n2,b\n2,c\n2,b\n"),
        ("plan.toml", &plan("zip = \"quasi\"\ndisease = \"sensitive\"\n", &[])),
    ]);
    assert_eq!(
        points(&folder, "table.csv --value a --confidence 0.9"),
        json!([[0, 2, 0], [0, 1, 1], [0, 0, 2], [1, 0, 1]])
    );
}

#[test]
fn the_page_is_inert_and_stays_out_of_releases() {
    let folder = Folder::new(&[
        ("table.csv", "zip,disease\n1,<script>alert(1)</script>\n1,<img/src=x>\n1,flu\n1,flu\n"),
        ("plan.toml", &plan("zip = \"quasi\"\ndisease = \"sensitive\"\n", &[])),
    ]);
    for value in ["<script>alert(1)</script>", "flu"] {
        let asked = format!("skyline table.csv --plan plan.toml --value {value} --confidence 0.95 --html page.html");
        folder.run(&asked).code(0);
        let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
        assert!(page.contains("INTERNAL — not for release") && page.contains("type=\"radio\""));
        assert!(!page.contains("<script") && !page.contains("<img") && page.contains("&lt;script&gt;"));
    }
    let release = "[data]\npath = \"table.csv\"\n".to_string()
        + &plan(
            "zip = { role = \"quasi\", hierarchy = { suppress = true } }\ndisease = \"sensitive\"\n",
            &[("k-anonymity", "k = 2")],
        );
    folder.write("publish.toml", release);
    folder.run("publish publish.toml --out release").code(0);
    folder.run("skyline release --plan publish.toml --value flu --confidence 0.95").code(0);
    let refused = "skyline table.csv --plan plan.toml --value flu --confidence 0.95 --html";
    for page in ["release/page.html", "table.csv", "page.txt"] {
        folder.run(&format!("{refused} {page}")).code(2);
    }
    assert!(!folder.path("release/page.html").exists());
}

#[test]
fn what_cannot_be_meant_is_refused_without_showing_a_cell() {
    let folder = Folder::new(&[
        ("table.csv", &format!("zip,disease,drug\n1,{CANARY},A\n1,flu,B\n")),
        ("plan.toml", &plan("zip = \"quasi\"\ndisease = \"sensitive\"\n", &[])),
        ("both.toml", &plan("zip = \"quasi\"\ndisease = \"sensitive\"\ndrug = \"sensitive\"\n", &[])),
        ("none.toml", &plan("zip = \"quasi\"\n", &[])),
    ]);
    let refuses = |arguments: &str, message: &str| {
        folder.run(&format!("skyline table.csv {arguments}")).code(2).stdout("").stderr(contains(message));
    };
    refuses(
        "--plan plan.toml --confidence 0.9 --value Zq7canari",
        "column \"disease\": no record in a group has the value",
    );
    for confidence in ["0", "-0.5", "1.01", "101%", "nan", "much"] {
        refuses(&format!("--plan plan.toml --value flu --confidence {confidence}"), "above 0 and at most 1");
    }
    refuses("--plan plan.toml --value flu", "--confidence");
    refuses("--plan plan.toml --confidence 0.9", "--value");
    refuses("--plan both.toml --value flu --confidence 0.9", "--on disease");
    refuses("--plan both.toml --value flu --confidence 0.9 --on drugs", "did you mean \"drug\"?");
    refuses("--plan none.toml --value flu --confidence 0.9", "no sensitive column");
    refuses("--plan plan.toml --value flu --confidence 0.9 --case set", "--person");
    refuses("--plan plan.toml --value flu --confidence 0.9 --person zip", "--case set");
    refuses("--plan plan.toml --value flu --confidence 0.9 --case sets", "svpi");
    refuses("--plan plan.toml --value flu --confidence 0.9 --groups cluster", "no column \"cluster\"");
    refuses("--plan plan.toml --value flu --confidence 0.9 --case set --person who", "no column \"who\"");
    let found = folder.json("skyline table.csv --plan both.toml --on drug --value B --confidence 0.9 --json", 0);
    assert_eq!(found["column"], "drug");
}

#[test]
fn several_values_are_read_from_records_and_from_cells() {
    let criteria = [("skyline", "case = \"set\"; person = \"who\"; points = [{ c = 0.9 }]")];
    let roles = "who = \"identifier\"\nzip = \"quasi\"\ndisease = \"sensitive\"\n";
    let folder = Folder::new(&[
        ("records.csv", "who,zip,disease\nann,1,flu\nann,1,gout\nbob,1,flu\nbob,1,flu\ncid,1,\ndan,1,gout\n"),
        ("once.csv", "who,zip,disease\nann,1,flu\nann,1,gout\nbob,1,flu\ncid,1,\ndan,1,gout\n"),
        ("cells.csv", "who,zip,disease\nann,1,flu;gout\nbob,1,flu;flu\ncid,1,\ndan,1,gout\n"),
        ("divided.csv", "who,zip,disease\nann,1,flu\nann,2,gout\nbob,1,flu\n"),
        ("plan.toml", &plan(roles, &[])),
        ("asks.toml", &plan(roles, &criteria)),
    ]);
    for (case, records, expected) in [
        // Four people, two have the flu, two the gout. Without knowledge 1/2; with one other 2/3;
        // with the gout granted 1·(1 − 2/4): 2/3.
        ("set", "once.csv", json!([[0, 0, 0]])),
        // The flu occurs three times: a = (3/4)³, belief 1 − a = 0.578…
        ("multiset", "records.csv", json!([[0, 0, 0]])),
    ] {
        let asked = format!("--value flu --confidence 0.65 --case {case}");
        assert_eq!(points(&folder, &format!("{records} {asked} --person who")), expected, "{case}");
        assert_eq!(points(&folder, &format!("cells.csv {asked} --separator ;")), expected, "{case}");
        let grouped = format!("{records} {asked} --person who --groups zip");
        assert_eq!(points(&folder, &grouped), expected, "{case}, with a column of groups");
    }
    let asked = "--value flu --confidence 0.65 --json";
    let belief = |arguments: &str| {
        let found = folder.json(&format!("skyline {arguments} {asked}"), 0);
        (found["case"].clone(), found["people"].clone(), found["belief_without_knowledge"].as_f64().unwrap())
    };
    assert_eq!(belief("cells.csv --plan plan.toml --case set --separator ;"), (json!("set"), json!(4), 0.5));
    let (_, _, multiset) = belief("records.csv --plan plan.toml --case multiset --person who");
    assert!((multiset - 37.0 / 64.0).abs() < 1e-12);
    // As the plan's own skyline says, unless told otherwise.
    assert_eq!(belief("once.csv --plan asks.toml"), (json!("set"), json!(4), 0.5));
    assert_eq!(belief("records.csv --plan asks.toml --case svpi").0, json!("svpi"));
    assert_eq!(belief("cells.csv --plan asks.toml --separator ;"), (json!("set"), json!(4), 0.5));
    folder.run("check once.csv --plan asks.toml --groups zip").code(0);
    // In a set each counts once; where it stands twice, somebody must say what is meant.
    folder.run("check records.csv --plan asks.toml --groups zip").code(3).stderr(contains("twice"));
    let divided = "skyline divided.csv --plan plan.toml --case set --person who --value flu --confidence 0.9";
    folder.run(divided).code(3).stderr(contains("record 2 is in another group than a record of the same person"));
}
