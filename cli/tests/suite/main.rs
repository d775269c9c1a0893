//! All tests of the command in one program: it is linked once.

mod bad_input;
mod canary;
mod check;
mod commands;
mod composition;
mod crash;
mod eligibility;
mod faults;
mod formats;
mod grouping;
mod hostile;
mod interrupt;
mod knowledge;
mod leaks;
mod publish;
mod pycanon;
mod readings;
mod release;
mod signing;
mod skew;
mod skyline;
mod sources;
mod support;
mod transactions;
