//! The global command processor (CPElide, MICRO'24, sections III-C, IV-B; cycle rules in
//! `rtl/command_processor/README.md`).

mod ports;

pub use ports::*;
