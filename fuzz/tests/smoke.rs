//! Every reader on the files of its corpus, and on many changes of them: the invariants hold, in
//! little time and memory. More changes with SFUMATO_CASES.

mod support;

use sfumato::data::{Formats, ReadOptions, Table, csv, sample};
use sfumato::release::{self, Destination};
use sfumato::{TablePlan, publish};
use sfumato_fuzz::{CANARY, READERS, Reader, honest_files};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use support::{Mutator, corpus, dictionary, folder, peak, resident, start_peak, worked};

/// What reading one file may take.
const LONGEST: Duration = Duration::from_secs(2);
const MOST_MEMORY: u64 = 512 << 20;
/// Address space for all files of the corpus, one after another.
const MOST_ADDRESSES: u64 = 4 << 30;
/// A file that takes so long is not waited for.
const HANGS: Duration = Duration::from_secs(240);

/// How often each file is changed: more with SFUMATO_CASES.
fn cases(usual: u64) -> u64 {
    std::env::var("SFUMATO_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// One reader at a time: time and memory are those of the process.
static ALONE: Mutex<()> = Mutex::new(());
/// How many files were read: stands still if one is not done with.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Runs a reader on many files and tells about all that went wrong.
struct Watch {
    reader: Reader,
    runs: u64,
    wrong: Vec<String>,
    has_peak: bool,
    /// Where files that went wrong are kept, for whoever looks into it.
    kept: PathBuf,
}

impl Watch {
    fn new(reader: Reader) -> Watch {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong");
        std::fs::create_dir_all(&kept).expect("a folder for files that go wrong");
        let has_peak = start_peak();
        if !has_peak {
            eprintln!("the most memory is not measured: this system does not tell it");
        }
        Watch { reader, runs: 0, wrong: Vec::new(), has_peak, kept }
    }

    fn run(&mut self, name: &str, bytes: &[u8]) {
        std::fs::write(self.kept.join("current"), bytes).expect("room for a file");
        let (before, held) = (worked(), resident());
        start_peak();
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.reader.run)(bytes)));
        let (took, grew) = (worked().saturating_sub(before), peak().saturating_sub(held));
        self.runs += 1;
        RUNS.fetch_add(1, Ordering::Relaxed);
        if let Err(panic) = outcome {
            let told = panic.downcast_ref::<String>().map(String::as_str);
            let told = told.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            self.keep(name, bytes, told.to_string());
        }
        if took > LONGEST {
            self.keep(name, bytes, format!("took {took:?}"));
        }
        if self.has_peak && grew > MOST_MEMORY {
            self.keep(name, bytes, format!("took {} MiB", grew >> 20));
        }
    }

    fn keep(&mut self, name: &str, bytes: &[u8], what: String) {
        let path = self.kept.join(format!("{}-{name}", self.reader.name));
        std::fs::write(&path, bytes).expect("room for a file that went wrong");
        self.wrong.push(format!("{}: {what}", path.display()));
    }

    fn finish(self) {
        assert!(self.wrong.is_empty(), "{} went wrong:\n{}", self.wrong.len(), self.wrong.join("\n"));
    }
}

/// Lets `read` have a watch that ends the process if a file is never done with.
fn watched(reader: Reader, read: impl FnOnce(&mut Watch)) {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let hook = std::panic::take_hook();
    sfumato_fuzz::keep_quiet();
    let mut watch = Watch::new(reader);
    let current = watch.kept.join("current");
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    std::thread::spawn(move || end_if_it_hangs(&is_done, &current));
    read(&mut watch);
    drop(done);
    std::panic::set_hook(hook);
    eprintln!("{}: {} files read", reader.name, watch.runs);
    watch.finish();
}

/// Ends the process if one file is read for too long; returns when all are done with.
fn end_if_it_hangs(is_done: &Receiver<()>, current: &Path) {
    let mut last = (RUNS.load(Ordering::Relaxed), Instant::now());
    while is_done.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
        let runs = RUNS.load(Ordering::Relaxed);
        if runs > last.0 {
            last = (runs, Instant::now());
        } else if last.1.elapsed() > HANGS {
            eprintln!("{} is not done with after {HANGS:?}", current.display());
            std::process::abort();
        }
    }
}

/// Files that changes start from: those of the corpus, and what this version writes itself.
fn seeds(reader: Reader) -> Vec<(String, Vec<u8>)> {
    let mut seeds = corpus(reader.name);
    if reader.name == "certificate" {
        let own = honest_files().into_iter().filter(|bytes| !bytes.starts_with(b"<"));
        seeds.extend(own.enumerate().map(|(at, bytes)| (format!("honest-{at}"), bytes)));
    }
    seeds
}

fn change_and_read(name: &str, usual: u64) {
    let reader = READERS.into_iter().find(|reader| reader.name == name).expect("a reader");
    let (seeds, words) = (seeds(reader), dictionary(name));
    watched(reader, |watch| {
        for (at, (seed, bytes)) in seeds.iter().enumerate() {
            let mut mutator = Mutator::new(at as u64, &seeds, &words);
            for case in 0..cases(usual) {
                watch.run(&format!("{seed}-{case}"), &mutator.change(bytes));
            }
        }
    });
}

#[test]
fn files_of_the_corpus_keep_the_invariants() {
    for reader in READERS {
        let seeds = seeds(reader);
        watched(reader, |watch| seeds.iter().for_each(|(name, bytes)| watch.run(name, bytes)));
    }
}

#[test]
fn files_of_the_corpus_are_read_in_a_small_address_space() {
    let own = std::env::current_exe().expect("the name of this test");
    let limited = format!("ulimit -v {} && exec \"$0\" \"$@\"", MOST_ADDRESSES >> 10);
    let mut run = Command::new("sh");
    run.arg("-c").arg(limited).arg(own).args(["--exact", "files_of_the_corpus_keep_the_invariants"]);
    match run.env("RAYON_NUM_THREADS", "2").output() {
        Ok(done) => {
            let told = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success() && told.contains("1 passed"), "{}: {told}", done.status);
        }
        Err(error) => eprintln!("NOT RUN, as there is no shell to limit memory with: {error}"),
    }
}

#[test]
fn changed_delimited_text_keeps_the_invariants() {
    change_and_read("csv", 20);
}

#[test]
fn changed_plans_keep_the_invariants() {
    change_and_read("plan", 20);
}

#[test]
fn changed_hierarchies_keep_the_invariants() {
    change_and_read("hierarchy", 20);
}

#[test]
fn changed_transactions_keep_the_invariants() {
    change_and_read("transactions", 20);
}

#[test]
fn changed_releases_keep_the_invariants() {
    change_and_read("certificate", 10);
}

#[test]
fn changed_parquet_files_keep_the_invariants() {
    change_and_read("parquet", 20);
}

#[test]
fn changed_arrow_files_keep_the_invariants() {
    change_and_read("arrow", 20);
}

/// A file of the corpus of delimited text, as it is read.
fn text(name: &str) -> sfumato::Result<Table> {
    let bytes = std::fs::read(folder("corpus/csv").join(name)).expect("a file of the corpus");
    csv::read_from(&bytes[..], &ReadOptions::default())
}

#[test]
fn odd_letters_are_values_of_their_own() {
    let letters = text("composed-and-decomposed").unwrap();
    assert_eq!((letters.rows(), letters.columns()[0].domain().len()), (5, 5));
    let nul = text("nul").unwrap();
    let first: Vec<&str> = (0..nul.rows()).map(|row| nul.columns()[0].value(row)).collect();
    assert_eq!(first, ["\0", "x\0y"]);
    assert_eq!(text("byte-order-mark").unwrap().columns()[0].name(), "a");
}

#[test]
fn what_is_no_table_is_refused_by_its_line_alone() {
    for (name, place) in [
        ("ragged-short", "line 3: "),
        ("ragged-long", "line 3: "),
        ("open-quote", "line 2: "),
        ("broken-text", "line 3: "),
        ("same-names", "line 1: columns 1 and 3"),
        ("empty-name", "line 1: column 2"),
    ] {
        let told = text(name).unwrap_err().to_string();
        assert!(told.contains(place) && !told.contains(CANARY), "{name}: {told}");
    }
    for name in ["utf-16-little", "utf-16-big"] {
        assert!(text(name).is_ok(), "{name}");
    }
}

const LARGER: &str = r#"
    [columns]
    patient = "identifier"
    age     = "quasi"
    sex     = "quasi"
    zip     = "quasi"
    disease = "sensitive"
    [[require]]
    criterion = "frequency-l-diversity"
    l = 3
    [method]
    name = "mondrian"
    [release]
    form = "bucketized"
    [gate]
    attacks = "report"
"#;

#[test]
fn a_certificate_does_not_decide_how_long_its_check_takes() {
    let plan = TablePlan::parse(LARGER, Path::new(".")).unwrap();
    let (table, formats) = (sample::hospital(3000, 1), Formats::default());
    let made = publish::make(&plan, &table, &formats).unwrap().pass().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let target = &folder.path().join("release");
    let order = Destination::new(target);
    let mut document = release::write(&made, &plan, &order, &formats).unwrap().document;
    let params = document["attacks"].as_array_mut().unwrap().iter_mut().map(|attack| &mut attack["params"]);
    let counts = params.flat_map(|params| params.as_object_mut().unwrap().iter_mut());
    let mut changed = 0;
    for (_, count) in counts.filter(|(name, _)| *name == "budget" || *name == "samples") {
        *count = (if changed == 0 { "1" } else { "4294967295" }).into();
        changed += 1;
    }
    assert_eq!(changed, 2, "one attack states how much work it may do");
    std::fs::write(target.join("certificate.json"), document.to_string()).unwrap();
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let started = worked();
    assert!(!release::verify(target, &formats).unwrap().holds(), "it was changed");
    assert!(worked() - started < 5 * LONGEST, "it would be at work for days");
}

/// Readers that do what none may do.
#[test]
fn whatever_goes_wrong_is_noticed() {
    let noticed = |run: fn(&[u8])| {
        let reader = Reader { name: "planted", run };
        catch_unwind(|| watched(reader, |watch| watch.run("fault", b""))).is_err()
    };
    assert!(!noticed(|_| {}));
    assert!(noticed(|_| panic!("planted")));
    assert!(noticed(|_| {
        let end = worked() + LONGEST + Duration::from_millis(100);
        while worked() < end {}
    }));
    let has_peak = start_peak();
    assert!(!has_peak || noticed(|_| drop(std::hint::black_box(vec![1u8; MOST_MEMORY as usize + (64 << 20)]))));
}

#[test]
fn every_reader_has_a_corpus_a_dictionary_and_a_target() {
    let targets = std::fs::read_to_string(folder("libfuzzer/Cargo.toml")).expect("a list of targets");
    for Reader { name, .. } in READERS {
        assert!(!corpus(name).is_empty() && !dictionary(name).is_empty());
        assert!(targets.contains(&format!("name = \"{name}\"")), "{name} has no target");
        let target = std::fs::read_to_string(folder("libfuzzer/fuzz_targets").join(format!("{name}.rs")));
        assert!(target.expect("a target").contains(&format!("sfumato_fuzz::{name}(data)")), "{name} runs another");
    }
    let bytes: usize = READERS.iter().flat_map(|reader| corpus(reader.name)).map(|(_, bytes)| bytes.len()).sum();
    assert!(bytes <= 300 << 10, "the corpus has grown to {bytes} bytes: minimize it");
}
