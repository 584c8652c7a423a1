//! Lanes to lines: the accesses of one instruction that fall into one line make one request.

use crate::machine::masks;
use crate::machine::message::MAX_LINE;
use crate::trace::{Instr, InstrKind};

/// One line of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct LineAccess {
    /// Byte address of the line.
    pub addr: u64,
    /// Bytes of the line.
    pub mask: u128,
    /// Bytes of racy lanes.
    pub racy: u128,
    /// Bytes of the lanes in their places: loaded, to store, operands.
    pub bytes: [u8; MAX_LINE],
    /// Old values of an atomic.
    pub olds: [u8; MAX_LINE],
}

/// Splits the active lanes of `instr` into lines of `line` bytes, in the order of the lowest lane. Two
/// lanes of an atomic that change the same bytes go into two requests; of two stores to a byte the higher
/// lane's stays.
pub fn coalesce(instr: &Instr, line: u64, into: &mut Vec<LineAccess>) {
    into.clear();
    let atomic = matches!(instr.kind, InstrKind::Atomic(_));
    let size = usize::from(instr.size);
    let mut lanes = instr.lanes;
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let addr = instr.addrs[lane];
        let value = &instr.values[16 * lane..][..size];
        let racy = instr.racy >> lane & 1 == 1;
        let offset = (addr % line) as usize;
        // An access that is not aligned may reach into the next line.
        let here = size.min(line as usize - offset);
        let access = find(into, addr - offset as u64, masks::span(offset, here), atomic);
        put(access, offset, &value[..here], racy);
        if atomic {
            access.olds[offset..offset + size].copy_from_slice(&instr.olds[8 * lane..][..size]);
        }
        if here < size {
            let rest = masks::span(0, size - here);
            let access = find(into, addr - offset as u64 + line, rest, atomic);
            put(access, 0, &value[here..], racy);
        }
    }
}

#[inline]
fn put(access: &mut LineAccess, offset: usize, value: &[u8], racy: bool) {
    let mask = masks::span(offset, value.len());
    access.bytes[offset..offset + value.len()].copy_from_slice(value);
    access.mask |= mask;
    if racy {
        access.racy |= mask;
    }
}

/// The request of a line, the latest first; a new one where there is none, or none that may take an atomic
/// on these bytes.
#[inline]
fn find(into: &mut Vec<LineAccess>, addr: u64, mask: u128, atomic: bool) -> &mut LineAccess {
    let fits = |a: &LineAccess| a.addr == addr && !(atomic && a.mask & mask != 0);
    let at = into.iter().rposition(fits).unwrap_or_else(|| {
        let empty = [0; MAX_LINE];
        into.push(LineAccess { addr, mask: 0, racy: 0, bytes: empty, olds: empty });
        into.len() - 1
    });
    &mut into[at]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::AtomicOp;

    fn instr(kind: InstrKind, size: u8, addrs: &[u64]) -> Instr {
        let mut instr = Instr { kind, size, lanes: (1 << addrs.len()) - 1, ..Instr::default() };
        for (lane, &addr) in addrs.iter().enumerate() {
            instr.addrs[lane] = addr;
            instr.values[16 * lane..][..size.into()].fill(lane as u8 + 1);
        }
        instr
    }

    #[test]
    fn neighbours_share_a_line_and_far_ones_do_not() {
        let mut lines = Vec::new();
        coalesce(&instr(InstrKind::Load, 4, &[0x100, 0x104, 0x140, 0x10c]), 64, &mut lines);
        let seen: Vec<_> = lines.iter().map(|l| (l.addr, l.mask)).collect();
        assert_eq!(seen, [(0x100, 0xf0ff), (0x140, 0xf)]);
        assert_eq!(lines[0].bytes[..16], [1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0, 4, 4, 4, 4]);
    }

    #[test]
    fn an_access_across_a_line_is_cut() {
        let mut lines = Vec::new();
        coalesce(&instr(InstrKind::Store, 8, &[0x13c]), 64, &mut lines);
        let seen: Vec<_> = lines.iter().map(|l| (l.addr, l.mask)).collect();
        assert_eq!(seen, [(0x100, 0xf << 60), (0x140, 0xf)]);
    }

    #[test]
    fn atomics_on_one_word_are_apart_and_later_stores_win() {
        let mut lines = Vec::new();
        let add = InstrKind::Atomic(AtomicOp::Add);
        coalesce(&instr(add, 4, &[0x100, 0x104, 0x100]), 64, &mut lines);
        let seen: Vec<_> = lines.iter().map(|l| (l.addr, l.mask)).collect();
        assert_eq!(seen, [(0x100, 0xff), (0x100, 0xf)]);
        coalesce(&instr(InstrKind::Store, 4, &[0x100, 0x100]), 64, &mut lines);
        assert_eq!((lines.len(), lines[0].bytes[0]), (1, 2));
    }
}
