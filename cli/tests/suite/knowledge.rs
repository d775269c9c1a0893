//! Attackers who know something: the privacy skyline and budgets of knowledge, as people meet them
//! on the command line.

use crate::support::Folder;
use crate::support::publishing::{cells, folder, people, publish};
use serde_json::{Value, json};

const COLUMNS: &str = "name = \"identifier\"\nage = \"quasi\"\njob = \"quasi\"\ndisease = \"sensitive\"\n";

fn skyline(points: &str) -> String {
    format!("[[require]]\ncriterion = \"skyline\"\non = \"disease\"\npoints = [{points}]\n")
}

const FAMILY: &str = "{ value = \"cancer\", l = 1, k = 2, m = 2, c = \"0.8\" }, { l = 0, k = 1, m = 1, c = \"0.9\" }";

/// Every method keeps a skyline with relatives, and the release verifies.
#[test]
fn every_method_keeps_a_skyline() {
    for method in ["optimal", "mondrian", "skyline-anonymize", "greedy-grouping", "symmetric-grouping", "base"] {
        let sections = format!("{}[method]\nname = \"{method}\"\n", skyline(FAMILY));
        let folder = folder(&people(400), COLUMNS, &sections);
        let made = publish(&folder);
        let answer = &made["criteria"][0];
        assert_eq!(answer["holds"], true, "{method}: {answer:#}");
        let points = answer["points"].as_array().unwrap();
        for (point, c) in points.iter().zip([0.8, 0.9]) {
            assert!(point["measured"].as_f64().unwrap() < c && point["holds"] == true, "{method}: {point}");
        }
        folder.run("verify release").code(0);
        // Checked by itself, the release says the same.
        let again = folder.json("check release --plan plan.toml --json", 0);
        assert_eq!(again["criteria"][0]["points"], answer["points"], "{method}");
    }
}

#[test]
fn skyline_anonymize_forms_most_groups() {
    let groups = |method: &str| {
        let sections = format!("{}[method]\n{method}\n", skyline(FAMILY));
        publish(&folder(&people(400), COLUMNS, &sections))["groups"].as_u64().unwrap()
    };
    let own = groups("name = \"skyline-anonymize\"");
    assert!(own >= groups("name = \"mondrian\"") && own > groups("name = \"optimal\""), "{own}");
    for more in ["priority = \"round-robin\"", "priority = \"information-gain\"", "memory = 1"] {
        assert!(groups(&format!("name = \"skyline-anonymize\"\n{more}")) > 1, "{more}");
    }
}

/// A release made for less knowledge fails a budget; the attack says so, tells how many, and each
/// group.
#[test]
fn an_attack_takes_a_budget() {
    let sections = format!("{}[method]\nname = \"skyline-anonymize\"\n", skyline("{ l = 1, c = \"0.75\" }"));
    let folder = folder(&people(400), COLUMNS, &sections);
    publish(&folder);
    let attack = |more: &str| -> Value {
        let found = folder.json(&format!("attack release --only background-knowledge --json {more}"), 0);
        found["attacks"][0].clone()
    };
    let little = attack("--set eliminate=1");
    assert!(little["max_belief"].as_f64().unwrap() < 0.75, "{little:#}");
    assert_eq!((&little["limit"], &little["above_limit"]), (&json!(0.75), &json!(0)));
    let much = attack("--set eliminate=2 --set others=2 --set family=1 --set above=0.9 --each beliefs.csv");
    assert!(much["max_belief"].as_f64().unwrap() > little["max_belief"].as_f64().unwrap());
    assert_eq!(much["limit"], Value::Null, "nothing is promised against that");

    let (header, rows) = cells(&folder, "beliefs.csv");
    assert_eq!(header, ["on", "first_record", "people", "value", "belief"]);
    let belief = |row: &Vec<String>| row[4].parse::<f64>().unwrap();
    let highest = rows.iter().map(belief).fold(0.0, f64::max);
    assert!((highest - much["max_belief"].as_f64().unwrap()).abs() < 1e-12);
    // People about whom something is believed with more than nine in ten.
    let mut above: Vec<(String, u64)> =
        rows.iter().filter(|row| belief(row) > 0.9).map(|row| (row[1].clone(), row[2].parse().unwrap())).collect();
    above.sort();
    above.dedup();
    assert_eq!(much["people_above"], json!(above.iter().map(|group| group.1).sum::<u64>() as f64));
}

#[test]
fn settings_of_attacks_are_checked() {
    let folder = folder(&people(200), COLUMNS, &skyline("{ l = 1, c = \"0.9\" }"));
    publish(&folder);
    let refused = |arguments: &str, says: &str| {
        let run = folder.run(arguments).code(2);
        let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(text.contains(says), "{arguments}: {text}");
    };
    refused("attack release --set others=1", "--only");
    refused("attack release --only background-knowledge --set elimnate=1", "eliminate");
    refused("attack release --only background-knowledge --set others=-1", "others");
    refused("attack release --only linkage --each x.csv", "background-knowledge");
    refused("attack release --only background-knowledge --set others", "NAME=VALUE");
    let inside = folder.run("attack release --only background-knowledge --each release/x.csv");
    assert!(!inside.get_output().status.success());
    folder.run("verify release").code(0);
}

/// What is wrong with points is said by their numbers.
#[test]
fn points_are_checked() {
    let check = |points: &str| {
        let folder = folder(&people(40), COLUMNS, &skyline(points));
        let run = folder.run("check table.csv --plan plan.toml").code(2);
        String::from_utf8_lossy(&run.get_output().stderr).into_owned()
    };
    for (points, says) in [
        (
            "{ l = 1, k = 1, m = 1, c = \"0.5\" }, { l = 1, k = 0, m = 1, c = \"0.6\" }",
            "point 2 that follows from point 1",
        ),
        ("{ l = 1 }", "point 1 has no confidence c"),
        ("{ c = \"1.5\" }", "confidence c"),
        ("{ c = \"0.5\", q = 1 }", "\"q\""),
        ("{ c = \"0.5\", k = \"-1\" }", "k"),
        ("{ value = \"plague\", c = \"0.5\" }", "no record has the value of point 1"),
        ("", "without a point"),
    ] {
        let text = check(points);
        assert!(text.contains(says), "{points}: {text}");
    }
}

const SEVERAL: &str = "patient = \"identifier\"\nage = \"quasi\"\ndisease = \"sensitive\"\n";

/// Patients with one to three diseases each, a record for each.
fn patients() -> String {
    let mut text = "patient,age,disease\n".to_string();
    for at in 0..120usize {
        for more in 0..=at % 3 {
            let disease = ["flu", "cold", "cancer", "ulcer", "gout"][(at * 3 + more * 2) % 5];
            text += &format!("Zid{at},{},{disease}\n", 20 + at * 7 % 40);
        }
    }
    text
}

#[test]
fn people_with_several_values_are_published_one_record_for_each() {
    let points = "case = \"set\"\nperson = \"patient\"\n";
    let require = format!("{}{points}", skyline("{ l = 1, k = 1, m = 1, c = \"0.9\" }"));
    let folder = folder(&patients(), SEVERAL, &format!("{require}[method]\nname = \"skyline-anonymize\"\n"));
    let made = publish(&folder);
    assert_eq!(made["criteria"][0]["holds"], true);
    assert!(made["groups"].as_u64().unwrap() > 1, "{made:#}");
    let (header, _) = cells(&folder, "release/data.csv");
    assert_eq!(header, ["age", "disease"], "nobody is told whose record it is");
    // How many people a group has is not in the release.
    let verified = folder.output("verify release", 8);
    assert!(verified.contains("criterion 1: skyline") && verified.contains("nothing is confirmed"), "{verified}");
    // Attacks would take every record for a person.
    assert_eq!(made["attacks"], json!([]));
    for (arguments, says) in [
        ("attack release", "several records"),
        ("check release --plan plan.toml", "whose record"),
        ("skyline release --plan plan.toml --value flu --confidence 0.9", "whose record"),
    ] {
        let run = folder.run(arguments).code(2);
        let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(text.contains(says), "{arguments}: {text}");
    }
}

#[test]
fn what_would_tell_whose_values_are_whose_is_refused() {
    let by_person = format!("{}case = \"set\"\nperson = \"patient\"\n", skyline("{ k = 1, c = \"0.9\" }"));
    let refuse = |table: &str, columns: &str, sections: &str, says: &str| {
        let folder: Folder = folder(table, columns, sections);
        let run = folder.run("publish plan.toml --out release").code(2);
        let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(text.contains(says), "{text}");
        assert!(!folder.path("release").exists());
    };
    refuse(&patients(), SEVERAL, &format!("{by_person}[release]\nform = \"bucketized\"\n"), "how many values");
    let other = "[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n";
    refuse(&patients(), SEVERAL, &format!("{by_person}{other}"), "k-anonymity takes every record for a person");
    refuse(&patients(), SEVERAL, &format!("{by_person}[gate]\nmax_belief = 0.5\n"), "[gate]");
    refuse("patient,age,disease\na,30,flu\nb,31,cold\nc,32,gout\n", SEVERAL, &by_person, "everybody has one record");
    let cells = "age,disease\n30,flu;cold\n31,cold\n32,gout;flu\n33,ulcer\n";
    let columns = "age = \"quasi\"\ndisease = \"sensitive\"\n";
    let in_cells = format!("{}case = \"set\"\nseparator = \";\"\n", skyline("{ c = \"0.9\" }"));
    refuse(cells, columns, &in_cells, "whole cells");
    let published = SEVERAL.replace("identifier", "insensitive");
    refuse(&patients(), &published, &by_person, "identifier");
}

/// What cannot be met is told point by point, with a confidence that could.
#[test]
fn what_could_be_met_is_told_by_point() {
    let points = |c: &str| format!("{{ value = \"flu\", c = \"0.9\" }}, {{ l = 1, k = 5, m = 5, c = \"{c}\" }}");
    let method = "[method]\nname = \"skyline-anonymize\"\n";
    let refused = folder(&people(400), COLUMNS, &format!("{}{method}", skyline(&points("0.2"))));
    let run = refused.run("publish plan.toml --out release").code(4);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(text.contains("point 2 fails") && !text.contains("point 1 fails"), "{text}");
    let (_, rest) = text.split_once("a c of ").expect("what could be met");
    let could: String = rest.chars().take_while(|letter| letter.is_ascii_digit() || *letter == '.').collect();
    let met = folder(&people(400), COLUMNS, &format!("{}{method}", skyline(&points(&could))));
    publish(&met);
}

/// Labels of groups that a method formed are in no hierarchy; a release is looked at as it is.
#[test]
fn a_release_of_groups_is_checked_and_explored_as_it_is() {
    let columns = COLUMNS.replace("age = \"quasi\"", "age = { role = \"quasi\", hierarchy = { intervals = [5, 10] } }");
    let sections = format!("{}[method]\nname = \"skyline-anonymize\"\n", skyline("{ l = 1, c = \"0.75\" }"));
    let folder = folder(&people(400), &columns, &sections);
    publish(&folder);
    folder.run("check release --plan plan.toml").code(0);
    let found = folder.json("skyline release --plan plan.toml --value flu --confidence 0.75 --json", 0);
    let covers = |point: &Value| point[0].as_u64() >= Some(1);
    assert!(found["points"].as_array().unwrap().iter().any(covers), "{found:#}");
}

/// A person's records are all published or all withheld, and a set has each value once.
#[test]
fn no_record_of_a_person_goes_uncounted() {
    let method = |name: &str| {
        let points = format!("{}case = \"set\"\nperson = \"patient\"\n", skyline("{ c = \"0.3\" }"));
        format!("{points}[method]\nname = \"{name}\"\n[release]\nmax_suppressed = \"50%\"\n")
    };
    // Twenty people with the flu in one place and AIDS in another; suppressing the first leaves
    // AIDS that is nobody's.
    let mut table = "patient,zip,disease\n".to_string();
    (0..20).for_each(|at| table += &format!("p{at},1,flu\np{at},2,AIDS\n"));
    (0..4).for_each(|at| table += &format!("q{at},2,{}\n", ["a", "b", "c", "d"][at]));
    let columns = "patient = \"identifier\"\nzip = \"quasi\"\ndisease = \"sensitive\"\n";
    for name in ["optimal", "greedy-grouping", "anatomy", "randomized-greedy-grouping\"\np = \"0.5"] {
        let folder = folder(&table, columns, &method(name));
        let run = folder.run("publish plan.toml --out release");
        assert!(!run.get_output().status.success(), "{name}");
        assert!(!folder.path("release").exists(), "{name}");
    }
    let twice = "patient,zip,disease\na,1,AIDS\na,1,AIDS\nb,1,flu\nc,1,cold\n";
    let folder = folder(twice, columns, &method("optimal"));
    let run = folder.run("publish plan.toml --out release").code(3);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(text.contains("twice") && text.contains("line 3"), "{text}");
}

/// A separator that no cell has would make whole cells values.
#[test]
fn a_separator_that_no_cell_has_is_refused() {
    let table = "age,disease\n30,AIDS;a\n30,AIDS;b\n30,d\n";
    let check = |separator: &str, code: i32| {
        let points = format!("{}case = \"set\"\nseparator = \"{separator}\"\n", skyline("{ c = \"0.9\" }"));
        let folder = folder(table, "age = \"quasi\"\ndisease = \"sensitive\"\n", &points);
        folder.run("check table.csv --plan plan.toml").code(code);
    };
    check(";", 0);
    check(",", 2);
}

/// Where every protected value is withheld, attacks on the release cannot know which they were; it
/// is published all the same.
#[test]
fn a_release_without_any_protected_value_verifies() {
    let table = format!("{}Zodd,99,diver,plague\n", people(60));
    let columns = COLUMNS.replace("\"sensitive\"", "{ role = \"sensitive\", sensitive_values = [\"plague\"] }");
    let by_levels = "[method]\nname = \"optimal\"\n[release]\nmax_suppressed = \"5%\"\n";
    let sections = format!("{}{by_levels}", skyline("{ l = 0, k = 0, m = 1, c = \"0.8\" }"));
    let folder = folder(&table, &columns, &sections);
    let made = publish(&folder);
    assert_eq!(made["suppressed"], 1, "{made:#}");
}
