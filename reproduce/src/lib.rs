//! The experiments of the papers behind sfumato, run with its public library and set beside what
//! the papers printed.
//!
//! A [`Subject`] is one paper, or the product's own measurements; running it in a [`Setting`] gives
//! [`Section`]s, which make a [`Page`]. A page is data: JSON, HTML, Markdown and pictures are drawn
//! from it, so that what is written about an experiment is what it measured.
//!
//! ```
//! use sfumato_reproduce::{Setting, find};
//!
//! let page = find("skewed").expect("a subject").run(&Setting::made_up().quick())?;
//! let zipf = page.sections.iter().find(|section| section.id == "figure-8b").expect("a section");
//! assert!(zipf.verified.iter().all(|verified| verified.agrees), "the rates that enumeration gives");
//! # Ok::<(), sfumato::Error>(())
//! ```

pub mod adult;
mod clock;
mod documents;
mod files;
mod kept;
mod knowing;
mod l_diversity;
mod minimality;
pub mod page;
mod performance;
mod set_valued;
mod setting;
mod skewed;
mod skyline;
mod subject;

pub use documents::Documents;
pub use files::{Need, missing};
pub use kept::run_case;
pub use page::{Page, Section};
pub use setting::Setting;
pub use subject::{SUBJECTS, Subject, find};
