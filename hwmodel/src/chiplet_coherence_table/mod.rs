//! The reference of the chiplet coherence table (CPElide, MICRO'24, section III; the project's specification
//! `cpelide`, sections 3.6, 4, 5, 6, 7, 9 and 12): which chiplets' L2s a kernel launch must release and acquire.
//!
//! Written for reading, to be compared with the firmware after every launch: masks, shares and errors in
//! [`Outcome`], [`ReferenceTable::counters`], and [`ReferenceTable::image`] byte by byte.

mod bytes;
mod coarsen;
mod counters;
mod entry;
mod error;
mod events;
mod extension;
mod launch;
mod lines;
mod masks;
mod outcome;
mod packet;
mod parameters;
mod reference;
mod running;
mod table;
mod transition;
mod weakness;

pub use entry::{Entry, Record};
pub use lines::Lines;
pub use outcome::{Outcome, Share};
pub use packet::Dispatch;
pub use parameters::{Parameters, SyncMode};
pub use reference::ReferenceTable;
pub use transition::{Mode, State};
#[doc(hidden)]
pub use weakness::Weakness;
