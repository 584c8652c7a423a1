//! A work-group's instructions, as they stand in their chunk.

use std::ops::Range;
use std::sync::Arc;

use super::limits::MAX_GROUP_ITEMS;
use super::wire::{Malformed, Wire, put_varint};
use super::{Cursor, Error, LANES};

/// Most warps of a work-group.
const MAX_WARPS: usize = MAX_GROUP_ITEMS as usize / LANES;

/// The instructions of a work-group's warps. Owns its bytes, so that threads can share it.
#[derive(Debug)]
pub struct Group {
    pub(super) place: Place,
    pub(super) bytes: Vec<u8>,
    warps: Vec<Range<usize>>,
    pub(super) racy: Vec<RacyLanes>,
    racy_of: Vec<Range<usize>>,
}

/// Which work-group it is, and where it stands.
#[derive(Clone, Debug)]
pub struct Place {
    /// File.
    pub file: Arc<str>,
    /// Offset of the chunk.
    pub offset: u64,
    /// Number of the kernel.
    pub kernel: u32,
    /// Number of the work-group.
    pub group: u32,
}

impl Place {
    /// An error at byte `at` of the chunk's contents.
    #[cold]
    pub fn damaged(&self, Malformed { at, expected }: Malformed) -> Error {
        let (kernel, group) = (self.kernel, self.group);
        let expected =
            format!("{expected} (byte {at} of the contents: kernel {kernel}, work-group {group})");
        Error::damaged(&self.file, self.offset, expected)
    }
}

/// The racy lanes of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RacyLanes {
    /// Number of the instruction in its warp.
    pub index: u32,
    /// Lanes.
    pub lanes: u64,
}

impl Group {
    /// From the contents of its chunk.
    pub fn new(place: Place, bytes: Vec<u8>) -> Result<Self, Error> {
        let warps = warps(&place, &bytes).map_err(|m| place.damaged(m))?;
        Ok(Self { place, bytes, warps, racy: Vec::new(), racy_of: Vec::new() })
    }

    /// Adds the racy lanes, from the contents of their chunk at `offset`.
    pub fn add_classes(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let place = Place { offset, ..self.place.clone() };
        let (racy, racy_of) =
            classes(&place, bytes, self.warps.len()).map_err(|m| place.damaged(m))?;
        (self.racy, self.racy_of) = (racy, racy_of);
        Ok(())
    }

    /// Number of the kernel.
    pub fn kernel(&self) -> u32 {
        self.place.kernel
    }

    /// Number of the work-group.
    pub fn group(&self) -> u32 {
        self.place.group
    }

    /// Warps; work-item i is lane i mod 64 of warp i / 64.
    pub fn warps(&self) -> usize {
        self.warps.len()
    }

    /// Bytes that the instructions take in memory.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The encoded instructions of a warp.
    pub(super) fn encoded(&self, warp: usize) -> &[u8] {
        &self.bytes[self.warps[warp].clone()]
    }

    /// Its racy lanes; none where the work-group has none.
    pub(super) fn racy_lanes(&self, warp: usize) -> &[RacyLanes] {
        self.racy_of.get(warp).map_or(&[], |span| &self.racy[span.clone()])
    }

    /// The first instruction of a warp; there is none in a warp that does not exist.
    pub fn cursor(&self, warp: usize) -> Cursor {
        let span = self.warps.get(warp).cloned().unwrap_or_default();
        let racy = self.racy_of.get(warp).cloned().unwrap_or_default();
        Cursor::new(span, racy)
    }
}

/// Kernel and work-group, as a chunk begins.
fn check_numbers(place: &Place, wire: &mut Wire) -> Result<(), Malformed> {
    let numbers = (wire.u32("a kernel's number")?, wire.u32("a work-group's number")?);
    if numbers == (place.kernel, place.group) {
        Ok(())
    } else {
        Err(wire.malformed("the work-group that the index names"))
    }
}

fn warps(place: &Place, bytes: &[u8]) -> Result<Vec<Range<usize>>, Malformed> {
    let mut wire = Wire::new(bytes, 0);
    check_numbers(place, &mut wire)?;
    let n = wire.count(1, "a number of warps")?;
    if n > MAX_WARPS {
        return Err(wire.malformed("at most 1024 warps"));
    }
    let mut lengths = Vec::with_capacity(n);
    for _ in 0..n {
        lengths.push(wire.count(1, "the length of a warp's instructions")?);
    }
    let mut warps = Vec::with_capacity(n);
    for length in lengths {
        let start = wire.at();
        wire.take(length, "a warp's instructions")?;
        warps.push(start..wire.at());
    }
    wire.end()?;
    Ok(warps)
}

type Classes = (Vec<RacyLanes>, Vec<Range<usize>>);

fn classes(place: &Place, bytes: &[u8], warps: usize) -> Result<Classes, Malformed> {
    let mut wire = Wire::new(bytes, 0);
    check_numbers(place, &mut wire)?;
    let mut racy = Vec::new();
    let mut racy_of = Vec::with_capacity(warps);
    for _ in 0..warps {
        let start = racy.len();
        let mut next = 0u64;
        for _ in 0..wire.count(9, "a number of instructions with racy lanes")? {
            next += u64::from(wire.u32("a number of instructions without racy lanes")?);
            let index = u32::try_from(next);
            let index = index.map_err(|_| wire.malformed("an instruction's number"))?;
            let lanes = wire.u64("a mask of racy lanes")?;
            if lanes == 0 {
                return Err(wire.malformed("at least one racy lane"));
            }
            racy.push(RacyLanes { index, lanes });
            next += 1;
        }
        racy_of.push(start..racy.len());
    }
    wire.end()?;
    Ok((racy, racy_of))
}

/// Contents of a work-group's chunk from the encoded instructions of each warp.
pub fn put_group<B: AsRef<[u8]>>(out: &mut Vec<u8>, kernel: u32, group: u32, warps: &[B]) {
    put_varint(out, u64::from(kernel));
    put_varint(out, u64::from(group));
    put_varint(out, warps.len() as u64);
    for warp in warps {
        put_varint(out, warp.as_ref().len() as u64);
    }
    for warp in warps {
        out.extend_from_slice(warp.as_ref());
    }
}

/// Contents of the chunk of a work-group's racy lanes; ascending by instruction in each warp.
pub fn put_classes(out: &mut Vec<u8>, kernel: u32, group: u32, warps: &[Vec<RacyLanes>]) {
    put_varint(out, u64::from(kernel));
    put_varint(out, u64::from(group));
    for warp in warps {
        put_varint(out, warp.len() as u64);
        let mut next = 0;
        for racy in warp {
            put_varint(out, u64::from(racy.index - next));
            out.extend_from_slice(&racy.lanes.to_le_bytes());
            next = racy.index + 1;
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A work-group made in memory.
    pub fn group_of(warps: &[Vec<u8>]) -> Group {
        let mut bytes = Vec::new();
        put_group(&mut bytes, 0, 0, warps);
        let place = Place { file: "memory".into(), offset: 0, kernel: 0, group: 0 };
        Group::new(place, bytes).unwrap()
    }

    #[test]
    fn racy_lanes_come_back() {
        let mut group = group_of(&[vec![0; 4], vec![0; 2]]);
        let warps = [vec![], vec![(0, 5), (1, 1), (9, u64::MAX)]];
        let warps = warps.map(|warp: Vec<(u32, u64)>| {
            warp.into_iter().map(|(index, lanes)| RacyLanes { index, lanes }).collect()
        });
        let mut bytes = Vec::new();
        put_classes(&mut bytes, 0, 0, &warps);
        group.add_classes(0, &bytes).unwrap();
        assert_eq!(group.racy, warps.concat());
        assert_eq!(group.racy_of, [0..0, 0..3]);
        for len in 0..bytes.len() {
            assert!(group.add_classes(0, &bytes[..len]).is_err());
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_a_group_or_refused(
            bytes in proptest::collection::vec(0u8..40, 0..200),
            classes in proptest::collection::vec(0u8..10, 0..100),
        ) {
            // Kernel 0, work-group 0.
            let place = || Place { file: "memory".into(), offset: 0, kernel: 0, group: 0 };
            let bytes = [vec![0, 0], bytes].concat();
            if let Ok(mut group) = Group::new(place(), bytes) {
                let _ = group.add_classes(0, &[vec![0, 0], classes].concat());
                let mut instr = crate::trace::Instr::default();
                for warp in 0..group.warps() {
                    let mut cursor = group.cursor(warp);
                    while let Ok(true) = cursor.next(&group, &mut instr) {}
                }
            }
        }
    }
}
