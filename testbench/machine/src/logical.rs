//! Whether logical time explains what loads have seen (G-TSC specification, 8.1): each byte is that
//! of the write to it with the greatest (generation, timestamp) that is not above the load's own;
//! an atomic has found what was there just before it; no two writes of a line have one timestamp;
//! and, where a wave's accesses are in order, none is before those that were over when it began.
//!
//! What is over is written down, and looked at when the kernel ends: only then is it known that no
//! write comes between.

use traces::trace::{AtomicOp, PAGE};

use crate::atomic;
use crate::message::{MAX_LINE, Unit};
use crate::pages::PageMap;

/// Bytes that are written down of a kernel, at most: one that has more is not looked at.
const MOST: usize = 1 << 28;

/// A bit for each line of a page.
type Touched = [u64; PAGE as usize / MIN_LINE / 64];
/// Bytes of the shortest line.
const MIN_LINE: usize = 16;

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

/// Of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AtomicKind {
    /// Number of the operation in the specification.
    pub aop: u8,
    /// Bytes of an element.
    pub size: u8,
}

/// An access that is over.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Address of its line.
    pub addr: u64,
    /// When.
    pub time: Time,
    /// Generations have names of two bits: false where an older one may be meant, as four have
    /// begun since the access did. Of its line nothing is said then.
    pub is_sure: bool,
    /// What.
    pub kind: Kind,
    /// Its bytes.
    pub mask: u128,
    /// Whose.
    pub who: (Unit, u16),
    /// It is not before this: the latest of what was over when it began, where that counts.
    pub after: Time,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    access: Access,
    /// Where its bytes are.
    at: u32,
}

/// The accesses of a kernel.
#[derive(Debug)]
pub struct Logical {
    line: usize,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// Lines that the kernel has touched.
    touched: PageMap<Touched>,
    touched_pages: Vec<u64>,
    names: Vec<String>,
    failure: Option<String>,
    /// Accesses looked at, and others: of kernels that were too large, of lines of which somebody's
    /// generation is not sure.
    checked: u64,
    unchecked: u64,
}

impl Logical {
    /// For lines of so many bytes; names of units.
    pub fn new(line: usize, names: Vec<String>) -> Self {
        Self {
            line,
            entries: Vec::new(),
            bytes: Vec::new(),
            touched: PageMap::default(),
            touched_pages: Vec::new(),
            names,
            failure: None,
            checked: 0,
            unchecked: 0,
        }
    }

    /// A line is touched, which holds these bytes if nobody has touched it in this kernel.
    pub fn touch(&mut self, addr: u64, bytes: &[u8]) {
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
            is_sure: true,
            kind: Kind::Before,
            mask: u128::MAX,
            who: (Unit::default(), 0),
            after: (0, 0),
        };
        self.keep(access, &[bytes]);
    }

    /// An access is over.
    pub fn over(&mut self, access: Access, bytes: &[&[u8]]) {
        let Access { time, is_sure, after, .. } = access;
        if is_sure && time < after {
            self.fail(&access, &format!("is at {time:?}, and one before it at {after:?}"));
        }
        self.keep(access, bytes);
    }

    fn keep(&mut self, access: Access, bytes: &[&[u8]]) {
        if self.bytes.len() > MOST {
            self.unchecked += 1;
            return;
        }
        self.entries.push(Entry { access, at: self.bytes.len() as u32 });
        bytes.iter().for_each(|bytes| self.bytes.extend_from_slice(&bytes[..self.line]));
    }

    #[cold]
    fn fail(&mut self, access: &Access, what: &str) {
        let Access { addr, kind, who: (unit, wave), .. } = access;
        let name = &self.names[usize::from(unit.0)];
        let text = format!("{kind:?} of line {addr:#x} by wave {wave} of {name} {what}");
        self.failure.get_or_insert(text);
    }

    /// The kernel has ended: all its accesses are over.
    pub fn end_kernel(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        if self.bytes.len() <= MOST {
            // Writes of a time come before loads of that time.
            entries.sort_by_key(|entry| {
                let Access { addr, time, kind, .. } = entry.access;
                (addr, time, kind)
            });
            for line in entries.chunk_by(|a, b| a.access.addr == b.access.addr) {
                if line.iter().all(|entry| entry.access.is_sure) {
                    self.explain(line);
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
        for page in self.touched_pages.drain(..) {
            *self.touched.get_mut(page) = Touched::default();
        }
    }

    /// The accesses of a line, in the order of logical time.
    fn explain(&mut self, line: &[Entry]) {
        let mut now = [0; MAX_LINE];
        let mut last: Option<Time> = None;
        for entry in line {
            let Access { time, kind, mask, .. } = entry.access;
            let at = entry.at as usize;
            let bytes = |number: usize| at + number * self.line..at + (number + 1) * self.line;
            if matches!(kind, Kind::Store | Kind::Atomic(_)) {
                if last == Some(time) {
                    self.fail(&entry.access, &format!("is at {time:?}, as another write is"));
                    return;
                }
                last = Some(time);
            }
            let found = match kind {
                Kind::Load => Some(bytes(0)),
                Kind::Atomic(_) => Some(bytes(1)),
                _ => None,
            };
            if let Some(found) = found {
                let found = &self.bytes[found];
                let wrong = (0..self.line).find(|&k| mask >> k & 1 == 1 && found[k] != now[k]);
                if let Some(k) = wrong {
                    let (found, there) = (found[k], now[k]);
                    let what = format!(
                        "at {time:?} has found {found:#04x} in byte {k}; the last write before \
                         that time has left {there:#04x}"
                    );
                    self.fail(&entry.access, &what);
                    return;
                }
            }
            let new = &self.bytes[bytes(0)];
            match kind {
                Kind::Before => now[..self.line].copy_from_slice(new),
                Kind::Store => crate::masks::copy(&mut now[..self.line], new, mask),
                Kind::Atomic(AtomicKind { aop, size }) => {
                    let op = OPERATIONS[usize::from(aop)];
                    atomic::apply(op, size.into(), mask, &mut now[..self.line], new);
                }
                Kind::Load => {}
            }
        }
    }

    /// The first access that logical time does not explain.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Accesses that were looked at, and those that were not.
    pub fn counts(&self) -> (u64, u64) {
        (self.checked, self.unchecked)
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

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: usize = 64;

    /// A line in which nothing has been written.
    fn begun() -> Logical {
        let mut logical = Logical::new(LINE, vec!["cu".into()]);
        logical.touch(0, &[0; LINE]);
        logical
    }

    fn access(kind: Kind, time: Time, wave: u16) -> Access {
        let who = (Unit(0), wave);
        Access { addr: 0, time, is_sure: true, kind, mask: 1, who, after: (0, 0) }
    }

    /// Stores 5 at time 12; a load at `time` has found `found`.
    fn finds(time: Time, found: u8) -> bool {
        let mut logical = begun();
        logical.over(access(Kind::Load, time, 1), &[&[found; LINE]]);
        logical.over(access(Kind::Store, (0, 12), 0), &[&[5; LINE]]);
        logical.end_kernel();
        logical.failure().is_none()
    }

    #[test]
    fn a_load_finds_the_last_write_that_is_not_above_it() {
        for (time, right) in [((0, 11), 0), ((0, 12), 5), ((0, 13), 5), ((1, 1), 5)] {
            assert!(finds(time, right), "{time:?}");
            assert!(!finds(time, 5 - right), "{time:?}");
        }
    }

    #[test]
    fn an_atomic_finds_what_was_before_it() {
        let add = Kind::Atomic(AtomicKind { aop: 0, size: 4 });
        for (found, is_right) in [(5, true), (0, false)] {
            let mut logical = begun();
            let mask = 0b1111;
            let store = Access { mask, ..access(Kind::Store, (0, 3), 0) };
            logical.over(store, &[&[5; LINE]]);
            let atomic = Access { mask, ..access(add, (0, 9), 0) };
            logical.over(atomic, &[&[1; LINE], &[found; LINE]]);
            let load = Access { mask, ..access(Kind::Load, (0, 9), 1) };
            logical.over(load, &[&[6; LINE]]);
            logical.end_kernel();
            assert_eq!(logical.failure().is_none(), is_right);
        }
    }

    #[test]
    fn two_writes_at_one_time_and_an_access_before_its_wave_are_found() {
        let mut logical = begun();
        for wave in 0..2 {
            logical.over(access(Kind::Store, (0, 3), wave), &[&[5; LINE]]);
        }
        logical.end_kernel();
        assert!(logical.failure().is_some());
        for (after, fails) in [((0, 60), false), ((1, 1), false), ((1, 2), true)] {
            let mut logical = begun();
            let load = Access { after, ..access(Kind::Load, (1, 1), 0) };
            logical.over(load, &[&[0; LINE]]);
            logical.end_kernel();
            assert_eq!(logical.failure().is_some(), fails);
        }
    }

    #[test]
    fn a_kernel_begins_with_what_is_there_then() {
        let mut logical = begun();
        logical.over(access(Kind::Store, (0, 3), 0), &[&[5; LINE]]);
        logical.end_kernel();
        logical.touch(0, &[7; LINE]);
        logical.touch(0, &[8; LINE]);
        logical.over(access(Kind::Load, (0, 1), 0), &[&[7; LINE]]);
        logical.end_kernel();
        assert_eq!(logical.failure(), None);
    }
}
