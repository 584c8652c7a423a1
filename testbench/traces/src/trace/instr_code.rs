//! Instructions as bytes. The decoder is in `cursor.rs`; `docs/trace-format.md` has the layout.

use super::wire::{Malformed, Wire, put_varint};
use super::{Chain, FirstUse, Instr, InstrKind, LANES, Work};

/// Low 4 bits of the first byte: kind; atomics follow with their operation added.
pub const LOAD: u8 = 0;
/// See [`LOAD`].
pub const STORE: u8 = 1;
/// See [`LOAD`].
pub const BARRIER: u8 = 2;
/// See [`LOAD`].
pub const FENCE: u8 = 3;
/// See [`LOAD`].
pub const ATOMIC: u8 = 4;
/// Bits of the first byte that hold the kind.
pub const KIND_MASK: u8 = 0xf;
/// Place of the size's logarithm in the first byte.
pub const SIZE_SHIFT: u8 = 4;
/// First byte: all 64 lanes are active, no mask follows.
pub const ALL_LANES: u8 = 0x80;

/// Low 2 bits of the second byte: the form of the addresses.
pub const FORM_MASK: u8 = 3;
/// Address of lane 0 (8 bytes), stride from lane to lane (4 bytes, signed).
pub const STRIDE: u8 = 0;
/// Least address (8 bytes), then for each active lane its distance in 2 bytes.
pub const OFFSET_16: u8 = 1;
/// As above, in 4 bytes.
pub const OFFSET_32: u8 = 2;
/// As above, in 8 bytes.
pub const OFFSET_64: u8 = 3;
/// Second byte: one value stands for all active lanes.
pub const SAME_VALUE: u8 = 4;
/// Second byte: a gap of 1 byte follows.
pub const GAP_8: u8 = 8;
/// Second byte: a gap of 4 bytes follows.
pub const GAP_32: u8 = 16;
/// Second byte: behind the gap stand seven numbers ([`put_details`]); since version 5.
pub const DETAILS: u8 = 32;
/// Bits of the second byte that have a meaning.
pub const FLAGS: u8 = 63;

/// Active lanes, least first.
pub fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (lane < 64).then_some(lane as usize)
    })
}

/// Code of a kind.
pub fn kind_code(kind: InstrKind) -> u8 {
    match kind {
        InstrKind::Load => LOAD,
        InstrKind::Store => STORE,
        InstrKind::Barrier => BARRIER,
        InstrKind::Fence => FENCE,
        InstrKind::Atomic(op) => ATOMIC + op as u8,
    }
}

/// Appends an instruction; its racy lanes are stored elsewhere. It has at least one active lane,
/// and the size of an access is a power of 2 of at most 16.
pub fn put_instr(out: &mut Vec<u8>, instr: &Instr) {
    let accesses = !matches!(instr.kind, InstrKind::Barrier | InstrKind::Fence);
    let mut first = kind_code(instr.kind);
    if accesses {
        first |= (instr.size.trailing_zeros() as u8) << SIZE_SHIFT;
    }
    if instr.lanes == u64::MAX {
        first |= ALL_LANES;
    }
    out.push(first);
    let flags_at = out.len();
    out.push(0);
    if instr.lanes != u64::MAX {
        out.extend_from_slice(&instr.lanes.to_le_bytes());
    }
    let mut flags = put_gap(out, instr.work.instructions);
    flags |= put_details(out, instr);
    if accesses {
        flags |= put_addrs(out, instr);
        flags |= put_values(out, instr);
    }
    out[flags_at] = flags;
    if let InstrKind::Atomic(_) = instr.kind {
        for lane in lanes(instr.lanes) {
            out.extend_from_slice(instr.old(lane));
        }
    }
}

fn put_gap(out: &mut Vec<u8>, gap: u32) -> u8 {
    match gap {
        0 => 0,
        1..=0xff => {
            out.push(gap as u8);
            GAP_8
        }
        _ => {
            out.extend_from_slice(&gap.to_le_bytes());
            GAP_32
        }
    }
}

/// What is known of the gap beside its length, and of the value's first use. Nothing where that is
/// nothing.
fn put_details(out: &mut Vec<u8>, instr: &Instr) -> u8 {
    let Instr { work, first_use, .. } = instr;
    if work.is_plain() && *first_use == FirstUse::Unknown {
        return 0;
    }
    let first_use = match *first_use {
        FirstUse::Unknown => 0,
        FirstUse::Never => 1,
        FirstUse::After(instructions) => u64::from(instructions) + 1,
    };
    put_varint(out, first_use);
    let Work { special, local, passes, chain, .. } = *work;
    for number in [special, local, passes, chain.arithmetic, chain.special, chain.local] {
        put_varint(out, number.into());
    }
    DETAILS
}

/// Reads what `put_details` has written.
pub fn details(wire: &mut Wire, work: &mut Work) -> Result<FirstUse, Malformed> {
    let first_use = match wire.number(1 << 32, "a first use of at most 2^32")? {
        0 => FirstUse::Unknown,
        1 => FirstUse::Never,
        after => FirstUse::After((after - 1) as u32),
    };
    let mut number = || wire.u32("a number of instructions");
    (work.special, work.local, work.passes) = (number()?, number()?, number()?);
    work.chain = Chain { arithmetic: number()?, special: number()?, local: number()? };
    Ok(first_use)
}

/// The stride from lane to lane, where there is one.
fn stride(instr: &Instr) -> Option<i32> {
    let mut active = lanes(instr.lanes);
    let first = active.next()?;
    let Some(second) = active.next() else {
        return Some(0);
    };
    let step = instr.addrs[second].wrapping_sub(instr.addrs[first]) as i64;
    let stride = i32::try_from(step / (second - first) as i64).ok()?;
    let base = base(instr, first, stride);
    let differs = |l: usize, addr: u64| {
        addr ^ base.wrapping_add((i64::from(stride) as u64).wrapping_mul(l as u64))
    };
    let has_stride = match instr.lanes {
        // Without a branch in each lane, several at a time.
        u64::MAX => instr.addrs.iter().enumerate().fold(0, |d, (l, &a)| d | differs(l, a)) == 0,
        some => lanes(some).all(|l| differs(l, instr.addrs[l]) == 0),
    };
    has_stride.then_some(stride)
}

/// Where lane 0 is or would be.
fn base(instr: &Instr, first: usize, stride: i32) -> u64 {
    instr.addrs[first].wrapping_sub((i64::from(stride) * first as i64) as u64)
}

fn put_addrs(out: &mut Vec<u8>, instr: &Instr) -> u8 {
    if let Some(stride) = stride(instr) {
        let first = instr.lanes.trailing_zeros() as usize % LANES;
        out.extend_from_slice(&base(instr, first, stride).to_le_bytes());
        out.extend_from_slice(&stride.to_le_bytes());
        return STRIDE;
    }
    let addrs = || lanes(instr.lanes).map(|lane| instr.addrs[lane]);
    let least = addrs().min().unwrap_or(0);
    let span = addrs().max().unwrap_or(0) - least;
    out.extend_from_slice(&least.to_le_bytes());
    let (form, bytes) = match span {
        0..=0xffff => (OFFSET_16, 2),
        0x1_0000..=0xffff_ffff => (OFFSET_32, 4),
        _ => (OFFSET_64, 8),
    };
    for addr in addrs() {
        out.extend_from_slice(&(addr - least).to_le_bytes()[..bytes]);
    }
    form
}

fn put_values(out: &mut Vec<u8>, instr: &Instr) -> u8 {
    let value = |lane: usize| instr.value(lane);
    let first = instr.lanes.trailing_zeros() as usize % LANES;
    if lanes(instr.lanes).all(|lane| value(lane) == value(first)) {
        out.extend_from_slice(value(first));
        return SAME_VALUE;
    }
    if instr.lanes == u64::MAX {
        out.extend_from_slice(&instr.values[..usize::from(instr.size) * LANES]);
        return 0;
    }
    for lane in lanes(instr.lanes) {
        out.extend_from_slice(value(lane));
    }
    0
}
