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
    /// The block is whole, and says what the kernel touches.
    pub usable: bool,
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
    /// Reads and checks it. The error is why nothing of the block can be used.
    pub fn read<B: Bus>(bus: &mut B, slot: usize, packet: &Packet) -> Result<Self, Unusable> {
        if !packet.labelled {
            return Err(Unusable::Unlabelled);
        }
        let word = |bus: &mut B, at: u32| bus.packet(slot, EXTENSION + at);
        let size = word(bus, 4);
        let counts = word(bus, 8);
        let header = Self {
            structures: counts & 0xff,
            scheduled: counts >> 8 & 0xff,
            ranges: counts >> 16,
            usable: !packet.truncated && word(bus, 12) & UNKNOWN == 0,
        };
        let bytes = size >> 16;
        let used = HEADER + STRUCTURE * header.structures + RANGE * header.ranges;
        if word(bus, 0) != MAGIC
            || size & 0xffff != VERSION
            || bytes > MAX_BYTES
            || used > bytes
            || header.structures > MAX_RECORDS as u32
        {
            return Err(Unusable::Wrong(error::EXTENSION));
        }
        if header.scheduled == 0 || header.scheduled > packet.chiplets.count_ones() {
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

/// The chiplets that a kernel runs on, by their place among them.
#[derive(Debug)]
pub struct Numbers {
    pub list: [u8; 16],
    /// They are the lowest ones of all.
    pub in_order: bool,
    mask: u16,
}

impl Numbers {
    /// None.
    pub const NEW: Self = Self { list: [0; 16], in_order: false, mask: 0 };

    /// Those of a mask. Most kernels run on the same ones as the last.
    #[inline]
    pub fn set(&mut self, mask: u16) {
        if self.mask != mask {
            self.fill(mask);
        }
    }

    #[inline(never)]
    fn fill(&mut self, mask: u16) {
        self.mask = mask;
        self.in_order = mask & mask.wrapping_add(1) == 0;
        for (at, i) in (0..16).filter(|i| mask >> i & 1 == 1).enumerate() {
            self.list[at] = i;
        }
    }
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

#[inline(never)]
fn long<B: Bus>(bus: &mut B, slot: usize, at: u32) -> u64 {
    u64::from(bus.packet(slot, at)) | u64::from(bus.packet(slot, at + 4)) << 32
}

/// Reads the structures as records, their ranges rounded outward to lines, in the order of the block. Structures of length 0
/// are left out.
pub fn read<B: Bus>(
    bus: &mut B,
    slot: usize,
    header: &Header,
    numbers: &Numbers,
    config: &Config,
    records: &mut Records,
) -> Result<(), Unusable> {
    records.len = 0;
    let numbers = &numbers.list;
    for index in 0..header.structures {
        let at = structure_at(index);
        let (base, length) = (long(bus, slot, at), long(bus, slot, at + 8));
        let word = bus.packet(slot, at + 16);
        let (mode, ranges, first_range) = (word & 0xff, word >> 8 & 0xff, word >> 16);
        if length == 0 {
            continue;
        }
        let last = base.checked_add(length - 1).filter(|&last| last < MAX_ADDRESS);
        let last = last.ok_or(Unusable::Wrong(error::ADDRESS))?;
        // A base inside a page is rounded down.
        let page = base & !0xfff;
        let line = |at: u64| (at - page) >> config.line_shift();
        if line(last) >= MAX_LINES {
            return Err(Unusable::Wrong(error::ADDRESS));
        }
        if base != page {
            bus.error(error::ADDRESS);
        }
        if first_range + ranges > header.ranges {
            return Err(Unusable::Wrong(error::EXTENSION));
        }
        let record = &mut records.list[records.len];
        *record = Record { base: (page >> 12) as u32, write: mode != 0, ..Record::EMPTY };
        records.len += 1;
        let mut outside = false;
        for range in first_range..first_range + ranges {
            let at = range_at(header, range);
            let (start, end) = (long(bus, slot, at), long(bus, slot, at + 8));
            let (chiplet, start) = ((start >> 56) as usize, start & (u64::MAX >> 8));
            if chiplet >= header.scheduled as usize {
                return Err(Unusable::Wrong(error::CHIPLET));
            }
            if page <= start && start <= end && end <= last {
                record.add(numbers[chiplet].into(), line(start) as u32, line(end) as u32);
            } else {
                outside = true;
            }
        }
        if outside {
            bus.error(error::RANGE);
        }
        if outside || ranges == 0 {
            for &chiplet in &numbers[..header.scheduled as usize] {
                record.add(chiplet.into(), 0, line(last) as u32);
            }
        }
    }
    Ok(())
}
