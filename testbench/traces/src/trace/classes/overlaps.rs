//! Bytes that kernels which may overlap have in common: one of them writes the byte, and neither
//! has ended before the other begins. Of such a byte nothing is known while any of the kernels may
//! run but all that it may hold.
//!
//! Kernels are looked at twice, before their loads are classed: who touches what, and what is
//! stored to the bytes that are in common then.

use std::collections::{BTreeMap, HashMap};

use super::page::{MIXED, how};
use super::writers::parts;
use super::{Carried, Classifier};
use crate::trace::instr_code::lanes;
use crate::trace::limits::PAGE;
use crate::trace::pages::{offset_of, page_of};
use crate::trace::streams::Clock;
use crate::trace::walk::{Order, Walk};
use crate::trace::{ByteSet, Error, Group, Instr, InstrKind};

/// One more than the number in its stream of the last kernel that has written each byte of a page,
/// and of the last that has read it.
type Accesses = [[u32; 2]; PAGE as usize];

/// What kernels have touched that may overlap with others to come.
#[derive(Debug, Default)]
pub struct Overlaps {
    /// Place of the stream, and clock, of the kernel that is looked at.
    kernel: (usize, Clock),
    /// By page and stream.
    pages: HashMap<(u64, usize), Box<Accesses>>,
    /// What each byte that is in common may hold, as far as it is known.
    common: BTreeMap<u64, ByteSet>,
}

impl Overlaps {
    /// A kernel of the stream at this place begins.
    pub fn begin_kernel(&mut self, stream: usize, clock: Clock) {
        self.kernel = (stream, clock);
    }

    /// First look at a work-group of the kernel.
    pub fn gather(&mut self, group: &Group) -> Result<(), Error> {
        each(group, |instr| {
            let writes = instr.kind != InstrKind::Load;
            let reads = instr.kind != InstrKind::Store;
            for lane in lanes(instr.lanes) {
                for (addr, _, len) in parts(instr.addrs[lane], instr.size) {
                    self.touch(addr, len, writes, reads);
                }
            }
        })
    }

    /// The kernel touches bytes of one page.
    fn touch(&mut self, addr: u64, len: usize, writes: bool, reads: bool) {
        let (own, ref clock) = self.kernel;
        let (page, at) = (page_of(addr), offset_of(addr));
        for other in (0..clock.len()).filter(|&other| other != own) {
            let Some(accesses) = self.pages.get(&(page, other)) else { continue };
            for (addr, [written, read]) in (addr..).zip(&accesses[at..at + len]) {
                if *written > clock[other] || writes && *read > clock[other] {
                    self.common.entry(addr).or_default();
                }
            }
        }
        let number = clock[own] + 1;
        let accesses = self.pages.entry((page, own));
        let accesses = accesses.or_insert_with(|| Box::new([[0; 2]; PAGE as usize]));
        for [written, read] in &mut accesses[at..at + len] {
            *written = if writes { number } else { *written };
            *read = if reads { number } else { *read };
        }
    }

    /// Whether kernels have any byte in common.
    pub fn have_common(&self) -> bool {
        !self.common.is_empty()
    }

    /// Second look at a work-group of any of the kernels: what it stores to bytes in common. What
    /// an atomic leaves depends on all that it finds. True when that has made more bytes common:
    /// all kernels must be looked at again.
    pub fn collect(&mut self, group: &Group) -> Result<bool, Error> {
        let before = self.common.len();
        each(group, |instr| {
            if instr.kind == InstrKind::Load {
                return;
            }
            let stores = how(instr.kind, instr.size) == MIXED;
            for lane in lanes(instr.lanes) {
                let (addr, size) = (instr.addrs[lane], u64::from(instr.size));
                if self.common.range(addr..addr + size).next().is_none() {
                    continue;
                }
                for (addr, value) in (addr..addr + size).zip(instr.value(lane)) {
                    if !stores {
                        self.common.insert(addr, ByteSet::any());
                    } else if let Some(values) = self.common.get_mut(&addr) {
                        values.insert(*value);
                    }
                }
            }
        })?;
        Ok(self.common.len() > before)
    }
}

impl Classifier {
    /// Kernels are to be classed, one after another, that may overlap with each other and with no
    /// others: until the next call the bytes that they have in common may hold anything that they
    /// have before, or that one of the kernels stores.
    pub fn overlap(&mut self, overlaps: Overlaps) {
        self.common = Carried::default();
        for (addr, mut values) in overlaps.common {
            match self.carried.get(addr) {
                Some(before) => values.join(before),
                None => values.insert(self.memory.byte(addr)),
            }
            // One that always holds the same is no race.
            if values.len() > 1 {
                self.common.set(addr, values);
                self.carried.set(addr, values);
            }
        }
    }
}

/// Each access of a work-group.
fn each(group: &Group, mut see: impl FnMut(&Instr)) -> Result<(), Error> {
    let mut instr = Instr::default();
    let mut walk = Walk::new(group, Order::File);
    while !walk.at_end() {
        walk.segment(group, &mut instr, |_, _, instr| {
            if !matches!(instr.kind, InstrKind::Barrier | InstrKind::Fence) {
                see(instr);
            }
        })?;
    }
    Ok(())
}
