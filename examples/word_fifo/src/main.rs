//! `duet` with the block `word_fifo`.

mod model;
mod ports;
mod stimulus;

use std::process::ExitCode;

/// The RTL of the block, and its rules: every file that Verilator reads must be in this list.
const RTL: &[bodies::Embedded] = &[
    ("word_fifo/word_fifo.sv", include_bytes!("../rtl/word_fifo/word_fifo.sv")),
    ("word_fifo/README.md", include_bytes!("../rtl/word_fifo/README.md")),
];

fn main() -> ExitCode {
    bodies::embed_beside(concat!(env!("CARGO_MANIFEST_DIR"), "/rtl"), RTL);
    duet::main()
}
