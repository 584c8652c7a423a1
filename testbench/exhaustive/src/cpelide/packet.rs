//! Packets as the host writes them (specification of CPElide, section 3.6).

/// Bytes of a line.
pub const LINE: u64 = 64;
const PAGE: u64 = 4096;
const SYSTEM: u16 = 2;
const AGENT: u16 = 1;

/// The label of a structure.
#[derive(Clone, Debug)]
pub struct Label {
    /// Number of the structure; each begins a page.
    pub structure: usize,
    /// R/W.
    pub writes: bool,
    /// Chiplet, first and last byte within the structure.
    pub ranges: Vec<(usize, u64, u64)>,
}

/// The address of a structure.
pub fn base(structure: usize) -> u64 {
    PAGE * (16 + structure as u64)
}

fn header(kind: u16, acquires: bool, releases: bool) -> [u8; 64] {
    let scope = |is_system| if is_system { SYSTEM } else { AGENT };
    let mut packet = [0; 64];
    let header = kind | scope(acquires) << 9 | scope(releases) << 11;
    packet[..2].copy_from_slice(&header.to_le_bytes());
    packet
}

/// A kernel of two work-groups.
pub fn kernel(acquires: bool, releases: bool, labelled: bool) -> [u8; 64] {
    let mut packet = header(2, acquires, releases);
    packet[2] = 1;
    for (size, grid, items) in [(4, 12, 2), (6, 16, 1), (8, 20, 1)] {
        (packet[size], packet[grid]) = (1, items);
    }
    packet[49] = u8::from(labelled);
    packet
}

/// The barrier at the end of a program.
pub fn end() -> [u8; 64] {
    header(3, true, true)
}

/// The extension block of a kernel.
pub fn labels(labels: &[Label]) -> Vec<u8> {
    let ranges: usize = labels.iter().map(|label| label.ranges.len()).sum();
    let length = 16 + 32 * labels.len() + 16 * ranges;
    let mut block = b"CPE1".to_vec();
    block.extend([1, 0]);
    block.extend((length as u16).to_le_bytes());
    block.extend([labels.len() as u8, 2, ranges as u8, 0, 0, 0, 0, 0]);
    let mut first = 0;
    for Label { structure, writes, ranges } in labels {
        block.extend(base(*structure).to_le_bytes());
        block.extend(PAGE.to_le_bytes());
        block.extend([u8::from(*writes), ranges.len() as u8, first, 0]);
        block.extend([0; 12]);
        first += ranges.len() as u8;
    }
    for Label { structure, ranges, .. } in labels {
        for &(chiplet, from, to) in ranges {
            let tag = (chiplet as u64) << 56;
            block.extend((tag | (base(*structure) + from)).to_le_bytes());
            block.extend((base(*structure) + to).to_le_bytes());
        }
    }
    block
}
