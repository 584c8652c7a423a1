//! STC (TACO 2023): stimuli.

pub mod epoch_agent;
pub mod epoch_manager;
