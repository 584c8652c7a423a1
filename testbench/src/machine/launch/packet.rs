//! Kernel dispatch packets and their extension blocks (CPElide specification 3.6; HSA platform system
//! architecture, AQL).

use crate::trace::{ArgKind, KernelHead, Mode};

/// A kernel dispatch packet, 64 bytes, little-endian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Work-items of a work-group.
    pub workgroup_size: [u16; 3],
    /// Work-items.
    pub grid_size: [u32; 3],
    /// Which kernel.
    pub kernel_object: u64,
    /// The kernel's arguments. They are in the trace's accesses already; the field holds the first
    /// work-group of this GPU's share.
    pub kernarg_address: u64,
    /// Extension block, 0 for none.
    pub extension: u64,
    /// Written when the kernel has ended and released.
    pub completion_signal: u64,
}

const DISPATCH: u16 = 2;
/// Acquire and release scope system.
const SYSTEM_SCOPES: u16 = 2 << 9 | 2 << 11;

impl Packet {
    /// The packet's bytes: type 2, three dimensions, system scopes.
    pub fn encode(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, &(DISPATCH | SYSTEM_SCOPES).to_le_bytes());
        put(2, &3u16.to_le_bytes());
        for (i, size) in self.workgroup_size.iter().enumerate() {
            put(4 + 2 * i, &size.to_le_bytes());
        }
        for (i, size) in self.grid_size.iter().enumerate() {
            put(12 + 4 * i, &size.to_le_bytes());
        }
        put(32, &self.kernel_object.to_le_bytes());
        put(40, &self.kernarg_address.to_le_bytes());
        put(48, &self.extension.to_le_bytes());
        put(56, &self.completion_signal.to_le_bytes());
        bytes
    }

    /// The packet, if it is a kernel dispatch with a grid.
    pub fn decode(bytes: &[u8; 64]) -> Option<Self> {
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let packet = Self {
            workgroup_size: [half(4), half(6), half(8)],
            grid_size: [word(12), word(16), word(20)],
            kernel_object: long(32),
            kernarg_address: long(40),
            extension: long(48),
            completion_signal: long(56),
        };
        let empty = packet.workgroup_size.contains(&0) || packet.grid_size.contains(&0);
        (half(0) & 0xff == DISPATCH && !empty).then_some(packet)
    }
}

const MAGIC: u32 = 0x3145_5043;
const HEADER: usize = 16;
const STRUCTURE: usize = 32;
const RANGE: usize = 16;
/// Largest extension block.
const MOST_BYTES: usize = 4032;

/// The extension block of a kernel on chiplets that run these spans of work-groups (first and last): a
/// structure for each buffer among the arguments, with ranges where the kernel has labels. None when it
/// would be too long: the launch is then unlabelled.
pub fn extension(head: &KernelHead, spans: &[(u32, u32)]) -> Option<Vec<u8>> {
    let mut structures = Vec::new();
    let mut ranges = Vec::new();
    for arg in &head.args {
        let ArgKind::Buffer { addr, bytes, mode, ranges: labels } = &arg.kind else { continue };
        let first = ranges.len() / RANGE;
        if !labels.is_empty() {
            for (chiplet, &(low, high)) in spans.iter().enumerate() {
                let used = labels.iter().filter(|l| l.first_group <= high && l.last_group >= low);
                for label in used.filter(|l| l.bytes > 0) {
                    ranges.extend((label.addr | (chiplet as u64) << 56).to_le_bytes());
                    ranges.extend((label.addr + label.bytes - 1).to_le_bytes());
                }
            }
        }
        let count = ranges.len() / RANGE - first;
        structures.extend(addr.to_le_bytes());
        structures.extend(bytes.to_le_bytes());
        structures.push(u8::from(*mode == Mode::ReadWrite));
        structures.push(u8::try_from(count).ok()?);
        structures.extend(u16::try_from(first).ok()?.to_le_bytes());
        structures.extend([0; 12]);
    }
    let bytes = HEADER + structures.len() + ranges.len();
    if bytes > MOST_BYTES {
        return None;
    }
    let mut block = Vec::with_capacity(bytes);
    block.extend(MAGIC.to_le_bytes());
    block.extend(1u16.to_le_bytes());
    block.extend((bytes as u16).to_le_bytes());
    block.push((structures.len() / STRUCTURE) as u8);
    block.push(spans.len() as u8);
    block.extend(((ranges.len() / RANGE) as u16).to_le_bytes());
    block.extend([0; 4]);
    block.extend(structures);
    block.extend(ranges);
    Some(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Arg, ScheduleRange};

    #[test]
    fn a_packet_is_encoded_and_decoded() {
        let packet = Packet {
            workgroup_size: [64, 2, 1],
            grid_size: [1 << 20, 6, 1],
            kernel_object: 5,
            kernarg_address: 77,
            extension: 0x1_0000_0000,
            completion_signal: 3,
        };
        let bytes = packet.encode();
        assert_eq!(bytes[..6], [2, 0b0001_0100, 3, 0, 64, 0]);
        assert_eq!(Packet::decode(&bytes), Some(packet));
        assert_eq!(Packet::decode(&Packet::default().encode()), None, "a grid of 0");
    }

    #[test]
    fn ranges_go_to_the_chiplets_that_run_their_groups() {
        let range = |group: u32| ScheduleRange {
            first_group: group,
            last_group: group,
            addr: 0x1000 + u64::from(group) * 256,
            bytes: 256,
        };
        let ranges = vec![range(0), range(1), range(2)];
        let (addr, bytes, mode) = (0x1000, 768, Mode::ReadWrite);
        let kind = ArgKind::Buffer { addr, bytes, mode, ranges };
        let args = vec![Arg { name: "x".into(), kind }];
        let head = KernelHead { args, ..KernelHead::default() };
        let block = extension(&head, &[(0, 0), (1, 2)]).unwrap();
        assert_eq!(block.len(), 16 + 32 + 3 * 16);
        assert_eq!(block[..4], *b"CPE1");
        assert_eq!((block[8], block[9], block[10]), (1, 2, 3));
        let start = |i: usize| u64::from_le_bytes(block[48 + 16 * i..][..8].try_into().unwrap());
        assert_eq!([start(0), start(1), start(2)], [0x1000, 1 << 56 | 0x1100, 1 << 56 | 0x1200]);
    }
}
