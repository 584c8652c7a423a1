//! One set: lookup, victim, and what is tracked (specification 4.1, 4.3, 5.2).

use super::order::Order;

/// The base of an invalid entry; an address has no such base.
pub(super) const INVALID: u64 = u64::MAX;

/// One set, as it lies in the table. An entry is valid while it has a line.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// By way: the entry's address / bytes that it covers, or [`INVALID`].
    pub bases: &'a mut [u64],
    /// By way: bit k: line k is tracked. In hmg the four lines are one: bit 0.
    pub lines: &'a mut [u64],
    /// By way and line: the GPUs that share it. Means nothing while the line is not tracked.
    pub sharers: &'a mut [u16],
    /// Sharer fields of an entry.
    pub groups: usize,
    /// Which entry is replaced.
    pub order: &'a mut Order,
}

impl Row<'_> {
    /// The ways with this base: bit w = way w.
    #[inline(always)]
    pub fn find(&self, base: u64) -> u32 {
        let ways = self.bases.iter().enumerate();
        ways.fold(0, |found, (way, &other)| found | u32::from(other == base) << way)
    }

    /// The way that a new entry takes: the lowest invalid one, else the oldest.
    #[inline(always)]
    pub fn victim(&self) -> usize {
        match self.find(INVALID) {
            0 => self.order.oldest(),
            free => free.trailing_zeros() as usize,
        }
    }

    #[inline(always)]
    fn at(&self, way: usize, line: u32) -> usize {
        way * self.groups + line as usize
    }

    /// Sharers of a line of a valid entry; 0 when it is not tracked.
    #[inline(always)]
    pub fn sharers(&self, way: usize, line: u32) -> u16 {
        let tracked = self.lines[way] >> line & 1 != 0;
        if tracked { self.sharers[self.at(way, line)] } else { 0 }
    }

    /// Gives a line of a valid entry new sharers. Without any it is no longer tracked, and the entry
    /// is invalid once it has no line.
    #[inline(always)]
    pub fn set(&mut self, way: usize, line: u32, sharers: u16) {
        let at = self.at(way, line);
        self.sharers[at] = sharers;
        let lines = self.lines[way] & !(1 << line) | u64::from(sharers != 0) << line;
        self.lines[way] = lines;
        self.bases[way] = if lines == 0 { INVALID } else { self.bases[way] };
    }

    /// Overwrites the entry with a new one that tracks one line.
    #[inline(always)]
    pub fn allocate(&mut self, way: usize, base: u64, line: u32, sharers: u16) {
        self.bases[way] = base;
        self.lines[way] = 1 << line;
        let at = self.at(way, line);
        self.sharers[at] = sharers;
    }

    /// Makes the entry invalid.
    pub fn clear(&mut self, way: usize) {
        self.bases[way] = INVALID;
        self.lines[way] = 0;
    }

    /// Makes `way` the newest.
    #[inline(always)]
    pub fn renew(&mut self, way: usize) {
        self.order.renew(way, self.bases.len());
    }

    /// The sharers of all lines of an entry.
    #[inline(always)]
    pub fn entry(&self, way: usize) -> &[u16] {
        &self.sharers[way * self.groups..][..self.groups]
    }
}
