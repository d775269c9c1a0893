//! How far work is, for whoever waits; and the key that ends it.

use crate::output::Output;
use indicatif::{ProgressBar, ProgressStyle};
use sfumato::release::directory::abandon;
use sfumato::watch::{Observer, Progress, Watcher};
use sfumato::{Error, Fault, Result};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The one observer of this process.
static MONITOR: LazyLock<Arc<Monitor>> =
    LazyLock::new(|| Arc::new(Monitor { start: Instant::now(), last: AtomicU64::new(0), now: Mutex::new(None) }));

/// Whoever follows the work of this process.
pub fn watcher() -> Watcher {
    Watcher::new(MONITOR.clone())
}

/// What was heard last of the work.
struct Monitor {
    start: Instant,
    /// Milliseconds from the start to when something was last written down.
    last: AtomicU64,
    now: Mutex<Option<Now>>,
}

#[derive(Clone)]
struct Now {
    stage: String,
    since: Instant,
    done: u64,
    total: Option<u64>,
    best: Option<f64>,
}

/// Steps come by the thousand; so often they are written down.
const PAUSE: u64 = 50;

impl Observer for Monitor {
    fn progress(&self, progress: &Progress<'_>) {
        let now = self.start.elapsed().as_millis() as u64;
        if progress.done > 0 && now < self.last.load(Ordering::Relaxed) + PAUSE {
            return;
        }
        self.last.store(now, Ordering::Relaxed);
        let mut known = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.take().filter(|known| known.stage == progress.stage && progress.done >= known.done);
        let since = before.map_or_else(Instant::now, |known| known.since);
        let Progress { stage, done, total, best } = *progress;
        *known = Some(Now { stage: stage.to_string(), since, done, total, best });
    }

    fn is_cancelled(&self) -> bool {
        // The interrupt key ends the process: see `end_on_interrupt`.
        false
    }
}

impl Monitor {
    fn now(&self) -> Option<Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn forget(&self) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Now {
    /// What is being done, how far it is, and how long it may still take.
    fn describe(&self) -> String {
        let share = self.total.filter(|total| *total > 0).map(|total| self.done as f64 / total as f64);
        let mut text = match share {
            Some(share) => format!("{}, {:.0} %", self.stage, 100.0 * share.min(1.0)),
            None if self.done > 0 => format!("{}, {} steps", self.stage, self.done),
            None => self.stage.clone(),
        };
        if let Some(best) = self.best {
            text += &format!(", best so far {best:.4}");
        }
        let spent = self.since.elapsed().as_secs_f64();
        if let Some(share) = share.filter(|share| (0.02..1.0).contains(share) && spent > 2.0) {
            text += &format!(", about {} left", time(spent * (1.0 - share) / share));
        }
        text
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        short if short < 90.0 => format!("{short:.0} s"),
        long => format!("{:.0} min", long / 60.0),
    }
}

/// How long work is quiet, and how often it says something where nobody sees a line move.
const QUIET: Duration = Duration::from_secs(1);
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Shows how far work is, once it has taken a second: on a terminal as a line that moves, elsewhere
/// as a line now and then.
pub fn working<T>(message: &str, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = channel::<()>();
    MONITOR.forget();
    std::thread::scope(|scope| {
        scope.spawn(move || match std::io::stderr().is_terminal() {
            true => move_line(message, &waiting),
            false => write_lines(message, &waiting),
        });
        let result = work();
        drop(done);
        result
    })
}

/// Whether the work goes on after so long.
fn goes_on(waiting: &Receiver<()>, time: Duration) -> bool {
    waiting.recv_timeout(time) == Err(RecvTimeoutError::Timeout)
}

fn move_line(message: &str, waiting: &Receiver<()>) {
    if !goes_on(waiting, QUIET) {
        return;
    }
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("the template is valid");
    let bar = ProgressBar::new_spinner().with_style(style).with_message(message.to_string());
    bar.enable_steady_tick(Duration::from_millis(200));
    while goes_on(waiting, Duration::from_millis(200)) {
        bar.set_message(described(message));
    }
    bar.finish_and_clear();
}

fn write_lines(message: &str, waiting: &Receiver<()>) {
    while goes_on(waiting, BETWEEN_LINES) {
        Output::note(&described(message));
    }
}

fn described(message: &str) -> String {
    MONITOR.now().map_or(message.to_string(), |now| format!("{message}: {}", now.describe()))
}

/// Lets the interrupt key end this process at once, with nothing left behind; unless a release is
/// in its place already, which is then reported as usual.
pub fn end_on_interrupt() -> Result<()> {
    let end = || {
        if abandon() {
            // The line of progress ends here.
            eprintln!();
            Output::error(&Error::new(Fault::Cancelled, "cancelled: nothing was published"));
            std::process::exit(i32::from(Fault::Cancelled.exit_code()));
        }
    };
    ctrlc::set_handler(end).map_err(|error| Error::new(Fault::Resources, format!("signals cannot be handled: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now(done: u64, total: Option<u64>, best: Option<f64>, seconds: u64) -> String {
        let since = Instant::now() - Duration::from_secs(seconds);
        Now { stage: "searching".into(), since, done, total, best }.describe()
    }

    #[test]
    fn how_far_work_is_and_how_long_it_may_take() {
        assert_eq!(now(0, None, None, 0), "searching");
        assert_eq!(now(12, None, Some(0.34), 3), "searching, 12 steps, best so far 0.3400");
        assert_eq!(now(1, Some(4), None, 1), "searching, 25 %");
        assert_eq!(now(1, Some(4), None, 10), "searching, 25 %, about 30 s left");
        assert_eq!(now(1, Some(4), None, 100), "searching, 25 %, about 5 min left");
        assert_eq!(now(4, Some(4), None, 10), "searching, 100 %");
    }
}
