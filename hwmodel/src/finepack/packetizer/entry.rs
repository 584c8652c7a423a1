//! The drain beat that the packetizer holds, run by run.

use ports::finepack::types::{Drain, MAX_LINE, SubHeader, drain_kind};

use super::accumulator::{Accumulator, STEP};
use super::choices::{Choices, Origin};
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
    /// The offset after the last run, if runs merge.
    end: u64,
}

impl Entry {
    pub fn new() -> Self {
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
            end: 0,
        }
    }

    /// Holds a drain beat in place of the old one.
    #[inline(always)]
    pub fn hold(&mut self, drain: &Drain, config: &Config, self_id: u8, choices: &Choices) {
        // The smallest line is worth a copy of its own; the bytes above a line are 0 for ever.
        if config.line == 16 {
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
            let line = drain.line << config.line.trailing_zeros();
            let from = match choices.offset_from {
                Origin::Base => drain.base,
                Origin::Line => line,
            };
            self.offset = line.wrapping_sub(from) & ((1 << config.offset_width) - 1);
        } else {
            self.operands = header::operand_bytes(drain, choices) as u8;
        }
        if drain.sop {
            let hdr = header::outer_header(drain, config.line, config.ecrc != 0, self_id, choices);
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
    pub fn move_run(
        &mut self,
        acc: &mut Accumulator,
        sub_header_bytes: usize,
        choices: &Choices,
    ) -> bool {
        if self.kind != drain_kind::PACK {
            let len = usize::from(self.operands);
            if !choices.operands_bare && len > 0 {
                let sub = SubHeader::new().with_len(len as u16);
                acc.push(sub.into_bits(), sub_header_bytes, &self.data, 0, len);
            } else {
                acc.push_operands(&self.data, len);
            }
            return true;
        }
        let (of, others) = if choices.lowest_first || self.rest == 0 {
            (self.left, self.rest)
        } else {
            (self.rest, run::rest(self.rest))
        };
        let (start, len) = run::place(of, others);
        let offset = self.offset + u64::from(start);
        let mut header_bytes = sub_header_bytes;
        if choices.runs_merge {
            header_bytes = if offset == self.end { 0 } else { sub_header_bytes };
            self.end = offset + u64::from(len);
        }
        let length = (len - choices.length_less) as u16;
        let sub = SubHeader::new().with_len(length).with_offset(offset);
        acc.push(sub.into_bits(), header_bytes, &self.data, start as usize, len as usize);
        self.left ^= of ^ others;
        self.rest = run::rest(self.left);
        self.left == 0
    }

    /// The registers, which mean something while the beat is `held`.
    pub fn show_state(&self, state: &mut State, held: bool, config: &Config) {
        let Self { sop, eop, dest, kind, offset, left, .. } = *self;
        state.part("ent", |state| {
            state.bits_while(held, "sop", 1, u8::from(sop));
            state.bits_while(held, "eop", 1, u8::from(eop));
            state.bits_while(held, "kind", 2, kind);
            state.bits_while(held, "dest", 4, dest);
        });
        let pack = held && kind == drain_kind::PACK;
        state.bits_while(pack, "offset", config.offset_width, offset);
        state.bits_while(pack, "mask", config.line, left);
    }
}
