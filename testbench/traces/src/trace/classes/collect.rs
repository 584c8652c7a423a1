//! Third look at a work-group, where something is racy: the values that bytes may have during and
//! after the kernel.

use super::page::{COLLECT, COLLECTED, Granule, MANY, MIXED, NOTHING, RACY_READ, cell_size, how};
use super::writers::{parts, writing};
use super::{Carried, Classifier};
use crate::trace::limits::PAGE;
use crate::trace::pages::{Memory, offset_of, page_of};
use crate::trace::walk::{Order, Walk};
use crate::trace::wire::little_endian;
use crate::trace::{AtomicCell, AtomicOp, ByteSet, Error, Group, Instr, LANES, RacyByte};

/// What a byte may hold after the group that is being looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum After {
    /// The group has not written it.
    #[default]
    Unwritten,
    /// One of these.
    Values(ByteSet),
    /// One value: atomics on a value that was known.
    Settled,
    /// Atomics on a value that depends on the order.
    Anything,
}

/// A byte whose values are collected.
#[derive(Clone, Copy, Debug)]
struct Byte {
    addr: u64,
    racy_read: bool,
    /// Several groups write it.
    many: bool,
    /// Its unit: number of the first byte, and bytes.
    unit: (u32, u8),
    /// Number of its location among the cells, from 1; 0: none.
    cell: u32,
    /// Values at the kernel's start.
    start: ByteSet,
    /// Values that are stored.
    stored: ByteSet,
    /// Values that a finished group may leave; empty while none has written.
    after: ByteSet,
    group_after: After,
}

/// A location that only commutative atomics of one kind change.
#[derive(Clone, Copy, Debug)]
struct Cell {
    addr: u64,
    size: u8,
    op: AtomicOp,
    start: u64,
    /// Sums of the negative and of the other operands of additions.
    sums: [i128; 2],
    /// All operands joined: least and greatest as the operation compares, and, or.
    least: u64,
    greatest: u64,
    all: u64,
    any: u64,
}

/// A write to a collected byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Write {
    /// First byte of the unit.
    unit: u32,
    /// Rank in the segment: program order for one work-item.
    rank: u64,
    byte: u32,
    item: u32,
    how: u8,
    value: u8,
}

/// Racy bytes of a kernel.
#[derive(Debug, Default)]
pub struct Collected {
    bytes: Vec<Byte>,
    cells: Vec<Cell>,
    /// Bytes that the current group writes.
    written: Vec<u32>,
}

impl Classifier {
    /// Finds the bytes whose values must be collected, when all groups are classified; false when
    /// there are none.
    pub fn begin_collect(&mut self) -> bool {
        self.collected = Collected::default();
        let touched = std::mem::take(&mut self.touched);
        for &number in &touched {
            let Some(page) = self.pages.get_mut(number) else { continue };
            if !page.may_collect(!self.carried.values.is_empty()) {
                continue;
            }
            let (size, start) = (page.granule_bytes(), page.start);
            let mut at = 0;
            while at < PAGE as usize {
                let (_, len) = page.unit(at, size);
                let addr = number * PAGE + at as u64;
                let granules = page.granules_mut(at, len);
                let Granule { group, unit, .. } = granules[0];
                let flags = granules.iter().fold(0, |flags, granule| flags | granule.flags);
                let carried = || (addr..addr + len as u64).any(|addr| self.carried.contains(addr));
                if flags & COLLECT != 0 || group == MANY || group != 0 && carried() {
                    let first = self.collected.bytes.len();
                    for (i, granule) in granules.iter_mut().enumerate() {
                        granule.item = (first + i * size) as u32;
                        granule.flags |= COLLECTED;
                    }
                    let facts = (flags & RACY_READ != 0, group == MANY, unit);
                    self.collected.add(addr, &start[at..at + len], facts, &self.carried);
                }
                at += len;
            }
        }
        self.touched = touched;
        self.find_cells();
        !self.collected.bytes.is_empty()
    }

    /// Number of the collected byte at an address.
    pub(super) fn collected_byte(&self, addr: u64) -> Option<usize> {
        self.touched_page(page_of(addr))?.collected(offset_of(addr))
    }

    /// Finds the units that only atomics of one kind change, from one value.
    fn find_cells(&mut self) {
        for first in 0..self.collected.bytes.len() {
            let Byte { addr, unit, .. } = self.collected.bytes[first];
            let Some(page) = self.touched_page(page_of(addr)) else { continue };
            let (at, size) = (offset_of(addr), usize::from(unit.1));
            let how = page.granule(at).how;
            if unit.0 as usize != first || matches!(how, NOTHING | MIXED) {
                continue;
            }
            let start = little_endian(&page.start[at..at + size]);
            let bytes = &mut self.collected.bytes[first..first + size];
            let single = bytes.iter().all(|byte| byte.start.len() == 1);
            let Some(op) = AtomicOp::from_code((how - 1) % 16).filter(|_| single) else { continue };
            self.collected.cells.push(Cell::new(addr, unit.1, op, start));
            bytes.iter_mut().for_each(|byte| byte.cell = self.collected.cells.len() as u32);
        }
    }

    /// Takes the next work-group of the kernel.
    pub fn collect(&mut self, group: &Group) -> Result<(), Error> {
        let mut instr = Instr::default();
        let mut walk = Walk::new(group, Order::File);
        let mut writes = Vec::new();
        while !walk.at_end() {
            walk.segment(group, &mut instr, |warp, _, instr| {
                self.collect_instr(warp, instr, &mut writes);
            })?;
            self.collected.end_segment(&mut writes);
        }
        self.collected.end_group(&self.memory);
        Ok(())
    }

    fn collect_instr(&mut self, warp: usize, instr: &Instr, writes: &mut Vec<Write>) {
        let how = how(instr.kind, instr.size);
        for lane in writing(instr) {
            let item = (warp * LANES + lane) as u32;
            let addr = instr.addrs[lane];
            let mut in_cell = 0;
            for (addr, first, len) in parts(addr, instr.size) {
                for i in 0..len {
                    let Some(number) = self.collected_byte(addr + i as u64) else { continue };
                    let byte = &mut self.collected.bytes[number];
                    in_cell = byte.cell;
                    if in_cell != 0 {
                        break;
                    }
                    let value = instr.value(lane)[first + i];
                    match how {
                        MIXED => byte.stored.insert(value),
                        _ => byte.stored = ByteSet::any(),
                    }
                    let rank = writes.len() as u64;
                    let (unit, _) = byte.unit;
                    writes.push(Write { unit, rank, byte: number as u32, item, how, value });
                }
            }
            if in_cell != 0 {
                self.collected.cells[in_cell as usize - 1].add(little_endian(instr.value(lane)));
            }
        }
    }
}

impl Collected {
    fn add(
        &mut self,
        addr: u64,
        start: &[u8],
        (racy_read, many, unit): (bool, bool, u8),
        carried: &Carried,
    ) {
        let first = self.bytes.len();
        let unit = usize::from(unit.max(1));
        for (i, &value) in start.iter().enumerate() {
            let addr = addr + i as u64;
            let start = carried.get(addr).copied().unwrap_or(ByteSet::of(value));
            self.bytes.push(Byte {
                addr,
                racy_read,
                many,
                unit: ((first + i / unit * unit) as u32, unit as u8),
                cell: 0,
                start,
                stored: ByteSet::default(),
                after: ByteSet::default(),
                group_after: After::Unwritten,
            });
        }
    }

    /// A barrier: what may each unit hold now?
    fn end_segment(&mut self, writes: &mut Vec<Write>) {
        writes.sort_unstable();
        for of_unit in writes.chunk_by_mut(|a, b| a.unit == b.unit) {
            let Write { unit, item, how, .. } = of_unit[0];
            let one_how = of_unit.iter().all(|write| write.how == how);
            if of_unit.iter().all(|write| write.item == item) {
                of_unit.iter().for_each(|write| self.write_alone(write));
            } else if one_how && how == MIXED {
                self.store_unordered(of_unit);
            } else {
                let (_, len) = self.bytes[unit as usize].unit;
                let settled = one_how && self.is_single(unit, len.into());
                let after = if settled { After::Settled } else { After::Anything };
                of_unit.iter().for_each(|write| self.set_after(write.byte, after));
            }
        }
        writes.clear();
    }

    /// Follows the only work-item that writes a unit in a segment.
    fn write_alone(&mut self, write: &Write) {
        let Write { byte, how, value, .. } = *write;
        if how == MIXED {
            self.set_after(byte, After::Values(ByteSet::of(value)));
        } else if self.bytes[byte as usize].addr.is_multiple_of(cell_size(how)) {
            let size = cell_size(how) as u32;
            let settled = self.is_single(byte, size as usize);
            let after = if settled { After::Settled } else { After::Anything };
            (byte..byte + size).for_each(|byte| self.set_after(byte, after));
        }
    }

    /// Of each byte, the last value that each work-item stored remains possible.
    fn store_unordered(&mut self, writes: &mut [Write]) {
        writes.sort_unstable_by_key(|write| (write.byte, write.item, write.rank));
        for of_byte in writes.chunk_by(|a, b| a.byte == b.byte) {
            let mut values = ByteSet::default();
            let last = of_byte.chunk_by(|a, b| a.item == b.item).filter_map(<[_]>::last);
            last.for_each(|write| values.insert(write.value));
            self.set_after(of_byte[0].byte, After::Values(values));
        }
    }

    fn set_after(&mut self, number: u32, after: After) {
        let byte = &mut self.bytes[number as usize];
        if byte.group_after == After::Unwritten {
            self.written.push(number);
        }
        byte.group_after = after;
    }

    /// True when each of these bytes has one value for the group.
    fn is_single(&self, first: u32, len: usize) -> bool {
        self.bytes[first as usize..][..len].iter().all(|byte| match byte.group_after {
            After::Unwritten => byte.start.len() == 1,
            After::Values(values) => values.len() == 1,
            After::Settled => true,
            After::Anything => false,
        })
    }

    fn end_group(&mut self, memory: &Memory) {
        for number in self.written.drain(..) {
            let byte = &mut self.bytes[number as usize];
            match std::mem::take(&mut byte.group_after) {
                After::Unwritten => {}
                After::Values(values) => byte.after.join(&values),
                // No other group writes: what the replay left is what any order leaves.
                After::Settled if !byte.many => byte.after.insert(memory.byte(byte.addr)),
                After::Settled | After::Anything => byte.after = ByteSet::any(),
            }
        }
    }

    /// The kernel's tables.
    pub fn finish(self, memory: &Memory) -> (Vec<RacyByte>, Vec<AtomicCell>) {
        let mut racy = Vec::new();
        for byte in self.bytes.iter().filter(|byte| byte.cell == 0) {
            let mut during = byte.start;
            during.join(&byte.stored);
            let after = if byte.after.is_empty() { byte.start } else { byte.after };
            if byte.racy_read || byte.start.len() > 1 || after.len() > 1 {
                racy.push(RacyByte { addr: byte.addr, during, after });
            }
            debug_assert!(after.contains(memory.byte(byte.addr)), "{:#x}", byte.addr);
        }
        let mut atomics: Vec<AtomicCell> = self.cells.iter().map(Cell::range).collect();
        atomics.sort_unstable_by_key(|cell| cell.addr);
        (racy, atomics)
    }
}

impl Cell {
    fn new(addr: u64, size: u8, op: AtomicOp, start: u64) -> Self {
        let (least, greatest, all, any) = (start, start, u64::MAX, 0);
        Self { addr, size, op, start, sums: [0; 2], least, greatest, all, any }
    }

    fn add(&mut self, operand: u64) {
        let signed = AtomicOp::sign_extend(operand, self.size);
        self.sums[usize::from(signed >= 0)] += i128::from(signed);
        self.all &= operand;
        self.any |= operand;
        let (min, max) = match self.op {
            AtomicOp::UMin | AtomicOp::UMax => (AtomicOp::UMin, AtomicOp::UMax),
            _ => (AtomicOp::Min, AtomicOp::Max),
        };
        self.least = min.apply(self.least, operand, self.size);
        self.greatest = max.apply(self.greatest, operand, self.size);
    }

    fn range(&self) -> AtomicCell {
        let signed = |value| AtomicOp::sign_extend(value, self.size);
        let whole = |value| AtomicOp::truncate(value, self.size);
        let (low, high) = match self.op {
            AtomicOp::Min => (signed(self.least), signed(self.start)),
            AtomicOp::Max => (signed(self.start), signed(self.greatest)),
            AtomicOp::UMin => (whole(self.least) as i64, whole(self.start) as i64),
            AtomicOp::UMax => (whole(self.start) as i64, whole(self.greatest) as i64),
            AtomicOp::And => (whole(self.start & self.all) as i64, whole(self.start) as i64),
            AtomicOp::Or => (whole(self.start) as i64, whole(self.start | self.any) as i64),
            AtomicOp::Xor => {
                (whole(self.start & !self.any) as i64, whole(self.start | self.any) as i64)
            }
            AtomicOp::Add | AtomicOp::Exchange => self.sum_range(),
        };
        AtomicCell { addr: self.addr, size: self.size, op: self.op, low, high }
    }

    /// Any value, when the sum could wrap.
    fn sum_range(&self) -> (i64, i64) {
        let most = i64::MAX >> (64 - 8 * u32::from(self.size));
        let start = i128::from(AtomicOp::sign_extend(self.start, self.size));
        let (low, high) = (start + self.sums[0], start + self.sums[1]);
        if low < -i128::from(most) - 1 || high > i128::from(most) {
            return (-most - 1, most);
        }
        (low as i64, high as i64)
    }
}
