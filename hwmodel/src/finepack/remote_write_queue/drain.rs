//! The drain sequencer: takes tokens round-robin and shows their beats (specification 5.5, 5.8 c).

use ports::finepack::types::{Drain, drain_kind, gpu_of};

use super::Config;
use super::choices::Choices;
use super::order_queue::OrderQueues;
use super::partition::Partitions;
use crate::state::{State, index_width};

/// The packet or single beat that `drain_o` shows, and the state of the arbitration.
#[derive(Debug, Default)]
pub(super) struct Sequencer {
    /// `drain_valid_o`.
    pub valid: bool,
    /// The beat is an entry of a packet; else it is `raw`.
    pub pack: bool,
    /// The partition that is served.
    pub part: u8,
    /// The first partition of the next arbitration.
    pub next: u8,
    /// Beats up to `eop`, this one included.
    pub left: u8,
    dest: u8,
    id: u8,
    plen: u16,
    /// The entry that is shown, counted from the start of all entries.
    entry: usize,
    raw: Drain,
    num_parts: u8,
}

impl Sequencer {
    pub fn new(config: &Config) -> Self {
        Self {
            raw: Drain { sop: true, ..Drain::default() },
            num_parts: config.parts() as u8,
            ..Self::default()
        }
    }

    /// Puts the beat on the port, where it stays until it is taken.
    #[inline(always)]
    fn show(&self, parts: &mut Partitions) {
        let beat = if self.pack { parts.beat(self.entry) } else { &self.raw };
        let Self { left, dest, id, plen, .. } = *self;
        parts.out.drain = Some(Drain { eop: left == 1, dest, id, plen, ..*beat });
    }

    /// One edge. `pending` are the order queues with a token at the start of the cycle.
    #[inline(always)]
    pub fn tick(
        &mut self,
        ready: bool,
        pending: u16,
        orders: &mut OrderQueues,
        parts: &mut Partitions,
        self_id: u8,
        choices: &Choices,
    ) {
        if self.valid {
            if ready {
                self.left -= 1;
                self.entry += 1;
                self.valid = self.left > 0;
                let part = usize::from(self.part);
                if self.pack && !(self.valid && choices.last_frees) {
                    parts.free_bank(part);
                }
                if self.valid {
                    self.show(parts);
                } else {
                    parts.out.drain = None;
                    if self.pack || choices.tag_counts_raw {
                        parts.next_tag(part);
                    }
                }
            }
        } else if pending != 0 {
            let from_next = pending >> self.next << self.next;
            let turn = if from_next != 0 { from_next } else { pending };
            self.part = turn.trailing_zeros() as u8;
            let is_last = self.part + 1 == self.num_parts;
            self.next = if is_last || !choices.round_robin { 0 } else { self.part + 1 };
            self.take(orders, parts, self_id, choices);
            self.show(parts);
        }
    }

    /// Takes the next token of `part`.
    #[inline(always)]
    fn take(
        &mut self,
        orders: &mut OrderQueues,
        parts: &Partitions,
        self_id: u8,
        choices: &Choices,
    ) {
        let part = usize::from(self.part);
        let token = orders.pop(part, choices);
        self.valid = true;
        self.dest = gpu_of(part, self_id);
        self.pack = token.kind == drain_kind::PACK;
        if self.pack {
            let packet = parts.packet(part);
            self.left = packet.count;
            self.entry = packet.first;
            self.plen = packet.plen;
            self.id = parts.tag(part);
        } else {
            self.left = 1;
            self.plen = 0;
            self.id = token.id;
            let raw = &mut self.raw;
            (raw.kind, raw.aop, raw.line, raw.mask) =
                (token.kind, token.aop, token.line, token.mask);
            raw.data.0[..token.operands.len()].copy_from_slice(&token.operands);
        }
    }

    /// The registers of the sequencer.
    pub fn show_state(&self, state: &mut State) {
        let Self { valid, part, next, left, dest, id, plen, .. } = *self;
        let kind = if self.pack { drain_kind::PACK } else { self.raw.kind };
        let part_width = index_width(self.num_parts.into());
        state.bits("rr", part_width, next);
        state.part("beat", |state| {
            state.flag("valid", valid);
            state.bits_while(valid, "eop", 1, u8::from(left == 1));
            state.bits_while(valid, "kind", 2, kind);
            state.bits_while(valid, "part", part_width, part);
            state.bits_while(valid, "dest", 4, dest);
            state.bits_while(valid, "id", 8, id);
            state.bits_while(valid, "plen", 13, plen);
        });
        // The RTL counts up, in `idx`.
        state.bits_while(valid, "left", 7, left);
    }
}
