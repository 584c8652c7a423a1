//! Remote write queue: collects stores to other GPUs, one partition for each destination.

mod ports;
pub use ports::{Config, In, Out};
