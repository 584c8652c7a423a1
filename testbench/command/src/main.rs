//! The `duet` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    duet::main()
}
