//! The drain beat that the packetizer holds, run by run.

use ports::common::finepack_types::{Drain, MAX_LINE, SubHeader, drain_kind};

use super::accumulator::{Accumulator, STEP};
use super::{Config, header, run};
use crate::state::State;

/// A held drain beat. Its fields are what the runs need: shifts are done once, on arrival.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub sop: bool,
    pub eop: bool,
    pub dest: u8,
    /// Outer header of the packet, made from its first beat.
    pub hdr: u128,
    kind: u8,
    /// Bytes that are sent without a sub-header, for the kinds without runs.
    operands: u8,
    /// Offset of the line's first byte from the base, as far as the sub-header holds it.
    offset: u64,
    /// Enabled bytes not yet appended. Kinds other than PACK count as one run.
    left: u128,
    /// `left` without its lowest run.
    rest: u128,
    data: [u8; MAX_LINE + STEP],
}

impl Default for Entry {
    fn default() -> Self {
        Self {
            sop: false,
            eop: false,
            dest: 0,
            hdr: 0,
            kind: 0,
            operands: 0,
            offset: 0,
            left: 0,
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
        self.left = drain.mask;
        self.rest = 0;
        if drain.kind == drain_kind::PACK {
            self.rest = run::rest(drain.mask);
            let line = drain.line << cfg.line.trailing_zeros();
            self.offset = line.wrapping_sub(drain.base) & ((1 << cfg.offset_width) - 1);
        } else {
            self.operands = header::operand_bytes(drain) as u8;
        }
        if drain.sop {
            let hdr = header::outer_header(drain, cfg.line, cfg.ecrc != 0, self_id);
            self.hdr = hdr.into_bits();
        }
    }

    /// The next run is the entry's last.
    #[inline(always)]
    pub fn one_run_left(&self) -> bool {
        self.rest == 0
    }

    /// Moves the lowest run behind the accumulator's bytes. True if it was the entry's last.
    #[inline(always)]
    pub fn move_run(&mut self, acc: &mut Accumulator, sub_header_bytes: usize) -> bool {
        if self.kind != drain_kind::PACK {
            acc.push_operands(&self.data, usize::from(self.operands));
            return true;
        }
        let (start, len) = run::place(self.left, self.rest);
        let offset = self.offset + u64::from(start);
        let sub = SubHeader::new().with_len(len as u16).with_offset(offset);
        acc.push(sub.into_bits(), sub_header_bytes, &self.data, start as usize, len as usize);
        self.left = self.rest;
        self.rest = run::rest(self.left);
        self.left == 0
    }

    /// The registers, which mean something while the beat is `held`.
    pub fn show_state(&self, state: &mut State, held: bool, cfg: &Config) {
        let Self { sop, eop, dest, kind, offset, left, .. } = *self;
        state.part("ent", |state| {
            state.bits_while(held, "sop", 1, u8::from(sop));
            state.bits_while(held, "eop", 1, u8::from(eop));
            state.bits_while(held, "kind", 2, kind);
            state.bits_while(held, "dest", 4, dest);
        });
        let pack = held && kind == drain_kind::PACK;
        state.bits_while(pack, "offset", cfg.offset_width, offset);
        state.bits_while(pack, "mask", cfg.line, left);
    }
}
