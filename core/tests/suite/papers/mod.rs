//! Each paper's printed examples and tables, reproduced.

mod definetti;
mod l_diversity;
mod lattice;
mod minimality;
mod population;
mod real_data;
mod set_valued;
mod skewed;
mod skyline;
