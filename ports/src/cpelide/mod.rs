//! CPElide (MICRO 2024): the command processor's parts: parameters, ports, messages.

mod codes;
pub mod command_processor;
pub mod cp_crossbar;
pub mod local_command_processor;
mod parameters;
pub mod types;
