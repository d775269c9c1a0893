//! Each paper's printed examples and tables, reproduced.

mod l_diversity;
mod lattice;
mod real_data;
