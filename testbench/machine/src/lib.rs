//! The full GPU: CUs, caches, networks, memory and command processors, running a program's trace
//! with real bytes. `engine` is the clockwork; every other file is one kind of component, or one
//! thing that all of them share (`context`).
//!
//! The way of a store: `core` cuts an instruction into lines and hands them to its `l1`; the
//! request network (`engine`, `link`) takes them to an L2 bank (`l2`), whose evictions and releases
//! go over the memory network to an L3 `slice`. The `launch` processors start work-groups and tell
//! the L2s when to write back and forget.

mod build;
mod cache;
mod check;
pub mod config;
mod context;
mod core;
mod cpelide;
pub mod design;
mod directory;
mod engine;
mod finepack;
mod gate;
mod hardware;
mod l1;
mod l2;
mod l3;
mod launch;
mod race;
mod run;
mod sampling;
mod sharing;
mod statistics;
mod stc;
mod timestamp;

pub use build::make::BuildError;
pub use build::{
    about, about_policy, design_names, fences, go_together, has_policy, names, own_sections, plan,
    promises,
};
pub use check::{Checked, Observer, Wrong, sequential, timed, values};
pub use config::bodies::{Bodies, Cp};
pub use config::decimal::Decimal;
pub use config::memory_model::{Fences, MemoryModel};
pub use config::registry::check_names;
pub use config::section::Section;
pub use config::system_file::SystemError;
pub use config::{ConfigError, System, idle, systems};
pub use engine::Cycle;
pub use finepack::egress_path;
pub use launch::{Chiplets, Operations, PHASES, Packet};
pub use run::kernel_use::KernelUse;
pub use run::{
    Audited, Buffers, LINK, Machine, NOISE, Options, Order, Progress, RunError, Timeline, Windows,
};
pub use sampling::Estimate;
pub use statistics::recording::{Loads, POINTS, Passed, Samples};
pub use statistics::spans::{GroupSpan, Groups, Part, Request, Wait};
pub use statistics::traffic::{Ports, Traffic};
pub use statistics::{Counted, Kind, STATISTICS, Statistic, probe};
