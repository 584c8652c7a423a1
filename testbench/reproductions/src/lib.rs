//! A paper's experiments on running systems: our number beside the paper's.
//!
//! Every number of ours is counted in a run or read off the blocks' declarations; none comes from a
//! formula of the paper. Every run compares what it computes with what is right, and ends at the
//! first difference.

pub mod compared;
pub mod controls;
pub mod cpelide;
mod energy;
pub mod experiment;
pub mod figure;
pub mod finepack;
pub mod gtsc;
mod instructions;
pub mod kept;
mod lease_storage;
pub mod race_detection;
pub mod rec;
mod registers;
pub mod scale;
pub mod score;
pub mod sharing_aware;
pub mod stc;
mod table;

/// The papers that can be reproduced.
pub const PAPERS: [&str; 7] =
    ["cpelide", "finepack", "gtsc", "race-detection", "rec", "sharing-aware", "stc"];
