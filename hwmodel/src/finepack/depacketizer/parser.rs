//! The parser: one action per cycle on the oldest packet (`rtl/finepack/depacketizer/README.md`,
//! rules 6 to 10).

use ports::finepack::types::{Ingress, LineData, SubHeader, error_code, ingress_kind};

use super::align::{enable, ones, place};
use super::choices::{Choices, fault};
use super::fifo::Fifo;
use super::header::Kind;
use super::slots::Slot;
use super::window::Window;

/// What the parser does in a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// Nothing until so many bytes of the packet are in the window.
    Wait(u32),
    /// Nothing until the FIFO has a free entry or the packet ends.
    Stall,
    /// Pushes the `len` bytes after a sub-header as a write to `addr`, and takes `taken` bytes.
    SubPacket { addr: u64, len: u32, taken: u32 },
    /// Pushes the next `len` bytes of a plain write to `addr`.
    WritePart { addr: u64, len: u32 },
    /// Pushes the atomic.
    Atomic,
    /// Pushes the read or MARK.
    Read,
    /// Drops the packet's last bytes.
    Drop(u32),
    /// The packet has this error.
    Fail(u8),
}

/// Sizes that the parser works with.
#[derive(Clone, Debug)]
pub(super) struct Parser {
    line: u32,
    sub_header_bytes: u32,
    sub_header_bits: u64,
}

impl Parser {
    /// `line` and `sub_header_bytes` are the parameters of the same names.
    pub fn new(line: u32, sub_header_bytes: u32) -> Self {
        let sub_header_bits = (1 << (8 * sub_header_bytes)) - 1;
        Self { line, sub_header_bytes, sub_header_bits }
    }

    /// The action for the oldest packet; `room`: the FIFO has a free entry.
    #[inline(always)]
    pub fn decide(&self, slot: &Slot, window: &Window, room: bool, choices: &Choices) -> Action {
        if slot.failed {
            return Action::Stall;
        }
        match slot.packet.kind {
            Kind::Pack if slot.rem > 0 => self.sub_packet(slot, window, room, choices),
            Kind::Write if slot.rem > 0 => self.write_part(slot, room, choices),
            Kind::Atomic if slot.rem > 0 => match slot.packet.payload {
                len if slot.have < len => wait(slot, len),
                _ if room => Action::Atomic,
                _ => Action::Stall,
            },
            Kind::Fault(code) => Action::Fail(code),
            _ if slot.bad => Action::Fail(error_code::TRUNCATED),
            Kind::Read | Kind::Mark if room => Action::Read,
            // Of a packet with data the end is still to come, and will be an error.
            _ => Action::Stall,
        }
    }

    /// README rule 7.
    #[inline(always)]
    fn sub_packet(&self, slot: &Slot, window: &Window, room: bool, choices: &Choices) -> Action {
        if slot.rem < self.sub_header_bytes {
            let drops = !choices.rest_is_fault && slot.have == slot.rem;
            return if drops { Action::Drop(slot.rem) } else { TRUNCATED };
        }
        if slot.have < self.sub_header_bytes {
            return wait(slot, self.sub_header_bytes);
        }
        let word = u64::from_le_bytes(window.front()[..8].try_into().expect("8 bytes"));
        let sub = SubHeader::from_bits(word & self.sub_header_bits);
        let base = slot.packet.addr & choices.base_bits;
        let (addr, overflow) = base.overflowing_add(sub.offset());
        let in_line = self.line - (addr as u32 & (self.line - 1));
        let mut len = u32::from(sub.len());
        let mut taken = self.sub_header_bytes + len;
        if !choices.checks_at_once && slot.have < taken.min(slot.rem) {
            return wait(slot, taken.min(slot.rem));
        }
        // A `len` above a line also leaves one.
        if overflow | (len == 0) | (len > in_line) | (taken > slot.rem) {
            let faults = (u8::from(overflow) * fault::OVERFLOW)
                | (u8::from(len == 0) * fault::NO_BYTES)
                | (u8::from(len > in_line) * fault::LEAVES_LINE)
                | (u8::from(taken > slot.rem) * fault::LEAVES_PACKET);
            if faults & choices.checks != 0 {
                return Action::Fail(code(faults & choices.checks, choices));
            }
            taken = taken.min(slot.rem);
            len = len.min(in_line).min(taken - self.sub_header_bytes);
        }
        if slot.have < taken {
            return wait(slot, taken);
        }
        if room { Action::SubPacket { addr, len, taken } } else { Action::Stall }
    }

    /// README rule 8.
    #[inline(always)]
    fn write_part(&self, slot: &Slot, room: bool, choices: &Choices) -> Action {
        let done = slot.packet.payload - slot.rem;
        let addr = slot.packet.addr.wrapping_add(u64::from(done));
        let in_line = self.line - (addr as u32 & (self.line - 1));
        let len = slot.rem.min(if choices.cuts_at_lines { in_line } else { self.line });
        if slot.have < len {
            return wait(slot, len);
        }
        if room { Action::WritePart { addr, len } } else { Action::Stall }
    }

    /// Applies an action that is no error. True: the packet's last bytes have left, all of it was
    /// good, and no beat follows.
    #[inline(always)]
    pub fn apply(
        &self,
        action: Action,
        slot: &mut Slot,
        window: &mut Window,
        fifo: &mut Fifo,
        choices: &Choices,
    ) -> bool {
        let taken = match action {
            Action::Wait(need) => {
                slot.need = need;
                return false;
            }
            Action::Stall | Action::Fail(_) => return false,
            Action::SubPacket { addr, len, taken } => {
                self.push_sub_packet(addr, len, slot, window, fifo, choices);
                taken
            }
            Action::WritePart { addr, len } => {
                self.push_part(addr, len, slot, window, fifo, choices);
                len
            }
            Action::Atomic => {
                self.push_atomic(slot, window, fifo, choices);
                slot.packet.payload
            }
            Action::Read => {
                self.push_read(slot, fifo, choices);
                0
            }
            Action::Drop(rest) => rest,
        };
        window.remove(taken as usize);
        slot.take(taken);
        slot.is_finished()
    }

    #[inline(always)]
    fn push_sub_packet(
        &self,
        addr: u64,
        len: u32,
        slot: &Slot,
        window: &Window,
        fifo: &mut Fifo,
        choices: &Choices,
    ) {
        let start = addr as u32 & (self.line - 1);
        let from = &window.front()[self.sub_header_bytes as usize..];
        let to = fifo.push();
        address(to, slot, ingress_kind::WRITE, self.align(addr));
        to.mask = ones(start, len);
        place(&mut to.data, self.line, start as usize, from, len as usize);
        if !choices.clears_disabled && start + len < self.line {
            to.data.0[(start + len) as usize] = from[len as usize];
        }
    }

    #[inline(never)]
    fn push_part(
        &self,
        addr: u64,
        len: u32,
        slot: &Slot,
        window: &Window,
        fifo: &mut Fifo,
        choices: &Choices,
    ) {
        let packet = &slot.packet;
        let start = addr as u32 & (self.line - 1);
        let placed = len.min(self.line - start);
        let to = fifo.push();
        address(to, slot, ingress_kind::WRITE, self.align(addr));
        to.mask = ones(start, placed);
        place(&mut to.data, self.line, start as usize, &window.front()[..], placed as usize);
        if slot.rem == packet.payload {
            enable(to, start, packet.first_be | choices.write_first_adds);
        }
        if len == slot.rem && packet.span > 4 && placed == len {
            enable(to, start + len - 4, packet.last_be | choices.write_last_adds);
        }
    }

    #[inline(never)]
    fn push_atomic(&self, slot: &Slot, window: &Window, fifo: &mut Fifo, choices: &Choices) {
        let packet = &slot.packet;
        let start = packet.addr as u32 & (self.line - 1);
        let to = fifo.push();
        address(to, slot, ingress_kind::ATOMIC, self.align(packet.addr));
        to.mask = ones(start, packet.size.min(self.line - start));
        let at = if choices.operands_first { 0 } else { start as usize };
        place(&mut to.data, self.line, at, &window.front()[..], packet.payload as usize);
        if choices.overtakes {
            fifo.overtake();
        }
    }

    /// README rule 9.
    #[inline(never)]
    fn push_read(&self, slot: &Slot, fifo: &mut Fifo, choices: &Choices) {
        let packet = &slot.packet;
        let to = fifo.push();
        to.data = LineData::default();
        to.mask = 0;
        if packet.kind == Kind::Mark {
            address(to, slot, ingress_kind::MARK, self.align(packet.addr));
        } else {
            address(to, slot, ingress_kind::READ, self.align(packet.addr));
            let start = packet.addr as u32 & (self.line - 1);
            to.mask = ones(start, packet.span);
            enable(to, start, packet.first_be | choices.read_adds);
            if packet.span > 4 {
                enable(to, start + packet.span - 4, packet.last_be | choices.read_adds);
            }
        }
        if !choices.read_has_source {
            (to.src, to.tag) = (0, 0);
        }
        if choices.overtakes {
            fifo.overtake();
        }
    }

    /// Drops the sub-header of a sub-packet with an error. False: the error has none.
    #[cold]
    pub fn drop_sub_header(&self, slot: &mut Slot, window: &mut Window) -> bool {
        let is_there = slot.packet.kind == Kind::Pack && slot.have >= self.sub_header_bytes;
        if is_there {
            window.remove(self.sub_header_bytes as usize);
            slot.take(self.sub_header_bytes);
        }
        is_there
    }

    fn align(&self, addr: u64) -> u64 {
        addr & !u64::from(self.line - 1)
    }
}

const TRUNCATED: Action = Action::Fail(error_code::TRUNCATED);

/// Fewer than `need` bytes are in the window: the others are still to come, or never will.
#[inline(always)]
fn wait(slot: &Slot, need: u32) -> Action {
    if slot.bad { TRUNCATED } else { Action::Wait(need) }
}

/// The error code of a sub-header's faults.
#[cold]
fn code(faults: u8, choices: &Choices) -> u8 {
    let first = if choices.lowest_code { faults.trailing_zeros() } else { faults.ilog2() };
    match 1 << first {
        fault::OVERFLOW => error_code::ADDR_OVERFLOW,
        fault::LEAVES_PACKET => error_code::TRUNCATED,
        _ => error_code::BAD_SUBHEADER,
    }
}

/// The fields that every access has.
#[inline(always)]
fn address(to: &mut Ingress, slot: &Slot, kind: u8, addr: u64) {
    to.kind = kind;
    to.aop = slot.packet.aop;
    to.src = slot.packet.src;
    to.tag = slot.packet.tag;
    to.addr = addr;
}
