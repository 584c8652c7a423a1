//! The local command processor of a chiplet (CPElide, MICRO'24, section III-C; cycle rules in
//! `rtl/local_command_processor/README.md`).

mod ports;

pub use ports::*;
