//! What goes to the terminal: results on standard output, everything else on standard error.

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};
use sfumato::{Error, Result};
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

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
        let text = text.replace('✓', &painted("✓", AnsiColor::Green)).replace('✗', &painted("✗", AnsiColor::Red));
        self.write(&text)
    }

    /// Prints a heading.
    pub fn heading(&mut self, text: &str) -> Result<()> {
        let style = Style::new().bold();
        self.write(&format!("{style}{text}{style:#}\n"))
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

    /// Prints an error.
    pub fn error(error: &Error) {
        let style = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
        // If standard error is gone there is nobody left to tell.
        let _ = writeln!(anstream::stderr(), "{style}sfumato:{style:#} {error}");
    }
}

/// Shows that work goes on, on a terminal, once it has taken a second.
pub fn working<T>(message: &str, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("the template is valid");
            let bar = ProgressBar::new_spinner().with_style(style).with_message(message.to_string());
            bar.enable_steady_tick(Duration::from_millis(200));
            // Ends when the other side is dropped, by the work's end or by its panic.
            let _ = waiting.recv();
            bar.finish_and_clear();
        });
        let result = work();
        drop(done);
        result
    })
}
