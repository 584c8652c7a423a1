//! The clockwork of a machine: time, who is active in a cycle, and ways to send.
//!
//! In a cycle every active component sees what its neighbours had sent before the cycle: a message
//! is never visible in the cycle in which it is sent, and room that a receiver makes is visible to
//! the sender one cycle later. So the order in which components are visited changes nothing.

mod inlet;
pub mod link;
mod network;
mod passage;
pub mod pool;
mod rate;
mod wheel;
mod wires;

pub use inlet::{InletId, InletSpec, LAST_CYCLE, MOST_OUTLETS};
pub use network::{Network, OutletId, OutletSpec, Refusal, Routes};
pub use passage::{HERE, Passage};
pub use rate::{Port, Rate};
pub use wheel::{Wheel, numbers};
pub use wires::{WireId, Wires};

/// Time in cycles of the machine's base clock.
pub type Cycle = u64;

/// A component's number, in the order in which the machine was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId(pub u32);
