//! What `cargo mutants` would change.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Body,
    Binary,
    Unary,
    Arm,
    Guard,
    Field,
    /// Something that is not planted.
    Other,
}

/// One change in one place.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub number: usize,
    /// Relative to the root of the repository.
    pub file: String,
    /// As `cargo mutants` calls it.
    pub name: String,
    pub change: Change,
    /// Where it begins; lines and columns begin at one.
    pub line: usize,
    pub column: usize,
    pub replacement: String,
}

impl Mutant {
    /// Its name without the place in the file, which changes with every line above it.
    pub fn placeless(&self) -> String {
        let what = self.name.splitn(4, ':').nth(3).unwrap_or_default();
        format!("{}:{what}", self.file)
    }
}

/// The mutants of `cargo mutants --list`, numbered from one.
pub fn list(root: &Path, arguments: &[String]) -> Vec<Mutant> {
    let output = Command::new("cargo")
        .args(["mutants", "--list", "--json", "--no-config", "--package", "sfumato"])
        .args(arguments)
        .current_dir(root)
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "cargo mutants: {}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).expect("a list of mutants");
    let all = document.as_array().into_iter().flatten();
    all.zip(1..).map(|(value, number)| read(value, number)).collect()
}

fn read(value: &Value, number: usize) -> Mutant {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_string();
    let start = |key: &str| value["span"]["start"][key].as_u64().unwrap_or(1) as usize;
    let change = match value["genre"].as_str().unwrap_or_default() {
        "FnValue" => Change::Body,
        "BinaryOperator" => Change::Binary,
        "UnaryOperator" => Change::Unary,
        "MatchArm" => Change::Arm,
        "MatchArmGuard" => Change::Guard,
        "StructField" => Change::Field,
        _ => Change::Other,
    };
    let (line, column) = (start("line"), start("column"));
    Mutant { number, file: text("file"), name: text("name"), change, line, column, replacement: text("replacement") }
}
