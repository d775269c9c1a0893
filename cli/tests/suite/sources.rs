//! Tables where people keep them: compressed, in several files, on standard input, in databases.

use crate::support::{CANARY, Folder, plan};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

const HEADER: &str = "age,zip,disease\n";

fn rows(from: usize, to: usize) -> String {
    let disease = ["flu", "cold", "cancer"];
    (from..to).map(|at| format!("{},{:05},{}\n", 20 + at % 5, 13050 + at % 2, disease[at % 3])).collect()
}

fn whole() -> String {
    format!("{HEADER}{}", rows(0, 60))
}

fn gzipped(text: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text).unwrap();
    packed.finish().unwrap()
}

fn folder() -> Folder {
    let lines = plan("age = \"quasi\"\nzip = \"quasi\"\ndisease = \"sensitive\"\n", &[("k-anonymity", "k = 2")]);
    let folder = Folder::new(&[("whole.csv", &whole()), ("plan.toml", &lines)]);
    folder.write("whole.csv.gz", gzipped(whole().as_bytes()));
    let [first, second] = [(0, 20), (20, 60)].map(|(from, to)| format!("{HEADER}{}", rows(from, to)));
    // Two members, as `cat a.gz b.gz` makes them.
    folder.write("members.csv.gz", [gzipped(HEADER.as_bytes()), gzipped(rows(0, 60).as_bytes())].concat());
    folder.write("whole.csv.zst", zstd::encode_all(whole().as_bytes(), 3).unwrap());
    folder.write("parts/part-1.csv", &first);
    folder.write("parts/part-2.csv.gz", gzipped(second.as_bytes()));
    folder.write("parts/_SUCCESS", "");
    let object = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        format!("{{\"age\": {}, \"zip\": \"{}\", \"disease\": \"{}\"}}\n", cells[0], cells[1], cells[2])
    };
    folder.write("whole.jsonl", rows(0, 60).lines().map(object).collect::<String>());
    let database = rusqlite::Connection::open(folder.path("whole.db")).unwrap();
    database.execute_batch("CREATE TABLE patients (age, zip, disease)").unwrap();
    for line in rows(0, 60).lines() {
        let cells: Vec<&str> = line.split(',').collect();
        let values = (cells[0].parse::<i64>().unwrap(), cells[1], cells[2]);
        database.execute("INSERT INTO patients VALUES (?1, ?2, ?3)", values).unwrap();
    }
    folder
}

const SOURCES: [&str; 8] = [
    "whole.csv",
    "whole.csv.gz",
    "members.csv.gz",
    "whole.csv.zst",
    "parts",
    "parts/part-*",
    "whole.jsonl",
    "whole.db",
];

#[test]
fn every_command_reads_every_source_alike() {
    let folder = folder();
    for command in ["inspect {} --json", "check {} --plan plan.toml --json", "init {} --out -"] {
        let output = |source: &str| folder.output(&command.replace("{}", source), 0).replace(source, "SOURCE");
        for source in SOURCES {
            assert_eq!(output(source), output(SOURCES[0]), "{command}: {source}");
        }
    }
    for source in ["whole.csv.gz", "parts", "whole.db"] {
        let command = format!("publish plan.toml --data {source} --out release --replace --insecure-seed 1");
        folder.run(&command).success();
        folder.run("verify release").success();
    }
}

#[test]
fn standard_input_is_read_in_every_form() {
    let folder = folder();
    let expected = folder.output("inspect whole.csv --json", 0);
    for source in ["whole.csv", "whole.csv.gz", "whole.csv.zst", "whole.jsonl"] {
        let input = std::fs::read(folder.path(source)).unwrap();
        let run = folder.command("inspect - --json").write_stdin(input.clone()).assert().success();
        assert_eq!(String::from_utf8_lossy(&run.get_output().stdout), expected, "{source}");
        folder.command("check - --plan plan.toml").write_stdin(input).assert().success();
    }
    let lines = std::fs::read_to_string(folder.path("plan.toml")).unwrap();
    folder.write("stdin.toml", format!("[data]\npath = \"-\"\n{lines}"));
    folder.command("publish stdin.toml --out piped").write_stdin(whole()).assert().success();
    let run = folder.command("inspect -").write_stdin(b"a,b\n1,\xff\n".to_vec()).assert().code(3);
    assert!(String::from_utf8_lossy(&run.get_output().stderr).contains("windows-1252"));
}

#[test]
fn a_database_is_read_by_table_or_query() {
    let folder = folder();
    rusqlite::Connection::open(folder.path("whole.db")).unwrap().execute_batch("CREATE TABLE other (x)").unwrap();
    folder.run("inspect whole.db").code(2);
    folder.run("inspect whole.db --table patients").success();
    let lines = std::fs::read_to_string(folder.path("plan.toml")).unwrap();
    let query = "SELECT age, zip, disease FROM patients WHERE age < 23";
    folder.write("query.toml", format!("[data]\npath = \"whole.db\"\nquery = \"{query}\"\n{lines}"));
    let found = folder.json("check --plan query.toml --json", 0);
    assert_eq!(found["records"], 36, "{found}");
    folder.write("both.toml", format!("[data]\npath = \"whole.db\"\ntable = \"a\"\nquery = \"b\"\n{lines}"));
    folder.run("check --plan both.toml").code(2);
}

#[test]
fn what_cannot_be_one_table_is_refused_clearly() {
    let folder = folder();
    folder.write("parts/part-3.csv", format!("age,zip\n1,{CANARY}\n"));
    folder.write("cut.csv.gz", &gzipped(whole().as_bytes())[..40]);
    folder.write("broken.csv.zst", b"\x28\xb5\x2f\xfdSECRET");
    folder.write("unknown.gz", gzipped(b"x"));
    let refused = |arguments: &str, code: i32, parts: &[&str]| {
        let run = folder.run(arguments).code(code);
        let error = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        parts.iter().for_each(|part| assert!(error.contains(part), "{error} lacks {part}"));
    };
    refused("inspect parts", 3, &["part-3.csv", "no column with the name of column 3", "part-1.csv"]);
    refused("inspect nothing-*.csv", 7, &["nothing-*.csv"]);
    refused("inspect whole.csv whole.jsonl", 2, &["2 files are named", "quote the pattern"]);
    refused("inspect cut.csv.gz", 3, &["damaged or cut off"]);
    refused("inspect broken.csv.zst", 3, &["damaged or cut off"]);
    refused("inspect unknown.gz", 2, &["unknown.gz", "no ending"]);
    refused("inspect whole.csv --table x", 2, &["`table` has no effect"]);
    refused("inspect whole.jsonl --trim", 2, &["`trim` has no effect"]);
    let lines = std::fs::read_to_string(folder.path("plan.toml")).unwrap();
    folder.write("xlsx.toml", format!("{lines}[release]\nformat = \"xlsx\"\n"));
    refused("publish xlsx.toml --data whole.csv --out release", 2, &["xlsx is only read"]);
}

/// A small file that unpacks to far more than there is room for.
#[test]
fn bombs_end_within_the_memory_that_is_allowed() {
    let folder = Folder::new(&[]);
    let text = |line: &[u8]| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(b"a,b\n").unwrap();
        (0..3000).for_each(|_| packed.write_all(&line.repeat(100_000 / line.len())).unwrap());
        packed.finish().unwrap()
    };
    folder.write("records.csv.gz", text(b"1,2\n"));
    folder.write("record.csv.gz", text(b"xxxx"));
    for name in ["records.csv.gz", "record.csv.gz"] {
        folder.run(&format!("inspect {name} --memory 100MB")).code(6);
    }
}
