//! Whether the times of accesses explain what loads have seen (G-TSC specification, 6 and 8.1).
//!
//! In logical time an access stands at (generation, timestamp, cycle): each byte that a load has
//! found is that of the last write before it, an atomic has found what was just before it, no two
//! writes of a line have one timestamp, and no wave's accesses go back in that order: under SC none
//! of them, under RC none through a fence, nor, of one line, behind its writes. That order is then
//! the one of all accesses which SC asks for.
//!
//! In physical time a write stands where its bank performs it, and a load somewhere between its
//! issue and its end: under SC it finds what was there in some cycle between (linearizability);
//! under RC nothing that is older than what its wave has seen or written, or than a write
//! before a fence that was passed when the load was issued.
//!
//! What is over is written down, and looked at when the kernel ends: only then is it known that no
//! write comes between.

mod logical;
mod physical;
#[cfg(test)]
mod tests;
mod waves;

use traces::trace::{AtomicOp, PAGE};

use crate::check::atomic;
use crate::check::sequential::{Keep, WaveOf, Which};
use crate::config::memory_model::MemoryModel;
use crate::context::message::{MAX_LINE, Unit};
use crate::context::pages::PageMap;
use crate::engine::Cycle;
use waves::Waves;

/// Bytes that are written down of a kernel, at most: one that has more is not looked at.
const MOST: usize = 1 << 28;

/// A bit for each line of a page.
type Touched = [u64; PAGE as usize / MIN_LINE / 64];
/// Bytes of the shortest line.
const MIN_LINE: usize = 16;

/// Which time a design orders accesses by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Generation and timestamp.
    Logical,
    /// Cycles.
    Physical,
}

/// Logical time: generation, timestamp.
pub type Time = (u32, u32);

/// What an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The line before the kernel.
    Before,
    /// Bytes written.
    Store,
    /// Operands, and behind them what was found.
    Atomic(AtomicKind),
    /// Bytes found.
    Load,
}

impl Kind {
    fn writes(self) -> bool {
        matches!(self, Self::Store | Self::Atomic(_))
    }
}

/// Of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AtomicKind {
    /// Number of the operation in the specification.
    pub aop: u8,
    /// Bytes of an element.
    pub size: u8,
}

/// What was when an access began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Begun {
    /// Number of the wave among those of the kernel.
    wave: u32,
    /// Place of the instruction in the wave's list.
    place: u32,
    /// Fences that the wave has passed.
    fences: u32,
    /// When.
    at: u32,
    /// It is not before this.
    after: Time,
}

/// An access that is over.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Address of its line.
    pub addr: u64,
    /// When, in logical time.
    pub time: Time,
    /// The cycle in which a write was performed, or a load was over.
    pub at: u32,
    /// Generations have names of two bits: false where an older one may be meant, as four have
    /// begun since the access did. Of its line nothing is said then.
    pub is_sure: bool,
    /// What.
    pub kind: Kind,
    /// Its bytes.
    pub mask: u128,
    /// What was when it began.
    pub begun: Begun,
}

/// An access, and whose writes it has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its kernel.
    pub kernel: u32,
    /// Which it is.
    pub which: Which,
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

#[derive(Clone, Copy, Debug)]
struct Entry {
    access: Access,
    /// Where its bytes are.
    bytes: u32,
}

/// The accesses of a kernel.
#[derive(Debug)]
pub struct Timed {
    clock: Clock,
    model: MemoryModel,
    keep: Keep,
    line: usize,
    names: Vec<String>,
    kernel: u32,
    waves: Waves,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// Lines that the kernel has touched.
    touched: PageMap<Touched>,
    touched_pages: Vec<u64>,
    found: Vec<Found>,
    failure: Option<String>,
    /// Accesses looked at, and others: of kernels that were too large, of lines with an
    /// uncertain generation.
    checked: u64,
    unchecked: u64,
}

impl Timed {
    /// By a clock, for what a machine promises; for lines of so many bytes; names of units.
    pub fn new(
        clock: Clock,
        model: MemoryModel,
        keep: Keep,
        line: usize,
        names: Vec<String>,
    ) -> Self {
        Self {
            clock,
            model,
            keep,
            line,
            names,
            kernel: 0,
            waves: Waves::default(),
            entries: Vec::new(),
            bytes: Vec::new(),
            touched: PageMap::default(),
            touched_pages: Vec::new(),
            found: Vec::new(),
            failure: None,
            checked: 0,
            unchecked: 0,
        }
    }

    /// Sequential consistency is looked for, and nothing was left out.
    pub fn is_sequential(&self) -> bool {
        self.model == MemoryModel::Sc && self.unchecked == 0 && self.failure.is_none()
    }

    /// A work-group starts on a CU, with waves in these slots. `number`: of the kernel's groups.
    pub fn begin_group(&mut self, cu: Unit, number: u32, slots: &[usize]) {
        self.waves.begin_group(cu, number, slots);
    }

    /// All waves of a work-group that have not ended are at a barrier: those in these slots.
    pub fn barrier(&mut self, cu: Unit, slots: &[usize]) {
        self.waves.barrier(cu, slots);
    }

    /// A wave passes a fence, or ends: all its accesses are over.
    pub fn fence(&mut self, wave: WaveOf, now: Cycle) {
        self.waves.fence(wave, now as u32);
    }

    /// A wave issues an access of a line: the instruction at `place` of its list. The line holds
    /// these bytes if it was not touched in this kernel.
    pub fn issue(
        &mut self,
        wave: WaveOf,
        place: u32,
        now: Cycle,
        (addr, bytes): (u64, &[u8]),
    ) -> Begun {
        self.touch(addr, bytes);
        let is_sc = self.model == MemoryModel::Sc;
        let (begun, passes) = self.waves.issue(wave, place, now as u32, is_sc);
        if is_sc && passes {
            self.fail(addr, &begun, &format!("begins in cycle {now} beside an earlier one"));
        }
        begun
    }

    fn touch(&mut self, addr: u64, bytes: &[u8]) {
        let page = self.touched.get_mut(addr);
        let at = (addr % PAGE) as usize / self.line;
        if page[at / 64] >> (at % 64) & 1 == 1 {
            return;
        }
        if *page == Touched::default() {
            self.touched_pages.push(addr);
        }
        page[at / 64] |= 1 << (at % 64);
        let access = Access {
            addr,
            time: (0, 0),
            at: 0,
            is_sure: true,
            kind: Kind::Before,
            mask: u128::MAX,
            begun: Begun::default(),
        };
        self.keep(access, &[bytes]);
    }

    /// An access is over.
    pub fn over(&mut self, access: Access, bytes: &[&[u8]]) {
        let Access { time, is_sure, begun, .. } = access;
        if is_sure {
            if time < begun.after {
                let after = begun.after;
                self.fail_at(
                    &access,
                    &format!(
                        "is at {time:?}, but an earlier access of its wave \
                                                is at {after:?}"
                    ),
                );
            }
            self.waves.reach(&begun, time);
        }
        self.waves.end(&begun);
        self.keep(access, bytes);
    }

    fn keep(&mut self, access: Access, bytes: &[&[u8]]) {
        if self.bytes.len() > MOST {
            self.unchecked += 1;
            return;
        }
        self.entries.push(Entry { access, bytes: self.bytes.len() as u32 });
        bytes.iter().for_each(|bytes| self.bytes.extend_from_slice(&bytes[..self.line]));
    }

    fn fail_at(&mut self, access: &Access, what: &str) {
        let what = format!("{:?}, {what}", access.kind);
        self.fail(access.addr, &access.begun, &what);
    }

    #[cold]
    fn fail(&mut self, addr: u64, begun: &Begun, what: &str) {
        let Which { wave: WaveOf { cu, slot }, group, number, place } = self.waves.which(begun);
        let kernel = self.kernel;
        let name = &self.names[usize::from(cu.0)];
        let text = format!(
            "kernel {kernel}: wave {slot} of {name}, instruction {place} (work-group {group}, its \
             wave {number}), line {addr:#x}: {what}"
        );
        self.failure.get_or_insert(text);
    }

    /// The kernel has ended: all its accesses are over.
    pub fn end_kernel(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        if self.bytes.len() <= MOST {
            // Writes of a cycle come before loads of that cycle.
            entries.sort_by_key(|entry| {
                let Access { addr, time, at, kind, .. } = entry.access;
                (addr, time, at, kind)
            });
            self.waves.sort_fences();
            for line in entries.chunk_by(|a, b| a.access.addr == b.access.addr) {
                if line.iter().all(|entry| entry.access.is_sure) {
                    match self.clock {
                        Clock::Logical => self.explain_in_logical_time(line),
                        Clock::Physical => self.explain_in_physical_time(line),
                    }
                    self.checked += line.len() as u64;
                } else {
                    self.unchecked += line.len() as u64;
                }
            }
        } else {
            self.unchecked += entries.len() as u64;
        }
        entries.clear();
        self.entries = entries;
        self.bytes.clear();
        self.waves.clear();
        self.kernel += 1;
        for page in self.touched_pages.drain(..) {
            *self.touched.get_mut(page) = Touched::default();
        }
    }

    /// Bytes of an entry: what was there, written or found; of an atomic's the first are its
    /// operands, the second what it has found.
    fn bytes_of(&self, entry: &Entry, number: usize) -> &[u8] {
        &self.bytes[entry.bytes as usize + number * self.line..][..self.line]
    }

    /// What an access has found, if it looks.
    fn found_by(&self, entry: &Entry) -> Option<&[u8]> {
        match entry.access.kind {
            Kind::Load => Some(self.bytes_of(entry, 0)),
            Kind::Atomic(_) => Some(self.bytes_of(entry, 1)),
            _ => None,
        }
    }

    /// The first byte that an access has found, and that is another one there.
    fn differs(&self, entry: &Entry, there: &[u8; MAX_LINE]) -> Option<usize> {
        let found = self.found_by(entry)?;
        let mask = entry.access.mask;
        (0..self.line).find(|&k| mask >> k & 1 == 1 && found[k] != there[k])
    }

    /// What an access does to a line.
    fn apply(&self, entry: &Entry, line: &mut [u8; MAX_LINE]) {
        let (mask, new) = (entry.access.mask, self.bytes_of(entry, 0));
        let line = &mut line[..self.line];
        match entry.access.kind {
            Kind::Before => line.copy_from_slice(new),
            Kind::Store => crate::context::masks::copy(line, new, mask),
            Kind::Atomic(AtomicKind { aop, size }) => {
                atomic::apply(OPERATIONS[usize::from(aop)], size.into(), mask, line, new);
            }
            Kind::Load => {}
        }
    }

    /// An access is kept, to look up whose writes it has found. `writes`: those of
    /// its line that it comes behind, oldest first.
    #[cold]
    fn keep_found(&mut self, entry: &Entry, writes: &[&Access]) {
        let Access { addr, kind, mask, begun, .. } = entry.access;
        let mut read = Vec::new();
        if !matches!(kind, Kind::Store) {
            let mut left = mask;
            for write in writes.iter().rev() {
                if left & write.mask != 0 {
                    read.push((Some(self.waves.which(&write.begun)), left & write.mask));
                    left &= !write.mask;
                }
            }
            if left != 0 {
                read.push((None, left));
            }
        }
        let (kernel, which) = (self.kernel, self.waves.which(&begun));
        self.found.push(Found { kernel, which, writes: kind.writes(), line: addr, mask, read });
    }

    /// The first access that no order explains.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Accesses that were looked at, and those that were not.
    pub fn counts(&self) -> (u64, u64) {
        (self.checked, self.unchecked)
    }

    /// All accesses, where they are kept: of a line the writes in their order.
    pub fn found(&self) -> &[Found] {
        &self.found
    }
}

/// Operations of atomics as the specification numbers them (section 3).
pub const OPERATIONS: [AtomicOp; 9] = [
    AtomicOp::Add,
    AtomicOp::Min,
    AtomicOp::Max,
    AtomicOp::UMin,
    AtomicOp::UMax,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exchange,
];
