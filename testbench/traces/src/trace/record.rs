//! How a program gets into a trace.

use super::{Arg, AtomicOp, Bound, FirstUse, Work};

/// Where in the program an access stands. Accesses of different work-items with the same key
/// execute in lock step when they can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Static instruction.
    pub pc: u32,
    /// Iteration of each enclosing loop, outermost first, or, where unknown, how often this
    /// work-item has executed `pc`.
    pub iteration: [u32; 4],
}

/// Kind of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessKind<'a> {
    /// `bytes` were read.
    #[default]
    Load,
    /// `bytes` are written.
    Store,
    /// `bytes` is the operand; the program saw `old`.
    Atomic {
        /// What it does.
        op: AtomicOp,
        /// The value that it found, as long as the operand.
        old: &'a [u8],
    },
}

/// One access of one work-item: 1 to 16 bytes, a power of 2 of them (atomics 4 or 8).
#[derive(Clone, Copy, Debug, Default)]
pub struct Access<'a> {
    /// Work-item within its group.
    pub item: u32,
    /// Place in the program.
    pub key: Key,
    /// Load, store, atomic.
    pub kind: AccessKind<'a>,
    /// Byte address.
    pub addr: u64,
    /// Value.
    pub bytes: &'a [u8],
    /// What this work-item has executed since its last access.
    pub work: Work,
    /// When it first reads the value.
    pub first_use: FirstUse,
}

/// A kernel's head as far as it is known before it runs.
#[derive(Clone, Debug, Default)]
pub struct KernelSpec {
    /// Name.
    pub name: String,
    /// Work-items in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub local: [u32; 3],
    /// Bytes of work-group memory, which each work-group has by itself.
    pub group_memory: u32,
    /// Stream.
    pub stream: u8,
    /// Arguments.
    pub args: Vec<Arg>,
}

/// Takes a program's events in the order in which one thread ran it. Within a kernel the groups
/// come one after another (`group`), even when they ran in turns: only loads of what other groups
/// write show that. Within a group the work-items run one after another from barrier to barrier.
pub trait Record {
    /// Why a trace cannot take something.
    type Error;

    /// A buffer of `bytes` bytes, all 0; gives its address, a multiple of 4096 unless the
    /// recorder shifts buffers.
    fn alloc(&mut self, name: &str, bytes: u64) -> Result<u64, Self::Error>;
    /// A buffer of private memory: four aligned bytes belong to one work-item of a kernel.
    fn alloc_private(&mut self, name: &str, bytes: u64) -> Result<u64, Self::Error>;
    /// The buffer ends.
    fn free(&mut self, addr: u64) -> Result<(), Self::Error>;
    /// The host writes.
    fn host_write(&mut self, addr: u64, data: &[u8]) -> Result<(), Self::Error>;
    /// The host reads.
    fn host_read(&mut self, addr: u64, bytes: u64) -> Result<(), Self::Error>;
    /// The program has several streams, whose kernels may overlap: of each the chiplets that it
    /// runs on. Before all kernels.
    fn streams(&mut self, bound: &[Bound]) -> Result<(), Self::Error>;
    /// Kernels of a stream from here on begin when those of another so far have ended. The host
    /// waits for all before it writes, reads or frees.
    fn wait(&mut self, stream: u8, of: u8) -> Result<(), Self::Error>;
    /// A kernel begins. Those of several streams come one after another too, in one of the orders
    /// that waits allow.
    fn begin_kernel(&mut self, spec: KernelSpec) -> Result<(), Self::Error>;
    /// The next work-group begins: group 0, 1, 2 and so on.
    fn begin_group(&mut self) -> Result<(), Self::Error>;
    /// An access of a work-item of the group.
    fn access(&mut self, access: &Access) -> Result<(), Self::Error>;
    /// Earlier accesses of a work-item of the group are ordered before later ones, at system scope.
    /// A recorder may ignore it.
    fn fence(&mut self, item: u32, key: Key) -> Result<(), Self::Error> {
        let _ = (item, key);
        Ok(())
    }
    /// What the work-items of a warp, 64 at a time, have executed since their last accesses, before
    /// the next barrier. A recorder may ignore it.
    fn work(&mut self, warp: u32, work: Work) -> Result<(), Self::Error> {
        let _ = (warp, work);
        Ok(())
    }
    /// All work-items of the group meet.
    fn barrier(&mut self) -> Result<(), Self::Error>;
    /// All work-items of the group have ended.
    fn end_group(&mut self) -> Result<(), Self::Error>;
    /// All groups of the kernel have ended.
    fn end_kernel(&mut self) -> Result<(), Self::Error>;
}
