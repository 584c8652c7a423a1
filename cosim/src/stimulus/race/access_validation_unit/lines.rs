//! What the block keeps of each line, as its inputs and outputs say it, and the rows that this is
//! of.

use ports::race::access_validation_unit::{Config, In, Out};
use ports::race::types::{Lookup, result};

use super::rows::Seen;

/// Most lines of an L1.
const LINES: usize = 256;

#[derive(Clone, Copy, Debug, Default)]
struct Line {
    live: bool,
    epoch: u8,
}

/// A lookup that was taken.
#[derive(Clone, Copy, Debug)]
struct Looked {
    line: Line,
    age: u8,
    /// Its line was cleared, was filled in the same cycle.
    cleared: bool,
    filled: bool,
}

/// The lines.
#[derive(Clone, Debug)]
pub struct Lines {
    lines: [Line; LINES],
    number: usize,
    mask: u8,
    looked: Option<Looked>,
}

impl Lines {
    pub fn new(c: &Config) -> Self {
        let lines = [Line::default(); LINES];
        Self { lines, number: c.lines as usize, mask: (1 << c.epoch_w) - 1, looked: None }
    }

    /// A line that holds what was filled in an epoch of this number.
    pub fn of_epoch(&self, epoch: u8) -> Option<u8> {
        let lines = &self.lines[..self.number];
        lines.iter().position(|line| line.live && line.epoch == epoch).map(|line| line as u8)
    }

    /// A cycle with these inputs and outputs, at whose end the epoch becomes `next`.
    pub fn follow(&mut self, input: &In, out: &Out, next: Option<u8>, seen: &mut Seen) {
        self.result(out, seen);
        self.lookup(input, out, next, seen);
        let fill = input.fill.filter(|fill| usize::from(fill.line) < self.number);
        let clear = input.hc_clr.filter(|line| usize::from(*line) < self.number);
        if let (Some(fill), Some(clear)) = (fill, clear) {
            seen.fill_and_clear += u64::from(fill.line == clear);
        }
        if let Some(epoch) = next {
            seen.fill_at_sync += u64::from(fill.is_some());
            seen.clear_at_sync += u64::from(clear.is_some());
            let mut fallen = 0;
            for (number, line) in self.lines[..self.number].iter_mut().enumerate() {
                let falls = line.live && line.epoch == epoch;
                let filled = fill.is_some_and(|fill| usize::from(fill.line) == number);
                seen.fill_of_line_that_falls += u64::from(falls && filled);
                fallen += u32::from(falls);
                line.live &= !falls;
            }
            seen.line_falls += u64::from(fallen > 0);
            seen.several_lines_fall += u64::from(fallen > 1);
        }
        if let Some(fill) = fill {
            let age = out.epoch.wrapping_sub(fill.epoch) & self.mask;
            seen.fill_of[usize::from(age.min(2))] += 1;
            self.lines[usize::from(fill.line)] = Line { live: true, epoch: fill.epoch };
        }
    }

    /// The result of the lookup of the cycle before.
    fn result(&mut self, out: &Out, seen: &mut Seen) {
        let (Some(looked), Some(rs)) = (self.looked.take(), out.rs) else { return };
        let Looked { line, age, cleared, filled } = looked;
        seen.rs += 1;
        let old = usize::from(age > 0);
        match rs {
            result::HIT => {
                seen.hit[old] += 1;
                seen.hit_and_clear += u64::from(cleared && !filled);
                seen.hit_and_fill += u64::from(filled);
            }
            result::HIT_NEEDCHK => {
                seen.needchk[old] += 1;
                seen.needchk_and_clear += u64::from(cleared);
            }
            result::MISS_COLD => seen.miss_cold += 1,
            result::MISS_EXPIRED if line.live => seen.miss_expired[1] += 1,
            result::MISS_EXPIRED => seen.miss_expired[0] += 1,
            result::MISS_AVU => seen.miss_avu += 1,
            _ => {}
        }
        let missed = matches!(rs, result::MISS_EXPIRED | result::MISS_AVU);
        seen.miss_and_fill += u64::from(missed && filled);
    }

    fn lookup(&mut self, input: &In, out: &Out, next: Option<u8>, seen: &mut Seen) {
        let Some(Lookup { line: number, tag_hit, size, .. }) = input.lk else { return };
        if !out.lk_ready {
            seen.lookup_held += 1;
            return;
        }
        seen.lk += 1;
        seen.size[usize::from(size)] += 1;
        let beyond = usize::from(number) >= self.number;
        seen.cold_beyond_lines += u64::from(beyond && !tag_hit);
        let line = self.lines[usize::from(number)];
        let cleared = input.hc_clr == Some(number);
        let filled = input.fill.is_some_and(|fill| fill.line == number);
        let header = input.rsp.is_some_and(|rsp| rsp.hdr && out.rsp_ready);
        if tag_hit && !beyond {
            seen.lookup_and_clear += u64::from(cleared);
            seen.lookup_and_fill += u64::from(filled);
            seen.lookup_fill_and_clear += u64::from(cleared && filled);
            seen.lookup_at_sync += u64::from(next.is_some());
            seen.lookup_at_header += u64::from(header && next.is_none());
            let falls = next == Some(line.epoch) && line.live;
            seen.lookup_of_line_that_falls += u64::from(falls);
        }
        let age = out.epoch.wrapping_sub(line.epoch) & self.mask;
        self.looked = Some(Looked { line, age, cleared, filled });
    }
}
