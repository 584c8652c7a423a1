//! The full GPU: CUs, caches, networks, memory and command processors, running a program's trace
//! with real bytes. `engine` is the clockwork; every other file is one kind of component, or one
//! thing that all of them share (`context`).
//!
//! The way of a store: `core` cuts an instruction into lines and hands them to its `l1`; the
//! request network (`engine`, `link`) takes them to an L2 bank (`l2`), whose evictions and releases
//! go over the memory network to an L3 `slice`. The `launch` processors start work-groups and tell
//! the L2s when to write back and forget.

mod atomic;
mod bodies;
mod build;
mod cache;
mod check;
pub mod config;
mod context;
mod copies;
mod core;
mod deadlock;
mod decimal;
pub mod design;
pub mod egress_path;
mod engine;
mod gate;
pub mod idle;
mod kernel_use;
mod l1;
mod l2;
mod launch;
mod layout;
mod life;
mod link;
mod make;
mod masks;
mod memories;
mod memory_model;
mod message;
mod pages;
mod part;
mod places;
mod policy;
mod pool;
pub mod probe;
mod recording;
mod registry;
mod resolved;
mod run;
mod sampling;
mod section;
pub mod sequential;
mod shard;
mod sharing;
mod show;
mod slice;
mod spans;
mod statistics;
mod system_file;
pub mod systems;
pub mod timed;
mod traffic;
mod transactions;
pub mod values;

pub use bodies::{Bodies, Cp};
pub use build::{
    about, about_policy, design_names, fences, go_together, has_policy, names, own_sections, plan,
    promises,
};
pub use check::{Checked, Observer, Wrong};
pub use config::{ConfigError, System};
pub use decimal::Decimal;
pub use engine::Cycle;
pub use kernel_use::KernelUse;
pub use launch::{Chiplets, Operations, PHASES, Packet};
pub use make::BuildError;
pub use memory_model::{Fences, MemoryModel};
pub use recording::{Loads, POINTS, Passed, Samples};
pub use run::{
    Audited, Buffers, LINK, Machine, NOISE, Options, Order, Progress, RunError, Timeline,
};
pub use sampling::Estimate;
pub use section::Section;
pub use spans::{GroupSpan, Groups, Part, Request, Wait};
pub use statistics::{Counted, Kind, STATISTICS, Statistic};
pub use system_file::SystemError;
pub use traffic::{Ports, Traffic};
