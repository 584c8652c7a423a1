//! The extension block: which structures a kernel touches, where on each chiplet (specification 3.6, 12).

use crate::bus::Bus;
use crate::config::Config;
use crate::map::{EXTENSION, error};
use crate::packet::Packet;
use crate::record::{MAX_LINES, Record};

/// Most structures of a packet.
pub const MAX_RECORDS: usize = 32;
const MAGIC: u32 = 0x3145_5043;
const VERSION: u32 = 1;
const MAX_BYTES: u32 = 4032;
const HEADER: u32 = 16;
const STRUCTURE: u32 = 32;
const RANGE: u32 = 16;
const UNKNOWN: u32 = 1;
/// One past the highest address.
const MAX_ADDRESS: u64 = 1 << 44;

/// A kernel's records.
#[derive(Debug)]
pub struct Records {
    pub list: [Record; MAX_RECORDS],
    pub len: usize,
}

impl Records {
    /// None.
    pub const NEW: Self = Self { list: [Record::ZERO; MAX_RECORDS], len: 0 };

    /// Removes one.
    pub fn remove(&mut self, at: usize) {
        self.list.copy_within(at + 1..self.len, at);
        self.len -= 1;
    }
}

/// The header of an extension block.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub structures: u32,
    pub ranges: u32,
    /// Chiplets that the kernel runs on, the lowest of its stream's.
    pub scheduled: u32,
}

/// Why a launch is conservative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// Nothing is wrong: there are no labels, or they say that they do not know.
    Unlabelled,
    /// A code to report.
    Wrong(u32),
}

impl Header {
    /// Reads and checks it.
    pub fn read<B: Bus>(bus: &mut B, slot: usize, packet: &Packet) -> Result<Self, Unusable> {
        if !packet.labelled {
            return Err(Unusable::Unlabelled);
        }
        let word = |bus: &mut B, at: u32| bus.packet(slot, EXTENSION + at);
        let size = word(bus, 4);
        let counts = word(bus, 8);
        let header =
            Self { structures: counts & 0xff, scheduled: counts >> 8 & 0xff, ranges: counts >> 16 };
        let bytes = size >> 16;
        let used = HEADER + STRUCTURE * header.structures + RANGE * header.ranges;
        if packet.truncated
            || word(bus, 0) != MAGIC
            || size & 0xffff != VERSION
            || bytes > MAX_BYTES
            || used > bytes
            || header.structures > MAX_RECORDS as u32
        {
            return Err(Unusable::Wrong(error::EXTENSION));
        }
        if word(bus, 12) & UNKNOWN != 0 {
            return Err(Unusable::Unlabelled);
        }
        if packet.absent || header.scheduled == 0 || header.scheduled > packet.chiplets.count_ones()
        {
            return Err(Unusable::Wrong(error::CHIPLET));
        }
        Ok(header)
    }
}

/// The lowest `count` chiplets of a mask.
pub fn lowest(mask: u16, count: u32) -> u16 {
    let mut rest = mask;
    for _ in 0..count {
        rest &= rest.wrapping_sub(1);
    }
    mask & !rest
}

/// Numbers of the chiplets of a mask.
pub fn numbers(mask: u16) -> [u8; 16] {
    let mut numbers = [0; 16];
    let mut next = 0;
    for i in (0..16).filter(|i| mask >> i & 1 == 1) {
        numbers[next] = i;
        next += 1;
    }
    numbers
}

/// Offset in a slot of a structure.
#[inline]
pub const fn structure_at(index: u32) -> u32 {
    EXTENSION + HEADER + STRUCTURE * index
}

/// Offset in a slot of a range.
#[inline]
pub const fn range_at(header: &Header, index: u32) -> u32 {
    EXTENSION + HEADER + STRUCTURE * header.structures + RANGE * index
}

fn long<B: Bus>(bus: &mut B, slot: usize, at: u32) -> u64 {
    u64::from(bus.packet(slot, at)) | u64::from(bus.packet(slot, at + 4)) << 32
}

/// Reads the structures as records, their ranges rounded outward to lines, in the order of the block. Structures of length 0
/// are left out.
pub fn read<B: Bus>(
    bus: &mut B,
    slot: usize,
    header: &Header,
    scheduled: u16,
    config: &Config,
    records: &mut Records,
) -> Result<(), Unusable> {
    records.len = 0;
    let numbers = numbers(scheduled);
    for index in 0..header.structures {
        let at = structure_at(index);
        let (base, length) = (long(bus, slot, at), long(bus, slot, at + 8));
        let word = bus.packet(slot, at + 16);
        let (mode, ranges, first_range) = (word & 0xff, word >> 8 & 0xff, word >> 16);
        if length == 0 {
            continue;
        }
        let end = base.checked_add(length).filter(|&end| end <= MAX_ADDRESS);
        let end = end.ok_or(Unusable::Wrong(error::ADDRESS))?;
        if base & 0xfff != 0 {
            bus.error(error::ADDRESS);
        }
        if first_range + ranges > header.ranges {
            return Err(Unusable::Wrong(error::EXTENSION));
        }
        let page = base & !0xfff;
        let record = &mut records.list[records.len];
        *record = Record { base: (page >> 12) as u32, write: mode != 0, ..Record::EMPTY };
        records.len += 1;
        let lines = |first: u64, last: u64| {
            let (first, last) =
                ((first - page) >> config.line_shift(), (last - page) >> config.line_shift());
            if last < MAX_LINES {
                Ok((first as u32, last as u32))
            } else {
                Err(Unusable::Wrong(error::ADDRESS))
            }
        };
        let mut everywhere = ranges == 0;
        for range in first_range..first_range + ranges {
            let at = range_at(header, range);
            let (start, last) = (long(bus, slot, at), long(bus, slot, at + 8));
            let (chiplet, start) = ((start >> 56) as usize, start & (u64::MAX >> 8));
            if chiplet >= header.scheduled as usize {
                return Err(Unusable::Wrong(error::CHIPLET));
            }
            if start < base || start > last || last >= end {
                bus.error(error::RANGE);
                everywhere = true;
            } else {
                let (first, last) = lines(start, last)?;
                record.add(numbers[chiplet].into(), first, last);
            }
        }
        if everywhere {
            let (first, last) = lines(base, end - 1)?;
            for &chiplet in &numbers[..header.scheduled as usize] {
                record.add(chiplet.into(), first, last);
            }
        }
    }
    Ok(())
}
