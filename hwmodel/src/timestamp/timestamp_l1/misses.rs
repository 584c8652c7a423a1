//! Lines that an L1 waits for, and the loads that do (specification 4, MSHR).

use std::hash::{Hash, Hasher};

use super::action::condition::*;
use crate::state::{State, width_of};

/// A load that waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Waiter {
    pub warp: u8,
    pub id: u8,
    /// Logical time, of TC physical time, of the load.
    pub ts: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Miss {
    line: u64,
    /// A store has passed since the request was sent.
    st_after: bool,
    /// A flush has.
    stale: bool,
    head: usize,
    len: usize,
}

/// The MSHRs. An MSHR without waiters is free. The line of another one is requested, or must be
/// re-evaluated or requested.
#[derive(Clone, Debug)]
pub(super) struct Misses {
    misses: Box<[Miss]>,
    waiters: Box<[Waiter]>,
    most: usize,
    /// Bit m: MSHR m is not free; its line must still be asked for.
    used: u64,
    pending: u64,
}

/// Those that are not free.
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

/// The places of the ones, lowest first.
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
            most: waiters as usize,
            used: 0,
            pending: 0,
        }
    }

    /// The MSHR of a line.
    pub fn find(&self, line: u64) -> Option<usize> {
        ones(self.used).find(|&m| self.misses[m].line == line)
    }

    /// The lowest that is free.
    pub fn free(&self) -> Option<usize> {
        let m = self.used.trailing_ones() as usize;
        (m < self.misses.len()).then_some(m)
    }

    /// The one that an answer is for, if its line is asked for.
    pub fn answered(&self, id: u8) -> Option<usize> {
        let m = usize::from(id);
        (m < self.misses.len() && (self.used & !self.pending) >> m & 1 == 1).then_some(m)
    }

    /// Those whose line must still be asked for, lowest first.
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
            | when(FULL, len == self.most)
            | when(PENDING, self.is_pending(m))
    }

    pub fn line(&self, m: usize) -> u64 {
        self.misses[m].line
    }

    pub fn len(&self, m: usize) -> usize {
        self.misses[m].len
    }

    /// The place of the waiter that so many came before.
    fn place(&self, m: usize, nth: usize) -> usize {
        m * self.most + (self.misses[m].head + nth) % self.most
    }

    /// Those that wait, oldest first.
    pub fn waiters(&self, m: usize) -> impl Iterator<Item = &Waiter> {
        (0..self.len(m)).map(move |nth| &self.waiters[self.place(m, nth)])
    }

    /// A free one gets its line and first waiter; the line is asked for when [`Misses::sent`] says
    /// so.
    pub fn open(&mut self, m: usize, line: u64, waiter: Waiter) {
        self.misses[m] = Miss { line, ..Miss::default() };
        self.used |= 1 << m;
        self.pending |= 1 << m;
        self.push(m, waiter);
    }

    /// Its line is asked for.
    pub fn sent(&mut self, m: usize) {
        self.pending &= !(1 << m);
    }

    /// Another one waits; only where it is not full.
    pub fn push(&mut self, m: usize, waiter: Waiter) {
        let place = self.place(m, self.len(m));
        self.waiters[place] = waiter;
        self.misses[m].len += 1;
    }

    /// The oldest of an MSHR that is not free.
    pub fn oldest(&self, m: usize) -> &Waiter {
        &self.waiters[self.place(m, 0)]
    }

    /// Removes the oldest.
    pub fn pop(&mut self, m: usize) -> Waiter {
        let waiter = self.waiters[self.place(m, 0)];
        let miss = &mut self.misses[m];
        miss.head = (miss.head + 1) % self.most;
        miss.len -= 1;
        waiter
    }

    /// A store passes, where the line is asked for.
    pub fn store_passes(&mut self, m: usize) {
        self.misses[m].st_after = true;
    }

    /// What passed since its request means nothing any more.
    pub fn forget(&mut self, m: usize) {
        (self.misses[m].st_after, self.misses[m].stale) = (false, false);
    }

    /// A replay has ended: it is free, or the loads that are left must be re-evaluated.
    pub fn replayed(&mut self, m: usize) {
        if self.len(m) == 0 {
            self.used &= !(1 << m);
            self.pending &= !(1 << m);
        } else {
            self.pending |= 1 << m;
        }
    }

    /// Its line must be asked for again.
    pub fn again(&mut self, m: usize) {
        self.pending |= 1 << m;
    }

    /// All its waiters begin anew.
    pub fn restart(&mut self, m: usize) {
        for nth in 0..self.len(m) {
            let place = self.place(m, nth);
            self.waiters[place].ts = 1;
        }
    }

    /// A flush passes: where the line must still be asked for all begin anew, and an answer that is
    /// under way is stale if `stale`.
    pub fn flush_passes(&mut self, stale: bool) {
        ones(self.pending).for_each(|m| self.restart(m));
        ones(self.used & !self.pending).for_each(|m| self.misses[m].stale = stale);
    }

    /// A store passes each line that is asked for.
    pub fn store_passes_all(&mut self) {
        ones(self.used & !self.pending).for_each(|m| self.misses[m].st_after = true);
    }

    /// The registers; times have so many bits.
    pub fn show_state(&self, state: &mut State, line_w: u32, ts_w: u32) {
        let (most, all) = (self.most as u64, 0..self.misses.len());
        state.flags("pend", all.clone().map(|m| self.is_pending(m)));
        state.flags("sent", all.map(|m| (self.used & !self.pending) >> m & 1 == 1));
        state.flags("stale", self.misses.iter().map(|miss| miss.stale));
        state.flags("after", self.misses.iter().map(|miss| miss.st_after));
        for (m, miss) in self.misses.iter().enumerate() {
            let used = self.used >> m & 1 == 1;
            state.bits_while(used, &format!("line[{m}]"), line_w, miss.line);
            // The RTL has places of loads.
            state.bits(&format!("waiting[{m}]"), width_of(most), miss.len as u64);
            let oldest = self.waiters[self.place(m, 0)];
            state.bits_while(used, &format!("oldest_warp[{m}]"), 6, oldest.warp);
            state.bits_while(used, &format!("oldest_id[{m}]"), 8, oldest.id);
            state.bits_while(used, &format!("oldest_ts[{m}]"), ts_w, oldest.ts);
        }
    }
}
