//! What experiments are run on, and how long they may take.

use crate::files::Folder;
use sfumato::Result;
use std::path::{Path, PathBuf};

/// What experiments are run on, and how long they may take.
///
/// ```
/// let setting = sfumato_reproduce::Setting::made_up().quick();
/// assert!(setting.is_quick());
/// ```
pub struct Setting<'a> {
    pub(crate) folder: Option<Folder>,
    quick: bool,
    program: Option<PathBuf>,
    progress: Box<dyn Fn(&str) + Sync + 'a>,
}

impl<'a> Setting<'a> {
    /// Made-up tables alone.
    pub fn made_up() -> Self {
        Setting { folder: None, quick: false, program: None, progress: Box::new(|_| {}) }
    }

    /// Real data where the folder has them, made-up tables elsewhere.
    pub fn with_data(folder: &Path) -> Result<Self> {
        Ok(Setting { folder: Some(Folder::open(folder)?), ..Setting::made_up() })
    }

    /// Smaller tables and fewer runs: everything is exercised, in a minute or so.
    pub fn quick(mut self) -> Self {
        self.quick = true;
        self
    }

    /// The program that makes single measurements in processes of their own.
    pub fn by_program(mut self, program: PathBuf) -> Self {
        self.program = Some(program);
        self
    }

    /// Tells what is being done.
    pub fn progress(mut self, tell: impl Fn(&str) + Sync + 'a) -> Self {
        self.progress = Box::new(tell);
        self
    }

    /// Whether runs are to be short.
    pub fn is_quick(&self) -> bool {
        self.quick
    }

    /// The program for processes of their own, if there is one.
    pub(crate) fn program(&self) -> Option<&Path> {
        self.program.as_deref()
    }

    /// One of two, by how long it may take.
    pub(crate) fn pick<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// Says what is being done now.
    pub(crate) fn now(&self, what: &str) {
        (self.progress)(what);
    }
}
