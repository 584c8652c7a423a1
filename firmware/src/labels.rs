//! The extension block: which structures a kernel touches, where on each chiplet (specification
//! 3.6, 12).

use crate::aql::extension::{
    HEADER, MAGIC, MAX_BYTES, MAX_STRUCTURES, RANGE, STRUCTURE, UNKNOWN, VERSION,
};
use crate::bus::Bus;
use crate::config::{Config, MAX_CHIPLETS};
use crate::map::{EXTENSION, error};
use crate::packet::Packet;
use crate::record::{MAX_LINES, Record};
use crate::report::Report;
use crate::table::Extent;
use crate::vector::spread;

/// One past the highest address.
const MAX_ADDRESS: u64 = 1 << 44;

/// A kernel's records.
#[derive(Debug)]
pub struct Records {
    pub list: [Record; MAX_STRUCTURES],
    pub len: usize,
    /// Where they are plain: what each reaches over, and their order by address.
    pub extents: [Extent; MAX_STRUCTURES],
    pub order: [u8; MAX_STRUCTURES],
}

impl Records {
    /// None.
    pub const NEW: Self = Self {
        list: [Record::ZERO; MAX_STRUCTURES],
        len: 0,
        extents: [Extent::NONE; MAX_STRUCTURES],
        order: [0; MAX_STRUCTURES],
    };

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
    /// How many chiplets the kernel runs on.
    pub scheduled: u32,
    /// The block is whole, says what the kernel touches, and that can elide something.
    pub usable: bool,
}

/// Why a launch is conservative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// Nothing is wrong: there are no labels, they are marked as unknown, or they are not read.
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
            || header.structures > MAX_STRUCTURES as u32
        {
            return Err(Unusable::Wrong(error::EXTENSION));
        }
        Ok(header)
    }
}

/// The chiplets that a kernel runs on: the lowest of its stream's, as many as its header says.
#[derive(Debug)]
pub struct Scheduled {
    /// All of them.
    pub mask: u16,
    /// Bit `2i` for each.
    pub low: u32,
    /// By their place among them.
    pub list: [u8; 16],
    /// Their number.
    pub count: u32,
    /// Number of ranges of a structure that has one for each chiplet, where all are scheduled. With
    /// 16 chiplets a word of the table does not tell all states, and there is no such number.
    pub regular: u32,
    /// What they were taken from.
    available: u16,
}

impl Scheduled {
    /// None.
    pub const NEW: Self =
        Self { mask: 0, low: 0, list: [0; 16], count: 0, regular: 0, available: 0 };

    /// The lowest `count` of `available`, which are some, if there are so many. Most kernels run on
    /// the same ones as the last.
    #[inline]
    pub fn set(&mut self, available: u16, count: u32, config: &Config) -> Result<(), Unusable> {
        if self.available == available && self.count == count {
            return Ok(());
        }
        self.fill(available, count, config)
    }

    #[inline(never)]
    fn fill(&mut self, available: u16, count: u32, config: &Config) -> Result<(), Unusable> {
        if count == 0 || count > available.count_ones() {
            return Err(Unusable::Wrong(error::CHIPLET));
        }
        (self.available, self.count, self.mask) = (available, count, 0);
        let chiplets = (0..16).filter(|i| available >> i & 1 == 1);
        for (at, i) in chiplets.take(count as usize).enumerate() {
            self.mask |= 1 << i;
            self.list[at] = i;
        }
        self.low = spread(self.mask);
        let all = self.mask == config.all() && config.chiplets < MAX_CHIPLETS;
        self.regular = if all { count } else { u32::MAX };
        Ok(())
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

/// The larger of the two shifts that a line may have.
const MOST_SHIFTED: u32 = 7;

/// Line of a byte of a structure that is not too long. In halves: the core shifts 32 bits.
#[inline]
fn line(byte: u64, line_shift: u32) -> u32 {
    ((byte >> 32) as u32) << (32 - line_shift) | byte as u32 >> line_shift
}

#[inline(never)]
fn long<B: Bus>(bus: &mut B, slot: usize, at: u32) -> u64 {
    u64::from(bus.packet(slot, at)) | u64::from(bus.packet(slot, at + 4)) << 32
}

/// Reads the structures as records, their ranges rounded outward to lines, in the order of the
/// block. Structures of length 0 are left out.
pub fn read<B: Bus>(
    bus: &mut B,
    slot: usize,
    header: &Header,
    scheduled: &Scheduled,
    config: &Config,
    records: &mut Records,
    report: &mut Report,
) -> Result<(), Unusable> {
    records.len = 0;
    let numbers = &scheduled.list;
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
        if (last - page) >> MOST_SHIFTED >= MAX_LINES >> (MOST_SHIFTED - config.line_shift) {
            return Err(Unusable::Wrong(error::ADDRESS));
        }
        let line = |at: u64| line(at - page, config.line_shift);
        if base != page {
            report.fault(error::ADDRESS);
        }
        if first_range + ranges > header.ranges {
            return Err(Unusable::Wrong(error::EXTENSION));
        }
        let record = &mut records.list[records.len];
        record.reset((page >> 12) as u32, mode != 0, config.chiplets);
        records.len += 1;
        let mut outside = false;
        for range in first_range..first_range + ranges {
            let [start, start_high, end, end_high] = bus.packet4(slot, range_at(header, range));
            let (chiplet, start_high) = ((start_high >> 24) as usize, start_high & (u32::MAX >> 8));
            let address = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
            let (start, end) = (address(start, start_high), address(end, end_high));
            if chiplet >= header.scheduled as usize {
                return Err(Unusable::Wrong(error::CHIPLET));
            }
            if page <= start && start <= end && end <= last {
                record.add(numbers[chiplet].into(), line(start), line(end));
            } else if !outside {
                outside = true;
                report.fault(error::RANGE);
            }
        }
        if outside || ranges == 0 {
            for &chiplet in &numbers[..header.scheduled as usize] {
                record.add(chiplet.into(), 0, line(last));
            }
        }
    }
    Ok(())
}
