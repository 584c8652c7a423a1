//! A structure with a range of lines for each chiplet: what a kernel says it will touch, and what a
//! table entry holds.

use crate::config::{Config, MAX_CHIPLETS};
use crate::vector::{Vector, state};

/// First line of an empty range.
pub const EMPTY_FIRST: u32 = 0x0fff_ffff;
/// Lines that a range can reach from its base: 28 bits.
pub const MAX_LINES: u64 = 1 << 28;

/// A range would reach farther than 2^28 lines from its base (specification 5.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// A structure. Lines are counted from `base`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Page number: bits 43 to 12 of the address.
    pub base: u32,
    /// First line of each chiplet's range; [`EMPTY_FIRST`] where it is empty.
    pub first: [u32; MAX_CHIPLETS],
    /// Last line; 0 where the range is empty.
    pub last: [u32; MAX_CHIPLETS],
    /// States; unused while it is only what a kernel says.
    pub vector: Vector,
    /// Dirty copies may hold old lines too.
    pub mixed: bool,
    /// Read and written, by the kernel or by the last one.
    pub write: bool,
    /// The table entry that it was matched with.
    pub slot: Option<u8>,
}

/// First line of a page, counted from address 0. In halves: the core shifts 32 bits.
#[inline]
pub fn first_line(page: u32, page_shift: u32) -> u64 {
    u64::from(page >> (32 - page_shift)) << 32 | u64::from(page << page_shift)
}

impl Record {
    /// Zeros; to be reset before it is used.
    pub const ZERO: Self = Self {
        base: 0,
        first: [0; MAX_CHIPLETS],
        last: [0; MAX_CHIPLETS],
        vector: Vector(0),
        mixed: false,
        write: false,
        slot: None,
    };

    /// No chiplet touches anything of this structure.
    pub fn reset(&mut self, base: u32, write: bool, chiplets: usize) {
        (self.base, self.write, self.slot) = (base, write, None);
        (self.vector, self.mixed) = (Vector(0), false);
        (0..chiplets).for_each(|i| self.clear(i));
    }

    /// True where a chiplet has a range.
    #[inline]
    pub fn has(&self, chiplet: usize) -> bool {
        self.first[chiplet] <= self.last[chiplet]
    }

    /// Removes a chiplet's range.
    pub fn clear(&mut self, chiplet: usize) {
        self.first[chiplet] = EMPTY_FIRST;
        self.last[chiplet] = 0;
    }

    /// Extends a chiplet's range to these lines.
    #[inline]
    pub fn add(&mut self, chiplet: usize, first: u32, last: u32) {
        if self.first[chiplet] > first {
            self.first[chiplet] = first;
        }
        if self.last[chiplet] < last {
            self.last[chiplet] = last;
        }
    }

    /// True where a chiplet's range overlaps these lines.
    #[inline]
    pub fn overlaps(&self, chiplet: usize, first: u32, last: u32) -> bool {
        self.has(chiplet) && self.first[chiplet] <= last && self.last[chiplet] >= first
    }

    /// First and last line of all ranges, counted from the base.
    fn hull(&self, chiplets: usize) -> Option<(u32, u32)> {
        let mut hull = (EMPTY_FIRST, 0);
        for i in (0..chiplets).filter(|&i| self.has(i)) {
            hull = (hull.0.min(self.first[i]), hull.1.max(self.last[i]));
        }
        (hull.0 <= hull.1).then_some(hull)
    }

    /// First and last line of all ranges, counted from address 0.
    pub fn extent(&self, chiplets: usize, page_shift: u32) -> Option<(u64, u64)> {
        let base = first_line(self.base, page_shift);
        self.hull(chiplets).map(|(first, last)| (base + u64::from(first), base + u64::from(last)))
    }

    /// Counts lines from a lower base.
    pub fn rebase(&mut self, base: u32, chiplets: usize, page_shift: u32) -> Result<(), TooLong> {
        if base == self.base {
            return Ok(());
        }
        let lines = u64::from(self.base - base) << page_shift;
        let last = self.hull(chiplets).map_or(0, |(_, last)| last);
        if lines + u64::from(last) >= MAX_LINES {
            return Err(TooLong);
        }
        for i in 0..chiplets {
            if self.has(i) {
                self.first[i] += lines as u32;
                self.last[i] += lines as u32;
            }
        }
        self.base = base;
        Ok(())
    }

    /// The same with lines counted from a lower base, where that is another one.
    #[inline]
    pub fn on_base(&self, base: u32, config: &Config) -> Result<Option<Self>, TooLong> {
        if base == self.base {
            return Ok(None);
        }
        let mut rebased = *self;
        rebased.rebase(base, config.chiplets, config.page_shift)?;
        Ok(Some(rebased))
    }

    /// Takes another's ranges in, and its states (specification 5.4). The base is the lower one;
    /// the slot stays.
    pub fn join(&mut self, other: &Self, chiplets: usize, page_shift: u32) -> Result<(), TooLong> {
        let base = self.base.min(other.base);
        let mut other = *other;
        other.rebase(base, chiplets, page_shift)?;
        self.rebase(base, chiplets, page_shift)?;
        self.mixed |= other.mixed;
        self.write |= other.write;
        for i in 0..chiplets {
            if other.has(i) {
                self.add(i, other.first[i], other.last[i]);
            }
            let (a, b) = (self.vector.get(i), other.vector.get(i));
            let joined = match (a.min(b), a.max(b)) {
                (state::NP, any) => any,
                (state::D, state::S) => {
                    self.mixed = true;
                    state::D
                }
                // V and D give D, V and S give S.
                (_, larger) => larger,
            };
            self.vector.set(i, joined);
        }
        Ok(())
    }

    /// True where no two chiplets' ranges overlap.
    pub fn is_disjoint(&self, chiplets: usize) -> bool {
        (1..chiplets)
            .all(|i| !self.has(i) || (0..i).all(|j| !self.overlaps(j, self.first[i], self.last[i])))
    }
}
