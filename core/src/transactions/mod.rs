//! Set-valued data: people with sets of items, of which some are sensitive.
//!
//! [`Transactions`] hold one set of items per person; [`Sensitive`] says which items nobody must be
//! able to infer. A [rule](Rule) q → e says: of those who have all of q, so many have e. The
//! [`criterion`] bounds what any rule with a sensitive item at its end tells, however much of a
//! person's set somebody knows; [methods](method) delete, generalize or separate items until it
//! holds; [metrics](metric) tell what is left, and [attacks](attack) list what could still be
//! inferred.

pub mod attack;
pub mod closed;
pub mod criterion;
pub mod method;
pub mod metric;
mod read;
mod released;
mod rule;
pub mod sample;
mod sensitive;
mod table;
mod write;

pub use read::{Layout, Read, read_lines, read_names, read_released, read_rows};
pub use released::{Released, Separated, Shared, Together};
pub use rule::{Demand, Rule};
pub use sensitive::Sensitive;
pub use table::Transactions;
pub use write::{Written, name_order, read_delimiter};
