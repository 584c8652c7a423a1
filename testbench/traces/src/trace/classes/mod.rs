//! Which loads are determined, and what the others may return (see `docs/trace-format.md`,
//! "Classes").
//!
//! A kernel's work-groups are looked at three times, in bounded memory:
//! 1. `gather`, as each is recorded: which groups write each byte.
//! 2. `classify`, when all are known: which lanes are racy.
//! 3. `collect`, only where something is racy: the values that racy bytes may have.
//!
//! Before that, kernels that may overlap are looked at together (`overlaps`).

mod collect;
#[cfg(test)]
mod interleavings;
mod loads;
mod overlaps;
mod page;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod streams_tests;
#[cfg(test)]
mod tests;
mod writers;

use std::collections::{BTreeMap, HashMap};

use collect::Collected;
pub use overlaps::Overlaps;
use page::KernelPage;

use super::limits::PAGE;
use super::pages::{AddressSet, Memory, PageTable, page_of};
use super::{AtomicCell, ByteSet, RacyByte};

/// How many loads and atomics are determined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Determined loads.
    pub loads: u64,
    /// Loads that are racy only because of bytes that earlier kernels left.
    pub loads_carried: u64,
    /// Atomics with determined old values.
    pub atomics: u64,
}

/// Bytes that have several possible values.
#[derive(Debug, Default)]
struct Carried {
    values: BTreeMap<u64, ByteSet>,
    /// The same addresses, for a quick look.
    addrs: AddressSet,
}

impl Carried {
    fn contains(&self, addr: u64) -> bool {
        self.addrs.contains(addr)
    }

    fn get(&self, addr: u64) -> Option<&ByteSet> {
        if self.contains(addr) { self.values.get(&addr) } else { None }
    }

    fn set(&mut self, addr: u64, values: ByteSet) {
        self.values.insert(addr, values);
        self.addrs.insert(addr);
    }

    fn remove(&mut self, addr: u64) {
        if self.contains(addr) {
            self.values.remove(&addr);
            self.addrs.remove(addr);
        }
    }

    fn remove_range(&mut self, addr: u64, bytes: u64) {
        if self.values.is_empty() {
            return;
        }
        let end = addr.saturating_add(bytes);
        let gone: Vec<u64> = self.values.range(addr..end).map(|(&addr, _)| addr).collect();
        for addr in gone {
            self.remove(addr);
        }
    }
}

/// Follows a program and classes its loads.
#[derive(Debug, Default)]
pub struct Classifier {
    /// What the program left, in the order of the trace.
    memory: Memory,
    carried: Carried,
    /// Bytes that kernels have in common which may overlap with the one that is classed.
    common: Carried,
    pages: PageTable<KernelPage>,
    /// Pages of this kernel that are written, or that have racy bytes.
    touched: Vec<u64>,
    /// Number of the kernel, from 1.
    kernel: u32,
    /// Number of the segment in the kernel, from 1.
    segment: u32,
    /// Bytes whose state differs from the kernel's start for the group that is being classified:
    /// true when they have several possible values.
    several: HashMap<u64, bool>,
    collected: Collected,
}

impl Classifier {
    /// The host writes.
    pub fn host_write(&mut self, addr: u64, data: &[u8]) {
        self.memory.write(addr, data);
        self.carried.remove_range(addr, data.len() as u64);
    }

    /// A buffer ends.
    pub fn free(&mut self, addr: u64, bytes: u64) {
        self.memory.forget(addr, bytes);
        self.carried.remove_range(addr, bytes);
        self.pages.remove_range(page_of(addr), (addr + bytes).div_ceil(PAGE));
    }

    /// A kernel begins.
    pub fn begin_kernel(&mut self) {
        self.kernel += 1;
        self.segment = 0;
        self.touched.clear();
    }

    /// All groups of the kernel are gathered.
    pub fn begin_classify(&mut self) {
        for &number in &self.touched {
            if let Some(page) = self.pages.get_mut(number) {
                page.join_units();
            }
        }
    }

    /// The page of this kernel, made when it is the first to touch it.
    fn page(&mut self, page: u64) -> &mut KernelPage {
        let memory = &self.memory;
        let entry = self.pages.entry(page, || KernelPage::new(memory.page(page)));
        if entry.kernel != self.kernel {
            if entry.kernel != 0 {
                entry.reset(memory.page(page));
            }
            entry.kernel = self.kernel;
            self.touched.push(page);
        }
        entry
    }

    /// The page, when this kernel has touched it.
    fn touched_page(&self, page: u64) -> Option<&KernelPage> {
        self.pages.get(page).filter(|entry| entry.kernel == self.kernel)
    }

    /// Ends the kernel: its tables.
    pub fn end_kernel(&mut self) -> (Vec<RacyByte>, Vec<AtomicCell>) {
        let collected = std::mem::take(&mut self.collected);
        let (mut racy, atomics) = collected.finish(&self.memory);
        // Unwritten bytes stay as they were.
        for (&addr, &values) in &self.carried.values {
            if self.collected_byte(addr).is_none() {
                racy.push(RacyByte { addr, during: values, after: values });
            }
        }
        for page in &self.touched {
            if let Some(page) = self.pages.get_mut(*page) {
                page.forget_collected();
            }
        }
        if !self.common.values.is_empty() {
            racy.retain(|byte| !self.common.contains(byte.addr));
            let common = self.common.values.iter();
            racy.extend(common.map(|(&addr, &all)| RacyByte { addr, during: all, after: all }));
        }
        racy.sort_unstable_by_key(|byte| byte.addr);
        for byte in &racy {
            if byte.after.len() > 1 {
                self.carried.set(byte.addr, byte.after);
            } else {
                self.carried.remove(byte.addr);
            }
        }
        for cell in &atomics {
            self.carried.remove_range(cell.addr, u64::from(cell.size));
        }
        (racy, atomics)
    }
}
