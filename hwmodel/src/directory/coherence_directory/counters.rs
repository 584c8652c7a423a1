//! Events since reset (specification 9).
//!
//! The counters lie in blocks of eight, in the order of the port. A block is updated and read
//! as one vector: a vector load just after the store of one of its words is slow. The increments
//! come from tables, so that no event needs an unpredictable branch.

use super::{Counters, Inv, MAX_GPUS, MAX_POS, cause};

const BLOCK: usize = 8;

/// Aligned for a vector register.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Block([u32; BLOCK]);

/// Element 0 adds nothing; element k + 1 adds 1 to counter k.
const ONE: [Block; 16] = {
    let mut steps = [Block([0; BLOCK]); 16];
    let mut k = 0;
    while k < BLOCK {
        steps[k + 1].0[k] = 1;
        k += 1;
    }
    steps
};

/// Increments by `Tally::access`: 1 + op, plus 8 for a hit.
const ACCESS: [Block; 16] = {
    let mut steps = [Block([0; BLOCK]); 16];
    let mut op = 0;
    while op < 4 {
        steps[1 + op].0[op] = 1;
        steps[9 + op].0[op] = 1;
        steps[9 + op].0[4 + op] = 1;
        op += 1;
    }
    steps
};

/// Increments of the counters that are not by op or line. Index bit 0: an allocation; 1: an EVICT
/// job; 2: `req_ready_o` is 0; 3: a new maximum of jobs.
const OTHER: [Block; 16] = {
    let mut steps = [Block([0; BLOCK]); 16];
    let mut k = 0;
    while k < 16 {
        let bits = k as u32;
        steps[k].0 = [bits & 1, bits >> 1 & 1, 0, 0, 0, 0, bits >> 2 & 1, bits >> 3 & 1];
        k += 1;
    }
    steps
};

/// Increments of a sent line, by cause and number of destinations.
const SENT: [[Block; 32]; 4] = {
    let mut steps = [[Block([0; BLOCK]); 32]; 4];
    let mut messages = 0;
    while messages <= MAX_GPUS {
        steps[cause::WRITE as usize][messages].0 = [0, 0, 1, 0, messages as u32, 0, 0, 0];
        steps[cause::EVICT as usize][messages].0 = [0, 0, 0, 1, 0, messages as u32, 0, 0];
        messages += 1;
    }
    steps
};

/// Index of `SENT` when no line is sent: no increment.
const NOT_SENT: u8 = 3;

/// Increments of a request at the end of S1, as table indices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    access: u8,
    other: u8,
    evict_block: u8,
    evict_step: u8,
}

impl Tally {
    /// A request without error; only LRD, RRD, LWR and RWR count.
    #[inline(always)]
    pub fn access(&mut self, op: u8, hit: bool) {
        self.access = 1 + op + 8 * u8::from(hit);
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
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(super) struct Events {
    /// EVICT jobs by lines - 1, in blocks.
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

    /// What `counters_o` shows.
    #[inline(always)]
    pub fn show(&self) -> Counters {
        let [req_lrd, req_rrd, req_lwr, req_rwr, hit_lrd, hit_rrd, hit_lwr, hit_rwr] =
            self.accesses.0;
        let [alloc, evict, line_write, line_evict, msg_write, msg_evict, low, max] = self.others.0;
        Counters {
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

    /// Number of EVICT jobs of `bin` + 1 lines.
    #[inline(always)]
    pub fn evictions(&self, bin: u8) -> u32 {
        let bin = usize::from(bin) % MAX_POS;
        self.evict_lines[bin / BLOCK].0[bin % BLOCK]
    }

    /// One edge after the sweep. Counts `tally` of S1, the shown `inv` if `taken`, a low
    /// `req_ready`, and the `jobs` held.
    #[inline(always)]
    pub fn tick(&mut self, tally: &Tally, inv: &Inv, taken: bool, req_ready: bool, jobs: u32) {
        add(&mut self.accesses, &ACCESS[usize::from(tally.access) % 16]);
        let evict_lines = &mut self.evict_lines[usize::from(tally.evict_block) % 8];
        add(evict_lines, &ONE[usize::from(tally.evict_step) % 16]);
        let cause = if taken { inv.cause } else { NOT_SENT };
        add(&mut self.others, &SENT[usize::from(cause % 4)][inv.dest.count_ones() as usize % 32]);
        // At most one job is added per cycle.
        let more = u8::from(jobs > self.others.0[7]);
        let other = tally.other | u8::from(!req_ready) << 2 | more << 3;
        add(&mut self.others, &OTHER[usize::from(other) % 16]);
    }
}
