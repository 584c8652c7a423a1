//! Lanes to lines: the accesses of one instruction that fall into one line make one request.

use traces::trace::{Instr, InstrKind};

use crate::context::masks;
use crate::context::message::MAX_LINE;

/// One line of an instruction. What lies outside the mask is whatever lay there before.
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

/// The lines of an instruction. Their places are used again, and not cleared, for the next one.
#[derive(Debug, Default)]
pub struct Lines {
    places: Vec<LineAccess>,
    used: usize,
}

impl Lines {
    fn clear(&mut self) {
        self.used = 0;
    }

    /// How many.
    #[inline]
    pub fn len(&self) -> usize {
        self.used
    }

    /// Adds a line of which no byte is accessed yet. Gives its place.
    #[inline]
    fn push(&mut self, addr: u64) -> usize {
        let at = self.used;
        if at == self.places.len() {
            let empty = [0; MAX_LINE];
            self.places.push(LineAccess { addr, mask: 0, racy: 0, bytes: empty, olds: empty });
        }
        let place = &mut self.places[at];
        (place.addr, place.mask, place.racy) = (addr, 0, 0);
        self.used += 1;
        at
    }
}

impl std::ops::Deref for Lines {
    type Target = [LineAccess];
    #[inline]
    fn deref(&self) -> &[LineAccess] {
        &self.places[..self.used]
    }
}

impl std::ops::DerefMut for Lines {
    #[inline]
    fn deref_mut(&mut self) -> &mut [LineAccess] {
        &mut self.places[..self.used]
    }
}

/// Splits the active lanes of `instr` into lines of `line` bytes (a power of 2), in the order of
/// the lowest lane. Two lanes of an atomic that change the same bytes go into two requests; of two
/// stores to a byte the higher lane's stays.
pub fn coalesce(instr: &Instr, line: u64, into: &mut Lines) {
    into.clear();
    match (instr.kind, instr.size) {
        (InstrKind::Atomic(_), _) => coalesce_any(instr, line, into),
        (_, 4) => coalesce_aligned::<4>(instr, line, into),
        (_, 8) => coalesce_aligned::<8>(instr, line, into),
        _ => coalesce_any(instr, line, into),
    }
}

/// Loads and stores of `N` bytes: most are aligned, and most lanes fall into the line of the lane
/// before.
fn coalesce_aligned<const N: usize>(instr: &Instr, line: u64, into: &mut Lines) {
    if is_one_run::<N>(instr, line) {
        return coalesce_run::<N>(instr, line, into);
    }
    let mut lanes = instr.lanes;
    let all =
        instr.addrs.iter().enumerate().fold(0, |bits, (lane, addr)| {
            bits | if instr.lanes >> lane & 1 == 1 { *addr } else { 0 }
        });
    if all % N as u64 != 0 {
        return coalesce_any(instr, line, into);
    }
    let mut at = usize::MAX;
    let mut current = u64::MAX;
    // Bytes of the current line, by halves of the longest: an aligned access lies in one of them.
    let mut mask = [0u64; 2];
    let mut racy = [0u64; 2];
    let wide = |halves: [u64; 2]| u128::from(halves[1]) << 64 | u128::from(halves[0]);
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize % 64;
        lanes &= lanes - 1;
        let addr = instr.addrs[lane];
        if addr & !(line - 1) != current {
            if at != usize::MAX {
                into[at].mask |= wide(mask);
                into[at].racy |= wide(racy);
            }
            current = addr & !(line - 1);
            (mask, racy) = ([0; 2], [0; 2]);
            at = place(into, current);
        }
        let offset = ((addr & (line - 1)) as usize).min(MAX_LINE - N);
        let value: &[u8; N] = instr.values[N * lane..].first_chunk().expect("a lane's value");
        into[at].bytes[offset..offset + N].copy_from_slice(value);
        let bytes = ((1u64 << N) - 1) << (offset % 64);
        mask[offset / 64] |= bytes;
        if instr.racy >> lane & 1 == 1 {
            racy[offset / 64] |= bytes;
        }
    }
    if at != usize::MAX {
        into[at].mask |= wide(mask);
        into[at].racy |= wide(racy);
    }
}

/// True when the active lanes are neighbours and access one run of bytes, aligned, and none is
/// racy.
fn is_one_run<const N: usize>(instr: &Instr, line: u64) -> bool {
    let first = instr.lanes.trailing_zeros();
    let neighbours = instr.lanes >> (first % 64);
    let addr = instr.addrs[first as usize % instr.addrs.len()];
    let aligned = addr.is_multiple_of(N as u64) && line >= N as u64;
    instr.is_run && instr.racy == 0 && neighbours & neighbours.wrapping_add(1) == 0 && aligned
}

/// One run of bytes: whole lines but for the ends.
fn coalesce_run<const N: usize>(instr: &Instr, line: u64, into: &mut Lines) {
    let mut lane = instr.lanes.trailing_zeros() as usize;
    let end = lane + instr.lanes.count_ones() as usize;
    while lane < end {
        let addr = instr.addrs[lane];
        let offset = (addr & (line - 1)) as usize;
        let bytes = (line as usize - offset).min(N * (end - lane));
        let at = into.push(addr & !(line - 1));
        let access = &mut into[at];
        access.mask = masks::span(offset, bytes);
        masks::copy_line(&mut access.bytes[offset..], &instr.values[N * lane..][..bytes]);
        lane += bytes / N;
    }
}

/// The request of a line, the latest first; a new one where there is none.
#[inline]
fn place(into: &mut Lines, addr: u64) -> usize {
    match into.iter().rposition(|a| a.addr == addr) {
        Some(at) => at,
        None => into.push(addr),
    }
}

fn coalesce_any(instr: &Instr, line: u64, into: &mut Lines) {
    let atomic = matches!(instr.kind, InstrKind::Atomic(_));
    let size = usize::from(instr.size);
    let mut lanes = instr.lanes;
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let addr = instr.addrs[lane];
        let value = instr.value(lane);
        let racy = instr.racy >> lane & 1 == 1;
        let offset = (addr % line) as usize;
        // An access that is not aligned may reach into the next line.
        let here = size.min(line as usize - offset);
        let access = find(into, addr - offset as u64, masks::span(offset, here), atomic);
        put(access, offset, &value[..here], racy);
        if atomic {
            access.olds[offset..offset + size].copy_from_slice(instr.old(lane));
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

/// The request of a line, the latest first; a new one where there is none, or none that may take an
/// atomic on these bytes.
#[inline]
fn find(into: &mut Lines, addr: u64, mask: u128, atomic: bool) -> &mut LineAccess {
    let fits = |a: &LineAccess| a.addr == addr && !(atomic && a.mask & mask != 0);
    let at = match into.iter().rposition(fits) {
        Some(at) => at,
        None => into.push(addr),
    };
    &mut into[at]
}

#[cfg(test)]
mod tests {
    use traces::trace::AtomicOp;

    use super::*;

    fn instr(kind: InstrKind, size: u8, addrs: &[u64]) -> Instr {
        let mut instr = Instr { kind, size, lanes: (1 << addrs.len()) - 1, ..Instr::default() };
        for (lane, &addr) in addrs.iter().enumerate() {
            instr.addrs[lane] = addr;
            instr.value_mut(lane).fill(lane as u8 + 1);
        }
        instr
    }

    #[test]
    fn neighbours_share_a_line_and_far_ones_do_not() {
        let mut lines = Lines::default();
        coalesce(&instr(InstrKind::Load, 4, &[0x100, 0x104, 0x140, 0x10c]), 64, &mut lines);
        let seen: Vec<_> = lines.iter().map(|l| (l.addr, l.mask)).collect();
        assert_eq!(seen, [(0x100, 0xf0ff), (0x140, 0xf)]);
        assert_eq!(lines[0].bytes[..8], [1, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!(lines[0].bytes[12..16], [4; 4]);
    }

    #[test]
    fn aligned_and_general_agree() {
        let mut random = traces::workloads::SplitMix64::new(7);
        for size in [4, 8] {
            for line in [32, 64, 128] {
                let addrs: Vec<_> =
                    (0..64).map(|_| 0x1000 + random.below(600) / size * size).collect();
                let mut instr = instr(InstrKind::Store, size as u8, &addrs[..63]);
                (instr.lanes, instr.racy) = (random.bits(), random.bits());
                let (mut fast, mut slow) = (Lines::default(), Lines::default());
                coalesce(&instr, line, &mut fast);
                coalesce_any(&instr, line, &mut slow);
                let all = |lines: &[LineAccess]| -> Vec<_> {
                    let accessed = |l: &LineAccess| {
                        let byte = |k: usize| if l.mask >> k & 1 == 1 { l.bytes[k] } else { 0 };
                        std::array::from_fn::<u8, MAX_LINE, _>(byte)
                    };
                    lines.iter().map(|l| (l.addr, l.mask, l.racy, accessed(l))).collect()
                };
                assert_eq!(all(&fast), all(&slow));
                for first in [0x1000, 0x1008, 0x1018] {
                    let addrs: Vec<_> = (0..63).map(|i| first + i * size).collect();
                    let mut run = super::tests::instr(InstrKind::Load, size as u8, &addrs);
                    (run.lanes, run.addrs[63]) = (u64::MAX, first + 63 * size);
                    run.is_run = true;
                    assert!(size != 4 || is_one_run::<4>(&run, line));
                    for lanes in [u64::MAX, u64::MAX << 32, u64::MAX >> 32, 0xff0, 1 << 63, 0b1011]
                    {
                        run.lanes = lanes;
                        coalesce(&run, line, &mut fast);
                        slow.clear();
                        coalesce_any(&run, line, &mut slow);
                        assert_eq!(all(&fast), all(&slow));
                    }
                }
            }
        }
    }

    #[test]
    fn an_access_across_a_line_is_cut() {
        let mut lines = Lines::default();
        coalesce(&instr(InstrKind::Store, 8, &[0x13c]), 64, &mut lines);
        let seen: Vec<_> = lines.iter().map(|l| (l.addr, l.mask)).collect();
        assert_eq!(seen, [(0x100, 0xf << 60), (0x140, 0xf)]);
    }

    #[test]
    fn atomics_on_one_word_are_apart_and_later_stores_win() {
        let mut lines = Lines::default();
        let add = InstrKind::Atomic(AtomicOp::Add);
        coalesce(&instr(add, 4, &[0x100, 0x104, 0x100]), 64, &mut lines);
        let seen: Vec<_> = lines.iter().map(|l| (l.addr, l.mask)).collect();
        assert_eq!(seen, [(0x100, 0xff), (0x100, 0xf)]);
        coalesce(&instr(InstrKind::Store, 4, &[0x100, 0x100]), 64, &mut lines);
        assert_eq!((lines.len(), lines[0].bytes[0]), (1, 2));
    }
}
