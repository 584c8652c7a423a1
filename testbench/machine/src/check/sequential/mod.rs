//! Whether a run was sequentially consistent: one total order of a kernel's accesses in which each
//! wave's are in program order and each load returns the last write before it (race detection
//! specification, section 6).
//!
//! A design that promises it says in which order all writes stand, when each is performed, and
//! of each load which version of its line it has read. So a write is known by its number, never by
//! its value: programs store equal values. The order of writes is given; what is left of the
//! certificate are the loads' places in it. Each takes the first one that its wave and the writes
//! that it has seen allow, so nothing is searched: if that place is behind the next write to one of
//! its bytes, no other one will do.

mod group;
mod history;
mod place;
mod tell;

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use ports::message;

use crate::context::message::{Kind, Message, Packed, Unit};

use group::{Cu, Group};
use history::History;

/// A write of the kernel that runs: a store or an atomic of a line. Counted from 1 as they are
/// sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteId(pub u32);

impl WriteId {
    /// As the sideband of its request.
    pub fn packed(self) -> Packed {
        Packed::new(&self.0, 32)
    }

    /// From there.
    pub fn of(sideband: Packed) -> Self {
        Self(sideband.get(32))
    }
}

message! {
    /// A state of a line: after so many writes of it in this kernel were performed.
    pub struct Version() {
        /// Kernel. A load in a later one must not return it.
        pub kernel: u32 = 32,
        /// Performed writes.
        pub writes: u32 = 32,
    }
}

impl Version {
    /// As the sideband of an answer.
    pub fn packed(self) -> Packed {
        Packed::new(&self, ())
    }

    /// From there.
    pub fn of(sideband: Packed) -> Self {
        sideband.get(())
    }
}

/// A wave: its CU and its slot there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WaveOf {
    /// Its CU.
    pub cu: Unit,
    /// Its slot there.
    pub slot: usize,
}

/// What a load of some bytes of a line has read: a version of the line, changed by writes of the
/// same CU that the line's copy has seen, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// What the line's copy was when it left the L2.
    pub version: Version,
    /// Writes that have changed it since, or are to be seen though they have not left the CU.
    pub own: &'a [(WriteId, u128)],
}

/// What is kept beside what the order needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// The bytes of writes and loads: those of a load must be those of the writes that it names.
    pub values: bool,
    /// Every access with its place in the order, for [`Sequential::placed`].
    pub placed: bool,
}

/// Which access: that of a line by an instruction of a wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Which {
    /// Whose.
    pub wave: WaveOf,
    /// Number of the wave's work-group.
    pub group: u32,
    /// The wave's number there.
    pub number: u16,
    /// Where the instruction stands in the wave's list.
    pub place: u32,
}

/// An access with its place in the order: behind so many writes, of which a write is itself the
/// last one. Loads of a position come behind that write, in any order that is each wave's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its kernel.
    pub kernel: u32,
    /// Which it is.
    pub which: Which,
    /// Writes of the kernel up to it.
    pub position: u32,
    /// A store or an atomic.
    pub writes: bool,
    /// Its line.
    pub line: u64,
    /// The bytes that it loads or changes.
    pub mask: u128,
    /// Of a load, or of an atomic's old bytes: the writes of its bytes; none of bytes that are
    /// as at the kernel's start.
    pub read: Vec<(Option<Which>, u128)>,
}

/// No place in a history, or none in the order yet.
const NONE: u32 = u32::MAX;

/// A write.
#[derive(Clone, Copy, Debug)]
struct Write {
    which: Which,
    /// Its place in the order of all writes, from 1.
    index: u32,
    /// Its place in its line's history.
    at: u32,
    line: u64,
}

impl Write {
    /// It has a place in the order, and is performed.
    fn is_done(&self) -> bool {
        self.index != NONE && self.at != NONE
    }
}

/// Lines by address: the address is hash enough.
#[derive(Default)]
struct LineHasher(u64);

impl Hasher for LineHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("addresses only")
    }
    fn write_u64(&mut self, addr: u64) {
        let mixed = addr.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// The oracle.
#[derive(Debug, Default)]
pub struct Sequential {
    keep: Keep,
    /// Of units, for a person.
    names: Vec<String>,
    kernel: u32,
    lines: HashMap<u64, History, BuildHasherDefault<LineHasher>>,
    /// By number, from 1.
    writes: Vec<Write>,
    /// So many of them, from the first on, are done.
    done: usize,
    ordered: u32,
    /// By unit.
    cus: Vec<Cu>,
    /// Groups that have ended, each with the number of writes that had been sent by then: what has
    /// overwritten a byte that they have loaded may not be performed yet.
    ended: VecDeque<(usize, Group)>,
    spare: Vec<Group>,
    scratch: Vec<(u32, u128)>,
    steps: u64,
    placed: Vec<Placed>,
    failure: Option<String>,
}

impl Sequential {
    /// Before the first kernel. `names`: of units.
    pub fn new(keep: Keep, names: Vec<String>) -> Self {
        Self { keep, names, ..Self::default() }
    }

    /// A kernel begins: nothing is under way, and all that was written is seen by all.
    pub fn begin_kernel(&mut self, kernel: u32) {
        self.kernel = kernel;
        self.lines.clear();
        self.writes.clear();
        (self.done, self.ordered) = (0, 0);
    }

    /// It ends: all its writes are performed, and all its groups have ended.
    pub fn end_kernel(&mut self) {
        if let Some(write) = self.writes.get(self.done) {
            let what = if write.index == NONE { "a place in the order" } else { "been performed" };
            let text = format!(
                "the kernel ends, and the write of {} has not {what}",
                self.who(&write.which)
            );
            self.fail(&text);
        }
        for (_, group) in std::mem::take(&mut self.ended) {
            self.spare.push(group);
        }
    }

    /// A store or atomic is sent. It gets its number.
    pub fn send(&mut self, wave: WaveOf, tag: u32) -> WriteId {
        let number = self.writes.len() as u32 + 1;
        let (group, at, access) = self.access(wave, tag);
        let which = group.which(wave, at, access);
        group.waves[at].accesses[access].write = number;
        self.writes.push(Write { which, index: NONE, at: NONE, line: 0 });
        WriteId(number)
    }

    /// It is the next one in the order of all writes.
    pub fn order(&mut self, write: WriteId) {
        self.ordered += 1;
        let of = &mut self.writes[write.0 as usize - 1];
        assert!(of.index == NONE, "a write has one place in the order");
        of.index = self.ordered;
        self.settle();
    }

    /// The line's version now.
    pub fn version(&self, line: u64) -> Version {
        let writes = self.lines.get(&line).map_or(0, |history| history.writes.len() as u32);
        Version { kernel: self.kernel, writes }
    }

    /// A write changes the bytes of `mask` of a line. `bytes`: the line's after it.
    pub fn perform(&mut self, write: WriteId, line: u64, mask: u128, bytes: &[u8]) {
        let history = self.lines.entry(line).or_default();
        let of = &mut self.writes[write.0 as usize - 1];
        assert!(of.at == NONE, "a write is performed once");
        (of.at, of.line) = (history.writes.len() as u32, line);
        history.writes.push(write.0);
        history.masks.push(mask);
        // One that has no place yet may get any.
        history.mixed |= of.index < history.last || of.index == NONE;
        history.last = of.index;
        if self.keep.values {
            history.values.push(mask, bytes);
        }
        self.settle();
    }

    /// For a bank's hook, when the bank answers a request: gives the version of the line that the
    /// answer takes with it, and performs a write, whose number is the request's sideband. `bytes`:
    /// the line's after that.
    pub fn serve(&mut self, asked: &Message, bytes: &[u8]) -> Version {
        let version = self.version(asked.addr);
        if asked.kind != Kind::Read {
            self.perform(WriteId::of(asked.sideband), asked.addr, asked.mask, bytes);
        }
        version
    }

    /// What a load has read, or an atomic before it was performed: the bytes of `mask` of a line.
    /// `bytes`: the line's. Of a load that reads several times before its wave goes on, the last
    /// time counts. A load that is answered again, or was dropped by a replay, is not said.
    pub fn read(
        &mut self,
        wave: WaveOf,
        tag: u32,
        (line, mask): (u64, u128),
        seen: Seen,
        bytes: &[u8],
    ) {
        let values = self.keep.values;
        let (group, at, access) = self.access(wave, tag);
        let which = group.which(wave, at, access);
        let first_own = group.own.len() as u32;
        group.own.extend(seen.own.iter().map(|&(write, mask)| (write.0, mask)));
        let read = &mut group.waves[at].accesses[access].read;
        read.mask = mask;
        read.line = line;
        read.writes = seen.version.writes;
        read.own = (first_own, seen.own.len() as u32);
        if values {
            read.bytes = group.bytes.len();
            history::put(&mut group.bytes, mask, bytes);
        }
        if seen.version.kernel != self.kernel {
            let text = format!(
                "{} loads line {line:#x} with its contents of kernel {}",
                self.who(&which),
                seen.version.kernel
            );
            self.fail(&text);
        } else if seen.version.writes > self.version(line).writes {
            let text = format!("{} loads a future version of line {line:#x}", self.who(&which));
            self.fail(&text);
        }
    }

    /// The first access that no order explains, for a person.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// All accesses of groups that have ended, where they are kept.
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    /// How many entries of histories were looked at: what checking costs.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Groups get their places once all writes are done that were sent before they ended.
    fn settle(&mut self) {
        while self.writes.get(self.done).is_some_and(Write::is_done) {
            self.done += 1;
        }
        while self.ended.front().is_some_and(|(sent, _)| *sent <= self.done) {
            let Some((_, group)) = self.ended.pop_front() else { return };
            self.place(&group);
            self.spare.push(group);
        }
    }

    #[cold]
    fn fail(&mut self, text: &str) {
        let kernel = self.kernel;
        self.failure
            .get_or_insert_with(|| format!("not sequentially consistent: kernel {kernel}: {text}"));
    }
}

#[cfg(test)]
mod tests;
