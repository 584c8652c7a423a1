//! What memory must show: every load is compared with what the program saw, and memory after each
//! kernel with what the program left there.

pub mod atomic;
pub mod life;
pub mod sequential;
pub mod timed;
pub mod values;

use std::ops::Add;

use ports::cpelide::types::SLOTS;
use traces::trace::{AtomicCell, AtomicOp, ByteSet, KernelHead, RacyByte};

use crate::context::masks;
use crate::context::message::MAX_LINE;
use crate::context::message::Unit;
use crate::context::pages::{Bytes, PAGE, PageMap};
use crate::context::transactions::Transaction;
use crate::engine::Cycle;

/// A byte that is not what it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// When it was seen.
    pub cycle: Cycle,
    /// Where it lies.
    pub addr: u64,
    /// What it is.
    pub got: u8,
    /// What it may be.
    pub possible: Vec<u8>,
    /// Kernel, counted from 0, and its name.
    pub kernel: (u32, String),
    /// Who saw it.
    pub seen_by: Observer,
}

/// Who saw a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observer {
    /// A load of this CU.
    Load(Unit),
    /// An atomic of this CU, as the old value.
    Atomic(Unit),
    /// The look at memory after the kernel's release: at a line's home, or at the copy of a GPU.
    Release(Option<u16>),
    /// A read of the host.
    Host,
}

/// Counters of what was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Loads of work-items, each compared.
    pub loads: u64,
    /// Of these, loads with one right value.
    pub determined: u64,
    /// Loads with several possible values.
    pub racy: u64,
    /// Old values of atomics.
    pub atomics: u64,
    /// Bytes of memory looked at after releases.
    pub released_bytes: u64,
}

impl Add for Checked {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            loads: self.loads + other.loads,
            determined: self.determined + other.determined,
            racy: self.racy + other.racy,
            atomics: self.atomics + other.atomics,
            released_bytes: self.released_bytes + other.released_bytes,
        }
    }
}

/// The oracle: a plain memory in which the program's stores are done as they are issued, and the
/// kernel's table of bytes with several possible values.
#[derive(Debug, Default)]
pub struct Checker {
    memory: Bytes,
    /// Per page one bit for each 64 bytes that the kernel has written.
    touched: PageMap<u64>,
    touched_pages: Vec<u64>,
    /// By launch.
    kernels: [Kernel; SLOTS],
    /// The launch that has begun last.
    last: usize,
    /// What was checked.
    pub checked: Checked,
    /// The first wrong byte.
    pub wrong: Option<Wrong>,
}

/// What is known of a kernel.
#[derive(Debug, Default)]
struct Kernel {
    /// Bytes with several possible values, and locations of atomics.
    racy: Vec<RacyByte>,
    cells: Vec<AtomicCell>,
    /// Number and name.
    name: (u32, String),
}

impl Kernel {
    /// Whether a racy load of byte `k` of a line may find what is there; else what it may find. Of
    /// a location of atomics that the load, of the bytes of `mask`, holds in part nothing is known.
    fn is_possible(&self, addr: u64, k: usize, data: &[u8], mask: u128) -> Result<(), Vec<u8>> {
        if let Ok(at) = self.racy.binary_search_by_key(&addr, |r| r.addr) {
            let set = &self.racy[at].during;
            return if set.contains(data[k]) { Ok(()) } else { Err(members(set)) };
        }
        let at = self.cells.partition_point(|cell| cell.addr <= addr);
        let cell = at.checked_sub(1).map(|at| &self.cells[at]);
        let Some(cell) = cell.filter(|cell| addr < cell.addr + u64::from(cell.size)) else {
            return Err(Vec::new());
        };
        let first = k - (addr - cell.addr) as usize;
        let mut wide = [0; 8];
        let size = usize::from(cell.size);
        if masks::span(first, size) & !mask != 0 {
            return Ok(());
        }
        wide[..size].copy_from_slice(&data[first..first + size]);
        match cell.admits(u64::from_le_bytes(wide)) {
            true => Ok(()),
            false => Err(cell.low.to_le_bytes()[..size].to_vec()),
        }
    }
}

impl Checker {
    /// A kernel begins.
    pub fn begin_kernel(&mut self, launch: usize, number: u32, head: &KernelHead) {
        self.last = launch;
        let kernel = &mut self.kernels[launch];
        kernel.racy.clone_from(&head.racy);
        kernel.cells.clone_from(&head.atomics);
        kernel.name = (number, head.name.clone());
    }

    /// What memory must show of a line.
    pub fn show(&self, addr: u64, to: &mut [u8]) {
        match self.memory.get(addr, to.len()) {
            Some(bytes) => to.copy_from_slice(bytes),
            None => to.fill(0),
        }
    }

    /// The host writes.
    pub fn host_write(&mut self, addr: u64, data: &[u8]) {
        self.memory.write(addr, data);
    }

    /// A buffer ends.
    pub fn free(&mut self, addr: u64, bytes: u64) {
        let pages = bytes.next_multiple_of(PAGE);
        self.memory.forget(addr, pages);
        self.touched.forget(addr, pages);
    }

    /// A CU issues a store.
    #[inline]
    pub fn store(&mut self, addr: u64, mask: u128, data: &[u8; MAX_LINE], line: usize) {
        masks::copy(self.memory.get_mut(addr, line), data, mask);
        self.touch(addr, line);
    }

    /// A CU issues an atomic.
    pub fn change(
        &mut self,
        (addr, mask): (u64, u128),
        (op, size): (AtomicOp, u8),
        operands: &[u8; MAX_LINE],
        line: usize,
    ) {
        atomic::apply(op, size.into(), mask, self.memory.get_mut(addr, line), operands);
        self.touch(addr, line);
    }

    #[inline]
    fn touch(&mut self, addr: u64, line: usize) {
        let page = self.touched.get_mut(addr);
        if *page == 0 {
            self.touched_pages.push(addr / PAGE * PAGE);
        }
        *page |= 1 << (addr % PAGE / 64);
        if line > 64 {
            *page |= 1 << (addr % PAGE / 64 + 1);
        }
    }

    /// A load leaves the memory system with `data`; the program saw `expected`.
    #[inline]
    pub fn load(
        &mut self,
        cycle: Cycle,
        who: Unit,
        t: &Transaction,
        expected: &[u8; MAX_LINE],
        data: &[u8],
    ) {
        let differ = masks::differences(expected, data, t.mask);
        if differ != 0 {
            self.explain(cycle, Observer::Load(who), t, differ, expected, data);
        }
    }

    /// An atomic returns old values.
    pub fn atomic(
        &mut self,
        cycle: Cycle,
        who: Unit,
        t: &Transaction,
        expected: &[u8; MAX_LINE],
        data: &[u8],
    ) {
        let differ = masks::differences(expected, data, t.mask);
        if differ != 0 {
            self.explain(cycle, Observer::Atomic(who), t, differ, expected, data);
        }
    }

    /// Bytes differ from what the program saw: each must be racy, with this value among the
    /// possible ones.
    #[cold]
    fn explain(
        &mut self,
        cycle: Cycle,
        seen_by: Observer,
        t: &Transaction,
        differ: u128,
        expected: &[u8; MAX_LINE],
        data: &[u8],
    ) {
        let mut left = differ;
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            let addr = t.addr + k as u64;
            let possible = match t.racy >> k & 1 {
                0 => Err(vec![expected[k]]),
                _ => self.kernels[usize::from(t.launch)].is_possible(addr, k, data, t.mask),
            };
            if let Err(possible) = possible
                && self.wrong.is_none()
            {
                let kernel = self.kernels[usize::from(t.launch)].name.clone();
                self.wrong = Some(Wrong { cycle, addr, got: data[k], possible, kernel, seen_by });
            }
        }
    }

    /// The kernel of a launch has ended and all is released: every line that was written is looked
    /// at through `look`, at its home and at each GPU of `copies`, a bit for each. Not where L1s
    /// may hold the newest bytes, which no other CU reads (`is_kept`).
    pub fn end_kernel(
        &mut self,
        launch: usize,
        cycle: Cycle,
        line: usize,
        is_kept: impl Fn(u64) -> bool,
        copies: impl Fn(u64) -> u16,
        mut look: impl FnMut(u64, Option<u16>, &mut [u8]),
    ) {
        let mut seen = [0; MAX_LINE];
        let mut pages = std::mem::take(&mut self.touched_pages);
        pages.sort_unstable();
        for &page in &pages {
            let touched = std::mem::take(self.touched.get_mut(page));
            for addr in (page..page + PAGE).step_by(line) {
                if touched >> (addr % PAGE / 64) & 1 == 1 && !is_kept(addr) {
                    look(addr, None, &mut seen[..line]);
                    self.compare_line(launch, cycle, addr, &seen[..line]);
                    let copies = copies(addr);
                    for gpu in (0..u16::BITS as u16).filter(|gpu| copies >> gpu & 1 == 1) {
                        look(addr, Some(gpu), &mut seen[..line]);
                        self.compare_copy(launch, (cycle, gpu, addr), &seen[..line]);
                    }
                }
            }
        }
        pages.clear();
        self.touched_pages = pages;
    }

    /// A kernel has ended that releases nothing.
    pub fn end_kernel_unseen(&mut self) {
        for page in self.touched_pages.drain(..) {
            *self.touched.get_mut(page) = 0;
        }
    }

    /// A racy byte that holds one of its possible values has that value from now on.
    fn compare_line(&mut self, launch: usize, cycle: Cycle, addr: u64, seen: &[u8]) {
        let table = &self.kernels[launch];
        self.checked.released_bytes += seen.len() as u64;
        let right = self.memory.get_mut(addr, seen.len());
        if masks::are_equal(right, seen) {
            return;
        }
        for (k, (right, &got)) in right.iter_mut().zip(seen).enumerate() {
            if *right == got {
                continue;
            }
            let addr = addr + k as u64;
            let possible = match table.racy.binary_search_by_key(&addr, |r| r.addr) {
                Ok(at) if table.racy[at].after.contains(got) => {
                    *right = got;
                    continue;
                }
                Ok(at) => members(&table.racy[at].after),
                Err(_) => vec![*right],
            };
            let (kernel, seen_by) = (table.name.clone(), Observer::Release(None));
            self.wrong.get_or_insert(Wrong { cycle, addr, got, possible, kernel, seen_by });
            return;
        }
    }

    /// Copies of a racy byte may differ from one another; every other byte is as at its home.
    fn compare_copy(&mut self, launch: usize, (cycle, gpu, addr): (Cycle, u16, u64), seen: &[u8]) {
        let table = &self.kernels[launch];
        self.checked.released_bytes += seen.len() as u64;
        let right = self.memory.get_mut(addr, seen.len());
        if right == seen {
            return;
        }
        for (k, (&right, &got)) in right.iter().zip(seen).enumerate() {
            let addr = addr + k as u64;
            let racy = table.racy.binary_search_by_key(&addr, |r| r.addr).map(|at| &table.racy[at]);
            let possible = match racy {
                _ if right == got => continue,
                Ok(byte) if byte.after.contains(got) => continue,
                Ok(byte) => members(&byte.after),
                Err(_) => vec![right],
            };
            let (kernel, seen_by) = (table.name.clone(), Observer::Release(Some(gpu)));
            self.wrong.get_or_insert(Wrong { cycle, addr, got, possible, kernel, seen_by });
            return;
        }
    }

    /// The host reads bytes of a line: they must be what the program left there.
    pub fn host_read(&mut self, cycle: Cycle, line: u64, mask: u128, seen: &[u8]) {
        let zero = [0; MAX_LINE];
        let right = self.memory.get(line, seen.len()).unwrap_or(&zero);
        let differ = masks::differences(right, seen, mask);
        if differ != 0 {
            let k = differ.trailing_zeros() as usize;
            let (addr, got, possible) = (line + k as u64, seen[k], vec![right[k]]);
            let kernel = self.kernels[self.last].name.clone();
            let seen_by = Observer::Host;
            self.wrong.get_or_insert(Wrong { cycle, addr, got, possible, kernel, seen_by });
        }
    }
}

fn members(set: &ByteSet) -> Vec<u8> {
    (0..=u8::MAX).filter(|&v| set.contains(v)).collect()
}

#[cfg(test)]
mod tests;
