//! The coherence directory.

mod ports;

pub use ports::*;
