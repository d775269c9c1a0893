//! The release candidate: rows that look alike, and what their sensitive values are.

mod counts;
mod frequency;
mod groups;
mod histogram;

pub use counts::{Counts, MOST_RECORDS, Records};
pub use frequency::{Coded, FrequencySet, Ladder, Scratch};
pub use groups::{Groups, dense_ids};
pub use histogram::{Counter, Histogram};
