//! Calls that fail, disks that are full, folders that vanish, streams that are closed: the right
//! exit code, nothing half written, nothing left behind.

#![cfg(target_os = "linux")]

use crate::support;
use crate::support::SFUMATO;
use crate::support::faults::{
    self, Call, IO, PUBLISH, Run, Scene, State, TARGET, WRITING, cases, has_strace, has_tool, run, some_of, words,
};
use crate::support::publishing::people;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

const BEFORE: [State; 2] = [State::Old, State::Absent];
const USAGE: i32 = 2;
const RESOURCES: i32 = 6;

/// A run that could not write says so with exit code 7 and the name of a file, leaves the target as
/// it was and nothing beside it.
fn assert_refused(scene: &Scene, before: State, ended: &Run, what: &str) {
    assert_told(scene, before, ended, what);
    scene.assert_swept(what);
}

fn assert_told(scene: &Scene, before: State, ended: &Run, what: &str) {
    let told = &ended.stderr;
    assert_eq!(ended.status.code(), Some(IO), "{}, {what}: {told}", scene.name);
    assert!(told.contains("shelf") || told.contains("temp"), "{}, {what} names no file: {told}", scene.name);
    assert!(!told.contains("internal error"), "{}, {what}: {told}", scene.name);
    assert_eq!(scene.state(what), before, "{}, {what}", scene.name);
}

// Each call fails

/// What can go wrong with a call.
fn errors(call: &str) -> &'static [&'static str] {
    match call {
        "write" => &["error=ENOSPC", "error=EIO", "error=EDQUOT", "error=EFBIG", "retval=0"],
        "fsync" | "fdatasync" => &["error=EIO", "error=ENOSPC"],
        "openat" => &["error=EACCES", "error=EMFILE", "error=EROFS"],
        "read" | "getdents64" => &["error=EIO"],
        "flock" => &["error=ENOLCK"],
        _ => &["error=EACCES", "error=EROFS"],
    }
}

/// Lets one call fail. Returns whether that stopped the run.
fn fail_at(scene: &Scene, before: State, call: &Call, error: &str) -> bool {
    scene.prepare(before);
    let ended = scene.publish_with(call, error);
    let what = format!("{error} at {}", call.text);
    assert!(ended.is_hit(), "{}, {what}: the run does not come there", scene.name);
    let is_stopped = !ended.status.success();
    if is_stopped && call.name == "flock" {
        // Whoever has no lock must not remove it: it may be somebody else's. The next run does.
        assert_told(scene, before, &ended, &what);
        assert_eq!(scene.leftovers(), [".out.sfumato-lock"]);
        scene.assert_next_run_publishes(&what);
    } else if is_stopped {
        assert_refused(scene, before, &ended, &what);
    } else {
        assert_eq!(scene.state(&what), State::New, "{}, {what}", scene.name);
        scene.assert_next_run_publishes(&what);
    }
    is_stopped
}

#[test]
fn whatever_call_fails_the_release_appears_whole_or_not_at_all() {
    if !has_strace("failing system calls") {
        return;
    }
    let (mut faults, mut stopped) = (0, 0);
    for scene in Scene::all() {
        let usual = if scene.name == "csv" { 40 } else { 10 };
        for before in BEFORE {
            scene.prepare(before);
            let calls = scene.calls(&WRITING);
            let all = calls.iter().flat_map(|call| errors(&call.name).iter().map(move |error| (call, *error)));
            for (call, error) in some_of(all.collect(), cases(usual)) {
                faults += 1;
                stopped += usize::from(fail_at(&scene, before, call, error));
            }
        }
    }
    eprintln!("{faults} faults, {stopped} of them stopped the run");
    assert!(faults >= 100 && stopped >= faults / 2, "{stopped} of {faults}");
}

/// From a call on, all of that name fail: also those by which the run would clean up.
#[test]
fn a_disk_that_goes_away_for_good_leaves_the_target_as_it_was() {
    if !has_strace("system calls that fail for good") {
        return;
    }
    for (scene, before) in [(Scene::csv(), State::Old), (Scene::transactions(), State::Absent)] {
        scene.prepare(before);
        let calls = scene.calls(&["openat", "fsync", "?mkdir", "renameat2", "unlinkat"]);
        for call in some_of(calls, cases(16)) {
            scene.prepare(before);
            let inject = format!("inject={}:error=EIO:when={}+", call.name, call.nth);
            let ended = scene.publish_under(&["-e", &format!("trace={}", call.name), "-e", &inject]);
            let what = format!("EIO from {} on", call.text);
            let is_expected = matches!(ended.status.code(), Some(0 | IO));
            assert!(is_expected, "{}, {what}: {}", scene.name, ended.stderr);
            let expected = if ended.status.success() { State::New } else { before };
            assert_eq!(scene.state(&what), expected, "{}, {what}", scene.name);
            scene.assert_next_run_publishes(&what);
        }
    }
}

// Limits of the system

#[test]
fn a_limit_on_the_size_of_files_is_an_error_of_writing() {
    for scene in Scene::all() {
        for before in BEFORE {
            scene.prepare(before);
            // The signal is ignored, as it is below many job managers: the write fails instead.
            let limited = format!("trap '' XFSZ; ulimit -f 8; exec {SFUMATO} {PUBLISH}");
            let ended = run(scene.program(&["bash", "-c", &limited]));
            assert_refused(&scene, before, &ended, "files of 8 KB");
        }
    }
}

#[test]
fn the_signal_of_a_limit_on_files_leaves_the_target_as_it_was() {
    const XFSZ: i32 = 25;
    for (scene, before) in [(Scene::csv(), State::Old), (Scene::transactions(), State::Absent)] {
        scene.prepare(before);
        let ended = run(scene.program(&["bash", "-c", &format!("ulimit -c 0 -f 8; exec {SFUMATO} {PUBLISH}")]));
        let is_told = ended.status.code() == Some(IO) && ended.stderr.contains("shelf");
        assert!(is_told || ended.status.signal() == Some(XFSZ), "{:?} {}", ended.status, ended.stderr);
        assert_eq!(scene.state("a signal"), before);
        scene.assert_next_run_publishes("a signal");
    }
}

/// Publishes in a name space of its own after `mount`, and looks at the shelf from there.
fn publish_mounted(scene: &Scene, mount: &str) -> (Run, String) {
    let script = format!(
        "{mount} || exit 99\n{SFUMATO} {PUBLISH}\ncode=$?\nls -A shelf > seen\nls -A shelf/out >> seen 2>&1\nexit $code"
    );
    let ended = run(scene.program(&["unshare", "-m", "bash", "-c", &script]));
    (ended, fs::read_to_string(scene.folder.path("seen")).unwrap_or_default())
}

const MOUNTING: [&str; 5] = ["unshare", "-m", "bash", "-c", "mount -t tmpfs tmpfs /mnt"];

#[test]
fn a_full_file_system_is_an_error_of_writing() {
    if !has_tool(&MOUNTING, "a full file system") {
        return;
    }
    for scene in Scene::all() {
        for size in ["4k", "8k", "16k"] {
            scene.prepare(State::Absent);
            let (ended, seen) = publish_mounted(&scene, &format!("mount -t tmpfs -o size={size} tmpfs shelf"));
            assert_eq!(ended.status.code(), Some(IO), "{}, {size}: {}", scene.name, ended.stderr);
            assert!(ended.stderr.contains("No space left") && ended.stderr.contains("shelf"), "{}", ended.stderr);
            assert!(seen.starts_with("ls: "), "{}, {size}: left behind: {seen}", scene.name);
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_in_is_refused_and_untouched() {
    if !has_tool(&MOUNTING, "a file system that cannot be written") {
        return;
    }
    for scene in Scene::all() {
        for before in BEFORE {
            scene.prepare(before);
            let (ended, _) = publish_mounted(&scene, "mount --bind shelf shelf && mount -o remount,bind,ro shelf");
            assert_refused(&scene, before, &ended, "a read-only file system");
        }
    }
}

// What a run needs goes away

/// Holds a run up in the middle of writing, does something to the shelf, and lets it go on.
fn publish_disturbed(scene: &Scene, disturb: impl Fn()) -> Run {
    let slow = ["strace", "-qq", "-f", "-o", "trace", "-e", "trace=fsync"];
    let delay = ["-e", "inject=fsync:delay_enter=3s:when=1", SFUMATO];
    let child = scene.program(&[&slow[..], &delay, &words(PUBLISH)].concat()).spawn().unwrap();
    let start = Instant::now();
    while staged(scene).is_none() {
        assert!(start.elapsed() < Duration::from_secs(30), "waited in vain");
        thread::sleep(Duration::from_millis(1));
    }
    // A moment, so that it has written a file or two.
    thread::sleep(Duration::from_millis(100));
    disturb();
    let ended = child.wait_with_output().unwrap();
    Run { status: ended.status, stderr: String::from_utf8_lossy(&ended.stderr).into_owned(), trace: String::new() }
}

fn staged(scene: &Scene) -> Option<std::path::PathBuf> {
    let name = scene.leftovers().into_iter().find(|name| !name.ends_with("-lock"))?;
    Some(scene.folder.path("shelf").join(name))
}

#[test]
fn a_private_folder_that_vanishes_stops_the_run() {
    if !has_strace("taking the private folder away from a run") {
        return;
    }
    for scene in [Scene::csv(), Scene::transactions()] {
        for before in BEFORE {
            scene.prepare(before);
            let ended = publish_disturbed(&scene, || fs::remove_dir_all(staged(&scene).unwrap()).unwrap());
            assert_refused(&scene, before, &ended, "the private folder is gone");
        }
    }
}

#[test]
fn a_folder_of_the_target_that_vanishes_stops_the_run() {
    if !has_strace("taking the target's folder away from a run") {
        return;
    }
    for scene in [Scene::csv(), Scene::transactions()] {
        scene.prepare(State::Absent);
        let ended = publish_disturbed(&scene, || fs::remove_dir_all(scene.folder.path("shelf")).unwrap());
        assert_eq!(ended.status.code(), Some(IO), "{}", ended.stderr);
        assert!(!scene.folder.path("shelf").exists(), "the folder came back");
    }
}

// Temporary files

/// A folder whose new plan keeps records in temporary files.
fn spilling() -> Scene {
    let scene = Scene::csv();
    let columns = "name = \"identifier\"\nage = \"quasi\"\njob = \"quasi\"\ndisease = \"sensitive\"\n";
    let criterion = "[[require]]\ncriterion = \"skyline\"\non = \"disease\"\npoints = [{ l = 1, c = \"0.9\" }]\n";
    let method = "[method]\nname = \"skyline-anonymize\"\nmemory = 1\n";
    scene.folder.write("new.toml", format!("[data]\npath = \"data.csv\"\n[columns]\n{columns}{criterion}{method}"));
    scene.folder.write("data.csv", people(120_000));
    scene.prepare(State::Old);
    scene
}

#[test]
fn without_a_folder_for_temporary_files_nothing_is_published() {
    let scene = spilling();
    let missing = scene.folder.path("temp/missing");
    let mut command = scene.command(PUBLISH);
    command.env("TMPDIR", &missing);
    assert_refused(&scene, State::Old, &run(command), "no folder for temporary files");
}

#[test]
fn a_temporary_file_that_cannot_be_written_or_read_stops_the_run() {
    if !has_strace("failing temporary files") {
        return;
    }
    let scene = spilling();
    let seen = scene.publish_under(&["-y", "-e", "trace=write,lseek"]);
    assert_eq!(seen.status.code(), Some(0), "{}", seen.stderr);
    let all: Vec<Call> =
        faults::numbered(&seen.trace).into_iter().filter(|call| call.text.contains("/temp/")).collect();
    for (name, error) in [("write", "ENOSPC"), ("write", "retval=0"), ("lseek", "EIO")] {
        let calls: Vec<Call> = all.iter().filter(|call| call.name == name).cloned().collect();
        assert!(calls.len() > 10, "{name} on temporary files: {}", calls.len());
        for call in some_of(calls, cases(3).min(20)) {
            scene.prepare(State::Old);
            let fault = if error.contains('=') { error.to_string() } else { format!("error={error}") };
            let ended = scene.publish_with(&call, &fault);
            assert!(ended.is_hit() && ended.stderr.contains("temp"), "{}: {}", call.text, ended.stderr);
            assert_refused(&scene, State::Old, &ended, &format!("{fault} at {}", call.text));
        }
    }
}

#[test]
fn no_temporary_file_stays_whatever_the_outcome() {
    let scene = spilling();
    scene.folder.write("infeasible.toml", plan_with("k = 4", "k = 1000000000"));
    scene.folder.write(
        "budget.toml",
        format!("{}[method]\nname = \"optimal\"\nbudget = 1\nseconds = 0\n", plan_with("k = 4", "k = 3")),
    );
    for (plan, code) in [("new.toml", 0), ("infeasible.toml", 4), ("budget.toml", RESOURCES)] {
        if plan == "infeasible.toml" {
            scene.folder.write("data.csv", support::publishing::PATIENTS);
            scene.prepare(State::Old);
        }
        let ended = scene.run(&PUBLISH.replace("new.toml", plan));
        assert_eq!(ended.status.code(), Some(code), "{plan}: {}", ended.stderr);
        scene.assert_swept(plan);
        assert!(code == 0 || scene.state(plan) == State::Old, "{plan}");
    }
}

fn plan_with(old: &str, new: &str) -> String {
    let criterion = "[[require]]\ncriterion = \"k-anonymity\"\nk = 4\n".replace(old, new);
    let columns = support::publishing::COLUMNS;
    format!("[data]\npath = \"data.csv\"\n[columns]\n{columns}{criterion}{}", support::publishing::accepting(columns))
}

/// Where the system gives no more memory the run ends, and what it had begun is swept by the next
/// one.
#[test]
fn without_memory_nothing_is_published() {
    let scene = Scene::csv();
    for before in BEFORE {
        for kilobytes in [12_000, 24_000, 48_000, 96_000] {
            scene.prepare(before);
            let limited = format!("ulimit -c 0 -v {kilobytes}; exec {SFUMATO} {PUBLISH}");
            let ended = run(scene.program(&["bash", "-c", &limited]));
            let what = format!("{kilobytes} KB of memory: {:?} {}", ended.status, ended.stderr);
            let expected = if ended.status.success() { State::New } else { before };
            assert_eq!(scene.state(&what), expected, "{what}");
            scene.assert_next_run_publishes(&what);
        }
    }
}

// Standard output

#[test]
fn a_full_standard_output_is_an_error_and_the_release_is_whole() {
    let scene = Scene::csv();
    for more in ["", " --json"] {
        scene.prepare(State::Old);
        let mut command = scene.command(&format!("{PUBLISH}{more}"));
        command.stdout(fs::File::create("/dev/full").unwrap());
        let ended = run(command);
        assert_eq!(ended.status.code(), Some(IO), "{}", ended.stderr);
        let is_told = ["standard output", "No space left"].iter().all(|part| ended.stderr.contains(part));
        assert!(is_told, "{}", ended.stderr);
        assert_eq!(scene.state("a full standard output"), State::New);
        scene.assert_swept("a full standard output");
    }
    for arguments in ["list --json", "inspect data.csv --json", "init data.csv --out -", "verify known-new --json"] {
        let mut command = scene.command(arguments);
        command.stdout(fs::File::create("/dev/full").unwrap());
        let ended = run(command);
        assert_eq!(ended.status.code(), Some(IO), "{arguments}: {}", ended.stderr);
    }
}

#[test]
fn closed_streams_do_not_disturb_a_release() {
    let scene = Scene::csv();
    for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full"] {
        for more in ["", "--json"] {
            scene.prepare(State::Old);
            let ended = run(scene.program(&["bash", "-c", &format!("exec {SFUMATO} {PUBLISH} {more} {closed}")]));
            assert_eq!(ended.status.code(), Some(0), "{closed}: {}", ended.stderr);
            assert_eq!(scene.state(closed), State::New, "{closed}");
            scene.assert_swept(closed);
        }
    }
}

#[test]
fn a_reader_who_goes_away_does_not_disturb_a_release() {
    let scene = Scene::csv();
    scene.prepare(State::Old);
    let mut command = scene.command(&format!("{PUBLISH} --json"));
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(scene.state("a reader who goes away"), State::New);
}

// The output is the input

/// Refused as a mistake of whoever typed it, before anything is written.
fn assert_nothing_is_written(scene: &Scene, arguments: &str) {
    let before = support::publishing::contents(&scene.folder);
    let ended = scene.run(arguments);
    assert_eq!(ended.status.code(), Some(USAGE), "`{arguments}`: {}", ended.stderr);
    assert!(support::publishing::contents(&scene.folder) == before, "`{arguments}` changed a file");
}

/// A scene on whose shelf is the old release, with names of many sorts that lead to it and to the
/// input.
fn with_links() -> Scene {
    let scene = Scene::csv();
    scene.prepare(State::Old);
    let path = |name: &str| scene.folder.path(name);
    std::os::unix::fs::symlink(path(TARGET), path("link")).unwrap();
    std::os::unix::fs::symlink(path("shelf/out/data.csv"), path("linked.csv")).unwrap();
    std::os::unix::fs::symlink(path("data.csv"), path("input")).unwrap();
    std::os::unix::fs::symlink(path("shelf"), path("shelves")).unwrap();
    scene
}

#[test]
fn a_release_never_takes_the_place_of_what_it_is_made_from() {
    let scene = with_links();
    for data in ["shelf/out/data.csv", "link/data.csv", "linked.csv", "shelves/out/data.csv", "shelf/../linked.csv"] {
        for out in ["shelf/out", "./shelf/out/", "shelves/out", "shelf/../shelf/out", "link"] {
            assert_nothing_is_written(&scene, &format!("publish old.toml --data {data} --out {out} --replace"));
        }
    }
    for out in ["data.csv", "input", "new.toml", "shelf/../data.csv", "shelf/out/data.csv", "shelf/out/deeper", "."] {
        assert_nothing_is_written(&scene, &format!("publish new.toml --out {out} --replace"));
    }
}

#[test]
fn a_plan_or_a_hierarchy_inside_of_the_target_is_kept() {
    let scene = with_links();
    let plan = fs::read_to_string(scene.folder.path("new.toml")).unwrap();
    scene.folder.write("shelf/out/plan.toml", plan.replace("data.csv", "../../data.csv"));
    assert_nothing_is_written(&scene, "publish shelf/out/plan.toml --out shelf/out --replace");
    scene.prepare(State::Old);
    scene.folder.write("shelf/out/sex.csv", "f,*\nm,*\n");
    scene.folder.write(
        "filed.toml",
        plan.replace("sex = \"quasi\"", "sex = { role = \"quasi\", hierarchy = { file = \"shelf/out/sex.csv\" } }"),
    );
    assert_nothing_is_written(&scene, "publish filed.toml --out shelf/out --replace");
    assert!(scene.folder.path("shelf/out/sex.csv").exists());
}

#[test]
fn replacing_a_release_leaves_other_names_of_its_files_alone() {
    let scene = Scene::csv();
    scene.prepare(State::Old);
    let (input, kept) = (scene.folder.path("kept.csv"), fs::read(scene.folder.path("data.csv")).unwrap());
    fs::hard_link(scene.folder.path("data.csv"), &input).unwrap();
    fs::remove_file(scene.folder.path("shelf/out/data.csv")).unwrap();
    fs::hard_link(&input, scene.folder.path("shelf/out/data.csv")).unwrap();
    let ended = scene.run(PUBLISH);
    assert!(matches!(ended.status.code(), Some(0 | USAGE)), "{}", ended.stderr);
    assert!(fs::read(&input).unwrap() == kept && fs::read(scene.folder.path("data.csv")).unwrap() == kept);
}

#[test]
fn pages_and_plans_are_not_written_over_inputs_or_into_releases() {
    let scene = with_links();
    scene.folder.write("table.html", fs::read(scene.folder.path("data.csv")).unwrap());
    std::os::unix::fs::symlink(scene.folder.path("table.html"), scene.folder.path("page.html")).unwrap();
    let skyline = "skyline known-new --plan new.toml --value flu --confidence 0.95 --html";
    for arguments in [
        "publish new.toml --out fresh --internal-report data.csv",
        "publish new.toml --out fresh --internal-report new.toml",
        "publish new.toml --out fresh --internal-report known-old/page.html",
        "publish new.toml --out fresh --internal-report link/page.html",
        "publish new.toml --out fresh --internal-report fresh/page.html",
        "publish new.toml --out shelf/out --replace --internal-report shelf/out/report.html",
        "compare known-old known-new --html known-old/report.html",
        "compare known-old known-new --html data.csv",
        "init data.csv --out data.csv",
        "init data.csv --out new.toml",
        "init data.csv --out input",
        &format!("{skyline} known-new/report.html"),
        &format!("{skyline} new.toml"),
    ] {
        assert_nothing_is_written(&scene, arguments);
    }
}

/// Names that lead to an input or a release: the page gets the name, and what else had it stays as
/// it is.
#[test]
fn nothing_is_written_through_links() {
    let scene = with_links();
    let kept = |name: &str| fs::read(scene.folder.path(name)).unwrap();
    let (data, released) = (kept("data.csv"), kept("known-new/data.csv"));
    let path = |name: &str| scene.folder.path(name);
    for page in ["internal", "comparison", "skyline"] {
        fs::hard_link(path("data.csv"), path(&format!("{page}-hard.html"))).unwrap();
        std::os::unix::fs::symlink(path("known-new/data.csv"), path(&format!("{page}-soft.html"))).unwrap();
    }
    for link in ["hard", "soft"] {
        for arguments in [
            format!("publish new.toml --out fresh-{link} --internal-report internal-{link}.html"),
            format!("compare known-old --html comparison-{link}.html"),
            format!("skyline data.csv --plan new.toml --value flu --confidence 0.95 --html skyline-{link}.html"),
        ] {
            let ended = scene.run(&arguments);
            assert!(matches!(ended.status.code(), Some(0 | USAGE)), "`{arguments}`: {}", ended.stderr);
            assert!(kept("data.csv") == data, "`{arguments}` wrote over the input");
            assert!(kept("known-new/data.csv") == released, "`{arguments}` wrote over a release");
        }
    }
    for out in ["data.csv", "input", "./shelf/../data.csv"] {
        assert_nothing_is_written(&scene, &format!("init data.csv --out {out} --force"));
    }
}

// Nobody is called

#[test]
fn no_command_opens_a_socket() {
    if !has_strace("looking for calls of the network") {
        return;
    }
    for scene in [Scene::csv(), Scene::pair(), Scene::transactions()] {
        let data = if scene.name == "transactions" { "data.dat" } else { "data.csv" };
        for arguments in [
            "publish new.toml --out fresh",
            "verify fresh",
            "keygen key",
            "publish new.toml --out fresh --replace --sign key",
            "verify fresh --key key.pub",
            "attack fresh",
            "check fresh --plan new.toml",
            "compare fresh known-old",
            &format!("inspect {data}"),
            &format!("init {data} --out -"),
            "list",
            "--help",
        ] {
            let strace = ["strace", "-qq", "-f", "-o", "trace", "-e", "trace=%network,exit_group", SFUMATO];
            let ended = run(scene.program(&[&strace[..], &words(arguments)].concat()));
            assert!(matches!(ended.status.code(), Some(0 | 1)), "{}, {arguments}: {}", scene.name, ended.stderr);
            let trace = fs::read_to_string(scene.folder.path("trace")).unwrap();
            assert!(trace.contains("exit_group("), "nothing was seen of `{arguments}`");
            let calls = faults::numbered(&trace);
            let others: Vec<&Call> = calls.iter().filter(|call| call.name != "exit_group").collect();
            assert!(others.is_empty(), "{}, {arguments}: {others:?}", scene.name);
        }
    }
}

// The source of random numbers fails

/// Nothing was published, and nothing is left.
fn assert_as_before(scene: &Scene, before: State, ended: &Run, what: &str) {
    assert!(ended.is_hit() && !ended.status.success(), "{what}: {:?}", ended.status);
    assert_eq!(scene.state(what), before, "{what}");
    scene.assert_swept(what);
}

const NO_ENTROPY: [&str; 4] = ["-e", "trace=getrandom", "-e", "inject=getrandom:error=EIO"];

#[test]
fn without_random_numbers_nothing_is_published() {
    if !has_strace("a source of random numbers that fails") {
        return;
    }
    for scene in [Scene::pair(), Scene::transactions()] {
        for before in BEFORE {
            scene.prepare(before);
            assert_as_before(&scene, before, &scene.publish_under(&NO_ENTROPY), "no random numbers");
        }
    }
}

#[test]
fn without_random_numbers_the_error_is_one_of_resources() {
    if !has_strace("the exit code without random numbers") {
        return;
    }
    for scene in [Scene::csv(), Scene::pair(), Scene::transactions()] {
        scene.prepare(State::Old);
        let ended = scene.publish_under(&NO_ENTROPY);
        assert_eq!(ended.status.code(), Some(RESOURCES), "{}", ended.stderr);
        assert!(ended.stderr.contains("gives no random numbers"), "{}", ended.stderr);
    }
}

/// An old system has a device instead of a call; if there is none either, that is the end.
#[test]
fn without_the_call_and_the_device_for_random_numbers_nothing_is_published() {
    if !has_strace("systems without a call for random numbers") {
        return;
    }
    let scene = Scene::pair();
    scene.prepare(State::Old);
    let no_call = ["-e", "trace=getrandom,openat", "-e", "inject=getrandom:error=ENOSYS"];
    let seen = scene.publish_under(&no_call);
    assert_eq!(seen.status.code(), Some(0), "the device is as good: {}", seen.stderr);
    let calls = faults::numbered(&seen.trace);
    let devices: Vec<&Call> = calls.iter().filter(|call| call.text.contains("random\"")).collect();
    assert!(devices.len() >= 2, "hash tables and defences open a device each: {devices:?}");
    for device in devices {
        scene.prepare(State::Old);
        let no_device = format!("inject=openat:error=ENOENT:when={}", device.nth);
        let ended = scene.publish_under(&[&no_call[..], &["-e", &no_device]].concat());
        assert_as_before(&scene, State::Old, &ended, &device.text);
    }
}

/// Hash tables ask for random numbers as well, and earlier: here only those fail that are a
/// defence.
#[test]
fn a_defence_without_random_numbers_is_an_error_of_resources() {
    if !has_strace("a source of random numbers that fails for a defence") {
        return;
    }
    let scene = Scene::pair();
    for before in BEFORE {
        scene.prepare(before);
        let seen = scene.publish_under(&["-e", "trace=getrandom"]);
        let calls = faults::numbered(&seen.trace).into_iter().filter(|call| call.text.contains(", 32, "));
        let calls: Vec<Call> = calls.collect();
        assert!(calls.len() >= 2, "groups and the order of rows are left to chance: {}", seen.trace);
        for call in calls {
            scene.prepare(before);
            let ended = scene.publish_with(&call, "error=EIO");
            assert!(ended.is_hit(), "{}", call.text);
            assert_eq!(ended.status.code(), Some(RESOURCES), "{}", ended.stderr);
            assert!(ended.stderr.contains("gives no random numbers"), "{}", ended.stderr);
            assert_eq!(scene.state("no random numbers"), before);
            scene.assert_swept("no random numbers");
        }
    }
}
