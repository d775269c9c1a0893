//! Loading CSV: our reader against the `csv` crate only splitting the same text, and against itself over sizes.
//!
//! `cargo bench -p sfumato --bench load [-- --rows N]`

mod support;

use sfumato::data::csv::{Sizes, read_with_sizes, write_to};
use sfumato::data::{ReadOptions, Table, sample};
use std::hint::black_box;
use std::path::Path;
use support::{best, line, peak_memory_mib, rows, with_threads};

fn main() {
    let rows = rows(1_000_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("hospital.csv");
    {
        let table = sample::hospital(rows, 1);
        let mut out = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
        write_to(&table, b',', &mut out).expect("written");
    }
    // The sample in memory has gone up to its own peak; measure the reader's in a process of its own.
    if std::env::args().any(|argument| argument == "--memory") {
        return memory(&path);
    }
    let bytes = std::fs::metadata(&path).expect("written").len();
    println!("{rows} rows × 9 columns, {:.1} MB", bytes as f64 / 1e6);

    let (split, _) = best(5, || split_only(&path));
    line("csv crate, splitting only (baseline)", split, split);
    for threads in [1, 2] {
        let (time, _) = best(5, || with_threads(threads, || load(&path, threads)));
        line(&format!("sfumato, loaded and coded, {threads} thread(s)"), time, split);
    }
    for part in [10, 3] {
        let (time, _) = best(5, || with_threads(2, || load_part(&path, bytes / part)));
        line(&format!("sfumato, first 1/{part} of the file, 2 threads"), time, split);
    }
    let memory = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--memory", "--rows", &rows.to_string()])
        .output();
    print!("{}", String::from_utf8_lossy(&memory.expect("a second process").stdout));
}

fn split_only(path: &Path) -> usize {
    let mut reader = csv::ReaderBuilder::new().from_path(path).expect("a file");
    let mut record = csv::ByteRecord::new();
    let mut fields = 0;
    while reader.read_byte_record(&mut record).expect("a record") {
        fields += black_box(&record).len();
    }
    fields
}

fn load(path: &Path, threads: usize) -> Table {
    let file = std::fs::File::open(path).expect("a file");
    read_with_sizes(file, &ReadOptions::default(), Sizes { threads, ..Sizes::default() }).expect("a table")
}

fn load_part(path: &Path, bytes: u64) -> Table {
    let text = std::fs::read(path).expect("a file");
    let end = text[..bytes as usize].iter().rposition(|&byte| byte == b'\n').expect("a line") + 1;
    read_with_sizes(&text[..end], &ReadOptions::default(), Sizes::default()).expect("a table")
}

/// Peak growth of this process while loading, against the size of what was loaded.
fn memory(path: &Path) {
    let reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = peak_memory_mib();
    let table = with_threads(2, || load(path, 2));
    let (codes, labels) = table.memory();
    match (reset, before, peak_memory_mib()) {
        (true, Some(before), Some(after)) => {
            let (codes, labels) = (codes as f64 / 1048576.0, labels as f64 / 1048576.0);
            let grown = (after - before) as f64;
            println!("peak memory {grown:.0} MiB; codes {codes:.0} MiB, dictionaries {labels:.0} MiB");
            println!("(peak − dictionaries) / codes = {:.2}", (grown - labels) / codes);
        }
        _ => println!("peak memory: not told by this system"),
    }
}
