//! Tables and plans that are made to do harm: they are worked on correctly or refused clearly,
//! within the memory allowed, and never by a defect.

use crate::support;
use crate::support::publishing::*;
use crate::support::{CANARY, Folder};
use serde_json::Value;
use std::fmt::Write;
use std::fs::{File, OpenOptions};

const USAGE: i32 = 2;
const DATA: i32 = 3;
const RESOURCES: i32 = 6;

const ANONYMITY: &str = "[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n";

fn error(folder: &Folder, arguments: &str, code: i32) -> String {
    let run = folder.run(arguments).code(code).stdout("");
    String::from_utf8(run.get_output().stderr.clone()).unwrap()
}

// Cells that a spreadsheet would run

const FORMULAS: &str = "\
=zip,+note,disease
=1+1,-5,=cmd|' /C calc'!A0
=1+1,-5,'=cmd|' /C calc'!A0
@SUM(A1),-6.5,-flu
@SUM(A1),-6.5,+41 79 123
+A1,-7,flu
+A1,-7,\"\tflu\"
";

const FORMULA_COLUMNS: &str = "\"=zip\" = \"quasi\"\n\"+note\" = \"quasi\"\ndisease = \"sensitive\"\n";

fn text_of(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap()
}

#[test]
fn formulas_are_escaped_in_text_and_the_release_verifies() {
    for (form, files) in [("generalized", &["data"][..]), ("bucketized", &["quasi", "sensitive"])] {
        for format in ["csv", "tsv"] {
            let sections = format!(
                "{ANONYMITY}[method]\nname = \"mondrian\"\n[release]\nform = \"{form}\"\nformat = \"{format}\"\n"
            );
            let folder = folder(FORMULAS, FORMULA_COLUMNS, &sections);
            publish(&folder);
            for file in files {
                let text = text_of(&folder, &format!("release/{file}.{format}"));
                let mut rows = csv_rows(&text, if format == "csv" { b',' } else { b'\t' });
                let cells = rows.iter_mut().flatten();
                cells.for_each(|cell| {
                    let runs = cell.starts_with(['=', '@', '\t', '\r'])
                        || cell.starts_with(['+', '-']) && cell.contains(char::is_alphabetic);
                    assert!(!runs, "{cell:?} would be run, in {file}.{format}");
                });
                assert!(text.contains("''=cmd") || *file == "quasi", "{text}");
            }
            if form == "generalized" {
                assert!(text_of(&folder, &format!("release/data.{format}")).contains("-6.5"), "numbers are left alone");
            }
        }
    }
}

/// The cells of delimited text, quotes undone.
fn csv_rows(text: &str, delimiter: u8) -> Vec<Vec<String>> {
    let options = sfumato::data::ReadOptions {
        delimiter: Some(delimiter),
        header: false,
        missing: Vec::new(),
        ..Default::default()
    };
    let table = sfumato::data::csv::read_from(text.as_bytes(), &options).unwrap();
    (0..table.rows()).map(|row| table.columns().iter().map(|column| column.value(row).to_string()).collect()).collect()
}

#[test]
fn other_formats_and_those_who_want_keep_formulas() {
    for (release, file) in [("format = \"parquet\"", "data.parquet"), ("formulas = \"keep\"", "data.csv")] {
        let folder = folder(FORMULAS, FORMULA_COLUMNS, &format!("{ANONYMITY}[release]\n{release}\n"));
        publish(&folder);
        let (header, records) = cells(&folder, &format!("release/{file}"));
        assert!(header.contains(&"=zip".to_string()));
        assert!(records.iter().flatten().any(|cell| cell.starts_with("=cmd")));
    }
}

#[test]
fn formulas_may_be_refused() {
    let folder = folder(FORMULAS, FORMULA_COLUMNS, &format!("{ANONYMITY}[release]\nformulas = \"refuse\"\n"));
    let told = error(&folder, "publish plan.toml --out release", DATA);
    assert!(told.contains("a spreadsheet would run the name of column 1") && !told.contains("=zip"), "{told}");
    assert!(!folder.path("release").exists());
    folder.write("plan.toml", text_of(&folder, "plan.toml").replace("refuse", "perhaps"));
    assert!(error(&folder, "publish plan.toml --out release", USAGE).contains("formulas"));
}

#[test]
fn values_cannot_be_made_alike_by_claiming_that_they_were_escaped() {
    let table = "zip,disease\n=a,flu\n=a,cold\n'=b,flu\n'=b,cold\n";
    let folder = folder(table, "zip = \"quasi\"\ndisease = \"sensitive\"\n", ANONYMITY);
    publish(&folder);
    let data = text_of(&folder, "release/data.csv");
    folder.write("release/data.csv", data.replacen("'=a", "=a", 1));
    let found = folder.json("verify release --json", 5);
    let claims = found["claims"].as_array().unwrap();
    let figures = claims.iter().find(|claim| claim["claim"] == "figures").expect("they cannot be recomputed");
    assert_eq!(figures["holds"], false);
}

#[test]
fn items_that_are_formulas_are_escaped_where_they_are_told_apart() {
    let plan = "[data]\nkind = \"transactions\"\npath = \"sets.dat\"\nsensitive = { items = [\"=x()\"] }\n\n[method]\nname = \"permutation\"\n\n[[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"0.5\"\n";
    let mut lines = "a b =x()\n".to_string();
    (0..20).for_each(|at| writeln!(lines, "a b c{}", at % 2).unwrap());
    let folder = Folder::new(&[("plan.toml", plan), ("sets.dat", &lines)]);
    folder.run("publish plan.toml --out release").code(0);
    folder.run("verify release").code(0);
    let told = text_of(&folder, "release/sensitive.csv");
    assert!(told.contains(",'=x(),"), "{told}");
}

// Large cells, many columns, many cells

#[test]
fn a_cell_of_ten_megabytes_is_published() {
    let large = "x".repeat(10_000_000);
    let table = format!("zip,disease\n1,{large}\n1,flu\n2,flu\n2,{large}y\n");
    for format in ["csv", "parquet", "arrow"] {
        let sections = format!("{ANONYMITY}[release]\nformat = \"{format}\"\n");
        let folder = folder(&table, "zip = \"quasi\"\ndisease = \"sensitive\"\n", &sections);
        publish(&folder);
        let (_, records) = cells(&folder, &format!("release/data.{format}"));
        assert!(records.iter().any(|record| record[1].len() == 10_000_001));
    }
    let folder = folder(&table, "zip = \"insensitive\"\ndisease = \"quasi\"\n", ANONYMITY);
    publish(&folder);
}

/// A table with so many quasi-identifiers, each with two values.
fn wide(columns: usize) -> (String, String) {
    let names: Vec<String> = (0..columns).map(|at| format!("q{at}")).collect();
    let mut table = names.join(",") + ",disease\n";
    for row in 0..200usize {
        let cells = (0..columns).map(|at| (row * 31 + at * row * row % 97) >> (at % 5) & 1);
        cells.for_each(|cell| write!(table, "{cell},").unwrap());
        writeln!(table, "{}", ["flu", "cold", "cancer"][row % 3]).unwrap();
    }
    let specs = names.iter().map(|name| format!("{name} = \"quasi\"\n")).collect::<String>();
    (table, specs + "disease = \"sensitive\"\n")
}

#[test]
fn more_quasi_identifiers_than_a_word_has_bits_are_grouped_or_refused() {
    for columns in [64, 65, 129, 300] {
        let (table, specs) = wide(columns);
        for method in ["mondrian", "anatomy"] {
            let require = match method {
                "anatomy" => "[[require]]\ncriterion = \"distinct-l-diversity\"\non = \"disease\"\nl = 2\n",
                _ => ANONYMITY,
            };
            let folder = folder(&table, &specs, &format!("{require}[method]\nname = \"{method}\"\n"));
            folder.run("publish plan.toml --out release").code(0);
            folder.run("verify release").code(0);
        }
        // A lattice of 2^64 nodes or more cannot be searched through: said before anything is
        // begun, unless a part of it is enough.
        let folder = folder(&table, &specs, ANONYMITY);
        for method in ["incognito\"", "optimal\"\nseconds = 0"] {
            folder.write(
                "plan.toml",
                format!("[data]\npath = \"table.csv\"\n[columns]\n{specs}\n{ANONYMITY}[method]\nname = \"{method}\n"),
            );
            let told = error(&folder, "publish plan.toml --out release", RESOURCES);
            assert!(told.contains("help:"), "{told}");
            assert!(!folder.path("release").exists());
        }
    }
}

#[test]
fn a_table_that_cannot_fit_is_refused_before_it_is_read() {
    let folder = Folder::new(&[("table.csv", "zip,age,disease\n")]);
    let mut file = OpenOptions::new().append(true).open(folder.path("table.csv")).unwrap();
    let line = format!("1,22,{CANARY}\n");
    std::io::Write::write_all(&mut file, line.repeat(1_000_000).as_bytes()).unwrap();
    // The rest of the file is a hole, and as if it went on like this for more than 2^31 cells.
    file.set_len((1 << 31) * line.len() as u64 / 3 + 1).unwrap();
    folder.write("plan.toml", format!("[columns]\nzip = \"quasi\"\ndisease = \"sensitive\"\n{ANONYMITY}"));
    for command in
        ["inspect table.csv", "check table.csv --plan plan.toml", "publish plan.toml --data table.csv --out release"]
    {
        let told = error(&folder, &format!("{command} --memory 1GiB"), RESOURCES);
        assert!(told.contains("GiB, and 1.0 GiB are allowed") && told.contains("--memory"), "{told}");
    }
    assert!(!folder.path("release").exists());
}

// Memory

/// A table in which nearly every cell is new, so that it takes far more memory than its codes.
fn large(folder: &Folder) {
    let mut text = String::from("name,age,disease\n");
    (0..500_000u64).for_each(|at| {
        let odd = at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        writeln!(text, "{CANARY}{odd:0400x}{at:032x},{},{}", at % 90, at % 7).unwrap();
    });
    folder.write("table.csv", text);
    let columns = "name = \"identifier\"\nage = { role = \"quasi\", hierarchy = { intervals = [10] } }\ndisease = \"sensitive\"\n";
    folder.write("plan.toml", format!("[data]\npath = \"table.csv\"\n[columns]\n{columns}\n{ANONYMITY}"));
}

#[test]
fn a_run_that_takes_more_memory_than_allowed_ends_and_publishes_nothing() {
    let folder = Folder::new(&[]);
    large(&folder);
    let before: Vec<_> = names(&folder);
    let told = error(&folder, "publish plan.toml --out release --memory 40MB", RESOURCES);
    assert!(told.contains("more than the 38.1 MiB allowed: nothing was published"), "{told}");
    assert!(told.contains("help: allow more with --memory"), "{told}");
    assert_eq!(names(&folder), before, "nothing is left");
    folder.run("publish plan.toml --out release --memory 2GiB").code(0);
}

fn names(folder: &Folder) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

#[test]
fn wide_text_without_a_mark_is_told_as_such() {
    let folder = Folder::new(&[]);
    for swapped in [false, true] {
        let wide = |unit: u16| if swapped { unit.to_be_bytes() } else { unit.to_le_bytes() };
        let text = format!("zip,disease\n1,{CANARY}\n");
        folder.write("table.csv", text.encode_utf16().flat_map(wide).collect::<Vec<u8>>());
        assert!(error(&folder, "inspect table.csv", DATA).contains("UTF-16"));
    }
}

#[test]
fn no_table_is_replaced_by_beliefs_and_no_release_spoilt_by_a_draft() {
    let folder = patients(SUPPRESSING);
    publish(&folder);
    let before = text_of(&folder, "table.csv");
    error(&folder, "attack release --only background-knowledge --each table.csv", USAGE);
    assert_eq!(text_of(&folder, "table.csv"), before);
    error(&folder, "init table.csv --out release/plan.toml", USAGE);
    folder.run("verify release").code(0);
}

#[test]
fn sizes_that_are_none_are_refused() {
    let folder = Folder::new(&[]);
    for size in ["0", "1MB", "much", "-3GB", "4XB"] {
        let told = error(&folder, &format!("list --memory={size}"), USAGE);
        assert!(told.contains("--memory"), "{told}");
    }
    folder.run("list --memory 64MB").code(0);
}

/// What the process had in memory at most, in bytes.
#[cfg(target_os = "linux")]
fn peak(folder: &Folder, arguments: &str, code: i32) -> u64 {
    use std::process::Stdio;
    let mut child = std::process::Command::new(support::SFUMATO)
        .args(arguments.split_whitespace())
        .current_dir(folder.path(""))
        .env("SFUMATO_RECORD", "")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        // The kernel keeps the highest figure: the last one read before the end is close to it.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
        peak = peak.max(kib.unwrap_or(0) << 10);
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(code), "{arguments}");
            return peak;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_budget_is_kept_up_to_what_grows_between_two_looks() {
    let folder = Folder::new(&[]);
    large(&folder);
    let peak = peak(&folder, "publish plan.toml --out release --memory 40MB", RESOURCES);
    assert!(peak < 120_000_000, "{peak} bytes");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_lies_about_its_size_takes_no_memory() {
    let folder = Folder::new(&[("table.csv", "zip,disease\n1,flu\n1,cold\n")]);
    folder.write("plan.toml", format!("[data]\npath = \"table.csv\"\n[columns]\nzip = \"quasi\"\ndisease = \"sensitive\"\n{ANONYMITY}[release]\nformat = \"parquet\"\n"));
    folder.run("publish plan.toml --out release").code(0);
    let whole = std::fs::read(folder.path("release/data.parquet")).unwrap();
    // The number of rows stands in the footer as a variable-length integer: 2 rows are the byte 4.
    // Whichever byte it is, each becomes the start of a huge number in one of the files.
    let places: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == 4).collect();
    assert!(!places.is_empty());
    for at in places {
        let mut lying = whole.clone();
        lying.splice(at..=at, [0x80, 0xa8, 0xd6, 0xb9, 0x07]);
        let footer = u32::from_le_bytes(lying[lying.len() - 8..lying.len() - 4].try_into().unwrap()) + 4;
        let end = lying.len();
        lying[end - 8..end - 4].copy_from_slice(&footer.to_le_bytes());
        folder.write("lying.parquet", &lying);
        let run = folder.run("check lying.parquet --plan plan.toml --memory 400MB");
        let code = run.get_output().status.code().unwrap();
        assert!([0, 1, DATA, RESOURCES].contains(&code), "{code} with a change at {at}");
    }
}

// Paths

#[test]
fn paths_of_a_plan_start_from_its_folder() {
    let table = "zip,disease\n1,flu\n1,cold\n";
    let hierarchy = "1,*\n";
    let plan = |data: &str, file: &str| {
        format!(
            "[data]\npath = \"{data}\"\n[columns]\nzip = {{ role = \"quasi\", hierarchy = {{ file = \"{file}\" }} }}\ndisease = \"sensitive\"\n{ANONYMITY}"
        )
    };
    let folder = Folder::new(&[("data/table.csv", table), ("data/zip.csv", hierarchy), ("elsewhere/x", "")]);
    let absolute = |name: &str| folder.path(name).display().to_string();
    let ways = [
        ("../data/table.csv".to_string(), "../data/zip.csv".to_string()),
        ("./../plans/../data/./table.csv".into(), "..//data//zip.csv".into()),
        (absolute("data/table.csv"), absolute("data/zip.csv")),
    ];
    for (at, (data, file)) in ways.iter().enumerate() {
        folder.write("plans/plan.toml", plan(data, file));
        folder.run(&format!("publish plans/plan.toml --out release{at}")).code(0);
        folder.run(&format!("verify release{at}")).code(0);
        let certificate = text_of(&folder, &format!("release{at}/certificate.json"));
        assert!(!certificate.contains("plans") && !certificate.contains("zip.csv"), "no path is published");
    }
    folder.write("plans/plan.toml", plan("../elsewhere/none.csv", "../data/zip.csv"));
    let told = error(&folder, "publish plans/plan.toml --out other", 7);
    assert!(told.contains("plans/../elsewhere/none.csv"), "the path is shown as it was taken: {told}");
    assert!(!folder.path("other").exists());
}

#[test]
fn nothing_in_a_plan_writes_anywhere_but_to_the_target() {
    let table = "zip,../up,disease\n1,a,flu\n1,a,cold\n";
    let columns = "zip = \"quasi\"\n\"../up\" = \"insensitive\"\ndisease = \"sensitive\"\n";
    for format in ["../evil", "/tmp/evil", "csv/../../evil", "..", "csv\\u0000", ""] {
        let folder = folder(table, columns, &format!("{ANONYMITY}[release]\nformat = \"{format}\"\n"));
        let before = names(&folder);
        error(&folder, "publish plan.toml --out release", USAGE);
        assert_eq!(names(&folder), before, "{format}");
    }
    let folder = folder(table, columns, ANONYMITY);
    publish(&folder);
    let mut files: Vec<Value> = std::fs::read_dir(folder.path("release"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned().into())
        .collect();
    files.sort_by_key(Value::to_string);
    assert_eq!(files, ["certificate.json", "data.csv", "report.html"]);
}

#[test]
fn devices_and_pipes_in_place_of_files_do_no_harm() {
    let folder = folder("zip,disease\n1,flu\n1,cold\n", "zip = \"quasi\"\ndisease = \"sensitive\"\n", ANONYMITY);
    if File::open("/dev/null").is_err() {
        return eprintln!("left out: there is no /dev/null here");
    }
    error(&folder, "publish /dev/null --out release", USAGE);
    std::fs::copy(folder.path("plan.toml"), folder.path("other.toml")).unwrap();
    folder.write("other.toml", text_of(&folder, "plan.toml").replace("table.csv", "/dev/null"));
    let code = folder.run("publish other.toml --out release").get_output().status.code().unwrap();
    assert!([USAGE, DATA].contains(&code), "{code}");
    assert!(!folder.path("release").exists());
}
