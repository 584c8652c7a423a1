//! What a design of one's own is made of (docs/machine.md, "Extension points"): the traits of what
//! it installs, what those may use, and what it can stand on.
//!
//! A design is known to a program that is linked with it once it is submitted:
//! `inventory::submit! { DESIGN }`.

pub use super::cache::{Choice, Way, Ways};
pub use super::config::{ConfigError, System};
pub use super::context::Context;
pub use super::engine::{ComponentId, Cycle, InletId, OutletId, WireId};
pub use super::l1::{
    Design, GpuUnit, Hooks, L1, L1Policy, NewL1Policy, Port, SRC, STC_SECTION, Younger,
};
pub use super::l2::{
    BankHook, BankPort, Design as L2Design, Fifos, L2, NewL2Policy, SOFTWARE, Spec,
};
pub use super::launch::{Grid, NewScheduler, Scheduler};
pub use super::layout::{Layout, Site};
pub use super::make::{BuildError, Made, Make, UnitPort, UnitPorts, UnitWires};
pub use super::memory_model::{Fences, MemoryModel};
pub use super::message::{Class, Kind, Message, Packed, Unit};
pub use super::pool::Handle;
pub use super::registry::find;
pub use super::resolved::Resolved;
pub use super::section::{Section, defaults};
pub use super::statistics::CounterValues;
pub use super::timed::Clock;
pub use super::transactions::{MAX_WAVES, Tell, Transaction, Transactions, Value};
