//! The hosts of the command processor's firmware: called directly, in the instruction-set simulator, on the RTL core.

mod native;
pub mod packet;

pub use native::{Native, Sent};
