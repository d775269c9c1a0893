//! The commands as a newcomer meets them: help, demo, inspect, init, list, and how they behave in
//! pipes.

use crate::support::{CANARY, Folder, Input, SFUMATO, plan};
use predicates::str::contains;
use serde_json::{Value, json};
use sfumato::data::{Formats, ReadOptions, sample};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

const PATIENTS: &str = "\
name,age,zip,disease
Ann,31,13053,flu
Bob,32,13068,cancer
Cid,47,14850,flu
Dan,48,14853,HIV
Eve,47,14850,flu
";

fn patients() -> Folder {
    Folder::new(&[("patients.csv", PATIENTS)])
}

// Help

/// The commands that `sfumato --help` lists.
fn commands() -> Vec<String> {
    let help = patients().output("--help", 0);
    let listed = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let names =
        listed.lines().filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_string).collect()
}

/// The examples in the help of a command: what stands after it is explained by two blanks or more.
fn examples(command: &str) -> Vec<String> {
    let help = patients().output(&format!("{command} --help"), 0);
    let Some((_, examples)) = help.split_once("\nEXAMPLES\n") else { return Vec::new() };
    let lines = examples.lines().map(str::trim).take_while(|line| !line.is_empty());
    lines.map(|line| line.split("  ").next().unwrap().to_string()).collect()
}

#[test]
fn the_help_of_every_command_has_examples() {
    assert_eq!(
        commands(),
        [
            "demo",
            "inspect",
            "init",
            "publish",
            "keygen",
            "verify",
            "attack",
            "compare",
            "check",
            "skyline",
            "list",
            "completions",
            "manual"
        ]
    );
    assert!(!examples("").is_empty());
    for command in commands() {
        let examples = examples(&command);
        assert!(!examples.is_empty(), "`{command} --help` has no examples");
        let about_it = |example: &String| example.contains(&command) || example.starts_with("man ");
        assert!(examples.iter().all(about_it), "{examples:?}");
    }
}

#[test]
fn the_examples_of_the_help_work_as_they_stand() {
    let quasi = plan("zip = \"quasi\"\ndisease = \"sensitive\"\n", &[("k-anonymity", "k = 2")]);
    let quasi = format!("[data]\npath = \"patients.csv\"\n{quasi}");
    for example in std::iter::once(String::new()).chain(commands()).flat_map(|command| examples(&command)) {
        let folder = Folder::new(&[
            ("patients.csv", PATIENTS),
            ("adult.data", "39, State-gov, Bachelors\n50, ?, Masters\n"),
            ("patients-2026.csv", PATIENTS),
            ("voters.csv", PATIENTS),
            ("table.csv", "zip,cluster,disease\n1,1,flu\n2,1,flu\n"),
        ]);
        if ["visits", "hospital.xlsx", "man "].iter().any(|word| example.contains(word)) {
            // Other programs, and sources that tests of their own read.
            continue;
        }
        let formats = Formats::default().with(sfumato_columnar::formats());
        let table = formats.read(&folder.path("patients.csv"), &ReadOptions::default()).unwrap();
        for name in ["patients.parquet", "release.parquet"] {
            formats.write(&table, &folder.path(name)).unwrap();
        }
        if !example.contains("init") {
            folder.write("plan.toml", &quasi);
        }
        if ["check", "skyline"].iter().any(|word| example.contains(word)) {
            folder.write("release/quasi.csv", "zip,group\n1,1\n2,1\n");
            folder.write("release/sensitive.csv", "group,disease,count\n1,flu,2\n");
        }
        if ["verify", "attack", "compare", "--replace"].iter().any(|word| example.contains(word)) {
            folder.run("keygen publisher").success();
            for release in ["release", "release-a", "release-b"] {
                folder.run(&format!("publish plan.toml --out {release} --sign publisher")).success();
            }
        }
        if example.contains("--sign release-key") {
            folder.run("keygen release-key").success();
        }
        // What other programs would pipe into it, and where a shell would write it.
        let (piped, own) = example.split_once("| sfumato ").map_or((false, example.as_str()), |(_, own)| (true, own));
        let own = own.strip_prefix("sfumato ").unwrap_or(own).split(['|', '>']).next().unwrap();
        let typed = own.replace('\'', "").replace("~/.local/share", ".");
        let input = if piped { PATIENTS } else { "" };
        let code = folder.command(&typed).write_stdin(input).assert().get_output().status.code();
        assert!(matches!(code, Some(0 | 1)), "`{example}` ends with {code:?}");
    }
}

#[test]
fn help_and_version_are_answers_and_not_errors() {
    let folder = patients();
    assert!(folder.output("--version", 0).starts_with("sfumato "));
    for command in ["-h", "help", "help check", "check -h"] {
        assert!(folder.output(command, 0).contains("Usage:"), "{command}");
    }
    let codes = folder.output("--help", 0);
    for code in ["0 holds", "1 checked and does not hold", "2 usage or plan", "3 input data", "7 reading or writing"] {
        assert!(codes.contains(code), "{code}");
    }
}

// demo

#[test]
fn the_demo_shows_a_table_that_fails_and_one_that_holds() {
    let text = patients().output("demo", 0);
    for part in [
        "no row describes a real person",
        "20,000 records",
        "5 of 5 criteria do not hold",
        "all 5 criteria hold",
        "sfumato verify",
        "sfumato init",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

#[test]
fn the_demo_leaves_a_folder_to_go_on_with() {
    let folder = Folder::new(&[("own/notes.txt", "mine")]);
    assert!(folder.output("demo --rows 300", 0).contains("300 records"));
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 2);
    folder.run("verify sfumato-demo/release").success();
    folder.run("publish sfumato-demo/plan.toml --out again").success();
    folder.run("demo --rows 300").success();
    folder.run("demo --out own").code(2);
    assert_eq!(std::fs::read_dir(folder.path("own")).unwrap().count(), 1);
}

// inspect

#[test]
fn inspect_tells_types_shares_and_roles() {
    let found = patients().json("inspect patients.csv --json", 0);
    assert_eq!(found["records"], 5);
    let column =
        |name: &str| found["columns"].as_array().unwrap().iter().find(|column| column["column"] == name).unwrap();
    let roles = ["name", "age", "zip", "disease"].map(|name| column(name)["role"].as_str().unwrap());
    assert_eq!(roles, ["identifier", "quasi", "quasi", "sensitive"]);
    let disease = column("disease");
    assert_eq!((&disease["type"], &disease["distinct"], &disease["missing"]), (&json!("text"), &json!(3), &json!(0)));
    assert_eq!((&disease["top_share"], &disease["unique_share"]), (&json!(0.6), &json!(0.4)));
    assert_eq!(column("age")["type"], "integer");
    let together = found["combinations"].as_array().unwrap();
    let age_and_zip = together.iter().find(|found| found["columns"] == json!(["age", "zip"])).unwrap();
    assert_eq!((&age_and_zip["distinct"], &age_and_zip["unique_share"]), (&json!(4), &json!(0.6)));
}

/// Repeated identifiers, places on the map and values that differ by case are seen beforehand.
#[test]
fn inspect_and_init_know_columns_that_give_people_away() {
    let line = |at: usize| {
        let (person, marriage) = (at / 3, at % 5 + 1);
        let illness = ["HIV", "hiv", "flu", "cold"][at % 4];
        format!("p{person}@example.org,{:03}-12-3456,47.{at:05},{marriage},{illness}\n", person + 100)
    };
    let table: String = (0..150).map(line).collect();
    let folder = Folder::new(&[("table.csv", &format!("contact,number,lat,rate_marriage,disease\n{table}"))]);
    let found = folder.json("inspect table.csv --json", 0);
    let columns = found["columns"].as_array().unwrap();
    let roles: Vec<&str> = columns.iter().map(|column| column["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["identifier", "identifier", "identifier", "quasi", "sensitive"]);
    let reasons: Vec<&str> = columns.iter().map(|column| column["reason"].as_str().unwrap()).collect();
    assert!(reasons[0].contains("e-mail") && reasons[1].contains("social security"), "{reasons:?}");
    assert!(!reasons[3].contains("age"), "a marriage is no age: {reasons:?}");
    assert!(found["notes"][0].as_str().unwrap().contains("2 values that differ only by case"), "{}", found["notes"]);
    folder.output("init table.csv", 0);
    folder.run("publish plan.toml --out release").code(0);
    let published = std::fs::read_to_string(folder.path("release/data.csv")).unwrap();
    assert!(published.starts_with("rate_marriage,disease\n"), "{published}");
}

#[test]
fn inspect_prints_a_line_for_each_column() {
    let text = patients().output("inspect patients.csv", 0);
    assert!(text.starts_with("5 records, 4 columns"), "{text}");
    for name in ["name", "age", "zip", "disease"] {
        assert!(text.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name}:\n{text}");
    }
}

// init

#[test]
fn init_writes_a_commented_plan_that_check_accepts() {
    let folder = patients();
    let said = folder.output("init patients.csv", 0);
    let next = said.lines().find_map(|line| line.trim().strip_prefix("sfumato ")).expect("it says what to do next");
    assert_eq!(next, "check patients.csv --plan plan.toml");
    let draft = std::fs::read_to_string(folder.path("plan.toml")).unwrap();
    assert!(draft.lines().filter(|line| line.starts_with('#')).count() >= 3, "{draft}");
    assert_eq!(folder.json(&format!("{next} --json"), 1)["records"], 5);
    assert_eq!(folder.output("init patients.csv --out -", 0), draft);
}

/// Drafts a plan for a table and checks the table with it.
fn draft_and_check(table: &str) {
    let folder = Folder::new(&[("table.csv", table)]);
    folder.output("init table.csv", 0);
    let code = folder.run("check table.csv --plan plan.toml").get_output().status.code();
    assert!(matches!(code, Some(0 | 1)), "check ends with {code:?}:\n{table}");
}

#[test]
fn drafts_are_accepted_for_every_kind_of_column() {
    draft_and_check("\"od\"\"d = [key]\",\"with, comma\",größe,#,sex\n1,2,3,4,f\n5,6,7,8,m\n1,2,3,4,f\n5,6,7,8,m\n");
    draft_and_check("born,zip\n2001-02-03,01234\n,\n2002-03-04,99999\n,\n2002-03-04,99999\n");
    draft_and_check("region;price\nnorth;1,5\nnorth;-2,5\nsouth;1,5\nsouth;3\n");
    draft_and_check(
        "age,small\n999999999999999999,0.00000001\n-999999999999999999,1e300\n999999999999999999,1\n0,2\n0,3\n",
    );
}

#[test]
fn drafts_are_accepted_where_no_column_suggests_itself_as_quasi_identifier() {
    draft_and_check("age,zip,disease\n31,13053,flu\n32,13068,cancer\n");
    draft_and_check("name,salary\nAnn,1000\nBob,2000\n");
    draft_and_check("disease\nflu\n");
}

#[test]
fn a_draft_remembers_how_the_table_was_read() {
    let folder = Folder::new(&[("sub/adult.data", "39: State-gov\n50: ?\n39: Private\n")]);
    folder.output("init sub/adult.data --no-header --trim --missing ? --delimiter : --out plan.toml", 0);
    assert_eq!(folder.json("check sub/adult.data --plan plan.toml --json", 1)["records"], 3);
    let draft = std::fs::read_to_string(folder.path("plan.toml")).unwrap();
    assert!(draft.contains("path = \"sub/adult.data\""), "{draft}");
}

#[test]
fn init_replaces_a_plan_only_when_told() {
    let folder = patients();
    folder.write("plan.toml", "mine");
    folder.run("init patients.csv").code(2).stdout("").stderr(contains("plan.toml")).stderr(contains("--force"));
    assert_eq!(std::fs::read_to_string(folder.path("plan.toml")).unwrap(), "mine");
    folder.output("init patients.csv --force", 0);
    assert_ne!(std::fs::read_to_string(folder.path("plan.toml")).unwrap(), "mine");
}

// list

#[test]
fn list_names_everything_that_the_issue_promises() {
    let listed = patients().json("list --json", 0);
    let params = |name: &str| -> Vec<String> {
        let criteria = listed["criteria"].as_array().unwrap();
        let member = criteria.iter().find(|member| member["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        member["params"].as_array().unwrap().iter().map(|param| param["name"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(params("k-anonymity"), ["k"]);
    for name in ["distinct-l-diversity", "frequency-l-diversity", "entropy-l-diversity"] {
        assert_eq!(params(name), ["l"], "{name}");
        assert_eq!(params(&format!("multi-attribute-{name}")), ["l"], "{name}");
    }
    assert_eq!(params("recursive-cl-diversity"), ["c", "l"]);
    assert_eq!(params("multi-attribute-recursive-cl-diversity"), ["c", "l"]);
    assert_eq!(params("pd-recursive-cl-diversity"), ["c", "l", "dont_care"]);
    assert_eq!(params("npd-recursive-cl-diversity"), ["c1", "c2", "l", "dont_care", "keep"]);
    assert_eq!(params("alpha-k-anonymity"), ["alpha", "k"]);
    assert_eq!(params("t-closeness"), ["t", "distance"]);
    for name in ["delta-disclosure", "beta-likeness", "bayes-optimal"] {
        assert!(!params(name).is_empty(), "{name}");
    }
    for name in ["file", "parents", "redact", "prefix", "population", "intervals", "cuts", "dates", "fanout"] {
        assert!(names(&listed["hierarchies"]).contains(&name), "{name}");
    }
    assert_eq!(names(&listed["formats"]), ["csv", "tsv", "parquet", "arrow", "jsonl", "xlsx", "sqlite"]);
}

fn names(members: &Value) -> Vec<&str> {
    members.as_array().unwrap().iter().map(|member| member["name"].as_str().unwrap()).collect()
}

#[test]
fn every_family_can_be_listed_alone_for_people_and_scripts() {
    let folder = patients();
    let all = folder.json("list --json", 0);
    let text = folder.output("list", 0);
    for family in ["criteria", "hierarchies", "formats"] {
        let alone = folder.json(&format!("list {family} --json"), 0);
        assert_eq!(alone, json!({ family: all[family] }));
        let page = folder.output(&format!("list {family}"), 0);
        assert!(text.contains(&page), "{family}");
        for member in all[family].as_array().unwrap() {
            assert!(page.contains(&format!("\n  {}\n", member["name"].as_str().unwrap())), "{member}");
            assert!(!member["summary"].as_str().unwrap().is_empty(), "{member}");
        }
    }
}

#[test]
fn every_listed_example_can_be_put_into_a_plan() {
    let listed = patients().json("list --json", 0);
    for member in listed["criteria"].as_array().unwrap() {
        let (name, example) = (member["name"].as_str().unwrap(), member["example"].as_str().unwrap());
        let drug = if name.starts_with("multi-attribute-") { "sensitive" } else { "insensitive" };
        let columns = format!("zip = \"quasi\"\ndisease = \"sensitive\"\ndrug = \"{drug}\"\n");
        let folder = Folder::new(&[
            ("table.csv", "zip,disease,drug\n1,flu,A\n1,cancer,A\n2,flu,B\n2,cancer,A\n"),
            ("plan.toml", &format!("[columns]\n{columns}[[require]]\n{}\n", example.replace("; ", "\n"))),
        ]);
        let run = folder.run("check table.csv --plan plan.toml --json");
        let code = run.get_output().status.code();
        assert!(matches!(code, Some(0 | 1)), "{name} ends with {code:?}: {example}");
        let found: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
        assert_eq!(found["criteria"][0]["criterion"], name);
    }
    for member in listed["hierarchies"].as_array().unwrap() {
        let example = member["example"].as_str().unwrap();
        let folder = Folder::new(&[
            ("table.csv", "value\n2021-03-31\n"),
            ("country.csv", "2021-03-31;2021;*\n"),
            ("occupation.csv", "2021-03-31;2021\n"),
            ("zip3.csv", "202,30000\n"),
            ("plan.toml", &plan(&format!("value = {{ role = \"quasi\", {example} }}\n"), &[("k-anonymity", "k = 1")])),
        ]);
        folder.run("check table.csv --plan plan.toml --recoded").code(0);
    }
}

// Cells

#[test]
fn no_command_shows_a_cell_of_a_good_table() {
    let rows: String = (0..40).map(|at| format!("{CANARY}{},{CANARY}{},{CANARY}{}\n", at, at % 5, at % 3)).collect();
    let listed = patients().json("list criteria --json", 0);
    let examples = listed["criteria"].as_array().unwrap().iter().map(|member| member["example"].as_str().unwrap());
    let requires: String = examples
        .filter(|example| !example.contains("multi-attribute"))
        .map(|example| format!("[[require]]\n{}\n", example.replace("; ", "\n")))
        .collect();
    let folder = Folder::new(&[
        ("table.csv", &format!("name,zip,disease\n{rows}")),
        (
            "plan.toml",
            &format!("[columns]\nname = \"identifier\"\nzip = \"quasi\"\ndisease = \"sensitive\"\n{requires}"),
        ),
    ]);
    folder.output("check table.csv --plan plan.toml", 1);
    folder.output("check table.csv --plan plan.toml --json", 1);
    folder.output("inspect table.csv", 0);
    folder.output("inspect table.csv --json", 0);
    folder.output("init table.csv --out -", 0);
}

// Threads, pipes and colours

#[test]
fn any_number_of_threads_gives_the_same_output() {
    let folder = Folder::new(&[]);
    let formats = Formats::default();
    formats.write(&sample::hospital(20_000, 3), &folder.path("table.csv")).unwrap();
    let columns = "age = \"quasi\"\nsex = \"quasi\"\ndisease = \"sensitive\"\n";
    let criteria = [
        ("k-anonymity", "k = 2"),
        ("entropy-l-diversity", "l = 3"),
        ("delta-disclosure", "delta = 2; absent = \"ignore\""),
    ];
    folder.write("plan.toml", plan(columns, &criteria));
    for command in [
        "check table.csv --plan plan.toml",
        "check table.csv --plan plan.toml --json",
        "inspect table.csv --json",
        "init table.csv --out -",
        "demo --rows 5000",
        "list",
    ] {
        let run = |threads: u32| {
            let output = folder.run(&format!("{command} --threads {threads}")).get_output().clone();
            (output.status.code(), output.stdout, output.stderr)
        };
        let one = run(1);
        assert!(matches!(one.0, Some(0 | 1)), "{command} ends with {:?}", one.0);
        assert_eq!(run(2), one, "{command}");
        assert_eq!(run(8), one, "{command}");
    }
}

/// Every command with output, and how it ends.
fn talkative() -> (Folder, [(&'static str, i32); 9]) {
    let folder = Input::groups(&[&["flu", "cancer"], &["flu"]]).folder(&[("k-anonymity", "k = 2")]);
    let commands = [
        ("list", 0),
        ("list --json", 0),
        ("demo --rows 1000", 0),
        ("inspect table.csv", 0),
        ("init table.csv --out -", 0),
        ("check table.csv --plan plan.toml", 1),
        ("check table.csv --plan plan.toml --json", 1),
        ("--help", 0),
        ("check --help", 0),
    ];
    (folder, commands)
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let (folder, commands) = talkative();
    for (command, code) in commands {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut run = std::process::Command::new(SFUMATO);
        let run = run.current_dir(folder.path("")).args(command.split_whitespace()).stdout(writer).output().unwrap();
        assert_eq!(run.status.code(), Some(code), "{command}: {run:?}");
        assert_eq!(String::from_utf8_lossy(&run.stderr), "", "{command}");
    }
}

#[test]
fn reading_only_the_first_line_is_no_error() {
    let folder = Folder::new(&[]);
    let mut run = std::process::Command::new(SFUMATO);
    let mut run =
        run.current_dir(folder.path("")).arg("demo").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(run.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("1. The table"), "{line}");
    let run = run.wait_with_output().unwrap();
    assert!(run.status.success() && run.stderr.is_empty(), "{run:?}");
}

#[test]
fn an_error_nobody_listens_to_keeps_its_code() {
    for (command, code) in [("check none.csv --plan none.toml", 7), ("chek", 2), ("list criterias", 2)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let run = std::process::Command::new(SFUMATO).args(command.split_whitespace()).stderr(writer).output().unwrap();
        assert_eq!(run.status.code(), Some(code), "{command}");
    }
}

#[test]
fn colours_are_for_terminals_and_for_those_who_want_them() {
    let (folder, commands) = talkative();
    for (command, code) in commands.into_iter().chain([("check none.csv --plan none.toml", 7), ("chek", 2)]) {
        // `run_with` looks for escape codes.
        folder.run_with(command, &[]).code(code);
        folder.run_with(command, &[("NO_COLOR", "1")]).code(code);
        folder.run_with(command, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]).code(code);
        folder.run_with(command, &[("TERM", "dumb")]).code(code);
    }
    let forced = folder.command("check table.csv --plan plan.toml").env("CLICOLOR_FORCE", "1").assert().code(1);
    assert!(forced.get_output().stdout.contains(&0x1b), "the marks are coloured when asked");
}

#[test]
fn with_json_an_error_is_one_line_for_programs() {
    let typo = plan("zip = \"quasi\"\ndisease = \"sensitive\"\n", &[("k-anonymty", "k = 2")]);
    let folder = Folder::new(&[("patients.csv", PATIENTS), ("ragged.csv", "a,b\n1\n"), ("plan.toml", &typo)]);
    let error = |arguments: &str, exit: i32| -> Value {
        let run = folder.run(arguments).code(exit);
        assert!(run.get_output().stdout.is_empty(), "{arguments}");
        let told = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        let told: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
        assert_eq!(told["error"]["exit_code"], exit, "{told}");
        told["error"].clone()
    };
    let unknown = error("check patients.csv --plan plan.toml --json", 2);
    assert_eq!((&unknown["code"], &unknown["fault"]), (&json!("plan/unknown-name"), &json!("plan")));
    assert_eq!(
        (&unknown["message"], &unknown["file"]),
        (&json!("there is no criterion \"k-anonymty\""), &json!("plan.toml"))
    );
    assert_eq!(unknown["help"], "did you mean \"k-anonymity\"?");
    assert!(unknown["line"].is_u64());
    assert_eq!(error("inspect ragged.csv --json", 3)["code"], "data/ragged-row");
    assert_eq!(error("inspect none.csv --json", 7)["code"], "io/not-found");
    assert_eq!(error("inspect none.csv --json", 7)["line"], Value::Null);
}
