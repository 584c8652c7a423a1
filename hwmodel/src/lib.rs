//! Cycle-accurate models of `duet`'s hardware blocks, one module per block, with the same names as
//! the folders of `rtl/`.
//!
//! This crate is pure: no files, no threads, no clock but [`Block::tick`], and it never sees
//! Verilator. The ports are declared in `ports`.

pub mod block;
pub mod common;
pub mod cpelide;
pub mod directory;
pub mod finepack;
pub mod race;
pub mod sharing;
pub mod state;
pub mod stc;
pub mod timestamp;

pub use block::{Block, Model};
pub use state::State;
