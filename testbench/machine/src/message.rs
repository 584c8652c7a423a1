//! What components say to each other.

use traces::trace::AtomicOp;

use super::engine::{Cycle, Handle};

/// Bytes of the longest line.
pub const MAX_LINE: usize = 128;

/// The payload of a message: byte k of the line, in the host's cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Line(pub [u8; MAX_LINE]);

impl Default for Line {
    fn default() -> Self {
        Self([0; MAX_LINE])
    }
}

/// What traffic is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Headers of reads, atomics.
    Request,
    /// Data on its way to a reader.
    Data,
    /// Written data and its headers.
    Write,
    /// Acknowledgements.
    Acknowledgement,
    /// Invalidations.
    Invalidation,
    /// Launches, synchronisation commands, and what an L1 design says to itself.
    Launch,
}

/// Number of classes.
pub const CLASSES: usize = 6;

impl Class {
    /// All classes, in the order of their numbers.
    pub const ALL: [Self; CLASSES] = [
        Self::Request,
        Self::Data,
        Self::Write,
        Self::Acknowledgement,
        Self::Invalidation,
        Self::Launch,
    ];

    /// Name in statistics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Data => "data",
            Self::Write => "write",
            Self::Acknowledgement => "acknowledgement",
            Self::Invalidation => "invalidation",
            Self::Launch => "launch",
        }
    }
}

/// Kind of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Wants the bytes of `mask`.
    #[default]
    Read,
    /// Writes the bytes of `mask`.
    Write,
    /// Changes the elements of `mask`, of `size` bytes each, by `op` with the operands in their
    /// places.
    Atomic(AtomicOp),
    /// Answer to a read or an atomic: bytes of the line (an atomic's old values).
    Data,
    /// Answer to a write: it is ordered at the place that answers.
    Ack,
    /// To a gate: let everything that this GPU has stored to others arrive.
    ReleaseSystem,
    /// To a CU: start work-group `tag` of kernel `addr`; `meta` is the tag of its messages between
    /// command processors.
    StartGroup,
    /// From a CU: work-group `tag` has ended, its stores are acknowledged. From a chiplet, `meta`:
    /// the kernel's tag.
    GroupDone,
    /// To a CU, or to a chiplet for all of them: drop what the L1 holds; from a chiplet: they have.
    AcquireL1,
    /// To an L2 bank, or to a chiplet for all of them: write back, invalidate, or both.
    Sync(Sync),
    /// Answer to `AcquireL1` and `Sync`; `tag` lines were written back.
    SyncDone,
    /// Between L2 banks that a directory keeps coherent.
    Coherence(Coherence),
    /// Of an L1 design to itself: what the code, `addr`, `tag` and `meta` mean is its own affair.
    /// `mask` says which bytes of a `line` it carries, if any.
    Design(u8),
}

/// What L2 banks of different chiplets say to each other beside requests and answers (directory
/// specification, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coherence {
    /// From a home: drop the line; why is a cause of the directory.
    Invalidate(u8),
    /// To a home: tell me when all invalidations of writes before have arrived.
    Fence,
    /// From a home, behind its invalidations; `tag` is the fence's number.
    Marker,
    /// Back to it.
    Marked,
    /// From the home to whoever sent the fence.
    Fenced,
}

/// What an L2 is told at a kernel boundary (CPElide specification 3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sync {
    /// Write all dirty lines back; they stay valid.
    pub release: bool,
    /// Then invalidate all clean lines.
    pub acquire: bool,
}

/// The end point of messages: a core, an L2 bank, an L3 slice, a GPU's way out or in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit(pub u16);

/// A message between units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Message {
    /// Bytes of the line.
    pub mask: u128,
    /// Byte address of the line.
    pub addr: u64,
    /// When the access left its core; for latency statistics.
    pub born: Cycle,
    /// Payload, if any.
    pub line: Handle<Line>,
    /// The next message in the list that this one waits in.
    pub next: Handle<Message>,
    /// The sender's own number for the transaction; the answer carries it.
    pub tag: u32,
    /// Where it goes.
    pub to: Unit,
    /// Who gets the answer.
    pub from: Unit,
    /// What it is.
    pub kind: Kind,
    /// Bytes of an atomic's elements: 4 or 8.
    pub size: u8,
    /// Parts of it that a gate has sent and not got back.
    pub pieces: u16,
    /// Whatever the L1 design wants to say beside it, to and from its hooks in L2 banks. It is not
    /// sent to other GPUs. To a bank that is kept coherent: the chiplet of another GPU that asks,
    /// plus 1; 0 is any of them. In an L2's answer to a command: lines that its acquire dropped.
    pub meta: u64,
}

const _: () = assert!(size_of::<Message>() <= 64, "a message is one line of the host's cache");
