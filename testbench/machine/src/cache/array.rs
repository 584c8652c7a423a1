//! A set-associative array of lines with byte masks.

use std::ops::Range;

use super::{Shape, Way, Ways};
use crate::context::layout::permuted;
use crate::context::masks;

/// No miss register.
const NO_MISS: u16 = 0;

/// A set: its ways as bits. In this order, and so aligned, what finds a line among up to 32 ways is
/// one line of the host's cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Set {
    /// Ways that hold a line.
    present: u64,
    /// Of these, ways with a dirty byte.
    dirty: u64,
    /// Of these, ways that a miss register will fill: they stay.
    held: u64,
    /// Its ways are a ring, newest first; this is the newest.
    newest: u8,
    /// A byte of each address, a hash, eight in a word: they are compared first.
    prints: [u64; 8],
}

/// What is known of the line in a way, in one place of the host's memory: bytes that are valid,
/// bytes that are dirty, its address where it is present, and its miss register counted from 1. A
/// tuple, as many of zeros take the host's memory only when they are used.
type Held = (u128, u128, u64, u16);

/// A way's neighbours in its set's order of use.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbours {
    newer: u8,
    older: u8,
}

/// Lines with, for each byte, whether it is valid and whether it is dirty. Least recently used goes
/// first. In this order, and so aligned, each request finds what it needs in two lines of the
/// host's cache: the first finds its line.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Array {
    sets: Box<[Set]>,
    held: Box<[Held]>,
    shape: Shape,
    /// Of line and stride together, where that is a power of 2.
    stride_log: Option<u32>,
    /// Where the number of sets is a power of 2.
    set_mask: Option<u32>,
    /// All bytes of a line.
    all: u128,
    data: Box<[u8]>,
    order: Box<[Neighbours]>,
    /// Lines that have got their first dirty byte.
    pub dirtied: u64,
    dirty_lines: u64,
    /// Lines that are clean again because all their dirty bytes were written through.
    pub overwritten: u64,
}

/// The lowest bit of each byte of a word.
const LOW: u64 = u64::MAX / 0xff;

/// An address's print, in each byte of a word.
#[inline]
fn prints(addr: u64) -> u64 {
    (addr.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) * LOW
}

impl Array {
    /// Empty.
    pub fn new(shape: Shape) -> Self {
        assert!((1..=64).contains(&shape.ways), "{} ways", shape.ways);
        let lines = (shape.sets * shape.ways) as usize;
        let ways = shape.ways as u8;
        let ring = (0..ways)
            .map(|way| Neighbours { newer: (way + ways - 1) % ways, older: (way + 1) % ways });
        Self {
            stride_log: shape.stride.is_power_of_two().then(|| (shape.line * shape.stride).ilog2()),
            set_mask: shape.sets.is_power_of_two().then(|| shape.sets - 1),
            sets: vec![Set::default(); shape.sets as usize].into(),
            order: ring.cycle().take(lines).collect(),
            shape,
            held: vec![(0, 0, 0, NO_MISS); lines].into(),
            data: vec![0; lines * shape.line as usize].into(),
            all: masks::span(0, shape.line as usize),
            dirtied: 0,
            dirty_lines: 0,
            overwritten: 0,
        }
    }

    /// Sets, for a walk.
    pub fn sets(&self) -> u32 {
        self.shape.sets
    }

    /// Set of a line.
    #[inline]
    pub fn set_of(&self, addr: u64) -> u32 {
        let number = match self.stride_log {
            Some(log) => addr >> log,
            None => addr / u64::from(self.shape.line) / u64::from(self.shape.stride),
        };
        if self.shape.hashed {
            return permuted(number, self.shape.sets);
        }
        match self.set_mask {
            Some(mask) => number as u32 & mask,
            None => (number % u64::from(self.shape.sets)) as u32,
        }
    }

    /// The way that holds a line.
    pub fn find(&self, addr: u64) -> Option<Way> {
        let set = self.set_of(addr);
        let Set { present, ref prints, .. } = self.sets[set as usize];
        if present == 0 {
            return None;
        }
        let wanted = self::prints(addr);
        for (word, first) in prints.iter().zip((0..).step_by(8)) {
            if present >> first == 0 {
                break;
            }
            // The highest bit of each byte that is 0 is set, and of few others.
            let differ = word ^ wanted;
            let mut equal = differ.wrapping_sub(LOW) & !differ & LOW << 7;
            while equal != 0 {
                let number = first + equal.trailing_zeros() / 8;
                equal &= equal - 1;
                let way = set * self.shape.ways + number;
                if present >> number & 1 == 1 && self.addr(way) == addr {
                    return Some(way);
                }
            }
        }
        None
    }

    /// A way for a new line: an empty one, else the least recently used that is not held.
    #[inline]
    pub fn victim(&self, addr: u64) -> Option<Way> {
        let set = self.set_of(addr);
        let Set { present, held, newest, .. } = self.sets[set as usize];
        let first = set * self.shape.ways;
        let empty = present.trailing_ones();
        if empty < self.shape.ways {
            return Some(first + empty);
        }
        if held == present {
            return None;
        }
        let mut way = u32::from(self.order[(first + u32::from(newest)) as usize].newer);
        while held >> way & 1 == 1 {
            way = u32::from(self.order[(first + way) as usize].newer);
        }
        Some(first + way)
    }

    /// The ways that a new line may take.
    pub fn ways(&self, addr: u64) -> Ways {
        let set = self.set_of(addr);
        let all = u64::MAX >> (64 - self.shape.ways);
        Ways { first: set * self.shape.ways, free: all & !self.sets[set as usize].held }
    }

    /// Puts a line, with no valid byte, into a way that holds no dirty byte. It is used first by
    /// what comes next: a write, or the miss register's release.
    #[inline(always)]
    pub fn place(&mut self, way: Way, addr: u64) {
        let (valid, dirty, at, _) = &mut self.held[way as usize];
        debug_assert!(*dirty == 0, "dirty bytes would be lost");
        (*at, *valid) = (addr, 0);
        let (set, number) = self.split(way);
        let set = &mut self.sets[set as usize];
        set.present |= 1 << number;
        let word = &mut set.prints[number as usize / 8 % 8];
        let print = 0xff << (8 * (number % 8));
        *word = *word & !print | prints(addr) & print;
    }

    /// Set and number of a way.
    #[inline]
    fn split(&self, way: Way) -> (u32, u32) {
        let set = way / self.shape.ways;
        (set, way - set * self.shape.ways)
    }

    /// Marks a line as used now.
    #[inline]
    pub fn touch(&mut self, way: Way) {
        let (set, number) = self.split(way);
        self.make_newest(set, number);
    }

    #[inline(always)]
    fn make_newest(&mut self, set: u32, number: u32) {
        let newest = &mut self.sets[set as usize].newest;
        if number != u32::from(*newest) {
            let before = std::mem::replace(newest, number as u8);
            self.move_before(set, number, before);
        }
    }

    /// Puts a way before the one that was the newest in its set's order of use.
    #[inline(never)]
    fn move_before(&mut self, set: u32, number: u32, newest: u8) {
        let ring = &mut self.order[(set * self.shape.ways) as usize..][..self.shape.ways as usize];
        let oldest = ring[usize::from(newest)].newer;
        if number == u32::from(oldest) {
            return;
        }
        let moved = &mut ring[number as usize];
        let Neighbours { newer, older } = *moved;
        *moved = Neighbours { newer: oldest, older: newest };
        ring[usize::from(newer)].older = older;
        ring[usize::from(older)].newer = newer;
        ring[usize::from(oldest)].older = number as u8;
        ring[usize::from(newest)].newer = number as u8;
    }

    /// A miss register will fill the line: it stays until `release`.
    #[inline(always)]
    pub fn hold(&mut self, way: Way, miss: usize) {
        let (set, number) = self.split(way);
        self.sets[set as usize].held |= 1 << number;
        self.held[way as usize].3 = miss as u16 + 1;
    }

    /// The miss register is done with the line.
    #[inline]
    pub fn release(&mut self, way: Way) {
        let (set, number) = self.split(way);
        self.sets[set as usize].held &= !(1 << number);
        self.held[way as usize].3 = NO_MISS;
        self.make_newest(set, number);
    }

    /// Ways of the line's set that no miss register holds.
    pub fn unheld(&self, addr: u64) -> u32 {
        self.shape.ways - self.sets[self.set_of(addr) as usize].held.count_ones()
    }

    /// The miss register of the line in a way.
    #[inline]
    pub fn miss(&self, way: Way) -> Option<usize> {
        usize::from(self.held[way as usize].3).checked_sub(1)
    }

    /// Address of the line in a way that holds one.
    #[inline]
    pub fn addr(&self, way: Way) -> u64 {
        self.held[way as usize].2
    }

    /// Bytes that are valid.
    #[inline]
    pub fn valid(&self, way: Way) -> u128 {
        self.held[way as usize].0
    }

    /// Bytes that are newer than below.
    #[inline]
    pub fn dirty(&self, way: Way) -> u128 {
        self.held[way as usize].1
    }

    /// The line's bytes.
    #[inline]
    pub fn data(&self, way: Way) -> &[u8] {
        let line = self.shape.line as usize;
        &self.data[way as usize * line..][..line]
    }

    /// The line's bytes, to change them; say what became of them with `mark`.
    #[inline]
    pub fn data_mut(&mut self, way: Way) -> &mut [u8] {
        let line = self.shape.line as usize;
        &mut self.data[way as usize * line..][..line]
    }

    /// A way of the set with a dirty byte.
    #[inline]
    pub fn dirty_way(&self, set: u32) -> Option<Way> {
        let dirty = self.sets[set as usize].dirty;
        (dirty != 0).then(|| set * self.shape.ways + dirty.trailing_zeros())
    }

    /// How many lines have a dirty byte.
    pub fn dirty_lines(&self) -> u64 {
        self.dirty_lines
    }

    /// The way's first dirty byte has come, or the last one has gone.
    #[inline]
    fn turn_dirty(&mut self, way: Way) {
        let (set, number) = self.split(way);
        let dirty = &mut self.sets[set as usize].dirty;
        *dirty ^= 1 << number;
        let is_dirty = *dirty >> number & 1;
        self.dirtied += is_dirty;
        self.dirty_lines = self.dirty_lines + 2 * is_dirty - 1;
    }

    /// The bytes of `mask` are valid now, and dirty or clean.
    #[inline]
    pub fn mark(&mut self, way: Way, mask: u128, dirty: bool) {
        let (valid, now, ..) = &mut self.held[way as usize];
        *valid |= mask;
        let before = *now;
        *now = if dirty { before | mask } else { before & !mask };
        let is_dirty = *now != 0;
        if is_dirty != (before != 0) {
            self.overwritten += u64::from(!is_dirty);
            self.turn_dirty(way);
        }
    }

    /// Writes bytes.
    #[inline]
    pub fn write(&mut self, way: Way, data: &[u8], mask: u128, dirty: bool) {
        masks::copy(self.data_mut(way), data, mask);
        self.mark(way, mask, dirty);
        self.touch(way);
    }

    /// Fills the bytes that are not valid yet from below.
    #[inline]
    pub fn fill(&mut self, way: Way, data: &[u8]) {
        self.fill_bytes(way, data, self.all);
    }

    /// Fills the bytes of the mask that are not valid yet from below.
    #[inline]
    pub fn fill_bytes(&mut self, way: Way, data: &[u8], mask: u128) {
        let valid = &mut self.held[way as usize].0;
        let missing = mask & !*valid;
        *valid |= mask;
        masks::copy(self.data_mut(way), data, missing);
    }

    /// Dirty bytes have been written below.
    #[inline]
    pub fn clean(&mut self, way: Way) {
        if std::mem::take(&mut self.held[way as usize].1) != 0 {
            self.turn_dirty(way);
        }
    }

    /// Forgets all but the dirty bytes; without any, the line.
    pub fn invalidate_clean(&mut self, way: Way) {
        let (valid, dirty, _, miss) = &mut self.held[way as usize];
        *valid = *dirty;
        if *dirty == 0 && *miss == NO_MISS {
            let (set, number) = self.split(way);
            self.sets[set as usize].present &= !(1 << number);
        }
    }

    /// Forgets what is clean in a set. Gives how many lines had clean bytes.
    #[inline(always)]
    pub fn invalidate_set(&mut self, set: u32) -> u32 {
        let ways = &mut self.sets[set as usize];
        let stay = ways.dirty | ways.held;
        // A line that is not held has a valid byte.
        let lines = (ways.present & !stay).count_ones();
        ways.present &= stay;
        if stay == 0 { lines } else { lines + self.invalidate_ways(set, stay) }
    }

    /// Forgets the clean bytes of lines that stay. Gives how many lines had any.
    fn invalidate_ways(&mut self, set: u32, mut left: u64) -> u32 {
        let mut lines = 0;
        while left != 0 {
            let way = set * self.shape.ways + left.trailing_zeros();
            left &= left - 1;
            lines += u32::from(self.valid(way) & !self.dirty(way) != 0);
            self.invalidate_clean(way);
        }
        lines
    }

    /// Forgets everything that is clean, at once. Gives how many lines had clean bytes.
    pub fn invalidate_all_clean(&mut self) -> u32 {
        self.invalidate_sets(0..self.shape.sets, false).1
    }

    /// Drops what is clean in these sets, if requested only in those before the first with a
    /// dirty byte. Gives that set or the end, and how many lines had clean bytes.
    pub fn invalidate_sets(&mut self, sets: Range<u32>, before_dirty: bool) -> (u32, u32) {
        let mut lines = 0;
        for set in sets.clone() {
            if before_dirty && self.sets[set as usize].dirty != 0 {
                return (set, lines);
            }
            lines += self.invalidate_set(set);
        }
        (sets.end, lines)
    }
}
