//! Long work: without Python's lock, followed by whoever called, and ended by the interrupt key.

use crate::errors::raise;
use pyo3::prelude::*;
use sfumato::data::Formats;
use sfumato::watch::{Observer, Progress, Watcher};
use sfumato::{Error, Fault, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often whoever waits looks at signals and at how far work is.
const INTERVAL: Duration = Duration::from_millis(50);

/// A panic tells its place, and nothing that could quote a cell.
pub fn hide_panic_messages() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or(String::new(), |place| format!(" at {}:{}", place.file(), place.line()));
        eprintln!("sfumato: an internal error{place}");
    }));
}

/// What was heard last of the work, and whether it is to end.
#[derive(Default)]
struct Monitor {
    is_cancelled: AtomicBool,
    /// [`RUNS`], [`ABANDONED`] or [`ENDED`].
    state: AtomicU8,
    now: Mutex<Option<Heard>>,
}

#[derive(Clone, PartialEq)]
struct Heard {
    stage: String,
    done: u64,
    total: Option<u64>,
    best: Option<f64>,
}

impl Observer for Monitor {
    fn progress(&self, progress: &Progress<'_>) {
        // Steps come by the thousand: one that finds somebody else here is not written down.
        let Ok(mut now) = self.now.try_lock() else { return };
        let Progress { stage, done, total, best } = *progress;
        match now.as_mut().filter(|now| now.stage == stage) {
            Some(now) => (now.done, now.total, now.best) = (done, total, best),
            None => *now = Some(Heard { stage: stage.to_string(), done, total, best }),
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

/// Somebody waits for the work.
const RUNS: u8 = 0;
/// Nobody does, and it was told to end.
const ABANDONED: u8 = 1;
/// It has ended.
const ENDED: u8 = 2;

/// Workers that were told to end and have not ended yet.
static UNFINISHED: AtomicU32 = AtomicU32::new(0);

/// Does work on another thread, without Python's lock. `progress`, if there is one, is called now
/// and then with the stage, steps done, all steps and the best value. Signals are looked at
/// meanwhile: if a handler raises, as the interrupt key's does, or `progress` does, then that is
/// raised at once. The work ends at its next step, and everything that it made is dropped: it must
/// be of a kind that nobody can see before it is done.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Formats) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    Job::start(py, work)?.follow(py, progress, false)
}

/// The same of work that others see: what a signal raises waits until it is done or undone.
pub fn run_to_end<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Formats) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    Job::start(py, work)?.follow(py, progress, true)
}

/// Work on another thread.
struct Job<T> {
    monitor: Arc<Monitor>,
    waiting: Receiver<Result<T>>,
}

impl<T: Send + 'static> Job<T> {
    fn start(py: Python<'_>, work: impl FnOnce(&Formats) -> Result<T> + Send + 'static) -> PyResult<Job<T>> {
        refuse_forked().map_err(|error| raise(py, &error))?;
        let monitor = Arc::new(Monitor::default());
        let watcher = Watcher::new(monitor.clone() as Arc<dyn Observer>);
        let formats = Formats::default().with(sfumato_columnar::formats()).watched(watcher);
        let (finished, waiting) = channel();
        let own = monitor.clone();
        let spawned = std::thread::Builder::new().name("sfumato".into()).spawn(move || {
            let made = catch_unwind(AssertUnwindSafe(|| formats.watch().run(|| work(&formats))));
            // Whatever nobody waits for is dropped here, before anybody hears that this has ended.
            drop(finished.send(made.unwrap_or_else(|_| Err(internal()))));
            if own.state.swap(ENDED, Ordering::SeqCst) == ABANDONED {
                UNFINISHED.fetch_sub(1, Ordering::SeqCst);
            }
        });
        let no_thread = |_| raise(py, &Error::new(Fault::Resources, "the system gives no thread"));
        spawned.map(|_| Job { monitor, waiting }).map_err(no_thread)
    }

    fn follow(self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>, to_end: bool) -> PyResult<T> {
        let progress = progress.filter(|callable| !callable.is_none()).map(|callable| callable.clone().unbind());
        // The receiver goes along: it cannot be shared.
        let done = py.detach(move || {
            let mut raised = None;
            loop {
                match self.waiting.recv_timeout(INTERVAL) {
                    Ok(made) => return raised.map_or(Ok(made), Err),
                    Err(RecvTimeoutError::Disconnected) => return raised.map_or_else(|| Ok(Err(internal())), Err),
                    Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        let Err(error) = Python::attach(|py| tell(py, &self.monitor, progress.as_ref())) else {
                            continue;
                        };
                        self.monitor.is_cancelled.store(true, Ordering::Relaxed);
                        if !to_end {
                            self.abandon();
                            return Err(error);
                        }
                        raised = Some(error);
                    }
                }
            }
        })?;
        done.map_err(|error| raise(py, &error))
    }

    /// Waits no more. Counted before the worker can see it, and not if it has ended meanwhile.
    fn abandon(&self) {
        UNFINISHED.fetch_add(1, Ordering::SeqCst);
        let state = &self.monitor.state;
        if state.compare_exchange(RUNS, ABANDONED, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            UNFINISHED.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Waits until workers that were told to end have ended and left nothing behind, or for so many
/// seconds. Says whether they have.
#[pyfunction]
pub fn settle(py: Python<'_>, seconds: f64) -> bool {
    py.detach(|| {
        let end = Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 3600.0));
        while UNFINISHED.load(Ordering::SeqCst) > 0 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
        UNFINISHED.load(Ordering::SeqCst) == 0
    })
}

/// Lets signals be handled, and says how far work is.
fn tell(py: Python<'_>, monitor: &Monitor, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    let heard = monitor.now.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match (progress, heard) {
        (Some(progress), Some(Heard { stage, done, total, best })) => {
            progress.call1(py, (stage, done, total, best)).map(drop)
        }
        _ => Ok(()),
    }
}

fn internal() -> Error {
    Error::new(Fault::Internal, "a defect of sfumato: nothing was published")
        .help("report it, with the place that was printed and without your data")
}

/// The process that worked first.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Threads do not survive a fork: work in a child of a process that has them would wait for ever.
fn refuse_forked() -> Result<()> {
    let own = std::process::id();
    match OWNER.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
        Err(owner) if owner != own => {
            let error = Error::new(Fault::Resources, "this process is a fork of one in which sfumato had worked");
            Err(error.help("start processes with multiprocessing.get_context(\"spawn\")"))
        }
        _ => Ok(()),
    }
}
