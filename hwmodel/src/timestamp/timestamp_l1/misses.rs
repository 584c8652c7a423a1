//! MSHRs and the loads that wait in them (specification 4).

use std::hash::{Hash, Hasher};

use super::action::condition::*;
use crate::state::{State, width_of};

/// A load that waits in an MSHR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Waiter {
    pub warp: u8,
    pub id: u8,
    /// Time of the load: G-TSC: logical. TC: a cycle.
    pub ts: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Miss {
    line: u64,
    /// A store (TC: or a flush) came after the request.
    st_after: bool,
    /// G-TSC: a flush came after the request.
    stale: bool,
    head: usize,
    len: usize,
}

/// The MSHRs. An MSHR without waiters is FREE; others are SENT or PEND.
#[derive(Clone, Debug)]
pub(super) struct Misses {
    misses: Box<[Miss]>,
    waiters: Box<[Waiter]>,
    capacity: usize,
    /// Bit m: MSHR m is not FREE.
    used: u64,
    /// Bit m: MSHR m is PEND.
    pending: u64,
}

/// Free MSHRs do not count.
impl Hash for Misses {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.used, self.pending).hash(hasher);
        for m in ones(self.used) {
            let Miss { line, st_after, stale, head: _, len } = self.misses[m];
            (line, st_after, stale, len).hash(hasher);
            self.waiters(m).for_each(|waiter| waiter.hash(hasher));
        }
    }
}

/// The indices of the set bits, lowest first.
fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let one = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (one < 64).then_some(one)
    })
}

impl Misses {
    pub fn new(misses: u32, waiters: u32) -> Self {
        Self {
            misses: vec![Miss::default(); misses as usize].into(),
            waiters: vec![Waiter::default(); (misses * waiters) as usize].into(),
            capacity: waiters as usize,
            used: 0,
            pending: 0,
        }
    }

    /// The MSHR of a line.
    pub fn find(&self, line: u64) -> Option<usize> {
        ones(self.used).find(|&m| self.misses[m].line == line)
    }

    /// The lowest FREE MSHR.
    pub fn free(&self) -> Option<usize> {
        let m = self.used.trailing_ones() as usize;
        (m < self.misses.len()).then_some(m)
    }

    /// The MSHR of an answer's `id`, if it is SENT.
    pub fn find_sent(&self, id: u8) -> Option<usize> {
        let m = usize::from(id);
        (m < self.misses.len() && (self.used & !self.pending) >> m & 1 == 1).then_some(m)
    }

    /// MSHRs in PEND, lowest first.
    pub fn pending(&self) -> impl Iterator<Item = usize> {
        ones(self.pending)
    }

    pub fn has_pending(&self) -> bool {
        self.pending != 0
    }

    fn is_pending(&self, m: usize) -> bool {
        self.pending >> m & 1 == 1
    }

    /// STALE, PASSED, FULL and PENDING of an MSHR.
    #[inline(always)]
    pub fn conditions(&self, m: usize) -> u8 {
        let Miss { stale, st_after, len, .. } = self.misses[m];
        when(STALE, stale)
            | when(PASSED, st_after)
            | when(FULL, len == self.capacity)
            | when(PENDING, self.is_pending(m))
    }

    pub fn line(&self, m: usize) -> u64 {
        self.misses[m].line
    }

    pub fn len(&self, m: usize) -> usize {
        self.misses[m].len
    }

    /// The index of the `nth` oldest waiter, from 0.
    fn place(&self, m: usize, nth: usize) -> usize {
        m * self.capacity + (self.misses[m].head + nth) % self.capacity
    }

    /// The waiters, oldest first.
    pub fn waiters(&self, m: usize) -> impl Iterator<Item = &Waiter> {
        (0..self.len(m)).map(move |nth| &self.waiters[self.place(m, nth)])
    }

    /// FREE to PEND, with the line and the first waiter.
    pub fn allocate(&mut self, m: usize, line: u64, waiter: Waiter) {
        self.misses[m] = Miss { line, ..Miss::default() };
        self.used |= 1 << m;
        self.pending |= 1 << m;
        self.push(m, waiter);
    }

    /// To SENT: the line is requested.
    pub fn set_sent(&mut self, m: usize) {
        self.pending &= !(1 << m);
    }

    /// Appends a waiter to an MSHR that is not full.
    pub fn push(&mut self, m: usize, waiter: Waiter) {
        let place = self.place(m, self.len(m));
        self.waiters[place] = waiter;
        self.misses[m].len += 1;
    }

    /// The oldest waiter of an MSHR that is not FREE.
    pub fn oldest(&self, m: usize) -> &Waiter {
        &self.waiters[self.place(m, 0)]
    }

    /// Removes the oldest waiter.
    pub fn pop(&mut self, m: usize) -> Waiter {
        let waiter = self.waiters[self.place(m, 0)];
        let miss = &mut self.misses[m];
        miss.head = (miss.head + 1) % self.capacity;
        miss.len -= 1;
        waiter
    }

    /// A store to the line of an MSHR in SENT.
    pub fn mark_store(&mut self, m: usize) {
        self.misses[m].st_after = true;
    }

    /// Clears `st_after` and `stale`: the request is answered.
    pub fn clear_flags(&mut self, m: usize) {
        (self.misses[m].st_after, self.misses[m].stale) = (false, false);
    }

    /// After a replay: to FREE, or to PEND if waiters are left.
    pub fn replayed(&mut self, m: usize) {
        if self.len(m) == 0 {
            self.used &= !(1 << m);
            self.pending &= !(1 << m);
        } else {
            self.pending |= 1 << m;
        }
    }

    /// To PEND.
    pub fn set_pending(&mut self, m: usize) {
        self.pending |= 1 << m;
    }

    /// All waiters restart at logical time 1.
    pub fn restart(&mut self, m: usize) {
        for nth in 0..self.len(m) {
            let place = self.place(m, nth);
            self.waiters[place].ts = 1;
        }
    }

    /// G-TSC: a flush restarts the waiters in PEND, and sets `stale` of each MSHR in SENT to the
    /// argument.
    pub fn mark_flush(&mut self, stale: bool) {
        ones(self.pending).for_each(|m| self.restart(m));
        ones(self.used & !self.pending).for_each(|m| self.misses[m].stale = stale);
    }

    /// TC: a flush sets `st_after` of each MSHR in SENT.
    pub fn mark_store_all(&mut self) {
        ones(self.used & !self.pending).for_each(|m| self.misses[m].st_after = true);
    }

    /// The registers; times have `ts_w` bits.
    pub fn show_state(&self, state: &mut State, line_w: u32, ts_w: u32) {
        let (capacity, all) = (self.capacity as u64, 0..self.misses.len());
        state.flags("pend", all.clone().map(|m| self.is_pending(m)));
        state.flags("sent", all.map(|m| (self.used & !self.pending) >> m & 1 == 1));
        state.flags("stale", self.misses.iter().map(|miss| miss.stale));
        state.flags("after", self.misses.iter().map(|miss| miss.st_after));
        for (m, miss) in self.misses.iter().enumerate() {
            let used = self.used >> m & 1 == 1;
            state.bits_while(used, &format!("line[{m}]"), line_w, miss.line);
            // The RTL has one valid bit for each waiter.
            state.bits(&format!("waiting[{m}]"), width_of(capacity), miss.len as u64);
            let oldest = self.waiters[self.place(m, 0)];
            state.bits_while(used, &format!("oldest_warp[{m}]"), 6, oldest.warp);
            state.bits_while(used, &format!("oldest_id[{m}]"), 8, oldest.id);
            state.bits_while(used, &format!("oldest_ts[{m}]"), ts_w, oldest.ts);
        }
    }
}
