//! FinePack (HPCA 2023): parameters, ports, messages.

mod codes;
pub mod depacketizer;
pub mod egress;
mod header;
pub mod packetizer;
mod parameters;
pub mod remote_write_queue;
pub mod types;
