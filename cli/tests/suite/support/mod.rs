//! What the end-to-end tests share: a folder of files, the command run in it, and `check` of a
//! table against what is expected.

#[cfg(target_os = "linux")]
pub mod faults;
pub mod publishing;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A cell that no output may hold: put it into tables, and [`Folder::run`] looks for it.
pub const CANARY: &str = "Zq7canary";

/// The program under test.
pub const SFUMATO: &str = env!("CARGO_BIN_EXE_sfumato");

/// A folder of its own for a test, and `sfumato` run in it.
pub struct Folder(TempDir);

impl Folder {
    /// A folder with these files.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, content)| folder.write(name, content));
        folder
    }

    /// Writes a file, and the folders it is in.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Where a file of this folder is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `sfumato` with arguments that are separated by blanks. Whatever happens, it shows no
    /// cell, no escape code and no defect.
    pub fn run(&self, arguments: &str) -> Assert {
        self.run_with(arguments, &[])
    }

    /// The same, with variables in its environment.
    pub fn run_with(&self, arguments: &str, variables: &[(&str, &str)]) -> Assert {
        let run = self.command(arguments).envs(variables.iter().copied()).assert();
        let output = run.get_output();
        for stream in [&output.stdout, &output.stderr] {
            let text = String::from_utf8(stream.clone()).expect("output is UTF-8");
            assert!(!text.contains(CANARY), "`{arguments}` shows a cell:\n{text}");
            assert!(!text.contains('\u{1b}'), "`{arguments}` shows escape codes:\n{text}");
            assert!(!text.contains("internal error"), "`{arguments}` meets a defect:\n{text}");
        }
        run
    }

    /// The command, ready to run.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(SFUMATO);
        command.current_dir(self.0.path()).args(arguments.split_whitespace()).timeout(Duration::from_secs(60));
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(variable);
        }
        // Nobody's own record of releases is touched; tests of it name another.
        command.env("SFUMATO_RECORD", "");
        command
    }

    /// What a command prints on standard output; it must end with the code, and say nothing on
    /// standard error.
    pub fn output(&self, arguments: &str, code: i32) -> String {
        let run = self.run(arguments).code(code).stderr("");
        String::from_utf8(run.get_output().stdout.clone()).unwrap()
    }

    /// The JSON document that a command prints; it must end with the code.
    pub fn json(&self, arguments: &str, code: i32) -> Value {
        serde_json::from_str(&self.output(arguments, code)).expect("one JSON document")
    }
}

/// A table and what its columns are.
pub struct Input {
    table: String,
    columns: String,
}

impl Input {
    /// A CSV table whose last column is sensitive, and whose others are quasi-identifiers.
    pub fn new(table: impl Into<String>) -> Self {
        let table = table.into();
        let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
        let role = |at: usize| if at + 1 == header.len() { "sensitive" } else { "quasi" };
        let columns = header.iter().enumerate().map(|(at, name)| format!("{name} = \"{}\"\n", role(at))).collect();
        Input { table, columns }
    }

    /// Groups of records, given by their sensitive values: columns `group` and `value`.
    pub fn groups(groups: &[&[&str]]) -> Self {
        let rows = (1..).zip(groups).flat_map(|(number, group)| group.iter().map(move |value| (number, value)));
        let rows: String = rows.map(|(number, value)| format!("{number},{value}\n")).collect();
        Input::new(format!("group,value\n{rows}"))
    }

    /// The same table with other words on its columns.
    pub fn columns(self, columns: &str) -> Self {
        Input { columns: columns.into(), ..self }
    }

    /// A folder with `table.csv` and a `plan.toml` that requires these criteria.
    pub fn folder(&self, criteria: &[(&str, &str)]) -> Folder {
        Folder::new(&[("table.csv", &self.table), ("plan.toml", &plan(&self.columns, criteria))])
    }
}

/// A plan: lines on columns, and criteria with their parameters, which are separated by `; `.
pub fn plan(columns: &str, criteria: &[(&str, &str)]) -> String {
    let section = |(name, params): &(&str, &str)| {
        format!("\n[[require]]\ncriterion = \"{name}\"\n{}\n", params.replace("; ", "\n"))
    };
    format!("[columns]\n{}\n{}", columns.trim_end(), criteria.iter().map(section).collect::<String>())
}

/// What `check` must find about one criterion.
#[derive(Clone, Copy)]
pub struct Finding {
    holds: bool,
    measured: f64,
}

/// The criterion holds, and this is measured; infinity where there is nothing to measure.
pub fn holds(measured: f64) -> Finding {
    Finding { holds: true, measured }
}

/// The criterion does not hold, and this is measured; infinity where no parameter would hold.
pub fn fails(measured: f64) -> Finding {
    Finding { holds: false, measured }
}

/// Checks a table against criteria, each with its parameters and with what must be found. The
/// document is handed on for more questions.
pub fn check(input: &Input, expected: &[(&str, &str, Finding)]) -> Value {
    let criteria: Vec<(&str, &str)> = expected.iter().map(|(name, params, _)| (*name, *params)).collect();
    check_in(&input.folder(&criteria), "table.csv", expected)
}

/// The same for a table and a `plan.toml` that are there.
pub fn check_in(folder: &Folder, data: &str, expected: &[(&str, &str, Finding)]) -> Value {
    let all = expected.iter().all(|(_, _, finding)| finding.holds);
    let document = folder.json(&format!("check {data} --plan plan.toml --json"), i32::from(!all));
    assert_eq!(document["holds"], all, "{document:#}");
    assert_eq!(document["criteria"].as_array().unwrap().len(), expected.len());
    for ((name, params, finding), found) in expected.iter().zip(document["criteria"].as_array().unwrap()) {
        assert_eq!(found["criterion"], *name);
        assert_eq!(found["holds"], finding.holds, "{name} with {params}: {found:#}");
        assert_close(&found["measured"], finding.measured, &format!("{name} with {params}"));
    }
    document
}

/// Asserts that a number of a document is the expected one up to rounding; infinity stands for
/// `null`.
pub fn assert_close(found: &Value, expected: f64, what: &str) {
    match found.as_f64() {
        None => assert!(found.is_null() && expected.is_infinite(), "{what}: {found} is not {expected}"),
        Some(found) => {
            let close = (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
            assert!(close, "{what}: {found} is not {expected}");
        }
    }
}

/// A folder of the data sets that lie beside the repository; nothing, and a message, where they are
/// not at hand.
pub fn shared_data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    if !path.is_dir() {
        eprintln!("skipped: {} is not at hand", path.display());
    }
    path.is_dir().then_some(path)
}
