//! The parser: one action per cycle on the oldest packet (`rtl/depacketizer/README.md`, rules 6 to
//! 10).

use super::dq::Dq;
use super::header::Kind;
use super::slot::Slot;
use super::window::Window;
use crate::common::finepack_types::{
    Ingress, LineData, MAX_LINE, SubHeader, error_code, ingress_kind,
};

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
    sh: u32,
    sub_header_bits: u64,
}

/// Short runs are placed with one shift instead of a copy of variable length.
const SHORT: usize = 16;

impl Parser {
    /// `line` and `sh` are the parameters of the same names.
    pub fn new(line: u32, sh: u32) -> Self {
        Self { line, sh, sub_header_bits: (1 << (8 * sh)) - 1 }
    }

    /// One cycle: takes at most one access's bytes from the window into the FIFO. Bytes of a
    /// packet that failed are left to the caller.
    #[inline(always)]
    pub fn step(&self, slot: &mut Slot, window: &mut Window, dq: &mut Dq) -> Step {
        if slot.failed {
            return Step::Nothing;
        }
        match slot.packet.kind {
            Kind::Pack if slot.rem > 0 => self.sub_packet(slot, window, dq),
            Kind::Write if slot.rem > 0 => self.write_part(slot, window, dq),
            Kind::Atomic if slot.rem > 0 => self.atomic(slot, window, dq),
            Kind::Fault(code) => Step::Failed(code),
            _ if slot.bad => Step::Failed(error_code::TRUNCATED),
            Kind::Read | Kind::Mark => self.read(slot, dq),
            // The end is still to come, and will be an error.
            Kind::Pack | Kind::Write | Kind::Atomic => Step::Nothing,
        }
    }

    #[inline(always)]
    fn sub_packet(&self, slot: &mut Slot, window: &mut Window, dq: &mut Dq) -> Step {
        if slot.rem < self.sh {
            return Step::Failed(error_code::TRUNCATED);
        }
        if slot.have < self.sh {
            return starved(slot, self.sh);
        }
        let front = window.front();
        let word = u64::from_le_bytes(front[..8].try_into().expect("8 bytes"));
        let sub = SubHeader::from_bits(word & self.sub_header_bits);
        let len = u32::from(sub.len());
        let (addr, overflow) = slot.packet.addr.overflowing_add(sub.offset());
        let start = addr as u32 & (self.line - 1);
        let all = self.sh + len;
        if overflow {
            return Step::Failed(error_code::ADDR_OVERFLOW);
        }
        // `len` above a line also crosses one.
        if len == 0 || start + len > self.line {
            return Step::Failed(error_code::BAD_SUBHEADER);
        }
        if all > slot.rem {
            return Step::Failed(error_code::TRUNCATED);
        }
        if slot.have < all {
            return starved(slot, all);
        }
        if !dq.has_room() {
            return Step::Nothing;
        }
        let to = dq.push();
        address(to, slot, ingress_kind::WRITE, self.align(addr));
        to.mask = ones(start, len);
        place(&mut to.data, self.line, start as usize, &front[self.sh as usize..], len as usize);
        self.took(slot, window, all)
    }

    #[inline(never)]
    fn write_part(&self, slot: &mut Slot, window: &mut Window, dq: &mut Dq) -> Step {
        let packet = &slot.packet;
        let done = packet.payload - slot.rem;
        let addr = packet.addr.wrapping_add(u64::from(done));
        let start = addr as u32 & (self.line - 1);
        let len = slot.rem.min(self.line - start);
        if slot.have < len {
            return starved(slot, len);
        }
        if !dq.has_room() {
            return Step::Nothing;
        }
        let to = dq.push();
        address(to, slot, ingress_kind::WRITE, self.align(addr));
        to.mask = ones(start, len);
        place(&mut to.data, self.line, start as usize, &window.front()[..], len as usize);
        if done == 0 {
            enable(to, start, packet.first_be);
        }
        if len == slot.rem && packet.span > 4 {
            enable(to, start + len - 4, packet.last_be);
        }
        self.took(slot, window, len)
    }

    #[inline(never)]
    fn atomic(&self, slot: &mut Slot, window: &mut Window, dq: &mut Dq) -> Step {
        let len = slot.packet.payload;
        if slot.have < len {
            return starved(slot, len);
        }
        if !dq.has_room() {
            return Step::Nothing;
        }
        let to = dq.push();
        address(to, slot, ingress_kind::ATOMIC, self.align(slot.packet.addr));
        to.mask = ones(slot.packet.addr as u32 & (self.line - 1), slot.packet.size);
        place(&mut to.data, self.line, 0, &window.front()[..], len as usize);
        self.took(slot, window, len)
    }

    #[inline(never)]
    fn read(&self, slot: &mut Slot, dq: &mut Dq) -> Step {
        if !dq.has_room() {
            return Step::Nothing;
        }
        let packet = &slot.packet;
        let to = dq.push();
        to.data = LineData::default();
        to.mask = 0;
        if packet.kind == Kind::Mark {
            address(to, slot, ingress_kind::MARK, self.align(packet.addr));
        } else {
            address(to, slot, ingress_kind::READ, self.align(packet.addr));
            let start = packet.addr as u32 & (self.line - 1);
            to.mask = ones(start, packet.span);
            enable(to, start, packet.first_be);
            if packet.span > 4 {
                enable(to, start + packet.span - 4, packet.last_be);
            }
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

/// The low `n` (0 to 128) bits, by `n`: a table is cheaper than shifts of 128 bits.
static LOW_BITS: [u128; 129] = {
    let mut low = [0; 129];
    let mut n = 1;
    while n <= 128 {
        low[n] = u128::MAX >> (128 - n);
        n += 1;
    }
    low
};

/// The `n` bits from bit `at` on, inside 128.
#[inline(always)]
fn ones(at: u32, n: u32) -> u128 {
    LOW_BITS[(at + n) as usize] ^ LOW_BITS[at as usize]
}

/// Applies the byte enables of the DW at byte `at`: what is not enabled is cleared.
fn enable(to: &mut Ingress, at: u32, be: u8) {
    let off = u128::from(!be & 0xf) << at;
    to.mask &= !off;
    for k in (0..4).filter(|k| be >> k & 1 == 0) {
        to.data.0[(at + k) as usize] = 0;
    }
}

/// Clears the line and puts the first `len` (1 to 128) bytes of `from` at byte `at`. `from` has at
/// least [`SHORT`] bytes.
#[inline(always)]
fn place(to: &mut LineData, line: u32, at: usize, from: &[u8], len: usize) {
    // The bytes above a line are 0 for ever, and a run ends within its line.
    let narrow = line as usize <= SHORT;
    if narrow {
        to.0[..SHORT].fill(0);
    } else {
        *to = LineData::default();
    }
    if len > SHORT {
        to.0[at..at + len].copy_from_slice(&from[..len]);
        return;
    }
    let value = u128::from_le_bytes(from[..SHORT].try_into().expect("16 bytes"));
    let value = value & ones(0, 8 * len as u32);
    if narrow {
        to.0[at..at + SHORT].copy_from_slice(&value.to_le_bytes());
    } else {
        // The last bytes of the longest line have no 16 bytes behind them.
        let whole = at.min(MAX_LINE - SHORT);
        let value = value << ((8 * (at - whole)) & 127);
        to.0[whole..whole + SHORT].copy_from_slice(&value.to_le_bytes());
    }
}
