//! The crossbar between the global and the local command processors (CPElide, MICRO'24, section III-C,
//! figure 7; cycle rules in `rtl/cp_crossbar/README.md`).

mod ports;

pub use ports::*;
