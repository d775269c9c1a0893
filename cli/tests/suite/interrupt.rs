//! Long work says how far it is, and the interrupt key ends it with nothing left behind.

#![cfg(unix)]

use crate::support::{Folder, SFUMATO};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A search over two million candidates of 4,000 records by a criterion that is not monotone, so
/// that nothing can be pruned: hours of work.
fn endless() -> Folder {
    let columns: Vec<String> = (0..9).map(|at| format!("c{at}")).collect();
    let cell = |row: usize, at: usize| (row * (at + 3) * 7919 % (40 + at)).to_string();
    let row = |row: usize| (0..9).map(|at| cell(row, at)).collect::<Vec<_>>().join(",");
    let rows: String = (0..4000).map(|at| format!("{},{}\n", row(at), at % 9)).collect();
    let quasi = |name: &String| format!("{name} = {{ role = \"quasi\", hierarchy = {{ intervals = [5, 10, 20] }} }}\n");
    let roles: String = columns.iter().map(quasi).collect();
    let plan = format!(
        "[data]\npath = \"data.csv\"\n[columns]\n{roles}s = \"sensitive\"\n\
         [[require]]\ncriterion = \"bayes-optimal\"\nrho1 = 0.2\nrho2 = 0.9\n[method]\nname = \"incognito\"\n"
    );
    Folder::new(&[("data.csv", &format!("{},s\n{rows}", columns.join(","))), ("plan.toml", &plan)])
}

fn start(folder: &Folder) -> Child {
    let mut command = Command::new(SFUMATO);
    command.current_dir(folder.path("")).env("SFUMATO_RECORD", "").args(["publish", "plan.toml", "--out", "release"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn the_interrupt_key_ends_work_at_once_and_leaves_nothing() {
    let folder = endless();
    let before = names(&folder);
    let mut child = start(&folder);
    std::thread::sleep(Duration::from_secs(2));
    assert!(child.try_wait().unwrap().is_none(), "the work is too short for this test");
    let asked = Instant::now();
    interrupt(&child);
    let status = child.wait().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(20), "it took {:?}", asked.elapsed());
    assert_eq!(status.code(), Some(130));
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(told.contains("cancelled: nothing was published"), "{told}");
    assert_eq!(names(&folder), before);
}

#[test]
fn where_nobody_sees_a_line_move_lines_are_written_now_and_then() {
    let folder = endless();
    let mut child = start(&folder);
    std::thread::sleep(Duration::from_secs(14));
    interrupt(&child);
    child.wait().unwrap();
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(told.contains("searching, ") && told.contains(" steps"), "{told}");
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
