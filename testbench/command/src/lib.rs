//! The `duet` command, for programs that are `duet` with designs of their own: they submit these,
//! and call [`main`].

mod audit_log;
mod catalog;
mod cli;

pub use cli::main;
