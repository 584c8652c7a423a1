//! CPElide (MICRO 2024): the command processor's parts: models.

pub mod chiplet_coherence_table;
pub mod command_processor;
pub mod cp_crossbar;
pub mod local_command_processor;
pub(crate) mod message;
