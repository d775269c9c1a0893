//! Releases as Parquet and Arrow: whatever the method and the form, what was withheld is in no
//! page, dictionary, footer or schema.

use parquet::file::reader::{FileReader, SerializedFileReader};
use sfumato::anonymize::KINDS;
use sfumato::data::{Column, Formats, ReadOptions, Table};
use sfumato::release::{self, Destination};
use sfumato::{TablePlan, publish};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use tempfile::TempDir;

/// Cells that nobody may see.
const HIDDEN: &str = "Zq7hidden";
/// Numbers that nobody may see, from this one on: far from whatever lengths and offsets a file has.
const NUMBER: i64 = 7_713_060_000_000;

fn formats() -> Formats {
    Formats::default().with(sfumato_columnar::formats())
}

/// Sixty people whose names and towns nobody may see, and two whom no group takes. Towns have a
/// hierarchy in a file; salaries are numbers.
fn table(with_outliers: bool) -> Table {
    let all = if with_outliers { 62 } else { 60 };
    let text = |name: &str, of: &dyn Fn(usize) -> String| Column::from_values(name, (0..all).map(of));
    let outlier = |at: usize, other: String| if at < 60 { other } else { format!("{HIDDEN}{at}") };
    Table::new(vec![
        text("name", &|at| format!("{HIDDEN}name{at}")),
        text("town", &|at| format!("{HIDDEN}town{at}")),
        text("salary", &|at| (NUMBER + 1000 * at as i64 + if at < 60 { 0 } else { 1 << 50 }).to_string()),
        text("unplanned", &|at| format!("{HIDDEN}unplanned{at}")),
        text("note", &|at| outlier(at, format!("note{}", at % 7))),
        text("disease", &|at| outlier(at, format!("ill{}", at % 3))),
    ])
    .unwrap()
}

fn hierarchy(folder: &Path) {
    let line = |at: usize| match at {
        0..60 => format!("{HIDDEN}town{at};{HIDDEN}part{};area{};*\n", at / 2, at / 20),
        _ => format!("{HIDDEN}town{at};{HIDDEN}far{at};{HIDDEN}away{at};*\n"),
    };
    std::fs::write(folder.join("towns.csv"), (0..62).map(line).collect::<String>()).unwrap();
}

fn chooses_levels(method: &str) -> bool {
    ["optimal", "incognito"].contains(&method)
}

fn plan(folder: &Path, method: &str, form: &str, format: &str) -> TablePlan {
    let suppressed = if chooses_levels(method) { "max_suppressed = \"5%\"" } else { "" };
    let [town, salary] = match form {
        "bucketized" => [""; 2],
        _ => [", hierarchy = { file = \"towns.csv\" }", ", hierarchy = { intervals = [1000000000000000] }"],
    };
    let text = format!(
        r#"
        [columns]
        name    = "identifier"
        town    = {{ role = "quasi"{town} }}
        salary  = {{ role = "quasi"{salary} }}
        note    = "insensitive"
        disease = "sensitive"
        [[require]]
        criterion = "k-anonymity"
        k = 3
        [[require]]
        criterion = "frequency-l-diversity"
        l = 2
        [method]
        name = "{method}"
        [release]
        form = "{form}"
        format = "{format}"
        {suppressed}
        insensitive = {{ accept = ["note"] }}
        "#
    );
    TablePlan::parse(&text, folder).unwrap()
}

/// Publishes the table; the files with cells.
fn publish(folder: &TempDir, table: &Table, method: &str, form: &str, format: &str) -> Vec<std::path::PathBuf> {
    hierarchy(folder.path());
    let plan = plan(folder.path(), method, form, format);
    let made = publish::make(&plan, table, &formats()).unwrap().pass().unwrap();
    let target = folder.path().join("release");
    let order = Destination { replace: true, ..Destination::new(&target) };
    release::write(&made, &plan, &order, &formats()).unwrap();
    let entries = std::fs::read_dir(&target).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|ending| ending == format)).collect()
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Everything that a Parquet file says: its bytes, its pages without compression, and its footer as
/// text.
fn said_by_parquet(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut said = vec![("the file".to_string(), std::fs::read(path).unwrap())];
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata();
    assert_eq!(metadata.created_by(), Some("sfumato"));
    assert!(metadata.key_value_metadata().is_none(), "nothing but columns is described");
    said.push(("the footer".into(), format!("{:?}", reader.metadata()).into_bytes()));
    for (at, group) in reader.metadata().row_groups().iter().enumerate() {
        assert!(group.sorting_columns().is_none());
        for (column, chunk) in group.columns().iter().enumerate() {
            assert!(chunk.statistics().is_none() && chunk.bloom_filter_offset().is_none());
            assert!(chunk.column_index_offset().is_none() && chunk.offset_index_offset().is_none());
            for page in reader.get_row_group(at).unwrap().get_column_page_reader(column).unwrap() {
                let page = page.unwrap();
                assert!(page.statistics().is_none());
                said.push((format!("a page of column {column}"), page.buffer().to_vec()));
            }
        }
    }
    said
}

/// Everything that an Arrow file says: it is not compressed.
fn said_by_arrow(path: &Path) -> Vec<(String, Vec<u8>)> {
    let reader = arrow_ipc::reader::FileReader::try_new(File::open(path).unwrap(), None).unwrap();
    assert!(reader.schema().metadata().is_empty() && reader.custom_metadata().is_empty());
    assert!(reader.schema().fields().iter().all(|field| field.metadata().is_empty()));
    vec![("the file".to_string(), std::fs::read(path).unwrap())]
}

fn said(path: &Path) -> Vec<(String, Vec<u8>)> {
    if path.extension().is_some_and(|ending| ending == "parquet") { said_by_parquet(path) } else { said_by_arrow(path) }
}

/// The cells of a file, as somebody reads them.
fn cells(path: &Path) -> BTreeSet<String> {
    let table = formats().read(path, &ReadOptions::default()).unwrap();
    let values = |column: &Column| (0..table.rows()).map(|row| column.value(row).to_string()).collect::<Vec<_>>();
    table.columns().iter().flat_map(values).collect()
}

#[test]
fn what_is_generalized_or_suppressed_is_nowhere_in_a_file() {
    let mut published = 0;
    for kind in KINDS {
        for format in ["parquet", "arrow"] {
            let folder = tempfile::tempdir().unwrap();
            // Methods that choose levels suppress the two outliers; those that form groups take in
            // whom they like, so there are none.
            let table = table(chooses_levels(kind.name));
            for path in publish(&folder, &table, kind.name, "generalized", format) {
                let seen = cells(&path);
                for (part, bytes) in said(&path) {
                    let what = format!("{}, {format}: {part}", kind.name);
                    assert!(!holds(&bytes, HIDDEN.as_bytes()), "{what} holds a cell that was withheld");
                    let wide: Vec<u8> = HIDDEN.encode_utf16().flat_map(u16::to_le_bytes).collect();
                    assert!(!holds(&bytes, &wide), "{what} holds a cell that was withheld");
                    for at in 0..62 {
                        let number = NUMBER + 1000 * at + if at < 60 { 0 } else { 1 << 50 };
                        // The ends of a group's range are published.
                        let is_told = seen.iter().any(|cell| cell.contains(&number.to_string()));
                        assert!(is_told || !holds(&bytes, number.to_string().as_bytes()), "{what} holds a salary");
                        assert!(!holds(&bytes, &number.to_le_bytes()), "{what} holds a salary as a number");
                        assert!(!holds(&bytes, &(number as f64).to_le_bytes()), "{what} holds a salary as a float");
                    }
                }
                published += 1;
            }
        }
    }
    assert_eq!(published, 2 * KINDS.len());
}

/// In a bucketized release quasi-identifiers are published, apart from sensitive values: neither
/// file holds what belongs into the other.
#[test]
fn files_of_a_bucketized_release_hold_their_own_cells_only() {
    for method in ["mondrian", "anatomy", "symmetric-grouping", "base"] {
        for format in ["parquet", "arrow"] {
            let folder = tempfile::tempdir().unwrap();
            let paths = publish(&folder, &table(false), method, "bucketized", format);
            assert_eq!(paths.len(), 2);
            for path in paths {
                let is_quasi = path.file_stem().unwrap() == "quasi";
                for (part, bytes) in said(&path) {
                    let what = format!("{method}, {}: {part}", path.display());
                    let never: &[&str] =
                        if is_quasi { &["ill0", "ill1", "ill2", "disease"] } else { &["town", "note", "salary"] };
                    for word in never.iter().chain(&["Zq7hiddenname", "unplanned", "Zq7hiddenpart", "area0"]) {
                        assert!(!holds(&bytes, word.as_bytes()), "{what} holds {word}");
                    }
                }
            }
        }
    }
}

/// Where a value is too frequent, records are withheld first: what only they had is nowhere.
#[test]
fn what_is_withheld_first_is_nowhere_in_a_file() {
    let rows = 60;
    let values = |name: &str, of: &dyn Fn(usize) -> String| Column::from_values(name, (0..rows).map(of));
    let table = Table::new(vec![
        values("x", &|at| (at % 5).to_string()),
        values("note", &|at| format!("{HIDDEN}{at}end")),
        values("s", &|at| if at < 40 { "frequent".into() } else { format!("v{}", at % 4) }),
    ])
    .unwrap();
    for format in ["parquet", "arrow"] {
        for skew in ["calibrated", "safe-d"] {
            let folder = tempfile::tempdir().unwrap();
            let text = format!(
                "[columns]\nx = \"quasi\"\nnote = \"insensitive\"\ns = \"sensitive\"\n[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n[skew]\nmethod = \"{skew}\"\n[release]\nformat = \"{format}\"\ninsensitive = {{ accept = [\"note\"] }}\n"
            );
            let plan = TablePlan::parse(&text, folder.path()).unwrap();
            let made = publish::make(&plan, &table, &formats()).unwrap().pass().unwrap();
            assert!(made.publication.published < rows, "{skew} withholds some");
            let target = folder.path().join("release");
            let order = Destination { replace: true, ..Destination::new(&target) };
            release::write(&made, &plan, &order, &formats()).unwrap();
            let path = target.join(format!("data.{format}"));
            let seen = cells(&path);
            let gone: Vec<String> =
                (0..rows).map(|at| format!("{HIDDEN}{at}end")).filter(|cell| !seen.contains(cell)).collect();
            assert_eq!(gone.len(), rows - made.publication.published);
            for (part, bytes) in said(&path) {
                assert!(
                    gone.iter().all(|cell| !holds(&bytes, cell.as_bytes())),
                    "{skew}, {format}: {part} holds a withheld cell"
                );
            }
        }
    }
}
