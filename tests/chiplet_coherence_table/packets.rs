//! Packets and extension blocks as bytes (specification, sections 3.6 and 5.8), written from their
//! tables.

use hwmodel::cpelide::chiplet_coherence_table::Dispatch;

use crate::program::{Item, Kernel, Kind, Label, Labels};

/// The completion signal of an item.
pub fn signal(item: &Item) -> u64 {
    0x7000_0000 + 8 * item.number as u64
}

/// Writes fields at their offsets.
struct Bytes(Vec<u8>);

impl Bytes {
    fn put(&mut self, at: usize, field: &[u8]) {
        self.0[at..at + field.len()].copy_from_slice(field);
    }
}

/// What the packet processor hands over of an item.
pub fn dispatch<'a>(item: &Item, extension: &'a [u8]) -> Dispatch<'a> {
    let truncated = match &item.kind {
        Kind::Kernel(kernel) => kernel.labels == Labels::Truncated,
        _ => false,
    };
    let Item { stream, chiplets, .. } = *item;
    Dispatch { packet: packet(item), extension, truncated, stream, chiplets }
}

/// The AQL packet of an item.
pub fn packet(item: &Item) -> [u8; 64] {
    let (packet_type, groups) = match &item.kind {
        Kind::Kernel(kernel) => (2, kernel.groups),
        Kind::Barrier => (3, 0),
        Kind::Malformed { packet_type } => (*packet_type, 0),
    };
    let has_extension = match &item.kind {
        Kind::Kernel(kernel) => kernel.labels != Labels::NoExtension,
        _ => false,
    };
    let scope = |is_system: bool| if is_system { 2u16 } else { 1 };
    let header = packet_type as u16 | scope(item.acquires) << 9 | scope(item.releases) << 11;
    let mut bytes = Bytes(vec![0; 64]);
    bytes.put(0, &header.to_le_bytes());
    if packet_type == 2 {
        bytes.put(2, &1u16.to_le_bytes());
        for (size, grid) in [(4, 12), (6, 16), (8, 20)] {
            bytes.put(size, &1u16.to_le_bytes());
            bytes.put(grid, &1u32.to_le_bytes());
        }
        bytes.put(4, &64u16.to_le_bytes());
        bytes.put(12, &(64 * groups).to_le_bytes());
        bytes.put(48, &if has_extension { 0x5000u64 } else { 0 }.to_le_bytes());
    }
    bytes.put(56, &signal(item).to_le_bytes());
    bytes.0.try_into().expect("64 bytes")
}

/// The extension block of an item; empty where it has none.
pub fn extension(item: &Item) -> Vec<u8> {
    let Kind::Kernel(kernel) = &item.kind else { return Vec::new() };
    let bound = item.chiplets.count_ones() as u8;
    match kernel.labels {
        Labels::NoExtension => Vec::new(),
        Labels::Known => block(kernel, kernel.scheduled, 0, b"CPE1"),
        Labels::Unknown => block(kernel, kernel.scheduled, 1, b"CPE1"),
        Labels::BadMagic => block(kernel, kernel.scheduled, 0, b"CPE2"),
        Labels::TooManyChiplets => block(kernel, bound + 1, 0, b"CPE1"),
        Labels::Truncated => {
            let mut block = block(kernel, kernel.scheduled, 0, b"CPE1");
            block.truncate(block.len().max(17) - 1);
            block
        }
    }
}

fn block(kernel: &Kernel, scheduled: u8, flags: u8, magic: &[u8; 4]) -> Vec<u8> {
    let structures = &kernel.structures;
    let ranges: usize = structures.iter().map(|structure| structure.ranges.len()).sum();
    let length = 16 + 32 * structures.len() + 16 * ranges;
    let mut bytes = Bytes(vec![0; length]);
    bytes.put(0, magic);
    bytes.put(4, &1u16.to_le_bytes());
    bytes.put(6, &(length as u16).to_le_bytes());
    bytes.put(8, &[structures.len() as u8, scheduled]);
    bytes.put(10, &(ranges as u16).to_le_bytes());
    bytes.put(12, &[flags]);
    let mut first_range = 0;
    for (i, Label { base, length, writes, ranges }) in structures.iter().enumerate() {
        let at = 16 + 32 * i;
        bytes.put(at, &base.to_le_bytes());
        bytes.put(at + 8, &length.to_le_bytes());
        bytes.put(at + 16, &[u8::from(*writes), ranges.len() as u8]);
        bytes.put(at + 18, &(first_range as u16).to_le_bytes());
        for (logical, start, end) in ranges {
            let at = 16 + 32 * structures.len() + 16 * first_range;
            bytes.put(at, &(u64::from(*logical) << 56 | start).to_le_bytes());
            bytes.put(at + 8, &end.to_le_bytes());
            first_range += 1;
        }
    }
    bytes.0
}
