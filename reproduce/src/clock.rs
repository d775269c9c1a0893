//! Measuring: the shortest of several runs, on so many threads.

use std::time::{Duration, Instant};

/// The shortest of `runs` runs, and what the last one returned.
pub fn best<T>(runs: usize, mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut shortest = Duration::MAX;
    let mut result = None;
    for _ in 0..runs {
        drop(result.take());
        let start = Instant::now();
        result = Some(work());
        shortest = shortest.min(start.elapsed());
    }
    (shortest, result.expect("at least one run"))
}

/// Runs work on a pool of so many threads.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool").install(work)
}

/// How many times as long as the baseline.
pub fn ratio(time: Duration, baseline: Duration) -> f64 {
    time.as_secs_f64() / baseline.as_secs_f64()
}

/// The most memory that this process has held, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// What the process holds during some work, in bytes.
#[derive(Clone, Copy)]
pub struct Held {
    /// When it begins.
    pub before: u64,
    /// At most.
    pub most: u64,
}

/// What the process holds during work, where the system tells; and what the work returns.
pub fn memory_of<T>(work: impl FnOnce() -> T) -> (Option<Held>, T) {
    // Linux: the mark of the most memory held starts again from what is held now.
    let is_reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = peak_memory().filter(|_| is_reset);
    let result = work();
    (before.zip(peak_memory()).map(|(before, most)| Held { before, most }), result)
}
