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
    /// The packet stays: an access was pushed, or nothing could be done.
    Stay,
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
            Step::Stay
        } else if matches!(slot.packet.kind, Kind::Pack) && slot.rem > 0 {
            self.sub_packet(slot, window, dq)
        } else {
            self.step_aside(slot, window, dq)
        }
    }

    /// All but the sub-packets; out of their way.
    #[inline(never)]
    fn step_aside(&self, slot: &mut Slot, window: &mut Window, dq: &mut Dq) -> Step {
        match slot.packet.kind {
            Kind::Write if slot.rem > 0 => self.write_part(slot, window, dq),
            Kind::Atomic if slot.rem > 0 => self.atomic(slot, window, dq),
            Kind::Fault(code) => Step::Failed(code),
            _ if slot.bad => Step::Failed(error_code::TRUNCATED),
            Kind::Read | Kind::Mark => self.read(slot, dq),
            // The end is still to come, and will be an error.
            Kind::Pack | Kind::Write | Kind::Atomic => Step::Stay,
        }
    }

    #[inline(always)]
    fn sub_packet(&self, slot: &mut Slot, window: &mut Window, dq: &mut Dq) -> Step {
        // What the window holds never exceeds what is left: where it is enough, so is that.
        if slot.have < self.sh {
            return self.short(slot, self.sh);
        }
        let front = window.front();
        let word = u64::from_le_bytes(front[..8].try_into().expect("8 bytes"));
        let sub = SubHeader::from_bits(word & self.sub_header_bits);
        let len = u32::from(sub.len());
        let (addr, overflow) = slot.packet.addr.overflowing_add(sub.offset());
        let start = addr as u32 & (self.line - 1);
        let all = self.sh + len;
        // A length of 0 wraps; one above a line also crosses one.
        if overflow | (len.wrapping_sub(1) >= self.line - start) {
            let code = if overflow { error_code::ADDR_OVERFLOW } else { error_code::BAD_SUBHEADER };
            return Step::Failed(code);
        }
        if slot.have < all {
            return self.short(slot, all);
        }
        if !dq.has_room() {
            return Step::Stay;
        }
        let to = dq.push();
        address(to, slot, ingress_kind::WRITE, addr - u64::from(start));
        to.mask = ones(start, len);
        place(
            &mut to.data,
            self.line,
            start as usize,
            &front[self.sh as usize & 7..],
            len as usize,
        );
        self.took(slot, window, all)
    }

    /// The window has not the `need` bytes: has the packet?
    #[inline(always)]
    fn short(&self, slot: &mut Slot, need: u32) -> Step {
        if slot.rem < need { Step::Failed(error_code::TRUNCATED) } else { starved(slot, need) }
    }

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
            return Step::Stay;
        }
        let to = dq.push();
        address(to, slot, ingress_kind::WRITE, addr - u64::from(start));
        to.mask = ones(start, len);
        place(&mut to.data, self.line, start as usize, &window.front()[..], len as usize);
        if done == 0 {
            enable(to, start, packet.header.first_be());
        }
        if len == slot.rem && packet.span() > 4 {
            enable(to, start + len - 4, packet.header.last_be());
        }
        self.took(slot, window, len)
    }

    fn atomic(&self, slot: &mut Slot, window: &mut Window, dq: &mut Dq) -> Step {
        let len = slot.packet.payload;
        if slot.have < len {
            return starved(slot, len);
        }
        if !dq.has_room() {
            return Step::Stay;
        }
        let to = dq.push();
        address(to, slot, ingress_kind::ATOMIC, self.align(slot.packet.addr));
        to.aop = slot.packet.aop();
        to.mask = ones(slot.packet.addr as u32 & (self.line - 1), slot.packet.atomic_size());
        place(&mut to.data, self.line, 0, &window.front()[..], len as usize);
        self.took(slot, window, len)
    }

    fn read(&self, slot: &mut Slot, dq: &mut Dq) -> Step {
        if !dq.has_room() {
            return Step::Stay;
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
            to.mask = ones(start, packet.span());
            enable(to, start, packet.header.first_be());
            if packet.span() > 4 {
                enable(to, start + packet.span() - 4, packet.header.last_be());
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
        if slot.is_finished() { Step::Finished } else { Step::Stay }
    }
}

/// Fewer than `need` bytes are there: the others are still to come, or never will.
#[inline(always)]
fn starved(slot: &mut Slot, need: u32) -> Step {
    slot.need = need;
    if slot.bad { Step::Failed(error_code::TRUNCATED) } else { Step::Stay }
}

/// The fields that every access has. `aop` is 0 but for atomics.
#[inline(always)]
fn address(to: &mut Ingress, slot: &Slot, kind: u8, addr: u64) {
    to.kind = kind;
    to.aop = 0;
    to.src = slot.packet.header.requester();
    to.tag = slot.packet.header.tag();
    to.addr = addr;
}

/// Bits 0 to `n`, by `n`: a table is cheaper than shifts of 128 bits.
static UP_TO: [u128; 128] = {
    let mut table = [0; 128];
    let mut n = 0;
    while n < 128 {
        table[n] = u128::MAX >> (127 - n);
        n += 1;
    }
    table
};

/// Bits from `n` on, by `n`.
static FROM: [u128; 128] = {
    let mut table = [0; 128];
    let mut n = 0;
    while n < 128 {
        table[n] = u128::MAX << n;
        n += 1;
    }
    table
};

/// The `n` (at least 1) bits from bit `at` on, inside 128.
#[inline(always)]
fn ones(at: u32, n: u32) -> u128 {
    FROM[(at & 127) as usize] & UP_TO[((at + n - 1) & 127) as usize]
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
    // The shortest line is all overwritten below, and the bytes above a line are 0 for ever.
    if line as usize > SHORT {
        *to = LineData::default();
    }
    if len <= SHORT {
        let value = u128::from_le_bytes(from[..SHORT].try_into().expect("16 bytes"));
        let value = value & UP_TO[(8 * len - 1) & 127];
        if line as usize <= SHORT {
            let value = value << ((8 * at) & 127);
            to.0[..SHORT].copy_from_slice(&value.to_le_bytes());
            return;
        }
        // The last bytes of the longest line have no 16 bytes behind them.
        let whole = at.min(MAX_LINE - SHORT);
        let value = value << ((8 * (at - whole)) & 127);
        to.0[whole..whole + SHORT].copy_from_slice(&value.to_le_bytes());
    } else {
        to.0[at..at + len].copy_from_slice(&from[..len]);
    }
}
