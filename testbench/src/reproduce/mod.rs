//! A paper's experiments on running systems: our number beside the paper's.
//!
//! Every number of ours is counted in a run or read off the blocks' declarations; none comes from a
//! formula of the paper. Every run compares all memories with the expected ones after each release,
//! and ends at the first difference.

pub mod burst;
pub mod egress_run;
pub mod figures;
pub mod finepack;
mod storage;
pub mod sweeps;
#[cfg(test)]
mod tests;
mod text;
mod traffic;

/// The papers that can be reproduced.
pub const PAPERS: [&str; 1] = ["finepack"];
