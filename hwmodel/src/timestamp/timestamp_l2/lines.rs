//! The lines of a bank: tags, leases, data and order of use (specification 4).

use std::hash::{Hash, Hasher};

use ports::timestamp::types::LineData;

use super::leases::Lease;

/// A way of a set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    pub valid: bool,
    /// A line that was asked of memory will take it.
    pub reserved: bool,
    pub dirty: bool,
    pub line: u64,
    pub lease: Lease,
    /// When it was used last.
    used: u64,
}

/// All lines. A place is that of a way in all of them.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    lines: Box<[Line]>,
    data: Box<[LineData]>,
    ways: usize,
    /// Bits of a line's address below its set, and the sets.
    bank_bits: u32,
    set_mask: u64,
    uses: u64,
}

impl Lines {
    /// The lines that are here or will come, and in which order those of a set were used. All
    /// leases that are over by `now` are alike; G-TSC has no such cycle, 0.
    pub fn hash_at<H: Hasher>(&self, now: u32, hasher: &mut H) {
        for (place, way) in self.lines.iter().enumerate() {
            (way.valid, way.reserved).hash(hasher);
            if way.valid {
                let set = &self.lines[place - place % self.ways..][..self.ways];
                let older = set.iter().filter(|other| other.valid && other.used < way.used);
                (way.dirty, way.line, older.count(), &self.data[place]).hash(hasher);
                Lease { rts: way.lease.rts.max(now), ..way.lease }.hash(hasher);
            }
        }
    }

    pub fn new(banks: u32, sets: u32, ways: u32) -> Self {
        let places = (sets * ways) as usize;
        Self {
            lines: vec![Line::default(); places].into(),
            data: vec![LineData::default(); places].into(),
            ways: ways as usize,
            bank_bits: banks.trailing_zeros(),
            set_mask: u64::from(sets) - 1,
            uses: 0,
        }
    }

    #[inline(always)]
    pub fn sets(&self) -> usize {
        self.set_mask as usize + 1
    }

    #[inline(always)]
    pub fn set_of(&self, line: u64) -> usize {
        (line >> self.bank_bits & self.set_mask) as usize
    }

    #[inline(always)]
    pub fn place(&self, set: usize, way: usize) -> usize {
        set * self.ways + way
    }

    #[inline(always)]
    pub fn way_of(&self, place: usize) -> u8 {
        (place % self.ways) as u8
    }

    #[inline(always)]
    pub fn at(&self, place: usize) -> &Line {
        &self.lines[place]
    }

    /// A way and its bytes.
    #[inline(always)]
    pub fn both(&mut self, place: usize) -> (&mut Line, &mut LineData) {
        (&mut self.lines[place], &mut self.data[place])
    }

    /// The ways of a set.
    #[inline(always)]
    pub fn set(&self, set: usize) -> &[Line] {
        &self.lines[set * self.ways..][..self.ways]
    }

    #[inline(always)]
    pub fn set_mut(&mut self, set: usize) -> &mut [Line] {
        &mut self.lines[set * self.ways..][..self.ways]
    }

    /// The place of a line that is present.
    #[inline(always)]
    pub fn find(&self, line: u64) -> Option<usize> {
        let set = self.set_of(line);
        let way = self.set(set).iter().position(|way| way.valid && way.line == line)?;
        Some(self.place(set, way))
    }

    #[inline(always)]
    pub fn used(&mut self, place: usize) {
        self.uses += 1;
        self.lines[place].used = self.uses;
    }

    /// Bit w: way w of a set may take another line. `may_go` says it of a line.
    #[inline(always)]
    pub fn offered(&self, set: usize, may_go: impl Fn(&Line) -> bool) -> u16 {
        let free = |way: &Line| !way.reserved && (!way.valid || may_go(way));
        let ways = self.set(set).iter().enumerate();
        ways.fold(0, |offered, (way, line)| offered | u16::from(free(line)) << way)
    }

    /// Of these ways of a set the lowest without a line, else the least recently used.
    #[inline(always)]
    pub fn victim(&self, set: usize, offered: u16) -> Option<usize> {
        let ways = self.set(set);
        let offered = (0..self.ways).filter(|way| offered >> way & 1 == 1);
        offered.min_by_key(|&way| if ways[way].valid { ways[way].used } else { 0 })
    }
}
