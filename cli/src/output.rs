//! What goes to the terminal: results on standard output, everything else on standard error.

use anstyle::{AnsiColor, Style};
use sfumato::{Error, ErrorCode, Result};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints results; colours where a terminal shows them.
pub struct Output {
    out: anstream::AutoStream<std::io::Stdout>,
}

impl Output {
    pub fn new() -> Self {
        Output { out: anstream::stdout() }
    }

    /// Prints text; marks of success and failure are coloured.
    pub fn text(&mut self, text: &str) -> Result<()> {
        let painted = |mark: &str, colour: AnsiColor| {
            let style = Style::new().fg_color(Some(colour.into())).bold();
            format!("{style}{mark}{style:#}")
        };
        let text =
            harmless(text).replace('✓', &painted("✓", AnsiColor::Green)).replace('✗', &painted("✗", AnsiColor::Red));
        self.write(&text)
    }

    /// Prints a heading.
    pub fn heading(&mut self, text: &str) -> Result<()> {
        let style = Style::new().bold();
        self.write(&format!("{style}{}{style:#}\n", harmless(text)))
    }

    /// Prints one JSON document.
    pub fn json(&mut self, document: &serde_json::Value) -> Result<()> {
        self.write(&format!("{document:#}\n"))
    }

    fn write(&mut self, text: &str) -> Result<()> {
        match self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()) {
            // Whoever reads has seen enough, as in `sfumato list | head`.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(Error::io(&error, Path::new("standard output"))),
            Ok(()) => Ok(()),
        }
    }

    /// Says something beside the results, on standard error.
    pub fn note(text: &str) {
        // If standard error is gone there is nobody left to tell.
        let _ = writeln!(anstream::stderr(), "sfumato: {}", harmless(text.trim_end()));
    }

    /// Lets errors be printed as JSON from now on.
    pub fn errors_as_json() {
        AS_JSON.store(true, Ordering::Relaxed);
    }

    /// Prints an error: for people, or as one line for programs.
    pub fn error(error: &Error) {
        if AS_JSON.load(Ordering::Relaxed) {
            // If standard error is gone there is nobody left to tell.
            let _ = writeln!(std::io::stderr(), "{}", harmless(&error_json(error).to_string()));
            return;
        }
        let style = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
        // If standard error is gone there is nobody left to tell.
        let _ = writeln!(anstream::stderr(), "{style}sfumato:{style:#} {}", harmless(&error.to_string()));
    }
}

/// Whether errors are printed as JSON: threads that end the process have no other way to know.
static AS_JSON: AtomicBool = AtomicBool::new(false);

fn error_json(error: &Error) -> serde_json::Value {
    let fault = error.fault();
    serde_json::json!({ "error": {
        "code": error.code().name(),
        "fault": ErrorCode::from(fault).name(),
        "exit_code": fault.exit_code(),
        "message": error.message(),
        "file": error.named_file().map(|file| file.to_string_lossy()),
        "line": error.named_line(),
        "help": error.advice(),
    } })
}

/// The text without letters that a terminal would obey: names of columns and files are other
/// people's.
fn harmless(text: &str) -> String {
    let is_command = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    text.replace(is_command, "\u{fffd}")
}

/// Lets a panic say where it happened, and not what: its own message could hold a cell of the
/// table.
pub fn hide_panic_messages() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
        let help = "this is a defect of sfumato; nothing was written. Please report the place above";
        // If standard error is gone there is nobody left to tell; a panic in here would end the
        // process at once.
        let _ = writeln!(std::io::stderr(), "sfumato: internal error{place}\n  help: {help}");
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::working;
    use rayon::prelude::*;
    use std::process::{Command, Stdio};

    const CELL: &str = "Zq7canary";
    const KIND: &str = "SFUMATO_TEST_PANIC";

    /// Ways to panic with a cell in the message.
    const KINDS: [&str; 6] = ["message", "expect", "index", "worker", "scope", "drop"];

    struct PanicsLater;

    impl Drop for PanicsLater {
        fn drop(&mut self) {
            assert_eq!(CELL, "", "{CELL}");
        }
    }

    fn panic_by(kind: &str) {
        match kind {
            "message" => panic!("the value {CELL} has no code"),
            "expect" => drop(CELL.parse::<u8>().map_err(|_| CELL.to_string()).expect(CELL)),
            "index" => drop(std::collections::BTreeMap::<String, u8>::new()[CELL]),
            "worker" => (0..10_000).into_par_iter().for_each(|at| assert!(at != 7_777, "{CELL} in record {at}")),
            "scope" => working(CELL, || panic!("{CELL}")),
            "drop" => drop(PanicsLater),
            other => unreachable!("{other}"),
        }
    }

    /// Not a test by itself: what a child process of the next one runs, as `main` does. Without the
    /// variable it does nothing.
    #[test]
    fn child() {
        let Ok(kind) = std::env::var(KIND) else { return };
        hide_panic_messages();
        let ended = std::panic::catch_unwind(|| panic_by(&kind));
        std::process::exit(if ended.is_err() { 70 } else { 0 });
    }

    fn run_child(kind: &str, backtrace: &str, stderr: Stdio) -> std::process::Output {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "output::tests::child", "--nocapture", "--test-threads", "1"]);
        child.env(KIND, kind).env("RUST_BACKTRACE", backtrace).env("RUST_LIB_BACKTRACE", backtrace);
        child.stdout(Stdio::piped()).stderr(stderr).spawn().unwrap().wait_with_output().unwrap()
    }

    #[test]
    fn a_panic_says_where_and_not_what() {
        for kind in KINDS {
            for backtrace in ["0", "1", "full"] {
                let run = run_child(kind, backtrace, Stdio::piped());
                let [out, err] = [run.stdout, run.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
                assert_eq!(run.status.code(), Some(70), "{kind}: {err}");
                assert!(
                    !out.contains(CELL) && !err.contains(CELL),
                    "{kind} with RUST_BACKTRACE={backtrace}: {out}{err}"
                );
                assert!(err.contains("internal error at ") && err.contains("Please report"), "{err}");
                assert!(!err.contains("stack backtrace"), "{err}");
            }
        }
    }

    #[test]
    fn programs_get_every_part_of_an_error() {
        let error = Error::unknown("there is no \"rol\"", "rol", ["role"]).file("plan.toml").line(3);
        assert_eq!(
            error_json(&error).to_string(),
            "{\"error\":{\"code\":\"plan/unknown-name\",\"fault\":\"plan\",\"exit_code\":2,\"message\":\"there is no \\\"rol\\\"\",\
             \"file\":\"plan.toml\",\"line\":3,\"help\":\"did you mean \\\"role\\\"?\"}}"
        );
    }

    #[test]
    fn a_terminal_is_told_nothing_to_obey() {
        assert_eq!(harmless("a\u{1b}[2Jb\rc\u{9b}8md\n✓"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}8md\n✓");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_panic_that_nobody_can_be_told_of_ends_in_order() {
        for kind in KINDS {
            let full = std::fs::File::create("/dev/full").unwrap();
            assert_eq!(run_child(kind, "full", full.into()).status.code(), Some(70), "{kind}");
        }
    }
}
