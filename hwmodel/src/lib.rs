//! Cycle-accurate models of `duet`'s hardware blocks, one module per block, with the same names as
//! the folders of `rtl/`.
//!
//! This crate is pure: no files, no threads, no clock but [`Block::tick`], and it never sees
//! Verilator. The ports are declared in `ports`.

pub mod block;
pub mod chiplet_coherence_table;
mod common;
pub mod egress;
pub mod race_signature;
pub mod state;
mod tlp_header;
pub mod tlp_link;

use ports::modules_of_blocks;

ports::for_each_block!(modules_of_blocks);

pub use block::{Block, Model};
pub use state::State;
