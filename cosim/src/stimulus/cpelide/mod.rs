//! CPElide (MICRO 2024): the command processor's parts: stimuli.

pub mod command_processor;
pub mod cp_crossbar;
pub mod local_command_processor;
