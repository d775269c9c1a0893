//! Tests with one mutant at a time.

use crate::build::Test;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
    /// It does not compile, or no branch can be put around it.
    NotPlanted,
}

impl Fate {
    /// Whether somebody has to look at it.
    pub fn is_of_interest(self) -> bool {
        matches!(self, Fate::Survived | Fate::Unreached)
    }
}

/// Test programs that take longer (in seconds, `SFUMATO_SLOWEST`) are left out: survivors then may be caught by them.
fn slowest() -> Duration {
    let said = std::env::var("SFUMATO_SLOWEST").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(said.unwrap_or(u64::MAX))
}

/// Tests, with what is known about them; quick ones first.
pub struct Suite(Vec<Known>);

struct Known {
    test: Test,
    time: Duration,
    reached: BTreeSet<usize>,
}

impl Suite {
    /// Runs every test once without a mutant: which mutants it reaches, and how long it takes.
    pub fn new(tests: Vec<Test>, work: &Path) -> Suite {
        let record = work.join("reached");
        let mut known = Vec::new();
        for test in tests {
            let _ = std::fs::remove_file(&record);
            let start = Instant::now();
            let passed =
                finished(command(&test).env("SFUMATO_REACHED", &record).spawn().expect("a test can be run"), None);
            let time = start.elapsed();
            assert!(passed == Some(true), "{} fails without a mutant", test.program.display());
            let reached = std::fs::read_to_string(&record).unwrap_or_default();
            known.push(Known { test, time, reached: reached.lines().filter_map(|line| line.parse().ok()).collect() });
        }
        known.sort_by_key(|known| known.time);
        known.retain(|known| known.time <= slowest());
        Suite(known)
    }

    pub fn fate(&self, mutant: usize) -> Fate {
        let mut reaching = self.0.iter().filter(|known| known.reached.contains(&mutant)).peekable();
        if reaching.peek().is_none() {
            return Fate::Unreached;
        }
        for known in reaching {
            let child = command(&known.test).env("SFUMATO_MUTANT", mutant.to_string()).spawn();
            match finished(child.expect("a test can be run"), Some(known.time * 6 + Duration::from_secs(20))) {
                Some(true) => {}
                Some(false) => return Fate::Caught,
                None => return Fate::TimedOut,
            }
        }
        Fate::Survived
    }
}

fn command(test: &Test) -> Command {
    let mut command = Command::new(&test.program);
    command.current_dir(&test.folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The first counterexample will do.
    command.env("PROPTEST_MAX_SHRINK_ITERS", "0").env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true");
    command
}

/// Whether it ended well; nothing if it had to be ended.
fn finished(mut child: Child, limit: Option<Duration>) -> Option<bool> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return Some(status.success());
        }
        if limit.is_some_and(|limit| start.elapsed() > limit) {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
