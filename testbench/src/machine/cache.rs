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

/// Lines with, for each byte, whether it is valid and whether it is dirty. Least recently used goes first.
#[derive(Debug)]
pub struct Array {
    shape: Shape,
    tags: Vec<u64>,
    used: Vec<u64>,
    clock: u64,
    valid: Vec<u128>,
    dirty: Vec<u128>,
    /// A miss register will fill the line: it must stay.
    held: Vec<bool>,
    data: Vec<u8>,
}

impl Array {
    /// Empty.
    pub fn new(shape: Shape) -> Self {
        let lines = (shape.sets * shape.ways) as usize;
        Self {
            shape,
            tags: vec![EMPTY; lines],
            used: vec![0; lines],
            clock: 0,
            valid: vec![0; lines],
            dirty: vec![0; lines],
            held: vec![false; lines],
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
        let number = addr / u64::from(self.shape.line) / u64::from(self.shape.stride);
        let first = (number % u64::from(self.shape.sets)) as usize * self.shape.ways as usize;
        first..first + self.shape.ways as usize
    }

    /// The way that holds a line.
    #[inline]
    pub fn find(&self, addr: u64) -> Option<Way> {
        let set = self.set_of(addr);
        let at = self.tags[set.clone()].iter().position(|&tag| tag == addr)?;
        Some((set.start + at) as Way)
    }

    /// A way for a new line: an empty one, else the least recently used that nobody holds.
    #[inline]
    pub fn victim(&self, addr: u64) -> Option<Way> {
        let set = self.set_of(addr);
        let age = |way: &usize| if self.tags[*way] == EMPTY { 0 } else { self.used[*way] };
        set.filter(|&way| !self.held[way]).min_by_key(age).map(|way| way as Way)
    }

    /// Puts a line, with no valid byte, into a way that holds no dirty byte.
    pub fn place(&mut self, way: Way, addr: u64) {
        debug_assert!(self.dirty[way as usize] == 0, "dirty bytes would be lost");
        self.tags[way as usize] = addr;
        self.valid[way as usize] = 0;
        self.touch(way);
    }

    /// Marks a line as used now.
    #[inline]
    pub fn touch(&mut self, way: Way) {
        self.clock += 1;
        self.used[way as usize] = self.clock;
    }

    /// Keeps a line from being a victim, or lets it go.
    pub fn hold(&mut self, way: Way, hold: bool) {
        self.held[way as usize] = hold;
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

    /// The bytes of `mask` are valid now, and dirty or clean.
    #[inline]
    pub fn mark(&mut self, way: Way, mask: u128, dirty: bool) {
        let way = way as usize;
        self.valid[way] |= mask;
        match dirty {
            true => self.dirty[way] |= mask,
            false => self.dirty[way] &= !mask,
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
    pub fn fill(&mut self, way: Way, data: &[u8]) {
        let all = masks::span(0, self.shape.line as usize);
        let missing = all & !self.valid(way);
        masks::copy(self.data_mut(way), data, missing);
        self.valid[way as usize] = all;
    }

    /// Dirty bytes have been written below.
    pub fn clean(&mut self, way: Way) {
        self.dirty[way as usize] = 0;
    }

    /// Forgets all but the dirty bytes; without any, the line.
    pub fn invalidate_clean(&mut self, way: Way) {
        let at = way as usize;
        self.valid[at] = self.dirty[at];
        if self.dirty[at] == 0 && !self.held[at] {
            self.tags[at] = EMPTY;
        }
    }

    /// Forgets everything that is clean, at once. Gives how many lines there were.
    pub fn invalidate_all_clean(&mut self) -> u32 {
        let ways = 0..self.tags.len() as Way;
        let clean = |&way: &Way| self.valid(way) & !self.dirty(way) != 0;
        let lines = ways.clone().filter(clean).count() as u32;
        ways.for_each(|way| self.invalidate_clean(way));
        lines
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

/// Miss registers: few, looked through one by one.
#[derive(Debug)]
pub struct Misses {
    /// Address of each register; `EMPTY` when it is free.
    addrs: Vec<u64>,
    misses: Vec<Miss>,
    in_use: u32,
}

impl Misses {
    /// So many registers.
    pub fn new(count: u32) -> Self {
        Self {
            addrs: vec![EMPTY; count as usize],
            misses: vec![Miss::default(); count as usize],
            in_use: 0,
        }
    }

    /// True when all are in use.
    pub fn is_full(&self) -> bool {
        self.in_use as usize == self.addrs.len()
    }

    /// The register of a line.
    #[inline]
    pub fn find(&self, addr: u64) -> Option<usize> {
        if self.in_use == 0 {
            return None;
        }
        self.addrs.iter().position(|&a| a == addr)
    }

    /// Takes a register; one must be free.
    pub fn start(&mut self, addr: u64, way: Way) -> usize {
        let at = self.addrs.iter().position(|&a| a == EMPTY).expect("a register is free");
        self.addrs[at] = addr;
        self.misses[at] = Miss { addr, way, ..Miss::default() };
        self.in_use += 1;
        at
    }

    /// Gives a register back.
    pub fn end(&mut self, at: usize) {
        self.addrs[at] = EMPTY;
        self.in_use -= 1;
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
