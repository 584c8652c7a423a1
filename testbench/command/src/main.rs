//! The `duet` command.

mod audit_log;
mod catalog;
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
