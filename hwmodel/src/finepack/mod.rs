//! FinePack (HPCA 2023): models.

pub mod depacketizer;
pub mod egress;
pub mod packetizer;
pub mod remote_write_queue;
mod tlp_header;
pub mod tlp_link;
