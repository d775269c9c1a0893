//! Words in a temporary file. It holds coded numbers only, belongs to its owner alone, and is gone
//! when it is dropped.

use crate::chance::Chance;
use crate::error::{Error, Result};
use rand::Rng;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const WORD: usize = size_of::<u64>();

/// Words that are read and written at a time.
const BLOCK: usize = 1 << 13;

/// A temporary file of words.
pub(super) struct Spill {
    file: Mutex<File>,
    folder: PathBuf,
    /// Where the system does not let go of an open file's name: what to remove in the end.
    named: Option<PathBuf>,
}

impl Spill {
    /// An empty file in a folder.
    pub(super) fn new(folder: &Path) -> Result<Spill> {
        match nameless(folder) {
            Some(file) => Ok(Spill { file: Mutex::new(file), folder: folder.to_owned(), named: None }),
            None => Spill::with_name(folder),
        }
    }

    /// Where every file has a name at first.
    fn with_name(folder: &Path) -> Result<Spill> {
        let number = Chance::System.generator(0)?.next_u64();
        let path = folder.join(format!("sfumato-{}-{number:016x}.tmp", std::process::id()));
        let file = private().open(&path).map_err(|error| trouble(&error, folder))?;
        let mut spill = Spill { file: Mutex::new(file), folder: folder.to_owned(), named: Some(path) };
        if cfg!(unix) {
            // Without a name nobody else finds it, and it is gone however the program ends.
            spill.remove().map_err(|error| trouble(&error, folder))?;
        }
        Ok(spill)
    }

    fn remove(&mut self) -> std::io::Result<()> {
        self.named.take().map_or(Ok(()), fs::remove_file)
    }

    /// Fills `words` from a place on.
    pub(super) fn read(&self, mut at: usize, words: &mut [u64]) -> Result<()> {
        let mut bytes = vec![0; WORD * BLOCK.min(words.len())];
        for words in words.chunks_mut(BLOCK) {
            let bytes = &mut bytes[..WORD * words.len()];
            self.at(at, |file| file.read_exact(bytes))?;
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<WORD>().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            at += words.len();
        }
        Ok(())
    }

    /// Writes words to a place.
    pub(super) fn write(&self, mut at: usize, words: &[u64]) -> Result<()> {
        let mut bytes = Vec::with_capacity(WORD * BLOCK.min(words.len()));
        for words in words.chunks(BLOCK) {
            bytes.clear();
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            self.at(at, |file| file.write_all(&bytes))?;
            at += words.len();
        }
        Ok(())
    }

    fn at(&self, word: usize, work: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<()> {
        // Whoever panicked moved the file's place at most, and that is set here.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let done = file.seek(SeekFrom::Start((WORD * word) as u64)).and_then(|_| work(&mut file));
        done.map_err(|error| trouble(&error, &self.folder))
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        // Nothing is left to be done about a file that cannot be removed.
        self.remove().ok();
    }
}

fn trouble(error: &std::io::Error, folder: &Path) -> Error {
    Error::io(error, folder).help("a temporary file is needed here: see that there is space, or allow more `memory`")
}

/// A file that never has a name, so that nothing is left even of a program that is killed at once;
/// nothing where the system or the file system has no such files.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> Option<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = (OFlags::TMPFILE | OFlags::EXCL).bits();
    OpenOptions::new().read(true).write(true).mode(0o600).custom_flags(flags as i32).open(folder).ok()
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> Option<File> {
    None
}

/// For a file that is not there yet, for its owner alone.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_stays_behind() {
        for make in [Spill::new, Spill::with_name] {
            let folder = tempfile::tempdir().unwrap();
            check_spill(make(folder.path()).unwrap(), folder.path());
        }
    }

    fn check_spill(spill: Spill, folder: &Path) {
        let words: Vec<u64> = (0..3 * BLOCK as u64 + 5).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        spill.write(7, &words).unwrap();
        let mut found = vec![0; 2 * BLOCK];
        spill.read(107, &mut found).unwrap();
        assert_eq!(found, words[100..100 + 2 * BLOCK]);
        if cfg!(unix) {
            assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
        }
        assert!(spill.read(words.len(), &mut found).is_err());
        drop(spill);
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        assert!(Spill::new(Path::new("/no/such/folder")).is_err());
    }
}
