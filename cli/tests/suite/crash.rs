//! Runs that die: whenever that is, the target is the old release, the new one, or nothing where
//! nothing was; and the next run sweeps what they left.

#![cfg(target_os = "linux")]

use crate::support;
use crate::support::faults::{self, PUBLISH, Run, Scene, State, WRITING, cases, has_strace, mode, some_of, words};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

const BEFORE: [State; 2] = [State::Old, State::Absent];

/// After a run that died, the target is what it was or the new release.
fn assert_old_or_new(scene: &Scene, before: State, what: &str) -> State {
    let after = scene.state(what);
    assert!(after == before || after == State::New, "{}, {what}: {before:?} became {after:?}", scene.name);
    after
}

// At any moment

/// How long the quickest of a few runs takes.
fn quickest(scene: &Scene) -> Duration {
    let time = |_| {
        let start = Instant::now();
        assert_eq!(scene.run(PUBLISH).status.code(), Some(0));
        start.elapsed()
    };
    scene.prepare(State::Old);
    (0..3).map(time).min().unwrap()
}

/// Whether the run was still going on when it was killed.
fn kill_after(scene: &Scene, delay: Duration) -> bool {
    let mut child = scene.command(PUBLISH).spawn().unwrap();
    thread::sleep(delay);
    child.kill().unwrap();
    let ended = child.wait_with_output().unwrap();
    Run { status: ended.status, stderr: String::new(), trace: String::new() }.is_killed()
}

#[test]
fn killed_at_any_moment_the_target_is_old_or_new_and_whole() {
    let scenes = Scene::all();
    let times: Vec<Duration> = scenes.iter().map(quickest).collect();
    let cases = cases(60);
    let (mut killed, mut left) = (0, 0);
    for case in 0..cases {
        let (scene, time) = (&scenes[case % scenes.len()], times[case % scenes.len()]);
        let before = BEFORE[case / scenes.len() % 2];
        scene.prepare(before);
        // Spread over the whole run and a little beyond, in steps that have nothing to do with its
        // own.
        let delay = time.mul_f64(1.2 * ((case as f64 + 0.5) * 0.618_033_988_75).fract());
        let what = format!("killed after {delay:?} of {time:?}");
        killed += usize::from(kill_after(scene, delay));
        assert_old_or_new(scene, before, &what);
        left += usize::from(!scene.leftovers().is_empty());
        scene.assert_next_run_publishes(&what);
    }
    eprintln!("{cases} runs: {killed} killed, {left} of them while writing");
    assert!(killed > cases / 20, "only {killed} of {cases} runs were killed before they ended");
}

// At each call

/// Kills runs before the calls by which they write: so many, spread evenly. Returns how many were
/// killed, and how many left something.
fn kill_at_calls(scene: &Scene, before: State, most: usize) -> (usize, usize) {
    scene.prepare(before);
    let calls = some_of(scene.calls(&WRITING), most);
    let (mut killed, mut left) = (0, 0);
    for call in &calls {
        scene.prepare(before);
        let ended = scene.publish_with(call, "signal=KILL");
        let what = format!("killed at {} {}", call.name, call.text);
        assert!(ended.is_killed() || ended.status.success(), "{}, {what}: {}", scene.name, ended.stderr);
        let after = assert_old_or_new(scene, before, &what);
        assert!(ended.is_killed() || after == State::New, "{}, {what}", scene.name);
        assert_leftovers_are_private(scene, after, &what);
        killed += usize::from(ended.is_killed());
        left += usize::from(!scene.leftovers().is_empty());
        scene.assert_next_run_publishes(&what);
    }
    (killed, left)
}

/// Nobody else reads what a dead run left, unless it is a release: the one that was replaced, or a
/// new one that had passed all tests.
fn assert_leftovers_are_private(scene: &Scene, after: State, what: &str) {
    for name in scene.leftovers() {
        let path = scene.folder.path("shelf").join(&name);
        let is_private = mode(&path) & 0o077 == 0;
        let is_release = || scene.run(&format!("verify shelf/{name}")).status.success();
        assert!(is_private || after == State::New || is_release(), "{}, {what}: {name}", scene.name);
        assert!(path.is_dir() || path.metadata().unwrap().len() == 0, "{}, {what}: {name}", scene.name);
    }
}

#[test]
fn killed_at_each_call_the_target_is_old_or_new_and_whole() {
    if !has_strace("killing runs at each system call") {
        return;
    }
    let (mut killed, mut left) = (0, 0);
    for scene in Scene::all() {
        let usual = if scene.name == "csv" { 24 } else { 7 };
        for before in BEFORE {
            let counts = kill_at_calls(&scene, before, cases(usual));
            killed += counts.0;
            left += counts.1;
        }
    }
    eprintln!("{killed} runs were killed at a call, {left} of them while writing");
    assert!(killed >= 60 && left >= 30, "{killed} killed, {left} left something");
}

#[test]
fn killed_between_data_and_report_neither_is_visible() {
    if !has_strace("killing runs between data and report") {
        return;
    }
    for scene in Scene::all() {
        for before in BEFORE {
            scene.prepare(before);
            let calls = scene.calls(&["openat", "write"]);
            let is_of_report = |text: &str| text.contains("report.html") && !text.contains("O_RDONLY");
            let calls: Vec<_> = calls.into_iter().filter(|call| is_of_report(&call.text)).collect();
            assert!(calls.len() >= 2, "{}: the report is opened and written", scene.name);
            for call in calls {
                scene.prepare(before);
                assert!(scene.publish_with(&call, "signal=KILL").is_killed());
                let leftovers = scene.leftovers();
                let staged = leftovers.iter().find(|name| scene.folder.path("shelf").join(name).is_dir()).unwrap();
                let staged = faults::names(&scene.folder.path("shelf").join(staged)).unwrap();
                let is_data = |name: &String| name.starts_with("data.") || name.starts_with("quasi.");
                assert!(staged.iter().any(is_data), "{}: {staged:?}", scene.name);
                assert_eq!(scene.state("killed between data and report"), before);
            }
            scene.assert_next_run_publishes("killed between data and report");
        }
    }
}

// Together with others

/// Ends a run that was started before, and tells how.
fn end(child: Child) -> Run {
    let ended = child.wait_with_output().unwrap();
    Run { status: ended.status, stderr: String::from_utf8_lossy(&ended.stderr).into_owned(), trace: String::new() }
}

#[test]
fn of_two_runs_at_once_none_mixes_with_the_other() {
    let scenes = [Scene::csv(), Scene::in_format("parquet")];
    let (cases, mut refused) = (cases(16), 0);
    for case in 0..cases {
        let scene = &scenes[case % 2];
        let before = BEFORE[case / 2 % 2];
        let replace = if case / 4 % 2 == 0 { " --replace" } else { "" };
        scene.prepare(before);
        let start =
            |plan: &str| scene.command(&format!("publish {plan}.toml --out shelf/out{replace}")).spawn().unwrap();
        let started = [start("old"), start("new")];
        let ended = started.map(end);
        let done = ended.iter().filter(|run| run.status.success()).count();
        for run in ended.iter().filter(|run| !run.status.success()) {
            let is_busy = run.status.code() == Some(faults::IO) && run.stderr.contains("another run is writing");
            let is_late = run.status.code() == Some(2) && run.stderr.contains("exists already") && replace.is_empty();
            assert!(is_busy || is_late, "{}: {:?} {}", scene.name, run.status, run.stderr);
            refused += usize::from(is_busy);
        }
        let what = "two runs at once";
        let after = scene.state(what);
        match (before, replace) {
            (State::Old, "") => assert_eq!((done, after), (0, State::Old)),
            (_, "") => assert!(done == 1 && after != State::Absent, "{done} runs published, {after:?}"),
            _ => assert!(done >= 1 && after != State::Absent, "{done} runs published, {after:?}"),
        }
        if done == 1 {
            let expected = if ended[0].status.success() { State::Old } else { State::New };
            assert_eq!(after, expected, "what is there is not from the run that said so");
        }
        scene.assert_swept(what);
    }
    eprintln!("{cases} pairs of runs: {refused} refused while the other wrote");
}

#[test]
fn a_run_on_a_target_that_another_run_is_writing_is_refused() {
    if !has_strace("a second run while a first one is held up in the middle of writing") {
        return;
    }
    for scene in [Scene::csv(), Scene::pair(), Scene::transactions()] {
        for before in BEFORE {
            scene.prepare(before);
            let slow = ["strace", "-qq", "-f", "-o", "trace", "-e", "trace=fsync"];
            let delay = ["-e", "inject=fsync:delay_enter=10s:when=1", support::SFUMATO];
            let first = scene.program(&[&slow[..], &delay, &words(PUBLISH)].concat()).spawn().unwrap();
            wait_until(|| scene.leftovers().iter().any(|name| is_private_folder(name)));
            let during = scene.leftovers();
            let second = scene.run(PUBLISH);
            assert_eq!(second.status.code(), Some(faults::IO), "{}: {}", scene.name, second.stderr);
            assert!(second.stderr.contains("shelf/out: another run is writing this release"), "{}", second.stderr);
            assert_eq!(scene.state("during the first run"), before);
            assert_eq!(scene.leftovers(), during, "the second run touched what the first one made");
            for name in during {
                let expected = if is_private_folder(&name) { 0o700 } else { 0o600 };
                assert_eq!(mode(&scene.folder.path("shelf").join(&name)), expected, "{name}");
            }
            assert_eq!(end(first).status.code(), Some(0));
            assert_eq!(scene.state("after the first run"), State::New);
            scene.assert_swept("after the first run");
        }
    }
}

/// Private folders and the lock are all that a run makes beside its target.
fn is_private_folder(name: &str) -> bool {
    !name.ends_with("-lock")
}

fn wait_until(happened: impl Fn() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < Duration::from_secs(30), "waited in vain");
        thread::sleep(Duration::from_millis(1));
    }
}

// What a run must not depend on

#[test]
fn a_killed_run_that_kept_records_in_files_leaves_none() {
    if !has_strace("killing a run that keeps records in temporary files") {
        return;
    }
    let scene = faults::Scene::csv();
    scene.folder.write("data.csv", support::publishing::people(120_000));
    scene.folder.write("new.toml", spilling_plan());
    scene.prepare(State::Old);
    let seen = scene.publish_under(&["-y", "-e", "trace=openat,?unlink,unlinkat,lseek,write"]);
    assert_eq!(seen.status.code(), Some(0), "{}", seen.stderr);
    scene.assert_swept("records in files");
    let calls: Vec<_> = faults::numbered(&seen.trace).into_iter().filter(|call| call.text.contains("/temp")).collect();
    assert!(calls.len() > 20, "records are kept in files: {}", calls.len());
    // The first ones make the file.
    let calls = calls.iter().take(6).cloned().chain(some_of(calls.clone(), cases(6).min(40)));
    for call in calls {
        scene.prepare(State::Old);
        let ended = scene.publish_with(&call, "signal=KILL");
        assert!(ended.is_killed(), "{}: {}", call.text, ended.stderr);
        assert_eq!(scene.state(&call.text), State::Old);
        assert_eq!(faults::names(&scene.folder.path("temp")).unwrap(), [""; 0], "killed at {}", call.text);
    }
}

fn spilling_plan() -> String {
    let columns = "name = \"identifier\"\nage = \"quasi\"\njob = \"quasi\"\ndisease = \"sensitive\"\n";
    let criterion = "[[require]]\ncriterion = \"skyline\"\non = \"disease\"\npoints = [{ l = 1, c = \"0.9\" }]\n";
    let method = "[method]\nname = \"skyline-anonymize\"\nmemory = 1\n";
    format!("[data]\npath = \"data.csv\"\n[columns]\n{columns}{criterion}{method}")
}
