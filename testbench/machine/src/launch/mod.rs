//! From a kernel's packet to its work-groups: the command processor of each GPU with its firmware,
//! the crossbar, those of the chiplets, and what they command.

mod audit;
mod blocks;
mod global;
mod labels;
mod local;
mod partition;
mod phases;
mod room;
mod scheduler;

#[cfg(test)]
pub use audit::Auditor;
pub use audit::{Chiplets, Operations, Packet};
pub use blocks::Blocks;
pub use global::{Global, Kernel, Ports as GlobalPorts};
pub use labels::labels;
pub use local::{Local, Ports as LocalPorts};
pub use partition::Partition;
pub use phases::PHASES;
pub use room::Room;
#[cfg(test)]
pub use scheduler::RoundRobin;
pub use scheduler::{Grid, NewScheduler, Scheduler};
