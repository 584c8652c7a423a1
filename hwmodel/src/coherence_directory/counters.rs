//! Events since reset (specification 9).
//!
//! The counters lie in blocks of eight, in the order of the port. A block is counted and shown in
//! whole vectors: a word that was just stored would be slow to load in a wider one.

use super::{Counters, Inv, MAX_POS, cause};
use crate::ports::Words;

const BLOCK: usize = 8;
type Block = [u32; BLOCK];

/// Element 0 counts nothing, element k + 1 counts in place k.
const STEP: [Block; BLOCK + 1] = {
    let mut steps = [[0; BLOCK]; BLOCK + 1];
    let mut k = 0;
    while k < BLOCK {
        steps[k + 1][k] = 1;
        k += 1;
    }
    steps
};

/// What a request counts at the end of S1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// 0: not an access; else 1 + op, and 4 more for a hit: into `STEP` twice
    pub request: u8,
    pub hit: u8,
    pub alloc: bool,
    /// Lines of the EVICT job, if there is one; else 0.
    pub evict_lines: u8,
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
    for (counter, step) in block.iter_mut().zip(steps) {
        *counter = counter.wrapping_add(*step);
    }
}

impl Events {
    pub fn new() -> Self {
        Self {
            evict_lines: [[0; BLOCK]; MAX_POS / BLOCK],
            accesses: [0; BLOCK],
            others: [0; BLOCK],
        }
    }

    /// What `cnt_o` shows.
    #[inline(always)]
    pub fn show(&self) -> Counters {
        let [req_lrd, req_rrd, req_lwr, req_rwr, hit_lrd, hit_rrd, hit_lwr, hit_rwr] =
            self.accesses;
        let [alloc, evict, line_write, line_evict, msg_write, msg_evict, low, max] = self.others;
        let mut hist = [0; MAX_POS];
        hist.copy_from_slice(self.evict_lines.as_flattened());
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

    /// The end of a cycle after the sweep: S1 ends with `tally`, `sent` was taken, and `jobs` were held.
    #[inline(always)]
    pub fn cycle(&mut self, tally: &Tally, sent: Option<&Inv>, req_ready: bool, jobs: u32) {
        add(&mut self.accesses, &STEP[usize::from(tally.request) % STEP.len()]);
        add(&mut self.accesses, &STEP[usize::from(tally.hit) % STEP.len()]);
        if tally.evict_lines != 0 {
            let k = usize::from(tally.evict_lines) - 1;
            add(&mut self.evict_lines[k / BLOCK % (MAX_POS / BLOCK)], &STEP[k % BLOCK + 1]);
        }
        let (mut lines, mut messages) = ([0; 2], [0; 2]);
        if let Some(inv) = sent {
            let write = u32::from(inv.cause == cause::WRITE);
            let evict = u32::from(inv.cause == cause::EVICT);
            let all = inv.dest.count_ones();
            (lines, messages) = ([write, evict], [write * all, evict * all]);
        }
        // One job at most comes in a cycle.
        let more = u32::from(jobs > self.others[7]);
        let low = u32::from(!req_ready);
        let (alloc, evict) = (u32::from(tally.alloc), u32::from(tally.evict_lines != 0));
        let [line_write, line_evict] = lines;
        let [msg_write, msg_evict] = messages;
        let steps = [alloc, evict, line_write, line_evict, msg_write, msg_evict, low, more];
        add(&mut self.others, &steps);
    }
}
