//! Extension blocks: a kernel's labels (specification, section 3.6), and what is wrong with them
//! (section 12).

use super::bytes::{u16_at, u32_at, u64_at};
use super::entry::{REACH, Record};
use super::error;
use super::lines::{self, Lines};
use super::packet::Dispatch;
use super::parameters::{PAGE, Parameters};
use super::reasons::Unlabelled;
use super::transition::Mode;

/// What a kernel touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Labels {
    /// Unknown: the launch is conservative.
    Unknown(Unlabelled),
    /// These structures, one record each, in the order of the block.
    Known(Vec<Record>),
}

/// A block that has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The physical chiplets that the kernel runs on, logical chiplet 0 first.
    pub scheduled: Vec<u8>,
    /// What it touches.
    pub labels: Labels,
    /// Codes of what is wrong, in the order of the block. A fault that makes the launch
    /// conservative is the last: nothing behind it is read.
    pub errors: Vec<u8>,
}

const MAGIC: u32 = 0x3145_5043;
const VERSION: u16 = 1;
const HEADER: usize = 16;
const STRUCTURE: usize = 32;
const RANGE: usize = 16;
/// Most bytes of a block: what a packet slot holds.
const MOST_BYTES: usize = 4032;
/// Most structures of a block (section 5.8).
const MOST_STRUCTURES: usize = 32;
const UNKNOWN: u8 = 1;
/// Addresses have 44 bits (section 4).
const ADDRESSES: u64 = 1 << 44;

impl Block {
    /// Nothing is known, and nothing is wrong.
    pub fn unlabelled(scheduled: Vec<u8>, why: Unlabelled) -> Self {
        Self { scheduled, labels: Labels::Unknown(why), errors: Vec::new() }
    }

    /// The block is not used because of the last of `errors`; cut off where there are none.
    fn faulty(scheduled: Vec<u8>, errors: Vec<u8>) -> Self {
        let why = errors.last().map_or(Unlabelled::Truncated, |&code| Unlabelled::Fault(code));
        Self { errors, ..Self::unlabelled(scheduled, why) }
    }

    /// Reads a packet's block, only its header where labels are needless. `bound`: the chiplets of
    /// the stream, at least one.
    pub fn parse(
        dispatch: &Dispatch,
        bound: Vec<u8>,
        needless: bool,
        parameters: &Parameters,
    ) -> Self {
        let Dispatch { extension: block, truncated, .. } = *dispatch;
        let header = match Header::parse(block, truncated) {
            Ok(header) => header,
            Err(errors) => return Self::faulty(bound, errors),
        };
        if !(1..=bound.len()).contains(&header.chiplets) {
            return Self::faulty(bound, vec![error::CHIPLETS]);
        }
        let scheduled = bound[..header.chiplets].to_vec();
        if header.unknown {
            return Self::unlabelled(scheduled, Unlabelled::Flagged);
        }
        if truncated {
            return Self::unlabelled(scheduled, Unlabelled::Truncated);
        }
        if needless {
            return Self::unlabelled(scheduled, Unlabelled::Needless);
        }
        let (structures, rest) = block[HEADER..].split_at(STRUCTURE * header.structures);
        let ranges = &rest[..RANGE * header.ranges];
        let mut records = Vec::new();
        let mut errors = Vec::new();
        for structure in structures.chunks_exact(STRUCTURE) {
            match record(structure, ranges, &scheduled, parameters, &mut errors) {
                Ok(record) => records.extend(record),
                Err(code) => {
                    errors.push(code);
                    return Self::faulty(scheduled, errors);
                }
            }
        }
        Self { scheduled, labels: Labels::Known(records), errors }
    }
}

/// The first 16 bytes of a block whose counts are possible.
struct Header {
    structures: usize,
    chiplets: usize,
    ranges: usize,
    unknown: bool,
}

impl Header {
    /// Errors: the codes of a block whose header cannot be used; none where it was cut off.
    fn parse(block: &[u8], truncated: bool) -> Result<Self, Vec<u8>> {
        if block.len() < HEADER {
            return Err(if truncated { Vec::new() } else { vec![error::BLOCK] });
        }
        let bytes = usize::from(u16_at(block, 6));
        let structures = usize::from(block[8]);
        let ranges = usize::from(u16_at(block, 10));
        let sound = u32_at(block, 0) == MAGIC
            && u16_at(block, 4) == VERSION
            && bytes <= MOST_BYTES
            && structures <= MOST_STRUCTURES
            && HEADER + STRUCTURE * structures + RANGE * ranges <= bytes
            && (truncated || bytes <= block.len());
        if !sound {
            return Err(vec![error::BLOCK]);
        }
        let unknown = block[12] & UNKNOWN != 0;
        Ok(Self { structures, chiplets: usize::from(block[9]), ranges, unknown })
    }
}

/// The record of one structure; none where it has no bytes. Adds the codes of what is wrong and can
/// be mended. Errors: the code of what makes the launch conservative.
fn record(
    structure: &[u8],
    ranges: &[u8],
    scheduled: &[u8],
    parameters: &Parameters,
    errors: &mut Vec<u8>,
) -> Result<Option<Record>, u8> {
    let (base, length) = (u64_at(structure, 0), u64_at(structure, 8));
    if length == 0 {
        return Ok(None);
    }
    let end = base.checked_add(length - 1).filter(|&end| end < ADDRESSES).ok_or(error::ADDRESS)?;
    // A base inside a page is rounded down; the end stays, or lines would not be covered.
    let start = base / PAGE * PAGE;
    let whole = Lines::holding(start, end, parameters.line);
    if whole.last - whole.first >= REACH {
        return Err(error::ADDRESS);
    }
    if base != start {
        errors.push(error::ADDRESS);
    }
    let mode = if structure[16] == 0 { Mode::Read } else { Mode::ReadWrite };
    let (count, first) = (usize::from(structure[17]), usize::from(u16_at(structure, 18)));
    let ranges = ranges.get(RANGE * first..RANGE * (first + count)).ok_or(error::BLOCK)?;

    let mut by_chiplet = vec![None; parameters.chiplets];
    let mut outside = false;
    for range in ranges.chunks_exact(RANGE) {
        let (tagged, to) = (u64_at(range, 0), u64_at(range, 8));
        let (logical, from) = ((tagged >> 56) as usize, tagged & ((1 << 56) - 1));
        let &chiplet = scheduled.get(logical).ok_or(error::CHIPLETS)?;
        if start <= from && from <= to && to <= end {
            let range = &mut by_chiplet[usize::from(chiplet)];
            *range = lines::hull(*range, Some(Lines::holding(from, to, parameters.line)));
        } else if !outside {
            outside = true;
            errors.push(error::RANGE);
        }
    }
    if outside || count == 0 {
        for &chiplet in scheduled {
            by_chiplet[usize::from(chiplet)] = Some(whole);
        }
    }
    Ok(Some(Record { base: start / PAGE, mode, ranges: by_chiplet }))
}
