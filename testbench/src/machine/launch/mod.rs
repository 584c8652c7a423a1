//! From a kernel's packet to its work-groups: the global command processor of each GPU, the local one of
//! each chiplet, and the launch designs that say which L2 is released and acquired when.

mod control;
mod design;
mod global;
mod local;
mod packet;

pub use control::Control;
pub use design::{Coherent, LaunchDesign, Masks, Nothing, Software};
pub use global::{Global, Ports as GlobalPorts, Spec};
pub use local::{Local, Ports as LocalPorts};
pub use packet::{Packet, extension};
