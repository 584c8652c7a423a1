//! The `duet` command, for programs that are `duet` with designs of their own: they submit these,
//! and call [`main`].

// First: the macros that print are those of this module.
#[macro_use]
mod out;

mod audit_log;
mod bundle;
mod catalog;
mod cli;
mod ending;
mod log_file;
mod tlp_dump;

pub use cli::main;
