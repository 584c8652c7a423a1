//! The SystemVerilog of all blocks, for a program that makes bodies of it wherever it runs, and the
//! rules of each in its README. A crate of its own: only the program is linked again after a change
//! of the RTL.

/// Each file: its path in `rtl/` and its content.
pub const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));
