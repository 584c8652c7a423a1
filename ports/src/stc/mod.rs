//! STC (TACO 2023): parameters, ports, messages.

pub mod epoch_agent;
pub mod epoch_manager;
mod parameters;
pub mod types;
