//! All tests of the formats in one program: it is linked once.

mod hostile;
mod leaks;
mod round_trip;
