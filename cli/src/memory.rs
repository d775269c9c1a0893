//! The memory that a run may take. Tables that cannot fit are refused before they are read;
//! whatever grows beyond the budget later ends the run, and nothing is published.

use crate::output::Output;
use sfumato::data::in_words;
use sfumato::release::directory::abandon;
use sfumato::{Error, ErrorCode, Fault, Result};
use std::fs::File;
use std::io::{Read, Seek};
use std::sync::OnceLock;
use std::time::Duration;
use sysinfo::{MemoryRefreshKind, Pid, ProcessRefreshKind, ProcessesToUpdate, System};

static BUDGET: OnceLock<u64> = OnceLock::new();

/// How often the memory in use is looked at: a run can take this long to grow beyond its budget
/// unseen.
const INTERVAL: Duration = Duration::from_millis(10);

/// Reads a size such as `800MB`, `2.5GiB` or `4G`; a number alone is in bytes.
pub fn parse(text: &str) -> std::result::Result<u64, String> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..digits], text[digits..].trim().to_ascii_lowercase());
    let unit: f64 = match unit.as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1_048_576.0,
        "g" | "gib" => 1_073_741_824.0,
        "t" | "tib" => 1_099_511_627_776.0,
        _ => return Err("a size such as 800MB, 2.5GiB or 4G".into()),
    };
    let bytes = number.parse::<f64>().map_err(|_| "a size such as 800MB, 2.5GiB or 4G")? * unit;
    if (16e6..1e18).contains(&bytes) { Ok(bytes as u64) } else { Err("from 16MB to a billion GB".into()) }
}

/// Sets the budget and begins to watch it. If the user names none, most of what the machine has to
/// give now.
pub fn limit(bytes: Option<u64>) -> Result<()> {
    let Some(budget) = bytes.or_else(available) else { return Ok(()) };
    let budget = *BUDGET.get_or_init(|| budget);
    let watching = std::thread::Builder::new().spawn(move || watch(budget));
    watching.map(drop).map_err(|_| {
        let error = Error::new(Fault::Resources, "the system gives no thread");
        error.help("raise what a process may have (`ulimit -u`, `ulimit -v`)")
    })
}

/// The budget, once it is set.
pub fn budget() -> Option<u64> {
    BUDGET.get().copied()
}

/// Nine tenths of the memory that is free now, on the machine or in the container, whose cached
/// files count as free; nothing where the system does not tell.
fn available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let contained = system.cgroup_limits().map(|limits| limits.total_memory.saturating_sub(limits.rss));
    let free = Some(system.available_memory()).filter(|free| *free > 0)?;
    Some(contained.filter(|contained| *contained > 0).map_or(free, |contained| contained.min(free)) / 10 * 9)
}

/// Ends the run when it has taken more than its budget, unless it has published already.
fn watch(budget: u64) {
    let mut usage = Usage::new();
    loop {
        std::thread::sleep(INTERVAL);
        let used = usage.resident();
        if used > budget {
            if abandon() {
                end(used, budget);
            }
            return;
        }
    }
}

/// How much memory this process has.
struct Usage {
    /// Where the system tells it in a file, which is read again and again.
    status: Option<File>,
    system: System,
    text: String,
}

impl Usage {
    fn new() -> Usage {
        Usage { status: File::open("/proc/self/status").ok(), system: System::new(), text: String::new() }
    }

    fn resident(&mut self) -> u64 {
        self.told().unwrap_or_else(|| self.asked())
    }

    fn told(&mut self) -> Option<u64> {
        let status = self.status.as_mut()?;
        self.text.clear();
        status.rewind().and_then(|()| status.read_to_string(&mut self.text)).ok()?;
        let line = self.text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
    }

    fn asked(&mut self) -> u64 {
        let own = Pid::from_u32(std::process::id());
        let only = ProcessRefreshKind::nothing().with_memory().without_tasks();
        self.system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, only);
        self.system.process(own).map_or(0, |process| process.memory())
    }
}

fn end(used: u64, budget: u64) -> ! {
    let message = format!(
        "the run has taken {} of memory, more than the {} allowed: nothing was published",
        in_words(used.into()),
        in_words(budget.into())
    );
    Output::error(
        &Error::of(ErrorCode::Memory, message)
            .help("allow more with --memory, or work on fewer records or columns at a time"),
    );
    std::process::exit(Fault::Resources.exit_code().into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_ask_tell_about_the_same() {
        let mut usage = Usage::new();
        let asked = usage.asked();
        assert!(asked > 1 << 20, "{asked}");
        if let Some(told) = usage.told() {
            assert!(told > asked / 2 && told < asked * 2, "{told} and {asked}");
        }
        assert!(available().is_none_or(|free| free > 1 << 20));
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(parse("2GiB"), Ok(2 << 30));
        assert_eq!(parse("2g"), Ok(2 << 30));
        assert_eq!(parse("1.5 GB"), Ok(1_500_000_000));
        assert_eq!(parse("20000000"), Ok(20_000_000));
        for wrong in ["", "GiB", "-1GiB", "2 apples", "1e30", "0", "15MB", "NaN", "inf", "1.2.3G", "9999999999T"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
