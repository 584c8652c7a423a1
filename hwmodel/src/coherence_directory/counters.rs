//! Events since reset (specification 9). Each counter that an op or a cause selects is an element,
//! so that counting needs no decision.

use super::{Counters, Inv, MAX_POS};
use crate::ports::Words;

/// The counters, modulo 2^32.
#[derive(Debug)]
pub(super) struct Events {
    /// By lines - 1.
    evict_lines: [u32; MAX_POS],
    /// By op.
    requests: [u32; 4],
    /// By op.
    hits: [u32; 4],
    alloc: u32,
    evict: u32,
    /// By cause; that of FENCE and the one that does not exist are not shown.
    lines: [u32; 4],
    /// By cause, likewise.
    messages: [u32; 4],
    ready_low_cycles: u32,
    jobq_max: u32,
}

#[inline(always)]
fn add(counter: &mut u32, n: u32) {
    *counter = counter.wrapping_add(n);
}

impl Events {
    pub fn new() -> Self {
        Self {
            evict_lines: [0; MAX_POS],
            requests: [0; 4],
            hits: [0; 4],
            alloc: 0,
            evict: 0,
            lines: [0; 4],
            messages: [0; 4],
            ready_low_cycles: 0,
            jobq_max: 0,
        }
    }

    /// What `cnt_o` shows.
    #[inline(always)]
    pub fn show(&self) -> Counters {
        Counters {
            evict_lines_hist: Words(self.evict_lines),
            req_lrd: self.requests[0],
            req_rrd: self.requests[1],
            req_lwr: self.requests[2],
            req_rwr: self.requests[3],
            hit_lrd: self.hits[0],
            hit_rrd: self.hits[1],
            hit_lwr: self.hits[2],
            hit_rwr: self.hits[3],
            alloc: self.alloc,
            evict: self.evict,
            inv_lines_write: self.lines[0],
            inv_lines_evict: self.lines[1],
            inv_msgs_write: self.messages[0],
            inv_msgs_evict: self.messages[1],
            ready_low_cycles: self.ready_low_cycles,
            jobq_max: self.jobq_max,
        }
    }

    /// LRD, RRD, LWR or RWR in S1.
    #[inline(always)]
    pub fn access(&mut self, op: u8, hit: bool, alloc: bool) {
        let op = usize::from(op % 4);
        add(&mut self.requests[op], 1);
        add(&mut self.hits[op], hit.into());
        add(&mut self.alloc, alloc.into());
    }

    /// An EVICT job of 1 to 64 lines is made.
    #[inline(always)]
    pub fn evict(&mut self, lines: u32) {
        add(&mut self.evict, 1);
        add(&mut self.evict_lines[(lines as usize - 1) % MAX_POS], 1);
    }

    /// A line is taken.
    #[inline(always)]
    pub fn sent(&mut self, inv: &Inv) {
        let cause = usize::from(inv.cause % 4);
        add(&mut self.lines[cause], 1);
        add(&mut self.messages[cause], inv.dest.count_ones());
    }

    /// A cycle after the sweep with `jobs` held.
    #[inline(always)]
    pub fn cycle(&mut self, req_ready: bool, jobs: usize) {
        add(&mut self.ready_low_cycles, u32::from(!req_ready));
        self.jobq_max = self.jobq_max.max(jobs as u32);
    }
}
