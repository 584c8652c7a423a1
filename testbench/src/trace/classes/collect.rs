//! Third look at a work-group, where something is racy: the values that bytes may have during and after
//! the kernel.

use super::page::{COLLECT, COLLECTED, MANY, MIXED, NOTHING, RACY_READ, cell_size, how};
use super::writers::parts;
use super::{Carried, Classifier};
use crate::trace::instr_code::lanes;
use crate::trace::limits::PAGE;
use crate::trace::pages::{Memory, offset_of, page_of};
use crate::trace::walk::{Order, Walk};
use crate::trace::{
    AtomicCell, AtomicOp, ByteSet, Error, Group, Instr, InstrKind, LANES, RacyByte,
};

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
    byte: u32,
    item: u32,
    rank: u64,
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
    /// Finds the bytes whose values must be collected, when all groups are classified; false when there
    /// are none.
    pub fn begin_collect(&mut self) -> bool {
        self.collected = Collected::default();
        let touched = std::mem::take(&mut self.touched);
        for &number in &touched {
            let Some(page) = self.pages.get_mut(number) else { continue };
            let (size, start) = (page.granule_bytes(), page.start);
            for (i, granule) in page.all_mut().iter_mut().enumerate() {
                let at = i * size;
                let addr = number * PAGE + at as u64;
                let carried = || (addr..addr + size as u64).any(|addr| self.carried.contains(addr));
                let wanted = granule.flags & COLLECT != 0 || granule.group == MANY;
                if !wanted && (granule.group == 0 || !carried()) {
                    continue;
                }
                granule.item = self.collected.bytes.len() as u32;
                granule.flags |= COLLECTED;
                let racy_read = granule.flags & RACY_READ != 0;
                let many = granule.group == MANY;
                self.collected.add(addr, &start[at..at + size], racy_read, many, &self.carried);
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

    /// Finds the locations that only atomics of one kind change.
    fn find_cells(&mut self) {
        for number in 0..self.collected.bytes.len() {
            let addr = self.collected.bytes[number].addr;
            let Some(page) = self.touched_page(page_of(addr)) else { continue };
            let how = page.granule(offset_of(addr)).how;
            if matches!(how, NOTHING | MIXED) || addr % cell_size(how) != 0 {
                continue;
            }
            let size = cell_size(how) as usize;
            let at = offset_of(addr);
            let uniform = (at..at + size).all(|at| {
                page.granule(at).how == how
                    && page.collected(at).is_some_and(|n| self.collected.bytes[n].start.len() == 1)
            });
            let Some(op) = AtomicOp::from_code((how - 1) % 16).filter(|_| uniform) else {
                continue;
            };
            let mut start = [0; 8];
            start[..size].copy_from_slice(&page.start[at..at + size]);
            let numbers: Vec<usize> = (at..at + size).filter_map(|at| page.collected(at)).collect();
            let cell = Cell::new(addr, size as u8, op, u64::from_le_bytes(start));
            self.collected.cells.push(cell);
            for number in numbers {
                self.collected.bytes[number].cell = self.collected.cells.len() as u32;
            }
        }
    }

    /// Takes the next work-group of the kernel.
    pub fn collect(&mut self, group: &Group) -> Result<(), Error> {
        let mut instr = std::mem::take(&mut self.instr);
        let mut walk = Walk::new(group, Order::File);
        let mut writes = Vec::new();
        while !walk.at_end() {
            walk.segment(group, &mut instr, |warp, _, instr| {
                self.collect_instr(warp, instr, &mut writes);
            })?;
            self.collected.end_segment(&mut writes);
        }
        self.collected.end_group(&self.memory);
        self.instr = instr;
        Ok(())
    }

    fn collect_instr(&mut self, warp: usize, instr: &Instr, writes: &mut Vec<Write>) {
        if !matches!(instr.kind, InstrKind::Store | InstrKind::Atomic(_)) {
            return;
        }
        let how = how(instr.kind, instr.size);
        for lane in lanes(instr.lanes) {
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
                    let value = instr.values[16 * lane + first + i];
                    match how {
                        MIXED => byte.stored.insert(value),
                        _ => byte.stored = ByteSet::any(),
                    }
                    let rank = writes.len() as u64;
                    writes.push(Write { byte: number as u32, item, rank, how, value });
                }
            }
            if in_cell != 0 {
                let mut operand = [0; 8];
                let size = usize::from(instr.size.min(8));
                operand[..size].copy_from_slice(&instr.values[16 * lane..][..size]);
                self.collected.cells[in_cell as usize - 1].add(u64::from_le_bytes(operand));
            }
        }
    }
}

impl Collected {
    fn add(&mut self, addr: u64, start: &[u8], racy_read: bool, many: bool, carried: &Carried) {
        for (i, &value) in start.iter().enumerate() {
            let addr = addr + i as u64;
            let start = carried.get(addr).copied().unwrap_or(ByteSet::of(value));
            self.bytes.push(Byte {
                addr,
                racy_read,
                many,
                cell: 0,
                start,
                stored: ByteSet::default(),
                after: ByteSet::default(),
                group_after: After::Unwritten,
            });
        }
    }

    /// A barrier: of each byte, the last value that each work-item wrote remains possible.
    fn end_segment(&mut self, writes: &mut Vec<Write>) {
        writes.sort_unstable();
        for of_byte in writes.chunk_by(|a, b| a.byte == b.byte) {
            let byte = &mut self.bytes[of_byte[0].byte as usize];
            if byte.group_after == After::Unwritten {
                self.written.push(of_byte[0].byte);
            }
            let one_before = match byte.group_after {
                After::Unwritten => byte.start.len() == 1,
                After::Values(values) => values.len() == 1,
                After::Settled => true,
                After::Anything => false,
            };
            let (item, how) = (of_byte[0].item, of_byte[0].how);
            byte.group_after = if of_byte.iter().all(|write| write.how == MIXED) {
                let mut values = ByteSet::default();
                let last = of_byte.chunk_by(|a, b| a.item == b.item).filter_map(|own| own.last());
                last.for_each(|write| values.insert(write.value));
                After::Values(values)
            } else if of_byte.iter().all(|write| write.item == item)
                && (one_before || of_byte.iter().any(|write| write.how == MIXED))
                || one_before && of_byte.iter().all(|write| write.how == how)
            {
                After::Settled
            } else {
                After::Anything
            };
        }
        writes.clear();
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
