//! FinePack (HPCA 2023): stimuli.

pub mod depacketizer;
pub mod packetizer;
pub mod remote_write_queue;
