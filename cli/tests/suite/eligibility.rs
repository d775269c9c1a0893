//! `sfumato inspect --eligibility`: what it finds, prints and refuses.

use crate::support::{CANARY, Folder, assert_close};
use predicates::str::contains;
use serde_json::{Value, json};

/// The example of the paper on l-dichotomy: values with 10, 4, 2, 1 and 1 records. The most
/// frequent one must never be seen.
const FREQUENCIES: [(&str, usize); 5] = [(CANARY, 10), ("cold", 4), ("cough", 2), ("ulcer", 1), ("gout", 1)];

/// Its records, with ages, days and a second sensitive column.
fn table() -> String {
    let values = FREQUENCIES.iter().flat_map(|(value, count)| std::iter::repeat_n(value, *count));
    let row = |(at, value): (usize, &&str)| {
        format!("{},2021-03-{:02},{value},{}\n", 20 + at, 1 + at / 2, ["low", "high"][at % 2])
    };
    format!("age,admitted,disease,income\n{}", values.enumerate().map(row).collect::<String>())
}

const ONE: &str = "[columns]\nage = \"quasi\"\ndisease = \"sensitive\"\n";
const TWO: &str = "[columns]\nage = \"quasi\"\nincome = \"sensitive\"\ndisease = \"sensitive\"\n";

fn folder(plan: &str) -> Folder {
    Folder::new(&[("table.csv", &table()), ("plan.toml", plan)])
}

#[test]
fn the_document_has_costs_and_what_they_tell() {
    let found = folder(ONE).json("inspect table.csv --plan plan.toml --eligibility 3 --json", 0);
    let expected = json!({
        "column": "disease", "l": 3, "eligible": false, "records": 18, "values": 5, "values_above": 1, "largest_l": 1,
        "unsafe_d": 6, "safe_d": 10, "calibrated": 9,
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(found[name], *value, "{name} in {found:#}");
    }
    assert_close(&found["largest_share"], 10.0 / 18.0, "largest_share");
    assert_close(&found["r_expected"], 71.0 / 9.0, "r_expected");
    assert!(found.get("batches").is_none());
    assert!(found.get("columns").is_none(), "one column is the document itself");

    let posterior = &found["posterior"];
    let names: Vec<&String> = posterior.as_object().unwrap().keys().collect();
    assert_eq!(names, ["unsafe-d", "r-suppression", "calibrated", "safe-d"]);
    let random = posterior["r-suppression"].as_array().unwrap();
    assert_eq!(random[0]["published"], json!([4, 4, 2, 1, 1]));
    assert_close(&random[0]["probability"], 4.0 / 9.0, "the likeliest outcome");
    let belief = |sight: &Value| sight["max_belief"].as_f64().unwrap();
    assert!((belief(&random[0]) - 0.461).abs() < 5e-4, "{random:#?}");
    let probabilities: Vec<f64> = random.iter().map(|sight| sight["probability"].as_f64().unwrap()).collect();
    assert!(probabilities.is_sorted_by(|a, b| a >= b), "{probabilities:?}");
    let below = random.iter().find(|sight| sight["published"] == json!([3, 2, 2, 1, 1])).unwrap();
    assert!((belief(below) - 0.439).abs() < 5e-4, "{below:#}");
    let calibrated = posterior["calibrated"].as_array().unwrap();
    assert_eq!((calibrated.len(), &calibrated[0]["published"]), (1, &json!([3, 2, 2, 1, 1])));
    assert_close(&calibrated[0]["max_belief"], 1.0 / 3.0, "the belief that is promised");
    assert_eq!(posterior["safe-d"][0]["published"], json!([2, 2, 2, 1, 1]));
}

#[test]
fn without_a_plan_the_column_is_named() {
    let folder = folder(ONE);
    let named = folder.json("inspect table.csv --on disease --eligibility 3 --json", 0);
    assert_eq!(named, folder.json("inspect table.csv --plan plan.toml --eligibility 3 --json", 0));
}

#[test]
fn the_text_says_what_is_in_the_way_and_what_to_write() {
    let text = folder(ONE).output("inspect table.csv --plan plan.toml --eligibility 3", 0);
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("✗ disease is not 3-eligible") && first.contains("10 of 18 records (55.6 %)"), "{text}");
    assert!(first.contains("1/3 (33.3 %)"), "{text}");
    let line = |name: &str| text.lines().find(|line| line.split_whitespace().next() == Some(name)).unwrap();
    for (name, parts) in [
        ("unsafe-d", ["6", "33.3 %", "bound only"]),
        ("r-suppression", ["7.889", "46.1 %", "does not hold"]),
        ("calibrated", ["9", "33.3 %", "promises 1/3"]),
        ("safe-d", ["10", "55.6 %", "promises 1/3"]),
    ] {
        assert!(parts.iter().all(|part| line(name).contains(part)), "{name}:\n{text}");
    }
    assert!(text.contains("[skew] method = \"calibrated\""), "{text}");
    assert!(text.contains("--dates admitted"), "the option is pointed out:\n{text}");
}

#[test]
fn an_eligible_column_needs_nothing() {
    let folder = folder(TWO);
    let found = folder.json("inspect table.csv --plan plan.toml --on income --eligibility 2 --json", 0);
    assert_eq!((&found["eligible"], &found["largest_l"], &found["values_above"]), (&json!(true), &json!(2), &json!(0)));
    for cost in ["unsafe_d", "r_expected", "calibrated", "safe_d"] {
        assert_eq!(found[cost], 0, "{cost}");
    }
    assert!(found.get("posterior").is_none());
    let text = folder.output("inspect table.csv --plan plan.toml --on income --eligibility 2", 0);
    assert!(text.starts_with("✓ income is 2-eligible") && text.contains("Nothing needs to be withheld"), "{text}");
}

#[test]
fn with_too_few_values_no_suppression_helps() {
    let folder = folder(TWO);
    let found = folder.json("inspect table.csv --plan plan.toml --on income --eligibility 3 --json", 0);
    assert_eq!((&found["eligible"], &found["values"], &found["values_above"]), (&json!(false), &json!(2), &json!(2)));
    for cost in ["unsafe_d", "r_expected", "calibrated", "safe_d"] {
        assert!(found.as_object().unwrap().contains_key(cost) && found[cost].is_null(), "{cost}");
    }
    assert!(found.get("posterior").is_none());
    let text = folder.output("inspect table.csv --plan plan.toml --on income --eligibility 3", 0);
    assert!(text.contains("Whatever is withheld") && !text.contains("[skew]"), "{text}");
}

#[test]
fn nothing_is_published_where_everything_may_have_to_be_withheld() {
    let folder = Folder::new(&[("table.csv", "age,disease\n1,flu\n2,flu\n3,flu\n4,cold\n")]);
    let found = folder.json("inspect table.csv --on disease --eligibility 2 --json", 0);
    let random = found["posterior"]["r-suppression"].as_array().unwrap();
    let nothing = random.iter().find(|sight| sight["published"] == json!([])).unwrap();
    assert!(nothing["max_belief"].is_null(), "{nothing:#}");
}

#[test]
fn several_sensitive_columns_come_one_after_the_other() {
    let folder = folder(TWO);
    let found = folder.json("inspect table.csv --plan plan.toml --eligibility 3 --json", 0);
    let columns: Vec<&Value> = found["columns"].as_array().unwrap().iter().map(|column| &column["column"]).collect();
    assert_eq!(columns, ["income", "disease"]);
    for (name, value) in found["columns"][0].as_object().unwrap() {
        assert_eq!(found[name], *value, "{name}");
    }
    let text = folder.output("inspect table.csv --plan plan.toml --eligibility 3", 0);
    assert_eq!(text.lines().filter(|line| line.starts_with('✗')).count(), 2, "{text}");
    let chosen = folder.json("inspect table.csv --plan plan.toml --eligibility 3 --on disease --json", 0);
    assert_eq!(chosen, found["columns"][1]);
}

#[test]
fn missing_values_count_and_the_plan_says_what_they_are() {
    let folder = Folder::new(&[
        ("table.csv", "age;disease\n1;?\n2;\n3;flu\n4;cold\n"),
        ("plan.toml", &format!("[data]\nmissing = [\"\", \"?\"]\ndelimiter = \";\"\n{ONE}")),
    ]);
    let found = folder.json("inspect table.csv --plan plan.toml --eligibility 2 --json", 0);
    assert_eq!((&found["values"], &found["largest_share"]), (&json!(3), &json!(0.5)));
    let as_text = folder.json("inspect table.csv --on disease --eligibility 2 --delimiter ; --json", 0);
    assert_eq!((&as_text["values"], &as_text["largest_share"]), (&json!(4), &json!(0.25)));
}

// Batches

/// Two days of one week and of two years; then a day of the next week that is eligible, and a
/// record without a day.
const BATCHES: &str = "\
seen,disease
2020-12-31,flu
2020-12-31,flu
2020-12-31,cold
2021-01-01,cold
2021-01-04,flu
2021-01-04,cold
,flu
";

#[test]
fn batches_are_days_weeks_and_months() {
    let folder = Folder::new(&[("table.csv", BATCHES)]);
    let found = folder.json("inspect table.csv --on disease --eligibility 2 --dates seen --json", 0);
    let batches = found["batches"].as_array().unwrap();
    let of = |at: usize| {
        let one = &batches[at];
        ["period", "batches", "violating", "violating_records", "undated", "dates"].map(|key| one[key].clone())
    };
    assert_eq!(batches.len(), 3);
    assert_eq!(of(0), [json!("day"), json!(3), json!(2), json!(4), json!(1), json!("seen")]);
    assert_eq!(of(1), [json!("week"), json!(2), json!(0), json!(0), json!(1), json!("seen")]);
    assert_eq!(of(2), [json!("month"), json!(2), json!(2), json!(6), json!(1), json!("seen")]);
    // {flu 2, cold 1} loses one of three records, {cold 1} all, {flu 1, cold 1} none.
    assert_close(&batches[0]["rates"]["safe_d"], (1.0 / 3.0 + 1.0) / 3.0, "the rate of a day");
    assert_close(&batches[1]["rates"]["safe_d"], 0.0, "the rate of a week");

    let text = folder.output("inspect table.csv --on disease --eligibility 2 --dates seen", 0);
    assert!(text.contains("Published in batches by seen") && text.contains("1 record without a date"), "{text}");
    for period in ["day", "week", "month"] {
        assert!(text.lines().any(|line| line.split_whitespace().next() == Some(period)), "{period}:\n{text}");
    }
    assert!(!text.contains("--dates"), "there is nothing to point out:\n{text}");
}

#[test]
fn batches_of_one_length_can_be_chosen() {
    let folder = Folder::new(&[("table.csv", BATCHES)]);
    let found = folder.json("inspect table.csv --on disease --eligibility 2 --dates seen --batches week --json", 0);
    let periods: Vec<&Value> = found["batches"].as_array().unwrap().iter().map(|one| &one["period"]).collect();
    assert_eq!(periods, ["week"]);
}

// What is refused

#[test]
fn what_is_wrong_is_said() {
    let folder = folder(ONE);
    for (arguments, code, parts) in [
        ("--eligibility 3", 2, ["which column is sensitive", "--on"]),
        ("--eligibility 1 --on disease", 2, ["--eligibility", "at least 2"]),
        ("--eligibility -3 --on disease", 2, ["--eligibility", "at least 2"]),
        ("--eligibility 2.5 --on disease", 2, ["--eligibility", "a whole number"]),
        ("--eligibility 3 --on disaese", 2, ["no column \"disaese\"", "did you mean \"disease\"?"]),
        ("--eligibility 3 --plan plan.toml --on age", 2, ["\"age\" is not a sensitive column", "disease"]),
        ("--eligibility 3 --on disease --dates admited", 2, ["no column \"admited\"", "did you mean \"admitted\"?"]),
        ("--eligibility 3 --on disease --dates age", 3, ["\"age\" is not one of dates", "integer"]),
        ("--eligibility 3 --on age --dates disease", 3, ["\"disease\" is not one of dates", "record 1"]),
        ("--eligibility 3 --on disease --batches day", 2, ["--dates", "required"]),
        (
            "--eligibility 3 --on disease --dates admitted --batches year",
            2,
            ["year", "[possible values: day, week, month]"],
        ),
        ("--on disease", 2, ["--eligibility", "required"]),
        ("--plan plan.toml", 2, ["--eligibility", "required"]),
        ("--eligibility 3 --plan plan.toml --trim", 2, ["--plan", "--trim"]),
        ("--eligibility 3 --plan none.toml", 7, ["none.toml", "no such file"]),
    ] {
        let run = folder.run(&format!("inspect table.csv {arguments}")).code(code).stdout("");
        let error = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(parts.iter().all(|part| error.contains(part)), "`{arguments}` says {error:?}");
    }
}

#[test]
fn a_plan_without_sensitive_columns_is_named() {
    let folder = folder("[columns]\nage = \"quasi\"\n");
    let run = folder.run("inspect table.csv --plan plan.toml --eligibility 3").code(2).stdout("");
    run.stderr(contains("plan.toml")).stderr(contains("no sensitive column"));
}

#[test]
fn a_column_of_the_plan_that_the_table_lacks_is_the_plan_s_fault() {
    let folder = folder("[columns]\nage = \"quasi\"\ndiseases = \"sensitive\"\n");
    let run = folder.run("inspect table.csv --plan plan.toml --eligibility 3").code(2).stdout("");
    run.stderr(contains("plan.toml")).stderr(contains("did you mean \"disease\"?"));
}
