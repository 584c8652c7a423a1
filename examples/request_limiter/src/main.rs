//! `duet` with a design and a block more.

mod design;
mod limiter;

use std::process::ExitCode;

/// The RTL of the block.
const RTL: &[bodies::Embedded] = &[(
    "request_limiter/request_limiter.sv",
    include_bytes!("../rtl/request_limiter/request_limiter.sv"),
)];

fn main() -> ExitCode {
    bodies::embed(RTL);
    duet::main()
}
