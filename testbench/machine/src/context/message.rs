//! What components say to each other.

use ports::{Reader, Signal, Writer};
use traces::trace::AtomicOp;

use crate::engine::pool::Handle;

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
    /// Signatures of what was written.
    Signature,
}

/// Number of classes.
pub const CLASSES: usize = 7;

impl Class {
    /// All classes, in the order of their numbers.
    pub const ALL: [Self; CLASSES] = [
        Self::Request,
        Self::Data,
        Self::Write,
        Self::Acknowledgement,
        Self::Invalidation,
        Self::Launch,
        Self::Signature,
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
            Self::Signature => "signature",
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
    /// Start a work-group: to a chiplet, with a [`ToStart`], and to one of its CUs, with its
    /// number, a `u32`.
    StartGroup,
    /// From a CU, then from its chiplet: a work-group has ended, its stores are acknowledged.
    GroupDone,
    /// To a CU, or to a chiplet for all of them: make what the L1 holds safe for a kernel that
    /// begins; from a chiplet: they have.
    AcquireL1,
    /// To an L2 bank, or to a chiplet for all of them: write back, invalidate, or both.
    Sync(Sync),
    /// Answer to `AcquireL1`, `Sync` and `ReleaseSystem`; of a `Sync` it says what was done, a
    /// [`Synced`].
    SyncDone,
    /// Between L2 banks that a directory keeps coherent.
    Coherence(Coherence),
    /// Of an L1 design to itself, counted in this class: what it says, and the bytes of `mask` of a
    /// `line` if it carries one.
    Design(Class),
}

/// What L2 banks of different chiplets say to each other beside requests and answers (directory
/// specification, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coherence {
    /// From a home: drop the line; why is a cause of the directory.
    Invalidate(u8),
    /// To a home: notify the sender when all invalidations of earlier writes have arrived.
    Fence,
    /// From a home, behind its invalidations: the fence's number.
    Marker(u8),
    /// Back to it.
    Marked(u8),
    /// From the home to the sender of the fence.
    Fenced,
}

/// A command to an L2 at a kernel boundary (CPElide specification 3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sync {
    /// Write all dirty lines back; they stay valid.
    pub release: bool,
    /// Then invalidate all clean lines.
    pub acquire: bool,
}

/// What a chiplet is to start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToStart {
    /// The work-group whose turn it is.
    pub group: u32,
    /// Work-groups of the kernel that the chiplet is to start after this one.
    pub more: u32,
}

impl Signal for ToStart {
    type Shape = ();
    fn width((): ()) -> u32 {
        64
    }
    fn put(&self, (): (), to: &mut Writer) {
        self.group.put(32, to);
        self.more.put(32, to);
    }
    fn get(&mut self, (): (), from: &mut Reader) {
        self.group.get(32, from);
        self.more.get(32, from);
    }
}

/// What a synchronisation did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// Lines written back.
    pub written: u32,
    /// Whether any line was dropped.
    pub dropped: bool,
}

impl Signal for Synced {
    type Shape = ();
    fn width((): ()) -> u32 {
        33
    }
    fn put(&self, (): (), to: &mut Writer) {
        self.written.put(32, to);
        self.dropped.put(1, to);
    }
    fn get(&mut self, (): (), from: &mut Reader) {
        self.written.get(32, from);
        self.dropped.get(1, from);
    }
}

/// A value of the sender's own type, declared with `message!`, of at most 64 bits. 0 if it is
/// unused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed(u64);

impl Packed {
    /// Packs a value.
    pub fn new<T: Signal>(value: &T, shape: T::Shape) -> Self {
        let mut words = [0; 2];
        let mut writer = Writer::new(&mut words);
        value.put(shape, &mut writer);
        writer.align();
        Self(u64::from(words[0]) | u64::from(words[1]) << 32)
    }

    /// The value that was packed.
    pub fn get<T: Signal>(self, shape: T::Shape) -> T {
        let mut value = T::default();
        value.get(shape, &mut Reader::new(&[self.0 as u32, (self.0 >> 32) as u32]));
        value
    }
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
    /// What the L1 design says beside it: from request to answer, to and from its hooks in L2
    /// banks, and in messages to and from its units. To other GPUs only where the design crosses.
    pub sideband: Packed,
    /// When the access left its core, modulo 2^32; for latency statistics.
    pub born: u32,
    /// Payload, if any.
    pub line: Handle<Line>,
    /// The next message in the list that this one waits in.
    pub next: Handle<Message>,
    /// The sender's own number for the transaction; the answer carries it.
    pub tag: u32,
    /// What it is.
    pub kind: Kind,
    /// Where it goes.
    pub to: Unit,
    /// Who gets the answer.
    pub from: Unit,
    /// Parts of it that a gate has sent and not got back.
    pub pieces: u16,
    /// Bytes of an atomic's elements: 4 or 8.
    pub size: u8,
    /// From another GPU to a bank that is kept coherent: the chiplet that asks, plus 1; 0 if
    /// unknown.
    pub asker: u8,
    /// In an answer to a CU: what the bank's policy says of the line to that of the L1
    /// (`[sharing]`). 0 from others.
    pub hint: u8,
    /// Bytes that the L1 design adds to the header for what it says.
    pub said: u8,
    /// It, what it answers, or what that has waited for has passed a link between chiplets or GPUs.
    pub has_passed_a_link: bool,
    /// Number of the sampled request that it carries on, for timelines; 0 for none.
    pub sample: u16,
}

const _: () = assert!(size_of::<Message>() <= 64, "a message is one line of the host's cache");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_values_come_back() {
        for synced in [(0, true), (u32::MAX, true), (7, false)] {
            let synced = Synced { written: synced.0, dropped: synced.1 };
            assert_eq!(Packed::new(&synced, ()).get::<Synced>(()), synced);
        }
        assert_eq!(Packed::new(&0x1234_u16, 16).get::<u16>(16), 0x1234);
        assert_eq!(Packed::new(&u64::MAX, 64).get::<u64>(64), u64::MAX);
    }
}
