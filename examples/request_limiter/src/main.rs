//! `duet` with a design and a block more.

mod design;
mod limiter;

use std::process::ExitCode;

/// The RTL of the block, and its rules.
const RTL: &[bodies::Embedded] = &[
    (
        "request_limiter/request_limiter.sv",
        include_bytes!("../rtl/request_limiter/request_limiter.sv"),
    ),
    ("request_limiter/README.md", include_bytes!("../rtl/request_limiter/README.md")),
];

fn main() -> ExitCode {
    bodies::embed_beside(RTL);
    duet::main()
}
