//! What caches are made of: a set-associative array of lines with byte masks, and miss registers with the
//! requests that wait in them.

use super::context::Context;
use super::engine::Handle;
use super::masks;
use super::message::{Line, Message};

const EMPTY: u64 = u64::MAX;

/// Size of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Sets, at least 1.
    pub sets: u32,
    /// Ways, at least 1.
    pub ways: u32,
    /// Bytes of a line.
    pub line: u32,
    /// Of consecutive lines of the address space every so manieth comes to this cache.
    pub stride: u32,
}

/// A place in the array.
pub type Way = u32;

/// No miss register.
const NO_MISS: u16 = u16::MAX;
/// Age of a line that must stay.
const HELD: u64 = u64::MAX;

/// Lines with, for each byte, whether it is valid and whether it is dirty. Least recently used goes first.
#[derive(Debug)]
pub struct Array {
    shape: Shape,
    line_log: u32,
    stride: u64,
    /// Where it is a power of 2.
    stride_log: Option<u32>,
    /// Where the number of sets is a power of 2.
    set_mask: Option<u64>,
    tags: Vec<u64>,
    /// When each line was used last; 0 for an empty way, [`HELD`] for a line that a miss register will fill.
    used: Vec<u64>,
    clock: u64,
    valid: Vec<u128>,
    dirty: Vec<u128>,
    /// Lines, and dirty lines, of each set: releases and acquires pass by the others.
    lines: Vec<u16>,
    dirty_lines: Vec<u16>,
    /// Miss register of the line.
    miss: Vec<u16>,
    data: Vec<u8>,
}

impl Array {
    /// Empty.
    pub fn new(shape: Shape) -> Self {
        let lines = (shape.sets * shape.ways) as usize;
        Self {
            line_log: shape.line.ilog2(),
            stride: shape.stride.into(),
            stride_log: shape.stride.is_power_of_two().then(|| shape.stride.ilog2()),
            set_mask: shape.sets.is_power_of_two().then(|| u64::from(shape.sets) - 1),
            shape,
            tags: vec![EMPTY; lines],
            used: vec![0; lines],
            clock: 0,
            valid: vec![0; lines],
            dirty: vec![0; lines],
            lines: vec![0; shape.sets as usize],
            dirty_lines: vec![0; shape.sets as usize],
            miss: vec![NO_MISS; lines],
            data: vec![0; lines * shape.line as usize],
        }
    }

    /// Sets, for a walk.
    pub fn sets(&self) -> u32 {
        self.shape.sets
    }

    /// The ways of a set.
    pub fn ways(&self, set: u32) -> std::ops::Range<Way> {
        set * self.shape.ways..(set + 1) * self.shape.ways
    }

    #[inline]
    fn set_of(&self, addr: u64) -> std::ops::Range<usize> {
        let number = match self.stride_log {
            Some(log) => addr >> self.line_log >> log,
            None => (addr >> self.line_log) / self.stride,
        };
        let set = match self.set_mask {
            Some(mask) => number & mask,
            None => number % u64::from(self.shape.sets),
        };
        let first = set as usize * self.shape.ways as usize;
        first..first + self.shape.ways as usize
    }

    /// The way that holds a line.
    #[inline]
    pub fn find(&self, addr: u64) -> Option<Way> {
        let set = self.set_of(addr);
        let tags = &self.tags[set.clone()];
        let mut at = 0;
        // Four at a time: most sets hold many lines, and most lines are not there.
        for four in tags.chunks_exact(4) {
            let hit = [four[0] == addr, four[1] == addr, four[2] == addr, four[3] == addr];
            if hit[0] | hit[1] | hit[2] | hit[3] {
                break;
            }
            at += 4;
        }
        let found = tags[at..].iter().position(|&tag| tag == addr)?;
        Some((set.start + at + found) as Way)
    }

    /// A way for a new line: an empty one, else the least recently used that nobody holds.
    #[inline]
    pub fn victim(&self, addr: u64) -> Option<Way> {
        let set = self.set_of(addr);
        let mut oldest = (HELD, 0);
        for (i, &used) in self.used[set.clone()].iter().enumerate() {
            if used < oldest.0 {
                oldest = (used, i);
            }
        }
        (oldest.0 != HELD).then_some((set.start + oldest.1) as Way)
    }

    /// Puts a line, with no valid byte, into a way that holds no dirty byte.
    pub fn place(&mut self, way: Way, addr: u64) {
        debug_assert!(self.dirty[way as usize] == 0, "dirty bytes would be lost");
        if self.tags[way as usize] == EMPTY {
            let set = self.set(way);
            self.lines[set] += 1;
        }
        self.tags[way as usize] = addr;
        self.valid[way as usize] = 0;
        self.touch(way);
    }

    /// Marks a line as used now.
    #[inline]
    pub fn touch(&mut self, way: Way) {
        self.clock += 1;
        if self.miss[way as usize] == NO_MISS {
            self.used[way as usize] = self.clock;
        }
    }

    /// A miss register will fill the line: it stays until `release`.
    pub fn hold(&mut self, way: Way, miss: usize) {
        self.used[way as usize] = HELD;
        self.miss[way as usize] = miss as u16;
    }

    /// The miss register is done with the line.
    pub fn release(&mut self, way: Way) {
        self.miss[way as usize] = NO_MISS;
        self.touch(way);
    }

    /// The miss register of the line in a way.
    #[inline]
    pub fn miss(&self, way: Way) -> Option<usize> {
        let miss = self.miss[way as usize];
        (miss != NO_MISS).then_some(usize::from(miss))
    }

    /// Address of the line in a way.
    pub fn addr(&self, way: Way) -> Option<u64> {
        Some(self.tags[way as usize]).filter(|tag| *tag != EMPTY)
    }

    /// Bytes that are valid.
    #[inline]
    pub fn valid(&self, way: Way) -> u128 {
        self.valid[way as usize]
    }

    /// Bytes that are newer than below.
    #[inline]
    pub fn dirty(&self, way: Way) -> u128 {
        self.dirty[way as usize]
    }

    /// A copy of the line's bytes, as a payload.
    pub fn payload(&self, way: Way) -> Line {
        let mut line = Line::default();
        line.0[..self.shape.line as usize].copy_from_slice(self.data(way));
        line
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

    fn set(&self, way: Way) -> usize {
        (way / self.shape.ways) as usize
    }

    /// True when a line of the set has a dirty byte.
    pub fn is_dirty(&self, set: u32) -> bool {
        self.dirty_lines[set as usize] > 0
    }

    #[inline]
    fn set_dirty(&mut self, way: Way, dirty: u128) {
        let before = std::mem::replace(&mut self.dirty[way as usize], dirty);
        if (before == 0) != (dirty == 0) {
            let set = self.set(way);
            self.dirty_lines[set] = match dirty {
                0 => self.dirty_lines[set] - 1,
                _ => self.dirty_lines[set] + 1,
            };
        }
    }

    /// The bytes of `mask` are valid now, and dirty or clean.
    #[inline]
    pub fn mark(&mut self, way: Way, mask: u128, dirty: bool) {
        self.valid[way as usize] |= mask;
        let before = self.dirty[way as usize];
        self.set_dirty(way, if dirty { before | mask } else { before & !mask });
    }

    /// Writes bytes.
    #[inline]
    pub fn write(&mut self, way: Way, data: &[u8], mask: u128, dirty: bool) {
        masks::copy(self.data_mut(way), data, mask);
        self.mark(way, mask, dirty);
        self.touch(way);
    }

    /// Fills the bytes that are not valid yet from below.
    pub fn fill(&mut self, way: Way, data: &[u8]) {
        let all = masks::span(0, self.shape.line as usize);
        let missing = all & !self.valid(way);
        masks::copy(self.data_mut(way), data, missing);
        self.valid[way as usize] = all;
    }

    /// Dirty bytes have been written below.
    pub fn clean(&mut self, way: Way) {
        self.set_dirty(way, 0);
    }

    /// Forgets all but the dirty bytes; without any, the line.
    pub fn invalidate_clean(&mut self, way: Way) {
        let at = way as usize;
        self.valid[at] = self.dirty[at];
        if self.dirty[at] == 0 && self.miss[at] == NO_MISS {
            if self.tags[at] != EMPTY {
                let set = self.set(way);
                self.lines[set] -= 1;
            }
            self.tags[at] = EMPTY;
            self.used[at] = 0;
        }
    }

    /// Forgets what is clean in a set. Gives how many lines had clean bytes.
    pub fn invalidate_set(&mut self, set: u32) -> u32 {
        if self.lines[set as usize] == 0 {
            return 0;
        }
        let mut lines = 0;
        for way in self.ways(set) {
            if self.tags[way as usize] != EMPTY {
                lines += u32::from(self.valid(way) & !self.dirty(way) != 0);
                self.invalidate_clean(way);
            }
        }
        lines
    }

    /// Forgets everything that is clean, at once. Gives how many lines had clean bytes.
    pub fn invalidate_all_clean(&mut self) -> u32 {
        (0..self.shape.sets).map(|set| self.invalidate_set(set)).sum()
    }
}

/// A list of messages, linked through the messages themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waiters {
    first: Handle<Message>,
    last: Handle<Message>,
}

impl Waiters {
    /// True without members.
    pub fn is_empty(&self) -> bool {
        !self.first.is_some()
    }

    /// The oldest.
    pub fn first(&self) -> Handle<Message> {
        self.first
    }

    /// Adds at the end.
    pub fn push(&mut self, ctx: &mut Context, message: Handle<Message>) {
        ctx.messages[message].next = Handle::NONE;
        match self.first.is_some() {
            true => ctx.messages[self.last].next = message,
            false => self.first = message,
        }
        self.last = message;
    }

    /// Forgets the oldest; `next` is what its message named as the next.
    pub fn advance(&mut self, next: Handle<Message>) {
        self.first = next;
    }
}

/// A line that is on its way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Miss {
    /// Line.
    pub addr: u64,
    /// Way that waits for it.
    pub way: Way,
    /// Requests for it, oldest first.
    pub waiters: Waiters,
    /// It has come; the requests are being served.
    pub filled: bool,
    /// Something has made it old while it was on its way: whoever waits may see it, nobody later.
    pub stale: bool,
}

/// Miss registers. Which one a line has is known by its way ([`Array::miss`]).
#[derive(Debug)]
pub struct Misses {
    misses: Vec<Miss>,
    free: Vec<u16>,
}

impl Misses {
    /// So many registers, fewer than 65535.
    pub fn new(count: u32) -> Self {
        Self {
            misses: vec![Miss::default(); count as usize],
            free: (0..count as u16).rev().collect(),
        }
    }

    /// True when all are in use.
    pub fn is_full(&self) -> bool {
        self.free.is_empty()
    }

    /// True when none is in use.
    pub fn is_idle(&self) -> bool {
        self.free.len() == self.misses.len()
    }

    /// Takes a register; one must be free.
    pub fn start(&mut self, addr: u64, way: Way) -> usize {
        let at = usize::from(self.free.pop().expect("a register is free"));
        self.misses[at] = Miss { addr, way, ..Miss::default() };
        at
    }

    /// Gives a register back.
    pub fn end(&mut self, at: usize) {
        self.free.push(at as u16);
    }

    /// Adds a request to those that wait for a line.
    pub fn park(&mut self, ctx: &mut Context, at: usize, request: Handle<Message>) {
        self.misses[at].waiters.push(ctx, request);
    }

    /// What is on its way now must not stay.
    pub fn make_all_stale(&mut self) {
        self.misses.iter_mut().for_each(|miss| miss.stale = true);
    }
}

impl std::ops::Index<usize> for Misses {
    type Output = Miss;
    fn index(&self, at: usize) -> &Miss {
        &self.misses[at]
    }
}

impl std::ops::IndexMut<usize> for Misses {
    fn index_mut(&mut self, at: usize) -> &mut Miss {
        &mut self.misses[at]
    }
}
