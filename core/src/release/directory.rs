//! A release directory that appears whole or not at all.
//!
//! Files are written into a private folder beside the target. Only when all of them are on disk
//! does that folder take the target's name, in one step where the system has such a step. Whatever
//! stops a run before that moment leaves the target as it was, and the next run on the same target
//! sweeps what the dead one left beside it.

use crate::error::{Error, Fault, Result};
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The file that makes a folder a release: no other folder is ever replaced.
pub const CERTIFICATE: &str = "certificate.json";

/// Follows the target's name in the names of all that is beside it: the lock, the private folder, a
/// release moved aside.
const MARK: &str = ".sfumato-";
const LOCK: &str = "lock";
const ASIDE: &str = "old";
/// Length of the part that tells private folders of one target apart.
const TAG_DIGITS: usize = 16;

/// Refuses a target that cannot be written, before anybody has worked for it; [`Staging::begin`]
/// looks again. An empty folder is as good as none.
pub fn check_target(target: &Path, replace: bool) -> Result<()> {
    if fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none()) {
        return Ok(());
    }
    Location::resolve(target)?.occupied(replace).map(|_| ())
}

/// A private folder beside the target that nobody reads yet; removed when dropped, unless
/// committed.
///
/// ```
/// use sfumato::release::directory::Staging;
///
/// let folder = tempfile::tempdir().unwrap();
/// let target = folder.path().join("release");
/// let staging = Staging::begin(&target, false, &[])?;
/// std::fs::write(staging.path().join("certificate.json"), "{}").unwrap();
/// assert!(!target.exists());
/// staging.commit()?;
/// assert!(target.join("certificate.json").exists());
/// # Ok::<(), sfumato::Error>(())
/// ```
#[derive(Debug)]
pub struct Staging {
    place: Location,
    folder: PathBuf,
    replace: bool,
    // Given up last, when nothing is left beside the target.
    _lock: Lock,
}

/// What runs of this process have not committed: private folders with their locks; and whether one
/// has committed.
struct Unfinished {
    list: Vec<(PathBuf, PathBuf)>,
    committed: bool,
}

/// Held while something is committed, so that nobody ends the process in the middle of it.
static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished { list: Vec::new(), committed: false });

fn unfinished() -> MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prepares this process to exit without unwinding: removes what its runs have not committed, and
/// lets none begin to. Returns `false`, and does nothing, if one has committed: then there is a
/// release to report.
pub fn abandon() -> bool {
    let unfinished = unfinished();
    if unfinished.committed {
        return false;
    }
    for (folder, lock) in &unfinished.list {
        // Whoever writes there may make a file while others are removed.
        (0..100).take_while(|_| fs::remove_dir_all(folder).is_err() && folder.exists()).for_each(drop);
        let _ = fs::remove_file(lock);
    }
    // Whoever is about to begin or to commit waits for the end.
    std::mem::forget(unfinished);
    true
}

impl Staging {
    /// Locks the target's name against other runs, sweeps what dead runs left, and makes the
    /// folder.
    ///
    /// `inputs` are the files this run reads: none may be the target or lie in it. Fails if the
    /// target exists, unless it is a release and `replace` is set; if the folder it is to be in
    /// does not exist; and if another run is writing it.
    pub fn begin(target: &Path, replace: bool, inputs: &[PathBuf]) -> Result<Staging> {
        let place = Location::resolve(target)?;
        let inputs = resolve_inputs(inputs)?;
        place.refuse_inputs(&place.target, &inputs)?;
        place.occupied(replace)?;

        // Refusals so far have written nothing. From here on, nobody else touches what is beside
        // the target.
        let lock = Lock::take(&place)?;
        place.tidy(&inputs)?;
        // The target may have come back from aside, or somebody may have made it a moment ago.
        place.occupied(replace)?;
        let folder = place.unused_sibling();
        unfinished().list.push((folder.clone(), lock.path.clone()));
        let staging = Staging { place, folder, replace, _lock: lock };
        make_private_folder(&staging.folder).map_err(|error| staging.place.failed(&error))?;
        Ok(staging)
    }

    /// The folder to write files into. It may hold plain files only, one of them the
    /// [`CERTIFICATE`].
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Makes everything durable and readable as files usually are, and gives the folder the
    /// target's name. After an error the target is as it was.
    pub fn commit(self) -> Result<()> {
        self.commit_on(&System {
            rename_at_once: &rename_at_once,
            rename: &|from, to| fs::rename(from, to),
            sync: &sync,
        })
    }

    fn commit_on(self, system: &System) -> Result<()> {
        let mut unfinished = unfinished();
        let committed = self.commit_alone(system);
        unfinished.committed |= committed.is_ok();
        committed
    }

    fn commit_alone(&self, system: &System) -> Result<()> {
        self.settle(system)?;
        let previous = self.take_place(system)?;
        if let Err(error) = (system.sync)(&self.place.parent) {
            self.step_back(previous, system);
            return Err(self.place.failed(&error));
        }
        // The release is in its place: what is left to do is cleaning, and the next run does what
        // fails here.
        if let Previous::Aside = previous {
            let _ = (system.rename)(&self.place.sibling(ASIDE), &self.folder);
        }
        Ok(())
    }

    /// Makes files and folder readable as if they had been made the usual way, and durable.
    fn settle(&self, system: &System) -> Result<()> {
        if !is_release(&self.folder).map_err(|error| Error::io(&error, &self.folder))? {
            let message = format!("a release consists of plain files and has a {CERTIFICATE}");
            return Err(Error::new(Fault::Internal, message).file(&self.place.shown));
        }
        let settle = || {
            let mode = usual_mode(&self.folder)?;
            for entry in fs::read_dir(&self.folder)? {
                let path = entry?.path();
                set_mode(&path, mode & 0o666)?;
                (system.sync)(&path)?;
            }
            set_mode(&self.folder, mode)?;
            (system.sync)(&self.folder)
        };
        settle().map_err(|error| self.place.failed(&error))
    }

    /// Gives the folder the target's name.
    fn take_place(&self, system: &System) -> Result<Previous> {
        let occupied = self.place.occupied(self.replace)?;
        match (system.rename_at_once)(&self.folder, &self.place.target, occupied) {
            Ok(()) if occupied => Ok(Previous::InFolder),
            Ok(()) => Ok(Previous::None),
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                self.take_place_in_steps(occupied, system).map_err(|error| self.place.failed(&error))
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(self.place.taken()),
            Err(error) => Err(self.place.failed(&error)),
        }
    }

    /// The portable way. A run that dies between the steps leaves the old release aside, and the
    /// next run brings it back.
    fn take_place_in_steps(&self, occupied: bool, system: &System) -> io::Result<Previous> {
        let (target, aside) = (&self.place.target, self.place.sibling(ASIDE));
        if !occupied {
            return (system.rename)(&self.folder, target).map(|()| Previous::None);
        }
        (system.rename)(target, &aside)?;
        match (system.rename)(&self.folder, target) {
            Ok(()) => Ok(Previous::Aside),
            Err(error) => {
                let _ = fs::rename(&aside, target);
                Err(error)
            }
        }
    }

    /// Undoes [`Staging::take_place`] as far as possible: the error that made it necessary is the
    /// one to report.
    fn step_back(&self, previous: Previous, system: &System) {
        let (folder, target) = (&self.folder, &self.place.target);
        let _ = match previous {
            Previous::None => fs::rename(target, folder),
            Previous::InFolder => (system.rename_at_once)(folder, target, true),
            Previous::Aside => fs::rename(target, folder).and_then(|()| fs::rename(self.place.sibling(ASIDE), target)),
        };
    }
}

impl Drop for Staging {
    /// Removes what has the private name now: files that were not committed, the release that was
    /// replaced, or nothing.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
        unfinished().list.retain(|(folder, _)| *folder != self.folder);
    }
}

/// Where the release that was replaced is.
#[derive(Clone, Copy)]
enum Previous {
    None,
    InFolder,
    Aside,
}

/// The calls a commit consists of, so that tests can make each of them fail.
struct System<'a> {
    /// From, to, and whether there is something to change places with; `Unsupported` asks for the
    /// portable way.
    rename_at_once: &'a dyn Fn(&Path, &Path, bool) -> io::Result<()>,
    rename: &'a dyn Fn(&Path, &Path) -> io::Result<()>,
    sync: &'a dyn Fn(&Path) -> io::Result<()>,
}

/// A target and what is beside it.
#[derive(Debug)]
struct Location {
    /// The target as the user wrote it: for messages.
    shown: PathBuf,
    /// The folder of the target, free of links and independent of the working directory.
    parent: PathBuf,
    target: PathBuf,
    /// What names of siblings made by runs on this target begin with.
    prefix: OsString,
}

impl Location {
    fn resolve(shown: &Path) -> Result<Location> {
        let refused = |message: &str| Error::plan(message).file(shown).help("name a folder that is to be made");
        let name = shown.file_name().ok_or_else(|| refused("is not the name of a folder"))?;
        if is_reserved(name) {
            return Err(refused("has a name that is kept for folders in the making"));
        }
        let above = match shown.parent() {
            Some(above) if !above.as_os_str().is_empty() => above,
            _ => Path::new("."),
        };
        let parent = fs::canonicalize(above).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::new(Fault::Io, "no such folder").file(above).help("make it first"),
            _ => Error::io(&error, above),
        })?;
        if !parent.is_dir() {
            return Err(Error::plan("is not a folder").file(above).help("name a folder to write the release in"));
        }
        let mut prefix = OsString::from(".");
        prefix.push(name);
        prefix.push(MARK);
        Ok(Location { shown: shown.to_owned(), target: parent.join(name), parent, prefix })
    }

    fn sibling(&self, tag: &str) -> PathBuf {
        let mut name = self.prefix.clone();
        name.push(tag);
        self.parent.join(name)
    }

    /// A name for a private folder. Whoever holds the lock is alone with it: time and process tell
    /// it from leftovers.
    fn unused_sibling(&self) -> PathBuf {
        let time = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.subsec_nanos());
        self.sibling(&format!("{:08x}{time:08x}", std::process::id()))
    }

    /// Whether there is a release to be replaced; an error if anything else is in the way.
    fn occupied(&self, replace: bool) -> Result<bool> {
        if look_up(&self.target).map_err(|error| self.failed(&error))?.is_none() {
            return Ok(false);
        }
        if !is_release(&self.target).map_err(|error| self.failed(&error))? {
            let message = "exists and is not a release directory, so it is not replaced";
            return Err(Error::plan(message).file(&self.shown).help("choose another --out, or move it away"));
        }
        if replace { Ok(true) } else { Err(self.taken()) }
    }

    /// Refuses a `path` that would be replaced or removed together with an input, and one inside an
    /// input.
    fn refuse_inputs(&self, path: &Path, inputs: &[PathBuf]) -> Result<()> {
        match inputs.iter().find(|input| is_within(input, path) || is_within(path, input)) {
            None => Ok(()),
            Some(input) => {
                let message = format!("cannot be written, because this run reads {}", input.display());
                Err(Error::plan(message).file(&self.shown).help("choose another --out"))
            }
        }
    }

    /// Brings back a release that was moved aside by a run that died before it put the new one in
    /// its place, and removes everything else that dead runs left. Only for the holder of the lock.
    fn tidy(&self, inputs: &[PathBuf]) -> Result<()> {
        let tidy = || {
            let aside = self.sibling(ASIDE);
            if look_up(&aside)?.is_some() {
                // What is to be removed loses its special name first, so that no half of a release
                // is ever brought back.
                let lost = look_up(&self.target)?.is_none();
                fs::rename(&aside, if lost { self.target.clone() } else { self.unused_sibling() })?;
            }
            self.leftovers()?.iter().try_for_each(fs::remove_dir_all)
        };
        let leftovers = self.leftovers().map_err(|error| self.failed(&error))?;
        leftovers.iter().try_for_each(|leftover| self.refuse_inputs(leftover, inputs))?;
        self.refuse_inputs(&self.sibling(ASIDE), inputs)?;
        let help = format!("remove {}* by hand", self.sibling("").display());
        tidy().map_err(|error| self.failed(&error).help(help))
    }

    /// Private folders of runs on this target.
    fn leftovers(&self) -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.parent)? {
            let entry = entry?;
            let name = entry.file_name();
            let tag = name.as_encoded_bytes().strip_prefix(self.prefix.as_encoded_bytes());
            if tag.is_some_and(is_tag) && entry.file_type()?.is_dir() {
                found.push(entry.path());
            }
        }
        Ok(found)
    }

    fn taken(&self) -> Error {
        let help = "choose another --out, or replace it with --replace";
        Error::plan("exists already").file(&self.shown).help(help)
    }

    fn busy(&self) -> Error {
        let help = "wait until it has ended, or choose another --out";
        Error::new(Fault::Io, "another run is writing this release").file(&self.shown).help(help)
    }

    fn failed(&self, error: &io::Error) -> Error {
        match error.kind() {
            ErrorKind::InvalidFilename => {
                Error::plan("the name is too long or not allowed here").file(&self.shown).help("choose another --out")
            }
            _ => Error::io(error, &self.shown),
        }
    }
}

/// The lock on a target's name. The system gives it up when the process dies, however it dies.
#[derive(Debug)]
struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    fn take(place: &Location) -> Result<Lock> {
        let path = place.sibling(LOCK);
        // A few rounds: each time another run may have ended between our opening its file and our
        // locking it.
        for _ in 0..100 {
            let found = look_up(&path).map_err(|error| place.failed(&error))?;
            if found.is_some_and(|found| !found.is_file() || found.len() > 0) {
                return Err(Error::plan("is in the way").file(&path).help("move it away, or choose another --out"));
            }
            let file = open_private_file(&path).map_err(|error| place.failed(&error))?;
            match file.try_lock() {
                Ok(()) if still_names(&path, &file) => return Ok(Lock { path, _file: file }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(place.busy()),
                Err(TryLockError::Error(error)) => return Err(place.failed(&error)),
            }
        }
        Err(place.busy())
    }
}

impl Drop for Lock {
    /// The file goes while its lock is held: whoever has opened it finds that it is gone, and
    /// begins again. Where that cannot be found out, it stays.
    fn drop(&mut self) {
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Inputs as they are reached: the files themselves, and links that lead to them.
fn resolve_inputs(inputs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut resolved = Vec::new();
    for input in inputs {
        resolved.push(fs::canonicalize(input).map_err(|error| Error::io(&error, input))?);
        if let (Some(folder), Some(name)) = (input.parent(), input.file_name()) {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            resolved.extend(fs::canonicalize(folder).map(|folder| folder.join(name)));
        }
    }
    Ok(resolved)
}

/// Whether a folder is a release: a certificate among plain files, and nothing that a release never
/// has.
fn is_release(folder: &Path) -> io::Result<bool> {
    if !look_up(folder)?.is_some_and(|found| found.is_dir()) {
        return Ok(false);
    }
    let mut certified = false;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_file() {
            return Ok(false);
        }
        certified |= entry.file_name() == CERTIFICATE;
    }
    Ok(certified)
}

/// What has this name, if anything has; a link is itself, not what it leads to.
fn look_up(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether `path` is `folder` or somewhere in it.
fn is_within(path: &Path, folder: &Path) -> bool {
    path.ancestors().any(|step| step == folder || is_same(step, folder))
}

/// Whether the last part of a sibling's name is that of a private folder.
fn is_tag(tag: &[u8]) -> bool {
    tag.len() == TAG_DIGITS && tag.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a run on another target could take a folder of this name for its own leftover.
fn is_reserved(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let tag = name.rsplit_once(MARK).map(|(_, tag)| tag);
    name.starts_with('.') && tag.is_some_and(|tag| tag == LOCK || tag == ASIDE || is_tag(tag.as_bytes()))
}

/// Makes what a path names durable. Some systems and file systems cannot do that for folders.
fn sync(path: &Path) -> io::Result<()> {
    let folder = path.is_dir();
    if folder && !cfg!(unix) {
        return Ok(());
    }
    match File::options().read(true).write(!cfg!(unix)).open(path)?.sync_all() {
        Err(error) if folder && matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

/// Renames to a name that nothing has, or lets two folders change places.
#[cfg(target_os = "linux")]
fn rename_at_once(from: &Path, to: &Path, occupied: bool) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    let flags = if occupied { RenameFlags::EXCHANGE } else { RenameFlags::NOREPLACE };
    renameat_with(CWD, from, CWD, to, flags).map_err(|error| match error {
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => ErrorKind::Unsupported.into(),
        other => other.into(),
    })
}

#[cfg(not(target_os = "linux"))]
fn rename_at_once(_: &Path, _: &Path, _: bool) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(unix)]
use unix::*;

/// What only Unix has: modes, and numbers by which a file is recognized under any name.
#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};

    pub fn make_private_folder(path: &Path) -> io::Result<()> {
        DirBuilder::new().mode(0o700).create(path)
    }

    pub fn open_private_file(path: &Path) -> io::Result<File> {
        File::options().create(true).truncate(false).write(true).mode(0o600).open(path)
    }

    /// The mode that folders get when nothing is asked for: found by making one, because asking for
    /// the mask would change it for all threads.
    pub fn usual_mode(folder: &Path) -> io::Result<u32> {
        let probe = folder.join(MARK);
        fs::create_dir(&probe)?;
        let mode = fs::metadata(&probe)?.mode();
        fs::remove_dir(&probe)?;
        Ok(mode & 0o7777 | 0o700)
    }

    pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }

    fn identity(found: fs::Metadata) -> (u64, u64) {
        (found.dev(), found.ino())
    }

    pub fn is_same(one: &Path, other: &Path) -> bool {
        match (fs::metadata(one), fs::metadata(other)) {
            (Ok(one), Ok(other)) => identity(one) == identity(other),
            _ => false,
        }
    }

    pub fn still_names(path: &Path, file: &File) -> bool {
        match (fs::symlink_metadata(path), file.metadata()) {
            (Ok(named), Ok(open)) => identity(named) == identity(open),
            _ => false,
        }
    }
}

#[cfg(not(unix))]
use other::*;

/// Systems where permissions come from the folder above.
#[cfg(not(unix))]
mod other {
    use super::*;

    pub fn make_private_folder(path: &Path) -> io::Result<()> {
        DirBuilder::new().create(path)
    }

    pub fn open_private_file(path: &Path) -> io::Result<File> {
        File::options().create(true).truncate(false).write(true).open(path)
    }

    pub fn usual_mode(_: &Path) -> io::Result<u32> {
        Ok(0)
    }

    pub fn set_mode(_: &Path, _: u32) -> io::Result<()> {
        Ok(())
    }

    pub fn is_same(one: &Path, other: &Path) -> bool {
        matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
    }

    pub fn still_names(_: &Path, _: &File) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::collections::BTreeSet;
    use std::process::Command;
    use tempfile::{TempDir, tempdir};

    fn fill(staging: &Staging, content: &str) {
        for name in ["data.csv", CERTIFICATE, "report.html"] {
            fs::write(staging.path().join(name), content).unwrap();
        }
    }

    fn publish(target: &Path, replace: bool, content: &str) -> Result<()> {
        let staging = Staging::begin(target, replace, &[])?;
        fill(&staging, content);
        staging.commit()
    }

    /// What is in a folder, apart from the lock where it stays.
    fn names(folder: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| cfg!(unix) || !name.ends_with(".sfumato-lock")).collect()
    }

    /// The release is there, whole and of one run, and nothing is beside it.
    fn check_only(folder: &Path, target: &str, content: &str) {
        assert_eq!(names(folder), BTreeSet::from([target.to_string()]));
        check_whole(&folder.join(target), content);
    }

    fn check_whole(target: &Path, content: &str) {
        let expected = ["data.csv", CERTIFICATE, "report.html"].map(str::to_string);
        assert_eq!(names(target), BTreeSet::from(expected.clone()));
        for name in expected {
            assert_eq!(fs::read_to_string(target.join(name)).unwrap(), content);
        }
    }

    /// A folder with a release "out" in it.
    fn with_release() -> (TempDir, PathBuf) {
        let folder = tempdir().unwrap();
        let target = folder.path().join("out");
        publish(&target, false, "old").unwrap();
        (folder, target)
    }

    fn check_refused(result: Result<Staging>, fault: Fault, message: &str) {
        let error = result.unwrap_err();
        assert_eq!(error.fault(), fault, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }

    #[test]
    fn a_new_release_appears_whole() {
        let folder = tempdir().unwrap();
        let target = folder.path().join("out");
        let staging = Staging::begin(&target, false, &[]).unwrap();
        fill(&staging, "new");
        assert!(!target.exists());
        staging.commit().unwrap();
        check_only(folder.path(), "out", "new");
    }

    #[test]
    fn without_commit_nothing_is_left() {
        let folder = tempdir().unwrap();
        let staging = Staging::begin(&folder.path().join("out"), false, &[]).unwrap();
        fill(&staging, "new");
        drop(staging);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn an_existing_release_is_kept_unless_asked() {
        let (folder, target) = with_release();
        check_refused(Staging::begin(&target, false, &[]), Fault::Plan, "exists already\n  help: choose another --out");
        check_only(folder.path(), "out", "old");
    }

    #[test]
    fn the_old_release_stays_until_the_new_one_is_there() {
        let (folder, target) = with_release();
        let staging = Staging::begin(&target, true, &[]).unwrap();
        fill(&staging, "new");
        check_whole(&target, "old");
        staging.commit().unwrap();
        check_only(folder.path(), "out", "new");
        publish(&folder.path().join("fresh"), true, "new").unwrap(); // nothing to replace is no obstacle
        check_whole(&folder.path().join("fresh"), "new");
    }

    #[test]
    fn a_folder_of_somebody_else_is_never_replaced() {
        let folder = tempdir().unwrap();
        let path = |name| folder.path().join(name);
        fs::create_dir(path("empty")).unwrap();
        fs::create_dir_all(path("home/photos")).unwrap();
        fs::write(path("home").join(CERTIFICATE), "{}").unwrap();
        fs::write(path("file"), "text").unwrap();
        let before = names(folder.path());
        for name in ["empty", "home", "file"] {
            for replace in [false, true] {
                check_refused(Staging::begin(&path(name), replace, &[]), Fault::Plan, "not a release");
            }
        }
        assert_eq!(names(folder.path()), before);
        assert!(path("home/photos").exists());
    }

    #[test]
    fn what_changes_during_the_run_is_not_overwritten() {
        let folder = tempdir().unwrap();
        let target = folder.path().join("out");
        for replace in [false, true] {
            let staging = Staging::begin(&target, replace, &[]).unwrap();
            fill(&staging, "new");
            fs::create_dir(&target).unwrap();
            assert_eq!(staging.commit().unwrap_err().fault(), Fault::Plan);
            assert!(names(&target).is_empty());
            fs::remove_dir(&target).unwrap();
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_taken_at_the_last_moment_is_not_overwritten() {
        let folder = tempdir().unwrap();
        let taken = rename_at_once(folder.path(), folder.path(), false).unwrap_err();
        assert_eq!(taken.kind(), ErrorKind::AlreadyExists);
    }

    #[test]
    fn leftovers_of_dead_runs_are_swept_and_nothing_else() {
        let folder = tempdir().unwrap();
        let made = [".out.sfumato-0123456789abcdef/data", ".out.sfumato-aaaaaaaaaaaaaaaa"];
        let kept = [".out.sfumato-notes", ".outer.sfumato-0123456789abcdef", ".out.sfumato-x.sfumato-0123456789abcdef"];
        for name in made.iter().chain(&kept) {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join(".out.sfumato-lock"), "").unwrap();
        drop(Staging::begin(&folder.path().join("out"), false, &[]).unwrap());
        assert_eq!(names(folder.path()), BTreeSet::from(kept.map(str::to_string)));
    }

    #[test]
    fn the_second_of_two_runs_refuses() {
        let (folder, target) = with_release();
        let first = Staging::begin(&target, true, &[]).unwrap();
        fill(&first, "first");
        check_refused(Staging::begin(&target, true, &[]), Fault::Io, "another run is writing this release");
        assert!(first.path().join("data.csv").exists());
        drop(first);
        publish(&target, true, "second").unwrap();
        check_only(folder.path(), "out", "second");
    }

    #[test]
    fn of_many_runs_at_once_each_is_whole_or_refused() {
        let (folder, target) = with_release();
        let run = |name: usize| (0..50).filter(|_| publish(&target, true, &name.to_string()).is_ok()).count();
        let done: usize = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..4).map(|name| scope.spawn(move || run(name))).collect();
            runs.into_iter().map(|run| run.join().unwrap()).sum()
        });
        assert!(done > 0);
        let content = fs::read_to_string(target.join("data.csv")).unwrap();
        check_only(folder.path(), "out", &content);
    }

    #[test]
    fn an_input_is_never_in_the_target() {
        let (folder, target) = with_release();
        let input = target.join("data.csv");
        let refused = |target: &Path, input: &Path| {
            check_refused(Staging::begin(target, true, &[input.to_owned()]), Fault::Plan, "this run reads");
        };
        refused(&target, &input); // holds it
        refused(&input, &input); // is it
        refused(&folder.path().join("new"), folder.path()); // is inside it
        refused(&target.join("../out/./"), &input);
        check_only(folder.path(), "out", "old");

        // A new folder beside the input is the normal case.
        let beside = folder.path().join("patients.csv");
        fs::write(&beside, "data").unwrap();
        drop(Staging::begin(&folder.path().join("new"), false, &[beside.clone(), input.clone()]).unwrap());
        drop(Staging::begin(&target, true, &[beside]).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn an_input_is_recognized_through_links() {
        use std::os::unix::fs::symlink;
        let (folder, target) = with_release();
        let path = |name| folder.path().join(name);
        symlink(&target, path("link")).unwrap();
        symlink(target.join("data.csv"), path("linked.csv")).unwrap();
        symlink(folder.path(), path("folder")).unwrap();
        let before = names(folder.path());
        for shown in ["out", "link", "folder/out", "folder/link"] {
            for input in ["out/data.csv", "link/data.csv", "linked.csv", "folder/link/data.csv"] {
                let staging = Staging::begin(&path(shown), true, &[path(input)]);
                check_refused(staging, Fault::Plan, "this run reads");
            }
        }
        // A link in place of the target is nobody's release, and neither is a folder with links.
        check_refused(Staging::begin(&path("link"), true, &[]), Fault::Plan, "not a release");
        assert_eq!(names(folder.path()), before);
        symlink(path("elsewhere"), target.join("more")).unwrap();
        check_refused(Staging::begin(&target, true, &[]), Fault::Plan, "not a release");
    }

    #[test]
    fn an_input_among_leftovers_is_kept() {
        let folder = tempdir().unwrap();
        for name in [".out.sfumato-0123456789abcdef", ".out.sfumato-old"] {
            let input = folder.path().join(name).join("data.csv");
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(&input, "data").unwrap();
            let staging = Staging::begin(&folder.path().join("out"), false, std::slice::from_ref(&input));
            check_refused(staging, Fault::Plan, "this run reads");
            assert!(input.exists());
            fs::remove_dir_all(folder.path().join(name)).unwrap();
        }
        let input = folder.path().join(".out.sfumato-lock");
        fs::write(&input, "data").unwrap();
        check_refused(Staging::begin(&folder.path().join("out"), false, &[]), Fault::Plan, "in the way");
        assert!(input.exists());
    }

    #[test]
    fn names_of_all_sorts_work() {
        let folder = tempdir().unwrap();
        for name in ["two words", "Veröffentlichung ☂", ".hidden", "out.d", "-", "a.sfumato-lock"] {
            publish(&folder.path().join(name), false, name).unwrap();
            check_whole(&folder.path().join(name), name);
        }
        publish(&folder.path().join("slash/"), false, "slash").unwrap();
        publish(&folder.path().join("./dot/."), false, "dot").unwrap();
        publish(&folder.path().join("dot/../up"), false, "up").unwrap();
        for name in ["slash", "dot", "up"] {
            check_whole(&folder.path().join(name), name);
        }
    }

    #[test]
    fn relative_targets_are_in_the_working_directory() {
        let here = fs::canonicalize(".").unwrap();
        for shown in ["out", "./out", "./out/", "out/."] {
            assert_eq!(Location::resolve(shown.as_ref()).unwrap().target, here.join("out"), "{shown}");
        }
    }

    #[test]
    fn targets_without_a_usable_name_are_refused() {
        let folder = tempdir().unwrap();
        for shown in
            ["/", "..", ".", "", "a/..", ".out.sfumato-lock", ".out.sfumato-old", ".o.sfumato-0123456789abcdef"]
        {
            check_refused(Staging::begin(shown.as_ref(), false, &[]), Fault::Plan, "name a folder that is to be made");
        }
        check_refused(Staging::begin(&folder.path().join("x".repeat(240)), false, &[]), Fault::Plan, "too long");
        let file = folder.path().join("file");
        fs::write(&file, "text").unwrap();
        check_refused(Staging::begin(&file.join("out"), false, &[]), Fault::Plan, "is not a folder");
        let missing = folder.path().join("missing/out");
        check_refused(Staging::begin(&missing, false, &[]), Fault::Io, "no such folder\n  help: make it first");
        assert_eq!(names(folder.path()), BTreeSet::from(["file".to_string()]));
    }

    #[cfg(unix)]
    #[test]
    fn private_until_committed_then_as_usual() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = tempdir().unwrap();
        let target = folder.path().join("out");
        let staging = Staging::begin(&target, false, &[]).unwrap();
        fill(&staging, "new");
        set_mode(&staging.path().join("data.csv"), 0o600).unwrap();
        assert_eq!(mode(staging.path()), 0o700);
        assert_eq!(mode(&folder.path().join(".out.sfumato-lock")), 0o600);
        staging.commit().unwrap();

        fs::create_dir(folder.path().join("usual")).unwrap();
        fs::write(folder.path().join("usual/file"), "").unwrap();
        assert_eq!(mode(&target), mode(&folder.path().join("usual")));
        assert_eq!(mode(&target.join("data.csv")), mode(&folder.path().join("usual/file")));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_cannot_be_written_in_is_an_io_error() {
        let folder = tempdir().unwrap();
        set_mode(folder.path(), 0o500).unwrap();
        if fs::write(folder.path().join("probe"), "").is_ok() {
            return; // permissions do not bind the superuser
        }
        check_refused(Staging::begin(&folder.path().join("out"), false, &[]), Fault::Io, "check permissions");
        set_mode(folder.path(), 0o700).unwrap();
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn what_is_not_a_release_is_not_committed() {
        let folder = tempdir().unwrap();
        let staging = Staging::begin(&folder.path().join("out"), false, &[]).unwrap();
        fs::write(staging.path().join("data.csv"), "data").unwrap();
        assert_eq!(staging.commit().unwrap_err().fault(), Fault::Internal);
        assert!(names(folder.path()).is_empty());
    }

    /// Commits with a `trouble` before every call of the system; in steps if the system is to have
    /// no better way.
    fn commit_in_trouble(staging: Staging, in_steps: bool, trouble: &dyn Fn() -> io::Result<()>) -> Result<()> {
        staging.commit_on(&System {
            rename_at_once: &|from, to, occupied| {
                if in_steps {
                    return Err(ErrorKind::Unsupported.into());
                }
                trouble().and_then(|()| rename_at_once(from, to, occupied))
            },
            rename: &|from, to| trouble().and_then(|()| fs::rename(from, to)),
            sync: &|path| trouble().and_then(|()| sync(path)),
        })
    }

    /// Every combination of a new or replaced target, and of renaming at once or in steps.
    const WAYS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

    #[test]
    fn a_failing_call_leaves_everything_as_it_was() {
        for (replace, in_steps) in WAYS {
            let mut failures = 0;
            loop {
                let (folder, target) = with_release();
                if !replace {
                    fs::remove_dir_all(&target).unwrap();
                }
                let staging = Staging::begin(&target, replace, &[]).unwrap();
                fill(&staging, "new");
                let calls = Cell::new(0);
                let trouble = || {
                    calls.set(calls.get() + 1);
                    if calls.get() == failures + 1 { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
                };
                let done = commit_in_trouble(staging, in_steps, &trouble);
                if done.is_ok() {
                    publish(&target, true, "new").unwrap(); // sweeps what could not be cleaned
                    check_only(folder.path(), "out", "new");
                    break;
                }
                assert_eq!(done.unwrap_err().fault(), Fault::Io);
                match replace {
                    true => check_only(folder.path(), "out", "old"),
                    false => assert!(names(folder.path()).is_empty()),
                }
                failures += 1;
            }
            assert!(failures >= 6, "four files and folders, a rename, the folder above");
        }
    }

    #[test]
    fn dropped_at_any_step_the_target_is_as_it_was() {
        for steps in 0..3 {
            let (folder, target) = with_release();
            let staging = Staging::begin(&target, true, &[]).unwrap();
            for name in ["data.csv", CERTIFICATE].iter().take(steps) {
                fs::write(staging.path().join(name), "new").unwrap();
            }
            drop(staging);
            check_only(folder.path(), "out", "old");
        }
    }

    /// Where the process below works, and before which call it dies.
    const DYING: &str = "SFUMATO_TEST_DYING_RUN";

    /// In place of a number of calls: the run ends of its own accord, before it commits.
    const ABANDON: u32 = 999;

    /// Not a test: a run that dies, in a process of its own.
    #[test]
    fn dying_run() {
        let Ok(task) = std::env::var(DYING) else { return };
        let [target, replace, in_steps, last] = task.split('|').collect::<Vec<_>>()[..] else { panic!() };
        let calls = Cell::new(last.parse::<u32>().unwrap());
        let trouble = || match calls.replace(calls.get().saturating_sub(1)) {
            0 => std::process::exit(9), // no destructor runs
            _ => Ok(()),
        };
        let staging = Staging::begin(target.as_ref(), replace == "true", &[]).unwrap();
        trouble().unwrap();
        fill(&staging, "new");
        if last.parse() == Ok(ABANDON) {
            std::process::exit(if abandon() { 9 } else { 0 });
        }
        commit_in_trouble(staging, in_steps == "true", &trouble).unwrap();
    }

    #[test]
    fn killed_at_any_step_the_target_is_old_or_new_and_whole() {
        for (replace, in_steps) in WAYS {
            for last in 0.. {
                let (folder, target) = with_release();
                if !replace {
                    fs::remove_dir_all(&target).unwrap();
                }
                let run = Command::new(std::env::current_exe().unwrap())
                    .args(["--exact", "release::directory::tests::dying_run"])
                    .env(DYING, format!("{}|{replace}|{in_steps}|{last}", target.display()))
                    .output();
                let code = run.unwrap().status.code();
                assert!(matches!(code, Some(0 | 9)), "{code:?}");

                // The next run begins by putting things right, and ends with only its own.
                drop(Staging::begin(&target, true, &[]).unwrap());
                let found = fs::read_to_string(target.join("data.csv")).ok();
                match found.as_deref() {
                    Some(content) => check_only(folder.path(), "out", content),
                    None => assert!(names(folder.path()).is_empty()),
                }
                assert!(found.is_some() || !replace, "lost at {last}");
                if code == Some(0) {
                    assert_eq!(found.as_deref(), Some("new"));
                    break;
                }
            }
        }
    }

    #[test]
    fn abandoned_nothing_is_left() {
        let folder = tempdir().unwrap();
        let target = folder.path().join("out");
        let run = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "release::directory::tests::dying_run"])
            .env(DYING, format!("{}|false|false|{ABANDON}", target.display()))
            .output();
        assert_eq!(run.unwrap().status.code(), Some(9));
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_release_that_was_moved_aside_comes_back() {
        let (folder, target) = with_release();
        let aside = folder.path().join(".out.sfumato-old");
        fs::rename(&target, &aside).unwrap();
        check_refused(Staging::begin(&target, false, &[]), Fault::Plan, "exists already");
        check_only(folder.path(), "out", "old");

        publish(&folder.path().join("other"), false, "older").unwrap();
        fs::rename(folder.path().join("other"), &aside).unwrap();
        drop(Staging::begin(&target, true, &[]).unwrap());
        check_only(folder.path(), "out", "old");
    }
}
