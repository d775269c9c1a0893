//! sfumato
pub mod data;
pub mod error;
pub mod exact;
pub mod kind;
pub use error::{Error, Fault, Result};
