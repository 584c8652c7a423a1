//! What one kernel does to the bytes of one page.

use crate::trace::InstrKind;
use crate::trace::limits::PAGE;

/// More than one group, or work-item.
pub const MANY: u32 = u32::MAX;

/// Granules with racy bytes whose values are collected.
pub const COLLECT: u8 = 1;
/// A racy load or atomic reads the granule.
pub const RACY_READ: u8 = 2;
/// `item` is the number of the granule's first collected byte.
pub const COLLECTED: u8 = 4;

/// How a granule is written: by nobody.
pub const NOTHING: u8 = 0;
/// By stores, exchanges, or several kinds of atomics.
pub const MIXED: u8 = 0xff;

/// 4 bytes that are accessed together, or 1 byte.
#[derive(Clone, Copy, Debug, Default)]
pub struct Granule {
    /// Group that writes it, from 1; 0: none; or [`MANY`].
    pub group: u32,
    /// Last segment, from 1, in which it is written. Used while groups are classified.
    pub segment: u32,
    /// Work-item that writes it in that segment, from 1; or [`MANY`].
    pub item: u32,
    /// [`NOTHING`], [`MIXED`], or the code of the commutative atomics that alone write it.
    pub how: u8,
    /// [`COLLECT`] and so on.
    pub flags: u8,
}

/// Code of an instruction that writes: operation and size of a commutative atomic, else [`MIXED`].
pub fn how(kind: InstrKind, size: u8) -> u8 {
    match kind {
        InstrKind::Atomic(op) if op.commutes() => 1 + op as u8 + if size == 8 { 16 } else { 0 },
        _ => MIXED,
    }
}

/// Size of the location that a code of [`how`] stands for.
pub fn cell_size(how: u8) -> u64 {
    if how > 16 { 8 } else { 4 }
}

/// A page. Most programs access 4 aligned bytes at a time: as long as all do, a granule is 4 bytes.
#[derive(Debug)]
pub struct KernelPage {
    /// Kernel that this describes.
    pub kernel: u32,
    shift: u32,
    granules: Vec<Granule>,
    /// Bytes at the kernel's start.
    pub start: [u8; PAGE as usize],
}

impl KernelPage {
    /// A page that no kernel has touched.
    pub fn new(start: [u8; PAGE as usize]) -> Self {
        let granules = vec![Granule::default(); PAGE as usize / 4];
        Self { kernel: 0, shift: 2, granules, start }
    }

    /// Begins another kernel.
    pub fn reset(&mut self, start: [u8; PAGE as usize]) {
        self.granules.fill(Granule::default());
        self.start = start;
    }

    /// Bytes of a granule.
    pub fn granule_bytes(&self) -> usize {
        1 << self.shift
    }

    /// Splits the granules to single bytes when these bytes are not whole granules.
    pub fn fit(&mut self, at: usize, len: usize) {
        if self.shift == 2 && (at | len) % 4 != 0 {
            self.shift = 0;
            self.granules = self.granules.iter().flat_map(|&granule| [granule; 4]).collect();
        }
    }

    /// The granules of bytes that [`KernelPage::fit`] has seen.
    pub fn granules_mut(&mut self, at: usize, len: usize) -> &mut [Granule] {
        &mut self.granules[at >> self.shift..(at + len) >> self.shift]
    }

    /// The granule of a byte.
    pub fn granule(&self, at: usize) -> &Granule {
        &self.granules[at >> self.shift]
    }

    /// All granules.
    pub fn all_mut(&mut self) -> &mut [Granule] {
        &mut self.granules
    }

    /// Number of the collected byte.
    pub fn collected(&self, at: usize) -> Option<usize> {
        let granule = self.granule(at);
        let within = at & (self.granule_bytes() - 1);
        (granule.flags & COLLECTED != 0).then_some(granule.item as usize + within)
    }

    /// The numbers of collected bytes mean nothing any more.
    pub fn forget_collected(&mut self) {
        for granule in &mut self.granules {
            granule.flags &= !COLLECTED;
        }
    }
}
