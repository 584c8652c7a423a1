//! Stores to other GPUs that stay in local memory until they are copied in bulk (egress design
//! `dma`).

use std::collections::BTreeMap;

use crate::context::masks;
use crate::context::message::Line;

/// The rows of a copy so far: the last one, and the distance between two.
#[derive(Debug, Default)]
struct Rows {
    start: u64,
    len: usize,
    distance: Option<u64>,
}

impl Rows {
    /// True where this run is one more of them; else it is the first of others.
    fn go_on(&mut self, start: u64, len: usize) -> bool {
        let distance = start - self.start;
        let is_one = len == self.len && self.distance.is_none_or(|known| known == distance);
        *self = Self { start, len, distance: is_one.then_some(distance) };
        is_one
    }
}

/// Bytes stored locally, by line.
#[derive(Debug, Default)]
pub struct Staging {
    lines: BTreeMap<u64, (u128, Box<Line>)>,
    run: Vec<u8>,
}

impl Staging {
    /// Stores bytes of a line.
    pub fn store(&mut self, addr: u64, mask: u128, data: &Line, line: usize) {
        let (held, bytes) = self.lines.entry(addr).or_default();
        masks::copy(&mut bytes.0[..line], &data.0, mask);
        *held |= mask;
    }

    /// True where nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The bytes of this line that are stored.
    pub fn held(&self, addr: u64) -> u128 {
        self.lines.get(&addr).map_or(0, |(held, _)| *held)
    }

    /// Puts stored bytes of a line into `data`.
    pub fn lay_over(&self, addr: u64, mask: u128, data: &mut Line) {
        if let Some((held, bytes)) = self.lines.get(&addr) {
            masks::copy(&mut data.0, &bytes.0, held & mask);
        }
    }

    /// Gives the runs of some of one line's stored bytes, and forgets them.
    pub fn take(&mut self, addr: u64, mask: u128, mut give: impl FnMut(u64, &[u8])) {
        let Some((held, bytes)) = self.lines.get_mut(&addr) else { return };
        masks::runs(*held & mask, |first, len| {
            give(addr + first as u64, &bytes.0[first..first + len]);
        });
        *held &= !mask;
        if *held == 0 {
            self.lines.remove(&addr);
        }
    }

    /// Gives every run of stored bytes of the lines that `is_wanted` names, ascending, and whether
    /// it belongs to the copy before. Runs of neighbouring lines are one, of neighbouring pages
    /// too: all go to one GPU. Runs as long as each other at equal distances are one copy: rows of
    /// a block, for which software starts a copy engine once (`cudaMemcpy2D`).
    pub fn gather(
        &mut self,
        is_wanted: impl Fn(u64) -> bool,
        mut copy: impl FnMut(u64, &[u8], bool),
    ) {
        let (mut start, mut rows) = (0, Rows::default());
        for (&addr, (mask, bytes)) in self.lines.iter().filter(|(addr, _)| is_wanted(**addr)) {
            masks::runs(*mask, |first, len| {
                let at = addr + first as u64;
                if start + self.run.len() as u64 != at && !self.run.is_empty() {
                    copy(start, &self.run, rows.go_on(start, self.run.len()));
                    self.run.clear();
                }
                if self.run.is_empty() {
                    start = at;
                }
                self.run.extend_from_slice(&bytes.0[first..first + len]);
            });
        }
        if !self.run.is_empty() {
            copy(start, &self.run, rows.go_on(start, self.run.len()));
            self.run.clear();
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.lines.clear();
    }

    /// Gives every run of stored bytes, ascending, and forgets them. Runs of neighbouring lines are
    /// one.
    pub fn drain(&mut self, mut copy: impl FnMut(u64, &[u8])) {
        let mut start = 0;
        for (addr, (mask, bytes)) in std::mem::take(&mut self.lines) {
            masks::runs(mask, |first, len| {
                let at = addr + first as u64;
                // Copies go to one GPU each: a run ends with its page, homes do not change within
                // one.
                let goes_on = !self.run.is_empty()
                    && start + self.run.len() as u64 == at
                    && !at.is_multiple_of(crate::context::pages::PAGE);
                if !goes_on {
                    if !self.run.is_empty() {
                        copy(start, &self.run);
                    }
                    self.run.clear();
                    start = at;
                }
                self.run.extend_from_slice(&bytes.0[first..first + len]);
            });
        }
        if !self.run.is_empty() {
            copy(start, &self.run);
            self.run.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_taken_once_and_the_rest_stays() {
        let mut staging = Staging::default();
        let mut line = Line::default();
        line.0[..64].iter_mut().zip(1..).for_each(|(byte, value)| *byte = value);
        staging.store(0x1000, 0xff0f, &line, 64);
        let mut seen = Vec::new();
        staging.take(0x1000, 0xfff, |addr, bytes| seen.push((addr, bytes.to_vec())));
        assert_eq!(seen, [(0x1000, vec![1, 2, 3, 4]), (0x1008, vec![9, 10, 11, 12])]);
        assert_eq!((staging.held(0x1000), staging.held(0x1040)), (0xf000, 0));
        let mut data = Line::default();
        staging.lay_over(0x1000, 0x3fff, &mut data);
        assert_eq!(data.0[..16], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 13, 14, 0, 0]);
        staging.take(0x1000, u128::MAX, |_, _| {});
        assert!(staging.is_empty());
    }

    #[test]
    fn runs_grow_over_lines_and_end_with_the_page() {
        let mut staging = Staging::default();
        let mut line = Line::default();
        line.0[..64].fill(7);
        for addr in [0x1fc0, 0x1f80, 0x2000, 0x2100] {
            staging.store(addr, masks::span(0, 64), &line, 64);
        }
        line.0[3] = 9;
        staging.store(0x2100, 1 << 3, &line, 64);
        let mut seen = Vec::new();
        staging.drain(|addr, bytes| seen.push((addr, bytes.len(), bytes[3])));
        assert_eq!(seen, [(0x1f80, 128, 7), (0x2000, 64, 7), (0x2100, 64, 9)]);
        staging.drain(|_, _| unreachable!("nothing is left"));
    }

    #[test]
    fn equal_runs_at_equal_distances_are_rows_of_one_copy() {
        let mut staging = Staging::default();
        let line = Line::default();
        let mut store = |addr: u64, mask: u128| staging.store(addr, mask, &line, 64);
        // Three rows of 12 bytes, two of 4 elsewhere, one more of 4 at another distance.
        [0x1000, 0x1080, 0x1100].into_iter().for_each(|addr| store(addr, 0xfff0));
        [0x1400, 0x1440, 0x1500].into_iter().for_each(|addr| store(addr, 0xf));
        // Not wanted.
        store(0x1040, 0xfff0);
        let mut seen = Vec::new();
        let wanted = |addr| addr != 0x1040;
        staging.gather(wanted, |addr, bytes, more| seen.push((addr, bytes.len(), more)));
        let rows = [(0x1004, 12, false), (0x1084, 12, true), (0x1104, 12, true)];
        let others = [(0x1400, 4, false), (0x1440, 4, true), (0x1500, 4, false)];
        assert_eq!(seen, [rows, others].concat());
    }
}
