//! Loading CSV, against the `csv` crate that only splits the same file.

use crate::Setting;
use crate::clock::{best, memory_of, ratio, with_threads};
use crate::page::{Cell, Column, Section, Source, Table};
use sfumato::data::csv::{Sizes, read_with_sizes, write_to};
use sfumato::data::{self, ReadOptions, sample};
use sfumato::report::grouped;
use sfumato::{Error, Result};
use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;

pub fn loading(setting: &Setting<'_>) -> Result<Section> {
    let rows = setting.pick(20_000, 1_000_000);
    setting.now("making up patients to load");
    let folder = tempfile::tempdir().map_err(|error| Error::io(&error, &std::env::temp_dir()))?;
    let path = folder.path().join("hospital.csv");
    let table = sample::hospital(rows, 1);
    setting.now("loading CSV");
    let mut memory = Table::new(
        "Memory of loading the second table, two threads",
        [
            Column::memory("taken at most"),
            Column::memory("codes"),
            Column::memory("dictionaries"),
            Column::number("(taken − dictionaries) / codes", 2),
        ],
    );
    // Memory first: what a process has freed it does not ask for again.
    write(&table, &path)?;
    memory.row(held(&path)?);
    let new_values = measured("One column of nothing but new values", &path, rows)?;
    write(&without_identifier(&table)?, &path)?;
    let categories = measured("Nine columns of categories, numbers and dates", &path, rows)?;
    let source = Source::synthetic(format!("a made-up hospital, {} records, nine columns", grouped(rows)));
    Ok(Section::new("loading", "Loading CSV", source)
        .timing()
        .words("The best of seven runs. The baseline splits the file into fields with the csv crate and does nothing with them; ours codes every column and finds its type.")
        .table(categories)
        .table(new_values)
        .table(memory))
}

fn measured(title: &str, path: &Path, rows: usize) -> Result<Table> {
    let text = std::fs::read(path).map_err(|error| Error::io(&error, path))?;
    let title = format!("{title}: {} MB", text.len().div_ceil(1_000_000));
    let mut table = Table::new(title, [Column::text("what"), Column::time("time"), Column::times("over splitting")]);
    let (split, _) = best(7, || split_only(path));
    let mut line = |what: String, time| table.row([what.into(), Cell::from(time), ratio(time, split).into()]);
    line("csv crate, splitting only".into(), split);
    for threads in [1, 2] {
        let (time, _) = best(7, || with_threads(threads, || load(path, threads)));
        line(format!("loaded and coded, {threads} thread{}", if threads == 1 { "" } else { "s" }), time);
    }
    for (part, name) in [(3, "third"), (10, "tenth")] {
        let end = text[..text.len() / part].iter().rposition(|&byte| byte == b'\n').map_or(text.len(), |at| at + 1);
        let (time, _) = best(7, || with_threads(2, || read(&text[..end], 2, end as u64)));
        line(format!("the first {name} of {} records, from memory, 2 threads", grouped(rows)), time);
    }
    Ok(table)
}

/// What a process takes at most while it loads, on top of what it held before, against what it has
/// loaded.
fn held(path: &Path) -> Result<[Cell; 4]> {
    let (held, table) = memory_of(|| with_threads(2, || load(path, 2)));
    let (codes, labels) = table?.memory();
    let most = held.map(|held| (held.most - held.before) as f64);
    let left = most.map(|most| (most - labels as f64) / codes as f64);
    Ok([most.into(), codes.into(), labels.into(), left.into()])
}

/// The identifier replaced by one more category, so that there are nine columns again.
fn without_identifier(table: &data::Table) -> Result<data::Table> {
    let mut columns = table.columns().to_vec();
    let nationality = table.column("nationality")?;
    columns[0] = data::Column::new("insurer", nationality.codes().to_vec(), nationality.domain().clone());
    data::Table::new(columns)
}

fn write(table: &data::Table, path: &Path) -> Result<()> {
    let file = File::create(path).map_err(|error| Error::io(&error, path))?;
    write_to(table, b',', &mut std::io::BufWriter::new(file)).map_err(|error| Error::io(&error, path))
}

fn split_only(path: &Path) -> usize {
    let mut reader = csv::ReaderBuilder::new().from_path(path).expect("the file was just written");
    let mut record = csv::ByteRecord::new();
    let mut fields = 0;
    while reader.read_byte_record(&mut record).expect("a record") {
        fields += black_box(&record).len();
    }
    fields
}

fn load(path: &Path, threads: usize) -> Result<data::Table> {
    let whole = std::fs::metadata(path).map_err(|error| Error::io(&error, path))?.len();
    read(File::open(path).map_err(|error| Error::io(&error, path))?, threads, whole)
}

fn read(source: impl Read + Send, threads: usize, whole: u64) -> Result<data::Table> {
    let sizes = Sizes { threads, whole: Some(whole), ..Sizes::default() };
    read_with_sizes(source, &ReadOptions::default(), sizes)
}
