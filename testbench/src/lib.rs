//! Systems made of `duet`'s blocks, the workloads that run on them, and what the `duet` command
//! shows.

pub mod audit_log;
pub mod catalog;
pub mod egress_path;
pub mod egress_system;
pub mod finepack_chain;
pub mod kernels;
pub mod machine;
pub mod memory;
pub mod opencl;
pub mod reproduce;
pub mod systems;
pub mod tlp_dump;
pub mod trace;
pub mod workloads;
