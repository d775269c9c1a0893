//! Who follows long work, and may stop it.
//!
//! Work that can take more than a second says in which [`Stage`] it is and how far; whoever watches
//! shows that, and may want it to end. Then the next step of a stage unwinds to [`Watch::run`],
//! which gives back an error: everything on the way is dropped, unfinished files among it. Nothing
//! is global: work started by different callers is watched apart.

use crate::error::{Error, Fault, Result};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Somebody who follows work. Called from many threads, and often: it must be quick.
pub trait Observer: Send + Sync {
    /// Work is in this stage, and so far.
    fn progress(&self, progress: &Progress<'_>);

    /// Whether the work is to end.
    fn is_cancelled(&self) -> bool;
}

/// How far work is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// What is being done, as in "searching".
    pub stage: &'a str,
    /// How many steps are done.
    pub done: u64,
    /// How many there are, where that is known.
    pub total: Option<u64>,
    /// The metric's value of the best that was found so far.
    pub best: Option<f64>,
}

/// Whoever follows work, if anybody does.
#[derive(Clone, Copy, Default)]
pub struct Watch<'a>(Option<&'a dyn Observer>);

impl<'a> Watch<'a> {
    /// Nobody follows.
    pub const NONE: Watch<'static> = Watch(None);

    /// Somebody follows.
    pub fn by(observer: &'a dyn Observer) -> Watch<'a> {
        Watch(Some(observer))
    }

    /// Begins a stage.
    pub fn stage(self, name: &'static str, total: Option<u64>) -> Stage<'a> {
        let stage = Stage { watch: self, name, total, done: AtomicU64::new(0) };
        stage.report(0, None);
        stage
    }

    /// Does work that may be cancelled. Must enclose all work that takes a stage; calls may nest.
    ///
    /// ```
    /// use sfumato::watch::{Observer, Progress, Watch};
    ///
    /// struct Impatient;
    /// impl Observer for Impatient {
    ///     fn progress(&self, _: &Progress<'_>) {}
    ///     fn is_cancelled(&self) -> bool {
    ///         true
    ///     }
    /// }
    /// let watch = Watch::by(&Impatient);
    /// let endless = || loop {
    ///     watch.stage("waiting", None).advance(1);
    /// };
    /// let ended: sfumato::Result<()> = watch.run(endless);
    /// assert_eq!(ended.unwrap_err().fault(), sfumato::Fault::Cancelled);
    /// ```
    pub fn run<T>(self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.0.is_none() {
            return work();
        }
        // What was half done is dropped, and never looked at again.
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| match payload.is::<Cancelled>() {
            true => Err(cancelled()),
            false => resume_unwind(payload),
        })
    }

    /// Ends the work if it is to end.
    pub fn check(self) {
        if self.0.is_some_and(Observer::is_cancelled) {
            // Without the panic hook: nothing went wrong.
            resume_unwind(Box::new(Cancelled));
        }
    }
}

/// An observer that is handed on, or none.
#[derive(Clone, Default)]
pub struct Watcher(Option<Arc<dyn Observer>>);

impl Watcher {
    /// This one.
    pub fn new(observer: Arc<dyn Observer>) -> Watcher {
        Watcher(Some(observer))
    }

    /// As work takes it.
    pub fn watch(&self) -> Watch<'_> {
        Watch(self.0.as_deref())
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "somebody" } else { "nobody" })
    }
}

/// What unwinds where work is cancelled.
struct Cancelled;

fn cancelled() -> Error {
    Error::new(Fault::Cancelled, "cancelled: nothing was published")
}

/// A stage of work; steps may be done by several threads.
pub struct Stage<'a> {
    watch: Watch<'a>,
    name: &'static str,
    total: Option<u64>,
    done: AtomicU64,
}

impl Stage<'_> {
    /// So many steps more are done. Ends the work if it is to end.
    pub fn advance(&self, steps: u64) {
        self.advance_with(steps, None);
    }

    /// The same, with the best so far.
    pub fn advance_with(&self, steps: u64, best: Option<f64>) {
        if self.watch.0.is_some() {
            let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
            self.report(done, best);
            self.watch.check();
        }
    }

    fn report(&self, done: u64, best: Option<f64>) {
        if let Some(observer) = self.watch.0 {
            observer.progress(&Progress { stage: self.name, done, total: self.total, best });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::sync::Mutex;

    /// Cancels after so many steps.
    struct After(u64, Mutex<Vec<(String, u64)>>);

    impl Observer for After {
        fn progress(&self, progress: &Progress<'_>) {
            self.1.lock().unwrap().push((progress.stage.to_string(), progress.done));
        }

        fn is_cancelled(&self) -> bool {
            self.1.lock().unwrap().len() as u64 > self.0
        }
    }

    #[test]
    fn steps_of_all_threads_add_up() {
        let observer = After(u64::MAX, Mutex::default());
        let watch = Watch::by(&observer);
        let sum = watch.run(|| {
            let stage = watch.stage("adding", Some(100));
            (0..100u64).into_par_iter().for_each(|_| stage.advance(1));
            Ok(7)
        });
        assert_eq!(sum, Ok(7));
        let seen = observer.1.lock().unwrap();
        assert_eq!(seen.iter().map(|step| step.1).max(), Some(100));
        assert!(seen.iter().all(|step| step.0 == "adding"));
    }

    #[test]
    fn cancelled_work_ends_in_any_thread_and_drops_what_it_holds() {
        let observer = After(10, Mutex::default());
        let watch = Watch::by(&observer);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let ended = watch.run(move || {
            let _held = folder;
            let stage = watch.stage("long", None);
            // Every step that is left ends by itself: a parallel loop must be finite.
            (0..10_000u64).into_par_iter().for_each(|_| stage.advance(1));
            Ok(())
        });
        assert_eq!(ended.unwrap_err().fault(), Fault::Cancelled);
        assert!(!path.exists(), "what was half done is gone");
    }

    #[test]
    fn other_panics_pass() {
        let observer = After(u64::MAX, Mutex::default());
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            Watch::by(&observer).run(|| -> Result<()> { resume_unwind(Box::new("a defect")) })
        }));
        assert_eq!(outcome.unwrap_err().downcast_ref::<&str>(), Some(&"a defect"));
    }
}
