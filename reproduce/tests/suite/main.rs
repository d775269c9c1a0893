//! All tests of the experiments in one program: it is linked once.

mod command;
mod pages;
