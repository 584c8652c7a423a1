//! One set: lookup, victim, and tracked lines (specification 4.1, 4.3, 5.2).

use super::MAX_WAYS;
use super::order::Order;

/// The base of an invalid entry, above that of any address.
const INVALID: u64 = u64::MAX;
/// Bases compared at once.
pub(super) const CHUNK: usize = 4;

/// Bit w for way w, by chunks.
const BITS: [[u64; CHUNK]; MAX_WAYS / CHUNK] = {
    let mut bits = [[0; CHUNK]; MAX_WAYS / CHUNK];
    let mut way = 0;
    while way < MAX_WAYS {
        bits[way / CHUNK][way % CHUNK] = 1 << way;
        way += 1;
    }
    bits
};

/// The entries of one set, without their sharers. An entry is valid while it tracks a line. Ways
/// that the configuration does not have are never valid.
#[derive(Clone, Debug, Hash)]
#[repr(align(64))] // no cache line holds parts of two rows
pub(super) struct Row {
    /// The ways by age.
    order: Order,
    /// Bit w: way w is valid.
    valid: u32,
    /// By way: the entry's address / bytes that it covers, or [`INVALID`].
    bases: [u64; MAX_WAYS],
    /// By way: bit k: line k is tracked. hmg: bit 0 for all four lines.
    lines: [u64; MAX_WAYS],
}

impl Row {
    /// No entry is valid.
    pub const EMPTY: Self =
        Self { order: Order::RESET, valid: 0, bases: [INVALID; MAX_WAYS], lines: [0; MAX_WAYS] };

    /// The ways with this base, of the first `chunks` chunks: bit w = way w.
    #[inline(always)]
    pub fn find(&self, base: u64, chunks: usize) -> u32 {
        // One lane for each base of a chunk, so that the loop is vectorised.
        let mut found = [0u64; CHUNK];
        for (bases, bits) in self.bases.chunks_exact(CHUNK).zip(&BITS).take(chunks) {
            for k in 0..CHUNK {
                found[k] |= if bases[k] == base { bits[k] } else { 0 };
            }
        }
        ((found[0] | found[2]) | (found[1] | found[3])) as u32
    }

    /// The way of `ways` that a new entry takes: the lowest invalid one, else the oldest.
    #[inline(always)]
    pub fn victim(&self, ways: usize) -> usize {
        let free = self.valid.trailing_ones() as usize;
        if free < ways { free } else { self.oldest() }
    }

    /// The way that was renewed longest ago.
    #[inline(always)]
    pub fn oldest(&self) -> usize {
        self.order.oldest()
    }

    /// The way holds a valid entry.
    #[inline(always)]
    pub fn is_valid(&self, way: usize) -> bool {
        self.valid >> way & 1 != 0
    }

    /// Base and lines of a valid entry.
    #[inline(always)]
    pub fn entry(&self, way: usize) -> (u64, u64) {
        (self.bases[way], self.lines[way])
    }

    /// The line of a valid entry is tracked.
    #[inline(always)]
    pub fn tracks(&self, way: usize, line: u32) -> bool {
        self.lines[way] >> line & 1 != 0
    }

    /// Marks a line of a valid entry as tracked or not. Without one the entry is invalid.
    #[inline(always)]
    pub fn track(&mut self, way: usize, line: u32, tracked: bool) {
        let lines = self.lines[way] & !(1 << line) | u64::from(tracked) << line;
        self.lines[way] = lines;
        self.valid ^= u32::from(lines == 0) << way;
        self.bases[way] = if lines == 0 { INVALID } else { self.bases[way] };
    }

    /// Overwrites the entry with a new one that tracks one line.
    #[inline(always)]
    pub fn allocate(&mut self, way: usize, base: u64, line: u32) {
        self.valid |= 1 << way;
        self.bases[way] = base;
        self.lines[way] = 1 << line;
    }

    /// Makes the entry invalid.
    #[inline(always)]
    pub fn clear(&mut self, way: usize) {
        self.valid &= !(1 << way);
        self.bases[way] = INVALID;
        self.lines[way] = 0;
    }

    /// Makes `way`, one of `ways`, the newest if `enable`.
    #[inline(always)]
    pub fn renew(&mut self, way: usize, ways: usize, enable: bool) {
        self.order.renew(way, ways, enable);
    }
}
