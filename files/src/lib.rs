//! Result files: each has its name from the moment it is finished, and what is temporary goes, also
//! where a signal ends the process.

mod part;
mod temporary;

pub use part::{PartFile, clear, is_stream};
pub use temporary::{Folder, with_none_left};
