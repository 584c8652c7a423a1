//! Cycle-accurate models of `duet`'s hardware blocks, one module per block, with the same names as
//! the folders of `rtl/`.
//!
//! This crate is pure: no files, no threads, no clock but [`Block::tick`], and it never sees
//! Verilator. The ports are declared in `ports`.

pub mod block;
pub mod chiplet_coherence_table;
pub mod coherence_directory;
pub mod command_processor;
mod common;
pub mod cp_crossbar;
pub mod depacketizer;
pub mod egress;
pub mod epoch_agent;
pub mod epoch_manager;
#[cfg(test)]
mod epoch_tests;
pub mod local_command_processor;
pub mod packetizer;
pub mod remote_write_queue;
pub mod state;
pub mod test_queue;
mod tlp_header;
pub mod tlp_link;

pub use block::{Block, Model};
pub use state::State;
