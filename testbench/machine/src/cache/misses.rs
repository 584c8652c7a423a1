//! Miss registers with the requests that wait in them.

use super::Way;
use crate::context::Context;
use crate::context::message::Message;
use crate::engine::pool::Handle;

/// A list of messages, linked through the messages themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waiters {
    first: Handle<Message>,
    last: Handle<Message>,
}

impl Waiters {
    /// True without members.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.first.is_some()
    }

    /// The oldest.
    #[inline]
    pub fn first(&self) -> Handle<Message> {
        self.first
    }

    /// Adds at the end.
    #[inline]
    pub fn push(&mut self, ctx: &mut Context, message: Handle<Message>) {
        ctx.messages[message].next = Handle::NONE;
        match self.first.is_some() {
            true => ctx.messages[self.last].next = message,
            false => self.first = message,
        }
        self.last = message;
    }

    /// Forgets the oldest; `next` is what its message named as the next.
    #[inline]
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
    /// Bytes that were requested from below, and requests that are not answered.
    pub requested: u128,
    pub pending: u8,
    /// Requests for it, oldest first.
    pub waiters: Waiters,
    /// It has come; the requests are being served.
    pub filled: bool,
    /// Something has made it old while it was on its way: pending loads may see it, later ones not.
    pub stale: bool,
    /// It has passed a link between chiplets or GPUs.
    pub has_passed_a_link: bool,
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

    /// How many there are.
    pub fn number(&self) -> u32 {
        self.misses.len() as u32
    }

    /// How many are in use.
    #[inline]
    pub fn used(&self) -> u32 {
        (self.misses.len() - self.free.len()) as u32
    }

    /// True when all are in use.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.free.is_empty()
    }

    /// True when none is in use.
    pub fn is_idle(&self) -> bool {
        self.free.len() == self.misses.len()
    }

    /// Takes a register; one must be free.
    #[inline]
    pub fn start(&mut self, addr: u64, way: Way) -> usize {
        let at = usize::from(self.free.pop().expect("a register is free"));
        self.misses[at] = Miss { addr, way, ..Miss::default() };
        at
    }

    /// Bytes of a line are requested from below.
    #[inline]
    pub fn request(&mut self, at: usize, bytes: u128) {
        self.misses[at].requested |= bytes;
        self.misses[at].pending += 1;
    }

    /// A request is answered. True when none is left.
    #[inline]
    pub fn answer(&mut self, at: usize) -> bool {
        self.misses[at].pending -= 1;
        self.misses[at].pending == 0
    }

    /// Gives a register back.
    #[inline]
    pub fn end(&mut self, at: usize) {
        self.free.push(at as u16);
    }

    /// Adds a request to those that wait for a line.
    #[inline(always)]
    pub fn park(&mut self, ctx: &mut Context, at: usize, request: Handle<Message>) {
        if ctx.recorder.is_some() {
            ctx.record_parked(request);
        }
        self.misses[at].waiters.push(ctx, request);
    }

    /// What is on its way now must not stay.
    pub fn make_all_stale(&mut self) {
        self.misses.iter_mut().for_each(|miss| miss.stale = true);
    }
}

impl std::ops::Index<usize> for Misses {
    type Output = Miss;
    #[inline]
    fn index(&self, at: usize) -> &Miss {
        &self.misses[at]
    }
}

impl std::ops::IndexMut<usize> for Misses {
    #[inline]
    fn index_mut(&mut self, at: usize) -> &mut Miss {
        &mut self.misses[at]
    }
}
