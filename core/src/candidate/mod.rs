//! The release candidate: rows that look alike, and what their sensitive values are.

mod frequency;
mod groups;
mod histogram;

pub use frequency::{Coded, FrequencySet, Ladder, Scratch};
pub use groups::{Groups, dense_ids};
pub use histogram::{Counter, Histogram};
