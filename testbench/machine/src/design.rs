//! What a design of one's own is made of (docs/machine.md, "Extension points"): the traits of what
//! it installs, what those may use, and what it can stand on.
//!
//! A design is known to a program that is linked with it once it is submitted:
//! `inventory::submit! { registered(DESIGN) }`.

pub use crate::build::make::{BuildError, Made, Make, UnitPort, UnitPorts, UnitWires};
pub use crate::cache::{Choice, Way, Ways};
pub use crate::check::timed::Clock;
pub use crate::config::memory_model::{Fences, MemoryModel};
pub use crate::config::registry::{find, registered};
pub use crate::config::resolved::Resolved;
pub use crate::config::section::{Section, defaults};
pub use crate::config::systems::{Preset, Variant, with_chiplets, with_cus, with_gpus};
pub use crate::config::{ConfigError, System};
pub use crate::context::Context;
pub use crate::context::layout::{Layout, Site};
pub use crate::context::message::{Class, Kind, Message, Packed, Unit};
pub use crate::context::transactions::{L1Command, MAX_WAVES, Transaction, Transactions, Value};
pub use crate::engine::pool::Handle;
pub use crate::engine::{ComponentId, Cycle, InletId, OutletId, WireId};
pub use crate::l1::{
    Callbacks, Design, GpuUnit, IssuePolicy, L1, L1Policy, NewL1Policy, Port, SRC, Younger,
};
pub use crate::l2::{
    BankHook, BankPort, Design as L2Design, Fifos, L2, NewL2Policy, SOFTWARE, Spec,
};
pub use crate::launch::{Grid, NewScheduler, Scheduler};
pub use crate::statistics::CounterValues;
pub use crate::stc::SECTION as STC_SECTION;
