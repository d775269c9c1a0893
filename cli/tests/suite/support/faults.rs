//! What the tests of writing under fault share: a target on a shelf of its own, runs of `publish`
//! on it that are killed or meet failing system calls, and what may be on the shelf afterwards.

#![allow(dead_code, reason = "every test file uses its own part of this")]

use crate::support::publishing::{COLUMNS, CRITERIA, PATIENTS, accepting, people};
use crate::support::{Folder, SFUMATO};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// The exit code of failed reading or writing.
pub const IO: i32 = 7;

/// The number of a signal that ends a process without asking it.
pub const KILL: i32 = 9;

/// The calls by which a release comes to be, under all names that systems have for them. A question
/// mark lets `strace` pass over a name it does not know.
pub const WRITING: [&str; 19] = [
    "openat",
    "write",
    "fsync",
    "fdatasync",
    "ftruncate",
    "?chmod",
    "fchmod",
    "fchmodat",
    "?mkdir",
    "mkdirat",
    "?rmdir",
    "?unlink",
    "unlinkat",
    "?rename",
    "renameat",
    "renameat2",
    "flock",
    "read",
    "getdents64",
];

/// The target, and arguments that replace the old release on it by the new one.
pub const TARGET: &str = "shelf/out";
pub const PUBLISH: &str = "publish new.toml --out shelf/out --replace";

/// How many cases are tried: more with SFUMATO_CASES.
pub fn cases(usual: usize) -> usize {
    std::env::var("SFUMATO_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// So many of them, spread evenly; all, if there are no more.
pub fn some_of<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let count = all.len();
    let is_taken = |at: &usize| count <= most || (at * most) / count != ((at + 1) * most) / count;
    all.into_iter().enumerate().filter(|(at, _)| is_taken(at)).map(|(_, one)| one).collect()
}

/// Files by name.
type Files = BTreeMap<String, Vec<u8>>;

/// What is at the target, complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Absent,
    Old,
    New,
}

/// A table or transactions, two plans for it, and the releases that they lead to.
pub struct Scene {
    pub name: &'static str,
    pub folder: Folder,
    /// Whether the new release is another one each time, because chance is its defence.
    is_random: bool,
    old: Files,
    new: Files,
}

impl Scene {
    /// A table in every format, a pair of tables, and transactions.
    pub fn all() -> Vec<Scene> {
        vec![Scene::csv(), Scene::in_format("parquet"), Scene::in_format("arrow"), Scene::pair(), Scene::transactions()]
    }

    pub fn csv() -> Scene {
        Scene::in_format("csv")
    }

    pub fn in_format(format: &'static str) -> Scene {
        let plan = |k: u8| {
            let criteria = CRITERIA.replace("k = 3", &format!("k = {k}"));
            let release = format!("[release]\nformat = \"{format}\"\n{}", accepting(COLUMNS));
            format!("[data]\npath = \"data.csv\"\n[columns]\n{COLUMNS}{criteria}{release}")
        };
        Scene::new(format, false, &[("data.csv", PATIENTS), ("old.toml", &plan(2)), ("new.toml", &plan(4))])
    }

    pub fn pair() -> Scene {
        let columns = "name = \"identifier\"\nage = \"quasi\"\njob = \"quasi\"\ndisease = \"sensitive\"\n";
        let diverse = "[[require]]\ncriterion = \"frequency-l-diversity\"\non = \"disease\"\nl = 2\n";
        let plan = |method: &str| {
            let release = format!("[method]\nname = \"{method}\"\n[release]\nform = \"bucketized\"\n");
            format!("[data]\npath = \"data.csv\"\n[columns]\n{columns}{diverse}{release}")
        };
        let files =
            [("data.csv", &*people(40)), ("old.toml", &plan("greedy-grouping")), ("new.toml", &plan("anatomy"))];
        Scene::new("pair", true, &files)
    }

    pub fn transactions() -> Scene {
        let records =
            "bread milk condom\nbread milk\nmilk condom\nflour fruits\nflour condom\nbread fruits\nfruits condom\n";
        let plan = |rho: &str| {
            let data = "kind = \"transactions\"\npath = \"data.dat\"\nsensitive = { items = [\"condom\"] }\n";
            format!("[data]\n{data}[[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"{rho}\"\n")
        };
        let files = [("data.dat", records), ("old.toml", &plan("0.6")), ("new.toml", &plan("0.334"))];
        Scene::new("transactions", true, &files)
    }

    fn new(name: &'static str, is_random: bool, files: &[(&str, &str)]) -> Scene {
        let folder = Folder::new(files);
        std::fs::create_dir(folder.path("temp")).unwrap();
        let mut scene = Scene { name, folder, is_random, old: Files::new(), new: Files::new() };
        for plan in ["old", "new"] {
            scene.folder.run(&format!("publish {plan}.toml --out known-{plan}")).code(0);
        }
        scene.old = scene.files("known-old").unwrap();
        scene.new = scene.files("known-new").unwrap();
        assert!(scene.old != scene.new, "{name}: the releases cannot be told apart");
        scene
    }

    /// An empty shelf, or one with the old release.
    pub fn prepare(&self, before: State) {
        let shelf = self.folder.path("shelf");
        if shelf.exists() {
            std::fs::remove_dir_all(&shelf).unwrap();
        }
        std::fs::create_dir(&shelf).unwrap();
        if before == State::Old {
            self.old.iter().for_each(|(name, bytes)| self.folder.write(&format!("{TARGET}/{name}"), bytes));
        }
    }

    /// `sfumato` with arguments that are separated by blanks, ready to run; temporary files go to a
    /// folder of this scene.
    pub fn command(&self, arguments: &str) -> Command {
        self.program(&[&[SFUMATO][..], &words(arguments)].concat())
    }

    /// Any program in the scene's folder.
    pub fn program(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.folder.path("")).env("TMPDIR", self.folder.path("temp"));
        command.env("RUST_BACKTRACE", "0").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.env("SFUMATO_RECORD", "");
        command
    }

    /// Runs `sfumato` to its end.
    pub fn run(&self, arguments: &str) -> Run {
        run(self.command(arguments))
    }

    /// What is at the target: nothing, or one of the releases and all of it.
    pub fn state(&self, what: &str) -> State {
        match self.files(TARGET) {
            None => State::Absent,
            Some(files) if files == self.old => State::Old,
            Some(files) => {
                let names: Vec<&String> = files.keys().collect();
                assert!(self.is_new(&files), "{}, {what}: neither the old nor the new release: {names:?}", self.name);
                State::New
            }
        }
    }

    fn is_new(&self, files: &Files) -> bool {
        if !self.is_random {
            return *files == self.new;
        }
        files.keys().eq(self.new.keys()) && self.run(&format!("verify {TARGET}")).status.success()
    }

    fn files(&self, folder: &str) -> Option<Files> {
        let names = names(&self.folder.path(folder))?;
        let read = |name: &String| std::fs::read(self.folder.path(folder).join(name)).unwrap();
        Some(names.into_iter().map(|name| (name.clone(), read(&name))).collect())
    }

    /// What is on the shelf beside the target.
    pub fn leftovers(&self) -> Vec<String> {
        names(&self.folder.path("shelf")).unwrap().into_iter().filter(|name| name != "out").collect()
    }

    /// Nothing is on the shelf but the target, and no temporary file anywhere.
    pub fn assert_swept(&self, what: &str) {
        assert_eq!(self.leftovers(), [""; 0], "{}, {what}", self.name);
        assert_eq!(names(&self.folder.path("temp")).unwrap(), [""; 0], "{}, {what}", self.name);
    }

    /// The next run without trouble publishes, and leaves nothing but its release.
    pub fn assert_next_run_publishes(&self, what: &str) {
        let next = self.run(PUBLISH);
        assert_eq!(next.status.code(), Some(0), "{}, the run after {what}: {}", self.name, next.stderr);
        assert_eq!(self.state(what), State::New, "{}, the run after {what}", self.name);
        self.assert_swept(what);
    }

    /// The calls of these names that a whole run makes on the shelf.
    pub fn calls(&self, calls: &[&str]) -> Vec<Call> {
        let filter = format!("trace={}", calls.join(","));
        let traced = self.publish_under(&["-y", "-e", &filter]);
        assert_eq!(traced.status.code(), Some(0), "{}", traced.stderr);
        // What is said on standard output about the shelf is not written there.
        let is_on_shelf = |call: &Call| call.text.contains("shelf") && !call.text.contains("write(1<");
        // Calls are counted in each thread: the number of another thread's call would hit the first
        // thread before.
        numbered(&traced.trace).into_iter().filter(|call| call.is_in_first_thread && is_on_shelf(call)).collect()
    }

    /// Publishes with a fault at a call, in the words of `strace`: `signal=KILL`, `error=EIO`.
    pub fn publish_with(&self, call: &Call, fault: &str) -> Run {
        let inject = format!("inject={}:{fault}:when={}", call.name, call.nth);
        self.publish_under(&["-e", &format!("trace={}", call.name), "-e", &inject])
    }

    /// Publishes under `strace` with these options; with one thread for work, so that a call has
    /// the same number each time.
    pub fn publish_under(&self, options: &[&str]) -> Run {
        let strace = ["strace", "-qq", "-f", "-o", "trace"];
        let mut command = self.program(&[&strace[..], options, &[SFUMATO], &words(PUBLISH)].concat());
        command.env("RAYON_NUM_THREADS", "1");
        let mut ended = run(command);
        let trace = std::fs::read(self.folder.path("trace")).unwrap();
        ended.trace = String::from_utf8_lossy(&trace).into_owned();
        ended
    }
}

/// A run that ended.
pub struct Run {
    pub status: ExitStatus,
    pub stderr: String,
    /// What `strace` saw, if it looked.
    pub trace: String,
}

impl Run {
    pub fn is_killed(&self) -> bool {
        self.status.signal() == Some(KILL)
    }

    /// Whether a fault was put in, and not past the run's end.
    pub fn is_hit(&self) -> bool {
        self.trace.contains("(INJECTED)")
    }
}

/// Runs a command to its end.
pub fn run(mut command: Command) -> Run {
    let output = command.output().unwrap();
    Run { status: output.status, stderr: String::from_utf8_lossy(&output.stderr).into_owned(), trace: String::new() }
}

/// A system call: its name, and that it is the nth of this name in its thread.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: String,
    pub nth: usize,
    pub is_in_first_thread: bool,
    pub text: String,
}

/// The calls of a trace, counted as `strace` counts them: for each thread and name.
pub fn numbered(trace: &str) -> Vec<Call> {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut calls = Vec::new();
    let first = trace.split_whitespace().next().unwrap_or_default();
    for line in trace.lines() {
        let Some((thread, text)) = line.split_once(char::is_whitespace) else { continue };
        let Some((name, _)) = text.trim_start().split_once('(') else { continue };
        // What is no name tells of a signal, an end, or the second half of a call.
        if !name.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_') {
            continue;
        }
        let nth = counts.entry((thread.to_string(), name.to_string())).or_default();
        *nth += 1;
        let is_in_first_thread = thread == first;
        calls.push(Call { name: name.to_string(), nth: *nth, is_in_first_thread, text: text.to_string() });
    }
    calls
}

/// Whether `strace` can be used; if not, says what is left out.
pub fn has_strace(left_out: &str) -> bool {
    has_tool(&["strace", "-f", "-o", "/dev/null", "-e", "inject=fsync:delay_enter=1ms:when=1", "true"], left_out)
}

/// Whether a command works here; if not, says what is left out.
pub fn has_tool(words: &[&str], left_out: &str) -> bool {
    let tried = Command::new(words[0]).args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let works = tried.is_ok_and(|status| status.success());
    if !works {
        eprintln!("left out: {left_out}, because `{}` does not work here", words.join(" "));
    }
    works
}

/// The names in a folder, in order; nothing if there is no such folder.
pub fn names(folder: &Path) -> Option<Vec<String>> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    Some(names)
}

/// The permissions of a file or folder.
pub fn mode(path: &PathBuf) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Arguments that are separated by blanks.
pub fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}
