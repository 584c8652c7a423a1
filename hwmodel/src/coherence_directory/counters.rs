//! Events since reset (specification 9).
//!
//! The counters lie in blocks of eight, in the order of the port. A block is counted and shown in
//! whole vectors: a word that was just stored would be slow to load in a wider one. What is added
//! comes from tables, so that no event needs a decision that a processor would have to foresee.

use super::{Counters, Inv, MAX_POS, cause, op};
use crate::ports::Words;

const BLOCK: usize = 8;
/// Aligned as the vector that holds it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Block([u32; BLOCK]);

/// Element 0 adds nothing, element k + 1 one in place k.
const ONE: [Block; 16] = {
    let mut steps = [Block([0; BLOCK]); 16];
    let mut k = 0;
    while k < BLOCK {
        steps[k + 1].0[k] = 1;
        k += 1;
    }
    steps
};

/// What `Tally::access` adds: bit 3: it is one; bit 2: it hits; bits 1 and 0: its op.
const ACCESS: [Block; 16] = {
    let mut steps = [Block([0; BLOCK]); 16];
    let mut k = 8;
    while k < 16 {
        steps[k].0[k % 4] = 1;
        if k & 4 != 0 {
            steps[k].0[4 + k % 4] = 1;
        }
        k += 1;
    }
    steps
};

/// What is added to the other counters but messages: bit 0: an allocation; 1: an EVICT job; 3 and 2:
/// 1 + cause of a line that is taken; 4: `req_ready_o` is 0; 5: more jobs than ever before.
const OTHER: [Block; 64] = {
    let mut steps = [Block([0; BLOCK]); 64];
    let mut k = 0;
    while k < 64 {
        let sent = k >> 2 & 3;
        let events = [k & 1, k >> 1 & 1, 0, 0, 0, 0, k >> 4 & 1, k >> 5 & 1];
        let mut place = 0;
        while place < BLOCK {
            steps[k].0[place] = events[place] as u32;
            place += 1;
        }
        steps[k].0[2] = (sent == 1 + cause::WRITE as usize) as u32;
        steps[k].0[3] = (sent == 1 + cause::EVICT as usize) as u32;
        k += 1;
    }
    steps
};

/// By 1 + cause of a line that is taken, or 0: where its destinations count.
const MESSAGES: [Block; 4] = {
    let mut masks = [Block([0; BLOCK]); 4];
    masks[1 + cause::WRITE as usize].0[4] = u32::MAX;
    masks[1 + cause::EVICT as usize].0[5] = u32::MAX;
    masks
};

/// What a request counts at the end of S1, as places in the tables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    access: u8,
    other: u8,
    evict_block: u8,
    evict_step: u8,
}

impl Tally {
    /// LRD, RRD, LWR or RWR.
    #[inline(always)]
    pub fn access(&mut self, op: u8, hit: bool) {
        self.access = if op < op::EVICT { 8 | u8::from(hit) << 2 | op } else { 0 };
    }

    /// An allocation.
    #[inline(always)]
    pub fn alloc(&mut self) {
        self.other |= 1;
    }

    /// An EVICT job of 1 to 64 lines.
    #[inline(always)]
    pub fn evict(&mut self, lines: u32) {
        self.other |= 2;
        self.evict_block = (lines as u8 - 1) / BLOCK as u8;
        self.evict_step = (lines as u8 - 1) % BLOCK as u8 + 1;
    }
}

/// The counters, modulo 2^32.
#[derive(Debug)]
#[repr(align(32))]
pub(super) struct Events {
    /// By lines - 1, in blocks.
    evict_lines: [Block; MAX_POS / BLOCK],
    /// Requests by op, hits by op.
    accesses: Block,
    /// The others in the order of the port.
    others: Block,
}

#[inline(always)]
fn add(block: &mut Block, steps: &Block) {
    for (counter, step) in block.0.iter_mut().zip(steps.0) {
        *counter = counter.wrapping_add(step);
    }
}

impl Events {
    pub fn new() -> Self {
        Self {
            evict_lines: [Block::default(); MAX_POS / BLOCK],
            accesses: Block::default(),
            others: Block::default(),
        }
    }

    /// What `cnt_o` shows.
    #[inline(always)]
    pub fn show(&self) -> Counters {
        let [req_lrd, req_rrd, req_lwr, req_rwr, hit_lrd, hit_rrd, hit_lwr, hit_rwr] =
            self.accesses.0;
        let [alloc, evict, line_write, line_evict, msg_write, msg_evict, low, max] = self.others.0;
        let mut hist = [0; MAX_POS];
        for (to, block) in hist.chunks_exact_mut(BLOCK).zip(&self.evict_lines) {
            to.copy_from_slice(&block.0);
        }
        Counters {
            evict_lines_hist: Words(hist),
            req_lrd,
            req_rrd,
            req_lwr,
            req_rwr,
            hit_lrd,
            hit_rrd,
            hit_lwr,
            hit_rwr,
            alloc,
            evict,
            inv_lines_write: line_write,
            inv_lines_evict: line_evict,
            inv_msgs_write: msg_write,
            inv_msgs_evict: msg_evict,
            ready_low_cycles: low,
            jobq_max: max,
        }
    }

    /// The end of a cycle after the sweep: S1 ends with `tally`, `inv` was shown and perhaps `taken`,
    /// and `jobs` were held.
    #[inline(always)]
    pub fn tick(&mut self, tally: &Tally, inv: &Inv, taken: bool, req_ready: bool, jobs: u32) {
        add(&mut self.accesses, &ACCESS[usize::from(tally.access) % 16]);
        let evict_lines = &mut self.evict_lines[usize::from(tally.evict_block) % 8];
        add(evict_lines, &ONE[usize::from(tally.evict_step) % 16]);
        let sent = if taken { inv.cause + 1 } else { 0 };
        let mut messages = MESSAGES[usize::from(sent % 4)];
        messages.0.iter_mut().for_each(|mask| *mask &= inv.dest.count_ones());
        // One job at most comes in a cycle.
        let more = u8::from(jobs > self.others.0[7]);
        let other = tally.other | sent << 2 | u8::from(!req_ready) << 4 | more << 5;
        add(&mut self.others, &OTHER[usize::from(other) % 64]);
        add(&mut self.others, &messages);
    }
}
