//! A copy of the repository with mutants in it, and its build.

use crate::mutant::Mutant;
use crate::plant::{ACTIVE, plant};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The tests of the command that are about something else than what the library decides, and take
/// long.
const LEFT_OUT: [&str; 4] = ["crash", "faults", "pycanon", "reproduce"];

/// A copy of the repository.
pub struct Tree {
    root: PathBuf,
    target: PathBuf,
}

/// What came of a build.
pub struct Built {
    /// The numbers of the mutants in it.
    pub planted: BTreeSet<usize>,
    /// Those that do not compile.
    pub refused: BTreeSet<usize>,
    pub programs: Vec<Program>,
}

/// A program with tests.
#[derive(Clone)]
pub struct Program {
    pub path: PathBuf,
    /// Where it is run.
    pub folder: PathBuf,
}

impl Tree {
    /// Copies what git knows, or would if it were asked to.
    pub fn copied(from: &Path, work: &Path) -> Tree {
        let root = work.join("tree");
        let _ = std::fs::remove_dir_all(&root);
        let listed = Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(from)
            .output()
            .expect("git can be run");
        for name in String::from_utf8_lossy(&listed.stdout).lines() {
            if from.join(name).is_file() {
                let target = root.join(name);
                std::fs::create_dir_all(target.parent().expect("a folder")).expect("a folder can be made");
                std::fs::copy(from.join(name), target).expect("a file can be copied");
            }
        }
        // Real data that tests use where they are at hand.
        #[cfg(unix)]
        if let Ok(shared) = from.join("../shared").canonicalize() {
            let _ = std::os::unix::fs::symlink(shared, work.join("shared"));
        }
        Tree { root, target: work.join("target") }
    }

    /// Plants mutants and builds the tests; mutants that do not compile are taken out until the
    /// rest does.
    pub fn build(&self, mutants: &[Mutant]) -> Built {
        let mut by_file: BTreeMap<&str, Vec<&Mutant>> = BTreeMap::new();
        for mutant in mutants {
            by_file.entry(&mutant.file).or_default().push(mutant);
        }
        let read = |file: &str| std::fs::read_to_string(self.root.join(file)).expect("a source can be read");
        let sources: BTreeMap<&str, String> = by_file.keys().map(|file| (*file, read(file))).collect();
        let library = read("core/src/lib.rs");
        std::fs::write(self.root.join("core/src/lib.rs"), library + &switch(mutants)).expect("a source can be written");
        let mut refused: BTreeSet<usize> = BTreeSet::new();
        loop {
            let mut planted = BTreeSet::new();
            let mut texts: BTreeMap<&str, String> = BTreeMap::new();
            for (file, mutants) in &by_file {
                let left: Vec<&Mutant> = mutants.iter().filter(|one| !refused.contains(&one.number)).copied().collect();
                let (text, numbers) = plant(&sources[file], &left).expect("the source can be parsed");
                std::fs::write(self.root.join(file), &text).expect("a source can be written");
                planted.extend(numbers);
                texts.insert(file, text);
            }
            match self.compile(&texts) {
                Ok(programs) => return Built { planted, refused, programs },
                Err(more) => {
                    assert!(
                        more.iter().any(|number| !refused.contains(number)),
                        "errors that no mutant explains: see above"
                    );
                    println!("{} mutants do not compile", more.len());
                    refused.extend(more);
                }
            }
        }
    }

    /// The tests, or the mutants that are in the way.
    fn compile(&self, texts: &BTreeMap<&str, String>) -> Result<Vec<Program>, BTreeSet<usize>> {
        let output = Command::new("cargo")
            .args([
                "test",
                "--locked",
                "--no-run",
                "--message-format",
                "json",
                "-p",
                "sfumato",
                "-p",
                "sfumato-cli",
                "-p",
                "sfumato-fuzz",
                "--lib",
            ])
            .args(self.selected())
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            .stderr(Stdio::null())
            .output()
            .expect("cargo can be run");
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if output.status.success() {
            return Ok(messages.iter().filter_map(test).collect());
        }
        let errors = messages.iter().map(|message| &message["message"]).filter(|error| error["level"] == "error");
        let mut blamed = BTreeSet::new();
        for error in errors {
            let found = blame(error, texts);
            if found.is_none() {
                println!("{}", error["rendered"].as_str().unwrap_or_default());
            }
            blamed.extend(found);
        }
        Err(blamed)
    }

    /// The tests of the library, and those of the command and the readers that are of use.
    fn selected(&self) -> Vec<String> {
        let mut names: BTreeSet<String> = BTreeSet::from(["papers".into()]);
        for folder in ["core/tests", "cli/tests", "fuzz/tests"] {
            let entries = std::fs::read_dir(self.root.join(folder)).expect("a folder of tests").flatten();
            let sources = entries.map(|entry| entry.path()).filter(|path| path.extension() == Some("rs".as_ref()));
            names.extend(sources.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())));
        }
        names.retain(|name| !LEFT_OUT.contains(&name.as_str()));
        names.into_iter().flat_map(|name| ["--test".to_string(), name]).collect()
    }
}

/// The test program of a message about what was built.
fn test(message: &Value) -> Option<Program> {
    let path = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    Some(Program { path: path.into(), folder: folder.into() })
}

/// The mutant in which an error is: the last one that is chosen before it.
fn blame(error: &Value, texts: &BTreeMap<&str, String>) -> Option<usize> {
    let spans = error["spans"].as_array()?.iter().filter(|span| span["is_primary"] == true);
    spans
        .filter_map(|span| {
            let text = texts.get(span["file_name"].as_str()?)?;
            // What is put in can begin with the name of the switch itself.
            let end = (span["byte_start"].as_u64()? as usize + ACTIVE.len() + 8).min(text.len());
            let end = (end..text.len()).find(|place| text.is_char_boundary(*place)).unwrap_or(text.len());
            let place = text[..end].rfind(&format!("{ACTIVE}("))?;
            text[place + ACTIVE.len() + 1..].split(')').next()?.parse().ok()
        })
        .next()
}

/// The function that tells whether a mutant is active, and writes down which are asked for if it is
/// told to.
fn switch(mutants: &[Mutant]) -> String {
    format!(
        r#"
/// Whether a mutant is active.
pub fn mutant_is_active(number: usize) -> bool {{
    use std::io::Write;
    use std::sync::LazyLock;
    use std::sync::atomic::{{AtomicBool, Ordering}};
    static CHOSEN: LazyLock<usize> =
        LazyLock::new(|| std::env::var("SFUMATO_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0));
    static RECORD: LazyLock<Option<std::path::PathBuf>> = LazyLock::new(|| std::env::var_os("SFUMATO_REACHED").map(Into::into));
    static SEEN: [AtomicBool; {count}] = [const {{ AtomicBool::new(false) }}; {count}];
    if let Some(path) = &*RECORD && !SEEN[number].swap(true, Ordering::Relaxed) {{
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        file.unwrap().write_all(format!("{{number}}\n").as_bytes()).unwrap();
    }}
    *CHOSEN == number
}}
"#,
        count = mutants.iter().map(|mutant| mutant.number).max().unwrap_or(0) + 1
    )
}
