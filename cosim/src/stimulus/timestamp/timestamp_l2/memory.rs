//! Memory: takes requests in their order, answers each read once, in order, and sometimes an
//! unrequested line.

use std::collections::VecDeque;

use ports::timestamp::timestamp_l2::Config;
use ports::timestamp::types::{DramReq, DramRsp};

use super::{Phase, bytes};
use crate::stimulus::Random;

/// Reads that are under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    reads: VecDeque<u64>,
    /// Cycles until the oldest may be answered.
    wait: u32,
    /// The last that was answered.
    last: u64,
}

impl Memory {
    pub fn asked(&mut self, req: &DramReq, r: &mut Random, p: &Phase) {
        if !req.we {
            self.reads.push_back(req.line);
            if self.reads.len() == 1 {
                self.wait = r.below(p.delay);
            }
        }
    }

    /// A line.
    pub fn answer(&mut self, r: &mut Random, p: &Phase, config: &Config) -> Option<DramRsp> {
        let bad = r.chance(p.bad_fill);
        let line = match self.reads.front() {
            _ if bad && r.chance(128) => self.last,
            _ if bad => r.word() & ((1 << config.line_w) - 1),
            Some(&line) if self.wait == 0 && (p.is_new() || r.chance(p.mem)) => {
                self.reads.pop_front();
                self.wait = r.below(p.delay);
                line
            }
            _ => {
                self.wait = self.wait.saturating_sub(1);
                return None;
            }
        };
        self.last = line;
        Some(DramRsp { line, data: bytes(r, config.line) })
    }
}
