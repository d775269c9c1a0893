//! Numbers that decide: fractions, decimals as written, and signs of sums of logarithms.
//!
//! A privacy threshold is a mathematical statement about integers, so it is decided in integers.
//! `55 < 1.1 × 50` is false, whatever binary floating point makes of 1.1. Floats are used to report
//! and to skip the clear cases.

mod decimal;
mod fraction;
mod logarithm;

/// Fractions of any size, in which exact means are told.
pub use dashu_ratio::RBig;
pub use decimal::Decimal;
pub use fraction::Fraction;
pub use logarithm::{compare_ln, sign_of_log_sum};
