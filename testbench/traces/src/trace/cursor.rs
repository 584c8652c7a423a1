//! Decodes a warp's instructions one after another. This is the hot path of every run: straight
//! loops over 64 lanes, one bound check for each part of an instruction, no allocation.

use std::ops::Range;

use super::instr_code::{
    self, ALL_LANES, ATOMIC, BARRIER, DETAILS, FENCE, FLAGS, FORM_MASK, GAP_8, GAP_32, KIND_MASK,
    LOAD, OFFSET_16, OFFSET_32, SAME_VALUE, SIZE_SHIFT, STORE, STRIDE,
};
use super::limits::ADDRESS_END;
use super::wire::{Malformed, Wire};
use super::{AtomicOp, Error, FirstUse, Group, Instr, InstrKind, LANES, Work};

/// A place in a warp's instructions. Belongs to the group that made it.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    at: usize,
    end: usize,
    /// Number of the next instruction.
    index: u32,
    racy: Range<usize>,
}

impl Cursor {
    pub(super) fn new(span: Range<usize>, racy: Range<usize>) -> Self {
        Self { at: span.start, end: span.end, index: 0, racy }
    }

    /// Number of the next instruction.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// True when no instruction is left.
    pub fn at_end(&self) -> bool {
        self.at == self.end
    }

    /// Instructions before the next one, without decoding it; 0 at the end and where it is damaged.
    pub fn gap(&self, group: &Group) -> u32 {
        let bytes = group.bytes.get(self.at..self.end).unwrap_or_default();
        let [first, flags, rest @ ..] = bytes else { return 0 };
        let at = if first & ALL_LANES != 0 { 0 } else { 8 };
        match flags & (GAP_8 | GAP_32) {
            GAP_8 => rest.get(at).map_or(0, |&gap| gap.into()),
            GAP_32 => {
                rest[at.min(rest.len())..].first_chunk().map_or(0, |&b| u32::from_le_bytes(b))
            }
            _ => 0,
        }
    }

    /// What the warp executes before the next instruction, without decoding that; nothing at the
    /// end, and where it is damaged.
    pub fn work(&self, group: &Group) -> Work {
        let mut work = Work::of(self.gap(group));
        let bytes = group.bytes.get(self.at..self.end).unwrap_or_default();
        if let [first, flags, ..] = *bytes
            && flags & DETAILS != 0
        {
            let at = 2 + if first & ALL_LANES != 0 { 0 } else { 8 } + gap_bytes(flags).unwrap_or(0);
            let mut all = work;
            if instr_code::details(&mut Wire::new(bytes, at), &mut all).is_ok() {
                work = all;
            }
        }
        work
    }

    /// Decodes the next instruction; false at the end. Of inactive lanes, addresses and values are
    /// meaningless. Errors: bytes that are no instruction; the cursor stays.
    pub fn next(&mut self, group: &Group, instr: &mut Instr) -> Result<bool, Error> {
        let damaged = |at, expected| group.place.damaged(Malformed { at, expected });
        if self.at == self.end {
            if !self.racy.is_empty() {
                return Err(damaged(self.at, "no racy lanes beyond the last instruction"));
            }
            return Ok(false);
        }
        let bytes = group.bytes.get(self.at..self.end).unwrap_or_default();
        let taken = match decode(bytes, instr) {
            Ok(taken) => taken,
            Err(expected) => return Err(damaged(self.at, expected)),
        };
        instr.racy = 0;
        if let Some(racy) = group.racy.get(self.racy.start).filter(|_| !self.racy.is_empty())
            && racy.index == self.index
        {
            let classed = matches!(instr.kind, InstrKind::Load | InstrKind::Atomic(_));
            if !classed || racy.lanes & !instr.lanes != 0 {
                return Err(damaged(self.at, "racy lanes that load"));
            }
            instr.racy = racy.lanes;
            self.racy.start += 1;
        }
        self.at += taken;
        self.index += 1;
        Ok(true)
    }

    /// As `next`, but passes loads without decoding them.
    pub fn next_but_loads(&mut self, group: &Group, instr: &mut Instr) -> Result<bool, Error> {
        loop {
            let bytes = group.bytes.get(self.at..self.end).unwrap_or_default();
            let Some(length) = length_of_load(bytes) else { return self.next(group, instr) };
            let racy = group.racy.get(self.racy.start).filter(|_| !self.racy.is_empty());
            self.racy.start += usize::from(racy.is_some_and(|racy| racy.index == self.index));
            self.at += length;
            self.index += 1;
        }
    }
}

/// Bytes of the instruction at the front, if it is a whole load.
fn length_of_load(bytes: &[u8]) -> Option<usize> {
    let [first, flags, ..] = *bytes else { return None };
    let log_size = (first & !ALL_LANES) >> SIZE_SHIFT;
    if first & KIND_MASK != LOAD || log_size > 4 || flags > FLAGS {
        return None;
    }
    let (mask, active) = match first & ALL_LANES {
        0 => (8, u64::from_le_bytes(*bytes[2..].first_chunk()?).count_ones() as usize),
        _ => (0, LANES),
    };
    let gap = gap_bytes(flags)?;
    let details = match flags & DETAILS {
        0 => 0,
        _ => {
            let mut wire = Wire::new(bytes, 2 + mask + gap);
            instr_code::details(&mut wire, &mut Work::default()).ok()?;
            wire.at() - (2 + mask + gap)
        }
    };
    let addresses = match flags & FORM_MASK {
        STRIDE => 4,
        OFFSET_16 => 2 * active,
        OFFSET_32 => 4 * active,
        _ => 8 * active,
    };
    let values = if flags & SAME_VALUE != 0 { 1 } else { active };
    let length = 2 + mask + gap + details + 8 + addresses + (values << log_size);
    (active > 0 && length <= bytes.len()).then_some(length)
}

/// Bytes of the gap's length.
fn gap_bytes(flags: u8) -> Option<usize> {
    match flags & (GAP_8 | GAP_32) {
        0 => Some(0),
        GAP_8 => Some(1),
        GAP_32 => Some(4),
        _ => None,
    }
}

/// What was expected. The place is known to the caller.
type Expected = &'static str;

/// Bytes of one instruction, read from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Expected> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or("a whole instruction")?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Expected> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or("a whole instruction")?;
        self.0 = rest;
        Ok(*taken)
    }
}

/// Decodes the instruction at the front; gives its length.
fn decode(bytes: &[u8], instr: &mut Instr) -> Result<usize, Expected> {
    let mut rest = Bytes(bytes);
    let [first, flags] = rest.array::<2>()?;
    if flags > FLAGS {
        return Err("flags of an instruction, at most 63");
    }
    let lanes = if first & ALL_LANES != 0 { u64::MAX } else { u64::from_le_bytes(rest.array()?) };
    if lanes == 0 {
        return Err("an active lane");
    }
    instr.lanes = lanes;
    instr.work = Work::of(match flags & (GAP_8 | GAP_32) {
        0 => 0,
        GAP_8 => u32::from(rest.array::<1>()?[0]),
        GAP_32 => u32::from_le_bytes(rest.array()?),
        _ => return Err("a gap of 0, 1 or 4 bytes"),
    });
    instr.first_use = FirstUse::Unknown;
    if flags & DETAILS != 0 {
        let mut wire = Wire::new(rest.0, 0);
        let first_use = instr_code::details(&mut wire, &mut instr.work);
        instr.first_use = first_use.map_err(|malformed| malformed.expected)?;
        rest.take(wire.at())?;
    }
    instr.kind = kind(first & KIND_MASK)?;
    let log_size = (first & !ALL_LANES) >> SIZE_SHIFT;
    match instr.kind {
        InstrKind::Barrier | InstrKind::Fence if log_size == 0 => {
            instr.size = 0;
            return Ok(bytes.len() - rest.0.len());
        }
        InstrKind::Load | InstrKind::Store if log_size <= 4 => {}
        InstrKind::Atomic(_) if log_size == 2 || log_size == 3 => {}
        _ => return Err("a size that the kind of instruction has"),
    }
    instr.size = 1 << log_size;
    let stride = addresses(&mut rest, flags & FORM_MASK, lanes, &mut instr.addrs)?;
    instr.is_run = stride == Some(1 << log_size);
    if let InstrKind::Atomic(_) = instr.kind {
        let mut active = instr_code::lanes(lanes).map(|lane| instr.addrs[lane]);
        if active.any(|addr| addr % u64::from(instr.size) != 0) {
            return Err("aligned addresses of an atomic");
        }
    }
    let same = flags & SAME_VALUE != 0;
    match log_size {
        0 => spread::<1>(&mut rest, same, lanes, &mut instr.values)?,
        1 => spread::<2>(&mut rest, same, lanes, &mut instr.values)?,
        2 => spread::<4>(&mut rest, same, lanes, &mut instr.values)?,
        3 => spread::<8>(&mut rest, same, lanes, &mut instr.values)?,
        _ => spread::<16>(&mut rest, same, lanes, &mut instr.values)?,
    }
    if let InstrKind::Atomic(_) = instr.kind {
        match log_size {
            2 => spread::<4>(&mut rest, false, lanes, &mut instr.olds)?,
            _ => spread::<8>(&mut rest, false, lanes, &mut instr.olds)?,
        }
    }
    Ok(bytes.len() - rest.0.len())
}

fn kind(code: u8) -> Result<InstrKind, Expected> {
    Ok(match code {
        LOAD => InstrKind::Load,
        STORE => InstrKind::Store,
        BARRIER => InstrKind::Barrier,
        FENCE => InstrKind::Fence,
        _ => InstrKind::Atomic(
            AtomicOp::from_code(code - ATOMIC).ok_or("a kind of instruction, 0 to 12")?,
        ),
    })
}

/// Gives the distance between neighbouring lanes, where all have the same.
fn addresses(
    rest: &mut Bytes,
    form: u8,
    lanes: u64,
    addrs: &mut [u64; LANES],
) -> Result<Option<i32>, Expected> {
    let base = u64::from_le_bytes(rest.array()?);
    if form == STRIDE {
        let distance = i32::from_le_bytes(rest.array()?);
        let stride = i64::from(distance) as u64;
        // Four lanes at a time: one vector register.
        let mut next: [u64; 4] =
            std::array::from_fn(|i| base.wrapping_add(stride.wrapping_mul(i as u64)));
        for places in addrs.chunks_exact_mut(4) {
            places.copy_from_slice(&next);
            next = next.map(|addr| addr.wrapping_add(stride.wrapping_mul(4)));
        }
        // The stride is small: when both ends are inside, all between are.
        let first = addrs[lanes.trailing_zeros() as usize % LANES];
        let last = addrs[(63 - lanes.leading_zeros() as usize) % LANES];
        return in_range(first.max(last)).map(|()| Some(distance));
    }
    if base >= ADDRESS_END {
        return in_range(base).map(|()| None);
    }
    let of_form = match form {
        // Distances of up to 4 bytes cannot wrap, nor leave 2^45.
        OFFSET_16 => offsets::<2>(rest, base, lanes, addrs),
        OFFSET_32 => offsets::<4>(rest, base, lanes, addrs),
        _ => offsets::<8>(rest, base, lanes, addrs),
    };
    of_form.map(|()| None)
}

fn in_range(addr: u64) -> Result<(), Expected> {
    if addr < ADDRESS_END { Ok(()) } else { Err("addresses below 2^44") }
}

fn offsets<const N: usize>(
    rest: &mut Bytes,
    base: u64,
    lanes: u64,
    addrs: &mut [u64; LANES],
) -> Result<(), Expected> {
    let packed = rest.take(N * lanes.count_ones() as usize)?;
    let wide = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..N].copy_from_slice(bytes);
        base.wrapping_add(u64::from_le_bytes(word))
    };
    // Bits of all addresses: below 2^44 exactly when each is.
    let mut bits = 0;
    let mut put = |place: &mut u64, bytes: &[u8]| {
        *place = wide(bytes);
        bits |= *place;
    };
    if !in_runs(lanes) {
        for (lane, bytes) in instr_code::lanes(lanes).zip(packed.chunks_exact(N)) {
            put(&mut addrs[lane % LANES], bytes);
        }
        return in_range(bits);
    }
    for_each_run(lanes, |first, lane, len| {
        let packed = packed[N * first..N * (first + len)].chunks_exact(N);
        for (place, bytes) in addrs[lane..lane + len].iter_mut().zip(packed) {
            put(place, bytes);
        }
    });
    in_range(bits)
}

/// True when most active lanes have active neighbours, so that runs of them are worth their loop.
fn in_runs(lanes: u64) -> bool {
    let runs = (lanes & !(lanes << 1)).count_ones();
    4 * runs <= lanes.count_ones()
}

/// Visits the runs of neighbouring active lanes: rank of the first among the active lanes, its
/// lane, lanes.
#[inline(always)]
fn for_each_run(lanes: u64, mut visit: impl FnMut(usize, usize, usize)) {
    let (mut left, mut rank) = (lanes, 0);
    while left != 0 {
        let lane = left.trailing_zeros();
        let len = (left >> lane).trailing_ones();
        visit(rank, lane as usize, len as usize);
        rank += len as usize;
        left &= left.wrapping_add(1 << lane);
    }
}

/// Puts values of `N` bytes, one after another in `rest`, at `N` times the lane.
fn spread<const N: usize>(
    rest: &mut Bytes,
    same: bool,
    lanes: u64,
    places: &mut [u8],
) -> Result<(), Expected> {
    let places = &mut places[..N * LANES];
    if same {
        let value = rest.array::<N>()?;
        // Inactive lanes may get it too.
        places.chunks_exact_mut(N).for_each(|place| place.copy_from_slice(&value));
        return Ok(());
    }
    let packed = rest.take(N * lanes.count_ones() as usize)?;
    if lanes == u64::MAX {
        places.copy_from_slice(packed);
    } else if in_runs(lanes) {
        for_each_run(lanes, |first, lane, len| {
            let run = &packed[N * first..N * (first + len)];
            places[N * lane..N * (lane + len)].copy_from_slice(run);
        });
    } else {
        for (lane, value) in instr_code::lanes(lanes).zip(packed.chunks_exact(N)) {
            places[N * (lane % LANES)..][..N].copy_from_slice(value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Chain;
    use super::super::group::tests::group_of;
    use super::super::instr_code::{lanes, put_instr};
    use super::*;

    fn check_equal(a: &Instr, b: &Instr) {
        assert_eq!((a.kind, a.work, a.size, a.lanes), (b.kind, b.work, b.size, b.lanes));
        assert_eq!(a.first_use, b.first_use);
        if a.size == 0 {
            return;
        }
        for lane in lanes(a.lanes) {
            assert_eq!(a.addrs[lane], b.addrs[lane], "lane {lane}");
            assert_eq!(a.value(lane), b.value(lane));
            if let InstrKind::Atomic(_) = a.kind {
                assert_eq!(a.old(lane), b.old(lane));
            }
        }
    }

    fn kinds() -> impl Strategy<Value = (InstrKind, u8)> {
        let atomic = (0u8..9, 2u32..4).prop_map(|(op, log)| {
            (InstrKind::Atomic(AtomicOp::from_code(op).unwrap()), 1u8 << log)
        });
        prop_oneof![
            (0u32..5).prop_map(|log| (InstrKind::Load, 1 << log)),
            (0u32..5).prop_map(|log| (InstrKind::Store, 1 << log)),
            atomic,
            Just((InstrKind::Barrier, 0)),
            Just((InstrKind::Fence, 0)),
        ]
    }

    fn instrs() -> impl Strategy<Value = Instr> {
        let masks = prop_oneof![Just(u64::MAX), Just(1), Just(1 << 63), 1u64..];
        let gaps = prop_oneof![Just(0), 1u32..256, any::<u32>()];
        let plain = gaps.clone().prop_map(|gap| (Work::of(gap), FirstUse::Unknown));
        let uses = prop_oneof![
            Just(FirstUse::Unknown),
            Just(FirstUse::Never),
            (1u32..).prop_map(FirstUse::After)
        ];
        let detailed = (gaps, prop::array::uniform6(any::<u32>()), uses).prop_map(
            |(instructions, [special, local, passes, a, b, c], first_use)| {
                let chain = Chain { arithmetic: a, special: b, local: c };
                (Work { instructions, special, local, passes, chain }, first_use)
            },
        );
        let works = prop_oneof![plain, detailed];
        let forms = (0u32..4, 0u64..1 << 40, -(1i64 << 31)..1 << 31);
        (kinds(), masks, works, forms, any::<u64>(), any::<bool>()).prop_map(
            |((kind, size), lanes, (work, first_use), (form, base, stride), seed, same)| {
                let mut instr = Instr { kind, work, first_use, size, lanes, ..Instr::default() };
                let mut random = seed | 1;
                let mut next = || {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    random
                };
                for lane in 0..LANES {
                    instr.addrs[lane] = match form {
                        0 => ((1u64 << 43) as i64 + stride * lane as i64) as u64,
                        1 => base + next() % 0x1_0000,
                        2 => base + next() % 0x1_0000_0000,
                        _ => next() % ADDRESS_END,
                    };
                    if let InstrKind::Atomic(_) = kind {
                        instr.addrs[lane] &= !u64::from(size - 1);
                    }
                }
                for value in &mut instr.values {
                    *value = if same { seed as u8 } else { next() as u8 };
                }
                for value in &mut instr.olds {
                    *value = next() as u8;
                }
                instr
            },
        )
    }

    proptest! {
        #[test]
        fn instructions_come_back(list in prop::collection::vec(instrs(), 1..8)) {
            let mut bytes = Vec::new();
            for instr in &list {
                put_instr(&mut bytes, instr);
            }
            let group = group_of(&[bytes]);
            let mut cursor = group.cursor(0);
            let mut got = Instr::default();
            for instr in &list {
                prop_assert_eq!(cursor.gap(&group), instr.work.instructions);
                prop_assert_eq!(cursor.work(&group), instr.work);
                prop_assert!(cursor.next(&group, &mut got).unwrap());
                check_equal(instr, &got);
            }
            prop_assert!(!cursor.next(&group, &mut got).unwrap());
            let mut cursor = group.cursor(0);
            for instr in list.iter().filter(|instr| instr.kind != InstrKind::Load) {
                prop_assert!(cursor.next_but_loads(&group, &mut got).unwrap());
                check_equal(instr, &got);
            }
            prop_assert!(!cursor.next_but_loads(&group, &mut got).unwrap());
            prop_assert_eq!(cursor.index() as usize, list.len());
        }

        #[test]
        fn any_bytes_decode_or_err(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let group = group_of(&[bytes]);
            let mut cursor = group.cursor(0);
            let mut instr = Instr::default();
            while let Ok(true) = cursor.next(&group, &mut instr) {
                for lane in lanes(instr.lanes) {
                    prop_assert!(instr.size == 0 || instr.addrs[lane] < ADDRESS_END);
                }
            }
            let mut cursor = group.cursor(0);
            while let Ok(true) = cursor.next_but_loads(&group, &mut instr) {
                prop_assert!(instr.kind != InstrKind::Load);
            }
        }

        #[test]
        fn a_cut_instruction_is_an_error(instr in instrs()) {
            let mut bytes = Vec::new();
            put_instr(&mut bytes, &instr);
            for len in 1..bytes.len() {
                let group = group_of(&[bytes[..len].to_vec()]);
                prop_assert!(group.cursor(0).next(&group, &mut Instr::default()).is_err());
                let but_loads = group.cursor(0).next_but_loads(&group, &mut Instr::default());
                prop_assert!(but_loads.is_err());
            }
        }
    }

    #[test]
    fn a_warp_that_does_not_exist_has_no_instructions() {
        let group = group_of(&[]);
        assert_eq!(group.warps(), 0);
        assert!(!group.cursor(3).next(&group, &mut Instr::default()).unwrap());
    }
}
