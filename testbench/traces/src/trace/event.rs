//! What happens in a program, apart from what its warps do.

use super::instr::AtomicOp;
use super::streams::Bound;
use super::wire::little_endian;

/// One step of the program, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A buffer comes to be. All bytes are 0 until they are written.
    Alloc {
        /// First byte, a multiple of 128, below 2^44. Never used before in this trace, nor any
        /// byte of its pages.
        addr: u64,
        /// Size, at least 1.
        bytes: u64,
        /// Name, for reports.
        name: String,
        /// It is private memory (a GPU's local memory, where registers spill): four aligned bytes
        /// belong to one work-item of a kernel.
        private: bool,
    },
    /// The buffer at this address ends.
    Free {
        /// First byte.
        addr: u64,
    },
    /// The host writes.
    HostWrite {
        /// First byte.
        addr: u64,
        /// Bytes.
        data: Vec<u8>,
    },
    /// The host reads: memory must show what the program left there.
    HostRead {
        /// First byte.
        addr: u64,
        /// Bytes.
        bytes: u64,
    },
    /// A kernel runs. Without streams it comes to its end, system scope release included, before
    /// anything else happens.
    Kernel(KernelHead),
    /// The program has several streams, whose kernels may overlap: of each the chiplets that it
    /// runs on. Once, before all kernels. The host waits for all streams before it writes, reads
    /// or frees anything.
    Streams(Vec<Bound>),
    /// A stream's kernels from here on begin when those of another so far have ended.
    Wait {
        /// Who waits.
        stream: u8,
        /// For whom.
        of: u8,
    },
}

/// How a kernel may use an argument (CPElide, MICRO'24, section III-B).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Read only.
    Read,
    /// Read and written, or unknown.
    ReadWrite,
}

/// A kernel and what is known of it before any of its work-groups runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelHead {
    /// Name.
    pub name: String,
    /// Work-items in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub local: [u32; 3],
    /// Work-groups; group g is at x = g mod nx, and so on.
    pub groups: u32,
    /// Bytes of work-group memory, which each work-group has by itself.
    pub group_memory: u32,
    /// Stream (queue) of the launch. Kernels of one stream run one after another, and where the
    /// program has no event of streams all do.
    pub stream: u8,
    /// Arguments.
    pub args: Vec<Arg>,
    /// Bytes with more than one possible value, ascending by address.
    pub racy: Vec<RacyByte>,
    /// Locations of integer atomics whose old values are checked as a range, ascending by address.
    pub atomics: Vec<AtomicCell>,
    /// Pages that no kernel before has touched, with the first work-group, in the trace's order,
    /// that does: ascending by work-group.
    pub first_touches: Vec<FirstTouch>,
}

/// The first work-group of a program that touches a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstTouch {
    /// First byte of the page, a multiple of 4096.
    pub page: u64,
    /// Work-group of the kernel.
    pub group: u32,
}

impl KernelHead {
    /// True when a racy load, or the old value of a racy atomic, may be these bytes at this time. A
    /// location of integer atomics that lies only in part in the load is not checked.
    pub fn may_hold(&self, addr: u64, bytes: &[u8]) -> bool {
        let end = addr + bytes.len() as u64;
        let mut at = addr;
        while at < end {
            if let Ok(found) = self.racy.binary_search_by_key(&at, |byte| byte.addr) {
                if !self.racy[found].during.contains(bytes[(at - addr) as usize]) {
                    return false;
                }
                at += 1;
                continue;
            }
            let after = self.atomics.partition_point(|cell| cell.addr <= at);
            let cell = after.checked_sub(1).map(|i| &self.atomics[i]);
            let Some(cell) = cell.filter(|cell| at - cell.addr < u64::from(cell.size)) else {
                return false;
            };
            let cell_end = cell.addr + u64::from(cell.size);
            if cell.addr >= addr && cell_end <= end {
                let of_cell = &bytes[(cell.addr - addr) as usize..(cell_end - addr) as usize];
                if !cell.admits(little_endian(of_cell)) {
                    return false;
                }
            }
            at = cell_end;
        }
        true
    }
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Name in the source.
    pub name: String,
    /// Value.
    pub kind: ArgKind,
}

/// What an argument is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A scalar, a null pointer or local memory.
    Plain,
    /// Memory.
    Buffer {
        /// First byte.
        addr: u64,
        /// Bytes.
        bytes: u64,
        /// How it is used.
        mode: Mode,
        /// Which work-groups use which part; empty: each may use all of it.
        ranges: Vec<ScheduleRange>,
    },
}

/// A label of the programmer (`hipSetAccessModeRange`): the first of `of` equal parts of the
/// work-groups and so on use only these bytes. The machine asks with its own number of chiplets, so
/// a range is given per work-group span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleRange {
    /// First work-group of the span.
    pub first_group: u32,
    /// Last work-group of the span, inclusive.
    pub last_group: u32,
    /// First byte used by the span.
    pub addr: u64,
    /// Bytes used by the span.
    pub bytes: u64,
}

/// A set of byte values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteSet(pub [u64; 4]);

impl ByteSet {
    /// Adds a value.
    pub fn insert(&mut self, value: u8) {
        self.0[usize::from(value >> 6)] |= 1 << (value & 63);
    }

    /// True when the value is a member.
    pub fn contains(&self, value: u8) -> bool {
        self.0[usize::from(value >> 6)] >> (value & 63) & 1 == 1
    }

    /// The set of one value.
    pub fn of(value: u8) -> Self {
        let mut set = Self::default();
        set.insert(value);
        set
    }

    /// Adds the members of another set.
    pub fn join(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    /// All 256 values.
    pub fn any() -> Self {
        Self([u64::MAX; 4])
    }

    /// Members, in ascending order.
    pub fn values(&self) -> impl Iterator<Item = u8> {
        let words = [0, 64, 128, 192].into_iter().zip(self.0);
        words.flat_map(|(first, mut left): (u8, u64)| {
            std::iter::from_fn(move || {
                let lowest = (left != 0).then(|| first + left.trailing_zeros() as u8);
                left &= left.wrapping_sub(1);
                lowest
            })
        })
    }

    /// Number of members.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    /// True without members.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }
}

/// A byte that a racy load of the kernel reads, or that the kernel leaves, or found, with more than
/// one possible value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RacyByte {
    /// Address.
    pub addr: u64,
    /// What a racy load may return during the kernel: values at the start, and all that is stored.
    pub during: ByteSet,
    /// What memory may hold after the kernel; one member when the last value is determined.
    pub after: ByteSet,
}

/// A location of 4 or 8 bytes that this kernel changes only by commutative integer atomics of one
/// kind. Its final value is determined; a value seen in between lies in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicCell {
    /// First byte.
    pub addr: u64,
    /// Bytes, 4 or 8.
    pub size: u8,
    /// The operation of all of them; never `Exchange`.
    pub op: AtomicOp,
    /// Least value that may be seen, as the operation compares: sign-extended, but zero-extended
    /// for unsigned minimum and maximum. And, or, xor: bits set in every value that may be seen.
    pub low: i64,
    /// Greatest value that may be seen. And, or, xor: bits set in any value that may be seen.
    pub high: i64,
}

impl AtomicCell {
    /// True when the location may hold this value, given in its low `size` bytes, during the
    /// kernel.
    pub fn admits(&self, value: u64) -> bool {
        let signed = AtomicOp::sign_extend(value, self.size);
        let zeroed = AtomicOp::truncate(value, self.size);
        match self.op {
            AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => {
                let (all, any) = (self.low as u64, self.high as u64);
                zeroed & all == all && zeroed & !any == 0
            }
            AtomicOp::UMin | AtomicOp::UMax => {
                (self.low as u64..=self.high as u64).contains(&zeroed)
            }
            _ => (self.low..=self.high).contains(&signed),
        }
    }
}
