//! Lines that are waited for, each with the requests that wait for it (specification 5.4).

use std::hash::{Hash, Hasher};

use ports::timestamp::types::BusReq;

use crate::state::{State, width_of};

/// One of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Miss {
    pub line: u64,
    /// Where it lies, or will lie.
    pub place: usize,
    /// It stays when all requests are performed.
    pub keep: bool,
    head: u8,
    count: u8,
}

/// All of them.
#[derive(Clone, Debug)]
pub(super) struct Misses {
    misses: Box<[Miss]>,
    /// `wait` of each.
    ring: Box<[BusReq]>,
    wait: u8,
    /// Bit m: it is in use; its line is there.
    valid: u64,
    filled: u64,
}

/// Those in use.
impl Hash for Misses {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.valid, self.filled).hash(hasher);
        for m in ones(self.valid) {
            let Miss { line, place, keep, head: _, count } = self.misses[m];
            (line, place, keep, count).hash(hasher);
            (0..count).for_each(|age| self.ring[self.slot(m, age)].hash(hasher));
        }
    }
}

/// The places of the ones of a mask, lowest first.
fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let one = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (one < 64).then_some(one)
    })
}

impl Misses {
    pub fn new(misses: u32, wait: u32) -> Self {
        Self {
            misses: vec![Miss::default(); misses as usize].into(),
            ring: vec![BusReq::default(); (misses * wait) as usize].into(),
            wait: wait as u8,
            valid: 0,
            filled: 0,
        }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.valid == 0
    }

    #[inline(always)]
    pub fn has_filled(&self) -> bool {
        self.filled != 0
    }

    /// Those whose line is there, lowest first.
    #[inline(always)]
    pub fn filled(&self) -> impl Iterator<Item = usize> + use<> {
        ones(self.filled)
    }

    #[inline(always)]
    pub fn is_filled(&self, m: usize) -> bool {
        self.filled >> m & 1 == 1
    }

    #[inline(always)]
    pub fn at(&self, m: usize) -> &Miss {
        &self.misses[m]
    }

    #[inline(always)]
    pub fn find(&self, line: u64) -> Option<usize> {
        ones(self.valid).find(|&m| self.misses[m].line == line)
    }

    /// The lowest that is not in use.
    #[inline(always)]
    pub fn free(&self) -> Option<usize> {
        let m = self.valid.trailing_ones() as usize;
        (m < self.misses.len()).then_some(m)
    }

    /// It takes no more requests.
    #[inline(always)]
    pub fn is_full(&self, m: usize) -> bool {
        self.misses[m].count == self.wait
    }

    /// It has one request alone.
    #[inline(always)]
    pub fn has_last(&self, m: usize) -> bool {
        self.misses[m].count == 1
    }

    #[inline(always)]
    fn slot(&self, m: usize, age: u8) -> usize {
        let wait = usize::from(self.wait);
        let at = usize::from(self.misses[m].head) + usize::from(age);
        m * wait + if at >= wait { at - wait } else { at }
    }

    #[inline(always)]
    pub fn oldest(&self, m: usize) -> &BusReq {
        &self.ring[self.slot(m, 0)]
    }

    /// A free one is taken into use.
    #[inline(always)]
    pub fn start(&mut self, m: usize, line: u64, place: usize, keep: bool, req: BusReq) {
        self.misses[m] = Miss { line, place, keep, head: 0, count: 0 };
        self.valid |= 1 << m;
        self.push(m, req);
    }

    #[inline(always)]
    pub fn push(&mut self, m: usize, req: BusReq) {
        let slot = self.slot(m, self.misses[m].count);
        self.ring[slot] = req;
        self.misses[m].count += 1;
    }

    #[inline(always)]
    pub fn fill(&mut self, m: usize) {
        self.filled |= 1 << m;
    }

    /// Its oldest request is performed; with the last it is free.
    #[inline(always)]
    pub fn pop(&mut self, m: usize) {
        let miss = &mut self.misses[m];
        miss.head = if miss.head + 1 == self.wait { 0 } else { miss.head + 1 };
        miss.count -= 1;
        if miss.count == 0 {
            self.valid &= !(1 << m);
            self.filled &= !(1 << m);
        }
    }

    /// Their registers.
    pub fn show_state(&self, state: &mut State, line_w: u32, way_of: impl Fn(usize) -> u8) {
        let (all, count) = (self.misses.len(), width_of(self.wait.into()));
        state.bits("valid", all as u32, self.valid);
        state.bits("filled", all as u32, self.filled);
        for (m, miss) in self.misses.iter().enumerate() {
            let held = self.valid >> m & 1 == 1;
            state.bits_while(held, &format!("line[{m}]"), line_w, miss.line);
            state.bits_while(held, &format!("way[{m}]"), 4, way_of(miss.place));
            state.bits_while(held, &format!("count[{m}]"), count, miss.count);
        }
    }
}
