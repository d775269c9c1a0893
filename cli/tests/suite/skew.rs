//! Tables in which one value is too frequent, from the refusal to the release.

use crate::support;
use crate::support::publishing::{cells, columns_for, folder, publish, publish_internally, refuse, released};
use crate::support::{Folder, assert_close};
use serde_json::{Value, json};

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
    folder(&people(&FREQUENT), &columns_for(COLUMNS, sections), &format!("{DIVERSE}{sections}"))
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
        "an attacker who computes it may believe more",
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
    refuse(&both, PUBLISH, 2, &["[skew]", "\"job\" and \"disease\"", "[skew] on"]);
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
        let report = released(&folder, "report.html");
        for part in [
            "Withheld first",
            "sure which value was the most frequent; 33.3\u{a0}% was claimed",
            "the original table has other shares",
            "No further record",
        ] {
            assert!(report.contains(part), "{method}: {part}");
        }
        assert!(!report.contains("the same shares"), "{method}");
        let told = certificate["not_promised"].to_string();
        assert!(told.contains("about the most frequent value alone") && told.contains("drawn once"), "{told}");
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
            let known = publish_internally(&folder);
            assert_eq!(known["skew"]["withheld"], 90, "{method}");
            let left = known["published"].as_u64().unwrap() + known["suppressed"].as_u64().unwrap();
            assert_eq!(left, 90, "{method}");
            let belief = eligibility(&known)["highest_belief"].as_f64().unwrap();
            assert!(belief <= 1.0 / 3.0 && (known["suppressed"] != 0 || belief > 0.333), "{method}: {belief}");
            // Where the method may suppress further records, only how many are missing in all is
            // public.
            let certificate: Value = serde_json::from_str(&released(&folder, "certificate.json")).unwrap();
            let is_public = !certificate["skew"]["withheld"].is_null();
            let missing = if is_public { &certificate["skew"]["withheld"] } else { &certificate["suppressed"] };
            assert_eq!(*missing, 180 - certificate["published"].as_u64().unwrap(), "{method}");
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

/// Where a method suppresses more, the release does not show all that was left; nor does the
/// certificate.
#[test]
fn what_a_method_suppresses_besides_is_not_told_apart() {
    let table = format!("{}99,pilot,d4\n", people(&FREQUENT));
    let sections = format!(
        "{DIVERSE}[[require]]\ncriterion = \"k-anonymity\"\nk = 3\n[skew]\nmethod = \"safe-d\"\n[release]\nmax_suppressed = \"10%\"\n"
    );
    let folder = folder(&table, COLUMNS, &sections);
    let certificate = publish(&folder);
    let [records, published, suppressed] =
        ["records", "published", "suppressed"].map(|key| certificate[key].as_u64().unwrap());
    assert_eq!(records, published + suppressed);
    assert!(certificate["skew"]["withheld"].is_null());
    assert!(certificate["undisclosed_attacks"].to_string().contains("eligibility"));
    let found = folder.json("attack release --only eligibility --json", 0);
    assert_eq!(found["attacks"], json!([]));
}

/// Whether records are withheld depends on frequencies and l alone: neither on what else satisfies
/// a criterion, nor on which values need protection.
#[test]
fn what_is_withheld_depends_on_frequencies_alone() {
    let skew = |l: &str| format!("[skew]\nmethod = \"calibrated\"\n{l}");
    let withheld = |columns: &str, criterion: &str, l: &str| {
        let require = format!("[[require]]\ncriterion = \"{criterion}\n{}", skew(l));
        publish(&folder(&people(&FREQUENT), columns, &require))["skew"]["withheld"].clone()
    };
    // Everybody in one group satisfies these as they are.
    assert_eq!(withheld(COLUMNS, "distinct-l-diversity\"\nl = 3", ""), 90);
    assert_eq!(withheld(COLUMNS, "entropy-l-diversity\"\nl = 2.5", ""), 90);
    assert_eq!(withheld(COLUMNS, "k-anonymity\"\nk = 3", "l = 3\n"), 90);
    for protected in ["d0", "d1"] {
        let spec = format!("{{ role = \"sensitive\", sensitive_values = [\"{protected}\"] }}");
        let columns = COLUMNS.replace("\"sensitive\"", &spec);
        assert_eq!(withheld(&columns, "frequency-l-diversity\"\nl = 3", ""), 90, "{protected}");
    }
    let sizes =
        folder(&people(&FREQUENT), COLUMNS, &format!("[[require]]\ncriterion = \"k-anonymity\"\nk = 3\n{}", skew("")));
    refuse(&sizes, PUBLISH, 2, &["[skew]", "among how many values"]);
    // Of two columns with criteria, the plan may name the one that is in the way.
    let columns = COLUMNS.replace("job = \"quasi\"", "job = \"sensitive\"");
    let both = format!("{DIVERSE}[[require]]\ncriterion = \"distinct-l-diversity\"\non = \"job\"\nl = 3\n");
    let with = |l: &str| folder(&people(&FREQUENT), &columns, &format!("{both}{}", skew(l)));
    let named = publish(&with("on = \"disease\"\nl = 4\n"));
    assert_eq!((&named["skew"]["on"], &named["skew"]["l"]), (&json!("disease"), &json!(4)));
    refuse(&with("l = 4\n"), PUBLISH, 2, &["which column"]);
    refuse(&with("on = \"diseas\"\n"), PUBLISH, 2, &["did you mean \"disease\"?"]);
}

#[test]
fn the_attack_is_made_whatever_the_plan_names() {
    let folder = skewed("[skew]\nmethod = \"r-suppression\"\n[[attack]]\nattack = \"homogeneity\"\n");
    let certificate = publish(&folder);
    let names: Vec<&Value> = certificate["attacks"].as_array().unwrap().iter().map(|one| &one["attack"]).collect();
    assert_eq!(names, ["homogeneity", "linkage", "background-knowledge", "minimality", "eligibility"]);
}

/// Too few records are not a value that is too frequent.
#[test]
fn too_few_records_are_another_matter() {
    let folder = folder(
        &people(&[38, 31, 31]),
        COLUMNS,
        "[[require]]\ncriterion = \"alpha-k-anonymity\"\nalpha = 0.4\nk = 300\n",
    );
    let checked = folder.json("check table.csv --plan plan.toml --json", 1);
    assert_eq!(checked["criteria"][0]["eligibility"]["eligible"], true);
    refuse(&folder, PUBLISH, 4, &["alpha-k-anonymity"]);
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

/// Where the most frequent value stands is drawn by lot: with the most records in one of three
/// cases.
#[test]
fn the_frequent_value_stands_first_in_one_of_three_cases() {
    let first = (0..60).filter(|seed| {
        let folder = skewed("[skew]\nmethod = \"calibrated\"\n");
        folder.output(&format!("{PUBLISH} --insecure-seed {seed}"), 0);
        let (header, rows) = cells(&folder, "release/data.csv");
        let at = header.iter().position(|name| name == "disease").unwrap();
        let of = |disease: &str| rows.iter().filter(|row| row[at] == disease).count();
        of("d0") > of("d1")
    });
    // Outside of this less than once in ten thousand.
    assert!((7..=35).contains(&first.count()));
}

// Verifying

/// The claims that fail, but for the seal, which whoever deceives can make anew.
fn failed(folder: &Folder) -> Vec<String> {
    let found = folder.json("verify release --json", 5);
    let claims = found["claims"].as_array().unwrap().iter().filter(|claim| claim["holds"] == false);
    claims
        .map(|claim| claim["claim"].as_str().unwrap().to_string())
        .filter(|name| name != "seal of the certificate")
        .collect()
}

#[test]
fn a_changed_statement_about_skew_is_found() {
    let folder = skewed("[skew]\nmethod = \"calibrated\"\n");
    publish(&folder);
    let text = released(&folder, "certificate.json");
    for (was, is, claim) in [
        ("\"withheld\": 90", "\"withheld\": 9", "records"),
        ("\"withheld\": 90", "\"withheld\": 18446744073709551615", "figures"),
        ("\"method\": \"calibrated\"", "\"method\": \"r-suppression\"", "skew"),
        ("\"method\": \"calibrated\"", "\"method\": \"nothing\"", "figures"),
        ("\"on\": \"disease\",\n    \"l\": 3", "\"on\": \"job\",\n    \"l\": 3", "figures"),
        ("\"on\": \"disease\",\n    \"l\": 3", "\"on\": \"disease\",\n    \"l\": 5", "attack: eligibility on disease"),
        ("\"on\": \"disease\",\n    \"l\": 3", "\"on\": \"disease\",\n    \"l\": 0", "figures"),
        ("\"on\": \"disease\",\n    \"l\": 3", "\"on\": \"disease\",\n    \"l\": 9223372036854775808", "figures"),
        ("\"is_kept\": true", "\"is_kept\": false", "skew"),
        ("\"knowledge\": \"the method, l", "\"knowledge\": \"nothing, l", "skew"),
    ] {
        assert!(text.contains(was), "{was}");
        folder.write("release/certificate.json", text.replacen(was, is, 1));
        let failed = failed(&folder);
        assert!(failed.iter().any(|name| name == claim), "{is}: {failed:?}");
    }
}

/// What the bound leaves, with l = 3 of 100, 40, 20, 10 and 10, is nothing that calibrated
/// suppression would leave.
#[test]
fn the_bound_does_not_pass_for_something_else() {
    let folder = folder(&people(&[40, 40, 20, 10, 10]), COLUMNS, DIVERSE);
    publish(&folder);
    let plain = released(&folder, "certificate.json");
    let other = skewed("[skew]\nmethod = \"calibrated\"\n");
    publish(&other);
    let stated: Value = serde_json::from_str(&released(&other, "certificate.json")).unwrap();
    let mut forged: Value = serde_json::from_str(&plain).unwrap();
    forged["records"] = json!(180);
    forged["skew"] = stated["skew"].clone();
    forged["skew"]["withheld"] = json!(60);
    let mut attacks = forged["attacks"].as_array().unwrap().clone();
    attacks.push(eligibility(&stated).clone());
    forged["attacks"] = attacks.into();
    folder.write("release/certificate.json", forged.to_string());
    let failed = failed(&folder);
    assert!(failed.iter().any(|name| name == "attack: eligibility on disease"), "{failed:?}");
}

/// A certificate that somebody made up must not keep anybody busy for ever.
#[test]
fn too_much_to_count_is_not_counted() {
    let folder = skewed("[skew]\nmethod = \"r-suppression\"\n");
    let certificate = publish(&folder);
    let withheld = certificate["skew"]["withheld"].as_u64().unwrap();
    let text = released(&folder, "certificate.json");
    let forged = text.replacen(&format!("\"withheld\": {withheld}"), "\"withheld\": 100000000000", 1);
    folder.write("release/certificate.json", forged.replacen("\"records\": 180", "\"records\": 100000000080", 1));
    assert!(!failed(&folder).is_empty());
    let many: Vec<usize> = std::iter::once(6000).chain([1; 2100]).collect();
    let many =
        support::publishing::folder(&people(&many), COLUMNS, &format!("{DIVERSE}[skew]\nmethod = \"r-suppression\"\n"));
    let certificate = publish(&many);
    assert_eq!(eligibility(&certificate)["highest_belief"], 1.0);
    assert!(many.output("attack release --only eligibility", 0).contains("inconclusive"));
}
