//! The drain beat that the packetizer holds, run by run.

use std::fmt;

use super::accumulator::{Accumulator, STEP};
use super::{Config, header};
use crate::common::finepack_types::{Drain, MAX_LINE, SubHeader, drain_kind};

/// A held drain beat. Its fields are what the runs need: what can be computed on arrival is.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub sop: bool,
    pub eop: bool,
    pub dest: u8,
    /// The next run is the entry's last. Kinds other than PACK count as one run.
    pub one_run_left: bool,
    /// Outer header of the packet, made from its first beat.
    pub hdr: u128,
    kind: u8,
    /// First byte of the next run. Its length; without a sub-header for the kinds without runs.
    start: u32,
    len: u32,
    /// Offset of the line's first byte from the base, as far as the sub-header holds it.
    offset: u64,
    /// Enabled bytes behind the next run.
    rest: u128,
    data: [u8; MAX_LINE + STEP],
}

impl Default for Entry {
    fn default() -> Self {
        Self {
            sop: false,
            eop: false,
            dest: 0,
            one_run_left: false,
            hdr: 0,
            kind: 0,
            start: 0,
            len: 0,
            offset: 0,
            rest: 0,
            data: [0; MAX_LINE + STEP],
        }
    }
}

impl Entry {
    /// Holds a drain beat in place of the old one.
    #[inline(always)]
    pub fn hold(&mut self, drain: &Drain, cfg: &Config, self_id: u8) {
        // The smallest line is worth a copy of its own; the bytes above a line are 0 for ever.
        if cfg.line == 16 {
            self.data[..16].copy_from_slice(&drain.data.0[..16]);
        } else {
            self.data[..MAX_LINE].copy_from_slice(&drain.data.0);
        }
        self.sop = drain.sop;
        self.eop = drain.eop;
        self.kind = drain.kind;
        self.dest = drain.dest;
        if drain.kind == drain_kind::PACK {
            let line = drain.line << cfg.line.trailing_zeros();
            self.offset = line.wrapping_sub(drain.base) & !(u64::MAX << cfg.offb);
            self.find_run(drain.mask);
        } else {
            self.len = header::operand_bytes(drain);
            self.one_run_left = true;
        }
        if drain.sop {
            let hdr = header::outer_header(drain, cfg.line, cfg.ecrc_en != 0, self_id);
            self.hdr = hdr.into_bits();
        }
    }

    /// Finds the lowest run of `left`, which is not 0. Most masks fit one word, and its arithmetic
    /// costs a third.
    #[inline(always)]
    fn find_run(&mut self, left: u128) {
        debug_assert!(left != 0, "an entry has enabled bytes");
        if left >> 64 == 0 {
            let left = left as u64;
            let rest = left & left.wrapping_add(left & left.wrapping_neg());
            self.start = left.trailing_zeros();
            self.len = 64 - (left ^ rest).leading_zeros() - self.start;
            self.rest = u128::from(rest);
        } else {
            let rest = left & left.wrapping_add(left & left.wrapping_neg());
            self.start = left.trailing_zeros();
            self.len = 128 - (left ^ rest).leading_zeros() - self.start;
            self.rest = rest;
        }
        self.one_run_left = self.rest == 0;
    }

    /// Moves the next run behind the accumulator's bytes. True if it was the entry's last.
    #[inline(always)]
    pub fn move_run(&mut self, acc: &mut Accumulator, sh: usize) -> bool {
        let len = self.len as usize;
        if self.kind != drain_kind::PACK {
            acc.push_operands(&self.data, len);
            return true;
        }
        let offset = self.offset + u64::from(self.start);
        let sub = SubHeader::new().with_len(self.len as u16).with_offset(offset);
        acc.push(sub.into_bits(), sh, &self.data, self.start as usize, len);
        let last = self.one_run_left;
        if !last {
            self.find_run(self.rest);
        }
        last
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { sop, eop, dest, kind, offset, start, len, rest, .. } = self;
        let (sop, eop) = (u8::from(*sop), u8::from(*eop));
        write!(f, "sop={sop} eop={eop} kind={kind} to={dest} offset={offset:#x}")?;
        write!(f, " start={start} len={len} rest={rest:#x}")
    }
}
