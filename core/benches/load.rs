//! Loading CSV: our reader against the `csv` crate only splitting the same text, and against itself over sizes.
//!
//! `cargo bench -p sfumato --bench load [-- --rows N]`

mod support;

use sfumato::data::csv::{Sizes, read_with_sizes, write_to};
use sfumato::data::{Column, ReadOptions, Table, sample};
use std::hint::black_box;
use std::path::Path;
use support::{best, line, peak_memory_mib, rows, with_threads};

fn main() {
    if let Some(path) = std::env::args().skip_while(|argument| argument != "--memory-of").nth(1) {
        return memory(Path::new(&path));
    }
    let rows = rows(1_000_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("hospital.csv");
    let table = sample::hospital(rows, 1);
    measure("nine columns of categories, numbers and dates", &without_identifier(&table), &path, rows);
    measure("the same with a column in which every value is new", &table, &path, rows);
    let memory = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--memory-of".as_ref(), path.as_os_str()])
        .output();
    print!("{}", String::from_utf8_lossy(&memory.expect("a second process").stdout));
}

fn measure(name: &str, table: &Table, path: &Path, rows: usize) {
    write(table, path);
    let text = std::fs::read(path).expect("a file");
    println!("\n{name}: {rows} rows, {:.1} MB", text.len() as f64 / 1e6);
    let (split, _) = best(7, || split_only(path));
    line("csv crate, splitting only (baseline)", split, split);
    for threads in [1, 2] {
        let (time, _) = best(7, || with_threads(threads, || load(path, threads)));
        line(&format!("sfumato, loaded and coded, {threads} thread(s)"), time, split);
    }
    for part in [10, 3] {
        let end = text[..text.len() / part].iter().rposition(|&byte| byte == b'\n').expect("a line") + 1;
        let (time, _) = best(7, || with_threads(2, || read(&text[..end], 2, end as u64)));
        line(&format!("sfumato, first 1/{part} of the rows, 2 threads"), time, split);
    }
}

/// The identifier replaced by one more category, so that there are nine columns again.
fn without_identifier(table: &Table) -> Table {
    let mut columns = table.columns().to_vec();
    let nationality = table.column("nationality").expect("a column");
    columns[0] = Column::new("insurer", nationality.codes().to_vec(), nationality.domain().clone());
    Table::new(columns).expect("a table")
}

fn write(table: &Table, path: &Path) {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path).expect("a file"));
    write_to(table, b',', &mut out).expect("written");
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
    let whole = std::fs::metadata(path).expect("a file").len();
    read(std::fs::File::open(path).expect("a file"), threads, whole)
}

fn read(source: impl std::io::Read + Send, threads: usize, whole: u64) -> Table {
    let sizes = Sizes { threads, whole: Some(whole), ..Sizes::default() };
    read_with_sizes(source, &ReadOptions::default(), sizes).expect("a table")
}

/// The peak memory of a process that does nothing but load, against the size of what it loaded.
fn memory(path: &Path) {
    let before = peak_memory_mib();
    let table = with_threads(2, || load(path, 2));
    let (codes, labels) = table.memory();
    match (before, peak_memory_mib()) {
        (Some(before), Some(after)) => {
            let (codes, labels) = (codes as f64 / 1048576.0, labels as f64 / 1048576.0);
            let grown = (after - before) as f64;
            println!("peak memory {grown:.0} MiB; codes {codes:.0} MiB, dictionaries {labels:.0} MiB");
            println!("(peak − dictionaries) / codes = {:.2}", (grown - labels) / codes);
        }
        _ => println!("peak memory: not told by this system"),
    }
}
