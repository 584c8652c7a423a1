//! The parser: one action per cycle on the oldest packet (`rtl/finepack/depacketizer/README.md`,
//! rules 6 to 10).

use ports::finepack::types::{Ingress, LineData, SubHeader, error_code, ingress_kind};

use super::align::{enable, ones, place};
use super::fifo::Fifo;
use super::header::Kind;
use super::rule::Rule;
use super::slots::Slot;
use super::window::Window;

/// What the parser did in a cycle.
pub(super) enum Step {
    /// Nothing: it waits for bytes, or for room in the FIFO.
    Nothing,
    /// An access was pushed, and the packet stays.
    Pushed,
    /// The packet's last bytes left, all of it was good and no beat follows.
    Finished,
    /// The packet has this error.
    Failed(u8),
}

/// Sizes that the parser works with.
#[derive(Clone, Debug)]
pub(super) struct Parser {
    line: u32,
    sub_header_bytes: u32,
    sub_header_bits: u64,
    without: Option<Rule>,
}

impl Parser {
    /// `line` and `sub_header_bytes` are the parameters of the same names.
    pub fn new(line: u32, sub_header_bytes: u32, without: Option<Rule>) -> Self {
        let sub_header_bits = (1 << (8 * sub_header_bytes)) - 1;
        Self { line, sub_header_bytes, sub_header_bits, without }
    }

    /// No test has taken this rule away.
    #[inline(always)]
    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// Without a rule: drops a sub-header with an error, and goes on behind it. False: there is
    /// none.
    #[cold]
    pub fn skip(&self, slot: &mut Slot, window: &mut Window) -> bool {
        let is_there = slot.packet.kind == Kind::Pack && slot.have >= self.sub_header_bytes;
        if is_there {
            window.remove(self.sub_header_bytes as usize);
            slot.take(self.sub_header_bytes);
        }
        is_there
    }

    /// One cycle: takes at most one access's bytes from the window into the FIFO. Bytes of a
    /// packet that failed are left to the caller.
    #[inline(always)]
    pub fn step(&self, slot: &mut Slot, window: &mut Window, fifo: &mut Fifo) -> Step {
        if slot.failed {
            return Step::Nothing;
        }
        match slot.packet.kind {
            Kind::Pack if slot.rem > 0 => self.sub_packet(slot, window, fifo),
            Kind::Write if slot.rem > 0 => self.write_part(slot, window, fifo),
            Kind::Atomic if slot.rem > 0 => self.atomic(slot, window, fifo),
            Kind::Fault(code) => Step::Failed(code),
            _ if slot.bad => Step::Failed(error_code::TRUNCATED),
            Kind::Read | Kind::Mark => self.read(slot, fifo),
            // The end is still to come, and will be an error.
            Kind::Pack | Kind::Write | Kind::Atomic => Step::Nothing,
        }
    }

    #[inline(always)]
    fn sub_packet(&self, slot: &mut Slot, window: &mut Window, fifo: &mut Fifo) -> Step {
        if slot.rem < self.sub_header_bytes {
            if !self.keeps(Rule::Rest) && slot.have == slot.rem {
                return self.took(slot, window, slot.rem);
            }
            return Step::Failed(error_code::TRUNCATED);
        }
        if slot.have < self.sub_header_bytes {
            return starved(slot, self.sub_header_bytes);
        }
        let front = window.front();
        let word = u64::from_le_bytes(front[..8].try_into().expect("8 bytes"));
        let sub = SubHeader::from_bits(word & self.sub_header_bits);
        let mut len = u32::from(sub.len());
        let (mut addr, overflow) = slot.packet.addr.overflowing_add(sub.offset());
        if !self.keeps(Rule::AddsBase) {
            addr = sub.offset();
        }
        let start = addr as u32 & (self.line - 1);
        let mut all = self.sub_header_bytes + len;
        if !self.keeps(Rule::ChecksAtOnce) && slot.have < all.min(slot.rem) {
            return starved(slot, all.min(slot.rem));
        }
        if !self.keeps(Rule::LowestCode) && all > slot.rem {
            return Step::Failed(error_code::TRUNCATED);
        }
        if overflow && self.keeps(Rule::Overflow) {
            return Step::Failed(error_code::ADDR_OVERFLOW);
        }
        if len == 0 && self.keeps(Rule::NoBytes) {
            return Step::Failed(error_code::BAD_SUBHEADER);
        }
        // `len` above a line also crosses one.
        if start + len > self.line {
            if self.keeps(Rule::OneLine) {
                return Step::Failed(error_code::BAD_SUBHEADER);
            }
            len = self.line - start;
        }
        if all > slot.rem && !self.keeps(Rule::InPacket) {
            all = slot.rem;
            len = len.min(all - self.sub_header_bytes);
        }
        if all > slot.rem {
            return Step::Failed(error_code::TRUNCATED);
        }
        if slot.have < all {
            return starved(slot, all);
        }
        if !fifo.has_room() {
            return Step::Nothing;
        }
        let to = fifo.push();
        address(to, slot, ingress_kind::WRITE, self.align(addr));
        to.mask = ones(start, len);
        place(
            &mut to.data,
            self.line,
            start as usize,
            &front[self.sub_header_bytes as usize..],
            len as usize,
        );
        if !self.keeps(Rule::Zeros) && start + len < self.line {
            to.data.0[(start + len) as usize] = front[(self.sub_header_bytes + len) as usize];
        }
        self.took(slot, window, all)
    }

    #[inline(never)]
    fn write_part(&self, slot: &mut Slot, window: &mut Window, fifo: &mut Fifo) -> Step {
        let packet = &slot.packet;
        let done = packet.payload - slot.rem;
        let addr = packet.addr.wrapping_add(u64::from(done));
        let start = addr as u32 & (self.line - 1);
        let in_line = self.line - start;
        let len = slot.rem.min(if self.keeps(Rule::CutAtLines) { in_line } else { self.line });
        if slot.have < len {
            return starved(slot, len);
        }
        if !fifo.has_room() {
            return Step::Nothing;
        }
        let to = fifo.push();
        address(to, slot, ingress_kind::WRITE, self.align(addr));
        let placed = len.min(in_line);
        to.mask = ones(start, placed);
        place(&mut to.data, self.line, start as usize, &window.front()[..], placed as usize);
        if done == 0 && self.keeps(Rule::WriteFirst) {
            enable(to, start, packet.first_be);
        }
        if len == slot.rem && packet.span > 4 && placed == len && self.keeps(Rule::WriteLast) {
            enable(to, start + len - 4, packet.last_be);
        }
        self.took(slot, window, len)
    }

    #[inline(never)]
    fn atomic(&self, slot: &mut Slot, window: &mut Window, fifo: &mut Fifo) -> Step {
        let len = slot.packet.payload;
        if slot.have < len {
            return starved(slot, len);
        }
        if !fifo.has_room() {
            return Step::Nothing;
        }
        let to = fifo.push();
        address(to, slot, ingress_kind::ATOMIC, self.align(slot.packet.addr));
        let start = slot.packet.addr as u32 & (self.line - 1);
        // Without a rule it may leave its line.
        to.mask = ones(start, slot.packet.size.min(self.line - start));
        let at = if self.keeps(Rule::OperandsFirst) { 0 } else { start as usize };
        place(&mut to.data, self.line, at, &window.front()[..], len as usize);
        if !self.keeps(Rule::Order) {
            fifo.overtake();
        }
        self.took(slot, window, len)
    }

    #[inline(never)]
    fn read(&self, slot: &mut Slot, fifo: &mut Fifo) -> Step {
        if !fifo.has_room() {
            return Step::Nothing;
        }
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
            if self.keeps(Rule::ReadEnables) {
                enable(to, start, packet.first_be);
                if packet.span > 4 {
                    enable(to, start + packet.span - 4, packet.last_be);
                }
            }
        }
        if !self.keeps(Rule::Source) {
            (to.src, to.tag) = (0, 0);
        }
        if !self.keeps(Rule::Order) {
            fifo.overtake();
        }
        self.took_nothing(slot)
    }

    fn align(&self, addr: u64) -> u64 {
        addr & !u64::from(self.line - 1)
    }

    #[inline(always)]
    fn took(&self, slot: &mut Slot, window: &mut Window, n: u32) -> Step {
        window.remove(n as usize);
        slot.take(n);
        self.took_nothing(slot)
    }

    #[inline(always)]
    fn took_nothing(&self, slot: &Slot) -> Step {
        if slot.is_finished() { Step::Finished } else { Step::Pushed }
    }
}

/// Fewer than `need` bytes are there: the others are still to come, or never will.
#[inline(always)]
fn starved(slot: &mut Slot, need: u32) -> Step {
    slot.need = need;
    if slot.bad { Step::Failed(error_code::TRUNCATED) } else { Step::Nothing }
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
