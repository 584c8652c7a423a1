//! Traces of programs: what each warp does to memory, with values, so that a simulated memory can
//! be checked byte by byte. `docs/trace-format.md` describes the file.
//!
//! A program reaches a trace through [`Record`]: captures of real programs and built-in kernels
//! call the same methods. A trace reaches the machine as [`Event`]s, [`KernelHead`]s and
//! [`Instr`]s.

pub mod accel_sim;
mod ahead;
mod buffers;
pub mod capture;
mod chunk;
mod classes;
mod cursor;
mod error;
mod event;
mod event_code;
mod excerpt;
mod first_touches;
mod group;
mod index;
mod instr;
mod instr_code;
mod limits;
mod lines;
mod occurrences;
mod pages;
mod places;
mod private;
mod reader;
mod record;
mod recorder;
mod regroup;
mod streams;
#[cfg(test)]
mod tests;
mod verify;
mod walk;
mod wire;
mod writer;

pub use cursor::Cursor;
pub use error::Error;
pub use event::{
    Arg, ArgKind, AtomicCell, ByteSet, Event, FirstTouch, KernelHead, Mode, RacyByte, ScheduleRange,
};
pub use excerpt::excerpt;
pub use group::Group;
pub use index::Totals;
pub use instr::{AtomicOp, Chain, FirstUse, Instr, InstrKind, LANES, Work};
pub use limits::PAGE;
pub use reader::{Reader, is_trace};
pub use record::{Access, AccessKind, KernelSpec, Key, Record};
pub use recorder::Recorder;
pub use streams::{Bound, Clock, Streams, is_before};
pub use verify::{Outcome, verify};
pub use walk::Walk;
