//! The whole-system test bench: workloads, and what they are run on.

pub mod workloads;
