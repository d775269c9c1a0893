//! What must hold for every reader of sfumato, whatever bytes it is given: see README.md in this
//! folder.
//!
//! Each function runs one reader on the bytes and panics if an invariant is broken. Who calls it
//! decides where the bytes come from: `tests/smoke.rs` changes the files of `corpus/` by lot,
//! `libfuzzer/` looks for bytes that lead to code not seen yet.
//!
//! ```
//! sfumato_fuzz::csv(b"age,disease\n47,flu\n");
//! ```

mod certificate;
mod columnar;
mod csv;
mod hierarchy;
mod plan;
mod support;
mod transactions;

pub use certificate::{certificate, honest_files};
pub use columnar::{arrow, parquet};
pub use csv::csv;
pub use hierarchy::hierarchy;
pub use plan::plan;
pub use support::{CANARY, keep_quiet};
pub use transactions::transactions;

/// A reader by its name, which is also that of its folder in `corpus/`, its dictionary and its
/// target in `libfuzzer/`.
#[derive(Clone, Copy)]
pub struct Reader {
    /// The name.
    pub name: &'static str,
    /// Runs it on bytes; panics if an invariant is broken.
    pub run: fn(&[u8]),
}

/// Every reader.
pub const READERS: [Reader; 7] = [
    Reader { name: "csv", run: csv },
    Reader { name: "plan", run: plan },
    Reader { name: "hierarchy", run: hierarchy },
    Reader { name: "transactions", run: transactions },
    Reader { name: "certificate", run: certificate },
    Reader { name: "parquet", run: parquet },
    Reader { name: "arrow", run: arrow },
];
