//! Timing shared by the benchmarks: best of several runs, printed beside a baseline of the same run.

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

/// Prints a figure and its ratio to the baseline.
#[allow(dead_code)]
pub fn line(what: &str, time: Duration, baseline: Duration) {
    println!("{what:<58} {:>10.1} ms {:>8.2}×", time.as_secs_f64() * 1e3, time.as_secs_f64() / baseline.as_secs_f64());
}

/// Runs work on a pool of so many threads.
#[allow(dead_code)]
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool").install(work)
}

/// The number after `--rows` on the command line, or a default.
pub fn rows(default: usize) -> usize {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--rows");
    arguments.nth(1).and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The most memory this process has held, in MiB, where the system tells.
#[allow(dead_code)]
pub fn peak_memory_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}
