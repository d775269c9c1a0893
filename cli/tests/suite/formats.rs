//! The same table in every format gives the same answers, and damaged files are refused.

use crate::support::{CANARY, Folder, plan};
use serde_json::Value;
use sfumato::data::{Formats, ReadOptions, sample};

/// Cells that formats treat differently unless care is taken: delimiters, quotes, line breaks,
/// leading zeros, missing values, letters beyond ASCII.
const TABLE: [[&str; 6]; 9] = [
    ["zip", "age", "admitted", "weight", "the \"note\"; here", "disease"],
    ["01307", "31", "2021-03-31", "71.5", "a,b", "flu, \"mild\""],
    ["01307", "31", "2021-03-31", "80", "a;b", "pain; chronic"],
    ["01307", "31", "2021-03-31", "-1.25", "a\tb", "grippe – été"],
    ["13053", "", "2021-04-01", "71.5", "a|b", "flu, \"mild\""],
    ["13053", "", "2021-04-01", "64", "", "two\nlines"],
    ["13053", "-4", "2021-04-01", "64", " blank edge ", "flu, \"mild\""],
    ["13053", "-4", "2021-04-01", "1e3", "", "pain; chronic"],
    ["13053", "-4", "2021-04-01", "0.5", "plain", "pain; chronic"],
];

fn table_plan() -> String {
    plan(
        "zip = \"quasi\"\nage = \"quasi\"\nadmitted = \"quasi\"\nweight = \"sensitive\"\ndisease = \"sensitive\"\n",
        &[
            ("k-anonymity", "k = 3"),
            ("entropy-l-diversity", "on = \"disease\"; l = 2"),
            ("recursive-cl-diversity", "on = \"disease\"; c = 2; l = 2"),
            ("t-closeness", "on = \"disease\"; t = 0.3"),
            ("t-closeness", "on = \"weight\"; t = 0.3; distance = \"ordered\""),
            ("multi-attribute-distinct-l-diversity", "l = 2"),
        ],
    )
}

/// The table as text. Cells are quoted where they must be, or all of them.
fn text(delimiter: char, line_end: &str, quote_all: bool) -> String {
    let cell = |cell: &str| {
        let quoted = quote_all || cell.contains([delimiter, '"', '\n']);
        if quoted { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_string() }
    };
    let line = |row: &[&str; 6]| row.map(cell).join(&delimiter.to_string()) + line_end;
    TABLE.iter().map(line).collect()
}

/// The same table under other names and in other formats, beside a plan.
fn in_every_format() -> (Folder, Vec<&'static str>) {
    let folder = Folder::new(&[("plan.toml", &table_plan())]);
    let texts = [
        ("comma.csv", text(',', "\n", false)),
        ("semicolon.csv", text(';', "\n", false)),
        ("tab.csv", text('\t', "\n", false)),
        ("bar.csv", text('|', "\n", false)),
        ("bom.csv", format!("\u{feff}{}", text(',', "\n", false))),
        ("bom-quoted.csv", format!("\u{feff}{}", text(';', "\r\n", true))),
        ("crlf.csv", text(',', "\r\n", false)),
        ("quoted.csv", text(',', "\n", true)),
        ("no-last-line-end.csv", text(',', "\n", false).trim_end().to_string()),
        ("table.tsv", text('\t', "\n", false)),
        ("crlf.tsv", text('\t', "\r\n", true)),
        ("table.txt", text(';', "\n", false)),
        ("UPPER.CSV", text(',', "\n", false)),
    ];
    let mut names: Vec<&str> = texts.iter().map(|(name, _)| *name).collect();
    texts.iter().for_each(|(name, text)| folder.write(name, text));
    let table = formats().read(&folder.path("comma.csv"), &ReadOptions::default()).unwrap();
    for name in ["table.parquet", "table.pq", "table.arrow", "table.feather", "table.ipc"] {
        formats().write(&table, &folder.path(name)).unwrap();
        names.push(name);
    }
    (folder, names)
}

fn formats() -> Formats {
    Formats::default().with(sfumato_columnar::formats())
}

#[test]
fn every_format_gives_the_same_check_document() {
    let (folder, names) = in_every_format();
    let expected = folder.json("check comma.csv --plan plan.toml --json", 1);
    assert_eq!((&expected["records"], &expected["groups"]), (&Value::from(8), &Value::from(3)));
    for name in names {
        assert_eq!(folder.json(&format!("check {name} --plan plan.toml --json"), 1), expected, "{name}");
    }
}

#[test]
fn every_format_gives_the_same_profile_and_draft() {
    let (folder, names) = in_every_format();
    let expected = folder.json("inspect comma.csv --json", 0);
    let columns = |draft: String| draft.split_once("[columns]").unwrap().1.to_string();
    let draft = columns(folder.output("init comma.csv --out -", 0));
    for name in names {
        assert_eq!(folder.json(&format!("inspect {name} --json"), 0), expected, "{name}");
        assert_eq!(columns(folder.output(&format!("init {name} --out -"), 0)), draft, "{name}");
    }
}

#[test]
fn a_large_table_is_the_same_in_every_format_on_any_number_of_threads() {
    let folder = Folder::new(&[]);
    let criteria = [
        ("k-anonymity", "k = 2"),
        ("entropy-l-diversity", "l = 2"),
        ("t-closeness", "t = 0.3"),
        ("beta-likeness", "beta = 1"),
    ];
    folder.write(
        "plan.toml",
        plan("age = \"quasi\"\nsex = \"quasi\"\nzip = \"quasi\"\ndisease = \"sensitive\"\n", &criteria),
    );
    let table = sample::hospital(70_000, 7);
    let names = ["table.csv", "table.tsv", "table.parquet", "table.arrow"];
    names.iter().for_each(|name| formats().write(&table, &folder.path(name)).unwrap());
    let check = folder.output("check table.csv --plan plan.toml --json", 1);
    let inspect = folder.output("inspect table.csv", 0);
    for name in names {
        for threads in [1, 2, 8] {
            let found = folder.output(&format!("check {name} --plan plan.toml --json --threads {threads}"), 1);
            assert_eq!(found, check, "{name} on {threads} threads");
            assert_eq!(
                folder.output(&format!("inspect {name} --threads {threads}"), 0),
                inspect,
                "{name} on {threads} threads"
            );
        }
    }
}

#[test]
fn the_plan_tells_how_text_is_read() {
    let data =
        "[data]\ndelimiter = \":\"\nheader = false\nnames = [\"zip\", \"disease\"]\ntrim = true\nmissing = [\"?\"]\n";
    let folder = Folder::new(&[
        ("odd.data", "130 : flu\n 130: ?\n130:flu \n"),
        (
            "plan.toml",
            &format!(
                "{data}{}",
                plan("zip = \"quasi\"\ndisease = \"sensitive\"\n", &[("distinct-l-diversity", "l = 2")])
            ),
        ),
    ]);
    let found = folder.json("check odd.data --plan plan.toml --json", 0);
    assert_eq!((&found["records"], &found["groups"]), (&Value::from(3), &Value::from(1)));
    let found = folder.json("inspect odd.data --delimiter : --no-header --trim --missing ? --json", 0);
    assert_eq!(
        (&found["columns"][1]["column"], &found["columns"][1]["missing"]),
        (&Value::from("column2"), &Value::from(1))
    );
}

#[test]
fn a_bucketized_pair_may_be_columnar() {
    let folder = Folder::new(&[
        ("text/quasi.csv", "zip,bucket\n1,1\n2,1\n3,2\n"),
        ("text/sensitive.csv", "bucket,disease,count\n1,flu,1\n1,cancer,1\n2,flu,1\n"),
        ("plan.toml", &plan("zip = \"quasi\"\ndisease = \"sensitive\"\n", &[("distinct-l-diversity", "l = 2")])),
    ]);
    let expected = folder.json("check text --plan plan.toml --groups bucket --json", 1);
    for ending in ["parquet", "arrow"] {
        std::fs::create_dir(folder.path(ending)).unwrap();
        for half in ["quasi", "sensitive"] {
            let table = formats().read(&folder.path(&format!("text/{half}.csv")), &ReadOptions::default()).unwrap();
            formats().write(&table, &folder.path(&format!("{ending}/{half}.{ending}"))).unwrap();
        }
        assert_eq!(
            folder.json(&format!("check {ending} --plan plan.toml --groups bucket --json"), 1),
            expected,
            "{ending}"
        );
    }
}

#[test]
fn damaged_columnar_files_are_refused_and_show_no_cell() {
    let folder = Folder::new(&[
        ("plan.toml", &plan("zip = \"quasi\"\n", &[("k-anonymity", "k = 1")])),
        ("table.csv", &format!("zip,disease\n1,{CANARY}\n")),
    ]);
    let table = formats().read(&folder.path("table.csv"), &ReadOptions::default()).unwrap();
    let csv = std::fs::read(folder.path("table.csv")).unwrap();
    for ending in ["parquet", "arrow"] {
        let name = format!("table.{ending}");
        formats().write(&table, &folder.path(&name)).unwrap();
        let good = std::fs::read(folder.path(&name)).unwrap();
        folder.run(&format!("check {name} --plan plan.toml")).code(0);
        let cut = |part: usize| good[..good.len() * part / 4].to_vec();
        for damaged in
            [Vec::new(), cut(1), cut(2), cut(3), csv.clone(), [good.as_slice(), b"more"].concat(), vec![0; 512]]
        {
            folder.write(&name, &damaged);
            let run = folder.run(&format!("check {name} --plan plan.toml")).code(3).stdout("");
            run.stderr(predicates::str::contains(&name));
        }
    }
}
