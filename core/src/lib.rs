//! sfumato turns a table about people into a release with a stated privacy guarantee, attacks that
//! release before anyone else can, and publishes only what survives.
//!
//! # Tour
//!
//! A [`Table`] holds dictionary-encoded columns. A [`Schema`](data::Schema) says what
//! each column is to an attacker. Rows with equal quasi-identifiers form
//! [`Groups`](candidate::Groups), and a [`Criterion`](criterion::Criterion) says what must hold for
//! every group. [`audit()`] checks any table, whoever made it; a [`TablePlan`] is all of that in a
//! file.
//!
//! ```
//! // Six patients, released with their postal codes cut to three digits.
//! let table = sfumato::data::sample::clinic();
//! let plan = sfumato::TablePlan::parse(r#"
//!     [columns]
//!     zip     = { role = "quasi" }
//!     disease = { role = "sensitive" }
//!
//!     [[require]]
//!     criterion = "k-anonymity"
//!     k = 3
//!
//!     [[require]]
//!     criterion = "entropy-l-diversity"
//!     on = "disease"
//!     l = 2
//! "#, ".".as_ref())?;
//!
//! let audit = sfumato::audit(&table, &plan.schema, &plan.requirements, &plan.folder)?;
//! assert_eq!(audit.groups, 2);
//! assert!(audit.criteria[0].verdict.holds);
//! assert!(!audit.criteria[1].verdict.holds); // {flu, flu, cancer} has the entropy of 1.89 values
//! # Ok::<(), sfumato::Error>(())
//! ```
//!
//! # What users need
//!
//! | to | use |
//! |---|---|
//! | say what is wanted | [`Plan`], about a table ([`TablePlan`]) or about sets of items ([`SetPlan`]) |
//! | edit a plan and keep its comments | [`plan::edit::Document`] |
//! | hold the data | [`Table`], [`Transactions`]; read and written by [`Formats`](data::Formats) |
//! | check a table, whoever made it | [`audit()`] |
//! | make a release | [`publish::make`], then [`Draft::pass`](publish::Draft::pass), then [`release::write`]; for sets of items [`publish::transactions`] and [`release::transactions`] |
//! | check a release directory | [`verify`] |
//! | attack a release directory | [`release::attack`] |
//! | follow long work and stop it | [`watch::Observer`] |
//! | know what went wrong | [`Error`] with its [`ErrorCode`] and [`Fault`] |
//! | list what a plan can ask for | the `KINDS` of each family, such as [`criterion::KINDS`], described by [`Kind`](kind::Kind) |
//!
//! The other modules are the parts that these are made of.
//!
//! # Words
//!
//! The same in code, plan file, command line and reports. *Table*: rows about people.
//! *Quasi-identifier*: a column that can be linked with outside data. *Sensitive*: a column whose
//! values must not be learned. *Identifier*: names a person. *Insensitive*: the rest. *Hierarchy*:
//! how values are made coarser. *Counts*: distinct vectors of values, and how many records have
//! each. *Group*: rows that look alike, and its *histogram* of sensitive
//! values. *Criterion*: what must hold. *Evidence*: what groups tell about a criterion. *Belief*:
//! an attacker's probability. *Plan*: what the custodian asks for.

pub mod anonymize;
pub mod attack;
pub mod audit;
pub mod candidate;
pub mod certificate;
pub mod chance;
pub mod criterion;
pub mod data;
pub mod error;
pub mod exact;
pub mod explore;
pub mod inspect;
pub mod kind;
pub mod plan;
pub mod publish;
pub mod recode;
pub mod release;
pub mod report;
pub mod skew;
pub mod transactions;
pub mod utility;
pub mod watch;

pub use audit::{Audit, audit};
pub use data::Table;
pub use error::{CouldMeet, Error, ErrorCode, Fault, Result};
pub use plan::{Plan, SetPlan, TablePlan, example};
pub use release::verify;
pub use transactions::Transactions;

/// The examples of README.md and of the guide, run as tests.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../../docs/guide/README.md")]
    struct Guide;
}
