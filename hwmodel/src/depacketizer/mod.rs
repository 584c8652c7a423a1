//! De-packetizer: turns TLPs back into stores.

mod ports;
pub use ports::{Config, In, Out};
