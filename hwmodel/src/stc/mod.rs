//! STC (TACO 2023): models.

pub mod epoch_agent;
pub mod epoch_manager;
#[cfg(test)]
pub(crate) mod small;
