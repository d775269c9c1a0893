//! Text as people have it: local numbers and dates, encodings, and texts that mean "no value".

use crate::support::{CANARY, Folder};

/// Forty records as a German program writes them.
fn local() -> String {
    let row = |at: usize| {
        let (day, month) = (at % 28 + 1, at % 12 + 1);
        let weight = if at % 10 == 3 { "NA".to_string() } else { format!("{},{}", 60 + at % 9, at % 10) };
        let share = at * 7 % 100;
        format!("{at};{day}.{month}.19{};{weight};{share} %;1.{:03},50 €;grün {}", 60 + at % 30, at * 13 % 1000, at % 4)
    };
    let rows: Vec<String> = (0..40).map(row).collect();
    format!(";born;weight;share;cost;färbung\n{}\n", rows.join("\n"))
}

fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|letter| if letter == '€' { 0x80 } else { u8::try_from(u32::from(letter)).unwrap() }).collect()
}

const COLUMNS: &str = "[columns]\nborn = { role = \"quasi\", hierarchy = { dates = true } }\n\
    weight = { role = \"quasi\", hierarchy = { intervals = [5.0, 10.0] } }\nshare = \"quasi\"\ncost = \"quasi\"\n\
    \"färbung\" = \"sensitive\"\n[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n";

#[test]
fn local_text_is_published_in_one_spelling_and_verified() {
    let data = "[data]\npath = \"table.csv\"\nmissing = [\"\", \"NA\"]\nencoding = \"windows-1252\"\n";
    for method in ["local-recoding", "optimal"] {
        let plan = format!("{data}{COLUMNS}[method]\nname = \"{method}\"\n[release]\nformat = \"csv\"\n");
        let folder = Folder::new(&[("plan.toml", &plan)]);
        folder.write("table.csv", latin(&local()));
        let said = folder.output("publish plan.toml --out release", 0);
        assert!(said.contains("\"born\" is written DD.MM.YYYY in the data and published as plain dates"), "{said}");
        assert!(said.contains("\"cost\" is written 1234,5 €"), "{said}");
        let table = std::fs::read_to_string(folder.path("release/data.csv")).unwrap();
        assert!(table.starts_with("born,weight,share,cost,färbung\n"), "{table}");
        assert!(table.contains("grün 1") && !table.contains(['€', '%']), "{table}");
        folder.run("verify release").success();
        folder.run("check release --plan plan.toml").success();
    }
}

/// Level 0 and bucketized releases have the stored values themselves.
#[test]
fn exact_values_survive_the_round_trip() {
    let data = "[data]\npath = \"table.csv\"\nmissing = [\"\", \"NA\"]\nencoding = \"latin1\"\n";
    let plan = format!("{data}{COLUMNS}[method]\nname = \"anatomy\"\n[release]\nform = \"bucketized\"\n");
    let plan =
        plan.replace(", hierarchy = { dates = true }", "").replace(", hierarchy = { intervals = [5.0, 10.0] }", "");
    let plan = plan.replace("criterion = \"k-anonymity\"\nk = 2", "criterion = \"distinct-l-diversity\"\nl = 2");
    let folder = Folder::new(&[("plan.toml", &plan)]);
    folder.write("table.csv", latin(&local()));
    folder.run("publish plan.toml --out release").success();
    let table = std::fs::read_to_string(folder.path("release/quasi.csv")).unwrap();
    assert!(table.lines().any(|line| line.starts_with("1960-01-01,60.0,0,1000.50,")), "{table}");
    folder.run("verify release").success();
}

#[test]
fn a_plan_must_name_an_encoding_that_nothing_shows() {
    let folder = Folder::new(&[("plan.toml", &format!("[data]\npath = \"table.csv\"\n{COLUMNS}"))]);
    folder.write("table.csv", latin(&local()));
    let run = folder.run("publish plan.toml --out release --json").code(3);
    let error = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert!(
        error.contains("data/not-utf-8") && error.contains("windows-1252") && error.contains("\"line\":1"),
        "{error}"
    );
    assert!(folder.output("inspect table.csv", 0).contains("was read as windows-1252"));
    folder.run("init table.csv --out drafted.toml").success();
    let drafted = std::fs::read_to_string(folder.path("drafted.toml")).unwrap();
    assert!(
        drafted.contains("encoding = \"windows-1252\"") && drafted.contains("missing = [\"\", \"NA\"]"),
        "{drafted}"
    );
    assert!(drafted.contains("\nrow ") && drafted.contains("role = \"identifier\""), "{drafted}");
    folder.run("check table.csv --plan drafted.toml").code(1);
}

#[test]
fn wide_text_with_a_mark_is_read() {
    let plan = format!("[data]\npath = \"table.csv\"\nmissing = [\"NA\"]\n{COLUMNS}");
    let folder = Folder::new(&[("plan.toml", &plan)]);
    for swapped in [false, true] {
        let wide = |unit: u16| if swapped { unit.to_be_bytes() } else { unit.to_le_bytes() };
        let text = format!("\u{feff}{}", local());
        folder.write("table.csv", text.encode_utf16().flat_map(wide).collect::<Vec<u8>>());
        folder.run("publish plan.toml --out release --replace").success();
    }
}

#[test]
fn what_a_plan_says_of_spellings_is_done_or_refused() {
    let table = format!("day,cost,disease\n03/04/2021,\"1,250\",flu\n05/06/2021,\"2,500\",{CANARY}\n");
    let folder = Folder::new(&[("table.csv", &table)]);
    let plan = |columns: &str| {
        format!("[columns]\n{columns}disease = \"sensitive\"\n[[require]]\ncriterion = \"k-anonymity\"\nk = 1\n")
    };
    let inspected = folder.json("inspect table.csv --json", 0);
    assert_eq!(inspected["columns"][0]["type"], "text");
    let refused = |columns: &str, code: i32, parts: &[&str]| {
        folder.write("plan.toml", plan(columns));
        let run = folder.run("check table.csv --plan plan.toml").code(code);
        let error = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        parts.iter().for_each(|part| assert!(error.contains(part), "{error} lacks {part}"));
    };
    refused(
        "day = { role = \"quasi\", dates = \"DD/MM/YYYY\" }\ncost = { role = \"quasi\", decimal = \",\" }\n",
        0,
        &[],
    );
    refused("day = { role = \"quasi\", dates = \"DD.MM.YYYY\" }\n", 3, &["record 1 is no date written DD.MM.YYYY"]);
    refused("day = { role = \"quasi\", decimal = \".\" }\n", 3, &["record 1 is no number with the decimal mark"]);
    refused("day = { role = \"quasi\", dates = \"DD.MM.YY\" }\n", 2, &["line 2", "`dates`"]);
    refused("day = { role = \"quasi\", decimal = \";\" }\n", 2, &["line 2", "`decimal`"]);
    refused("day = { role = \"quasi\", decimal = \",\", dates = \"DD/MM/YYYY\" }\n", 2, &["not both"]);
    refused("day = { role = \"quasi\", type = \"text\", dates = \"DD/MM/YYYY\" }\n", 2, &["leave out `type`"]);
}

#[test]
fn inspect_proposes_what_may_be_missing_and_shows_no_cell() {
    let table = format!("a,b\n1,x\nNA,y\n3,{CANARY}\n4,?\n");
    let folder = Folder::new(&[("table.csv", &table)]);
    let said = folder.output("inspect table.csv", 0);
    for part in
        ["75.0 % of its cells are numbers, and 1 is not", "\"NA\" is 25.0 %", "\"?\" is 25.0 %", "--missing 'NA'"]
    {
        assert!(said.contains(part), "{said} lacks {part}");
    }
    let typed = folder.json("inspect table.csv --missing NA --json", 0);
    assert_eq!((&typed["columns"][0]["type"], &typed["columns"][0]["missing"]), (&"integer".into(), &1.into()));
}

#[test]
fn errors_say_what_a_new_user_should_do() {
    let table = "zip,disease\n1,flu\n2,cold\n";
    let plan =
        "[columns]\nzipp = \"quasi\"\ndisease = \"sensitive\"\n[[require]]\ncriterion = \"k-anonymity\"\nk = 1\n";
    let folder = Folder::new(&[("table.csv", table), ("plan.toml", plan)]);
    let error = |arguments: &str| {
        let run = folder.run(arguments).code(2);
        String::from_utf8(run.get_output().stderr.clone()).unwrap()
    };
    assert!(error("publish table.csv --out release").contains("`sfumato init table.csv` drafts a plan"));
    for command in ["publish plan.toml --data table.csv --out release", "check table.csv --plan plan.toml"] {
        let told = error(command);
        assert!(told.contains("plan.toml, line 2: the table has no column \"zipp\""), "{told}");
        assert!(told.contains("did you mean \"zip\"?"), "{told}");
    }
}

#[test]
fn drafts_are_documents_too() {
    let folder = Folder::new(&[("table.csv", "zip,disease\n1,flu\n2,cold\n")]);
    let drafted = folder.json("init table.csv --json", 0);
    assert_eq!(drafted["plan"], "plan.toml");
    assert_eq!(drafted["text"], std::fs::read_to_string(folder.path("plan.toml")).unwrap());
    assert_eq!(drafted["profile"]["records"], 2);
    assert!(folder.json("init table.csv --out - --json", 0)["plan"].is_null());
    let run = folder.run("init table.csv --json").code(2);
    assert!(String::from_utf8_lossy(&run.get_output().stderr).starts_with("{\"error\""));
}

#[test]
fn help_names_exit_codes_and_shells_can_complete() {
    let folder = Folder::new(&[]);
    for name in ["inspect", "init", "publish", "verify", "attack", "check", "skyline", "list", "completions"] {
        assert!(folder.output(&format!("{name} --help"), 0).contains("EXIT CODES"), "{name}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(folder.output(&format!("completions {shell}"), 0).contains("inspect"), "{shell}");
    }
    folder.run("manual man").success();
    let page = std::fs::read_to_string(folder.path("man/sfumato-publish.1")).unwrap();
    assert!(page.contains("EXIT CODES"), "{page}");
}
