//! The two header slots and the rules of acceptance (`rtl/finepack/depacketizer/README.md`, rules 1
//! to 3, 11 and 12).

use ports::finepack::types::{Tlp, error_code};

use super::choices::Choices;
use super::header::{Kind, Packet};
use super::window::Window;
use crate::state::State;

/// Packets with bytes to parse or beats to come, the oldest first. Beats are accepted while at most
/// one slot is in use, so that only the first can be open at that time.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    slots: [Slot; 2],
    used: usize,
    /// A packet has failed since reset.
    pub after_error: bool,
}

impl Slots {
    /// Slots in use.
    #[inline(always)]
    pub fn used(&self) -> usize {
        self.used
    }

    /// The registers. `window`: width of a number of bytes in the window.
    pub fn show_state(&self, state: &mut State, window: u32) {
        for (at, (slot, name)) in self.slots.iter().zip(["old", "young"]).enumerate() {
            state.part(name, |state| slot.show_state(state, at < self.used, window));
        }
    }

    /// The oldest packet's slot; what it holds without one means nothing, but that it is not over.
    #[inline(always)]
    pub fn oldest(&mut self) -> &mut Slot {
        &mut self.slots[0]
    }

    /// Frees the oldest packet's slot.
    #[inline(always)]
    pub fn free_oldest(&mut self) {
        self.used -= 1;
        if self.used > 0 {
            self.slots[0] = self.slots[1];
        } else {
            self.slots[0].failed = false;
        }
    }

    /// Files an accepted beat under its packet. False: it belongs to none.
    #[inline(always)]
    pub fn accept(
        &mut self,
        tlp: &Tlp,
        line: u32,
        beat: u32,
        window: &mut Window,
        choices: &Choices,
    ) -> bool {
        let open = self.used > 0 && !self.slots[0].ended;
        if tlp.sop && (!open || choices.start_ends) {
            if open {
                self.slots[0].cut_short();
            }
            let slot = &mut self.slots[self.used & 1];
            slot.open(tlp, line, choices);
            if choices.drops_next && self.after_error {
                slot.packet.kind = Kind::Fault(error_code::TRUNCATED);
            }
            self.used += 1;
        } else if !open {
            return false;
        }
        // The open packet is the last one.
        let slot = &mut self.slots[(self.used - 1) & 1];
        slot.accept(tlp, beat, window, choices);
        true
    }
}

/// One packet of which bytes are in the window or beats to come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    pub packet: Packet,
    /// Payload bytes in the window.
    pub have: u32,
    /// Payload bytes that the parser has not yet taken, in the window or to come.
    pub rem: u32,
    /// Bytes in the window that the parser waits for.
    pub need: u32,
    /// Payload bytes that the header's length leaves for later beats.
    left: u32,
    /// A beat broke a rule, or the packet ended short: the parser reports it behind what is whole.
    pub bad: bool,
    /// No more beats are coming.
    pub ended: bool,
    /// The packet's error has been reported.
    pub failed: bool,
    /// Later beats are dropped unseen.
    closed: bool,
}

impl Slot {
    /// Starts the packet of a beat with `sop`. The beat itself is still to be accepted.
    #[inline(never)]
    fn open(&mut self, tlp: &Tlp, line: u32, choices: &Choices) {
        self.packet = Packet::from_header(tlp.hdr, line, choices);
        self.rem = self.packet.payload;
        self.left = self.packet.payload;
        self.have = 0;
        self.need = 0;
        self.bad = false;
        self.ended = false;
        self.failed = false;
        // Bytes of a faulty packet would leave in its first cycle as the oldest; until then
        // nothing else can be accepted, so that no output depends on whether the window holds them.
        self.closed = matches!(self.packet.kind, Kind::Fault(_));
    }

    /// Takes a beat of the packet.
    #[inline(always)]
    fn accept(&mut self, tlp: &Tlp, beat: u32, window: &mut Window, choices: &Choices) {
        if !self.closed {
            let mut n = u32::from(tlp.nbytes);
            if choices.cuts_beats {
                n = n.min(beat);
            }
            // A last beat may be short; a beat after the length is used up is always wrong.
            let size_ok = n == beat || (n < beat && (tlp.eop || choices.short_beats));
            let mut fits = n <= self.left && (self.left > 0 || tlp.sop);
            if choices.cuts_packets {
                (n, fits) = (n.min(self.left), true);
            }
            if size_ok && fits {
                window.push(&tlp.data, n as usize);
                self.have += n;
                self.left -= n;
                if choices.ends_short {
                    self.bad |= tlp.eop && self.left > 0;
                } else if tlp.eop {
                    self.rem -= std::mem::take(&mut self.left);
                }
            } else {
                self.bad = true;
                self.closed = true;
            }
        }
        self.ended |= tlp.eop;
    }

    /// A beat with `sop` of the next packet came before this one's end.
    fn cut_short(&mut self) {
        self.bad = true;
        self.ended = true;
    }

    /// The packet's error has been found and its bytes have left the window.
    pub fn fail(&mut self) {
        self.have = 0;
        self.failed = true;
        self.closed = true;
    }

    /// Takes `n` bytes that the parser has used.
    #[inline(always)]
    pub fn take(&mut self, n: u32) {
        self.have -= n;
        self.rem -= n;
        self.need = 0;
    }

    /// The parser waits for bytes that may still come.
    #[inline(always)]
    pub fn is_starved(&self) -> bool {
        self.have < self.need && !self.bad
    }

    /// All bytes were good and have left, and no beat can follow. A packet whose end is still to
    /// come cannot end well any more: whatever ends it breaks a rule.
    #[inline(always)]
    pub fn is_finished(&self) -> bool {
        self.rem == 0 && self.ended && !self.bad
    }

    /// The packet failed and no beat can follow.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.failed && self.ended
    }

    /// The registers, which mean something while the slot is `used`.
    fn show_state(&self, state: &mut State, used: bool, window: u32) {
        let Self { packet, have, rem, left, bad, ended, failed, closed, .. } = self;
        state.flag("valid", used);
        state.bits_while(used, "closed", 1, u8::from(*ended));
        state.bits_while(used, "dead", 1, u8::from(*failed));
        state.bits_while(used, "broken", 1, u8::from(*bad));
        state.bits_while(used, "dropping", 1, u8::from(*closed));
        state.bits_while(used, "base", 64, packet.addr);
        let counts = used && !closed;
        state.bits_while(counts, "total", 13, packet.payload);
        state.bits_while(counts, "rem", 13, *rem);
        state.bits_while(counts, "left", 13, *left);
        // Of a packet that is dropped the model leaves the bytes out at once.
        state.bits_while(counts, "have", window, *have);
    }
}
