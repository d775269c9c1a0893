//! Tables in which one value is too frequent, from the refusal to the release.

mod support;

use serde_json::{Value, json};
use support::publishing::{cells, folder, publish, refuse, released};
use support::{Folder, assert_close};

const METHODS: [&str; 3] = ["calibrated", "r-suppression", "safe-d"];

const PUBLISH: &str = "publish plan.toml --out release";

const COLUMNS: &str =
    "age = { role = \"quasi\", hierarchy = { intervals = [5, 10, 20] } }\njob = \"quasi\"\ndisease = \"sensitive\"\n";

const DIVERSE: &str = "[[require]]\ncriterion = \"frequency-l-diversity\"\non = \"disease\"\nl = 3\n";

/// People of whom so many have each disease, d0, d1, …
fn people(counts: &[usize]) -> String {
    let diseases = counts.iter().enumerate().flat_map(|(at, &count)| std::iter::repeat_n(at, count));
    let row = |(at, disease): (usize, usize)| {
        format!("{},{},d{disease}\n", 20 + at * 17 % 41, ["clerk", "cook", "nurse"][at * 7 % 3])
    };
    format!("age,job,disease\n{}", diseases.enumerate().map(row).collect::<String>())
}

const FREQUENT: [usize; 5] = [100, 40, 20, 10, 10];

fn skewed(sections: &str) -> Folder {
    folder(&people(&FREQUENT), COLUMNS, &format!("{DIVERSE}{sections}"))
}

/// How many published records have each disease, most first.
fn counts(folder: &Folder, file: &str) -> Vec<usize> {
    let (header, rows) = cells(folder, file);
    let at = header.iter().position(|name| name == "disease").unwrap();
    let mut counts: Vec<usize> = FREQUENT
        .iter()
        .enumerate()
        .map(|(disease, _)| rows.iter().filter(|row| row[at] == format!("d{disease}")).count())
        .collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}

fn eligibility(certificate: &Value) -> &Value {
    certificate["attacks"].as_array().unwrap().iter().find(|one| one["attack"] == "eligibility").expect("it was made")
}

// Refusing

#[test]
fn without_a_word_on_skew_the_ways_and_their_costs_are_told() {
    let costs = [
        "frequency-l-diversity on disease (l = 3) fails",
        "55.6 % of the records",
        "one in 3 (33.3 %)",
        "method = \"calibrated\": 90 records (50.0 %); nobody",
        "method = \"safe-d\": 100 records (55.6 %); nobody",
        "method = \"r-suppression\": 77.7 records in the mean (43.1 %)",
        "whoever computes may believe more",
    ];
    for sections in ["", "[skew]\nmethod = \"refuse\"\n", "[release]\nmax_suppressed = \"90%\"\n"] {
        refuse(&skewed(sections), PUBLISH, 4, &costs);
    }
    let refused = skewed("").run(PUBLISH).code(4);
    let error = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(!error.contains("unsafe-d"), "{error}");
    assert!(!error.contains("d0"), "no cell is told: {error}");
}

#[test]
fn what_cannot_be_restored_is_refused() {
    refuse(&skewed("[skew]\nmethod = \"unsafe-d\"\n"), PUBLISH, 2, &["line", "never published"]);
    refuse(&skewed("[skew]\nmethod = \"calibrated\"\nl = 2\n"), PUBLISH, 2, &["[skew]", "need 3"]);
    let many = skewed("[skew]\nmethod = \"calibrated\"\nl = 6\n");
    refuse(&many, PUBLISH, 2, &["[skew]", "6 values", "has 5"]);
    let few = folder(&people(&[10, 2]), COLUMNS, &format!("{DIVERSE}[skew]\nmethod = \"calibrated\"\n"));
    refuse(&few, PUBLISH, 4, &["frequency-l-diversity", "could be met"]);
    let both = "age = \"quasi\"\njob = \"sensitive\"\ndisease = \"sensitive\"\n";
    let table = "age,job,disease\n1,cook,flu\n2,cook,flu\n3,cook,flu\n4,clerk,cold\n";
    let require = ["job", "disease"]
        .map(|on| format!("[[require]]\ncriterion = \"frequency-l-diversity\"\non = \"{on}\"\nl = 2\n"));
    let both = folder(table, both, &format!("{}{}[skew]\nmethod = \"calibrated\"\n", require[0], require[1]));
    refuse(&both, PUBLISH, 4, &["both", "\"job\"", "\"disease\"", "too frequent"]);
}

/// Values that need no protection may be as frequent as they like: another one is in the way.
#[test]
fn the_share_in_the_way_is_that_of_a_protected_value() {
    let columns = COLUMNS.replace("\"sensitive\"", "{ role = \"sensitive\", sensitive_values = [\"d1\"] }");
    let wanted = DIVERSE.replace("l = 3", "l = 4");
    let folder = folder(&people(&[68, 28, 2, 1, 1]), &columns, &wanted);
    refuse(&folder, PUBLISH, 4, &["one value has 28.0 % of the records", "one in 4 (25.0 %)"]);
    let checked = folder.json("check table.csv --plan plan.toml --json", 1);
    let expected = json!({ "eligible": false, "l": 4, "too_frequent": 0.28 });
    assert_eq!(checked["criteria"][0]["eligibility"], expected);
}

// Publishing

#[test]
fn every_way_restores_eligibility_and_the_certificate_says_how() {
    for method in METHODS {
        let folder = skewed(&format!("[skew]\nmethod = \"{method}\"\n"));
        let certificate = publish(&folder);
        let skew = &certificate["skew"];
        assert_eq!((&skew["method"], &skew["on"], &skew["l"]), (&json!(method), &json!("disease"), &json!(3)));
        let withheld = skew["withheld"].as_u64().unwrap() as usize;
        assert_eq!((&certificate["records"], &certificate["suppressed"]), (&json!(180), &json!(0)));
        assert_eq!(certificate["published"], 180 - withheld);
        assert!(skew["knowledge"].as_str().unwrap().contains("how many records the table had"));
        let left = counts(&folder, "release/data.csv");
        assert!(left[0] * 3 <= 180 - withheld, "{method}: {left:?}");
        assert!((left[2] + withheld) * 3 > 180, "{method}: {left:?}");
        let found = eligibility(&certificate);
        assert_close(&found["details"]["claimed_belief"], 1.0 / 3.0, "claimed");
        assert_eq!(skew["is_kept"], method != "r-suppression");
        assert_eq!(found["limit"].is_null(), method == "r-suppression");
        if method != "r-suppression" {
            assert_close(&found["highest_belief"], 1.0 / 3.0, method);
        }
        assert!(released(&folder, "report.html").contains("Withheld first"));
        let repeated = folder.json("attack release --only eligibility --json", 0);
        assert_eq!(
            (&repeated["attacks"][0]["source"], &repeated["attacks"][0]["max_belief"]),
            (&json!("release"), &found["highest_belief"])
        );
    }
}

#[test]
fn every_method_groups_what_is_left() {
    for method in [
        "optimal",
        "incognito",
        "mondrian",
        "anatomy",
        "greedy-grouping",
        "symmetric-grouping",
        "skyline-anonymize",
        "base",
    ] {
        for form in ["generalized", "bucketized"] {
            let folder = skewed(&format!(
                "[skew]\nmethod = \"calibrated\"\n[method]\nname = \"{method}\"\n[release]\nform = \"{form}\"\n"
            ));
            let certificate = publish(&folder);
            assert_eq!(certificate["skew"]["withheld"], 90, "{method}");
            let left = certificate["published"].as_u64().unwrap() + certificate["suppressed"].as_u64().unwrap();
            assert_eq!(left, 90, "{method}");
            // Where more is suppressed, figures that the release alone does not tell are rounded.
            let belief = eligibility(&certificate)["highest_belief"].as_f64().unwrap();
            assert!(belief <= 1.0 / 3.0 && (certificate["suppressed"] != 0 || belief > 0.333), "{method}: {belief}");
        }
    }
}

#[test]
fn other_criteria_on_frequent_values_are_restored_too() {
    for (criterion, l) in [
        ("entropy-l-diversity\"\nl = 3.7", 4),
        ("recursive-cl-diversity\"\nc = 0.6\nl = 3", 4),
        ("alpha-k-anonymity\"\nalpha = 0.4\nk = 3", 3),
    ] {
        let require = format!("[[require]]\ncriterion = \"{criterion}\n[skew]\nmethod = \"calibrated\"\n");
        let certificate = publish(&folder(&people(&FREQUENT), COLUMNS, &require));
        assert_eq!(certificate["skew"]["l"], l, "{criterion}");
    }
}

#[test]
fn where_nothing_is_too_frequent_nothing_is_withheld() {
    let certificate =
        publish(&folder(&people(&[20, 20, 20, 20]), COLUMNS, &format!("{DIVERSE}[skew]\nmethod = \"calibrated\"\n")));
    assert_eq!((&certificate["skew"], &certificate["published"]), (&Value::Null, &json!(80)));
    assert!(certificate["attacks"].as_array().unwrap().iter().all(|one| one["attack"] != "eligibility"));
}

/// Where a method suppresses more, the release does not show all that was left; nor does the certificate.
#[test]
fn what_a_method_suppresses_besides_is_counted_apart() {
    let table = format!("{}99,pilot,d4\n", people(&FREQUENT));
    let sections = format!(
        "{DIVERSE}[[require]]\ncriterion = \"k-anonymity\"\nk = 3\n[skew]\nmethod = \"safe-d\"\n[release]\nmax_suppressed = \"10%\"\n"
    );
    let folder = folder(&table, COLUMNS, &sections);
    let certificate = publish(&folder);
    let [records, published, suppressed] =
        ["records", "published", "suppressed"].map(|key| certificate[key].as_u64().unwrap());
    assert_eq!(records, published + suppressed + certificate["skew"]["withheld"].as_u64().unwrap());
    let found = folder.json("attack release --only eligibility --json", 0);
    assert_eq!(found["attacks"][0]["source"], if suppressed == 0 { "release" } else { "certificate" });
}

// Chance

#[test]
fn choices_are_made_anew_unless_they_are_seeded() {
    let sections = "[skew]\nmethod = \"calibrated\"\n[release]\nform = \"bucketized\"\n";
    let once = |seed: &str| {
        let folder = skewed(sections);
        folder.output(&format!("{PUBLISH} {seed}"), 0);
        released(&folder, "quasi.csv")
    };
    assert_ne!(once(""), once(""), "which records are withheld is drawn by lot");
    assert_eq!(once("--insecure-seed 7"), once("--insecure-seed 7"));
}

/// Which place the frequent value has among the first three is drawn by lot.
#[test]
fn the_frequent_value_stands_anywhere_among_the_first() {
    let mut places = [0; 3];
    for seed in 0..30 {
        let folder = skewed("[skew]\nmethod = \"calibrated\"\n");
        folder.output(&format!("{PUBLISH} --insecure-seed {seed}"), 0);
        let (header, rows) = cells(&folder, "release/data.csv");
        let at = header.iter().position(|name| name == "disease").unwrap();
        let of = |disease: &str| rows.iter().filter(|row| row[at] == disease).count();
        let frequent = of("d0");
        places[["d1", "d2"].iter().filter(|disease| of(disease) > frequent).count()] += 1;
    }
    assert!(places.iter().sum::<i32>() == 30 && places.iter().filter(|times| **times > 0).count() >= 2, "{places:?}");
}

// Verifying

#[test]
fn a_changed_statement_about_skew_is_found() {
    let folder = skewed("[skew]\nmethod = \"calibrated\"\n");
    publish(&folder);
    let text = released(&folder, "certificate.json");
    for (was, is) in [
        ("\"withheld\": 90", "\"withheld\": 9"),
        ("\"withheld\": 90", "\"withheld\": 18446744073709551615"),
        ("\"method\": \"calibrated\"", "\"method\": \"r-suppression\""),
        ("\"method\": \"calibrated\"", "\"method\": \"nothing\""),
        ("\"on\": \"disease\",\n    \"l\": 3", "\"on\": \"job\",\n    \"l\": 3"),
        ("\"on\": \"disease\",\n    \"l\": 3", "\"on\": \"disease\",\n    \"l\": 5"),
        ("\"on\": \"disease\",\n    \"l\": 3", "\"on\": \"disease\",\n    \"l\": 0"),
    ] {
        assert!(text.contains(was), "{was}");
        folder.write("release/certificate.json", text.replacen(was, is, 1));
        assert_eq!(folder.json("verify release --json", 5)["holds"], false, "{is}");
    }
}
