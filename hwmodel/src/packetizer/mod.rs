//! Packetizer: turns drained entries into one TLP.

mod ports;
pub use ports::{Config, In, Out};
