//! The drain beat that the packetizer holds, run by run.

use ports::finepack::types::{Drain, MAX_LINE, SubHeader, drain_kind};

use super::accumulator::{Accumulator, STEP};
use super::rule::Rule;
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
    without: Option<Rule>,
    /// Without `Rule::FromBase`: where the packet's first line begins.
    begin: u64,
    /// Without `Rule::RunsApart`: the offset behind the packet's last run.
    end: u64,
}

impl Entry {
    pub fn new(without: Option<Rule>) -> Self {
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
            without,
            begin: 0,
            end: u64::MAX,
        }
    }

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
            let mut base = drain.base;
            if self.without.is_some() {
                base = self.base_without(drain, line);
            }
            self.offset = line.wrapping_sub(base) & ((1 << cfg.offset_width) - 1);
        } else {
            self.operands = header::operand_bytes(drain, self.without) as u8;
        }
        if drain.sop {
            let hdr = header::outer_header(drain, cfg.line, cfg.ecrc != 0, self_id, self.without);
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
            let len = usize::from(self.operands);
            if self.without == Some(Rule::OperandsBare) && len > 0 {
                let sub = SubHeader::new().with_len(len as u16);
                acc.push(sub.into_bits(), sub_header_bytes, &self.data, 0, len);
            } else {
                acc.push_operands(&self.data, len);
            }
            return true;
        }
        if self.without.is_some() {
            return self.move_without(acc, sub_header_bytes);
        }
        let (start, len) = run::place(self.left, self.rest);
        let offset = self.offset + u64::from(start);
        let sub = SubHeader::new().with_len(len as u16).with_offset(offset);
        acc.push(sub.into_bits(), sub_header_bytes, &self.data, start as usize, len as usize);
        self.left = self.rest;
        self.rest = run::rest(self.left);
        self.left == 0
    }

    /// What offsets count from.
    #[cold]
    fn base_without(&mut self, drain: &Drain, line: u64) -> u64 {
        if drain.sop {
            (self.begin, self.end) = (line, u64::MAX);
        }
        if self.without == Some(Rule::FromBase) { self.begin } else { drain.base }
    }

    /// `move_run` without a rule.
    #[cold]
    fn move_without(&mut self, acc: &mut Accumulator, sub_header_bytes: usize) -> bool {
        // The run that goes: the lowest of these.
        let of = if self.without == Some(Rule::LowestFirst) && self.rest != 0 {
            self.rest
        } else {
            self.left
        };
        let others = run::rest(of);
        let (start, len) = run::place(of, others);
        let offset = self.offset + u64::from(start);
        let told = if self.without == Some(Rule::LengthOfRun) { len - 1 } else { len };
        let sub = SubHeader::new().with_len(told as u16).with_offset(offset);
        let joins = self.without == Some(Rule::RunsApart) && offset == self.end;
        let sub_header_bytes = if joins { 0 } else { sub_header_bytes };
        acc.push(sub.into_bits(), sub_header_bytes, &self.data, start as usize, len as usize);
        self.end = offset + u64::from(len);
        self.left &= !(of ^ others);
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
