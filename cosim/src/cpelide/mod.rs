//! The hosts of the command processor's firmware: called directly, in the instruction-set
//! simulator, on the RTL core.

mod conf;
mod host;
mod native;
pub mod packet;
mod timed;
mod trail;

pub use firmware::aql;

pub use conf::{Conf, SyncMode};
pub use host::Host;
pub use native::{Native, Sent};
pub use timed::{Timed, Times};
pub use trail::Fault;
