//! `duet` with the L1 design `src-limited` and the block `request_limiter`.

mod design;
mod limiter;

use std::process::ExitCode;

/// The RTL of the block, and its rules: every file that Verilator reads must be in this list.
const RTL: &[bodies::Embedded] = &[
    (
        "request_limiter/request_limiter.sv",
        include_bytes!("../rtl/request_limiter/request_limiter.sv"),
    ),
    ("request_limiter/README.md", include_bytes!("../rtl/request_limiter/README.md")),
];

fn main() -> ExitCode {
    bodies::embed_beside(concat!(env!("CARGO_MANIFEST_DIR"), "/rtl"), RTL);
    duet::main()
}
