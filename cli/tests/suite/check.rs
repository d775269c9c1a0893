//! `sfumato check`: what it finds, measures and prints.

use crate::support::{Folder, Input, assert_close, check, check_in, fails, holds, plan, shared_data};
use predicates::str::contains;
use serde_json::{Value, json};
use std::f64::consts::{LN_2, SQRT_2};
use std::path::Path;

/// Machanavajjhala et al. 2007, Figure 2: 4-anonymous.
const FIGURE_2: &str = "\
zip,age,nationality,condition
130**,<30,*,Heart Disease
130**,<30,*,Heart Disease
130**,<30,*,Viral Infection
130**,<30,*,Viral Infection
1485*,≥40,*,Cancer
1485*,≥40,*,Heart Disease
1485*,≥40,*,Viral Infection
1485*,≥40,*,Viral Infection
130**,3*,*,Cancer
130**,3*,*,Cancer
130**,3*,*,Cancer
130**,3*,*,Cancer
";

/// Machanavajjhala et al. 2007, Figure 4: 3-diverse.
const FIGURE_4: &str = "\
zip,age,nationality,condition
1305*,≤40,*,Heart Disease
1305*,≤40,*,Viral Infection
1305*,≤40,*,Cancer
1305*,≤40,*,Cancer
1485*,>40,*,Cancer
1485*,>40,*,Heart Disease
1485*,>40,*,Viral Infection
1485*,>40,*,Viral Infection
1306*,≤40,*,Heart Disease
1306*,≤40,*,Viral Infection
1306*,≤40,*,Cancer
1306*,≤40,*,Cancer
";

/// Two groups of three.
fn clinic() -> Input {
    Input::groups(&[&["flu", "flu", "cancer"], &["flu", "cancer", "HIV"]])
}

// The paper's tables

#[test]
fn figure_2_is_4_anonymous_and_its_third_block_is_homogeneous() {
    let found = check(
        &Input::new(FIGURE_2),
        &[
            ("k-anonymity", "k = 4", holds(4.0)),
            ("k-anonymity", "k = 5", fails(4.0)),
            ("distinct-l-diversity", "l = 2", fails(1.0)),
            ("frequency-l-diversity", "l = 2", fails(1.0)),
            ("entropy-l-diversity", "l = 1.1", fails(1.0)),
            ("recursive-cl-diversity", "c = 1000; l = 2", fails(f64::INFINITY)),
        ],
    );
    assert_eq!((&found["records"], &found["groups"]), (&json!(12), &json!(3)));
    assert_eq!(found["criteria"][2]["worst_group"], json!({ "size": 4, "first_record": 9 }));
    assert_eq!(found["criteria"][2]["violating"], json!({ "groups": 1, "records": 4 }));
}

#[test]
fn figure_4_holds_distinct_3_and_entropy_2_8_but_not_entropy_3() {
    check(
        &Input::new(FIGURE_4),
        &[
            ("distinct-l-diversity", "l = 3", holds(3.0)),
            ("entropy-l-diversity", "l = 2.8", holds(2.0 * SQRT_2)),
            ("entropy-l-diversity", "l = 3", fails(2.0 * SQRT_2)),
        ],
    );
}

// Thresholds are exact

#[test]
fn recursive_diversity_is_strict_at_55_against_50() {
    let values: Vec<&str> = [["flu"; 55].as_slice(), ["cancer"; 50].as_slice()].concat();
    check(
        &Input::groups(&[&values]),
        &[
            ("recursive-cl-diversity", "c = 1.1; l = 2", fails(1.1)),
            ("recursive-cl-diversity", "c = \"1.1\"; l = 2", fails(1.1)),
            ("recursive-cl-diversity", "c = 1.10000000000000000001; l = 2", holds(1.1)),
        ],
    );
}

#[test]
fn l_equally_frequent_values_have_entropy_l_and_no_more() {
    for l in 2..=50 {
        let values: Vec<String> = (0..3 * l).map(|at| format!("v{}", at % l)).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let measured = f64::from(l);
        let (exactly, more) = (format!("l = {l}"), format!("l = {l}.0000000000000001"));
        check(
            &Input::groups(&[&values]),
            &[
                ("entropy-l-diversity", &exactly, holds(measured)),
                ("entropy-l-diversity", &more, fails(measured)),
                ("distinct-l-diversity", &exactly, holds(measured)),
                ("frequency-l-diversity", &exactly, holds(measured)),
                ("frequency-l-diversity", &more, fails(measured)),
            ],
        );
    }
}

#[test]
fn decimals_mean_what_is_written_as_text_or_number() {
    // 6 in 10 against 1 in 2: as floats, 0.6 − 0.5 is below 0.1.
    let six_to_four = ["a", "a", "a", "a", "a", "a", "b", "b", "b", "b"];
    let four_to_six = ["a", "a", "a", "a", "b", "b", "b", "b", "b", "b"];
    let found = check(
        &Input::groups(&[&six_to_four, &four_to_six]),
        &[
            ("t-closeness", "t = 0.1", holds(0.1)),
            ("t-closeness", "t = \"0.1\"", holds(0.1)),
            ("t-closeness", "t = 0.10", holds(0.1)),
            ("t-closeness", "t = 1e-1", holds(0.1)),
            ("t-closeness", "t = 0.09999999999999999999", fails(0.1)),
            ("t-closeness", "t = \"0.09999999999999999999\"", fails(0.1)),
            ("alpha-k-anonymity", "alpha = 0.6; k = 10", holds(0.6)),
            ("alpha-k-anonymity", "alpha = 0.59999999999999999999; k = 10", fails(0.6)),
        ],
    );
    assert_eq!(found["criteria"][4]["params"]["t"], "0.09999999999999999999", "not rounded in the report");
}

// What each criterion measures

#[test]
fn every_criterion_measures_its_strongest_parameter() {
    let found = check(
        &clinic(),
        &[
            ("k-anonymity", "k = 3", holds(3.0)),
            ("alpha-k-anonymity", "alpha = 0.6; k = 3", fails(2.0 / 3.0)),
            ("distinct-l-diversity", "l = 3", fails(2.0)),
            ("frequency-l-diversity", "l = 1.5", holds(1.5)),
            ("entropy-l-diversity", "l = 2", fails(3.0 / 4f64.cbrt())),
            ("recursive-cl-diversity", "c = 2; l = 2", fails(2.0)),
            ("pd-recursive-cl-diversity", "c = 1; l = 2; dont_care = [\"flu\"]", holds(0.5)),
            ("npd-recursive-cl-diversity", "c1 = 3; c2 = 33; l = 2; keep = [\"cancer\"]", holds(2.0)),
            ("npd-recursive-cl-diversity", "c1 = 3; c2 = 34; l = 2; keep = [\"cancer\"]", fails(2.0)),
            ("npd-recursive-cl-diversity", "c1 = 3; c2 = 1; l = 2; keep = [\"HIV\"]", fails(2.0)),
            ("entropy-l-diversity-dont-care", "l = 2; dont_care = [\"flu\"]", holds(2.0)),
            ("t-closeness", "t = 0.2", holds(1.0 / 6.0)),
            ("delta-disclosure", "delta = 1", fails(f64::INFINITY)),
            ("delta-disclosure", "delta = 1; absent = \"ignore\"", holds(LN_2)),
            ("beta-likeness", "beta = 1", holds(1.0)),
            ("beta-likeness", "beta = 0.99", fails(1.0)),
        ],
    );
    assert_eq!(found["criteria"][1]["measured_k"], json!(3.0));
    assert_close(&found["criteria"][7]["measured_c2"], 100.0 / 3.0, "cancer has a third of each group");
    assert_close(&found["criteria"][9]["measured_c2"], 0.0, "the first group lacks HIV");
}

/// Li et al. 2007, Section 5.2.
#[test]
fn ordered_distance_follows_numbers_or_the_declared_order() {
    let salaries = Input::groups(&[&["3", "4", "5"], &["6", "11", "8"], &["7", "9", "10"]]);
    check(
        &salaries,
        &[
            ("t-closeness", "t = 0.375; distance = \"ordered\"", holds(0.375)),
            ("t-closeness", "t = 0.3749; distance = \"ordered\"", fails(0.375)),
        ],
    );
    let stages = Input::groups(&[&["mild", "fair"], &["fair", "grave"]])
        .columns("group = \"quasi\"\nvalue = { role = \"sensitive\", order = [\"mild\", \"fair\", \"grave\"] }");
    check(&stages, &[("t-closeness", "t = 0.25; distance = \"ordered\"", holds(0.25))]);
}

#[test]
fn hierarchical_distance_is_smaller_between_relatives() {
    let groups: [&[&str]; 2] = [&["gastritis", "gastritis", "pneumonia"], &["ulcer", "ulcer", "pneumonia"]];
    let input = Input::groups(&groups)
        .columns("group = \"quasi\"\nvalue = { role = \"sensitive\", hierarchy = { file = \"organs.csv\" } }");
    let expected = [
        ("t-closeness", "t = 0.2; distance = \"equal\"", fails(1.0 / 3.0)),
        ("t-closeness", "t = 0.2; distance = \"hierarchical\"", holds(1.0 / 6.0)),
    ];
    let folder = input.folder(&expected.map(|(name, params, _)| (name, params)));
    folder.write("organs.csv", "gastritis;stomach;*\nulcer;stomach;*\npneumonia;lung;*\n");
    check_in(&folder, "table.csv", &expected);
}

#[test]
fn an_attacker_who_knows_the_joint_distribution_is_modelled() {
    let values: Vec<&str> = [["flu"; 9].as_slice(), &["cancer"]].concat();
    let expected = [
        ("bayes-optimal", "rho1 = 0.6; rho2 = 0.9; joint = \"joint.csv\"", holds(0.9)),
        ("bayes-optimal", "rho1 = 0.6; rho2 = 0.89; joint = \"joint.csv\"", fails(0.9)),
    ];
    let folder = Input::groups(&[&values]).folder(&expected.map(|(name, params, _)| (name, params)));
    folder.write("joint.csv", "group,value,weight\n1,flu,0.5\n1,cancer,0.5\n");
    check_in(&folder, "table.csv", &expected);
}

#[test]
fn several_sensitive_columns_are_diverse_only_if_each_is_when_the_others_are_known() {
    let columns = "zip = \"quasi\"\ndisease = \"sensitive\"\ndrug = \"sensitive\"\n";
    let table = "zip,disease,drug\n1,flu,A\n1,flu,B\n1,cancer,A\n1,cancer,B\n";
    let found = check(
        &Input::new(table).columns(columns),
        &[
            ("multi-attribute-distinct-l-diversity", "l = 2", holds(2.0)),
            ("multi-attribute-frequency-l-diversity", "l = 2", holds(2.0)),
            ("multi-attribute-entropy-l-diversity", "l = 2", holds(2.0)),
            ("multi-attribute-recursive-cl-diversity", "c = 2; l = 2", holds(1.0)),
        ],
    );
    assert_eq!(found["criteria"][0]["on"], json!(["disease", "drug"]));
    let told = "zip,disease,drug\n1,flu,A\n1,flu,A\n1,cancer,B\n1,cancer,B\n";
    check(
        &Input::new(told).columns(columns),
        &[
            ("distinct-l-diversity", "on = \"disease\"; l = 2", holds(2.0)),
            ("multi-attribute-distinct-l-diversity", "l = 2", fails(1.0)),
        ],
    );
}

#[test]
fn sensitive_values_restrict_diversity_to_those_values() {
    let groups = Input::groups(&[&["healthy", "healthy", "healthy"], &["HIV", "healthy", "healthy"]]);
    let diversity = [("distinct-l-diversity", "l = 2"), ("frequency-l-diversity", "l = 3")];
    check(&groups, &diversity.map(|(name, params)| (name, params, fails(1.0))));
    let binary = groups.columns("group = \"quasi\"\nvalue = { role = \"sensitive\", sensitive_values = [\"HIV\"] }");
    check(
        &binary,
        &[
            ("distinct-l-diversity", "l = 2", holds(2.0)),
            ("frequency-l-diversity", "l = 3", holds(3.0)),
            ("frequency-l-diversity", "l = 3.1", fails(3.0)),
        ],
    );
}

// How records are grouped

#[test]
fn values_are_taken_as_they_stand_and_need_no_hierarchy() {
    let spellings = "zip,disease\n130**,flu\n130** ,flu\n130*,flu\n*,flu\n";
    let found = check(&Input::new(spellings), &[("k-anonymity", "k = 1", holds(1.0))]);
    assert_eq!(found["groups"], 4);
}

#[test]
fn a_release_recoded_by_the_plans_hierarchies_is_accepted_on_every_level() {
    let columns = "zip = { role = \"quasi\", hierarchy = { redact = 5 } }\n\
                   age = { role = \"quasi\", hierarchy = { intervals = [5, 10] } }\n\
                   disease = \"sensitive\"\n";
    let release = "zip,age,disease\n13053,30-34,flu\n130**,30-39,flu\n*****,*,flu\n*,33,flu\n";
    check(&Input::new(release).columns(columns), &[("k-anonymity", "k = 2", fails(1.0))]);
}

#[test]
fn a_release_recoded_in_another_way_is_accepted_when_told() {
    let columns = "zip = { role = \"quasi\", hierarchy = { file = \"zip.csv\" } }\ndisease = \"sensitive\"\n";
    let folder = Input::new("zip,disease\nnorth,flu\nnorth,flu\n").columns(columns).folder(&[("k-anonymity", "k = 2")]);
    folder.write("zip.csv", "13053;130**\n13068;130**\n");
    folder.run("check table.csv --plan plan.toml").code(3);
    folder.run("check table.csv --plan plan.toml --recoded").code(0);
}

#[test]
fn a_plan_serves_its_release_in_which_identifiers_are_gone() {
    let columns = "name = \"identifier\"\nzip = \"quasi\"\ndisease = \"sensitive\"\nstay = \"insensitive\"\n";
    check(&Input::new("zip,disease\n1,flu\n1,flu\n").columns(columns), &[("k-anonymity", "k = 2", holds(2.0))]);
}

/// A bucketized release, its quasi-identifiers and its sensitive values in two tables.
fn bucketized() -> Folder {
    let columns = "zip = \"quasi\"\ndisease = \"sensitive\"\n";
    let criteria = [("k-anonymity", "k = 2"), ("distinct-l-diversity", "l = 2"), ("t-closeness", "t = 0.5")];
    Folder::new(&[
        ("release/quasi.csv", "zip,bucket\n13053,1\n13068,1\n14850,2\n14853,2\n"),
        ("release/sensitive.csv", "bucket,disease,count\n1,flu,1\n1,cancer,1\n2,flu,2\n"),
        ("other/people.csv", "zip,bucket\n13053,1\n13068,1\n14850,2\n14853,2\n"),
        ("other/values.csv", "bucket,value,count\n2,flu,2\n1,cancer,1\n1,flu,1\n"),
        ("joined.csv", "zip,cluster,disease\n1,A,flu\n2,A,cancer\n3,B,flu\n4,B,flu\n"),
        ("equal.csv", "zip,disease\nA,flu\nA,cancer\nB,flu\nB,flu\n"),
        ("plan.toml", &plan(columns, &criteria)),
    ])
}

#[test]
fn a_bucketized_pair_is_checked_like_the_generalized_table_with_its_groups() {
    let folder = bucketized();
    let expected = folder.json("check equal.csv --plan plan.toml --json", 1);
    assert_eq!(verdicts(&expected), [(true, 2.0), (false, 1.0), (true, 0.25)]);
    for pair in [
        "release --groups bucket",
        "release/quasi.csv --groups bucket",
        "other/people.csv --groups bucket --sensitive other/values.csv",
        "joined.csv --groups cluster",
    ] {
        let found = folder.json(&format!("check {pair} --plan plan.toml --json"), 1);
        assert_eq!(verdicts(&found), verdicts(&expected), "{pair}");
        assert_eq!((&found["records"], &found["groups"]), (&json!(4), &json!(2)), "{pair}");
    }
}

#[test]
fn groups_can_be_given_by_a_column_that_has_a_role() {
    let folder =
        Input::new("zip,age,disease\n1,30,flu\n1,40,cancer\n2,30,flu\n2,50,flu\n").folder(&[("k-anonymity", "k = 2")]);
    folder.run("check table.csv --plan plan.toml").code(1);
    let found = folder.json("check table.csv --plan plan.toml --groups zip --json", 0);
    assert_eq!((&found["records"], &found["groups"]), (&json!(4), &json!(2)));
}

fn verdicts(document: &Value) -> Vec<(bool, f64)> {
    let criteria = document["criteria"].as_array().unwrap();
    criteria.iter().map(|found| (found["holds"].as_bool().unwrap(), found["measured"].as_f64().unwrap())).collect()
}

// What is printed

#[test]
fn the_document_has_the_promised_form() {
    let input = Input::groups(&[&["flu", "cancer", "HIV", "HIV"]]);
    let found = check(
        &input,
        &[("entropy-l-diversity", "on = \"value\"; l = 3", fails(2.0 * SQRT_2)), ("k-anonymity", "k = 2", holds(4.0))],
    );
    let expected = json!({
        "records": 4,
        "groups": 1,
        "holds": false,
        "criteria": [
            {
                "criterion": "entropy-l-diversity",
                "on": "value",
                "params": { "l": "3" },
                "holds": false,
                "measured": found["criteria"][0]["measured"],
                "worst_group": { "size": 4, "first_record": 1 },
                "violating": { "groups": 1, "records": 4 },
                "eligibility": { "eligible": false, "l": 3, "too_frequent": 0.5 },
            },
            {
                "criterion": "k-anonymity",
                "on": null,
                "params": { "k": "2" },
                "holds": true,
                "measured": 4.0,
                "worst_group": { "size": 4, "first_record": 1 },
                "violating": { "groups": 0, "records": 0 },
            },
        ],
    });
    assert_eq!(found, expected);
}

#[test]
fn people_read_each_criterion_with_its_verdict_its_value_and_the_size_of_its_worst_group() {
    let folder = Input::groups(&[&["flu"; 12], &["flu", "cancer", "HIV", "HIV", "HIV"]]).folder(&[
        ("k-anonymity", "k = 5"),
        ("distinct-l-diversity", "l = 2"),
        ("recursive-cl-diversity", "c = 3; l = 2"),
    ]);
    let text = folder.output("check table.csv --plan plan.toml", 1);
    let line =
        |name: &str| text.lines().find(|line| line.contains(name)).unwrap().split_whitespace().collect::<Vec<_>>();
    assert!(text.starts_with("17 records in 2 groups"), "{text}");
    assert_eq!(line("k-anonymity"), ["✓", "k-anonymity", "k", "=", "5", "5", "5", "records"]);
    let distinct = line("distinct-l-diversity");
    assert_eq!(distinct[..5], ["✗", "distinct-l-diversity", "value", "l", "="]);
    assert_eq!(distinct[5..], ["2", "1", "12", "records", "1", "group,", "12", "records"]);
    assert!(line("recursive-cl-diversity").contains(&"∞"));
    assert!(text.contains("No grouping of these records can satisfy recursive-cl-diversity on value: one value has 76.5 % of them, where at most one in 2 (50.0 %) is possible"), "{text}");
    assert!(text.ends_with("✗ 2 of 3 criteria do not hold.\n"), "{text}");

    let folder = clinic().folder(&[("k-anonymity", "k = 3"), ("distinct-l-diversity", "l = 2")]);
    let text = folder.output("check table.csv --plan plan.toml", 0);
    assert!(text.ends_with("✓ Both criteria hold.\n"), "{text}");
}

// Public data, where it is at hand

/// A folder with one CSV table of Adult's complete rows.
fn adult(folder: &Path) -> Folder {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let (training, test) = (read("adult.data"), read("adult.test"));
    let mut table = String::from("everyone,occupation\n");
    for line in training.lines().chain(test.lines()) {
        let cells: Vec<&str> = line.split(", ").collect();
        if cells.len() == 15 && !cells.contains(&"?") {
            table += &format!("1,{}\n", cells[6]);
        }
    }
    Folder::new(&[("table.csv", &table)])
}

#[test]
fn adults_occupations_have_the_published_entropy() {
    let Some(data) = shared_data("adult") else { return };
    let folder = adult(&data);
    let columns = "everyone = \"quasi\"\noccupation = \"sensitive\"\n";
    let criteria = [("entropy-l-diversity", "l = 10.566"), ("entropy-l-diversity", "l = 10.568")];
    folder.write("plan.toml", plan(columns, &criteria));
    let found = folder.json("check table.csv --plan plan.toml --json", 1);
    assert_eq!((&found["records"], &found["groups"]), (&json!(45_222), &json!(1)));
    assert_eq!((&found["criteria"][0]["holds"], &found["criteria"][1]["holds"]), (&json!(true), &json!(false)));
    assert_eq!(rounded(&found["criteria"][0]["measured"], 3), "10.567");
}

#[test]
fn adults_occupations_by_sex_have_the_published_hierarchical_distance_however_often_repeated() {
    let Some(data) = shared_data("adult-arx") else { return };
    let hierarchy = data.join("adult_hierarchy_occupation.csv");
    let columns = format!(
        "sex = \"quasi\"\noccupation = {{ role = \"sensitive\", hierarchy = {{ file = '{}' }} }}\n",
        hierarchy.display()
    );
    // Female has 0.1902, Male 0.0913.
    let distances = ["0.05", "0.0912", "0.0914", "0.1901", "0.1903"];
    let params = distances.map(|t| format!("t = {t}; distance = \"hierarchical\""));
    let criteria: Vec<(&str, &str)> = params.iter().map(|params| ("t-closeness", params.as_str())).collect();
    let once = std::fs::read_to_string(data.join("adult.csv")).unwrap();
    let (header, rows) = once.split_once('\n').unwrap();
    let folder = Folder::new(&[("plan.toml", &plan(&columns, &criteria))]);
    for times in [1, 8] {
        folder.write("table.csv", format!("{header}\n{}", rows.repeat(times)));
        let found = folder.json("check table.csv --plan plan.toml --json", 1);
        assert_eq!(found["records"], 30_162 * times);
        let violating: Vec<&Value> = (0..5).map(|at| &found["criteria"][at]["violating"]["groups"]).collect();
        assert_eq!(violating, [2, 2, 1, 1, 0]);
        assert_eq!(found["criteria"][0]["holds"], false);
        assert_eq!(found["criteria"][4]["holds"], true);
        assert_eq!(rounded(&found["criteria"][0]["measured"], 4), "0.1902");
    }
}

fn rounded(number: &Value, places: usize) -> String {
    format!("{:.places$}", number.as_f64().unwrap())
}

#[test]
fn a_plan_that_requires_nothing_is_no_gate() {
    let folder = Input::groups(&[&["flu"]]).folder(&[]);
    folder.run("check table.csv --plan plan.toml").code(2).stdout("").stderr(contains("requires nothing"));
}

#[test]
fn the_plans_own_table_is_checked_when_none_is_named() {
    let columns = "zip = \"quasi\"\ndisease = \"sensitive\"\n";
    let plan = format!("[data]\npath = \"table.csv\"\n{}", plan(columns, &[("k-anonymity", "k = 2")]));
    let folder = Folder::new(&[("sub/table.csv", "zip,disease\n1,flu\n1,flu\n"), ("sub/plan.toml", &plan)]);
    folder.run("check --plan sub/plan.toml").code(0);
    let nameless = plan.replace("[data]\npath = \"table.csv\"\n", "");
    folder.write("plan.toml", nameless);
    folder.run("check --plan plan.toml").code(2).stderr(contains("no table is named"));
}

#[test]
fn one_number_written_in_two_ways_is_no_diversity() {
    for values in [["1", "1.0"], ["2.50", "2.5"], ["1e1", "10.0"]] {
        let table = format!("zip,price\na,{}\na,{}\nb,0.5\nb,7\n", values[0], values[1]);
        let columns = "zip = \"quasi\"\nprice = \"sensitive\"\n";
        let folder = Input::new(table).columns(columns).folder(&[("distinct-l-diversity", "l = 2")]);
        assert_eq!(folder.json("check table.csv --plan plan.toml --json", 1)["criteria"][0]["measured"], 1.0);
    }
}
