//! The table, its columns and hierarchies, and how they come in and go out.
//!
//! Every column is dictionary-encoded: a `u32` code per row and a [`Domain`] that tells what each
//! code stands for. Codes follow the order of the values (numbers by value, dates by time, text by
//! bytes), so that the same values give the same codes whatever the order of the rows or the number
//! of threads.

mod center;
pub mod csv;
mod dictionary;
mod encode;
mod format;
mod formula;
pub mod hierarchy;
mod label;
mod pair;
mod place;
mod read_options;
mod role;
pub(crate) mod room;
pub mod sample;
mod schema;
pub mod spelling;
mod table;
mod text_encoding;
mod value_type;
mod weight;

pub use center::Center;
pub use dictionary::Dictionary;
pub use encode::{Encoding, Lexicon, Writing};
pub use format::{Format, Formats, Packing};
pub use formula::{Formulas, restore as restore_formulas};
pub use label::{set_label, set_members, value_label, without_missing};
pub use pair::{COUNT, GROUP, VALUE, check_pair, join_pair, one_row_per_person};
pub use place::{INPUT, unread};
pub use read_options::{Part, ReadOptions};
pub use role::Role;
pub use room::{check_room, in_words};
pub use schema::{ColumnSpec, Schema};
pub use table::{Column, Domain, Table};
pub use text_encoding::TextEncoding;
pub use value_type::{ValueType, canonical_text, parse_date, parse_decimal, parse_time, parse_timestamp};
pub use weight::Weight;
