//! Bad input: a clear error, the right exit code, and never a cell of the table. ([`Folder::run`]
//! looks for the canary.)

use crate::support;
use crate::support::{CANARY, Folder, Input, plan};
use predicates::str::contains;

const USAGE: i32 = 2;
const DATA: i32 = 3;
const IO: i32 = 7;

/// A plan for tables with the columns `zip`, `age` and `disease`.
const COLUMNS: &str = "zip = \"quasi\"\nage = \"quasi\"\ndisease = \"sensitive\"\n";

/// Runs a command that must be refused: with this code, nothing on standard output, and these parts
/// in the error.
fn refuse(folder: &Folder, arguments: &str, code: i32, parts: &[&str]) {
    let run = folder.run(arguments).code(code).stdout("");
    parts.iter().fold(run, |run, part| run.stderr(contains(*part)));
}

/// Every command that reads a table refuses this one.
fn refuse_table(table: impl AsRef<[u8]>, parts: &[&str]) {
    let folder = Folder::new(&[("good.toml", &plan(COLUMNS, &[("k-anonymity", "k = 2")]))]);
    folder.write("table.csv", table);
    for command in ["check table.csv --plan good.toml", "inspect table.csv", "init table.csv"] {
        refuse(&folder, command, DATA, &[&["table.csv"], parts].concat());
    }
    refuse(&folder, "check table.csv --plan good.toml --json", DATA, &["{\"error\":{\"code\":\"data", "table.csv"]);
    assert!(!folder.path("plan.toml").exists(), "init wrote a plan");
}

/// Commands with a plan refuse this table, which others take for another encoding.
fn refuse_text(table: impl AsRef<[u8]>, parts: &[&str]) {
    let folder = Folder::new(&[("good.toml", &plan(COLUMNS, &[("k-anonymity", "k = 2")]))]);
    folder.write("table.csv", table);
    refuse(&folder, "check table.csv --plan good.toml", DATA, &[&["table.csv"], parts].concat());
    folder.run("inspect table.csv").success();
}

/// The table is good and the plan is refused.
fn refuse_plan(plan: &str, parts: &[&str]) {
    let table = format!("zip,age,disease\n13053,31,{CANARY}\n13068,32,flu\n");
    refuse(
        &Folder::new(&[("table.csv", &table), ("plan.toml", plan)]),
        "check table.csv --plan plan.toml",
        USAGE,
        parts,
    );
}

/// The columns are good and the criterion is refused; it stands in line 6 of the plan.
fn refuse_criterion(name: &str, params: &str, parts: &[&str]) {
    refuse_plan(&plan(COLUMNS, &[(name, params)]), &[&["plan.toml, line 6", name], parts].concat());
}

/// Values of `zip` are refused with these words on the column.
fn refuse_values(zip_column: &str, files: &[(&str, &str)], parts: &[&str]) {
    let table = format!("zip,age,disease\n13053,31,flu\n{CANARY},32,flu\n");
    let columns = format!("zip = {zip_column}\nage = \"quasi\"\ndisease = \"sensitive\"\n");
    let folder = Input::new(table).columns(&columns).folder(&[("k-anonymity", "k = 2")]);
    files.iter().for_each(|(name, content)| folder.write(name, content));
    refuse(&folder, "check table.csv --plan plan.toml", DATA, parts);
}

// Files that are not there

#[test]
fn a_missing_file_is_named() {
    let folder = Input::groups(&[&["flu"]]).folder(&[("k-anonymity", "k = 1")]);
    for (command, file) in [
        ("check none.csv --plan plan.toml", "none.csv"),
        ("check none.parquet --plan plan.toml", "none.parquet"),
        ("check none.arrow --plan plan.toml", "none.arrow"),
        ("check table.csv --plan none.toml", "none.toml"),
        ("check table.csv --plan plan.toml --groups group --sensitive none.csv", "none.csv"),
        ("inspect none.csv", "none.csv"),
        ("init none.csv --out new.toml", "none.csv"),
    ] {
        refuse(&folder, command, IO, &[file, "no such file", "help:"]);
    }
}

#[test]
fn a_missing_hierarchy_is_named_with_no_line_of_its_own() {
    let columns = "zip = { role = \"quasi\", hierarchy = { file = \"none.csv\" } }\n";
    let folder = Folder::new(&[("table.csv", "zip\n1\n"), ("plan.toml", &plan(columns, &[("k-anonymity", "k = 2")]))]);
    let run = folder.run("check table.csv --plan plan.toml").code(IO);
    let error = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert!(error.contains("none.csv") && error.contains("no such file"), "{error}");
    assert!(!error.contains("none.csv, line"), "a file that is not there has no lines: {error}");
}

#[test]
fn a_folder_is_not_a_table() {
    let folder = Input::groups(&[&["flu"]]).folder(&[("k-anonymity", "k = 1")]);
    folder.write("folder/readme.txt", "");
    folder.write("dotted.csv/readme.txt", "");
    refuse(&folder, "check folder --plan plan.toml", USAGE, &["folder", "data.csv"]);
    refuse(&folder, "check folder --plan plan.toml --groups group", USAGE, &["folder", "quasi.csv"]);
    refuse(&folder, "inspect dotted.csv", USAGE, &["dotted.csv", "is a folder"]);
    refuse(&folder, "check table.csv --plan folder", USAGE, &["folder", "is a folder"]);
}

#[test]
fn an_unknown_ending_is_met_with_the_known_ones() {
    let folder = Folder::new(&[("table.ods", ""), ("table", "")]);
    for file in ["table.ods", "table"] {
        refuse(&folder, &format!("inspect {file}"), USAGE, &[file, ".csv", ".tsv", ".parquet", ".arrow"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn failures_of_the_system_have_their_own_code() {
    let folder = Input::groups(&[&["flu"]]).folder(&[("k-anonymity", "k = 1")]);
    // Its first bytes cannot be read, whoever asks.
    std::os::unix::fs::symlink("/proc/self/mem", folder.path("unreadable.csv")).unwrap();
    std::os::unix::fs::symlink("/proc/self/mem", folder.path("unreadable.toml")).unwrap();
    refuse(&folder, "check unreadable.csv --plan plan.toml", IO, &["unreadable.csv"]);
    refuse(&folder, "check table.csv --plan unreadable.toml", IO, &["unreadable.toml"]);
    refuse(&folder, "init table.csv --out /dev/full --force", IO, &["/dev/full"]);
    for command in ["list", "demo --rows 50", "inspect table.csv", "check table.csv --plan plan.toml"] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let mut run = std::process::Command::new(support::SFUMATO);
        let run = run.current_dir(folder.path("")).args(command.split_whitespace()).stdout(full).output().unwrap();
        assert_eq!(run.status.code(), Some(IO), "{command} on a full disk");
    }
}

// Tables that are broken

#[test]
fn empty_tables_are_refused() {
    refuse_table("", &["empty"]);
    refuse_table("\n\r\n\n", &["empty"]);
    refuse_table("\u{feff}", &["empty"]);
    refuse_table("zip,age,disease\n", &["no records"]);
}

#[test]
fn a_ragged_row_is_named_by_its_line() {
    let short = format!("{CANARY},31\n");
    let long = format!("13053,31,flu,{CANARY}\n");
    refuse_table(format!("zip,age,disease\n13053,31,flu\n{short}"), &["line 3", "2 fields", "3"]);
    refuse_table(format!("zip,age,disease\n{long}13053,31,flu\n"), &["line 2", "4 fields", "3"]);
    refuse_table(format!("zip,age,disease\n\n\"1\n2\n3\",31,flu\n{short}"), &["line 6", "2 fields"]);
    refuse_table(format!("zip,age,disease\r\n13053,31,flu\r\n\r\n{short}"), &["line 4", "2 fields"]);
}

#[test]
fn the_line_is_right_far_down_in_a_large_table_on_any_number_of_threads() {
    let good = "13053,31,flu\n".repeat(300_000);
    for (bad, part) in [(format!("{CANARY}\n").into_bytes(), "1 field"), (b"1,\xff,2\n".to_vec(), "UTF-8")] {
        let folder = Folder::new(&[]);
        folder.write("table.csv", [b"zip,age,disease\n", good.as_bytes(), &bad, good.as_bytes(), &bad].concat());
        for threads in [1, 2, 8] {
            let command = format!("inspect table.csv --encoding utf-8 --threads {threads}");
            refuse(&folder, &command, DATA, &["table.csv, line 300002:", part]);
        }
    }
}

#[test]
fn headers_must_name_every_column_once() {
    refuse_table(format!("zip,age,zip\n1,2,{CANARY}\n"), &["line 1", "columns 1 and 3", "same name"]);
    refuse_table(format!("zip,age,\n1,2,{CANARY}\n"), &["line 1", "column 3 has no name"]);
}

#[test]
fn an_open_quote_is_named_by_its_line() {
    refuse_table(format!("zip,age,disease\n1,2,flu\n1,2,\"{CANARY}\n1,2,flu\n"), &["line 3", "never closed"]);
}

#[test]
fn text_must_be_utf_8() {
    let broken = |cell: &[u8]| [b"zip,age,disease\n1,2,flu\n3,", cell, b",", CANARY.as_bytes(), b"\n"].concat();
    refuse_text(broken(b"\xff\xfe"), &["line 3", "UTF-8"]);
    refuse_text(broken(b"caf\xe9"), &["line 3", "UTF-8"]);
    refuse_text([b"zip,age,dis\xe9ase\n1,2,", CANARY.as_bytes(), b"\n"].concat(), &["line 1", "UTF-8"]);
    let halved = [&b"\xff\xfez\0"[..], b"\0\xd8\0\xd8"].concat();
    refuse_table(halved, &["line 1", "not valid utf-16le"]);
}

// Values that the plan does not know

#[test]
fn a_value_that_is_not_in_its_hierarchy_is_named_by_its_record() {
    let parts = ["column \"zip\"", "record 2", "not in its hierarchy", "help:"];
    let file = "{ role = \"quasi\", hierarchy = { file = \"zip.csv\" } }";
    refuse_values(file, &[("zip.csv", "13053;130**;*\n13068;130**;*\n")], &parts);
    refuse_values("{ role = \"quasi\", hierarchy = { intervals = [5, 10] } }", &[], &parts);
}

#[test]
fn a_sensitive_value_that_is_not_in_its_hierarchy_is_named_by_its_record() {
    let columns = "group = \"quasi\"\nvalue = { role = \"sensitive\", hierarchy = { file = \"value.csv\" } }";
    let folder = Input::groups(&[&["flu", CANARY]])
        .columns(columns)
        .folder(&[("t-closeness", "t = 0.5; distance = \"hierarchical\"")]);
    folder.write("value.csv", "flu;lung\n");
    refuse(
        &folder,
        "check table.csv --plan plan.toml",
        DATA,
        &["column \"value\"", "record 2", "not in its hierarchy"],
    );
}

#[test]
fn a_value_that_is_not_in_the_declared_order_is_named_by_its_record() {
    let parts = ["column \"zip\"", "record 2", "order"];
    refuse_values("{ role = \"quasi\", order = [\"13053\"] }", &[], &parts);
}

#[test]
fn a_value_that_is_not_of_the_declared_type_is_named_by_its_record() {
    for kind in ["integer", "decimal", "date"] {
        let columns = format!("group = \"quasi\"\nvalue = {{ role = \"sensitive\", type = \"{kind}\" }}");
        let folder = Input::groups(&[&["2021", CANARY], &["2022", "2023"]])
            .columns(&columns)
            .folder(&[("t-closeness", "t = 1; distance = \"ordered\"")]);
        refuse(&folder, "check table.csv --plan plan.toml", DATA, &["column \"value\"", "record", kind]);
    }
}

#[test]
fn a_broken_hierarchy_is_named_by_its_own_line() {
    let cases: [(&[u8], &str, &str); 5] = [
        (b"13053;130**;*\n13068;130**;*\n14850;148**\n", "zip.csv, line 3", "2 fields"),
        (b"13053;130**;*\n13068;130**;*\n14850;148**;*\n13053;148**;*\n", "zip.csv, line 4", "listed before"),
        (b"13053;130**;*\n13068;130**;all\n", "zip.csv, line 2", "another parent"),
        (b"13053;130**;*\n13068;130**;*\n14850;\xff;*\n", "zip.csv, line 3", "UTF-8"),
        (b"", "zip.csv", "empty"),
    ];
    for (hierarchy, place, fault) in cases {
        // The column stands in line 8 of the plan.
        let columns = "\n\n\n\n\n\nzip = { role = \"quasi\", hierarchy = { file = \"zip.csv\" } }\n";
        let folder = Input::new("zip\n13053\n").columns(columns).folder(&[("k-anonymity", "k = 1")]);
        folder.write("zip.csv", hierarchy);
        refuse(&folder, "check table.csv --plan plan.toml", DATA, &[place, fault]);
    }
}

#[test]
fn a_broken_joint_distribution_is_named() {
    let cases = [
        ("group,value,weight\n1,flu,x\n", "weight"),
        ("group,value\n1,flu\n", "one column of weights"),
        ("group,value,weight\n2,flu,1\n", "says nothing about the group of record"),
        ("group,value,weight\n1,flu,-1\n", "negative"),
    ];
    for (joint, fault) in cases {
        let criterion = ("bayes-optimal", "rho1 = 0.3; rho2 = 0.6; joint = \"joint.csv\"");
        let folder = Input::groups(&[&["flu", CANARY]]).folder(&[criterion]);
        folder.write("joint.csv", joint);
        refuse(&folder, "check table.csv --plan plan.toml", DATA, &["joint.csv", fault]);
    }
}

#[test]
fn large_weights_of_a_joint_distribution_are_no_defect() {
    let folder = Input::groups(&[&["flu", "cancer"]])
        .folder(&[("bayes-optimal", "rho1 = 0.3; rho2 = 0.6; joint = \"joint.csv\"")]);
    folder.write("joint.csv", "group,value,weight\n1,flu,18e18\n1,cancer,18e18\n1,cancer,18e18\n");
    let code = folder.run("check table.csv --plan plan.toml").get_output().status.code();
    assert!(matches!(code, Some(0 | DATA)), "{code:?}");
}

#[test]
fn a_bucketized_pair_that_does_not_fit_is_refused() {
    let cases = [
        (format!("bucket,disease,count\n1,flu,1\n2,{CANARY},1\n"), "the group of record 1 has 2 rows"),
        (
            format!("bucket,disease,count\n1,flu,2\n2,{CANARY},1\n3,flu,1\n"),
            "groups that the quasi-identifier table lacks",
        ),
        (format!("bucket,disease,count\n1,flu,2\n2,flu,{CANARY}\n"), "record 2 holds no whole number"),
        (format!("bucket,disease,count\n1,flu,2\n2,{CANARY},-1\n"), "record 2 holds no whole number"),
    ];
    for (sensitive, fault) in cases {
        let folder = Folder::new(&[
            ("quasi.csv", "zip,bucket\n1,1\n2,1\n3,2\n"),
            ("sensitive.csv", &sensitive),
            ("plan.toml", &plan("zip = \"quasi\"\ndisease = \"sensitive\"\n", &[("k-anonymity", "k = 1")])),
        ]);
        refuse(&folder, "check quasi.csv --plan plan.toml --groups bucket", DATA, &[fault]);
    }
}

// Plans that are wrong

#[test]
fn an_unknown_column_is_met_with_the_nearest() {
    let misspelt =
        |columns: &str, criteria: &[(&str, &str)], parts: &[&str]| refuse_plan(&plan(columns, criteria), parts);
    misspelt("zipp = \"quasi\"\n", &[("k-anonymity", "k = 2")], &["\"zipp\"", "did you mean \"zip\"?"]);
    let diversity = ("distinct-l-diversity", "on = \"diseese\"; l = 2");
    misspelt("zip = \"quasi\"\ndiseese = \"sensitive\"\n", &[diversity], &["\"diseese\"", "did you mean \"disease\"?"]);
    refuse_criterion("distinct-l-diversity", "on = \"diseese\"; l = 2", &["\"diseese\"", "did you mean \"disease\"?"]);
    refuse_criterion("distinct-l-diversity", "on = \"zip\"; l = 2", &["\"zip\" is not a sensitive column"]);
    let folder = Input::new("zip,bucket,disease\n1,1,flu\n").folder(&[("k-anonymity", "k = 1")]);
    refuse(
        &folder,
        "check table.csv --plan plan.toml --groups buckets",
        USAGE,
        &["\"buckets\"", "did you mean \"bucket\"?"],
    );
}

#[test]
fn a_table_without_a_header_line_does_not_give_away_its_first_record() {
    let table = format!("39,{CANARY},State-gov\n50,Bachelors,Self-emp\n");
    let folder = Input::new(table).columns(COLUMNS).folder(&[("k-anonymity", "k = 2")]);
    refuse(&folder, "check table.csv --plan plan.toml", USAGE, &["plan.toml, line 2", "no column"]);
}

#[test]
fn an_unknown_criterion_or_parameter_is_met_with_the_nearest() {
    refuse_criterion("entropy-diversity", "l = 2", &["did you mean \"entropy-l-diversity\"?"]);
    refuse_criterion("k-anonimity", "k = 2", &["did you mean \"k-anonymity\"?"]);
    refuse_criterion("pd-recursive-cl-diversity", "c = 1; l = 2; dontcare = []", &["did you mean \"dont_care\"?"]);
    refuse_criterion("k-anonymity", "l = 2", &["no parameter \"l\"", "known: k"]);
    refuse_criterion("recursive-cl-diversity", "l = 2", &["needs the parameter \"c\""]);
}

#[test]
fn parameters_out_of_range_are_refused() {
    for l in ["nan", "inf", "-inf", "\"NaN\"", "\"two\"", "0", "-1", "0.5", "-0.0", "true", "[2]", "\"\"", "\"1/2\""] {
        refuse_criterion("entropy-l-diversity", &format!("l = {l}"), &["l", "at least 1"]);
        refuse_criterion("frequency-l-diversity", &format!("l = {l}"), &["l", "at least 1"]);
        refuse_criterion("distinct-l-diversity", &format!("l = {l}"), &["l", "at least 1"]);
        refuse_criterion("recursive-cl-diversity", &format!("c = 2; l = {l}"), &["l", "at least 1"]);
        refuse_criterion("k-anonymity", &format!("k = {l}"), &["k", "at least 1"]);
    }
    refuse_criterion("k-anonymity", "k = 2.5", &["2.5", "whole number"]);
    refuse_criterion("distinct-l-diversity", "l = 2.5", &["2.5", "whole number"]);
    for c in ["nan", "inf", "0", "0.0", "-0.0", "-1.5"] {
        refuse_criterion("recursive-cl-diversity", &format!("c = {c}; l = 2"), &["c", "above 0"]);
        refuse_criterion("pd-recursive-cl-diversity", &format!("c = {c}; l = 2"), &["c", "above 0"]);
        refuse_criterion("npd-recursive-cl-diversity", &format!("c1 = {c}; c2 = 5; l = 2"), &["c1", "above 0"]);
        refuse_criterion("delta-disclosure", &format!("delta = {c}"), &["delta", "above 0"]);
        refuse_criterion("beta-likeness", &format!("beta = {c}"), &["beta", "above 0"]);
    }
    for t in ["nan", "inf", "1.0000000000000000000001", "1.1", "\"1.1\"", "-0.1"] {
        refuse_criterion("t-closeness", &format!("t = {t}"), &["t", "from 0 to 1"]);
    }
    for alpha in ["nan", "0", "1.01", "-0.1"] {
        refuse_criterion("alpha-k-anonymity", &format!("alpha = {alpha}; k = 2"), &["alpha", "at most 1"]);
    }
    refuse_criterion("npd-recursive-cl-diversity", "c1 = 2; c2 = 101; l = 2", &["c2", "from 0 to 100"]);
    refuse_criterion("t-closeness", "t = 0.1; distance = \"far\"", &["distance", "equal, ordered, hierarchical"]);
    let rho = plan(COLUMNS, &[("bayes-optimal", "rho1 = 0.6; rho2 = 0.6")]);
    refuse_plan(&rho, &["bayes-optimal", "rho1 must be below rho2"]);
}

#[test]
fn a_criterion_needs_the_columns_that_it_is_about() {
    let missing =
        |columns: &str, name: &str, params: &str, parts: &[&str]| refuse_plan(&plan(columns, &[(name, params)]), parts);
    let quasi = "zip = \"quasi\"\n";
    missing(quasi, "distinct-l-diversity", "l = 2", &["plan.toml, line 4", "needs a sensitive column"]);
    missing(quasi, "t-closeness", "t = 0.5", &["plan.toml, line 4", "needs a sensitive column"]);
    missing("disease = \"sensitive\"\n", "k-anonymity", "k = 2", &["no quasi-identifier"]);
    let two = "zip = \"quasi\"\nage = \"sensitive\"\ndisease = \"sensitive\"\n";
    missing(two, "distinct-l-diversity", "l = 2", &["about one sensitive column", "on = \"age\""]);
    missing(COLUMNS, "multi-attribute-distinct-l-diversity", "l = 2", &["several sensitive columns"]);
    missing(COLUMNS, "t-closeness", "t = 0.5; distance = \"ordered\"", &["\"disease\" have no order"]);
    missing(COLUMNS, "t-closeness", "t = 0.5; distance = \"hierarchical\"", &["\"disease\" has no hierarchy"]);
    let misspelt = "zip = \"quasi\"\ndisease = { role = \"sensitive\", sensitive_values = [\"flu\", \"canser\"] }\n";
    missing(misspelt, "distinct-l-diversity", "l = 2", &["\"disease\"", "value 2 of `sensitive_values`"]);
}

#[test]
fn a_plan_that_cannot_be_read_is_named_by_its_line() {
    refuse_plan("", &["plan.toml", "no [columns]", "sfumato init"]);
    refuse_plan("[columns]\nzip = \"quasi\"\nzip = \"sensitive\"\n", &["plan.toml, line 3", "duplicate"]);
    refuse_plan("[columns\n", &["plan.toml, line 1", "TOML"]);
    refuse_plan("[colums]\nzip = \"quasi\"\n", &["line 1", "did you mean \"columns\"?"]);
    refuse_plan("[columns]\nzip = \"quazi\"\n", &["plan.toml, line 2", "did you mean \"quasi\"?"]);
    refuse_plan("[columns]\nzip = { role = \"quasi\", hierachy = {} }\n", &["line 2", "did you mean \"hierarchy\"?"]);
    refuse_plan(
        "[columns]\nzip = { role = \"quasi\", hierarchy = { redcat = 5 } }\n",
        &["line 2", "did you mean \"redact\"?"],
    );
    refuse_plan("[columns]\nzip = 5\n", &["plan.toml, line 2", "\"zip\" is a number"]);
    refuse_plan("[columns]\nzip = \"quasi\"\n\n[[requires]]\n", &["line 4", "did you mean \"require\"?"]);
    refuse_plan("[columns]\nzip = \"quasi\"\n\n[require]\nk = 1\n", &["line 4", "[[require]]"]);
    refuse_plan("[columns]\nzip = \"quasi\"\n\n[[require]]\nk = 1\n", &["line 4", "names no criterion"]);
    let folder = Input::groups(&[&["flu"]]).folder(&[("k-anonymity", "k = 1")]);
    folder.write("latin.toml", b"# caf\xe9\n[columns]\n");
    refuse(&folder, "check table.csv --plan latin.toml", USAGE, &["latin.toml", "UTF-8"]);
}

#[test]
fn a_table_given_as_the_plan_shows_no_cell() {
    let folder = Folder::new(&[]);
    for table in ["zip,disease\n1,{}\n", "zip = {}\n", "{} = {}\n", "\"{}\"\n", "[{}]\n[{}]\n", "a = '{}' {}\n", "= {}"]
    {
        folder.write("table.csv", table.replace("{}", CANARY));
        let run = folder.command("check table.csv --plan table.csv").assert().code(USAGE);
        let error = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(error.contains("table.csv") && !error.contains(CANARY), "{table:?}: {error}");
    }
}

// Commands that are wrong

#[test]
fn a_wrong_command_line_is_refused_with_a_hint() {
    let folder = Input::groups(&[&["flu"]]).folder(&[("k-anonymity", "k = 1")]);
    refuse(&folder, "", USAGE, &["Usage", "Commands"]);
    refuse(&folder, "chek table.csv", USAGE, &["'check'"]);
    refuse(&folder, "check table.csv", USAGE, &["--plan"]);
    refuse(&folder, "check table.csv --plan plan.toml --jsno", USAGE, &["--json"]);
    refuse(&folder, "check table.csv --plan plan.toml --sensitive table.csv", USAGE, &["--groups"]);
    refuse(&folder, "inspect table.csv --delimiter ab", USAGE, &["one ASCII character"]);
    refuse(&folder, "list criterias", USAGE, &["did you mean \"criteria\"?"]);
    for threads in ["0", "many", "100000"] {
        refuse(&folder, &format!("list --threads {threads}"), USAGE, &["--threads"]);
    }
    refuse(&folder, "demo --rows 0", USAGE, &["--rows"]);
}

#[test]
fn errors_of_a_pair_name_the_half_that_they_are_about() {
    let plan = plan("zip = \"quasi\"\ndisease = \"sensitive\"\n", &[("k-anonymity", "k = 1")]);
    let check = |quasi: &str, sensitive: &str, code: i32, file: &str| {
        let files = [("plan.toml", plan.as_str()), ("r/quasi.csv", quasi), ("r/sensitive.csv", sensitive)];
        refuse(&Folder::new(&files), "check r --plan plan.toml", code, &[file]);
    };
    let good = ["zip,group\n1,1\n2,1\n", "group,disease,count\n1,flu,2\n"];
    check("zip\n1\n2\n", good[1], USAGE, "quasi.csv: the table has no column");
    check(good[0], "disease,count\nflu,2\n", USAGE, "sensitive.csv: the table has no column");
    check(good[0], "group,disease,count\n1,flu,x\n", DATA, "sensitive.csv: column \"count\"");
    check(good[0], "group,disease,count\n1,flu,3\n", DATA, "quasi.csv: the group of record 1");
}
