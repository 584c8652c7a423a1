//! Result files: each has its name from the moment it is finished, and what is temporary goes, also
//! where a signal ends the process. What a process leaves that is killed goes when the next one
//! starts.

mod part;
mod stale;
mod temporary;

pub use part::{PartFile, clear, is_stream};
pub use stale::remove_stale;
pub use temporary::{Folder, with_none_left};
