//! The array of the ideal directory: every line has its sharers, nothing is evicted
//! (specification 1, 2). The sweep clears 64 lines per cycle (README rule 14).

use super::{Config, IDEAL_ROW};

/// Sharers of the first lines of this home's memory.
#[derive(Clone, Debug, Hash)]
pub(super) struct Flat {
    sharers: Vec<u16>,
    line_shift: u32,
}

impl Flat {
    pub fn new(config: &Config) -> Self {
        let lines = config.ideal_lines as usize;
        Self { sharers: vec![0; lines], line_shift: config.line.ilog2() }
    }

    /// One step of the sweep: a row of lines.
    pub fn sweep(&mut self, row: usize) {
        let lines = IDEAL_ROW as usize;
        self.sharers[row * lines..][..lines].fill(0);
    }

    /// Number and sharers of the line of `addr`; `None` beyond the last line.
    #[inline(always)]
    pub fn line(&mut self, addr: u64) -> Option<(u64, &mut u16)> {
        let number = addr >> self.line_shift;
        Some((number, self.sharers.get_mut(number as usize)?))
    }

    /// Sharers of the line of `addr`; 0 when it is not tracked.
    pub fn sharers(&self, addr: u64) -> u16 {
        self.sharers.get((addr >> self.line_shift) as usize).copied().unwrap_or(0)
    }
}
