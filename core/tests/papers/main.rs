//! Each paper's printed examples and tables, reproduced.

mod l_diversity;
mod real_data;
