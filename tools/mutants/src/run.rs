//! Tests with one mutant at a time.

use crate::build::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How many tests run at once.
const LANES: usize = 2;

/// The most memory that a test may take (in KiB): a mutant that fills the machine is caught by
/// that.
const MEMORY: usize = 6 << 20;

/// What a test may take besides eight times of what it takes without a mutant.
const PATIENCE: Duration = Duration::from_secs(10);

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A test failed.
    Caught,
    /// A test took far longer than it does without.
    TimedOut,
    /// Every test passed.
    Survived,
    /// No test reaches it.
    Unreached,
    /// No test need notice it: `justified.txt` says why.
    Justified,
    /// It does not compile.
    Unviable,
    /// No branch can be put around it.
    NotPlanted,
}

impl Fate {
    pub const ALL: [Fate; 7] = [
        Fate::Caught,
        Fate::TimedOut,
        Fate::Survived,
        Fate::Unreached,
        Fate::Justified,
        Fate::Unviable,
        Fate::NotPlanted,
    ];

    /// Whether somebody has to look at it.
    pub fn is_of_interest(self) -> bool {
        matches!(self, Fate::Survived | Fate::Unreached)
    }
}

/// Tests that take longer (in seconds, `SFUMATO_SLOWEST`) are left out: survivors then may be
/// caught by them.
fn slowest() -> Duration {
    let said = std::env::var("SFUMATO_SLOWEST").ok().and_then(|text| text.parse().ok());
    said.map_or(Duration::MAX, Duration::from_secs_f64)
}

/// Tests, with what is known about them.
pub struct Suite {
    tests: Vec<Known>,
    /// How many mutants of a file a test has caught: it will likely catch more of them.
    catches: Mutex<BTreeMap<(String, usize), u32>>,
}

struct Known {
    test: Test,
    time: Duration,
    reached: BTreeSet<usize>,
}

/// One test of a program.
#[derive(Clone)]
struct Test {
    program: Program,
    name: String,
}

impl Suite {
    /// Runs every test once without a mutant: which mutants it reaches, and how long it takes.
    pub fn new(programs: &[Program], work: &Path) -> Suite {
        let all: Vec<Test> = programs.iter().flat_map(tests_of).collect();
        let known = Mutex::new(Vec::new());
        on_lanes(all.len(), |at, lane| {
            let record = work.join(format!("reached-{lane}"));
            match all[at].known(&record) {
                Some(test) => known.lock().expect("nobody panicked").push(test),
                None => println!("left out, fails without a mutant: {}", all[at].name),
            }
        });
        let mut tests = known.into_inner().expect("nobody panicked");
        tests.retain(|known| known.time <= slowest());
        tests.sort_by_key(|known| known.time);
        println!("{} of {} tests are put to use", tests.len(), all.len());
        Suite { tests, catches: Mutex::default() }
    }

    /// What becomes of a mutant of a file, and the test that caught it.
    pub fn fate(&self, mutant: usize, file: &str) -> (Fate, &str) {
        let order = self.order(mutant, file);
        if order.is_empty() {
            return (Fate::Unreached, "");
        }
        for at in order {
            let Known { test, time, .. } = &self.tests[at];
            let fate = match test.passes("SFUMATO_MUTANT", mutant.to_string().as_ref(), *time * 8 + PATIENCE) {
                Some(true) => continue,
                Some(false) => Fate::Caught,
                None => Fate::TimedOut,
            };
            *self.catches.lock().expect("nobody panicked").entry((file.to_string(), at)).or_default() += 1;
            return (fate, &test.name);
        }
        (Fate::Survived, "")
    }

    /// The tests that reach a mutant: quick ones, and ones that caught others in the file, first.
    fn order(&self, mutant: usize, file: &str) -> Vec<usize> {
        let catches = self.catches.lock().expect("nobody panicked");
        let reaching = (0..self.tests.len()).filter(|at| self.tests[*at].reached.contains(&mutant));
        let mut order: Vec<usize> = reaching.collect();
        order.sort_by_cached_key(|at| {
            let caught = catches.get(&(file.to_string(), *at)).copied().unwrap_or(0);
            self.tests[*at].time / (1 + caught)
        });
        order
    }
}

/// Does something with every number below a limit, some at a time.
pub fn on_lanes(count: usize, work: impl Fn(usize, usize) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for lane in 0..LANES {
            let (next, work) = (&next, &work);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    work(at, lane);
                }
            });
        }
    });
}

/// The tests that a program lists.
fn tests_of(program: &Program) -> Vec<Test> {
    let listed = Command::new(&program.path).args(["--list", "--format", "terse"]).output().expect("a test can be run");
    let text = String::from_utf8_lossy(&listed.stdout);
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    names.map(|name| Test { program: program.clone(), name: name.to_string() }).collect()
}

impl Test {
    /// What a run without a mutant tells, if it passes.
    fn known(&self, record: &Path) -> Option<Known> {
        let _ = std::fs::remove_file(record);
        let start = Instant::now();
        let passed = self.passes("SFUMATO_REACHED", record.as_ref(), Duration::MAX) == Some(true);
        let time = start.elapsed();
        let reached = std::fs::read_to_string(record).unwrap_or_default();
        let reached = reached.lines().filter_map(|line| line.parse().ok()).collect();
        passed.then(|| Known { test: self.clone(), time, reached })
    }

    /// Whether it passes; nothing if it had to be ended.
    fn passes(&self, variable: &str, value: &OsStr, limit: Duration) -> Option<bool> {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("ulimit -v {MEMORY}; exec \"$@\"")).arg("sh");
        command.arg(&self.program.path).args(["--exact", &self.name]).current_dir(&self.program.folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        // The first counterexample will do.
        command.env("PROPTEST_MAX_SHRINK_ITERS", "0").env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true");
        let mut child = command.env(variable, value).spawn().expect("a test can be run");
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait().expect("a child can be waited for") {
                return Some(status.success());
            }
            if start.elapsed() > limit {
                end(child);
                return None;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Ends a test with every command that it has started.
fn end(mut child: Child) {
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
    let _ = child.wait();
}
