//! Traces of programs: what each warp does to memory, with values, so that a simulated memory can be
//! checked byte by byte. `docs/trace-format.md` describes the file.
//!
//! A program reaches a trace through [`Record`]: captures of real programs and built-in kernels call the
//! same methods. A trace reaches the machine as [`Event`]s, [`KernelHead`]s and [`Instr`]s.

mod event;
mod instr;
mod record;

pub use event::{
    Arg, ArgKind, AtomicCell, ByteSet, Event, KernelHead, Mode, RacyByte, ScheduleRange,
};
pub use instr::{AtomicOp, Instr, InstrKind, LANES};
pub use record::{Access, AccessKind, KernelSpec, Key, Record};
